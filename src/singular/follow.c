/* follow.c -- keel_curve: the curve of curve.h as an object of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/options.h"
#include "core/sized.h"
#include "integrate/integrator.h"
#include "singular/classify.h"

struct keel_curve {
    const keel_problem *problem;
    keel_options options;        /* resolved                                               */
    message message;
    keel_stats stats;
    evaluator eval;
    curve curve;
    void *block;
    double *rtol, *atol, *floor; /* [n] as given; what is small                            */
    double *y;                   /* [n] the state                                          */
    keel_impasse *met;           /* [KEEL_IMPASSES_KEPT] the last impasse points           */
    double *met_y;               /* [n] of each                                            */
    double low, high, length;    /* bounds                                                 */
    int count, created, started, busy;
};

static void layout(arena *a, keel_curve *c)
{
    int n = c->problem->n;
    evaluator_layout(a, &c->eval, c->problem);
    curve_layout(a, &c->curve, c->problem);
    double **vectors[] = {&c->rtol, &c->atol, &c->floor, &c->y};
    for (int k = 0; k < 4; k++) *vectors[k] = ARENA(a, double, n);
    c->met = ARENA(a, keel_impasse, KEEL_IMPASSES_KEPT);
    c->met_y = ARENA(a, double, (size_t)KEEL_IMPASSES_KEPT * (size_t)n);
}

/* rtol and atol of each unknown; the smallest rtol is that of the curve. */
static int take_tolerances(keel_curve *c)
{
    const keel_options *o = &c->options;
    c->curve.tolerance = INFINITY;
    for (int i = 0; i < c->problem->n; i++) {
        c->rtol[i] = o->rtol_each ? o->rtol_each[i] : o->rtol;
        c->atol[i] = o->atol_each ? o->atol_each[i] : o->atol;
        if (!(c->rtol[i] > 0) || !(c->atol[i] >= 0) || !isfinite(c->rtol[i] + c->atol[i]))
            return fail(&c->message, KEEL_BAD_ARGUMENT, "tolerances of %s: rtol = %g must be "
                        "positive along a curve, and atol = %g not negative",
                        keel_variable_name(c->problem, i), c->rtol[i], c->atol[i]);
        c->floor[i] = c->atol[i] / c->rtol[i];
        c->curve.tolerance = fmin(c->curve.tolerance, c->rtol[i]);
    }
    c->options.rtol_each = c->options.atol_each = NULL;            /* copied, not kept */
    return KEEL_OK;
}

static int refuse(keel_curve *c)
{
    const keel_problem *p = c->problem;
    int form = p->ops == &semi_explicit_form || p->ops == &quasilinear_form;
    if (form && p->index == 1 && p->n > CURVE_MOST)
        return fail(&c->message, KEEL_UNSUPPORTED, "curves are followed with at most %d unknowns, "
                    "not %d", CURVE_MOST, p->n);
    return fail(&c->message, KEEL_UNSUPPORTED, "curves are followed for quasilinear and "
                "semi-explicit problems of index 1 without attached rows; this one is %s, of index "
                "%d%s", p->ops->name, p->index, p->attached.rows ? ", with attached rows" : "");
}

int keel_curve_create_sized(keel_curve **out, const keel_problem *problem,
                            const keel_options *options, size_t size)
{
    if (!out) return KEEL_BAD_ARGUMENT;
    keel_curve *c = *out = calloc(1, sizeof *c);
    arena a = {0};
    if (!c) return KEEL_NO_MEMORY;
    if (!problem || !problem->names)
        return fail(&c->message, KEEL_BAD_ARGUMENT,
                    "there is no problem, or its creation failed: see keel_problem_message");
    c->problem = problem;
    int rc = options_resolve(&c->options, options, size, &c->message);
    if (rc) return rc;
    if (!equations_apply(problem)) return refuse(c);
    layout(&a, c);
    c->block = arena_block(a.used);
    if (!c->block)
        return fail(&c->message, KEEL_NO_MEMORY, "no memory for a curve of %d unknowns",
                    problem->n);
    a = (arena){.base = c->block};
    layout(&a, c);
    c->eval.stats = &c->stats;
    c->eval.differences = c->options.jacobian_differences;
    curve_create(&c->curve, problem);
    rc = take_tolerances(c);
    if (!rc) rc = evaluator_create(&c->eval);
    c->created = rc == KEEL_OK;
    return rc;
}

