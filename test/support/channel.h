/* channel.h -- a flow through a square, incompressible, on a staggered grid: Hessenberg index 2.
 *
 *   w' = -(w.grad) w + nu Lap w - grad p + b(x),   0 = div w,   w = (u,v) on [0,1]^2, nu = 0.01
 *
 * Pressures in the centres of NX x NX cells of size h, u on their vertical and v on their
 * horizontal sides (MAC).  Left: u = inflow(t,y), pulsating, and v = 0; right: p = 0 and no change
 * across; below and above: walls, w = 0.  Central differences; values beyond a side by reflection.
 *
 *   y = (u, v): u(i,j) right of cell (i,j), NX^2; v(i,j) above cell (i,j), j < NX - 1
 *   z = p: NX^2 of them                             n = 3 NX^2 - NX unknowns in all
 *   0 = (u(i,j) - u(i-1,j) + v(i,j) - v(i,j-1)) / h, where u(-1,j) is the inflow at t
 *
 * Since g is linear, g_y is constant and is in the Jacobian; `constraint_jacobian` is not given: it
 * would be an array of NX^2 (2 NX^2 - NX) numbers.
 */
#ifndef KEEL_TEST_SUPPORT_CHANNEL_H
#define KEEL_TEST_SUPPORT_CHANNEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/keel.h"

typedef struct channel {
    int nx, velocities, pressures, size;    /* size = velocities + pressures                  */
    double h, viscosity;
    int *column_start, *row_index;          /* pattern of [f_y f_z; g_y 0]                    */
} channel;

/* ---- the grid ----------------------------------------------------------------------------- */

/* A value on the grid: factor * unknown number `index`, or a known value. */
typedef struct grid_value { int index; double factor, value; } grid_value;

static inline double channel_inflow(const channel *c, double t, int j)
{
    const double y = (j + 0.5) * c->h;
    return 4 * y * (1 - y) * (1 + 0.5 * sin(12.566370614359172 * t));
}

static inline double channel_inflow_rate(const channel *c, double t, int j)
{
    const double y = (j + 0.5) * c->h;
    return 4 * y * (1 - y) * 0.5 * 12.566370614359172 * cos(12.566370614359172 * t);
}

static inline int channel_u(const channel *c, int i, int j) { return j * c->nx + i; }
static inline int channel_v(const channel *c, int i, int j)
{
    return c->nx * c->nx + j * c->nx + i;
}

/* u right of cell (i,j), for i = -1..NX and j = -1..NX. */
static inline grid_value channel_u_at(const channel *c, double t, const double *y, int i, int j)
{
    const int row = j < 0 ? 0 : j == c->nx ? j - 1 : j, column = i == c->nx ? i - 1 : i;
    const double factor = row == j ? 1 : -1;
    if (i < 0) return (grid_value){-1, 0, factor * channel_inflow(c, t, row)};
    const int index = channel_u(c, column, row);
    return (grid_value){index, factor, factor * y[index]};
}

/* v above cell (i,j), for i = -1..NX and j = -1..NX-1. */
static inline grid_value channel_v_at(const channel *c, const double *y, int i, int j)
{
    const int column = i < 0 ? 0 : i == c->nx ? i - 1 : i;
    const double factor = i < 0 ? -1 : 1;
    if (j < 0 || j == c->nx - 1) return (grid_value){-1, 0, 0};
    const int index = channel_v(c, column, j);
    return (grid_value){index, factor, factor * y[index]};
}

/* What the rate of one velocity depends on: itself, its neighbours (east, west, north, south), the
 * four velocities across around it; and the pressures on both sides, -1: that is 0. */
typedef struct stencil {
    grid_value here, side[4], across[4];
    int ahead, behind;
    double spacing, force;                  /* between the pressures; b                       */
    int along_x;
} stencil;

static inline stencil channel_u_stencil(const channel *c, double t, const double *y, int i, int j)
{
    const int last = i == c->nx - 1;
    return (stencil){
        .here = channel_u_at(c, t, y, i, j),
        .side = {channel_u_at(c, t, y, i + 1, j), channel_u_at(c, t, y, i - 1, j),
                 channel_u_at(c, t, y, i, j + 1), channel_u_at(c, t, y, i, j - 1)},
        .across = {channel_v_at(c, y, i, j), channel_v_at(c, y, i + 1, j),
                   channel_v_at(c, y, i, j - 1), channel_v_at(c, y, i + 1, j - 1)},
        .ahead = last ? -1 : j * c->nx + i + 1, .behind = j * c->nx + i,
        .spacing = last ? c->h / 2 : c->h,
        .force = 0.5 * sin(3.141592653589793 * (j + 0.5) * c->h), .along_x = 1};
}

