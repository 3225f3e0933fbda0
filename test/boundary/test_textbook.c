/* test_textbook.c -- problems with known solutions from textbooks and test sets: singular perturbations of
 * J. R. Cash's test set (numbers are his), one of Stoer & Bulirsch, a thin bell; each as an ordinary
 * differential equation and with z = u''.  Then a string over an obstacle that touches it at an unknown
 * point, a bead that slides down a helix (index 3), and the first eigenvalue of a cantilever.  With any
 * number of stages the true error, that of parameters too, is at most what was asked for, or the run is
 * refused with a sentence.
 *
 * They found that linear problems with layers were refused for many solutions, that meshes went round in
 * circles, or were given up because a coarse one had not seen a layer, and that errors of mesh values and
 * between them were not added with two stages (1.7 times what was asked for).  What was mended was judged by
 * test_fresh.c, test_native.c, and by other tolerances (FRACTION=0.3 in the environment: 10^-3.3, ...).
 * Jacobians are differences.
 *
 *   VERBOSE=1 build/test/test_boundary_textbook prints every run.
 */
#include <stdlib.h>

#include "test/boundary/cases.h"

/* u'' = F(t, u, u'), u given at both ends; exact: u, u', u''. */
typedef struct second {
    const char *name;
    double eps, from, to;
    double (*F)(double t, double u, double v, double eps);
    void (*exact)(double t, double eps, double *y);
    int line;                    /* Newton's method begins at a straight line, not at 0    */
    double refusable;            /* below that rounding may refuse it where z = u''        */
    double least;                /* tolerance; below that z = u'' has rounding errors of u */
                                 /* times 1/eps, next to zeros of both, which nothing shows */
} second;

static int ode_rhs(double t, const double *y, double *f, void *context)
{
    const second *c = context;
    f[0] = y[1];
    f[1] = c->F(t, y[0], y[1], c->eps);
    return 0;
}
static int dae_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = z[0];
    return 0;
}
static int dae_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    const second *c = context;
    g[0] = c->eps * (z[0] - c->F(t, y[0], y[1], c->eps));
    return 0;
}
static int second_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const second *c = context;
    double left[3], right[3];
    (void)p;
    c->exact(c->from, c->eps, left);
    c->exact(c->to, c->eps, right);
    b[0] = ya[0] - left[0];
    b[1] = yb[0] - right[0];
    return 0;
}
static int second_line(double t, double *y, double *p, void *context)
{
    const second *c = context;
    double left[3], right[3];
    (void)p;
    c->exact(c->from, c->eps, left);
    c->exact(c->to, c->eps, right);
    y[1] = (right[0] - left[0]) / (c->to - c->from);
    y[0] = left[0] + (t - c->from) * y[1];
    return 0;
}

/* ---- [1] eps u'' = u ------------------------------------------------------------------------------- */

static double cash1(double t, double u, double v, double eps)
{
    (void)t, (void)v;
    return u / eps;
}
static void cash1_exact(double t, double eps, double *y)
{
    double r = sqrt(eps), a = exp(-t / r), b = exp((t - 2) / r), all = 1 - exp(-2 / r);
    y[0] = (a - b) / all;
    y[1] = -(a + b) / (r * all);
    y[2] = y[0] / eps;
}

/* ---- [2] eps u'' = u' ------------------------------------------------------------------------------ */

static double cash2(double t, double u, double v, double eps)
{
    (void)t, (void)u;
    return v / eps;
}
static void cash2_exact(double t, double eps, double *y)
{
    double all = -expm1(-1 / eps);
    y[0] = -expm1((t - 1) / eps) / all;
    y[1] = -exp((t - 1) / eps) / (eps * all);
    y[2] = y[1] / eps;
}

/* ---- [3] and [5]: cos pi t, without layers, where others might have some ----------------------------- */

