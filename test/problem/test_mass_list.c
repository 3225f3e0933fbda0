/* test_mass_list.c -- a mass matrix that varies is known by the nonzeros seen so far: entries that
 * appear late, vanish or change places must not be missed. */
#include "problem/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

enum { SIZE = 9 };

typedef struct appearing { int code, poison; } appearing;

/* y_i' (1 + y_i^2 / 4) + [t > 1] y'_(i+1) + [t > 2] y'_(i+5) = f_i; values written directly, too. */
static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    const appearing *a = context;
    for (int i = 0; i < SIZE; i++) {
        keel_put(M, i, i, 1 + y[i] * y[i] / 4);
        if (t > 1 && i + 1 < SIZE) keel_add(M, i, i + 1, 0.25);
        if (t > 2 && i + 5 < SIZE) M->values[(i + 5) * SIZE + i] = 0.125;
    }
    if (a->poison && t > 1) M->values[2] = NAN;
    return t > 1 ? a->code : 0;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < SIZE; i++) f[i] = y[i] + i;
    return 0;
}

static double expected(double t, const double *y, const double *yp, int i)
{
    double r = y[i] + i - (1 + y[i] * y[i] / 4) * yp[i];
    if (t > 1 && i + 1 < SIZE) r -= 0.25 * yp[i + 1];
    if (t > 2 && i + 5 < SIZE) r -= 0.125 * yp[i + 5];
    return r;
}

typedef struct fixture { keel_problem *p; evaluator e; keel_stats stats; void *block; } fixture;

static void open_problem(fixture *f, appearing *a)
{
    assert_int_equal(keel_quasilinear(&f->p, &(keel_quasilinear_spec){
        .size = SIZE, .mass = mass, .rhs = rhs, .context = a}), KEEL_OK);
    arena measured = {0};
    evaluator e = {0};
    evaluator_layout(&measured, &e, f->p);
    f->block = arena_block(measured.used);
    f->e = (evaluator){.stats = &f->stats};
    evaluator_layout(&(arena){.base = f->block}, &f->e, f->p);
    f->e.stats = &f->stats;
    evaluator_reset(&f->e);
}

static void close_problem(fixture *f)
{
    arena_block_free(f->block);
    keel_problem_free(f->p);
}

static void check_at(fixture *f, double t)
{
    double y[SIZE], yp[SIZE], r[SIZE];
    for (int i = 0; i < SIZE; i++) y[i] = 0.1 * i - 0.3, yp[i] = 1 + 0.5 * i;
    assert_int_equal(eval_residual(&f->e, t, y, yp, r), 0);
    for (int i = 0; i < SIZE; i++) assert_true(fabs(r[i] - expected(t, y, yp, i)) < 1e-14);
}

static void entries_come_and_go(void **state)
{
    static const double times[] = {0, 1.5, 0, 2.5, 1.5, 0, 2.5};
    appearing a = {0};
    fixture f = {0};
    (void)state;
    open_problem(&f, &a);
    for (int k = 0; k < 7; k++) check_at(&f, times[k]);
    close_problem(&f);
}

/* A call that failed, or gave what is not finite, leaves nothing behind. */
static void failures_leave_nothing(void **state)
{
    double y[SIZE] = {0}, yp[SIZE] = {0}, r[SIZE];
    appearing a = {0};
    fixture f = {0};
    (void)state;
    open_problem(&f, &a);
    check_at(&f, 0);
    a.code = 1;
    assert_int_equal(eval_residual(&f.e, 1.5, y, yp, r), 1);
    assert_string_equal(f.e.fault.callback, "mass");
    a = (appearing){.poison = 1};
    assert_int_equal(eval_residual(&f.e, 1.5, y, yp, r), 1);
    assert_int_equal(f.e.fault.component, 2);
    a.poison = 0;
    check_at(&f, 0);
    check_at(&f, 2.5);
    close_problem(&f);
}

/* The order in which entries were seen does not show in the last bit. */
static void order_does_not_matter(void **state)
{
    double y[SIZE], yp[SIZE], r[2][SIZE];
    appearing a = {0};
    (void)state;
    for (int i = 0; i < SIZE; i++) y[i] = sin(i), yp[i] = cos(i);
    for (int k = 0; k < 2; k++) {
        fixture f = {0};
        open_problem(&f, &a);
        if (k) check_at(&f, 2.5);
        check_at(&f, 0);
        check_at(&f, 1.5);
        assert_int_equal(eval_residual(&f.e, 1.5, y, yp, r[k]), 0);
        close_problem(&f);
    }
    assert_memory_equal(r[0], r[1], sizeof r[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_and_go), cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(order_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
