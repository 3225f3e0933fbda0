/* test_saddle_null.c -- [M G^T; G -N N^T] for rows of G that depend on each other.
 *
 * For b = G x the solution meets M x + G^T l = a and every row of G x = b, and N^T l = 0: with
 * M = R^T R + I this has one solution only.
 */
#include "linear/saddle.h"
#include "test/linear/dense_saddle.h"
#include "numbers.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, WIDTH = 8 };

typedef struct system_ {
    int n, m, count;
    double M[MOST * MOST], G[MOST * MOST], N[MOST * MOST];
    double x[WIDTH * MOST], l[WIDTH * MOST], a[WIDTH * MOST], b[WIDTH * MOST];
} system_;

static const struct { int n, m, rank; } sizes[] = {
    { 2, 2, 1 }, { 2, 4, 2 }, { 3, 3, 1 }, { 1, 3, 1 }, { 7, 6, 5 }, { 7, 7, 4 }, { 20, 4, 3 },
    { 24, 23, 20 }, { 36, 35, 34 }, { 35, 40, 34 }, { 8, 40, 8 }, { 5, 3, 0 },
};
#define EACH_SIZE for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)

static void find_null(system_ *e)
{
    arena measure = { 0 };
    (void)rank_layout(&measure, e->m, e->n);
    arena block = { .base = arena_block(measure.used) };
    assert_non_null(block.base);
    e->count = null_rows(rank_layout(&block, e->m, e->n), e->m, e->n, e->G, 1e-9, -1, e->N);
    arena_block_free(block.base);
}

/* G = A B of that rank, and right-hand sides that fit. */
static void random_system(system_ *e, int n, int m, int rank, uint64_t *seed)
{
    static double A[MOST * MOST], B[MOST * MOST], R[MOST * MOST], x[MOST];
    e->n = n;
    e->m = m;
    numbers(seed, A, (size_t)(m * rank));
    numbers(seed, B, (size_t)(rank * n));
    numbers(seed, R, (size_t)(n * n));
    memset(e->G, 0, sizeof e->G);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < rank; i++) e->G[k * n + j] += A[k * rank + i] * B[i * n + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            e->M[i * n + j] = i == j;
            for (int k = 0; k < n; k++) e->M[i * n + j] += R[k * n + i] * R[k * n + j];
        }
    numbers(seed, e->a, (size_t)(WIDTH * n));
    for (int c = 0; c < WIDTH; c++) {
        numbers(seed, x, (size_t)n);
        for (int k = 0; k < m; k++) {
            e->b[c * m + k] = 0;
            for (int j = 0; j < n; j++) e->b[c * m + k] += e->G[k * n + j] * x[j];
        }
    }
    find_null(e);
    assert_int_equal(e->count, m - rank);
}

static void restore(system_ *e)
{
    memcpy(e->x, e->a, sizeof e->x);
    memcpy(e->l, e->b, sizeof e->l);
}

/* Rows of the equations relative to their terms; the multipliers relative to their length. */
static void check(const system_ *e, int c)
{
    int n = e->n, m = e->m;
    const double *x = e->x + c * n, *l = e->l + c * m, *a = e->a + c * n, *b = e->b + c * m;
    double bound = 1e-11, length = largest_entry(l, (size_t)m);
    for (int i = 0; i < n; i++) {
        double rest = -a[i], size = fabs(a[i]);
        for (int j = 0; j < n; j++) rest += e->M[i * n + j] * x[j], size += fabs(e->M[i * n + j]);
        for (int k = 0; k < m; k++) rest += e->G[k * n + i] * l[k];
        assert_true(fabs(rest) <= bound * (size + length * m));
    }
    for (int k = 0; k < m; k++) {
        double rest = -b[k];
        for (int j = 0; j < n; j++) rest += e->G[k * n + j] * x[j];
        assert_true(fabs(rest) <= bound * n * (1 + largest_entry(x, (size_t)n)));
    }
    for (int d = 0; d < e->count; d++) {
        double sum = 0;
        for (int k = 0; k < m; k++) sum += e->N[k * e->count + d] * l[k];
        assert_true(fabs(sum) <= bound * m * (1 + length));
    }
}

