/* test_bricard.c -- Bricard's mechanism: its callbacks against differences, its rank, its motion.
 *
 * Every entry of g is a polynomial of degree at most 4 in q, so that differences of order four are
 * exact but for rounding.  The motion is compared with the values of another program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "problems/bricard.h"
#include "problems/list.h"
#include "test/support/differences.h"

enum { N = BRICARD_N, M = BRICARD_ROWS };

/* A point and the direction in which it is moved. */
typedef struct place { double q[N], v[N], dq[N], dv[N]; } place;

typedef struct parts { double mass[N * N], f[N], g[M], G[M * N], g_t[M], gamma[M]; } parts;

static const double all_rows = 0;

static void evaluate(const double *q, const double *v, double without, parts *p)
{
    const keel_mechanical_spec spec = problem_bricard_spec(&without);
    assert_int_equal(spec.evaluate(0, q, v, 63, &(keel_mechanical_parts){
        p->mass, p->f, p->g, p->G, p->g_t, p->gamma}, spec.context), 0);
}

/* Off the manifold, moving anyhow. */
static place generic(void)
{
    place at = {.q = {0}};
    double y[2 * N + M];
    problem_bricard.start(&all_rows, y);
    for (int i = 0; i < N; i++) {
        at.q[i] = y[i] + 0.3 * scattered(3 * i);
        at.v[i] = scattered(5 * i);
    }
    return at;
}

static parts along(double s, const void *context)
{
    const place *at = context;
    parts p;
    double q[N], v[N];
    for (int i = 0; i < N; i++) {
        q[i] = at->q[i] + s * at->dq[i];
        v[i] = at->v[i] + s * at->dv[i];
    }
    evaluate(q, v, 0, &p);
    return p;
}

static void constraints_along(double s, double *g, const void *context)
{
    parts p = along(s, context);
    memcpy(g, p.g, sizeof p.g);
}

static void forces_along(double s, double *f, const void *context)
{
    parts p = along(s, context);
    memcpy(f, p.f, sizeof p.f);
}

static void mass_along(double s, double *mass, const void *context)
{
    parts p = along(s, context);
    memcpy(mass, p.mass, sizeof p.mass);
}

static void derivatives_of_the_constraints(void **state)
{
    place at = generic();
    parts p;
    double d[M];
    (void)state;
    evaluate(at.q, at.v, 0, &p);
    for (int j = 0; j < N; j++) {
        at.dq[j] = 1;
        curve_first(constraints_along, &at, 0.1, M, d);
        for (int i = 0; i < M; i++) assert_true(fabs(d[i] - p.G[i * N + j]) < 1e-13);
        at.dq[j] = 0;
    }
    memcpy(at.dq, at.v, sizeof at.dq);
    curve_second(constraints_along, &at, 0.1, M, d);
    for (int i = 0; i < M; i++) {
        assert_true(fabs(d[i] - p.gamma[i]) < 1e-12);
        assert_true(p.g_t[i] == 0);
    }
}

static void derivatives_of_the_forces(void **state)
{
    place at = generic();
    double f_q[N * N], f_v[N * N], d[N];
    keel_mechanical_spec spec = problem_bricard_spec(&all_rows);
    (void)state;
    assert_int_equal(spec.force_jacobian(0, at.q, at.v, f_q, f_v, spec.context), 0);
    for (int j = 0; j < 2 * N; j++) {
        double *moved = j < N ? &at.dq[j] : &at.dv[j - N];
        *moved = 1;
        curve_first(forces_along, &at, 0.1, N, d);
        for (int i = 0; i < N; i++)
            assert_true(fabs(d[i] - (j < N ? f_q : f_v)[i * N + j % N]) < 1e-12);
        *moved = 0;
    }
}

/* Lagrange's equations: f(q,v) - f(q,0) = -(dM/dt) v + (v^T M_q v)/2. */
static void inertial_forces(void **state)
{
    place at = generic();
    parts moving, rest;
    double dM[N * N], expected[N] = {0};
    (void)state;
    evaluate(at.q, at.v, 0, &moving);
    evaluate(at.q, (const double[N]){0}, 0, &rest);
    for (int k = 0; k < N; k++) {
        at.dq[k] = 1;
        curve_first(mass_along, &at, 0.1, N * N, dM);
        at.dq[k] = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                expected[i] -= dM[i * N + j] * at.v[j] * at.v[k];
                expected[k] += dM[i * N + j] * at.v[i] * at.v[j] / 2;
            }
    }
    for (int i = 0; i < N; i++)
        assert_true(fabs(moving.f[i] - rest.f[i] - expected[i]) < 1e-12);
}

