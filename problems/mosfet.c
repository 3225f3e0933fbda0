/* mosfet.c -- currents of MOS transistor networks and their derivatives.
 *
 *   channel, v_ds >= 0:  I = beta (1 + delta v_ds) times
 *       0                          v <= 0            v = v_gs - V_TE(v_bs)
 *       v^2                        0 < v <= v_ds
 *       v_ds (2 v - v_ds)          v_ds < v
 *   v_ds < 0: source and drain exchange their roles
 *   diode:    i(v) = I_s (1 - exp(v/V_th)) for v <= 0, else 0
 *   junction: C(v) = C_b (1 - v/phi_b)^(-1/2) for v <= 0, else C_b (1 + v/(2 phi_b))
 *
 * Shichman & Hodges 1968; Guenther & Rentrop 1996; data: Mazzia & Magherini, Test Set for IVP
 * Solvers, release 2.4, Bari 2008.
 */
#include <math.h>
#include <string.h>

#include "problems/mosfet.h"

static const double V_dd = 5, V_bb = -2.5, V_th = 25.85, delta = 0.02, phi_b = 0.87;

mosfet_signal mosfet_pulse(double t, double delay, double high, double period)
{
    static const double top = 5, ramp = 5;
    const double phase = fmod(t, period);        /* slopes are those before a corner */
    const double x = (phase == 0 && t > 0 ? period : phase) - delay, fall = ramp + high;
    if (x <= 0 || x > fall + ramp) return (mosfet_signal){ 0, 0 };
    if (x <= ramp) return (mosfet_signal){ top / ramp * x, top / ramp };
    if (x <= fall) return (mosfet_signal){ top, 0 };
    return (mosfet_signal){ top / ramp * (fall + ramp - x), -top / ramp };
}

double mosfet_potential(const double *U, const mosfet_signal *input, int terminal)
{
    if (terminal >= 0) return U[terminal];
    if (terminal == MOSFET_GROUND) return 0;
    if (terminal == MOSFET_SUPPLY) return V_dd;
    return input[MOSFET_INPUT - terminal].value;
}

double mosfet_capacitance(const mosfet_network *net, double v, double *slope)
{
    if (v > 0) {
        *slope = net->C_b / (2 * phi_b);
        return net->C_b + *slope * v;
    }
    const double C = net->C_b / sqrt(1 - v / phi_b);
    *slope = 0.5 * C / (phi_b - v);
    return C;
}

void mosfet_stamp(keel_matrix *J, int row, int column, int shift, double value)
{
    if (row >= 0 && column >= 0) keel_add(J, row, shift + column, value);
}

static double diode(double I_s, double v) { return v <= 0 ? -I_s * expm1(v / V_th) : 0; }
static double diode_slope(double I_s, double v) { return v <= 0 ? -I_s / V_th * exp(v / V_th) : 0; }

/* A transistor at given voltages: the outer terminals, and the channel from the terminal of
 * higher to that of lower inner voltage. */
typedef struct channel {
    double S, D;                 /* terminal voltages                                     */
    int high, low;               /* inner nodes: drain and source, or exchanged           */
    int bulk, terminal;          /* nodes between which v_bs is measured                  */
    double I, I_ds, I_gs, I_bs;  /* current from high to low and its derivatives          */
} channel;

