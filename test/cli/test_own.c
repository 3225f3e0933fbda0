/* test_own.c -- problems of users: keel new, and files instead of bundled problems. */
#define _XOPEN_SOURCE 700
#include <stdbool.h>
#include <sys/stat.h>

#include "test/cli/command.h"

static const char *const forms[] = {"ode", "semi-explicit", "hessenberg2", "hessenberg3",
                                    "mechanical", "quasilinear", "implicit", "proper", "levelled"};
enum { FORMS = sizeof forms / sizeof *forms };

static void discard(const char *name)
{
    assert_int_equal(remove(path_of(name)), 0);
}

/* With a cache in the folder. */
static int own(const char *arguments)
{
    return run_with("XDG_CACHE_HOME=$PWD/cache", arguments);
}

static int shell(const char *line)
{
    char whole[1000];
    snprintf(whole, sizeof whole, "cd %s && %s", folder, line);
    return system(whole);
}

static int make_cache(void **state)
{
    const int made = make_folder(state);
    unsetenv("CC");
    unsetenv("CFLAGS");
    return made;
}

static int remove_cache(void **state)
{
    shell("rm -rf cache");
    return remove_folder(state);
}

static void expect_failure(const char *arguments, const char *part)
{
    if (own(arguments) != 1) fail_msg("keel %s: %s", arguments, err);
    expect_contains(err, part);
    assert_null(strstr(err, "did you mean"));
}

/* ---- templates ----------------------------------------------------------------------------- */

/* Written, compiled once, integrated as source and as a shared object with the same result. */
static void every_form_runs_as_it_is(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        char line[300];
        snprintf(line, sizeof line, "new %s own.c", forms[k]);
        assert_int_equal(run(line), 0);
        expect_contains(out, "keel run own.c");
        if (own("run own.c --json") != 0) fail_msg("%s: %s", forms[k], err);
        expect_contains(err, "keel run: cc -O2 -I ");
        expect_contains(err, "-shared own.c -o ");
        expect_member("status", "\"ok\"");
        expect_member("target", "\"own\"");
        char *y = strdup(member("y"));
        *strchr(y, ']') = '\0';
        assert_int_equal(own("run own.c --json"), 0);        /* from the cache */
        assert_string_equal(err, "");
        snprintf(line, sizeof line, "${CC:-cc} -Wall -Wextra -Wpedantic -Wshadow -Wconversion "
                 "-Werror -std=c11 -fPIC -shared -I %s/include own.c -o own.so -lm",
                 KEEL_SOURCE_DIR);
        assert_int_equal(shell(line), 0);
        discard("own.c");
        assert_int_equal(run("run ./own.so --json"), 0);
        assert_string_equal(err, "");
        expect_contains(member("y"), y);
        free(y);
        assert_int_equal(run("problems own.so --json"), 0);
        assert_true(json_valid(out));
        assert_int_equal(json_count(member("variables")), (int)number(NULL, "unknowns"));
        discard("own.so");
    }
}

static void files_are_not_overwritten(void **state)
{
    (void)state;
    write_file("mine.c", "precious\n");
    assert_int_equal(run("new ode mine.c"), 1);
    expect_contains(err, "mine.c is there already");
    char *text = take("mine.c", NULL);
    assert_string_equal(text, "precious\n");
    free(text);
    assert_int_equal(run("new ode no/such/mine.c"), 1);
    expect_contains(err, "cannot write no/such/mine.c");
    expect_usage("new", "is missing");
    expect_usage("new ode", "FILE.c is missing");
    expect_usage("new oed x.c", "did you mean 'ode'?");
    expect_usage("new ode x.txt", "ends in .c");
    expect_usage("new ode 'a\"b.c'", "plain name");
    expect_usage("new ode x.c y.c", "unexpected argument");
}

/* ---- all verbs ----------------------------------------------------------------------------- */

