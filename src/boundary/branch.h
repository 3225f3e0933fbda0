/* branch.h -- a branch of solutions, as the files about it share it.
 *
 *   q = (x(from), x(to), p, l),   0 = sum_i normal_i (q_i - base_i) / scale_i - length
 *
 * The row is one more condition of a boundary value problem in which l is one more unknown
 * parameter: it says how far to go, by l alone or along the branch.
 */
#ifndef KEEL_BOUNDARY_BRANCH_H
#define KEEL_BOUNDARY_BRANCH_H

#include "boundary/boundary.h"
#include "keel/branch.h"

/* Of the linear equations with the row of the step, which points the way that is gone. */
typedef struct determinant { int sign; double logarithm; } determinant;

struct keel_branch {
    keel_boundary_spec spec;     /* the user's                                             */
    keel_branch_options how;
    keel_boundary *boundary;     /* with l and the row; owned                              */
    int created;
    int n, nx, np;               /* unknowns, differential ones, unknown parameters        */
    int size;                    /* of q                                                   */
    void *block;
    int *which;                  /* [np + 1] parameters of the frame, l last               */
    double *normal, *base, *scale;               /* [size] the row,                        */
    double length;
    double *p, *b_p;             /* [np + 1], [conditions np] scratch of the callbacks     */
    double *q, *last, *before;   /* [size] this solution, and the last two points          */
    double *there, *tangent;     /* [size] scratch                                         */
    double *y;                   /* [4 n]                                                  */
    double begin;                /* l at the start                                         */
    double range;                /* that l is measured by; 0: not known yet                */
    double direction;            /* of l at first: +1, -1                                  */
    double step;                 /* the next                                               */
    determinant determinant;     /* at the last point                                      */
    int crossed;                 /* steps since a branch point, or 0: none near            */
    int points, room;
    keel_branch_point **point;   /* each owned                                             */
    message message;
};

/* branch_problem.c */
int branch_problem(keel_branch *b, const keel_boundary_options *options, size_t options_size);

/* branch_table.c: the solution that is there becomes point number `at`; a status. */
enum { BRANCH_FOLD = 1, BRANCH_POINT = 2 };
int branch_add(keel_branch *b, int at, double arc, int kind);
/* An empty point at the end; a status. */
int branch_append(keel_branch *b);
/* No points any more. */
void branch_table_free(keel_branch *b);

/* branch_step.c: all return a status of the boundary value problem, its message there. */

/* Solves with the row that is there; q is then the solution. */
int branch_solve(keel_branch *b);
/* So far along the branch, or only in l by `change`, from the last point. */
int branch_along(keel_branch *b, double length);
int branch_natural(keel_branch *b, double change);
/* The direction at the last point, of length 1, into b->normal. */
void branch_tangent(keel_branch *b);
/* |a - c| with the scale of the last point. */
double branch_distance(const keel_branch *b, const double *a, const double *c);
void branch_scale(keel_branch *b);
static inline double *branch_parameter(const keel_branch *b, double *q) { return q + b->size - 1; }

/* fold.c: between the last two points and q l has turned: the point where it does enters the table,
 * and q is solved for again. */
int branch_fold(keel_branch *b, double arc);

/* branch_point.c: the determinant where q is; and the point between the last one and q where it
 * vanishes enters the table, and q is solved for again.  Statuses. */
int branch_determinant(keel_branch *b, determinant *of);
int branch_crossing(keel_branch *b, double arc, const determinant *now);

#endif
