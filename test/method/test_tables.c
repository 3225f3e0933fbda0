/* test_tables.c -- every table: all order conditions up to its order hold and one of the next does
 * not; embedded methods and dense output likewise. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <string.h>

#include "trees.h"

/* Coefficients are rounded to double; those of verner8 reach 123 and cancel. */
static const double table_defect = 1e-12, violated = 1e-8;

static void has_order(const keel_tableau *t, const char *what, int s, const double *A,
                      const double *b, int order, double theta, double bound)
{
    const double *alpha = t->A_explicit;
    for (int n = 1; n <= order && n <= TREE_ORDER_MAX; n++) {
        double defect = rosenbrock_tree_defect(s, A, alpha, b, n, theta);
        if (!(defect <= bound)) fail_msg("%s of %s: order %d by %g", what, t->name, n, defect);
    }
    if (order < TREE_ORDER_MAX && theta < 1.5 &&
        rosenbrock_tree_defect(s, A, alpha, b, order + 1, theta) < violated)
        fail_msg("%s of %s has an order above %d", what, t->name, order);
}

static void orders_by_trees(void **state)
{
    const keel_tableau *t;
    int count = 0;
    (void)state;
    for (; (t = method_table(count)); count++) {
        assert_true(t->order > 0);
        has_order(t, "b", t->stages, t->A, t->b, t->order, 1, table_defect);
        if (t->b_hat)
            has_order(t, "b_hat", t->stages, t->A, t->b_hat, t->order_hat, 1, table_defect);
    }
    assert_true(count >= 19);
    assert_null(method_table(count + 1));
    assert_null(method_table(-1));
}

/* 8(5,3): the second embedded method has order 3 [HNW93 II.10]. */
static void second_estimate(void **state)
{
    keel_method *m;
    (void)state;
    assert_int_equal(keel_method_named(&m, "dop853"), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(m);
    has_order(t, "b_second", t->stages, t->A, t->b_second, 3, 1, table_defect);
    keel_method_free(m);
}

/* verner8: b + w has order 4 for both rows w of corner weights, and Peano's kernels of b and of the rows
 * obey E(tau) <= 20 V(tau) for corners anywhere in the step. */
static void corner_weights(void **state)
{
    keel_method *m;
    double b[KEEL_STAGES_MOST];
    (void)state;
    assert_int_equal(keel_method_named(&m, "verner8"), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(m);
    int s = t->stages;
    assert_non_null(t->corner);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < s; i++) b[i] = t->b[i] + t->corner[k * s + i];
        has_order(t, "b + corner", s, t->A, b, 4, 1, table_defect);
    }
    for (double tau = 0.001; tau < 1; tau += 0.001) {
        double error = -(1 - tau) * (1 - tau) / 2, seen[2] = {0};
        for (int i = 0; i < s; i++) {
            double after = fmax(0, t->c[i] - tau);
            error += t->b[i] * after;
            for (int k = 0; k < 2; k++) seen[k] += t->corner[k * s + i] * after;
        }
        assert_true(fabs(error) <= 20.2 * hypot(seen[0], seen[1]));
    }
    keel_method_free(m);
}

/* A with the extra stages below. */
static void extended(const keel_tableau *t, double *A)
{
    int s = t->stages, all = s + t->extra;
    memset(A, 0, (size_t)(all * all) * sizeof *A);
    for (int i = 0; i < s; i++) memcpy(A + i * all, t->A + i * s, (size_t)s * sizeof *A);
    for (int i = 0; i < t->extra * all; i++) A[s * all + i] = t->A_extra[i];
}

static void dense_weights(const keel_tableau *t, double theta, double *b, double *slope)
{
    for (int i = 0; i < t->stages + t->extra; i++) {
        b[i] = tableau_dense_weight(t, i, theta);
        slope[i] = 0;
        for (int k = t->dense_degree - 1; k >= 0; k--)
            slope[i] = slope[i] * theta + (k + 1) * t->dense[i * t->dense_degree + k];
    }
}

