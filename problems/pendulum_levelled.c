/* pendulum_levelled.c -- the pendulum of pendulum.c with all its constraints, in the levelled form.
 *
 *   u' = v,   v' = (0, -gravity) - damping v - 2 u lambda
 *   h_2 = |u|^2 - 1,   h_1 = 2 u.v,   g = 2 (v.v + u.v')
 *
 * With much damping the forces are stiff: the pendulum creeps along its circle.
 */
#include "problems/pendulum.h"

enum { U = 0, V = 2, Y = 4 };

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const double *parameters = context;
    (void)t;
    for (int i = 0; i < 2; i++) {
        f[U + i] = y[V + i];
        f[V + i] = -parameters[1] * y[V + i] - 2 * y[U + i] * z[0];
    }
    f[V + 1] -= parameters[0];
    return 0;
}

static double product(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double f[Y];
    if (k == 2) h[0] = product(y + U, y + U) - 1;
    if (k == 1) h[0] = 2 * product(y + U, y + V);
    if (k > 0) return 0;
    rate(t, y, z, f, context);
    h[0] = 2 * (product(y + V, y + V) + product(y + U, f + V));
    return 0;
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const double damping = ((const double *)context)[1];
    double f[Y];
    rate(t, y, z, f, context);
    for (int i = 0; i < 2; i++) {
        keel_put(J, U + i, V + i, 1);
        keel_put(J, V + i, U + i, -2 * z[0]);
        keel_put(J, V + i, V + i, -damping);
        keel_put(J, V + i, Y, -2 * y[U + i]);
        keel_put(J, Y, U + i, 2 * (f[V + i] - 2 * y[U + i] * z[0]));
        keel_put(J, Y, V + i, 2 * (2 * y[V + i] - damping * y[U + i]));
    }
    keel_put(J, Y, Y, -4 * product(y + U, y + U));
    return 0;
}

static int level_jacobian(double t, const double *y, int k, keel_matrix *J, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 2; i++) {
        keel_put(J, Y, U + i, 2 * y[(k == 2 ? U : V) + i]);
        if (k == 1) keel_put(J, Y, V + i, 2 * y[U + i]);
    }
    return 0;
}

keel_levelled_spec problem_pendulum_levelled_spec(const double *parameters)
{
    static const int next[Y] = {V, V + 1, -1, -1}, chain[] = {2};
    static const char *const names[] = {"u1", "u2", "v1", "v2", "lambda"};
    static const char *const constraint_names[] = {"rod"};
    return (keel_levelled_spec){
        .differential = Y, .algebraic = 1, .next = next, .chain = chain,
        .rate = rate, .level = level, .jacobian = jacobian, .level_jacobian = level_jacobian,
        .names = names, .constraint_names = constraint_names, .context = (void *)parameters,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    const keel_levelled_spec spec = problem_pendulum_levelled_spec(parameters);
    return keel_levelled(problem, &spec);
}

const keel_target problem_pendulum_levelled = {
    .name = "pendulum-levelled",
    .title = "Pendulum in Cartesian coordinates, all its constraints given",
    .source = "as pendulum; the damping is Keel's",
    .remark = "  keel run pendulum-levelled --param damping=1e5 --t-end 1e5 --method radau-iia\n",
    .index = 3, .size = Y + 1, .t_start = 0, .t_end = 20,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"gravity", 1, "gravity over the length of the rod"}, {"damping", 0, "force over velocity"}},
    .create = create, .start = pendulum_start,
    .counts = pendulum_counts,
    .reference_count = PENDULUM_REFERENCES, .references = pendulum_references,
};
