/* method.h -- methods as data, and what is known about them.
 *
 * Runge-Kutta   Y_i = y_n + h sum_j a_ij f(Y_j),   y_(n+1) = y_n + h sum_i b_i f(Y_i)
 * Rosenbrock    the same with one linear system for each stage in the place of an equation
 * multistep     sum_j alpha_j y_(n+j) = h sum_j beta_j f(y_(n+j)),   j = 0..k
 * general       Y = U y[n] + h A f(Y),   y[n+1] = V y[n] + h B f(Y),   with r carried values y[n],
 *  linear       of which the other two are special cases: r = 1, and s = 1
 *
 * Life cycle:  keel_method_named, _read or _create -> any number of solvers -> keel_method_free.
 * Ownership:   tableaux are copied, with their texts; a method never changes after creation, and a
 *              solver copies what it needs of it.
 * Matrices are row-major.
 */
#ifndef KEEL_METHOD_H
#define KEEL_METHOD_H

#include "keel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a tableau, stages for dense output not counted.  Solvers take 20 implicit ones at the most. */
enum { KEEL_STAGES_MOST = 32 };

typedef struct keel_method keel_method;

/* Carried values of a general linear method, steps of a multistep method. */
enum { KEEL_VALUES_MOST = 24, KEEL_STEPS_MOST = 12 };

/* How a method advances, which follows from its coefficients. */
typedef enum keel_method_kind {
    KEEL_METHOD_EXPLICIT,            /* a_ij = 0 for j >= i                                       */
    KEEL_METHOD_HALF_EXPLICIT,       /* explicit, made for constraints: see `constraint` below */
    KEEL_METHOD_DIAGONAL,            /* a_ij = 0 for j > i: SDIRK, ESDIRK, DIRK */
    KEEL_METHOD_IMPLICIT,            /* any other Runge-Kutta method */
    KEEL_METHOD_MULTISTEP,           /* made of alpha, beta, gamma */
    KEEL_METHOD_GENERAL_LINEAR,      /* made of A, U, B, V */
    KEEL_METHOD_ROSENBROCK           /* linearly implicit, made of A and A_explicit */
} keel_method_kind;

/* Where the local error of a variable step comes from. */
typedef enum keel_estimate {
    KEEL_ESTIMATE_EMBEDDED,          /* sum (b - b_hat)_i f(Y_i) */
    KEEL_ESTIMATE_ADDED,             /* f(y_n) against the derivative of the stage polynomial at */
                                     /* t_n, filtered [HW96 IV.8 (8.17)-(8.20)] */
    KEEL_ESTIMATE_DOUBLING,          /* one step against two of half the size */
    KEEL_ESTIMATE_CARRIED,           /* several values: from how they change, or from stages */
    KEEL_ESTIMATE_NONE               /* from nowhere: constant steps only */
} keel_estimate;

typedef struct keel_tableau {
    const char *name;                /* "dopri5" */
    const char *family;              /* "explicit Runge-Kutta"; NULL: from the kind */
    const char *summary;             /* one line, or NULL */
    const char *citation;            /* or NULL */
    int stages;                      /* s */
    int order;                       /* claimed; 0: found by the order conditions */
    const double *A, *b;             /* [s s], [s] */
    const double *c;                 /* [s], or NULL: row sums of A */
    const double *b_hat;             /* [s] embedded weights, or NULL */
    int order_hat;                   /* of b_hat; 0: found */
    const double *b_second;          /* [s] a second embedded method, for estimates of the kind */
                                     /* 8(5,3) [HNW93 II.10], or NULL */
    /* Dense output: extra stages (rows over all s + extra stages) and weights
     * b_i(theta) = sum_k dense[i * dense_degree + k] theta^(k+1), i < s + extra, theta in [0,1]. */
    int extra, dense_degree, dense_order;
    const double *A_extra, *c_extra; /* [extra (s + extra)], [extra] */
    const double *dense;             /* [(s + extra) dense_degree], or NULL: none */
    const double *dense_rest;        /* the same: what rounding took from `dense`, or NULL */
    /* Half-explicit methods: nonzero says that the explicit tableau obeys the order conditions for
     * index 2 when the multipliers of stage i make the constraint hold at stage i + 1 (at the new
     * point for the last one).  Partitioned ones [Arnold 1998; Murua 1997] impose it on points
     * of their own: Z_1 = z_n, and Z_i makes it hold at y_n + h sum_(j<=i) abar_ij f(Y_j, Z_j),
     * i = 2..s, with abar = A_constraint [s s]. */
    int half_explicit;
    const double *A_constraint;      /* [s s], or NULL */
    const double *c_constraint;      /* [s], or NULL: row sums */
    int order_index2;                /* order in y on index 2 */
    int reserved;                    /* 0 */
    /* Rosenbrock methods [HW96 IV.7]: alpha, below the diagonal, where A = alpha + gamma is lower
     * triangular with equal entries on its diagonal and c are the row sums of alpha:
     *   k_i = h f(y_n + sum_j alpha_ij k_j) + h J sum_j (a_ij - alpha_ij) k_j,
     *   y_(n+1) = y_n + sum_i b_i k_i                                                            */
    const double *A_explicit;        /* [s s], or NULL: none */
    /* Explicit methods: two rows of weights w of order 4, sum_i w_i Phi_i(t) = 0 for all trees t up to it,
     * that see corners of the solution where b - b_hat is blind; NULL: it is nowhere. */
    const double *corner;            /* [2 s] */
} keel_tableau;

