/* linear.h -- factor and solve, in the problem's structure.
 *
 * linear_system: (shift M - J) x = b with M, J of one pattern (dense, band, sparse), real or
 * complex shift; several factorizations ("slots") are held at the same time, because the
 * stages of a Runge-Kutta method with eigenvalues gamma, alpha_k +- i beta_k of A^-1 need one
 * real and several complex ones [HW96 IV.8].
 *
 * saddle: the symmetric matrix [M G^T; G 0] of mechanical systems, dense or sparse, also with
 * rows of G that depend on each other; null_rows finds these.
 *
 * dense_*: small dense kernels that the others and the projection use directly.
 *
 * No function here allocates except the *_create ones (and KLU when it must pivot anew).
 */
#ifndef KEEL_LINEAR_H
#define KEEL_LINEAR_H

#include "core/arena.h"
#include "keel/matrix.h"

/* ---- dense kernels: n x n, row-major, in place ---------------------------------------- */

/* P A = L U with partial pivoting.  0, or k > 0: no pivot in column k - 1. */
int dense_factor(int n, double *a, int *pivot);
/* The sign of det A, and log |det A|, from its factors. */
int dense_sign(int n, const double *lu, const int *pivot);
double dense_logarithm(int n, const double *lu);
/* b := A^-1 b for one right-hand side. */
void dense_solve(int n, const double *lu, const int *pivot, double *b);
/* B := A^-1 B, B n x columns, row-major. */
void dense_solve_rows(int n, const double *lu, const int *pivot, int columns, double *B);
/* LU of the first `pivots` columns of a, rows x columns, by columns, with row interchanges, applied
 * to all of it: below and right of the pivots is what is left.  0, or 1: a column without pivot. */
int dense_eliminate(int rows, int pivots, int columns, double *a, int *pivot);
/* re + i im of a [n n], which is lost; work [4 n].  Not 0: no convergence, or an entry is no number. */
int dense_eigenvalues(int n, double *a, double *re, double *im, double *work);
/* e := exp(a); a is lost; work [3 n^2 + n], pivot [n].  1: an entry is no number, or too large. */
int dense_exponential(int n, double *a, double *e, double *work, int *pivot);
/* With complex entries stored as interleaved (re, im). */
int dense_factor_complex(int n, double *a, int *pivot);
void dense_solve_complex(int n, const double *lu, const int *pivot, double *b);

/* ---- matrices ------------------------------------------------------------------------- */

/* Number of doubles that `values` of such a matrix needs. */
size_t matrix_storage(int rows, int columns, const keel_pattern *pattern);
void matrix_zero(keel_matrix *a);                       /* values and stray marks          */
double matrix_get(const keel_matrix *a, int row, int column);
/* y += alpha A x */
void matrix_multiply_add(const keel_matrix *a, double alpha, const double *x, double *y);

/* ---- shifted systems ------------------------------------------------------------------ */

typedef struct linear_system linear_system;

/* Who factors sparse systems. */
typedef enum linear_package { LINEAR_BY_SIZE, LINEAR_KLU, LINEAR_UMFPACK } linear_package;

typedef struct linear_spec {
    int n;
    keel_pattern pattern;           /* of shift M - J: the union of M and J with the diagonal */
                                    /* (sparse: need not contain it)                          */
    keel_storage storage;           /* how to factor; KEEL_DENSE works for every pattern      */
    int real_slots, complex_slots;
    const double *diagonal;         /* n entries of a diagonal mass matrix, or NULL: it has the   */
                                    /* pattern; zeros decide how sparse systems are ordered       */
    linear_package package;         /* KEEL_UNSUPPORTED: not in this build; KLU may be UMFPACK then */
} linear_spec;

/* The mass matrix in shift M - J: a diagonal, or a matrix of the system's pattern. */
typedef struct linear_mass {
    const double *diagonal;         /* n entries, used when not NULL  */
    const keel_matrix *matrix;
    const double *loose;            /* n numbers that are added to the diagonal of shift M - J, or */
                                    /* NULL                                                       */
} linear_mass;

