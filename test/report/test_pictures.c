/* test_pictures.c -- charts, plots and sketches: what is left out, what is said without gnuplot.
 *
 * A program called gnuplot that copies its input stands in for the real one: the picture is then
 * the script, which can be read.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/chart.h"
#include "report/plot.h"
#include "report/sketch.h"

static char folder[] = "/tmp/keel-pictures-XXXXXX", drawn[100], program[100];
static char text[1 << 16], message[300];

static void write_program(const char *script, mode_t mode)
{
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs(script, file);
    fclose(file);
    assert_int_equal(chmod(program, mode), 0);
}

static int prepare(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(drawn, sizeof drawn, "%s/a.svg", folder);
    snprintf(program, sizeof program, "%s/gnuplot", folder);
    char path[200];
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    return setenv("PATH", path, 1);
}

static int clean(void **state)
{
    (void)state;
    remove(drawn);
    remove(program);
    return rmdir(folder);
}

static void read_drawn(void)
{
    FILE *file = fopen(drawn, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
}

static output opened(void)
{
    output o;
    assert_int_equal(output_open(&o, drawn, 0, message, sizeof message), 0);
    return o;
}

static void chart_script(const chart *c)
{
    output o = opened();
    write_program("#!/bin/sh\ncat\n", 0700);
    assert_int_equal(chart_write(c, &o, message, sizeof message), 0);
    read_drawn();
}

static void expect(const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

static void expect_not(const char *part)
{
    if (strstr(text, part)) fail_msg("'%s' is in:\n%s", part, text);
}

/* ---- charts --------------------------------------------------------------------------------- */

/* Points that no logarithmic axis has leave gaps, which are empty lines. */
static void gaps(void **state)
{
    static const double x[] = {1, 2, -4, INFINITY, 16, 32}, y[] = {1, 0, 3, 4, NAN, 6};
    const chart_line line = {"it's", 6, x, y};
    const chart_slope slope = {0, 2};
    chart_panel panel = {"panel", "h", "error", true, 1, 1, &line, &slope};
    const chart c = {"title", "subtitle", false, 1, &panel};
    (void)state;
    chart_script(&c);
    expect("$line_0_0 << EOD\n1 1\n\n\n\n\n32 6\nEOD\n");
    expect("title 'it''s'");
    expect("$slope_0_0 << EOD\n1 0.00234375\n32 2.4\nEOD\n");    /* 0.4 * 6 * (1 / 32)^2 */
    panel.log_x = false;
    chart_script(&c);
    expect("$line_0_0 << EOD\n1 1\n\n-4 3\n\n\n32 6\nEOD\n");
    expect("unset logscale x");
}

static void nothing_to_see(void **state)
{
    static const double x[] = {1, 2}, none[] = {NAN, -1}, one[] = {NAN, 10};
    chart_line line = {"line", 2, x, none};
    const chart_slope slope = {0, 2};
    const chart_panel panel = {"panel", "h", "error", true, 1, 1, &line, &slope};
    const chart c = {"title", "subtitle", true, 1, &panel};
    (void)state;
    chart_script(&c);
    expect("plot NaN with linespoints");
    expect_not("$slope");
    line.y = one;                                /* a slope takes two points */
    chart_script(&c);
    expect("plot $line_0_0 with linespoints");
    expect_not("$slope");
}

/* One decade at least, also where all values are the same power of ten; more lines than colours. */
static void ranges(void **state)
{
    static const double x[] = {1, 2}, y[] = {10, 10};
    chart_line line[GNUPLOT_COLOURS + 1];
    for (int k = 0; k <= GNUPLOT_COLOURS; k++) line[k] = (chart_line){"line", 2, x, y};
    const chart_panel panel = {"panel", "h", "error", true, GNUPLOT_COLOURS + 1, 0, line, NULL};
    const chart c = {"title", "subtitle", false, 1, &panel};
    (void)state;
    chart_script(&c);
    expect("set yrange [1e1:1e2]");
    expect("pt 7 ");
    expect("pt 5 ");
}

/* ---- plots ----------------------------------------------------------------------------------- */

static series table_of(int columns, long rows, double *values)
{
    return (series){.columns = columns, .rows = rows, .capacity = rows, .values = values};
}

static void plot_script(const plot *p)
{
    output o = opened();
    write_program("#!/bin/sh\ncat\n", 0700);
    assert_int_equal(plot_write(p, &o, message, sizeof message), 0);
    read_drawn();
}

