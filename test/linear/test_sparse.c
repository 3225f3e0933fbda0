/* test_sparse.c -- how sparse systems are ordered, and what they remember.
 *
 * Minimum degree is what KLU does when the spec claims a diagonal mass matrix without zeros: with
 * the same numbers, the fill of that order is the measure for the one that is chosen.
 */
#include "linear/sparse.h"
#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "triplets.h"

static int is_unsupported(void)
{
    linear_system *s;
    linear_spec spec = { .n = 1, .storage = KEEL_SPARSE, .real_slots = 1 };
    int status = linear_create(&s, &spec);
    linear_free(s);
    return status == KEEL_UNSUPPORTED;
}

/* -J of incompressible flow on k x k cells, staggered: two velocities and a pressure per cell,
 * viscosity on the grid, gradient and divergence; the entries of u' are the diagonal. */
static keel_matrix flow(int k)
{
    triplets t = { 0 };
    int cells = k * k;
    for (int q = 0; q < 2; q++)
        for (int c = 0; c < cells; c++) {
            int a = q * cells + c, p = 2 * cells + c, inside = q ? c >= k : c % k > 0;
            int before = q ? p - k : p - 1;
            if (c % k + 1 < k) join(&t, a, a + 1, -0.01 * cells);
            if (c + k < cells) join(&t, a, a + k, -0.01 * cells);
            put(&t, a, p, k), put(&t, p, a, -k);
            if (inside) put(&t, a, before, -k), put(&t, before, a, k);
        }
    return compress(&t, 3 * cells, 3 * cells);
}

/* -J of k x k nodes joined by resistors, and sources between nodes, with their currents. */
static keel_matrix circuit(int k, int sources, uint64_t *seed)
{
    triplets t = { 0 };
    int nodes = k * k;
    for (int a = 0; a < nodes; a++) {
        if (a % k + 1 < k) join(&t, a, a + 1, -2 - number(seed));
        if (a + k < nodes) join(&t, a, a + k, -2 - number(seed));
    }
    for (int i = 0; i < sources; i++) {
        int a = i * (nodes / sources), b = (a + 2 * k + 3) % nodes;
        put(&t, a, nodes + i, 1), put(&t, nodes + i, a, 1);
        put(&t, b, nodes + i, -1), put(&t, nodes + i, b, -1);
    }
    return compress(&t, nodes + sources, nodes + sources);
}

/* Factors 100 D - J with D = 1 for unknowns before `differential` and solves for ones; the fill.
 * claimed: the spec says that the diagonal of D has no zeros. */
static long factor(const keel_matrix *J, int differential, int claimed, linear_package package, double *x)
{
    int n = J->rows;
    double *diagonal = vector((size_t)n), *ones = vector((size_t)n);
    for (int i = 0; i < n; i++) ones[i] = x[i] = 1, diagonal[i] = i < differential;
    linear_system *s;
    linear_spec spec = { n, J->pattern, KEEL_SPARSE, 1, 0, claimed ? ones : diagonal, package };
    assert_int_equal(linear_create(&s, &spec), 0);
    assert_int_equal(linear_factor(s, 0, 100, (linear_mass){ .diagonal = diagonal }, J), 0);
    long fill = linear_fill(s, 0);
    linear_solve(s, 0, x);
    free(diagonal), free(ones), linear_free(s);
    return fill;
}

static void flow_is_not_ordered_by_minimum_degree(void **state)
{
    (void)state;
    if (is_unsupported()) skip();
    for (int k = 16; k <= 32; k *= 2) {
        keel_matrix J = flow(k);
        double *x = vector((size_t)J.rows), *y = vector((size_t)J.rows);
        long chosen = factor(&J, 2 * k * k, 0, LINEAR_KLU, x);
        long minimum_degree = factor(&J, 2 * k * k, 1, LINEAR_KLU, y);
        assert_true(chosen > 0 && (1 + k / 16) * chosen <= minimum_degree);
        double size = largest_entry(y, (size_t)J.rows);
        for (int i = 0; i < J.rows; i++) assert_true(fabs(x[i] - y[i]) <= 1e-8 * size);
        free(x), free(y), matrix_free(&J);
    }
}

/* A zero on the diagonal alone changes nothing: the same order, the same bits. */
static void circuits_are_ordered_by_minimum_degree(void **state)
{
    const int sources[] = { 1, 10, 30 };
    uint64_t seed = 3;
    (void)state;
    if (is_unsupported()) skip();
    for (int c = 0; c < 3; c++) {
        keel_matrix J = circuit(30, sources[c], &seed);
        double *x = vector((size_t)J.rows), *y = vector((size_t)J.rows);
        long chosen = factor(&J, 900, 0, LINEAR_KLU, x);
        long minimum_degree = factor(&J, 900, 1, LINEAR_KLU, y);
        assert_int_equal(chosen, minimum_degree);
        assert_memory_equal(x, y, (size_t)J.rows * sizeof *x);
        free(x), free(y), matrix_free(&J);
    }
}

