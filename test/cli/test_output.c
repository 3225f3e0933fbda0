/* test_output.c -- the files that the command writes: when they appear, what a kill or a full disk
 * leaves, and what is printed where there is no result or no UTF-8. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "test/cli/command.h"

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

/* ---- when files appear --------------------------------------------------------------------- */

/* The run itself would fail after three steps: no word of that. */
static void before_the_work(void **state)
{
    static const char *const files[] = {"--output no/x.csv", "--output no/x.json",
                                        "--plot no/x.svg", "--plot no/x.png"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char line[100];
        snprintf(line, sizeof line, "run pendulum --max-steps 3 %s", files[k]);
        assert_int_equal(run(line), 1);
        expect_contains(err, "keel run: cannot write no/x.");
        assert_null(strstr(err, "STEP_LIMIT"));
        assert_string_equal(out, "");
    }
    static const char *const verbs[] = {"compare pendulum", "converge pendulum",
                                        "manifold pendulum", "method rk4"};
    for (int k = 0; k < 4; k++) {
        char line[100];
        snprintf(line, sizeof line, "%s --plot no/x.svg", verbs[k]);
        assert_int_equal(run(line), 1);
        expect_contains(err, "cannot write no/x.svg: No such file or directory");
        assert_string_equal(out, "");
    }
}

/* What was there before stays until there is something better. */
static void in_their_place_when_complete(void **state)
{
    (void)state;
    write_file("p.csv", "before\n");
    assert_int_equal(run("run pendulum --quiet --start u1=2 --output p.csv"), 1);
    char *text = take("p.csv", NULL);
    assert_string_equal(text, "before\n");           /* it never started */
    free(text);

    write_file("p.csv", "before\n");
    assert_int_equal(chmod(path_of("p.csv"), 0640), 0);
    assert_int_equal(symlink("p.csv", path_of("link.csv")), 0);
    assert_int_equal(run("run pendulum --quiet --max-steps 3 --output link.csv"), 1);
    struct stat known;
    assert_int_equal(lstat(path_of("link.csv"), &known), 0);
    assert_true(S_ISLNK(known.st_mode));
    assert_int_equal(stat(path_of("p.csv"), &known), 0);
    assert_int_equal(known.st_mode & 0777, 0640);
    text = take("p.csv", NULL);
    assert_memory_equal(text, "t,u1,u2,v1,v2,lambda\n0,1,", 25);
    free(text);
    remove(path_of("link.csv"));
    assert_false(exists("p.csv.part"));
}

static void another_process_is_left_alone(void **state)
{
    (void)state;
    char *const part = path_of("p.csv.part");
    FILE *file = fopen(part, "w");
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(fileno(file), F_SETLK, &whole), 0);
    assert_int_equal(run("run pendulum --quiet --output p.csv"), 1);
    expect_contains(err, "another process is writing");
    fclose(file);
    assert_int_equal(run("run pendulum --quiet --output p.csv"), 0);
    free(take("p.csv", NULL));
    assert_false(exists("p.csv.part"));
}

/* ---- killed -------------------------------------------------------------------------------- */

static pid_t start_command(char *const arguments[])
{
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) != 0 || !freopen("/dev/null", "w", stdout)) _exit(126);
        execv(KEEL_COMMAND, arguments);
        _exit(127);
    }
    return child;
}

static off_t size_of(const char *name)
{
    struct stat known;
    return stat(path_of(name), &known) == 0 ? known.st_size : 0;
}

/* A point a step, for ever: what is flushed can be read while it runs, and after it was killed, but
 * for a last line that was being written. */
static void a_killed_run_leaves_whole_lines(void **state)
{
    char *const arguments[] = {"keel", "run", "pendulum", "--t-end", "1e9", "--max-steps",
                               "2000000000", "--output", "k.csv", NULL};
    int status;
    (void)state;
    const pid_t child = start_command(arguments);
    for (int k = 0; k < 3000 && size_of("k.csv.part") < 100000; k++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_false(exists("k.csv"));
    size_t length = 0, lines = 0;
    char *text = take("k.csv.part", &length);
    assert_non_null(text);
    assert_true(length >= 100000);
    while (text[length - 1] != '\n') text[--length] = 0;      /* the kernel may stop within a write */
    double t = -1, last = -1;
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, lines++) {
        double u1, u2, v1, v2, l;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf\n", &t, &u1, &u2, &v1, &v2, &l), 6);
        assert_true(t > last && fabs(u1 * u1 + u2 * u2 - 1) < 1e-12);
        last = t;
    }
    assert_true(lines > 500);
    free(text);
}

