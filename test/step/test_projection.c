/* test_projection.c -- does a projection keep what it promises: levels, directions, nearness?
 *
 * Points are some percent off the manifold, so that directions before and after differ by as much.
 * Directions come from one-sided differences in the multipliers, which are good to sqrt(eps): the
 * part of a correction outside of them may be 1e-7 of it.
 */
#include "test/step/projections.h"

static const double surface_point[4] = {1.1, 0.8, 0.6, 0.3}, surface_time = 0.4;
static const double chain_point[6] = {0.95, 0.6, 0.8, -0.25, 0.3, 0.5}, chain_time = 0.3;
static const double weights[8] = {1, 3, 0.5, 2, 0.7, 1.5, 1, 1};
static const double on_level = 1e-13, in_range = 1e-7, off_range = 1e-3;

/* ---- oblique and explicit ------------------------------------------------------------------ */

static void oblique_index2(void **state)
{
    (void)state;
    for (int explicit = 0; explicit < 2; explicit++) {
        probe context = {0};
        keel_problem *p = make_surface(&context);
        double y[4], d[3], here[3], there[3];
        rig r;
        rig_open(&r, p);
        memcpy(y, surface_point, sizeof y);
        projection_plan plan = {.kind = explicit ? KEEL_PROJECT_EXPLICIT : KEEL_PROJECT_OBLIQUE,
                                .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, surface_time, y), PROJECTION_DONE);
        assert_true(rig_level(&r, 0, surface_time, y) < on_level);
        assert_true(rig_level(&r, 1, surface_time, y) < 1e-12);
        subtract(3, y, surface_point, d);
        surface_f_z(y, here);
        surface_f_z(surface_point, there);
        assert_true(outside(3, 1, explicit ? there : here, d) < in_range);
        assert_true(outside(3, 1, explicit ? here : there, d) > off_range);
        rig_free(&r);
        keel_problem_free(p);
    }
}

static void oblique_index3(void **state)
{
    (void)state;
    for (int explicit = 0; explicit < 2; explicit++) {
        probe context = {0};
        keel_problem *p = make_chain(&context);
        double y[6], d[5], D0[2], D1[3];
        rig r;
        rig_open(&r, p);
        memcpy(y, chain_point, sizeof y);
        projection_plan plan = {.kind = explicit ? KEEL_PROJECT_EXPLICIT : KEEL_PROJECT_OBLIQUE,
                                .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, chain_time, y), PROJECTION_DONE);
        assert_true(rig_level(&r, 0, chain_time, y) < on_level);
        assert_true(rig_level(&r, 1, chain_time, y) < on_level);
        assert_true(rig_level(&r, 2, chain_time, y) < 1e-5);
        subtract(5, y, chain_point, d);
        for (int before = 0; before < 2; before++) {
            const double *at = before ? chain_point : y;
            chain_f_v_k_l(at, D0);
            chain_k_l(at, D1);
            if (before == explicit) {
                assert_true(outside(2, 1, D0, d) < in_range);
                assert_true(outside(3, 1, D1, d + 2) < in_range);
            } else assert_true(outside(2, 1, D0, d) > off_range &&
                               outside(3, 1, D1, d + 2) > off_range);
        }
        rig_free(&r);
        keel_problem_free(p);
    }
}

