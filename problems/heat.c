/* heat.c -- heat and its potential in the unit square or cube: index 1.
 *
 *   u' = Lap u + phi,   0 = Lap phi - phi + u,   u = phi = 0 on the boundary
 *
 * by differences of second order on a grid of NX points along each side inside of the boundary, h = 1 /
 * (NX + 1): y = u, z = phi, n = 2 NX^d.  In the mode sin(pi x1) ... sin(pi xd) the differences are -mu
 * times it, mu = 4 d / h^2 sin^2(pi h / 2), so that of the equations as they are on the grid
 *
 *   u = exp((1 / (1 + mu) - mu) t) sin(pi x1) ... sin(pi xd),   phi = u / (1 + mu)
 *
 * is an exact solution.
 */
#include "problems/heat.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "problems/list.h"

static const double pi = 3.14159265358979323846;

enum { DIMENSIONS_MOST = 3, ROWS_MOST = 2 * DIMENSIONS_MOST + 2, SIZE = 2 * 8 * 8 };

typedef struct grid {
    int side, dimension, points;
    int stride[DIMENSIONS_MOST];            /* between neighbours along x_k */
    double h;
} grid;

/* Without points, which no problem is made of, where there are more entries than `int` can count. */
static grid grid_of(const double *parameters)
{
    grid g = {.side = (int)parameters[0], .dimension = (int)parameters[1], .points = 1};
    g.h = 1.0 / (g.side + 1);
    for (int k = 0; k < g.dimension; k++) {
        g.stride[k] = g.points;
        g.points = g.points > INT_MAX / (2 * ROWS_MOST) / g.side ? 0 : g.points * g.side;
    }
    return g;
}

/* The neighbours of point i, ascending. */
static int neighbours(const grid *g, int i, int *other)
{
    int count = 0;
    for (int k = g->dimension - 1; k >= 0; k--)
        if (i / g->stride[k] % g->side > 0) other[count++] = i - g->stride[k];
    for (int k = 0; k < g->dimension; k++)
        if (i / g->stride[k] % g->side < g->side - 1) other[count++] = i + g->stride[k];
    return count;
}

/* Lap x at point i. */
static double laplacian(const grid *g, const double *x, int i)
{
    int other[2 * DIMENSIONS_MOST];
    const int count = neighbours(g, i, other);
    double sum = -2 * g->dimension * x[i];
    for (int k = 0; k < count; k++) sum += x[other[k]];
    return sum / (g->h * g->h);
}

static int rhs(double t, const double *u, const double *phi, double *f, void *context)
{
    const grid g = grid_of(context);
    (void)t;
    for (int i = 0; i < g.points; i++) f[i] = laplacian(&g, u, i) + phi[i];
    return 0;
}

static int constraint(double t, const double *u, const double *phi, double *r, void *context)
{
    const grid g = grid_of(context);
    (void)t;
    for (int i = 0; i < g.points; i++) r[i] = laplacian(&g, phi, i) - phi[i] + u[i];
    return 0;
}

/* Column j of the Jacobian: rows ascending, and values. */
static int jacobian_column(const grid *g, int j, int *row, double *value)
{
    const int potential = j >= g->points, first = potential ? g->points : 0, i = j - first;
    const double scale = 1 / (g->h * g->h);
    int other[2 * DIMENSIONS_MOST], count = 0, k = 0;
    const int others = neighbours(g, i, other);
    if (potential) {
        row[count] = i;
        value[count++] = 1;
    }
    for (; k < others && other[k] < i; k++) {
        row[count] = first + other[k];
        value[count++] = scale;
    }
    row[count] = j;
    value[count++] = -2 * g->dimension * scale - potential;
    for (; k < others; k++) {
        row[count] = first + other[k];
        value[count++] = scale;
    }
    if (!potential) {
        row[count] = g->points + i;
        value[count++] = 1;
    }
    return count;
}

static int jacobian(double t, const double *u, const double *phi, keel_matrix *J, void *context)
{
    const grid g = grid_of(context);
    int row[ROWS_MOST];
    double value[ROWS_MOST];
    (void)t, (void)u, (void)phi;
    for (int j = 0; j < 2 * g.points; j++) {
        const int count = jacobian_column(&g, j, row, value);
        for (int k = 0; k < count; k++) keel_put(J, row[k], j, value[k]);
    }
    return 0;
}

/* ---- the problem --------------------------------------------------------------------------- */

int *heat_pattern(const double *parameters, keel_pattern *pattern)
{
    const grid g = grid_of(parameters);
    const size_t n = 2 * (size_t)g.points;
    int *start = malloc((n + 1 + ROWS_MOST * n) * sizeof *start), *row = start + n + 1, count = 0;
    double value[ROWS_MOST];
    if (!start) return NULL;
    for (int j = 0; j < 2 * g.points; j++) {
        start[j] = count;
        count += jacobian_column(&g, j, row + count, value);
    }
    start[n] = count;
    *pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    return start;
}

keel_semi_explicit_spec heat_spec(const double *parameters)
{
    const grid g = grid_of(parameters);
    return (keel_semi_explicit_spec){
        .differential = g.points, .algebraic = g.points, .rhs = rhs, .constraint = constraint,
        .jacobian = jacobian, .context = (void *)parameters};
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_semi_explicit_spec spec = heat_spec(parameters);
    int *pattern = heat_pattern(parameters, &spec.pattern);
    *problem = NULL;
    if (!pattern) return KEEL_NO_MEMORY;
    const int status = keel_semi_explicit(problem, &spec);
    free(pattern);
    return status;
}

static void exact(const double *parameters, double t, double *y)
{
    const grid g = grid_of(parameters);
    const double half = sin(pi * g.h / 2) / g.h, mu = 4 * g.dimension * half * half;
    const double decay = exp((1 / (1 + mu) - mu) * t);
    for (int i = 0; i < g.points; i++) {
        y[i] = decay;
        for (int k = 0; k < g.dimension; k++) y[i] *= sin(pi * g.h * (i / g.stride[k] % g.side + 1));
        y[g.points + i] = y[i] / (1 + mu);
    }
}

static void start_values(const double *parameters, double *y)
{
    exact(parameters, 0, y);
}

const keel_target problem_heat = {
    .name = "heat",
    .title = "Heat and its potential in a square or cube",
    .source = "ours: the heat equation with a potential, differences of second order",
    .remark = "  keel run heat --param side=400 --method bdf                    320000 unknowns, sparse\n"
              "  keel run heat --param side=24 --param dimension=3              27648\n",
    .index = 1, .size = SIZE,
    .t_start = 0, .t_end = 0.1,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"side", 8, "points along a side, inside of the boundary"},
        {"dimension", 2, "1, 2 or 3"}},
    .bounds = (const double[][2]){{1, 1000}, {1, DIMENSIONS_MOST}},
    .create = create, .start = start_values, .exact = exact,
};
