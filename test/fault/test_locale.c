/* test_locale.c -- a program that runs in a locale with decimal commas: numbers are read and written
 * with a point all the same, and its locale stays as it is.
 *
 * Where no such locale is installed one is compiled into the working directory (localedef); where
 * that is not possible either, the tests are skipped, by name.
 */
#define _POSIX_C_SOURCE 200809L
#include "core/number.h"
#include "test/support/run.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/csv.h"
#include "report/json.h"
#include "report/table.h"

static int has_comma(void)
{
    char text[20];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") == 0;
}

static int set_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && has_comma()) return 1;
    return 0;
}

/* The locale of the process; a compiled one stays in the working directory, which is the build's. */
static int comma_locale(void **state)
{
    char here[1000], path[1100];
    (void)state;
    if (set_comma()) return 0;
    if (!getcwd(here, sizeof here)) return 0;
    snprintf(path, sizeof path, "%s/locales", here);
    mkdir(path, 0777);
    int made = access("locales/de_DE.UTF-8/LC_NUMERIC", R_OK) == 0;
    if (!made && system("localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1") != 0)
        print_message("localedef failed\n");
    setenv("LOCPATH", path, 1);                  /* not before: a failure would be remembered */
    set_comma();
    return 0;
}

#define NEEDS_COMMA() \
    do { \
        if (!has_comma()) { \
            print_message("%s: no locale with decimal commas\n", __func__); \
            skip(); \
        } \
    } while (0)

/* ---- reading and writing -------------------------------------------------------------------- */

static void round_trips(void **state)
{
    static const double values[] = {0.1, 1.0 / 3, -2.5e-308, 4.9406564584124654e-324,
                                    1.7976931348623157e308, 123456.789, -0.0};
    (void)state;
    NEEDS_COMMA();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[40], *end;
        number_print(text, sizeof text, "%.17g", values[i]);
        assert_null(strchr(text, ','));
        assert_true(number_read(text, &end) == values[i]);
        assert_int_equal(*end, '\0');
    }
    assert_true(number_read("0.25", NULL) == 0.25);
    assert_true(number_read_long("0.25", NULL) == 0.25L);
    assert_true(has_comma());                    /* the program's locale is as before */
}

static void *many_round_trips(void *failures)
{
    for (int i = 1; i < 20000; i++) {
        char text[40];
        double value = 1.0 / i;
        number_print(text, sizeof text, "%.17g", value);
        if (number_read(text, NULL) != value) ++*(int *)failures;
    }
    return NULL;
}

static void threads_do_not_meet(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int failures[THREADS] = {0};
    (void)state;
    NEEDS_COMMA();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many_round_trips, &failures[i]), 0);
    for (int i = 0; i < 2000; i++) assert_true(has_comma());
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(failures[i], 0);
}

/* ---- the library ---------------------------------------------------------------------------- */

static void options(void **state)
{
    keel_options o = {0};
    char text[200];
    (void)state;
    NEEDS_COMMA();
    assert_int_equal(keel_option_set(&o, "rtol", "0.0125", text, sizeof text), KEEL_OK);
    assert_true(o.rtol == 0.0125);
    assert_int_equal(keel_option_set(&o, "rtol", "0,0125", text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_option_set(&o, "safety", "1.5", text, sizeof text), KEEL_BAD_ARGUMENT);
    expect_text(text, "safety = 1.5 is out of range: it must lie between 0.1 and 0.999");
}

static int stops(double t, const double *y, double *f, void *context)
{
    (void)y, (void)context;
    f[0] = t > 0.5 ? NAN : 1;
    return 0;
}

static int halves(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 0.5 * y[0];
    return 0;
}

static int wrong_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(J, 0, 0, 1.25);
    return 0;
}

static int pole(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * y[0];
    return 0;
}

