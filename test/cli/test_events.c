/* test_events.c -- the command and problems with events: tables, two rows, marks, exit status. */
#define _XOPEN_SOURCE 700
#include <stdbool.h>

#include "test/cli/command.h"

/* A ball, dropped from 1 with g = 2, that bounces with half of its speed at t = 1, 2, 2.5, ..., and
 * counts; with its mode `ends` nonzero the first bounce ends the run. */
static const char ball[] =
    "#include <keel/keel.h>\n"
    "#include <stdio.h>\n"
    "static int rhs(double t, const double *y, double *f, void *context)\n"
    "{\n"
    "    const keel_frame *frame = context;\n"
    "    (void)t;\n"
    "    f[0] = y[1];\n"
    "    f[1] = -frame->parameters[0];\n"
    "    return 0;\n"
    "}\n"
    "static int height(double t, const double *y, const double *yp, double *s, void *context)\n"
    "{\n"
    "    (void)t, (void)yp, (void)context;\n"
    "    s[0] = y[0];\n"
    "    return 0;\n"
    "}\n"
    "static int bounce(keel_event *e, void *context)\n"
    "{\n"
    "    (void)context;\n"
    "    if (!e->crossed[0]) return 0;\n"
    "    e->y[1] = -0.5 * e->y[1];\n"
    "    e->values[0] += 1;\n"
    "    e->stop = e->modes[0];\n"
    "    snprintf(e->text, sizeof e->text, \"bounce %g\", e->values[0]);\n"
    "    return 0;\n"
    "}\n"
    "static int create(keel_problem **problem, const double *parameters)\n"
    "{\n"
    "    static const char *const names[] = {\"height\", \"speed\"}, *const floor[] = {\"floor\"};\n"
    "    static const char *const gravity[] = {\"gravity\"}, *const ends[] = {\"ends\"};\n"
    "    static const char *const count[] = {\"count\"};\n"
    "    static const double two[] = {2};\n"
    "    static const int down[] = {KEEL_FALLING};\n"
    "    keel_problem *free = NULL;\n"
    "    (void)parameters;\n"
    "    keel_ode(&free, &(keel_ode_spec){.size = 2, .rhs = rhs, .names = names, .frame = {\n"
    "        .parameters = 1, .parameter_start = two, .parameter_names = gravity, .modes = 1,\n"
    "        .mode_names = ends, .values = 1, .value_names = count}});\n"
    "    return keel_switching(problem, free, &(keel_switching_spec){.switches = 1,\n"
    "        .value = height, .names = floor, .directions = down, .action = bounce});\n"
    "}\n"
    "static void start(const double *parameters, double *y)\n"
    "{\n"
    "    (void)parameters;\n"
    "    y[0] = 1;\n"
    "    y[1] = 0;\n"
    "}\n"
    "const keel_target keel_target_main = {.abi = KEEL_TARGET_ABI, .name = \"ball\",\n"
    "    .title = \"Ball on a floor\", .t_end = 2.25, .create = create, .start = start};\n";

static int make_ball(void **state)
{
    const int made = make_folder(state);
    unsetenv("CC");
    unsetenv("CFLAGS");
    write_file("ball.c", ball);
    return made;
}

static int remove_ball(void **state)
{
    char line[300];
    remove(path_of("ball.c"));
    snprintf(line, sizeof line, "rm -rf %s/cache", folder);
    if (system(line) != 0) return -1;
    return remove_folder(state);
}

/* With a cache in the folder. */
static int own(const char *arguments)
{
    return run_with("XDG_CACHE_HOME=$PWD/cache", arguments);
}

static void expect_run(const char *arguments, int status)
{
    if (own(arguments) != status) fail_msg("keel %s: %s%s", arguments, out, err);
}

