/* pendulum.c -- the plane pendulum of length 1 in Cartesian coordinates u, index 3.
 *
 *   u'' = (0, -gravity) - 2 u lambda,   0 = |u|^2 - 1
 *
 * Started at rest from the horizontal.  Source: J. Schropp, Konstanzer Schriften in Mathematik
 * und Informatik 191, section 4; there gravity = 1.
 */
#include "problems/pendulum.h"

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *parameters = context;
    (void)t, (void)q, (void)v;
    f[0] = 0;
    f[1] = -parameters[0];
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    G[0] = 2 * q[0];
    G[1] = 2 * q[1];
    return 0;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    (void)t, (void)q, (void)context;
    g_t[0] = 0;
    return 0;
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    (void)t, (void)q, (void)context;
    gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    for (int i = 0; i < 4; i++) f_q[i] = f_v[i] = 0;
    return 0;
}

void pendulum_rod(keel_mechanical_spec *spec)
{
    spec->positions = 2;
    spec->constraints = 1;
    spec->constraint = constraint;
    spec->constraint_jacobian = constraint_jacobian;
    spec->constraint_time = constraint_time;
    spec->curvature = curvature;
    spec->constant_mass = 1;
}

keel_mechanical_spec problem_pendulum_spec(const double *parameters)
{
    static const char *const names[] = {"u1", "u2", "v1", "v2", "lambda"};
    keel_mechanical_spec spec = {.force = force, .force_jacobian = force_jacobian, .names = names,
                                 .context = (void *)parameters};
    pendulum_rod(&spec);
    return spec;
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_pendulum_spec(parameters);
    return keel_mechanical(problem, &spec);
}

void pendulum_start(const double *parameters, double *y)
{
    (void)parameters;
    y[0] = 1;
    y[1] = y[2] = y[3] = y[4] = 0;
}

/* The rod, and the mass at its end. */
static int sketch(const double *parameters, double t, const double *y, keel_shape *shapes, int room)
{
    const keel_shape all[] = {{0, 0, y[0], y[1], 0}, {y[0], y[1], 0, 0, 0.04}};
    (void)parameters, (void)t;
    for (int i = 0; i < 2 && i < room; i++) shapes[i] = all[i];
    return 2;
}

static const char reference_source[] = "Taylor series of order 40 in 34-digit arithmetic";

const keel_reference pendulum_references[PENDULUM_REFERENCES] = {
    {20, (const double[]){-0.5177197035527779, -0.8555502957472599, 1.119137160279955,
                          -0.6772241932883366, 1.2833254436208898}, 15.5, reference_source},
    {1000, (const double[]){0.7595062230634683, -0.650500036224338, 0.7419693842875401,
                            0.8663033563530992, 0.9757500543365071}, 15.5, reference_source},
};

const unsigned char pendulum_counts[5] = {1, 1, 0, 0, 0};

const keel_target problem_pendulum = {
    .name = "pendulum",
    .title = "Pendulum in Cartesian coordinates",
    .source = "J. Schropp, Konstanzer Schriften in Mathematik und Informatik 191, section 4",
    .index = 3, .size = 5,
    .t_start = 0, .t_end = 20,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"gravity", 1, "gravity over the length of the rod"}},
    .live_parameters = 1,
    .create = create, .start = pendulum_start,
    .counts = pendulum_counts,
    .reference_count = PENDULUM_REFERENCES, .references = pendulum_references, .sketch = sketch,
};
