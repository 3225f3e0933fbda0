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
 * second transistor of a NOR gate to a node of another gate, evidently a slip: its g_U becomes
 * singular on the way.  The outputs hardly notice.) */
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
        if (j < NODES) mark[NODES + j] = 1;
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

static int create(keel_problem **problem, const double *parameters)
{
    int column_start[SIZE + 1];
    const int count = problem_two_bit_adder_pattern(column_start, NULL);
    int *row_index = malloc((size_t)count * sizeof *row_index);
    keel_semi_explicit_spec spec = problem_two_bit_adder_spec;
    (void)parameters;
    *problem = NULL;
    if (!row_index) return KEEL_NO_MEMORY;
    problem_two_bit_adder_pattern(column_start, row_index);
    spec.pattern = (keel_pattern){ .storage = KEEL_SPARSE, .column_start = column_start,
                                   .row_index = row_index };
    const int status = keel_semi_explicit(problem, &spec);
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
    5.329676348348893e-06, 0.0006083199215822746, -0.5802788414936773, -0.1934408303298687,
    19.24683208304517, -5.14379819840226e-62, 2.999386350402069, -0.3048568278060051,
    -0.5802788414936773, -5.14379819840226e-62, 2.999386350402069, -0.3048568278060051,
    -0.5794434527225972, 0.007090602915275927, 2.870386839346849, -0.3201995162025645,
    -0.1934408303298687, -3.831797456449475, -2.992291455828521, -2.883958687237743,
    -0.3048568278060051, -0.3201995162025645, -0.1408045046739925, 0.1225221993879181,
    -0.2863915327854759, -0.3201995162025645, 0.5727830655709517, -3.568994249538271e-07,
    -0.140804506124525, -0.3048568278060051, -0.2863915327854759, 1.046493633015554e-07,
    1.194233059399546e-05, -0.5803216340894781, -0.1934408303298687, 7.618503612049611,
    -0.1225225577378757, 2.877465395282166, -0.3048568278060051, -0.5803216340894781,
    -5.144043562440774e-62, 2.999987953020043, -0.3048568278060051, -0.5794087680278276,
    0.007090674536833933, 2.870484175935613, -0.3201875688249403, -0.1934408303298687,
    -1.50892831454472, -2.992897263001197, -2.884653493511335, -0.3048568278060051,
    -0.3201875688249403, -0.02207815941707912, 0.1224251495275525, -0.3020231631441768,
    -0.3201875688249403, 0.6040463262883536, -0.1225235639587947, -0.1445997109340358,
    -0.3048568278060051, -0.3020231631441768, 0.007090617704627438, 2.870406940405611,
    -0.3201970487035549, -0.1934408303298687, -7.839517558869167, -2.992292602180288,
    -2.883977656734086, -0.3048568278060051, -0.3201970487035549, -0.02207815941706669,
    0.1225024418897568, -0.3020231631441784, -0.3201970487035548, 0.6040463262883567,
    -0.1225235639587947, -0.1445997109340232, -0.3048568278060051, -0.3020231631441784,
    2.827557455215537e-07, 3.226083665770413e-05, -0.5803201765692529, -0.1934408303298687,
    13.49596894124011, -5.144029989944615e-62, 2.999967456407596, -0.3048568278060051,
    -0.5803201765692529, -5.144029989944615e-62, 2.999967456407596, -0.3048568278060051,
    -0.579409953068221, 0.007090627069218701, 2.870419659132725, -0.3201954889813194,
    -0.1934408303298687, -4.564991969572258, -2.992873132356891, -2.884572066660236,
    -0.3048568278060051, -0.3201954889813193, -0.1408098389641259, 0.1224893544588554,
    -0.2863908148025885, -0.3201954889813194, 0.5727816296051769, -3.578850567906977e-07,
    -0.1408098404182732, -0.3048568278060051, -0.2863908148025885, -5.030971301117276e-06,
    -0.0005741341370739308, -0.5803636949068757, -0.1934408303298687, 1.342161027531811,
    0.4675775943965132, 2.878076723218615, -0.3737359865057522, -0.5803636949068773,
    0.7474719730115046, -0.1224897137980597, 0.4675903224882113, -0.3048568278060051,
    -0.3737359865057511, 1.438859667693932e-05, 0.00164346683023834, -0.5802045234551009,
    -0.1934408303298687, 11.15322810290722, -0.178608507248635, -0.002245965361045817,
    -0.5675131482652329, -0.5802045234550925, 1.702539444795697, -0.1225024418897565,
    2.699459271144151, -0.3048568278060051, -0.5675131482652329, -0.1224897137980597,
    2.699471999235856, -0.3048568278060051, -0.5675131482652517, 0.007090737749608171,
    2.870570104712901, -0.3201770176390597, -0.1934408303298687, -1.189155590887148,
    -2.992881712346612, -2.884714042931089, -0.3048568278060051, -0.3201770176390597,
    -2.877042169326476, -2.877046623845863, -0.3201777033645129, -0.3201770176390597,
    0.6403554067290257, -0.1224897137980597, -0.0001449637037525297, -0.3048568278060051,
    -0.3201777033645128, -0.1512233366530073, -0.0001567296590745326, -0.3011638803836413,
    -0.3201770176390597, 0.6023277607672893, -0.1545119766856435, -0.1512657482779617,
    -0.300743527508374, -0.3011638803836447, 0.6014870550167479, -5.144056888603891e-62,
    -0.03199281323439955, -0.3048568278060051, -0.300743527508374, 4.998987079433206,
    4.999992063175263, -2.499999831773528, -2.499999999999975, 4.998978196639293,
    -8.572996997335921e-62, 4.998977250670116, -2.499999999999991, -2.499999831773528,
    -8.572996997335921e-62, 4.998977250670116, -2.499999999999991, -2.500000136347459,
    0.2160218554281297, 4.98818224948075, -2.500000024216612, -2.499999999999975,
    0.2042041839026698, 0.01182577025842485, 0.1923803845763885, -2.499999999999991,
    -2.500000024216612, -0.2346741744566541, 0.2042036656465303, -2.499999823257662,
    -2.500000024216613, -0.2346742463623664, -5.948323749230453e-07, -0.2346741768742084,
    -2.499999999999991, -2.499999823257662, 4.99998011419791, 4.999999843666627,
    -2.499999996784775, -2.499999999999975, 4.999979939782303, -7.899378970256425e-08,
    4.999979842706281, -2.499999999999991, -2.499999996784775, -8.5734059374007e-62,
    4.999979921700072, -2.499999999999991, -2.500000002605499, 0.2158597056211766,
    4.988182207952476, -2.500000000353345, -2.499999999999975, 0.2040419147264534,
    0.01181783478030806, 0.1922241172634104, -2.499999999999991, -2.500000000353345,
    -0.03679693236179853, 0.2040419158792541, -2.499999772012851, -2.500000000353345,
    -0.03679622453612054, -1.756028654736632e-06, -0.03679533432072315, -2.499999999999991,
    -2.499999772012851, 0.2159883644910842, 4.988182235659396, -2.50000002090102,
    -2.499999999999975, 0.2041706683167043, 0.01182385967214655, 0.1923487687491322,
    -2.499999999999991, -2.50000002090102, -0.03679693236177788, 0.2041707364829278,
    -2.499999772012851, -2.500000020901019, -0.03679622453609997, -1.756028654731466e-06,
    -0.03679533432070254, -2.499999999999991, -2.49999977201285, 4.999946292289309,
    4.999999589090829, -2.499999989270124, -2.499999999999975, 4.999945821029733,
    -8.57338331657259e-62, 4.999945760679328, -2.499999999999991, -2.499999989270124,
    -8.57338331657259e-62, 4.999945760679329, -2.499999999999991, -2.500000008700431,
    0.2159672042326096, 4.98818225767178, -2.500000009368004, -2.499999999999975,
    0.2041494924505785, 0.01182393376824584, 0.1923257099293294, -2.499999999999991,
    -2.500000009368003, -0.2346830649402098, 0.2041489240980933, -2.499999822769364,
    -2.500000009368002, -0.2346831370442538, -5.964750946511629e-07, -0.2346830673637887,
    -2.499999999999991, -2.499999822769363, 5.000956289101704, 5.00000778382542,
    -2.500000106879903, -2.499999999999975, 5.000964674053872, 0.9834666589775638,
    5.000965207014408, -2.500000011950726, -2.500000106879903, 0.9834666825678713,
    -3.054618845645094e-08, 0.9834666965975977, -2.499999999999991, -2.500000011950726,
    4.997262436706446, 4.999977567095746, -2.499999724698131, -2.499999999999975,
    4.997238455712048, 4.703283828639512, 4.997221398452132, -2.499999197373328,
    -2.499999724698136, 4.703273936740555, -6.816622292221013e-08, 4.703269453557049,
    -2.499999999999991, -2.499999197373328, -3.054618845625812e-08, 4.70326949117707,
    -2.499999999999991, -2.499999197373338, 0.2157164867589083, 4.988182098364394,
    -2.500000001646564, -2.499999999999975, 0.2038985905095614, 0.01180963378537931,
    0.1920890828112512, -2.499999999999991, -2.500000001646564, 0.2039079144284985,
    0.2039004902295213, -2.50000000449359, -2.500000001646564, 0.2039079021505135,
    -3.054618845623932e-08, 0.2039078862776569, -2.499999999999991, -2.50000000449359,
    -0.04788940197110148, 0.2038882763521206, -2.49999935349032, -2.500000001646564,
    -0.04789765786972171, -0.05331577724007001, -0.04790539656059958, -2.499999201728321,
    -2.49999935349032, -0.05331888562403928, -8.573428147674035e-62, -0.0533213553906659,
    -2.499999999999991, -2.499999201728321
};

static void start(const double *parameters, double *y)
{
    (void)parameters;
    charges(start_voltages, y);
    memcpy(y + NODES, start_voltages, sizeof start_voltages);
}

static const bundled_reference references[] = {
    { 320, end_values, 6, "Test Set for IVP Solvers" }
};

static const unsigned char counts[SIZE] = { [223] = 1, [304] = 1, [322] = 1 };

const bundled_problem problem_two_bit_adder = {
    .name = "two-bit-adder",
    .title = "two-bit adder of 39 MOS transistors, charges and voltages",
    .source = "Guenther & Rentrop 1996; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 320,
    .create = create, .start = start, .counts = counts,
    .reference_count = 1, .references = references
};
