/* test_dependent_sparse.c -- sparse constraints that depend on each other: the motion without the
 * superfluous rows, the smallest multipliers, and names; at linear cost. */
#include <math.h>
#include <stdlib.h>

#include "integrate/integrator.h"
#include "problems/chain.h"
#include "problems/list.h"
#include "test/support/run.h"

enum { MOST = 2000 };

/* ---- a chain with some rods given twice ------------------------------------------------------ */

typedef struct twice {
    double parameters[2];        /* first: the chain's callbacks see them                  */
    int links, every;            /* every so many-th rod again, as the rows after the others */
    int times;                   /* once more, twice more, ...                             */
    double factor;               /* by which these rows are multiplied                     */
    double longer;               /* and changed                                            */
    const char **names;
} twice;

static int repeated(const twice *c) { return c->times * (c->links / c->every); }
static int rod_of(const twice *c, int k) { return (k % (c->links / c->every) + 1) * c->every - 1; }

static int constraint(double t, const double *q, double *g, void *context)
{
    const twice *c = context;
    const keel_mechanical_spec spec = problem_chain_spec(c->parameters);
    int rc = spec.constraint(t, q, g, context);
    for (int k = 0; k < repeated(c); k++) g[c->links + k] = c->factor * g[rod_of(c, k)] + c->longer;
    return rc;
}

static int constraint_time(double t, const double *q, double *g_t, void *context)
{
    const twice *c = context;
    (void)t, (void)q;
    memset(g_t, 0, (size_t)(c->links + repeated(c)) * sizeof *g_t);
    return 0;
}

static int curvature(double t, const double *q, const double *v, double *gamma, void *context)
{
    const twice *c = context;
    const keel_mechanical_spec spec = problem_chain_spec(c->parameters);
    int rc = spec.curvature(t, q, v, gamma, context);
    for (int k = 0; k < repeated(c); k++) gamma[c->links + k] = c->factor * gamma[rod_of(c, k)];
    return rc;
}

/* Column j of the chain's G, and below it what is repeated; `G` or `row` may be NULL. */
static int columns(const twice *c, const double *chain, int *start, int *row, double *G)
{
    static int from[2 * MOST + 1], rows[4 * MOST];
    int at = 0;
    chain_constraint_pattern(c->parameters, from, rows);
    for (int j = 0; j < 2 * c->links; j++) {
        if (start) start[j] = at;
        for (int again = 0; again <= c->times; again++)
            for (int p = from[j]; p < from[j + 1]; p++) {
                int rod = rows[p], number = (rod + 1) / c->every, all = c->links / c->every;
                if (again && (rod + 1) % c->every != 0) continue;
                if (row) row[at] = again ? c->links + (again - 1) * all + number - 1 : rod;
                if (G) G[at] = (again ? c->factor : 1) * chain[p];
                at++;
            }
    }
    if (start) start[2 * c->links] = at;
    return at;
}

static int nonzeros(double t, const double *q, double *values, void *context)
{
    static double chain[4 * MOST];
    int rc = chain_constraint_nonzeros(t, q, chain, context);
    columns(context, chain, NULL, NULL, values);
    return rc;
}

static keel_problem *create(twice *c)
{
    static int mass_start[2 * MOST + 1], mass_row[2 * MOST], start[2 * MOST + 1], row[16 * MOST];
    keel_problem *p = NULL;
    chain_mass_pattern(c->parameters, mass_start, mass_row);
    columns(c, NULL, start, row, NULL);
    keel_mechanical_spec spec = problem_chain_spec(c->parameters);
    spec.constraints += repeated(c);
    spec.mass = chain_mass_nonzeros;
    spec.constraint = constraint;
    spec.constraint_jacobian = nonzeros;
    spec.constraint_time = constraint_time;
    spec.curvature = curvature;
    spec.force_jacobian = NULL;
    spec.mass_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, mass_start, mass_row};
    spec.constraint_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    spec.context = c;
    spec.constraint_names = c->names;
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    return p;
}

