/* conditioning.c -- how much the solution is changed by what is given, from the factors that are there.
 *
 *   kappa_boundary   largest |x_n| for unit changes of one condition, scaled to derivatives of 1
 *   kappa_green      largest |x_n| for changes of x' by +-1 everywhere
 *   projector        largest row sum of f_z (g_x f_z)^-1 g_x, index 2
 *   rounding         eps max(1, kappa) max(1, |h_z^-1 h_x| |x| / (1 + |z|))
 *
 * Only the condensed system is solved: each of these costs less than a correction.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "boundary/rows.h"

enum { PATTERNS = 4 };
static const double half_of_digits = 1e-8;

static double largest_of(size_t count, const double *x)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
    return largest;
}

/* What responses are looked at for. */
typedef struct observed {
    double beside;               /* largest |x_n| / (1 + |x_n of the solution|)            */
    double *profile;             /* [N + 1] largest |x_n|, or NULL                         */
} observed;

/* Largest |x_n|. */
static double response(keel_boundary *w, mesh *s, observed *to)
{
    size_t nx = (size_t)w->flow.nx, count = (size_t)(s->N + 1) * nx;
    blocks_solve(w, s, &s->spare, &s->next);
    for (size_t i = 0; i < count; i++)
        to->beside = fmax(to->beside, fabs(s->next.x[i]) / (1 + fabs(s->u.x[i])));
    for (size_t j = 0; to->profile && j < count; j++)
        to->profile[j / nx] = fmax(to->profile[j / nx], fabs(s->next.x[j]));
    return largest_of(count, s->next.x);
}

/* What is changed: a condition, by its largest derivative, as it may be written in any unit; or x' by +-1, in
 * signs that change from interval to interval, and from unknown to unknown, or not. */
static int changes(const keel_boundary *w) { return w->rows + w->spec.inner + PATTERNS; }

static int is_pattern(const keel_boundary *w, int which) { return which >= w->rows + w->spec.inner; }

/* The right-hand side that such a change is; 0: none, but a condition of the library. */
static int make_change(keel_boundary *w, mesh *s, int which, unknowns *r)
{
    int nx = w->flow.nx, inner = w->spec.inner, pattern = which - w->rows - inner;
    const double *scale = s->dense_scale + nx + inner;
    const double *inner_scale = s->dense_scale + 2 * nx + w->flow.np;
    if (which >= w->spec.conditions && which < w->rows) return 0;
    memset(r->x, 0, (size_t)(s->N + 1) * (size_t)nx * sizeof *r->x);
    memset(r->end, 0, (size_t)mesh_points(w) * (size_t)w->flow.m * sizeof *r->end);
    memset(r->condition, 0, (size_t)(w->rows + inner) * sizeof *r->condition);
    if (!is_pattern(w, which)) {
        r->condition[which] = 1 / (which < w->rows ? scale[which] : inner_scale[which - w->rows]);
        return 1;
    }
    for (int j = 1; j <= s->N; j++)
        for (int i = 0; i < nx; i++) {
            int odd = ((pattern & 1) && (j & 1)) != ((pattern & 2) && (i & 1));
            double h = s->t[j] - s->t[j - 1];
            r->x[(ptrdiff_t)j * nx + i] = odd ? -h : h;
        }
    return 1;
}

static double boundary_response(keel_boundary *w, mesh *s, observed *to)
{
    double largest = 0;
    for (int i = 0; !is_pattern(w, i); i++)
        if (make_change(w, s, i, &s->spare)) largest = fmax(largest, response(w, s, to));
    return largest;
}

static double green_response(keel_boundary *w, mesh *s, observed *to)
{
    double largest = 0;
    for (int i = changes(w) - PATTERNS; i < changes(w); i++)
        if (make_change(w, s, i, &s->spare)) largest = fmax(largest, response(w, s, to));
    return largest;
}

