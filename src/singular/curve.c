#include "singular/curve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "method/tables.h"

static const double
    first = 1e-3, longest = 0.25,/* steps, in units of X                                   */
    least = 1e-13,               /* a step that is too short to go on                      */
    near = 0.9,                  /* |F_0^-1 F_1 - I| of neighbours                         */
    narrow = 2e-7, wider = 64,   /* of a bracket of det F = 0, in units of X, and the width */
                                 /* that it is compared with: rounding hides less          */
    in_proportion = 2,           /* det F over those widths, where branches cross          */
    no_residual = 16 * DBL_EPSILON,              /* g2 that is as good as 0                */
    no_turn = 1e-13;             /* gamma that is as good as 0: t is off by its square     */

enum { ATTEMPTS_MOST = 100, ROOT_MOST = 80 };

void curve_layout(arena *a, curve *c, const keel_problem *p)
{
    size_t size = (size_t)p->n + 1;
    c->tableau = NULL;
    for (int i = 0; tables_explicit[i]; i++)
        if (strcmp(tables_explicit[i]->name, "verner8") == 0) c->tableau = tables_explicit[i];
    chart_layout(a, &c->chart, p);
    double **vectors[] = {&c->X, &c->T, &c->trial, &c->T_trial, &c->y, &c->column, &c->end};
    for (int k = 0; k < 7; k++) *vectors[k] = ARENA(a, double, size);
    c->slope = ARENA(a, double, (size_t)c->tableau->stages * size);
    c->F = ARENA(a, double, size * size);
    c->F_trial = ARENA(a, double, size * size);
    c->pivot = ARENA(a, int, 2 * size);
}

void curve_create(curve *c, const keel_problem *p) { equations_create(&c->chart.q, p); }

/* F = [K; T^T] */
static void fill_frame(const curve *c, const double *T, double *F)
{
    size_t size = (size_t)c->chart.size;
    memcpy(F, c->chart.K, (size - 1) * size * sizeof *F);
    memcpy(F + (size - 1) * size, T, size * sizeof *F);
}

/* The chart at X, F there factored. */
static int settle(curve *c, const double *along)
{
    int size = c->chart.size, rc = chart_begin(&c->chart, c->X, along);
    if (rc) return rc;
    memcpy(c->T, c->chart.tangent, (size_t)size * sizeof *c->T);
    fill_frame(c, c->T, c->F);
    if (dense_factor(size, c->F, c->pivot)) return CHART_LOST;
    c->sign = dense_sign(size, c->F, c->pivot);
    c->size = dense_logarithm(size, c->F);
    return 0;
}

int curve_begin(curve *c, evaluator *e, double t, const double *x, const double *floor,
                double direction)
{
    int rc = equations_begin(&c->chart.q, e, t, x, floor);
    if (rc) return rc;
    equations_scaled(&c->chart.q, t, x, c->X);
    c->s = 0;
    c->h = first;
    c->h_most = longest;
    c->t_low = -INFINITY;
    c->t_high = c->s_most = INFINITY;
    c->sense = 1;
    rc = chart_land(&c->chart, c->X);
    if (!rc) rc = settle(c, NULL);
    return rc || direction > 0 ? rc : curve_turn(c);
}

int curve_turn(curve *c)
{
    for (int i = 0; i < c->chart.size; i++) c->column[i] = -c->T[i];
    c->sense = -c->sense;
    return settle(c, c->column);
}

/* ---- one step ------------------------------------------------------------------------------- */

/* c->y := h sum_j weight_j slope_j */
static void combine(curve *c, int stages, const double *weight, double h)
{
    int width = c->chart.q.rank + 1;
    memset(c->y, 0, (size_t)width * sizeof *c->y);
    for (int j = 0; j < stages; j++)
        for (int k = 0; k < width && weight[j] != 0; k++)
            c->y[k] += h * weight[j] * c->slope[j * width + k];
}

int curve_attempt(curve *c, double h, double *error)
{
    const keel_tableau *m = c->tableau;
    int s = m->stages, width = c->chart.q.rank + 1, rc = 0;
    double difference[64];
    chart_project(&c->chart, c->T, c->slope);
    for (int i = 1; i < s && !rc; i++) {
        combine(c, i, m->A + i * s, h);
        rc = chart_point(&c->chart, c->y, c->trial);
        if (!rc) rc = chart_tangent(&c->chart, c->T_trial);
        if (!rc) chart_project(&c->chart, c->T_trial, c->slope + i * width);
    }
    if (rc) return rc;
    for (int i = 0; i < s; i++) difference[i] = m->b[i] - m->b_hat[i];
    combine(c, s, difference, h);
    *error = 0;
    for (int k = 0; k < width; k++) *error = fmax(*error, fabs(c->y[k]));
    combine(c, s, m->b, h);
    rc = chart_point(&c->chart, c->y, c->trial);
    return rc ? rc : chart_tangent(&c->chart, c->T_trial);
}