static double cash3(double t, double u, double v, double eps)
{
    double a = 2 + cos(PI * t);
    return (u - a * v - (1 + eps * PI * PI) * cos(PI * t) - a * PI * sin(PI * t)) / eps;
}
static double cash5(double t, double u, double v, double eps)
{
    return (t * v + u - (1 + eps * PI * PI) * cos(PI * t) + PI * t * sin(PI * t)) / eps;
}
static void cosine(double t, double eps, double *y)
{
    (void)eps;
    y[0] = cos(PI * t);
    y[1] = -PI * sin(PI * t);
    y[2] = -PI * PI * cos(PI * t);
}

/* ---- [9] (eps + t^2) u'' + 4 t u' + 2 u = 0 --------------------------------------------------------- */

static double cash9(double t, double u, double v, double eps) { return -(4 * t * v + 2 * u) / (eps + t * t); }
static void cash9_exact(double t, double eps, double *y)
{
    double q = eps + t * t;
    y[0] = 1 / q;
    y[1] = -2 * t / (q * q);
    y[2] = (8 * t * t / q - 2) / (q * q);
}

/* ---- [17] u'' = -3 eps u/(eps + t^2)^2.  Another solution, (eps - t^2)/sqrt(eps + t^2), is 0 at both ends
 * if they are at +-sqrt(eps): then there are many. ---------------------------------------------------- */

static double cash17(double t, double u, double v, double eps)
{
    double q = eps + t * t;
    (void)v;
    return -3 * eps * u / (q * q);
}
static void cash17_exact(double t, double eps, double *y)
{
    double q = eps + t * t;
    y[0] = t / sqrt(q);
    y[1] = eps / (q * sqrt(q));
    y[2] = -3 * eps * t / (q * q * sqrt(q));
}

/* ---- [20] eps u'' + u'^2 = 1, a corner --------------------------------------------------------------- */

static double cash20(double t, double u, double v, double eps)
{
    (void)t, (void)u;
    return (1 - v * v) / eps;
}
static void cash20_exact(double t, double eps, double *y)
{
    double q = fabs(t - 0.745) / eps, s = tanh((t - 0.745) / eps);
    y[0] = 1 + eps * (q + log1p(exp(-2 * q)) - log(2));
    y[1] = s;
    y[2] = (1 - s * s) / eps;
}

/* ---- [21] eps u'' = u + u^2 - e^(-2t/sqrt(eps)) ------------------------------------------------------ */

static double cash21(double t, double u, double v, double eps)
{
    (void)v;
    return (u + u * u - exp(-2 * t / sqrt(eps))) / eps;
}
static void cash21_exact(double t, double eps, double *y)
{
    double r = sqrt(eps);
    y[0] = exp(-t / r);
    y[1] = -y[0] / r;
    y[2] = y[0] / eps;
}

/* ---- u'' = 3/2 u^2, of two solutions the flatter one [Stoer & Bulirsch, section 7.3] ------------------ */

static double flat(double t, double u, double v, double eps)
{
    (void)t, (void)v, (void)eps;
    return 1.5 * u * u;
}
static void flat_exact(double t, double eps, double *y)
{
    double q = 1 + t;
    (void)eps;
    y[0] = 4 / (q * q);
    y[1] = -2 * y[0] / q;
    y[2] = 6 * y[0] / (q * q);
}

/* ---- u'' = a'' + 10 (u - a), a = t + e^-((t - 0.618)/eps)^2 ------------------------------------------- */

static void bell_exact(double t, double eps, double *y)
{
    double s = (t - 0.6180339) / eps, a = exp(-s * s);
    y[0] = a + t;
    y[1] = 1 - 2 * s * a / eps;
    y[2] = (4 * s * s - 2) * a / (eps * eps);
}
static double bell(double t, double u, double v, double eps)
{
    double y[3];
    (void)v;
    bell_exact(t, eps, y);
    return y[2] + 10 * (u - y[0]);
}

