/* fekete.c -- 20 points on the unit sphere that repel each other and are damped, index 3.
 *
 *   p_i'' = sum_{j != i} (p_i - p_j) / |p_i - p_j|^2 - alpha p_i' + 2 lambda_i p_i,
 *   0 = 1 - |p_i|^2,   i = 1..20
 *
 * They come to rest where prod |p_i - p_j| is (locally) largest, with lambda_i = -19/4.
 * Source: Test Set for IVP Solvers, where a second set of multipliers stabilizes the index-2
 * formulation; the sign of g is chosen here such that lambda is that of the test set.
 */
#include "problems/list.h"

#include <math.h>
#include <string.h>

enum { POINTS = 20, N = 3 * POINTS };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double alpha = *(const double *)context;
    (void)t;
    for (int i = 0; i < N; i++) f[i] = -alpha * v[i];
    for (int i = 0; i < N; i += 3) {
        for (int j = 0; j < i; j += 3) {
            const double r[3] = {q[i] - q[j], q[i + 1] - q[j + 1], q[i + 2] - q[j + 2]};
            const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            for (int k = 0; k < 3; k++) {
                f[i + k] += r[k] / square;
                f[j + k] -= r[k] / square;
            }
        }
    }
    return 0;
}

static int force_jacobian(double t, const double *q, const double *v,
                          double *f_q, double *f_v, void *context)
{
    const double alpha = *(const double *)context;
    double (*fq)[N] = (double (*)[N])f_q;
    (void)t, (void)v;
    memset(f_q, 0, sizeof(double) * N * N);
    memset(f_v, 0, sizeof(double) * N * N);
    for (int i = 0; i < N; i++) f_v[i * N + i] = -alpha;
    for (int i = 0; i < N; i += 3) {
        for (int j = 0; j < i; j += 3) {
            const double r[3] = {q[i] - q[j], q[i + 1] - q[j + 1], q[i + 2] - q[j + 2]};
            const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) {
                    const double d = ((k == l) - 2 * r[k] * r[l] / square) / square;
                    fq[i + k][i + l] += d;
                    fq[j + k][j + l] += d;
                    fq[i + k][j + l] = fq[j + k][i + l] = -d;
                }
            }
        }
    }
    return 0;
}

static int constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < POINTS; i++, q += 3)
        g[i] = 1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2];
    return 0;
}

static int constraint_jacobian(double t, const double *q, double *G, void *context)
{
    (void)t, (void)context;
    memset(G, 0, sizeof(double) * POINTS * N);
    for (int i = 0; i < N; i++) G[i / 3 * N + i] = -2 * q[i];
    return 0;
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    (void)t, (void)q, (void)context;
    for (int i = 0; i < POINTS; i++, v += 3)
        gamma[i] = -2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return 0;
}

keel_mechanical_spec problem_fekete_spec(const double *parameters)
{
    return (keel_mechanical_spec){
        .positions = N, .constraints = POINTS,
        .force = force,
        .constraint = constraint,
        .constraint_jacobian = constraint_jacobian,
        .curvature = curvature,
        .force_jacobian = force_jacobian,
        .constant_mass = 1,
        .context = (void *)parameters,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_fekete_spec(parameters);
    return keel_mechanical(problem, &spec);
}

/* Four rings of 3, 7, 6 and 4 points at rest.  lambda = -19/4 wherever the points are at rest,
 * since p_i.(p_i - p_j) = |p_i - p_j|^2 / 2 on the sphere. */
static void start(const double *parameters, double *y)
{
    static const struct ring { int points, first; double longitude, latitude; } rings[] = {
        {3, 1, 1.0 / 13, 3.0 / 8}, {7, 1, 1.0 / 29, 1.0 / 8},
        {6, 1, 1.0 / 7, -2.0 / 15}, {4, 0, 1.0 / 17, -3.0 / 10},
    };
    const double pi = 3.14159265358979323846;
    double *p = y;
    (void)parameters;
    for (int k = 0; k < 4; k++) {
        const double beta = pi * rings[k].latitude;
        for (int i = 0; i < rings[k].points; i++, p += 3) {
            const double turn = 2.0 * (i + rings[k].first) / rings[k].points;
            const double alpha = pi * (turn + rings[k].longitude);
            p[0] = cos(alpha) * cos(beta);
            p[1] = sin(alpha) * cos(beta);
            p[2] = sin(beta);
        }
    }
    for (int i = 0; i < N; i++) y[N + i] = 0;
    for (int i = 0; i < POINTS; i++) y[2 * N + i] = -4.75;
}

/* Positions; the velocities are below 1e-30. */
static const double at_1000[2 * N + POINTS] = {
    -0.4070263380331287, 0.3463758772817203, 0.8451942450020942,
    0.07752934752463822, -0.26286627199499435, 0.9617122871835722,
    0.7100577833343151, 0.12129480555943528, 0.6936177005171202,
    0.23482677445649464, 0.7449277976935609, 0.6244509285938966,
    -0.4341114738772803, 0.8785430442272952, 0.19927204442151972,
    -0.9515059600310507, 0.22035087628037145, 0.2146669498266118,
    -0.63851916436168, -0.43108332593675325, 0.6375425027730849,
    -0.1464175087926517, -0.9380871635219493, 0.31393372987670065,
    0.5666974065060516, -0.6739221885071904, 0.47400731354800196,
    0.9843259538438373, -0.16969953578330543, -0.048005042905412604,
    0.1464175087926517, 0.9380871635219493, -0.31393372987670065,
    -0.7092757549971387, 0.5264062637136828, -0.46885429388695965,
    -0.8665731819289951, -0.48138780597487246, -0.1315929352972841,
    -0.23478977787097116, -0.8594340408021292, -0.4541441287937391,
    0.5530976940065723, -0.7674370265629661, -0.32422731400177474,
    0.7711050969904513, 0.635704181656858, 0.03573685519643683,
    0.7103951209384287, 0.2403570431255892, -0.6614886725914503,
    -0.03038208738657145, 0.4501923293619194, -0.8924145871453042,
    -0.5772996158107087, -0.17667634149841485, -0.7971892020966815,
    0.24144817669673546, -0.34164568183980676, -0.9082846503437321,
    [2 * N] =
    -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75,
    -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75, -4.75,
};

#define TWENTY_ONES 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1

const keel_target problem_fekete = {
    .name = "fekete",
    .title = "Elliptic Fekete points: 20 repelling points on the sphere",
    .source = "Test Set for IVP Solvers 2.4",
    .index = 3, .size = 2 * N + POINTS,
    .t_start = 0, .t_end = 1000,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"alpha", 0.5, "damping"}},
    .create = create, .start = start,
    .counts = (const unsigned char[2 * N + POINTS]){TWENTY_ONES, TWENTY_ONES, TWENTY_ONES},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {1000, at_1000, 14, "quad precision, extrapolation, two step sizes"},
    },
};
