/* test_methods.c -- implicit methods other than Radau IIA: error estimates, dense output, and forms
 * whose y' is known from the stages alone. */
#include "integrate/integrator.h"
#include "test/support/run.h"

static const char *const methods[] = {
    "gauss-1", "gauss-2", "gauss-3", "radau-ia-2", "radau-ia-3", "lobatto-iiia-2", "lobatto-iiia-3",
    "lobatto-iiia-4", "lobatto-iiic-3", "collocation-3:0.5", "sdirk-2", "sdirk-4", "sdirk-4b",
    "tr-bdf2", "esdirk-3", "esdirk-4", "esdirk-5"};
enum { METHODS = sizeof methods / sizeof *methods };

static keel_method *named(const char *name)
{
    keel_method *m = NULL;
    assert_int_equal(keel_method_named(&m, name), KEEL_OK);
    return m;
}

/* A solver after one step h of the ODE, from its exact solution. */
static keel_solver *one_step(const keel_problem *p, const keel_options *o, double h)
{
    keel_solver *s = started(p, &forms[FORM_ODE], o, 0);
    expect_ok(keel_set_stop_time(s, h), s, "stop");
    expect_ok(keel_step(s), s, "step");
    assert_true(keel_time(s) == h);
    return s;
}

/* ---- error estimates ------------------------------------------------------------------------- */

/* With an absolute tolerance that lets the step pass, but Newton's method not stop too early. */
static double estimate(const keel_problem *p, const keel_method *m, double h, double tolerance)
{
    static const double none[2] = {0, 0};
    const keel_tableau *t = keel_method_tableau(m);
    int above = t->b_hat && t->order_hat > t->order;         /* tested more strictly: by c tol^(1+1/p) */
    double asked = above ? pow(tolerance * pow(0.1, 1.0 / t->order), t->order / (t->order + 1.0))
                         : tolerance;
    const keel_options o = {.tableau = m, .rtol_each = none, .atol = asked, .first_step = h};
    keel_solver *s = one_step(p, &o, h);
    double error = tolerance * s->report.error;
    keel_solver_free(s);
    return error;
}

/* y_1 of the method with constant steps. */
static void result(const keel_problem *p, const keel_method *m, double h, double *y)
{
    keel_solver *s = one_step(p, &(keel_options){.tableau = m, .step = h}, h);
    memcpy(y, keel_state(s), 2 * sizeof *y);
    keel_solver_free(s);
}

/* |y - y_hat|, with y_hat from the embedded method by itself; the filter is 1 + O(h). */
static void embedded_estimates(void **state)
{
    const double h = 1e-2;
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    int found = 0;
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        keel_method *m = named(methods[k]), *hat = NULL;
        const keel_tableau *t = keel_method_tableau(m);
        if (t->b_hat) {
            double y[2], y_hat[2];
            const keel_tableau embedded = {.stages = t->stages, .A = t->A, .b = t->b_hat};
            assert_int_equal(keel_method_create(&hat, &embedded), KEEL_OK);
            result(p, m, h, y);
            result(p, hat, h, y_hat);
            double size = hypot(y[0] - y_hat[0], y[1] - y_hat[1]) / sqrt(2);
            double seen = estimate(p, m, h, 2 * size);
            if (!(fabs(seen - size) < 0.2 * size))
                fail_msg("%s: %g instead of %g", methods[k], seen, size);
            found++;
        }
        keel_method_free(hat);
        keel_method_free(m);
    }
    assert_true(found >= 4);
    keel_problem_free(p);
}

/* Two stages at one node differ by O(h^(q+1)), q = 1, or less. */
static void estimate_of_equal_nodes(void **state)
{
    static const double A[] = {0.25, 0, 0, 0.5, 0.25, 0, 0.25, 0.25, 0.25};
    static const double b[] = {0.5, 0.25, 0.25};
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_method *m = NULL;
    (void)state;
    assert_int_equal(keel_method_create(&m, &(keel_tableau){.stages = 3, .A = A, .b = b}), KEEL_OK);
    double order = log2(estimate(p, m, 0.02, 1e-4) / estimate(p, m, 0.01, 3e-5));
    if (!(order > 1.7)) fail_msg("order %g", order);
    keel_method_free(m);
    keel_problem_free(p);
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* Inside a single step.  Cubic Hermite interpolation of diagonally implicit methods: h^4; otherwise
 * the polynomial through y_n, y_(n+1) and the stages, of order q + 1 each. */
static int dense_order(const keel_method *m)
{
    const keel_tableau *t = keel_method_tableau(m);
    keel_analysis a;
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    int points = 2, order = 4;
    for (int i = 0; i < t->stages; i++) points += t->c[i] > 1e-10 && t->c[i] < 1 - 1e-10;
    if (keel_method_kind_of(m) != KEEL_METHOD_DIAGONAL)
        order = points < a.stage_order + 1 ? points : a.stage_order + 1;
    return order < a.order + 1 ? order : a.order + 1;
}

static double middle_error(const keel_problem *p, const keel_method *m, double h)
{
    double y[2], exact[2];
    keel_solver *s = one_step(p, &(keel_options){.tableau = m, .step = h}, h);
    expect_ok(keel_interpolate(s, 0.4 * h, y), s, "interpolate");
    forms[FORM_ODE].exact(0.4 * h, exact);
    keel_solver_free(s);
    return distance(y, exact, 0, 2);
}

static void dense_orders(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        keel_method *m = named(methods[k]);
        double order = log2(middle_error(p, m, 0.1) / middle_error(p, m, 0.05));
        if (!(order > dense_order(m) - 0.5))
            fail_msg("%s: %.2f instead of %d", methods[k], order, dense_order(m));
        keel_method_free(m);
    }
    keel_problem_free(p);
}

