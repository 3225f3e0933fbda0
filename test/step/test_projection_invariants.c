/* test_projection_invariants.c -- invariants of ODEs, and constraints seen through a formulation.
 *
 * Invariants are chosen so that the nearest point is known: on a sphere it is y / |y|.
 */
#include "test/step/projections.h"

enum { SPHERE, TWICE, CONTRADICTORY, TOO_MANY, DEPENDENT_ON_SPHERE, NOWHERE };

typedef struct conserved {
    probe probe;                 /* first: it is the context of the callbacks              */
    int which;
} conserved;

static int rotation(double t, const double *y, double *f, void *context)
{
    f[0] = -y[1];
    f[1] = y[0];
    f[2] = 0 * t;
    return probed(context, RHS, t, f, 3);
}

static int phi(double t, const double *y, double *value, void *context)
{
    const conserved *c = context;
    double sphere = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1;
    value[0] = c->which == NOWHERE ? sphere + 3 : sphere;
    if (c->which == TWICE) value[1] = 1e4 * sphere;
    if (c->which == CONTRADICTORY) value[1] = sphere - 0.02;
    if (c->which == DEPENDENT_ON_SPHERE) value[1] = (2 + y[0]) * sphere;
    if (c->which == TOO_MANY) {
        value[1] = y[1] - 0.6;
        value[2] = y[2];
        value[3] = y[0] * y[1] - 0.48;
    }
    static const int rows[] = {1, 2, 2, 4, 2, 1};
    return probed(context, CONSTRAINT, t, value, rows[c->which]);
}

static int phi_y(double t, const double *y, double *G, void *context)
{
    const conserved *c = context;
    double sphere = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1;
    double factor = c->which == TWICE ? 1e4 : c->which == DEPENDENT_ON_SPHERE ? 2 + y[0] : 1;
    int rows = c->which == SPHERE || c->which == NOWHERE ? 1 : c->which == TOO_MANY ? 4 : 2;
    for (int j = 0; j < 3; j++) {
        G[j] = 2 * y[j];
        if (rows == 2) G[3 + j] = 2 * factor * y[j];
    }
    if (c->which == DEPENDENT_ON_SPHERE) G[3] += sphere;
    if (c->which == TOO_MANY) {
        double rest[9] = {0, 1, 0, 0, 0, 1, y[1], y[0], 0};
        memcpy(G + 3, rest, sizeof rest);
    }
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 3 * rows);
}

static keel_problem *make_conserved(conserved *c, int given)
{
    static const int rows[] = {1, 2, 2, 4, 2, 1};
    keel_problem *p = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 3, .rhs = rotation,
        .invariants = rows[c->which], .invariant = phi, .invariant_jacobian = given ? phi_y : NULL,
        .context = c}), KEEL_OK);
    return p;
}

/* Projects (0.85, 0.6, 0.1) size; returns what became of it. */
static projection_result move(int which, int given, projection_plan plan, double size, double *y)
{
    conserved c = {.which = which};
    keel_problem *p = make_conserved(&c, given);
    double norm = sqrt(0.85 * 0.85 + 0.6 * 0.6 + 0.1 * 0.1);
    rig r;
    y[0] = 0.85 * size / norm;
    y[1] = 0.6 * size / norm;
    y[2] = 0.1 * size / norm;
    rig_open(&r, p);
    projection_result result = rig_move(&r, plan, 0.3, y);
    rig_free(&r);
    keel_problem_free(p);
    return result;
}

/* max_i |y_i - radius x_i|, x the direction of all points given */
static double from_sphere(double radius, const double *y)
{
    double norm = sqrt(0.85 * 0.85 + 0.6 * 0.6 + 0.1 * 0.1);
    double x[3] = {0.85 * radius / norm, 0.6 * radius / norm, 0.1 * radius / norm};
    return distance(x, y, 0, 3);
}

