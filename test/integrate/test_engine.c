/* test_engine.c -- integrators over an engine of two ranks (test/support/two_ranks.h): no collective call
 * that the other rank does not make, the serial solution, few messages, and failures of one rank that
 * are failures of both. */
#include "test/support/run.h"

#include "problems/channel.h"
#include "test/support/two_ranks.h"

/* ---- problems -------------------------------------------------------------------------------- */

static int channel_g(double t, const double *y, const double *z, double *g, void *context)
{
    (void)z;
    return channel_constraint(t, y, g, context);
}

static whole channel_whole(double *parameters)
{
    channel c = channel_of(parameters);
    return (whole){.form = KEEL_FORM_HESSENBERG2, .N = c.velocities, .m = c.pressures, .f = channel_rhs,
                   .g = channel_g, .g_t = channel_constraint_time, .jacobian = channel_jacobian,
                   .context = parameters};
}

/* u' = u_xx + phi, 0 = phi_xx - phi + u - sin(5 t) phi^2 on a line; with phi = 0 an ODE. */
enum { POINTS = 21 };

static double second(const double *u, int i)
{
    return 400.0 * ((i > 0 ? u[i - 1] : 0) - 2 * u[i] + (i + 1 < POINTS ? u[i + 1] : 0));
}

static int rod_f(double t, const double *u, const double *phi, double *f, void *context)
{
    const whole *w = context;
    (void)t;
    for (int i = 0; i < POINTS; i++) f[i] = second(u, i) + (w->m ? phi[i] : sin(u[i]));
    return 0;
}

static int rod_g(double t, const double *u, const double *phi, double *g, void *context)
{
    (void)context;
    for (int i = 0; i < POINTS; i++) g[i] = second(phi, i) - phi[i] + u[i] - sin(5 * t) * phi[i] * phi[i];
    return 0;
}

static int rod_jacobian(double t, const double *u, const double *phi, keel_matrix *J, void *context)
{
    const whole *w = context;
    int n = POINTS;
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            keel_add(J, i, j, i == j ? -800 : 400);
            if (!w->m && i == j) keel_add(J, i, i, cos(u[i]));
            if (w->m) keel_add(J, n + i, n + j, i == j ? -801 - 2 * sin(5 * t) * phi[i] : 400);
            if (w->m && i == j) keel_add(J, i, n + i, 1), keel_add(J, n + i, i, 1);
        }
    return 0;
}

static int rod_alone(double t, const double *u, double *f, void *context) { return rod_f(t, u, NULL, f, context); }

static int rod_alone_jacobian(double t, const double *u, keel_matrix *J, void *context)
{
    return rod_jacobian(t, u, NULL, J, context);
}

/* M y' = f with the mass matrix of linear elements, and the last equation 0 = y_last - y_0 - t. */
static void element_mass(double *M, void *context)
{
    (void)context;
    for (int i = 0; i < POINTS - 1; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS - 1; j++)
            M[i * POINTS + j] = i == j ? 4.0 / 6 : 1.0 / 6;
}

static int element_f(double t, const double *u, const double *z, double *f, void *context)
{
    (void)z, (void)context;
    for (int i = 0; i < POINTS - 1; i++) f[i] = second(u, i) / 100 - u[i] * u[i];
    f[POINTS - 1] = u[POINTS - 1] - u[0] - t;
    return 0;
}

static int element_jacobian(double t, const double *u, const double *z, keel_matrix *J, void *context)
{
    (void)t, (void)z, (void)context;
    for (int i = 0; i < POINTS - 1; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < POINTS; j++)
            keel_add(J, i, j, i == j ? -8 - 2 * u[i] : 4);
    keel_add(J, POINTS - 1, POINTS - 1, 1);
    keel_add(J, POINTS - 1, 0, -1);
    return 0;
}

static int serial_mass(double t, const double *u, keel_matrix *M, void *context)
{
    double whole_M[POINTS * POINTS] = {0};
    (void)t, (void)u;
    element_mass(whole_M, context);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) keel_put(M, i, j, whole_M[i * POINTS + j]);
    return 0;
}

static int serial_f(double t, const double *u, double *f, void *context)
{
    return element_f(t, u, NULL, f, context);
}

static int serial_jacobian(double t, const double *u, keel_matrix *J, void *context)
{
    return element_jacobian(t, u, NULL, J, context);
}

static whole rod_whole(keel_form kind)
{
    if (kind == KEEL_FORM_QUASILINEAR)
        return (whole){.form = kind, .N = POINTS, .f = element_f, .jacobian = element_jacobian,
                       .mass = element_mass};
    return (whole){.form = kind, .N = POINTS, .m = kind == KEEL_FORM_ODE ? 0 : POINTS, .f = rod_f, .g = rod_g,
                   .jacobian = rod_jacobian};
}

