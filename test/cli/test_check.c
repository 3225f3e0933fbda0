/* test_check.c -- keel check: structure, start and comparisons of a problem, for people and
 * programs. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static void a_problem_that_fits(void **state)
{
    (void)state;
    assert_int_equal(run("check pendulum"), 0);
    assert_string_equal(err, "");
    expect_contains(out, "pendulum: mechanical, index 3");
    expect_contains(out, "unknowns, equations  5");
    expect_contains(out, "degrees of freedom   2");
    expect_contains(out, "velocity             1: g[0]");
    expect_contains(out, "consistent at t = 0");
    expect_contains(out, "constraint_jacobian");
    expect_contains(out, "curvature");
    assert_null(strstr(out, "wrong"));
    /* Chains of rows, forms that do not tell, rows that depend on each other. */
    assert_int_equal(run("check order-levelled"), 0);
    expect_contains(out, "d/dt h_2");
    assert_int_equal(run("check nand-gate"), 0);
    expect_contains(out, "mass_jacobian");
    assert_null(strstr(out, "degrees of freedom"));
    assert_int_equal(run("check bricard"), 0);
    expect_contains(out, "depend on each other");
    expect_contains(out, "degrees of freedom   2");      /* one angle: of 35 rows 34 bind */
    assert_int_equal(run("check wheelset"), 0);
    expect_contains(out, "no derivatives are given");
}

static void what_the_start_moved(void **state)
{
    (void)state;
    assert_int_equal(run("check pendulum --start u1=0.6 --param gravity=9.81 --t-start 1"), 0);
    expect_contains(out, "consistent at t = 1, after moving");
    expect_contains(out, "u2 from ");
    assert_int_equal(run("check pendulum --start u1=2 --start u2=0"), 1);
    expect_contains(out, "KEEL_INCONSISTENT");
    expect_contains(out, "curvature");             /* compared all the same */
}

static void as_json(void **state)
{
    (void)state;
    assert_int_equal(run("check car-axis --json"), 0);
    expect_member("target", "\"car-axis\"");
    expect_member("form", "\"mechanical\"");
    expect_member("index", "3");
    expect_member("degrees_of_freedom", "4");
    expect_member("status", "\"KEEL_OK\"");
    expect_member("findings", "[]");
    expect_contains(out, "\"callback\": \"evaluate: constraint_time\"");
    expect_contains(out, "\"outcome\": \"fits\"");
    assert_int_equal(run("check transistor-amplifier --json"), 0);
    expect_member("degrees_of_freedom", "null");
}

static void wrong_usage(void **state)
{
    (void)state;
    expect_usage("check", "TARGET");
    expect_usage("check pendulums", "pendulum");
    expect_usage("check pendulum --start nobody=1", "nobody");
    expect_usage("check pendulum --rtol 1e-3", "rtol");
    assert_int_equal(run("help check"), 0);
    expect_contains(out, "keel check TARGET");
    assert_int_equal(run("run pendulum --check none --quiet"), 0);
    expect_usage("run pendulum --check all", "auto|none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_that_fits), cmocka_unit_test(what_the_start_moved),
        cmocka_unit_test(as_json), cmocka_unit_test(wrong_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
