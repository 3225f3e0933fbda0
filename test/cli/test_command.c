/* test_command.c -- the keel command as scripts see it: exit status, output, files, messages. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <time.h>

#include "test/cli/command.h"
#include "keel/keel.h"

/* ---- verbs and help ------------------------------------------------------------------------ */

static void version_and_help(void **state)
{
    (void)state;
    char line[64];
    snprintf(line, sizeof line, "keel %s\n", keel_version());
    assert_int_equal(run("--version"), 0);
    assert_string_equal(out, line);
    assert_int_equal(run("--help"), 0);
    expect_contains(out, "problems");
    assert_int_equal(run("help"), 0);

    static const char *const verbs[] = {"run", "bvp", "converge", "compare", "manifold", "problems",
                                        "methods"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "usage: keel %s", verbs[i]);
        snprintf(line, sizeof line, "%s --help", verbs[i]);
        assert_int_equal(run(line), 0);
        expect_contains(out, usage);
        snprintf(line, sizeof line, "help %s", verbs[i]);
        assert_int_equal(run(line), 0);
        expect_contains(out, usage);
    }
}

static void expect_entry(const char *manual, const char *name, size_t length)
{
    char entry[64] = "\\-\\-";
    size_t k = strlen(entry);
    for (size_t i = 0; i < length && k + 3 < sizeof entry; i++) {
        if (name[i] == '-') entry[k++] = '\\';
        entry[k++] = name[i];
    }
    entry[k] = '\0';
    expect_contains(manual, entry);
}

/* A row of the option table is a flag, a line of help and an entry of the manual page. */
static void every_option_is_documented(void **state)
{
    (void)state;
    FILE *file = fopen(KEEL_SOURCE_DIR "/docs/man/man1/keel.1", "r");
    assert_non_null(file);
    char *manual = slurp(file, NULL);
    fclose(file);
    assert_int_equal(run("run --help"), 0);
    int count = 0;
    const keel_option *rows = keel_option_table(&count);
    for (int i = 0; i < count; i++) {
        char flag[64];
        snprintf(flag, sizeof flag, "--%s", rows[i].name);
        expect_contains(out, flag);
        expect_contains(out, rows[i].help);
        expect_entry(manual, rows[i].name, strlen(rows[i].name));
    }
    for (const char *at = out; (at = strstr(at, "\n  --")); at += 5)       /* and those of the verb itself */
        expect_entry(manual, at + 5, strcspn(at + 5, " \n"));
    char *section = strstr(manual, ".SH OPTIONS OF BVP"), *next = section ? strstr(section + 1, ".SH ") : NULL;
    assert_non_null(next);
    *next = '\0';
    assert_int_equal(run("bvp --help"), 0);
    for (const char *at = out; (at = strstr(at, "\n  --")); at += 5)
        if (strncmp(at + 5, "help", 4) != 0) expect_entry(section, at + 5, strcspn(at + 5, " \n"));
    free(manual);
}

static void lists_of_problems_and_methods(void **state)
{
    (void)state;
    assert_int_equal(run("problems"), 0);
    expect_contains(out, "pendulum");
    expect_contains(out, "mechanical");
    assert_int_equal(run("problems --json"), 0);
    assert_true(json_valid(out));
    assert_true(json_count(out) >= 1);
    assert_int_equal(run("problems pendulum"), 0);
    expect_contains(out, "gravity");
    expect_contains(out, "lambda");
    assert_int_equal(run("problems pendulum --json"), 0);
    assert_true(json_valid(out));
    assert_int_equal(json_count(member("variables")), 5);

    assert_int_equal(run("methods"), 0);
    expect_contains(out, "radau-iia");
    assert_int_equal(run("methods --json"), 0);
    assert_true(json_valid(out));
    assert_int_equal(json_count(out), keel_method_count());
}

