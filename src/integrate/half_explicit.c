/* half_explicit.c -- half-explicit Runge-Kutta methods for Hessenberg and mechanical problems.
 *
 * y advances explicitly and the multipliers of each stage make the constraint hold at a later point
 * (half_explicit.h); index 3 is advanced through its velocity constraint, and the position
 * constraint is met by projection.  Multipliers at the new point come from the hidden constraint
 *
 *   0 = g_y f(t, y, z) + g_t,   0 = d/dt (g_u f + g_t),   [M G^T; G 0][a; l] = [f; -gamma]
 *
 * or are those of the last stage.  The local error is sum_i (b - b_hat)_i h f_i after one Newton
 * step of the embedded solution to the constraint, without which the lower stage order of Z would
 * show in it [Murua 1997]; or the difference of one step and two of half the size over 2^p - 1
 * [HNW93 II.4 (4.4)].
 */
#include "integrate/half_explicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

static const double
    newton_room = 0.3,           /* the step may grow until Newton's rate, ~ h, is this     */
    rounding = 0.1 * DBL_EPSILON, /* below that of the largest unknown, for the sake of others */
    newton_fraction = 1e-3,      /* of the tolerance, for Newton's error in a stage        */
    noise_index2 = 1e-11,        /* relative size of Newton updates that no longer shrink:  */
    noise_index3 = 1e-9;         /* rounding, and differences in g_u and g_t               */

/* ---- creation ----------------------------------------------------------------------------- */

/* Of constraint point i: given, or that of the next stage and b. */
static const double *point_row(const keel_tableau *t, int i)
{
    return t->A_constraint ? t->A_constraint + i * t->stages
         : i + 1 < t->stages ? t->A + (i + 1) * t->stages : t->b;
}

static int check(keel_solver *s)
{
    const keel_tableau *t = &s->method->tableau;
    const keel_problem *p = s->problem;
    int S = t->stages;
    if (!form_has(p, FORM_HALF_EXPLICIT))
        return fail(&s->message, KEEL_UNSUPPORTED,
                    "%s is half-explicit: it needs a problem that tells its derivatives, but this one "
                    "is %s. Try an implicit method, like radau-iia", t->name, p->ops->name);
    if (s->options.multipliers == KEEL_MULTIPLIERS_POLYNOMIAL)
        return fail(&s->message, KEEL_UNSUPPORTED,
                    "%s is half-explicit: no polynomial goes through its stages. Multipliers come "
                    "from the hidden constraint, or are those of the last stage (recursion)",
                    t->name);
    for (int i = 0; i < S; i++) {
        const double *row = point_row(t, i);
        int zeros = 1;
        for (int j = 0; j < S; j++) zeros &= row[j] == 0;
        if (row[i] == 0 && !(t->A_constraint && i == 0 && zeros))
            return fail(&s->message, KEEL_UNSUPPORTED,
                        "%s is not half-explicit: the multipliers of stage %d do not act on the "
                        "constraint after it, because the coefficient of that stage is 0", t->name,
                        i + 1);
    }
    return KEEL_OK;
}

static void stage_buffers(arena *a, keel_solver *s, half_state *e)
{
    const keel_problem *p = s->problem;
    int n = p->group[0], m = e->m, mechanical = form_has(p, FORM_ACCELERATIONS);
    int entries = mechanical ? p->jacobian_entries : 0;
    if (!mechanical) directions_layout(a, &e->directions, p, 0, s->eval.engine);
    e->saddle = mechanical && !mechanical_is_sparse(p) ? saddle_layout(a, n, m) : NULL;
    if (!e->saddle) ARENA_OWN(a, e, saddle, saddle_tape);
    e->mass = ARENA(a, double, mechanical ? p->mass_entries : 0);
    ARENA_VECTORS(a, entries, &e->G_stage, &e->G_point);
    e->force = ARENA(a, double, n);
    e->drive = ARENA(a, double, m);
}

static void layout(arena *a, keel_solver *s)
{
    half_state *e = s->state;
    int n = s->n, S = s->stages;
    e->m = s->problem->constraints;
    e->d = n - e->m;
    ARENA_KEEP(a, e, worst, newton_floor);
    ARENA_LINKS(a, e, G_stage, G_point);         /* which change places */
    e->points = ARENA(a, double, (size_t)S * (size_t)S);
    ARENA_VECTORS(a, S, &e->point_nodes, &e->reach, &e->error_weights);
    e->slopes = ARENA(a, double, (size_t)S * (size_t)e->d);
    ARENA_VECTORS(a, n, &e->stage, &e->point, &e->value, &e->weight, &e->y_new, &e->y_half, &e->y_other);
    ARENA_VECTORS(a, e->d, &e->base, &e->change, &e->slope, &e->slope_new);
    e->guess = ARENA(a, double, e->m);
    stage_buffers(a, s, e);
    s->dense.values = ARENA(a, double, (size_t)HERMITE_POINTS * (size_t)n);
}

