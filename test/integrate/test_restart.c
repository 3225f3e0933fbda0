/* test_restart.c -- a start that fails leaves the run under way as it was; keel_restart begins anew
 * at the current point; keel_moved tells what a start had to move. */
#include "test/support/run.h"

static const char *const methods[] = {"dop853", "hem-5", "radau-iia", "gauss-3", "esdirk-4", "bdf",
                                      "dimsim", "auto"};
enum { METHODS = sizeof methods / sizeof *methods, STEPS = 12, BEFORE = 6 };

/* ---- starts that fail ---------------------------------------------------------------------- */

typedef struct trace {
    double t[STEPS], y[STEPS][LARGEST_FORM], inside[LARGEST_FORM], h;
    long steps, rhs, factorizations, constraint;
} trace;

/* What happens in the middle of a run: returns whether it did. */
typedef struct disturbance {
    int restart;                 /* keel_restart, not keel_start                           */
    probe spoiled;               /* target, kind; `at` counts from here                    */
} disturbance;

static int disturb(keel_solver *s, const form *f, probe *context, const disturbance *d)
{
    double y[LARGEST_FORM], t = keel_time(s);
    f->exact(t / 2, y);
    *context = (probe){.armed = 1, .target = d->spoiled.target, .kind = d->spoiled.kind,
                       .at = d->spoiled.at};
    int rc = d->restart ? keel_restart(s) : keel_start(s, t / 2, y);
    if (rc && !keel_message(s)[0]) fail_msg("%s: no message", f->name);
    context->armed = 0;
    return rc != KEEL_OK;
}

/* Returns 0 where the disturbance had no effect. */
static int record(trace *r, const keel_problem *p, const form *f, const char *method,
                  probe *context, const disturbance *d)
{
    keel_solver *s = NULL;
    double y[LARGEST_FORM];
    int disturbed = 1;
    memset(r, 0, sizeof *r);
    f->exact(0, y);
    context->armed = 0;
    keel_options options = {.method = method, .rtol = 1e-5};
    expect_ok(keel_solver_create(&s, p, &options), s, f->name);
    expect_ok(keel_start(s, 0, y), s, f->name);
    for (int k = 0; k < STEPS && disturbed; k++) {
        if (k == BEFORE && d) disturbed = disturb(s, f, context, d);
        if (!disturbed) break;
        if (k == BEFORE) {
            double middle = 0.5 * (keel_time(s) + keel_previous_time(s));
            expect_ok(keel_interpolate(s, middle, r->inside), s, f->name);
        }
        expect_ok(keel_step(s), s, f->name);
        r->t[k] = keel_time(s);
        memcpy(r->y[k], keel_state(s), (size_t)f->size * sizeof(double));
    }
    const keel_stats *n = keel_solver_stats(s);
    r->h = n->last_step;
    r->steps = n->steps;
    r->rhs = n->rhs;
    r->factorizations = n->factorizations;
    r->constraint = n->constraint;
    keel_solver_free(s);
    return disturbed;
}

static int serves(const keel_problem *p, const char *method)
{
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, &(keel_options){.method = method});
    keel_solver_free(s);
    return rc == KEEL_OK;
}

/* Every call of every callback fails once, in every way; returns how often that ended a start. */
static int spoil_all(const form *f, const keel_problem *p, const char *method, probe *context,
                     int restart)
{
    enum { CALLS_MOST = 40 };
    static trace plain, other;
    int failed = 0;
    record(&plain, p, f, method, context, NULL);
    for (int c = 0; c < CALLBACKS; c++)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_NAN; kind++)
            for (int at = 1; at <= CALLS_MOST; at++) {
                disturbance d = {restart, {.target = (callback)c, .at = at}};
                d.spoiled.kind = (spoiling)kind;
                int disturbed = record(&other, p, f, method, context, &d);
                if (!disturbed && !context->spoiled) break;          /* no more calls */
                failed += disturbed;
                if (disturbed && memcmp(&plain, &other, sizeof plain) != 0)
                    fail_msg("%s, %s: another run after call %d of %s failed in %s", f->name,
                             method, at, callback_name((callback)c),
                             restart ? "keel_restart" : "keel_start");
            }
    return failed;
}

static void failed_starts_change_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        for (int m = 0; m < METHODS; m++) {
            if (!serves(p, methods[m])) continue;
            assert_true(spoil_all(&forms[k], p, methods[m], &context, 0) > 0);
            spoil_all(&forms[k], p, methods[m], &context, 1);
        }
        keel_problem_free(p);
    }
}

