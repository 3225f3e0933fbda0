/* test_method.c -- keel method and keel methods: what people and programs are told. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

#include "keel/keel.h"

/* ---- one method ---------------------------------------------------------------------------- */

static void for_people(void **state)
{
    (void)state;
    assert_int_equal(run("method radau-iia-3"), 0);
    static const char *const parts[] = {"Radau IIA, 3 stages", "fully implicit", "L-stable",
        "B(5), C(3), D(2)", "stiffly accurate", "not symmetric", "1 real, 1 complex",
        "0.6449489743", "Hairer & Wanner", "predicted orders"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) expect_contains(out, parts[k]);
    assert_string_equal(err, "");
    assert_int_equal(run("method dopri5"), 0);
    expect_contains(out, "embedded method of order 4");
    expect_contains(out, "3.30657 on the negative real axis");
    assert_int_equal(run("method rk4"), 0);
    expect_contains(out, "step doubling");
    assert_int_equal(run("method dop853"), 0);
    expect_contains(out, "--json shows it");             /* 12 stages are too wide for a page */
}

static void for_programs(void **state)
{
    (void)state;
    assert_int_equal(run("method gauss-2 --json"), 0);
    assert_true(json_valid(out));
    expect_member("name", "\"gauss-2\"");
    expect_member("symplectic", "true");
    expect_member("b_stable", "\"yes\"");
    expect_member("failing_tree", "\"[t,t,t,t]\"");
    assert_true(number(NULL, "order") == 4 && number(NULL, "stage_order") == 2);
    assert_true(fabs(number(NULL, "error_constant") - 1 / 720.0) < 1e-15);
    assert_int_equal(json_count(json_member(member("tableau"), "A")), 2);
    assert_int_equal(json_count(member("eigenvalues_re")), 2);
    assert_int_equal(json_count(member("predicted_orders")), 25);
    /* Index 3 without projection: u 2, v and lambda do not converge [HLR89]. */
    const char *last = json_element(member("predicted_orders"), 17);
    assert_true(strtod(json_member(last, "u"), NULL) == 2);
    assert_true(strtod(json_member(last, "lambda"), NULL) == 0);
    /* Index 2: z from the hidden constraint has the order of y, by the recursion less. */
    const char *hidden = json_element(member("predicted_orders"), 12),
               *recursion = json_element(member("predicted_orders"), 11);
    assert_true(strtod(json_member(hidden, "z"), NULL) == 4);
    assert_true(strtod(json_member(recursion, "z"), NULL) == 1);
}

