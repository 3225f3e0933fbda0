/* test_typical_size.c -- unknowns of any size by differences: Z w with w of size 1, Z = 1e7, 1e-6 and 1e-12.
 *
 *   linear    w = y cos t            y' = -w      in the semi-explicit, quasilinear and implicit forms
 *   curved    w^3 + w = 2 y          likewise: of Z = 1e-12 on a scale that increments of 1e-5 do not see
 *   index 2   0 = y2 - y1^2, y1' = -y1, y2' = w or w^3 + w, in the Hessenberg form and the levelled one
 *   rates     0 = w^3 + w + 2 y/Z, w = y'/Z
 *   mixed     both at once: 1e7 linear, 1e-6 curved
 *
 * The solutions follow from y alone, which must stay where it was given: errors of differences, sqrt(eps),
 * are those of Newton's matrix only.
 */
#include <math.h>
#include <string.h>

#include "test/support/run.h"

enum { MOST = 3, KINDS = 5, MANY = 300 };

static const double rtol = 1e-6, begin = 0.86;

typedef struct scaled {
    double Z;
    int curved;
} scaled;

static double rest(const scaled *s, double t, double y, double w)
{
    return s->curved ? w * w * w + w - 2 * y : w - y * cos(t);
}

/* ---- forms ---------------------------------------------------------------------------------- */

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const scaled *s = context;
    (void)t, (void)y;
    f[0] = -z[0] / s->Z;
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const scaled *s = context;
    g[0] = rest(s, t, y[0], z[0] / s->Z);
    return 0;
}

static int right_side(double t, const double *y, double *f, void *context)
{
    rate(t, y, y + 1, f, context);
    return constraint(t, y, y + 1, f + 1, context);
}

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    right_side(t, y, F, context);
    F[0] = yp[0] - F[0];
    return 0;
}

static int rate2(double t, const double *y, const double *z, double *f, void *context)
{
    const scaled *s = context;
    double w = z[0] / s->Z;
    (void)t;
    f[0] = -y[0];
    f[1] = s->curved ? w * w * w + w : w;
    return 0;
}

static int parabola(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[1] - y[0] * y[0];
    return 0;
}

/* d/dt (y2 - y1^2), and that itself. */
static int level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double f[2];
    rate2(t, y, z, f, context);
    if (k > 0) return parabola(t, y, h, context);
    h[0] = f[1] - 2 * y[0] * f[0];
    return 0;
}

static const char *const names[KINDS] = {"semi-explicit", "quasilinear", "implicit", "Hessenberg 2",
                                         "levelled"};

static int differential(int kind) { return kind < 3 ? 1 : 2; }

