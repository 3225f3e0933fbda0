/* test_fresh.c -- sixteen problems with known solutions: layers, corner layers, an oscillation, a shock
 * that is placed and three that hardly are, two solutions, a break, an unknown parameter, index 1 and 2
 * mixed, index 3.  With two to six stages, eight, or the standard number, and tolerances from 1e-4 to 1e-10
 * the true error is at most what was asked for, or the run is refused with a sentence.  All have Jacobians
 * by differences.
 *
 * Sources of errors (estimate.c), weights between nodes, the number of points of a first mesh and the part
 * of the tolerance that is accepted were chosen on these, at tolerances 1e-4, 1e-6, 1e-8, 1e-10; other
 * tolerances (FRACTION=0.3 in the environment: 10^-4.3, ...) and test_estimate.c judge them.
 *
 *   VERBOSE=1 build/test/test_boundary_fresh prints every run, and the largest of each problem.
 */
#include <stdlib.h>

#include "test/boundary/cases.h"

/* x' = f, the constraints of row i of the m below it are chain[i]; p is an unknown parameter of those that
 * have one, and comes behind y. */
typedef struct fresh {
    const char *name;
    int nx, m, chain[2], next[4], conditions, parameters, breaks;
    double number, from, to, break_at;
    int (*rate)(double t, const double *x, const double *z, double *f, void *context);
    int (*level)(double t, const double *x, const double *z, int k, double *h, void *context);
    int (*condition)(const double *ya, const double *yb, const double *p, double *b, void *context);
    void (*exact)(double t, const struct fresh *c, double *y);
    double refusable;            /* below that conditioning or rounding may refuse it      */
    int stages;                  /* with fewer of them the first mesh may be too coarse    */
} fresh;

static const fresh *case_of(const void *context) { return ((const keel_frame *)context)->context; }

/* ---- u'' = z: u and u' are differential, 0 = h(t, u, u', z) --------------------------------------- */

static int second_rate(double t, const double *x, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = z[0];
    return 0;
}
static int ends_of_u(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const fresh *c = context;
    double left[8], right[8];
    (void)p;
    c->exact(c->from, c, left);
    c->exact(c->to, c, right);
    b[0] = ya[0] - left[0];
    b[1] = yb[0] - right[0];
    return 0;
}

/* eps u'' + t u' - u = 0 has a corner at 0: u = t erf(t/r) + r/sqrt(pi) e^(-t^2/r^2), r^2 = 2 eps */
static int corner_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)k;
    h[0] = case_of(context)->number * z[0] + t * x[1] - x[0];
    return 0;
}
static void corner_exact(double t, const fresh *c, double *y)
{
    double r = sqrt(2 * c->number), bell = exp(-t * t / (r * r));
    y[0] = t * erf(t / r) + r / sqrt(PI) * bell;
    y[1] = erf(t / r);
    y[2] = 2 / (sqrt(PI) * r) * bell;
}

/* u'' = -3600 t^2 u + 60 cos 30t^2: u = sin 30t^2, ever faster */
static int chirp_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)k, (void)context;
    h[0] = z[0] + 3600 * t * t * x[0] - 60 * cos(30 * t * t);
    return 0;
}
static void chirp_exact(double t, const fresh *c, double *y)
{
    (void)c;
    y[0] = sin(30 * t * t);
    y[1] = 60 * t * cos(30 * t * t);
    y[2] = 60 * cos(30 * t * t) - 3600 * t * t * y[0];
}

/* A shock, v = -tanh((t - 0.3)/(2 eps)): eps u'' = u u' + a (u - v).  a = 1 places it, a = 0 does not. */
static void shock_exact(double t, const fresh *c, double *y)
{
    double a = 1 / (2 * fabs(c->number)), v = tanh(a * (t - 0.3));
    y[0] = -v;
    y[1] = -a * (1 - v * v);
    y[2] = 2 * a * a * (1 - v * v) * v;
}
static int placed_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double v[3];
    (void)k;
    shock_exact(t, case_of(context), v);
    h[0] = case_of(context)->number * z[0] - x[0] * x[1] - (x[0] - v[0]);
    return 0;
}
static int loose_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)t, (void)k;
    h[0] = case_of(context)->number * z[0] - x[0] * x[1];
    return 0;
}

