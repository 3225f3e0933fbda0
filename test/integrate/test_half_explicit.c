/* test_half_explicit.c -- half-explicit Runge-Kutta methods on index 2 and 3.
 *
 * Orders p of y (and of u, v on index 3 through the velocity constraint) and of multipliers from
 * the hidden constraint, which are a function of y: half-explicit Euler 1; three stages 3 and five
 * stages 4 [Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993); HW96 VII.6]; the partitioned method
 * on Dormand & Prince's stages 5 [Murua, Computing 59 (1997)].
 *
 * The last multiplier Z_s is no better than the quadrature it solves for y' = z, 0 = y - phi(t):
 *   sum_j a*_ij Z_j = (phi(t_n + c*_i h) - phi(t_n)) / h
 * reproduces z = t^k for k < q with q = 1, 2, 2, 4 (checked below), and generic problems show
 * that order.
 */
#include "method/method.h"

#include "test/integrate/circle.h"

#define ROOT6 2.449489742783178098197284074705891391966

static const double
    euler_A[1] = {0}, euler_b[1] = {1},
    three_A[9] = {0, 0, 0, 1 / 3., 0, 0, -1, 2, 0}, three_b[3] = {0, 0.75, 0.25},
    five_A[25] = {
        0, 0, 0, 0, 0,
        0.3, 0, 0, 0, 0,
        (1 + ROOT6) / 30, (11 - 4 * ROOT6) / 30, 0, 0, 0,
        (-79 - 31 * ROOT6) / 150, (-1 - 4 * ROOT6) / 30, (24 + 11 * ROOT6) / 25, 0, 0,
        (14 + 5 * ROOT6) / 6, (-8 + 7 * ROOT6) / 6, (-9 - 7 * ROOT6) / 4, (9 - ROOT6) / 4, 0},
    five_b[5] = {0, 0, (16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9.};

#define DOPRI5_B 35 / 384., 0, 500 / 1113., 125 / 192., -2187 / 6784., 11 / 84., 0

static const double
    murua_A[49] = {
        0, 0, 0, 0, 0, 0, 0,
        1 / 5., 0, 0, 0, 0, 0, 0,
        3 / 40., 9 / 40., 0, 0, 0, 0, 0,
        44 / 45., -56 / 15., 32 / 9., 0, 0, 0, 0,
        19372 / 6561., -25360 / 2187., 64448 / 6561., -212 / 729., 0, 0, 0,
        9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176., -5103 / 18656., 0, 0,
        DOPRI5_B},
    murua_b[7] = {DOPRI5_B},
    murua_b_hat[7] = {5179 / 57600., 0, 7571 / 16695., 393 / 640., -92097 / 339200., 187 / 2100.,
                      1 / 40.},
    murua_points[49] = {
        0, 0, 0, 0, 0, 0, 0,
        3 / 40., 9 / 40., 0, 0, 0, 0, 0,
        21 / 256., 45 / 256., 15 / 128., 0, 0, 0, 0,
        19235 / 98784., -225 / 392., 6235 / 6174., 2755 / 32928., 0, 0, 0,
        -293 / 1152., 85 / 48., -2275 / 1908., 35 / 32., -2835 / 6784., 0, 0,
        DOPRI5_B,
        10752038939. / 66307507200., -19259 / 50160., 19581770468. / 24023520675.,
        9941999 / 650073600., 180060831 / 4820710400., -11331659 / 439538400., 1 / 76.};

enum { EULER, THREE, FIVE, MURUA, METHODS };

static const keel_tableau tables[METHODS] = {
    {.name = "half-explicit Euler", .stages = 1, .order = 1, .A = euler_A, .b = euler_b,
     .half_explicit = 1, .order_index2 = 1},
    {.name = "three stages", .stages = 3, .order = 3, .A = three_A, .b = three_b,
     .half_explicit = 1, .order_index2 = 3},
    {.name = "five stages", .stages = 5, .order = 4, .A = five_A, .b = five_b,
     .half_explicit = 1, .order_index2 = 4},
    {.name = "partitioned", .stages = 7, .order = 5, .A = murua_A, .b = murua_b,
     .b_hat = murua_b_hat, .order_hat = 4, .half_explicit = 1, .A_constraint = murua_points,
     .order_index2 = 5},
};

static const int multiplier_order[METHODS] = {1, 2, 2, 4};

static keel_method *method_of(int which)
{
    keel_method *m = NULL;
    if (keel_method_create(&m, &tables[which])) fail_msg("%s", keel_method_message(m));
    return m;
}

/* ---- problems ----------------------------------------------------------------------------- */

/* The circle with a force that is linear in z. */
static int linear_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    double x[3], speed = 2 + cos(t);
    circle_exact(t, x);
    double push = z[0] - x[2];
    f[0] = -speed * y[1] + push * y[0] - 0.5 * (y[0] - x[0]) * y[1];
    f[1] = speed * y[0] + push * (y[1] + 0.3 * y[0] * y[0]);
    return probed(context, RHS, t, f, 2);
}

