/* test_levelled_support.c -- the problems with chains of hidden constraints that other tests use.
 *
 * On and off the solution: d/dt h_k = h_(k-1) along y' = f, rates that `next` tells, Jacobians.
 * Solutions satisfy all equations, and the equations y' = f, 0 = g lead from one point of them to
 * another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/support/differences.h"
#include "test/support/levelled.h"

enum { PROBLEMS = 8, POINTS = 6 };

static levelled problem_number(int k)
{
    switch (k) {
    case 0: return levelled_index2();
    case 1: return levelled_index3();
    case 2: return levelled_index4();
    case 3: return levelled_mixed();
    case 4: return levelled_pendulum_of(&pendulum_plain);
    case 5: return levelled_pendulum_of(&pendulum_masses);
    case 6: return levelled_pendulum_of(&pendulum_damped);
    default: return levelled_pendulum_of(&pendulum_stiff);
    }
}

/* The largest rate of decay: differences are as good as 1e-11 times that. */
static double stiffness(int k) { return k == 7 ? 1e5 : 1; }

/* A point that moves in the direction (d_t, d). */
typedef struct place {
    levelled p;
    double t, x[LEVELLED_MAX], d_t, d[LEVELLED_MAX];
    int level;
} place;

/* The first point is on the solution, the others are not. */
static place place_number(const levelled *p, int point)
{
    place at = {.p = *p, .t = 0.3 * point};
    const int n = p->differential + p->algebraic;
    assert_int_equal(levelled_reference(p, at.t, at.x), KEEL_OK);
    for (int i = 0; i < n && point > 0; i++) at.x[i] += 0.3 * scattered(7 * i + 5 * point);
    return at;
}

static void moved(const place *at, double s, double *t, double *x)
{
    *t = at->t + s * at->d_t;
    for (int i = 0; i < at->p.differential + at->p.algebraic; i++) x[i] = at->x[i] + s * at->d[i];
}

static void level_along(double s, double *h, const void *context)
{
    const place *at = context;
    double t, x[LEVELLED_MAX];
    moved(at, s, &t, x);
    assert_int_equal(at->p.level(t, x, x + at->p.differential, at->level, h, at->p.context), 0);
}

/* (f, g) */
static void equations_along(double s, double *fg, const void *context)
{
    const place *at = context;
    const int n = at->p.differential;
    double t, x[LEVELLED_MAX];
    moved(at, s, &t, x);
    assert_int_equal(at->p.rate(t, x, x + n, fg, at->p.context), 0);
    assert_int_equal(at->p.level(t, x, x + n, 0, fg + n, at->p.context), 0);
}

static int longest_chain(const levelled *p)
{
    int most = 0;
    for (int i = 0; i < p->algebraic; i++)
        if (p->chain[i] > most) most = p->chain[i];
    return most;
}

/* d/dt h_k against h_(k-1), row by row; z moves too, and must not matter. */
static void check_level(place *at, int k, double bound)
{
    const levelled *p = &at->p;
    double d[LEVELLED_MAX], below[LEVELLED_MAX];
    int row = 0, row_below = 0;
    at->level = k;
    curve_first(level_along, at, 1e-3, p->algebraic, d);
    at->level = k - 1;
    level_along(0, below, at);
    for (int i = 0; i < p->algebraic; i++) {
        if (p->chain[i] >= k && !(fabs(d[row] - below[row_below]) < bound))
            fail_msg("%s: h_%d of row %d at t = %g: %.12g instead of %.12g", p->name, k, i, at->t,
                     d[row], below[row_below]);
        row += p->chain[i] >= k;
        row_below += p->chain[i] >= k - 1;
    }
}

static void levels_are_derivatives_of_each_other(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        for (int point = 0; point < POINTS; point++) {
            const levelled p = problem_number(k);
            place at = place_number(&p, point);
            at.d_t = 1;
            p.rate(at.t, at.x, at.x + p.differential, at.d, p.context);
            for (int i = 0; i < p.algebraic; i++) at.d[p.differential + i] = 1 + i;
            for (int level = longest_chain(&p); level > 0; level--)
                check_level(&at, level, 1e-9 * stiffness(k));
        }
}

static void rates_follow_next(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        const levelled p = problem_number(k);
        const place at = place_number(&p, 1);
        double f[LEVELLED_MAX];
        p.rate(at.t, at.x, at.x + p.differential, f, p.context);
        for (int a = 0; a < p.differential; a++)
            if (p.next[a] >= 0) assert_true(f[a] == at.x[p.next[a]]);
    }
}

