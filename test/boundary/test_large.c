/* test_large.c -- many intervals, many unknowns: the same solution whatever is kept and however it is
 * stored, and what happens when there is no room. */
#include "test/boundary/cases.h"
#include "test/boundary/ladder.h"

/* Solves; errors are left to the caller. */
typedef struct solved {
    ladder ladder;
    keel_problem *problem;
    keel_boundary *boundary;
    int rc;
} solved;

static void solve(solved *s, int pairs, int sparse, int given, keel_boundary_options o)
{
    s->ladder = (ladder){.pairs = pairs, .to = s->ladder.to > 0 ? s->ladder.to : 1,
                         .fails_at = s->ladder.fails_at};
    assert_int_equal(ladder_problem(&s->problem, &s->ladder, sparse, given), KEEL_OK);
    keel_boundary_spec spec = ladder_boundary(s->problem, &s->ladder);
    s->rc = keel_boundary_create(&s->boundary, &spec, &o);
    if (!s->rc) s->rc = keel_boundary_solve(s->boundary);
}

static void done(solved *s)
{
    keel_boundary_free(s->boundary);
    keel_problem_free(s->problem);
    ladder_free(&s->ladder);
}

static double error_of(const solved *s)
{
    if (s->rc) fail_msg("%s", keel_boundary_message(s->boundary));
    return ladder_error(&s->ladder, keel_boundary_solution(s->boundary), 1000);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Matrices that are made anew are those of the same point: results agree to rounding. */
static void anew_is_the_same(void **state)
{
    double y[40], z[40];
    solved kept = {0}, anew = {0}, some = {0};
    keel_boundary_options o = {.rtol = 1e-8, .atol = 1e-8};
    (void)state;
    solve(&kept, 20, 0, 1, o);
    o.memory = 1;
    solve(&anew, 20, 0, 1, o);
    o.memory = 6e5;                              /* means: no more of them, see below */
    solve(&some, 20, 0, 1, o);
    assert_true(error_of(&kept) < 1e-8 && error_of(&anew) < 1e-8 && error_of(&some) < 1e-8);
    assert_true(anew.ladder.jacobians > 2 * kept.ladder.jacobians);
    assert_true(2 * some.ladder.jacobians < 3 * kept.ladder.jacobians);
    for (int i = 0; i <= 10; i++) {
        assert_int_equal(keel_solution_at(keel_boundary_solution(kept.boundary), 0.1 * i, y), KEEL_OK);
        assert_int_equal(keel_solution_at(keel_boundary_solution(anew.boundary), 0.1 * i, z), KEEL_OK);
        for (int j = 0; j < 40; j++) assert_true(fabs(y[j] - z[j]) < 1e-12);
    }
    done(&kept);
    done(&anew);
    done(&some);
}

/* Bytes for which intervals have means in single precision (docs/boundary-large.md): the solution is that of
 * the same equations, found with as many evaluations of Jacobians as where everything is kept. */
static void means_are_enough(void **state)
{
    double y[40], z[40];
    (void)state;
    for (int stages = 3; stages <= 6; stages++) {
        solved kept = {0}, means = {0};
        keel_boundary_options o = {.rtol = 1e-8, .atol = 1e-8, .stages = stages, .mesh = 50, .uniform = 50};
        solve(&kept, 20, 0, 1, o);
        o.memory = 50 * 36e3;
        solve(&means, 20, 0, 1, o);
        assert_true(error_of(&kept) < 1e-8 && error_of(&means) < 1e-8);
        assert_int_equal(means.ladder.jacobians, kept.ladder.jacobians);
        for (int i = 0; i <= 10; i++) {
            assert_int_equal(keel_solution_at(keel_boundary_solution(kept.boundary), 0.1 * i, y), KEEL_OK);
            assert_int_equal(keel_solution_at(keel_boundary_solution(means.boundary), 0.1 * i, z), KEEL_OK);
            for (int j = 0; j < 40; j++) assert_true(fabs(y[j] - z[j]) < 1e-10);
        }
        done(&kept);
        done(&means);
    }
}

/* x1' = a x1 + x2, x2' = -a x2 + cos t, a = 20 cos 20t: within an interval of 1/4, a changes its sign. */
static long fast_jacobians;
static int fast_rhs(double t, const double *y, double *f, void *context)
{
    double a = 20 * cos(20 * t);
    (void)context;
    f[0] = a * y[0] + y[1];
    f[1] = -a * y[1] + cos(t);
    return 0;
}
static int fast_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    double a = 20 * cos(20 * t);
    (void)y, (void)context;
    fast_jacobians++;
    keel_put(J, 0, 0, a);
    keel_put(J, 0, 1, 1);
    keel_put(J, 1, 1, -a);
    return 0;
}
static int fast_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[1] - 1;
    return 0;
}

