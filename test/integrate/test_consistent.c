/* test_consistent.c -- consistent initial values: nearest, as marked, on every level. */
#include "integrate/integrator.h"

#undef fail
#include "test/support/run.h"

static keel_solver *new_solver(const keel_problem *p, const keel_options *o)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, "create");
    return s;
}

/* On |q| = r(t) the nearest point is r q/|q|, the nearest velocity v - q (q.v + g_t)/|q|^2. */
static void nearest_point(void **state)
{
    static const keel_linear linear[] = {KEEL_LINEAR_AUTO, KEEL_LINEAR_DENSE};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int given = 0; given < 2; given++) {
            probe context = {0};
            double t = 0.6, y[5] = {0.9, -0.8, 1.1, 0.4, 77}, r = 1 + 0.2 * sin(t);
            keel_problem *p = new_problem(&forms[FORM_SEPARATE], (derivatives)given, &context);
            keel_solver *s = new_solver(p, &(keel_options){.linear = linear[k]});
            expect_ok(keel_start(s, t, y), s, "start");
            const double *x = keel_state(s);
            double length = hypot(y[0], y[1]), q[2] = {y[0] * r / length, y[1] * r / length};
            double miss = (q[0] * y[2] + q[1] * y[3] + mechanism_g_t(t)) / (r * r);
            assert_true(fabs(x[0] - q[0]) + fabs(x[1] - q[1]) < 1e-12);
            assert_true(fabs(x[2] - (y[2] - q[0] * miss)) < 1e-8);
            assert_true(fabs(x[3] - (y[3] - q[1] * miss)) < 1e-8);
            /* G a + gamma = 0 with M a = f - G^T l */
            double M[4], f[2], l = x[4];
            fill_mass(x, M);
            fill_force(t, x, x + 2, f);
            f[0] -= x[0] * l;
            f[1] -= x[1] * l;
            double det = M[0] * M[3] - M[1] * M[2];
            double a[2] = {(M[3] * f[0] - M[1] * f[1]) / det, (M[0] * f[1] - M[2] * f[0]) / det};
            double hidden = x[0] * a[0] + x[1] * a[1] + mechanism_gamma(t, x + 2);
            if (!(fabs(hidden) < 1e-5)) fail_msg("variant %d %d: %g", k, given, hidden);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

static void starts_at(const form *f, double t, const double *y, const keel_mark *marks, double *x)
{
    probe context = {0};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = new_solver(p, NULL);
    expect_ok(keel_start_marked(s, t, y, NULL, marks), s, f->name);
    memcpy(x, keel_state(s), (size_t)f->size * sizeof *x);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* A consistent point is left where it is, to the last digits. */
static void consistent_already(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        double y[LARGEST_FORM], x[LARGEST_FORM];
        forms[k].exact(0.3, y);
        starts_at(&forms[k], 0.3, y, NULL, x);
        if (!(distance(x, y, 0, forms[k].size) < 1e-7))
            fail_msg("%s: moved by %g", forms[k].name, distance(x, y, 0, forms[k].size));
        int kept = forms[k].size - (k >= FORM_HESS2 && k <= FORM_EVALUATE);
        assert_true(distance(x, y, 0, kept) < 1e-14);
    }
}

static void marks_of_a_mechanism(void **state)
{
    const form *f = &forms[FORM_SEPARATE];
    double y[5] = {0.9, -0.8, 0, 0, 0}, x[5];
    (void)state;
    starts_at(f, 0, y, (keel_mark[]){KEEL_FIXED, KEEL_GUESS, KEEL_GUESS, KEEL_GUESS, KEEL_FREE}, x);
    assert_true(x[0] == 0.9 && fabs(x[1] + sqrt(1 - 0.81)) < 1e-12);
    starts_at(f, 0, y, (keel_mark[]){KEEL_FREE, KEEL_GUESS, KEEL_FIXED, KEEL_FREE, KEEL_FREE}, x);
    assert_true(x[1] == -0.8 && fabs(x[0] - 0.6) < 1e-12);     /* free ones go first */
    assert_true(x[2] == 0 && fabs(x[3] - 0.2 / -0.8) < 1e-8);  /* q.v = r r' = 0.2 */
    y[1] = -1.5;                                               /* free q1 alone cannot help */
    starts_at(f, 0, y, (keel_mark[]){KEEL_FREE, KEEL_GUESS, 0, 0, KEEL_FREE}, x);
    assert_true(fabs(hypot(x[0], x[1]) - 1) < 1e-12);
}

static void marks_of_index1(void **state)
{
    const form *f = &forms[FORM_SEMI];
    double y[2] = {0.7, 5}, x[2];
    (void)state;
    starts_at(f, 0, y, NULL, x);                               /* z^3 + z = 2 y */
    assert_true(x[0] == 0.7 && fabs(x[1] * x[1] * x[1] + x[1] - 1.4) < 1e-12);
    starts_at(f, 0, y, (keel_mark[]){KEEL_GUESS, KEEL_FIXED}, x);
    assert_true(x[1] == 5 && fabs(x[0] - 65) < 1e-12);
}

static void hessenberg_forms(void **state)
{
    double y[3] = {1.01, 1, 0.9}, x[5], u[5] = {1.02, 0.99, 1, 1, 3};
    (void)state;
    starts_at(&forms[FORM_HESS2], 0, y, NULL, x);
    assert_true(fabs(x[0] * x[0] * x[1] - 1) < 1e-13);
    double f1 = x[0] * x[1] * x[1] * x[2] * x[2],
           f2 = x[0] * x[0] * x[1] * x[1] - 3 * x[1] * x[1] * x[2];
    assert_true(fabs(2 * x[0] * x[1] * f1 + x[0] * x[0] * f2) < 1e-12);
    assert_true(fabs(x[2] - 1) < 0.1);                         /* the root near 0.9, not 1/2 */
    starts_at(&forms[FORM_HESS2], 0, y, (keel_mark[]){KEEL_FIXED, KEEL_GUESS, KEEL_FREE}, x);
    assert_true(x[0] == 1.01 && fabs(x[1] - 1 / (1.01 * 1.01)) < 1e-13);
    starts_at(&forms[FORM_HESS3], 0, u, NULL, x);
    assert_true(fabs(x[0] * x[1] * x[1] - 1) < 1e-13);
    double g1 = 2 * x[0] * x[1] * x[2] * x[3], g2 = -x[0] * x[1] * x[3] * x[3];
    assert_true(fabs(x[1] * x[1] * g1 + 2 * x[0] * x[1] * g2) < 1e-12);
    assert_true(fabs(x[4] - 1) < 0.2);
    u[0] = u[1] = 1;                                           /* now all but l is right */
    starts_at(&forms[FORM_HESS3], 0, u, NULL, x);
    assert_true(fabs(x[4] - 1) < 1e-6);
}

/* ---- M y' = f and F(t,y,y') = 0 -------------------------------------------------------------- */

/* y' is found, whatever the user knows of it. */
static void derivatives_of_implicit(void **state)
{
    static const int which[] = {FORM_IMPLICIT, FORM_CONSTANT_MASS, FORM_STATE_MASS};
    static const double guesses[][2] = {{0, 0}, {-0.8, 0.4}, {-1, 0.5}};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int g = 0; g < 4; g++) {
            probe context = {0};
            double y[2], r[2];
            keel_problem *p = new_problem(&forms[which[k]], GIVEN, &context);
            keel_solver *s = new_solver(p, NULL);
            ode_exact(0, y);
            expect_ok(keel_start_marked(s, 0, y, g < 3 ? guesses[g] : NULL, NULL), s,
                      forms[which[k]].name);
            assert_int_equal(eval_residual(&s->eval, 0, s->y, s->yp, r), 0);
            assert_true(fabs(r[0]) + fabs(r[1]) < 1e-7);
            if (which[k] == FORM_IMPLICIT) assert_true(fabs(s->yp[0] + 1) < 1e-7);
            keel_solver_free(s);
            keel_problem_free(p);
        }
}

