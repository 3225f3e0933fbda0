/* test_step.c -- interpolation, step size control, and the judgement of Newton's method. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "step/control.h"
#include "step/interpolation.h"
#include "step/newton.h"

/* ---- interpolation --------------------------------------------------------------------------- */

static double polynomial(int degree, double x)
{
    double sum = 0;
    for (int k = degree; k >= 0; k--) sum = sum * x + (k % 2 ? -1.0 : 2.0) / (k + 1);
    return sum;
}

/* s + 1 nodes reproduce polynomials of degree s, inside and outside the step. */
static void exact_for_polynomials(void **state)
{
    (void)state;
    for (int points = 1; points <= 8; points++) {
        double nodes[8], weights[8], values[16];
        for (int j = 0; j < points; j++) nodes[j] = points > 1 ? pow(j / (points - 1.0), 1.5) : 0;
        barycentric_weights(points, nodes, weights);
        for (int j = 0; j < points; j++) {
            values[2 * j] = polynomial(points - 1, nodes[j]);
            values[2 * j + 1] = 1;
        }
        interpolant p = {.t0 = 3, .h = 0.5, .points = points, .nodes = nodes,
                         .barycentric = weights, .values = values};
        for (double theta = -0.25; theta <= 1.5; theta += 0.0625) {
            double y[2];
            interpolant_at(&p, 2, theta, y);
            assert_true(fabs(y[0] - polynomial(points - 1, theta)) < 1e-11);
            assert_true(fabs(y[1] - 1) < 1e-11);
        }
    }
}

/* At a node the value is the stored one, bit for bit. */
static void exact_at_nodes(void **state)
{
    double nodes[3] = {0, 0.4, 1}, weights[3], values[3] = {0.1, 1 / 3.0, -7e100}, y;
    (void)state;
    barycentric_weights(3, nodes, weights);
    interpolant p = {.points = 3, .nodes = nodes, .barycentric = weights, .values = values};
    for (int j = 0; j < 3; j++) {
        interpolant_at(&p, 1, nodes[j], &y);
        assert_memory_equal(&y, &values[j], sizeof y);
    }
}

/* ---- control --------------------------------------------------------------------------------- */

static controller fresh(void)
{
    return (controller){.safety = 0.9, .shrink_most = 0.2, .grow_most = 8};
}

static void control_limits(void **state)
{
    controller c = fresh();
    (void)state;
    assert_true(control_factor(&c, 0.1, 0, 0.25, 1, 7) == 8);             /* no error at all */
    c = fresh();
    assert_true(control_factor(&c, 0.1, 1e30, 0.25, 1, 7) == 0.2);
    assert_int_equal(c.rejected_before, 1);
    assert_true(control_factor(&c, 0.1, 1e-20, 0.25, 1, 7) <= 1);  /* not right after a failure */
    assert_int_equal(c.rejected_before, 0);
    assert_true(control_factor(&c, 0.1, 1e-20, 0.25, 1, 7) > 1);
}

/* error ~ h^(q+1): without history the next error would be safety^(q+1). */
static void control_law(void **state)
{
    (void)state;
    for (int q = 2; q <= 7; q++) {
        controller c = fresh();
        double factor = control_factor(&c, 0.1, 0.3, 1.0 / (q + 1), 1, 7);
        assert_true(fabs(0.3 * pow(factor, q + 1) - pow(0.9, q + 1)) < 1e-12);
        assert_true(c.h_accepted == 0.1 && c.accepted_before);
        controller slow = fresh();
        double many = control_factor(&slow, 0.1, 0.3, 1.0 / (q + 1), 7, 7);    /* iterations */
        assert_true(many < factor);
    }
}

/* Growing errors make the predictive controller more careful than the classical one. */
static void predictive_control(void **state)
{
    controller c = fresh(), classical = fresh();
    (void)state;
    control_factor(&c, 0.1, 0.05, 0.25, 1, 7);
    double careful = control_factor(&c, 0.1, 0.5, 0.25, 1, 7);
    assert_true(careful < control_factor(&classical, 0.1, 0.5, 0.25, 1, 7));
}

