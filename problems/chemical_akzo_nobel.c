/* chemical_akzo_nobel.c -- two species react while carbon dioxide flows in.
 *
 *   y1' = -2 r1 + r2 - r3 - r4               r1 = k1 y1^4 sqrt(y2)     r4 = k3 y1 y4^2
 *   y2' = -r1/2 - r4 - r5/2 + F              r2 = k2 y3 y4             r5 = k4 z^2 sqrt(y2)
 *   y3' = r1 - r2 + r3                       r3 = k2/K y1 y5           F  = klA (pCO2/H - y2)
 *   y4' = -r2 + r3 - 2 r4
 *   y5' = r2 - r3 + r5
 *   0   = Ks y1 y4 - z
 *
 * A negative concentration y2 has no root: the callbacks then ask for a smaller step.
 * Mazzia & Magherini, Test Set for IVP Solvers, release 2.4, Bari 2008 (chemical Akzo Nobel).
 */
#include <math.h>
#include <string.h>

#include "problems/circuits.h"

enum { SIZE = 6 };

static const double k_1 = 18.7, k_2 = 0.58, k_3 = 0.09, k_4 = 0.42;
static const double K = 34.4, klA = 3.3, K_s = 115.83, p_CO2 = 0.9, H = 737;

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    if (y[1] < 0) return 1;
    const double root = sqrt(y[1]);
    const double r1 = k_1 * y[0] * y[0] * y[0] * y[0] * root;
    const double r2 = k_2 * y[2] * y[3];
    const double r3 = k_2 / K * y[0] * y[4];
    const double r4 = k_3 * y[0] * y[3] * y[3];
    const double r5 = k_4 * z[0] * z[0] * root;
    const double F = klA * (p_CO2 / H - y[1]);
    f[0] = -2 * r1 + r2 - r3 - r4;
    f[1] = -0.5 * r1 - r4 - 0.5 * r5 + F;
    f[2] = r1 - r2 + r3;
    f[3] = -r2 + r3 - 2 * r4;
    f[4] = r2 - r3 + r5;
    return 0;
}

static int constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = K_s * y[0] * y[3] - z[0];
    return 0;
}

/* The matrix of reactions times the gradients of r1 ... r5, of which r1_1 is that by y1. */
static int jacobian(double t, const double *y, const double *z, keel_matrix *fg_yz, void *context)
{
    (void)t, (void)context;
    if (y[1] <= 0) return 1;
    const double root = sqrt(y[1]), cube = y[0] * y[0] * y[0];
    const double r1_1 = 4 * k_1 * cube * root, r1_2 = 0.5 * k_1 * cube * y[0] / root;
    const double r2_3 = k_2 * y[3], r2_4 = k_2 * y[2];
    const double r3_1 = k_2 / K * y[4], r3_5 = k_2 / K * y[0];
    const double r4_1 = k_3 * y[3] * y[3], r4_4 = 2 * k_3 * y[0] * y[3];
    const double r5_2 = 0.5 * k_4 * z[0] * z[0] / root, r5_6 = 2 * k_4 * z[0] * root;
    const double columns[SIZE][SIZE] = {         /* as a dense matrix keeps them */
        { -2 * r1_1 - r3_1 - r4_1, -0.5 * r1_1 - r4_1, r1_1 + r3_1, r3_1 - 2 * r4_1, -r3_1, K_s * y[3] },
        { -2 * r1_2, -0.5 * r1_2 - 0.5 * r5_2 - klA, r1_2, 0, r5_2, 0 },
        { r2_3, 0, -r2_3, -r2_3, r2_3, 0 },
        { r2_4 - r4_4, -r4_4, -r2_4, -r2_4 - 2 * r4_4, r2_4, K_s * y[0] },
        { -r3_5, 0, r3_5, r3_5, -r3_5, 0 },
        { 0, -0.5 * r5_6, 0, 0, r5_6, -1 }
    };
    memcpy(fg_yz->values, columns, sizeof columns);
    return 0;
}

static const char *const names[SIZE] = { "FLB", "CO2", "FLBT", "ZHU", "ZLA", "FLB.ZHU" };

const keel_semi_explicit_spec problem_chemical_akzo_nobel_spec = {
    .differential = 5, .algebraic = 1, .rhs = rhs, .constraint = constraint,
    .jacobian = jacobian, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_semi_explicit(problem, &problem_chemical_akzo_nobel_spec);
}

static void start(const double *parameters, double *y)
{
    static const double y0[SIZE] = { 0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007 };
    (void)parameters;
    memcpy(y, y0, sizeof y0);
}

static const double end_values[SIZE] = {
    0.11507949206617021, 0.0012038314715677053, 0.16115628874079743,
    0.00036561564212492844, 0.017080108852644042, 0.004873531310307456
};

static const keel_reference references[] = {
    { 180, end_values, 13, "Test Set for IVP Solvers, recomputed" }
};

const keel_target problem_chemical_akzo_nobel = {
    .name = "chemical-akzo-nobel",
    .title = "chemical kinetics with one equilibrium, Akzo Nobel",
    .source = "Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 180,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1, 1, 1, 1 },
    .reference_count = 1, .references = references
};
