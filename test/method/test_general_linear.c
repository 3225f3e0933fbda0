/* test_general_linear.c -- methods of several values: order conditions, M(inf), Runge-Kutta methods
 * as such, and what is said about wrong ones. */
#include "method/general_linear.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/tables.h"

enum { R = KEEL_VALUES_MOST };

static keel_method *named(const char *name)
{
    keel_method *m = NULL;
    if (keel_method_named(&m, name)) fail_msg("%s: %s", name, keel_method_message(m));
    return m;
}

/* ---- the published methods ------------------------------------------------------------------- */

/* On y' = p'(t) with p of degree d the step is exact for d <= order from exact values, and all
 * stages for d <= stage order: nothing of this uses the conditions that the library checks. */
static double step_defect(const keel_general_linear *g, int d, int of_stages)
{
    int s = g->stages, r = g->values;
    double in[R], slope[KEEL_STAGES_MOST], worst = 0;
    for (int i = 0; i < r; i++) in[i] = i == d;  /* y = t^d / d! at t = 0, h = 1: Nordsieck */
    for (int j = 0; j < s; j++) slope[j] = d == 0 ? 0 : pow(g->c[j], d - 1) / tgamma(d);
    for (int i = 0; i < (of_stages ? s : r); i++) {
        const double *a = (of_stages ? g->A : g->B) + i * s, *u = (of_stages ? g->U : g->V) + i * r;
        double exact = of_stages ? pow(g->c[i], d) / tgamma(d + 1)
                     : i <= d ? 1 / tgamma(d - i + 1) : 0, sum = 0;
        for (int j = 0; j < s; j++) sum += a[j] * slope[j];
        for (int j = 0; j < r; j++) sum += u[j] * in[j];
        worst = fmax(worst, fabs(sum - exact));
    }
    return worst;
}

static void dimsims(void **state)
{
    static const int nilpotency[] = {2, 3, 4};       /* [Weiss 2007, 4.3] */
    (void)state;
    for (int p = 1; p <= 3; p++) {
        char name[32];
        double M[R * R], power[R * R], next[R * R];
        snprintf(name, sizeof name, "dimsim-%d", p);
        keel_method *m = named(name);
        const keel_general_linear *g = keel_method_general_linear(m);
        int r = g->values;
        assert_int_equal(g->order, p);
        assert_int_equal(g->stage_order, p);
        assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_GENERAL_LINEAR);
        assert_null(keel_method_tableau(m));
        assert_null(keel_method_multistep(m));
        assert_int_equal(keel_method_analyse(m, &(keel_analysis){0}), KEEL_UNSUPPORTED);
        assert_int_equal(m->stiffly_accurate, p != 2);
        assert_int_equal(keel_method_estimate(m), KEEL_ESTIMATE_CARRIED);
        assert_true(m->r_infinity == 0);
        for (int d = 0; d <= p; d++) {
            assert_true(step_defect(g, d, 0) < 1e-13);
            assert_true(step_defect(g, d, 1) < 1e-13);
        }
        assert_true(step_defect(g, p + 1, 0) > 1e-4);
        assert_int_equal(general_linear_at_infinity(g, M, NULL), KEEL_OK);
        memcpy(power, M, sizeof M);
        for (int k = 2; k <= nilpotency[p - 1]; k++) {
            double largest = 0;
            for (int i = 0; i < r * r; i++) largest = fmax(largest, fabs(power[i]));
            assert_true(largest > 1e-2);             /* M^(k-1) is not 0 */
            for (int i = 0; i < r; i++)
                for (int j = 0; j < r; j++) {
                    next[i * r + j] = 0;
                    for (int l = 0; l < r; l++) next[i * r + j] += power[i * r + l] * M[l * r + j];
                }
            memcpy(power, next, sizeof power);
        }
        for (int i = 0; i < r * r; i++) assert_true(fabs(power[i]) < 1e-9);  /* of 1463^2 eps */
        keel_method_free(m);
    }
}

/* Orders that are not claimed are found. */
static void orders_found(void **state)
{
    (void)state;
    for (int i = 0; tables_general_linear[i]; i++) {
        keel_general_linear g = *tables_general_linear[i];
        keel_method *m, *copy;
        g.order = g.stage_order = 0;
        assert_int_equal(keel_general_linear_create(&m, &g), KEEL_OK);
        assert_int_equal(m->general.order, tables_general_linear[i]->order);
        assert_int_equal(m->general.stage_order, tables_general_linear[i]->stage_order);
        assert_int_equal(m->tableau.order, m->general.order);
        assert_int_equal(method_copy(&copy, m), KEEL_OK);
        assert_string_equal(copy->general.name, m->general.name);
        assert_memory_equal(copy->general.V, m->general.V,
                            (size_t)(g.values * g.values) * sizeof *g.V);
        assert_int_equal(copy->general.order, m->general.order);
        assert_int_equal(copy->kind, m->kind);
        keel_method_free(copy);
        keel_method_free(m);
    }
}

