/* chain.c -- what a link of the chain costs, and whether it is right: CPU time per link, energy, and
 * residuals for chains of growing length.
 *
 *   chain [-m METHOD] [-r TOLERANCE] [-t END] [LINKS ...]       auto, 1e-6, 1; 50 200 800 2000
 *
 * CPU times scatter: the least of three runs counts, and what says something is the ratio of two rows
 * of the last column.  energy: the largest |E - E(0)| of all accepted steps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems/chain.h"
#include "problems/list.h"

enum { RUNS = 3 };

typedef struct figures {
    int rc;
    double seconds, energy, residual[3];
    keel_stats stats;
    char message[400];
} figures;

static void follow(keel_solver *s, const double *parameters, double end, figures *f)
{
    const int n = (int)parameters[0];
    const double start = chain_energy(parameters, keel_state(s), keel_state(s) + 2 * n);
    f->rc = keel_set_stop_time(s, end);
    while (keel_time(s) < end && !f->rc) {
        f->rc = keel_step(s);
        const double *y = keel_state(s);
        f->energy = fmax(f->energy, fabs(chain_energy(parameters, y, y + 2 * n) - start));
    }
}

static figures run(int links, const char *method, double tolerance, double end)
{
    const double parameters[] = {links, 0.5};
    figures f = {.rc = KEEL_NO_MEMORY};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double *y = malloc(5 * (size_t)links * sizeof *y);
    const clock_t begin = clock();
    if (y) f.rc = problem_chain.create(&p, parameters);
    if (!f.rc) problem_chain.start(parameters, y);
    if (!f.rc)
        f.rc = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = tolerance,
                                                         .atol = tolerance});
    if (!f.rc) f.rc = keel_start(s, 0, y);
    if (!f.rc) follow(s, parameters, end, &f);
    f.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (s) {
        f.stats = *keel_solver_stats(s);
        snprintf(f.message, sizeof f.message, "%s", keel_message(s));
        memcpy(f.residual, f.stats.residual, sizeof f.residual);
    }
    keel_solver_free(s);
    keel_problem_free(p);
    free(y);
    return f;
}

static int report(int links, const char *method, double tolerance, double end)
{
    figures f = run(links, method, tolerance, end);
    for (int k = 1; k < RUNS && !f.rc; k++)
        f.seconds = fmin(f.seconds, run(links, method, tolerance, end).seconds);
    const long steps = f.stats.steps, rejected = f.stats.rejected_error + f.stats.rejected_newton;
    printf("%6d %6ld %5ld %9.2e %9.2e %9.2e %9.2e %9.3f %9.3f\n", links, steps, rejected, f.energy,
           f.residual[0], f.residual[1], f.residual[2],
           1e6 * f.seconds / links / (double)(steps + !steps), 1e3 * f.seconds / links);
    if (f.rc) printf("       %s: %s\n", keel_status_text(f.rc), f.message);
    fflush(stdout);
    return f.rc != KEEL_OK;
}

int main(int count, char **arguments)
{
    static const int usual[] = {50, 200, 800, 2000};
    const char *method = "auto";
    double tolerance = 1e-6, end = 1;
    int at = 1, failed = 0;
    for (; at + 1 < count && arguments[at][0] == '-'; at += 2) {
        const char *value = arguments[at + 1];
        if (strcmp(arguments[at], "-m") == 0) method = value;
        else if (strcmp(arguments[at], "-r") == 0) tolerance = atof(value);
        else if (strcmp(arguments[at], "-t") == 0) end = atof(value);
        else break;
    }
    if (at < count && arguments[at][0] == '-') {
        fprintf(stderr, "usage: chain [-m METHOD] [-r TOLERANCE] [-t END] [LINKS ...]\n");
        return 2;
    }
    printf("chain to t = %g with %s at rtol = atol = %g\n", end, method, tolerance);
    printf("%6s %6s %5s %9s %9s %9s %9s %9s %9s\n", "links", "steps", "lost", "energy", "position",
           "velocity", "hidden", "us/step", "ms");
    for (int k = 0; k < 4 && at == count; k++) failed |= report(usual[k], method, tolerance, end);
    for (; at < count; at++) failed |= report(atoi(arguments[at]), method, tolerance, end);
    return failed;
}
