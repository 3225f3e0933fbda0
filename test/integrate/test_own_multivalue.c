/* test_own_multivalue.c -- general linear and multistep methods of the user's own run as they are.
 *
 * The same method in other clothes (Runge-Kutta as r = 1, other coordinates of what is carried, a
 * file) gives the same solution to rounding; methods without a name converge as their order says.
 */
#include "method/method.h"
#include "test/support/run.h"

#include <float.h>

static const double end = 0.4, h = 0.02;

static keel_method *general(const keel_general_linear *g)
{
    keel_method *m = NULL;
    if (keel_general_linear_create(&m, g)) fail_msg("%s: %s", g->name, keel_method_message(m));
    return m;
}

static keel_method *named(const char *name)
{
    keel_method *m = NULL;
    assert_int_equal(keel_method_named(&m, name), KEEL_OK);
    return m;
}

/* The end point with steps `step`, 0: variable; as the method leaves it. */
static void end_point(const keel_method *m, int k, double step, double *y)
{
    probe context = {0};
    double tolerance = step > 0 ? 1e-12 : 1e-6;
    keel_options o = {.tableau = m, .step = step, .rtol = tolerance, .atol = tolerance,
                      .projection = KEEL_PROJECT_NONE, .multipliers = KEEL_MULTIPLIERS_RECURSION,
                      .linear = KEEL_LINEAR_DENSE};
    solve(&forms[k], GIVEN, &context, &o, 0, end, y);
}

static void expect_same(const keel_method *a, const keel_method *b, int k, double step,
                        double allowed)
{
    double y[2][LARGEST_FORM];
    end_point(a, k, step, y[0]);
    end_point(b, k, step, y[1]);
    double gap = distance(y[0], y[1], 0, forms[k].size);
    if (!(gap <= allowed))
        fail_msg("%s, step %g: %g between %s and itself", forms[k].name, step, gap,
                 a->tableau.name);
}

/* ---- Runge-Kutta methods as general linear ones ---------------------------------------------- */

/* y, or y_n and y_(n-1), of which the second is not used. */
static keel_method *as_general(const keel_method *m, int values)
{
    const keel_tableau *t = keel_method_tableau(m);
    int s = t->stages, order = m->stage_order + 1;
    double U[2 * KEEL_STAGES_MOST] = {0}, B[2 * KEEL_STAGES_MOST] = {0}, V[4] = {1, 0, 1, 0};
    double W[2 * 8] = {1}, term = 1;
    for (int i = 0; i < s; i++) U[values * i] = 1, B[i] = t->b[i];
    for (int k = 0; k <= order; k++, term /= -k) W[order + 1 + k] = term;
    return general(&(keel_general_linear){.name = "own", .stages = s, .values = values, .A = t->A,
        .U = U, .B = B, .V = V, .c = t->c, .W = values == 1 ? NULL : W,
        .order = values == 1 ? 0 : order});
}

/* With constant steps Newton's method ends at 1e4 roundings or less, in every step; multipliers of
 * index 2 and 3 feel that divided by h and by h^2. */
static double rounding_of(int k)
{
    int index = k == FORM_HESS2 ? 2 : k >= FORM_HESS3 && k <= FORM_EVALUATE ? 3 : 1;
    return end / h * 1e4 * DBL_EPSILON * (index == 1 ? 1 : index == 2 ? 1 / h : 1 / (h * h));
}

static void runge_kutta(void **state)
{
    static const char *const names[] = {"radau-iia-2", "radau-iia-3", "gauss-2", "lobatto-iiic-3"};
    (void)state;
    for (int j = 0; j < 4; j++)
        for (int values = 1; values <= 2; values++) {
            keel_method *m = named(names[j]), *own = as_general(m, values);
            for (int k = 0; k < FORMS; k++)
                if (j < 2 || k == FORM_ODE || k == FORM_SEMI)
                    expect_same(m, own, k, h, rounding_of(k));
            keel_method_free(own);
            keel_method_free(m);
        }
}