/* |F_0^-1 F_1 - I| (Frobenius) of the last attempt. */
static double turn_of(curve *c)
{
    int size = c->chart.size;
    double sum = 0;
    fill_frame(c, c->T_trial, c->F_trial);
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++) c->column[i] = c->F_trial[i * size + j];
        dense_solve(size, c->F, c->pivot, c->column);
        c->column[j] -= 1;
        for (int i = 0; i < size; i++) sum += c->column[i] * c->column[i];
    }
    return sqrt(sum);
}

/* The sign of det F there, 0 where it vanishes, and its size in units of that at the beginning. */
static int side_of(curve *c, double *size)
{
    int n = c->chart.size, *pivot = c->pivot + n;
    fill_frame(c, c->T_trial, c->F_trial);
    *size = 0;
    if (dense_factor(n, c->F_trial, pivot)) return 0;
    *size = exp(dense_logarithm(n, c->F_trial) - c->size);
    return dense_sign(n, c->F_trial, pivot);
}

/* ---- points that are passed ----------------------------------------------------------------- */

typedef struct bracket {
    double low, high;            /* steps to both sides of det F = 0                       */
    double d_low, d_high;        /* |det F| there                                          */
    double wide_slope;           /* (d_low + d_high) / (high - low) when it was wider        */
} bracket;

/* Halves the bracket until it is narrow; c->end and c->trial become its ends. */
static int narrow_down(curve *c, bracket *b)
{
    size_t bytes = (size_t)c->chart.size * sizeof *c->X;
    double error;
    while (b->high - b->low > narrow) {
        double middle = b->low + 0.5 * (b->high - b->low), d;
        int rc = curve_attempt(c, middle, &error);
        if (rc > 0) rc = curve_attempt(c, middle = b->low + 0.4 * (b->high - b->low), &error);
        if (rc) return rc;
        if (side_of(c, &d) == c->sign) b->low = middle, b->d_low = d;
        else b->high = middle, b->d_high = d;
        if (b->high - b->low > wider * narrow)
            b->wide_slope = (b->d_low + b->d_high) / (b->high - b->low);
    }
    int rc = curve_attempt(c, b->low, &error);
    memcpy(c->end, c->trial, bytes);
    return rc ? rc : curve_attempt(c, b->high, &error);
}

/* |g2| between both ends of the bracket, where branches that cross have none. */
static int residual_between(curve *c, const bracket *b, double *most)
{
    int size = c->chart.size;
    double part = b->d_low / (b->d_low + b->d_high);
    for (int i = 0; i < size; i++) c->end[i] += part * (c->trial[i] - c->end[i]);
    c->crossing = c->end[size - 1] * c->chart.q.unit[size - 1];
    int rc = equations_value(&c->chart.q, c->end, c->column);
    *most = rc ? INFINITY : 0;
    for (int i = 0; i < c->chart.q.algebraic && !rc; i++) *most = fmax(*most, fabs(c->column[i]));
    return rc;
}

/* Does det F vanish in proportion to the way, on both sides of a point inside the step h? */
static int crosses(curve *c, double h, int *rc)
{
    bracket b = {.high = h, .d_low = 1, .wide_slope = 1 / h};
    double error, most;
    if (side_of(c, &b.d_high) != -c->sign) return 0;
    *rc = narrow_down(c, &b);
    if (!*rc) *rc = residual_between(c, &b, &most);
    if (*rc) return 0;
    double slope = (b.d_low + b.d_high) / (b.high - b.low);
    if (!(slope <= in_proportion * b.wide_slope) || !(most <= no_residual)) return 0;
    *rc = curve_attempt(c, h, &error);
    return *rc == 0;
}

/* ---- where something happens ---------------------------------------------------------------- */

typedef struct target {
    int entry;                   /* of T, ...                                              */
    int of_point;                /* ... or of X                                            */
    double value;
} target;

static double off(const curve *c, target what)
{
    return (what.of_point ? c->trial : c->T_trial)[what.entry] - what.value;
}

/* The step *h to where an entry has a value, by the Illinois method; it is `begin` off at first and
 * has the other sign after the last attempt, of step *h. */
