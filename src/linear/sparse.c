/* sparse.c -- shift M - J in sparse form by KLU [Davis & Palamadai Natarajan, ACM TOMS 37 (2010)].
 *
 * The pattern (with the diagonal, for diagonal mass matrices) is analysed once.  A slot is
 * factored with pivoting first and then refactored with the same pivots, without allocation,
 * as long as these serve: pivot growth must stay within GROWTH of what it was when the pivots
 * were chosen.  A missing pivot is decided by pivot_is_significant (pivots.h), which needs L and
 * U; they are extracted only if a pivot is suspiciously small.  Each slot keeps its matrix as it was
 * when pivots were chosen and as it was factored last: both together give the same factors again,
 * bit for bit.
 *
 * Columns are ordered by blocks and minimum degree (AMD), which counts on pivots of the diagonal.
 * Incompressible flow has a zero there for each pressure, and minimum degree wants the pressures
 * first: every such pivot comes from elsewhere and the fill is several times that of COLAMD, which
 * expects any row.  Circuits have zeros, too, for their voltage sources, but COLAMD costs them
 * half as much fill again.  So the zeros are counted that AMD would meet, see lost_pivots.
 */
#include "linear/shifted.h"

#ifdef KEEL_WITH_KLU

#include "linear/columns.h"
#include "linear/pivots.h"

#include <klu.h>
#include <stdlib.h>
#include <string.h>

/* Pivots are kept while the reciprocal pivot growth is at least this part of the fresh one. */
#define GROWTH 1e-2
/* ... and while no pivot is less than this part of the terms that cancelled in it. */
#define CANCELLATION 1e-10
/* COLAMD where more than this part of the pivots is lost.  Fill of AMD over that of COLAMD, grid of
 * 60 x 60 resistors with floating sources: 0.6 with 0.016 of them lost, 1.25 with 0.1, 2 with 0.25;
 * flow on staggered grids of 16, 32 and 48 cells squared, 0.33 of them lost: 2.1, 3.6, 4.1. */
#define LOST 0.05

/* Columns of L, U and rows of L, filled in by extract_factors. */
typedef struct factor_copy {
    int *l_start, *l_row, *u_start, *u_row, *by_row_start, *by_row_column;
    double *l_re, *l_im, *u_re, *u_im, *by_row;
    int *column;                 /* rows of one column of U, ascending   */
    double *s;                   /* s(j) of that column, 0 elsewhere     */
} factor_copy;

struct sparse_system {
    int n, real_slots, slots;
    int *start, *row;            /* pattern with diagonal, compressed columns              */
    double *values;              /* the assembled matrix: that of a slot,                  */
    double *assembled;           /* ... of which these are all, real ones [nonzeros] first, */
    double *pivoted;             /* and the same when the pivots of a slot were chosen;    */
    int *refactored;             /* [slots]: since then, with the same pivots              */
    double *row_size;            /* [n]: largest entry of each row                         */
    int *position;               /* [n]: when a row is due as pivot                        */
    double *growth;              /* [slots]: reciprocal pivot growth when pivots were chosen */
    klu_numeric **numeric;       /* [slots]                                                */
    klu_symbolic *symbolic;
    klu_common common;
    void *copy;                  /* room for a factor_copy, kept for the next time         */
    size_t copy_bytes;
};

/* ---- life ----------------------------------------------------------------------------- */

static void system_layout(arena *a, sparse_system *s, size_t nonzeros)
{
    size_t n = (size_t)s->n, slots = (size_t)s->slots;
    s->start = ARENA(a, int, n + 1);
    s->row = ARENA(a, int, nonzeros);
    size_t entries = (2 * slots - (size_t)s->real_slots) * nonzeros;
    s->assembled = ARENA(a, double, entries);
    s->pivoted = ARENA(a, double, entries);
    s->refactored = ARENA(a, int, slots);
    s->row_size = ARENA(a, double, n);
    s->position = ARENA(a, int, n);
    s->growth = ARENA(a, double, slots);
    s->numeric = ARENA(a, klu_numeric *, slots);
}

