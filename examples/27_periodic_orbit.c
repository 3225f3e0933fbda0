/* 27: periodic orbits with an unknown period, and whether they are stable.
 *
 * A pendulum on its circle, of index 3, with a clock's escapement that drives it where it is low
 * and brakes it where it is high:  q'' = (0, -g) + drive (low^2 - q1^2) q' - q lambda,  |q| = 1.
 * In the time t/T an orbit is a boundary value problem on [0,1], and T one more unknown: a
 * parameter of the frame.  On the manifold there are two degrees of freedom, so that three
 * conditions are left.
 *   without drive   q1(0) = sin 1, v1(0) = 0, v1(1) = 0       one orbit of a family: an amplitude
 *   with drive      v1(0) = 0, q1(1) = q1(0), v1(1) = v1(0)   the limit cycle: a phase
 * Floquet multipliers are those of the linearised flow over one period, on the manifold: two of them.
 * In all five unknowns others, which mean nothing, would come along.  Checked by
 *   T = 4 K(sin 1/2)/sqrt(g)                    the period without drive
 *   product = exp(int div dt), one of them 1    Liouville's formula, and the phase
 * Without drive both are 1, in a Jordan block, as larger amplitudes take longer: there an error e of
 * the matrix is one of sqrt(e) in them, but not in their sum and product.
 */
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>

enum { PERIOD, DRIVE, PARAMETERS };
enum { Q = 0, V = 2, SIZE = 5 };

static const double gravity = 9.81, low = 0.3, pi = 3.14159265358979323846;
static const double period_of_1 = 2.1391376005586884;

/* ---- the problem, in the time t/T ----------------------------------------------------------- */

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const keel_frame *frame = context;
    const double period = frame->parameters[PERIOD];
    const double drive = period * frame->parameters[DRIVE] * (low * low - q[0] * q[0]);
    (void)t;
    f[0] = drive * v[0];
    f[1] = drive * v[1] - gravity * period * period;
    return 0;
}

static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int swing(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[Q] - sin(1);
    b[1] = ya[V];
    b[2] = yb[V];
    return 0;
}

static int cycle(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[V];
    b[1] = yb[Q] - ya[Q];
    b[2] = yb[V] - ya[V];
    return 0;
}

static void place(double angle, double rate, double *y)
{
    y[Q] = sin(angle);
    y[Q + 1] = -cos(angle);
    y[V] = rate * cos(angle);
    y[V + 1] = rate * sin(angle);
}

/* Small motions, as a linear pendulum would have them.  A guess that does not move is one of the
 * pendulum at rest, which is periodic, too. */
static int guess(double t, double *y, double *p, void *context)
{
    const double *amplitude = context;
    place(*amplitude * cos(2 * pi * t), -2 * pi * *amplitude * sin(2 * pi * t), y);
    p[0] = 2 * pi / sqrt(gravity);
    y[2 * V] = gravity * p[0] * p[0];
    return 0;
}

/* ---- Liouville ------------------------------------------------------------------------------ */

/* int_0^T drive (low^2 - q1^2) dt: the trapezoidal rule is exact for periodic integrands. */
static double mean_drive(keel_solution *orbit, const double *frame)
{
    enum { POINTS = 400 };
    double sum = 0, y[SIZE];
    for (int i = 0; i < POINTS && !keel_solution_at(orbit, i / (double)POINTS, y); i++)
        sum += low * low - y[Q] * y[Q];
    return frame[PERIOD] * frame[DRIVE] * sum / POINTS;
}

/* ---- two orbits ------------------------------------------------------------------------------ */

typedef struct orbit {
    double frame[PARAMETERS], amplitude, damping;     /* int div dt */
    double re[SIZE], im[SIZE];                        /* multipliers */
    int count;
} orbit;

static int find(const keel_problem *pendulum, double drive, double start, orbit *o)
{
    keel_boundary *boundary = NULL;
    double y[SIZE];
    o->frame[PERIOD] = 1;
    o->frame[DRIVE] = drive;
    int rc = keel_boundary_create(&boundary, &(keel_boundary_spec){
        .problem = pendulum, .to = 1, .conditions = 3, .condition = drive > 0 ? cycle : swing,
        .parameters = 1, .guess = guess, .context = &start},
        &(keel_boundary_options){.rtol = 1e-10, .atol = 1e-10});
    if (!rc) rc = keel_boundary_set_frame(boundary, o->frame);
    if (!rc) rc = keel_boundary_solve(boundary);
    if (!rc) rc = keel_boundary_multipliers(boundary, &o->count, o->re, o->im);
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_boundary_message(boundary));
    if (!rc) rc = keel_solution_at(keel_boundary_solution(boundary), 0, y);
    if (!rc) {
        o->frame[PERIOD] = keel_boundary_parameters(boundary)[0];
        o->amplitude = atan2(y[Q], -y[Q + 1]);
        o->damping = mean_drive(keel_boundary_solution(boundary), o->frame);
    }
    keel_boundary_free(boundary);
    return rc;
}

static int report(const char *name, const orbit *o)
{
    const double sum = o->re[0] + o->re[1], product = o->re[0] * o->re[1] - o->im[0] * o->im[1];
    printf("%s: amplitude %.9f, period %.12f\n  multipliers", name, o->amplitude, o->frame[PERIOD]);
    for (int i = 0; i < o->count; i++) printf(" %.7f%+.0ei", o->re[i], o->im[i]);
    printf(", sum %.9f, product %.9f, Liouville %.9f\n", sum, product, exp(o->damping));
    const int phase = fabs(1 - sum + product) < 1e-8;                 /* 1 is one of them */
    return o->count == 2 && phase && fabs(product - exp(o->damping)) < 1e-8;
}

int main(void)
{
    keel_problem *pendulum = NULL;
    orbit swinging = {0}, driven = {0};
    int rc = keel_mechanical(&pendulum, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod,
        .frame = {.parameters = PARAMETERS,
                  .parameter_names = (const char *const[]){"period", "drive"}}});
    if (rc) printf("%s: %s\n", keel_status_name(rc), keel_problem_message(pendulum));
    if (!rc) rc = find(pendulum, 0, 1, &swinging);
    if (!rc) rc = find(pendulum, 2, 0.6, &driven);
    keel_problem_free(pendulum);
    if (rc) return 1;
    const double error = swinging.frame[PERIOD] - period_of_1;
    int right = report("without drive", &swinging) && fabs(error) < 1e-12;
    printf("  error of the period %.1e\n", error);
    return report("with drive", &driven) && right ? 0 : 1;
}
