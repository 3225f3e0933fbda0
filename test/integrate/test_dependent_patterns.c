/* test_dependent_patterns.c -- constraints that depend on each other in Hessenberg and levelled problems
 * with sparse patterns: a chain of point masses, some rods of which are given again three times as large.
 * That changes neither the motion nor the force l_1 + 3 l_2, whose smallest parts have l_2 = 3 l_1. */
#include <math.h>
#include <stdlib.h>

#include "test/support/run.h"

enum { LEVELLED, HESSENBERG3, HESSENBERG2, KINDS, MOST = 400 };
static const char *const form_names[] = {"levelled", "Hessenberg 3", "Hessenberg 2"};

typedef struct chain {
    int links, every;            /* every so many-th rod again; 0: none                    */
    double longer;               /* what that asks for besides                             */
    int idle;                    /* the first mass is free of rod 0: l_0 acts on nothing   */
    int band;                    /* the pattern is a band, however wide                    */
} chain;

static int again(const chain *c) { return c->every ? c->links / c->every : 0; }
static int rows_of(const chain *c) { return c->links + again(c); }
static int rod_of(const chain *c, int k) { return k < c->links ? k : (k - c->links + 1) * c->every - 1; }
static double factor_of(const chain *c, int k) { return k < c->links ? 1 : 3; }

/* x_i - x_(i-1) */
static double edge(const double *x, int rod, int d)
{
    return x[2 * rod + d] - (rod ? x[2 * rod - 2 + d] : 0);
}

static double product(const double *a, const double *b, int rod)
{
    return edge(a, rod, 0) * edge(b, rod, 0) + edge(a, rod, 1) * edge(b, rod, 1);
}

static int lengths(double t, const double *q, double *g, void *context)
{
    const chain *c = context;
    (void)t;
    for (int k = 0; k < rows_of(c); k++)
        g[k] = factor_of(c, k) * (product(q, q, rod_of(c, k)) - 1) / 2 + (k < c->links ? 0 : c->longer);
    return 0;
}

/* a = (0, -1) - G^T l */
static void accelerations(const chain *c, const double *q, const double *l, double *a)
{
    for (int i = 0; i < 2 * c->links; i++) a[i] = i % 2 ? -1 : 0;
    for (int k = c->idle; k < rows_of(c); k++)
        for (int d = 0; d < 2; d++) {
            int rod = rod_of(c, k);
            double force = factor_of(c, k) * l[k] * edge(q, rod, d);
            a[2 * rod + d] -= force;
            if (rod) a[2 * rod - 2 + d] += force;
        }
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u;
    memcpy(f, v, 2 * (size_t)((chain *)context)->links * sizeof *f);
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                         void *context)
{
    (void)t, (void)v;
    accelerations(context, u, l, k);
    return 0;
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const chain *c = context;
    position_rate(t, y, y + 2 * c->links, f, context);
    return velocity_rate(t, y, y, z, f + 2 * c->links, context);
}

static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const chain *c = context;
    const double *v = y + 2 * c->links;
    double a[MOST];
    if (k == 2) return lengths(t, y, h, context);
    accelerations(c, y, z, a);
    for (int i = 0; i < rows_of(c); i++) {
        int rod = rod_of(c, i);
        h[i] = factor_of(c, i) * (k == 1 ? product(y, v, rod) : product(y, a, rod) + product(v, v, rod));
    }
    return 0;
}

static int velocities(double t, const double *y, double *g, void *context)
{
    return level(t, y, y, 1, g, context);
}

/* The link of an unknown or equation. */
static int link_of(const chain *c, int i)
{
    int L = c->links;
    return i < 4 * L ? i % (2 * L) / 2 : rod_of(c, i - 4 * L);
}

static keel_pattern pattern_of(const chain *c)
{
    static int start[MOST + 1], row[MOST * MOST / 4];
    int n = 4 * c->links + rows_of(c), count = 0;
    if (c->band) return (keel_pattern){KEEL_BAND, n - 1, n - 1, NULL, NULL};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (abs(link_of(c, i) - link_of(c, j)) <= 2) row[count++] = i;
        start[j + 1] = count;
    }
    return (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
}

/* [0 I 0; k_u 0 k_l; g_u 0 0] */
static int jacobian(double t, const double *u, const double *v, const double *l, keel_matrix *J,
                    void *context)
{
    const chain *c = context;
    int L = c->links;
    (void)t, (void)v;
    for (int i = 0; i < 2 * L; i++) keel_put(J, i, 2 * L + i, 1);
    for (int k = 0; k < rows_of(c); k++)
        for (int d = 0; d < 2; d++) {
            int rod = rod_of(c, k);
            double w = factor_of(c, k), e = edge(u, rod, d), acts = k >= c->idle;
            for (int end = 0; end < 2; end++) {          /* of the rod: where the force acts */
                int i = 2 * (rod - end) + d;
                if (i < 0) continue;
                double sign = end ? 1 : -1;
                keel_add(J, 2 * L + i, 4 * L + k, acts * sign * w * e);
                keel_add(J, 2 * L + i, 2 * rod + d, acts * sign * w * l[k]);
                if (rod) keel_add(J, 2 * L + i, 2 * rod - 2 + d, -acts * sign * w * l[k]);
                keel_add(J, 4 * L + k, i, -sign * w * e);
            }
        }
    return 0;
}