/* Oblique and orthogonal in the metric of the mass are the same: M^-1 G^T. */
static void oblique_mechanical(void **state)
{
    static const keel_projection kinds[3] = {KEEL_PROJECT_OBLIQUE, KEEL_PROJECT_ORTHOGONAL,
                                             KEEL_PROJECT_EXPLICIT};
    double result[3][8];
    (void)state;
    for (int k = 0; k < 3; k++) {
        probe context = {0};
        keel_problem *p = make_bodies(&context);
        double *y = result[k], d[6], here[6], there[6];
        rig r;
        rig_open(&r, p);
        memcpy(y, bodies_point, sizeof bodies_point);
        projection_plan plan = {.kind = kinds[k], .metric = KEEL_METRIC_MASS, .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, bodies_time, y), PROJECTION_DONE);
        assert_true(rig_level(&r, 0, bodies_time, y) < on_level);
        assert_true(rig_level(&r, 1, bodies_time, y) < on_level);
        assert_true(rig_level(&r, 2, bodies_time, y) < 1e-12);
        subtract(6, y, bodies_point, d);
        bodies_directions(y, 1, NULL, here);
        bodies_directions(bodies_point, 1, NULL, there);
        for (int level = 0; level < 2; level++) {
            assert_true(outside(3, 2, k == 2 ? there : here, d + 3 * level) < 1e-11);
            assert_true(outside(3, 2, k == 2 ? here : there, d + 3 * level) > off_range);
        }
        rig_free(&r);
        keel_problem_free(p);
    }
    assert_memory_equal(result[0], result[1], sizeof result[0]);
}

/* A step of a stiffly accurate method costs one round: that of the explicit projection. */
static void stiffly_accurate(void **state)
{
    double y[2][6];
    long calls[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        probe context = {0};
        keel_problem *p = make_chain(&context);
        double *x = y[k % 2];
        rig r;
        rig_open(&r, p);
        memcpy(x, chain_point, sizeof chain_point);
        projection_plan plan = {.kind = k == 1 ? KEEL_PROJECT_EXPLICIT : KEEL_PROJECT_OBLIQUE,
                                .multipliers = 1, .stiffly_accurate = k == 0};
        assert_int_equal(rig_move(&r, plan, chain_time, x), PROJECTION_DONE);
        calls[k] = context.total;
        if (k == 1) assert_memory_equal(y[0], y[1], sizeof y[0]);
        rig_free(&r);
        keel_problem_free(p);
    }
    assert_int_equal(calls[0], calls[1]);
    assert_true(calls[2] > 2 * calls[0]);
}

/* Where nothing is to be corrected one round is enough, and nothing moves. */
static void on_the_manifold(void **state)
{
    probe context = {0};
    keel_problem *p = make_chain(&context);
    projection_plan plan = {.multipliers = 1};
    double y[6], z[6];
    rig r;
    (void)state;
    rig_open(&r, p);
    memcpy(y, chain_point, sizeof y);
    assert_int_equal(rig_move(&r, plan, chain_time, y), PROJECTION_DONE);
    memcpy(z, y, sizeof z);
    r.at.stats = (keel_stats){0};
    assert_int_equal(rig_move(&r, plan, chain_time, z), PROJECTION_DONE);
    assert_true(distance(y, z, 0, 5) < 8 * DBL_EPSILON);
    assert_int_equal(r.at.stats.rhs_for_jacobian, 2);            /* k_l once */
    rig_free(&r);
    keel_problem_free(p);
}

/* ---- orthogonal ---------------------------------------------------------------------------- */

/* Distance from `from` to x, in the metric of w, where x is moved along the gradient to the level
 * first; x has three entries, y + first. */
static double restored_distance(rig *r, int level, double t, double *y, int first, const double *w,
                                const double *from)
{
    double *x = y + first, gradient[3], value, above, below, sum = 0;
    for (int pass = 0; pass < 6; pass++) {
        double square = 0;
        for (int i = 0; i < 3; i++) {
            double kept = x[i];
            x[i] = kept + 1e-5;
            assert_int_equal(eval_level(&r->at.eval, level, t, y, &above), 0);
            x[i] = kept - 1e-5;
            assert_int_equal(eval_level(&r->at.eval, level, t, y, &below), 0);
            x[i] = kept;
            gradient[i] = (above - below) / 2e-5;
            square += gradient[i] * gradient[i];
        }
        assert_int_equal(eval_level(&r->at.eval, level, t, y, &value), 0);
        for (int i = 0; i < 3; i++) x[i] -= value * gradient[i] / square;
    }
    for (int i = 0; i < 3; i++) sum += pow(w[i] * (x[i] - from[i]), 2);
    return sqrt(sum);
}

