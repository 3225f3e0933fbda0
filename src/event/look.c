/* look.c -- the switch functions along a step: in which interval does the first one cross 0?
 *
 * In each step the switches are evaluated at three points of the dense output, the last of them the
 * new point.  A change of side between two looks is a crossing.  Two crossings between two looks
 * leave no trace there: so the cubic through four values is searched for an extremum beyond 0, or
 * nearer to 0 than a part `near` of its range, and the switch is evaluated at it.  What is found is
 * therefore
 *
 *   each change of side that is still there at a look;
 *   each pair of crossings in an interval where the switch differs from a cubic by less than `near` of
 *   its range there;
 *
 * and with `look` in the spec no two looks are further apart than that.  Whether a switch is such a cubic
 * is seen by a fourth look, in the middle, where it may not be: where it is curved and not far from 0, or
 * the step is much longer than the one before.  An interval where it is not is halved: steps may be long
 * against the periods of switches that contain the time, or algebraic unknowns that do [diodes that block].
 */
#include "event/event.h"

#include <math.h>
#include <string.h>

static const double near = 0.1;

/* Switches further from 0 than this many of their ranges in an interval do not come near it there. */
static const double far = 2;
/* A switch that differs less from the cubic through its looks, in parts of its range, is one. */
static const double cubic = 0.03;
/* What is nearly a straight line: second differences below this part of the range. */
static const double straight = 0.3, very_straight = 0.1;
/* The polynomial of a step that is this much longer than the last one may hide periods of its own. */
static const double longer = 2.5;

enum { HALVINGS = 10 };                          /* of a step where switches are not resolved */

/* ---- values -------------------------------------------------------------------------------- */

static int switch_fault(keel_solver *s, double t, int code, const double *value)
{
    const event_state *v = s->events;
    if (code < 0)
        return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: the callback `value` of the "
                    "switch functions returned %d", t, code);
    for (int i = 0; i < v->count && code == 0; i++)
        if (!isfinite(value[i]))
            return fail(&s->message, KEEL_NOT_FINITE, "t = %.10g: the switch function %s is not "
                        "finite", t, v->how->names[i]);
    return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: the callback `value` of the switch "
                "functions returned %d: it cannot be evaluated here", t, code);
}

int switch_values(keel_solver *s, double t, const double *y, const double *yp, double *value)
{
    event_state *v = s->events;
    const keel_switching_spec *spec = &v->how->spec;
    if (v->count == 0) return KEEL_OK;
    if (!v->same) {
        view_of(v, s->n, y, v->view_y);
        if (spec->rates) view_of(v, s->n, yp, v->view_yp);
        y = v->view_y;
        yp = v->view_yp;
    }
    double poison = 0;                           /* 0 * x is 0 for finite x and NaN otherwise */
    int code = spec->value(t, y, spec->rates ? yp : NULL, value, v->context);
    s->stats.switches++;
    for (int i = 0; i < v->count && code == 0; i++) poison += 0 * value[i];
    return code == 0 && poison == 0 ? KEEL_OK : switch_fault(s, t, code, value);
}

/* The derivative of the polynomial, by differences of its values at the nodes. */
static void interpolant_rate(const interpolant *p, int n, double theta, double *yp)
{
    double weight[POINTS_MOST];
    for (int j = 0; j < p->points; j++) {
        double sum = 0;
        for (int m = 0; m < p->points; m++) {
            if (m == j) continue;
            double product = 1;
            for (int k = 0; k < p->points; k++)
                if (k != j && k != m) product *= theta - p->nodes[k];
            sum += product;
        }
        weight[j] = sum * p->barycentric[j] / p->h;
    }
    for (int i = 0; i < n; i++) {
        yp[i] = 0;
        for (int j = 0; j < p->points; j++) yp[i] += weight[j] * p->values[j * n + i];
    }
}

int event_point(keel_solver *s, double theta, int projected)
{
    event_state *v = s->events;
    if (theta >= 1) memcpy(v->y, s->y, (size_t)s->n * sizeof *v->y);
    else interpolant_at(&s->dense, s->n, theta, v->y);
    if (v->how->spec.rates) interpolant_rate(&s->dense, s->n, theta, v->yp);
    if (!projected || theta >= 1) return KEEL_OK;
    return solver_project(s, s->dense.t0 + theta * s->dense.h, v->y);
}