/* ---- a pendulum ---------------------------------------------------------------------------- */

static int weight(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static keel_solver *pendulum(keel_problem **p, const char *method)
{
    keel_solver *s;
    assert_int_equal(keel_mechanical(p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = weight, .constraint = rod}), KEEL_OK);
    expect_ok(keel_solver_create(&s, *p, &(keel_options){.method = method}), s, "pendulum");
    return s;
}

/* Arguments that cannot be met, one run with them and one without. */
static void wrong_values_change_nothing(void **state)
{
    const double good[5] = {1, 0, 0, 0, 0}, wrong[5] = {2, 0, 0, 0, 0}, nan[5] = {0, NAN, 0, 0, 0};
    const keel_mark fixed[5] = {KEEL_FIXED, KEEL_FIXED, KEEL_FIXED, KEEL_FIXED, KEEL_FREE};
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p[2];
        keel_solver *s[2];
        for (int k = 0; k < 2; k++) {
            s[k] = pendulum(&p[k], methods[m]);
            assert_true(keel_start_marked(s[k], 1, wrong, NULL, fixed) != KEEL_OK);
            assert_int_equal(keel_step(s[k]), KEEL_BAD_ARGUMENT);
            expect_ok(keel_start(s[k], 0, good), s[k], "start");
            expect_ok(keel_set_stop_time(s[k], 0.5), s[k], "stop");
            expect_ok(keel_step(s[k]), s[k], "step");
        }
        assert_true(keel_start_marked(s[0], 1, wrong, NULL, fixed) != KEEL_OK);
        assert_true(keel_message(s[0])[0]);
        assert_int_equal(keel_start(s[0], 1, nan), KEEL_BAD_ARGUMENT);
        expect_text(keel_message(s[0]), "not finite");
        assert_int_equal(keel_start(s[0], NAN, good), KEEL_BAD_ARGUMENT);
        assert_int_equal(keel_start(s[0], 0, NULL), KEEL_BAD_ARGUMENT);
        while (keel_time(s[1]) < 0.5) {
            for (int k = 0; k < 2; k++) expect_ok(keel_step(s[k]), s[k], methods[m]);
            assert_true(keel_time(s[0]) == keel_time(s[1]));
            assert_memory_equal(keel_state(s[0]), keel_state(s[1]), 5 * sizeof(double));
        }
        assert_int_equal(keel_step(s[0]), KEEL_STOP_REACHED);
        for (int k = 0; k < 2; k++) {
            keel_solver_free(s[k]);
            keel_problem_free(p[k]);
        }
    }
}

/* ---- begin anew ---------------------------------------------------------------------------- */

/* A restart adds errors that are a small multiple of the tolerance to those of the run without. */
static void restart_keeps_the_solution(void **state)
{
    const double rtol = 1e-6;
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int m = 0; m < METHODS; m++) {
            probe context = {0};
            double exact[LARGEST_FORM], plain[LARGEST_FORM], inside[LARGEST_FORM];
            keel_problem *p = new_problem(&forms[k], GIVEN, &context);
            if (serves(p, methods[m])) {
                keel_options o = {.method = methods[m], .rtol = rtol, .atol = rtol};
                keel_solver *s = started(p, &forms[k], &o, 0);
                expect_ok(keel_set_stop_time(s, 1), s, forms[k].name);
                expect_ok(keel_advance(s, 0.4), s, forms[k].name);
                double t = keel_time(s);
                keel_stats before = *keel_solver_stats(s);
                expect_ok(keel_restart(s), s, forms[k].name);
                assert_true(keel_time(s) == t);
                assert_int_equal(keel_solver_stats(s)->accepted, before.accepted);
                assert_true(keel_solver_stats(s)->rhs >= before.rhs);
                assert_int_equal(keel_interpolate(s, t, inside), KEEL_OK);
                assert_int_equal(keel_interpolate(s, t - 1e-3 * before.last_step, inside),
                                 KEEL_BAD_ARGUMENT);
                expect_ok(keel_advance(s, 1), s, forms[k].name);
                assert_true(keel_time(s) == 1);                  /* the stop time was kept */
                assert_true(keel_solver_stats(s)->accepted > before.accepted);
                forms[k].exact(1, exact);
                solve(&forms[k], GIVEN, &context, &o, 0, 1, plain);
                for (int i = 0; i < forms[k].size; i++) {
                    double error = fabs(keel_state(s)[i] - exact[i]), size = 1 + fabs(exact[i]);
                    if (!(error <= 2 * fabs(plain[i] - exact[i]) + 100 * rtol * size))
                        fail_msg("%s, %s: error %g of %d", forms[k].name, methods[m], error, i);
                }
                keel_solver_free(s);
            }
            keel_problem_free(p);
        }
}

