/* problem.h -- a problem as the integrators see it.
 *
 * Whatever its form, a problem is  0 = r(t,y,y') := f(t,y) - M(t,y) y'  (or r = -F(t,y,y')) with
 * the matrices M = -r_y' and J = r_y, an index for each unknown, and up to three constraint
 * levels.  All user callbacks are called from this folder, through an evaluator, which counts,
 * checks for non-finite values and remembers what failed.
 */
#ifndef KEEL_PROBLEM_INTERNAL_H
#define KEEL_PROBLEM_INTERNAL_H

#include "core/arena.h"
#include "core/message.h"
#include "keel/solver.h"
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
} form_spec;

struct keel_problem {
    keel_form form;
    int n;                       /* unknowns                                               */
    int group[3];                /* sizes of (y), (y,z), (u,v,l), (q,v,l), (x,u)           */
    int groups;
    int constraints;             /* m, rows of g                                           */
    int levels;                  /* constraint levels that exist                           */
    int index;                   /* highest index                                          */
    int *variable_index;         /* [n] 1, 2 or 3 (1 for unknowns of an ODE as well)       */
    keel_pattern pattern;        /* of J and M together, owned                             */
    char **names;                /* [n] owned                                              */
    form_spec spec;
    void *context;               /* of the spec: the user's                                */
    int held, free;              /* how many first unknowns a consistent start leaves, and */
                                 /* last ones it moves first, unless marks say otherwise   */
    const keel_problem *original;           /* of which this is a formulation, or NULL     */
    struct formulation *formulation;        /* how (formulation.h), owned, or NULL         */
    message message;
};

/* Why the last callback failed. */
typedef struct fault {
    const char *callback;        /* "rhs", "constraint", ...                               */
    int code;                    /* what it returned; 0: the value was not finite;         */
                                 /* FAULT_STRAY: an entry outside the declared pattern;     */
                                 /* FAULT_SINGULAR_MASS: where its inverse is needed;       */
                                 /* FAULT_MULTIPLIERS: a formulation cannot eliminate them  */
    int component, column;       /* the guilty entry                                       */
    double t;
} fault;

enum { FAULT_STRAY = -1000000, FAULT_SINGULAR_MASS = 1000000, FAULT_MULTIPLIERS };

typedef struct evaluator {
    const keel_problem *problem;
    void *context;               /* what callbacks get: the user's, or the scratch of a    */
                                 /* formulation (formulation.h), one per evaluator         */
    keel_stats *stats;
    fault fault;
    double time_scale;           /* times over which the solution changes, for differences: */
                                 /* the step size, but not a tiny one before a stop time    */
    int limited;                 /* callbacks must not see times beyond t_limit,           */
    double t_limit, limit_direction;                /* which lies in this direction (+-1)  */
    int differences;             /* ignore the user's Jacobians                            */
    int counting;                /* what a right-hand side counts as: see below            */
    keel_matrix mass;            /* M(t,y), quasilinear; constant ones are filled once;    */
                                 /* scratch for F_y, implicit, and (A w + b)_x, proper     */
    int mass_known;
    int mass_count;              /* nonzeros of a constant M: row, column, value each     */
    int *mass_row, *mass_column; /* [storage of M]                                        */
    double *mass_value;
    double *work[10];            /* [n + m] each; 0..5 for values, 6..9 for matrices       */
    double *constraint_jacobian; /* [m n] row-major; d_x, proper                           */
    double *square;              /* [n n] mechanical scratch; A, proper                    */
    int *pivot;                  /* [n] of the factored mass matrix                        */
    struct evaluator *original;  /* of the problem this one is a formulation of, or NULL   */
    double *original_y;          /* [n of the original] scratch                            */
} evaluator;

enum { COUNT_RHS, COUNT_FOR_JACOBIAN };

/* An evaluator must stay where it was laid out. */
void evaluator_layout(arena *a, evaluator *e, const keel_problem *problem);
/* Forgets faults, limits and values kept from earlier evaluations. */
void evaluator_reset(evaluator *e);
/* The evaluator of the original of a formulation, with the settings of e. */
evaluator *eval_original(evaluator *e);

/* All eval_* return 0, > 0 (cannot evaluate here) or < 0 (stop), with e->fault set. */

/* What eval_check does when not all is well, or with many values. */
int eval_inspect(evaluator *e, const char *callback, double t, int code, int size, const double *x);

/* Checks what a callback returned and the `size` values it gave. */
static inline int eval_check(evaluator *e, const char *callback, double t, int code, int size,
                             const double *x)
{
    enum { FEW = 8 };                            /* inline: callbacks of small problems are cheap */
    double poison = 0;                           /* 0 * x is 0 for finite x and NaN otherwise */
    if (code != 0 || size > FEW) return eval_inspect(e, callback, t, code, size, x);
    for (int i = 0; i < size; i++) poison += 0 * x[i];
    return poison == 0 ? 0 : eval_inspect(e, callback, t, code, size, x);
}
/* The same for a matrix, and that nothing was written outside its pattern. */
int eval_check_matrix(evaluator *e, const char *callback, double t, int code, keel_matrix *a);
/* r = f(t,y) - M(t,y) y', or -F(t,y,y'); counts one right-hand side. */
int eval_residual(evaluator *e, double t, const double *y, const double *yp, double *r);
/* Fills e->mass with M(t,y) of a quasilinear problem unless it is constant and known. */
int eval_quasilinear_mass(evaluator *e, double t, const double *y);