/* ---- forms that do not give y' --------------------------------------------------------------- */

/* The end of a run that knows y' at its start. */
static void solve_from_slope(const form *f, const keel_options *o, double *y)
{
    const double d = 1e-5;
    double before[LARGEST_FORM], after[LARGEST_FORM], yp[LARGEST_FORM];
    probe context = {0};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = NULL;
    f->exact(-d, before);
    f->exact(0, y);
    f->exact(d, after);
    for (int i = 0; i < f->size; i++) yp[i] = (after[i] - before[i]) / (2 * d);
    expect_ok(keel_solver_create(&s, p, o), s, f->name);
    expect_ok(keel_start_marked(s, 0, y, yp, NULL), s, f->name);
    expect_ok(keel_advance_to(s, 1), s, f->name);
    memcpy(y, keel_state(s), (size_t)f->size * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Stiffly accurate methods have their full order also for index 1 [HW96 VI.1], an explicit first
 * stage or not: its slope is that of the last one.  Where the kernel of M or F_y' moves, y' is of
 * index 2 and y of order 2q and q + r + 1 at the most, by C(q) and D(r) [HLR89 section 4].  With a
 * properly stated leading term it does not move: u is carried. */
static void orders_without_rates(void **state)
{
    static const char *const stiffly_accurate[] = {"lobatto-iiia-3", "lobatto-iiic-3", "sdirk-4",
                                                   "tr-bdf2", "esdirk-4"};
    static const int order[] = {4, 4, 4, 2, 4}, moving_order[] = {4, 4, 2, 2, 3};
    static const int which[] = {FORM_ODE, FORM_SEMI, FORM_CONSTANT_MASS, FORM_STATE_MASS,
                                FORM_IMPLICIT, FORM_PROPER};
    (void)state;
    for (int m = 0; m < 5; m++)
        for (int k = 0; k < 6; k++) {
            const form *f = &forms[which[k]];
            double y[LARGEST_FORM], exact[LARGEST_FORM], error[2];
            f->exact(1, exact);
            for (int i = 0; i < 2; i++) {
                keel_options o = {.method = stiffly_accurate[m], .step = i ? 1.0 / 64 : 1.0 / 32};
                solve_from_slope(f, &o, y);
                error[i] = distance(y, exact, 0, f->size);
            }
            double seen = log2(error[0] / error[1]);
            int moves = which[k] == FORM_STATE_MASS || which[k] == FORM_IMPLICIT;
            if (!(seen > (moves ? moving_order[m] : order[m]) - 0.5))
                fail_msg("%s, %s: order %.2f", f->name, stiffly_accurate[m], seen);
        }
}

/* ---- multipliers ----------------------------------------------------------------------------- */

/* From the hidden constraint they are as good as the other unknowns, projected or not: Radau IIA
 * with 3 stages has order 5 in y of index 2 and 3 in v of index 3, by the recursion 3 and 2 [HLR89]. */
static void hidden_multipliers_without_projection(void **state)
{
    static const struct { int form, order; double h; } cases[] = {{FORM_HESS2, 5, 1.0 / 16},
                                                                  {FORM_HESS3, 3, 1.0 / 32}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const form *f = &forms[cases[k].form];
        double y[LARGEST_FORM], exact[LARGEST_FORM], error[2];
        f->exact(1, exact);
        for (int i = 0; i < 2; i++) {
            const keel_options o = {.method = "radau-iia-3", .step = cases[k].h / (i + 1),
                                    .projection = KEEL_PROJECT_NONE};
            solve(f, GIVEN, &(probe){0}, &o, 0, 1, y);
            error[i] = distance(y, exact, f->size - 1, f->size);
        }
        double order = log2(error[0] / error[1]);
        if (!(order > cases[k].order - 0.5)) fail_msg("%s: order %.2f", f->name, order);
    }
}

/* Not stiffly accurate: the algebraic equations keep a residual, which must not stop the error test
 * however small the step.  The global error follows the tolerance, as in test_control.c. */
static void residuals_stay_out_of_the_estimate(void **state)
{
    static const char *const names[] = {"gauss-2", "gauss-3", "radau-ia-3", "collocation-3:0.5"};
    const form *f = &forms[FORM_CONSTANT_MASS];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double tolerance = 1e-4; tolerance > 1e-7; tolerance /= 100) {
            probe context = {0};
            double y[LARGEST_FORM];
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &(keel_options){.method = names[i],
                                     .rtol = tolerance}, 0);
            expect_ok(keel_advance_to(s, 0.8), s, names[i]);
            f->exact(0.8, y);
            for (int j = 0; j < f->size; j++)
                if (keel_variable_index(p, j) == 1)
                    assert_true(fabs(keel_state(s)[j] - y[j]) < 200 * tolerance * (1 + fabs(y[j])));
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_stay_out_of_the_estimate),
        cmocka_unit_test(embedded_estimates), cmocka_unit_test(estimate_of_equal_nodes),
        cmocka_unit_test(dense_orders), cmocka_unit_test(orders_without_rates),
        cmocka_unit_test(hidden_multipliers_without_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