/* Any kind but none; one invariant, the same twice, or one that is dependent on the sphere only.
 * Differences of phi, exact for polynomials of degree 2, have noise of eps^(2/3), times the
 * correction. */
static void nearest_on_sphere(void **state)
{
    static const int which[3] = {SPHERE, TWICE, DEPENDENT_ON_SPHERE};
    static const double sizes[4] = {1.05, 0.9, 1 + 1e-5, 1 + 1e-9};
    double y[3];
    (void)state;
    for (int kind = KEEL_PROJECT_OBLIQUE; kind <= KEEL_PROJECT_POSITION; kind++)
        for (int w = 0; w < 3; w++)
            for (int k = 0; k < 8; k++) {
                projection_plan plan = {.kind = (keel_projection)kind};
                int given = k < 4, none = kind == KEEL_PROJECT_NONE;
                assert_int_equal(move(which[w], given, plan, sizes[k % 4], y), PROJECTION_DONE);
                double off = from_sphere(none ? sizes[k % 4] : 1, y);
                if (!(off < (given ? 1e-14 : 1e-11)))
                    fail_msg("invariants %d from %g: off by %g", w, sizes[k % 4], off);
            }
}

/* W (y - y^) is in the range of phi_y^T at y: y_i - y^_i proportional to y_i / w_i^2. */
static void nearest_in_tolerances(void **state)
{
    static const double weight[3] = {1, 4, 0.3};
    double y[3], given[3], D[3], d[3];
    (void)state;
    projection_plan plan = {.metric = KEEL_METRIC_TOLERANCE, .weight = weight};
    assert_int_equal(move(SPHERE, 1, (projection_plan){.kind = KEEL_PROJECT_NONE}, 1.01, given), 0);
    assert_int_equal(move(SPHERE, 1, plan, 1.01, y), PROJECTION_DONE);
    assert_true(fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1) < 1e-15 * 8);
    for (int i = 0; i < 3; i++) {
        D[i] = y[i] / (weight[i] * weight[i]);
        d[i] = y[i] - given[i];
    }
    assert_true(fabs(d[0] * D[1] - d[1] * D[0]) < 1e-15);
    assert_true(fabs(d[0] * D[2] - d[2] * D[0]) < 1e-15);
}

/* |y|^2 = 1 and = 1.02 with equal gradients: |y|^2 = 1.01 is best. */
static void least_squares_compromise(void **state)
{
    double y[3];
    (void)state;
    for (int given = 0; given < 2; given++) {
        projection_result result = move(CONTRADICTORY, given, (projection_plan){0}, 1.05, y);
        assert_int_equal(result, PROJECTION_DONE);
        assert_true(from_sphere(sqrt(1.01), y) < 1e-10);
    }
}

/* Four equations for three unknowns that have the solution (0.8, 0.6, 0). */
static void more_than_unknowns(void **state)
{
    static const double solution[3] = {0.8, 0.6, 0};
    double y[3];
    (void)state;
    assert_int_equal(move(TOO_MANY, 1, (projection_plan){0}, 1.02, y), PROJECTION_DONE);
    assert_true(distance(y, solution, 0, 3) < 1e-14);
}

static void failures(void **state)
{
    double y[3] = {1.03, 0.2, 0.1};
    (void)state;
    projection_result far = move(NOWHERE, 1, (projection_plan){0}, 0.5, y);
    assert_int_equal(far, PROJECTION_DIVERGES);
    for (int c = CONSTRAINT; c <= CONSTRAINT_JACOBIAN; c += CONSTRAINT_JACOBIAN - CONSTRAINT)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            conserved context = {.probe = {.armed = 1, .target = (callback)c, .at = 2,
                                           .kind = (spoiling)kind}};
            keel_problem *p = make_conserved(&context, 1);
            double x[3] = {1.03, 0.2, 0.1};
            rig r;
            rig_open(&r, p);
            int expected = kind == RETURNS_NEGATIVE ? PROJECTION_STOP : PROJECTION_CANNOT_EVALUATE;
            assert_int_equal(rig_move(&r, (projection_plan){0}, 0, x), expected);
            rig_free(&r);
            keel_problem_free(p);
        }
}

