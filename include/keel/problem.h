/* problem.h -- problems: callbacks plus structure.
 *
 *   ODE              y' = f(t,y)
 *   semi-explicit    y' = f(t,y,z),  0 = g(t,y,z)                 index 1
 *   Hessenberg 2     y' = f(t,y,z),  0 = g(t,y)                   index 2
 *   Hessenberg 3     u' = f(t,u,v),  v' = k(t,u,v,l),  0 = g(t,u) index 3
 *   mechanical       M(t,q) q'' = f(t,q,q') - G(t,q)^T l,  0 = g(t,q),  G = g_q
 *   quasilinear      M(t,y) y' = f(t,y),  M possibly singular
 *   implicit         F(t,y,y') = 0
 *   proper           A(t,x) d(t,x)' + b(t,x) = 0,  leading term properly stated
 *   levelled         y' = f(t,y,z),  0 = g(t,y,z),  0 = h_k(t,y),  d/dt h_k = h_(k-1),  h_0 = g
 *
 * Life cycle:  keel_<form>() -> any number of solvers, in any threads -> keel_problem_free().
 * Ownership:   a spec is copied, with its names and patterns; `context` is borrowed and
 *              must outlive the problem.  A problem never changes after creation.
 * Callbacks:   return 0, or > 0 "cannot evaluate here, try a smaller step", or < 0 "stop".
 *              A NaN or infinity counts as > 0.  Unknowns are ordered as written above:
 *              (y), (y,z), (u,v,l), (q,v,l), and (x,u) with u = d(t,x).
 * NULL:        for a problem, or one whose creation failed, is size 0 and the name "".
 * Every form takes further constraints that its solution is known to keep: keel_attached.
 * Matrices of callbacks that fill plain arrays (M, G, A) are row-major; M and G of mechanical
 * problems with sparse patterns are nonzeros in the order of these.
 */
#ifndef KEEL_PROBLEM_H
#define KEEL_PROBLEM_H

#include "keel/frame.h"
#include "keel/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_problem keel_problem;

typedef enum keel_form {
    KEEL_FORM_ODE, KEEL_FORM_SEMI_EXPLICIT, KEEL_FORM_HESSENBERG2, KEEL_FORM_HESSENBERG3,
    KEEL_FORM_MECHANICAL, KEEL_FORM_QUASILINEAR, KEEL_FORM_IMPLICIT, KEEL_FORM_PROPER,
    KEEL_FORM_LEVELLED
} keel_form;

/* Constraint levels that a problem may have: the index is at most one less. */
enum { KEEL_LEVELS_MOST = 16 };

/* Rows 0 = h(t,y), or h(t,y) = h at the start, that the exact solution keeps and that the equations
 * do not show: hidden constraints, conserved quantities.  The start meets them and every step is
 * projected onto them; rows that depend on others are met in the least-squares sense.  It is a part
 * of the specs and never grows. */
typedef struct keel_attached {
    int rows;                               /* 0: none */
    int (*value)(double t, const double *y, double *h, void *context);   /* y: all unknowns */
    int (*jacobian)(double t, const double *y, double *h_y, void *context); /* rows x n; optional */
    const int *kept;                        /* per row, nonzero: h stays as it is at the start; */
                                            /* NULL: all rows vanish */
    const char *const *names;               /* one per row, or NULL */
} keel_attached;

