/* test_gmres.c -- GMRES and ILU(0): exact where theory says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/gmres.h"
#include "linear/ilu.h"
#include "linear/linear.h"

enum { N = 40 };

typedef struct fixture {
    keel_matrix A;
    row_pattern rows;
    gmres k;
    double lu[3 * N];
    int plain, spoil;
    void *block;
} fixture;

static int product(void *context, const double *x, double *y)
{
    fixture *f = context;
    memset(y, 0, N * sizeof *y);
    matrix_multiply_add(&f->A, 1, x, y);
    return f->spoil;
}

static int inverse(void *context, const double *r, double *z)
{
    fixture *f = context;
    if (f->plain) memcpy(z, r, N * sizeof *z);
    else ilu_solve(&f->rows, f->lu, r, z);
    return 0;
}

static void layout(arena *a, fixture *f, int restart, int limit)
{
    row_pattern_layout(a, &f->rows, &f->A.pattern, N);
    gmres_layout(a, &f->k, N, restart, limit);
}

/* Tridiagonal, unsymmetric: elimination makes no new entries. */
static void begin(fixture *f, double *values, int restart, int limit)
{
    *f = (fixture){.A = {.rows = N, .columns = N, .values = values, .stray_row = -1, .stray_column = -1,
                         .pattern = {.storage = KEEL_BAND, .lower = 1, .upper = 1}}};
    memset(values, 0, 3 * N * sizeof *values);
    for (int i = 0; i < N; i++) {
        keel_put(&f->A, i, i, 2.5 + sin(i));
        if (i > 0) keel_put(&f->A, i, i - 1, -1.5);
        if (i + 1 < N) keel_put(&f->A, i, i + 1, 0.7);
    }
    arena a = {0};
    layout(&a, f, restart, limit);
    f->block = arena_block(a.used);
    a = (arena){.base = f->block};
    layout(&a, f, restart, limit);
    row_pattern_build(&f->rows, &f->A.pattern);
    for (int i = 0; i < N; i++)
        for (int q = f->rows.start[i]; q < f->rows.start[i + 1]; q++) {
            assert_true(f->rows.source[q] >= 0);
            assert_true(values[f->rows.source[q]] == matrix_get(&f->A, i, f->rows.column[q]));
            f->lu[q] = values[f->rows.source[q]];
        }
    ilu_factor(&f->rows, f->lu);
}

static double residual(const fixture *f, const double *x, const double *b)
{
    double r[N], most = 0;
    memcpy(r, b, sizeof r);
    matrix_multiply_add(&f->A, -1, x, r);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(r[i]));
    return most;
}

/* ILU(0) of a tridiagonal matrix is its LU: one iteration is enough. */
static void exact_factors(void **state)
{
    fixture f;
    double values[3 * N], b[N], x[N];
    long iterations = 0;
    (void)state;
    begin(&f, values, 10, 100);
    for (int i = 0; i < N; i++) x[i] = b[i] = cos(3 * i);
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-12, x, &iterations), 0);
    assert_int_equal(iterations, 1);
    assert_true(residual(&f, x, b) <= 100 * DBL_EPSILON);
    arena_block_free(f.block);
}

/* Without a preconditioner N iterations solve any system; with restarts, and few, not. */
static void plain(void **state)
{
    fixture f;
    double values[3 * N], b[N], x[N];
    long iterations = 0;
    (void)state;
    begin(&f, values, N, N);
    f.plain = 1;
    for (int i = 0; i < N; i++) x[i] = b[i] = cos(3 * i);
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-10, x, &iterations), 0);
    assert_true(residual(&f, x, b) <= 1e-10 * sqrt(N));
    assert_true(iterations <= N);
    arena_block_free(f.block);
    begin(&f, values, 4, 8);
    f.plain = 1;
    memcpy(x, b, sizeof x);
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-10, x, &iterations), GMRES_NOT_REACHED);
    arena_block_free(f.block);
}

static void dull_cases(void **state)
{
    fixture f;
    double values[3 * N], x[N] = {0};
    long iterations = 0;
    (void)state;
    begin(&f, values, 10, 100);
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-10, x, &iterations), 0);
    assert_int_equal(iterations, 0);             /* b = 0 */
    for (int i = 0; i < N; i++) assert_true(x[i] == 0);
    x[3] = NAN;
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-10, x, &iterations), GMRES_NOT_FINITE);
    x[3] = 1;
    f.spoil = -3;
    assert_int_equal(gmres_solve(&f.k, product, inverse, &f, 1e-10, x, &iterations), -3);
    arena_block_free(f.block);
}

/* A saddle matrix has no diagonal below: elimination makes one, and a row without any has its size. */
static void missing_diagonal(void **state)
{
    static const int start[] = {0, 2, 3}, row[] = {0, 1, 0};
    const keel_pattern pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row};
    row_pattern p;
    arena a = {0};
    (void)state;
    row_pattern_layout(&a, &p, &pattern, 2);
    void *block = arena_block(a.used);
    a = (arena){.base = block};
    row_pattern_layout(&a, &p, &pattern, 2);
    row_pattern_build(&p, &pattern);
    assert_int_equal(p.entries, 4);
    assert_int_equal(p.source[p.diagonal[1]], -1);
    double lu[4] = {2, 3, 4, 0}, b[2] = {5, 4}, x[2];        /* [2 3; 4 0] (1, 1) = (5, 4) */
    ilu_factor(&p, lu);
    ilu_solve(&p, lu, b, x);
    assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
    arena_block_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_factors), cmocka_unit_test(plain), cmocka_unit_test(dull_cases),
        cmocka_unit_test(missing_diagonal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
