/* test_orders_predicted.c -- the rules give the orders of the literature, method by method.
 *
 * Index 2: [HW96 VII.4 table 4.1], [HLR89 table 2.3]; index 3: [HLR89 section 6], Jay, BIT 33
 * (1993) 137; projected: Ascher & Petzold 1991, Schropp 2003.  Lobatto IIIA with an even number of
 * stages has z of order s, and multipliers from the hidden constraint are as accurate as y.
 */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "keel/solver.h"
#include "test/support/tableaux.h"

enum { X = KEEL_ORDER_UNKNOWN, ANY = -2 };
enum { RECURSION = KEEL_MULTIPLIERS_RECURSION, HIDDEN = KEEL_MULTIPLIERS_HIDDEN };

static void check(const char *name, const keel_order_case *which, const int *expected, int groups)
{
    keel_method *m = sample_method(name);
    int order[3];
    assert_non_null(m);
    assert_int_equal(keel_method_orders(m, which, order), groups);
    for (int i = 0; i < groups; i++)
        if (expected[i] != ANY && order[i] != expected[i])
            fail_msg("%s, index %d%s%s%s: order[%d] = %d, not %d", name, which->index,
                     which->nonlinear ? ", nonlinear" : "", which->projected ? ", projected" : "",
                     which->multipliers == RECURSION ? ", recursion" : "", i, order[i],
                     expected[i]);
    keel_method_free(m);
}

/* z by the recursion, and solved from g: then p.  Without projection it is not solved, whatever is
 * asked for; the state-space form of explicit methods knows nothing else. */
