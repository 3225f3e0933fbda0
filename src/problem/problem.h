/* problem.h -- a problem as the integrators see it.
 *
 * Whatever its form, a problem is  0 = r(t,y,y') := f(t,y) - M(t,y) y'  (or r = -F(t,y,y')) with
 * the matrices M = -r_y' and J = r_y, an index for each unknown, and constraint levels: g, its
 * derivatives along the solution, the last of which determines the algebraic unknowns z, and
 * further rows that the user attached.  All user callbacks are called from this folder, through an
 * evaluator, which counts, checks for non-finite values and remembers what failed.
 */
#ifndef KEEL_PROBLEM_INTERNAL_H
#define KEEL_PROBLEM_INTERNAL_H

#include "core/arena.h"
#include "core/message.h"
#include "core/norm.h"
#include "keel/event.h"
#include "linear/engine.h"
#include "linear/linear.h"

typedef union form_spec {
    keel_ode_spec ode;
    keel_semi_explicit_spec semi_explicit;
    keel_hessenberg2_spec hessenberg2;
    keel_hessenberg3_spec hessenberg3;
    keel_mechanical_spec mechanical;
    keel_quasilinear_spec quasilinear;
    keel_implicit_spec implicit;
    keel_proper_spec proper;
    keel_levelled_spec levelled;
} form_spec;

/* The unknowns that a level moves: a run of them, or a list.  The algebraic unknowns, which come
 * last, belong to the last level. */
typedef struct constraint_level {
    int first, count;
    const int *moves;            /* [count], or NULL: first, first + 1, ...                */
    const int *lead;             /* [count] levelled: the row of f_z that moves each       */
} constraint_level;

static inline int level_unknown(const constraint_level *l, int i)
{
    return l->moves ? l->moves[i] : l->first + i;
}

typedef struct form_ops form_ops;
struct claim;

struct keel_problem {
    keel_form form;
    const form_ops *ops;         /* what the form is                                       */
    int n;                       /* unknowns                                               */
    int group[3];                /* sizes of (y), (y,z), (u,v,l), (q,v,l), (x,u)           */
    int groups;
    int constraints;             /* m, rows of g; the last m unknowns are algebraic        */
    int levels;                  /* g and its derivatives: 0 without g                     */
    constraint_level level[KEEL_LEVELS_MOST];
    int *links;                  /* levelled: chain [m], next [y], moves and leads; owned  */
    int lag;                     /* levelled: what stages solve, h_lag; -1: the solver's choice */
    keel_attached attached;      /* copied, without names                                  */
    int *kept;                   /* [attached rows] owned, or NULL                         */
    char **row_names;            /* [m + attached rows] owned                              */
    int index;                   /* highest index                                          */
    int *variable_index;         /* [n] 1, 2 or 3 (1 for unknowns of an ODE as well)       */
    keel_pattern pattern;        /* of J and M together, owned                             */
    int unformed;                /* matrices are an engine's, however many unknowns        */
    keel_pattern mass_pattern, jacobian_pattern, force_pattern; /* of a sparse mechanical problem,  */
                                 /* owned; without column_start: M = I, and f_q, f_v anywhere       */
    unsigned given;              /* mechanical: parts that callbacks give (KEEL_MASS, ...) */
    int mass_entries, jacobian_entries;  /* ... of the arrays of M (sparse, without one: none) and G */
    char **names;                /* [n] owned                                              */
    form_spec spec;
    void *context;               /* of the spec: the user's, or the frame                  */
    int held, free;              /* how many first unknowns a consistent start leaves, and */
                                 /* last ones it moves first, unless marks say otherwise   */
    const keel_problem *original;           /* of which this is a formulation, or NULL     */
    struct formulation *formulation;        /* how (formulation.h), owned, or NULL         */
    keel_frame frame;            /* where solvers begin; `context` points to it if there is one */
    struct frame_names *frame_names;        /* owned, or NULL                              */
    struct switching *switching; /* events (event/switching.h), owned, or NULL             */
    message message;
};

