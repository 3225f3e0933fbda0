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

static void permute(const whole *w, const double *serial, double *split)
{
    for (int i = 0; i < w->N + w->m; i++) split[i] = serial[w->serial ? w->serial[i] : i];
}

/* The serial run and the split one: equal to rounding. */
static void compare(const whole *w, const keel_problem *p, split_run *run, double within)
{
    int n = w->N + w->m;
    double *alone = malloc(3 * (size_t)n * sizeof *alone), *found = alone + 2 * n;
    const char *method = run->options.method;
    keel_stats stats;
    run->w = w;
    run->end = alone + n;
    for (int i = 0; i < n; i++) alone[w->serial ? w->serial[i] : i] = run->start[i];
    serial_run(p, &run->options, alone, run->t1, found, &stats);
    permute(w, found, alone);
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

/* Messages per accepted step: Newton's iterations, the error, one to accept; of diagonally implicit methods one for
 * each stage, whose two iterations go together (with the last the error of an embedded method), one to accept,
 * and half as many again for what is not as foreseen; of half-explicit methods two iterations for each stage, those
 * of hem-4 in one step and two of half the size. */
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

/* Three pendulums beside each other, joined by springs, on ropes whose length changes, as Hessenberg 3: the
 * first is on rank 0, the others on rank 1. */
enum { BALLS = 3 };

/* Places of position c of ball i, its velocity and its multiplier, in the serial vector. */
static int position(int i, int c) { return 2 * i + c; }
static int velocity(int i, int c) { return 2 * BALLS + 2 * i + c; }
static int rope(int i) { return 4 * BALLS + i; }

static const int split_order[5 * BALLS] = {0, 1, 6, 7, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14};

static void balls_rate(double t, const double *y, double *f)
{
    for (int i = 0; i < BALLS; i++)
        for (int c = 0; c < 2; c++) {
            double force = c == 1 ? -9.81 : 0.5 * sin(t);
            for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < BALLS; k++)
                force += 5 * (y[position(k, c)] - y[position(i, c)]);
            f[position(i, c)] = y[velocity(i, c)];
            f[velocity(i, c)] = force - y[position(i, c)] * y[rope(i)];
        }
}

static void balls_constraint(double t, const double *y, double *g)
{
    for (int i = 0; i < BALLS; i++) {
        const double *u = y + position(i, 0);
        g[i] = (u[0] * u[0] + u[1] * u[1] - 1 - 0.1 * sin(t)) / 2;
    }
}

static void balls_entries(const double *y, const int *place, keel_matrix *J)
{
    for (int i = 0; i < BALLS; i++)
        for (int c = 0; c < 2; c++) {
            int u = place[position(i, c)], v = place[velocity(i, c)], l = place[rope(i)], near = 0;
            for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < BALLS; k++)
                if (k != i) keel_add(J, v, place[position(k, c)], 5), near++;
            keel_add(J, u, v, 1);
            keel_add(J, v, u, -5 * near - y[rope(i)]);
            keel_add(J, v, l, -y[position(i, c)]);
            keel_add(J, l, u, y[position(i, c)]);
        }
}

/* The serial vector of the split one. */
static void balls_gather(const double *y, const double *z, double *all)
{
    for (int i = 0; i < 4 * BALLS; i++) all[split_order[i]] = y[i];
    for (int i = 0; i < BALLS; i++) all[rope(i)] = z ? z[i] : 0;
}

static int split_f(double t, const double *y, const double *z, double *f, void *context)
{
    double all[5 * BALLS], rate[4 * BALLS];
    (void)context;
    balls_gather(y, z, all);
    balls_rate(t, all, rate);
    for (int i = 0; i < 4 * BALLS; i++) f[i] = rate[split_order[i]];
    return 0;
}

static int split_g(double t, const double *y, const double *z, double *g, void *context)
{
    double all[5 * BALLS];
    (void)z, (void)context;
    balls_gather(y, NULL, all);
    balls_constraint(t, all, g);
    return 0;
}

static int split_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    double all[5 * BALLS];
    int place[5 * BALLS];
    (void)t, (void)context;
    for (int i = 0; i < 5 * BALLS; i++) place[split_order[i]] = i;
    balls_gather(y, z, all);
    balls_entries(all, place, J);
    return 0;
}

