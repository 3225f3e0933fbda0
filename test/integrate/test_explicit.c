/* test_explicit.c -- explicit Runge-Kutta methods on ODEs, index 1 and mechanical systems.
 *
 * The classical method (no embedded one: step doubling; no dense output: Hermite) and Dormand &
 * Prince 5(4) (first same as last, dense output of order 4 [HNW93 II.5 table 5.2, II.6 (6.12)])
 * entered as a user would.
 */
#include "integrate/integrator.h"

#include <float.h>

#include "problems/problems.h"
#include "test/support/run.h"

static const double rk4_A[16] = {[4] = 0.5, [9] = 0.5, [14] = 1};
static const double rk4_b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const keel_tableau rk4 = {.name = "rk4", .stages = 4, .order = 4, .A = rk4_A, .b = rk4_b};

static const double dp_A[49] = {
    [7] = 1.0 / 5, [14] = 3.0 / 40, 9.0 / 40, [21] = 44.0 / 45, -56.0 / 15, 32.0 / 9,
    [28] = 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729,
    [35] = 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656,
    [42] = 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
static const double dp_b[7] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
static const double dp_c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double dp_b_hat[7] = {5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640,
                                   -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
static const double dp_dense[28] = {
    1, -2.8535800653862835, 3.0717434641059005, -1.1270175653862835, 0, 0, 0, 0,
    0, 4.023133379230305, -6.249321565289, 2.675424484351598,
    0, -3.7324019615885042, 10.068970589843675, -5.685526961588504,
    0, 2.5548038301849423, -6.399112377351017, 3.5219323679207912,
    0, -1.3744241142186024, 3.272657752246729, -1.7672812570757455,
    0, 1.3824689317781436, -3.764937863556287, 2.382468931778144};
static const keel_tableau dopri5 = {
    .name = "dopri5", .stages = 7, .order = 5, .A = dp_A, .b = dp_b, .c = dp_c, .b_hat = dp_b_hat,
    .order_hat = 4, .dense_degree = 4, .dense_order = 4, .dense = dp_dense};
static const keel_tableau *const tableaux[] = {&rk4, &dopri5};
enum { METHODS = 2 };
static const int suited[] = {FORM_ODE, FORM_SEMI, FORM_SEPARATE, FORM_EVALUATE};
enum { SUITED = 4 };

static keel_method *method_of(const keel_tableau *t)
{
    keel_method *method = NULL;
    if (keel_method_create(&method, t)) fail_msg("%s: %s", t->name, keel_method_message(method));
    return method;
}

/* Integrates a form from 0 to 1; statistics and residuals at the end where wanted. */
static void run(const form *f, derivatives d, const keel_tableau *t, keel_options o, double *y,
                keel_stats *stats)
{
    probe context = {0};
    keel_method *method = method_of(t);
    o.tableau = method;
    keel_problem *p = new_problem(f, d, &context);
    keel_solver *s = started(p, f, &o, 0);
    expect_ok(keel_advance_to(s, 1), s, f->name);
    memcpy(y, keel_state(s), (size_t)f->size * sizeof *y);
    if (stats) *stats = *keel_solver_stats(s);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(method);
}

static double error_of(const form *f, derivatives d, const keel_tableau *t, keel_options o)
{
    double y[LARGEST_FORM], exact[LARGEST_FORM];
    run(f, d, t, o, y, NULL);
    f->exact(1, exact);
    return distance(y, exact, 0, f->size);
}

/* Full order in all unknowns, multipliers from the hidden constraint included, projected or not:
 * the index-1 form is an ODE [HW96 VII.2]. */
static void orders(void **state)
{
    (void)state;
    for (int k = 0; k < SUITED; k++)
        for (int m = 0; m < METHODS; m++)
            for (int none = 0; none < 2; none++) {
                const form *f = &forms[suited[k]];
                keel_options o = {.step = 1.0 / 32,
                                  .projection = none ? KEEL_PROJECT_NONE : KEEL_PROJECT_OBLIQUE};
                double coarse = error_of(f, GIVEN, tableaux[m], o);
                o.step /= 2;
                double order = log2(coarse / error_of(f, GIVEN, tableaux[m], o));
                if (!(order > tableaux[m]->order - 0.5))         /* than the next lower one */
                    fail_msg("%s, %s: order %.2f", f->name, tableaux[m]->name, order);
            }
}

/* The global error is a sum of local ones, each below the tolerance, on problems that do not
 * amplify them much; multipliers have no tolerance. */
static void tolerances(void **state)
{
    (void)state;
    for (int k = 0; k < SUITED; k++)
        for (int m = 0; m < METHODS; m++)
            for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
                const form *f = &forms[suited[k]];
                keel_options o = {.rtol = tolerance, .atol = tolerance};
                double y[LARGEST_FORM], exact[LARGEST_FORM];
                keel_stats stats;
                run(f, GIVEN, tableaux[m], o, y, &stats);
                f->exact(1, exact);
                double error = distance(y, exact, 0, suited[k] < FORM_SEPARATE ? 2 : 4);
                if (!(error < 2 * (double)stats.accepted * tolerance))
                    fail_msg("%s, %s at %g: %g", f->name, tableaux[m]->name, tolerance, error);
            }
}

/* Positions and velocities stay on their manifold to rounding. */
static void no_drift(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (double tolerance = 1e-3; tolerance > 1e-10; tolerance *= 1e-2) {
            double y[LARGEST_FORM];
            keel_stats stats;
            keel_options o = {.rtol = tolerance, .atol = tolerance};
            run(&forms[FORM_EVALUATE], GIVEN, tableaux[m], o, y, &stats);
            assert_true(stats.residual[0] < 1e-11 && stats.residual[1] < 1e-11);
            assert_true(stats.projections >= stats.accepted);
            o.projection = KEEL_PROJECT_NONE;
            run(&forms[FORM_EVALUATE], GIVEN, tableaux[m], o, y, &stats);
            assert_true(stats.residual[0] > 1e-15 && stats.residual[0] < 100 * tolerance);
            assert_int_equal(stats.projections, 0);
        }
}

/* Noise of a differenced curvature does not enter the error estimate, where it would make the steps
 * collapse: the tangential part of an estimate is, in the norm of M, no larger than all of it.  At
 * the last tolerance the errors that the noise itself causes are not looked at. */
static void curvature_by_differences(void **state)
{
    (void)state;
    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-2) {
        double y[LARGEST_FORM], exact[LARGEST_FORM];
        keel_stats given, differenced;
        keel_options o = {.rtol = tolerance, .atol = tolerance};
        run(&forms[FORM_SEPARATE], GIVEN, &dopri5, o, y, &given);
        run(&forms[FORM_SEPARATE], BY_DIFFERENCES, &dopri5, o, y, &differenced);
        forms[FORM_SEPARATE].exact(1, exact);
        if (tolerance > 1e-11) assert_true(distance(y, exact, 0, 4) < 30 * tolerance);
        assert_true(differenced.steps <= given.steps + given.steps / 5 + 2);
    }
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void forms_without_rates(void **state)
{
    static const struct { int form; const char *advice; } cases[] = {
        {FORM_HESS2, "half-explicit"}, {FORM_HESS3, "half-explicit"},
        {FORM_CONSTANT_MASS, "implicit method"}, {FORM_IMPLICIT, "implicit method"},
        {FORM_PROPER, "implicit method"}};
    (void)state;
    for (int k = 0; k < 5; k++) {
        probe context = {0};
        keel_method *method = method_of(&dopri5);
        keel_problem *p = new_problem(&forms[cases[k].form], GIVEN, &context);
        keel_solver *s = NULL;
        int rc = keel_solver_create(&s, p, &(keel_options){.tableau = method});
        expect_status(rc, KEEL_UNSUPPORTED, s, forms[cases[k].form].name);
        expect_text(keel_message(s), cases[k].advice);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_method_free(method);
    }
}

static int spring(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)v, (void)context;
    f[0] = -4 * q[0];
    return 0;
}

