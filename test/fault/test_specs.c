/* test_specs.c -- specs of problems and tableaux of which one field is wrong: refused by its name;
 * and questions about what does not exist. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "keel/keel.h"

static void expect_refused(int rc, const char *message, const char *part)
{
    assert_int_equal(rc, KEEL_BAD_ARGUMENT);
    if (!strstr(message, part)) fail_msg("'%s' is not in: %s", part, message);
}

/* ---- problems ------------------------------------------------------------------------------ */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1], f[1] = z[0];
    return 0;
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = k == 2 ? y[0] : k == 1 ? y[1] : z[0];
    return 0;
}

static void chains(void **state)
{
    static const int right[2] = {1, -1}, chain[1] = {2};
    static const int low[1] = {-1}, high[1] = {KEEL_LEVELS_MOST - 1};
    static const int itself[2] = {0, -1}, circle[2] = {1, 0};
    static const int beyond[2] = {2, -1}, below[2] = {-2, -1};
    static const struct { const int *next, *chain; const char *said; } cases[] = {
        {right, low, "chain[0] = -1"}, {right, high, "chain[0] = "}, {itself, chain, "next[0] = 0"},
        {beyond, chain, "next[0] = 2"}, {below, chain, "next[0] = -2"},
        {circle, chain, "leads back to where it came from"}};
    keel_levelled_spec spec = {.differential = 2, .algebraic = 1, .rate = rate, .level = level};
    keel_problem *p = NULL;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spec.next = cases[k].next, spec.chain = cases[k].chain;
        const int rc = keel_levelled(&p, &spec);
        expect_refused(rc, keel_problem_message(p), cases[k].said);
        keel_problem_free(p);
    }
    spec.next = right, spec.chain = chain;
    for (int missing = 0; missing < 2; missing++) {
        keel_levelled_spec half = spec;
        if (missing) half.level = NULL;
        else half.rate = NULL;
        const int rc = keel_levelled(&p, &half);
        expect_refused(rc, keel_problem_message(p), missing ? "level" : "rate");
        keel_problem_free(p);
    }
    assert_int_equal(keel_levelled(&p, &spec), KEEL_OK);
    assert_int_equal(keel_problem_index(p), 3);
    keel_problem_free(p);
}

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = f[1] = 0;
    return 0;
}

static int rhs_z(double t, const double *y, const double *z, double *f, void *context)
{
    (void)z;
    return rhs(t, y, f, context);
}

static int constraint(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0];
    return 0;
}

static int wrong_gradient(double t, const double *y, double *G, void *context)
{
    (void)t, (void)y, (void)context;
    G[0] = 2, G[1] = 0;
    return 0;
}

static void bands_and_rows(void **state)
{
    static const int bands[][2] = {{-1, 0}, {0, -1}, {2, 0}, {0, 2}};
    keel_problem *p = NULL;
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int rc = keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = rhs,
            .pattern = {.storage = KEEL_BAND, .lower = bands[k][0], .upper = bands[k][1]}});
        expect_refused(rc, keel_problem_message(p), "band");
        keel_problem_free(p);
    }
    const int counts[] = {-1, 1000001, 1};
    for (int k = 0; k < 3; k++) {                /* the last lacks its function */
        int rc = keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
            .rhs = rhs_z, .constraint = constraint, .attached = {.rows = counts[k]}});
        expect_refused(rc, keel_problem_message(p), "attached");
        keel_problem_free(p);
        rc = keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = rhs, .invariants = counts[k]});
        expect_refused(rc, keel_problem_message(p), "invariant");
        keel_problem_free(p);
    }
    int rc = keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
                                                           .rhs = rhs_z});
    expect_refused(rc, keel_problem_message(p), "constraint");
    keel_problem_free(p);
    rc = keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
                                                       .constraint = constraint});
    expect_refused(rc, keel_problem_message(p), "rhs");
    keel_problem_free(p);
}

static void questions(void **state)
{
    keel_problem *p = NULL;
    int size[3];
    const char *name[3];
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2,
        .multipliers = 1, .rhs = rhs_z, .constraint = constraint}), KEEL_OK);
    for (int i = -1; i < 4; i += 4) {            /* one before, one after */
        assert_string_equal(keel_variable_name(p, i), "");
        assert_int_equal(keel_variable_index(p, i), 0);
        assert_string_equal(keel_row_name(p, 0, i), "");
        assert_string_equal(keel_row_name(p, i, 0), "");
        assert_int_equal(keel_level_rows(p, i), 0);
    }
    assert_int_equal(keel_problem_groups(p, size, name), 2);
    assert_true(size[0] == 2 && size[1] == 1);
    assert_int_equal(keel_problem_groups(p, NULL, name), 0);
    assert_int_equal(keel_problem_groups(p, size, NULL), 0);
    assert_int_equal(keel_problem_groups(NULL, size, name), 0);
    assert_string_equal(keel_form_name((keel_form)-1), "unknown form");
    assert_string_equal(keel_form_name((keel_form)1000), "unknown form");
    keel_problem_free(p);
}

