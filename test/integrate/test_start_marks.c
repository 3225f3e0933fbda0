/* test_start_marks.c -- fixed values, fixed derivatives and further initial equations: of
 * formulations, whose original they are handed to, and of large problems, which refuse some. */
#include "test/support/run.h"

#include "problems/list.h"

/* ---- formulations -------------------------------------------------------------------------- */

static const double gravity[1] = {1};

static keel_problem *pendulum(keel_problem **original, const char *formulation)
{
    keel_problem *p = NULL;
    assert_int_equal(problem_pendulum.create(original, gravity), KEEL_OK);
    assert_int_equal(keel_formulate(&p, *original, &(keel_formulation){.name = formulation}),
                     KEEL_OK);
    return p;
}

static const char *const names[] = {"index2", "ggl", "index1", "index0", "baumgarte"};
enum { FORMULATIONS = sizeof names / sizeof *names, MOST = 20 };

static keel_solver *solver_of(const keel_problem *p)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &(keel_options){0}), s, "pendulum");
    return s;
}

/* q1 = 0.6 stays, so q2 = 0.8 and v is turned into the tangent. */
static void fixed_values(void **state)
{
    (void)state;
    for (int k = 0; k < FORMULATIONS; k++) {
        keel_problem *original, *p = pendulum(&original, names[k]);
        double given[5] = {0.6, 0.7, 0.3, 0, 0}, y[MOST], found[5];
        keel_mark marks[MOST] = {KEEL_FIXED};
        keel_solver *s = solver_of(p);
        keel_formulation_from(p, given, y);
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, names[k]);
        keel_formulation_to(p, keel_state(s), found);
        assert_true(found[0] == 0.6);
        assert_true(fabs(found[1] - 0.8) < 1e-12);
        assert_true(fabs(found[0] * found[2] + found[1] * found[3]) < 1e-12);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_problem_free(original);
    }
}

/* The third unknown is what the context says. */
static int speed(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp;
    value[0] = y[2] - *(const double *)context;
    return 0;
}

static int fails(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)y, (void)yp, (void)value, (void)context;
    return 1;
}

/* v1 = 0.4 as an initial equation: on the circle at (0.6, 0.8), v2 = -0.3. */
static void further_equations(void **state)
{
    double wanted = 0.4;
    (void)state;
    for (int k = 0; k < 4; k++) {
        keel_problem *original, *p = pendulum(&original, names[k]);
        double given[5] = {0.6, 0.8, 0, 0, 0}, y[MOST], found[5];
        keel_mark marks[MOST] = {KEEL_FIXED};
        keel_solver *s = solver_of(p);
        keel_formulation_from(p, given, y);
        keel_start_spec spec = {.y = y, .marks = marks, .equations = 1, .equation = speed,
                                .context = &wanted};
        expect_ok(keel_start_with(s, &spec), s, names[k]);
        keel_formulation_to(p, keel_state(s), found);
        assert_true(fabs(found[2] - 0.4) < 1e-10 && fabs(found[3] + 0.3) < 1e-10);
        spec.equation = fails;
        assert_int_equal(keel_start_with(s, &spec), KEEL_CALLBACK_FAILED);
        expect_text(keel_message(s), "`equation` returned 1");
        keel_solver_free(s);
        keel_problem_free(p);
        keel_problem_free(original);
    }
}

/* ---- large ones ---------------------------------------------------------------------------- */

enum { COPIES = 10, SIZE = 3 * COPIES };

/* Many turns on circles, (x, y)' = (-y, x) + z (x, y), |(x, y)| = 1; attached: two begin alike. */
static int turns(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    for (int c = 0; c < COPIES; c++) {
        f[c] = -y[COPIES + c] + z[c] * y[c];
        f[COPIES + c] = y[c] + z[c] * y[COPIES + c];
    }
    return 0;
}

static int circles(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    for (int c = 0; c < COPIES; c++)
        g[c] = (y[c] * y[c] + y[COPIES + c] * y[COPIES + c] - 1) / 2;
    return 0;
}

