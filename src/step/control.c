#include "step/control.h"

#include <float.h>
#include <math.h>

double control_factor(controller *c, double h, double error, int q, int newton, int limit)
{
    c->rejected_before = c->rejected_before || isnan(error);
    if (isnan(error)) return c->shrink_most;
    double exponent = 1.0 / (q + 1), bounded = fmax(error, 1e-10);
    double safety = fmin(c->safety, c->safety * (1 + 2 * limit) / (newton + 2.0 * limit));
    double factor = safety * pow(bounded, -exponent);
    if (error < 1) {
        if (c->accepted_before) {
            double predictive = c->safety * (h / c->h_accepted) *
                                pow(bounded * bounded / c->error_accepted, -exponent);
            factor = fmin(factor, predictive);
        }
        c->h_accepted = h;
        c->error_accepted = fmax(1e-2, error);
        c->accepted_before = 1;
    }
    factor = fmin(c->grow_most, fmax(c->shrink_most, factor));
    if (error < 1 && c->rejected_before) factor = fmin(factor, 1);
    c->rejected_before = !(error < 1);
    return factor;
}

void newton_begin(newton_monitor *m, int limit, int patient)
{
    m->factor = patient ? 1 : pow(fmax(m->factor, DBL_EPSILON), 0.8);
    m->previous = m->previous_quotient = 0;
    m->iterations = 0;
    m->limit = limit;
    m->patient = patient;
}

/* The update to be expected after the last iteration that is allowed. */
static double final_update(const newton_monitor *m, double update)
{
    int left = m->limit - m->iterations;
    return m->factor * update * pow(m->rate, left > 1 ? left - 1 : 0);
}

newton_verdict newton_judge(newton_monitor *m, double update, double tolerance, double floor)
{
    m->iterations++;
    if (!isfinite(update)) return NEWTON_DIVERGES;
    if (m->iterations == 1) m->first = update;
    else {
        double quotient = update / fmax(m->previous, DBL_MIN);
        m->rate = m->iterations == 2 ? quotient : sqrt(quotient * m->previous_quotient);
        m->previous_quotient = quotient;
        m->factor = m->rate < 0.99 ? m->rate / (1 - m->rate) : 99;
        if (m->rate >= (m->patient ? 0.9 : 0.3) && update <= floor) return NEWTON_DONE;
        if (m->patient ? update > 1e6 * m->first : m->rate >= 0.99 && update > tolerance)
            return NEWTON_DIVERGES;
        if (!m->patient && fmin(m->factor * update, final_update(m, update)) > tolerance)
            return NEWTON_TOO_SLOW;
    }
    m->previous = fmax(update, DBL_MIN);
    if (m->factor * update <= tolerance) return NEWTON_DONE;
    if (m->iterations < m->limit) return NEWTON_GO_ON;
    return m->patient && update <= floor ? NEWTON_DONE : NEWTON_TOO_SLOW;
}

double newton_shrink(const newton_monitor *m, double update, double tolerance)
{
    int left = m->limit > m->iterations ? m->limit - m->iterations : 0;
    double bounded = fmax(1e-4, fmin(20, final_update(m, update) / tolerance));
    return 0.8 * pow(bounded, -1.0 / (4 + left));
}
