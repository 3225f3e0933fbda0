/* test_impasse.c -- index-1 problems whose algebraic equations lose rank in z.
 *
 *   reduced van der Pol   y' = z, 0 = (1 - y^2) z - y from y = 2: g_z vanishes at t = 3/2 - log 2
 *   fold                  y' = -1, 0 = z^2 - y from y = 1, z = 1: z = sqrt(1 - t) ends at t = 1
 *   fold of two           y' = -1, 0 = (z1 + z2)^2 - y, 0 = z1 - 2 z2 - 1: the same in z1 + z2
 *
 * the folds as semi-explicit, quasilinear and implicit problems, the last two with rows and
 * unknowns mixed, so that M has a kernel along no axis.
 */
#include "problems/problems.h"
#include "test/support/run.h"

#include <math.h>

static const double tolerances[] = {1e-4, 1e-6, 1e-8};
static const char *const methods[] = {"auto", "radau-iia", "bdf", "dimsim", "esdirk-4", "rodas-5p",
                                      "dopri5"};

enum { TOLERANCES = 3, METHODS = 6 };

/* Runs to t_end, which no solution reaches: KEEL_SINGULAR at `impasse`, up to the error. */
static void expect_impasse(keel_problem *p, const char *method, double tolerance, const double *y,
                           double t_end, double impasse, const char *unknown)
{
    keel_solver *s = NULL;
    char what[80];
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    snprintf(what, sizeof what, "%s at %g", method, tolerance);
    expect_ok(keel_solver_create(&s, p, &o), s, what);
    expect_ok(keel_start(s, 0, y), s, what);
    expect_status(keel_advance_to(s, t_end), KEEL_SINGULAR, s, what);
    if (!strstr(keel_message(s), "the algebraic equations lose rank in "))
        fail_msg("%s: %s", what, keel_message(s));
    expect_text(keel_message(s), unknown);
    double off = fabs(keel_time(s) - impasse);
    if (!(off < 100 * tolerance)) fail_msg("%s: ends at t = %.10g", what, keel_time(s));
    if (keel_solver_stats(s)->steps > (strcmp(method, "bdf") ? 2000 : 20000))
        fail_msg("%s: %ld attempts", what, keel_solver_stats(s)->steps);
    keel_solver_free(s);
}

static void test_van_der_pol(void **state)
{
    (void)state;
    const bundled_problem *b = bundled_problem_find("van-der-pol-dae");
    keel_problem *p = NULL;
    double y[2];
    b->start(NULL, y);
    assert_int_equal(b->create(&p, NULL), KEEL_OK);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++)
            expect_impasse(p, methods[m], tolerances[k], y, 1.2, 1.5 - log(2), "rank in z here");
    keel_problem_free(p);
}

/* ---- folds ---------------------------------------------------------------------------------- */

static int fold_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = -1;
    return 0;
}

static int fold_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] - y[0];
    return 0;
}

static int pair_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    double sum = z[0] + z[1];
    (void)t, (void)context;
    g[0] = sum * sum - y[0];
    g[1] = z[0] - 2 * z[1] - 1;
    return 0;
}

static void test_semi_explicit(void **state)
{
    (void)state;
    keel_problem *one = NULL, *two = NULL;
    static const char *const rows[] = {"parabola", "line"};
    keel_semi_explicit_spec fold = {.differential = 1, .algebraic = 1, .rhs = fold_rate,
                                    .constraint = fold_constraint};
    keel_semi_explicit_spec pair = {.differential = 1, .algebraic = 2, .rhs = fold_rate,
                                    .constraint = pair_constraint, .constraint_names = rows};
    assert_int_equal(keel_semi_explicit(&one, &fold), KEEL_OK);
    assert_int_equal(keel_semi_explicit(&two, &pair), KEEL_OK);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k++) {
            expect_impasse(one, methods[m], tolerances[k], (double[]){1, 1}, 1.5, 1, "z[0]");
            expect_impasse(two, methods[m], tolerances[k], (double[]){1, 1, 0}, 1.5, 1, "parabola");
        }
    keel_problem_free(one);
    keel_problem_free(two);
}

/* With y = a + b, z = a - b: (a + b)' = -1, 0 = (a - b)^2 - (a + b), their sum and difference. */
static int mixed_mass(double t, const double *x, keel_matrix *M, void *context)
{
    (void)t, (void)x, (void)context;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) keel_put(M, i, j, 1);
    return 0;
}

