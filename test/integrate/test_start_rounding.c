/* test_start_rounding.c -- constant steps of high order begin with values that are right to
 * rounding.
 *
 * The largest error of all points is that of the formula: of the same one in extended precision
 * with exact starting values, to a tenth.  y' = F(y) + r(t) of problems/order_ode.c, where BDF
 * formulas of order 6 have errors of 1e-11 and 2e-13 with 256 and 512 steps.  On index 3, where
 * rounding errors of the start come back divided by h^2, orders are observed instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "problems/problems.h"

enum { N = 3, MOST = 6 };
typedef long double real;

static void curves(real t, real *x, real *rate)
{
    static const real a[N] = {0.5L, 0.4L, 0.5L}, w[N] = {2.3L, 1.9L, 2.7L};
    static const real p[N] = {0.4L, 1.3L, 2.5L};
    for (int i = 0; i < N; i++) {
        x[i] = 1 + a[i] * sinl(w[i] * t + p[i]);
        rate[i] = a[i] * w[i] * cosl(w[i] * t + p[i]);
    }
}

static void drift(const real *y, real *F)
{
    F[0] = -y[0] * y[2] + y[1];
    F[1] = sinl(y[0] * y[1]) - y[2];
    F[2] = y[0] * y[0] - y[1] * y[2];
}

/* y := known + h beta (F(y) + r), by fixed point iteration: h L < 0.05. */
static void solve(real t, real factor, const real *known, real *y)
{
    real x[N], rate[N], at_x[N], F[N];
    curves(t, x, rate);
    drift(x, at_x);
    for (int pass = 0; pass < 40; pass++) {
        drift(y, F);
        for (int i = 0; i < N; i++) y[i] = known[i] + factor * (F[i] - at_x[i] + rate[i]);
    }
}

/* sum_j nabla^j y / j = h f, from exact values before the start; the largest error until t = 2. */
static real formula_error(int order, int steps)
{
    real past[MOST][N], rate[N], x[N], h = 2.0L / steps, leading = 0, c[MOST + 1] = {0}, worst = 0;
    for (int j = 1; j <= order; j++) {
        real binomial = 1;
        leading += 1.0L / j;
        for (int k = 0; k <= j; k++) {
            c[k] += (k % 2 ? -binomial : binomial) / j;
            binomial = binomial * (j - k) / (k + 1);
        }
    }
    for (int j = 0; j < order; j++) curves(-j * h, past[j], rate);
    for (int n = 1; n <= steps; n++) {
        real y[N], known[N] = {0};
        for (int i = 0; i < N; i++) {
            y[i] = past[0][i];
            for (int j = 1; j <= order; j++) known[i] -= c[j] / leading * past[j - 1][i];
        }
        solve(n * h, h / leading, known, y);
        for (int j = order - 1; j > 0; j--)
            for (int i = 0; i < N; i++) past[j][i] = past[j - 1][i];
        curves(n * h, x, rate);
        for (int i = 0; i < N; i++) {
            past[0][i] = y[i];
            worst = fmaxl(worst, fabsl(y[i] - x[i]));
        }
    }
    return worst;
}

/* The largest error of the first unknowns until t = 2. */
static double keel_error(const char *method, const char *problem, int unknowns, int steps)
{
    const bundled_problem *b = bundled_problem_find(problem);
    keel_options o = {.method = method, .step = 2.0 / steps};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[8], exact[8], worst = 0;
    assert_int_equal(b->create(&p, NULL), KEEL_OK);
    b->start(NULL, y);
    assert_int_equal(keel_solver_create(&s, p, &o), KEEL_OK);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    assert_int_equal(keel_set_stop_time(s, 2), KEEL_OK);
    while (keel_time(s) != 2) {
        assert_int_equal(keel_step(s), KEEL_OK);
        b->exact(NULL, keel_time(s), exact);
        for (int i = 0; i < unknowns; i++)
            worst = fmax(worst, fabs(keel_state(s)[i] - exact[i]));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return worst;
}

static void errors_are_those_of_the_formula(void **state)
{
    static const struct { const char *name; int order, steps; } runs[] = {
        {"bdf-5", 5, 256}, {"bdf-6", 6, 256}, {"bdf-6", 6, 512}};
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        double error = keel_error(runs[k].name, "order-ode", N, runs[k].steps);
        double ideal = (double)formula_error(runs[k].order, runs[k].steps);
        if (!(fabs(error - ideal) <= 0.1 * ideal))
            fail_msg("%s, %d steps: error %.3e instead of %.3e", runs[k].name, runs[k].steps, error,
                     ideal);
    }
}

static void orders_on_index_3(void **state)
{
    (void)state;
    double coarse = keel_error("bdf-6", "order-index3", 5, 128);
    double fine = keel_error("bdf-6", "order-index3", 5, 256);
    if (!(log2(coarse / fine) > 5.5)) fail_msg("errors %.3e and %.3e", coarse, fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_those_of_the_formula),
                                       cmocka_unit_test(orders_on_index_3)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
