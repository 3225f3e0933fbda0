/* andrews.c -- Andrews' squeezing mechanism: seven bodies in the plane, driven by a motor, index 3.
 *
 *   M(q) q'' = f(q, q') - G(q)^T lambda,   0 = g(q),
 *   q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)
 *
 * Equations and data: [HW96 VII.7] and the Test Set for IVP Solvers; the symbols are theirs.
 * M is block diagonal, (beta Theta), (gamma), (Phi delta), (Omega epsilon).  Each pair of
 * constraints closes one loop from the motor over the common joint
 * P = r (cos, sin) beta - d (cos, sin)(beta + Theta).
 */
#include "problems/andrews.h"

#include <math.h>
#include <string.h>

#include "problems/list.h"

enum { N = ANDREWS_N, M = ANDREWS_M };
enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };

/* Masses, moments of inertia, lengths (SI units). */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                    I6 = 5.667e-7, I7 = 1.912e-5;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02, fa = 0.01421,
                    rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018,
                    sd = 0.02, ta = 0.02308, tb = 0.00916, zt = 0.04, u = 0.04, ua = 0.01228,
                    ub = 0.00449;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072;
static const double c0 = 4530, l0 = 0.07785; /* spring: stiffness, length at rest */
static const double motor = 0.033;           /* torque */

/* Cosine and sine of the angles and of the sums that occur. */
typedef struct direction { double c, s; } direction;

typedef struct directions {
    direction beta, theta, gamma, phi, delta, omega, epsilon;
    direction beta_theta, phi_delta, omega_epsilon;
} directions;

static direction at(double angle)
{
    return (direction){cos(angle), sin(angle)};
}

