/* passage.c -- see passage.h. */
#include "singular/passage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "core/sized.h"
#include "integrate/integrator.h"
#include "singular/classify.h"

static const double
    curve_tolerance = 1e-12,     /* of steps along the curve                               */
    longest_reach = 1e-2,        /* before and behind a point, in units of X               */
    impasse_near = 1e-6;         /* relative distance of a singularity that stops the steps */

enum { STEPS_MOST = 400 };

void passage_layout(arena *a, passage *w, const keel_solver *s)
{
    const keel_problem *p = s->problem;
    size_t n = (size_t)p->n;
    w->able = s->options.step == 0 && equations_apply(p) && !p->original;
    if (!w->able) return;
    curve_layout(a, &w->curve, p);
    jump_layout(a, &w->jump, p);
    double **vectors[] = {&w->floor, &w->before, &w->after, &w->middle};
    for (int k = 0; k < 4; k++) *vectors[k] = ARENA(a, double, n);
    w->met = ARENA(a, keel_impasse, KEEL_IMPASSES_KEPT);
    w->met_y = ARENA(a, double, 2 * (size_t)KEEL_IMPASSES_KEPT * (size_t)n);
}

void passage_create(passage *w, const keel_solver *s)
{
    if (w->able) curve_create(&w->curve, s->problem);
}

/* ---- what was met --------------------------------------------------------------------------- */

int keel_impasse_count(const keel_solver *s) { return s ? s->passage.count : 0; }

int keel_impasse_at_sized(const keel_solver *s, int i, keel_impasse *point, size_t size)
{
    int count = keel_impasse_count(s);
    if (!point || i < 0 || i >= count || i < count - KEEL_IMPASSES_KEPT) return KEEL_BAD_ARGUMENT;
    int at = i % KEEL_IMPASSES_KEPT;
    keel_impasse met = s->passage.met[at];
    met.y = s->passage.met_y + 2 * (size_t)at * (size_t)s->n;
    met.after = met.action == KEEL_IMPASSE_ENDED ? NULL : met.y + s->n;
    sized_answer(point, size, &met, sizeof met);
    return KEEL_OK;
}

const char *keel_impasse_kind_name(int kind)
{
    static const char *const names[] = {"not simple", "accessible", "inaccessible", "none"};
    return kind >= 0 && kind < 4 ? names[kind] : "unknown kind";
}

/* Keeps w->before and, if the run has gone on, w->after. */
static void keep(keel_solver *s, keel_impasse what)
{
    passage *w = &s->passage;
    int at = w->count++ % KEEL_IMPASSES_KEPT;
    size_t n = (size_t)s->n;
    double *y = w->met_y + 2 * (size_t)at * n;
    memcpy(y, w->before, n * sizeof *y);
    memcpy(y + n, w->after, n * sizeof *y);
    w->met[at] = what;
}

/* ---- along the curve ------------------------------------------------------------------------ */

typedef enum finding { FOUND_NOTHING, FOUND_TURN, FOUND_WAY } finding;

static double reach_of(const keel_solver *s)
{
    return fmin(longest_reach, cbrt(s->least_tolerance));
}

/* The sign of det [P^T A; (g2)_x], that of g_z, at a point of the run; 0: not comparable. */
static int rank_sign(keel_solver *s, curve *c, double t, const double *y)
{
    int rc = curve_begin(c, &s->eval, t, y, s->passage.floor, 1);
    return rc || !c->chart.q.constant ? 0 : c->sign;
}

/* Back from a point that steps accepted a little before the last one.  A step may have crossed the
 * singular point, or have ended on another branch: then the determinant has another sign than it
 * had where the run began, and no crossing tells why. */