/* Multistep and general linear methods: their coefficients as fractions, and the same facts. */
static void other_kinds(void **state)
{
    (void)state;
    static const struct { const char *line, *parts[12]; } known[] = {
        {"method bdf-3", {"BDF, 3 steps", "multistep", "Nordsieck vector", "-0.25, of z^4",
                          "alpha = 86.03 degrees", "M(inf)^4 = 0", "11/6", "6/11", "sum alpha_j",
                          "not Runge-Kutta stable", "1 real, 0 complex", "predicted orders"}},
        {"method dimsim-3", {"DIMSIM, 4 stages", "general linear", "4 values", "L-stable",
                             "Runge-Kutta stable", "-1996641/1350200", "907929/10801600",
                             "0.225, 4 times", "M(inf)^4 = 0", "stiffly accurate"}},
        {"method dcbdf-2", {"blocked", "root of sigma - tau 0", "gamma", "rows of W",
                            "constant steps only",
                            "12 on the negative real axis"}},
        {"method adams-2", {"root of sigma 1.71652", "they grow on index 2 and 3", "none"}},
        {"method rk4", {"1/6", "1/3"}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        assert_int_equal(run(known[k].line), 0);
        assert_string_equal(err, "");
        for (int i = 0; i < 12 && known[k].parts[i]; i++)
            expect_contains(out, known[k].parts[i]);
    }
}

static void other_kinds_for_programs(void **state)
{
    (void)state;
    assert_int_equal(run("method bdf-2 --json"), 0);
    assert_true(json_valid(out));
    expect_member("kind", "\"multistep\"");
    expect_member("l_stable", "true");
    expect_member("nordsieck", "true");
    expect_member("estimate", "\"carried\"");
    assert_true(number(NULL, "order") == 2 && number(NULL, "values") == 3);
    assert_true(fabs(number(NULL, "error_constant") + 1 / 3.0) < 1e-15);
    assert_true(number(NULL, "nilpotent") == 3 && number(NULL, "blocked_root") == 0);
    assert_int_equal(json_count(json_member(member("formula"), "alpha")), 3);
    assert_int_equal(json_count(json_member(member("matrices"), "V")), 3);
    assert_int_equal(json_count(member("predicted_orders")), 25);
    assert_int_equal(run("method dimsim-2 --json"), 0);
    assert_true(json_valid(out));
    expect_member("runge_kutta_stable", "true");
    assert_int_equal(json_count(member("eigenvalues_re")), 3);
    assert_int_equal(json_count(json_member(member("matrices"), "U")), 3);
}

/* Formulas that are of no use are explained, not unknown. */
static void of_no_use(void **state)
{
    (void)state;
    assert_int_equal(run("method bdf-7"), 1);
    expect_contains(out, "1.0222");
    assert_string_equal(err, "");
    assert_int_equal(run("method beta-adams-4"), 1);
    expect_contains(out, "double root at -1");
}

/* Those that choose as they go have no tableau to show. */
static void variable_methods(void **state)
{
    (void)state;
    static const char *const names[] = {"radau-iia", "auto", "bdf", "dimsim"},
                      *const parts[] = {"radau-iia-3", "radau-iia", "bdf-3", "irks-3"};
    for (int k = 0; k < 4; k++) {
        char line[64];
        snprintf(line, sizeof line, "method %s", names[k]);
        assert_int_equal(run(line), 0);
        expect_contains(out, "keel method ");
        expect_contains(out, parts[k]);
        snprintf(line, sizeof line, "method %s --json", names[k]);
        assert_int_equal(run(line), 0);
        assert_true(json_valid(out));
        expect_member("variable", "true");
        snprintf(line, sizeof line, "method %s --plot a.svg", names[k]);
        expect_usage(line, "draw one of them");
    }
}

static void wrong_usage(void **state)
{
    (void)state;
    expect_usage("method", "NAME or --method-file FILE is missing");
    expect_usage("method radau-iia-3 --method-file a", "exclude each other");
    expect_usage("method radauiia-3", "did you mean 'radau-iia-3'?");
    expect_usage("method rk4 --plot a.pdf", ".svg or .png");
    assert_int_equal(run("method --method-file missing.txt"), 1);
    expect_contains(err, "missing.txt");
}

/* ---- methods of the user's own ------------------------------------------------------------- */

static void write_method(const char *claim, const char *a32)
{
    char path[200];
    snprintf(path, sizeof path, "%s/own.txt", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "name: own\n%sA:\n 0 0 0 0\n 1/2 0 0 0\n 0 %s 0 0\n 0 0 1 0\n"
                  "b: 1/6 1/3 1/3 1/6\n", claim, a32);
    fclose(file);
}

static void from_a_file(void **state)
{
    (void)state;
    write_method("order: 4\n", "1/2");
    assert_int_equal(run("method --method-file own.txt"), 0);
    expect_contains(out, "own: ");
    expect_contains(out, "missed by 0.00833");
    free(take("own.txt", NULL));
}

/* One digit wrong: with a claim it is an error that names the condition, without one the order is
 * what it is. */
static void a_wrong_digit(void **state)
{
    (void)state;
    write_method("order: 4\n", "0.500000001");
    assert_int_equal(run("method --method-file own.txt"), 1);
    expect_contains(err, "[t]");
    expect_contains(err, "order 4");
    write_method("", "0.500000001");
    assert_int_equal(run("method --method-file own.txt"), 0);
    expect_contains(out, "1; for order 2 the condition of the tree [t] is missed");
    free(take("own.txt", NULL));
}

/* ---- pictures ------------------------------------------------------------------------------ */

static void pictures(void **state)
{
    (void)state;
    size_t length = 0;
    assert_int_equal(run("method bdf-3 --plot a.svg"), 0);
    char *svg = take("a.svg", &length);
    assert_non_null(svg);
    expect_contains(svg, "stability region");
    expect_contains(svg, "order star");
    expect_contains(svg, "poles of R");
    expect_contains(svg, "3 steps, order 3, not A-stable");
    expect_contains(svg, "</svg>");
    free(svg);
    assert_int_equal(run("method euler --plot a.png"), 0);
    char *png = take("a.png", &length);
    assert_true(png && length > 8 && memcmp(png + 1, "PNG", 3) == 0);
    free(png);
    assert_int_equal(run_with("PATH=/nowhere", "method rk4 --plot a.svg"), 1);
    expect_contains(err, "gnuplot");
    assert_null(take("a.svg", NULL));
}

/* ---- the list ------------------------------------------------------------------------------ */

static void list(void **state)
{
    (void)state;
    assert_int_equal(run("methods"), 0);
    static const char *const parts[] = {"family", "name", "order", "stage order", "error const.",
        "rhs", "real LU", "complex LU", "values", "|M(inf)|", "stable", "stiffly acc.", "auto",
        "gauss-3", "verner8", "A(86.0)", "-0.0833", "dimsim-3"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) expect_contains(out, parts[k]);
    assert_int_equal(run("methods --json"), 0);
    assert_true(json_valid(out));
    assert_int_equal(json_count(out), keel_method_count());
}

/* The registry claims nothing that the coefficients do not have.  The embedded weights of hem-5 are
 * published with an error of 1.6e-13, which is more than rounding. */
static void claims_hold(void **state)
{
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        keel_method *m = NULL;
        keel_analysis a;
        assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        if (info.stages <= 0 || info.kind >= KEEL_METHOD_MULTISTEP) continue;
        assert_int_equal(keel_method_named(&m, info.name), KEEL_OK);
        assert_int_equal(keel_method_analyse(m, &a), KEEL_OK);
        const keel_tableau *t = keel_method_tableau(m);
        int same = a.order == info.order && a.stages == info.stages
                && a.stiffly_accurate == info.stiffly_accurate
                && (isnan(a.r_infinity) ? isnan(info.r_infinity)
                                        : fabs(a.r_infinity - info.r_infinity) < 1e-12)
                && (!t->order_hat || t->order_hat == a.order_hat
                    || strcmp(info.name, "hem-5") == 0);
        if (!same)
            fail_msg("%s: order %d (claimed %d), embedded %d (%d), R(inf) %g (%g)", info.name,
                     a.order, info.order, a.order_hat, t->order_hat, a.r_infinity,
                     info.r_infinity);
        keel_method_free(m);
    }
}

