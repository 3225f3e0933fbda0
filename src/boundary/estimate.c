/* estimate.c -- errors between mesh points and at them.
 *
 *   local    x: 2 h/(k+2) |S r|, r = f(t,x,z*) - x' at three places;  z: 2 |z - z*| + |h_z^-1 h_x e_x|
 *   global   e_n of the condensed system with the defects of the stages as right-hand sides; of points
 *            other than Gauss's, which may have no higher order, with the mean of h r; of two of
 *            Gauss's, which have the order of x1, with both
 *
 * of which the larger one counts; those of two stages, both of the same order, are added [found with
 * test_textbook.c].
 *
 *   spikes   |y_n - what 2k stages on both sides say|, in stiff intervals
 *
 *   S = 0.9 (1 + (0.1 hA)^2)^-1 + 0.1 (1 + (0.01 hA)^2)^-1
 *
 * keeps defects of stiff components from counting for more than they do; it has no pole for real hA,
 * so that growing and decaying components are treated alike.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"
#include "boundary/sparse.h"
#include "step/interpolation.h"

/* I + factor S */
static int shifted(int nx, double factor, const double *S, double *M, int *pivot)
{
    for (int i = 0; i < nx * nx; i++) M[i] = factor * S[i];
    for (int i = 0; i < nx; i++) M[i * nx + i] += 1;
    return dense_factor(nx, M, pivot);
}

void filter_make(keel_boundary *w, const mesh *s, int i)
{
    interval *v = &w->interval;
    int nx = w->flow.nx;
    double h = s->t[i + 1] - s->t[i], undamped = s->table.k * (s->table.k + 1), largest = 0;
    const local *l = stage_of(s, i, s->table.k / 2);
    if (w->sparse) {
        sparse_flow_filter_make(w, h, l);
        v->stiffness = sqrt(sparse_flow_square(w, h, l));
        v->undamped = v->stiffness >= undamped;
        return;
    }
    memset(v->square, 0, (size_t)nx * (size_t)nx * sizeof *v->square);
    add_product(nx, nx, nx, h * h, l->A, l->A, nx, v->square);
    for (int j = 0; j < nx * nx; j++) largest = fmax(largest, fabs(v->square[j]));
    v->stiffness = sqrt(largest);
    v->undamped = v->stiffness >= undamped;
    v->filtered = largest >= 1 && !shifted(nx, 0.01, v->square, v->near, v->near_pivot) &&
                  !shifted(nx, 1e-4, v->square, v->far, v->far_pivot);
}

void filter_apply(const keel_boundary *w, double *d)
{
    const interval *v = &w->interval;
    int nx = w->flow.nx;
    double *other = w->work;
    if (!v->filtered) return;
    if (w->sparse) {
        sparse_flow_filter_apply(w, d);
        return;
    }
    memcpy(other, d, (size_t)nx * sizeof *d);
    dense_solve(nx, v->near, v->near_pivot, d);
    dense_solve(nx, v->far, v->far_pivot, other);
    for (int j = 0; j < nx; j++) d[j] = 0.9 * d[j] + 0.1 * other[j];
}

/* The stage next to a place, whose factors serve there. */
static const local *nearest(const mesh *s, int i, double at)
{
    int best = 0;
    for (int c = 1; c < s->table.k; c++)
        if (fabs(s->table.c[c] - at) < fabs(s->table.c[best] - at)) best = c;
    return stage_of(s, i, best);
}

/* The smallest |y| between two values. */
static double least_between(double left, double right)
{
    if ((left < 0) != (right < 0)) return 0;
    return fabs(left) < fabs(right) ? fabs(left) : fabs(right);
}

/* The largest weight of an error of this profile.  What is asked for differs within an interval: next
 * to a zero of an unknown it is atol, and that may be between the places that are looked at. */
static double weight_in(const keel_boundary *w, const table *a, int which, const double *value, int stride,
                        const double *profile)
{
    double largest = 0;
    for (int g = 0; g < a->rates - 1; g++, value += stride) {
        double least = least_between(value[0], value[stride]);
        largest = larger_error(w, largest, profile[g], which, least);
    }
    return largest;
}

/* Errors of each unknown, in w->interval.error, in units of what is asked for. */
static void weigh(const keel_boundary *w, const mesh *s, const double *x, double *error_x, double *error_z)
{
    int nx = w->flow.nx, m = w->flow.m;
    const double *e = w->interval.error;
    *error_x = *error_z = 0;
    for (int j = 0; j < nx; j++)
        *error_x = fmax(*error_x, e[j] * weight_in(w, &s->table, j, x + j, nx, s->table.gap_x));
    for (int j = 0; j < m; j++)
        *error_z = fmax(*error_z, e[nx + j] * weight_in(w, &s->table, nx + j, w->interval.z + j, m,
                                                        s->table.gap_z));
}

