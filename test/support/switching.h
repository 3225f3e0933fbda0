/* switching.h -- runs of bundled problems with events, for tests. */
#ifndef KEEL_TEST_SUPPORT_SWITCHING_H
#define KEEL_TEST_SUPPORT_SWITCHING_H

#include "problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* One of each class. */
static const char *const classes[] = {"dopri5", "hem-5", "esdirk-4", "radau-iia", "bdf", "dimsim",
                                      "auto"};
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct run {
    const bundled_problem *target;
    const char *method;
    double parameters[16];
    keel_problem *problem;
    keel_solver *solver;
} run;

typedef struct setting { const char *name; double value; } setting;   /* of a parameter */

/* Started at t_start, with up to two settings (name NULL: none).  A status; run_end in any case. */
static inline int run_begin(run *r, const char *name, keel_options options, setting one,
                            setting two)
{
    double y[64];
    *r = (run){.target = bundled_problem_find(name), .method = options.method};
    assert_non_null(r->target);
    for (int k = 0; k < r->target->parameter_count; k++) {
        const char *parameter = r->target->parameters[k].name;
        r->parameters[k] = r->target->parameters[k].value;
        if (one.name && strcmp(one.name, parameter) == 0) r->parameters[k] = one.value;
        if (two.name && strcmp(two.name, parameter) == 0) r->parameters[k] = two.value;
    }
    assert_int_equal(r->target->create(&r->problem, r->parameters), KEEL_OK);
    r->target->start(r->parameters, y);
    int rc = keel_solver_create(&r->solver, r->problem, &options);
    return rc ? rc : keel_start(r->solver, r->target->t_start, y);
}

static inline void run_end(run *r)
{
    keel_solver_free(r->solver);
    keel_problem_free(r->problem);
}

static inline void run_expect(const run *r, int rc, int expected)
{
    if (rc != expected)
        fail_msg("%s, %s: %s instead of %s: %s", r->target->name, r->method, keel_status_name(rc),
                 keel_status_name(expected), keel_message(r->solver));
}

/* To the end of the target, from the start, with one tolerance.  Returns 1. */
static inline int run_all(run *r, const char *name, const char *method, double tolerance,
                          setting one)
{
    keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance};
    int rc = run_begin(r, name, options, one, (setting){0});
    run_expect(r, rc, KEEL_OK);
    run_expect(r, keel_advance_to(r->solver, r->target->t_end), KEEL_OK);
    return 1;
}

static inline keel_event_record run_event(const run *r, long i)
{
    keel_event_record record;
    assert_int_equal(keel_event_at(r->solver, i, &record), KEEL_OK);
    return record;
}

/* Of all counting unknowns at the present time, against the exact solution; relative to 1 + |y|. */
static inline double run_error(const run *r)
{
    double exact[64], error = 0;
    const double t = keel_time(r->solver), *y = keel_state(r->solver);
    r->target->exact(r->parameters, t, exact);
    for (int i = 0; i < r->target->size; i++)
        if (r->target->counts[i])
            error = fmax(error, fabs(y[i] - exact[i]) / (1 + fabs(exact[i])));
    return error;
}

#endif
