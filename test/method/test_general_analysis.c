/* test_general_analysis.c -- what is known about multistep and general linear methods is found from
 * A, U, B, V, and Runge-Kutta methods are general linear methods. */
#include "method/locus.h"        /* before cmocka, whose fail() is a macro */
#include "method/method.h"
#include "method/principal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

static keel_general_analysis analysis_of(const char *name)
{
    keel_method *m = NULL;
    keel_general_analysis a;
    if (keel_method_named(&m, name)) fail_msg("%s: %s", name, keel_method_message(m));
    assert_int_equal(keel_method_analyse_general(m, &a), KEEL_OK);
    keel_method_free(m);
    return a;
}

static keel_general_analysis analysis_with(const char *pattern, int k)
{
    char name[40];
    snprintf(name, sizeof name, "%s-%d", pattern, k);
    return analysis_of(name);
}

static int near(double value, double exact, double tolerance)
{
    return value == exact || fabs(value - exact) <= tolerance;
}

static int same(double x, double y, double tolerance)
{
    return (isnan(x) && isnan(y)) || near(x, y, tolerance);
}

/* ---- Runge-Kutta methods ------------------------------------------------------------------- */

/* The boundary locus against rays of the stability function, the principal eigenvalue against R. */
static void check_runge_kutta(const char *name, const keel_method *m)
{
    keel_analysis known;
    keel_general_analysis a, b;
    long double w[PRINCIPAL_TERMS + 1], exact = 1;
    assert_int_equal(keel_method_analyse(m, &known), KEEL_OK);
    assert_int_equal(keel_method_analyse_general(m, &a), KEEL_OK);
    if (a.order != known.order || a.stage_order != known.stage_order || a.values != 1
        || a.error_constant != known.error_constant
        || !same(a.rho_infinity, fabs(known.r_infinity), 0)
        || a.real_systems != known.real_systems || a.complex_systems != known.complex_systems)
        fail_msg("%s: the general analysis is another", name);
    assert_true(a.zero_stable && a.runge_kutta_stable && a.preconsistency[0] == 1);
    b = a;
    find_general_stability(keel_method_general_linear(m), &b);
    if (a.a_stable != b.a_stable || a.l_stable != b.l_stable || !near(b.alpha, a.alpha, 1e-3)
        || !near(b.real_limit, a.real_limit, 1e-8)
        || !near(b.imaginary_limit, a.imaginary_limit, 1e-8))
        fail_msg("%s: alpha %.6f, not %.6f; limits %g, %g, not %g, %g", name, b.alpha, a.alpha,
                 b.real_limit, b.imaginary_limit, a.real_limit, a.imaginary_limit);
    const keel_general_linear *g = keel_method_general_linear(m);
    assert_int_equal(principal_series(g, a.preconsistency, a.order + 1, w), KEEL_OK);
    for (int k = 2; k <= a.order + 1; k++) exact /= k;
    assert_true(near((double)(exact - w[a.order + 1]), a.error_constant, 1e-16));
}

static void runge_kutta(void **state)
{
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        keel_method *m = NULL;
        assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        if (info.stages < 1 || info.kind >= KEEL_METHOD_MULTISTEP) continue;
        if (info.stages > 4 && info.kind == KEEL_METHOD_IMPLICIT) continue;
        assert_int_equal(keel_method_named(&m, info.name), KEEL_OK);
        check_runge_kutta(info.name, m);
        keel_method_free(m);
    }
}

/* ---- BDF ----------------------------------------------------------------------------------- */

/* [HW96 V.2 table 2.1] to its two decimals; error constants [HNW93 III.2 (2.13)]; the largest
 * parasitic root of BDF 2 and 3 in closed form. */
