/* test_boundary_problems.c -- the bundled boundary value problems: their solutions meet equations,
 * all constraint levels and conditions to rounding, conditions are as many as are free, derivatives
 * fit their functions, and values agree with published ones.  Nothing is solved here.
 *
 * x' is a difference of order ten, sum_k w_k (x(t+kh) - x(t-kh))/h.  Its errors: those of x, of t
 * (the exact solutions multiply it by large numbers), each over h, and of the order, h^10 x^(11),
 * which the h of a case makes small.
 */
#include "test/problem/evaluators.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "problems/boundary.h"

enum { SIZE_MOST = 10, PARAMETERS_MOST = 3, POINTS = 23, CONDITIONS_MOST = 6 };

static const struct boundary_case {
    const bundled_problem *target;
    double parameters[PARAMETERS_MOST];
    double h;                    /* of the differences                                    */
    double end;                  /* the last time for them: Troesch has a pole behind 1   */
} cases[] = {
    {&problem_ascher_petzold, {50}, 0.02, 1},
    {&problem_ascher_petzold, {200}, 0.02, 1},
    {&problem_ascher_petzold_two_point, {-50}, 0.02, 1},
    {&problem_ascher_petzold_nonseparated, {50}, 0.02, 1},
    {&problem_bratu, {1}, 0.02, 1},
    {&problem_bratu, {3.5}, 0.01, 1},
    {&problem_bratu_fold, {0}, 0.01, 1},
    {&problem_elastica, {5}, 0.02, 1},
    {&problem_elastica, {15}, 0.01, 1},
    {&problem_elastica, {30}, 0.005, 1},
    {&problem_troesch, {1}, 0.01, 1},
    {&problem_troesch, {5}, 0.002, 0.9},
    {&problem_troesch, {10}, 0.001, 0.9},
    {&problem_layers, {1e-2}, 3e-3, 1},
    {&problem_layers, {1e-4}, 3e-4, 1},
    {&problem_layers, {1e-6}, 3e-5, 1},
    {&problem_layers, {1e-8}, 3e-6, 1},
    {&problem_turning_point, {1e-3}, 1e-3, 1},
    {&problem_turning_point, {1e-5}, 1e-4, 1},
    {&problem_turning_point, {1e-7}, 1e-5, 1},
    {&problem_singular_control, {0}, 0.02, 1},
    {&problem_singular_control_index3, {0}, 0.02, 1},
    {&problem_mixed_index, {0}, 0.02, 1},
    {&problem_pendulum_period, {9.81, 1}, 4e-3, 1},
    {&problem_pendulum_period, {1, 2.5}, 2e-3, 1},
    {&problem_pendulum_clock, {9.81, 1, 0.02}, 4e-3, 1},
    {&problem_pendulum_clock, {1, 2, 1}, 2e-3, 1},
    {&problem_mathieu, {1, 0}, 0.01, 1.5},
    {&problem_mathieu, {5, 2}, 0.01, 1.5},
    {&problem_mathieu, {20, 4}, 0.005, 1.5},
    {&problem_dead_core, {0}, 0.01, 1},
    {&problem_minimum_effort, {0}, 0.01, 1},
    {&problem_kinetics, {2, 0.5}, 0.01, 5},
    {&problem_kinetics, {1, 1}, 0.02, 5},
    {&problem_minimum_time, {0}, 0.02, 0.4},     /* before the switch */
};

enum { CASES = sizeof cases / sizeof *cases };

/* A case with its problem, evaluated in the frame of the exact solution. */
typedef struct opened {
    const struct boundary_case *c;
    const keel_boundary_spec *spec;
    keel_problem *problem;
    bench bench;
    keel_frame frame;
    double p[PARAMETERS_MOST];
} opened;

static void open_case(opened *o, const struct boundary_case *c)
{
    const keel_boundary_target *boundary = c->target->boundary;
    *o = (opened){.c = c, .spec = boundary->spec};
    assert_int_equal(c->target->create(&o->problem, c->parameters), KEEL_OK);
    bench_open(&o->bench, o->problem);
    if (o->spec->parameters == 0) return;
    o->frame = *keel_problem_frame(o->problem);
    for (int i = 0; i < o->frame.parameter_count; i++) o->p[i] = o->frame.parameters[i];
    boundary->exact(c->parameters, o->p);        /* the unknown ones are the first */
    o->frame.parameters = o->p;
    o->bench.eval.context = &o->frame;
}

static void close_case(opened *o)
{
    bench_free(&o->bench);
    keel_problem_free(o->problem);
}

/* Through the whole interval, its ends as near as differences allow, where layers are. */
static double time_of(const struct boundary_case *c, int point)
{
    const double from = c->target->t_start + 5 * c->h;
    const double to = c->end - (c->end == c->target->t_end ? 5 * c->h : 0);
    return from + (to - from) * point / (POINTS - 1);
}

