/* derived.c -- see derived.h; where g is not quadratic:
 *
 *   G      central differences; order and increments follow the accuracy asked for, because an
 *          error of G turns the constraint force
 *   gamma  a stencil for the second derivative of g along the motion, or for the first one of
 *          G v + g_t where these are given.  Errors are normal to the constraint: projections
 *          remove them
 *   g_t    0 where g has the same value, bit for bit, at another time; there gamma needs no other
 *          times either, whose increments would have to follow the step size
 *
 * Increments are parts of a length for each column, over which g is smooth: 1 + max |q|, or less
 * where five-point differences do not converge that far.  Columns of a sparse G that share no row
 * move together, and have the shortest of their lengths.
 */
#include "problem/derived.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/products.h"
#include "problem/quadratic.h"

enum { UNKNOWN, QUADRATIC, GENERAL };
enum { AUDIT = 16, MEASURE = 64 };               /* every so many evaluations               */

struct derived {
    int kind;
    int uses;                    /* evaluations since the last audit or measurement        */
    int measured;                /* is `reach` known?                                      */
    int still;                   /* did g not depend on time when it was measured?         */
    quadratic model;
    double *reach;               /* [n + 1] of the columns and of time                     */
    double *size;                /* [m] of derivatives along the motion, lately            */
    double *here, *there, *sum;  /* [m] values of g, a result                              */
    double *moved, *delta;       /* [n]                                                    */
    double *G;                   /* [m n], or nonzeros                                     */
    double *row_size;            /* [m] largest entry of each row of G, when measured      */
    coloring colors;             /* of a sparse G,                                         */
    const coloring *grouped;     /* which are here; NULL: one column at a time             */
};

void derived_layout(arena *a, evaluator *e)
{
    int n = e->problem->group[0], m = e->problem->constraints;
    struct derived *s = ARENA_OBJECT(a, struct derived, 1), measured;
    e->derived = s;
    if (!s) s = &measured;
    ARENA_KEEP(a, s, kind, still);
    s->reach = ARENA(a, double, n + 1);
    s->size = ARENA(a, double, m);
    s->here = ARENA(a, double, m);
    s->there = ARENA(a, double, m);
    s->sum = ARENA(a, double, m);
    s->moved = ARENA(a, double, n);
    s->delta = ARENA(a, double, n);
    s->G = ARENA(a, double, e->problem->jacobian_entries);
    s->row_size = ARENA(a, double, m);
    int sparse = mechanical_is_sparse(e->problem);
    quadratic_layout(a, &s->model, m, quadratic_fits(m, n) && !sparse ? n : 0);
    if (!sparse) return;
    const keel_pattern *pattern = &e->problem->jacobian_pattern;
    coloring_layout_sparse(a, &s->colors, pattern, m, n);
    if (!a->base) return;
    coloring_build_sparse(&s->colors, pattern, m, n);
    s->grouped = &s->colors;
}

void derived_forget(evaluator *e)
{
    e->derived->kind = UNKNOWN;
    e->derived->uses = e->derived->measured = 0;
    memset(e->derived->size, 0, (size_t)e->problem->constraints * sizeof *e->derived->size);
}

static int constraint(void *context, double t, const double *q, double *g)
{
    keel_mechanical_parts parts = {.constraint = g};
    return eval_mechanical_given(context, t, q, q, KEEL_CONSTRAINT, &parts);
}

static difference of_constraint(evaluator *e, double t, const double *q)
{
    struct derived *s = e->derived;
    return (difference){.value = constraint, .context = e, .rows = e->problem->constraints,
                        .size = e->problem->group[0], .t = t, .x = q, .moved = s->moved,
                        .one = s->there};
}

/* ---- orders and increments ------------------------------------------------------------------- */

/* Errors of about 4e-11, 4e-13, 7e-14 for a g that changes over 1. */
static int order_of_jacobian(const evaluator *e)
{
    return e->accuracy >= 1e-8 ? 2 : e->accuracy >= 1e-10 ? 4 : 6;
}

/* Errors of about 1e-10, 1e-11, 4e-12: order 2 would leave 4e-8, too much where the Jacobian of a
 * formulation is differenced. */