static void bdf(void **state)
{
    static const double alpha[] = {90, 90, 86.03, 73.35, 51.84, 17.84};
    (void)state;
    for (int k = 1; k <= 6; k++) {
        keel_general_analysis a = analysis_with("bdf", k);
        if (a.order != k || a.stage_order != k || !near(a.error_constant, -1.0 / (k + 1), 1e-15))
            fail_msg("bdf-%d: order %d, error constant %.17g", k, a.order, a.error_constant);
        if (!near(a.alpha, alpha[k - 1], 0.005)) fail_msg("bdf-%d: alpha = %.4f", k, a.alpha);
        assert_int_equal(a.a_stable, k <= 2);
        assert_int_equal(a.l_stable, k <= 2);
        assert_true(a.zero_stable && a.nordsieck && a.stiffly_accurate && a.singly && a.diagonal);
        assert_true(a.rho_infinity == 0 && a.nilpotent == k + 1 && a.blocked_root == 0);
        assert_true(isinf(a.real_limit) && a.values == k + 1 && a.stages == 1);
        assert_true(a.rhs_per_step == 1 && a.real_systems == 1 && a.complex_systems == 0);
        assert_int_equal(a.runge_kutta_stable, k == 1);
        assert_true(a.preconsistency[0] == 1 && a.preconsistency[1] == 0);
    }
    assert_true(near(analysis_of("bdf-2").parasitic, 1.0 / 3, 1e-12));
    assert_true(near(analysis_of("bdf-3").parasitic, sqrt(2.0 / 11), 1e-12));
}

/* The angle to six digits, from the root locus z = sum_(j<=k) (1 - e^(-i theta))^j / j itself. */
static void bdf_angles(void **state)
{
    enum { POINTS = 200000 };
    (void)state;
    for (int k = 3; k <= 6; k++) {
        double least = 90;
        for (int i = 1; i < POINTS; i++) {
            double theta = acos(-1) * i / POINTS, c = 1 - cos(theta), s = sin(theta);
            double re = c, im = s, z_re = 0, z_im = 0;
            for (int j = 1; j <= k; j++) {
                double next = re * c - im * s;
                z_re += re / j, z_im += im / j;
                im = re * s + im * c, re = next;
            }
            if (z_re < 0) least = fmin(least, atan2(fabs(z_im), -z_re) * 180 / acos(-1));
        }
        assert_true(near(analysis_with("bdf", k).alpha, least, 1e-6));
    }
}

/* With nabla = 1 - e^-L, L = log w, sum_(j<=k) nabla^j / j = z gives
 *   L = z + z^(k+1) / (k+1) - (1/2 - 1/(k+2)) z^(k+2) + ...,
 * so that near 0 the imaginary axis is unstable for k = 3 (z^4) and 4 (z^6), stable for 5 and 6. */
static void bdf_near_the_origin(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++) {
        double limit = analysis_with("bdf", k).imaginary_limit;
        assert_true(k <= 2 ? isinf(limit) : k <= 4 ? limit == 0 : limit > 0.1 && limit < 10);
    }
}

/* BDF 3 with y_n, y_(n-1), y_(n-2) carried: another basis and one value less. */
static const double past_A[] = {6 / 11.0}, past_U[] = {18 / 11.0, -9 / 11.0, 2 / 11.0},
    past_B[] = {6 / 11.0, 0, 0},
    past_V[] = {18 / 11.0, -9 / 11.0, 2 / 11.0, 1, 0, 0, 0, 1, 0}, past_c[] = {1},
    past_W[] = {1, 0, 0, 0,  1, -1, 0.5, -1 / 6.0,  1, -2, 2, -4 / 3.0};
static const keel_general_linear past = {
    .stages = 1, .values = 3, .order = 3, .A = past_A, .U = past_U, .B = past_B, .V = past_V,
    .c = past_c, .W = past_W};

static void coordinates_do_not_matter(void **state)
{
    keel_general_analysis a, b = analysis_of("bdf-3");
    keel_method *m;
    (void)state;
    assert_int_equal(keel_general_linear_create(&m, &past), KEEL_OK);
    assert_int_equal(keel_method_analyse_general(m, &a), KEEL_OK);
    assert_true(a.order == 3 && a.stage_order == 3 && !a.nordsieck && a.stiffly_accurate);
    assert_true(near(a.error_constant, -0.25, 1e-15) && near(a.alpha, b.alpha, 1e-6));
    assert_true(near(a.parasitic, b.parasitic, 1e-12) && near(a.imaginary_limit, 0, 0));
    assert_true(a.rho_infinity == 0 && a.nilpotent == 3 && isnan(a.blocked_root));
    for (int i = 0; i < 3; i++) assert_true(a.preconsistency[i] == 1);
    for (int k = 0; k < 9; k++) {                /* sigma = zeta^3: M(inf) is the shift */
        double shift = k == 3 || k == 7 ? 1 : 0;
        assert_true(near(a.M_infinity[k], shift, 1e-15));
    }
    keel_method_free(m);
}

