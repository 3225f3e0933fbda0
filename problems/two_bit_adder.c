/* two_bit_adder.c -- adds two numbers of two bits and a carry with 39 MOS transistors.
 *
 *   q' = f(t,U),   0 = q - Q(U)       175 node charges q, 175 node voltages U
 *
 * Ten logical gates and three further transistors compute A + B + carry = 4 C + 2 S1 + S0, where
 * the carry input and the outputs S0, S1 are inverted.  The inputs run through all 32 sums with
 * trapezoidal pulses, so f has corners every 5 time units.  The outputs S0, S1, C are the
 * voltages of nodes 49, 130, 148: the unknowns 224, 305, 323, all counted from 1.
 * Model: mosfet.c; data: Mazzia & Magherini, Test Set for IVP Solvers 2.4, Bari 2008.
 */
#include <stdlib.h>
#include <string.h>

#include "problems/circuits.h"
#include "problems/mosfet.h"

enum { NODES = 175, SIZE = 2 * NODES, TRANSISTORS = 39, INPUTS = 5, OUTPUTS = 3 };
enum { DEPLETION, SINGLE, DOUBLE, TRIPLE };      /* the load; one, two, three in series */
enum { A0 = MOSFET_INPUT, B0 = A0 - 1, A1 = A0 - 2, B1 = A0 - 3, CARRY = A0 - 4 };

static const int outputs[OUTPUTS] = { 48, 129, 147 };
static const double C_out = 2;                   /* load capacitance of the outputs */

static const mosfet_kind kinds[] = {
    { -2.43, 0.2, 1.28, 2.675, 2.675 },
    { 0.2, 0.035, 1.01, 8.74, 8.74 },
    { 0.2, 0.035, 1.01, 17.48, 17.48 },
    { 0.2, 0.035, 1.01, 26.22, 26.22 }
};

/* The gates, nodes numbered from n, with output n + 4:
 *   NOR   not (u1 or u2)     OR_AND   not (u1 and (u2 or u3))
 *   NAND  not (u1 and u2)    AND_OR   not (u1 or (u2 and u3)) */
#define LOAD(n) { DEPLETION, n, n + 4, MOSFET_SUPPLY, n + 4 }
#define NOR(n, u1, u2) LOAD(n), \
    { SINGLE, n + 5, MOSFET_GROUND, n + 4, u1 }, { SINGLE, n + 9, MOSFET_GROUND, n + 4, u2 }
#define NAND(n, u1, u2) LOAD(n), \
    { DOUBLE, n + 5, n + 9, n + 4, u1 }, { DOUBLE, n + 10, MOSFET_GROUND, n + 9, u2 }
#define OR_AND(n, u1, u2, u3) NAND(n, u1, u2), { DOUBLE, n + 14, MOSFET_GROUND, n + 9, u3 }
#define AND_OR(n, u1, u2, u3) LOAD(n), { SINGLE, n + 5, MOSFET_GROUND, n + 4, u1 }, \
    { DOUBLE, n + 9, n + 13, n + 4, u2 }, { DOUBLE, n + 14, MOSFET_GROUND, n + 13, u3 }

static const mosfet transistors[TRANSISTORS] = {
    NOR(0, A0, B0), AND_OR(13, 4, B0, A0), NOR(31, 17, CARRY), AND_OR(44, 35, CARRY, 17),
    AND_OR(62, 4, CARRY, 17), NOR(80, A1, B1), AND_OR(93, 84, B1, A1), NAND(111, 66, 97),
    OR_AND(125, 115, 66, 97), AND_OR(143, 84, 4, 97),
    { TRIPLE, 161, 165, 147, 97 }, { TRIPLE, 166, 170, 165, 17 },
    { TRIPLE, 171, MOSFET_GROUND, 170, CARRY }
};

static const mosfet_network network = {
    .transistors = TRANSISTORS, .transistor = transistors, .kind = kinds,
    .R_g = 8e-4, .R_b = 2e-3, .C_g = 0.6, .C_b = 0.24, .I_s = 5e-11
};

