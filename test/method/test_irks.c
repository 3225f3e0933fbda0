/* test_irks.c -- general linear methods with inherent Runge-Kutta stability: what tables_irks.c
 * claims of them, from their coefficients as doubles. */
#include "method/tables.h"               /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { METHODS = 5, N = METHODS + 1 };

static const keel_general_linear *const methods[METHODS] = {&irks_1, &irks_2, &irks_3, &irks_4,
                                                            &irks_5};
static const double lambda[METHODS] = {3. / 10, 1. / 4, 1. / 4, 1. / 4, 1. / 5};
static const double error_constant[METHODS] = {-1. / 100, -7. / 192, 1. / 256, 13. / 15360,
                                               -301. / 2250000};

/* What rounding the coefficients to doubles allows a sum of products with them to be off. */
static const double rounding = 32 * DBL_EPSILON;

static void near(double value, double expected, double scale)
{
    if (!(fabs(value - expected) <= rounding * fmax(1, scale)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* sum_j a_j x_j with the scale of its rounding */
static double dot(int n, const double *a, const double *x, int stride, double *scale)
{
    double sum = 0;
    for (int j = 0; j < n; j++) {
        sum += a[j] * x[j * stride];
        *scale += fabs(a[j] * x[j * stride]);
    }
    return sum;
}

static double monomial(double t, int d)
{
    return d < 0 ? 0 : pow(t, d) / tgamma(d + 1);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* y = t^d / d! with h = 1 from exact values: the stages Y and the values carried. */
static void step_on_monomial(const keel_general_linear *g, int d, double *Y, double *y,
                             double *scale)
{
    double in[N], slope[N];
    int s = g->stages;
    for (int k = 0; k < s; k++) in[k] = k == d;
    for (int j = 0; j < s; j++) slope[j] = monomial(g->c[j], d - 1);
    *scale = 0;
    for (int i = 0; i < s; i++) {
        Y[i] = dot(s, g->A + i * s, slope, 1, scale) + dot(s, g->U + i * s, in, 1, scale);
        y[i] = dot(s, g->B + i * s, slope, 1, scale) + dot(s, g->V + i * s, in, 1, scale);
    }
}

/* Order and stage order p, the error constant, and values k >= 1 that are exact to degree p + 1. */
static void orders(void **state)
{
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        const keel_general_linear *g = methods[p - 1];
        double Y[N], y[N], scale;
        assert_int_equal(g->order, p);
        assert_int_equal(g->stage_order, p);
        assert_int_equal(g->stages, p + 1);
        assert_int_equal(g->values, p + 1);
        for (int d = 0; d <= p + 1; d++) {
            step_on_monomial(g, d, Y, y, &scale);
            for (int i = 0; d <= p && i <= p; i++) near(Y[i], monomial(g->c[i], d), scale);
            for (int k = 1; k <= p; k++) near(y[k], monomial(1, d - k), scale);
            near(y[0], monomial(1, d) - (d > p ? error_constant[p - 1] : 0), scale);
        }
    }
}

/* y(t_n+1) - y_n+1 = kappa (Y_s - Y_j) for y = t^(p+1) */
static void estimates(void **state)
{
    static const struct { int j; double kappa; } claimed[METHODS] = {
        {0, -1. / 21}, {2, -7. / 3}, {2, -3. / 11}, {1, -13. / 45}, {1, 301. / 324}};
    double Y[N], y[N], scale;
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        int j = claimed[p - 1].j;
        step_on_monomial(methods[p - 1], p + 1, Y, y, &scale);
        double difference = p == 1 ? Y[1] - 7. / 4 * Y[0] : Y[p] - Y[j - 1];
        if (p > 1) assert_true(methods[p - 1]->c[j - 1] == 1);
        near(claimed[p - 1].kappa * difference, error_constant[p - 1], 1);
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

/* B A = K^T B and B U = K^T V - V K^T but for the first rows */
static void inherent_stability(void **state)
{
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        const keel_general_linear *g = methods[p - 1];
        int s = p + 1;
        for (int k = 1; k < s; k++)
            for (int l = 0; l < s; l++) {
                double scale = 0, BA = dot(s, g->B + k * s, g->A + l, s, &scale);
                double BU = dot(s, g->B + k * s, g->U + l, s, &scale);
                double right = l < p ? g->V[k * s + l + 1] : 0;
                near(BA, g->B[(k - 1) * s + l], scale);
                near(BU, g->V[(k - 1) * s + l] - right, scale + fabs(right));
            }
    }
}

/* A has one eigenvalue; the last stage and slope are carried; V, but for its first row, is strictly
 * lower triangular; orders 2 to 5 use y_0 .. y_(p-1) only; nodes lie in the step. */
static void structure(void **state)
{
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        const keel_general_linear *g = methods[p - 1];
        int s = p + 1;
        assert_true(g->c[p] == 1);
        for (int i = 0; i < s; i++) {
            assert_true(g->A[i * s + i] == lambda[p - 1]);
            assert_true(g->c[i] >= 0 && g->c[i] <= 1);
            assert_true(g->A[p * s + i] == g->B[i] && g->U[p * s + i] == g->V[i]);
            assert_true(g->B[s + i] == (i == p) && g->V[s + i] == 0);
            assert_true(g->V[i * s] == (i == 0));
            if (p > 1) assert_true(g->U[i * s + p] == 0);
            for (int l = i; l < s; l++) {
                assert_true(l == i || g->A[i * s + l] == 0);
                assert_true(i == 0 || g->V[i * s + l] == 0);
            }
        }
    }
}

/* ---- stability ------------------------------------------------------------------------------- */

/* y := M(z) D(r) y, M(z) = V + z B (I - z A)^-1 U; stage after stage. */
static void advance(const keel_general_linear *g, double complex z, double r, double complex *y)
{
    int s = g->stages;
    double complex slope[N], in[N];
    for (int k = 0; k < s; k++) in[k] = y[k] * pow(r, k);
    for (int i = 0; i < s; i++) {
        double complex Y = 0;
        for (int k = 0; k < s; k++) Y += g->U[i * s + k] * in[k];
        for (int j = 0; j < i; j++) Y += g->A[i * s + j] * slope[j];
        slope[i] = z * Y / (1 - z * g->A[i * s + i]);
    }
    for (int k = 0; k < s; k++) {
        y[k] = 0;
        for (int j = 0; j < s; j++) y[k] += g->B[k * s + j] * slope[j] + g->V[k * s + j] * in[j];
    }
}

/* N(z) / (1 - lambda z)^(p+1), N the series of e^z (1 - lambda z)^(p+1) up to z^p */
static double complex stability_function(int p, double complex z)
{
    double complex numerator = 0;
    for (int k = p; k >= 0; k--) {
        double coefficient = 0, binomial = 1;
        for (int j = 0; j <= k; j++) {
            coefficient += binomial * pow(-lambda[p - 1], j) / tgamma(k - j + 1);
            binomial = binomial * (p + 1 - j) / (j + 1);
        }
        numerator = numerator * z + coefficient;
    }
    double complex denominator = 1;
    for (int j = 0; j <= p; j++) denominator *= 1 - lambda[p - 1] * z;
    return numerator / denominator;
}

/* M(z), and the sizes of what its entries are sums of. */
static void stability_matrix(const keel_general_linear *g, double complex z,
                             double complex M[N][N], double size[N][N])
{
    int s = g->stages;
    for (int l = 0; l < s; l++) {
        double complex y[N] = {0};
        double slope[N];
        y[l] = 1;
        advance(g, z, 1, y);
        for (int i = 0; i < s; i++) {
            slope[i] = fabs(g->U[i * s + l]);
            for (int j = 0; j < i; j++) slope[i] += fabs(g->A[i * s + j]) * slope[j];
            slope[i] *= cabs(z / (1 - z * g->A[i * s + i]));
        }
        for (int k = 0; k < s; k++) {
            M[k][l] = y[k];
            size[k][l] = fabs(g->V[k * s + l]);
            for (int j = 0; j < s; j++) size[k][l] += fabs(g->B[k * s + j]) * slope[j];
        }
    }
}

/* det(w I - M(z)) = w^p (w - R(z)): (I - z K^T) M(z) = V (I - z K^T) but for the first row, V being
 * strictly lower triangular there, and the first entry of M(z) (I - z K^T)^-1 is R(z). */
static void runge_kutta_stability(void **state)
{
    static const double complex points[] = {
        0, -0.1, -1, -10, -1e3, 0.2, 1 * I, 10 * I, -1 + 1 * I, -3 + 5 * I, -0.5 - 20 * I, 1e6 * I};
    (void)state;
    for (int p = 1; p <= METHODS; p++)
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            const double *V = methods[p - 1]->V;
            double complex M[N][N], z = points[i], first = 0, power = 1;
            double size[N][N], first_size = 0;
            stability_matrix(methods[p - 1], z, M, size);
            for (int l = 0; l <= p; l++, power *= z) {
                first += M[0][l] * power;
                first_size += size[0][l] * cabs(power);
                for (int k = 1; k <= p; k++) {
                    double right = l < p ? V[k * (p + 1) + l + 1] : 0;
                    double complex defect = M[k][l] - z * M[k - 1][l];
                    defect -= V[k * (p + 1) + l] - z * right;
                    double scale = size[k][l] + cabs(z) * (size[k - 1][l] + fabs(right));
                    assert_true(cabs(defect) <= rounding * fmax(1, scale));
                }
            }
            assert_true(cabs(first - stability_function(p, z)) <= rounding * first_size);
        }
}

/* |R(iy)| <= 1 with lambda > 0, and R(inf) = 0 */
static void l_stability(void **state)
{
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        for (double y = 1e-3; y < 1e8; y *= 1.0005)
            assert_true(cabs(stability_function(p, I * y)) <= 1 + 4 * DBL_EPSILON);
        assert_true(cabs(stability_function(p, -1e8)) < 1e-6);
    }
}

