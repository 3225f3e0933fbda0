/* test_radau.c -- Radau IIA coefficients: order, closed forms, last bits, eigensystem. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "trees.h"

typedef struct fixture { void *block; stage_method m; } fixture;

static stage_method *make(fixture *f, int s)
{
    arena a = {0};
    assert_int_equal(radau_iia(&a, s, &f->m), 0);
    size_t bytes = a.used;
    f->block = arena_block(bytes);
    assert_non_null(f->block);
    a = (arena){.base = f->block};
    assert_int_equal(radau_iia(&a, s, &f->m), 0);
    assert_int_equal(a.used, bytes);
    return &f->m;
}

static void drop(fixture *f)
{
    arena_block_free(f->block);
}

static void near(double x, double y, double bound)
{
    if (!(fabs(x - y) <= bound)) fail_msg("%.17g is not %.17g within %g", x, y, bound);
}

/* ---- order ------------------------------------------------------------------------------ */

static void order_by_trees(void **state)
{
    static const int count[TREE_ORDER_MAX + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        for (int n = 1; n <= TREE_ORDER_MAX && n <= m->order; n++) {
            int level[TREE_ORDER_MAX], trees = 0;
            double density;
            for (int i = 0; i < n; i++) level[i] = i;
            do {
                double phi = tree_weight(s, m->A, NULL, m->b, n, level, &density);
                near(phi, 1 / density, 16 * DBL_EPSILON);
                trees++;
            } while (next_tree(n, level));
            assert_int_equal(trees, count[n]);
        }
        drop(&f);
    }
}

/* No more than the order claimed: the bushy tree of order 2s fails by the known error constant
 * int_0^1 M(x) x^(s-1) dx, which doubles resolve up to s = 7. */
static void order_not_higher(void **state)
{
    (void)state;
    for (int s = 1; s <= 7; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        double sum = 0;
        for (int i = 0; i < s; i++) sum += m->b[i] * pow(m->c[i], 2 * s - 1);
        assert_true(fabs(sum - 1.0 / (2 * s)) > 1000 * DBL_EPSILON);
        drop(&f);
    }
}

/* B(2s-1), C(s), D(s-1) [HW96 IV.5]; all terms are at most 1, so the sums err by few epsilons. */
static void simplifying_assumptions(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        assert_int_equal(m->order, 2 * s - 1);
        assert_int_equal(m->stage_order, s);
        for (int k = 1; k <= 2 * s - 1; k++) {
            double sum = 0;
            for (int i = 0; i < s; i++) sum += m->b[i] * pow(m->c[i], k - 1);
            near(sum, 1.0 / k, 4 * DBL_EPSILON);
        }
        for (int k = 1; k <= s; k++)
            for (int i = 0; i < s; i++) {
                double c_sum = 0, d_sum = 0;
                for (int j = 0; j < s; j++) {
                    c_sum += m->A[i * s + j] * pow(m->c[j], k - 1);
                    d_sum += m->b[j] * pow(m->c[j], k - 1) * m->A[j * s + i];
                }
                near(c_sum, pow(m->c[i], k) / k, 4 * DBL_EPSILON);
                if (k < s) near(d_sum, m->b[i] * (1 - pow(m->c[i], k)) / k, 4 * DBL_EPSILON);
            }
        drop(&f);
    }
}

/* ---- matrices --------------------------------------------------------------------------- */

/* |sum_k a_ik b_kj - c_ij| <= 4 s eps sum_k |a_ik b_kj|: inner products of rounded entries. */
static void product_is(int s, const double *a, const double *b, const double *c)
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < s; k++) {
                sum += a[i * s + k] * b[k * s + j];
                size += fabs(a[i * s + k] * b[k * s + j]);
            }
            near(sum, c ? c[i * s + j] : i == j, 4 * s * DBL_EPSILON * size);
        }
}

static void inverses_and_squares(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        product_is(s, m->A, m->A_inv, NULL);
        product_is(s, m->A, m->A, m->A2);
        product_is(s, m->A_inv, m->A_inv, m->A2_inv);
        product_is(s, m->A2, m->A2_inv, NULL);
        product_is(s, m->T, m->T_inv, NULL);
        drop(&f);
    }
}

/* A^-1 T = T L, and the shape of T: last row (1, 1 0, 1 0, ...), no entry above 1. */
static void eigensystem(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        double L[STAGES_MAX * STAGES_MAX] = {0}, T_L[STAGES_MAX * STAGES_MAX] = {0};
        assert_int_equal(m->reals, s % 2);
        assert_int_equal(m->pairs, s / 2);
        if (m->reals) L[0] = m->gamma;
        for (int p = 0; p < m->pairs; p++) {
            int k = m->reals + 2 * p;
            assert_true(m->beta[p] > (p ? m->beta[p - 1] : 0));
            L[k * s + k] = L[(k + 1) * s + k + 1] = m->alpha[p];
            L[(k + 1) * s + k] = m->beta[p];
            L[k * s + k + 1] = -m->beta[p];
        }
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                int second = j >= m->reals && (j - m->reals) % 2;
                for (int k = 0; k < s; k++) T_L[i * s + j] += m->T[i * s + k] * L[k * s + j];
                assert_true(fabs(m->T[i * s + j]) <= 1);
                if (i == s - 1) assert_true(m->T[i * s + j] == (second ? 0 : 1));
            }
        product_is(s, m->A_inv, m->T, T_L);
        drop(&f);
    }
}

