/* test_saddle_sparse.c -- the sparse saddle against the dense one, its fill, and dependent rows. */
#include "linear/saddle.h"
#include "linear/shifted.h"
#include "numbers.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "triplets.h"

enum { WIDTH = 8 };

/* Planar chain: a row per link, with the coordinates of its two ends. */
static keel_matrix chain_rows(int links, uint64_t *seed)
{
    triplets t = { 0 };
    for (int k = 0; k < links; k++)
        for (int c = 0; c < 2; c++) {
            double d = number(seed);
            put(&t, k, 2 * k + c, d);
            if (k) put(&t, k, 2 * k - 2 + c, -d);
        }
    return compress(&t, links, 2 * links);
}

/* Diagonal, or with neighbours coupled; positive definite. */
static keel_matrix mass_matrix(int n, int coupled, uint64_t *seed)
{
    triplets t = { 0 };
    for (int i = 0; i < n; i++) {
        put(&t, i, i, 2 + number(seed));
        if (coupled && i + 3 < n) join(&t, i, i + 3, 1 + 0.5 * number(seed));
    }
    return compress(&t, n, n);
}

/* Row-major and dense. */
static double *expand(const keel_matrix *a)
{
    double *full = vector((size_t)a->rows * (size_t)a->columns);
    for (int j = 0; j < a->columns; j++)
        for (int p = a->pattern.column_start[j]; p < a->pattern.column_start[j + 1]; p++)
            full[a->pattern.row_index[p] * a->columns + j] = a->values[p];
    return full;
}

static void new_values(keel_matrix *G, uint64_t *seed)
{
    numbers(seed, G->values, (size_t)G->pattern.column_start[G->columns]);
}

static int is_unsupported(void)
{
    uint64_t seed = 1;
    saddle *s;
    keel_matrix G = chain_rows(1, &seed);
    int status = saddle_create_sparse(&s, 2, 1, NULL, &G.pattern);
    saddle_free(s), matrix_free(&G);
    return status == KEEL_UNSUPPORTED;
}

/* Largest residual of solution (x, l), rows relative to their terms, over eps. */
static double residual(int n, int m, const double *M, const double *G, const double *x,
                       const double *l, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n + m; i++) {
        double rest = i < n ? -a[i] : -b[i - n], size = fabs(rest);
        for (int j = 0; j < n; j++) {
            double term = (i < n ? M[i * n + j] : G[(i - n) * n + j]) * x[j];
            rest += term, size += fabs(term);
        }
        for (int k = 0; i < n && k < m; k++) {
            double term = G[k * n + i] * l[k];
            rest += term, size += fabs(term);
        }
        worst = fmax(worst, fabs(rest) / (size * DBL_EPSILON));
    }
    return worst;
}

/* Every way to solve with new values of G in each round; old pivots may cost two digits. */
static void check_rounds(int links, int mass, uint64_t *seed)
{
    int n = 2 * links, m = links;
    keel_matrix G = chain_rows(links, seed), M = mass_matrix(n, mass == 2, seed);
    if (mass == 0)
        for (int i = 0; i < n; i++) M.values[i] = 1;
    saddle *s;
    assert_int_equal(saddle_create_sparse(&s, n, m, mass ? &M.pattern : NULL, &G.pattern), 0);
    double *a = vector((size_t)(WIDTH * n)), *b = vector((size_t)(WIDTH * m));
    double *x = vector((size_t)(WIDTH * n)), *l = vector((size_t)(WIDTH * m)), *full_M = expand(&M);
    double bound = 500.0 * (n + m + 4);
    for (int round = 0; round < 4; round++) {
        new_values(&G, seed);
        double *full_G = expand(&G);
        const double *given = mass ? M.values : NULL;
        numbers(seed, a, (size_t)(WIDTH * n)), numbers(seed, b, (size_t)(WIDTH * m));
        memcpy(x, a, (size_t)(WIDTH * n) * sizeof *x);
        memcpy(l, b, (size_t)(WIDTH * m) * sizeof *l);
        assert_int_equal(saddle_factor(s, given, G.values), 0);
        saddle_solve(s, WIDTH, x, l);
        for (int c = 0; c < WIDTH; c++)
            assert_true(residual(n, m, full_M, full_G, x + c * n, l + c * m, a + c * n,
                                 b + c * m) <= bound);
        memcpy(x, a, (size_t)n * sizeof *x), memcpy(l, b, (size_t)m * sizeof *l);
        assert_int_equal(saddle_solve_once(s, given, G.values, x, l), 0);
        assert_true(residual(n, m, full_M, full_G, x, l, a, b) <= bound);
        free(full_G);
    }
    free(a), free(b), free(x), free(l), free(full_M);
    matrix_free(&G), matrix_free(&M), saddle_free(s);
}

static void every_mass(void **state)
{
    const int links[] = { 1, 2, 5, 30, 60 };
    uint64_t seed = 2;
    (void)state;
    if (is_unsupported()) skip();
    for (int k = 0; k < 5; k++)
        for (int mass = 0; mass < 3; mass++) check_rounds(links[k], mass, &seed);
}

