/* Models on the command line: run, check, what is written, what is refused. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

#include <sys/stat.h>
#include <unistd.h>

static const char pendulum[] =
    "model Pendulum \"on a rod\"\n  parameter Real L = 1; parameter Boolean heavy = true;\n"
    "  Real x(start = 1, fixed = true), y, vx, vy, lambda;\nprotected Real hidden;\nequation\n"
    "  der(x) = vx; der(y) = vy; der(vx) = -lambda*x;\n"
    "  der(vy) = -lambda*y - (if heavy then 9.81 else 1.62); x^2 + y^2 = L^2; hidden = 2*x;\n"
    "  annotation(experiment(StopTime = 2, Interval = 0.5, Tolerance = 1e-9));\nend Pendulum;\n";

static void writes_all_variables(void **state)
{
    (void)state;
    write_file("p.mo", pendulum);
    assert_int_equal(run("run p.mo --output p.csv"), 0);
    char *rows = take("p.csv", NULL);
    assert_non_null(rows);
    assert_int_equal(strncmp(rows, "t,L,heavy,x,y,vx,vy,lambda\n", 27), 0);
    int lines = 0;
    for (const char *at = rows; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 1 + 5);              /* 0, 0.5, ..., 2: the interval of the file */
    free(rows);
    assert_int_equal(run("run p.mo --variables '^v|hidden' --output p.csv --interval 1"), 0);
    rows = take("p.csv", NULL);
    assert_int_equal(strncmp(rows, "t,vx,vy,hidden\n", 15), 0);
    free(rows);
    remove(path_of("p.mo"));
}

/* At t = 2 with another length, gravity and start: the energy is that of the start. */
static void takes_parameters_and_start(void **state)
{
    (void)state;
    write_file("p.mo", pendulum);
    assert_int_equal(run("run p.mo --json --param L=2 --param heavy=false --start x=1.2"), 0);
    const char *y = member("y");                 /* x, y, vx, vy, lambda */
    double v[4];
    assert_int_equal(sscanf(y, "[ %lf , %lf , %lf , %lf", &v[0], &v[1], &v[2], &v[3]), 4);
    assert_true(fabs(v[0] * v[0] + v[1] * v[1] - 4) < 1e-9);
    const double start = sqrt(4 - 1.2 * 1.2), energy = (v[2] * v[2] + v[3] * v[3]) / 2 + 1.62 * v[1];
    assert_true(fabs(fabs(energy) - 1.62 * start) < 1e-6);
    assert_true(fabs(number("values", "y") - v[1]) < 1e-14 && number("values", "L") == 2);
    assert_int_equal(run("run p.mo"), 0);        /* variables are shown, parameters and what is protected are not */
    expect_contains(out, "\n  lambda ");
    assert_null(strstr(out, "\n  L "));
    assert_null(strstr(out, "hidden"));
    assert_int_equal(run("run p.mo --param L=2 --param heavy=false --start x=1.2"), 0);
    expect_usage("run andrews --param L=true", "--param takes NAME=NUMBER");
    remove(path_of("p.mo"));
}

static void check_describes_it(void **state)
{
    (void)state;
    write_file("p.mo", pendulum);
    assert_int_equal(run("check p.mo"), 0);
    expect_contains(out, "index 3");
    expect_contains(out, "degrees of freedom   2");
    expect_contains(out, "h_1   2*x*der(x) + 2*y*der(y) = 0");
    expect_contains(out, "fixed     x = 1");
    assert_int_equal(run("check p.mo --json"), 0);
    assert_true(number("model", "freedom") == 2);
    assert_true(number("model", "aliases") == 2);
    assert_true(number("model", "definitions") == 1);
    expect_contains(out, "\"loops\": 1, \"loop_sizes\": [3]");
    remove(path_of("p.mo"));
}

