/* channel.c -- a flow through a square, incompressible, on a staggered grid: Hessenberg index 2.
 *
 *   w' = -(w.grad) w + nu Lap w - grad p + b(x),   0 = div w,   w = (u,v) on [0,1]^2
 *
 * Pressures in the centres of NX x NX cells of size h, u on their vertical and v on their
 * horizontal sides [Harlow & Welch, Phys. Fluids 8 (1965)].  Left: u = inflow(t,y), pulsating, and
 * v = 0; right: p = 0 and no change across; below and above: walls, w = 0.  Central differences; values
 * beyond a side by reflection.
 *
 *   y = (u, v): u(i,j) right of cell (i,j), NX^2; v(i,j) above cell (i,j), j < NX - 1
 *   z = p: NX^2 of them                             n = 3 NX^2 - NX unknowns in all
 *   0 = (u(i,j) - u(i-1,j) + v(i,j) - v(i,j-1)) / h, where u(-1,j) is the inflow at t
 *
 * Since g is linear, g_y is constant and is in the Jacobian; `constraint_jacobian` is not given: it
 * would be an array of NX^2 (2 NX^2 - NX) numbers.
 */
#include "problems/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/list.h"

static const double pi = 3.14159265358979323846, pulsation = 4 * 3.14159265358979323846;

/* ---- the grid ----------------------------------------------------------------------------- */

/* A value on the grid: factor * unknown number `index`, or a known value. */
typedef struct grid_value { int index; double factor, value; } grid_value;

channel channel_of(const double *parameters)
{
    const int nx = (int)parameters[0];
    return (channel){.nx = nx, .velocities = 2 * nx * nx - nx, .pressures = nx * nx,
                     .size = 3 * nx * nx - nx, .h = 1.0 / nx, .viscosity = parameters[1]};
}

double channel_inflow(const channel *c, double t, int j)
{
    const double y = (j + 0.5) * c->h;
    return 4 * y * (1 - y) * (1 + 0.5 * sin(pulsation * t));
}

static double channel_inflow_rate(const channel *c, double t, int j)
{
    const double y = (j + 0.5) * c->h;
    return 4 * y * (1 - y) * 0.5 * pulsation * cos(pulsation * t);
}

int channel_u(const channel *c, int i, int j)
{
    return j * c->nx + i;
}

int channel_v(const channel *c, int i, int j)
{
    return c->nx * c->nx + j * c->nx + i;
}

/* u right of cell (i,j), for i = -1..NX and j = -1..NX. */
static grid_value channel_u_at(const channel *c, double t, const double *y, int i, int j)
{
    const int row = j < 0 ? 0 : j == c->nx ? j - 1 : j, column = i == c->nx ? i - 1 : i;
    const double factor = row == j ? 1 : -1;
    if (i < 0) return (grid_value){-1, 0, factor * channel_inflow(c, t, row)};
    const int index = channel_u(c, column, row);
    return (grid_value){index, factor, factor * y[index]};
}

/* v above cell (i,j), for i = -1..NX and j = -1..NX-1. */
static grid_value channel_v_at(const channel *c, const double *y, int i, int j)
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
    double spacing;                         /* between the pressures                          */
    int along_x;
} stencil;

static stencil channel_u_stencil(const channel *c, double t, const double *y, int i, int j)
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
        .along_x = 1};
}

static stencil channel_v_stencil(const channel *c, double t, const double *y, int i, int j)
{
    return (stencil){
        .here = channel_v_at(c, y, i, j),
        .side = {channel_v_at(c, y, i + 1, j), channel_v_at(c, y, i - 1, j),
                 channel_v_at(c, y, i, j + 1), channel_v_at(c, y, i, j - 1)},
        .across = {channel_u_at(c, t, y, i, j), channel_u_at(c, t, y, i - 1, j),
                   channel_u_at(c, t, y, i, j + 1), channel_u_at(c, t, y, i - 1, j + 1)},
        .ahead = (j + 1) * c->nx + i, .behind = j * c->nx + i, .spacing = c->h,
        .along_x = 0};
}

/* Velocity number k, in the order of y. */
static stencil channel_stencil(const channel *c, double t, const double *y, int k)
{
    const int u = c->nx * c->nx;
    return k < u ? channel_u_stencil(c, t, y, k % c->nx, k / c->nx)
                 : channel_v_stencil(c, t, y, (k - u) % c->nx, (k - u) / c->nx);
}

/* ---- right-hand side, constraint ---------------------------------------------------------- */

/* The velocity that carries in x and in y: the one itself and the mean of those across. */
static void stencil_carriers(const stencil *s, double carrier[2])
{
    const double mean = (s->across[0].value + s->across[1].value + s->across[2].value
                         + s->across[3].value) / 4;
    carrier[0] = s->along_x ? s->here.value : mean;
    carrier[1] = s->along_x ? mean : s->here.value;
}

