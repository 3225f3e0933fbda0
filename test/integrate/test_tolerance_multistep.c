/* test_tolerance_multistep.c -- what comes out is as exact as was asked for: bdf and dimsim.
 *
 * The error of every unknown, differential, algebraic or multiplier, is at most ten times its
 * tolerance, at the end and at 20 times before it, inside steps and at stop times, for rtol = atol
 * = 1e-4, ..., 1e-10: on the bundled problems of chosen solution, and on four of other kinds on
 * which no constant was chosen: a point that runs round the circle at a given pace; a pendulum
 * that is driven round; a reaction with an equilibrium; and two masses.  And one problem in two
 * forms has the same errors for the same work: the pendulum as a mechanical one and with its
 * levels given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "problems/problems.h"

enum { TIMES = 21, SIZE_MOST = 8 };
static const double allowed = 10;

typedef struct known {
    const char *name;
    int size;
    double t_end;
    int (*create)(keel_problem **problem, const double *parameters);
    void (*exact)(const double *parameters, double t, double *y);
} known;

/* ---- circle: index 2, quadratic in z -------------------------------------------------------- */

/* x = cos a, y = sin a, a = t + 0.3 sin 2t; z = 1 + 0.5 cos 3t acts along the radius as z + z^2 /
 * 4. */
static double angle(double t) { return t + 0.3 * sin(2 * t); }
static double pace(double t) { return 1 + 0.6 * cos(2 * t); }
static double radial(double t) { return 1 + 0.5 * cos(3 * t); }

static void circle_exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = cos(angle(t));
    y[1] = sin(angle(t));
    y[2] = radial(t);
}

static int circle_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const double x = radial(t), push = z[0] + z[0] * z[0] / 4 - x - x * x / 4;
    (void)context;
    f[0] = -pace(t) * y[1] + y[0] * push;
    f[1] = pace(t) * y[0] + y[1] * push;
    return 0;
}

static int circle_constraint(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static int create_circle(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = circle_rhs, .constraint = circle_constraint});
}

/* ---- driven pendulum: q = (sin a, -cos a), index 3, mechanical ------------------------------ */

/* Tangential forces that make a the angle above, gravity 1; l = a'^2 + cos a with G = q. */
static double second(double t) { return -1.2 * sin(2 * t); }

static void driven_exact(const double *parameters, double t, double *y)
{
    const double a = angle(t), w = pace(t);
    (void)parameters;
    y[0] = sin(a), y[1] = -cos(a);
    y[2] = w * cos(a), y[3] = w * sin(a);
    y[4] = w * w + cos(a);
}

static int driven_force(double t, const double *q, const double *v, double *f, void *context)
{
    const double a = angle(t), push = second(t) + sin(a);
    (void)v, (void)context;
    f[0] = -q[1] * push;
    f[1] = q[0] * push - 1;
    return 0;
}

static int driven_constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int create_driven(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_mechanical(problem, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = driven_force, .constraint = driven_constraint});
}

/* ---- reaction with an equilibrium: index 1 -------------------------------------------------- */

/* y = 1/(1+t), z the positive root of z^2 + y z = 2: y' = -y^2 + z^2 + y z - 2. */
static void reaction_exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = 1 / (1 + t);
    y[1] = (sqrt(y[0] * y[0] + 8) - y[0]) / 2;
}

static int reaction_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0] * y[0] + z[0] * z[0] + y[0] * z[0] - 2;
    return 0;
}

static int reaction_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] + y[0] * z[0] - 2;
    return 0;
}

static int create_reaction(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = reaction_rhs, .constraint = reaction_constraint});
}

/* ---- two masses: Hessenberg 3, quadratic in l ----------------------------------------------- */

/* u = (e^-t, sin t), v = u', l = 1 + 0.3 sin 2t; 0 = u1 u2 - e^-t sin t + u1 - e^-t. */
static void masses_exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = exp(-t), y[1] = sin(t);
    y[2] = -exp(-t), y[3] = cos(t);
    y[4] = 1 + 0.3 * sin(2 * t);
}

static int masses_position(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0], f[1] = v[1];
    return 0;
}

static int masses_velocity(double t, const double *u, const double *v, const double *l, double *k,
                           void *context)
{
    double x[5];
    masses_exact(NULL, t, x);
    const double push = l[0] + l[0] * l[0] / 5 - x[4] - x[4] * x[4] / 5;
    (void)v, (void)context;
    k[0] = exp(-t) - (u[1] + 1) * push;
    k[1] = -sin(t) - u[0] * push;
    return 0;
}

static int masses_constraint(double t, const double *u, double *g, void *context)
{
    (void)context;
    g[0] = (u[0] - exp(-t)) * (u[1] + 1) + exp(-t) * (u[1] - sin(t));
    return 0;
}

static int masses_jacobian(double t, const double *u, double *g_u, void *context)
{
    (void)context;
    g_u[0] = u[1] + 1;
    g_u[1] = (u[0] - exp(-t)) + exp(-t);
    return 0;
}

static int masses_time(double t, const double *u, double *g_t, void *context)
{
    (void)context;
    g_t[0] = exp(-t) * (u[1] + 1) - exp(-t) * (u[1] - sin(t)) - exp(-t) * cos(t);
    return 0;
}

