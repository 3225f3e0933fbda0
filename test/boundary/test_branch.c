/* test_branch.c -- branches of solutions: Bratu's over its fold, Troesch's to m = 20, parameters
 * that only conditions depend on, ends, refusals.
 *
 * All solutions of Bratu's problem, on both branches, are given by th > 0:
 *   lambda = th^2 / (2 cosh(th/4)^2),   v(0) = th tanh(th/4),   max u = 2 ln cosh(th/4)
 * and lambda is largest where (th/4) tanh(th/4) = 1: lambda = 3.5138307191251613, v(0) = 4.
 */
#include "test/boundary/cases.h"

#include "problems/boundary.h"

static const double fold_of_bratu = 3.5138307191251613;

static void expect_near(double value, double exact, double error)
{
    if (!(fabs(value - exact) <= error)) fail_msg("%.12g instead of %.12g", value, exact);
}

/* A branch of a bundled problem; its frame has one parameter. */
typedef struct followed {
    double parameters[1];
    keel_problem *problem;
    keel_branch *branch;
} followed;

static void open_branch(followed *f, const bundled_problem *target, double from, double tol,
                        const keel_branch_options *how)
{
    f->parameters[0] = from;
    assert_int_equal(target->create(&f->problem, f->parameters), KEEL_OK);
    keel_boundary_spec spec = *target->boundary->spec;
    spec.problem = f->problem;
    spec.from = target->t_start;
    spec.to = target->t_end;
    spec.context = f->parameters;
    int rc = keel_branch_create(&f->branch, &spec,
                                &(keel_boundary_options){.rtol = tol, .atol = tol}, how);
    if (rc) fail_msg("%s", keel_branch_message(f->branch));
    rc = keel_branch_start(f->branch, from);
    if (rc) fail_msg("%s", keel_branch_message(f->branch));
}

static void close_branch(followed *f)
{
    keel_branch_free(f->branch);
    keel_problem_free(f->problem);
}

/* th that has v(0), by bisection: th tanh(th/4) grows. */
static double angle_of(double v)
{
    double below = 0, above = 100;
    for (int i = 0; i < 200; i++) {
        double th = (below + above) / 2;
        if (th * tanh(th / 4) < v) below = th;
        else above = th;
    }
    return below;
}

/* Each point is on the curve: an error tol (1 + v) of v is one of lambda that is at most
 * |dlambda/dv| <= 2 times as large, and lambda has its own. */
static void expect_on_curve(const keel_branch *b, double tol)
{
    for (int i = 0; i < keel_branch_count(b); i++) {
        const keel_branch_point *q = keel_branch_at(b, i);
        double th = angle_of(q->from[1]), c = cosh(th / 4), lambda = th * th / (2 * c * c);
        double allowed = 2 * tol * (1 + q->from[1]) + tol * (1 + lambda);
        if (!(fabs(lambda - q->parameter) <= allowed))
            fail_msg("point %d: lambda = %.12g instead of %.12g", i, q->parameter, lambda);
        if (!(fabs(q->largest[0] - 2 * log(c)) <= 2 * tol * (1 + q->from[1])))
            fail_msg("point %d: max u = %.12g instead of %.12g", i, q->largest[0], 2 * log(c));
        if (i && !(q->arc > keel_branch_at(b, i - 1)->arc)) fail_msg("point %d: arc", i);
    }
}

static const keel_branch_point *only_fold(const keel_branch *b)
{
    const keel_branch_point *fold = NULL;
    for (int i = 0; i < keel_branch_count(b); i++) {
        if (!keel_branch_at(b, i)->fold) continue;
        assert_null(fold);
        fold = keel_branch_at(b, i);
    }
    assert_non_null(fold);
    return fold;
}

/* ---- Bratu's problem ------------------------------------------------------------------------ */

static void bratu_is_followed_over_its_fold(void **state)
{
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    (void)state;
    for (int i = 0; i < 3; i++) {
        followed f;
        open_branch(&f, &problem_bratu, 0.5, tolerances[i], &(keel_branch_options){.arclength = 1});
        assert_int_equal(keel_branch_follow(f.branch, 4), KEEL_OK);
        assert_non_null(strstr(keel_branch_message(f.branch), "come back to lambda = 0.5"));
        expect_on_curve(f.branch, tolerances[i]);
        expect_near(only_fold(f.branch)->parameter, fold_of_bratu, 5e-8);
        const keel_branch_point *last = keel_branch_at(f.branch, keel_branch_count(f.branch) - 1);
        assert_true(last->parameter == 0.5);
        assert_true(last->from[1] > 4);          /* the upper branch */
        assert_true(keel_branch_count(f.branch) < 80);
        assert_non_null(keel_boundary_solution(keel_branch_boundary(f.branch)));
        close_branch(&f);
    }
}