/* Unknowns around a velocity away from the sides: the numbers of its neighbours and those across. */
typedef struct inner { int side[4], across[4], ahead, behind; } inner;

/* Velocity u (`along_x`) or v of cell (i,j); 0: it is at a side. */
static int is_inner(const channel *c, int along_x, int i, int j, inner *k)
{
    const int nx = c->nx;
    if (i < 1 || j < 1 || i > nx - 2 || j > nx - (along_x ? 2 : 3)) return 0;
    const int here = along_x ? channel_u(c, i, j) : channel_v(c, i, j), cell = j * nx + i;
    const int first = along_x ? channel_v(c, i, j) : channel_u(c, i, j);
    const int step = along_x ? 1 : -1, row = along_x ? -nx : nx;
    *k = (inner){.side = {here + 1, here - 1, here + nx, here - nx},
                 .across = {first, first + step, first + row, first + row + step},
                 .ahead = along_x ? cell + 1 : cell + nx, .behind = cell};
    return 1;
}

/* b in the middle of a line of cells. */
static double body_force(const channel *c, int along_x, int line)
{
    const double middle = pi * (line + 0.5) * c->h;
    return along_x ? 0.5 * sin(middle) : cos(middle);
}

/* The rate of a velocity at a side, without b. */
static double side_rate(const channel *c, double t, const double *y, const double *z, int k)
{
    const double h = c->h, diffusion = c->viscosity / (h * h);
    const stencil s = channel_stencil(c, t, y, k);
    const double east = s.side[0].value, west = s.side[1].value;
    const double north = s.side[2].value, south = s.side[3].value;
    double carrier[2];
    stencil_carriers(&s, carrier);
    return -(carrier[0] * (east - west) + carrier[1] * (north - south)) / (2 * h)
           + diffusion * (east + west + north + south - 4 * s.here.value)
           - ((s.ahead < 0 ? 0 : z[s.ahead]) - z[s.behind]) / s.spacing;
}

static double inner_rate(const channel *c, const double *y, const double *z, int number, int along_x,
                         const inner *k)
{
    const double h = c->h, diffusion = c->viscosity / (h * h), here = y[number];
    const double east = y[k->side[0]], west = y[k->side[1]];
    const double north = y[k->side[2]], south = y[k->side[3]];
    const double mean = (y[k->across[0]] + y[k->across[1]] + y[k->across[2]] + y[k->across[3]]) / 4;
    const double x = along_x ? here : mean, up = along_x ? mean : here;
    return -(x * (east - west) + up * (north - south)) / (2 * h)
           + diffusion * (east + west + north + south - 4 * here) - (z[k->ahead] - z[k->behind]) / h;
}

/* Lines along the velocity, on which b is constant. */
int channel_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    const channel c = channel_of(context);
    for (int along_x = 1; along_x >= 0; along_x--)
        for (int line = 0; line < c.nx; line++) {
            const double force = body_force(&c, along_x, line);
            for (int at = 0; at < c.nx - !along_x; at++) {
                const int i = along_x ? at : line, j = along_x ? line : at;
                const int k = along_x ? channel_u(&c, i, j) : channel_v(&c, i, j);
                inner around;
                f[k] = is_inner(&c, along_x, i, j, &around)
                       ? inner_rate(&c, y, z, k, along_x, &around) + force
                       : side_rate(&c, t, y, z, k) + force;
            }
        }
    return 0;
}

int channel_constraint(double t, const double *y, double *g, void *context)
{
    const channel grid = channel_of(context), *c = &grid;
    for (int j = 0; j < c->nx; j++)
        for (int i = 0; i < c->nx; i++)
            g[j * c->nx + i] = (channel_u_at(c, t, y, i, j).value
                                - channel_u_at(c, t, y, i - 1, j).value
                                + channel_v_at(c, y, i, j).value
                                - channel_v_at(c, y, i, j - 1).value) / c->h;
    return 0;
}

int channel_constraint_time(double t, const double *y, double *g_t, void *context)
{
    const channel grid = channel_of(context), *c = &grid;
    (void)y;
    for (int k = 0; k < c->pressures; k++)
        g_t[k] = k % c->nx == 0 ? -channel_inflow_rate(c, t, k / c->nx) / c->h : 0;
    return 0;
}

/* ---- Jacobian and its pattern ------------------------------------------------------------- */

/* Takes the entries of the Jacobian one by one; several may fall on one place. */
typedef void (*entry_taker)(void *taker, int row, int column, double value);

