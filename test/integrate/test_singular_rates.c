/* test_singular_rates.c -- F(t,y,y') = 0 with a singular F_y' that is not diagonal, without derivatives.
 *
 *   Q diag(1..1, 0..0) R (y' - phi') + Q D R (y - phi) = 0,   phi_i = m_i + a_i sin(w_i t + p_i)
 *
 * What F_y' does not see is determined by the rest alone, so that F_y' has to be right to rounding: where steps
 * are short, and at the start, where y' is sought from far away.  Q, D, R, phi are drawn by number.
 */
#include <math.h>

#include "test/support/run.h"

enum { MOST = 6 };

typedef struct drawn {
    int n, rank;
    double A[MOST][MOST], B[MOST][MOST], middle[MOST], amplitude[MOST], frequency[MOST], phase[MOST], end;
    unsigned long long number;
} drawn;

/* Uniform in (0,1): xorshift [G. Marsaglia, J. Stat. Softw. 8 (2003)]. */
static double draw(drawn *d)
{
    unsigned long long x = d->number;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    d->number = x;
    return (double)(x >> 11) * 0x1p-53;
}

static double around(drawn *d, double half) { return half * (2 * draw(d) - 1); }

/* Rates 1/unit; the first one is stiff. */
static void fill(drawn *d, int number)
{
    double Q[MOST][MOST], R[MOST][MOST], D[MOST][MOST];
    *d = (drawn){.number = 88172645463325252ull + 1000003ull * (unsigned)number};
    for (int k = 0; k < 20; k++) draw(d);
    const double unit = pow(10, 4 * draw(d) - 2), scale = pow(10, 4 * draw(d) - 2), stiff = pow(10, 3 * draw(d));
    d->n = 3 + (int)(3 * draw(d));
    d->rank = 1 + (int)((d->n - 1) * draw(d));
    d->end = unit * (5 + 10 * draw(d));
    for (int i = 0; i < d->n; i++) {
        d->middle[i] = scale * around(d, 1);
        d->amplitude[i] = scale * pow(10, around(d, 1));
        d->frequency[i] = (0.3 + 2 * draw(d)) / unit;
        d->phase[i] = 6 * draw(d);
        for (int j = 0; j < d->n; j++) {
            Q[i][j] = around(d, 0.3) + (i == j);
            R[i][j] = around(d, 0.3) + (i == j);
            D[i][j] = i != j ? 0 : i >= d->rank ? 1 : (i == 0 ? stiff : 1 + 3 * draw(d)) / unit;
        }
    }
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++)
            for (int k = 0; k < d->n; k++) {
                d->A[i][j] += k < d->rank ? Q[i][k] * R[k][j] : 0;
                d->B[i][j] += Q[i][k] * D[k][k] * R[k][j];
            }
}

static double phi(const drawn *d, int i, double t)
{
    return d->middle[i] + d->amplitude[i] * sin(d->frequency[i] * t + d->phase[i]);
}

static int residual(double t, const double *y, const double *yp, double *F, void *context)
{
    const drawn *d = context;
    for (int i = 0; i < d->n; i++) {
        F[i] = 0;
        for (int j = 0; j < d->n; j++) {
            double rate = d->amplitude[j] * d->frequency[j] * cos(d->frequency[j] * t + d->phase[j]);
            F[i] += d->A[i][j] * (yp[j] - rate) + d->B[i][j] * (y[j] - phi(d, j, t));
        }
    }
    return 0;
}

/* The largest error at the end, in tolerances. */
static double error_of(drawn *d, const char *method, double tolerance)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[MOST], atol[MOST], worst = 0;
    assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){.size = d->n, .residual = residual, .context = d}),
                     KEEL_OK);
    for (int i = 0; i < d->n; i++) {
        y[i] = phi(d, i, 0);
        atol[i] = tolerance * d->amplitude[i];
    }
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = tolerance, .atol_each = atol}),
              s, method);
    expect_ok(keel_start(s, 0, y), s, method);
    expect_ok(keel_advance_to(s, d->end), s, method);
    for (int i = 0; i < d->n; i++) {
        double exact = phi(d, i, d->end);
        worst = fmax(worst, fabs(keel_state(s)[i] - exact) / (atol[i] + tolerance * fabs(exact)));
    }
    keel_solver_free(s);
    keel_problem_free(p);
    return worst;
}

/* Within 100 tolerances: order reduction on stiff problems costs more than the ten of docs/decisions/0008. */
static void rates_are_right_to_rounding(void **state)
{
    static const char *const methods[] = {"radau-iia-3", "esdirk-4", "sdirk-4", "bdf", "dimsim"};
    (void)state;
    for (int number = 1; number <= 24; number++) {
        drawn d;
        fill(&d, number);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (double tolerance = 1e-5; tolerance > 0.9e-9; tolerance /= 100) {
                double error = error_of(&d, methods[m], tolerance);
                if (!(error < 100))
                    fail_msg("number %d, %s at %g: %.1e tolerances", number, methods[m], tolerance, error);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_right_to_rounding)};
    return cmocka_run_group_tests_name("singular_rates", tests, NULL, NULL);
}
