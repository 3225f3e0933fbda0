/* projection.h -- projection of a point onto the constraints of its problem.
 *
 *   index 1    z from g(t,y,z) = 0, which Newton's error in the stages leaves a little off
 *   index 2    y := y^ + D0 mu, g(t,y) = 0                        [Ascher & Petzold 1991 (14c,d)]
 *   index 3    u := u^ + D0 mu1, g(t,u) = 0;  v := v^ + D1 mu2, g_u f + g_t = 0
 *                                                                 [Schropp 2003 (2.7), (2.8)]
 *   ODE        the point of 0 = phi(t,y), in the least-squares sense, nearest to y^
 *
 * Directions: oblique D0 = f_z, or D0 = f_v k_l and D1 = k_l; orthogonal D0 = W^-1 g_y^T, or
 * D0 = W_u^-1 g_u^T and D1 = W_v^-1 (g_u f_v)^T with an inner product W.  They belong to the new
 * point (explicit: to the point before projection).  Then the multipliers, if wanted, from the
 * last level, which they enter with the matrix g_y f_z or g_u f_v k_l.  See docs/projections.md.
 */
#ifndef KEEL_STEP_PROJECTION_H
#define KEEL_STEP_PROJECTION_H

#include "natural/natural.h"
#include "problem/directions.h"
#include "problem/level_stack.h"

/* Least squares by a rank-revealing factorization (LAPACK dgelsy). */
typedef struct least_squares {
    int rows, columns;           /* all levels but the hidden one, and the attached rows; x */
    double *phi, *phi_x;         /* [rows], [rows columns]                                 */
    double *H;                   /* [attached rows, n]                                     */
    double *y, *moved, *delta, *one, *sum;       /* scratch of differences                 */
    double *A, *b;               /* [rows columns] by columns, [the larger]                */
    double *scale;               /* [rows]                                                 */
    double dependent;            /* rows smaller than this are                             */
    int *order;                  /* [columns]                                              */
    double *work;                /* [size]                                                 */
    int size;
    level_stack levels;          /* sparse problems: the levels, which are no part of rows */
    double *c;                   /* their values                                           */
} least_squares;

typedef struct projection {
    directions directions;
    natural_directions natural, asked;           /* of stiffly accurate steps; else        */
    double *mu[KEEL_LEVELS_MOST];/* [m] each, coefficients of the directions               */
    double *before, *last;       /* [n] each: as given, as of the last round               */
    double *value, *step;        /* [n + rows] each                                        */
    least_squares fit;           /* attached rows                                          */
    const keel_problem *root;    /* whose constraints count                                */
    double *weight;              /* [n] of an original                                     */
    double *shaken;              /* [n + m] a unit in the last place away, and the level there */
    double left[KEEL_LEVELS_MOST];               /* norms of the levels at the point where they */
                                 /* were met; -1: not known                                */
    const double *met;           /* the attached rows there, where their norm is known     */
    struct mechanical_point *mechanical,         /* mechanical_point.h, or NULL; a sparse  */
                            *inquired;           /* one has pivots, and questions another  */
    /* of an engine: */
    int prepared, stale;         /* its matrix serves; it is that of an earlier point      */
    double expected[KEEL_LEVELS_MOST];           /* corrections of the last projection, relative; 0: none */
} projection;

/* What else is wanted at a new point that is spread over ranks, with the message of the projection. */
enum { RIDER_MOST = 6 };
typedef struct projection_rider {
    void *context;
    /* Evaluates at (t,y) and adds its parts of sums and maxima; a code of eval_*. */
    int (*evaluate)(void *context, double t, const double *y, double *sum, double *most);
    int sums, maxima;
    double sum[RIDER_MOST], most[RIDER_MOST];
} projection_rider;

/* What is wanted. */
typedef struct projection_plan {
    keel_projection kind;
    keel_metric metric;          /* orthogonal, and ODE                                    */
    const double *weight;        /* [n] reciprocal tolerances, for KEEL_METRIC_TOLERANCE   */
    int multipliers;             /* also recompute them from the hidden constraint         */
    int stiffly_accurate;        /* the point is a step of such a method: oblique          */
                                 /* directions there are as good as at the new point       */
    int brief;                   /* the hidden level need not be measured                  */
    projection_rider *rider;     /* over ranks: what else goes with the message, or NULL   */
} projection_plan;

typedef enum projection_result {
    PROJECTION_DONE = 0, PROJECTION_CANNOT_EVALUATE = 1, PROJECTION_SINGULAR = 2,
    PROJECTION_DIVERGES = 3, PROJECTION_STOP = -1
} projection_result;

/* Index 1 is served up to this number of algebraic unknowns: factoring g_z once more is dear. */
enum { INDEX1_MOST = 64 };

/* orthogonal: that is what will be asked for, which sparse problems must know beforehand. */
void projection_layout(arena *a, projection *p, const keel_problem *problem, int orthogonal,
                       const keel_engine *engine);
/* Linear systems of sparse problems: 0 or a status of linear_create. */
int projection_create(projection *p);
void projection_release(projection *p);
/* A new run: what the last one found out is forgotten. */
void projection_forget(projection *p);
/* Moves y at t to the constraint manifold of the problem -- of its original, where the problem is a
 * formulation of another; of its invariants, for an ODE.  g_z of index 1 is taken out of J = r_y,
 * or found by differences where J is NULL; other forms do without J.  *row names a constraint that
 * depends on others.  KEEL_PROJECT_NONE moves multipliers only. */
projection_result projection_move(projection *p, evaluator *e, const projection_plan *plan,
                                  const keel_matrix *J, double t, double *y, int *row);
/* Norms of all levels at (t,y); -1 for a hidden level with multipliers of an original which its
 * formulation does not have, or, `brief`, because it takes an evaluation of the forces.  `moved`: y is where
 * projection_move has just left it, and levels that it met are known. */
projection_result projection_residuals(projection *p, evaluator *e, double t, const double *y, int brief,
                                       int moved, double *residual);

/* projection_free.c: y := the nearest point, in the metric of the plan, where the attached rows and
 * all levels but the hidden one vanish or are least. */
void free_layout(arena *a, least_squares *fit, const keel_problem *problem);
projection_result free_move(projection *p, evaluator *e, const projection_plan *plan, double t,
                            double *y);
projection_result projection_code(int evaluation_code);

#endif
