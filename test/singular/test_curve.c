/* test_curve.c -- solutions as curves, through impasse points.
 *
 *   7.1       x2' = 1, 0 = x1^2 + x2: x2 = t - 1 on the whole curve, which turns at t = 1
 *   turned    the same as A(x) x' = f(x), with rows turned by an angle that depends on x
 *   circuit   3 (v^2 - 1) v' = E - v: v = -1 is accessible, v = 1 is not; t(v) in closed form
 *   moving    y' = 0, 0 = z^2 + t - 1 - y: what turns depends on time alone
 */
#include "problems/circuits.h"
#include "test/support/run.h"

#include <math.h>

static const double tight = 1e-12;

static void expect_curve(int rc, const keel_curve *c, const char *what)
{
    if (rc != KEEL_OK) fail_msg("%s: %s: %s", what, keel_status_name(rc), keel_curve_message(c));
}

static keel_curve *curve_of(keel_problem *p, double t, const double *y, double direction)
{
    keel_curve *c = NULL;
    expect_curve(keel_curve_create(&c, p, &(keel_options){.rtol = tight}), c, "create");
    expect_curve(keel_curve_start(c, t, y, direction), c, "start");
    return c;
}

/* Until time is back at 0; x1 and x2 are those entries of the state. */
static void follow_parabola(keel_problem *p, int x1, int x2)
{
    double y[2];
    y[x1] = 1, y[x2] = -1;
    keel_curve *c = curve_of(p, 0, y, 1);
    expect_curve(keel_curve_bounds(c, 0, 2, INFINITY), c, "bounds");
    double before = -1;
    int rc;
    while ((rc = keel_curve_step(c)) == KEEL_OK) {
        const double *x = keel_curve_state(c);
        assert_true(fabs(x[x1] * x[x1] + x[x2]) <= 1e-13);
        assert_true(fabs(x[x2] - (keel_curve_time(c) - 1)) <= 1e-11);
        assert_true(keel_curve_length(c) > before);
        assert_true(keel_curve_rate(c) * x[x1] > -1e-12);        /* back where x1 < 0 */
        before = keel_curve_length(c);
    }
    assert_int_equal(rc, KEEL_STOP_REACHED);
    assert_true(keel_curve_time(c) == 0);
    assert_true(fabs(keel_curve_state(c)[x1] + 1) < 1e-11);
    keel_impasse met;
    assert_int_equal(keel_curve_impasse_count(c), 1);
    assert_int_equal(keel_curve_impasse_at(c, 0, &met), KEEL_OK);
    assert_int_equal(met.kind, KEEL_IMPASSE_ACCESSIBLE);
    assert_int_equal(met.action, KEEL_IMPASSE_FOLLOWED);
    assert_true(fabs(met.t - 1) < 1e-11 && fabs(met.y[x1]) < 1e-11 && met.alpha < 0);
    assert_null(met.after);
    keel_curve_free(c);
}

static void test_example(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_semi_explicit_spec differenced = problem_impasse_spec;
    assert_int_equal(keel_semi_explicit(&p, &differenced), KEEL_OK);
    follow_parabola(p, 1, 0);
    keel_problem_free(p);
    differenced.jacobian = NULL;
    assert_int_equal(keel_semi_explicit(&p, &differenced), KEEL_OK);
    follow_parabola(p, 1, 0);
    keel_problem_free(p);
}

/* Rows of x2' = 1, 0 = x1^2 + x2, turned by the angle a = x1 + x2/3 + t. */
static int turned_mass(double t, const double *x, keel_matrix *M, void *context)
{
    double a = x[0] + x[1] / 3 + t;
    (void)context;
    keel_put(M, 0, 1, cos(a));
    keel_put(M, 1, 1, sin(a));
    return 0;
}

static int turned_rhs(double t, const double *x, double *f, void *context)
{
    double a = x[0] + x[1] / 3 + t, g = x[0] * x[0] + x[1];
    (void)context;
    f[0] = cos(a) - sin(a) * g;
    f[1] = sin(a) + cos(a) * g;
    return 0;
}

static void test_rows_that_turn(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_quasilinear_spec q = {.size = 2, .mass = turned_mass, .rhs = turned_rhs};
    assert_int_equal(keel_quasilinear(&p, &q), KEEL_OK);
    follow_parabola(p, 0, 1);
    keel_problem_free(p);
}

/* ---- the circuit ---------------------------------------------------------------------------- */

/* t/3 = w(-3) - w(v) along the curve for L = 1. */
static double circuit_time(double E, double v)
{
    double from = 4.5 - 3 * E + (E * E - 1) * log(E + 3);
    return 3 * (from - (v * v / 2 + E * v + (E * E - 1) * log(E - v)));
}

