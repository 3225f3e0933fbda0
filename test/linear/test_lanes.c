/* test_lanes.c -- combinations of vectors of every length beside plain sums; nothing beyond them is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "linear/lanes.h"

enum { MOST = 8, LONGEST = 11 };

static double some(int k) { return cos(1.7 * k + 0.3); }

/* A sum of `count` products errs by count eps of the sum of their sizes; Y has memory of
 * its own, so that a sanitizer sees what is read beyond it. */
static void combination(int rows, int count, int n)
{
    double c[MOST * MOST], X[MOST * LONGEST + 4], *Y = malloc((size_t)(count * n) * sizeof *Y);
    assert_non_null(Y);
    for (int k = 0; k < rows * count; k++) c[k] = some(k);
    for (int k = 0; k < count * n; k++) Y[k] = some(3 * k + 1);
    for (int k = 0; k < rows * n + 4; k++) X[k] = 7;
    vectors_combine(rows, count, n, c, Y, X);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0, size = 0;
            for (int j = 0; j < count; j++) {
                sum += c[i * count + j] * Y[j * n + k];
                size += fabs(c[i * count + j] * Y[j * n + k]);
            }
            assert_true(fabs(X[i * n + k] - sum) <= 2 * count * DBL_EPSILON * size);
        }
    for (int k = rows * n; k < rows * n + 4; k++) assert_true(X[k] == 7);
    free(Y);
}

static void combinations(void **state)
{
    (void)state;
    for (int rows = 1; rows <= MOST; rows++)
        for (int count = 1; count <= MOST; count++)
            for (int n = 1; n <= LONGEST; n++) combination(rows, count, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(combinations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