/* Of the first stage of every interval; -1: there is no constraint of index 2. */
static double projector_norm(keel_boundary *w, mesh *s)
{
    int nx = w->flow.nx, m = w->flow.m;
    double largest = 0;
    if (w->spec.problem->ops != &hessenberg2_form) return -1;
    for (int i = 0; i < s->N; i++) {
        if (interval_linear(w, s, i)) return -1;
        const local *l = stage_of(s, i, 0);
        double t = stage_values(w, s, &s->u, i, 0, w->y), *column = w->work;
        if (eval_constraint_jacobian(&w->flow.e, flow_time(&w->flow, t, NULL), w->y, w->flow.G))
            return -1;
        memset(w->interval.square, 0, (size_t)nx * (size_t)nx * sizeof *column);
        for (int j = 0; j < nx; j++) {
            for (int r = 0; r < m; r++) column[r] = w->flow.G[r * nx + j];
            dense_solve(m, l->h_z, l->pivot, column);
            for (int r = 0; r < nx; r++)
                for (int c = 0; c < m; c++)
                    w->interval.square[r * nx + j] += l->f_z[r * m + c] * column[c];
        }
        for (int r = 0; r < nx; r++) {
            double sum = 0;
            for (int j = 0; j < nx; j++) sum += fabs(w->interval.square[r * nx + j]);
            largest = fmax(largest, sum);
        }
    }
    return largest;
}

/* How much larger, beside what is asked for, errors of z are than those of x. */
static double amplification(keel_boundary *w, mesh *s)
{
    int nx = w->flow.nx, m = w->flow.m, k = s->table.k;
    double largest = 1, *dz = w->y2;
    for (ptrdiff_t j = 0; j < (ptrdiff_t)s->N * k && m; j++) {
        if (interval_linear(w, s, (int)(j / k))) return INFINITY;
        const local *l = stage_of(s, (int)(j / k), (int)(j % k));
        const double *x = s->u.x + j / k * nx, *z = s->u.z + j * m;
        if (w->sparse && local_follow(w, l, x, dz)) return INFINITY;
        for (int r = 0; r < m; r++) {
            double sum = 0;
            for (int i = 0; i < nx && !w->sparse; i++) sum += fabs(l->C[r * nx + i] * x[i]);
            if (w->sparse) sum = fabs(dz[r]);    /* without its absolute values */
            largest = fmax(largest, sum / (1 + fabs(z[r])));
        }
    }
    return largest;
}

/* Returns the largest response beside 1 + |x|. */
static double measure(keel_boundary *w, mesh *s)
{
    keel_boundary_stats *t = &w->stats;
    observed to = {.beside = 1};
    t->kappa_boundary = boundary_response(w, s, &to);
    t->kappa_green = green_response(w, s, &to);
    t->projector = projector_norm(w, s);
    t->rounding = DBL_EPSILON * to.beside * amplification(w, s);
    return to.beside;
}

void conditioning_profile(keel_boundary *w, mesh *s, double *boundary, double *green)
{
    boundary_response(w, s, &(observed){.profile = boundary});
    green_response(w, s, &(observed){.profile = green});
}

static int refuse(keel_boundary *w)
{
    const keel_boundary_stats *t = &w->stats;
    return fail(&w->message, KEEL_ILL_CONDITIONED, "rounding errors allow for a relative accuracy of "
                "%.2g only, as unit changes of conditions change the solution by %.2g and those of "
                "the right-hand side by %.2g: ask for less, or impose conditions where the solution "
                "depends on them less", t->rounding, t->kappa_boundary, t->kappa_green);
}

/* The mean of |dx| / (1 + |x|) over the stages, of the unknown that has the largest.  In thin layers, where
 * x' is large, x may change by much without that: if the mesh resolves them they are short, and if it does
 * not, the stages do not see them. */
static double mean_response(keel_boundary *w, mesh *s)
{
    int nx = w->flow.nx, k = s->table.k;
    double largest = 0;
    s->reduced = 0;
    collocation_solve(w, s, &s->residual, &s->step);
    for (int l = 0; l < nx; l++) w->y2[l] = 0;
    for (int i = 0; i < s->N; i++) {
        const double *x = s->u.x + (ptrdiff_t)i * nx;
        double part = (s->t[i + 1] - s->t[i]) / (s->t[s->N] - s->t[0]) / k;
        all_stages(w, s, &s->step, i, w->stages);
        for (int j = 0; j < k * nx; j++)
            w->y2[j % nx] += part * fabs(w->stages[j]) / (1 + fmax(fabs(x[j % nx]), fabs(x[nx + j % nx])));
    }
    for (int l = 0; l < nx; l++) largest = fmax(largest, w->y2[l]);
    return largest;
}

/* Errors as small as what is asked for may change the solution visibly, and estimates, which are of first
 * order, do not say so unless the problem is linear: where a layer may be anywhere, the mesh decides where it
 * is.  [Found with Burgers' equation, test_estimate.c; test_textbook.c has linear problems with layers, whose
 * x' alone is as sensitive, and one with many solutions.] */