static void jacobians(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        for (int point = 0; point < POINTS; point++) {
            const levelled p = problem_number(k);
            const int n = p.differential + p.algebraic;
            place at = place_number(&p, point);
            double values[LEVELLED_MAX * LEVELLED_MAX] = {0}, d[LEVELLED_MAX];
            keel_matrix J = {.rows = n, .columns = n, .values = values, .stray_row = -1};
            assert_int_equal(p.jacobian(at.t, at.x, at.x + p.differential, &J, p.context), 0);
            for (int j = 0; j < n; j++) {
                at.d[j] = 1;
                curve_first(equations_along, &at, 1e-3, n, d);
                at.d[j] = 0;
                for (int i = 0; i < n; i++)
                    if (!(fabs(d[i] - values[j * n + i]) < 1e-9 * stiffness(k)))
                        fail_msg("%s: entry (%d,%d) is %.12g instead of %.12g", p.name, i, j,
                                 values[j * n + i], d[i]);
            }
        }
}

/* Of chosen curves. */
static void solution_along(double s, double *yz, const void *context)
{
    const place *at = context;
    at->p.exact(at->t + s, yz, at->p.context);
}

/* Of a pendulum, when its angle and the rate of that change as they do. */
static void angle_along(double s, double *yz, const void *context)
{
    const place *at = context;
    const double a[2] = {at->x[0] + s * at->d[0], at->x[1] + s * at->d[1]};
    pendulum_from_angle(at->p.context, a, yz);
}

/* y' = f(t,y,z) for the derivatives d of (y,z), and all levels vanish. */
static void check_solution(const levelled *p, double t, const double *yz, const double *d,
                           double bound)
{
    double f[LEVELLED_MAX], h[LEVELLED_MAX] = {0};
    p->rate(t, yz, yz + p->differential, f, p->context);
    for (int a = 0; a < p->differential; a++)
        if (!(fabs(f[a] - d[a]) < bound))
            fail_msg("%s: rate %d off by %g", p->name, a, f[a] - d[a]);
    for (int k = 0; k <= longest_chain(p); k++) {
        p->level(t, yz, yz + p->differential, k, h, p->context);
        for (int i = 0; i < p->algebraic; i++) assert_true(fabs(h[i]) < bound);
    }
}

static void solutions_satisfy_the_equations(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++)
        for (int point = 0; point < POINTS; point++) {
            const levelled p = problem_number(k);
            place at = {.p = p, .t = 0.7 * point};
            double yz[LEVELLED_MAX], d[LEVELLED_MAX];
            if (p.exact) {
                p.exact(at.t, yz, p.context);
                curve_first(solution_along, &at, 1e-3, p.differential, d);
            } else {
                at.x[0] = 0.5 * point;
                at.x[1] = 1 - 0.3 * point;
                pendulum_angle_rates(0, at.x, at.d, p.context);
                pendulum_from_angle(p.context, at.x, yz);
                curve_first(angle_along, &at, 1e-3 / stiffness(k), p.differential, d);
            }
            check_solution(&p, at.t, yz, d, 1e-10 * stiffness(k));
        }
}

/* y' = f, 0 = g as a semi-explicit problem: g_z is invertible, and the solution is the same. */
static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const levelled *p = context;
    return p->level(t, y, z, 0, g, p->context);
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const levelled *p = context;
    return p->rate(t, y, z, f, p->context);
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const levelled *p = context;
    return p->jacobian(t, y, z, J, p->context);
}

static void equations_lead_along_the_solution(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS - 1; k++) {
        levelled p = problem_number(k);
        double start[LEVELLED_MAX], end[LEVELLED_MAX];
        keel_problem *problem = NULL;
        keel_solver *s = NULL;
        assert_int_equal(levelled_reference(&p, 0, start), KEEL_OK);
        assert_int_equal(levelled_reference(&p, 1, end), KEEL_OK);
        assert_int_equal(keel_semi_explicit(&problem, &(keel_semi_explicit_spec){
            .differential = p.differential, .algebraic = p.algebraic, .rhs = rate,
            .constraint = constraint, .jacobian = jacobian, .context = &p}), KEEL_OK);
        assert_int_equal(keel_solver_create(&s, problem, &(keel_options){
            .method = "radau-iia", .rtol = 1e-10, .atol = 1e-10}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, start), KEEL_OK);
        assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
        for (int i = 0; i < p.differential + p.algebraic; i++)
            if (!(fabs(keel_state(s)[i] - end[i]) < 1e-6))
                fail_msg("%s: unknown %d off by %g", p.name, i, keel_state(s)[i] - end[i]);
        keel_solver_free(s);
        keel_problem_free(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_derivatives_of_each_other),
        cmocka_unit_test(rates_follow_next),
        cmocka_unit_test(jacobians),
        cmocka_unit_test(solutions_satisfy_the_equations),
        cmocka_unit_test(equations_lead_along_the_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
