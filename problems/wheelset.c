/* wheelset.c -- a railway wheelset rolling on a straight track with creep forces, index 2.
 *
 *   M(y) y' = f(y),   y = (p, v, beta, psiR, xiR, psiL, xiL, lambda1, lambda2)
 *
 * p = (x, y, z, theta, phi): displacements, yaw and roll; v = p'; beta is the deviation of the
 * angular velocity from V/rn0.  A contact point of a wheel is given by its angle psi on the wheel
 * and its place xi along the axle.  The equations are
 *
 *   p' = v,   M_v (v, beta)' = forces of springs, gyration, contact (lambda) and creep (T),
 *   0 = Q_L(p, psiL, xiL).v,  0 = Q_R(p, psiR, xiR).v     contact, differentiated once
 *   0 = four conditions for the contact points            planes of contact are parallel
 *
 * That the wheels touch the rails is hidden in them, and attached with its derivative.
 *
 * B. Simeon, C. Fuehrer, P. Rentrop, Introduction to differential-algebraic equations in vehicle
 * system dynamics, Surv. Math. Ind. 1 (1991) 1-37, in the data of the Test Set for IVP Solvers;
 * creep forces after A. Jaschinski, DLR-FB 90-06 (1990).  The wheel is a cone, the rail a circle.
 */
#include "problems/list.h"

#include <math.h>
#include <string.h>

enum { SIZE = 17 };
enum { X, Y, Z, THETA, PHI, VX, VY, VZ, VTHETA, VPHI, BETA };
enum { CONTACT_R = 11, CONTACT_L = 13, LAMBDA = 15 };

static const double mass_r = 16.08, gravity = 9.81, V = 30, I1 = 0.0605, I2 = 0.366;
static const double rn0 = 0.1, delta0 = 0.0262, ar = 0.1506, rail_radius = 0.06;
static const double cx = 6400, cz = 6400, xl = 0.19;     /* springs, and their place on the axle */
static const double mu = 0.12;                           /* friction                             */
static const double lambda_unit = 1e4;                   /* of the unknowns lambda               */

/* Hertz' ellipse and Kalker's coefficients. */
static const double hertz_E = 1.3537956, hertz_G = 0.7115218, sigma = 0.28, shear = 7.92e10,
                    pi = 3.1415926, c11 = 4.72772197, c22 = 4.27526987, c23 = 1.97203505;

/* Yaw and roll. */
typedef struct attitude { double sin_t, cos_t, sin_p, cos_p; } attitude;

/* One wheel on its rail. */
typedef struct contact {
    double sin_psi, cos_psi, xi;
    double radius, slope;                /* wheel profile R(xi) and R'(xi)                   */
    double aside, down, behind;          /* from the middle of the axle, in axes that yaw with it */
    double rail_slope;                   /* rail profile, at the contact point               */
    double lean, rise;                   /* of the wheel's surface there: its slope is -lean / rise */
    double sin_d, cos_d;                 /* of the angle of the contact plane                */
    double Q[5];                         /* gradient of the contact condition in p           */
    double T[3];                         /* creep force                                      */
} contact;

/* Geometry of the contact at (psi, xi); > 0 when it is off the profile (derailment). */
static int contact_geometry(const double *y, const attitude *a, const double *psi_xi, contact *c)
{
    const double sin_psi = sin(psi_xi[0]), cos_psi = cos(psi_xi[0]), xi = psi_xi[1];
    const double radius = rn0 + tan(delta0) * (ar - fabs(xi));
    const double slope = copysign(tan(delta0), -xi);
    if (!(fabs(xi) > 0 && fabs(xi) < 4)) return 1;

    const double aside = xi * a->cos_p + radius * cos_psi * a->sin_p, behind = radius * sin_psi;
    const double x = y[X] + a->cos_t * aside - a->sin_t * behind;
    const double off = ar + rail_radius * sin(delta0) - fabs(x);
    if (!(fabs(off) < rail_radius - 1e-5)) return 1;
    const double g = copysign(off, off * x) / sqrt(rail_radius * rail_radius - off * off);

    const double lean = (slope * a->cos_p - a->sin_p * cos_psi) * a->cos_t + sin_psi * a->sin_t;
    const double rise = slope * a->sin_p + cos_psi * a->cos_p;
    const double tangent = lean / rise;                  /* of minus that angle */
    c->sin_psi = sin_psi;
    c->cos_psi = cos_psi;
    c->xi = xi;
    c->radius = radius;
    c->slope = slope;
    c->aside = aside;
    c->down = radius * cos_psi * a->cos_p - xi * a->sin_p;
    c->behind = behind;
    c->rail_slope = g;
    c->lean = lean;
    c->rise = rise;
    c->cos_d = 1 / sqrt(1 + tangent * tangent);
    c->sin_d = -tangent * c->cos_d;
    c->Q[0] = g;
    c->Q[1] = -1;
    c->Q[2] = 0;
    c->Q[3] = -g * (a->cos_t * behind + a->sin_t * aside);
    c->Q[4] = g * a->cos_t * c->down - aside;
    return 0;
}

