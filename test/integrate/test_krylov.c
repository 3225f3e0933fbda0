/* test_krylov.c -- the engine of GMRES: heat and its potential, whose solution on the grid is known, with J
 * and ILU(0), without any matrix, and with functions of the program. */
#include "test/support/run.h"

#include <stdlib.h>

#include "problems/channel.h"
#include "problems/heat.h"

enum { SIDE = 12, LINE = 30 };

static const double pi = 3.14159265358979323846;

/* ---- with a pattern ---------------------------------------------------------------------------- */

/* The largest error at t = 0.1 of heat on a square. */
static double heat_error(const char *method, keel_linear linear, keel_stats *stats)
{
    double parameters[] = {SIDE, 2}, h = 1.0 / (SIDE + 1), worst = 0, y[2 * SIDE * SIDE] = {0};
    double mu = 8 / (h * h) * pow(sin(pi * h / 2), 2), end = exp((1 / (1 + mu) - mu) * 0.1);
    keel_semi_explicit_spec spec = heat_spec(parameters);
    int *block = heat_pattern(parameters, &spec.pattern);
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    for (int k = 0; k < SIDE * SIDE; k++)
        y[k] = sin(pi * h * (k % SIDE + 1)) * sin(pi * h * (k / SIDE + 1));
    keel_options o = {.method = method, .rtol = 1e-6, .atol = 1e-8, .linear = linear};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    for (int k = 0; k < SIDE * SIDE; k++)
        assert_true(fabs(keel_state(s)[SIDE * SIDE + k] - y[k] / (1 + mu)) <= 1e-10);    /* consistent */
    expect_ok(keel_advance_to(s, 0.1), s, method);
    for (int k = 0; k < SIDE * SIDE; k++) worst = fmax(worst, fabs(keel_state(s)[k] - end * y[k]));
    *stats = *keel_solver_stats(s);
    keel_solver_free(s);
    keel_problem_free(p);
    free(block);
    return worst;
}

/* What an inexact solution leaves is a twentieth of what Newton's method may leave, which is at most the
 * tolerance. */
static void heat_by_iteration(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia-3", "radau-iia", "esdirk-4", "sdirk-4"};
    keel_stats direct, iterated;
    (void)state;
    for (int k = 0; k < 5; k++) {
        double exact = heat_error(methods[k], KEEL_LINEAR_AUTO, &direct);
        double error = heat_error(methods[k], KEEL_LINEAR_KRYLOV, &iterated);
        if (!(error <= 1.1 * exact + 1e-6 / 20)) fail_msg("%s: %g instead of %g", methods[k], error, exact);
        if (iterated.accepted > 1.1 * (double)direct.accepted + 2)
            fail_msg("%s: %ld steps instead of %ld", methods[k], iterated.accepted, direct.accepted);
    }
}

/* The flow keeps its constraint to rounding, whatever solves the systems. */
static void flow_by_iteration(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia-3", "esdirk-4"};
    double parameters[] = {8, 0.01}, y[3 * 64];
    keel_hessenberg2_spec spec = channel_spec(parameters);
    int *block = channel_pattern(parameters, &spec.pattern);
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &spec), KEEL_OK);
    for (int k = 0; k < 3; k++) {
        keel_options o = {.method = methods[k], .rtol = 1e-5};
        double end[2][3 * 64];
        for (int i = 0; i < 2; i++) {
            keel_solver *s = NULL;
            o.linear = i ? KEEL_LINEAR_KRYLOV : KEEL_LINEAR_AUTO;
            channel_start(parameters, 0, y);
            expect_ok(keel_solver_create(&s, p, &o), s, methods[k]);
            expect_ok(keel_start(s, 0, y), s, methods[k]);
            expect_ok(keel_advance_to(s, 0.3), s, methods[k]);
            memcpy(end[i], keel_state(s), (size_t)keel_problem_size(p) * sizeof(double));
            assert_true(keel_solver_stats(s)->residual[0] <= 1e-12);
            keel_solver_free(s);
        }
        double off = distance(end[0], end[1], 0, channel_of(parameters).velocities);
        if (!(off <= 3e-5)) fail_msg("%s: off by %g", methods[k], off);      /* rtol each */
    }
    keel_problem_free(p);
    free(block);
}

/* bdf finds multipliers from the hidden constraint where a call ends, and not after every step within it: points
 * that are seen have them all the same, and velocities do not depend on who looks.  The hidden constraint is g_y f +
 * g_t with f of size p / h, so that 1e-13 of p leaves 1e-13 / h^2 of it; the method's own multipliers, off by the
 * tolerance over the step size, leave 1e-2. */
