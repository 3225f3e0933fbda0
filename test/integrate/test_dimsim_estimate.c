/* test_dimsim_estimate.c -- general linear methods with variable steps: what is estimated is the
 * error, on index 2 and on stiff problems as well.
 */
#include "integrate/multivalue.h"        /* before cmocka, whose fail() is a macro */

#include "test/integrate/circle.h"

/* ---- principal errors ------------------------------------------------------------------------ */

typedef struct run_method {
    _Alignas(32) char memory[1 << 15];
    multivalue_method m;
} run_method;

static void load(const char *name, run_method *to)
{
    keel_method *method = NULL;
    arena a = {.base = to->memory};
    assert_int_equal(keel_method_named(&method, name), KEEL_OK);
    multivalue_layout(&a, &to->m, method->general.stages, method->general.values, method->general.order);
    assert_int_equal(multivalue_of(method, &to->m), KEEL_OK);
    keel_method_free(method);
}

/* What tables_irks.c promises: kappa, stages j and s; no principal errors of what is carried. */
static void twin_stages(void **state)
{
    static const double kappa[] = {0, 0, -7. / 3, -3. / 11, -13. / 45, 301. / 324};
    static const int twin[] = {0, 0, 1, 1, 0, 0};
    (void)state;
    for (int p = 2; p <= 5; p++) {
        char name[] = "irks-p";
        run_method r;
        name[5] = (char)('0' + p);
        load(name, &r);
        assert_int_equal(r.m.estimates, ESTIMATE_TWIN);
        for (int k = 0; k <= p; k++) assert_true(r.m.phi[k] == 0);
        for (int i = 0; i <= p; i++) {
            double expected = i == p ? kappa[p] : i == twin[p] ? -kappa[p] : 0;
            assert_true(fabs(r.m.error_constant * r.m.estimate[i] - expected) < 1e-9);
        }
        assert_true(isinf(r.m.ratio_most));
    }
}

/* dimsim-2 carries h y' and h^2 y'' with errors -1/8 and -1/4 times h^3 y''', and M(inf) D(r) has a
 * spectral radius below 1 up to r = 1.55 (decision 14). */
static void scale_and_modify(void **state)
{
    run_method r;
    (void)state;
    load("dimsim-2", &r);
    assert_true(fabs(fabs(r.m.phi[1]) - 1. / 8) < 1e-12);
    assert_true(fabs(fabs(r.m.phi[2]) - 1. / 8) < 1e-12);        /* h^2 y'' / 2 */
    assert_true(r.m.ratio_most > 1.55 / 1.1 && r.m.ratio_most < 1.55);
}

/* Of y = t^(q+2) the derivative y^(q+1) is linear, so that P_(q+2) = h^(q+2) (q+2)! exactly,
 * whatever the steps were: P_(q+1) = h^(q+1) (q+2)! t before and after a step h. */
static void error_of_the_next_order(void **state)
{
    (void)state;
    for (int q = 1; q <= 4; q++)
        for (double before = 0.05; before < 0.3; before *= 2) {
            double h = 0.1, t = 1, factorial = tgamma(q + 3);
            double constant[] = {0, 0, 0.5, 0.5, 0.5, 0.5};
            double P = pow(h, q + 1) * factorial * (t + h), error, weight = 1;
            double P_before = pow(before, q + 1) * factorial * t;
            keel_solver s = {0};
            multivalue_state e = {.eval = &s.eval, .n = 1, .method.order = q, .range.last = 5,
                                  .principal = &P, .range.error_constant = constant,
                                  .principal_before = &P_before, .principal_h = before, .error = &error, .tested = &weight,
                                  .tested_count = 1};
            s.state = &e;
            double expected = 0.5 * pow(h, q + 2) * factorial;
            assert_true(fabs(multivalue_higher_error(&s, h, 0) - expected) < 1e-12 * expected);
        }
}

/* ---- local errors ---------------------------------------------------------------------------- */

typedef void exact_solution(double t, double *y);

typedef struct trial {
    exact_solution *exact;
    int differential;            /* unknowns whose error counts                            */
    double ratio;                /* step sizes are h, ratio h, h, ratio h, ..              */
} trial;

typedef struct local_error { double estimated, difference, real; } local_error;

static double length(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* The largest local errors of steps about h over a unit of time.  Every step begins with the exact
 * y; the other carried values are those of the method. */
static local_error measure(keel_solver *s, const trial *c, double h)
{
    multivalue_state *e = s->state;
    int n = c->differential, steps = (int)lround(1 / h);
    local_error worst = {0};
    double y[LARGEST_FORM], estimate[LARGEST_FORM], real[LARGEST_FORM];
    for (int k = 0; k < steps; k++) {
        double size = k % 2 ? c->ratio * h : h;
        if (k > 0) {
            c->exact(s->t, y);
            memcpy(e->carried, y, (size_t)n * sizeof *y);
            memcpy(e->y, y, (size_t)n * sizeof *y);
        }
        s->report.again = 0;
        attempt_result result = s->integrator->attempt(s, size);
        if (s->report.again) result = s->integrator->attempt(s, size);
        assert_int_equal(result, ATTEMPT_DONE);
        c->exact(s->t + size, y);
        for (int i = 0; i < n; i++) {
            real[i] = y[i] - e->made[i];
            estimate[i] = e->method.error_constant * e->principal[i];
        }
        if (k > 5 && length(real, n) > worst.real) {
            worst.real = length(real, n);
            worst.estimated = length(estimate, n);
            for (int i = 0; i < n; i++) estimate[i] -= real[i];
            worst.difference = length(estimate, n);
        }
        assert_int_equal(s->integrator->accept(s, size, s->t + size), ATTEMPT_DONE);
        s->t += size;
        double *principal = e->principal_before;         /* as multivalue_next does */
        e->principal_before = e->principal;
        e->principal = principal;
        e->principal_h = size;
    }
    return worst;
}

static local_error local_errors(const keel_problem *p, const trial *c, const char *method, double h)
{
    double y[LARGEST_FORM];
    keel_solver *s = NULL;
    c->exact(0, y);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-11,
              .newton_limit = 50, .projection = KEEL_PROJECT_NONE}), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    local_error found = measure(s, c, h);
    keel_solver_free(s);
    return found;
}

