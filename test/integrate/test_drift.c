/* test_drift.c -- constraints stay satisfied with projection and drift away without it. */
#include "test/support/run.h"

/* ---- a pendulum in Cartesian coordinates, as mechanical and as Hessenberg 3 problem ---------- */

static int pendulum_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -9.81;
    return 0;
}

static int pendulum_g(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
    return 0;
}

static int pendulum_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int pendulum_push(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    (void)t, (void)v, (void)context;
    k[0] = -u[0] * l[0];
    k[1] = -9.81 - u[1] * l[0];
    return 0;
}

static keel_problem *pendulum(int mechanical)
{
    keel_problem *p = NULL;
    int rc = mechanical
        ? keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
              .force = pendulum_force, .constraint = pendulum_g})
        : keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
              .multipliers = 1, .position_rate = pendulum_rate, .velocity_rate = pendulum_push,
              .constraint = pendulum_g});
    assert_int_equal(rc, KEEL_OK);
    return p;
}

/* Swings for 20 s from the horizontal; returns the statistics. */
static keel_stats swing(int mechanical, keel_options o, double *y)
{
    double start[5] = {1, 0, 0, 0, 0};
    keel_problem *p = pendulum(mechanical);
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start(s, 0, start), s, "start");
    expect_ok(keel_advance_to(s, 20), s, "swing");
    keel_stats stats = *keel_solver_stats(s);
    memcpy(y, keel_state(s), sizeof start);
    keel_solver_free(s);
    keel_problem_free(p);
    return stats;
}

static void pendulum_does_not_drift(void **state)
{
    (void)state;
    for (int mechanical = 0; mechanical < 2; mechanical++) {
        double y[5];
        keel_stats n = swing(mechanical, (keel_options){.rtol = 1e-5}, y);
        if (!(n.residual[0] < 1e-13 && n.residual[1] < 1e-10))
            fail_msg("mechanical %d: residuals %g %g %g", mechanical, n.residual[0], n.residual[1],
                     n.residual[2]);
        assert_true(n.residual[0] >= 0 && n.residual[2] >= 0 && n.residual[2] < 1e-5);
        assert_true(n.projections >= n.accepted);
        n = swing(mechanical, (keel_options){.rtol = 1e-5, .projection = KEEL_PROJECT_NONE}, y);
        if (!(n.residual[1] > 1e-7))
            fail_msg("mechanical %d: velocity residual only %g", mechanical, n.residual[1]);
        assert_int_equal(n.projections, 0);
    }
}

/* Energy is an independent check: with tight tolerances it is kept although nothing projects it. */
static void pendulum_energy(void **state)
{
    (void)state;
    for (int mechanical = 0; mechanical < 2; mechanical++) {
        double y[5];
        swing(mechanical, (keel_options){.rtol = 1e-10}, y);
        double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + 9.81 * y[1];
        if (!(fabs(energy) < 1e-5)) fail_msg("mechanical %d: energy %g", mechanical, energy);
        assert_true(fabs(y[4] - (y[2] * y[2] + y[3] * y[3] - 9.81 * y[1])) < 1e-5);
    }
}

/* A constraint that moves in time, with g_t given and by differences. */
static void moving_constraint(void **state)
{
    (void)state;
    for (int k = FORM_SEPARATE; k <= FORM_EVALUATE; k++)
        for (int given = 0; given < 2; given++)
            for (int projection = KEEL_PROJECT_OBLIQUE; projection <= KEEL_PROJECT_NONE; projection++) {
                probe context = {0};
                keel_options o = {.rtol = 1e-5, .projection = (keel_projection)projection};
                keel_problem *p = new_problem(&forms[k], (derivatives)given, &context);
                keel_solver *s = started(p, &forms[k], &o, 0);
                expect_ok(keel_advance_to(s, 3), s, forms[k].name);
                double y[LARGEST_FORM];
                const double *x = keel_state(s);
                forms[k].exact(3, y);
                double velocity = x[0] * x[2] + x[1] * x[3] + mechanism_g_t(3);
                if (projection != KEEL_PROJECT_NONE) {
                    assert_true(fabs(mechanism_g(3, x)) < 1e-14);
                    assert_true(fabs(velocity) < (given ? 1e-13 : 1e-9));
                    assert_true(distance(x, y, 0, 4) < 0.05);
                } else assert_true(fabs(velocity) > 1e-8);
                keel_solver_free(s);
                keel_problem_free(p);
            }
}

/* ---- different ways to the same result ------------------------------------------------------- */