static void test_circuit(void **state)
{
    (void)state;
    double parameters[] = {1.5, 1};
    keel_problem *p = NULL;
    keel_semi_explicit_spec spec = problem_impasse_circuit_spec;
    spec.context = parameters;
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    keel_curve *c = curve_of(p, 0, (double[]){-18, -3}, 1);
    while (keel_curve_state(c)[1] < 1.4) {
        expect_curve(keel_curve_step(c), c, "circuit");
        double v = keel_curve_state(c)[1];
        assert_true(fabs(keel_curve_time(c) - circuit_time(1.5, v)) < 1e-9);
        assert_true(fabs(keel_curve_state(c)[0] - v * (v * v - 3)) < 1e-13 * 18);
    }
    keel_impasse first, second;
    assert_int_equal(keel_curve_impasse_count(c), 2);
    assert_int_equal(keel_curve_impasse_at(c, 0, &first), KEEL_OK);
    assert_int_equal(keel_curve_impasse_at(c, 1, &second), KEEL_OK);
    assert_int_equal(first.kind, KEEL_IMPASSE_ACCESSIBLE);
    assert_int_equal(second.kind, KEEL_IMPASSE_INACCESSIBLE);
    assert_true(first.alpha < 0 && second.alpha > 0 && second.length > first.length);
    assert_true(fabs(first.t - circuit_time(1.5, -1)) < 1e-9 && fabs(first.y[1] + 1) < 1e-9);
    assert_true(fabs(second.t - circuit_time(1.5, 1)) < 1e-9 && fabs(second.y[1] - 1) < 1e-9);
    keel_curve_free(c);
    keel_problem_free(p);
}

/* With E < -1 both change their kinds, whichever way the curve is followed. */
static void test_kinds_do_not_depend_on_the_way(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int k = 0; k < 2; k++) {
            double parameters[] = {sign * 3.0, 1}, v = k ? 0.8 : -0.8;
            keel_problem *p = NULL;
            keel_impasse met;
            keel_semi_explicit_spec spec = problem_impasse_circuit_spec;
            spec.context = parameters;
            assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
            /* from between both points towards v = -1 and v = 1 */
            double towards = (k ? 1.0 : -1.0) * (3 * (v * v - 1)) * (parameters[0] - v);
            keel_curve *c = curve_of(p, 0, (double[]){v * (v * v - 3), v}, towards);
            while (keel_curve_impasse_count(c) == 0)
                expect_curve(keel_curve_step(c), c, "towards a point");
            assert_int_equal(keel_curve_impasse_at(c, 0, &met), KEEL_OK);
            assert_true(fabs(met.y[1] - (k ? 1 : -1)) < 1e-9);
            int accessible = (k ? 1 : -1) * sign < 0;
            assert_int_equal(met.kind, accessible ? KEEL_IMPASSE_ACCESSIBLE
                                                  : KEEL_IMPASSE_INACCESSIBLE);
            keel_curve_free(c);
            keel_problem_free(p);
        }
}

/* ---- time alone ----------------------------------------------------------------------------- */

static int still(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 0;
    return 0;
}

static int moving(double t, const double *y, const double *z, double *g, void *context)
{
    (void)context;
    g[0] = z[0] * z[0] + t - 1 - y[0];
    return 0;
}

static void test_time_in_the_constraint(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_impasse met;
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 1, .rhs = still,
                                    .constraint = moving};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    keel_curve *c = curve_of(p, 0, (double[]){0, 1}, 1);
    while (keel_curve_state(c)[1] > -1) expect_curve(keel_curve_step(c), c, "moving");
    assert_int_equal(keel_curve_impasse_count(c), 1);
    assert_int_equal(keel_curve_impasse_at(c, 0, &met), KEEL_OK);
    assert_int_equal(met.kind, KEEL_IMPASSE_ACCESSIBLE);
    assert_true(fabs(met.t - 1) < 1e-10);
    assert_true(fabs(keel_curve_state(c)[0]) < 1e-12);
    keel_curve_free(c);
    keel_problem_free(p);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    keel_curve *c = NULL;
    keel_problem *p = NULL;
    const bundled_problem *b = bundled_problem_find("pendulum");
    double parameters[16] = {0};
    for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    assert_int_equal(keel_curve_create(&c, p, NULL), KEEL_UNSUPPORTED);
    expect_text(keel_curve_message(c), "quasilinear and semi-explicit");
    assert_int_equal(keel_curve_step(c), KEEL_BAD_ARGUMENT);
    keel_curve_free(c);
    keel_problem_free(p);
    assert_int_equal(keel_semi_explicit(&p, &problem_impasse_spec), KEEL_OK);
    expect_curve(keel_curve_create(&c, p, NULL), c, "create");
    assert_int_equal(keel_curve_step(c), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_start(c, 0, NULL, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_start(c, NAN, (double[]){-1, 1}, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_curve_start(c, 0, (double[]){-1, 1}, 0), KEEL_BAD_ARGUMENT);
    expect_curve(keel_curve_start(c, 0, (double[]){-1, 1}, 1), c, "start");
    assert_int_equal(keel_curve_bounds(c, 1, 0, 1), KEEL_BAD_ARGUMENT);
    expect_curve(keel_curve_bounds(c, 0, 2, 0.1), c, "bounds");
    int rc = KEEL_OK;
    while (rc == KEEL_OK) rc = keel_curve_step(c);
    assert_int_equal(rc, KEEL_STOP_REACHED);
    assert_true(fabs(keel_curve_length(c) - 0.1) < 1e-14);
    keel_curve_free(c);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_rows_that_turn),
        cmocka_unit_test(test_circuit),
        cmocka_unit_test(test_kinds_do_not_depend_on_the_way),
        cmocka_unit_test(test_time_in_the_constraint),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
