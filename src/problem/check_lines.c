/* check_lines.c -- one line through a place: A w against a central difference along w.
 *
 *   A w  ~  (value(x + h w) - value(x - h w)) / 2h,              h = 2^-17
 *   gamma ~ (value(h) - 2 value(0) + value(-h)) / h^2     along a path, h = 2^-10 of its unit
 *
 * The steps balance rounding against truncation, the second for functions of time that change
 * within a hundredth of its unit.  A component of w is that of a fixed irrational sequence, between
 * a half and one in size, times 1 + |x_j|: it vanishes nowhere, and no two are alike, so that what
 * is wrong in one column is not made good by another.
 */
#include "problem/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/columns.h"
#include "problem/stencil.h"

static const double line_step = 0x1p-17, path_step = 0x1p-10;
/* Relative to the sum of the moduli in a row: what differs by more is looked at closely. */
static const double line_tolerance = 1e-6, path_tolerance = 1e-4;
/* Of a function: a few operations on terms larger than their sum. */
static const double rounding = 32 * DBL_EPSILON;

/* An entry outside the pattern is a finding, no reason to stop. */
static int code_of(const check *k, int rc)
{
    return rc < 0 && k->e->fault.code != FAULT_STRAY ? -1 : rc != 0;
}

/* A line through the place: y or y' there, what moves of it, and how fast. */
typedef struct line {
    int count;
    const double *from, *w;
    double *moved, rate;
} line;

static void line_begin(line *l, check *k, const claim *c, const double *w)
{
    const int rates = c->argument == ALONG_DERIVATIVES, path = c->argument == ALONG_PATH;
    const double *from = rates ? k->yp : k->y;
    l->count = path ? k->problem->group[0] : c->columns;
    l->from = from + c->first;
    l->w = path ? k->yp : w;
    l->moved = k->moved + c->first;
    l->rate = path ? 1 : c->rate_callback && !rates ? w[c->columns] : 0;
    memcpy(k->moved, from, (size_t)k->problem->n * sizeof *from);
    k->at.claim = c;
    if (rates) k->at.yp = k->moved;
    else k->at.y = k->moved;
}

static void line_end(check *k)
{
    k->at.y = k->y;
    k->at.yp = k->yp;
}

static int value_at(check *k, const line *l, double e, double *value)
{
    const double *from = l->from, *w = l->w;
    double *moved = l->moved;
    for (int j = 0, count = l->count; j < count; j++) moved[j] = from[j] + e * w[j];
    k->at.t = k->t + e * l->rate;
    return code_of(k, k->at.claim->value(&k->at, value));
}

int check_value(check *k, const claim *c, double e, double *value)
{
    line l;
    line_begin(&l, k, c, k->w);
    int rc = value_at(k, &l, e, value);
    line_end(k);
    return rc;
}

/* product += w a and size += |w a| of what is finite. */
static inline void add_part(double part, double *product, double *size)
{
    *product += part;
    if (fabs(part) <= DBL_MAX) *size += fabs(part);
}

/* Of the whole direction: product = A w, and size_i = sum_j |a_ij w_j| over what is finite.  Dense matrices,
 * by rows, are those of small problems, which are checked at every start. */
static void multiply_whole(check *k, const claim *c)
{
    const int rows = c->rows, columns = c->columns, dense = c->pattern.storage == KEEL_DENSE;
    const double *w = k->direction;
    double *size = k->size, *product = k->product;
    for (int i = 0; i < rows; i++) {
        const double *a = k->A.values + i;
        double sum = 0, moduli = 0;
        for (int j = 0; dense && j < columns; j++, a += rows) add_part(w[j] * *a, &sum, &moduli);
        product[i] = sum;
        size[i] = moduli;
    }
    for (int j = 0; !dense && j < columns; j++) {
        const column a = matrix_column(&k->A, j);
        for (int p = 0; p < a.count; p++) {
            const int row = column_row(&a, p);
            add_part(w[j] * a.values[p], &product[row], &size[row]);
        }
    }
    for (int i = 0; c->rate_callback && i < rows; i++)
        add_part(w[columns] * k->rate[i], &product[i], &size[i]);
}

static void set_direction(check *k, const claim *c)
{
    const double *x = (c->argument == ALONG_DERIVATIVES ? k->yp : k->y) + c->first;
    for (int j = 0; j < c->columns; j++)
        k->direction[j] = k->spread[0][j] * (1 + fabs(x[j]));
    k->direction[c->columns] = k->spread[0][c->columns] * check_time_unit(k->t);
}