static keel_problem *problem_of(int which, chain *c)
{
    static int links[MOST], next[MOST];
    keel_problem *p = NULL;
    int L = c->links, m = rows_of(c), rc;
    for (int k = 0; k < m; k++) links[k] = 2;
    for (int i = 0; i < 4 * L; i++) next[i] = i < 2 * L ? 2 * L + i : -1;
    keel_pattern pattern = pattern_of(c);
    if (which == LEVELLED)
        rc = keel_levelled(&p, &(keel_levelled_spec){.differential = 4 * L, .algebraic = m, .next = next,
            .chain = links, .rate = rate, .level = level, .pattern = pattern, .context = c});
    else if (which == HESSENBERG3)
        rc = keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2 * L, .velocities = 2 * L,
            .multipliers = m, .position_rate = position_rate, .velocity_rate = velocity_rate,
            .constraint = lengths, .jacobian = jacobian, .pattern = pattern, .context = c});
    else
        rc = keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 4 * L, .multipliers = m,
            .rhs = rate, .constraint = velocities, .pattern = pattern, .context = c});
    if (rc) fail_msg("%s: %s", form_names[which], keel_problem_message(p));
    return p;
}

/* Hanging in a curve, at rest. */
static void begin(const chain *c, double *y)
{
    memset(y, 0, MOST * sizeof *y);
    for (int i = 0; i < c->links; i++) {
        double angle = 0.5 + 1.0 * i / c->links;
        y[2 * i] = (i ? y[2 * i - 2] : 0) + cos(angle);
        y[2 * i + 1] = (i ? y[2 * i - 1] : 0) - sin(angle);
    }
}

static keel_stats run(int which, chain *c, const keel_options *o, double *y, char *remark)
{
    keel_problem *p = problem_of(which, c);
    keel_solver *s = NULL;
    keel_stats stats = {0};
    begin(c, y);
    expect_ok(keel_solver_create(&s, p, o), s, o->method);
    int rc = keel_start(s, 0, y);
    strcpy(remark, keel_message(s));
    if (!rc) rc = keel_advance_to(s, 0.5);
    if (rc) fail_msg("%s, %s, %d links: %s", form_names[which], o->method, c->links, keel_message(s));
    memcpy(y, keel_state(s), (size_t)(4 * c->links + rows_of(c)) * sizeof *y);
    stats = *keel_solver_stats(s);
    keel_solver_free(s);
    keel_problem_free(p);
    return stats;
}

/* Links below 6 make a pattern that is factored as a dense matrix.  One-sided differences know f_z to 1e-7
 * of f, which is ten times as large, so that l_2 = 3 l_1 to 1e-5. */
static void compare(int which, int links, const keel_options *o)
{
    double plain[MOST], twice[MOST];
    char none[700], remark[700];
    chain with = {.links = links, .every = 3}, without = {.links = links};
    const keel_stats a = run(which, &without, o, plain, none), b = run(which, &with, o, twice, remark);
    double apart = distance(plain, twice, 0, 4 * links), allowed = o->step > 0 ? 1e-9 : 1e-5;
    if (!(apart < allowed) || b.steps > a.steps + a.steps / 2 + 5)
        fail_msg("%s, %s, %d links: %.1e apart, %ld and %ld steps", form_names[which], o->method, links,
                 apart, a.steps, b.steps);
    if (!strstr(remark, "depend on each other")) fail_msg("%s", remark);
    for (int k = links; k < rows_of(&with); k++) {
        int rod = rod_of(&with, k);
        double first = twice[4 * links + rod], second = twice[4 * links + k];
        double force = plain[4 * links + rod];
        if (!(fabs(second - 3 * first) < 1e-5 * (1 + fabs(second))) ||
            !(fabs(first + 3 * second - force) < (o->step > 0 ? 1e-5 : 1e-3) * (1 + fabs(force))))
            fail_msg("%s, %s, %d links, rod %d: %.12g and %.12g for %.12g", form_names[which], o->method,
                     links, rod, first, second, force);
    }
}

static void constant_steps(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "gauss-3", "esdirk-4", "bdf-3", "hem-5", "dop853"};
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < KINDS; which++)
        for (int k = 0; k < (which == LEVELLED ? 6 : 5); k++)
            for (int links = 4; links <= 20; links += 16) {
                if (which == HESSENBERG3 && k == 3) continue;     /* BDF solves ggl instead */
                compare(which, links, &(keel_options){.method = methods[k], .step = 1.0 / 128});
            }
}

