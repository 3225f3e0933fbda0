/* real.h -- arithmetic in which coefficients are computed: 113 bits where the compiler has them,
 * rounded to double once at the end.  With long double of 64 bits the last digits suffer. */
#ifndef KEEL_METHOD_REAL_H
#define KEEL_METHOD_REAL_H

#include "method/method.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 real;
#define NOISE 1e-30
#else
typedef long double real;
#define NOISE 1e-17
#endif

typedef real real_matrix[STAGES_MAX][STAGES_MAX];

static inline real magnitude(real x)
{
    return x < 0 ? -x : x;
}

/* n!, exact up to 22!. */
static inline double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* x^k, k >= 0. */
static inline double integer_power(double x, int k)
{
    double power = 1;
    while (k-- > 0) power *= x;
    return power;
}

/* P_0 .. P_s, the Legendre polynomials on [0,1], and their derivatives at x; s >= 1. */
void legendre(int s, real x, real *P, real *slope);

/* inv := a^-1 by Gauss-Jordan with row pivoting.  0, or KEEL_SINGULAR for a zero pivot. */
int real_invert(int s, real_matrix a, real_matrix inv);

#endif
