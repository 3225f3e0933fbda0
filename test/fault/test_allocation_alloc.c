/* test_allocation_alloc.c -- every allocation fails once; and none happens while stepping.
 *
 * The linker sends malloc and its relatives through the functions here; the k-th one inside a
 * region returns NULL.  Leaks are found by the sanitizer and by valgrind.
 */
#include "test/support/run.h"

#include <errno.h>
#include <stdlib.h>

#include "problems/chain.h"
#include "problems/list.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

static int watching;
static long allocations, fail_at;        /* fail_at 0: none fails */

static int refused(void)
{
    return watching && ++allocations == fail_at;
}

void *__wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size)
{
    return refused() ? NULL : __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return refused() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

/* ---- a chain of reacting cells, dense, band or sparse ---------------------------------------- */

enum { CELLS = 40 };

static int chain_rhs(double t, const double *y, double *f, void *context)
{
    (void)t;
    (void)context;
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? y[i - 1] : 1, right = i < CELLS - 1 ? y[i + 1] : 0;
        f[i] = 50 * (left - 2 * y[i] + right) - y[i] * y[i];
    }
    return 0;
}

static int make_chain(keel_problem **problem, keel_storage storage)
{
    int start[CELLS + 1], row[3 * CELLS], count = 0;
    for (int j = 0; j < CELLS; j++) {
        start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CELLS; i++) row[count++] = i;
    }
    start[CELLS] = count;
    return keel_ode(problem, &(keel_ode_spec){.size = CELLS, .rhs = chain_rhs,
        .pattern = {.storage = storage, .lower = 1, .upper = 1, .column_start = start,
                    .row_index = row}});
}

static int make_dense_chain(keel_problem **p, derivatives d, probe *c)
{
    (void)d, (void)c;
    return make_chain(p, KEEL_DENSE);
}

static int make_band_chain(keel_problem **p, derivatives d, probe *c)
{
    (void)d, (void)c;
    return make_chain(p, KEEL_BAND);
}

static int make_sparse_chain(keel_problem **p, derivatives d, probe *c)
{
    (void)d, (void)c;
    return make_chain(p, KEEL_SPARSE);
}

static void chain_start(double t, double *y)
{
    for (int i = 0; i < CELLS; i++) y[i] = exp(-t - i);
}

static const form chains[] = {
    {"dense chain", CELLS, make_dense_chain, chain_start},
    {"band chain", CELLS, make_band_chain, chain_start},
    {"sparse chain", CELLS, make_sparse_chain, chain_start},
};

/* ---- a hanging chain with sparse M and G ------------------------------------------------------ */

enum { LINKS = 6 };

static const double hanging_parameters[] = {LINKS, 0.5};

static int make_hanging(keel_problem **p, derivatives d, probe *c)
{
    (void)d, (void)c;
    return chain_create_sparse(p, hanging_parameters);
}

static void hanging_start(double t, double *y)
{
    (void)t;
    problem_chain.start(hanging_parameters, y);
}

static const form hanging = {"hanging chain", 5 * LINKS, make_hanging, hanging_start};

/* ---- failing allocations --------------------------------------------------------------------- */

/* Create, start, steps, a recorded solution; the first status that is not KEEL_OK. */
static int whole_life(const form *f, const keel_options *o, probe *context)
{
    double y[CELLS];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_solution *recorded = NULL;
    f->exact(0, y);
    int rc = f->make(&p, BY_DIFFERENCES, context);
    if (rc == KEEL_NO_MEMORY && p) assert_true(keel_problem_message(p)[0] != 0);
    if (!rc) rc = keel_solver_create(&s, p, o);
    if (!rc) rc = keel_start(s, 0, y);
    if (rc && s) assert_true(keel_message(s)[0] != 0);
    if (!rc) rc = keel_solution_create(&recorded, s);
    for (int k = 0; k < 20 && !rc; k++) {
        rc = keel_step(s);
        if (!rc) rc = keel_solution_append(recorded, s);
    }
    if (keel_solution_steps(recorded) > 0) {
        double t = keel_solution_time(recorded, keel_solution_steps(recorded));
        assert_int_equal(keel_solution_at(recorded, t, y), KEEL_OK);
    }
    keel_solution_free(recorded);
    keel_solver_free(s);
    keel_problem_free(p);
    return rc;
}

