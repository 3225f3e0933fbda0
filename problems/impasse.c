/* impasse.c -- problems whose solutions run into impasse points.
 *
 *   impasse           x2' = 1,  0 = x1^2 + x2,  x(0) = (1, -1):  x1 = sqrt(1 - t) ends at t = 1
 *   impasse-circuit   L i' = E - v,  0 = i - v^3 + 3 v
 *
 * The circuit is a source E and an inductor L in series with a tunnel diode, whose characteristic
 * i = v^3 - 3 v (normalised, without parasitic capacitance) falls for |v| < 1.  With 3 (v^2 - 1)
 * v' = (E - v)/L and E > 1 the point v = -1, i = 2 is accessible and v = 1, i = -2 inaccessible:
 * alpha has the signs of -(E + 1) and of E - 1.  From v = -3
 *
 *   t = 3 L (w(-3) - w(v)),   w(v) = v^2/2 + E v + (E^2 - 1) log(E - v)
 *
 * up to t = 3 L (4 - 2 E + (E^2 - 1) log((E + 3)/(E + 1))), 5.204 for E = 3/2, L = 1; the curve
 * turns back to t = 2.240 at v = 1 and then goes to the equilibrium v = E. [Bendtsen & Thomsen
 * (eds.), IMM-REP-1999-8, 7.1; circuits: Chua & Deng, Int. J. Circuit Theory Appl. 17 (1989) 213,
 * 271]
 */
#include <math.h>

#include "problems/circuits.h"

static int parabola_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)z, (void)context;
    f[0] = 1;
    return 0;
}

static int parabola(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] + y[0];
    return 0;
}

static int parabola_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                             void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(J, 1, 0, 1);
    keel_put(J, 1, 1, 2 * z[0]);
    return 0;
}

static void parabola_exact(const double *parameters, double t, double *y)
{
    (void)parameters;
    y[0] = t - 1;
    y[1] = sqrt(1 - t);
}

static void parabola_start(const double *p, double *y) { parabola_exact(p, 0, y); }

/* The circuit. */

static int circuit_rhs(double t, const double *i, const double *v, double *f, void *context)
{
    const double *p = context;
    (void)t, (void)i;
    f[0] = (p[0] - v[0]) / p[1];
    return 0;
}

static int diode(double t, const double *i, const double *v, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = i[0] - v[0] * (v[0] * v[0] - 3);
    return 0;
}

static int circuit_jacobian(double t, const double *i, const double *v, keel_matrix *J,
                            void *context)
{
    const double *p = context;
    (void)t, (void)i;
    keel_put(J, 0, 1, -1 / p[1]);
    keel_put(J, 1, 0, 1);
    keel_put(J, 1, 1, 3 - 3 * v[0] * v[0]);
    return 0;
}

/* w, which is -t / (3 L) up to a constant. */
static long double travelled(long double E, long double v)
{
    return v * v / 2 + E * v + (E * E - 1) * logl(E - v);
}

/* By bisection: t grows with v up to v = -1. */
static void circuit_exact(const double *p, double t, double *y)
{
    const long double E = p[0], level = travelled(E, -3) - (long double)t / (3 * (long double)p[1]);
    long double low = -4, high = -1;
    for (int k = 0; k < 80; k++) {
        const long double middle = (low + high) / 2;
        if (travelled(E, middle) > level) low = middle;
        else high = middle;
    }
    if (travelled(E, -1) > level) low = NAN;     /* beyond the end of the solution */
    y[0] = (double)(low * (low * low - 3));
    y[1] = (double)low;
}

static void circuit_start(const double *p, double *y) { circuit_exact(p, 0, y); }

static const char *const parabola_names[] = { "x2", "x1" };
static const char *const circuit_names[] = { "i", "v" };
static const char *const diode_name[] = { "diode" };

const keel_semi_explicit_spec problem_impasse_spec = {
    .differential = 1, .algebraic = 1, .rhs = parabola_rhs, .constraint = parabola,
    .jacobian = parabola_jacobian, .names = parabola_names
};

const keel_semi_explicit_spec problem_impasse_circuit_spec = {
    .differential = 1, .algebraic = 1, .rhs = circuit_rhs, .constraint = diode,
    .jacobian = circuit_jacobian, .names = circuit_names, .constraint_names = diode_name
};

static int create_parabola(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_impasse_spec);
}

static int create_circuit(keel_problem **problem, const double *parameters)
{
    keel_semi_explicit_spec spec = problem_impasse_circuit_spec;
    spec.context = (void *)parameters;
    return keel_semi_explicit(problem, &spec);
}

static const keel_parameter parameters_[] = { { "E", 1.5, "voltage of the source, > 1" },
                                              { "L", 1, "inductance" } };

const keel_target problem_impasse = {
    .name = "impasse",
    .title = "parabola whose solution ends at an impasse point, t = 1",
    .source = "Bendtsen & Thomsen (eds.), IMM-REP-1999-8, 7.1",
    .index = 1, .size = 2, .t_start = 0, .t_end = 0.75,
    .create = create_parabola, .start = parabola_start, .exact = parabola_exact,
    .counts = (const unsigned char[]){ 1, 1 }
};

const keel_target problem_impasse_circuit = {
    .name = "impasse-circuit",
    .title = "tunnel diode and inductor with two impasse points",
    .source = "after Chua & Deng, Int. J. Circuit Theory Appl. 17 (1989) 213; data of its own",
    .index = 1, .size = 2, .t_start = 0, .t_end = 5,
    .parameter_count = 2, .parameters = parameters_,
    .create = create_circuit, .start = circuit_start, .exact = circuit_exact,
    .counts = (const unsigned char[]){ 1, 1 }
};