static void derivative(const struct boundary_case *c, double t, double *yp)
{
    static const double weight[] = {5. / 6, -5. / 21, 5. / 84, -5. / 504, 1. / 1260};
    double low[SIZE_MOST], high[SIZE_MOST];
    for (int i = 0; i < c->target->size; i++) yp[i] = 0;
    for (int k = 1; k <= 5; k++) {
        c->target->exact(c->parameters, t - k * c->h, low);
        c->target->exact(c->parameters, t + k * c->h, high);
        for (int i = 0; i < c->target->size; i++)
            yp[i] += weight[k - 1] * (high[i] - low[i]) / c->h;
    }
}

static void solutions_meet_the_equations(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        opened o;
        open_case(&o, &cases[c]);
        for (int k = 0; k < POINTS; k++) {
            const double t = time_of(&cases[c], k), h = cases[c].h;
            double y[SIZE_MOST], yp[SIZE_MOST], r[SIZE_MOST];
            cases[c].target->exact(cases[c].parameters, t, y);
            derivative(&cases[c], t, yp);
            assert_int_equal(eval_residual(&o.bench.eval, t, y, yp, r), 0);
            for (int i = 0; i < cases[c].target->size; i++) {
                const double size = 1 + fabs(y[i]) + (1 + fabs(t)) * fabs(yp[i]);
                const double bound = 50 * DBL_EPSILON * size / h;
                if (!(fabs(r[i]) <= bound))
                    fail_msg("case %d, %s, t = %g, row %d: %g > %g", c, cases[c].target->name, t, i,
                             r[i], bound);
            }
        }
        close_case(&o);
    }
}

/* Terms of a level are as large as y'' or L y at most: 1e4 of them for a turn of 1e2. */
static void solutions_meet_all_levels(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        opened o;
        open_case(&o, &cases[c]);
        for (int k = 0; k < POINTS; k++)
            for (int level = 0; level < keel_problem_levels(o.problem); level++) {
                const double t = time_of(&cases[c], k);
                double y[SIZE_MOST], value[SIZE_MOST], most = 1;
                cases[c].target->exact(cases[c].parameters, t, y);
                for (int i = 0; i < cases[c].target->size; i++) most = fmax(most, fabs(y[i]));
                assert_int_equal(eval_level(&o.bench.eval, level, t, y, value), 0);
                for (int i = 0; i < keel_level_rows(o.problem, level); i++)
                    if (!(fabs(value[i]) <= 1e3 * DBL_EPSILON * most))
                        fail_msg("%s, t = %g, level %d: %g", cases[c].target->name, t, level,
                                 value[i]);
            }
        close_case(&o);
    }
}

/* At the right end of Troesch's problem the solution is the root of a steep equation; moments of the
 * elastica are of size 10, and errors of its modulus move their zero. */
static void solutions_meet_the_conditions(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        const bundled_problem *b = cases[c].target;
        double ya[SIZE_MOST], yb[SIZE_MOST], value[CONDITIONS_MOST];
        opened o;
        open_case(&o, &cases[c]);
        b->exact(cases[c].parameters, b->t_start, ya);
        b->exact(cases[c].parameters, b->t_end, yb);
        assert_int_equal(o.spec->condition(ya, yb, o.p, value, (void *)cases[c].parameters), 0);
        for (int i = 0; i < o.spec->conditions; i++)
            if (!(fabs(value[i]) <= (b == &problem_troesch ? 1e-12 : b == &problem_elastica ? 1e-13 : 1e-14)))
                fail_msg("%s, condition %d: %g", b->name, i, value[i]);
        close_case(&o);
    }
}

static void conditions_are_what_is_free(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        opened o;
        open_case(&o, &cases[c]);
        assert_int_equal(o.spec->conditions,
                         keel_problem_freedom(o.problem) + o.spec->parameters);
        for (int i = 0; i < o.spec->conditions; i++) assert_non_null(o.spec->condition_names[i]);
        close_case(&o);
    }
}

/* Conditions are linear, so that central differences have errors of rounding only. */
static void derivatives_of_conditions_fit(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        const bundled_problem *b = cases[c].target;
        double y[2 * SIZE_MOST + PARAMETERS_MOST], value[2][CONDITIONS_MOST];
        double B[3][CONDITIONS_MOST * SIZE_MOST];
        void *context = (void *)cases[c].parameters;
        opened o;
        open_case(&o, &cases[c]);
        const int n = b->size, columns[3] = {n, n, o.spec->parameters};
        for (int i = 0; i < 2 * n + columns[2]; i++) y[i] = 0.25 * i;
        if (o.spec->condition_jacobian)
            o.spec->condition_jacobian(y, y + n, y + 2 * n, B[0], B[1], B[2], context);
        for (int part = 0; part < 3 && o.spec->condition_jacobian; part++)
            for (int j = 0; j < columns[part]; j++) {
                double *moved = &y[part * n + j];
                const double here = *moved, h = 0x1p-16;
                for (int side = 0; side < 2; side++) {
                    *moved = here + (side ? h : -h);
                    o.spec->condition(y, y + n, y + 2 * n, value[side], context);
                }
                *moved = here;
                for (int i = 0; i < o.spec->conditions; i++)
                    assert_true(fabs((value[1][i] - value[0][i]) / (2 * h)
                                     - B[part][i * columns[part] + j]) < 1e-9);
            }
        close_case(&o);
    }
}

