/* test_analysis.c -- what is known about published methods is found from their coefficients. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "test/support/tableaux.h"

static keel_analysis analysis_of(const char *name)
{
    keel_method *m = sample_method(name);
    keel_analysis a;
    assert_non_null(m);
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    keel_method_free(m);
    return a;
}

static int near(double value, double exact, double tolerance)
{
    return fabs(value - exact) <= tolerance;
}

/* ---- order --------------------------------------------------------------------------------- */

/* [HW96 IV.5 table 5.13] and the literature of the others. */
static void orders(void **state)
{
    static const struct { const char *name; int order, hat, B, C, D; } known[] = {
        {"gauss-1", 2, 0, 2, 1, 1},        {"gauss-2", 4, 0, 4, 2, 2},
        {"gauss-3", 6, 0, 6, 3, 3},        {"radau-ia-2", 3, 0, 3, 1, 2},
        {"radau-ia-3", 5, 0, 5, 2, 3},     {"radau-iia-1", 1, 0, 1, 1, 0},
        {"radau-iia-2", 3, 0, 3, 2, 1},    {"radau-iia-3", 5, 0, 5, 3, 2},
        {"lobatto-iiia-2", 2, 0, 2, 2, 0}, {"lobatto-iiia-3", 4, 0, 4, 3, 1},
        {"lobatto-iiia-4", 6, 0, 6, 4, 2}, {"lobatto-iiib-3", 4, 0, 4, 1, 3},
        {"lobatto-iiic-2", 2, 0, 2, 1, 1}, {"lobatto-iiic-3", 4, 0, 4, 2, 2},
        {"sdirk-2", 2, 0, 2, 1, 0},        {"sdirk-3", 3, 0, 4, 1, 1},
        {"sdirk-4", 4, 3, 4, 1, 0},        {"tr-bdf2", 2, 3, 2, 2, 0},
        {"euler", 1, 0, 1, 1, 0},          {"rk4", 4, 0, 4, 1, 1},
        {"dopri5", 5, 4, 5, 1, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_analysis a = analysis_of(known[k].name);
        if (a.order != known[k].order || a.order_hat != known[k].hat || a.B != known[k].B
            || a.C != known[k].C || a.D != known[k].D)
            fail_msg("%s: order %d(%d), B(%d), C(%d), D(%d)", known[k].name, a.order, a.order_hat,
                     a.B, a.C, a.D);
        assert_int_equal(a.stage_order, a.B < a.C ? a.B : a.C);
        assert_true(a.condition_tree[0] == '[' && a.condition_defect != 0);
    }
}

/* One of the first 13 digits of any coefficient changed is noticed: 15 digits are what tables are
 * printed with, and the last two may be rounding. */
static void wrong_digit(void **state)
{
    static const char *const names[] = {"gauss-3", "radau-iia-3", "sdirk-4", "rk4", "dopri5"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const sample *right = sample_named(names[k]);
        int s = right->s, order = analysis_of(names[k]).order;
        for (int i = 0; i < s * s + s; i++) {
            sample wrong = *right;
            double *x = i < s * s ? &wrong.A[i] : &wrong.b[i - s * s];
            int unused = i < s * s && right->b[i / s] == 0;  /* of dopri5: 2nd and 7th stage */
            if (*x == 0 || (unused && i / s == s - 1)) continue;
            *x += pow(10, floor(log10(fabs(*x))) - 12);
            keel_method *m = NULL;
            keel_analysis a;
            keel_tableau t = {.stages = s, .A = wrong.A, .b = wrong.b};
            assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
            assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
            if (a.order >= order) fail_msg("%s: coefficient %d", names[k], i);
            assert_true(a.condition_tree[0] != 0 && fabs(a.condition_defect) < 1e-9);
            keel_method_free(m);
        }
    }
}

/* Beyond order 10, and where powers would leave nothing but rounding. */
static void high_orders(void **state)
{
    (void)state;
    for (int s = 4; s <= STAGES_MAX; s++) {
        char name[32];
        keel_method *m;
        keel_analysis a;
        snprintf(name, sizeof name, "radau-iia-%d", s);
        assert_int_equal(keel_method_named(&m, name), KEEL_OK);
        assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
        assert_true(a.order == 2 * s - 1 && a.B == 2 * s - 1 && a.C == s && a.D == s - 1);
        assert_true(a.l_stable && a.algebraically_stable && a.r_infinity == 0 && a.alpha == 90);
        assert_true(a.real_systems == s % 2 && a.complex_systems == s / 2);
        double exact = s % 2 ? -1 : 1;       /* (-1)^s s! (s-1)! / ((2s-1)! (2s)!) [HW96 IV.3] */
        for (int k = 1; k <= 2 * s; k++)
            exact *= (k <= s ? k : 1) * (k < s ? (double)k : 1) / k / (k < 2 * s ? k : 1);
        assert_true(near(a.error_constant, exact, 1e-11 * fabs(exact)));
        keel_method_free(m);
    }
}

/* ---- linear stability ---------------------------------------------------------------------- */

/* R = e^z - C z^(p+1) + ...: by series of the known rational functions. */
static void error_constants(void **state)
{
    static const struct { const char *name; double C; } known[] = {
        {"gauss-1", -1 / 12.0}, {"gauss-2", 1 / 720.0}, {"gauss-3", -1 / 100800.0},
        {"radau-iia-1", -1 / 2.0}, {"radau-iia-2", 1 / 72.0}, {"radau-iia-3", -1 / 7200.0},
        {"radau-ia-2", 1 / 72.0}, {"lobatto-iiia-2", -1 / 12.0}, {"lobatto-iiic-2", 1 / 6.0},
        {"rk4", 1 / 120.0}, {"euler", 1 / 2.0}, {"dopri5", 1 / 720.0 - 1 / 600.0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!near(analysis_of(known[k].name).error_constant, known[k].C, 1e-15))
            fail_msg("%s: %.17g", known[k].name, analysis_of(known[k].name).error_constant);
}

static void at_infinity(void **state)
{
    static const struct { const char *name; double r; } known[] = {
        {"gauss-1", -1}, {"gauss-2", 1}, {"gauss-3", -1}, {"radau-ia-3", 0}, {"radau-iia-3", 0},
        {"lobatto-iiia-2", -1}, {"lobatto-iiia-3", 1}, {"lobatto-iiia-4", -1},
        {"lobatto-iiib-3", 1}, {"lobatto-iiic-3", 0}, {"sdirk-2", 0}, {"tr-bdf2", 0},
        {"sdirk-4", 0}, {"sdirk-3", 1 - 1.7320508075688772},
    };
    static const char *const poles[] = {"euler", "rk4", "dopri5"};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!near(analysis_of(known[k].name).r_infinity, known[k].r, 1e-14))
            fail_msg("%s: %.17g", known[k].name, analysis_of(known[k].name).r_infinity);
    for (size_t k = 0; k < sizeof poles / sizeof poles[0]; k++)
        assert_true(isnan(analysis_of(poles[k]).r_infinity));
}

static void a_and_l_stability(void **state)
{
    static const char *const l_stable[] = {"radau-ia-2", "radau-ia-3", "radau-iia-1",
        "radau-iia-3", "lobatto-iiic-2", "lobatto-iiic-3", "sdirk-2", "sdirk-4", "tr-bdf2"};
    static const char *const a_stable[] = {"gauss-1", "gauss-2", "gauss-3", "lobatto-iiia-2",
        "lobatto-iiia-3", "lobatto-iiia-4", "lobatto-iiib-3", "sdirk-3"};
    static const char *const neither[] = {"euler", "rk4", "dopri5"};
    (void)state;
    for (size_t k = 0; k < sizeof l_stable / sizeof l_stable[0]; k++) {
        keel_analysis a = analysis_of(l_stable[k]);
        if (!a.a_stable || !a.l_stable || a.alpha != 90) fail_msg("%s", l_stable[k]);
    }
    for (size_t k = 0; k < sizeof a_stable / sizeof a_stable[0]; k++) {
        keel_analysis a = analysis_of(a_stable[k]);
        if (!a.a_stable || a.l_stable || a.alpha != 90 || !isinf(a.real_limit)
            || !isinf(a.imaginary_limit)) fail_msg("%s", a_stable[k]);
    }
    for (size_t k = 0; k < sizeof neither / sizeof neither[0]; k++) {
        keel_analysis a = analysis_of(neither[k]);
        assert_true(!a.a_stable && !a.l_stable && a.alpha == 0);
    }
}

/* The SDIRK of order 3 with two stages, R(z) = P/(1 - gamma z)^2, is A-stable for
 * gamma = (3 + sqrt 3)/6 and for (3 - sqrt 3)/6 it is not [HNW93 II.7 table 7.2, HW96 IV.6]: its
 * R(inf) = 1 + sqrt 3 there.  The theta method is A-stable from theta = 1/2 on. */
static void limits_of_a_stability(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        double gamma = (3 + (side ? -1 : 1) * sqrt(3)) / 6;
        double A[] = {gamma, 0, 1 - 2 * gamma, gamma}, b[] = {0.5, 0.5};
        double theta = side ? 0.499999 : 0.500001;
        keel_tableau t[2] = {{.stages = 2, .A = A, .b = b},
                             {.stages = 1, .A = &theta, .b = (double[]){1}}};
        for (int k = 0; k < 2; k++) {
            keel_method *m;
            keel_analysis a;
            assert_int_equal(keel_method_create(&m, &t[k]), KEEL_OK);
            assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
            assert_int_equal(a.a_stable, !side);
            if (side) assert_true(a.imaginary_limit == 0 && a.alpha == 0);
            keel_method_free(m);
        }
    }
}

