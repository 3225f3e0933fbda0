/* mesh_store.c -- the numbers of one mesh: those of the solution in one block, those that it takes to
 * find it in another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/sparse.h"

/* What cannot be left out may take so many bytes, or as many as are allowed for: more is a mistake, or a
 * problem for another method. */
static const double bytes_most = 4e9;
static const double bytes_standard = 2.9e9;      /* of all, unless the user says otherwise  */

static size_t times(int a, size_t b) { return (size_t)a * b; }

static void unknowns_layout(arena *a, const keel_boundary *w, const mesh *s, unknowns *u)
{
    size_t nx = (size_t)w->flow.nx, m = (size_t)w->flow.m, stages = times(s->N, (size_t)s->table.k);
    size_t np = (size_t)w->flow.np, points = (size_t)mesh_points(w);
    size_t push = w->pushed ? times(s->N + 1, (size_t)w->flow.hidden) : 0;
    size_t count = times(s->N + 1, nx) + stages * (nx + m) + points * m + push + np;
    double *all = ARENA(a, double, count);
    double *condition = ARENA(a, double, w->rows + w->spec.inner);
    if (!a->base) return;
    memset(all, 0, count * sizeof *all);         /* some are never set */
    u->x = all;
    u->K = u->x + times(s->N + 1, nx);
    u->z = u->K + stages * nx;
    u->end = u->z + stages * m;
    u->push = u->end + points * m;
    u->p = u->push + push;
    u->condition = condition;
}

void local_layout(arena *a, const keel_boundary *w, local *l)
{
    size_t nx = (size_t)w->flow.nx, m = (size_t)w->flow.m, np = (size_t)w->flow.np;
    if (w->sparse) {
        local some = {.J = ARENA(a, double, sparse_flow_nonzeros(w)),
                      .J_p = ARENA(a, double, (nx + m) * np)};
        if (a->base) *l = some;
        return;
    }
    local of = {.h_z = ARENA(a, double, m * m), .f_z = ARENA(a, double, nx * m),
                .C = ARENA(a, double, m * nx), .C_p = ARENA(a, double, m * np),
                .A = ARENA(a, double, nx * nx), .A_p = ARENA(a, double, nx * np),
                .pivot = ARENA(a, int, m)};
    if (a->base) *l = of;
}

/* Right-hand sides of the condensed system alone. */
static void spare_layout(arena *a, const keel_boundary *w, const mesh *s, unknowns *u)
{
    if (w->direct) {
        unknowns_layout(a, w, s, u);
        return;
    }
    u->x = ARENA(a, double, times(s->N + 1, (size_t)w->flow.nx));
    u->end = ARENA(a, double, times(mesh_points(w), (size_t)w->flow.m));
    u->condition = ARENA(a, double, w->rows + w->spec.inner);
    if (a->base) memset(u->x, 0, times(w->flow.nx, sizeof *u->x));       /* never set */
}

/* Places for the matrices of so many intervals. */
static void local_matrices(arena *a, const keel_boundary *w, mesh *s, int places)
{
    size_t nx = (size_t)w->flow.nx, np = (size_t)w->flow.np;
    size_t stages = times(s->table.k, w->direct ? (size_t)w->flow.n : nx);
    int all = places * s->table.k;
    s->stage = ARENA(a, local, all);
    for (int i = 0; i < all; i++) local_layout(a, w, a->base ? &s->stage[i] : NULL);
    if (w->sparse) return;
    s->T = ARENA(a, double, times(places, w->direct ? stages * stages
                                                    : interval_matrix_entries((int)stages)));
    s->V = ARENA(a, double, times(places, stages * nx));
    s->W = ARENA(a, double, times(places, stages * np));
    s->T_pivot = ARENA(a, int, times(places, stages + 1));
}

static void condensed_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t nx = (size_t)w->flow.nx, np = (size_t)w->flow.np;
    local_matrices(a, w, s, s->kept < s->N ? s->kept + 1 : s->N);
    if (s->single) mean_layout(a, w, s);
    else if (s->kept < s->N) unknowns_layout(a, w, s, &s->base);
    s->F = ARENA(a, double, times(s->N, nx * nx));
    s->P = ARENA(a, double, times(s->N, nx * np));
}

/* Rows of the conditions at mesh point j. */
static int inner_rows(const keel_boundary *w, const mesh *s, int j)
{
    int rows = 0;
    for (int i = 0; i < w->spec.inner; i++) rows += s->point[2 + i].at == j;
    return rows;
}

