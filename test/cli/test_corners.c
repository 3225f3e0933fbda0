/* test_corners.c -- words of the command that are rarely typed: help and versions, numbers at their
 * limits, lists that are too long, many rows, other norms. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static void overviews(void **state)
{
    static const char *const words[] = {"help", "--help", "-h", "help -x", "help --help"};
    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        assert_int_equal(run(words[k]), 0);
        expect_contains(out, "usage: keel VERB");
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run(k ? "-V" : "--version"), 0);
        assert_true(strncmp(out, "keel ", 5) == 0 && strlen(out) < 30);
    }
    static const char *const verbs[] = {"run", "converge", "compare", "manifold", "check", "new",
                                        "problems", "methods", "method"};
    for (size_t k = 0; k < sizeof verbs / sizeof *verbs; k++)
        for (int way = 0; way < 3; way++) {
            char line[60], usage[60];
            snprintf(line, sizeof line, way == 0 ? "help %s" : way == 1 ? "%s -h" : "%s --help",
                     verbs[k]);
            snprintf(usage, sizeof usage, "usage: keel %s", verbs[k]);
            assert_int_equal(run(line), 0);
            expect_contains(out, usage);
        }
    assert_int_equal(run("--version >/dev/full"), 1);
    expect_contains(err, "cannot write to standard output");
    assert_int_equal(run("run nobody >/dev/full"), 2);
}

static void numbers_at_their_limits(void **state)
{
    static const char *const wrong[][2] = {
        {"run pendulum --points 99999999999999999999", "--points takes a whole number"},
        {"run pendulum --points ''", "--points takes a whole number"},
        {"run pendulum --points 3x", "--points takes a whole number"},
        {"run pendulum --t-end inf", "--t-end takes a number"},
        {"run pendulum --t-end ''", "--t-end takes a number"},
        {"run pendulum --param gravity", "NAME=NUMBER"},
        {"run pendulum --param =1", "NAME=NUMBER"},
        {"run pendulum --param gravity=x", "NAME=NUMBER"},
        {"run pendulum --param nothing=1", "unknown parameter 'nothing'"},
        {"manifold pendulum --step 1e-300", "too many steps"},
        {"manifold pendulum --step 1e-9 --halvings 3", "too many steps"},
        {"converge pendulum --step 1e-300", "steps"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        expect_usage(wrong[k][0], wrong[k][1]);
    assert_int_equal(run("run pendulum --t-end=0.1 --rtol=1e-3 --json"), 0);
    assert_true(number(NULL, "t") == 0.1);
}

static void lists_too_long(void **state)
{
    char line[600] = "compare kepler --methods rk4";
    (void)state;
    for (int k = 0; k < 14; k++) strcat(line, ",rk4");
    expect_usage(line, "--methods takes at most 14 methods");
    line[strlen(line) - 4] = '\0';               /* 14 of them, and one more from elsewhere */
    strcat(line, " --method dopri5");
    expect_usage(line, "--methods takes at most 14 methods");
    snprintf(line, sizeof line, "run pendulum --plot a.svg --plot-variables u1");
    for (int k = 0; k < 14; k++) strcat(line, ",u1");
    expect_usage(line, "14");
    expect_usage("run pendulum --plot a.svg --plot-variables "
                 "a-name-that-is-longer-than-any-name-of-a-variable-could-ever-be-in-this-program",
                 "unknown variable");
}

/* Six rows by name, and that there are more; what the start remarks. */
static void many_rows(void **state)
{
    (void)state;
    assert_int_equal(run("check bricard"), 0);
    expect_contains(out, "35: g[0], g[1], g[2], g[3], g[4], g[5], ...\n");
    expect_contains(out, "remark  ");
    expect_contains(out, "rank 34, not 35");
    assert_int_equal(run("check van-der-pol"), 0);
    assert_null(strstr(out, "remark"));
}

static void norms_and_columns(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-ode --method rk4 --halvings 2 --norm euclidean --end"), 0);
    expect_contains(out, "at the end, Euclidean norm");
    assert_int_equal(run("converge order-index2 --method radau-iia-2 --halvings 2 --each "
                         "--json"), 0);
    const char *study = json_element(member("studies"), 0);
    const char *errors = json_member(json_element(json_member(study, "runs"), 0), "errors");
    const int each = json_count(errors);
    assert_int_equal(run("converge order-index2 --method radau-iia-2 --halvings 2 --json"), 0);
    study = json_element(member("studies"), 0);
    errors = json_member(json_element(json_member(study, "runs"), 0), "errors");
    assert_true(each > json_count(errors) && json_count(errors) == 2);       /* y and z */
    assert_int_equal(run("manifold pendulum --formulation index2 --t-end 1 --halvings 1"), 0);
    expect_contains(out, "formulation index2");
    assert_int_equal(run("manifold order-index3-nonlinear --method collocation-2:0.5 --step 0.2 "
                         "--halvings 1"), 0);
    expect_contains(out, "0.3333");              /* R(inf) = (1 - 0.5) / (1 + 0.5) */
    expect_usage("converge order-ode --norm manhattan", "--norm");
}

/* Residuals of 9000 steps become at most 4000 maxima; a program of the folder shows the script. */
static void long_runs(void **state)
{
    char path[200];
    (void)state;
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\ncat\n", file);
    fclose(file);
    snprintf(path, sizeof path, "chmod 700 %s/gnuplot", folder);
    assert_int_equal(system(path), 0);
    assert_int_equal(run_with("PATH=$PWD:$PATH", "run kepler --method rk4 --step 1e-3 --t-end 9 "
                              "--plot a.svg --json"), 0);
    assert_true(number("stats", "accepted") == 9000);
    char *script = take("a.svg", NULL);
    const char *at = strstr(script, "$residuals << EOD\n");
    assert_non_null(at);
    long rows = 0;
    double last = 0;
    for (at = strchr(at, '\n') + 1; strncmp(at, "EOD", 3) != 0; at = strchr(at, '\n') + 1, rows++)
        last = strtod(at, NULL);
    assert_true(rows > 100 && rows <= 4000);
    assert_true(last > 8.9 && last <= 9);
    free(script);
    free(take("gnuplot", NULL));
}

static void new_files(void **state)
{
    (void)state;
    expect_usage("new ode", "FILE.c");
    expect_usage("new ode .c", "plain name that ends in .c");
    expect_usage("new ode a.txt", "plain name that ends in .c");
    expect_usage("new ode -x", "unknown option '-x'");
    expect_usage("new odd a.c", "odd");
}

/* What tables of other kinds of methods say. */
static void methods_in_words(void **state)
{
    static const char *const cases[][2] = {
        {"method tr-bdf2", "first stage explicit"}, {"method gauss-2", ", symplectic"},
        {"method euler", "R(inf)            infinite"}, {"method dimsim-1", "y, h y'\n"},
        {"method dimsim-2", "y, h y', h^2 y''\n"}, {"method bdf-4", "h^2 y'', ...\n"},
        {"method adams-2", "they grow on index 2 and 3"},
        {"method beta-adams-2 --json", "\"gamma\": ["},
        {"method dopri5 --json", "\"b_embedded\": ["}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(run(cases[k][0]), 0);
        expect_contains(out, cases[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overviews), cmocka_unit_test(numbers_at_their_limits),
        cmocka_unit_test(lists_too_long), cmocka_unit_test(many_rows),
        cmocka_unit_test(norms_and_columns), cmocka_unit_test(new_files),
        cmocka_unit_test(long_runs),
        cmocka_unit_test(methods_in_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