static int is_arbitrary(keel_boundary *w, mesh *s, double beside)
{
    static const double sensitive = 1e4, visible = 1e-3, linear = 1e-7;
    if (!(beside > sensitive && beside * w->tolerance > visible && w->contraction > linear) ||
        w->options.uniform || w->following) return 0;
    for (int i = 0; i < changes(w); i++) {
        memset(s->residual.x, 0, s->count * sizeof *s->residual.x);
        if (make_change(w, s, i, &s->residual) && mean_response(w, s) > sensitive) return 1;
    }
    return 0;
}

static int arbitrary(keel_boundary *w)
{
    const keel_boundary_stats *t = &w->stats;
    return fail(&w->message, KEEL_ILL_CONDITIONED, "this may be one of many: unit changes of conditions "
                "change the solution by %.2g and those of the right-hand side by %.2g, so that errors "
                "of %.2g may have made it what it is. Ask for more accuracy, or impose other conditions",
                t->kappa_boundary, t->kappa_green, w->tolerance);
}

/* On equal intervals the solution is shown all the same. */
static int noisy(keel_boundary *w)
{
    const keel_boundary_stats *t = &w->stats;
    return fail(&w->message, KEEL_ILL_CONDITIONED, "rounding errors change the solution of these equations "
                "by %.2g (relative), as unit changes of the right-hand side change it by %.2g: its last "
                "digits mean nothing", w->rounding * w->tolerance, t->kappa_green);
}

/* Does a change of the parameter by its size change x by more than the tolerance, or a condition? */
static int is_determined(keel_boundary *w, const mesh *s, int parameter)
{
    int nx = w->flow.nx, np = w->flow.np;
    double size = 1 + fabs(s->u.p[parameter]), effect = 0, *row = w->J_p;
    for (int j = 0; j < s->N; j++)
        for (int i = 0; i < nx; i++) {
            double x = s->u.x[(ptrdiff_t)(j + 1) * nx + i];
            double change = s->P[((ptrdiff_t)j * nx + i) * np + parameter] * size;
            effect = fmax(effect, fabs(change) * s->N * error_weight(w, i, x));
        }
    for (int i = 0; i < w->rows + w->spec.inner && effect < 1; i++) {
        memset(w->y, 0, (size_t)w->flow.n * sizeof *w->y);
        memset(w->y2, 0, (size_t)w->flow.n * sizeof *w->y2);
        if (i < w->rows) conditions_row(w, s, i, w->y, w->y2, row);
        else conditions_inner_row(w, s, i - w->rows, w->y, row);
        double others = largest_of((size_t)nx, w->y) + largest_of((size_t)nx, w->y2);
        if (fabs(row[parameter]) * size > w->tolerance * others) effect = 1;
    }
    return effect >= 1;
}

static int undetermined(keel_boundary *w, int parameter)
{
    return fail(&w->message, KEEL_SINGULAR, "the parameter %s is not determined: no other value of it "
                "would change this solution, nor a condition. It may be a trivial one (a motion at "
                "rest has any period): another guess may lead to the one that is meant",
                keel_parameter_name(w->spec.problem, w->flow.which[parameter]));
}

int conditioning_check(keel_boundary *w, mesh *s)
{
    int rc = w->flow.np ? collocation_residual(w, s, &s->u, &s->residual) : 0;
    if (!rc && w->flow.np) rc = collocation_factor(w, s);        /* at the solution itself */
    if (rc) return boundary_failure(w, s, rc);
    for (int j = 0; j < w->flow.np; j++)
        if (!is_determined(w, s, j)) return undetermined(w, j);
    double beside = measure(w, s);
    if (w->broken) return boundary_failure(w, s, w->broken);
    if (is_arbitrary(w, s, beside)) return arbitrary(w);
    if (w->options.uniform && w->rounding * fmin(1, w->tolerance / half_of_digits) > 1) return noisy(w);
    return w->stats.rounding <= w->tolerance || w->options.uniform ? KEEL_OK : refuse(w);
}

int conditioning_hopeless(keel_boundary *w, mesh *s)
{
    static const double hopeless = 1e-3;
    keel_boundary_stats *t = &w->stats;
    measure(w, s);
    t->rounding = DBL_EPSILON * fmax(t->kappa_boundary, t->kappa_green);
    return t->rounding <= hopeless ? KEEL_OK : refuse(w);
}
