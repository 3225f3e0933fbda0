/* test_compare.c -- keel compare: every method at every tolerance, failures included. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static const char *trial(int i)
{
    const char *r = json_element(member("runs"), i);
    assert_non_null(r);
    return r;
}

static double value(int i, const char *key)
{
    const char *text = json_member(trial(i), key);
    assert_non_null(text);
    return strncmp(text, "null", 4) == 0 ? NAN : strtod(text, NULL);
}

static void every_method_at_every_tolerance(void **state)
{
    (void)state;
    assert_int_equal(run("compare pendulum --methods radau-iia,radau-iia-3 --rtol 1e-4,...,1e-8 "
                         "--json"), 0);
    assert_string_equal(err, "");
    assert_true(json_valid(out));
    expect_member("reference", "\"bundled\"");
    assert_int_equal(json_count(member("runs")), 10);
    for (int i = 0; i < 10; i++) {
        const char *method = i < 5 ? "\"radau-iia\"" : "\"radau-iia-3\"";
        assert_int_equal(strncmp(json_member(trial(i), "method"), method, strlen(method)), 0);
        assert_true(fabs(value(i, "rtol") / pow(10, -4 - i % 5) - 1) < 1e-12);
        assert_true(value(i, "drift") < 1e-13);
        assert_true(value(i, "rhs") > 0 && value(i, "factorizations") > 0);
    }
    assert_true(value(4, "scd") > value(0, "scd") + 2);      /* four decades of tolerance */
    assert_true(value(9, "accepted") > value(5, "accepted"));
}

/* Order, error constant and cost of the methods, whatever their kind. */
static void methods_beside_each_other(void **state)
{
    (void)state;
    const char *line = "compare order-ode --methods auto,gauss-2,bdf-2,dimsim-1,rk4 --rtol 1e-3 "
                       "--t-end 0.1 --json";
    assert_int_equal(run(line), 0);
    static const struct { double order, constant, rhs, real, values; } known[] = {
        {4, 1 / 720.0, 2, 0, 1}, {2, -1 / 3.0, 1, 1, 3}, {1, -0.01, 2, 1, 2},
        {4, 1 / 120.0, 4, 0, 1}};
    assert_int_equal(json_count(member("methods")), 5);
    assert_null(json_member(json_element(member("methods"), 0), "order"));
    for (int i = 0; i < 4; i++) {
        const char *m = json_element(member("methods"), i + 1);
        assert_true(strtod(json_member(m, "order"), NULL) == known[i].order);
        assert_true(fabs(strtod(json_member(m, "error_constant"), NULL) - known[i].constant)
                    < 1e-14);
        assert_true(strtod(json_member(m, "rhs_per_step"), NULL) == known[i].rhs);
        assert_true(strtod(json_member(m, "real_systems"), NULL) == known[i].real);
        assert_true(strtod(json_member(m, "values"), NULL) == known[i].values);
    }
    assert_int_equal(run("compare order-ode --methods bdf-2,rk4 --rtol 1e-3 --t-end 0.1"), 0);
    expect_contains(out, "error const.");
    expect_contains(out, "-0.333");
}

static void lists_of_tolerances(void **state)
{
    (void)state;
    assert_int_equal(run("compare order-ode --rtol 1e-3,1e-5,...,1e-9,1e-6 --json"), 0);
    static const double expected[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-6};
    assert_int_equal(json_count(member("runs")), 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(value(i, "rtol") / expected[i] - 1) < 1e-12);
    assert_true(isnan(value(0, "drift")));                   /* no constraints */
}

static void a_reference_is_computed_where_none_is_known(void **state)
{
    (void)state;
    assert_int_equal(run("compare pendulum --t-end 1 --rtol 1e-5,1e-9 --json"), 0);
    expect_member("reference", "\"computed\"");
    assert_true(value(1, "scd") > value(0, "scd") + 2);
}

static void failures_do_not_end_the_study(void **state)
{
    (void)state;
    assert_int_equal(run("compare pendulum --methods radau-iia-1,radau-iia --rtol 1e-6 "
                         "--max-steps 200"), 0);
    expect_contains(out, "step-limit");
    expect_contains(out, "ok");
    expect_contains(err, "keel compare: radau-iia-1, rtol 1e-06: KEEL_STEP_LIMIT");
    assert_int_equal(run("compare pendulum --rtol 1e-6 --max-steps 2"), 1);
}

static void pictures(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    size_t length = 0;
    assert_int_equal(run("compare pendulum --rtol 1e-4,1e-5 --t-end 2 --plot a.svg"), 0);
    assert_string_equal(err, "");
    char *picture = take("a.svg", &length);
    expect_contains(picture, "factorizations");
    expect_contains(picture + length - 20, "</svg>");
    free(picture);
}

static void wrong_usage(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"compare", "TARGET is missing"},
        {"compare pendulum --methods radau-iia,radau-iib", "unknown method 'radau-iib'"},
        {"compare pendulum --methods radau-iia,", "unknown method ''"},
        {"compare pendulum --rtol 1e-4,x", "--rtol takes numbers"},
        {"compare pendulum --rtol ...,1e-4", "--rtol takes numbers"},
        {"compare pendulum --rtol 1e-4,...", "--rtol takes numbers"},
        {"compare pendulum --rtol 1e-4,1e-3,...,1e-6", "--rtol takes numbers"},
        {"compare pendulum --rtol 2", "rtol"},
        {"compare pendulum --step 0.1", "keel converge"},
        {"compare pendulum --plot a", ".svg or .png"},
        {"compare pendulum --t-end 0", "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_usage(cases[i][0], cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_at_every_tolerance),
        cmocka_unit_test(methods_beside_each_other), cmocka_unit_test(lists_of_tolerances),
        cmocka_unit_test(a_reference_is_computed_where_none_is_known),
        cmocka_unit_test(failures_do_not_end_the_study), cmocka_unit_test(pictures),
        cmocka_unit_test(wrong_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