static void index1(void **state)
{
    static const struct { const char *name; int p, z; } known[] = {
        {"gauss-1", 2, 2},        {"gauss-2", 4, 2},        {"gauss-3", 6, 4},
        {"radau-ia-2", 3, 2},     {"radau-ia-3", 5, 3},     {"radau-iia-1", 1, 1},
        {"radau-iia-3", 5, 5},    {"lobatto-iiia-3", 4, 4}, {"lobatto-iiia-4", 6, 6},
        {"lobatto-iiic-3", 4, 4}, {"sdirk-2", 2, 2},        {"sdirk-3", 3, 2},
        {"sdirk-4", 4, 4},        {"tr-bdf2", 2, 2},        {"rk4", 4, 4}, {"dopri5", 5, 5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int p = known[k].p;
        check(known[k].name, &(keel_order_case){.index = 0}, (int[]){p}, 1);
        check(known[k].name, &(keel_order_case){1, 0, 1, HIDDEN}, (int[]){p, p}, 2);
        for (int projected = 0; projected < 2; projected++)
            check(known[k].name, &(keel_order_case){1, 0, projected, RECURSION},
                  (int[]){p, known[k].z}, 2);
        check(known[k].name, &(keel_order_case){1, 0, 0, HIDDEN}, (int[]){p, known[k].z}, 2);
    }
}

/* y, z by the recursion; y projected for f linear and nonlinear in z. */
static void index2(void **state)
{
    static const struct { const char *name; int y, z, linear, nonlinear; } known[] = {
        {"gauss-1", 2, 0, 2, 2},        {"gauss-2", 2, 0, 4, 4},
        {"gauss-3", 4, 2, 6, 6},        {"radau-ia-2", 2, 1, 3, 2},
        {"radau-ia-3", 3, 2, 5, 4},     {"radau-iia-1", 1, 1, 1, 1},
        {"radau-iia-2", 3, 2, 3, 3},    {"radau-iia-3", 5, 3, 5, 5},
        {"lobatto-iiia-2", 2, 2, 2, 2}, {"lobatto-iiia-3", 4, 2, 4, 4},
        {"lobatto-iiia-4", 6, 4, 6, 6}, {"lobatto-iiic-2", 2, 1, 2, 2},
        {"lobatto-iiic-3", 4, 2, 4, 4}, {"sdirk-2", 2, 1, 2, 2},
        {"sdirk-4", 2, 1, 2, 2},        {"tr-bdf2", 2, 2, 2, 2},
        {"lobatto-iiib-3", X, X, X, X},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int nonlinear = 0; nonlinear < 2; nonlinear++) {
            int y = nonlinear ? known[k].nonlinear : known[k].linear;
            check(known[k].name, &(keel_order_case){2, nonlinear, 0, RECURSION},
                  (int[]){known[k].y, known[k].z}, 2);
            check(known[k].name, &(keel_order_case){2, nonlinear, 1, HIDDEN}, (int[]){y, y}, 2);
            if (strcmp(known[k].name, "gauss-2") != 0)
                check(known[k].name, &(keel_order_case){2, nonlinear, 1, RECURSION},
                      (int[]){y, ANY}, 2);
        }
}

/* z of the recursion with R(inf) = +1 turns the direction of projection. */
static void index2_rough_direction(void **state)
{
    (void)state;
    check("gauss-2", &(keel_order_case){2, 0, 1, RECURSION}, (int[]){4, 1}, 2);
    check("gauss-2", &(keel_order_case){2, 1, 1, RECURSION}, (int[]){3, 1}, 2);
    check("gauss-3", &(keel_order_case){2, 1, 1, RECURSION}, (int[]){6, 3}, 2);
    check("lobatto-iiia-3", &(keel_order_case){2, 1, 1, RECURSION}, (int[]){4, 2}, 2);
}

/* u, v, lambda by the recursion, k linear and nonlinear in lambda.  Of the latter, the square of
 * what the multipliers of the stages are off, O(h^(v-1)), enters: 2 for Gauss with 3 stages; with
 * 1 and 2 they grow like 1/h, and nothing converges. */
static void index3(void **state)
{
    static const struct { const char *name; int linear[3], nonlinear[3]; } known[] = {
        {"radau-iia-1", {1, 1, 1}, {1, 1, 1}},    {"radau-iia-2", {3, 2, 1}, {2, 2, 1}},
        {"radau-iia-3", {5, 3, 2}, {4, 3, 2}},    {"lobatto-iiic-3", {4, 2, 1}, {2, 2, 1}},
        {"gauss-1", {2, 0, 0}, {0, 0, 0}},        {"gauss-2", {2, 0, 0}, {0, 0, 0}},
        {"gauss-3", {4, 2, 0}, {2, 2, 0}},        {"radau-ia-2", {2, 1, 0}, {0, 0, 0}},
        {"radau-ia-3", {3, 2, 1}, {2, 2, 1}},     {"lobatto-iiia-2", {2, 2, 0}, {0, 0, 0}},
        {"lobatto-iiia-3", {2, 2, 0}, {0, 0, 0}}, {"lobatto-iiia-4", {6, 4, 2}, {4, 4, 2}},
        {"sdirk-2", {1, 1, 0}, {0, 0, 0}},        {"sdirk-4", {1, 1, 0}, {0, 0, 0}},
        {"tr-bdf2", {2, 2, 1}, {2, 2, 1}},        {"rk4", {4, 4, 4}, {4, 4, 4}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        check(known[k].name, &(keel_order_case){3, 0, 0, RECURSION}, known[k].linear, 3);
        check(known[k].name, &(keel_order_case){3, 1, 0, RECURSION}, known[k].nonlinear, 3);
    }
}

/* u, v; lambda from the hidden constraint is as good, by the recursion one less than q.  Its
 * leading error vanishes for TR-BDF2: e_s^T A^-2 c^3 = 6. */
static void index3_projected(void **state)
{
    static const struct { const char *name; int linear, nonlinear, recursion; } known[] = {
        {"radau-iia-1", 1, 0, 0}, {"radau-iia-2", 3, 2, 1}, {"radau-iia-3", 5, 4, 2},
        {"lobatto-iiic-3", 4, 2, 1}, {"gauss-3", 3, 3, 2},
        {"lobatto-iiia-2", 2, 2, 1}, {"lobatto-iiia-4", 6, 6, 3},
        {"radau-ia-3", 2, 2, 1}, {"tr-bdf2", 2, 2, 2}, {"rk4", 4, 4, 4}, {"dopri5", 5, 5, 5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int nonlinear = 0; nonlinear < 2; nonlinear++) {
            int u = nonlinear ? known[k].nonlinear : known[k].linear;
            check(known[k].name, &(keel_order_case){3, nonlinear, 1, HIDDEN}, (int[]){u, u, u}, 3);
            check(known[k].name, &(keel_order_case){3, nonlinear, 1, RECURSION},
                  (int[]){u, u, known[k].recursion}, 3);
        }
}

/* R(inf) = +1 and the slope of the first stage from multipliers by the recursion, which are of
 * order q - 2, their square of 2 q - 4, and without projection of order q - 3. */
static void lobatto_iiia_odd(void **state)
{
    (void)state;
    check("lobatto-iiia-3", &(keel_order_case){3, 0, 1, HIDDEN}, (int[]){4, 4, 4}, 3);
    check("lobatto-iiia-3", &(keel_order_case){3, 0, 1, RECURSION}, (int[]){3, 3, 1}, 3);
    check("lobatto-iiia-3", &(keel_order_case){3, 1, 1, HIDDEN}, (int[]){4, 4, 4}, 3);
    check("lobatto-iiia-3", &(keel_order_case){3, 1, 1, RECURSION}, (int[]){2, 2, 1}, 3);
    check("lobatto-iiia-3", &(keel_order_case){3, 0, 0, HIDDEN}, (int[]){3, 2, 2}, 3);
    check("lobatto-iiia-3", &(keel_order_case){3, 1, 0, HIDDEN}, (int[]){2, 2, 2}, 3);
    check("lobatto-iiia-2", &(keel_order_case){3, 1, 0, HIDDEN}, (int[]){2, 2, 2}, 3);
    check("lobatto-iiia-4", &(keel_order_case){3, 1, 0, HIDDEN}, (int[]){6, 4, 4}, 3);
}

/* Multipliers by the recursion with R(inf) = +1 are of order q - 2 on index 3.  Where k_l depends
 * on them they turn the direction in which O(h^q) is projected: order 2 q - 3, 1 for q = 2. */
static void index3_rough_direction(void **state)
{
    (void)state;
    check("gauss-2", &(keel_order_case){3, 0, 1, RECURSION}, (int[]){2, 2, 0}, 3);
    check("gauss-2", &(keel_order_case){3, 1, 1, RECURSION}, (int[]){1, 1, 0}, 3);
    check("gauss-2", &(keel_order_case){3, 1, 1, HIDDEN}, (int[]){2, 2, 2}, 3);
    check("gauss-2", &(keel_order_case){3, 1, 1, KEEL_MULTIPLIERS_POLYNOMIAL}, (int[]){2, 2, 1}, 3);
}

/* Beyond the tables: families with more stages, by name. */
static void more_stages(void **state)
{
    static const struct { const char *name; int plain[3], recursion[3]; } known[] = {
        {"lobatto-iiia-5", {6, 4, 2}, {7, 7, 3}}, {"gauss-5", {6, 4, 2}, {5, 5, 4}},
        {"gauss-6", {6, 4, 2}, {6, 6, 4}}, {"radau-iia-4", {7, 4, 3}, {7, 7, 3}},
        {"lobatto-iiic-4", {6, 3, 2}, {6, 6, 2}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_method *m;
        int order[3];
        assert_int_equal(keel_method_named(&m, known[k].name), KEEL_OK);
        keel_method_orders(m, &(keel_order_case){3, 0, 0, RECURSION}, order);
        assert_memory_equal(order, known[k].plain, sizeof order);
        keel_method_orders(m, &(keel_order_case){3, 0, 1, RECURSION}, order);
        assert_memory_equal(order, known[k].recursion, sizeof order);
        keel_method_free(m);
    }
}

/* Collocation at the zeros of P_2 - w P_1 on [0,1], 0 < w < 1: R(inf) = (1 - w)/(1 + w), order 3,
 * stage order 2, neither stiffly accurate nor symmetric.  The nodes for w = 1/2 solve
 * 6x^2 - 6x + 1 = (2x - 1)/2. */
static void partly_damped(void **state)
{
    const double root = sqrt(49 - 36), c[2] = {(7 - root) / 12, (7 + root) / 12};
    double A[4], b[2];
    for (int j = 0; j < 2; j++) {                /* integrals of (x - c_k)/(c_j - c_k) */
        double other = c[1 - j], scale = 1 / (c[j] - other);
        for (int i = 0; i < 2; i++) A[i * 2 + j] = scale * c[i] * (c[i] / 2 - other);
        b[j] = scale * (0.5 - other);
    }
    keel_method *m;
    int order[3];
    (void)state;
    assert_int_equal(keel_method_create(&m, &(keel_tableau){.stages = 2, .A = A, .b = b}), 0);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){3, 0, 1, RECURSION}, order), 3);
    assert_true(order[0] == 2 && order[1] == 2 && order[2] == 1);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){3, 0, 0, RECURSION}, order), 3);
    assert_true(order[0] == 3 && order[1] == 2 && order[2] == 1);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){2, 0, 0, RECURSION}, order), 2);
    assert_true(order[0] == 3 && order[1] == 2);
    keel_method_free(m);
}

