/* test_multivalue.c -- methods as the integrator runs them: BDF for changing steps, and what errors
 * of general linear methods are estimated from. */
#include "method/multivalue.h"           /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { ORDERS = 5, ROOM = 1 << 16 };

static keel_method *named(const char *family, int p)
{
    char name[32];
    keel_method *m = NULL;
    snprintf(name, sizeof name, "%s-%d", family, p);
    if (keel_method_named(&m, name)) fail_msg("%s: %s", name, keel_method_message(m));
    return m;
}

static double power(double x, int k)
{
    return k == 0 ? 1 : x * power(x, k - 1);
}

static int near(double x, double y)
{
    return fabs(x - y) <= 64 * DBL_EPSILON * fmax(1, fabs(y));
}

/* Slices for a method of up to s stages, r values and that order; to be freed. */
static void *room_for(multivalue_method *m, int s, int r, int order)
{
    arena a = {.base = arena_block(ROOM)};
    assert_non_null(a.base);
    multivalue_layout(&a, m, s, r, order);
    assert_true(a.used <= ROOM);
    return a.base;
}

/* ---- BDF ------------------------------------------------------------------------------------- */

/* With equal steps it is bdf-Q, whose Nordsieck vector has other factors; the local error is
 * C_(q+1) / alpha_k = -1 / ((q+1) alpha_k) times h^(q+1) y^(q+1) [HNW93 III.2]. */
static void equal_steps(void **state)
{
    (void)state;
    for (int q = 1; q <= ORDERS; q++) {
        multivalue_method m = {0};
        void *block = room_for(&m, 1, ORDERS + 1, ORDERS);
        keel_method *bdf = named("bdf", q);
        const keel_general_linear *g = keel_method_general_linear(bdf);
        bdf_follow(&m, q, 0.1, NULL, 0);
        for (int i = 0; i <= q; i++) {
            assert_true(near(m.U[i], g->U[i] * tgamma(i + 1)));
            assert_true(near(m.B[i], g->B[i] / tgamma(i + 1)));
            for (int j = 0; j <= q; j++)
                assert_true(near(m.V[i * m.r + j],
                                 g->V[i * m.r + j] * tgamma(j + 1) / tgamma(i + 1)));
        }
        assert_true(near(m.A[0], g->A[0]) && m.c[0] == 1);
        assert_true(near(m.error_constant,
                         1 / ((q + 1) * keel_method_multistep(bdf)->alpha[q])));
        assert_true(near(m.principal, tgamma(q + 1)));       /* y_q = h^q y^(q) / q! */
        keel_method_free(bdf);
        arena_block_free(block);
    }
}

/* l(x) vanishes at the last q - 1 points, and l'(0) is that of equal steps [BCP96 5.2]. */
static void unequal_steps(void **state)
{
    static const double past[] = {0.13, 0.05, 0.08, 0.21}, h = 0.1;
    (void)state;
    for (int q = 1; q <= ORDERS; q++) {
        multivalue_method m = {0};
        void *block = room_for(&m, 1, ORDERS + 1, ORDERS);
        double leading = 0, t = h;
        for (int j = 1; j <= q; j++) leading += 1.0 / j;
        bdf_follow(&m, q, h, past, 4);
        assert_true(near(m.A[0], 1 / leading) && near(m.B[1], 1));
        assert_true(near(m.error_constant, 1 / ((q + 1) * leading)));
        for (int i = 1; i < q; i++) {
            double l = 0;
            for (int k = 0; k <= q; k++) l += m.B[k] * power(-t / h, k);
            assert_true(fabs(l) < 1e-12);
            t += past[i - 1];
        }
        arena_block_free(block);
    }
}

/* ---- general linear methods ------------------------------------------------------------------ */

/* C, kappa and j as of tables_irks.c: C X = kappa (Y_s - Y_j), X = sum_i d_i (Y_i - y_0[n]). */
static void irks_estimates(void **state)
{
    static const struct { double C, kappa; int j; } claimed[ORDERS] = {
        {-1 / 100.0, 0, 0}, {-7 / 192.0, -7 / 3.0, 2}, {1 / 256.0, -3 / 11.0, 2},
        {13 / 15360.0, -13 / 45.0, 1}, {-301 / 2250000.0, 301 / 324.0, 1}};
    (void)state;
    for (int p = 1; p <= ORDERS; p++) {
        multivalue_method m = {0};
        void *block = room_for(&m, ORDERS + 1, ORDERS + 1, ORDERS);
        keel_method *irks = named("irks", p);
        const double C = claimed[p - 1].C, kappa = claimed[p - 1].kappa;
        assert_int_equal(multivalue_of(irks, &m), KEEL_OK);
        assert_true(fabs(m.error_constant - C) < 1e-10 * fabs(C));
        assert_int_equal(m.estimates, p == 1 ? ESTIMATE_STAGES : ESTIMATE_TWIN);
        assert_true(isinf(m.ratio_most) && m.ratio_most > 0);
        for (int i = 0; i < m.s; i++) {
            double d = p == 1 ? (i == 1 ? -1 : 7 / 4.0) / 21         /* -1/21 of Y_2 - 7/4 Y_1 */
                     : i == m.s - 1 ? kappa : i == claimed[p - 1].j - 1 ? -kappa : 0;
            if (!(fabs(C * m.estimate[i] - d) < 1e-9))
                fail_msg("irks-%d: d_%d = %g instead of %g", p, i + 1, m.estimate[i], d / C);
        }
        keel_method_free(irks);
        arena_block_free(block);
    }
}

/* dimsim-2: M(inf) D(r) has the eigenvalues 0 and those of x^2 - (1 - r^2) x + (r^2 - r)/2 = 0, of
 * which one is -1 for r^2 + r = 4; ratios r are tried in steps of a tenth. */
static void limited_ratios(void **state)
{
    const double limit = (sqrt(17) - 1) / 2;
    multivalue_method m = {0};
    void *block = room_for(&m, ORDERS + 1, ORDERS + 1, ORDERS);
    keel_method *dimsim = named("dimsim", 2);
    (void)state;
    assert_int_equal(multivalue_of(dimsim, &m), KEEL_OK);
    assert_true(m.ratio_most < limit && 1.1 * m.ratio_most > limit);
    keel_method_free(dimsim);
    arena_block_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_steps), cmocka_unit_test(unequal_steps),
        cmocka_unit_test(irks_estimates), cmocka_unit_test(limited_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