static double ratio(unsigned *seed, double most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return exp((*seed / 2147483648.0 - 1) * log(most));
}

/* y' = mu y with arbitrary steps, after an arbitrary start: y_(n+1) = R(h_n mu) y_n from the
 * (p+1)-st step on. */
static void any_steps(void **state)
{
    static const double complex mu[] = {-1, -0.3 + 2 * I, -1e4};
    (void)state;
    for (int p = 1; p <= METHODS; p++)
        for (size_t i = 0; i < sizeof mu / sizeof *mu; i++) {
            double complex y[N] = {1, 0.5, -0.2, 0.1, 0.3, -0.1};
            double h = 1;
            unsigned seed = 1;
            for (int n = 0; n < 12; n++) {
                double r = ratio(&seed, 3), largest = 0;
                double complex before = y[0];
                h *= r;
                for (int k = 0; k <= p; k++) largest = fmax(largest, cabs(y[k]) * pow(r, k));
                advance(methods[p - 1], h * mu[i], r, y);
                /* entries of B and V reach 1e4 */
                if (n >= p)
                    assert_true(cabs(y[0] - stability_function(p, h * mu[i]) * before) <=
                                1e4 * rounding * largest);
            }
        }
}

/* M(inf) = V - B A^-1 U is strictly lower triangular, and so is M(inf) D(r): products of p + 1 of
 * them vanish, whatever the ratios. */
