/* enrich.c -- the solution between mesh points, from the derivatives that are there.
 *
 *   u    x_(n-1) + h int of the polynomial through K_i                            order k + 1
 *   x1   the same with f(x_(n-1)), K_i, f(x_n): x1(1) = x_n, as Gauss gives the    order k + 2
 *        ends no weight
 *   x2   the same with f(x1(c_i)) instead of K_i                                  order min(2k, k + 3)
 *   z    through z(x_(n-1)), z(x1(c_i)), z(x_n)                                   order min(2k, k + 2)
 *
 * Where a step is stiff the changes of derivatives are filtered (estimate.c); where x2 does not
 * settle, u is kept if its error is smaller.
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

/* A mesh is not worth more work where x1 is so far from u: tolerances, and beside 1 + |x|. */
static const double unresolved = 1e5, unresolved_part = 1e-2;
static const double settled = 0.3;               /* second correction beside the first      */

static int places(const mesh *s) { return s->table.nodes + SAMPLES; }

/* x := x_(n-1) + h x, at all places. */
static void from_left(const keel_boundary *w, const mesh *s, int i, double *x)
{
    int nx = w->flow.nx;
    double h = s->t[i + 1] - s->t[i];
    const double *left = s->u.x + (ptrdiff_t)i * nx;
    for (int q = 0; q < places(s); q++, x += nx)
        for (int j = 0; j < nx; j++) x[j] = left[j] + h * x[j];
}

/* x at all places from derivatives at the stages. */
static void plain_polynomial(keel_boundary *w, const mesh *s, int i)
{
    int nx = w->flow.nx, k = s->table.k;
    const double *K = s->u.K + (ptrdiff_t)i * k * nx;
    combine(places(s), k, nx, s->table.plain[0], STAGES_MOST, K, w->interval.plain);
    from_left(w, s, i, w->interval.plain);
}

/* Its derivative at places from..to - 1. */
static void plain_rates(keel_boundary *w, const mesh *s, int i, int from, int to)
{
    int nx = w->flow.nx, k = s->table.k;
    combine(to - from, k, nx, s->table.plain_value[from], STAGES_MOST,
            s->u.K + (ptrdiff_t)i * k * nx, w->interval.plain_rate + (ptrdiff_t)from * nx);
}

/* The same from derivatives at all nodes but the last, which are the first rows of `rate`. */
static void full_polynomial(keel_boundary *w, const mesh *s, int i)
{
    int nx = w->flow.nx, rates = s->table.rates, others = places(s) - rates;
    double *rate = w->interval.rate;
    combine(places(s), rates, nx, s->table.full[0], NODES_MOST, rate, w->interval.full);
    combine(others, rates, nx, s->table.full_value[rates], NODES_MOST, rate,
            rate + (ptrdiff_t)rates * nx);
    from_left(w, s, i, w->interval.full);
}

/* z at the nodes but the last is given; at the others by interpolation. */
static void full_algebraic(keel_boundary *w, const mesh *s)
{
    int m = w->flow.m, rates = s->table.rates;
    double *z = w->interval.z;
    combine(places(s) - rates, rates, m, s->table.full_value[rates], NODES_MOST, z,
            z + (ptrdiff_t)rates * m);
}

/* z by the polynomial through the stages, at all places. */
static void plain_algebraic(keel_boundary *w, const mesh *s, int i)
{
    int m = w->flow.m, k = s->table.k;
    combine(places(s), k, m, s->table.plain_value[0], STAGES_MOST, s->u.z + (ptrdiff_t)i * k * m,
            w->interval.z);
}

/* Nodes of the stages are 1..k; those of the ends 0 and rates - 1, for Radau IIA a stage as well. */
static void stage_algebraic(keel_boundary *w, const mesh *s, int i)
{
    int nx = w->flow.nx, m = w->flow.m, n = w->flow.n, k = s->table.k;
    const double *left = s->edge_y + (ptrdiff_t)2 * i * n + nx, *right = left + n;
    double *z = w->interval.z;
    memcpy(z, left, (size_t)m * sizeof *z);
    memcpy(z + m, s->u.z + (ptrdiff_t)i * k * m, (size_t)k * (size_t)m * sizeof *z);
    memcpy(z + (ptrdiff_t)(s->table.rates - 1) * m, right, (size_t)m * sizeof *z);
    full_algebraic(w, s);
}

