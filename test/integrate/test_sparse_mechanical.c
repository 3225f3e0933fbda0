/* test_sparse_mechanical.c -- sparse M and G: the same solutions as dense ones, at linear cost. */
#include <math.h>
#include <stdlib.h>

#include "integrate/integrator.h"
#include "linear/saddle.h"
#include "linear/shifted.h"
#include "problems/chain.h"
#include "problems/list.h"
#include "step/mechanical_point.h"
#include "test/support/run.h"

enum { LINKS_MOST = 2000 };

static keel_problem *dense_chain(const double *parameters)
{
    keel_problem *p = NULL;
    const keel_mechanical_spec spec = problem_chain_spec(parameters);
    assert_int_equal(keel_mechanical(&p, &spec), KEEL_OK);
    return p;
}

static keel_problem *sparse_chain(const double *parameters)
{
    keel_problem *p = NULL;
    assert_int_equal(chain_create_sparse(&p, parameters), KEEL_OK);
    return p;
}

/* From y at 0 to t; y becomes the end. */
static keel_stats run(const keel_problem *p, const keel_options *o, double t, double *y)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, o->method);
    expect_ok(keel_start(s, 0, y), s, o->method);
    expect_ok(keel_advance_to(s, t), s, o->method);
    memcpy(y, keel_state(s), (size_t)keel_problem_size(p) * sizeof *y);
    const keel_stats stats = *keel_solver_stats(s);
    keel_solver_free(s);
    return stats;
}

/* ---- the chain: sparse against dense -------------------------------------------------------- */

/* The same methods take the same steps; solutions differ by rounding, which the motion of a chain
 * amplifies by less than 1e4 here. */
static void sparse_is_dense(void **state)
{
    static const char *const methods[] = {"dop853", "auto", "radau-iia", "hem-5", "gauss-2", "rk4",
                                          "esdirk-4"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 7; k++)
        for (int links = 20; links <= 40; links += 20) {
            const double parameters[] = {links, 0.5};
            double dense[5 * 40], sparse[5 * 40];
            keel_problem *p = dense_chain(parameters), *q = sparse_chain(parameters);
            keel_options o = {.method = methods[k], .rtol = 1e-8, .atol = 1e-8,
                              .jacobian_differences = 1};
            int implicit = k == 2 || k == 4 || k == 6;
            if (implicit) o.step = 1e-3;                 /* Newton's method goes to rounding */
            if (k == 2) o.linear = KEEL_LINEAR_DENSE;    /* the general integrator for both */
            problem_chain.start(parameters, dense);
            problem_chain.start(parameters, sparse);
            const keel_stats a = run(p, &o, 0.3, dense);
            if (k == 2) o.linear = KEEL_LINEAR_SPARSE;
            const keel_stats b = run(q, &o, 0.3, sparse);
            double apart = distance(dense, sparse, 0, 4 * links);
            if (!(apart < 1e-10)) fail_msg("%s, %d links: %.3g apart", o.method, links, apart);
            assert_int_equal(a.steps, b.steps);
            int looked = k == 1 ? 12 : 0;        /* for stiffness, at the start of sparse ones */
            if (!implicit) assert_true(labs(a.rhs - b.rhs) <= 1 + looked);       /* of their starts */
            if (!implicit) assert_true(labs(a.factorizations - b.factorizations) <= looked);
            keel_problem_free(p);
            keel_problem_free(q);
        }
}

