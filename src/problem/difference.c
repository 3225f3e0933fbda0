#include "problem/difference.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"

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

/* Without a unit as in RADAU5, but large values must move, too. */
static double one_sided_increment(double x, double unit, int backward)
{
    double size = fabs(x);
    double delta = unit > 0 ? sqrt(DBL_EPSILON) * (unit + size)
                            : fmax(sqrt(DBL_EPSILON * fmax(1e-5, size)), 1e-10 * size);
    volatile double moved = backward ? x - delta : x + delta;    /* so that moved - x is exact */
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

static void set_increments(const difference *d, const difference_columns *c)
{
    if (c->at_length) {
        set_long_increments(d, c->delta);
        return;
    }
    for (int j = 0; j < d->size; j++)
        c->delta[j] = c->order == 1 ? one_sided_increment(d->x[j], c->unit, c->backward)
                    : central_increment(1, c->order, c->reach ? c->reach[j] : 1 + fabs(d->x[j]));
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

static void store(const difference *d, const difference_columns *c, int j)
{
    double scale = (c->factor != 0 ? c->factor : 1) / c->delta[j];
    if (!c->matrix) {
        for (int i = 0; i < d->rows; i++) c->dense[i * d->size + j] += scale * c->sum[i];
        return;
    }
    column target = matrix_column(c->matrix, j);
    const double *own = c->sum + target.first;
    for (int k = 0; k < target.count && target.rows; k++) target.values[k] = scale * c->sum[target.rows[k]];
    for (int k = 0; k < target.count && !target.rows; k++) target.values[k] = scale * own[k];
}

/* The sum of the weighted values, without the increments. */
static int sum_one_sided(const difference *d, const difference_columns *c, const group *g)
{
    move(d, c, g, 1);
    int rc = d->value(d->context, d->t, d->moved, c->sum);
    for (int i = 0; i < d->rows; i++) c->sum[i] -= c->base[i];
    return rc;
}

static int sum_central(const difference *d, const difference_columns *c, const group *g)
{
    stencil s = central_stencil(1, c->order, 1);
    int rc = 0;
    memset(c->sum, 0, (size_t)d->rows * sizeof *c->sum);
    for (int k = 0; k < s.points && !rc; k++) {
        move(d, c, g, s.shift[k]);
        rc = d->value(d->context, d->t, d->moved, d->one);
        for (int i = 0; i < d->rows; i++) c->sum[i] += s.weight[k] * d->one[i];
    }
    return rc;
}

int difference_matrix(const difference *d, const difference_columns *c)
{
    int groups = c->colors ? c->colors->count : d->size, rc = 0, single = groups == d->size;
    set_increments(d, c);
    memcpy(d->moved, d->x, (size_t)d->size * sizeof *d->moved);
    for (int k = 0; k < groups && !rc; k++) {
        group g = single ? (group){k, k + 1, k} : (group){0, d->size, k};      /* column k has color k */
        rc = c->order == 1 ? sum_one_sided(d, c, &g) : sum_central(d, c, &g);
        for (int j = g.first; j < g.end && !rc; j++)
            if (in_group(c, &g, j)) store(d, c, j);
        move(d, c, &g, 0);
    }
    return rc;
}