static int make_linear(keel_problem **problem, derivatives d, probe *context)
{
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = linear_rhs, .constraint = circle_constraint,
        .constraint_jacobian = d == GIVEN ? circle_g_y : NULL,
        .constraint_time = d == GIVEN ? zero_g_t : NULL, .context = context});
}

static const form linear_circle = {"circle, index 2, linear in z", 3, make_linear, circle_exact};

/* y' = (1 - 2t) z, 0 = y - 1: g_y f_z vanishes at t = 1/2. */
static int fading_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)y;
    f[0] = (1 - 2 * t) * z[0];
    return probed(context, RHS, t, f, 1);
}

static int unit_constraint(double t, const double *y, double *g, void *context)
{
    g[0] = y[0] - 1;
    return probed(context, CONSTRAINT, t, g, 1);
}

/* q in R^2 held by q2 = 0 and (1 - 2t) q1 = 0: G loses a rank at t = 1/2. */
static int no_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)q, (void)v;
    f[0] = f[1] = 0;
    return probed(context, FORCE, t, f, 2);
}

static int fading_constraint(double t, const double *q, double *g, void *context)
{
    g[0] = q[1];
    g[1] = (1 - 2 * t) * q[0];
    return probed(context, CONSTRAINT, t, g, 2);
}

static int fading_jacobian(double t, const double *q, double *G, void *context)
{
    (void)q;
    G[0] = G[3] = 0;
    G[1] = 1;
    G[2] = 1 - 2 * t;
    return probed(context, CONSTRAINT_JACOBIAN, t, G, 4);
}

/* q'' = -q without constraints. */
static int spring(double t, const double *q, const double *v, double *f, void *context)
{
    (void)v;
    f[0] = -q[0];
    return probed(context, FORCE, t, f, 1);
}

/* ---- orders ------------------------------------------------------------------------------- */

typedef struct study {
    const form *form;
    double t_end;
    int N[METHODS];              /* steps to compare with 2 N                              */
    int nonlinear;
    keel_multipliers multipliers;
    keel_projection projection;
    int of_multiplier;           /* study the last unknown, else the others                */
} study;

static double error_with(const study *c, int which, int N)
{
    double y[LARGEST_FORM];
    probe context = {.nonlinear_multiplier = c->nonlinear};
    keel_method *m = method_of(which);
    keel_options o = {.tableau = m, .step = c->t_end / N, .rtol = 1e-13,
                      .projection = c->projection, .multipliers = c->multipliers};
    keel_problem *p = new_problem(c->form, GIVEN, &context);
    keel_solver *s = started(p, c->form, &o, 0);
    int last = c->form->size - 1;
    expect_ok(keel_advance_to(s, c->t_end), s, tables[which].name);
    assert_int_equal(keel_solver_stats(s)->accepted, N);
    c->form->exact(c->t_end, y);
    double error = c->of_multiplier ? distance(keel_state(s), y, last, last + 1)
                                    : distance(keel_state(s), y, 0, last);
    const double *residual = keel_solver_stats(s)->residual;
    int imposed = keel_problem_index(p) - 2;                 /* by the method itself */
    for (int k = c->projection == KEEL_PROJECT_NONE ? imposed : 0; k <= imposed; k++)
        if (!(residual[k] <= 1e-12))
            fail_msg("%s, %s: residual %g of level %d", c->form->name, tables[which].name,
                     residual[k], k);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
    return error;
}

