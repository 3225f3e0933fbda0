/* test_order.c -- the callbacks of the order problems against each other: Jacobians and time
 * derivatives against differences, the chosen solution against the equations and their hidden
 * constraints, and the bounds on g_z, g_y f_z and g_u f_v k_l that make them well conditioned.
 */
#include "problems/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { LARGEST = 8, POINTS = 40 };

/* A problem with its spec, of which exactly one is set. */
typedef struct order_case {
    const bundled_problem *problem;
    const keel_ode_spec *ode;
    const keel_semi_explicit_spec *index1;
    const keel_hessenberg2_spec *index2;
    const keel_hessenberg3_spec *index3;
    double least;                /* of det g_z, g_y f_z or g_u f_v k_l along the solution  */
} order_case;

static const order_case cases[] = {
    {&problem_order_ode, .ode = &problem_order_ode_spec},
    {&problem_order_index1, .index1 = &problem_order_index1_spec, .least = 0.8},
    {&problem_order_index2, .index2 = &problem_order_index2_spec, .least = 0.7},
    {&problem_order_index2_nonlinear, .index2 = &problem_order_index2_nonlinear_spec, .least = 0.7},
    {&problem_order_index3, .index3 = &problem_order_index3_spec, .least = 0.9},
    {&problem_order_index3_nonlinear, .index3 = &problem_order_index3_nonlinear_spec, .least = 0.9},
};
enum { CASES = sizeof cases / sizeof *cases };

/* All right-hand sides in a row, with the constraint last; returns the number of rates. */
static int evaluate(const order_case *c, double t, const double *y, double *f)
{
    if (c->ode) {
        c->ode->rhs(t, y, f, NULL);
        return c->ode->size;
    }
    if (c->index1) {
        const int n = c->index1->differential;
        c->index1->rhs(t, y, y + n, f, NULL);
        c->index1->constraint(t, y, y + n, f + n, NULL);
        return n;
    }
    if (c->index2) {
        const int n = c->index2->differential;
        c->index2->rhs(t, y, y + n, f, c->index2->context);
        c->index2->constraint(t, y, f + n, c->index2->context);
        return n;
    }
    const keel_hessenberg3_spec *s = c->index3;
    const int n = s->positions, m = s->velocities;
    s->position_rate(t, y, y + n, f, s->context);
    s->velocity_rate(t, y, y + n, y + n + m, f + n, s->context);
    s->constraint(t, y, f + n + m, s->context);
    return n + m;
}

/* Column-major. */
static void fill_jacobian(const order_case *c, double t, const double *y, double J[][LARGEST])
{
    double values[LARGEST * LARGEST] = {0};
    const int n = c->problem->size;
    keel_matrix a = {.rows = n, .columns = n, .values = values, .stray_row = -1};
    if (c->ode) c->ode->jacobian(t, y, &a, NULL);
    if (c->index1) c->index1->jacobian(t, y, y + c->index1->differential, &a, NULL);
    if (c->index2)
        c->index2->jacobian(t, y, y + c->index2->differential, &a, c->index2->context);
    if (c->index3) {
        const double *v = y + c->index3->positions, *l = v + c->index3->velocities;
        c->index3->jacobian(t, y, v, l, &a, c->index3->context);
    }
    assert_int_equal(a.stray_row, -1);
    for (int j = 0; j < n; j++) memcpy(J[j], values + j * n, (size_t)n * sizeof(double));
}

static double time_of(const bundled_problem *p, int point)
{
    return p->t_start + (p->t_end - p->t_start) * point / (POINTS - 1);
}

/* A point near the solution, off the manifold. */
static double near_solution(const bundled_problem *p, int point, double *y)
{
    const double t = time_of(p, point);
    p->exact(NULL, t, y);
    for (int i = 0; i < p->size; i++) y[i] += 0.2 * sin(7.0 * i + point);
    return t;
}

static void expect_close(const char *name, const char *what, double value, double other)
{
    if (!(fabs(value - other) <= 1e-8))
        fail_msg("%s, %s: %.12g, by differences %.12g", name, what, value, other);
}

static void jacobians_match_differences(void **state)
{
    const double step = 1e-5;
    (void)state;
    for (const order_case *c = cases; c < cases + CASES; c++)
        for (int point = 0; point < POINTS; point++) {
            double y[LARGEST], above[LARGEST], below[LARGEST], J[LARGEST][LARGEST];
            const double t = near_solution(c->problem, point, y);
            fill_jacobian(c, t, y, J);
            for (int j = 0; j < c->problem->size; j++) {
                const double y_j = y[j];
                y[j] = y_j + step;
                evaluate(c, t, y, above);
                y[j] = y_j - step;
                evaluate(c, t, y, below);
                y[j] = y_j;
                for (int i = 0; i < c->problem->size; i++)
                    expect_close(c->problem->name, "Jacobian", J[j][i],
                                 (above[i] - below[i]) / (2 * step));
            }
        }
}

