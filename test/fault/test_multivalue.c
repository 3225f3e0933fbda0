/* test_multivalue.c -- failing callbacks under multistep and general linear methods.
 *
 * As test_methods.c, with variable and with constant steps.  Where the formulation ggl is solved
 * instead of index 3, faults are still those of the user's callbacks.
 */
#ifndef SPARSE_FROM
#define SPARSE_FROM 2
#define PERSISTING_FROM 1
#endif
#include "test/fault/faults.h"

/* The error test does not see the multipliers of index 2, which are compared: hence not `loose`. */
static void variable_steps(const char *method)
{
    keel_options o = {.method = method, .rtol = 1e-5, .atol = 1e-5};
    for (int k = 0; k < FORMS; k++) {
        all_callbacks(&forms[k], GIVEN, &o, NULL);
        all_callbacks(&forms[k], BY_DIFFERENCES, &o, NULL);
    }
    all_callbacks(&circle, GIVEN, &o, NULL);
}

static void bdf(void **state)
{
    (void)state;
    variable_steps("bdf");
}

static void bdf_of_one_order(void **state)
{
    (void)state;
    variable_steps("bdf-2");
}

static void dimsim(void **state)
{
    (void)state;
    variable_steps("dimsim");
}

static void general_linear_of_one_order(void **state)
{
    (void)state;
    variable_steps("irks-3");
}

/* ---- constant steps -------------------------------------------------------------------------- */

static keel_options constant(const char *method)
{
    return (keel_options){.method = method, .step = 0.02, .rtol = 1e-4, .atol = 1e-4,
                          .check = KEEL_CHECK_NONE};
}

/* A constant step cannot shrink: a lasting fault ends the run, with a reason, wherever it is.  (The
 * check at the start gets over faults of callbacks that the run does not need.) */
static void lasting_faults(const setting *x, const probe *clean)
{
    outcome r;
    for (int c = 0; c < CALLBACKS; c++)
        for (int part = 1; clean->calls[c] && part <= 3; part++)
            for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
                probe p = {.armed = 1, .target = (callback)c, .kind = (spoiling)kind,
                           .at = 1 + (clean->calls[c] - 1) * part / 4, .persists = 1};
                r = run(x, &p);
                if (r.status >= 0) explain("not a failure", x, &p, &r);
                check_failure(x, &p, &r);
            }
}

/* Blocked methods need to see the multipliers, of index 2 at the most. */
static int usable(const char *method, int k)
{
    int formula = strncmp(method, "dcbdf", 5) == 0 || strncmp(method, "beta", 4) == 0;
    return !formula || k < FORM_HESS3;
}

static void constant_steps(void **state)
{
    static const char *const methods[] = {"bdf-3", "dimsim-2", "dimsim-3", "dcbdf-3",
                                          "beta-adams-3"};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int k = 0; k < FORMS; k++)
            for (int d = 0; d < 2; d++) {
                probe clean = {0};
                setting x = {.form = &forms[k], .derivatives = d ? GIVEN : BY_DIFFERENCES,
                             .options = constant(methods[m])};
                if (!usable(methods[m], k)) continue;
                outcome r = run(&x, &clean);
                if (r.status || !(r.error <= error_allowed))
                    explain("fails without any fault", &x, &clean, &r);
                lasting_faults(&x, &clean);
            }
}

/* ---- matrices -------------------------------------------------------------------------------- */

static int unit_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 1;
    return 0;
}

static int without_z(double t, const double *y, const double *z, double *g, void *context)
{
    (void)z, (void)context;
    g[0] = y[0] - t;
    return 0;
}

static int moving(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int held(double t, const double *u, const double *v, const double *l, double *k, void *context)
{
    (void)t, (void)v, (void)context;
    k[0] = -(l[0] + l[1]) * u[0];
    k[1] = -(l[0] + l[1]) * u[1];
    return 0;
}

static int twice_the_same(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = g[1] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

/* Where the start was not asked to look, steps find that the matrix is singular, and say in which
 * of the user's unknowns. */
static void expect_singular(const keel_problem *p, const char *method, double step, const double *y,
                            const char *unknown)
{
    keel_solver *s = NULL;
    keel_options o = {.method = method, .step = step, .initial = KEEL_INITIAL_GIVEN,
                      .projection = KEEL_PROJECT_NONE};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    int rc = keel_advance_to(s, 1);
    if (rc != KEEL_SINGULAR) fail_msg("%s: %s %s", method, keel_status_name(rc), keel_message(s));
    assert_true(keel_time(s) == 0);
    expect_text(keel_message(s), "t = 0");
    expect_text(keel_message(s), unknown);
    expect_text(keel_message(s), "dependent");
    keel_solver_free(s);
}

static void singular_matrices(void **state)
{
    static const struct { const char *name; double step; } methods[] = {
        {"bdf", 0}, {"dimsim", 0}, {"bdf-3", 0.03}, {"dimsim-3", 0.03}};
    static const char *const names[] = {"east", "north", "u", "w", "pull", "push"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        keel_problem *p = NULL;
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
            .algebraic = 1, .rhs = unit_rate, .constraint = without_z,
            .names = (const char *const[]){"level", "flow"}}), KEEL_OK);
        expect_singular(p, methods[m].name, methods[m].step, (double[]){0, 1}, "flow");
        keel_problem_free(p);
        assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2,
            .velocities = 2, .multipliers = 2, .position_rate = moving, .velocity_rate = held,
            .constraint = twice_the_same, .names = names}), KEEL_OK);
        expect_singular(p, methods[m].name, methods[m].step, (double[]){1, 0, 0, 1, 0.5, 0}, "pu");
        keel_problem_free(p);
    }
}

/* y' = z, 0 = y - t is of index 2, whatever it is declared to be. */
static int wrong_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int wrong_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)z, (void)context;
    g[0] = y[0] - t;
    return 0;
}

static void wrong_index(void **state)
{
    static const char *const methods[] = {"bdf", "bdf-2", "dimsim", "dimsim-3"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
            .algebraic = 1, .rhs = wrong_rate, .constraint = wrong_constraint}), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = methods[m]}), s, methods[m]);
        expect_status(keel_start(s, 0, (double[]){0, 1}), KEEL_WRONG_INDEX, s, methods[m]);
        expect_text(keel_message(s), "g_z");
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf), cmocka_unit_test(bdf_of_one_order), cmocka_unit_test(dimsim),
        cmocka_unit_test(general_linear_of_one_order), cmocka_unit_test(constant_steps),
        cmocka_unit_test(singular_matrices), cmocka_unit_test(wrong_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
