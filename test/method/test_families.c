/* test_families.c -- generated families: simplifying assumptions, closed forms, last bits. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "trees.h"

typedef struct coefficients {
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
} coefficients;

static void near(double x, double y, double bound)
{
    if (!(fabs(x - y) <= bound)) fail_msg("%.17g is not %.17g within %g", x, y, bound);
}

/* B(p), C(q), D(r) with p = 2s - lost and so on [HW96 IV.5 theorem 5.3 and table 5.13]. */
static const struct { family_kind family; int least, B, C, D; double weight; } claims[] = {
    {FAMILY_GAUSS, 1, 0, 0, 0, 0},          {FAMILY_RADAU_IA, 1, -1, -1, 0, 0},
    {FAMILY_RADAU_IIA, 1, -1, 0, -1, 0},    {FAMILY_LOBATTO_IIIA, 2, -2, 0, -2, 0},
    {FAMILY_LOBATTO_IIIC, 2, -2, -1, -1, 0}, {FAMILY_COLLOCATION, 1, -1, 0, -1, 0.5},
    {FAMILY_COLLOCATION, 1, -1, 0, -1, -0.5}, {FAMILY_COLLOCATION, 1, 0, 0, 0, 0},
};

enum { CLAIMS = sizeof claims / sizeof claims[0] };

/* All nodes lie in [0,1] and no coefficient exceeds 1, so the sums err by few epsilons. */
static void simplifying_assumptions(void **state)
{
    const double bound = 6 * DBL_EPSILON;
    (void)state;
    for (int f = 0; f < CLAIMS; f++)
        for (int s = claims[f].least; s <= STAGES_MAX; s++) {
            coefficients m;
            assert_int_equal(family_coefficients(claims[f].family, s, claims[f].weight, m.A, m.b,
                                                 m.c), 0);
            for (int k = 1; k <= 2 * s + claims[f].B; k++) {
                double sum = 0;
                for (int i = 0; i < s; i++) sum += m.b[i] * pow(m.c[i], k - 1);
                near(sum, 1.0 / k, bound);
            }
            for (int k = 1; k <= s; k++)
                for (int i = 0; i < s; i++) {
                    double c_sum = 0, d_sum = 0;
                    for (int j = 0; j < s; j++) {
                        c_sum += m.A[i * s + j] * pow(m.c[j], k - 1);
                        d_sum += m.b[j] * pow(m.c[j], k - 1) * m.A[j * s + i];
                    }
                    if (k <= s + claims[f].C) near(c_sum, pow(m.c[i], k) / k, bound);
                    if (k <= s + claims[f].D)
                        near(d_sum, m.b[i] * (1 - pow(m.c[i], k)) / k, bound);
                }
        }
}

/* The order itself, and not a higher one. */
static void orders_by_trees(void **state)
{
    (void)state;
    for (int f = 0; f < CLAIMS; f++)
        for (int s = claims[f].least; 2 * s + claims[f].B < TREE_ORDER_MAX; s++) {
            coefficients m;
            int order = 2 * s + claims[f].B;
            family_coefficients(claims[f].family, s, claims[f].weight, m.A, m.b, m.c);
            for (int n = 1; n <= order; n++)
                assert_true(tree_defect(s, m.A, m.b, n, 1) <= 16 * DBL_EPSILON);
            assert_true(tree_defect(s, m.A, m.b, order + 1, 1) > 1e-9);
        }
}

/* Two ways to compute the same numbers: here and in radau.c. */
static void radau_iia_agrees(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        coefficients m, w;
        stage_method r;
        arena a = {0};
        radau_iia(&a, s, &r);
        void *block = arena_block(a.used);
        a = (arena){.base = block};
        radau_iia(&a, s, &r);
        assert_int_equal(family_coefficients(FAMILY_RADAU_IIA, s, 0, m.A, m.b, m.c), 0);
        assert_int_equal(family_coefficients(FAMILY_COLLOCATION, s, 1, w.A, w.b, w.c), 0);
        assert_memory_equal(m.A, r.A, (size_t)(s * s) * sizeof *m.A);
        assert_memory_equal(m.b, r.b, (size_t)s * sizeof *m.b);
        assert_memory_equal(m.c, r.c, (size_t)s * sizeof *m.c);
        assert_memory_equal(w.A, r.A, (size_t)(s * s) * sizeof *m.A);
        arena_block_free(block);
    }
}

