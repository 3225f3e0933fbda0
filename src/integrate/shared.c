/* shared.c -- what every integrator needs: tolerances, method sets, bookkeeping. */
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/integrator.h"
#include "step/mechanical_point.h"

/* The ends, and every stage between them whose node is not taken yet. */
static void dense_nodes(arena *a, method_set *set, int stages)
{
    const stage_method *m = &set->method[stages];
    double *nodes = set->nodes[stages] = ARENA(a, double, stages + 2);
    int *source = set->source[stages] = ARENA(a, int, stages + 1), count = 1;
    set->barycentric[stages] = ARENA(a, double, stages + 2);
    if (!a->base) return;
    nodes[0] = 0;
    for (int i = 0; i < m->s; i++) {
        int taken = !(m->c[i] > 1e-10 && m->c[i] < 1 - 1e-10);
        for (int k = 1; k < count; k++) taken |= fabs(m->c[i] - nodes[k]) < 1e-10;
        if (taken) continue;
        nodes[count] = m->c[i];
        source[count++] = i;
    }
    nodes[count++] = 1;
    set->points[stages] = count;
    barycentric_weights(count, nodes, set->barycentric[stages]);
}

static int method_slices(arena *a, method_set *set, int stages)
{
    int rc = set->own ? stage_method_of(a, set->own, &set->method[stages])
                      : radau_iia(a, stages, &set->method[stages]);
    dense_nodes(a, set, stages);
    set->resolving[stages] = ARENA(a, double, stages);
    const stage_method *m = &set->method[stages];
    if (a->base) resolution_weights(m->s, m->c, set->resolving[stages]);
    return rc;
}

static void method_set_tape(tape *t, void *at, size_t bytes)
{
    method_set *set = at;
    (void)bytes;
    TAPE(t, set->known);
    for (int s = set->first; s <= set->last && t->loading && !t->status; s++) {
        int known = set->known[s];
        set->known[s] = 0;
        if (known) t->status = method_set_need(set, s);
    }
}

void method_set_layout(arena *a, method_set *set, const keel_solver *s)
{
    const keel_method *m = s->method;
    set->own = m && !m->radau_iia ? m : NULL;
    set->first = m ? m->tableau.stages - m->explicit_first : FEWEST_STAGES;
    set->last = m ? set->first : MOST_STAGES;
    arena_list(a, set, sizeof *set, method_set_tape);
    for (int k = set->first; k <= set->last; k++) {
        arena measured = {0};
        method_slices(&measured, set, k);
        set->memory[k] = ARENA(a, char, measured.used);
        set->known[k] = 0;
    }
}

int method_set_need(method_set *set, int stages)
{
    if (set->known[stages]) return KEEL_OK;
    set->known[stages] = 1;
    return method_slices(&(arena){.base = set->memory[stages]}, set, stages);
}

int method_set_create(const keel_solver *s, method_set *set)
{
    int rc = KEEL_OK;
    for (int k = set->first; k <= set->last && s->modes == 1 && !rc; k++)
        rc = method_set_need(set, k);
    return rc;
}

void first_step(keel_solver *s, const double *slope, double tolerance, double exponent)
{
    start_rates rates = {.n = s->n, .y = s->y, .slope = slope, .rtol = s->rtol, .atol = s->atol,
                         .index = s->eval.variable_index, .reducer = s->eval.reducer};
    s->h_next = control_first(&rates, tolerance, exponent);
}

void dense_span(keel_solver *s, double h, int points, const double *nodes, const double *barycentric)
{
    s->dense = (interpolant){s->t, h, points, nodes, barycentric, s->dense.values};
}

void dense_ends(keel_solver *s, double h, int points, const double *nodes, const double *barycentric,
                const double *y_end)
{
    dense_span(s, h, points, nodes, barycentric);
    memcpy(s->dense.values, s->y, (size_t)s->n * sizeof *s->y);
    memcpy(s->dense.values + (points - 1) * s->n, y_end, (size_t)s->n * sizeof *y_end);
}

