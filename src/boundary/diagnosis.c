/* diagnosis.c -- conditioning, projector and modes along a solution.
 *
 *   boundary, green   largest |x_n| for unit changes of a condition, and for x' changed by +-1
 *   projector         row sum of f_z h_z^-1 c_x, c the last level below h  [Ascher & Petzold, SIAM J.
 *                     Numer. Anal. 28 (1991) 1097, theorem 1: what errors of the projected form contain]
 *   modes             log of the singular values of the flow on the manifold, over the length
 *
 * The flow over an interval, in bases of the tangent spaces, is that of the mesh where that resolves
 * it, |h lambda| <= 1 for all eigenvalues of B in s' = B s, and else exp(h B/m) m times: of stiff
 * solutions Gauss points keep the size.  Singular values of the product are found by orthogonal
 * iteration forwards and backwards; where modes are apart, one round is enough.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/diagnosis.h"
#include "boundary/rows.h"

enum { PARTS_MOST = 5000, ROUNDS = 3 };
/* The decaying part of a map must not be lost beside the growing one: e^-10 of it. */
static const double resolved = 1, part_size = 5;

/* ---- memory ---------------------------------------------------------------------------------- */

static void layout(arena *a, const keel_boundary *w, const mesh *s, diagnosis *g)
{
    size_t points = (size_t)s->N + 1, d = (size_t)(w->flow.nx - w->flow.hidden);
    g->t = ARENA(a, double, points);
    g->boundary = ARENA(a, double, points);
    g->green = ARENA(a, double, points);
    g->projector = ARENA(a, double, points);
    g->fastest = ARENA(a, double, points);
    g->slowest = ARENA(a, double, points);
    g->rate = ARENA(a, double, d);
}

void diagnosis_free(keel_boundary *w)
{
    arena_block_free(w->diagnosis.block);
    w->diagnosis = (diagnosis){0};
}

/* ---- the projector ---------------------------------------------------------------------------- */

/* At the first stage of interval i, with the gradients of all levels; 0 rows for index 1. */
static int projector_at(keel_boundary *w, const mesh *s, int i, double *norm)
{
    int nx = w->flow.nx, m = w->flow.m, width = nx + w->flow.np, last = w->spec.problem->levels - 2;
    double t = s->t[i] + s->table.c[0] * (s->t[i + 1] - s->t[i]), *gradient = w->project;
    double *column = w->work, *P = column + m, *sum = P + nx;
    int rc = stage_linear(w, s, i, 0);
    if (!rc) rc = flow_gradient(&w->flow, t, w->y, gradient);
    memset(sum, 0, (size_t)nx * sizeof *sum);
    for (int j = 0; j < nx && !rc; j++) {
        memset(column, 0, (size_t)m * sizeof *column);
        memset(P, 0, (size_t)nx * sizeof *P);
        for (int r = 0; r < w->flow.hidden; r++)
            if (w->flow.level[r] == last) column[w->flow.row[r]] = gradient[(ptrdiff_t)r * width + j];
        rc = local_algebraic(w, &w->local, column);
        local_push(w, &w->local, column, P);
        for (int r = 0; r < nx; r++) sum[r] += fabs(P[r]);
    }
    *norm = 0;
    for (int r = 0; r < nx && !rc; r++) *norm = fmax(*norm, sum[r]);
    return rc;
}

static int fill_projector(keel_boundary *w, const mesh *s, diagnosis *g)
{
    int rc = 0;
    if (!w->flow.hidden) {
        g->projector = NULL;
        return 0;
    }
    for (int i = 0; i < s->N && !rc; i++) {
        rc = projector_at(w, s, i, &g->projector[i]);
        w->stats.projector = fmax(w->stats.projector, g->projector[i]);
    }
    return rc;
}

/* ---- modes ------------------------------------------------------------------------------------ */

