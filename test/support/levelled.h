/* levelled.h -- problems with all their hidden constraints, linked in chains.
 *
 *   y' = f(t,y,z),   0 = g(t,y,z),  g_z invertible,   0 = h_k(t,y),  k = 1..chain_i for row i of g
 *   d/dt h_k = h_(k-1) along y' = f,  h_0 = g;   y_a' = y_next(a) where next(a) is not negative
 *
 * A row with a chain of length c is an equation of index c + 1, differentiated c times.
 * The problems:
 *
 *   levelled_index2, 3, 4   those of problems/levelled_tower.h with K = 1, 2, 3, j = 0; known solution;
 *                           levelled_tower(K, 1): linear in z
 *   levelled_mixed          chains of length 2, 0 and 1, all coupled; known solution
 *   levelled_pendulum_of    m_x x'' = -c x' - x l,  m_y y'' = -c y' - y l - m_y g,
 *                           h_2 = (x^2 + y^2 - 1)/2
 *
 * Known solutions are chosen curves 1 + a sin(w t + p), as in problems/order.h: the differences
 * phi(y,z) - phi at the curves and Gamma(x) - Gamma at the curves take the place of phi and Gamma.
 * The solution of a pendulum follows from its angle, see levelled_reference.
 */
#ifndef KEEL_TEST_SUPPORT_LEVELLED_H
#define KEEL_TEST_SUPPORT_LEVELLED_H

#include <math.h>
#include <string.h>

#include "problems/levelled_tower.h"

enum { LEVELLED_MAX = 10 };                 /* most unknowns, y and z together                */

typedef struct levelled {
    const char *name;
    int differential, algebraic;
    const int *next;                        /* per y: where its derivative is in y, or -1     */
    const int *chain;                       /* per row of g: levels below it                  */
    /* All rates, also those that `next` tells. */
    int (*rate)(double t, const double *y, const double *z, double *f, void *context);
    /* k = 0: g; else h_k, only the rows with chain >= k, in order; z is read for k = 0 only. */
    int (*level)(double t, const double *y, const double *z, int k, double *h, void *context);
    int (*jacobian)(double t, const double *y, const double *z, keel_matrix *fg_yz, void *context);
    void (*exact)(double t, double *yz, void *context);      /* NULL: levelled_reference      */
    void *context;
} levelled;

/* ---- index 2, 3, 4, as in problems/levelled_tower.h ---------------------------------------- */

