/* test_identity.c -- what must not change the result: repetition, threads, shifts, scalings. */
#include "test/support/run.h"

#include <pthread.h>

enum { STEPS = 60 };

typedef struct trace {
    const form *form;
    const keel_problem *problem;
    keel_options options;
    double t0;
    double t[STEPS], y[STEPS][LARGEST_FORM];
    int status;
} trace;

/* STEPS steps from t0 on, recorded bit for bit.  No cmocka here: it also runs in threads. */
static void *record(void *argument)
{
    trace *r = argument;
    double y[LARGEST_FORM];
    keel_solver *s = NULL;
    r->form->exact(0, y);
    r->status = keel_solver_create(&s, r->problem, &r->options);
    if (!r->status) r->status = keel_start(s, r->t0, y);
    for (int k = 0; k < STEPS && !r->status; k++) {
        r->status = keel_step(s);
        r->t[k] = keel_time(s);
        memcpy(r->y[k], keel_state(s), (size_t)r->form->size * sizeof(double));
    }
    keel_solver_free(s);
    return NULL;
}

static void expect_same(const trace *a, const trace *b)
{
    assert_int_equal(a->status, KEEL_OK);
    assert_int_equal(b->status, KEEL_OK);
    assert_memory_equal(a->t, b->t, sizeof a->t);
    assert_memory_equal(a->y, b->y, sizeof a->y);
}

static void repeatable(void **state)
{
    static trace a, b;
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        keel_problem *p = new_problem(&forms[k], BY_DIFFERENCES, &context);
        a = b = (trace){.form = &forms[k], .problem = p,
                        .options = {.rtol = 1e-7, .max_step = 0.01}};
        record(&a);
        record(&b);
        expect_same(&a, &b);
        keel_problem_free(p);
    }
}

/* A solver that is started again does what a new one does. */
static void restart(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double y[LARGEST_FORM], first[LARGEST_FORM];
        size_t bytes = (size_t)forms[k].size * sizeof *y;
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = started(p, &forms[k], &(keel_options){.rtol = 1e-6}, 0);
        expect_ok(keel_advance_to(s, 0.5), s, forms[k].name);
        memcpy(first, keel_state(s), bytes);
        long steps = keel_solver_stats(s)->steps;
        forms[k].exact(0, y);
        expect_ok(keel_start(s, 0, y), s, forms[k].name);
        assert_int_equal(keel_solver_stats(s)->steps, 0);
        expect_ok(keel_advance_to(s, 0.5), s, forms[k].name);
        assert_memory_equal(keel_state(s), first, bytes);
        assert_int_equal(keel_solver_stats(s)->steps, steps);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Also after the method `auto` has changed to its implicit mode: from a stiff interval back to one
 * that is not, with the dense output and the choice of a new solver. */
static int stiff_later(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = (t < 1 ? -1 : -1e4) * (y[0] - cos(t));
    return 0;
}

static void explicit_steps(keel_solver *s, double *middle)
{
    const double one = 1;
    expect_ok(keel_start(s, 0, &one), s, "start");
    for (int k = 0; k < 2; k++) expect_ok(keel_step(s), s, "step");
    double t = 0.5 * (keel_previous_time(s) + keel_time(s));
    expect_ok(keel_interpolate(s, t, middle), s, "interpolate");
}

static void restart_after_a_switch(void **state)
{
    keel_problem *p = NULL;
    keel_solver *used = NULL, *fresh = NULL;
    double again, first;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = stiff_later}), KEEL_OK);
    const keel_options o = {.method = "auto", .rtol = 1e-6};
    expect_ok(keel_solver_create(&used, p, &o), used, "create");
    expect_ok(keel_solver_create(&fresh, p, &o), fresh, "create");
    explicit_steps(used, &again);
    expect_ok(keel_advance_to(used, 2), used, "advance");
    assert_int_equal(keel_solver_stats(used)->method_switches, 1);
    expect_text(keel_choice(used), "until t = ");
    explicit_steps(used, &again);
    explicit_steps(fresh, &first);
    assert_true(again == first);
    assert_string_equal(keel_choice(used), keel_choice(fresh));
    assert_int_equal(keel_solver_stats(used)->method_switches, 0);
    keel_solver_free(used);
    keel_solver_free(fresh);
    keel_problem_free(p);
}

