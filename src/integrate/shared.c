/* shared.c -- what every integrator needs: tolerances, method sets, bookkeeping. */
#include <math.h>
#include <string.h>

#include "integrate/integrator.h"

void method_set_layout(arena *a, method_set *set, int first, int last)
{
    set->first = first;
    set->last = last;
    for (int s = first; s <= last; s++) {
        radau_iia(a, s, &set->method[s]);
        set->nodes[s] = ARENA(a, double, s + 1);
        set->barycentric[s] = ARENA(a, double, s + 1);
        if (!a->base) continue;
        set->nodes[s][0] = 0;
        memcpy(set->nodes[s] + 1, set->method[s].c, (size_t)s * sizeof(double));
        barycentric_weights(s + 1, set->nodes[s], set->barycentric[s]);
    }
}

void dense_begin(keel_solver *s, const method_set *set, int stages, double h)
{
    s->dense.t0 = s->t;
    s->dense.h = h;
    s->dense.points = stages + 1;
    s->dense.nodes = set->nodes[stages];
    s->dense.barycentric = set->barycentric[stages];
    memcpy(s->dense.values, s->y, (size_t)s->n * sizeof *s->y);
}

/* The relative tolerance of unknown i; its absolute one where there is no other. */
static double tolerance_of(const keel_solver *s, int i)
{
    return s->rtol[i] > 0 ? s->rtol[i] : s->atol[i];
}

void error_weights(const keel_solver *s, int stages, error_tolerance *rule, double *weight)
{
    double last = -1, ratio = 0;
    for (int i = 0; i < s->n; i++) {
        double rtol = tolerance_of(s, i);
        if (rtol != last) {
            ratio = rule(rtol, stages) / rtol;
            last = rtol;
        }
        weight[i] = 1 / (ratio * (s->atol[i] + s->rtol[i] * fabs(s->y[i])));
    }
}

double least_tolerance(const keel_solver *s)
{
    double least = INFINITY;
    for (int i = 0; i < s->n; i++) least = fmin(least, tolerance_of(s, i));
    return least;
}

keel_storage choose_storage(const keel_solver *s)
{
    const keel_pattern *p = &s->problem->pattern;
    switch (s->options.linear) {
    case KEEL_LINEAR_DENSE: return KEEL_DENSE;
    case KEEL_LINEAR_BAND: return KEEL_BAND;
    case KEEL_LINEAR_SPARSE: return KEEL_SPARSE;
    default: break;
    }
    if (p->storage == KEEL_BAND) return 2 * p->lower + p->upper < s->n / 2 ? KEEL_BAND : KEEL_DENSE;
#ifdef KEEL_WITH_KLU
    if (p->storage == KEEL_SPARSE && s->n >= 30) return KEEL_SPARSE;
#endif
    return KEEL_DENSE;
}

double newton_scale(const keel_solver *s, int stages, error_tolerance *rule)
{
    double least = least_tolerance(s);
    return least / rule(least, stages);
}

int newton_limit(const keel_solver *s, int stages)
{
    if (s->options.newton_limit > 0) return s->options.newton_limit;
    if (s->options.step > 0) return 50;
    return stages < 3 ? 5 : (int)(7 + 2.5 * (stages - 3));       /* [HW99] */
}

void record_residuals(keel_solver *s, const double residual[3])
{
    for (int k = 0; k < 3; k++) {
        s->residual[k] = k < s->problem->levels ? residual[k] : -1;
        if (!(s->residual[k] <= s->stats.residual[k])) s->stats.residual[k] = s->residual[k];
    }
}

void record_stages(keel_solver *s, int stages)
{
    keel_stats *stats = &s->stats;
    if (stats->stages_low == 0 || stages < stats->stages_low) stats->stages_low = stages;
    if (stages > stats->stages_high) stats->stages_high = stages;
}

attempt_result evaluation_result(keel_solver *s, int rc)
{
    if (rc == 0) return ATTEMPT_DONE;
    s->report.variable = -1;
    s->report.factor = 0.25;
    if (rc > 0) return ATTEMPT_CANNOT_EVALUATE;
    s->report.status = KEEL_CALLBACK_FAILED;
    return ATTEMPT_STOP;
}

projection_plan projection_plan_of(const keel_solver *s, int multipliers)
{
    return (projection_plan){.kind = s->options.projection, .metric = s->options.metric,
                             .weight = s->weight, .multipliers = multipliers,
                             .stiffly_accurate = !s->method || s->method->stiffly_accurate};
}

projection_plan projection_plan_on_request(const keel_solver *s)
{
    projection_plan plan = projection_plan_of(s, 1);
    plan.stiffly_accurate = 0;
    if (plan.kind != KEEL_PROJECT_EXPLICIT && plan.kind != KEEL_PROJECT_ORTHOGONAL)
        plan.kind = KEEL_PROJECT_OBLIQUE;
    return plan;
}
