/* run_one.c -- one integration of a bundled problem, reported as one line of CSV.
 *
 *   run_one PROBLEM METHOD RTOL [T_END|- [REPEATS [OPTION=VALUE ...]]]
 *
 * atol = rtol.  Fields: problem, method, rtol, t_end, status, scd (not capped), digits of the
 * reference, steps, rejected by the error test, by Newton, rhs, jacobian, factorizations,
 * solves, position, velocity and acceleration residual, cpu seconds (least of REPEATS).
 * All counted work happens inside integrate(), where instruction counts are taken.  REPEATS 0: one
 * run after another with the same solver, which first_run() makes; what is only done once shows there.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems/problems.h"

enum { MAX_PARAMETERS = 16 };

/* External functions of their own, for callgrind's --toggle-collect. */
__attribute__((noinline)) int integrate(keel_solver *solver, double t, const double *y,
                                        double t_end);
__attribute__((noinline)) int first_run(keel_solver **solver, const keel_problem *problem,
                                        const keel_options *options, double t, const double *y,
                                        double t_end);

/* As integrate, with the creation of the solver, and not through it. */
int first_run(keel_solver **solver, const keel_problem *problem, const keel_options *options, double t,
              const double *y, double t_end)
{
    int status = keel_solver_create(solver, problem, options);
    if (status == KEEL_OK) status = keel_start(*solver, t, y);
    return status == KEEL_OK ? keel_advance_to(*solver, t_end) : status;
}

int integrate(keel_solver *solver, double t, const double *y, double t_end)
{
    int status = keel_start(solver, t, y);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, t_end);
    while (status == KEEL_OK && keel_time(solver) != t_end) status = keel_step(solver);
    return status;
}

static double reference_digits(const bundled_problem *p, double t)
{
    if (p->exact) return DBL_DIG;
    for (int i = 0; i < p->reference_count; i++)
        if (fabs(p->references[i].t - t) <= 1e-14 * fabs(t)) return p->references[i].digits;
    return NAN;
}

static void print_line(const bundled_problem *p, const keel_options *options, double t_end,
                       int status, double scd, const keel_stats *s, double cpu)
{
    printf("%s,%s,%g,%g,%s,%.2f,%.1f,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%.2e,%.2e,%.2e,%.6f\n", p->name,
           options->method, options->rtol, t_end,
           status == KEEL_OK ? "ok" : keel_status_name(status), scd, reference_digits(p, t_end),
           s->steps, s->rejected_error, s->rejected_newton, s->rhs,
           s->jacobian, s->factorizations, s->solves, s->residual[0], s->residual[1],
           s->residual[2], cpu);
}

static int run(const bundled_problem *p, const keel_options *options, double t_end, int repeats)
{
    double parameters[MAX_PARAMETERS], cpu = INFINITY;
    double *y = calloc((size_t)p->size, sizeof *y);
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;

    for (int i = 0; i < p->parameter_count && i < MAX_PARAMETERS; i++)
        parameters[i] = p->parameters[i].value;
    int status = y ? p->create(&problem, parameters) : KEEL_NO_MEMORY;
    if (status == KEEL_OK) p->start(parameters, y);
    int rehearsed = repeats == 0;
    for (int k = 0; k < repeats + rehearsed && status == KEEL_OK; k++) {
        keel_solver_free(solver);
        solver = NULL;
        status = rehearsed ? first_run(&solver, problem, options, p->t_start, y, t_end)
                           : keel_solver_create(&solver, problem, options);
        if (status != KEEL_OK) break;
        const clock_t begin = clock();
        status = integrate(solver, p->t_start, y, t_end);
        cpu = fmin(cpu, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    if (solver && isfinite(cpu)) {
        const double scd = status == KEEL_OK
                         ? bundled_scd(p, parameters, t_end, keel_state(solver), 0) : NAN;
        print_line(p, options, t_end, status, scd, keel_solver_stats(solver), cpu);
        if (status != KEEL_OK) fprintf(stderr, "%s: %s\n", p->name, keel_message(solver));
    } else {
        fprintf(stderr, "%s: %s\n", p->name,
                solver ? keel_message(solver) : keel_status_text(status));
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
    free(y);
    return status == KEEL_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s PROBLEM METHOD RTOL [T_END|- [REPEATS [OPTION=VALUE ...]]]\n",
                argv[0]);
        return 2;
    }
    const bundled_problem *p = bundled_problem_find(argv[1]);
    if (!p) {
        fprintf(stderr, "no problem '%s'\n", argv[1]);
        return 2;
    }
    const double tolerance = atof(argv[3]);
    keel_options options = {.method = argv[2], .rtol = tolerance, .atol = tolerance,
                            .max_steps = 10000000};
    for (int i = 6; i < argc; i++) {
        char message[200], *value = strchr(argv[i], '=');
        if (value) *value++ = '\0';
        if (keel_option_set(&options, argv[i], value ? value : "", message, sizeof message)) {
            fprintf(stderr, "%s\n", message);
            return 2;
        }
    }
    const double t_end = argc > 4 && strcmp(argv[4], "-") != 0 ? atof(argv[4]) : p->t_end;
    return run(p, &options, t_end, argc > 5 ? atoi(argv[5]) : 1);
}
