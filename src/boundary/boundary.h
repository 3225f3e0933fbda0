/* boundary.h -- collocation on a mesh, as the files of this folder share it.
 *
 *   K_i = f(t_i, X_i, Z_i, p),  0 = h(t_i, X_i, Z_i, p),   X_i = x_(n-1) + h_n sum_j a_ij K_j
 *   x_n = x_(n-1) + h_n sum_j b_j K_j                      in every interval n = 1..N
 *   0 = h at both ends and where conditions are,  0 = b(y(from), y(to), p),  0 = c at one end
 */
#ifndef KEEL_BOUNDARY_INTERNAL_H
#define KEEL_BOUNDARY_INTERNAL_H

#include "boundary/flow.h"
#include "keel/boundary.h"

enum { STAGES_MOST = 8, NODES_MOST = STAGES_MOST + 3, SAMPLES = 2, PLACES_MOST = NODES_MOST + SAMPLES };

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
    double sample[SAMPLES];                  /* where the defect is looked at              */
    /* Integrals up to each node, then up to the samples, of the Lagrange polynomials of the stages
     * and of all rates; and these polynomials themselves at the same places. */
    double plain[PLACES_MOST][STAGES_MOST], plain_value[PLACES_MOST][STAGES_MOST];
    double full[PLACES_MOST][NODES_MOST], full_value[PLACES_MOST][NODES_MOST];
} table;

/* Leaves a table that is the wanted one; all zero: none. */
int table_make(table *a, int k, keel_points points);
/* weight[j] = integral from 0 to s of the Lagrange polynomial j of `count` nodes */
void table_integrals(int count, const double *node, double s, double *weight);

/* One value for each unknown of the mesh, or for each equation: */
typedef struct unknowns {
    double *x;                   /* [N + 1][nx] x_n;             from 1 on: continuity     */
    double *K;                   /* [N][k][nx]  derivatives;     f - K                     */
    double *z;                   /* [N][k][m]   of the stages;   h                         */
    double *end;                 /* [points][m] z at the points; h there                   */
    double *push;                /* [N + 1][m] multipliers of projections; g there.  None  */
                                 /* unless mesh points are projected                       */
    double *p;                   /* [np]                                                   */
    double *condition;           /* [rows]                       conditions                */
} unknowns;

/* h_z factored, and what eliminates dz = -h_z^-1 H - C dx - C_p dp, C = h_z^-1 h_x. */
typedef struct local {
    double *h_z, *f_z, *C, *C_p; /* [m m], [nx m], [m nx], [m np]                          */
    double *A, *A_p;             /* [nx nx] f_x - f_z C; [nx np] f_p - f_z C_p             */
    int *pivot;                  /* [m]                                                    */
} local;

/* A place with z of its own: both ends, then the inner conditions. */
typedef struct point {
    int at;                      /* mesh point                                             */
    local local;
} point;

typedef struct mesh {
    int N;
    table table;
    void *block;                 /* all below, owned                                       */
    size_t count;                /* of numbers in an unknowns                              */
    double *t;                   /* [N + 1]                                                */
    unknowns u, step, trial, next, residual, spare;
    local *stage;                /* [N k]                                                  */
    double *T, *V, *W, *F, *P;   /* per interval: T [k nx k nx] factored, V = dX/dx, W = dX/dp; */
    int *T_pivot;                /* dx_n = F dx_(n-1) + P dp + r                           */
    point *point;                /* [2 + inner]                                            */
    double *G, *G_push;          /* g_x, g_p at stages, [N k][m][nx + np], and mesh points: */
    local *push;                 /* where g itself is collocated, see direct.c             */
    double **row;                /* [N] stacked rows, see blocks.c                         */
    int *row_pivot;              /* [N nx]                                                 */
    int *rows;                   /* [N] how many                                           */
    double *dense;               /* end system                                             */
    int *dense_pivot;
    double *dense_scale;
    double *b_y;                 /* [conditions][2 m + 2 nx + np]: conditions, see conditions.c */
    double *right;               /* [N][stacked rows] right-hand sides                     */
    double *value;               /* [N][nodes][n] the solution between mesh points         */
    double *edge_y, *edge_f;     /* [N][2][n], [N][2][nx] y and x' at both ends of intervals */
    double *estimate;            /* [N] of the error, in units of what is asked for        */
    char *plain;                 /* [N] the collocation polynomial was better, or nothing  */
                                 /* else was tried                                         */
    int resolved;                /* all intervals have been estimated in full              */
    double error_x, error_y, error_global;
} mesh;