static void rows_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t nx = (size_t)w->flow.nx, np = (size_t)w->flow.np, width = 3 * nx + np;
    size_t carried = nx + (size_t)w->spec.inner, size = 2 * nx + np;
    size_t all = 2 * (size_t)w->flow.n + np;
    s->b_y = ARENA(a, double, (size_t)(w->rows + w->spec.inner) * all);
    s->dense_scale = ARENA(a, double, size + (size_t)w->spec.inner);
    s->rows = ARENA(a, int, s->N);
    s->row = ARENA(a, double *, s->N);
    s->row_pivot = ARENA(a, int, times(s->N, nx));
    s->right = ARENA(a, double, times(s->N, carried + nx));
    s->row_single = ARENA(a, float *, s->single ? s->N : 0);
    for (int j = 1; j < s->N; j++) {
        size_t count = nx * width + carried * nx;
        float *single = ARENA(a, float, s->single ? count : 0);
        double *rows = s->single && j > 1 ? NULL : ARENA(a, double, count);
        if (!a->base) continue;
        if (s->single) s->row_single[j] = single;
        s->row[j] = s->single && j > 1 ? s->row[1] : rows;
    }
    for (int j = 0; j < 2; j++) s->stack[j] = ARENA(a, double, (carried + nx) * width);
    s->dense = ARENA(a, double, size * size);
    s->dense_pivot = ARENA(a, int, size);
}

static void direct_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t nx = (size_t)w->flow.nx, np = (size_t)w->flow.np, hidden = (size_t)w->flow.hidden;
    size_t rows = (size_t)w->flow.m * (nx + (size_t)w->flow.m + np);
    int points = w->pushed ? s->N + 1 : 0;
    s->G = ARENA(a, double, w->direct ? times(s->N * s->table.k, rows) : 0);
    s->G_push = ARENA(a, double, times(points, hidden * (nx + np)));
    s->push = ARENA(a, double, times(points, nx * hidden));
}

/* What it takes to find a solution. */
static void work_layout(arena *a, const keel_boundary *w, mesh *s)
{
    int points = mesh_points(w);
    size_t nx = (size_t)w->flow.nx, m = (size_t)w->flow.m, np = (size_t)w->flow.np;
    unknowns *all[] = {&s->u, &s->step, &s->trial, &s->next, &s->residual};
    for (int i = 0; i < 5; i++) unknowns_layout(a, w, s, all[i]);
    spare_layout(a, w, s, &s->spare);
    s->point = ARENA(a, point, points);
    s->point_f = ARENA(a, double, times(points, (size_t)w->flow.nx));
    for (int i = 0; i < points; i++) {
        local_layout(a, w, a->base ? &s->point[i].local : NULL);
        double *C = ARENA(a, double, w->sparse ? m * (nx + np) : 0);
        if (a->base && w->sparse) s->point[i].local.C = C, s->point[i].local.C_p = C + m * nx;
    }
    condensed_layout(a, w, s);
    direct_layout(a, w, s);
    rows_layout(a, w, s);
    s->edge_y = ARENA(a, double, times(2 * s->N, (size_t)w->flow.n));
    s->edge_f = ARENA(a, double, times(2 * s->N, (size_t)w->flow.nx));
}

/* The solution. */
static void layout(arena *a, const keel_boundary *w, mesh *s)
{
    s->t = ARENA(a, double, s->N + 1);
    s->value = ARENA(a, double, times(s->N, (size_t)s->table.nodes * (size_t)w->flow.n));
    s->estimate = ARENA(a, double, s->N);
    s->rough = ARENA(a, double, s->N);
    s->source = ARENA(a, double, s->N);
    s->stiff = ARENA(a, char, s->N);
    s->plain = ARENA(a, char, s->N);
    s->p = ARENA(a, double, w->flow.np);
}

void mesh_shed(mesh *s)
{
    if (!s) return;
    arena_block_free(s->work);
    stages_free(s->stages);
    s->work = NULL;
    s->stages = NULL;
}

void mesh_free(mesh *s)
{
    if (!s) return;
    mesh_shed(s);
    arena_block_free(s->block);
    free(s);
}

/* ---- how much of it there is --------------------------------------------------------------- */

/* As doubles, which do not overflow: bytes beside the local matrices, of which each interval has `local`,
 * and with means instead of these. */
typedef struct need { double others, local, single; } need;

static need bytes_of(const keel_boundary *w, const mesh *s)
{
    double nx = w->flow.nx, m = w->flow.m, np = w->flow.np, n = nx + m, k = s->table.k;
    double stages = k * (w->direct ? n : nx), carried = nx + w->spec.inner;
    double vector = nx + k * n + (w->pushed ? w->flow.hidden : 0), F = nx * (nx + np);
    double rows = nx * (3 * nx + np) + carried * nx, right = 2 * nx + carried;
    double values = s->table.nodes * n + 2 * (n + nx) + 4;
    if (w->sparse) {
        double each = 8 * k * (3 * (double)sparse_flow_nonzeros(w) + 4 * k * nx + n * np);
        return (need){s->N * (8 * (7 * vector + values + rows + right + F) + each), each, INFINITY};
    }
    double pushes = w->direct ? k * m * (n + np) + w->flow.hidden * (2 * nx + np) : 0;
    double others = 8.0 * s->N * (7 * vector + rows + right + F + values + pushes);
    double each = 8 * (stages * (stages + nx + np) + k * (m + nx) * (m + nx + np)) + 4 * stages;
    double means = 8 * (5 * vector + right + F + values) + 4 * (rows + (double)mean_entries(w) + n);
    return (need){others, each, w->direct || w->following || w->whole ? INFINITY : s->N * means};
}

