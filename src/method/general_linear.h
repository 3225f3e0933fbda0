/* general_linear.h -- general linear methods [Butcher 2003; Weiss 2007 (2.4)],
 *     Y = U y[n] + h A f(Y),   y[n+1] = V y[n] + h B f(Y),
 * as the makers of methods use them. */
#ifndef KEEL_METHOD_GENERAL_LINEAR_H
#define KEEL_METHOD_GENERAL_LINEAR_H

#include "method/method.h"

/* Copies with slices of the arena, the texts too. */
void general_linear_layout(arena *a, keel_general_linear *to, const keel_general_linear *from);

/* What a Runge-Kutta method is: U = 1, B = b^T, V = 1, y[n] = y_n; coefficients that the tableau
 * has are shared with it. */
void general_linear_of_tableau(arena *a, keel_general_linear *to, const keel_tableau *tableau);

/* What is known of a table, and test/method/known compares with what is computed. */
struct general_linear_facts {
    const keel_general_linear *of;
    double r_infinity;           /* the spectral radius of M(inf)                           */
    double error_constant, ratio_most;   /* as in multivalue_method                         */
};

/* A method of such a table: nothing is checked, tests have done so. */
int general_linear_named(keel_method **method, const keel_general_linear *g,
                         const general_linear_facts *facts);

/* Texts, stages and order of the tableau that a method without one has. */
void general_linear_texts(keel_method *m);

/* M(inf) = V - B A^-1 U [r r] and, unless NULL, |V| + |B| |A^-1 U|.  0, or KEEL_SINGULAR. */
int general_linear_at_infinity(const keel_general_linear *g, double *M, double *terms);
/* The spectral radius of M(inf), NAN where A is singular.  0, or KEEL_NO_MEMORY. */
int general_linear_radius(const keel_general_linear *g, double *radius);

/* x^k / k!, 0 for k < 0. */
long double scaled_power(long double x, int k);

/* The orders by the conditions of general_linear.c, at most `most`; W has most + 1 columns. */
typedef struct general_defect {
    int stages;                  /* a condition of a stage, else of a value; ...            */
    int row, power;              /* ... of which one, and of which power of h               */
    double size;
} general_defect;

typedef struct general_orders {
    int order, stage_order;      /* -1: not preconsistent                                   */
    general_defect failed;       /* the first that keeps the order from being larger        */
    general_defect failed_stage;
} general_orders;

general_orders general_linear_orders(const keel_general_linear *g, int most);

/* Is the last stage one of the new values, y_(n+1) itself? */
int general_linear_stiffly_accurate(const keel_general_linear *g);

#endif