/* Means do not serve there: whatever the limit, the solution is that with everything kept. */
static void means_are_given_up(void **state)
{
    double y[2], z[2];
    long least = 0, most = 0;
    (void)state;
    for (double memory = 0; memory <= 2e5; memory = memory > 0 ? 1.2 * memory : 1e4) {
        keel_problem *p = NULL;
        keel_boundary *w = NULL;
        fast_jacobians = 0;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = fast_rhs,
                                                       .jacobian = fast_jacobian}), KEEL_OK);
        int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .to = 4, .conditions = 2,
            .condition = fast_ends}, &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9, .stages = 8,
            .mesh = 16, .uniform = 16, .memory = memory});
        if (!rc) rc = keel_boundary_solve(w);
        if (rc) fail_msg("%g bytes: %s", memory, keel_boundary_message(w));
        keel_solution_at(keel_boundary_solution(w), 1.3, memory > 0 ? z : y);
        for (int i = 0; i < 2 && memory > 0; i++) assert_true(fabs(y[i] - z[i]) < 1e-8 * (1 + fabs(y[i])));
        if (memory == 0) least = fast_jacobians;
        most = fast_jacobians > most ? fast_jacobians : most;
        keel_boundary_free(w);
        keel_problem_free(p);
    }
    assert_true(most > 2 * least);
}

/* Without parameters of its own, with one, with conditions inside: everything that is made anew. */
static int tau_rhs(double t, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = frame->parameters[0] * y[1];
    f[1] = -frame->parameters[0] * y[0];
    return 0;
}
static int tau_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[1];
    return 0;
}
static int tau_inside(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)i, (void)t, (void)p, (void)context;
    b[0] = y[0] - sin(PI / 6);
    return 0;
}
static int tau_guess(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = t;
    y[1] = 1;
    p[0] = 1.5;
    return 0;
}

/* y = (sin pt, cos pt), y1(1/3) = 1/2: p = pi/2. */
static void anew_with_parameters(void **state)
{
    (void)state;
    for (int memory = 0; memory < 100000; memory = memory ? 2 * memory : 1) {
        keel_problem *p = NULL;
        keel_boundary *w = NULL;
        const double third = 1.0 / 3, start = 1.5;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = tau_rhs,
            .frame = {.parameters = 1, .parameter_start = &start}}), KEEL_OK);
        int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2,
            .condition = tau_ends, .inner = 1, .inner_at = &third, .inner_condition = tau_inside,
            .parameters = 1, .guess = tau_guess},
            &(keel_boundary_options){.rtol = 1e-10, .atol = 1e-10, .memory = memory});
        if (!rc) rc = keel_boundary_solve(w);
        if (rc) fail_msg("%s", keel_boundary_message(w));
        assert_true(fabs(keel_boundary_parameters(w)[0] - PI / 2) < 1e-9);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* A mesh that cannot be is refused before anything is multiplied out. */
static void no_room(void **state)
{
    static const int intervals[] = {10000000, 2000000000, 2147483647};
    (void)state;
    for (int i = 0; i < 3; i++) {
        solved s = {0};
        solve(&s, 20, 0, 1, (keel_boundary_options){.mesh = intervals[i], .uniform = intervals[i]});
        assert_int_equal(s.rc, KEEL_NO_MEMORY);
        assert_non_null(strstr(keel_boundary_message(s.boundary), "GB"));
        assert_null(keel_boundary_solution(s.boundary));
        done(&s);
    }
}

static void wrong_memory(void **state)
{
    solved s = {0};
    (void)state;
    solve(&s, 2, 0, 1, (keel_boundary_options){.memory = -1});
    assert_int_equal(s.rc, KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_boundary_message(s.boundary), "memory"));
    done(&s);
}

/* A callback that fails only where its matrices are made anew: never a solution. */
static void failure_when_made_anew(void **state)
{
    solved s = {0};
    (void)state;
    solve(&s, 4, 0, 1, (keel_boundary_options){.memory = 1});
    const long all = s.ladder.jacobians;
    done(&s);
    for (long k = 1; k < all; k += all / 20) {
        solved broken = {.ladder = {.fails_at = k}};
        solve(&broken, 4, 0, 1, (keel_boundary_options){.memory = 1});
        if (broken.rc != KEEL_CALLBACK_FAILED) fail_msg("call %ld of %ld: %d", k, all, broken.rc);
        assert_null(keel_boundary_solution(broken.boundary));
        done(&broken);
    }
}

/* ---- many intervals -------------------------------------------------------------------------- */

