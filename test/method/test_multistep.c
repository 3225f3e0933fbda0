/* test_multistep.c -- multistep formulas: published coefficients, orders, roots, and the two forms
 * in which their past is carried. */
#include "method/multistep_values.h"     /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static keel_method *named(const char *name)
{
    keel_method *m = NULL;
    if (keel_method_named(&m, name)) fail_msg("%s: %s", name, keel_method_message(m));
    return m;
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* [HNW93 III.1]; DCBDF [Bendtsen & Thomsen 1999, 5.2.2]. */
static const struct {
    const char *name;
    int k, order;
    double scale, alpha[7], beta[7];
} published[] = {
    {"bdf-1", 1, 1, 1, {-1, 1}, {0, 1}},
    {"bdf-2", 2, 2, 2, {1, -4, 3}, {0, 0, 2}},
    {"bdf-3", 3, 3, 6, {-2, 9, -18, 11}, {0, 0, 0, 6}},
    {"bdf-4", 4, 4, 12, {3, -16, 36, -48, 25}, {0, 0, 0, 0, 12}},
    {"bdf-5", 5, 5, 60, {-12, 75, -200, 300, -300, 137}, {0, 0, 0, 0, 0, 60}},
    {"bdf-6", 6, 6, 60, {10, -72, 225, -400, 450, -360, 147}, {0, 0, 0, 0, 0, 0, 60}},
    {"adams-1", 1, 2, 2, {-2, 2}, {1, 1}},
    {"adams-2", 2, 3, 12, {0, -12, 12}, {-1, 8, 5}},
    {"adams-3", 3, 4, 24, {0, 0, -24, 24}, {1, -5, 19, 9}},
    {"adams-4", 4, 5, 720, {0, 0, 0, -720, 720}, {-19, 106, -264, 646, 251}},
    {"dcbdf-2", 2, 3, 6, {3, -12, 9}, {-2, 4, 4}},
    {"dcbdf-3", 3, 4, 12, {-4, 18, -36, 22}, {3, -9, 9, 9}},
};

static void published_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        keel_method *m = named(published[i].name);
        const keel_multistep *f = keel_method_multistep(m);
        assert_int_equal(f->steps, published[i].k);
        assert_int_equal(f->order, published[i].order);
        assert_int_equal(m->stage_order, f->order);
        assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_MULTISTEP);
        assert_null(keel_method_tableau(m));
        for (int j = 0; j <= f->steps; j++) {
            assert_true(f->alpha[j] == published[i].alpha[j] / published[i].scale);
            assert_true(f->beta[j] == published[i].beta[j] / published[i].scale);
        }
        keel_method_free(m);
    }
}

/* Orders by applying the formula to polynomials, which the library does not do. */
static void orders(void **state)
{
    (void)state;
    for (int i = 0; multistep_table(i, 0); i++) {
        keel_method *m = named(multistep_table(i, 0)->name);
        const keel_multistep *f = keel_method_multistep(m);
        int bdf = strncmp(f->name, "bdf", 3) == 0;
        assert_int_equal(f->order, bdf ? f->steps : f->steps + 1);
        for (int d = 0; d <= f->order + 1; d++) {
            long double defect = 0, size = 1;
            for (int j = 0; j <= f->steps; j++) {
                long double x = (long double)j / f->steps - 0.4L, h = 1.0L / f->steps;
                long double slope = d ? d * powl(x, d - 1) : 0;
                defect += f->alpha[j] * powl(x, d) - h * f->beta[j] * slope;
                size += fabsl(f->alpha[j]) + fabsl(h * f->beta[j] * slope);
            }
            if (d <= f->order && fabsl(defect) > 4 * DBL_EPSILON * size)
                fail_msg("%s on t^%d: %Lg", f->name, d, defect);
            if (d > f->order && fabsl(defect) < 1e-7L) fail_msg("%s is of higher order", f->name);
        }
        keel_method_free(m);
    }
}

