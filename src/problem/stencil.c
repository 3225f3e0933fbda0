#include "problem/stencil.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"

static const stencil central = {4, {-2, -1, 1, 2}, {1, -8, 8, -1}};
static const stencil backward = {5, {0, -1, -2, -3, -4}, {25, -48, 36, -16, 3}};

stencil time_stencil(const evaluator *e, double t, double delta)
{
    double along = e->limited && (e->t_limit - t) < 0 ? -delta : delta;
    int near = e->limited && (e->t_limit - t) / along < 2;
    if (e->limited && e->t_limit == t) along = e->limit_direction * delta;
    stencil s = near ? backward : central;
    for (int k = 0; k < s.points; k++) {
        s.shift[k] *= along;
        s.weight[k] /= 12 * along;
    }
    return s;
}

stencil central_stencil(double delta)
{
    stencil s = central;
    for (int k = 0; k < s.points; k++) {
        s.shift[k] *= delta;
        s.weight[k] /= 12 * delta;
    }
    return s;
}

/* d g / d t at fixed y with e->time_scale. */
static int time_derivative(evaluator *e, double t, const double *y, double *value, double *slope)
{
    int m = e->problem->constraints, rc = 0;
    stencil d = time_stencil(e, t, 0.01 * e->time_scale);
    memset(slope, 0, (size_t)m * sizeof *slope);
    for (int k = 0; k < d.points && !rc; k++) {
        rc = eval_level(e, 0, t + d.shift[k], y, value);
        for (int i = 0; i < m; i++) slope[i] += d.weight[k] * value[i];
    }
    return rc;
}

static int settle_levels(evaluator *e, double t, const double *y)
{
    /* Irrational ratios and three scales that agree, lest a periodic g be sampled in step. */
    const double first = 0.3819660113, ratio = 0.1357914731;
    int m = e->problem->constraints, agreeing = 0;
    double *value = e->work[6], *slope = e->work[7], *last = e->work[8];
    double unit = fmax(1, fabs(t));
    for (e->time_scale = first * unit; e->time_scale > 1e-12 * unit; e->time_scale *= ratio) {
        int rc = time_derivative(e, t, y, value, slope);
        if (rc < 0) return rc;
        if (rc > 0) {                            /* outside the domain: nearer */
            agreeing = 0;
            continue;
        }
        for (int i = 0; i < m; i++) last[i] -= slope[i];
        int close = norm_max(m, last) <= 1e-7 * norm_max(m, slope) + 1e-9;
        agreeing = agreeing == 0 ? 1 : close ? agreeing + 1 : 1;
        if (agreeing == 3) break;
        memcpy(last, slope, (size_t)m * sizeof *last);
    }
    e->time_scale /= ratio * ratio;              /* the largest of the three */
    return 0;
}

/* The scale of a formulation is that of its original. */
static int settle_original(evaluator *e, double t, const double *y)
{
    int n = e->problem->original->n;
    keel_formulation_to(e->problem, y, e->original_y);
    for (int i = 0; i < n; i++)
        if (isnan(e->original_y[i])) e->original_y[i] = 0;      /* eliminated multipliers */
    int rc = settle_time_scale(eval_original(e), t, e->original_y);
    e->time_scale = e->original->time_scale;
    if (rc) e->fault = e->original->fault;
    return rc;
}

int settle_time_scale(evaluator *e, double t, const double *y)
{
    int inherited = e->problem->original && keel_problem_levels(e->problem) > 1;
    if (inherited) return settle_original(e, t, y);
    return e->problem->levels > 1 ? settle_levels(e, t, y) : 0;
}
