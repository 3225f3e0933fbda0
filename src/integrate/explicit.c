/* explicit.c -- explicit Runge-Kutta methods, the fast path for what is not stiff.
 *
 *   k_i = x'(t_n + c_i h, x_n + h sum_j a_ij k_j),   x_(n+1) = x_n + h sum_i b_i k_i
 *
 * in the differential unknowns x (explicit.h); the first slope is that of the accepted point.
 * Local error: sum (b - b_hat)_i k_i, the formula 8(5,3) of DOP853 [HNW93 II.10] with two embedded
 * methods, or one step against two of half the size.
 */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "linear/lanes.h"

static const double
    first_part = 0.01,           /* of the tolerance, for the first step [HNW93 II.4]      */
    projection_left = 2e-15,     /* relative correction of positions that may remain       */
    algebraic_part = 1e-3;       /* Newton error of z relative to the tolerance            */

/* ---- creation ------------------------------------------------------------------------------- */

static int check(keel_solver *s)
{
    const keel_problem *p = s->problem;
    const char *method = s->method->tableau.name;
    if (form_has(p, FORM_STATE_SPACE)) {
        if (p->constraints <= ALGEBRAIC_MOST || form_has(p, FORM_ACCELERATIONS)) return KEEL_OK;
        return fail(&s->message, KEEL_UNSUPPORTED, "the explicit method %s solves for at most %d "
                    "algebraic unknowns, not %d: try radau-iia", method, ALGEBRAIC_MOST, p->constraints);
    }
    return fail(&s->message, KEEL_UNSUPPORTED, "the explicit method %s cannot advance a problem of "
                "the form %s%s", method, p->ops->name,
                p->ops->rate ? ": formulate it with index 1 or 0, or try a half-explicit method or "
                               "radau-iia"
                             : ", which does not give y': try an implicit method like radau-iia");
}

static void row_layout(arena *a, weight_row *row, int length)
{
    row->at = ARENA(a, int, length);
    row->weight = ARENA(a, double, length);
}

/* The nonzeros of x - y (y NULL: of x), of which `padded` slopes lie one after the other. */
static void row_fill(weight_row *row, int length, int padded, const double *x, const double *y)
{
    row->count = 0;
    for (int j = 0; j < length; j++) {
        double weight = y ? x[j] - y[j] : x[j];
        if (weight == 0) continue;
        row->at[row->count] = j * padded;
        row->weight[row->count++] = weight;
    }
}

/* Two rows of weights, where one of them at least is not zero. */
static void corner_fill(weight_row *row, int length, int padded, const double *weight)
{
    for (int k = 0; k < 2; k++) {
        row[k].count = 0;
        for (int j = 0; j < length; j++) {
            if (weight[j] == 0 && weight[length + j] == 0) continue;
            row[k].at[row[k].count] = j * padded;
            row[k].weight[row[k].count++] = weight[k * length + j];
        }
    }
}

static void tableau_layout(arena *a, explicit_state *e, const keel_tableau *t)
{
    int s = t->stages, all = e->all;
    e->row = ARENA_OBJECT(a, weight_row, all);
    weight_row measured, *b[] = {&e->b, &e->error, &e->second, &e->corner[0], &e->corner[1]};
    for (int i = 0; i < all; i++) row_layout(a, e->row ? &e->row[i] : &measured, all);
    for (int k = 0; k < 5; k++) row_layout(a, b[k], s);
    if (!e->row) return;
    for (int i = 0; i < s; i++) row_fill(&e->row[i], i, e->padded, t->A + i * s, NULL);
    for (int i = s; i < all; i++)
        row_fill(&e->row[i], i, e->padded, t->A_extra + (i - s) * (s + t->extra), NULL);
    row_fill(&e->b, s, e->padded, t->b, NULL);
    if (t->b_hat) row_fill(&e->error, s, e->padded, t->b, t->b_hat);
    if (t->b_second) row_fill(&e->second, s, e->padded, t->b, t->b_second);
    if (t->corner) corner_fill(e->corner, s, e->padded, t->corner);
}