/* frame.c: the problem's frame, from which callbacks are evaluated where there is no solver. */
int frame_create(keel_problem *p, const keel_frame_spec *spec);
void frame_free(keel_problem *p);
/* What its callbacks then get as context; NULL: there is no frame. */
void *frame_context(const keel_problem *p);
/* event/switching.c: what a problem made by keel_switching owns. */
void switching_free(keel_problem *p);

/* Rows of a level; level `levels` are the attached rows. */
static inline int level_rows(const keel_problem *p, int k)
{
    return k < p->levels ? p->constraints : p->attached.rows;
}

/* Why the last callback failed. */
typedef struct fault {
    const char *callback;        /* "rhs", "constraint", ...                               */
    int code;                    /* what it returned; 0: the value was not finite;         */
                                 /* FAULT_STRAY: an entry outside the declared pattern;     */
                                 /* FAULT_SINGULAR_MASS: where its inverse is needed;       */
                                 /* FAULT_MULTIPLIERS: a formulation cannot eliminate them;  */
                                 /* FAULT_NO_MEMORY: for the factors of a sparse matrix     */
    int component, column;       /* the guilty entry                                       */
    char kept[44];               /* the name after a checkpoint was read                   */
    double t;
    int told;                    /* by a rank: the reducer has the text                    */
} fault;

enum { FAULT_STRAY = -1000000, FAULT_SINGULAR_MASS = 1000000, FAULT_MULTIPLIERS, FAULT_NO_MEMORY };

/* An M that varies: zero outside the list of its nonzeros, or everywhere, their values being in the list. */
enum { MASS_SHOWN = 1, MASS_TAKEN };

typedef struct evaluator {
    const keel_problem *problem;
    void *context;               /* what callbacks get: the user's, or the scratch of a    */
                                 /* formulation (formulation.h), one per evaluator         */
    keel_stats *stats;
    keel_engine *engine;         /* of vectors that are spread over ranks, and their reducer;     */
    reducer *reducer;            /* NULL: they are whole, and the matrices are ours        */
    fault fault;
    double time_scale;           /* times over which the solution changes, for differences: */
                                 /* the step size, but not a tiny one before a stop time    */
    int limited;                 /* callbacks must not see times beyond t_limit,           */
    double t_limit, limit_direction;                /* which lies in this direction (+-1)  */
    double accuracy;             /* smallest tolerance asked for; 0: rounding              */
    linear_package package;      /* who factors the matrices of implicit stages, if sparse */
    int differences;             /* ignore the user's Jacobians                            */
    int backward;                /* one-sided differences of J go the other way            */
    int central;                 /* ... are of second order: something is decided by them  */
    int settles;                 /* differences find the sizes below: at the start         */
    int counting;                /* what a right-hand side counts as: see below            */
    int asked;                   /* for a question: what is found out is not kept          */
    keel_matrix mass;            /* M(t,y), quasilinear; constant ones are filled once;    */
                                 /* scratch for F_y, implicit, (A w + b)_x, proper, and J  */
                                 /* where a level needs it                                 */
    double *level_point;         /* [1 + N]: (t, y) where g_y of a sparse problem in `mass` was */
    int levels_kept, level_known;                /* evaluated; kept while y stays: see below */
    int mass_known;
    int mass_whole;              /* products of a constant one by all its columns          */
    int mass_zero;               /* of one that varies: MASS_SHOWN, MASS_TAKEN, or 0: unknown */
    int mass_count;              /* nonzeros of M in the order of its columns, of one that */
                                 /* varies those seen since the start: where, row, column, */
    int *mass_at, *mass_row, *mass_column;       /* [storage of M; sparse ones that vary have none] */
    double *mass_value;          /* and value                                              */
    double *mass_columns;        /* [n n] of a small constant one                          */
    unsigned char *mass_listed;  /* [storage of M] is it in the list?                      */
    double *typical;             /* [2 n] sizes of y and y' for increments (difference.h); 0, or NULL with */
                                 /* an engine: 1                                           */
    double *settling;            /* [2 n + 2 m] scratch for that                           */
    double *work[10];            /* [n + m] each; 0..5 for values, 6..9 for matrices       */
    double *constraint_jacobian; /* [m n] row-major, or nonzeros; d_x, proper              */
    double *square;              /* [n n], or nonzeros: mechanical scratch; A, proper      */
    int *pivot;                  /* [n] of the factored mass matrix                        */
    saddle *mass_solver;         /* ... of a sparse mechanical problem, owned              */
    double *force_jacobian;      /* [nonzeros] f_q, then f_v, of a sparse mechanical one   */
    int forceless;               /* residuals of mechanical problems are -(M a + G^T l), as far as */
                                 /* that varies with q, without force and constraint               */
    struct derived *derived;     /* mechanical: derivatives not given (derived.h), or NULL */
    struct evaluator *original;  /* of the problem this one is a formulation of, or NULL   */
    double *original_y;          /* [n of the original] scratch                            */
    int lag;                     /* levelled: stages solve h_lag; see eval_set_lag         */
    int *variable_index;         /* [n] which depends on the lag                           */
    double *attached_start;      /* [attached rows] values to be kept                      */
    double *deviation;           /* [3 rows] h less these: where last measured, largest and */
                                 /* first of accepted points; none yet: largest < 0        */
    const struct dependence *dependence;         /* of the constraints of the solver's     */
                                 /* problem (dependence.h), or NULL: there is none         */
    const struct gauge *gauge;   /* the same of other forms (gauge.h), or NULL             */
    double *found, *kept;        /* [m of the original] its multipliers as last eliminated, */
                                 /* where the next search starts, and of the accepted point */
} evaluator;