/* Gear and Petzold's problem, and that it fails where its leading term is written out. */
static void leading_term_that_is_not_proper(void **state)
{
    (void)state;
    assert_int_equal(run("problems gear-petzold"), 0);
    expect_contains(out, "keel run gear-petzold --param eta=-0.75 --formulation naive");
    assert_int_equal(run("run gear-petzold --param eta=-0.75"), 0);
    expect_contains(out, "--formulation naive");
    assert_int_equal(run("run gear-petzold --param eta=-0.75 --json"), 0);
    assert_true(number(NULL, "scd") > 3);
    assert_int_not_equal(run("run gear-petzold --param eta=-0.75 --formulation naive"), 0);
    assert_true(strstr(err, "KEEL_SINGULAR") || strstr(err, "KEEL_STEP_TOO_SMALL"));   /* by rounding */
    assert_int_equal(run("run gear-petzold --formulation naive --method radau-iia-3 --step 0.1 "
                         "--json"), 0);
    assert_true(number(NULL, "scd") < 0);
}

/* ---- wrong usage --------------------------------------------------------------------------- */

static void wrong_usage_is_explained(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "verb is missing"},
        {"rum", "did you mean 'run'?"},
        {"help problem", "did you mean 'problems'?"},
        {"run", "TARGET is missing"},
        {"run pendulm", "unknown problem 'pendulm'; did you mean 'pendulum'?"},
        {"problems pendulm", "did you mean 'pendulum'?"},
        {"run pendulum andrews", "unexpected argument 'andrews'"},
        {"methods radau", "unexpected argument"},
        {"run pendulum --rtl 1", "unknown option '--rtl'; did you mean '--rtol'?"},
        {"run pendulum --t-ends=1", "did you mean '--t-end'?"},
        {"run pendulum -q", "unknown option '-q'"},
        {"problems --rtol 1", "unknown option '--rtol'"},
        {"run pendulum --rtol -1e-3", "rtol"},
        {"run pendulum --rtol nan", "rtol"},
        {"run pendulum --rtol x", "rtol"},
        {"run pendulum --rtol", "--rtol needs a value"},
        {"run pendulum --atol=-1", "atol"},
        {"run pendulum --step -1", "step"},
        {"run pendulum --max-steps 1.5", "max-steps"},
        {"run pendulum --linear quick", "auto|dense"},
        {"run pendulum --projection nome", "none"},
        {"run pendulum --jacobian-differences=1", "takes no value"},
        {"run pendulum --method radau-iia-z", "unknown method 'radau-iia-z'; did you mean 'radau"},
        {"run pendulum --t-end inf", "--t-end takes a number"},
        {"run pendulum --t-end", "--t-end needs a value"},
        {"run pendulum --json=yes", "--json takes no value"},
        {"run pendulum --points 1", "above 1"},
        {"run pendulum --points 2x", "whole number"},
        {"run pendulum --interval 0", "above 0"},
        {"run pendulum --interval 1e-300", "output points"},
        {"run pendulum --points 3 --interval 1", "exclude each other"},
        {"run pendulum --output a.txt", ".csv, .mat or .json"},
        {"run pendulum --output .csv", ".csv, .mat or .json"},
        {"run pendulum --plot a.gif", ".svg, .png or .html"},
        {"run pendulum --plot-unprojected", "needs --plot"},
        {"run pendulum --param gravity", "NAME=NUMBER"},
        {"run pendulum --param =1", "NAME=NUMBER"},
        {"run pendulum --param gravty=1", "did you mean 'gravity'?"},
        {"run pendulum --start lamda=1", "unknown variable 'lamda'; did you mean 'lambda'?"},
        {"run pendulum --start u1=", "NAME=NUMBER"},
        {"run pendulum --formulation gggl", "unknown formulation 'gggl'; did you mean 'ggl'?"},
        {"run pendulum --alpha 1", "--alpha needs --formulation"},
        {"run pendulum --method radau-iia-3 --method-file a", "exclude each other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_usage(cases[i][0], cases[i][1]);
}

/* ---- running ------------------------------------------------------------------------------- */

