/* norm.h -- weighted root-mean-square norms and finiteness, also of vectors that are spread.
 *
 * Norms of parts (norm_sum, norm_max, ...) are local; whoever decides something by one completes it
 * over all ranks first, by norm_root, norm_most, or ranks_reduce for several of them in one message.
 */
#ifndef KEEL_CORE_NORM_H
#define KEEL_CORE_NORM_H

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "core/strict.h"

/* w of a tolerated size; where none is tolerated, because y = 0 and atol = 0, nothing is tested */
static inline double norm_weight(double size)
{
    return size > 0 ? 1 / size : 0;
}

/* ---- vectors spread over ranks --------------------------------------------------------------- */

enum { REDUCE_MOST = 16, REDUCE_TEXT = 640 };

/* What failed on a rank, to be told to all of them with the next message. */
typedef struct rank_failure {
    int severity;                /* 0: nothing, 1: cannot evaluate here, 2: stop            */
    int code;                    /* of the callback                                        */
    double t;
    char text[REDUCE_TEXT];
} rank_failure;

/* The ranks that share a vector; NULL where vectors are whole. */
typedef struct reducer {
    void *context;
    int (*reduce)(void *context, int sums, double *sum, int maxima, double *most);   /* NULL: one rank */
    int rank;
    long messages;
    rank_failure here;           /* since the last message                                 */
    rank_failure met;            /* on any rank, by the last message: the same on all       */
    char told[REDUCE_TEXT];      /* of the last failure that was answered                  */
} reducer;

/* Completes sums and maxima, at most REDUCE_MOST of each, in one message, which also tells what
 * failed: then all of them are NaN.  A maximum that is not finite becomes NaN. */
void ranks_reduce(reducer *r, int sums, double *sum, int maxima, double *most);
/* Text of the rank that has it (has > 0, the larger the better) for all of them. */
void ranks_text(reducer *r, double has, char *text, int size);
/* What a rank found out by itself: the worst status of all, and the text of a rank that has it.  r NULL:
 * status. */
int ranks_status(reducer *r, int status, char *text, int size);

/* sqrt(sum / count) of all ranks */
static inline double norm_root(reducer *r, double sum, double count)
{
    double both[2] = {sum, count};
    if (r) ranks_reduce(r, 2, both, 0, NULL);
    return sqrt(both[0] / both[1]);
}

/* The largest of all ranks. */
static inline double norm_most(reducer *r, double most)
{
    if (r) ranks_reduce(r, 0, NULL, 1, &most);
    return most;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* sum_i (x_i w_i)^2 with w the reciprocal of the tolerated size */
double norm_sum(int n, const double *x, const double *w);
/* max_i |x_i|; NaN if any entry is not finite */
double norm_max(int n, const double *x);
/* max_i |x_i| / (1 + |reference_i|); NaN if any entry is not finite */
double norm_relative(int n, const double *x, const double *reference);
/* the largest change of a row of A, rows x n, by x, beside its terms in y: max_i sum_j |a_ij x_j| /
 * sum_j |a_ij y_j| */
double norm_rows(int rows, int n, const double *A, const double *x, const double *y);
/* the i with the largest |x_i| w_i */
int norm_worst(int n, const double *x, const double *w);
/* -1 if every entry is finite, else the first that is not */
int first_not_finite(int n, const double *x);
/* The sum of all entries, two at a time: where it is finite, all of them are. */
typedef double sum2 __attribute__((vector_size(16)));
static inline int sum_finite(sum2 sum) { return fabs(sum[0] + sum[1]) <= DBL_MAX; }
/* Are a few? */
static inline int all_finite(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return fabs(sum) <= DBL_MAX || first_not_finite(n, x) < 0;
}

#endif
