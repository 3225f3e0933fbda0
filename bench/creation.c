/* creation.c -- makes a solver with every method, for creation.sh to count the instructions.
 *
 *   creation [METHOD ...]
 *
 * Prints one line per method, in the order in which made() is called: the method, and the problem
 * that it was made for, the first of three small ones that it takes.
 */
#include <stdio.h>

#include "problems/problems.h"

/* An external function of its own, for callgrind's --toggle-collect. */
__attribute__((noinline)) int made(keel_solver **solver, const keel_problem *problem,
                                   const keel_options *options);

int made(keel_solver **solver, const keel_problem *problem, const keel_options *options)
{
    return keel_solver_create(solver, problem, options);
}

/* Not counted: does it take that problem? */
static int takes(const keel_problem *problem, const keel_options *options)
{
    keel_solver *solver = NULL;
    int status = keel_solver_create(&solver, problem, options);
    keel_solver_free(solver);
    return status == KEEL_OK;
}

static int count_method(const char *method)
{
    static const char *const names[] = {"chemical-akzo-nobel", "pendulum", "van-der-pol"};
    keel_options options = {.method = method, .rtol = 1e-6, .atol = 1e-6};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bundled_problem *p = bundled_problem_find(names[i]);
        double parameters[16];
        keel_problem *problem = NULL;
        keel_solver *solver = NULL;
        for (int k = 0; k < p->parameter_count && k < 16; k++) parameters[k] = p->parameters[k].value;
        int done = p->create(&problem, parameters) == KEEL_OK && takes(problem, &options);
        options.step = done ? 0 : 1e-3;          /* some need a constant one */
        done = done || takes(problem, &options);
        if (done) made(&solver, problem, &options);
        keel_solver_free(solver);
        keel_problem_free(problem);
        if (done) return printf("%s %s\n", method, names[i]);
    }
    fprintf(stderr, "%s takes none of the problems\n", method);
    return -1;
}

int main(int argc, char **argv)
{
    keel_method_info info;
    int bad = 0;
    for (int i = 1; i < argc; i++) bad |= count_method(argv[i]) < 0;
    for (int i = 0; argc == 1 && keel_method_at(i, &info) == KEEL_OK; i++)
        bad |= count_method(info.name) < 0;
    return bad;
}
