/* saddle.h -- the parts of a saddle: which factorization holds, and its numbers.
 *
 * With f = n - m degrees of freedom; arrays are row-major with their sizes in brackets.
 */
#ifndef KEEL_LINEAR_SADDLE_H
#define KEEL_LINEAR_SADDLE_H

#include "linear/linear.h"

typedef enum saddle_kind {
    SADDLE_SMALL, SADDLE_NULL_SPACE, SADDLE_LDL, SADDLE_RANGE, SADDLE_LU,  /* LU: one by one */
    SADDLE_SPARSE
} saddle_kind;

/* Up to two vector lanes are small (saddle_once.c); with few rows of G L D L^T is as cheap. */
enum { SADDLE_LANES = 8 };
static inline int saddle_small(int n, int m) { return n <= SADDLE_LANES && n >= m && (m > 2 || n <= 2 * m); }

typedef struct saddle_sparse saddle_sparse;

/* saddle_range.c */
typedef struct saddle_range {
    double *inverse;             /* [n] 1 / M                                                  */
    double *spread;              /* [n] zeros, but while a row is looked at                    */
    double *value, *scaled;      /* [m n] nonzeros of G, row after row; times M^-1             */
    int *at, *start;             /* [m n] their columns, [m + 1] where rows begin              */
    double *C;                   /* [m m] S = C C^T, 1/diagonal                                */
    int *first;                  /* [m] column of the first nonzero of each row of S           */
} saddle_range;

struct saddle {
    int n, m;
    saddle_kind kind;
    /* null space: G Q = L [U1 U2], T = U1^-1 U2, Z = Q [-T; I] */
    int *order;                  /* [n] Q: positions, pivots first; L D L^T: 0, 1, ...         */
    double *g;                   /* [m n] L below the diagonal, U1 above it, 1/diagonal, T     */
    double *mass;                /* [n m] Q^T M Q, columns of the pivots                       */
    double *mz;                  /* [n f] Q^T M Z                                              */
    double *tt;                  /* [f m] T^T                                                  */
    double *h;                   /* [f f] Cholesky factor of Z^T M Z, 1/diagonal               */
    /* L D L^T or P A = L U of the whole matrix, or M of a small one */
    double *a;                   /* [(n+m) (n+m)]                                              */
    int *first;                  /* [n+m] L D L^T: column of the first nonzero of each row     */
    int *pivot;                  /* [n+m] L U                                                  */
    double *work;                /* [(n+m) 8] right-hand sides side by side, twice             */
    double *once;                /* [saddle_once_storage] of saddle_once.c                     */
    int mass_looked_at;          /* M is constant, and                                         */
    int by_range;                /* diagonal and positive                                      */
    /* other ways: N N^T instead of the zero block, or sparse (saddle_sparse.c) */
    int null_count;
    const double *null;          /* [m null_count] N, of the caller                            */
    unsigned long generation;    /* of the factors of a sparse one                             */
    saddle_sparse *sparse;
    linear_system *system;       /* of a sparse one, owned                                     */
    saddle_range range;
};

static inline int saddle_is_other(const saddle *s) { return s->sparse || s->null_count > 0; }

/* [M G_top^T; G 0]; codes of linear_factor */
int saddle_factor_sparse(saddle *s, const double *M, const double *G_top, const double *G);
void saddle_solve_small(const saddle *s, double *x, double *l);
void saddle_solve_small_lanes(const saddle *s, int w, double *x, double *l);     /* four of w */
size_t saddle_once_storage(int n, int m);
void saddle_range_buffers(arena *a, saddle_range *r, size_t n, size_t m);
/* 0, or -1: rows are too close to each other for it. */
int saddle_factor_small(const saddle *s, const double *M, const double *G);
int saddle_factor_range(saddle *s, const double *G);
void saddle_solve_range(const saddle *s, double *x, double *l);
void saddle_solve_range_lanes(const saddle *s, int w, double *x, double *l);

#endif
