/* test_callbacks.c -- every callback fails at every one of its calls.
 *
 * The k-th call of each callback of each form returns +1 or -1 or gives NaN or infinity, once or
 * from then on (each k to 25, then every 26th part further).  A run may end well or with a sentence
 * that names the callback and the time; it must never hang, crash or end with a wrong value.
 */
#ifndef SPARSE_FROM
#define SPARSE_FROM 25           /* every k up to here */
#endif

#include "test/support/run.h"

static const double t_end = 0.4;
static const keel_options loose = {.rtol = 1e-4, .atol = 1e-4};
static const double error_allowed = 1e-2;

typedef struct outcome {
    int status, started;
    double error;
    char message[640];
} outcome;

static outcome run(const form *f, derivatives d, const keel_options *o, probe *context)
{
    outcome result = {0};
    double y[LARGEST_FORM];
    keel_problem *p = new_problem(f, d, context);
    keel_solver *s = NULL;
    f->exact(0, y);
    expect_ok(keel_solver_create(&s, p, o), s, f->name);
    result.status = keel_start(s, 0, y);
    if (!result.status) {
        result.started = 1;
        result.status = keel_advance_to(s, t_end);
    }
    if (!result.status) {
        f->exact(t_end, y);
        int last = f->size - (keel_problem_index(p) == 3);     /* multipliers may be of low order */
        result.error = distance(keel_state(s), y, 0, last);
    }
    snprintf(result.message, sizeof result.message, "%s", keel_message(s));
    keel_solver_free(s);
    keel_problem_free(p);
    return result;
}

static void explain(const char *complaint, const form *f, const probe *p, const outcome *r)
{
    fail_msg("%s: %s, `%s` call %ld, kind %d, %s: %s %s", complaint, f->name,
             callback_name(p->target), p->at, (int)p->kind, p->persists ? "persisting" : "once",
             keel_status_name(r->status), r->message);
}

static void check_failure(const form *f, const probe *p, const outcome *r)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s", callback_name(p->target));
    if (!strstr(r->message, quoted))
        explain("the message does not name the callback", f, p, r);
    if (!strstr(r->message, "t = ")) explain("the message does not name the time", f, p, r);
    if (r->status != KEEL_CALLBACK_FAILED && r->status != KEEL_NOT_FINITE)
        explain("unexpected status", f, p, r);
}

/* A failure that happened once; returns 1 if it happened after the start and was not survived. */
static int check_once(const form *f, const probe *p, const outcome *r)
{
    if (p->kind == RETURNS_NEGATIVE) {
        if (r->status != KEEL_CALLBACK_FAILED) explain("stopping was ignored", f, p, r);
        if (p->calls[p->target] != p->at) explain("called again after -1", f, p, r);
    }
    if (r->status == KEEL_OK) {
        if (!(r->error <= error_allowed)) explain("wrong result", f, p, r);
        return 0;
    }
    check_failure(f, p, r);
    return r->started && p->kind != RETURNS_NEGATIVE;
}

static void every_call_of(const form *f, derivatives d, const keel_options *o, callback target)
{
    int lost = 0, runs = 0;
    for (long at = 1, going = 1; going; at += 1 + at / SPARSE_FROM)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.armed = 1, .target = target, .kind = (spoiling)kind, .at = at};
            outcome r = run(f, d, o, &p);
            going = p.spoiled > 0;
            if (!going) {
                if (r.status) explain("fails without any fault", f, &p, &r);
                break;
            }
            lost += check_once(f, &p, &r);
            runs++;
        }
    if (20 * lost > runs) fail_msg("%s: `%s`: %d of %d single faults after the start were fatal",
                                   f->name, callback_name(target), lost, runs);
}

static void from_call_on(const form *f, derivatives d, const keel_options *o, callback target)
{
    for (long at = 1, going = 1; going; at += 1 + at / 4)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.armed = 1, .target = target, .kind = (spoiling)kind, .at = at,
                       .persists = 1};
            outcome r = run(f, d, o, &p);
            going = p.spoiled > 0;
            if (!going) break;
            if (p.total > 20000) explain("too many calls", f, &p, &r);
            if (r.status > 0) explain("not a failure", f, &p, &r);
            if (r.status == 0 && !(r.error <= error_allowed)) explain("wrong result", f, &p, &r);
            if (r.status == 0 && p.spoiled > 4) explain("a dead callback was ignored", f, &p, &r);
            if (r.status < 0) check_failure(f, &p, &r);
        }
}