int switch_at(keel_solver *s, double theta, int projected, double *value)
{
    event_state *v = s->events;
    int rc = event_point(s, theta, projected);
    double t = theta >= 1 ? s->t : s->dense.t0 + theta * s->dense.h;
    return rc ? rc : switch_values(s, t, v->y, v->yp, value);
}

int event_rates(keel_solver *s, double *yp)
{
    if (!s->problem->ops->rate) {
        memcpy(yp, s->yp, (size_t)s->n * sizeof *yp);
        return KEEL_OK;
    }
    const keel_stats stats = s->stats;
    memset(yp, 0, (size_t)s->n * sizeof *yp);
    attempt_result result = evaluation_result(s, eval_rate(&s->eval, s->t, s->y, yp));
    s->stats = stats;
    return result == ATTEMPT_DONE ? KEEL_OK : point_failure(s, result, "at an event");
}

/* ---- crossings ----------------------------------------------------------------------------- */

/* Does switch i change to another side, and is it in its direction?  -1: it does, but silently. */
static int crosses(const event_state *v, int i, double value)
{
    int to = side_of(value, v->limit[i]), direction = v->how->direction[i];
    if (to == 0 || to == v->side[i]) return 0;
    return direction == 0 || direction == to ? 1 : -1;
}

/* A switch that was 0 has come to be on one side: if that is its direction it has crossed, and if equations
 * were told that it is not positive, but it is. */
static void decide(event_state *v, int i, double value)
{
    int to = side_of(value, v->limit[i]);
    const int fires = to == v->how->direction[i] || (to > 0 && v->how->spec.relations);
    if (v->side[i] == 0) v->side[i] = fires ? -to : to;
    if (v->side[i] * value > v->blur[i]) v->limit[i] = v->band[i];
}

/* Where between looks k - 1 and k the cubic with values f at 0, 1/3, 2/3, 1 comes nearest to 0, or
 * beyond, from `side`, on which the switch is at both.  0: there is no such place worth a look. */
static double dip(const double f[LOOKS + 1], int side, int k)
{
    double g[LOOKS + 1], range = 0;
    if (!(side * f[k - 1] > 0 && side * f[k] > 0)) return 0;
    for (int i = 0; i <= LOOKS; i++) g[i] = side * f[i];
    /* Newton's form: g0 + a x + b x (x-1) + c x (x-1) (x-2) with x = 3 theta. */
    double a = g[1] - g[0], b = (g[2] - 2 * g[1] + g[0]) / 2;
    double c = (g[3] - 3 * g[2] + 3 * g[1] - g[0]) / 6;
    double q2 = 3 * c, q1 = 2 * b - 6 * c, q0 = a - b + 2 * c;   /* the derivative */
    double before = q0 + (k - 1) * (q1 + (k - 1) * q2), after = q0 + k * (q1 + k * q2);
    if (!(before < 0 && after > 0)) return 0;
    for (int i = 1; i <= LOOKS; i++) range = fmax(range, fabs(g[i] - g[0]));
    double root = sqrt(fmax(q1 * q1 - 4 * q2 * q0, 0));
    double r = -(q1 + copysign(root, q1)) / 2, x = q0 / r;
    if (!(x >= k - 1 && x <= k)) x = r / q2;
    double value = g[0] + x * (a + (x - 1) * (b + (x - 2) * c));
    return value < near * range ? x / LOOKS : 0;
}

/* The values at theta are another look: is there a crossing before it?  Without one, sides are then
 * those that switches have changed to in silence. */
static int compare(event_state *v, const double *value)
{
    int found = 0;
    for (int i = 0; i < v->count; i++) {
        decide(v, i, value[i]);
        int crossing = crosses(v, i, value[i]);
        if (crossing > 0) return 1;
        found |= crossing;
    }
    for (int i = 0; i < v->count && found; i++) {
        int to = side_of(value[i], v->limit[i]);
        if (to) v->side[i] = to;
    }
    return 0;
}

/* The first place between looks k - 1 and k, after `after`, where a switch may have crossed and come
 * back; 1 and more: there is none. */
static double next_dip(const event_state *v, int k, double after)
{
    double first = 1;
    for (int i = 0; i < v->count; i++) {
        const double f[LOOKS + 1] = {v->look[0][i], v->look[1][i], v->look[2][i], v->look[3][i]};
        double at = v->side[i] ? dip(f, v->side[i], k) : 0;
        if (at > after && at < first) first = at;
    }
    return first;
}

