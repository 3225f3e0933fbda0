/* test_attached_index3.c -- the energy of a hanging chain attached to it, as a mechanical problem, in
 * Hessenberg form of index 3 and levelled, all with sparse patterns: kept to rounding together with position and
 * velocity, met at the start, the same as with dense matrices, by memory in proportion to the links.
 */
#include <math.h>
#include <stdlib.h>

#include "integrate/integrator.h"
#include "problems/chain.h"
#include "problems/list.h"
#include "test/support/run.h"

enum { LINKS = 20, MANY = 1000, POSITION = 0, VELOCITY = 1, ENERGY = 3 };
static const double gravity = 9.81, load = 0.5;

/* The parameters come first: that is all the callbacks of the bundled problem know of. */
typedef struct chain {
    double parameters[2];
    int rows;                    /* attached                                               */
    double value[2];             /* which they are to have; or                             */
    int kept;                    /* that of the start                                      */
    int twin;                    /* the second row is the first constraint                 */
    int calls;
} chain;

static int links_of(const chain *c) { return (int)c->parameters[0]; }

static double mass_of(const chain *c, int i)
{
    return 1.0 / links_of(c) + (i == links_of(c) - 1 ? load : 0);
}

/* ---- attached rows -------------------------------------------------------------------------- */

static int rows(double t, const double *y, double *h, void *context)
{
    chain *c = context;
    const int n = links_of(c);
    (void)t;
    for (int k = 0; k < c->rows; k++) {
        h[k] = (k + 1) * (chain_energy(c->parameters, y, y + 2 * n) - c->value[k]);
        if (k == 1 && c->twin) h[k] = (y[0] * y[0] + y[1] * y[1]) * n - 1.0 / n;
    }
    return 0;
}

static int gradients(double t, const double *y, double *H, void *context)
{
    const chain *c = context;
    const int n = links_of(c), size = 5 * n;
    (void)t;
    memset(H, 0, (size_t)(c->rows * size) * sizeof *H);
    for (int k = 0; k < c->rows; k++)
        for (int i = 0; i < 2 * n && !(k == 1 && c->twin); i++) {
            H[k * size + i] = (k + 1) * (i % 2) * mass_of(c, i / 2) * gravity;
            H[k * size + 2 * n + i] = (k + 1) * mass_of(c, i / 2) * y[2 * n + i];
        }
    for (int i = 0; i < 2 && c->twin; i++) H[size + i] = 2 * n * y[i];
    return 0;
}

static keel_attached attached(const chain *c)
{
    static const int kept[2] = {1, 1};
    static const char *const names[2] = {"energy", "other"};
    return (keel_attached){.rows = c->rows, .value = rows, .jacobian = gradients,
                           .kept = c->kept ? kept : NULL, .names = names};
}

/* ---- mechanical ----------------------------------------------------------------------------- */

static keel_problem *mechanical(chain *c, int sparse)
{
    const size_t columns = 2 * (size_t)links_of(c) + 1;
    int *block = calloc(6 * columns, sizeof *block);
    int *mass_start = block, *mass_row = mass_start + columns, *start = mass_row + columns;
    int *row = start + columns, *none = row + 2 * columns;
    keel_mechanical_spec spec = problem_chain_spec(c->parameters);
    keel_problem *p = NULL;
    chain_mass_pattern(c->parameters, mass_start, mass_row);
    chain_constraint_pattern(c->parameters, start, row);
    spec.context = c;
    spec.attached = attached(c);
    spec.force_jacobian = NULL;
    if (sparse) {
        spec.mass = chain_mass_nonzeros;
        spec.constraint_jacobian = chain_constraint_nonzeros;
        spec.mass_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, mass_start, mass_row};
        spec.constraint_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
        spec.force_pattern = (keel_pattern){KEEL_SPARSE, 0, 0, none, none};
    }
    int rc = keel_mechanical(&p, &spec);
    if (rc) fail_msg("%s", keel_problem_message(p));
    free(block);
    return p;
}

