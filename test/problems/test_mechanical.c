/* test_mechanical.c -- the callbacks of the bundled mechanical problems against each other.
 *
 * At several points: G, g_t, f_q and f_v against differences; gamma against the second difference
 * of g along (t + e, q + e v); M symmetric and positive definite; the quadratic forces against
 * the derivative of M.  At the start: the constraints.  At references: M a + G^T lambda = f,
 * G a = -gamma against the stored multipliers and accelerations.
 */
#include "problems/chain.h"
#include "problems/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { N_MAX = 60, M_MAX = 20, SYSTEM_MAX = N_MAX + M_MAX, PARAMETERS_MAX = 8 };

/* A problem with what is known of it besides its callbacks. */
typedef struct mechanical_case {
    const bundled_problem *problem;
    keel_mechanical_spec (*spec)(const double *parameters);
    double start_position, start_velocity;  /* bounds on |g| and |G v + g_t| at the start  */
    double end_position, end_velocity;      /* the same at the references                  */
    double multiplier;                      /* bound on the relative error of the lambda   */
    int inertial;                           /* velocity enters f through M_q only          */
    double perturbation;                    /* of the positions, for a generic point       */
    const double *initial_acceleration;     /* at the start and at the references, or NULL */
    const double *acceleration[2];
    double acceleration_bound;              /* relative, at the references                 */
} mechanical_case;

static const double andrews_initial[7] = {14222.443919954114, -10666.832939965585};
static const double andrews_003[7] = {
    -24631.763122874636, 51850.31963646423, 324102.6007075786, 566749.4220009954,
    16743.635418345446, -566749.4220009954, 9826.507801544163,
};
static const double andrews_005[7] = {
    391866.3976893025, -745643.5187913033, 107933.16503666824, 194626.8608073244,
    -26303.817354149785, -194626.8608073244, 102937.81804144962,
};

static const double crank_initial[7] = {
    0, -0.001344541576008661, -5062.194923138079, -6.833142732779555e-05, 1.449382650173157e-08,
    -4.268463211410861, 0.2098334687947376,
};
/* Of the solution with another projection of the initial values, 3e-9 away. */
static const double crank_01[7] = {
    0, 6488.737541276957, 2167.938629509884, 33.91137060286523, 0.1715134772216488,
    -1.422449408912512, 1.00394642812481,
};

