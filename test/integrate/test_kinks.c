/* test_kinks.c -- solutions with corners that no event tells: are they met to the tolerance?
 *
 * Corners move through the steps: 40 phases of each problem.  Every method sees most of them and cannot
 * see all (docs/methods.md, section 22): a corner that is seen costs up to 20 tolerances, one that is
 * hidden behind the smooth part of a step a few hundred.  A run here has four to six of them.  So the
 * geometric mean over phases shall be below 300 tolerances, and no error beyond 10000.
 */
#include "test/support/run.h"

enum { PHASES = 40 };
static const double pi = 3.14159265358979323846, end = 10;

typedef struct phased {
    double phase;
} phased;

/* z' = min(max(2 sin(t + phase), -1), 1) */
static int clipped(double t, const double *y, double *f, void *context)
{
    const phased *p = context;
    (void)y;
    f[0] = fmin(fmax(2 * sin(t + p->phase), -1), 1);
    return 0;
}

/* Its integral from 0, even about pi and of period 2 pi. */
static double clipped_integral(double u)
{
    double corner = pi / 6, left = fmod(fabs(u), 2 * pi), v = left > pi ? 2 * pi - left : left;
    double rise = 2 * (1 - cos(corner)), flat = pi - 2 * corner;
    if (v < corner) return 2 * (1 - cos(v));
    if (v < pi - corner) return rise + v - corner;
    return rise + flat - 2 * (cos(v) + cos(corner));
}

/* x'' = -x for x < 0, -2 x for x > 0: half oscillations of two frequencies. */
static int bilinear(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = -y[0] - fmax(0, y[0]);
    return 0;
}

static void bilinear_at(double t, double *y)
{
    double w = sqrt(2), left = fmod(t, pi + pi / w), right = left - pi;
    y[0] = right < 0 ? -sin(left) : sin(w * right) / w;
    y[1] = right < 0 ? -cos(left) : cos(w * right);
}

/* The error at the end in tolerances. */
static double error_of(const char *method, double tolerance, int oscillates, double phase)
{
    phased context = {phase};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[2] = {0}, wanted[2] = {clipped_integral(end + phase) - clipped_integral(phase)};
    if (oscillates) bilinear_at(phase + 1, y), bilinear_at(phase + 1 + end, wanted);
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = oscillates ? 2 : 1, .context = &context,
                                                   .rhs = oscillates ? bilinear : clipped}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = tolerance,
                                                        .atol = tolerance}), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, end), s, "advance");
    double error = distance(keel_state(s), wanted, 0, oscillates ? 2 : 1);
    keel_solver_free(s);
    keel_problem_free(p);
    return error / tolerance;
}

static void corners_everywhere(void **state)
{
    static const char *const methods[] = {"auto", "verner8", "dopri5", "dop853", "rodas-4", "rodas-5p",
                                          "esdirk-4", "radau-iia-3", "bdf"};
    static const double tolerances[] = {1e-5, 1e-6, 1e-7};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int oscillates = 0; oscillates < 2; oscillates++)
            for (int k = 0; k < 3; k++) {
                double sum = 0, most = 0;
                for (int i = 0; i < PHASES; i++) {
                    double phase = -0.5 + 1.0 * i / PHASES;
                    double error = error_of(methods[m], tolerances[k], oscillates, phase);
                    sum += log(fmax(error, 1e-3));
                    most = fmax(most, error);
                }
                double mean = exp(sum / PHASES);
                if (!(mean <= 300 && most <= 10000))
                    fail_msg("%s, %s, %g: mean error %.0f tolerances, largest %.0f", methods[m],
                             oscillates ? "bilinear" : "clipped", tolerances[k], mean, most);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corners_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