/* ---- Hessenberg, index 3 -------------------------------------------------------------------- */

static void rod(const chain *c, const double *q, int i, double e[2])
{
    for (int k = 0; k < 2; k++) e[k] = (q[2 * i + k] - (i > 0 ? q[2 * i - 2 + k] : 0)) * links_of(c);
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u;
    memcpy(f, v, 2 * (size_t)links_of(context) * sizeof *f);
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k, void *context)
{
    const chain *c = context;
    (void)t, (void)v;
    for (int i = 0; i < links_of(c); i++) {
        double here[2], next[2] = {0, 0};
        rod(c, u, i, here);
        if (i + 1 < links_of(c)) rod(c, u, i + 1, next);
        for (int j = 0; j < 2; j++)
            k[2 * i + j] = -j * gravity - (here[j] * l[i] - (i + 1 < links_of(c) ? next[j] * l[i + 1] : 0)) /
                                              mass_of(c, i);
    }
    return 0;
}

static int constraint(double t, const double *u, double *g, void *context)
{
    const chain *c = context;
    (void)t;
    for (int i = 0; i < links_of(c); i++) {
        double e[2];
        rod(c, u, i, e);
        g[i] = (e[0] * e[0] + e[1] * e[1] - 1) / (2 * links_of(c));
    }
    return 0;
}

static int time_part(double t, const double *u, double *g_t, void *context)
{
    (void)t, (void)u;
    memset(g_t, 0, (size_t)links_of(context) * sizeof *g_t);
    return 0;
}

/* g_u and k_l of rod r at p_i, (G^T l)_u between its ends */
static void put_rod(const chain *c, const double *u, double l, int r, keel_matrix *J)
{
    const int n = links_of(c);
    double e[2];
    rod(c, u, r, e);
    for (int end = 0; end < (r > 0 ? 2 : 1); end++)
        for (int k = 0; k < 2; k++) {
            int i = r - end, at = 2 * i + k;
            double sign = end ? -1 : 1;
            keel_put(J, 4 * n + r, at, sign * e[k]);
            keel_put(J, 2 * n + at, 4 * n + r, -sign * e[k] / mass_of(c, i));
            keel_add(J, 2 * n + at, at, -n * l / mass_of(c, i));
            if (r > 0) keel_put(J, 2 * n + at, 2 * (r - 1 + end) + k, n * l / mass_of(c, i));
        }
}

static int jacobian(double t, const double *u, const double *v, const double *l, keel_matrix *J, void *context)
{
    chain *c = context;
    (void)t, (void)v;
    c->calls++;
    for (int i = 0; i < 2 * links_of(c); i++) keel_put(J, i, 2 * links_of(c) + i, 1);
    for (int r = 0; r < links_of(c); r++) put_rod(c, u, l[r], r, J);
    return 0;
}

static keel_problem *hessenberg(chain *c, int sparse)
{
    const int n = links_of(c), size = 5 * n;
    int *start = malloc((size_t)(size + 1) * sizeof *start), *row = malloc(8 * (size_t)size * sizeof *row), at = 0;
    keel_problem *p = NULL;
    for (int j = 0; j < size; j++) {
        const int i = (j % (2 * n)) / 2, k = j % 2, r = j - 4 * n;
        start[j] = at;
        for (int o = i > 0 ? i - 1 : 0; o <= i + 1 && o < n && j < 2 * n; o++) row[at++] = 2 * n + 2 * o + k;
        for (int o = i; o <= i + 1 && o < n && j < 2 * n; o++) row[at++] = 4 * n + o;
        if (j >= 2 * n && j < 4 * n) row[at++] = j - 2 * n;
        for (int o = r > 0 ? 2 * r - 2 : 0; o <= 2 * r + 1 && r >= 0; o++) row[at++] = 2 * n + o;
    }
    start[size] = at;
    keel_hessenberg3_spec spec = {.positions = 2 * n, .velocities = 2 * n, .multipliers = n,
                                  .position_rate = position_rate, .velocity_rate = velocity_rate,
                                  .constraint = constraint, .constraint_time = time_part,
                                  .jacobian = jacobian, .attached = attached(c), .context = c};
    if (sparse) spec.pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    int rc = keel_hessenberg3(&p, &spec);
    if (rc) fail_msg("%s", keel_problem_message(p));
    free(start);
    free(row);
    return p;
}

