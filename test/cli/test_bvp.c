/* test_bvp.c -- keel bvp: errors within the tolerance on all bundled problems, what it prints and
 * writes, files of users, and what it refuses. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

#include "problems/problems.h"

/* ---- solutions ----------------------------------------------------------------------------- */

/* Every unknown within the tolerance, everywhere, and the estimate says so. */
static void expect_solved(const char *arguments, double tol)
{
    char line[300];
    snprintf(line, sizeof line, "bvp %s --tol %g --json", arguments, tol);
    const int code = run(line);
    if (code != 0) fail_msg("keel %s: %s", line, err);
    assert_true(json_valid(out));
    expect_member("status", "\"ok\"");
    assert_string_equal(err, "");
    if (!(number("error", "x") <= tol && number("error", "y") <= tol))
        fail_msg("keel %s: errors %g, %g", line, number("error", "x"), number("error", "y"));
    assert_true(number("residual", "conditions") <= 10 * tol);
    assert_true(number("error_estimate", "x") <= tol && number("error_estimate", "y") <= tol);
    assert_true(number("stats", "mesh") + 1 == json_count(member("mesh")));
    assert_true(number("stats", "newton") > 0 && number("stats", "factorizations") > 0);
    assert_true(number("stats", "rhs") > 0 && number("stats", "meshes_tried") > 0);
}

static void all_bundled_problems(void **state)
{
    int count;
    const bundled_problem *const *list = bundled_boundary_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) expect_solved(list[i]->name, 1e-6);
    expect_solved("ascher-petzold", 1e-6);
}

static void harder_parameters(void **state)
{
    (void)state;
    expect_solved("bratu --param lambda=3.5", 1e-8);
    expect_solved("layers --param eps=1e-6", 1e-6);
    expect_solved("turning-point --param eps=1e-5", 1e-6);
    expect_solved("troesch --param m=10", 1e-6);
    expect_solved("ascher-petzold --param L=200", 1e-8);
}

/* The period of a pendulum of amplitude 1 rad under 9.81, from elliptic functions. */
static void unknown_parameters(void **state)
{
    (void)state;
    expect_solved("pendulum-period", 1e-8);
    const char *period = json_element(member("parameters"), 0);
    assert_non_null(period);
    assert_non_null(strstr(period, "\"period\""));
    assert_true(fabs(strtod(json_member(period, "value"), NULL) - 2.1391376005586884) < 1e-8);
    assert_true(strtod(json_member(period, "error"), NULL) < 1e-8);
    assert_int_equal(run("bvp pendulum-period"), 0);
    expect_contains(out, "unknown parameters\n  period");
    expect_contains(out, "2.13913");
}

/* k = 2 Gauss points are of order min(2k, k + 3) = 4, between mesh points, too. */
static void uniform_meshes(void **state)
{
    double error[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(i == 0 ? "bvp bratu --stages 2 --uniform 10 --json"
                                    : "bvp bratu --stages 2 --uniform 20 --json"), 0);
        error[i] = number("error", "x");
        assert_true(number("stats", "mesh") == 10 * (i + 1));
        assert_true(number("stats", "stages") == 2);
    }
    assert_true(fabs(log2(error[0] / error[1]) - 4) < 0.3);
}

/* Forms that the library does not have are refused by name. */
static void points_and_forms(void **state)
{
    static const char *const forms[] = {"hidden", "projected", "plain"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char line[200], quoted[32];
        snprintf(line, sizeof line, "bvp singular-control --index2 %s --json", forms[i]);
        snprintf(quoted, sizeof quoted, "\"%s\"", forms[i]);
        if (run(line) == 0) {
            expect_member("index2", quoted);
            assert_true(number("error", "x") <= 1e-6 && number("error", "y") <= 1e-6);
        } else {
            assert_true(i > 0);
            expect_member("status", "\"unsupported\"");
            expect_contains(err, "index2");
        }
    }
    expect_solved("bratu --points radau-iia", 1e-6);
    expect_member("collocation", "\"radau-iia\"");
    expect_solved("mixed-index --no-project --right --mesh 12", 1e-6);
    expect_member("projected", "false");
}

