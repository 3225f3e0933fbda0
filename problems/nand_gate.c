/* nand_gate.c -- a NAND gate of three MOS transistors, 14 node voltages.
 *
 *   C(U) U' = f(t,U)
 *
 * One depletion transistor (nodes 1-4) pulls the output, node 5, to the supply; two enhancement
 * transistors in series (nodes 6-9 and 11-14, joined at node 10) pull it to the ground while
 * both inputs are high.  The inputs are trapezoids, so f has corners every 5 time units.
 * C(U) is regular but as small as 1e-5 against conductances of 1/4: in practice index 1.
 * Model and data: mosfet.c; Mazzia & Magherini, Test Set for IVP Solvers 2.4, Bari 2008.
 */
#include <string.h>

#include "problems/circuits.h"
#include "problems/mosfet.h"

enum { SIZE = 14, TRANSISTORS = 3, OUTPUT = 4, JOINT = 9 };

static const double C_9 = 0.5e-4;                /* from nodes 5 and 10 to the ground */

/* The enhancement transistors are ten times weaker backwards: so they are in the published
 * program, and the reference values belong to it. */
static const mosfet_kind kinds[] = {
    { -2.43, 0.2, 1.28, 5.35e-4, 5.35e-4 },      /* depletion */
    { 0.2, 0.035, 1.01, 1.748e-3, 1.748e-4 }     /* enhancement */
};

static const mosfet transistors[TRANSISTORS] = {
    { .kind = 0, .first = 0, .source = OUTPUT, .drain = MOSFET_SUPPLY, .gate = OUTPUT },
    { .kind = 1, .first = 5, .source = JOINT, .drain = OUTPUT, .gate = MOSFET_INPUT },
    { .kind = 1, .first = 10, .source = MOSFET_GROUND, .drain = JOINT, .gate = MOSFET_INPUT - 1 }
};

static const mosfet_network network = {
    .transistors = TRANSISTORS, .transistor = transistors, .kind = kinds,
    .R_g = 4, .R_b = 10, .C_g = 0.6e-4, .C_b = 2.4e-5, .I_s = 1e-14
};

static void inputs(double t, mosfet_signal input[2])
{
    input[0] = mosfet_pulse(t, 5, 5, 20);
    input[1] = mosfet_pulse(t, 15, 15, 40);
}

/* Capacitor C between nodes i and j, where j may be no node. */
static void stamp_capacitor(keel_matrix *M, int i, int j, double C)
{
    mosfet_stamp(M, i, i, 0, C);
    mosfet_stamp(M, i, j, 0, -C);
    mosfet_stamp(M, j, i, 0, -C);
    mosfet_stamp(M, j, j, 0, C);
}

static int mass(double t, const double *U, keel_matrix *M, void *context)
{
    double slope;
    (void)t, (void)context;
    keel_add(M, OUTPUT, OUTPUT, C_9);
    keel_add(M, JOINT, JOINT, C_9);
    for (int k = 0; k < TRANSISTORS; k++) {
        const mosfet *m = &transistors[k];
        const int s = m->first, d = s + 1, bs = s + 2, bd = s + 3;
        const double v_bs = U[bs] - mosfet_potential(U, NULL, m->source);
        const double v_bd = U[bd] - mosfet_potential(U, NULL, m->drain);
        stamp_capacitor(M, s, m->gate, network.C_g);
        stamp_capacitor(M, d, m->gate, network.C_g);
        stamp_capacitor(M, bs, m->source, mosfet_capacitance(&network, v_bs, &slope));
        stamp_capacitor(M, bd, m->drain, mosfet_capacitance(&network, v_bd, &slope));
    }
    return 0;
}

/* The current C(v) v' of a junction depends on v = U_b - U_T through C. */
static int mass_jacobian(double t, const double *U, const double *w, keel_matrix *J, void *context)
{
    (void)t, (void)context;
    for (int k = 0; k < TRANSISTORS; k++) {
        const mosfet *m = &transistors[k];
        for (int end = 0; end < 2; end++) {
            const int b = m->first + 2 + end, T = end ? m->drain : m->source;
            double slope;
            mosfet_capacitance(&network, U[b] - mosfet_potential(U, NULL, T), &slope);
            stamp_capacitor(J, b, T, -slope * (w[b] - (T >= 0 ? w[T] : 0)));
        }
    }
    return 0;
}

static int rhs(double t, const double *U, double *f, void *context)
{
    mosfet_signal input[2];
    (void)context;
    inputs(t, input);
    return mosfet_currents(&network, U, input, SIZE, f);
}

static int jacobian(double t, const double *U, keel_matrix *f_U, void *context)
{
    mosfet_signal input[2];
    (void)context;
    inputs(t, input);
    return mosfet_current_jacobian(&network, U, input, f_U, 0);
}

const keel_quasilinear_spec problem_nand_gate_spec = {
    .size = SIZE, .mass = mass, .rhs = rhs, .jacobian = jacobian, .mass_jacobian = mass_jacobian
};

static int create(keel_problem **problem, const double *parameters)
{
    (void)parameters;
    return keel_quasilinear(problem, &problem_nand_gate_spec);
}

static void start(const double *parameters, double *U)
{
    static const double U0[SIZE] = {
        5, 5, -2.5, -2.5, 5, 3.62385, 5, -2.5, -2.5, 3.62385, 0, 3.62385, -2.5, -2.5
    };
    (void)parameters;
    memcpy(U, U0, sizeof U0);
}

static const double end_values[SIZE] = {
    0.4971088699385777e1, 0.4999752103929311e1, -0.2499998781491227e1, -0.2499999999999975e1,
    0.4970837023296724e1, -0.2091214032073855e0, 0.4970593243278363e1, -0.2500077409198803e1,
    -0.2499998781491227e1, -0.2090289583878100e0, -0.2399999999966269e-3,
    -0.2091214032073855e0, -0.2499999999999991e1, -0.2500077409198803e1
};

static const keel_reference references[] = {
    { 80, end_values, 12, "Test Set for IVP Solvers: PSIDE, tolerance 1e-16, Cray C90" }
};

const keel_target problem_nand_gate = {
    .name = "nand-gate",
    .title = "NAND gate of MOS transistors, capacitances depend on the voltages",
    .source = "Guenther & Rentrop 1996; Test Set for IVP Solvers 2.4 (Mazzia & Magherini 2008)",
    .index = 1, .size = SIZE, .t_start = 0, .t_end = 80,
    .create = create, .start = start,
    .counts = (const unsigned char[SIZE]){ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
    .reference_count = 1, .references = references
};
