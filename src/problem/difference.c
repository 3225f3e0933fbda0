#include "problem/difference.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "linear/kernels.h"

int difference_along(const difference *d, const stencil *s, double in_time, const double *w,
                     double *derivative)
{
    const double *x = d->x;
    int rc = 0;
    memset(derivative, 0, (size_t)d->rows * sizeof *derivative);
    for (int k = 0; k < s->points && !rc; k++) {
        for (int j = 0; w && j < d->size; j++) d->moved[j] = x[j] + s->shift[k] * w[j];
        rc = d->value(d->context, d->t + in_time * s->shift[k], w ? d->moved : x, d->one);
        for (int i = 0; i < d->rows && !rc; i++) derivative[i] += s->weight[k] * d->one[i];
    }
    return rc;
}

/* ---- columns --------------------------------------------------------------------------------- */

static double typical_of(const difference_columns *c, int j)
{
    return c->typical && c->typical[j] != 0 ? fabs(c->typical[j]) : 1;
}

/* Without a unit as in RADAU5, but large values must move, too. */
static double one_sided_increment(const difference_columns *c, int j, double x)
{
    double size = fabs(x), typical = typical_of(c, j);
    double delta = c->unit > 0
                       ? sqrt(DBL_EPSILON) * (c->unit * typical + size)
                       : fmax(typical * sqrt(DBL_EPSILON * fmax(1e-5, size / typical)), 1e-10 * size);
    volatile double moved = c->backward ? x - delta : x + delta; /* so that moved - x is exact */
    return moved - x;
}

/* The longer, the less rounding: all unknowns may count in a row. */
static void set_long_increments(const difference *d, double *delta)
{
    double largest = 0;
    for (int j = 0; j < d->size; j++) largest = fmax(largest, fabs(d->x[j]));
    if (largest == 0) largest = 1;
    for (int j = 0; j < d->size; j++) {
        volatile double moved = d->x[j] + copysign(largest + fabs(d->x[j]), d->x[j]);
        delta[j] = moved - d->x[j];
    }
}

double central_increment(int derivative, int order, double reach)
{
    static const double logarithm[] = {0, 2, 2 * 2.585, 2 * 4.585};      /* log2 (p/2)!^2 */
    double balanced = (log2(DBL_EPSILON) - logarithm[order / 2 - 1]) / (order + derivative);
    return exp2(round(balanced + log2(reach)));
}

static void set_increment(const difference *d, const difference_columns *c, int j)
{
    if (c->order == 1) c->delta[j] = one_sided_increment(c, j, d->x[j]);
    else if (c->share > 0) c->delta[j] = c->share * (typical_of(c, j) + fabs(d->x[j]));
    else if (c->reach) c->delta[j] = central_increment(1, c->order, c->reach[j]);
    else c->delta[j] = central_increment(1, c->order, typical_of(c, j) + fabs(d->x[j]));
}

static void set_increments(const difference *d, const difference_columns *c)
{
    if (c->at_length) set_long_increments(d, c->delta);
    for (int j = 0; j < d->size && !c->at_length; j++) set_increment(d, c, j);
}

/* The columns that move together: those of one color, or a single one. */
typedef struct group {
    int first, end, color;
} group;

static inline int in_group(const difference_columns *c, const group *g, int j)
{
    return !c->colors || c->colors->color[j] == g->color;
}

static void move(const difference *d, const difference_columns *c, const group *g, double shift)
{
    for (int j = g->first; j < g->end; j++)
        if (in_group(c, g, j)) d->moved[j] = d->x[j] + shift * c->delta[j];
}

/* y := factor x, in blocks as in kernels.h. */
KERNEL void set_multiple(int count, double *restrict y, double factor, const double *restrict x)
{
    int j = 0;
    for (; j + 1 < count; j += 2)
        for (int c = 0; c < 2; c++) y[j + c] = factor * x[j + c];
    if (j < count) y[j] = factor * x[j];
}

static void store(const difference *d, const difference_columns *c, int j)
{
    double scale = (c->factor != 0 ? c->factor : 1) / c->delta[j];
    if (!c->matrix) {
        for (int i = 0; i < d->rows; i++) c->dense[i * d->size + j] += scale * c->sum[i];
        return;
    }
    column target = matrix_column(c->matrix, j);
    for (int k = 0; k < target.count && target.rows; k++) target.values[k] = scale * c->sum[target.rows[k]];
    if (!target.rows) set_multiple(target.count, target.values, scale, c->sum + target.first);
}

/* The sum of the weighted values with `part` of the increments, by which it is not divided. */
static int sum_one_sided(const difference *d, const difference_columns *c, const group *g, double part)
{
    move(d, c, g, part);
    int rc = d->value(d->context, d->t, d->moved, c->sum);
    subtract_multiple(d->rows, c->sum, 1, c->base);
    return rc;
}