static void every_verb_takes_files(void **state)
{
    (void)state;
    assert_int_equal(run("new mechanical crank.c"), 0);
    assert_int_equal(own("problems crank.c"), 0);
    expect_contains(err, "keel problems: cc ");
    expect_contains(out, "crank: Slider crank");
    expect_contains(out, "torque");
    assert_int_equal(own("run crank.c --t-end 2 --points 21 --output crank.csv --json"), 0);
    assert_string_equal(err, "");
    assert_true(number("residual", "position") < 1e-13);
    char *csv = take("crank.csv", NULL);
    assert_memory_equal(csv, "t,phi,psi,x,phi',psi',x',l1,l2\n", 31);
    free(csv);
    assert_int_equal(own("compare crank.c --methods auto,radau-iia --rtol 1e-4,1e-8 --t-end 1 "
                         "--json"), 0);
    assert_int_equal(json_count(member("runs")), 4);
    const char *fine = json_element(member("runs"), 3);
    assert_true(strtod(json_member(fine, "scd"), NULL) > 6);
    assert_int_equal(own("converge crank.c --halvings 2 --t-end 1 --step 0.1 --json"), 0);
    expect_member("target", "\"crank\"");
    assert_int_equal(own("manifold crank.c --halvings 1 --t-end 0.5 --step 0.1 --json"), 0);
    assert_int_equal(own("run crank.c --formulation ggl --method radau-iia --t-end 1 --json"), 0);
    assert_int_equal(own("run crank.c --param torque=0 --t-end 1 --quiet"), 0);
    assert_int_equal(own("run crank.c --param crank=2"), 2);
    expect_contains(err, "--param crank takes a number from 0.01 to 0.99, not 2");
    assert_int_equal(own("run crank.c --param troque=2"), 2);
    expect_contains(err, "did you mean 'torque'?");
    discard("crank.c");
}

static void sketches(void **state)
{
    (void)state;
    assert_int_equal(run("new mechanical crank.c"), 0);
    assert_int_equal(own("run crank.c --quiet --t-end 2 --sketch a.svg"), 0);
    char *picture = take("a.svg", NULL);
    int lines = 0, circles = 0;
    for (char *at = picture; (at = strstr(at, "<line ")); at++) lines++;
    for (char *at = picture; (at = strstr(at, "<circle ")); at++) circles++;
    assert_int_equal(circles, 40);
    assert_int_equal(lines, 80);
    expect_contains(picture, "</svg>");
    free(picture);
    assert_int_equal(run("run pendulum --quiet --formulation index0 --sketch a.svg"), 0);
    free(take("a.svg", NULL));
    expect_usage("run robertson --sketch a.svg", "does not say how to draw it");
    expect_usage("run pendulum --sketch a.png", ".svg");
    discard("crank.c");
}

/* ---- names --------------------------------------------------------------------------------- */

/* Only files that are named are looked at, and none is taken for a bundled problem. */
static void names_of_files(void **state)
{
    static const char *const verbs[] = {"run", "compare", "converge", "manifold", "problems"};
    (void)state;
    assert_int_equal(run("new ode pendulm.c"), 0);
    expect_usage("run pendulm", "did you mean 'pendulum'?");
    assert_int_not_equal(access(path_of("cache/keel/x"), F_OK), 0);
    discard("pendulm.c");
    for (int v = 0; v < 5; v++) {
        char line[100];
        snprintf(line, sizeof line, "%s pendulm.c", verbs[v]);
        expect_failure(line, "cannot compile pendulm.c: cannot read it: No such file or directory");
        snprintf(line, sizeof line, "%s pendulm.so", verbs[v]);
        expect_failure(line, "cannot load pendulm.so: No such file or directory");
        snprintf(line, sizeof line, "%s ./pendulum", verbs[v]);
        expect_usage(line, "'./pendulum' is no problem: files end in .c");
        snprintf(line, sizeof line, "%s pendulum.txt", verbs[v]);
        expect_usage(line, "'pendulum.txt' is no problem");
    }
    assert_int_equal(own("run pendulm.so --json"), 1);
    assert_true(json_valid(out));
    expect_member("status", "\"cannot-load\"");
}

/* ---- compiling ----------------------------------------------------------------------------- */

/* A change of the source, of a header it includes, of the flags or of the compiler compiles
 * anew. */