static void multipliers_where_seen(void **state)
{
    double parameters[] = {8, 0.01}, start[3 * 64], before[3 * 64], between[3 * 64], t_end = 0.1;
    keel_hessenberg2_spec spec = channel_spec(parameters);
    int *block = channel_pattern(parameters, &spec.pattern), n = spec.differential + spec.multipliers;
    keel_problem *p = NULL;
    keel_solver *once = NULL, *often = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &spec), KEEL_OK);
    channel_start(parameters, 0, start);
    keel_options o = {.method = "bdf", .rtol = 1e-5, .linear = KEEL_LINEAR_KRYLOV};
    expect_ok(keel_solver_create(&once, p, &o), once, "once");
    expect_ok(keel_start(once, 0, start), once, "once");
    expect_ok(keel_advance_to(once, t_end), once, "once");
    expect_ok(keel_solver_create(&often, p, &o), often, "often");
    expect_ok(keel_start(often, 0, start), often, "often");
    expect_ok(keel_set_stop_time(often, t_end), often, "often");
    while (keel_time(often) < t_end) {
        double t = keel_time(often);
        memcpy(before, keel_state(often), (size_t)n * sizeof *before);
        expect_ok(keel_step(often), often, "often");
        expect_ok(keel_interpolate(often, t, between), often, "often");
        assert_true(distance(before, between, 0, n) <= 1e-10);
        t = keel_time(often) - 1e-10 * (keel_time(often) - t);   /* not the end itself, which is the state */
        expect_ok(keel_interpolate(often, t, between), often, "often");
        assert_true(distance(keel_state(often), between, 0, n) <= 1e-8);
    }
    const keel_stats *one = keel_solver_stats(once), *many = keel_solver_stats(often);
    assert_int_equal(one->accepted, many->accepted);
    assert_int_equal(one->unmeasured, one->accepted - 1);
    assert_int_equal(many->unmeasured, 0);
    assert_true(one->rhs < many->rhs);
    assert_true(one->residual[1] >= 0 && one->residual[1] <= 1e-9);
    assert_true(many->residual[1] >= 0 && many->residual[1] <= 1e-9);
    assert_memory_equal(keel_state(once), keel_state(often), (size_t)spec.differential * sizeof *start);
    assert_true(distance(keel_state(once), keel_state(often), 0, n) <= 1e-10);
    keel_solver_free(once);
    keel_solver_free(often);
    keel_problem_free(p);
    free(block);
}

/* ---- without one ------------------------------------------------------------------------------- */

/* u' = u_xx + phi, 0 = phi_xx - phi + u on a line: y = (u, unit phi), unit = 0 standing for 1. */
typedef enum ill { WELL, ZERO, HALF, ONE, ALGEBRAIC, NOT_A_NUMBER, ONCE, NOT_HERE, STOP, SETUP } ill;
typedef struct line { long products, setups, inverses; int spoil, scale; ill ill; double shift, unit; } line;

static double unit_of(const line *l) { return l->unit > 0 ? l->unit : 1; }

static double second(const double *u, int i)
{
    double h = 1.0 / (LINE + 1);
    return ((i > 0 ? u[i - 1] : 0) - 2 * u[i] + (i + 1 < LINE ? u[i + 1] : 0)) / (h * h);
}

static int line_rhs(double t, const double *u, const double *phi, double *f, void *context)
{
    const line *l = context;
    for (int i = 0; i < LINE; i++) f[i] = second(u, i) + phi[i] / unit_of(l);
    if (l->spoil && t > 0.05) f[3] = NAN;
    return 0;
}

static int line_constraint(double t, const double *u, const double *phi, double *g, void *context)
{
    (void)t;
    for (int i = 0; i < LINE; i++) g[i] = (second(phi, i) - phi[i]) / unit_of(context) + u[i];
    return 0;
}

/* (shift M - J) v */
static int line_times(double t, const double *y, const double *yp, const double *v, double *Av, double shift,
                      void *context)
{
    line *l = context;
    (void)yp;
    l->products++;
    line_rhs(t, v, v + LINE, Av, context);
    line_constraint(t, v, v + LINE, Av + LINE, context);
    for (int i = 0; i < 2 * LINE; i++) Av[i] = (i < LINE ? shift * v[i] : 0) - Av[i];
    return y ? 0 : -1;
}