/* 0, or KEEL_NO_MEMORY, or KEEL_UNSUPPORTED (sparse without KLU in this build). */
int linear_create(linear_system **system, const linear_spec *spec);
void linear_free(linear_system *system);
/* Bytes of the factors of all slots, known before any is made: dense and band ones exactly, sparse ones by the
 * analysis.  `least` is needed in any case, `most` suffices if pivots stay where the order expects them. */
typedef struct linear_memory {
    double least, most;
} linear_memory;
linear_memory linear_memory_of(const linear_system *system);
/* Drops the sparse factorizations and with them the pivots that the next ones would start from:
 * what follows does not depend on what was factored before.  Dense and band: nothing to do. */
void linear_forget(linear_system *system);
/* A way (tape.h) of a pointer to a system, or to NULL: its factors. */
tape_way linear_tape;

/* 0, or k > 0: singular, no pivot for unknown k - 1, or KEEL_NO_MEMORY. */
int linear_factor(linear_system *system, int slot, double shift,
                  linear_mass mass, const keel_matrix *jacobian);
int linear_factor_complex(linear_system *system, int slot, double shift_re, double shift_im,
                          linear_mass mass, const keel_matrix *jacobian);
void linear_solve(linear_system *system, int slot, double *b);
/* b = b_re + i b_im, separate arrays. */
void linear_solve_complex(linear_system *system, int slot, double *b_re, double *b_im);

/* ---- saddle matrices [M G^T; G 0] ----------------------------------------------------- */

typedef struct saddle saddle;

/* n positions, m constraints (m may be 0; m > n needs saddle_set_null), in an arena (NULL when measuring). */
saddle *saddle_layout(arena *a, int n, int m);
/* The same, to be freed, for M and G given as their nonzeros in the order of these sparse patterns,
 * n x n (both halves) and m x n, which need not outlive the call; without `mass` M = I, and M may be
 * NULL; with m = 0 there is no `jacobian`.
 * A row of G that depends on others is reported as in saddle_factor, but any of them.
 * 0, KEEL_NO_MEMORY, or KEEL_UNSUPPORTED: no KLU in this build, or a pattern that is not sparse. */
int saddle_create_sparse(saddle **out, int n, int m, const keel_pattern *mass,
                         const keel_pattern *jacobian);
/* A way (tape.h) of a pointer to a sparse saddle, or to NULL. */
tape_way saddle_tape;
/* As linear_forget: the next factorization of a sparse saddle chooses its pivots anew, and that of
 * another may have another M than saddle_keep_mass was told of. */
void saddle_forget(saddle *s);
/* Changes with the factors of a sparse saddle, which lie outside any arena; 0 for others. */
unsigned long saddle_generation(const saddle *s);
/* M of every factorization from now on, until saddle_forget: a diagonal one is used as such.  Looks at
 * the first only.  Not of sparse saddles. */
void saddle_keep_mass(saddle *s, const double *M);
void saddle_free(saddle *s);
/* Dependent rows: N, m x count row-major, has orthonormal columns that span the left null space of
 * the G to be factored, N^T G = 0, as null_rows gives them.  G x = b is then met in the sense of
 * least squares and N^T l = -N^T b: for a consistent b all rows hold, with the multipliers of
 * minimum norm.  N is borrowed: every saddle_factor and saddle_solve_once reads it until another is
 * set; count 0: the rows are independent again.  0, or KEEL_UNSUPPORTED: a sparse saddle. */
int saddle_set_null(saddle *s, int count, const double *N);
/* The same for sparse ones: [M G^T; G -W], W the diagonal of these m numbers, NULL: 0.  Where W > 0 in
 * rows without which the others are independent, the multipliers of these are 0 for a consistent b. */
