#include "step/control.h"

#include <float.h>
#include <math.h>

double control_reach(double error, double exponent)
{
    return 1 / (pow(error, exponent) + 1e-6);
}

/* The classical proposal and, where the step before is known, that of the law with memory. */
static double proposal(const controller *c, double h, double error, double exponent, double safety)
{
    double bounded = fmax(error, 1e-10);
    double factor = safety * pow(bounded, 0.75 * c->beta - exponent);
    if (!(error < 1) || !c->accepted_before) return factor;
    if (c->beta > 0) return factor * pow(c->error_accepted, c->beta);
    double square = bounded * bounded, growth = h / c->h_accepted;
    if (growth >= 1 && bounded <= c->error_accepted) return factor;      /* the smaller one */
    return fmin(factor, c->safety * growth * pow(square / c->error_accepted, -exponent));
}

double control_factor(controller *c, double h, double error, double exponent, int newton, int limit)
{
    if (isnan(error)) error = INFINITY;
    double safety = fmin(c->safety, c->safety * (1 + 2 * limit) / (newton + 2.0 * limit));
    double factor = proposal(c, h, error, exponent, safety);
    factor = fmin(c->grow_most, fmax(c->shrink_most, factor));
    if (error < 1) {
        c->h_accepted = h;
        c->error_accepted = fmax(c->beta > 0 ? 1e-4 : 1e-2, error);      /* [HNW93], [HW96] */
        c->accepted_before = 1;
        if (c->rejected_before) factor = fmin(factor, 1);
    }
    c->rejected_before = !(error < 1);
    return factor;
}

/* Absolute tolerances hide small unknowns, and what becomes of these as well: an implicit method damps
 * growth where h is too long, and finds no error.  No first step shall be longer than the time in which
 * an unknown of about its absolute tolerance grows e times. */
static double growth_of(const start_rates *f, int i)
{
    static const double least = 0.01, most = 10;
    double size = fabs(f->y[i]);
    int hidden = size > least * f->atol[i] && size < most * f->atol[i];
    return hidden ? fabs(f->slope[i]) / size : 0;
}

static double larger(double a, double b) { return b > a ? b : a; }       /* a, where b is not a number */

double control_first(const start_rates *f, double tolerance, double exponent)
{
    double rate = 0, reach = (f->bend ? 1 : 0.1) * (tolerance == 1 ? 1 : pow(tolerance, exponent));
    for (int i = 0; i < f->n; i++) {
        if (f->index && f->index[i] > 1) continue;
        double size = f->atol[i] / larger(f->rtol[i], DBL_MIN) + fabs(f->y[i]);
        if (size == 0) continue;                 /* no tolerance to measure it by */
        rate = larger(rate, larger(fabs(f->slope[i]) / size, reach * growth_of(f, i)));
        if (f->bend) rate = larger(rate, sqrt(fabs(f->bend[i]) / size));
    }
    rate = norm_most(f->reducer, rate);
    return rate > 0 ? reach / rate : 1e-3;
}
