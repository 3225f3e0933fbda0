/* test_purity.c -- questions between steps leave a run as it is, and a second run repeats the
 * first, bit for bit: bundled problems and their formulations, a method of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"
#include "problems/problems.h"
#include "test/support/run.h"

enum { STEPS = 25, LARGEST = 400 };

static const char *const methods[] = {"dop853", "hem-5", "radau-iia", "gauss-3", "esdirk-4", "rodas-5p", "bdf",
                                      "dimsim", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct trace {
    int status, steps;           /* of the start, or of the step after the last one        */
    double t[STEPS + 1], y[STEPS + 1][LARGEST], residual[STEPS + 1][3];
    keel_stats stats;
    char message[600];
} trace;

typedef void question(keel_solver *s, keel_solution *record, int n);

static void nothing(keel_solver *s, keel_solution *record, int n)
{
    (void)s, (void)record, (void)n;
}

/* The point itself, and one that is off. */
static void project(keel_solver *s, keel_solution *record, int n)
{
    double y[LARGEST];
    (void)record;
    for (int off = 0; off < 2; off++) {
        memcpy(y, keel_state(s), (size_t)n * sizeof *y);
        for (int i = 0; i < n && off; i++) y[i] += 1e-3 * (1 + y[i]);
        keel_project(s, keel_time(s), y);
    }
}

static void interpolate(keel_solver *s, keel_solution *record, int n)
{
    double y[LARGEST], residual[3];
    (void)record, (void)n;
    keel_residuals(s, residual);
    keel_interpolate(s, 0.3 * keel_previous_time(s) + 0.7 * keel_time(s), y);
    keel_interpolate_projected(s, 0.6 * keel_previous_time(s) + 0.4 * keel_time(s), y);
}

static void append(keel_solver *s, keel_solution *record, int n)
{
    double y[LARGEST];
    (void)n;
    keel_solution_append(record, s);
    keel_solution_at(record, keel_previous_time(s), y);
}

static void note(trace *r, const keel_solver *s, int n)
{
    r->t[r->steps] = keel_time(s);
    memcpy(r->y[r->steps], keel_state(s), (size_t)n * sizeof(double));
    keel_residuals(s, r->residual[r->steps]);
}

static void run(trace *r, keel_solver *s, double t, const double *y, int n, question *ask)
{
    keel_solution *record = NULL;
    memset(r, 0, sizeof *r);
    r->status = keel_start(s, t, y);
    if (!r->status) r->status = keel_solution_create(&record, s);
    if (!r->status) note(r, s, n);
    while (!r->status && r->steps < STEPS) {
        r->status = keel_step(s);
        if (r->status) break;
        r->steps++;
        note(r, s, n);
        char message[sizeof r->message];
        snprintf(message, sizeof message, "%s", keel_message(s));
        ask(s, record, n);
        int failed = strstr(keel_message(s), "inside the last step") ||  /* in its own right, ... */
                     strstr(keel_message(s), "too far from");    /* ... also at an impasse point */
        if (ask != project && !failed && strcmp(message, keel_message(s)) != 0) r->status = -1;
    }
    r->stats = *keel_solver_stats(s);
    if (r->status) snprintf(r->message, sizeof r->message, "%s", keel_message(s));
    keel_solution_free(record);
}

static int same_stats(const keel_stats *a, const keel_stats *b)
{
    return a->steps == b->steps && a->accepted == b->accepted &&
           a->rejected_error == b->rejected_error && a->rejected_newton == b->rejected_newton &&
           a->rhs == b->rhs && a->rhs_for_jacobian == b->rhs_for_jacobian &&
           a->jacobian == b->jacobian && a->factorizations == b->factorizations &&
           a->solves == b->solves && a->newton == b->newton && a->projections == b->projections &&
           a->constraint == b->constraint && a->stages_high == b->stages_high &&
           a->orders_high == b->orders_high && a->last_step == b->last_step &&
           memcmp(a->residual, b->residual, sizeof a->residual) == 0 &&
           strcmp(a->method, b->method) == 0 && a->method_switches == b->method_switches;
}

/* What differs first, or NULL. */
static const char *difference(const trace *a, const trace *b)
{
    if (a->status != b->status || a->steps != b->steps) return "status";
    if (memcmp(a->t, b->t, sizeof a->t) != 0) return "times";
    if (memcmp(a->y, b->y, sizeof a->y) != 0) return "values";
    if (memcmp(a->residual, b->residual, sizeof a->residual) != 0) return "residuals";
    if (strcmp(a->message, b->message) != 0) return "message";
    return same_stats(&a->stats, &b->stats) ? NULL : "statistics";
}