/* A(alpha): A = (1/2 -3/2; 1/2 1/2), b = (1/2, 1/2) has R = 1/(1 - z + z^2).  With c = cos alpha,
 * |R(-r e^(i alpha))| <= 1 means r^3 + 2c r^2 + (4c^2 - 1) r + 2c >= 0 for all r > 0. */
static void sector(void **state)
{
    keel_tableau t = {.stages = 2, .A = (double[]){0.5, -1.5, 0.5, 0.5}, .b = (double[]){0.5, 0.5}};
    double low = 0, high = 1;
    keel_method *m;
    keel_analysis a;
    (void)state;
    while (high - low > 1e-9) {
        double c = 0.5 * (low + high), least = 1;
        for (double r = 0; r < 2; r += 1e-4)
            least = fmin(least, ((r + 2 * c) * r + 4 * c * c - 1) * r + 2 * c);
        if (least < 0) low = c;
        else high = c;
    }
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    assert_true(!a.a_stable && a.r_infinity == 0 && isinf(a.real_limit));
    assert_true(near(a.alpha, acos(high) * 57.29577951308232, 1e-3));
    keel_method_free(m);
}

/* [HNW93 II, HW96 IV.2]: -2 for Euler, -2.785293563 and 2 sqrt 2 for the classical method,
 * -3.3066 for Dormand & Prince. */
