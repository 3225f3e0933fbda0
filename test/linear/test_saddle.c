/* test_saddle.c -- [M G^T; G 0] solves against residuals, in every branch of saddle_factor.
 *
 * M = R^T R + I and random G are well conditioned: residuals are bounded by c (n + m)^2 eps
 * times the size of the terms in each row.
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

enum { WIDTH = 12 };

static const struct { int n, m; } sizes[] = {
    { 1, 0 }, { 1, 1 }, { 2, 1 }, { 2, 2 }, { 3, 1 }, { 4, 2 }, { 5, 0 }, { 5, 5 }, { 7, 6 },
    { 7, 2 }, { 7, 3 }, { 8, 8 }, { 10, 4 }, { 12, 7 }, { 20, 3 }, { 20, 17 }, { 40, 20 }, { 60, 10 },
    { 100, 0 }, { 100, 30 }, { 100, 80 }, { 100, 100 },
};
#define EACH_SIZE for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)

typedef struct system_ {
    int n, m;
    double *M, *G, *x, *l, *a, *b;       /* x, l: solutions; a, b: right-hand sides */
    saddle *s;
} system_;

static system_ random_system(int n, int m, uint64_t *seed)
{
    size_t nn = (size_t)(n * n), length = (size_t)(WIDTH * n), rows = (size_t)(WIDTH * m);
    system_ e = { n, m, vector(nn), vector((size_t)(m * n)), vector(length), vector(rows),
                  vector(length), vector(rows), NULL };
    double *r = vector(nn);
    numbers(seed, r, nn);
    numbers(seed, e.G, (size_t)(m * n));
    numbers(seed, e.a, length);
    numbers(seed, e.b, rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j;
            for (int k = 0; k < n; k++) sum += r[k * n + i] * r[k * n + j];
            e.M[i * n + j] = sum;
        }
    free(r);
    assert_int_equal(saddle_create(&e.s, n, m), 0);
    return e;
}

static void system_free(system_ *e)
{
    free(e->M), free(e->G), free(e->x), free(e->l), free(e->a), free(e->b);
    saddle_free(e->s);
}

static void solve(system_ *e, int count)
{
    memcpy(e->x, e->a, (size_t)(count * e->n) * sizeof *e->x);
    memcpy(e->l, e->b, (size_t)(count * e->m) * sizeof *e->l);
    saddle_solve(e->s, count, e->x, e->l);
}

/* Largest residual of right-hand side c, each row relative to the size of its terms, over eps. */
static double residual(const system_ *e, int c)
{
    int n = e->n, m = e->m;
    const double *x = e->x + c * n, *l = e->l + c * m;
    double worst = 0;
    for (int i = 0; i < n + m; i++) {
        double rest = i < n ? -e->a[c * n + i] : -e->b[c * m + i - n], size = fabs(rest);
        const double *row = i < n ? e->M + i * n : e->G + (i - n) * n;
        for (int j = 0; j < n; j++) {
            rest += row[j] * x[j];
            size += fabs(row[j] * x[j]);
        }
        for (int k = 0; i < n && k < m; k++) {
            rest += e->G[k * n + i] * l[k];
            size += fabs(e->G[k * n + i] * l[k]);
        }
        double error = fabs(rest) / (size * DBL_EPSILON);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void check_solutions(system_ *e, double bound)
{
    for (int count = 1; count <= WIDTH; count++) {
        memset(e->x, 0, (size_t)(WIDTH * e->n) * sizeof *e->x);
        solve(e, count);
        for (int c = 0; c < count; c++) assert_true(residual(e, c) <= bound);
        assert_true(count == WIDTH || e->x[count * e->n] == 0);
    }
}

static double bound(const system_ *e) { return 20 + 2.0 * (e->n + e->m) * (e->n + e->m); }

static void random_systems(void **state)
{
    (void)state;
    uint64_t seed = 3;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
        check_solutions(&e, bound(&e));
        system_free(&e);
    }
}

/* The same solution whatever the units of M and of each row of G. */
static void units_do_not_matter(void **state)
{
    (void)state;
    uint64_t seed = 31;
    const double masses[] = { 1e-9, 1e-6, 1e6, 1e12 };
    EACH_SIZE
        for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
            system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
            for (int i = 0; i < e.n * e.n; i++) e.M[i] *= masses[k];
            for (int i = 0; i < e.m; i++) {
                double unit = pow(10, 6 * number(&seed));
                for (int j = 0; j < e.n; j++) e.G[i * e.n + j] *= unit;
                for (int c = 0; c < WIDTH; c++) e.b[c * e.m + i] *= unit;
            }
            for (int i = 0; i < WIDTH * e.n; i++) e.a[i] *= masses[k];
            assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
            check_solutions(&e, 50 * bound(&e));
            system_free(&e);
        }
}