static int line_setup(double t, const double *y, const double *yp, double shift, void *context)
{
    line *l = context;
    (void)t, (void)y, (void)yp;
    l->setups++;
    l->shift = shift;
    return l->spoil == 2 ? -5 : l->ill == SETUP;
}

/* (a - d^2/dx^2)^-1 by elimination. */
static void invert(double a, const double *r, double *z)
{
    double h = 1.0 / (LINE + 1), s = 1 / (h * h), c[LINE];
    for (int i = 0; i < LINE; i++) {
        double pivot = a + 2 * s - (i > 0 ? s * c[i - 1] : 0);
        c[i] = s / pivot;
        z[i] = (r[i] + (i > 0 ? s * z[i - 1] : 0)) / pivot;
    }
    for (int i = LINE - 2; i >= 0; i--) z[i] += c[i] * z[i + 1];
}

/* Without the coupling of u and phi. */
static int line_inverse(double t, const double *y, const double *yp, const double *r, double *z, double shift,
                        double tolerance, void *context)
{
    line *l = context;
    (void)t, (void)y, (void)yp, (void)tolerance;
    assert_true(shift == l->shift);              /* the one that was set up */
    l->inverses++;
    invert(shift, r, z);
    invert(1, r + LINE, z + LINE);
    for (int i = LINE; i < 2 * LINE; i++) z[i] *= unit_of(l);
    const int first = l->ill == ONE ? 3 : l->ill == ALGEBRAIC ? LINE : 0;
    const int count = l->ill == ZERO ? 2 * LINE : l->ill == HALF ? LINE / 2 : l->ill == ONE ? 1 : LINE;
    if (l->ill >= ZERO && l->ill <= ALGEBRAIC) memset(z + first, 0, (size_t)count * sizeof *z);
    if (l->ill == NOT_A_NUMBER || (l->ill == ONCE && l->inverses == 3)) z[3] = NAN;
    return l->ill == NOT_HERE ? 1 : l->ill == STOP ? -7 : 0;
}

static int line_run(keel_krylov_spec how, line *l, const char *method, double *y, keel_krylov_stats *done, char *text)
{
    keel_problem *p = NULL;
    keel_engine *e = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = LINE, .algebraic = LINE, .rhs = line_rhs, .constraint = line_constraint, .context = l}),
        KEEL_OK);
    for (int i = 0; i < LINE; i++) y[i] = sin(pi * (i + 1) / (LINE + 1)), y[LINE + i] = 0;
    how.problem = p;
    how.context = l;
    assert_int_equal(keel_krylov_engine(&e, &how), KEEL_OK);
    int rc = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-6, .engine = e});
    if (!rc) rc = keel_start(s, 0, y);
    if (!rc) rc = keel_advance_to(s, 0.1);
    if (!rc) memcpy(y, keel_state(s), 2 * LINE * sizeof *y);
    if (!how.times && !rc) assert_true(keel_solver_stats(s)->rhs_for_jacobian > 0);
    strcpy(text, keel_message(s));
    assert_int_equal(keel_krylov_stats_of(e, done), KEEL_OK);
    keel_solver_free(s);
    keel_engine_free(e);
    keel_problem_free(p);
    return rc;
}

static double line_error(const double *y)
{
    double h = 1.0 / (LINE + 1), mu = 4 / (h * h) * pow(sin(pi * h / 2), 2), worst = 0;
    for (int i = 0; i < LINE; i++)
        worst = fmax(worst, fabs(y[i] - exp((1 / (1 + mu) - mu) * 0.1) * sin(pi * (i + 1) * h)));
    return worst;
}

static void functions_of_the_program(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia-3", "esdirk-4"};
    double y[2 * LINE];
    char text[700];
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_krylov_stats differenced, given, preconditioned;
        line l = {0};
        keel_krylov_spec how = {.restart = 60};
        if (line_run(how, &l, methods[k], y, &differenced, text)) fail_msg("%s: %s", methods[k], text);
        if (!(line_error(y) <= 1e-5)) fail_msg("%s, differences: %g", methods[k], line_error(y));
        how.times = line_times;
        if (line_run(how, &l, methods[k], y, &given, text)) fail_msg("%s: %s", methods[k], text);
        if (!(line_error(y) <= 1e-5)) fail_msg("%s, times: %g", methods[k], line_error(y));
        assert_true(l.products >= given.iterations);
        how.precondition_setup = line_setup;
        how.precondition = line_inverse;
        if (line_run(how, &l, methods[k], y, &preconditioned, text)) fail_msg("%s: %s", methods[k], text);
        if (!(line_error(y) <= 1e-5)) fail_msg("%s, precondition: %g", methods[k], line_error(y));
        assert_true(l.setups == preconditioned.setups && l.setups > 0 && l.inverses > 0);
        if (!(5 * preconditioned.iterations <= given.iterations))
            fail_msg("%s: %ld iterations with a preconditioner, %ld without", methods[k],
                     preconditioned.iterations, given.iterations);
    }
}

