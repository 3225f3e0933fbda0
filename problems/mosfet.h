/* mosfet.h -- networks of MOS transistors in the model of Shichman and Hodges.
 *
 * A transistor has four inner nodes, numbered from `first`: source s, drain d, and the bulk at
 * the source and at the drain junction, bs and bd.  Resistors join s to the terminal S, d to D,
 * bs and bd to the bulk supply; diodes join bs to S and bd to D; capacitors join the gate G to s
 * and d.  Terminals are nodes of the network, the ground, the supply or an input.
 */
#ifndef KEEL_PROBLEMS_MOSFET_H
#define KEEL_PROBLEMS_MOSFET_H

#include "keel/keel.h"

enum { MOSFET_GROUND = -1, MOSFET_SUPPLY = -2, MOSFET_INPUT = -3 };   /* input k: -3 - k */

typedef struct mosfet_kind {
    double V_T0;                 /* threshold voltage without bulk effect                 */
    double gamma, phi;           /* V_TE = V_T0 + gamma (sqrt(phi - v_bs) - sqrt(phi))    */
    double beta;                 /* transconductance forward (v_ds > 0)                   */
    double beta_reverse;         /* and backward                                          */
} mosfet_kind;

typedef struct mosfet { int kind, first, source, drain, gate; } mosfet;

typedef struct mosfet_network {
    int transistors;
    const mosfet *transistor;
    const mosfet_kind *kind;
    double R_g, R_b;             /* at source and drain, at the bulk                      */
    double C_g, C_b;             /* gate capacitance, junction capacitance at 0 V         */
    double I_s;                  /* saturation current of the diodes                      */
} mosfet_network;

typedef struct mosfet_signal { double value, slope; } mosfet_signal;

/* Trapezoidal pulse between 0 and 5 V with ramps of 5 time units. */
mosfet_signal mosfet_pulse(double t, double delay, double high, double period);

/* Voltage of a node, the ground, the supply or an input. */
double mosfet_potential(const double *U, const mosfet_signal *input, int terminal);

/* Junction capacitance C(v) and its derivative. */
double mosfet_capacitance(const mosfet_network *net, double v, double *slope);

/* f = currents into the nodes at voltages U; > 0 where the bulk effect has no real root. */
int mosfet_currents(const mosfet_network *net, const double *U, const mosfet_signal *input,
                    int nodes, double *f);

/* Adds df/dU to J, its first column being column `shift`. */
int mosfet_current_jacobian(const mosfet_network *net, const double *U,
                            const mosfet_signal *input, keel_matrix *J, int shift);

/* Adds `value` at (row, column) unless one of them is no node. */
void mosfet_stamp(keel_matrix *J, int row, int column, int shift, double value);

#endif