static void result_as_json(void **state)
{
    (void)state;
    static const char *const counts[] = {
        "steps", "accepted", "rejected_error", "rejected_newton", "rhs", "rhs_for_jacobian",
        "jacobian", "factorizations", "solves", "newton", "projections", "constraint", "events",
        "stages_low", "stages_high", "orders_low", "orders_high", "iteration_switches"};
    assert_int_equal(run("run pendulum --rtol 1e-8 --json"), 0);
    assert_string_equal(err, "");
    assert_true(json_valid(out));
    expect_member("target", "\"pendulum\"");
    expect_member("method", "\"auto\"");
    expect_member("formulation", "\"index3\"");
    expect_member("projected", "true");
    expect_member("status", "\"ok\"");
    expect_member("message", "\"");
    assert_true(number(NULL, "t") == 20);
    assert_int_equal(json_count(member("variables")), 5);
    assert_int_equal(json_count(member("y")), 5);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_true(number("stats", counts[i]) >= 0);
    assert_true(number("stats", "steps") == number("stats", "accepted")
                + number("stats", "rejected_error") + number("stats", "rejected_newton"));
    assert_true(number("residual", "position") < 1e-13);
    assert_true(number("residual", "velocity") < 1e-13);
    assert_true(number("residual", "acceleration") < 1e-12);
    assert_true(number(NULL, "scd") > 4);            /* rtol 1e-8 over three periods */
    assert_true(number(NULL, "cpu_seconds") >= 0);
}

/* All levels, deepest first, with the name of a row that is alone. */
/* Each attached row by its name: values at both ends, and the largest deviation of all steps. */
static void invariants_of_a_run(void **state)
{
    const double J = -0.89750300010919648;       /* study/three_body.c */
    double deviation[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run(k ? "run three-body --param v=1.4 --json --projection none"
                               : "run three-body --param v=1.4 --json"), 0);
        assert_true(json_valid(out));
        assert_int_equal(json_count(member("invariants")), 1);
        const char *row = json_element(member("invariants"), 0);
        assert_int_equal(strncmp(json_member(row, "name"), "\"Jacobi\"", 8), 0);
        deviation[k] = strtod(json_member(row, "deviation"), NULL);
        const double end = strtod(json_member(row, "end"), NULL);
        assert_true(fabs(strtod(json_member(row, "start"), NULL) - J) < 1e-15);
        assert_true(fabs(end - J) <= deviation[k] + 1e-15);
        assert_true(deviation[k] == number("residual", "position"));
    }
    assert_true(deviation[0] < 1e-12 && deviation[1] > 1e-9);
    assert_int_equal(run("run kepler --formulation stabilised --json"), 0);
    assert_int_equal(json_count(member("invariants")), 2);
    expect_contains(json_element(member("invariants"), 1), "\"momentum\"");
    assert_int_equal(run("run pendulum --json"), 0);
    assert_int_equal(json_count(member("invariants")), 0);
    assert_int_equal(run("run kepler"), 0);
    expect_contains(out, "momentum");
    expect_contains(out, "deviation ");
}

static void levels_of_a_run(void **state)
{
    static const char *const names[] = {"\"h_3\"", "\"h_2\"", "\"h_1\"", "\"g\""};
    (void)state;
    assert_int_equal(run("run order-levelled --json"), 0);
    assert_true(json_valid(out));
    expect_member("formulation", "\"levelled\"");
    expect_member("projected", "true");
    assert_int_equal(json_count(member("levels")), 4);
    for (int k = 0; k < 4; k++) {
        const char *level = json_element(member("levels"), k);
        assert_int_equal(strncmp(json_member(level, "name"), names[k], strlen(names[k])), 0);
        assert_int_equal(strncmp(json_member(level, "row"), "\"Gamma\"", 7), 0);
        const double residual = strtod(json_member(level, "residual"), NULL);
        assert_true(residual >= 0 && residual < 1e-12);
        if (k == 0) assert_true(residual == number("residual", "position"));
    }
    assert_int_equal(run("run pendulum-energy --formulation index1 --json"), 0);
    assert_int_equal(json_count(member("levels")), 4);
    expect_contains(json_element(member("levels"), 3), "\"attached\", \"row\": \"energy\"");
    assert_int_equal(run("run pendulum --json"), 0);
    assert_int_equal(json_count(member("levels")), 3);
    assert_null(strstr(member("levels"), "row"));
    assert_int_equal(run("run order-ode --json"), 0);
    assert_int_equal(json_count(member("levels")), 0);
    assert_int_equal(run("run pendulum-energy"), 0);
    expect_contains(out, "acceleration rod");
    expect_contains(out, "attached     energy");
    assert_int_equal(run("problems pendulum-energy"), 0);
    expect_contains(out, "position      1  rod");
    expect_contains(out, "attached      1  energy");
    assert_int_equal(run("problems order-levelled --json"), 0);
    assert_int_equal(json_count(member("levels")), 4);
    expect_contains(member("levels"), "{\"name\": \"h_3\", \"rows\": [\"Gamma\"]}");
}

