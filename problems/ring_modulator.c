/* ring_modulator.c -- ring modulator: seven voltages U and eight inductor currents I.
 *
 * The four diodes q(v) = gamma (exp(delta v) - 1) see v = B (U3,...,U7) - e Uin2(t) and feed
 * -B^T q back into the nodes U3 ... U7, with e = (1,1,-1,-1) and
 *
 *       [  1  0 -1  0 -1 ]
 *   B = [  0 -1  0  1 -1 ]
 *       [  0  1  1  0  1 ]
 *       [ -1  0  0 -1  1 ]
 *
 * A small parasitic capacitance Cs makes an extremely stiff, oscillating ODE; Cs = 0 would make
 * it a DAE of index 2.  Horneber 1976; data: Mazzia & Magherini, Test Set for IVP Solvers,
 * release 2.4, Bari 2008.
 */
#include <math.h>
#include <string.h>

#include "problems/circuits.h"

enum { SIZE = 15, DIODES = 4, RING = 5, FIRST = 2 };    /* the ring nodes are y[2] ... y[6] */

static const double C = 1.6e-8, C_p = 1e-8, L_h = 4.45, L_s1 = 2e-3, L_s2 = 5e-4, L_s3 = 5e-4;
static const double gamma_ = 40.67286402e-9, delta = 17.7493332;
static const double R = 25e3, R_p = 50, R_g1 = 36.3, R_g2 = 17.3, R_g3 = 17.3, R_i = 50, R_c = 600;

static const double B[DIODES][RING] = {
    { 1, 0, -1, 0, -1 }, { 0, -1, 0, 1, -1 }, { 0, 1, 1, 0, 1 }, { -1, 0, 0, -1, 1 }
};
static const double e[DIODES] = { 1, 1, -1, -1 };
static const double pi = 3.14159265358979323846;

/* delta v of each diode; nonzero where the exponential is out of any physical range. */
static int diode_exponents(double t, const double *U, double *x)
{
    const double carrier = 2 * sin(2e4 * pi * t);
    for (int d = 0; d < DIODES; d++) {
        double v = -e[d] * carrier;
        for (int j = 0; j < RING; j++) v += B[d][j] * U[j];
        x[d] = delta * v;
        if (x[d] > 300) return 1;
    }
    return 0;
}

static double capacitance(int ring_node, double C_s) { return ring_node < RING - 1 ? C_s : C_p; }

static int rhs(double t, const double *y, double *f, void *context)
{
    const double C_s = *(const double *)context;
    const double *U = y, *I = y + 7;
    const double signal = 0.5 * sin(2e3 * pi * t);
    const double into[RING] = { I[2], -I[3], I[4], -I[5], -U[6] / R_p };
    double x[DIODES];
    if (diode_exponents(t, U + FIRST, x)) return 1;

    f[0] = (I[0] - 0.5 * I[2] + 0.5 * I[3] + I[6] - U[0] / R) / C;
    f[1] = (I[1] - 0.5 * I[4] + 0.5 * I[5] + I[7] - U[1] / R) / C;
    for (int j = 0; j < RING; j++) {
        double current = into[j];
        for (int d = 0; d < DIODES; d++) current -= B[d][j] * gamma_ * expm1(x[d]);
        f[FIRST + j] = current / capacitance(j, C_s);
    }
    f[7] = -U[0] / L_h;
    f[8] = -U[1] / L_h;
    f[9] = (0.5 * U[0] - U[2] - R_g2 * I[2]) / L_s2;
    f[10] = (-0.5 * U[0] + U[3] - R_g3 * I[3]) / L_s3;
    f[11] = (0.5 * U[1] - U[4] - R_g2 * I[4]) / L_s2;
    f[12] = (-0.5 * U[1] + U[5] - R_g3 * I[5]) / L_s3;
    f[13] = (-U[0] + signal - (R_i + R_g1) * I[6]) / L_s1;
    f[14] = (-U[1] - (R_c + R_g1) * I[7]) / L_s1;
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    const double C_s = *(const double *)context;
    double x[DIODES];
    if (diode_exponents(t, y + FIRST, x)) return 1;

    for (int s = 0; s < 2; s++) {                /* the two equal halves: U1 and U2 */
        keel_put(f_y, s, s, -1 / (R * C));
        keel_put(f_y, s, 7 + s, 1 / C);
        keel_put(f_y, s, 9 + 2 * s, -0.5 / C);
        keel_put(f_y, s, 10 + 2 * s, 0.5 / C);
        keel_put(f_y, s, 13 + s, 1 / C);
        keel_put(f_y, 7 + s, s, -1 / L_h);
        keel_put(f_y, 9 + 2 * s, s, 0.5 / L_s2);
        keel_put(f_y, 9 + 2 * s, 2 + 2 * s, -1 / L_s2);
        keel_put(f_y, 9 + 2 * s, 9 + 2 * s, -R_g2 / L_s2);
        keel_put(f_y, 10 + 2 * s, s, -0.5 / L_s3);
        keel_put(f_y, 10 + 2 * s, 3 + 2 * s, 1 / L_s3);
        keel_put(f_y, 10 + 2 * s, 10 + 2 * s, -R_g3 / L_s3);
        keel_put(f_y, 13 + s, s, -1 / L_s1);
        keel_put(f_y, 13 + s, 13 + s, -((s ? R_c : R_i) + R_g1) / L_s1);
        keel_put(f_y, 2 + 2 * s, 9 + 2 * s, 1 / C_s);
        keel_put(f_y, 3 + 2 * s, 10 + 2 * s, -1 / C_s);
    }
    keel_put(f_y, 6, 6, -1 / (R_p * C_p));
    for (int d = 0; d < DIODES; d++) {
        const double slope = gamma_ * delta * exp(x[d]);
        for (int i = 0; i < RING; i++)
            for (int j = 0; j < RING; j++)
                keel_add(f_y, FIRST + i, FIRST + j,
                         -B[d][i] * slope * B[d][j] / capacitance(i, C_s));
    }
    return 0;
}

static const char *const names[SIZE] = {
    "U1", "U2", "U3", "U4", "U5", "U6", "U7", "I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8"
};

const keel_ode_spec problem_ring_modulator_spec = {
    .size = SIZE, .rhs = rhs, .jacobian = jacobian, .names = names
};

static int create(keel_problem **problem, const double *parameters)
{
    keel_ode_spec spec = problem_ring_modulator_spec;
    spec.context = (void *)parameters;
    return keel_ode(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    memset(y, 0, SIZE * sizeof *y);
}

static const keel_parameter parameters_[] = {
    { "Cs", 2e-12, "parasitic capacitance of the diodes in farad" }
};

static const double end_values[SIZE] = {
    -0.02339057358437175, -0.00736748548600813, 0.2582956709992019, -0.4064465720587912,
    -0.4039455664455343, 0.26079667661245876, 0.11067618612732998, 2.939904342433043e-07,
    -2.840029933066738e-08, 0.0007267198267291428, 0.0007929487197023262,
    -0.0007255283495765895, -0.0007941401968548795, 7.088495416875653e-05,
    2.3900590752771325e-05
};

static const keel_reference references[] = {
    { 1e-3, end_values, 10, "Test Set for IVP Solvers, recomputed" }
};

const keel_target problem_ring_modulator = {
    .name = "ring-modulator",
    .title = "ring modulator with parasitic capacitance, stiff and oscillating",
    .source = "Horneber 1976; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 0, .size = SIZE, .t_start = 0, .t_end = 1e-3,
    .parameter_count = 1, .parameters = parameters_,
    .live_parameters = 1,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
    .reference_count = 1, .references = references
};