/* Largest difference of two polynomials at the nodes. */
static double change(const keel_boundary *w, const mesh *s, const double *a, const double *b)
{
    int nx = w->flow.nx;
    double largest = 0;
    for (int q = 0; q < s->table.nodes * nx; q++)
        largest = larger_error(w, largest, fabs(a[q] - b[q]), q % nx, a[q]);
    return largest;
}

/* Derivatives at both ends, as far as the filter lets them. */
static void end_rates(keel_boundary *w, const mesh *s, int i)
{
    int nx = w->flow.nx, k = s->table.k;
    double *rate = w->interval.rate, *change_of = w->y2;
    memcpy(rate + nx, s->u.K + (ptrdiff_t)i * k * nx, (size_t)k * (size_t)nx * sizeof *rate);
    for (int end = 0; end < 2; end++) {
        int place = end ? s->table.rates - 1 : 0;
        const double *f = s->edge_f + (ptrdiff_t)(2 * i + end) * nx;
        const double *own = w->interval.plain_rate + (ptrdiff_t)place * nx;
        plain_rates(w, s, i, place, place + 1);
        for (int j = 0; j < nx; j++) change_of[j] = f[j] - own[j];
        filter_apply(w, change_of);
        for (int j = 0; j < nx; j++) rate[place * nx + j] = own[j] + change_of[j];
    }
}

/* y = (x1(c), z) and f there, by the linear equations of the stage:  f = K + A dx,  dz = -C dx */
static int linear_rate(keel_boundary *w, const mesh *s, int i, int c, double *y, double *f)
{
    int nx = w->flow.nx, m = w->flow.m;
    const double *K = s->u.K + ((ptrdiff_t)i * s->table.k + c) * nx, *X = stage_x(w, s, i) + c * nx;
    double *dx = w->work, *change_of = dx + nx;          /* of f, and -dz */
    for (int j = 0; j < nx; j++) dx[j] = y[j] - X[j];
    int rc = local_motion(w, stage_of(s, i, c), dx, change_of);
    for (int j = 0; j < nx; j++) f[j] = K[j] + change_of[j];
    for (int j = 0; j < m; j++) y[nx + j] -= change_of[nx + j];
    return rc;
}

/* f at x1(c_i); the defects become the right-hand side of the global estimate. */
static int stage_rates(keel_boundary *w, mesh *s, int i, int linear)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k, rc = 0;
    double h = s->t[i + 1] - s->t[i], *y = w->y;
    for (int c = 0; c < k && !rc; c++) {
        ptrdiff_t at = (ptrdiff_t)i * k + c;
        double *defect = s->residual.K + at * nx, *rate = w->interval.rate + (ptrdiff_t)(c + 1) * nx;
        memcpy(y, w->interval.full + (ptrdiff_t)(c + 1) * nx, (size_t)nx * sizeof *y);
        memcpy(y + nx, s->u.z + at * m, (size_t)m * sizeof *y);
        if (linear) rc = linear_rate(w, s, i, c, y, w->fh);
        else rc = point_solve(w, s->t[i] + s->table.c[c] * h, y, stage_of(s, i, c), w->fh);
        for (int j = 0; j < nx; j++) w->y2[j] = defect[j] = w->fh[j] - rate[j];
        filter_apply(w, w->y2);
        for (int j = 0; j < nx; j++) rate[j] += w->y2[j];
        memcpy(w->interval.z + (ptrdiff_t)(c + 1) * m, y + nx, (size_t)m * sizeof *y);
    }
    return rc;
}

/* The end is the mesh value, to the last bit, and projected where that is asked for. */
static void store(keel_boundary *w, mesh *s, int i, const double *x)
{
    int n = w->flow.n, nx = w->flow.nx, m = w->flow.m;
    double *value = s->value + (ptrdiff_t)i * s->table.nodes * n;
    double *end = value + (ptrdiff_t)(s->table.rates - 1) * n;
    for (int q = 0; q < s->table.nodes; q++, value += n) {
        memcpy(value, x + (ptrdiff_t)q * nx, (size_t)nx * sizeof *value);
        memcpy(value + nx, w->interval.z + (ptrdiff_t)q * m, (size_t)m * sizeof *value);
    }
    memcpy(end, s->u.x + (ptrdiff_t)(i + 1) * nx, (size_t)nx * sizeof *end);
}