/* With constant errors the PI law is the classical one with the exponent e - 1.75 beta. */
static void proportional_control(void **state)
{
    controller c = fresh();
    (void)state;
    c.beta = 0.02;
    control_factor(&c, 0.1, 0.3, 0.125, 1, 1);
    double factor = control_factor(&c, 0.1, 0.3, 0.125, 1, 1);
    assert_true(fabs(factor - 0.9 * pow(0.3, 1.75 * 0.02 - 0.125)) < 1e-14);
}

/* Between orders: the least error gives the largest step, none at all a bounded one. */
static void reach_of_orders(void **state)
{
    (void)state;
    assert_true(fabs(control_reach(16, 0.25) - 0.5) < 1e-6);
    assert_true(control_reach(0, 0.25) <= 1e6 && control_reach(INFINITY, 0.5) == 0);
}

/* For y = 3 exp(-5 t): |y'|/|y| = sqrt(|y''|/|y|) = 5; for y = cos(4 t) at 0 only y'' has the rate. */
static void first_steps(void **state)
{
    static const double rtol[2] = {1e-6, 1e-6}, atol[2] = {0, 0};
    const double y[2] = {3, 1}, slope[2] = {-15, 0}, bend[2] = {75, -16};
    const int index[2] = {2, 1};
    start_rates f = {.n = 2, .y = y, .slope = slope, .bend = bend, .rtol = rtol, .atol = atol};
    (void)state;
    assert_true(fabs(control_first(&f, 1e-6, 0.5) / (1e-3 / 5) - 1) < 1e-14);
    f.index = index;
    assert_true(fabs(control_first(&f, 1e-6, 0.5) / (1e-3 / 4) - 1) < 1e-14);
    f.bend = NULL;
    double at_rest = control_first(&f, 1e-6, 0.5);
    assert_true(at_rest > 0 && isfinite(at_rest));
    f.index = NULL;
    assert_true(fabs(control_first(&f, 1e-6, 0.5) / (1e-4 / 5) - 1) < 1e-14);
}

/* An error that is not a number rejects and shrinks, and leaves no trace in the history. */
static void control_of_nan(void **state)
{
    controller c = fresh();
    (void)state;
    control_factor(&c, 0.1, 0.5, 0.25, 1, 7);
    double factor = control_factor(&c, 0.2, NAN, 0.25, 1, 7);
    assert_true(factor > 0 && factor < 1);
    assert_int_equal(c.rejected_before, 1);
    assert_true(c.h_accepted == 0.1 && c.error_accepted == 0.5);
    factor = control_factor(&c, 0.2, INFINITY, 0.25, 1, 7);
    assert_true(factor == 0.2);
}

/* ---- Newton's method ------------------------------------------------------------------------- */

static newton_monitor begun(double factor, int limit)
{
    newton_monitor m = {.factor = factor, .rate = 1};
    newton_begin(&m, limit, 0);
    return m;
}

/* Updates 1, theta, theta^2, ...: what the monitor says about them, and after how many. */
static newton_verdict iterate(newton_monitor *m, double theta, double tolerance, double *update)
{
    newton_verdict verdict = NEWTON_GO_ON;
    *update = 1 / theta;
    for (int k = 0; k < 1000 && verdict == NEWTON_GO_ON; k++)
        verdict = newton_judge(m, *update *= theta, tolerance, 0);
    return verdict;
}

static void newton_converges(void **state)
{
    double update;
    newton_monitor m = begun(1, 10);
    (void)state;
    assert_int_equal(iterate(&m, 0.01, 1e-6, &update), NEWTON_DONE);
    assert_true(fabs(m.rate - 0.01) < 1e-14);
    assert_true(update * 0.01 / 0.99 <= 1e-6);                 /* the error that remains */
    assert_true(m.iterations <= 4);
}

/* A fast step before lets one iteration suffice; without that knowledge it does not. */
static void newton_one_iteration(void **state)
{
    newton_monitor knowing = begun(1e-6, 10), ignorant = begun(1, 10);
    (void)state;
    assert_int_equal(newton_judge(&knowing, 0.5, 1e-3, 0), NEWTON_DONE);
    assert_int_equal(knowing.iterations, 1);
    assert_int_equal(newton_judge(&ignorant, 0.5, 1e-3, 0), NEWTON_GO_ON);
}