static const second seconds[] = {
    {"[1] 1e-4", 1e-4, 0, 1, cash1, cash1_exact, 0, 0, 0},
    {"[2] 1e-4", 1e-4, 0, 1, cash2, cash2_exact, 0, 2e-11, 0},
    {"[3] 1e-2", 1e-2, -1, 1, cash3, cosine, 0, 1e-10, 0},
    {"[3] 1e-5", 1e-5, -1, 1, cash3, cosine, 0, 1, 0},
    {"[5] 1e-1", 1e-1, -1, 1, cash5, cosine, 0, 0, 0},
    {"[9] 1e-2", 1e-2, -1, 1, cash9, cash9_exact, 0, 1e-10, 0},
    {"[17] 1e-5", 1e-5, -0.1, 0.1, cash17, cash17_exact, 0, 1e-10, 0},
    {"[17] 1e-7", 1e-7, -0.1, 0.1, cash17, cash17_exact, 0, 1e-8, 1e-10},
    {"[20] 3e-2", 3e-2, 0, 1, cash20, cash20_exact, 1, 0, 0},
    {"[21] 1e-5", 1e-5, 0, 1, cash21, cash21_exact, 0, 0, 0},
    {"flat", 1, 0, 1, flat, flat_exact, 1, 0, 0},
    {"bell", 0.01, 0, 1, bell, bell_exact, 0, 1e-10, 0},
};
enum { SECONDS = sizeof seconds / sizeof *seconds };

static int second_problem(keel_problem **p, const second *c, int dae)
{
    return dae ? keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 2, .algebraic = 1,
                     .rhs = dae_rhs, .constraint = dae_constraint, .context = (void *)c})
               : keel_ode(p, &(keel_ode_spec){.size = 2, .rhs = ode_rhs, .context = (void *)c});
}

/* Beside what was asked for, at eleven points of every interval. */
static double second_error(const second *c, int n, keel_solution *r, double tol)
{
    double y[3], exact[3], largest = 0;
    for (int i = 0; i < keel_solution_steps(r); i++)
        for (int j = 0; j <= 10; j++) {
            double t0 = keel_solution_time(r, i), t1 = keel_solution_time(r, i + 1);
            double t = j == 10 ? t1 : t0 + (t1 - t0) * j / 10;
            assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
            c->exact(t, c->eps, exact);
            for (int l = 0; l < n; l++) {
                double e = fabs(y[l] - exact[l]) / (tol * (1 + fabs(exact[l])));
                if (!(e <= largest)) largest = e;
            }
        }
    return largest;
}

/* Negative: refused with a sentence, -2 without a reason. */
static double judged(const second *c, const keel_problem *p, int dae, int stages, double tol)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .from = c->from, .to = c->to,
        .conditions = 2, .condition = second_ends, .guess = c->line ? second_line : NULL,
        .context = (void *)c}, &(keel_boundary_options){.rtol = tol, .atol = tol, .stages = stages});
    if (!rc) rc = keel_boundary_solve(w);
    double error = rc ? -1 : second_error(c, 2 + dae, keel_boundary_solution(w), tol);
    if (rc && !(dae ? tol < c->refusable : tol < 1e-10)) error = -2;
    if (getenv("VERBOSE"))
        printf("%-10s %s k=%d tol %.0e N=%-5d error %8.2e  %s\n", c->name, dae ? "z = u''" : "ode", stages,
               tol, keel_boundary_statistics(w)->mesh, error, rc ? keel_boundary_message(w) : "");
    if (rc && rc != KEEL_NOT_CONVERGED && rc != KEEL_ILL_CONDITIONED)
        fail_msg("%s, %d stages, to %.1e: %s", c->name, stages, tol, keel_boundary_message(w));
    keel_boundary_free(w);
    return error;
}

static double tolerance_of(int digits)
{
    const char *fraction = getenv("FRACTION");
    return pow(10, -digits - (fraction ? atof(fraction) : 0));
}

/* An estimate is not a bound: 1 in 100 may be above, none by more than 3.  With fewer or more stages than the
 * standard number 2 in 100 may be refused: errors of mesh values next to a layer that is none, [3], come and
 * go with the mesh. */