/* sigma(1) = 1 whatever the scale of the formula. */
static void scaled(void **state)
{
    static const double alpha[] = {2, -8, 6}, beta[] = {0, 0, 4};
    keel_method *m, *copy;
    (void)state;
    assert_int_equal(keel_multistep_create(&m, &(keel_multistep){.name = "mine", .steps = 2,
                                               .alpha = alpha, .beta = beta}), KEEL_OK);
    const keel_multistep *f = keel_method_multistep(m);
    assert_true(f->alpha[2] == 1.5 && f->alpha[1] == -2 && f->alpha[0] == 0.5 && f->beta[2] == 1);
    assert_int_equal(f->order, 2);
    assert_int_equal(method_copy(&copy, m), KEEL_OK);
    assert_memory_equal(copy->multistep.alpha, f->alpha, 3 * sizeof *f->alpha);
    assert_string_equal(copy->multistep.name, "mine");
    assert_int_equal(copy->general.values, 3);
    keel_method_free(copy);
    keel_method_free(m);
}

/* Simpson's rule has the order k + 2, the most there is.  sigma = zeta^k alone makes no BDF: that
 * of order 1 with rho = (zeta-1)(zeta+1/2) carries its past. */
static void other_formulas(void **state)
{
    keel_method *m;
    (void)state;
    assert_int_equal(keel_multistep_create(&m, &(keel_multistep){.steps = 2,
                         .alpha = (double[]){-3, 0, 3}, .beta = (double[]){1, 4, 1}}), KEEL_OK);
    assert_int_equal(keel_method_multistep(m)->order, 4);
    keel_method_free(m);
    assert_int_equal(keel_multistep_create(&m, &(keel_multistep){.steps = 2,
                         .alpha = (double[]){-1, -1, 2}, .beta = (double[]){0, 0, 3}}), KEEL_OK);
    assert_int_equal(keel_method_multistep(m)->order, 1);
    assert_non_null(keel_method_general_linear(m)->W);
    assert_int_equal(keel_method_general_linear(m)->values, 2);
    keel_method_free(m);
    /* Both roots of zeta^2 + b zeta + 1 lie on the unit circle: 1 without a rounding error. */
    for (int k = -15; k <= 15; k++) {
        double b = k / 10.0;
        assert_int_equal(keel_multistep_create(&m, &(keel_multistep){.steps = 2,
                             .alpha = (double[]){0, -2 - b, 2 + b},
                             .beta = (double[]){1, b, 1}}), KEEL_OK);
        assert_true(m->r_infinity == 1);
        keel_method_free(m);
    }
}

/* ---- what is carried ------------------------------------------------------------------------- */

/* The general linear form has the order conditions that general_linear.c knows. */
static void general_forms(void **state)
{
    (void)state;
    for (int i = 0; multistep_table(i, 0); i++) {
        keel_method *m = named(multistep_table(i, 0)->name), *same;
        const keel_general_linear *g = keel_method_general_linear(m);
        int k = m->multistep.steps, bdf = g->W == NULL;
        assert_int_equal(bdf, strncmp(g->name, "bdf", 3) == 0);
        assert_int_equal(keel_method_estimate(m), bdf ? KEEL_ESTIMATE_CARRIED : KEEL_ESTIMATE_NONE);
        assert_int_equal(g->values, bdf ? k + 1 : 2 * k);
        assert_true(general_linear_stiffly_accurate(g) && m->stiffly_accurate);
        if (keel_general_linear_create(&same, g)) fail_msg("%s", keel_method_message(same));
        assert_int_equal(same->general.order, m->multistep.order);
        assert_int_equal(same->general.stage_order, m->multistep.order);
        /* A defective eigenvalue 0 of M(inf), beside the roots of sigma, costs digits. */
        if (!(fabs(same->r_infinity - m->r_infinity) < 1e-6))
            fail_msg("%s: M(inf) %g, sigma %g", g->name, same->r_infinity, m->r_infinity);
        keel_method_free(same);
        keel_method_free(m);
    }
}