/* Maps of parts of intervals in the bases of the tangent spaces. */
typedef struct maps {
    int d, count, room;
    double *R;                   /* [count][d d]                                           */
    int *interval;               /* [count]                                                */
} maps;

static int add_map(maps *a, const double *R, int of)
{
    size_t square = (size_t)a->d * (size_t)a->d;
    if (a->count == a->room) {
        int room = a->room ? 2 * a->room : 64;
        double *more = realloc(a->R, (size_t)room * square * sizeof *more);
        if (more) a->R = more;
        int *which = more ? realloc(a->interval, (size_t)room * sizeof *which) : NULL;
        if (which) a->interval = which;
        if (!more || !which) return KEEL_NO_MEMORY;
        a->room = room;
    }
    memcpy(a->R + (size_t)a->count * square, R, square * sizeof *R);
    a->interval[a->count++] = of;
    return 0;
}

/* Scratch for eigenvalues and exponentials. */
typedef struct scratch { double *A, *E, *re, *im, *work; int *pivot; } scratch;

/* In how many parts interval i is taken: 0, the mesh will do, also where B cannot be evaluated. */
static int parts_of(keel_boundary *w, const modes *m, const mesh *s, int i, scratch *x)
{
    double h = fabs(s->t[i + 1] - s->t[i]), largest = 0;
    if (modes_reduced(w, m, s, i, x->A)) return 0;
    memcpy(x->E, x->A, (size_t)m->d * (size_t)m->d * sizeof *x->A);
    if (dense_eigenvalues(m->d, x->E, x->re, x->im, x->work)) return 0;
    for (int j = 0; j < m->d; j++) largest = fmax(largest, h * hypot(x->re[j], x->im[j]));
    if (largest <= resolved) return 0;
    double parts = ceil(largest / part_size);
    return parts < PARTS_MOST ? (int)parts : PARTS_MOST;
}

static int add_interval(keel_boundary *w, const modes *m, const mesh *s, int i, maps *a, scratch *x)
{
    int d = m->d, parts = parts_of(w, m, s, i, x), rc = 0;
    double h = s->t[i + 1] - s->t[i];
    for (ptrdiff_t j = 0; j < (ptrdiff_t)d * d && parts; j++) x->A[j] *= h / parts;
    if (parts && dense_exponential(d, x->A, x->E, x->work, x->pivot)) parts = 0;
    if (!parts) modes_map(m, s, i, x->E);
    for (int j = 0; j < (parts ? parts : 1) && !rc; j++) rc = add_map(a, x->E, i);
    return rc;
}

/* One map, or its transpose, and the logarithms of what it does to each mode. */
static void turn(int d, const double *R, int transposed, double *U, double *next, double *T,
                 double *sum)
{
    modes_turn(d, R, transposed, U, next, T);
    for (int j = 0; j < d; j++) sum[j] = log(fmax(T[(ptrdiff_t)j * d + j], 1e-300));
}