/* The stages' own polynomial and its error; the better of both stays. */
static int try_plain(keel_boundary *w, mesh *s, int i, double *best_x, double *best_z)
{
    double x, z;
    (w->options.unenriched ? plain_algebraic : stage_algebraic)(w, s, i);
    plain_rates(w, s, i, s->table.nodes, places(s));
    int rc = estimate_local(w, s, i, w->interval.plain, w->interval.plain_rate, &x, &z);
    if (rc || !(fmax(x, z) < fmax(*best_x, *best_z))) return rc;
    store(w, s, i, w->interval.plain);
    *best_x = x;
    *best_z = z;
    s->plain[i] = 1;
    return 0;
}

/* ---- meshes that are too coarse ------------------------------------------------------------ */

/* How far x1 is from u, and no more: x1 stays. */
static void leave_rough(keel_boundary *w, mesh *s, int i, double change_of)
{
    stage_algebraic(w, s, i);
    store(w, s, i, w->interval.full);
    s->resolved = 0;
    s->error_x = fmax(s->error_x, change_of);
}

/* Where the stages of interval i would have its left end, or its right one. */
static void point_of_stages(const keel_boundary *w, const mesh *s, int i, int right, double *x)
{
    combine(1, s->table.k, w->flow.nx, s->table.plain_value[right ? s->table.rates - 1 : 0], STAGES_MOST,
            stage_x(w, s, i), x);
}

/* How far the stages on both sides of mesh point j are from each other there, and x from both. */
static void jump_at(const keel_boundary *w, const mesh *s, int j, double *jump, double *spike)
{
    int nx = w->flow.nx;
    const double *x = s->u.x + (ptrdiff_t)j * nx;
    double *left = w->y, *right = w->y2;
    point_of_stages(w, s, j - 1, 1, left);
    point_of_stages(w, s, j, 0, right);
    *jump = *spike = 0;
    for (int l = 0; l < nx; l++) {
        double weight = error_weight(w, l, x[l]);
        *jump = fmax(*jump, fabs(left[l] - right[l]) * weight);
        *spike = fmax(*spike, fabs(x[l] - 0.5 * (left[l] + right[l])) * weight);
    }
}

/* Gauss points do not damp what layers that are not resolved do to mesh values, R(inf) = 1: these have
 * spikes in all stiff intervals up to far from the layer, while the stages are right.  Both sides of
 * a spike agree on where its point should be; a layer is where they do not.  Which part of an
 * estimate is due to mesh point j itself: */
static double jump_part(const keel_boundary *w, const mesh *s, int j)
{
    double jump, spike;
    if (j == 0 || j == s->N) return 1;
    jump_at(w, s, j, &jump, &spike);
    return jump < spike ? jump / spike : 1;
}

/* The same estimate for all intervals: others would be larger, those of z above all. */
static void rough_estimates(const keel_boundary *w, mesh *s)
{
    double right, left = jump_part(w, s, 0);
    for (int i = 0; i < s->N; i++, left = right) {
        right = jump_part(w, s, i + 1);
        s->estimate[i] = s->rough[i] * (s->stiff[i] ? fmax(left, right) : 1);
        s->plain[i] = 1;
    }
}

/* At both ends of everything conditions may make layers, as wide as 1/|A|.  Where an interval there is stiff,
 * and the end is farther from where its stages would have it than any other mesh point, the layer is in
 * it, and it is known how wide it is: no need to find it by one mesh after the other.  [Found with layers of
 * width 1e-4 and the turning point, which has none there; judged by layers of width 1e-3 and by
 * test_fresh.c.] */
static int layer_at(const keel_boundary *w, const mesh *s, int end)
{
    enum { MOST = 16 };
    static const double seen = 30, narrow = 5;   /* tolerances; |hA| of intervals that resolve it */
    static const double stiff = 10;              /* |hA| of those that do not              */
    int nx = w->flow.nx, j = end ? s->N : 0, count = 0;
    double jump, spike, own = 0, *side = w->y2;
    if (s->stiffness[end] < stiff) return 0;
    point_of_stages(w, s, end ? s->N - 1 : 0, end, side);
    for (int l = 0; l < nx; l++) {
        double x = s->u.x[(ptrdiff_t)j * nx + l];
        own = fmax(own, fabs(x - side[l]) * error_weight(w, l, x));
    }
    if (!(own > seen)) return 0;
    for (int i = 1; i < s->N; i++) {
        jump_at(w, s, i, &jump, &spike);
        if (spike > own) return 0;
    }
    for (double size = s->stiffness[end]; size > narrow && count < MOST; size /= 3) count++;
    return count;
}