static void two_rows_at_events(void **state)
{
    (void)state;
    write_file("b.mo", "model B Real h(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0);\n"
                       "equation der(h) = v; der(v) = -2; when h <= 0 then reinit(v, -pre(v)/2); n = pre(n) + 1;\n"
                       "end when; annotation(experiment(StopTime = 1.5)); end B;\n");
    assert_int_equal(run("run b.mo --points 2 --output b.csv"), 0);
    char *rows = take("b.csv", NULL), *line = strchr(rows, '\n');
    double t[4], h[4], v[4], n[4];
    for (int k = 0; k < 4; k++, line = strchr(line + 1, '\n'))
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &t[k], &h[k], &v[k], &n[k]), 4);
    assert_true(t[1] == t[2] && fabs(t[1] - 1) < 1e-6);
    assert_true(v[1] < 0 && v[2] > 0 && n[1] == 0 && n[2] == 1 && n[3] == 1);
    free(rows);
    remove(path_of("b.mo"));
}

static void wrong_ones_are_refused(void **state)
{
    (void)state;
    write_file("w.mo", "model W\n  Real x, y;\nequation\n  der(x) = y;\n  x = time;\n  y = 2;\nend W;\n");
    assert_int_equal(run("run w.mo"), 1);
    expect_contains(err, "w.mo:");
    expect_contains(err, "too many equations");
    assert_int_equal(run("run absent.mo"), 1);
    expect_contains(err, "cannot read absent.mo: No such file or directory\n");
    assert_int_equal(mkdir(path_of("folder.mo"), 0700), 0);
    assert_int_equal(run("run folder.mo"), 1);
    expect_contains(err, "cannot read folder.mo: Is a directory\n");
    rmdir(path_of("folder.mo"));
    remove(path_of("w.mo"));
}

/* q = 1e-9 cos t: without nominal values an error of 1e-6 would be as good as none. */
static void nominal_scales_tolerances(void **state)
{
    (void)state;
    write_file("q.mo", "model Q Real q(start = 1e-9, fixed = true, nominal = 1e-9), i(start = 0, fixed = true,\n"
                       "nominal = -1e-9); equation der(q) = i; der(i) = -q; end Q;\n");
    assert_int_equal(run("run q.mo --t-end 10 --json"), 0);
    assert_true(fabs(number("values", "q") - 1e-9 * cos(10)) < 1e-4 * 1e-9);
    const double steps = number("stats", "steps");
    assert_int_equal(run("run q.mo --t-end 10 --atol 1e-6 --json"), 0);  /* as the user says */
    assert_true(number("stats", "steps") < steps);
    assert_int_equal(run("run q.mo --t-end 10"), 0);
    expect_contains(out, "atol 1e-06 of nominal");
    remove(path_of("q.mo"));
}

/* h = 1 - 2 t leaves [0, 2] at 0.5; p only touches its max, but for rounding. */
static void bounds_are_warnings(void **state)
{
    (void)state;
    write_file("t.mo", "model T\n  Real p(max = 1);\n  Real h(start = 1, fixed = true, min = 0, max = 2);\n"
                       "equation der(h) = -2; p = cos(time)^2 + sin(time)^2; end T;\n");
    assert_int_equal(run("run t.mo --t-end 0.4 --json"), 0);
    expect_contains(out, "\"warning\": null");
    assert_int_equal(run("run t.mo --t-end 1"), 0);
    expect_contains(out, "warning: t = ");
    expect_contains(out, "is less than its min = 0 (line 3)");
    assert_int_equal(run("run t.mo --t-end 1 --start h=3"), 0);
    expect_contains(out, "warning: t = 0: h = 3 is more than its max = 2 (line 3)");
    remove(path_of("t.mo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_all_variables), cmocka_unit_test(takes_parameters_and_start),
        cmocka_unit_test(check_describes_it), cmocka_unit_test(two_rows_at_events),
        cmocka_unit_test(wrong_ones_are_refused), cmocka_unit_test(nominal_scales_tolerances),
        cmocka_unit_test(bounds_are_warnings),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
