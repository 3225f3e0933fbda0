/* sparse_umfpack.c -- sparse factors by UMFPACK [Davis, ACM TOMS 30 (2004)].
 *
 * UMFPACK is licensed under the GPL: it is an option of the build.  It gathers columns into dense blocks for
 * the BLAS, which pays from some thousand unknowns on, and where a factorization with pivots costs less than
 * KLU needs without choosing any.  It chooses them anew each time.
 *
 * The order of the columns is found once, by the real analysis where there are real slots; the complex
 * one then takes that order.  Where pivots of the diagonal would be lost (see sparse_klu.c) the
 * strategy is unsymmetric, which expects any row: flow in 64 x 64 cells 19 times as fast.
 */
#include "linear/sparse.h"

#ifdef KEEL_WITH_UMFPACK

#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "linear/pivots.h"

/* The unsymmetric strategy where more than this part of the diagonal are zeros. */
#define ZEROS 0.05

typedef struct umfpack_factors {
    const sparse_shape *shape;
    void *symbolic[2];           /* of real and of complex matrices           */
    void **numeric;              /* [slots]                                   */
    int *order;                  /* [n]: column that is eliminated as number k */
    int *index;                  /* [n] room for a solve                      */
    double *diagonal;            /* [n] of U, complex [2n]                    */
    double *x, *work;            /* [n] each, complex [2n], [4n], for a solve */
    double control[UMFPACK_CONTROL];
    pivot_room room;
} umfpack_factors;

/* ---- analysis ------------------------------------------------------------------------------ */

/* The complex analysis, with the order of the real one if there is any. */
static int analyse_complex(umfpack_factors *f, const double *ones, double *info)
{
    const sparse_shape *s = f->shape;
    if (!f->symbolic[0])
        return umfpack_zi_symbolic(s->n, s->n, s->start, s->row, ones, ones, &f->symbolic[1], f->control,
                                   info);
    int status = umfpack_di_get_symbolic(NULL, NULL, NULL, NULL, NULL, NULL, NULL, f->order, NULL, NULL, NULL,
                                         NULL, NULL, NULL, NULL, f->symbolic[0]);
    return status ? status : umfpack_zi_qsymbolic(s->n, s->n, s->start, s->row, NULL, NULL, f->order,
                                                  &f->symbolic[1], f->control, info);
}

/* Its own bound is for any pivots, and seventeen times too high for heat in 100 x 100 points, where the
 * pivots of the diagonal serve: these minimum degree has counted, without the diagonal. */
static linear_memory entries_of(const sparse_shape *s, const double *info)
{
    double counted = info[UMFPACK_SYMMETRIC_LUNZ] + s->n;
    if (info[UMFPACK_STRATEGY_USED] == UMFPACK_STRATEGY_SYMMETRIC && info[UMFPACK_SYMMETRIC_LUNZ] > 0)
        return (linear_memory){counted, counted};
    return (linear_memory){s->start[s->n], info[UMFPACK_LNZ_ESTIMATE] + info[UMFPACK_UNZ_ESTIMATE]};
}

/* An entry that may be there is a 1, the diagonal where there is none a 0: from values UMFPACK counts the
 * pivots of the diagonal.  Without any it takes them all for zeros and the unsymmetric strategy, which gives
 * heat in 100 x 100 points 1.8 times the fill. */
static double *representative(const sparse_shape *s)
{
    double *value = malloc(((size_t)s->start[s->n] + 1) * sizeof *value);
    for (int j = 0; value && j < s->n; j++)
        for (int p = s->start[j]; p < s->start[j + 1]; p++) value[p] = !(s->row[p] == j && s->zero[j]);
    return value;
}