/* f_y (g_x f_y)^-1 g_x of singular-control is (0,1,0)^T (0,1,1), of norm 2, that of ascher-petzold has
 * the norm L (3 - t); x of singular-control is 1 at most for data of 1 at the ends. */
static void conditioning(void **state)
{
    (void)state;
    assert_int_equal(run("bvp singular-control --json"), 0);
    assert_true(fabs(number("conditioning", "projector") - 2) < 0.1);
    assert_true(number("conditioning", "boundary") > 0.5);
    assert_true(number("conditioning", "boundary") < 4);
    assert_int_equal(run("bvp ascher-petzold --json"), 0);
    assert_true(fabs(number("conditioning", "projector") - 150) < 1);
    assert_int_equal(run("bvp bratu --json"), 0);
    assert_true(isnan(number("conditioning", "projector")));
}

/* ---- what it writes ------------------------------------------------------------------------- */

static void a_summary_for_people(void **state)
{
    (void)state;
    assert_int_equal(run("bvp singular-control --tol 1e-7"), 0);
    expect_contains(out, "tolerance   1e-07");
    expect_contains(out, "values at t = 0 and 1");
    expect_contains(out, "intervals");
    expect_contains(out, "estimated");
    expect_contains(out, "conditions");
    expect_contains(out, "projector");
    assert_int_equal(run("bvp singular-control --quiet"), 0);
    assert_string_equal(out, "");
}

/* Eleven points of each interval, common ones once; the first and last meet the conditions. */
static void files_of_points(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --uniform 5 --output points.csv --json"), 0);
    char *text = take("points.csv", NULL), *last = NULL;
    int lines = 0;
    assert_non_null(text);
    assert_int_equal(strncmp(text, "t,u,v,y\n0,", 10), 0);
    for (char *at = text; (at = strchr(at, '\n')); at++)
        if (lines++, at[1]) last = at + 1;
    assert_int_equal(lines, 1 + 5 * 10 + 1);
    assert_int_equal(strncmp(last, "1,", 2), 0);
    free(text);

    assert_int_equal(run("bvp bratu --uniform 5 --output points.json"), 0);
    text = take("points.json", NULL);
    assert_non_null(text);
    assert_true(json_valid(text));
    const char *points = json_member(text, "points");
    assert_int_equal(json_count(json_member(points, "t")), 51);
    assert_int_equal(json_count(json_element(json_member(points, "y"), 7)), 3);
    free(text);
}

static void pictures(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    assert_int_equal(run("bvp layers --plot layers.svg --quiet"), 0);
    char *text = take("layers.svg", NULL);
    assert_non_null(text);
    expect_contains(text, "mesh width");
    expect_contains(text, "error of x");
    free(text);
}

/* ---- what fails, what is refused ------------------------------------------------------------- */

/* Above the fold there is no solution: nothing is written but what says so. */
static void no_solution(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --param lambda=4 --json --output points.csv"), 1);
    assert_true(json_valid(out));
    assert_null(strstr(member("status"), "\"ok\""));
    assert_true(isnan(number("error", "x")) && isnan(number("error_estimate", "x")));
    assert_int_equal(json_count(member("mesh")), 0);
    assert_true(strlen(err) > 20);
    assert_null(take("points.csv", NULL));
}