/* Rows of column j and j itself, ascending, into `rows` unless NULL; returns how many. */
static int union_column(const linear_spec *spec, int j, int *rows)
{
    column c = pattern_column(&spec->pattern, spec->n, j);
    int count = 0, diagonal_done = 0;
    for (int p = 0; p < c.count; p++) {
        int row = column_row(&c, p);
        if (row > j && !diagonal_done) {
            if (rows) rows[count] = j;
            count++;
        }
        diagonal_done |= row >= j;
        if (rows) rows[count] = row;
        count++;
    }
    if (diagonal_done) return count;
    if (rows) rows[count] = j;
    return count + 1;
}

/* 1 if shift M - J has no entry (j,j). */
static int diagonal_is_zero(const linear_spec *spec, int j)
{
    column c = pattern_column(&spec->pattern, spec->n, j);
    for (int p = 0; p < c.count; p++)
        if (column_row(&c, p) == j) return 0;
    return !spec->diagonal || spec->diagonal[j] == 0;
}

/* 1 if column j, due as number k, has several other entries and none of a row that was pivot
 * before, so that (j,j) has not filled in.  A single entry is a pivot that does no harm. */
static int comes_first(const sparse_system *s, int j, int k)
{
    int others = 0;
    for (int p = s->start[j]; p < s->start[j + 1]; p++) {
        if (s->position[s->row[p]] < k) return 0;
        others += s->row[p] != j;
    }
    return others > 1;
}

/* How many pivots of the diagonal that the order counts on are structural zeros. */
static int lost_pivots(const sparse_system *s, const linear_spec *spec)
{
    const int *rows = s->symbolic->P, *columns = s->symbolic->Q;
    int lost = 0;
    for (int k = 0; k < s->n; k++) s->position[rows[k]] = k;
    for (int k = 0; k < s->n; k++)
        lost += rows[k] == columns[k] && diagonal_is_zero(spec, columns[k]) &&
                comes_first(s, columns[k], k);
    return lost;
}

static int analyse(sparse_system *s, const linear_spec *spec)
{
    klu_defaults(&s->common);
    s->common.halt_if_singular = 0;             /* noise may have passed as a pivot before */
    s->symbolic = klu_analyze(s->n, s->start, s->row, &s->common);
    if (s->symbolic && lost_pivots(s, spec) > LOST * s->n) {
        klu_free_symbolic(&s->symbolic, &s->common);
        s->common.ordering = 1;                 /* COLAMD */
        s->common.btf = 0;
        s->symbolic = klu_analyze(s->n, s->start, s->row, &s->common);
    }
    return s->symbolic ? KEEL_OK : KEEL_NO_MEMORY;
}

int sparse_create(sparse_system **out, const linear_spec *spec)
{
    size_t nonzeros = 0;
    for (int j = 0; j < spec->n; j++) nonzeros += (size_t)union_column(spec, j, NULL);
    sparse_system shape = { .n = spec->n, .real_slots = spec->real_slots,
                            .slots = spec->real_slots + spec->complex_slots };
    arena measure = { 0 };
    (void)ARENA(&measure, sparse_system, 1);
    system_layout(&measure, &shape, nonzeros);
    arena block = { .base = arena_block(measure.used) };
    if (!block.base) return KEEL_NO_MEMORY;
    sparse_system *s = ARENA(&block, sparse_system, 1);
    system_layout(&block, &shape, nonzeros);
    *s = shape;
    for (int j = 0; j < s->n; j++)
        s->start[j + 1] = s->start[j] + union_column(spec, j, s->row + s->start[j]);
    int rc = analyse(s, spec);
    if (rc) arena_block_free(s);
    else *out = s;
    return rc;
}

static int is_complex(const sparse_system *s, int slot)
{
    return slot >= s->real_slots;
}

/* Where the matrix of a slot begins, and its bytes. */
static size_t slot_start(const sparse_system *s, int slot)
{
    int before = is_complex(s, slot) ? 2 * slot - s->real_slots : slot;
    return (size_t)before * (size_t)s->start[s->n];
}

static size_t slot_bytes(const sparse_system *s, int slot)
{
    return (is_complex(s, slot) ? 2 : 1) * (size_t)s->start[s->n] * sizeof *s->values;
}

static void free_numeric(sparse_system *s, int slot)
{
    if (is_complex(s, slot)) klu_z_free_numeric(&s->numeric[slot], &s->common);
    else klu_free_numeric(&s->numeric[slot], &s->common);
}

