/* test_bvp.c -- keel bvp: errors within the tolerance on all bundled problems, what it prints and
 * writes, files of users, and what it refuses. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

#include "problems/problems.h"

#define CLOCK_MULTIPLIER 0.829741060923609

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
    if (!(number("error", "x") <= tol) || number("error", "y") > tol)      /* null: there is no y */
        fail_msg("keel %s: errors %g, %g", line, number("error", "x"), number("error", "y"));
    assert_true(number("residual", "conditions") <= 10 * tol);
    assert_true(number("error_estimate", "x") <= tol && !(number("error_estimate", "y") > tol));
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

/* Constraints of index 2 can be collocated themselves, beside rows of index 1 as well; others cannot. */
static void points_and_forms(void **state)
{
    static const char *const forms[] = {"hidden", "projected", "plain"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char line[200], quoted[32];
        snprintf(line, sizeof line, "singular-control --index2 %s", forms[i]);
        expect_solved(line, 1e-6);
        snprintf(quoted, sizeof quoted, "\"%s\"", forms[i]);
        expect_member("index2", quoted);
    }
    expect_solved("mixed-index --index2 projected", 1e-6);
    assert_int_equal(run("bvp pendulum-period --index2 projected --json"), 1);
    expect_member("status", "\"unsupported\"");
    expect_contains(err, "index2: constraint [0] has index 3");
    expect_solved("bratu --points radau-iia", 1e-6);
    expect_member("collocation", "\"radau-iia\"");
    expect_solved("mixed-index --no-project --right --mesh 12", 1e-6);
    expect_member("projected", "false");
}

/* f_y (g_x f_y)^-1 g_x of singular-control is (0,1,0)^T (0,1,1), of norm 2, that of ascher-petzold
 * has the norm L (3 - t); x of singular-control is 1 at most for data of 1 at the ends. */
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

/* The flow over a period: 1 and exp(-16 drive w (E(k) - (1 - k^2) K(k))), k = sin(amplitude/2), w^2 =
 * gravity [problems/pendulum_period.c], here with K = 1.6749939, E = 1.4762175; both 1 without drive. */
static void multipliers(void **state)
{
    (void)state;
    assert_int_equal(run("bvp pendulum-clock --tol 1e-9 --multipliers --json"), 0);
    assert_int_equal(json_count(member("multipliers")), 2);
    const char *second = json_element(member("multipliers"), 1);
    assert_true(fabs(strtod(json_element(json_element(member("multipliers"), 0), 0), NULL) - 1) < 1e-7);
    assert_true(fabs(strtod(json_element(second, 0), NULL) - CLOCK_MULTIPLIER) < 1e-7);
    assert_true(strtod(json_element(second, 1), NULL) == 0);
    assert_int_equal(run("bvp pendulum-clock --tol 1e-9 --multipliers"), 0);
    expect_contains(out, "Floquet multipliers\n");
    assert_int_equal(run("bvp pendulum-clock --json"), 0);
    assert_int_equal(json_count(member("multipliers")), 0);
    assert_int_equal(run("bvp layers --multipliers --json"), 1);
    expect_member("status", "\"bad-argument\"");
    expect_contains(err, "the solution is not periodic, x2 is");
}

/* A solution that grows and one that decays at 1/sqrt(eps) = 100 each, up to units of x1 and x2. */
static void modes(void **state)
{
    (void)state;
    assert_int_equal(run("bvp layers --json --output points.json"), 0);
    assert_true(number("conditioning", "growing") == 1 && number("conditioning", "decaying") == 1);
    const char *rates = json_member(member("conditioning"), "rates");
    assert_true(fabs(strtod(json_element(rates, 0), NULL) - 100) < 5);
    assert_true(fabs(strtod(json_element(rates, 1), NULL) + 100) < 5);
    char *text = take("points.json", NULL);
    assert_non_null(text);
    const char *profile = json_member(json_member(text, "conditioning"), "profile");
    const int points = json_count(json_member(profile, "t"));
    assert_int_equal(points, json_count(json_member(profile, "boundary")));
    assert_int_equal(points, 1 + json_count(json_member(profile, "fastest")));
    assert_int_equal(json_count(json_member(profile, "projector")), 0);
    free(text);
    assert_int_equal(run("bvp layers"), 0);
    expect_contains(out, "1 growing, 1 decaying, 0 neither");
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    assert_int_equal(run("bvp ascher-petzold --plot-conditioning c.svg --quiet"), 0);
    text = take("c.svg", NULL);
    assert_non_null(text);
    expect_contains(text, "1 mode: 0 growing, 1 decaying");
    expect_contains(text, "projector");
    free(text);
}