/* Compass search for the nearest point of the level, from y itself; leaves it in y. */
static void search_nearest(rig *r, int level, double t, double *y, int first, const double *w,
                           const double *from)
{
    double best[8], trial[8];
    memcpy(best, y, sizeof best);
    double least = restored_distance(r, level, t, best, first, w, from);
    for (double radius = 0.1; radius > 1e-8; radius /= 2)
        for (int again = 1; again;) {
            again = 0;
            for (int move = 0; move < 6; move++) {
                memcpy(trial, best, sizeof trial);
                trial[first + move / 2] += move % 2 ? radius : -radius;
                double size = restored_distance(r, level, t, trial, first, w, from);
                if (!(size < least)) continue;
                least = size;
                memcpy(best, trial, sizeof best);
                again = 1;
            }
        }
    memcpy(y, best, sizeof best);
}

/* A minimum is known to sqrt(eps) only.  Gradients belong to the new point, whatever the method. */
static void nearest_point_index2(void **state)
{
    static const double ones[3] = {1, 1, 1};
    (void)state;
    for (int metric = KEEL_METRIC_EUCLIDEAN; metric <= KEEL_METRIC_MASS; metric++) {
        probe context = {0};
        keel_problem *p = make_surface(&context);
        const double *w = metric == KEEL_METRIC_TOLERANCE ? weights : ones;
        double y[4], found[8] = {0}, d[3], D[3];
        rig r;
        rig_open(&r, p);
        memcpy(y, surface_point, sizeof y);
        projection_plan plan = {.kind = KEEL_PROJECT_ORTHOGONAL, .metric = (keel_metric)metric,
                                .weight = weights, .multipliers = 1, .stiffly_accurate = 1};
        assert_int_equal(rig_move(&r, plan, surface_time, y), PROJECTION_DONE);
        assert_true(rig_level(&r, 0, surface_time, y) < on_level);
        assert_true(rig_level(&r, 1, surface_time, y) < 1e-12);
        surface_G(surface_time, y, D, &context);
        for (int i = 0; i < 3; i++) D[i] /= w[i] * w[i];
        subtract(3, y, surface_point, d);
        assert_true(outside(3, 1, D, d) < 1e-11);
        memcpy(found, surface_point, sizeof surface_point);
        search_nearest(&r, 0, surface_time, found, 0, w, surface_point);
        assert_true(distance(y, found, 0, 3) < 1e-6);
        rig_free(&r);
        keel_problem_free(p);
    }
}

static void nearest_point_index3(void **state)
{
    static const double ones[5] = {1, 1, 1, 1, 1};
    (void)state;
    for (int metric = KEEL_METRIC_EUCLIDEAN; metric <= KEEL_METRIC_TOLERANCE; metric++) {
        probe context = {0};
        keel_problem *p = make_chain(&context);
        const double *w = metric == KEEL_METRIC_TOLERANCE ? weights : ones;
        double y[8] = {0}, found[8], d[2], D[2];
        rig r;
        rig_open(&r, p);
        memcpy(y, chain_point, sizeof chain_point);
        projection_plan plan = {.kind = KEEL_PROJECT_ORTHOGONAL, .metric = (keel_metric)metric,
                                .weight = weights, .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, chain_time, y), PROJECTION_DONE);
        assert_true(rig_level(&r, 0, chain_time, y) < on_level);
        assert_true(rig_level(&r, 1, chain_time, y) < on_level);
        assert_true(rig_level(&r, 2, chain_time, y) < 1e-5);
        chain_G(chain_time, y, D, &context);
        for (int i = 0; i < 2; i++) D[i] /= w[i] * w[i];
        subtract(2, y, chain_point, d);
        assert_true(outside(2, 1, D, d) < 1e-11);
        memcpy(found, y, sizeof found);
        memcpy(found + 2, chain_point + 2, 3 * sizeof *found);
        search_nearest(&r, 1, chain_time, found, 2, w + 2, chain_point + 2);
        assert_true(distance(y, found, 2, 5) < 1e-6);
        rig_free(&r);
        keel_problem_free(p);
    }
}