typedef struct tally { int runs, different; } tally;

static void compare(tally *count, const trace *expected, keel_solver *s, double t, const double *y,
                    int n, question *ask, const char *name)
{
    static trace other;
    run(&other, s, t, y, n, ask);
    const char *what = difference(expected, &other);
    count->runs++;
    if (!what) return;
    count->different++;
    fprintf(stderr, "%s: %s differ (%s)\n", name, what, other.message);
}

/* With the method, if it serves this problem. */
static void examine(tally *count, const keel_problem *p, const char *name, const char *method,
                    double t, const double *y)
{
    static const struct { const char *name; question *ask; } questions[] = {
        {"project", project}, {"interpolate", interpolate}, {"append", append}};
    static trace first;
    const keel_options options = {.method = method, .rtol = 1e-5, .atol = 1e-5, .max_steps = 300};
    int n = keel_problem_size(p);
    keel_solver *s = NULL;
    char label[200];
    assert_true(n <= LARGEST);
    if (keel_solver_create(&s, p, &options) == KEEL_OK) {
        run(&first, s, t, y, n, nothing);
        snprintf(label, sizeof label, "%s %s second run", name, method);
        compare(count, &first, s, t, y, n, nothing, label);
        for (int k = 0; k < 3; k++) {
            keel_solver *another = NULL;
            snprintf(label, sizeof label, "%s %s %s", name, method, questions[k].name);
            assert_int_equal(keel_solver_create(&another, p, &options), KEEL_OK);
            compare(count, &first, another, t, y, n, questions[k].ask, label);
            keel_solver_free(another);
        }
    }
    keel_solver_free(s);
}

static keel_problem *bundled(const bundled_problem *b, double parameters[32], double *y)
{
    keel_problem *p = NULL;
    for (int k = 0; k < b->parameter_count; k++) parameters[k] = b->parameters[k].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    return p;
}

static void bundled_problems_by_all_kinds(void **state)
{
    int problems;
    const bundled_problem *const *list = bundled_problems(&problems);
    tally count = {0};
    (void)state;
    for (int k = 0; k < problems; k++) {
        double parameters[32], y[LARGEST];
        keel_problem *p = bundled(list[k], parameters, y);
        for (int m = 0; m < METHODS; m++)
            examine(&count, p, list[k]->name, methods[m], list[k]->t_start, y);
        keel_problem_free(p);
    }
    assert_true(count.runs > 500);
    if (count.different) fail_msg("%d of %d runs differ", count.different, count.runs);
}

/* Long enough for sparse matrices, whose pivots serve many steps. */
static void sparse_chain(void **state)
{
    const bundled_problem *chain = bundled_problem_find("chain");
    const double parameters[] = {60, 0.5};
    double y[LARGEST];
    tally count = {0};
    keel_problem *p = NULL;
    (void)state;
    if (!has_sparse()) skip();
    assert_int_equal(chain->create(&p, parameters), KEEL_OK);
    chain->start(parameters, y);
    for (int m = 0; m < METHODS; m++) examine(&count, p, "chain", methods[m], 0, y);
    keel_problem_free(p);
    assert_true(count.runs > 20);
    if (count.different) fail_msg("%d of %d runs differ", count.different, count.runs);
}

static void formulations(void **state)
{
    static const char *const names[] = {"pendulum", "car-axis", "slider-crank", "ascher-petzold",
                                        "chemical-akzo-nobel", "order-index1", "order-index2",
                                        "order-index2-nonlinear", "order-index3",
                                        "order-index3-nonlinear", "order-mechanical"};
    static const char *const kinds[] = {"index0", "index1", "index2", "ggl", "baumgarte"};
    tally count = {0};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        double parameters[32], y[LARGEST], mapped[LARGEST];
        const bundled_problem *b = bundled_problem_find(names[k]);
        keel_problem *original = bundled(b, parameters, y);
        for (size_t f = 0; f < sizeof kinds / sizeof *kinds; f++) {
            keel_problem *p = NULL;
            char label[100];
            snprintf(label, sizeof label, "%s %s", names[k], kinds[f]);
            int rc = keel_formulate(&p, original, &(keel_formulation){.name = kinds[f]});
            if (!rc) keel_formulation_from(p, y, mapped);
            for (int m = 0; m < METHODS && !rc; m++)
                examine(&count, p, label, methods[m], b->t_start, mapped);
            keel_problem_free(p);
        }
        keel_problem_free(original);
    }
    assert_true(count.runs > 500);
    if (count.different) fail_msg("%d of %d runs differ", count.different, count.runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_problems_by_all_kinds),
        cmocka_unit_test(sparse_chain),
        cmocka_unit_test(formulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