/* Each input is half as fast as the one before. */
static void inputs(double t, mosfet_signal input[INPUTS])
{
    for (int k = 0; k < INPUTS; k++) {
        const double period = 20 << k, delay = period / 2 - 10;
        input[k] = mosfet_pulse(t, delay, delay + 5, period);
    }
}

/* The charge of a drain junction is C(U_bd - U_D) (U_bd - U_H) with H = D, except that the load
 * transistors are referred to the ground, as published.  (The published program also refers the
 * second transistor of a NOR gate to a node of another gate, evidently a slip: integrations get stuck
 * on it near t = 25.  The outputs agree to 6.1 digits.) */
static int charge_node(const mosfet *m)
{
    return m->drain == MOSFET_SUPPLY ? MOSFET_GROUND : m->drain;
}

/* Either end of a transistor: inner node, bulk node, terminal, and where the charge is from. */
typedef struct transistor_end { int inner, bulk, terminal, from; } transistor_end;

static transistor_end end_of(const mosfet *m, int end)
{
    return end ? (transistor_end){ m->first + 1, m->first + 3, m->drain, charge_node(m) }
               : (transistor_end){ m->first, m->first + 2, m->source, m->source };
}

static double node_voltage(const double *U, int terminal)
{
    return mosfet_potential(U, NULL, terminal);
}

static void charges(const double *U, double *Q)
{
    memset(Q, 0, NODES * sizeof *Q);
    for (int k = 0; k < OUTPUTS; k++) Q[outputs[k]] = C_out * U[outputs[k]];
    for (int k = 0; k < 2 * TRANSISTORS; k++) {
        const mosfet *m = &transistors[k / 2];
        const transistor_end e = end_of(m, k % 2);
        const double v = U[e.bulk] - node_voltage(U, e.terminal);
        const double gate = network.C_g * (U[e.inner] - (m->gate >= 0 ? U[m->gate] : 0));
        double slope;
        const double C = mosfet_capacitance(&network, v, &slope);
        Q[e.inner] += gate;
        if (m->gate >= 0) Q[m->gate] -= gate;
        Q[e.bulk] += C * (U[e.bulk] - node_voltage(U, e.from));
        if (e.terminal >= 0) Q[e.terminal] -= C * v;
    }
}

/* Adds to -Q_U, the lower right block of the Jacobian. */
static void stamp_charge(keel_matrix *J, int row, int column, double value)
{
    if (row >= 0) mosfet_stamp(J, NODES + row, column, NODES, -value);
}

static void charge_jacobian(const double *U, keel_matrix *J)
{
    for (int k = 0; k < OUTPUTS; k++) stamp_charge(J, outputs[k], outputs[k], C_out);
    for (int k = 0; k < 2 * TRANSISTORS; k++) {
        const mosfet *m = &transistors[k / 2];
        const transistor_end e = end_of(m, k % 2);
        const double v = U[e.bulk] - node_voltage(U, e.terminal);
        double slope;
        const double C = mosfet_capacitance(&network, v, &slope);
        const double lever = slope * (U[e.bulk] - node_voltage(U, e.from));
        stamp_charge(J, e.inner, e.inner, network.C_g);
        stamp_charge(J, e.inner, m->gate, -network.C_g);
        stamp_charge(J, m->gate, e.inner, -network.C_g);
        stamp_charge(J, m->gate, m->gate, network.C_g);
        stamp_charge(J, e.bulk, e.bulk, lever + C);
        stamp_charge(J, e.bulk, e.terminal, -lever);
        stamp_charge(J, e.bulk, e.from, -C);
        stamp_charge(J, e.terminal, e.bulk, -(slope * v + C));
        stamp_charge(J, e.terminal, e.terminal, slope * v + C);
    }
}

static int rhs(double t, const double *q, const double *U, double *f, void *context)
{
    mosfet_signal input[INPUTS];
    (void)q, (void)context;
    inputs(t, input);
    return mosfet_currents(&network, U, input, NODES, f);
}

