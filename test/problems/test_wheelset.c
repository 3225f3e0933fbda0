/* test_wheelset.c -- the wheelset's equations against derivatives computed elsewhere. */
#include "problems/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { SIZE = 17, DIFFERENTIAL = 11 };

/* M(y) y' - f(y) */
static void residual(const double *y, const double *yp, double *r)
{
    const keel_quasilinear_spec spec = problem_wheelset_spec(NULL);
    double entries[SIZE * SIZE] = {0};
    keel_matrix M = {.rows = SIZE, .columns = SIZE, .values = entries,
                     .stray_row = -1, .stray_column = -1};
    assert_int_equal(spec.rhs(0, y, r, spec.context), 0);
    assert_int_equal(spec.mass(0, y, &M, spec.context), 0);
    assert_int_equal(M.stray_row, -1);
    for (int i = 0; i < SIZE; i++) {
        r[i] = -r[i];
        for (int j = 0; j < SIZE; j++) r[i] += *keel_entry(&M, i, j) * yp[j];
    }
}

/* Accelerations that J. de Swart computed for the test set's initial values (23 October 1997). */
static void initial_derivatives_satisfy_the_equations(void **state)
{
    static const double yp[SIZE] = {
        0, 0, 0, 0, 0, -1.975258894011285, -1.0898297102811276e-3, 7.8855083626142589e-2,
        -5.533362821731549, -0.3487021489546511, -2.132968724380927,
    };
    double y[SIZE], r[SIZE];
    (void)state;
    problem_wheelset.start(NULL, y);
    residual(y, yp, r);
    for (int i = 0; i < SIZE; i++) assert_true(fabs(r[i]) < 1e-13);
}

static void reference_satisfies_the_algebraic_equations(void **state)
{
    static const double unused[SIZE] = {0};
    double r[SIZE];
    (void)state;
    residual(problem_wheelset.references[0].y, unused, r);
    for (int i = DIFFERENTIAL; i < SIZE; i++) assert_true(fabs(r[i]) < 1e-14);
}

static void derailment_is_no_place_to_evaluate(void **state)
{
    const keel_quasilinear_spec spec = problem_wheelset_spec(NULL);
    double y[SIZE], f[SIZE];
    (void)state;
    problem_wheelset.start(NULL, y);
    y[0] = 0.2;
    assert_true(spec.rhs(0, y, f, spec.context) > 0);
    y[0] = NAN;
    assert_true(spec.rhs(0, y, f, spec.context) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_derivatives_satisfy_the_equations),
        cmocka_unit_test(reference_satisfies_the_algebraic_equations),
        cmocka_unit_test(derailment_is_no_place_to_evaluate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