static void check(study c)
{
    for (int which = 0; which < METHODS; which++) {
        int N = c.N[which], recursion = c.multipliers == KEEL_MULTIPLIERS_RECURSION;
        if (N == 0) continue;
        double theory = recursion && c.of_multiplier ? multiplier_order[which]
                                                     : tables[which].order;
        double order = log2(error_with(&c, which, N) / error_with(&c, which, 2 * N));
        double above = which == MURUA ? INFINITY : 0.25;     /* little room above rounding */
        if (!(order >= theory - 0.2 && order <= theory + above))
            fail_msg("%s, %s, %s: order %.2f instead of %g", c.form->name, tables[which].name,
                     c.of_multiplier ? "multiplier" : "y", order, theory);
    }
}

#define STUDY(name, which, ...)                                                                  \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        check((study){&which, __VA_ARGS__});                                                     \
    }

#define Y .of_multiplier = 0
#define MULTIPLIER .of_multiplier = 1
#define RECURSION .multipliers = KEEL_MULTIPLIERS_RECURSION

STUDY(linear_y, linear_circle, 2, {128, 64, 64, 32}, Y)
STUDY(linear_z, linear_circle, 2, {128, 64, 64, 32}, MULTIPLIER)
STUDY(linear_z_last, linear_circle, 2, {128, 128, 128, 0}, MULTIPLIER, RECURSION)
STUDY(nonlinear_y, circle, 2, {128, 64, 64, 32}, Y)
STUDY(nonlinear_z, circle, 2, {128, 64, 64, 32}, MULTIPLIER)
STUDY(nonlinear_z_last, circle, 2, {128, 64, 128, 0}, MULTIPLIER, RECURSION)
STUDY(index2_unprojected, circle, 2, {128, 64, 64, 32}, .projection = KEEL_PROJECT_NONE)
STUDY(index3, forms[FORM_HESS3], 1, {128, 64, 64, 16}, Y)
STUDY(index3_l, forms[FORM_HESS3], 1, {128, 64, 32, 16}, MULTIPLIER)
STUDY(index3_nonlinear, forms[FORM_HESS3], 1, {128, 64, 64, 16}, .nonlinear = 1)
STUDY(index3_unprojected, forms[FORM_HESS3], 1, {128, 64, 64, 16}, .projection = KEEL_PROJECT_NONE)
STUDY(mechanical, forms[FORM_SEPARATE], 1, {128, 64, 32, 32}, Y)
STUDY(mechanical_evaluate, forms[FORM_EVALUATE], 1, {128, 64, 32, 32}, Y)
STUDY(mechanical_l, forms[FORM_SEPARATE], 1, {128, 64, 64, 16}, MULTIPLIER)
STUDY(mechanical_l_last, forms[FORM_SEPARATE], 1, {128, 128, 128, 64}, MULTIPLIER, RECURSION)
STUDY(mechanical_unprojected, forms[FORM_SEPARATE], 1, {128, 64, 32, 32},
      .projection = KEEL_PROJECT_NONE)

/* Z_s of y' = z, 0 = y - t^(k+1)/(k+1) with h = 1. */
static double quadrature(const keel_tableau *t, int k)
{
    double Z[KEEL_STAGES_MOST];
    for (int i = 0; i < t->stages; i++) {
        const double *row = t->A_constraint ? t->A_constraint + i * t->stages
                          : i + 1 < t->stages ? t->A + (i + 1) * t->stages : t->b;
        double node = 0, sum = 0;
        for (int j = 0; j < t->stages; j++) node += row[j];
        for (int j = 0; j < i; j++) sum += row[j] * Z[j];
        Z[i] = row[i] == 0 ? k == 0 : (pow(node, k + 1) / (k + 1) - sum) / row[i];
    }
    return Z[t->stages - 1];
}