/* What convergence from a small update said does not hold for a large one. */
static void newton_one_iteration_of_its_size(void **state)
{
    newton_monitor m = begun(1, 10);
    (void)state;
    assert_int_equal(newton_judge(&m, 1, 1e-3, 0), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, 1e-7, 1e-3, 0), NEWTON_DONE);
    newton_monitor alike = m, larger = m;
    newton_begin(&alike, 10, 0);
    assert_int_equal(newton_judge(&alike, 2, 1e-3, 0), NEWTON_DONE);
    newton_begin(&larger, 10, 0);
    assert_int_equal(newton_judge(&larger, 100, 1e-3, 0), NEWTON_GO_ON);
}

/* What is wanted beyond the tolerance is had where the rate allows it; where it does not, because the
 * equations are noisy or end there, what met the tolerance stays. */
static int refuses(void *context, double *update)
{
    int *calls = context;
    *update = 1e-4;
    return ++*calls > 1;
}

static void newton_goes_on_while_fast(void **state)
{
    double update;
    int calls = 0;
    newton_monitor fast = begun(1e-6, 20), noisy = begun(1e-6, 10), ends = begun(1e-6, 10);
    (void)state;
    fast.finer = noisy.finer = ends.finer = 1e-12;
    assert_int_equal(iterate(&fast, 0.1, 1e-3, &update), NEWTON_DONE);
    assert_true(update > 0.09e-11 && update <= 1.01e-11);      /* a tenth of it is left */
    assert_int_equal(newton_judge(&noisy, 1e-4, 1e-3, 0), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&noisy, 2e-4, 1e-3, 0), NEWTON_DONE);
    assert_true(noisy.rate == 1 && noisy.factor < 1e-4);       /* noise says nothing of the rate */
    assert_int_equal(newton_iterate(&ends, 1e-3, 0, refuses, &calls), NEWTON_DONE);
    assert_int_equal(calls, 2);
}

static void newton_diverges(void **state)
{
    double update;
    newton_monitor m = begun(1, 10);
    (void)state;
    assert_int_equal(iterate(&m, 1.5, 1e-6, &update), NEWTON_DIVERGES);
    assert_int_equal(m.iterations, 2);
    m = begun(1, 10);
    assert_int_equal(newton_judge(&m, NAN, 1e-3, 0), NEWTON_DIVERGES);
    m = begun(1, 10);
    assert_int_equal(newton_judge(&m, INFINITY, 1e-3, 0), NEWTON_DIVERGES);
    m = begun(1, 10);
    assert_int_equal(newton_judge(&m, 1, 1e-3, 0), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, NAN, 1e-3, 0), NEWTON_DIVERGES);
}

/* A rate that cannot reach the tolerance within the limit is given up early. */
static void newton_too_slow(void **state)
{
    double update;
    newton_monitor m = begun(1, 7);
    (void)state;
    assert_int_equal(iterate(&m, 0.8, 1e-8, &update), NEWTON_TOO_SLOW);
    assert_true(m.iterations < 7);
    double shrink = newton_shrink(&m, update, 1e-8);
    assert_true(shrink > 0.05 && shrink < 0.9);
    m = begun(1, 1);
    assert_int_equal(newton_judge(&m, 1, 1e-3, 0), NEWTON_TOO_SLOW);       /* the limit itself */
    shrink = newton_shrink(&m, 1, 1e-3);
    assert_true(shrink > 0.05 && shrink < 1);
}

/* Updates that rounding keeps from shrinking are good enough at the floor, not above it. */
static void newton_at_rounding(void **state)
{
    newton_monitor m = begun(1, 20);
    (void)state;
    assert_int_equal(newton_judge(&m, 2e-7, 1e-9, 1e-6), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, 3e-7, 1e-9, 1e-6), NEWTON_DONE);
    m = begun(1, 20);
    assert_int_equal(newton_judge(&m, 2e-5, 1e-9, 1e-6), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, 3e-5, 1e-9, 1e-6), NEWTON_DIVERGES);
}

