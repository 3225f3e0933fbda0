/* test_sweep.c -- keel sweep: the same bytes for any number of jobs, after a kill, and with failures. */
#define _XOPEN_SOURCE 700
#include "test/cli/killing.h"

#define PENDULUMS "sweep pendulum --param gravity=1:2:"

static void same_for_all_jobs(void **state)
{
    (void)state;
    assert_int_equal(run(PENDULUMS "60 --t-end 1 --quiet"), 0);
    char *one = strdup(out);
    assert_int_equal(run(PENDULUMS "60 --t-end 1 --quiet --jobs 2"), 0);
    assert_string_equal(one, out);
    assert_int_equal(run(PENDULUMS "60 --t-end 1 --quiet --jobs 5 --output t.csv"), 0);
    char *file = take("t.csv", NULL);
    assert_string_equal(one, file);
    assert_null(peek("t.csv.rows"));
    free(one);
    free(file);
}

/* The end values are those of `keel run`. */
static void rows_are_runs(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --param gravity=1.5 --start u1=0.6 --t-end 1 --json"), 0);
    const double expected = strtod(member("y") + 1, NULL);
    assert_int_equal(run("sweep pendulum --param gravity=1,1.5 --start u1=0.6,0.7 --t-end 1 --quiet"), 0);
    expect_contains(out, "row,gravity,start u1,status,message,t,u1,u2,v1,v2,lambda,steps,");
    const char *line = strstr(out, "\n2,1.5,0.59999999999999998,ok,,1,");
    assert_non_null(line);
    assert_true(strtod(line + strlen("\n2,1.5,0.59999999999999998,ok,,1,"), NULL) == expected);
}

static void failed_runs_are_rows(void **state)
{
    (void)state;
    assert_int_equal(run("sweep bouncing-ball --param restitution=0.5,0.9 --jobs 2"), 1);
    expect_contains(out, "\n0,0.5,chattering,\"t = ");
    expect_contains(out, "\n1,0.90000000000000002,ok,,7.5,");
    expect_contains(err, "2 runs, 1 failed");
    assert_int_equal(run("sweep chain --param links=3,1e9 --t-end 0.01 --json"), 1);
    assert_int_equal((int)number(NULL, "failed"), 1);
    assert_int_equal((int)number(NULL, "rows"), 2);
    expect_contains(out, "positions = 0 is out of range");
}

/* Not even where it is the first run that cannot be made; where none can, that is said. */
static void first_run_fails(void **state)
{
    (void)state;
    assert_int_equal(run("sweep chain --param links=0:4:5 --t-end 0.01 --jobs 2"), 1);
    expect_contains(out, "\n0,0,bad-argument,KEEL_BAD_ARGUMENT: mechanical: positions = 0 is out of range,");
    expect_contains(out, "\n4,4,ok,");
    expect_contains(err, "5 runs, 1 failed");
    assert_int_equal(run("sweep chain --param links=-1,0 --t-end 0.01"), 1);
    expect_contains(err, "positions = 0 is out of range");
    assert_string_equal(out, "");
}

static void samples(void **state)
{
    (void)state;
    assert_int_equal(run("sweep pendulum --param gravity=1:2 --samples 9 --seed 4 --t-end 1 --quiet"), 0);
    char *first = strdup(out);
    assert_int_equal(run("sweep pendulum --param gravity=1:2 --samples 9 --seed 4 --t-end 1 --quiet --jobs 3"), 0);
    assert_string_equal(first, out);
    assert_int_equal(run("sweep pendulum --param gravity=1:2 --samples 9 --seed 5 --t-end 1 --quiet"), 0);
    assert_string_not_equal(first, out);
    free(first);
}