/* ---- intervals ----------------------------------------------------------------------------- */

/* Do the factors say what f is at x1, `first` from X?  They are wrong by Newton's contraction, and by more
 * where derivatives of h are differences, which a large projector multiplies; where g is collocated they
 * are not those of h. */
static int is_linear(const keel_boundary *w, double first)
{
    static const double little = 0.05;           /* of the tolerance */
    double wrong = flow_is_direct(w->spec.problem) ? w->contraction : fmax(w->contraction, 1e-2);
    return !w->direct && wrong * first <= little;
}

/* x2, or u where that is better; errors of x and z. */
static int settle(keel_boundary *w, mesh *s, int i, double first, double *x, double *z)
{
    size_t values = (size_t)s->table.nodes * (size_t)w->flow.nx;
    memcpy(w->interval.before, w->interval.full, values * sizeof *w->interval.before);
    stage_algebraic(w, s, i);
    int rc = stage_rates(w, s, i, is_linear(w, first));
    if (rc) return rc;
    full_algebraic(w, s);
    full_polynomial(w, s, i);
    double second = change(w, s, w->interval.full, w->interval.before);
    rc = estimate_local(w, s, i, w->interval.full, w->interval.rate, x, z);
    store(w, s, i, w->interval.full);
    return !rc && second > settled * first && second > 1 ? try_plain(w, s, i, x, z) : rc;
}

static int is_rough(const keel_boundary *w, double change_of)
{
    return change_of > fmin(unresolved, fmax(10, unresolved_part / w->tolerance));
}

static int enrich_interval(keel_boundary *w, mesh *s, int i)
{
    double x = INFINITY, z = INFINITY;
    int rc = interval_rates(w, s, i);
    if (rc) return rc;
    filter_make(w, s, i);
    plain_polynomial(w, s, i);
    s->plain[i] = 0;
    if (s->table.enriched && !w->options.unenriched) {
        end_rates(w, s, i);
        full_polynomial(w, s, i);
        double first = s->rough[i] = change(w, s, w->interval.full, w->interval.plain);
        s->stiff[i] = (char)w->interval.undamped;
        memcpy(stage_x(w, s, i), w->interval.plain + w->flow.nx,
               (size_t)s->table.k * (size_t)w->flow.nx * sizeof *w->interval.plain);
        if (i == 0 || i == s->N - 1) s->stiffness[i > 0] = w->interval.stiffness;
        if ((!s->resolved || is_rough(w, first)) && !w->options.uniform) {
            leave_rough(w, s, i, first);
            return 0;
        }
        rc = settle(w, s, i, first, &x, &z);
    } else rc = try_plain(w, s, i, &x, &z);
    s->estimate[i] = fmax(x, z);
    s->error_x = fmax(s->error_x, x);
    s->error_y = fmax(s->error_y, z);
    return rc;
}

int enrich_mesh(keel_boundary *w, mesh *s)
{
    int rc = points_fill(w, s);
    s->resolved = 1;
    s->layer[0] = s->layer[1] = 0;
    s->stiffness[0] = s->stiffness[1] = 0;
    s->error_x = s->error_y = s->error_global = 0;
    memset(s->next.x, 0, (size_t)(s->next.K - s->next.x) * sizeof *s->next.x);
    for (int i = 0; i < s->N && !rc; i++) rc = enrich_interval(w, s, i);
    if (rc) return rc;
    for (int end = 0; end < 2 && s->N > 1; end++) s->layer[end] = layer_at(w, s, end);
    if (!s->resolved) rough_estimates(w, s);
    memcpy(s->source, s->estimate, (size_t)s->N * sizeof *s->source);
    if (s->resolved && (!s->table.enriched || !w->options.unenriched)) rc = estimate_global(w, s);
    if (!rc && s->resolved && s->table.enriched && !w->options.unenriched) estimate_spikes(w, s);
    return rc;
}