/* The nearest point, in each metric. */
static void orthogonal_projection(void **state)
{
    static const char *const methods[] = {"dop853", "radau-iia", "hem-5", "gauss-2"};
    static const keel_metric metrics[] = {KEEL_METRIC_EUCLIDEAN, KEEL_METRIC_TOLERANCE,
                                          KEEL_METRIC_MASS};
    const double parameters[] = {40, 0.5};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            double y[2][200], pulled[2][200], atol[200];
            for (int j = 0; j < 200; j++) atol[j] = 1e-6 * (1 + j % 3);
            for (int sparse = 0; sparse < 2; sparse++) {
                keel_problem *p = sparse ? sparse_chain(parameters) : dense_chain(parameters);
                keel_solver *s = NULL;
                keel_options o = {.method = methods[k], .rtol = 1e-6, .atol_each = atol,
                                  .step = 1e-3, .projection = KEEL_PROJECT_ORTHOGONAL,
                                  .metric = metrics[i], .jacobian_differences = 1};
                if (k == 1) o.linear = sparse ? KEEL_LINEAR_SPARSE : KEEL_LINEAR_DENSE;
                problem_chain.start(parameters, y[sparse]);
                expect_ok(keel_solver_create(&s, p, &o), s, o.method);
                expect_ok(keel_start(s, 0, y[sparse]), s, o.method);
                expect_ok(keel_advance_to(s, 0.05), s, o.method);
                memcpy(y[sparse], keel_state(s), sizeof y[sparse]);
                memcpy(pulled[sparse], keel_state(s), sizeof y[sparse]);
                for (int j = 0; j < 160; j++) pulled[sparse][j] += 1e-4 * cos(j);
                expect_ok(keel_project(s, 0.05, pulled[sparse]), s, o.method);
                keel_solver_free(s);
                keel_problem_free(p);
            }
            if (!(distance(y[0], y[1], 0, 160) < 1e-10 &&
                  distance(pulled[0], pulled[1], 0, 160) < 1e-10))
                fail_msg("%s, metric %d: %.1e and %.1e apart", methods[k], (int)metrics[i],
                         distance(y[0], y[1], 0, 160), distance(pulled[0], pulled[1], 0, 160));
        }
}

/* Dense output, projection on request, a second run and a restart. */
static void questions_are_answered(void **state)
{
    const double parameters[] = {40, 0.5};
    double begin[200], y[200], z[200], first[200], residual[3], t = 0;
    keel_solver *s[2] = {NULL, NULL};
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p[2] = {dense_chain(parameters), sparse_chain(parameters)};
    problem_chain.start(parameters, begin);
    for (int k = 0; k < 2; k++) {
        expect_ok(keel_solver_create(&s[k], p[k], &(keel_options){.rtol = 1e-8}), s[k], "create");
        expect_ok(keel_start(s[k], 0, begin), s[k], "start");
        expect_ok(keel_advance_to(s[k], 0.2), s[k], "advance");
        if (k == 0) t = 0.5 * (keel_previous_time(s[k]) + keel_time(s[k]));
        expect_ok(keel_interpolate(s[k], t, k ? z : y), s[k], "interpolate");
        (k ? z : y)[3] += 1e-5;
        expect_ok(keel_project(s[k], t, k ? z : y), s[k], "project");
    }
    assert_true(distance(y, z, 0, 160) < 1e-10);
    assert_true(distance(y, z, 160, 200) < 1e-7);
    memcpy(first, keel_state(s[1]), sizeof first);
    keel_residuals(s[1], residual);
    assert_true(residual[0] < 1e-14 && residual[1] < 1e-13 && residual[2] < 1e-11);
    expect_ok(keel_start(s[1], 0, begin), s[1], "start");
    expect_ok(keel_advance_to(s[1], 0.2), s[1], "advance");
    assert_memory_equal(first, keel_state(s[1]), sizeof first);
    expect_ok(keel_restart(s[1]), s[1], "restart");
    for (int k = 0; k < 2; k++) {
        keel_solver_free(s[k]);
        keel_problem_free(p[k]);
    }
}

/* ---- cost ----------------------------------------------------------------------------------- */

typedef struct cost {
    double bytes;                /* of the solver's block                                  */
    double pattern, fill;        /* nonzeros of the problem, of its factors                */
    keel_stats stats;
} cost;

