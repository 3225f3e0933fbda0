/* transistor_amplifier.c -- amplifier of two transistors, eight node voltages.
 *
 *   M U' = f(t,U),   M = blocks C1 [1 -1; -1 1], C2, C3 [1 -1; -1 1], C4, C5 [1 -1; -1 1]
 *
 * Kirchhoff's current law at the nodes; M is singular of rank 5, the index is 1 because the
 * currents that the three blocks leave out (sums of rows 1-2, 4-5, 7-8) are algebraic.  The signs
 * are chosen so that M is positive semidefinite.  A transistor carries the emitter current
 * h(v) = beta (exp(v/U_F) - 1), of which alpha flows through the collector.
 * [HW96 VI.1]; data: Mazzia & Magherini, Test Set for IVP Solvers, release 2.4, Bari 2008.
 */
#include <math.h>
#include <string.h>

#include "problems/circuits.h"

enum { SIZE = 8 };

static const double U_b = 6, U_F = 0.026, alpha = 0.99, beta = 1e-6;
static const double R_0 = 1000, R = 9000;                      /* R1 = ... = R9 = R */
static const double C_1 = 1e-6, C_2 = 2e-6, C_3 = 3e-6, C_4 = 4e-6, C_5 = 5e-6;

static double input(double t)
{
    static const double pi = 3.14159265358979323846;
    return 0.1 * sin(200 * pi * t);
}

static double emitter(double v) { return beta * expm1(v / U_F); }
static double emitter_slope(double v) { return beta / U_F * exp(v / U_F); }

static int mass(double t, const double *U, keel_matrix *M, void *context)
{
    const struct { int node; double C; } coupling[] = { {0, C_1}, {3, C_3}, {6, C_5} };
    (void)t, (void)U, (void)context;
    for (int k = 0; k < 3; k++) {
        const int i = coupling[k].node, j = i + 1;
        keel_put(M, i, i, coupling[k].C);
        keel_put(M, i, j, -coupling[k].C);
        keel_put(M, j, i, -coupling[k].C);
        keel_put(M, j, j, coupling[k].C);
    }
    keel_put(M, 2, 2, C_2);
    keel_put(M, 5, 5, C_4);
    return 0;
}

static int rhs(double t, const double *U, double *f, void *context)
{
    (void)context;
    const double h1 = emitter(U[1] - U[2]), h2 = emitter(U[4] - U[5]);
    f[0] = (input(t) - U[0]) / R_0;
    f[1] = (U_b - 2 * U[1]) / R - (1 - alpha) * h1;
    f[2] = h1 - U[2] / R;
    f[3] = (U_b - U[3]) / R - alpha * h1;
    f[4] = (U_b - 2 * U[4]) / R - (1 - alpha) * h2;
    f[5] = h2 - U[5] / R;
    f[6] = (U_b - U[6]) / R - alpha * h2;
    f[7] = -U[7] / R;
    return 0;
}

static int jacobian(double t, const double *U, keel_matrix *f_U, void *context)
{
    (void)t, (void)context;
    keel_put(f_U, 0, 0, -1 / R_0);
    for (int b = 1; b <= 4; b += 3) {            /* base, emitter, collector: b, b+1, b+2 */
        const double slope = emitter_slope(U[b] - U[b + 1]);
        keel_put(f_U, b, b, -2 / R - (1 - alpha) * slope);
        keel_put(f_U, b, b + 1, (1 - alpha) * slope);
        keel_put(f_U, b + 1, b, slope);
        keel_put(f_U, b + 1, b + 1, -1 / R - slope);
        keel_put(f_U, b + 2, b, -alpha * slope);
        keel_put(f_U, b + 2, b + 1, alpha * slope);
        keel_put(f_U, b + 2, b + 2, -1 / R);
    }
    keel_put(f_U, 7, 7, -1 / R);
    return 0;
}

static const char *const names[SIZE] = { "U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8" };

const keel_quasilinear_spec problem_transistor_amplifier_spec = {
    .size = SIZE, .mass = mass, .constant_mass = 1, .rhs = rhs, .jacobian = jacobian,
    .pattern = { .storage = KEEL_BAND, .lower = 2, .upper = 1 }, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_quasilinear(problem, &problem_transistor_amplifier_spec);
}

static void start(const double *parameters, double *U)
{
    static const double U0[SIZE] = { 0, 3, 3, 6, 3, 3, 6, 0 };
    (void)parameters;
    memcpy(U, U0, sizeof U0);
}

static const double end_values[SIZE] = {
    -0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1, 0.2926422536206241e1,
    0.2704617865010554e1, 0.2761837778393145e1, 0.4770927631616772e1, 0.1236995868091548e1
};

static const keel_reference references[] = {
    { 0.2, end_values, 14.9, "Test Set for IVP Solvers: PSIDE, tolerance 1e-14, Cray C90" }
};

const keel_target problem_transistor_amplifier = {
    .name = "transistor-amplifier",
    .title = "two-transistor amplifier, singular capacitance matrix of rank 5",
    .source = "Hairer & Wanner 1996, VI.1; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 0.2,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1, 1, 1, 1, 1, 1 },
    .reference_count = 1, .references = references
};