static void wrong_usage(void **state)
{
    (void)state;
    expect_usage("bvp", "TARGET");
    expect_usage("bvp brat", "did you mean 'bratu'?");
    expect_usage("bvp pendulum", "no boundary conditions");
    expect_usage("bvp bratu --points gaus", "gauss, radau-iia, not 'gaus'");
    expect_usage("bvp bratu --index2 other", "hidden, projected, plain");
    expect_usage("bvp bratu --stages 9", "up to 8");
    expect_usage("bvp bratu --mesh 4 --uniform 4", "exclude each other");
    expect_usage("bvp bratu --tol 0", "above 0");
    expect_usage("bvp bratu --output points", ".csv or .json");
    expect_usage("bvp bratu --plot picture.gif", ".svg or .png");
    expect_usage("bvp bratu --param lamda=1", "did you mean 'lambda'?");
    expect_usage("bvp layers --param eps=-1", "takes a number from");
    expect_usage("run layers", "'keel bvp layers' solves it");
    expect_usage("converge troesch --method gauss-2", "'keel bvp troesch' solves it");
}

static void lists_say_what_has_conditions(void **state)
{
    (void)state;
    assert_int_equal(run("problems"), 0);
    expect_contains(out, "semi-explicit, boundary");
    assert_int_equal(run("problems pendulum-period"), 0);
    expect_contains(out, "u1(1) = u1(0)");
    expect_contains(out, "unknown: period");
    assert_int_equal(run("problems pendulum-period --json"), 0);
    assert_int_equal(json_count(json_member(member("boundary"), "conditions")), 3);
    assert_int_equal(run("problems pendulum --json"), 0);
    expect_member("boundary", "null");
    assert_int_equal(run("check mixed-index"), 0);
}

/* ---- problems of users ----------------------------------------------------------------------- */

static const char own_problem[] =
    "#include <keel/keel.h>\n"
    "static int rhs(double t, const double *y, double *f, void *context)\n"
    "{ const double *k = context; (void)t; f[0] = y[1]; f[1] = k[0] * y[0]; return 0; }\n"
    "static int create(keel_problem **p, const double *parameters)\n"
    "{\n"
    "    return keel_ode(p, &(keel_ode_spec){\n"
    "        .size = 2, .rhs = rhs, .context = (void *)parameters});\n"
    "}\n"
    "static int condition(const double *ya, const double *yb, const double *p, double *b,\n"
    "                     void *context)\n"
    "{ (void)p, (void)context; b[0] = ya[0] - 1; b[1] = yb[1]; return 0; }\n"
    "static const keel_boundary_spec spec = {.conditions = 2, .condition = condition};\n"
    "static const keel_boundary_target boundary = {.spec = &spec};\n"
    "static const keel_parameter parameters[] = {{\"k\", 4, \"stiffness\"}};\n"
    "const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"rod\", .t_end = 1,\n"
    "    .parameter_count = 1, .parameters = parameters, .create = create,\n"
    "    .boundary = &boundary};\n";

/* y = cosh(w(1-t))/cosh(w), w = sqrt(k): y'(0) = -w tanh(w). */
static void own_problems(void **state)
{
    (void)state;
    write_file("rod.c", own_problem);
    const int code = run_with("XDG_CACHE_HOME=$PWD/cache", "bvp rod.c --param k=9 --json");
    const int refused = run_with("XDG_CACHE_HOME=$PWD/cache", "run rod.c");
    const int solved = run_with("XDG_CACHE_HOME=$PWD/cache", "bvp rod.c --json");
    char line[400];
    snprintf(line, sizeof line, "rm -rf %s/cache %s/rod.c", folder, folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(code, 0);
    assert_int_equal(refused, 2);
    assert_int_equal(solved, 0);
    assert_true(fabs(strtod(json_element(member("y_start"), 1), NULL) + 2 * tanh(2)) < 3e-6);
    assert_true(isnan(number("error", "x")));
    assert_true(number("error_estimate", "x") <= 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bundled_problems),
        cmocka_unit_test(harder_parameters),
        cmocka_unit_test(unknown_parameters),
        cmocka_unit_test(uniform_meshes),
        cmocka_unit_test(points_and_forms),
        cmocka_unit_test(conditioning),
        cmocka_unit_test(a_summary_for_people),
        cmocka_unit_test(files_of_points),
        cmocka_unit_test(pictures),
        cmocka_unit_test(no_solution),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(lists_say_what_has_conditions),
        cmocka_unit_test(own_problems),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