static void algebraic_layout(arena *a, explicit_state *e, const keel_problem *p)
{
    algebraic_solver *z = &e->algebraic;
    size_t m = (size_t)e->m;
    coloring_layout(a, &z->colors, p);
    problem_matrix_layout(a, &z->J, p);
    for (int k = 0; k < 2; k++) {
        z->factors[k].g_z = ARENA(a, double, m * m);
        z->factors[k].pivot = ARENA(a, int, m);
    }
    z->step = ARENA(a, double, m);
    z->Z = ARENA(a, double, (size_t)e->all * m);
    z->resolving = ARENA(a, double, e->stages);
    for (int k = 0; k < 2; k++) ARENA_KEEP(a, z, factors[k].known, factors[k].known);
}

static void layout(arena *a, keel_solver *s)
{
    explicit_state *e = s->state;
    const keel_problem *p = s->problem;
    const keel_tableau *t = &s->method->tableau;
    int mechanical = form_has(p, FORM_ACCELERATIONS);
    int semi_explicit = !mechanical && p->constraints > 0;
    e->mechanical = mechanical;
    e->n = p->group[0];
    e->m = mechanical || semi_explicit ? p->constraints : 0;
    e->d = mechanical ? 2 * e->n : e->n;
    e->padded = lanes(e->d);
    e->stages = t->stages;
    ARENA_LINKS(a, e, K, weight);                /* some of which change places */
    ARENA_LINKS(a, e, algebraic.use, algebraic.use);
    ARENA_KEEP(a, e, algebraic.sign, algebraic.tolerance);
    ARENA_KEEP(a, e, weights_known, turning);
    e->all = t->stages + t->extra;
    e->doubling = !t->b_hat && s->options.step == 0;
    tableau_layout(a, e, t);
    ARENA_VECTORS(a, (size_t)e->all * (size_t)e->padded, &e->K, &e->K_done);
    ARENA_VECTORS(a, e->padded + s->n, &e->x, &e->x_new, &e->x_old, &e->slope, &e->slope_new, &e->slope_old,
                  &e->stage, &e->half, &e->full, &e->half_slope, &e->inside, &e->estimate, &e->weight);
    if (mechanical) point_layout(a, &e->point, p);
    if (semi_explicit) algebraic_layout(a, e, p);
    explicit_dense_layout(a, s, e);
}

/* Is the last stage the new point? */
static int same_last(const keel_tableau *t)
{
    int s = t->stages, same = s > 1 && t->c[s - 1] == 1 && t->b[s - 1] == 0;
    for (int j = 0; j < s - 1; j++) same &= fabs(t->A[(s - 1) * s + j] - t->b[j]) <= 1e-15;
    return same;
}

static int create(keel_solver *s)
{
    explicit_state *e = s->state;
    const keel_tableau *t = &s->method->tableau;
    const keel_problem *p = s->problem;
    int order = t->order > 0 ? t->order : 1;
    int order_hat = t->order_hat > 0 ? t->order_hat : order - 1;
    e->same_last = same_last(t);
    e->exponent = t->b_second ? 1.0 / order
                : 1.0 / ((e->doubling || order < order_hat ? order : order_hat) + 1);
    e->projected = p->original || p->attached.rows > 0 || p->levels > 1;
    if (e->algebraic.Z) {
        coloring_build(&e->algebraic.colors, p);
        resolution_weights(e->stages, t->c, e->algebraic.resolving);
    }
    int rc = e->mechanical ? point_create(&e->point) : KEEL_OK;
    if (rc || !e->mechanical) return rc;
    const keel_mechanical_spec *spec = &p->spec.mechanical;
    int given = spec->evaluate ? !!(spec->provides & KEEL_CURVATURE) : spec->curvature != NULL;
    e->tangential = e->m > 0 && !given;
    e->point.left = projection_left;
    return KEEL_OK;
}

static void release(keel_solver *s)
{
    explicit_state *e = s->state;
    point_release(&e->point);
}

/* ---- start ----------------------------------------------------------------------------------- */

static void set_weights(keel_solver *s)
{
    explicit_state *e = s->state;
    for (int i = 0; i < s->n; i++) e->weight[i] = norm_weight(s->atol[i] + s->rtol[i] * fabs(e->x[i]));
}

