/* boundary.h -- collocation on a mesh, as the files of this folder share it.
 *
 *   K_i = f(t_i, X_i, Z_i, p),  0 = h(t_i, X_i, Z_i, p),   X_i = x_(n-1) + h_n sum_j a_ij K_j
 *   x_n = x_(n-1) + h_n sum_j b_j K_j                      in every interval n = 1..N
 *   0 = h at both ends and where conditions are,  0 = b(y(from), y(to), p),  0 = c at one end
 */
#ifndef KEEL_BOUNDARY_INTERNAL_H
#define KEEL_BOUNDARY_INTERNAL_H

#include <stddef.h>

#include "boundary/flow.h"
#include "keel/boundary.h"

enum { STAGES_MOST = 8, NODES_MOST = STAGES_MOST + 3, SAMPLES = 3, PLACES_MOST = NODES_MOST + SAMPLES };

/* Coefficients of the k stages, and of polynomials on the nodes 0, c_i, 1 and one more. */
typedef struct table {
    int k;
    keel_points points;
    double c[STAGES_MOST], b[STAGES_MOST];
    double A[STAGES_MOST * STAGES_MOST], A_inv[STAGES_MOST * STAGES_MOST];
    double d[STAGES_MOST];                   /* b^T A^-1                                   */
    int nodes;                               /* k + 3: 0, c_1, ..., c_k, 1, another        */
    double node[NODES_MOST], weight[NODES_MOST];         /* barycentric                    */
    int rates;                               /* nodes that derivatives are known at: all   */
                                             /* but the last                               */
    int enriched;                            /* do these integrate as b does, up to 1?     */
    int means;                               /* is the error of x_n one of the mean defect, which */
                                             /* stages do not show?                        */
    double sample[SAMPLES];                  /* where the defect is looked at              */
    double mean[SAMPLES];                    /* its mean from that                         */
    /* Largest of the errors of x and of z between two of these nodes, beside that of all. */
    double gap_x[NODES_MOST], gap_z[NODES_MOST];
    /* Integrals up to each node, then up to the samples, of the Lagrange polynomials of the stages
     * and of all rates; and these polynomials themselves at the same places. */
    double plain[PLACES_MOST][STAGES_MOST], plain_value[PLACES_MOST][STAGES_MOST];
    double full[PLACES_MOST][NODES_MOST], full_value[PLACES_MOST][NODES_MOST];
} table;

/* Leaves a table that is the wanted one; all zero: none. */
int table_make(table *a, int k, keel_points points, const double *given);
/* weight[j] = integral from 0 to s of the Lagrange polynomial j of `count` nodes */
void table_integrals(int count, const double *node, const double *barycentric, double s,
                     double *weight);

/* One value for each unknown of the mesh, or for each equation: */
typedef struct unknowns {
    double *x;                   /* [N + 1][nx] x_n;             from 1 on: continuity     */
    double *K;                   /* [N][k][nx]  derivatives;     f - K                     */
    double *z;                   /* [N][k][m]   of the stages;   h                         */
    double *end;                 /* [points][m] z at the points; h there                   */
    double *push;                /* [N + 1][hidden] multipliers of projections; c there.  None */
                                 /* unless mesh points are projected                       */
    double *p;                   /* [np]                                                   */
    double *condition;           /* [rows]                       conditions                */
} unknowns;

/* h_z factored, and what eliminates dz = -h_z^-1 H - C dx - C_p dp, C = h_z^-1 h_x.  Sparse: J, J_p. */
typedef struct local {
    double *J, *J_p;             /* nonzeros of [f_x f_z; h_x h_z]; [f_p; h_p]             */
    double *h_z, *f_z, *C, *C_p; /* [m m], [nx m], [m nx], [m np]                          */
    double *A, *A_p;             /* [nx nx] f_x - f_z C; [nx np] f_p - f_z C_p             */
    int *pivot;                  /* [m]                                                    */
} local;

/* One linearisation for all stages of an interval (mean.c). */
typedef struct mean_field {
    float *kept;                 /* [N][mean_entries]                                      */
    int *pivot;                  /* [N][m] of h_z                                          */
    local local;                 /* that of the window, in double precision;               */
    double *H, *Qt;              /* its A = Q H Q^T, [nx nx]                               */
    int loaded, has_rates;       /* the window has it; A as well                           */
    double *L, *V, *Vt;          /* a^-1 = V L V^T, [k k]                                  */
    double *work;
} mean_field;

