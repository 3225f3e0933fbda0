/* test_attached_sparse.c -- conserved quantities of large sparse problems, attached: kept to rounding together
 * with the levels, met at the start, by arrays no larger than the rows that are attached.
 *
 *   flow   y' = c(y) + G^T z, 0 = G y (Hessenberg 2) with y^T c(y) = 0, so that |y|^2 is conserved:
 *          c_j = y_(j+1) w_j - y_(j-1) w_(j-1),  w_j = y_j + y_(j+1);  G: weighted sums of four
 *   heat   u' = n^2 (second differences), insulated ends (ODE): the sum of u is conserved
 */
#include <math.h>
#include <stdlib.h>

#include "integrate/integrator.h"
#include "test/support/run.h"

enum { GROUP = 4, MOST = 4000 };

typedef struct flow { int n, m; double energy; } flow;

static double weight(int j) { return 1 + 0.5 * cos(3.0 * j); }

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const flow *c = context;
    (void)t;
    for (int j = 0; j < c->n; j++) {
        f[j] = weight(j) * z[j / GROUP];
        if (j + 1 < c->n) f[j] += y[j + 1] * (y[j] + y[j + 1]);
        if (j > 0) f[j] -= y[j - 1] * (y[j - 1] + y[j]);
    }
    return 0;
}

static int constraint(double t, const double *y, double *g, void *context)
{
    const flow *c = context;
    (void)t;
    for (int k = 0; k < c->m; k++) {
        g[k] = 0;
        for (int j = k * GROUP; j < (k + 1) * GROUP; j++) g[k] += weight(j) * y[j];
    }
    return 0;
}

static int energy(double t, const double *y, double *h, void *context)
{
    const flow *c = context;
    (void)t;
    h[0] = -c->energy;
    for (int j = 0; j < c->n; j++) h[0] += y[j] * y[j] / c->n;
    return 0;
}

static int energy_jacobian(double t, const double *y, double *H, void *context)
{
    const flow *c = context;
    (void)t;
    memset(H, 0, (size_t)(c->n + c->m) * sizeof *H);
    for (int j = 0; j < c->n; j++) H[j] = 2 * y[j] / c->n;
    return 0;
}

/* attached: 0 not, 1 kept, 2 the value c->energy */
static keel_problem *create(flow *c, int attached)
{
    static int start[MOST + MOST / GROUP + 1], row[5 * MOST + MOST];
    static const int kept[1] = {1};
    keel_problem *p = NULL;
    int at = 0;
    for (int j = 0; j < c->n + c->m; j++) {
        start[j] = at;
        int first = j < c->n ? j - 1 : (j - c->n) * GROUP, last = j < c->n ? j + 1 : first + GROUP - 1;
        for (int i = first < 0 ? 0 : first; i <= last && i < c->n; i++) row[at++] = i;
        if (j < c->n) row[at++] = c->n + j / GROUP;
    }
    start[c->n + c->m] = at;
    keel_hessenberg2_spec spec = {.differential = c->n, .multipliers = c->m, .rhs = rhs,
                                  .constraint = constraint, .context = c,
                                  .pattern = {KEEL_SPARSE, 0, 0, start, row}};
    if (attached)
        spec.attached = (keel_attached){.rows = 1, .value = energy, .jacobian = energy_jacobian,
                                        .kept = attached == 1 ? kept : NULL};
    assert_int_equal(keel_hessenberg2(&p, &spec), KEEL_OK);
    return p;
}

static double y[MOST + MOST / GROUP], plain[MOST + MOST / GROUP];

static void begin(const flow *c)
{
    memset(y, 0, sizeof y);
    for (int j = 0; j < c->n; j++) y[j] = sin(0.7 * j) + 0.3 * cos(0.05 * j);
}

/* To t; the largest residuals of all steps are in the statistics. */
static keel_stats run(const keel_problem *p, const char *method, double tolerance, double t)
{
    keel_solver *s = NULL;
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    expect_ok(keel_solver_create(&s, p, &o), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, t), s, method);
    memcpy(y, keel_state(s), (size_t)keel_problem_size(p) * sizeof *y);
    const keel_stats stats = *keel_solver_stats(s);
    keel_solver_free(s);
    return stats;
}