static void intervals(void **state)
{
    (void)state;
    assert_true(near(analysis_of("euler").real_limit, 2, 1e-9));
    assert_true(analysis_of("euler").imaginary_limit == 0);
    assert_true(near(analysis_of("rk4").real_limit, 2.785293563405282, 1e-9));
    assert_true(near(analysis_of("rk4").imaginary_limit, 2 * sqrt(2), 1e-8));
    assert_true(near(analysis_of("dopri5").real_limit, 3.3066, 1e-4));
}

static void stability_function(void **state)
{
    keel_method *m = sample_method("radau-iia-2"), *e = sample_method("rk4");
    double re, im;
    (void)state;
    for (int k = 0; k < 20; k++) {
        double x = -3 + 0.37 * k, y = 2 - 0.29 * k;
        /* (1 + z/3) / (1 - 2z/3 + z^2/6) */
        double p_re = 1 + x / 3, p_im = y / 3;
        double q_re = 1 - 2 * x / 3 + (x * x - y * y) / 6, q_im = -2 * y / 3 + x * y / 3;
        double size = q_re * q_re + q_im * q_im;
        keel_method_stability(m, x, y, &re, &im);
        assert_true(near(re, (p_re * q_re + p_im * q_im) / size, 1e-14));
        assert_true(near(im, (p_im * q_re - p_re * q_im) / size, 1e-14));
    }
    keel_method_stability(e, -1, 0, &re, &im);
    assert_true(near(re, 1 - 1 + 0.5 - 1 / 6.0 + 1 / 24.0, 1e-15) && im == 0);
    keel_method_free(m);
    keel_method_free(e);
}

/* ---- structure ----------------------------------------------------------------------------- */

/* [HW96 IV.12 table 12.1]: Gauss, Radau, Lobatto IIIC are algebraically stable; IIIA and IIIB are
 * not, for three stages.  Of the SDIRK methods of order 3 the one with the larger gamma is
 * [HW96 IV.12 after (12.20)]. */