static keel_problem *rod_serial(whole *w)
{
    keel_problem *p = NULL;
    int rc;
    if (w->form == KEEL_FORM_ODE)
        rc = keel_ode(&p, &(keel_ode_spec){.size = POINTS, .rhs = rod_alone, .jacobian = rod_alone_jacobian,
                                           .context = w});
    else if (w->form == KEEL_FORM_QUASILINEAR)
        rc = keel_quasilinear(&p, &(keel_quasilinear_spec){
            .size = POINTS, .rhs = serial_f, .mass = serial_mass, .constant_mass = 1,
            .jacobian = serial_jacobian});
    else
        rc = keel_semi_explicit(&p, &(keel_semi_explicit_spec){
            .differential = POINTS, .algebraic = POINTS, .rhs = rod_f, .constraint = rod_g,
            .jacobian = rod_jacobian, .context = w});
    assert_int_equal(rc, KEEL_OK);
    return p;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void serial_run(const keel_problem *p, const keel_options *o, const double *start, double t1,
                       double *end, keel_stats *stats)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, o->method);
    expect_ok(keel_start(s, 0, start), s, o->method);
    expect_ok(keel_advance_to(s, t1), s, o->method);
    memcpy(end, keel_state(s), (size_t)keel_problem_size(p) * sizeof *end);
    *stats = *keel_solver_stats(s);
    keel_solver_free(s);
}

/* The serial run and the split one: equal to rounding. */
static void compare(const whole *w, const keel_problem *p, split_run *run, double within)
{
    int n = w->N + w->m;
    double *alone = malloc(2 * (size_t)n * sizeof *alone);
    const char *method = run->options.method;
    keel_stats stats;
    run->w = w;
    run->end = alone + n;
    serial_run(p, &run->options, run->start, run->t1, alone, &stats);
    split_go(run);
    if (run->team.broken) fail_msg("%s: %s", method, run->team.complaint);
    for (int k = 0; k < RANKS; k++)
        if (run->status[k]) fail_msg("%s, rank %d: %s", method, k, run->message[k]);
    double off = distance(alone, run->end, 0, n);
    if (!(off <= within)) fail_msg("%s, form %d: off by %g", method, (int)w->form, off);
    if (stats.steps != run->stats[0].steps || stats.newton != run->stats[1].newton)
        fail_msg("%s: %ld steps and %ld iterations instead of %ld and %ld", method, run->stats[0].steps,
                 run->stats[0].newton, stats.steps, stats.newton);
    free(alone);
    run->end = NULL;
}

typedef struct allowed { const char *method; double messages; } allowed;

/* Messages per accepted step: Newton's iterations, the error (of diagonally implicit methods with the last of them),
 * and one to accept; of half-explicit methods two iterations for each stage, those of hem-4 in one step and two of
 * half the size. */
static void flow_through(double side, const allowed *methods, size_t count)
{
    double parameters[] = {side, 0.01};
    whole w = channel_whole(parameters);
    keel_hessenberg2_spec spec = channel_spec(parameters);
    int *block = channel_pattern(parameters, &spec.pattern);
    keel_problem *p = NULL;
    assert_int_equal(keel_hessenberg2(&p, &spec), KEEL_OK);
    double *start = malloc((size_t)(w.N + w.m) * sizeof *start);
    channel_start(parameters, 0, start);
    for (size_t k = 0; k < count; k++) {
        split_run run = {.options = {.method = methods[k].method, .rtol = 1e-5}, .start = start, .t1 = 0.3};
        compare(&w, p, &run, 1e-12);
        double per_step = (double)run.messages / (double)run.stats[0].accepted;
        if (per_step > methods[k].messages)
            fail_msg("%s: %g messages per step", methods[k].method, per_step);
    }
    keel_problem_free(p);
    free(block);
    free(start);
}

static void flow(void **state)
{
    static const allowed methods[] = {
        {"radau-iia-3", 5}, {"bdf", 4}, {"esdirk-5", 14}, {"sdirk-4", 12}, {"gauss-3", 7},
        {"radau-iia", 5}, {"lobatto-iiic-4", 5}, {"sdirk-2", 15}, {"hem-4", 45}, {"hem-5", 45}};
    (void)state;
    flow_through(8, methods, sizeof methods / sizeof *methods);
    flow_through(16, methods, 3);
}