static void all_rows_hold(void **state)
{
    static system_ e;
    uint64_t seed = 2;
    (void)state;
    EACH_SIZE {
        saddle *s = NULL;
        random_system(&e, sizes[at].n, sizes[at].m, sizes[at].rank, &seed);
        assert_int_equal(saddle_create(&s, e.n, e.m), 0);
        assert_true(saddle_factor(s, e.M, e.G) > 0);
        assert_int_equal(saddle_set_null(s, e.count, e.N), 0);
        assert_int_equal(saddle_factor(s, e.M, e.G), 0);
        restore(&e);
        saddle_solve(s, 3, e.x, e.l);
        for (int c = 0; c < 3; c++) check(&e, c);
        assert_true(e.x[3 * e.n] == e.a[3 * e.n]);
        restore(&e);
        assert_int_equal(saddle_solve_once(s, e.M, e.G, e.x, e.l), 0);
        check(&e, 0);
        saddle_free(s);
    }
}

static void lanes_agree(void **state)
{
    static system_ e;
    static _Alignas(32) double x[WIDTH * MOST], l[WIDTH * MOST];
    uint64_t seed = 3;
    (void)state;
    EACH_SIZE {
        saddle *s = NULL;
        random_system(&e, sizes[at].n, sizes[at].m, sizes[at].rank, &seed);
        assert_int_equal(saddle_create(&s, e.n, e.m), 0);
        assert_int_equal(saddle_set_null(s, e.count, e.N), 0);
        assert_int_equal(saddle_factor(s, e.M, e.G), 0);
        for (int c = 0; c < WIDTH; c++) {
            for (int i = 0; i < e.n; i++) x[i * WIDTH + c] = e.a[c * e.n + i];
            for (int k = 0; k < e.m; k++) l[k * WIDTH + c] = e.b[c * e.m + k];
        }
        saddle_solve_lanes(s, WIDTH, x, l);
        for (int c = 0; c < WIDTH; c++) {
            for (int i = 0; i < e.n; i++) e.x[c * e.n + i] = x[i * WIDTH + c];
            for (int k = 0; k < e.m; k++) e.l[c * e.m + k] = l[k * WIDTH + c];
            check(&e, c);
        }
        saddle_free(s);
    }
}

/* Rows a little off the point where N was found look independent: all ways go by N all the same. */
static void once_goes_by_the_null_space(void **state)
{
    static system_ e;
    double x[MOST], l[MOST];
    uint64_t seed = 7;
    (void)state;
    EACH_SIZE {
        saddle *s = NULL;
        random_system(&e, sizes[at].n, sizes[at].m, sizes[at].rank, &seed);
        for (int i = 0; i < e.m * e.n; i++) e.G[i] += 1e-6 * number(&seed);
        assert_int_equal(saddle_create(&s, e.n, e.m), 0);
        assert_int_equal(saddle_set_null(s, e.count, e.N), 0);
        restore(&e);
        memcpy(x, e.x, sizeof x), memcpy(l, e.l, sizeof l);
        assert_int_equal(saddle_factor(s, e.M, e.G), 0);
        saddle_solve(s, 1, e.x, e.l);
        assert_int_equal(saddle_solve_once(s, e.M, e.G, x, l), 0);
        assert_memory_equal(x, e.x, (size_t)e.n * sizeof *x);
        saddle_free(s);
    }
}

/* b = G x + N w: G x is what least squares leaves, and N^T l = -w. */
static void contradictions_are_met_by_least_squares(void **state)
{
    static system_ e, fits;
    uint64_t seed = 4;
    (void)state;
    EACH_SIZE {
        saddle *s = NULL;
        random_system(&e, sizes[at].n, sizes[at].m, sizes[at].rank, &seed);
        fits = e;
        for (int k = 0; k < e.m; k++) e.b[k] += 0.5 * e.N[k * e.count];
        assert_int_equal(saddle_create(&s, e.n, e.m), 0);
        assert_int_equal(saddle_set_null(s, e.count, e.N), 0);
        assert_int_equal(saddle_factor(s, e.M, e.G), 0);
        restore(&e), restore(&fits);
        saddle_solve(s, 1, e.x, e.l);
        saddle_solve(s, 1, fits.x, fits.l);
        double size = 1 + largest_entry(fits.x, (size_t)e.n) + largest_entry(fits.l, (size_t)e.m);
        for (int i = 0; i < e.n; i++) assert_true(fabs(e.x[i] - fits.x[i]) <= 1e-9 * size);
        for (int k = 0; k < e.m; k++)
            assert_true(fabs(e.l[k] + 0.5 * e.N[k * e.count] - fits.l[k]) <= 1e-9 * size);
        saddle_free(s);
    }
}

