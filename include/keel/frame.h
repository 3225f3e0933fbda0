/* frame.h -- what a solver hands to callbacks beside the unknowns: parameters and discrete state.
 *
 * A problem is immutable and serves many solvers; whatever differs from solver to solver, or jumps
 * at events, belongs to a solver.  A problem whose spec declares a frame gets, in every callback,
 * a `const keel_frame *` in the place of the context; all others get their context as ever.
 *
 *     static int rhs(double t, const double *y, double *f, void *context)
 *     {
 *         const keel_frame *frame = context;
 *         f[0] = frame->modes[0] ? frame->parameters[0] - y[0] : -y[0];
 *         return 0;
 *     }
 *     ... (keel_ode_spec){.size = 1, .rhs = rhs, .frame = {.parameters = 1, .modes = 1}}
 *
 * During a step nothing in a frame changes, so that neither Newton's method nor an error estimate
 * looks across a jump.  Events change it (event.h), and the user between two steps
 * (keel_set_frame, then keel_restart).
 */
#ifndef KEEL_FRAME_H
#define KEEL_FRAME_H

#ifdef __cplusplus
extern "C" {
#endif

/* Fields are added at its end only. */
typedef struct keel_frame {
    void *context;                   /* of the spec                                       */
    const double *parameters;
    const int *modes;                /* whole numbers: which branch, open or closed, ...  */
    const double *values;            /* reals that jump: sampled signals, counters, ...   */
    const int *pre_modes;            /* as they were before the event that is handled,    */
    const double *pre_values;        /* else as they are                                  */
    int parameter_count, mode_count, value_count;
} keel_frame;

/* A part of the specs of problems, which never grows.  All counts 0: no frame. */
typedef struct keel_frame_spec {
    int parameters, modes, values;               /* how many                              */
    const double *parameter_start;               /* where runs begin (copied); NULL: 0    */
    const int *mode_start;
    const double *value_start;
    const char *const *parameter_names, *const *mode_names, *const *value_names;  /* or NULL */
} keel_frame_spec;

#ifdef __cplusplus
}
#endif
#endif