/* q'' = -4 q without constraints: q = cos 2t, v = -2 sin 2t. */
static void unconstrained(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        keel_method *method = method_of(tableaux[m]);
        double y[2] = {1, 0}, middle = 0.4;
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1,
                         .force = spring}), KEEL_OK);
        keel_options o = {.tableau = method, .rtol = 1e-8, .atol = 1e-8};
        expect_ok(keel_solver_create(&s, p, &o), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        expect_ok(keel_advance(s, middle), s, "advance");
        expect_ok(keel_interpolate(s, middle, y), s, "interpolate");
        assert_true(fabs(y[0] - cos(2 * middle)) < 1e-6 && fabs(y[1] + 2 * sin(2 * middle)) < 1e-5);
        expect_ok(keel_advance_to(s, 3), s, "advance");
        assert_true(fabs(keel_state(s)[0] - cos(6)) < 1e-6);
        assert_int_equal(keel_solver_stats(s)->factorizations, 1);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_method_free(method);
    }
}

/* ---- dense output ---------------------------------------------------------------------------- */

static void dense_is_lazy_and_continuous(void **state)
{
    (void)state;
    for (int k = 0; k < SUITED; k++)
        for (int m = 0; m < METHODS; m++) {
            const form *f = &forms[suited[k]];
            probe context = {0};
            double end[LARGEST_FORM], y[LARGEST_FORM], exact[LARGEST_FORM];
            size_t bytes = (size_t)f->size * sizeof *y;
            keel_method *method = method_of(tableaux[m]);
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &(keel_options){.tableau = method, .rtol = 1e-7,
                                                           .atol = 1e-7}, 0);
            keel_solution *r = NULL;
            assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
            for (int step = 0; step < 8; step++) {
                memcpy(end, keel_state(s), bytes);
                expect_ok(keel_step(s), s, f->name);
                double t0 = keel_previous_time(s), h = keel_time(s) - t0;
                expect_ok(keel_interpolate(s, t0, y), s, f->name);
                assert_memory_equal(y, end, bytes);
                for (double theta = 0.1; theta < 1; theta += 0.2) {
                    expect_ok(keel_interpolate(s, t0 + theta * h, y), s, f->name);
                    f->exact(t0 + theta * h, exact);
                    double error = distance(y, exact, 0, f->size);
                    if (!(error < 1e-5)) fail_msg("%s, %s: %g", f->name, tableaux[m]->name, error);
                }
                long calls = context.total;
                expect_ok(keel_interpolate(s, keel_time(s), y), s, f->name);
                expect_ok(keel_interpolate(s, t0 + 0.3 * h, y), s, f->name);
                assert_int_equal(context.total, calls);          /* once per step */
                expect_ok(keel_solution_append(r, s), s, f->name);
                double again[LARGEST_FORM];
                assert_int_equal(keel_solution_at(r, t0 + 0.3 * h, again), KEEL_OK);
                assert_true(distance(again, y, 0, f->size) < 1e-14 * 100);
            }
            keel_solution_free(r);
            keel_solver_free(s);
            keel_problem_free(p);
            keel_method_free(method);
        }
}