enum { COUNT_RHS, COUNT_FOR_JACOBIAN };
/* Of J: where columns disagree with all unknowns moved by a quarter; always, by differences of second order.
 * The others, which are of second order anyway: always. */
enum { SETTLE_NEVER, SETTLE_DOUBTED, SETTLE_ALWAYS };

/* Groups of columns that share no row: one difference serves a whole group [Curtis, Powell &
 * Reid, J. Inst. Maths Applics 13 (1974)]. */
typedef struct coloring {
    int count;
    int *color;                  /* [n]                                                    */
    int *row_start, *row_column; /* the pattern by rows, for building                      */
    int *taken;                  /* [n]                                                    */
} coloring;

/* What a form is.  Codes of the functions are those of eval_*. */
struct form_ops {
    const char *name, *letter[3], *size_name[3];
    unsigned traits;
    int (*residual)(evaluator *e, double t, const double *y, const double *yp, double *r);
    /* r_y; 2: the user gave none. */
    int (*jacobian)(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J);
    /* -r_y'; NULL: the diagonal (1, ..., 1, 0, ..., 0) with m zeros. */
    int (*mass)(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                keel_matrix *M);
    int (*level)(evaluator *e, int level, double t, const double *y, double *value);
    /* y' of the unknowns that are not algebraic. */
    int (*rate)(evaluator *e, double t, const double *y, double *f);
    /* The derivatives that the user gave (claims.h); returns how many. */
    int (*claims)(const keel_problem *p, struct claim *list);
};

enum {
    FORM_STATE_SPACE = 1,        /* x' follows from x: explicit methods can advance it     */
    FORM_HALF_EXPLICIT = 2,      /* multipliers act on x' and the constraint holds for x   */
    FORM_ALGEBRAIC_KNOWN = 4,    /* which unknowns are algebraic is part of the form       */
    FORM_ACCELERATIONS = 8,      /* M q'' = ...: mechanical                                */
    FORM_INDEX2 = 16             /* y' = f(t,y,z), 0 = g(t,y)                              */
};
static inline int form_has(const keel_problem *p, unsigned trait)
{
    return (p->ops->traits & trait) != 0;
}

