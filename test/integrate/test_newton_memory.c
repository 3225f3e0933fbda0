/* test_newton_memory.c -- what Newton's method takes from one step into the next does no harm.
 *
 * Stop times make steps short, or tiny; the answer must not be worse for them.  A Jacobian that one
 * wrong difference spoiled must be found out, whether it makes Newton's method fail or lets it believe
 * that it converged.  That an exact matrix converged at once says nothing about the next step.
 */
#include "test/integrate/tolerance.h"

static const double tol = 1e-6;

/* The largest error at the end, in tolerances, with so many equidistant stops, or, negative, with so
 * many with gaps between them at three times. */
static double error_with_stops(const char *problem, const char *method, int stops, double gap)
{
    tolerance_case c;
    double y[TOLERANCE_UNKNOWNS], error[TOLERANCE_GROUPS] = {0};
    keel_solver *s = NULL;
    int k = 0;
    while (strcmp(tolerance_problems[k].name, problem) != 0) k++;
    tolerance_open(&c, &tolerance_problems[k]);
    tolerance_exact(&c, 0, y);
    expect_ok(keel_solver_create(&s, c.keel, &(keel_options){.method = method, .rtol = tol,
                                                             .atol = tol}), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    double t_end = c.problem->t_end;
    for (int i = 1; i <= stops; i++) expect_ok(keel_advance_to(s, i * t_end / stops), s, method);
    for (int i = 1; i < 4 && stops < 0; i++)
        for (int j = 0; j < -stops; j++)
            expect_ok(keel_advance_to(s, i * t_end / 4 + j * gap), s, method);
    expect_ok(keel_advance_to(s, t_end), s, method);
    tolerance_compare(&c, t_end, keel_state(s), tol, error);
    keel_solver_free(s);
    keel_problem_free(c.keel);
    return fmax(error[0], fmax(error[1], error[2]));
}

static const char *const problems[] = {"order-index2", "order-index3", "order-mechanical"};
static const char *const methods[] = {"esdirk-4", "lobatto-iiic-3", "gauss-3", "radau-iia", "hem-4"};

/* Three stop times 1e-14 apart: at most the scatter of another sequence of steps. */
static void tiny_steps(void **state)
{
    (void)state;
    for (int m = 0; m < 5; m++)
        for (int p = 0; p < 3; p++) {
            double with = error_with_stops(problems[p], methods[m], -3, 1e-14);
            if (!(with <= 10)) fail_msg("%s, %s: %g tolerances", methods[m], problems[p], with);
        }
}

/* Rounding of constraints is divided by h in velocities of stages and by h^2 in accelerations: far above the
 * tolerance where steps are so short.  It is gone in the next iteration, which is no rate of convergence for a step
 * of ordinary length, and neither derivatives nor their Jacobian may be what it left. */
static void steps_of_rounding(void **state)
{
    static const char *const too[] = {"esdirk-4", "esdirk-5", "gauss-2", "lobatto-iiic-3", "radau-iia", "auto"};
    (void)state;
    for (int m = 0; m < 6; m++)
        for (int k = 0; k <= 80; k++) {
            double gap = 1e-15 * pow(10, k / 10.0), with = error_with_stops("order-mechanical", too[m], -3, gap);
            if (!(with <= 10)) fail_msg("%s, gaps of %g: %g tolerances", too[m], gap, with);
        }
}

/* Shorter steps are better ones, or at least not worse. */
static void short_steps(void **state)
{
    static const int stops[] = {200, 2000, 20000};
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int p = 1; p < 3; p++)
            for (int k = 0; k < 3; k++) {
                double with = error_with_stops(problems[p], methods[m], stops[k], 0);
                if (!(with <= 5))
                    fail_msg("%s, %s, %d stops: %g tolerances", methods[m], problems[p], stops[k],
                             with);
            }
}

/* ---- a wrong difference -------------------------------------------------------------------- */

/* y1' = x1' - (y1 - x1) + y2 (z - x3),  y2' = x2' + y1 (y2 - x2),  0 = z (2 + y2) - x3 (2 + x2) */
typedef struct glitch {
    double t, x[3];              /* of the evaluation of f before                           */
    int differs;                 /* this one differs from it by an increment in one unknown */
    long calls, at;              /* differences so far, and the one that is wrong           */
    double by;
} glitch;

static void glitch_exact(double t, double *x)
{
    x[0] = sin(2 * t);
    x[1] = cos(t);
    x[2] = 1 + 0.5 * sin(t);
}

