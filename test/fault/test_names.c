/* test_names.c -- control characters in names are escaped where names are shown: in messages, CSV,
 * JSON, tables, pictures; names are returned as they were given. */
#define _POSIX_C_SOURCE 200809L
#include "core/message.h"
#include "core/text.h"

/* cmocka's macro fail() hides the function of that name. */
static int complain(message *m, int status, const char *text)
{
    return fail(m, status, "%s: %s", text, m->text);
}

#include "test/support/run.h"

#include <stdlib.h>

#include "report/chart.h"
#include "report/csv.h"
#include "report/gnuplot.h"
#include "report/json.h"
#include "report/table.h"

/* A colour, a line break, a bell, a C1 control in UTF-8, and letters that are none of these. */
#define EVIL "a\x1b[31mb\nc\a\x7f" "\xc2\x9b" "ä"
#define SHOWN "a\\x1b[31mb\\nc\\a\\x7f\\x9b" "ä"

static void no_control_in(const char *text)
{
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            fail_msg("control character %d in \"%s\"", *c, text);
}

static void shown(void **state)
{
    char text[100];
    (void)state;
    assert_int_equal(text_show(text, sizeof text, EVIL), strlen(SHOWN));
    assert_string_equal(text, SHOWN);
    assert_int_equal(text_show(NULL, 0, EVIL), strlen(SHOWN));
    text_show(text, 4, "ab\x1b");                /* no half escapes */
    assert_string_equal(text, "ab");
    text_show(text, 3, "ab\nc");
    assert_string_equal(text, "ab");
    assert_int_equal(text_show(text, sizeof text, ""), 0);
    assert_string_equal(text, "");
}

static void messages(void **state)
{
    message m = {"old"};
    (void)state;
    assert_int_equal(complain(&m, -5, EVIL), -5);
    assert_string_equal(m.text, SHOWN ": old");
}

/* ---- problems and methods ------------------------------------------------------------------- */

static int circle(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[0] + 1;                      /* has no root */
    return 0;
}

static int pushed(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static void problems(void **state)
{
    static const char *const names[] = {EVIL, "z\r"}, *const rows[] = {"row\n"};
    double y[2] = {NAN, 0};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 1,
        .multipliers = 1, .rhs = pushed, .constraint = circle, .names = names,
        .constraint_names = rows}), KEEL_OK);
    assert_string_equal(keel_variable_name(p, 0), EVIL);
    assert_string_equal(keel_row_name(p, 0, 0), "row\n");
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    assert_int_equal(keel_start(s, 0, y), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(s), SHOWN);
    y[0] = 1;
    assert_true(keel_start(s, 0, y) < 0);
    expect_text(keel_message(s), "row\\n");
    no_control_in(keel_message(s));
    keel_solver_free(s);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = EVIL}),
                     KEEL_UNKNOWN_NAME);
    expect_text(keel_message(s), SHOWN);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void option_values(void **state)
{
    keel_options o = {0};
    char text[300];
    (void)state;
    assert_int_equal(keel_option_set(&o, "linear", EVIL, text, sizeof text), KEEL_BAD_ARGUMENT);
    expect_text(text, SHOWN);
    assert_int_equal(keel_option_set(&o, "rtol", EVIL, text, sizeof text), KEEL_BAD_ARGUMENT);
    expect_text(text, SHOWN);
    assert_int_equal(keel_option_set(&o, EVIL, "1", text, sizeof text), KEEL_UNKNOWN_NAME);
    expect_text(text, SHOWN);
}

static void method_files(void **state)
{
    keel_method *m = NULL;
    char *out = NULL;
    (void)state;
    FILE *file = fopen("names.method", "w");
    assert_non_null(file);
    fputs("name: " "a\x1b[31mb\a\nsummary: \x1b]0;title\a\nA: 1\nb: 1\n", file);
    fclose(file);
    assert_int_equal(keel_method_read(&m, "names.method"), KEEL_OK);
    assert_string_equal(keel_method_tableau(m)->name, "a\\x1b[31mb\\a");
    no_control_in(keel_method_tableau(m)->summary);
    keel_method_free(m);
    FILE *command = popen(KEEL_COMMAND " method --method-file names.method", "r");
    assert_non_null(command);
    size_t size = 0;
    assert_true(getdelim(&out, &size, '\0', command) > 0);
    pclose(command);
    no_control_in(out);
    expect_text(out, "a\\x1b[31mb");
    free(out);
    remove("names.method");
}

/* ---- reports -------------------------------------------------------------------------------- */

static void reports(void **state)
{
    const char *const names[] = {EVIL};
    char *text = NULL;
    size_t length = 0;
    table t = {.columns = 1, .align = "l"};
    (void)state;
    FILE *file = open_memstream(&text, &length);
    csv_header(file, names, 1);
    table_cell(&t, "%s", EVIL);
    table_print(&t, file);
    gnuplot_quoted(file, EVIL);
    fputc('\n', file);
    json_writer w = {.file = file};
    json_begin_object(&w, NULL);
    json_string(&w, EVIL, "\xc2\x9b");
    json_end_object(&w);
    fclose(file);
    assert_string_equal(text, "t," SHOWN "\n" SHOWN "\n'" SHOWN "'\n"
        "{\n  \"a\\u001b[31mb\\nc\\u0007\\u007f\\u009b\\u00e4\": \"\\u009b\"\n}\n");
    no_control_in(text);
    free(text);
    table_free(&t);
}

/* A picture, if gnuplot is there to draw it. */
static void pictures(void **state)
{
    const double x[] = {0.1, 0.01}, y[] = {1e-2, 1e-4};
    const chart_line line = {.title = EVIL, .x = x, .y = y, .count = 2};
    const chart_panel panel = {.title = EVIL, .abscissa = "h", .ordinate = "error", .log_x = true,
                               .line = &line, .lines = 1};
    const chart c = {.title = EVIL, .subtitle = "", .panel = &panel, .panels = 1};
    char text[200] = "", *picture = NULL;
    size_t size = 0;
    (void)state;
    output o = {0};
    assert_int_equal(output_open(&o, "names.svg", 0, text, sizeof text), 0);
    if (chart_write(&c, &o, text, sizeof text) != 0) {
        print_message("%s: %s\n", __func__, text);
        output_abandon(&o);
        skip();
    }
    output_abandon(&o);
    FILE *file = fopen("names.svg", "r");
    assert_non_null(file);
    assert_true(getdelim(&picture, &size, '\0', file) > 0);
    fclose(file);
    for (char *tab = picture; (tab = strchr(tab, '\t')); tab++) *tab = ' ';
    no_control_in(picture);
    expect_text(picture, "\\x1b[31mb\\nc");
    free(picture);
    remove("names.svg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown), cmocka_unit_test(messages), cmocka_unit_test(problems),
        cmocka_unit_test(option_values), cmocka_unit_test(method_files), cmocka_unit_test(reports),
        cmocka_unit_test(pictures)};
    return cmocka_run_group_tests_name("names with control characters", tests, NULL, NULL);
}