static void orthogonal_mechanical(void **state)
{
    (void)state;
    for (int metric = KEEL_METRIC_EUCLIDEAN; metric <= KEEL_METRIC_TOLERANCE; metric++) {
        probe context = {0};
        keel_problem *p = make_bodies(&context);
        int weighted = metric == KEEL_METRIC_TOLERANCE;
        double y[8], d[6], D[6];
        rig r;
        rig_open(&r, p);
        memcpy(y, bodies_point, sizeof y);
        projection_plan plan = {.kind = KEEL_PROJECT_ORTHOGONAL, .metric = (keel_metric)metric,
                                .weight = weights, .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, bodies_time, y), PROJECTION_DONE);
        for (int level = 0; level < 3; level++)
            assert_true(rig_level(&r, level, bodies_time, y) < 1e-12);
        subtract(6, y, bodies_point, d);
        for (int level = 0; level < 2; level++) {
            bodies_directions(y, 0, weighted ? weights + 3 * level : NULL, D);
            assert_true(outside(3, 2, D, d + 3 * level) < 1e-11);
            bodies_directions(y, 1, NULL, D);
            assert_true(outside(3, 2, D, d + 3 * level) > off_range);
        }
        rig_free(&r);
        keel_problem_free(p);
    }
}

/* ---- single levels, none ------------------------------------------------------------------- */

static void single_levels(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++)
        for (int velocity = 0; velocity < 2; velocity++) {
            probe context = {0};
            keel_problem *p = which ? make_bodies(&context) : make_chain(&context);
            const double *given = which ? bodies_point : chain_point;
            double y[8], t = which ? bodies_time : chain_time;
            int N = p->group[0], M = p->group[1];
            rig r;
            rig_open(&r, p);
            memcpy(y, given, (size_t)p->n * sizeof *y);
            projection_plan plan = {.multipliers = 1,
                .kind = velocity ? KEEL_PROJECT_VELOCITY : KEEL_PROJECT_POSITION};
            assert_int_equal(rig_move(&r, plan, t, y), PROJECTION_DONE);
            assert_true(rig_level(&r, velocity, t, y) < on_level);
            assert_true(rig_level(&r, !velocity, t, y) > 1e-3);
            assert_true(rig_level(&r, 2, t, y) < 1e-5);
            if (velocity) assert_memory_equal(y, given, (size_t)N * sizeof *y);
            else assert_memory_equal(y + N, given + N, (size_t)M * sizeof *y);
            rig_free(&r);
            keel_problem_free(p);
        }
}

/* On y of index 2 the constraint itself is the position level; velocity has nothing to move. */
static void single_levels_index2(void **state)
{
    double y[3][4];
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const keel_projection kinds[3] = {KEEL_PROJECT_OBLIQUE, KEEL_PROJECT_POSITION,
                                                 KEEL_PROJECT_VELOCITY};
        probe context = {0};
        keel_problem *p = make_surface(&context);
        rig r;
        rig_open(&r, p);
        memcpy(y[k], surface_point, sizeof y[k]);
        projection_plan plan = {.kind = kinds[k], .multipliers = 1};
        assert_int_equal(rig_move(&r, plan, surface_time, y[k]), PROJECTION_DONE);
        assert_true(rig_level(&r, 1, surface_time, y[k]) < 1e-12);
        rig_free(&r);
        keel_problem_free(p);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[2], surface_point, 3 * sizeof **y);
}