static void take_value(entry_taker take, void *taker, int row, grid_value x, double by_x)
{
    if (x.index >= 0) take(taker, row, x.index, by_x * x.factor);
}

static void side_entries(const channel *c, int row, const stencil *s, entry_taker take, void *taker)
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

/* The same of a velocity away from the sides. */
static void inner_entries(const channel *c, const double *y, int row, int along_x, const inner *k,
                          entry_taker take, void *taker)
{
    const double h = c->h, diffusion = c->viscosity / (h * h), here = y[row];
    const double slope[2] = {(y[k->side[0]] - y[k->side[1]]) / (2 * h), (y[k->side[2]] - y[k->side[3]]) / (2 * h)};
    const double mean = (y[k->across[0]] + y[k->across[1]] + y[k->across[2]] + y[k->across[3]]) / 4;
    const double part[2] = {(along_x ? here : mean) / (2 * h), (along_x ? mean : here) / (2 * h)};
    take(taker, row, row, -slope[!along_x] - 4 * diffusion);
    for (int i = 0; i < 4; i++) {
        take(taker, row, k->side[i], diffusion + (i % 2 ? part[i / 2] : -part[i / 2]));
        take(taker, row, k->across[i], -slope[along_x] / 4);
    }
    take(taker, row, c->velocities + k->behind, 1 / h);
    take(taker, row, c->velocities + k->ahead, -1 / h);
}

static void channel_entries(const channel *c, double t, const double *y, entry_taker take, void *taker)
{
    for (int k = 0; k < c->velocities; k++) {
        const int along_x = k < c->nx * c->nx, cell = along_x ? k : k - c->nx * c->nx;
        inner around;
        if (is_inner(c, along_x, cell % c->nx, cell / c->nx, &around)) {
            inner_entries(c, y, k, along_x, &around, take, taker);
        } else {
            const stencil s = channel_stencil(c, t, y, k);
            side_entries(c, k, &s, take, taker);
        }
    }
    for (int k = 0; k < c->pressures; k++) {
        const int i = k % c->nx, j = k / c->nx, row = c->velocities + k;
        take(taker, row, channel_u(c, i, j), 1 / c->h);
        if (i > 0) take(taker, row, channel_u(c, i - 1, j), -1 / c->h);
        if (j < c->nx - 1) take(taker, row, channel_v(c, i, j), 1 / c->h);
        if (j > 0) take(taker, row, channel_v(c, i, j - 1), -1 / c->h);
    }
}

static void take_into_matrix(void *taker, int row, int column, double value)
{
    keel_add(taker, row, column, value);
}

int channel_jacobian(double t, const double *y, const double *z, keel_matrix *J,
                                   void *context)
{
    const channel c = channel_of(context);
    (void)z;
    channel_entries(&c, t, y, take_into_matrix, J);
    return 0;
}

/* Rows of the entries of each column; several may fall on one place. */
typedef struct row_lists { int *row, *count; } row_lists;

enum { ROWS_MOST = 16 };                        /* of a column, repeated ones included */

static void take_place(void *taker, int row, int column, double value)
{
    const row_lists *lists = taker;
    int *rows = lists->row + (size_t)ROWS_MOST * (size_t)column, *count = &lists->count[column], k;
    (void)value;
    for (k = *count; k > 0 && rows[k - 1] > row; k--) {}
    if (k > 0 && rows[k - 1] == row) return;
    memmove(rows + k + 1, rows + k, (size_t)(*count - k) * sizeof *rows);
    rows[k] = row;
    ++*count;
}

int *channel_pattern(const double *parameters, keel_pattern *pattern)
{
    const channel c = channel_of(parameters);
    const size_t n = (size_t)c.size;
    row_lists lists = {malloc(ROWS_MOST * n * sizeof *lists.row), calloc(n, sizeof *lists.count)};
    double *y = calloc(n, sizeof *y);
    int *start = malloc((n + 1 + ROWS_MOST * n) * sizeof *start), *row = start + n + 1, count = 0;
    if (lists.row && lists.count && y && start) {
        channel_entries(&c, 0, y, take_place, &lists);
        for (size_t j = 0; j < n; j++) {
            start[j] = count;
            memcpy(row + count, lists.row + ROWS_MOST * j, (size_t)lists.count[j] * sizeof *row);
            count += lists.count[j];
        }
        start[n] = count;
        *pattern = (keel_pattern){KEEL_SPARSE, 0, 0, start, row};
    } else {
        free(start);
        start = NULL;
    }
    free(lists.row);
    free(lists.count);
    free(y);
    return start;
}

/* ---- the problem -------------------------------------------------------------------------- */