/* |R(inf)| > 1: the multipliers grow without bound. */
static void growing(void **state)
{
    keel_tableau t = {.stages = 1, .A = (double[]){0.4}, .b = (double[]){1}};
    const keel_order_case one = {.index = 1, .multipliers = RECURSION},
                          two = {.index = 2, .multipliers = RECURSION};
    keel_method *m;
    int order[3];
    (void)state;
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    assert_int_equal(keel_method_orders(m, &two, order), 2);
    assert_true(order[0] == KEEL_ORDER_NONE && order[1] == KEEL_ORDER_NONE);
    assert_int_equal(keel_method_orders(m, &one, order), 2);
    assert_true(order[0] == 1 && order[1] == KEEL_ORDER_NONE);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){.index = 4}, order), 0);
    keel_method_free(m);
}

/* The end of the polynomial through s stages, of degree s - 1: order q for index 2 [Ascher &
 * Petzold 1991, theorem 4]; for index 1 the stages have order q + 1, but interpolation only s.
 * Without projection g(y_n) / h is left: q - 1 for R(inf) = +1, and for index 3 one less than v. */
static void polynomial(void **state)
{
    static const struct { const char *name; int p, index1, index2; } known[] = {
        {"gauss-1", 2, 1, 1}, {"gauss-2", 4, 2, 2}, {"gauss-3", 6, 3, 3},
        {"radau-ia-2", 3, 2, 1}, {"radau-ia-3", 5, 3, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_order_case which = {.index = 1, .multipliers = KEEL_MULTIPLIERS_POLYNOMIAL};
        check(known[k].name, &which, (int[]){known[k].p, known[k].index1}, 2);
        which.index = 2;
        which.projected = 1;
        check(known[k].name, &which, (int[]){ANY, known[k].index2}, 2);
    }
    check("gauss-2", &(keel_order_case){2, 0, 0, KEEL_MULTIPLIERS_POLYNOMIAL}, (int[]){2, 1}, 2);
    check("gauss-3", &(keel_order_case){2, 0, 0, KEEL_MULTIPLIERS_POLYNOMIAL}, (int[]){4, 3}, 2);
    check("gauss-3", &(keel_order_case){3, 0, 0, KEEL_MULTIPLIERS_POLYNOMIAL}, (int[]){4, 2, 1}, 3);
}

/* ---- multistep and general linear methods ---------------------------------------------------- */

static void check_named(const char *name, const keel_order_case *which, const int *expected)
{
    keel_method *m;
    int order[3];
    assert_int_equal(keel_method_named(&m, name), KEEL_OK);
    int groups = keel_method_orders(m, which, order);
    assert_int_equal(groups, which->index == 0 ? 1 : which->index == 3 ? 3 : 2);
    for (int i = 0; i < groups; i++)
        if (order[i] != expected[i])
            fail_msg("%s, index %d%s: order[%d] = %d, not %d", name, which->index,
                     which->multipliers == HIDDEN ? ", hidden" : "", i, order[i], expected[i]);
    keel_method_free(m);
}

/* Order k in every component of index 0 to 3 [Brenan, Campbell & Petzold 1996, 3.2]; with
 * projection lambda of the formula loses one, and its square enters. */
static void bdf(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++) {
        char name[] = "bdf-k";
        name[4] = (char)('0' + k);
        for (int nonlinear = 0; nonlinear < 2; nonlinear++)
            for (int source = HIDDEN; source <= RECURSION; source++) {
                int u = k == 1 && nonlinear ? 0 : k, lambda = source == RECURSION ? k - 1 : u;
                for (int index = 0; index <= 3; index++)
                    check_named(name, &(keel_order_case){index, nonlinear, 0, source},
                                (int[]){k, k, k});
                for (int index = 0; index <= 2; index++)
                    check_named(name, &(keel_order_case){index, nonlinear, 1, source},
                                (int[]){k, k, k});
                check_named(name, &(keel_order_case){3, nonlinear, 1, source},
                            (int[]){u, u, lambda});
            }
    }
}

