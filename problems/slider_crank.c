/* slider_crank.c -- slider crank with a flexible connecting rod, index 3.
 *
 *   M(p) p'' = f(p, p') - G(p)^T lambda,   0 = g(t, p),   p = (phi1, phi2, x3, q1, q2, q3, q4)
 *
 * phi1 is the angle of the crank, driven as phi1 = Omega t, phi2 that of the rod, x3 the place of
 * the sliding block.  q1, q2 are amplitudes of two lateral sine modes of the rod, q3 and q4 the
 * longitudinal displacements of its middle and its end.  With the rod's mass matrix Mq, stiffness
 * Kq, the skew coupling B and the vectors c1, c2, c12, c21 (integrals over the shape functions):
 *
 *   T = (J1 + m2 l1^2) v1^2/2 + (J2 + q.Mq q + 2 rho c12.q) v2^2/2 + m3 v3^2/2 + q'.Mq q'/2
 *     + v1 v2 l1 (cos(phi1 - phi2) (l2 m2/2 + rho c1.q) + sin(phi1 - phi2) rho c2.q)
 *     + v1 rho l1 (-sin(phi1 - phi2) c1 + cos(phi1 - phi2) c2).q' + v2 rho (c21 + B^T q).q'
 *
 * B. Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs,
 * Math. Modelling of Systems 2 (1996); data of the Test Set for IVP Solvers (linear stiffness, no
 * damping, no gravity), whose pi has eight digits.  The test set poses the velocity constraint
 * (index 2) and keeps the accelerations as unknowns; its multipliers are the ones here.
 */
#include "problems/list.h"

#include <math.h>
#include <string.h>

enum { N = 7, M = 3, Q = 4 };
enum { PHI1, PHI2, X3, Q1 };
enum { Q_END = Q1 + 3 }; /* q4 lengthens the rod at the joint with the block */

#define PI  3.1415927
#define L1  0.15             /* crank, rod: lengths                     */
#define L2  0.30
#define M2  0.151104         /* rod, block: masses                      */
#define M3  0.075552
#define J1  0.002727         /* crank, rod: moments of inertia          */
#define J2  0.0045339259
#define E   0.20e12          /* modulus of elasticity                   */
#define RHO 7870.0           /* density                                 */
#define HH  0.008            /* width and height of the rod             */
#define VOLUME (HH * HH * L2)
#define STRETCH (E * HH * HH / L2)
#define BEND (STRETCH * PI * PI * PI * PI * (HH / L2) * (HH / L2))

static const double Omega = 150;

static const double Mq[Q][Q] = {
    {RHO * VOLUME / 2, 0, 0, 0},
    {0, RHO * VOLUME / 2, 0, 0},
    {0, 0, RHO * VOLUME * 8, RHO * VOLUME},
    {0, 0, RHO * VOLUME, RHO * VOLUME * 2},
};
static const double Kq[Q][Q] = {
    {BEND / 24, 0, 0, 0},
    {0, BEND * 2 / 3, 0, 0},
    {0, 0, STRETCH * 16 / 3, -STRETCH * 8 / 3},
    {0, 0, -STRETCH * 8 / 3, STRETCH * 7 / 3},
};
#define B13 (-VOLUME * 16 / (PI * PI * PI))
#define B14 (VOLUME * (8 / (PI * PI * PI) - 1 / PI))
#define B24 (VOLUME * 0.5 / PI)
static const double B[Q][Q] = {
    {0, 0, B13, B14},
    {0, 0, 0, B24},
    {-B13, 0, 0, 0},
    {-B14, -B24, 0, 0},
};
static const double c1[Q] = {0, 0, VOLUME * 2 / 3, VOLUME / 6};
static const double c2[Q] = {VOLUME * 2 / PI, 0, 0, 0};
static const double c12[Q] = {0, 0, L2 * VOLUME / 3, L2 * VOLUME / 6};
static const double c21[Q] = {L2 * VOLUME / PI, -L2 * VOLUME * 0.5 / PI, 0, 0};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void multiply(const double (*A)[Q], const double *x, double *y)
{
    for (int i = 0; i < Q; i++) y[i] = dot(A[i], x);
}

