/* boundary_large.c -- 20 differential and 20 algebraic unknowns on 100 to 100000 intervals; then many
 * unknowns on 12 intervals, with 6 stages, by dense and by sparse factors.
 *
 *   boundary_large [STAGES [N ...]]    default: 4 stages, N = 100, 1000, 10000, 100000
 *   boundary_large standard STAGES N ...   by the standard limit alone, for counting instructions
 *   boundary_large sparse UNKNOWNS ... the second part alone
 *
 * By the standard limit, which keeps the matrices of few intervals and means of many; up to 10000 also
 * without room for any, made anew.  Prints processor time per interval and the largest memory of the process
 * so far: smaller meshes come first, so that it belongs to the line that it is on.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "test/boundary/ladder.h"

static double high_water(void)
{
    char line[200];
    long kB = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &kB) == 1) break;
    if (file) fclose(file);
    return 1e-6 * 1.024 * (double)kB;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(int stages, int N, double memory, const char *name)
{
    ladder d = {.pairs = 20, .to = 0.01 * N};
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    int rc = ladder_problem(&p, &d, 0, 1);
    keel_boundary_spec spec = ladder_boundary(p, &d);
    double begin = now();
    if (!rc)
        rc = keel_boundary_create(&w, &spec, &(keel_boundary_options){
            .rtol = 1e-6, .atol = 1e-6, .stages = stages, .mesh = N, .uniform = N, .memory = memory});
    if (!rc) rc = keel_boundary_solve(w);
    double each = 1e6 * (now() - begin) / N;
    if (rc) printf("%8d  %-8s %s\n", N, name, keel_boundary_message(w));
    else
        printf("%8d  %-8s %10.1f %10.2f %12.1e %8ld\n", N, name, each, high_water(),
               ladder_error(&d, keel_boundary_solution(w), 1000),
               keel_boundary_statistics(w)->factorizations);
    fflush(stdout);
    keel_boundary_free(w);
    keel_problem_free(p);
    ladder_free(&d);
    return rc;
}

/* The same solution both ways. */
static int compare(int unknowns)
{
    double seconds[2] = {0}, error[2] = {0};
    int rc = 0;
    for (int dense = 0; dense < 2 && !rc; dense++) {
        ladder d = {.pairs = unknowns / 2, .to = 1};
        keel_problem *p = NULL;
        keel_boundary *w = NULL;
        rc = ladder_problem(&p, &d, 1, 1);
        keel_boundary_spec spec = ladder_boundary(p, &d);
        double begin = now();
        if (!rc)
            rc = keel_boundary_create(&w, &spec, &(keel_boundary_options){
                .rtol = 1e-6, .atol = 1e-6, .stages = 6, .mesh = 12, .uniform = 12, .dense = dense});
        if (!rc) rc = keel_boundary_solve(w);
        seconds[dense] = now() - begin;
        if (rc) printf("%8d  %s\n", unknowns, keel_boundary_message(w));
        else error[dense] = ladder_error(&d, keel_boundary_solution(w), 12);
        keel_boundary_free(w);
        keel_problem_free(p);
        ladder_free(&d);
    }
    if (!rc)
        printf("%8d %10.3f %10.3f %12.1e %12.1e\n", unknowns, seconds[1], seconds[0], error[1], error[0]);
    fflush(stdout);
    return rc;
}

static int compare_all(int count, char **unknowns)
{
    static const int standard[] = {50, 100, 200, 400, 800};
    int rc = 0;
    printf("12 intervals, 6 stages\nunknowns   dense s   sparse s        error        error\n");
    for (int i = 0; i < (count ? count : 5); i++)
        if (compare(count ? atoi(unknowns[i]) : standard[i])) rc = 1;
    return rc;
}

int main(int argc, char **argv)
{
    static const int standard[] = {100, 1000, 10000, 100000};
    if (argc > 1 && strcmp(argv[1], "sparse") == 0) return compare_all(argc - 2, argv + 2);
    int anew = !(argc > 1 && strcmp(argv[1], "standard") == 0);
    if (!anew) argc--, argv++;
    int stages = argc > 1 ? atoi(argv[1]) : 4, rc = 0;
    printf("20 + 20 equations, %d stages\n       N  matrices  us/interval     GB        error  factored\n",
           stages);
    for (int i = 0; i < (argc > 2 ? argc - 2 : 4); i++) {
        int N = argc > 2 ? atoi(argv[i + 2]) : standard[i];
        if (measure(stages, N, 0, "standard")) rc = 1;
        if (anew && N <= 10000 && measure(stages, N, 1, "anew")) rc = 1;
    }
    if (argc < 2 && anew && compare_all(0, NULL)) rc = 1;
    return rc;
}