/* Dense output of a method that carries y alone: a cubic, of order 3 at least. */
static void dense_output_of_one_value(void **state)
{
    keel_method *m = named("radau-iia-3"), *own = as_general(m, 1);
    double error[2];
    (void)state;
    for (int half = 0; half < 2; half++) {
        probe context = {0};
        double y[2], exact[2], step = half ? 0.05 : 0.1;
        keel_options o = {.tableau = own, .step = step};
        keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
        keel_solver *s = started(p, &forms[FORM_ODE], &o, 0);
        expect_ok(keel_step(s), s, "step");
        expect_ok(keel_interpolate(s, 0.3 * step, y), s, "interpolate");
        ode_exact(0.3 * step, exact);
        error[half] = distance(y, exact, 0, 2);
        keel_solver_free(s);
        keel_problem_free(p);
    }
    assert_true(log2(error[0] / error[1]) > 3.5);        /* one step: local error, h^4 */
    keel_method_free(own);
    keel_method_free(m);
}

/* ---- other coordinates ----------------------------------------------------------------------- */

/* out [rows columns] := X [rows n] Y [n columns] */
static void multiply(int rows, int n, int columns, const double *X, const double *Y, double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            out[i * columns + j] = 0;
            for (int k = 0; k < n; k++) out[i * columns + j] += X[i * n + k] * Y[k * columns + j];
        }
}

/* dimsim-2 with y_n, y_n - y_(n-1) and h y'_n instead of the Nordsieck vector: y_(n-1) of its
 * quadratic, so that W is T: U T^-1, T B, T V T^-1. */
static void past_values(void **state)
{
    static const double T[9] = {1, 0, 0,   0, 1, -0.5,   0, 1, 0};
    static const double T_inv[9] = {1, 0, 0,   0, 0, 1,   0, -2, 2};
    keel_method *m = named("dimsim-2");
    const keel_general_linear *g = keel_method_general_linear(m);
    double U[9], B[9], V[9], work[9];
    (void)state;
    multiply(3, 3, 3, g->U, T_inv, U);
    multiply(3, 3, 3, T, g->B, B);
    multiply(3, 3, 3, T, g->V, work);
    multiply(3, 3, 3, work, T_inv, V);
    keel_method *own = general(&(keel_general_linear){.name = "past values", .stages = 3,
        .values = 3, .A = g->A, .U = U, .B = B, .V = V, .c = g->c, .W = T, .order = 2});
    for (int k = 0; k < FORMS; k++) {
        expect_same(m, own, k, h, rounding_of(k));
        if (k < FORM_HESS2) expect_same(m, own, k, 0, 2e-8);   /* rounding may decide whether an */
    }                                /* iteration follows: then 0.005 of the tolerance */
    keel_method_free(own);
    keel_method_free(m);
}

/* ---- methods without a name ----------------------------------------------------------------- */

static void expect_order(const keel_method *m, int k, int to, double order)
{
    double error[2], y[LARGEST_FORM], exact[LARGEST_FORM];
    forms[k].exact(end, exact);
    for (int half = 0; half < 2; half++) {
        end_point(m, k, half ? 0.01 : 0.02, y);
        error[half] = distance(y, exact, 0, to);
    }
    double found = log2(error[0] / error[1]);
    if (!(found > order - 0.4))
        fail_msg("%s, %s: order %.2f (errors %g, %g)", m->tableau.name, forms[k].name, found,
                 error[0], error[1]);
}

/* Collocation at 1/2 and 1 by the cubic through y_n and y_(n-1), too; A has complex eigenvalues. */
static void two_step_collocation(void **state)
{
    static const double A[4] = {21. / 38, -9. / 76,   16. / 19, 2. / 19}, c[2] = {0.5, 1};
    static const double U[4] = {81. / 76, -5. / 76,   20. / 19, -1. / 19};
    static const double B[4] = {16. / 19, 2. / 19,   0, 0}, V[4] = {20. / 19, -1. / 19,   1, 0};
    static const double W[8] = {1, 0, 0, 0,   1, -1, 0.5, -1. / 6};
    const double difference = A[0] - A[3];
    (void)state;
    assert_true(difference * difference + 4 * A[1] * A[2] < 0);
    keel_method *m = general(&(keel_general_linear){.name = "two-step collocation", .stages = 2,
        .values = 2, .order = 3, .A = A, .U = U, .B = B, .V = V, .c = c, .W = W});
    for (int k = 0; k < FORMS; k++)
        if (k < FORM_HESS3 || k > FORM_EVALUATE) expect_order(m, k, 2, 3);
    keel_method_free(m);
}