static void last_multiplier(void **state)
{
    (void)state;
    for (int which = 0; which < METHODS; which++) {
        int q = 0;
        while (q < 10 && fabs(quadrature(&tables[which], q) - 1) < 1e-10) q++;
        assert_int_equal(q, multiplier_order[which]);
    }
}

/* ---- variable step, dense output ---------------------------------------------------------- */

/* Largest error of y at any step. */
static double error_at(const form *f, int which, int embedded, double tolerance, double t_end)
{
    double y[LARGEST_FORM], largest = 0;
    probe context = {0};
    keel_tableau table = tables[which];
    keel_method *m = NULL;
    if (!embedded) table.b_hat = NULL;
    assert_int_equal(keel_method_create(&m, &table), KEEL_OK);
    keel_options o = {.tableau = m, .rtol = tolerance, .atol = tolerance};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, &o, 0);
    expect_ok(keel_set_stop_time(s, t_end), s, f->name);
    while (keel_time(s) < t_end) {
        expect_ok(keel_step(s), s, f->name);
        f->exact(keel_time(s), y);
        largest = fmax(largest, distance(keel_state(s), y, 0, f->size - 1));
    }
    if (context.t_most > t_end) fail_msg("%s: a callback saw %.17g", f->name, context.t_most);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
    return largest;
}

/* The estimate, h^(q+1), follows the tolerance, so the global error h^p follows tol^(p/(q+1)), or
 * one power of h more where the leading term is small; with step doubling, q = p, the test is set so
 * that it follows tol itself. */
static void tolerances(void **state)
{
    static const form *const problems[] = {&linear_circle, &circle, &forms[FORM_HESS3],
                                           &forms[FORM_SEPARATE]};
    (void)state;
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        for (int which = THREE; which <= METHODS; which++) {
            int embedded = which == METHODS, method = embedded ? MURUA : which;
            int p = tables[method].order, q = embedded ? tables[method].order_hat : p;
            double loose = error_at(problems[k], method, embedded, 1e-7, 2);
            double tight = error_at(problems[k], method, embedded, 1e-10, 2);
            double power = log10(loose / tight) / 3, theory = q < p ? (double)p / (q + 1) : 1;
            double above = method == MURUA ? 1.0 / (q + 1) : 0;
            if (!(power > theory - 0.2 && power < theory + above + 0.2))
                fail_msg("%s, %s: the error follows tol^%.2f instead of tol^%.2f (%g, %g)",
                         problems[k]->name, tables[method].name, power, theory, loose, tight);
        }
}

/* Largest error inside N steps, of y or of the multiplier. */
static double dense_error(const form *f, int N, int multiplier)
{
    double y[LARGEST_FORM], x[LARGEST_FORM], before[LARGEST_FORM], largest = 0;
    probe context = {0};
    keel_method *m = method_of(FIVE);
    keel_options o = {.tableau = m, .step = 1.0 / N, .rtol = 1e-12};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = started(p, f, &o, 0);
    int last = f->size - 1;
    for (int i = 0; i < N; i++) {
        memcpy(before, keel_state(s), (size_t)f->size * sizeof *before);
        expect_ok(keel_step(s), s, f->name);
        expect_ok(keel_interpolate(s, keel_previous_time(s), x), s, f->name);
        assert_true(distance(x, before, 0, f->size) <= 1e-13);
        double t = 0.7 * keel_previous_time(s) + 0.3 * keel_time(s);
        expect_ok(keel_interpolate(s, t, x), s, f->name);
        f->exact(t, y);
        largest = fmax(largest, multiplier ? distance(x, y, last, last + 1)
                                           : distance(x, y, 0, last));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
    return largest;
}

static void dense_output(void **state)
{
    static const form *const problems[] = {&circle, &forms[FORM_HESS3], &forms[FORM_SEPARATE]};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int multiplier = 0; multiplier < 2; multiplier++) {
            double theory = multiplier ? 2 : 4;
            double order = log2(dense_error(problems[k], 32, multiplier) /
                                dense_error(problems[k], 64, multiplier));
            if (!(fabs(order - theory) < 0.3))
                fail_msg("%s: dense output of order %.2f instead of %g", problems[k]->name, order,
                         theory);
        }
}