/* The error in the middle of one step from exact values falls with the power order + 1: cubic
 * Hermite 4, the dense output of Dormand & Prince 5, quintic Hermite for positions 6 (held down to
 * the order 5 of a single step of the classical method). */
static void dense_orders(void **state)
{
    static const struct { int form, method, unknowns, power; } cases[] = {
        {FORM_ODE, 0, 2, 4}, {FORM_ODE, 1, 2, 5}, {FORM_SEMI, 0, 2, 4}, {FORM_SEMI, 1, 2, 5},
        {FORM_SEPARATE, 0, 4, 5}, {FORM_SEPARATE, 1, 4, 5}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double error[2];
        const form *f = &forms[cases[k].form];
        for (int half = 0; half < 2; half++) {
            probe context = {0};
            double y[LARGEST_FORM], exact[LARGEST_FORM], h = half ? 0.1 : 0.2;
            keel_method *method = method_of(tableaux[cases[k].method]);
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &(keel_options){.tableau = method, .step = h}, 0);
            expect_ok(keel_step(s), s, f->name);
            expect_ok(keel_interpolate(s, h / 2, y), s, f->name);
            f->exact(h / 2, exact);
            error[half] = distance(y, exact, 0, cases[k].unknowns);
            keel_solver_free(s);
            keel_problem_free(p);
            keel_method_free(method);
        }
        double power = log2(error[0] / error[1]);
        if (!(power > cases[k].power - 0.4))
            fail_msg("%s, %s: power %.2f", f->name, tableaux[cases[k].method]->name, power);
    }
}

static int power_rate(double t, const double *y, double *f, void *context)
{
    const int *k = context;
    (void)y;
    f[0] = *k * pow(t, *k - 1);
    return 0;
}

/* y' = k t^(k-1) in one step of length 1: dense output of order p is exact up to k = p, but for the
 * rounding of its weights (verner8: their sizes add up to 97) or of the powers in them. */