/* Diagonal M and G with leading zeros, as particles have: rows start late in L D L^T. */
static void zeros_are_skipped(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int n = 4; n <= 40; n += 6) {
        system_ e = random_system(n, n / 4, &seed);
        for (int i = 0; i < n * n; i++)
            if (i / n != i % n) e.M[i] = 0;
        for (int k = 0; k < e.m; k++)
            for (int j = 0; j < n; j++)
                if (j < 3 * k || j > 3 * k + 4) e.G[k * n + j] = 0;
        assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
        check_solutions(&e, bound(&e));
        system_free(&e);
    }
}

/* M = 0 in directions that G fixes. */
static void singular_mass_is_enough(void **state)
{
    (void)state;
    uint64_t seed = 12;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        int n = e.n, m = e.m;
        for (int k = 0; k < m / 2 + m % 2; k++)
            for (int i = 0; i < n; i++) e.M[k * n + i] = e.M[i * n + k] = 0;
        assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
        check_solutions(&e, 200 * bound(&e));
        system_free(&e);
    }
}

/* M = diag(1, -1, ...) and G fixing the last positions: indefinite on ker G where n - m > 1. */
static void make_indefinite(system_ *e)
{
    for (int i = 0; i < e->n * e->n; i++) e->M[i] = 0;
    for (int i = 0; i < e->n; i++) e->M[i * e->n + i] = i % 2 ? -1 : 1;
    memset(e->G, 0, (size_t)(e->m * e->n) * sizeof *e->G);
    for (int k = 0; k < e->m; k++) e->G[k * e->n + e->n - 1 - k] = 1;
}

static void indefinite_mass_goes_to_lu(void **state)
{
    (void)state;
    uint64_t seed = 14;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        make_indefinite(&e);
        assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
        check_solutions(&e, bound(&e));
        system_free(&e);
    }
}

/* `count` vectors of n entries one after the other, side by side as [i*count + c]. */
static double *side_by_side(int n, int count, const double *x)
{
    double *lanes = aligned_alloc(32, (size_t)(n * count + 4) * sizeof *lanes);
    if (!lanes) abort();
    for (int i = 0; i < n; i++)
        for (int c = 0; c < count; c++) lanes[i * count + c] = x[c * n + i];
    return lanes;
}

/* Vector instructions may contract products and sums: answers agree to rounding, not to bits. */
static void check_lanes(system_ *e, int w)
{
    int n = e->n, m = e->m;
    double *x = side_by_side(n, w, e->a), *l = side_by_side(m, w, e->b);
    solve(e, w);
    saddle_solve_lanes(e->s, w, x, l);
    double size = largest_entry(e->x, (size_t)(w * n)) + largest_entry(e->l, (size_t)(w * m));
    for (int c = 0; c < w; c++) {
        for (int i = 0; i < n; i++)
            assert_true(fabs(x[i * w + c] - e->x[c * n + i]) <= 1e-12 * size);
        for (int k = 0; k < m; k++)
            assert_true(fabs(l[k * w + c] - e->l[c * m + k]) <= 1e-12 * size);
    }
    free(x), free(l);
}