/* One step on y' = lambda y + 1 of the general linear form. */
static void advance(const keel_general_linear *g, double lambda, double h, double *y)
{
    int r = g->values;
    double next[KEEL_VALUES_MOST], Y = 0;
    for (int j = 0; j < r; j++) Y += g->U[j] * y[j];
    Y = (Y + h * g->A[0]) / (1 - h * lambda * g->A[0]);
    for (int i = 0; i < r; i++) {
        next[i] = h * g->B[i] * (lambda * Y + 1);
        for (int j = 0; j < r; j++) next[i] += g->V[i * r + j] * y[j];
    }
    memcpy(y, next, (size_t)r * sizeof *y);
}

/* The Nordsieck form of BDF makes the numbers of the formula itself. */
static void nordsieck_is_the_formula(void **state)
{
    const double lambda = -1.5, h = 0.1;
    (void)state;
    for (int k = 1; k <= 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "bdf-%d", k);
        keel_method *m = named(name);
        const keel_multistep *f = &m->multistep;
        double z[KEEL_VALUES_MOST] = {0}, past[64];
        /* A polynomial of degree k with y_0 = 1 that meets the equation at t_0, else arbitrary. */
        z[0] = 1, z[1] = h * (lambda * z[0] + 1);
        for (int i = 2; i <= k; i++) z[i] = 0.1 / i;
        for (int i = 0; i < k; i++) {                        /* its values at t_(i-k+1) */
            double x = i - k + 1, power = 1;
            past[i] = 0;
            for (int j = 0; j <= k; j++, power *= x / j) past[i] += z[j] * power;
        }
        for (int n = k; n < 40; n++) {
            double sum = h * f->beta[k];
            for (int j = 0; j < k; j++) sum -= f->alpha[j] * past[n - k + j];
            past[n] = sum / (f->alpha[k] - h * lambda * f->beta[k]);
            advance(&m->general, lambda, h, z);
            if (!(fabs(z[0] - past[n]) <= 1e-12 * fmax(1, fabs(past[n]))))
                fail_msg("%s, step %d: %.16g and %.16g", name, n, z[0], past[n]);
            assert_true(fabs(z[1] - h * (lambda * z[0] + 1)) < 1e-12);
        }
        keel_method_free(m);
    }
}

/* And the past values of the others. */
static void past_values_are_the_formula(void **state)
{
    static const char *const names[] = {"adams-1", "adams-4", "dcbdf-3", "dcbdf-6", "beta-adams-2"};
    const double lambda = -1.5, h = 0.05;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        keel_method *m = named(names[i]);
        const keel_multistep *f = &m->multistep;
        int k = f->steps;
        double y[KEEL_VALUES_MOST] = {0}, past[64];
        for (int n = 0; n < k; n++) past[n] = 1 + 0.3 * n - 0.01 * n * n;
        for (int j = 0; j < k; j++) {
            y[j] = past[k - 1 - j];
            y[k + j] = h * (lambda * past[k - 1 - j] + 1);
        }
        for (int n = k; n < 40; n++) {
            double sum = h * f->beta[k];
            for (int j = 0; j < k; j++)
                sum += h * f->beta[j] * (lambda * past[n - k + j] + 1)
                     - f->alpha[j] * past[n - k + j];
            past[n] = sum / (f->alpha[k] - h * lambda * f->beta[k]);
            advance(&m->general, lambda, h, y);
            assert_true(fabs(y[0] - past[n]) <= 1e-12 * fmax(1, fabs(past[n])));
        }
        keel_method_free(m);
    }
}

/* ---- roots ----------------------------------------------------------------------------------- */

