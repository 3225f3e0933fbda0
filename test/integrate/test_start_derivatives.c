/* test_start_derivatives.c -- y' at the start of F(t,y,y') = 0 and M(t,y) y' = f: found where it is
 * not given, corrected where it is wrong, and never taken silently where it cannot be.
 */
#include "integrate/integrator.h"
#include "test/support/run.h"

static const struct { const char *name; double step; } methods[] = {
    {"bdf", 0}, {"bdf-3", 0.01}, {"dimsim", 0}, {"dimsim-3", 0.01}, {"radau-iia", 0}};
enum { METHODS = 5, FIRST = FORM_CONSTANT_MASS, LAST = FORM_IMPLICIT };

static keel_options options_of(int m)
{
    return (keel_options){.method = methods[m].name, .step = methods[m].step, .rtol = 1e-6,
                          .atol = 1e-6};
}

/* y = (1/(1+t), e^(t/2)) at 0 */
static const double exact_slope[2] = {-1, 0.5};

/* M has rank 1: y' is determined along its row, not across. */
static double slope_error(int k, const double *yp)
{
    double d[2] = {yp[0] - exact_slope[0], yp[1] - exact_slope[1]};
    return k == FORM_CONSTANT_MASS ? fabs(d[0] + 2 * d[1])
         : k == FORM_STATE_MASS ? fabs(2 * d[0] + 0.5 * d[1]) : fabs(d[0]);
}

static void found_and_corrected(void **state)
{
    static const double wrong[2] = {7, -40}, close[2] = {-1.01, 0.5};
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = FIRST; k <= LAST; k++)
            for (int given = 0; given < 3; given++) {
                probe context = {0};
                double y[2], end[2];
                keel_options o = options_of(m);
                keel_problem *p = new_problem(&forms[k], GIVEN, &context);
                keel_solver *s = NULL;
                ode_exact(0, y);
                expect_ok(keel_solver_create(&s, p, &o), s, forms[k].name);
                expect_ok(keel_start_marked(s, 0, y, given == 0 ? NULL : given == 1 ? wrong : close,
                                            NULL), s, forms[k].name);
                assert_true(slope_error(k, s->yp) < 1e-10);
                assert_string_equal(keel_message(s), "");
                expect_ok(keel_advance_to(s, 0.4), s, forms[k].name);
                ode_exact(0.4, end);
                double error = distance(keel_state(s), end, 0, 2);
                if (!(error < 1e-4))
                    fail_msg("%s, %s: error %g", methods[m].name, forms[k].name, error);
                keel_solver_free(s);
                keel_problem_free(p);
            }
}

/* ---- no such y' ------------------------------------------------------------------------------ */

/* y1' = -y1, y2'^2 + 1 + y2^2 = 0 */
static int impossible(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] + y[0];
    F[1] = yp[1] * yp[1] + 1 + y[1] * y[1];
    return 0;
}

static void explained(void **state)
{
    const double y[2] = {1, 0}, yp[2] = {-1, 0.3};
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_options o = options_of(m);
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){.size = 2,
                                                                 .residual = impossible}), 0);
        expect_ok(keel_solver_create(&s, p, &o), s, "create");
        assert_int_equal(keel_start_marked(s, 0, y, yp, NULL), KEEL_INCONSISTENT);
        expect_text(keel_message(s), "equation[1]");
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- initial = given ------------------------------------------------------------------------ */

static keel_solver *start_given(const keel_problem *p, int m, const double *y, const double *yp)
{
    keel_solver *s = NULL;
    keel_options o = options_of(m);
    o.initial = KEEL_INITIAL_GIVEN;
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start_marked(s, 0, y, yp, NULL), s, "start");
    return s;
}