static int go_back(keel_solver *s, curve *c, double *length)
{
    const headway *p = &s->headway;
    curve_event event = CURVE_NOTHING;
    int begun = rank_sign(s, c, p->first, p->start), late = rank_sign(s, c, p->t[1], p->y[1]);
    int rc = curve_begin(c, &s->eval, p->t[1], p->y[1], s->passage.floor, -s->direction);
    if (rc) return rc;
    c->tolerance = curve_tolerance;
    c->h = c->s_most = reach_of(s);
    if (s->direction > 0) c->t_low = p->first;
    else c->t_high = p->first;
    while (event == CURVE_NOTHING && !rc) rc = curve_step(c, &event);
    if (rc < 0) return rc;
    if (c->s == 0 || (begun * late < 0) != (event == CURVE_CROSSING)) return CHART_LOST;
    *length = c->s;
    c->t_low = -INFINITY, c->t_high = INFINITY;
    return curve_turn(c);
}

/* Forwards until time turns round, or well behind the point; *crossed: where det F = 0 was. */
static int go_on(keel_solver *s, curve *c, double length, finding *found, double *crossed)
{
    double from = c->s, reach = reach_of(s);
    c->s_most = INFINITY;
    for (int k = 0; k < STEPS_MOST; k++) {
        curve_event event;
        c->h_most = reach / 4;
        int rc = curve_step(c, &event);
        double ahead = (curve_time(c) - s->t) * s->direction;
        if (rc < 0) return rc;
        if (rc == TIME_LIMITED && ahead > 0) *found = FOUND_WAY;   /* up to the stop time */
        if (rc) return 0;
        if (event == CURVE_CROSSING) *crossed = c->crossing;
        if (event == CURVE_TURN) {
            *found = FOUND_TURN;
            return 0;
        }
        if (c->s - from > length + reach && ahead > 0) {
            *found = FOUND_WAY;
            return 0;
        }
        if (c->s - from > 100 * (length + reach)) return 0;
    }
    return 0;
}

static int explore(keel_solver *s, finding *found, double *crossed)
{
    curve *c = &s->passage.curve;
    double length;
    *found = FOUND_NOTHING;
    *crossed = NAN;
    for (int i = 0; i < s->n; i++)
        s->passage.floor[i] = s->rtol[i] > 0 ? s->atol[i] / s->rtol[i] : 1;
    int rc = go_back(s, c, &length);
    return rc ? rc : go_on(s, c, length, found, crossed);
}

/* ---- going on ------------------------------------------------------------------------------- */

/* The run is at t with w->after; its last step led to w->before, by way of w->middle. */
static int continue_at(keel_solver *s, double t)
{
    static const double nodes[3] = {0, 0.5, 1}, barycentric[3] = {2, -4, 2};
    passage *w = &s->passage;
    size_t n = (size_t)s->n, bytes = n * sizeof *s->y;
    double from = s->t, *values = s->dense.values;
    double *left = w->curve.y;                   /* room for n + 1 */
    memcpy(left, s->y, bytes);
    memcpy(s->y, w->after, bytes);
    s->t = t;
    evaluator_recall(&s->eval);
    attempt_result result = solver_restart(s);
    if (result != ATTEMPT_DONE) {
        int rc = point_failure(s, result, "where the run was to go on behind a singular point");
        memcpy(s->y, left, bytes);
        s->t = from;
        return rc;
    }
    memcpy(values, left, bytes);
    memcpy(values + n, w->middle, bytes);
    memcpy(values + 2 * n, w->before, bytes);
    s->dense = (interpolant){.t0 = from, .h = t - from, .points = 3, .nodes = nodes,
                             .barycentric = barycentric, .values = values};
    s->t_previous = from;
    s->fresh = 1;
    s->stats.accepted++;
    s->stats.last_step = t - from;
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) s->left[k] = -1;
    if (s->problem->levels == 1 && eval_level(&s->eval, 0, t, s->y, s->violation) == 0)
        s->left[0] = norm_max(s->problem->constraints, s->violation);
    if (s->left[0] >= 0) record_residuals(s);
    headway_begin(s);
    return KEEL_OK;
}

