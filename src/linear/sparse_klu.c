/* sparse_klu.c -- sparse factors by KLU [Davis & Palamadai Natarajan, ACM TOMS 37 (2010)].
 *
 * A slot is factored with pivoting first and then refactored with the same pivots, without allocation, as
 * long as these serve: pivot growth must stay within GROWTH of what it was when the pivots were chosen.  Each
 * slot keeps its matrix as it was then: it and the last one give the same factors again, bit for bit.
 *
 * Columns are ordered by blocks and minimum degree (AMD), which counts on pivots of the diagonal.
 * Incompressible flow has a zero there for each pressure, and minimum degree wants the pressures
 * first: every such pivot comes from elsewhere and the fill is several times that of COLAMD, which
 * expects any row.  Circuits have zeros, too, for their voltage sources, but COLAMD costs them
 * half as much fill again.  So the zeros are counted that AMD would meet, see lost_pivots.
 */
#include "linear/sparse.h"

#ifdef KEEL_WITH_KLU

#include <klu.h>
#include <string.h>

#include "linear/columns.h"
#include "linear/pivots.h"

/* Pivots are kept while the reciprocal pivot growth is at least this part of the fresh one. */
#define GROWTH 1e-2
/* ... and while no pivot is less than this part of the terms that cancelled in it. */
#define CANCELLATION 1e-10
/* COLAMD where more than this part of the pivots is lost.  Fill of AMD over that of COLAMD, grid of
 * 60 x 60 resistors with floating sources: 0.6 with 0.016 of them lost, 1.25 with 0.1, 2 with 0.25;
 * flow on staggered grids of 16, 32 and 48 cells squared, 0.33 of them lost: 2.1, 3.6, 4.1. */
#define LOST 0.05

typedef struct klu_factors {
    const sparse_shape *shape;
    double *pivoted;             /* the matrix of each slot when its pivots were chosen    */
    int *refactored;             /* [slots]: since then, with the same pivots              */
    double *growth;              /* [slots]: reciprocal pivot growth when pivots were chosen */
    int *position;               /* [n]: when a row is due as pivot                        */
    klu_numeric **numeric;       /* [slots]                                                */
    klu_symbolic *symbolic;      /* of the pattern: real and complex alike                 */
    klu_common common;
    pivot_room room;
} klu_factors;

/* ---- analysis ------------------------------------------------------------------------------ */

/* 1 if column j, due as number k, has several other entries and none of a row that was pivot
 * before, so that (j,j) has not filled in.  A single entry is a pivot that does no harm. */
static int comes_first(const klu_factors *f, int j, int k)
{
    const sparse_shape *s = f->shape;
    int others = 0;
    for (int p = s->start[j]; p < s->start[j + 1]; p++) {
        if (f->position[s->row[p]] < k) return 0;
        others += s->row[p] != j;
    }
    return others > 1;
}

/* How many pivots of the diagonal that the order counts on are structural zeros. */
static int lost_pivots(const klu_factors *f)
{
    const int *rows = f->symbolic->P, *columns = f->symbolic->Q, n = f->shape->n;
    int lost = 0;
    for (int k = 0; k < n; k++) f->position[rows[k]] = k;
    for (int k = 0; k < n; k++)
        lost += rows[k] == columns[k] && f->shape->zero[columns[k]] && comes_first(f, columns[k], k);
    return lost;
}

