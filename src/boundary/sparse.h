/* sparse.h -- many unknowns, each in a few equations.
 *
 * The equations of the stages are a sparse system in each interval; what they are condensed to is as
 * full as inverses are, and dense.  (All equations of a mesh as one sparse system, without
 * condensation, fills in so much that it costs about five times as much.)
 */
#ifndef KEEL_BOUNDARY_SPARSE_H
#define KEEL_BOUNDARY_SPARSE_H

#include "boundary/boundary.h"

/* sparse_flow.c: made if the problem has a sparse Jacobian of its own and enough unknowns; a status. */
int sparse_flow_create(keel_boundary *w);
void sparse_flow_free(struct sparse_flow *q);
size_t sparse_flow_nonzeros(const keel_boundary *w);          /* of the Jacobian                */

/* C and C_p of a point whose factors are there. */
int sparse_flow_columns(keel_boundary *w, local *l);
int sparse_flow_linear(keel_boundary *w, double t, const double *y, const double *fh, local *l);
/* z := h_z^-1 z, or with dx h_z^-1 h_x dx. */
int sparse_flow_algebraic(keel_boundary *w, const local *l, const double *dx, double *z);
void sparse_flow_push(const keel_boundary *w, const local *l, const double *z, double *f);
/* f += f_x dx + f_z dz + f_p dp */
void sparse_flow_move(const keel_boundary *w, const local *l, const double *dx, const double *dz,
                      const double *dp, double *f);
/* f += |f_x| |x| + |f_z| |z| */
void sparse_flow_sizes(const keel_boundary *w, const local *l, const double *x, const double *z,
                       double *f);
/* to [n] := A v = f_x v - f_z h_z^-1 h_x v, then scratch */
int sparse_flow_rates(keel_boundary *w, const local *l, const double *v, double *to);
/* About the largest entry of (hA)^2: what it makes of a vector of ones of irregular signs; NaN: singular. */
double sparse_flow_square(keel_boundary *w, double h, const local *l);
void sparse_flow_filter_make(keel_boundary *w, double h, const local *l);
void sparse_flow_filter_apply(const keel_boundary *w, double *d);

/* sparse_stages.c: F and P of interval i; right-hand sides; back to the stages.  As eval_*. */
int stages_condense(keel_boundary *w, mesh *s, int i);
void stages_reduce(keel_boundary *w, mesh *s, int i, const unknowns *r);
void stages_expand(keel_boundary *w, mesh *s, int i, const unknowns *r, unknowns *step);
void stages_free(struct stages *q);

#endif
