/* test_dependent.c -- constraints that depend on each other, more of them than unknowns, those that
 * contradict, and those that come to depend on each other on the way.
 *
 * A rod given twice does not change the motion: with constant steps, where Newton's method goes to
 * rounding, results agree to rounding in l / h^2.  The platform has an exact motion.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/support/double_pendulum.h"

/* ---- a rod given twice ---------------------------------------------------------------------- */

/* At t = 1, in y; the remark of the start in `remark`.  `formulation`: or NULL. */
static void swing(const double_pendulum *kind, const char *formulation, keel_options options,
                  double *y, char *remark)
{
    keel_mechanical_spec spec = double_pendulum_spec(kind);
    keel_problem *p = NULL, *made = NULL;
    keel_solver *s = NULL;
    double own[2 * DOUBLE_PENDULUM_MAX];
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    if (formulation)
        assert_int_equal(keel_formulate(&made, p, &(keel_formulation){.name = formulation}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, made ? made : p, &options), KEEL_OK);
    double_pendulum_start(kind, y);
    if (made) keel_formulation_from(made, y, own);
    int rc = keel_start(s, 0, made ? own : y);
    if (rc) fail_msg("%s, %s: %s", formulation, options.method, keel_message(s));
    strcpy(remark, keel_message(s));
    rc = keel_advance_to(s, 1);
    if (rc) fail_msg("%s, %s: %s", formulation, options.method, keel_message(s));
    if (made) keel_formulation_to(made, keel_state(s), y);
    else memcpy(y, keel_state(s), (size_t)(8 + kind->rows) * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(made);
    keel_problem_free(p);
}

static void check_same_as(const char *formulation, keel_options options)
{
    double plain[DOUBLE_PENDULUM_MAX], twice[DOUBLE_PENDULUM_MAX];
    char none[700], remark[700];
    swing(&two_rods, formulation, options, plain, none);
    swing(&rod_twice, formulation, options, twice, remark);
    assert_string_equal(none, "");
    assert_non_null(strstr(remark, "g[1]"));
    assert_non_null(strstr(remark, "g[2]"));
    assert_non_null(strstr(remark, "rank 2, not 3"));
    assert_null(strstr(remark, "g[0]"));
    for (int i = 0; i < 8; i++)
        if (!(fabs(plain[i] - twice[i]) < 1e-9))
            fail_msg("%s, projection %d: unknown %d off by %.1e", options.method,
                     (int)options.projection, i, plain[i] - twice[i]);
    /* the smallest multipliers: equal parts of the force */
    assert_true(fabs(twice[9] - twice[10]) < 1e-9);
    assert_true(fabs(plain[9] - twice[9] - twice[10]) < 1e-6);
}

static void check_same(keel_options options) { check_same_as(NULL, options); }

/* l_1 and l_2 are the equal parts of one force; fixed at another value, an OK would have a motion that
 * leaves the hidden constraint. */
static void fixed_multipliers_of_rods_given_twice(void **state)
{
    keel_mechanical_spec spec = double_pendulum_spec(&rod_twice);
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_mark marks[DOUBLE_PENDULUM_MAX] = {[9] = KEEL_FIXED};
    double y[DOUBLE_PENDULUM_MAX], right;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia"}), KEEL_OK);
    double_pendulum_start(&rod_twice, y);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    right = keel_state(s)[9];
    for (int i = 0; i < 8; i++) marks[i] = KEEL_FIXED;
    y[9] = right + 3;
    assert_int_equal(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT);
    y[9] = right;
    assert_int_equal(keel_start_marked(s, 0, y, NULL, marks), KEEL_OK);
    assert_true(keel_state(s)[9] == right && keel_level_residual(s, 2) < 1e-12);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Formulations whose unknowns are q, v and multipliers. */
static void rod_twice_in_formulations(void **state)
{
    static const char *const formulations[] = {"ggl", "index2", "index1", "baumgarte"};
    static const char *const methods[] = {"gauss-3", "radau-iia-3", "bdf-3"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 3; j++)
            check_same_as(formulations[k], (keel_options){.method = methods[j], .step = 1.0 / 64});
}

static void rod_twice_with_constant_steps(void **state)
{
    const char *methods[] = {"auto", "dop853", "radau-iia", "bdf-3", "hem-5", "gauss-3", "esdirk-4"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        check_same((keel_options){.method = methods[k], .step = 1.0 / 64});
    check_same((keel_options){.method = "radau-iia", .step = 1.0 / 64,
                              .iteration = KEEL_ITERATION_FULL});
    check_same((keel_options){.method = "radau-iia", .step = 1.0 / 64,
                              .linear = KEEL_LINEAR_DENSE});
}

static void rod_twice_with_every_projection(void **state)
{
    const keel_projection kinds[] = {KEEL_PROJECT_NONE, KEEL_PROJECT_EXPLICIT,
                                     KEEL_PROJECT_ORTHOGONAL, KEEL_PROJECT_POSITION,
                                     KEEL_PROJECT_VELOCITY};
    const char *methods[] = {"dop853", "radau-iia", "hem-5", "gauss-3"};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < (k ? 4 : 3); i++)         /* Gauss must be projected: R(inf) = -1 */
            check_same((keel_options){.method = methods[i], .step = 1.0 / 64,
                                      .projection = kinds[k], .metric = KEEL_METRIC_EUCLIDEAN});
}

/* Variable steps of methods whose error norm does not see multipliers are the same steps. */
static void rod_twice_with_variable_steps(void **state)
{
    const char *methods[] = {"auto", "dop853", "radau-iia", "hem-5"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        check_same((keel_options){.method = methods[k], .rtol = 1e-9, .atol = 1e-9});
    check_same((keel_options){.method = "radau-iia", .iteration = KEEL_ITERATION_FULL,
                              .rtol = 1e-9, .atol = 1e-9});
}

/* Others against the angles: errors at the end may exceed the tolerance by a factor of 1000. */
static void rod_twice_against_the_angles(void **state)
{
    const char *methods[] = {"bdf", "gauss-3", "esdirk-4"};
    double x[4], exact[8], y[DOUBLE_PENDULUM_MAX];
    char remark[700];
    keel_ode_spec spec = double_pendulum_angles();
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    memcpy(x, double_pendulum_start_angles, sizeof x);
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = "dop853", .rtol = 1e-13,
                                                               .atol = 1e-13}), KEEL_OK);
    assert_int_equal(keel_start(s, 0, x), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
    double_pendulum_from_angles(keel_state(s), exact);
    keel_solver_free(s);
    keel_problem_free(p);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        swing(&rod_twice, NULL, (keel_options){.method = methods[k], .rtol = 1e-8, .atol = 1e-8}, y,
              remark);
        for (int i = 0; i < 4; i++)
            if (!(fabs(y[i] - exact[i]) < 1e-5))
                fail_msg("%s: unknown %d off by %.1e", methods[k], i, y[i] - exact[i]);
    }
}

