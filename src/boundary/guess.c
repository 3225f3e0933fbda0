/* guess.c -- where Newton's method begins: the user's guess, a recording, or another mesh.
 *
 *   X_i = x(t_i),   K = h^-1 a^-1 (X - x_(n-1))
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "record/solution.h"
#include "step/interpolation.h"

typedef int source(keel_boundary *w, const void *from, double t, double *y);

static int from_user(keel_boundary *w, const void *from, double t, double *y)
{
    (void)from;
    double part = (t - w->from) / (w->to - w->from);
    double at = w->spec.from + part * (w->spec.to - w->spec.from);       /* a shorter interval */
    memset(y, 0, (size_t)w->flow.n * sizeof *y);
    if (!w->spec.guess) return 0;
    memcpy(w->p_guess, w->p, (size_t)w->flow.np * sizeof *w->p);
    int code = w->spec.guess(at, y, w->p_guess, w->spec.context);
    return eval_check(&w->flow.e, "guess", at, code, w->flow.n, y);
}

/* A mesh of another interval is stretched. */
void mesh_value(const keel_boundary *w, const mesh *s, double t, double *y)
{
    int low = 0, high = s->N - 1, n = w->flow.n;
    double at = s->t[0] + (t - w->from) / (w->to - w->from) * (s->t[s->N] - s->t[0]);
    double sign = s->t[s->N] > s->t[0] ? 1 : -1;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((at - s->t[middle + 1]) * sign <= 0) high = middle;
        else low = middle + 1;
    }
    interpolant p = {.points = s->table.nodes, .nodes = s->table.node,
                     .barycentric = s->table.weight,
                     .values = s->value + (ptrdiff_t)low * s->table.nodes * n};
    interpolant_at(&p, n, (at - s->t[low]) / (s->t[low + 1] - s->t[low]), y);
}

static int from_mesh(keel_boundary *w, const void *from, double t, double *y)
{
    mesh_value(w, from, t, y);
    return 0;
}

static int fill_interval(keel_boundary *w, mesh *s, int i, source *y_at, const void *from)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, rc = 0;
    double h = s->t[i + 1] - s->t[i], *K = s->u.K + (ptrdiff_t)i * k * nx, *X = w->work;
    const double *x = s->u.x + (ptrdiff_t)i * nx;
    for (int c = 0; c < k && !rc; c++) {
        rc = y_at(w, from, s->t[i] + s->table.c[c] * h, w->y);
        for (int j = 0; j < nx; j++) X[c * nx + j] = w->y[j] - x[j];
        memcpy(s->u.z + ((ptrdiff_t)i * k + c) * m, w->y + nx, (size_t)m * sizeof *x);
    }
    combine(k, k, nx, s->table.A_inv, k, X, K);
    for (int c = 0; c < k * nx; c++) K[c] *= 1 / h;
    return rc;
}

static int fill(keel_boundary *w, mesh *s, source *y_at, const void *from)
{
    int nx = w->flow.nx, m = w->flow.m, rc = 0;
    for (int j = 0; j <= s->N && !rc; j++) {
        rc = y_at(w, from, s->t[j], w->y);
        memcpy(s->u.x + (ptrdiff_t)j * nx, w->y, (size_t)nx * sizeof *w->y);
        for (int i = 0; i < mesh_points(w); i++)
            if (s->point[i].at == j)
                memcpy(s->u.end + (ptrdiff_t)i * m, w->y + nx, (size_t)m * sizeof *w->y);
    }
    for (int i = 0; i < s->N && !rc; i++) rc = fill_interval(w, s, i, y_at, from);
    return rc;
}

int guess_user(keel_boundary *w, mesh *s)
{
    int rc = fill(w, s, from_user, NULL);
    memcpy(s->u.p, w->spec.guess ? w->p_guess : w->p,
           (size_t)w->flow.np * sizeof *w->p);
    return rc ? rc : eval_check(&w->flow.e, "guess", w->from, 0, w->flow.np, s->u.p);
}