static inline levelled levelled_tower(int K, int linear)
{
    static const tower towers[][4] = {{{0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
                                      {{0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}}};
    static const char *const name[][4] = {{"", "index 2", "index 3", "index 4"},
                                          {"", "index 2, linear", "index 3, linear", "index 4, linear"}};
    const keel_levelled_spec s = tower_spec(&towers[linear][K]);
    return (levelled){name[linear][K], s.differential, s.algebraic, s.next, s.chain, tower_rate, tower_level,
                      tower_jacobian, tower_exact, s.context};
}

static inline levelled levelled_index2(void) { return levelled_tower(1, 0); }
static inline levelled levelled_index3(void) { return levelled_tower(2, 0); }
static inline levelled levelled_index4(void) { return levelled_tower(3, 0); }

/* d^k/dt^k Gamma of the curves `first` and first + 1. */
static inline double gamma_of_curves(int k, int first, double t)
{
    double X[4][2] = {{0}};
    for (int d = 0; d <= k; d++)
        for (int i = 0; i < 2; i++) X[d][i] = levelled_curve(first + i, d, t);
    return gamma_derivative(k, X);
}

/* ---- chains of length 2, 0 and 1 ---------------------------------------------------------- */

/* y = (u_1, u_2, v_1, v_2, s_1, s_2), u' = v, with Gamma(u) and Gamma(s) on their curves.  Rows:
 *   v_1' -u_1 u_2 + (1 + s_1^2/4)(z_1 + z_1^3/3) + 3/10 z_2 + z_3/5
 *   v_2'  u_1 - 2/5 v_1 v_2 + z_1/5 + z_2 z_3/10
 *   s_1' -s_1 u_2 + z_3 + z_3^3/2 + z_1/10
 *   s_2'  u_1 s_2 - s_2^2 + 3/10 z_3 + z_2^2/5
 *   0 =   z_2 + z_2^3 - u_1 s_1 + 3/10 z_3 - v_2/5 */
static inline void mixed_terms(const double *y, const double *z, double *phi)
{
    const double *v = y + 2, *s = y + 4;
    phi[0] = -y[0] * y[1] + (1 + s[0] * s[0] / 4) * (z[0] + z[0] * z[0] * z[0] / 3) + 0.3 * z[1]
             + 0.2 * z[2];
    phi[1] = y[0] - 0.4 * v[0] * v[1] + 0.2 * z[0] + 0.1 * z[1] * z[2];
    phi[2] = -s[0] * y[1] + z[2] + z[2] * z[2] * z[2] / 2 + 0.1 * z[0];
    phi[3] = y[0] * s[1] - s[1] * s[1] + 0.3 * z[2] + 0.2 * z[1] * z[1];
    phi[4] = z[1] + z[1] * z[1] * z[1] - y[0] * s[0] + 0.3 * z[2] - 0.2 * v[1];
}

static inline void mixed_terms_by(const double *y, const double *z, double by[5][9])
{
    const double *v = y + 2, *s = y + 4, cubic = z[0] + z[0] * z[0] * z[0] / 3;
    const double rows[5][9] = {
        {-y[1], -y[0], 0, 0, s[0] / 2 * cubic, 0, (1 + s[0] * s[0] / 4) * (1 + z[0] * z[0]), 0.3,
         0.2},
        {1, 0, -0.4 * v[1], -0.4 * v[0], 0, 0, 0.2, 0.1 * z[2], 0.1 * z[1]},
        {0, -s[0], 0, 0, -y[1], 0, 0.1, 0, 1 + 1.5 * z[2] * z[2]},
        {s[1], 0, 0, 0, 0, y[0] - 2 * s[1], 0, 0.4 * z[1], 0.3},
        {-s[0], 0, 0, -0.2, -y[0], 0, 0, 1 + 3 * z[1] * z[1], 0.3}};
    memcpy(by, rows, sizeof rows);
}

/* Curves 0 and 1 are u, 2 and 3 are s, 4 to 6 are z. */
static inline void mixed_exact(double t, double *yz, void *context)
{
    (void)context;
    for (int i = 0; i < 2; i++) {
        yz[i] = levelled_curve(i, 0, t);
        yz[2 + i] = levelled_curve(i, 1, t);
        yz[4 + i] = levelled_curve(2 + i, 0, t);
    }
    for (int i = 0; i < 3; i++) yz[6 + i] = levelled_curve(4 + i, 0, t);
}

/* v', s', and the row of g that stands by itself. */
static inline void mixed_rows(double t, const double *y, const double *z, double *row)
{
    double there[LEVELLED_MAX], known[5];
    mixed_exact(t, there, NULL);
    mixed_terms(there, there + 6, known);
    mixed_terms(y, z, row);
    for (int i = 0; i < 5; i++) row[i] -= known[i];
    for (int i = 0; i < 2; i++) {
        row[i] += levelled_curve(i, 2, t);
        row[2 + i] += levelled_curve(2 + i, 1, t);
    }
}

static inline int mixed_rate(double t, const double *y, const double *z, double *f, void *context)
{
    double row[5];
    (void)context;
    mixed_rows(t, y, z, row);
    memcpy(f, y + 2, 2 * sizeof *f);
    memcpy(f + 2, row, 4 * sizeof *f);
    return 0;
}

/* u, v, v' and s, s' */
static inline void mixed_derivatives(const double *y, const double *row, double U[4][2],
                                     double S[4][2])
{
    memcpy(U, y, 4 * sizeof *y);
    memcpy(U[2], row, 2 * sizeof *row);
    memcpy(S[0], y + 4, 2 * sizeof *y);
    memcpy(S[1], row + 2, 2 * sizeof *row);
}

static inline int mixed_level(double t, const double *y, const double *z, int k, double *h,
                              void *context)
{
    double row[5] = {0}, U[4][2] = {{0}}, S[4][2] = {{0}};
    (void)context;
    if (k == 0) mixed_rows(t, y, z, row);
    mixed_derivatives(y, row, U, S);
    *h++ = gamma_derivative(2 - k, U) - gamma_of_curves(2 - k, 0, t);
    if (k == 0) *h++ = row[4];
    if (k <= 1) *h++ = gamma_derivative(1 - k, S) - gamma_of_curves(1 - k, 2, t);
    return 0;
}

static inline int mixed_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                 void *context)
{
    double row[5], U[4][2] = {{0}}, S[4][2] = {{0}}, by_U[4][2], by_S[4][2], by[5][9];
    (void)context;
    mixed_rows(t, y, z, row);
    mixed_derivatives(y, row, U, S);
    gamma_derivative_by(2, U, by_U);
    gamma_derivative_by(1, S, by_S);
    mixed_terms_by(y, z, by);
    keel_put(J, 0, 2, 1);
    keel_put(J, 1, 3, 1);
    for (int j = 0; j < 9; j++) {
        for (int i = 0; i < 4; i++) keel_put(J, 2 + i, j, by[i][j]);
        keel_put(J, 6, j, (j < 4 ? by_U[j / 2][j % 2] : 0) + by_U[2][0] * by[0][j]
                          + by_U[2][1] * by[1][j]);
        keel_put(J, 7, j, by[4][j]);
        keel_put(J, 8, j, (j == 4 || j == 5 ? by_S[0][j - 4] : 0) + by_S[1][0] * by[2][j]
                          + by_S[1][1] * by[3][j]);
    }
    return 0;
}

static inline levelled levelled_mixed(void)
{
    static const int next[] = {2, 3, -1, -1, -1, -1}, chain[] = {2, 0, 1};
    return (levelled){"mixed", 6, 3, next, chain, mixed_rate, mixed_level, mixed_jacobian,
                      mixed_exact, NULL};
}

/* ---- pendulum ----------------------------------------------------------------------------- */

typedef struct levelled_pendulum { double mass[2], gravity, damping; } levelled_pendulum;

/* With unequal masses the force of the rod is not along the gradient of the constraint. */
static const levelled_pendulum pendulum_plain = {{1, 1}, 9.81, 0},
                               pendulum_masses = {{1, 5}, 9.81, 0},
                               pendulum_damped = {{1, 1}, 9.81, 2},
                               pendulum_stiff = {{1, 1}, 9.81, 1e5};

/* y = (x, y, x', y'), z = l */
static inline int pendulum_rate(double t, const double *y, const double *z, double *f,
                                void *context)
{
    const levelled_pendulum *p = context;
    (void)t;
    for (int i = 0; i < 2; i++) {
        f[i] = y[2 + i];
        f[2 + i] = -(p->damping * y[2 + i] + y[i] * z[0]) / p->mass[i];
    }
    f[3] -= p->gravity;
    return 0;
}

static inline int pendulum_level(double t, const double *y, const double *z, int k, double *h,
                                 void *context)
{
    double f[4];
    if (k == 2) h[0] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
    if (k == 1) h[0] = dot2(y, y + 2);
    if (k > 0) return 0;
    pendulum_rate(t, y, z, f, context);
    h[0] = dot2(y + 2, y + 2) + dot2(y, f + 2);
    return 0;
}

static inline int pendulum_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                    void *context)
{
    const levelled_pendulum *p = context;
    double f[4];
    pendulum_rate(t, y, z, f, context);
    for (int i = 0; i < 2; i++) {
        const double m = p->mass[i];
        keel_put(J, i, 2 + i, 1);
        keel_put(J, 2 + i, i, -z[0] / m);
        keel_put(J, 2 + i, 2 + i, -p->damping / m);
        keel_put(J, 2 + i, 4, -y[i] / m);
        keel_put(J, 4, i, f[2 + i] - y[i] * z[0] / m);
        keel_put(J, 4, 2 + i, 2 * y[2 + i] - p->damping * y[i] / m);
    }
    keel_put(J, 4, 4, -y[0] * y[0] / p->mass[0] - y[1] * y[1] / p->mass[1]);
    return 0;
}

