/* test_rank.c -- null_rows and dependent_set on matrices whose rank is known by construction.
 *
 * N^T G is compared with the size of its terms, sum over k of |N(k,c) G(k,j)|, and N^T N with 1:
 * both are rounding, a modest multiple of (m + n) eps.
 */
#include "linear/linear.h"
#include "numbers.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 60 };
#define TOLERANCE 1e-9

typedef struct rows_ {
    int m, n;
    double G[MOST * MOST], N[MOST * MOST];
} rows_;

/* null_rows in a block that is exactly as large as the layout says. */
static int find(rows_ *r, double tolerance, int count)
{
    arena measure = { 0 };
    (void)rank_layout(&measure, r->m, r->n);
    arena block = { .base = arena_block(measure.used) };
    assert_non_null(block.base);
    rank_work *w = rank_layout(&block, r->m, r->n);
    int found = null_rows(w, r->m, r->n, r->G, tolerance, count, r->N);
    arena_block_free(block.base);
    return found;
}

static void check_basis(const rows_ *r, int count)
{
    double bound = 20.0 * (r->m + r->n) * DBL_EPSILON;
    for (int c = 0; c < count; c++) {
        for (int d = 0; d <= c; d++) {
            double sum = c == d ? -1 : 0;
            for (int k = 0; k < r->m; k++) sum += r->N[k * count + c] * r->N[k * count + d];
            assert_true(fabs(sum) <= bound);
        }
        for (int j = 0; j < r->n; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < r->m; k++) {
                double term = r->N[k * count + c] * r->G[k * r->n + j];
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(sum) <= 50 * bound * size);
        }
    }
}

/* G = A B with random factors m x rank and rank x n. */
static void product(rows_ *r, int m, int n, int rank, uint64_t *seed)
{
    static double A[MOST * MOST], B[MOST * MOST];
    numbers(seed, A, (size_t)(m * rank));
    numbers(seed, B, (size_t)(rank * n));
    r->m = m;
    r->n = n;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            r->G[k * n + j] = 0;
            for (int i = 0; i < rank; i++) r->G[k * n + j] += A[k * rank + i] * B[i * n + j];
        }
}

static const struct { int m, n, rank; } sizes[] = {
    { 1, 1, 1 }, { 1, 1, 0 }, { 1, 3, 1 }, { 3, 1, 1 }, { 2, 2, 1 }, { 5, 5, 3 }, { 6, 7, 6 },
    { 23, 24, 20 }, { 35, 36, 34 }, { 40, 35, 34 }, { 60, 20, 20 }, { 60, 20, 7 }, { 20, 60, 0 },
};
#define EACH_SIZE for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)

static void ranks_of_products(void **state)
{
    static rows_ r;
    uint64_t seed = 5;
    (void)state;
    EACH_SIZE {
        int missing = sizes[at].m - sizes[at].rank;
        product(&r, sizes[at].m, sizes[at].n, sizes[at].rank, &seed);
        assert_int_equal(find(&r, TOLERANCE, -1), missing);
        check_basis(&r, missing);
        assert_int_equal(find(&r, TOLERANCE, missing), missing);
        check_basis(&r, missing);
    }
}

/* Rows between 1e-6 and 1e6 long have the same rank. */
static void units_do_not_matter(void **state)
{
    static rows_ r;
    uint64_t seed = 6;
    (void)state;
    EACH_SIZE {
        int missing = sizes[at].m - sizes[at].rank;
        product(&r, sizes[at].m, sizes[at].n, sizes[at].rank, &seed);
        for (int k = 0; k < r.m; k++) {
            double unit = pow(10, 6 * number(&seed));
            for (int j = 0; j < r.n; j++) r.G[k * r.n + j] *= unit;
        }
        assert_int_equal(find(&r, TOLERANCE, -1), missing);
        check_basis(&r, missing);
    }
}