static keel_problem *make(int kind, scaled *s)
{
    keel_problem *p = NULL;
    int chain = 1, status = 0;
    if (kind == 0)
        status = keel_semi_explicit(&p, &(keel_semi_explicit_spec){
            .differential = 1, .algebraic = 1, .rhs = rate, .constraint = constraint, .context = s});
    if (kind == 1)
        status = keel_quasilinear(&p, &(keel_quasilinear_spec){
            .size = 2, .mass = mass, .constant_mass = 1, .rhs = right_side, .context = s});
    if (kind == 2)
        status = keel_implicit(&p, &(keel_implicit_spec){.size = 2, .residual = residual, .context = s});
    if (kind == 3)
        status = keel_hessenberg2(&p, &(keel_hessenberg2_spec){
            .differential = 2, .multipliers = 1, .rhs = rate2, .constraint = parabola, .context = s});
    if (kind == 4)
        status = keel_levelled(&p, &(keel_levelled_spec){
            .differential = 2, .algebraic = 1, .chain = &chain, .rate = rate2, .level = level, .context = s});
    assert_int_equal(status, KEEL_OK);
    return p;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* w^3 + w = c [Cardano] */
static double cubic(double c)
{
    double root = sqrt(c * c / 4 + 1.0 / 27);
    return cbrt(c / 2 + root) + cbrt(c / 2 - root);
}

static double exact_w(int kind, const scaled *s, double t, const double *y)
{
    double forced = kind < 3 ? 2 * y[0] : -2 * y[0] * y[0];
    if (s->curved) return cubic(forced);
    return kind < 3 ? y[0] * cos(t) : forced;
}

/* At t = 1: log y = log begin - sin t; curved dy = (3 w^2 + 1)/2 dw = -w dt; index 2 log y1 = log begin - t,
 * whose errors add up over some ten steps. */
static void check_end(int kind, const scaled *s, const double *y)
{
    double end = kind < 3 ? begin * exp(-sin(1.0)) : begin * exp(-1.0);
    if (kind < 3 && s->curved) {
        double w0 = cubic(2 * begin), w1 = cubic(2 * y[0]);
        double t = 0.75 * (w0 * w0 - w1 * w1) + 0.5 * log(w0 / w1);
        if (!(fabs(t - 1) < 1e3 * rtol)) fail_msg("%s, Z = %g: y belongs to t = %.9g", names[kind], s->Z, t);
    } else if (!(fabs(y[0] - end) < 1e2 * rtol))
        fail_msg("%s, Z = %g: y = %.9g, not %.9g", names[kind], s->Z, y[0], end);
}

static const double guesses[] = {0, -1, -1e7};

/* The start finds w, leaves y to the last bit, and the run follows. */
static void run(int kind, scaled *s, double guess, int sized)
{
    int d = differential(kind);
    double y[MOST] = {begin, begin * begin, 0}, atol[MOST] = {rtol, rtol, rtol};
    keel_problem *p = make(kind, s);
    keel_solver *solver;
    y[d] = guess;
    atol[d] = rtol * s->Z;
    keel_options o = {.rtol = rtol, .atol = rtol, .atol_each = sized ? atol : NULL};
    assert_int_equal(keel_solver_create(&solver, p, &o), KEEL_OK);
    int status = keel_start(solver, 0, y);
    if (status) fail_msg("%s, Z = %g, from %g: %s", names[kind], s->Z, guess, keel_message(solver));
    const double *found = keel_state(solver);
    double w = exact_w(kind, s, 0, found);
    assert_int_equal(keel_moved_count(solver), 0);
    for (int i = 0; i < d; i++) assert_true(fabs(found[i] - y[i]) <= 1e-15);
    if (!(fabs(found[d] / s->Z - w) <= 1e-6))            /* where Newton's method may leave multipliers */
        fail_msg("%s, Z = %g, from %g: w = %.9g, not %.9g", names[kind], s->Z, guess, found[d] / s->Z, w);
    status = keel_advance_to(solver, 1);
    if (status) fail_msg("%s, Z = %g, from %g: %s", names[kind], s->Z, guess, keel_message(solver));
    check_end(kind, s, keel_state(solver));
    keel_solver_free(solver);
    keel_problem_free(p);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void large_unknowns(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int curved = 0; curved < 2; curved++)
            for (int k = 0; k < 3; k++)
                for (int sized = 0; sized < 2; sized++)
                    run(kind, &(scaled){.Z = 1e7, .curved = curved}, guesses[k], sized);
}

/* Of the size that is meant, and of the wrong sign. */
static void small_unknowns(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < 2; k++)
            for (int sized = 0; sized < 2; sized++)
                run(kind, &(scaled){.Z = 1e-12, .curved = 1}, k ? -1e-12 : 0, sized);
}

/* 0 = w^3 + w + 2 y/Z, w = y'/Z: y' is sought from 0, and y/Z follows the curve of check_end for every Z. */
static int curved_rate(double t, const double *y, const double *yp, double *F, void *context)
{
    const double Z = *(const double *)context, w = yp[0] / Z;
    (void)t;
    F[0] = w * w * w + w + 2 * y[0] / Z;
    return 0;
}

static void small_rates(void **state)
{
    static const double sizes[] = {1, 1e-6, 1e-12};
    (void)state;
    for (int k = 0; k < 3; k++) {
        double Z = sizes[k], y = begin * Z, atol = rtol * Z;
        keel_problem *p;
        keel_solver *solver;
        assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){
            .size = 1, .residual = curved_rate, .context = &Z}), KEEL_OK);
        keel_options o = {.rtol = rtol, .atol_each = &atol};
        assert_int_equal(keel_solver_create(&solver, p, &o), KEEL_OK);
        expect_ok(keel_start(solver, 0, &y), solver, "small rate");
        expect_ok(keel_advance_to(solver, 1), solver, "small rate");
        check_end(0, &(scaled){.Z = Z, .curved = 1}, (double[]){keel_state(solver)[0] / Z});
        keel_solver_free(solver);
        keel_problem_free(p);
    }
}