static double field(const char *object, const char *key)
{
    const char *value = json_member(object, key);
    if (!value) fail_msg("no member %s in %s", key, object);
    return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void table(void **state)
{
    (void)state;
    expect_run("run ball.c", 0);
    expect_contains(out, "\nevents\n  t");
    expect_contains(out, "floor: bounce 1  ");
    expect_contains(out, "speed -2 -> 1");
    expect_contains(out, "speed -1 -> 0.5");
    expect_contains(out, "event iterations");
    expect_contains(out, "restarts");
    expect_run("run pendulum", 0);               /* nothing of it where there are none */
    assert_null(strstr(out, "event"));
}

static void json(void **state)
{
    (void)state;
    expect_run("run ball.c --json", 0);
    assert_true(json_valid(out));
    expect_member("status", "\"ok\"");
    const char *events = member("events");
    assert_int_equal(json_count(events), 2);
    assert_int_equal((int)number("stats", "events"), 2);
    assert_int_equal((int)number("stats", "restarts"), 2);
    assert_true(number("stats", "event_iterations") >= 2);
    assert_true(number("stats", "switches") > 2);
    for (int i = 0; i < 2; i++) {
        const char *e = json_element(events, i);
        assert_true(fabs(field(e, "t") - (i + 1)) < 1e-5);
        assert_true(fabs(field(e, "from") + 2.0 / (i + 1)) < 1e-5);
        assert_true(fabs(field(e, "to") - 1.0 / (i + 1)) < 1e-5);
        assert_true(field(e, "iterations") >= 1 && isnan(field(e, "impulse")));
        assert_memory_equal(json_member(e, "variable"), "\"speed\"", 7);
        assert_memory_equal(json_member(e, "text"), "\"floor: bounce ", 15);
        assert_memory_equal(json_member(e, "restarted"), "true", 4);
    }
    expect_run("run pendulum --json", 0);
    assert_int_equal(json_count(member("events")), 0);
}

/* Of many events the first and the last ten; bounce k is at 3 - 2^(2-k), the 22nd before
 * 3 - 5e-7. */
static void long_table(void **state)
{
    (void)state;
    expect_run("run ball.c --t-end 2.9999995", 0);
    expect_contains(out, "bounce 1 ");
    expect_contains(out, "bounce 10 ");
    expect_contains(out, "2 more");
    assert_null(strstr(out, "bounce 11 "));
    assert_null(strstr(out, "bounce 12 "));
    expect_contains(out, "bounce 13 ");
    expect_contains(out, "bounce 22 ");
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Rows of t, height, speed; returns how many. */
static int read_rows(const char *name, double (*rows)[3], int most)
{
    char *text = take(name, NULL), *line = text ? strchr(text, '\n') : NULL;
    int count = 0;
    assert_non_null(line);
    for (line++; *line && count < most; line = strchr(line, '\n') + 1)
        assert_int_equal(sscanf(line, "%lf,%lf,%lf", &rows[count][0], &rows[count][1],
                                &rows[count][2]), 3), count++;
    free(text);
    return count;
}

/* The two rows of each bounce follow each other, and all times are in order. */
static void expect_two_rows(const char *name, int rows_expected)
{
    double rows[400][3];
    const int count = read_rows(name, rows, 400);
    int bounces = 0;
    if (rows_expected) assert_int_equal(count, rows_expected);
    for (int i = 1; i < count; i++) {
        assert_true(rows[i][0] >= rows[i - 1][0]);
        if (rows[i][0] != rows[i - 1][0]) continue;
        bounces++;
        assert_true(fabs(rows[i][0] - bounces) < 1e-5);
        assert_true(fabs(rows[i - 1][2] + 2.0 / bounces) < 1e-5);
        assert_true(rows[i][2] == -0.5 * rows[i - 1][2]);
    }
    assert_int_equal(bounces, 2);
}

static void two_rows(void **state)
{
    (void)state;
    expect_run("run ball.c --quiet --output b.csv", 0);
    expect_two_rows("b.csv", 0);
    expect_run("run ball.c --quiet --points 10 --output b.csv", 0);
    expect_two_rows("b.csv", 14);
    expect_run("run ball.c --quiet --interval 0.3 --output b.csv", 0);
    expect_two_rows("b.csv", 9 + 4);             /* 0, 0.3, ..., 2.1, 2.25 */
    expect_run("run ball.c --quiet --points 10 --output b.json", 0);
    char *text = take("b.json", NULL);
    assert_true(json_valid(text));
    assert_int_equal(json_count(json_member(json_member(text, "points"), "t")), 14);
    free(text);
}

/* ---- ends ----------------------------------------------------------------------------------- */

/* An event that ends the run is no failure; its two rows are the last. */
static void ended_by_an_event(void **state)
{
    double rows[400][3];
    (void)state;
    expect_run("run ball.c --mode ends=1 --json --output b.csv", 0);
    assert_string_equal(err, "");
    expect_member("status", "\"event\"");
    expect_contains(member("message"), "floor");
    assert_true(fabs(number(NULL, "t") - 1) < 1e-5);
    const int count = read_rows("b.csv", rows, 400);
    assert_true(count > 3 && rows[count - 1][0] == rows[count - 2][0]);
    assert_true(rows[count - 2][2] < -1.9 && rows[count - 1][2] > 0.9);
    expect_run("run ball.c --mode ends=1", 0);
    expect_contains(out, "the run ends at the event floor: bounce 1");
    expect_contains(out, "final values at t = ");
}

/* Bounces accumulate at t = 3: a failure, with all that was reached, or an end. */
static void accumulation(void **state)
{
    double rows[4000][3];
    (void)state;
    expect_run("run ball.c --t-end 4 --json --output b.csv", 1);
    expect_member("status", "\"chattering\"");
    expect_contains(err, "KEEL_CHATTERING: ");
    expect_contains(err, "floor");
    assert_true(json_count(member("events")) > 10);
    const int count = read_rows("b.csv", rows, 4000);
    assert_true(count > 20 && rows[count - 1][0] > 2.99);
    expect_run("run ball.c --t-end 4 --json --accumulation end", 0);
    expect_member("status", "\"event\"");
}

/* ---- the discrete state --------------------------------------------------------------------- */

static void frames(void **state)
{
    (void)state;
    expect_run("run ball.c --param gravity=8 --t-end 0.75 --json", 0);
    assert_true(fabs(field(json_element(member("events"), 0), "t") - 0.5) < 1e-5);
    expect_run("run ball.c --value count=41 --json", 0);
    expect_contains(member("events"), "bounce 42");
    assert_int_equal(own("run ball.c --param graviti=8"), 2);
    expect_contains(err, "did you mean 'gravity'?");
    assert_int_equal(own("run ball.c --mode ends=0.5"), 2);
    expect_contains(err, "--mode ends takes a whole number");
    assert_int_equal(own("run ball.c --mode begins=1"), 2);
    expect_contains(err, "unknown mode 'begins'");
    assert_int_equal(own("run pendulum --value a=1"), 2);
    expect_contains(err, "there are none");
}

/* A run that goes on from a checkpoint has the events from before it, and must begin as the other
 * did. */
static void resumed(void **state)
{
    (void)state;
    expect_run("run ball.c --quiet --output whole.csv", 0);
    char *whole = take("whole.csv", NULL);
    expect_run("run ball.c --quiet --output part.csv --checkpoint ball.check --every 0", 0);
    free(take("part.csv", NULL));
    expect_run("run ball.c --json --output part.csv --resume ball.check", 0);
    assert_int_equal(json_count(member("events")), 2);
    char *part = take("part.csv", NULL);
    assert_string_equal(part, whole);
    assert_int_equal(own("run ball.c --resume ball.check --output part.csv --value count=1"), 1);
    expect_contains(err, "value count=");
    free(whole);
    free(part);
    free(take("ball.check", NULL));
}

static void described(void **state)
{
    (void)state;
    expect_run("check ball.c", 0);
    expect_contains(out, "  switches             1: floor\n");
    expect_contains(out, "  modes                1: ends\n");
    expect_contains(out, "  discrete values      1: count\n");
    expect_contains(out, "  frame parameters     1: gravity\n");
    expect_run("check ball.c --json", 0);
    assert_true(json_valid(out));
    assert_int_equal(json_count(member("switches")), 1);
    assert_int_equal(json_count(member("structures")), 1);
    expect_run("problems ball.c", 0);
    expect_contains(out, "switches             1: floor");
    expect_run("converge ball.c --t-end 1.5 --halvings 1", 0);
    expect_contains(out, "at the end");          /* steps are not at the same times */
}

static void picture(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    expect_run("run ball.c --quiet --plot b.svg", 0);
    char *text = take("b.svg", NULL);
    expect_contains(text, "floor: bounce 2");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table), cmocka_unit_test(json), cmocka_unit_test(long_table),
        cmocka_unit_test(two_rows), cmocka_unit_test(ended_by_an_event),
        cmocka_unit_test(accumulation), cmocka_unit_test(frames), cmocka_unit_test(resumed),
        cmocka_unit_test(described),
        cmocka_unit_test(picture),
    };
    return cmocka_run_group_tests(tests, make_ball, remove_ball);
}