double move_squares(const keel_solver *s, const double *from, const double *to, const double *weight)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        double moved = (to[i] - from[i]) * weight[i];
        sum += moved * moved;
    }
    return sum;
}

double last_move(keel_solver *s, const double *weight)
{
    if (s->dense.points == 0) return INFINITY;
    return norm_root(s->eval.reducer, move_squares(s, s->dense.values, s->y, weight), s->n);
}

void error_weights(const keel_solver *s, error_tolerance *rule, const double *y, double *weight)
{
    for (int i = 0; i < s->n;) {
        const double rtol = relative_tolerance(s, i), ratio = rule(s, rtol) / rtol;
        do weight[i] = norm_weight(ratio * (s->atol[i] + s->rtol[i] * fabs(y[i])));
        while (++i < s->n && s->rtol[i] == rtol);
    }
}

keel_storage choose_storage(const keel_solver *s)
{
    const keel_pattern *p = &s->problem->pattern;
    switch (s->options.linear) {
    case KEEL_LINEAR_DENSE: return KEEL_DENSE;
    case KEEL_LINEAR_BAND: return KEEL_BAND;
    case KEEL_LINEAR_SPARSE:
    case KEEL_LINEAR_UMFPACK: return KEEL_SPARSE;
    default: break;
    }
    if (p->storage == KEEL_BAND) return 2 * p->lower + p->upper < s->n / 2 ? KEEL_BAND : KEEL_DENSE;
#ifdef KEEL_WITH_SPARSE
    if (p->storage == KEEL_SPARSE && s->n >= 30) return KEEL_SPARSE;
#endif
    return KEEL_DENSE;
}

double error_per_unit(double rtol, int order)
{
    static const double unit = 0.1;
    return rtol * fmin(1, pow(rtol / unit, 1.0 / order));
}

double newton_scale(const keel_solver *s, error_tolerance *rule)
{
    return s->least_tolerance / rule(s, s->least_tolerance);
}

int newton_limit(const keel_solver *s, int stages)
{
    if (s->options.newton_limit > 0) return s->options.newton_limit;
    if (s->options.step > 0) return 50;
    int most = stages < 3 ? 5 : (int)(7 + 2.5 * (stages - 3));   /* [HW99] */
    /* iterations in the pattern of a chain cost less than the J and the factors of a shorter step */
    return mechanical_is_sparse(s->problem) && stages > 2 ? 2 * most : most;
}

void record_residuals(keel_solver *s)
{
    for (int k = 0; k < s->levels; k++) {
        s->residual[k] = s->left[k];
        if (!(s->residual[k] <= s->stats.residual[k])) s->stats.residual[k] = s->residual[k];
    }
    if (s->attached) eval_deviation_keep(&s->eval);
}

static void widen(int *low, int *high, int value)
{
    if (*low == 0 || value < *low) *low = value;
    if (value > *high) *high = value;
}

void record_stages(keel_solver *s, int stages)
{
    widen(&s->stats.stages_low, &s->stats.stages_high, stages);
}

void record_order(keel_solver *s, int order) { widen(&s->stats.orders_low, &s->stats.orders_high, order); }

attempt_result evaluation_result(keel_solver *s, int rc)
{
    if (rc == 0) return ATTEMPT_DONE;
    s->report.variable = -1;
    s->report.factor = 0.25;
    if (rc > 0) return ATTEMPT_CANNOT_EVALUATE;
    s->report.status = s->eval.fault.code == FAULT_NO_MEMORY ? KEEL_NO_MEMORY : KEEL_CALLBACK_FAILED;
    return ATTEMPT_STOP;
}

void report_worst(keel_solver *s, int n, const double *x, const double *w)
{
    int worst = s->report.variable = norm_worst(n, x, w);
    s->report.share = n > 0 ? fabs(x[worst]) * w[worst] : 0;
}

