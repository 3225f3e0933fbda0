/* test_proper.c -- properly stated leading terms: matrices, start, ranks, orders, and what happens
 * to those that are not stated so.
 *
 * gear-petzold with s stages of Radau IIA: u = f is exact, and z = -u' is the derivative of its
 * interpolation polynomial of degree s at the last node: order s in z, hence in y = f - eta x z.
 * The formulation naive with stages (A, C = diag(c)) leads to
 *
 *   ((1 + eta) I + eta (C A^-1 - A^-1 C)) Z = eta C A^-1 1 z_n + (terms without z),
 *
 * whose last row is z_(n+1) = R z_n + ... with R = -(-1)^s s eta / (1 + s eta) for s = 1, 2, 3:
 * errors grow for eta < -1/(2s), whatever the step size.  [Hairer, Lubich & Roche 1989, p. 22, for
 * s = 1]
 */
#include "problems/list.h"
#include "test/problem/evaluators.h"

/* ---- matrices ------------------------------------------------------------------------------ */

static void mass_matrix(void **state)
{
    const double y[3] = {0.8, 1.3, 0.7}, yp[3] = {0.1, 0.2, -0.4};
    const double expected[9] = {0, 0, 1 + 0.8 * 0.8, 0, 0, 1.3, 0, 0, 0};
    probe context = {0};
    (void)state;
    keel_problem *p = new_problem(&forms[FORM_PROPER], GIVEN, &context);
    keel_matrix M = new_matrix(p);
    bench b;
    bench_open(&b, p);
    assert_int_equal(eval_mass(&b.eval, &b.colors, 0.2, y, yp, &M), 0);
    for (int i = 0; i < 9; i++) assert_true(matrix_get(&M, i / 3, i % 3) == expected[i]);
    assert_int_equal(problem_mass_constant(p), 0);
    free(M.values);
    bench_free(&b);
    keel_problem_free(p);
}

/* Of the form in test/support/forms.h at t, by hand: A d' + b with any x'. */
static void naive_residual(void **state)
{
    const double t = 0.3, x[2] = {0.8, 1.3}, xp[2] = {-0.6, 0.4};
    double A[2], d_x[2], b[2], r[2];
    probe context = {0};
    keel_problem *o = new_problem(&forms[FORM_PROPER], GIVEN, &context), *p = NULL;
    (void)state;
    assert_int_equal(keel_formulate(&p, o, &(keel_formulation){.name = "naive"}), KEEL_OK);
    proper_matrix(t, x, A, &context);
    proper_term_jacobian(t, x, d_x, &context);
    proper_rest(t, x, b, &context);
    double rate = d_x[0] * xp[0] + d_x[1] * xp[1] + x[0] * x[0] * x[1];
    bench e;
    bench_open(&e, p);
    assert_int_equal(eval_residual(&e.eval, t, x, xp, r), 0);
    for (int i = 0; i < 2; i++) assert_true(fabs(r[i] + A[i] * rate + b[i]) < 1e-10);
    bench_free(&e);
    keel_problem_free(p);
    keel_problem_free(o);
}

/* (w, -A w - b, d - u) for (x, u, w). */
static void augmented_residual(void **state)
{
    const double t = 0.3, y[4] = {0.8, 1.3, 0.9, -0.2}, yp[4] = {0};
    double A[2], d, b[2], r[4];
    probe context = {0};
    keel_problem *o = new_problem(&forms[FORM_PROPER], GIVEN, &context), *p = NULL;
    (void)state;
    assert_int_equal(keel_formulate(&p, o, &(keel_formulation){.name = "augmented"}), KEEL_OK);
    assert_string_equal(keel_variable_name(p, 3), "u[0]'");
    proper_matrix(t, y, A, &context);
    proper_term(t, y, &d, &context);
    proper_rest(t, y, b, &context);
    const double expected[4] = {y[3], -A[0] * y[3] - b[0], -A[1] * y[3] - b[1], d - y[2]};
    bench e;
    bench_open(&e, p);
    assert_int_equal(eval_residual(&e.eval, t, y, yp, r), 0);
    assert_true(distance(r, expected, 0, 4) < 1e-15);
    bench_free(&e);
    keel_problem_free(p);
    keel_problem_free(o);
}