/* Those that are put together from parts. */
static void messages_of_checks(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y = 1;
    (void)state;
    NEEDS_COMMA();
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = halves,
                                                   .jacobian = wrong_jacobian}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    assert_int_equal(keel_start(s, 0, &y), KEEL_WRONG_DERIVATIVE);
    expect_text(keel_message(s), "1.25");
    expect_text(keel_message(s), "0.5");
    keel_solver_free(s);
    keel_problem_free(p);
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = pole}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "dopri5"}), s, "create");
    expect_ok(keel_start(s, 0, &y), s, "start");
    assert_int_equal(keel_advance_to(s, 2), KEEL_STEP_TOO_SMALL);
    expect_text(keel_message(s), "advanced t by ");
    for (const char *c = keel_message(s); (c = strchr(c, ',')); c++)         /* of the sentence */
        assert_false(c[-1] >= '0' && c[-1] <= '9' && c[1] >= '0' && c[1] <= '9');
    keel_solver_free(s);
    keel_problem_free(p);
}

static void messages(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y = 0;
    (void)state;
    NEEDS_COMMA();
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = stops}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0.25, &y), s, "start");
    assert_int_equal(keel_interpolate(s, 1.5, &y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), "t = 1.5 ");
    expect_text(keel_message(s), "0.25");
    assert_int_equal(keel_advance_to(s, 1), KEEL_NOT_FINITE);
    expect_text(keel_message(s), "t = 0.5");
    keel_solver_free(s);
    keel_problem_free(p);
}

static void method_files(void **state)
{
    keel_method *m = NULL;
    FILE *file = fopen("locale.method", "w");
    (void)state;
    NEEDS_COMMA();
    assert_non_null(file);
    fputs("name: midpoint\nA:\n 0 0\n 0.5 0\nb: 0.0 1.0\nc: 0 0.5\n", file);
    fclose(file);
    assert_int_equal(keel_method_read(&m, "locale.method"), KEEL_OK);
    assert_true(keel_method_tableau(m)->A[2] == 0.5);
    keel_method_free(m);
    assert_int_equal(keel_method_named(&m, "collocation:0.25,0.75"), KEEL_OK);
    assert_true(keel_method_tableau(m)->c[0] == 0.25);
    keel_method_free(m);
    remove("locale.method");
}

/* ---- what is printed ------------------------------------------------------------------------ */

static void reports(void **state)
{
    const char *const names[] = {"y"};
    char *text = NULL;
    size_t length = 0;
    table t = {.columns = 1, .align = "l"};
    (void)state;
    NEEDS_COMMA();
    FILE *file = open_memstream(&text, &length);
    csv_header(file, names, 1);
    csv_row(file, 0.5, (const double[]){0.1}, 1);
    json_writer w = {.file = file};
    json_begin_object(&w, NULL);
    json_number(&w, "x", 2.5);
    json_end_object(&w);
    table_cell(&t, "%.2f", 3.25);
    table_print(&t, file);
    fclose(file);
    assert_string_equal(text, "t,y\n0.5,0.1\n{\n  \"x\": 2.5\n}\n3.25\n");
    free(text);
    table_free(&t);
}

/* The command itself, whose environment says the same: the digits of a run are those of "C". */
static void command(void **state)
{
    static const char *const runs[] = {
        "run pendulum --t-end 0.5 --rtol 0.00001 --json - --quiet", "run pendulum --t-end 0.25",
        "method radau-iia-2", "run pendulum --t-end 0.5 --param g=9.5"};
    (void)state;
    NEEDS_COMMA();
    setenv("LC_ALL", setlocale(LC_ALL, NULL), 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);     /* libgfortran keeps what it reads of LOCPATH */
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char line[2000];
        snprintf(line, sizeof line,
                 KEEL_COMMAND " %s 2>&1 | grep -v second >locale.comma; LC_ALL=C.UTF-8 " KEEL_COMMAND
                 " %s 2>&1 | grep -v second >locale.point; cmp locale.comma locale.point",
                 runs[i], runs[i]);
        assert_int_equal(system(line), 0);
    }
    unsetenv("LC_ALL");
    unsetenv("ASAN_OPTIONS");
    remove("locale.comma");
    remove("locale.point");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(threads_do_not_meet),
        cmocka_unit_test(options), cmocka_unit_test(messages), cmocka_unit_test(messages_of_checks), cmocka_unit_test(method_files),
        cmocka_unit_test(reports), cmocka_unit_test(command)};
    return cmocka_run_group_tests_name("decimal commas", tests, comma_locale, NULL);
}
