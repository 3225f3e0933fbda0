/* 09: a reaction front (Fisher's equation by lines) with a band and with a sparse Jacobian.
 *
 * No Jacobian is written: the pattern lets one difference serve many columns.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { N = 400 };

/* y_i' = (y_(i-1) - 2 y_i + y_(i+1)) / dx^2 + y_i (1 - y_i) */
static int rhs(double t, const double *y, double *f, void *context)
{
    const double dx = 40.0 / N;
    (void)t, (void)context;
    for (int i = 0; i < N; i++) {
        double left = i > 0 ? y[i - 1] : y[i], right = i < N - 1 ? y[i + 1] : y[i];
        f[i] = (left - 2 * y[i] + right) / (dx * dx) + y[i] * (1 - y[i]);
    }
    return 0;
}

/* Integrates to t = 10; *amount is the mean of y. */
static int run(const char *storage, keel_pattern pattern, double *amount)
{
    double start[N] = {0};
    keel_problem *front = NULL;
    keel_solver *solver = NULL;
    for (int i = 0; i < N / 10; i++) start[i] = 1;
    int rc = keel_ode(&front, &(keel_ode_spec){.size = N, .rhs = rhs, .pattern = pattern});
    if (!rc) rc = keel_solver_create(&solver, front, &(keel_options){.rtol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, start);
    if (!rc) rc = keel_advance_to(solver, 10);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, front, solver));
    *amount = 0;
    for (int i = 0; i < N && !rc; i++) *amount += keel_state(solver)[i] / N;
    if (!rc) printf("%-6s mean %.8f, %ld Jacobians from %ld evaluations\n", storage, *amount,
                    keel_solver_stats(solver)->jacobian, keel_solver_stats(solver)->rhs_for_jacobian);
    keel_solver_free(solver);
    keel_problem_free(front);
    return rc;
}

int main(void)
{
    int column_start[N + 1], row_index[3 * N], entries = 0;
    double band, sparse;
    for (int j = 0; j < N; j++) {
        column_start[j] = entries;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++) row_index[entries++] = i;
    }
    column_start[N] = entries;
    int rc = run("band", (keel_pattern){.storage = KEEL_BAND, .lower = 1, .upper = 1}, &band);
    if (!rc) rc = run("sparse", (keel_pattern){.storage = KEEL_SPARSE, .column_start = column_start,
                                               .row_index = row_index}, &sparse);
    return rc != KEEL_OK || fabs(band - sparse) > 1e-9;
}