/* ---- start --------------------------------------------------------------------------------- */

static void u_follows_from_x(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        probe context = {0};
        double y[3] = {1, 1, 77}, moved[3] = {1.02, 1, 0};
        keel_problem *p = new_problem(&forms[FORM_PROPER], (derivatives)given, &context);
        keel_solver *s = NULL;
        expect_ok(keel_solver_create(&s, p, NULL), s, "create");
        expect_ok(keel_start(s, 0, y), s, "a wrong u");
        assert_true(distance(keel_state(s), (double[]){1, 1, 1}, 0, 3) < 1e-14);
        expect_ok(keel_start(s, 0, moved), s, "an inconsistent x");
        const double *x = keel_state(s);
        assert_true(fabs(x[1] * x[1] - 1 + x[0] - 1) < 1e-12);
        assert_true(fabs(x[2] - x[0] * x[0] * x[1]) < 1e-12);
        assert_true(fabs(x[0] - 1) < 0.03 && fabs(x[1] - 1) < 0.03);
        keel_mark marks[3] = {KEEL_GUESS, KEEL_GUESS, KEEL_FIXED};
        y[2] = 1.05;
        expect_ok(keel_start_marked(s, 0, y, NULL, marks), s, "u fixed");
        assert_true(x[2] == 1.05 && fabs(x[0] * x[0] * x[1] - 1.05) < 1e-12);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- ranks --------------------------------------------------------------------------------- */

/* x = (e^-t, e^-2t), each twice in d, and A of any kind. */
typedef struct leading { double A[8], D[8]; } leading;

static int given_matrix(double t, const double *x, double *A, void *context)
{
    (void)t, (void)x;
    memcpy(A, ((const leading *)context)->A, 8 * sizeof *A);
    return 0;
}

static int linear_term(double t, const double *x, double *d, void *context)
{
    const double *D = ((const leading *)context)->D;
    (void)t;
    for (int k = 0; k < 4; k++) d[k] = D[2 * k] * x[0] + D[2 * k + 1] * x[1];
    return 0;
}

static int linear_term_jacobian(double t, const double *x, double *d_x, void *context)
{
    (void)t, (void)x;
    memcpy(d_x, ((const leading *)context)->D, 8 * sizeof *d_x);
    return 0;
}

/* -A D (x', ...) with x' = (-x1, -2 x2) */
static int decay(double t, const double *x, double *b, void *context)
{
    const leading *l = context;
    double rate[2] = {-x[0], -2 * x[1]}, d[4];
    linear_term(t, rate, d, context);
    for (int i = 0; i < 2; i++) {
        b[i] = 0;
        for (int k = 0; k < 4; k++) b[i] -= l->A[4 * i + k] * d[k];
    }
    return 0;
}

static keel_solver *leading_solver(keel_problem **p, leading *l, int given)
{
    keel_solver *s = NULL;
    assert_int_equal(keel_proper(p, &(keel_proper_spec){.size = 2, .leading = 4,
        .leading_matrix = given_matrix, .leading_term = linear_term, .rest = decay,
        .leading_term_jacobian = given ? linear_term_jacobian : NULL, .context = l}), KEEL_OK);
    expect_ok(keel_solver_create(&s, *p, &(keel_options){.rtol = 1e-8}), s, "create");
    return s;
}

static void improper_terms(void **state)
{
    /* d = (x1, x2, x1 + x2, x1 - x2) of rank 2 and A: of rank 1; of rank 2, but with A d_x of rank
     * 1; d = (x1, x1, x1, x1) of rank 1 with A of rank 2. */
    static const struct { leading l; const char *part, *advice; } cases[] = {
        {{{1, 0, 0, 0, 2, 0, 0, 0}, {1, 0, 0, 1, 1, 1, 1, -1}},
         "rank A = 1, rank d_x = 2, rank A d_x = 1", "d has components that A does not see"},
        {{{1, 0, 0, 0, 1, 1, -1, 0}, {1, 0, 0, 1, 1, 1, 1, -1}},
         "rank A = 2, rank d_x = 2, rank A d_x = 1", "A annihilates a direction"},
        {{{1, 0, 0, 0, 0, 1, 0, 0}, {1, 0, 1, 0, 1, 0, 1, 0}},
         "rank A = 2, rank d_x = 1, rank A d_x = 1", "that d_x does not reach"}};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int given = 0; given < 2; given++) {
            leading l = cases[k].l;
            keel_problem *p = NULL;
            keel_solver *s = leading_solver(&p, &l, given);
            double y[6] = {1, 1};
            expect_status(keel_start(s, 0.5, y), KEEL_WRONG_INDEX, s, cases[k].part);
            expect_text(keel_message(s), cases[k].part);
            expect_text(keel_message(s), cases[k].advice);
            expect_text(keel_message(s), "t = 0.5");
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* A and d may have kernels, and any units: four components, microfarad to kilovolt. */
static void proper_terms(void **state)
{
    static const leading cases[] = {
        {{1, 0, 0.5, 0, 0, 1, 0, 0.5}, {1, 0, 0, 1, 1, 0, 0, 1}},
        {{1e6, 0, 0, 0, 0, 1e-3, 0, 0}, {1e-6, 0, 0, 1e3, 1e-6, 0, 0, 1e3}}};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int given = 0; given < 2; given++) {
            leading l = cases[k];
            keel_problem *p = NULL;
            keel_solver *s = leading_solver(&p, &l, given);
            double y[6] = {1, 1};
            expect_ok(keel_start(s, 0, y), s, "start");
            expect_ok(keel_advance_to(s, 1), s, "advance");
            assert_true(distance(keel_state(s), (double[]){exp(-1), exp(-2)}, 0, 2) < 1e-6);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* u is of an index lower by one than the highest of x, at least 1, and its derivative of one more;
 * names are those of x. */
static void indices_and_names(void **state)
{
    static const int given[3][2] = {{1, 1}, {2, 1}, {3, 1}}, of_u[3] = {1, 1, 2};
    static const char *const names[2] = {"charge", NULL};
    leading l = {{0}, {0}};
    keel_proper_spec spec = {.size = 2, .leading = 4, .leading_matrix = given_matrix,
                             .leading_term = linear_term, .rest = decay, .names = names,
                             .context = &l};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_problem *p = NULL, *augmented = NULL;
        spec.variable_index = given[k];
        assert_int_equal(keel_proper(&p, &spec), KEEL_OK);
        assert_int_equal(keel_problem_index(p), given[k][0]);
        assert_int_equal(keel_variable_index(p, 1), 1);
        for (int i = 2; i < 6; i++) assert_int_equal(keel_variable_index(p, i), of_u[k]);
        assert_string_equal(keel_variable_name(p, 0), "charge");
        assert_string_equal(keel_variable_name(p, 1), "x[1]");
        assert_string_equal(keel_variable_name(p, 5), "u[3]");
        assert_int_equal(keel_formulate(&augmented, p, &(keel_formulation){.name = "augmented"}),
                         KEEL_OK);
        assert_int_equal(keel_variable_index(augmented, 0), given[k][0]);
        for (int i = 2; i < 6; i++) assert_int_equal(keel_variable_index(augmented, i), of_u[k]);
        for (int i = 6; i < 10; i++)
            assert_int_equal(keel_variable_index(augmented, i), of_u[k] + 1);
        assert_string_equal(keel_variable_name(augmented, 9), "u[3]'");
        keel_problem_free(augmented);
        keel_problem_free(p);
    }
}

/* ---- many unknowns -------------------------------------------------------------------------- */

enum { HALF = 150 };

/* x_i' = -x_i and x_(HALF + i) = 2 x_i, with d = (x_1, ..., x_HALF). */
static int upper_unit(double t, const double *x, double *A, void *context)
{
    (void)t, (void)x, (void)context;
    memset(A, 0, 2 * HALF * HALF * sizeof *A);
    for (int i = 0; i < HALF; i++) A[i * HALF + i] = 1;
    return 0;
}

static int first_half(double t, const double *x, double *d, void *context)
{
    (void)t, (void)context;
    memcpy(d, x, HALF * sizeof *d);
    return 0;
}

static int both_halves(double t, const double *x, double *b, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < HALF; i++) {
        b[i] = x[i];
        b[HALF + i] = x[HALF + i] - 2 * x[i];
    }
    return 0;
}

static void many_unknowns(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    static double y[3 * HALF];
    (void)state;
    for (int i = 0; i < HALF; i++) y[i] = 1;                   /* the others follow */
    assert_int_equal(keel_proper(&p, &(keel_proper_spec){.size = 2 * HALF, .leading = HALF,
        .leading_matrix = upper_unit, .leading_term = first_half, .rest = both_halves}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia-3", .step = 0.25}), s,
              "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, 1), s, "advance");
    for (int i = 0; i < HALF; i++) {
        assert_true(fabs(keel_state(s)[i] - exp(-1)) < 1e-6);
        assert_true(fabs(keel_state(s)[HALF + i] - 2 * keel_state(s)[i]) < 1e-10);
        assert_true(fabs(keel_state(s)[2 * HALF + i] - keel_state(s)[i]) < 1e-10);
    }
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- Gear and Petzold ---------------------------------------------------------------------- */

/* gear-petzold to t with N steps of Radau IIA from z + shift; returns the status. */
static int gear_petzold(double eta, const char *form_name, int stages, int N, double t,
                        double shift, double *end)
{
    const bundled_problem *b = bundled_problem_find("gear-petzold");
    keel_problem *o = NULL, *p = NULL;
    keel_solver *s = NULL;
    double start[3], y[4];
    char method[32];
    snprintf(method, sizeof method, "radau-iia-%d", stages);
    assert_int_equal(b->create(&o, &eta), KEEL_OK);
    p = o;
    if (form_name)
        assert_int_equal(keel_formulate(&p, o, &(keel_formulation){.name = form_name}), KEEL_OK);
    b->start(&eta, start);
    start[1] += shift;
    keel_formulation_from(p, start, y);
    keel_options options = {.method = method, .step = N ? t / N : 0};
    expect_ok(keel_solver_create(&s, p, &options), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    int rc = keel_advance_to(s, t);
    memcpy(y, keel_state(s), (size_t)keel_problem_size(p) * sizeof *y);
    keel_formulation_to(p, y, end);
    keel_solver_free(s);
    if (p != o) keel_problem_free(p);
    keel_problem_free(o);
    return rc;
}

static double error_of(double eta, const char *form_name, int stages, int N)
{
    double y[3], exact[3];
    assert_int_equal(gear_petzold(eta, form_name, stages, N, 3, 0, y), KEEL_OK);
    bundled_problem_find("gear-petzold")->exact(&eta, 3, exact);
    return distance(y, exact, 0, 2);
}

static void orders(void **state)
{
    static const char *const formulations[] = {NULL, "augmented"};
    static const double etas[] = {-0.75, 0.5};
    (void)state;
    for (int f = 0; f < 2; f++)
        for (int e = 0; e < 2; e++)
            for (int s = 1; s <= 4; s++) {
                double order = log2(error_of(etas[e], formulations[f], s, 32) /
                                    error_of(etas[e], formulations[f], s, 64));
                if (!(fabs(order - s) < 0.1))
                    fail_msg("%s, eta = %g, %d stages: order %.2f",
                             formulations[f] ? formulations[f] : "as it is", etas[e], s, order);
            }
}

/* The same method on the same equations: (x,u), augmented, and (4.13) of Weiss 2007. */
static void the_same_numbers(void **state)
{
    const bundled_problem *b = bundled_problem_find("weiss-linear");
    double eta = -0.75, proper[3], augmented[3], y[4];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(gear_petzold(eta, NULL, 3, 30, 3, 0, proper), KEEL_OK);
    assert_int_equal(gear_petzold(eta, "augmented", 3, 30, 3, 0, augmented), KEEL_OK);
    assert_int_equal(b->create(&p, &eta), KEEL_OK);
    b->start(&eta, y);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "radau-iia-3", .step = 0.1}), s,
              "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, 3), s, "advance");
    const double linear[3] = {keel_state(s)[2], keel_state(s)[3], keel_state(s)[0]};
    assert_true(distance(proper, linear, 0, 3) < 1e-11);
    assert_true(distance(augmented, linear, 0, 3) < 1e-11);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* The equations are linear: two runs that start a distance apart end R^N times it apart. */
static void growth_of_errors(void **state)
{
    static const double etas[] = {-0.75, -0.4, 0.5};
    enum { STEPS = 6 };
    (void)state;
    for (int e = 0; e < 3; e++)
        for (int s = 1; s <= 3; s++)
            for (int h = 0; h < 2; h++) {
                double R = (s % 2 ? 1 : -1) * s * etas[e] / (1 + s * etas[e]);
                double t = h ? 0.6 : 0.06, a[3], b[3];
                assert_int_equal(gear_petzold(etas[e], "naive", s, STEPS, t, 0, a), KEEL_OK);
                assert_int_equal(gear_petzold(etas[e], "naive", s, STEPS, t, 1e-3, b), KEEL_OK);
                double ratio = (b[1] - a[1]) / 1e-3, expected = pow(R, STEPS);
                if (!(fabs(ratio - expected) < 1e-4 * fabs(expected)))
                    fail_msg("eta = %g, %d stages: %g instead of %g", etas[e], s, ratio, expected);
            }
}

/* With error control the naive form does not arrive, and says so; of many runs one may stumble to the
 * end on rounding errors. */
static void naive_is_seen_to_fail(void **state)
{
    enum { ETAS = 9 };
    int failed = 0;
    double y[3];
    (void)state;
    for (int e = 0; e < ETAS; e++)
        for (int s = 1; s <= 3; s++) {
            double eta = -0.95 + 0.05 * e;
            failed += gear_petzold(eta, "naive", s, 0, 3, 0, y) < 0;
            assert_int_equal(gear_petzold(eta, NULL, s, 0, 3, 0, y), KEEL_OK);
        }
    assert_true(failed >= 3 * ETAS - 2);
}

/* With constant steps, where it arrives at all, not a digit is right. */
static void naive_with_constant_steps(void **state)
{
    double y[3], eta = -0.75;
    (void)state;
    for (int s = 1; s <= 3; s++) {
        int rc = gear_petzold(eta, "naive", s, 30, 3, 0, y);
        assert_true(rc < 0 || bundled_scd(bundled_problem_find("gear-petzold"), &eta, 3, y, 1) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matrix), cmocka_unit_test(naive_residual),
        cmocka_unit_test(augmented_residual), cmocka_unit_test(u_follows_from_x),
        cmocka_unit_test(improper_terms), cmocka_unit_test(proper_terms),
        cmocka_unit_test(indices_and_names), cmocka_unit_test(many_unknowns),
        cmocka_unit_test(orders),
        cmocka_unit_test(the_same_numbers), cmocka_unit_test(growth_of_errors),
        cmocka_unit_test(naive_is_seen_to_fail), cmocka_unit_test(naive_with_constant_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
