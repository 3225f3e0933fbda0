/* test_shifted.c -- (shift M - J) x = b in dense, band and sparse storage, real and complex. */
#include "linear/linear.h"
#include "numbers.h"

#include <complex.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 3, or 2 in a build without sparse systems. */
static int storages(void)
{
    const int start[] = { 0, 1 }, row[] = { 0 };
    linear_spec spec = { 1, { KEEL_SPARSE, 0, 0, start, row }, KEEL_SPARSE, 1, 0, NULL, LINEAR_BY_SIZE };
    linear_system *s;
    int status = linear_create(&s, &spec);
    linear_free(s);
    return status == KEEL_UNSUPPORTED ? 2 : 3;
}

/* A pattern with the arrays it points to. */
typedef struct pattern_ { keel_pattern pattern; int *start, *row; } pattern_;

static pattern_ dense_pattern(void) { return (pattern_){ .pattern = { .storage = KEEL_DENSE } }; }

static pattern_ band_pattern(int lower, int upper)
{
    return (pattern_){ .pattern = { .storage = KEEL_BAND, .lower = lower, .upper = upper } };
}

/* Band of two and a few far entries; without the diagonal where `skip` divides j + 1. */
static pattern_ sparse_pattern(int n, int skip)
{
    pattern_ p = { .start = calloc((size_t)n + 1, sizeof(int)),
                   .row = calloc((size_t)n * (size_t)n, sizeof(int)) };
    int count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if ((abs(i - j) <= 2 || (7 * i + 3 * j) % 11 == 0) && !(i == j && (j + 1) % skip == 0))
                p.row[count++] = i;
        p.start[j + 1] = count;
    }
    p.pattern = (keel_pattern){ .storage = KEEL_SPARSE, .column_start = p.start,
                                .row_index = p.row };
    return p;
}

static void pattern_free(pattern_ *p) { free(p->start), free(p->row); }

static keel_matrix new_matrix(int n, const keel_pattern *pattern)
{
    keel_matrix a = { n, n, *pattern, vector(matrix_storage(n, n, pattern)), -1, -1 };
    return a;
}

static void random_matrix(keel_matrix *a, uint64_t *seed)
{
    matrix_zero(a);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++) keel_put(a, i, j, number(seed));
    a->stray_row = a->stray_column = -1;
}

/* Largest residual of (re + i im) M x - J x = b over eps, rows relative to their terms. */
static double residual(int n, double complex shift, linear_mass mass, const keel_matrix *J,
                       const double *x_re, const double *x_im, const double *b_re,
                       const double *b_im)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double complex rest = -(b_re[i] + I * b_im[i]);
        double size = cabs(rest);
        for (int j = 0; j < n; j++) {
            double m = mass.diagonal ? (i == j ? mass.diagonal[j] : 0)
                                     : matrix_get(mass.matrix, i, j);
            double complex term = (shift * m - matrix_get(J, i, j)) * (x_re[j] + I * x_im[j]);
            rest += term;
            size += cabs(term);
        }
        double error = cabs(rest) / (size * DBL_EPSILON);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

/* Two real and two complex slots at the same time, several rounds of new values. */
static void check_system(int n, const keel_pattern *pattern, keel_storage storage, int diagonal)
{
    uint64_t seed = (uint64_t)n;
    linear_system *s;
    linear_spec spec = { n, *pattern, storage, 2, 2, NULL, LINEAR_BY_SIZE };
    assert_int_equal(linear_create(&s, &spec), 0);
    keel_matrix J = new_matrix(n, pattern), M = new_matrix(n, pattern);
    size_t length = (size_t)n;
    double *d = vector(length), *b = vector(2 * length), *x = vector(2 * length);
    double *zero = vector(length);
    linear_mass mass = {.diagonal = diagonal ? d : NULL, .matrix = diagonal ? NULL : &M};
    const double complex shifts[4] = { 3, -40, 2 + 5 * I, 30 - I };
    for (int round = 0; round < 4; round++) {
        random_matrix(&J, &seed);
        random_matrix(&M, &seed);
        for (int i = 0; i < n; i++) d[i] = 2 + number(&seed);
        for (int i = 0; i < n; i++)
            if (keel_entry(&M, i, i)) keel_add(&M, i, i, 3);
        for (int k = 0; k < 4; k++) {
            double re = creal(shifts[k]), im = cimag(shifts[k]);
            int status = k < 2 ? linear_factor(s, k, re, mass, &J)
                               : linear_factor_complex(s, k - 2, re, im, mass, &J);
            assert_int_equal(status, 0);
        }
        for (int k = 0; k < 4; k++) {
            numbers(&seed, b, 2 * length);
            memcpy(x, b, 2 * length * sizeof *b);
            if (k < 2) linear_solve(s, k, x);
            else linear_solve_complex(s, k - 2, x, x + n);
            const double *b_im = k < 2 ? zero : b + n, *x_im = k < 2 ? zero : x + n;
            /* sparse: old pivots may cost up to two digits */
            double bound = (storage == KEEL_SPARSE ? 500 : 5) * (4 + n);
            assert_true(residual(n, shifts[k], mass, &J, x, x_im, b, b_im) <= bound);
        }
    }
    free(J.values), free(M.values), free(d), free(b), free(x), free(zero);
    linear_free(s);
}