/* ---- the start -------------------------------------------------------------------------------- */

static keel_solver *begin(keel_problem *p, const char *method, const double *y, int *rc)
{
    keel_solver *s = NULL;
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-9,
                                                               .atol = 1e-9}), KEEL_OK);
    *rc = keel_start(s, 0, y);
    return s;
}

static void contradicting_rods(void **state)
{
    keel_mechanical_spec spec = double_pendulum_spec(&rods_that_contradict);
    keel_problem *p = NULL;
    double y[DOUBLE_PENDULUM_MAX];
    int rc;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    double_pendulum_start(&rods_that_contradict, y);
    keel_solver *s = begin(p, "auto", y, &rc);
    assert_int_equal(rc, KEEL_INCONSISTENT);
    assert_non_null(strstr(keel_message(s), "g[1]"));
    assert_non_null(strstr(keel_message(s), "g[2]"));
    keel_solver_free(s);
    keel_problem_free(p);
}

/* A second run of a solver is like the first. */
static void runs_do_not_remember(void **state)
{
    keel_mechanical_spec spec = double_pendulum_spec(&rod_twice);
    keel_problem *p = NULL;
    double y[DOUBLE_PENDULUM_MAX], first[DOUBLE_PENDULUM_MAX];
    int rc;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    double_pendulum_start(&rod_twice, y);
    keel_solver *s = begin(p, "radau-iia", y, &rc);
    assert_int_equal(rc, KEEL_OK);
    assert_int_equal(keel_advance_to(s, 0.5), KEEL_OK);
    memcpy(first, keel_state(s), sizeof first);
    assert_int_equal(keel_start(s, 0, y), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 0.5), KEEL_OK);
    assert_memory_equal(first, keel_state(s), sizeof first);
    /* a question: the smallest multipliers, and the run as it was */
    memcpy(y, first, sizeof y);
    y[9] += 1;
    y[0] += 1e-3;
    assert_int_equal(keel_project(s, 0.5, y), KEEL_OK);
    assert_true(fabs(y[9] - y[10]) < 1e-9);
    assert_memory_equal(first, keel_state(s), sizeof first);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- a platform on parallel rods ----------------------------------------------------------------
 *
 * Its centre (x, y) and its angle w, mass and inertia 1, on rods of length 1 from (s_i, e_i) on the
 * ground to (s_i, e_i) on it: g_i = (|c + R(w) p_i - p_i|^2 - 1)/2 with c = (x, y).  It moves
 * without turning on a circle, c = (sin a, -cos a), a'' = -9.81 sin a: two of the rows are
 * independent, however many there are.  With all p_i on one line, and the rods along it, rank 1.
 */
