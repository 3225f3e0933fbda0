/* test_branches_multistep.c -- branches of 0 = g(y,z) that come close to each other for a short
 * time.
 *
 *   y1' = 1,  y2' = k (z - w) + cos y1,  0 = (z^2 - w^2)(z + 3),  w^2 = (y1 - 1)^2 + d^2
 *
 * From y = (0, 0) on the branch z = w: y1 = t, y2 = sin t.  At t = 1 the branch z = -w is 2 d
 * away, and a step across this spot, onto it, is as smooth as it could be: nothing but the sign of
 * g_z tells. Right is z > 0 at t = 2; where a run cannot get there it must say so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "keel/keel.h"

typedef struct spot { double width, coupling; } spot;

static double upper(const spot *s, double t) { return hypot(t - 1, s->width); }

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const spot *s = context;
    (void)t;
    f[0] = 1;
    f[1] = s->coupling * (z[0] - upper(s, y[0])) + cos(y[0]);
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const double w = upper(context, y[0]);
    (void)t;
    g[0] = (z[0] - w) * (z[0] + w) * (z[0] + 3);
    return 0;
}

/* z at t = 2, or NAN where the run says that it fails. */
static double across(const char *method, double tolerance, spot s)
{
    keel_problem *p = NULL;
    keel_solver *solver = NULL;
    keel_options o = {.method = method, .rtol = tolerance, .atol = tolerance};
    double y[3] = {0, 0, upper(&s, 0)};
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = rhs, .constraint = constraint,
        .context = &s}), KEEL_OK);
    assert_int_equal(keel_solver_create(&solver, p, &o), KEEL_OK);
    assert_int_equal(keel_start(solver, 0, y), KEEL_OK);
    int rc = keel_advance_to(solver, 2);
    double z = rc == KEEL_OK ? keel_state(solver)[2] : NAN;
    if (rc == KEEL_OK) assert_true(fabs(keel_state(solver)[1] - sin(2)) < 1e3 * tolerance);
    keel_solver_free(solver);
    keel_problem_free(p);
    return z;
}

/* The branches are further apart than ten tolerances. */
static void narrow_spots_are_passed(void **state)
{
    static const char *const methods[] = {"bdf", "dimsim", "bdf-3", "irks-3"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (double width = 1e-2; width > 5e-6; width /= 10)
            for (double tolerance = width / 10; tolerance > 5e-11; tolerance /= 10)
                for (int coupled = 0; coupled < 2; coupled++) {
                    double z = across(methods[k], tolerance, (spot){width, coupled});
                    if (!(fabs(z - 1) < 1e-3))
                        fail_msg("%s, width %g, tolerance %g: z = %g", methods[k], width,
                                 tolerance, z);
                }
}

/* Where tolerances cannot tell branches from each other. */
static void nothing_wrong_is_ok(void **state)
{
    static const char *const methods[] = {"bdf", "dimsim", "bdf-3", "irks-3"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (double width = 1e-4; width > 5e-7; width /= 10)
            for (double tolerance = 1e-4; tolerance > width; tolerance /= 10)
                for (int coupled = 0; coupled < 2; coupled++) {
                    double z = across(methods[k], tolerance, (spot){width, coupled});
                    if (!(isnan(z) || fabs(z - 1) < 1e-3))
                        fail_msg("%s, width %g, tolerance %g: z = %g", methods[k], width,
                                 tolerance, z);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_spots_are_passed),
                                       cmocka_unit_test(nothing_wrong_is_ok)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
