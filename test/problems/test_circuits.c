/* test_circuits.c -- the callbacks of the circuit, chemistry and model problems against each
 * other: Jacobians against central differences, sparsity patterns against what differences
 * see, exact solutions and stored values against the equations.
 */
#include "problems/circuits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SIZE_MAX_ = 350, PARAMETERS_MAX = 4, POINTS = 4 };

/* A problem with its spec, of which exactly one is set. */
typedef struct circuit_case {
    const bundled_problem *problem;
    const keel_ode_spec *ode;
    const keel_semi_explicit_spec *semi_explicit;
    const keel_hessenberg2_spec *hessenberg2;
    const keel_quasilinear_spec *quasilinear;
    int (*pattern)(int *column_start, int *row_index);
    const double *probe;         /* a typical point, where start and end are not typical    */
    double end_bound;            /* on the algebraic equations at the reference             */
} circuit_case;

static const double robertson_probe[] = { 0.7, 1e-5, 0.3 };

static const circuit_case cases[] = {
    { &problem_transistor_amplifier, .quasilinear = &problem_transistor_amplifier_spec,
      .end_bound = 1e-17 },
    { &problem_chemical_akzo_nobel, .semi_explicit = &problem_chemical_akzo_nobel_spec,
      .end_bound = 1e-15 },
    { &problem_robertson, .semi_explicit = &problem_robertson_spec, .probe = robertson_probe,
      .end_bound = 2e-14 },      /* y3 of the reference has 14 digits */
    { &problem_van_der_pol, .ode = &problem_van_der_pol_spec },
    { &problem_van_der_pol_spp, .quasilinear = &problem_van_der_pol_spp_spec },
    { &problem_van_der_pol_dae, .semi_explicit = &problem_van_der_pol_dae_spec },
    { &problem_van_der_pol_lienard, .semi_explicit = &problem_van_der_pol_lienard_spec },
    { &problem_van_der_pol_mu, .ode = &problem_van_der_pol_mu_spec },
    { &problem_impasse, .semi_explicit = &problem_impasse_spec },
    { &problem_impasse_circuit, .semi_explicit = &problem_impasse_circuit_spec },
    { &problem_ring_modulator, .ode = &problem_ring_modulator_spec },
    { &problem_ascher_petzold, .hessenberg2 = &problem_ascher_petzold_spec },
    { &problem_prothero_robinson, .ode = &problem_prothero_robinson_spec },
    { &problem_weiss_linear, .quasilinear = &problem_weiss_linear_spec },
    { &problem_water_tube, .quasilinear = &problem_water_tube_spec,
      .pattern = problem_water_tube_pattern, .end_bound = 1e-14 },
    { &problem_nand_gate, .quasilinear = &problem_nand_gate_spec },
    { &problem_two_bit_adder, .semi_explicit = &problem_two_bit_adder_spec,
      .pattern = problem_two_bit_adder_pattern, .end_bound = 1e-9 },
};
enum { CASES = sizeof cases / sizeof *cases };

static void defaults(const circuit_case *c, double *parameters)
{
    for (int k = 0; k < c->problem->parameter_count; k++)
        parameters[k] = c->problem->parameters[k].value;
}

/* All right-hand sides in a row, (f) or (f,g). */
static int evaluate(const circuit_case *c, double *parameters, double t, const double *y, double *f)
{
    if (c->ode) return c->ode->rhs(t, y, f, parameters);
    if (c->quasilinear) return c->quasilinear->rhs(t, y, f, parameters);
    if (c->semi_explicit) {
        const keel_semi_explicit_spec *s = c->semi_explicit;
        const int n = s->differential, status = s->rhs(t, y, y + n, f, parameters);
        return status ? status : s->constraint(t, y, y + n, f + n, parameters);
    }
    const keel_hessenberg2_spec *s = c->hessenberg2;
    const int n = s->differential, status = s->rhs(t, y, y + n, f, parameters);
    return status ? status : s->constraint(t, y, f + n, parameters);
}

static int fill_jacobian(const circuit_case *c, double *parameters, double t, const double *y,
                         keel_matrix *J)
{
    if (c->ode) return c->ode->jacobian(t, y, J, parameters);
    if (c->quasilinear) return c->quasilinear->jacobian(t, y, J, parameters);
    if (c->semi_explicit)
        return c->semi_explicit->jacobian(t, y, y + c->semi_explicit->differential, J, parameters);
    return c->hessenberg2->jacobian(t, y, y + c->hessenberg2->differential, J, parameters);
}

