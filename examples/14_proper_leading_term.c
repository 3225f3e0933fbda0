/* 14: a leading term stated properly, and not: Gear and Petzold's index-2 problem.
 *
 *   0 = y + eta t z - e^(-t),   y' + eta t z' + (1 + eta) z = 0,   eta = -3/4
 *
 * The second equation is (y + eta t z)' + z = 0: with d = y + eta t z as leading term all is well.
 * The formulation `naive` writes its derivative out again, as above, and breaks down.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double eta = -0.75;

static int leading_matrix(double t, const double *x, double *A, void *context)
{
    (void)t, (void)x, (void)context;
    A[0] = 0, A[1] = 1;                          /* two equations, one component of d */
    return 0;
}

static int leading_term(double t, const double *x, double *d, void *context)
{
    (void)context;
    d[0] = x[0] + eta * t * x[1];
    return 0;
}

static int rest(double t, const double *x, double *b, void *context)
{
    (void)context;
    b[0] = x[0] + eta * t * x[1] - exp(-t);
    b[1] = x[1];
    return 0;
}

/* Integrates to t = 3, where z = e^-3; u in start need not be known. */
static double error_at_3(const keel_problem *problem, const char *name)
{
    double start[3] = {1, 1}, error = INFINITY;
    keel_solver *solver = NULL;
    int rc = keel_solver_create(&solver, problem, &(keel_options){.rtol = 1e-8});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 3);
    if (!rc) error = fabs(keel_state(solver)[1] - exp(-3));
    if (rc) printf("%s: %s at t = %.1e\n", name, keel_status_name(rc), keel_time(solver));
    else printf("%s: z(3) = %.8f, error %.1e\n", name, keel_state(solver)[1], error);
    keel_solver_free(solver);
    return error;
}

int main(void)
{
    keel_problem *proper = NULL, *naive = NULL;
    int rc = keel_proper(&proper, &(keel_proper_spec){
        .size = 2, .leading = 1, .leading_matrix = leading_matrix, .leading_term = leading_term,
        .rest = rest, .variable_index = (int[]){2, 2}});
    if (!rc) rc = keel_formulate(&naive, proper, &(keel_formulation){.name = "naive"});
    if (!rc) rc = !(error_at_3(proper, "proper") < 1e-5) || error_at_3(naive, "naive") < 1;
    keel_problem_free(naive);
    keel_problem_free(proper);
    return rc != KEEL_OK;
}
