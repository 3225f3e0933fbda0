/* test_rosenbrock.c -- Rosenbrock methods: orders of own ones, dense output, what they refuse, which
 * times they see, and when `auto` takes one. */
#include <math.h>

#include "problems/problems.h"
#include "test/support/run.h"

/* u' = -5 u + u^2, u(0) = 1/2, for u = y - sin t:  u = 5 / (1 + 9 e^(5t)). */
typedef struct seen { double first, last; } seen;

static int rhs(double t, const double *y, double *f, void *context)
{
    seen *times = context;
    double u = y[0] - sin(t);
    if (times && t < times->first) times->first = t;
    if (times && t > times->last) times->last = t;
    f[0] = -5 * u + cos(t) + u * u;
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)context;
    keel_put(J, 0, 0, -5 + 2 * (y[0] - sin(t)));
    return 0;
}

static double exact(double t) { return sin(t) + 5 / (1 + 9 * exp(5 * t)); }

static keel_problem *scalar(seen *times)
{
    keel_problem *p = NULL;
    keel_ode_spec spec = {.size = 1, .rhs = rhs, .jacobian = jacobian, .context = times};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    return p;
}

/* The error at t = 1 with n steps. */
static double error_of(const keel_problem *p, const keel_method *m, int n)
{
    keel_solver *s = NULL;
    double y = exact(0);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.tableau = m, .step = 1.0 / n}), s, "create");
    expect_ok(keel_start(s, 0, &y), s, "start");
    expect_ok(keel_advance_to(s, 1), s, "advance");
    double error = fabs(keel_state(s)[0] - exact(1));
    keel_solver_free(s);
    return error;
}

/* Two stages of order 2 for every gamma, L-stable for 1 - 1/sqrt(2) [HW96 IV.7, exercise 3]. */
static keel_method *own_method(void)
{
    const double gamma = 1 - sqrt(0.5), A[4] = {gamma, 0, 1 - 2 * gamma, gamma}, alpha[4] = {0, 0, 1, 0};
    const double b[2] = {0.5, 0.5};
    keel_method *m = NULL;
    keel_tableau t = {.name = "ros2", .stages = 2, .A = A, .A_explicit = alpha, .b = b};
    if (keel_method_create(&m, &t)) fail_msg("%s", keel_method_message(m));
    return m;
}

static void own_methods(void **state)
{
    keel_method *m = own_method();
    keel_problem *p = scalar(NULL);
    keel_analysis a;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_ROSENBROCK);
    assert_int_equal(keel_method_tableau(m)->order, 2);
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    assert_true(a.l_stable && a.order == 2);
    double order = log2(error_of(p, m, 80) / error_of(p, m, 160));
    if (!(fabs(order - 2) < 0.1)) fail_msg("order %g", order);
    expect_status(keel_solver_create(&s, p, &(keel_options){.tableau = m}), KEEL_UNSUPPORTED, s, "ros2");
    expect_text(keel_message(s), "no embedded method");
    keel_solver_free(s);
    keel_method_free(m);
    keel_problem_free(p);
}

static void orders(void **state)
{
    static const struct { const char *name; int order, steps; } cases[] = {{"rodas-4", 4, 40},
                                                                          {"rodas-5p", 5, 20}};
    keel_problem *p = scalar(NULL);
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_method *m = NULL;
        assert_int_equal(keel_method_named(&m, cases[k].name), KEEL_OK);
        double order = log2(error_of(p, m, cases[k].steps) / error_of(p, m, 2 * cases[k].steps));
        if (!(fabs(order - cases[k].order) < 0.25)) fail_msg("%s: order %g", cases[k].name, order);
        keel_method_free(m);
    }
    keel_problem_free(p);
}

/* Inside one step the error is O(h^(q+1)), q the order of dense output. */
static void dense_output(void **state)
{
    static const struct { const char *name; int order; } cases[] = {{"rodas-4", 3}, {"rodas-5p", 4}};
    keel_problem *p = scalar(NULL);
    (void)state;
    for (int k = 0; k < 2; k++) {
        double worst[2] = {0, 0};
        for (int half = 0; half < 2; half++) {
            keel_solver *s = NULL;
            double h = half ? 0.02 : 0.04, y = exact(0);
            expect_ok(keel_solver_create(&s, p, &(keel_options){.method = cases[k].name, .step = h}), s,
                      "create");
            expect_ok(keel_start(s, 0, &y), s, "start");
            expect_ok(keel_step(s), s, "step");
            for (int i = 1; i < 10; i++) {
                expect_ok(keel_interpolate(s, 0.1 * i * h, &y), s, "between");
                worst[half] = fmax(worst[half], fabs(y - exact(0.1 * i * h)));
            }
            keel_solver_free(s);
        }
        double order = log2(worst[0] / worst[1]);
        if (!(fabs(order - cases[k].order - 1) < 0.3)) fail_msg("%s: order %g", cases[k].name, order);
    }
    keel_problem_free(p);
}