static void invariant_residuals(void **state)
{
    conserved c = {.which = TOO_MANY};
    keel_problem *p = make_conserved(&c, 1);
    double y[3] = {0.8, 0.5, 0}, residual[3];
    rig r;
    (void)state;
    rig_open(&r, p);
    assert_int_equal(projection_residuals(&r.projection, &r.at.eval, 0, y, 0, 0, residual), 0);
    assert_true(fabs(residual[0] - 0.11) < 1e-15 && residual[1] == -1 && residual[2] == -1);
    rig_free(&r);
    keel_problem_free(p);
}

/* |y|^2 - 1 and (2 + y1)(|y|^2 - 1) - gap. */
static int gap_phi(double t, const double *y, double *value, void *context)
{
    const double *gap = context;
    (void)t;
    value[0] = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1;
    value[1] = (2 + y[0]) * value[0] - *gap;
    return 0;
}

static int at_rest(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = f[1] = f[2] = 0;
    return 0;
}

/* They vanish on |y|^2 = 1 and about 1 + gap / (2 + y1), so that a compromise is less than
 * a gap off.  The rows differ by something of the size of |phi|, or by the noise of
 * differences: as a row of its own that would ask for a large tangential move. */
static void dependent_up_to_a_gap(void **state)
{
    static const double gaps[2] = {1e-6, 1e-13}, distances[2] = {1e-5, 1e-14};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double gap = gaps[k], size = 1 + distances[k], norm = sqrt(0.85 * 0.85 + 0.6 * 0.6 + 0.01);
        double y[3] = {0.85 * size / norm, 0.6 * size / norm, 0.1 * size / norm};
        keel_problem *p = NULL;
        rig r;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 3, .rhs = at_rest, .invariants = 2,
            .invariant = gap_phi, .context = &gap}), KEEL_OK);
        rig_open(&r, p);
        assert_int_equal(rig_move(&r, (projection_plan){0}, 0, y), PROJECTION_DONE);
        if (!(from_sphere(1, y) < 2 * gap)) fail_msg("%g: off by %g", gap, from_sphere(1, y));
        rig_free(&r);
        keel_problem_free(p);
    }
}

/* Planes y1 = 0 and y1 + 1e-5 y2 = 0: rows at an angle of 1e-5, far more than the distance of the
 * point, are two rows. */
static int planes(double t, const double *y, double *value, void *context)
{
    (void)t, (void)context;
    value[0] = y[0];
    value[1] = y[0] + 1e-5 * y[1];
    return 0;
}

static int planes_y(double t, const double *y, double *G, void *context)
{
    static const double rows[6] = {1, 0, 0, 1, 1e-5, 0};
    (void)t, (void)y, (void)context;
    memcpy(G, rows, sizeof rows);
    return 0;
}

static void nearly_dependent(void **state)
{
    double y[3] = {1e-8, 2e-8, 0.5};
    keel_problem *p = NULL;
    rig r;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 3, .rhs = at_rest, .invariants = 2,
        .invariant = planes, .invariant_jacobian = planes_y}), KEEL_OK);
    rig_open(&r, p);
    assert_int_equal(rig_move(&r, (projection_plan){0}, 0, y), PROJECTION_DONE);
    assert_true(fabs(y[0]) < 1e-15 && fabs(y[1]) < 1e-5 * 1e-8 && fabs(y[2] - 0.5) < 1e-15);
    rig_free(&r);
    keel_problem_free(p);
}

/* ---- formulations -------------------------------------------------------------------------- */

/* Positions and velocities go where those of the original go, bit for bit; unknowns that only the
 * formulation has stay. */