/* ---- values ----------------------------------------------------------------------------- */

static void equal(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++) near(x[i], y[i], 0);
}

/* Within the rounding of the closed form. */
static void close_to(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++) near(x[i], y[i], 4 * DBL_EPSILON * fmax(1, fabs(y[i])));
}

static void closed_forms(void **state)
{
    const double q = sqrt(6), h = sqrt(2);
    fixture f;
    (void)state;

    stage_method *m = make(&f, 1);
    equal(1, m->c, (double[]){1});
    equal(1, m->A, (double[]){1});
    equal(1, m->A_inv, (double[]){1});
    equal(1, &m->gamma, (double[]){1});
    equal(1, m->error, (double[]){-1});
    drop(&f);

    m = make(&f, 2);
    close_to(2, m->c, (double[]){1.0 / 3, 1});
    close_to(4, m->A, (double[]){5.0 / 12, -1.0 / 12, 3.0 / 4, 1.0 / 4});
    close_to(4, m->A_inv, (double[]){3.0 / 2, 1.0 / 2, -9.0 / 2, 5.0 / 2});
    close_to(1, m->alpha, (double[]){2});
    close_to(1, m->beta, (double[]){h});
    close_to(1, &m->gamma, (double[]){(1 + 3.6378342527444957) / 2});
    close_to(2, m->at_zero, (double[]){-1.5, 0.5});
    drop(&f);

    m = make(&f, 3);                                            /* [HW96 IV.5 table 5.6] */
    close_to(3, m->c, (double[]){(4 - q) / 10, (4 + q) / 10, 1});
    close_to(9, m->A, (double[]){
        (88 - 7 * q) / 360, (296 - 169 * q) / 1800, (-2 + 3 * q) / 225,
        (296 + 169 * q) / 1800, (88 + 7 * q) / 360, (-2 - 3 * q) / 225,
        (16 - q) / 36, (16 + q) / 36, 1.0 / 9});
    close_to(3, m->b, (double[]){(16 - q) / 36, (16 + q) / 36, 1.0 / 9});
    close_to(3, m->error, (double[]){(-13 - 7 * q) / 3, (-13 + 7 * q) / 3, -1.0 / 3});
    close_to(1, &m->gamma, (double[]){3.6378342527444957});     /* [HW96 IV.8] */
    close_to(1, m->alpha, (double[]){2.6810828736277521});
    close_to(1, m->beta, (double[]){3.0504301992474105});
    drop(&f);
}

/* Rounded from 200 digits: nodes and A^-1 from the monomial form of the Radau polynomial and its
 * Lagrange polynomials, eigenvalues as zeros of the Pade denominator. */
static const struct {
    int s;
    double c[7], b[7], gamma, alpha[3], beta[3], error[7];
    double A[7], A_inv[7], A2_inv[7], T[7], T_inv[7];           /* first rows */
} digits[] = {
    {.s = 3,
     .c = {0.1550510257216822, 0.6449489742783178, 1.0},
     .b = {0.37640306270046725, 0.5124858261884216, 0.1111111111111111},
     .gamma = 3.637834252744496,
     .alpha = {2.6810828736277523},
     .beta = {3.0504301992474105},
     .error = {-10.048809399827416, 1.382142733160749, -0.3333333333333333},
     .A = {0.1968154772236604, -0.06553542585019839, 0.02377097434822015},
     .A_inv = {3.224744871391589, 1.1678400846904056, -0.25319726474218085},
     .A2_inv = {4.831632475943927, 6.578435211201747, -0.8525169217864182},
     .T = {0.09443876248897524, -0.1412552950209542, -0.030029194105147424},
     .T_inv = {4.178718591551905, 0.32768282076106237, 0.5233764454994495}},
    {.s = 5,
     .c = {0.05710419611451768, 0.2768430136381238, 0.5835904323689168, 0.8602401356562195,
         1.0},
     .b = {0.14371356079122594, 0.28135601514946207, 0.31182652297574126, 0.22310390108357075,
         0.04},
     .gamma = 6.2867047517292765,
     .alpha = {5.70095329867179, 3.655694325463572},
     .beta = {3.2102656003085497, 6.543736899360077},
     .error = {-27.78093394406464, 3.641478498049213, -1.2525477211691187, 0.5920031671845428,
         -0.2},
     .A = {0.07299886431790333, -0.02673533110794557, 0.018676929763984353,
         -0.01287910609330644, 0.005042839233882015},
     .A_inv = {8.755923977938362, 2.8919426153801173, -0.8751863962002651, 0.3997052079399655,
         -0.13370616384921583},
     .A2_inv = {49.673124811106334, 36.76778255077681, -4.824290202338505, 1.4600050351458895,
         -0.4173136702104487},
     .T = {0.013576867344947943, -0.011478515255229515, -0.01401985889287541,
         -0.010242047817908826, 0.04767387729029572},
     .T_inv = {27.697693775684087, 12.783337911304406, 3.20848938671343, -0.9514904122489162,
         0.7415504960259897}},
    {.s = 7,
     .c = {0.029316427159784893, 0.1480785996684843, 0.3369846902811543, 0.5586715187715501,
         0.7692338620300545, 0.9269456713197411, 1.0},
     .b = {0.07449423555601031, 0.15910211573365074, 0.21235188950297781, 0.22355491450728324,
         0.19047493682211558, 0.1196137446126562, 0.02040816326530612},
     .gamma = 8.936832788405216,
     .alpha = {8.511834825102946, 7.14105521918764, 4.378693561506806},
     .beta = {3.281013624325059, 6.623045922639276, 10.169693283795011},
     .error = {-54.374436894128614, 7.000024004259187, -2.355661091987557, 1.1322890661061344,
         -0.6468913267673587, 0.38753338537535237, -0.14285714285714285},
     .A = {0.03754626499392133, -0.0140393345564604, 0.0103527896007423, -0.008158322540275011,
         0.006388413879534685, -0.004602326779148656, 0.0018289425614706437},
     .A_inv = {17.055284304421654, 5.475299512185492, -1.618581105190787, 0.7496541282385066,
         -0.421891375983016, 0.25105021424639273, -0.09232481935368413},
     .A2_inv = {201.72134326170732, 129.18174911178275, -15.324728887420623, 4.17418124912384,
         -1.6888307824288398, 0.8301987764992971, -0.2825512163731416},
     .T = {0.0024435843048706113, -0.0012386461879528741, -0.0027606174805438525,
         -0.004055161452331024, 0.004427232753268285, 0.021567551351320772,
         0.008783567925144144},
     .T_inv = {227.51530596268069, 166.64802246760974, 43.26514588452621, 3.623090061341016,
         3.572674832938798, -2.7435563656033675, 1.4514535402547504}},
};