/* Creep force T on a wheel pressed to its rail by `normal`, from the velocity w of the contact
 * point relative to the rail and the mean velocity of rolling. */
static void creep(const double *y, const attitude *a, double normal, contact *c)
{
    const double R = c->radius, spin = V / rn0 + y[BETA];
    const double s = sin(y[THETA] / c->cos_d), k = cos(y[THETA] / c->cos_d);
    const double back = spin * R * c->cos_psi + y[VTHETA] * c->aside;
    const double across = (spin * a->sin_p + y[VTHETA]) * c->behind - y[VPHI] * c->down;
    const double w[3] = {
        y[VX] - s * back - k * across,
        y[VY] + spin * a->cos_p * c->behind + y[VPHI] * c->aside,
        y[VZ] + V - k * back + s * across,
    };
    const double u[3] = {w[0] - 2 * y[VX], w[1] - 2 * y[VY], w[2] - 2 * (y[VZ] + V)};
    const double rolling = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / 2;
    const double creep_x = (s * w[0] + k * w[2]) / rolling;
    const double creep_y = (k * c->cos_d * w[0] + c->sin_d * w[1] - s * c->cos_d * w[2]) / rolling;
    const double creep_spin = (c->cos_d * y[VTHETA] - c->sin_d * spin) / rolling;

    const double curvatures = 0.5 / (R * sqrt(1 + c->slope * c->slope)) + 0.5 / rail_radius;
    const double size = cbrt(3 * fabs(normal) * (1 - sigma) * hertz_E
                             / (2 * pi * curvatures * shear * sqrt(hertz_G)));
    const double limit = mu * normal, stiffness = shear * size * size / limit;
    double tx = -limit * tanh(stiffness * c11 * creep_x);
    double ty = -limit * tanh(stiffness * (c22 * creep_y + size * c23 * creep_spin));
    const double total = sqrt(tx * tx + ty * ty);
    if (total > fabs(limit)) {
        tx *= fabs(limit) / total;
        ty *= fabs(limit) / total;
    }
    c->T[0] = s * tx + k * c->cos_d * ty;
    c->T[1] = c->sin_d * ty;
    c->T[2] = k * tx - s * c->cos_d * ty;
}

/* Adds what the contact does: its constraint force and its creep force, to f[VX..BETA]. */
static void add_contact_force(const attitude *a, const contact *c, double lambda, double *f)
{
    const double *T = c->T, along = a->sin_t * T[0] + a->cos_t * T[2];
    const double across = a->cos_t * T[0] - a->sin_t * T[2];
    for (int i = 0; i < 5; i++) f[VX + i] += c->Q[i] * lambda;
    for (int i = 0; i < 3; i++) f[VX + i] += T[i];
    f[VTHETA] -= c->xi * along + c->behind * (a->cos_p * across + a->sin_p * T[1]);
    f[VPHI] += c->down * across + c->aside * T[1];
    f[BETA] += c->behind * (a->cos_p * T[1] - a->sin_p * across) - c->radius * c->cos_psi * along;
}

