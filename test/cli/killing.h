/* killing.h -- `keel run` killed at random moments and resumed, compared with a run that was not. */
#ifndef KEEL_TEST_KILLING_H
#define KEEL_TEST_KILLING_H

#include <signal.h>
#include <time.h>

#include "test/cli/command.h"

typedef struct results { char *json, *points; } results;

/* One of each class of method; sparse ones, and `auto` across its change. */
static const char *const classes[] = {
    "pendulum --method dopri5 --rtol 1e-8",
    "kepler --method verner8 --rtol 1e-10",
    "pendulum --method hem-5 --rtol 1e-8",
    "order-index1 --method esdirk-4 --rtol 1e-8",
    "andrews --method radau-iia --rtol 1e-9",
    "order-index2 --method radau-iia --rtol 1e-9",
    "order-index2 --method gauss-3 --rtol 1e-9",
    "car-axis --method bdf",
    "chemical-akzo-nobel --method dimsim",
    "van-der-pol --method auto",
    "two-bit-adder --method radau-iia --t-end 30",
    "two-bit-adder --method bdf --t-end 30",
    "pendulum-levelled --method radau-iia",
    "order-index3 --method radau-iia --formulation ggl",
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* Without the time that it took, which comes last. */
static char *without_time(const char *text)
{
    char *copy = strdup(text), *at = strstr(copy, "\"cpu_seconds\"");
    assert_non_null(at);
    *at = 0;
    return copy;
}

static results collect(const char *arguments)
{
    if (run(arguments) != 0) fail_msg("keel %s: %s", arguments, err);
    return (results){without_time(out), take("points.csv", NULL)};
}

static void release(results *r)
{
    free(r->json);
    free(r->points);
}

/* The process that is started; the shell becomes the command. */
static pid_t launch(const char *arguments)
{
    char line[1000];
    snprintf(line, sizeof line, "cd %s && exec %s %s >/dev/null 2>&1", folder, KEEL_COMMAND,
             arguments);
    pid_t process = fork();
    if (process == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    assert_true(process > 0);
    return process;
}

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_for(double seconds)
{
    struct timespec delay = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&delay, NULL);
}

/* So long after it began or, with a file, after that appeared. */
static void kill_after(const char *arguments, const char *file, double seconds)
{
    const pid_t process = launch(arguments);
    int ended = 0;
    while (file && !ended && access(file, R_OK) != 0) {
        wait_for(1e-4);
        ended = waitpid(process, NULL, WNOHANG) == process;
    }
    if (ended) return;
    wait_for(seconds);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* In memory where there is such a directory: a disk that others use makes moments long. */
static const char *kept_in(void)
{
    static char path[100];
    const char *directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : folder;
    snprintf(path, sizeof path, "%s/keel_killed_%ld", directory, (long)getpid());
    return path;
}

/* Kills `count` runs of a class, each at another moment; returns how many left a checkpoint. */
static inline int kill_and_resume(const char *class, int count)
{
    char plain[300], saving[450], resuming[600], part[120];
    const char *file = kept_in();
    int resumed = 0;
    snprintf(plain, sizeof plain, "run %s --json --points 60 --output points.csv", class);
    snprintf(saving, sizeof saving, "%s --checkpoint %s --every 0", plain, file);
    snprintf(resuming, sizeof resuming, "%s --resume %s", saving, file);
    snprintf(part, sizeof part, "%s.part", file);
    results expected = collect(plain);
    double begin = wall_clock();
    results saved = collect(saving);
    double duration = wall_clock() - begin;
    assert_string_equal(expected.json, saved.json);
    assert_string_equal(expected.points, saved.points);
    for (int k = 0; k < count; k++) {
        remove(file);
        kill_after(saving, k % 4 ? file : NULL, duration * rand() / RAND_MAX);
        if (access(file, R_OK) != 0) continue;
        results again = collect(resuming);
        assert_string_equal(expected.json, again.json);
        assert_string_equal(expected.points, again.points);
        release(&again);
        resumed++;
    }
    remove(file);
    remove(part);
    remove(path_of("points.csv.part"));
    release(&expected);
    release(&saved);
    return resumed;
}

#endif
