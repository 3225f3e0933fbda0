/* test_judged.c -- problems without a guess that found two and three stages less accurate than was asked for:
 * two shocks, a thin step, a layer beside waves, layers in rows of index 1 and 2 together.
 *
 * The mean of the defect of up to three stages, its places, and what is made of an error that was small by
 * chance (table.c, solve.c) were chosen after seeing these at tolerances 1e-3, 1e-5, 1e-7, 1e-9;
 * test_fresh.c, test_estimate.c and other tolerances (FRACTION=0.5 in the environment: 10^-3.5, ...) judge
 * them.  All have Jacobians by differences.
 *
 *   VERBOSE=1 build/test/test_boundary_judged prints every run.
 */
#include <stdlib.h>

#include "test/boundary/cases.h"

typedef struct judged {
    const char *name;
    int nx, m, chain[2];
    double width;                /* of layers                                              */
    double refusable;            /* below that rounding may refuse it: z = u'' has errors  */
                                 /* of u times 1/width^2                                   */
    int stages;                  /* with fewer of them meshes may be too coarse for too long */
    int (*rate)(double t, const double *x, const double *z, double *f, void *context);
    int (*level)(double t, const double *x, const double *z, int k, double *h, void *context);
    void (*exact)(double t, double width, double *y);
} judged;

static const double pi = 3.14159265358979323846;

static int second_rate(double t, const double *x, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = z[0];
    return 0;
}

/* All conditions are u(0) and u(1). */
static int ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const judged *c = context;
    double left[5], right[5];
    (void)p;
    c->exact(0, c->width, left);
    c->exact(1, c->width, right);
    b[0] = ya[0] - left[0];
    b[1] = yb[0] - right[0];
    return 0;
}

/* ---- u = tanh((t - 0.3)/d) - tanh((t - 0.7)/d), of which u u' and a pull to it place both shocks ------- */

static void shocks_exact(double t, double d, double *y)
{
    double a = tanh((t - 0.3) / d), b = tanh((t - 0.7) / d);
    y[0] = a - b;
    y[1] = (b * b - a * a) / d;
    y[2] = 2 * (b * (1 - b * b) - a * (1 - a * a)) / (d * d);
}
static int shocks_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    const judged *c = context;
    double y[3];
    (void)k;
    c->exact(t, c->width, y);
    h[0] = c->width / 2 * (z[0] - y[2]) - (x[0] * x[1] - y[0] * y[1]) - 5 * (x[0] - y[0]);
    return 0;
}

/* ---- u'' = 50 (u - a) + a'', a = tanh((t - 0.3)/d) ----------------------------------------------------- */

static void step_exact(double t, double d, double *y)
{
    double a = tanh((t - 0.3) / d), b = 1 - a * a;
    y[0] = a;
    y[1] = b / d;
    y[2] = -2 * a * b / (d * d);
}
static int step_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    const judged *c = context;
    double y[3];
    (void)k;
    c->exact(t, c->width, y);
    h[0] = z[0] - y[2] - 50 * (x[0] - y[0]);
    return 0;
}

/* ---- d u'' + u' = d a'' + a', a = e^(-t/d) + sin 40t -------------------------------------------------- */

static void waves_exact(double t, double d, double *y)
{
    double e = exp(-t / d);
    y[0] = e + sin(40 * t);
    y[1] = -e / d + 40 * cos(40 * t);
    y[2] = e / (d * d) - 1600 * sin(40 * t);
}
static int waves_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    const judged *c = context;
    double y[3];
    (void)k;
    c->exact(t, c->width, y);
    h[0] = c->width * (z[0] - y[2]) + x[1] - y[1];
    return 0;
}

/* ---- layers of problems/layers.c beside 0 = x3 - x1^2 ------------------------------------------------- */

