/* petsc_channel_grid.h -- the equations of petsc_channel.c: Navier-Stokes on a staggered grid of NX^2 cells in
 * the unit square, strips of rows over the ranks of MPI.
 *
 *   w' = -(w.grad) w + nu Lap w - grad p + b,   0 = div w,   w = (u,v), nu = 0.01
 *
 * Left a pulsating inflow, right p = 0, below and above walls; the bundled problem `channel` is the same on one
 * rank.  A rank has the vector [u; v; p] of its rows; callbacks fetch the rows beside them.
 */
#ifndef KEEL_EXAMPLES_PETSC_CHANNEL_GRID_H
#define KEEL_EXAMPLES_PETSC_CHANNEL_GRID_H

#include <keel/petsc.h>

enum { U, V, P };
typedef struct grid {
    MPI_Comm comm;
    int nx, rank, ranks, from, to;          /* rows from <= j < to                                       */
    int velocities, pressures;              /* of this rank                                              */
    double h, t, *field[3];                 /* rows from - 1 .. to of u, v, p                            */
} grid;
typedef struct value { PetscInt column; double factor, value; } value;    /* column -1: it is known       */

static inline int first_row(const grid *g, int rank) { return (int)((long)g->nx * rank / g->ranks); }

/* The column of field k in cell (i,j): ranks one after the other, 3 NX for each row but the last. */
static inline PetscInt column(const grid *g, int k, int i, int j)
{
    const int rank = j < g->from ? g->rank - 1 : j >= g->to ? g->rank + 1 : g->rank;
    const int from = first_row(g, rank), rows = first_row(g, rank + 1) - from, last = rank == g->ranks - 1;
    const int skip = k == U ? 0 : k == V ? rows : 2 * rows - last;
    return 3 * (PetscInt)g->nx * from + (PetscInt)(skip + j - from) * g->nx + i;
}
static inline value known(double x) { return (value){-1, 0, x}; }
static inline value unknown(const grid *g, int k, int i, int j, double factor)
{
    return (value){column(g, k, i, j), factor, factor * g->field[k][(j - g->from + 1) * g->nx + i]};
}
/* u right of and v above cell (i,j), by reflection beyond the sides. */
static inline value u_at(const grid *g, int i, int j)
{
    const int row = j < 0 ? 0 : j == g->nx ? j - 1 : j;
    const double factor = row == j ? 1 : -1, y = (row + 0.5) * g->h;
    if (i < 0) return known(factor * 4 * y * (1 - y) * (1 + 0.5 * sin(4 * PETSC_PI * g->t)));
    return unknown(g, U, i == g->nx ? i - 1 : i, row, factor);
}
static inline value v_at(const grid *g, int i, int j)
{
    if (j < 0 || j >= g->nx - 1) return known(0);
    return i < 0 ? unknown(g, V, 0, j, -1) : unknown(g, V, i == g->nx ? i - 1 : i, j, 1);
}
static inline void add(Mat J, PetscInt row, value x, double by_x)
{
    if (x.column >= 0) MatSetValue(J, row, x.column, by_x * x.factor, ADD_VALUES);
}

/* The rate of the velocity k of cell (i,j), or its row of J. */
static inline double velocity(const grid *g, int k, int i, int j, Mat J)
{
    const double h = g->h, nu = 0.01 / (h * h), y = (j + 0.5) * h, x = (i + 0.5) * h;
    const int edge = k == U && i == g->nx - 1;
    value (*at)(const grid *, int, int) = k == U ? u_at : v_at, (*cross)(const grid *, int, int) = k == U ? v_at : u_at;
    const value here = at(g, i, j), side[4] = {at(g, i + 1, j), at(g, i - 1, j), at(g, i, j + 1), at(g, i, j - 1)};
    const value across[4] = {cross(g, i, j), k == U ? v_at(g, i + 1, j) : u_at(g, i - 1, j),
                             k == U ? v_at(g, i, j - 1) : u_at(g, i, j + 1),
                             k == U ? v_at(g, i + 1, j - 1) : u_at(g, i - 1, j + 1)};
    const value behind = unknown(g, P, i, j, 1);
    const value ahead = edge ? known(0) : k == U ? unknown(g, P, i + 1, j, 1) : unknown(g, P, i, j + 1, 1);
    const double mean = (across[0].value + across[1].value + across[2].value + across[3].value) / 4;
    const double carrier[2] = {k == U ? here.value : mean, k == U ? mean : here.value}, spacing = edge ? h / 2 : h;
    const double slope[2] = {(side[0].value - side[1].value) / (2 * h), (side[2].value - side[3].value) / (2 * h)};
    if (J) {
        const PetscInt row = here.column;
        add(J, row, here, -slope[k == V] - 4 * nu);
        for (int s = 0; s < 4; s++) {
            add(J, row, side[s], nu - (s % 2 ? -1 : 1) * carrier[s / 2] / (2 * h));
            add(J, row, across[s], -slope[k == U] / 4);
        }
        add(J, row, behind, 1 / spacing);
        add(J, row, ahead, -1 / spacing);
    }
    return -carrier[0] * slope[0] - carrier[1] * slope[1]
           + nu * (side[0].value + side[1].value + side[2].value + side[3].value - 4 * here.value)
           - (ahead.value - behind.value) / spacing + (k == U ? 0.5 * sin(PETSC_PI * y) : cos(PETSC_PI * x));
}
static inline double divergence(const grid *g, int i, int j, Mat J)
{
    const value part[4] = {u_at(g, i, j), u_at(g, i - 1, j), v_at(g, i, j), v_at(g, i, j - 1)};
    double sum = 0;
    for (int s = 0; s < 4; s++) {
        sum += (s % 2 ? -1 : 1) * part[s].value / g->h;
        if (J) add(J, column(g, P, i, j), part[s], (s % 2 ? -1 : 1) / g->h);
    }
    if (J) MatSetValue(J, column(g, P, i, j), column(g, P, i, j), 0, ADD_VALUES);
    return sum;
}