/* [Bendtsen & Thomsen 1999, theorem 5.1]: y k + 1, z k; without tau sigma decides, and the
 * trapezoidal rule is Lobatto IIIA with two stages. */
static void blocked(void **state)
{
    static const struct { const char *name; int p, y, z; } known[] = {
        {"dcbdf-1", 2, 2, 1}, {"dcbdf-2", 3, 3, 2}, {"dcbdf-4", 5, 5, 4}, {"dcbdf-6", 7, 7, 6},
        {"beta-adams-1", 2, 2, 1}, {"beta-adams-2", 3, 3, 2}, {"beta-adams-3", 4, 4, 3},
        {"adams-1", 2, 2, 2}, {"adams-2", 3, 0, 0}, {"adams-6", 7, 0, 0},
        {"dcbdf-1:constrain-first", 2, 2, 2}, {"dcbdf-2:constrain-first", 3, 0, 0},
        {"beta-adams-3:constrain-first", 4, 0, 0}, {"dcbdf-3:constrain-last", 4, 3, 3},
        {"dcbdf-2:constrain-last", 3, 2, 2}, {"beta-adams-2:constrain-last", 3, 1, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int p = known[k].p, y = known[k].y;
        check_named(known[k].name, &(keel_order_case){.index = 0}, (int[]){p});
        check_named(known[k].name, &(keel_order_case){1, 0, 0, RECURSION}, (int[]){p, p});
        check_named(known[k].name, &(keel_order_case){2, 0, 0, RECURSION}, (int[]){y, known[k].z});
        check_named(known[k].name, &(keel_order_case){2, 0, 1, HIDDEN}, (int[]){y, y});
    }
    /* f nonlinear in z: the square of O(h^k) is no worse; constrain-last needs f_z z. */
    for (int k = 1; k <= 6; k++) {
        const char blocked_adams[] = "beta-adams-k", corrected[] = "dcbdf-k";
        char name[16];
        memcpy(name, corrected, sizeof corrected);
        name[sizeof corrected - 2] = (char)('0' + k);
        check_named(name, &(keel_order_case){2, 1, 0, RECURSION}, (int[]){k + 1, k});
        check_named(name, &(keel_order_case){2, 1, 1, HIDDEN}, (int[]){k + 1, k + 1});
        if (k > 3) continue;
        memcpy(name, blocked_adams, sizeof blocked_adams);
        name[sizeof blocked_adams - 2] = (char)('0' + k);
        check_named(name, &(keel_order_case){2, 1, 0, RECURSION}, (int[]){k + 1, k});
    }
    check_named("dcbdf-2:constrain-last", &(keel_order_case){2, 1, 0, RECURSION}, (int[]){X, X});
    check_named("dcbdf-2", &(keel_order_case){3, 0, 0, RECURSION}, (int[]){X, X, X});
    check_named("adams-2", &(keel_order_case){3, 0, 0, RECURSION}, (int[]){X, X, X});
}

/* [Weiss 2007, theorems 3.25, 3.27] for p = q; index 3 one less in lambda. */
static void dimsim(void **state)
{
    (void)state;
    for (int p = 1; p <= 3; p++) {
        char name[] = "dimsim-p";
        name[7] = (char)('0' + p);
        for (int index = 0; index <= 2; index++)
            check_named(name, &(keel_order_case){index, 0, 0, RECURSION}, (int[]){p, p});
        check_named(name, &(keel_order_case){3, 0, 0, RECURSION}, (int[]){p, p, p - 1});
        check_named(name, &(keel_order_case){3, 0, 1, HIDDEN}, (int[]){p, p, p});
        int u = p > 1 ? p : 0;
        check_named(name, &(keel_order_case){3, 1, 0, RECURSION}, (int[]){u, u, p - 1});
    }
}

/* Runge-Kutta methods given as general linear ones have the orders of the table above: Radau IIA 2,
 * q = p - 1, index 2: 3 and 2; the midpoint rule, |R(inf)| = 1, is beyond the theorems; and for
 * A = 2/5, R(inf) = -3/2, the multipliers grow. */
static void as_general_linear(void **state)
{
    static const double A[] = {5 / 12.0, -1 / 12.0, 0.75, 0.25}, b[] = {0.75, 0.25},
        c[] = {1 / 3.0, 1}, one[] = {1, 1}, W[] = {1, 0, 0, 0}, half[] = {0.5}, less[] = {0.4};
    const keel_general_linear
        radau = {.stages = 2, .values = 1, .order = 3, .A = A, .U = one, .B = b, .V = one, .c = c,
                 .W = W},
        midpoint = {.stages = 1, .values = 1, .order = 2, .A = half, .U = one, .B = one, .V = one,
                    .c = half, .W = W},
        other = {.stages = 1, .values = 1, .order = 1, .A = less, .U = one, .B = one, .V = one,
                 .c = less, .W = W};
    static const struct { int index, y, z; } radau_orders[] = {{1, 3, 3}, {2, 3, 2}, {3, X, X}},
        midpoint_orders[] = {{1, 2, X}, {2, X, X}}, growing_orders[] = {{1, 1, 0}, {2, 0, 0}};
    keel_method *m[3];
    int order[3];
    (void)state;
    assert_int_equal(keel_general_linear_create(&m[0], &radau), KEEL_OK);
    assert_int_equal(keel_general_linear_create(&m[1], &midpoint), KEEL_OK);
    assert_int_equal(keel_general_linear_create(&m[2], &other), KEEL_OK);
    for (int k = 0; k < 3; k++) {
        keel_method_orders(m[0], &(keel_order_case){radau_orders[k].index, 0, 0, RECURSION}, order);
        assert_true(order[0] == radau_orders[k].y && order[1] == radau_orders[k].z);
    }
    for (int k = 0; k < 2; k++) {
        const int index = midpoint_orders[k].index;
        keel_method_orders(m[1], &(keel_order_case){index, 0, 0, RECURSION}, order);
        assert_true(order[0] == midpoint_orders[k].y && order[1] == midpoint_orders[k].z);
        keel_method_orders(m[2], &(keel_order_case){index, 0, 0, RECURSION}, order);
        assert_true(order[0] == growing_orders[k].y && order[1] == growing_orders[k].z);
    }
    for (int k = 0; k < 3; k++) keel_method_free(m[k]);
}

/* Multipliers from the hidden constraint have the order of y; those of the last stage satisfy
 * fewer of the conditions of [Brasey & Hairer 1993].  Hem-3, with c = (0, 1/3, 1): the condition
 * of [tau,tau]_z holds, Z_3 = 2, that of [tau,tau,tau]_z does not, 7/3 instead of 3.  rk4 with the
 * claim of order 3: [tau,tau]_z fails, (Abar^-1 cbar^2)_4 = 5/2 instead of 2. */
static void half_explicit(void **state)
{
    static const struct { const char *name; int p, z; } known[] = {
        {"hem-1", 1, 1}, {"hem-3", 3, 2}, {"hem-4", 4, 2}, {"hem-5", 5, 3}, {"phem56", 5, 4}};
    const sample *rk4 = sample_named("rk4");
    keel_tableau t = {.stages = 4, .A = rk4->A, .b = rk4->b, .half_explicit = 1,
                      .order_index2 = 3};
    keel_method *m;
    int order[3];
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int projected = 0; projected < 2; projected++) {
            int p = known[k].p, z = known[k].z;
            check_named(known[k].name, &(keel_order_case){2, 0, projected, HIDDEN}, (int[]){p, p});
            check_named(known[k].name, &(keel_order_case){2, 1, projected, RECURSION},
                        (int[]){p, z});
            check_named(known[k].name, &(keel_order_case){3, 0, projected, RECURSION},
                        (int[]){p, p, z});
            check_named(known[k].name, &(keel_order_case){3, 1, projected, HIDDEN},
                        (int[]){p, p, p});
        }
    assert_int_equal(keel_method_create(&m, &t), KEEL_OK);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){.index = 2}, order), 2);
    assert_true(order[0] == 3 && order[1] == 3);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){2, 0, 0, RECURSION}, order), 2);
    assert_true(order[0] == 3 && order[1] == 1);
    /* Without hidden constraints it is rk4. */
    assert_int_equal(keel_method_orders(m, &(keel_order_case){.index = 0}, order), 1);
    assert_int_equal(order[0], 4);
    assert_int_equal(keel_method_orders(m, &(keel_order_case){.index = 1}, order), 2);
    assert_true(order[0] == 4 && order[1] == 4);
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index1), cmocka_unit_test(index2),
        cmocka_unit_test(index2_rough_direction), cmocka_unit_test(index3),
        cmocka_unit_test(index3_projected), cmocka_unit_test(lobatto_iiia_odd),
        cmocka_unit_test(index3_rough_direction),
        cmocka_unit_test(more_stages), cmocka_unit_test(partly_damped),
        cmocka_unit_test(growing), cmocka_unit_test(polynomial),
        cmocka_unit_test(half_explicit), cmocka_unit_test(bdf), cmocka_unit_test(blocked),
        cmocka_unit_test(dimsim), cmocka_unit_test(as_general_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