/* Long steps do not lead from one part of the branch to another: v(0) grows all along it. */
static void long_steps_keep_the_order(void **state)
{
    (void)state;
    for (double step = 0.2; step < 6; step *= 1.5) {
        followed f;
        open_branch(&f, &problem_bratu, 0.5, 1e-6,
                    &(keel_branch_options){.arclength = 1, .step = step});
        assert_int_equal(keel_branch_follow(f.branch, 4), KEEL_OK);
        for (int i = 1; i < keel_branch_count(f.branch); i++)
            assert_true(keel_branch_at(f.branch, i)->from[1] >
                        keel_branch_at(f.branch, i - 1)->from[1]);
        expect_near(only_fold(f.branch)->parameter, fold_of_bratu, 5e-8);
        close_branch(&f);
    }
}

/* In pieces, beyond the value it came back to, and on. */
static void a_branch_is_resumed(void **state)
{
    followed f;
    int calls = 1, rc;
    (void)state;
    open_branch(&f, &problem_bratu, 0.5, 1e-8, &(keel_branch_options){.arclength = 1, .most = 5});
    while ((rc = keel_branch_follow(f.branch, 4)) == KEEL_STEP_LIMIT) {
        assert_non_null(strstr(keel_branch_message(f.branch), "call again"));
        calls++;
    }
    assert_int_equal(rc, KEEL_OK);
    assert_true(calls > 3);
    expect_near(only_fold(f.branch)->parameter, fold_of_bratu, 5e-8);
    while ((rc = keel_branch_follow(f.branch, 0.1)) == KEEL_STEP_LIMIT) calls++;
    assert_int_equal(rc, KEEL_OK);
    assert_string_equal(keel_branch_message(f.branch), "");
    expect_on_curve(f.branch, 1e-8);
    const keel_branch_point *last = keel_branch_at(f.branch, keel_branch_count(f.branch) - 1);
    assert_true(last->parameter == 0.1);
    assert_true(last->from[1] > 13);
    close_branch(&f);
}

/* There is no solution beyond the fold: natural continuation says how far it came. */
static void natural_continuation_ends_at_the_fold(void **state)
{
    followed f;
    (void)state;
    open_branch(&f, &problem_bratu, 0.5, 1e-6, &(keel_branch_options){0});
    assert_true(keel_branch_follow(f.branch, 4) < 0);
    const keel_branch_point *last = keel_branch_at(f.branch, keel_branch_count(f.branch) - 1);
    assert_true(last->parameter > 3.513 && last->parameter < fold_of_bratu + 4e-6);
    assert_non_null(strstr(keel_branch_message(f.branch), "lambda = 3.513"));
    assert_non_null(strstr(keel_branch_message(f.branch), "arclength"));
    expect_on_curve(f.branch, 1e-6);
    close_branch(&f);
}

/* ---- Troesch's problem ---------------------------------------------------------------------- */

static void troesch_is_reached_by_natural_continuation(void **state)
{
    followed f;
    (void)state;
    open_branch(&f, &problem_troesch, 1, 1e-6, &(keel_branch_options){0});
    int rc = keel_branch_follow(f.branch, 20);
    if (rc) fail_msg("%s", keel_branch_message(f.branch));
    for (int i = 0; i < keel_branch_count(f.branch); i++) {
        const keel_branch_point *q = keel_branch_at(f.branch, i);
        double y[3];
        problem_troesch.exact(&q->parameter, 0, y);
        expect_near(q->from[1], y[1], 1e-6 * (1 + y[1]));
        problem_troesch.exact(&q->parameter, 1, y);
        expect_near(q->to[1], y[1], 1e-6 * (1 + y[1]));
    }
    assert_true(keel_branch_at(f.branch, keel_branch_count(f.branch) - 1)->parameter == 20);
    close_branch(&f);
}

