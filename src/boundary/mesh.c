/* mesh.c -- where the mesh points go: the estimated error is made the same in all intervals.
 *
 *   density_i = e_i^(1/q) / h_i,   q = min(2k, k + 3), or k + 1 of the stages' polynomial
 *   N = 1.1 sum e_i^(1/q)
 *
 * with limits on how fast the density falls from one interval to the next, on how little of it there
 * is anywhere, and on how much N changes.  Breaks and inner conditions are mesh points: what lies
 * between them is divided as a whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/boundary.h"

/* Found with a prototype on smooth problems and on layers (test/boundary/cases.h), and not changed for
 * the turning point and Troesch's problem.  Coarsening by less than 0.85 loses layers on the way. */
static const double safety = 1.1, fall = 3, least_part = 0.15, coarsening = 0.85;
static const double more = 1.5;                  /* where moving points alone did not help  */
static const double growth_most = 3, growth_rough = 2, rough = 1e4, nearly = 30;

double mesh_error(const mesh *s)
{
    double largest = 0;
    for (int i = 0; i < s->N; i++) largest = fmax(largest, s->estimate[i]);
    return largest;
}

/* ---- density ------------------------------------------------------------------------------- */

static double order_of(const mesh *s) { return fmin(2 * s->table.k, s->table.k + 3); }

/* How many intervals this one should be, were its error what it is by the order of the method. */
static double share(const mesh *s, int i, double error)
{
    return pow(fmax(error, 1e-300), 1 / (s->plain[i] ? s->table.k + 1 : order_of(s)));
}

typedef struct shares { double sum, largest; } shares;

/* Per unit of time. */
static shares fill_density(const mesh *s, const double *error, double *density)
{
    shares all = {0};
    double mean, length = fabs(s->t[s->N] - s->t[0]);
    for (int i = 0; i < s->N; i++) {
        double own = share(s, i, error[i]);
        all.sum += own;
        all.largest = fmax(all.largest, own);
        density[i] = own / fabs(s->t[i + 1] - s->t[i]);
    }
    for (int i = 1; i < s->N; i++) density[i] = fmax(density[i], density[i - 1] / fall);
    for (int i = s->N - 2; i >= 0; i--) density[i] = fmax(density[i], density[i + 1] / fall);
    mean = all.sum / length;
    for (int i = 0; i < s->N; i++) density[i] = fmax(density[i], least_part * mean);
    return all;
}

/* A mesh that has nearly the accuracy asked for is not coarsened any more: as far as its errors are
 * equal already, to place points otherwise gains nothing, and N grows by what the order demands.
 * Without that, errors of mesh values, which come from anywhere, kept meshes of layers going round
 * in circles for 20 times. */
static int next_count(const keel_boundary *w, const mesh *s, const shares *all)
{
    double error = mesh_error(s), growth = error > rough ? growth_rough : growth_most;
    double least = coarsening;
    if (s->resolved && error > 1 && error < nearly) {
        double equal = all->sum / all->largest / s->N;
        least = 1 - equal + equal * pow(error, 1 / order_of(s));
    }
    if (w->stalled) least = more;
    double wanted = fmin(fmax(safety * all->sum, least * s->N), growth * s->N);
    return wanted < 1 ? 1 : (int)ceil(fmin(wanted, 1e9));
}

/* ---- places -------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Parts of [0,1] between points that must be mesh points; returns how many parts. */
static int fixed_parts(const keel_boundary *w, double *part)
{
    double length = w->spec.to - w->spec.from;
    int count = 0, kept = 0;
    for (int i = 0; i < w->spec.inner; i++)
        part[count++] = (w->inner_at[i] - w->spec.from) / length;
    for (int i = 0; i < w->spec.breaks; i++)
        part[count++] = (w->break_at[i] - w->spec.from) / length;
    part[count++] = 0;
    part[count++] = 1;
    qsort(part, (size_t)count, sizeof *part, ascending);
    for (int i = 0; i < count; i++)
        if (!kept || part[i] > part[kept - 1] + 1e-14) part[kept++] = part[i];
    return kept - 1;
}

/* The integral of the density up to t, and the t at which it has a value; density NULL: 1. */
typedef struct cumulative {
    int N;
    const double *t;
    double *sum;                 /* [N + 1]                                                */
} cumulative;

static double sum_at(const cumulative *c, double t)
{
    int i = 0;
    double sign = c->t[c->N] > c->t[0] ? 1 : -1;
    while (i < c->N - 1 && (t - c->t[i + 1]) * sign > 0) i++;
    return c->sum[i] + (c->sum[i + 1] - c->sum[i]) * (t - c->t[i]) / (c->t[i + 1] - c->t[i]);
}

static double time_at(const cumulative *c, double sum, int *i)
{
    while (*i < c->N - 1 && c->sum[*i + 1] < sum) ++*i;
    double rise = c->sum[*i + 1] - c->sum[*i], part = rise > 0 ? (sum - c->sum[*i]) / rise : 0;
    return c->t[*i] + part * (c->t[*i + 1] - c->t[*i]);
}

