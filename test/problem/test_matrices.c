/* test_matrices.c -- Jacobians and mass matrices: by differences as by the user; coloring. */
#include "test/problem/evaluators.h"

/* One-sided differences: half the second derivative (below 50 here) times sqrt(eps). */
static const double difference_error = 2e-6;

/* A point off the solution and a y' that does not fit. */
static void awkward_point(const form *f, double *y, double *yp)
{
    f->exact(0.3, y);
    for (int i = 0; i < f->size; i++) {
        y[i] += 0.05 * (i + 1) - 0.1;
        yp[i] = 0.7 - 0.4 * i;
    }
}

static void differences_equal_given(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0};
        double y[LARGEST_FORM], yp[LARGEST_FORM];
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_matrix by_user = new_matrix(p), by_differences = new_matrix(p);
        bench b;
        bench_open(&b, p);
        awkward_point(&forms[k], y, yp);
        b.eval.differences = 0;
        assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0.3, y, yp, &by_user), 0);
        b.eval.differences = 1;
        assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0.3, y, yp, &by_differences), 0);
        double gap = matrix_distance(&by_user, &by_differences);
        if (!(gap < difference_error)) fail_msg("%s: J differs by %g", forms[k].name, gap);
        if (k != FORM_SEPARATE && k != FORM_EVALUATE) {        /* these have no J of the user */
            assert_int_equal(b.stats.rhs_for_jacobian, forms[k].size + 2);    /* with a check */
            assert_int_equal(b.stats.jacobian, 2);
            assert_true(gap > 0);                              /* else nothing was compared */
        }
        assert_int_equal(b.stats.rhs, 0);
        free(by_user.values);
        free(by_differences.values);
        bench_free(&b);
        keel_problem_free(p);
    }
}

/* The Jacobian of a mechanical problem is the same whichever parts the user gives. */
static void mechanical_jacobian(void **state)
{
    double y[5], yp[5];
    keel_matrix J[3];
    (void)state;
    awkward_point(&forms[FORM_SEPARATE], y, yp);
    for (int k = 0; k < 3; k++) {
        probe context = {0};
        keel_problem *p = new_problem(&forms[k == 2 ? FORM_EVALUATE : FORM_SEPARATE],
                                      k == 1 ? GIVEN : BY_DIFFERENCES, &context);
        bench b;
        bench_open(&b, p);
        J[k] = new_matrix(p);
        b.eval.differences = 0;
        assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0.3, y, yp, &J[k]), 0);
        bench_free(&b);
        keel_problem_free(p);
    }
    for (int k = 0; k < 3; k++) {
        /* differences of differenced G lose half the digits of cbrt(eps)^2 = 4e-11 */
        double gap = matrix_distance(&J[k], &J[1]);
        if (!(gap < 1e-2)) fail_msg("variant %d differs by %g", k, gap);
        for (int i = 0; i < 2; i++)
            assert_true(fabs(matrix_get(&J[k], i, 2 + i) - 1) < difference_error);
        assert_true(fabs(matrix_get(&J[k], 4, 0) - y[0]) < difference_error);
        assert_true(fabs(matrix_get(&J[k], 2, 4) + y[0]) < difference_error);
        assert_true(matrix_get(&J[k], 4, 4) == 0);
    }
    for (int k = 0; k < 3; k++) free(J[k].values);
}

static void mass_matrices(void **state)
{
    double expected[][4] = {{1, 2, 0.5, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    static const int which[] = {FORM_CONSTANT_MASS, FORM_STATE_MASS, FORM_IMPLICIT};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int given = 0; given < 2; given++) {
            probe context = {0};
            double y[2] = {0.8, 1.3}, yp[2] = {-0.6, 0.4};
            expected[1][0] = 1 + y[0] * y[0];
            expected[1][1] = 0.5 * y[1];
            expected[2][0] = 1 + 3 * yp[0] * yp[0];
            keel_problem *p = new_problem(&forms[which[k]], (derivatives)given, &context);
            keel_matrix M = new_matrix(p);
            bench b;
            bench_open(&b, p);
            assert_int_equal(eval_mass(&b.eval, &b.colors, 0.2, y, yp, &M), 0);
            for (int i = 0; i < 4; i++)
                assert_true(fabs(matrix_get(&M, i / 2, i % 2) - expected[k][i]) < difference_error);
            assert_int_equal(problem_mass_constant(p), k == 0);
            free(M.values);
            bench_free(&b);
            keel_problem_free(p);
        }
}

/* ---- coloring -------------------------------------------------------------------------------- */

enum { CELLS = 23 };

static int chain_rhs(double t, const double *y, double *f, void *context)
{
    (void)t;
    for (int i = 0; i < CELLS; i++)
        f[i] = (i > 0 ? y[i - 1] * y[i] : 0) - 3 * sin(y[i]) +
               (i < CELLS - 2 ? (i + 1) * y[i + 2] : 0);
    return probed(context, RHS, t, f, CELLS);
}

static int chain_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    for (int i = 0; i < CELLS; i++) {
        keel_put(J, i, i, -3 * cos(y[i]));
        if (i > 0) {
            keel_add(J, i, i, y[i - 1]);
            keel_put(J, i, i - 1, y[i]);
        }
        if (i < CELLS - 2) keel_put(J, i, i + 2, i + 1);
    }
    return probed_matrix(context, JACOBIAN, t, J);
}