static void plots(void **state)
{
    double motion[] = {1, 5, 2, 6, 3, 7}, found[] = {1, 1e-9, -1, 2, INFINITY, -1, 3, 0, -1};
    double free_run[] = {1, 1e-3, -1, 2, 1e-2, -1};
    const series trajectories = table_of(2, 3, motion), residuals = table_of(3, 3, found);
    const series unprojected = table_of(3, 2, free_run);
    const char *const names[] = {"x"}, *const levels[] = {"position", "velocity"};
    plot p = {.title = "title", .subtitle = "subtitle", .ordinate = "x", .names = names,
              .trajectories = &trajectories, .level_names = levels, .t_start = 1};
    (void)state;
    plot_script(&p);
    expect("$trajectories << EOD\n1 5 \n2 6 \n3 7 \nEOD\n");
    expect_not("constraint residual");
    p.residuals = &residuals;
    plot_script(&p);
    expect("title 'position'");
    expect("$residuals << EOD\n1 1.000e-09 nan\n2 inf nan\n3 1.000e-17 nan\nEOD\n");
    expect("set ylabel 'constraint residual'");
    p.residual = "deviation";
    plot_script(&p);
    expect("set ylabel 'deviation'");
    expect_not("title 'velocity'");              /* nowhere measured */
    expect_not("not projected");
    p.unprojected = &unprojected;
    plot_script(&p);
    expect("title 'not projected'");
    p.residuals = NULL;
    plot_script(&p);
    expect("$unprojected using 1:2");
    expect_not("$residuals");
}

/* Time since the start, forward and backward; the start itself has no logarithm. */
static void logarithmic_time(void **state)
{
    double ahead[] = {2, 5, 3, 6}, back[] = {2, 5, 1, 6}, zero[] = {0, 5, -1, 6};
    series trajectories = table_of(2, 2, ahead);
    const char *const names[] = {"x"};
    plot p = {.title = "title", .subtitle = "subtitle", .ordinate = "x", .names = names,
              .trajectories = &trajectories, .log_time = true, .t_start = 2};
    (void)state;
    plot_script(&p);
    expect("set xlabel 't - 2'");
    trajectories.values = back;
    plot_script(&p);
    expect("set xlabel '2 - t'");
    trajectories.values = zero;
    p.t_start = 0;
    plot_script(&p);
    expect("set xlabel '-t'");
    trajectories.rows = 0;
    output o = opened();
    assert_int_equal(plot_write(&p, &o, message, sizeof message), -1);
    assert_string_equal(message, "there is nothing to draw");
}

/* Here and there is every third row, for a part of the time a third of all in a row. */
static void levels_measured(void **state)
{
    double motion[] = {0, 5, 30, 6}, found[3 * 30];
    for (int i = 0; i < 30; i++) {
        found[3 * i] = i;
        found[3 * i + 1] = i % 3 ? -1 : 1e-9;
        found[3 * i + 2] = i < 20 ? -1 : 1e-9;
    }
    const series trajectories = table_of(2, 2, motion), residuals = table_of(3, 30, found);
    const char *const names[] = {"x"}, *const levels[] = {"position", "velocity"};
    const plot p = {.title = "title", .subtitle = "subtitle", .ordinate = "x", .names = names,
                    .trajectories = &trajectories, .residuals = &residuals, .level_names = levels};
    (void)state;
    plot_script(&p);
    expect_not("title 'position'");
    expect("title 'velocity'");
    expect("\n19 nan nan\n20 nan 1.000e-09\n");
}

/* Nothing connects both sides of a jump; unknowns that are NAN all the time have their entry in the
 * legend all the same. */
static void jumps(void **state)
{
    double motion[] = {0, 5, NAN, 1, 6, NAN, 1, -6, NAN, 2, -5, NAN};
    const series trajectories = table_of(3, 4, motion);
    const char *const names[] = {"x", "l"};
    const plot p = {.title = "title", .subtitle = "subtitle", .ordinate = "x", .names = names,
                    .trajectories = &trajectories};
    (void)state;
    plot_script(&p);
    expect("$trajectories << EOD\n0 5 nan \n1 6 nan \n\n1 -6 nan \n2 -5 nan \nEOD\n");
    expect("plot $trajectories using 1:2 with lines");
    expect("NaN with lines lw 2 dt 1 lc rgb '#D55E00' title 'l'");
}

enum { MANY = 500 };
static const char *mark_name[MANY];
static double mark_time[MANY];

static long occurrences(const char *part)
{
    long count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) count++;
    return count;
}

/* Few events are lines with names, of which one that would cover another is left out; more are
 * lines; many are ticks, one for those within a pixel. */
