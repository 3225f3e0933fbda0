/* test_blocking.c -- multistep methods on y' = f0(t,y) + f_z(t,y) z, 0 = g(t,y) need blocking
 * [Bendtsen & Thomsen 1999, chapter 5; Arevalo, Fuehrer & Soederlind 1996].
 *
 * Without it the errors of the multipliers obey sigma(E) e_n = O(h): they grow by the largest root
 * of sigma in every step.  That is (5.10), first constrained and then discretised; (5.11), first
 * discretised and then constrained, is stable.
 */
#include "study/orders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { STEPS = 512, UNKNOWNS = 4, Z = 3 };       /* of order-index2: y1, y2, y3, z */

/* The largest |root| of sigma by Bernoulli's method: the mean growth of its recursion. */
static double growth_of_sigma(const char *name)
{
    keel_method *method = NULL;
    assert_int_equal(keel_method_named(&method, name), KEEL_OK);
    const keel_multistep *m = keel_method_multistep(method);
    assert_non_null(m);
    double e[16] = {1}, logarithm = 0;
    const int k = m->steps, warm = 100, counted = 4000;
    for (int n = 0; n < warm + counted; n++) {
        double next = 0, size = 0;
        for (int j = 0; j < k; j++) next -= m->beta[j] / m->beta[k] * e[j];
        for (int j = 0; j + 1 < k; j++) e[j] = e[j + 1];
        e[k - 1] = next;
        for (int j = 0; j < k; j++) size += fabs(e[j]);
        for (int j = 0; j < k; j++) e[j] /= size;
        if (n >= warm) logarithm += log(size);
    }
    keel_method_free(method);
    return exp(logarithm / counted);
}

/* Errors of z after each step, [STEPS]; returns how many are known.  `shift` moves the start off
 * the constraint. */
static int errors_of_z(const char *method, double shift, double *error)
{
    const bundled_problem *b = bundled_problem_find("order-index2");
    const double h = (b->t_end - b->t_start) / STEPS;
    double y[UNKNOWNS], x[UNKNOWNS];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    int n = 0;
    b->exact(NULL, b->t_start, y);
    y[0] += shift;
    assert_int_equal(b->create(&p, NULL), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){
        .method = method, .step = h, .projection = KEEL_PROJECT_NONE,
        .multipliers = KEEL_MULTIPLIERS_RECURSION, .initial = KEEL_INITIAL_GIVEN}), KEEL_OK);
    assert_int_equal(keel_start(s, b->t_start, y), KEEL_OK);
    while (n < STEPS && keel_step(s) == KEEL_OK) {
        b->exact(NULL, keel_time(s), x);
        error[n++] = keel_state(s)[Z] - x[Z];
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return n;
}

/* Growth per step while the error is neither that of the method nor beyond linear theory. */
static double observed_growth(const char *method)
{
    static const double small = 1e-5, large = 1e-2;
    double error[STEPS];
    const int known = errors_of_z(method, 0, error);
    int first = 0, last;
    while (first < known && fabs(error[first]) < small) first++;
    for (last = first; last < known && fabs(error[last]) < large; last++) continue;
    if (last >= known) return 1;                 /* it does not grow */
    return pow(fabs(error[last] / error[first]), 1.0 / (last - first));
}

/* The coefficients change by O(h) from step to step, and so do the roots: 3 % is generous for
 * h = 1/256 and solutions with derivatives of size 1. */
static void unblocked_methods_blow_up(void **state)
{
    static const char *const methods[] = {"adams-2", "adams-3", "dcbdf-2:constrain-first",
                                          "dcbdf-3:constrain-first"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const double root = growth_of_sigma(methods[i]), growth = observed_growth(methods[i]);
        assert_true(root > 1.3);
        if (!(fabs(growth / root - 1) < 0.03))
            fail_msg("%s: z grows by %g, not %g a step", methods[i], growth, root);
    }
}

/* sigma = (5 zeta^2 + 8 zeta - 1) / 12 of adams-2 has the root -(4 + sqrt(21)) / 5. */
static void root_of_adams_2(void **state)
{
    (void)state;
    assert_true(fabs(growth_of_sigma("adams-2") - (4 + sqrt(21)) / 5) < 1e-3);
}

static void blocked_methods_do_not(void **state)
{
    static const char *const methods[] = {
        "dcbdf-2", "dcbdf-3", "dcbdf-6", "beta-adams-2", "beta-adams-3", "dcbdf-2:constrain-last",
        "dcbdf-3:constrain-last", "dcbdf-6:constrain-last", "bdf-6"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double error[STEPS];
        assert_int_equal(errors_of_z(methods[i], 0, error), STEPS);
        if (!(fabs(error[STEPS - 1]) < 1e-3)) fail_msg("%s: %g", methods[i], error[STEPS - 1]);
    }
}

/* What a start off the constraint does to z, n steps later. */
static double disturbance(const char *method, int n)
{
    static const double shift = 1e-7;
    double plain[STEPS], disturbed[STEPS];
    assert_int_equal(errors_of_z(method, 0, plain), STEPS);
    assert_int_equal(errors_of_z(method, shift, disturbed), STEPS);
    return fabs(disturbed[n] - plain[n]);
}

/* The trapezoidal rule has the root -1: disturbances of z neither grow nor die; blocked, or as
 * dcbdf-1, they die. */
static void trapezoidal_rule_is_weakly_stable(void **state)
{
    (void)state;
    const double early = disturbance("adams-1", 10), late = disturbance("adams-1", 400);
    assert_true(early > 1e-6);
    assert_true(late > 0.1 * early && late < 10 * early);
    assert_true(disturbance("beta-trapezoidal", 400) < 1e-3 * late);
    assert_true(disturbance("dcbdf-1", 400) < 1e-3 * late);
}

/* f0 = f(t,y,0) says nothing about an f that is not linear in z. */
static void constraints_last_need_linear_multipliers(void **state)
{
    const bundled_problem *b = bundled_problem_find("order-index2-nonlinear");
    double y[UNKNOWNS];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    b->exact(NULL, b->t_start, y);
    assert_int_equal(b->create(&p, NULL), KEEL_OK);
    assert_int_equal(keel_solver_create(&s, p, &(keel_options){
        .method = "dcbdf-2:constrain-last", .step = 0.01}), KEEL_OK);
    assert_int_equal(keel_start(s, b->t_start, y), KEEL_UNSUPPORTED);
    assert_non_null(strstr(keel_message(s), "not linear in z"));
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_of_adams_2), cmocka_unit_test(unblocked_methods_blow_up),
        cmocka_unit_test(blocked_methods_do_not),
        cmocka_unit_test(trapezoidal_rule_is_weakly_stable),
        cmocka_unit_test(constraints_last_need_linear_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