/* A place with z of its own: both ends, then the inner conditions. */
typedef struct point {
    int at;                      /* mesh point                                             */
    local local;
} point;

typedef struct mesh {
    int N;
    table table;
    void *block;                 /* what a solution consists of, owned                     */
    void *work;                  /* ... and what it took to find it, or NULL: mesh_shed    */
    size_t bytes;                /* of that                                                */
    size_t count;                /* of numbers in an unknowns                              */
    double *t;                   /* [N + 1]                                                */
    unknowns u, step, trial, next, residual;
    unknowns spare;              /* right-hand sides of the condensed system: no K, no z,  */
                                 /* unless g is collocated                                 */
    int single;                  /* intervals have means, see mean.c                       */
    int kept;                    /* intervals whose local matrices stay; those of others   */
    int window;                  /* are made anew in one place more: this one has them, or */
    int window_factored;         /* -1; T as well                                          */
    unknowns base;               /* where they are linearised; only if kept < N            */
    int reduced;                 /* `spare` and `step` have the residual, see collocation.c */
    local *stage;                /* [(kept + 1) k]                                         */
    mean_field mean;                 /* instead of those that are not kept; or nothing         */
    double *T, *V, *W;           /* per kept interval: T [k nx k nx] factored, V = dX/dx,  */
    int *T_pivot;                /* W = dX/dp                                              */
    double *F, *P;               /* per interval: dx_n = F dx_(n-1) + P dp + r             */
    point *point;                /* [2 + inner]                                            */
    double *point_f;             /* [2 + inner][nx] f there, where the last residual was,  */
    int point_moved;             /* or, after the last correction, at u                    */
    double *G;                   /* [N k][m][n + np] derivatives of what stages collocate, */
    double *G_push, *push;       /* [N + 1][hidden][nx + np] of c, [N + 1][nx][hidden] R:  */
                                 /* where c itself is collocated, see direct.c             */
    struct stages *stages;       /* their equations, sparse; or NULL                       */
    double **row;                /* [N] eliminated rows, see blocks.c; with means one      */
    float **row_single;          /* place for all of them, which are these                 */
    double *stack[2];            /* the same before that, of two mesh points               */
    int *row_pivot;              /* [N nx]                                                 */
    int *rows;                   /* [N] how many                                           */
    double *dense;               /* end system                                             */
    int *dense_pivot;
    double *dense_scale;
    double *b_y;                 /* [conditions][2 m + 2 nx + np]: conditions, see conditions.c */
    double *right;               /* [N][stacked rows] right-hand sides                     */
    double *p;                   /* [np] parameters of the solution                        */
    double *value;               /* [N][nodes][n] the solution between mesh points         */
    double *edge_y, *edge_f;     /* [N][2][n], [N][2][nx] y and x' at both ends of intervals */
    double *estimate;            /* [N] of the error, in units of what is asked for        */
    double *rough;               /* [N] the same of x1 beside u, see enrich.c              */
    double *source;              /* [N] ... of what has to become smaller, see estimate.c  */
    char *stiff;                 /* [N]                                                    */
    char *plain;                 /* [N] the collocation polynomial was better, or nothing  */
                                 /* else was tried                                         */
    double stiffness[2];         /* |hA| of the first and the last interval                */
    int layer[2];                /* how many times the first and the last interval are to be */
                                 /* divided by 3 to be as narrow as a layer there          */
    int resolved;                /* all intervals have been estimated in full              */
    double error_x, error_y, error_global;
} mesh;

/* An equation that does not hold, and by how much in units of what is asked for. */
typedef enum equation_kind { EQUATION_RATE, EQUATION_ALGEBRAIC, EQUATION_CONDITION } equation_kind;

typedef struct equation {
    double size;
    equation_kind kind;
    int which;                   /* the unknown x or z, or the condition, inner ones last  */
    double t;
} equation;

/* How far a roundabout way to the solution led (approach.c). */
typedef struct progress {
    double interval;             /* part of it that was reached; negative: not tried       */
    double parameter;            /* value of the easy parameter that was reached; NAN      */
} progress;