static void energy_is_kept(void **state)
{
    static const char *const methods[] = {"radau-iia", "bdf", "hem-5", "esdirk-4", "auto"};
    (void)state;
    if (!has_sparse()) skip();
    for (int k = 0; k < 5; k++) {
        flow c = {MOST, MOST / GROUP, 0};
        keel_problem *p = create(&c, 0), *q = create(&c, 1);
        assert_true(problem_is_sparse(q));
        double tolerance = k == 3 ? 1e-4 : 1e-5;
        begin(&c);
        const keel_stats a = run(p, methods[k], tolerance, 0.2);
        memcpy(plain, y, sizeof y);
        begin(&c);
        const keel_stats b = run(q, methods[k], tolerance, 0.2);
        double apart = distance(plain, y, 0, c.n);
        if (!(b.residual[0] < 1e-13 && b.residual[2] < 1e-14))
            fail_msg("%s: residuals %.1e %.1e %.1e", methods[k], b.residual[0], b.residual[1], b.residual[2]);
        if (!(apart < 100 * tolerance)) fail_msg("%s: %.2e apart", methods[k], apart);
        if (labs(b.steps - a.steps) > 2 + a.steps / 5)
            fail_msg("%s: %ld steps, without it %ld", methods[k], b.steps, a.steps);
        keel_problem_free(p);
        keel_problem_free(q);
    }
}

/* Small enough for dense matrices as well: the same point, sparse and dense, by keel_project. */
static void the_nearest_point(void **state)
{
    double found[2][250], base[250];
    (void)state;
    if (!has_sparse()) skip();
    flow c = {200, 50, 0.6};
    for (int dense = 0; dense < 2; dense++) {
        keel_problem *p = create(&c, 2);
        keel_solver *s = NULL;
        double far[250] = {0};
        const keel_pattern pattern = p->pattern;
        if (dense) p->pattern = (keel_pattern){0};       /* all of it is dense from here on */
        assert_int_equal(problem_is_sparse(p), !dense);
        begin(&c);
        keel_options o = {.method = "radau-iia", .rtol = 1e-6};
        expect_ok(keel_solver_create(&s, p, &o), s, "create");
        expect_ok(keel_start(s, 0, y), s, "start");
        if (!dense) memcpy(base, keel_state(s), sizeof base);
        for (int j = 0; j < 250; j++) far[j] = base[j] + 1e-3 * cos(2.0 * j);
        expect_ok(keel_project(s, 0, far), s, "project");
        memcpy(found[dense], far, sizeof far);
        keel_solver_free(s);
        p->pattern = pattern;
        keel_problem_free(p);
    }
    double apart = distance(found[0], found[1], 0, 200);
    if (!(apart < 1e-9)) fail_msg("%.2e apart", apart);
}

/* A large problem comes to the value that is asked for, and stays where nothing can. */
static void starts_beside(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int possible = 0; possible < 2; possible++) {
        flow c = {MOST, MOST / GROUP, possible ? 0.6 : -1};
        keel_problem *p = create(&c, 2);
        keel_solver *s = NULL;
        double h, residual[KEEL_LEVELS_MOST];
        begin(&c);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-6}), s, "create");
        int rc = keel_start(s, 0, y);
        if (!possible) {
            assert_int_equal(rc, KEEL_INCONSISTENT);
        } else {
            expect_ok(rc, s, "start");
            energy(0, keel_state(s), &h, &c);
            keel_residuals(s, residual);
            assert_true(fabs(h) < 1e-13 && residual[0] < 1e-13);
        }
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- heat ------------------------------------------------------------------------------------ */

static int heat(double t, const double *u, double *f, void *context)
{
    const int n = *(const int *)context;
    (void)t;
    for (int j = 0; j < n; j++)
        f[j] = ((j > 0 ? u[j - 1] - u[j] : 0) + (j + 1 < n ? u[j + 1] - u[j] : 0)) * n;
    return 0;
}

static int content(double t, const double *u, double *h, void *context)
{
    const int n = *(const int *)context;
    (void)t;
    h[0] = 0;
    for (int j = 0; j < n; j++) h[0] += u[j] / n;
    return 0;
}

static int content_jacobian(double t, const double *u, double *H, void *context)
{
    const int n = *(const int *)context;
    (void)t, (void)u;
    for (int j = 0; j < n; j++) H[j] = 1.0 / n;
    return 0;
}

static void heat_is_kept(void **state)
{
    static const char *const methods[] = {"bdf", "radau-iia"};
    static const int kept[1] = {1};
    int n = 5000;
    double *u = malloc((size_t)n * sizeof *u);
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        keel_ode_spec spec = {.size = n, .rhs = heat, .context = &n,
                              .pattern = {.storage = KEEL_BAND, .lower = 1, .upper = 1},
                              .attached = {.rows = 1, .value = content, .jacobian = content_jacobian, .kept = kept}};
        assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
        for (int j = 0; j < n; j++) u[j] = 1 + cos(10.0 * j / n);
        keel_options o = {.method = methods[k], .rtol = 1e-4};
        expect_ok(keel_solver_create(&s, p, &o), s, methods[k]);
        expect_ok(keel_start(s, 0, u), s, methods[k]);
        expect_ok(keel_advance_to(s, 1), s, methods[k]);
        assert_true(keel_solver_stats(s)->residual[0] < 1e-13);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(the_nearest_point),
        cmocka_unit_test(starts_beside),
        cmocka_unit_test(heat_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