void sparse_forget(sparse_system *s)
{
    for (int slot = 0; slot < s->slots; slot++) free_numeric(s, slot);
}

void sparse_free(sparse_system *s)
{
    if (!s) return;
    sparse_forget(s);
    klu_free_symbolic(&s->symbolic, &s->common);
    arena_block_free(s->copy);
    arena_block_free(s);
}

/* ---- assembly ------------------------------------------------------------------------- */

/* Adds factor * (column j of a) to the assembled column; both have ascending rows. */
static void add_column(sparse_system *s, int width, const keel_matrix *a, int j, double factor_re,
                       double factor_im)
{
    column c = matrix_column(a, j);
    int at = s->start[j];
    for (int p = 0; p < c.count; p++) {
        int row = column_row(&c, p);
        while (s->row[at] < row) at++;
        double *entry = s->values + width * (ptrdiff_t)at;
        entry[0] += factor_re * c.values[p];
        if (width == 2) entry[1] += factor_im * c.values[p];
    }
}

static void assemble(sparse_system *s, int width, const shifted *matrix)
{
    memset(s->values, 0, (size_t)width * (size_t)s->start[s->n] * sizeof *s->values);
    for (int j = 0; j < s->n; j++) {
        add_column(s, width, matrix->jacobian, j, -1, 0);
        if (!matrix->mass.diagonal) {
            add_column(s, width, matrix->mass.matrix, j, matrix->re, matrix->im);
            continue;
        }
        int at = s->start[j];
        while (s->row[at] < j) at++;
        double *entry = s->values + width * (ptrdiff_t)at;
        entry[0] += matrix->re * matrix->mass.diagonal[j];
        if (width == 2) entry[1] += matrix->im * matrix->mass.diagonal[j];
    }
}

/* ---- pivots --------------------------------------------------------------------------- */

static void row_sizes(sparse_system *s, int width)
{
    memset(s->row_size, 0, (size_t)s->n * sizeof *s->row_size);
    for (int p = 0; p < s->start[s->n]; p++) {
        double size = modulus(s->values + width * (ptrdiff_t)p, width);
        if (!(size <= s->row_size[s->row[p]])) s->row_size[s->row[p]] = size;
    }
}

/* 1 if pivot k is far below the entries of its column after scaling of the rows. */
static int is_suspicious(const sparse_system *s, int width, int k, double pivot)
{
    int j = s->symbolic->Q[k];
    double largest = 0;
    for (int p = s->start[j]; p < s->start[j + 1]; p++) {
        double size = modulus(s->values + width * (ptrdiff_t)p, width);
        double row = s->row_size[s->row[p]];
        if (size > largest * row) largest = size / row;
    }
    return pivot_is_suspicious(pivot, largest);
}

static void copy_layout(arena *a, factor_copy *f, size_t n, size_t l_count, size_t u_count)
{
    f->l_start = ARENA(a, int, n + 1);
    f->u_start = ARENA(a, int, n + 1);
    f->by_row_start = ARENA(a, int, n + 2);
    f->l_row = ARENA(a, int, l_count);
    f->by_row_column = ARENA(a, int, l_count);
    f->u_row = ARENA(a, int, u_count);
    f->l_re = ARENA(a, double, l_count);
    f->l_im = ARENA(a, double, l_count);
    f->u_re = ARENA(a, double, u_count);
    f->u_im = ARENA(a, double, u_count);
    f->by_row = ARENA(a, double, l_count);
    f->column = ARENA(a, int, n);
    f->s = ARENA(a, double, n);
}