static void through_formulations(void **state)
{
    static const char *const names[] = {"index3", "index2", "ggl", "index1", "index0", "baumgarte",
                                        "embedded"};
    static const keel_projection kinds[3] = {KEEL_PROJECT_OBLIQUE, KEEL_PROJECT_VELOCITY,
                                             KEEL_PROJECT_ORTHOGONAL};
    double weight[64], t = 0.2;
    (void)state;
    for (int i = 0; i < 64; i++) weight[i] = 1;
    for (size_t k = 0; k < 3 * sizeof names / sizeof *names; k++) {
        probe context = {0};
        keel_problem *original = make_bodies(&context), *p = NULL;
        double y[64], before[64], direct[8], back[8], residual[3];
        keel_formulation how = {.name = names[k / 3]};
        if (keel_formulate(&p, original, &how))
            fail_msg("%s: %s", how.name, keel_problem_message(p));
        projection_plan plan = {.kind = kinds[k % 3], .metric = KEEL_METRIC_TOLERANCE,
                                .weight = weight, .multipliers = 1};
        rig r, s;
        rig_open(&r, original);
        rig_open(&s, p);
        memcpy(direct, bodies_point, sizeof direct);
        direct[6] = 0.3;                         /* no unknown is 0 but those of the formulation */
        direct[7] = 0.2;
        keel_formulation_from(p, direct, y);
        keel_formulation_to(p, y, back);
        for (int i = 0; i < p->n; i++)
            if (y[i] == 0) y[i] = 0.125;
        assert_int_equal(rig_move(&r, plan, t, direct), PROJECTION_DONE);
        memcpy(before, y, sizeof y);
        assert_int_equal(rig_move(&s, plan, t, y), PROJECTION_DONE);
        for (int i = 0; i < p->n; i++)
            if (before[i] == 0.125) assert_true(y[i] == 0.125);
        int has_multipliers = !isnan(back[6]);
        keel_formulation_to(p, y, back);
        assert_memory_equal(back, direct, 6 * sizeof *back);
        if (has_multipliers) assert_true(distance(back, direct, 6, 8) < 1e-13);
        assert_int_equal(projection_residuals(&s.projection, &s.at.eval, t, y, 0, 0, residual), 0);
        assert_true(residual[1] < 1e-13 && (residual[0] < 1e-13) == (k % 3 != 1));
        assert_true(has_multipliers ? residual[2] >= 0 && residual[2] < 1e-12 : residual[2] == -1);
        rig_free(&s);
        rig_free(&r);
        keel_problem_free(p);
        keel_problem_free(original);
    }
}

/* The invariants of the underlying ODE of a mechanism: two maps, one manifold. */
static void formulation_of_a_formulation(void **state)
{
    probe context = {0};
    keel_problem *original = make_bodies(&context), *ode = NULL, *p = NULL;
    double y[64] = {0}, middle[6], direct[8], residual[3];
    rig r, s;
    (void)state;
    assert_int_equal(keel_formulate(&ode, original, &(keel_formulation){.name = "index0"}), 0);
    assert_int_equal(keel_formulate(&p, ode, &(keel_formulation){.name = "invariants"}), 0);
    rig_open(&r, original);
    rig_open(&s, p);
    memcpy(direct, bodies_point, sizeof direct);
    assert_int_equal(rig_move(&r, (projection_plan){0}, 0.2, direct), PROJECTION_DONE);
    keel_formulation_from(p, bodies_point, y);
    assert_int_equal(rig_move(&s, (projection_plan){0}, 0.2, y), PROJECTION_DONE);
    keel_formulation_to(p, y, middle);
    assert_memory_equal(middle, direct, sizeof middle);
    assert_int_equal(projection_residuals(&s.projection, &s.at.eval, 0.2, y, 0, 0, residual), 0);
    assert_true(residual[0] < 1e-13 && residual[1] < 1e-13 && residual[2] == -1);
    rig_free(&s);
    rig_free(&r);
    keel_problem_free(p);
    keel_problem_free(ode);
    keel_problem_free(original);
}