static void failures(void **state)
{
    double y[2 * LINE];
    char text[700];
    keel_krylov_stats done;
    line l = {.spoil = 1};
    (void)state;
    keel_krylov_spec how = {.times = line_times, .restart = 60};
    assert_int_equal(line_run(how, &l, "bdf", y, &done, text), KEEL_NOT_FINITE);
    expect_text(text, "rhs");
    l = (line){.spoil = 2};
    how.precondition_setup = line_setup;
    how.precondition = line_inverse;
    assert_int_equal(line_run(how, &l, "bdf", y, &done, text), KEEL_CALLBACK_FAILED);
    l = (line){0};
    assert_true(line_run((keel_krylov_spec){.times = line_times, .restart = 2, .limit = 2}, &l, "bdf", y, &done, text) < 0);
    expect_text(text, "GMRES");
    keel_engine *e = NULL;
    assert_int_equal(keel_krylov_engine(&e, &(keel_krylov_spec){0}), KEEL_BAD_ARGUMENT);
    expect_text(keel_engine_message(e), "problem");
    keel_engine_free(e);
}

/* GMRES sees what a preconditioner makes of residuals alone: with one that is singular it would find wrong
 * solutions.  Each is refused, and everything that goes wrong in one is said of it. */
static void preconditioners_that_are_wrong(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia-3", "esdirk-4", "rodas-5p"};
    static const struct { ill ill; const char *says; } wrong[] = {
        {ZERO, "singular"}, {HALF, "singular"}, {ONE, "singular"}, {ALGEBRAIC, "singular"},
        {NOT_A_NUMBER, "not finite"}, {ONCE, "not finite"}, {NOT_HERE, "`precondition` returned 1"},
        {STOP, "`precondition` returned -7"}, {SETUP, "`precondition_setup` returned 1"}};
    double y[2 * LINE];
    char text[700];
    keel_krylov_stats done;
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int j = 0; j < 8; j++) {
            line l = {.ill = wrong[k].ill};
            keel_krylov_spec how = {.times = j % 2 ? line_times : NULL, .precondition_setup = line_setup,
                                    .precondition = line_inverse, .restart = 60};
            int rc = line_run(how, &l, methods[j / 2], y, &done, text);
            if (rc != KEEL_CALLBACK_FAILED || !strstr(text, wrong[k].says))
                fail_msg("%s, %d: status %d, error %g: %s", methods[j / 2], (int)wrong[k].ill, rc, line_error(y),
                         text);
        }
}

/* In which unit the potential is stated must not matter to the heat. */
static void units(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia-3", "esdirk-4", "rodas-5p"};
    double y[2 * LINE];
    char text[700];
    keel_krylov_stats done;
    (void)state;
    for (int j = 0; j < 8; j++) {
        line l = {.unit = 1e8};
        keel_krylov_spec how = {.times = j % 2 ? line_times : NULL, .precondition_setup = line_setup,
                                .precondition = line_inverse, .restart = 60};
        if (line_run(how, &l, methods[j / 2], y, &done, text)) fail_msg("%s: %s", methods[j / 2], text);
        if (!(line_error(y) <= 1e-5)) fail_msg("%s, %d: %g", methods[j / 2], j % 2, line_error(y));
    }
}

static int circle(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[1] + y[0] * z[0];
    f[1] = y[0] + y[1] * z[0];
    return 0;
}

static int on_circle(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

/* Without a pattern there is nothing to take the saddle matrix from. */
static void refused(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = circle, .constraint = on_circle}), KEEL_OK);
    int rc = keel_solver_create(&s, p, &(keel_options){.linear = KEEL_LINEAR_KRYLOV});
    assert_int_equal(rc, KEEL_UNSUPPORTED);
    expect_text(keel_message(s), "pattern");
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_by_iteration), cmocka_unit_test(flow_by_iteration),
        cmocka_unit_test(multipliers_where_seen),
        cmocka_unit_test(functions_of_the_program), cmocka_unit_test(failures), cmocka_unit_test(refused),
        cmocka_unit_test(preconditioners_that_are_wrong), cmocka_unit_test(units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
