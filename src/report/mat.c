/* mat.c -- MAT files of version 4: see mat.h.
 *
 * A matrix is a header of five 32-bit integers, its name with a final 0, and its entries by columns.
 * The first integer is 1000 M + 100 O + 10 P + T: M the byte order (0: least byte first), O 0, P the
 * precision (0: double, 2: 32-bit integers, 5: bytes), T 1 for texts ["MAT-File Format", The MathWorks].
 */
#include "report/mat.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum precision { DOUBLES = 0, INTEGERS = 20, TEXTS = 51 } precision;

static int is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

static void put_header(FILE *file, const char *name, precision kind, long rows, long columns)
{
    const int32_t header[5] = {(int32_t)kind + (is_big_endian() ? 1000 : 0), (int32_t)rows,
                               (int32_t)columns, 0, (int32_t)strlen(name) + 1};
    fwrite(header, sizeof *header, 5, file);
    fwrite(name, 1, strlen(name) + 1, file);
}

/* Texts of equal length, one after the other. */
static void put_text(FILE *file, const char *text, size_t length)
{
    const size_t known = strlen(text);
    fwrite(text, 1, known < length ? known : length, file);
    for (size_t k = known; k < length; k++) fputc(' ', file);
}

/* Four rows by columns: the first letters, then the second ones. */
static void put_class(FILE *file)
{
    static const char *const lines[4] = {"Atrajectory", "1.1", "", "binTrans"};
    enum { LENGTH = 11 };
    put_header(file, "Aclass", TEXTS, 4, LENGTH);
    for (size_t k = 0; k < LENGTH; k++)
        for (int i = 0; i < 4; i++) fputc(k < strlen(lines[i]) ? lines[i][k] : ' ', file);
}

/* "comment [unit]", as long as it is; NULL only measures. */
static size_t describe(const mat_variable *v, char *text)
{
    const char *comment = v->comment ? v->comment : "", *unit = v->unit ? v->unit : "";
    size_t length = strlen(comment) + (*unit ? strlen(unit) + 2 + (*comment != 0) : 0);
    if (text)
        snprintf(text, length + 1, "%s%s%s%s%s", comment, *comment && *unit ? " " : "", *unit ? "[" : "",
                 unit, *unit ? "]" : "");
    return length;
}

static int put_texts(FILE *file, const mat_variable *variable, int count)
{
    size_t names = 4, longest = 1;
    for (int i = 0; i < count; i++) {
        const size_t name = strlen(variable[i].name), about = describe(&variable[i], NULL);
        if (name > names) names = name;
        if (about > longest) longest = about;
    }
    const char time_text[] = "Time [s]";
    if (longest < sizeof time_text) longest = sizeof time_text;
    char *text = malloc(longest + 1);
    if (!text) return errno = ENOMEM, -1;
    put_header(file, "name", TEXTS, (long)names, count + 1L);
    put_text(file, "time", names);
    for (int i = 0; i < count; i++) put_text(file, variable[i].name, names);
    put_header(file, "description", TEXTS, (long)longest, count + 1L);
    put_text(file, time_text, longest);
    for (int i = 0; i < count; i++) {
        describe(&variable[i], text);
        put_text(file, text, longest);
    }
    free(text);
    return 0;
}

/* Where the values of each variable are: numbers of rows, from 2 on behind time; those of others are 0. */
static void count_rows(const mat_variable *variable, int count, int *row, int rows[2])
{
    rows[0] = rows[1] = 1;
    for (int i = 0; i < count; i++)
        row[i] = variable[i].same_as < 0 ? ++rows[!variable[i].constant] : 0;
}

static void put_places(FILE *file, const mat_variable *variable, int count, const int *row)
{
    const int32_t time_place[4] = {0, 1, 0, -1};
    put_header(file, "dataInfo", INTEGERS, 4, count + 1L);
    fwrite(time_place, sizeof *time_place, 4, file);
    for (int i = 0; i < count; i++) {
        const int own = variable[i].same_as < 0, of = own ? i : variable[i].same_as;
        const int32_t place[4] = {variable[of].constant ? 1 : 2,
                                  own || variable[i].sign > 0 ? row[of] : -row[of], 0, -1};
        fwrite(place, sizeof *place, 4, file);
    }
}

/* The column of a point, of those variables that change, or do not. */
static void put_column(FILE *file, const mat_variable *variable, int count, const double *point,
                       int constant)
{
    fwrite(point, sizeof *point, 1, file);
    for (int i = 0; i < count; i++)
        if (variable[i].same_as < 0 && !variable[i].constant == !constant)
            fwrite(point + i + 1, sizeof *point, 1, file);
}

int mat_write(FILE *file, const mat_variable *variable, int count, const series *points)
{
    int rows[2], *row = malloc(((size_t)count + 1) * sizeof *row);
    if (!row) return errno = ENOMEM, -1;
    count_rows(variable, count, row, rows);
    errno = 0;
    put_class(file);
    int failed = put_texts(file, variable, count);
    put_places(file, variable, count, row);
    put_header(file, "data_1", DOUBLES, rows[0], points->rows > 0 ? 2 : 0);
    for (int end = 0; end < 2 && points->rows > 0; end++)
        put_column(file, variable, count, series_row(points, end ? points->rows - 1 : 0), 1);
    put_header(file, "data_2", DOUBLES, rows[1], points->rows);
    for (long k = 0; k < points->rows; k++) put_column(file, variable, count, series_row(points, k), 0);
    free(row);
    return failed || ferror(file) ? -1 : 0;
}
