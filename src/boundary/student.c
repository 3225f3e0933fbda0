/* student.c -- quantiles of Student's distribution.
 *
 *   P(|T| <= q) = 1 - I_x(n/2, 1/2),   x = n/(n + q^2)
 *
 * I_x, the incomplete beta function, by its continued fraction [Abramowitz & Stegun, Handbook of
 * Mathematical Functions, 26.5.8 and 26.7.1], q by bisection.
 */
#include <float.h>
#include <math.h>

#include "boundary/fit.h"

/* The continued fraction, by Lentz's method; converges fast for x < (a + 1)/(a + b + 2). */
static double fraction(double a, double b, double x)
{
    enum { MOST = 500 };
    double c = 1, d = 1 - (a + b) * x / (a + 1), value;
    d = 1 / (fabs(d) > DBL_MIN ? d : DBL_MIN);
    value = d;
    for (int m = 1; m < MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            double e = k ? odd : even;
            d = 1 + e * d;
            c = 1 + e / c;
            d = 1 / (fabs(d) > DBL_MIN ? d : DBL_MIN);
            if (!(fabs(c) > DBL_MIN)) c = DBL_MIN;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 4 * DBL_EPSILON) break;
    }
    return value;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                     : 1 - front * fraction(b, a, 1 - x) / b;
}

double student_quantile(double confidence, int freedom)
{
    double low = 0, high = 1, n = freedom;
    while (1 - incomplete_beta(n / 2, 0.5, n / (n + high * high)) < confidence && high < 1e10) high *= 2;
    for (int i = 0; i < 100; i++) {
        double q = (low + high) / 2;
        if (1 - incomplete_beta(n / 2, 0.5, n / (n + q * q)) < confidence) low = q;
        else high = q;
    }
    return (low + high) / 2;
}