static const mechanical_case cases[] = {
    {&problem_pendulum, problem_pendulum_spec, 0, 0, 1e-15, 1e-15, 1e-14, 1, 0.1,
     NULL, {NULL, NULL}, 0},
    {&problem_andrews, problem_andrews_spec, 1e-16, 0, 3e-16, 3e-13, 1e-12, 1, 0.1,
     andrews_initial, {andrews_003, andrews_005}, 1e-12},
    {&problem_andrews_stiff, problem_andrews_stiff_spec, 1e-16, 0, 3e-16, 3e-13, 1e-8, 1, 0.1,
     andrews_initial, {NULL, NULL}, 0},
    {&problem_car_axis, problem_car_axis_spec, 0, 1e-16, 1e-15, 1e-15, 1e-11, 1, 0.1,
     NULL, {NULL, NULL}, 0},
    {&problem_slider_crank, problem_slider_crank_spec, 1e-16, 1e-14, 1e-15, 1e-14, 1e-12, 1, 0.1,
     crank_initial, {crank_01, NULL}, 1e-8},
    {&problem_fekete, problem_fekete_spec, 1e-15, 0, 1e-14, 1e-14, 1e-14, 0, 0.01,
     NULL, {NULL, NULL}, 0},
    {&problem_chain, problem_chain_spec, 1e-16, 0, 1e-15, 1e-13, 1e-11, 0, 0.01,
     NULL, {NULL, NULL}, 0},
    {&problem_truck, problem_truck_spec, 1e-15, 0, 1e-15, 1e-17, 1e-9, 0, 0.1,
     NULL, {NULL, NULL}, 0},
    {&problem_order_mechanical, problem_order_mechanical_spec, 0, 1e-15, 0, 0, 0, 0, 0.1,
     NULL, {NULL, NULL}, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* One evaluated point. */
typedef struct point {
    double t, q[N_MAX], v[N_MAX];
    double M[N_MAX * N_MAX], f[N_MAX], g[M_MAX], G[M_MAX * N_MAX], g_t[M_MAX], gamma[M_MAX];
} point;

static void evaluate(const keel_mechanical_spec *s, point *p)
{
    const int n = s->positions;
    if (s->evaluate) {
        const keel_mechanical_parts parts = {p->M, p->f, p->g, p->G, p->g_t, p->gamma};
        assert_int_equal(s->evaluate(p->t, p->q, p->v, 63, &parts, s->context), 0);
        return;
    }
    memset(p->M, 0, sizeof p->M);
    memset(p->g_t, 0, sizeof p->g_t);
    for (int i = 0; i < n; i++) p->M[i * n + i] = 1;
    if (s->mass) assert_int_equal(s->mass(p->t, p->q, p->M, s->context), 0);
    assert_int_equal(s->force(p->t, p->q, p->v, p->f, s->context), 0);
    assert_int_equal(s->constraint(p->t, p->q, p->g, s->context), 0);
    assert_int_equal(s->constraint_jacobian(p->t, p->q, p->G, s->context), 0);
    assert_int_equal(s->curvature(p->t, p->q, p->v, p->gamma, s->context), 0);
    if (s->constraint_time)
        assert_int_equal(s->constraint_time(p->t, p->q, p->g_t, s->context), 0);
}

static double maximum(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static void check(const mechanical_case *c, const char *what, double error, double bound)
{
    if (!(error <= bound))
        fail_msg("%s: %s off by %.3e, allowed %.3e", c->problem->name, what, error, bound);
}

static void defaults(const bundled_problem *problem, double *parameters)
{
    assert_true(problem->parameter_count <= PARAMETERS_MAX);
    for (int i = 0; i < problem->parameter_count; i++)
        parameters[i] = problem->parameters[i].value;
}

/* Number `k` of a fixed sequence that looks random in (-1, 1). */
static double scatter(int k)
{
    return 2 * fmod(0.5 + 0.6180339887498949 * (k + 1), 1) - 1;
}

/* Generic points near the start and the references; positions moved off the manifold. */
static void generic_point(const mechanical_case *c, const keel_mechanical_spec *s, int k, point *p)
{
    const bundled_problem *problem = c->problem;
    const double *y;
    double start[2 * N_MAX + M_MAX], parameters[PARAMETERS_MAX];
    if (k < problem->reference_count) {
        y = problem->references[k].y;
        p->t = problem->references[k].t * 0.7;
    } else {
        defaults(problem, parameters);
        problem->start(parameters, start);
        y = start;
        p->t = problem->t_start + 0.1 * (problem->t_end - problem->t_start);
    }
    for (int i = 0; i < s->positions; i++) {
        p->q[i] = y[i] + c->perturbation * scatter(3 * i + k);
        p->v[i] = (1 + fabs(y[s->positions + i])) * scatter(5 * i + k);
    }
}

/* An array of a point at five places of something that moves. */
typedef struct quotient { double value[5][N_MAX * N_MAX]; } quotient;

static const double offset[5] = {-2, -1, 0, 1, 2};

/* Fourth-order first and second derivative from values at -2h, -h, 0, h, 2h. */
static double first(const quotient *d, int i, double h)
{
    return (8 * (d->value[3][i] - d->value[1][i]) - (d->value[4][i] - d->value[0][i])) / (12 * h);
}

static double second(const quotient *d, int i, double h)
{
    return (16 * (d->value[3][i] + d->value[1][i]) - (d->value[4][i] + d->value[0][i])
            - 30 * d->value[2][i]) / (12 * h * h);
}

static const double step = 1e-3;

/* Derivative of the array at `field` (offset in point) with respect to the number at `variable`. */
static void sample(const keel_mechanical_spec *s, const point *at, size_t variable, size_t field,
                   int size, quotient *d)
{
    for (int k = 0; k < 5; k++) {
        point p = *at;
        double *x = (double *)(void *)((char *)&p + variable);
        *x += offset[k] * step;
        evaluate(s, &p);
        memcpy(d->value[k], (char *)&p + field, (size_t)size * sizeof(double));
    }
}

/* Largest deviation of column j of the rows x n matrix `a` from the differences in d, each row
 * relative to its largest entry or to the rounding of the function itself. */
static double column_error(const double *a, int rows, int n, int j, const quotient *d)
{
    double worst = 0;
    for (int i = 0; i < rows; i++) {
        double size = maximum(a + i * n, n) + 1e-4 * fabs(d->value[2][i]);
        double error = fabs(first(d, i, step) - a[i * n + j]) / (size > 0 ? size : 1);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static size_t entry(size_t array, int i)
{
    return array + (size_t)i * sizeof(double);
}

static void check_jacobians(const mechanical_case *c, const keel_mechanical_spec *s, point *p)
{
    const int n = s->positions, m = s->constraints;
    static double f_q[N_MAX * N_MAX], f_v[N_MAX * N_MAX];
    static quotient d;
    for (int j = 0; j < n; j++) {
        sample(s, p, entry(offsetof(point, q), j), offsetof(point, g), m, &d);
        check(c, "G", column_error(p->G, m, n, j, &d), 1e-9);
    }
    sample(s, p, offsetof(point, t), offsetof(point, g), m, &d);
    check(c, "g_t", column_error(p->g_t, m, 1, 0, &d), 1e-8);
    if (!s->force_jacobian) return;
    assert_int_equal(s->force_jacobian(p->t, p->q, p->v, f_q, f_v, s->context), 0);
    for (int j = 0; j < n; j++) {
        sample(s, p, entry(offsetof(point, q), j), offsetof(point, f), n, &d);
        check(c, "f_q", column_error(f_q, n, n, j, &d), 1e-8);
        sample(s, p, entry(offsetof(point, v), j), offsetof(point, f), n, &d);
        check(c, "f_v", column_error(f_v, n, n, j, &d), 1e-8);
    }
}

/* gamma = d^2/de^2 g(t + e, q + e v), with v scaled so that e is of the size of 1. */
static void check_curvature(const mechanical_case *c, const keel_mechanical_spec *s, point *p)
{
    static quotient d;
    const double h = 1e-2 / (1 + maximum(p->v, s->positions));
    for (int k = 0; k < 5; k++) {
        point moved = *p;
        moved.t += offset[k] * h;
        for (int i = 0; i < s->positions; i++) moved.q[i] += offset[k] * h * p->v[i];
        evaluate(s, &moved);
        memcpy(d.value[k], moved.g, sizeof moved.g);
    }
    for (int i = 0; i < s->constraints; i++)
        check(c, "gamma", fabs(second(&d, i, h) - p->gamma[i]),
              1e-6 * maximum(p->gamma, s->constraints));
}

/* f(q,v) - f(q,0) = -(dM/dt) v + (v^T M_q v)/2, Lagrange's equations. */
static void check_inertial_forces(const mechanical_case *c, const keel_mechanical_spec *s, point *p)
{
    const int n = s->positions;
    static quotient d;
    double expected[N_MAX] = {0}, size = 0;
    for (int k = 0; k < n; k++) {
        sample(s, p, entry(offsetof(point, q), k), offsetof(point, M), n * n, &d);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double derivative = first(&d, i * n + j, step);
                expected[i] -= derivative * p->v[j] * p->v[k];
                expected[k] += derivative * p->v[i] * p->v[j] / 2;
            }
    }
    point rest = *p;
    memset(rest.v, 0, sizeof rest.v);
    evaluate(s, &rest);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(p->f[i]));
    for (int i = 0; i < n; i++)
        check(c, "inertial force", fabs(p->f[i] - rest.f[i] - expected[i]), 1e-9 * size);
}

/* Cholesky's factorization of M exists, and M = M^T. */
static void check_mass(const mechanical_case *c, const point *p, int n)
{
    double a[N_MAX * N_MAX];
    memcpy(a, p->M, sizeof a);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) check(c, "M - M^T", fabs(a[i * n + j] - p->M[j * n + i]), 0);
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
        check(c, "M positive definite", a[j * n + j] > 0 ? 0 : 1, 0);
        a[j * n + j] = sqrt(a[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
}

static void callbacks_agree_at_generic_points(void **state)
{
    (void)state;
    for (const mechanical_case *c = cases; c < cases + CASES; c++) {
        double parameters[PARAMETERS_MAX];
        defaults(c->problem, parameters);
        const keel_mechanical_spec s = c->spec(parameters);
        for (int k = 0; k <= c->problem->reference_count; k++) {
            point p;
            generic_point(c, &s, k, &p);
            evaluate(&s, &p);
            check_mass(c, &p, s.positions);
            check_jacobians(c, &s, &p);
            check_curvature(c, &s, &p);
            if (c->inertial) check_inertial_forces(c, &s, &p);
        }
    }
}

/* A x = b by Gaussian elimination with row pivoting; x replaces b. */
static void solve(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double swapped = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        double swapped = b[k];
        b[k] = b[pivot];
        b[pivot] = swapped;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

/* x = (a, lambda) from [M G^T; G 0] x = (f, -gamma). */
static void accelerations(const point *p, int n, int m, double *x)
{
    static double a[SYSTEM_MAX * SYSTEM_MAX];
    const int size = n + m;
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i * size + j] = p->M[i * n + j];
        for (int j = 0; j < m; j++)
            a[i * size + n + j] = a[(n + j) * size + i] = p->G[j * n + i];
        x[i] = p->f[i];
    }
    for (int j = 0; j < m; j++) x[n + j] = -p->gamma[j];
    solve(a, x, size);
}

static void load(const keel_mechanical_spec *s, double t, const double *y, point *p)
{
    p->t = t;
    for (int i = 0; i < s->positions; i++) {
        p->q[i] = y[i];
        p->v[i] = isnan(y[s->positions + i]) ? 0 : y[s->positions + i];
    }
    evaluate(s, p);
}

static void check_constraints(const mechanical_case *c, const keel_mechanical_spec *s,
                              const point *p, double position, double velocity)
{
    const int n = s->positions;
    check(c, "g", maximum(p->g, s->constraints), position);
    for (int j = 0; j < s->constraints; j++) {
        double rate = p->g_t[j];
        for (int i = 0; i < n; i++) rate += p->G[j * n + i] * p->v[i];
        check(c, "G v + g_t", fabs(rate), velocity);
    }
}

/* Deviation of x from `known`, relative to the largest entry; entries not known do not count. */
static double deviation(const double *x, const double *known, int n)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(known[i])) continue;
        size = fmax(size, fabs(known[i]));
        if (!(fabs(x[i] - known[i]) <= worst)) worst = fabs(x[i] - known[i]);
    }
    return size > 0 ? worst / size : worst;
}