static void backward(void **state)
{
    (void)state;
    double y[LARGEST_FORM];
    probe context = {0};
    keel_method *m = method_of(MURUA);
    keel_problem *p = new_problem(&circle, GIVEN, &context);
    keel_solver *s = started(p, &circle, &(keel_options){.tableau = m, .rtol = 1e-9}, 1);
    expect_ok(keel_advance_to(s, 0), s, "backward");
    circle_exact(0, y);
    assert_true(distance(keel_state(s), y, 0, 2) < 1e-7);
    assert_true(context.t_least >= 0);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

/* ---- bookkeeping -------------------------------------------------------------------------- */

/* A step of a mechanical problem costs its stages and the new point; the start two of them. */
static void effort(void **state)
{
    (void)state;
    probe context = {0};
    keel_method *m = method_of(THREE);
    keel_problem *p = new_problem(&forms[FORM_SEPARATE], GIVEN, &context);
    keel_solver *s = started(p, &forms[FORM_SEPARATE],
                             &(keel_options){.tableau = m, .step = 0.01}, 0);
    expect_ok(keel_advance_to(s, 0.1), s, "effort");
    const keel_stats *stats = keel_solver_stats(s);
    assert_int_equal(stats->rhs, 2 + 10 * (3 + 1));
    assert_int_equal(stats->factorizations, 1 + 10 * (3 + 1));
    assert_int_equal(stats->projections, 10);
    assert_int_equal(stats->stages_low, 3);
    assert_int_equal(stats->stages_high, 3);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

static void unconstrained(void **state)
{
    (void)state;
    probe context = {0};
    double y[2] = {1, 0};
    keel_method *m = method_of(FIVE);
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 1, .force = spring,
                                                                 .context = &context}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.tableau = m, .rtol = 1e-9}), s, "spring");
    expect_ok(keel_start(s, 0, y), s, "spring");
    expect_ok(keel_advance_to(s, 1), s, "spring");
    assert_true(fabs(keel_state(s)[0] - cos(1)) < 1e-7);
    assert_true(fabs(keel_state(s)[1] + sin(1)) < 1e-7);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

static void projection_on_request(void **state)
{
    static const form *const problems[] = {&circle, &forms[FORM_HESS3], &forms[FORM_SEPARATE]};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const form *f = problems[k];
        double y[LARGEST_FORM], exact[LARGEST_FORM];
        probe context = {0};
        keel_method *m = method_of(THREE);
        keel_problem *p = new_problem(f, GIVEN, &context);
        keel_solver *s = started(p, f, &(keel_options){.tableau = m,
                                 .projection = KEEL_PROJECT_NONE}, 0.25);
        f->exact(0.25, exact);
        for (int i = 0; i < f->size; i++) y[i] = exact[i] + 1e-6 * (i + 1);
        expect_ok(keel_project(s, 0.25, y), s, f->name);
        assert_true(distance(y, exact, 0, f->size) < 1e-3);
        expect_ok(keel_start(s, 0.25, y), s, f->name);       /* consistent: nothing moves */
        assert_true(distance(keel_state(s), y, 0, f->size - 1) < 1e-12);
        keel_solver_free(s);
        keel_problem_free(p);
        keel_method_free(m);
    }
}

/* No callback sees a time beyond the stop time, not even by rounding. */
static void stop_times(void **state)
{
    static const int which[] = {FORM_HESS2, FORM_HESS3, FORM_SEPARATE};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double stop = 0.1; stop < 1; stop += 0.0317) {
            probe context = {0};
            const form *f = &forms[which[k]];
            keel_problem *p = new_problem(f, GIVEN, &context);
            keel_solver *s = started(p, f, &(keel_options){.method = "hem-4", .rtol = 1e-4}, 0);
            expect_ok(keel_set_stop_time(s, stop), s, f->name);
            context.t_most = 0;                  /* what the start saw does not count */
            expect_ok(keel_advance(s, stop), s, f->name);
            assert_true(keel_time(s) == stop && context.t_most <= stop);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* ---- what cannot be done ------------------------------------------------------------------ */

static void unsupported_forms(void **state)
{
    static const int which[] = {FORM_CONSTANT_MASS, FORM_IMPLICIT, FORM_PROPER};
    (void)state;
    for (int k = 0; k < 3; k++) {
        probe context = {0};
        keel_method *m = method_of(THREE);
        keel_problem *p = new_problem(&forms[which[k]], GIVEN, &context);
        keel_solver *s = NULL;
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){.tableau = m}),
                         KEEL_UNSUPPORTED);
        expect_text(keel_message(s), "half-explicit");
        expect_text(keel_message(s), "radau-iia");
        keel_solver_free(s);
        keel_problem_free(p);
        keel_method_free(m);
    }
}

