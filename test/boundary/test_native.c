/* test_native.c -- problems with known solutions in the forms in which they are written, from plain guesses
 * or none: index 1 with a condition that is not separated, index 2 on a line that turns, index 1 and 2 mixed
 * with conditions on z, index 3 as a mechanism, constraints at either end, two unknown parameters with a
 * condition inside, a layer of third order, a thermostat whose switching time is unknown.  With any number of
 * stages and at every tolerance the true error, that of parameters too, is at most what was asked for, or the
 * run is refused with a sentence.
 *
 * "wave" found that errors of parameters were not estimated (1.6 times what was asked for with two stages),
 * and on "line" 1e-9 was chosen, from which on noise refuses a run; nothing else was chosen on these.
 * Jacobians are differences.
 *
 *   VERBOSE=1 build/test/test_boundary_native prints every run; FRACTION=0.5: tolerances 10^-3.5, ...
 */
#include <stdlib.h>

#include "test/boundary/cases.h"

typedef struct native {
    const char *name;
    int n, conditions, parameters, inner, breaks, right;
    double from, to, inner_at, break_at;
    int (*problem)(keel_problem **p, const struct native *c);
    int (*condition)(const double *ya, const double *yb, const double *p, double *b, void *context);
    int (*inner_condition)(int i, double t, const double *y, const double *p, double *b, void *context);
    int (*guess)(double t, double *y, double *p, void *context);
    void (*exact)(double t, double *y);          /* parameters behind the unknowns         */
    double refusable;            /* below that rounding may refuse it                      */
} native;

/* ---- index 1, nonlinear in z, x(0) + 2 x(1) given: x = e^-t sin 5t, x' = z, z^3 + z = r + 5 (x - s) ---- */

static void cubic_exact(double t, double *y)
{
    y[0] = exp(-t) * sin(5 * t);
    y[1] = exp(-t) * (5 * cos(5 * t) - sin(5 * t));
}
static int cubic_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    (void)t, (void)x, (void)context;
    f[0] = z[0];
    return 0;
}
static int cubic_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    double y[2];
    (void)context;
    cubic_exact(t, y);
    g[0] = z[0] * z[0] * z[0] + z[0] - y[1] * y[1] * y[1] - y[1] - 5 * (x[0] - y[0]);
    return 0;
}
static int cubic_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] + 2 * yb[0] - 2 * exp(-1) * sin(5);
    return 0;
}
static int cubic_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    y[0] = 0;
    y[1] = 2;
    return 0;
}
static int cubic_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = cubic_rhs, .constraint = cubic_constraint});
}

/* ---- index 2 on a line that turns: x = n + a s, n = (cos 2t, sin 2t), s = n'/2, a = tanh((t - 1/2)/0.05)
 *
 *   x' = X' - 20 s s.(x - X) + (z - cos 7t) n,   0 = n.x - 1,   x2(0) given */

typedef struct line { double n[2], s[2], a, d_a; } line;
static line line_at(double t)
{
    double a = tanh((t - 0.5) / 0.05);
    return (line){{cos(2 * t), sin(2 * t)}, {-sin(2 * t), cos(2 * t)}, a, (1 - a * a) / 0.05};
}
static void line_exact(double t, double *y)
{
    line v = line_at(t);
    for (int i = 0; i < 2; i++) y[i] = v.n[i] + v.a * v.s[i];
    y[2] = cos(7 * t);
}
static int line_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    line v = line_at(t);
    double X[3], along = 0;
    (void)context;
    line_exact(t, X);
    for (int i = 0; i < 2; i++) along += v.s[i] * (x[i] - X[i]);
    for (int i = 0; i < 2; i++)
        f[i] = 2 * v.s[i] + v.d_a * v.s[i] - 2 * v.a * v.n[i] - 20 * along * v.s[i] + (z[0] - X[2]) * v.n[i];
    return 0;
}
static int line_constraint(double t, const double *x, double *g, void *context)
{
    (void)context;
    g[0] = x[0] * cos(2 * t) + x[1] * sin(2 * t) - 1;
    return 0;
}
static int line_gradient(double t, const double *x, double *g_x, void *context)
{
    (void)x, (void)context;
    g_x[0] = cos(2 * t);
    g_x[1] = sin(2 * t);
    return 0;
}
static int line_time(double t, const double *x, double *g_t, void *context)
{
    (void)context;
    g_t[0] = 2 * (x[1] * cos(2 * t) - x[0] * sin(2 * t));
    return 0;
}
static int line_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[1] - tanh(-10);
    return 0;
}
static int line_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
        .rhs = line_rhs, .constraint = line_constraint, .constraint_jacobian = line_gradient,
        .constraint_time = line_time});
}

/* h = g_x f + g_t is then itself made of differences, and z no more accurate than these. */
static int rough_line_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 1,
                                                        .rhs = line_rhs, .constraint = line_constraint});
}