/* How a multistep method treats the multipliers z of y' = f0(y) + f_z(y) z, 0 = g(y). */
typedef enum keel_blocking {
    KEEL_CONSTRAIN_FIRST,            /* f as it is [Bendtsen & Thomsen 1999 (5.10)]             */
    KEEL_BLOCKED,                    /* ... - h f_z(y_(n+k)) sum_j gamma_j z_(n+j)  (5.2), (5.7) */
    KEEL_CONSTRAIN_LAST              /* h sum_j beta_j f0(y_(n+j)) */
                                     /*  + h sigma(1) f_z(y_(n+k)) z_(n+k)          (5.11)      */
} keel_blocking;

/* An implicit linear multistep method (beta_k != 0), for constant steps. */
typedef struct keel_multistep {
    const char *name, *family, *summary, *citation;      /* as of a tableau */
    int steps;                       /* k */
    int order;                       /* claimed; 0: found */
    const double *alpha, *beta;      /* [k + 1], of rho and sigma in ascending powers */
    const double *gamma;             /* [k + 1], of tau; NULL: none */
    keel_blocking blocking;
    int reserved;                    /* 0 */
} keel_multistep;

/* A general linear method [Butcher 2003; Weiss 2007 (2.4)]; A invertible. */
typedef struct keel_general_linear {
    const char *name, *family, *summary, *citation;
    int stages, values;              /* s, r */
    int order, stage_order;          /* claimed; 0: found */
    const double *A, *U, *B, *V;     /* [s s], [s r], [r s], [r r] */
    const double *c;                 /* [s] */
    /* What is carried: y_i[n] = sum_k W_ik h^k y^(k)(t_n) + O(h^(p+1)), k = 0..order,
     * [r (order + 1)]; NULL: the Nordsieck vector, W_ik = delta_ik. */
    const double *W;
} keel_general_linear;

/* Each sets *method on success; on failure *method holds only a message (free it).  Sizes: see
 * status.h; programs leave them and `_sized` out. */
/* A named method: "radau-iia-3", "collocation-3:0.5", "bdf-3", ...; not "auto", "radau-iia", "bdf"
 * and "dimsim", which choose among methods.  KEEL_UNKNOWN_NAME; KEEL_UNSUPPORTED for formulas that
 * do not converge (bdf-7), with the reason. */
KEEL_API int keel_method_named(keel_method **method, const char *name);
/* A user's own; checked for finiteness, consistency (to 10 digits) and the claimed orders. */
KEEL_API int keel_method_create_sized(keel_method **method, const keel_tableau *tableau,
                                      size_t size);
/* Refused unless implicit, consistent and zero-stable, with the root at fault; blocked methods also
 * need the roots of sigma - tau inside the unit circle.  It is scaled so that sigma(1) = 1. */
KEEL_API int keel_multistep_create_sized(keel_method **method, const keel_multistep *formula,
                                         size_t size);
/* Checked for preconsistency (U u = 1 and V u = u with u = W e_1), an invertible A, zero-stability
 * (bounded powers of V), and the claimed orders, of which the order is at most stage order + 1. */