/* One interval on its way from stages to the solution between mesh points. */
typedef struct interval {
    double *plain, *full;        /* [places][nx] x of the stages' polynomial, enriched     */
    double *rate, *plain_rate;   /* [places][nx] its derivative                            */
    double *z;                   /* [places][m]                                            */
    double *before;              /* [nodes][nx] x1                                         */
    double *square, *near, *far; /* [nx nx] the filter                                     */
    int *near_pivot, *far_pivot;
    int filtered;
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
    int rows;                    /* conditions at the ends, those of the library as well   */
    double from, to;             /* of the interval that is solved; `to` moves             */
    double *rtol, *atol;         /* [n]                                                    */
    double *inner_at, *break_at;
    char **names;                /* [conditions + inner] owned, or NULL                    */
    double *p;                   /* [np]                                                   */
    table table;                 /* of the last mesh                                       */
    mesh *mesh;                  /* the solution, or the best so far                       */
    double *p_guess;
    double *y, *y2, *fh, *J, *J_p, *work;        /* scratch                                */
    double *project;             /* [hidden + hidden (nx + np) + hidden^2]                 */
    int *project_pivot;
    local local;                 /* scratch                                                */
    interval interval;
    double tolerance;            /* the smallest asked for                                 */
    double rounding;             /* size of corrections where they shrink no more, or 0    */
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

static inline int mesh_points(const keel_boundary *w) { return 2 + w->spec.inner; }
static inline double error_weight(const keel_boundary *w, int i, double y)
{
    double size = w->atol[i] + w->rtol[i] * (y < 0 ? -y : y);
    return size > 0 ? 1 / size : 0;
}

/* mesh_store.c: N intervals, of which t is to be filled in, then mesh_bind. */
void local_layout(arena *a, const keel_boundary *w, local *l);
int mesh_create(keel_boundary *w, mesh **out, int N, const table *a);
void mesh_bind(keel_boundary *w, mesh *s);
void mesh_free(mesh *s);

/* What follows returns as eval_*, or one of these; where and what is in the fault of the flow. */
enum {
    BOUNDARY_SINGULAR_FIELD = 1000,              /* h_z has no inverse                     */
    BOUNDARY_SINGULAR_STAGES,                    /* T has none                             */
    BOUNDARY_SINGULAR_ENDS,                      /* conditions do not determine a solution */
    BOUNDARY_DIVERGES                            /* Newton's method                        */
};

/* collocation.c */
double stage_values(const keel_boundary *w, const mesh *s, const unknowns *u, int interval,
                    int stage, double *y);
int collocation_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r);
/* At s->u, where s->residual was computed: the intervals and the conditions, each by itself; and all
 * of them together. */
int collocation_linear(keel_boundary *w, mesh *s);
int collocation_factor(keel_boundary *w, mesh *s);
/* step = -(Jacobian)^-1 r with the factors that are there. */
void collocation_solve(keel_boundary *w, mesh *s, const unknowns *r, unknowns *step);
int local_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l);

/* direct.c: the same where g itself is collocated. */
int direct_residual(keel_boundary *w, mesh *s, const unknowns *u, unknowns *r);
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

/* newton.c: from s->u on. */
int newton_solve(keel_boundary *w, mesh *s);
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

/* enrich.c: s->value and s->estimate from s->u. */
int enrich_mesh(keel_boundary *w, mesh *s);

/* estimate.c */
void filter_make(keel_boundary *w, const mesh *s, int i);
void filter_apply(const keel_boundary *w, double *d);
/* The error of the polynomial in interval i, x and z: largest in units of what is asked for. */
int estimate_local(keel_boundary *w, mesh *s, int i, const double *x, const double *rate,
                   double *error_x, double *error_z);
/* Adds what defects of all stages do to mesh values; these are in s->residual.K. */
void estimate_global(keel_boundary *w, mesh *s);

/* mesh.c: the next mesh, by the estimate of the last. */
int mesh_next(keel_boundary *w, mesh **next, const mesh *s, const table *a);
/* Equal intervals, as far as breaks and inner conditions allow. */
int mesh_first(keel_boundary *w, mesh **out, int N, const table *a);
/* The largest estimate of all intervals. */
double mesh_error(const mesh *s);

/* solve.c */
int boundary_solve(keel_boundary *w);
/* failure.c: the status and the sentence for a code. */
int boundary_failure(keel_boundary *w, mesh *s, int rc);

/* conditioning.c: into the statistics; KEEL_NOT_CONVERGED: below what is asked for. */
int conditioning_check(keel_boundary *w, mesh *s);
/* The same after a failure, where s->u says nothing: corrections were nothing but rounding errors. */
int conditioning_hopeless(keel_boundary *w, mesh *s);

/* Responses at all mesh points, [N + 1] each, with the factors that are there. */
void conditioning_profile(keel_boundary *w, mesh *s, double *boundary, double *green);

/* result.c */
int result_make(keel_boundary *w, mesh *s);

#endif