/* ---- index 1 and 2: x1 = e^sin 6t, x2 = cosh t, x3 = x1 x2 (the constraint), z1 = x1^2, z2 = t^3, with
 * z1(0) and z2(1) given instead of x ----------------------------------------------------------------- */

static void product_exact(double t, double *y)
{
    y[0] = exp(sin(6 * t));
    y[1] = cosh(t);
    y[2] = y[0] * y[1];
    y[3] = y[0] * y[0];
    y[4] = t * t * t;
}
static int product_rate(double t, const double *x, const double *z, double *f, void *context)
{
    double y[5], d1, d2 = sinh(t), e = z[1] - t * t * t;
    (void)context;
    product_exact(t, y);
    d1 = 6 * cos(6 * t) * y[0];
    f[0] = d1 + z[0] - x[0] * x[0] + 3 * (x[1] - y[1]);
    f[1] = d2 + 2 * (x[0] - y[0]) + 0.3 * e;
    f[2] = d1 * y[1] + y[0] * d2 + e * (1 + x[0] * x[0]) + x[2] - y[2];
    return 0;
}
static int product_level(double t, const double *x, const double *z, int k, double *h, void *context)
{
    double f[3];
    h[1] = x[2] - x[0] * x[1];
    if (k) return 0;
    product_rate(t, x, z, f, context);
    h[0] = z[0] - x[0] * x[0] + 0.2 * sin(z[1] - t * t * t);
    h[1] = f[2] - f[0] * x[1] - x[0] * f[1];
    return 0;
}
static int product_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[3] - 1;
    b[1] = yb[4] - 1;
    return 0;
}
static int product_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    for (int i = 0; i < 5; i++) y[i] = 1;
    return 0;
}
static int product_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_levelled(p, &(keel_levelled_spec){.differential = 3, .algebraic = 2,
        .chain = (int[]){0, 1}, .rate = product_rate, .level = product_level});
}

/* ---- index 3: q'' = F - 2 q l on the sphere, q = (cos a cos b, sin a cos b, sin b), a = 2t, b = sin(3t)/2,
 * l = cos 4t, with F = Q'' + 2 Q L - 4 (q - Q) ---------------------------------------------------------- */

static void sphere_at(double t, double *q, double *v, double *w)
{
    double a = 2 * t, b = sin(3 * t) / 2, d = 1.5 * cos(3 * t), e = -4.5 * sin(3 * t);
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
    q[0] = ca * cb, q[1] = sa * cb, q[2] = sb;
    v[0] = -2 * sa * cb - d * ca * sb, v[1] = 2 * ca * cb - d * sa * sb, v[2] = d * cb;
    w[0] = -4 * ca * cb + 4 * d * sa * sb - e * ca * sb - d * d * ca * cb;
    w[1] = -4 * sa * cb - 4 * d * ca * sb - e * sa * sb - d * d * sa * cb;
    w[2] = e * cb - d * d * sb;
}
static void sphere_exact(double t, double *y)
{
    double w[3];
    sphere_at(t, y, y + 3, w);
    y[6] = cos(4 * t);
}
static int sphere_force(double t, const double *q, const double *v, double *f, void *context)
{
    double Q[3], V[3], W[3];
    (void)v, (void)context;
    sphere_at(t, Q, V, W);
    for (int i = 0; i < 3; i++) f[i] = W[i] + 2 * Q[i] * cos(4 * t) - 4 * (q[i] - Q[i]);
    return 0;
}
static int sphere_constraint(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1;
    return 0;
}
static int sphere_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    double end[7];
    (void)p, (void)context;
    sphere_exact(1, end);
    b[0] = ya[1];
    b[1] = ya[2];
    b[2] = yb[0] - end[0];
    b[3] = yb[2] - end[2];
    return 0;
}
static int sphere_guess(double t, double *y, double *p, void *context)
{
    (void)p, (void)context;
    memset(y, 0, 7 * sizeof *y);
    y[0] = 1 - t, y[1] = t, y[3] = -1, y[4] = 1;
    return 0;
}
static int sphere_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = 3, .constraints = 1,
        .force = sphere_force, .constraint = sphere_constraint});
}

/* ---- two unknown parameters: x' = p1 x + p2 z, z = cos 10t, x(0), x(1/2) and x(1) given: p = (-2, 3) */