/* u u'' = 1 + u'^2 between two rings: u = a cosh((t - 1/2)/a), a thick film and a thin one */
static int film_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)t, (void)k, (void)context;
    h[0] = x[0] * z[0] - 1 - x[1] * x[1];
    return 0;
}
static void film_exact(double t, const fresh *c, double *y)
{
    double a = c->number;
    for (int i = 0; i < 60; i++) {               /* a cosh(1/(2a)) = 1 */
        double s = 1 / (2 * a);
        a -= (a * cosh(s) - 1) / (cosh(s) - s * sinh(s));
    }
    y[0] = a * cosh((t - 0.5) / a);
    y[1] = sinh((t - 0.5) / a);
    y[2] = cosh((t - 0.5) / a) / a;
}

/* u'' jumps at 0.37, which is named: v = e^-t + 8 (t - 0.37)^2 from there on; u'' = v'' + u^2 - v^2 */
static double kinked(double t, double *second)
{
    double s = t > 0.37 ? t - 0.37 : 0;
    *second = exp(-t) + (t > 0.37 ? 16 : 0);
    return exp(-t) + 8 * s * s;
}
static int break_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double second, v = kinked(t, &second);
    (void)k, (void)context;
    h[0] = z[0] - second - (x[0] * x[0] - v * v);
    return 0;
}
static void break_exact(double t, const fresh *c, double *y)
{
    (void)c;
    y[0] = kinked(t, &y[2]);
    y[1] = -exp(-t) + (t > 0.37 ? 16 * (t - 0.37) : 0);
}

/* u = atan(50 (t - 0.61)): u'' = v'' + 20 (sin u - sin v) */
static void step_exact(double t, const fresh *c, double *y)
{
    double a = 50, s = a * (t - 0.61), v = 1 / (1 + s * s);
    (void)c;
    y[0] = atan(s);
    y[1] = a * v;
    y[2] = -2 * a * a * s * v * v;
}
static int step_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double v[3];
    (void)k;
    step_exact(t, case_of(context), v);
    h[0] = z[0] - v[2] - 20 * (sin(x[0]) - sin(v[0]));
    return 0;
}

/* u'' = -lambda u/(1 + t)^2, u(0) = u(1) = 0, u'(0) = w: lambda = 1/4 + w^2, w = 3 pi/ln 2 */
static int euler_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)k;
    h[0] = (1 + t) * (1 + t) * z[0] + ((const keel_frame *)context)->parameters[0] * x[0];
    return 0;
}
static int euler_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    b[2] = ya[1] - 3 * PI / log(2);
    return 0;
}
static void euler_exact(double t, const fresh *c, double *y)
{
    double w = 3 * PI / log(2), r = sqrt(1 + t), s = sin(w * log(1 + t)), q = cos(w * log(1 + t));
    (void)c;
    y[0] = r * s;
    y[1] = (0.5 * s + w * q) / r;
    y[3] = 0.25 + w * w;
    y[2] = -y[3] * y[0] / ((1 + t) * (1 + t));
}

/* ---- layers at one end ---------------------------------------------------------------------------- */

/* eps u'' + u' = eps v'' + v': u = e^(-t/eps) + v, v = sin 3t; q = eps u' + u */
static int drift_rate(double t, const double *x, const double *z, double *f, void *context)
{
    (void)x;
    f[0] = z[0];
    f[1] = 3 * cos(3 * t) - 9 * case_of(context)->number * sin(3 * t);
    return 0;
}
static int drift_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)t, (void)k;
    h[0] = case_of(context)->number * z[0] + x[0] - x[1];
    return 0;
}
static void drift_exact(double t, const fresh *c, double *y)
{
    double eps = c->number, layer = exp(-t / eps);
    y[0] = layer + sin(3 * t);
    y[2] = -layer / eps + 3 * cos(3 * t);
    y[1] = eps * y[2] + y[0];
}