static void marks(void **state)
{
    double motion[] = {0, 5, 10, 6}, found[] = {0, 1e-9, 10, 1e-9};
    const series trajectories = table_of(2, 2, motion), residuals = table_of(2, 2, found);
    const char *const names[] = {"x"}, *const levels[] = {"position"};
    plot p = {.title = "title", .subtitle = "subtitle", .ordinate = "x", .names = names,
              .trajectories = &trajectories, .residuals = &residuals, .level_names = levels,
              .events = {3, mark_time, mark_name}};
    (void)state;
    for (int i = 0; i < MANY; i++) {
        mark_name[i] = i ? "bounce" : "it's";
        mark_time[i] = 0.02 * i;
    }
    mark_time[1] = 5, mark_time[2] = 5.05;
    plot_script(&p);
    expect("set arrow from first 5, graph 0 to first 5, graph 1 nohead");
    expect("'it''s' at first 0,");
    assert_int_equal(occurrences("set arrow"), 3);
    assert_int_equal(occurrences("\nset label 100"), 2);       /* 5.05 is too close to 5 */
    assert_int_equal(occurrences("unset label 100"), 3);     /* before the lower panel */
    p.events.count = 40;
    mark_time[1] = 0.02, mark_time[2] = 0.04;
    plot_script(&p);
    assert_int_equal(occurrences("graph 1 nohead"), 40);
    expect_not("label 1000");
    p.events.count = MANY;
    for (int i = 0; i < MANY; i++) mark_time[i] = 0.004 * (i + 1);
    plot_script(&p);
    expect("graph 0.025 nohead");
    const long ticks = occurrences("set arrow");
    assert_true(ticks >= 150 && ticks <= 201);   /* 2 of 10 units of time, 1000 pixels to a width */
    p.events = (plot_marks){1, (const double[]){11}, mark_name};
    plot_script(&p);
    expect_not("set arrow");                     /* outside */
    p.events = (plot_marks){1, (const double[]){0}, mark_name};
    p.log_time = true;
    motion[0] = 0.1;
    plot_script(&p);
    expect_not("set arrow");                     /* has no logarithm */
}

/* ---- gnuplot that cannot --------------------------------------------------------------------- */

static void failures(void **state)
{
    static const double x[] = {1, 2}, y[] = {1, 10};
    const chart_line line = {"line", 2, x, y};
    const chart_panel panel = {"panel", "h", "error", true, 1, 0, &line, NULL};
    const chart c = {"title", "subtitle", false, 1, &panel};
    static const struct { const char *script; mode_t mode; const char *said; } cases[] = {
        {"#!/bin/sh\nexit 3\n", 0700, "gnuplot failed"},
        {"#!/bin/sh\nkill -9 $$\n", 0700, "gnuplot failed"}};
    char path[100];
    (void)state;
    remove(drawn);
    snprintf(path, sizeof path, "%s", folder);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        output o = opened();
        write_program(cases[k].script, cases[k].mode);
        assert_int_equal(chart_write(&c, &o, message, sizeof message), -1);
        if (!strstr(message, cases[k].said)) fail_msg("case %zu: %s", k, message);
        assert_int_equal(access(drawn, F_OK), -1);
    }
    char *kept = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
    write_program("", 0600);                     /* no program, and nowhere else to look */
    output o = opened();
    assert_int_equal(chart_write(&c, &o, message, sizeof message), -1);
    assert_non_null(strstr(message, "cannot run gnuplot: "));
    remove(program);
    o = opened();
    assert_int_equal(chart_write(&c, &o, message, sizeof message), -1);
    assert_non_null(strstr(message, "install the package gnuplot-nox"));
    setenv("PATH", kept, 1);
    free(kept);
    assert_int_equal(access(drawn, F_OK), -1);
}

/* ---- sketches -------------------------------------------------------------------------------- */

static void sketch_text(const char *title, const sketch_stroke *strokes, long count)
{
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    sketch_write(file, title, strokes, count);
    fclose(file);
}

static void sketches(void **state)
{
    const sketch_stroke strokes[] = {
        {0, 0, 0, 1, 0, 0}, {1, 0, 0, 0, 1, 0}, {1, 1, 1, 0, 0, 0.5}, {1, NAN, 0, 0, 0, 0},
        {1, 0, INFINITY, 0, 0, 0}, {1, 0, 0, NAN, 0, 0}, {1, 0, 0, 0, NAN, 0},
        {1, 0, 0, 0, 0, NAN}};
    (void)state;
    sketch_text("a < b & c > d\n", strokes, 8);
    expect("a &lt; b &amp; c &gt; d </text>");
    expect("viewBox=\"0 0 880 920\"");           /* [0, 1.5]^2, 800 pixels, margins and title */
    expect("<circle cx=\"573.33\" cy=\"346.67\" r=\"266.67\"");
    expect("stroke-opacity=\"0.12\"");
    expect_not("nan");
    expect_not("inf");
    sketch_text("nothing", NULL, 0);
    expect("viewBox=\"0 0 880 920\"");
    sketch_text("one", strokes, 1);
    expect("stroke-opacity=\"1.00\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps), cmocka_unit_test(nothing_to_see), cmocka_unit_test(ranges),
        cmocka_unit_test(plots), cmocka_unit_test(logarithmic_time), cmocka_unit_test(levels_measured),
        cmocka_unit_test(jumps),
        cmocka_unit_test(marks), cmocka_unit_test(failures),
        cmocka_unit_test(sketches),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
