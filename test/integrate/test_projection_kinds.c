/* test_projection_kinds.c -- all integrators of mechanical systems obey the kind of projection. */
#include "test/step/projections.h"

typedef struct choice {
    keel_projection kind;
    keel_metric metric;
} choice;

static const choice choices[] = {
    {KEEL_PROJECT_OBLIQUE, KEEL_METRIC_EUCLIDEAN}, {KEEL_PROJECT_EXPLICIT, KEEL_METRIC_EUCLIDEAN},
    {KEEL_PROJECT_ORTHOGONAL, KEEL_METRIC_EUCLIDEAN},
    {KEEL_PROJECT_ORTHOGONAL, KEEL_METRIC_TOLERANCE}, {KEEL_PROJECT_ORTHOGONAL, KEEL_METRIC_MASS},
    {KEEL_PROJECT_VELOCITY, KEEL_METRIC_EUCLIDEAN}, {KEEL_PROJECT_POSITION, KEEL_METRIC_EUCLIDEAN},
    {KEEL_PROJECT_NONE, KEEL_METRIC_EUCLIDEAN}};
enum { CHOICES = sizeof choices / sizeof *choices };

/* The mechanical integrator with both iterations, and the general one; explicit methods whose last
 * stage is the new point, and is not; a half-explicit one. */
enum { SADDLE, FULL, GENERAL, LAST_STAGE, EXPLICIT, HALF_EXPLICIT, WAYS };

static keel_options options_of(int way, choice c)
{
    static const double atol[8] = {1e-6, 3e-6, 1e-5, 1e-6, 5e-6, 1e-6, 1, 1};
    static const char *const method[WAYS] = {"radau-iia-3", "radau-iia-3", "radau-iia-3", "dopri5",
                                             "verner8", "hem-4"};
    static const keel_linear linear[WAYS] = {KEEL_LINEAR_MECHANICAL, KEEL_LINEAR_MECHANICAL,
                                             KEEL_LINEAR_DENSE};
    return (keel_options){.method = method[way], .rtol = 1e-6, .atol_each = atol,
                          .projection = c.kind, .metric = c.metric, .linear = linear[way],
                          .iteration = way == FULL ? KEEL_ITERATION_FULL : KEEL_ITERATION_SADDLE};
}

static keel_solver *on_bodies(const keel_problem *p, const keel_options *options)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, options), s, "create");
    expect_ok(keel_start(s, 0, bodies_point), s, "start");
    return s;
}

/* Along M^-1 G^T?  Other directions cost an order of v [Schropp 2003]. */
static int is_oblique(choice c)
{
    return c.kind != KEEL_PROJECT_ORTHOGONAL || c.metric == KEEL_METRIC_MASS;
}

/* Levels that are projected stay at rounding over all steps, others do not; solutions agree to what
 * the tolerance lets expect. */
static void levels_along_a_run(void **state)
{
    probe context = {0};
    keel_problem *p = make_bodies(&context);
    double reference[8];
    keel_options fine = {.method = "radau-iia-7", .rtol = 1e-12, .atol = 1e-12};
    keel_solver *s = on_bodies(p, &fine);
    (void)state;
    expect_ok(keel_advance_to(s, 2), s, "reference");
    memcpy(reference, keel_state(s), sizeof reference);
    keel_solver_free(s);
    for (int way = 0; way < WAYS; way++)
        for (int c = 0; c < CHOICES; c++) {
            keel_projection kind = choices[c].kind;
            keel_options options = options_of(way, choices[c]);
            s = on_bodies(p, &options);
            expect_ok(keel_advance_to(s, 2), s, "run");
            const keel_stats *stats = keel_solver_stats(s);
            int position = kind != KEEL_PROJECT_NONE && kind != KEEL_PROJECT_VELOCITY;
            int velocity = kind != KEEL_PROJECT_NONE && kind != KEEL_PROJECT_POSITION;
            if (way == HALF_EXPLICIT) velocity |= kind == KEEL_PROJECT_NONE;  /* by the method */
            if (position) assert_true(stats->residual[0] < 1e-13);
            if ((stats->residual[1] < 1e-12) != velocity)
                fail_msg("way %d, choice %d: velocity residual %g", way, c, stats->residual[1]);
            assert_true(stats->residual[0] < 1e-5 && stats->residual[1] < 1e-2);
            double error = distance(keel_state(s), reference, 0, 6);
            if (!(error < (velocity && is_oblique(choices[c]) ? 1e-4 : 1e-2)))
                fail_msg("way %d, choice %d: error %g", way, c, error);
            keel_solver_free(s);
        }
    keel_problem_free(p);
}

