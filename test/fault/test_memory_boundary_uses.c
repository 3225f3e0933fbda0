/* test_memory_boundary_uses.c -- memory runs out while a boundary value problem is diagnosed, followed
 * or fitted: KEEL_NO_MEMORY, never another result. */
#define _POSIX_C_SOURCE 200809L
#include "test/boundary/cases.h"
#include "test/fault/memory.h"

#include "problems/boundary.h"

/* A bundled problem with conditions, in the parameters it comes with. */
typedef struct opened {
    double parameters[3];
    keel_problem *problem;
    keel_boundary_spec spec;
} opened;

static void open_target(opened *o, const bundled_problem *target)
{
    for (int i = 0; i < target->parameter_count; i++) o->parameters[i] = target->parameters[i].value;
    assert_int_equal(target->create(&o->problem, o->parameters), KEEL_OK);
    o->spec = *target->boundary->spec;
    o->spec.problem = o->problem;
    o->spec.from = target->t_start;
    o->spec.to = target->t_end;
    o->spec.context = o->parameters;
}

/* ---- lives ------------------------------------------------------------------------------------ */

static int diagnosed(const opened *o)
{
    keel_boundary *w = NULL;
    double re[5], im[5];
    int count, rc = keel_boundary_create(&w, &o->spec, NULL);
    if (!rc) rc = keel_boundary_solve(w);
    if (!rc && !keel_boundary_diagnose(w)) {
        assert_non_null(strstr(keel_boundary_message(w), "no memory"));
        rc = KEEL_NO_MEMORY;
    }
    if (!rc) rc = keel_boundary_multipliers(w, &count, re, im);
    if (rc && w) assert_true(*keel_boundary_message(w) != 0);
    keel_boundary_free(w);
    return rc;
}

static int followed(const opened *o)
{
    keel_branch *b = NULL;
    int rc = keel_branch_create(&b, &o->spec, NULL, &(keel_branch_options){.arclength = 1});
    if (!rc) rc = keel_branch_start(b, 8);
    if (!rc) rc = keel_branch_follow(b, 12);
    if (!rc) {
        int found = 0;
        for (int i = 0; i < keel_branch_count(b); i++) found += keel_branch_at(b, i)->branch_point;
        assert_int_equal(found, 1);
    }
    if (rc && b) assert_true(*keel_branch_message(b) != 0);
    keel_branch_free(b);
    return rc;
}

static int fitted(const opened *o)
{
    static const keel_measurement m[] = {{.t = 1, .value = 0.1}, {.t = 2, .value = 0.03},
                                         {.t = 0.5, .value = 0.4}};
    keel_fit *f = NULL;
    int rc = keel_fit_create(&f, &o->spec, NULL, &(keel_fit_options){
        .parameters = 1, .measurements = 3, .measurement = m});
    if (!rc) rc = keel_fit_run(f, NULL);
    if (rc && f) assert_true(*keel_fit_message(f) != 0);
    keel_fit_free(f);
    return rc;
}

/* ---- all allocations -------------------------------------------------------------------------- */

static void every_life(const bundled_problem *target, int (*life)(const opened *))
{
    opened o = {.problem = NULL};
    if (!MEMORY_CAN_FAIL) skip();
    open_target(&o, target);
    memory_watch(0, 0);
    assert_int_equal(life(&o), KEEL_OK);
    long calls = memory_leave();
    assert_true(calls > 10);
    for (long k = 1; k <= calls; k++)
        for (int on = 0; on < 2; on++) {
            memory_watch(k, on);
            int rc = life(&o);
            memory_leave();
            if (rc != KEEL_NO_MEMORY)
                fail_msg("%s: allocation %ld of %ld fails%s: %s", target->name, k, calls,
                         on ? ", and all that follow" : "", keel_status_name(rc));
        }
    keel_problem_free(o.problem);
}

static void diagnoses(void **state)
{
    (void)state;
    every_life(&problem_pendulum_clock, diagnosed);
}

static void branches(void **state)
{
    (void)state;
    every_life(&problem_elastica, followed);
}

static void fits(void **state)
{
    (void)state;
    every_life(&problem_kinetics, fitted);
}

/* A sentence without the names is a sentence, too. */
static int refused(const opened *o)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &o->spec, NULL);
    if (rc && w) assert_true(*keel_boundary_message(w) != 0);
    keel_boundary_free(w);
    return rc;
}

static void refusals(void **state)
{
    opened o = {.problem = NULL};
    (void)state;
    if (!MEMORY_CAN_FAIL) skip();
    open_target(&o, &problem_bratu);
    o.spec.conditions = 1;
    memory_watch(0, 0);
    assert_int_equal(refused(&o), KEEL_BAD_ARGUMENT);
    long calls = memory_leave();
    for (long k = 1; k <= calls; k++) {
        memory_watch(k, 0);
        int rc = refused(&o);
        memory_leave();
        assert_true(rc == KEEL_NO_MEMORY || rc == KEEL_BAD_ARGUMENT);
    }
    keel_problem_free(o.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(diagnoses), cmocka_unit_test(branches),
                                       cmocka_unit_test(fits), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
