/* rows.h -- A x = b for a few rows: by elimination where A has as many independent rows as columns,
 * which takes the largest of each column in units of its row; else in the least-squares sense, x of
 * minimum norm (LAPACK dgelsy).
 */
#ifndef KEEL_NATURAL_ROWS_H
#define KEEL_NATURAL_ROWS_H

#include "core/arena.h"

typedef struct row_system {
    int rows, columns;
    int eliminated;              /* solved with factors                                    */
    double *A;                   /* [rows columns], by rows                                */
    double *factors;             /* [rows columns]                                         */
    double *scale;               /* [rows] what a row is measured by                       */
    int *order;                  /* [rows] those taken first; or scratch of least squares   */
    double *work;                /* [size]                                                 */
    int size;
} row_system;

void rows_layout(arena *a, row_system *q, int rows, int columns);
/* After A and, per row, scale are filled in.  tall: rows that are not taken may be left out, since
 * they say nothing else. */
void rows_factor(row_system *q, int tall);
/* b[rows] becomes x[columns]: 0, or 1: it is not finite. */
int rows_solve(row_system *q, double *b);

#endif
