/* trust.h -- a wrong problem, what must be said of it, and by which methods.
 *
 * A case is run step by step.  It may end with KEEL_OK only where it has an exact solution, and then
 * within `digits` of it; any other end must be one of those that the case names, at the time that it
 * names, with the culprit in the message, and with the last accepted point intact: finite, and bit
 * for bit what it was before the call that failed.  KEEL_STEP_LIMIT stands for TRUST_STEPS steps.
 */
#ifndef KEEL_TEST_TRUST_H
#define KEEL_TEST_TRUST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <keel/keel.h>

enum { TRUST_SIZE = 12, TRUST_STEPS = 20000 };

typedef struct trust_case {
    const char *name;
    int (*make)(keel_problem **problem, void *context);
    void *context;                   /* of make                                                  */
    const char *methods;             /* separated by blanks; NULL: auto                          */
    double y[TRUST_SIZE];            /* given to keel_start                                      */
    double end;                      /* integrate to it, from 0; 0: the start says it            */
    double tolerance;                /* rtol and atol; 0: 1e-6                                   */
    int status[4];                   /* how it may end; KEEL_OK ends the list and is never meant */
    const char *culprit[4];          /* all of them in the message                               */
    double when, within;             /* time of the failure, if within > 0                       */
    void (*exact)(double t, double *y);          /* NULL: KEEL_OK is wrong                       */
    int compared;                    /* the first unknowns, which are compared with it           */
    double allowed;                  /* in multiples of atol + rtol |y|                          */
    keel_options options;            /* method and tolerances are filled in                      */
} trust_case;

/* Prints what is wrong; all cases are run before the test fails. */
static inline int trust_complain(const trust_case *c, const char *method, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_error("%s, %s: %s\n", c->name, method, text);
    return 1;
}

static inline int trust_listed(const trust_case *c, int rc)
{
    for (int k = 0; k < 4 && c->status[k]; k++)
        if (c->status[k] == rc) return 1;
    return 0;
}

/* The functions below return the number of complaints. */
static inline int trust_said(const trust_case *c, const char *method, int rc, const char *message)
{
    int wrong = 0;
    if (!trust_listed(c, rc))
        return trust_complain(c, method, "%s: %s", keel_status_name(rc), message);
    if (rc == KEEL_STEP_LIMIT) return 0;
    for (int k = 0; k < 4 && c->culprit[k]; k++)
        if (!strstr(message, c->culprit[k]))
            wrong += trust_complain(c, method, "\"%s\" does not name \"%s\"", message, c->culprit[k]);
    return wrong;
}

/* KEEL_OK: is it right? */
static inline int trust_right(const trust_case *c, const char *method, const keel_solver *s)
{
    double y[TRUST_SIZE], tolerance = c->tolerance > 0 ? c->tolerance : 1e-6;
    int wrong = 0;
    if (!c->exact) return trust_complain(c, method, "ends with KEEL_OK at t = %g", keel_time(s));
    c->exact(keel_time(s), y);
    for (int i = 0; i < c->compared; i++) {
        double error = fabs(keel_state(s)[i] - y[i]) / (tolerance * (1 + fabs(y[i])));
        if (!(error <= c->allowed))
            wrong += trust_complain(c, method, "KEEL_OK, but unknown %d = %.12g is %.3g tolerances off "
                                    "at t = %g", i, keel_state(s)[i], error, keel_time(s));
    }
    return wrong;
}

static inline int trust_finite(const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i])) return 0;
    return 1;
}

/* Steps to the end; the accepted point stays as it is when a step fails. */
static inline int trust_steps(const trust_case *c, const char *method, keel_solver *s, int *wrong)
{
    double y[TRUST_SIZE], t = keel_time(s);
    int n = keel_problem_size(keel_solver_problem(s)), steps = 0;
    size_t bytes = (size_t)n * sizeof *y;
    int rc = keel_set_stop_time(s, c->end);
    memcpy(y, keel_state(s), bytes);
    while (!rc && t != c->end) {
        rc = keel_step(s);
        if (rc) break;
        t = keel_time(s);
        memcpy(y, keel_state(s), bytes);
        if (!trust_finite(y, n)) *wrong += trust_complain(c, method, "not finite at t = %g", t);
        if (++steps > TRUST_STEPS) return KEEL_STEP_LIMIT;
    }
    if (rc && (keel_time(s) != t || memcmp(y, keel_state(s), bytes)))
        *wrong += trust_complain(c, method, "a failed step moved the accepted point");
    return rc;
}

static inline int trust_method(const trust_case *c, const keel_problem *p, const char *method)
{
    keel_solver *s = NULL;
    keel_options o = c->options;
    int wrong = 0;
    o.method = method;
    o.rtol = o.atol = c->tolerance > 0 ? c->tolerance : 1e-6;
    int rc = keel_solver_create(&s, p, &o);
    if (!rc) rc = keel_start(s, 0, c->y);
    if (!rc && c->end != 0) rc = trust_steps(c, method, s, &wrong);
    wrong += rc ? trust_said(c, method, rc, keel_message(s)) : trust_right(c, method, s);
    if (rc && c->within > 0 && fabs(keel_time(s) - c->when) > c->within)
        wrong += trust_complain(c, method, "ends at t = %.10g, not at %.10g", keel_time(s), c->when);
    keel_solver_free(s);
    return wrong;
}

static inline int trust(const trust_case *c)
{
    const char *rest = c->methods ? c->methods : "auto";
    keel_problem *p = NULL;
    int rc = c->make(&p, c->context);
    int wrong = rc ? trust_said(c, "create", rc, keel_problem_message(p)) : 0;
    while (*rest && !rc) {
        char method[40];
        int length = (int)strcspn(rest, " ");
        snprintf(method, sizeof method, "%.*s", length, rest);
        wrong += trust_method(c, p, method);
        rest += length + (rest[length] == ' ');
    }
    keel_problem_free(p);
    return wrong;
}

static inline void trust_all(const trust_case *cases, size_t count)
{
    int wrong = 0;
    for (size_t k = 0; k < count; k++) wrong += trust(&cases[k]);
    assert_int_equal(wrong, 0);
}

#define TRUST_ALL(cases) trust_all((cases), sizeof(cases) / sizeof *(cases))

#endif
