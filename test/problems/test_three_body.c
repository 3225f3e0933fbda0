/* test_three_body.c -- the four flights of IMM-REP-1999-8, 8.3: their ends, their Jacobi integral, and
 * what it does without projection (figures 8.3 to 8.9).
 */
#include "problems/list.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { FLIGHTS = 4 };

/* At t = 4, in 34 digits, by Taylor series of order 40 with two step sizes (study/three_body.c). */
static const struct { double v, J, y[4]; } flights[FLIGHTS] = {
    {0.5, -1.7525030001091963516, {-3.9239287275513655015e-01, -2.6932808696772344100e-01,
                                   -9.4806043099154474893e-01, -2.7188778131356639656e-02}},
    {1.1, -1.2725030001091961473, {-4.6691557574216763910e-01, -1.0796065331789072848e-01,
                                   9.9931223499005883249e-01, 9.1469442420638215630e-01}},
    {1.4, -0.89750300010919648042, {-2.1903950692656369151e+00, -2.0201766189590371009e+00,
                                    -2.1975082830286001039e+00, 1.7256145742698153440e+00}},
    {2.0, 0.12249699989080369, {-3.8531433831922615064e+00, 1.0967072546935379483e-01,
                                -4.8313648402903840114e-01, 3.9346717969981353892e+00}}};

static double error_of(const double *y, const double *r)
{
    double worst = 0;
    for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(y[i] - r[i]) / fabs(r[i]));
    return worst;
}

/* Where the flight ends; returns the largest change of J, relative to J. */
static double fly(int i, const char *method, double rtol, keel_projection projection, double *y)
{
    const double parameters[2] = {flights[i].v, 0.01215};
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    assert_int_equal(problem_three_body.create(&problem, parameters), KEEL_OK);
    assert_int_equal(keel_solver_create(&solver, problem, &(keel_options){
        .method = method, .rtol = rtol, .projection = projection}), KEEL_OK);
    problem_three_body.start(parameters, y);
    assert_int_equal(keel_start(solver, 0, y), KEEL_OK);
    assert_int_equal(keel_advance_to(solver, 4), KEEL_OK);
    for (int k = 0; k < 4; k++) y[k] = keel_state(solver)[k];
    const double drift = keel_solver_stats(solver)->residual[0] / fabs(flights[i].J);
    keel_solver_free(solver);
    keel_problem_free(problem);
    return drift;
}

/* The sum of long double series has lost six digits near the earth, where v = 0.5. */
static void the_series_end_where_those_of_34_digits_do(void **state)
{
    (void)state;
    for (int i = 0; i < FLIGHTS; i++) {
        const double parameters[2] = {flights[i].v, 0.01215};
        double y[4];
        problem_three_body.exact(parameters, 4, y);
        assert_true(error_of(y, flights[i].y) < 1e-11);
    }
}

static void flights_end_within_eight_digits_on_their_integral(void **state)
{
    static const char *const methods[] = {"dop853", "radau-iia"};
    double y[4];
    (void)state;
    for (int i = 0; i < FLIGHTS; i++)
        for (int k = 0; k < 2; k++) {
            assert_true(fly(i, methods[k], 1e-12, KEEL_PROJECT_OBLIQUE, y) < 1e-12);
            assert_true(error_of(y, flights[i].y) < 1e-8);
        }
}

/* A method and tolerance like the chapter's (ode45): J changes by more than a line is thick, and with
 * projection not at all. */
static void without_projection_the_integral_is_not_kept(void **state)
{
    double y[4];
    (void)state;
    for (int i = 0; i < FLIGHTS; i++) {
        assert_true(fly(i, "dopri5", 1e-3, KEEL_PROJECT_NONE, y) > 1e-3);
        assert_true(fly(i, "dopri5", 1e-3, KEEL_PROJECT_OBLIQUE, y) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_series_end_where_those_of_34_digits_do),
        cmocka_unit_test(flights_end_within_eight_digits_on_their_integral),
        cmocka_unit_test(without_projection_the_integral_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