static void errors_are_as_asked(void **state)
{
    static const int stages[] = {0, 2, 3, 4, 5, 6, 7, 8};
    int runs = 0, above = 0, refused = 0;
    (void)state;
    for (int i = 0; i < 2 * SECONDS; i++) {
        const second *c = &seconds[i / 2];
        keel_problem *p = NULL;
        assert_int_equal(second_problem(&p, c, i % 2), KEEL_OK);
        for (int k = 0; k < 8; k++)
            for (int q = 3; q <= (stages[k] == 2 ? 5 : stages[k] == 3 ? 7 : 11); q += 2) {
                double tol = tolerance_of(q);
                if (i % 2 && tol < c->least) continue;
                double e = judged(c, p, i % 2, stages[k], tol);
                if (!(e <= 3) || (e == -2 && !stages[k]))
                    fail_msg("%s, %d stages, to %.1e: %.2f times that", c->name, stages[k], tol, e);
                runs++;
                above += e > 1;
                refused += e == -2;
            }
        keel_problem_free(p);
    }
    if (getenv("VERBOSE")) printf("# %d runs, %d above, %d refused\n", runs, above, refused);
    assert_true(above <= 0.01 * runs);
    assert_true(refused <= 0.02 * runs);
}

/* Whatever the mesh makes of it, it is none of them. */
static void many_solutions_are_refused(void **state)
{
    static const second c = {"[17] 1e-2", 1e-2, -0.1, 0.1, cash17, cash17_exact, 0, 1, 0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_problem *p = NULL;
        assert_int_equal(second_problem(&p, &c, i), KEEL_OK);
        for (int q = 3; q <= 11; q += 2)
            for (int line = 0; line < 2; line++) {
                keel_boundary *w = NULL;
                double tol = tolerance_of(q);
                assert_int_equal(keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .from = c.from,
                    .to = c.to, .conditions = 2, .condition = second_ends,
                    .guess = line ? second_line : NULL, .context = (void *)&c},
                    &(keel_boundary_options){.rtol = tol, .atol = tol}), KEEL_OK);
                assert_int_not_equal(keel_boundary_solve(w), KEEL_OK);
                keel_boundary_free(w);
            }
        keel_problem_free(p);
    }
}

/* ---- other forms ------------------------------------------------------------------------------------ */

typedef struct other {
    const char *name;
    int n, conditions, inner, breaks, parameters;
    double from, to;
    int (*problem)(keel_problem **p);
    int (*condition)(const double *ya, const double *yb, const double *p, double *b, void *context);
    int (*inner_condition)(int i, double t, const double *y, const double *p, double *b, void *context);
    int (*guess)(double t, double *y, double *p, void *context);
    void (*exact)(double t, double *y);          /* parameters behind the unknowns         */
} other;

/* A string from (-2, 0) that is laid over 1 - t^2 and touches it from s = sqrt(3) - 2 on: z = u''. */
static void string_exact(double t, double *y)
{
    double s = sqrt(3) - 2;
    y[0] = t < s ? -2 * s * (t + 2) : 1 - t * t;
    y[1] = t < s ? -2 * s : -2 * t;
    y[2] = t < s ? 0 : -2;
    y[3] = s;
}
static int string_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    (void)x;
    g[0] = z[0] + (t < ((const keel_frame *)context)->parameters[0] ? 0 : 2);
    return 0;
}
static int string_problem(keel_problem **p)
{
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 2, .algebraic = 1, .rhs = dae_rhs,
        .constraint = string_constraint, .frame = {.parameters = 1}});
}
static int string_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0];
    return 0;
}
static int string_inner(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)t, (void)context;
    b[0] = i == 0 ? y[0] - 1 + p[0] * p[0] : y[1] + 2 * p[0];
    return 0;
}
static int string_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)context;
    y[0] = y[1] = 0.5;
    y[2] = -1;
    p[0] = -0.5;
    return 0;
}