static int analyse(klu_factors *f, linear_memory *expected)
{
    const sparse_shape *s = f->shape;
    klu_defaults(&f->common);
    f->common.halt_if_singular = 0;             /* noise may have passed as a pivot before */
    f->symbolic = klu_analyze(s->n, s->start, s->row, &f->common);
    if (f->symbolic && lost_pivots(f) > LOST * s->n) {
        klu_free_symbolic(&f->symbolic, &f->common);
        f->common.ordering = 1;                 /* COLAMD */
        f->common.btf = 0;
        f->symbolic = klu_analyze(s->n, s->start, s->row, &f->common);
    }
    if (!f->symbolic) return KEEL_NO_MEMORY;
    double counted = f->symbolic->lnz + f->symbolic->unz + f->symbolic->nzoff;
    *expected = f->symbolic->lnz >= 0 ? (linear_memory){counted, counted}
                                        : expect_any_pivots(s, f->symbolic->Q);   /* COLAMD counts none */
    return expected->most < 0 ? KEEL_NO_MEMORY : KEEL_OK;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void factors_layout(arena *a, void *factors)
{
    klu_factors *f = factors;
    const sparse_shape *s = f->shape;
    f->pivoted = ARENA(a, double, slot_start(s, s->slots));
    f->refactored = ARENA(a, int, s->slots);
    f->growth = ARENA(a, double, s->slots);
    f->room.row_size = ARENA(a, double, s->n);
    f->position = ARENA(a, int, s->n);
    f->numeric = ARENA(a, klu_numeric *, s->slots);
}

static void forget(void *factors, int slot)
{
    klu_factors *f = factors;
    if (is_complex(f->shape, slot)) klu_z_free_numeric(&f->numeric[slot], &f->common);
    else klu_free_numeric(&f->numeric[slot], &f->common);
}

static void release(void *factors)
{
    klu_factors *f = factors;
    klu_free_symbolic(&f->symbolic, &f->common);
    arena_block_free(f->room.block);
    arena_block_free(f);
}

static int create(void **out, const sparse_shape *s, linear_memory *expected)
{
    klu_factors *f = arena_made(&(klu_factors){.shape = s}, sizeof *f, factors_layout);
    if (!f) return KEEL_NO_MEMORY;
    int rc = analyse(f, expected);
    if (rc) release(f);
    else *out = f;
    return rc;
}

/* ---- factor -------------------------------------------------------------------------------- */

static double reciprocal_growth(klu_factors *f, int slot, double *values)
{
    const sparse_shape *s = f->shape;
    (is_complex(s, slot) ? klu_z_rgrowth : klu_rgrowth)(s->start, s->row, values, f->symbolic,
                                                        f->numeric[slot], &f->common);
    return f->common.rgrowth;
}

static void factor_anew(klu_factors *f, int slot, double *values)
{
    const sparse_shape *s = f->shape;
    f->numeric[slot] = (is_complex(s, slot) ? klu_z_factor : klu_factor)(s->start, s->row, values,
                                                                         f->symbolic, &f->common);
    f->refactored[slot] = 0;
}

/* 1 unless that fails. */
static int factor_again(klu_factors *f, int slot, double *values)
{
    const sparse_shape *s = f->shape;
    int done = (is_complex(s, slot) ? klu_z_refactor : klu_refactor)(s->start, s->row, values,
                                                                     f->symbolic, f->numeric[slot],
                                                                     &f->common);
    f->refactored[slot] = 1;
    return done && f->common.status == KLU_OK;
}

/* KLU has L by columns. */
static int copy_factors(void *factors, int slot, pivot_room *room, factor_copy *c)
{
    klu_factors *f = factors;
    klu_numeric *numeric = f->numeric[slot];
    int n = f->shape->n;
    size_t l_count = (size_t)numeric->lnz, u_count = (size_t)numeric->unz;
    if (pivot_room_take(room, c, (size_t)n, l_count, u_count)) return KEEL_NO_MEMORY;
    double *l_re = c->l_by_column, *l_im = is_complex(f->shape, slot) ? l_re + l_count : NULL;
    double *u_im = c->u + u_count;
    if (l_im)
        klu_z_extract(numeric, f->symbolic, c->column_start, c->column_row, l_re, l_im, c->u_start,
                      c->u_row, c->u, u_im, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &f->common);
    else
        klu_extract(numeric, f->symbolic, c->column_start, c->column_row, l_re, c->u_start, c->u_row,
                    c->u, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &f->common);
    for (size_t p = 0; p < u_count; p++) c->u[p] = fabs(c->u[p]) + (l_im ? fabs(u_im[p]) : 0);
    list_by_rows(n, n, c->column_start, c->column_row, c->l_start, c->l_column, c->place);
    for (size_t p = 0; p < l_count; p++)
        c->l[p] = fabs(l_re[c->place[p]]) + (l_im ? fabs(l_im[c->place[p]]) : 0);
    return KEEL_OK;
}

static int missing(klu_factors *f, int slot, const double *values, double tolerance)
{
    const sparse_factors of = {f->numeric[slot]->Udiag, f->symbolic->Q, copy_factors, f, slot};
    return missing_pivot(f->shape, &of, values, tolerance, &f->room);
}

/* 0 if the pivots of last time serve for the new values, KEEL_NO_MEMORY if that cannot be told. */
static int refactor(klu_factors *f, int slot, double *values)
{
    if (!factor_again(f, slot, values)) return 1;
    if (!(reciprocal_growth(f, slot, values) >= GROWTH * f->growth[slot])) return 1;
    return missing(f, slot, values, CANCELLATION);
}

static int factor(void *factors, int slot, double *values)
{
    klu_factors *f = factors;
    if (f->numeric[slot]) {
        int rc = refactor(f, slot, values);
        if (rc == KEEL_OK) return KEEL_OK;
        forget(f, slot);
        if (rc == KEEL_NO_MEMORY) return rc;
    }
    factor_anew(f, slot, values);
    if (!f->numeric[slot]) return KEEL_NO_MEMORY;
    memcpy(f->pivoted + slot_start(f->shape, slot), values, slot_bytes(f->shape, slot));
    f->growth[slot] = reciprocal_growth(f, slot, values);
    int rc = missing(f, slot, values, pivot_tolerance(f->shape->n));
    if (rc) forget(f, slot);
    return rc;
}

static void klu_tape(tape *t, void *factors, int slot, double *values)
{
    klu_factors *f = factors;
    double *pivoted = f->pivoted + slot_start(f->shape, slot);
    int refactored = f->refactored[slot];
    TAPE(t, refactored);
    TAPE(t, f->growth[slot]);
    tape_pass(t, pivoted, slot_bytes(f->shape, slot));
    if (!t->loading || t->status) return;
    factor_anew(f, slot, pivoted);
    if (f->numeric[slot] && refactored) factor_again(f, slot, values);
    if (!f->numeric[slot]) t->status = KEEL_NO_MEMORY;
}

/* ---- solve --------------------------------------------------------------------------------- */

static void solve(void *factors, int slot, double *b)
{
    klu_factors *f = factors;
    (is_complex(f->shape, slot) ? klu_z_solve : klu_solve)(f->symbolic, f->numeric[slot], f->shape->n, 1, b,
                                                           &f->common);
}

static long fill(const void *factors, int slot)
{
    const klu_numeric *numeric = ((const klu_factors *)factors)->numeric[slot];
    return numeric ? (long)numeric->lnz + (long)numeric->unz + (long)numeric->nzoff : 0;
}

const sparse_package klu_package = {create, release, factor, solve, forget, klu_tape, fill, sizeof(int)};

#else

const sparse_package klu_package = {0};

#endif
