/* test_auto.c -- the method `auto`: what it chooses and says, when it changes, and what follows.
 *
 * Nonstiff ODEs from [HNW93 I.16, II.0, II.10]; stiff ones with the bundled references, and
 *
 *   y1' = -lambda (y1 - cos t) - sin t,   y2' = y1,   y = (cos t, sin t)   [Prothero & Robinson]
 */
#include "integrate/integrator.h"
#include "problems/problems.h"
#include "test/support/run.h"

/* ---- bundled problems ------------------------------------------------------------------------ */

typedef struct outcome {
    keel_stats stats;
    char choice[200];
    double scd, y[200];
} outcome;

static outcome run_bundled(const char *name, const char *method, double tolerance)
{
    const bundled_problem *b = bundled_problem_find(name);
    double parameters[16], y[200];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    outcome o = {.scd = NAN};
    assert_non_null(b);
    for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance};
    expect_ok(keel_solver_create(&s, p, &options), s, name);
    expect_ok(keel_start(s, b->t_start, y), s, name);
    expect_ok(keel_advance_to(s, b->t_end), s, name);
    o.stats = *keel_solver_stats(s);
    o.scd = bundled_scd(b, parameters, b->t_end, keel_state(s), 0);
    memcpy(o.y, keel_state(s), (size_t)b->size * sizeof *o.y);
    snprintf(o.choice, sizeof o.choice, "%s", keel_choice(s));
    keel_solver_free(s);
    keel_problem_free(p);
    return o;
}

/* Accuracy, not stability, limits their steps; at 1e-2, of half an oscillation, both nearly do. */
static void mechanisms_stay_explicit(void **state)
{
    static const char *const names[] = {"pendulum", "andrews", "car-axis", "order-mechanical"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-2) {
            outcome o = run_bundled(names[k], "auto", tolerance);
            assert_string_equal(o.stats.method, "verner8");
            assert_int_equal(o.stats.method_switches, 0);
            expect_text(o.choice, "auto: verner8 on the index-1 form");
        }
}

/* Positions and velocities to rounding, in units of q = 1, at every tolerance. */
static void residuals_at_rounding(void **state)
{
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 0.1) {
        outcome o = run_bundled("pendulum", "auto", tolerance);
        if (!(o.stats.residual[0] <= 1e-14 && o.stats.residual[1] <= 1e-14))
            fail_msg("at %g: residuals %g and %g", tolerance, o.stats.residual[0],
                     o.stats.residual[1]);
    }
}

/* The rod of the slider-crank vibrates too fast for steps at loose tolerances; at tight ones they
 * follow it. */
static void tolerance_decides(void **state)
{
    (void)state;
    assert_int_equal(run_bundled("slider-crank", "auto", 1e-5).stats.method_switches, 1);
    assert_int_equal(run_bundled("slider-crank", "auto", 1e-9).stats.method_switches, 0);
}

/* Stiff from the beginning or soon after it: Radau IIA, or a Rosenbrock method at loose tolerances and
 * without constraints of index 2 or 3, does nearly all of the work, and the errors are no more than a
 * tolerance per step. */
static void stiff_problems_switch(void **state)
{
    static const struct { const char *name, *form; double size; } cases[] = {
        {"van-der-pol", "verner8 until", 1}, {"fekete", "index-1 form until", 1},
        {"robertson", "state-space form until", 1e-13}, {"chemical-akzo-nobel", NULL, 1e-3}};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 1e-2) {
            outcome o = run_bundled(cases[k].name, "auto", tolerance);
            int linear = tolerance >= 1e-5 && strcmp(cases[k].name, "fekete");
            assert_string_equal(o.stats.method, linear ? "rodas-5p" : "radau-iia");
            int foreseen = !cases[k].form;
            assert_int_equal(o.stats.method_switches, 1);
            assert_true(foreseen ? o.stats.switch_time == 0 : o.stats.switch_time > 0);
            if (foreseen) expect_text(o.choice, linear ? "rodas-5p (loose" : "radau-iia, because");
            else expect_text(o.choice, cases[k].form);
            expect_text(o.choice, foreseen ? "because stability would limit explicit steps"
                                           : "because stability limited the step");
            /* relative to the smallest unknown that counts, of this size */
            double most = 2 * (double)o.stats.accepted * tolerance / cases[k].size;
            if (!(o.scd > -log10(most)))
                fail_msg("%s at %g: %g digits", cases[k].name, tolerance, o.scd);
        }
}

/* Newton's method for fully implicit stages fails again and again on this one at loose tolerances, in
 * hundreds of steps; linear systems alone take about fifty.  Nor do explicit steps go on where every third of
 * them leads to concentrations below 0. */