/* ---- levelled ------------------------------------------------------------------------------- */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const int n = links_of(context);
    memcpy(f, y + 2 * n, 2 * (size_t)n * sizeof *f);
    return velocity_rate(t, y, y + 2 * n, z, f + 2 * n, context);
}

/* g, G v, G v' + |(rod)'|^2 / n */
static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    chain *c = context;
    const int n = links_of(c);
    const double *v = y + 2 * n;
    double a[10 * LINKS];
    if (k == 2) return constraint(t, y, h, c);
    if (k == 0) velocity_rate(t, y, v, z, a, c);
    for (int i = 0; i < n; i++) {
        double e[2], change[2];
        rod(c, y, i, e);
        rod(c, k ? v : a, i, change);
        h[i] = (e[0] * change[0] + e[1] * change[1]) / n;
        rod(c, v, i, change);
        if (k == 0) h[i] += (change[0] * change[0] + change[1] * change[1]) / n;
    }
    return 0;
}

/* Of all rows that may contain unknown j: those of the masses and rods beside it. */
static keel_problem *levelled(chain *c, int sparse)
{
    const int n = links_of(c), size = 5 * n;
    int *start = malloc((size_t)(size + 1) * sizeof *start), *row = malloc(20 * (size_t)size * sizeof *row), at = 0;
    int next[10 * LINKS], lengths[2 * LINKS];
    keel_problem *p = NULL;
    for (int j = 0; j < size; j++) {
        const int i = j < 4 * n ? j % (2 * n) / 2 : j - 4 * n;
        start[j] = at;
        if (j >= 2 * n && j < 4 * n) row[at++] = j - 2 * n;
        for (int o = 2 * (i - 1); o < 2 * (i + 2); o++)
            if (o >= 0 && o < 2 * n) row[at++] = 2 * n + o;
        for (int o = i - 1; o <= i + 2; o++)
            if (o >= 0 && o < n) row[at++] = 4 * n + o;
    }
    start[size] = at;
    for (int i = 0; i < 4 * n; i++) next[i] = i < 2 * n ? 2 * n + i : -1;
    for (int i = 0; i < n; i++) lengths[i] = 2;
    keel_levelled_spec spec = {.differential = 4 * n, .algebraic = n, .next = next, .chain = lengths, .rate = rate,
                               .level = level, .attached = attached(c), .context = c};
    if (sparse) spec.pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    int rc = keel_levelled(&p, &spec);
    if (rc) fail_msg("%s", keel_problem_message(p));
    free(start);
    free(row);
    return p;
}

typedef keel_problem *maker(chain *c, int sparse);
static maker *const makers[] = {mechanical, hessenberg, levelled};
static const char *const written[] = {"mechanical", "hessenberg", "levelled"};

/* ---- runs ----------------------------------------------------------------------------------- */

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

/* Constant steps, Newton's method to rounding, which the motion amplifies by less than 1e4.  Hessenberg form:
 * steps that are projected along directions of the new point, the same in both ways. */
