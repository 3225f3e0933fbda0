/* run.h -- from a form to its solution in one call, for tests. */
#ifndef KEEL_TEST_SUPPORT_RUN_H
#define KEEL_TEST_SUPPORT_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "linear/linear.h"
#include "test/support/forms.h"

/* Fails with the message of the solver. */
static inline void expect_status(int rc, int expected, const keel_solver *s, const char *what)
{
    if (rc != expected)
        fail_msg("%s: %s instead of %s: %s", what, keel_status_name(rc),
                 keel_status_name(expected), keel_message(s));
}

static inline void expect_ok(int rc, const keel_solver *s, const char *what)
{
    expect_status(rc, KEEL_OK, s, what);
}

/* Was the library built with KLU? */
static inline int has_sparse(void)
{
    linear_system *system = NULL;
    int rc = linear_create(&system, &(linear_spec){.n = 1, .storage = KEEL_SPARSE, .real_slots = 1});
    linear_free(system);
    return rc != KEEL_UNSUPPORTED;
}

static inline void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* max_i |x_i - y_i| over [from, to) */
static inline double distance(const double *x, const double *y, int from, int to)
{
    double largest = 0;
    for (int i = from; i < to; i++)
        if (!(fabs(x[i] - y[i]) <= largest)) largest = fabs(x[i] - y[i]);
    return largest;
}

static inline keel_problem *new_problem(const form *f, derivatives d, probe *context)
{
    keel_problem *p = NULL;
    int rc = f->make(&p, d, context);
    if (rc) fail_msg("%s: %s", f->name, keel_problem_message(p));
    return p;
}

/* A solver of the form, started at its exact solution. */
static inline keel_solver *started(const keel_problem *p, const form *f, const keel_options *o,
                                   double t)
{
    double y[LARGEST_FORM];
    keel_solver *s = NULL;
    f->exact(t, y);
    expect_ok(keel_solver_create(&s, p, o), s, f->name);
    expect_ok(keel_start(s, t, y), s, f->name);
    return s;
}

/* Integrates from t0 to t1 and stores the end point. */
static inline void solve(const form *f, derivatives d, probe *context, const keel_options *o,
                         double t0, double t1, double *y)
{
    keel_problem *p = new_problem(f, d, context);
    keel_solver *s = started(p, f, o, t0);
    expect_ok(keel_advance_to(s, t1), s, f->name);
    memcpy(y, keel_state(s), (size_t)f->size * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
}

#endif