static void closed_forms(void **state)
{
    const double q = sqrt(3) / 6, e = 4 * DBL_EPSILON;
    coefficients m;
    (void)state;
    family_coefficients(FAMILY_GAUSS, 2, 0, m.A, m.b, m.c);            /* [HW96 IV.5 table 5.1] */
    const double gauss[] = {0.25, 0.25 - q, 0.25 + q, 0.25};
    for (int i = 0; i < 4; i++) near(m.A[i], gauss[i], e);
    family_coefficients(FAMILY_RADAU_IA, 2, 0, m.A, m.b, m.c);         /* table 5.3 */
    const double radau[] = {0.25, -0.25, 0.25, 5.0 / 12};
    for (int i = 0; i < 4; i++) near(m.A[i], radau[i], e);
    family_coefficients(FAMILY_LOBATTO_IIIA, 3, 0, m.A, m.b, m.c);     /* table 5.7 */
    const double iiia[] = {0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6};
    for (int i = 0; i < 9; i++) near(m.A[i], iiia[i], e);
    family_coefficients(FAMILY_LOBATTO_IIIC, 3, 0, m.A, m.b, m.c);     /* table 5.11 */
    const double iiic[] = {1.0 / 6, -1.0 / 3, 1.0 / 6, 1.0 / 6, 5.0 / 12, -1.0 / 12,
                           1.0 / 6, 2.0 / 3, 1.0 / 6};
    for (int i = 0; i < 9; i++) near(m.A[i], iiic[i], e);
}

/* Rounded from 120 digits: nodes by bisection of the monomial form, coefficients from the linear
 * systems of B(s), C(s) or C(s-1), D(s). */
static const struct {
    family_kind family;
    int s;
    double weight, c[8], b[8], A[8];                            /* A: second row */
} digits[] = {
    {.family = FAMILY_GAUSS, .s = 7, .weight = 0.0,
     .c = {0.025446043828620736, 0.12923440720030277, 0.2970774243113014, 0.5, 0.7029225756886985,
         0.8707655927996972, 0.9745539561713793},
     .b = {0.06474248308443485, 0.13985269574463832, 0.19091502525255946, 0.2089795918367347,
         0.19091502525255946, 0.13985269574463832, 0.06474248308443485},
     .A = {0.07004354137872608, 0.06992634787231916, -0.016590006578847773, 0.009349622783443333,
         -0.005397091931896138, 0.0026458438667300373, -0.0007438501901719236}},
    {.family = FAMILY_RADAU_IA, .s = 6, .weight = 0.0,
     .c = {0, 0.09853508579882643, 0.3045357266463639, 0.5620251897526138, 0.8019865821263918,
         0.9601901429485312},
     .b = {0.027777777777777776, 0.15982037661025547, 0.24269359423448497, 0.2604633915947875,
         0.20845066715595387, 0.10079419262674041},
     .A = {0.027777777777777776, 0.0924305343356996, -0.037775655162886675, 0.02665999804031852,
         -0.015199727059795854, 0.004642157867713058}},
    {.family = FAMILY_LOBATTO_IIIA, .s = 8, .weight = 0.0,
     .c = {0, 0.06412992574519669, 0.20414990928342885, 0.3953503910487606, 0.6046496089512394,
         0.7958500907165712, 0.9358700742548033, 1.0},
     .b = {0.017857142857142856, 0.10535211357175302, 0.17056134624175218, 0.20622939732935194,
         0.20622939732935194, 0.17056134624175218, 0.10535211357175302, 0.017857142857142856},
     .A = {0.02473751443887554, 0.04489266260275502, -0.008140767742389754, 0.004254082548545939,
         -0.0027042050750158203, 0.0018453866944819887, -0.0012262209861064897,
         0.00047147326405026763}},
    {.family = FAMILY_LOBATTO_IIIC, .s = 6, .weight = 0.0,
     .c = {0, 0.11747233803526766, 0.3573842417596775, 0.6426157582403226, 0.8825276619647323, 1.0},
     .b = {0.03333333333333333, 0.1892374781489235, 0.2774291885177432, 0.2774291885177432,
         0.1892374781489235, 0.03333333333333333},
     .A = {0.03333333333333333, 0.11128540574112841, -0.05049342940871747, 0.043246499737878585,
         -0.03388936917273146, 0.01398989780437624}},
    {.family = FAMILY_COLLOCATION, .s = 5, .weight = 0.5,
     .c = {0.05342892413296949, 0.25921221870519606, 0.5475181892847798, 0.8119911459650461,
         0.9667384108008976},
     .b = {0.13448405999956212, 0.26373974447882986, 0.2943082591958312, 0.21926133753750604,
         0.08820659878827079},
     .A = {0.14409432668390057, 0.13630563002042573, -0.032589339265857616, 0.016895370215942278,
         -0.005493768949214892}},
    {.family = FAMILY_COLLOCATION, .s = 4, .weight = 2.0,
     .c = {0.09625589073009126, 0.44404506983111147, 0.8462272974245644, 1.1849003134428042},
     .b = {0.23946101828786992, 0.41937355151846545, 0.3351826433847936, 0.005982786808871028},
     .A = {0.2551628863015995, 0.22101595092067508, -0.04122368228832142, 0.009089914897158328}},
};