/* Per link. */
static cost cost_of(int links, const char *method, double t)
{
    const double parameters[] = {links, 0.5};
    double *y = malloc(5 * (size_t)links * sizeof *y);
    keel_problem *p = sparse_chain(parameters);
    keel_solver *s = NULL;
    cost c = {.pattern = (double)p->pattern.column_start[p->n] / links};
    problem_chain.start(parameters, y);
    const double energy = chain_energy(parameters, y, y + 2 * links);
    keel_options o = {.method = method, .rtol = 1e-6, .atol = 1e-6};
    expect_ok(keel_solver_create(&s, p, &o), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, t), s, "advance");
    const double *x = keel_state(s);
    c.stats = *keel_solver_stats(s);
    c.bytes = (double)s->mode[s->modes - 1].end / links;
    assert_true(fabs(chain_energy(parameters, x, x + 2 * links) - energy) < 1e-5);
    assert_true(c.stats.residual[0] < 1e-14 && c.stats.residual[1] < 1e-13);

    mechanical_point point = {0};
    arena a = {0};
    point_layout(&a, &point, p);
    a = (arena){.base = arena_block(a.used)};
    point_layout(&a, &point, p);
    assert_int_equal(point_create(&point), KEEL_OK);
    point.y = y;
    assert_int_equal(point_evaluate(&s->eval, &point, POINT_POSITION), 0);
    assert_int_equal(point_factor(&s->eval, &point), PROJECTION_DONE);
    c.fill = (double)linear_fill(point.kkt->system, 0) / links;
    point_release(&point);
    arena_block_free(a.base);

    keel_solver_free(s);
    keel_problem_free(p);
    free(y);
    return c;
}

/* Ten times the links: the same per link, and no more evaluations than a longer transient of finer
 * waves explains. */
static void cost_is_linear(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    const cost few = cost_of(LINKS_MOST / 10, "radau-iia", 0.1);
    const cost many = cost_of(LINKS_MOST, "radau-iia", 0.1);
    assert_true(many.bytes < 1.1 * few.bytes);
    assert_true(many.pattern < 1.1 * few.pattern && many.pattern < 40);
    assert_true(many.fill < 1.1 * few.fill && many.fill < 25);
    assert_true((double)many.stats.rhs < 1.5 * (double)few.stats.rhs);
    assert_true((double)many.stats.constraint < 1.5 * (double)few.stats.constraint);
    assert_true((double)many.stats.factorizations < 1.5 * (double)few.stats.factorizations);
}

static void auto_begins_explicitly(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    const cost c = cost_of(100, "auto", 0.05);
    assert_string_equal(c.stats.method, "verner8");
    assert_true(c.stats.factorizations <= c.stats.rhs + 1);
}

/* Links are stiff in proportion to their number. */
static void auto_foresees_long_chains(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    const cost c = cost_of(400, "auto", 0.02);
    assert_string_equal(c.stats.method, "radau-iia");
    assert_true(c.stats.method_switches == 1 && c.stats.switch_time == 0);
}

/* ---- a ladder: M(q) with neighbours, springs and dampers, rows of G of two entries ------------ */

enum { RUNGS = 30, ROWS = RUNGS / 3 };

typedef struct ladder {
    double stiffness;
    int dense, given;            /* arrays; derivatives are given                          */
    int unit, free;              /* M = I; no constraints                                  */
    long calls;                  /* of the constraint                                      */
} ladder;

static void put(const ladder *s, double *a, int *at, int columns, int i, int j, double value)
{
    if (s->dense) a[i * columns + j] = value;
    else a[(*at)++] = value;
}

static int ladder_mass(double t, const double *q, double *M, void *context)
{
    const ladder *s = context;
    int at = 0;
    (void)t;
    if (s->dense) memset(M, 0, RUNGS * RUNGS * sizeof *M);
    for (int j = 0; j < RUNGS; j++)
        for (int i = j - 1; i <= j + 1; i++) {
            if (i < 0 || i >= RUNGS) continue;
            put(s, M, &at, RUNGS, i, j, i == j ? 2 + 0.2 * sin(q[j]) : 0.3 * cos(q[i] + q[j]));
        }
    return 0;
}

