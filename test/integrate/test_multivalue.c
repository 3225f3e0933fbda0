/* test_multivalue.c -- the promises of solver.h, kept by multistep and general linear methods. */
#include "test/support/run.h"

typedef struct method_case {
    const char *name;
    double step;                 /* 0: variable */
    unsigned avoided;            /* forms that it cannot advance, or is no good for */
} method_case;

/* Multistep methods other than BDF are made for index 2 in Hessenberg form, and must see which
 * unknowns are algebraic. */
enum {
    INDEX3 = 1 << FORM_HESS3 | 1 << FORM_SEPARATE | 1 << FORM_EVALUATE,
    HIDDEN = 1 << FORM_CONSTANT_MASS | 1 << FORM_STATE_MASS | 1 << FORM_IMPLICIT | 1 << FORM_PROPER
};

static const method_case methods[] = {
    {"bdf", 0, 0}, {"bdf-3", 0, 0}, {"dimsim", 0, 0}, {"irks-3", 0, 0},
    {"bdf-3", 0.01, 0}, {"dimsim-3", 0.01, 0}, {"dcbdf-3", 0.01, INDEX3 | HIDDEN},
    {"beta-adams-2", 0.01, INDEX3 | HIDDEN},
};
enum { METHODS = sizeof methods / sizeof *methods };

static keel_options options_of(const method_case *m)
{
    return (keel_options){.method = m->name, .step = m->step, .rtol = 1e-6, .atol = 1e-6};
}

/* Unknowns without the multipliers of index 2 and 3, which no error test sees. */
static int compared(int k)
{
    return forms[k].size - ((INDEX3 | 1 << FORM_HESS2) >> k & 1);
}

typedef void on_form(const method_case *m, int k);

static void everywhere(on_form *test)
{
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < FORMS; k++)
            if (!(methods[m].avoided >> k & 1u)) test(&methods[m], k);
}

static void expect_near(const keel_solver *s, const method_case *m, int k, double allowed)
{
    double exact[LARGEST_FORM];
    forms[k].exact(keel_time(s), exact);
    double error = distance(keel_state(s), exact, 0, compared(k));
    if (!(error <= allowed))
        fail_msg("%s, step %g, %s: error %g at t = %g", m->name, m->step, forms[k].name, error,
                 keel_time(s));
}

/* ---- repetition ------------------------------------------------------------------------------ */

