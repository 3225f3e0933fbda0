/* elimination.h -- the rank of a sparse square matrix and a left null vector. */
#ifndef KEEL_MODEL_ELIMINATION_H
#define KEEL_MODEL_ELIMINATION_H

/* Entries (row[k], column[k], value[k]) are added up.  The rank; below n, u is a vector with u^T A = 0 and
 * largest entry 1.  -1: no memory; -2: too many entries arise. */
int eliminate_sparse(int n, int count, const int *row, const int *column, const double *value, double *u);

#endif