static int fill_mass(const circuit_case *c, double *parameters, double t, const double *y,
                     keel_matrix *M)
{
    if (c->quasilinear) return c->quasilinear->mass(t, y, M, parameters);
    const int differential = c->ode ? c->ode->size
                           : c->semi_explicit ? c->semi_explicit->differential
                           : c->hessenberg2->differential;
    for (int i = 0; i < differential; i++) keel_put(M, i, i, 1);
    return 0;
}

static keel_matrix zero_matrix(int n, keel_pattern pattern)
{
    size_t count = (size_t)n * (size_t)n;
    if (pattern.storage == KEEL_BAND) count = (size_t)((pattern.lower + pattern.upper + 1) * n);
    if (pattern.storage == KEEL_SPARSE) count = (size_t)pattern.column_start[n];
    keel_matrix a = { .rows = n, .columns = n, .pattern = pattern, .stray_row = -1,
                      .stray_column = -1, .values = calloc(count, sizeof(double)) };
    assert_non_null(a.values);
    return a;
}

static keel_matrix zero_dense(int n) { return zero_matrix(n, (keel_pattern){ .lower = 0 }); }

static double at(const keel_matrix *dense, int i, int j)
{
    return dense->values[j * dense->rows + i];
}

/* Reproducible numbers in [-1, 1]. */
static double noise(uint32_t *draw)
{
    *draw = *draw * 1664525u + 1013904223u;
    return (double)(*draw >> 8) / (double)(1u << 23) - 1;
}

/* Point number `point` and the size of the unknowns there: near the start and near the end in
 * turn, off by some per cent because both may lie on a corner of the equations. */
static double pick_point(const circuit_case *c, const double *parameters, int point, double *y,
                         double *size)
{
    const bundled_problem *p = c->problem;
    double first[SIZE_MAX_], last[SIZE_MAX_];
    uint32_t draw = 12345u + (uint32_t)point;
    p->start(parameters, first);
    if (p->exact) p->exact(parameters, p->t_end, last);
    else memcpy(last, p->references[0].y, (size_t)p->size * sizeof *last);
    if (c->probe) memcpy(first, c->probe, (size_t)p->size * sizeof *first);
    if (c->probe) memcpy(last, c->probe, (size_t)p->size * sizeof *last);
    for (int i = 0; i < p->size; i++) {
        size[i] = fmax(fabs(first[i]), fabs(last[i]));
        if (size[i] < 1e-20) size[i] = 0.1;
        y[i] = (point % 2 ? last : first)[i] + 0.05 * size[i] * noise(&draw);
    }
    return p->t_start + (0.21 + 0.17 * point) * (p->t_end - p->t_start);
}

/* D = df/dy by central differences with steps proportional to `size`. */
static void difference_jacobian(const circuit_case *c, double *parameters, double t, double *y,
                                const double *size, keel_matrix *D)
{
    const int n = c->problem->size;
    double above[SIZE_MAX_], below[SIZE_MAX_];
    for (int j = 0; j < n; j++) {
        const double y_j = y[j], step = 1e-6 * size[j];
        y[j] = y_j + step;
        assert_int_equal(evaluate(c, parameters, t, y, above), 0);
        const double up = y[j];
        y[j] = y_j - step;
        assert_int_equal(evaluate(c, parameters, t, y, below), 0);
        for (int i = 0; i < n; i++) keel_put(D, i, j, (above[i] - below[i]) / (up - y[j]));
        y[j] = y_j;
    }
}

/* Differences are good to rounding/step = 1e-10 of the largest term, and to step^2 times the
 * third derivative, which is 1e-8 for the exponentials exp(v/0.026) at v near 3. */
static void assert_rows_close(const char *name, const keel_matrix *J, const keel_matrix *D,
                              const double *size)
{
    for (int i = 0; i < J->rows; i++) {
        double largest = 0;
        for (int j = 0; j < J->columns; j++) largest = fmax(largest, fabs(at(J, i, j)) * size[j]);
        for (int j = 0; j < J->columns; j++)
            if (!(fabs(at(J, i, j) - at(D, i, j)) * size[j] <= 1e-7 * largest))
                fail_msg("%s (%d,%d): %.12g, by differences %.12g", name, i, j, at(J, i, j),
                         at(D, i, j));
    }
}

static void jacobians_match_differences(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const circuit_case *c = &cases[k];
        const int n = c->problem->size;
        double parameters[PARAMETERS_MAX], y[SIZE_MAX_], size[SIZE_MAX_];
        defaults(c, parameters);
        for (int point = 0; point < POINTS; point++) {
            keel_matrix J = zero_dense(n), D = zero_dense(n);
            const double t = pick_point(c, parameters, point, y, size);
            assert_int_equal(fill_jacobian(c, parameters, t, y, &J), 0);
            difference_jacobian(c, parameters, t, y, size, &D);
            assert_rows_close(c->problem->name, &J, &D, size);
            free(J.values);
            free(D.values);
        }
    }
}