/* y1 y2 = 1 at t = 0: the algebraic equation of the form with a constant mass matrix. */
static void algebraic_equation(void **state)
{
    const form *f = &forms[FORM_CONSTANT_MASS];
    double y[2] = {1.1, 1.05}, x[2];
    (void)state;
    starts_at(f, 0, y, NULL, x);
    assert_true(fabs(x[0] * x[1] - 1) < 1e-12);
    /* y1' + 2 y2' alone is differential: y1 + 2 y2 stays, and what M does not see moves */
    assert_true(fabs((x[0] - y[0]) + 2 * (x[1] - y[1])) < 1e-14);
    starts_at(f, 0, y, (keel_mark[]){KEEL_FIXED, KEEL_GUESS}, x);
    assert_true(x[0] == 1.1 && fabs(x[1] - 1 / 1.1) < 1e-12);
    starts_at(f, 0, y, (keel_mark[]){KEEL_FREE, KEEL_GUESS}, x);
    assert_true(x[1] == 1.05 && fabs(x[0] - 1 / 1.05) < 1e-12);
}

static void impossible_marks(void **state)
{
    probe context = {0};
    double y[2] = {1.1, 1.05};
    keel_mark fixed[2] = {KEEL_FIXED, KEEL_FIXED};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const form *f = &forms[k ? FORM_SEMI : FORM_CONSTANT_MASS];
        keel_problem *p = new_problem(f, GIVEN, &context);
        keel_solver *s = new_solver(p, NULL);
        expect_status(keel_start_marked(s, 0, y, NULL, fixed), KEEL_INCONSISTENT, s, f->name);
        expect_text(keel_message(s), "fixed");
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- projection on request ------------------------------------------------------------------- */

static void project_a_point(void **state)
{
    (void)state;
    for (int k = FORM_HESS2; k <= FORM_EVALUATE; k++) {
        probe context = {0};
        double y[LARGEST_FORM], exact[LARGEST_FORM], far[LARGEST_FORM], residual[3];
        keel_problem *p = new_problem(&forms[k], GIVEN, &context);
        keel_solver *s = new_solver(p, &(keel_options){.rtol = 1e-8});
        forms[k].exact(0, y);
        expect_ok(keel_start(s, 0, y), s, forms[k].name);
        expect_ok(keel_advance_to(s, 0.2), s, forms[k].name);
        keel_residuals(s, residual);
        assert_true(residual[0] >= 0 && residual[0] < 1e-12);
        assert_true(residual[1] >= 0 && residual[1] < 1e-8);
        forms[k].exact(0.2, exact);
        memcpy(y, exact, sizeof y);
        y[0] += 1e-4;
        y[forms[k].size - 1] += 0.1;
        expect_ok(keel_project(s, 0.2, y), s, forms[k].name);
        assert_true(distance(y, exact, 0, forms[k].size) < 5e-3);
        double g = k == FORM_HESS2 ? y[0] * y[0] * y[1] - 1
                 : k == FORM_HESS3 ? y[0] * y[1] * y[1] - 1 : mechanism_g(0.2, y);
        assert_true(fabs(g) < 1e-13);
        for (int i = 0; i < forms[k].size; i++) far[i] = -1e8;
        int rc = keel_project(s, 0.2, far);
        if (rc) {
            expect_status(rc, KEEL_NOT_CONVERGED, s, forms[k].name);
            expect_text(keel_message(s), "t = 0.2");
        }
        expect_ok(keel_advance_to(s, 0.3), s, forms[k].name);  /* undisturbed */
        forms[k].exact(0.3, exact);
        assert_true(distance(keel_state(s), exact, 0, forms[k].size - 1) < 1e-5);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point), cmocka_unit_test(consistent_already),
        cmocka_unit_test(marks_of_a_mechanism), cmocka_unit_test(marks_of_index1),
        cmocka_unit_test(hessenberg_forms), cmocka_unit_test(derivatives_of_implicit),
        cmocka_unit_test(algebraic_equation), cmocka_unit_test(impossible_marks),
        cmocka_unit_test(project_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