/* The stages of a stiff levelled problem are told. */
static void choice_of_the_lag(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum-levelled --param damping=1e5 --t-end 1e5 --method radau-iia"),
                     0);
    expect_contains(out, "radau-iia: stages solve g (index 1) until t = ");
    expect_contains(out, "h_1 (index 2) from there on");
}

static void result_for_people(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum"), 0);
    static const char *const parts[] = {"pendulum", "mechanical", "index 3", "auto", "0 to 20",
                                        "lambda", "position", "velocity", "acceleration",
                                        "correct digits", "CPU"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_contains(out, parts[i]);
    assert_string_equal(err, "");
    assert_int_equal(run("run pendulum --quiet"), 0);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
    assert_int_equal(run("run pendulum --progress"), 0);
    expect_contains(err, "steps");
}

static void without_projection_it_drifts(void **state)
{
    (void)state;
    static const char *const ways[] = {"--no-project", "--projection none", "--projection=none"};
    for (int i = 0; i < 3; i++) {
        char line[100];
        snprintf(line, sizeof line, "run pendulum --rtol 1e-4 --json %s", ways[i]);
        assert_int_equal(run(line), 0);
        expect_member("projected", "false");
        assert_true(number("stats", "projections") <= 1);   /* the start */
        assert_true(fmax(number("residual", "position"), number("residual", "velocity")) > 1e-12);
    }
}

static void references_apply_only_where_they_belong(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {
        "run pendulum --json --t-end 3", "run pendulum --json --start u2=-0.6",
        "run pendulum --json --param gravity=2", "run pendulum --json --t-start 1"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run(elsewhere[i]), 0);
        expect_member("scd", "null");
    }
}

static void intervals_of_any_direction(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --json --t-end 0"), 0);
    expect_member("status", "\"ok\"");
    assert_true(number("stats", "steps") == 0);
    assert_true(number(NULL, "t") == 0);

    assert_int_equal(run("run pendulum --json --t-end -1.5 --rtol 1e-8"), 0);
    assert_true(number(NULL, "t") == -1.5);
    const double backward = strtod(json_element(member("y"), 0), NULL);
    assert_int_equal(run("run pendulum --json --t-end 1.5 --rtol 1e-8"), 0);
    const double forward = strtod(json_element(member("y"), 0), NULL);
    assert_true(fabs(forward - backward) < 1e-6);    /* started at rest: even in t */
}

static void start_values_are_kept_and_completed(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --json --t-end 0 --start u2=-0.6"), 0);
    assert_true(strtod(json_element(member("y"), 1), NULL) == -0.6);
    assert_true(fabs(strtod(json_element(member("y"), 0), NULL) - 0.8) < 1e-12);
}

/* Values taken as they are, which the equations do not like, are remarked upon. */
/* u2 = -0.6 on the unit circle moves u1; the crank of andrews takes six angles and six velocities
 * along. */
static void moved_start_values_are_told(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --start u2=-0.6 --t-end 0.1 --json"), 0);
    assert_string_equal(err, "start: u1 moved from 1 to 0.8\n");
    assert_int_equal(json_count(member("moved")), 1);
    expect_contains(member("moved"), "\"u1\"");
    expect_contains(member("moved"), "0.8");
    assert_int_equal(run("run andrews --start beta=0.1 --start \"beta'=1\" --t-end 1e-4"), 0);
    expect_contains(err, "start: Theta moved from 0 to ");
    expect_contains(err, "start: and 2 more\n");
    assert_int_equal(run("run pendulum --start u2=-0.6 --t-end 0.1 --quiet"), 0);
    assert_string_equal(err, "");
    assert_int_equal(run("run pendulum --t-end 0.1 --json"), 0);
    assert_string_equal(err, "");
    assert_int_equal(json_count(member("moved")), 0);
}