static void last_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof digits / sizeof digits[0]; k++) {
        int s = digits[k].s;
        fixture f;
        stage_method *m = make(&f, s);
        equal(s, m->c, digits[k].c);
        equal(s, m->b, digits[k].b);
        equal(1, &m->gamma, &digits[k].gamma);
        equal(m->pairs, m->alpha, digits[k].alpha);
        equal(m->pairs, m->beta, digits[k].beta);
        equal(s, m->error, digits[k].error);
        equal(s, m->A, digits[k].A);
        equal(s, m->A_inv, digits[k].A_inv);
        equal(s, m->A2_inv, digits[k].A2_inv);
        equal(s, m->T, digits[k].T);
        equal(s, m->T_inv, digits[k].T_inv);
        drop(&f);
    }
}

static void stiffly_accurate(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        assert_true(m->c[s - 1] == 1 && m->r_infinity == 0);
        equal(s, m->b, m->A + (s - 1) * s);
        for (int i = 0; i < s; i++) assert_true(m->b_A_inv[i] == (i == s - 1));
        drop(&f);
    }
}

/* at_zero evaluates -p(0): -1 for p = 1, 0 for p = x^k; error applies it to A^-1.  For even s,
 * gamma is the mean of its neighbours. */
static void embedded_estimate(void **state)
{
    double gamma[STAGES_MAX + 1];
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        fixture f;
        stage_method *m = make(&f, s);
        gamma[s] = m->gamma;
        for (int k = 0; k < s; k++) {
            double sum = 0;
            for (int i = 0; i < s; i++) sum += m->at_zero[i] * pow(m->c[i], k);
            near(sum, k ? 0 : -1, 8 * DBL_EPSILON);
        }
        for (int j = 0; j < s; j++) {
            double sum = 0, size = 0;
            for (int i = 0; i < s; i++) {
                sum += m->at_zero[i] * m->A_inv[i * s + j];
                size += fabs(m->at_zero[i] * m->A_inv[i * s + j]);
            }
            near(m->error[j], sum, 4 * s * DBL_EPSILON * size);
        }
        drop(&f);
    }
    for (int s = 2; s < STAGES_MAX; s += 2)
        near(gamma[s], (gamma[s - 1] + gamma[s + 1]) / 2, 2 * DBL_EPSILON * gamma[s]);
}

static void stage_count_out_of_range(void **state)
{
    arena a = {0};
    stage_method m;
    (void)state;
    assert_int_equal(radau_iia(&a, 0, &m), KEEL_UNSUPPORTED);
    assert_int_equal(radau_iia(&a, -3, &m), KEEL_UNSUPPORTED);
    assert_int_equal(radau_iia(&a, STAGES_MAX + 1, &m), KEEL_UNSUPPORTED);
    assert_int_equal(a.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_by_trees),
        cmocka_unit_test(order_not_higher),
        cmocka_unit_test(simplifying_assumptions),
        cmocka_unit_test(inverses_and_squares),
        cmocka_unit_test(eigensystem),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(last_bits),
        cmocka_unit_test(stiffly_accurate),
        cmocka_unit_test(embedded_estimate),
        cmocka_unit_test(stage_count_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