/* a_32 = 0: Z_2 cannot make the constraint hold at stage 3. */
static void ineffective_stage(void **state)
{
    static const double A[9] = {0, 0, 0, 0.5, 0, 0, 1, 0, 0}, b[3] = {0.25, 0.5, 0.25};
    (void)state;
    probe context = {0};
    keel_method *m = NULL;
    keel_problem *p = new_problem(&circle, GIVEN, &context);
    keel_solver *s = NULL;
    assert_int_equal(keel_method_create(&m, &(keel_tableau){.name = "wrong", .stages = 3, .A = A,
                                                            .b = b, .half_explicit = 1}), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.tableau = m}), KEEL_UNSUPPORTED);
    expect_text(keel_message(s), "stage 2");
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

/* Runs with h = 1/8 into t = 1/2, where the matrix is singular. */
static void expect_singular(const keel_problem *p, const double *y, keel_projection projection)
{
    for (int which = 0; which < METHODS; which++) {
        keel_method *m = method_of(which);
        keel_solver *s = NULL;
        keel_options o = {.tableau = m, .step = 0.125, .projection = projection};
        expect_ok(keel_solver_create(&s, p, &o), s, "fading");
        expect_ok(keel_start(s, 0, y), s, "fading");
        int rc = keel_advance_to(s, 0.75);
        expect_status(rc, KEEL_SINGULAR, s, tables[which].name);
        expect_text(keel_message(s), "singular");
        assert_true(keel_time(s) < 0.5);
        keel_solver_free(s);
        keel_method_free(m);
    }
}

static void singular_matrices(void **state)
{
    (void)state;
    probe context = {0};
    double one[2] = {1, 0}, rest[6] = {0};
    keel_problem *p = NULL;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 1,
        .multipliers = 1, .rhs = fading_rhs, .constraint = unit_constraint, .context = &context}),
        KEEL_OK);
    expect_singular(p, one, KEEL_PROJECT_OBLIQUE);
    keel_problem_free(p);
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 2,
        .force = no_force, .constraint = fading_constraint,
        .constraint_jacobian = fading_jacobian, .context = &context}), KEEL_OK);
    expect_singular(p, rest, KEEL_PROJECT_OBLIQUE);
    expect_singular(p, rest, KEEL_PROJECT_NONE);
    keel_problem_free(p);
}

/* A step so long that the quadratic equation for Z has no solution. */
static void no_convergence(void **state)
{
    (void)state;
    probe context = {0};
    keel_method *m = method_of(EULER);
    keel_problem *p = new_problem(&circle, GIVEN, &context);
    keel_solver *s = started(p, &circle, &(keel_options){.tableau = m, .step = 2}, 0);
    expect_status(keel_step(s), KEEL_NOT_CONVERGED, s, "long step");
    expect_text(keel_message(s), "smaller step");
    assert_true(keel_time(s) == 0);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
}

typedef struct target { const form *form; callback callback; } target;

static const target targets[] = {
    {&circle, RHS}, {&circle, CONSTRAINT}, {&circle, CONSTRAINT_JACOBIAN},
    {&circle, CONSTRAINT_TIME}, {&forms[FORM_HESS3], POSITION_RATE},
    {&forms[FORM_HESS3], VELOCITY_RATE}, {&forms[FORM_HESS3], CONSTRAINT},
    {&forms[FORM_HESS3], CONSTRAINT_JACOBIAN}, {&forms[FORM_SEPARATE], MASS},
    {&forms[FORM_SEPARATE], FORCE}, {&forms[FORM_SEPARATE], CONSTRAINT},
    {&forms[FORM_SEPARATE], CONSTRAINT_JACOBIAN}, {&forms[FORM_SEPARATE], CONSTRAINT_TIME},
    {&forms[FORM_SEPARATE], CURVATURE}, {&forms[FORM_EVALUATE], EVALUATE}};