static void infinity(void **state)
{
    (void)state;
    for (int p = 1; p <= METHODS; p++) {
        const keel_general_linear *g = methods[p - 1];
        int s = p + 1;
        for (int l = 0; l < s; l++) {
            double slope[N], size[N];            /* A^-1 U e_l, and what it is a difference of */
            for (int i = 0; i < s; i++) {
                slope[i] = g->U[i * s + l];
                size[i] = fabs(slope[i]);
                for (int j = 0; j < i; j++) {
                    slope[i] -= g->A[i * s + j] * slope[j];
                    size[i] += fabs(g->A[i * s + j]) * size[j];
                }
                slope[i] /= lambda[p - 1];
                size[i] /= lambda[p - 1];
            }
            for (int k = 0; k <= l; k++) {
                double scale = fabs(g->V[k * s + l]), unused = 0;
                for (int j = 0; j < s; j++) scale += fabs(g->B[k * s + j]) * size[j];
                near(g->V[k * s + l], dot(s, g->B + k * s, slope, 1, &unused), scale);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders), cmocka_unit_test(estimates), cmocka_unit_test(inherent_stability),
        cmocka_unit_test(structure), cmocka_unit_test(runge_kutta_stability),
        cmocka_unit_test(l_stability), cmocka_unit_test(any_steps), cmocka_unit_test(infinity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
