/* levels.h -- the levelled form of a model.
 *
 *   y = (x_j^(l), l < d_j),  w = (x_j^(d_j));  0 = F_i^(c_i)(t, y, w) is square in w
 *
 * Equations with c_i = 0 that can be solved for their leading unknown become assignments; what is left
 * of w is z.  Equations with c_i > 0 never become assignments: they stay in g, and so the direction
 * f_z g_z^-1 is that of the Schur complement of the leading matrix.
 *
 *   y' = next y, or f(t,y,z);   0 = g(t,y,z);   0 = h_k(t,y), k = 1 ... c_i
 */
#ifndef KEEL_MODEL_LEVELS_H
#define KEEL_MODEL_LEVELS_H

#include "model/mechanical.h"
#include "model/system.h"

typedef struct levels {
    int differential, algebraic, depth;  /* y, z, the longest chain                             */
    int solved;                          /* of z, the last: the problem has other means for them */
    int *y_of;                           /* per column: the first of its y, -1: none            */
    int apart;                           /* from a y to its derivative in y                     */
    int *y_column, *y_order;             /* per y                                               */
    int *next;
    int *z_of;                           /* per column: its leading derivative in z, -1         */
    int *z_column;                       /* per z                                               */
    expr *assigned;                      /* per column: the value of its leading derivative, or 0 */
    unsigned char *by_assignment;        /* per row of the system: 1, it became an assignment   */
    int *g_row, *chain;                  /* per row of g: row of the system, constraints below  */
    expr *f;                             /* per y with next -1                                  */
    expr **h;                            /* h[k][i]: row i of level k, 0: it has none; h[0]: g  */
    int assignments;
    rewrite expand, finish;              /* der() and pre() taken apart; assignments put in     */
} levels;

/* `f`: the numbering of a mechanical problem, y = (q, v), z = (l, q''), if it has positions. */
int levels_build(levels *l, model_system *s, const mechanical *f);
void levels_free(levels *l);
/* The y that is the derivative number `order` of a column. */
static inline int levels_y(const levels *l, int column, int order)
{
    return l->y_of[column] + order * l->apart;
}
/* Unknowns of the problem: y, and z but for what is solved. */
static inline int levels_unknowns(const levels *l)
{
    return l->differential + l->algebraic - l->solved;
}
/* Any expression in t, y, z, parameters and discrete variables; 0 without memory. */
expr levels_finish(levels *l, model_system *s, expr e);
/* Leaves beyond y and z: der(der(x)) of an x that the equations do not differentiate so often. */
int levels_knows(const levels *l, const model_system *s, const expr_node *n);

#endif