static void derivatives_of_equations_fit(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        const bundled_problem *b = cases[c].target;
        const double t = b->t_start + 0.3 * (b->t_end - b->t_start);
        double y[SIZE_MOST];
        opened o;
        keel_check_report *report;
        open_case(&o, &cases[c]);
        b->exact(cases[c].parameters, t, y);
        const int status = keel_check(o.problem, t, y, NULL, &report);
        if (status != KEEL_OK)
            fail_msg("%s: %s", b->name, keel_check_finding_count(report)
                                        ? keel_check_finding(report, 0)->text : "");
        keel_check_free(report);
        close_case(&o);
    }
}

static void guesses_are_finite(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; c++) {
        const keel_boundary_spec *spec = cases[c].target->boundary->spec;
        for (int k = 0; k < POINTS && spec->guess; k++) {
            double y[SIZE_MOST] = {0}, p[PARAMETERS_MOST] = {0};
            assert_int_equal(spec->guess(time_of(&cases[c], k), y, p, (void *)cases[c].parameters),
                             0);
            for (int i = 0; i < cases[c].target->size; i++) assert_true(isfinite(y[i]));
            for (int i = 0; i < spec->parameters; i++) assert_true(isfinite(p[i]));
        }
    }
}

static double exact_at(const bundled_problem *b, double parameter, double t, int unknown)
{
    double y[SIZE_MOST];
    b->exact(&parameter, t, y);
    return y[unknown];
}

static bool agrees(double value, double expected, double digits)
{
    return fabs(value - expected) <= pow(10, -digits) * fabs(expected);
}

/* Bratu: 18 digits from the formula in extended precision.  Troesch: Roberts & Shipman 1972.
 * Mathieu: Abramowitz & Stegun, table 20.1.  The elastica: 2 K(k) = sqrt(30) by bisection. */
static void values_are_the_published_ones(void **state)
{
    double period;               /* or another number */
    (void)state;
    assert_true(agrees(exact_at(&problem_bratu, 1, 0.5, 0), 0.140539214400471798, 14.5));
    assert_true(agrees(exact_at(&problem_bratu, 3.5, 0.5, 0), 1.08515894779401229, 14));
    assert_true(isnan(exact_at(&problem_bratu, 3.6, 0.5, 0)));
    assert_true(agrees(exact_at(&problem_troesch, 5, 0, 1), 4.57504614e-2, 8.5));
    assert_true(agrees(exact_at(&problem_troesch, 10, 0, 1), 3.58337785e-4, 8.5));
    problem_pendulum_period.boundary->exact((const double[]){9.81, 1}, &period);
    assert_true(agrees(period, 2.1391376005586884, 15));
    problem_bratu_fold.boundary->exact(NULL, &period);
    assert_true(agrees(period, 3.5138307191251613, 15));
    problem_mathieu.boundary->exact((const double[]){5, 0}, &period);
    assert_true(agrees(period, -5.80004602, 8.8));
    problem_mathieu.boundary->exact((const double[]){5, 2}, &period);
    assert_true(agrees(period, 7.44910974, 8.8));
    problem_mathieu.boundary->exact((const double[]){5, 10}, &period);
    assert_true(agrees(period, 100.12636922, 10));
    assert_true(agrees(exact_at(&problem_elastica, 30, 0, 0), 2.6011730988702877, 14));
}

static void lists_hold_them_all(void **state)
{
    int count;
    const bundled_problem *const *list = bundled_boundary_problems(&count);
    (void)state;
    for (int i = 0; i < count; i++) {
        int tested = 0;
        assert_ptr_equal(bundled_problem_find(list[i]->name), list[i]);
        assert_non_null(list[i]->boundary);
        assert_null(list[i]->start);
        for (int c = 0; c < CASES; c++) tested += cases[c].target == list[i];
        assert_true(tested > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_meet_the_equations),
        cmocka_unit_test(solutions_meet_all_levels),
        cmocka_unit_test(solutions_meet_the_conditions),
        cmocka_unit_test(conditions_are_what_is_free),
        cmocka_unit_test(derivatives_of_conditions_fit),
        cmocka_unit_test(derivatives_of_equations_fit),
        cmocka_unit_test(guesses_are_finite),
        cmocka_unit_test(values_are_the_published_ones),
        cmocka_unit_test(lists_hold_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
