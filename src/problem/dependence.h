/* dependence.h -- constraints that depend on each other: N with N^T G = 0, N^T N = I.
 *
 * Rows may be redundant on the manifold only, and which of them could be left out changes on the
 * way.  So none is: wherever multipliers are solved for, 0 = g becomes
 *
 *   0 = g - N N^T l.
 *
 * Then [M G^T; G -N N^T] is regular, g = 0 in all rows where they do not contradict each other, and
 * N^T l = 0: among all multipliers with the same force G^T l the smallest, smooth in time.
 * Iteration matrices have the N of the last accepted point; with those of a point near by l is
 * another one with the same force.  The number of columns is found at the start.
 *
 * Sparse problems would lose their pattern by N N^T.  There
 *
 *   0 = g - W (l - l_0),   W diagonal, W > 0 in as many rows, without which the others are independent,
 *
 * holds for g = 0 and l = l_0 in those rows, l_0 the smallest multipliers of the last accepted point.
 * These rows are chosen anew where the others become nearly dependent, and multipliers that are kept
 * are made the smallest: which rows are in W does not show.
 */
#ifndef KEEL_PROBLEM_DEPENDENCE_H
#define KEEL_PROBLEM_DEPENDENCE_H

#include "problem/problem.h"

typedef struct dependence {
    int m, n;                    /* rows and columns of G; 0: not for this problem         */
    int count;                   /* columns of N; 0: all rows are independent              */
    int nearly;                  /* as many may be taken for dependent at the start        */
    double *N;                   /* [m count] row-major                                    */
    double *held;                /* [m count] N of the last J = r_y                        */
    double *other;               /* [m m] N elsewhere                                      */
    double *G;                   /* [m n]                                                  */
    double *excess;              /* [m] scratch                                            */
    int *rows;                   /* [m] scratch                                            */
    rank_work *work;
    const keel_problem *problem; /* sparse ones: the problem, else NULL                    */
    double *loose;               /* [its unknowns] W at the multipliers                    */
    double *reference;           /* [m] l_0                                                */
    unsigned char *left;         /* [m] rows in W                                          */
    unsigned char *tried;        /* [m] the same elsewhere                                 */
    sparse_rank *rank;           /* nothing that a run remembers                           */
} dependence;

void dependence_layout(arena *a, dependence *d, const keel_problem *problem);
/* 0, KEEL_NO_MEMORY or KEEL_UNSUPPORTED */
int dependence_create(dependence *d);
void dependence_release(dependence *d);
/* At the start of a mechanical problem: which rows depend on others at (t,y), and also beside it.
 * KEEL_OK, with a remark where rows do; KEEL_SINGULAR: they do so at this point only;
 * KEEL_NO_MEMORY; or KEEL_CALLBACK_FAILED without a message. */
int dependence_find(dependence *d, evaluator *e, double t, const double *y, message *m);
/* (t,y) is accepted: N there, unless the rank is less, and the smallest multipliers in y. */
int dependence_renew(dependence *d, evaluator *e, double t, double *y);
/* l := l - N N^T l, which is the smallest, with the N of this G. */
void dependence_smallest(const dependence *d, const double *G, double *l);
/* J is to be evaluated at (t,y).  0, or < 0 with a fault where a callback asks to stop. */
int dependence_hold(const dependence *d, evaluator *e, double t, const double *y);
/* r := r - N N^T (l less the smallest l for this G) with the N of the point where J was evaluated.
 * That leaves other combinations of rows as they are: an error of l in g would come back divided by
 * a power of the step size. */
void dependence_regularise(const dependence *d, const double *G, const double *l, double *r);
/* By how much the rank at (t,y) is about to fall, and the names of the rows concerned. */
int dependence_lost(dependence *d, evaluator *e, double t, const double *y, char *text,
                    size_t size);

/* The first of these rows, and how many more. */
void dependence_names(const keel_problem *p, const char *(*name_of)(const keel_problem *p, int row),
                      int found, const int *rows, char *text, size_t size);

/* r := r - N N^T l, block := block + factor N N^T, whose rows begin `stride` numbers apart, entries
 * `step`, with the N of the accepted point. */
void dependence_subtract(const dependence *d, const double *l, double *r);
void dependence_add(const dependence *d, double factor, double *block, int stride, int step);
/* W of a sparse problem, for its multipliers; for all of its unknowns it begins at d->loose. */
static inline const double *dependence_loose(const dependence *d)
{
    return d->loose + 2 * d->n;
}
/* The next factorization takes account of what depends on each other, if anything does. */
static inline void dependence_tell(const dependence *d, saddle *k)
{
    if (saddle_is_sparse(k)) saddle_set_loose(k, d ? dependence_loose(d) : NULL);
    else saddle_set_null(k, d ? d->count : 0, d ? d->N : NULL);
}

#endif