static int ladder_force(double t, const double *q, const double *v, double *f, void *context)
{
    const ladder *s = context;
    for (int i = 0; i < RUNGS; i++) {
        double below = i > 0 ? q[i - 1] : 0, above = i + 1 < RUNGS ? q[i + 1] : sin(t);
        f[i] = s->stiffness * (below - 2 * q[i] + above) - 0.1 * s->stiffness * v[i];
    }
    return 0;
}

static int ladder_force_jacobian(double t, const double *q, const double *v, double *f_q,
                                 double *f_v, void *context)
{
    const ladder *s = context;
    int at = 0, again = 0;
    (void)t, (void)q, (void)v;
    if (s->dense) memset(f_q, 0, RUNGS * RUNGS * sizeof *f_q);
    if (s->dense) memset(f_v, 0, RUNGS * RUNGS * sizeof *f_v);
    for (int j = 0; j < RUNGS; j++)
        for (int i = j - 1; i <= j + 1; i++) {
            if (i < 0 || i >= RUNGS) continue;
            put(s, f_q, &at, RUNGS, i, j, s->stiffness * (i == j ? -2 : 1));
            put(s, f_v, &again, RUNGS, i, j, i == j ? -0.1 * s->stiffness : 0);
        }
    return 0;
}

/* Not quadratic, and moving. */
static int ladder_constraint(double t, const double *q, double *g, void *context)
{
    ((ladder *)context)->calls++;
    for (int k = 0; k < ROWS; k++) g[k] = q[3 * k] + sin(q[3 * k + 1]) - 0.1 * sin(t) * (k + 1);
    return 0;
}

static int ladder_jacobian(double t, const double *q, double *G, void *context)
{
    const ladder *s = context;
    int at = 0;
    (void)t;
    if (s->dense) memset(G, 0, ROWS * RUNGS * sizeof *G);
    for (int j = 0; j < RUNGS; j++)
        if (j % 3 < 2) put(s, G, &at, RUNGS, j / 3, j, j % 3 ? cos(q[j]) : 1);
    return 0;
}

static int ladder_time(double t, const double *q, double *g_t, void *context)
{
    (void)q, (void)context;
    for (int k = 0; k < ROWS; k++) g_t[k] = -0.1 * cos(t) * (k + 1);
    return 0;
}

static int ladder_curvature(double t, const double *q, const double *v, double *gamma,
                            void *context)
{
    (void)context;
    for (int k = 0; k < ROWS; k++)
        gamma[k] = 0.1 * sin(t) * (k + 1) - sin(q[3 * k + 1]) * v[3 * k + 1] * v[3 * k + 1];
    return 0;
}

typedef struct ladder_pattern {
    int start[RUNGS + 1], row[3 * RUNGS];
} ladder_pattern;

static keel_pattern neighbours(ladder_pattern *p)
{
    int count = 0;
    for (int j = 0; j < RUNGS; j++) {
        p->start[j] = count;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < RUNGS) p->row[count++] = i;
    }
    p->start[RUNGS] = count;
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = p->start, .row_index = p->row};
}

static keel_pattern rungs(ladder_pattern *p)
{
    int count = 0;
    for (int j = 0; j < RUNGS; j++) {
        p->start[j] = count;
        if (j % 3 < 2) p->row[count++] = j / 3;
    }
    p->start[RUNGS] = count;
    return (keel_pattern){.storage = KEEL_SPARSE, .column_start = p->start, .row_index = p->row};
}

