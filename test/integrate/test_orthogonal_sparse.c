/* test_orthogonal_sparse.c -- orthogonal projection in the pattern of a problem: to the same point as
 * with dense matrices.  Eight pendulums that push each other, u' = (1 + u^2/10) v, so that
 * f_v is not 1:
 *
 *   Hessenberg 3   v' = a - u l,  0 = (|u_k|^2 - 1)/2;   Hessenberg 2   u' = v - u l, 0 = the same
 */
#include "test/support/run.h"

enum { COUNT = 8, U = 2 * COUNT, SIZE = 2 * U + COUNT };

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < U; i++) f[i] = (1 + 0.1 * u[i] * u[i]) * v[i];
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < U; i++)
        k[i] = -u[i] * l[i / 2] - (i % 2) + 0.1 * sin(u[(i + 2) % U] - u[i]) - 0.1 * v[i];
    return 0;
}

static int circles(double t, const double *u, double *g, void *context)
{
    (void)t, (void)context;
    for (int k = 0; k < COUNT; k++)
        g[k] = (u[2 * k] * u[2 * k] + u[2 * k + 1] * u[2 * k + 1] - 1) / 2;
    return 0;
}

/* y = (u, v), with v free: 0 = g(u) */
static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < U; i++) {
        f[i] = y[U + i] - y[i] * z[i / 2] * (1 + 0.2 * (i % 2));
        f[U + i] = -y[i] - 0.1 * y[U + i];
    }
    return 0;
}

/* All entries, in a list. */
static keel_pattern listed(int *start, int *row)
{
    for (int j = 0; j <= SIZE; j++) start[j] = j * SIZE;
    for (int k = 0; k < SIZE * SIZE; k++) row[k] = k % SIZE;
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = start, .row_index = row};
}

static keel_problem *problem_of(int index, const keel_pattern *pattern)
{
    keel_problem *p = NULL;
    int rc = index == 3
        ? keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = U, .velocities = U,
              .multipliers = COUNT, .position_rate = position_rate, .velocity_rate = velocity_rate,
              .constraint = circles, .pattern = *pattern})
        : keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2 * U,
              .multipliers = COUNT, .rhs = rate, .constraint = circles, .pattern = *pattern});
    if (rc) fail_msg("%s", keel_problem_message(p));
    return p;
}

static void begin(double *y)
{
    memset(y, 0, SIZE * sizeof *y);
    for (int k = 0; k < COUNT; k++) {
        y[2 * k] = cos(0.3 * k);
        y[2 * k + 1] = sin(0.3 * k);
        y[U + 2 * k] = 0.1 * k;
    }
}

static void same_point(void **state)
{
    static const keel_metric metrics[] = {KEEL_METRIC_EUCLIDEAN, KEEL_METRIC_TOLERANCE};
    static int start[SIZE + 1], row[SIZE * SIZE];
    const keel_pattern patterns[] = {{0}, listed(start, row)};
    (void)state;
    if (!has_sparse()) skip();
    for (int index = 2; index <= 3; index++)
        for (int k = 0; k < 2; k++) {
            double at[2][SIZE], end[2][SIZE], atol[SIZE];
            for (int i = 0; i < SIZE; i++) atol[i] = 1e-6 * (1 + i % 3);
            for (int sparse = 0; sparse < 2; sparse++) {
                keel_problem *p = problem_of(index, &patterns[sparse]);
                keel_solver *s = NULL;
                double y[SIZE];
                keel_options o = {.method = "radau-iia-3", .rtol = 1e-6, .atol_each = atol,
                                  .step = 0.01, .projection = KEEL_PROJECT_ORTHOGONAL,
                                  .metric = metrics[k]};
                expect_ok(keel_solver_create(&s, p, &o), s, "create");
                begin(y);
                expect_ok(keel_start(s, 0, y), s, "start");
                memcpy(at[sparse], keel_state(s), sizeof y);
                for (int i = 0; i < 2 * U; i++) at[sparse][i] += 0.01 * cos(3 * i);
                expect_ok(keel_project(s, 0, at[sparse]), s, "project");
                expect_ok(keel_advance_to(s, 0.2), s, "run");
                memcpy(end[sparse], keel_state(s), sizeof y);
                double residual[3];
                keel_residuals(s, residual);
                assert_true(residual[0] < 1e-14 && residual[1] < (index == 3 ? 1e-9 : 1e-6));
                keel_solver_free(s);
                keel_problem_free(p);
            }
            if (!(distance(at[0], at[1], 0, 2 * U) < 1e-8 && distance(end[0], end[1], 0, 2 * U) < 1e-8))
                fail_msg("index %d, metric %d: %.1e and %.1e apart", index, k,
                         distance(at[0], at[1], 0, 2 * U), distance(end[0], end[1], 0, 2 * U));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_point)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