/* Rounding is relative to the range, and the end 1e-8 of it: it is met to the last digit. */
static void the_end_is_met_exactly(void **state)
{
    followed f;
    (void)state;
    open_branch(&f, &problem_layers, 1e-2, 1e-6, &(keel_branch_options){0});
    assert_int_equal(keel_branch_follow(f.branch, 1e-8), KEEL_OK);
    assert_string_equal(keel_branch_message(f.branch), "");
    assert_true(keel_branch_at(f.branch, keel_branch_count(f.branch) - 1)->parameter == 1e-8);
    close_branch(&f);
}

/* ---- a parameter that conditions depend on --------------------------------------------------
 *
 *   x' = p,  x(0) = 0,  x(1) = l^2:   p = l^2
 */

static int line_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y;
    f[0] = ((const keel_frame *)context)->parameters[0];
    return 0;
}

/* *context: what the callback returns where l > 2. */
static int line_condition(const double *ya, const double *yb, const double *p, double *b,
                          void *context)
{
    b[0] = ya[0];
    b[1] = yb[0] - p[1] * p[1];
    return p[1] > 2 ? *(const int *)context : 0;
}

static int line_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                         double *b_b, double *b_p, void *context)
{
    (void)ya, (void)yb, (void)p, (void)context;
    b_a[0] = b_b[1] = 1;
    b_p[0] = b_p[1] = 0;
    return 0;
}

static keel_problem *line_problem(void)
{
    keel_problem *p;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = 1, .rhs = line_rhs,
        .frame = {.parameters = 2, .parameter_names = (const char *const[]){"p", "l"}}}), KEEL_OK);
    return p;
}

static keel_boundary_spec line_spec(const keel_problem *p, int *beyond)
{
    return (keel_boundary_spec){.problem = p, .from = 0, .to = 1, .conditions = 2, .parameters = 1,
                                .condition = line_condition, .context = beyond};
}

static void conditions_depend_on_the_parameter(void **state)
{
    int fine = 0;
    keel_problem *p = line_problem();
    keel_boundary_spec spec = line_spec(p, &fine);
    (void)state;
    for (int way = 0; way < 4; way++) {
        keel_branch *b;
        spec.condition_jacobian = way & 1 ? line_jacobian : NULL;
        assert_int_equal(keel_branch_create(&b, &spec, &(keel_boundary_options){0},
                         &(keel_branch_options){.parameter = 1, .arclength = way & 2}), KEEL_OK);
        assert_int_equal(keel_branch_start(b, 1), KEEL_OK);
        assert_int_equal(keel_branch_follow(b, 3), KEEL_OK);
        for (int i = 0; i < keel_branch_count(b); i++) {
            const keel_branch_point *q = keel_branch_at(b, i);
            expect_near(q->p[0], q->parameter * q->parameter, 1e-5);
            assert_int_equal(q->fold, 0);
        }
        assert_true(keel_branch_at(b, keel_branch_count(b) - 1)->parameter == 3);
        keel_branch_free(b);
    }
    keel_problem_free(p);
}

/* ---- two folds ------------------------------------------------------------------------------
 *
 *   x' = 0,  x(0)^3 - x(0) = l:   l turns at +-2/(3 sqrt(3)), where x = -+1/sqrt(3)
 */

static int rest_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = 0;
    return 0;
}

static keel_problem *rest_problem(void)
{
    keel_problem *p;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = 1, .rhs = rest_rhs,
        .frame = {.parameters = 1, .parameter_names = (const char *const[]){"l"}}}), KEEL_OK);
    return p;
}

static int cubic_condition(const double *ya, const double *yb, const double *p, double *b,
                           void *context)
{
    (void)yb, (void)context;
    b[0] = ya[0] * ya[0] * ya[0] - ya[0] - p[0];
    return 0;
}

static int low_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    y[0] = -2;
    return 0;
}

static void follow_cubic(double step)
{
    const double turn = 2 / (3 * sqrt(3));
    double fold[2] = {0};
    int folds = 0;
    keel_problem *p = rest_problem();
    keel_branch *b;
    assert_int_equal(keel_branch_create(&b, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 1, .condition = cubic_condition, .guess = low_guess},
        &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
        &(keel_branch_options){.arclength = 1, .step = step}), KEEL_OK);
    assert_int_equal(keel_branch_start(b, -2), KEEL_OK);
    int rc = keel_branch_follow(b, 2);
    if (rc) fail_msg("%s", keel_branch_message(b));
    for (int i = 0; i < keel_branch_count(b); i++) {
        const keel_branch_point *q = keel_branch_at(b, i);
        double x = q->from[0];
        expect_near(q->parameter, x * x * x - x, 1e-7);
        if (i) assert_true(x > keel_branch_at(b, i - 1)->from[0]);       /* in order */
        if (q->fold && folds < 2) fold[folds] = q->parameter;
        folds += q->fold;
    }
    assert_int_equal(folds, 2);
    expect_near(fold[0], turn, 2e-8);
    expect_near(fold[1], -turn, 2e-8);
    assert_true(keel_branch_at(b, keel_branch_count(b) - 1)->parameter == 2);
    assert_string_equal(keel_branch_message(b), "");
    keel_branch_free(b);
    keel_problem_free(p);
}

