/* test_channel.c -- the flow through a square: Jacobian and pattern, constraint, runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/channel.h"
#include "problems/list.h"
#include "test/support/differences.h"
#include "test/support/run.h"

enum { NX = 4, N = 3 * NX * NX - NX };

static const double parameters[] = {NX, 0.01};

typedef struct place { double t, y[N]; int moved; } place;

/* (f, g) when one unknown is moved (moved < N), or the time. */
static void equations_along(double s, double *fg, const void *context)
{
    place at = *(const place *)context;
    *(at.moved < N ? &at.y[at.moved] : &at.t) += s;
    channel_rhs(at.t, at.y, at.y + N - NX * NX, fg, (void *)parameters);
    channel_constraint(at.t, at.y, fg + N - NX * NX, (void *)parameters);
}

static place generic(void)
{
    place at = {.t = 0.3};
    for (int i = 0; i < N; i++) at.y[i] = scattered(7 * i);
    return at;
}

/* f is quadratic and g linear: differences are exact but for rounding.  Entries off the pattern
 * must be 0, and nowhere is the pattern larger than the Jacobian at a generic point. */
static void jacobian_is_that_of_the_equations(void **state)
{
    const channel c = channel_of(parameters);
    keel_pattern pattern;
    int *block = channel_pattern(parameters, &pattern);
    place at = generic();
    double values[16 * N] = {0}, d[N];
    keel_matrix J = {N, N, pattern, values, -1, -1};
    (void)state;
    assert_int_equal(c.size, N);
    assert_int_equal(channel_jacobian(at.t, at.y, at.y + c.velocities, &J, (void *)parameters), 0);
    assert_int_equal(J.stray_row, -1);
    for (at.moved = 0; at.moved < N; at.moved++) {
        double column[N] = {0};
        for (int k = pattern.column_start[at.moved]; k < pattern.column_start[at.moved + 1]; k++) {
            column[pattern.row_index[k]] = values[k];
            assert_true(values[k] != 0);
        }
        curve_first(equations_along, &at, 0.1, N, d);
        for (int i = 0; i < N; i++) assert_true(fabs(d[i] - column[i]) < 1e-11);
    }
    free(block);
}

/* The sum over all cells is what flows out less what flows in; a flow that does not vary along x
 * has no divergence but for the cells at the inflow. */
static void constraint_is_the_divergence(void **state)
{
    const channel c = channel_of(parameters);
    place at = generic();
    double g[NX * NX], g_t[NX * NX], d[N], flow = 0, sum = 0;
    (void)state;
    channel_constraint(at.t, at.y, g, (void *)parameters);
    for (int j = 0; j < NX; j++)
        flow += c.h * (at.y[channel_u(&c, NX - 1, j)] - channel_inflow(&c, at.t, j));
    for (int k = 0; k < NX * NX; k++) sum += g[k] * c.h * c.h;
    assert_true(fabs(sum - flow) < 1e-14);

    channel_constraint_time(at.t, at.y, g_t, (void *)parameters);
    at.moved = N;
    curve_first(equations_along, &at, 1e-3, N, d);
    for (int k = 0; k < NX * NX; k++) assert_true(fabs(d[c.velocities + k] - g_t[k]) < 1e-6);

    double y[N];
    channel_start(parameters, 0, y);
    channel_constraint(0, y, g, (void *)parameters);
    for (int k = 0; k < NX * NX; k++) assert_true(g[k] == 0);
    channel_start(parameters, 1, y);
    channel_constraint(0, y, g, (void *)parameters);
    for (int k = 0; k < NX * NX; k++)
        assert_true(g[k] == (k % NX ? 0 : -channel_inflow(&c, 0, k / NX) / c.h));
}

static void advance(const keel_problem *p, const char *method, double *y)
{
    keel_solver *s = NULL;
    channel_start(parameters, 0, y);
    expect_ok(keel_solver_create(&s, p, &(keel_options){
        .method = method, .rtol = 1e-7, .atol = 1e-7}), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, 0.5), s, method);
    memcpy(y, keel_state(s), N * sizeof *y);
    keel_solver_free(s);
}

/* Two methods agree on velocities and pressures, and the flow stays free of divergence. */
static void methods_agree(void **state)
{
    const channel c = channel_of(parameters);
    keel_problem *p = NULL;
    double radau[N], bdf[N], g[NX * NX];
    (void)state;
    if (!has_sparse()) skip();
    assert_int_equal(problem_channel.create(&p, parameters), KEEL_OK);
    advance(p, "radau-iia", radau);
    advance(p, "bdf", bdf);
    assert_true(distance(radau, bdf, 0, c.velocities) < 1e-5);
    assert_true(distance(radau, bdf, c.velocities, N) < 1e-4);
    channel_constraint(0.5, radau, g, (void *)parameters);
    for (int k = 0; k < NX * NX; k++) assert_true(fabs(g[k]) < 1e-13);
    keel_problem_free(p);
}