static void wave_exact(double t, double *y)
{
    double c = 1 - 6. / 104;
    y[0] = c * exp(-2 * t) + 3 * (2 * cos(10 * t) + 10 * sin(10 * t)) / 104;
    y[1] = cos(10 * t);
    y[2] = -2;
    y[3] = 3;
}
static int wave_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    (void)t;
    f[0] = p[0] * x[0] + p[1] * z[0];
    return 0;
}
static int wave_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    (void)x, (void)context;
    g[0] = z[0] - cos(10 * t);
    return 0;
}
static int wave_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    double end[4];
    (void)p, (void)context;
    wave_exact(1, end);
    b[0] = ya[0] - 1;
    b[1] = yb[0] - end[0];
    return 0;
}
static int wave_inner(int i, double t, const double *y, const double *p, double *b, void *context)
{
    double at[4];
    (void)i, (void)p, (void)context;
    wave_exact(t, at);
    b[0] = y[0] - at[0];
    return 0;
}
static int wave_guess(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 1;
    y[1] = cos(10 * t);
    p[0] = -1;
    p[1] = 2;
    return 0;
}
static int wave_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = wave_rhs, .constraint = wave_constraint, .frame = {.parameters = 2}});
}

/* ---- eps u''' + u'' = -16 sin 4t - 64 eps cos 4t, u(0), u(0.3), u(1) given: u = sin 4t + eps e^(-t/eps) */

static const double thin = 1e-3;
static void third_exact(double t, double *y)
{
    double e = exp(-t / thin);
    y[0] = sin(4 * t) + thin * e;
    y[1] = 4 * cos(4 * t) - e;
    y[2] = -16 * sin(4 * t) + e / thin;
}
static int third_rhs(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = y[1];
    f[1] = y[2];
    f[2] = (-16 * sin(4 * t) - y[2]) / thin - 64 * cos(4 * t);
    return 0;
}
static int third_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - thin;
    b[1] = yb[0] - sin(4);
    return 0;
}
static int third_inner(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)i, (void)t, (void)p, (void)context;
    b[0] = y[0] - sin(1.2);
    return 0;
}
static int third_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_ode(p, &(keel_ode_spec){.size = 3, .rhs = third_rhs});
}

/* ---- a thermostat: x' = z - x, z = 2 until x = 3/2, at s = ln 3.6, then e^(t - s)/2 + x/4 -------------- */

static void thermostat_exact(double t, double *y)
{
    double s = log(3.6), r = t - s;              /* x' = -3x/4 + e^r/2: x = 2/7 e^r + (3/2 - 2/7) e^(-3r/4) */
    y[0] = r < 0 ? 2 - 1.8 * exp(-t) : 2 * exp(r) / 7 + (1.5 - 2. / 7) * exp(-0.75 * r);
    y[1] = r < 0 ? 2 : exp(r) / 2 + y[0] / 4;
    y[2] = s;
}
static int thermostat_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = z[0] - x[0];
    return 0;
}
static int thermostat_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    double s = ((const keel_frame *)context)->parameters[0];
    g[0] = z[0] - (t < s ? 2 : exp(t - s) / 2 + x[0] / 4);
    return 0;
}
static int thermostat_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 0.2;
    return 0;
}
static int thermostat_inner(int i, double t, const double *y, const double *p, double *b, void *context)
{
    (void)i, (void)t, (void)p, (void)context;
    b[0] = y[0] - 1.5;
    return 0;
}
static int thermostat_guess(double t, double *y, double *p, void *context)
{
    (void)t, (void)context;
    y[0] = p[0] = 1;
    y[1] = 2;
    return 0;
}
static int thermostat_problem(keel_problem **p, const native *c)
{
    (void)c;
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = 1, .algebraic = 1,
        .rhs = thermostat_rhs, .constraint = thermostat_constraint, .frame = {.parameters = 1}});
}

static const native cases[] = {
    {.name = "cubic", .n = 2, .conditions = 1, .to = 1, .problem = cubic_problem, .condition = cubic_ends,
     .guess = cubic_guess, .exact = cubic_exact},
    {.name = "line", .n = 3, .conditions = 1, .to = 1, .problem = line_problem,
     .condition = line_ends, .exact = line_exact},
    {.name = "line, right", .n = 3, .conditions = 1, .right = 1, .to = 1, .problem = line_problem,
     .condition = line_ends, .exact = line_exact},
    {.name = "line, differences", .n = 3, .conditions = 1, .to = 1, .problem = rough_line_problem,
     .condition = line_ends, .exact = line_exact, .refusable = 1e-9},
    {.name = "product", .n = 5, .conditions = 2, .to = 1, .problem = product_problem,
     .condition = product_ends, .guess = product_guess, .exact = product_exact},
    {.name = "sphere", .n = 7, .conditions = 4, .to = 1, .problem = sphere_problem, .condition = sphere_ends,
     .guess = sphere_guess, .exact = sphere_exact},
    {.name = "sphere, right", .n = 7, .conditions = 4, .right = 1, .to = 1, .problem = sphere_problem,
     .condition = sphere_ends, .guess = sphere_guess, .exact = sphere_exact},
    {.name = "wave", .n = 2, .conditions = 2, .parameters = 2, .inner = 1, .inner_at = 0.5, .to = 1,
     .problem = wave_problem, .condition = wave_ends, .inner_condition = wave_inner,
     .guess = wave_guess, .exact = wave_exact},
    {.name = "third", .n = 3, .conditions = 2, .inner = 1, .inner_at = 0.3, .to = 1, .problem = third_problem,
     .condition = third_ends, .inner_condition = third_inner, .exact = third_exact},
    {.name = "thermostat", .n = 2, .conditions = 1, .parameters = 1, .inner = 1, .inner_at = 1, .breaks = 1,
     .break_at = 1, .to = 3, .problem = thermostat_problem, .condition = thermostat_ends,
     .inner_condition = thermostat_inner, .guess = thermostat_guess, .exact = thermostat_exact},
};
enum { COUNT = sizeof cases / sizeof *cases };

