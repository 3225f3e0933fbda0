/* locus.c -- linear stability of general linear methods, M(z) = V + z B (I - zA)^-1 U.
 *
 * M(z) has the eigenvalue w where det(I - z N(w)) = 0, N(w) = A + U (wI - V)^-1 B, as both are the
 * determinant of [I - zA, -zU; -B, wI - V] up to factors.  So the boundary of the stability region
 * lies on the curves z = 1/mu, mu an eigenvalue of N(e^(i theta)), s x s; for multistep methods
 * that is the root locus z = rho(w)/sigma(w) [HW96 V.1].  A sector around the negative real axis
 * that no curve enters is stable as a whole if one of its points is: alpha is the least angle on
 * the curves.
 */
#include "method/locus.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stddef.h>

#include "linear/linear.h"
#include "method/principal.h"
#include "method/rays.h"

enum { S = KEEL_STAGES_MOST, R = KEEL_VALUES_MOST, LARGEST = KEEL_STAGES_MOST, POINTS = 720 };
_Static_assert((int)R <= (int)S, "the larger of both");

typedef double complex number;

static const double pi = 3.14159265358979323846, degree = 57.295779513082321;

static number complex_of(double re, double im)
{
    const union { double part[2]; number whole; } z = {.part = {re, im}};
    return z.whole;
}

/* Those of the transposed matrix, which are the same; M is lost. */
static int eigenvalues(int n, number *M, number *value)
{
    number work[8 * LARGEST];
    double real_work[2 * LARGEST];
    value[0] = M[0];
    if (n == 1) return 0;
    return (int)LAPACKE_zgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, M, n, value, NULL, 1, NULL, 1,
                                   work, 8 * LARGEST, real_work);
}

/* base + scale left M^-1 right: base [n n], left [n m], M [m m], which is lost, right [m n]. */
static int schur_complement(int n, int m, const double *base, number scale, const double *left,
                            number *M, const double *right, number *sum)
{
    int pivot[LARGEST];
    number x[LARGEST];
    if (dense_factor_complex(m, (double *)M, pivot)) return 1;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) x[k] = right[k * n + j];
        dense_solve_complex(m, (const double *)M, pivot, (double *)x);
        for (int i = 0; i < n; i++) {
            number product = 0;
            for (int k = 0; k < m; k++) product += left[i * m + k] * x[k];
            sum[i * n + j] = base[i * n + j] + scale * product;
        }
    }
    return 0;
}

/* ---- M(z) ---------------------------------------------------------------------------------- */

void dominant_eigenvalue(const keel_general_linear *g, double re, double im, double *w_re,
                         double *w_im)
{
    int s = g->stages, r = g->values, largest = 0;
    number z = complex_of(re, im), shifted[S * S], M[R * R], w[R];
    for (int i = 0; i < s * s; i++) shifted[i] = (i % (s + 1) == 0) - z * g->A[i];
    *w_re = INFINITY, *w_im = 0;
    if (schur_complement(r, s, g->V, z, g->B, shifted, g->U, M) || eigenvalues(r, M, w)) return;
    for (int i = 1; i < r; i++)
        if (cabs(w[i]) > cabs(w[largest])) largest = i;
    *w_re = creal(w[largest]), *w_im = cimag(w[largest]);
}

static double radius_at(const void *of, long double re, long double im)
{
    double x, y;
    dominant_eigenvalue(of, (double)re, (double)im, &x, &y);
    return hypot(x, y);
}

/* ---- the curves ---------------------------------------------------------------------------- */

/* The least angle between the negative real axis and the points 1/mu of w = e^(i theta); 180 where
 * there are none.  z = infinity, where rounding has all directions, is judged by M(inf). */
static double angle_at(const keel_general_linear *g, double theta)
{
    const double least_size = 1e-6;
    int s = g->stages, r = g->values;
    number w = complex_of(cos(theta), sin(theta)), shifted[R * R], N[S * S], mu[S];
    double angle = 180;
    for (int i = 0; i < r * r; i++) shifted[i] = (i % (r + 1) == 0 ? w : 0) - g->V[i];
    if (schur_complement(s, r, g->A, 1, g->U, shifted, g->B, N)) return angle;
    if (eigenvalues(s, N, mu)) return angle;
    for (int i = 0; i < s; i++)
        if (cabs(mu[i]) > least_size)
            angle = fmin(angle, degree * atan2(fabs(cimag(mu[i])), -creal(mu[i])));
    return angle;
}

/* The least angle between two points, by golden section. */
static double refined_minimum(const keel_general_linear *g, double a, double c)
{
    const double golden = 0.6180339887498949;
    double x = c - golden * (c - a), y = a + golden * (c - a);
    double at_x = angle_at(g, x), at_y = angle_at(g, y);
    for (int k = 0; k < 40; k++)
        if (at_x < at_y) {
            c = y; y = x; at_y = at_x;
            at_x = angle_at(g, x = c - golden * (c - a));
        } else {
            a = x; x = y; at_x = at_y;
            at_y = angle_at(g, y = a + golden * (c - a));
        }
    return fmin(at_x, at_y);
}

/* A minimum, but not of rounding: the curves of symmetric methods are the imaginary axis. */
static int dips(const double *angle)
{
    const double noise = 1e-8;
    return angle[0] <= angle[-1] && angle[0] <= angle[1]
        && fmax(angle[-1], angle[1]) - angle[0] > noise;
}

static double least_angle(const keel_general_linear *g)
{
    double angle[POINTS + 1], least = 180;
    angle[0] = 180;
    for (int i = 1; i <= POINTS; i++) {
        angle[i] = angle_at(g, pi * i / POINTS);
        least = fmin(least, angle[i]);
    }
    double coarse = least;
    for (int i = 2; i < POINTS; i++)
        if (dips(&angle[i]) && angle[i] < coarse + 1)
            least = fmin(least, refined_minimum(g, pi * (i - 1) / POINTS, pi * (i + 1) / POINTS));
    return least;
}

/* ---- what follows -------------------------------------------------------------------------- */

static double imaginary_limit(const keel_general_linear *g, const keel_general_analysis *a)
{
    long double w[PRINCIPAL_TERMS + 1];
    int terms = 2 * a->order + 6 < PRINCIPAL_TERMS ? 2 * a->order + 6 : PRINCIPAL_TERMS;
    if (principal_series(g, a->preconsistency, terms, w) == KEEL_OK
        && leaves_at_once(w, terms, a->order)) return 0;
    return first_excess(&(ray){radius_at, g, 0, 1});
}

void find_general_stability(const keel_general_linear *g, keel_general_analysis *a)
{
    const double noise = 1e-10, narrow = 1e-3, right_angle = 90 - 1e-6;
    a->alpha = a->real_limit = a->imaginary_limit = a->a_stable = a->l_stable = 0;
    if (!a->zero_stable) return;
    if (a->rho_infinity <= 1 + noise && radius_at(g, -1, 0) <= 1 + noise) a->alpha = least_angle(g);
    if (a->alpha < narrow) a->alpha = 0;
    a->a_stable = a->alpha >= right_angle;
    if (a->a_stable) a->alpha = 90;
    a->l_stable = a->a_stable && a->rho_infinity == 0;
    a->real_limit = a->alpha > 0 ? INFINITY : first_excess(&(ray){radius_at, g, -1, 0});
    a->imaginary_limit = a->a_stable ? INFINITY : imaginary_limit(g, a);
}
