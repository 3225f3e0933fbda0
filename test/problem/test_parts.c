/* test_parts.c -- whatever entry of whatever part `evaluate` gives is not finite, it is noticed and named. */
#include "test/problem/evaluators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

enum { MOST = 6 };

static const unsigned each[] = {KEEL_MASS, KEEL_FORCE, KEEL_CONSTRAINT, KEEL_CONSTRAINT_JACOBIAN,
                                KEEL_CONSTRAINT_TIME, KEEL_CURVATURE};

typedef struct poison { int n, m; unsigned part; int at; double value; } poison;   /* at < 0: everywhere */

static void give(const poison *p, unsigned wanted, unsigned part, int count, double *x)
{
    for (int i = 0; wanted & part && i < count; i++)
        x[i] = part == p->part && (i == p->at || p->at < 0) ? p->value : i + 1;
}

static int evaluate(double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context)
{
    const poison *p = context;
    (void)t, (void)q, (void)v;
    give(p, wanted, KEEL_MASS, p->n * p->n, parts->mass);
    give(p, wanted, KEEL_FORCE, p->n, parts->force);
    give(p, wanted, KEEL_CONSTRAINT, p->m, parts->constraint);
    give(p, wanted, KEEL_CONSTRAINT_JACOBIAN, p->m * p->n, parts->constraint_jacobian);
    give(p, wanted, KEEL_CONSTRAINT_TIME, p->m, parts->constraint_time);
    give(p, wanted, KEEL_CURVATURE, p->m, parts->curvature);
    return 0;
}

static int entries(const poison *p)
{
    return p->part == KEEL_MASS ? p->n * p->n : p->part == KEEL_FORCE ? p->n
         : p->part == KEEL_CONSTRAINT_JACOBIAN ? p->m * p->n : p->m;
}

static void check_size(int n, int m)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    double mass[MOST * MOST], jacobian[MOST * MOST], vectors[4][MOST], q[MOST] = {0};
    const keel_mechanical_parts parts = {.mass = mass, .force = vectors[0], .constraint = vectors[1],
                                         .constraint_jacobian = jacobian, .constraint_time = vectors[2],
                                         .curvature = vectors[3]};
    unsigned all = 0;
    for (int k = 0; k < 6; k++) all |= each[k];
    poison p = {.n = n, .m = m};
    keel_problem *problem;
    bench b;
    assert_int_equal(keel_mechanical(&problem, &(keel_mechanical_spec){
        .positions = n, .constraints = m, .evaluate = evaluate, .context = &p}), KEEL_OK);
    bench_open(&b, problem);
    assert_int_equal(eval_mechanical(&b.eval, 0, q, q, all, &parts), 0);
    for (int k = 0; k < 6; k++) {
        p.part = each[k];
        for (p.at = 0; p.at < entries(&p); p.at++)
            for (int c = 0; c < 3; c++) {
                p.value = bad[c];
                assert_int_equal(eval_mechanical(&b.eval, 0, q, q, all, &parts), 1);
                assert_int_equal(b.eval.fault.component, p.at);
            }
    }
    p.part = KEEL_MASS, p.at = -1, p.value = 1e308;      /* the sum is not finite, but each is */
    assert_int_equal(eval_mechanical(&b.eval, 0, q, q, all, &parts), 0);
    bench_free(&b);
    keel_problem_free(problem);
}

static void any_entry_is_noticed(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int m = 1; m <= n; m++) check_size(n, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_entry_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
