/* 18: a cable of many rods between two supports, with a sparse constraint Jacobian.
 *
 *   p_i'' = (0, -g) - G^T l,   0 = (|p_i - p_(i-1)|^2 - L^2) / (2 L),   i = 1..RODS,   M = I
 *
 * G has four nonzeros per row.  With its pattern, work and memory grow with the number of rods.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { RODS = 600, POSITIONS = 2 * (RODS - 1) };

static const double gravity = 9.81, length = 1.0 / RODS, slope = 0.9;

/* End i of the rods, 0..RODS, on the arc of a circle. */
static void on_arc(int i, double p[2])
{
    const double radius = length / (2 * sin(slope / RODS)), angle = slope * (2.0 * i / RODS - 1);
    p[0] = radius * (sin(angle) + sin(slope));
    p[1] = radius * (cos(slope) - cos(angle));
}

/* The same in the position q; the first and the last are supports. */
static void end_of(const double *q, int i, double p[2])
{
    if (i == 0 || i == RODS) on_arc(i, p);
    else p[0] = q[2 * i - 2], p[1] = q[2 * i - 1];
}

static void rod(const double *q, int i, double d[2])
{
    double a[2], b[2];
    end_of(q, i - 1, a);
    end_of(q, i, b);
    for (int k = 0; k < 2; k++) d[k] = (b[k] - a[k]) / length;
}

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    for (int j = 0; j < POSITIONS; j++) f[j] = j % 2 ? -gravity : 0;
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    for (int i = 1; i <= RODS; i++) {
        double d[2];
        rod(q, i, d);
        g[i - 1] = (d[0] * d[0] + d[1] * d[1] - 1) * length / 2;
    }
    return 0;
}

/* Nonzeros by columns: position j belongs to an end of two rods. */
static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    for (int j = 0; j < POSITIONS; j++) {
        double before[2], after[2];
        rod(q, j / 2 + 1, before);
        rod(q, j / 2 + 2, after);
        *G++ = before[j % 2];
        *G++ = -after[j % 2];
    }
    return 0;
}

static double energy(const double *y)
{
    double sum = 0;
    for (int j = 0; j < POSITIONS; j++) {
        double v = y[POSITIONS + j];
        sum += v * v / 2 + (j % 2 ? gravity * y[j] : 0);
    }
    return sum / RODS;
}

int main(void)
{
    static int column_start[POSITIONS + 1], row_index[2 * POSITIONS];
    static double y[2 * POSITIONS + RODS];       /* at rest, on the arc */
    keel_problem *cable = NULL;
    keel_solver *solver = NULL;
    double residual[3] = {1, 1, 1}, change = 1;
    for (int j = 0; j <= POSITIONS; j++) column_start[j] = 2 * j;
    for (int j = 0; j < 2 * POSITIONS; j++) row_index[j] = j / 4 + j % 2;
    for (int i = 1; i < RODS; i++) on_arc(i, y + 2 * i - 2);
    int rc = keel_mechanical(&cable, &(keel_mechanical_spec){
        .positions = POSITIONS, .constraints = RODS, .force = force, .constraint = constraint,
        .constraint_jacobian = constraint_jacobian,
        .constraint_pattern = {.storage = KEEL_SPARSE, .column_start = column_start,
                               .row_index = row_index}});
    if (!rc) rc = keel_solver_create(&solver, cable, &(keel_options){.rtol = 1e-6, .atol = 1e-6});
    if (!rc) rc = keel_start(solver, 0, y);
    if (!rc) rc = keel_advance_to(solver, 0.1);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_reason(rc, cable, solver));
    if (!rc) {
        keel_residuals(solver, residual);
        change = energy(keel_state(solver)) - energy(y);
        printf("%d unknowns, %ld steps: lowest point %.4f, energy changed by %.1e, |g| <= %.1e\n",
               keel_problem_size(cable), keel_solver_stats(solver)->steps,
               keel_state(solver)[RODS - 1], change, residual[0]);
    }
    keel_solver_free(solver);
    keel_problem_free(cable);
    if (rc == KEEL_UNSUPPORTED) return 0;        /* a build without sparse matrices */
    return rc != KEEL_OK || !(fabs(change) < 1e-5) || !(residual[0] < 1e-14);
}
