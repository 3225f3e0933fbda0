/* test_mat.c -- MAT files of version 4, read again by libmatio. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <matio.h>
#include <string.h>
#include <unistd.h>

#include "report/mat.h"

static const char path[] = "test_mat.mat";

static const mat_variable variables[] = {
    {"k", "gain", NULL, -1, 1, 1},               /* a parameter                          */
    {"arm.x", "position", "m", -1, 1, 0},
    {"y", NULL, "m", 3, -1, 0},                  /* minus a variable that follows        */
    {"v", "", "m/s", -1, 1, 0},
    {"gain", NULL, NULL, 0, 1, 1}};
enum { COUNT = sizeof variables / sizeof *variables, POINTS = 3 };

static void fill(series *points)
{
    for (int i = 0; i < POINTS; i++) {
        double *row = series_append(points);
        assert_non_null(row);
        row[0] = 0.5 * i;
        row[1] = row[5] = 7;
        row[2] = 10 + i;
        row[3] = -(20.0 + i);
        row[4] = 20 + i;
    }
}

static matvar_t *read_variable(mat_t *file, const char *name, size_t rows, size_t columns)
{
    matvar_t *v = Mat_VarRead(file, name);
    assert_non_null(v);
    assert_int_equal(v->rank, 2);
    assert_int_equal(v->dims[0], rows);
    assert_int_equal(v->dims[1], columns);
    return v;
}

static double entry(const matvar_t *v, size_t row, size_t column)
{
    const size_t at = row + column * v->dims[0];
    return v->data_type == MAT_T_INT32 ? ((const int32_t *)v->data)[at] : ((const double *)v->data)[at];
}

/* The k-th text of as many columns. */
static void expect_text(const matvar_t *v, size_t k, const char *expected)
{
    const char *text = (const char *)v->data + k * v->dims[0];
    assert_memory_equal(text, expected, strlen(expected));
    for (size_t i = strlen(expected); i < v->dims[0]; i++) assert_int_equal(text[i], ' ');
}

static void written_and_read(void **state)
{
    static const int table[COUNT + 1] = {0, 1, 2, 2, 2, 1}, row[COUNT + 1] = {1, 2, 2, -3, 3, 2};
    series points = {.columns = COUNT + 1};
    FILE *out = fopen(path, "wb");
    (void)state;
    fill(&points);
    assert_int_equal(mat_write(out, variables, COUNT, &points), 0);
    assert_int_equal(fclose(out), 0);
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    assert_int_equal(Mat_GetVersion(file), MAT_FT_MAT4);
    matvar_t *class = read_variable(file, "Aclass", 4, 11), *name = read_variable(file, "name", 5, COUNT + 1);
    matvar_t *about = read_variable(file, "description", 12, COUNT + 1);
    matvar_t *places = read_variable(file, "dataInfo", 4, COUNT + 1);
    matvar_t *fixed = read_variable(file, "data_1", 2, 2), *moving = read_variable(file, "data_2", 3, POINTS);
    assert_memory_equal(class->data, "A1 bt. ir1 n", 12);    /* by columns */
    expect_text(name, 0, "time");
    expect_text(about, 2, "position [m]");
    expect_text(about, 3, "[m]");
    for (int k = 0; k < COUNT; k++) expect_text(name, (size_t)k + 1, variables[k].name);
    for (size_t k = 0; k <= COUNT; k++) {
        assert_true(entry(places, 0, k) == table[k] && entry(places, 1, k) == row[k]);
        assert_true(entry(places, 2, k) == 0 && entry(places, 3, k) == -1);
    }
    assert_true(entry(fixed, 0, 0) == 0 && entry(fixed, 0, 1) == 1 && entry(fixed, 1, 1) == 7);
    for (size_t i = 0; i < POINTS; i++)
        assert_true(entry(moving, 0, i) == 0.5 * (double)i && entry(moving, 1, i) == 10 + (double)i &&
                    entry(moving, 2, i) == 20 + (double)i);
    matvar_t *all[] = {class, name, about, places, fixed, moving};
    for (int k = 0; k < 6; k++) Mat_VarFree(all[k]);
    Mat_Close(file);
    series_free(&points);
    unlink(path);
}

static void no_points_and_no_room(void **state)
{
    series points = {.columns = COUNT + 1};
    FILE *out = fopen(path, "wb"), *full = fopen("/dev/full", "wb");
    (void)state;
    assert_int_equal(mat_write(out, variables, COUNT, &points), 0);
    assert_int_equal(fclose(out), 0);
    unlink(path);
    if (!full) return;
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(mat_write(full, variables, COUNT, &points), -1);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read),
                                       cmocka_unit_test(no_points_and_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