static void every_allocation(const form *f, const keel_options *o)
{
    for (fail_at = 1; ; fail_at++) {
        probe context = {0};
        allocations = 0;
        watching = 1;
        int rc = whole_life(f, o, &context);
        watching = 0;
        if (allocations < fail_at) {
            assert_int_equal(rc, KEEL_OK);
            break;
        }
        if (rc != KEEL_NO_MEMORY)
            fail_msg("%s: %s after allocation %ld failed", f->name, keel_status_name(rc), fail_at);
    }
    assert_true(fail_at > 5);
    fail_at = 0;
}

static void allocation_failures(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) every_allocation(&forms[k], NULL);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) every_allocation(&chains[k], NULL);
    if (!has_sparse()) return;
    static const char *const kinds[] = {"auto", "radau-iia", "hem-4", "esdirk-4"};
    for (int k = 0; k < 4; k++) every_allocation(&hanging, &(keel_options){.method = kinds[k]});
}

/* One method of each kind, and forms that it advances. */
static const struct { const char *name; int form[3]; double step; } methods[] = {
    {"radau-iia", {FORM_ODE, FORM_HESS2, FORM_SEPARATE}, 0},
    {"verner8", {FORM_ODE, FORM_SEMI, FORM_SEPARATE}, 0},
    {"dop853", {FORM_ODE, FORM_SEMI, FORM_EVALUATE}, 0},
    {"rk4", {FORM_ODE, FORM_SEMI, FORM_SEPARATE}, 0},
    {"esdirk-4", {FORM_ODE, FORM_HESS3, FORM_SEPARATE}, 0},
    {"gauss-2", {FORM_ODE, FORM_SEMI, FORM_SEPARATE}, 0},
    {"lobatto-iiia-3", {FORM_SEMI, FORM_HESS2, FORM_IMPLICIT}, 0},
    {"collocation-2:0.5", {FORM_HESS2, FORM_HESS3, FORM_STATE_MASS}, 0},
    {"hem-4", {FORM_HESS2, FORM_HESS3, FORM_SEPARATE}, 0},
    {"phem56", {FORM_HESS2, FORM_HESS3, FORM_EVALUATE}, 0},
    {"bdf", {FORM_ODE, FORM_HESS3, FORM_SEPARATE}, 0},
    {"bdf", {FORM_SEMI, FORM_STATE_MASS, FORM_IMPLICIT}, 0},
    {"bdf-4", {FORM_HESS2, FORM_EVALUATE, FORM_PROPER}, 0.01},
    {"dimsim", {FORM_ODE, FORM_SEMI, FORM_EVALUATE}, 0},
    {"dimsim-3", {FORM_HESS2, FORM_HESS3, FORM_IMPLICIT}, 0.01},
    {"dcbdf-3", {FORM_ODE, FORM_SEMI, FORM_HESS2}, 0.01},
    {"beta-adams-3", {FORM_ODE, FORM_SEMI, FORM_HESS2}, 0.01},
};
enum { METHODS = sizeof methods / sizeof *methods };

static void allocation_failures_of_methods(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            keel_options o = {.method = methods[m].name, .step = methods[m].step};
            every_allocation(&forms[methods[m].form[k]], &o);
        }
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
        every_allocation(&chains[k], &(keel_options){.method = "bdf"});
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int crooked_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)context;
    for (int i = 0; i < 2; i++) keel_put(J, i, i, t + y[i]);
    return 0;
}

/* With findings, which need memory, and with links, of attached rows; at a start as well. */
static int check_life(const keel_problem *p, keel_solver *s, const double *y, int at_start)
{
    keel_check_report *r = NULL;
    int rc = at_start ? keel_start(s, 0, y) : keel_check(p, 0, y, NULL, &r);
    assert_true(at_start || (r != NULL) == (rc != KEEL_NO_MEMORY));
    keel_check_free(r);
    return rc;
}