/* x' = 1000 (x - cos t) - sin t + (z - x^3), 0 = z - x^3: x = cos t + e^(1000 (t - 1)) */
static int growing_rate(double t, const double *x, const double *z, double *f, void *context)
{
    (void)context;
    f[0] = 1000 * (x[0] - cos(t)) - sin(t) + z[0] - x[0] * x[0] * x[0];
    return 0;
}
static int growing_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    (void)t, (void)k, (void)context;
    h[0] = z[0] - x[0] * x[0] * x[0];
    return 0;
}
static int growing_end(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)ya, (void)p, (void)context;
    b[0] = yb[0] - cos(1) - 1;
    return 0;
}
static void growing_exact(double t, const fresh *c, double *y)
{
    (void)c;
    y[0] = cos(t) + exp(1000 * (t - 1));
    y[1] = y[0] * y[0] * y[0];
}

/* ---- constraints ---------------------------------------------------------------------------------- */

/* Index 1 and 2 together: x = (1/(1 + t), sin 3t, e^-2t), z = (x1 x2, cos 2t).
 * 0 = z1 - x1 x2 + (z2 - cos 2t)/4,  0 = x1 x3 + x2 - v,  v the same of the solution. */
typedef struct mixture { double a, s, e, u, d_a, d_s, d_e; } mixture;
static mixture mixture_at(double t)
{
    double a = 1 / (1 + t), s = sin(3 * t), e = exp(-2 * t);
    return (mixture){a, s, e, cos(2 * t), -a * a, 3 * cos(3 * t), -2 * e};
}
static int mixture_rate(double t, const double *x, const double *z, double *f, void *context)
{
    mixture v = mixture_at(t);
    double y1 = z[0] - v.a * v.s, y2 = z[1] - v.u;
    (void)context;
    f[0] = v.d_a + 4 * (x[2] - v.e) + y1;
    f[1] = v.d_s + (2 + x[0]) * y2 - 6 * (x[0] - v.a);
    f[2] = v.d_e + 2 * (x[1] - v.s) - y1 * x[2] + y2;
    return 0;
}
static int mixture_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    mixture v = mixture_at(t);
    double f[3];
    if (k == 1) {
        h[1] = x[0] * x[2] + x[1] - v.a * v.e - v.s;
        return 0;
    }
    mixture_rate(t, x, z, f, context);
    h[0] = z[0] - x[0] * x[1] + (z[1] - v.u) / 4;
    h[1] = f[0] * x[2] + x[0] * f[2] + f[1] - (v.d_a * v.e + v.a * v.d_e + v.d_s);
    return 0;
}
static int mixture_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = yb[2] - exp(-2);
    return 0;
}
static void mixture_exact(double t, const fresh *c, double *y)
{
    mixture v = mixture_at(t);
    (void)c;
    y[0] = v.a;
    y[1] = v.s;
    y[2] = v.e;
    y[3] = v.a * v.s;
    y[4] = v.u;
}

/* Index 3: a bead on an ellipse, u = (2 cos a, sin a), a = t + 2 t^2, with a force such that l = 1 + t.
 * u'' = F - l (u1/2, 2 u2), 0 = u1^2/4 + u2^2 - 1, and its derivatives. */
static void bead_at(double t, double *u, double *v, double *w)
{
    double a = t + 2 * t * t, d = 1 + 4 * t;
    u[0] = 2 * cos(a), u[1] = sin(a);
    v[0] = -2 * d * sin(a), v[1] = d * cos(a);
    w[0] = -2 * (d * d * cos(a) + 4 * sin(a)), w[1] = -d * d * sin(a) + 4 * cos(a);
}
static int bead_rate(double t, const double *x, const double *z, double *f, void *context)
{
    double u[2], v[2], w[2];
    (void)context;
    bead_at(t, u, v, w);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = w[0] + (1 + t) * u[0] / 2 - z[0] * x[0] / 2 - 3 * (x[0] - u[0]);
    f[3] = w[1] + (1 + t) * u[1] * 2 - z[0] * x[1] * 2 - 3 * (x[1] - u[1]);
    return 0;
}
static int bead_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double f[4];
    if (k == 2) h[0] = x[0] * x[0] / 4 + x[1] * x[1] - 1;
    if (k == 1) h[0] = x[0] * x[2] / 2 + 2 * x[1] * x[3];
    if (k) return 0;
    bead_rate(t, x, z, f, context);
    h[0] = x[2] * x[2] / 2 + 2 * x[3] * x[3] + x[0] * f[2] / 2 + 2 * x[1] * f[3];
    return 0;
}
static int bead_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[1];                                /* a(0) = 0 */
    b[1] = yb[1] - sin(3);
    return 0;
}
static void bead_exact(double t, const fresh *c, double *y)
{
    double w[2];
    (void)c;
    bead_at(t, y, y + 2, w);
    y[4] = 1 + t;
}