static void the_cache_knows_what_it_has(void **state)
{
    (void)state;
    assert_int_equal(run("new ode own.c"), 0);
    assert_int_equal(shell("sed -i 's|y.PHI. = 1.5;|\\n#include \"angle.h\"\\n|' own.c"), 0);
    write_file("angle.h", "y[PHI] = 1;\n");
    assert_int_equal(own("run own.c --t-end 0.1 --json"), 0);
    expect_contains(err, "keel run: cc ");
    const double before = strtod(json_element(member("y"), 0), NULL);
    assert_int_equal(own("run own.c --t-end 0.1 --json"), 0);
    assert_string_equal(err, "");
    write_file("angle.h", "y[PHI] = 2;\n");
    assert_int_equal(own("run own.c --t-end 0.1 --json"), 0);
    expect_contains(err, "keel run: cc ");
    assert_true(fabs(strtod(json_element(member("y"), 0), NULL) - before - 1) < 0.1);
    assert_int_equal(run_with("XDG_CACHE_HOME=$PWD/cache CFLAGS='-O1  -g' CC='cc -pipe'",
                              "run own.c --t-end 0.1 --quiet"), 0);
    expect_contains(err, "keel run: cc -pipe -O2 -O1 -g -I ");
    assert_int_equal(run_with("XDG_CACHE_HOME=$PWD/cache CFLAGS='-O1  -g' CC='cc -pipe'",
                              "run own.c --t-end 0.1 --quiet"), 0);
    assert_string_equal(err, "");
    assert_int_equal(run_with("XDG_CACHE_HOME= HOME=$PWD/cache CC= CFLAGS=-DIT=\"don't\"",
                              "run ./own.c --t-end 0.1 --quiet"), 0);
    expect_contains(err, "keel run: cc -O2 '-DIT=don'\\''t' -I ");  /* as one would type it */
    assert_int_equal(shell("test -f cache/.cache/keel/own-*.so"), 0);
    discard("own.c");
    discard("angle.h");
}

static void compilers_that_fail(void **state)
{
    (void)state;
    write_file("own.c", "#include <keel/keel.h>\nint x = y;\n");
    expect_failure("run own.c", "own.c:2");
    expect_contains(err, "keel run: cannot compile own.c: the compiler's complaints are above");
    write_file("own.c", "#include <no/such.h>\n");
    expect_failure("run own.c", "no/such.h");
    assert_int_equal(run_with("XDG_CACHE_HOME=$PWD/cache CC=/no/cc", "run own.c"), 1);
    expect_contains(err, "set CC to another");
    assert_int_equal(run_with("env -u HOME -u XDG_CACHE_HOME", "run own.c"), 1);
    expect_contains(err, "set HOME or XDG_CACHE_HOME");
    assert_int_equal(shell("mkdir -p open/keel && chmod 777 open/keel"), 0);
    assert_int_equal(run_with("XDG_CACHE_HOME=$PWD/open", "run own.c"), 1);
    expect_contains(err, "others can write there");
    assert_int_equal(shell("rm -r open"), 0);
    write_file("flat", "");                      /* a file where a folder should be */
    assert_int_equal(run_with("XDG_CACHE_HOME=$PWD/flat", "run own.c"), 1);
    expect_contains(err, "no place for the result: ");
    expect_contains(err, "Not a directory");
    discard("flat");
    assert_int_equal(run_with("XDG_CACHE_HOME=cache HOME=here", "run own.c"), 1);
    expect_contains(err, "set HOME or XDG_CACHE_HOME");          /* neither is absolute */
    discard("own.c");
    assert_int_equal(shell("test -z \"$(ls cache/keel | grep -v 'so$')\""), 0);   /* no halves */
}

/* ---- what a file may lack ------------------------------------------------------------------ */