/* keel_project moves all levels, whatever the options say of levels, in the promised directions. */
static void on_request(void **state)
{
    probe context = {0};
    keel_problem *p = make_bodies(&context);
    (void)state;
    for (int way = 0; way < WAYS; way++)
        for (int c = 0; c < CHOICES; c++) {
            keel_options options = options_of(way, choices[c]);
            keel_solver *s = on_bodies(p, &options);
            int explicit = choices[c].kind == KEEL_PROJECT_EXPLICIT;
            int weighted = choices[c].metric == KEEL_METRIC_TOLERANCE;
            double y[8], d[6], D[6], weight[6];
            for (int i = 0; i < 6; i++)          /* as at keel_start, with the values given there */
                weight[i] = 1 / (options.atol_each[i] + options.rtol * fabs(bodies_point[i]));
            memcpy(y, bodies_point, sizeof y);
            if (keel_project(s, bodies_time, y))
                fail_msg("way %d, choice %d: %s", way, c, keel_message(s));
            rig r;
            rig_open(&r, p);
            for (int level = 0; level < 3; level++)
                assert_true(rig_level(&r, level, bodies_time, y) < 1e-12);
            subtract(6, y, bodies_point, d);
            for (int level = 0; level < 2; level++) {
                bodies_directions(explicit ? bodies_point : y, is_oblique(choices[c]),
                                  weighted ? weight + 3 * level : NULL, D);
                double off = outside(3, 2, D, d + 3 * level);
                if (!(off < 1e-10))
                    fail_msg("way %d, choice %d, level %d: %g outside", way, c, level, off);
            }
            rig_free(&r);
            keel_solver_free(s);
        }
    keel_problem_free(p);
}

/* Also onto the constraints of the original, which the underlying ODE has as invariants. */
static void original_on_request(void **state)
{
    static const char *const methods[] = {"dopri5", "verner8", "gauss-2", "radau-iia"};
    probe context = {0};
    keel_problem *p = make_bodies(&context), *reduced = NULL;
    double given[6], y[6], original[8];
    (void)state;
    assert_int_equal(keel_formulate(&reduced, p, &(keel_formulation){.name = "index0"}), KEEL_OK);
    keel_formulation_from(reduced, bodies_point, given);
    rig r;
    rig_open(&r, p);
    for (int m = 0; m < 4; m++)
        for (int c = 0; c < CHOICES; c++) {
            keel_solver *s = NULL;
            keel_options options = {.method = methods[m], .projection = choices[c].kind,
                                    .metric = choices[c].metric};
            expect_ok(keel_solver_create(&s, reduced, &options), s, methods[m]);
            expect_ok(keel_start(s, 0, given), s, methods[m]);
            memcpy(y, given, sizeof y);
            expect_ok(keel_project(s, bodies_time, y), s, methods[m]);
            memcpy(original, bodies_point, sizeof original);
            memcpy(original, y, sizeof y);
            for (int level = 0; level < 2; level++)
                if (!(rig_level(&r, level, bodies_time, original) < 1e-12))
                    fail_msg("%s, choice %d, level %d", methods[m], c, level);
            keel_solver_free(s);
        }
    rig_free(&r);
    keel_problem_free(reduced);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_along_a_run), cmocka_unit_test(on_request),
        cmocka_unit_test(original_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