static double largest(int k, const double *a)
{
    complex_root root;
    assert_int_equal(largest_root(k, a, &root), 0);
    double complex value = 0, zeta = root.re + I * root.im;
    for (int j = k; j >= 0; j--) value = value * zeta + a[j];
    assert_true(cabs(value) < 1e-12);                    /* it is a root */
    return root.modulus;
}

/* sigma - tau = zeta^k for DCBDF; for Adams the best c: a double root, larger ones beside it. */
static void blocked_roots(void **state)
{
    static const struct { int k; double c, root; } best[] = {
        {1, -0.5, 0}, {2, -7 / 48.0, 1 / 3.0}, {3, -0.091, (7 + 6 * 1.4142135623730951) / 23}};
    (void)state;
    for (int k = 1; k <= 6; k++) {
        char name[32];
        double difference[COEFFICIENTS];
        snprintf(name, sizeof name, "dcbdf-%d", k);
        keel_method *m = named(name);
        assert_int_equal(m->multistep.blocking, KEEL_BLOCKED);
        assert_int_equal(multistep_order_z(&m->multistep), k);
        multistep_sigma_tau(&m->multistep, difference);
        for (int j = 0; j <= k; j++) assert_true(fabs(difference[j] - (j == k)) < 4 * DBL_EPSILON);
        keel_method_free(m);
    }
    for (int i = 0; i < 3; i++) {
        char name[32];
        double difference[COEFFICIENTS], off[COEFFICIENTS];
        int k = best[i].k;
        snprintf(name, sizeof name, "beta-adams-%d", k);
        keel_method *m = named(name);
        const keel_multistep *f = &m->multistep;
        assert_int_equal(multistep_order_z(f), k);
        assert_true(fabs(f->gamma[k] - best[i].c) < 1e-4);
        multistep_sigma_tau(f, difference);
        double least = largest(k, difference);
        assert_true(fabs(least - best[i].root) < 1e-7);  /* double roots have half the digits */
        for (double t = -0.3; t <= 0.3; t += 0.01) {
            if (fabs(t) < 1e-3) continue;
            for (int j = 0; j <= k; j++) off[j] = difference[j] + t * f->gamma[j];
            assert_true(largest(k, off) > least + 1e-4);
        }
        keel_method_free(m);
    }
}

/* Without blocking those with two steps and more have a root outside: they are made even so. */
static void unblocked(void **state)
{
    static const char *const names[] = {"adams-2", "adams-3", "beta-adams-2:constrain-first",
                                        "dcbdf-3:constrain-first"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        keel_method *m = named(names[i]);
        assert_int_equal(m->multistep.blocking, KEEL_CONSTRAIN_FIRST);
        assert_null(m->multistep.gamma);
        assert_true(m->r_infinity > 1);
        keel_method_free(m);
    }
    keel_method *m = named("adams-2");               /* 5 zeta^2 + 8 zeta - 1 */
    assert_true(fabs(m->r_infinity - (8 + sqrt(84)) / 10) < 1e-14);
    keel_method_free(m);
    m = named("beta-trapezoidal:constrain-last");
    assert_int_equal(m->multistep.blocking, KEEL_CONSTRAIN_LAST);
    assert_true(m->multistep.gamma == NULL && m->r_infinity == 1);
    keel_method_free(m);
}

/* ---- formulas of no use, and wrong ones ------------------------------------------------------ */

