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
#include "report/table.h"

static char *csv_text(const series *points, const char *const *names)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_int_equal(csv_write(file, points, names), 0);
    fclose(file);
    return text;
}

static void header_and_rows(void **state)
{
    (void)state;
    const char *const names[] = {"x", "y"};
    series s = {.columns = 3};
    memcpy(series_append(&s), (const double[]){0, 0.1, -1}, 3 * sizeof(double));
    memcpy(series_append(&s), (const double[]){0.5, 0.1 + 0.2, 1e300}, 3 * sizeof(double));
    char *text = csv_text(&s, names);
    assert_string_equal(text, "t,x,y\n0,0.1,-1\n0.5,0.30000000000000004,1e+300\n");
    free(text);
    series_free(&s);
}

static void names_are_quoted(void **state)
{
    (void)state;
    const char *const names[] = {"a,b", "say \"x\"", "two\nlines", "plain name"};
    const series s = {.columns = 5};
    char *text = csv_text(&s, names);
    assert_string_equal(text, "t,\"a,b\",\"say \"\"x\"\"\",two\\nlines,plain name\n");
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

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    const char *const names[] = {"x"};
    series s = {.columns = 2};
    for (int i = 0; i < 10000; i++) memset(series_append(&s), 0, 2 * sizeof(double));
    FILE *full = fopen("/dev/full", "w");
    if (!full) skip();
    assert_int_equal(csv_write(full, &s, names), -1);
    fclose(full);
    series_free(&s);
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
        cmocka_unit_test(series_grow), cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(tables_line_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
