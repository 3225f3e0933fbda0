/* consistent.h -- consistent initial values on all constraint levels.
 *
 * Unknowns x = (y, y'), with y' where the form has it; equations 0 = c(x): the constraint levels,
 * attached rows, M y' = f or F = 0, and those of the user.  Newton's method moves x by
 *
 *   dx = -J^- c,   J^- the inverse that moves unknowns in their order (equations.c): derivatives
 *                  and free unknowns first, guesses as little as possible, fixed ones never.
 *
 * Nothing here knows solvers: what is started is a problem with its evaluator.
 */
#ifndef KEEL_CONSISTENT_H
#define KEEL_CONSISTENT_H

#include "problem/dependence.h"
#include "problem/gauge.h"

typedef struct start_point {
    evaluator *e;
    const keel_problem *p;
    double t, *y, *yp;           /* [n] moved,                                             */
    const double *given;         /* [2 n] as they were                                     */
    keel_mark *marks;            /* [n]                                                    */
    int standard;                /* not the user's: unknowns that turn out to be algebraic */
                                 /* are free                                               */
    const keel_mark *yp_marks;   /* [n], or NULL: all derivatives are free                 */
    const keel_start_spec *spec; /* additional equations, or NULL                          */
    dependence *dependence;      /* where the integrator can go on with dependent rows     */
    gauge *gauge;                /* the same of other forms than mechanical                */
    struct mechanical_point *place;      /* the integrator's, with its y and a, or NULL    */
    double *at_place;            /* [n] scratch, with it                                   */
    message *message;
} start_point;

/* ---- what is called when a solver starts ---------------------------------------------------- */

/* Moves w->y and w->yp to the consistent point.  A status; KEEL_OK may come with a remark.  On
 * failure they are as before.  `own`: of a formulation, its equations alone, not its original's. */
int start_consistent(start_point *w, const keel_mark *marks, int own);
/* For initial = given: leaves w->y, and w->yp if it was given; else finds it as far as the
 * equations say.  Remarks on equations that are not satisfied. */
int start_given(start_point *w, int derivative_given);
/* Properly stated leading terms: u = d(t,x) unless marks fix it; are the ranks as they must be?
 * If so, the answer is rc, what the start has come to. */
int start_leading_term(start_point *w, const keel_mark *marks);
int start_proper(start_point *w, int rc);

/* ---- Newton's method -------------------------------------------------------------------- */

enum { START_DONE = 0, START_NOT_CONVERGED = 1000, START_UNMET, START_SINGULAR };

/* One system of equations; codes of the functions are those of eval_*, `factor` may add
 * START_SINGULAR.  step = -J^- c for (y, y'), 2 n. */
typedef struct start_system {
    void *state;
    int rows;
    double enough;               /* relative change that may remain: noise of differences  */
    int (*residual)(start_point *w, void *state, double *c);
    int (*factor)(start_point *w, void *state);
    int (*solve)(start_point *w, void *state, const double *c, double *step);
    double (*length)(void *state, const double *c);      /* of the residual, or NULL        */
} start_system;

/* value: [rows] residual where it ended.  START_DONE, _NOT_CONVERGED, _SINGULAR, or a code of
 * eval_*, or KEEL_NO_MEMORY. */
int start_newton(start_point *w, const start_system *system, double *value);
/* In which the smallest change is measured: 1 on manifolds of levels and invariants, 1 + |y_j|
 * where unknowns of index 1 have units of their own. */
double start_unit(const start_point *w, int j);
/* A status with a message for an evaluation that failed. */
int start_fault(const start_point *w, int rc);
int start_no_memory(const start_point *w);
/* Is there no memory on any rank? */
int start_lacks(const start_point *w, int here);
/* What a rank finds out by itself is so on all; without ranks rc. */
int start_agree(const start_point *w, int rc);
/* The linear algebra could not be made; Newton's method did not converge (unknown -1: derivatives, -2: not
 * known); a row depends on others. */
int start_unready(const start_point *w, int rc);
int start_diverged(const start_point *w, const char *row, double residual, int unknown);
int start_redundant(const start_point *w, int level, int row);
/* The entry that is largest in absolute value. */
int start_worst(int n, const double *x);
/* "position constraint 0", "velocity rod", "energy": of a row of a level. */
void start_row_name(const keel_problem *p, int level, int row, char *text, size_t size);
/* Which constraints depend on each other, where an integrator can go on with them; a status. */
int start_dependence(start_point *w);
/* The last level does not determine z: dependent constraints, or another index than declared. */
int start_wrong_index(const start_point *w, int multiplier);

/* ---- dense systems ------------------------------------------------------------------------ */

/* All equations, or those of one level for the unknowns that it moves, or y' alone. */
enum { EQUATIONS_ALL = -1, EQUATIONS_DERIVATIVE = -2 };
/* A status, with a message; without: START_UNMET or START_NOT_CONVERGED where `quiet`. */
int start_equations(start_point *w, int which, int quiet);

/* ---- sparse and large systems --------------------------------------------------------------- */

/* Is it so large that dense arrays are out of the question? */
int start_is_large(const start_point *w);
/* level.c: a level below the last, sparse; multipliers.c: z from the last one, sparse, dense or by an
 * engine, and a level below along its directions; large.c: M y' = f, sparse or by an engine. */
int start_sparse_level(start_point *w, int level);
int start_multipliers(start_point *w);
int start_along(start_point *w, int level);
/* Are the values of a mechanical problem consistent but for its multipliers?  Finds these.  Those of a
 * semi-explicit problem to rounding, with g_z of full rank? */
int start_holds(start_point *w, int *rc);
int start_large(start_point *w);
/* Fixed values have their values: what Newton's method made of them must be that, too. */
int start_fixed(start_point *w);
/* Do y' and the equations agree?  Else a remark. */
int start_remark(start_point *w);

#endif