void saddle_set_loose(saddle *s, const double *W);
int saddle_is_sparse(const saddle *s);
/* M is n x n symmetric, positive definite on ker G; G is m x n; both row-major.
 * 0; or k in 1..m: row k - 1 of G depends on the rows before it to working precision;
 * or -1: M is not positive definite on ker G (and the general LU fails as well);
 * or KEEL_NO_MEMORY, of sparse ones. */
int saddle_factor(saddle *s, const double *M, const double *G);
/* [M G_top^T; G 0], not symmetric, by elimination of the whole.  0; or k > 0: no pivot for unknown
 * k - 1 of (x, l), or KEEL_NO_MEMORY.  Solves one right-hand side b = (x, l), n + m entries, in place. */
int saddle_factor_pair(saddle *s, const double *M, const double *G_top, const double *G);
void saddle_solve_pair(const saddle *s, double *b);
/* Solves for `count` right-hand sides in place; x holds them one after the other,
 * x + i*n, i < count, and l likewise with m entries each. */
void saddle_solve(saddle *s, int count, double *x, double *l);
/* The same for w right-hand sides (a multiple of four) side by side: entry i of number c at
 * x[i*w + c] and l[i*w + c], 32-byte aligned. */
void saddle_solve_lanes(saddle *s, int w, double *x, double *l);
/* x of one right-hand side (x, l) where neither multipliers nor factors are wanted: l and what was
 * factored before are lost.  Codes as of saddle_factor. */
int saddle_solve_once(saddle *s, const double *M, const double *G, double *x, double *l);

/* ---- rows that depend on each other ---------------------------------------------------- */

typedef struct rank_work rank_work;

enum { RANK_NOT_FINITE = -1, RANK_LOST = -2 };

/* For matrices of at most m x n, in an arena (NULL when measuring). */
rank_work *rank_layout(arena *a, int m, int n);
/* The left null space of the rows of G, m x n row-major, whatever their units: N, row-major with
 * orthonormal columns, N^T G = 0.  count < 0: as many columns as the rank lacks, where directions
 * below `tolerance` for rows of length 1 do not count, and N has room for m x m.  count >= 0: that
 * many, m x count, or RANK_LOST if the rank of the rest is less.  Returns the number of columns,
 * RANK_LOST or RANK_NOT_FINITE. */
int null_rows(rank_work *w, int m, int n, const double *G, double tolerance, int count, double *N);
/* Rows of N, m x count row-major, longer than `threshold`, the longest first: constraints that
 * depend on each other.  Returns how many; `rows` has room for m.  Lengths do not depend on the
 * choice of the basis, but on the units of the rows of G. */
int dependent_set(int m, int count, const double *N, double threshold, int *rows);

/* The same of a sparse G, m x n: rows without which the others are independent, and no N.  It is analysed
 * when it is first needed; the pattern is borrowed. */
typedef struct sparse_rank sparse_rank;

int sparse_rank_create(sparse_rank **out, int m, int n, const keel_pattern *G);
void sparse_rank_free(sparse_rank *s);
/* Which rows of G, scaled to length 1, leave no more than `tolerance` (1e-7 at least) to those that come
 * before them in an order of their own: their number, with out[i] = 1.  KEEL_NO_MEMORY; KEEL_UNSUPPORTED:
 * rows that are too entangled. */
int sparse_rank_find(sparse_rank *s, const double *G, double tolerance, unsigned char *out);
/* For another G, with these rows left out: the least that remains of any other one; -1: none can be told. */
double sparse_rank_factor(sparse_rank *s, const double *G, unsigned char *out);
/* For the G that was last found or factored: what is left of a combination of all rows left out by the
 * others, 0 to rounding if they depend on these, and the part that each row has in it. */
double sparse_rank_remainder(sparse_rank *s, double *part);
/* l := l - N (N^T N)^-1 N^T l, which is the smallest with the same G^T l. */
void sparse_rank_smallest(sparse_rank *s, double *l);

#endif