static void checks_without_memory(void **state)
{
    double y[8] = {0};
    probe quiet = {0};
    keel_problem *p[2];
    const bundled_problem *b = &problem_pendulum_energy;
    double parameters[8];
    (void)state;
    for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
    assert_int_equal(b->create(&p[0], parameters), KEEL_OK);
    assert_int_equal(keel_ode(&p[1], &(keel_ode_spec){.size = 2, .rhs = ode_rhs,
        .jacobian = crooked_jacobian, .context = &quiet}), KEEL_OK);
    for (int k = 0; k < 4; k++) {
        const keel_problem *problem = p[k % 2];
        const int expected = k % 2 ? KEEL_WRONG_DERIVATIVE : KEEL_OK;
        keel_solver *s;
        if (k % 2) ode_exact(0, y);
        else b->start(parameters, y);
        expect_ok(keel_solver_create(&s, problem, NULL), s, "check");
        for (fail_at = 1; ; fail_at++) {
            allocations = 0;
            watching = 1;
            int rc = check_life(problem, s, y, k >= 2);
            watching = 0;
            if (allocations < fail_at) {
                assert_int_equal(rc, expected);
                break;
            }
            if (rc != KEEL_NO_MEMORY)
                fail_msg("check %d: %s after allocation %ld failed", k, keel_status_name(rc),
                         fail_at);
        }
        fail_at = 0;
        keel_solver_free(s);
    }
    keel_problem_free(p[0]);
    keel_problem_free(p[1]);
}

/* ---- methods --------------------------------------------------------------------------------- */

typedef int maker(keel_method **method, const char *name);

static int by_name(keel_method **m, const char *name) { return keel_method_named(m, name); }

static int from_file(keel_method **m, const char *name) { return keel_method_read(m, name); }

/* With a claimed order, so that the order conditions are evaluated. */
static int from_tableau(keel_method **m, const char *name)
{
    static const double A[] = {0, 0, 0.5, 0}, b[] = {0, 1}, b_hat[] = {1, 0};
    return keel_method_create(m, &(keel_tableau){.name = name, .stages = 2, .A = A, .b = b,
                                                 .order = 2, .b_hat = b_hat});
}

static int from_formula(keel_method **m, const char *name)
{
    static const double alpha[] = {-1, 1}, beta[] = {0.5, 0.5}, gamma[] = {0.5, -0.5};
    return keel_multistep_create(m, &(keel_multistep){.name = name, .steps = 1, .alpha = alpha,
                                     .beta = beta, .gamma = gamma, .blocking = KEEL_BLOCKED});
}

static int method_life(maker *make, const char *name)
{
    keel_method *m = NULL;
    keel_method_info info;
    keel_analysis analysis;
    int rc = make(&m, name);
    if (rc && m) {
        assert_true(keel_method_message(m)[0] != 0);
        assert_int_equal(keel_method_tableau(m)->stages, 0);
        assert_int_equal(keel_method_analyse(m, &analysis), KEEL_BAD_ARGUMENT);
    }
    if (!rc && keel_method_tableau(m)) rc = keel_method_analyse(m, &analysis);
    if (!rc && make == by_name) rc = keel_method_find(name, &info);
    keel_method_free(m);
    return rc;
}

static void every_allocation_of(maker *make, const char *name)
{
    for (fail_at = 1; ; fail_at++) {
        allocations = 0;
        watching = 1;
        int rc = method_life(make, name);
        watching = 0;
        if (allocations < fail_at) {
            assert_int_equal(rc, KEEL_OK);
            break;
        }
        if (rc != KEEL_NO_MEMORY)
            fail_msg("%s: %s after allocation %ld failed", name, keel_status_name(rc), fail_at);
    }
    fail_at = 0;
}