/* A slow run is flushed every second: there is something to read long before a buffer is full. */
static void slow_runs_are_flushed(void **state)
{
    char *const arguments[] = {"keel", "run", "pendulum", "--t-end", "1e9", "--max-steps",
                               "2000000000", "--interval", "2e5", "--output", "s.csv", NULL};
    int status;
    (void)state;
    const pid_t child = start_command(arguments);
    for (int k = 0; k < 3000 && size_of("s.csv.part") < 200; k++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    size_t length = 0;
    char *text = take("s.csv.part", &length);
    assert_non_null(text);
    assert_true(length >= 200 && length < 20000);
    assert_int_equal(text[length - 1], '\n');
    free(text);
}

/* Bytes in memory at most, in kB. */
static long memory_of(char *points)
{
    char *const arguments[] = {"keel", "run", "pendulum", "--quiet", "--t-end", "1", "--points",
                               points, "--output", "m.csv", NULL};
    struct rusage used;
    int status;
    const pid_t child = start_command(arguments);
    assert_int_equal(wait4(child, &status, 0, &used), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    remove(path_of("m.csv"));
    return used.ru_maxrss;
}

/* 300000 points of six numbers would be 14 MB. */
static void memory_does_not_grow_with_points(void **state)
{
    (void)state;
    const long few = memory_of("1000"), many = memory_of("300000");
    if (many > few + 5000) fail_msg("%ld kB for many points, %ld for few", many, few);
}

/* ---- full ---------------------------------------------------------------------------------- */

static void full_disks(void **state)
{
    static const struct { const char *arguments, *file; } cases[] = {
        {"run pendulum --quiet --output", "f.csv"}, {"run pendulum --quiet --output", "f.json"},
        {"run pendulum --quiet --plot", "f.svg"}, {"run pendulum --quiet --plot", "f.png"},
        {"compare order-ode --rtol 1e-3,1e-4 --plot", "f.svg"},
        {"converge order-ode --halvings 1 --plot", "f.png"},
        {"manifold order-index3 --halvings 1 --plot", "f.svg"},
        {"method rk4 --plot", "f.png"},
    };
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    const bool drawn = system("gnuplot --version >/dev/null 2>&1") == 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char line[200], part[100];
        if (!drawn && strstr(cases[k].arguments, "--plot")) continue;
        snprintf(line, sizeof line, "%s %s", cases[k].arguments, cases[k].file);
        snprintf(part, sizeof part, "cannot write %s: No space left on device", cases[k].file);
        assert_int_equal(symlink("/dev/full", path_of(cases[k].file)), 0);
        if (run(line) != 1) fail_msg("keel %s succeeds", line);
        expect_contains(err, part);
        assert_int_equal(remove(path_of(cases[k].file)), 0);
    }
    assert_int_equal(symlink("/dev/full", path_of("f.csv")), 0);
    assert_int_equal(run("run pendulum --json --t-end 1e4 --output f.csv"), 1);
    assert_true(json_valid(out));
    expect_member("status", "\"cannot-write\"");
    expect_contains(member("message"), "No space left");
    assert_true(number(NULL, "t") < 1e4);                /* it did not go on for nothing */
    remove(path_of("f.csv"));
}

/* ---- refusals as JSON ---------------------------------------------------------------------- */

static void refusals_as_json(void **state)
{
    static const struct { const char *arguments, *status; int code; } cases[] = {
        {"run pendulm --json", "\"usage\"", 2}, {"run --json", "\"usage\"", 2},
        {"run pendulum --json --rtol x", "\"usage\"", 2}, {"rum --json", "\"usage\"", 2},
        {"run pendulum --rtl 1 --json", "\"usage\"", 2}, {"problems x --json", "\"usage\"", 2},
        {"compare pendulum --json --rtol 2", "\"usage\"", 2},
        {"converge pendulum --json --t-end 0", "\"usage\"", 2},
        {"manifold order-ode --json", "\"usage\"", 2}, {"method rk44 --json", "\"usage\"", 2},
        {"methods x --json", "\"usage\"", 2},
        {"run pendulum --json --output no/x.csv", "\"cannot-write\"", 1},
        {"run pendulum --json --method-file no.txt", "\"cannot-read\"", 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (run(cases[k].arguments) != cases[k].code) fail_msg("keel %s", cases[k].arguments);
        if (!json_valid(out)) fail_msg("keel %s prints %s", cases[k].arguments, out);
        if (k + 1 < sizeof cases / sizeof *cases) expect_member("status", cases[k].status);
        char *sentence = strstr(err, ": ") + 2;
        sentence[strlen(sentence) - 1] = '\0';
        expect_contains(member("message"), sentence);
    }
}

/* ---- pictures ------------------------------------------------------------------------------ */

static void variables_and_time_axis(void **state)
{
    (void)state;
    expect_usage("run robertson --log-time", "--log-time needs --plot");
    expect_usage("run robertson --plot-variables y1", "--plot-variables needs --plot");
    expect_usage("run robertson --plot a.svg --plot-variables y1,y4", "unknown variable 'y4'");
    expect_usage("run robertson --plot a.svg --t-end 0 --log-time", "--log-time needs an interval");
    assert_false(exists("a.svg.part"));
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    assert_int_equal(run("run robertson --quiet --plot a.svg --plot-variables y3,y1"), 0);
    char *linear = take("a.svg", NULL);
    expect_contains(linear, ">y3<");
    expect_contains(linear, ">y1<");
    assert_null(strstr(linear, ">y2<"));
    expect_contains(linear, ">6e+10<");
    assert_int_equal(run("run robertson --quiet --plot a.svg --log-time"), 0);
    char *logarithmic = take("a.svg", NULL);
    assert_null(strstr(logarithmic, ">6e+10<"));
    expect_contains(logarithmic, ">8<");                 /* of 10^8; residuals are below 1 */
    assert_int_equal(run("run robertson --quiet --t-start 5 --t-end 6 --plot a.svg --log-time"), 0);
    char *shifted = take("a.svg", NULL);
    expect_contains(shifted, "t - 5");
    free(linear);
    free(logarithmic);
    free(shifted);
}

/* ---- terminals ----------------------------------------------------------------------------- */

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80) return false;
    return true;
}