static int sum_central(const difference *d, const difference_columns *c, const group *g, double part)
{
    stencil s = central_stencil(1, c->order, 1);
    int rc = 0;
    memset(c->sum, 0, (size_t)d->rows * sizeof *c->sum);
    for (int k = 0; k < s.points && !rc; k++) {
        move(d, c, g, part * s.shift[k]);
        rc = d->value(d->context, d->t, d->moved, d->one);
        for (int i = 0; i < d->rows; i++) c->sum[i] += s.weight[k] * d->one[i];
    }
    return rc;
}

static int sum_values(const difference *d, const difference_columns *c, const group *g, double part)
{
    return c->order == 1 ? sum_one_sided(d, c, g, part) : sum_central(d, c, g, part);
}

/* ---- columns at their increments ------------------------------------------------------------- */

enum { SIZES = 5 };                              /* 1, 2^-10, ..., 2^-40, and as many above 1      */
static const double next_size = 1.0 / 1024;

static void set_size(const difference *d, const difference_columns *c, const group *g, double size)
{
    for (int j = g->first; j < g->end; j++)
        if (in_group(c, g, j)) {
            c->typical[j] = size;
            set_increment(d, c, j);
        }
}

/* Where sizes are to be found: nearer if that is out of reach. */
static int sum_nearer(const difference *d, const difference_columns *c, const group *g)
{
    double size = 1;
    int rc = 1;
    for (int k = 0; k < SIZES && rc > 0; k++, size *= next_size) {
        set_size(d, c, g, size);
        rc = sum_values(d, c, g, 1);
    }
    return rc;
}

