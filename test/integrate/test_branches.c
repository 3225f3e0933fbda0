/* test_branches.c -- two branches of 0 = g(t,y,z) come near each other and stay apart.
 *
 *   y1' = w z,  0 = z^2 - p(t)^2 - gap^2,  p = t - 1:   z = sqrt(p^2 + gap^2) > 0 for ever
 *
 * and the same with two algebraic unknowns that would change their branches together, so that
 * det g_z keeps its sign.  A step from p < 0 to p > 0 finds both branches; that through the line
 * z = -p is the smoother one, and the wrong one.  y1(2) - y1(0) is known exactly.
 */
#include "test/support/run.h"

#include <math.h>

enum { MOST = 3 };

typedef struct crossing {
    int algebraic;
    double gap;
} crossing;

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const crossing *c = context;
    (void)t, (void)y;
    f[0] = 0;
    for (int k = 0; k < c->algebraic; k++) f[0] += z[k] / c->algebraic;
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const crossing *c = context;
    (void)y;
    for (int k = 0; k < c->algebraic; k++)
        g[k] = z[k] * z[k] - (t - 1) * (t - 1) - c->gap * c->gap;
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const crossing *c = context;
    (void)t, (void)y;
    for (int k = 0; k < c->algebraic; k++) {
        keel_put(J, 0, 1 + k, 1.0 / c->algebraic);
        keel_put(J, 1 + k, 1 + k, 2 * z[k]);
    }
    return 0;
}

/* z^2 = 1 + gap^2 at both ends; y1 = (p r + gap^2 log(p + r)) / 2, r = sqrt(p^2 + gap^2). */
static double exact_change(double gap)
{
    double r = sqrt(1 + gap * gap);
    return r + gap * gap * log((1 + r) / gap);
}

static void follow(const char *method, double tolerance, crossing c, double first_step)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    char what[80];
    double z = sqrt(1 + c.gap * c.gap), y[MOST] = {0, z, z};
    snprintf(what, sizeof what, "%s at %g, gap %g, %d algebraic unknowns", method, tolerance, c.gap,
             c.algebraic);
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = c.algebraic, .rhs = rate,
                                    .constraint = constraint, .jacobian = jacobian, .context = &c};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance,
                      .first_step = first_step};
    expect_ok(keel_solver_create(&s, p, &o), s, what);
    expect_ok(keel_start(s, 0, y), s, what);
    int rc = keel_advance_to(s, 2);
    if (tolerance <= c.gap) expect_ok(rc, s, what);
    if (rc) goto stopped;                        /* branches that its tolerance cannot tell apart */
    for (int k = 0; k < c.algebraic; k++)
        if (!(fabs(keel_state(s)[1 + k] - z) < 1e-3))
            fail_msg("%s: z = %g instead of %g", what, keel_state(s)[1 + k], z);
    double error = fabs(keel_state(s)[0] - exact_change(c.gap));
    if (!(error < 1e3 * tolerance)) fail_msg("%s: y1 is off by %g", what, error);
stopped:
    keel_solver_free(s);
    keel_problem_free(p);
}

static const char *const methods[] = {"auto", "verner8", "dop853", "dopri5", "radau-iia",
                                      "radau-iia-3", "gauss-3", "esdirk-4", "bdf", "dimsim"};

static void all_methods(int algebraic, double gap, double first_step)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-8, 1e-10};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
            follow(methods[m], tolerances[k], (crossing){algebraic, gap}, first_step);
}

static void test_one_unknown(void **state)
{
    (void)state;
    all_methods(1, 1e-3, 0);
    all_methods(1, 1e-2, 0);
    all_methods(1, 1e-5, 0);
}

static void test_large_first_step(void **state)
{
    (void)state;
    all_methods(1, 1e-3, 1.5);
}

static void test_two_unknowns_hide_from_the_determinant(void **state)
{
    (void)state;
    all_methods(2, 1e-3, 0);
    all_methods(2, 1e-2, 1.5);
}

