/* test_jump.c -- runs that jump from impasse points to the next stable branch.
 *
 *   relaxation oscillation   y' = -z, 0 = y + z - z^3/3: period 3 - 2 log 2, z from 1 to -2
 *   with a copy              y' = -z2, 0 = z2 - z1, 0 = y + z1 - z1^3/3 in any order and sign
 *   mixed                    the first one as A x' = f, with rows and unknowns mixed
 *   parabola                 y' = 1, 0 = z^2 + y: no branch to jump to
 */
#include "problems/circuits.h"
#include "test/support/run.h"

#include <math.h>

static const char *const methods[] = {"auto", "dopri5", "dop853", "esdirk-4", "radau-iia",
                                      "radau-iia-3", "bdf", "dimsim"};
enum { METHODS = sizeof methods / sizeof *methods, PERIODS = 10 };

static double half_period(void) { return 1.5 - log(2); }

static keel_solver *jumping(keel_problem *p, const char *method, double tolerance, const double *y)
{
    keel_solver *s = NULL;
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance,
                      .impasse = KEEL_IMPASSE_JUMP};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    return s;
}

/* The period from the first to the last of 20 jumps: its error is that of y over half a period. */
static void test_ten_periods(void **state)
{
    const bundled_problem *b = bundled_problem_find("van-der-pol-lienard");
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p = NULL;
        double y[2];
        b->start(NULL, y);
        assert_int_equal(b->create(&p, NULL), KEEL_OK);
        keel_solver *s = jumping(p, methods[m], 1e-10, y);
        double t_end = (2 * PERIODS + 0.5) * half_period();
        expect_ok(keel_advance_to(s, t_end), s, methods[m]);
        assert_int_equal(keel_impasse_count(s), 2 * PERIODS);
        double first = 0, last = 0;
        for (int i = 0; i < 2 * PERIODS; i++) {
            keel_impasse met;
            double side = i % 2 ? -1 : 1;
            assert_int_equal(keel_impasse_at(s, i, &met), KEEL_OK);
            assert_int_equal(met.kind, KEEL_IMPASSE_ACCESSIBLE);
            assert_int_equal(met.action, KEEL_IMPASSE_JUMPED);
            assert_true(met.alpha < 0);
            assert_true(fabs(met.y[0] + side * 2 / 3) < 1e-9 && fabs(met.y[1] - side) < 1e-6);
            assert_true(met.after[0] == met.y[0] && fabs(met.after[1] + 2 * side) < 1e-9);
            if (i == 0) first = met.t;
            last = met.t;
        }
        double period = (last - first) / (PERIODS - 0.5);
        if (!(fabs(period - 2 * half_period()) < 1e-8))
            fail_msg("%s: the period is off by %g", methods[m], period - 2 * half_period());
        double exact[2];
        b->exact(NULL, t_end, exact);
        for (int i = 0; i < 2; i++) assert_true(fabs(keel_state(s)[i] - exact[i]) < 1e-7);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Errors follow the tolerance. */
static void test_tolerances(void **state)
{
    const bundled_problem *b = bundled_problem_find("van-der-pol-lienard");
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            keel_problem *p = NULL;
            double y[2], exact[2], t_end = 3.5 * half_period();
            b->start(NULL, y);
            b->exact(NULL, t_end, exact);
            assert_int_equal(b->create(&p, NULL), KEEL_OK);
            keel_solver *s = jumping(p, methods[m], tolerances[k], y);
            expect_ok(keel_advance_to(s, t_end), s, methods[m]);
            double error = fabs(keel_state(s)[0] - exact[0]);
            if (!(error < 100 * tolerances[k]))
                fail_msg("%s at %g: off by %g", methods[m], tolerances[k], error);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* A recording has the branch that ended up to the jump, and the new one from there on. */
static void test_recording(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_solution *r = NULL;
    keel_impasse met;
    double y[2];
    assert_int_equal(keel_semi_explicit(&p, &problem_van_der_pol_lienard_spec), KEEL_OK);
    keel_solver *s = jumping(p, "radau-iia", 1e-8, (double[]){2.0 / 3, 2});
    assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
    while (keel_time(s) < 1.2) {
        expect_ok(keel_step(s), s, "step");
        assert_int_equal(keel_solution_append(r, s), KEEL_OK);
    }
    assert_int_equal(keel_impasse_at(s, 0, &met), KEEL_OK);
    assert_int_equal(keel_solution_at(r, met.t - 1e-4, y), KEEL_OK);
    assert_true(y[1] > 1 && y[1] < 1.02);
    assert_int_equal(keel_solution_at(r, met.t + 1e-4, y), KEEL_OK);
    assert_true(fabs(y[1] + 2) < 1e-3);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- several unknowns ----------------------------------------------------------------------- */

typedef struct order { int copy, cubic; double sign; } order;

static int copied_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = -z[1];
    return 0;
}

static int copied(double t, const double *y, const double *z, double *g, void *context)
{
    const order *o = context;
    (void)t;
    g[o->copy] = o->sign * (z[1] - z[0]);
    g[o->cubic] = y[0] + z[0] - z[0] * z[0] * z[0] / 3;
    return 0;
}

static void test_order_and_sign_of_equations(void **state)
{
    static const order orders[] = {{0, 1, 1}, {1, 0, 1}, {0, 1, -1}, {1, 0, -1}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        keel_problem *p = NULL;
        order o = orders[k];
        keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 2, .rhs = copied_rate,
                                        .constraint = copied, .context = &o};
        assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
        keel_solver *s = jumping(p, "radau-iia", 1e-8, (double[]){2.0 / 3, 2, 2});
        expect_ok(keel_advance_to(s, 2 * half_period() + 0.1), s, "copied");
        assert_int_equal(keel_impasse_count(s), 2);
        assert_true(keel_state(s)[1] > 1.8 && fabs(keel_state(s)[1] - keel_state(s)[2]) < 1e-10);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* y = a + b, z = a - b; the sum and the difference of both equations. */
static int mixed_mass(double t, const double *x, keel_matrix *M, void *context)
{
    (void)t, (void)x, (void)context;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) keel_put(M, i, j, 1);
    return 0;
}

static int mixed_rate(double t, const double *x, double *f, void *context)
{
    double y = x[0] + x[1], z = x[0] - x[1], g = y + z - z * z * z / 3;
    (void)t, (void)context;
    f[0] = -z + g;
    f[1] = -z - g;
    return 0;
}

static void test_quasilinear(void **state)
{
    static const char *const some[] = {"auto", "radau-iia", "bdf", "esdirk-4"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        keel_problem *p = NULL;
        keel_quasilinear_spec q = {.size = 2, .mass = mixed_mass, .constant_mass = 1,
                                   .rhs = mixed_rate};
        assert_int_equal(keel_quasilinear(&p, &q), KEEL_OK);
        keel_solver *s = jumping(p, some[m], 1e-8, (double[]){4.0 / 3, -2.0 / 3});
        expect_ok(keel_advance_to(s, 2 * half_period() + 0.1), s, some[m]);
        assert_int_equal(keel_impasse_count(s), 2);
        double z = keel_state(s)[0] - keel_state(s)[1];
        assert_true(z > 1.8 && z < 2);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- nowhere to jump ------------------------------------------------------------------------ */

static void test_no_branch(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p = NULL;
        keel_impasse met;
        assert_int_equal(keel_semi_explicit(&p, &problem_impasse_spec), KEEL_OK);
        keel_solver *s = jumping(p, methods[m], 1e-6, (double[]){-1, 1});
        expect_status(keel_advance_to(s, 2), KEEL_SINGULAR, s, methods[m]);
        expect_text(keel_message(s), "beyond all bounds");
        assert_true(fabs(keel_time(s) - 1) < 1e-4);
        assert_int_equal(keel_impasse_at(s, 0, &met), KEEL_OK);
        assert_int_equal(met.action, KEEL_IMPASSE_ENDED);
        assert_null(met.after);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_periods),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_order_and_sign_of_equations),
        cmocka_unit_test(test_quasilinear),
        cmocka_unit_test(test_no_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