/* Values that satisfy the equations pass without a remark, and a missing y' is found. */
static void given_consistently(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = FIRST; k <= LAST; k++)
            for (int given = 0; given < 2; given++) {
                probe context = {0};
                double y[2], end[2];
                keel_problem *p = new_problem(&forms[k], BY_DIFFERENCES, &context);
                ode_exact(0, y);
                keel_solver *s = start_given(p, m, y, given ? exact_slope : NULL);
                assert_string_equal(keel_message(s), "");
                assert_true(slope_error(k, s->yp) < 1e-6);         /* M by differences */
                expect_ok(keel_advance_to(s, 0.4), s, forms[k].name);
                ode_exact(0.4, end);
                assert_true(distance(keel_state(s), end, 0, 2) < 1e-4);
                keel_solver_free(s);
                keel_problem_free(p);
            }
}

/* Others are taken as they are, y unchanged, and the remark names the equation and what is left. */
static void given_off_the_solution(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = FIRST; k <= LAST; k++)
            for (int given = 0; given < 2; given++) {
                probe context = {0};
                const double y[2] = {1.01, 1.02};
                keel_problem *p = new_problem(&forms[k], GIVEN, &context);
                keel_solver *s = start_given(p, m, y, given ? exact_slope : NULL);
                assert_memory_equal(keel_state(s), y, sizeof y);
                if (given) assert_memory_equal(s->yp, exact_slope, sizeof exact_slope);
                expect_text(keel_message(s), "equation");
                expect_text(keel_message(s), "residual");
                keel_solver_free(s);
                keel_problem_free(p);
            }
}

/* ---- index 2 -------------------------------------------------------------------------------- */

/* y' = z, 0 = y - sin t: y'_1 = z is known as well as z, which only the hidden constraint tells;
 * the methods forget a wrong one within their memory. */
static int index2(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)context;
    F[0] = yp[0] - y[1];
    F[1] = y[0] - sin(t);
    return 0;
}

static void partly_determined(void **state)
{
    static const int index[2] = {1, 2};
    const double y[2] = {0, 1.5};
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_options o = options_of(m);
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){.size = 2, .residual = index2,
                                                                 .variable_index = index}), 0);
        expect_ok(keel_solver_create(&s, p, &o), s, methods[m].name);
        expect_ok(keel_start(s, 0, y), s, methods[m].name);
        assert_true(fabs(s->yp[0] - keel_state(s)[1]) < 1e-10);
        expect_ok(keel_advance_to(s, 1), s, methods[m].name);
        const double *end = keel_state(s);
        if (!(fabs(end[0] - sin(1)) < 1e-5 && fabs(end[1] - cos(1)) < 1e-3))
            fail_msg("%s: y, z = %.8f, %.8f", methods[m].name, end[0], end[1]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Index 3 through ggl: the accelerations of the start are those of the multipliers found there. */
static void accelerations(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int k = FORM_HESS3; k <= FORM_EVALUATE; k++) {
            probe context = {0};
            double y[LARGEST_FORM], end[LARGEST_FORM];
            keel_options o = options_of(m);
            keel_problem *p = new_problem(&forms[k], GIVEN, &context);
            keel_solver *s = NULL;
            forms[k].exact(0, y);
            y[4] += 3;                                        /* free: it is found again */
            expect_ok(keel_solver_create(&s, p, &o), s, methods[m].name);
            expect_ok(keel_start(s, 0, y), s, methods[m].name);
            forms[k].exact(0, end);
            assert_true(distance(keel_state(s), end, 0, 5) < 1e-6);
            expect_ok(keel_advance_to(s, 0.3), s, methods[m].name);
            forms[k].exact(0.3, end);
            double error = distance(keel_state(s), end, 0, 4);
            if (!(error < 1e-3)) fail_msg("%s, %s: %g", methods[m].name, forms[k].name, error);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_and_corrected), cmocka_unit_test(explained),
        cmocka_unit_test(given_consistently), cmocka_unit_test(given_off_the_solution),
        cmocka_unit_test(partly_determined), cmocka_unit_test(accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