static void sparse_is_dense(void **state)
{
    static const char *const methods[] = {"dop853", "radau-iia", "hem-5", "gauss-2", "esdirk-4", "bdf-2"};
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 3; which++)
        for (int k = which ? 2 : 0; k < (which ? 4 : 6); k++) {
            double y[2][5 * LINKS];
            for (int sparse = 0; sparse < 2; sparse++) {
                chain c = {.parameters = {LINKS, 0.5}, .rows = 1, .kept = 1};
                keel_problem *p = makers[which](&c, sparse);
                keel_options o = {.method = methods[k], .rtol = 1e-8, .atol = 1e-8, .step = 1e-3};
                if (k == 1) o.linear = sparse ? KEEL_LINEAR_SPARSE : KEEL_LINEAR_DENSE;
                problem_chain.start(c.parameters, y[sparse]);
                const keel_stats a = run(p, &o, 0.1, y[sparse]);
                if (!(a.residual[POSITION] < 1e-14 && a.residual[VELOCITY] < 1e-12 && a.residual[ENERGY] < 2e-14))
                    fail_msg("%s, %s: residuals %.1e %.1e, energy %.1e", written[which], methods[k],
                             a.residual[POSITION], a.residual[VELOCITY], a.residual[ENERGY]);
                keel_problem_free(p);
            }
            double apart = distance(y[0], y[1], 0, 4 * LINKS);
            if (!(apart < 1e-10)) fail_msg("%s, %s: %.1e apart", written[which], methods[k], apart);
        }
}

/* Of the same point, in both metrics; it is far from the chain. */
static void the_nearest_point(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 3; which++)
        for (int metric = 0; metric < 2; metric++) {
            double y[2][5 * LINKS], atol[5 * LINKS];
            for (int j = 0; j < 5 * LINKS; j++) atol[j] = 1e-6 * (1 + j % 3);
            for (int sparse = 0; sparse < 2; sparse++) {
                chain c = {.parameters = {LINKS, 0.5}, .rows = 1, .kept = 1};
                keel_problem *p = makers[which](&c, sparse);
                keel_solver *s = NULL;
                keel_options o = {.method = "gauss-2", .rtol = 1e-6, .atol_each = atol, .step = 1e-3,
                                  .projection = KEEL_PROJECT_ORTHOGONAL,
                                  .metric = metric ? KEEL_METRIC_TOLERANCE : KEEL_METRIC_EUCLIDEAN};
                problem_chain.start(c.parameters, y[sparse]);
                expect_ok(keel_solver_create(&s, p, &o), s, "create");
                expect_ok(keel_start(s, 0, y[sparse]), s, "start");
                for (int j = 0; j < 4 * LINKS; j++) y[sparse][j] += 1e-4 * cos(2.0 * j);
                expect_ok(keel_project(s, 0, y[sparse]), s, "project");
                keel_solver_free(s);
                keel_problem_free(p);
            }
            double apart = distance(y[0], y[1], 0, 4 * LINKS);
            if (!(apart < 1e-9)) fail_msg("%s, metric %d: %.1e apart", written[which], metric, apart);
        }
}

/* Memory of the solver per link. */
static double keep(int which, const char *method, int links, double t)
{
    chain c = {.parameters = {links, 0.5}, .rows = 1, .kept = 1};
    keel_problem *p = makers[which](&c, 1);
    keel_solver *s = NULL;
    double *y = malloc(5 * (size_t)links * sizeof *y);
    problem_chain.start(c.parameters, y);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-6, .atol = 1e-6}), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, t), s, method);
    const keel_stats *a = keel_solver_stats(s);
    keel_invariant found;
    assert_int_equal(keel_invariant_at(s, 0, &found), KEEL_OK);
    assert_string_equal(found.name, "energy");
    if (!(a->residual[POSITION] < 1e-14 && a->residual[VELOCITY] < 1e-12 && found.largest < 1e-13))
        fail_msg("%s, %s, %d links: residuals %.1e %.1e, energy %.1e", written[which], method, links,
                 a->residual[POSITION], a->residual[VELOCITY], found.largest);
    double bytes = (double)s->mode[s->modes - 1].end / links;
    keel_solver_free(s);
    keel_problem_free(p);
    free(y);
    return bytes;
}

static void energy_is_kept(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "dop853", "hem-5", "esdirk-4", "bdf-2"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 5; k++) keep(0, methods[k], 200, 0.05);
    keep(1, "radau-iia", 200, 0.02);
    keep(1, "hem-5", 200, 0.02);
}

