/* ilu.h -- incomplete factors of a sparse matrix in its own pattern, ILU(0) [Saad, Iterative Methods for
 * Sparse Linear Systems, 2003, algorithm 10.4]: a_ij = (L U)_ij for every entry that there is. */
#ifndef KEEL_LINEAR_ILU_H
#define KEEL_LINEAR_ILU_H

#include "core/arena.h"
#include "keel/matrix.h"

/* The pattern of a matrix by rows, with its diagonal. */
typedef struct row_pattern {
    int n, entries;
    int *start, *column;         /* [n + 1], [entries] ascending in a row                  */
    int *source;                 /* [entries] where it is among the values of the matrix, or -1 */
    int *diagonal;               /* [n] where it is in the row                             */
    int *place;                  /* [n] scratch                                            */
} row_pattern;

/* Of a sparse or band pattern. */
void row_pattern_layout(arena *a, row_pattern *p, const keel_pattern *pattern, int n);
void row_pattern_build(row_pattern *p, const keel_pattern *pattern);
/* Factors a, [entries], in place: L without its diagonal, U with the reciprocal of its own.  A pivot that
 * vanishes is replaced by the size of its row. */
void ilu_factor(row_pattern *p, double *a);
/* x := (L U)^-1 b */
void ilu_solve(const row_pattern *p, const double *lu, const double *b, double *x);

#endif