static void robertson_is_short(void **state)
{
    (void)state;
    for (double tolerance = 1e-2; tolerance > 5e-5; tolerance /= 1.122)
        assert_true(run_bundled("robertson", "auto", tolerance).stats.steps <= 100);
}

/* Its y1 and y2 fall to 2e-8 and 8e-14, far below all of these absolute tolerances: no error test sees what
 * becomes of them.  Steps that double, and stages that are solved, follow them to a hundredth. */
static void hidden_unknowns_are_followed(void **state)
{
    static const char *const methods[] = {"auto", "rodas-5p", "radau-iia"};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double tolerance = 1e-3; tolerance > 2e-6; tolerance /= 2.154) {
            double digits = run_bundled("robertson", methods[k], tolerance).scd;
            if (!(digits >= 2)) fail_msg("%s at %g: %g digits", methods[k], tolerance, digits);
        }
}

/* The change comes early: little work is lost to explicit steps.  Single runs scatter, those of
 * slider-crank by a factor of two when the tolerance changes by a hundredth, hence the geometric
 * mean over nine tolerances. */
static void little_is_lost(void **state)
{
    static const char *const names[] = {"van-der-pol", "robertson", "slider-crank"};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double tolerance = 1e-4; tolerance > 1e-7; tolerance *= 1e-2) {
            double ratio = 0;
            for (int i = -4; i <= 4; i++) {
                double near = tolerance * (1 + 0.015 * i);
                outcome automatic = run_bundled(names[k], "auto", near);
                outcome radau = run_bundled(names[k], "radau-iia", near);
                assert_int_equal(automatic.stats.method_switches, 1);
                ratio += log((double)automatic.stats.rhs / (double)radau.stats.rhs) / 9;
            }
            if (ratio > log(1.5))
                fail_msg("%s at %g: %g times as many evaluations as radau-iia", names[k],
                         tolerance, exp(ratio));
        }
}

static void runs_are_repeatable(void **state)
{
    static const char *const names[] = {"van-der-pol", "andrews", "chemical-akzo-nobel"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        outcome a = run_bundled(names[k], "auto", 1e-6), b = run_bundled(names[k], "auto", 1e-6);
        assert_memory_equal(a.y, b.y, sizeof a.y);
        assert_int_equal(a.stats.rhs, b.stats.rhs);
        assert_string_equal(a.choice, b.choice);
    }
}

/* ---- nonstiff ODEs --------------------------------------------------------------------------- */

/* Restricted three body problem [HNW93 II.0 (0.1)], a periodic orbit with close encounters. */
static int arenstorf(double t, const double *y, double *f, void *context)
{
    const double moon = 0.012277471, earth = 1 - moon;
    double a = y[0] + moon, b = y[0] - earth;
    double d = pow(a * a + y[1] * y[1], 1.5), e = pow(b * b + y[1] * y[1], 1.5);
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2 * y[3] - earth * a / d - moon * b / e;
    f[3] = y[1] - 2 * y[2] - earth * y[1] / d - moon * y[1] / e;
    return 0;
}

static int lorenz(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = 10 * (y[1] - y[0]);
    f[1] = y[0] * (28 - y[2]) - y[1];
    f[2] = y[0] * y[1] - 8.0 / 3 * y[2];
    return 0;
}

/* Euler's equations of a rigid body without forces. */
static int euler(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -2 * y[1] * y[2];
    f[1] = 1.25 * y[0] * y[2];
    f[2] = -0.5 * y[0] * y[1];
    return 0;
}

static int predators(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * (1 - y[1]);
    f[1] = y[1] * (y[0] - 1);
    return 0;
}

static int fast_oscillator(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -1e4 * y[0];
    return 0;
}

/* The solution is as fast as the decay to it. */
static int relaxation(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = cos(t) - y[0];
    return 0;
}

static int kepler(double t, const double *y, double *f, void *context)
{
    double r = hypot(y[0], y[1]);
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / (r * r * r);
    f[3] = -y[1] / (r * r * r);
    return 0;
}

typedef struct nonstiff {
    const char *name;
    int size;
    int (*rhs)(double t, const double *y, double *f, void *context);
    double y[4], t_end;
} nonstiff;

static const nonstiff nonstiff_odes[] = {
    {"Arenstorf", 4, arenstorf, {0.994, 0, 0, -2.00158510637908252}, 17.0652165601579625},
    {"Lorenz", 3, lorenz, {-8, 8, 27}, 10},
    {"Euler", 3, euler, {1, 0, 0.9}, 50},
    {"Lotka-Volterra", 2, predators, {3, 1}, 50},
    {"oscillator", 2, fast_oscillator, {0, 1}, 1},
    {"relaxation", 1, relaxation, {0}, 100},
    {"Kepler", 4, kepler, {0.1, 0, 0, 4.358898943540674}, 20}};

