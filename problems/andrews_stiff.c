/* andrews_stiff.c -- Andrews' squeezing mechanism with elasticity in one of its joints.
 *
 * The joint at A that closes the third loop is not rigid: the last two constraints (g_5, g_6) of
 * andrews.c, the distance of the end of that loop from A, become the elongation of a plane spring
 * of stiffness 1/epsilon^2 without damping,
 *
 *   M(q) q'' = f(q,q') - G_3(q)^T g_3(q) / epsilon^2 - G_r(q)^T lambda,   0 = g_r(q),
 *
 * with g_3 = (g_5, g_6) and g_r = (g_1, ..., g_4).  For epsilon -> 0 the smooth solution tends to
 * that of the rigid mechanism, with g_3 / epsilon^2 -> (lambda_5, lambda_6); all others oscillate
 * about it with frequencies of the size 1/epsilon [Lubich, ZAMP 44 (1993) 1022; HW96 VII.7].
 *
 * Initial values: those of the rigid mechanism.  It starts from rest, with lambda_5 = lambda_6 = 0,
 * and g_3 = epsilon^2 (lambda_5, lambda_6) + O(epsilon^4) in the smooth solution, so that the
 * oscillations have amplitudes O(epsilon^4) in g_3.
 *
 * [HW96 VII.7] has a stiff version of the mechanism too.  Which joint is elastic here, and
 * epsilon = 1e-4, was chosen for Keel: with 1e-3 the oscillations are hardly faster than the
 * mechanism turns.
 */
#include <string.h>

#include "problems/andrews.h"
#include "problems/list.h"

enum { N = ANDREWS_N, RIGID = 4, ELASTIC = 2 };

/* The whole of g and its derivatives. */
typedef struct closure {
    double g[ANDREWS_M], G[ANDREWS_M * N], curvature[ANDREWS_M];
} closure;

static double stiffness(const void *context)
{
    const double epsilon = *(const double *)context;
    return 1 / (epsilon * epsilon);
}

static int evaluate(double t, const double *q, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context)
{
    const double k = stiffness(context);
    closure c = {.g = {0}};
    keel_mechanical_parts all = *parts;
    all.constraint = c.g;
    all.constraint_jacobian = c.G;
    all.curvature = c.curvature;
    unsigned needed = wanted & KEEL_FORCE ? wanted | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN
                                          : wanted;
    int rc = andrews_evaluate(t, q, v, needed & ~(unsigned)KEEL_CONSTRAINT_TIME, &all, context);
    if (wanted & KEEL_FORCE)
        for (int j = 0; j < N; j++)
            for (int i = RIGID; i < RIGID + ELASTIC; i++)
                parts->force[j] -= k * c.g[i] * c.G[i * N + j];
    if (wanted & KEEL_CONSTRAINT) memcpy(parts->constraint, c.g, RIGID * sizeof(double));
    if (wanted & KEEL_CONSTRAINT_JACOBIAN)
        memcpy(parts->constraint_jacobian, c.G, RIGID * N * sizeof(double));
    if (wanted & KEEL_CONSTRAINT_TIME) memset(parts->constraint_time, 0, RIGID * sizeof(double));
    if (wanted & KEEL_CURVATURE) memcpy(parts->curvature, c.curvature, RIGID * sizeof(double));
    return rc;
}

/* f_q - k (G_3^T G_3 + sum g_i (g_i)_qq) */
static int force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                          void *context)
{
    const double k = stiffness(context);
    double sum[N * N];
    closure c = {.g = {0}};
    keel_mechanical_parts parts = {.constraint = c.g, .constraint_jacobian = c.G};
    int rc = andrews_force_jacobian(t, q, v, f_q, f_v, context);
    if (!rc)
        rc = andrews_evaluate(t, q, v, KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN, &parts, context);
    andrews_last_curvature(q, c.g + RIGID, sum);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            for (int l = RIGID; l < RIGID + ELASTIC; l++)
                sum[i * N + j] += c.G[l * N + i] * c.G[l * N + j];
            f_q[i * N + j] -= k * sum[i * N + j];
        }
    return rc;
}

keel_mechanical_spec problem_andrews_stiff_spec(const double *parameters)
{
    static const char *const names[] = {
        "beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon",
        "beta'", "Theta'", "gamma'", "Phi'", "delta'", "Omega'", "epsilon'",
        "lambda1", "lambda2", "lambda3", "lambda4",
    };
    return (keel_mechanical_spec){
        .positions = N, .constraints = RIGID,
        .evaluate = evaluate,
        .force_jacobian = force_jacobian,
        .names = names,
        .context = (void *)parameters,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_andrews_stiff_spec(parameters);
    return keel_mechanical(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    double rigid[2 * N + ANDREWS_M];
    andrews_start(parameters, rigid);
    memcpy(y, rigid, (2 * N + RIGID) * sizeof *y);
}

/* Explicit methods that resolve every oscillation, dop853 with rtol = 1e-13 and with h = 1e-6 and
 * verner8 with rtol = 1e-12, and radau-iia-7 with h = 1e-6 agree to 12 digits in the positions, 8
 * in the velocities and in the multipliers. */
static const double at_003[2 * N + RIGID] = {
    15.810474994170274, -15.756000941872134, 0.040819384237833156, -0.5347351104543518,
    0.5244098174071923, 0.5347464406293982, 1.0480774471701904,
    1139.9254835138267, -1424.3912335527166, 10.948682771888349, 19.146084859044294,
    0.5692181913925952, -19.148276332701464, 0.3118626320669141,
    199.16921480719574, -29.444045711478662, 23.067826203920763, 31.458504621451976,
};

static const keel_parameter parameters_[] = {
    { "epsilon", 1e-4, "the joint has the stiffness 1/epsilon^2 (N/m)" }
};

const keel_target problem_andrews_stiff = {
    .name = "andrews-stiff",
    .title = "Andrews' squeezing mechanism with an elastic joint",
    .source = "after E. Hairer, G. Wanner, Solving ODEs II (1996), VII.7; joint and stiffness ours",
    .index = 3, .size = 2 * N + RIGID,
    .t_start = 0, .t_end = 0.03,
    .parameter_count = 1, .parameters = parameters_,
    .create = create, .start = start,
    .counts = (const unsigned char[2 * N + RIGID]){1, 1, 1, 1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {0.03, at_003, 11, "dop853 with rtol = 1e-13, confirmed by verner8 and radau-iia-7"},
    },
};
