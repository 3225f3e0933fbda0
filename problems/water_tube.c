/* water_tube.c -- water flowing through 18 tubes between 13 nodes.
 *
 *   rho l / a phi_k'  = p_i - p_j - friction(phi_k, lambda_k)               k = (i,j), 18 flows
 *   0                 = 1/sqrt(lambda_k) - 1.74
 *                       + 2 log10(2 kappa/d + 18.7/(max(R_k, R_crit) sqrt(lambda_k)))
 *   b/(rho g) p_n'    = net inflow into n        the buffers, nodes 5 and 8
 *   0                 = net inflow into n        the other 11 nodes
 *
 * R_k = |phi_k| d/(nu a) is the Reynolds number; friction is lambda rho l phi^2/(a^2 d) in
 * turbulent flow, R_k > R_crit, else 32 nu rho l phi/(a d^2).  The inflow condition of a node
 * without buffer holds no pressure: it takes one differentiation to find the 11 pressures, which
 * therefore have index 2.  It is attached as well: so it is kept to rounding and its derivative
 * gives the pressures.  Unknowns: 18 phi, 18 lambda, p of nodes 5, 8, then of the others.
 * Van de Griend 1992; data: Mazzia & Magherini, Test Set for IVP Solvers, release 2.4, 2008.
 */
#include <math.h>
#include <string.h>

#include "problems/circuits.h"

enum { TUBES = 18, NODES = 13, BUFFERS = 2, LAMBDA = TUBES, P = 2 * TUBES, SIZE = P + NODES };

static const double nu = 1.31e-6, g = 9.8, rho = 1e3, R_crit = 2.3e3, l = 1e3;
static const double kappa = 2e-4, d = 1, b = 200;
static const double a = 3.14159265358979323846 / 4;      /* cross section, d = 1 */

/* Tubes from and to; nodes by the place of their pressure: 5, 8, 1, 2, 3, 4, 6, 7, 9, ..., 13. */
static const struct { int from, to; } tube[TUBES] = {
    { 2, 3 }, { 3, 4 }, { 3, 6 }, { 4, 5 }, { 4, 0 }, { 5, 0 }, { 0, 9 }, { 6, 0 }, { 7, 5 },
    { 7, 1 }, { 1, 0 }, { 1, 9 }, { 8, 1 }, { 10, 8 }, { 10, 11 }, { 11, 7 }, { 11, 1 },
    { 12, 10 }
};
enum { INFLOW_1 = 2, OUTFLOW_10 = 9, INFLOW_13 = 12 };

static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    for (int k = 0; k < TUBES; k++) keel_put(M, k, k, rho * l / a);
    for (int n = P; n < P + BUFFERS; n++) keel_put(M, n, n, b / (rho * g));
    return 0;
}

static double reynolds(double phi) { return fabs(phi) * d / (nu * a); }

static double friction(double phi, double lambda)
{
    return reynolds(phi) > R_crit ? lambda * rho * l * phi * phi / (a * a * d)
                                  : 32 * nu * rho * l * phi / (a * d * d);
}

static double roughness(double R, double lambda)
{
    return 2 * kappa / d + 18.7 / (fmax(R, R_crit) * sqrt(lambda));
}

static void net_inflow(double t, const double *phi, double *inflow)
{
    const double hours = t / 3600, rain = 1 - cos(exp(-hours) - 1);
    memset(inflow, 0, NODES * sizeof *inflow);
    inflow[INFLOW_1] = rain / 200;
    inflow[INFLOW_13] = rain / 80;
    inflow[OUTFLOW_10] = -hours * hours * ((3 * hours - 92) * hours + 720) / 1e6;
    for (int k = 0; k < TUBES; k++) {
        inflow[tube[k].from] -= phi[k];
        inflow[tube[k].to] += phi[k];
    }
}

static int rhs(double t, const double *y, double *f, void *context)
{
    const double *phi = y, *lambda = y + LAMBDA, *p = y + P;
    (void)context;
    net_inflow(t, phi, f + P);
    for (int k = 0; k < TUBES; k++) {
        const int i = tube[k].from, j = tube[k].to;
        if (!(lambda[k] > 0)) return 1;
        f[k] = p[i] - p[j] - friction(phi[k], lambda[k]);
        f[LAMBDA + k] = 1 / sqrt(lambda[k]) - 1.74
                      + 2 * log10(roughness(reynolds(phi[k]), lambda[k]));
    }
    return 0;
}

static int jacobian(double t, const double *y, keel_matrix *f_y, void *context)
{
    (void)t, (void)context;
    for (int k = 0; k < TUBES; k++) {
        const double phi = y[k], lambda = y[LAMBDA + k], R = reynolds(phi);
        if (!(lambda > 0)) return 1;
        const int i = P + tube[k].from, j = P + tube[k].to, turbulent = R > R_crit;
        const double root = sqrt(lambda), term = 18.7 / (fmax(R, R_crit) * root);
        const double slope = 2 / (log(10) * roughness(R, lambda)) * term;
        keel_put(f_y, k, k, turbulent ? -2 * lambda * rho * l * phi / (a * a * d)
                                      : -32 * nu * rho * l / (a * d * d));
        keel_put(f_y, k, LAMBDA + k, turbulent ? -rho * l * phi * phi / (a * a * d) : 0);
        keel_put(f_y, k, i, 1);
        keel_put(f_y, k, j, -1);
        keel_put(f_y, LAMBDA + k, k, turbulent ? -slope / phi : 0);
        keel_put(f_y, LAMBDA + k, LAMBDA + k, -0.5 / lambda * (1 / root + slope));
        keel_put(f_y, i, k, -1);
        keel_put(f_y, j, k, 1);
    }
    return 0;
}