/* Groups of columns that share no row: one difference serves a whole group [Curtis, Powell &
 * Reid, J. Inst. Maths Applics 13 (1974)]. */
typedef struct coloring {
    int count;
    int *color;                  /* [n]                                                    */
    int *row_start, *row_column; /* the pattern by rows, for building                      */
    int *taken;                  /* [n]                                                    */
} coloring;
void coloring_layout(arena *a, coloring *c, const keel_problem *problem);
void coloring_build(coloring *c, const keel_problem *problem);

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
/* Is M more than a 0/1 diagonal? */
int problem_mass_is_matrix(const keel_problem *problem);
/* Does the form say which unknowns are algebraic? */
int problem_separates_algebraic(const keel_problem *problem);

/* ---- mechanical problems --------------------------------------------------------------- */

/* Fills in the wanted parts, by differences where the user did not give them.  A call that wants
 * the force counts as a right-hand side, others as evaluations of the constraint. */
int eval_mechanical(evaluator *e, double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts);
/* K = d/dq (f - G^T l - M a) and D = f_v, n x n. */
int eval_stiffness(evaluator *e, double t, const double *q, const double *v, const double *a,
                   const double *l, double *K, double *D);

/* y' = (v, M^-1 (f - G^T l), 0) */
int eval_mechanical_rate(evaluator *e, double t, const double *y, double *yp);
/* Are all these parts given, not differences? */
int mechanical_gives(const keel_problem *problem, unsigned parts);

/* Levels and k_l = -M^-1 G^T (n x m), as eval_level and eval_directions below. */
int eval_mechanical_level(evaluator *e, int level, double t, const double *y, double *value);
int eval_mechanical_directions(evaluator *e, double t, const double *y, double *D);

/* ---- properly stated leading terms ------------------------------------------------------- */

/* A (size x leading), d, d_x (leading x size, by differences where not given), and d_t, always by
 * differences. */
int eval_leading_matrix(evaluator *e, double t, const double *x, double *A);
int eval_leading_term(evaluator *e, double t, const double *x, double *d);
int eval_leading_jacobian(evaluator *e, double t, const double *x, double *D);
int eval_leading_time(evaluator *e, double t, const double *x, double *d_t);
int eval_rest(evaluator *e, double t, const double *x, double *b);
/* r = (-A u' - b, d - u) and its matrices, as eval_residual, eval_jacobian (2: not given) and
 * eval_mass. */
int eval_proper_residual(evaluator *e, double t, const double *y, const double *yp, double *r);
int eval_proper_jacobian(evaluator *e, double t, const double *y, const double *yp, keel_matrix *J);
int eval_proper_mass(evaluator *e, double t, const double *y, keel_matrix *M);

/* ---- constraint levels ------------------------------------------------------------------ */

/* g(t,y), then d/dt g along the solution, then d2/dt2 g; level 0, 1, 2, each m values. */
int eval_level(evaluator *e, int level, double t, const double *y, double *value);
/* G = g_y or g_u, or phi_y of an ODE with invariants, m x (group 0), row-major. */
int eval_constraint_jacobian(evaluator *e, double t, const double *y, double *G);
/* g_t */
int eval_constraint_time(evaluator *e, double t, const double *y, double *g_t);
/* f(t,y), f(t,y,z), or f(t,u,v) and, unless k is NULL, k(t,u,v,l); counts one right-hand side.
 * Only for ODE, semi-explicit and Hessenberg forms. */
int eval_rate(evaluator *e, double t, const double *y, double *f, double *k);
/* G by central differences of g, whatever the user gave. */
int eval_difference_jacobian(evaluator *e, double t, const double *y, double *G);
/* Projection directions at (t,y), by differences.  Hessenberg 2: D0 = f_z.  Hessenberg 3: D1 = k_l
 * for v, and D0 = f_v k_l for u.  Mechanical: D0 = D1 = -M^-1 G^T.  Row-major, (group size) x m. */
int eval_directions(evaluator *e, double t, const double *y, double *D0, double *D1);
/* B = g_u f_v, m x (group 1), row-major: the velocity level differentiated in v, from G = g_u and
 * differences of f; index 3. */
int eval_velocity_jacobian(evaluator *e, double t, const double *y, const double *G, double *B);

/* A phrase like "rhs returned 3" or "rhs[2] (velocity) is not finite", for messages. */
void fault_text(const evaluator *e, char *text, int size);

#endif