/* Many large matrices that do not fit into a cache are slower to read than means are [measured: 20 + 20
 * unknowns, 1000 intervals: 750 us each with them, 650 with means].  In few intervals Jacobians change
 * more. */
static int is_slow(const keel_boundary *w, const mesh *s, double bytes)
{
    return w->flow.nx >= 10 && s->N >= 500 && bytes > 3e7;
}

/* How many intervals may keep their local matrices, and whether others have means; -1: there are too many
 * intervals. */
static int keep_most(const keel_boundary *w, mesh *s, double *bytes)
{
    double limit = w->options.memory > 0 ? w->options.memory : bytes_standard;
    need all = bytes_of(w, s);
    double room = fmax(limit - all.others, 0) / all.local;
    s->single = 0;
    *bytes = all.others + (w->direct ? s->N * all.local : 0);    /* there all are needed */
    if (*bytes > fmax(bytes_most, limit)) return -1;
    if (w->direct || w->sparse) return s->N;
    s->single = all.single <= limit && (room < s->N || is_slow(w, s, s->N * all.local));
    return s->single ? 0 : room < s->N ? (int)room : s->N;
}

static int no_room(keel_boundary *w, const mesh *s, double bytes)
{
    return fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh of %d intervals, which takes %.3g "
                "GB: ask for less accuracy, or begin with a better guess, or allow for more (memory)",
                s->N, 1e-9 * bytes);
}

int mesh_create_values(keel_boundary *w, mesh **out, int N, const table *a)
{
    arena measure = {0};
    mesh *s = *out = calloc(1, sizeof *s);
    if (!s) return fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh of %d intervals", N);
    s->N = N;
    s->table = *a;
    s->window = -1;
    double bytes;
    s->kept = keep_most(w, s, &bytes);
    if (s->kept >= 0) {
        layout(&measure, w, s);
        s->block = arena_block(measure.used);
    }
    if (s->block) {
        layout(&(arena){.base = s->block}, w, s);
        return KEEL_OK;
    }
    no_room(w, s, bytes);
    mesh_free(s);
    *out = NULL;
    return KEEL_NO_MEMORY;
}

/* All but the solution; s->kept and s->single say how much. */
static int work_create(keel_boundary *w, mesh *s)
{
    arena measure = {0};
    work_layout(&measure, w, s);
    s->work = arena_block_unset(measure.used);
    s->bytes = measure.used;
    if (!s->work) return no_room(w, s, (double)measure.used);
    work_layout(&(arena){.base = s->work}, w, s);
    s->count = (size_t)(s->u.p - s->u.x) + (size_t)w->flow.np;
    s->window = -1;
    s->mean.loaded = 0;
    if (!s->single || !mean_begin(s)) return KEEL_OK;
    return fail(&w->message, KEEL_SINGULAR, "these points have no Schur form: they may be too close");
}

int mesh_create(keel_boundary *w, mesh **out, int N, const table *a)
{
    int rc = mesh_create_values(w, out, N, a);
    if (!rc) rc = work_create(w, *out);
    if (!rc) return KEEL_OK;
    mesh_free(*out);
    *out = NULL;
    return rc;
}

int mesh_thaw(keel_boundary *w, mesh *s)
{
    double *u = malloc(s->count * sizeof *u), bytes;
    if (!u) return BOUNDARY_NO_MEMORY;
    memcpy(u, s->u.x, s->count * sizeof *u);
    mesh_shed(s);
    s->kept = keep_most(w, s, &bytes);
    int rc = work_create(w, s) ? BOUNDARY_NO_MEMORY : 0;
    if (!rc) memcpy(s->u.x, u, s->count * sizeof *u);
    if (!rc) mesh_bind(w, s);
    free(u);
    return rc;
}

/* Which mesh points conditions refer to, and how many rows are stacked at each. */
void mesh_bind(keel_boundary *w, mesh *s)
{
    int carried = w->flow.nx;
    s->point[0].at = 0;
    s->point[1].at = s->N;
    for (int i = 0; i < w->spec.inner; i++) {
        int j = 0;
        double t = w->from + (w->inner_at[i] - w->spec.from) * (w->to - w->from) /
                                 (w->spec.to - w->spec.from);
        while (j < s->N && (s->t[j + 1] - t) * (w->to - w->from) <= 0) j++;
        if (j < s->N && s->t[j + 1] - t < t - s->t[j]) j++;
        s->point[2 + i].at = j;
    }
    for (int j = 1; j < s->N; j++) {
        carried += inner_rows(w, s, j);
        s->rows[j] = carried + w->flow.nx;
    }
}