static void variable_steps(void **state)
{
    static const char *const methods[] = {"auto", "radau-iia", "gauss-3", "bdf", "hem-5"};
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < KINDS; which++)
        for (int k = 0; k < 5; k++) {
            if (which == HESSENBERG3 && k == 3) continue;
            compare(which, 20, &(keel_options){.method = methods[k], .rtol = 1e-7, .atol = 1e-7});
        }
}

static void rows_are_named(void **state)
{
    double y[MOST];
    char remark[700];
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < 2 * KINDS; which++) {
        chain c = {.links = 20, .every = 17, .band = which >= KINDS};
        run(which % KINDS, &c, &(keel_options){.method = "radau-iia", .rtol = 1e-5}, y, remark);
        if (!strstr(remark, "g[16], g[20] depend on each other") || !strstr(remark, "rank 20, not 21"))
            fail_msg("%s: %s", form_names[which % KINDS], remark);
    }
}

/* A rod that is to be of two lengths, from a point beside; and one length from there. */
static void contradictions(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < HESSENBERG2; which++)
        for (int wrong = 0; wrong < 2; wrong++) {
            chain c = {.links = 20, .every = 17, .longer = wrong ? 1e-3 : 0};
            keel_problem *p = problem_of(which, &c);
            keel_solver *s = NULL;
            double y[MOST], residual[3];
            begin(&c, y);
            for (int i = 0; i < 80; i++) y[i] += 1e-3 * cos(i);
            expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6}), s,
                      "create");
            expect_status(keel_start(s, 0, y), wrong ? KEEL_INCONSISTENT : KEEL_OK, s, form_names[which]);
            if (wrong && (!strstr(keel_message(s), "g[16]") || !strstr(keel_message(s), "g[20]")))
                fail_msg("%s", keel_message(s));
            if (!wrong) {
                keel_residuals(s, residual);
                assert_true(residual[0] < 1e-13 && residual[1] < 1e-12);
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* The rows are independent, but a multiplier acts on nothing: no redundancy, and refused. */
static void not_determined(void **state)
{
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < KINDS; which++) {
        chain c = {.links = 20, .idle = 1};
        keel_problem *p = problem_of(which, &c);
        keel_solver *s = NULL;
        double y[MOST];
        begin(&c, y);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia", .rtol = 1e-6}), s,
                  "create");
        expect_status(keel_start(s, 0, y), KEEL_WRONG_INDEX, s, form_names[which]);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* A run that is saved half-way and goes on elsewhere ends in the same bits, and one that is asked. */
static void interruptions(void **state)
{
    static const char *const methods[] = {"radau-iia", "bdf"};
    const char *path = "dependent_patterns.checkpoint";
    (void)state;
    if (!has_sparse()) skip();
    for (int which = 0; which < KINDS; which++)
        for (int k = 0; k < (which == HESSENBERG3 ? 1 : 2); k++) {
            chain c = {.links = 20, .every = 3};
            keel_problem *p = problem_of(which, &c);
            keel_solver *s[3] = {NULL, NULL, NULL};
            double y[MOST], asked[MOST], residual[3];
            for (int i = 0; i < 3; i++) {
                begin(&c, y);
                expect_ok(keel_solver_create(&s[i], p, &(keel_options){.method = methods[k], .rtol = 1e-6}),
                          s[i], methods[k]);
                if (i < 2) expect_ok(keel_start(s[i], 0, y), s[i], methods[k]);
                if (i < 2) expect_ok(keel_advance(s[i], 0.25), s[i], methods[k]);
                if (i == 0) expect_ok(keel_solver_save(s[i], path), s[i], "save");
            }
            memcpy(asked, keel_state(s[1]), (size_t)(80 + rows_of(&c)) * sizeof *asked);
            for (int i = 0; i < 80; i++) asked[i] += 1e-4 * sin(i);
            expect_ok(keel_project(s[1], 0.25, asked), s[1], "project");
            keel_residuals(s[1], residual);
            expect_ok(keel_solver_load(s[2], path), s[2], "load");
            for (int i = 0; i < 3; i++) expect_ok(keel_advance_to(s[i], 0.5), s[i], methods[k]);
            for (int i = 1; i < 3; i++)
                assert_memory_equal(keel_state(s[0]), keel_state(s[i]),
                                    (size_t)(80 + rows_of(&c)) * sizeof *asked);
            for (int i = 0; i < 3; i++) keel_solver_free(s[i]);
            keel_problem_free(p);
        }
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_steps), cmocka_unit_test(variable_steps), cmocka_unit_test(rows_are_named),
        cmocka_unit_test(contradictions), cmocka_unit_test(not_determined), cmocka_unit_test(interruptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