/* What it is a formulation of, however often it was formulated anew. */
static inline const keel_problem *problem_root(const keel_problem *p)
{
    while (p->original) p = p->original;
    return p;
}

extern const form_ops ode_form, semi_explicit_form, hessenberg2_form, hessenberg3_form,
    mechanical_form, quasilinear_form, implicit_form, proper_form, levelled_form;

/* An evaluator must stay where it was laid out. */
void evaluator_layout(arena *a, evaluator *e, const keel_problem *problem);
/* What sparse problems need beside their arena: 0 or a status of linear_create. */
int evaluator_create(evaluator *e);
void evaluator_release(evaluator *e);
/* Forgets faults, limits and values kept from earlier evaluations. */
void evaluator_reset(evaluator *e);
/* Differences find typical sizes of all unknowns anew, until that is ended; those found stay. */
void evaluator_settle(evaluator *e, int begin);
/* Of a formulation that eliminates multipliers.  keep: the point last evaluated is accepted.
 * recall: the next search starts from the multipliers kept, whatever was evaluated since. */
void evaluator_keep(evaluator *e);
void evaluator_recall(evaluator *e);
/* The evaluator of the original of a formulation, with the settings of e. */
evaluator *eval_original(evaluator *e);
/* Settings of the time loop, and where statistics go, for the evaluator of another formulation. */
void evaluator_share(const evaluator *e, evaluator *other);

/* No memory for the factors of a sparse matrix: e->fault says so; -1, which is "stop". */
static inline int eval_no_memory(evaluator *e, double t)
{
    e->fault = (fault){.callback = "matrix", .code = FAULT_NO_MEMORY, .t = t};
    return -1;
}

/* s_j of y_j, or of y'_(j-n). */
static inline double eval_typical(const evaluator *e, int j)
{
    return e->typical && e->typical[j] > 0 ? e->typical[j] : 1;
}

/* For differences in the unknowns from j on: their sizes, and the scratch to find them. */
static inline double *eval_sizes(const evaluator *e, int j) { return e->typical ? e->typical + j : NULL; }
static inline double *eval_settling(const evaluator *e) { return e->settles ? e->settling : NULL; }

/* All eval_* return 0, > 0 (cannot evaluate here) or < 0 (stop), with e->fault set. */

/* What eval_check does when not all is well, or with many values. */
int eval_inspect(evaluator *e, const char *callback, double t, int code, int size, double *x);

/* Checks what a callback returned and the `size` values it gave; where vectors are spread over ranks
 * those become NaN, the answer is 0, and eval_outcome tells all ranks after the next message. */
static inline int eval_check(evaluator *e, const char *callback, double t, int code, int size,
                             double *x)
{
    enum { FEW = 8 };                            /* inline: callbacks of small problems are cheap */
    if (code == 0 && size <= FEW && all_finite(size, x)) return 0;
    return eval_inspect(e, callback, t, code, size, x);
}
/* ranks.c: what has failed on any rank, by the last message of e->reducer: a code, with e->fault. */
int eval_outcome(evaluator *e);
/* The same for a code of the engine's own; of that of this machine it is the code. */
int eval_engine(evaluator *e, const char *function, double t, int code);
/* The name of an unknown in messages, */
void eval_variable(const evaluator *e, int variable, char *text, int size);
/* and that of the unknown with the largest share on any rank (variable -1: of none on this one). */
void ranks_variable(evaluator *e, int variable, double share, char *text, int size);
/* The same for a matrix, and that nothing was written outside its pattern. */
int eval_check_matrix(evaluator *e, const char *callback, double t, int code, keel_matrix *a);
/* r = f(t,y) - M(t,y) y', or -F(t,y,y'); counts one right-hand side. */
int eval_residual(evaluator *e, double t, const double *y, const double *yp, double *r);
/* y += alpha M x for a constant M of a quasilinear problem that is known (e->mass_known). */
void eval_mass_add(const evaluator *e, double alpha, const double *x, double *y);
/* Fills e->mass with M(t,y) of a quasilinear problem unless it is constant and known. */
int eval_quasilinear_mass(evaluator *e, double t, const double *y);

