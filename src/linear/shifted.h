/* shifted.h -- the parts of a linear_system: dense (shifted.c), band.c and sparse.c. */
#ifndef KEEL_LINEAR_SHIFTED_H
#define KEEL_LINEAR_SHIFTED_H

#include "linear/linear.h"

/* The matrix (re + i im) M - J. */
typedef struct shifted {
    double re, im;
    linear_mass mass;
    const keel_matrix *jacobian;
} shifted;

/* ---- band: LAPACK layout, a(i,j) at values[j*ld + lower + upper + i - j] ----------------- */

typedef struct band_shape { int n, lower, upper, ld; } band_shape;

/* Entries are `width` doubles, 1 real and 2 complex.  0, or k > 0: no pivot in column k - 1. */
int band_factor(const band_shape *shape, int width, double *values, int *pivot);
/* b := A^-1 b */
void band_solve(const band_shape *shape, int width, const double *values, const int *pivot, double *b);

/* ---- sparse: slots from 0; the first real_slots are real, the others complex ------------- */

typedef struct sparse_system sparse_system;

int sparse_create(sparse_system **system, const linear_spec *spec);
void sparse_free(sparse_system *system);
/* 0, k > 0 or KEEL_NO_MEMORY as linear_factor */
int sparse_factor(sparse_system *system, int slot, const shifted *matrix);
/* b: n entries, or n (re, im) pairs for a complex slot */
void sparse_solve(sparse_system *system, int slot, double *b);
void sparse_forget(sparse_system *system);
/* The factors; reading factors anew, and may run out of memory. */
void sparse_tape(tape *t, sparse_system *system);
/* Entries of the factors in a slot; 0 where nothing is factored. */
long sparse_fill(const sparse_system *system, int slot);
long linear_fill(const linear_system *system, int slot);
/* Of all slots. */
linear_memory sparse_memory(const sparse_system *system);

#endif
