/* model.h -- runs a model given as text and compares variables by name. */
#ifndef KEEL_TEST_MODEL_MODEL_H
#define KEEL_TEST_MODEL_MODEL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "keel/keel.h"
#include "keel/model.h"

typedef struct model_run {
    keel_model *model;
    keel_solver *solver;
    int status;
} model_run;

static inline void close_run(model_run *r)
{
    keel_solver_free(r->solver);
    keel_model_free(r->model);
}

static inline model_run open_model(const char *text)
{
    model_run r = {0};
    assert_int_equal(keel_model_read_text(&r.model, "test.mo", text, strlen(text), NULL), KEEL_OK);
    return r;
}

/* Made, started and brought to t at that tolerance; fails the test with what was said. */
static inline model_run run_method(const char *text, const char *method, double t, double tolerance)
{
    model_run r = open_model(text);
    keel_start_spec start;
    const keel_problem *problem = keel_model_problem(r.model);
    if (!problem) fail_msg("%s", keel_model_message(r.model));
    const keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance};
    assert_int_equal(keel_model_start(r.model, &start), KEEL_OK);
    r.status = keel_solver_create(&r.solver, problem, &options);
    if (r.status == KEEL_OK) r.status = keel_start_with(r.solver, &start);
    if (r.status == KEEL_OK && t > start.t) r.status = keel_advance_to(r.solver, t);
    if (r.status != KEEL_OK && r.status != KEEL_EVENT)
        fail_msg("%s: %s", keel_status_name(r.status), keel_message(r.solver));
    return r;
}

static inline model_run run_model(const char *text, double t, double tolerance)
{
    return run_method(text, NULL, t, tolerance);
}

static inline double value_of(const model_run *r, const char *name)
{
    double value = NAN;
    if (keel_model_name_value(r->model, r->solver, name, &value) != KEEL_OK) fail_msg("no %s", name);
    return value;
}

static inline void check_value(const model_run *r, const char *name, double wanted, double tolerance)
{
    const double value = value_of(r, name);
    if (!(fabs(value - wanted) <= tolerance * (1 + fabs(wanted))))
        fail_msg("%s is %.16g, not %.16g", name, value, wanted);
}

/* The model is refused, and the messages contain these words. */
static inline void check_refused(const char *text, const char *words)
{
    model_run r = open_model(text);
    if (keel_model_problem(r.model)) fail_msg("accepted, without %s", words);
    if (!strstr(keel_model_message(r.model), words))
        fail_msg("'%s' is not in: %s", words, keel_model_message(r.model));
    close_run(&r);
}

static inline keel_model_structure structure_of(const model_run *r)
{
    keel_model_structure s;
    assert_int_equal(keel_model_structure_of(r->model, &s), KEEL_OK);
    return s;
}

#endif