attempt_result explicit_ask(keel_solver *s)
{
    if (s->eval.reducer) ranks_reduce(s->eval.reducer, 0, NULL, 0, NULL);
    return evaluation_result(s, eval_outcome(&s->eval));
}

/* x'' from an Euler step in which no unknown changes by more than a thousandth, and which stays at
 * t, because the direction is not known; 0 where it cannot be evaluated. */
static attempt_result bent_step(keel_solver *s)
{
    explicit_state *e = s->state;
    start_rates rates = {.n = e->d, .y = e->x, .slope = e->slope, .rtol = s->rtol, .atol = s->atol,
                         .reducer = s->eval.reducer};
    double h = 0.01 * control_first(&rates, 1, e->exponent);
    memcpy(e->stage, e->x, (size_t)s->n * sizeof *e->x);
    for (int i = 0; i < e->d; i++) e->stage[i] += h * e->slope[i];
    attempt_result result = explicit_rate(s, s->t, e->stage, e->half_slope, 0);
    if (result == ATTEMPT_DONE) result = explicit_ask(s);
    if (result == ATTEMPT_STOP) return result;
    for (int i = 0; i < e->d; i++)
        e->half_slope[i] = result == ATTEMPT_DONE ? (e->half_slope[i] - e->slope[i]) / h : 0;
    s->eval.fault = (fault){0};
    rates.bend = e->half_slope;
    s->h_next = control_first(&rates, first_part * s->least_tolerance, e->exponent);
    return ATTEMPT_DONE;
}

static struct mechanical_point *place(keel_solver *s)
{
    explicit_state *e = s->state;
    if (!e->mechanical) return NULL;
    e->point.y = e->x_new;
    e->point.a = e->slope_new + e->n;
    return &e->point;
}

/* Was the point left where the run begins, with its accelerations? */
static int knows_start(const keel_solver *s)
{
    const explicit_state *e = s->state;
    const unsigned wanted = POINT_POSITION | POINT_FORCES | POINT_ACCELERATION;
    return e->mechanical && (e->point.known & wanted) == wanted && e->point.t == s->t &&
           memcmp(e->x_new, s->y, (size_t)e->d * sizeof *s->y) == 0;
}

static attempt_result start(keel_solver *s)
{
    explicit_state *e = s->state;
    s->placed = s->placed && knows_start(s);
    if (!s->placed) point_forget(&e->point);
    e->stability = e->mean_stability = e->turning = 0;
    e->smooth[0] = e->smooth[1] = (sighting){0};
    e->corner_found = 0;
    e->algebraic.use = e->algebraic.factors;
    e->algebraic.use->known = e->algebraic.sign = 0;
    e->algebraic.tolerance = s->options.step > 0 ? 0 : algebraic_part;
    memcpy(e->x, s->y, (size_t)s->n * sizeof *s->y);
    memcpy(e->x_new, s->y, (size_t)s->n * sizeof *s->y);
    set_weights(s);
    attempt_result result = explicit_settle(s, s->t, 1);
    if (result == ATTEMPT_DONE) result = explicit_ask(s);
    if (result != ATTEMPT_DONE) return result;
    memcpy(e->x, e->x_new, (size_t)s->n * sizeof *e->x);
    memcpy(e->slope, e->slope_new, (size_t)e->d * sizeof *e->slope);
    memcpy(s->y, e->x, (size_t)s->n * sizeof *s->y);
    set_weights(s);
    s->h_next = 1;
    result = explicit_foresee(s);
    if (result != ATTEMPT_DONE) return result;
    int given = s->options.step > 0 || s->options.first_step > 0;
    return given || explicit_stiff(s) ? ATTEMPT_DONE : bent_step(s);     /* no explicit step is taken then */
}

/* ---- step ------------------------------------------------------------------------------------ */