/* (3/2 - z) w^2 - 2 w + 1/2 = 0.  The stability region is the outside of a curve. */
static void dominant_root(void **state)
{
    keel_method *m;
    double re, im;
    (void)state;
    assert_int_equal(keel_method_named(&m, "bdf-2"), KEEL_OK);
    keel_method_stability(m, 0.25, 0, &re, &im);         /* w = (2 + sqrt(1.5)) / 2.5 */
    assert_true(near(re, (2 + sqrt(1.5)) / 2.5, 1e-14) && near(im, 0, 1e-14));
    keel_method_stability(m, -1, 0, &re, &im);           /* 2.5 w^2 - 2 w + 1/2: a pair */
    assert_true(near(hypot(re, im), sqrt(0.2), 1e-14));
    keel_method_stability(m, 3.9, 0, &re, &im);          /* the curve ends at rho/sigma(-1) = 4 */
    assert_true(hypot(re, im) > 1);
    keel_method_stability(m, 4.1, 0, &re, &im);
    assert_true(hypot(re, im) < 1);
    keel_method_stability(m, 1.5, 0, &re, &im);          /* the pole */
    assert_true(!(hypot(re, im) < 1e6));
    keel_method_free(m);
}

/* ---- Adams --------------------------------------------------------------------------------- */

/* Error constants gamma*_(k+1) [HNW93 III.1 table 1.2]; the intervals of absolute stability end
 * where the root locus meets the real axis, at rho(-1) / sigma(-1) = -2 / |sum (-1)^j beta_j|. */
static void adams(void **state)
{
    static const double constant[] = {-1 / 12.0, -1 / 24.0, -19 / 720.0, -3 / 160.0, -863 / 60480.0,
                                      -275 / 24192.0},
                        interval[] = {INFINITY, 6, 3, 90 / 49.0, 45 / 38.0};
    (void)state;
    for (int k = 1; k <= 6; k++) {
        keel_general_analysis a = analysis_with("adams", k);
        assert_int_equal(a.order, k + 1);
        if (!near(a.error_constant, constant[k - 1], 1e-15))
            fail_msg("adams-%d: error constant %.17g", k, a.error_constant);
        assert_true(a.zero_stable && a.parasitic < 1e-6);
        assert_int_equal(a.a_stable, k == 1);
        assert_false(a.l_stable);
        if (k <= 5 && !near(a.real_limit, interval[k - 1], 1e-8))
            fail_msg("adams-%d: %.10g on the real axis", k, a.real_limit);
        assert_true(k == 1 ? near(a.blocked_root, 1, 1e-12) : a.blocked_root > 1);
        assert_true(near(a.blocked_root, a.rho_infinity, 1e-9));     /* of sigma, both */
    }
}

/* Roots of sigma - tau: 0 for difference corrected BDF, -1/3 and -(7 + 6 sqrt 2)/23 for the blocked
 * Adams formulas of two and three steps, where they are double. */
static void blocked(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++) {
        keel_general_analysis a = analysis_with("dcbdf", k);
        assert_int_equal(a.order, k + 1);
        assert_true(a.blocked_root < 1e-2);              /* a root of multiplicity k */
    }
    assert_true(near(analysis_of("beta-adams-2").blocked_root, 1.0 / 3, 1e-6));
    assert_true(near(analysis_of("beta-adams-3").blocked_root, (7 + 6 * sqrt(2)) / 23, 1e-6));
}

/* ---- general linear methods ---------------------------------------------------------------- */