/* Is it an evaluation for a difference quotient, and the one to be wrong? */
static int is_wrong(glitch *g, double t, const double *y, const double *z)
{
    const double now[3] = {y[0], y[1], z[0]};
    int moved = 0, little = 1;
    for (int i = 0; i < 3; i++) {
        moved += now[i] != g->x[i];
        little &= fabs(now[i] - g->x[i]) < 1e-6;
    }
    int differs = t == g->t && moved > 0 && moved <= 2 && little;
    memcpy(g->x, now, sizeof now);
    g->t = t;
    return differs && g->calls++ == g->at;
}

static int glitch_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    glitch *g = context;
    double x[3];
    glitch_exact(t, x);
    f[0] = 2 * cos(2 * t) - (y[0] - x[0]) + y[1] * (z[0] - x[2]);
    f[1] = -sin(t) + y[0] * (y[1] - x[1]);
    g->differs = is_wrong(g, t, y, z);
    if (g->differs) f[0] += g->by;
    return 0;
}

static int glitch_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const glitch *w = context;
    double x[3];
    glitch_exact(t, x);
    g[0] = z[0] * (2 + y[1]) - x[2] * (2 + x[1]);
    if (w->differs) g[0] += w->by;
    return 0;
}

/* The k-th difference is off by 1e-3, so that J is off by 1e4 and more in a column: the steps and the
 * error are those of a run without it, up to a few attempts. */
static long glitch_steps(const char *method, long at, double by)
{
    glitch g = {.at = at, .by = by};
    double y[3], x[3];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_semi_explicit_spec spec = {.differential = 2, .algebraic = 1, .rhs = glitch_rhs,
                                    .constraint = glitch_constraint, .context = &g};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    glitch_exact(0, y);
    keel_options options = {.method = method, .rtol = tol, .atol = tol};
    expect_ok(keel_solver_create(&s, p, &options), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, 2), s, method);
    glitch_exact(2, x);
    double off = distance(keel_state(s), x, 0, 3) / tol;
    if (!(off <= 30)) fail_msg("%s, wrong difference %ld: off by %g tolerances", method, at, off);
    long steps = keel_solver_stats(s)->steps;
    keel_solver_free(s);
    keel_problem_free(p);
    return steps;
}

static void wrong_difference(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        long without = glitch_steps(methods[m], -1, 0);
        for (long at = 0; at < 60; at++)
            for (int sign = -1; sign <= 1; sign += 2) {
                long steps = glitch_steps(methods[m], at, sign * 1e-3);
                if (steps > without + 20)
                    fail_msg("%s, wrong difference %ld: %ld steps instead of %ld", methods[m], at,
                             steps, without);
            }
    }
}

/* y' = cos t, 0 = (1 + sin(3t) / 3) (z - sin 2t): linear, so that a Jacobian of the prediction converges at
 * once, and no later one does. */
static int varying_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)y, (void)z, (void)context;
    f[0] = cos(t);
    return 0;
}

static int varying_balance(double t, const double *y, const double *z, double *g, void *context)
{
    (void)y, (void)context;
    g[0] = (1 + sin(3 * t) / 3) * (z[0] - sin(2 * t));
    return 0;
}

static int mass_of_y(double t, const double *x, keel_matrix *M, void *context)
{
    (void)t, (void)x, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int varying_rhs(double t, const double *x, double *f, void *context)
{
    varying_rate(t, x, x + 1, f, context);
    return varying_balance(t, x, x + 1, f + 1, context);
}

static void exact_matrices(void **state)
{
    static const char *const by[] = {"bdf", "dimsim", "rodas-5p", "radau-iia", "esdirk-5"};
    keel_problem *p = NULL;
    keel_quasilinear_spec spec = {.size = 2, .mass = mass_of_y, .constant_mass = 1, .rhs = varying_rhs};
    (void)state;
    assert_int_equal(keel_quasilinear(&p, &spec), KEEL_OK);
    for (int m = 0; m < 5; m++)
        for (int digits = 3; digits <= 9; digits++) {
            const double small = pow(10, -digits), start[2] = {0, 0};
            double worst = 0;
            keel_solver *s = NULL;
            keel_options options = {.method = by[m], .rtol = small, .atol = small};
            expect_ok(keel_solver_create(&s, p, &options), s, by[m]);
            expect_ok(keel_start(s, 0, start), s, by[m]);
            while (keel_time(s) < 10) {
                expect_ok(keel_step(s), s, by[m]);
                worst = fmax(worst, fabs(keel_state(s)[1] - sin(2 * keel_time(s))) / small);
            }
            if (!(worst <= 10)) fail_msg("%s at 1e-%d: z is off by %g tolerances", by[m], digits, worst);
            keel_solver_free(s);
        }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_steps), cmocka_unit_test(steps_of_rounding), cmocka_unit_test(short_steps),
        cmocka_unit_test(wrong_difference), cmocka_unit_test(exact_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