static int constraint(double t, const double *q, const double *U, double *g, void *context)
{
    (void)t, (void)context;
    charges(U, g);
    for (int i = 0; i < NODES; i++) g[i] = q[i] - g[i];
    return 0;
}

static int jacobian(double t, const double *q, const double *U, keel_matrix *J, void *context)
{
    mosfet_signal input[INPUTS];
    (void)q, (void)context;
    inputs(t, input);
    for (int i = 0; i < NODES; i++) keel_put(J, NODES + i, i, 1);
    charge_jacobian(U, J);
    return mosfet_current_jacobian(&network, U, input, J, NODES);
}

/* Marks the rows in which voltage `column` appears through transistor m.  Bits are the roles
 * s, d, bs, bd, S, D, G, H of its nodes: which columns the row of each role depends on. */
static void mark_rows(const mosfet *m, int column, unsigned char *f_row, unsigned char *g_row)
{
    enum { s = 1, d = 2, bs = 4, bd = 8, S = 16, D = 32, G = 64, H = 128, ROLES = 8 };
    static const unsigned f_columns[ROLES] = {
        s|d|bs|bd|S|D|G, s|d|bs|bd|S|D|G, bs|S, bd|D, s|bs|S, d|bd|D, 0, 0
    };
    static const unsigned g_columns[ROLES] = {
        s|G, d|G, bs|S, bd|D|H, bs|S, bd|D, s|d|G, 0
    };
    const int node[ROLES] = { m->first, m->first + 1, m->first + 2, m->first + 3,
                              m->source, m->drain, m->gate, charge_node(m) };
    unsigned roles = 0;                          /* a node may play several */
    for (int r = 0; r < ROLES; r++)
        if (node[r] == column) roles |= 1u << r;
    for (int r = 0; r < ROLES; r++) {
        if (node[r] < 0) continue;
        if (f_columns[r] & roles) f_row[node[r]] = 1;
        if (g_columns[r] & roles) g_row[node[r]] = 1;
    }
}

int problem_two_bit_adder_pattern(int *column_start, int *row_index)
{
    int count = 0;
    for (int j = 0; j < SIZE; j++) {
        unsigned char mark[SIZE] = { 0 };
        if (j < NODES) mark[j] = mark[NODES + j] = 1;
        else
            for (int k = 0; k < TRANSISTORS; k++)
                mark_rows(&transistors[k], j - NODES, mark, mark + NODES);
        column_start[j] = count;
        for (int i = 0; i < SIZE; i++) {
            if (!mark[i]) continue;
            if (row_index) row_index[count] = i;
            count++;
        }
    }
    return column_start[SIZE] = count;
}

const keel_semi_explicit_spec problem_two_bit_adder_spec = {
    .differential = NODES, .algebraic = NODES, .rhs = rhs, .constraint = constraint,
    .jacobian = jacobian
};

/* ---- as one system diag(I, 0) (q, U)' = (f, q - Q(U)) ------------------------------------- */

static int whole_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    for (int i = 0; i < NODES; i++) keel_put(M, i, i, 1);
    return 0;
}

static int whole_rhs(double t, const double *y, double *f, void *context)
{
    int rc = rhs(t, y, y + NODES, f, context);
    return rc ? rc : constraint(t, y, y + NODES, f + NODES, context);
}

static int whole_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    return jacobian(t, y, y + NODES, J, context);
}

/* Parts of the circuit float: Q'(U) has rank 159 only, so that the voltages have index 2. */
static int create(keel_problem **problem, const double *parameters)
{
    int column_start[SIZE + 1], index[SIZE];
    const int count = problem_two_bit_adder_pattern(column_start, NULL);
    int *row_index = malloc((size_t)count * sizeof *row_index);
    (void)parameters;
    *problem = NULL;
    if (!row_index) return KEEL_NO_MEMORY;
    problem_two_bit_adder_pattern(column_start, row_index);
    for (int i = 0; i < SIZE; i++) index[i] = i < NODES ? 1 : 2;
    const int status = keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = SIZE, .mass = whole_mass, .constant_mass = 1, .rhs = whole_rhs,
        .jacobian = whole_jacobian, .variable_index = index,
        .pattern = { .storage = KEEL_SPARSE, .column_start = column_start,
                     .row_index = row_index } });
    free(row_index);
    return status;
}