/* On index 2 the estimate is the error up to O(h^(p+2)), which is of order p + 1. */
static void on_index_two(void **state)
{
    static const char *const methods[] = {"irks-2", "irks-3", "irks-4"};
    static const double ratios[] = {1, 1.2, 1 / 1.5}, h[] = {1. / 64, 1. / 64, 1. / 32};
    probe context = {0};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(make_circle(&p, GIVEN, &context), KEEL_OK);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            trial c = {circle_exact, 2, ratios[k]};
            local_error coarse = local_errors(p, &c, methods[m], h[m]);
            local_error fine = local_errors(p, &c, methods[m], h[m] / 2);
            double order = log2(coarse.estimated / fine.estimated), q = m + 3;
            double coarse_off = coarse.difference / coarse.real, off = fine.difference / fine.real;
            if (!(fabs(order - q) < 0.15 && off < 0.06 && off < 0.8 * coarse_off))
                fail_msg("%s, ratio %g: order %.2f, estimate off by %.3f and %.3f", methods[m],
                         ratios[k], order, coarse_off, off);
        }
    keel_problem_free(p);
}

static const double lambda = -1e6;

static void sine_exact(double t, double *y) { y[0] = sin(t + 1); }

static int stiff_rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = lambda * (y[0] - sin(t + 1)) + cos(t + 1);
    return 0;
}

/* Prothero & Robinson's equation: an implicit stage divides what is put into it by 1 - h a lambda,
 * so that error and estimate are of the size of C h^(p+1) y^(p+1) / (h a lambda), twice that at the
 * most. */
static void on_stiff_equation(void **state)
{
    static const char *const methods[] = {"irks-1", "irks-2", "irks-3", "irks-4"};
    static const double bound[] = {2 / 100. / 0.3, 14. / 192 / 0.25, 2 / 256. / 0.25,
                                   26. / 15360 / 0.25};          /* 2 C / a */
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = stiff_rhs}), KEEL_OK);
    for (int m = 0; m < 4; m++) {
        trial c = {sine_exact, 1, 1.2};
        double h = 1. / 16, size = pow(1.2 * h, m + 2) * bound[m] / (h * -lambda);
        local_error found = local_errors(p, &c, methods[m], h);
        if (!(found.real < size && found.estimated < size))
            fail_msg("%s: error %.2e, estimate %.2e, expected below %.2e", methods[m], found.real,
                     found.estimated, size);
    }
    keel_problem_free(p);
}

static void cubic_exact(double t, double *y) { y[0] = t * t * t; }

static int cubic_rhs(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = 3 * t * t;
    return 0;
}

/* With y''' constant what dimsim-2 carries has its principal errors and no others, whatever the step
 * sizes: the estimate is the error, up to Newton's below the tolerance. */
static void exact_for_cubics(void **state)
{
    static const double ratios[] = {1, 1.2, 1 / 1.5};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = cubic_rhs}), KEEL_OK);
    for (int k = 0; k < 3; k++) {
        trial c = {cubic_exact, 1, ratios[k]};
        local_error found = local_errors(p, &c, "dimsim-2", 1. / 16);
        if (!(found.difference < 1e-11))
            fail_msg("ratio %g: error %.3e, estimate %.3e", ratios[k], found.real,
                     found.estimated);
    }
    keel_problem_free(p);
}

/* Growing steps stay stable. */
static void step_ratios(void **state)
{
    probe context = {0};
    keel_options o = {.method = "dimsim-2", .rtol = 1e-4, .first_step = 1e-8};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
    const multivalue_state *e = s->state;
    double before = INFINITY, largest = 0;
    (void)state;
    for (int k = 0; k < 30; k++) {
        expect_ok(keel_step(s), s, "dimsim-2");
        largest = fmax(largest, s->stats.last_step / before);
        before = s->stats.last_step;
    }
    assert_true(largest > 1 && largest <= e->range.table[2].ratio_most * (1 + 1e-12));
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_stages),
        cmocka_unit_test(scale_and_modify),
        cmocka_unit_test(error_of_the_next_order),
        cmocka_unit_test(on_index_two),
        cmocka_unit_test(on_stiff_equation),
        cmocka_unit_test(exact_for_cubics),
        cmocka_unit_test(step_ratios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