static keel_mechanical_spec ladder_spec(ladder *s, ladder_pattern arrays[2])
{
    keel_mechanical_spec spec = {.positions = RUNGS, .constraints = s->free ? 0 : ROWS,
                                 .force = ladder_force, .constraint = ladder_constraint,
                                 .context = s};
    if (!s->unit) spec.mass = ladder_mass;
    if (s->given) {
        spec.constraint_jacobian = ladder_jacobian;
        spec.constraint_time = ladder_time;
        spec.curvature = ladder_curvature;
        spec.force_jacobian = ladder_force_jacobian;
    }
    if (s->dense) return spec;
    spec.force_pattern = neighbours(&arrays[0]);
    if (!s->unit) spec.mass_pattern = spec.force_pattern;
    if (!s->free) spec.constraint_pattern = rungs(&arrays[1]);
    return spec;
}

static long ladder_run(ladder s, const keel_options *o, double *y)
{
    ladder_pattern arrays[2];
    const keel_mechanical_spec spec = ladder_spec(&s, arrays);
    keel_problem *p = NULL;
    if (keel_mechanical(&p, &spec)) fail_msg("%s", keel_problem_message(p));
    memset(y, 0, (2 * RUNGS + ROWS) * sizeof *y);
    for (int i = 0; i < RUNGS; i++) y[i] = 0.02 * (i % 4), y[RUNGS + i] = 0.01 * i;
    for (int k = 0; k < ROWS; k++) {             /* on the constraint, at both levels */
        y[3 * k] = -sin(y[3 * k + 1]);
        y[RUNGS + 3 * k] = 0.1 * (k + 1) - cos(y[3 * k + 1]) * y[RUNGS + 3 * k + 1];
    }
    run(p, o, 0.5, y);
    keel_problem_free(p);
    return s.calls;
}

static void ladders_agree(void **state)
{
    static const struct { const char *method; double stiffness, rtol, apart; } c[] = {
        {"auto", 1, 1e-9, 1e-10}, {"hem-5", 1, 1e-8, 1e-10}, {"radau-iia", 1e4, 1e-8, 1e-8},
        {"gauss-3", 100, 1e-8, 1e-8}, {"bdf", 1, 1e-5, 1e-4}};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 5; k++)
        for (int kind = 0; kind < 4; kind++) {
            ladder s = {.stiffness = c[k].stiffness, .given = kind % 2 == 0, .unit = kind > 1,
                        .free = kind == 3, .dense = 1};
            keel_options o = {.method = c[k].method, .rtol = c[k].rtol, .atol = c[k].rtol};
            double dense[2 * RUNGS + ROWS], sparse[2 * RUNGS + ROWS];
            if (k == 2) {                        /* another integrator: a reference, not a twin */
                o.linear = KEEL_LINEAR_DENSE;
                o.rtol = o.atol = 1e-3 * c[k].rtol;
            }
            ladder_run(s, &o, dense);
            s.dense = 0;
            o.rtol = o.atol = c[k].rtol;
            o.linear = KEEL_LINEAR_AUTO;
            ladder_run(s, &o, sparse);
            double limit = s.given ? c[k].apart : fmax(1e-8, c[k].apart);
            double apart = distance(dense, sparse, 0, 2 * RUNGS);
            if (!(apart < limit)) fail_msg("%s, kind %d: %.3g apart", c[k].method, kind, apart);
        }
}

/* The hidden constraint with the matrix of index 3: as exact as asked for, and on all levels. */
static void bdf_follows_a_sparse_chain(void **state)
{
    enum { LINKS = 40 };
    const double parameters[] = {LINKS, 0.5};
    double exact[5 * LINKS], y[5 * LINKS];
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    bundled_problem_find("chain")->start(parameters, exact);
    run(p, &(keel_options){.method = "auto", .rtol = 1e-11, .atol = 1e-11}, 0.5, exact);
    for (double rtol = 1e-5; rtol > 5e-9; rtol /= 10) {
        bundled_problem_find("chain")->start(parameters, y);
        const keel_stats stats = run(p, &(keel_options){.method = "bdf", .rtol = rtol, .atol = rtol},
                                     0.5, y);
        double apart = distance(y, exact, 0, 2 * LINKS);
        if (!(apart <= 10 * rtol)) fail_msg("%g: %.3g apart", rtol, apart);
        for (int level = 0; level < 2; level++) assert_true(stats.residual[level] < 1e-13);
    }
    keel_problem_free(p);
}