static void lanes_agree_with_single_solves(void **state)
{
    (void)state;
    uint64_t seed = 41;
    const struct { int n, m; saddle_kind kind; } cases[] = {
        { 2, 1, SADDLE_SMALL }, { 3, 3, SADDLE_SMALL }, { 7, 3, SADDLE_SMALL }, { 7, 6, SADDLE_SMALL },
        { 8, 8, SADDLE_SMALL }, { 12, 7, SADDLE_NULL_SPACE }, { 9, 9, SADDLE_NULL_SPACE },
        { 1, 0, SADDLE_LDL }, { 7, 0, SADDLE_LDL }, { 7, 2, SADDLE_LDL }, { 20, 3, SADDLE_LDL },
        { 7, 2, SADDLE_LU }, { 12, 7, SADDLE_LU }, { 40, 20, SADDLE_LU },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        system_ e = random_system(cases[k].n, cases[k].m, &seed);
        if (cases[k].kind == SADDLE_LU) make_indefinite(&e);
        assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
        assert_int_equal(e.s->kind, cases[k].kind);
        for (int w = 4; w <= WIDTH; w += 4) check_lanes(&e, w);
        system_free(&e);
    }
}

static void singular_on_kernel_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 15;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        int n = e.n;
        if (e.m < n) {
            /* M := M P with P projecting out a vector z of ker G = { x_0 = ... = x_{m-1} = 0 } */
            memset(e.G, 0, (size_t)(e.m * n) * sizeof *e.G);
            for (int k = 0; k < e.m; k++) e.G[k * n + k] = 1;
            for (int i = 0; i < n; i++) e.M[i * n + n - 1] = e.M[(n - 1) * n + i] = 0;
            assert_int_equal(saddle_factor(e.s, e.M, e.G), -1);
        }
        system_free(&e);
    }
}

/* Row k := a combination of the rows before it, or zero. */
static void redundant_row_is_named(void **state)
{
    (void)state;
    uint64_t seed = 21;
    EACH_SIZE
        for (int k = 0; k < sizes[at].m; k += 1 + sizes[at].m / 9) {
            system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
            int n = e.n;
            double p = number(&seed), q = number(&seed), unit = pow(10, 8 * number(&seed));
            for (int j = 0; j < n; j++)
                e.G[k * n + j] = k == 0 ? 0 : unit * (p * e.G[j] + q * e.G[(k - 1) * n + j]);
            assert_int_equal(saddle_factor(e.s, e.M, e.G), k + 1);
            system_free(&e);
        }
}

/* Rows at an angle of 1e-5 are independent: answers lose digits, but none is refused. */
static void nearly_parallel_rows_are_accepted(void **state)
{
    (void)state;
    uint64_t seed = 22;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        int n = e.n;
        if (e.m >= 2) {
            for (int j = 0; j < n; j++) e.G[n + j] = 3 * e.G[j] + 1e-5 * number(&seed);
            assert_int_equal(saddle_factor(e.s, e.M, e.G), 0);
            check_solutions(&e, 1000 * bound(&e));
        }
        system_free(&e);
    }
}

static void not_finite_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 23;
    EACH_SIZE {
        system_ e = random_system(sizes[at].n, sizes[at].m, &seed);
        if (e.m) {
            e.G[e.n * e.m - 1] = NAN;
            assert_int_equal(saddle_factor(e.s, e.M, e.G), e.m);
            e.G[e.n * e.m - 1] = 0.5;
        }
        if (e.m < e.n) {
            e.M[e.n * e.n - 1] = NAN;
            assert_int_equal(saddle_factor(e.s, e.M, e.G), -1);
        }
        system_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(zeros_are_skipped),
        cmocka_unit_test(singular_mass_is_enough),
        cmocka_unit_test(indefinite_mass_goes_to_lu),
        cmocka_unit_test(lanes_agree_with_single_solves),
        cmocka_unit_test(singular_on_kernel_is_refused),
        cmocka_unit_test(redundant_row_is_named),
        cmocka_unit_test(nearly_parallel_rows_are_accepted),
        cmocka_unit_test(not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