KEEL_API int keel_general_linear_create_sized(keel_method **method,
                                              const keel_general_linear *matrices, size_t size);
/* From a text file (docs/methods.md shows the format); messages name the line. */
KEEL_API int keel_method_read(keel_method **method, const char *file);

static inline int keel_method_create(keel_method **method, const keel_tableau *tableau)
{
    return keel_method_create_sized(method, tableau, sizeof *tableau);
}

static inline int keel_multistep_create(keel_method **method, const keel_multistep *formula)
{
    return keel_multistep_create_sized(method, formula, sizeof *formula);
}

static inline int keel_general_linear_create(keel_method **method,
                                             const keel_general_linear *matrices)
{
    return keel_general_linear_create_sized(method, matrices, sizeof *matrices);
}

KEEL_API void keel_method_free(keel_method *method);              /* NULL is fine */
KEEL_API const char *keel_method_message(const keel_method *method);
/* All pointers filled in where there are such data; owned by the method.  NULL: it is none. */
KEEL_API const keel_tableau *keel_method_tableau(const keel_method *method);
KEEL_API const keel_multistep *keel_method_multistep(const keel_method *method);
/* Of every method; multistep methods carry y_n, y_(n-1), ..., h y'_n, h y'_(n-1), ..., BDF methods
 * the Nordsieck vector. */
KEEL_API const keel_general_linear *keel_method_general_linear(const keel_method *method);
KEEL_API keel_method_kind keel_method_kind_of(const keel_method *method);
KEEL_API const char *keel_method_kind_name(keel_method_kind kind);  /* "fully implicit", ... */
KEEL_API keel_estimate keel_method_estimate(const keel_method *method);

/* What is known about a method; every number is computed from the tableau. */
typedef struct keel_analysis {
    int stages, order;          /* order by all conditions of rooted trees up to order 10, beyond */
                                     /* it by B(p), C(q), D(r) [HW96 IV.5 theorem 5.1] */
    int order_hat;                   /* of the embedded method; 0: none */
    int B, C, D;                     /* largest p, q, r of the simplifying assumptions */
    int stage_order;                 /* min(B, C) */
    double condition_defect;         /* residual of the first order condition that fails, ... */
    char condition_tree[64];         /* ... and its tree, like [[t],t] */
    double error_constant;           /* C with R(z) = e^z - C z^(p+1) + ... */
    double r_infinity;               /* R(inf); NAN: R has a pole there */
    int explicit_first, stiffly_accurate;
    int a_stable, l_stable;
    double alpha;                    /* A(alpha), in degrees: 90 for A-stable, 0 for none */
    double imaginary_limit, real_limit; /* stability interval; INFINITY where it does not end */
    int symmetric, symplectic;
    int algebraically_stable;        /* M = BA + A^T B - b b^T >= 0 and b >= 0 */
    int an_stable, b_stable, bn_stable;  /* 1, 0, or -1: not decided by the theory (reducible) */
    int irreducible, confluent;      /* confluent: some c_i equal */
    double algebraic[KEEL_STAGES_MOST];  /* eigenvalues of M, ascending */
    int negative_weights;            /* how many b_i < 0 */
    double eigenvalue_re[KEEL_STAGES_MOST], eigenvalue_im[KEEL_STAGES_MOST];   /* of A */
    int rhs_per_step;                /* right-hand sides an iteration over all stages costs */
    int real_systems, complex_systems;   /* linear systems of the problem's size to factor */
} keel_analysis;

/* Runge-Kutta methods; KEEL_UNSUPPORTED for others. */
KEEL_API int keel_method_analyse_sized(const keel_method *method, keel_analysis *analysis,
                                       size_t size);

static inline int keel_method_analyse(const keel_method *method, keel_analysis *analysis)
{
    return keel_method_analyse_sized(method, analysis, sizeof *analysis);
}