static int mixed_rate(double t, const double *x, double *f, void *context)
{
    double g = (x[0] - x[1]) * (x[0] - x[1]) - (x[0] + x[1]);
    (void)t, (void)context;
    f[0] = -1 + g;
    f[1] = -1 - g;
    return 0;
}

static int mixed_residual(double t, const double *x, const double *xp, double *F, void *context)
{
    mixed_rate(t, x, F, context);
    for (int i = 0; i < 2; i++) F[i] = xp[0] + xp[1] - F[i];
    return 0;
}

static void test_other_forms(void **state)
{
    (void)state;
    static const char *const implicit[] = {"auto", "radau-iia", "bdf", "dimsim", "esdirk-4"};
    keel_problem *quasilinear = NULL, *general = NULL;
    keel_quasilinear_spec q = {.size = 2, .mass = mixed_mass, .constant_mass = 1,
                               .rhs = mixed_rate};
    keel_implicit_spec f = {.size = 2, .residual = mixed_residual};
    assert_int_equal(keel_quasilinear(&quasilinear, &q), KEEL_OK);
    assert_int_equal(keel_implicit(&general, &f), KEEL_OK);
    for (int m = 0; m < 5; m++)
        for (int k = 0; k < TOLERANCES; k++) {
            const double x[2] = {1, 0};
            expect_impasse(quasilinear, implicit[m], tolerances[k], x, 1.5, 1, "y[0], y[1]");
            expect_impasse(general, implicit[m], tolerances[k], x, 1.5, 1, "y[0], y[1]");
        }
    for (int k = 0; k < 40; k++) {               /* wherever steps end before it, y' = 1e4 and more */
        const double x[2] = {1, 0}, tolerance = pow(10, -5 - k / 40.0);
        expect_impasse(quasilinear, "radau-iia", tolerance, x, 1.5, 1, "y[0], y[1]");
        expect_impasse(quasilinear, "bdf", tolerance, x, 1.5, 1, "y[0], y[1]");
    }
    keel_problem_free(quasilinear);
    keel_problem_free(general);
}

/* With a constant step there is nothing to shrink: the step that would cross is refused. */
static void test_constant_steps(void **state)
{
    (void)state;
    static const char *const some[] = {"dopri5", "radau-iia-3", "bdf-2", "rk4"};
    keel_problem *p = NULL;
    keel_semi_explicit_spec fold = {.differential = 1, .algebraic = 1, .rhs = fold_rate,
                                    .constraint = fold_constraint};
    assert_int_equal(keel_semi_explicit(&p, &fold), KEEL_OK);
    for (int m = 0; m < 4; m++) {
        keel_solver *s = NULL;
        keel_options o = {.method = some[m], .step = 0.3};
        expect_ok(keel_solver_create(&s, p, &o), s, some[m]);
        expect_ok(keel_start(s, 0, (double[]){1, 1}), s, some[m]);
        assert_int_not_equal(keel_advance_to(s, 1.5), KEEL_OK);
        assert_true(keel_time(s) < 1);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* A blow-up is no loss of rank: y' = z^2, 0 = z - y from y = 1 ends at t = 1 with g_z = 1. */
static int square_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0] * z[0];
    return 0;
}

static int copy_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] - y[0];
    return 0;
}

static void test_a_pole_is_none(void **state)
{
    (void)state;
    keel_problem *p = NULL;
    keel_semi_explicit_spec pole = {.differential = 1, .algebraic = 1, .rhs = square_rate,
                                    .constraint = copy_constraint};
    assert_int_equal(keel_semi_explicit(&p, &pole), KEEL_OK);
    for (int m = 0; m < METHODS; m++) {
        keel_solver *s = NULL;
        keel_options o = {.method = methods[m], .rtol = 1e-6};
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m]);
        expect_ok(keel_start(s, 0, (double[]){1, 1}), s, methods[m]);
        int rc = keel_advance_to(s, 1.5);
        assert_int_not_equal(rc, KEEL_OK);
        if (rc == KEEL_SINGULAR) fail_msg("%s: %s", methods[m], keel_message(s));
        assert_true(fabs(keel_time(s) - 1) < 1e-3);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_van_der_pol),
        cmocka_unit_test(test_semi_explicit),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_constant_steps),
        cmocka_unit_test(test_a_pole_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