#define SECOND(title, ...) \
    {.name = title, .nx = 2, .m = 1, .conditions = 2, .to = 1, .rate = second_rate, .condition = ends_of_u, \
     __VA_ARGS__}

static const fresh cases[] = {
    SECOND("corner 1e-4", .number = 1e-4, .from = -1, .level = corner_level, .exact = corner_exact),
    SECOND("corner 1e-6", .number = 1e-6, .from = -1, .level = corner_level, .exact = corner_exact,
           .refusable = 2e-8),
    {.name = "drift 1e-3", .nx = 2, .m = 1, .conditions = 2, .number = 1e-3, .to = 1, .rate = drift_rate,
     .level = drift_level, .condition = ends_of_u, .exact = drift_exact},
    {.name = "growing", .nx = 1, .m = 1, .conditions = 1, .to = 1, .rate = growing_rate,
     .level = growing_level, .condition = growing_end, .exact = growing_exact},
    SECOND("chirp", .level = chirp_level, .exact = chirp_exact),
    SECOND("shock, placed", .number = 0.01, .from = -1, .level = placed_level, .exact = shock_exact),
    SECOND("shock 0.1", .number = 0.1, .from = -1, .level = loose_level, .exact = shock_exact),
    SECOND("shock 0.05", .number = 0.05, .from = -1, .level = loose_level, .exact = shock_exact,
           .refusable = 1),
    SECOND("shock 0.03", .number = 0.03, .from = -1, .level = loose_level, .exact = shock_exact,
           .refusable = 1),
    SECOND("film, thick", .number = 0.8483, .level = film_level, .exact = film_exact),
    SECOND("film, thin", .number = 0.2350, .level = film_level, .exact = film_exact),
    SECOND("break", .breaks = 1, .break_at = 0.37, .level = break_level, .exact = break_exact),
    SECOND("step", .stages = 3, .level = step_level, .exact = step_exact),
    {.name = "euler", .nx = 2, .m = 1, .conditions = 3, .parameters = 1, .to = 1, .rate = second_rate,
     .level = euler_level, .condition = euler_ends, .exact = euler_exact},
    {.name = "mixture", .nx = 3, .m = 2, .chain = {0, 1}, .conditions = 2, .to = 1, .rate = mixture_rate,
     .level = mixture_level, .condition = mixture_ends, .exact = mixture_exact},
    {.name = "bead", .nx = 4, .m = 1, .chain = {2}, .next = {2, 3, -1, -1}, .conditions = 2, .to = 1,
     .rate = bead_rate, .level = bead_level, .condition = bead_ends, .exact = bead_exact},
};
enum { COUNT = sizeof cases / sizeof *cases };

/* A tenth of the way from the solution to 1. */
static int near_guess(double t, double *y, double *p, void *context)
{
    const fresh *c = context;
    double v[8];
    c->exact(t, c, v);
    for (int i = 0; i < c->nx + c->m; i++) y[i] = 0.9 * v[i] + 0.1;
    if (c->parameters) p[0] = 0.9 * v[c->nx + c->m] + 0.1;
    return 0;
}

