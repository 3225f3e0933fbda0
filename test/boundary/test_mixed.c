/* test_mixed.c -- rows of index 1 and 2 where those of index 2 are collocated themselves:
 *
 *   mesh points projected along changes of z that leave rows of index 1 as they are [Ascher & Petzold, SIAM
 *   J. Numer. Anal. 28 (1991) 1097, (14)]: Gauss 2k, Radau IIA 2k - 1 in x at mesh points
 *
 * for a problem made for its solution x = (cos t, sin t, e^t), z = (1 + t/2, cos^2 t), p = 1.  All rows
 * have the unknown parameter, and directions depend on x, z and p.
 */
#include "test/boundary/refusal.h"

static const double right = 1.2;

static double parameter(const void *context) { return ((const keel_frame *)context)->parameters[0]; }

static int rate(double t, const double *x, const double *z, double *f, void *context)
{
    double c = cos(t), s = sin(t), e = exp(t), p = parameter(context), z1 = 1 + t / 2, z2 = c * c;
    f[0] = -s + (x[1] - s) + p * z[1] - z2 + 0.1 * (z[0] * z[1] - z1 * z2);
    f[1] = c + (z[0] - z1) * (1 + x[0] * x[0]);
    f[2] = e + 3 * (x[0] - c) + (z[0] - z1) / 2;
    return 0;
}
static int level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double c = cos(t), s = sin(t), e = exp(t), p = parameter(context), f[3];
    h[1] = x[1] + x[2] * x[0] - p * (s + e * c);
    if (k == 1) return 0;
    rate(t, x, z, f, context);
    h[0] = z[1] - p * x[0] * x[0] + 0.1 * (z[0] - 1 - t / 2) * x[1];
    h[1] = f[1] + f[2] * x[0] + x[2] * f[0] - p * (c + e * c - e * s);
    return 0;
}
static void exact(double t, double *y)
{
    double c = cos(t), all[5] = {c, sin(t), exp(t), 1 + t / 2, c * c};
    memcpy(y, all, sizeof all);
}
static int ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2] - exp(right);
    b[2] = yb[1] - sin(right);
    return 0;
}
static int guess(double t, double *y, double *p, void *context)
{
    (void)context;
    exact(t, y);
    y[0] += 0.05;
    p[0] = 1.1;
    return 0;
}

static keel_problem *problem(void)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
        .differential = 3, .algebraic = 2, .chain = (int[]){0, 1}, .rate = rate, .level = level,
        .frame = {.parameters = 1}}), KEEL_OK);
    return p;
}

/* Largest errors: of x at mesh points, of all unknowns everywhere, of p. */
typedef struct errors { double x, all, p; } errors;

static errors measure(const keel_problem *p, keel_boundary_options o)
{
    keel_boundary *w = NULL;
    errors e = {0};
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = right, .conditions = 3, .parameters = 1, .condition = ends, .guess = guess}, &o);
    if (!rc) rc = keel_boundary_solve(w);
    if (rc) fail_msg("k = %d, N = %d: %s", o.stages, o.mesh, keel_boundary_message(w));
    const keel_solution *s = keel_boundary_solution(w);
    int N = keel_solution_steps(s);
    for (int i = 0; i <= 10 * N; i++) {
        double from = keel_solution_time(s, i / 10), t = from, y[5], of[5];
        if (i % 10) t += (keel_solution_time(s, i / 10 + 1) - from) * (i % 10) / 10;
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        exact(t, of);
        for (int j = 0; j < 5; j++) {
            double error = fabs(y[j] - of[j]) / (1 + fabs(of[j]));
            e.all = fmax(e.all, error);
            if (j < 3 && i % 10 == 0) e.x = fmax(e.x, error);
        }
    }
    e.p = fabs(keel_boundary_parameters(w)[0] - 1);
    keel_boundary_free(w);
    return e;
}

/* The order of x at mesh points from N and 2N equal intervals, which are chosen so that errors are far above
 * those of rounding. */
static void expect_orders(keel_points points)
{
    static const int coarse[2][5] = {{0, 80, 20, 12, 8}, {0, 320, 96, 32, 12}};
    int radau = points == KEEL_POINTS_RADAU_IIA;
    keel_problem *p = problem();
    for (int k = 1; k <= 4; k++) {
        keel_boundary_options o = {.rtol = 1e-12, .atol = 1e-12, .uniform = 1, .no_projection = 1,
                                   .index2 = KEEL_INDEX2_PROJECTED, .points = points, .stages = k,
                                   .mesh = coarse[radau][k]};
        errors a = measure(p, o);
        o.mesh *= 2;
        errors b = measure(p, o);
        double order = log2(a.x / b.x), expected = 2 * k - radau;
        if (!(fabs(order - expected) < 0.15))
            fail_msg("points %d, k = %d, N = %d: order %.2f instead of %g (%.2e, %.2e)", (int)points, k,
                     o.mesh / 2, order, expected, a.x, b.x);
    }
    keel_problem_free(p);
}

static void gauss(void **state) { (void)state; expect_orders(KEEL_POINTS_GAUSS); }
static void radau(void **state) { (void)state; expect_orders(KEEL_POINTS_RADAU_IIA); }

/* All forms find the same solution, as accurately as it was asked for. */
static void all_forms(void **state)
{
    keel_problem *p = problem();
    (void)state;
    for (int form = KEEL_INDEX2_HIDDEN; form <= KEEL_INDEX2_PLAIN; form++) {
        keel_boundary_options o = {.rtol = 1e-8, .atol = 1e-8, .index2 = (keel_index2)form};
        errors e = measure(p, o);
        if (!(e.all <= 1e-8 && e.p <= 1e-8)) fail_msg("form %d: errors %.1e, %.1e", form, e.all, e.p);
    }
    keel_problem_free(p);
}

/* Without rows of index 2 there is nothing to project: the same solution, to the last bit. */
static void no_rows(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    double y[2][8] = {{0}};
    (void)state;
    for (int form = 0; form < 2; form++) {
        keel_boundary *w = NULL;
        assert_int_equal(keel_boundary_create(&w, &spec, &(keel_boundary_options){
            .index2 = form ? KEEL_INDEX2_PROJECTED : KEEL_INDEX2_HIDDEN}), KEEL_OK);
        assert_int_equal(keel_boundary_solve(w), KEEL_OK);
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.3, y[form]), KEEL_OK);
        keel_boundary_free(w);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    keel_problem_free(p);
}

/* ---- index 3 beside index 1 ---------------------------------------------------------------------- */

static int deep_rate(double t, const double *x, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = z[1] + 0 * z[0];
    return 0;
}
static int deep_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)context;
    h[0] = z[0] - x[0];
    h[1] = k == 2 ? x[0] - t * t : k == 1 ? x[1] - 2 * t : z[1] - 2;
    return 0;
}
static void index_three(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    int rc = keel_levelled(&p, &(keel_levelled_spec){
        .differential = 2, .algebraic = 2, .chain = (int[]){0, 2}, .next = (int[]){1, -1},
        .rate = deep_rate, .level = deep_level});
    if (rc) fail_msg("%s", keel_problem_message(p));
    refused(&(keel_boundary_spec){.problem = p, .to = 1},
            &(keel_boundary_options){.index2 = KEEL_INDEX2_PROJECTED}, KEEL_UNSUPPORTED,
            "constraint [1] has index 3");
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gauss), cmocka_unit_test(radau),
                                       cmocka_unit_test(all_forms), cmocka_unit_test(no_rows),
                                       cmocka_unit_test(index_three)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