/* Positions and velocities at t; y has room for all unknowns. */
static keel_stats run(const keel_problem *p, twice *c, const keel_options *o, double t, double *y,
                      char *remark, size_t size)
{
    keel_solver *s = NULL;
    const int unknowns = keel_problem_size(p);
    memset(y, 0, (size_t)unknowns * sizeof *y);
    double chain[5 * MOST];
    problem_chain.start(c->parameters, chain);
    memcpy(y, chain, 4 * (size_t)c->links * sizeof *y);
    expect_ok(keel_solver_create(&s, p, o), s, o->method);
    expect_ok(keel_start(s, 0, y), s, o->method);
    if (remark) snprintf(remark, size, "%s", keel_message(s));
    expect_ok(keel_advance_to(s, t), s, o->method);
    memcpy(y, keel_state(s), (size_t)unknowns * sizeof *y);
    const keel_stats stats = *keel_solver_stats(s);
    keel_solver_free(s);
    return stats;
}

static double plain[8 * MOST], both[8 * MOST];

static void the_same_motion(void **state)
{
    static const char *const methods[] = {"auto", "dop853", "radau-iia", "bdf", "hem-5", "gauss-2",
                                          "esdirk-4"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 7; k++) {
        twice with = {{40, 0.5}, 40, 4, 1, 3, 0, NULL}, without = {{40, 0.5}, 40, 1, 0, 1, 0, NULL};
        keel_problem *p = create(&without), *q = create(&with);
        keel_options o = {.method = methods[k], .rtol = 1e-8, .atol = 1e-8};
        if (k >= 5) o.step = 2e-3;
        const keel_stats a = run(p, &without, &o, 0.3, plain, NULL, 0);
        const keel_stats b = run(q, &with, &o, 0.3, both, NULL, 0);
        double apart = distance(plain, both, 0, 160);
        if (!(apart < 1e-6)) fail_msg("%s: %.3g apart", methods[k], apart);
        if (!(b.residual[0] < 1e-13 && b.residual[1] < 1e-12))
            fail_msg("%s: residuals %.1e, %.1e", methods[k], b.residual[0], b.residual[1]);
        if (b.steps > a.steps + a.steps / 10 + 2)
            fail_msg("%s: %ld steps instead of %ld", methods[k], b.steps, a.steps);
        keel_problem_free(p);
        keel_problem_free(q);
    }
}

/* l of a rod that is given as g and again as 3 g: l_1 + 3 l_2 is the force, and the smallest ones with
 * that have l_2 = 3 l_1. */
static void smallest_multipliers(void **state)
{
    static const char *const methods[] = {"dop853", "radau-iia", "bdf", "hem-5"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 4; k++) {
        twice with = {{40, 0.5}, 40, 4, 1, 3, 0, NULL}, without = {{40, 0.5}, 40, 1, 0, 1, 0, NULL};
        keel_problem *p = create(&without), *q = create(&with);
        keel_options o = {.method = methods[k], .rtol = 1e-9, .atol = 1e-9};
        run(p, &without, &o, 0.1, plain, NULL, 0);
        run(q, &with, &o, 0.1, both, NULL, 0);
        for (int i = 0; i < repeated(&with); i++) {
            double first = both[160 + rod_of(&with, i)], second = both[200 + i];
            assert_true(fabs(second - 3 * first) < 1e-9 * (1 + fabs(second)));
            assert_true(fabs(first + 3 * second - plain[160 + rod_of(&with, i)]) < 1e-4);
        }
        keel_problem_free(p);
        keel_problem_free(q);
    }
}

/* The one rod that is given twice, by name, with the rank. */
static void rows_are_named(void **state)
{
    static const char *names[41];
    static char text[41][16];
    char remark[600];
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 41; k++) {
        snprintf(text[k], sizeof text[k], k < 40 ? "rod %d" : "strut", k);
        names[k] = text[k];
    }
    twice with = {{40, 0.5}, 40, 30, 1, 1, 0, names};
    keel_problem *q = create(&with);
    run(q, &with, &(keel_options){.method = "radau-iia", .rtol = 1e-6}, 0.01, both, remark, sizeof remark);
    if (!strstr(remark, "rod 29, strut depend on each other") || !strstr(remark, "rank 40, not 41"))
        fail_msg("%s", remark);
    keel_problem_free(q);
}

