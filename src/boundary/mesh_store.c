/* mesh_store.c -- the numbers of one mesh, in one block. */
#include <stdlib.h>
#include <string.h>

#include "boundary/boundary.h"

/* A mesh may take so many bytes: more is a mistake, or a problem for another method. */
static const double bytes_most = 4e9;

static size_t times(int a, size_t b) { return (size_t)a * b; }

static void unknowns_layout(arena *a, const keel_boundary *w, const mesh *s, unknowns *u)
{
    size_t nx = (size_t)w->flow.nx, m = (size_t)w->flow.m, stages = times(s->N, (size_t)s->table.k);
    size_t np = (size_t)w->flow.np, points = (size_t)mesh_points(w);
    size_t push = w->pushed ? times(s->N + 1, m) : 0;
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
    local of = {.h_z = ARENA(a, double, m * m), .f_z = ARENA(a, double, nx * m),
                .C = ARENA(a, double, m * nx), .C_p = ARENA(a, double, m * np),
                .A = ARENA(a, double, nx * nx), .A_p = ARENA(a, double, nx * np),
                .pivot = ARENA(a, int, m)};
    if (a->base) *l = of;
}

static void condensed_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t nx = (size_t)w->flow.nx, np = (size_t)w->flow.np;
    size_t stages = times(s->table.k, w->direct ? (size_t)w->flow.n : nx);
    s->T = ARENA(a, double, times(s->N, stages * stages));
    s->V = ARENA(a, double, times(s->N, stages * nx));
    s->W = ARENA(a, double, times(s->N, stages * np));
    s->F = ARENA(a, double, times(s->N, nx * nx));
    s->P = ARENA(a, double, times(s->N, nx * np));
    s->T_pivot = ARENA(a, int, times(s->N, stages));
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
    s->row = ARENA(a, double *, s->N);
    s->rows = ARENA(a, int, s->N);
    s->row_pivot = ARENA(a, int, times(s->N, nx));
    s->right = ARENA(a, double, times(s->N, carried + nx));
    for (int j = 1; j < s->N; j++) {
        double *rows = ARENA(a, double, (carried + nx) * width);
        if (a->base) s->row[j] = rows;
    }
    s->dense = ARENA(a, double, size * size);
    s->dense_pivot = ARENA(a, int, size);
    s->dense_scale = ARENA(a, double, size + (size_t)w->spec.inner);
    size_t all = 2 * (size_t)w->flow.n + np;
    s->b_y = ARENA(a, double, (size_t)(w->rows + w->spec.inner) * all);
}

static void direct_layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t rows = (size_t)w->flow.m * (size_t)(w->flow.nx + w->flow.np);
    int points = w->pushed ? s->N + 1 : 0;
    s->G = ARENA(a, double, w->direct ? times(s->N * s->table.k, rows) : 0);
    s->G_push = ARENA(a, double, times(points, rows));
    s->push = ARENA(a, local, points);
    for (int i = 0; i < points; i++) local_layout(a, w, a->base ? &s->push[i] : NULL);
}

static void layout(arena *a, const keel_boundary *w, mesh *s)
{
    size_t n = (size_t)w->flow.n;
    int stages = s->N * s->table.k, points = mesh_points(w);
    unknowns *all[] = {&s->u, &s->step, &s->trial, &s->next, &s->residual, &s->spare};
    s->t = ARENA(a, double, s->N + 1);
    for (int i = 0; i < 6; i++) unknowns_layout(a, w, s, all[i]);
    s->stage = ARENA(a, local, stages);
    s->point = ARENA(a, point, points);
    for (int i = 0; i < stages; i++) local_layout(a, w, a->base ? &s->stage[i] : NULL);
    for (int i = 0; i < points; i++) local_layout(a, w, a->base ? &s->point[i].local : NULL);
    condensed_layout(a, w, s);
    direct_layout(a, w, s);
    rows_layout(a, w, s);
    s->value = ARENA(a, double, times(s->N, (size_t)s->table.nodes * n));
    s->estimate = ARENA(a, double, s->N);
    s->rough = ARENA(a, double, s->N);
    s->stiff = ARENA(a, char, s->N);
    s->plain = ARENA(a, char, s->N);
    s->edge_y = ARENA(a, double, times(2 * s->N, n));
    s->edge_f = ARENA(a, double, times(2 * s->N, (size_t)w->flow.nx));
}

void mesh_free(mesh *s)
{
    if (!s) return;
    arena_block_free(s->block);
    free(s);
}

int mesh_create(keel_boundary *w, mesh **out, int N, const table *a)
{
    arena measure = {0};
    mesh *s = *out = calloc(1, sizeof *s);
    if (!s) return fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh of %d intervals", N);
    s->N = N;
    s->table = *a;
    layout(&measure, w, s);
    int small = (double)measure.used <= bytes_most;
    s->block = small ? arena_block_unset(measure.used) : NULL;
    if (!s->block) {
        mesh_free(s);
        *out = NULL;
        return fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh of %d intervals, which takes "
                    "%.3g GB: ask for less accuracy, or begin with a better guess", N,
                    1e-9 * (double)measure.used);
    }
    layout(&(arena){.base = s->block}, w, s);
    s->count = (size_t)(s->u.p - s->u.x) + (size_t)w->flow.np;
    return KEEL_OK;
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