/* Methods 1 to 3 of [Weiss 2007, 4.3]: order p = s - 1, one eigenvalue mu, Runge-Kutta stable with
 * R(inf) = 0, so that R(z) (1 - mu z)^s is e^z (1 - mu z)^s cut after z^p, which gives C. */
static void dimsim(void **state)
{
    static const double mu[] = {3 / 10.0, 1 / 4.0, 9 / 40.0},
        constant[] = {1 / 2.0 - 2 * 0.3 + 0.09,
                      1 / 6.0 - 3 * 0.25 / 2 + 3 * 0.0625 - 0.015625,
                      1 / 24.0 - 4 * 0.225 / 6 + 6 * 0.050625 / 2 - 4 * 0.011390625
                      + 0.002562890625};
    (void)state;
    for (int p = 1; p <= 3; p++) {
        keel_general_analysis a = analysis_with("dimsim", p);
        assert_true(a.order == p && a.stage_order == p && a.stages == p + 1 && a.values == p + 1);
        if (!near(a.error_constant, constant[p - 1], 1e-14))
            fail_msg("dimsim-%d: error constant %.17g", p, a.error_constant);
        assert_true(a.runge_kutta_stable && a.singly && a.diagonal && a.nordsieck);
        assert_true(a.zero_stable && near(a.parasitic, 0, 1e-12));
        assert_true(a.rho_infinity == 0 && a.nilpotent == p + 1);
        assert_true(a.a_stable && a.l_stable && a.alpha == 90);
        assert_true(near(a.eigenvalue_re[p], mu[p - 1], 1e-16) && a.real_systems == 1);
        assert_int_equal(a.rhs_per_step, p + 1);
        assert_int_equal(a.stiffly_accurate, p != 2);
    }
}

/* One digit changed in V: no longer Runge-Kutta stable, nor M(inf) nilpotent. */
static void spoiled(void **state)
{
    keel_method *m;
    keel_general_analysis a;
    (void)state;
    assert_int_equal(keel_method_named(&m, "dimsim-2"), KEEL_OK);
    keel_general_linear g = *keel_method_general_linear(m);
    double V[9], B[9];
    for (int i = 0; i < 9; i++) V[i] = g.V[i], B[i] = g.B[i];
    V[8] = 0.1;                                  /* 0.1 of the old h^2 y'', 0.9 of the new one */
    for (int j = 0; j < 3; j++) B[6 + j] *= 0.9;
    g.V = V;
    g.B = B;
    keel_method *changed;
    assert_int_equal(keel_general_linear_create(&changed, &g), KEEL_OK);
    assert_int_equal(keel_method_analyse_general(changed, &a), KEEL_OK);
    assert_true(a.order == 2 && a.nilpotent == 0 && a.rho_infinity > 0.01 && !a.runge_kutta_stable);
    assert_true(near(a.parasitic, 0.1, 1e-12) && !a.l_stable);
    keel_method_free(changed);
    keel_method_free(m);
}

/* ---- powers -------------------------------------------------------------------------------- */

static matrix matrix_of(int n, const double *x)
{
    matrix M = {.n = n};
    for (int i = 0; i < n * n; i++) M.at[i / n][i % n] = x[i];
    return M;
}