/* One interval on its way from stages to the solution between mesh points. */
typedef struct interval {
    double *plain, *full;        /* [places][nx] x of the stages' polynomial, enriched     */
    double *rate, *plain_rate;   /* [places][nx] its derivative                            */
    double *z;                   /* [places][m]                                            */
    double *before;              /* [nodes][nx] x1                                         */
    double *error;               /* [n] estimated, largest of all samples                  */
    double *square, *near, *far; /* [nx nx] the filter                                     */
    int *near_pivot, *far_pivot;
    int filtered;
    int undamped;                /* |R(hA)| is nearly 1                                    */
    double stiffness;            /* |hA|, the root of its square                           */
} interval;

/* What keel_boundary_diagnosis points to. */
typedef struct diagnosis {
    double *t, *boundary, *green, *projector, *fastest, *slowest, *rate;
    int modes, growing, decaying;
    void *block;
} diagnosis;

struct keel_boundary {
    keel_boundary_spec spec;
    keel_boundary_options options;
    keel_boundary_stats stats;
    flow flow;
    void *block;
    int created;
    int checked;                 /* given derivatives have been compared with differences  */
    int direct, pushed;          /* g is collocated; mesh points are projected             */
    struct sparse_flow *sparse;       /* of sparse Jacobians, or NULL: dense; owned             */
    int rows;                    /* conditions at the ends, those of the library as well   */
    double from, to;             /* of the interval that is solved; `to` moves             */
    double *rtol, *atol;         /* [n]                                                    */
    double *inner_at, *break_at;
    char **names;                /* [conditions + inner] owned, or NULL                    */
    double *p;                   /* [np]                                                   */
    double nodes[STAGES_MOST];   /* of given points                                        */
    table table;                 /* of the last mesh                                       */
    mesh *mesh;                  /* the solution, or the best so far                       */
    double *p_guess, *p_before;
    double *y, *y2, *fh, *J, *J_p, *work;        /* scratch                                */
    double *stages;              /* [k nx] of an interval                                  */
    double *project;             /* [hidden + hidden (nx + np) + hidden^2]                 */
    int *project_pivot;
    local local;                 /* scratch                                                */
    interval interval;
    double tolerance, loosest;   /* the smallest and the largest asked for                 */
    int easy;                    /* parameter of the frame that makes it easy, or -1       */
    double ease;                 /* while on the way: so many times the tolerance; 1       */
    double rounding;             /* size of corrections where they shrink no more, or 0    */
    int stalled;                 /* as many intervals as before, and not half of the error */
    int hasty;                   /* the mesh before was too coarse, and this one will be   */
    double unfinished;           /* ... then: the correction that was the last, or 0       */
    double varying;              /* largest contraction of corrections of z by factors of  */
                                 /* other points of a mesh: how h_z changes; -1: not known */
    double contraction;          /* of Newton's corrections by the factors that are there: */
                                 /* how wrong these are                                    */
    equation unsolved;           /* the equation that holds least                          */
    progress progress;
    int whole;                   /* means do not serve here                                */
    int broken;                  /* why matrices could not be made anew, or 0              */
    int worst;                   /* the unknown that Newton's method moved most,           */
    double worst_t;              /* and where                                              */
    int following;               /* a branch: solutions far from the last are not wanted   */
    keel_solution *solution;
    diagnosis diagnosis;
    keel_boundary_diagnosis answer;
    message message;
};

/* create.c: clears the message; KEEL_BAD_ARGUMENT for a problem that was not created. */
int boundary_entered(keel_boundary *w, const char *call);
/* ... and says to the user how far it is; as eval_*. */
int boundary_watch(keel_boundary *w, const mesh *s);

/* Of the first mesh: at least 24 points are looked at, if so many are allowed. */
static inline int first_intervals(const keel_boundary *w, int k)
{
    int N = w->options.mesh ? w->options.mesh : k < 6 ? (23 + k) / k : 4;
    return N < w->options.most ? N : w->options.most;
}