/* Residuals of Q.v and of the two conditions for the contact point, into three places of f. */
static void contact_residuals(const double *y, const attitude *a, const contact *c,
                              double *rate, double *conditions)
{
    const double across = c->slope * a->cos_p - a->sin_p * c->cos_psi;
    *rate = 0;
    for (int i = 0; i < 5; i++) *rate += c->Q[i] * y[VX + i];
    conditions[0] = c->rail_slope * c->rise + c->lean;
    conditions[1] = a->sin_t * across - a->cos_t * c->sin_psi;
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const attitude a = {sin(y[THETA]), cos(y[THETA]), sin(y[PHI]), cos(y[PHI])};
    const double spin = V / rn0 + y[BETA], yaw_spring = -2 * xl * xl * cz * y[THETA];
    const double e1 = y[LAMBDA] * lambda_unit, e2 = y[LAMBDA + 1] * lambda_unit;
    contact left, right;
    (void)t, (void)context;
    if (contact_geometry(y, &a, y + CONTACT_L, &left)) return 1;
    if (contact_geometry(y, &a, y + CONTACT_R, &right)) return 1;

    /* Normal forces: those in the two contact planes that balance the constraint forces. */
    const double w1 = left.Q[0] * e1 + right.Q[0] * e2, w2 = left.Q[1] * e1 + right.Q[1] * e2;
    const double determinant = right.sin_d * left.cos_d - right.cos_d * left.sin_d;
    if (fabs(determinant) < 1e-8) return 1;
    creep(y, &a, (right.cos_d * w1 + right.sin_d * w2) / determinant, &left);
    creep(y, &a, -(left.cos_d * w1 + left.sin_d * w2) / determinant, &right);

    memcpy(f, y + VX, 5 * sizeof *f);
    f[VX] = -2 * cx * y[X];
    f[VY] = -mass_r * gravity;
    f[VZ] = -2 * cz * y[Z];
    f[VTHETA] = (2 * I2 - I1) * y[VTHETA] * y[VPHI] * a.sin_p - I1 * spin * y[VPHI]
              + a.cos_p * yaw_spring;
    f[VPHI] = I1 * spin * y[VTHETA] * a.cos_p
            + (I1 - I2) * y[VTHETA] * y[VTHETA] * a.sin_p * a.cos_p;
    f[BETA] = -I1 * y[VTHETA] * y[VPHI] * a.cos_p + a.sin_p * yaw_spring;
    add_contact_force(&a, &left, e1, f);
    add_contact_force(&a, &right, e2, f);
    contact_residuals(y, &a, &right, f + LAMBDA + 1, f + CONTACT_R);
    contact_residuals(y, &a, &left, f + LAMBDA, f + CONTACT_L);
    return 0;
}

/* ---- hidden constraints --------------------------------------------------------------------- */

enum { ROWS = 4 };

/* Q.v where psi and xi are those of the contact with the rail.  They are off by what moves the two
 * conditions to 0, and Q.v = g w - y' + b phi', w = x' - a theta' + c phi', changes with them; g is
 * the slope of the rail at the place x_c of the contact. */
static double contact_rate(const double *y, const attitude *at, const contact *k)
{
    const double st = at->sin_t, ct = at->cos_t, sp = at->sin_p, cp = at->cos_p;
    const double R = k->radius, e = k->slope, sy = k->sin_psi, cy = k->cos_psi;
    const double g = k->rail_slope, bend = (1 + g * g) * sqrt(1 + g * g) / rail_radius;
    const double a = ct * k->behind + st * k->aside, c = ct * k->down;
    const double w = y[VX] - a * y[VTHETA] + c * y[VPHI];
    const double x_psi = -R * (ct * sp * sy + st * cy);
    const double x_xi = ct * cp + e * (ct * sp * cy - st * sy);
    const double g_psi = -bend * x_psi, g_xi = -bend * x_xi;
    const double rate_psi = g_psi * w + R * sy * sp * y[VPHI]
        - g * R * (ct * cp * sy * y[VPHI] + (ct * cy - sy * sp * st) * y[VTHETA]);
    const double rate_xi = g_xi * w - (e * cy * sp + cp) * y[VPHI]
        + g * (ct * (cp * cy * e - sp) * y[VPHI]
               - (e * (ct * sy + cy * sp * st) + cp * st) * y[VTHETA]);
    const double level_psi = g_psi * k->rise + (ct * sp - g * cp) * sy + st * cy, level_xi = g_xi * k->rise;
    const double turn_psi = st * sp * sy - ct * cy;
    double rate, conditions[2];
    contact_residuals(y, at, k, &rate, conditions);
    const double psi = conditions[1] / turn_psi;
    return rate - rate_psi * psi - rate_xi * (conditions[0] - level_psi * psi) / level_xi;
}