static void mass(const double *p, double *mass)
{
    const double *q = p + Q1;
    const double s = sin(p[PHI1] - p[PHI2]), c = cos(p[PHI1] - p[PHI2]);
    double Mq_q[Q], B_q[Q], (*m)[N] = (double (*)[N])mass;
    multiply(Mq, q, Mq_q);
    multiply(B, q, B_q);
    memset(mass, 0, sizeof(double) * N * N);
    m[0][0] = J1 + M2 * L1 * L1;
    m[0][1] = m[1][0] = L1 * (c * (L2 * M2 / 2 + RHO * dot(c1, q)) + s * RHO * dot(c2, q));
    m[1][1] = J2 + dot(q, Mq_q) + 2 * RHO * dot(c12, q);
    m[2][2] = M3;
    for (int i = 0; i < Q; i++) {
        m[0][Q1 + i] = m[Q1 + i][0] = RHO * L1 * (c * c2[i] - s * c1[i]);
        m[1][Q1 + i] = m[Q1 + i][1] = RHO * (c21[i] - B_q[i]);   /* B^T = -B */
        for (int j = 0; j < Q; j++) m[Q1 + i][Q1 + j] = Mq[i][j];
    }
}

static void force(const double *p, const double *v, double *f)
{
    const double *q = p + Q1, *dq = v + Q1, v1 = v[PHI1], v2 = v[PHI2];
    const double s = sin(p[PHI1] - p[PHI2]), c = cos(p[PHI1] - p[PHI2]);
    const double along = s * (L2 * M2 / 2 + RHO * dot(c1, q)) - c * RHO * dot(c2, q);
    double Mq_q[Q], Kq_q[Q], B_dq[Q];
    multiply(Mq, q, Mq_q);
    multiply(Kq, q, Kq_q);
    multiply(B, dq, B_dq);
    f[PHI1] = -L1 * v2 * (v2 * along + 2 * RHO * (c * dot(c1, dq) + s * dot(c2, dq)));
    f[PHI2] = L1 * v1 * v1 * along - 2 * v2 * (RHO * dot(c12, dq) + dot(dq, Mq_q));
    f[X3] = 0;
    for (int i = 0; i < Q; i++)
        f[Q1 + i] = v2 * v2 * (Mq_q[i] + RHO * c12[i])
                  + RHO * (L1 * v1 * v1 * (c * c1[i] + s * c2[i]) + 2 * v2 * B_dq[i]) - Kq_q[i];
}

static int force_jacobian(double t, const double *p, const double *v,
                          double *f_q, double *f_v, void *context)
{
    (void)t, (void)context;
    const double *q = p + Q1, *dq = v + Q1, v1 = v[PHI1], v2 = v[PHI2];
    const double s = sin(p[PHI1] - p[PHI2]), c = cos(p[PHI1] - p[PHI2]);
    const double a = L2 * M2 / 2 + RHO * dot(c1, q), b = RHO * dot(c2, q);
    const double da = RHO * dot(c1, dq), db = RHO * dot(c2, dq);
    double Mq_q[Q], Mq_dq[Q], B_dq[Q];
    double (*fq)[N] = (double (*)[N])f_q, (*fv)[N] = (double (*)[N])f_v;
    multiply(Mq, q, Mq_q);
    multiply(Mq, dq, Mq_dq);
    multiply(B, dq, B_dq);
    memset(f_q, 0, sizeof(double) * N * N);
    memset(f_v, 0, sizeof(double) * N * N);

    fq[0][0] = -L1 * v2 * (v2 * (c * a + s * b) + 2 * (c * db - s * da));
    fv[0][1] = -2 * L1 * (v2 * (s * a - c * b) + c * da + s * db);
    fq[1][0] = L1 * v1 * v1 * (c * a + s * b);
    fv[1][0] = 2 * L1 * v1 * (s * a - c * b);
    fv[1][1] = -2 * (RHO * dot(c12, dq) + dot(dq, Mq_q));
    for (int i = 0; i < Q; i++) {
        const int k = Q1 + i;
        const double across = RHO * L1 * (c * c2[i] - s * c1[i]);
        const double along = RHO * L1 * (c * c1[i] + s * c2[i]);
        fq[0][k] = v2 * v2 * across;
        fv[0][k] = -2 * v2 * along;
        fq[1][k] = -v1 * v1 * across - 2 * v2 * Mq_dq[i];
        fv[1][k] = -2 * v2 * (RHO * c12[i] + Mq_q[i]);
        fq[k][0] = v1 * v1 * across;
        fv[k][0] = 2 * v1 * along;
        fv[k][1] = 2 * (v2 * (Mq_q[i] + RHO * c12[i]) + RHO * B_dq[i]);
        for (int j = 0; j < Q; j++) {
            fq[k][Q1 + j] = v2 * v2 * Mq[i][j] - Kq[i][j];
            fv[k][Q1 + j] = 2 * RHO * v2 * B[i][j];
        }
    }
    for (int i = 0; i < N; i++) fq[i][1] = -fq[i][0];   /* only phi1 - phi2 enters */
    return 0;
}

