/* multivalue.h -- general linear methods as the integrator runs them.
 *
 * The carried Nordsieck vector is y_k = h^k y^(k) / k! here, not h^k y^(k) as in
 * keel_general_linear: then E = exp(K) is the Pascal matrix.
 */
#ifndef KEEL_METHOD_MULTIVALUE_H
#define KEEL_METHOD_MULTIVALUE_H

#include "method/method.h"

/* What h^(p+1) y^(p+1) is estimated from. */
typedef enum estimate_kind {
    ESTIMATE_TOP,                /* the change of y_p                                      */
    ESTIMATE_STAGES,             /* a difference of stages                                 */
    ESTIMATE_TWIN                /* of two stages that have the new point as their node    */
} estimate_kind;

typedef struct multivalue_method {
    int s, r, order;
    int nordsieck;               /* what it carries                                        */
    int diagonal;                /* A is lower triangular                                  */
    int stiffly_accurate;        /* the last stage is the new point                        */
    int readable, readable_algebraic;    /* rows of the readouts below                     */
    estimate_kind estimates;     /* multivalue_errors.c                                    */
    double error_constant;       /* local error C h^(p+1) y^(p+1)                          */
    double principal;            /* h^(p+1) y^(p+1) = this times the change of y_p in a step */
    double ratio_most;           /* h_new / h; multivalue_errors.c                         */
    double *A, *U, *B, *V, *c;   /* as of keel_general_linear                              */
    double *readout;             /* [(order + 1) r] the Nordsieck vector from what is carried, as */
                                 /* many rows of it as there are; Nordsieck: the identity  */
    double *readout_algebraic;   /* the same for algebraic unknowns                        */
    /* multivalue_errors.c: */
    double *estimate;            /* [s] d_i: h^(p+1) y^(p+1) = sum_i d_i (Y_i - y_0[n])    */
    double *lead;                /* [s] of Y_i before the Taylor polynomial, over h^(p+1) y^(p+1) */
    double *phi;                 /* [r] of y_k[n] before h^k y^(k) / k!, the same          */
} multivalue_method;

/* For methods of at most so many stages and values, and of at most that order. */
void multivalue_layout(arena *a, multivalue_method *m, int s, int r, int order);
/* Of any method; 0 or KEEL_UNSUPPORTED: y is not among what it carries. */
int multivalue_of(const keel_method *method, multivalue_method *m);
/* Fills in what belongs to multivalue_errors.c; estimates from stages need stage order p.
 * ratio_most: where it is known, else 0. */
void principal_errors(multivalue_method *m, int stage_order, double ratio_most);

/* Orders to choose from with variable steps. */
typedef struct multivalue_range {
    int first, last;             /* equal: no choice                                       */
    int bdf;                     /* BDF formulas that follow the step sizes; else a table: */
    int s, r;                    /* the most of all orders                                 */
    int starting;                /* order of the starting procedure; 0: order 1 begins by itself */
    multivalue_method *table;    /* [last + 1] by order                                    */
    double *error_constant;      /* [last + 2] by order, of the next one as well           */
} multivalue_range;

/* The BDF formula of order q with fixed leading coefficient [Jackson & Sacks-Davis 1980; BCP96
 * 5.2], for a step h after steps past[0], past[1], ..., of which `known` exist (others as h).  The
 * polynomial through y_n, ..., y_(n-q+1) changes by e l(x), e = y_n - predicted, x = (t - t_n) / h,
 *
 *   l(x) = (1 + x/xi*) prod_(i=1..q-1) (1 + x/xi_i),  xi_i = (t_n - t_(n-i)) / h,
 *   1/xi* = sum_(j=1..q) 1/j - sum_(i<q) 1/xi_i. */
void bdf_follow(multivalue_method *m, int q, double h, const double *past, int known);

#endif