static void set_points(half_state *e, const keel_tableau *t)
{
    int S = t->stages;
    e->imposes_end = -1;
    e->given_first = t->A_constraint && t->A_constraint[0] == 0;
    for (int i = 0; i < S; i++) {
        const double *row = point_row(t, i);
        memcpy(e->points + i * S, row, (size_t)S * sizeof *row);
        e->point_nodes[i] = t->A_constraint ? t->c_constraint[i] : i + 1 < S ? t->c[i + 1] : 1;
        double defect = 0;
        for (int j = 0; j < S; j++) defect = fmax(defect, fabs(row[j] - t->b[j]));
        if (defect <= 8 * DBL_EPSILON) e->imposes_end = i;
        if (t->b_hat) e->error_weights[i] = t->b[i] - t->b_hat[i];
    }
    if (!t->b_hat) e->error_weights = NULL;
    for (int i = 0; i < S; i++) {
        double largest = fabs(t->b[i]), own = fabs(e->points[i * S + i]);
        for (int k = i; k < S; k++)
            largest = fmax(largest, fmax(fabs(t->A[k * S + i]), fabs(e->points[k * S + i])));
        e->reach[i] = own > 0 ? largest / own : 1;
    }
}

static int create(keel_solver *s)
{
    half_state *e = s->state;
    const keel_tableau *t = &s->method->tableau;
    const keel_problem *p = s->problem;
    set_points(e, t);
    e->level = p->levels - 2;
    for (int k = 0; k < e->m; k++) e->mixed |= problem_is_algebraic(p, k);
    e->acts = p->levels > 1 ? &p->level[e->level] : NULL;
    e->order = t->order > 0 ? t->order : 1;
    if (p->levels > 1 && t->order_index2 > 0) e->order = t->order_index2;
    e->order_error = !t->b_hat ? e->order : t->order_hat > 0 ? t->order_hat : e->order - 1;
    if (e->order_error < 1) e->order_error = 1;
    int rc = e->directions.problem ? directions_create(&e->directions) : KEEL_OK;
    return rc || !mechanical_is_sparse(p) ? rc : mechanical_saddle(&e->saddle, p, 1);
}

static void release(keel_solver *s)
{
    half_state *e = s->state;
    directions_release(&e->directions);
    if (mechanical_is_sparse(s->problem)) saddle_free(e->saddle);
}

/* ---- start -------------------------------------------------------------------------------- */

/* Step doubling estimates the error of a method of order p by O(h^(p+1)); an embedded method of lower
 * order, by no more than O(h^p). */
static double error_rtol(const keel_solver *s, double rtol)
{
    const half_state *e = s->state;
    return e->order_error < e->order ? rtol : error_per_unit(rtol, e->order);
}

static void set_tolerances(keel_solver *s, double h)
{
    half_state *e = s->state;
    double size = 0, noise = e->level > 0 ? noise_index3 : noise_index2;
    error_weights(s, error_rtol, s->y, e->weight);
    for (int i = 0; i < e->d; i++)
        size = fmax(size, e->weight[i] * fmax(fabs(s->y[i]), fabs(h * e->slope[i])));
    size = norm_most(s->eval.reducer, size);
    e->newton_rounding = rounding * size;
    e->newton_tolerance = fmax(e->newton_rounding, newton_fraction);
    e->newton_floor = noise * size;
}

static attempt_result start(keel_solver *s)
{
    half_state *e = s->state;
    e->newton = (newton_monitor){.factor = 1, .rate = 1};
    if (e->saddle) saddle_forget(e->saddle);
    attempt_result result = half_multipliers(s, 1, s->t, s->y, e->slope);        /* whatever follows */
    if (result == ATTEMPT_DONE) result = measure_levels(s, s->t, s->y, 0);
    if (result != ATTEMPT_DONE) return result;
    memcpy(s->yp, e->slope, (size_t)e->d * sizeof *s->yp);
    start_rates rates = {.n = e->d, .y = s->y, .slope = e->slope, .rtol = s->rtol, .atol = s->atol,
                         .reducer = s->eval.reducer};
    s->h_next = control_first(&rates, error_rtol(s, s->least_tolerance), 1.0 / (e->order_error + 1));
    return evaluation_result(s, eval_outcome(&s->eval));
}

/* ---- step --------------------------------------------------------------------------------- */

/* Weighted norm of the difference of two solutions over `share`. */
static attempt_result judge(keel_solver *s, const double *y, const double *other, double share)
{
    half_state *e = s->state;
    for (int i = 0; i < e->d; i++) e->value[i] = (y[i] - other[i]) / share;
    s->report.error = norm_root(s->eval.reducer, norm_sum(e->d, e->value, e->weight), e->d);
    report_worst(s, e->d, e->value, e->weight);
    return evaluation_result(s, eval_outcome(&s->eval));
}