static void constraint(double t, const double *p, double *g)
{
    const double length = L2 + p[Q_END];
    g[0] = L1 * sin(p[PHI1]) + length * sin(p[PHI2]);
    g[1] = p[X3] - L1 * cos(p[PHI1]) - length * cos(p[PHI2]);
    g[2] = p[PHI1] - Omega * t;
}

static void constraint_jacobian(const double *p, double *G)
{
    const double length = L2 + p[Q_END], s2 = sin(p[PHI2]), c = cos(p[PHI2]);
    const double jacobian[M][N] = {
        {L1 * cos(p[PHI1]), length * c, 0, 0, 0, 0, s2},
        {L1 * sin(p[PHI1]), length * s2, 1, 0, 0, 0, -c},
        {1, 0, 0, 0, 0, 0, 0},
    };
    memcpy(G, jacobian, sizeof jacobian);
}

static void curvature(const double *p, const double *v, double *gamma)
{
    const double crank = L1 * v[PHI1] * v[PHI1], rod = (L2 + p[Q_END]) * v[PHI2] * v[PHI2];
    const double coriolis = 2 * v[PHI2] * v[Q_END], s2 = sin(p[PHI2]), c = cos(p[PHI2]);
    gamma[0] = -crank * sin(p[PHI1]) - rod * s2 + coriolis * c;
    gamma[1] = crank * cos(p[PHI1]) + rod * c + coriolis * s2;
    gamma[2] = 0;
}

static int evaluate(double t, const double *p, const double *v, unsigned wanted,
                    const keel_mechanical_parts *parts, void *context)
{
    const double g_t[M] = {0, 0, -Omega};
    (void)context;
    if (wanted & KEEL_MASS) mass(p, parts->mass);
    if (wanted & KEEL_FORCE) force(p, v, parts->force);
    if (wanted & KEEL_CONSTRAINT) constraint(t, p, parts->constraint);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) constraint_jacobian(p, parts->constraint_jacobian);
    if (wanted & KEEL_CONSTRAINT_TIME) memcpy(parts->constraint_time, g_t, sizeof g_t);
    if (wanted & KEEL_CURVATURE) curvature(p, v, parts->curvature);
    return 0;
}

keel_mechanical_spec problem_slider_crank_spec(const double *parameters)
{
    static const char *const names[] = {
        "phi1", "phi2", "x3", "q1", "q2", "q3", "q4",
        "phi1'", "phi2'", "x3'", "q1'", "q2'", "q3'", "q4'",
        "lambda1", "lambda2", "lambda3",
    };
    (void)parameters;
    return (keel_mechanical_spec){
        .positions = N, .constraints = M,
        .evaluate = evaluate,
        .force_jacobian = force_jacobian,
        .names = names,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_slider_crank_spec(parameters);
    return keel_mechanical(problem, &spec);
}

/* The published values have nine digits; x3 and phi2' are recomputed from the constraints, for
 * spreading their defect over q4 as well would excite the rod by 1e-5 of its elongation. */
static void start(const double *parameters, double *y)
{
    static const double initial[2 * N + M] = {
        0, 0, 0, 0, 0, 0.103339863e-4, 0.169327969e-4,
        150, 0, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5,
        -0.268938672e-5,
        -6.397251492537153e-8, 382.4589508329281, -4.376060460948886e-9,
    };
    (void)parameters;
    memcpy(y, initial, sizeof initial);
    y[X3] = L1 + L2 + y[Q_END];
    y[N + PHI2] = -L1 * Omega / (L2 + y[Q_END]);
}

static const double at_01[2 * N + M] = {
    15.0, -0.3311734988256447, 0.16973733263995855, 0.0001893192843020042,
    2.3757513204885726e-05, -5.3238967781923865e-06, -8.363313291666587e-06,
    150.0, 60.253467551296026, -8.75311632672714, -0.03005541170950723, -0.005500430645925284,
    0.0004974111663674571, 0.0011055599716078314,
    -62.32935927828679, -163.79209934418668, 25.298579487869894,
};

const keel_target problem_slider_crank = {
    .name = "slider-crank",
    .title = "Slider crank with a flexible connecting rod",
    .source = "B. Simeon, Math. Modelling of Systems 2 (1996) 1-18; Test Set for IVP Solvers 2.4",
    .index = 3, .size = 2 * N + M,
    .t_start = 0, .t_end = 0.1,
    .create = create, .start = start,
    .counts = (const unsigned char[2 * N + M]){1, 1, 1, 1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {0.1, at_01, 15, "quad precision, extrapolation, two step sizes"},
    },
};
