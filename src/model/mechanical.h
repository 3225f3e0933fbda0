/* mechanical.h -- models of multibody systems, recognised by their structure.
 *
 *     M(t,q) q'' = f(t,q,q') - G(t,q)^T l,   0 = g(t,q),   G = g_q,   M symmetric, positive definite
 *
 * They need no special path: the levelled form serves them, too, and gives the same solution.  But there
 * each evaluation solves for q'' and l by Newton's method, where here one linear system does.
 */
#ifndef KEEL_MODEL_MECHANICAL_H
#define KEEL_MODEL_MECHANICAL_H

#include "model/nonzeros.h"
#include "model/system.h"

typedef struct mechanical {
    int positions, constraints;          /* no positions: the model is not of this form         */
    int *position;                       /* columns of the system: of q, ...                    */
    int *multiplier;                     /* ... and of l, in the order of the rows of g         */
    int *row;                            /* of the system: rows of g                            */
    nonzeros mass, jacobian;             /* M and G                                             */
    int *mass_place, *jacobian_place;    /* of each entry in these matrices by rows             */
    expr *force;                         /* f                                                   */
    expr *constraint, *time, *curvature; /* g, g_t, g_qq(v,v) + 2 g_qt v + g_tt                 */
    int constant_mass;
    buffer reason;                       /* why it is not of this form; "": nothing like it     */
} mechanical;

/* KEEL_OK whether it is of this form or not, or KEEL_NO_MEMORY. */
int mechanical_recognise(mechanical *f, model_system *s);
void mechanical_free(mechanical *f);

#endif
