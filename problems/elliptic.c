/* elliptic.c -- Jacobi elliptic functions, for pendulums and Troesch's problem.
 *
 *   sn, cn, dn, K   by the arithmetic-geometric mean a, b, c = (a - b)/2 of 1 and k':
 *                   phi_N = 2^N a_N u,  sin(2 phi_(n-1) - phi_n) = (c_n/a_n) sin phi_n,
 *                   sn = sin phi_0,  K = pi/(2 a_N)
 *   sc(u, k)        = -i sn(iu, k'), by Landen's transformation of the small modulus k':
 *                   S(u, k) = (1 + l) S(u/(1 + l), l)/(1 - l S^2),  l = (1 - k')/(1 + k')
 *
 * The second keeps its digits where k is so near to 1 that cn has none.
 * Abramowitz & Stegun, Handbook of Mathematical Functions, 16.4, 16.12, 16.20, 17.6.
 */
#include <math.h>

#include "problems/boundary.h"

enum { MEANS = 12 };             /* each squares c/a: far more than rounding needs */

static const double pi = 3.14159265358979323846;
static const double negligible = 1e-17;          /* c/a, or the square of a modulus */

/* Returns N, and a_0..a_N, c_0..c_N. */
static int means(double k, double a[MEANS + 1], double c[MEANS + 1])
{
    double b = sqrt((1 - k) * (1 + k));
    int n = 0;
    a[0] = 1;
    c[0] = k;
    for (; n < MEANS && c[n] > negligible * a[n]; n++) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = c[n] * c[n] / (4 * a[n + 1]);
        b = sqrt(a[n] * b);
    }
    return n;
}

void elliptic_functions(double u, double k, double *sn, double *cn, double *dn)
{
    double a[MEANS + 1], c[MEANS + 1];
    const int last = means(k, a, c);
    double phi = ldexp(a[last] * u, last);
    for (int n = last; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - k * k * *sn * *sn);
}

double elliptic_quarter(double k)
{
    double a[MEANS + 1], c[MEANS + 1];
    return pi / (2 * a[means(k, a, c)]);
}

double elliptic_sc(double u, double kc)
{
    if (kc * kc < negligible) return sinh(u);
    const double k = sqrt((1 - kc) * (1 + kc)), l = kc * kc / ((1 + k) * (1 + k));
    const double s = elliptic_sc(u / (1 + l), l), rest = 1 - l * s * s;
    return rest > 0 ? (1 + l) * s / rest : INFINITY;
}