/* Values at a place between looks k - 1 and k are in v->trial: which crossing do they show?  1: one
 * before it; 2: a silent one before it, and the way back after it. */
static int shown(event_state *v, int k)
{
    int silent = 0;
    for (int j = 0; j < v->count; j++)
        if (crosses(v, j, v->trial[j]) > 0) return 1;
    for (int j = 0; j < v->count; j++) {
        if (crosses(v, j, v->trial[j]) == 0 || crosses(v, j, v->look[k][j])) continue;
        v->side[j] = -v->side[j];
        silent = 2;
    }
    return silent;
}

/* Pairs of crossings between looks k - 1 and k: 1 with a bracket of the first; 0; a status. */
static int look_between(keel_solver *s, double from, double width, int projected, int k, bracket *found)
{
    enum { TRIALS = 3 };
    static const double apart = 0.02;            /* nearer ones show the same */
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    double at = (double)(k - 1) / LOOKS;
    for (int trial = 0; trial < TRIALS; trial++) {
        at = next_dip(v, k, at + (trial ? apart : 0));
        if (at >= 1) return 0;
        int rc = switch_at(s, from + at * width, projected, v->trial), what = rc ? 0 : shown(v, k);
        if (rc) return rc;
        if (what == 0) continue;
        *found = what == 1 ? (bracket){from + (k - 1) * width / LOOKS, from + at * width}
                           : (bracket){from + at * width, from + k * width / LOOKS};
        memcpy(v->low, what == 1 ? v->look[k - 1] : v->trial, bytes);
        memcpy(v->high, what == 1 ? v->trial : v->look[k], bytes);
        return 1;
    }
    return 0;
}

/* A switch that is 0 at the beginning: where does it go?  It may do so and come back before the
 * first look, so it is followed from close by. */
static int leave_zero(keel_solver *s, double from, double width)
{
    event_state *v = s->events;
    int undecided = 0;
    for (int i = 0; i < v->count; i++) undecided |= v->side[i] == 0;
    for (double part = 1e-6; undecided && part < 0.5; part *= 10) {
        int rc = switch_at(s, from + part * width, 0, v->trial);
        if (rc) return rc;
        undecided = 0;
        for (int i = 0; i < v->count; i++) {
            decide(v, i, v->trial[i]);
            undecided |= v->side[i] == 0;
        }
    }
    return KEEL_OK;
}

static double range_of(const event_state *v, int i)
{
    double least = v->look[0][i], most = least;
    for (int k = 1; k <= LOOKS; k++) {
        least = fmin(least, v->look[k][i]);
        most = fmax(most, v->look[k][i]);
    }
    return most - least;
}

/* May the looks hide a pair of crossings of switch i? */
static int is_doubtful(const event_state *v, int i, int grown)
{
    const double *f[LOOKS + 1] = {v->look[0], v->look[1], v->look[2], v->look[3]};
    const double range = range_of(v, i);
    double nearest = fabs(f[0][i]), bend = 0;
    for (int k = 1; k <= LOOKS; k++) nearest = fmin(nearest, fabs(f[k][i]));
    for (int k = 1; k < LOOKS; k++) bend = fmax(bend, fabs(f[k + 1][i] - 2 * f[k][i] + f[k - 1][i]));
    return bend > straight * range ? grown || nearest < far * range : grown && bend > very_straight * range;
}

/* Where the cubic through the looks at switch i is in the middle. */
static double cubic_middle(const event_state *v, int i)
{
    return (9 * (v->look[1][i] + v->look[2][i]) - v->look[0][i] - v->look[3][i]) / 16;
}

/* A look in the middle, if one may be needed, at a point that is moved to the constraints: is the cubic through
 * the others there?  1, 0, or a status. */
static int is_resolved(keel_solver *s, double from, double width, int grown)
{
    event_state *v = s->events;
    int doubtful = 0;
    for (int i = 0; i < v->count && !doubtful; i++) doubtful = is_doubtful(v, i, grown);
    if (!doubtful) return 1;
    int rc = switch_at(s, from + width / 2, 1, v->trial);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) {
        const double off = fabs(v->trial[i] - cubic_middle(v, i)), range = fmax(range_of(v, i), off);
        if (off > cubic * range && off > v->limit[i] && fabs(v->trial[i]) < far * range) return 0;
    }
    return 1;
}