static void none_and_multipliers(void **state)
{
    static const keel_projection kinds[2] = {KEEL_PROJECT_NONE, KEEL_PROJECT_OBLIQUE};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int multipliers = 0; multipliers < 2; multipliers++) {
            probe context = {0};
            keel_problem *p = make_bodies(&context);
            double y[8];
            rig r;
            rig_open(&r, p);
            memcpy(y, bodies_point, sizeof y);
            projection_plan plan = {.kind = kinds[k], .multipliers = multipliers};
            assert_int_equal(rig_move(&r, plan, bodies_time, y), PROJECTION_DONE);
            if (k == 0) assert_memory_equal(y, bodies_point, 6 * sizeof *y);
            if (multipliers) assert_true(rig_level(&r, 2, bodies_time, y) < 1e-12);
            else assert_memory_equal(y + 6, bodies_point + 6, 2 * sizeof *y);
            rig_free(&r);
            keel_problem_free(p);
        }
}

/* ---- index 1 and forms without constraints ------------------------------------------------- */

static void index1(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        probe context = {0};
        keel_problem *p = make_pair(&context);
        double y[3] = {0.8, 0.3, 0.5}, yp[3] = {0}, residual[3];
        rig r;
        rig_open(&r, p);
        keel_matrix J = new_matrix(p);
        assert_int_equal(eval_jacobian(&r.at.eval, &r.at.colors, 0, y, yp, &J), 0);
        projection_plan plan = {.kind = KEEL_PROJECT_OBLIQUE};
        assert_int_equal(projection_move(&r.projection, &r.at.eval, &plan, given ? &J : NULL, 0, y,
                                         &r.row), PROJECTION_DONE);
        assert_true(y[0] == 0.8);
        assert_true(rig_level(&r, 0, 0, y) < on_level);
        assert_int_equal(projection_residuals(&r.projection, &r.at.eval, 0, y, 0, 0, residual), 0);
        assert_true(residual[0] < on_level && residual[1] == -1 && residual[2] == -1);
        free(J.values);
        rig_free(&r);
        keel_problem_free(p);
    }
}

static void nothing_to_project(void **state)
{
    (void)state;
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    double y[2] = {1, 2}, residual[3];
    rig r;
    rig_open(&r, p);
    assert_int_equal(rig_move(&r, (projection_plan){.multipliers = 1}, 0, y), PROJECTION_DONE);
    assert_true(y[0] == 1 && y[1] == 2);
    assert_int_equal(projection_residuals(&r.projection, &r.at.eval, 0, y, 0, 0, residual), 0);
    assert_true(residual[0] == -1 && residual[1] == -1 && residual[2] == -1);
    rig_free(&r);
    keel_problem_free(p);
}

/* ---- what can go wrong --------------------------------------------------------------------- */

static int doubled_g(double t, const double *q, double *g, void *context)
{
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    g[1] = 3 * g[0];
    return probed(context, CONSTRAINT, t, g, 2);
}

static void dependent_constraints(void **state)
{
    (void)state;
    for (int kind = KEEL_PROJECT_OBLIQUE; kind <= KEEL_PROJECT_POSITION; kind++) {
        probe context = {0};
        keel_problem *p = NULL;
        double y[8] = {0.6, 0.9, 0.1};
        rig r;
        assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 3,
            .constraints = 2, .mass = bodies_mass, .force = bodies_force, .constraint = doubled_g,
            .context = &context}), KEEL_OK);
        rig_open(&r, p);
        projection_plan plan = {.kind = (keel_projection)kind};
        if (kind != KEEL_PROJECT_NONE) {
            assert_int_equal(rig_move(&r, plan, 0, y), PROJECTION_SINGULAR);
            assert_int_equal(r.row, 1);
        }
        rig_free(&r);
        keel_problem_free(p);
    }
}