/* What tableau_dense_weight must round to: long double where that is longer, else not checked. */
static void dense_weights_are_exact(void **state)
{
    const keel_tableau *t;
    (void)state;
    for (int table = 0; LDBL_MANT_DIG > 60 && (t = method_table(table)); table++)
        for (int i = 0; t->dense && i < t->stages + t->extra; i++)
            for (double theta = 0.03; theta < 1; theta += 0.07) {
                long double sum = 0, size = 0;
                for (int k = t->dense_degree - 1; k >= 0; k--) {
                    int at = i * t->dense_degree + k;
                    long double rest = t->dense_rest ? t->dense_rest[at] : 0;
                    sum = (sum + t->dense[at] + rest) * theta;
                    size = (size + fabs(t->dense[at])) * theta;
                }
                long double bound = DBL_EPSILON * fabsl(sum) + 16 * LDBL_EPSILON * size;
                assert_true(fabsl(tableau_dense_weight(t, i, theta) - sum) <= bound);
            }
}

/* Weights b(1) and b(theta) integrate t^(k-1), k up to the order: sum b_i c_i^(k-1) = theta^k / k,
 * but for the rounding of b_i and c_i, half a unit of the last place each; without dense_rest for
 * that of the powers of theta in b_i. */
static double rounded_size(const keel_tableau *t, int i, double theta)
{
    double size = 0;
    if (t->dense_rest) return fabs(tableau_dense_weight(t, i, theta));
    for (int k = t->dense_degree - 1; k >= 0; k--)
        size = (size + fabs(t->dense[i * t->dense_degree + k])) * theta;
    return size;
}

static void quadrature_to_rounding(void **state)
{
    static const double thetas[] = {0.07, 0.25, 0.5, 0.61, 0.9, 0.999, 1};
    const keel_tableau *t;
    (void)state;
    for (int table = 0; (t = method_table(table)); table++)
        for (size_t j = 0; t->dense && !t->A_explicit && j < sizeof thetas / sizeof *thetas; j++)
            for (int k = 1; k <= t->dense_order; k++) {
                int s = t->stages, all = s + t->extra;
                double sum = -pow(thetas[j], k) / k, size = fabs(sum);
                for (int i = 0; i < all; i++) {
                    double c = i < s ? t->c[i] : t->c_extra[i - s];
                    double power = pow(c, k - 1);
                    sum += tableau_dense_weight(t, i, thetas[j]) * power;
                    size += rounded_size(t, i, thetas[j]) * power;
                }
                if (!(fabs(sum) <= 0.5 * (k + 2) * DBL_EPSILON * size))
                    fail_msg("%s: theta = %g, t^%d by %g", t->name, thetas[j], k - 1, sum);
            }
}

static void dense_output_orders(void **state)
{
    static const double thetas[] = {0.07, 0.25, 0.5, 0.61, 0.9};
    const keel_tableau *t;
    int count = 0;
    (void)state;
    for (int i = 0; (t = method_table(i)); i++) {
        double A[TREE_STAGES_MAX * TREE_STAGES_MAX], b[TREE_STAGES_MAX], slope[TREE_STAGES_MAX];
        int all = t->stages + t->extra;
        if (!t->dense) continue;
        count++;
        extended(t, A);
        for (size_t k = 0; k < sizeof thetas / sizeof thetas[0]; k++) {
            dense_weights(t, thetas[k], b, slope);
            has_order(t, "dense output", all, A, b, t->dense_order, thetas[k], table_defect);
        }
    }
    assert_int_equal(count, 5);
}

/* b(0) = 0 by its form; b(1) = b, b'(0) = e_1: continuous, with the slope f(y_n).  b'(1) picks f at
 * the new point: the last stage of dopri5, the first extra one of the others.  The k_i of Rosenbrock
 * methods are no slopes: b(1) = b alone. */