static const double start_voltages[NODES] = {
    4.999999999996544, 4.99999999999997, -2.499999999999975, -2.499999999999975,
    4.999999999996514, 0.0, 4.999999999996514, -2.499999999999991, -2.499999999999975, 0.0,
    4.999999999996514, -2.499999999999991, -2.499999999999975, 0.215858486765796,
    4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040695017748,
    0.011817791748026, 0.192222903269723, -2.499999999999991, -2.49999999999999,
    -0.228160951881239, 0.204040695017748, -2.499999999999992, -2.49999999999999,
    -0.228160951881241, 0.0, -0.228160951881239, -2.499999999999991, -2.499999999999992,
    4.999999999996547, 4.99999999999997, -2.499999999999975, -2.499999999999975,
    4.999999999996517, 0.0, 4.999999999996517, -2.499999999999991, -2.499999999999975, 0.0,
    4.999999999996517, -2.499999999999991, -2.499999999999975, 0.215858484247529,
    4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040692499482,
    0.011817791748035, 0.192222900751447, -2.499999999999991, -2.49999999999999,
    -0.026041071738432, 0.204040692499482, -2.499999999999992, -2.49999999999999,
    -0.026041071738434, 0.0, -0.026041071738432, -2.499999999999991, -2.499999999999992,
    0.215858484880918, 4.988182208251953, -2.49999999999999, -2.499999999999975, 0.20404069313287,
    0.011817791748026, 0.192222901384845, -2.499999999999991, -2.49999999999999,
    -0.026041071737961, 0.20404069313287, -2.499999999999992, -2.49999999999999,
    -0.026041071737963, 0.0, -0.026041071737961, -2.499999999999991, -2.499999999999992,
    4.999999999996546, 4.99999999999997, -2.499999999999975, -2.499999999999975,
    4.999999999996516, 0.0, 4.999999999996516, -2.499999999999991, -2.499999999999975, 0.0,
    4.999999999996516, -2.499999999999991, -2.499999999999975, 0.215858481060569,
    4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040689312522,
    0.011817791748023, 0.192222897564498, -2.499999999999991, -2.49999999999999,
    4.734672533390068, 0.204040689312522, -2.499999999999977, -2.49999999999999,
    4.734672533390062, 0.0, 4.734672533390068, -2.499999999999991, -2.499999999999977,
    4.99999999999687, 4.999999999999972, -2.499999999999975, -2.499999999999975,
    4.999999999996843, -0.025968303070038, 4.999999999996843, -2.499999999999992,
    -2.499999999999975, -0.02596830307004, 0.0, -0.025968303070038, -2.499999999999991,
    -2.499999999999992, 4.999999999997699, 4.99999999999998, -2.499999999999975,
    -2.499999999999975, 4.999999999997678, 4.744923533081106, 4.999999999997678,
    -2.499999999999977, -2.499999999999975, 4.744923533081098, 0.0, 4.744923533081106,
    -2.499999999999991, -2.499999999999977, 0.0, 4.744923533081106, -2.499999999999991,
    -2.499999999999977, 0.215858484844162, 4.988182208251953, -2.49999999999999,
    -2.499999999999975, 0.204040693096114, 0.011817791748023, 0.192222901348091,
    -2.499999999999991, -2.49999999999999, 0.204040693096045, 0.204040693096107,
    -2.49999999999999, -2.49999999999999, 0.204040693096037, 0.0, 0.204040693096037,
    -2.499999999999991, -2.49999999999999, -0.026017361873565, 0.204040693096114,
    -2.499999999999992, -2.49999999999999, -0.026017361873568, -0.026017590106916,
    -0.026017361873565, -2.499999999999992, -2.499999999999992, -0.026017590106918, 0.0,
    -0.026017590106916, -2.499999999999991, -2.499999999999992
};