/* Lanes go through the same factors: the same bits. */
static void lanes_agree(void **state)
{
    enum { LINKS = 20, N = 2 * LINKS };
    static _Alignas(32) double x[WIDTH * N], l[WIDTH * LINKS], y[WIDTH * N], mu[WIDTH * LINKS];
    uint64_t seed = 4;
    saddle *s;
    (void)state;
    if (is_unsupported()) skip();
    keel_matrix G = chain_rows(LINKS, &seed);
    assert_int_equal(saddle_create_sparse(&s, N, LINKS, NULL, &G.pattern), 0);
    assert_int_equal(saddle_factor(s, NULL, G.values), 0);
    numbers(&seed, y, WIDTH * N), numbers(&seed, mu, WIDTH * LINKS);
    for (int c = 0; c < WIDTH; c++) {
        for (int i = 0; i < N; i++) x[i * WIDTH + c] = y[c * N + i];
        for (int k = 0; k < LINKS; k++) l[k * WIDTH + c] = mu[c * LINKS + k];
    }
    saddle_solve(s, WIDTH, y, mu);
    saddle_solve_lanes(s, WIDTH, x, l);
    for (int c = 0; c < WIDTH; c++) {
        for (int i = 0; i < N; i++) assert_true(x[i * WIDTH + c] == y[c * N + i]);
        for (int k = 0; k < LINKS; k++) assert_true(l[k * WIDTH + c] == mu[c * LINKS + k]);
    }
    matrix_free(&G), saddle_free(s);
}

/* Eliminating a chain from its end needs no entry that is not there: at most 4 + 4 entries of G,
 * 2 of M and what joins a row with its neighbour, in L and in U, per link. */
static void chains_cost_the_same_per_link(void **state)
{
    uint64_t seed = 5;
    (void)state;
    if (is_unsupported()) skip();
    for (int links = 50; links <= 2000; links *= 2) {
        saddle *s;
        keel_matrix G = chain_rows(links, &seed), M = mass_matrix(2 * links, 0, &seed);
        assert_int_equal(saddle_create_sparse(&s, 2 * links, links, &M.pattern, &G.pattern), 0);
        assert_int_equal(saddle_factor(s, M.values, G.values), 0);
        long fill = linear_fill(s->system, 0);
        assert_true(fill > 11L * links && fill <= 20L * links);
        matrix_free(&G), matrix_free(&M), saddle_free(s);
    }
}

/* A chain, a row that holds its end, and row `twice` in another unit: one of the two is named. */
static void check_dependent(int links, int twice, uint64_t *seed)
{
    int m = links + 2, n = 2 * links;
    triplets t = { 0 };
    keel_matrix chain = chain_rows(links, seed), M = mass_matrix(n, links % 2, seed);
    for (int j = 0; j < n; j++)
        for (int p = chain.pattern.column_start[j]; p < chain.pattern.column_start[j + 1]; p++) {
            int row = chain.pattern.row_index[p];
            put(&t, row, j, chain.values[p]);
            if (row == twice) put(&t, links + 1, j, 3e4 * chain.values[p]);
        }
    put(&t, links, n - 1, 1);
    keel_matrix G = compress(&t, m, n);
    saddle *s;
    assert_int_equal(saddle_create_sparse(&s, n, m, &M.pattern, &G.pattern), 0);
    for (int round = 0; round < 2; round++) {
        int row = saddle_factor(s, M.values, G.values);
        assert_true(row == twice + 1 || row == links + 2);
    }
    double x[1], l[1];
    assert_true(saddle_solve_once(s, M.values, G.values, x, l) > 0);
    matrix_free(&G), matrix_free(&M), matrix_free(&chain), saddle_free(s);
}

static void a_row_given_twice_is_named(void **state)
{
    uint64_t seed = 6;
    (void)state;
    if (is_unsupported()) skip();
    for (int links = 3; links <= 400; links = 2 * links + 1)
        for (int twice = 0; twice + 1 < links; twice += 1 + links / 7)
            check_dependent(links, twice, &seed);
}

/* Divergence on k x k cells, staggered, of velocities that vanish on the boundary: the rows add up
 * to zero; without the last they are independent. */
static void the_pressure_of_a_closed_box_is_free(void **state)
{
    uint64_t seed = 11;
    (void)state;
    if (is_unsupported()) skip();
    for (int k = 2; k <= 24; k += 1 + k / 3)
        for (int rows = k * k - 1; rows <= k * k; rows++) {
            triplets t = { 0 };
            int n = 0;
            for (int c = 0; c < k * k; c++)
                for (int q = 0; q < 2; q++) {
                    int next = q ? c + k : c + 1;
                    if (q ? next >= k * k : next % k == 0) continue;
                    put(&t, c, n, 1);
                    if (next < rows) put(&t, next, n, -1);
                    n++;
                }
            keel_matrix G = compress(&t, rows, n), M = mass_matrix(n, k % 2, &seed);
            saddle *s;
            assert_int_equal(saddle_create_sparse(&s, n, rows, &M.pattern, &G.pattern), 0);
            int row = saddle_factor(s, M.values, G.values);
            if (rows < k * k) assert_int_equal(row, 0);
            else assert_in_range(row, 1, rows);
            matrix_free(&G), matrix_free(&M), saddle_free(s);
        }
}

