/* schur.h -- S = g_y f_z of a sparse Hessenberg problem of index 2, as a sparse matrix.
 *
 * It has as many rows as there are constraints, and where each of them and each multiplier acts on a few
 * unknowns it is far smaller than the saddle matrix [I -f_z; -g_y 0]: of a flow it is the Laplacian of the
 * pressures, whose factors have a tenth of the entries.
 */
#ifndef KEEL_PROBLEM_SCHUR_H
#define KEEL_PROBLEM_SCHUR_H

#include "linear/linear.h"

typedef struct schur {
    int first;                   /* unknowns before the multipliers           */
    keel_matrix S;               /* -S, m x m                                 */
    double *sum;                 /* [m]                                       */
    double *formed;              /* the entries of K that S is of: constraints are often linear */
} schur;

/* Of K = [0 f_z; g_y 0] with a listed pattern; *out stays NULL where S has more entries than K.
 * 0 or KEEL_NO_MEMORY. */
int schur_create(schur **out, const keel_matrix *K, int m);
void schur_free(schur *s);
/* The matrix out of K, unless it is that of last time. */
void schur_form(schur *s, const keel_matrix *K);

#endif