static const double end_values[SIZE] = {
    5.3276815949e-06, 0.00060809217602, -0.58027885784, -0.19344083033, 19.24683381, 0,
    2.9993865801, -0.30485682781, -0.58027885784, 0, 2.9993865801, -0.30485682781, -0.58027885784,
    0.007090602929, 2.8703868579, -0.32019951392, -0.19344083033, -3.831798464, -2.9922916861,
    -2.883958935, -0.30485682781, -0.32019951392, -0.14080453655, 0.12252218079, -0.2863915285,
    -0.32019951392, 0.57278305699, -3.5690562585e-07, -0.140804538, -0.30485682781, -0.2863915285,
    1.0452332996e-07, 1.19279541e-05, -0.58032163512, -0.19344083033, 7.6185036595,
    -0.12252253915, 2.8774654284, -0.30485682781, -0.58032163512, 0, 2.9999879675, -0.30485682781,
    -0.58032163512, 0.0070906745377, 2.8704841771, -0.32018756868, -0.19344083033, -1.5089283199,
    -2.9928972775, -2.8846535091, -0.30485682781, -0.32018756868, -0.022077912138, 0.12242514838,
    -0.302023195, -0.32018756868, 0.60404639001, -0.12252354529, -0.14459944514, -0.30485682781,
    -0.302023195, 0.0070906177376, 2.8704069851, -0.32019704322, -0.19344083033, -7.8395356047,
    -2.992292834, -2.8839779292, -0.30485682781, -0.32019704322, -0.022077912138, 0.12250239711,
    -0.302023195, -0.32019704322, 0.60404639001, -0.12252354529, -0.14459944514, -0.30485682781,
    -0.302023195, 2.8239856708e-07, 3.2220074241e-05, -0.58032017949, -0.19344083033,
    13.495969209, 0, 2.9999674975, -0.30485682781, -0.58032017949, 0, 2.9999674975,
    -0.30485682781, -0.58032017949, 0.0070906271026, 2.8704197044, -0.32019548343, -0.19344083033,
    -4.5650111459, -2.992873176, -2.8845721506, -0.30485682781, -0.32019548343, -0.14080987066,
    0.12248930913, -0.28639081054, -0.32019548343, 0.57278162107, -3.578912356e-07,
    -0.14080987212, -0.30485682781, -0.28639081054, -5.0237390466e-06, -0.0005733091074,
    -0.58036363571, -0.19344083033, 1.3421498374, 0.46759009401, 2.8780759357, -0.37373732259,
    -0.58036363571, 0.74747464519, -0.12248966848, 0.46760282264, -0.30485682781, -0.37373732259,
    1.4367826194e-05, 0.0016410955408, -0.58020469361, -0.19344083033, 11.153238801,
    -0.1786014989, -0.0022427342398, -0.56751359788, -0.58020469361, 1.7025407937, -0.12250239711,
    2.6994654988, -0.30485682781, -0.56751359788, -0.12248966848, 2.6994782274, -0.30485682781,
    -0.56751359788, 0.0070907377561, 2.8705701135, -0.32017701656, -0.19344083033, -1.1891556333,
    -2.9928817539, -2.8847140925, -0.30485682781, -0.32017701656, -2.8770424097, -2.8770468626,
    -0.32017770203, -0.32017701656, 0.64035540406, -0.12248966848, -0.00014492927637,
    -0.30485682781, -0.32017770203, -0.15122315771, -0.00015669299396, -0.30116389767,
    -0.32017701656, 0.60232779533, -0.15451176764, -0.15126559581, -0.30074355214, -0.30116389767,
    0.60148710428, 0, -0.031992622694, -0.30485682781, -0.30074355214, 4.9989874587, 4.9999920662,
    -2.4999998318, -2.5, 4.9989785792, 0, 4.9989776336, -2.5, -2.4999998318, 0, 4.9989776336,
    -2.5, -2.4999998318, 0.2160218245, 4.9881822495, -2.5000000242, -2.5, 0.20420415296,
    0.011825769025, 0.19238035418, -2.5, -2.5000000242, -0.23467422758, 0.20420363465,
    -2.4999998233, -2.5000000242, -0.23467429948, -5.9484270975e-07, -0.23467422999, -2.5,
    -2.4999998233, 4.9999801381, 4.9999998438, -2.4999999968, -2.5, 4.9999799639,
    -7.895565469e-08, 4.9999798669, -2.5, -2.4999999968, 0, 4.9999799459, -2.5, -2.4999999968,
    0.21585970372, 4.988182208, -2.5000000004, -2.5, 0.20404191282, 0.011817834693, 0.19222411538,
    -2.5, -2.5000000004, -0.03679652023, 0.20404191397, -2.499999772, -2.5000000004,
    -0.036795812448, -1.7558546315e-06, -0.036794922286, -2.5, -2.499999772, 0.21598829013,
    4.9881822358, -2.5000000208, -2.5, 0.2041705939, 0.01182385594, 0.19234869721, -2.5,
    -2.5000000208, -0.03679652023, 0.20417066186, -2.499999772, -2.5000000208, -0.036795812448,
    -1.7558546315e-06, -0.036794922286, -2.5, -2.499999772, 4.9999463602, 4.9999995896,
    -2.4999999893, -2.5, 4.9999458895, 0, 4.9999458292, -2.5, -2.4999999893, 0, 4.9999458292,
    -2.5, -2.4999999893, 0.21596712888, 4.9881822577, -2.5000000093, -2.5, 0.20414941704,
    0.011823929552, 0.1923256385, -2.5, -2.5000000093, -0.23468311777, 0.20414884856,
    -2.4999998228, -2.5000000093, -0.23468318988, -5.9648539266e-07, -0.2346831202, -2.5,
    -2.4999998228, 5.0009549153, 5.000007773, -2.5000001067, -2.5, 5.0009632882, 0.98348741724,
    5.0009638201, -2.5000000119, -2.5000001067, 0.98348744077, -3.0422546007e-08, 0.98348745477,
    -2.5, -2.5000000119, 4.9972663848, 4.9999775977, -2.4999997254, -2.5, 4.9972424385,
    4.7032941234, 4.9972253978, -2.499999198, -2.4999997254, 4.7032842385, -6.7957689473e-08,
    4.7032797586, -2.5, -2.499999198, -3.0422546007e-08, 4.7032797961, -2.5, -2.499999198,
    0.21571647213, 4.9881820984, -2.5000000016, -2.5, 0.20389857587, 0.01180963304, 0.19208906875,
    -2.5, -2.5000000016, 0.20390789631, 0.20390047487, -2.5000000045, -2.5000000016,
    0.20390788407, -3.0422546007e-08, 0.20390786825, -2.5, -2.5000000045, -0.047889179136,
    0.20388826205, -2.4999993535, -2.5000000016, -0.04789743488, -0.053315459786, -0.047905173398,
    -2.4999992017, -2.4999993535, -0.053318568117, 0, -0.053321037824, -2.5, -2.4999992017
};

static void start(const double *parameters, double *y)
{
    (void)parameters;
    charges(start_voltages, y);
    memcpy(y + NODES, start_voltages, sizeof start_voltages);
}

static const keel_reference references[] = {
    { 320, end_values, 8, "SDIRK of order 4, tolerance 1e-7, restarted at the corners; outputs "
                          "confirmed by Radau IIA at 1e-8, and by the Test Set in 6.1 digits" }
};

static const unsigned char counts[SIZE] = { [223] = 1, [304] = 1, [322] = 1 };

const keel_target problem_two_bit_adder = {
    .name = "two-bit-adder",
    .title = "two-bit adder of 39 MOS transistors, charges and voltages",
    .source = "Guenther & Rentrop 1996; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 2, .size = SIZE, .t_start = 0, .t_end = 320,
    .create = create, .start = start, .counts = counts,
    .reference_count = 1, .references = references
};