/* The same for what every method is, a general linear method; M(z) = V + z B (I - z A)^-1 U. */
typedef struct keel_general_analysis {
    int stages, values;
    int order, stage_order;          /* by the order conditions on A, U, B, V, W */
    double error_constant;           /* C with w(z) = e^z - C z^(p+1) + ..., w the eigenvalue of */
                                     /* M(z) that is 1 at z = 0; NAN: 1 is a multiple one of V */
    double preconsistency[KEEL_VALUES_MOST];     /* u with U u = 1, V u = u */
    int zero_stable;                 /* powers of V stay bounded */
    double parasitic;                /* largest modulus of the other eigenvalues of V */
    int nordsieck, singly, diagonal; /* carries it; A has one eigenvalue; A is lower triangular */
    int stiffly_accurate;            /* the last stage is the new point */
    double M_infinity[KEEL_VALUES_MOST * KEEL_VALUES_MOST];   /* V - B A^-1 U, [r r] */
    double rho_infinity;             /* its spectral radius; NAN: A is singular */
    int nilpotent;                   /* least k with M(inf)^k = 0; 0: none */
    int a_stable, l_stable;
    double alpha;                    /* A(alpha), in degrees */
    double imaginary_limit, real_limit;
    int runge_kutta_stable;          /* M(z) has one eigenvalue that is not 0 */
    double blocked_root;             /* multistep: largest modulus of the roots of sigma - tau; */
                                     /* NAN for others */
    double eigenvalue_re[KEEL_STAGES_MOST], eigenvalue_im[KEEL_STAGES_MOST];   /* of A */
    int rhs_per_step, real_systems, complex_systems;          /* as above */
} keel_general_analysis;
KEEL_API int keel_method_analyse_general_sized(const keel_method *method,
                                               keel_general_analysis *analysis, size_t size);

static inline int keel_method_analyse_general(const keel_method *method,
                                              keel_general_analysis *analysis)
{
    return keel_method_analyse_general_sized(method, analysis, sizeof *analysis);
}

/* The singly implicit starting procedure of order p, y[0] = e_1 y_0 + h B f(Y), Y = y_0 + h A f(Y)
 * [Weiss 2007, 4.1]: A [(p+1) (p+1)] and B [(p+1) (p+1)] from distinct nodes c [p + 1] and the
 * eigenvalue mu of A.  y[0] holds h^k y^(k), k = 0..p.  0, or KEEL_BAD_ARGUMENT. */
KEEL_API int keel_starting_procedure(int order, const double *c, double mu, double *A, double *B);

/* R(z), z = re + i im; where several values are carried, the eigenvalue of M(z) with the largest
 * modulus. */
KEEL_API void keel_method_stability(const keel_method *method, double re, double im,
                                    double *r_re, double *r_im);

/* Orders that theory predicts at constant step size.  KEEL_ORDER_NONE: it does not converge,
 * KEEL_ORDER_UNKNOWN: nothing is known. */
enum { KEEL_ORDER_NONE = 0, KEEL_ORDER_UNKNOWN = -1 };

typedef struct keel_order_case {
    int index;                       /* 0 to 3 */
    int nonlinear;                   /* f nonlinear in z (index 2), k in lambda (index 3) */
    int projected;                   /* the default projection */
    int multipliers;                 /* where they (index 1: z) come from: a keel_multipliers */
} keel_order_case;

/* order[0..2]: y | y, z | u, v, lambda.  Returns the number of groups. */
KEEL_API int keel_method_orders(const keel_method *method, const keel_order_case *which,
                                int order[3]);

typedef struct keel_method_info {
    const char *name;                /* "radau-iia-3"; "radau-iia" for the variable-order method */
    const char *family;              /* "Radau IIA" */
    const char *summary;             /* one line */
    const char *citation;
    int stages;                      /* 0: variable */
    int order, stage_order;          /* 0: variable */
    int stiffly_accurate;
    double r_infinity;               /* R(inf); the spectral radius of M(inf) */
    keel_method_kind kind;
    int steps, values;               /* of multistep methods, else 0; carried */
} keel_method_info;

/* The named methods to show in a list, and any one by name (families for any S, the variants
 * "dcbdf-3:constrain-last"); errors as of keel_method_named. */
KEEL_API int keel_method_count(void);
KEEL_API int keel_method_at_sized(int i, keel_method_info *info, size_t size);
KEEL_API int keel_method_find_sized(const char *name, keel_method_info *info, size_t size);

static inline int keel_method_at(int i, keel_method_info *info)
{
    return keel_method_at_sized(i, info, sizeof *info);
}

static inline int keel_method_find(const char *name, keel_method_info *info)
{
    return keel_method_find_sized(name, info, sizeof *info);
}

#ifdef __cplusplus
}
#endif
#endif