/* Columns of G that share no row move together: three of them would be 1, but for a third of the
 * columns, which are empty, one evaluation per point serves all. */
static void differences_share_evaluations(void **state)
{
    double y[2 * RUNGS + ROWS];
    const keel_options o = {.method = "dopri5", .rtol = 1e-6, .atol = 1e-6};
    (void)state;
    if (!has_sparse()) skip();
    long dense = ladder_run((ladder){.stiffness = 1, .dense = 1}, &o, y);
    long sparse = ladder_run((ladder){.stiffness = 1}, &o, y);
    assert_true(5 * sparse < dense);
}

/* ---- what does not go together ---------------------------------------------------------------- */

static void expect_problem(const keel_mechanical_spec *spec, const char *part)
{
    keel_problem *p = NULL;
    assert_true(keel_mechanical(&p, spec) < 0);
    expect_text(keel_problem_message(p), part);
    keel_problem_free(p);
}

static void wrong_patterns_are_refused(void **state)
{
    ladder s = {.stiffness = 1, .given = 1};
    ladder_pattern arrays[2];
    const keel_mechanical_spec good = ladder_spec(&s, arrays);
    keel_mechanical_spec spec = good;
    (void)state;
    spec.mass_pattern = (keel_pattern){0};
    expect_problem(&spec, "mass_pattern must be sparse");
    spec = good;
    spec.constraint_pattern = (keel_pattern){0};
    expect_problem(&spec, "constraint_pattern must be sparse");
    spec = good;
    spec.constraint_pattern = good.mass_pattern; /* rows beyond those of G */
    expect_problem(&spec, "between 0 and 9");
    spec = good;
    spec.constraint_pattern.row_index = NULL;
    expect_problem(&spec, "sparse constraint_pattern needs column_start");
    spec = good;
    spec.force_pattern = (keel_pattern){0};
    expect_problem(&spec, "nonzeros of force_pattern");
    spec = (keel_mechanical_spec){.positions = 10000, .force = ladder_force};
    expect_problem(&spec, "give sparse patterns of M and G");
}

static void expect_solver(const keel_problem *p, const keel_options *o, const char *part)
{
    keel_solver *s = NULL;
    assert_int_equal(keel_solver_create(&s, p, o), KEEL_UNSUPPORTED);
    expect_text(keel_message(s), part);
    keel_solver_free(s);
}

static void dense_ways_are_refused_by_name(void **state)
{
    const double parameters[] = {40, 0.5};
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters), *f = NULL;
    expect_solver(p, &(keel_options){.linear = KEEL_LINEAR_MECHANICAL}, "needs dense matrices");
    expect_solver(p, &(keel_options){.method = "dimsim"}, "index1 works with dense matrices");
    assert_int_equal(keel_formulate(&f, p, &(keel_formulation){.name = "index2"}),
                     KEEL_UNSUPPORTED);
    expect_text(keel_problem_message(f), "sparse: solve it as it is");
    keel_problem_free(f);
    keel_problem_free(p);
}

/* ---- long chains ----------------------------------------------------------------------------- */

