/* shifted.c -- (shift M - J) x = b with real or complex shift, in the problem's structure.
 *
 * Dense and band matrices are assembled with a(i,j) at offset(j) + i * row_step of their slot
 * and factored in place; sparse ones live in sparse.c, small dense ones in small_lu.c, unless a pivot
 * has to be looked at more closely.
 */
#include "linear/shifted.h"
#include "linear/columns.h"
#include "linear/small_lu.h"

#include <string.h>

struct linear_system {
    int n, real_slots, complex_slots;
    keel_storage storage;
    band_shape band;
    small_band small;            /* of the pattern                                 */
    size_t size;                 /* entries of one assembled matrix (dense, band)  */
    double *real, *complex_;     /* [real_slots size], [complex_slots 2 size]      */
    int *pivot;                  /* [n + 1] per slot, real slots first; the last:  */
                                 /* factored by small_lu.c                         */
    double *work;                /* [2n]: one complex right-hand side              */
    sparse_system *sparse;
};

/* ---- life ----------------------------------------------------------------------------- */

static void system_layout(arena *a, void *system)
{
    linear_system *s = system;
    size_t n = (size_t)s->n, real = (size_t)s->real_slots, complex_ = (size_t)s->complex_slots;
    s->real = ARENA(a, double, real * s->size);
    s->complex_ = ARENA(a, double, complex_ * 2 * s->size);
    s->pivot = ARENA(a, int, (real + complex_) * (n + 1));
    s->work = ARENA(a, double, 2 * n);
}

int linear_create(linear_system **out, const linear_spec *spec)
{
    *out = NULL;
    if (spec->storage == KEEL_BAND && spec->pattern.storage != KEEL_BAND) return KEEL_UNSUPPORTED;
    int n = spec->n, banded = spec->pattern.storage == KEEL_BAND;
    int lower = banded ? spec->pattern.lower : n, upper = banded ? spec->pattern.upper : 0;
    linear_system shape = {.n = n, .real_slots = spec->real_slots, .complex_slots = spec->complex_slots,
                           .storage = spec->storage, .small = {lower, lower + upper},
                           .band = {n, lower, upper, 2 * lower + upper + 1}};
    if (spec->storage == KEEL_DENSE) shape.size = (size_t)n * (size_t)(n <= SMALL_LU_MOST ? lanes(n) : n);
    if (spec->storage == KEEL_BAND) shape.size = (size_t)shape.band.ld * (size_t)n;
    int status = spec->storage == KEEL_SPARSE ? sparse_create(&shape.sparse, spec) : KEEL_OK;
    if (status) return status;
    *out = arena_made(&shape, sizeof shape, system_layout);
    if (*out) return KEEL_OK;
    sparse_free(shape.sparse);
    return KEEL_NO_MEMORY;
}

void linear_free(linear_system *s)
{
    if (!s) return;
    sparse_free(s->sparse);
    arena_block_free(s);
}

void linear_tape(tape *t, void *at, size_t bytes)
{
    linear_system *s = *(linear_system **)at;
    (void)bytes;
    if (!s) return;
    size_t reals = (size_t)s->real_slots, pairs = (size_t)s->complex_slots;
    tape_pass(t, s->real, reals * s->size * sizeof *s->real);
    tape_pass(t, s->complex_, pairs * 2 * s->size * sizeof *s->complex_);
    tape_pass(t, s->pivot, (reals + pairs) * (size_t)(s->n + 1) * sizeof *s->pivot);
    if (s->sparse) sparse_tape(t, s->sparse);
}

void linear_forget(linear_system *s)
{
    if (s->sparse) sparse_forget(s->sparse);
}

linear_memory linear_memory_of(const linear_system *s)
{
    if (s->sparse) return sparse_memory(s->sparse);
    double bytes = (s->real_slots + 2.0 * s->complex_slots) * (double)s->size * sizeof(double);
    return (linear_memory){bytes, bytes};
}

long linear_fill(const linear_system *s, int slot)
{
    return s->sparse ? sparse_fill(s->sparse, slot) : (long)s->size;
}

/* ---- factor --------------------------------------------------------------------------- */

/* Adds factor times a column of J or M to one whose rows are `step` apart. */
static void add_column(column c, double factor, double *at, ptrdiff_t step)
{
    if (factor == 0) return;
    for (int p = 0; p < c.count && c.rows; p++) at[c.rows[p] * step] += factor * c.values[p];
    at += c.first * step;
    for (int p = 0; p < c.count && !c.rows; p++, at += step) *at += factor * c.values[p];
}