int guess_transfer(keel_boundary *w, mesh *s, const mesh *from)
{
    memcpy(s->u.p, from->p, (size_t)w->flow.np * sizeof *w->p);
    return fill(w, s, from_mesh, from);
}

/* ---- a recording --------------------------------------------------------------------------- */

/* Its steps become the intervals of a mesh that the next one is made from.  1: it does not cover the whole
 * interval, and is stretched. */
static int recording_times(const keel_boundary *w, keel_solution *guess, mesh *s)
{
    int steps = keel_solution_steps(guess);
    double begin = keel_solution_time(guess, 0), end = keel_solution_time(guess, steps);
    int stretched = (w->spec.from - begin) * (end - w->spec.from) < 0 ||
                    (w->spec.to - begin) * (end - w->spec.to) < 0;
    double sign = w->spec.to > w->spec.from ? 1 : -1;
    s->t[0] = w->spec.from;
    s->t[s->N] = w->spec.to;
    for (int i = 1; i < s->N; i++) {
        double even = w->spec.from + (w->spec.to - w->spec.from) * i / s->N;
        double t = keel_solution_time(guess, (int)((double)steps * i / s->N));
        int between = !stretched && steps >= s->N && (t - s->t[i - 1]) * sign > 0 &&
                      (w->spec.to - t) * sign > 0;
        s->t[i] = between ? t : even;
    }
    for (int i = 1; i < s->N; i++)
        if ((s->t[i] - s->t[i - 1]) * sign <= 0 || (s->t[i + 1] - s->t[i]) * sign <= 0)
            s->t[i] = 0.5 * (s->t[i - 1] + s->t[i + 1]);
    return stretched;
}

static int take_recording(keel_boundary *w, keel_solution *guess, mesh *s)
{
    int n = w->flow.n, nodes = s->table.nodes, stretched = recording_times(w, guess, s);
    double begin = keel_solution_time(guess, 0), from = w->spec.from, length = w->spec.to - from;
    double whole = keel_solution_time(guess, keel_solution_steps(guess)) - begin;
    for (int i = 0; i < s->N; i++) {
        double h = s->t[i + 1] - s->t[i];
        s->estimate[i] = 1;
        s->plain[i] = 0;
        for (int q = 0; q < nodes; q++) {
            double t = s->table.node[q] == 1 ? s->t[i + 1] : s->t[i] + s->table.node[q] * h;
            double at = flow_time(&w->flow, t, NULL);
            if (stretched) at = t == w->spec.to ? begin + whole : begin + (at - from) / length * whole;
            int rc = keel_solution_at(guess, at, s->value + ((ptrdiff_t)i * nodes + q) * n);
            if (rc)
                return fail(&w->message, rc, "keel_boundary_guess: %s", keel_solution_message(guess));
        }
    }
    memcpy(s->p, w->p, (size_t)w->flow.np * sizeof *w->p);
    return KEEL_OK;
}

int guess_recording(keel_boundary *w, keel_solution *guess, const double *p)
{
    enum { MOST = 200, STAGES = 4 };
    int steps = keel_solution_steps(guess), least = first_intervals(w, STAGES);
    table a = {0};
    mesh *s = NULL;
    if (keel_solution_unknowns(guess) != w->flow.n)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_guess: the recording has %d "
                    "unknowns, the problem %d", keel_solution_unknowns(guess), w->flow.n);
    int rc = table_make(&a, STAGES, KEEL_POINTS_GAUSS, NULL);
    if (!rc) rc = mesh_create_values(w, &s, steps < least ? least : steps < MOST ? steps : MOST, &a);
    for (int i = 0; p && i < w->flow.np && !rc; i++) w->p[i] = p[i];
    flow_set_parameters(&w->flow, w->p);
    if (!rc) rc = take_recording(w, guess, s);
    if (rc) {
        mesh_free(s);
        return rc;
    }
    mesh_free(w->mesh);
    w->mesh = s;
    return KEEL_OK;
}