static void nonlinear_stability(void **state)
{
    static const char *const stable[] = {"gauss-1", "gauss-2", "gauss-3", "radau-ia-2",
        "radau-ia-3", "radau-iia-1", "radau-iia-2", "radau-iia-3", "lobatto-iiic-2",
        "lobatto-iiic-3", "sdirk-3"};
    static const char *const unstable[] = {"lobatto-iiia-3", "lobatto-iiib-3", "sdirk-4", "rk4",
        "tr-bdf2", "lobatto-iiia-2"};
    (void)state;
    for (size_t k = 0; k < sizeof stable / sizeof stable[0]; k++) {
        keel_analysis a = analysis_of(stable[k]);
        if (!a.algebraically_stable || a.an_stable != 1 || a.b_stable != 1 || a.bn_stable != 1
            || a.negative_weights) fail_msg("%s", stable[k]);
    }
    for (size_t k = 0; k < sizeof unstable / sizeof unstable[0]; k++) {
        keel_analysis a = analysis_of(unstable[k]);
        if (a.algebraically_stable || a.an_stable || a.b_stable || a.bn_stable)
            fail_msg("%s", unstable[k]);
        assert_true(a.algebraic[0] < 0);
    }
    assert_int_equal(analysis_of("sdirk-4").negative_weights, 2);
}

static void symmetry_and_symplecticity(void **state)
{
    static const struct { const char *name; int symmetric, symplectic; } known[] = {
        {"gauss-1", 1, 1}, {"gauss-2", 1, 1}, {"gauss-3", 1, 1}, {"lobatto-iiia-2", 1, 0},
        {"lobatto-iiia-4", 1, 0}, {"lobatto-iiib-3", 1, 0}, {"lobatto-iiic-3", 0, 0},
        {"radau-iia-3", 0, 0}, {"rk4", 0, 0}, {"sdirk-2", 0, 0}, {"tr-bdf2", 0, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_analysis a = analysis_of(known[k].name);
        if (a.symmetric != known[k].symmetric || a.symplectic != known[k].symplectic)
            fail_msg("%s: %d %d", known[k].name, a.symmetric, a.symplectic);
    }
}

/* Rows 1 and 2 of alpha + gamma have one sum, those of alpha two. */
static void rosenbrock_stages_differ(void **state)
{
    keel_method *m;
    keel_analysis a;
    (void)state;
    assert_int_equal(keel_method_named(&m, "rodas-5p"), KEEL_OK);
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    assert_true(a.irreducible);
    keel_method_free(m);
}

/* Gauss 1 written with a stage that nothing uses, and with the same stage twice. */
static void reducible(void **state)
{
    static const struct { double A[4], b[2]; } forms[] = {
        {{0.5, 0, 0.3, 0.2}, {1, 0}}, {{0.25, 0.25, 0.5, 0}, {0.5, 0.5}}};
    (void)state;
    assert_true(analysis_of("gauss-3").irreducible && analysis_of("rk4").irreducible);
    assert_true(!analysis_of("gauss-3").confluent && analysis_of("rk4").confluent);
    for (int k = 0; k < 2; k++) {
        keel_method *m;
        keel_analysis a;
        keel_tableau t = {.stages = 2, .A = forms[k].A, .b = forms[k].b};
        assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
        assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
        assert_true(!a.irreducible && a.confluent && a.order == 2 && a.a_stable);
        keel_method_free(m);
    }
}

static void effort(void **state)
{
    static const struct { const char *name; int rhs, real, pairs; } known[] = {
        {"radau-iia-3", 3, 1, 1}, {"gauss-2", 2, 0, 1}, {"sdirk-4", 5, 1, 0}, {"tr-bdf2", 2, 1, 0},
        {"lobatto-iiia-3", 2, 0, 1}, {"rk4", 4, 0, 0}, {"dopri5", 6, 0, 0}, {"euler", 1, 0, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_analysis a = analysis_of(known[k].name);
        if (a.rhs_per_step != known[k].rhs || a.real_systems != known[k].real
            || a.complex_systems != known[k].pairs)
            fail_msg("%s: %d %d %d", known[k].name, a.rhs_per_step, a.real_systems,
                     a.complex_systems);
    }
    keel_analysis a = analysis_of("gauss-2");                /* 1/4 +- i sqrt 3 / 12 */
    assert_true(near(a.eigenvalue_re[0], 0.25, 1e-15));
    assert_true(near(fabs(a.eigenvalue_im[0]), sqrt(3) / 12, 1e-15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders), cmocka_unit_test(wrong_digit), cmocka_unit_test(high_orders),
        cmocka_unit_test(error_constants), cmocka_unit_test(at_infinity),
        cmocka_unit_test(a_and_l_stability), cmocka_unit_test(limits_of_a_stability),
        cmocka_unit_test(sector), cmocka_unit_test(intervals),
        cmocka_unit_test(stability_function), cmocka_unit_test(nonlinear_stability),
        cmocka_unit_test(symmetry_and_symplecticity), cmocka_unit_test(reducible),
        cmocka_unit_test(rosenbrock_stages_differ),
        cmocka_unit_test(effort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
