/* chart.h -- local coordinates of the manifold g2(X) = 0, and the regularised field in them.
 *
 * At the centre X_c, with Dg2^T = [Q1 Q2] [R; 0],
 *
 *   X = phi(y):      Q2^T (X - X_c) = y,  g2(X) = 0              the chart [7.3.2, figure 7.2]
 *   Dphi(y) = C^-1 [0; I],  C = [Dg2(X); Q2^T]                   (7.11)
 *   B(y) = [P^T A  -P^T f] Dphi(y),   r x (r+1)
 *
 * The direction of the curve is the null vector of B.  B_c = V_L (S 0) V_R^T gives the vectors e,
 * c1, c2 of the bordered system (7.12),
 *
 *   [ B  e ; c1^T 0 ; c2^T 0 ] [ v1 v2 ; z1 z2 ] = [ 0 0 ; 1 0 ; 0 1 ],    v = z2 v1 - z1 v2,
 *
 * which is regular at simple impasse points and where B loses rank; T = Dphi v is scaled to length
 * 1, and gamma = dt/ds is its last entry [Bendtsen & Thomsen (eds.), IMM-REP-1999-8, chapter 7,
 * where t is not an unknown; Rabier & Rheinboldt, Math. Comp. 62 (1994) 133].
 */
#ifndef KEEL_SINGULAR_CHART_H
#define KEEL_SINGULAR_CHART_H

#include "singular/equations.h"

typedef struct chart {
    equations q;
    int size;                    /* n + 1                                                  */
    double *centre, *tangent;    /* [size] X_c and T there                                 */
    double *K_c, *K;             /* [n size] at the centre, and at the last point          */
    double *Q;                   /* [size size] columns Q1, Q2                             */
    double *C;                   /* [size size] factored                                   */
    double *e, *c1, *c2;         /* [r], [r+1], [r+1]                                      */
    double *Dphi, *bordered;     /* [size size], [(size+1)^2]                              */
    double *value, *step;        /* [size]                                                 */
    double *pair;                /* [2 (size+1)]                                           */
    double *svd, *tau, *work;
    int *pivot, work_length;
} chart;

void chart_layout(arena *a, chart *c, const keel_problem *problem);
/* The chart around X, a point of the manifold; c->tangent there, in the direction of `along` or, if
 * that is NULL, of increasing time. */
int chart_begin(chart *c, const double *X, const double *along);
/* X := phi(y), y [r+1], and its K. */
int chart_point(chart *c, const double *y, double *X);
/* Moves X to the manifold, along the normals of the point itself. */
int chart_land(chart *c, double *X);
/* T at the point that chart_point found, in the direction of c->tangent. */
int chart_tangent(chart *c, double *T);
/* Q2^T T, which is dy/ds. */
void chart_project(const chart *c, const double *T, double *rate);

/* Codes as of equations.h, and: */
enum { CHART_LOST = 105 };       /* no point, or no direction, near enough                 */

#endif
