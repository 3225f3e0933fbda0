/* test_attached.c -- constraints attached to M y' = f and F(t,y,y') = 0: the pendulum with masses 1
 * and 5, so that the constraint force is not along the gradient, with its position and velocity
 * constraints as attached rows.  The equation for l is g, g' or g'' (lag 2, 1, 0). */
#include "test/support/run.h"

#include "test/support/levelled.h"

static const double mass[2] = {1, 5}, gravity = 9.81;

typedef struct system { int lag; } system_of;

static int rhs(double t, const double *y, double *f, void *context)
{
    const system_of *s = context;
    const double *q = y, *v = y + 2, l = y[4];
    (void)t;
    for (int i = 0; i < 2; i++) {
        f[i] = v[i];
        f[2 + i] = -q[i] * l - (i == 1) * mass[1] * gravity;
    }
    f[4] = s->lag == 2 ? (q[0] * q[0] + q[1] * q[1] - 1) / 2 : s->lag == 1 ? q[0] * v[0] + q[1] * v[1]
         : v[0] * v[0] + v[1] * v[1] + q[0] * f[2] / mass[0] + q[1] * f[3] / mass[1];
    return 0;
}

static int mass_matrix(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    for (int i = 0; i < 2; i++) {
        keel_put(M, i, i, 1);
        keel_put(M, 2 + i, 2 + i, mass[i]);
    }
    return 0;
}

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    rhs(t, y, F, context);
    for (int i = 0; i < 5; i++)
        F[i] = (i < 2 ? yp[i] : i < 4 ? mass[i - 2] * yp[i] : 0) - F[i];
    return 0;
}

static int hidden(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
    h[1] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static int hidden_jacobian(double t, const double *y, double *H, void *context)
{
    const double rows[2][5] = {{y[0], y[1], 0, 0, 0}, {y[2], y[3], y[0], y[1], 0}};
    (void)t, (void)context;
    memcpy(H, rows, sizeof rows);
    return 0;
}

static keel_problem *problem_of(int implicit, const system_of *s, const keel_attached *attached)
{
    const int index[5] = {1, 1, s->lag == 2 ? 2 : 1, s->lag == 2 ? 2 : 1, s->lag + 1};
    keel_problem *p = NULL;
    int rc = implicit ? keel_implicit(&p, &(keel_implicit_spec){
                            .size = 5, .residual = residual, .variable_index = index,
                            .attached = *attached, .context = (void *)s})
                      : keel_quasilinear(&p, &(keel_quasilinear_spec){
                            .size = 5, .mass = mass_matrix, .constant_mass = 1, .rhs = rhs,
                            .variable_index = index, .attached = *attached, .context = (void *)s});
    if (rc) fail_msg("%s", keel_problem_message(p));
    return p;
}

static const double start[5] = {1, 0, 0, 0, 0};

/* Errors of (q,v) and l at t = 1 against the equation for the angle. */
static void errors(const keel_problem *p, const char *method, int steps, double error[2])
{
    static double reference[LEVELLED_MAX], begin[LEVELLED_MAX];
    levelled model = levelled_pendulum_of(&pendulum_masses);
    if (reference[0] == 0) {
        assert_int_equal(levelled_reference(&model, 0, begin), KEEL_OK);
        assert_int_equal(levelled_reference(&model, 1, reference), KEEL_OK);
    }
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .step = 1.0 / steps}), s,
              method);
    expect_ok(keel_start(s, 0, begin), s, method);
    expect_ok(keel_advance_to(s, 1), s, method);
    if (keel_problem_levels(p)) assert_true(keel_solver_stats(s)->residual[0] <= 1e-14);
    error[0] = distance(keel_state(s), reference, 0, 4);
    error[1] = distance(keel_state(s), reference, 4, 5);
    keel_solver_free(s);
}

static void orders(void **state)
{
    static const struct { int lag; const char *method; int steps; double y; } expected[] = {
        {2, "radau-iia-2", 640, 3}, {2, "radau-iia-3", 160, 5}, {2, "gauss-3", 160, 3},
        {1, "radau-iia-2", 320, 3}, {1, "radau-iia-3", 160, 5}, {1, "gauss-2", 320, 4},
        {1, "gauss-3", 160, 6}, {0, "gauss-2", 160, 4}, {0, "gauss-3", 80, 6},
        {0, "radau-iia-3", 320, 5}, {0, "bdf-3", 640, 3}, {1, "bdf-3", 640, 3}};
    const keel_attached attached = {.rows = 2, .value = hidden};
    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        for (int implicit = 0; implicit < 2; implicit++) {
            const system_of s = {expected[k].lag};
            double coarse[2], fine[2];
            keel_problem *p = problem_of(implicit, &s, &attached);
            errors(p, expected[k].method, expected[k].steps, coarse);
            errors(p, expected[k].method, 2 * expected[k].steps, fine);
            double y = log2(coarse[0] / fine[0]), z = log2(coarse[1] / fine[1]);
            if (!(y >= expected[k].y - 0.35) || !(z >= expected[k].y - 0.35))
                fail_msg("lag %d, %s, %s: orders %.2f, %.2f instead of %g (%.1e, %.1e)",
                         expected[k].lag, expected[k].method, implicit ? "implicit" : "quasilinear",
                         y, z, expected[k].y, fine[0], fine[1]);
            keel_problem_free(p);
        }
}