/* y' = f(t,y) */
typedef struct keel_ode_spec {
    int size;
    int (*rhs)(double t, const double *y, double *f, void *context);
    int (*jacobian)(double t, const double *y, keel_matrix *f_y, void *context); /* optional */
    keel_pattern pattern;                   /* of f_y */
    /* Invariants 0 = phi(t,y) that the exact solution keeps; steps are projected onto them.  More
     * than needed, or dependent ones, are met in the least-squares sense. */
    int invariants;                         /* rows of phi, or 0; attached rows by other names */
    int (*invariant)(double t, const double *y, double *phi, void *context);
    int (*invariant_jacobian)(double t, const double *y, double *phi_y, void *context); /* optional */
    const char *const *names;               /* one per unknown, or NULL */
    keel_attached attached;                 /* instead of the invariants: with names, or kept */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_ode_spec;

/* y' = f(t,y,z), 0 = g(t,y,z), g_z invertible */
typedef struct keel_semi_explicit_spec {
    int differential, algebraic;
    int (*rhs)(double t, const double *y, const double *z, double *f, void *context);
    int (*constraint)(double t, const double *y, const double *z, double *g, void *context);
    int (*jacobian)(double t, const double *y, const double *z,
                    keel_matrix *fg_yz, void *context);   /* [f_y f_z; g_y g_z]; optional */
    keel_pattern pattern;
    const char *const *names;
    const char *const *constraint_names;    /* one per row of g, or NULL */
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_semi_explicit_spec;

/* y' = f(t,y,z), 0 = g(t,y), g_y f_z invertible */
typedef struct keel_hessenberg2_spec {
    int differential, multipliers;
    int (*rhs)(double t, const double *y, const double *z, double *f, void *context);
    int (*constraint)(double t, const double *y, double *g, void *context);
    int (*constraint_jacobian)(double t, const double *y, double *g_y, void *context); /* optional */
    int (*constraint_time)(double t, const double *y, double *g_t, void *context);    /* optional */
    int (*jacobian)(double t, const double *y, const double *z,
                    keel_matrix *fg_yz, void *context);   /* [f_y f_z; g_y 0]; optional */
    keel_pattern pattern;
    const char *const *names;
    const char *const *constraint_names;    /* one per row of g, or NULL */
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_hessenberg2_spec;

/* u' = f(t,u,v), v' = k(t,u,v,l), 0 = g(t,u), g_u f_v k_l invertible */
typedef struct keel_hessenberg3_spec {
    int positions, velocities, multipliers;
    int (*position_rate)(double t, const double *u, const double *v, double *f, void *context);
    int (*velocity_rate)(double t, const double *u, const double *v, const double *l,
                         double *k, void *context);
    int (*constraint)(double t, const double *u, double *g, void *context);
    int (*constraint_jacobian)(double t, const double *u, double *g_u, void *context); /* optional */
    int (*constraint_time)(double t, const double *u, double *g_t, void *context);    /* optional */
    int (*jacobian)(double t, const double *u, const double *v, const double *l,
                    keel_matrix *fkg_uvl, void *context); /* [f_u f_v 0; k_u k_v k_l; g_u 0 0] */
    keel_pattern pattern;
    const char *const *names;
    const char *const *constraint_names;    /* one per row of g, or NULL */
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_hessenberg3_spec;

/* What a combined mechanical evaluation is asked for: an OR of these. */
enum {
    KEEL_MASS = 1,               /* M, n x n (sparse: nonzeros, also of G)           */
    KEEL_FORCE = 2,              /* f, n                                             */
    KEEL_CONSTRAINT = 4,         /* g, m                                             */
    KEEL_CONSTRAINT_JACOBIAN = 8,/* G = g_q, m x n                                   */
    KEEL_CONSTRAINT_TIME = 16,   /* g_t, m                                           */
    KEEL_CURVATURE = 32          /* gamma = g_qq(v,v) + 2 g_qt v + g_tt, m           */
};

typedef struct keel_mechanical_parts {
    double *mass, *force, *constraint, *constraint_jacobian, *constraint_time, *curvature;
} keel_mechanical_parts;

/* M(t,q) q'' = f(t,q,v) - G(t,q)^T l, 0 = g(t,q); M symmetric, positive definite where G v = 0 */
typedef struct keel_mechanical_spec {
    int positions, constraints;             /* n, m */
    /* Either the separate callbacks ... */
    int (*mass)(double t, const double *q, double *M, void *context);           /* NULL: M = I */
    int (*force)(double t, const double *q, const double *v, double *f, void *context);
    int (*constraint)(double t, const double *q, double *g, void *context);
    int (*constraint_jacobian)(double t, const double *q, double *G, void *context); /* optional */
    int (*constraint_time)(double t, const double *q, double *g_t, void *context);   /* optional */
    int (*curvature)(double t, const double *q, const double *v, double *gamma,
                     void *context);                                                 /* optional */
    /* ... or one that shares work (sines, transformations) between them and must fill in at
     * least what is `wanted`; parts that are not wanted may be NULL. */
    int (*evaluate)(double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context);
    unsigned provides;                      /* with evaluate: the parts it knows (0: all) */
    /* f_q and f_v (n x n; sparse: nonzeros of force_pattern), optional; used when the forces turn
     * out to be stiff. */
    int (*force_jacobian)(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context);
    /* Many positions: both KEEL_SPARSE (M = I needs no mass_pattern), or all dense.  Then `mass`,
     * `constraint_jacobian` and `evaluate` fill in nonzeros, column by column in the order of
     * row_index, and work and memory grow with their number.  M is given with both halves. */
    keel_pattern mass_pattern;              /* of M, n x n */
    keel_pattern constraint_pattern;        /* of G, m x n */
    keel_pattern force_pattern;             /* of f_q, f_v and d(M(t,q) a)/dq together, n x n; */
                                            /* optional: default those of M, G^T G and 1 */
    int constant_mass;                      /* nonzero: M depends on neither t nor q */
    const char *const *names;
    const char *const *constraint_names;    /* one per row of g, or NULL */
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_mechanical_spec;

/* M(t,y) y' = f(t,y) */
typedef struct keel_quasilinear_spec {
    int size;
    int (*mass)(double t, const double *y, keel_matrix *M, void *context);
    int constant_mass;                      /* nonzero: M depends on neither t nor y */
    int (*rhs)(double t, const double *y, double *f, void *context);
    int (*jacobian)(double t, const double *y, keel_matrix *f_y, void *context);      /* optional */
    /* Subtracts d(M(t,y) w)/dy from J, for state-dependent M; needed with `jacobian`. */
    int (*mass_jacobian)(double t, const double *y, const double *w, keel_matrix *J, void *context);
    const int *variable_index;              /* 1, 2 or 3 per unknown; NULL: all 1 */
    keel_pattern pattern;                   /* of M, f_y and (M w)_y together */
    const char *const *names;
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_quasilinear_spec;

/* F(t,y,y') = 0 */
typedef struct keel_implicit_spec {
    int size;
    int (*residual)(double t, const double *y, const double *yp, double *F, void *context);
    int (*jacobian)(double t, const double *y, const double *yp, double shift,
                    keel_matrix *J, void *context);       /* F_y + shift F_y'; optional */
    const int *variable_index;              /* 1, 2 or 3 per unknown; NULL: all 1 */
    keel_pattern pattern;                   /* of F_y and F_y' together */
    const char *const *names;
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_implicit_spec;

/* A(t,x) d(t,x)' + b(t,x) = 0 with ker A and im d_x complementary, "properly stated" [Maerz,
 * Results Math. 42 (2002) 308]; solved as A u' + b = 0, 0 = u - d(t,x), which does not raise the
 * index.  The unknowns are (x,u).  keel_start sets u = d(t,x) unless marks fix it, and checks A
 * and d_x. */
typedef struct keel_proper_spec {
    int size, leading;                      /* equations and x; components of d and u */
    int (*leading_matrix)(double t, const double *x, double *A, void *context); /* size x leading */
    int (*leading_term)(double t, const double *x, double *d, void *context);
    int (*rest)(double t, const double *x, double *b, void *context);
    /* Both or differences: d_x (leading x size), and d(A(t,x) w + b(t,x))/dx (size x size). */
    int (*leading_term_jacobian)(double t, const double *x, double *d_x, void *context);
    int (*jacobian)(double t, const double *x, const double *w, keel_matrix *J, void *context);
    const int *variable_index;              /* 1, 2 or 3 per x; NULL: all 1 */
    const char *const *names;               /* one per x, or NULL */
    keel_attached attached;                 /* further constraints */
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_proper_spec;

/* y' = f(t,y,z), 0 = g(t,y,z) with an invertible g_z, and the hidden constraints 0 = h_k(t,y) of
 * which g is the last derivative: row i of g has chain[i] of them, h_(k-1),i = d/dt h_k,i and
 * h_0,i = g_i.  The index is 1 + the longest chain, whatever that is.  What the stages solve, g or
 * one of the h_k, is a formulation: index1 (g), index2 (h_1), index3 (h_2); without one the solver
 * chooses and says so (keel_choice).  All levels are kept by projection along f_z g_z^-1. */
typedef struct keel_levelled_spec {
    int differential, algebraic;            /* y, z */
    const int *next;                        /* per y: the unknown that is its derivative, or -1: */
                                            /* f gives it; NULL: f gives all.  h_k is kept by */
                                            /* the y whose derivative number k is the first   */
                                            /* that f gives: at least one for each row        */
    const int *chain;                       /* per row of g: constraints below it; NULL: none */
    int (*rate)(double t, const double *y, const double *z, double *f, void *context);
    /* h_k in h, row i in h[i]; k = 0: g.  Only rows with chain[i] >= k are read. */
    int (*level)(double t, const double *y, const double *z, int k, double *h, void *context);
    int (*jacobian)(double t, const double *y, const double *z,
                    keel_matrix *fg_yz, void *context);   /* [f_y f_z; g_y g_z]; optional */
    /* (h_k)_y into the rows of g in the same matrix; optional. */
    int (*level_jacobian)(double t, const double *y, int k, keel_matrix *h_y, void *context);
    keel_pattern pattern;                   /* of [f_y f_z; g_y g_z] and all (h_k)_y together */
    const char *const *names;
    const char *const *constraint_names;    /* one per row of g, or NULL */
    keel_attached attached;
    void *context;
    keel_frame_spec frame;                  /* callbacks get a keel_frame, see frame.h */
} keel_levelled_spec;

/* Each sets *problem on success; on failure *problem holds only a message (free it).  Programs call
 * keel_ode(&problem, &spec), which hands over the size that the spec had when they were compiled;
 * see status.h. */
KEEL_API int keel_ode_sized(keel_problem **problem, const keel_ode_spec *spec, size_t size);
KEEL_API int keel_semi_explicit_sized(keel_problem **problem, const keel_semi_explicit_spec *spec,
                                      size_t size);
KEEL_API int keel_hessenberg2_sized(keel_problem **problem, const keel_hessenberg2_spec *spec,
                                    size_t size);
KEEL_API int keel_hessenberg3_sized(keel_problem **problem, const keel_hessenberg3_spec *spec,
                                    size_t size);
KEEL_API int keel_mechanical_sized(keel_problem **problem, const keel_mechanical_spec *spec,
                                   size_t size);
KEEL_API int keel_quasilinear_sized(keel_problem **problem, const keel_quasilinear_spec *spec,
                                    size_t size);
KEEL_API int keel_implicit_sized(keel_problem **problem, const keel_implicit_spec *spec,
                                 size_t size);
KEEL_API int keel_proper_sized(keel_problem **problem, const keel_proper_spec *spec, size_t size);
KEEL_API int keel_levelled_sized(keel_problem **problem, const keel_levelled_spec *spec,
                                 size_t size);

static inline int keel_ode(keel_problem **problem, const keel_ode_spec *spec)
{
    return keel_ode_sized(problem, spec, sizeof *spec);
}

static inline int keel_semi_explicit(keel_problem **problem, const keel_semi_explicit_spec *spec)
{
    return keel_semi_explicit_sized(problem, spec, sizeof *spec);
}

static inline int keel_hessenberg2(keel_problem **problem, const keel_hessenberg2_spec *spec)
{
    return keel_hessenberg2_sized(problem, spec, sizeof *spec);
}

static inline int keel_hessenberg3(keel_problem **problem, const keel_hessenberg3_spec *spec)
{
    return keel_hessenberg3_sized(problem, spec, sizeof *spec);
}

static inline int keel_mechanical(keel_problem **problem, const keel_mechanical_spec *spec)
{
    return keel_mechanical_sized(problem, spec, sizeof *spec);
}

static inline int keel_quasilinear(keel_problem **problem, const keel_quasilinear_spec *spec)
{
    return keel_quasilinear_sized(problem, spec, sizeof *spec);
}

static inline int keel_implicit(keel_problem **problem, const keel_implicit_spec *spec)
{
    return keel_implicit_sized(problem, spec, sizeof *spec);
}

static inline int keel_proper(keel_problem **problem, const keel_proper_spec *spec)
{
    return keel_proper_sized(problem, spec, sizeof *spec);
}

static inline int keel_levelled(keel_problem **problem, const keel_levelled_spec *spec)
{
    return keel_levelled_sized(problem, spec, sizeof *spec);
}

KEEL_API void keel_problem_free(keel_problem *problem);           /* NULL is fine */

/* ---- formulations: functions from problem to problem -------------------------------------- */

typedef struct keel_formulation {
    const char *name;                       /* "ggl"; keel_formulation_at lists them            */
    double alpha, beta;                     /* baumgarte, stabilised: damping; 0: default       */
    const double *C;                        /* embedded: [2m 2m] row-major; NULL: default       */
} keel_formulation;

/* The same problem in another formulation; `original` is borrowed and must outlive it. */
KEEL_API int keel_formulate_sized(keel_problem **problem, const keel_problem *original,
                                  const keel_formulation *formulation, size_t size);

static inline int keel_formulate(keel_problem **problem, const keel_problem *original,
                                 const keel_formulation *formulation)
{
    return keel_formulate_sized(problem, original, formulation, sizeof *formulation);
}

/* NULL for a problem that is not a formulation of another. */
KEEL_API const keel_problem *keel_problem_original(const keel_problem *problem);
/* Values of the formulation's unknowns that correspond to the original's (multipliers that the
 * original has not: 0), and back (multipliers that the formulation has not: NAN). */
KEEL_API void keel_formulation_from(const keel_problem *problem, const double *original_y, double *y);
KEEL_API void keel_formulation_to(const keel_problem *problem, const double *y, double *original_y);

typedef struct keel_formulation_info {
    const char *name, *summary;             /* one line                                         */
    const char *equations;                  /* what is solved                                   */
    const char *keeps, *drifts;             /* levels kept by the equations, levels that drift  */
    const char *citation;
} keel_formulation_info;
KEEL_API int keel_formulation_count(void);
KEEL_API int keel_formulation_at_sized(int i, keel_formulation_info *info, size_t size);

static inline int keel_formulation_at(int i, keel_formulation_info *info)
{
    return keel_formulation_at_sized(i, info, sizeof *info);
}


/* The frame that runs begin with, or NULL: there is none.  Names of its entries; "" beyond them. */
KEEL_API const keel_frame *keel_problem_frame(const keel_problem *problem);
KEEL_API const char *keel_parameter_name(const keel_problem *problem, int i);
KEEL_API const char *keel_mode_name(const keel_problem *problem, int i);
KEEL_API const char *keel_value_name(const keel_problem *problem, int i);
KEEL_API const char *keel_problem_message(const keel_problem *problem);
KEEL_API keel_form keel_problem_form(const keel_problem *problem);
KEEL_API const char *keel_form_name(keel_form form);              /* "mechanical", ... */
KEEL_API int keel_problem_size(const keel_problem *problem);      /* unknowns, length of y */
KEEL_API int keel_problem_index(const keel_problem *problem);     /* from 0 on */
KEEL_API int keel_problem_constraints(const keel_problem *problem);   /* rows of g, else 0 */
/* Degrees of freedom: differential unknowns less the rows of g and its derivatives that bind them
 * (dependent ones, and attached rows, not considered); -1: the form does not tell. */
KEEL_API int keel_problem_freedom(const keel_problem *problem);
/* Constraint levels: the constraint, its derivatives, the last of which has z, and in a level of
 * their own, the last, all attached rows. */
KEEL_API int keel_problem_levels(const keel_problem *problem);
KEEL_API int keel_level_rows(const keel_problem *problem, int level);
/* "rod", "energy": of row i of a level; without a name "g[3]", attached rows "h[3]". */
KEEL_API const char *keel_row_name(const keel_problem *problem, int level, int row);
/* Is f (index 2, levelled) or k (index 3) nonlinear in the multipliers near (t,y)?  Orders depend
 * on it.  Not for formulations of others: 0.  KEEL_NO_MEMORY, which is negative, without memory. */
KEEL_API int keel_problem_nonlinear(const keel_problem *problem, double t, const double *y);
/* As given; without a name "y[3]", "lambda[0]": numbers count from 0, here and in messages. */
KEEL_API const char *keel_variable_name(const keel_problem *problem, int variable);
KEEL_API int keel_variable_index(const keel_problem *problem, int variable);
/* Consecutive groups of unknowns, e.g. (u,v,l); returns how many, at most 3. */
KEEL_API int keel_problem_groups(const keel_problem *problem, int size[3], const char *name[3]);

#ifdef __cplusplus
}
#endif
#endif