static void dense_output_ends(void **state)
{
    const keel_tableau *t;
    (void)state;
    for (int i = 0; (t = method_table(i)); i++) {
        double b[TREE_STAGES_MAX], slope[TREE_STAGES_MAX];
        int s = t->stages, end = t->extra ? s : s - 1;
        if (!t->dense) continue;
        dense_weights(t, 0, b, slope);
        for (int k = 0; k < s + t->extra && !t->A_explicit; k++)
            assert_true(fabs(slope[k] - (k == 0)) < 1e-14);
        dense_weights(t, 1, b, slope);
        for (int k = 0; k < s + t->extra; k++) {
            double reach = 1;                /* powers of verner8: 1e5, cancelling in the slope */
            for (int p = 0; p < t->dense_degree; p++)
                reach += (p + 1) * fabs(t->dense[k * t->dense_degree + p]);
            assert_true(fabs(b[k] - (k < s ? t->b[k] : 0)) <= 8 * DBL_EPSILON * 32);
            assert_true(t->A_explicit ||
                        fabs(slope[k] - (k == end)) < 8 * DBL_EPSILON * reach);
        }
    }
}

/* Stability at infinity and stage order as published; sdirk-4b has R(inf) = L_3(1/gamma), a
 * Laguerre polynomial [HW96 IV.6]. */
static void properties(void **state)
{
    const double x = 1 / (0.5 + cos(acos(-1.0) / 18) / sqrt(3));
    const double laguerre = 1 - 3 * x + 3 * x * x / 2 - x * x * x / 6;
    const struct {
        const char *name;
        int stage_order, stiffly_accurate, explicit_first;
        double r_infinity;
    } known[] = {
        {"sdirk-2", 1, 1, 0, 0},  {"sdirk-4", 1, 1, 0, 0},  {"sdirk-4c", 1, 1, 0, 0},  {"sdirk-4b", 1, 0, 0, laguerre},
        {"tr-bdf2", 2, 1, 1, 0},  {"esdirk-3", 2, 1, 1, 0}, {"esdirk-4", 2, 1, 1, 0},
        {"esdirk-5", 2, 1, 1, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_method *m;
        assert_int_equal(keel_method_named(&m, known[k].name), KEEL_OK);
        assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_DIAGONAL);
        assert_int_equal(m->stage_order, known[k].stage_order);
        assert_int_equal(m->stiffly_accurate, known[k].stiffly_accurate);
        assert_int_equal(m->explicit_first, known[k].explicit_first);
        if (!(fabs(m->r_infinity - known[k].r_infinity) < 1e-12))
            fail_msg("R(inf) of %s is %.9g", known[k].name, m->r_infinity);
        keel_method_free(m);
    }
}

/* Half-explicit methods: a_(i+1),i and b_s must not vanish, since they fix the multipliers; for
 * partitioned ones it is the diagonal of A_constraint. */
static void half_explicit(void **state)
{
    const keel_tableau *t;
    int count = 0;
    (void)state;
    for (int i = 0; (t = method_table(i)); i++) {
        int s = t->stages;
        if (!t->half_explicit) continue;
        count++;
        assert_int_equal(t->order_index2, t->order);
        for (int k = 1; k < s; k++)
            if (t->A_constraint) assert_true(fabs(t->A_constraint[k * s + k]) > 1e-3);
            else assert_true(fabs(t->A[k * s + k - 1]) > 1e-3);
        if (!t->A_constraint) assert_true(fabs(t->b[s - 1]) > 1e-3);
        for (int j = 0; t->A_constraint && j < s; j++)
            assert_true(t->A_constraint[(s - 2) * s + j] == t->b[j]);
    }
    assert_int_equal(count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_by_trees),     cmocka_unit_test(second_estimate),
        cmocka_unit_test(corner_weights),
        cmocka_unit_test(dense_output_orders),
        cmocka_unit_test(dense_weights_are_exact), cmocka_unit_test(quadrature_to_rounding), cmocka_unit_test(dense_output_ends),
        cmocka_unit_test(properties),          cmocka_unit_test(half_explicit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