static void other_forms(void **state)
{
    static const char *const methods[] = {"radau-iia", "radau-iia-5", "bdf", "esdirk-4", "sdirk-4", "rodas-4",
                                          "rodas-5p"};
    static const keel_form kinds[] = {KEEL_FORM_ODE, KEEL_FORM_SEMI_EXPLICIT, KEEL_FORM_QUASILINEAR};
    double start[2 * POINTS] = {0};
    (void)state;
    for (int i = 0; i < POINTS; i++) start[i] = sin(0.3 * (i + 1));
    for (int f = 0; f < 3; f++) {
        whole w = rod_whole(kinds[f]);
        w.context = &w;
        keel_problem *p = rod_serial(&w);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            split_run run = {.options = {.method = methods[k], .rtol = 1e-6}, .start = start, .t1 = 0.4};
            if (w.m) run.options.multipliers = KEEL_MULTIPLIERS_RECURSION;   /* as with an engine */
            compare(&w, p, &run, 1e-12);
            long most = 2 * run.stats[0].steps + 8;              /* for the error, and to accept */
            if (k >= 5 && run.messages > most) fail_msg("%s: %ld messages", methods[k], run.messages);
        }
        keel_problem_free(p);
    }
}

/* y' = f by explicit methods, with and without a stage at the new point, two embedded methods (dop853), none
 * (rk4); a message for the error of a step, one to accept it, and those of rejected steps.  As long as accuracy
 * limits the steps: where stability does, the error is an amplified rounding error, which depends on the order of
 * a sum. */
static void slopes(void **state)
{
    static const char *const methods[] = {"dopri5", "dop853", "verner8", "rk4", "hem-5"};
    double start[POINTS] = {0};
    (void)state;
    for (int i = 0; i < POINTS; i++) start[i] = sin(0.3 * (i + 1));
    whole w = rod_whole(KEEL_FORM_ODE);
    w.context = &w;
    keel_problem *p = rod_serial(&w);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        split_run run = {.options = {.method = methods[k], .rtol = 1e-6}, .start = start, .t1 = 0.01};
        compare(&w, p, &run, 1e-12);
        long most = 2 * run.stats[0].steps + 8;
        if (run.messages > most) fail_msg("%s: %ld messages, %ld steps", methods[k], run.messages, run.stats[0].steps);
    }
    keel_problem_free(p);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* One call fails on one rank: both end in the same way. */
static void spoiled(const whole *w, split_run run, sabotage wanted, const double *good, double within)
{
    int n = w->N + w->m;
    run.w = w;
    run.wanted = wanted;
    run.end = calloc((size_t)n, sizeof *run.end);
    split_go(&run);
    char what[100];
    snprintf(what, sizeof what, "%s, call %ld of rank %d, code %d", run.options.method, wanted.at, wanted.rank,
             wanted.code);
    if (run.team.broken) fail_msg("%s: %s", what, run.team.complaint);
    if (run.status[0] != run.status[1]) fail_msg("%s: status %d and %d", what, run.status[0], run.status[1]);
    if (strcmp(run.message[0], run.message[1]) != 0)
        fail_msg("%s: \"%s\" and \"%s\"", what, run.message[0], run.message[1]);
    if (wanted.code < 0) {
        if (run.status[0] != KEEL_CALLBACK_FAILED) fail_msg("%s: status %d", what, run.status[0]);
        expect_text(run.message[0], wanted.rank ? "rank 1" : "rank 0");
    } else if (run.status[0] == KEEL_OK && !(distance(good, run.end, 0, n) <= within))
        fail_msg("%s: off by %g", what, distance(good, run.end, 0, n));
    free(run.end);
}

static void failures(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "bdf", "esdirk-4", "hem-5", "bdf"};
    static const int codes[] = {0, 1, -1};
    double parameters[] = {3, 0.01}, start[3 * 3 * 3], good[3 * 3 * 3];
    whole w = channel_whole(parameters);
    (void)state;
    channel_start(parameters, 0, start);
    for (int k = 0; k < 5; k++) {
        w.inexact = k == 4;                      /* multipliers where they are seen, not after each step */
        split_run run = {.w = &w, .options = {.method = methods[k], .rtol = 1e-3}, .start = start, .t1 = 0.02,
                         .end = good};
        split_go(&run);
        if (run.status[0] != KEEL_OK) fail_msg("%s: %s", run.options.method, run.message[0]);
        assert_int_equal(run.calls[0], run.calls[1]);
        for (long at = 1; at <= run.calls[0]; at++)
            for (int i = 0; i < 3; i++)
                spoiled(&w, run, (sabotage){.rank = (int)(at % 2), .code = codes[i], .at = at}, good, 1e-2);
    }
}

/* The same of explicit methods and Rosenbrock's: dopri5 has a stage at the new point, dop853 is evaluated
 * there once more, rodas-4 at a point moved in time, too. */