static int analyse(umfpack_factors *f, linear_memory *expected)
{
    const sparse_shape *s = f->shape;
    double info[UMFPACK_INFO], *ones = representative(s);
    int zeros = 0, status = ones ? UMFPACK_OK : UMFPACK_ERROR_out_of_memory;
    for (int j = 0; j < s->n; j++) zeros += s->zero[j];
    umfpack_di_defaults(f->control);
    f->control[UMFPACK_IRSTEP] = 0;              /* Newton's method refines */
    if (zeros > ZEROS * s->n) f->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_UNSYMMETRIC;
    f->control[UMFPACK_ALLOC_INIT] = 0.6;        /* of its bound: it fills all before it uses what is free */
    if (!status && s->real_slots)
        status = umfpack_di_symbolic(s->n, s->n, s->start, s->row, ones, &f->symbolic[0], f->control, info);
    if (!status && s->slots > s->real_slots)
        status = analyse_complex(f, ones, s->real_slots ? NULL : info);
    if (!status) *expected = entries_of(s, info);
    free(ones);
    return status ? KEEL_NO_MEMORY : KEEL_OK;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void factors_layout(arena *a, void *factors)
{
    umfpack_factors *f = factors;
    const sparse_shape *s = f->shape;
    size_t n = (size_t)s->n, width = s->slots > s->real_slots ? 2 : 1;
    f->numeric = ARENA(a, void *, s->slots);
    ARENA_INTEGERS(a, n, &f->order, &f->index);
    f->room.row_size = ARENA(a, double, n);
    ARENA_VECTORS(a, width * n, &f->diagonal, &f->x);
    f->work = ARENA(a, double, width * width * n);
}

static void forget(void *factors, int slot)
{
    umfpack_factors *f = factors;
    (is_complex(f->shape, slot) ? umfpack_zi_free_numeric : umfpack_di_free_numeric)(&f->numeric[slot]);
}

static void release(void *factors)
{
    umfpack_factors *f = factors;
    umfpack_di_free_symbolic(&f->symbolic[0]);
    umfpack_zi_free_symbolic(&f->symbolic[1]);
    arena_block_free(f->room.block);
    arena_block_free(f);
}

static int create(void **out, const sparse_shape *s, linear_memory *expected)
{
    umfpack_factors *f = arena_made(&(umfpack_factors){.shape = s}, sizeof *f, factors_layout);
    if (!f) return KEEL_NO_MEMORY;
    int rc = analyse(f, expected);
    if (rc) release(f);
    else *out = f;
    return rc;
}

/* ---- factor -------------------------------------------------------------------------------- */

/* 0 or KEEL_NO_MEMORY; a singular matrix has factors, too. */
static int factor_anew(umfpack_factors *f, int slot, const double *values)
{
    const sparse_shape *s = f->shape;
    int status;
    forget(f, slot);
    if (is_complex(f->shape, slot))
        status = umfpack_zi_numeric(s->start, s->row, values, NULL, f->symbolic[1], &f->numeric[slot],
                                    f->control, NULL);
    else
        status = umfpack_di_numeric(s->start, s->row, values, f->symbolic[0], &f->numeric[slot],
                                    f->control, NULL);
    return status < 0 ? KEEL_NO_MEMORY : KEEL_OK;
}

static void count_entries(const umfpack_factors *f, int slot, int *l_count, int *u_count)
{
    int rows, columns, nonzero;
    (is_complex(f->shape, slot) ? umfpack_zi_get_lunz : umfpack_di_get_lunz)(
        l_count, u_count, &rows, &columns, &nonzero, f->numeric[slot]);
}

/* Moduli of entries in place. */
static void fold(double *x, size_t count, int width)
{
    for (size_t p = 0; p < count; p++) x[p] = modulus(x + (size_t)width * p, width);
}

/* Into what is not NULL: L, U, the order of the columns and the diagonal. */
static int get_numeric(const umfpack_factors *f, int slot, const factor_copy *c, int *order, double *diagonal)
{
    int scaled;
    return is_complex(f->shape, slot)
        ? umfpack_zi_get_numeric(c->l_start, c->l_column, c->l, NULL, c->u_start, c->u_row, c->u, NULL, NULL,
                                 order, diagonal, NULL, &scaled, NULL, f->numeric[slot])
        : umfpack_di_get_numeric(c->l_start, c->l_column, c->l, c->u_start, c->u_row, c->u, NULL, order,
                                 diagonal, &scaled, NULL, f->numeric[slot]);
}

static int copy_factors(void *factors, int slot, pivot_room *room, factor_copy *c)
{
    umfpack_factors *f = factors;
    int l_count, u_count;
    count_entries(f, slot, &l_count, &u_count);
    size_t l = (size_t)l_count, u = (size_t)u_count;
    if (pivot_room_take(room, c, (size_t)f->shape->n, l, u)) return KEEL_NO_MEMORY;
    if (get_numeric(f, slot, c, NULL, NULL)) return KEEL_NO_MEMORY;
    fold(c->l, l, slot_width(f->shape, slot));
    fold(c->u, u, slot_width(f->shape, slot));
    return KEEL_OK;
}

static int missing(umfpack_factors *f, int slot, const double *values)
{
    if (get_numeric(f, slot, &(factor_copy){0}, f->order, f->diagonal)) return KEEL_NO_MEMORY;
    const sparse_factors of = {f->diagonal, f->order, copy_factors, f, slot};
    return missing_pivot(f->shape, &of, values, pivot_tolerance(f->shape->n), &f->room);
}

static int factor(void *factors, int slot, double *values)
{
    umfpack_factors *f = factors;
    int rc = factor_anew(f, slot, values);
    if (!rc) rc = missing(f, slot, values);
    if (rc) forget(f, slot);
    return rc;
}

static void umfpack_tape(tape *t, void *factors, int slot, double *values)
{
    if (t->loading && !t->status && factor_anew(factors, slot, values)) t->status = KEEL_NO_MEMORY;
}

/* ---- solve --------------------------------------------------------------------------------- */

static void solve(void *factors, int slot, double *b)
{
    umfpack_factors *f = factors;
    const sparse_shape *s = f->shape;
    size_t bytes = (size_t)slot_width(s, slot) * (size_t)s->n * sizeof *b;
    if (is_complex(f->shape, slot))
        umfpack_zi_wsolve(UMFPACK_A, s->start, s->row, NULL, NULL, f->x, NULL, b, NULL, f->numeric[slot],
                          f->control, NULL, f->index, f->work);
    else
        umfpack_di_wsolve(UMFPACK_A, s->start, s->row, NULL, f->x, b, f->numeric[slot], f->control, NULL,
                          f->index, f->work);
    memcpy(b, f->x, bytes);
}

static long fill(const void *factors, int slot)
{
    const umfpack_factors *f = factors;
    int l_count, u_count;
    if (!f->numeric[slot]) return 0;
    count_entries(f, slot, &l_count, &u_count);
    return (long)l_count + (long)u_count;
}

const sparse_package umfpack_package = {create, release, factor, solve, forget, umfpack_tape, fill,
                                        1};              /* indices are stored by whole blocks */

#else

const sparse_package umfpack_package = {0};

#endif
