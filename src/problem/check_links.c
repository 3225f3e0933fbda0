/* check_links.c -- do levels and attached rows follow from the equations?
 *
 *   levelled   d/dt h_k = (h_k)_t + (h_k)_y f = h_(k-1),  and f_i = y_next where `rate` says more
 *   attached   d/dt h   = h_t + h_y f = 0                 on all levels, along y' = f
 *
 * A level may have been simplified by the levels below it: then the first holds on these only.  So
 * a link that fails beside the point is tried a second time with nothing displaced but what the
 * levels below do not contain: z and components whose depth is less than k.  Both need a point that
 * is consistent; without one, and for forms that do not know y', nothing is said.
 */
#include "problem/check.h"

#include <stdlib.h>
#include <string.h>

#include "problem/difference.h"
#include "problem/forms.h"

/* Values that count as 0, and rates, relative to what a change of all unknowns makes of them. */
static const double vanishing = 1e-6, steady = 1e-4;

/* A function of (t,y) along the solution. */
typedef struct flow {
    check *check;
    claim claim;
    evaluator *full;             /* with scratch, for rates                                */
    double *rate;                /* [n] f, 0 for algebraic unknowns                        */
    double *claimed;             /* [rows] what the derivative should be                   */
} flow;

static int level_rows_value(const claim_point *x, double *value)
{
    return eval_level(x->e, x->claim->level, x->t, x->y, value);
}

static int attached_rows_value(const claim_point *x, double *value)
{
    evaluator *e = x->e;
    return eval_check(e, x->claim->callback, x->t,
                      e->problem->attached.value(x->t, x->y, value, e->context),
                      x->claim->rows, value);
}

/* size_i: how much a change of all unknowns by a tenth of their size changes row i, times ten. */
static int measure(flow *f)
{
    check *k = f->check;
    const claim *c = &f->claim;
    int n = k->problem->n;
    for (int j = 0; j < n; j++) k->w[j] = check_spread(j, 3) * (1 + fabs(k->y[j]));
    k->w[n] = 0;
    int rc = check_value(k, c, 0, k->base);
    for (double part = 0.1; !rc && part > 1e-4; part /= 10) {
        rc = check_value(k, c, part, k->plus);
        for (int i = 0; i < c->rows && !rc; i++)
            k->size[i] = fabs(k->plus[i] - k->base[i]) / part;
        if (rc <= 0) break;
        rc = 0;
    }
    return rc;
}

/* The ladder of the function along (1, f), whose unit is path_unit. */
static int along_flow(flow *f)
{
    check *k = f->check;
    int n = k->problem->n;
    memset(f->rate, 0, (size_t)n * sizeof *f->rate);
    int rc = k->problem->ops->rate(f->full, k->t, k->y, f->rate);
    if (rc) return rc < 0 ? -1 : 1;
    for (int j = n - k->problem->constraints; j < n; j++) f->rate[j] = 0;
    k->path_unit = line_increment(check_time_unit(k->t), 1, n, k->y, NULL, f->rate);
    for (int j = 0; j < n; j++) k->w[j] = k->path_unit * f->rate[j];
    k->w[n] = k->path_unit;
    return check_ladder(k, &f->claim);
}

/* ---- levelled -------------------------------------------------------------------------------- */

/* Of h_k at the place: 0 fits, 1 cannot be evaluated, 2 some row does not fit; with `report` it
 * becomes a finding. */
static int try_link(flow *f, int level, int report)
{
    check *k = f->check;
    const keel_problem *p = k->problem;
    int below = p->levels - 1 - level, wrong = 0;                /* h_below */
    f->claim.level = level;
    int rc = measure(f);
    if (!rc) rc = along_flow(f);
    if (!rc) rc = eval_level(f->full, level + 1, k->t, k->y, f->claimed);
    for (int i = 0; i < p->constraints && !rc; i++) {
        if (p->links[i] < below) continue;
        verdict v = check_verdict(k, &f->claim, i, k->path_unit * f->claimed[i]);
        if (!v.wrong) continue;
        wrong = 1;
        if (report && check_add(k, &f->claim, (keel_finding){
                .kind = KEEL_FINDING_LINK, .callback = "level", .row = i, .column = -1,
                .given = f->claimed[i], .expected = v.expected / k->path_unit})) return -1;
    }
    return rc < 0 ? -1 : rc ? 1 : wrong ? 2 : 0;
}