static void models(void **state)
{
    (void)state;
#ifdef KEEL_WITH_MODELS
    write_file("decay.mo", "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); Real twice;\n"
                           "equation der(x) = -k * x; twice = 2 * x; end Decay;\n");
    assert_int_equal(run("sweep decay.mo --param k=1,2 --t-end 1 --jobs 2 --rtol 1e-10 --atol 1e-10 --quiet"), 0);
    expect_contains(out, "row,k,status,message,t,x,twice,steps");
    const char *line = strstr(out, "\n1,2,ok,,1,");
    assert_non_null(line);
    const double x = strtod(line + 11, NULL), twice = strtod(strchr(line + 11, ',') + 1, NULL);
    assert_true(fabs(x - exp(-2)) < 1e-8);
    assert_true(fabs(twice - 2 * exp(-2)) < 2e-8);
    remove(path_of("decay.mo"));
    write_file("sized.mo", "model Sized parameter Integer n = 1; Real x[n](each start = 1, each fixed = true);\n"
                           "equation for i in 1:n loop der(x[i]) = -x[i]; end for; end Sized;\n");
    assert_int_equal(run("sweep sized.mo --param n=-1,1 --t-end 1 --atol 1e-8 --quiet"), 1);
    expect_contains(out, "error: the size of `x` is -1,");
    expect_contains(out, "\n1,1,ok,");
    assert_string_equal(err, "");
    remove(path_of("sized.mo"));
#else
    skip();
#endif
}

/* The interval and the tolerance of the experiment, and nominal values, are those of `keel run`. */
static void models_say_how_accurate(void **state)
{
    (void)state;
#ifdef KEEL_WITH_MODELS
    write_file("swing.mo", "model Swing parameter Real k = 1; parameter Integer n = 1;\n"
                           "Real x[n](each start = 1e-4, each fixed = true, each nominal = 1e-4);\n"
                           "Real v[n](each start = 0, each fixed = true);\n"
                           "equation der(x) = v; for i in 1:n loop der(v[i]) = -k * x[i]; end for;\n"
                           "annotation(experiment(StopTime = 30, Tolerance = 1e-9)); end Swing;\n");
    assert_int_equal(run("run swing.mo --param k=2 --json"), 0);
    const double steps = number("stats", "accepted"), x = strtod(member("y") + 1, NULL);
    assert_int_equal(run("sweep swing.mo --param k=1,2 --quiet --json"), 0);
    const char *row = strstr(out, "\"row\": 1");
    assert_non_null(row);
    assert_true(strtod(strstr(row, "\"accepted\": ") + strlen("\"accepted\": "), NULL) == steps);
    assert_true(fabs(x - 1e-4 * cos(sqrt(2) * 30)) < 1e-11);
    assert_int_equal(run("sweep swing.mo --param n=1,2"), 1);
    expect_contains(out, "4 unknowns where the first row has 2");
    assert_int_equal(run("sweep swing.mo --param n=1,2 --atol 1e-9 --quiet"), 0);
    remove(path_of("swing.mo"));
#else
    skip();
#endif
}

static void own_files(void **state)
{
    (void)state;
    assert_int_equal(run("new ode own.c"), 0);
    assert_int_equal(run("problems ./own.c"), 0);
    if (!strstr(out, "parameters")) {
        remove(path_of("own.c"));
        skip();
    }
    const char *name = strstr(out, "parameters\n") + strlen("parameters\n");
    char parameter[40], line[200];
    assert_int_equal(sscanf(name, " %39s", parameter), 1);
    snprintf(line, sizeof line, "sweep ./own.c --param %s=1:2:4 --jobs 2 --quiet", parameter);
    assert_int_equal(run(line), 0);
    expect_contains(out, "\n3,2,ok,");
    remove(path_of("own.c"));
}