static int has_umfpack(void)
{
    linear_system *s = NULL;
    linear_spec spec = { .n = 1, .storage = KEEL_SPARSE, .real_slots = 1, .package = LINEAR_UMFPACK };
    int status = linear_create(&s, &spec);
    linear_free(s);
    return status == KEEL_OK;
}

/* The same equations: KLU and UMFPACK solve them alike, and UMFPACK with less fill than minimum degree of the
 * pressures would have; where neither was asked for, size decides. */
static void packages_agree(void **state)
{
    enum { k = 24 };
    keel_matrix J = flow(k);
    size_t n = (size_t)J.rows;
    double *x = vector(n), *y = vector(n), *z = vector(n);
    (void)state;
    if (is_unsupported() || !has_umfpack()) skip();
    long klu = factor(&J, 2 * k * k, 0, LINEAR_KLU, x), umfpack = factor(&J, 2 * k * k, 0, LINEAR_UMFPACK, y);
    assert_true(umfpack > 0 && umfpack != klu && umfpack < 2 * klu);
    assert_int_equal(factor(&J, 2 * k * k, 0, LINEAR_BY_SIZE, z), klu);       /* 1728 unknowns are few */
    double size = largest_entry(x, n);
    for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-8 * size);
    free(x), free(y), free(z), matrix_free(&J);
}

/* Entries that the analysis expected of a factorization, and those that it has. */
typedef struct expectation {
    double least, most;
    long fill;
} expectation;

static expectation expect(const keel_matrix *J, int differential, linear_package package)
{
    int n = J->rows;
    double *diagonal = vector((size_t)n);
    for (int i = 0; i < n; i++) diagonal[i] = i < differential;
    linear_system *s;
    linear_spec spec = { n, J->pattern, KEEL_SPARSE, 1, 1, diagonal, package };
    assert_int_equal(linear_create(&s, &spec), 0);
    linear_memory memory = linear_memory_of(s);
    double index = package == LINEAR_UMFPACK ? 1 : sizeof(int), entries = 3 * sizeof(double) + 2 * index;
    assert_int_equal(linear_factor(s, 0, 100, (linear_mass){ .diagonal = diagonal }, J), 0);
    assert_int_equal(linear_factor_complex(s, 0, 100, 50, (linear_mass){ .diagonal = diagonal }, J), 0);
    expectation e = { memory.least / entries, memory.most / entries, linear_fill(s, 0) };
    assert_true((double)linear_fill(s, 1) <= 1.3 * (double)e.fill);      /* the same order, other pivots */
    free(diagonal), linear_free(s);
    return e;
}

/* Where pivots stay on the diagonal the count is that of minimum degree; of any pivots it is a bound.  UMFPACK
 * orders such a matrix by minimum degree, too, and so has the fill of KLU. */
static void factors_are_as_large_as_expected(void **state)
{
    uint64_t seed = 5;
    (void)state;
    if (is_unsupported()) skip();
    keel_matrix grid = circuit(40, 0, &seed), J = flow(24);
    expectation e = expect(&grid, 1600, LINEAR_KLU);
    assert_true(e.least == e.most && fabs(e.most - (double)e.fill) <= 0.01 * (double)e.fill);
    expectation f = expect(&J, 2 * 24 * 24, LINEAR_KLU);
    assert_true((double)f.fill <= f.most && f.most <= 4 * (double)f.fill && f.least < f.most);
    if (has_umfpack()) {
        expectation u = expect(&grid, 1600, LINEAR_UMFPACK), v = expect(&J, 2 * 24 * 24, LINEAR_UMFPACK);
        assert_true(u.least == u.most && fabs(u.most - (double)u.fill) <= 0.05 * (double)u.fill);
        assert_true((double)u.fill <= 1.1 * (double)e.fill);
        assert_true((double)v.fill <= v.most && v.most <= 4 * (double)v.fill);
    }
    matrix_free(&grid), matrix_free(&J);
}

/* A bound by hand: [x . x; . x x; x x x] in its order.  Column 0: rows 0, 2 with the union {0,2,1}: 3 + 2 - 1 = 4.
 * Column 1: row 1 {1,2} and the group {1,2}: 2 + 2 - 1 = 3.  Column 2: one row: 1. */
static void merged_rows_by_hand(void **state)
{
    int start[] = { 0, 2, 4, 7 }, row[] = { 0, 2, 1, 2, 0, 1, 2 }, order[] = { 0, 1, 2 };
    sparse_shape shape = { .n = 3, .real_slots = 1, .slots = 1, .start = start, .row = row };
    (void)state;
    linear_memory e = expect_any_pivots(&shape, order);
    assert_true(e.least == 7 && e.most == 4 + 3 + 1 + 3);    /* and the ones of L */
}

/* A singular matrix, real and complex, is found by both, and named by an unknown of its null space; a matrix that is
 * not is factored afterwards. */