enum { TARGETS = sizeof targets / sizeof *targets };

/* Spoils the call number `later` after the start, or that and all after it; status at t = 1/2. */
static int spoiled(const target *c, int which, spoiling kind, int persists, int later, double step,
                   double *error)
{
    double y[LARGEST_FORM];
    probe context = {0};
    keel_method *m = method_of(which);
    keel_options o = {.tableau = m, .rtol = 1e-9, .step = step};
    keel_problem *p = new_problem(c->form, GIVEN, &context);
    keel_solver *s = started(p, c->form, &o, 0);
    context.armed = 1;
    context.target = c->callback;
    context.kind = kind;
    context.persists = persists;
    context.at = context.calls[c->callback] + later;
    int rc = keel_advance_to(s, 0.5);
    if (rc && !strstr(keel_message(s), callback_name(c->callback)))
        fail_msg("%s: \"%s\" does not name %s", c->form->name, keel_message(s),
                 callback_name(c->callback));
    assert_true(rc == KEEL_OK || context.spoiled > 0);
    c->form->exact(keel_time(s), y);
    *error = distance(keel_state(s), y, 0, c->form->size - 1);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(m);
    return rc;
}

/* Whatever fails, and when: the status tells, and the accepted state stays good. */
static void failing_callbacks(void **state)
{
    static const struct { spoiling kind; int expected; } kinds[] = {
        {RETURNS_POSITIVE, KEEL_CALLBACK_FAILED}, {RETURNS_NEGATIVE, KEEL_CALLBACK_FAILED},
        {GIVES_NAN, KEEL_NOT_FINITE}, {GIVES_INFINITY, KEEL_NOT_FINITE}};
    (void)state;
    for (int k = 0; k < TARGETS; k++)
        for (int which = THREE; which < METHODS; which++)
            for (int j = 0; j < 4; j++)
                for (int later = 1; later < 12; later += 3) {
                    double error;
                    int rc = spoiled(&targets[k], which, kinds[j].kind, 1, later, 0, &error);
                    assert_int_equal(rc, kinds[j].expected);
                    assert_true(error < 1e-4);
                    rc = spoiled(&targets[k], which, kinds[j].kind, 1, later, 0.02, &error);
                    assert_int_equal(rc, kinds[j].expected);
                    rc = spoiled(&targets[k], which, kinds[j].kind, 0, later, 0, &error);
                    assert_int_equal(rc, kinds[j].kind == RETURNS_NEGATIVE ? kinds[j].expected
                                                                          : KEEL_OK);
                    assert_true(error < 1e-4);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_y), cmocka_unit_test(linear_z), cmocka_unit_test(linear_z_last),
        cmocka_unit_test(nonlinear_y), cmocka_unit_test(nonlinear_z),
        cmocka_unit_test(nonlinear_z_last), cmocka_unit_test(index2_unprojected),
        cmocka_unit_test(index3), cmocka_unit_test(index3_l), cmocka_unit_test(index3_nonlinear),
        cmocka_unit_test(index3_unprojected), cmocka_unit_test(mechanical),
        cmocka_unit_test(mechanical_evaluate), cmocka_unit_test(mechanical_l),
        cmocka_unit_test(mechanical_l_last), cmocka_unit_test(mechanical_unprojected),
        cmocka_unit_test(last_multiplier), cmocka_unit_test(tolerances),
        cmocka_unit_test(dense_output), cmocka_unit_test(backward), cmocka_unit_test(effort),
        cmocka_unit_test(unconstrained), cmocka_unit_test(projection_on_request),
        cmocka_unit_test(stop_times),
        cmocka_unit_test(unsupported_forms), cmocka_unit_test(ineffective_stage),
        cmocka_unit_test(singular_matrices), cmocka_unit_test(no_convergence),
        cmocka_unit_test(failing_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
