/* test_channel.c -- the flow that other tests use: Jacobian and pattern, constraint, a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/support/channel.h"
#include "test/support/differences.h"
#include "test/support/run.h"

enum { NX = 4, N = 3 * NX * NX - NX };

typedef struct place { channel *c; double t, y[N]; int moved; } place;

/* (f, g) when one unknown is moved (moved < N), or the time. */
static void equations_along(double s, double *fg, const void *context)
{
    place at = *(const place *)context;
    *(at.moved < N ? &at.y[at.moved] : &at.t) += s;
    channel_rhs(at.t, at.y, at.y + at.c->velocities, fg, at.c);
    channel_constraint(at.t, at.y, fg + at.c->velocities, at.c);
}

static place generic(channel *c)
{
    place at = {.c = c, .t = 0.3};
    for (int i = 0; i < N; i++) at.y[i] = scattered(7 * i);
    return at;
}

/* f is quadratic and g linear: differences are exact but for rounding.  Entries off the pattern
 * must be 0, and nowhere is the pattern larger than the Jacobian at a generic point. */
static void jacobian_is_that_of_the_equations(void **state)
{
    channel c = channel_new(NX);
    place at = generic(&c);
    double values[16 * N] = {0}, d[N];
    keel_matrix J = {N, N, channel_spec(&c).pattern, values, -1, -1};
    (void)state;
    assert_int_equal(c.size, N);
    assert_int_equal(channel_jacobian(at.t, at.y, at.y + c.velocities, &J, &c), 0);
    assert_int_equal(J.stray_row, -1);
    for (at.moved = 0; at.moved < N; at.moved++) {
        double column[N] = {0};
        for (int k = c.column_start[at.moved]; k < c.column_start[at.moved + 1]; k++) {
            column[c.row_index[k]] = values[k];
            assert_true(values[k] != 0);
        }
        curve_first(equations_along, &at, 0.1, N, d);
        for (int i = 0; i < N; i++) assert_true(fabs(d[i] - column[i]) < 1e-11);
    }
    channel_free(&c);
}

/* The sum over all cells is what flows out less what flows in; a flow that does not vary along x
 * has no divergence but for the cells at the inflow. */
static void constraint_is_the_divergence(void **state)
{
    channel c = channel_new(NX);
    place at = generic(&c);
    double g[NX * NX], g_t[NX * NX], d[N], flow = 0, sum = 0;
    (void)state;
    channel_constraint(at.t, at.y, g, &c);
    for (int j = 0; j < NX; j++)
        flow += c.h * (at.y[channel_u(&c, NX - 1, j)] - channel_inflow(&c, at.t, j));
    for (int k = 0; k < NX * NX; k++) sum += g[k] * c.h * c.h;
    assert_true(fabs(sum - flow) < 1e-14);

    channel_constraint_time(at.t, at.y, g_t, &c);
    at.moved = N;
    curve_first(equations_along, &at, 1e-3, N, d);
    for (int k = 0; k < NX * NX; k++) assert_true(fabs(d[c.velocities + k] - g_t[k]) < 1e-6);

    double y[N];
    channel_start(&c, 0, y);
    channel_constraint(0, y, g, &c);
    for (int k = 0; k < NX * NX; k++) assert_true(g[k] == 0);
    channel_start(&c, 1, y);
    channel_constraint(0, y, g, &c);
    for (int k = 0; k < NX * NX; k++)
        assert_true(g[k] == (k % NX ? 0 : -channel_inflow(&c, 0, k / NX) / c.h));
    channel_free(&c);
}

static void advance(const keel_problem *p, const channel *c, const char *method, double *y)
{
    keel_solver *s = NULL;
    channel_start(c, 0, y);
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
    channel c = channel_new(NX);
    const keel_hessenberg2_spec spec = channel_spec(&c);
    keel_problem *p = NULL;
    double radau[N], bdf[N], g[NX * NX];
    (void)state;
    if (!has_sparse()) skip();
    assert_int_equal(keel_hessenberg2(&p, &spec), KEEL_OK);
    advance(p, &c, "radau-iia", radau);
    advance(p, &c, "bdf", bdf);
    assert_true(distance(radau, bdf, 0, c.velocities) < 1e-5);
    assert_true(distance(radau, bdf, c.velocities, N) < 1e-4);
    channel_constraint(0.5, radau, g, &c);
    for (int k = 0; k < NX * NX; k++) assert_true(fabs(g[k]) < 1e-13);
    keel_problem_free(p);
    channel_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_is_that_of_the_equations),
        cmocka_unit_test(constraint_is_the_divergence),
        cmocka_unit_test(methods_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