static keel_problem *make_chain(keel_storage storage, probe *context)
{
    int start[CELLS + 1], row[3 * CELLS], count = 0;
    keel_problem *p = NULL;
    for (int j = 0; j < CELLS; j++) {
        start[j] = count;
        if (j >= 2) row[count++] = j - 2;
        row[count++] = j;
        if (j + 1 < CELLS) row[count++] = j + 1;
    }
    start[CELLS] = count;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = CELLS, .rhs = chain_rhs,
        .jacobian = chain_jacobian, .context = context,
        .pattern = {.storage = storage, .lower = 1, .upper = 2, .column_start = start,
                    .row_index = row}}), KEEL_OK);
    return p;
}

/* Dense: n differences; band: lower + upper + 1; sparse: no more than that. */
static void colors(void **state)
{
    (void)state;
    for (int storage = KEEL_DENSE; storage <= KEEL_SPARSE; storage++) {
        probe context = {0};
        double y[CELLS], yp[CELLS] = {0};
        keel_problem *p = make_chain((keel_storage)storage, &context);
        keel_matrix by_user = new_matrix(p), by_differences = new_matrix(p);
        bench b;
        bench_open(&b, p);
        for (int i = 0; i < CELLS; i++) y[i] = 0.3 + 0.1 * i;
        b.eval.differences = 0;
        assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0, y, yp, &by_user), 0);
        assert_int_equal(b.stats.rhs_for_jacobian, 0);
        b.eval.differences = 1;
        assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0, y, yp, &by_differences), 0);
        assert_true(matrix_distance(&by_user, &by_differences) < difference_error);
        int most = storage == KEEL_DENSE ? CELLS : 4;
        assert_true(b.colors.count <= most);
        assert_int_equal(b.stats.rhs_for_jacobian, b.colors.count + 2);
        assert_int_equal(context.calls[RHS], b.colors.count + 2);
        free(by_user.values);
        free(by_differences.values);
        bench_free(&b);
        keel_problem_free(p);
    }
}

/* An arrow (full first row and diagonal) needs a color per column of the row. */
static int arrow_rhs(double t, const double *y, double *f, void *context)
{
    f[0] = 0;
    for (int i = 0; i < 6; i++) f[0] += y[i];
    for (int i = 1; i < 6; i++) f[i] = -y[i] * y[i];
    return probed(context, RHS, t, f, 6);
}

static void arrow(void **state)
{
    int start[7] = {0, 1, 3, 5, 7, 9, 11}, row[11] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5};
    double y[6] = {1, 2, 3, 4, 5, 6}, yp[6] = {0};
    probe context = {0};
    keel_problem *p = NULL;
    bench b;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 6, .rhs = arrow_rhs,
        .context = &context, .pattern = {.storage = KEEL_SPARSE, .column_start = start,
                                         .row_index = row}}), KEEL_OK);
    bench_open(&b, p);
    keel_matrix J = new_matrix(p);
    assert_int_equal(b.colors.count, 6);
    b.eval.differences = 0;
    assert_int_equal(eval_jacobian(&b.eval, &b.colors, 0, y, yp, &J), 0);
    for (int j = 1; j < 6; j++) {
        assert_true(fabs(matrix_get(&J, 0, j) - 1) < difference_error);
        assert_true(fabs(matrix_get(&J, j, j) + 2 * y[j]) < difference_error);
    }
    free(J.values);
    bench_free(&b);
    keel_problem_free(p);
}

/* ---- stray entries --------------------------------------------------------------------------- */

static void stray_entry(void **state)
{
    probe context = {0};
    keel_problem *p = make_chain(KEEL_BAND, &context);
    keel_matrix J = new_matrix(p);
    (void)state;
    keel_put(&J, 0, 3, 1);
    assert_true(J.stray_row == 0 && J.stray_column == 3);
    keel_put(&J, 9, 1, 1);
    assert_true(J.stray_row == 0 && J.stray_column == 3);      /* the first one */
    assert_null(keel_entry(&J, -1, 0));
    assert_null(keel_entry(&J, 0, CELLS));
    free(J.values);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_equal_given), cmocka_unit_test(mechanical_jacobian),
        cmocka_unit_test(mass_matrices), cmocka_unit_test(colors), cmocka_unit_test(arrow),
        cmocka_unit_test(stray_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
