/* files.h -- method files written and read by tests.  Before it: `file`, a name of the test's own. */
#ifndef KEEL_TEST_METHOD_FILES_H
#define KEEL_TEST_METHOD_FILES_H

static inline void write_bytes(const char *text, size_t bytes)
{
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

static inline int read_text(keel_method **m, const char *text)
{
    write_bytes(text, strlen(text));
    int rc = keel_method_read(m, file);
    remove(file);
    return rc;
}

/* A field with all its digits; none for NULL. */
static inline void put(FILE *f, const char *name, const double *x, int rows, int columns)
{
    if (!x || rows == 0) return;
    fprintf(f, "%s:\n", name);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            fprintf(f, "%.17g%s", x[i * columns + j], j == columns - 1 ? "\n" : " ");
}

static inline void same(const double *x, const double *y, int count)
{
    assert_int_equal(x != NULL, y != NULL);
    for (int i = 0; x && i < count; i++) assert_true(x[i] == y[i]);
}

#endif