static inline int mesh_points(const keel_boundary *w) { return 2 + w->spec.inner; }
static inline double error_weight(const keel_boundary *w, int i, double y)
{
    double size = w->atol[i] + w->rtol[i] * (y < 0 ? -y : y);
    return size > 0 ? 1 / size : 0;
}
/* The larger one of two errors, the first in units of what is asked for, the other of unknown i where that is
 * y: it is divided by what is asked for only if it is larger. */
static inline double larger_error(const keel_boundary *w, double largest, double error, int i, double y)
{
    double asked = w->atol[i] + w->rtol[i] * (y < 0 ? -y : y);
    return error > largest * asked && asked > 0 ? error / asked : largest;
}
static inline double parameter_weight(const keel_boundary *w, double p)
{
    return 1 / (w->tolerance * (1 + (p < 0 ? -p : p)));
}

/* mesh_store.c: N intervals, of which t is to be filled in, then mesh_bind. */
void local_layout(arena *a, const keel_boundary *w, local *l);
int mesh_create(keel_boundary *w, mesh **out, int N, const table *a);
/* The same mesh with s->u, but without means. */
int mesh_thaw(keel_boundary *w, mesh *s);
/* The same for values alone: nothing can be solved on it. */
int mesh_create_values(keel_boundary *w, mesh **out, int N, const table *a);
/* Only t, values, estimates and parameters stay. */
void mesh_shed(mesh *s);
void mesh_bind(keel_boundary *w, mesh *s);
void mesh_free(mesh *s);

/* What follows returns as eval_*, or one of these; where and what is in the fault of the flow. */
enum {
    BOUNDARY_SINGULAR_FIELD = 1000,              /* h_z has no inverse                     */
    BOUNDARY_NO_ALGEBRAIC,                       /* h(t,x,z) = 0 has no solution z nearby  */
    BOUNDARY_SINGULAR_STAGES,                    /* T has none                             */
    BOUNDARY_SINGULAR_ENDS,                      /* conditions do not determine a solution */
    BOUNDARY_DIVERGES,                           /* Newton's method                        */
    BOUNDARY_UNSOLVED,                           /* it ends, but an equation does not hold */
    BOUNDARY_NO_MEMORY = -1000                   /* for sparse factors                     */
};

/* collocation.c */
double stage_values(const keel_boundary *w, const mesh *s, const unknowns *u, int interval,
                    int stage, double *y);
/* X of all stages of an interval, [k][nx]; then y of one of them; its time is returned. */
void all_stages(const keel_boundary *w, const mesh *s, const unknowns *u, int interval, double *X);
double one_stage(const keel_boundary *w, const mesh *s, const unknowns *u, int interval, int stage,
                 const double *X, double *y);
int collocation_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r);
/* At s->u, where s->residual was computed: the intervals and the conditions, each by itself; and all
 * of them together. */
int collocation_linear(keel_boundary *w, mesh *s);
int collocation_factor(keel_boundary *w, mesh *s);
/* step = -(Jacobian)^-1 r with the factors that are there. */
void collocation_solve(keel_boundary *w, mesh *s, const unknowns *r, unknowns *step);
/* s->u += step, the last one: f at points with conditions goes with it, and is not evaluated again. */
void collocation_conclude(keel_boundary *w, mesh *s, const unknowns *step);

/* local.c; all return as eval_*. */
int local_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l);
int local_algebraic(keel_boundary *w, const local *l, double *z);               /* z := h_z^-1 z */
int local_follow(keel_boundary *w, const local *l, const double *dx, double *dz);   /* dz := C dx */
int local_motion(keel_boundary *w, const local *l, const double *dx, double *to); /* to := (A dx, C dx) */
/* f += f_x dx + f_z dz + f_p dp */
void local_move(keel_boundary *w, const local *l, const double *dx, const double *dz, const double *dp,
                double *f);
void local_push(const keel_boundary *w, const local *l, const double *z, double *f); /* f -= f_z z */
int local_add_rates(keel_boundary *w, const local *l, double factor, double *to);   /* to += factor A */

/* interval.c: C, h_z, ... of the stages of interval i, A as well, and T, are there, made anew if need be:
 * 0, or as eval_*.  They use the scratch of w. */
