/* andrews.h -- the parts of Andrews' squeezing mechanism that its stiff variant shares. */
#ifndef KEEL_PROBLEMS_ANDREWS_H
#define KEEL_PROBLEMS_ANDREWS_H

#include "keel/keel.h"

enum { ANDREWS_N = 7, ANDREWS_M = 6 };

/* Parts as keel_mechanical_spec.evaluate and .force_jacobian fill them, of the rigid mechanism. */
int andrews_evaluate(double t, const double *q, const double *v, unsigned wanted,
                     const keel_mechanical_parts *parts, void *context);
int andrews_force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                           void *context);
/* forces[0] (g_5)_qq + forces[1] (g_6)_qq, 7 x 7. */
void andrews_last_curvature(const double *q, const double forces[2], double *sum);
void andrews_start(const double *parameters, double *y);

#endif