static void each_storage(void **state)
{
    (void)state;
    const int sizes[] = { 1, 2, 3, 5, 8, 20, 45, 110 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        pattern_ patterns[] = { dense_pattern(), band_pattern(2, 1), band_pattern(0, 3), band_pattern(7, 2),
                                band_pattern(12, 12), band_pattern(13, 5), sparse_pattern(n, 1000),
                                sparse_pattern(n, 3) };
        const int count = sizeof patterns / sizeof *patterns;
        for (int p = 0; p < count; p++)
            for (int diagonal = 0; diagonal < 2; diagonal++) {
                const keel_pattern *pattern = &patterns[p].pattern;
                if (p == count - 1 && !diagonal) continue;       /* might be singular */
                check_system(n, pattern, KEEL_DENSE, diagonal);
                if (pattern->storage == KEEL_BAND) check_system(n, pattern, KEEL_BAND, diagonal);
                if (storages() == 3) check_system(n, pattern, KEEL_SPARSE, diagonal);
            }
        for (int p = 0; p < count; p++) pattern_free(patterns + p);
    }
}

/* Unknown k appears nowhere, or appears like unknown k - 1: reported for every storage. */
static void missing_pivot_names_unknown(void **state)
{
    (void)state;
    uint64_t seed = 77;
    const int n = 30;
    pattern_ band = band_pattern(3, 3);
    for (int storage = 0; storage < storages(); storage++) {
        pattern_ sparse = sparse_pattern(n, 1000);
        const keel_pattern *pattern = storage == KEEL_SPARSE ? &sparse.pattern : &band.pattern;
        linear_system *s;
        linear_spec spec = { n, *pattern, (keel_storage)storage, 1, 1, NULL, LINEAR_BY_SIZE };
        assert_int_equal(linear_create(&s, &spec), 0);
        keel_matrix J = new_matrix(n, pattern);
        double diagonal[30] = { 0 };
        linear_mass mass = {.diagonal = diagonal};
        for (int k = 0; k < n; k++) {
            random_matrix(&J, &seed);
            assert_int_equal(linear_factor(s, 0, 1, mass, &J), 0);
            assert_int_equal(linear_factor_complex(s, 0, 1, 2, mass, &J), 0);
            for (int i = 0; i < n; i++) keel_put(&J, i, k, 0);
            assert_int_equal(linear_factor(s, 0, 1, mass, &J), k + 1);
            assert_int_equal(linear_factor_complex(s, 0, 1, 2, mass, &J), k + 1);
        }
        free(J.values), pattern_free(&sparse), linear_free(s);
    }
}

/* Column q := 0.3 of column p.  Band and dense keep the order of unknowns and name q; sparse
 * orders anew and may name either. */
static void dependent_unknowns_are_found(void **state)
{
    (void)state;
    uint64_t seed = 78;
    const int n = 30;
    for (int storage = 0; storage < storages(); storage++) {
        pattern_ full = band_pattern(n, n), sparse = sparse_pattern(n, 1000);
        linear_system *s;
        const keel_pattern *pattern = storage == KEEL_SPARSE ? &sparse.pattern : &full.pattern;
        linear_spec spec = { n, *pattern, (keel_storage)storage, 1, 1, NULL, LINEAR_BY_SIZE };
        assert_int_equal(linear_create(&s, &spec), 0);
        keel_matrix J = new_matrix(n, pattern);
        double diagonal[30] = { 0 };
        linear_mass mass = {.diagonal = diagonal};
        for (int q = 1; q < n; q++) {
            int p = (11 * q / 3) % q;
            random_matrix(&J, &seed);
            for (int i = 0; i < n; i++) {
                int both = keel_entry(&J, i, p) && keel_entry(&J, i, q);
                double value = both ? matrix_get(&J, i, p) : 0;
                keel_put(&J, i, p, value);
                keel_put(&J, i, q, 0.3 * value);
            }
            int real = linear_factor(s, 0, 1, mass, &J);
            int complex_ = linear_factor_complex(s, 0, 1, 2, mass, &J);
            if (storage == KEEL_SPARSE) {
                assert_true(real > 0 && complex_ > 0);
            } else {
                assert_int_equal(real, q + 1);
                assert_int_equal(complex_, q + 1);
            }
        }
        free(J.values), pattern_free(&sparse), linear_free(s);
    }
}