static void targets_that_lack_something(void **state)
{
    static const char head[] =
        "#include <keel/keel.h>\n"
        "static int rhs(double t, const double *y, double *f, void *c)\n"
        "{ (void)t, (void)c; f[0] = -y[0]; return 0; }\n"
        "static int create(keel_problem **p, const double *parameters)\n"
        "{ (void)parameters; return keel_ode(p, &(keel_ode_spec){.size = 1, .rhs = rhs}); }\n"
        "static void start(const double *parameters, double *y) { (void)parameters; y[0] = 1; }\n"
        "int unused(void) { return create == 0 || start == 0; }\n";
    #define WITH "const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", " \
                 ".create = create, .start = start, .t_end = 1, "
    static const char *const cases[][2] = {
        {WITH ".parameter_count = -1};", "parameter_count"},
        {WITH ".reference_count = -1};", "reference_count"},
        {WITH ".reference_count = 1};", "reference_count"},
        {"static const keel_boundary_target b = {0};\n"
         WITH ".boundary = &b};", "lacks a spec or its condition"},
        {"static const keel_parameter p[] = {{.name = \"g\"}};\n"
         WITH ".parameter_count = 1, .parameters = p};", "lacks its name or its meaning"},
        {"static const keel_parameter p[] = {{.meaning = \"g\"}};\n"
         WITH ".parameter_count = 1, .parameters = p};", "lacks its name or its meaning"},
        {"static const keel_reference r[] = {{.source = \"us\"}};\n"
         WITH ".reference_count = 1, .references = r};", "lacks its values or its source"},
        {"static const double y[] = {1};\nstatic const keel_reference r[] = {{.y = y}};\n"
         WITH ".reference_count = 1, .references = r};", "lacks its values or its source"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .create = create,"
         " .start = start, .t_end = 1};", "lacks a name, create or start"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"\", .create = create,"
         " .start = start, .t_end = 1};", "lacks a name, create or start"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .t_end = 1};", "lacks a name, create or start"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .start = start, .t_end = 1.0 / 0.0};", "not finite"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .start = start, .t_start = -1.0 / 0.0};", "not finite"},
        {"", "it exports no keel_target_main"},
        {"const keel_target keel_target_main = {.name = \"x\"};", ".abi = KEEL_TARGET_ABI"},
        {"const keel_target keel_target_main = {.abi = 1, .name = \"x\"};", "another version"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .t_end = 1,"
         " .start = start};", "lacks a name, create or start"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .start = start};", "interval"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .start = start, .t_end = 1, .size = 2};", "size = 2, but its problem has 1 unknown"},
        {"const keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\", .create = create,"
         " .start = start, .t_end = 1, .parameter_count = 1};", "parameter_count"},
        {"int no_such(void);\nconst keel_target keel_target_main = {KEEL_TARGET_ABI, .name = \"x\","
         " .create = create, .start = start, .t_end = 1};\n"
         "int call(void) { return no_such(); }", "no_such"},
    };
    char text[2000];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text, "%s%s\n", head, cases[k][0]);
        write_file("own.c", text);
        expect_failure("run own.c", cases[k][1]);
    }
    snprintf(text, sizeof text, "%sconst keel_target keel_target_main = {KEEL_TARGET_ABI, .name = "
             "\"zerfall\", .title = \"\xce\xbb-Zerf\xc3\xa4lle\", .create = create, "
             ".start = start, .t_end = 1};\n", head);
    write_file("own.c", text);
    assert_int_equal(own("run own.c --json --rtol 1e-10"), 0);   /* the least that will do */
    assert_true(fabs(strtod(json_element(member("y"), 0), NULL) - exp(-1)) < 1e-8);
    assert_int_equal(run_with("LC_ALL=C XDG_CACHE_HOME=$PWD/cache", "run own.c"), 0);
    expect_contains(out, "zerfall: lambda-Zerfaelle\n");
    /* characters of three and four bytes, capital and accented Greek, and halves of characters: one
     * sign each */
    snprintf(text, sizeof text, "%s" WITH ".title = \"a\xe2\x89\xa4\xe2\x88\x80 \xf0\x9d\x84\x9e"
             " \xce\x91 \xcf\x8e \xcf\x8a.\"};\n", head);
    write_file("own.c", text);
    assert_int_equal(run_with("LC_ALL=C XDG_CACHE_HOME=$PWD/cache", "run own.c"), 0);
    expect_contains(out, "x: a<=? ? ? ? ?.\n");
    assert_int_equal(run_with("LC_ALL=C XDG_CACHE_HOME=$PWD/cache", "run own.c >/dev/full"), 1);
    expect_contains(err, "cannot write to standard output");
    assert_int_equal(run_with("LC_ALL=C", "run \"$(printf 'a\\377\\303b\\200')\""), 2);
    expect_contains(err, "unknown problem 'a??b?'");
    snprintf(text, sizeof text, "%sstatic const unsigned char counts[] = {1};\n"
             "static const double y[] = {0.367879441171442};\n"
             "static const keel_reference r[] = {{1, y, 15, \"exp\"}};\n"
             WITH ".size = 1, .counts = counts, .reference_count = 1, .references = r};\n", head);
    write_file("own.c", text);
    assert_int_equal(own("run own.c --json --rtol 1e-8"), 0);    /* no title, but digits */
    assert_true(number(NULL, "scd") > 6);
    discard("own.c");
    write_file("own.so", "no object\n");
    expect_failure("run own.so", "cannot load own.so: ");
    discard("own.so");
    expect_failure("run nowhere/own.so", "cannot load nowhere/own.so: No such file");
    expect_failure("run nowhere.c", "cannot read it");
    assert_int_equal(own("run .c"), 2);
    expect_contains(err, "files end in .c");
    #undef WITH
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_runs_as_it_is), cmocka_unit_test(files_are_not_overwritten),
        cmocka_unit_test(every_verb_takes_files), cmocka_unit_test(sketches),
        cmocka_unit_test(names_of_files), cmocka_unit_test(the_cache_knows_what_it_has),
        cmocka_unit_test(compilers_that_fail), cmocka_unit_test(targets_that_lack_something),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