/* Own rows from (y,z), z may be NULL, and the rows beside them from the neighbours. */
static inline void load(grid *g, double t, const double *y, const double *z)
{
    const int nx = g->nx, rows = g->to - g->from, v_rows = rows - (g->to == nx);
    const int below = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL, above = g->rank < g->ranks - 1 ? g->rank + 1 : MPI_PROC_NULL;
    g->t = t;
    memcpy(g->field[U] + nx, y, (size_t)(nx * rows) * sizeof *y);
    memcpy(g->field[V] + nx, y + nx * rows, (size_t)(nx * v_rows) * sizeof *y);
    if (z) memcpy(g->field[P] + nx, z, (size_t)(nx * rows) * sizeof *z);
    for (int k = U; k <= P; k++) {
        double *f = g->field[k];
        MPI_Sendrecv(f + nx * rows, nx, MPI_DOUBLE, above, k, f, nx, MPI_DOUBLE, below, k, g->comm, MPI_STATUS_IGNORE);
        MPI_Sendrecv(f + nx, nx, MPI_DOUBLE, below, k, f + nx * (rows + 1), nx, MPI_DOUBLE, above, k, g->comm, MPI_STATUS_IGNORE);
    }
}
static inline int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    grid *g = context;
    load(g, t, y, z);
    for (int k = U; k <= V; k++)
        for (int j = g->from; j < g->to - (k == V && g->to == g->nx); j++)
            for (int i = 0; i < g->nx; i++) *f++ = velocity(g, k, i, j, NULL);
    return 0;
}
static inline int constraint(double t, const double *y, double *c, void *context)
{
    grid *g = context;
    load(g, t, y, NULL);
    for (int j = g->from; j < g->to; j++)
        for (int i = 0; i < g->nx; i++) *c++ = divergence(g, i, j, NULL);
    return 0;
}
static inline int constraint_time(double t, const double *y, double *c, void *context)
{
    const grid *g = context;
    (void)y;
    for (int j = g->from; j < g->to; j++)
        for (int i = 0; i < g->nx; i++) {
            const double x = (j + 0.5) * g->h, rate = 4 * x * (1 - x) * 2 * PETSC_PI * cos(4 * PETSC_PI * t);
            *c++ = i == 0 ? -rate / g->h : 0;
        }
    return 0;
}
static inline int jacobian(double t, Vec y, Vec yp, Mat J, void *context)
{
    grid *g = context;
    const PetscScalar *x;
    (void)yp;
    VecGetArrayRead(y, &x);
    load(g, t, x, x + g->velocities);
    MatZeroEntries(J);
    for (int j = g->from; j < g->to; j++)
        for (int i = 0; i < g->nx; i++) {
            velocity(g, U, i, j, J);
            if (j < g->nx - 1) velocity(g, V, i, j, J);
            divergence(g, i, j, J);
        }
    VecRestoreArrayRead(y, &x);
    return MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY) ? -1 : 0;
}

/* The part of this rank. */
static inline void grid_open(grid *g, MPI_Comm comm, int nx)
{
    *g = (grid){.comm = comm, .nx = nx, .h = 1.0 / nx};
    MPI_Comm_rank(comm, &g->rank);
    MPI_Comm_size(comm, &g->ranks);
    g->from = first_row(g, g->rank);
    g->to = first_row(g, g->rank + 1);
    g->velocities = nx * (2 * (g->to - g->from) - (g->to == nx));
    g->pressures = nx * (g->to - g->from);
    for (int k = U; k <= P; k++) g->field[k] = calloc((size_t)(nx * (g->to - g->from + 2)), sizeof(double));
}
static inline void grid_close(grid *g)
{
    for (int k = U; k <= P; k++) free(g->field[k]);
}

/* "field i j value" of the unknowns y into NAME.RANK. */
static inline void write_fields(const grid *g, const double *y, const char *name)
{
    char path[PETSC_MAX_PATH_LEN + 16];
    const char *const field = "uvp";
    snprintf(path, sizeof path, "%s.%d", name, g->rank);
    FILE *file = fopen(path, "w");
    for (int k = U; file && k <= P; k++)
        for (int j = g->from; j < g->to - (k == V && g->to == g->nx); j++)
            for (int i = 0; i < g->nx; i++) fprintf(file, "%c %d %d %.17g\n", field[k], i, j, *y++);
    if (file) fclose(file);
}

#endif