/* Moduli of L by rows and of U by columns. */
static int extract_factors(sparse_system *s, int slot, factor_copy *f)
{
    klu_numeric *numeric = s->numeric[slot];
    size_t n = (size_t)s->n, l_count = (size_t)numeric->lnz, u_count = (size_t)numeric->unz;
    arena measure = { 0 };
    copy_layout(&measure, f, n, l_count, u_count);
    if (measure.used > s->copy_bytes) {
        arena_block_free(s->copy);
        s->copy = arena_block(measure.used);
        s->copy_bytes = s->copy ? measure.used : 0;
        if (!s->copy) return KEEL_NO_MEMORY;
    }
    arena block = { .base = s->copy };
    copy_layout(&block, f, n, l_count, u_count);
    memset(f->s, 0, n * sizeof *f->s);
    memset(f->l_im, 0, l_count * sizeof *f->l_im);
    memset(f->u_im, 0, u_count * sizeof *f->u_im);
    if (is_complex(s, slot))
        klu_z_extract(numeric, s->symbolic, f->l_start, f->l_row, f->l_re, f->l_im, f->u_start,
                      f->u_row, f->u_re, f->u_im, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                      &s->common);
    else
        klu_extract(numeric, s->symbolic, f->l_start, f->l_row, f->l_re, f->u_start, f->u_row,
                    f->u_re, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &s->common);
    memset(f->by_row_start, 0, (n + 2) * sizeof *f->by_row_start);
    for (size_t p = 0; p < l_count; p++) f->by_row_start[f->l_row[p] + 2]++;
    for (size_t i = 0; i < n; i++) f->by_row_start[i + 2] += f->by_row_start[i + 1];
    for (int j = 0; j < s->n; j++)
        for (int p = f->l_start[j]; p < f->l_start[j + 1]; p++) {
            int at = f->by_row_start[f->l_row[p] + 1]++;
            f->by_row_column[at] = j;
            f->by_row[at] = fabs(f->l_re[p]) + fabs(f->l_im[p]);
        }
    return KEEL_OK;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

/* sum of |l(i,j)| s(j) over j < i, s being 0 outside column k of U */
static double cancelled_terms(const factor_copy *f, int i)
{
    double sum = 0;
    for (int p = f->by_row_start[i]; p < f->by_row_start[i + 1]; p++)
        if (f->by_row_column[p] < i) sum += f->by_row[p] * f->s[f->by_row_column[p]];
    return sum;
}

/* Compares pivot k with the terms that cancelled in it (see pivots.h). */
static int is_significant(const factor_copy *f, int k, double tolerance)
{
    int start = f->u_start[k], count = f->u_start[k + 1] - start;
    double size = 0, cancelled = 0;
    for (int p = start; p < start + count; p++) {
        f->s[f->u_row[p]] = fabs(f->u_re[p]) + fabs(f->u_im[p]);
        f->column[p - start] = f->u_row[p];
    }
    qsort(f->column, (size_t)count, sizeof *f->column, ascending);
    for (int p = 0; p < count; p++) {
        int j = f->column[p];
        size = f->s[j];
        cancelled = cancelled_terms(f, j);
        if (!pivot_is_significant(tolerance, size, cancelled)) f->s[j] = cancelled;
    }
    for (int p = 0; p < count; p++) f->s[f->column[p]] = 0;
    return pivot_is_significant(tolerance, size, cancelled);
}

/* 0; or k > 0: the pivot of unknown k - 1 is less than `tolerance` of the terms that cancelled
 * in it; or KEEL_NO_MEMORY. */
static int missing_pivot(sparse_system *s, int slot, int width, double tolerance)
{
    factor_copy f;
    const double *diagonal = s->numeric[slot]->Udiag;
    int extracted = 0, scaled = 0;
    for (int k = 0; k < s->n; k++) {
        double pivot = modulus(diagonal + width * k, width);
        if (!pivot_is_suspicious(pivot, 1)) continue;   /* entries of scaled rows are 1 at most */
        if (!scaled) row_sizes(s, width);
        scaled = 1;
        if (!is_suspicious(s, width, k, pivot)) continue;
        if (!extracted && extract_factors(s, slot, &f)) return KEEL_NO_MEMORY;
        extracted = 1;
        if (!is_significant(&f, k, tolerance)) return s->symbolic->Q[k] + 1;
    }
    return 0;
}

static double reciprocal_growth(sparse_system *s, int slot)
{
    (is_complex(s, slot) ? klu_z_rgrowth : klu_rgrowth)(s->start, s->row, s->values, s->symbolic,
                                                        s->numeric[slot], &s->common);
    return s->common.rgrowth;
}

/* ---- factor and solve ----------------------------------------------------------------- */

static void factor_anew(sparse_system *s, int slot, double *values)
{
    s->numeric[slot] = (is_complex(s, slot) ? klu_z_factor : klu_factor)(s->start, s->row, values,
                                                                         s->symbolic, &s->common);
    s->refactored[slot] = 0;
}

/* 1 unless that fails. */
static int factor_again(sparse_system *s, int slot, double *values)
{
    int done = (is_complex(s, slot) ? klu_z_refactor : klu_refactor)(s->start, s->row, values,
                                                                     s->symbolic, s->numeric[slot],
                                                                     &s->common);
    s->refactored[slot] = 1;
    return done && s->common.status == KLU_OK;
}

/* 0 if the pivots of last time serve for the new values, KEEL_NO_MEMORY if that cannot be told. */
static int refactor(sparse_system *s, int slot, int width)
{
    if (!factor_again(s, slot, s->values)) return 1;
    if (!(reciprocal_growth(s, slot) >= GROWTH * s->growth[slot])) return 1;
    return missing_pivot(s, slot, width, CANCELLATION);
}

int sparse_factor(sparse_system *s, int slot, const shifted *matrix)
{
    int width = is_complex(s, slot) ? 2 : 1;
    s->values = s->assembled + slot_start(s, slot);
    assemble(s, width, matrix);
    if (s->numeric[slot]) {
        int rc = refactor(s, slot, width);
        if (rc == KEEL_OK) return KEEL_OK;
        free_numeric(s, slot);
        if (rc == KEEL_NO_MEMORY) return rc;
    }
    factor_anew(s, slot, s->values);
    if (!s->numeric[slot]) return KEEL_NO_MEMORY;
    memcpy(s->pivoted + slot_start(s, slot), s->values, slot_bytes(s, slot));
    s->growth[slot] = reciprocal_growth(s, slot);
    int missing = missing_pivot(s, slot, width, pivot_tolerance(s->n));
    if (missing) free_numeric(s, slot);
    return missing;
}

void sparse_tape(tape *t, sparse_system *s)
{
    for (int slot = 0; slot < s->slots && !t->status; slot++) {
        double *pivoted = s->pivoted + slot_start(s, slot);
        double *last = s->assembled + slot_start(s, slot);
        int factored = s->numeric[slot] != NULL, refactored = s->refactored[slot];
        TAPE(t, factored);
        TAPE(t, refactored);
        TAPE(t, s->growth[slot]);
        if (t->loading) free_numeric(s, slot);
        if (!factored) continue;
        tape_pass(t, pivoted, slot_bytes(s, slot));
        tape_pass(t, last, slot_bytes(s, slot));
        if (!t->loading || t->status) continue;
        factor_anew(s, slot, pivoted);
        if (s->numeric[slot] && refactored) factor_again(s, slot, last);
        if (!s->numeric[slot]) t->status = KEEL_NO_MEMORY;
    }
}

void sparse_solve(sparse_system *s, int slot, double *b)
{
    klu_numeric *numeric = s->numeric[slot];
    if (is_complex(s, slot)) klu_z_solve(s->symbolic, numeric, s->n, 1, b, &s->common);
    else klu_solve(s->symbolic, numeric, s->n, 1, b, &s->common);
}

long sparse_fill(const sparse_system *s, int slot)
{
    const klu_numeric *numeric = s->numeric[slot];
    return numeric ? (long)numeric->lnz + (long)numeric->unz + (long)numeric->nzoff : 0;
}

#else

int sparse_create(sparse_system **system, const linear_spec *spec)
{
    (void)system;
    (void)spec;
    return KEEL_UNSUPPORTED;
}

void sparse_free(sparse_system *system)
{
    (void)system;
}

int sparse_factor(sparse_system *system, int slot, const shifted *matrix)
{
    (void)system;
    (void)slot;
    (void)matrix;
    return KEEL_UNSUPPORTED;
}

void sparse_solve(sparse_system *system, int slot, double *b)
{
    (void)system;
    (void)slot;
    (void)b;
}

void sparse_forget(sparse_system *system)
{
    (void)system;
}

void sparse_tape(tape *t, sparse_system *system)
{
    (void)t;
    (void)system;
}

long sparse_fill(const sparse_system *system, int slot)
{
    (void)system;
    (void)slot;
    return 0;
}

#endif