/* Only z and what is of smaller depth than k leaves the point. */
static void displace_above(check *k, int level)
{
    const keel_problem *p = k->problem;
    double *beside = k->moved;
    check_at_given(k);
    check_displace(k, 0, 0);
    memcpy(beside, k->y, (size_t)p->n * sizeof *beside);
    check_at_given(k);
    for (int l = level + 1; l < p->levels; l++)
        for (int i = 0; i < p->level[l].count; i++) {
            int j = level_unknown(&p->level[l], i);
            k->y[j] = beside[j];
        }
}

/* Does the function of the flow vanish at the place? */
static int vanishes(flow *f)
{
    check *k = f->check;
    int rc = measure(f);
    for (int i = 0; i < f->claim.rows && !rc; i++)
        if (!(fabs(k->base[i]) <= vanishing * k->size[i] + 1e-10)) rc = 1;
    return rc < 0 ? rc : !rc;
}

/* Where this level and those below it hold: as try_link, 1 where they do not. */
static int try_on_levels(flow *f, int level)
{
    int holds = 1;
    for (int l = 0; l <= level && holds == 1; l++) {
        f->claim.level = l;
        holds = vanishes(f);
    }
    return holds < 0 ? holds : holds ? try_link(f, level, 1) : 1;
}

static int check_level(flow *f, int level, keel_check_item *item)
{
    check *k = f->check;
    check_at_given(k);
    check_displace(k, 0, 1);
    int rc = try_link(f, level, 0);
    if (rc == 2) {
        displace_above(k, level);
        rc = try_on_levels(f, level);
        if (rc == 1) {                           /* unknowns that levels share: the point itself */
            check_at_given(k);
            rc = try_on_levels(f, level);
        }
    }
    item->outcome = rc == 1 ? KEEL_CHECK_UNDECIDED : rc == 2 ? KEEL_CHECK_WRONG : KEEL_CHECK_FITS;
    return rc < 0 ? rc : 0;
}

/* f_i of `rate` where `next` says what it is: 0, if not written, or y_next. */
static int check_next(flow *f, keel_check_item *item)
{
    check *k = f->check;
    const keel_problem *p = k->problem;
    const int *next = p->links + p->constraints;
    static const claim rates = {.row_names = ROWS_RATES, .function = "next"};
    check_at_given(k);
    check_displace(k, 0, 0);
    memset(f->rate, 0, (size_t)p->n * sizeof *f->rate);
    int code = p->spec.levelled.rate(k->t, k->y, k->y + p->group[0], f->rate, k->e->context);
    code = eval_inspect(k->e, "rate", k->t, code, p->group[0], f->rate);
    if (code) item->outcome = KEEL_CHECK_UNDECIDED;
    for (int i = 0; i < p->group[0] && !code; i++) {
        if (next[i] < 0) continue;
        double given = f->rate[i], expected = k->y[next[i]];
        item->entries++;
        if (given == 0 || fabs(given - expected) <= steady * (1e-3 + fabs(expected))) continue;
        item->outcome = KEEL_CHECK_WRONG;
        if (check_add(k, &rates, (keel_finding){.kind = KEEL_FINDING_LINK, .callback = "rate",
                                                .row = i, .column = next[i], .given = given,
                                                .expected = expected})) return -1;
    }
    return code < 0 ? code : 0;
}

static const char *const slope_name[KEEL_LEVELS_MOST] = {
    "d/dt g", "d/dt h_1", "d/dt h_2", "d/dt h_3", "d/dt h_4", "d/dt h_5", "d/dt h_6", "d/dt h_7",
    "d/dt h_8", "d/dt h_9", "d/dt h_10", "d/dt h_11", "d/dt h_12", "d/dt h_13", "d/dt h_14",
    "d/dt h_15"};

static int levelled_links(flow *f, keel_check_item *items, int *count)
{
    const keel_problem *p = f->check->problem;
    int rc = 0;
    f->claim = (claim){.callback = "level", .rate_callback = "level", .rows = p->constraints,
                       .row_names = ROWS_CONSTRAINTS, .columns = p->n, .value = level_rows_value};
    for (int level = 0; level + 1 < p->levels && !rc; level++) {
        keel_check_item *item = &items[(*count)++];
        f->claim.function = slope_name[p->levels - 1 - level];
        *item = (keel_check_item){.callback = "level", .with = f->claim.function,
                                  .entries = p->constraints};
        rc = check_level(f, level, item);
    }
    if (rc || !p->spec.levelled.next) return rc;
    items[*count] = (keel_check_item){.callback = "rate", .with = "next"};
    return check_next(f, &items[(*count)++]);
}