/* 0 = g = y1^2 + 2 y2^2 + ... - 3 - sin t has no point near the origin's hyperplane z3 = 30. */
static void too_far(void **state)
{
    probe context = {0};
    keel_problem *p = make_surface(&context);
    double y[4] = {0.01, 30, 30, 0.3};
    rig r;
    (void)state;
    rig_open(&r, p);
    assert_int_equal(rig_move(&r, (projection_plan){.multipliers = 1}, 0, y), PROJECTION_DIVERGES);
    rig_free(&r);
    keel_problem_free(p);
}

/* Every call of every callback, spoiled once: the answer says so, or the call came too late. */
static void spoiled_calls(void **state)
{
    static const keel_projection kinds[2] = {KEEL_PROJECT_OBLIQUE, KEEL_PROJECT_ORTHOGONAL};
    keel_problem *(*const make[3])(probe *) = {make_surface, make_chain, make_bodies};
    const double *points[3] = {surface_point, chain_point, bodies_point};
    (void)state;
    for (int which = 0; which < 3; which++)
        for (int c = 0; c < CALLBACKS; c++)
            for (long at = 1; at < 200; at++) {
                probe context = {.armed = 1, .target = (callback)c, .at = at,
                                 .kind = (spoiling)(at % 4)};
                keel_problem *p = make[which](&context);
                double y[8];
                rig r;
                rig_open(&r, p);
                memcpy(y, points[which], (size_t)p->n * sizeof *y);
                projection_plan plan = {.kind = kinds[at / 4 % 2], .multipliers = 1};
                projection_result result = rig_move(&r, plan, 0.2, y);
                int expected = !context.spoiled ? PROJECTION_DONE
                             : context.kind == RETURNS_NEGATIVE ? PROJECTION_STOP
                             : PROJECTION_CANNOT_EVALUATE;
                if (result != expected)
                    fail_msg("form %d: %s spoiled at call %ld: %d instead of %d", which,
                             callback_name((callback)c), at, result, expected);
                rig_free(&r);
                keel_problem_free(p);
                if (!context.spoiled) break;
            }
}

static int cubic_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0] + z[0] * z[0] * z[0] - 10;
    return 0;
}

static int first_unknown(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0];
    return 0;
}

static int one(double t, const double *y, double *G, void *context)
{
    (void)t, (void)y, (void)context;
    G[0] = 1;
    return 0;
}

/* g' = z^3 + z - 10 vanishes at z = 2, which the matrix 1 + 3 z^2 of z = 0 does not find: the first
 * step leads to 10, the second to -990.  With matrices of the points on the way it is found, up to
 * what may remain where corrections stop shrinking. */
static void multipliers_far_off(void **state)
{
    keel_problem *p = NULL;
    double y[2] = {0, 0};
    rig r;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 1,
        .multipliers = 1, .rhs = cubic_rate, .constraint = first_unknown,
        .constraint_jacobian = one}), KEEL_OK);
    rig_open(&r, p);
    assert_int_equal(rig_move(&r, (projection_plan){.multipliers = 1}, 0, y), PROJECTION_DONE);
    assert_true(y[0] == 0 && fabs(y[1] - 2) < 1e-8);
    rig_free(&r);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblique_index2), cmocka_unit_test(oblique_index3),
        cmocka_unit_test(oblique_mechanical), cmocka_unit_test(stiffly_accurate),
        cmocka_unit_test(on_the_manifold), cmocka_unit_test(nearest_point_index2),
        cmocka_unit_test(nearest_point_index3), cmocka_unit_test(orthogonal_mechanical),
        cmocka_unit_test(single_levels), cmocka_unit_test(single_levels_index2),
        cmocka_unit_test(none_and_multipliers), cmocka_unit_test(index1),
        cmocka_unit_test(nothing_to_project), cmocka_unit_test(dependent_constraints),
        cmocka_unit_test(too_far), cmocka_unit_test(multipliers_far_off),
        cmocka_unit_test(spoiled_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