/* The error of G in J is amplified by the condition of G M^-1 G^T: it must have none. */
static void the_jacobian_has_the_given_constraint(void **state)
{
    const double parameters[] = {500, 0.5};
    double *y = malloc(2500 * sizeof *y), *yp = calloc(2500, sizeof *yp);
    int *start = malloc(1001 * sizeof *start), *row = malloc(2000 * sizeof *row);
    double *G = malloc(2000 * sizeof *G);
    keel_solver *s = NULL;
    arena a = {0};
    coloring colors = {0};
    keel_matrix J = {0};
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    problem_chain.start(parameters, y);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    for (int pass = 0; pass < 2; pass++) {
        coloring_layout(&a, &colors, p);
        problem_matrix_layout(&a, &J, p);
        if (pass == 0) a = (arena){.base = arena_block(a.used)};
    }
    coloring_build(&colors, p);
    assert_int_equal(eval_jacobian(&s->eval, &colors, 0, y, yp, &J), 0);
    chain_constraint_pattern(parameters, start, row);
    chain_constraint_nonzeros(0, y, G, (void *)parameters);
    for (int j = 0; j < 1000; j++)
        for (int k = start[j]; k < start[j + 1]; k++) {
            assert_true(matrix_get(&J, 2000 + row[k], j) == G[k]);
            assert_true(matrix_get(&J, 1000 + j, 2000 + row[k]) == -G[k]);
        }
    arena_block_free(a.base);
    keel_solver_free(s);
    keel_problem_free(p);
    free(y), free(yp), free(start), free(row), free(G);
}

/* Energy in proportion to the tolerance, 1e-6 of 7.36: what Newton's method leaves of velocities must
 * not add up.  `auto` changes to Radau IIA at t = 0.03. */
static void energy_of_long_chains(void **state)
{
    const double parameters[] = {400, 0.5};
    double *y = malloc(2000 * sizeof *y);
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    problem_chain.start(parameters, y);
    double before = chain_energy(parameters, y, y + 800);
    keel_stats stats = run(p, &(keel_options){.rtol = 1e-6, .atol = 1e-6}, 1, y);
    assert_int_equal(stats.method_switches, 1);
    double change = chain_energy(parameters, y, y + 800) - before;
    if (!(fabs(change) < 5e-5)) fail_msg("energy changed by %.2e", change);
    keel_problem_free(p);
    free(y);
}

/* ---- the start ------------------------------------------------------------------------------- */

static void the_start_projects(void **state)
{
    const double parameters[] = {40, 0.5};
    double y[200], residual[3];
    keel_mark marks[200] = {0};
    keel_solver *s = NULL;
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    problem_chain.start(parameters, y);
    for (int i = 0; i < 80; i++) y[i] += 1e-3 * cos(i), y[80 + i] = 0.1 * sin(3 * i);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    keel_residuals(s, residual);
    assert_true(residual[0] < 1e-14 && residual[1] < 1e-12 && residual[2] < 1e-9);
    assert_true(keel_moved_count(s) > 0);
    assert_true(distance(y, keel_state(s), 0, 80) < 0.1);

    for (int i = 0; i < 160; i++) marks[i] = i == 7 || i == 90 ? KEEL_FIXED : KEEL_GUESS;
    for (int i = 160; i < 200; i++) marks[i] = KEEL_FREE;
    expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "fixed");
    assert_true(keel_state(s)[7] == y[7] && keel_state(s)[90] == y[90]);
    keel_residuals(s, residual);
    assert_true(residual[0] < 1e-14 && residual[1] < 1e-12 && residual[2] < 1e-9);
    marks[0] = marks[1] = KEEL_FIXED;            /* both ends of the first rod */
    expect_status(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT, s, "contradiction");
    expect_text(keel_message(s), "position g[0]");

    memset(y, 0, 160 * sizeof *y);               /* all masses in one point: G = 0 */
    expect_status(keel_start(s, 0, y), KEEL_REDUNDANT, s, "redundant");
    expect_text(keel_message(s), "depends on the others");
    keel_solver_free(s);
    keel_problem_free(p);
}