/* Left and right: the wheel touches the rail, and goes on to do so. */
static int hidden(double t, const double *y, double *h, void *context)
{
    const attitude a = {sin(y[THETA]), cos(y[THETA]), sin(y[PHI]), cos(y[PHI])};
    (void)t, (void)context;
    for (int side = 0; side < 2; side++) {
        contact k;
        if (contact_geometry(y, &a, y + (side ? CONTACT_R : CONTACT_L), &k)) return 1;
        const double rail = rail_radius * (1 / sqrt(1 + k.rail_slope * k.rail_slope) - cos(delta0));
        h[side] = rail - rn0 - (y[Y] - k.down);
        h[2 + side] = contact_rate(y, &a, &k);
    }
    return 0;
}

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 5; i++) keel_put(M, i, i, 1);
    for (int i = VX; i <= VZ; i++) keel_put(M, i, i, mass_r);
    keel_put(M, VTHETA, VTHETA, I2 * cos(y[PHI]));
    keel_put(M, VPHI, VPHI, I2);
    keel_put(M, BETA, VTHETA, I1 * sin(y[PHI]));
    keel_put(M, BETA, BETA, I1);
    return 0;
}

keel_quasilinear_spec problem_wheelset_spec(const double *parameters)
{
    static const char *const names[SIZE] = {
        "x", "y", "z", "theta", "phi", "x'", "y'", "z'", "theta'", "phi'", "beta",
        "psiR", "xiR", "psiL", "xiL", "lambda1", "lambda2",
    };
    static const int variable_index[SIZE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2};
    static const int kept[ROWS] = {1, 1, 0, 0};
    static const char *const rows[ROWS] = {
        "left contact", "right contact", "left contact'", "right contact'"};
    (void)parameters;
    return (keel_quasilinear_spec){
        .size = SIZE, .mass = mass, .rhs = rhs, .variable_index = variable_index, .names = names,
        .attached = {.rows = ROWS, .value = hidden, .kept = kept, .names = rows},
    };
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_quasilinear_spec spec = problem_wheelset_spec(parameters);
    return keel_quasilinear(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    static const double initial[SIZE] = {
        0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3, 0.26459e-3,
        0, 0, 0, 0, 0, 0,
        -7.4122380357667139e-6, -0.1521364296121248, 7.5634406395172940e-6, 0.1490635714733819,
        -8.3593e-3, -7.4144e-3,
    };
    (void)parameters;
    memcpy(y, initial, sizeof initial);
}

const keel_target problem_wheelset = {
    .name = "wheelset",
    .title = "Railway wheelset with creep forces",
    .source = "B. Simeon, C. Fuehrer, P. Rentrop, Surv. Math. Ind. 1 (1991) 1-37; "
              "Test Set for IVP Solvers 2.4",
    .index = 2, .size = SIZE,
    .t_start = 0, .t_end = 10,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){1, 1, 1, 1, 1},
    .reference_count = 1,
    .references = (const keel_reference[]){
        {10, (const double[]){0.008635538305144033, 1.303834138546679e-05, -9.363578895850296e-05,
                              -0.01364229441161748, 0.0015292894310063785, -0.07698521203567364,
                              -0.0002515105495664977, 0.0020541126862300527, -0.2390484417953077,
                              -0.013633439744997634, -0.24421369147169375, -0.0003366673875497523,
                              -0.15949425642639783, 0.0003783959933624193, 0.1417321500388439,
                              -0.010124045243412857, -0.005628562657411083},
         6.5, "recomputed"},
    },
};