static inline stencil channel_v_stencil(const channel *c, double t, const double *y, int i, int j)
{
    return (stencil){
        .here = channel_v_at(c, y, i, j),
        .side = {channel_v_at(c, y, i + 1, j), channel_v_at(c, y, i - 1, j),
                 channel_v_at(c, y, i, j + 1), channel_v_at(c, y, i, j - 1)},
        .across = {channel_u_at(c, t, y, i, j), channel_u_at(c, t, y, i - 1, j),
                   channel_u_at(c, t, y, i, j + 1), channel_u_at(c, t, y, i - 1, j + 1)},
        .ahead = (j + 1) * c->nx + i, .behind = j * c->nx + i, .spacing = c->h,
        .force = cos(3.141592653589793 * (i + 0.5) * c->h), .along_x = 0};
}

/* Velocity number k, in the order of y. */
static inline stencil channel_stencil(const channel *c, double t, const double *y, int k)
{
    const int u = c->nx * c->nx;
    return k < u ? channel_u_stencil(c, t, y, k % c->nx, k / c->nx)
                 : channel_v_stencil(c, t, y, (k - u) % c->nx, (k - u) / c->nx);
}

/* ---- right-hand side, constraint ---------------------------------------------------------- */

/* The velocity that carries in x and in y: the one itself and the mean of those across. */
static inline void stencil_carriers(const stencil *s, double carrier[2])
{
    const double mean = (s->across[0].value + s->across[1].value + s->across[2].value
                         + s->across[3].value) / 4;
    carrier[0] = s->along_x ? s->here.value : mean;
    carrier[1] = s->along_x ? mean : s->here.value;
}

static inline int channel_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const channel *c = context;
    const double h = c->h, diffusion = c->viscosity / (h * h);
    for (int k = 0; k < c->velocities; k++) {
        const stencil s = channel_stencil(c, t, y, k);
        const double east = s.side[0].value, west = s.side[1].value;
        const double north = s.side[2].value, south = s.side[3].value;
        double carrier[2];
        stencil_carriers(&s, carrier);
        f[k] = -(carrier[0] * (east - west) + carrier[1] * (north - south)) / (2 * h)
               + diffusion * (east + west + north + south - 4 * s.here.value)
               - ((s.ahead < 0 ? 0 : z[s.ahead]) - z[s.behind]) / s.spacing + s.force;
    }
    return 0;
}

static inline int channel_constraint(double t, const double *y, double *g, void *context)
{
    const channel *c = context;
    for (int j = 0; j < c->nx; j++)
        for (int i = 0; i < c->nx; i++)
            g[j * c->nx + i] = (channel_u_at(c, t, y, i, j).value
                                - channel_u_at(c, t, y, i - 1, j).value
                                + channel_v_at(c, y, i, j).value
                                - channel_v_at(c, y, i, j - 1).value) / c->h;
    return 0;
}

static inline int channel_constraint_time(double t, const double *y, double *g_t, void *context)
{
    const channel *c = context;
    (void)y;
    for (int k = 0; k < c->pressures; k++)
        g_t[k] = k % c->nx == 0 ? -channel_inflow_rate(c, t, k / c->nx) / c->h : 0;
    return 0;
}

/* ---- Jacobian and its pattern ------------------------------------------------------------- */

/* Takes the entries of the Jacobian one by one; several may fall on one place. */
typedef void (*entry_taker)(void *taker, int row, int column, double value);

static inline void take_value(entry_taker take, void *taker, int row, grid_value x, double by_x)
{
    if (x.index >= 0) take(taker, row, x.index, by_x * x.factor);
}