int interval_linear(keel_boundary *w, mesh *s, int i);
int interval_rates(keel_boundary *w, mesh *s, int i);
int interval_factor(keel_boundary *w, mesh *s, int i);
/* At the point u, into the place of interval i; f(X) - K of the stages in r, or NULL. */
int interval_linearise(keel_boundary *w, mesh *s, int i, const unknowns *u, const unknowns *r);
int interval_matrix(keel_boundary *w, mesh *s, int i);
/* D := T^-1 D, k nx rows of `columns` */
void interval_solve(keel_boundary *w, const mesh *s, int i, int columns, double *D);
/* How many numbers T takes, of so many rows. */
size_t interval_matrix_entries(int size);
static inline ptrdiff_t interval_place(const mesh *s, int i) { return i < s->kept ? i : s->kept; }
static inline local *stage_of(const mesh *s, int i, int c)
{
    if (s->mean.loaded) return (local *)&s->mean.local;
    return s->stage + interval_place(s, i) * s->table.k + c;
}

/* mean.c: numbers per interval, places for them, and the Schur form of a^-1: 0, or that has none. */
size_t mean_entries(const keel_boundary *w);
void mean_layout(arena *a, const keel_boundary *w, mesh *s);
int mean_begin(mesh *s);
/* From the stages of interval i, which the window has. */
int mean_keep(keel_boundary *w, mesh *s, int i);
/* The window has the mean of interval i, stage_of is that; A as well, if it is asked for. */
void mean_load(keel_boundary *w, mesh *s, int i, int with_rates);
/* With what is loaded: D := T^-1 D, and f := A dx. */
void mean_solve(keel_boundary *w, const mesh *s, int i, double *D);
void mean_rates(keel_boundary *w, const mesh *s, const double *dx, double *f);

/* direct.c: the same where g itself is collocated. */
int direct_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r);
/* After local_linear at a stage. */
int direct_gradient(keel_boundary *w, mesh *s, int interval, int stage, double t, const double *y);
int direct_linear(keel_boundary *w, mesh *s);
int direct_condense(keel_boundary *w, mesh *s, int interval);
void direct_reduce(keel_boundary *w, mesh *s, int interval, unknowns *r, unknowns *step);
void direct_expand(keel_boundary *w, mesh *s, int interval, const unknowns *r, unknowns *step);

/* conditions.c */
int conditions_value(keel_boundary *w, const mesh *s, const unknowns *u, double *value);
int conditions_linear(keel_boundary *w, mesh *s, const unknowns *u);
/* The derivative of condition i, one at both ends, by column j of b_y: a central difference with
 * `wide` times the usual increment. */
int conditions_difference(keel_boundary *w, const mesh *s, const unknowns *u, int i, int j,
                          double wide, double *derivative);
/* Row i in terms of v_0, v_N and p, added; and its right-hand side, r.end being h_z^-1 H. */
void conditions_row(const keel_boundary *w, const mesh *s, int i, double *va, double *vb, double *p);
void conditions_inner_row(const keel_boundary *w, const mesh *s, int i, double *v, double *p);
double conditions_right(const keel_boundary *w, const mesh *s, int i, const unknowns *r);
double conditions_inner_right(const keel_boundary *w, const mesh *s, int i, const unknowns *r);

/* blocks.c */
int blocks_factor(keel_boundary *w, mesh *s);
/* From r.x, r.end and r.condition to step.x and step.p. */
void blocks_solve(keel_boundary *w, mesh *s, const unknowns *r, unknowns *step);

/* equations.c: w->unsolved from s->residual, where that is of s->u but for a last correction. */
void equations_known(keel_boundary *w, mesh *s);
/* Do all hold at s->u?  0, or as the rest here; s->residual is used. */
int equations_hold(keel_boundary *w, mesh *s);

/* newton.c: from s->u on; if that is w->hasty, with w->unfinished left to newton_finish. */
int newton_solve(keel_boundary *w, mesh *s);
int newton_finish(keel_boundary *w, mesh *s);
/* Largest |step| in units of what is asked for; *worst: which unknown of the problem (n + i: the
 * parameter i), *t: where. */
double newton_norm(const keel_boundary *w, const mesh *s, const unknowns *step, int *worst,
                   double *t);

/* guess.c: s->u from the user's guess, or from the solution on another mesh. */
int guess_user(keel_boundary *w, mesh *s);
int guess_transfer(keel_boundary *w, mesh *s, const mesh *from);
int guess_recording(keel_boundary *w, keel_solution *guess, const double *p);
/* y at t, where the mesh has the solution. */
void mesh_value(const keel_boundary *w, const mesh *s, double t, double *y);