/* Breaks at unknown times, folds by a condition, eigenvalues, free boundaries. */
static void unknown_numbers(void **state)
{
    static const struct { const char *line; double value, error; } runs[] = {
        {"bratu-fold", 3.5138307191251613, 1e-9}, {"mathieu --param n=0", -0.455138604, 1e-8},
        {"dead-core", 1.7320508075688772, 1e-9}, {"minimum-time", 0.5, 1e-9}};
    (void)state;
    for (int i = 0; i < (int)(sizeof runs / sizeof *runs); i++) {
        expect_solved(runs[i].line, 1e-8);
        const char *first = json_element(member("parameters"), 0);
        const double value = strtod(json_member(first, "value"), NULL);
        if (!(fabs(value - runs[i].value) < runs[i].error))
            fail_msg("%s: %.12g", runs[i].line, value);
    }
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

/* ---- branches -------------------------------------------------------------------------------- */

static void branches(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --continue lambda=0.5:4 --arclength --tol 1e-8 --json "
                         "--output branch.csv"), 0);
    assert_true(json_valid(out));
    expect_member("parameter", "\"lambda\"");
    assert_int_equal(json_count(member("folds")), 1);
    assert_true(fabs(strtod(json_element(member("folds"), 0), NULL) - 3.5138307191) < 5e-8);
    expect_contains(out, "come back to lambda = 0.5");
    const int points = json_count(member("points"));
    char *text = take("branch.csv", NULL);
    int lines = 0;
    assert_non_null(text);
    expect_contains(text, "lambda,arc,fold,branch point,intervals,max |u|,max |v|,max |y|,u(0),");
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    assert_int_equal(lines, points + 1);
    free(text);
    assert_int_equal(run("bvp bratu --continue lambda=0.5:4 --arclength"), 0);
    expect_contains(out, "fold");
    expect_contains(out, "by arclength");
}

/* A straight rod, from which bent ones branch off at (n pi)^2. */
static void branch_points(void **state)
{
    static const double square = 9.869604401089358;
    (void)state;
    assert_int_equal(run("bvp elastica --continue lambda=5:45 --arclength --tol 1e-8 --json "
                         "--output branch.csv"), 0);
    assert_int_equal(json_count(member("branch_points")), 2);
    assert_int_equal(json_count(member("folds")), 0);
    for (int n = 1; n <= 2; n++)
        assert_true(fabs(strtod(json_element(member("branch_points"), n - 1), NULL) - n * n * square)
                    < 1e-7);
    char *text = take("branch.csv", NULL);
    assert_non_null(text);
    expect_contains(text, "lambda,arc,fold,branch point,intervals,");
    free(text);
    assert_int_equal(run("bvp elastica --continue lambda=30:5 --arclength"), 0);
    expect_contains(out, "branch point");
    expect_contains(out, "0 folds, 1 branch point,");
    expect_contains(out, "come back to lambda = 30");
}

/* Rates 2 and 0.5 from what a solution with them wrote, and from a few numbers with an empty cell. */
static void fits(void **state)
{
    (void)state;
    assert_int_equal(run("bvp kinetics --tol 1e-9 --output data.csv --quiet"), 0);
    assert_int_equal(run("bvp kinetics --param k1=1 --param k2=1 --fit data.csv --vary k1,k2 --tol 1e-8 "
                         "--json"), 0);
    assert_true(json_valid(out));
    const char *first = json_element(member("parameters"), 0), *second = json_element(member("parameters"), 1);
    assert_true(fabs(strtod(json_member(first, "value"), NULL) - 2) < 1e-6);
    assert_true(fabs(strtod(json_member(second, "value"), NULL) - 0.5) < 1e-6);
    assert_true(number(NULL, "noise") < 1e-7 && number(NULL, "steps") > 1);
    free(take("data.csv", NULL));
    write_file("few.csv", "t, c,a\n0.5,,0.37\n1,0.3,0.13\n2,0.55,0.02\n4,0.82,\n");
    assert_int_equal(run("bvp kinetics --fit few.csv --vary k1,k2"), 0);
    expect_contains(out, "6 measurements");
    expect_contains(out, "95 %");
    assert_int_equal(run("bvp bratu --fit few.csv --vary lambda"), 2);
    expect_contains(err, "'c' is no unknown of bratu");
    expect_usage("bvp kinetics --fit few.csv --vary k3", "k3 is no parameter");
    expect_usage("bvp kinetics --fit few.csv", "--vary NAME");
    expect_usage("bvp kinetics --vary k1", "--fit FILE");
    expect_usage("bvp kinetics --fit none.csv --vary k1", "cannot read none.csv");
    expect_usage("bvp kinetics --fit few.csv --vary k1 --plot a.svg", "--fit finds parameters");
    write_file("few.csv", "t,c\n1,0.3\n2,half\n");
    expect_usage("bvp kinetics --fit few.csv --vary k1", "line 3: 'half' is no number");
    write_file("few.csv", "t,c\n1,0.3\n");
    assert_int_equal(run("bvp kinetics --fit few.csv --vary k1 --json"), 1);
    expect_member("status", "\"bad-argument\"");
    expect_contains(err, "1 measurements for 1 parameters");
    free(take("few.csv", NULL));
}