/* Filled into its pattern, a matrix must lose nothing, and what differences see must fit in. */
static void check_pattern(const circuit_case *c, keel_pattern pattern)
{
    const int n = c->problem->size;
    double parameters[PARAMETERS_MAX], y[SIZE_MAX_], size[SIZE_MAX_];
    defaults(c, parameters);
    for (int point = 0; point < POINTS; point++) {
        keel_matrix dense = zero_dense(n), D = zero_dense(n), J = zero_matrix(n, pattern);
        const double t = pick_point(c, parameters, point, y, size);
        fill_jacobian(c, parameters, t, y, &dense);
        difference_jacobian(c, parameters, t, y, size, &D);
        fill_jacobian(c, parameters, t, y, &J);
        assert_int_equal(J.stray_row, -1);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                if (at(&dense, i, j) != 0 || at(&D, i, j) != 0) {
                    const double *entry = keel_entry(&J, i, j);
                    assert_non_null(entry);
                    assert_true(*entry == at(&dense, i, j));
                }
        if (c->quasilinear) assert_int_equal(fill_mass(c, parameters, t, y, &J), 0);
        assert_int_equal(J.stray_row, -1);
        free(dense.values);
        free(D.values);
        free(J.values);
    }
}

static void patterns_cover_all_nonzeros(void **state)
{
    (void)state;
    check_pattern(&cases[0], problem_transistor_amplifier_spec.pattern);
    for (int k = 0; k < CASES; k++) {
        if (!cases[k].pattern) continue;
        int column_start[SIZE_MAX_ + 1];
        const int count = cases[k].pattern(column_start, NULL);
        int *row_index = malloc((size_t)count * sizeof *row_index);
        assert_non_null(row_index);
        assert_int_equal(cases[k].pattern(column_start, row_index), count);
        check_pattern(&cases[k], (keel_pattern){ .storage = KEEL_SPARSE, .row_index = row_index,
                                                 .column_start = column_start });
        free(row_index);
    }
}

/* M(y) w, row by row. */
static void mass_times(const circuit_case *c, double *parameters, double t, const double *y,
                       const double *w, double *Mw)
{
    const int n = c->problem->size;
    keel_matrix M = zero_dense(n);
    assert_int_equal(fill_mass(c, parameters, t, y, &M), 0);
    for (int i = 0; i < n; i++) {
        Mw[i] = 0;
        for (int j = 0; j < n; j++) Mw[i] += at(&M, i, j) * w[j];
    }
    free(M.values);
}

static void mass_jacobian_matches_differences(void **state)
{
    const circuit_case c = { &problem_nand_gate, .quasilinear = &problem_nand_gate_spec };
    enum { N = 14 };
    double y[N], size[N], w[N], above[N], below[N];
    uint32_t draw = 7;
    (void)state;
    for (int i = 0; i < N; i++) w[i] = noise(&draw);
    for (int point = 0; point < POINTS; point++) {
        keel_matrix J = zero_dense(N), D = zero_dense(N);
        const double t = pick_point(&c, NULL, point, y, size);
        assert_int_equal(c.quasilinear->mass_jacobian(t, y, w, &J, NULL), 0);
        for (int j = 0; j < N; j++) {
            const double y_j = y[j], step = 1e-5 * size[j];
            y[j] = y_j + step;
            mass_times(&c, NULL, t, y, w, above);
            y[j] = y_j - step;
            mass_times(&c, NULL, t, y, w, below);
            y[j] = y_j;
            for (int i = 0; i < N; i++) keel_put(&D, i, j, (below[i] - above[i]) / (2 * step));
        }
        /* The entries are about C_b / phi_b = 3e-5. */
        for (int i = 0; i < N * N; i++) assert_true(fabs(J.values[i] - D.values[i]) < 1e-12);
        free(J.values);
        free(D.values);
    }
}

