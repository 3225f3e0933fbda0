/* test_failures.c -- studies of a problem whose right-hand side fails after some time: the exit
 * status is 1, the reason is said, and what could be computed is printed.
 *
 *   y' = z,  0 = y - sin t,  where rhs fails for t > limit and for |z| > bound.
 */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static const char source[] =
    "#include <math.h>\n"
    "#include <keel/keel.h>\n"
    "static int rhs(double t, const double *y, const double *z, double *f, void *c)\n"
    "{ const double *p = c; (void)y; f[0] = z[0]; return t > p[0] || fabs(z[0]) > p[1]; }\n"
    "static int constraint(double t, const double *y, double *g, void *c)\n"
    "{ (void)c; g[0] = y[0] - sin(t); return 0; }\n"
    "static int create(keel_problem **p, const double *parameters)\n"
    "{ return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 1, .multipliers = 1,\n"
    "  .rhs = rhs, .constraint = constraint, .context = (void *)parameters}); }\n"
    "static void start(const double *p, double *y) { (void)p; y[0] = 0, y[1] = 1; }\n"
    "static const keel_parameter parameters[] = {{\"limit\", 100, \"of time\"},\n"
    "                                            {\"bound\", 100, \"of z\"}};\n"
    "static const double end[] = {0.84147098, NAN};\n"
    "static const keel_reference references[] = {{1, end, 8, \"sin 1\"}};\n"
    "const keel_target keel_target_main = {.abi = KEEL_TARGET_ABI, .name = \"sine\", .t_end = 1,\n"
    "  .parameter_count = 2, .parameters = parameters, .create = create, .start = start,\n"
    "  .reference_count = 1, .references = references};\n";

static int own(const char *arguments)
{
    return run_with("XDG_CACHE_HOME=$PWD/cache", arguments);
}

static void it_works_otherwise(void **state)
{
    (void)state;
    assert_int_equal(own("run sine.c --rtol 1e-8 --json"), 0);
    assert_true(fabs(strtod(json_element(member("y"), 0), NULL) - sin(1)) < 1e-7);
    assert_true(fabs(number(NULL, "scd") + log10(1 - 0.84147098 / sin(1))) < 0.01);
    assert_int_equal(own("compare sine.c --methods radau-iia,bdf --rtol 1e-3,1e-5 --quiet"), 0);
    expect_contains(out, "radau-iia");
    assert_int_equal(own("converge sine.c --method radau-iia-2 --step 0.25 --halvings 1"), 0);
    assert_int_equal(own("manifold sine.c --step 0.25 --halvings 1"), 0);
}

/* No reference of a changed problem is known, and none can be computed. */
static void no_reference(void **state)
{
    (void)state;
    static const char *const verbs[] = {"compare sine.c --rtol 1e-3,1e-4 --quiet",
                                        "converge sine.c --method radau-iia-2"};
    for (int k = 0; k < 2; k++) {
        char line[200];
        snprintf(line, sizeof line, "%s --param limit=0.5", verbs[k]);
        assert_int_equal(own(line), 1);
        assert_string_equal(out, "");
        expect_contains(err, "no reference solution: KEEL_CALLBACK_FAILED");
    }
    assert_int_equal(own("run sine.c --param limit=0.5"), 1);
    expect_contains(err, "KEEL_CALLBACK_FAILED: t = 0.5: the callback `rhs` returned 1");
}

/* Before any step, on the way to the points of the experiment, and after the last of them. */
static void manifolds(void **state)
{
    (void)state;
    assert_int_equal(own("manifold sine.c --param limit=-1"), 1);
    expect_contains(err, "KEEL_CALLBACK_FAILED");
    assert_int_equal(own("manifold sine.c --param limit=0.3 --step 0.25 --halvings 1"), 1);
    expect_contains(err, "KEEL_CALLBACK_FAILED");
    assert_int_equal(own("manifold sine.c --param limit=0.95 --step 0.25 --halvings 1 --json"), 1);
    assert_true(json_valid(out));
    for (int i = 0; i < 2; i++) {
        const char *each = json_element(member("runs"), i);
        const char *status = json_member(each, "status");
        assert_true(strncmp(status, "\"KEEL_CALLBACK_FAILED\"", 22) == 0);
    }
    assert_int_equal(own("manifold sine.c --param limit=0.95 --step 0.25 --halvings 1"), 1);
    expect_contains(out, " - ");
    expect_contains(out, "sine");
}

/* z is as large as 1 at the start. */
static void starts(void **state)
{
    (void)state;
    static const char *const verbs[] = {"run", "compare", "converge", "manifold"};
    for (int k = 0; k < 4; k++) {
        char line[200];
        snprintf(line, sizeof line, "%s sine.c --param bound=0.5 --method radau-iia-2", verbs[k]);
        assert_int_equal(own(line), 1);
        expect_contains(err, "KEEL_CALLBACK_FAILED");
    }
    assert_int_equal(own("check sine.c --param bound=0.5"), 1);
    expect_contains(out, "KEEL_CALLBACK_FAILED");
}