/* Start values of z at stage i: the line through z_n and the earlier stage with the nearest c. */
static void predict_algebraic(explicit_state *e, const keel_tableau *t, int i, const double *x)
{
    int m = e->m, near = 0;
    const double *z = x + e->d;
    double *start = e->stage + e->d;
    for (int j = 1; j < i; j++)
        if (t->c[j] > 0 && (!near || fabs(t->c[j] - t->c[i]) <= fabs(t->c[near] - t->c[i])))
            near = j;
    double ratio = near ? t->c[i] / t->c[near] : 0;
    for (int k = 0; k < m; k++)
        start[k] = z[k] + (near ? ratio * (e->algebraic.Z[near * m + k] - z[k]) : 0);
}

/* The slopes of a step h from (t, x), whose own slope is given. */
static attempt_result compute_stages(keel_solver *s, double t, double h, const double *x, const double *slope)
{
    explicit_state *e = s->state;
    const keel_tableau *rk = &s->method->tableau;
    int semi_explicit = e->algebraic.Z != NULL;
    attempt_result result = ATTEMPT_DONE;
    memcpy(e->K, slope, (size_t)e->padded * sizeof *e->K);
    for (int i = rk->c[0] == 0; i < e->stages && result == ATTEMPT_DONE; i++) {
        weighted_sum(&e->row[i], e->padded, h, e->K, x, e->stage);
        if (semi_explicit) predict_algebraic(e, rk, i, x);
        int full = !semi_explicit && i == e->stages - 1;         /* the projection needs factors */
        result = explicit_rate(s, t + rk->c[i] * h, e->stage, e->K + i * e->padded, full);
        if (semi_explicit)
            memcpy(e->algebraic.Z + i * e->m, e->stage + e->d, (size_t)e->m * sizeof *e->stage);
    }
    return result;
}

/* x_new := x + h sum b_i k_i, with the algebraic unknowns of the last stage as a first guess. */
static void combine(explicit_state *e, double h, const double *x, double *x_new)
{
    weighted_sum(&e->b, e->padded, h, e->K, x, x_new);
    if (e->algebraic.Z)
        memcpy(x_new + e->d, e->stage + e->d, (size_t)e->m * sizeof *x_new);
}

/* One step of size h in `full`, two of half the size in x_new, whose error is the difference over
 * 2^p - 1 [HNW93 II.4 (4.4)]. */
static attempt_result double_step(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    const keel_tableau *rk = &s->method->tableau;
    attempt_result result = compute_stages(s, s->t, h, e->x, e->slope);
    if (result != ATTEMPT_DONE) return result;
    combine(e, h, e->x, e->full);
    result = compute_stages(s, s->t, h / 2, e->x, e->slope);
    if (result != ATTEMPT_DONE) return result;
    combine(e, h / 2, e->x, e->half);
    result = explicit_rate(s, s->t + h / 2, e->half, e->half_slope, 0);
    if (result == ATTEMPT_DONE)
        result = compute_stages(s, s->t + h / 2, h / 2, e->half, e->half_slope);
    if (result != ATTEMPT_DONE) return result;
    combine(e, h / 2, e->half, e->x_new);
    double factor = 1 / (ldexp(1, rk->order) - 1);
    for (int i = 0; i < e->d; i++) e->estimate[i] = factor * (e->x_new[i] - e->full[i]);
    return ATTEMPT_DONE;
}

/* The M-orthogonal projection of the error to ker G, with the factors of the last stage: noise of a
 * differenced curvature lies in the range of M^-1 G^T. */
static void make_tangential(keel_solver *s)
{
    explicit_state *e = s->state;
    if (point_factor(&s->eval, &e->point)) return;               /* no stage but the first */
    double *x = e->half, *mu = s->eval.work[5];
    memset(x, 0, (size_t)e->d * sizeof *x);
    memset(mu, 0, (size_t)(2 * e->m) * sizeof *mu);
    for (int from = 0; from < e->d; from += e->n)
        subtract_inertia(s->problem, e->point.M, e->estimate + from, x + from);
    saddle_solve(e->point.kkt, 2, x, mu);
    s->stats.solves += 2;
    for (int i = 0; i < e->d; i++) e->estimate[i] = -x[i];
}