static void ascii_without_utf8(void **state)
{
    static const char *const lines[] = {"method gauss-3", "run pend\xc3\xbclum", "run \xff\xc3",
                                        "run pendulum --output \xce\xbb/x.csv",
                                        "run \xce\xbb --json"};
    (void)state;
    for (int k = 0; k < 5; k++) {
        run_with("LC_ALL=C", lines[k]);
        if (!is_ascii(out) || !is_ascii(err)) fail_msg("keel %s: %s%s", lines[k], out, err);
    }
    assert_true(json_valid(out));
    expect_contains(out, "\\u03bb");
    run_with("LC_ALL=C", lines[3]);
    expect_contains(err, "cannot write lambda/x.csv");
    run_with("LC_ALL=C", lines[0]);
    expect_contains(out, "0.142343 +- 0.1358i");
    run_with("LC_ALL=C.UTF-8", lines[0]);
    expect_contains(out, "0.142343 \xc2\xb1 0.1358i");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_work), cmocka_unit_test(in_their_place_when_complete),
        cmocka_unit_test(another_process_is_left_alone),
        cmocka_unit_test(a_killed_run_leaves_whole_lines), cmocka_unit_test(slow_runs_are_flushed),
        cmocka_unit_test(memory_does_not_grow_with_points), cmocka_unit_test(full_disks),
        cmocka_unit_test(refusals_as_json), cmocka_unit_test(variables_and_time_axis),
        cmocka_unit_test(ascii_without_utf8),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