keel_hessenberg2_spec channel_spec(const double *parameters)
{
    const channel c = channel_of(parameters);
    return (keel_hessenberg2_spec){
        .differential = c.velocities, .multipliers = c.pressures, .rhs = channel_rhs,
        .constraint = channel_constraint, .constraint_time = channel_constraint_time,
        .jacobian = channel_jacobian, .context = (void *)parameters};
}

static int create(keel_problem **problem, const double *parameters)
{
    keel_hessenberg2_spec spec = channel_spec(parameters);
    int *pattern = channel_pattern(parameters, &spec.pattern);
    *problem = NULL;
    if (!pattern) return KEEL_NO_MEMORY;
    const int status = keel_hessenberg2(problem, &spec);
    free(pattern);
    return status;
}

void channel_start(const double *parameters, int at_rest, double *y)
{
    const channel c = channel_of(parameters);
    memset(y, 0, (size_t)c.size * sizeof *y);
    for (int j = 0; j < c.nx && !at_rest; j++)
        for (int i = 0; i < c.nx; i++) y[channel_u(&c, i, j)] = channel_inflow(&c, 0, j);
}

static void start(const double *parameters, double *y)
{
    channel_start(parameters, 0, y);
}

/* The pressures eliminated by their Poisson equation, the rest by DOP853 at 3e-14 and 1e-11; written
 * down apart, in NumPy. */
static const double at_half[102] = {
    0.217882585495887, 0.0928602018526541, 0.0375190519660266, 0.0742072735341308, 0.207490509606462,
    0.497724382440544, 0.733580980285108, 0.679986431113969, 0.65038754525957, 0.676279028782121,
    0.751188517498546, 0.838076987793627, 0.987078153828285, 1.0165891581112, 1.02084221513827,
    1.02381143508604, 1.03724080550245, 1.0473857386833, 0.99213623064961, 1.04762788683445,
    1.06890517491419, 1.06081829738929, 1.03435340393292, 0.997256832569497, 0.777345159849718,
    0.820709636392292, 0.845553386988655, 0.82599854438964, 0.754916969709835, 0.638740035035022,
    0.347532445446943, 0.397782241250992, 0.432348181288838, 0.394440976374332, 0.270365349305337,
    0.036371579033558, 0.0876729700596693, 0.125022383643233, 0.0553411498866273, -0.0366882215681038,
    -0.133283236072332, -0.290233872834081, 0.104091989774558, 0.178616932814376, 0.0849400357410253,
    -0.0625797050906556, -0.208192724788756, -0.377122343129163, 0.089236058168496, 0.149105928531465,
    0.080686978713941, -0.0655489250384203, -0.221622095205168, -0.387267276310012, 0.0693220497411023,
    0.0936142723466295, 0.0594096906342105, -0.0574620475135232, -0.195157201748798, -0.350170704946593,
    0.0419768898913884, 0.0502497958040506, 0.0345659400378454, -0.03790720491451, -0.124075627068991,
    -0.23399377027178, 3.2552950342831, 2.70707032499035, 2.11350707034211, 1.54010298145551,
    0.972863348463421, 0.370651418562557, 3.5960499451643, 2.87414119666851, 2.17809827924622,
    1.53005857067365, 0.91146079011979, 0.304682004628606, 3.83116032491688, 3.02455297076232,
    2.28710772341547, 1.6025004807854, 0.95154260862193, 0.31650914267458, 3.89137845166418,
    3.10933361456989, 2.38949219955492, 1.70064973891979, 1.02794003407331, 0.351941126128682,
    3.80406426542616, 3.12643406535833, 2.44535965456939, 1.75816320958392, 1.07022199680333,
    0.371260497541475, 3.69672856348792, 3.1406203353734, 2.46940162837211, 1.750543634138,
    1.02816621359715, 0.324601053027971,
};

const keel_target problem_channel = {
    .name = "channel",
    .title = "Incompressible flow through a square with a pulsating inflow",
    .source = "ours: Navier-Stokes on the staggered grid of F. H. Harlow & J. E. Welch, Phys. Fluids 8 "
              "(1965)",
    .remark = "  keel run channel --param side=64 --method radau-iia --rtol 1e-5    12224 unknowns, sparse\n"
              "  keel run channel --param side=128 --method bdf --rtol 1e-5         49024\n",
    .index = 2, .size = 102,
    .t_start = 0, .t_end = 0.5,
    .parameter_count = 2,
    .parameters = (const keel_parameter[]){
        {"side", 6, "cells along a side"},
        {"viscosity", 0.01, "nu"}},
    .bounds = (const double[][2]){{2, 2048}, {0, 1e6}},
    .create = create, .start = start,
    .reference_count = 1,
    .references = (const keel_reference[]){
        {0.5, at_half, 11, "pressures eliminated, DOP853 of SciPy at 3e-14 and 1e-11"},
    },
};