static void balls_point(const double *u, const double *v, const double *l, double *y)
{
    for (int i = 0; i < 2 * BALLS; i++) y[i] = u[i], y[2 * BALLS + i] = v ? v[i] : 0;
    for (int i = 0; i < BALLS; i++) y[rope(i)] = l ? l[i] : 0;
}

static int serial_position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    for (int i = 0; i < 2 * BALLS; i++) f[i] = v[i];
    return 0;
}

static int serial_velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                                void *context)
{
    double y[5 * BALLS], rate[4 * BALLS];
    (void)context;
    balls_point(u, v, l, y);
    balls_rate(t, y, rate);
    memcpy(k, rate + 2 * BALLS, sizeof rate / 2);
    return 0;
}

static int serial_constraint(double t, const double *u, double *g, void *context)
{
    (void)context;
    balls_constraint(t, u, g);
    return 0;
}

static int balls_time(double t, const double *u, double *g_t, void *context)
{
    (void)u, (void)context;
    for (int i = 0; i < BALLS; i++) g_t[i] = -0.05 * cos(t);
    return 0;
}

static int serial_g_u(double t, const double *u, double *g_u, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < BALLS; i++)
        for (int j = 0; j < 2 * BALLS; j++) g_u[i * 2 * BALLS + j] = j / 2 == i ? u[j] : 0;
    return 0;
}

static int serial_ball_jacobian(double t, const double *u, const double *v, const double *l, keel_matrix *J,
                                void *context)
{
    double y[5 * BALLS];
    int place[5 * BALLS];
    (void)t, (void)context;
    for (int i = 0; i < 5 * BALLS; i++) place[i] = i;
    balls_point(u, v, l, y);
    balls_entries(y, place, J);
    return 0;
}

static const whole balls_whole = {
    .form = KEEL_FORM_HESSENBERG3, .N = 4 * BALLS, .m = BALLS, .f = split_f, .g = split_g,
    .g_t = balls_time, .jacobian = split_jacobian, .cut = {4, 1}, .serial = split_order};

/* On the circle, at rest, from where the start has to find the multipliers, and velocities. */
static void balls_start(double *start)
{
    double y[5 * BALLS] = {0};
    for (int i = 0; i < BALLS; i++)
        y[position(i, 0)] = sin(0.4 + 0.7 * i), y[position(i, 1)] = -cos(0.4 + 0.7 * i);
    permute(&balls_whole, y, start);
}

/* Index 3: every level along the directions of one saddle matrix.  Accelerations are differences of
 * g_u f + g_t over 2e-4 of the scales of time, with rounding errors of 1e-12 and more of their size, and so
 * are multipliers, by which Newton's method begins the next step.  Each evaluation of that level is a
 * message. */
static void index3(void **state)
{
    static const allowed methods[] = {{"radau-iia-3", 20}, {"radau-iia", 20}, {"radau-iia-5", 20},
                                      {"hem-5", 45}, {"hem-4", 75}};
    double start[5 * BALLS];
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2 * BALLS, .velocities = 2 * BALLS, .multipliers = BALLS,
        .position_rate = serial_position_rate, .velocity_rate = serial_velocity_rate,
        .constraint = serial_constraint, .constraint_jacobian = serial_g_u, .constraint_time = balls_time,
        .jacobian = serial_ball_jacobian}),
        KEEL_OK);
    balls_start(start);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        split_run run = {.options = {.method = methods[k].method, .rtol = 1e-6}, .start = start, .t1 = 0.5};
        compare(&balls_whole, p, &run, 1e-8);
        double per_step = (double)run.messages / (double)run.stats[0].accepted;
        if (per_step > methods[k].messages) fail_msg("%s: %g messages per step", methods[k].method, per_step);
        for (int i = 0; i < 2; i++)
            if (!(run.stats[0].residual[i] <= 1e-14))
                fail_msg("level %d is left by %g", i, run.stats[0].residual[i]);
    }
    keel_problem_free(p);
}

static void flow(void **state)
{
    static const allowed methods[] = {
        {"radau-iia-3", 5}, {"bdf", 4}, {"esdirk-5", 10}, {"sdirk-4", 9}, {"gauss-3", 7},
        {"radau-iia", 5}, {"lobatto-iiic-4", 5}, {"sdirk-2", 6}, {"hem-4", 45}, {"hem-5", 45}};
    (void)state;
    if (!has_sparse()) skip();                   /* dense, bdf alone has its multipliers after every step */
    flow_through(8, methods, sizeof methods / sizeof *methods);
    flow_through(16, methods, 3);
}