static void packages_find_what_is_singular(void **state)
{
    int start[] = { 0, 2, 4, 6 }, row[] = { 0, 1, 0, 1, 1, 2 };
    double singular[] = { -1, -2, -2, -4, -3, -5 }, regular[] = { -1, -2, -2, -5, -3, -5 };
    double zero[3] = { 0 };
    const linear_package packages[] = { LINEAR_KLU, LINEAR_UMFPACK };
    (void)state;
    for (int p = 0; p < 2; p++) {
        linear_system *s;
        linear_spec spec = { 3, { KEEL_SPARSE, 0, 0, start, row }, KEEL_SPARSE, 1, 1, zero, packages[p] };
        if (linear_create(&s, &spec) == KEEL_UNSUPPORTED) continue;
        keel_matrix A = { 3, 3, spec.pattern, singular, -1, -1 }, B = { 3, 3, spec.pattern, regular, -1, -1 };
        int rc = linear_factor(s, 0, 0, (linear_mass){ .diagonal = zero }, &A);
        assert_true(rc == 1 || rc == 2);                    /* columns 0 and 1 depend on each other */
        rc = linear_factor_complex(s, 0, 0, 0, (linear_mass){ .diagonal = zero }, &A);
        assert_true(rc == 1 || rc == 2);
        double b[] = { 3, 10, 5 }, re[] = { 3, 10, 5 }, im[] = { 0, 0, 0 };     /* x = (1, 1, 1) */
        assert_int_equal(linear_factor(s, 0, 0, (linear_mass){ .diagonal = zero }, &B), 0);
        assert_int_equal(linear_factor_complex(s, 0, 0, 0, (linear_mass){ .diagonal = zero }, &B), 0);
        linear_solve(s, 0, b);
        linear_solve_complex(s, 0, re, im);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(b[i] - 1) < 1e-14 && fabs(re[i] - 1) < 1e-14 && fabs(im[i]) < 1e-14);
        }
        regular[0] = NAN;
        assert_true(linear_factor(s, 0, 0, (linear_mass){ .diagonal = zero }, &B) > 0);
        regular[0] = -1;
        linear_free(s);
    }
}

/* Factors matrices with less and less on the diagonal and solves, real and complex. */
static void run(linear_system *s, keel_matrix *J, const double *zero, double *x)
{
    int n = J->rows;
    uint64_t seed = 8;
    for (double diagonal = 2; diagonal > 1e-9; diagonal /= 100) {
        matrix_zero(J);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (keel_entry(J, i, j)) keel_put(J, i, j, i == j ? diagonal : number(&seed));
        J->stray_row = J->stray_column = -1;
        numbers(&seed, x, (size_t)(3 * n));
        assert_int_equal(linear_factor(s, 0, 1, (linear_mass){ .diagonal = zero }, J), 0);
        assert_int_equal(linear_factor_complex(s, 0, 1, 2, (linear_mass){ .diagonal = zero }, J), 0);
        linear_solve(s, 0, x);
        linear_solve_complex(s, 0, x + n, x + 2 * n);
        x += 3 * n;
    }
}

/* The pivots of the last matrix serve for the first of the next run, with other rounding errors,
 * unless they are forgotten. */
static void forgotten_pivots(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int storage = 0; storage < 3; storage++) {
        if (storage == KEEL_SPARSE && is_unsupported()) continue;
        keel_matrix J = circuit(6, 3, &seed);
        int n = J.rows;
        size_t count = (size_t)(3 * n * 5);
        double *zero = vector((size_t)n), *x = vector(count), *y = vector(count);
        keel_pattern band = { .storage = KEEL_BAND, .lower = n, .upper = n };
        keel_matrix full = { n, n, band, vector(matrix_storage(n, n, &band)), -1, -1 };
        keel_matrix *used = storage == KEEL_BAND ? &full : &J;
        linear_system *s;
        linear_spec spec = { n, used->pattern, (keel_storage)storage, 1, 1, zero, LINEAR_KLU };
        assert_int_equal(linear_create(&s, &spec), 0);
        run(s, used, zero, x);
        run(s, used, zero, y);
        assert_int_equal(memcmp(x, y, count * sizeof *x) != 0, storage == KEEL_SPARSE);
        linear_forget(s);
        run(s, used, zero, y);
        assert_memory_equal(x, y, count * sizeof *x);
        linear_forget(s);
        linear_forget(s);
        free(zero), free(x), free(y), free(full.values), matrix_free(&J), linear_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_is_not_ordered_by_minimum_degree),
        cmocka_unit_test(circuits_are_ordered_by_minimum_degree),
        cmocka_unit_test(packages_agree),
        cmocka_unit_test(factors_are_as_large_as_expected),
        cmocka_unit_test(merged_rows_by_hand),
        cmocka_unit_test(packages_find_what_is_singular),
        cmocka_unit_test(forgotten_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