/* Two solvers of one problem at the same time; callbacks that count would race, so use none. */
static int plain_rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    return ode_rhs(t, y, f, &(probe){0});
}

static int plain_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)context;
    fill_force(t, q, v, f);
    return 0;
}

static int plain_constraint(double t, const double *q, double *g, void *context)
{
    (void)context;
    g[0] = mechanism_g(t, q);
    return 0;
}

static int plain_mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)context;
    fill_mass(q, M);
    return 0;
}

static void threads(void **state)
{
    static trace alone, together[2];
    (void)state;
    for (int mechanical = 0; mechanical < 2; mechanical++) {
        keel_problem *p = NULL;
        if (mechanical)
            assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2,
                .constraints = 1, .mass = plain_mass, .force = plain_force,
                .constraint = plain_constraint}), KEEL_OK);
        else
            assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = plain_rhs}), KEEL_OK);
        alone = (trace){.form = &forms[mechanical ? FORM_SEPARATE : FORM_ODE], .problem = p,
                        .options = {.rtol = 1e-9, .max_step = 0.01}};
        together[0] = together[1] = alone;
        record(&alone);
        pthread_t thread[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&thread[k], NULL, record, &together[k]), 0);
        for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
        expect_same(&alone, &together[0]);
        expect_same(&alone, &together[1]);
        keel_problem_free(p);
    }
}

/* Autonomous problems do not know what time it is. */
static void shift_in_time(void **state)
{
    static const int autonomous[] = {FORM_HESS2, FORM_HESS3};
    static trace early, late;
    (void)state;
    for (int k = 0; k < 2; k++) {
        probe context = {0};
        const form *f = &forms[autonomous[k]];
        keel_problem *p = new_problem(f, GIVEN, &context);
        early = late = (trace){.form = f, .problem = p,
                               .options = {.rtol = 1e-6, .max_step = 0.01}};
        late.t0 = 64;
        record(&early);
        record(&late);
        assert_int_equal(early.status, KEEL_OK);
        assert_int_equal(late.status, KEEL_OK);
        for (int j = 0; j < STEPS; j++) {
            assert_true(fabs(late.t[j] - 64 - early.t[j]) < 1e-6);
            assert_true(distance(late.y[j], early.y[j], 0, f->size) < 1e-5);
        }
        keel_problem_free(p);
    }
}

/* ---- scaling --------------------------------------------------------------------------------- */

static int linear_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -2 * y[0] + y[1];
    f[1] = -y[0] - 0.5 * y[1];
    return 0;
}

static int linear_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(J, 0, 0, -2);
    keel_put(J, 0, 1, 1);
    keel_put(J, 1, 0, -1);
    keel_put(J, 1, 1, -0.5);
    return 0;
}

/* A linear problem in other units: the same steps, and the solution in these units, bit for bit. */
static void other_units(void **state)
{
    const double unit = 1024;
    double y[2][2] = {{1, 2}, {unit, 2 * unit}};
    keel_problem *p = NULL;
    keel_solver *s[2] = {NULL};
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = linear_rhs,
                                                   .jacobian = linear_jacobian}), KEEL_OK);
    for (int k = 0; k < 2; k++) {
        keel_options o = {.rtol = 1e-6, .atol = k ? unit * 1e-6 : 1e-6};
        expect_ok(keel_solver_create(&s[k], p, &o), s[k], "create");
        expect_ok(keel_start(s[k], 0, y[k]), s[k], "start");
    }
    for (int step = 0; step < 30; step++) {
        for (int k = 0; k < 2; k++) expect_ok(keel_step(s[k]), s[k], "step");
        assert_true(keel_time(s[0]) == keel_time(s[1]));
        for (int i = 0; i < 2; i++)
            assert_true(unit * keel_state(s[0])[i] == keel_state(s[1])[i]);
    }
    keel_solver_free(s[0]);
    keel_solver_free(s[1]);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeatable), cmocka_unit_test(restart),
        cmocka_unit_test(restart_after_a_switch), cmocka_unit_test(threads),
        cmocka_unit_test(shift_in_time), cmocka_unit_test(other_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
