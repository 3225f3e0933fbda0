/* command.h -- running the keel command in a folder of its own and reading what it leaves. */
#ifndef KEEL_TEST_COMMAND_H
#define KEEL_TEST_COMMAND_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-function"     /* not every test needs all of it */
#include "test/cli/json_reader.h"

static char folder[] = "/tmp/keel-test-XXXXXX";
static char *out, *err;          /* what the last command printed */

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    free(out);
    free(err);
    return rmdir(folder);        /* fails when something was left behind */
}

/* ---- running the command and reading what it leaves ---------------------------------------- */

static char *slurp(FILE *file, size_t *length)
{
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t got; (got = fread(text + used, 1, room - used - 1, file)) > 0;) {
        used += got;
        if (room - used < 2) text = realloc(text, room *= 2);
    }
    text[used] = '\0';
    if (length) *length = used;
    return text;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = slurp(file, length);
    fclose(file);
    return text;
}

/* Contents of a file in the folder; NULL if it is not there. */
static char *peek(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_file(path, NULL);
}

/* The same, and the file is then removed. */
static char *take(const char *name, size_t *length)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = read_file(path, length);
    remove(path);
    return text;
}

/* Runs `environment keel arguments` in the folder; returns the exit status. */
static int run_with(const char *environment, const char *arguments)
{
    char line[1000];
    snprintf(line, sizeof line, "cd %s && %s %s %s 2>stderr", folder, environment, KEEL_COMMAND,
             arguments);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    free(out);
    free(err);
    out = slurp(pipe, NULL);
    const int status = pclose(pipe);
    err = take("stderr", NULL);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int run(const char *arguments)
{
    return run_with("", arguments);
}

static void expect_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

/* A usage error: status 2, nothing on standard output, one line that contains `part`. */
static void expect_usage(const char *arguments, const char *part)
{
    assert_int_equal(run(arguments), 2);
    assert_string_equal(out, "");
    expect_contains(err, part);
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

static const char *member(const char *key)
{
    const char *value = json_member(out, key);
    if (!value) fail_msg("no member %s in:\n%s", key, out);
    return value;
}

static double number(const char *object, const char *key)
{
    const char *value = object ? json_member(member(object), key) : member(key);
    assert_non_null(value);
    return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
}

static void expect_member(const char *key, const char *text)
{
    const char *value = member(key);
    if (strncmp(value, text, strlen(text)) != 0) fail_msg("%s is not %s in:\n%s", key, text, out);
}

/* In the folder of the test; valid until the next call. */
static inline char *path_of(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#endif