/* The data are borrowed. */
static inline levelled levelled_pendulum_of(const levelled_pendulum *data)
{
    static const int next[] = {2, 3, -1, -1}, chain[] = {2};
    return (levelled){"pendulum", 4, 1, next, chain, pendulum_rate, pendulum_level,
                      pendulum_jacobian, NULL, (void *)data};
}

/* a = (angle from the vertical, its rate), (x, y) = (sin, -cos):
 * (m_x cos^2 + m_y sin^2) a'' + (m_y - m_x) sin cos a'^2 = -m_y g sin - c a' */
static inline int pendulum_angle_rates(double t, const double *a, double *f, void *context)
{
    const levelled_pendulum *p = context;
    const double s = sin(a[0]), c = cos(a[0]), m = p->mass[0], M = p->mass[1];
    (void)t;
    f[0] = a[1];
    f[1] = -((M - m) * s * c * a[1] * a[1] + M * p->gravity * s + p->damping * a[1])
           / (m * c * c + M * s * s);
    return 0;
}

/* (y, z) from the angle: z is what makes g vanish, which is linear in it. */
static inline void pendulum_from_angle(const levelled_pendulum *p, const double *a, double *yz)
{
    const double s = sin(a[0]), c = cos(a[0]), none = 0;
    double g;
    yz[0] = s;
    yz[1] = -c;
    yz[2] = c * a[1];
    yz[3] = s * a[1];
    pendulum_level(0, yz, &none, 0, &g, (void *)p);
    yz[4] = g / (s * s / p->mass[0] + c * c / p->mass[1]);
}

/* ---- solutions ---------------------------------------------------------------------------- */

/* From rest above the horizontal, so that the pendulum passes y = 0 and x = 0. */
static const double pendulum_start_angle[2] = {2, 0};

/* (y, z) at t >= 0: exact, or from the angle of the pendulum with an error of about 1e-11. */
static inline int levelled_reference(const levelled *problem, double t, double *yz)
{
    double a[2] = {pendulum_start_angle[0], pendulum_start_angle[1]};
    if (problem->exact) return problem->exact(t, yz, problem->context), KEEL_OK;
    keel_problem *angle = NULL;
    keel_solver *solver = NULL;
    int rc = keel_ode(&angle, &(keel_ode_spec){
        .size = 2, .rhs = pendulum_angle_rates, .context = problem->context});
    if (!rc)
        rc = keel_solver_create(&solver, angle, &(keel_options){.rtol = 1e-12, .atol = 1e-13});
    if (!rc) rc = keel_start(solver, 0, a);
    if (!rc && t > 0) rc = keel_advance_to(solver, t);
    if (!rc) memcpy(a, keel_state(solver), sizeof a);
    if (!rc) pendulum_from_angle(problem->context, a, yz);
    keel_solver_free(solver);
    keel_problem_free(angle);
    return rc;
}

#endif
