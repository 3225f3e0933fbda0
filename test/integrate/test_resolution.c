/* test_resolution.c -- algebraic unknowns that no error estimate has: a source whose periods steps could
 * pass over, and the short peaks of a current between them.
 *
 * A rectifier with an exponential diode: C u' = i - u/R, i = I_s (exp((v - R_s i - u)/V_T) - 1),
 * v = U sin(2 pi f t).  Between two peaks u falls slowly, and nothing else but v tells of the next one.
 */
#include <math.h>
#include <string.h>

#include "test/support/run.h"

typedef struct circuit {
    double capacity, load, series, frequency;
} circuit;

enum { CURRENT, SOURCE };

static int charge(double t, const double *u, const double *z, double *f, void *context)
{
    const circuit *c = context;
    (void)t;
    f[0] = (z[CURRENT] - u[0] / c->load) / c->capacity;
    return 0;
}

static int diode(double t, const double *u, const double *z, double *g, void *context)
{
    static const double saturation = 1e-12, thermal = 0.025, pi = 3.14159265358979323846;
    const circuit *c = context;
    double exponent = (z[SOURCE] - c->series * z[CURRENT] - u[0]) / thermal;
    if (exponent > 600) return 1;
    g[0] = z[CURRENT] - saturation * (exp(exponent) - 1);
    g[1] = z[SOURCE] - 10 * sin(2 * pi * c->frequency * t);
    return 0;
}

/* u after five periods; NAN: the run failed, and said so. */
static double voltage(const circuit *c, const char *method, double tolerance, double max_step)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[3] = {0};
    keel_semi_explicit_spec spec = {.differential = 1, .algebraic = 2, .rhs = charge, .constraint = diode,
                                    .context = (void *)c};
    assert_int_equal(keel_semi_explicit(&p, &spec), KEEL_OK);
    keel_options options = {.method = method, .rtol = tolerance, .atol = tolerance, .max_step = max_step};
    expect_ok(keel_solver_create(&s, p, &options), s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    double u = keel_advance_to(s, 5 / c->frequency) == KEEL_OK ? keel_state(s)[0] : NAN;
    if (isnan(u)) assert_int_not_equal(strlen(keel_message(s)), 0);
    keel_solver_free(s);
    keel_problem_free(p);
    return u;
}

/* A peak that is passed over costs 0.7: never.  Its foot costs 1e-3, and rounding decides whether a method
 * with many stages finds its way at the loosest tolerances: one run of fifty may be off by more than five
 * tolerances, or fail. */
static void every_tolerance(const circuit *c, double reference)
{
    static const char *const methods[] = {"auto", "radau-iia", "radau-iia-3", "radau-iia-5", "radau-iia-7",
                                          "gauss-2", "gauss-4", "lobatto-iiic-3", "esdirk-3", "esdirk-4",
                                          "sdirk-4", "rodas-4", "rodas-5p", "bdf", "dimsim"};
    int runs = 0, odd = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (double tolerance = 1e-2; tolerance > 0.9e-7; tolerance /= sqrt(10), runs++) {
            double off = fabs(voltage(c, methods[m], tolerance, 0) - reference);
            if (off > 0.5)
                fail_msg("%s at %.1e, %g Hz: off by %.2e", methods[m], tolerance, c->frequency, off);
            odd += !(off <= fmax(5e-4, 5 * tolerance * (1 + reference)));
        }
    if (50 * odd > runs) fail_msg("%g Hz: %d of %d runs off", c->frequency, odd, runs);
}

/* The reference is that of SciPy (Radau and DOP853 at 1e-11 and steps of at most 2e-4 and 1e-5), with the
 * current by Wright's omega function: an ODE. */
static void no_peak_is_passed_over(void **state)
{
    (void)state;
    every_tolerance(&(circuit){1e-3, 100, 1e-2, 50}, 8.0747519189);
}

/* Not those that the shares of resolution.c were tuned on. */
static void in_other_circuits_as_well(void **state)
{
    static const circuit others[] = {{4e-3, 50, 5e-2, 60}, {1e-4, 300, 1, 400}, {2e-2, 20, 2e-3, 10}};
    (void)state;
    for (int k = 0; k < 3; k++)
        every_tolerance(&others[k], voltage(&others[k], "gauss-4", 1e-10, 1e-3 / others[k].frequency));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_peak_is_passed_over),
        cmocka_unit_test(in_other_circuits_as_well),
    };
    return cmocka_run_group_tests_name("resolution", tests, NULL, NULL);
}