static void all_callbacks(const form *f, derivatives d, const keel_options *o)
{
    probe clean = {0};
    outcome r = run(f, d, o, &clean);
    if (r.status || !(r.error <= error_allowed)) explain("fails without any fault", f, &clean, &r);
    for (int c = 0; c < CALLBACKS; c++) {
        if (clean.calls[c] == 0) continue;
        every_call_of(f, d, o, (callback)c);
        from_call_on(f, d, o, (callback)c);
    }
}

#define FORM_TEST(name, which)                                                                   \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        all_callbacks(&forms[which], GIVEN, &loose);                                             \
        all_callbacks(&forms[which], BY_DIFFERENCES, &loose);                                    \
    }

FORM_TEST(ode, FORM_ODE)
FORM_TEST(semi_explicit, FORM_SEMI)
FORM_TEST(hessenberg2, FORM_HESS2)
FORM_TEST(hessenberg3, FORM_HESS3)
FORM_TEST(mechanical_separate, FORM_SEPARATE)
FORM_TEST(mechanical_evaluate, FORM_EVALUATE)
FORM_TEST(quasilinear_constant, FORM_CONSTANT_MASS)
FORM_TEST(quasilinear_state, FORM_STATE_MASS)
FORM_TEST(implicit, FORM_IMPLICIT)

/* The other ways through a mechanical problem: full matrices, and dense linear algebra. */
static void mechanical_variants(void **state)
{
    keel_options full = loose, dense = loose;
    (void)state;
    full.iteration = KEEL_ITERATION_FULL;
    dense.linear = KEEL_LINEAR_DENSE;
    all_callbacks(&forms[FORM_SEPARATE], GIVEN, &full);
    all_callbacks(&forms[FORM_SEPARATE], BY_DIFFERENCES, &full);
    all_callbacks(&forms[FORM_SEPARATE], GIVEN, &dense);
}

/* A constant step cannot shrink: the first fault ends the run, with a reason. */
static void constant_step(void **state)
{
    keel_options o = {.step = 0.1, .method = "radau-iia-2"};
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe clean = {0};
        outcome r = run(&forms[k], GIVEN, &o, &clean);
        if (r.status) explain("fails without any fault", &forms[k], &clean, &r);
        for (int c = 0; c < CALLBACKS; c++) {
            if (clean.calls[c] == 0) continue;
            for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
                probe p = {.armed = 1, .target = (callback)c, .kind = (spoiling)kind,
                           .at = (clean.calls[c] + 1) / 2, .persists = 1};
                r = run(&forms[k], GIVEN, &o, &p);
                if (r.status >= 0) explain("not a failure", &forms[k], &p, &r);
                check_failure(&forms[k], &p, &r);
            }
        }
    }
}

/* Faults while projecting a point on request leave the solver usable. */
static void project(void **state)
{
    (void)state;
    for (int k = FORM_HESS2; k <= FORM_EVALUATE; k++)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.kind = (spoiling)kind, .at = 1, .persists = 1,
                       .target = k == FORM_EVALUATE ? EVALUATE : CONSTRAINT};
            keel_problem *problem = new_problem(&forms[k], GIVEN, &p);
            keel_solver *s = started(problem, &forms[k], &loose, 0);
            double y[LARGEST_FORM], before[LARGEST_FORM];
            expect_ok(keel_step(s), s, forms[k].name);
            forms[k].exact(0.3, y);
            y[0] += 1e-3;
            memcpy(before, y, sizeof y);
            p.armed = 1;
            int rc = keel_project(s, 0.3, y);
            assert_true(rc < 0 && rc != KEEL_NOT_CONVERGED);
            expect_text(keel_message(s), callback_name(p.target));
            assert_memory_equal(y, before, (size_t)forms[k].size * sizeof *y);
            p.armed = 0;
            expect_ok(keel_project(s, 0.3, y), s, forms[k].name);
            expect_ok(keel_advance_to(s, t_end), s, forms[k].name);
            forms[k].exact(t_end, y);
            assert_true(distance(keel_state(s), y, 0, forms[k].size) <= error_allowed);
            keel_solver_free(s);
            keel_problem_free(problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ode), cmocka_unit_test(semi_explicit), cmocka_unit_test(hessenberg2),
        cmocka_unit_test(hessenberg3), cmocka_unit_test(mechanical_separate),
        cmocka_unit_test(mechanical_evaluate), cmocka_unit_test(quasilinear_constant),
        cmocka_unit_test(quasilinear_state), cmocka_unit_test(implicit),
        cmocka_unit_test(mechanical_variants), cmocka_unit_test(constant_step),
        cmocka_unit_test(project),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