/* Natural continuation cannot pass the fold; the points before it are written. */
static void a_branch_that_ends(void **state)
{
    (void)state;
    assert_int_equal(run("bvp bratu --continue lambda=3:4 --output branch.json --quiet"), 1);
    expect_contains(err, "lambda = 3.51");
    expect_contains(err, "arclength");
    char *text = take("branch.json", NULL);
    assert_non_null(text);
    assert_true(json_valid(text));
    assert_true(json_count(json_member(text, "points")) > 3);
    free(text);
}

static void pictures_of_branches(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    assert_int_equal(run("bvp bratu --continue lambda=0.5:4 --arclength --plot b.svg --quiet"), 0);
    char *text = take("b.svg", NULL);
    assert_non_null(text);
    expect_contains(text, "lambda");
    expect_contains(text, "fold");
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
    expect_usage("bvp bratu --plot-conditioning picture.gif", ".svg or .png");
    expect_usage("bvp bratu --continue lambda=1:2 --multipliers", "--multipliers is about one");
    expect_usage("bvp bratu --param lamda=1", "did you mean 'lambda'?");
    expect_usage("bvp layers --param eps=-1", "takes a number from");
    expect_usage("bvp bratu --arclength", "--continue NAME=FROM:TO");
    expect_usage("bvp bratu --continue lambda", "takes NAME=FROM:TO");
    expect_usage("bvp bratu --continue lambda=1:1", "two different numbers");
    expect_usage("bvp bratu --continue lamda=1:2", "did you mean 'lambda'?");
    expect_usage("bvp troesch --continue m=1:50", "from 0.001 to 30");
    expect_usage("bvp pendulum-period --continue amplitude=1:2", "of the frame");
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

/* A line of progress only where it is asked for, or after a second on a terminal: a problem whose
 * right-hand side sleeps takes that long on every machine. */
static const char slow_problem[] =
    "#define _POSIX_C_SOURCE 200809L\n"
    "#include <keel/keel.h>\n"
    "#include <math.h>\n"
    "#include <time.h>\n"
    "static int rhs(double t, const double *y, double *f, void *context)\n"
    "{ (void)t, (void)context; nanosleep(&(struct timespec){.tv_nsec = 4000000}, 0);\n"
    "  f[0] = y[1]; f[1] = -3 * exp(y[0]); return 0; }\n"
    "static int create(keel_problem **p, const double *parameters)\n"
    "{ (void)parameters; return keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = rhs}); }\n"
    "static int condition(const double *ya, const double *yb, const double *p, double *b,\n"
    "                     void *context)\n"
    "{ (void)p, (void)context; b[0] = ya[0]; b[1] = yb[0]; return 0; }\n"
    "static const keel_boundary_spec spec = {.conditions = 2, .condition = condition};\n"
    "static const keel_boundary_target boundary = {.spec = &spec};\n"
    "const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"slow\", .t_end = 1,\n"
    "    .create = create, .boundary = &boundary};\n";

static void progress(void **state)
{
    char line[600];
    (void)state;
    assert_int_equal(run("bvp bratu --progress"), 0);
    expect_contains(err, "mesh 1: 4 intervals");
    assert_int_equal(run("bvp bratu --continue lambda=1:2 --progress"), 0);
    expect_contains(err, "lambda = 1   mesh");
    assert_int_equal(run("bvp bratu --progress --quiet"), 0);
    assert_string_equal(err, "");
    if (system("script --version >/dev/null 2>&1") != 0) skip();
    write_file("slow.c", slow_problem);
    snprintf(line, sizeof line, "cd %s && XDG_CACHE_HOME=$PWD/cache script -qec '%s bvp slow.c' typed "
             ">/dev/null 2>&1 </dev/null", folder, KEEL_COMMAND);
    const int code = system(line);
    char *typed = take("typed", NULL);
    snprintf(line, sizeof line, "rm -rf %s/cache %s/slow.c", folder, folder);
    assert_int_equal(system(line), 0);
    assert_int_equal(code, 0);
    assert_non_null(typed);
    expect_contains(typed, "intervals   ");
    expect_contains(typed, "\r");
    const char *report = strstr(typed, "values at t = 0 and 1");
    assert_non_null(report);
    assert_null(strstr(report, "\rmesh"));       /* the line is gone before the report */
    free(typed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers), cmocka_unit_test(modes), cmocka_unit_test(unknown_numbers),
        cmocka_unit_test(branch_points), cmocka_unit_test(progress), cmocka_unit_test(fits),
        cmocka_unit_test(all_bundled_problems),
        cmocka_unit_test(harder_parameters),
        cmocka_unit_test(unknown_parameters),
        cmocka_unit_test(uniform_meshes),
        cmocka_unit_test(points_and_forms),
        cmocka_unit_test(conditioning),
        cmocka_unit_test(a_summary_for_people),
        cmocka_unit_test(files_of_points),
        cmocka_unit_test(branches),
        cmocka_unit_test(a_branch_that_ends),
        cmocka_unit_test(pictures_of_branches),
        cmocka_unit_test(pictures),
        cmocka_unit_test(no_solution),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(lists_say_what_has_conditions),
        cmocka_unit_test(own_problems),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