/* Without N the fast ways are back, to the bit. */
static void none_restores_the_fast_ways(void **state)
{
    static system_ e;
    static const int shapes[][2] = { { 2, 1 }, { 7, 6 }, { 20, 3 } };
    uint64_t seed = 5;
    (void)state;
    for (int k = 0; k < 3; k++) {
        saddle *s = NULL, *untouched = NULL;
        int n = shapes[k][0], m = shapes[k][1];
        random_system(&e, n, m, m, &seed);
        assert_int_equal(saddle_create(&s, n, m), 0);
        assert_int_equal(saddle_create(&untouched, n, m), 0);
        e.N[0] = 1;
        for (int i = 1; i < m; i++) e.N[i] = 0;
        assert_int_equal(saddle_set_null(s, 1, e.N), 0);
        assert_int_equal(saddle_factor(s, e.M, e.G), 0);
        assert_int_equal(s->kind, SADDLE_LU);
        assert_int_equal(saddle_set_null(s, 0, NULL), 0);
        for (int once = 0; once < 2; once++) {
            double y[MOST], mu[MOST];
            restore(&e);
            memcpy(y, e.x, sizeof y), memcpy(mu, e.l, sizeof mu);
            if (once) {
                assert_int_equal(saddle_solve_once(s, e.M, e.G, e.x, e.l), 0);
                assert_int_equal(saddle_solve_once(untouched, e.M, e.G, y, mu), 0);
            } else {
                assert_int_equal(saddle_factor(s, e.M, e.G), 0);
                assert_int_equal(saddle_factor(untouched, e.M, e.G), 0);
                assert_int_equal(s->kind, untouched->kind);
                saddle_solve(s, 1, e.x, e.l);
                saddle_solve(untouched, 1, y, mu);
            }
            assert_memory_equal(e.x, y, (size_t)n * sizeof *y);
        }
        saddle_free(s), saddle_free(untouched);
    }
}

/* One more dependent row than N knows of is named; M that is singular on ker G is not a row. */
static void what_is_missing(void **state)
{
    static system_ e;
    saddle *s = NULL;
    uint64_t seed = 6;
    (void)state;
    random_system(&e, 12, 8, 7, &seed);
    assert_int_equal(saddle_create(&s, 12, 8), 0);
    assert_int_equal(saddle_set_null(s, e.count, e.N), 0);
    memset(e.G, 0, sizeof e.G);
    for (int k = 0; k < 8; k++) e.G[k * 12 + (k < 2 ? 0 : k)] = 1;
    e.G[5 * 12 + 5] = 0, e.G[5 * 12 + 4] = 2;        /* rows 0 = 1, 5 = 2 row 4 */
    find_null(&e);
    assert_int_equal(e.count, 2);
    assert_int_equal(saddle_set_null(s, 2, e.N), 0);
    assert_int_equal(saddle_factor(s, e.M, e.G), 0);
    double one[8] = { sqrt(0.5), -sqrt(0.5) };
    assert_int_equal(saddle_set_null(s, 1, one), 0);
    assert_int_equal(saddle_factor(s, e.M, e.G), 6);
    saddle_set_null(s, 2, e.N);
    for (int i = 0; i < 12; i++) e.M[i * 12 + 11] = e.M[11 * 12 + i] = 0;
    assert_int_equal(saddle_factor(s, e.M, e.G), -1);
    saddle_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows_hold),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(once_goes_by_the_null_space),
        cmocka_unit_test(contradictions_are_met_by_least_squares),
        cmocka_unit_test(none_restores_the_fast_ways),
        cmocka_unit_test(what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