/* From values that violate the rows the start finds the point; a strut of another length is refused. */
static void starts_beside(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int wrong = 0; wrong < 2; wrong++) {
        static const char *names[41];
        static char text[41][16];
        for (int k = 0; k < 41; k++) {
            snprintf(text[k], sizeof text[k], k < 40 ? "rod %d" : "strut", k);
            names[k] = text[k];
        }
        twice with = {{40, 0.5}, 40, 30, 1, 1, wrong ? 1e-3 : 0, names};
        keel_problem *q = create(&with);
        keel_solver *s = NULL;
        double y[4 * 40 + 41] = {0}, residual[3];
        problem_chain.start(with.parameters, plain);
        for (int i = 0; i < 160; i++) y[i] = plain[i] + 1e-3 * cos(i);
        expect_ok(keel_solver_create(&s, q, &(keel_options){.rtol = 1e-6}), s, "create");
        int rc = keel_start(s, 0, y);
        if (wrong) {
            assert_int_equal(rc, KEEL_INCONSISTENT);
            if (!strstr(keel_message(s), "rod 29") || !strstr(keel_message(s), "strut"))
                fail_msg("%s", keel_message(s));
        } else {
            expect_ok(rc, s, "start");
            keel_residuals(s, residual);
            assert_true(residual[0] < 1e-14 && residual[1] < 1e-13);
        }
        keel_solver_free(s);
        keel_problem_free(q);
    }
}

/* Each rod four times: 160 rows of 80 positions. */
static void more_rows_than_unknowns(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "hem-5"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 3; k++) {
        twice with = {{40, 0.5}, 40, 1, 3, 1, 0, NULL}, without = {{40, 0.5}, 40, 1, 0, 1, 0, NULL};
        keel_problem *p = create(&without), *q = create(&with);
        keel_options o = {.method = methods[k], .rtol = 1e-8, .atol = 1e-8};
        run(p, &without, &o, 0.1, plain, NULL, 0);
        run(q, &with, &o, 0.1, both, NULL, 0);
        assert_true(distance(plain, both, 0, 160) < 1e-6);
        for (int i = 0; i < 40; i++)
            for (int again = 1; again < 4; again++)
                assert_true(fabs(both[160 + i] - both[160 + 40 * again + i]) < 1e-9);
        keel_problem_free(p);
        keel_problem_free(q);
    }
}

/* 2000 links, 200 of them twice: as many steps as without, and no more of everything per link than 500. */
static void large(void **state)
{
    keel_stats stats[2];
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 2; k++) {
        int links = k ? 2000 : 500;
        twice with = {{links, 0.5}, links, 10, 1, 1, 0, NULL}, without = {{links, 0.5}, links, 1, 0, 1, 0, NULL};
        keel_problem *p = create(&without), *q = create(&with);
        keel_options o = {.method = "radau-iia", .rtol = 1e-6, .atol = 1e-6};
        const keel_stats a = run(p, &without, &o, 0.05, plain, NULL, 0);
        stats[k] = run(q, &with, &o, 0.05, both, NULL, 0);
        assert_true(distance(plain, both, 0, 4 * links) < 1e-5);
        assert_true(stats[k].residual[0] < 1e-13);
        assert_true(stats[k].steps <= a.steps + 2);
        keel_problem_free(p);
        keel_problem_free(q);
    }
    assert_true(stats[1].factorizations <= 2 * stats[0].factorizations + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_motion),    cmocka_unit_test(smallest_multipliers),
        cmocka_unit_test(rows_are_named),     cmocka_unit_test(starts_beside),
        cmocka_unit_test(more_rows_than_unknowns), cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