/* The same by GMRES, whose incomplete factors are complete with all places in the pattern. */
static void index3_by_gmres(void **state)
{
    enum { SIZE = 5 * BALLS };
    int columns[SIZE + 1], rows[SIZE * SIZE];
    double start[SIZE], direct[SIZE], iterated[SIZE];
    keel_stats stats;
    keel_problem *p = NULL;
    (void)state;
    for (int j = 0; j <= SIZE; j++) columns[j] = SIZE * j;
    for (int k = 0; k < SIZE * SIZE; k++) rows[k] = k % SIZE;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2 * BALLS, .velocities = 2 * BALLS, .multipliers = BALLS,
        .position_rate = serial_position_rate, .velocity_rate = serial_velocity_rate,
        .constraint = serial_constraint, .constraint_time = balls_time, .jacobian = serial_ball_jacobian,
        .pattern = {.storage = KEEL_SPARSE, .column_start = columns, .row_index = rows}}), KEEL_OK);
    balls_start(iterated);
    for (int i = 0; i < SIZE; i++) start[split_order[i]] = iterated[i];
    keel_options o = {.method = "radau-iia-3", .rtol = 1e-6};
    serial_run(p, &o, start, 0.5, direct, &stats);
    o.linear = KEEL_LINEAR_KRYLOV;
    serial_run(p, &o, start, 0.5, iterated, &stats);
    double off = distance(direct, iterated, 0, 4 * BALLS);
    if (!(off <= 1e-5)) fail_msg("off by %g", off);
    for (int i = 0; i < 2; i++)
        if (!(stats.residual[i] <= 1e-13)) fail_msg("level %d is left by %g", i, stats.residual[i]);
    keel_problem_free(p);
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