/* w->middle := half-way between the accepted point and w->before: they are as good as the same. */
static void straight_middle(keel_solver *s)
{
    passage *w = &s->passage;
    for (int i = 0; i < s->n; i++) w->middle[i] = 0.5 * (s->y[i] + w->before[i]);
}

/* The same on the curve, back from its point at t. */
static void curve_middle(keel_solver *s, double t)
{
    curve *c = &s->passage.curve;
    double middle = s->t + 0.5 * (t - s->t);
    curve_event event = CURVE_NOTHING;
    straight_middle(s);
    int rc = curve_turn(c);
    if (s->direction > 0) c->t_low = middle;
    else c->t_high = middle;
    for (int k = 0; k < STEPS_MOST && !rc && event != CURVE_BOUND; k++) rc = curve_step(c, &event);
    if (!rc && event == CURVE_BOUND) equations_point(&c->chart.q, c->X, s->passage.middle);
}

/* Never back in time, nor at rest: the curve may be more accurate than the steps were. */
static double later(const keel_solver *s, double t)
{
    return (t - s->t) * s->direction > 0 ? t : nextafter(s->t, s->direction * INFINITY);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* "t = ...: the algebraic equations lose rank in z here: ..." */
static void say_rank(keel_solver *s, double t, const double *y, char *text, size_t size)
{
    char unknowns[120], rows[120];
    int named = impasse_names(&s->impasse, &s->eval, (run_point){t, y, s->yp}, unknowns, rows,
                              sizeof unknowns);
    snprintf(text, size, "the algebraic equations lose rank in %s here: the derivative of %s with "
             "respect to the algebraic unknowns becomes singular",
             named ? unknowns : "the algebraic unknowns", named ? rows : "them");
}

static const char *jump_failure(int rc)
{
    return rc == JUMP_UNBOUNDED ? "the way to another branch leads beyond all bounds"
         : rc == JUMP_TURNS ? "the kernel of the mass matrix changes on the way to another branch"
         : "there is no way to a stable branch";
}

static int end_at(keel_solver *s, double t, const keel_impasse *what, int jumped)
{
    char rank[400];
    say_rank(s, t, s->passage.before, rank, sizeof rank);
    const char *names = keel_impasse_kind_name(what->kind);
    if (jumped)
        return fail(&s->message, KEEL_SINGULAR, "t = %.10g: %s. It is an %s impasse point, and %s: "
                    "the run cannot jump; impasse = follow (keel_curve) goes on along the curve", t,
                    rank, names, jump_failure(jumped));
    if (what->kind == KEEL_IMPASSE_NOT_SIMPLE)
        return fail(&s->message, KEEL_SINGULAR, "t = %.10g: %s. It is an impasse point, but not a "
                    "simple one (alpha = %.3g): time turns round, and no solution leads beyond", t,
                    rank, what->alpha);
    return fail(&s->message, KEEL_SINGULAR, "t = %.10g: %s. It is an %s impasse point (alpha = "
                "%.3g): solutions %s it %s both sides, and none leads beyond. The curve goes on "
                "with time running back: impasse = follow (keel_curve); impasse = jump goes to the "
                "next stable branch", t, rank, names, what->alpha,
                what->kind == KEEL_IMPASSE_ACCESSIBLE ? "run into" : "leave",
                what->kind == KEEL_IMPASSE_ACCESSIBLE ? "from" : "to");
}

/* A callback asked to stop. */
static int stopped(keel_solver *s, int rc)
{
    return point_failure(s, evaluation_result(s, rc), "near a point where algebraic equations lose "
                         "rank");
}

static int try_jump(keel_solver *s, keel_impasse what)
{
    passage *w = &s->passage;
    curve *c = &w->curve;
    int rc = jump_along(&w->jump, c);
    if (rc < 0) return stopped(s, rc);
    if (rc) {
        keep(s, what);
        return end_at(s, what.t, &what, rc);
    }
    equations_point(&c->chart.q, w->jump.X, w->after);
    straight_middle(s);
    what.action = KEEL_IMPASSE_JUMPED;
    keep(s, what);
    rc = continue_at(s, later(s, what.t));
    return rc ? rc : RUN_GOES_ON;
}

/* Time turns round. */
static int meet(keel_solver *s)
{
    passage *w = &s->passage;
    curve *c = &w->curve;
    keel_impasse what = {.action = KEEL_IMPASSE_ENDED};
    int rc = classify(c, &what.kind, &what.alpha);
    if (rc < 0) return stopped(s, rc);
    what.t = equations_point(&c->chart.q, c->X, w->before);
    if (s->options.impasse == KEEL_IMPASSE_JUMP) return try_jump(s, what);
    keep(s, what);
    return end_at(s, what.t, &what, 0);
}

/* The solution goes on. */
static int pass(keel_solver *s, double crossed)
{
    passage *w = &s->passage;
    double t = equations_point(&w->curve.chart.q, w->curve.X, w->before);
    memcpy(w->after, w->before, (size_t)s->n * sizeof *w->after);
    curve_middle(s, t);
    if (crossed == crossed)
        keep(s, (keel_impasse){.t = crossed, .kind = KEEL_IMPASSE_NONE,
                               .action = KEEL_IMPASSE_PASSED});
    int rc = continue_at(s, later(s, t));
    return rc ? rc : RUN_GOES_ON;
}

/* Is g_z the reason?  A change of sign says so, the law of its determinant over the last steps, and
 * where a matrix is singular that over the whole run. */
static int is_impasse(keel_solver *s, attempt_result result)
{
    const headway *p = &s->headway;
    double near = impasse_near * headway_size(s);
    run_point now = {s->t, s->y, s->yp}, late = {p->t[1], p->y[1], s->yp};
    run_point first = {p->first, p->start, s->yp};
    if (result == ATTEMPT_BRANCH) return 1;
    if (impasse_distance(&s->impasse, &s->eval, late, now) <= near) return 1;
    return (result == ATTEMPT_SINGULAR || result == ATTEMPT_NOT_CONVERGED) &&
           impasse_distance(&s->impasse, &s->eval, first, now) <= near;
}

/* Where the curve does not tell. */
static int end_here(keel_solver *s, double h)
{
    char rank[400];
    if (s->options.step > 0)
        return fail(&s->message, KEEL_SINGULAR, "t = %.10g: the algebraic equations lose rank in "
                    "the algebraic unknowns between this time and the end of the step h = %.3g: "
                    "the determinant of g_z changes its sign. The solution ends there, or the step "
                    "is too large to follow it", s->t, h);
    say_rank(s, s->t, s->y, rank, sizeof rank);
    if (!s->passage.able)
        return fail(&s->message, KEEL_SINGULAR, "t = %.10g: %s, and no step leads beyond (h = "
                    "%.3g). It is an impasse point, where the solution ends; other unknowns or "
                    "equations may lead on", s->t, rank, h);
    memcpy(s->passage.before, s->y, (size_t)s->n * sizeof *s->y);
    keep(s, (keel_impasse){.t = s->t, .alpha = NAN});
    return fail(&s->message, KEEL_SINGULAR, "t = %.10g: %s, and no step leads beyond (h = %.3g). "
                "It is an impasse point, where the solution ends, but not a simple one: an unknown "
                "grows without bound, or the rank is lost in several directions. Other unknowns or "
                "equations may lead on", s->t, rank, h);
}

int impasse_pass(keel_solver *s, attempt_result result, double h)
{
    const fault kept = s->eval.fault;
    finding found = FOUND_NOTHING;
    double crossed = NAN;
    int lost = is_impasse(s, result), rc = 0;
    if (lost && s->passage.able) rc = explore(s, &found, &crossed);
    if (rc < 0) return stopped(s, rc);
    if (found == FOUND_TURN) rc = meet(s);
    else if (found == FOUND_WAY) rc = pass(s, crossed);
    else rc = lost ? end_here(s, h) : KEEL_OK;
    s->eval.fault = kept;
    return rc;
}
