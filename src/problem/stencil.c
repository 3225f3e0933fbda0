#include "problem/stencil.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/difference.h"

/* Weights of the shifts 1, 2, ..., for order 2, 4, 6, 8. */
static const double central_weight[2][4][4] = {
    {{1.0 / 2}, {2.0 / 3, -1.0 / 12}, {3.0 / 4, -3.0 / 20, 1.0 / 60},
     {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}},
    {{1}, {4.0 / 3, -1.0 / 12}, {3.0 / 2, -3.0 / 20, 1.0 / 90},
     {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}}};

static const stencil backward[2] = {
    {5, {0, -1, -2, -3, -4}, {25.0 / 12, -4, 3, -4.0 / 3, 1.0 / 4}},
    {6, {0, -1, -2, -3, -4, -5}, {15.0 / 4, -77.0 / 6, 107.0 / 6, -13, 61.0 / 12, -5.0 / 6}}};

static stencil scaled(stencil s, int derivative, double delta)
{
    for (int k = 0; k < s.points; k++) {
        s.shift[k] *= delta;
        s.weight[k] /= derivative == 1 ? delta : delta * delta;
    }
    return s;
}

stencil central_stencil(int derivative, int order, double delta)
{
    const double *weight = central_weight[derivative - 1][order / 2 - 1];
    stencil s = {0};
    double middle = 0;
    for (int k = 1; k <= order / 2; k++)
        for (int side = -1; side <= 1; side += 2) {
            double w = derivative == 1 ? side * weight[k - 1] : weight[k - 1];
            s.shift[s.points] = side * k;
            s.weight[s.points++] = w;
            middle -= w;
        }
    if (derivative == 2) s.weight[s.points++] = middle;
    return scaled(s, derivative, delta);
}

stencil time_stencil(const evaluator *e, double t, int derivative, int order, double delta)
{
    double along = e->limited && (e->t_limit - t) < 0 ? -delta : delta;
    int near = e->limited && (e->t_limit - t) / along < order / 2;
    if (e->limited && e->t_limit == t) along = e->limit_direction * delta;
    return near ? scaled(backward[derivative - 1], derivative, along)
                : central_stencil(derivative, order, along);
}

double line_increment(double start, double part, int size, const double *x, const double *reach,
                      const double *w)
{
    double most = start;
    for (int j = 0; j < size; j++) {
        double limit = part * (reach ? reach[j] : 1 + fabs(x[j]));
        if (fabs(w[j]) * most > limit) most = limit / fabs(w[j]);
    }
    return most;
}

static int level_of_constraint(void *context, double t, const double *y, double *g)
{
    return eval_level(context, 0, t, y, g);
}

/* d g / d t at fixed y with e->time_scale. */
static int time_derivative(evaluator *e, double t, const double *y, double *value, double *slope)
{
    difference d = {.value = level_of_constraint, .context = e, .rows = e->problem->constraints,
                    .t = t, .x = y, .one = value};
    stencil s = time_stencil(e, t, 1, 4, 0.01 * e->time_scale);
    return difference_along(&d, &s, 1, NULL, slope);
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
        if (rc > 0) rc = time_derivative(e, t, y, value, slope);         /* was it by chance? */
        if (rc < 0) return rc;
        if (rc > 0) {                            /* outside the domain: nearer */
            agreeing = 0;
            continue;
        }
        for (int i = 0; i < m; i++) last[i] -= slope[i];
        double size[2] = {norm_max(m, last), norm_max(m, slope)};
        if (e->reducer) ranks_reduce(e->reducer, 0, NULL, 2, size);
        rc = eval_outcome(e);
        if (rc < 0) return rc;
        if (rc > 0) {
            agreeing = 0;
            continue;
        }
        int close = size[0] <= 1e-7 * size[1] + 1e-9;
        agreeing = agreeing == 0 ? 1 : close ? agreeing + 1 : 1;
        if (agreeing == 3) break;
        memcpy(last, slope, (size_t)m * sizeof *last);
    }
    e->time_scale /= ratio * ratio;              /* the largest of the three */
    return 0;
}

/* The scale of a formulation is that of its original. */
static int settle(evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    if (!p->original || keel_problem_levels(p) <= 1) return p->levels > 1 ? settle_levels(e, t, y) : 0;
    keel_formulation_to(p, y, e->original_y);
    for (int i = 0; i < p->original->n; i++)
        if (isnan(e->original_y[i])) e->original_y[i] = 0;      /* eliminated multipliers */
    int rc = settle(eval_original(e), t, e->original_y);
    e->time_scale = e->original->time_scale;
    if (rc) e->fault = e->original->fault;
    return rc;
}

/* A mechanical problem that gives all derivatives of its constraints has nothing to difference in time;
 * formulations of it may. */
int settle_time_scale(evaluator *e, double t, const double *y)
{
    const unsigned parts = KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME | KEEL_CURVATURE;
    const keel_problem *p = e->problem;
    if (p->ops == &mechanical_form && mechanical_gives(p, parts)) return 0;
    return settle(e, t, y);
}
