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
