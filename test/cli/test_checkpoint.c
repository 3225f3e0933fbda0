/* test_checkpoint.c -- keel run --checkpoint and --resume: killed runs go on as if they had not
 * been, other runs are refused by name, and a full disk is said. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/killing.h"

static void killed_runs_go_on(void **state)
{
    (void)state;
    int resumed = 0;
    for (int k = 0; k < CLASSES; k += 4) resumed += kill_and_resume(classes[k], 3);
    assert_true(resumed > 0);
}

/* Killed, resumed, killed again, ...: the same run in pieces, with its plot. */
static void many_lives(void **state)
{
    static const char plain[] = "run pendulum --method radau-iia --json --plot motion.svg";
    char saving[300], resuming[400];
    (void)state;
    if (run(plain) != 0) fail_msg("%s", err);
    char *expected = without_time(out), *picture = take("motion.svg", NULL);
    snprintf(saving, sizeof saving, "%s --checkpoint life --every 0", plain);
    snprintf(resuming, sizeof resuming, "%s --resume life", saving);
    kill_after(saving, path_of("life"), 0.01);
    for (int k = 0; k < 4; k++) kill_after(resuming, NULL, 0.02);
    assert_int_equal(run(resuming), 0);
    char *json = without_time(out), *drawn = take("motion.svg", NULL);
    assert_string_equal(json, expected);
    assert_string_equal(drawn, picture);
    remove(path_of("life"));
    remove(path_of("life.part"));
    remove(path_of("motion.svg.part"));
    free(expected);
    free(picture);
    free(json);
    free(drawn);
}

static void other_runs_are_refused(void **state)
{
    static const struct { const char *arguments, *part; } refused[] = {
        {"andrews --resume c", "form mechanical of 20 unknowns"},
        {"pendulum --rtol 1e-7 --resume c", "it has `rtol = 1e-06`, this solver `rtol = 1e-07`"},
        {"pendulum --method bdf --resume c", "it has `method radau-iia`, this solver `method bdf`"},
        {"pendulum --t-end 10 --resume c", "it has `t-end 20`, this one `t-end 10`"},
        {"pendulum --param gravity=10 --resume c", "it has `param gravity=1`"},
        {"pendulum --formulation ggl --resume c", "form"},
        {"pendulum --output p.csv --resume c", "it has `output no`, this one `output yes`"},
        {"pendulum --plot p.svg --resume c", "plot"},
        {"pendulum --resume nothing", "No such file"},
    };
    (void)state;
    assert_int_equal(run("run pendulum --method radau-iia --checkpoint c"), 0);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        char line[300];
        snprintf(line, sizeof line, "run --method radau-iia %s", refused[k].arguments);
        if (run(line) == 0) fail_msg("%s: not refused", line);
        expect_contains(err, refused[k].part);
    }
    remove(path_of("p.csv"));
    remove(path_of("p.svg"));
    remove(path_of("c"));
    expect_usage("run pendulum --every 3", "--every needs --checkpoint");
    expect_usage("run pendulum --checkpoint c --every -0.5", "--every takes");
}

static void full_disk(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --checkpoint /dev/full"), 1);
    expect_contains(err, "/dev/full cannot be written: No space left on device");
    assert_int_equal(run("run pendulum --checkpoint nowhere/c"), 1);
    expect_contains(err, "nowhere/c cannot be written: No such file or directory");
}

/* --max-steps may be raised: the run that came to its limit goes on. */
static void limit_is_raised(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --json"), 0);
    char *expected = without_time(out);
    assert_int_equal(run("run pendulum --json --checkpoint c --every 0 --max-steps 30"), 1);
    assert_int_equal(run("run pendulum --json --resume c"), 0);
    char *json = without_time(out);
    assert_string_equal(json, expected);
    remove(path_of("c"));
    free(json);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_runs_go_on),
        cmocka_unit_test(many_lives),
        cmocka_unit_test(other_runs_are_refused),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(limit_is_raised),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, make_folder, remove_folder);
}