static inline void channel_velocity_entries(const channel *c, int row, const stencil *s,
                                            entry_taker take, void *taker)
{
    const double h = c->h, diffusion = c->viscosity / (h * h);
    const double slope[2] = {(s->side[0].value - s->side[1].value) / (2 * h),
                             (s->side[2].value - s->side[3].value) / (2 * h)};
    double carrier[2];
    stencil_carriers(s, carrier);
    take_value(take, taker, row, s->here, -slope[!s->along_x] - 4 * diffusion);
    for (int k = 0; k < 4; k++) {
        const double sign = k % 2 ? -1 : 1;
        take_value(take, taker, row, s->side[k], diffusion - sign * carrier[k / 2] / (2 * h));
        take_value(take, taker, row, s->across[k], -slope[s->along_x] / 4);
    }
    take(taker, row, c->velocities + s->behind, 1 / s->spacing);
    if (s->ahead >= 0) take(taker, row, c->velocities + s->ahead, -1 / s->spacing);
}

static inline void channel_entries(const channel *c, double t, const double *y, entry_taker take,
                                   void *taker)
{
    for (int k = 0; k < c->velocities; k++) {
        const stencil s = channel_stencil(c, t, y, k);
        channel_velocity_entries(c, k, &s, take, taker);
    }
    for (int k = 0; k < c->pressures; k++) {
        const int i = k % c->nx, j = k / c->nx, row = c->velocities + k;
        take_value(take, taker, row, channel_u_at(c, t, y, i, j), 1 / c->h);
        take_value(take, taker, row, channel_u_at(c, t, y, i - 1, j), -1 / c->h);
        take_value(take, taker, row, channel_v_at(c, y, i, j), 1 / c->h);
        take_value(take, taker, row, channel_v_at(c, y, i, j - 1), -1 / c->h);
    }
}

static inline void take_into_matrix(void *taker, int row, int column, double value)
{
    keel_add(taker, row, column, value);
}

static inline int channel_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                   void *context)
{
    (void)z;
    channel_entries(context, t, y, take_into_matrix, J);
    return 0;
}

/* Places of entries, column after column as one number each. */
typedef struct place_list { long long *place; int count, rows; } place_list;

static inline void take_place(void *taker, int row, int column, double value)
{
    place_list *list = taker;
    (void)value;
    list->place[list->count++] = (long long)column * list->rows + row;
}

static inline int compare_places(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static inline void channel_pattern(channel *c)
{
    const size_t n = (size_t)c->size;
    place_list list = {malloc(16 * n * sizeof *list.place), 0, c->size};
    double *y = calloc(n, sizeof *y);
    channel_entries(c, 0, y, take_place, &list);
    qsort(list.place, (size_t)list.count, sizeof *list.place, compare_places);
    c->column_start = calloc(n + 1, sizeof *c->column_start);
    c->row_index = malloc((size_t)list.count * sizeof *c->row_index);
    int kept = 0;
    for (int k = 0; k < list.count; k++) {
        if (k > 0 && list.place[k] == list.place[k - 1]) continue;
        c->row_index[kept++] = (int)(list.place[k] % c->size);
        c->column_start[list.place[k] / c->size + 1] = kept;
    }
    free(y);
    free(list.place);
}

/* ---- the problem -------------------------------------------------------------------------- */

/* NX >= 2; channel_free afterwards. */
static inline channel channel_new(int nx)
{
    channel c = {.nx = nx, .velocities = 2 * nx * nx - nx, .pressures = nx * nx,
                 .size = 3 * nx * nx - nx, .h = 1.0 / nx, .viscosity = 0.01};
    channel_pattern(&c);
    return c;
}

static inline void channel_free(channel *c)
{
    free(c->column_start);
    free(c->row_index);
}

/* The channel is borrowed. */
static inline keel_hessenberg2_spec channel_spec(channel *c)
{
    return (keel_hessenberg2_spec){
        .differential = c->velocities, .multipliers = c->pressures, .rhs = channel_rhs,
        .constraint = channel_constraint, .constraint_time = channel_constraint_time,
        .jacobian = channel_jacobian,
        .pattern = {.storage = KEEL_SPARSE, .column_start = c->column_start,
                    .row_index = c->row_index},
        .context = c};
}

/* At t = 0: the inflow everywhere, which is free of divergence, or (`at_rest`) a fluid at rest,
 * which contradicts the inflow; pressures 0. */
static inline void channel_start(const channel *c, int at_rest, double *y)
{
    memset(y, 0, (size_t)c->size * sizeof *y);
    for (int j = 0; j < c->nx && !at_rest; j++)
        for (int i = 0; i < c->nx; i++) y[channel_u(c, i, j)] = channel_inflow(c, 0, j);
}

#endif
