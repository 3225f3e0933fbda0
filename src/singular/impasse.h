/* impasse.h -- where algebraic equations come to lose rank in the algebraic unknowns.
 *
 * With U and V the left and right null vectors of M the block B = U^T J V (g_z of a semi-explicit
 * problem) is regular as long as the index is 1.  Its determinant goes to 0 like (T - t)^(1/2)
 * where the solution ends at T [Rabier & Rheinboldt, Handbook of Numerical Analysis VIII (2002), 36].
 */
#ifndef KEEL_SINGULAR_IMPASSE_H
#define KEEL_SINGULAR_IMPASSE_H

#include "problem/problem.h"

typedef struct impasse {
    int most;                    /* size of the largest B; 0: none is looked at            */
    coloring colors;
    keel_matrix J, M;
    double *dense, *left, *right;/* [n n]: M, U and V                                      */
    double *block, *factors;     /* [most most] B                                          */
    double *vector, *image;      /* [n]                                                    */
    int *pivot, *listed;         /* [n]                                                    */
    rank_work *work;
} impasse;

void impasse_layout(arena *a, impasse *w, const keel_problem *problem);
void impasse_create(impasse *w, const keel_problem *problem);

/* A point of a run; y' tells where the equations contain it nonlinearly. */
typedef struct run_point {
    double t;
    const double *y, *yp;
} run_point;

/* How far ahead of the later point det B vanishes, judging by the way from the earlier; INFINITY:
 * it does not, or there is no B. */
double impasse_distance(impasse *w, evaluator *e, run_point earlier, run_point later);
/* Names of the unknowns and equations in the null vectors of B at a point.  0: there is no B. */
int impasse_names(impasse *w, evaluator *e, run_point at, char *unknowns, char *equations,
                  size_t size);

#endif