int check_fill(check *k, const claim *c)
{
    const int path = c->argument == ALONG_PATH;
    k->at.claim = c;
    k->at.t = k->t;
    k->A.rows = c->rows;
    k->A.columns = c->columns;
    k->A.pattern = c->pattern;
    if (!c->whole) matrix_zero(&k->A);
    if (path)
        k->path_unit = line_increment(check_time_unit(k->t), 1, k->problem->group[0], k->y, NULL, k->yp);
    else set_direction(k, c);
    int rc = c->given ? c->given(&k->at, &k->A, c->rate_callback ? k->rate : NULL) : 0;
    if (!path) multiply_whole(k, c);
    int defect = rc && (k->e->fault.code == 0 || k->e->fault.code == FAULT_STRAY);
    return defect ? 2 : code_of(k, rc);
}

/* Of the columns that move. */
static void multiply(check *k, const claim *c, const int *set, int count)
{
    memset(k->product, 0, (size_t)c->rows * sizeof *k->product);
    for (int s = 0; s < count; s++) {
        int j = set[s];
        if (j == c->columns) {
            for (int i = 0; i < c->rows; i++) k->product[i] += k->w[j] * k->rate[i];
            continue;
        }
        column a = matrix_column(&k->A, j);
        for (int p = 0; p < a.count; p++) k->product[column_row(&a, p)] += k->w[j] * a.values[p];
    }
}

/* Rows are often sums of terms as large as the largest row, of which little is left. */
static int compare_line(check *k, const claim *c)
{
    int suspicious = 0;
    double most = 0;
    for (int i = 0; i < c->rows; i++)
        if (fabs(k->plus[i]) > most) most = fabs(k->plus[i]);
    for (int i = 0; i < c->rows; i++) {
        double slope = (k->plus[i] - k->minus[i]) / (2 * line_step);
        double scale = k->size[i] + fabs(slope), gap = fabs(k->product[i] - slope);
        double own = fabs(k->plus[i]) + fabs(k->minus[i]) + k->size[i];
        double noise = (rounding * own + DBL_EPSILON * most) / line_step;
        if (!(gap <= line_tolerance * scale + noise)) suspicious = 1;
        else if (!(gap <= k->deviation * (scale + own))) k->deviation = gap / (scale + own);
    }
    return suspicious;
}

static int compare_path(check *k, const claim *c, double h)
{
    int suspicious = 0;
    double most = 0;
    for (int i = 0; i < c->rows; i++)
        if (fabs(k->A.values[i]) > most) most = fabs(k->A.values[i]);
    for (int i = 0; i < c->rows; i++) {
        double given = k->A.values[i];
        double bend = (k->plus[i] - 2 * k->base[i] + k->minus[i]) / (h * h);
        double scale = fabs(given) + fabs(bend) + 0.01 * most, gap = fabs(given - bend);
        double noise = rounding * (fabs(k->plus[i]) + 2 * fabs(k->base[i]) + fabs(k->minus[i]))
                     / (h * h);
        if (!(gap <= path_tolerance * scale + noise)) suspicious = 1;
        else if (!(gap <= k->deviation * (scale + fabs(k->base[i]))))
            k->deviation = gap / (scale + fabs(k->base[i]));
    }
    return suspicious;
}

/* Along w, with its product. */
static int compare(check *k, const claim *c, const double *w)
{
    const int path = c->argument == ALONG_PATH;
    const double h = path ? path_step * k->path_unit : line_step;
    line l;
    line_begin(&l, k, c, w);
    int rc = value_at(k, &l, h, k->plus);
    if (!rc) rc = value_at(k, &l, -h, k->minus);
    if (!rc && path) rc = value_at(k, &l, 0, k->base);
    line_end(k);
    if (rc) return rc;
    return path ? compare_path(k, c, h) : compare_line(k, c);
}

int check_whole_line(check *k, const claim *c) { return compare(k, c, k->direction); }

int check_line(check *k, const claim *c, const int *set, int count)
{
    for (int s = 0; s < count; s++) k->w[set[s]] = k->direction[set[s]];
    if (c->argument != ALONG_PATH) multiply(k, c, set, count);
    const int rc = compare(k, c, k->w);
    for (int s = 0; s < count; s++) k->w[set[s]] = 0;
    return rc;
}