/* Started again, also after a failure, a solver does what it did, bit for bit. */
static void start_again(const method_case *m, int k)
{
    probe context = {.kind = RETURNS_POSITIVE, .at = 1, .persists = 1};
    double y[LARGEST_FORM], first[LARGEST_FORM];
    keel_options o = options_of(m);
    size_t bytes = (size_t)forms[k].size * sizeof *y;
    keel_problem *p = new_problem(&forms[k], BY_DIFFERENCES, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    expect_ok(keel_advance_to(s, 0.3), s, m->name);
    memcpy(first, keel_state(s), bytes);
    keel_stats stats = *keel_solver_stats(s);
    for (int c = 0; c < CALLBACKS; c++) {
        if (!context.calls[c]) continue;
        context.target = (callback)c;
        context.spoiled = 0;
        context.armed = 1;
        assert_true(keel_step(s) < 0 || context.spoiled == 0);
        context.armed = 0;
    }
    forms[k].exact(0, y);
    expect_ok(keel_start(s, 0, y), s, m->name);
    expect_ok(keel_advance_to(s, 0.3), s, m->name);
    assert_memory_equal(keel_state(s), first, bytes);
    assert_int_equal(keel_solver_stats(s)->rhs, stats.rhs);
    assert_int_equal(keel_solver_stats(s)->factorizations, stats.factorizations);
    assert_int_equal(keel_solver_stats(s)->steps, stats.steps);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void restart(void **state)
{
    (void)state;
    everywhere(start_again);
}

/* A limit on the number of steps interrupts, and changes nothing. */
static void interrupt(const method_case *m, int k)
{
    probe context = {0};
    double whole[LARGEST_FORM];
    keel_options o = options_of(m);
    int rc, pauses = 0;
    solve(&forms[k], GIVEN, &context, &o, 0, 0.3, whole);
    o.max_steps = 3;
    keel_problem *p = new_problem(&forms[k], GIVEN, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    while ((rc = keel_advance_to(s, 0.3)) == KEEL_STEP_LIMIT) pauses++;
    expect_ok(rc, s, m->name);
    assert_true(pauses > 0);
    assert_memory_equal(keel_state(s), whole, (size_t)forms[k].size * sizeof *whole);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void step_limit(void **state)
{
    (void)state;
    everywhere(interrupt);
}

/* A step that fails leaves point, time and dense output as they were, and the next call goes on. */
static void fail_in_the_middle(const method_case *m, int k)
{
    probe context = {.kind = GIVES_NAN, .at = 1, .persists = 1};
    double y[LARGEST_FORM], inside[LARGEST_FORM], again[LARGEST_FORM];
    keel_options o = options_of(m);
    size_t bytes = (size_t)forms[k].size * sizeof *y;
    keel_problem *p = new_problem(&forms[k], BY_DIFFERENCES, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    expect_ok(keel_advance(s, 0.1), s, m->name);
    double t = keel_time(s), middle = 0.5 * (t + keel_previous_time(s));
    memcpy(y, keel_state(s), bytes);
    expect_ok(keel_interpolate(s, middle, inside), s, m->name);
    for (int c = 0; c < CALLBACKS; c++) {
        if (!context.calls[c]) continue;
        context.target = (callback)c;
        context.spoiled = 0;
        context.armed = 1;
        int rc = keel_step(s);
        context.armed = 0;
        if (!context.spoiled) {
            t = keel_time(s), middle = 0.5 * (t + keel_previous_time(s));
            memcpy(y, keel_state(s), bytes);
            expect_ok(keel_interpolate(s, middle, inside), s, m->name);
            continue;
        }
        assert_true(rc < 0);
        assert_true(keel_time(s) == t);
        assert_memory_equal(keel_state(s), y, bytes);
        expect_ok(keel_interpolate(s, middle, again), s, m->name);
        assert_memory_equal(inside, again, bytes);
    }
    expect_ok(keel_advance_to(s, 0.4), s, m->name);
    expect_near(s, m, k, 1e-3);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void failed_steps(void **state)
{
    (void)state;
    everywhere(fail_in_the_middle);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* In both directions, with stop times that no callback sees beyond; and on from there. */
static void stop_and_go(const method_case *m, int k)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        probe context = {0};
        keel_options o = options_of(m);
        keel_problem *p = new_problem(&forms[k], BY_DIFFERENCES, &context);
        keel_solver *s = started(p, &forms[k], &o, 0.5);
        for (int part = 1; part <= 4; part++) {
            double stop = 0.5 + sign * 0.0733 * part;
            expect_ok(keel_set_stop_time(s, stop), s, m->name);
            context.t_least = context.t_most = keel_time(s);
            assert_int_equal(keel_advance(s, stop + sign), KEEL_STOP_REACHED);
            assert_true(keel_time(s) == stop);
            double beyond = sign > 0 ? context.t_most - stop : stop - context.t_least;
            if (!(beyond <= 0))
                fail_msg("%s, step %g, %s: a callback saw %g beyond the stop time", m->name,
                         m->step, forms[k].name, beyond);
            expect_near(s, m, k, 1e-3);
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

static void stop_times(void **state)
{
    (void)state;
    everywhere(stop_and_go);
}

/* Steps cut to almost nothing, and long ones after them. */
static void cut_by(const method_case *m, int k, double tolerance, double tiny)
{
    probe context = {0};
    keel_options o = {.method = m->name, .step = m->step, .rtol = tolerance, .atol = tolerance};
    keel_problem *p = new_problem(&forms[k], GIVEN, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    for (int part = 1; part <= 4; part++) {
        expect_ok(keel_advance_to(s, 0.0711 * part), s, m->name);
        expect_ok(keel_advance_to(s, 0.0711 * part + tiny), s, m->name);
        expect_near(s, m, k, 1e3 * tolerance);
    }
    expect_ok(keel_advance_to(s, 0.6), s, m->name);
    expect_near(s, m, k, 1e3 * tolerance);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void cut(const method_case *m, int k)
{
    for (double tolerance = 1e-4; tolerance > 1e-7; tolerance *= 1e-2)
        for (double tiny = 1e-4; tiny > 1e-11; tiny *= 1e-2) cut_by(m, k, tolerance, tiny);
}

static void tiny_steps(void **state)
{
    (void)state;
    everywhere(cut);
}

/* Constant steps that do not divide the interval keep the order: begun anew, not misread. */
static void odd_interval(void **state)
{
    static const struct { const char *name; int order; } cases[] = {
        {"bdf-2", 2}, {"bdf-4", 4}, {"dimsim-3", 3}, {"dcbdf-2", 3}, {"adams-3", 4}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double error[2];
        for (int half = 0; half < 2; half++) {
            probe context = {0};
            double exact[2], h = half ? 0.01 : 0.02;
            keel_options o = {.method = cases[c].name, .step = h, .rtol = 1e-12};
            keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
            keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
            for (int part = 1; part <= 3; part++)
                expect_ok(keel_advance_to(s, (8.0 * part - 0.4) * 0.02), s, cases[c].name);
            ode_exact(keel_time(s), exact);
            error[half] = distance(keel_state(s), exact, 0, 2);
            keel_solver_free(s);
            keel_problem_free(p);
        }
        double order = log2(error[0] / error[1]);
        if (!(order > cases[c].order - 0.4))
            fail_msg("%s: order %.2f, errors %g, %g", cases[c].name, order, error[0], error[1]);
    }
}

static void step_sizes(void **state)
{
    static const char *const names[] = {"bdf", "bdf-2", "dimsim", "dimsim-3"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        probe context = {0};
        keel_options o = {.method = names[m], .max_step = 0.02, .first_step = 1e-5};
        keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
        keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
        expect_ok(keel_set_stop_time(s, 0.5), s, names[m]);
        expect_ok(keel_step(s), s, names[m]);
        assert_true(keel_time(s) <= 1e-5);
        while (keel_step(s) == KEEL_OK)
            assert_true(keel_time(s) - keel_previous_time(s) <= 0.02 * (1 + 1e-12));
        assert_true(keel_time(s) == 0.5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- tolerances and linear algebra ----------------------------------------------------------- */

/* The unknown with the tight tolerance is the one that gains. */
static void tolerance_of_each_unknown(void **state)
{
    static const char *const names[] = {"bdf", "dimsim"};
    static const double tight[2] = {1e-9, 1e-9}, mixed[2] = {1e-3, 1e-9};
    (void)state;
    for (int m = 0; m < 2; m++) {
        long steps[3];
        for (int run = 0; run < 3; run++) {
            const double *each = run == 0 ? NULL : run == 1 ? mixed : tight;
            keel_options o = {.method = names[m], .rtol = 1e-3, .atol = 1e-3, .rtol_each = each,
                              .atol_each = each};
            probe context = {0};
            keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
            keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
            expect_ok(keel_advance_to(s, 1), s, names[m]);
            steps[run] = keel_solver_stats(s)->accepted;
            keel_solver_free(s);
            keel_problem_free(p);
        }
        assert_true(steps[0] < steps[1] && steps[1] <= steps[2]);
    }
}

enum { CELLS = 40 };

static int chain_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? y[i - 1] : 1, right = i < CELLS - 1 ? y[i + 1] : 0;
        f[i] = 50 * (left - 2 * y[i] + right) - y[i] * y[i];
    }
    return 0;
}

static long chain(const method_case *m, keel_storage storage, double *y)
{
    int start[CELLS + 1], row[3 * CELLS], count = 0;
    keel_options o = {.method = m->name, .step = m->step, .rtol = 1e-5, .atol = 1e-5};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    for (int j = 0; j < CELLS; j++) {
        start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CELLS; i++) row[count++] = i;
        y[j] = exp(-j);
    }
    start[CELLS] = count;
    keel_ode_spec spec = {.size = CELLS, .rhs = chain_rhs,
        .pattern = {.storage = storage, .lower = 1, .upper = 1, .column_start = start,
                    .row_index = row}};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &o), s, m->name);
    expect_ok(keel_start(s, 0, y), s, m->name);
    expect_ok(keel_advance_to(s, 0.2), s, m->name);
    memcpy(y, keel_state(s), CELLS * sizeof *y);
    long steps = keel_solver_stats(s)->steps;
    keel_solver_free(s);
    keel_problem_free(p);
    return steps;
}

static void storage(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        double dense[CELLS], other[CELLS];
        long steps = chain(&methods[m], KEEL_DENSE, dense);
        assert_int_equal(chain(&methods[m], KEEL_BAND, other), steps);
        assert_true(distance(dense, other, 0, CELLS) < 1e-9);
        if (!has_sparse()) continue;
        assert_int_equal(chain(&methods[m], KEEL_SPARSE, other), steps);
        assert_true(distance(dense, other, 0, CELLS) < 1e-9);
    }
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* Continuous, what a recording says later, and on the manifold when projected. */
static void between_steps(const method_case *m, int k)
{
    probe context = {0};
    double y[LARGEST_FORM], seen[LARGEST_FORM], end[LARGEST_FORM];
    size_t bytes = (size_t)forms[k].size * sizeof *y;
    keel_options o = options_of(m);
    keel_problem *p = new_problem(&forms[k], GIVEN, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    keel_solution *r = NULL;
    assert_int_equal(keel_solution_create(&r, s), KEEL_OK);
    for (int step = 0; step < 25; step++) {
        memcpy(end, keel_state(s), bytes);
        expect_ok(keel_step(s), s, m->name);
        assert_int_equal(keel_solution_append(r, s), KEEL_OK);
        expect_ok(keel_interpolate(s, keel_previous_time(s), y), s, m->name);
        assert_memory_equal(y, end, bytes);
        expect_ok(keel_interpolate(s, keel_time(s), y), s, m->name);
        assert_memory_equal(y, keel_state(s), bytes);
        double t = keel_previous_time(s) + 0.37 * (keel_time(s) - keel_previous_time(s));
        expect_ok(keel_interpolate(s, t, seen), s, m->name);
        forms[k].exact(t, y);
        double error = distance(seen, y, 0, compared(k));
        if (!(error < 1e-3)) fail_msg("%s, %s: error %g", m->name, forms[k].name, error);
        assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
        assert_true(distance(y, seen, 0, forms[k].size) < 1e-13);
        expect_ok(keel_project(s, t, seen), s, m->name);
        assert_true(distance(y, seen, 0, compared(k)) < 1e-3);
    }
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void dense_output(void **state)
{
    (void)state;
    everywhere(between_steps);
}

/* The largest error in the middle of the steps to t = 0.4, of unknowns [from, to). */
static double error_inside(const char *method, int k, double h, int from, int to)
{
    probe context = {0};
    double y[LARGEST_FORM], exact[LARGEST_FORM], largest = 0;
    keel_options o = {.method = method, .step = h, .rtol = 1e-12, .atol = 1e-12};
    keel_problem *p = new_problem(&forms[k], GIVEN, &context);
    keel_solver *s = started(p, &forms[k], &o, 0);
    while (keel_time(s) < 0.4 - h / 2) {
        expect_ok(keel_step(s), s, method);
        double t = 0.5 * (keel_previous_time(s) + keel_time(s));
        expect_ok(keel_interpolate(s, t, y), s, method);
        forms[k].exact(t, exact);
        largest = fmax(largest, distance(y, exact, from, to));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return largest;
}

/* Order p between the steps as well, in y and, on index 2, in z; difference corrected BDF of k
 * steps: k + 1 in y, and k in z, which is the polynomial through k values. */
static void dense_order(void **state)
{
    static const struct { const char *name; int y, z; } cases[] = {
        {"bdf-2", 2, 2}, {"bdf-4", 4, 4}, {"dimsim-2", 2, 2}, {"dimsim-3", 3, 3},
        {"dcbdf-3", 4, 3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int part = 0; part < 3; part++) {
            int k = part ? FORM_HESS2 : FORM_ODE, z = part == 2;
            int expected = z ? cases[c].z : cases[c].y;
            double coarse = error_inside(cases[c].name, k, 0.02, z ? 2 : 0, z ? 3 : 2);
            double fine = error_inside(cases[c].name, k, 0.01, z ? 2 : 0, z ? 3 : 2);
            double order = log2(coarse / fine);
            if (!(order > expected - 0.4))
                fail_msg("%s, %s: order %.2f instead of %d (errors %g, %g)", cases[c].name,
                         forms[k].name, order, expected, coarse, fine);
        }
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void statistics(void **state)
{
    static const struct { const char *name; int stages, low, high; } cases[] = {
        {"bdf", 1, 1, 5}, {"bdf-3", 1, 1, 3}, {"dimsim-2", 3, 2, 2}};
    (void)state;
    for (int c = 0; c < 3; c++) {
        probe context = {0};
        keel_options o = {.method = cases[c].name, .rtol = 1e-8, .atol = 1e-8};
        keel_problem *p = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
        keel_solver *s = started(p, &forms[FORM_SEPARATE], &o, 0);
        expect_text(keel_choice(s), cases[c].name);
        expect_text(keel_choice(s), "formulation index1 is solved, and projected");
        expect_ok(keel_advance_to(s, 0.3), s, cases[c].name);
        const keel_stats *n = keel_solver_stats(s);
        assert_string_equal(n->method, cases[c].name);
        assert_int_equal(n->orders_low, cases[c].low);
        assert_true(n->orders_high <= cases[c].high && n->orders_high >= cases[c].low);
        assert_int_equal(n->stages_low, cases[c].stages);
        assert_int_equal(n->stages_high, cases[c].stages);
        assert_int_equal(n->steps, n->accepted + n->rejected_error + n->rejected_newton);
        assert_true(n->projections > 0 && n->residual[0] < 1e-13 && n->residual[1] < 1e-12);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart), cmocka_unit_test(step_limit), cmocka_unit_test(failed_steps),
        cmocka_unit_test(stop_times), cmocka_unit_test(tiny_steps), cmocka_unit_test(odd_interval),
        cmocka_unit_test(step_sizes), cmocka_unit_test(tolerance_of_each_unknown),
        cmocka_unit_test(storage), cmocka_unit_test(dense_output), cmocka_unit_test(dense_order),
        cmocka_unit_test(statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