/* Eleven points of every interval; at a break u'' is that of either side. */
static double error_of(const fresh *c, keel_solution *r, const double *p)
{
    double y[8], exact[8], largest = 0;
    int n = c->nx + c->m;
    for (int i = 0; i < keel_solution_steps(r); i++)
        for (int j = 0; j <= 10; j++) {
            double t0 = keel_solution_time(r, i), t1 = keel_solution_time(r, i + 1);
            double t = j == 10 ? t1 : t0 + (t1 - t0) * j / 10;
            if (c->breaks && fabs(t - c->break_at) < 1e-12) continue;
            assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
            c->exact(t, c, exact);
            if (c->parameters) y[n] = p[0];
            for (int l = 0; l < n + c->parameters; l++) {
                double e = fabs(y[l] - exact[l]) / (1 + fabs(exact[l]));
                if (!(e <= largest)) largest = e;
            }
        }
    return largest;
}

static keel_problem *problem_of(const fresh *c)
{
    keel_problem *p = NULL;
    int rc = keel_levelled(&p, &(keel_levelled_spec){
        .differential = c->nx, .algebraic = c->m, .chain = c->chain, .next = c->next[0] ? c->next : NULL,
        .rate = c->rate, .level = c->level, .context = (void *)c, .frame = {.parameters = 1}});
    if (rc) fail_msg("%s: %s", c->name, keel_problem_message(p));
    return p;
}

/* True error beside what was asked for; negative: refused. */
static double judged(const fresh *c, int stages, double tol)
{
    keel_problem *p = problem_of(c);
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .from = c->from, .to = c->to,
        .conditions = c->conditions, .condition = c->condition, .guess = near_guess, .context = (void *)c,
        .parameters = c->parameters, .breaks = c->breaks, .break_at = &c->break_at},
        &(keel_boundary_options){.rtol = tol, .atol = tol, .stages = stages});
    if (!rc) rc = keel_boundary_solve(w);
    double error = rc ? -1 : error_of(c, keel_boundary_solution(w), keel_boundary_parameters(w)) / tol;
    const keel_boundary_stats *s = keel_boundary_statistics(w);
    if (getenv("VERBOSE"))
        printf("%-14s k=%d tol %.0e N=%-5d error %8.2e, x %8.2e y %8.2e g %8.2e  %s\n", c->name, stages, tol,
               s->mesh, error, s->error_x, s->error_y, s->error_global, rc ? keel_boundary_message(w) : "");
    int named = rc == KEEL_NOT_CONVERGED || rc == KEEL_ILL_CONDITIONED;
    int coarse = stages > 0 && stages < c->stages;
    if (rc && !(named && (tol < c->refusable || coarse)))
        fail_msg("%s, %d stages, to %.1e: %s", c->name, stages, tol, keel_boundary_message(w));
    keel_boundary_free(w);
    keel_problem_free(p);
    return error;
}

typedef struct tally { int runs, refused, above; double largest; } tally;

static void judge(const fresh *c, int stages, double tol, tally *all)
{
    double ratio = judged(c, stages, tol);
    if (!(ratio <= 3)) fail_msg("%s, %d stages, to %.1e: %.2f times that", c->name, stages, tol, ratio);
    all->runs++;
    all->refused += ratio < 0;
    all->above += ratio > 1;
    all->largest = fmax(all->largest, ratio);
}

/* An estimate is not a bound: 1 in 100 may be above, and 3 is what was asked of the turning point. */
static void errors_are_as_asked(void **state)
{
    static const int stages[] = {0, 2, 3, 4, 5, 6, 8};
    const char *fraction = getenv("FRACTION"), *one = getenv("ONE");
    int runs = 0, above = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        tally all = {0};
        if (one && strcmp(one, cases[i].name) != 0) continue;
        for (int k = 0; k < 7; k++)
            for (int q = 4; q <= (stages[k] == 2 ? 6 : 10); q += 2)      /* else thousands of intervals */
                judge(&cases[i], stages[k], pow(10, -q - (fraction ? atof(fraction) : 0)), &all);
        runs += all.runs;
        above += all.above;
        if (getenv("VERBOSE"))
            printf("# %-14s %d runs, largest %.2g, refused %d\n", cases[i].name, all.runs, all.largest,
                   all.refused);
    }
    if (above > 0.01 * runs) fail_msg("%d of %d are less accurate than was asked for", above, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_as_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