static void squared_exact(double t, double d, double *y)
{
    double a = exp((t - 1) / d), b = exp(-t / d), both = 1 + exp(-1 / d), c = cos(pi * t);
    y[0] = (a + b) / both - c * c;
    y[3] = (a - b) / (d * both) + pi * sin(2 * pi * t);
    y[1] = d * d * y[3];
    y[2] = y[0] * y[0];
    y[4] = 2 * y[0] * y[3];
}
static int squared_rate(double t, const double *x, const double *z, double *f, void *context)
{
    double d = ((const judged *)context)->width, c = cos(pi * t);
    f[0] = z[0];
    f[1] = x[0] + c * c + 2 * d * d * pi * pi * cos(2 * pi * t);
    f[2] = z[1];
    return 0;
}
static int squared_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double d = ((const judged *)context)->width;
    (void)t;
    h[0] = d * d * z[0] - x[1];
    h[1] = k == 1 ? x[2] - x[0] * x[0] : z[1] - 2 * x[0] * z[0];
    return 0;
}

static const judged cases[] = {
    {"two shocks", 2, 1, {0}, 0.02, 0, 0, second_rate, shocks_level, shocks_exact},
    {"thin step", 2, 1, {0}, 1e-3, 2e-8, 6, second_rate, step_level, step_exact},
    {"waves", 2, 1, {0}, 1e-3, 0, 3, second_rate, waves_level, waves_exact},
    {"squared", 3, 2, {0, 1}, 1e-2, 0, 0, squared_rate, squared_level, squared_exact},
};
enum { COUNT = sizeof cases / sizeof *cases };

/* Beside what was asked for, at eleven points of every interval. */
static double error_of(const judged *c, keel_solution *r, double tol)
{
    double y[5], exact[5], largest = 0;
    for (int i = 0; i < 10 * keel_solution_steps(r); i++) {
        double from = keel_solution_time(r, i / 10), to = keel_solution_time(r, i / 10 + 1);
        double t = from + (to - from) * (i % 10) / 10;
        assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
        c->exact(t, c->width, exact);
        for (int l = 0; l < c->nx + c->m; l++) {
            double e = fabs(y[l] - exact[l]) / (tol * (1 + fabs(exact[l])));
            if (!(e <= largest)) largest = e;
        }
    }
    return largest;
}

/* Counts a refusal without such a reason in *refused. */
static double run(const judged *c, const keel_problem *p, int stages, double tol, int *refused)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2,
        .condition = ends, .context = (void *)c},
        &(keel_boundary_options){.rtol = tol, .atol = tol, .stages = stages});
    if (!rc) rc = keel_boundary_solve(w);
    double error = rc ? -1 : error_of(c, keel_boundary_solution(w), tol);
    if (getenv("VERBOSE"))
        printf("%-12s k=%d tol %.0e N=%-5d error %8.2e  %s\n", c->name, stages, tol,
               keel_boundary_statistics(w)->mesh, error, rc ? keel_boundary_message(w) : "");
    int named = rc == KEEL_NOT_CONVERGED || rc == KEEL_ILL_CONDITIONED;
    int coarse = stages > 0 && stages < c->stages;
    *refused += rc && !(tol < c->refusable || coarse);
    /* Whether a coarse mesh finds a step depends on rounding; the standard number of stages is there twice. */
    if ((rc && !named) || *refused > 2)
        fail_msg("%s, %d stages, to %.1e: %s", c->name, stages, tol, keel_boundary_message(w));
    keel_boundary_free(w);
    return error;
}

static void errors_are_as_asked(void **state)
{
    static const int stages[] = {0, 2, 3, 4, 5, 6, 8};
    const char *fraction = getenv("FRACTION");
    int runs = 0, above = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        int refused = 0;
        keel_problem *p = NULL;
        assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
            .differential = cases[i].nx, .algebraic = cases[i].m, .chain = cases[i].chain,
            .rate = cases[i].rate, .level = cases[i].level, .context = (void *)&cases[i]}), KEEL_OK);
        for (int k = 0; k < 7; k++)
            for (int q = 3; q <= (stages[k] == 2 ? 5 : 9); q += 2) {     /* else thousands of intervals */
                double tol = pow(10, -q - (fraction ? atof(fraction) : 0));
                double e = run(&cases[i], p, stages[k], tol, &refused);
                if (!(e <= 3))
                    fail_msg("%s, %d stages, to %.1e: %.2f times that", cases[i].name, stages[k], tol, e);
                runs++;
                above += e > 1;
            }
        keel_problem_free(p);
    }
    if (above > 0.05 * runs) fail_msg("%d of %d are less accurate than was asked for", above, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_as_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