static void start_values_as_given(void **state)
{
    (void)state;
    assert_int_equal(run("run weiss-linear --method bdf --initial given --t-end 0.1 --json"), 0);
    expect_member("message", "\"\"");
    assert_int_equal(run("run weiss-linear --method bdf-2 --initial given --start y=5 --step 0.01 "
                         "--t-end 0.1"), 0);
    assert_non_null(strstr(err, "start: t = 0: the values given leave equation[3]"));
    assert_int_equal(run("run weiss-linear --method bdf --start y=5 --t-end 0.1"), 1);
    assert_non_null(strstr(err, "equation[3]"));
}

/* Orders instead of stages, and that another formulation is solved. */
static void multistep_methods(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --method bdf --t-end 1"), 0);
    assert_non_null(strstr(out, "formulation index1 is solved, and projected"));
    assert_non_null(strstr(out, "orders"));
    assert_int_equal(run("run pendulum --method bdf --t-end 1 --projection none --json"), 0);
    assert_null(strstr(out, "and projected"));
    assert_true(number("stats", "orders_low") == 1 && number("stats", "orders_high") > 1);
    assert_true(number("stats", "stages_high") == 1);
}

static void constant_steps(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --json --t-end 2 --step 0.125 --method radau-iia-3"), 0);
    assert_true(number("stats", "accepted") == 16);
    expect_member("method", "\"radau-iia-3\"");
}

/* Whatever is integrated, digits are those of the original problem. */
static void formulations(void **state)
{
    (void)state;
    static const char *const names[] = {"index3", "index2", "ggl", "index1", "index0", "baumgarte",
                                        "embedded"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[100], quoted[20];
        snprintf(line, sizeof line, "run pendulum --rtol 1e-8 --json --method radau-iia "
                 "--formulation %s", names[i]);
        snprintf(quoted, sizeof quoted, "\"%s\"", names[i]);
        assert_int_equal(run(line), 0);
        expect_member("formulation", quoted);
        assert_true(number(NULL, "scd") > 4);
    }
    assert_int_equal(run("run pendulum --formulation embedded --embedding 2,-1,-1,2 --quiet"), 0);
    expect_usage("run pendulum --formulation embedded --embedding 2,-1", "needs 4 numbers");
}

/* The implicit midpoint rule from a file is gauss-1. */
static void methods_from_files(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/midpoint.txt", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("name: midpoint\nA: 0.5\nb: 1\n", file);
    fclose(file);
    assert_int_equal(run("converge order-ode --json --method-file midpoint.txt"), 0);
    expect_member("method", "\"midpoint\"");
    char *own = strdup(member("studies"));
    assert_int_equal(run("converge order-ode --json --method gauss-1"), 0);
    assert_string_equal(own, member("studies"));
    free(own);
    free(take("midpoint.txt", NULL));
    assert_int_equal(run("run pendulum --method-file nowhere.txt"), 1);
    expect_contains(err, "nowhere.txt");
}

/* ---- files --------------------------------------------------------------------------------- */

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static double first_field(const char *text, int line)
{
    while (line-- > 0) text = strchr(text, '\n') + 1;
    return strtod(text, NULL);
}

static void points_in_csv(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --quiet --t-end 2 --points 9 --output p.csv"), 0);
    char *csv = take("p.csv", NULL);
    assert_non_null(csv);
    assert_int_equal(lines_of(csv), 10);
    assert_memory_equal(csv, "t,u1,u2,v1,v2,lambda\n", 21);
    for (int i = 0; i < 9; i++) assert_true(first_field(csv, i + 1) == 0.25 * i);
    free(csv);

    assert_int_equal(run("run pendulum --quiet --t-end -1 --interval 0.3 --output p.csv"), 0);
    csv = take("p.csv", NULL);
    assert_int_equal(lines_of(csv), 6);              /* 0, -0.3, -0.6, -0.9, -1 */
    assert_true(first_field(csv, 5) == -1);
    free(csv);

    assert_int_equal(run("run pendulum --json --t-end 2 --output p.csv"), 0);
    csv = take("p.csv", NULL);
    assert_int_equal(lines_of(csv), 2 + (int)number("stats", "accepted"));
    char expected[64];
    snprintf(expected, sizeof expected, "%.12s", json_element(member("y"), 0));
    expect_contains(csv, expected);                  /* the last row is the final point */
    free(csv);
}