/* Both directions; no callback beyond the ends, f_t included. */
static void times(void **state)
{
    seen looked = {0};
    keel_problem *p = scalar(&looked);
    (void)state;
    for (int backward = 0; backward < 2; backward++) {
        double from = backward ? 1 : 0, to = 1 - from, y = exact(from);
        keel_solver *s = NULL;
        keel_options options = {.method = "rodas-5p", .rtol = 1e-7, .atol = 1e-7};
        expect_ok(keel_solver_create(&s, p, &options), s, "create");
        expect_ok(keel_start(s, from, &y), s, "start");
        expect_ok(keel_set_stop_time(s, to), s, "stop");
        looked = (seen){0.5, 0.5};
        expect_ok(keel_advance_to(s, to), s, "advance");
        double growth = backward ? exp(5) : 1;               /* u' = -5u backward */
        assert_true(fabs(keel_state(s)[0] - exact(to)) < 10 * 1e-7 * growth);
        assert_true(looked.first >= 0 && looked.last <= 1);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static void refusals(void **state)
{
    static const struct { const char *problem, *why; } cases[] = {
        {"pendulum", "index 2 or 3"}, {"order-index2", "index 2 or 3"}, {"nand-gate", "may change"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bundled_problem *b = bundled_problem_find(cases[k].problem);
        double parameters[16];
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
        assert_int_equal(b->create(&p, parameters), KEEL_OK);
        int rc = keel_solver_create(&s, p, &(keel_options){.method = "rodas-4"});
        expect_status(rc, KEEL_UNSUPPORTED, s, cases[k].problem);
        expect_text(keel_message(s), cases[k].why);
        expect_text(keel_message(s), "try radau-iia");
        keel_solver_free(s);
        keel_problem_free(p);
    }
    const double upper[4] = {0.5, 1, 0, 0.5}, alpha[4] = {0, 0, 1, 0}, b[2] = {0.5, 0.5};
    keel_method *m = NULL;
    keel_tableau t = {.stages = 2, .A = upper, .A_explicit = alpha, .b = b};
    assert_int_equal(keel_method_create(&m, &t), KEEL_BAD_ARGUMENT);
    expect_text(keel_method_message(m), "above its diagonal");
    keel_method_free(m);
    const double unequal[4] = {0.5, 0, 0, 0.4};
    t.A = unequal;
    assert_int_equal(keel_method_create(&m, &t), KEEL_BAD_ARGUMENT);
    expect_text(keel_method_message(m), "one positive number");
    keel_method_free(m);
}

/* ---- auto ------------------------------------------------------------------------------------ */

enum { FEW = 10, MANY = 11 };

static int decay(double t, const double *y, double *f, void *context)
{
    const int *size = context;
    (void)t;
    for (int i = 0; i < *size; i++) f[i] = -1e4 * y[i];
    return 0;
}

static int identity(double t, const double *y, keel_matrix *M, void *context)
{
    const int *size = context;
    (void)t, (void)y;
    for (int i = 0; i < *size; i++) keel_put(M, i, i, 1);
    return 0;
}

static int decay_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    const int *size = context;
    (void)t, (void)y;
    for (int i = 0; i < *size; i++) keel_put(J, i, i, -1e4);
    return 0;
}

static void choice(const keel_options *options, int size, int with_jacobian, const char *expected)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_quasilinear_spec spec = {.size = size, .mass = identity, .constant_mass = 1, .rhs = decay,
                                  .jacobian = with_jacobian ? decay_jacobian : NULL, .context = &size};
    assert_int_equal(keel_quasilinear(&p, &spec), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, options), s, "create");
    expect_text(keel_choice(s), expected);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void automatic(void **state)
{
    const double mixed[MANY] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-8};
    (void)state;
    const char *loose = "auto: rodas-5p (loose tolerances), because", *tight = "auto: radau-iia, because";
    choice(&(keel_options){.rtol = 1e-4, .atol = 1e-4}, MANY, 1, loose);
    choice(&(keel_options){.rtol = 1e-4, .atol = 1e-14}, MANY, 1, loose);
    choice(&(keel_options){.rtol = 1e-6, .atol = 1e-6}, MANY, 1, tight);
    choice(&(keel_options){.rtol_each = mixed, .atol = 1e-4}, MANY, 1, tight);
    choice(&(keel_options){.rtol = 1e-4, .newton_limit = 9}, MANY, 1, tight);
    choice(&(keel_options){.rtol = 1e-4, .jacobian_differences = 1}, MANY, 1, tight);
    choice(&(keel_options){.rtol = 1e-4}, MANY, 0, tight);
    choice(&(keel_options){.rtol = 1e-4}, FEW, 0, loose);
    choice(&(keel_options){.rtol = 1e-4, .atol = 1e-10}, FEW, 0, tight);    /* beside 1e-8 of differences */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_methods), cmocka_unit_test(orders), cmocka_unit_test(dense_output),
        cmocka_unit_test(times), cmocka_unit_test(refusals), cmocka_unit_test(automatic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
