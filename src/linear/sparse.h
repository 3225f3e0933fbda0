/* sparse.h -- the packages that factor sparse matrices, behind one small interface.
 *
 * sparse.c has the pattern and assembles shift M - J; a package analyses the pattern once, for all slots,
 * and factors what was assembled.  sparse_klu.c and sparse_umfpack.c are the packages that this build may have,
 * sparse_pivots.c decides for both which pivots are noise.
 */
#ifndef KEEL_LINEAR_SPARSE_H
#define KEEL_LINEAR_SPARSE_H

#include "linear/shifted.h"

/* A pattern with its whole diagonal, in compressed columns, and what is factored in it: the first
 * real_slots are real, the others complex, as interleaved (re, im). */
typedef struct sparse_shape {
    int n, real_slots, slots;
    int *start, *row;                /* [n+1], [start[n]]                                          */
    unsigned char *zero;             /* [n]: shift M - J has no entry (j,j); it is in the pattern  */
                                     /* nevertheless                                              */
} sparse_shape;

static inline int is_complex(const sparse_shape *s, int slot) { return slot >= s->real_slots; }
static inline int slot_width(const sparse_shape *s, int slot) { return is_complex(s, slot) ? 2 : 1; }

static inline size_t slot_bytes(const sparse_shape *s, int slot)
{
    return (size_t)slot_width(s, slot) * (size_t)s->start[s->n] * sizeof(double);
}

/* Where the matrix of a slot begins in an array of all of them. */
static inline size_t slot_start(const sparse_shape *s, int slot)
{
    int before = slot < s->real_slots ? slot : 2 * slot - s->real_slots;
    return (size_t)before * (size_t)s->start[s->n];
}

/* `factors` are those of all slots; the shape is borrowed. */
typedef struct sparse_package {
    /* 0 or KEEL_NO_MEMORY; *expected: entries of one slot, by the analysis.  Both numbers are the same where
     * pivots stay on the diagonal, as the order expects: else there are more. */
    int (*create)(void **factors, const sparse_shape *shape, linear_memory *expected);
    void (*release)(void *factors);                              /* no slot has any        */
    /* 0, k > 0 or KEEL_NO_MEMORY as linear_factor */
    int (*factor)(void *factors, int slot, double *values);
    void (*solve)(void *factors, int slot, double *b);
    void (*forget)(void *factors, int slot);
    /* What else gives the factors of a slot again, bit for bit; `values`, which are there already, were
     * factored last. */
    void (*tape)(tape *t, void *factors, int slot, double *values);
    long (*fill)(const void *factors, int slot);
    double index_bytes;          /* that an entry takes beside its number, on average      */
} sparse_package;

/* sparse_expect.c: those of any choice of pivots in these columns, `order` their order; most < 0: no memory. */
linear_memory expect_any_pivots(const sparse_shape *shape, const int *order);

/* Where the package is chosen by size, UMFPACK has systems of at least this many unknowns whose factors
 * have more than so many times their entries. */
enum { UMFPACK_FROM = 8000, SLIGHT_FILL = 4 };

extern const sparse_package klu_package, umfpack_package;        /* without `create`: not in this build */

/* ---- pivots: see pivots.h ------------------------------------------------------------------- */

/* |re| + |im| of L by rows, with or without its ones, and of U by columns, with the diagonal.  l, u and
 * l_by_column have room for two doubles per entry. */
typedef struct factor_copy {
    int *l_start, *l_column, *u_start, *u_row;
    double *l, *u;
    int *column_start, *column_row, *place;      /* L by columns, for packages that have it so; where */
                                     /* entries of rows are in that                 */
    double *l_by_column;
    int *column;                     /* rows of one column of U, ascending          */
    double *s;                       /* s(j) of that column, 0 elsewhere            */
} factor_copy;

/* Room that is kept for the next time. */
typedef struct pivot_room {
    void *block;
    size_t bytes;
    double *row_size;                /* [n]                                         */
} pivot_room;

/* The factors of a slot: U's diagonal, which column is eliminated when, and how to get a copy of the rest:
 * 0 or KEEL_NO_MEMORY. */
typedef struct sparse_factors {
    const double *diagonal;
    const int *order;
    int (*copy)(void *factors, int slot, pivot_room *room, factor_copy *f);
    void *factors;
    int slot;
} sparse_factors;

/* Room for a copy of that many entries: 0 or KEEL_NO_MEMORY. */
int pivot_room_take(pivot_room *room, factor_copy *f, size_t n, size_t l_count, size_t u_count);
/* 0; or k > 0: the pivot of unknown k - 1 is less than `tolerance` of the terms that cancelled in it; or
 * KEEL_NO_MEMORY. */
int missing_pivot(const sparse_shape *shape, const sparse_factors *f, const double *values,
                  double tolerance, pivot_room *room);

#endif