/* Every Runge-Kutta method is one, with M(inf) = R(inf). */
static void runge_kutta(void **state)
{
    static const char *const names[] = {"radau-iia-3", "gauss-2", "sdirk-4b", "lobatto-iiic-3",
                                        "rk4"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        keel_method *m = named(names[k]);
        const keel_general_linear *g = keel_method_general_linear(m);
        const keel_tableau *t = keel_method_tableau(m);
        double M;
        assert_int_equal(g->values, 1);
        assert_int_equal(g->stages, t->stages);
        assert_int_equal(g->order, t->order);
        assert_int_equal(g->stage_order, m->stage_order);
        assert_string_equal(g->name, names[k]);
        assert_true(g->V[0] == 1 && g->W == NULL);
        for (int i = 0; i < t->stages; i++) assert_true(g->U[i] == 1 && g->B[i] == t->b[i]);
        if (strcmp(names[k], "rk4") == 0) {
            assert_int_equal(general_linear_at_infinity(g, &M, NULL), KEEL_SINGULAR);
        } else {
            assert_int_equal(general_linear_at_infinity(g, &M, NULL), KEEL_OK);
            assert_true(fabs(M - m->r_infinity) < 1e-13);
        }
        keel_method_free(m);
    }
}

/* The same method with other values carried, y~ = S y: U S^-1, S B, S V S^-1, W = S. */
static void other_values(void **state)
{
    const keel_general_linear *g = tables_general_linear[1];
    static const double S[] = {1, 0, 0, 1, -1, 0.5, 0, 1, 0};
    static const double S_inv[] = {1, 0, 0, 0, 0, 1, -2, 2, 2};
    double U[9], B[9], V[9], half[9];
    keel_method *m;
    (void)state;
    for (int i = 0; i < 9; i++) {
        U[i] = B[i] = V[i] = half[i] = 0;
        for (int k = 0; k < 3; k++) {
            U[i] += g->U[i / 3 * 3 + k] * S_inv[k * 3 + i % 3];
            B[i] += S[i / 3 * 3 + k] * g->B[k * 3 + i % 3];
            half[i] += S[i / 3 * 3 + k] * g->V[k * 3 + i % 3];
        }
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) V[i] += half[i / 3 * 3 + k] * S_inv[k * 3 + i % 3];
    keel_general_linear other = {.name = "other", .stages = 3, .values = 3, .order = 2, .A = g->A,
                                 .U = U, .B = B, .V = V, .c = g->c, .W = S};
    if (keel_general_linear_create(&m, &other)) fail_msg("%s", keel_method_message(m));
    assert_int_equal(m->stage_order, 2);
    assert_true(m->r_infinity == 0 && !m->stiffly_accurate);
    keel_method_free(m);
    other.W = NULL;                                  /* it is not the Nordsieck vector */
    assert_int_equal(keel_general_linear_create(&m, &other), KEEL_BAD_ARGUMENT);
    keel_method_free(m);
}

/* The implicit midpoint rule that also carries its stage, y(t_n - h/2) + h^2 y'' / 8: the last
 * stage is a value, but not the new point.  Gauss methods as matrices: |M(inf)| is 1, not almost so. */
static void not_the_new_point(void **state)
{
    static const double half = 0.5, U[] = {1, 0}, B[] = {1, 0.5}, V[] = {1, 0, 1, 0},
                        W[] = {1, 0, 0, 1, -0.5, 0.25};
    keel_method *m, *gauss;
    (void)state;
    const keel_general_linear g = {.stages = 1, .values = 2, .order = 2, .A = &half, .U = U,
                                   .B = B, .V = V, .c = &half, .W = W};
    if (keel_general_linear_create(&m, &g)) fail_msg("%s", keel_method_message(m));
    assert_int_equal(m->general.stage_order, 1);
    assert_int_equal(keel_method_estimate(m), KEEL_ESTIMATE_NONE);
    assert_false(m->stiffly_accurate);
    keel_method_free(m);
    for (int s = 1; s <= 6; s++) {
        char name[32];
        snprintf(name, sizeof name, "gauss-%d", s);
        gauss = named(name);
        keel_general_linear matrices = *keel_method_general_linear(gauss);
        matrices.order = 0;
        if (keel_general_linear_create(&m, &matrices)) fail_msg("%s", keel_method_message(m));
        assert_int_equal(m->general.order, s + 1);
        assert_true(m->r_infinity == 1);
        keel_method_free(m);
        keel_method_free(gauss);
    }
}

/* ---- wrong ones ------------------------------------------------------------------------------ */

static void refused(const keel_general_linear *g, const char *part)
{
    keel_method *m = NULL;
    assert_int_equal(keel_general_linear_create(&m, g), KEEL_BAD_ARGUMENT);
    if (!strstr(keel_method_message(m), part))
        fail_msg("\"%s\" instead of \"%s\"", keel_method_message(m), part);
    assert_null(keel_method_general_linear(m));
    assert_int_equal(keel_method_tableau(m)->stages, 0);
    keel_method_free(m);
}