static void dense_output_of_polynomials(void **state)
{
    static const struct { const char *name; int order; double sizes; } methods[] = {
        {"dopri5", 4, 70}, {"dop853", 7, 1.2e4}, {"verner8", 7, 97}};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 1; k <= methods[m].order; k++) {
            keel_problem *p;
            double y = 0;
            keel_solver *s;
            assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = power_rate,
                                                           .context = &k}), KEEL_OK);
            assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = methods[m].name,
                                                                       .step = 1}), KEEL_OK);
            expect_ok(keel_start(s, 0, &y), s, methods[m].name);
            expect_ok(keel_step(s), s, methods[m].name);
            for (double t = 0.01; t < 1; t += 0.01) {
                expect_ok(keel_interpolate(s, t, &y), s, methods[m].name);
                if (!(fabs(y - pow(t, k)) <= 4 * methods[m].sizes * DBL_EPSILON))
                    fail_msg("%s: t^%d at %g is off by %g", methods[m].name, k, t, y - pow(t, k));
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* With extra stages the output inside a step is as accurate as its end, within the factor 10 by
 * which the error constant of an interpolant of lower order may exceed it, and a floor of rounding:
 * checked over many steps by the largest errors. */
static void dense_with_extra_stages(void **state)
{
    static const char *const names[] = {"dop853", "verner8"};
    (void)state;
    for (int k = 0; k < SUITED; k++)
        for (int m = 0; m < 2; m++) {
            const form *f = &forms[suited[k]];
            probe context = {0};
            double inside = 0, y[LARGEST_FORM], exact[LARGEST_FORM];
            keel_options o = {.method = names[m], .rtol = 1e-9, .atol = 1e-9};
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &o, 0);
            expect_ok(keel_set_stop_time(s, 2), s, f->name);
            while (keel_step(s) == KEEL_OK) {
                double t0 = keel_previous_time(s), h = keel_time(s) - t0;
                for (double theta = 0.05; theta < 1; theta += 0.1) {
                    expect_ok(keel_interpolate(s, t0 + theta * h, y), s, f->name);
                    f->exact(t0 + theta * h, exact);
                    inside = fmax(inside, distance(y, exact, 0, suited[k] < FORM_SEPARATE ? 2 : 4));
                }
            }
            double bound = 10 * 1e-9 * (double)keel_solver_stats(s)->accepted;
            if (!(inside < bound)) fail_msg("%s, %s: %g > %g", f->name, names[m], inside, bound);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* ---- failures -------------------------------------------------------------------------------- */

/* A callback that cannot be evaluated once costs a smaller step; one that stops ends it. */
static void callbacks_that_fail(void **state)
{
    (void)state;
    for (int k = 0; k < SUITED; k++)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_NAN; kind++) {
            const form *f = &forms[suited[k]];
            callback target = suited[k] == FORM_SEPARATE ? FORCE
                            : suited[k] == FORM_EVALUATE ? EVALUATE : RHS;
            probe context = {.target = target, .kind = (spoiling)kind, .at = 40};
            double y[LARGEST_FORM], exact[LARGEST_FORM];
            keel_method *method = method_of(&dopri5);
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_options o = {.tableau = method, .rtol = 1e-8, .atol = 1e-8};
            keel_solver *s = started(p, f, &o, 0);
            context.armed = 1;
            int rc = keel_advance_to(s, 1);
            assert_int_equal(context.spoiled, 1);
            if (kind == RETURNS_NEGATIVE) {
                expect_status(rc, KEEL_CALLBACK_FAILED, s, f->name);
                expect_ok(keel_interpolate(s, (keel_previous_time(s) + keel_time(s)) / 2, y), s,
                          f->name);                              /* of the last accepted step */
                f->exact((keel_previous_time(s) + keel_time(s)) / 2, exact);
                assert_true(distance(y, exact, 0, f->size) < 1e-5);
                context.armed = 0;
                rc = keel_advance_to(s, 1);
            }
            expect_ok(rc, s, f->name);
            f->exact(1, exact);
            assert_true(distance(keel_state(s), exact, 0, f->size) < 1e-6);
            keel_solver_free(s);
            keel_problem_free(p);
            keel_method_free(method);
        }
}

/* ---- projection on request ------------------------------------------------------------------- */

static void projection_on_request(void **state)
{
    (void)state;
    probe context = {0};
    const form *f = &forms[FORM_EVALUATE];
    keel_method *method = method_of(&dopri5);
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, &(keel_options){.tableau = method}, 0);
    double y[LARGEST_FORM], exact[LARGEST_FORM];
    f->exact(0.3, exact);
    for (int i = 0; i < 5; i++) y[i] = exact[i] + 1e-3 * (i + 1);
    expect_ok(keel_project(s, 0.3, y), s, f->name);
    double r = 1 + 0.2 * sin(0.3);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] - r * r) < 1e-12);
    assert_true(fabs(y[0] * y[2] + y[1] * y[3] - r * 0.2 * cos(0.3)) < 1e-12);
    assert_true(distance(y, exact, 0, 4) < 1e-2);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders), cmocka_unit_test(tolerances), cmocka_unit_test(no_drift),
        cmocka_unit_test(curvature_by_differences), cmocka_unit_test(forms_without_rates),
        cmocka_unit_test(unconstrained), cmocka_unit_test(dense_is_lazy_and_continuous),
        cmocka_unit_test(dense_orders), cmocka_unit_test(dense_output_of_polynomials), cmocka_unit_test(callbacks_that_fail),
        cmocka_unit_test(projection_on_request),
        cmocka_unit_test(dense_with_extra_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