static void nonstiff_stay_explicit(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof nonstiff_odes / sizeof *nonstiff_odes; k++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 0.1) {
            const nonstiff *c = &nonstiff_odes[k];
            keel_problem *p = NULL;
            keel_solver *s = NULL;
            keel_options o = {.rtol = tolerance, .atol = tolerance};
            assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = c->size, .rhs = c->rhs}), 0);
            expect_ok(keel_solver_create(&s, p, &o), s, c->name);
            expect_ok(keel_start(s, 0, c->y), s, c->name);
            expect_ok(keel_advance_to(s, c->t_end), s, c->name);
            if (keel_solver_stats(s)->method_switches)
                fail_msg("%s at %g: %s", c->name, tolerance, keel_choice(s));
            assert_string_equal(keel_solver_stats(s)->method, "verner8");
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* ---- what makes it implicit from the beginning ----------------------------------------------- */

static void expect_implicit(const form *f, const keel_options *o, const char *reason)
{
    probe context = {0};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, o, 0);
    expect_text(keel_choice(s), "auto: radau-iia, because");
    expect_text(keel_choice(s), reason);
    expect_ok(keel_advance_to(s, 0.5), s, f->name);
    assert_string_equal(keel_solver_stats(s)->method, "radau-iia");
    assert_int_equal(keel_solver_stats(s)->method_switches, 0);
    keel_solver_free(s);
    keel_problem_free(p);
}

static int decay(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < 2; i++) f[i] = -y[i];
    return 0;
}

static int make_decay(keel_problem **problem, keel_storage storage)
{
    static const int start[] = {0, 1, 2}, row[] = {0, 1};
    return keel_ode(problem, &(keel_ode_spec){.size = 2, .rhs = decay,
        .pattern = {.storage = storage, .column_start = start, .row_index = row}});
}

static int make_band(keel_problem **problem, derivatives d, probe *context)
{
    (void)d, (void)context;
    return make_decay(problem, KEEL_BAND);
}

static int make_sparse(keel_problem **problem, derivatives d, probe *context)
{
    (void)d, (void)context;
    return make_decay(problem, KEEL_SPARSE);
}

static void reasons_for_implicit(void **state)
{
    static const int others[] = {FORM_HESS2, FORM_HESS3, FORM_CONSTANT_MASS, FORM_STATE_MASS,
                                 FORM_IMPLICIT, FORM_PROPER};
    static const form band = {"band", 2, make_band, ode_exact},
                      sparse = {"sparse", 2, make_sparse, ode_exact};
    const keel_options options[] = {
        {.linear = KEEL_LINEAR_DENSE}, {.iteration = KEEL_ITERATION_FULL}, {.newton_limit = 9},
        {.multipliers = KEEL_MULTIPLIERS_RECURSION}};
    (void)state;
    for (int k = 0; k < 6; k++)
        expect_implicit(&forms[others[k]], &(keel_options){0}, "form needs implicit stages");
    for (int k = 0; k < 4; k++)
        expect_implicit(&forms[FORM_SEPARATE], &options[k], "options for implicit stages");
    expect_implicit(&forms[FORM_ODE], &(keel_options){.step = 0.1}, "constant step");
    expect_implicit(&band, &(keel_options){0}, "band or sparse");
    if (has_sparse()) expect_implicit(&sparse, &(keel_options){0}, "band or sparse");
}

static void other_methods_choose_nothing(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_ODE], &(keel_options){.method = "radau-iia"}, 0);
    (void)state;
    assert_string_equal(keel_choice(s), "");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- at the change --------------------------------------------------------------------------- */

static void relaxed_exact(double t, double *y)
{
    y[0] = cos(t);
    y[1] = sin(t);
}

static int relaxed_rhs(double t, const double *y, double *f, void *context)
{
    f[0] = -1e4 * (y[0] - cos(t)) - sin(t);
    f[1] = y[0];
    return probed(context, RHS, t, f, 2);
}

static int make_relaxed(keel_problem **problem, derivatives d, probe *context)
{
    (void)d;
    return keel_ode(problem, &(keel_ode_spec){.size = 2, .rhs = relaxed_rhs, .context = context});
}

static const form relaxed = {"relaxed", 2, make_relaxed, relaxed_exact};
static const keel_options sharp = {.rtol = 1e-8, .atol = 1e-8};

/* Inside every step, before and after the change, and later from the recording.  The interpolants
 * are of lower order than the steps: a hundred tolerances. */
