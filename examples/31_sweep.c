/* 31_sweep.c -- many runs that differ in one number: the period of a pendulum over its amplitude.
 *
 * A rod of length 1 under gravity 1, let go at rest from an angle: the time to the lowest point is a
 * quarter of the period, T = 4 K(sin(angle / 2)) with the complete elliptic integral K.  Each run ends
 * at an event, the passage through the lowest point; two workers share the runs, and each keeps its
 * problem and its solver from row to row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <keel/keel.h>

enum { ROWS = 9 };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int horizontal(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp, (void)context;
    value[0] = y[0];
    return 0;
}

/* What a worker has: initial values, and a problem that does not depend on them. */
typedef struct pendulum {
    keel_problem *problem;
    double y[5];
} pendulum;

static int change(keel_sweep_case *c, const double *angle, char *message, size_t room, void *context)
{
    pendulum *p = c->own;
    (void)message, (void)room, (void)context;
    p->y[0] = sin(angle[0]);
    p->y[1] = -cos(angle[0]);
    c->problem = p->problem;
    c->start = (keel_start_spec){.y = p->y};
    c->t_end = 100;
    return KEEL_OK;
}

static int open(keel_sweep_case *c, const double *angle, char *message, size_t room, void *context)
{
    static const int terminal[] = {1};
    pendulum *p = c->own = calloc(1, sizeof *p);
    if (!p) return KEEL_NO_MEMORY;
    int rc = keel_mechanical(&p->problem, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod, .constant_mass = 1});
    if (rc == KEEL_OK)
        rc = keel_switching(&p->problem, p->problem, &(keel_switching_spec){
            .switches = 1, .value = horizontal, .terminal = terminal});
    return rc == KEEL_OK ? change(c, angle, message, room, context) : rc;
}

static void done(keel_sweep_case *c, void *context)
{
    pendulum *p = c->own;
    (void)context;
    if (p) keel_problem_free(p->problem);
    free(p);
}

/* K(k) by the arithmetic-geometric mean. */
static double quarter_period(double angle)
{
    double a = 1, b = cos(angle / 2);
    for (int i = 0; i < 8; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1.0) / (2 * a);
}

static int print(const keel_sweep_row *row, void *context)
{
    double *worst = context;
    const double angle = row->parameters[0], error = fabs(row->t - quarter_period(angle));
    printf("%ld  %.4f  %-10s  period %.10f  error %.1e\n", row->row, angle, keel_status_name(row->status),
           4 * row->t, 4 * error);
    if (row->status != KEEL_EVENT || !(error <= *worst)) *worst = row->status == KEEL_EVENT ? error : 1;
    return 0;
}

int main(void)
{
    double angles[ROWS], worst = 0;
    char text[200];
    keel_sweep_grid(&(keel_sweep_axis){.from = 0.2, .to = 3.0, .count = ROWS}, 1, angles);
    const int rc = keel_sweep(&(keel_sweep_spec){
        .parameters = 1, .rows = ROWS, .values = angles, .jobs = 2, .open = open, .change = change,
        .close = done, .row = print, .context = &worst},
        &(keel_options){.rtol = 1e-10, .atol = 1e-10}, text, sizeof text);
    if (rc != KEEL_OK) fprintf(stderr, "%s: %s\n", keel_status_name(rc), text);
    return rc == KEEL_OK && worst < 1e-8 ? 0 : 1;
}
