/* flow.h -- the equations of a boundary value problem at one point.
 *
 *   x' = f(t,y,p),   0 = h(t,y,p)      y = (x,z)
 *
 * h is the last constraint level, of which z is the solution (index 1).  The levels below it, the
 * constraint itself and its hidden derivatives, are further rows 0 = c(t,x,p) that hold everywhere
 * once they hold somewhere.
 */
#ifndef KEEL_BOUNDARY_FLOW_H
#define KEEL_BOUNDARY_FLOW_H

#include "problem/problem.h"

/* Time t as a function of s, the time of the mesh, where breaks are at unknown times: linear between
 * breaks, s = break_at[i] at t = p. */
typedef struct stretch {
    int pieces;                  /* 0: t = s                                               */
    double *s;                   /* [pieces + 1]                                           */
    int *which;                  /* [pieces + 1] parameter of the frame that t is, or -1: s */
} stretch;

typedef struct flow {
    int n, nx, m, np;            /* unknowns y, x, z; unknown parameters                   */
    int hidden;                  /* rows of c                                              */
    int *level, *row;            /* [hidden] what they are                                 */
    int *which;                  /* [np] parameters of the frame                           */
    int framed;
    int dependent;               /* 1 + the row of h found without pivot, or 0             */
    keel_frame frame;            /* what callbacks get                                     */
    double *parameters, *values;
    int *modes;
    evaluator e;
    keel_stats stats;
    coloring colors;
    keel_matrix J;
    double *rate, *base, *one, *sum, *delta, *moved;     /* scratch [n + m]                */
    double *G, *G_ahead;         /* [m nx] index 2                                         */
    double *columns;             /* [hidden n] differences                                 */
    stretch stretch;
    double *slow;                /* [n] scratch: f without the factor dt/ds                */
} flow;

/* Rows of c that a form has; -1: the form does not say which unknowns are algebraic. */
int flow_hidden_rows(const keel_problem *p);
/* ... and those of them that belong to one row of h: its index, less 1. */
int flow_rows_below(const keel_problem *p, int row);
void flow_layout(arena *a, flow *q, const keel_problem *p, int parameters);
/* After the layout in a block: the frame is that of the problem. */
int flow_create(flow *q, const int *which);
void flow_release(flow *q);
void flow_set_parameters(flow *q, const double *p);
void flow_parameters(const flow *q, double *p);

/* t at s, and dt/ds (NULL: not asked for); at a break that of the piece before it. */
double flow_time(const flow *q, double s, double *slope);

/* All return as eval_*; t is the time of the mesh, and f = dx/dt dt/ds. */

/* fh = (f, h), n values */
int flow_value(flow *q, double t, const double *y, double *fh);
/* J = [f_x f_z; h_x h_z], n x n, and J_p = [f_p; h_p], n x np, row-major; fh as of flow_value. */
int flow_linear(flow *q, double t, const double *y, const double *fh, double *J, double *J_p);
/* The same with the nonzeros of J in the order of the problem's pattern; only if flow_is_direct. */
int flow_sparse(flow *q, double t, const double *y, const double *fh, double *J, double *J_p);
/* Is J that of the form itself? */
int flow_is_direct(const keel_problem *p);
int flow_constraints(flow *q, double t, const double *y, double *c);
/* [c_x c_p], hidden x (nx + np) */
int flow_gradient(flow *q, double t, const double *y, double *A);

#endif