static void memory_is_linear(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 2; which++) {
        double few = keep(which, "radau-iia", MANY / 10, 1e-3), many = keep(which, "radau-iia", MANY, 1e-3);
        if (!(many < 1.1 * few)) fail_msg("%s: %g bytes a link, %g", written[which], few, many);
    }
}

/* ---- start ---------------------------------------------------------------------------------- */

static keel_solver *begun(const keel_problem *p, const double *y, const keel_mark *marks, int expected)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6}), s, "create");
    expect_status(keel_start_marked(s, 0, y, NULL, marks), expected, s, "start");
    return s;
}

/* On a line, turning about the upper end. */
static void turning(const chain *c, double *y)
{
    problem_chain.start(c->parameters, y);
    for (int i = 0; i < 2 * LINKS; i++) y[2 * LINKS + i] = 0.01 * y[i / 2 * 2 + 1 - i % 2] * (i % 2 ? -1 : 1);
}

/* It is to have some energy more. */
static void start_meets_the_value(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 3; which++)
        for (int fixed = 0; fixed < 2; fixed++) {
            chain c = {.parameters = {LINKS, 0.5}, .rows = 1};
            double y[5 * LINKS], residual[KEEL_LEVELS_MOST], h;
            keel_mark marks[5 * LINKS] = {0};
            turning(&c, y);
            c.value[0] = chain_energy(c.parameters, y, y + 2 * LINKS) + 1e-3;
            for (int i = 0; i < 4 * LINKS; i++) marks[i] = KEEL_FIXED;
            for (int i = 4 * LINKS; i < 5 * LINKS; i++) marks[i] = KEEL_FREE;
            keel_problem *p = makers[which](&c, 1);
            keel_solver *s = begun(p, y, fixed ? marks : NULL, fixed ? KEEL_INCONSISTENT : KEEL_OK);
            if (fixed) expect_text(keel_message(s), "energy");
            rows(0, keel_state(s), &h, &c);
            if (!fixed) keel_residuals(s, residual);
            if (!fixed && !(fabs(h) < 1e-13 && residual[POSITION] < 1e-14 && residual[VELOCITY] < 1e-13))
                fail_msg("%s: %.1e %.1e, energy %.1e", written[which], residual[POSITION], residual[VELOCITY], h);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* Twice the same row, a row that is a constraint, and two that contradict each other. */
static void rows_that_depend(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 3; which++)
        for (int kind = 0; kind < 3; kind++) {
            chain c = {.parameters = {LINKS, 0.5}, .rows = 2, .kept = kind == 0, .twin = kind == 1};
            double y[5 * LINKS];
            turning(&c, y);
            c.value[0] = chain_energy(c.parameters, y, y + 2 * LINKS);
            c.value[1] = c.value[0] + (kind == 2 ? 1e-3 : 0);
            if (kind == 0) c.value[0] = c.value[1] = 0;
            keel_problem *p = makers[which](&c, 1);
            keel_solver *s = begun(p, y, NULL, kind == 2 ? KEEL_INCONSISTENT : KEEL_OK);
            if (kind == 2) {
                expect_text(keel_message(s), "energy");
                expect_text(keel_message(s), "other");
                expect_text(keel_message(s), "cannot be met better");
            } else {
                expect_ok(keel_advance_to(s, 0.05), s, written[which]);
                const double *residual = keel_solver_stats(s)->residual;
                if (!(residual[POSITION] < 1e-14 && residual[VELOCITY] < 1e-12 && residual[ENERGY] < 1e-13))
                    fail_msg("%s, %d: %.1e %.1e, energy %.1e", written[which], kind, residual[POSITION],
                             residual[VELOCITY], residual[ENERGY]);
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense),       cmocka_unit_test(the_nearest_point),
        cmocka_unit_test(energy_is_kept),        cmocka_unit_test(memory_is_linear),
        cmocka_unit_test(start_meets_the_value), cmocka_unit_test(rows_that_depend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