static void output_across_the_change(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&relaxed, GIVEN, &context);
    keel_solver *s = started(p, &relaxed, &sharp, 0);
    keel_solution *recorded = NULL;
    double y[2], exact[2];
    int explicit_steps = 0;
    (void)state;
    expect_ok(keel_solution_create(&recorded, s), s, "recording");
    while (keel_time(s) < 2) {
        expect_ok(keel_step(s), s, "step");
        expect_ok(keel_solution_append(recorded, s), s, "append");
        explicit_steps += !keel_solver_stats(s)->method_switches;
        for (int k = 0; k <= 4; k++) {
            double t = keel_previous_time(s) + k / 4.0 * (keel_time(s) - keel_previous_time(s));
            expect_ok(keel_interpolate(s, t, y), s, "interpolate");
            relaxed_exact(t, exact);
            assert_true(distance(y, exact, 0, 2) < 1e-6);
        }
    }
    assert_true(explicit_steps > 0 && explicit_steps < keel_solution_steps(recorded));
    for (int k = 0; k <= 1000; k++) {
        double t = 1e-7 * pow(2e7, k / 1000.0);        /* the change is at some 1e-3 */
        expect_ok(keel_solution_at(recorded, t, y), s, "recording");
        relaxed_exact(t, exact);
        assert_true(distance(y, exact, 0, 2) < 1e-6);
    }
    keel_solution_free(recorded);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void start_begins_anew(void **state)
{
    probe context = {0};
    keel_problem *p = new_problem(&relaxed, GIVEN, &context);
    keel_solver *s = started(p, &relaxed, &sharp, 0);
    double y[2], first[2] = {0};
    long rhs = 0;
    (void)state;
    for (int run = 0; run < 2; run++) {
        relaxed_exact(0, y);
        expect_ok(keel_start(s, 0, y), s, "start");
        assert_string_equal(keel_solver_stats(s)->method, "verner8");
        assert_int_equal(keel_solver_stats(s)->method_switches, 0);
        expect_text(keel_choice(s), "while accuracy limits the step");
        expect_ok(keel_advance_to(s, 1), s, "advance");
        assert_string_equal(keel_solver_stats(s)->method, "radau-iia");
        if (run == 1) {
            assert_memory_equal(first, keel_state(s), sizeof first);
            assert_int_equal(rhs, keel_solver_stats(s)->rhs);
        }
        memcpy(first, keel_state(s), sizeof first);
        rhs = keel_solver_stats(s)->rhs;
    }
    keel_solver_free(s);
    keel_problem_free(p);
}

/* Calls of the right-hand side before the step that changes the method. */
static long calls_before_the_change(void)
{
    probe context = {0};
    keel_problem *p = new_problem(&relaxed, GIVEN, &context);
    keel_solver *s = started(p, &relaxed, &sharp, 0);
    long calls = 0;
    while (!keel_solver_stats(s)->method_switches) {
        calls = context.calls[RHS];
        expect_ok(keel_step(s), s, "step");
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return calls;
}

/* A callback that fails in the middle of the change: the solver is as it was, and can go on. */
static void failure_during_the_change(void **state)
{
    (void)state;
    for (int kind = RETURNS_POSITIVE; kind <= RETURNS_NEGATIVE; kind++) {
        probe context = {.armed = 1, .target = RHS, .kind = (spoiling)kind,
                         .at = calls_before_the_change() + 1};
        keel_problem *p = new_problem(&relaxed, GIVEN, &context);
        keel_solver *s = started(p, &relaxed, &sharp, 0);
        double y[2], exact[2];
        int rc;
        while ((rc = keel_step(s)) == KEEL_OK && keel_time(s) < 1) {}
        expect_status(rc, KEEL_CALLBACK_FAILED, s, "change");
        assert_true(keel_message(s)[0] != 0);
        assert_int_equal(keel_solver_stats(s)->method_switches, 0);
        assert_string_equal(keel_solver_stats(s)->method, "verner8");
        double t = 0.5 * (keel_previous_time(s) + keel_time(s));
        expect_ok(keel_interpolate(s, t, y), s, "interpolate");
        relaxed_exact(t, exact);
        assert_true(distance(y, exact, 0, 2) < 1e-6);
        expect_ok(keel_advance_to(s, 1), s, "advance");
        assert_int_equal(keel_solver_stats(s)->method_switches, 1);
        relaxed_exact(1, exact);
        assert_true(distance(keel_state(s), exact, 0, 2) < 1e-6);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_stay_explicit), cmocka_unit_test(residuals_at_rounding),
        cmocka_unit_test(tolerance_decides),
        cmocka_unit_test(stiff_problems_switch), cmocka_unit_test(robertson_is_short),
        cmocka_unit_test(hidden_unknowns_are_followed), cmocka_unit_test(little_is_lost),
        cmocka_unit_test(runs_are_repeatable), cmocka_unit_test(nonstiff_stay_explicit),
        cmocka_unit_test(reasons_for_implicit), cmocka_unit_test(other_methods_choose_nothing),
        cmocka_unit_test(output_across_the_change), cmocka_unit_test(start_begins_anew),
        cmocka_unit_test(failure_during_the_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