static void methods_without_memory(void **state)
{
    (void)state;
    every_allocation_of(by_name, "dopri5");
    every_allocation_of(by_name, "gauss-3");
    every_allocation_of(by_name, "collocation:0,1/2,1");
    every_allocation_of(by_name, "bdf-3");
    every_allocation_of(by_name, "dcbdf-2:constrain-last");
    every_allocation_of(by_name, "dimsim-3");
    every_allocation_of(from_tableau, "midpoint");
    every_allocation_of(from_formula, "trapezoidal");
    FILE *file = fopen("allocation.method", "w");
    assert_non_null(file);
    fputs("order: 2\nA:\n 0 0\n 1 0\nb: 1/2 1/2\nb_hat: 1 0\n", file);
    fclose(file);
    every_allocation_of(from_file, "allocation.method");
    file = fopen("allocation.method", "w");
    assert_non_null(file);
    fputs("alpha: -1 1\nbeta: 1/2 1/2\ngamma: 1/2 -1/2\n", file);
    fclose(file);
    every_allocation_of(from_file, "allocation.method");
    remove("allocation.method");
}

/* ---- no allocation while stepping ------------------------------------------------------------ */

/* Returns how often the method `auto` changed its integrator.  Neighbours of y2 = e^(t/2) have a pole,
 * 2 y2' = y2^3 e^-t beside others: a relative error of 1e-7 has grown by e^t, and the run meets it near
 * t = 17 or not, as the sign of that error will have it.  Decaying solutions are noise beyond 1e6. */
static int quiet_run(const form *f, const keel_options *o)
{
    probe context = {0};
    double y[CELLS], residual[3], last = f >= forms && f < forms + FORMS ? 5 : 1e6;
    keel_problem *p = new_problem(f, BY_DIFFERENCES, &context);
    keel_solver *s = NULL;
    f->exact(0, y);
    expect_ok(keel_solver_create(&s, p, o), s, f->name);
    expect_ok(keel_start(s, 0, y), s, f->name);
    allocations = 0;
    watching = 1;
    int rc = 0;
    for (int k = 0; k < 50 && keel_time(s) < last && !rc; k++) {
        rc = keel_step(s);
        double middle = 0.5 * (keel_previous_time(s) + keel_time(s));
        if (!rc) rc = keel_interpolate(s, middle, y);
        if (!rc) rc = keel_project(s, middle, y);
        keel_residuals(s, residual);
    }
    if (!rc) rc = keel_advance_to(s, keel_time(s) + 0.01);
    watching = 0;
    expect_ok(rc, s, f->name);
    if (allocations) fail_msg("%s: %ld allocations while stepping", f->name, allocations);
    int switches = keel_solver_stats(s)->method_switches;
    keel_solver_free(s);
    keel_problem_free(p);
    return switches;
}

static void no_allocation_while_stepping(void **state)
{
    keel_options tight = {.rtol = 1e-7}, full = {.iteration = KEEL_ITERATION_FULL},
                 dense = {.linear = KEEL_LINEAR_DENSE}, band = {.linear = KEEL_LINEAR_BAND},
                 bdf = {.method = "bdf", .rtol = 1e-5};
    (void)state;
    for (int k = 0; k < FORMS; k++) quiet_run(&forms[k], &tight);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            keel_options o = {.rtol = 1e-5, .method = methods[m].name,
                              .step = methods[m].step};
            quiet_run(&forms[methods[m].form[k]], &o);
        }
    quiet_run(&forms[FORM_SEPARATE], &full);
    assert_int_equal(quiet_run(&chains[0], &tight), 1);
    quiet_run(&chains[1], &band);
    quiet_run(&chains[2], &dense);
    quiet_run(&chains[0], &bdf);
    quiet_run(&chains[1], &bdf);
    if (has_sparse()) quiet_run(&hanging, &(keel_options){.method = "rk4"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(allocation_failures_of_methods),
        cmocka_unit_test(checks_without_memory),
        cmocka_unit_test(methods_without_memory), cmocka_unit_test(no_allocation_while_stepping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