/* ---- attached rows --------------------------------------------------------------------------- */

/* At a place where all levels hold, and the rows that are to vanish.  1: it does not. */
static int is_consistent(flow *f)
{
    const keel_problem *p = f->check->problem;
    check *k = f->check;
    claim attached = f->claim;
    int holds = 1;
    f->claim.value = level_rows_value;
    f->claim.rows = p->constraints;
    for (int l = 0; l < p->levels && holds == 1; l++) {
        f->claim.level = l;
        holds = vanishes(f);
    }
    f->claim = attached;
    const int rc = holds == 1 ? measure(f) : 0;
    if (rc) holds = rc < 0 ? rc : 0;
    for (int i = 0; i < p->attached.rows && holds == 1; i++) {
        int kept = p->kept && p->kept[i];
        if (!kept && !(fabs(k->base[i]) <= vanishing * k->size[i] + 1e-10)) holds = 0;
    }
    return holds < 0 ? holds : !holds;
}

/* Rates of algebraic unknowns are not known: rows with them cannot be judged. */
static int has_algebraic(flow *f)
{
    check *k = f->check;
    int n = k->problem->n, m = k->problem->constraints;
    memset(k->w, 0, (size_t)(n + 1) * sizeof *k->w);
    for (int j = n - m; j < n; j++) k->w[j] = 1 + fabs(k->y[j]);
    int rc = check_value(k, &f->claim, 0x1p-10, k->plus);
    if (!rc) rc = check_value(k, &f->claim, 0, k->base);
    for (int i = 0; i < f->claim.rows && !rc; i++) rc = k->plus[i] != k->base[i];
    return rc;
}

static int attached_links(flow *f, keel_check_item *item)
{
    check *k = f->check;
    const keel_problem *p = k->problem;
    int invariants = p->ops == &ode_form && p->spec.ode.invariants > 0;
    f->claim = (claim){.callback = invariants ? "invariant" : "attached.value", .columns = p->n,
                       .rate_callback = "attached.value", .rows = p->attached.rows,
                       .row_names = ROWS_ATTACHED, .value = attached_rows_value};
    *item = (keel_check_item){.callback = f->claim.callback, .with = "d/dt along the solution",
                              .entries = p->attached.rows};
    check_at_given(k);
    int rc = is_consistent(f);
    if (!rc) rc = has_algebraic(f);
    if (!rc) rc = measure(f);
    if (!rc) rc = along_flow(f);
    if (rc > 0) item->outcome = KEEL_CHECK_UNDECIDED;
    for (int i = 0; i < p->attached.rows && !rc; i++) {
        k->size[i] *= 1e3;                       /* to be compared with `steady` */
        verdict v = check_verdict(k, &f->claim, i, 0);
        if (!v.wrong) continue;
        item->outcome = KEEL_CHECK_WRONG;
        rc = check_add(k, &f->claim, (keel_finding){
            .kind = KEEL_FINDING_LINK, .callback = f->claim.callback, .row = i, .column = -1,
            .given = 0, .expected = v.expected / k->path_unit});
    }
    return rc < 0 ? rc : 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void layout(arena *a, flow *f, evaluator *full, const keel_problem *p)
{
    f->rate = ARENA(a, double, p->n);
    f->claimed = ARENA(a, double, p->constraints + p->attached.rows);
    evaluator_layout(a, full, p);
}

int check_links(check *k, keel_check_item *items, int *count)
{
    const keel_problem *p = k->problem;
    int levelled = p->ops == &levelled_form && p->levels > 1;
    int attached = p->attached.rows > 0 && p->ops->rate;
    evaluator full = {0};
    flow f = {.check = k, .full = &full};
    arena measured = {0};
    if (!levelled && !attached) return 0;
    layout(&measured, &f, &full, p);
    void *block = arena_block(measured.used);
    k->no_memory = !block;
    if (!block) return -1;
    layout(&(arena){.base = block}, &f, &full, p);
    k->no_memory = evaluator_create(&full) == KEEL_NO_MEMORY;
    full.stats = &k->ignored;
    full.time_scale = 1e-3 * check_time_unit(k->t_given);
    k->e = k->at.e = &full;
    int rc = k->no_memory ? -1 : levelled ? levelled_links(&f, items, count) : 0;
    if (!rc && attached) rc = attached_links(&f, &items[(*count)++]);
    k->e = k->at.e = &k->bare;
    k->bare.fault = full.fault;                  /* what is said of rc < 0 */
    evaluator_release(&full);
    arena_block_free(block);
    return rc;
}