/* Zero rows, with and without entries, and rows that become dependent after good ones. */
static void rows_of_zeros_are_named(void **state)
{
    enum { LINKS = 12, N = 2 * LINKS };
    uint64_t seed = 7;
    saddle *s;
    (void)state;
    if (is_unsupported()) skip();
    keel_matrix G = chain_rows(LINKS, &seed);
    assert_int_equal(saddle_create_sparse(&s, N, LINKS, NULL, &G.pattern), 0);
    for (int row = 0; row < LINKS; row++) {
        new_values(&G, &seed);
        assert_int_equal(saddle_factor(s, NULL, G.values), 0);
        for (int p = 0; p < G.pattern.column_start[N]; p++)
            if (G.pattern.row_index[p] == row) G.values[p] = 0;
        assert_int_equal(saddle_factor(s, NULL, G.values), row + 1);
    }
    saddle_free(s);
    assert_int_equal(saddle_create_sparse(&s, N, LINKS + 1, NULL, &G.pattern), 0);
    new_values(&G, &seed);
    assert_int_equal(saddle_factor(s, NULL, G.values), LINKS + 1);
    matrix_free(&G), saddle_free(s);
}

/* M = 0 for a position that no row holds, or entries that are not numbers. */
static void other_failures(void **state)
{
    uint64_t seed = 8;
    saddle *s;
    (void)state;
    if (is_unsupported()) skip();
    keel_matrix G = chain_rows(5, &seed), M = mass_matrix(12, 0, &seed);
    int start[13], columns = G.columns;
    memcpy(start, G.pattern.column_start, (size_t)(columns + 1) * sizeof *start);
    start[11] = start[12] = start[10];
    keel_pattern wide = { .storage = KEEL_SPARSE, .column_start = start,
                          .row_index = G.pattern.row_index };
    assert_int_equal(saddle_create_sparse(&s, 12, 5, &M.pattern, &wide), 0);
    assert_int_equal(saddle_factor(s, M.values, G.values), 0);
    double kept = M.values[11];
    M.values[11] = 0;
    assert_int_equal(saddle_factor(s, M.values, G.values), -1);
    M.values[11] = NAN;
    assert_int_equal(saddle_factor(s, M.values, G.values), -1);
    M.values[11] = kept;
    G.values[3] = NAN;
    assert_true(saddle_factor(s, M.values, G.values) != 0);
    G.values[3] = 1;
    assert_int_equal(saddle_factor(s, M.values, G.values), 0);
    double N[5] = { 1 };
    assert_int_equal(saddle_set_null(s, 1, N), KEEL_UNSUPPORTED);
    assert_int_equal(saddle_set_null(s, 0, NULL), 0);
    assert_int_equal(saddle_factor(s, M.values, G.values), 0);
    matrix_free(&G), matrix_free(&M), saddle_free(s);
}

static void only_sparse_patterns(void **state)
{
    uint64_t seed = 9;
    saddle *s;
    const keel_pattern dense = { .storage = KEEL_DENSE };
    (void)state;
    keel_matrix G = chain_rows(3, &seed);
    assert_int_equal(saddle_create_sparse(&s, 6, 3, &dense, &G.pattern), KEEL_UNSUPPORTED);
    assert_null(s);
    assert_int_equal(saddle_create_sparse(&s, 6, 3, NULL, &dense), KEEL_UNSUPPORTED);
    matrix_free(&G);
}

/* Pivots of other values are forgotten: the first solution again, to the bit. */
static void forgotten_pivots(void **state)
{
    enum { LINKS = 15, N = 2 * LINKS };
    double x[N], l[LINKS], first[N];
    saddle *s;
    (void)state;
    if (is_unsupported()) skip();
    for (int round = 0; round < 2; round++) {
        uint64_t seed = 10;
        keel_matrix G = chain_rows(LINKS, &seed);
        if (round == 0) assert_int_equal(saddle_create_sparse(&s, N, LINKS, NULL, &G.pattern), 0);
        saddle_forget(s);
        for (int k = 0; k < 6; k++) {
            numbers(&seed, x, N), numbers(&seed, l, LINKS);
            assert_int_equal(saddle_factor(s, NULL, G.values), 0);
            saddle_solve(s, 1, x, l);
            if (round == 0 && k == 0) memcpy(first, x, sizeof first);
            if (round == 1 && k == 0) assert_memory_equal(first, x, sizeof first);
            new_values(&G, &seed);
        }
        matrix_free(&G);
    }
    saddle_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mass),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(chains_cost_the_same_per_link),
        cmocka_unit_test(a_row_given_twice_is_named),
        cmocka_unit_test(the_pressure_of_a_closed_box_is_free),
        cmocka_unit_test(rows_of_zeros_are_named),
        cmocka_unit_test(other_failures),
        cmocka_unit_test(only_sparse_patterns),
        cmocka_unit_test(forgotten_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