static int locate(curve *c, target what, double begin, double *h)
{
    double low = 0, high = *h, at_low = begin, at_high = off(c, what), error, at = at_high;
    for (int k = 0; k < ROOT_MOST && at != 0 && high - low > DBL_EPSILON * high; k++) {
        double middle = low + (high - low) * at_low / (at_low - at_high);
        if (!(middle > low && middle < high)) middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high)) break;
        int rc = curve_attempt(c, middle, &error);
        if (rc) return rc;
        double last = at;
        at = off(c, what);
        *h = middle;
        if (!what.of_point && fabs(at) <= no_turn) break;
        if ((at < 0) == (at_low < 0)) {
            low = middle, at_low = at;
            if ((last < 0) == (at < 0)) at_high /= 2;
        } else {
            high = middle, at_high = at;
            if ((last < 0) == (at < 0)) at_low /= 2;
        }
    }
    return 0;
}

/* Ends the attempt of step *h where gamma changes its sign, or a bound is met. */
static int end_step(curve *c, double *h, curve_event *event)
{
    int n = c->chart.q.n, rc = 0;
    double unit = c->chart.q.unit[n];
    if (c->T_trial[n] * c->sense < 0) {
        double begin = c->sense * fmax(c->T[n] * c->sense, DBL_MIN);
        rc = locate(c, (target){.entry = n}, begin, h);
        *event = CURVE_TURN;
    }
    double t = c->trial[n] * unit;
    if (rc || (t >= c->t_low && t <= c->t_high)) return rc;
    double bound = t < c->t_low ? c->t_low : c->t_high;
    rc = locate(c, (target){n, 1, bound / unit}, c->X[n] - bound / unit, h);
    c->trial[n] = bound / unit;                  /* it is off by rounding */
    *event = CURVE_BOUND;
    return rc;
}

/* Did time run the other way in between? */
static int doubles_back(const curve *c)
{
    int size = c->chart.size, m = c->chart.q.algebraic, width = size - m;
    if (c->T_trial[size - 1] * c->sense < 0) return 0;
    for (int j = 1; j < c->tableau->stages; j++) {
        double gamma = 0;
        for (int k = 0; k < width; k++)
            gamma += c->slope[j * width + k] * c->chart.Q[(size_t)(m + k) * (size_t)size
                                                          + (size_t)size - 1];
        if (gamma * c->sense < -near) return 1;
    }
    return 0;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int accept(curve *c, double h, curve_event event)
{
    size_t bytes = (size_t)c->chart.size * sizeof *c->X;
    memcpy(c->column, c->X, bytes);
    memcpy(c->X, c->trial, bytes);
    memcpy(c->y, c->T_trial, bytes);
    int rc = settle(c, c->y);
    if (rc > 0) {                                /* back to where it was */
        memcpy(c->X, c->column, bytes);
        memcpy(c->y, c->T, bytes);
        int again = settle(c, c->y);
        return again ? again : rc;
    }
    if (rc) return rc;
    c->s += h;
    if (event == CURVE_TURN) c->sense = -c->sense;
    return 0;
}

/* Judges the attempt of step h: 0, or the factor for a shorter one. */
static double judge(curve *c, double h, double error, curve_event *event, int *rc)
{
    double limit = c->tolerance;
    if (!(error <= limit)) return fmax(0.2, 0.8 * pow(limit / error, 1.0 / c->tableau->order));
    if (turn_of(c) < near) return doubles_back(c) ? 0.5 : 0;
    if (!crosses(c, h, rc)) return 0.5;
    *event = CURVE_CROSSING;
    return 0;
}

static double growth_after(const curve *c, double error)
{
    double growth = 0.8 * pow(c->tolerance / fmax(error, 1e-30), 1.0 / c->tableau->order);
    return fmin(4, fmax(1, growth));
}

int curve_step(curve *c, curve_event *event)
{
    int rc = 0;
    for (int k = 0; k < ATTEMPTS_MOST; k++) {
        double h = fmin(fmin(c->h, c->h_most), c->s_most - c->s), error;
        int last = h == c->s_most - c->s;
        if (!(h > least) && !last) break;
        *event = CURVE_NOTHING;
        rc = curve_attempt(c, h, &error);
        double factor = rc ? 0.25 : judge(c, h, error, event, &rc);
        if (rc < 0) return rc;
        if (factor == 0 && !rc) {
            double tried = h;
            rc = end_step(c, &h, event);
            if (!rc) rc = accept(c, h, *event);
            if (rc < 0) return rc;
            if (rc == 0) {
                if (!last) c->h = tried * growth_after(c, error);
                if (last && *event == CURVE_NOTHING) *event = CURVE_BOUND;
                return 0;
            }
            factor = 0.7;
        }
        c->h = h * (factor > 0 ? factor : 0.25);
    }
    return rc ? rc : CHART_LOST;
}
