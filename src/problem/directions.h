/* directions.h -- where the constraint levels of a problem move a point.
 *
 * The hidden level depends on the algebraic unknowns with a matrix S, and every level is met by
 *
 *   S mu = -(residual),   x := x + D_k mu,   z := z + mu for the hidden level itself,
 *
 *   Hessenberg 2   S = g_y f_z        D_0 = f_z
 *   Hessenberg 3   S = g_u f_v k_l    D_0 = f_v k_l,  D_1 = k_l
 *   mechanical     S = G D_0          D_0 = D_1 = -M^-1 G^T
 *   levelled       S = g_z            D_k = f_z in the rows that lead the components of a level
 *   semi-explicit  S = g_z            no lower level
 *
 * Problems with a sparse or band pattern have one saddle matrix instead of D and S, which holds
 * the blocks above and is factored in the pattern of the problem, unless S of Hessenberg 2 is sparse itself
 * (schur.h):
 *
 *   [I -f_z; -g_y 0],   [I -f_v 0; 0 I -k_l; -g_u 0 0],   [I -f_z; 0 -g_z].
 *
 * Orthogonal directions D_k = W^-1 (level)_x^T have a matrix S_k of their own.  An engine of a program has
 * the saddle matrix of a Hessenberg form, whose solution for (0, ..., c) is (D_0 mu, D_1 mu, mu).
 */
#ifndef KEEL_PROBLEM_DIRECTIONS_H
#define KEEL_PROBLEM_DIRECTIONS_H

#include "problem/problem.h"

typedef struct directions {
    const keel_problem *problem;
    int m;
    double *G;                   /* [m N] constraint Jacobian                              */
    double *D[2];                /* [N m], [M m]; levelled: f_z in the first               */
    double *S;                   /* [m m] factored                                         */
    int *pivot;                  /* [m]                                                    */
    /* orthogonal: per lower level */
    double *own_D[KEEL_LEVELS_MOST], *own_S[KEEL_LEVELS_MOST];
    int *own_pivot[KEEL_LEVELS_MOST];
    double *gradient;            /* [m (largest count)]                                    */
    /* sparse */
    int sparse;
    linear_system *system;
    coloring colors;
    keel_matrix J, K;            /* K: the saddle matrix less I, of a pattern that is listed; */
    int *source;                 /* where its entries are in J                             */
    double *diagonal, *x, *y;    /* [n] each                                               */
    struct schur *schur;         /* S alone (schur.h), or NULL: the saddle matrix is factored */
    struct level_saddle *own;    /* [levels - 1] orthogonal (level_saddle.h), or NULL      */
    const keel_engine_spec *engine;              /* that has the saddle matrix, or NULL    */
} directions;

/* Is the entry of J in this row and column, numbers of unknowns, in the saddle matrix? */
int saddle_has(const keel_problem *problem, int row, int col);
/* orthogonal: sparse problems are to have those, too, and mechanical ones have nothing else.  engine: of a
 * program, or NULL. */
void directions_layout(arena *a, directions *d, const keel_problem *problem, int orthogonal,
                       const keel_engine *engine);
/* 0 or a status of linear_create; `storage` as of the iteration. */
int directions_create(directions *d);
void directions_release(directions *d);
/* Evaluates and factors at (t,y); J: r_y near by, out of which g_z of a semi-explicit problem and
 * all of a sparse one is taken, or NULL.  A code of eval_*, or SINGULAR and *row, m where an engine names
 * none. */
enum { DIRECTIONS_SINGULAR = 2 };
int directions_prepare(directions *d, evaluator *e, const keel_matrix *J, double t, const double *y,
                       int *row);
/* Evaluates alone, dense. */
int directions_evaluate(directions *d, evaluator *e, const keel_matrix *J, double t,
                        const double *y);
/* Orthogonal directions of one level in the metric 1 / weight^2 (NULL: Euclidean). */
int directions_gradient(directions *d, evaluator *e, int level, const double *weight, double t,
                        const double *y, int *row);
/* Is `value` of the first level no more than the rounding errors of g, |g_y| |y|?  Told of sparse Hessenberg
 * forms only. */
int directions_met(const directions *d, int level, const double *y, const double *value);
/* mu := S^-1 mu, with the S of the level where `own`; to a tolerance where systems of an engine are not
 * solved directly, of whose failure the answer is a code of eval_*. */
int directions_solve(directions *d, evaluator *e, int level, int own, double t, double tolerance, double *mu);
/* step = D_k mu, [count of the level]; own: the orthogonal ones.  An engine knows that of the last
 * solution. */
void directions_step(directions *d, int level, int own, const double *mu, double *step);

#endif