/* Points that are not finite, and what a report does not hold. */
static void reports(void **state)
{
    double y[3] = {0, 1, 0}, yp[3] = {0};
    keel_problem *p = NULL;
    keel_check_report *r = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2,
        .multipliers = 1, .rhs = rhs_z, .constraint = constraint,
        .constraint_jacobian = wrong_gradient}), KEEL_OK);
    assert_int_equal(keel_check(p, NAN, y, NULL, &r), KEEL_BAD_ARGUMENT);
    y[1] = INFINITY;
    assert_int_equal(keel_check(p, 0, y, NULL, &r), KEEL_BAD_ARGUMENT);
    y[1] = 1, yp[2] = NAN;
    assert_int_equal(keel_check(p, 0, y, yp, &r), KEEL_BAD_ARGUMENT);
    assert_null(r);
    yp[2] = 0;
    assert_int_equal(keel_check(p, 0, y, yp, &r), KEEL_WRONG_DERIVATIVE);
    const int items = keel_check_item_count(r), findings = keel_check_finding_count(r);
    assert_true(items > 0 && findings > 0);
    assert_non_null(keel_check_item_at(r, items - 1));
    assert_non_null(keel_check_finding(r, findings - 1));
    assert_string_equal(keel_check_finding(r, 0)->callback, "constraint_jacobian");
    assert_null(keel_check_item_at(r, -1));
    assert_null(keel_check_item_at(r, items));
    assert_null(keel_check_finding(r, -1));
    assert_null(keel_check_finding(r, findings));
    keel_check_free(r);
    keel_problem_free(p);
}

/* Entries outside a matrix are no entries; the first of them is remembered. */
static void entries(void **state)
{
    static const int outside[][2] = {{-1, 0}, {2, 0}, {0, -1}, {0, 3}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        double values[6] = {0};
        keel_matrix a = {.rows = 2, .columns = 3, .values = values, .stray_row = -1,
                         .stray_column = -1};
        keel_put(&a, outside[k][0], outside[k][1], 7);
        keel_put(&a, 100, 100, 7);
        assert_true(a.stray_row == outside[k][0] && a.stray_column == outside[k][1]);
        for (int i = 0; i < 6; i++) assert_true(values[i] == 0);
    }
}

static void orders_of_no_case(void **state)
{
    keel_method *m = NULL;
    keel_order_case which = {.index = 2};
    int order[3];
    (void)state;
    assert_int_equal(keel_method_named(&m, "radau-iia-2"), KEEL_OK);
    assert_int_equal(keel_method_orders(m, &which, order), 2);
    assert_int_equal(keel_method_orders(m, NULL, order), 0);
    assert_int_equal(keel_method_orders(m, &which, NULL), 0);
    for (which.index = -1; which.index < 5; which.index += 5)
        assert_int_equal(keel_method_orders(m, &which, order), 0);
    keel_method_free(m);
}

/* ---- tableaux ------------------------------------------------------------------------------ */

/* The explicit midpoint rule, and NaN or a wrong number in each of the arrays. */
static void tableaux(void **state)
{
    static const double A[] = {0, 0, 0.5, 0}, b[] = {0, 1}, c[] = {0, 0.5};
    static const double bad[] = {NAN, 0, 0, 0, 0};
    static const double extra[] = {0.5, 0.5, 0}, ahead[] = {0.5, 0.25, 0.25}, dense[] = {0, 1, 0};
    const keel_tableau right = {.name = "m", .stages = 2, .A = A, .b = b, .c = c};
    keel_tableau wrong[12];
    static const char *const said[12] = {"order", "order", "b_second", "a_extra", "explicit",
                                         "c_extra", "dense", "a_constraint", "c_constraint",
                                         "dense_degree", "extra", "extra"};
    keel_method *m = NULL;
    (void)state;
    for (int k = 0; k < 12; k++) wrong[k] = right;
    wrong[0].order = -1;
    wrong[1].order_hat = -1;
    wrong[2].b_second = bad;
    for (int k = 3; k < 7; k++) wrong[k].extra = 1, wrong[k].A_extra = extra;
    wrong[3].A_extra = bad;
    wrong[4].A_extra = ahead;
    wrong[5].c_extra = bad;
    wrong[6].dense = bad, wrong[6].dense_degree = 1;
    wrong[7].A_constraint = bad;
    wrong[8].A_constraint = A, wrong[8].c_constraint = bad;
    wrong[9].dense = dense, wrong[9].dense_degree = 0;
    wrong[10].extra = 1;
    wrong[11].extra = -1;
    for (int k = 0; k < 12; k++) {
        const int rc = keel_method_create(&m, &wrong[k]);
        expect_refused(rc, keel_method_message(m), said[k]);
        keel_method_free(m);
    }
    assert_int_equal(keel_method_create(NULL, &right), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_create(&m, &right), KEEL_OK);
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains), cmocka_unit_test(bands_and_rows), cmocka_unit_test(questions),
        cmocka_unit_test(tableaux), cmocka_unit_test(reports), cmocka_unit_test(entries),
        cmocka_unit_test(orders_of_no_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
