/* ladder.h -- a boundary value problem of any size: `pairs` differential and as many algebraic unknowns.
 *
 *   x_i' = l_i (x_i - s_i) + (x_(i+1) - s_(i+1))/2 + z_i,    s_i = sin(t + i),  c_i = cos(t + i)
 *   0    = z_i - c_i + (x_(i-1) - s_(i-1))/4 + (z_(i+1) - c_(i+1))/8 + (x_i^2 - s_i^2)/10
 *
 * with l_i = -(1 + i/pairs) for even i, which have a condition at the left, and 1 + i/pairs for odd i, at
 * the right; what has no neighbour is left out.  Solution: x_i = s_i, z_i = c_i, on any interval.
 */
#ifndef KEEL_TEST_BOUNDARY_LADDER_H
#define KEEL_TEST_BOUNDARY_LADDER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"

typedef struct ladder {
    int pairs;
    double from, to;
    long jacobians;              /* calls                                                  */
    long fails_at;               /* the call that fails, or 0                              */
    int *start, *row;            /* pattern, by columns                                    */
} ladder;

static double ladder_rate(const ladder *d, int i)
{
    double size = 1 + (double)i / d->pairs;
    return i % 2 ? size : -size;
}

static int ladder_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    const ladder *d = context;
    for (int i = 0; i < d->pairs; i++) {
        f[i] = ladder_rate(d, i) * (x[i] - sin(t + i)) + z[i];
        if (i + 1 < d->pairs) f[i] += (x[i + 1] - sin(t + i + 1)) / 2;
    }
    return 0;
}

static int ladder_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    const ladder *d = context;
    for (int i = 0; i < d->pairs; i++) {
        double s = sin(t + i);
        g[i] = z[i] - cos(t + i) + (x[i] * x[i] - s * s) / 10;
        if (i) g[i] += (x[i - 1] - sin(t + i - 1)) / 4;
        if (i + 1 < d->pairs) g[i] += (z[i + 1] - cos(t + i + 1)) / 8;
    }
    return 0;
}

static int ladder_jacobian(double t, const double *x, const double *z, keel_matrix *J, void *context)
{
    ladder *d = context;
    int n = d->pairs;
    (void)t, (void)z;
    if (++d->jacobians == d->fails_at) return -1;
    for (int i = 0; i < n; i++) {
        keel_put(J, i, i, ladder_rate(d, i));
        keel_put(J, i, n + i, 1);
        keel_put(J, n + i, i, x[i] / 5);
        keel_put(J, n + i, n + i, 1);
        if (i) keel_put(J, n + i, i - 1, 0.25);
        if (i + 1 < n) keel_put(J, i, i + 1, 0.5);
        if (i + 1 < n) keel_put(J, n + i, n + i + 1, 0.125);
    }
    return 0;
}

static int ladder_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    const ladder *d = context;
    (void)p;
    for (int i = 0; i < d->pairs; i++)
        b[i] = i % 2 ? yb[i] - sin(d->to + i) : ya[i] - sin(d->from + i);
    return 0;
}

/* The pattern: at most four rows in a column. */
static int ladder_pattern(ladder *d)
{
    int n = d->pairs, at = 0;
    d->start = malloc((size_t)(2 * n + 1) * sizeof *d->start);
    d->row = malloc((size_t)(8 * n) * sizeof *d->row);
    if (!d->start || !d->row) return -1;
    for (int j = 0; j < 2 * n; j++) {
        int i = j % n;
        d->start[j] = at;
        if (j < n && i) d->row[at++] = i - 1;
        d->row[at++] = i;
        if (j >= n && i) d->row[at++] = n + i - 1;
        d->row[at++] = n + i;
        if (j < n && i + 1 < n) d->row[at++] = n + i + 1;
    }
    d->start[2 * n] = at;
    return 0;
}

static inline void ladder_free(ladder *d)
{
    free(d->start);
    free(d->row);
    d->start = d->row = NULL;
}

/* `sparse`: with its pattern; given: with Jacobians. */
static inline int ladder_problem(keel_problem **p, ladder *d, int sparse, int given)
{
    keel_semi_explicit_spec spec = {
        .differential = d->pairs, .algebraic = d->pairs, .rhs = ladder_rhs,
        .constraint = ladder_constraint, .jacobian = given ? ladder_jacobian : NULL, .context = d};
    if (sparse) {
        if (ladder_pattern(d)) return KEEL_NO_MEMORY;
        spec.pattern = (keel_pattern){.storage = KEEL_SPARSE, .column_start = d->start,
                                      .row_index = d->row};
    }
    return keel_semi_explicit(p, &spec);
}

static inline keel_boundary_spec ladder_boundary(const keel_problem *p, ladder *d)
{
    return (keel_boundary_spec){.problem = p, .from = d->from, .to = d->to, .conditions = d->pairs,
                                .condition = ladder_ends, .context = d};
}

/* Largest error of x and z at eleven points of each of the first intervals. */
static inline double ladder_error(const ladder *d, keel_solution *solution, int intervals)
{
    int steps = keel_solution_steps(solution), n = d->pairs;
    double largest = 0, *y = malloc(2 * (size_t)n * sizeof *y);
    for (int i = 0; y && i < steps && i < intervals; i++)
        for (int q = 0; q <= 10; q++) {
            double a = keel_solution_time(solution, i), b = keel_solution_time(solution, i + 1);
            double t = q == 10 ? b : a + (b - a) * q / 10;
            if (keel_solution_at(solution, t, y)) largest = INFINITY;
            for (int j = 0; j < n; j++) {
                largest = fmax(largest, fabs(y[j] - sin(t + j)));
                largest = fmax(largest, fabs(y[n + j] - cos(t + j)));
            }
        }
    free(y);
    return y ? largest : INFINITY;
}

#endif