static void claims_of_other_kinds_hold(void **state)
{
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        keel_method *m = NULL;
        keel_general_analysis a;
        assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        if (info.stages <= 0 || info.kind < KEEL_METHOD_MULTISTEP) continue;
        assert_int_equal(keel_method_named(&m, info.name), KEEL_OK);
        assert_int_equal(keel_method_analyse_general(m, &a), KEEL_OK);
        int same = a.order == info.order && a.stage_order == info.stage_order
                && a.values == info.values && a.stiffly_accurate == info.stiffly_accurate
                && a.zero_stable && fabs(a.rho_infinity - info.r_infinity) < 1e-9;
        if (!same)
            fail_msg("%s: order %d (%d), stage order %d (%d), %d values (%d), M(inf) %g (%g)",
                     info.name, a.order, info.order, a.stage_order, info.stage_order, a.values,
                     info.values, a.rho_infinity, info.r_infinity);
        keel_method_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_people), cmocka_unit_test(for_programs),
        cmocka_unit_test(other_kinds), cmocka_unit_test(other_kinds_for_programs),
        cmocka_unit_test(of_no_use), cmocka_unit_test(variable_methods),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(from_a_file), cmocka_unit_test(a_wrong_digit),
        cmocka_unit_test(pictures), cmocka_unit_test(list), cmocka_unit_test(claims_hold),
        cmocka_unit_test(claims_of_other_kinds_hold),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