/* One on the way may have more multipliers than the original, and the last one none of them. */
static void eliminated_second_multipliers(void **state)
{
    probe context = {0};
    keel_problem *original = make_bodies(&context), *ggl = NULL, *p = NULL;
    double y[64] = {0}, middle[64], direct[8], residual[3];
    rig r, s;
    (void)state;
    assert_int_equal(keel_formulate(&ggl, original, &(keel_formulation){.name = "ggl"}), 0);
    assert_int_equal(keel_formulate(&p, ggl, &(keel_formulation){.name = "index0"}), 0);
    rig_open(&r, original);
    rig_open(&s, p);
    memcpy(direct, bodies_point, sizeof direct);
    assert_int_equal(rig_move(&r, (projection_plan){0}, 0.2, direct), PROJECTION_DONE);
    keel_formulation_from(ggl, bodies_point, middle);
    keel_formulation_from(p, middle, y);
    assert_int_equal(rig_move(&s, (projection_plan){0}, 0.2, y), PROJECTION_DONE);
    assert_true(distance(y, direct, 0, 6) < 1e-13);
    assert_int_equal(projection_residuals(&s.projection, &s.at.eval, 0.2, y, 0, 0, residual), 0);
    assert_true(residual[0] < 1e-13 && residual[1] < 1e-13 && residual[2] == -1);
    rig_free(&s);
    rig_free(&r);
    keel_problem_free(p);
    keel_problem_free(ggl);
    keel_problem_free(original);
}

/* A failure names the user's callback, not the formulation's. */
static void failing_original(void **state)
{
    probe context = {.armed = 1, .target = CONSTRAINT_JACOBIAN, .kind = RETURNS_NEGATIVE, .at = 1};
    keel_problem *original = make_bodies(&context), *p = NULL;
    double y[64] = {0};
    char text[200];
    rig r;
    (void)state;
    assert_int_equal(keel_formulate(&p, original, &(keel_formulation){.name = "index1"}), 0);
    rig_open(&r, p);
    keel_formulation_from(p, bodies_point, y);
    assert_int_equal(rig_move(&r, (projection_plan){0}, 0.2, y), PROJECTION_STOP);
    fault_text(&r.at.eval, text, sizeof text);
    expect_text(text, "`constraint_jacobian` returned -1");
    rig_free(&r);
    keel_problem_free(p);
    keel_problem_free(original);
}

/* z is no unknown of the underlying ODE of index 1: nothing to project, no residual. */
static void eliminated_unknowns(void **state)
{
    probe context = {0};
    keel_problem *original = make_pair(&context), *p = NULL;
    double y[64] = {0.8}, residual[3];
    rig r;
    (void)state;
    assert_int_equal(keel_formulate(&p, original, &(keel_formulation){.name = "index0"}), 0);
    rig_open(&r, p);
    assert_int_equal(rig_move(&r, (projection_plan){.multipliers = 1}, 0, y), PROJECTION_DONE);
    assert_true(y[0] == 0.8);
    assert_int_equal(projection_residuals(&r.projection, &r.at.eval, 0, y, 0, 0, residual), 0);
    assert_true(residual[0] == -1);
    rig_free(&r);
    keel_problem_free(p);
    keel_problem_free(original);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_on_sphere), cmocka_unit_test(nearest_in_tolerances),
        cmocka_unit_test(least_squares_compromise), cmocka_unit_test(more_than_unknowns),
        cmocka_unit_test(nearly_dependent), cmocka_unit_test(dependent_up_to_a_gap),
        cmocka_unit_test(failures), cmocka_unit_test(invariant_residuals),
        cmocka_unit_test(through_formulations), cmocka_unit_test(formulation_of_a_formulation),
        cmocka_unit_test(eliminated_second_multipliers), cmocka_unit_test(failing_original),
        cmocka_unit_test(eliminated_unknowns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