/* a := shift M - J; entries are `width` doubles apart: 1 real, 2 complex. */
static void assemble(const linear_system *s, double *a, int width, const shifted *matrix)
{
    int banded = s->storage == KEEL_BAND;
    ptrdiff_t step = width * (banded ? 1 : (ptrdiff_t)s->n);
    memset(a, 0, s->size * (size_t)width * sizeof *a);
    for (int j = 0; j < s->n; j++) {
        ptrdiff_t offset = banded ? (ptrdiff_t)j * (s->band.ld - 1) + s->band.lower + s->band.upper : j;
        double *at = a + width * offset;
        add_column(matrix_column(matrix->jacobian, j), -1, at, step);
        if (matrix->mass.loose) at[j * step] += matrix->mass.loose[j];
        column mass = matrix->mass.diagonal ? (column){(double *)matrix->mass.diagonal + j, NULL, j, 1}
                                            : matrix_column(matrix->mass.matrix, j);
        add_column(mass, matrix->re, at, step);
        if (width == 2) add_column(mass, matrix->im, at + 1, step);
    }
}

/* Of the slot with that number, complex ones after the real ones. */
static int *pivots_of(const linear_system *s, int number)
{
    return s->pivot + (size_t)number * (size_t)(s->n + 1);
}

/* Is it small, and all pivots beyond doubt? */
static int factor_small(const linear_system *s, int width, const shifted *matrix, double *a, int *pivot)
{
    pivot[s->n] = 0;
    if (s->storage != KEEL_DENSE || s->n > SMALL_LU_MOST || matrix->mass.loose) return 0;
    small_assemble(width, s->n, matrix, a);
    return pivot[s->n] = small_factor(width, s->n, s->small, a, pivot) == 0;
}

/* Of the slot with that number, whose entries are at a. */
static int factor(linear_system *s, int number, int width, const shifted *matrix, double *a)
{
    int *pivot = pivots_of(s, number);
    if (s->storage == KEEL_SPARSE) return sparse_factor(s->sparse, number, matrix);
    if (factor_small(s, width, matrix, a, pivot)) return 0;
    assemble(s, a, width, matrix);
    if (s->storage == KEEL_BAND) return band_factor(&s->band, width, a, pivot);
    return width == 1 ? dense_factor(s->n, a, pivot) : dense_factor_complex(s->n, a, pivot);
}

int linear_factor(linear_system *s, int slot, double shift, linear_mass mass, const keel_matrix *jacobian)
{
    shifted matrix = { shift, 0, mass, jacobian };
    return factor(s, slot, 1, &matrix, s->real + (size_t)slot * s->size);
}

int linear_factor_complex(linear_system *s, int slot, double shift_re, double shift_im,
                          linear_mass mass, const keel_matrix *jacobian)
{
    shifted matrix = { shift_re, shift_im, mass, jacobian };
    return factor(s, s->real_slots + slot, 2, &matrix, s->complex_ + (size_t)slot * 2 * s->size);
}

/* ---- solve ---------------------------------------------------------------------------- */

void linear_solve(linear_system *s, int slot, double *b)
{
    const double *a = s->real + (size_t)slot * s->size;
    const int *pivot = pivots_of(s, slot);
    if (pivot[s->n]) small_solve_one(s->n, s->small, a, pivot, b);
    else if (s->storage == KEEL_SPARSE) sparse_solve(s->sparse, slot, b);
    else if (s->storage == KEEL_BAND) band_solve(&s->band, 1, a, pivot, b);
    else dense_solve(s->n, a, pivot, b);
}

void linear_solve_complex(linear_system *s, int slot, double *b_re, double *b_im)
{
    int n = s->n, number = s->real_slots + slot;
    double *b = s->work;
    const double *a = s->complex_ + (size_t)slot * 2 * s->size;
    const int *pivot = pivots_of(s, number);
    if (pivot[n]) {
        small_solve_complex(n, s->small, a, pivot, b_re, b_im);
        return;
    }
    for (int i = 0; i < n; i++) {
        b[2 * i] = b_re[i];
        b[2 * i + 1] = b_im[i];
    }
    if (s->storage == KEEL_SPARSE) sparse_solve(s->sparse, number, b);
    else if (s->storage == KEEL_BAND) band_solve(&s->band, 2, a, pivot, b);
    else dense_solve_complex(n, a, pivot, b);
    for (int i = 0; i < n; i++) {
        b_re[i] = b[2 * i];
        b_im[i] = b[2 * i + 1];
    }
}