static void powers(void **state)
{
    static const double angle[] = {0.6, -0.8, 0.8, 0.6}, jordan[] = {1, 1e-3, 0, 1},
        twice[] = {1, 0, 0, 1}, growing[] = {0.5, 0, 0, -1.00001}, large[] = {0.5, 1e6, 0, 0.9},
        alternating[] = {-1, 1, 0, -1};
    static const struct { const double *M; int bounded; } known[] = {
        {angle, 1}, {jordan, 0}, {twice, 1}, {growing, 0}, {large, 1}, {alternating, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        matrix M = matrix_of(2, known[k].M);
        if (power_bounded(&M) != known[k].bounded) fail_msg("matrix %zu", k);
    }
    matrix N = matrix_of(3, (double[]){2, -1, 0, 4, -2, 0, 1, 1, 0});      /* N^2 != 0 = N^3 */
    matrix size = matrix_of(3, (double[]){2, 1, 0, 4, 2, 0, 1, 1, 0});
    assert_int_equal(nilpotency(&N, &size, 1e-11), 3);
    N.at[2][2] = 1e-3L;
    size.at[2][2] = 1e-3L;
    assert_int_equal(nilpotency(&N, &size, 1e-11), 0);
}

/* BDF 7 [HNW93 III.3 theorem 3.4], which cannot be made, as a past-value method. */
static void zero_unstable(void **state)
{
    static const double alpha[] = {-60 / 1089.0, 490 / 1089.0, -1764 / 1089.0, 3675 / 1089.0,
                                   -4900 / 1089.0, 4410 / 1089.0, -2940 / 1089.0};
    double V[49] = {0}, U[7], B[7] = {420 / 1089.0}, W[7 * 2], A = 420 / 1089.0, c = 1;
    (void)state;
    for (int j = 0; j < 7; j++) {
        V[j] = U[j] = -alpha[6 - j];
        if (j) V[j * 7 + j - 1] = 1;
        W[2 * j] = 1, W[2 * j + 1] = -j;
    }
    keel_method m = {.block = V, .kind = KEEL_METHOD_GENERAL_LINEAR,
                     .general = {.stages = 1, .values = 7, .order = 1, .stage_order = 1, .A = &A,
                                 .U = U, .B = B, .V = V, .c = &c, .W = W}};
    keel_general_analysis a;
    assert_int_equal(keel_method_analyse_general(&m, &a), KEEL_OK);
    assert_false(a.zero_stable);
    assert_true(near(a.parasitic, 1.0222, 1e-4) && a.alpha == 0 && !a.a_stable);
}

/* M(z) = [1/(1-z), (2/3) z/(1-z); (1/2) z/(1-z), 1/2 + (1/3) z/(1-z)] has the determinant
 * (1 + (2/3) z) / (2 - 2z): one eigenvalue is 0 for z = -3/2, the first argument that is tried, and
 * for no other. */
static void stable_by_chance(void **state)
{
    static const double one = 1, U[] = {1, 2 / 3.0}, B[] = {1, 0.5}, V[] = {1, 0, 0, 0.5},
                        c = 5 / 3.0, W[] = {1, 0, 0, 1};
    keel_method *m;
    keel_general_analysis a;
    double re, im;
    (void)state;
    const keel_general_linear g = {.stages = 1, .values = 2, .order = 1, .A = &one, .U = U, .B = B,
                                   .V = V, .c = &c, .W = W};
    if (keel_general_linear_create(&m, &g)) fail_msg("%s", keel_method_message(m));
    assert_int_equal(keel_method_analyse_general(m, &a), KEEL_OK);
    assert_false(a.runge_kutta_stable);
    keel_method_stability(m, -1.5, 0, &re, &im);         /* the trace */
    assert_true(near(re, 0.4 + 0.5 - 0.2, 1e-14) && near(im, 0, 1e-14));
    keel_method_free(m);
}

static void wrong_arguments(void **state)
{
    keel_general_analysis a;
    keel_analysis b;
    keel_method *m;
    (void)state;
    assert_int_equal(keel_method_analyse_general(NULL, &a), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_named(&m, "bdf-2"), KEEL_OK);
    assert_int_equal(keel_method_analyse_general(m, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_analyse(m, &b), KEEL_UNSUPPORTED);
    keel_method_free(m);
    assert_int_not_equal(keel_method_named(&m, "bdf-7"), KEEL_OK);
    assert_int_equal(keel_method_analyse_general(m, &a), KEEL_BAD_ARGUMENT);
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runge_kutta), cmocka_unit_test(bdf), cmocka_unit_test(bdf_angles),
        cmocka_unit_test(bdf_near_the_origin),
        cmocka_unit_test(coordinates_do_not_matter), cmocka_unit_test(dominant_root),
        cmocka_unit_test(adams), cmocka_unit_test(blocked), cmocka_unit_test(dimsim),
        cmocka_unit_test(spoiled), cmocka_unit_test(powers), cmocka_unit_test(zero_unstable),
        cmocka_unit_test(stable_by_chance), cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
