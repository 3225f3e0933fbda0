/* test_command_memory.c -- memory runs out in the keel command, at any call: it says so, or
 * ends and prints as with enough memory. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/verbs.h"
#include "test/fault/memory.h"

enum { WORDS_MOST = 20, ALL_UP_TO = 60, FURTHER = 30, TEXT_MOST = 1 << 17 };

typedef struct life {
    int code;
    char out[TEXT_MOST], err[TEXT_MOST];
} life;

static life whole, broken;
static FILE *files[2];

static int make_files(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        if (!(files[k] = tmpfile())) return -1;
    return 0;
}

static int close_files(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) fclose(files[k]);
    return 0;
}

static void read_all(int descriptor, char *text)
{
    ssize_t got = 0;
    size_t used = 0;
    lseek(descriptor, 0, SEEK_SET);
    while ((got = read(descriptor, text + used, TEXT_MOST - 1 - used)) > 0) used += (size_t)got;
    text[used] = '\0';
}

/* Runs a verb whose k-th allocation fails, alone or with all that follow; returns how many
 * there were. */
static long live(int (*verb)(int, char **), const char *arguments, long k, int on, life *l)
{
    char room[300], *word[WORDS_MOST + 1];
    int count = 0, kept[2];
    snprintf(room, sizeof room, "%s", arguments);
    for (char *at = strtok(room, " "); at && count < WORDS_MOST; at = strtok(NULL, " "))
        word[count++] = at;
    word[count] = NULL;
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ftruncate(fileno(files[i]), 0), 0);
        lseek(fileno(files[i]), 0, SEEK_SET);
        kept[i] = dup(i + 1);
        dup2(fileno(files[i]), i + 1);
    }
    memory_watch(k, on);
    l->code = verb(count, word);
    fflush(stdout);
    fflush(stderr);
    const long calls = memory_leave();
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], i + 1);
        close(kept[i]);
        read_all(fileno(files[i]), i ? l->err : l->out);
    }
    return calls;
}

/* What was printed is equal but for times and counts of processors, which no two runs share. */
static int equal_but_for_numbers(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalpha((unsigned char)*a)) a++;
        while (*b && !isalpha((unsigned char)*b)) b++;
        if (*a != *b) return 0;
        if (!*a) return 1;
    }
}

static void every_life(int (*verb)(int, char **), const char *arguments, int code, int stable)
{
    live(verb, arguments, 0, 0, &whole);         /* what the C library allocates once */
    const long calls = live(verb, arguments, 0, 0, &whole);
    if (whole.code != code) fail_msg("%s: status %d, %s", arguments, whole.code, whole.err);
    assert_true(calls > 0);
    const long stride = calls > ALL_UP_TO ? 1 + (calls - ALL_UP_TO) / FURTHER : 1;
    for (long k = 1; k <= calls; k += k < ALL_UP_TO ? 1 : stride)
        for (int on = 0; on < 2; on++) {
            live(verb, arguments, k, on, &broken);
            if (strstr(broken.err, "memory") || strstr(broken.out, "memory")) continue;
            if (broken.code != code)
                fail_msg("%s, call %ld (%d): status %d, %s%s", arguments, k, on, broken.code,
                         broken.err, broken.out);
            if (stable && !equal_but_for_numbers(broken.out, whole.out))
                fail_msg("%s, call %ld (%d): printed\n%s", arguments, k, on, broken.out);
        }
}

static void needs_failing_memory(void)
{
    if (MEMORY_CAN_FAIL) return;
    print_message("malloc cannot be replaced here\n");
    skip();
}

static void lists(void **state)
{
    (void)state;
    needs_failing_memory();
    every_life(problems_command, "pendulum", EXIT_DONE, 1);
    every_life(problems_command, "pendulum --json", EXIT_DONE, 1);
    every_life(problems_command, "--json", EXIT_DONE, 1);
    every_life(method_command, "radau-iia-3", EXIT_DONE, 1);
    every_life(method_command, "bdf-3 --json", EXIT_DONE, 1);
}

static void runs(void **state)
{
    (void)state;
    needs_failing_memory();
    every_life(run_command, "pendulum --t-end 0.1", EXIT_DONE, 0);
    every_life(run_command, "pendulum --t-end 0.1 --formulation ggl --json", EXIT_DONE, 0);
    every_life(run_command, "pendulum-energy --t-end 0.1 --param gravity=9", EXIT_DONE, 0);
    every_life(check_command, "pendulum", EXIT_DONE, 1);
}

static void studies(void **state)
{
    (void)state;
    needs_failing_memory();
    every_life(converge_command, "order-ode --method rk4 --halvings 1 --step 0.1", EXIT_DONE, 0);
    every_life(converge_command, "pendulum --t-end 0.2 --halvings 1 --step 0.1 --json",
               EXIT_DONE, 0);
    every_life(manifold_command, "order-index3 --t-end 0.4 --step 0.2 --halvings 1", EXIT_DONE, 1);
    every_life(compare_command, "pendulum --t-end 0.1 --methods dopri5,radau-iia --rtol 1e-3,1e-4",
               EXIT_DONE, 0);
}

static void wrong_names(void **state)
{
    (void)state;
    needs_failing_memory();
    every_life(run_command, "pendulun", EXIT_USAGE, 1);
    every_life(run_command, "pendulum --method rk5", EXIT_USAGE, 1);
    every_life(run_command, "pendulum --formulation gll", EXIT_USAGE, 1);
    every_life(run_command, "pendulum --rtool 1", EXIT_USAGE, 1);
    every_life(run_command, "pendulum --param h=1", EXIT_USAGE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists), cmocka_unit_test(runs), cmocka_unit_test(studies),
        cmocka_unit_test(wrong_names),
    };
    return cmocka_run_group_tests(tests, make_files, close_files);
}
