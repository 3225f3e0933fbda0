/* test_memory.c -- memory runs out, anywhere in the process: the result is KEEL_NO_MEMORY, never
 * another one.  Every integrator with some forms, every form with some integrators; all of them with
 * all in test_memory_slow.c. */
#define _POSIX_C_SOURCE 200809L
#include "test/fault/lives.h"

static void needs_failing_memory(void)
{
    if (MEMORY_CAN_FAIL) return;
    print_message("malloc cannot be replaced here\n");
    skip();
}

static void every_form(void **state)
{
    (void)state;
    needs_failing_memory();
    for (int k = 0; k < SUBJECTS; k++)
        if (k != CIRCUIT && (!is_sparse(k) || has_sparse()))      /* which takes its time */
            every_life(&subjects[k], &(keel_options){.method = "auto"}, 3);
}

static void every_integrator(void **state)
{
    static const int some[] = {SEMI, HESS2, MECHANICAL};
    (void)state;
    needs_failing_memory();
    for (int m = 0; m < KINDS; m++)
        for (int k = 0; k < 3; k++)
            every_life(&subjects[some[k]], &(keel_options){.method = kinds[m].name,
                                                           .step = kinds[m].step}, 2);
}

/* ---- methods and formulations ---------------------------------------------------------------- */

static int named(const char *name, int which)
{
    keel_method *m = NULL;
    keel_analysis analysis;
    keel_general_analysis general;
    keel_method_info info;
    int rc = which ? keel_method_read(&m, name) : keel_method_named(&m, name);
    if (rc && m) assert_true(keel_method_message(m)[0] != 0);
    if (!rc && keel_method_tableau(m)) rc = keel_method_analyse(m, &analysis);
    if (!rc) rc = keel_method_analyse_general(m, &general);
    if (!rc && !which) rc = keel_method_find(name, &info);
    keel_method_free(m);
    return rc;
}

static void every_method_life(const char *name, int which)
{
    memory_watch(0, 0);
    assert_int_equal(named(name, which), KEEL_OK);
    long calls = memory_leave();
    for (long k = 1; k <= calls; k++)
        for (int on = 0; on < 2; on++) {
            memory_watch(k, on);
            int rc = named(name, which);
            memory_leave();
            if (rc != KEEL_NO_MEMORY && rc != KEEL_OK)
                fail_msg("%s: %s when call %ld of %ld fails", name, keel_status_name(rc), k, calls);
        }
}

static void methods(void **state)
{
    static const char *const names[] = {"dopri5", "gauss-3", "esdirk-4", "collocation:0,1/2,1",
                                        "bdf-3", "dcbdf-2", "dimsim-3", "hem-4"};
    (void)state;
    needs_failing_memory();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) every_method_life(names[i], 0);
    FILE *file = fopen("memory.method", "w");
    assert_non_null(file);
    fputs("name: two\nA:\n 0 0\n 1 0\nb: 1/2 1/2\nb_hat: 1 0\n", file);
    fclose(file);
    every_method_life("memory.method", 1);
    remove("memory.method");
}

static int formulated_life(const char *name, legacy *l)
{
    double y[LARGEST_SUBJECT], z[LARGEST_SUBJECT];
    keel_problem *p = NULL, *f = NULL;
    keel_solver *s = NULL;
    memset(l, 0, sizeof *l);
    start_mechanical(y);
    int rc = create_mechanical(&p);
    if (!rc) rc = keel_formulate(&f, p, &(keel_formulation){.name = name});
    if (rc && f) assert_true(keel_problem_message(f)[0] != 0);
    if (!rc) rc = keel_solver_create(&s, f, NULL);
    if (!rc) keel_formulation_from(f, y, z);
    if (!rc) rc = keel_start(s, 0, z);
    for (int k = 0; k < 2 && !rc; k++) rc = keel_step(s);
    if (!rc) memcpy(l->y, keel_state(s), (size_t)keel_problem_size(f) * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(f);
    keel_problem_free(p);
    return rc;
}

static void formulations(void **state)
{
    (void)state;
    needs_failing_memory();
    for (int i = 0; i < keel_formulation_count(); i++) {
        keel_formulation_info info;
        legacy whole, l;
        assert_int_equal(keel_formulation_at(i, &info), KEEL_OK);
        memory_watch(0, 0);
        int expected = formulated_life(info.name, &whole);
        long calls = memory_leave();
        for (long k = 1; k <= calls && !expected; k++)
            for (int on = 0; on < 2; on++) {
                memory_watch(k, on);
                int rc = formulated_life(info.name, &l);
                memory_leave();
                if (rc == KEEL_NO_MEMORY || (!rc && !memcmp(&l, &whole, sizeof l))) continue;
                fail_msg("%s: %s when call %ld of %ld fails", info.name, keel_status_name(rc), k,
                         calls);
            }
    }
}

static int quadratic_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0] * z[0];
    return 0;
}

static int constraint(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0];
    return 0;
}

static void questions(void **state)
{
    const double y[2] = {0, 1};
    keel_problem *p = NULL;
    (void)state;
    needs_failing_memory();
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 1,
        .multipliers = 1, .rhs = quadratic_rate, .constraint = constraint}), KEEL_OK);
    assert_int_equal(keel_problem_nonlinear(p, 0, y), 1);
    memory_watch(1, 0);
    int rc = keel_problem_nonlinear(p, 0, y);
    memory_leave();
    assert_int_equal(rc, KEEL_NO_MEMORY);
    keel_problem_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form), cmocka_unit_test(every_integrator),
        cmocka_unit_test(methods), cmocka_unit_test(formulations), cmocka_unit_test(questions)};
    (void)argc;
    with_one_thread(argv);
    return cmocka_run_group_tests_name("no memory", tests, enough_at_first, NULL);
}