/* Beside what was asked for, at eleven points of every interval; z jumps where its break is. */
static double error_of(const native *c, keel_solution *r, const double *p, double tol)
{
    double y[8], exact[8], largest = 0;
    for (int i = 0; i < keel_solution_steps(r); i++)
        for (int j = 0; j <= 10; j++) {
            double t0 = keel_solution_time(r, i), t1 = keel_solution_time(r, i + 1);
            double t = j == 10 ? t1 : t0 + (t1 - t0) * j / 10;
            if (c->breaks && (fabs(t - p[0]) < 1e-12 || (t < p[0]) != (t < log(3.6)))) continue;
            assert_int_equal(keel_solution_at(r, t, y), KEEL_OK);
            c->exact(t, exact);
            for (int l = 0; l < c->n + c->parameters; l++) {
                double e = fabs((l < c->n ? y[l] : p[l - c->n]) - exact[l]) / (tol * (1 + fabs(exact[l])));
                if (!(e <= largest)) largest = e;
            }
        }
    return largest;
}

/* True error beside what was asked for; negative: refused. */
static double judged(const native *c, const keel_problem *p, int stages, double tol)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, &(keel_boundary_spec){.problem = p, .from = c->from, .to = c->to,
        .conditions = c->conditions, .condition = c->condition, .parameters = c->parameters,
        .inner = c->inner, .inner_at = &c->inner_at, .inner_condition = c->inner_condition,
        .breaks = c->breaks, .break_at = &c->break_at, .break_parameter = c->breaks ? (int[]){0} : NULL,
        .guess = c->guess, .context = (void *)c},
        &(keel_boundary_options){.rtol = tol, .atol = tol, .stages = stages, .right = c->right});
    if (!rc) rc = keel_boundary_solve(w);
    double error = rc ? -1 : error_of(c, keel_boundary_solution(w), keel_boundary_parameters(w), tol);
    const keel_boundary_stats *s = keel_boundary_statistics(w);
    if (getenv("VERBOSE"))
        printf("%-20s k=%d tol %.0e N=%-5d error %8.2e, x %8.2e y %8.2e g %8.2e rhs %ld  %s\n", c->name,
               stages, tol, s->mesh, error, s->error_x, s->error_y, s->error_global, s->rhs,
               rc ? keel_boundary_message(w) : "");
    int named = rc == KEEL_NOT_CONVERGED || rc == KEEL_ILL_CONDITIONED;
    if (rc && !(named && tol < c->refusable))
        fail_msg("%s, %d stages, to %.1e: %s", c->name, stages, tol, keel_boundary_message(w));
    keel_boundary_free(w);
    return error;
}

/* An estimate is not a bound: 1 in 100 may be above, none by more than 3. */
static void errors_are_as_asked(void **state)
{
    static const int stages[] = {0, 2, 3, 4, 5, 6, 7, 8};
    const char *fraction = getenv("FRACTION"), *one = getenv("ONE");
    int runs = 0, above = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        keel_problem *p = NULL;
        if (one && strcmp(one, cases[i].name) != 0) continue;
        if (cases[i].problem(&p, &cases[i])) fail_msg("%s: %s", cases[i].name, keel_problem_message(p));
        for (int k = 0; k < 8; k++)
            for (int q = 3; q <= (stages[k] == 2 ? 5 : stages[k] == 3 ? 7 : 11); q += 2) {
                double tol = pow(10, -q - (fraction ? atof(fraction) : 0));
                double e = judged(&cases[i], p, stages[k], tol);
                if (!(e <= 3))
                    fail_msg("%s, %d stages, to %.1e: %.2f times that", cases[i].name, stages[k], tol, e);
                runs++;
                above += e > 1;
            }
        keel_problem_free(p);
    }
    if (getenv("VERBOSE")) printf("# %d runs, %d above\n", runs, above);
    if (above > 0.01 * runs) fail_msg("%d of %d are less accurate than was asked for", above, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_as_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