static int order_of_curvature(const evaluator *e)
{
    return e->accuracy >= 1e-8 ? 4 : e->accuracy >= 1e-10 ? 6 : 8;
}

/* G by differences into the array G, whatever its storage. */
static int difference_to(evaluator *e, const difference *d, int order, const double *reach,
                         double *G)
{
    struct derived *s = e->derived;
    const keel_problem *p = e->problem;
    keel_matrix sparse = {.rows = d->rows, .columns = d->size, .pattern = p->jacobian_pattern,
                          .values = G};
    memset(G, 0, (size_t)p->jacobian_entries * sizeof *G);
    return difference_matrix(d, &(difference_columns){
        .order = order, .reach = reach, .colors = s->grouped, .sum = s->sum, .delta = s->delta,
        .matrix = s->grouped ? &sparse : NULL, .dense = G});
}

static void measure_rows(evaluator *e, const double *G)
{
    struct derived *s = e->derived;
    int n = e->problem->group[0], m = e->problem->constraints;
    const keel_pattern *pattern = &e->problem->jacobian_pattern;
    for (int i = 0; i < m; i++) s->row_size[i] = s->grouped ? 0 : norm_max(n, G + i * n);
    for (int k = 0; s->grouped && k < pattern->column_start[n]; k++) {
        double *size = &s->row_size[pattern->row_index[k]];
        if (!(fabs(G[k]) <= *size)) *size = fabs(G[k]);
    }
}

/* A group of columns that move together, a column or a color, or time. */
enum { IN_TIME = -1 };

/* The column of the group that follows column i, or n. */
static int next_column(const struct derived *s, int n, int group, int i)
{
    if (!s->grouped) return i < group ? group : n;
    for (i++; i < n && s->grouped->color[i] != group;) i++;
    return i;
}

/* d_4 - d_2, the change of the columns of a group, or of g_t, from three to five points with
 * increment h, over d_4: the largest of all rows. */
static int change_of_order(evaluator *e, const difference *d, int group, double h, double *change)
{
    struct derived *s = e->derived;
    int m = d->rows, n = d->size, in_time = group == IN_TIME, rc = 0;
    double *three = s->sum, *five = s->here;
    stencil line = central_stencil(1, 4, h);
    memset(three, 0, (size_t)m * sizeof *three);
    memset(five, 0, (size_t)m * sizeof *five);
    memcpy(s->moved, d->x, (size_t)n * sizeof *s->moved);
    for (int k = 0; k < line.points && !rc; k++) {
        for (int j = next_column(s, n, group, -1); j < n; j = next_column(s, n, group, j))
            s->moved[j] = d->x[j] + line.shift[k];
        rc = d->value(d->context, in_time ? d->t + line.shift[k] : d->t, s->moved, d->one);
        for (int i = 0; i < m && !rc; i++) {
            five[i] += line.weight[k] * d->one[i];
            if (fabs(line.shift[k]) == h) three[i] += d->one[i] / (2 * line.shift[k]);
        }
    }
    *change = rc ? INFINITY : 0;
    for (int i = 0; i < m && !rc; i++) {
        /* the derivative itself may vanish here by chance */
        double size = fmax(fabs(five[i]), in_time ? s->size[i] : 0.1 * s->row_size[i]);
        if (five[i] != three[i]) *change = fmax(*change, fabs(five[i] - three[i]) / size);
    }
    return rc;
}

/* reach = R from d_4 - d_2 = (h/R)^2 d_4, with the largest h that is small enough for that. */
static int measure_group(evaluator *e, const difference *d, int group, double most)
{
    enum { TRIES = 10 };
    const double small = 1e-3;
    struct derived *s = e->derived;
    double best = INFINITY, reach = most, h = central_increment(1, 4, most);
    for (int k = 0; k < TRIES && best > small; k++, h /= 8) {
        double change;
        int rc = change_of_order(e, d, group, h, &change);
        if (rc < 0) return rc;
        if (rc > 0) e->fault = (fault){0};       /* outside the domain: nearer */
        if (change >= best) continue;
        best = change;
        reach = fmin(most, change > 0 ? h / sqrt(change) : most);
    }
    /* Other increments make other rounding errors, which iterations notice: not without need; and
     * a long reach may be chance. */
    int n = d->size, j = group == IN_TIME ? n : next_column(s, n, group, -1);
    double old = s->reach[j];
    reach = !s->measured || reach < old ? reach : reach < 4 * old ? old : 2 * old;
    for (s->reach[j] = reach; j < n; j = next_column(s, n, group, j)) s->reach[j] = reach;
    return 0;
}

