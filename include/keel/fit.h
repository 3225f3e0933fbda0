/* fit.h -- parameters of a boundary value problem from measurements of its solution.
 *
 *   S(theta) = sum_i ((y_u(i)(t_i; theta) - value_i) / weight_i)^2    least
 *
 * theta are parameters of the frame of the problem (frame.h); conditions may depend on them as well.
 * Gauss-Newton steps with derivatives from the linear equations of the boundary value problem; intervals
 * of confidence from the linear model at the solution, the deviation of the noise from what is left:
 *
 *   s^2 = S / (measurements - parameters),  C = (J^T J)^-1,  theta_j +- q s sqrt(C_jj)
 *
 * with q the quantile of Student's distribution.
 *
 * In the p of conditions and guesses the parameters looked for come last, behind those that are
 * unknown anyway.
 *
 * Life cycle:  keel_fit_create -> keel_fit_run -> keel_fit_result, ... -> keel_fit_free.
 * Ownership:   specs, options and measurements are copied; the problem is borrowed and must outlive it.
 */
#ifndef KEEL_FIT_H
#define KEEL_FIT_H

#include "keel/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_fit keel_fit;

typedef struct keel_measurement {
    double t;
    int unknown;                     /* of the problem                                       */
    double value;
    double weight;                   /* its deviation beside that of others; 0: 1            */
} keel_measurement;

typedef struct keel_fit_options {
    int parameters;                  /* that are looked for, at least 1, ...                 */
    const int *parameter;            /* ... which of the frame's; NULL: the first behind the */
                                     /* unknown ones                                         */
    int measurements;                /* more than parameters                                 */
    const keel_measurement *measurement;
    double confidence;               /* of intervals; 0: 0.95                                */
    int most;                        /* steps; 0: 50                                         */
} keel_fit_options;

/* Valid until the next run. */
typedef struct keel_fit_result {
    int parameters, measurements, freedom;       /* measurements - parameters                */
    int steps;
    const double *value;             /* [parameters]                                         */
    const double *deviation;         /* [parameters] standard errors                         */
    const double *half_width;        /* [parameters] of the intervals of confidence          */
    const double *covariance;        /* [parameters^2]                                       */
    const double *predicted;         /* [measurements] y of the fit                          */
    const double *sensitivity;       /* [measurements][parameters] its derivatives           */
    double noise;                    /* s: deviation of a measurement of weight 1            */
} keel_fit_result;

KEEL_API int keel_fit_create_sized(keel_fit **fit, const keel_boundary_spec *spec, size_t spec_size,
                                   const keel_boundary_options *options, size_t options_size,
                                   const keel_fit_options *how, size_t how_size);

static inline int keel_fit_create(keel_fit **fit, const keel_boundary_spec *spec,
                                  const keel_boundary_options *options, const keel_fit_options *how)
{
    return keel_fit_create_sized(fit, spec, sizeof *spec, options, sizeof *options, how, sizeof *how);
}

/* From these values, [parameters]; NULL: those of the frame.  KEEL_SINGULAR: the measurements do not
 * determine a parameter, named.  Solutions are the guesses of the next, also in the next run. */
KEEL_API int keel_fit_run(keel_fit *fit, const double *start);
/* Other values of the measurements, [measurements], for the next run. */
KEEL_API int keel_fit_measure(keel_fit *fit, const double *values);
KEEL_API const keel_fit_result *keel_fit_result_of(const keel_fit *fit);    /* NULL: there is none */
/* The problem with the parameters looked for as its last unknown ones: for keel_boundary_set_frame and
 * _guess before the run, _solution and _statistics after it. */
KEEL_API keel_boundary *keel_fit_boundary(keel_fit *fit);
KEEL_API const char *keel_fit_message(const keel_fit *fit);
KEEL_API void keel_fit_free(keel_fit *fit);

#ifdef __cplusplus
}
#endif
#endif