/* Two stages with different a_ii: two matrices. */
static void different_diagonals(void **state)
{
    static const double A[4] = {1. / 3, 0,   0.5, 0.5}, B[2] = {0.75, 0.25}, c[2] = {1. / 3, 1};
    static const double U[2] = {1, 1}, V = 1;
    (void)state;
    keel_method *m = general(&(keel_general_linear){.name = "two diagonals", .stages = 2,
        .values = 1, .order = 2, .A = A, .U = U, .B = B, .V = &V, .c = c});
    expect_order(m, FORM_ODE, 2, 2);
    expect_order(m, FORM_SEMI, 2, 2);
    keel_method_free(m);
}

/* A with one eigenvalue and one eigenvector, which implicit Runge-Kutta methods may not have. */
static void defective(void **state)
{
    static const double c[3] = {0.25, 0.5, 1}, U[3] = {1, 1, 1}, one = 1;
    double A[9], unused[9];
    keel_solver *s = NULL;
    keel_problem *p = NULL;
    keel_method *tableau = NULL;
    probe context = {0};
    (void)state;
    assert_int_equal(keel_starting_procedure(2, c, 0.3, A, unused), KEEL_OK);
    keel_method *m = general(&(keel_general_linear){.name = "singly implicit", .stages = 3,
        .values = 1, .order = 2, .A = A, .U = U, .B = A + 6, .V = &one, .c = c});
    for (int k = 0; k < FORMS; k++)
        if (k < FORM_HESS2 || k > FORM_EVALUATE) expect_order(m, k, 2, 2);
    assert_int_equal(keel_method_create(&tableau, &(keel_tableau){
        .name = "singly implicit", .stages = 3, .A = A, .b = A + 6, .c = c}), KEEL_OK);
    p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){.tableau = tableau}),
                     KEEL_UNSUPPORTED);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_method_free(tableau);
    keel_method_free(m);
}

/* Coupled stages with variable steps: the A of Radau IIA with the Nordsieck vector, of order 2;
 * values and errors also where M is not diagonal and A has no real eigenvalue. */
static void coupled_with_variable_steps(void **state)
{
    static const double A[4] = {5. / 12, -1. / 12,   3. / 4, 1. / 4}, c[2] = {1. / 3, 1};
    static const double U[6] = {1, 0, 0,   1, 0, 0};
    static const double B[6] = {3. / 4, 1. / 4,   0, 1,   -3. / 2, 3. / 2};
    static const double V[9] = {1};
    (void)state;
    keel_method *m = general(&(keel_general_linear){.name = "coupled", .stages = 2, .values = 3,
        .order = 2, .A = A, .U = U, .B = B, .V = V, .c = c});
    for (int k = 0; k < FORMS; k++) {
        double y[LARGEST_FORM], exact[LARGEST_FORM];
        if (k >= FORM_HESS2 && k <= FORM_EVALUATE) continue;
        end_point(m, k, 0, y);
        forms[k].exact(end, exact);
        double error = distance(y, exact, 0, forms[k].size);
        if (!(error < 1e-4)) fail_msg("%s: error %g", forms[k].name, error);
    }
    keel_method_free(m);
}

/* ---- from files ------------------------------------------------------------------------------ */