static int alike(double t, const double *y, double *h, void *context)
{
    int *calls = context;
    (void)t;
    if (calls && ++*calls < 0) return 1;
    h[0] = y[0] - y[1];
    return 0;
}

static keel_problem *large(const int *kept, int *context)
{
    static int start[SIZE + 1], row[3 * SIZE];
    static const char *const rows[] = {"alike"};
    keel_problem *p = NULL;
    for (int j = 0; j <= SIZE; j++) start[j] = 3 * j;
    for (int k = 0; k < 3 * SIZE; k++) row[k] = k / 3 % COPIES + k % 3 * COPIES;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2 * COPIES,
        .multipliers = COPIES, .rhs = turns, .constraint = circles,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row},
        .attached = {.rows = 1, .value = alike, .kept = kept, .names = rows},
        .context = context}), KEEL_OK);
    return p;
}

static void attached_rows(void **state)
{
    static const int kept[1] = {1};
    (void)state;
    for (int k = 0; k < 4; k++) {    /* they hold; are met; are kept anyway; cannot be met: y is fixed */
        keel_mark marks[SIZE];
        keel_problem *p = large(k == 2 ? kept : NULL, NULL);
        keel_solver *s = solver_of(p);
        double y[SIZE] = {0};
        for (int c = 0; c < COPIES; c++) y[c] = 1;
        if (k > 0) y[1] = 0, y[COPIES + 1] = 1;
        if (k == 1) y[0] = 0.8, y[COPIES] = 0.6;         /* the row is not along the circle there */
        if (k == 2) y[0] = 0.8, y[1] = -0.8, y[COPIES] = y[COPIES + 1] = 0.6;    /* it does not change there */
        for (int i = 0; i < SIZE; i++) marks[i] = i < 2 * COPIES ? KEEL_FIXED : KEEL_FREE;
        const int rc = k == 3 ? keel_start_marked(s, 0, y, NULL, marks) : keel_start(s, 0, y);
        assert_int_equal(rc, k == 3 ? KEEL_INCONSISTENT : KEEL_OK);
        if (rc) expect_text(keel_message(s), "alike is violated by 1");
        if (k == 1) assert_true(fabs(keel_state(s)[0] - keel_state(s)[1]) < 1e-14);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    int calls = -1000;
    double y[SIZE] = {0};
    keel_problem *p = large(NULL, &calls);
    keel_solver *s = solver_of(p);
    for (int c = 0; c < COPIES; c++) y[c] = 1;
    assert_int_equal(keel_start(s, 0, y), KEEL_CALLBACK_FAILED);
    expect_text(keel_message(s), "`attached.value` returned 1");
    keel_solver_free(s);
    keel_problem_free(p);
}

static void too_large_for_more(void **state)
{
    if (!has_sparse()) skip();
    double y[SIZE] = {0}, wanted = 0;
    keel_mark fixed[SIZE] = {KEEL_FIXED};
    keel_problem *p = large(NULL, NULL);
    keel_solver *s = solver_of(p);
    (void)state;
    for (int c = 0; c < COPIES; c++) y[c] = 1;
    assert_int_equal(keel_start_with(s, &(keel_start_spec){.y = y, .equations = 1,
                                     .equation = speed, .context = &wanted}), KEEL_UNSUPPORTED);
    expect_text(keel_message(s), "30 unknowns are too many");
    assert_int_equal(keel_start_with(s, &(keel_start_spec){.y = y, .yp = y, .yp_marks = fixed}),
                     KEEL_UNSUPPORTED);
    expect_text(keel_message(s), "fixed derivatives");
    expect_ok(keel_start(s, 0, y), s, "large");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* More unknowns than dense equations are made for: y_i' + y_i = 0, 0 = y_n^2 + a. */
enum { MANY = 420 };

typedef struct decay {
    double a;
    long calls, fails_at;
} decay;

static int decay_residual(double t, const double *y, const double *yp, double *F, void *context)
{
    decay *d = context;
    (void)t;
    for (int i = 0; i < MANY - 1; i++) F[i] = yp[i] + y[i];
    F[MANY - 1] = y[MANY - 1] * y[MANY - 1] + d->a;
    return ++d->calls == d->fails_at;
}

static keel_problem *decays(decay *context)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){.size = MANY,
        .residual = decay_residual, .pattern = {.storage = KEEL_BAND}, .context = context}),
        KEEL_OK);
    return p;
}

