/* double_pendulum.h -- two masses on two rods in the plane, with and without a row too many.
 *
 *   m_i p_i'' = (0, -m_i g) - G^T l,   0 = (|p_1|^2 - 1)/2,  0 = (|p_2 - p_1|^2 - 1)/2,
 *
 * m = (1, 2), g = 9.81, q = (p_1, p_2), and as a third row the second rod once more, of length 1
 * (redundant: every (l_2, l_3) with the same sum is right, and the smallest has equal parts) or
 * 1.1 (a contradiction: no q satisfies all rows, and the nearest fails two of them by as much).
 *
 * The same in the angles from the vertical, p_1 = (sin a, -cos a), p_2 = p_1 + (sin b, -cos b):
 *
 *   3 a'' + 2 cos(a-b) b'' = -2 sin(a-b) b'^2 - 3 g sin a
 *   2 cos(a-b) a'' + 2 b'' =  2 sin(a-b) a'^2 - 2 g sin b
 */
#ifndef KEEL_TEST_SUPPORT_DOUBLE_PENDULUM_H
#define KEEL_TEST_SUPPORT_DOUBLE_PENDULUM_H

#include <math.h>
#include <string.h>

#include "keel/keel.h"

typedef struct double_pendulum { int rows; double third_length; } double_pendulum;

static const double_pendulum two_rods = {2, 0}, rod_twice = {3, 1}, rods_that_contradict = {3, 1.1};

enum { DOUBLE_PENDULUM_N = 4, DOUBLE_PENDULUM_MAX = 11 };

static inline int double_pendulum_mass(double t, const double *q, double *M, void *context)
{
    (void)t, (void)q, (void)context;
    memset(M, 0, 16 * sizeof *M);
    M[0] = M[5] = 1;
    M[10] = M[15] = 2;
    return 0;
}

static inline int double_pendulum_force(double t, const double *q, const double *v, double *f,
                                        void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = f[2] = 0;
    f[1] = -9.81;
    f[3] = -2 * 9.81;
    return 0;
}

static inline int double_pendulum_constraint(double t, const double *q, double *g, void *context)
{
    const double_pendulum *p = context;
    const double x = q[2] - q[0], y = q[3] - q[1];
    (void)t;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    g[1] = (x * x + y * y - 1) / 2;
    if (p->rows > 2) g[2] = (x * x + y * y - p->third_length * p->third_length) / 2;
    return 0;
}

static inline int double_pendulum_jacobian(double t, const double *q, double *G, void *context)
{
    const double_pendulum *p = context;
    const double x = q[2] - q[0], y = q[3] - q[1];
    const double rows[3][4] = {{q[0], q[1], 0, 0}, {-x, -y, x, y}, {-x, -y, x, y}};
    (void)t;
    memcpy(G, rows, (size_t)p->rows * sizeof *rows);
    return 0;
}

static inline int double_pendulum_time(double t, const double *q, double *g_t, void *context)
{
    const double_pendulum *p = context;
    (void)t, (void)q;
    memset(g_t, 0, (size_t)p->rows * sizeof *g_t);
    return 0;
}

static inline int double_pendulum_curvature(double t, const double *q, const double *v,
                                            double *gamma, void *context)
{
    const double_pendulum *p = context;
    const double x = v[2] - v[0], y = v[3] - v[1];
    (void)t, (void)q;
    gamma[0] = v[0] * v[0] + v[1] * v[1];
    for (int i = 1; i < p->rows; i++) gamma[i] = x * x + y * y;
    return 0;
}

/* `kind` is one of the three above, or another; borrowed. */
static inline keel_mechanical_spec double_pendulum_spec(const double_pendulum *kind)
{
    return (keel_mechanical_spec){
        .positions = 4, .constraints = kind->rows, .mass = double_pendulum_mass,
        .force = double_pendulum_force, .constraint = double_pendulum_constraint,
        .constraint_jacobian = double_pendulum_jacobian, .constraint_time = double_pendulum_time,
        .curvature = double_pendulum_curvature, .constant_mass = 1, .context = (void *)kind};
}

/* x = (a, b, a', b') */
static inline int double_pendulum_angle_rates(double t, const double *x, double *f, void *context)
{
    const double s = sin(x[0] - x[1]), c = cos(x[0] - x[1]), g = 9.81;
    const double r = -2 * s * x[3] * x[3] - 3 * g * sin(x[0]);
    const double k = 2 * s * x[2] * x[2] - 2 * g * sin(x[1]);
    const double determinant = 6 - 4 * c * c;
    (void)t, (void)context;
    f[0] = x[2];
    f[1] = x[3];
    f[2] = (2 * r - 2 * c * k) / determinant;
    f[3] = (3 * k - 2 * c * r) / determinant;
    return 0;
}

static inline keel_ode_spec double_pendulum_angles(void)
{
    return (keel_ode_spec){.size = 4, .rhs = double_pendulum_angle_rates};
}

/* (q, v) from the angles and their rates. */
static inline void double_pendulum_from_angles(const double *x, double *y)
{
    for (int i = 0; i < 2; i++) {
        const double s = sin(x[i]), c = cos(x[i]);
        y[2 * i] = (i ? y[0] : 0) + s;
        y[2 * i + 1] = (i ? y[1] : 0) - c;
        y[4 + 2 * i] = (i ? y[4] : 0) + c * x[2 + i];
        y[5 + 2 * i] = (i ? y[5] : 0) + s * x[2 + i];
    }
}

/* Where the motion starts: in angles, and with zero multipliers in Cartesian coordinates. */
static const double double_pendulum_start_angles[4] = {0.9, 0.4, 0, 1};

static inline void double_pendulum_start(const double_pendulum *kind, double *y)
{
    double_pendulum_from_angles(double_pendulum_start_angles, y);
    memset(y + 8, 0, (size_t)kind->rows * sizeof *y);
}

#endif
