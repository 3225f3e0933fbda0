/* test_threads.c -- many solvers of one problem in several threads: each gets, bit for bit, what it
 * gets alone.  Under ThreadSanitizer (make tsan) that nothing is shared which changes. */
#include "test/support/run.h"

#include <pthread.h>

#include "problems/list.h"

enum { THREADS = 4, LARGEST = 64, SUBJECTS = 5 };

static const char *const methods[] = {"auto", "radau-iia", "hem-4", "bdf", "dimsim", "gauss-3",
                                      "esdirk-4", "dopri5"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct job {
    const keel_problem *problem;
    const double *start;
    double y[METHODS][LARGEST], between[METHODS][LARGEST];
    int status[METHODS];
} job;

/* A run with everything: dense output, projection, a recording, a failure and its message. */
static int one_run(const keel_problem *p, const double *start, const char *method, double *y,
                   double *between)
{
    keel_solver *s = NULL;
    keel_solution *r = NULL;
    size_t bytes = (size_t)keel_problem_size(p) * sizeof *y;
    int rc = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-5});
    if (!rc) rc = keel_start(s, 0, start);
    if (!rc) rc = keel_solution_create(&r, s);
    for (int k = 0; k < 8 && !rc; k++) {
        rc = keel_step(s);
        if (!rc) rc = keel_solution_append(r, s);
    }
    double middle = 0.5 * (keel_previous_time(s) + keel_time(s));
    if (!rc) rc = keel_solution_at(r, middle, between);
    if (!rc) rc = keel_project(s, middle, between);
    if (!rc && keel_interpolate(s, -1, y) != KEEL_BAD_ARGUMENT) rc = KEEL_UNSUPPORTED;
    if (!rc) memcpy(y, keel_state(s), bytes);
    keel_solution_free(r);
    keel_solver_free(s);
    return rc;
}

static void *work(void *context)
{
    job *j = context;
    for (int m = 0; m < METHODS; m++) {
        keel_method *method = NULL;
        keel_options o = {0};
        char text[100];
        keel_method_named(&method, methods[m]);  /* refused where the name is of several */
        keel_method_free(method);
        keel_option_set(&o, "rtol", "0.5", text, sizeof text);
        j->status[m] = one_run(j->problem, j->start, methods[m], j->y[m], j->between[m]);
    }
    return NULL;
}

static void one_problem(const keel_problem *p, const double *start)
{
    static job alone, together[THREADS];
    pthread_t thread[THREADS];
    memset(&alone, 0, sizeof alone);
    alone.problem = p;
    alone.start = start;
    work(&alone);
    for (int i = 0; i < THREADS; i++) {
        memset(&together[i], 0, sizeof together[i]);
        together[i].problem = p;
        together[i].start = start;
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int m = 0; m < METHODS; m++)
        assert_true(alone.status[m] == KEEL_OK || alone.status[m] == KEEL_UNSUPPORTED);
    for (int i = 0; i < THREADS; i++) assert_memory_equal(&together[i], &alone, sizeof alone);
}

static void many_solvers(void **state)
{
    static const bundled_problem *const subjects[SUBJECTS] = {
        &problem_pendulum, &problem_pendulum_levelled, &problem_transistor_amplifier,
        &problem_slider_crank, &problem_order_index2};
    (void)state;
    for (int k = 0; k < SUBJECTS; k++) {
        double parameters[16], start[LARGEST];
        keel_problem *p = NULL, *formulated = NULL;
        for (int i = 0; i < subjects[k]->parameter_count; i++)
            parameters[i] = subjects[k]->parameters[i].value;
        assert_int_equal(subjects[k]->create(&p, parameters), KEEL_OK);
        subjects[k]->start(parameters, start);
        one_problem(p, start);
        if (keel_formulate(&formulated, p, &(keel_formulation){.name = "ggl"}) == KEEL_OK) {
            double y[LARGEST];
            keel_formulation_from(formulated, start, y);
            one_problem(formulated, y);
        }
        keel_problem_free(formulated);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_solvers)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