/* M = M^T, and Cholesky's factorization of M exists. */
static void mass_is_positive_definite(void **state)
{
    place at = generic();
    parts p;
    double a[N * N];
    (void)state;
    evaluate(at.q, at.v, 0, &p);
    memcpy(a, p.mass, sizeof a);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) {
            assert_true(p.mass[i * N + j] == p.mass[j * N + i]);
            for (int k = 0; k < j; k++) a[i * N + j] -= a[i * N + k] * a[j * N + k];
            if (i == j) assert_true(a[j * N + j] > 1e-3);
            a[i * N + j] = i == j ? sqrt(a[j * N + j]) : a[i * N + j] / a[j * N + j];
        }
}

static void rows_can_be_left_out(void **state)
{
    place at = generic();
    parts all, part;
    (void)state;
    evaluate(at.q, at.v, 0, &all);
    for (int without = 1; without <= M; without++) {
        evaluate(at.q, at.v, without, &part);
        for (int i = 0, k = 0; i < M; i++) {
            if (i == without - 1) continue;
            assert_true(part.g[k] == all.g[i] && part.gamma[k] == all.gamma[i]);
            assert_memory_equal(part.G + k * N, all.G + i * N, N * sizeof(double));
            k++;
        }
    }
}

/* A solver started at rest, with the answer of keel_start. */
static keel_solver *started(keel_problem **problem, const double *without, const char *method,
                            int *rc)
{
    double y[2 * N + M];
    keel_solver *s = NULL;
    *problem = NULL;
    problem_bricard.start(without, y);
    assert_int_equal(problem_bricard.create(problem, without), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, *problem, &(keel_options){
        .method = method, .rtol = 1e-8, .atol = 1e-8}), KEEL_OK);
    *rc = keel_start(s, 0, y);
    return s;
}

static void check_motion(const char *method, double without, double bound)
{
    keel_problem *p = NULL;
    int rc;
    keel_solver *s = started(&p, &without, method, &rc);
    if (rc) fail_msg("%s: %s", method, keel_message(s));
    const double energy = bricard_energy(keel_state(s), keel_state(s) + N);
    for (int k = 0; k < problem_bricard.reference_count; k++) {
        const bundled_reference *r = &problem_bricard.references[k];
        rc = keel_advance_to(s, r->t);
        if (rc) fail_msg("%s without row %g: %s", method, without, keel_message(s));
        const double *y = keel_state(s);
        for (int i = 0; i < 2 * N; i++)
            if (!(isnan(r->y[i]) || fabs(y[i] - r->y[i]) < bound))
                fail_msg("%s without row %g: unknown %d off by %.1e at %g", method, without, i,
                         y[i] - r->y[i], r->t);
        assert_true(fabs(bricard_energy(y, y + N) - energy) < 10 * bound);
    }
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Errors at the end may exceed the tolerance 1e-8 by a factor of 100; those of BDF, whose orders are
 * low and whose errors add up over hundreds of steps, by one of 1000. */
static void motion_without_one_row(void **state)
{
    (void)state;
    for (int without = 6; without <= M; without += 29) {
        check_motion("auto", without, 1e-6);
        check_motion("radau-iia", without, 1e-6);
    }
}

static void motion_with_all_rows(void **state)
{
    (void)state;
    check_motion("auto", all_rows, 1e-6);
    check_motion("radau-iia", all_rows, 1e-6);
    check_motion("hem-5", all_rows, 1e-6);
    check_motion("bdf", all_rows, 1e-5);
}

/* All rows are dependent: the solver says so with the rank, and finds the multipliers of least norm
 * among those with the force of 34 rows. */
static void all_rows_have_rank_34(void **state)
{
    keel_problem *p = NULL, *p34 = NULL;
    const double without = 6;
    double force[N] = {0}, all = 0, fewer = 0;
    parts at;
    int rc;
    (void)state;
    keel_solver *s = started(&p, &all_rows, "auto", &rc), *s34 = started(&p34, &without, "auto", &rc);
    assert_int_equal(rc, KEEL_OK);
    assert_non_null(strstr(keel_message(s), "rank 34, not 35"));
    const double *y = keel_state(s), *l = y + 2 * N, *l34 = keel_state(s34) + 2 * N;
    evaluate(y, y + N, 0, &at);
    for (int i = 0; i < M; i++) {
        const double other = i == 5 ? 0 : l34[i - (i > 5)];
        for (int j = 0; j < N; j++) force[j] += at.G[i * N + j] * (l[i] - other);
        all += l[i] * l[i];
        fewer += other * other;
    }
    for (int j = 0; j < N; j++) assert_true(fabs(force[j]) < 1e-11);
    assert_true(all < 0.99 * fewer);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_solver_free(s34);
    keel_problem_free(p34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_constraints),
        cmocka_unit_test(derivatives_of_the_forces),
        cmocka_unit_test(inertial_forces),
        cmocka_unit_test(mass_is_positive_definite),
        cmocka_unit_test(rows_can_be_left_out),
        cmocka_unit_test(motion_without_one_row),
        cmocka_unit_test(motion_with_all_rows),
        cmocka_unit_test(all_rows_have_rank_34),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