/* How many intervals each part gets: at least one. */
static int divide(const keel_boundary *w, const cumulative *c, int wanted, int parts,
                  const double *part, int *intervals)
{
    int all = 0;
    for (int i = 0; i < parts; i++) {
        double from = sum_at(c, w->from + part[i] * (w->to - w->from));
        double to = sum_at(c, w->from + part[i + 1] * (w->to - w->from));
        double own = wanted * (to - from) / c->sum[c->N];
        intervals[i] = parts == 1 ? wanted : own < 1 ? 1 : (int)(own + 0.5);
        all += intervals[i];
    }
    return all;
}

static void place(keel_boundary *w, const cumulative *c, int parts, const double *part,
                  const int *intervals, mesh *s)
{
    int at = 0, where = 0;
    for (int i = 0; i < parts; i++) {
        double left = w->from + part[i] * (w->to - w->from), from = sum_at(c, left);
        double right = w->from + part[i + 1] * (w->to - w->from), to = sum_at(c, right);
        s->t[at++] = left;
        for (int j = 1; j < intervals[i]; j++)
            s->t[at++] = time_at(c, from + (to - from) * j / intervals[i], &where);
    }
    s->t[at] = w->to;
    mesh_bind(w, s);
}

static int make(keel_boundary *w, mesh **out, const cumulative *c, int wanted, const table *a)
{
    int most = w->spec.inner + w->spec.breaks + 2;
    double *part = malloc((size_t)most * sizeof *part);
    int *intervals = malloc((size_t)most * sizeof *intervals);
    int rc = part && intervals ? KEEL_OK : fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh");
    if (!rc) {
        int parts = fixed_parts(w, part), N = divide(w, c, wanted, parts, part, intervals);
        rc = mesh_create(w, out, N, a);
        if (!rc) place(w, c, parts, part, intervals, *out);
    }
    free(part);
    free(intervals);
    return rc;
}

int mesh_first(keel_boundary *w, mesh **out, int N, const table *a)
{
    double t[2] = {w->from, w->to}, sum[2] = {0, 1};
    return make(w, out, &(cumulative){1, t, sum}, N, a);
}

static int is_fixed(const keel_boundary *w, const mesh *s, int j)
{
    for (int i = 0; i < mesh_points(w); i++)
        if (s->point[i].at == j) return 1;
    return is_break(w, s->t[j]);
}

int mesh_shift(const keel_boundary *w, mesh *s, int attempt)
{
    int moved = 0;
    double before = s->t[0];
    for (int j = 1; j < s->N; j++) {
        double t = s->t[j], left = t - before, right = s->t[j + 1] - t;
        before = t;
        if (is_fixed(w, s, j)) continue;
        s->t[j] += 0.1 * attempt * cos(2.4 * j) * (fabs(left) < fabs(right) ? left : right);
        moved++;
    }
    return moved;
}

/* How many times interval i is to be divided by 3, for a layer at its outer end. */
static int divisions(const mesh *s, int i)
{
    return s->N < 2 ? 0 : i == 0 ? s->layer[0] : i == s->N - 1 ? s->layer[1] : 0;
}

/* Parts of interval i, each a third of the next, of which each becomes an interval. */
static void grade(const mesh *s, int i, double each, double *t, double *sum, int *at)
{
    int count = divisions(s, i), left = i == 0;
    double h = s->t[i + 1] - s->t[i];
    for (int q = 0; q <= count; q++) {
        double part = left ? pow(3, q - count) : 1 - pow(3, -q - 1);
        t[*at + 1] = q == count ? s->t[i + 1] : s->t[i] + part * h;
        sum[*at + 1] = sum[*at] + each;
        ++*at;
    }
}

/* Old mesh points, those of graded intervals, and the integral of the density up to them. */
static void fill_cumulative(const mesh *s, const double *density, int wanted, cumulative *c, double *t)
{
    double others = 0, each;
    int graded = 0, at = 0;
    for (int i = 0; i < s->N; i++) {
        if (divisions(s, i)) graded++;
        else others += density[i] * fabs(s->t[i + 1] - s->t[i]);
    }
    each = others > 0 ? others / (wanted > graded ? wanted - graded : 1) : 1;
    t[0] = s->t[0];
    c->sum[0] = 0;
    for (int i = 0; i < s->N; i++) {
        if (divisions(s, i)) {
            grade(s, i, each, t, c->sum, &at);
            continue;
        }
        t[at + 1] = s->t[i + 1];
        c->sum[at + 1] = c->sum[at] + density[i] * fabs(s->t[i + 1] - s->t[i]);
        at++;
    }
    c->N = at;
    c->t = t;
}

int mesh_next(keel_boundary *w, mesh **next, const mesh *s, const double *error, const table *a)
{
    int further = divisions(s, 0) + (s->N > 1 ? divisions(s, s->N - 1) : 0);
    size_t size = (size_t)s->N + (size_t)further + 1;
    double *density = malloc(3 * size * sizeof *density);
    cumulative c = {.sum = density + size};
    if (!density) return fail(&w->message, KEEL_NO_MEMORY, "no memory for a mesh");
    shares all = fill_density(s, error, density);
    int wanted = next_count(w, s, &all);
    fill_cumulative(s, density, wanted, &c, density + 2 * size);
    int rc = make(w, next, &c, wanted + further, a);
    free(density);
    return rc;
}