/* m y' = -y, whose constant mass the user doubles at t = 1: y(2) = e^-1.5. */
static int heavy(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y;
    keel_put(M, 0, 0, *(const double *)context);
    return 0;
}

static int decay(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    return 0;
}

static void restart_sees_what_changed(void **state)
{
    (void)state;
    for (int m = 2; m < METHODS; m++) {
        keel_problem *p;
        keel_solver *s;
        double mass = 1, one = 1;
        assert_int_equal(keel_quasilinear(&p, &(keel_quasilinear_spec){
            .size = 1, .rhs = decay, .mass = heavy, .constant_mass = 1, .context = &mass}), 0);
        keel_options options = {.method = methods[m], .rtol = 1e-7};
        expect_ok(keel_solver_create(&s, p, &options), s, methods[m]);
        assert_int_equal(keel_restart(s), KEEL_BAD_ARGUMENT);
        expect_text(keel_message(s), "keel_start");
        expect_ok(keel_start(s, 0, &one), s, methods[m]);
        expect_ok(keel_advance_to(s, 1), s, methods[m]);
        mass = 2;
        double h = keel_solver_stats(s)->last_step;
        expect_ok(keel_restart(s), s, methods[m]);
        expect_ok(keel_step(s), s, methods[m]);
        if (strcmp(methods[m], "bdf") == 0)                  /* order 1 again */
            assert_true(keel_solver_stats(s)->last_step < h);
        expect_ok(keel_advance_to(s, 2), s, methods[m]);
        if (!(fabs(keel_state(s)[0] - exp(-1.5)) < 1e-5))
            fail_msg("%s: %.10g", methods[m], keel_state(s)[0]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    assert_int_equal(keel_restart(NULL), KEEL_BAD_ARGUMENT);
}

/* ---- what a start moved -------------------------------------------------------------------- */

static void moves_are_told(void **state)
{
    const double off[5] = {1.1, 0, 0.3, 2, 7}, slightly[5] = {1 + 1e-9, 0, 0, 2, 7};
    const keel_mark marks[5] = {KEEL_FREE, KEEL_FIXED, KEEL_GUESS, KEEL_FIXED, KEEL_FREE};
    keel_move move;
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_problem *p;
        keel_solver *s = pendulum(&p, methods[m]);
        assert_int_equal(keel_moved_count(s), 0);
        expect_ok(keel_start(s, 0, off), s, "off");
        assert_int_equal(keel_moved_count(s), 2);
        assert_int_equal(keel_moved(s, 0, &move), KEEL_OK);
        assert_true(move.variable == 0 && move.from == 1.1 && fabs(move.to - 1) < 1e-12);
        assert_int_equal(keel_moved(s, 1, &move), KEEL_OK);
        assert_true(move.variable == 2 && move.from == 0.3 && fabs(move.to) < 1e-12);
        assert_int_equal(keel_moved(s, 2, &move), KEEL_BAD_ARGUMENT);
        assert_int_equal(keel_moved(s, -1, &move), KEEL_BAD_ARGUMENT);
        assert_int_equal(keel_start(s, NAN, off), KEEL_BAD_ARGUMENT);
        assert_int_equal(keel_moved_count(s), 2);            /* still those of the run */
        expect_ok(keel_start_marked(s, 0, off, NULL, marks), s, "marks");
        assert_int_equal(keel_moved_count(s), 1);
        assert_int_equal(keel_moved(s, 0, &move), KEEL_OK);
        assert_int_equal(move.variable, 2);
        expect_ok(keel_start(s, 0, slightly), s, "slightly");
        assert_int_equal(keel_moved_count(s), 0);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    assert_int_equal(keel_moved_count(NULL), 0);
    assert_int_equal(keel_moved(NULL, 0, &move), KEEL_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_starts_change_nothing),
        cmocka_unit_test(wrong_values_change_nothing),
        cmocka_unit_test(restart_keeps_the_solution),
        cmocka_unit_test(restart_sees_what_changed),
        cmocka_unit_test(moves_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