void coloring_layout(arena *a, coloring *c, const keel_problem *problem);
void coloring_build(coloring *c, const keel_problem *problem);
/* The same for any sparse pattern. */
void coloring_layout_sparse(arena *a, coloring *c, const keel_pattern *pattern, int rows,
                            int columns);
void coloring_build_sparse(coloring *c, const keel_pattern *pattern, int rows, int columns);

/* Are constraint Jacobians too large for dense arrays?  Then saddle matrices have its pattern.
 * Mechanical problems have patterns of their own for that. */
int problem_is_sparse(const keel_problem *problem);
/* That of its pattern, as far as this build can factor it. */
keel_storage problem_storage(const keel_problem *problem);
/* An n x n matrix of the problem's pattern. */
void problem_matrix_layout(arena *a, keel_matrix *m, const keel_problem *problem);

/* J = r_y at fixed y', from the user or by differences. */
int eval_jacobian(evaluator *e, const coloring *colors, double t, const double *y,
                  const double *yp, keel_matrix *J);
/* M = -r_y'; not needed where problem_mass_diagonal fills a diagonal. */
int eval_mass(evaluator *e, const coloring *colors, double t, const double *y, const double *yp,
              keel_matrix *M);
/* 1 and the diagonal of M if M is a constant 0/1 diagonal, else 0. */
int problem_mass_diagonal(const keel_problem *problem, double *diagonal);
int problem_mass_constant(const keel_problem *problem);
/* Of ODEs, semi-explicit and quasilinear problems: is r_y given? */
int problem_gives_jacobian(const keel_problem *problem);

/* ---- mechanical problems --------------------------------------------------------------- */

/* Are M and G given as nonzeros?  products.h works with both. */
static inline int mechanical_is_sparse(const keel_problem *p)
{
    return p->ops == &mechanical_form && p->pattern.storage == KEEL_SPARSE;
}
/* Fills in what the problem knows of them: `given` and the numbers of entries. */
void mechanical_count(keel_problem *problem);
/* The matrix [M G^T; G 0] of a sparse problem, or with no G: M. */
int mechanical_saddle(saddle **out, const keel_problem *problem, int with_constraints);

/* Fills in the wanted parts, by differences where the user did not give them.  A call that wants
 * the force counts as a right-hand side, others as evaluations of the constraint. */
int eval_mechanical(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts);
/* K = d/dq (f - G^T l - M a) and D = f_v, n x n; dense problems. */
int eval_stiffness(evaluator *e, double t, const double *q, const double *v, const double *a,
                   const double *l, double *K, double *D);

/* y' = (v, M^-1 (f - G^T l), 0) */
int eval_mechanical_rate(evaluator *e, double t, const double *y, double *yp);
/* Are all these parts given, not differences? */
static inline int mechanical_gives(const keel_problem *p, unsigned parts)
{
    return (p->given & parts) == parts;
}

/* As eval_level below. */
int eval_mechanical_level(evaluator *e, int level, double t, const double *y, double *value);

/* ---- properly stated leading terms ------------------------------------------------------- */

/* A (size x leading), d, d_x (leading x size, by differences where not given), and d_t, always by
 * differences. */