/* q = (cos a, sin a, a/2) by its weight: (1 + 1/4) a'' = -g/2, from a = 3 to 0 in unit time, where
 * 0 = q1^2 + q2^2 - 1 and 0 = q2 cos 2q3 - q1 sin 2q3.  On the helix their gradients are
 * (2 cos a, 2 sin a, 0) and (-sin a, cos a, -2): of q'' = F - G^T l these parts are -a'^2 = -2 l1 and
 * a'' = -l2. */
static const double weight = 9.81;
static void helix_exact(double t, double *y)
{
    double c = -weight / 2.5, b = -3 - c / 2, a = 3 + b * t + c * t * t / 2, v = b + c * t;
    y[0] = cos(a), y[1] = sin(a), y[2] = a / 2;
    y[3] = -sin(a) * v, y[4] = cos(a) * v, y[5] = v / 2;
    y[6] = v * v / 2;
    y[7] = -c;
}
static int helix_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = f[1] = 0;
    f[2] = -weight;
    return 0;
}
static int helix_constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] - 1;
    g[1] = q[1] * cos(2 * q[2]) - q[0] * sin(2 * q[2]);
    return 0;
}
static int helix_jacobian(double t, const double *q, double *G, void *context)
{
    double c = cos(2 * q[2]), s = sin(2 * q[2]);
    (void)t, (void)context;
    G[0] = 2 * q[0], G[1] = 2 * q[1], G[2] = 0;
    G[3] = -s, G[4] = c, G[5] = -2 * (q[1] * s + q[0] * c);
    return 0;
}
static int helix_problem(keel_problem **p)
{
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 3, .constraints = 2, .force = helix_force,
        .constraint = helix_constraint, .constraint_jacobian = helix_jacobian});
}
static int helix_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[2] - 1.5;
    b[1] = yb[2];
    return 0;
}
static int helix_guess(double t, double *y, double *p, void *context)
{
    double a = 3 - 3 * t;
    (void)p, (void)context;
    y[0] = cos(a), y[1] = sin(a), y[2] = a / 2;
    y[3] = 3 * sin(a), y[4] = -3 * cos(a), y[5] = -1.5;
    return 0;
}

/* u'''' = lambda u, clamped at 0, free at 1, where u = 1: cosh b cos b = -1, lambda = b^4. */
static void cantilever_exact(double t, double *y)
{
    double b = 1.8751040687119611664, r = (cosh(b) + cos(b)) / (sinh(b) + sin(b)), s = b * t;
    double shape[4] = {cosh(s) - cos(s) - r * (sinh(s) - sin(s)), sinh(s) + sin(s) - r * (cosh(s) - cos(s)),
                       cosh(s) + cos(s) - r * (sinh(s) + sin(s)), sinh(s) - sin(s) - r * (cosh(s) + cos(s))};
    double end = cosh(b) - cos(b) - r * (sinh(b) - sin(b));
    for (int i = 0; i < 4; i++) y[i] = shape[i] * pow(b, i) / end;
    y[4] = pow(b, 4);
}
static int cantilever_rhs(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = y[1], f[1] = y[2], f[2] = y[3];
    f[3] = ((const keel_frame *)context)->parameters[0] * y[0];
    return 0;
}
static int cantilever_problem(keel_problem **p)
{
    return keel_ode(p, &(keel_ode_spec){.size = 4, .rhs = cantilever_rhs, .frame = {.parameters = 1}});
}
static int cantilever_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0], b[1] = ya[1], b[2] = yb[2], b[3] = yb[3], b[4] = yb[0] - 1;
    return 0;
}
static int cantilever_guess(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = t * t, y[1] = 2 * t, y[2] = 2, y[3] = 0;
    p[0] = 10;
    return 0;
}

static const other others[] = {
    {"string", 3, 1, 2, 1, 1, -2, 1, string_problem, string_ends, string_inner, string_guess, string_exact},
    {"helix", 8, 2, 0, 0, 0, 0, 1, helix_problem, helix_ends, NULL, helix_guess, helix_exact},
    {"cantilever", 4, 5, 0, 0, 1, 0, 1, cantilever_problem, cantilever_ends, NULL, cantilever_guess,
     cantilever_exact},
};
enum { OTHERS = sizeof others / sizeof *others };

