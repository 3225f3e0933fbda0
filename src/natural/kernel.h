/* kernel.h -- what a mass matrix does not see: V with M V = 0, U_0 with U_0^T M = 0, and M^+.
 *
 * As a rule M has as many rows as columns without entries, and the rest of it is regular.  Then V
 * and U_0 are unit vectors and M^+ solves with the rest; otherwise all three come from singular
 * values.
 */
#ifndef KEEL_NATURAL_KERNEL_H
#define KEEL_NATURAL_KERNEL_H

#include "linear/linear.h"

typedef struct mass_kernel {
    int n, rank;
    int plain;                   /* unit vectors                                           */
    int *row, *column;           /* [n] plain: those with entries first, `rank` of them    */
    int *pivot;                  /* [n]                                                    */
    double *rest;                /* [n n] plain: factors of the rest; else scratch          */
    double *U, *Vt, *sigma;      /* [n n], [n n], [n] singular vectors and values           */
    double *moved;               /* [n] scratch                                            */
    double *work;                /* [size]                                                 */
    int size;
} mass_kernel;

void kernel_layout(arena *a, mass_kernel *k, int n);
/* 0, or 1: M is not finite, or its singular values are not found. */
int kernel_find(mass_kernel *k, const keel_matrix *M);
/* x := M^+ x */
void kernel_solve(mass_kernel *k, double *x);
/* x += a times column j of V */
void kernel_add(const mass_kernel *k, int j, double a, double *x);
/* Row i of U_0^T times x. */
double kernel_row(const mass_kernel *k, int i, const double *x);

#endif