attempt_result newton_attempt(keel_solver *s, newton_monitor *m, double tolerance, double floor,
                              newton_step *step, void *context)
{
    m->leaps = gauge_loose(s->eval.gauge) != NULL;
    newton_verdict verdict = newton_iterate(m, tolerance, floor, step, context);
    s->stats.newton += m->iterations;
    if (verdict == NEWTON_DONE) return ATTEMPT_DONE;
    if (verdict == NEWTON_STOPPED) return evaluation_result(s, m->code);
    s->report.factor = m->shrink;
    return ATTEMPT_NOT_CONVERGED;
}

attempt_result factoring_result(keel_solver *s, int rc)
{
    if (rc == 0) return ATTEMPT_DONE;
    s->report.status = rc;
    s->report.variable = rc - 1;
    s->report.factor = 0.5;
    return rc < 0 ? ATTEMPT_STOP : ATTEMPT_SINGULAR;
}

projection_plan projection_plan_of(const keel_solver *s, int multipliers)
{
    return (projection_plan){.kind = s->options.projection, .metric = s->options.metric,
                             .weight = s->weight, .multipliers = multipliers,
                             .stiffly_accurate = !s->method || s->method->stiffly_accurate};
}

attempt_result projection_attempt(keel_solver *s, projection_result result, int row)
{
    int own = s->problem->constraints > 0 && !s->problem->original;
    if (result == PROJECTION_CANNOT_EVALUATE) return evaluation_result(s, 1);
    if (result == PROJECTION_STOP) return evaluation_result(s, -1);
    s->report.factor = 0.5;
    s->report.variable = own ? s->n - s->problem->constraints + row : -1;
    return result == PROJECTION_DONE ? ATTEMPT_DONE
         : result == PROJECTION_SINGULAR ? ATTEMPT_SINGULAR : ATTEMPT_NOT_CONVERGED;
}

attempt_result point_attempt(keel_solver *s, const mechanical_point *p, projection_result result)
{
    attempt_result attempted = projection_attempt(s, result, 0);
    if (result == PROJECTION_SINGULAR || result == PROJECTION_DIVERGES)
        s->report.variable = p->variable;
    return attempted;
}

attempt_result project_and_measure(keel_solver *s, const projection_plan *plan, double t, double *y)
{
    int row = 0;
    const solver_mode *mode = &s->mode[s->active];
    eval_keep_levels(&s->eval, 1);
    projection_result result = projection_move(mode->projection, &s->eval, plan, mode->J, t, y, &row);
    if (!result) result = projection_residuals(mode->projection, &s->eval, t, y, plan->brief, 1, s->left);
    eval_keep_levels(&s->eval, 0);
    return projection_attempt(s, result, row);
}

/* To all levels and multipliers, whatever the options say of these. */
attempt_result project_on_request(keel_solver *s, double t, double *y)
{
    projection_plan plan = projection_plan_of(s, 1);
    plan.stiffly_accurate = 0;
    if (plan.kind != KEEL_PROJECT_EXPLICIT && plan.kind != KEEL_PROJECT_ORTHOGONAL)
        plan.kind = KEEL_PROJECT_OBLIQUE;
    s->stats.projections++;
    return project_and_measure(s, &plan, t, y);
}

attempt_result project_new(keel_solver *s, double t, double *y, int multipliers)
{
    int row = 0;
    const solver_mode *mode = &s->mode[s->active];
    const projection_plan plan = projection_plan_of(s, multipliers);
    s->stats.projections++;
    return projection_attempt(s, projection_move(mode->projection, &s->eval, &plan, mode->J, t, y, &row),
                              row);
}

attempt_result measure_levels(keel_solver *s, double t, const double *y, int brief)
{
    if (s->levels == 0) return ATTEMPT_DONE;
    projection *p = projection_of(s);
    return projection_attempt(s, projection_residuals(p, &s->eval, t, y, brief, 0, s->left), 0);
}