int estimate_local(keel_boundary *w, mesh *s, int i, const double *x, const double *rate,
                   double *error_x, double *error_z)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, rc = 0;
    double h = s->t[i + 1] - s->t[i], *y = w->y, *e = w->y2, *largest = w->interval.error;
    double *mean = s->next.x + (ptrdiff_t)(i + 1) * nx;
    memset(largest, 0, (size_t)w->flow.n * sizeof *largest);
    memset(mean, 0, (size_t)nx * sizeof *mean);
    for (int q = 0; q < SAMPLES && !rc; q++) {
        int place = s->table.nodes + q;
        const double *z = w->interval.z + (ptrdiff_t)place * m;
        const local *l = nearest(s, i, s->table.sample[q]);
        memcpy(y, x + (ptrdiff_t)place * nx, (size_t)nx * sizeof *y);
        memcpy(y + nx, z, (size_t)m * sizeof *y);
        rc = point_solve(w, s->t[i] + s->table.sample[q] * h, y, l, w->fh);
        for (int j = 0; j < nx; j++) e[j] = w->fh[j] - rate[(ptrdiff_t)place * nx + j];
        filter_apply(w, e);
        for (int j = 0; j < nx; j++) {
            mean[j] += h * s->table.mean[q] * e[j];
            e[j] *= 2 * h / (k + 2);
            largest[j] = fmax(largest[j], fabs(e[j]));
        }
        if (!rc) rc = local_follow(w, l, e, e + nx);
        for (int j = nx; j < nx + m; j++)
            largest[j] = fmax(largest[j], 2 * fabs(y[j] - z[j - nx]) + fabs(e[j]));
    }
    weigh(w, s, x, error_x, error_z);
    return rc;
}

/* Errors of z at all nodes of interval i, [rates][m]: those of its stages, one of which may be the last node,
 * and what errors of x at both ends do to z there, which stages need not show. */
static int errors_of_z(keel_boundary *w, const mesh *s, int i, const unknowns *e, double *to)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    const double *dx = e->x + (ptrdiff_t)i * nx;
    double *right = to + (ptrdiff_t)(s->table.rates - 1) * m, *dz = w->y2;
    memset(right, 0, (size_t)m * sizeof *to);
    memcpy(to + m, e->z + (ptrdiff_t)i * k * m, (size_t)k * (size_t)m * sizeof *to);
    int rc = local_follow(w, stage_of(s, i, 0), dx, to);
    if (!rc) rc = local_follow(w, stage_of(s, i, k - 1), dx + nx, dz);
    for (int j = 0; j < m; j++) right[j] = fmax(fabs(right[j]), fabs(dz[j]));
    return rc;
}

/* The largest of an error that is known at nodes, `every` apart, next to a zero between them as well. */
static double weigh_nodes(const keel_boundary *w, const mesh *s, int i, int which, const double *error,
                          int every)
{
    const double *value = s->value + (ptrdiff_t)i * s->table.nodes * w->flow.n + which;
    double largest = 0;
    for (int g = 0; g < s->table.rates - 1; g++, value += w->flow.n, error += every) {
        double size = fabs(error[0]) < fabs(error[every]) ? fabs(error[every]) : fabs(error[0]);
        largest = larger_error(w, largest, size, which, least_between(value[0], value[w->flow.n]));
    }
    return largest;
}

/* The largest of a step in interval i, in units of what is asked for. */
static int in_interval(keel_boundary *w, const mesh *s, int i, const unknowns *e, double *size)
{
    int nx = w->flow.nx, m = w->flow.m;
    const double *dx = e->x + (ptrdiff_t)i * nx;
    double largest = 0, *dz = w->interval.z, along[NODES_MOST];
    for (int j = 0; j < nx; j++) {
        for (int q = 0; q < s->table.rates; q++)
            along[q] = dx[j] + s->table.node[q] * (dx[nx + j] - dx[j]);
        largest = fmax(largest, weigh_nodes(w, s, i, j, along, 1));
    }
    int rc = m ? errors_of_z(w, s, i, e, dz) : 0;
    for (int j = 0; j < m; j++) largest = fmax(largest, weigh_nodes(w, s, i, nx + j, dz + j, m));
    *size = largest;
    return rc;
}

/* ---- sources --------------------------------------------------------------------------------
 *
 *   error of mesh values  <= sum_i K |r_i|,   r_i = O(h^(2k+1)) of the row that leads over interval i
 *
 * shows where z follows from x most, or far from where it comes from if nothing damps it, and more points
 * there do not help.  If it is the largest error, the intervals with the largest r are those to be divided:
 * n_i parts with r_i/n_i^(2k+1) each, such that all N of them are equal, have the share
 * (N K r_i)^(1/(2k+1)).
 * [Found with an oscillation and a corner layer, test_fresh.c, "chirp" and "corner".] */

/* Largest r_i in units of what is asked for. */
static double source_of(const keel_boundary *w, const mesh *s, int i)
{
    ptrdiff_t at = (ptrdiff_t)(i + 1) * w->flow.nx;
    double largest = 0;
    for (int j = 0; j < w->flow.nx; j++)
        largest = fmax(largest, fabs(s->spare.x[at + j]) * error_weight(w, j, s->u.x[at + j]));
    return largest;
}