/* The embedded solution, on the constraint. */
static attempt_result embedded_error(keel_solver *s, double h)
{
    half_state *e = s->state;
    memcpy(e->y_other, e->y_new, (size_t)s->n * sizeof *e->y_other);
    for (int j = 0; j < s->stages; j++)
        for (int i = 0; i < e->d; i++)
            e->y_other[i] -= h * e->error_weights[j] * e->slopes[j * e->d + i];
    attempt_result result = half_pull(s, s->t + h, e->y_other);
    return result == ATTEMPT_DONE ? judge(s, e->y_new, e->y_other, 1) : result;
}

/* One step and two of half the size, which are kept. */
static attempt_result doubled(keel_solver *s, double h)
{
    half_state *e = s->state;
    double middle = s->t + h / 2, *slope = e->slope_new;
    attempt_result result = half_step(s, s->t, s->y, e->slope, h, e->y_other);
    if (result == ATTEMPT_DONE) result = half_step(s, s->t, s->y, e->slope, h / 2, e->y_half);
    if (result != ATTEMPT_DONE) return result;
    if (e->given_first) result = half_slope(s, middle, e->y_half, slope);
    if (result != ATTEMPT_DONE) return result;
    result = half_step(s, middle, e->y_half, slope, h / 2, e->y_new);
    return result == ATTEMPT_DONE ? judge(s, e->y_new, e->y_other, pow(2, e->order) - 1) : result;
}

static attempt_result attempt(keel_solver *s, double h)
{
    half_state *e = s->state;
    set_tolerances(s, h);
    e->worst_rate = 0;
    attempt_result result = e->unfit ? half_matrix(s, s->t, s->y) : ATTEMPT_DONE;
    if (result != ATTEMPT_DONE) return result;
    if (s->options.step == 0 && !e->error_weights) return doubled(s, h);
    result = half_step(s, s->t, s->y, e->slope, h, e->y_new);
    if (result != ATTEMPT_DONE) return result;
    s->report.error = 0;
    return s->options.step == 0 ? embedded_error(s, h) : result;
}

/* Where the method imposes the only constraint level on y, projection would move nothing. */
static int needs_projection(const keel_solver *s)
{
    const half_state *e = s->state;
    int met = e->level == 0 && e->imposes_end >= 0 && !s->problem->original && !s->attached;
    return (e->m > 0 || s->attached) && s->options.projection != KEEL_PROJECT_NONE && !met;
}

/* Cubic Hermite interpolation [HNW93 II.6 (6.7)], multipliers linearly. */
static void store_dense(keel_solver *s, double h)
{
    half_state *e = s->state;
    int n = s->n;
    dense_ends(s, h, HERMITE_POINTS, hermite_nodes, hermite_barycentric, e->y_new);
    for (int k = 1; k < HERMITE_POINTS - 1; k++) {
        double x = hermite_nodes[k], *value = s->dense.values + k * n;
        for (int i = 0; i < n; i++)
            value[i] = i < e->d ? hermite(x, h, s->y[i], e->y_new[i], e->slope[i], e->slope_new[i])
                                : s->y[i] + x * (e->y_new[i] - s->y[i]);
    }
}

static attempt_result accept(keel_solver *s, double h, double t_new)
{
    half_state *e = s->state;
    attempt_result result = ATTEMPT_DONE;
    int wanted = s->options.multipliers == KEEL_MULTIPLIERS_HIDDEN;
    int found = wanted && form_has(s->problem, FORM_ACCELERATIONS);      /* which need nothing else */
    acceptance_begin(s, e->y_new);
    if (needs_projection(s)) result = project_new(s, t_new, e->y_new, found);
    if (result == ATTEMPT_DONE) result = half_multipliers(s, wanted, t_new, e->y_new, e->slope_new);
    if (result == ATTEMPT_DONE) result = measure_levels(s, t_new, e->y_new, 0);
    if (result == ATTEMPT_DONE) result = acceptance_check(s, h, e->y_new, e->weight);
    if (result != ATTEMPT_DONE) return result;
    store_dense(s, h);
    memcpy(s->y, e->y_new, (size_t)s->n * sizeof *s->y);
    memcpy(s->yp, e->slope_new, (size_t)e->d * sizeof *s->yp);
    memcpy(e->slope, e->slope_new, (size_t)e->d * sizeof *e->slope);
    record_stages(s, s->stages);
    return ATTEMPT_DONE;
}

static void next(keel_solver *s, double h)
{
    half_state *e = s->state;
    if (h == 0) return;
    double growth = control_factor(&s->control, h, s->report.error, 1.0 / (e->order_error + 1),
                                   1, 1);
    if (s->report.error < 1 && e->worst_rate > 0)
        growth = fmin(growth, fmax(1, newton_room / e->worst_rate));
    s->h_next = h * growth;
}

const integrator half_explicit_integrator = {
    .name = "half-explicit", .fixed_lag = 1, .safety = 0.9, .growth = 5,
    .state_size = sizeof(half_state), .layout = layout, .create = create, .release = release,
    .start = start, .attempt = attempt, .accept = accept, .next = next, .check = check};