/* Whether M or f_y may be nonzero there. */
static int nonzero(int row, int column)
{
    if (row < P && column < P) return row % TUBES == column % TUBES;
    if (row >= P && column >= P) return row == column && row < P + BUFFERS;
    const int k = row < P ? row : column, n = (row < P ? column : row) - P;
    return k < TUBES && (tube[k].from == n || tube[k].to == n);
}

int problem_water_tube_pattern(int *column_start, int *row_index)
{
    int count = 0;
    for (int j = 0; j < SIZE; j++) {
        column_start[j] = count;
        for (int i = 0; i < SIZE; i++) {
            if (!nonzero(i, j)) continue;
            if (row_index) row_index[count] = i;
            count++;
        }
    }
    return column_start[SIZE] = count;
}

/* Net inflow into the nodes without buffer, which the flows must keep at 0. */
static int balance(double t, const double *y, double *h, void *context)
{
    double inflow[NODES];
    (void)context;
    net_inflow(t, y, inflow);
    memcpy(h, inflow + BUFFERS, (NODES - BUFFERS) * sizeof *h);
    return 0;
}

static int balance_jacobian(double t, const double *y, double *h_y, void *context)
{
    (void)t, (void)y, (void)context;
    memset(h_y, 0, (NODES - BUFFERS) * SIZE * sizeof *h_y);
    for (int k = 0; k < TUBES; k++) {
        const int i = tube[k].from - BUFFERS, j = tube[k].to - BUFFERS;
        if (i >= 0) h_y[i * SIZE + k] = -1;
        if (j >= 0) h_y[j * SIZE + k] = 1;
    }
    return 0;
}

static const int variable_index[SIZE] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2
};

static const char *const names[SIZE] = {
    "phi_1_2", "phi_2_3", "phi_2_6", "phi_3_4", "phi_3_5", "phi_4_5", "phi_5_10", "phi_6_5",
    "phi_7_4", "phi_7_8", "phi_8_5", "phi_8_10", "phi_9_8", "phi_11_9", "phi_11_12", "phi_12_7",
    "phi_12_8", "phi_13_11", "lambda_1_2", "lambda_2_3", "lambda_2_6", "lambda_3_4",
    "lambda_3_5", "lambda_4_5", "lambda_5_10", "lambda_6_5", "lambda_7_4", "lambda_7_8",
    "lambda_8_5", "lambda_8_10", "lambda_9_8", "lambda_11_9", "lambda_11_12", "lambda_12_7",
    "lambda_12_8", "lambda_13_11", "p5", "p8", "p1", "p2", "p3", "p4", "p6", "p7", "p9", "p10",
    "p11", "p12", "p13"
};

static const char *const nodes[NODES - BUFFERS] = {
    "node 1", "node 2", "node 3", "node 4", "node 6", "node 7", "node 9", "node 10", "node 11",
    "node 12", "node 13"
};

const keel_quasilinear_spec problem_water_tube_spec = {
    .size = SIZE, .mass = mass, .constant_mass = 1, .rhs = rhs, .jacobian = jacobian,
    .variable_index = variable_index, .names = names,
    .attached = { .rows = NODES - BUFFERS, .value = balance, .jacobian = balance_jacobian,
                  .names = nodes }
};

static int create(keel_problem **problem, const double *parameters)
{
    int column_start[SIZE + 1], row_index[SIZE * SIZE];
    keel_quasilinear_spec spec = problem_water_tube_spec;
    (void)parameters;
    problem_water_tube_pattern(column_start, row_index);
    spec.pattern = (keel_pattern){ .storage = KEEL_SPARSE, .column_start = column_start,
                                   .row_index = row_index };
    return keel_quasilinear(problem, &spec);
}

static void start(const double *parameters, double *y)
{
    (void)parameters;
    for (int i = 0; i < SIZE; i++)
        y[i] = i < LAMBDA ? 0 : i < P ? 0.47519404529185289807e-1 : 109800;
}

static const double end_values[SIZE] = {
    0.0022984882964774303, 0.0011889846509475592, 0.001109503645529871, 0.0001589620108353764,
    0.0010300226401121829, 0.0008710606292768064, 0.00324357147969646, 0.001109503645529871,
    0.0007120986184414301, 0.0006414613978044187, 0.0009416978499138178, 0.0034034285203035403,
    0.0023976393108974597, 0.0023976393108974597, 0.0033485814302961162, 0.0013535600162458488,
    0.001995021414050267, 0.005746220741193576, 0.04751940452918529, 0.04751940452918529,
    0.04751940452918529, 0.04751940452918529, 0.04751940452918529, 0.04751940452918529,
    0.043111967792772724, 0.04751940452918529, 0.04751940452918529, 0.04751940452918529,
    0.04751940452918529, 0.042492174331491765, 0.04732336439511383, 0.04732336439511383,
    0.042700021189288465, 0.04751940452918529, 0.04751940452918529, 0.03651427026675656,
    111126.85914779466, 111127.00455925608, 111127.10787301192, 111126.98519297234,
    111126.9255355216, 111126.93226579779, 111126.9221703835, 111127.01211407712,
    111127.44195159672, 111125.51588810932, 111127.87934393735, 111127.0995171775,
    111129.8338971926
};

static const keel_reference references[] = {
    { 61200, end_values, 8, "Test Set for IVP Solvers, recomputed in quad precision" }
};

static const unsigned char counts[SIZE] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, [P] = 1, 1
};

const keel_target problem_water_tube = {
    .name = "water-tube",
    .title = "water in a network of 18 tubes, pressures of index 2",
    .source = "Van de Griend 1992; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 61200,
    .create = create, .start = start, .counts = counts,
    .reference_count = 1, .references = references
};