/* From local errors in s->source, after the condensed system was solved. */
static void find_sources(const keel_boundary *w, mesh *s)
{
    double k = s->table.k, local_one = 0, sum = 0;
    double power = s->table.enriched ? fmin(2 * k, k + 3) / (2 * k + 1) : 1;     /* else r = O(h^(k+1)) */
    for (int i = 0; i < s->N; i++) {
        local_one = fmax(local_one, s->source[i]);
        sum += source_of(w, s, i);
    }
    if (!(s->error_global > local_one) || !(sum > 0)) {
        memcpy(s->source, s->estimate, (size_t)s->N * sizeof *s->source);
        return;
    }
    for (int i = 0; i < s->N; i++) {
        double part = s->N * s->error_global * source_of(w, s, i) / sum;
        s->source[i] = fmax(s->source[i], pow(part, power));
    }
}

/* Of parameters, which concern all intervals. */
static double of_parameters(const keel_boundary *w, const mesh *s, const unknowns *e)
{
    double largest = 0;
    for (int j = 0; j < w->flow.np; j++)
        largest = fmax(largest, fabs(e->p[j]) * parameter_weight(w, s->u.p[j]));
    return largest;
}

int estimate_global(keel_boundary *w, mesh *s)
{
    unknowns *r = &s->residual;
    int rc = 0;
    memcpy(s->source, s->estimate, (size_t)s->N * sizeof *s->source);
    memset(r->x, 0, (size_t)(r->K - r->x) * sizeof *r->x);
    if (s->table.means) memcpy(r->x, s->next.x, (size_t)(r->K - r->x) * sizeof *r->x);
    if (!s->table.enriched)                      /* mesh values may be of the order k alone */
        memset(r->K, 0, (size_t)(r->z - r->K) * sizeof *r->K);
    memset(r->z, 0, (size_t)(r->x + s->count - r->z) * sizeof *r->z);
    memset(r->condition, 0, (size_t)(w->rows + w->spec.inner) * sizeof *r->condition);
    collocation_solve(w, s, r, &s->next);
    double parameters = s->error_global = of_parameters(w, s, &s->next);
    for (int i = 0; i < s->N && !rc; i++) {
        double size = 0;
        rc = interval_linear(w, s, i);
        if (!rc) rc = in_interval(w, s, i, &s->next, &size);
        if (rc) break;
        s->error_global = fmax(s->error_global, size);
        double both = s->table.k == 2 ? s->estimate[i] + size : fmax(s->estimate[i], size);
        s->estimate[i] = fmax(both, parameters);
    }
    if (!rc) find_sources(w, s);
    return rc;
}

/* ---- spikes --------------------------------------------------------------------------------
 *
 * Where intervals are stiff, R(hA) = 1 - 2k(k + 1)/|hA| + ...: errors of mesh values are not damped, while
 * those of stages are.  No defect shows them, the filter having taken that out; stages on both sides do.
 * 2k stages determine a smooth solution up to O(h^2k). */

/* Lagrange polynomials of the stages of intervals i and i + 1 at mesh point j, one of theirs. */
static void across(const mesh *s, int i, int j, double *lagrange)
{
    int k = s->table.k;
    double node[2 * STAGES_MOST], weight[2 * STAGES_MOST], width = s->t[i + 2] - s->t[i];
    for (int c = 0; c < 2 * k; c++) {
        int at = i + c / k;
        node[c] = (s->t[at] + s->table.c[c % k] * (s->t[at + 1] - s->t[at]) - s->t[i]) / width;
    }
    barycentric_weights(2 * k, node, weight);
    lagrange_at(2 * k, node, weight, (s->t[j] - s->t[i]) / width, lagrange);
}

/* How far y at mesh point j is from where these stages would have it. */
static double spike_at(const keel_boundary *w, const mesh *s, int i, int j)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    double lagrange[2 * STAGES_MOST], largest = 0;
    const double *y = s->edge_y + (ptrdiff_t)(j < s->N ? 2 * j : 2 * j - 1) * w->flow.n;
    const double *x = stage_x(w, s, i), *z = s->u.z + (ptrdiff_t)i * k * m;
    across(s, i, j, lagrange);
    for (int l = 0; l < w->flow.n; l++) {
        double sum = y[l];
        for (int c = 0; c < 2 * k; c++)
            sum -= lagrange[c] * (l < nx ? x[c * nx + l] : z[c * m + l - nx]);
        largest = fmax(largest, fabs(sum) * error_weight(w, l, y[l]));
    }
    return largest;
}

void estimate_spikes(const keel_boundary *w, mesh *s)
{
    for (int j = 0; j <= s->N && s->N > 1; j++) {
        int i = j == 0 ? 0 : j == s->N ? j - 2 : j - 1;          /* and i + 1: next to j */
        if (!s->stiff[i] || !s->stiff[i + 1] || is_break(w, s->t[i + 1])) continue;
        double size = spike_at(w, s, i, j);
        s->error_global = fmax(s->error_global, size);
        for (int q = j > 0 ? j - 1 : 0; q <= j && q < s->N; q++) {
            s->estimate[q] = fmax(s->estimate[q], size);
            s->source[q] = fmax(s->source[q], size);
        }
    }
}