/* A run that begins where and when another one ended, on the other branch, knows nothing of that. */
static void test_another_run_another_branch(void **state)
{
    static const char *const watched[] = {"radau-iia", "bdf", "dimsim", "esdirk-4", "dopri5"};
    crossing c = {.algebraic = 1, .gap = 1};
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 1, .rhs = rate,
                                    .constraint = constraint, .jacobian = jacobian, .context = &c};
    (void)state;
    for (size_t m = 0; m < sizeof watched / sizeof *watched; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        const double upper[2] = {0, sqrt(2)}, lower[2] = {0, -sqrt(2)};
        assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = watched[m]}), s, watched[m]);
        expect_ok(keel_start(s, 0, upper), s, watched[m]);
        expect_ok(keel_advance_to(s, 2), s, watched[m]);
        expect_ok(keel_start(s, 2, lower), s, watched[m]);
        expect_ok(keel_advance_to(s, 4), s, watched[m]);
        assert_true(fabs(keel_state(s)[1] + sqrt(10)) < 1e-4);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* 0 = z - sin t - y, y' = 0 from z = 0 without an absolute tolerance: nothing tells how large z is. */
static int still(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 0;
    return 0;
}

static int sine(double t, const double *y, const double *z, double *g, void *context)
{
    (void)context;
    g[0] = z[0] - sin(t) - (y[0] - 1);
    return 0;
}

static void test_no_absolute_tolerance(void **state)
{
    static const char *const watched[] = {"auto", "radau-iia", "bdf", "dimsim", "esdirk-4", "dopri5"};
    (void)state;
    for (size_t m = 0; m < sizeof watched / sizeof *watched; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
            .algebraic = 1, .rhs = still, .constraint = sine}), KEEL_OK);
        keel_options o = {.method = watched[m], .rtol = 1e-6, .atol = KEEL_ZERO};
        expect_ok(keel_solver_create(&s, p, &o), s, watched[m]);
        expect_ok(keel_start(s, 0, (const double[]){1, 0}), s, watched[m]);
        expect_ok(keel_advance_to(s, 1), s, watched[m]);
        assert_true(fabs(keel_state(s)[1] - sin(1)) < 1e-5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* y1' = -y1, y2' = y1, 0 = y1 + y2 + z - 1: z is what rounding leaves, a hundredth of its tolerance,
 * which is not a way along which g can be differenced. */
static int decay(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)z, (void)context;
    f[0] = -y[0], f[1] = y[0];
    return 0;
}

static int balance(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] + y[1] + z[0] - 1;
    return 0;
}

static int balance_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    keel_put(J, 0, 0, -1);
    keel_put(J, 1, 0, 1);
    for (int k = 0; k < 3; k++) keel_put(J, 2, k, 1);
    return 0;
}

static void test_rounding_is_no_branch(void **state)
{
    static const char *const watched[] = {"auto", "radau-iia", "bdf", "dimsim", "esdirk-4", "rodas-5p"};
    const double tight[3] = {1e-4, 1e-4, 1e-14};
    (void)state;
    for (size_t m = 0; m < sizeof watched / sizeof *watched; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 2,
            .algebraic = 1, .rhs = decay, .constraint = balance, .jacobian = balance_jacobian}), KEEL_OK);
        keel_options o = {.method = watched[m], .rtol = 1e-4, .atol_each = tight};
        expect_ok(keel_solver_create(&s, p, &o), s, watched[m]);
        expect_ok(keel_start(s, 0, (const double[]){1, 0, 0}), s, watched[m]);
        expect_ok(keel_advance_to(s, 5), s, watched[m]);
        long steps = keel_solver_stats(s)->steps;
        if (steps > 400) fail_msg("%s: %ld steps", watched[m], steps);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_unknown),
        cmocka_unit_test(test_large_first_step),
        cmocka_unit_test(test_two_unknowns_hide_from_the_determinant),
        cmocka_unit_test(test_another_run_another_branch),
        cmocka_unit_test(test_no_absolute_tolerance),
        cmocka_unit_test(test_rounding_is_no_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