/* Factors the n x n matrix a (row-major) as a band, real and complex; what both return. */
static int factor_band(int n, int lower, int upper, const double *a)
{
    pattern_ band = band_pattern(lower, upper);
    linear_system *s;
    linear_spec spec = { n, band.pattern, KEEL_BAND, 1, 1, NULL, LINEAR_BY_SIZE };
    assert_int_equal(linear_create(&s, &spec), 0);
    keel_matrix J = new_matrix(n, &band.pattern);
    double *zero = vector((size_t)n);
    linear_mass mass = {.diagonal = zero};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i * n + j] != 0) keel_put(&J, i, j, -a[i * n + j]);
    assert_int_equal(J.stray_row, -1);
    int real = linear_factor(s, 0, 1, mass, &J);
    assert_int_equal(linear_factor_complex(s, 0, 1, 2, mass, &J), real);
    free(J.values), free(zero), linear_free(s);
    return real;
}

/* Every step exchanges neighbours, so that row 0 travels to the end with a multiplier at another
 * place in each column.  Its last entry, 0.3 * 0.1 + 4 eps * 0.03, leaves noise of 0.3 * 0.1; only
 * the multiplier of the first step shows that. */
static void band_noise_is_found_through_interchanges(void **state)
{
    (void)state;
    for (int n = 3; n <= 12; n++) {
        double a[144] = { 0 };
        for (int i = 1; i < n; i++) a[i * n + i - 1] = 1;
        a[n + n - 1] = 0.1;
        a[0] = 0.3;
        a[n - 1] = 0.3 * 0.1 + 4 * DBL_EPSILON * 0.03;
        assert_int_equal(factor_band(n, 1, n - 1, a), n);
        a[n - 1] += 1e-10;
        assert_int_equal(factor_band(n, 1, n - 1, a), 0);
    }
}

/* Row 1 = (0, 0, 1e-16) ends up where row 2 was, whose multiplier in column 0 is 1: without
 * cancellation of its own the small pivot is exact. */
static void band_small_pivot_is_kept_through_interchanges(void **state)
{
    (void)state;
    const double a[9] = { 1, 0, 1, 0, 0, 1e-16, 1, 1, 1 };
    assert_int_equal(factor_band(3, 2, 2, a), 0);
}

/* Chain of particles with a fixed end in index-3 form, h = 1/u down to 1e-10:
 * rows and columns of very different size in every storage, none of them singular. */
static void index_3_scaling(void **state)
{
    (void)state;
    const int n = 15;                                    /* (q_i, v_i, l_i), l_i: q_i = const */
    for (int storage = 0; storage < storages(); storage++) {
        pattern_ band = band_pattern(5, 5);
        pattern_ sparse = { .start = calloc((size_t)n + 1, sizeof(int)),
                            .row = calloc((size_t)(n * n), sizeof(int)) };
        for (int j = 0, count = 0; j < n; j++) {
            for (int i = 0; i < n; i++)
                if (abs(i - j) <= 5) sparse.row[count++] = i;
            sparse.start[j + 1] = count;
        }
        sparse.pattern = (keel_pattern){ .storage = KEEL_SPARSE, .column_start = sparse.start,
                                         .row_index = sparse.row };
        const keel_pattern *pattern = storage == KEEL_SPARSE ? &sparse.pattern : &band.pattern;
        linear_system *s;
        linear_spec spec = { n, *pattern, (keel_storage)storage, 1, 1, NULL, LINEAR_BY_SIZE };
        assert_int_equal(linear_create(&s, &spec), 0);
        keel_matrix J = new_matrix(n, pattern);
        double diagonal[15];
        linear_mass mass = {.diagonal = diagonal};
        matrix_zero(&J);
        for (int i = 0; i < n; i++) {
            diagonal[i] = i % 3 < 2;
            if (i % 3 == 0) keel_put(&J, i, i + 1, 1);
            if (i % 3 == 1) {
                keel_put(&J, i, i - 1, -2);
                keel_put(&J, i, i + 1, -1);
                if (i > 3) keel_put(&J, i, i - 4, 1), keel_put(&J, i, i - 2, 0.5);
            }
            if (i % 3 == 2) {
                keel_put(&J, i, i - 2, 1);
                if (i > 3) keel_put(&J, i, i - 5, 0.5);
            }
        }
        assert_int_equal(J.stray_row, -1);
        for (double u = 1; u < 1e11; u *= 10) {
            assert_int_equal(linear_factor(s, 0, u, mass, &J), 0);
            assert_int_equal(linear_factor_complex(s, 0, u, -2 * u, mass, &J), 0);
        }
        free(J.values), pattern_free(&sparse), linear_free(s);
    }
}