static void failures_of_slopes(void **state)
{
    static const char *const methods[] = {"dopri5", "dop853", "rodas-4"};
    static const int codes[] = {0, 1, -1};
    double start[POINTS] = {0}, good[POINTS];
    whole w = rod_whole(KEEL_FORM_ODE);
    w.context = &w;
    (void)state;
    for (int i = 0; i < POINTS; i++) start[i] = sin(0.3 * (i + 1));
    for (int k = 0; k < 6; k++) {
        keel_options options = {.method = methods[k % 3], .rtol = 1e-3, .step = k < 3 ? 0 : 5e-4};
        split_run run = {.w = &w, .options = options, .start = start, .t1 = 0.004, .end = good};
        split_go(&run);
        if (run.status[0] != KEEL_OK) fail_msg("%s: %s", run.options.method, run.message[0]);
        assert_int_equal(run.calls[0], run.calls[1]);
        for (long at = 1; at <= run.calls[0]; at++)
            for (int i = 0; i < 3; i++)
                spoiled(&w, run, (sabotage){.rank = (int)(at % 2), .code = codes[i], .at = at}, good, 1e-2);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int no_linearize(void *context, double t, const double *y, const double *yp)
{
    (void)context, (void)t, (void)y, (void)yp;
    return 0;
}

static int no_prepare(void *context, int slot, double re, double im)
{
    (void)context, (void)slot, (void)re, (void)im;
    return 0;
}

static int no_solve(void *context, int slot, double tolerance, double *re, double *im)
{
    (void)context, (void)slot, (void)tolerance, (void)re, (void)im;
    return 0;
}

static keel_engine *idle_engine(void)
{
    keel_engine *e = NULL;
    keel_engine_spec spec = {.linearize = no_linearize, .prepare = no_prepare, .solve = no_solve};
    assert_int_equal(keel_engine_create(&e, &spec), KEEL_OK);
    return e;
}

static void refused(const keel_problem *p, keel_options o, const char *why)
{
    keel_engine *e = o.engine = idle_engine();
    keel_solver *s = NULL;
    int rc = keel_solver_create(&s, p, &o);
    if (rc == KEEL_OK) fail_msg("not refused: %s", why);
    expect_text(keel_message(s), why);
    keel_solver_free(s);
    keel_engine_free(e);
}

static void what_cannot_be(void **state)
{
    whole w = rod_whole(KEEL_FORM_ODE), q = rod_whole(KEEL_FORM_QUASILINEAR);
    whole z = rod_whole(KEEL_FORM_SEMI_EXPLICIT);
    keel_problem *ode = rod_serial(&w), *quasilinear = rod_serial(&q), *semi_explicit = rod_serial(&z);
    (void)state;
    refused(semi_explicit, (keel_options){.method = "dopri5"}, "dopri5");
    refused(ode, (keel_options){.method = "dimsim"}, "dimsim");
    refused(ode, (keel_options){.linear = KEEL_LINEAR_DENSE}, "linear");
    refused(ode, (keel_options){.projection = KEEL_PROJECT_ORTHOGONAL}, "orthogonal");
    refused(quasilinear, (keel_options){.method = "bdf"}, "multiply_mass");
    keel_problem_free(ode);
    keel_problem_free(quasilinear);
    keel_problem_free(semi_explicit);
    keel_engine *e = NULL;
    assert_int_equal(keel_engine_create(&e, &(keel_engine_spec){.linearize = no_linearize}), KEEL_BAD_ARGUMENT);
    expect_text(keel_engine_message(e), "prepare");
    keel_engine_free(e);
}

/* An engine has the matrices of one solver. */
static void one_solver_at_a_time(void **state)
{
    whole w = rod_whole(KEEL_FORM_ODE);
    keel_problem *p = rod_serial(&w);
    keel_options o = {.method = "bdf", .engine = idle_engine()};
    keel_solver *s = NULL, *second = NULL;
    (void)state;
    expect_ok(keel_solver_create(&s, p, &o), s, "bdf");
    assert_int_equal(keel_solver_create(&second, p, &o), KEEL_BAD_ARGUMENT);
    expect_text(keel_message(second), "another solver");
    keel_solver_free(second);
    assert_int_equal(keel_solver_save(s, "/nonexistent/file"), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    expect_ok(keel_solver_create(&s, p, &o), s, "bdf");
    keel_solver_free(s);
    keel_engine_free(o.engine);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_forms), cmocka_unit_test(flow), cmocka_unit_test(slopes),
        cmocka_unit_test(failures), cmocka_unit_test(failures_of_slopes),
        cmocka_unit_test(what_cannot_be), cmocka_unit_test(one_solver_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