/* The reference has 11 digits; in velocities and pressures, by two methods. */
static void methods_meet_the_reference(void **state)
{
    static const char *const methods[] = {"radau-iia", "bdf"};
    const double coarse[] = {6, 0.01};
    double y[102];
    (void)state;
    for (int k = 0; k < 2 && has_sparse(); k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        channel_start(coarse, 0, y);
        assert_int_equal(problem_channel.create(&p, coarse), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){
            .method = methods[k], .rtol = 1e-9, .atol = 1e-9}), s, methods[k]);
        expect_ok(keel_start(s, 0, y), s, methods[k]);
        expect_ok(keel_advance_to(s, 0.5), s, methods[k]);
        assert_true(bundled_scd(&problem_channel, coarse, 0.5, keel_state(s), 1) > 7.5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

enum { SIDE = 16, SIZE = 3 * SIDE * SIDE - SIDE };

/* With matrices as `linear` says, and without the pattern if `bare`. */
static int run_side(const char *method, keel_linear linear, int bare, double *y)
{
    static const double of_side[] = {SIDE, 0.01};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    const keel_hessenberg2_spec spec = channel_spec(of_side);
    assert_int_equal(bare ? keel_hessenberg2(&p, &spec) : problem_channel.create(&p, of_side), KEEL_OK);
    channel_start(of_side, 0, y);
    int status = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-5, .atol = 1e-5,
                                                           .linear = linear});
    if (status == KEEL_UNSUPPORTED) expect_text(keel_message(s), "this build");
    else expect_ok(status, s, method);
    if (!status) expect_ok(keel_start(s, 0, y), s, method);
    if (!status) expect_ok(keel_advance_to(s, 0.5), s, method);
    if (!status) memcpy(y, keel_state(s), SIZE * sizeof *y);
    keel_solver_free(s);
    keel_problem_free(p);
    return status;
}

/* KLU and UMFPACK, and the dense problem, give the same but for rounding. */
static void sparse_equals_dense(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "bdf", "esdirk-4"};
    static const keel_linear sparse[] = {KEEL_LINEAR_SPARSE, KEEL_LINEAR_UMFPACK};
    static double dense[SIZE], y[SIZE];
    (void)state;
    for (int m = 0; m < 3; m++) {
        assert_int_equal(run_side(methods[m], KEEL_LINEAR_DENSE, m == 0, dense), KEEL_OK);
        for (int k = 0; k < 2; k++)
            if (run_side(methods[m], sparse[k], 0, y) == KEEL_OK)
                assert_true(distance(dense, y, 0, SIZE) < 1e-12);
    }
}

/* Factors of a large sparse problem decide. */
static void automatic_choice(void **state)
{
    static const double sides[][2] = {{8, 0.01}, {28, 0.01}};
    (void)state;
    for (int k = 0; k < 2 && has_sparse(); k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(problem_channel.create(&p, sides[k]), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-5}), s, "auto");
        expect_text(keel_choice(s), k == 0 ? "radau-iia" : "bdf");
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* By keel_step or by keel_advance: bit for bit the same velocities, and pressures from the hidden constraint
 * wherever a call ends.  Within a call they are not looked for: a Jacobian for each would be needed. */
static void pressures_where_they_are_seen(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s[2] = {NULL, NULL};
    (void)state;
    if (!has_sparse()) skip();                   /* dense problems have them after every step */
    assert_int_equal(problem_channel.create(&p, parameters), KEEL_OK);
    const int n = keel_problem_size(p);
    double *y = calloc((size_t)n, sizeof *y);
    problem_channel.start(parameters, y);
    for (int k = 0; k < 2; k++) {
        const keel_options o = {.method = "bdf", .rtol = 1e-5, .atol = 1e-5};
        assert_int_equal(keel_solver_create(&s[k], p, &o), KEEL_OK);
        assert_int_equal(keel_start(s[k], 0, y), KEEL_OK);
        assert_int_equal(keel_set_stop_time(s[k], problem_channel.t_end), KEEL_OK);
    }
    assert_int_equal(keel_advance(s[0], problem_channel.t_end), KEEL_OK);
    while (keel_time(s[1]) < problem_channel.t_end) assert_int_equal(keel_step(s[1]), KEEL_OK);
    assert_memory_equal(keel_state(s[0]), keel_state(s[1]), (size_t)n * sizeof *y);
    const keel_stats *all = keel_solver_stats(s[0]), *each = keel_solver_stats(s[1]);
    assert_int_equal(all->steps, each->steps);
    assert_true(each->jacobian > each->steps);
    assert_true(3 * all->jacobian < all->steps);
    assert_true(all->residual[0] <= 1e-12 && all->residual[1] <= 1e-10);
    assert_true(each->residual[0] <= 1e-12 && each->residual[1] <= 1e-10);
    assert_int_equal(each->unmeasured, 0);
    assert_int_equal(all->unmeasured, all->accepted - 1);
    for (int k = 0; k < 2; k++) keel_solver_free(s[k]);
    keel_problem_free(p);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_is_that_of_the_equations),
        cmocka_unit_test(constraint_is_the_divergence),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(methods_meet_the_reference),
        cmocka_unit_test(sparse_equals_dense),
        cmocka_unit_test(automatic_choice),
        cmocka_unit_test(pressures_where_they_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