typedef struct platform { int rods; const double (*p)[2]; double gravity; } platform;

static int platform_force(double t, const double *q, const double *v, double *f, void *context)
{
    const platform *k = context;
    (void)t, (void)q, (void)v;
    f[0] = f[2] = 0;
    f[1] = -k->gravity;
    return 0;
}

static int platform_rods(double t, const double *q, double *g, void *context)
{
    const platform *k = context;
    const double c = cos(q[2]), s = sin(q[2]);
    (void)t;
    for (int i = 0; i < k->rods; i++) {
        const double *p = k->p[i];
        const double x = q[0] + c * p[0] - s * p[1] - p[0], y = q[1] + s * p[0] + c * p[1] - p[1];
        g[i] = (x * x + y * y - 1) / 2;
    }
    return 0;
}

static int platform_jacobian(double t, const double *q, double *G, void *context)
{
    const platform *k = context;
    const double c = cos(q[2]), s = sin(q[2]);
    (void)t;
    for (int i = 0; i < k->rods; i++) {
        const double *p = k->p[i];
        const double rx = c * p[0] - s * p[1], ry = s * p[0] + c * p[1];
        const double x = q[0] + rx - p[0], y = q[1] + ry - p[1];
        G[3 * i] = x;
        G[3 * i + 1] = y;
        G[3 * i + 2] = -x * ry + y * rx;
    }
    return 0;
}

static keel_problem *make_platform(const platform *k, const char *const *names)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 3, .constraints = k->rods, .force = platform_force,
        .constraint = platform_rods, .constraint_jacobian = platform_jacobian,
        .constraint_names = names, .context = (void *)k}), KEEL_OK);
    return p;
}

static void place_platform(double a, double rate, double *y, int rods)
{
    const double at[6] = {sin(a), -cos(a), 0, rate * cos(a), rate * sin(a), 0};
    memset(y, 0, (size_t)(6 + rods) * sizeof *y);
    memcpy(y, at, sizeof at);
}

static int angle_rate(double t, const double *x, double *f, void *context)
{
    (void)t;
    f[0] = x[1];
    f[1] = -*(const double *)context * sin(x[0]);
    return 0;
}

/* a at t */
static double angle_at(double gravity, double a, double rate, double t)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double x[2] = {a, rate};
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = angle_rate,
                                                   .context = &gravity}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.method = "dop853", .rtol = 1e-13,
                                                               .atol = 1e-13}), KEEL_OK);
    assert_int_equal(keel_start(s, 0, x), KEEL_OK);
    assert_int_equal(keel_advance_to(s, t), KEEL_OK);
    double end = keel_state(s)[0];
    keel_solver_free(s);
    keel_problem_free(p);
    return end;
}

static const double spread[6][2] = {{0, 0}, {1, 0}, {0.5, 0.7}, {-0.4, 0.2}, {2, 1}, {-1, -1}};