/* Pivots chosen for one matrix are useless for the next: the sparse factors must notice. */
static void new_pivots_when_needed(void **state)
{
    (void)state;
    if (storages() < 3) return;
    const int n = 6;
    int start[] = { 0, 3, 6, 9, 12, 15, 18 };
    int row[] = { 0, 1, 5, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 0, 4, 5 };
    keel_pattern pattern = { .storage = KEEL_SPARSE, .column_start = start, .row_index = row };
    linear_system *s;
    linear_spec spec = { n, pattern, KEEL_SPARSE, 1, 0, NULL, LINEAR_BY_SIZE };
    assert_int_equal(linear_create(&s, &spec), 0);
    keel_matrix J = new_matrix(n, &pattern);
    double one[6] = { 1, 1, 1, 1, 1, 1 }, zero[6] = { 0 };
    linear_mass mass = {.diagonal = one};
    for (double diagonal = 1e3; diagonal > 1e-17; diagonal /= 10) {
        uint64_t seed = 4;
        random_matrix(&J, &seed);
        for (int i = 0; i < n; i++) keel_put(&J, i, i, -diagonal);
        double b[6] = { 1, 2, 3, 4, 5, 6 }, x[6] = { 1, 2, 3, 4, 5, 6 };
        assert_int_equal(linear_factor(s, 0, 0, mass, &J), 0);
        linear_solve(s, 0, x);
        assert_true(residual(n, 0, mass, &J, x, zero, b, zero) <= 1e4);
    }
    free(J.values), linear_free(s);
}

/* ---- matrices ------------------------------------------------------------------------- */

static void entries_and_products(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const int n = 12;
    pattern_ patterns[] = { dense_pattern(), band_pattern(1, 2), sparse_pattern(n, 4) };
    for (int p = 0; p < 3; p++) {
        keel_matrix a = new_matrix(n, &patterns[p].pattern);
        double full[12][12] = { { 0 } }, x[12], y[12] = { 0 };
        matrix_zero(&a);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double value = number(&seed);
                if (!keel_entry(&a, i, j)) continue;
                full[i][j] = 2 * value;
                keel_put(&a, i, j, value);
                keel_add(&a, i, j, value);
            }
        numbers(&seed, x, 12);
        matrix_multiply_add(&a, -0.5, x, y);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                assert_true(matrix_get(&a, i, j) == full[i][j]);
                sum -= 0.5 * full[i][j] * x[j];
            }
            assert_true(fabs(y[i] - sum) <= 2 * n * DBL_EPSILON);
        }
        free(a.values), pattern_free(patterns + p);
    }
}

static void first_stray_entry_is_kept(void **state)
{
    (void)state;
    pattern_ band = band_pattern(1, 0);
    keel_matrix a = new_matrix(4, &band.pattern);
    keel_put(&a, 3, 3, 1);
    assert_int_equal(a.stray_row, -1);
    keel_put(&a, 1, 2, 1);
    keel_put(&a, 0, 3, 1);
    assert_int_equal(a.stray_row, 1);
    assert_int_equal(a.stray_column, 2);
    matrix_zero(&a);
    assert_int_equal(a.stray_row, -1);
    assert_true(matrix_get(&a, 3, 3) == 0);
    assert_null(keel_entry(&a, 4, 0));
    assert_int_equal(a.stray_row, 4);
    free(a.values);
}

static void unsuitable_storage_is_refused(void **state)
{
    (void)state;
    linear_system *s;
    linear_spec spec = { 3, { .storage = KEEL_DENSE }, KEEL_BAND, 1, 1, NULL, LINEAR_BY_SIZE };
    assert_int_equal(linear_create(&s, &spec), KEEL_UNSUPPORTED);
    linear_free(NULL);
    saddle_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_storage),
        cmocka_unit_test(missing_pivot_names_unknown),
        cmocka_unit_test(dependent_unknowns_are_found),
        cmocka_unit_test(band_noise_is_found_through_interchanges),
        cmocka_unit_test(band_small_pivot_is_kept_through_interchanges),
        cmocka_unit_test(index_3_scaling),
        cmocka_unit_test(new_pivots_when_needed),
        cmocka_unit_test(entries_and_products),
        cmocka_unit_test(first_stray_entry_is_kept),
        cmocka_unit_test(unsuitable_storage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