static void local_rates(const mesh *s, const maps *a, int k, const double *sum, double *inside,
                        diagnosis *g)
{
    int i = a->interval[k], first = k == 0 || a->interval[k - 1] != i;
    double h = fabs(s->t[i + 1] - s->t[i]);
    for (int j = 0; j < a->d; j++) {
        inside[j] = (first ? 0 : inside[j]) + sum[j] / h;
        g->rate[j] += sum[j];
    }
    g->fastest[i] = -INFINITY;
    g->slowest[i] = INFINITY;
    for (int j = 0; j < a->d; j++) {
        g->fastest[i] = fmax(g->fastest[i], inside[j]);
        g->slowest[i] = fmin(g->slowest[i], inside[j]);
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* U, next, T: d x d; sum, inside: d */
static void iterate(const mesh *s, const maps *a, double *work, diagnosis *g)
{
    int d = a->d;
    ptrdiff_t square = (ptrdiff_t)d * d;
    double *U = work, *next = U + square, *T = next + square, *sum = T + square, *inside = sum + d;
    double length = fabs(s->t[s->N] - s->t[0]);
    memset(U, 0, (size_t)square * sizeof *U);
    for (int j = 0; j < d; j++) U[(ptrdiff_t)j * d + j] = 1;
    for (int round = 1; round < ROUNDS; round++) {
        for (int k = 0; k < a->count; k++) turn(d, a->R + k * square, 0, U, next, T, sum);
        for (int k = a->count - 1; k >= 0; k--) turn(d, a->R + k * square, 1, U, next, T, sum);
    }
    for (int j = 0; j < d; j++) g->rate[j] = 0;
    for (int k = 0; k < a->count; k++) {
        turn(d, a->R + k * square, 0, U, next, T, sum);
        local_rates(s, a, k, sum, inside, g);
    }
    qsort(g->rate, (size_t)d, sizeof *g->rate, descending);
    g->growing = g->decaying = 0;
    for (int j = 0; j < d; j++) {
        g->growing += g->rate[j] > 1;
        g->decaying += g->rate[j] < -1;
        g->rate[j] /= length;
    }
}

static int fill_modes(keel_boundary *w, mesh *s, diagnosis *g)
{
    modes m;
    maps a = {0};
    int rc = modes_begin(w, s, &m);
    size_t d = (size_t)m.d, square = d * d;
    double *room = rc ? NULL : malloc((9 * square + 9 * d + 1) * sizeof *room);
    if (room) {
        double *work = room + 2 * square + 2 * d;
        scratch x = {room, room + square, room + 2 * square, room + 2 * square + d, work,
                     (int *)(work + 3 * square + 4 * d)};
        a.d = m.d;
        for (int i = 0; i < s->N && !rc && d; i++) rc = add_interval(w, &m, s, i, &a, &x);
        if (!rc && d) iterate(s, &a, work + 3 * square + 5 * d, g);
    } else if (!rc) rc = KEEL_NO_MEMORY;
    if (rc == KEEL_NO_MEMORY) fail(&w->message, rc, "no memory for the modes");
    g->modes = m.d;
    free(room);
    free(a.R);
    free(a.interval);
    modes_free(&m);
    return rc;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int diagnose(keel_boundary *w, mesh *s)
{
    diagnosis *g = &w->diagnosis;
    arena measure = {0};
    layout(&measure, w, s, g);
    g->block = arena_block(measure.used);
    if (!g->block) return fail(&w->message, KEEL_NO_MEMORY, "no memory for the diagnosis");
    layout(&(arena){.base = g->block}, w, s, g);
    for (int i = 0; i <= s->N; i++) g->t[i] = flow_time(&w->flow, s->t[i], NULL);
    int rc = fill_modes(w, s, g);
    if (rc) return rc;
    rc = blocks_factor(w, s);
    if (!rc) conditioning_profile(w, s, g->boundary, g->green);
    if (!rc) rc = fill_projector(w, s, g);
    if (rc) return boundary_failure(w, s, rc);
    w->stats.growing = g->growing;
    w->stats.decaying = g->decaying;
    w->answer = (keel_boundary_diagnosis){
        .intervals = s->N, .t = g->t, .boundary = g->boundary, .green = g->green,
        .projector = g->projector, .modes = g->modes, .growing = g->growing, .decaying = g->decaying,
        .rate = g->rate, .fastest = g->fastest, .slowest = g->slowest};
    return KEEL_OK;
}

const keel_boundary_diagnosis *keel_boundary_diagnose(keel_boundary *w)
{
    if (boundary_entered(w, "keel_boundary_diagnose")) return NULL;
    if (!w->solution) {
        fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_diagnose: there is no solution");
        return NULL;
    }
    mesh *s = NULL;
    diagnosis_free(w);
    int rc = solution_linear(w, &s);
    if (!rc) rc = diagnose(w, s);
    if (rc) diagnosis_free(w);
    mesh_free(s);
    return rc ? NULL : &w->answer;
}