/* Six rows on three unknowns, round and round. */
static void more_rows_than_unknowns(void **state)
{
    const char *methods[] = {"auto", "dop853", "radau-iia", "bdf", "hem-5"};
    const platform k = {6, spread, 9.81};
    const double a = angle_at(9.81, 0.5, 8, 3);
    double y[12];
    int rc;
    (void)state;
    keel_problem *p = make_platform(&k, NULL);
    place_platform(0.5, 8, y, 6);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        keel_solver *s = begin(p, methods[i], y, &rc);
        if (rc) fail_msg("%s: %s", methods[i], keel_message(s));
        assert_non_null(strstr(keel_message(s), "rank 2, not 6"));
        rc = keel_advance_to(s, 3);
        if (rc) fail_msg("%s: %s", methods[i], keel_message(s));
        /* at speeds of 8 errors at the end may exceed the tolerance by a factor of 1000 */
        const double *end = keel_state(s);
        if (!(hypot(end[0] - sin(a), end[1] + cos(a)) < 1e-6))
            fail_msg("%s: off by %.1e", methods[i], hypot(end[0] - sin(a), end[1] + cos(a)));
        assert_true(fabs(end[2]) < 1e-6);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* ---- rank that is lost ---------------------------------------------------------------------- */

static const double in_line[2][2] = {{0, 0}, {1, 0}};
static const char *const rod_names[2] = {"left rod", "right rod"};

/* The platform on two rods passes the horizontal, where they lie in one line.  Where a step ends next
 * to that, which is chance and likely with many steps, the run says why it ends. */
static void singular_positions_are_passed(void **state)
{
    const char *methods[] = {"auto", "radau-iia", "hem-5"};
    const platform k = {2, in_line, 9.81};
    const double a = angle_at(9.81, 0.5, 8, 1.5);
    double y[8];
    int rc;
    (void)state;
    assert_true(fabs(a) > 2);
    keel_problem *p = make_platform(&k, rod_names);
    place_platform(0.5, 8, y, 2);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        keel_solver *s = begin(p, methods[i], y, &rc);
        assert_int_equal(rc, KEEL_OK);
        assert_string_equal(keel_message(s), "");
        rc = keel_advance_to(s, 1.5);
        if (rc && i < 2) fail_msg("%s: %s", methods[i], keel_message(s));
        if (rc) assert_non_null(strstr(keel_message(s), "lose rank here: left rod, right rod"));
        if (!rc) assert_true(hypot(keel_state(s)[0] - sin(a), keel_state(s)[1] + cos(a)) < 1e-6);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* Not to be taken for rows that always depend on each other. */
static void singular_start_is_named(void **state)
{
    const platform k = {2, in_line, 9.81};
    double y[8];
    int rc;
    (void)state;
    keel_problem *p = make_platform(&k, rod_names);
    for (int moving = 0; moving < 2; moving++) {
        place_platform(acos(0), moving, y, 2);
        keel_solver *s = begin(p, "auto", y, &rc);
        assert_int_equal(rc, KEEL_SINGULAR);
        assert_non_null(strstr(keel_message(s), "left rod"));
        assert_non_null(strstr(keel_message(s), "right rod"));
        assert_non_null(strstr(keel_message(s), "lose rank"));
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

/* A point on a circle is pulled along: x = t, x^2 + y^2 = 1, until t = 1. */
static int pulled_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = f[1] = 0;
    return 0;
}

static int pulled(double t, const double *q, double *g, void *context)
{
    (void)context;
    g[0] = q[0] - t;
    g[1] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static void rank_lost_on_the_way_is_named(void **state)
{
    const char *methods[] = {"auto", "dop853", "radau-iia", "bdf", "hem-5", "gauss-3", "esdirk-4"};
    static const char *const names[] = {"drive", "circle"};
    const double y[6] = {0, 1, 1, 0};
    keel_problem *p = NULL;
    int rc;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 2, .force = pulled_force, .constraint = pulled,
        .constraint_names = names}), KEEL_OK);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        keel_solver *s = begin(p, methods[i], y, &rc);
        assert_int_equal(rc, KEEL_OK);
        rc = keel_advance_to(s, 2);
        if (rc != KEEL_SINGULAR || !strstr(keel_message(s), "lose rank"))
            fail_msg("%s: %s", methods[i], keel_message(s));
        assert_non_null(strstr(keel_message(s), "drive"));
        assert_non_null(strstr(keel_message(s), "circle"));
        if (!(fabs(keel_time(s) - 1) < 1e-5)) fail_msg("%s: t = %.10g", methods[i], keel_time(s));
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_twice_with_constant_steps),
        cmocka_unit_test(rod_twice_in_formulations),
        cmocka_unit_test(fixed_multipliers_of_rods_given_twice),
        cmocka_unit_test(rod_twice_with_every_projection),
        cmocka_unit_test(rod_twice_with_variable_steps),
        cmocka_unit_test(rod_twice_against_the_angles),
        cmocka_unit_test(contradicting_rods),
        cmocka_unit_test(runs_do_not_remember),
        cmocka_unit_test(more_rows_than_unknowns),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(singular_start_is_named),
        cmocka_unit_test(rank_lost_on_the_way_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
