/* 26: how long does a pendulum take to swing back?  With s = t/T the period T is an unknown parameter,
 * and the pendulum, in Cartesian coordinates with its rod as a constraint, a boundary value problem:
 * released at rest from an amplitude, at rest again after one period. */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, tau = 6.28318530717958647692;

/* q'' = T^2 (0, -g) - G^T l */
static int force(double s, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    double T = frame->parameters[0];
    (void)s, (void)q, (void)v;
    f[0] = 0;
    f[1] = -gravity * T * T;
    return 0;
}

static int rod(double s, const double *q, double *g, void *context)
{
    (void)s, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

/* Unknowns are x, y, their velocities and the force of the rod; 0 = g and 0 = g' are seen to. */
static int ends(const double *start, const double *end, const double *p, double *b, void *context)
{
    double amplitude = *(const double *)context;
    (void)p;
    b[0] = start[0] - sin(amplitude);
    b[1] = start[2];
    b[2] = end[2];
    return 0;
}

/* A harmonic oscillation. */
static int guess(double s, double *y, double *p, void *context)
{
    double amplitude = *(const double *)context;
    double angle = amplitude * cos(tau * s), speed = -tau * amplitude * sin(tau * s);
    p[0] = tau / sqrt(gravity);
    y[0] = sin(angle);
    y[1] = -cos(angle);
    y[2] = speed * cos(angle);
    y[3] = speed * sin(angle);
    y[4] = gravity * p[0] * p[0];
    return 0;
}

/* T = tau / (sqrt(g) M(1, cos(amplitude / 2))), M the arithmetic-geometric mean [Gauss] */
static double exact(double amplitude)
{
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return tau / (sqrt(gravity) * a);
}

static int swing(const keel_problem *pendulum, double amplitude)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = pendulum, .from = 0, .to = 1, .conditions = 3, .condition = ends,
        .parameters = 1, .guess = guess, .context = &amplitude},
        &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8});
    if (!rc) rc = keel_boundary_solve(w);
    if (rc) {
        printf("%s: %s\n", keel_status_name(rc), keel_boundary_message(w));
        keel_boundary_free(w);
        return rc;
    }
    const keel_boundary_stats *s = keel_boundary_statistics(w);
    double T = keel_boundary_parameters(w)[0], error = fabs(T / exact(amplitude) - 1);
    printf("amplitude %.1f: T = %.12f, relative error %.0e, %d intervals, rod off by %.0e\n", amplitude,
           T, error, s->mesh, s->residual);
    keel_boundary_free(w);
    return error < 1e-8 ? 0 : 1;
}

int main(void)
{
    const double start = 2;
    keel_problem *pendulum = NULL;
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod,
        .frame = {.parameters = 1, .parameter_start = &start}});
    if (!rc) rc = swing(pendulum, 0.5);
    if (!rc) rc = swing(pendulum, 1);
    if (!rc) rc = swing(pendulum, 1.4);
    keel_problem_free(pendulum);
    return rc != 0;
}