/* Rows 3 and 7 are equal, row 5 is zero: N spans (e3 - e7) / sqrt 2 and e5, and names these. */
static void twice_and_zero(void **state)
{
    static rows_ r;
    int named[MOST];
    uint64_t seed = 7;
    (void)state;
    product(&r, 9, 12, 9, &seed);
    memcpy(r.G + 7 * 12, r.G + 3 * 12, 12 * sizeof *r.G);
    memset(r.G + 5 * 12, 0, 12 * sizeof *r.G);
    assert_int_equal(find(&r, TOLERANCE, -1), 2);
    check_basis(&r, 2);
    assert_int_equal(dependent_set(9, 2, r.N, 1e-6, named), 3);
    assert_int_equal(named[0], 5);
    assert_int_equal(named[1] + named[2], 10);
    assert_int_equal(named[1] * named[2], 21);
    assert_int_equal(dependent_set(9, 2, r.N, 0.8, named), 1);
    for (int c = 0; c < 2; c++) assert_true(fabs(r.N[6 + c] + r.N[14 + c]) <= 1e-14);
}

/* Row 2 = 3 row 0 - row 1: combination (3, -1, -1), longest first. */
static void combinations_are_named(void **state)
{
    static rows_ r;
    int named[MOST];
    uint64_t seed = 8;
    (void)state;
    product(&r, 6, 8, 6, &seed);
    for (int j = 0; j < 8; j++) r.G[16 + j] = 3 * r.G[j] - r.G[8 + j];
    assert_int_equal(find(&r, TOLERANCE, -1), 1);
    assert_int_equal(dependent_set(6, 1, r.N, 1e-6, named), 3);
    assert_int_equal(named[0], 0);
    assert_true(fabs(fabs(r.N[0]) - 3 / sqrt(11)) <= 1e-13);
    assert_true(fabs(fabs(r.N[1]) - 1 / sqrt(11)) <= 1e-13);
}

/* Rows 0 and 1 at an angle of 1e-5: one row or two, as the tolerance or the caller says. */
static void rank_may_be_given(void **state)
{
    static rows_ r;
    uint64_t seed = 9;
    (void)state;
    product(&r, 5, 9, 5, &seed);
    for (int j = 0; j < 9; j++) r.G[9 + j] = 2 * r.G[j] + 1e-5 * number(&seed);
    assert_int_equal(find(&r, 1e-7, -1), 0);
    assert_int_equal(find(&r, 1e-3, -1), 1);
    assert_int_equal(find(&r, 1e-7, 1), 1);
    assert_int_equal(find(&r, 1e-3, 0), RANK_LOST);
    assert_int_equal(find(&r, 1e-7, 0), 0);
    assert_int_equal(find(&r, 1e-3, 1), 1);
    for (int k = 2; k < 5; k++) assert_true(fabs(r.N[k]) <= 1e-3);
}

static void more_rows_than_columns_cannot_be_independent(void **state)
{
    static rows_ r;
    uint64_t seed = 10;
    (void)state;
    product(&r, 12, 8, 8, &seed);
    assert_int_equal(find(&r, TOLERANCE, 3), RANK_LOST);
    assert_int_equal(find(&r, TOLERANCE, 4), 4);
    check_basis(&r, 4);
}

static void not_finite_is_refused(void **state)
{
    static rows_ r;
    uint64_t seed = 11;
    const double bad[] = { NAN, INFINITY, -INFINITY };
    (void)state;
    for (int k = 0; k < 3; k++) {
        product(&r, 4, 6, 3, &seed);
        r.G[17] = bad[k];
        assert_int_equal(find(&r, TOLERANCE, -1), RANK_NOT_FINITE);
        assert_int_equal(find(&r, TOLERANCE, 1), RANK_NOT_FINITE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_products),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(twice_and_zero),
        cmocka_unit_test(combinations_are_named),
        cmocka_unit_test(rank_may_be_given),
        cmocka_unit_test(more_rows_than_columns_cannot_be_independent),
        cmocka_unit_test(not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