/* Next to a break, which is known up to its error only, both sides may be there. */
static double other_error(const other *c, keel_solution *r, const double *p, double tol)
{
    double y[8], exact[9], largest = 0;
    for (int i = 0; i < 10 * keel_solution_steps(r); i++) {
        double from = keel_solution_time(r, i / 10), to = keel_solution_time(r, i / 10 + 1);
        double t = from + (to - from) * (i % 10) / 10;
        if (c->breaks && fabs(t - p[0]) <= 1e-9 + tol) continue;
        assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
        c->exact(t, exact);
        for (int l = 0; l < c->n + c->parameters; l++) {
            double e = fabs((l < c->n ? y[l] : p[l - c->n]) - exact[l]) / (tol * (1 + fabs(exact[l])));
            if (!(e <= largest)) largest = e;
        }
    }
    return largest;
}

static void other_is_as_asked(const other *c, double tol, keel_boundary_options options)
{
    static const double at[2] = {-0.5, -0.5};
    keel_problem *p = NULL;
    keel_boundary *w = NULL;
    options.rtol = options.atol = tol;
    assert_int_equal(c->problem(&p), KEEL_OK);
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .from = c->from, .to = c->to,
        .conditions = c->conditions, .condition = c->condition, .inner = c->inner, .inner_at = at,
        .inner_condition = c->inner_condition, .parameters = c->parameters, .breaks = c->breaks,
        .break_at = at, .break_parameter = c->breaks ? (int[]){0} : NULL, .guess = c->guess,
        .context = (void *)c}, &options);
    if (!rc) rc = keel_boundary_solve(w);
    if (rc) fail_msg("%s, %d stages, to %.1e: %s", c->name, options.stages, tol, keel_boundary_message(w));
    double e = other_error(c, keel_boundary_solution(w), keel_boundary_parameters(w), tol);
    if (getenv("VERBOSE"))
        printf("%-10s k=%d points %d tol %.0e N=%-5d error %8.2e\n", c->name, options.stages,
               (int)options.points, tol, keel_boundary_statistics(w)->mesh, e);
    if (!(e <= 1)) fail_msg("%s, %d stages, to %.1e: %.2f times that", c->name, options.stages, tol, e);
    keel_boundary_free(w);
    keel_problem_free(p);
}

static void other_forms(void **state)
{
    static const int stages[] = {0, 2, 3, 4, 6, 8};
    (void)state;
    for (int i = 0; i < OTHERS; i++)
        for (int k = 0; k < 6; k++)
            for (int q = 3; q <= (stages[k] == 2 ? 5 : stages[k] == 3 ? 7 : 11); q += 2)
                other_is_as_asked(&others[i], tolerance_of(q), (keel_boundary_options){.stages = stages[k]});
}

/* The last of Radau's points may be at a break, where it belongs to what is before it: with the right-hand
 * side of what follows, errors fell by half where intervals were twice as many.  Points of no higher order
 * have errors of mesh values that samples must show, and that mesh points must follow: both were wrong. */
static void other_points(void **state)
{
    static const double nodes[] = {0.1, 0.5, 0.8};
    (void)state;
    for (int i = 0; i < OTHERS; i++)
        for (int q = 3; q <= 7; q += 2) {
            for (int k = 3; k <= 8; k += q < 7 || k > 3 ? 1 : 2)
                other_is_as_asked(&others[i], tolerance_of(q),
                    (keel_boundary_options){.stages = k, .points = KEEL_POINTS_RADAU_IIA, .most = 1000});
            other_is_as_asked(&others[i], tolerance_of(q), (keel_boundary_options){
                .stages = 3, .points = KEEL_POINTS_GIVEN, .nodes = nodes, .most = 1000});
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_as_asked),
                                       cmocka_unit_test(many_solutions_are_refused),
                                       cmocka_unit_test(other_forms), cmocka_unit_test(other_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