static void both_folds_of_a_cubic_are_found(void **state)
{
    (void)state;
    for (double step = 0.01; step < 2; step *= 1.7) follow_cubic(step);
}

/* (l + 25 x^2)(x - 5) = 0: a sharp fold at l = 0, and beyond it solutions of another branch only. */
static int sharp_condition(const double *ya, const double *yb, const double *p, double *b,
                           void *context)
{
    (void)yb, (void)context;
    b[0] = (p[0] + 25 * ya[0] * ya[0]) * (ya[0] - 5);
    return 0;
}

static int sharp_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    y[0] = -0.2;
    return 0;
}

static void another_branch_is_not_taken(void **state)
{
    keel_problem *p = rest_problem();
    (void)state;
    for (double step = 0.05; step < 1; step *= 1.3) {
        keel_branch *b;
        assert_int_equal(keel_branch_create(&b, &(keel_boundary_spec){
            .problem = p, .to = 1, .conditions = 1, .condition = sharp_condition,
            .guess = sharp_guess}, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
            &(keel_branch_options){.arclength = 1, .step = step}), KEEL_OK);
        assert_int_equal(keel_branch_start(b, -1), KEEL_OK);
        int rc = keel_branch_follow(b, 1);
        if (rc) fail_msg("%s", keel_branch_message(b));
        expect_near(only_fold(b)->parameter, 0, 2e-8);
        expect_near(keel_branch_at(b, keel_branch_count(b) - 1)->from[0], 0.2, 1e-7);
        keel_branch_free(b);
    }
    keel_problem_free(p);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Where a callback cannot be evaluated steps are halved up to there; where it says stop, nothing
 * further is tried. */
static void callbacks_that_fail(void **state)
{
    int beyond = 1;
    keel_problem *p = line_problem();
    keel_boundary_spec spec = line_spec(p, &beyond);
    keel_branch *b;
    (void)state;
    for (; beyond >= -1; beyond -= 2) {
        assert_int_equal(keel_branch_create(&b, &spec, &(keel_boundary_options){0},
                         &(keel_branch_options){.parameter = 1, .step = 0.07}), KEEL_OK);
        assert_int_equal(keel_branch_start(b, 1), KEEL_OK);
        assert_int_equal(keel_branch_follow(b, 3), KEEL_CALLBACK_FAILED);
        double reached = keel_branch_at(b, keel_branch_count(b) - 1)->parameter;
        assert_true(reached <= 2);
        assert_true(beyond > 0 ? reached > 1.9999 : reached < 1.9999);
        assert_non_null(strstr(keel_branch_message(b), "condition"));
        keel_branch_free(b);
    }
    keel_problem_free(p);
}

static void expect_refused(const keel_boundary_spec *spec, const keel_branch_options *how,
                           const char *word)
{
    keel_branch *b;
    assert_int_equal(keel_branch_create(&b, spec, &(keel_boundary_options){0}, how),
                     KEEL_BAD_ARGUMENT);
    if (!strstr(keel_branch_message(b), word)) fail_msg("%s", keel_branch_message(b));
    assert_int_equal(keel_branch_start(b, 1), KEEL_BAD_ARGUMENT);
    keel_branch_free(b);
}

static void wrong_arguments_are_named(void **state)
{
    int fine = 0;
    keel_problem *p = line_problem();
    keel_boundary_spec spec = line_spec(p, &fine);
    keel_branch *b;
    (void)state;
    expect_refused(&spec, &(keel_branch_options){.parameter = 2}, "parameter = 2");
    expect_refused(&spec, &(keel_branch_options){.parameter = 0}, "p is unknown already");
    expect_refused(&spec, &(keel_branch_options){.parameter = 1, .step = 3, .step_most = 2},
                   "step = 3");
    expect_refused(&(keel_boundary_spec){0}, &(keel_branch_options){0}, "no problem");
    spec.conditions = 1;
    expect_refused(&spec, &(keel_branch_options){.parameter = 1}, "1 are missing");
    spec.conditions = 2;
    assert_int_equal(keel_branch_create(&b, &spec, &(keel_boundary_options){0},
                     &(keel_branch_options){.parameter = 1}), KEEL_OK);
    assert_int_equal(keel_branch_follow(b, 2), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_start(b, NAN), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_start(b, 1), KEEL_OK);
    assert_int_equal(keel_branch_start(b, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_follow(b, INFINITY), KEEL_BAD_ARGUMENT);
    assert_null(keel_branch_at(b, 1));
    keel_branch_free(b);
    keel_problem_free(p);
}

/* ---- branch points --------------------------------------------------------------------------- */

/* A rod stays straight for every load, and bent shapes branch off at (n pi)^2: both are branch points
 * of the straight one, by natural continuation as well.  10 digits of the step, 4, at 1e-8. */
static void buckling(void **state)
{
    (void)state;
    for (int arclength = 0; arclength < 2; arclength++) {
        followed f;
        int found = 0;
        open_branch(&f, &problem_elastica, 5, 1e-8, &(keel_branch_options){.arclength = arclength});
        assert_int_equal(keel_branch_follow(f.branch, 45), KEEL_OK);
        for (int i = 0; i < keel_branch_count(f.branch); i++) {
            const keel_branch_point *q = keel_branch_at(f.branch, i);
            assert_int_equal(q->fold, 0);
            if (!q->branch_point) continue;
            found++;
            expect_near(q->parameter, found * found * PI * PI, 1e-7);
        }
        assert_int_equal(found, 2);
        close_branch(&f);
    }
}

/* Down the bent branch, to where it meets the straight one and turns, and up on its other side: one
 * branch point, and no fold although the load turns there. */
static void pitchfork(void **state)
{
    followed f;
    int found = 0, count;
    (void)state;
    open_branch(&f, &problem_elastica, 30, 1e-8, &(keel_branch_options){.arclength = 1});
    assert_int_equal(keel_branch_follow(f.branch, 5), KEEL_OK);
    count = keel_branch_count(f.branch);
    for (int i = 0; i < count; i++) {
        const keel_branch_point *q = keel_branch_at(f.branch, i);
        assert_int_equal(q->fold, 0);
        if (q->branch_point) expect_near(q->parameter, PI * PI, 1e-6), found++;
        if (i) assert_true(q->arc > keel_branch_at(f.branch, i - 1)->arc);
    }
    assert_int_equal(found, 1);
    const keel_branch_point *first = keel_branch_at(f.branch, 0), *last = keel_branch_at(f.branch, count - 1);
    assert_true(last->parameter == 30);
    expect_near(last->from[0], -first->from[0], 1e-6);
    expect_near(first->from[0], 2 * asin(0.9637149209436378), 1e-6);   /* 2 K(k) = sqrt(30) */
    close_branch(&f);
}

/* No branch of Bratu's problem crosses its own: no false alarm over its fold. */
static void no_branch_points(void **state)
{
    followed f;
    (void)state;
    open_branch(&f, &problem_bratu, 0.5, 1e-6, &(keel_branch_options){.arclength = 1});
    assert_int_equal(keel_branch_follow(f.branch, 4), KEEL_OK);
    for (int i = 0; i < keel_branch_count(f.branch); i++)
        assert_int_equal(keel_branch_at(f.branch, i)->branch_point, 0);
    close_branch(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bratu_is_followed_over_its_fold),
        cmocka_unit_test(long_steps_keep_the_order),
        cmocka_unit_test(a_branch_is_resumed),
        cmocka_unit_test(natural_continuation_ends_at_the_fold),
        cmocka_unit_test(troesch_is_reached_by_natural_continuation),
        cmocka_unit_test(the_end_is_met_exactly),
        cmocka_unit_test(conditions_depend_on_the_parameter),
        cmocka_unit_test(both_folds_of_a_cubic_are_found),
        cmocka_unit_test(another_branch_is_not_taken),
        cmocka_unit_test(callbacks_that_fail),
        cmocka_unit_test(buckling), cmocka_unit_test(pitchfork),
        cmocka_unit_test(no_branch_points), cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