/* Points between the steps lie on the circle, with velocities along it and the right force, as
 * steps do: lambda = (|v|^2 - u2)/2 for a gravity of 1.  Without projection the tolerance is all
 * they have. */
static void dense_points_are_on_the_constraint(void **state)
{
    (void)state;
    static const char *const ways[] = {"--points 101", "--interval 0.2",
                                       "--points 101 --no-project",
                                       "--interval 0.2 --method radau-iia"};
    for (int way = 0; way < 4; way++) {
        char arguments[100];
        double worst[3] = {0};
        snprintf(arguments, sizeof arguments, "run pendulum --quiet %s --output p.csv", ways[way]);
        assert_int_equal(run(arguments), 0);
        char *csv = take("p.csv", NULL);
        const char *line = strchr(csv, '\n') + 1;
        for (int i = 0; i < 101; i++, line = strchr(line, '\n') + 1) {
            double t, u1, u2, v1, v2, l;
            assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &t, &u1, &u2, &v1, &v2, &l),
                             6);
            worst[0] = fmax(worst[0], fabs(u1 * u1 + u2 * u2 - 1));
            worst[1] = fmax(worst[1], fabs(u1 * v1 + u2 * v2));
            worst[2] = fmax(worst[2], fabs(l - (v1 * v1 + v2 * v2 - u2) / 2));
        }
        free(csv);
        for (int k = 0; k < 3 && way != 2; k++) assert_true(worst[k] < 1e-13);
        if (way == 2) assert_true(worst[0] > 1e-9 && worst[1] > 1e-9);
    }
}

static void points_in_json(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --quiet --t-end 1 --points 5 --output p.json"), 0);
    char *json = take("p.json", NULL);
    assert_true(json_valid(json));
    const char *points = json_member(json, "points");
    assert_int_equal(json_count(json_member(points, "t")), 5);
    assert_int_equal(json_count(json_member(points, "y")), 5);
    assert_int_equal(json_count(json_element(json_member(points, "y"), 4)), 5);
    free(json);
}

static void unwritable_output_fails(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --quiet --t-end 1 --output no/such/place.csv"), 1);
    expect_contains(err, "cannot write no/such/place.csv");
    assert_int_equal(run("run pendulum --quiet --t-end 1 --plot no/such/place.svg"), 1);
    expect_contains(err, "no/such/place.svg");
}

static void a_full_disk_is_a_failure(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(run("problems >/dev/full"), 1);
    assert_int_equal(run("run pendulum --json >/dev/full"), 1);
    expect_contains(err, "standard output");
}

