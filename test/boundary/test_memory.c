/* test_memory.c -- memory runs out in boundary value problems and branches: every allocation, alone and
 * with all that follow, is KEEL_NO_MEMORY or, bit for bit, the result with enough memory. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "test/boundary/cases.h"
#include "test/boundary/ladder.h"
#include "test/fault/memory.h"

/* One life: a status, and a number of the result. */
typedef int life(double *result);

static char path[] = "/tmp/keel-memory-XXXXXX";

static int solve_bratu(keel_boundary *w, double *result)
{
    double y[3];
    int rc = keel_boundary_solve(w);
    if (!rc) rc = keel_solution_at(keel_boundary_solution(w), 0.4, y);
    if (!rc) *result = y[0];
    return rc;
}

static int bratu_life(double *result)
{
    bvp_case c = {.number = 3.5};
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    int rc = keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = bratu_rhs, .constraint = bratu_constraint,
        .context = &c});
    static const char *const names[2] = {"left", "right"};
    if (!rc)
        rc = keel_boundary_create(&w, &(keel_boundary_spec){
            .problem = p, .to = 1, .conditions = 2, .condition = zero_ends, .context = &c,
            .condition_names = names, .breaks = 1, .break_at = (double[]){0.5}},
            &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8, .memory = 20000});
    if (!rc) rc = solve_bratu(w, result);
    if (!rc) rc = keel_boundary_save(w, path);
    if (!rc) rc = keel_boundary_load(w, path);
    keel_boundary_free(w);
    keel_problem_free(p);
    return rc;
}

/* Sparse, from a recording. */
static int ladder_life(double *result)
{
    ladder d = {.pairs = 30, .to = 1};
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    keel_solution *table = NULL;
    static double zero[2 * 60];
    int rc = ladder_problem(&p, &d, 1, 1);
    keel_boundary_spec spec = ladder_boundary(p, &d);
    if (!rc) rc = keel_boundary_create(&w, &spec, NULL);
    if (!rc) rc = keel_solution_from_table(&table, 60, 2, (double[]){0, 1}, zero);
    if (!rc) rc = keel_boundary_guess(w, table, NULL);
    if (!rc) rc = keel_boundary_solve(w);
    if (!rc) rc = keel_solution_at(keel_boundary_solution(w), 0.3, zero);
    if (!rc) *result = zero[3];
    memset(zero, 0, sizeof zero);
    keel_solution_free(table);
    keel_boundary_free(w);
    keel_problem_free(p);
    ladder_free(&d);
    return rc;
}

static int frame_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = x[1];
    f[1] = -frame->parameters[0] * y[0];
    return 0;
}

static int branch_life(double *result)
{
    keel_problem *p = NULL;
    keel_branch *b = NULL, *again = NULL;
    const double start = 3.3;
    keel_boundary_spec spec = {.to = 1, .conditions = 2, .condition = zero_ends};
    keel_branch_options how = {.arclength = 1, .most = 3, .step = 0.1};
    int rc = keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = frame_rhs, .constraint = bratu_constraint,
        .frame = {.parameters = 1, .parameter_start = &start}});
    spec.problem = p;
    if (!rc) rc = keel_branch_create(&b, &spec, NULL, &how);
    if (!rc) rc = keel_branch_start(b, start);
    if (!rc) rc = keel_branch_follow(b, 4);
    if (rc == KEEL_STEP_LIMIT) rc = keel_branch_save(b, path);
    if (!rc) rc = keel_branch_create(&again, &spec, NULL, &how);
    if (!rc) rc = keel_branch_load(again, path);
    if (!rc) rc = keel_branch_follow(again, 4);
    if (rc == KEEL_STEP_LIMIT || rc == KEEL_OK) {
        *result = keel_branch_at(again, keel_branch_count(again) - 1)->largest[0];
        rc = KEEL_OK;
    }
    keel_branch_free(b);
    keel_branch_free(again);
    keel_problem_free(p);
    return rc;
}

static void every_allocation(life *live)
{
    double expected = NAN, result;
    if (!MEMORY_CAN_FAIL) skip();
    assert_int_equal(live(&expected), KEEL_OK);          /* what libraries keep is there now */
    memory_watch(0, 0);
    assert_int_equal(live(&expected), KEEL_OK);
    const long calls = memory_leave();
    assert_true(calls > 10);
    for (long k = 1; k <= calls; k++)
        for (int on = 0; on < 2; on++) {
            result = NAN;
            memory_watch(k, on);
            const int rc = live(&result);
            memory_leave();
            if (rc != KEEL_NO_MEMORY && !(rc == KEEL_OK && result == expected))
                fail_msg("allocation %ld of %ld%s: %s, %.17g instead of %.17g", k, calls,
                         on ? " and all after it" : "", keel_status_name(rc), result, expected);
        }
}

static void bratu_without(void **state) { (void)state; every_allocation(bratu_life); }
static void ladder_without(void **state) { (void)state; every_allocation(ladder_life); }
static void branch_without(void **state) { (void)state; every_allocation(branch_life); }

static int make_file(void **state)
{
    int file = mkstemp(path);
    (void)state;
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bratu_without), cmocka_unit_test(ladder_without),
        cmocka_unit_test(branch_without),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