/* Without the rows gauss-3 fails on index 3, and positions drift where g is differentiated. */
static void they_make_the_difference(void **state)
{
    const keel_attached none = {0}, attached = {.rows = 2, .value = hidden,
                                                .jacobian = hidden_jacobian};
    const system_of s = {0};
    double drift[2];
    (void)state;
    for (int with = 0; with < 2; with++) {
        keel_problem *p = problem_of(1, &s, with ? &attached : &none);
        keel_solver *solver = NULL;
        double h[2];
        expect_ok(keel_solver_create(&solver, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6,
                                                                 .atol = 1e-6}), solver, "create");
        expect_ok(keel_start(solver, 0, start), solver, "start");
        expect_ok(keel_advance_to(solver, 50), solver, "run");
        hidden(50, keel_state(solver), h, NULL);
        drift[with] = fmax(fabs(h[0]), fabs(h[1]));
        keel_solver_free(solver);
        keel_problem_free(p);
    }
    assert_true(drift[0] > 1e-6 && drift[1] <= 1e-14);
}

/* ... and the energy, which moves along D_2 as the position does, but along D_1 only where velocities
 * are not tangential: it is no hidden row, wherever the run begins. */
static int hidden_and_energy(double t, const double *y, double *h, void *context)
{
    hidden(t, y, h, context);
    h[2] = (mass[0] * y[2] * y[2] + mass[1] * y[3] * y[3]) / 2 + mass[1] * gravity * y[1];
    return 0;
}

static void an_energy_beside_hidden_rows(void **state)
{
    static const int kept[] = {0, 0, 1};
    static const double from[2][5] = {{1, 0}, {0.8, -0.6}};
    const keel_attached attached = {.rows = 3, .value = hidden_and_energy, .kept = kept};
    (void)state;
    for (int k = 0; k < 8; k++) {
        const system_of s = {k / 2 % 2 ? 2 : 1};
        keel_problem *p = problem_of(k < 4, &s, &attached);
        keel_solver *solver = NULL;
        double before[3], after[3];
        expect_ok(keel_solver_create(&solver, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6,
                                                                 .atol = 1e-6}), solver, "create");
        expect_ok(keel_start(solver, 0, from[k % 2]), solver, "start");
        hidden_and_energy(0, keel_state(solver), before, NULL);
        expect_ok(keel_advance_to(solver, 20), solver, "run");
        hidden_and_energy(20, keel_state(solver), after, NULL);
        assert_true(fabs(after[0]) <= 1e-13 && fabs(after[1]) <= 1e-13);
        assert_true(fabs(after[2] - before[2]) <= 1e-12);
        keel_solver_free(solver);
        keel_problem_free(p);
    }
}

/* A pendulum of index 2 with w = x^2 as an algebraic unknown of its own, which the velocity row
 * contains: its derivative along the solution contains w'. */
static int squared_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] * y[5];
    f[3] = -y[1] * y[5] - 1;
    f[4] = y[4] - y[0] * y[0];
    f[5] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static int squared_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    for (int i = 0; i < 4; i++) keel_put(M, i, i, 1);
    return 0;
}

static int squared_rows(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = (y[4] + y[1] * y[1] - 1) / 2;
    h[1] = y[0] * y[2] + y[1] * y[3] + (y[4] - y[0] * y[0]) * y[2];
    return 0;
}

static void rows_may_contain_algebraic_unknowns(void **state)
{
    static const int index[6] = {1, 1, 1, 1, 1, 2};
    static const double from[6] = {1, 0, 0, -0.5, 1, 0.25};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_quasilinear(&p, &(keel_quasilinear_spec){
        .size = 6, .mass = squared_mass, .constant_mass = 1, .rhs = squared_rhs,
        .variable_index = index, .attached = {.rows = 2, .value = squared_rows}}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia", .rtol = 1e-8,
                                                        .atol = 1e-8}), s, "create");
    expect_ok(keel_start(s, 0, from), s, "start");
    expect_ok(keel_set_stop_time(s, 3), s, "stop");
    while (keel_time(s) < 3) {
        expect_ok(keel_step(s), s, "step");
        const double *y = keel_state(s);
        assert_true(fabs(y[5] - (y[2] * y[2] + y[3] * y[3] - y[1])) < 1e-7);
    }
    assert_true(keel_solver_stats(s)->residual[0] <= 1e-14);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                       cmocka_unit_test(they_make_the_difference),
                                       cmocka_unit_test(an_energy_beside_hidden_rows),
                                       cmocka_unit_test(rows_may_contain_algebraic_unknowns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
