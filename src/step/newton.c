#include "step/newton.h"

#include <float.h>
#include <math.h>

static const double
    unlike = 10,                 /* a first update larger by this has another reason, a kink */
    share = 0.05,                /* of the tolerance that an inexact solution may leave [Hindmarsh */
                                 /* et al., ACM TOMS 31 (2005) 363],                        */
    tightest = 1e-12;            /* and its limit beside the update                        */

/* An update is expected to be no larger than the last one, a first one than that of the last attempt. */
static double solution_tolerance(const newton_monitor *m, double tolerance)
{
    double expected = m->iterations ? m->previous : m->first;
    return fmax(tightest, fmin(m->loosest, share * tolerance / fmax(expected, DBL_MIN)));
}

void newton_begin(newton_monitor *m, int limit, int patient)
{
    m->factor = patient ? 1 : pow(fmax(m->factor, fmax(m->least, DBL_EPSILON)), 0.8);
    if (limit == 1) m->factor = fmin(m->factor, 1);
    m->previous = m->previous_quotient = m->first_rate = 0;
    m->iterations = m->met = 0;
    m->limit = limit;
    m->patient = patient;
}

void newton_forget(newton_monitor *m)
{
    m->factor = 1;
    m->proven = 0;
}

/* The update to be expected after the last iteration that is allowed. */
static double final_update(const newton_monitor *m, double update)
{
    double expected = m->factor * update;
    for (int k = m->iterations + 1; k < m->limit; k++) expected *= m->rate;
    return expected;
}

/* The tolerance is met: on to what is finer, until that is too, or updates no longer shrink fast, which
 * noise in the equations does not let them. */
static newton_verdict refine(newton_monitor *m, double update)
{
    static const double fast = 0.3;
    double quotient = update / fmax(m->previous, DBL_MIN);
    int goes_on = quotient < fast && m->iterations < m->limit && quotient * update > m->finer;
    m->previous = fmax(update, DBL_MIN);
    if (m->iterations == 2 && quotient < fast) {
        m->rate = m->first_rate = quotient;
        m->factor = quotient / (1 - quotient);
        m->proven = m->first;
    }
    return goes_on ? NEWTON_GO_ON : NEWTON_DONE;
}

newton_verdict newton_judge(newton_monitor *m, double update, double tolerance, double floor)
{
    const int leaps = m->leaps;
    m->leaps = 0;
    m->iterations += !leaps;
    if (!isfinite(update)) return NEWTON_DIVERGES;
    if (leaps) return NEWTON_GO_ON;
    if (m->met) return refine(m, update);
    if (m->iterations == 1) {
        m->first = update;
        if (m->proven > 0 && update > unlike * m->proven) m->factor = fmax(1, m->factor);
    } else {
        double quotient = update / fmax(m->previous, DBL_MIN);
        if (m->iterations == 2) m->rate = m->first_rate = quotient;
        else m->rate = sqrt(quotient * m->previous_quotient);
        m->previous_quotient = quotient;
        m->factor = m->rate < 0.99 ? m->rate / (1 - m->rate) : 99;
        m->proven = m->first;
        if (m->rate >= (m->patient ? 0.9 : 0.3) && update <= floor) return NEWTON_DONE;
        if (m->patient ? update > 1e6 * m->first : m->rate >= 0.99 && update > tolerance)
            return NEWTON_DIVERGES;
        if (!m->patient && m->rate >= 0.9 && update > floor && update <= tolerance)
            return NEWTON_DIVERGES;              /* small because the matrix is wrong, not the error */
        int converged = m->factor * update <= tolerance;
        if (!m->patient && !converged && !(final_update(m, update) <= tolerance))
            return NEWTON_TOO_SLOW;
    }
    m->previous = fmax(update, DBL_MIN);
    m->met = m->factor * update <= tolerance;
    if (m->met && (m->factor * update <= m->finer || m->iterations >= m->limit || m->finer == 0))
        return NEWTON_DONE;
    if (m->iterations < m->limit) return NEWTON_GO_ON;
    return m->patient && update <= floor ? NEWTON_DONE : NEWTON_TOO_SLOW;
}

double newton_shrink(const newton_monitor *m, double update, double tolerance)
{
    int left = m->limit > m->iterations ? m->limit - m->iterations : 0;
    double bounded = fmax(1e-4, fmin(20, final_update(m, update) / tolerance));
    return 0.8 * pow(bounded, -1.0 / (4 + left));
}

newton_verdict newton_iterate(newton_monitor *m, double tolerance, double floor, newton_step *step,
                              void *context)
{
    double update = 0;
    do {
        m->solve_to = m->loosest > 0 ? solution_tolerance(m, tolerance) : 0;
        m->code = step(context, &update);
        const int stays = m->code > 0 && m->met;             /* what met the tolerance */
        if (m->code) m->verdict = stays ? NEWTON_DONE : NEWTON_STOPPED;
        else m->verdict = newton_judge(m, update, tolerance, floor);
    } while (m->verdict == NEWTON_GO_ON);
    if (m->verdict == NEWTON_DIVERGES) m->shrink = 0.5;
    if (m->verdict == NEWTON_TOO_SLOW) m->shrink = newton_shrink(m, update, tolerance);
    return m->verdict;
}
