/* test_saddle_once.c -- saddle_solve_once against saddle_factor and saddle_solve. */
#include "linear/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <float.h>
#include <string.h>

#include "test/linear/dense_saddle.h"
#include "test/linear/numbers.h"

enum { MOST = 40 };

typedef struct matrices { double M[MOST * MOST], G[MOST * MOST]; } matrices;

/* M = R^T R + I, and G with every third entry zero. */
static void fill_random(matrices *a, int n, int m, uint64_t *seed)
{
    static double R[MOST * MOST];
    numbers(seed, R, (size_t)(n * n));
    numbers(seed, a->G, (size_t)(m * n));
    for (int k = 1; k < m * n; k += 3) a->G[k] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a->M[i * n + j] = i == j;
            for (int k = 0; k < n; k++) a->M[i * n + j] += R[k * n + i] * R[k * n + j];
        }
}

/* Both ways are stable: they differ by the condition number (here < 1e7) times rounding. */
static void same_solution(const matrices *a, int n, int m, uint64_t *seed)
{
    double x[MOST], l[MOST], once[MOST], once_l[MOST];
    saddle *s = NULL;
    assert_int_equal(saddle_create(&s, n, m), 0);
    numbers(seed, x, (size_t)n);
    numbers(seed, l, (size_t)m);
    memcpy(once, x, (size_t)n * sizeof *x);
    memcpy(once_l, l, (size_t)m * sizeof *l);
    assert_int_equal(saddle_solve_once(s, a->M, a->G, once, once_l), 0);
    assert_int_equal(saddle_factor(s, a->M, a->G), 0);
    saddle_solve(s, 1, x, l);
    double scale = 1 + largest_entry(x, (size_t)n);
    for (int i = 0; i < n; i++) assert_true(fabs(x[i] - once[i]) <= 1e7 * DBL_EPSILON * scale);
    saddle_free(s);
}

static void random_systems(void **state)
{
    static const int sizes[][2] = {{1, 0}, {1, 1}, {2, 1}, {3, 1}, {3, 2}, {4, 2}, {4, 4}, {5, 1},
                                   {7, 6}, {7, 3}, {8, 4}, {12, 7}, {30, 20}, {31, 29}, {40, 30}};
    static matrices a;
    uint64_t seed = 7;
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        fill_random(&a, sizes[k][0], sizes[k][1], &seed);
        same_solution(&a, sizes[k][0], sizes[k][1], &seed);
    }
}

/* M need only be definite on ker G. */
static void singular_mass(void **state)
{
    static matrices a = {.M = {0, 0, 0, 0, 1, 0, 0, 0, 2}, .G = {1, 0.5, 0}};
    uint64_t seed = 9;
    (void)state;
    same_solution(&a, 3, 1, &seed);
}

static void dependent_rows(void **state)
{
    static matrices a;
    double x[4] = {1, 2, 3, 4}, l[3] = {1, 2, 3};
    uint64_t seed = 11;
    saddle *s = NULL;
    (void)state;
    fill_random(&a, 4, 3, &seed);
    for (int j = 0; j < 4; j++) a.G[8 + j] = a.G[j] - 2 * a.G[4 + j];
    assert_int_equal(saddle_create(&s, 4, 3), 0);
    assert_int_equal(saddle_solve_once(s, a.M, a.G, x, l), 3);
    saddle_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems), cmocka_unit_test(singular_mass),
        cmocka_unit_test(dependent_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
