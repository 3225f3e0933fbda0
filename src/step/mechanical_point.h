/* mechanical_point.h -- a place (t; q, v) of a mechanical system and what is known there.
 *
 *   positions      [M G^T; G 0][dq; .] = [0; -g(t,q)]                Schropp (2003) (2.7)
 *   velocities     [M G^T; G 0][dv; .] = [0; -(G v + g_t)]           Schropp (2003) (2.8)
 *   accelerations  [M G^T; G 0][a; l]  = [f; -gamma]                 the hidden constraint
 *
 * One matrix serves all three; that of dependent rows is [M G^T; G -N N^T] (problem/dependence.h).
 * Whoever integrates owns points; questions have one of their own.
 */
#ifndef KEEL_STEP_MECHANICAL_POINT_H
#define KEEL_STEP_MECHANICAL_POINT_H

#include "problem/products.h"
#include "step/projection.h"

typedef struct mechanical_point {
    const keel_problem *problem;
    int n, m;
    double t;
    double *y;                   /* [2n + m] q, v, l: set by the owner                     */
    double *a, *l;               /* [n], [m] that fulfil the hidden constraint             */
    union {
        keel_mechanical_parts parts;
        struct { double *M, *f, *g, *G, *g_t, *gamma; };    /* [n n], [n], [m], [m n], [m], [m]; */
                                                            /* M and G of sparse problems: nonzeros */
    };
    double *before;              /* [n] positions as given; [m] scratch                    */
    unsigned known;              /* KEEL_MASS, ...: which of these belong to (t, y)        */
    unsigned constant;           /* KEEL_MASS where M is constant, ...                     */
    unsigned kept;               /* ... and once it is in place                            */
    int exact;                   /* kkt was that of M and G above, see point_is_exact, when */
    unsigned long factored;      /* this was its generation                                */
    double contraction;          /* of the last correction of positions                    */
    double left;                 /* relative correction of positions that may remain       */
    int variable;                /* the unknown that a failure concerns, or -1             */
    saddle *kkt;                 /* factored [M G^T; G 0] of this point or of another      */
} mechanical_point;

enum {
    POINT_POSITION = KEEL_MASS | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME,
    POINT_FORCES = KEEL_FORCE | KEEL_CURVATURE,
    POINT_ACCELERATION = 1 << 16                    /* in `known`: a and l                 */
};

/* All buffers but y; kkt is one of its own. */
void point_layout(arena *a, mechanical_point *p, const keel_problem *problem);
/* The kkt of a sparse problem, which is not in the arena: 0 or a status of linear_create. */
int point_create(mechanical_point *p);
void point_release(mechanical_point *p);
/* Before a run: nothing is known, and a constant M is asked for again. */
void point_forget(mechanical_point *p);

/* ---- products ------------------------------------------------------------------------------- */

/* r := base + G x */
static inline void point_level(const mechanical_point *p, const double *base, const double *x,
                               double *r)
{
    level_product(p->problem, p->G, base, x, r);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* y, set by the owner, is a new place: only a constant M is still known. */
static inline void point_place(mechanical_point *p, double t)
{
    p->t = t;
    p->known = p->kept;
}

/* Does kkt belong to M and G as they are?  A start that failed may have taken it away. */
static inline int point_is_exact(const mechanical_point *p)
{
    return p->exact && p->factored == saddle_generation(p->kkt);
}

/* Evaluates what is wanted and not known, in one call.  A code of eval_mechanical. */
int point_evaluate(evaluator *e, mechanical_point *p, unsigned wanted);
/* Factors M and G as they are, unless that is done. */
projection_result point_factor(evaluator *e, mechanical_point *p);
/* What the code of a failed saddle_factor means. */
projection_result point_unfactored(evaluator *e, mechanical_point *p, int rc);
/* Moves q to g = 0 along M^-1 G^T of the factors at hand while these contract, and evaluates what
 * is wanted at the new q. */
projection_result point_move_positions(evaluator *e, mechanical_point *p, unsigned wanted);
/* Moves v to G v + g_t = 0 along M^-1 G^T of the point or, with `along`, of the factors. */
projection_result point_move_velocities(evaluator *e, mechanical_point *p, int along);
/* The levels that the plan names; factors are at hand. */
projection_result point_move(evaluator *e, mechanical_point *p, const projection_plan *plan);
/* a and l.  With factors of another point by iterative refinement, which may fail. */
projection_result point_accelerate(evaluator *e, mechanical_point *p);
/* Norms of the three levels from what is known; -1 for the last without a and l. */
void point_residuals(mechanical_point *p, double *residual);

/* ---- for projection.c, at any (t, y) -------------------------------------------------------- */

/* As projection_move, but for orthogonal projection in a metric other than that of the mass. */
projection_result mechanical_move(mechanical_point *p, evaluator *e, const projection_plan *plan,
                                  double t, double *y, int *row);
/* Norms of the levels at (t, y), of what the move before has left where that was to this point;
 * `complete`: with the one that contains multipliers. */
projection_result mechanical_residuals(mechanical_point *p, evaluator *e, double t, const double *y,
                                       int complete, double *residual);

#endif