/* One interval of the step, with three looks; halved while they do not resolve the switches. */
static int look_along(keel_solver *s, double from, double width, int last, int halvings, bracket *found)
{
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    const int projected = halvings < HALVINGS;
    const int grown = !projected && fabs(s->dense.h * width) > longer * v->length;
    int rc = leave_zero(s, from, width);
    for (int k = 1; k <= LOOKS && !rc; k++) {
        double theta = last && k == LOOKS ? 1 : from + k * width / LOOKS;
        rc = switch_at(s, theta, projected, v->look[k]);
    }
    if (!rc && halvings > 0) rc = is_resolved(s, from, width, grown);
    if (rc == 0 && halvings > 0) {
        rc = look_along(s, from, width / 2, 0, halvings - 1, found);
        if (rc) return rc;
        memcpy(v->look[0], v->look[LOOKS], bytes);
        return look_along(s, from + width / 2, width / 2, last, halvings - 1, found);
    }
    if (rc > 0) rc = 0;
    for (int k = 1; k <= LOOKS && !rc; k++) {
        rc = look_between(s, from, width, projected, k, found);
        if (rc || !compare(v, v->look[k])) continue;
        *found = (bracket){from + (k - 1) * width / LOOKS,
                           last && k == LOOKS ? 1 : from + k * width / LOOKS};
        memcpy(v->low, v->look[k - 1], bytes);
        memcpy(v->high, v->look[k], bytes);
        return 1;
    }
    return rc;
}

/* Is the crossing between looks there, too, when their points are moved to the constraints?  1, 0, or a status. */
static int is_confirmed(keel_solver *s, double from, const bracket *found)
{
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    int crossed = found->high >= 1, early = 0;
    int rc = found->high < 1 ? switch_at(s, found->high, 1, v->trial) : KEEL_OK;
    if (rc) return rc;
    for (int i = 0; i < v->count && found->high < 1; i++) crossed |= crosses(v, i, v->trial[i]) > 0;
    if (!crossed) return 0;
    if (found->high < 1) memcpy(v->high, v->trial, bytes);
    if (found->low <= from) return 1;
    rc = switch_at(s, found->low, 1, v->trial);
    if (rc) return rc;
    for (int i = 0; i < v->count; i++) early |= crosses(v, i, v->trial[i]) > 0;
    if (!early) memcpy(v->low, v->trial, bytes);
    return !early;
}

/* An interval by looks at the polynomial; where what they show is not so, with all points on the
 * constraints: algebraic unknowns may move faster than the polynomial of a long step. */
static int look_twice(keel_solver *s, double from, double width, int last, bracket *found)
{
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    memcpy(v->first, v->look[0], bytes);
    memcpy(v->entered, v->side, (size_t)v->count * sizeof *v->side);
    int rc = look_along(s, from, width, last, HALVINGS, found);
    if (rc != 1) return rc;
    rc = is_confirmed(s, from, found);
    if (rc != 0) return rc;
    memcpy(v->look[0], v->first, bytes);
    memcpy(v->side, v->entered, (size_t)v->count * sizeof *v->side);
    return look_along(s, from, width, last, HALVINGS - 1, found);
}

int look_for_crossing(keel_solver *s, double theta, bracket *found)
{
    event_state *v = s->events;
    size_t bytes = (size_t)v->count * sizeof(double);
    double length = fabs(s->t - s->dense.t0) * (1 - theta), look = v->how->spec.look;
    int parts = look > 0 && length > LOOKS * look ? (int)fmin(1e6, ceil(length / (LOOKS * look))) : 1;
    if (v->count == 0) return 0;
    for (int k = 0; k < parts; k++) {
        for (int i = 0; i < v->count; i++) v->peak[i] = fmax(v->peak[i], fabs(v->look[0][i]));
        double width = (1 - theta) / parts;
        int rc = look_twice(s, theta + k * width, width, k == parts - 1, found);
        if (rc) return rc;
        memcpy(v->look[0], v->look[LOOKS], bytes);
    }
    memcpy(v->now, v->look[LOOKS], bytes);
    v->length = length / parts;
    return 0;
}