static void wrong_sizes(void **state)
{
    const keel_general_linear good = *tables_general_linear[1];
    keel_general_linear g = good;
    (void)state;
    assert_int_equal(keel_general_linear_create(NULL, &good), KEEL_BAD_ARGUMENT);
    refused(NULL, "NULL");
    g.stages = 0, refused(&g, "stages = 0");
    g.stages = 21, refused(&g, "stages = 21");
    g = good, g.values = 25, refused(&g, "values = 25");
    g = good, g.values = 0, refused(&g, "values = 0");
    g = good, g.A = NULL, refused(&g, "A is missing");
    g = good, g.U = NULL, refused(&g, "U is missing");
    g = good, g.B = NULL, refused(&g, "B is missing");
    g = good, g.V = NULL, refused(&g, "V is missing");
    g = good, g.c = NULL, refused(&g, "c is missing");
    g = good, g.order = -1, refused(&g, "orders");
    g = good, g.order = 1000, refused(&g, "orders");
    g = good, g.stage_order = -1, refused(&g, "orders");
    g = good, g.order = 0, g.W = good.V, refused(&g, "W has order + 1 columns");
}

/* Each number in turn is NaN or infinite, or wrong. */
static void wrong_numbers(void **state)
{
    const keel_general_linear *good = tables_general_linear[2];
    double A[16], U[16], B[16], V[16], c[4];
    double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double *fields[] = {A, U, B, V, c, W};
    static const char *const names[] = {"a_", "u_", "b_", "v_", "c_", "w_"};
    (void)state;
    memcpy(A, good->A, sizeof A), memcpy(U, good->U, sizeof U), memcpy(B, good->B, sizeof B);
    memcpy(V, good->V, sizeof V), memcpy(c, good->c, sizeof c);
    keel_general_linear g = *good;
    g.A = A, g.U = U, g.B = B, g.V = V, g.c = c, g.W = W;
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < (f == 4 ? 4 : 16); i++) {
            double right = fields[f][i];
            fields[f][i] = NAN, refused(&g, names[f]);
            fields[f][i] = INFINITY, refused(&g, names[f]);
            fields[f][i] = right + 0.01, refused(&g, "");
            fields[f][i] = right;
        }
    keel_method *m = NULL;
    assert_int_equal(keel_general_linear_create(&m, &g), KEEL_OK);
    keel_method_free(m);
}

static void wrong_methods(void **state)
{
    const keel_general_linear good = *tables_general_linear[1];
    keel_general_linear g = good;
    double A[9], U[9], V[9], c[3] = {0, 0.6, 1};
    (void)state;
    g.order = 3, refused(&g, "claims order 3, but has order 2");
    g = good, g.stage_order = 3, refused(&g, "claims stage order 3, but has 2");
    g = good, g.c = c, refused(&g, "c_2 = 0.6, but");
    memcpy(A, good.A, sizeof A), memcpy(U, good.U, sizeof U), memcpy(V, good.V, sizeof V);
    A[0] = 0, g = good, g.A = A, refused(&g, "A is singular");
    U[3] = 0.9, g = good, g.U = U;
    refused(&g, "not preconsistent: U u = 1 with u = e_1 fails in row 2");
    V[3] = 0.1, g = good, g.V = V;
    refused(&g, "not preconsistent: V u = u with u = e_1 fails in row 2");
    /* An explicit step that carries a second value which doubles: order 1, but not stable. */
    static const double one = 1, u[] = {1, 0}, b[] = {1, 0}, v[] = {1, 0, 0, 2}, w[] = {1, 0, 0, 0};
    g = (keel_general_linear){.stages = 1, .values = 2, .order = 1, .A = &one, .U = u, .B = b,
                              .V = v, .c = &one, .W = w};
    refused(&g, "not zero-stable: V has an eigenvalue of modulus 2");
    /* ... by 1.01, and values that feed each other: powers of [1 1; 0 1] grow. */
    static const double slow[] = {1, 0, 0, 1.01}, u3[] = {1, 0, 0}, b3[] = {1, 0, 0},
                        chain[] = {1, 0, 0, 0, 1, 1, 0, 0, 1}, w3[] = {1, 0, 0, 0, 0, 0};
    g.V = slow, refused(&g, "not zero-stable: V has an eigenvalue of modulus 1.01");
    g.values = 3, g.U = u3, g.B = b3, g.V = chain, g.W = w3;
    refused(&g, "not zero-stable: V has a multiple eigenvalue");
    /* Nearly singular. */
    static const double almost[] = {1, 1, 1, 1 + 1e-15}, u2[] = {1, 1}, c2[] = {2, 2};
    static const double b2[] = {0.5, 0.5};
    g = (keel_general_linear){.stages = 2, .values = 1, .order = 1, .A = almost, .U = u2, .B = b2,
                              .V = &one, .c = c2};
    refused(&g, "A is singular");
    /* Runge-Kutta methods of an order above q + 1 come from a tableau. */
    keel_method *m = named("sdirk-4");
    refused(&m->general, "claims order 4, but has order 2, one more than its stage order");
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimsims), cmocka_unit_test(orders_found), cmocka_unit_test(runge_kutta),
        cmocka_unit_test(other_values), cmocka_unit_test(not_the_new_point),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(wrong_numbers), cmocka_unit_test(wrong_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