int eval_leading_matrix(evaluator *e, double t, const double *x, double *A);
int eval_leading_term(evaluator *e, double t, const double *x, double *d);
int eval_leading_jacobian(evaluator *e, double t, const double *x, double *D);
int eval_leading_time(evaluator *e, double t, const double *x, double *d_t);
int eval_rest(evaluator *e, double t, const double *x, double *b);
/* ---- constraint levels ------------------------------------------------------------------ */

/* g(t,y), then d/dt g along the solution, ..., each m values, those of rows whose chain is shorter
 * 0; last the attached rows. */
int eval_level(evaluator *e, int level, double t, const double *y, double *value);
/* From now on g_y of a sparse Hessenberg problem of index 2 is evaluated once for all z at a point, until
 * that is ended: callbacks may change what they compute between steps. */
void eval_keep_levels(evaluator *e, int keep);
/* G = g_y or g_u, m x (group 0), row-major. */
int eval_constraint_jacobian(evaluator *e, double t, const double *y, double *G);
/* g_t */
int eval_constraint_time(evaluator *e, double t, const double *y, double *g_t);
/* y' of the differential unknowns, [n]; counts one right-hand side.  Not for forms without it. */
int eval_rate(evaluator *e, double t, const double *y, double *f);
/* Level 1 where f, as of eval_rate, is known: Hessenberg 2 does not evaluate it again. */
int eval_velocity(evaluator *e, double t, const double *y, const double *f, double *w);
/* That of the unknowns which g depends on: f(t,u,v) of Hessenberg 3, else as above. */
int eval_position_rate(evaluator *e, double t, const double *y, double *f);
/* G by central differences of g, whatever the user gave. */
int eval_difference_jacobian(evaluator *e, double t, const double *y, double *G);
/* Projection directions at (t,y), by differences.  Hessenberg 2: D0 = f_z.  Hessenberg 3: D1 = k_l
 * for v, and D0 = f_v k_l for u.  Row-major, (group size) x m. */
int eval_directions(evaluator *e, double t, const double *y, double *D0, double *D1);
/* B = g_u f_v, m x (group 1), row-major: the velocity level differentiated in v, from G = g_u and
 * differences of f; index 3. */
int eval_velocity_jacobian(evaluator *e, double t, const double *y, const double *G, double *B);

/* ---- levelled ------------------------------------------------------------------------------ */

/* Which h_k the stages solve, and the index of each unknown with it. */
void eval_set_lag(evaluator *e, int lag);
/* [f_z; g_z] at (t,y), n x m, row-major. */
int eval_levelled_directions(evaluator *e, double t, const double *y, double *FS);
/* A = (h_k)_x, m x count, for the unknowns x that the level moves. */
int eval_level_gradient(evaluator *e, int level, double t, const double *y, double *A);
int eval_levelled_gradient(evaluator *e, int level, double t, const double *y, double *A);
/* Is the row of g one of index 1, without hidden constraints? */
int problem_is_algebraic(const keel_problem *problem, int row);
/* The longest chain. */
int levelled_depth(const keel_problem *problem);

/* ---- attached rows ------------------------------------------------------------------------- */

/* Their Jacobian, rows x n, given or by differences. */
int eval_attached_jacobian(evaluator *e, double t, const double *y, double *H);
/* The rows at (t,y), less what they keep. */
int attached_level(evaluator *e, double t, const double *y, double *h);
/* From here on rows that are kept have the values that they have at (t,y). */
int eval_attached_begin(evaluator *e, double t, const double *y);

/* What was measured at (t,y) is that of an accepted point, of the original's rows. */
void eval_deviation_keep(evaluator *e);
/* Of row i; KEEL_OK, or KEEL_BAD_ARGUMENT: there is no such row, or no point yet. */
int eval_deviation(const evaluator *e, int row, keel_invariant *found);

/* The status of what kept callbacks from being evaluated. */
int fault_status(const evaluator *e);
/* A phrase like "rhs returned 3" or "rhs[2] (velocity) is not finite", for messages. */
void fault_text(const evaluator *e, char *text, int size);

#endif
