/* test_output.c -- files that take their place when they are complete. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/output.h"

static char folder[] = "/tmp/keel-output-XXXXXX", name[100], part[110], message[300];

static int prepare(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(name, sizeof name, "%s/a.csv", folder);
    snprintf(part, sizeof part, "%s.part", name);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void expect_text(const char *path, const char *expected)
{
    char text[100];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* With its permissions, and behind a link. */
static void what_was_there_stays_until_then(void **state)
{
    char link[110];
    struct stat known;
    output o;
    (void)state;
    snprintf(link, sizeof link, "%s/link", folder);
    write_text(name, "old");
    assert_int_equal(chmod(name, 0640), 0);
    assert_int_equal(symlink(name, link), 0);
    assert_int_equal(output_open(&o, link, 0, message, sizeof message), 0);
    fputs("new", o.file);
    expect_text(name, "old");
    assert_int_equal(output_finish(&o, false, message, sizeof message), 0);
    expect_text(name, "new");
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(stat(name, &known), 0);
    assert_int_equal(known.st_mode & 07777, 0640);
    assert_int_equal(lstat(link, &known), 0);
    assert_true(S_ISLNK(known.st_mode));
    assert_int_equal(output_open(&o, name, 0, message, sizeof message), 0);
    fputs("worse", o.file);
    output_abandon(&o);
    output_abandon(&o);
    expect_text(name, "new");
    assert_int_equal(access(part, F_OK), -1);
    remove(link);
    remove(name);
}

/* Locks are of processes: the other one holds the part until it is told to end. */
static void one_at_a_time(void **state)
{
    int go[2], held[2], status;
    char byte = 0;
    output o;
    (void)state;
    assert_int_equal(pipe(go) | pipe(held), 0);
    const pid_t child = fork();
    if (child == 0) {
        const int opened = output_open(&o, name, 0, message, sizeof message);
        if (write(held[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1) _exit(1);
        output_abandon(&o);
        _exit(opened ? 1 : 0);
    }
    assert_int_equal(read(held[0], &byte, 1), 1);
    for (int exists = 0; exists < 2; exists++) {
        if (exists) write_text(name, "old");
        assert_int_equal(output_open(&o, name, 0, message, sizeof message), -1);
        assert_non_null(strstr(message, "another process is writing "));
        assert_null(o.file);
    }
    expect_text(name, "old");
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (int k = 0; k < 2; k++) close(go[k]), close(held[k]);
    remove(name);
}

/* Where no part can be made, what exists is written directly, and what does not cannot be. */
static void no_room_for_a_part(void **state)
{
    output o;
    (void)state;
    assert_int_equal(mkdir(part, 0700), 0);
    assert_int_equal(output_open(&o, name, 0, message, sizeof message), -1);
    assert_non_null(strstr(message, "cannot write "));
    write_text(name, "old");
    assert_int_equal(output_open(&o, name, 0, message, sizeof message), 0);
    assert_null(o.part);
    fputs("new", o.file);
    assert_int_equal(output_finish(&o, false, message, sizeof message), 0);
    expect_text(name, "new");
    assert_int_equal(output_open(&o, name, 0, message, sizeof message), 0);
    output_abandon(&o);
    expect_text(name, "");
    remove(part);
    remove(name);
}

static void full_disks(void **state)
{
    output o;
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_int_equal(output_open(&o, "/dev/full", 10, message, sizeof message), 0);
    fputs("line\n", o.file);
    assert_int_equal(output_line(&o, 5), 0);             /* still in the buffer */
    assert_int_equal(output_finish(&o, true, message, sizeof message), -1);
    assert_non_null(strstr(message, "cannot write /dev/full: No space left"));
    assert_null(strstr(message, "what was written"));
    assert_int_equal(output_open(&o, "/dev/full", 10, message, sizeof message), 0);
    int rc = 0, lines = 0;
    for (; lines < 20000 && !rc; lines++) {
        fputs("12345678\n", o.file);
        rc = output_line(&o, 9);
    }
    assert_int_equal(rc, -1);
    assert_in_range(lines, 2, 10000);            /* a flush of 64 KiB or after a second */
    assert_int_equal(output_line(&o, 9), -1);    /* once wrong, wrong for good */
    assert_int_equal(output_finish(&o, true, message, sizeof message), -1);
    assert_non_null(strstr(message, "No space left"));
}

/* The place is taken by a folder meanwhile: the part stays if it is worth it. */
static void the_place_is_gone(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        output o;
        char inside[120];
        assert_int_equal(output_open(&o, name, 0, message, sizeof message), 0);
        fputs("text", o.file);
        assert_int_equal(mkdir(name, 0700), 0);
        snprintf(inside, sizeof inside, "%s/x", name);
        write_text(inside, "");
        assert_int_equal(output_finish(&o, keep, message, sizeof message), -1);
        assert_non_null(strstr(message, "cannot write "));
        assert_int_equal(strstr(message, "what was written is in ") != NULL, keep);
        if (keep) expect_text(part, "text");
        assert_int_equal(access(part, F_OK), keep ? 0 : -1);
        remove(part);
        remove(inside);
        remove(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_there_stays_until_then), cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(no_room_for_a_part), cmocka_unit_test(full_disks),
        cmocka_unit_test(the_place_is_gone),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