void keel_curve_free(keel_curve *c)
{
    if (!c || c->busy) return;
    if (c->block) evaluator_release(&c->eval);
    arena_block_free(c->block);
    free(c);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static int enter(keel_curve *c, int started)
{
    if (!c) return KEEL_BAD_ARGUMENT;
    if (c->busy)
        return fail(&c->message, KEEL_BAD_ARGUMENT, "a callback called the curve that was calling "
                    "it, which is refused");
    if (!c->created)
        return fail(&c->message, KEEL_BAD_ARGUMENT, "the curve was not created successfully");
    if (started && !c->started)
        return fail(&c->message, KEEL_BAD_ARGUMENT, "call keel_curve_start successfully first");
    c->message.text[0] = 0;
    c->busy = 1;
    return KEEL_OK;
}

static int leave(keel_curve *c, int rc)
{
    c->busy = 0;
    return rc;
}

/* Status and message for a code of the curve. */
static int failure(keel_curve *c, int rc, double t, const char *where)
{
    char reason[256];
    fault_text(&c->eval, reason, sizeof reason);
    if (rc < 0 || (rc < RANK_CHANGED && c->eval.fault.callback))
        return fail(&c->message, fault_status(&c->eval), "t = %.10g: %s, %s", t, reason, where);
    if (rc == RANK_CHANGED)
        return fail(&c->message, KEEL_SINGULAR, "t = %.10g: the rank of the mass matrix changes "
                    "%s: a curve needs the same rank everywhere", t, where);
    return fail(&c->message, KEEL_SINGULAR, "t = %.10g: no direction of the curve can be found %s. "
                "The algebraic equations may lose rank in all unknowns, or the curve may end", t,
                where);
}

static int start(keel_curve *c, double t, const double *y, double direction)
{
    if (!y) return fail(&c->message, KEEL_BAD_ARGUMENT, "keel_curve_start: y is NULL");
    if (!isfinite(t) || !(fabs(direction) > 0))
        return fail(&c->message, KEEL_BAD_ARGUMENT, "keel_curve_start: t = %g, direction = %g", t,
                    direction);
    for (int i = 0; i < c->problem->n; i++)
        if (!isfinite(y[i]))
            return fail(&c->message, KEEL_BAD_ARGUMENT, "the initial value of %s is not finite",
                        keel_variable_name(c->problem, i));
    evaluator_reset(&c->eval);
    c->eval.time_scale = 1e-3 * fmax(1, fabs(t));
    c->started = c->count = 0;
    c->low = -INFINITY, c->high = c->length = INFINITY;
    int rc = curve_begin(&c->curve, &c->eval, t, y, c->floor, direction);
    if (rc) return failure(c, rc, t, "where the curve was to begin");
    equations_point(&c->curve.chart.q, c->curve.X, c->y);
    if (c->options.max_step > 0) c->curve.h_most = c->options.max_step;
    c->started = 1;
    return KEEL_OK;
}

int keel_curve_start(keel_curve *c, double t, const double *y, double direction)
{
    int rc = enter(c, 0);
    return rc ? rc : leave(c, start(c, t, y, direction));
}

int keel_curve_from(keel_curve *c, const keel_solver *s)
{
    int rc = enter(c, 0);
    if (rc) return rc;
    if (!s || !s->started || s->n != c->problem->n)
        rc = fail(&c->message, KEEL_BAD_ARGUMENT,
                  "keel_curve_from: there is no run of this problem");
    else rc = start(c, s->t, s->y, s->direction);
    return leave(c, rc);
}

int keel_curve_bounds(keel_curve *c, double low, double high, double length)
{
    int rc = enter(c, 1);
    if (rc) return rc;
    if (!(low < high) || !(length > 0))
        return leave(c, fail(&c->message, KEEL_BAD_ARGUMENT, "keel_curve_bounds: from t = %g to "
                             "%g, length %g", low, high, length));
    c->curve.t_low = c->low = low;
    c->curve.t_high = c->high = high;
    c->curve.s_most = c->length = length;
    return leave(c, KEEL_OK);
}

/* Is it at a bound that it would go beyond? */
static int is_beyond(const keel_curve *c)
{
    double t = keel_curve_time(c);
    return c->curve.s >= c->length || (c->curve.sense < 0 ? t <= c->low : t >= c->high);
}

static int keep_impasse(keel_curve *c)
{
    size_t n = (size_t)c->problem->n;
    int at = c->count % KEEL_IMPASSES_KEPT;
    keel_impasse *p = &c->met[at];
    double *y = c->met_y + (size_t)at * n;
    *p = (keel_impasse){.t = keel_curve_time(c), .length = c->curve.s, .y = y,
                        .action = KEEL_IMPASSE_FOLLOWED};
    memcpy(y, c->y, n * sizeof *y);
    int rc = classify(&c->curve, &p->kind, &p->alpha);
    if (rc < 0) return rc;
    c->count++;
    return 0;
}

static int step(keel_curve *c)
{
    curve_event event;
    if (is_beyond(c))
        return fail(&c->message, KEEL_STOP_REACHED, "t = %.10g, s = %.10g is a bound",
                    keel_curve_time(c), c->curve.s);
    double t = keel_curve_time(c);
    int rc = curve_step(&c->curve, &event);
    if (!rc) equations_point(&c->curve.chart.q, c->curve.X, c->y);
    if (!rc && event == CURVE_TURN) rc = keep_impasse(c);
    return rc ? failure(c, rc, t, "on the next step of the curve") : KEEL_OK;
}

int keel_curve_step(keel_curve *c)
{
    int rc = enter(c, 1);
    return rc ? rc : leave(c, step(c));
}

/* ---- questions ------------------------------------------------------------------------------ */

static int is_started(const keel_curve *c) { return c && c->started; }

double keel_curve_length(const keel_curve *c) { return is_started(c) ? c->curve.s : NAN; }
double keel_curve_time(const keel_curve *c) { return is_started(c) ? curve_time(&c->curve) : NAN; }
const double *keel_curve_state(const keel_curve *c) { return is_started(c) ? c->y : NULL; }

double keel_curve_rate(const keel_curve *c)
{
    if (!is_started(c)) return NAN;
    return curve_gamma(&c->curve) * c->curve.chart.q.unit[c->problem->n];
}

int keel_curve_impasse_count(const keel_curve *c) { return is_started(c) ? c->count : 0; }

int keel_curve_impasse_at_sized(const keel_curve *c, int i, keel_impasse *point, size_t size)
{
    int count = keel_curve_impasse_count(c);
    if (!point || i < 0 || i >= count || i < count - KEEL_IMPASSES_KEPT) return KEEL_BAD_ARGUMENT;
    sized_answer(point, size, &c->met[i % KEEL_IMPASSES_KEPT], sizeof *point);
    return KEEL_OK;
}

const char *keel_curve_message(const keel_curve *c) { return c ? c->message.text : ""; }
