/* method.h -- methods as the integrators see them.
 *
 * keel_method is the tableau with its texts; stage_method is what implicit stages need of it:
 * A^-1 = T L T^-1 with L block diagonal: the real eigenvalue gamma first, then for each
 * complex pair alpha +- i beta a block [alpha -beta; beta alpha], so that
 * (T^-1 x I)(h^-1 A^-1 x M - I x J)(T x I) falls into real and complex systems
 * [HW96 IV.8 (8.4)].
 *
 * Where the first stage is explicit (Lobatto IIIA, ESDIRK), s, A, c, ... below are those of the
 * other stages, A^ = (a_ij) i, j >= 2, and the slope y'_n at the first one enters by
 *   Y'_i = h^-1 (A^-1 Z)_i + slope_i y'_n,    y_(n+1) = y_n + sum_i (b^T A^-1)_i Z_i + h b_slope y'_n.
 */
#ifndef KEEL_METHOD_DATA_H
#define KEEL_METHOD_DATA_H

#include "core/arena.h"
#include "core/message.h"
#include "keel/method.h"

enum { STAGES_MAX = 20 };        /* implicit ones: beyond it collocation loses its digits   */

typedef struct general_linear_facts general_linear_facts;
typedef struct known_stability known_stability;

struct keel_method {
    keel_tableau tableau;        /* all pointers into block; texts, stages and order of    */
                                 /* every method, coefficients of Runge-Kutta methods only */
    keel_general_linear general; /* of every method                                        */
    keel_multistep multistep;    /* steps = 0: it is none                                  */
    keel_method_kind kind;
    keel_estimate estimate;
    int explicit_first;          /* first row of A is zero                                 */
    int stiffly_accurate;        /* a_si = b_i                                             */
    int radau_iia;               /* of that family: radau_iia() has its stage_method       */
    const double *eigensystem;   /* T, T^-1, re, im of known.h, or NULL: to be computed    */
    const general_linear_facts *facts;   /* of a table, or NULL: to be computed            */
    const known_stability *stability;    /* of known.h, or NULL: to be computed            */
    int stage_order;
    double r_infinity;           /* NAN: a pole there, as for explicit methods             */
    void *block;                 /* owned                                                  */
    message message;
};

/* Are several values carried from step to step? */
static inline int kind_carries_values(keel_method_kind kind)
{
    return kind == KEEL_METHOD_MULTISTEP || kind == KEEL_METHOD_GENERAL_LINEAR;
}
/* Implicit stages that Newton's method solves for. */
static inline int kind_is_implicit(keel_method_kind kind)
{
    return kind == KEEL_METHOD_DIAGONAL || kind == KEEL_METHOD_IMPLICIT;
}

/* Everything below has its lengths in brackets; matrices are row-major. */
typedef struct stage_method {
    int s;                       /* implicit stages                                        */
    int order, stage_order;
    int diagonal;                /* solved one after the other                             */
    int stiffly_accurate, explicit_first;
    const double *c, *b;         /* nodes, weights [s]                                     */
    const double *A, *A_inv;     /* [s s]                                                  */
    const double *A2, *A2_inv;   /* A^2 and A^-2 [s s]; Radau IIA only                     */
    int reals;                   /* real eigenvalues of A^-1 (diagonal: different ones)    */
    int pairs;                   /* complex pairs                                          */
    double gamma;                /* real[0]; without one: Radau IIA the mean of the real   */
                                 /* eigenvalues of the neighbouring odd stage counts, else */
                                 /* the geometric mean of |eigenvalues|                    */
    const double *real;          /* [reals]                                                */
    const int *slot;             /* diagonal: which of them is 1/a_ii [s]                  */
    const double *alpha, *beta;  /* [pairs]                                                */
    const double *T, *T_inv;     /* [s s]                                                  */
    const double *at_zero;       /* w_i with sum_i w_i p(c_i) = -p(0) for deg p < s        */
    const double *at_one;        /* the same for p(1)                                      */
    int embedded;                /* the local error is ...                                 */
    int estimate_order;          /* ... O(h^(this + 1))                                    */
    const double *error;         /* embedded: e = (b - b_hat)^T A^-1, estimate             */
                                 /* sum_i e_i Z_i + h error_slope y'_n; else               */
                                 /* e = at_zero^T A^-1 [s]: the estimate of order s is     */
                                 /* (gamma/h M - J)^-1 (f(y_n) + h^-1 M sum_i e_i Z_i), Z_i = Y_i - y_n */
                                 /* [HW96 IV.8 (8.17)-(8.20)]                              */
    double error_slope;
    const double *b_A_inv;       /* b^T A^-1 [s] (last unit vector for stiffly accurate)   */
    const double *slope;         /* explicit_first: see above [s]                          */
    double b_slope;
    double r_infinity;           /* 1 - b^T A^-1 1                                         */
} stage_method;

/* Radau IIA with s stages; correct to the last bit of double.  Slices come from the arena
 * (measure with base NULL: then only sizes are taken).  0, or KEEL_UNSUPPORTED for s out of
 * 1..STAGES_MAX, or KEEL_NO_MEMORY. */
int radau_iia(arena *a, int s, stage_method *method);
/* Of any tableau with implicit stages, likewise.  KEEL_SINGULAR: A (without an explicit first stage)
 * has no inverse; KEEL_UNSUPPORTED: its eigenvectors do not span the space. */
int stage_method_of(arena *a, const keel_method *m, stage_method *method);

/* ---- families and tables ------------------------------------------------------------------ */

typedef enum family_kind {
    FAMILY_GAUSS, FAMILY_RADAU_IA, FAMILY_RADAU_IIA, FAMILY_LOBATTO_IIIA, FAMILY_LOBATTO_IIIC,
    FAMILY_COLLOCATION           /* at the zeros of P_s - weight P_(s-1), weight > -1      */
} family_kind;

/* A [s s], b [s], c [s], correctly rounded; 0 or KEEL_UNSUPPORTED for an s the family has not:
 * Lobatto and Radau IA begin with 2 stages (for one, c = 0 is not the row sum of Radau IA). */
int family_coefficients(family_kind family, int s, double weight, double *A, double *b, double *c);
/* Collocation at given distinct nodes; 0, KEEL_UNSUPPORTED or KEEL_BAD_ARGUMENT for equal ones. */
int collocation_coefficients(int s, const double *nodes, double *A, double *b);

/* keel_method_create without a look at the claimed orders, for tables and families whose orders are
 * proven by tests. */
int method_make(keel_method **method, const keel_tableau *tableau);
int method_copy(keel_method **copy, const keel_method *of);
/* Refuses claims that the order conditions contradict; fills in orders that are not claimed. */
int method_check_orders(keel_method *method);

/* The tables of tables_*.c, one after the other; NULL past the last. */
const keel_tableau *method_table(int i);
/* b_i(theta) of dense output, accurate to the last digit although its powers cancel. */
double tableau_dense_weight(const keel_tableau *t, int i, double theta);

/* What a solver's `method` names: one method, or several between which an integrator chooses. */
typedef enum method_range {
    METHOD_ONE, METHOD_AUTO, METHOD_RADAU_IIA, METHOD_BDF, METHOD_DIMSIM
} method_range;

/* *method (owned by the caller) is the one, else NULL.  0, or KEEL_UNKNOWN_NAME with the closest known
 * name in *suggestion, or KEEL_UNSUPPORTED with *method holding the reason (bdf-7), or
 * KEEL_NO_MEMORY. */
int method_choose(const char *name, method_range *range, keel_method **method,
                  const char **suggestion);

#endif