/* Killed at several moments and resumed, once also within a line: the table of a sweep that was not. */
static void resumed_after_kill(void **state)
{
    static const char sweep[] = PENDULUMS "4000 --t-end 5 --rtol 1e-8 --quiet --output t.csv";
    int resumed = 0;
    char line[300];
    (void)state;
    const double begin = wall_clock();
    assert_int_equal(run(sweep), 0);
    const double duration = wall_clock() - begin;
    char *expected = take("t.csv", NULL);
    for (int k = 0; k < 6; k++) {
        kill_after(sweep, path_of("t.csv.rows"), duration * (k + 0.5) / 7);
        char *rows = peek("t.csv.rows");
        if (rows && k == 3 && strlen(rows) > 500) {
            FILE *file = fopen(path_of("t.csv.rows"), "w");
            fwrite(rows, 1, strlen(rows) - 17, file);
            fclose(file);
        }
        resumed += rows != NULL;
        free(rows);
        snprintf(line, sizeof line, "%s --resume --jobs %d", sweep, 1 + k % 3);
        assert_int_equal(run(line), 0);
        char *again = take("t.csv", NULL);
        assert_string_equal(expected, again);
        assert_null(peek("t.csv.rows"));
        free(again);
    }
    assert_true(resumed > 0);
    free(expected);
}

static void of_another_sweep(void **state)
{
    (void)state;
    write_file("t.csv.rows", "# keel 0.0.0 sweep andrews\n");
    expect_usage(PENDULUMS "4 --output t.csv --resume", "is of another sweep: # keel 0.0.0 sweep andrews");
    assert_int_equal(run(PENDULUMS "4 --t-end 1 --output t.csv --quiet"), 0);
    remove(path_of("t.csv"));
}

static void full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(run(PENDULUMS "4 --t-end 1 --quiet >/dev/full"), 1);
    expect_contains(err, "cannot write to standard output");
    assert_int_equal(run(PENDULUMS "4 --t-end 1 --output /no/such/folder/t.csv"), 1);
    expect_contains(err, "cannot write /no/such/folder/t.csv.rows: No such file");
}

static void wrong_usage(void **state)
{
    (void)state;
    expect_usage("sweep pendulum", "nothing differs from run to run");
    expect_usage("sweep pendulum --param gravity=1,nan", "not 'gravity=1,nan'");
    expect_usage("sweep pendulum --param gravity=inf --start u1=1,2", "not 'gravity=inf'");
    expect_usage("sweep pendulum --param gravity=1:2", "FROM:TO:COUNT");
    expect_usage("sweep pendulum --param gravity=1:2:0", "FROM:TO:COUNT");
    expect_usage("sweep pendulum --param gravity=a:2:3", "not 'gravity=a:2:3'");
    expect_usage("sweep pendulum --param gravty=1:2:3", "did you mean");
    expect_usage("sweep pendulum --param gravity=1:2:3 --output t.txt", "ends in .csv");
    expect_usage("sweep pendulum --param gravity=1:2:3 --resume", "--resume needs --output");
    expect_usage("sweep pendulum --param gravity=1:2:3 --param gravity=5", "--param gravity is given twice");
    expect_usage("sweep pendulum --start u1=0.5,0.6 --start u1=0.7", "--start u1 is given twice");
    expect_usage("sweep pendulum --param gravity=1:2:3 --seed 3", "--seed needs --samples");
    expect_usage("sweep pendulum --param gravity=1:2:100000 --start u1=1:2:100000", "more than 1e+08 runs");
    expect_usage("sweep pendulm --param gravity=1:2:3", "did you mean 'pendulum'");
    assert_int_equal(run_with("OMPI_COMM_WORLD_SIZE=1", PENDULUMS "2 --t-end 1 --quiet"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_all_jobs), cmocka_unit_test(rows_are_runs),
        cmocka_unit_test(failed_runs_are_rows), cmocka_unit_test(first_run_fails),
        cmocka_unit_test(samples), cmocka_unit_test(models),
        cmocka_unit_test(models_say_how_accurate),
        cmocka_unit_test(own_files), cmocka_unit_test(resumed_after_kill),
        cmocka_unit_test(of_another_sweep), cmocka_unit_test(full_disk), cmocka_unit_test(wrong_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
