/* 20: a run that ends in the middle goes on in another solver, bit for bit: a pendulum whose length
 * is in the note of the checkpoint.
 *
 *   q'' = (0, -g) - G^T l,   0 = (|q|^2 - L^2) / 2
 *
 * A program that may be killed saves now and then, and begins by looking for a file to load.
 */
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "20_checkpoint.tmp";

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -9.81;
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    const double *length = context;
    (void)t;
    g[0] = (q[0] * q[0] + q[1] * q[1] - *length * *length) / 2;
    return 0;
}

/* From the start, or from the file, to t; y becomes the state there. */
static int run(int from_file, double t, int save, double *y)
{
    double length = from_file ? 0 : 2;
    const double start[] = {2, 0, 0, 0, 0};
    const keel_mechanical_spec spec = {.positions = 2, .constraints = 1, .force = force,
                                       .constraint = constraint, .context = &length};
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    int status = keel_mechanical(&problem, &spec);
    if (!status) status = keel_solver_create(&solver, problem, NULL);
    if (!status && from_file) {
        status = keel_solver_load(solver, path);
        if (!status) memcpy(&length, keel_solver_note(solver, NULL), sizeof length);
    } else if (!status) {
        status = keel_start(solver, 0, start);
    }
    while (!status && keel_time(solver) < t) status = keel_step(solver);
    if (!status && save) status = keel_solver_save_noted(solver, path, &length, sizeof length);
    if (status) fprintf(stderr, "%s\n", keel_reason(status, problem, solver));
    else {
        memcpy(y, keel_state(solver), 5 * sizeof *y);
        printf("%-22s t = %.15g after %ld steps, q = (%.15g, %.15g)\n",
               from_file ? "from the checkpoint:" : save ? "until the checkpoint:" : "in one go:",
               keel_time(solver), keel_solver_stats(solver)->accepted, y[0], y[1]);
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
    return status;
}

int main(void)
{
    double straight[5], other[5];
    int status = run(0, 10, 0, straight);
    if (!status) status = run(0, 4, 1, other);
    if (!status) status = run(1, 10, 0, other);
    remove(path);
    if (status) return 1;
    const int same = memcmp(straight, other, sizeof other) == 0;
    printf("the same, bit for bit: %s\n", same ? "yes" : "no");
    return !same;
}