static int create_masses(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
        .multipliers = 1, .position_rate = masses_position, .velocity_rate = masses_velocity,
        .constraint = masses_constraint, .constraint_jacobian = masses_jacobian,
        .constraint_time = masses_time});
}

/* ---- all ------------------------------------------------------------------------------------ */

static const known others[] = {
    {"circle", 3, 2, create_circle, circle_exact},
    {"driven pendulum", 5, 2, create_driven, driven_exact},
    {"reaction", 2, 2, create_reaction, reaction_exact},
    {"two masses", 5, 1.5, create_masses, masses_exact}};

/* The largest error of all, in tolerances. */
static double largest_error(const known *k, const double *parameters, const char *method,
                            double tolerance, int stops)
{
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[SIZE_MOST], exact[SIZE_MOST], worst = 0;
    assert_int_equal(k->create(&p, parameters), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &o), KEEL_OK);
    k->exact(parameters, 0, y);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    if (!stops) assert_int_equal(keel_set_stop_time(s, k->t_end), KEEL_OK);
    for (int j = 1; j <= TIMES; j++) {
        double t = j == TIMES ? k->t_end : k->t_end * j / TIMES;
        int rc = stops ? keel_advance_to(s, t) : keel_advance(s, t);
        if (rc || keel_interpolate(s, t, y))
            fail_msg("%s, %s: %s", k->name, method, keel_message(s));
        k->exact(parameters, t, exact);
        for (int i = 0; i < k->size; i++)
            worst = fmax(worst, fabs(y[i] - exact[i]) / (tolerance + tolerance * fabs(exact[i])));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return worst;
}

static void check(const known *k, const double *parameters)
{
    static const char *const methods[] = {"bdf", "dimsim"};
    for (int j = 0; j < 2; j++)
        for (int decade = 4; decade <= 10; decade++)
            for (int stops = 0; stops < 2; stops++) {
                double error = largest_error(k, parameters, methods[j], pow(10, -decade), stops);
                if (!(error <= allowed))
                    fail_msg("%s, %s, 1e-%d%s: error %.3g times the tolerance", k->name, methods[j],
                             decade, stops ? ", stops" : "", error);
            }
}

static void problems_of_chosen_solution(void **state)
{
    int count;
    const bundled_problem *const *all = bundled_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) {
        double parameters[16];
        if (strncmp(all[i]->name, "order-", 6) != 0) continue;
        for (int k = 0; k < all[i]->parameter_count; k++)
            parameters[k] = all[i]->parameters[k].value;
        check(&(known){all[i]->name, all[i]->size, all[i]->t_end, all[i]->create, all[i]->exact},
              parameters);
    }
}

static void other_problems(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) check(&others[k], NULL);
}

/* ---- the same problem in two forms ---------------------------------------------------------- */

enum { PENDULUM_SIZE = 5, POINTS = 200 };

/* Positions and velocities until t = 100, by the point, and the evaluations that they took. */
static double swing(const char *name, const char *method, double tolerance,
                    double points[POINTS][PENDULUM_SIZE])
{
    const bundled_problem *b = bundled_problem_find(name);
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double parameters[16], y[PENDULUM_SIZE];
    for (int k = 0; k < b->parameter_count; k++) parameters[k] = b->parameters[k].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    assert_int_equal(keel_solver_create(&s, p, &o), KEEL_OK);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    for (int k = 0; k < POINTS; k++) {
        double t = 100.0 * (k + 1) / POINTS;
        assert_int_equal(keel_advance(s, t), KEEL_OK);
        assert_int_equal(keel_interpolate(s, t, points[k]), KEEL_OK);
    }
    double rhs = (double)keel_solver_stats(s)->rhs;
    keel_solver_free(s);
    keel_problem_free(p);
    return rhs;
}

static void two_forms_of_the_pendulum(void **state)
{
    static const char *const names[2] = {"pendulum", "pendulum-levelled"};
    static double exact[POINTS][PENDULUM_SIZE], points[POINTS][PENDULUM_SIZE];
    (void)state;
    swing(names[0], "auto", 1e-13, exact);
    for (double tolerance = 1e-6; tolerance > 1e-9; tolerance *= 1e-2) {
        double rhs[2], digits[2];
        for (int form = 0; form < 2; form++) {
            double worst = 0;
            rhs[form] = swing(names[form], "bdf", tolerance, points);
            for (int k = 0; k < POINTS; k++)
                for (int i = 0; i < 4; i++)
                    worst = fmax(worst, fabs(points[k][i] - exact[k][i]));
            digits[form] = -log10(worst);
        }
        if (!(fabs(digits[1] - digits[0]) <= 0.3 && fabs(rhs[1] / rhs[0] - 1) <= 0.1))
            fail_msg("%g: %.2f and %.2f digits, %g and %g evaluations", tolerance, digits[0],
                     digits[1], rhs[0], rhs[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(problems_of_chosen_solution),
                                       cmocka_unit_test(other_problems),
                                       cmocka_unit_test(two_forms_of_the_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
