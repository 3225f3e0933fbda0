/* channel.h -- the parts of the flow through a square (channel.c) that tests and benchmarks use as well.
 *
 * `parameters` are those of the target: cells along a side, viscosity.
 */
#ifndef KEEL_PROBLEMS_CHANNEL_H
#define KEEL_PROBLEMS_CHANNEL_H

#include "problems/problems.h"

typedef struct channel {
    int nx, velocities, pressures, size;    /* size = velocities + pressures */
    double h, viscosity;
} channel;

channel channel_of(const double *parameters);
/* Velocity u right of cell (i,j), v above it: where it is in y. */
int channel_u(const channel *c, int i, int j);
int channel_v(const channel *c, int i, int j);
double channel_inflow(const channel *c, double t, int j);

/* Callbacks of the spec; their context are the parameters. */
int channel_rhs(double t, const double *y, const double *z, double *f, void *context);
int channel_constraint(double t, const double *y, double *g, void *context);
int channel_constraint_time(double t, const double *y, double *g_t, void *context);
int channel_jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context);

/* The pattern of [f_y f_z; g_y 0] in memory of its own, column_start first; NULL: no memory. */
int *channel_pattern(const double *parameters, keel_pattern *pattern);
/* What `create` hands over, but for the pattern. */
keel_hessenberg2_spec channel_spec(const double *parameters);
/* At t = 0: the inflow everywhere, which is free of divergence, or (`at_rest`) a fluid at rest, which
 * contradicts the inflow; pressures 0. */
void channel_start(const double *parameters, int at_rest, double *y);

#endif