/* With a constant step updates may grow for a while; only clear divergence or the limit ends it. */
static void newton_with_patience(void **state)
{
    static const double updates[] = {1, 1.4, 0.1, 0.15, 1e-2, 1e-3, 1e-7};
    newton_monitor m = {.factor = 1, .rate = 1};
    (void)state;
    newton_begin(&m, 50, 1);
    for (int k = 0; k < 6; k++)
        assert_int_equal(newton_judge(&m, updates[k], 1e-6, 0), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, updates[6], 1e-6, 0), NEWTON_DONE);
    newton_begin(&m, 50, 1);
    double update = 1;
    newton_verdict verdict = NEWTON_GO_ON;
    while (verdict == NEWTON_GO_ON) verdict = newton_judge(&m, update *= 10, 1e-6, 0);
    assert_int_equal(verdict, NEWTON_DIVERGES);
    newton_begin(&m, 5, 1);
    for (int k = 0; k < 4; k++) assert_int_equal(newton_judge(&m, 1, 1e-6, 0), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, 1, 1e-6, 0), NEWTON_TOO_SLOW);
}

/* With a constant step all digits are wanted: what still shrinks, even slowly, is not at rounding;
 * what fluctuates below the floor is, at the limit at the latest. */
static void newton_with_patience_at_rounding(void **state)
{
    newton_monitor m = {.factor = 1, .rate = 1};
    double update = 1e-7;
    (void)state;
    newton_begin(&m, 50, 1);
    for (int k = 0; k < 10; k++)
        assert_int_equal(newton_judge(&m, update *= 0.5, 1e-12, 1e-6), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, update, 1e-12, 1e-6), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, update, 1e-12, 1e-6), NEWTON_DONE);
    newton_begin(&m, 3, 1);
    for (int k = 0; k < 2; k++)
        assert_int_equal(newton_judge(&m, update *= 0.5, 1e-12, 1e-6), NEWTON_GO_ON);
    assert_int_equal(newton_judge(&m, update *= 0.5, 1e-12, 1e-6), NEWTON_DONE);
}

/* No update at all: the start values were the solution. */
static void newton_nothing_to_do(void **state)
{
    newton_monitor m = begun(1, 7);
    (void)state;
    assert_int_equal(newton_judge(&m, 0, 1e-3, 0), NEWTON_DONE);
}

/* Updates theta, theta^2, ...; a code instead of the last of them. */
typedef struct geometric {
    double theta, update;
    int until;
} geometric;

static int shrinking(void *context, double *update)
{
    geometric *g = context;
    *update = g->update *= g->theta;
    return --g->until == 0 ? 7 : 0;
}

static newton_monitor iterated(double theta, int until)
{
    newton_monitor m = {.factor = 1, .rate = 1};
    geometric g = {theta, 1, until};
    newton_begin(&m, 7, 0);
    newton_verdict verdict = newton_iterate(&m, 1e-6, 0, shrinking, &g);
    assert_int_equal(verdict, m.verdict);
    return m;
}

/* The loop ends with the verdict on the last update, and a step that fails ends it at once. */
static void newton_loop_ends(void **state)
{
    (void)state;
    newton_monitor m = iterated(0.01, -1);
    assert_int_equal(m.verdict, NEWTON_DONE);
    assert_true(fabs(m.first_rate - 0.01) < 1e-14 && m.iterations == 3);
    m = iterated(2, -1);
    assert_int_equal(m.verdict, NEWTON_DIVERGES);
    assert_true(m.iterations == 2 && m.shrink == 0.5);
    m = iterated(0.9, -1);
    assert_int_equal(m.verdict, NEWTON_TOO_SLOW);
    assert_true(m.iterations == 2 && m.shrink > 0.05 && m.shrink < 0.8);
    m = iterated(0.01, 2);
    assert_int_equal(m.verdict, NEWTON_STOPPED);
    assert_true(m.iterations == 1 && m.code == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_for_polynomials), cmocka_unit_test(exact_at_nodes),
        cmocka_unit_test(control_limits), cmocka_unit_test(control_law),
        cmocka_unit_test(predictive_control), cmocka_unit_test(control_of_nan),
        cmocka_unit_test(proportional_control), cmocka_unit_test(reach_of_orders),
        cmocka_unit_test(first_steps),
        cmocka_unit_test(newton_converges), cmocka_unit_test(newton_one_iteration),
        cmocka_unit_test(newton_one_iteration_of_its_size),
        cmocka_unit_test(newton_goes_on_while_fast),
        cmocka_unit_test(newton_diverges), cmocka_unit_test(newton_too_slow),
        cmocka_unit_test(newton_at_rounding), cmocka_unit_test(newton_with_patience),
        cmocka_unit_test(newton_with_patience_at_rounding),
        cmocka_unit_test(newton_nothing_to_do), cmocka_unit_test(newton_loop_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