static void initial_values_are_consistent(void **state)
{
    (void)state;
    for (const mechanical_case *c = cases; c < cases + CASES; c++) {
        double parameters[PARAMETERS_MAX], y[2 * N_MAX + M_MAX], x[SYSTEM_MAX];
        defaults(c->problem, parameters);
        const keel_mechanical_spec s = c->spec(parameters);
        const int n = s.positions, m = s.constraints;
        point p;
        assert_int_equal(c->problem->size, 2 * n + m);
        c->problem->start(parameters, y);
        load(&s, c->problem->t_start, y, &p);
        check_constraints(c, &s, &p, c->start_position, c->start_velocity);
        accelerations(&p, n, m, x);
        check(c, "initial multiplier", deviation(x + n, y + 2 * n, m), 1e-8);
        if (c->initial_acceleration)
            check(c, "initial acceleration", deviation(x, c->initial_acceleration, n), 1e-8);
    }
}

static void references_satisfy_the_equations(void **state)
{
    (void)state;
    for (const mechanical_case *c = cases; c < cases + CASES; c++) {
        double parameters[PARAMETERS_MAX], x[SYSTEM_MAX];
        defaults(c->problem, parameters);
        const keel_mechanical_spec s = c->spec(parameters);
        const int n = s.positions, m = s.constraints;
        for (int k = 0; k < c->problem->reference_count; k++) {
            const bundled_reference *reference = &c->problem->references[k];
            point p;
            load(&s, reference->t, reference->y, &p);
            check_constraints(c, &s, &p, c->end_position, c->end_velocity);
            accelerations(&p, n, m, x);
            check(c, "multiplier", deviation(x + n, reference->y + 2 * n, m), c->multiplier);
            if (c->acceleration[k])
                check(c, "acceleration", deviation(x, c->acceleration[k], n),
                      c->acceleration_bound);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_agree_at_generic_points),
        cmocka_unit_test(initial_values_are_consistent),
        cmocka_unit_test(references_satisfy_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