static direction sum(direction a, direction b)
{
    return (direction){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

static directions directions_at(const double *q)
{
    directions a = {at(q[BETA]), at(q[THETA]), at(q[GAMMA]), at(q[PHI]), at(q[DELTA]),
                    at(q[OMEGA]), at(q[EPSILON]), {0, 0}, {0, 0}, {0, 0}};
    a.beta_theta = sum(a.beta, a.theta);
    a.phi_delta = sum(a.phi, a.delta);
    a.omega_epsilon = sum(a.omega, a.epsilon);
    return a;
}

static void mass(const directions *a, double *mass)
{
    const double p = e - ea, o = zf - fa;
    double (*m)[N] = (double (*)[N])mass;
    memset(mass, 0, sizeof(double) * N * N);
    m[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * a->theta.c + da * da) + I1 + I2;
    m[0][1] = m[1][0] = m2 * (da * da - da * rr * a->theta.c) + I2;
    m[1][1] = m2 * da * da + I2;
    m[2][2] = m3 * (sa * sa + sb * sb) + I3;
    m[3][3] = m4 * p * p + I4;
    m[3][4] = m[4][3] = m4 * (p * p + zt * p * a->phi.s) + I4;
    m[4][4] = m4 * (zt * zt + 2 * zt * p * a->phi.s + p * p) + m5 * (ta * ta + tb * tb) + I4 + I5;
    m[5][5] = m6 * o * o + I6;
    m[5][6] = m[6][5] = m6 * (o * o - u * o * a->omega.s) + I6;
    m[6][6] = m6 * (o * o - 2 * u * o * a->omega.s + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

/* Torque of the spring about the joint of gamma, and its derivative.  With D the end of the
 * spring, r = D - C and L = |r|:  torque = -c0 (1 - l0/L) r.r'. */
static double spring(direction gamma, double *derivative)
{
    const double arm_x = sd * gamma.c + sc * gamma.s, arm_y = sd * gamma.s - sc * gamma.c;
    const double rx = arm_x + xb - xc, ry = arm_y + yb - yc;
    const double L = sqrt(rx * rx + ry * ry);
    const double stretch = -c0 * (L - l0) / L;
    const double r_dr = ry * arm_x - rx * arm_y;             /* r.r', r' = (-arm_y, arm_x) */
    *derivative = -c0 * l0 * r_dr * r_dr / (L * L * L)
                + stretch * (arm_x * arm_x + arm_y * arm_y - rx * arm_x - ry * arm_y);
    return stretch * r_dr;
}

static void force(const directions *a, const double *v, double *f)
{
    const double k2 = m2 * da * rr, k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
    double unused;
    f[0] = motor - k2 * v[THETA] * (v[THETA] + 2 * v[BETA]) * a->theta.s;
    f[1] = k2 * v[BETA] * v[BETA] * a->theta.s;
    f[2] = spring(a->gamma, &unused);
    f[3] = k4 * v[DELTA] * v[DELTA] * a->phi.c;
    f[4] = -k4 * v[PHI] * (v[PHI] + 2 * v[DELTA]) * a->phi.c;
    f[5] = -k6 * v[EPSILON] * v[EPSILON] * a->omega.c;
    f[6] = k6 * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * a->omega.c;
}

static void constraint(const directions *a, double *g)
{
    const double px = rr * a->beta.c - d * a->beta_theta.c;
    const double py = rr * a->beta.s - d * a->beta_theta.s;
    g[0] = px - ss * a->gamma.s - xb;
    g[1] = py + ss * a->gamma.c - yb;
    g[2] = px - e * a->phi_delta.s - zt * a->delta.c - xa;
    g[3] = py + e * a->phi_delta.c - zt * a->delta.s - ya;
    g[4] = px - zf * a->omega_epsilon.c - u * a->epsilon.s - xa;
    g[5] = py - zf * a->omega_epsilon.s + u * a->epsilon.c - ya;
}

static void constraint_jacobian(const directions *a, double *jacobian)
{
    double (*G)[N] = (double (*)[N])jacobian;
    memset(jacobian, 0, sizeof(double) * M * N);
    for (int i = 0; i < M; i += 2) {
        G[i][1] = d * a->beta_theta.s;
        G[i][0] = G[i][1] - rr * a->beta.s;
        G[i + 1][1] = -d * a->beta_theta.c;
        G[i + 1][0] = G[i + 1][1] + rr * a->beta.c;
    }
    G[0][2] = -ss * a->gamma.c;
    G[1][2] = -ss * a->gamma.s;
    G[2][3] = -e * a->phi_delta.c;
    G[2][4] = G[2][3] + zt * a->delta.s;
    G[3][3] = -e * a->phi_delta.s;
    G[3][4] = G[3][3] - zt * a->delta.c;
    G[4][5] = zf * a->omega_epsilon.s;
    G[4][6] = G[4][5] - u * a->epsilon.c;
    G[5][5] = -zf * a->omega_epsilon.c;
    G[5][6] = G[5][5] - u * a->epsilon.s;
}

static double square(double x)
{
    return x * x;
}

static void curvature(const directions *a, const double *v, double *gamma)
{
    const double b = rr * square(v[BETA]), bt = d * square(v[BETA] + v[THETA]);
    const double ga = ss * square(v[GAMMA]);
    const double pd = e * square(v[PHI] + v[DELTA]), de = zt * square(v[DELTA]);
    const double oe = zf * square(v[OMEGA] + v[EPSILON]), ep = u * square(v[EPSILON]);
    const double px = bt * a->beta_theta.c - b * a->beta.c;
    const double py = bt * a->beta_theta.s - b * a->beta.s;
    gamma[0] = px + ga * a->gamma.s;
    gamma[1] = py - ga * a->gamma.c;
    gamma[2] = px + pd * a->phi_delta.s + de * a->delta.c;
    gamma[3] = py - pd * a->phi_delta.c + de * a->delta.s;
    gamma[4] = px + oe * a->omega_epsilon.c + ep * a->epsilon.s;
    gamma[5] = py + oe * a->omega_epsilon.s - ep * a->epsilon.c;
}

int andrews_evaluate(double t, const double *q, const double *v, unsigned wanted,
                     const keel_mechanical_parts *parts, void *context)
{
    (void)t, (void)context;
    const directions a = directions_at(q);
    if (wanted & KEEL_MASS) mass(&a, parts->mass);
    if (wanted & KEEL_FORCE) force(&a, v, parts->force);
    if (wanted & KEEL_CONSTRAINT) constraint(&a, parts->constraint);
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) constraint_jacobian(&a, parts->constraint_jacobian);
    if (wanted & KEEL_CONSTRAINT_TIME) memset(parts->constraint_time, 0, sizeof(double) * M);
    if (wanted & KEEL_CURVATURE) curvature(&a, v, parts->curvature);
    return 0;
}

int andrews_force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                           void *context)
{
    (void)t, (void)context;
    const double k2 = m2 * da * rr, k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
    const direction theta = at(q[THETA]), phi = at(q[PHI]), omega = at(q[OMEGA]);
    double (*fq)[N] = (double (*)[N])f_q, (*fv)[N] = (double (*)[N])f_v;
    memset(f_q, 0, sizeof(double) * N * N);
    memset(f_v, 0, sizeof(double) * N * N);

    fq[0][THETA] = -k2 * v[THETA] * (v[THETA] + 2 * v[BETA]) * theta.c;
    fv[0][BETA] = -2 * k2 * v[THETA] * theta.s;
    fv[0][THETA] = -2 * k2 * (v[THETA] + v[BETA]) * theta.s;
    fq[1][THETA] = k2 * v[BETA] * v[BETA] * theta.c;
    fv[1][BETA] = 2 * k2 * v[BETA] * theta.s;
    spring(at(q[GAMMA]), &fq[2][GAMMA]);
    fq[3][PHI] = -k4 * v[DELTA] * v[DELTA] * phi.s;
    fv[3][DELTA] = 2 * k4 * v[DELTA] * phi.c;
    fq[4][PHI] = k4 * v[PHI] * (v[PHI] + 2 * v[DELTA]) * phi.s;
    fv[4][PHI] = -2 * k4 * (v[PHI] + v[DELTA]) * phi.c;
    fv[4][DELTA] = -2 * k4 * v[PHI] * phi.c;
    fq[5][OMEGA] = k6 * v[EPSILON] * v[EPSILON] * omega.s;
    fv[5][EPSILON] = -2 * k6 * v[EPSILON] * omega.c;
    fq[6][OMEGA] = -k6 * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * omega.s;
    fv[6][OMEGA] = 2 * k6 * (v[OMEGA] + v[EPSILON]) * omega.c;
    fv[6][EPSILON] = 2 * k6 * v[OMEGA] * omega.c;
    return 0;
}

void andrews_last_curvature(const double *q, const double forces[2], double *sum)
{
    const directions a = directions_at(q);
    const double bt = d * (forces[0] * a.beta_theta.c + forces[1] * a.beta_theta.s);
    const double oe = zf * (forces[0] * a.omega_epsilon.c + forces[1] * a.omega_epsilon.s);
    double (*h)[N] = (double (*)[N])sum;
    memset(sum, 0, sizeof(double) * N * N);
    h[BETA][BETA] = bt - rr * (forces[0] * a.beta.c + forces[1] * a.beta.s);
    h[BETA][THETA] = h[THETA][BETA] = h[THETA][THETA] = bt;
    h[OMEGA][OMEGA] = h[OMEGA][EPSILON] = h[EPSILON][OMEGA] = oe;
    h[EPSILON][EPSILON] = oe + u * (forces[0] * a.epsilon.s - forces[1] * a.epsilon.c);
}

keel_mechanical_spec problem_andrews_spec(const double *parameters)
{
    static const char *const names[] = {
        "beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon",
        "beta'", "Theta'", "gamma'", "Phi'", "delta'", "Omega'", "epsilon'",
        "lambda1", "lambda2", "lambda3", "lambda4", "lambda5", "lambda6",
    };
    (void)parameters;
    return (keel_mechanical_spec){
        .positions = N, .constraints = M,
        .evaluate = andrews_evaluate,
        .force_jacobian = andrews_force_jacobian,
        .names = names,
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_mechanical_spec spec = problem_andrews_spec(parameters);
    return keel_mechanical(problem, &spec);
}

void andrews_start(const double *parameters, double *y)
{
    static const double initial[2 * N + M] = {
        -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
        0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
        0, 0, 0, 0, 0, 0, 0,
        98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0,
    };
    (void)parameters;
    memcpy(y, initial, sizeof initial);
}

static const double at_003[2 * N + M] = {
    15.810771195153707, -15.756371058411839, 0.0408222401196458, -0.5347301163420796,
    0.524409965879954, 0.5347301163420796, 1.048080741041938,
    1139.9203022591062, -1424.3792951775401, 11.032911910618594, 19.29337410503204,
    0.5735699148295025, -19.29337410503204, 0.3231791492491309,
    199.17534810453864, -29.755309974971762, 23.06654361162215, 31.452725275771137,
    22.64249478639438, 11.617392352611256,
};

static const double at_005[2 * N + M] = {
    33.82586776695452, -33.58343151746387, 0.11339507381259901, -0.40785286560188444,
    0.5260604449169958, 0.40785286560188444, 1.056902429434963,
    1144.5355026538475, -1336.0337226511924, -190.93706860429464, -334.3170608708647,
    0.8758650829430151, 334.3170608708647, -39.617288978352995,
    108.90548842952924, -27.21622114844481, 12.602041740749929, -41.54775281620476,
    18.15834111468958, 105.3745518262451,
};

static const char reference_source[] = "quad precision, two independent routes";

const keel_target problem_andrews = {
    .name = "andrews",
    .title = "Andrews' squeezing mechanism, seven bodies",
    .source = "E. Hairer, G. Wanner, Solving ODEs II (1996), VII.7; Test Set for IVP Solvers 2.4",
    .index = 3, .size = 2 * N + M,
    .t_start = 0, .t_end = 0.03,
    .create = create, .start = andrews_start,
    .counts = (const unsigned char[2 * N + M]){1, 1, 1, 1, 1, 1, 1},
    .reference_count = 2,
    .references = (const keel_reference[]){
        {0.03, at_003, 15, reference_source},
        {0.05, at_005, 14, reference_source},
    },
};