/* |G| |v| / 10, with which g_t is compared; v NULL: not known here. */
static void measure_motion(evaluator *e, const double *v)
{
    struct derived *s = e->derived;
    int n = e->problem->group[0], m = e->problem->constraints;
    const keel_pattern *pattern = &e->problem->jacobian_pattern;
    double *motion = s->sum;
    memset(motion, 0, (size_t)m * sizeof *motion);
    for (int j = 0; v && j < n; j++) {
        if (!s->grouped)
            for (int i = 0; i < m; i++) motion[i] += fabs(s->G[i * n + j] * v[j]);
        else
            for (int k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++)
                motion[pattern->row_index[k]] += fabs(s->G[k] * v[j]);
    }
    for (int i = 0; i < m; i++) s->size[i] = fmax(0.5 * s->size[i], 0.1 * motion[i]);
}

/* Lengths of all columns and, unless g is still, of time; later ones begin at those before. */
static int measure(evaluator *e, double t, const double *q, const double *v, int still)
{
    struct derived *s = e->derived;
    difference d = of_constraint(e, t, q);
    int n = d.size;
    double most = 1 + norm_max(n, q), time = 8 * e->time_scale, old = s->reach[n];
    if (s->measured) time = fmin(4 * old, fmax(old, 100 * e->time_scale));
    int groups = s->grouped ? s->grouped->count : n, rc = difference_to(e, &d, 2, NULL, s->G);
    measure_rows(e, s->G);
    measure_motion(e, v);
    for (int k = 0; k < groups && !rc; k++) {
        double before = s->reach[next_column(s, n, k, -1)];
        rc = measure_group(e, &d, k, s->measured ? fmin(most, 4 * before) : most);
    }
    int near = e->limited && fabs(e->t_limit - t) < 2 * central_increment(1, 4, time);
    if (!rc && !still && !near) rc = measure_group(e, &d, IN_TIME, time);
    else if (!s->measured) s->reach[n] = e->time_scale;
    s->measured = !rc;
    s->still = still;
    s->uses = 0;
    return rc;
}