/* Growing and decaying solutions on a long interval: e^100 between its ends. */
static void many_intervals(void **state)
{
    solved s = {.ladder = {.to = 50}};
    (void)state;
    solve(&s, 20, 0, 1, (keel_boundary_options){.mesh = 2000, .uniform = 2000, .stages = 4,
                                                .memory = 1e8});
    assert_true(error_of(&s) < 1e-9);
    assert_true(keel_boundary_statistics(s.boundary)->kappa_green < 10);
    done(&s);
}

/* ---- sparse Jacobians ------------------------------------------------------------------------ */

static void sparse_is_the_same(void **state)
{
    double y[120], z[120];
    (void)state;
    for (int given = 0; given < 2; given++) {
        solved dense = {0}, sparse = {0};
        keel_boundary_options o = {.rtol = 1e-8, .atol = 1e-8};
        solve(&sparse, 60, 1, given, o);
        o.dense = 1;
        solve(&dense, 60, 1, given, o);
        assert_true(error_of(&sparse) < 1e-8 && error_of(&dense) < 1e-8);
        const keel_boundary_stats *a = keel_boundary_statistics(sparse.boundary);
        const keel_boundary_stats *b = keel_boundary_statistics(dense.boundary);
        assert_int_equal(a->mesh, b->mesh);
        assert_int_equal(a->solves, b->solves);
        assert_true(fabs(a->kappa_green - b->kappa_green) < 1e-6 * b->kappa_green);
        assert_true(fabs(a->error_y - b->error_y) < 0.2 * b->error_y);
        keel_solution_at(keel_boundary_solution(sparse.boundary), 0.37, y);
        keel_solution_at(keel_boundary_solution(dense.boundary), 0.37, z);
        for (int i = 0; i < 120; i++) assert_true(fabs(y[i] - z[i]) < 1e-11);
        done(&dense);
        done(&sparse);
    }
}

/* z_i of an equation without z: the index is not 1. */
static int flat_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    int rc = ladder_constraint(t, x, z, g, context);
    g[7] = x[7] - sin(t + 7);
    return rc;
}

static void sparse_wrong_index(void **state)
{
    ladder d = {.pairs = 40, .to = 1};
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    (void)state;
    assert_int_equal(ladder_pattern(&d), 0);
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 40, .algebraic = 40, .rhs = ladder_rhs, .constraint = flat_constraint,
        .pattern = {.storage = KEEL_SPARSE, .column_start = d.start, .row_index = d.row},
        .context = &d}), KEEL_OK);
    keel_boundary_spec spec = ladder_boundary(p, &d);
    int rc = keel_boundary_create(&w, &spec, NULL);
    if (!rc) rc = keel_boundary_solve(w);
    assert_int_equal(rc, KEEL_WRONG_INDEX);
    keel_boundary_free(w);
    keel_problem_free(p);
    ladder_free(&d);
}

/* Conditions on z, at both ends. */
static int z_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const ladder *d = context;
    int rc = ladder_ends(ya, yb, p, b, context);
    b[0] = ya[d->pairs + 1] - cos(1) + ya[0];
    b[1] = yb[d->pairs + 1] - cos(d->to + 1) + 2 * (yb[1] - sin(d->to + 1));
    return rc;
}

static void sparse_conditions_on_z(void **state)
{
    double value[2];
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        ladder d = {.pairs = 30, .to = 1};
        keel_problem *p = NULL;
        keel_boundary *w = NULL;
        assert_int_equal(ladder_problem(&p, &d, 1, 1), KEEL_OK);
        keel_boundary_spec spec = ladder_boundary(p, &d);
        spec.condition = z_ends;
        int rc = keel_boundary_create(&w, &spec, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8,
                                                                          .dense = dense});
        if (!rc) rc = keel_boundary_solve(w);
        if (rc) fail_msg("%s", keel_boundary_message(w));
        value[dense] = keel_boundary_statistics(w)->kappa_boundary;
        assert_true(ladder_error(&d, keel_boundary_solution(w), 100) < 1e-7);
        keel_boundary_free(w);
        keel_problem_free(p);
        ladder_free(&d);
    }
    assert_true(fabs(value[0] - value[1]) < 1e-6 * value[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anew_is_the_same),     cmocka_unit_test(anew_with_parameters),
        cmocka_unit_test(means_are_enough),     cmocka_unit_test(means_are_given_up),
        cmocka_unit_test(no_room),              cmocka_unit_test(wrong_memory),
        cmocka_unit_test(failure_when_made_anew), cmocka_unit_test(many_intervals),
        cmocka_unit_test(sparse_is_the_same),   cmocka_unit_test(sparse_wrong_index),
        cmocka_unit_test(sparse_conditions_on_z),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