static void explained(void **state)
{
    static const struct { const char *name, *part; } names[] = {
        {"bdf-7", "modulus 1.022"}, {"bdf-8", "not zero-stable"}, {"bdf-99", "not zero-stable"},
        {"dcbdf-7", "use dcbdf-1 to dcbdf-6"}, {"dcbdf-7:constrain-last", "not zero-stable"},
        {"beta-adams-4", "double root at -1"}, {"beta-adams-5", "c = -49/720"},
        {"adams-7", "1 to 6 steps"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        keel_method *m = NULL;
        keel_method_info info;
        assert_int_equal(keel_method_named(&m, names[i].name), KEEL_UNSUPPORTED);
        if (!strstr(keel_method_message(m), names[i].part))
            fail_msg("%s: %s", names[i].name, keel_method_message(m));
        assert_non_null(strstr(keel_method_message(m), names[i].name));
        assert_int_equal(keel_method_find(names[i].name, &info), KEEL_UNSUPPORTED);
        keel_method_free(m);
    }
    static const char *const unknown[] = {"bdf-0", "bdf-", "bdf-7x", "bdf-+7", "dcbdf-1:last",
                                          "adams"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        keel_method *m = NULL;
        assert_int_equal(keel_method_named(&m, unknown[i]), KEEL_UNKNOWN_NAME);
        keel_method_free(m);
    }
}

/* The largest root of sigma - c (zeta-1)^k for Adams-Moulton. */
static double adams_root(int k, double c)
{
    char name[32];
    double difference[COEFFICIENTS], binomial = 1;           /* (-1)^(k-j) binom(k, j) */
    complex_root root;
    snprintf(name, sizeof name, "adams-%d", k);
    keel_method *m = named(name);
    for (int j = k; j >= 0; j--) {
        difference[j] = m->multistep.beta[j] - c * binomial;
        binomial = -binomial * j / (k - j + 1);
    }
    assert_int_equal(largest_root(k, difference, &root), 0);
    keel_method_free(m);
    return root.modulus;
}

/* The limits are where -1 is a root, c = -1/12 for k = 2 and 3, and for k = 3 also c = -1/4. */
static void stable_ranges(void **state)
{
    (void)state;
    assert_true(adams_root(2, -0.0834) < 1 && adams_root(2, -0.0833) > 1);
    assert_true(adams_root(2, -3) < 1 && adams_root(2, -1e3) < 1);
    assert_true(adams_root(3, -0.0834) < 1 && adams_root(3, -0.0833) > 1);
    assert_true(adams_root(3, -0.2499) < 1 && adams_root(3, -0.2501) > 1);
}

/* With four steps and more there is no c, and the double root -1 is what the message says. */
static void adams_of_four_steps(void **state)
{
    static const double sigma[] = {-19, 106, -264, 646, 251}, binomial[] = {1, -4, 6, -4, 1};
    (void)state;
    for (int k = 4; k <= 6; k++)
        for (double c = 1e-4; c < 100; c *= 1.05)
            assert_true(adams_root(k, -c) > 1 && adams_root(k, c) > 1);
    double value = 0, slope = 0;
    for (int j = 0; j <= 4; j++) {
        double a = sigma[j] + 49 * binomial[j], sign = j % 2 ? -1 : 1;
        value += a * sign;
        slope -= j * a * sign;
    }
    assert_true(value == 0 && slope == 0);
}

static void refused(const keel_multistep *f, const char *part)
{
    keel_method *m = NULL;
    assert_int_equal(keel_multistep_create(&m, f), KEEL_BAD_ARGUMENT);
    if (!strstr(keel_method_message(m), part))
        fail_msg("\"%s\" instead of \"%s\"", keel_method_message(m), part);
    assert_null(keel_method_multistep(m));
    assert_null(keel_method_general_linear(m));
    keel_method_free(m);
}

static void wrong_formulas(void **state)
{
    double alpha[] = {0.5, -2, 1.5}, beta[] = {0, 0, 1}, gamma[] = {0.25, -0.5, 0.25};
    const keel_multistep good = {.name = "bdf", .steps = 2, .alpha = alpha, .beta = beta};
    keel_multistep f = good;
    (void)state;
    assert_int_equal(keel_multistep_create(NULL, &good), KEEL_BAD_ARGUMENT);
    refused(NULL, "NULL");
    f.steps = 0, refused(&f, "steps = 0");
    f.steps = 13, refused(&f, "steps = 13");
    f = good, f.alpha = NULL, refused(&f, "alpha is missing");
    f = good, f.beta = NULL, refused(&f, "beta is missing");
    f = good, f.order = -1, refused(&f, "order");
    f = good, f.order = 3, refused(&f, "claims order 3, but has order 2");
    f = good, f.blocking = (keel_blocking)7, refused(&f, "blocking 7");
    f = good, f.blocking = KEEL_BLOCKED, refused(&f, "needs gamma");
    f = good, f.gamma = gamma, refused(&f, "gamma is of use for blocked methods only");
    f.blocking = KEEL_BLOCKED;
    gamma[2] = 0.3, refused(&f, "tau(1)");
    gamma[2] = 0.25;
    for (int j = 0; j < 3; j++) {
        double *arrays[] = {alpha, beta, gamma};
        static const char *const names[] = {"alpha_", "beta_", "gamma_"};
        for (int i = 0; i < 3; i++) {
            double right = arrays[i][j];
            arrays[i][j] = NAN, refused(&f, names[i]);
            arrays[i][j] = -INFINITY, refused(&f, names[i]);
            arrays[i][j] = right;
        }
    }
    f = good;
    alpha[2] = 0, refused(&f, "alpha_2 = 0"), alpha[2] = 1.5;
    beta[2] = 0, refused(&f, "explicit"), beta[2] = 1;
    alpha[0] = 0.6, refused(&f, "rho(1)"), alpha[0] = 0.5;
    beta[1] = 0.5, refused(&f, "rho'(1)"), beta[1] = 0;
    beta[1] = -1, refused(&f, "sigma(1)"), beta[1] = 0;
    /* Finite, but not with sigma(1) = 1. */
    refused(&(keel_multistep){.steps = 1, .alpha = (double[]){-1e300, 1e300},
                              .beta = (double[]){0, 1e-300}}, "alpha_1 is not finite");
}

static void unstable_formulas(void **state)
{
    (void)state;
    /* rho = (zeta-1)(zeta-2), (zeta-1)(zeta+1)^2; the trapezoidal rule with tau = (zeta-1)/10. */
    refused(&(keel_multistep){.steps = 2, .alpha = (double[]){2, -3, 1},
                              .beta = (double[]){-2, 0, 1}},
            "not zero-stable: rho has the root 2 of modulus 2.0000");
    refused(&(keel_multistep){.steps = 3, .alpha = (double[]){-1, -1, 1, 1},
                              .beta = (double[]){0, 0, 3, 1}}, "multiple root -1");
    refused(&(keel_multistep){.steps = 1, .alpha = (double[]){-1, 1}, .beta = (double[]){0.5, 0.5},
                              .gamma = (double[]){-0.1, 0.1}, .blocking = KEEL_BLOCKED},
            "sigma - tau has the root -1.5 of modulus 1.5000");
    refused(&(keel_multistep){.steps = 1, .alpha = (double[]){-1, 1}, .beta = (double[]){0.5, 0.5},
                              .gamma = (double[]){0, 0}, .blocking = KEEL_BLOCKED},
            "sigma - tau has the root -1 of modulus 1.0000");
    refused(&(keel_multistep){.steps = 1, .alpha = (double[]){-1, 1}, .beta = (double[]){0.5, 0.5},
                              .gamma = (double[]){-0.5, 0.5}, .blocking = KEEL_BLOCKED},
            "beta_1 = gamma_1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_formulas), cmocka_unit_test(orders), cmocka_unit_test(scaled),
        cmocka_unit_test(other_formulas),
        cmocka_unit_test(general_forms), cmocka_unit_test(nordsieck_is_the_formula),
        cmocka_unit_test(past_values_are_the_formula), cmocka_unit_test(blocked_roots),
        cmocka_unit_test(unblocked), cmocka_unit_test(explained),
        cmocka_unit_test(stable_ranges), cmocka_unit_test(adams_of_four_steps),
        cmocka_unit_test(wrong_formulas),
        cmocka_unit_test(unstable_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