/* What is shorter than the steps says nothing about the solution. */
static double reach_in_time(const evaluator *e)
{
    double reach = e->derived->reach[e->problem->group[0]];
    return fmax(e->time_scale, reach);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int difference_jacobian(evaluator *e, double t, const double *q, double *G)
{
    difference d = of_constraint(e, t, q);
    return difference_to(e, &d, order_of_jacobian(e), e->derived->reach, G);
}

/* Not beyond the stop time. */
static double other_time(const evaluator *e, double t)
{
    const double irrational = 0.3819660113;      /* lest a periodic g be sampled in step */
    return t - irrational * e->time_scale * (e->limited ? e->limit_direction : 1);
}

/* g at (t,q) into s->here; *still = 1 if it is the same at another time. */
static int look_at_time(evaluator *e, double t, const double *q, int *still)
{
    struct derived *s = e->derived;
    int m = e->problem->constraints, rc = constraint(e, t, q, s->here);
    if (!rc) rc = constraint(e, other_time(e, t), q, s->there);
    *still = 1;
    for (int k = 0; k < m && !rc; k++) *still &= s->here[k] == s->there[k];
    return rc;
}

static int difference_time(evaluator *e, double t, const double *q, int still, double *g_t)
{
    difference d = of_constraint(e, t, q);
    stencil line = time_stencil(e, t, 1, 4, central_increment(1, 4, reach_in_time(e)));
    if (!still) return difference_along(&d, &line, 1, NULL, g_t);
    memset(g_t, 0, (size_t)d.rows * sizeof *g_t);
    return 0;
}

/* In time and space.  Near the stop time the points move together; at it, they are all before it,
 * with the increments of order 4, which is what backward formulas have. */
static stencil motion_stencil(const evaluator *e, double t, int derivative, int order, double reach)
{
    double delta = central_increment(derivative, order, reach), side = order / 2;
    double room = e->limited ? (e->t_limit - t) * e->limit_direction : INFINITY;
    if (room < side * delta && room > side * delta / 8) delta = room / side;
    else if (room < side * delta) delta = central_increment(derivative, 4, 0.7 * reach);
    return room < side * delta ? time_stencil(e, t, derivative, 4, delta)
                               : central_stencil(derivative, order, delta);
}

/* A derivative of d along the motion; not still: also in time. */
static int along_motion(evaluator *e, const difference *d, const double *v, int still,
                        int derivative, int order, double *value)
{
    const struct derived *s = e->derived;
    double rate = still ? 0 : 1 / reach_in_time(e);
    for (int j = 0; j < d->size; j++) rate = hypot(rate, v[j] / s->reach[j]);
    memset(value, 0, (size_t)d->rows * sizeof *value);
    if (rate == 0) return 0;                     /* nothing moves */
    stencil line = still ? central_stencil(derivative, order,
                                           central_increment(derivative, order, 1 / rate))
                         : motion_stencil(e, d->t, derivative, order, 1 / rate);
    return difference_along(d, &line, !still, v, value);
}

typedef struct velocity_of_constraint {
    evaluator *e;
    const double *v;
    int with_time;
} velocity_of_constraint;

/* G v, or G v + g_t, with the G and g_t of the user. */
static int given_velocity(void *context, double t, const double *q, double *w)
{
    const velocity_of_constraint *c = context;
    double *G = c->e->derived->G;
    keel_mechanical_parts parts = {.constraint_jacobian = G, .constraint_time = w};
    memset(w, 0, (size_t)c->e->problem->constraints * sizeof *w);
    int rc = eval_mechanical_given(c->e, t, q, c->v, KEEL_CONSTRAINT_JACOBIAN |
                                   (c->with_time ? KEEL_CONSTRAINT_TIME : 0u), &parts);
    if (!rc) level_product(c->e->problem, G, w, c->v, w);
    return rc;
}

static int difference_curvature(evaluator *e, double t, const double *q, const double *v,
                                unsigned given, int still, double *gamma)
{
    difference d = of_constraint(e, t, q);
    int with_time = !!(given & KEEL_CONSTRAINT_TIME);
    if (!(given & KEEL_CONSTRAINT_JACOBIAN) || (!with_time && !still))
        return along_motion(e, &d, v, still, 2, order_of_curvature(e), gamma);
    velocity_of_constraint velocity = {e, v, with_time};
    d.value = given_velocity;
    d.context = &velocity;
    return along_motion(e, &d, v, still, 1, e->accuracy >= 1e-10 ? 4 : 6, gamma);
}

/* ---- quadratic constraints ------------------------------------------------------------------- */

/* A quadratic polynomial at this time and, before and after it, still the same. */
static int learn(evaluator *e, double t, const double *q)
{
    struct derived *s = e->derived;
    difference d = of_constraint(e, t, q);
    double away = other_time(e, t) - t;
    int found = 0, rc = s->model.size > 0 ? quadratic_learn(&s->model, &d, &found) : 0;
    for (int side = 1; side >= -1 && found && !rc; side -= 2) {
        d.t = t + side * away;
        int beyond = e->limited && (e->t_limit - d.t) * e->limit_direction < 0;
        if (!beyond) rc = quadratic_confirm(&s->model, &d, &found);
    }
    if (rc > 0) e->fault = (fault){0};
    s->kind = found && !rc ? QUADRATIC : GENERAL;
    s->uses = 0;
    return rc < 0 ? rc : 0;
}

/* G by differences with the long increments of the model against that of the model: values on the
 * way of the solution alone would not show all that g may have become beside it. */
static int audit(evaluator *e, double t, const double *q, const double *G, int *agrees)
{
    struct derived *s = e->derived;
    difference d = of_constraint(e, t, q);
    int n = d.size, rc;
    double *again = s->model.slope;
    s->uses = 0;
    for (int j = 0; j < n; j++) s->reach[j] = s->model.length / cbrt(DBL_EPSILON);
    memset(again, 0, (size_t)d.rows * (size_t)n * sizeof *again);
    rc = difference_matrix(&d, &(difference_columns){
        .order = 2, .reach = s->reach, .sum = s->sum, .delta = s->delta, .dense = again});
    for (int k = 0; k < d.rows && !rc; k++, G += n, again += n)
        for (int j = 0; j < n; j++)
            *agrees &= fabs(G[j] - again[j]) <= 1e-11 * norm_max(n, G);
    return rc;
}

/* G of the model into s->G, and g into s->here, which confirms it; else the model is given up. */
static int ask_model(evaluator *e, double t, const double *q)
{
    struct derived *s = e->derived;
    int rc = s->kind == UNKNOWN ? learn(e, t, q) : 0;
    if (rc || s->kind != QUADRATIC) return rc;
    rc = constraint(e, t, q, s->here);
    if (rc) return rc;
    quadratic_jacobian(&s->model, q, s->G);
    int agrees = quadratic_agrees(&s->model, q, s->here, s->G);
    if (agrees && !e->asked && s->uses++ >= AUDIT) rc = audit(e, t, q, s->G, &agrees);
    if (rc > 0) e->fault = (fault){0};           /* outside the domain: nearer */
    if (!agrees || rc > 0) s->kind = GENERAL;
    return rc < 0 ? rc : 0;
}

static void fill_from_model(const struct derived *s, const double *v, unsigned absent,
                            const keel_mechanical_parts *p)
{
    size_t m = (size_t)s->model.rows, n = (size_t)s->model.size;
    if (absent & KEEL_CONSTRAINT_JACOBIAN)
        memcpy(p->constraint_jacobian, s->G, m * n * sizeof *s->G);
    if (absent & KEEL_CONSTRAINT_TIME)
        memset(p->constraint_time, 0, m * sizeof *p->constraint_time);
    if (absent & KEEL_CURVATURE) quadratic_curvature(&s->model, v, p->curvature);
}

/* ---- together -------------------------------------------------------------------------------- */

/* The value of g that came along. */
static void hand_over(const evaluator *e, unsigned *wanted, const keel_mechanical_parts *p)
{
    if (*wanted & KEEL_CONSTRAINT)
        memcpy(p->constraint, e->derived->here,
               (size_t)e->problem->constraints * sizeof *p->constraint);
    *wanted &= ~(unsigned)KEEL_CONSTRAINT;
}

static int derive(evaluator *e, double t, const double *q, const double *v, unsigned given,
                  unsigned *wanted, const keel_mechanical_parts *p)
{
    struct derived *s = e->derived;
    unsigned absent = *wanted & ~given, in_time = KEEL_CONSTRAINT_TIME | KEEL_CURVATURE;
    int still = 0, rc = given & KEEL_CONSTRAINT_JACOBIAN ? 0 : ask_model(e, t, q);
    if (rc) return rc;
    if (!(given & KEEL_CONSTRAINT_JACOBIAN) && s->kind == QUADRATIC) {
        fill_from_model(s, v, absent, p);
        hand_over(e, wanted, p);
        return 0;
    }
    if (!(absent & in_time)) still = s->measured && s->still;     /* time does not matter here */
    else if (!(given & KEEL_CONSTRAINT_TIME)) {
        rc = look_at_time(e, t, q, &still);
        if (!rc) hand_over(e, wanted, p);
    }
    int due = !e->asked && (s->uses++ >= MEASURE || still < s->still);
    if (!rc && (!s->measured || due))
        rc = measure(e, t, q, absent & KEEL_CURVATURE ? v : NULL, still);
    if (!rc && absent & KEEL_CONSTRAINT_TIME)
        rc = difference_time(e, t, q, still, p->constraint_time);
    if (!rc && absent & KEEL_CONSTRAINT_JACOBIAN)
        rc = difference_jacobian(e, t, q, p->constraint_jacobian);
    if (!rc && absent & KEEL_CURVATURE)
        rc = difference_curvature(e, t, q, v, given, still, p->curvature);
    return rc;
}

int eval_derived(evaluator *e, double t, const double *q, const double *v, unsigned given,
                 unsigned *wanted, const keel_mechanical_parts *p)
{
    struct derived *s = e->derived;
    const int kind = s->kind, uses = s->uses, measured = s->measured;
    int rc = derive(e, t, q, v, given, wanted, p);
    if (e->asked) s->kind = kind, s->uses = uses, s->measured = measured;
    return rc;
}