/* The same point, whatever the storage: the smallest change, multipliers with it. */
static void the_start_is_that_of_dense_matrices(void **state)
{
    const double parameters[] = {40, 0.5};
    double y[200], x[2][200];
    keel_mark marks[200] = {KEEL_GUESS};
    (void)state;
    if (!has_sparse()) skip();
    problem_chain.start(parameters, y);
    for (int i = 0; i < 80; i++) y[i] += 1e-3 * cos(i), y[80 + i] = 0.1 * sin(3 * i);
    marks[7] = marks[90] = KEEL_FIXED;
    for (int i = 160; i < 200; i++) marks[i] = KEEL_FREE;
    for (int k = 0; k < 2; k++) {
        keel_problem *p = k ? sparse_chain(parameters) : dense_chain(parameters);
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p, NULL), s, "create");
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "start");
        memcpy(x[k], keel_state(s), sizeof x[k]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    assert_true(distance(x[0], x[1], 0, 160) < 1e-10);
    assert_true(distance(x[0], x[1], 160, 200) < 1e-7);
}

/* Multipliers that are fixed stay if they are right. */
static void fixed_multipliers_of_sparse_problems(void **state)
{
    const double parameters[] = {40, 0.5};
    double y[200];
    keel_mark marks[200] = {KEEL_GUESS};
    keel_solver *s = NULL;
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    problem_chain.start(parameters, y);
    for (int i = 160; i < 200; i++) marks[i] = KEEL_FREE;
    marks[170] = KEEL_FIXED;
    y[170] *= 1 + 1e-9;
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia-3"}), s, "create");
    expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "right");
    assert_true(keel_state(s)[170] == y[170]);
    y[170] += 1;
    expect_status(keel_start_marked(s, 0, y, NULL, marks), KEEL_INCONSISTENT, s, "wrong");
    expect_text(keel_message(s), keel_variable_name(p, 170));
    keel_solver_free(s);
    keel_problem_free(p);
}

/* A start that fails takes the factors away, but not the run. */
static void a_failed_start_leaves_the_run(void **state)
{
    static const char *const methods[] = {"verner8", "euler", "radau-iia", "hem-5"};
    const double parameters[] = {30, 0.5};
    (void)state;
    if (!has_sparse()) skip();
    keel_problem *p = sparse_chain(parameters);
    for (int k = 0; k < 4; k++) {
        double y[150], z[150] = {0}, end[2][150];
        problem_chain.start(parameters, y);
        for (int disturbed = 0; disturbed < 2; disturbed++) {
            keel_solver *s = NULL;
            keel_options o = {.method = methods[k], .rtol = 1e-4, .atol = 1e-4};
            if (k == 1) o.step = 1e-3;           /* its only stage is the accepted point */
            if (k == 1) o.initial = KEEL_INITIAL_GIVEN;      /* which the start goes to */
            expect_ok(keel_solver_create(&s, p, &o), s, methods[k]);
            expect_ok(keel_start(s, 0, y), s, methods[k]);
            for (int i = 0; i < 5; i++) expect_ok(keel_step(s), s, methods[k]);
            if (disturbed) assert_true(keel_start(s, 0, z) < 0);
            for (int i = 0; i < 5; i++) expect_ok(keel_step(s), s, methods[k]);
            memcpy(end[disturbed], keel_state(s), sizeof end[0]);
            keel_solver_free(s);
        }
        assert_true(distance(end[0], end[1], 0, 120) < 1e-13);
    }
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense), cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(cost_is_linear), cmocka_unit_test(auto_begins_explicitly),
        cmocka_unit_test(auto_foresees_long_chains),
        cmocka_unit_test(bdf_follows_a_sparse_chain), cmocka_unit_test(ladders_agree),
        cmocka_unit_test(differences_share_evaluations),
        cmocka_unit_test(wrong_patterns_are_refused),
        cmocka_unit_test(dense_ways_are_refused_by_name), cmocka_unit_test(the_start_projects),
        cmocka_unit_test(orthogonal_projection),
        cmocka_unit_test(the_jacobian_has_the_given_constraint),
        cmocka_unit_test(energy_of_long_chains),
        cmocka_unit_test(the_start_is_that_of_dense_matrices),
        cmocka_unit_test(fixed_multipliers_of_sparse_problems),
        cmocka_unit_test(a_failed_start_leaves_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
