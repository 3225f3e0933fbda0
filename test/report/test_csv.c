/* test_csv.c -- comma-separated values: header, quoting, digits; and the text tables. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/csv.h"
#include "report/series.h"
#include "report/table.h"

static void header_and_rows(void **state)
{
    (void)state;
    const char *const names[] = {"x", "y"};
    char *text = NULL;
    size_t length = 0, counted;
    FILE *file = open_memstream(&text, &length);
    csv_header(file, names, 2);
    fflush(file);
    counted = length;
    counted += csv_row(file, 0, (const double[]){0.1, -1}, 2);
    counted += csv_row(file, 0.5, (const double[]){0.1 + 0.2, 1e300}, 2);
    fclose(file);
    assert_string_equal(text, "t,x,y\n0,0.1,-1\n0.5,0.30000000000000004,1e+300\n");
    assert_int_equal(counted, length);
    free(text);
}

static void names_are_quoted(void **state)
{
    (void)state;
    const char *const names[] = {"a,b", "say \"x\"", "two\nlines", "plain name"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    csv_header(file, names, 4);
    fclose(file);
    assert_string_equal(text, "t,\"a,b\",\"say \"\"x\"\"\",two\\nlines,plain name\n");
    free(text);
}

/* The longest doubles fit the line that buffers are made for. */
static void longest_line(void **state)
{
    (void)state;
    const double y[3] = {-1.2345678901234567e-308, -NAN, -INFINITY};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_true(csv_row(file, y[0], y, 3) <= csv_longest(3));
    fclose(file);
    free(text);
}

static void series_grow(void **state)
{
    (void)state;
    series s = {.columns = 2};
    for (int i = 0; i < 1000; i++) {
        double *row = series_append(&s);
        assert_non_null(row);
        row[0] = i;
        row[1] = -i;
    }
    assert_int_equal(s.rows, 1000);
    for (int i = 0; i < 1000; i++) assert_true(series_row(&s, i)[1] == -i);
    series_free(&s);
    assert_int_equal(s.rows, 0);
    assert_int_equal(s.columns, 2);
}

static void tables_line_up(void **state)
{
    (void)state;
    table list = {.columns = 3, .align = "lrl", .indent = "  "};
    char *text = NULL;
    size_t length = 0;
    static const char *const cells[] = {"name", "n", "title", "ren\xc3\xa9", "10", "x"};
    for (int i = 0; i < 6; i++) table_cell(&list, "%s", cells[i]);
    FILE *file = open_memstream(&text, &length);
    table_print(&list, file);
    fclose(file);
    assert_string_equal(text, "  name   n  title\n  ren\xc3\xa9  10  x\n");
    free(text);
    table_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_rows), cmocka_unit_test(names_are_quoted),
        cmocka_unit_test(longest_line), cmocka_unit_test(series_grow),
        cmocka_unit_test(tables_line_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