static void mechanical_variants_agree(void **state)
{
    static const keel_options variants[] = {
        {.rtol = 1e-9, .iteration = KEEL_ITERATION_SADDLE},
        {.rtol = 1e-9, .iteration = KEEL_ITERATION_FULL},
        {.rtol = 1e-9, .iteration = KEEL_ITERATION_FULL, .jacobian_differences = 1},
        {.rtol = 1e-9, .iteration = KEEL_ITERATION_AUTO},
        {.rtol = 1e-9, .sweeps = -1},
        {.rtol = 1e-9, .sweeps = 3},
        {.rtol = 1e-9, .linear = KEEL_LINEAR_MECHANICAL},
        {.rtol = 1e-9, .linear = KEEL_LINEAR_DENSE},
        {.rtol = 1e-9, .linear = KEEL_LINEAR_DENSE, .projection = KEEL_PROJECT_NONE},
        {.rtol = 1e-9, .multipliers = KEEL_MULTIPLIERS_RECURSION}};
    (void)state;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        for (int given = 0; given < 2; given++) {
            probe context = {0};
            double y[LARGEST_FORM], exact[LARGEST_FORM];
            solve(&forms[FORM_SEPARATE], (derivatives)given, &context, &variants[k], 0, 1.5, y);
            mechanism_exact(1.5, exact);
            double error = distance(y, exact, 0, 4);
            if (!(error < 1e-6)) fail_msg("variant %zu: error %g", k, error);
        }
}

static void differenced_jacobians_agree(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe context = {0}, ignored = {0};
        double a[LARGEST_FORM], b[LARGEST_FORM];
        keel_options o = {.rtol = 1e-8};
        solve(&forms[k], GIVEN, &context, &o, 0, 0.7, a);
        o.jacobian_differences = 1;
        solve(&forms[k], GIVEN, &ignored, &o, 0, 0.7, b);
        assert_true(distance(a, b, 0, forms[k].size) < 1e-5);
        if (k != FORM_IMPLICIT) assert_int_equal(ignored.calls[JACOBIAN], 0);
    }
}

/* A stiff spring and damper on a free coordinate: the saddle matrix knows nothing of it. */
static int stiff_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)context;
    f[0] = 0;
    f[1] = -9.81;
    f[2] = -1e8 * (q[2] - sin(t)) - 3e4 * (v[2] - cos(t));
    return 0;
}

static void stiff_forces_switch(void **state)
{
    double y[7] = {1, 0, 0, 0, 0, 1, 0}, z[3];
    (void)state;
    for (int iteration = KEEL_ITERATION_AUTO; iteration <= KEEL_ITERATION_FULL; iteration += 2) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 3,
            .constraints = 1, .force = stiff_force, .constraint = pendulum_g}), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){
            .rtol = 1e-6, .iteration = (keel_iteration)iteration}), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        expect_ok(keel_advance_to(s, 2), s, "stiff");
        memcpy(z, keel_state(s), sizeof z);
        assert_true(fabs(z[2] - sin(2.0)) < 1e-4);
        assert_true(fabs(hypot(z[0], z[1]) - 1) < 1e-13);
        const keel_stats *n = keel_solver_stats(s);
        assert_int_equal(n->iteration_switches > 0, iteration == KEEL_ITERATION_AUTO);
        assert_true(n->accepted < 2000);                       /* explicit work: 1e5 and more */
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- storages -------------------------------------------------------------------------------- */

enum { CELLS = 50 };

static int chain_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? y[i - 1] : 1, right = i < CELLS - 1 ? y[i + 1] : 0;
        f[i] = 100 * (left - 2 * y[i] + right) - y[i] * y[i];
    }
    return 0;
}

static void solve_chain(keel_storage storage, keel_linear linear, double *y)
{
    int start[CELLS + 1], row[3 * CELLS], count = 0;
    double zero[CELLS] = {0};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    for (int j = 0; j < CELLS; j++) {
        start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CELLS; i++) row[count++] = i;
    }
    start[CELLS] = count;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = CELLS, .rhs = chain_rhs,
        .pattern = {.storage = storage, .lower = 1, .upper = 1, .column_start = start,
                    .row_index = row}}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.linear = linear}), s, "create");
    expect_ok(keel_start(s, 0, zero), s, "start");
    expect_ok(keel_advance_to(s, 1), s, "chain");
    memcpy(y, keel_state(s), CELLS * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void storages_agree(void **state)
{
    static const struct { keel_storage storage; keel_linear linear; } variants[] = {
        {KEEL_BAND, KEEL_LINEAR_AUTO},     {KEEL_BAND, KEEL_LINEAR_BAND},
        {KEEL_BAND, KEEL_LINEAR_DENSE},    {KEEL_SPARSE, KEEL_LINEAR_AUTO},
        {KEEL_SPARSE, KEEL_LINEAR_SPARSE}, {KEEL_SPARSE, KEEL_LINEAR_DENSE},
        {KEEL_DENSE, KEEL_LINEAR_SPARSE},  {KEEL_BAND, KEEL_LINEAR_SPARSE}};
    double dense[CELLS], y[CELLS];
    (void)state;
    solve_chain(KEEL_DENSE, KEEL_LINEAR_AUTO, dense);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        if (variants[k].linear == KEEL_LINEAR_SPARSE && !has_sparse()) continue;
        solve_chain(variants[k].storage, variants[k].linear, y);
        double gap = distance(y, dense, 0, CELLS);
        if (!(gap < 1e-5)) fail_msg("variant %zu differs by %g", k, gap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_does_not_drift), cmocka_unit_test(pendulum_energy),
        cmocka_unit_test(moving_constraint), cmocka_unit_test(mechanical_variants_agree),
        cmocka_unit_test(differenced_jacobians_agree), cmocka_unit_test(stiff_forces_switch),
        cmocka_unit_test(storages_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