static void many_unknowns(void **state)
{
    static double y[MANY], yp[MANY];
    static keel_mark marks[MANY], rates[MANY];
    decay d = {.a = -4};
    keel_problem *p = decays(&d);
    keel_solver *s = solver_of(p);
    (void)state;
    for (int i = 0; i < MANY; i++) y[i] = 1;
    expect_ok(keel_start(s, 0, y), s, "decays");
    assert_true(fabs(keel_state(s)[MANY - 1] - 2) < 1e-7);
    const long calls = d.calls;
    for (long k = 1; k <= calls; k += 1 + k / 8) {       /* over, or refused by its name */
        d = (decay){.a = -4, .fails_at = k};
        const int rc = keel_start(s, 0, y);
        if (rc) assert_int_equal(rc, KEEL_CALLBACK_FAILED);
        if (rc) expect_text(keel_message(s), "`residual` returned 1");
        else assert_true(fabs(keel_state(s)[MANY - 1] - 2) < 1e-7);
    }
    d = (decay){.a = -4};
    marks[MANY - 1] = KEEL_FIXED;
    assert_int_equal(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT);
    expect_text(keel_message(s), "y[419]");
    marks[MANY - 1] = KEEL_GUESS, marks[0] = KEEL_FIXED;
    expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "decays");
    assert_true(keel_state(s)[0] == 1);
    rates[3] = KEEL_FIXED, yp[3] = -1;           /* as it must be */
    expect_ok(keel_start_with(s, &(keel_start_spec){.y = y, .yp = yp, .yp_marks = rates}), s,
              "decays");
    d.a = 4;                                     /* no real root */
    assert_true(keel_start(s, 0, y) < 0);
    expect_text(keel_message(s), "419");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* One turn: y fixed at (1, 0) and y' at (5, ...) would need z = 5, but |y| stays with z = 0. */
static int one_turn(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[1] + z[0] * y[0], f[1] = y[0] + z[0] * y[1];
    return 0;
}

static int one_circle(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
    return 0;
}

static int contradicts(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp, (void)context;
    value[0] = y[0] - 3;
    return 0;
}

static void contradictions(void **state)
{
    const double y[3] = {1, 0, 0}, yp[3] = {5, 1, 0};
    const keel_mark fixed[3] = {KEEL_FIXED, KEEL_FIXED}, rates[3] = {KEEL_FIXED};
    static const char *const said[] = {"the third"};
    keel_problem *p = NULL;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2,
        .multipliers = 1, .rhs = one_turn, .constraint = one_circle}), KEEL_OK);
    keel_solver *s = solver_of(p);
    (void)state;
    keel_start_spec spec = {.y = y, .yp = yp, .marks = fixed, .yp_marks = rates};
    assert_int_equal(keel_start_with(s, &spec), KEEL_INCONSISTENT);
    expect_text(keel_message(s), "derivative of y[0]");
    spec = (keel_start_spec){.y = y, .marks = fixed, .equations = 1, .equation = contradicts};
    assert_int_equal(keel_start_with(s, &spec), KEEL_INCONSISTENT);
    expect_text(keel_message(s), "initial equation[0]");
    spec.equation_names = said;
    assert_int_equal(keel_start_with(s, &spec), KEEL_INCONSISTENT);
    expect_text(keel_message(s), "the third");
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_values), cmocka_unit_test(further_equations),
        cmocka_unit_test(attached_rows), cmocka_unit_test(too_large_for_more),
        cmocka_unit_test(many_unknowns), cmocka_unit_test(contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