/* y1' = -y1 y2, y2' = y1, with y2 in place of y1 in df1/dy2, or with a Jacobian that fails. */
static void wrong_jacobians(void **state)
{
    static const char wrong[] =
        "#include <math.h>\n"
        "#include <keel/keel.h>\n"
        "static int rhs(double t, const double *y, double *f, void *c)\n"
        "{ (void)t, (void)c; f[0] = -y[0] * y[1], f[1] = y[0]; return 0; }\n"
        "static int jacobian(double t, const double *y, keel_matrix *J, void *c)\n"
        "{ (void)t; keel_put(J, 0, 0, -y[1]), keel_put(J, 0, 1, -y[1]), keel_put(J, 1, 0, 1);\n"
        "  return (int)*(const double *)c; }\n"
        "static int create(keel_problem **p, const double *parameters)\n"
        "{ static const char *const names[] = {\"prey\", \"hunter\"};\n"
        "  return keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = rhs, .jacobian = jacobian,\n"
        "  .names = names, .context = (void *)parameters}); }\n"
        "static void start(const double *p, double *y) { (void)p; y[0] = 1, y[1] = 3; }\n"
        "static const keel_parameter parameters[] = {{\"code\", 0, \"what jacobian returns\"}};\n"
        "const keel_target keel_target_main = {.abi = KEEL_TARGET_ABI, .name = \"wrong\",\n"
        "  .t_end = 1, .parameter_count = 1, .parameters = parameters, .create = create,\n"
        "  .start = start};\n";
    (void)state;
    write_file("wrong.c", wrong);
    assert_int_equal(own("check wrong.c"), 1);
    expect_contains(out, "wrong\n");
    expect_contains(out, "hunter");
    assert_int_equal(own("check wrong.c --json"), 1);
    assert_true(json_valid(out));
    assert_int_equal(json_count(member("findings")), 1);
    const char *finding = json_element(member("findings"), 0);
    assert_true(strncmp(json_member(finding, "kind"), "\"derivative\"", 12) == 0);
    assert_true(strncmp(json_member(finding, "column"), "\"hunter\"", 8) == 0);
    assert_true(strtod(json_member(finding, "row"), NULL) == 0);
    assert_int_equal(own("run wrong.c"), 1);
    expect_contains(err, "KEEL_WRONG_DERIVATIVE");
    assert_int_equal(own("check wrong.c --param code=-1"), 1);
    expect_contains(err, "callback");
    assert_int_equal(own("check wrong.c --param code=1 --json"), 0);  /* nothing is refuted */
    const char *item = json_element(member("checked"), 0);
    assert_true(strncmp(json_member(item, "outcome"), "\"could not be checked\"", 22) == 0);
}

static void lists_of_numbers(void **state)
{
    (void)state;
    static const char *const wrong[] = {"1e-3,...", "...,1e-3", "1e-3,...,...,1e-5", "1e-3,,1e-4",
                                        "-1,...,1e-3", "1e-3,...,-1", "1e-3,1e-3,...,1e-6",
                                        "1e-3,-1e-4,...,1e-6", "1e-3,1e-4,...,1e-2", "1e-3x",
                                        "1e-3,0.9999999e-3,...,1e-12", "inf", "nan"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char line[200];
        snprintf(line, sizeof line, "compare kepler --rtol %s", wrong[k]);
        expect_usage(line, "rtol");
    }
    assert_int_equal(run("compare kepler --t-end 1 --methods dopri5 --rtol 1e-3,...,1e-5 --json "
                         "--quiet"), 0);
    assert_int_equal(json_count(member("runs")), 3);
}

/* A matrix of the embedding: its size, its numbers. */
static void embeddings(void **state)
{
    (void)state;
    expect_usage("run pendulum --formulation embedded --embedding 1,x",
                 "--embedding takes numbers");
    expect_usage("run pendulum --formulation embedded --embedding 1,2", "needs 4 numbers");
    expect_usage("run pendulum --embedding 1,0,0,1", "--formulation");
    expect_usage("run pendulum --beta 1", "--formulation");
    expect_usage("run andrews --formulation embedded --embedding 1", "constraints");
}

static void names_of_formulations(void **state)
{
    (void)state;
    expect_usage("run pendulum --formulation index0,stabilised,stabilised,stabilised,stabilised",
                 "at most 4");
    assert_int_equal(run("run pendulum --formulation index0,index0"), 1);
    expect_contains(err, "index0 does not apply");
    expect_usage("run pendulum --formulation "
                 "a-name-that-is-longer-than-any-name-of-a-formulation-could-ever-be",
                 "unknown formulation");
}

static int clean(void **state)
{
    char line[200];
    snprintf(line, sizeof line, "cd %s && rm -rf cache sine.c wrong.c", folder);
    return system(line) == 0 ? remove_folder(state) : -1;
}

static int prepare(void **state)
{
    if (make_folder(state)) return -1;
    unsetenv("CC");
    unsetenv("CFLAGS");
    write_file("sine.c", source);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_works_otherwise), cmocka_unit_test(no_reference),
        cmocka_unit_test(manifolds), cmocka_unit_test(starts),
        cmocka_unit_test(wrong_jacobians),
        cmocka_unit_test(lists_of_numbers),
        cmocka_unit_test(embeddings), cmocka_unit_test(names_of_formulations),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