static void last_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof digits / sizeof digits[0]; k++) {
        coefficients m;
        int s = digits[k].s;
        assert_int_equal(family_coefficients(digits[k].family, s, digits[k].weight, m.A, m.b, m.c),
                         0);
        for (int i = 0; i < s; i++) {
            near(m.c[i], digits[k].c[i], 0);
            near(m.b[i], digits[k].b[i], 0);
            near(m.A[s + i], digits[k].A[i], 0);
        }
    }
}

/* At the nodes of a family, collocation is that family; the nodes are rounded here. */
static void given_nodes(void **state)
{
    static const family_kind collocating[] = {FAMILY_GAUSS, FAMILY_RADAU_IIA, FAMILY_LOBATTO_IIIA};
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (int s = 2; s <= 10; s++) {
            coefficients m, given;
            family_coefficients(collocating[f], s, 0, m.A, m.b, m.c);
            assert_int_equal(collocation_coefficients(s, m.c, given.A, given.b), 0);
            for (int i = 0; i < s * s; i++) near(given.A[i], m.A[i], 64 * DBL_EPSILON);
        }
}

static void not_there(void **state)
{
    coefficients m;
    (void)state;
    for (int f = FAMILY_GAUSS; f <= FAMILY_COLLOCATION; f++) {
        assert_int_equal(family_coefficients((family_kind)f, 0, 1, m.A, m.b, m.c),
                         KEEL_UNSUPPORTED);
        assert_int_equal(family_coefficients((family_kind)f, STAGES_MAX + 1, 1, m.A, m.b, m.c),
                         KEEL_UNSUPPORTED);
    }
    assert_int_equal(family_coefficients(FAMILY_LOBATTO_IIIC, 1, 0, m.A, m.b, m.c),
                     KEEL_UNSUPPORTED);
    assert_int_equal(family_coefficients(FAMILY_COLLOCATION, 3, -1, m.A, m.b, m.c),
                     KEEL_UNSUPPORTED);
    assert_int_equal(family_coefficients(FAMILY_COLLOCATION, 3, NAN, m.A, m.b, m.c),
                     KEEL_UNSUPPORTED);
    assert_int_equal(collocation_coefficients(2, (double[]){0.5, 0.5}, m.A, m.b),
                     KEEL_BAD_ARGUMENT);
    assert_int_equal(collocation_coefficients(2, (double[]){0.5, INFINITY}, m.A, m.b),
                     KEEL_BAD_ARGUMENT);
    assert_int_equal(collocation_coefficients(0, m.c, m.A, m.b), KEEL_UNSUPPORTED);
}

/* With one stage the node 0 is not the sum of the row [HW96 IV.5 table 5.5]: order 1 all the same. */
static void radau_ia_with_one_stage(void **state)
{
    keel_method *m = NULL;
    keel_analysis a;
    (void)state;
    assert_int_equal(keel_method_named(&m, "radau-ia-1"), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(m);
    assert_true(t->A[0] == 1 && t->b[0] == 1 && t->c[0] == 0);
    assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
    assert_int_equal(a.order, 1);
    assert_int_equal(a.stage_order, 0);
    assert_false(a.stiffly_accurate);
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simplifying_assumptions),
        cmocka_unit_test(radau_ia_with_one_stage), cmocka_unit_test(orders_by_trees),
        cmocka_unit_test(radau_iia_agrees),        cmocka_unit_test(closed_forms),
        cmocka_unit_test(last_bits),               cmocka_unit_test(given_nodes),
        cmocka_unit_test(not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