static int difference_group(const difference *d, const difference_columns *c, const group *g)
{
    int rc = c->settling ? sum_nearer(d, c, g) : sum_values(d, c, g, 1);
    for (int j = g->first; j < g->end && !rc; j++)
        if (in_group(c, g, j)) store(d, c, j);
    move(d, c, g, 0);
    return rc;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static const double quarter = 0.25;
static const double gross = 0.5;                 /* a share that no truncation as usual reaches,   */
static const double settled = 0.01;              /* and one that rounding has by chance only       */
static const double counts = 0.01;               /* of the largest change in its row               */
static const double trace = 1e-9;                /* the same: less may be lost in rounding         */

static int entries_of(const difference *d, const difference_columns *c, int j)
{
    return c->matrix ? matrix_column(c->matrix, j).count : d->rows;
}

/* Entry k of column j, and its row. */
static double *entry_of(const difference *d, const difference_columns *c, int j, int k, int *row)
{
    *row = k;
    if (!c->matrix) return &c->dense[(ptrdiff_t)k * d->size + j];
    column in = matrix_column(c->matrix, j);
    *row = column_row(&in, k);
    return &in.values[k];
}

/* The most that an increment changes each row: beside it rounding is small. */
static void find_changes(const difference *d, const difference_columns *c, double *most)
{
    memset(most, 0, (size_t)d->rows * sizeof *most);
    for (int j = 0; j < d->size; j++)
        for (int k = 0, row; k < entries_of(d, c, j); k++) {
            double change = fabs(*entry_of(d, c, j, k, &row) * c->delta[j]);
            most[row] = fmax(most[row], change);
        }
}

/* Entries that count and are grossly off those of the sum, a quarter of the increments, are missing (NaN)
 * from now on, and the sizes of their columns negative; returns how many columns. */
static int find_curved(const difference *d, const difference_columns *c, const group *g,
                       const double *most)
{
    int curved = 0;
    for (int j = g->first; j < g->end; j++) {
        if (!in_group(c, g, j)) continue;
        double scale = (c->factor != 0 ? c->factor : 1) / (quarter * c->delta[j]);
        for (int k = 0, row; k < entries_of(d, c, j); k++) {
            double *entry = entry_of(d, c, j, k, &row), whole = *entry, part = scale * c->sum[row];
            int agrees = fabs(whole - part) <= gross * fmax(fabs(whole), fabs(part));
            if (agrees || fabs(whole * c->delta[j]) < counts * most[row]) continue;
            *entry = NAN;
            c->typical[j] = -fabs(c->typical[j]);
        }
        curved += c->typical[j] < 0;
    }
    return curved;
}

/* Missing entries that agree with a quarter of the increments, whose sum is in c->settling; all of them
 * if that is NULL.  Returns how many columns still miss some. */
static int take_settled(const difference *d, const difference_columns *c, const group *g,
                        const double *part)
{
    int open = 0;
    for (int j = g->first; j < g->end; j++) {
        if (!in_group(c, g, j) || c->typical[j] > 0) continue;
        double scale = (c->factor != 0 ? c->factor : 1) / c->delta[j];
        int missing = 0;
        for (int k = 0, row; k < entries_of(d, c, j); k++) {
            double *entry = entry_of(d, c, j, k, &row);
            if (!isnan(*entry)) continue;
            double whole = scale * c->sum[row], off = part ? whole - scale * part[row] / quarter : 0;
            if (!part || fabs(off) < settled * fabs(whole)) *entry = whole;
            else missing = 1;
        }
        if (!missing) c->typical[j] = -c->typical[j];
        open += missing;
    }
    return open;
}

/* Smaller increments for columns with a negative size. */
static void set_curved(const difference *d, const difference_columns *c, const group *g, double size)
{
    for (int j = g->first; j < g->end; j++)
        if (in_group(c, g, j) && c->typical[j] < 0) {
            c->typical[j] = -size;
            set_increment(d, c, j);
        }
}

static int settle_curved(const difference *d, const difference_columns *c, const group *g)
{
    double size = next_size;
    int open = 1, rc = 0;
    for (int k = 1; k < SIZES && open && rc >= 0; k++, size *= next_size) {
        set_curved(d, c, g, size);
        rc = sum_values(d, c, g, quarter);
        memcpy(c->settling, c->sum, (size_t)d->rows * sizeof *c->sum);
        if (!rc) rc = sum_values(d, c, g, 1);
        if (!rc) open = take_settled(d, c, g, c->settling);
    }
    if (rc < 0 || !open) return rc < 0 ? rc : 0;
    set_curved(d, c, g, 1);
    rc = sum_values(d, c, g, 1);
    if (!rc) take_settled(d, c, g, NULL);
    return rc;
}

static int settle_group(const difference *d, const difference_columns *c, const group *g)
{
    const double *most = c->settling + d->rows;
    int rc = sum_values(d, c, g, quarter);
    if (rc < 0) return rc;
    if (!rc && find_curved(d, c, g, most)) rc = settle_curved(d, c, g);
    else rc = 0;
    move(d, c, g, 0);
    return rc;
}

static int is_lost(const difference *d, const difference_columns *c, int j, const double *most)
{
    int lost = 1;
    for (int k = 0, row; k < entries_of(d, c, j); k++) {
        double change = fabs(*entry_of(d, c, j, k, &row) * c->delta[j]);
        lost &= change <= trace * most[row];
    }
    return lost;
}

/* Entries that the sum changes, and of these the ones that agree with a quarter of the increments. */
static int changed(const difference *d, const difference_columns *c, int j, int agreeing)
{
    int count = 0;
    for (int k = 0, row; k < entries_of(d, c, j); k++) {
        entry_of(d, c, j, k, &row);
        double whole = c->sum[row], off = agreeing ? whole - c->settling[row] / quarter : 0;
        count += whole != 0 && fabs(off) <= settled * fabs(whole);
    }
    return count;
}

/* What no increment changes is not there: the longest one tells. */
static int is_absent(const difference *d, const difference_columns *c, const group *g, int *rc)
{
    set_size(d, c, g, pow(next_size, 1 - SIZES));
    *rc = sum_values(d, c, g, 1);
    return *rc == 0 && !changed(d, c, g->first, 0);
}

/* A single column, with the first increment that shows it. */
static int find_lost(const difference *d, const difference_columns *c, const group *g)
{
    int rc = 0, found = 0, j = g->first, absent = is_absent(d, c, g, &rc);
    double size = 1;
    for (int k = 1; k < SIZES && !absent && !found && rc >= 0; k++) {
        size /= next_size;
        set_size(d, c, g, size);
        rc = sum_values(d, c, g, quarter);
        memcpy(c->settling, c->sum, (size_t)d->rows * sizeof *c->sum);
        if (!rc) rc = sum_values(d, c, g, 1);
        found = rc == 0 && changed(d, c, j, 1);
    }
    for (int k = 0, row; k < entries_of(d, c, j) && found; k++) {
        double *entry = entry_of(d, c, j, k, &row);
        *entry = (c->factor != 0 ? c->factor : 1) / c->delta[j] * c->sum[row];
    }
    if (!found) set_size(d, c, g, 1);
    move(d, c, g, 0);
    return rc < 0 ? rc : 0;
}

static int settle_lost(const difference *d, const difference_columns *c)
{
    double *most = c->settling + d->rows;
    int rc = 0;
    find_changes(d, c, most);                    /* with the increments that curved ones have now */
    for (int j = 0; j < d->size && !rc; j++) {
        group g = {j, j + 1, c->colors ? c->colors->color[j] : j};
        if (c->typical[j] == 1 && is_lost(d, c, j, most)) rc = find_lost(d, c, &g);
    }
    return rc;
}

/* ---- all columns ----------------------------------------------------------------------------- */

static int each_group(const difference *d, const difference_columns *c,
                      int (*part)(const difference *d, const difference_columns *c, const group *g))
{
    int groups = c->colors ? c->colors->count : d->size, rc = 0, single = groups == d->size;
    for (int k = 0; k < groups && !rc; k++) {
        group g = single ? (group){k, k + 1, k} : (group){0, d->size, k};      /* column k has color k */
        rc = part(d, c, &g);
    }
    return rc;
}

int difference_matrix(const difference *d, const difference_columns *c)
{
    set_increments(d, c);
    memcpy(d->moved, d->x, (size_t)d->size * sizeof *d->moved);
    int rc = each_group(d, c, difference_group);
    if (rc || !c->settling) return rc;
    find_changes(d, c, c->settling + d->rows);
    rc = each_group(d, c, settle_group);
    return rc ? rc : settle_lost(d, c);
}
