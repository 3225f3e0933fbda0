/* spectrum.h -- the eigenvalues of A, and what systems they make of implicit stages. */
#ifndef KEEL_METHOD_SPECTRUM_H
#define KEEL_METHOD_SPECTRUM_H

int lower_triangular(int s, const double *A);

/* Does A [s s], not lower triangular, have one eigenvalue only? */
int one_eigenvalue(int s, const double *A);

/* Of A [s s], s <= KEEL_STAGES_MOST, real ones first.  0, or KEEL_NO_MEMORY. */
int stage_eigenvalues(int s, const double *A, double *re, double *im);

/* One system for each different eigenvalue that is not 0, pairs once. */
void count_systems(int s, const double *re, const double *im, int *real, int *complex_ones);

#endif
