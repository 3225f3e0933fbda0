/* test_bvp_files.c -- keel bvp: solutions saved and taken as a guess, points as a guess, branches that are
 * killed and go on. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/killing.h"

/* What was asked for by a stored solution, and how much work that took. */
static double work(const char *arguments)
{
    if (run(arguments) != 0) fail_msg("keel %s: %s", arguments, err);
    expect_member("status", "\"ok\"");
    return number("stats", "factorizations");
}

static void saved_solution(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --param lambda=3.5 --save bratu.sol --quiet"), 0);
    const double fresh = work("bvp bratu --param lambda=3.5 --tol 1e-10 --json");
    const double again = work("bvp bratu --param lambda=3.5 --tol 1e-10 --guess bratu.sol --json");
    assert_true(again < fresh);
    assert_true(number("error", "x") <= 1e-10 && number("error", "y") <= 1e-10);
    assert_int_equal(run("bvp layers --guess bratu.sol"), 1);
    expect_contains(err, "another problem");
    assert_int_equal(run("bvp bratu --save /nowhere/bratu.sol --quiet"), 1);
    expect_contains(err, "cannot be written");
}

/* The unknown period is a part of it. */
static void saved_parameters(void **state)
{
    (void)state;
    assert_int_equal(run("bvp pendulum-period --save period.sol --quiet"), 0);
    const double again = work("bvp pendulum-period --guess period.sol --json");
    assert_true(again < work("bvp pendulum-period --json"));
}

/* Points of keel bvp and of keel run. */
static void points_as_guess(void **state)
{
    (void)state;
    assert_int_equal(run("bvp troesch --param m=8 --output troesch.csv --quiet"), 0);
    work("bvp troesch --param m=10 --guess troesch.csv --json");
    assert_int_equal(run("run order-index1 --output points.csv --quiet"), 0);
    assert_int_equal(run("bvp bratu --guess points.csv"), 2);    /* no unknown of bratu */
    expect_contains(err, "t,NAME");
    assert_int_equal(run("run ascher-petzold --output ap.csv --quiet"), 0);
    work("bvp ascher-petzold --guess ap.csv --json");
    assert_true(number("error", "x") <= 1e-6);
}

static void wrong_guesses(void **state)
{
    static const struct { const char *text, *said; } wrong[] = {
        {"", "neither"}, {"t,u\n", "two points"}, {"t,u\n0,1\n", "two points"},
        {"t,u\n0,1\n0,2\n", "two points"}, {"t,u\n0,1\n1,x\n", "line 3: 'x' is no number"},
        {"t,u\n0,1\n1\n", "no number"}, {"t,u\n0,1\n1,nan\n", "no number"},
        {"t,u\n0,1\n2,1\n1,1\n", "two points"}, {"u,t\n0,1\n", "neither"},
    };
    char name[200];
    (void)state;
    snprintf(name, sizeof name, "%s/wrong.csv", folder);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FILE *file = fopen(name, "w");
        fputs(wrong[i].text, file);
        fclose(file);
        assert_true(run("bvp bratu --guess wrong.csv") != 0);
        expect_contains(err, wrong[i].said);
    }
    assert_int_equal(run("bvp bratu --guess nowhere.csv"), 2);
    expect_contains(err, "cannot read");
    assert_int_equal(run("bvp bratu --checkpoint x"), 2);
    assert_int_equal(run("bvp bratu --continue lambda=1:2 --save x"), 2);
    assert_int_equal(run("bvp bratu --memory -1"), 2);
}

/* Another interval: the exact solution is not that of the problem any more. */
static void other_interval(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --save short.sol --quiet"), 0);
    work("bvp bratu --t-end 1.2 --guess short.sol --json");
    expect_member("t_end", "1.2");
}

/* As if it had not been killed. */
static void killed_branch(void **state)
{
    static const char whole[] = "bvp bratu --continue lambda=0.5:4 --arclength --tol 1e-10 --quiet "
                                "--output points.csv";
    char saving[300], resuming[500];
    const char *file = kept_in();
    int resumed = 0;
    (void)state;
    assert_int_equal(run(whole), 0);
    char *expected = take("points.csv", NULL);
    snprintf(saving, sizeof saving, "%s --checkpoint %s", whole, file);
    snprintf(resuming, sizeof resuming, "%s --resume %s", saving, file);
    for (int k = 0; k < 6; k++) {
        remove(file);
        kill_after(saving, file, 2e-3 * k);
        if (access(file, R_OK) != 0) continue;
        assert_int_equal(run(resuming), 0);
        char *points = take("points.csv", NULL);
        assert_string_equal(points, expected);
        free(points);
        resumed++;
    }
    assert_true(resumed > 0);
    snprintf(resuming, sizeof resuming, "bvp bratu --continue lambda=0.5:4 --resume %s", file);
    assert_int_equal(run(resuming), 1);
    expect_contains(err, "another branch");
    remove(file);
    free(expected);
}

static int tidy(void **state)
{
    static const char *const names[] = {"bratu.sol", "period.sol", "troesch.csv", "points.csv",
                                        "points.csv.part", "ap.csv", "wrong.csv", "short.sol"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(names[i]));
    return remove_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_solution), cmocka_unit_test(saved_parameters),
        cmocka_unit_test(points_as_guess), cmocka_unit_test(wrong_guesses),
        cmocka_unit_test(other_interval), cmocka_unit_test(killed_branch),
    };
    return cmocka_run_group_tests(tests, make_folder, tidy);
}
