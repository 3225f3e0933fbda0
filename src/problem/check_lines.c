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

int check_value(check *k, const claim *c, double e, double *value)
{
    const int n = k->problem->n;
    claim_point x = {.e = k->e, .claim = c, .t = k->t, .y = k->y, .yp = k->yp,
                     .scratch = k->scratch, .other = &k->other};
    if (c->argument == ALONG_DERIVATIVES) {
        memcpy(k->moved, k->yp, (size_t)n * sizeof *k->yp);
        for (int j = 0; j < c->columns; j++) k->moved[c->first + j] += e * k->w[j];
        x.yp = k->moved;
    } else {
        int path = c->argument == ALONG_PATH, moved = path ? k->problem->group[0] : c->columns;
        const double *w = path ? k->yp : k->w;
        memcpy(k->moved, k->y, (size_t)n * sizeof *k->y);
        for (int j = 0; j < moved; j++) k->moved[c->first + j] += e * w[j];
        x.y = k->moved;
        if (path) x.t += e;
        else if (c->rate_callback) x.t += e * k->w[c->columns];
    }
    return code_of(k, c->value(&x, value));
}

/* size_i = sum_j |a_ij w_j| of the whole direction, over what is finite. */
static void measure_rows(check *k, const claim *c)
{
    double *size = k->size;
    memset(size, 0, (size_t)c->rows * sizeof *size);
    for (int j = 0; j < c->columns; j++) {
        column a = matrix_column(&k->A, j);
        double w = fabs(k->direction[j]);
        for (int p = 0; p < a.count; p++) {
            double part = w * fabs(a.values[p]);
            if (part <= DBL_MAX) size[column_row(&a, p)] += part;
        }
    }
    for (int i = 0; c->rate_callback && i < c->rows; i++)
        if (isfinite(k->rate[i])) size[i] += fabs(k->direction[c->columns] * k->rate[i]);
}

static void set_direction(check *k, const claim *c)
{
    const double *x = (c->argument == ALONG_DERIVATIVES ? k->yp : k->y) + c->first;
    for (int j = 0; j < c->columns; j++)
        k->direction[j] = check_spread(j, 0) * (1 + fabs(x[j]));
    k->direction[c->columns] = check_spread(c->columns, 0) * check_time_unit(k->t);
    memset(k->w, 0, (size_t)(c->columns + 1) * sizeof *k->w);
    if (c->argument == ALONG_PATH)
        k->path_unit = line_increment(check_time_unit(k->t), 1, k->problem->group[0], k->y, NULL,
                                      k->yp);
}

int check_fill(check *k, const claim *c)
{
    claim_point x = {.e = k->e, .claim = c, .t = k->t, .y = k->y, .yp = k->yp,
                     .scratch = k->scratch, .other = &k->other};
    k->A.rows = c->rows;
    k->A.columns = c->columns;
    k->A.pattern = c->pattern;
    matrix_zero(&k->A);
    set_direction(k, c);
    int rc = c->given ? c->given(&x, &k->A, c->rate_callback ? k->rate : NULL) : 0;
    measure_rows(k, c);
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
        else k->deviation = fmax(k->deviation, gap > 0 ? gap / (scale + own) : 0);
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
        else k->deviation = fmax(k->deviation, gap > 0 ? gap / (scale + fabs(k->base[i])) : 0);
    }
    return suspicious;
}

int check_line(check *k, const claim *c, const int *set, int count)
{
    int path = c->argument == ALONG_PATH, rc;
    double h = path ? path_step * k->path_unit : line_step;
    for (int s = 0; s < count; s++) k->w[set[s]] = k->direction[set[s]];
    if (!path) multiply(k, c, set, count);
    rc = check_value(k, c, h, k->plus);
    if (!rc) rc = check_value(k, c, -h, k->minus);
    if (!rc && path) rc = check_value(k, c, 0, k->base);
    for (int s = 0; s < count; s++) k->w[set[s]] = 0;
    if (rc) return rc;
    return path ? compare_path(k, c, h) : compare_line(k, c);
}