static void pictures(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    static const char *const options[] = {"", "--plot-unprojected", "--t-end 0", "--t-end -3"};
    for (int i = 0; i < 4; i++) {
        char line[100];
        size_t length = 0;
        snprintf(line, sizeof line, "run pendulum --quiet --plot a.svg %s", options[i]);
        assert_int_equal(run(line), 0);
        assert_string_equal(err, "");
        char *picture = take("a.svg", &length);
        assert_memory_equal(picture, "<?xml", 5);
        expect_contains(picture, "pendulum");
        expect_contains(picture, "acceleration");
        expect_contains(picture + length - 20, "</svg>");
        free(picture);
    }
    size_t length = 0;
    assert_int_equal(run("run pendulum --quiet --method bdf --plot a.svg"), 0);
    char *picture = take("a.svg", &length);
    expect_contains(picture, "velocity");
    assert_null(strstr(picture, "acceleration"));        /* not measured in every step */
    free(picture);
    assert_int_equal(run("run van-der-pol --quiet --plot a.png"), 0);     /* no constraints */
    picture = take("a.png", &length);
    assert_true(length > 5000);
    assert_memory_equal(picture, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(picture + length - 8, "IEND", 4);
    free(picture);
}

static void missing_gnuplot_is_named(void **state)
{
    (void)state;
    const char *arguments = "run pendulum --quiet --t-end 1 --plot a.svg";
    assert_int_equal(run_with("PATH=/nonexistent", arguments), 1);
    expect_contains(err, "gnuplot-nox");
    assert_null(take("a.svg", NULL));
}

/* ---- stopping early ------------------------------------------------------------------------ */

static void a_failure_leaves_what_was_reached(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --max-steps 3 --json --output p.csv"), 1);
    assert_true(json_valid(out));
    expect_member("status", "\"step-limit\"");
    expect_contains(err, "KEEL_STEP_LIMIT");
    const double t = number(NULL, "t");
    assert_true(t > 0 && t < 20);
    char *csv = take("p.csv", NULL);
    assert_int_equal(lines_of(csv), 2 + (int)number("stats", "accepted"));
    assert_true(first_field(csv, lines_of(csv) - 1) == t);
    free(csv);
}

static void inconsistent_start_is_reported(void **state)
{
    (void)state;
    assert_int_equal(run("run pendulum --json --start u1=2"), 1);    /* |u| = 1 has no such point */
    assert_true(json_valid(out));
    assert_null(strstr(member("status"), "\"ok\""));
    assert_int_not_equal(strncmp(member("message"), "\"\"", 2), 0);
    assert_true(strlen(err) > 0);
}

static void an_interrupt_stops_the_run(void **state)
{
    (void)state;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(folder) != 0 || !freopen("progress", "w", stderr)) _exit(126);
        execl(KEEL_COMMAND, "keel", "run", "pendulum", "--t-end", "1e9", "--json", "--progress",
              "--max-steps", "2000000000", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char *progress = NULL;                           /* interrupted when it is seen to run */
    while (!progress || !strstr(progress, "steps")) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        free(progress);
        progress = peek("progress");
    }
    free(progress);
    kill(child, SIGINT);
    FILE *pipe_end = fdopen(ends[0], "r");
    free(out);
    out = slurp(pipe_end, NULL);
    fclose(pipe_end);
    assert_int_equal(waitpid(child, &status, 0), child);
    free(take("progress", NULL));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_true(json_valid(out));
    expect_member("status", "\"interrupted\"");
    assert_true(number(NULL, "t") > 0 && number(NULL, "t") < 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_and_help), cmocka_unit_test(every_option_is_documented),
        cmocka_unit_test(lists_of_problems_and_methods),
        cmocka_unit_test(leading_term_that_is_not_proper),
        cmocka_unit_test(wrong_usage_is_explained),
        cmocka_unit_test(invariants_of_a_run),
        cmocka_unit_test(levels_of_a_run), cmocka_unit_test(choice_of_the_lag),
        cmocka_unit_test(invariants_of_a_run),
        cmocka_unit_test(result_as_json), cmocka_unit_test(result_for_people),
        cmocka_unit_test(without_projection_it_drifts),
        cmocka_unit_test(references_apply_only_where_they_belong),
        cmocka_unit_test(intervals_of_any_direction),
        cmocka_unit_test(start_values_are_kept_and_completed),
        cmocka_unit_test(moved_start_values_are_told),
        cmocka_unit_test(start_values_as_given), cmocka_unit_test(multistep_methods),
        cmocka_unit_test(constant_steps),
        cmocka_unit_test(formulations), cmocka_unit_test(methods_from_files),
        cmocka_unit_test(points_in_csv), cmocka_unit_test(dense_points_are_on_the_constraint),
        cmocka_unit_test(points_in_json), cmocka_unit_test(unwritable_output_fails),
        cmocka_unit_test(a_full_disk_is_a_failure), cmocka_unit_test(pictures),
        cmocka_unit_test(missing_gnuplot_is_named),
        cmocka_unit_test(a_failure_leaves_what_was_reached),
        cmocka_unit_test(inconsistent_start_is_reported),
        cmocka_unit_test(an_interrupt_stops_the_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