/* The same on index 3, where a failure may come in a difference of a difference. */
static void failures_of_index3(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "hem-5"};
    static const int codes[] = {0, 1, -1};
    double start[5 * BALLS], good[5 * BALLS];
    (void)state;
    balls_start(start);
    for (int k = 0; k < 2; k++) {
        split_run run = {.w = &balls_whole, .options = {.method = methods[k], .rtol = 1e-3}, .start = start,
                         .t1 = 0.002, .end = good};
        split_go(&run);
        if (run.status[0] != KEEL_OK) fail_msg("%s: %s", run.options.method, run.message[0]);
        assert_int_equal(run.calls[0], run.calls[1]);
        for (long at = 1; at <= run.calls[0]; at++)
            for (int i = 0; i < 3; i++)
                spoiled(&balls_whole, run, (sabotage){.rank = (int)(at % 2), .code = codes[i], .at = at}, good,
                        1e-2);
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

/* ---- starts ---------------------------------------------------------------------------------- */

/* Both ranks end with this status and the same text, which says this. */
static void begun(const whole *w, split_run run, int status, const char *text)
{
    run.w = w;
    run.end = calloc((size_t)(w->N + w->m), sizeof *run.end);
    split_go(&run);
    if (run.team.broken) fail_msg("%s: %s", text, run.team.complaint);
    for (int k = 0; k < RANKS; k++)
        if (run.status[k] != status)
            fail_msg("%s: rank %d: %d, \"%s\"", text, k, run.status[k], run.message[k]);
    if (strcmp(run.message[0], run.message[1]) != 0)
        fail_msg("\"%s\" and \"%s\"", run.message[0], run.message[1]);
    expect_text(run.message[0], text);
    free(run.end);
}

static int none_g(double t, const double *u, const double *phi, double *g, void *context)
{
    (void)t, (void)u, (void)context;
    for (int i = 0; i < POINTS; i++) g[i] = i == POINTS - 1 ? sqrt(1 + phi[i] * phi[i]) : phi[i];
    return 0;
}

static int none_jacobian(double t, const double *u, const double *phi, keel_matrix *J, void *context)
{
    (void)t, (void)u, (void)context;
    for (int i = 0; i < POINTS; i++) {
        keel_add(J, i, i, -800);
        keel_add(J, POINTS + i, POINTS + i, i == POINTS - 1 ? phi[i] / sqrt(1 + phi[i] * phi[i]) : 1);
    }
    return 0;
}

static int one_more(double t, const double *y, const double *yp, double *value, void *context)
{
    (void)t, (void)yp, (void)context;
    value[0] = y[0];
    return 0;
}

/* What a rank finds out by itself about its initial values, both say. */
static void starts(void **state)
{
    double start[2 * POINTS] = {0}, ball[5 * BALLS];
    keel_mark marks[2 * POINTS] = {KEEL_FREE};
    whole w = rod_whole(KEEL_FORM_SEMI_EXPLICIT), none = w;
    (void)state;
    w.context = &w;
    for (int i = 0; i < 2 * POINTS; i++) start[i] = 1;
    for (int i = 0; i < 2 * POINTS; i++) marks[i] = i < POINTS ? KEEL_GUESS : KEEL_FREE;
    split_run run = {.options = {.method = "bdf", .rtol = 1e-3}, .start = start, .t1 = 1e-3, .marks = marks};
    marks[2 * POINTS - 1] = KEEL_FIXED;
    begun(&w, run, KEEL_INCONSISTENT, "of rank 1 is fixed at 1");
    marks[2 * POINTS - 1] = KEEL_FREE;
    run.further = (keel_start_spec){.equations = 1, .equation = one_more};
    begun(&w, run, KEEL_UNSUPPORTED, "initial equations");
    run.further.equations = 0;
    start[2 * POINTS - 1] = 1.3;
    none.g = none_g;
    none.jacobian = none_jacobian;
    none.context = &none;
    begun(&none, run, KEEL_INCONSISTENT, "on rank 1");
    balls_start(ball);
    ball[4] *= 1.1;                              /* a position of rank 1 */
    for (int i = 0; i < 5 * BALLS; i++) marks[i] = i == 4 ? KEEL_FIXED : KEEL_GUESS;
    run.start = ball;
    run.options.method = "radau-iia-3";
    begun(&balls_whole, run, KEEL_INCONSISTENT, "of rank 1 is fixed at");
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
    keel_problem *third = NULL;
    assert_int_equal(keel_hessenberg3(&third, &(keel_hessenberg3_spec){
        .positions = 2 * BALLS, .velocities = 2 * BALLS, .multipliers = BALLS,
        .position_rate = serial_position_rate, .velocity_rate = serial_velocity_rate,
        .constraint = serial_constraint}), KEEL_OK);
    refused(third, (keel_options){.method = "radau-iia"}, "saddle_index");
    keel_problem_free(third);
    keel_problem_free(ode);
    keel_problem_free(quasilinear);
    keel_problem_free(semi_explicit);
    keel_engine *e = NULL;
    assert_int_equal(keel_engine_create(&e, &(keel_engine_spec){.linearize = no_linearize}), KEEL_BAD_ARGUMENT);
    expect_text(keel_engine_message(e), "prepare");
    keel_engine_free(e);
    keel_engine_spec fourth = {.linearize = no_linearize, .prepare = no_prepare, .solve = no_solve,
                               .saddle_index = 4};
    assert_int_equal(keel_engine_create(&e, &fourth), KEEL_BAD_ARGUMENT);
    expect_text(keel_engine_message(e), "saddle_index");
    keel_engine_free(e);
    double start[5 * BALLS];
    balls_start(start);
    split_run run = {.options = {.method = "bdf"}, .start = start, .t1 = 0.1};
    begun(&balls_whole, run, KEEL_UNSUPPORTED, "bdf would need one");
    run.options.method = "sdirk-4";
    begun(&balls_whole, run, KEEL_UNSUPPORTED, "formulations");
    run.options.method = "auto";
    begun(&balls_whole, run, KEEL_OK, "");
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
        cmocka_unit_test(index3), cmocka_unit_test(index3_by_gmres), cmocka_unit_test(other_forms), cmocka_unit_test(flow),
        cmocka_unit_test(slopes),
        cmocka_unit_test(failures), cmocka_unit_test(failures_of_slopes),
        cmocka_unit_test(failures_of_index3),
        cmocka_unit_test(what_cannot_be), cmocka_unit_test(starts), cmocka_unit_test(one_solver_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
