#include "singular/classify.h"

#include <math.h>

static const double
    apart = 1e-4,                /* of the points between which gamma is differenced       */
    flat = 1e-6,                 /* dgamma/ds in units of X, and <h, w>: not simple below  */
    orthogonal = 1e-8;

/* <h, w> with |w| = 1; 0 where there is no single w. */
static double transversality(curve *c)
{
    const double *K = c->chart.K_c;
    equations *q = &c->chart.q;
    int n = q->n;
    double *w = q->moved, sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) q->square[i * n + j] = K[i * (n + 1) + j];
    if (null_rows(q->work, n, n, q->square, 0, 1, w) != 1) return 0;
    for (int i = 0; i < n; i++) sum -= w[i] * K[i * (n + 1) + n];
    return sum;
}

int classify(curve *c, keel_impasse_kind *kind, double *alpha)
{
    int n = c->chart.q.n;
    double ends[2], error, across = transversality(c);
    for (int k = 0; k < 2; k++) {
        int rc = curve_attempt(c, k ? apart : -apart, &error);
        if (rc) return rc;
        ends[k] = c->T_trial[n];
    }
    double rate = (ends[1] - ends[0]) / (2 * apart);
    *alpha = across * across * rate;
    int simple = fabs(rate) > flat && fabs(across) > orthogonal;
    *kind = !simple ? KEEL_IMPASSE_NOT_SIMPLE
          : rate < 0 ? KEEL_IMPASSE_ACCESSIBLE : KEEL_IMPASSE_INACCESSIBLE;
    return 0;
}