/* derivatives.c: are given derivatives right at the guess s->u (once), and at a solution the links
 * between levels?  A status. */
int derivatives_check(keel_boundary *w, mesh *s);
int derivatives_check_links(keel_boundary *w, const mesh *s);

/* points.c: z from h(t,x,z) = 0 with the factors l; fh = (f, .) there.  Returns as eval_*. */
int point_solve(keel_boundary *w, double t, double *y, const local *l, double *fh);
/* y and x' at both ends of all intervals. */
int points_fill(keel_boundary *w, mesh *s);
int is_break(const keel_boundary *w, double t);
static const double inside_break = 1e-10;        /* of an interval: breaks are looked at from there */

/* enrich.c: s->value and s->estimate from s->u. */
int enrich_mesh(keel_boundary *w, mesh *s);

/* estimate.c */
void filter_make(keel_boundary *w, const mesh *s, int i);
void filter_apply(const keel_boundary *w, double *d);
/* The error of the polynomial in interval i, x and z: largest in units of what is asked for. */
int estimate_local(keel_boundary *w, mesh *s, int i, const double *x, const double *rate,
                   double *error_x, double *error_z);
/* Adds what defects of all stages do to mesh values; these are in s->residual.K. */
int estimate_global(keel_boundary *w, mesh *s);
/* Adds how far mesh values in stiff intervals are from what stages say, whose x is in stage_x. */
void estimate_spikes(const keel_boundary *w, mesh *s);
static inline double *stage_x(const keel_boundary *w, const mesh *s, int i)
{
    return s->trial.K + (ptrdiff_t)i * s->table.k * w->flow.nx;
}

/* mesh.c: the next mesh, by errors of the last: s->estimate, or s->source. */
int mesh_next(keel_boundary *w, mesh **next, const mesh *s, const double *error, const table *a);
/* Equal intervals, as far as breaks and inner conditions allow. */
int mesh_first(keel_boundary *w, mesh **out, int N, const table *a);
/* Moves the points that are free to, so that no interval stays as wide as it was; how many. */
int mesh_shift(const keel_boundary *w, mesh *s, int attempt);
/* The largest estimate of all intervals. */
double mesh_error(const mesh *s);

/* solve.c */
int boundary_solve(keel_boundary *w);
/* Newton's method on one mesh, and its estimates; returns as eval_*, or a code from above. */
int solve_mesh(keel_boundary *w, mesh *s);
/* From mesh to mesh, the first of which is *s and has a solution; *s is then the last that has one, or
 * NULL.  A status. */
int refine(keel_boundary *w, mesh **s);

/* approach.c: a mesh with a solution where the guess led to none: 0, or why not. */
int approach_interval(keel_boundary *w, mesh **out);
int approach_parameter(keel_boundary *w, mesh **out);
/* failure.c: the status and the sentence for a code. */
int boundary_failure(keel_boundary *w, mesh *s, int rc);

/* conditioning.c: into the statistics; KEEL_ILL_CONDITIONED: below what is asked
 * for. */
int conditioning_check(keel_boundary *w, mesh *s);
/* The same after a failure, where s->u says nothing: corrections were nothing but rounding errors. */
int conditioning_hopeless(keel_boundary *w, mesh *s);

/* Responses at all mesh points, [N + 1] each, with the factors that are there. */
void conditioning_profile(keel_boundary *w, mesh *s, double *boundary, double *green);

/* result.c */
int result_make(keel_boundary *w, mesh *s);
/* The values of a mesh become the solution and its parameters. */
int result_record(keel_boundary *w, mesh *s);

/* store.c */
/* Everything a solution consists of: of *s, or of a new one.  On a tape that is loading. */
void mesh_tape(tape *t, keel_boundary *w, mesh **s);
/* Whole files of one kind, a word; `pass` lists what is in it.  A status, with a message. */
typedef void store_way(tape *t, void *object);
int store_save(message *m, const char *path, const char *kind, store_way *pass, void *object);
int store_load(message *m, const char *path, const char *kind, store_way *pass, void *object);

#endif