/* With two embedded methods err5^2 / sqrt(err5^2 + 0.01 err3^2) [HNW93 II.10 (10.17)]. */
static double error_norm(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    double sum[3] = {0, 0, e->d};                /* squares of both estimates, unknowns */
    if (e->second.count) {
        weighted_sum(&e->second, e->padded, h, e->K, NULL, e->full);
        sum[1] = norm_sum(e->d, e->full, e->weight);
    }
    if (!e->doubling) weighted_sum(&e->error, e->padded, h, e->K, NULL, e->estimate);
    if (e->tangential) make_tangential(s);
    sum[0] = norm_sum(e->d, e->estimate, e->weight);
    if (s->eval.reducer) ranks_reduce(s->eval.reducer, 3, sum, 0, NULL);
    double square = sum[0] / sum[2], other = sum[1] / sum[2];
    if (!e->second.count) return sqrt(square);
    return square > 0 ? square / sqrt(square + 0.01 * other) : 0;
}

static attempt_result attempt(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    s->report.factor = 0.5;
    s->report.error = 0;
    if (e->algebraic.Z && !e->algebraic.use->known) result = explicit_factor(s, s->t, e->x);
    if (result != ATTEMPT_DONE) return result;
    if (e->doubling) result = double_step(s, h);
    else {
        result = compute_stages(s, s->t, h, e->x, e->slope);
        if (result == ATTEMPT_DONE) combine(e, h, e->x, e->x_new);
    }
    if (result != ATTEMPT_DONE || s->options.step > 0) return result;
    s->report.error = error_norm(s, h);
    result = evaluation_result(s, eval_outcome(&s->eval));
    if (result != ATTEMPT_DONE) return result;
    if (e->corner[0].count && s->report.error < 1) explicit_watch(s, h);
    if (!(s->report.error < 1)) report_worst(s, e->d, e->estimate, e->weight);
    const algebraic_solver *z = &e->algebraic;
    if (z->Z && !e->doubling && !e->corner_found)
        resolution_of_values(s, e->m, e->stages, z->resolving, z->Z, 1 / e->exponent);
    return isfinite(s->report.error) ? ATTEMPT_DONE : ATTEMPT_NOT_CONVERGED;
}

/* ---- acceptance ------------------------------------------------------------------------------ */

static attempt_result accept(keel_solver *s, double h, double t_new)
{
    explicit_state *e = s->state;
    acceptance_begin(s, e->x_new);
    attempt_result result = explicit_settle(s, t_new, 0);
    if (result == ATTEMPT_DONE) result = acceptance_check(s, h, e->x_new, e->weight);
    if (result != ATTEMPT_DONE) return result;
    if (s->modes > 1) explicit_judge(s, h);
    if (e->corner[0].count) explicit_watch_accept(s);
    swap_vectors(&e->x_old, &e->x);
    swap_vectors(&e->x, &e->x_new);
    swap_vectors(&e->slope_old, &e->slope);
    swap_vectors(&e->slope, &e->slope_new);
    swap_vectors(&e->K, &e->K_done);
    dense_span(s, h, e->points, e->nodes, e->barycentric);
    s->dense_due = 1;
    memcpy(s->y, e->x, (size_t)s->n * sizeof *s->y);
    memcpy(s->yp, e->slope, (size_t)e->d * sizeof *s->yp);
    set_weights(s);
    record_stages(s, e->stages);
    return ATTEMPT_DONE;
}

/* ---- next step ------------------------------------------------------------------------------- */

static void next(keel_solver *s, double h)
{
    explicit_state *e = s->state;
    int corner = e->corner_found;
    double exponent = corner ? 1.0 / CORNER_POWER : e->exponent;
    e->corner_found = 0;
    if ((h == 0 || !(s->report.error < 1)) && !corner)
        explicit_suspect(s, h == 0 ? s->h_next / s->report.factor : h);
    if (h == 0 || s->options.step > 0) return;
    s->h_next = h * control_factor(&s->control, h, s->report.error, exponent, 1, 1);
}

const integrator explicit_integrator = {
    .name = "explicit", .safety = 0.8, .growth = 6, .beta = 0.02,
    .state_size = sizeof(explicit_state), .layout = layout, .create = create, .release = release,
    .start = start, .attempt = attempt, .accept = accept, .next = next, .dense = explicit_dense,
    .check = check, .stiff = explicit_stiff, .place = place};