/* g_y and g_t as their own callbacks give them. */
static void constraint_derivatives_match(void **state)
{
    const double step = 1e-5;
    (void)state;
    for (const order_case *c = cases; c < cases + CASES; c++)
        for (int point = 0; point < POINTS && (c->index2 || c->index3); point++) {
            double y[LARGEST], above[LARGEST], below[LARGEST], J[LARGEST][LARGEST];
            double g_y[LARGEST], g_t;
            const double t = near_solution(c->problem, point, y);
            const int n = c->index2 ? c->index2->differential : c->index3->positions;
            const int row = c->problem->size - 1;
            (c->index2 ? c->index2->constraint_jacobian
                       : c->index3->constraint_jacobian)(t, y, g_y, NULL);
            (c->index2 ? c->index2->constraint_time : c->index3->constraint_time)(t, y, &g_t, NULL);
            fill_jacobian(c, t, y, J);
            for (int j = 0; j < n; j++) assert_true(g_y[j] == J[j][row]);
            evaluate(c, t + step, y, above);
            evaluate(c, t - step, y, below);
            expect_close(c->problem->name, "g_t", g_t, (above[row] - below[row]) / (2 * step));
        }
}

/* y' = f along the chosen curves, and g = 0. */
static void solutions_solve(void **state)
{
    const double step = 1e-5;
    (void)state;
    for (const order_case *c = cases; c < cases + CASES; c++)
        for (int point = 0; point < POINTS; point++) {
            const double t = time_of(c->problem, point);
            double y[LARGEST], above[LARGEST], below[LARGEST], f[LARGEST];
            c->problem->exact(NULL, t, y);
            c->problem->exact(NULL, t + step, above);
            c->problem->exact(NULL, t - step, below);
            const int n = evaluate(c, t, y, f);
            for (int i = 0; i < n; i++)
                expect_close(c->problem->name, "rate", f[i], (above[i] - below[i]) / (2 * step));
            for (int i = n; i < c->problem->size; i++) assert_true(fabs(f[i]) < 1e-15);
        }
}

/* det g_z, g_y f_z or g_u f_v k_l out of the whole Jacobian. */
static double regularity(const order_case *c, double J[][LARGEST])
{
    double value = 0;
    if (c->index1) return J[2][2] * J[3][3] - J[3][2] * J[2][3];
    if (c->index2)
        for (int i = 0; i < 3; i++) value += J[i][3] * J[3][i];
    if (c->index3)
        for (int i = 0; i < 3; i++)
            for (int j = 3; j < 5; j++) value += J[i][5] * J[j][i] * J[5][j];
    return value;
}

static void well_conditioned(void **state)
{
    (void)state;
    for (const order_case *c = cases; c < cases + CASES; c++)
        for (int point = 0; point < POINTS && !c->ode; point++) {
            const double t = time_of(c->problem, point);
            double y[LARGEST], J[LARGEST][LARGEST];
            c->problem->exact(NULL, t, y);
            fill_jacobian(c, t, y, J);
            if (!(regularity(c, J) > c->least))
                fail_msg("%s at %g: %g", c->problem->name, t, regularity(c, J));
        }
}

/* M x'' + G^T x_l = f, G x'' = -gamma, G x' = -g_t and g = 0 along the chosen motion. */
static void motion_obeys_its_equations(void **state)
{
    enum { N = 3 };
    const keel_mechanical_spec s = problem_order_mechanical_spec(NULL);
    const bundled_problem *p = &problem_order_mechanical;
    const double step = 1e-5;
    (void)state;
    for (int point = 0; point < POINTS; point++) {
        const double t = time_of(p, point);
        double y[LARGEST], above[LARGEST], below[LARGEST], a[N];
        double M[N][N], f[N], G[N], g, g_t, gamma;
        p->exact(NULL, t, y);
        p->exact(NULL, t + step, above);
        p->exact(NULL, t - step, below);
        s.mass(t, y, M[0], NULL);
        s.force(t, y, y + N, f, NULL);
        s.constraint(t, y, &g, NULL);
        s.constraint_jacobian(t, y, G, NULL);
        s.constraint_time(t, y, &g_t, NULL);
        s.curvature(t, y, y + N, &gamma, NULL);
        for (int i = 0; i < N; i++) a[i] = (above[N + i] - below[N + i]) / (2 * step);
        for (int i = 0; i < N; i++) {
            const double Ma = M[i][0] * a[0] + M[i][1] * a[1] + M[i][2] * a[2];
            expect_close(p->name, "velocity", y[N + i], (above[i] - below[i]) / (2 * step));
            expect_close(p->name, "force", f[i] - G[i] * y[2 * N], Ma);
        }
        assert_true(fabs(g) < 1e-15);
        expect_close(p->name, "g_t", g_t, -(G[0] * y[N] + G[1] * y[N + 1] + G[2] * y[N + 2]));
        expect_close(p->name, "gamma", gamma, -(G[0] * a[0] + G[1] * a[1] + G[2] * a[2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_match_differences),
        cmocka_unit_test(constraint_derivatives_match),
        cmocka_unit_test(solutions_solve),
        cmocka_unit_test(well_conditioned),
        cmocka_unit_test(motion_obeys_its_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