/* Residual of M y' = f for the exact y, with y' by differences. */
static void exact_solutions_satisfy_equations(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const circuit_case *c = &cases[k];
        const bundled_problem *p = c->problem;
        if (!p->exact) continue;
        double parameters[PARAMETERS_MAX], y[8], above[8], below[8], slope[8], My[8], f[8];
        defaults(c, parameters);
        for (int m = 0; m <= 4; m++) {
            const double t = p->t_start + 0.24 * m * (p->t_end - p->t_start), step = 1e-5;
            p->exact(parameters, t, y);
            p->exact(parameters, t + step, above);
            p->exact(parameters, t - step, below);
            for (int i = 0; i < p->size; i++) slope[i] = (above[i] - below[i]) / (2 * step);
            mass_times(c, parameters, t, y, slope, My);
            assert_int_equal(evaluate(c, parameters, t, y, f), 0);
            for (int i = 0; i < p->size; i++) assert_true(fabs(My[i] - f[i]) < 2e-9);
        }
    }
}

static void constraint_derivatives_match_differences(void **state)
{
    const keel_hessenberg2_spec *s = &problem_ascher_petzold_spec;
    const double t = 0.3, step = 1e-5, x[2] = { 1.7, -0.4 };
    double g_x[2], g_t, above, below;
    (void)state;
    assert_int_equal(s->constraint_jacobian(t, x, g_x, NULL), 0);
    assert_int_equal(s->constraint_time(t, x, &g_t, NULL), 0);
    for (int j = 0; j < 2; j++) {
        double up[2] = { x[0], x[1] }, down[2] = { x[0], x[1] };
        up[j] += step;
        down[j] -= step;
        s->constraint(t, up, &above, NULL);
        s->constraint(t, down, &below, NULL);
        assert_true(fabs(g_x[j] - (above - below) / (2 * step)) < 1e-9);
    }
    s->constraint(t + step, x, &above, NULL);
    s->constraint(t - step, x, &below, NULL);
    assert_true(fabs(g_t - (above - below) / (2 * step)) < 1e-9);
}

/* The largest algebraic residual: rows of f where M has none, and the sums of rows that the
 * coupling capacitors of the amplifier cancel. */
static double algebraic_residual(const circuit_case *c, double t, const double *y)
{
    const int n = c->problem->size;
    double parameters[PARAMETERS_MAX], f[SIZE_MAX_], worst = 0;
    keel_matrix M = zero_dense(n);
    defaults(c, parameters);
    assert_int_equal(fill_mass(c, parameters, t, y, &M), 0);
    assert_int_equal(evaluate(c, parameters, t, y, f), 0);
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++) row += fabs(at(&M, i, j));
        if (row == 0) worst = fmax(worst, fabs(f[i]));
    }
    if (c->problem == &problem_transistor_amplifier)
        for (int i = 0; i < n; i += 3) worst = fmax(worst, fabs(f[i] + f[i + 1]));
    free(M.values);
    return worst;
}

static void stored_values_are_consistent(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        const bundled_problem *p = cases[k].problem;
        double parameters[PARAMETERS_MAX], y[SIZE_MAX_];
        defaults(&cases[k], parameters);
        p->start(parameters, y);
        const double start = algebraic_residual(&cases[k], p->t_start, y);
        print_message("%s: residual %.1e at the start", p->name, start);
        assert_true(start <= 1e-14);
        for (int r = 0; r < p->reference_count; r++) {
            const bundled_reference *reference = &p->references[r];
            const double end = algebraic_residual(&cases[k], reference->t, reference->y);
            print_message(", %.1e at t = %g", end, reference->t);
            assert_true(end <= cases[k].end_bound);
        }
        print_message("\n");
    }
}

/* Where an equation has no value, its callback asks for a smaller step. */
static void impossible_points_are_refused(void **state)
{
    double y[SIZE_MAX_], f[SIZE_MAX_], C_s = 2e-12;
    (void)state;
    problem_chemical_akzo_nobel.start(NULL, y);
    y[1] = -1e-9;
    assert_true(problem_chemical_akzo_nobel_spec.rhs(0, y, y + 5, f, NULL) > 0);
    problem_water_tube.start(NULL, y);
    y[20] = -0.01;
    assert_true(problem_water_tube_spec.rhs(0, y, f, NULL) > 0);
    problem_nand_gate.start(NULL, y);
    y[7] = y[9] + 2;             /* bulk above source by more than phi */
    assert_true(problem_nand_gate_spec.rhs(0, y, f, NULL) > 0);
    problem_ring_modulator.start(NULL, y);
    y[2] = 20;
    assert_true(problem_ring_modulator_spec.rhs(0, y, f, &C_s) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_match_differences),
        cmocka_unit_test(patterns_cover_all_nonzeros),
        cmocka_unit_test(mass_jacobian_matches_differences),
        cmocka_unit_test(exact_solutions_satisfy_equations),
        cmocka_unit_test(constraint_derivatives_match_differences),
        cmocka_unit_test(stored_values_are_consistent),
        cmocka_unit_test(impossible_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