static int channel_at(const mosfet_network *net, const mosfet *m, const double *U,
                      const mosfet_signal *input, channel *c)
{
    const mosfet_kind *kind = &net->kind[m->kind];
    const int s = m->first, d = s + 1, forward = U[d] >= U[s];
    const double G = mosfet_potential(U, input, m->gate);
    c->S = mosfet_potential(U, input, m->source);
    c->D = mosfet_potential(U, input, m->drain);
    c->high = forward ? d : s;
    c->low = forward ? s : d;
    c->bulk = forward ? s + 2 : s + 3;
    c->terminal = forward ? m->source : m->drain;
    c->I = c->I_ds = c->I_gs = c->I_bs = 0;

    const double v_ds = U[c->high] - U[c->low];
    const double under_root = kind->phi - U[c->bulk] + (forward ? c->S : c->D);
    if (!(under_root > 0)) return 1;
    const double root = sqrt(under_root);
    const double v = G - U[c->low] - kind->V_T0 - kind->gamma * (root - sqrt(kind->phi));
    if (v <= 0) return 0;

    const double beta = forward ? kind->beta : kind->beta_reverse;
    const double lift = beta * (1 + delta * v_ds);
    const int saturated = v <= v_ds;
    const double shape = saturated ? v * v : v_ds * (2 * v - v_ds);
    c->I = lift * shape;
    c->I_ds = beta * delta * shape + (saturated ? 0 : lift * 2 * (v - v_ds));
    c->I_gs = lift * 2 * (saturated ? v : v_ds);
    c->I_bs = c->I_gs * kind->gamma / (2 * root);
    return 0;
}

int mosfet_currents(const mosfet_network *net, const double *U, const mosfet_signal *input,
                    int nodes, double *f)
{
    memset(f, 0, (size_t)nodes * sizeof *f);
    for (int k = 0; k < net->transistors; k++) {
        const mosfet *m = &net->transistor[k];
        const int s = m->first, d = s + 1, bs = s + 2, bd = s + 3;
        channel c;
        if (channel_at(net, m, U, input, &c)) return 1;

        const double source = (c.S - U[s]) / net->R_g, drain = (c.D - U[d]) / net->R_g;
        const double diode_s = diode(net->I_s, U[bs] - c.S);
        const double diode_d = diode(net->I_s, U[bd] - c.D);
        const double gate = m->gate <= MOSFET_INPUT
                          ? net->C_g * input[MOSFET_INPUT - m->gate].slope : 0;
        f[s] += source + gate;
        f[d] += drain + gate;
        f[c.low] += c.I;
        f[c.high] -= c.I;
        f[bs] += (V_bb - U[bs]) / net->R_b + diode_s;
        f[bd] += (V_bb - U[bd]) / net->R_b + diode_d;
        if (m->source >= 0) f[m->source] -= source + diode_s;
        if (m->drain >= 0) f[m->drain] -= drain + diode_d;
    }
    return 0;
}

/* A resistor from inner node i to terminal T, and bulk node b with its diode to T. */
static void stamp_terminal(const mosfet_network *net, keel_matrix *J, int shift,
                           int i, int b, int T, double diode_v)
{
    const double g = 1 / net->R_g, slope = diode_slope(net->I_s, diode_v);
    mosfet_stamp(J, i, i, shift, -g);
    mosfet_stamp(J, i, T, shift, g);
    mosfet_stamp(J, T, i, shift, g);
    mosfet_stamp(J, T, T, shift, -g + slope);
    mosfet_stamp(J, T, b, shift, -slope);
    mosfet_stamp(J, b, b, shift, -1 / net->R_b + slope);
    mosfet_stamp(J, b, T, shift, -slope);
}

int mosfet_current_jacobian(const mosfet_network *net, const double *U,
                            const mosfet_signal *input, keel_matrix *J, int shift)
{
    for (int k = 0; k < net->transistors; k++) {
        const mosfet *m = &net->transistor[k];
        const int s = m->first;
        channel c;
        if (channel_at(net, m, U, input, &c)) return 1;

        stamp_terminal(net, J, shift, s, s + 2, m->source, U[s + 2] - c.S);
        stamp_terminal(net, J, shift, s + 1, s + 3, m->drain, U[s + 3] - c.D);
        for (int end = 0; end < 2; end++) {
            const int row = end ? c.high : c.low;
            const double sign = end ? -1 : 1;
            mosfet_stamp(J, row, c.high, shift, sign * c.I_ds);
            mosfet_stamp(J, row, c.low, shift, -sign * (c.I_ds + c.I_gs));
            mosfet_stamp(J, row, m->gate, shift, sign * c.I_gs);
            mosfet_stamp(J, row, c.bulk, shift, sign * c.I_bs);
            mosfet_stamp(J, row, c.terminal, shift, -sign * c.I_bs);
        }
    }
    return 0;
}