/* w1 = y cos t with Z = 1e7, w2^3 + w2 = 2 w1 with Z = 1e-6; y' = -w1 */
static int two_rates(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = -z[0] / 1e7;
    return 0;
}

static int two_constraints(double t, const double *y, const double *z, double *g, void *context)
{
    double w1 = z[0] / 1e7, w2 = z[1] / 1e-6;
    (void)context;
    g[0] = w1 - y[0] * cos(t);
    g[1] = w2 * w2 * w2 + w2 - 2 * w1;
    return 0;
}

static void mixed_sizes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_problem *p;
        keel_solver *solver;
        double y[] = {begin, k ? -1 : 0, k ? -1e-6 : 0};
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
            .differential = 1, .algebraic = 2, .rhs = two_rates, .constraint = two_constraints}), KEEL_OK);
        keel_options o = {.rtol = rtol, .atol_each = (double[]){rtol, rtol * 1e7, rtol * 1e-6}};
        assert_int_equal(keel_solver_create(&solver, p, &o), KEEL_OK);
        expect_ok(keel_start(solver, 0, y), solver, "mixed");
        assert_int_equal(keel_moved_count(solver), 0);
        assert_true(fabs(keel_state(solver)[1] / 1e7 - begin) <= 1e-8);
        assert_true(fabs(keel_state(solver)[2] / 1e-6 - cubic(2 * begin)) <= 1e-6);
        expect_ok(keel_advance_to(solver, 1), solver, "mixed");
        assert_true(fabs(keel_state(solver)[0] - begin * exp(-sin(1.0))) < 1e2 * rtol);
        keel_solver_free(solver);
        keel_problem_free(p);
    }
}

/* Beyond what the start can tell from 0: named, and nothing has moved. */
static void too_large_is_named(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 2; k++) {
            scaled s = {.Z = 1e12};
            double y[] = {begin, guesses[k]};
            keel_problem *p = make(kind, &s);
            keel_solver *solver;
            assert_int_equal(keel_solver_create(&solver, p, &(keel_options){0}), KEEL_OK);
            int status = keel_start(solver, 0, y);
            if (status != KEEL_INCONSISTENT && status != KEEL_WRONG_INDEX)
                fail_msg("%s: %s", names[kind], keel_status_name(status));
            assert_non_null(strstr(keel_message(solver), kind ? "y[1]" : "z[0]"));
            assert_non_null(strstr(keel_message(solver), "unit"));
            keel_solver_free(solver);
            keel_problem_free(p);
        }
}

/* ---- many unknowns, which large.c starts ------------------------------------------------------ */

static int many_rates(double t, const double *y, const double *z, double *f, void *context)
{
    for (int i = 0; i < MANY; i++) rate(t, y + i, z + i, f + i, context);
    return 0;
}

static int many_constraints(double t, const double *y, const double *z, double *g, void *context)
{
    for (int i = 0; i < MANY; i++) constraint(t, y + i, z + i, g + i, context);
    return 0;
}

static void many_large_unknowns(void **state)
{
    int start[2 * MANY + 1], row[4 * MANY];
    double y[2 * MANY];
    scaled s = {.Z = 1e7};
    keel_problem *p;
    keel_solver *solver;
    (void)state;
    for (int j = 0; j <= 2 * MANY; j++) start[j] = 2 * j;
    for (int j = 0; j < 2 * MANY; j++) row[2 * j] = j % MANY, row[2 * j + 1] = MANY + j % MANY;
    for (int i = 0; i < 2 * MANY; i++) y[i] = i < MANY ? begin : 0;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = MANY, .algebraic = MANY, .rhs = many_rates, .constraint = many_constraints,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row}, .context = &s}),
        KEEL_OK);
    keel_options o = {.method = "radau-iia", .rtol = rtol};
    assert_int_equal(keel_solver_create(&solver, p, &o), KEEL_OK);
    expect_ok(keel_start(solver, 0, y), solver, "many");
    for (int i = 0; i < MANY; i++) assert_true(keel_state(solver)[i] == begin);
    for (int i = MANY; i < 2 * MANY; i++) assert_true(fabs(keel_state(solver)[i] / 1e7 - begin) <= 1e-8);
    keel_solver_free(solver);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_unknowns),
        cmocka_unit_test(small_unknowns),
        cmocka_unit_test(small_rates),
        cmocka_unit_test(mixed_sizes),
        cmocka_unit_test(too_large_is_named),
        cmocka_unit_test(many_large_unknowns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