static keel_method *from_file(const char *text)
{
    keel_method *m = NULL;
    FILE *file = fopen("own_multivalue.method", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    if (keel_method_read(&m, "own_multivalue.method")) fail_msg("%s", keel_method_message(m));
    remove("own_multivalue.method");
    return m;
}

static void files(void **state)
{
    static const struct { const char *name, *text; double step; } cases[] = {
        {"bdf-2", "alpha: 1/2 -2 3/2\nbeta: 0 0 1\n", 0},
        {"bdf-2", "alpha: 1/2 -2 3/2\nbeta: 0 0 1\n", 0.02},
        {"bdf-3", "alpha: -1/3 3/2 -3 11/6\nbeta: 0 0 0 1\n", 0.02},
        {"dcbdf-2", "alpha: 1/2 -2 3/2\nbeta: -1/3 2/3 2/3\ngamma: -1/3 2/3 -1/3\n", 0.02},
        {"adams-2", "alpha: 0 -1 1\nbeta: -1/12 2/3 5/12\n", 0.02},
        {"dimsim-2", "order: 2\nA:\n 1/4 0 0\n 1/4 1/4 0\n 1/2 1/4 1/4\nU:\n 1 -1/4 0\n 1 0 0\n"
         " 1 0 1/8\nB:\n 1/2 -1/8 1/2\n 1/2 -1/2 1\n 0 -2 2\nV:\n 1 1/8 1/16\n 0 0 1/4\n 0 0 0\n"
         "c: 0 1/2 1\n", 0.02},
    };
    (void)state;
    for (size_t j = 0; j < sizeof cases / sizeof *cases; j++) {
        keel_method *m = named(cases[j].name), *own = from_file(cases[j].text);
        expect_same(m, own, FORM_ODE, cases[j].step, 1e-13);
        expect_same(m, own, FORM_SEMI, cases[j].step, 1e-13);
        if (strcmp(cases[j].name, "adams-2") && cases[j].step > 0)
            expect_same(m, own, FORM_HESS2, cases[j].step, 1e-11);
        keel_method_free(own);
        keel_method_free(m);
    }
}

/* ---- what cannot be run --------------------------------------------------------------------- */

static void expect_refusal(const keel_method *m, const char *name, int k, double step,
                           const char *why)
{
    probe context = {0};
    keel_solver *s = NULL;
    keel_problem *p = new_problem(&forms[k], GIVEN, &context);
    keel_options o = {.method = name, .tableau = m, .step = step};
    expect_status(keel_solver_create(&s, p, &o), KEEL_UNSUPPORTED, s, "create");
    expect_text(keel_message(s), why);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void refusals(void **state)
{
    keel_method *radau = named("radau-iia-3"), *own = as_general(radau, 1);
    (void)state;
    expect_refusal(own, NULL, FORM_ODE, 0, "Nordsieck");
    expect_refusal(NULL, "dcbdf-2", FORM_ODE, 0, "constant steps");
    expect_refusal(NULL, "dcbdf-2", FORM_HESS3, h, "index 3");
    expect_refusal(NULL, "adams-3", FORM_IMPLICIT, h, "grow by 2.37");
    expect_refusal(NULL, "beta-adams-2", FORM_CONSTANT_MASS, h, "take bdf-3");
    keel_method_free(own);
    keel_method_free(radau);
}

/* Collocation at 0.4 has |R(inf)| = 1.5: no harm where nothing is algebraic. */
static void growing_modes(void **state)
{
    static const double A = 0.4, one = 1;
    (void)state;
    keel_method *m = general(&(keel_general_linear){.name = "early", .stages = 1, .values = 1,
        .order = 1, .A = &A, .U = &one, .B = &one, .V = &one, .c = &A});
    expect_order(m, FORM_ODE, 2, 1);
    expect_refusal(m, NULL, FORM_SEMI, h, "grow by 1.5");
    keel_method_free(m);
}

/* A multistep formula of order 9 (Adams with 8 steps) has no starting procedure. */
static void high_order(void **state)
{
    static const double beta[9] = {
        -33953. / 3628800, 312874. / 3628800, -1291214. / 3628800, 3146338. / 3628800,
        -5033120. / 3628800, 5595358. / 3628800, -4604594. / 3628800, 4467094. / 3628800,
        1070017. / 3628800};
    static const double alpha[9] = {[7] = -1, [8] = 1};
    keel_method *m = NULL;
    (void)state;
    int rc = keel_multistep_create(&m, &(keel_multistep){.name = "adams-8", .steps = 8,
                                                         .alpha = alpha, .beta = beta});
    if (rc) fail_msg("%s", keel_method_message(m));
    expect_refusal(m, NULL, FORM_ODE, h, "starting procedure of order 9");
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runge_kutta), cmocka_unit_test(dense_output_of_one_value),
        cmocka_unit_test(past_values), cmocka_unit_test(two_step_collocation),
        cmocka_unit_test(different_diagonals), cmocka_unit_test(defective),
        cmocka_unit_test(coupled_with_variable_steps),
        cmocka_unit_test(files), cmocka_unit_test(refusals), cmocka_unit_test(growing_modes),
        cmocka_unit_test(high_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
