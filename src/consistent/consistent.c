/* consistent.c -- which equations make initial values consistent, and in which order they
 * are met.
 *
 * Constraint levels are met one after the other, each by the unknowns that it moves, the last by z.
 * Where that leaves something to do (fixed multipliers or derivatives, attached rows, equations of
 * the user) all of them are met together.  A formulation begins where its original would: the
 * hidden levels of the original are invariants of most formulations, which could not find them
 * again.
 */
#include "consistent/consistent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"
#include "problem/stencil.h"
#include "step/projection.h"

static int has_derivatives(const keel_problem *p)
{
    return p->ops->mass && !form_has(p, FORM_ACCELERATIONS);
}

/* Multipliers and algebraic unknowns are free, the others guesses; an augmented problem keeps the
 * original's. */
static void standard_marks(start_point *w)
{
    const int n = w->p->n, held = w->p->held, kept = n - w->p->free;
    keel_mark *marks = w->marks;
    for (int i = 0; i < n; i++) marks[i] = i < held ? KEEL_FIXED : i >= kept ? KEEL_FREE : KEEL_GUESS;
}

/* ---- one problem --------------------------------------------------------------------------- */

static int fixed_from(const start_point *w, const keel_mark *marks, int first)
{
    for (int i = first; i < w->p->n && marks; i++)
        if (marks[i] == KEEL_FIXED) return 1;
    return 0;
}

/* Equations beside those of the levels and the form. */
static int has_more(const start_point *w)
{
    int rates = !has_derivatives(w->p) && fixed_from(w, w->yp_marks, 0);
    return rates || (w->spec && w->spec->equations > 0) ||
           (!w->p->original && w->p->attached.rows > 0);
}

/* The attached row, but for `other`, that is violated most, by more than what counts; -1: none. */
static int violated(const start_point *w, const double *value, int other)
{
    const keel_problem *p = w->p;
    int worst = -1;
    double most = 1e-6;
    for (int i = 0; i < p->attached.rows; i++)
        if (i != other && !(p->kept && p->kept[i]) && fabs(value[i]) > most) worst = i, most = fabs(value[i]);
    return worst;
}

/* To the nearest point where attached rows hold, on the levels; those that are kept have the values of here.
 * *arrived: it is where they are least. */
static int move_to_attached(start_point *w, int *arrived)
{
    const projection_plan plan = {.kind = KEEL_PROJECT_OBLIQUE, .multipliers = w->p->levels > 1};
    projection q = {0};
    arena a = {0};
    int row = 0;
    projection_layout(&a, &q, w->p, 0, NULL);
    void *block = arena_block(a.used);
    if (!block) return start_no_memory(w);
    projection_layout(&(arena){.base = block}, &q, w->p, 0, NULL);
    int rc = projection_create(&q);
    if (rc) rc = start_unready(w, rc);
    else rc = eval_attached_begin(w->e, w->t, w->y) ? start_fault(w, 1) : KEEL_OK;
    projection_result result = PROJECTION_DONE;
    if (!rc) result = projection_move(&q, w->e, &plan, NULL, w->t, w->y, &row);
    if (result == PROJECTION_STOP || result == PROJECTION_CANNOT_EVALUATE) rc = start_fault(w, result);
    *arrived = result == PROJECTION_DONE;
    projection_release(&q);
    arena_block_free(block);
    return rc;
}

static int attached_unmet(const start_point *w, const double *value, int fixed, int arrived)
{
    const keel_problem *p = w->p;
    int row = violated(w, value, -1), other = violated(w, value, row);
    if (row < 0) return KEEL_OK;
    return fail(w->message, KEEL_INCONSISTENT, "t = %.10g: %s%s%s %s by %.3g; %s", w->t,
                p->row_names[p->constraints + row], other < 0 ? "" : " and ",
                other < 0 ? "" : p->row_names[p->constraints + other],
                other < 0 ? "is violated" : "are violated", fabs(value[row]),
                fixed     ? "a large problem with fixed values must start where its attached rows hold"
                : arrived ? "all equations together cannot be met better: remove or correct one of them"
                          : "no way leads to it from here: start nearer to a solution, or check it");
}

/* Large problems meet attached rows by projection, where nothing is fixed. */
static int meet_attached(start_point *w)
{
    const keel_problem *p = w->p;
    double *value = w->e->work[9];
    int arrived = 0, rates = !has_derivatives(p) && fixed_from(w, w->yp_marks, 0);
    if (rates || (w->spec && w->spec->equations > 0))
        return fail(
            w->message, KEEL_UNSUPPORTED,
            "t = %.10g: initial equations beside those of the "
            "problem, and fixed derivatives of this form, are for smaller problems: %d unknowns "
            "are too many",
            w->t, p->n);
    if (p->original || p->attached.rows == 0) return KEEL_OK;
    int rc = eval_level(w->e, p->levels, w->t, w->y, value), fixed = fixed_from(w, w->marks, 0);
    if (rc) return start_fault(w, rc);
    if (violated(w, value, -1) >= 0 && !fixed) {
        rc = move_to_attached(w, &arrived);
        if (!rc && p->levels < 2 && p->ops != &mechanical_form) rc = start_large(w);
        if (rc) return rc;
        rc = eval_level(w->e, p->levels, w->t, w->y, value);
        if (rc) return start_fault(w, rc);
    }
    return attached_unmet(w, value, fixed, arrived);
}

static int meet_large(start_point *w)
{
    const keel_problem *p = w->p;
    int rc = KEEL_OK;
    int (*meet_level)(start_point *, int) = w->e->engine ? start_along : start_sparse_level;
    for (int k = 0; k < p->levels - 1 && !rc; k++) rc = meet_level(w, k);
    if (!rc && p->levels > 1) rc = start_multipliers(w);
    else if (!rc && (p->levels == 1 || p->ops->mass) && p->ops != &mechanical_form) rc = start_large(w);
    if (!rc) rc = start_fixed(w);
    return rc ? rc : start_agree(w, meet_attached(w));
}

/* Levels one after the other; KEEL_OK with *all: they have to be met together. */
static int meet_levels(start_point *w, int *all)
{
    const keel_problem *p = w->p;
    int rc = KEEL_OK, marked = fixed_from(w, w->marks, 0); /* others may help fixed ones */
    for (int k = 0; k < p->levels - 1 && !rc; k++) rc = start_equations(w, k, marked);
    *all = rc > 0 || has_more(w) || fixed_from(w, w->marks, p->n - p->constraints);
    if (rc < 0 || *all) return rc < 0 ? rc : KEEL_OK;
    rc = start_multipliers(w);
    *all = rc == KEEL_INCONSISTENT;
    return *all ? KEEL_OK : rc;
}

static int meet(start_point *w)
{
    const keel_problem *p = w->p;
    int more = has_derivatives(p) || has_more(w), all = more || p->levels == 1, rc = KEEL_OK;
    if (w->standard && !more && (start_holds(w, &rc) || rc)) return rc;
    if (start_is_large(w)) return meet_large(w);
    if (p->levels > 1) rc = meet_levels(w, &all);
    if (rc || !all) return rc;
    w->message->text[0] = 0;
    rc = start_equations(w, EQUATIONS_ALL, 0);
    return rc || p->levels == 0 ? rc : start_multipliers(w);
}

/* Rows that are kept have from now on the values that they have here, the original's too. */
static int begin_attached(start_point *w, evaluator *e, const double *y)
{
    int rc = eval_attached_begin(e, w->t, y);
    if (rc || !e->problem->original) return rc ? start_fault(w, rc) : KEEL_OK;
    keel_formulation_to(e->problem, y, e->original_y);
    for (int i = 0; i < e->problem->original->n; i++)
        if (isnan(e->original_y[i])) e->original_y[i] = 0;
    return begin_attached(w, eval_original(e), e->original_y);
}

/* ---- formulations -------------------------------------------------------------------------- */

/* Additional equations are those of the formulation's unknowns. */
typedef struct translation {
    const keel_start_spec *spec;
    const keel_problem *p;
    double *y, *yp;
} translation;

static int translated(double t, const double *y, const double *yp, double *value, void *context)
{
    const translation *c = context;
    keel_formulation_from(c->p, y, c->y);
    keel_formulation_from(c->p, yp, c->yp);
    return c->spec->equation(t, c->y, c->yp, value, c->spec->context);
}

/* What the original has of n numbers per unknown; `absent` for unknowns that are eliminated. */
static void to_original(const keel_problem *p, const double *from, double absent, double *to)
{
    keel_formulation_to(p, from, to);
    for (int i = 0; i < p->original->n; i++)
        if (isnan(to[i])) to[i] = absent;
}

/* Marks travel as numbers on the way of the values. */
static void map_marks(const keel_problem *p, const keel_mark *marks, double *from, double *to,
                      keel_mark *mapped)
{
    for (int i = 0; i < p->n; i++) from[i] = marks[i];
    to_original(p, from, KEEL_FREE, to);
    for (int i = 0; i < p->original->n; i++) mapped[i] = (keel_mark)(int)to[i];
}

static int from_original(start_point *w, const keel_mark *marks, double *numbers, keel_mark *kinds)
{
    const keel_problem *p = w->p;
    int n = p->original->n;
    double *y = numbers, *yp = y + n, *to = yp + n, *from = to + n;
    translation words = {w->spec, p, from, from + p->n};
    keel_start_spec spec = w->spec ? *w->spec : (keel_start_spec){0};
    start_point o = *w;
    o.e = eval_original(w->e);
    o.p = p->original;
    o.y = y;
    o.yp = yp;
    o.marks = kinds + 2 * n;
    if (marks) map_marks(p, marks, from, to, kinds);
    if (w->yp_marks) map_marks(p, w->yp_marks, from, to, kinds + n);
    o.yp_marks = w->yp_marks ? kinds + n : NULL;
    to_original(p, w->y, 0, y);
    to_original(p, w->yp, 0, yp);
    spec.equation = translated;
    spec.context = &words;
    o.spec = &spec;
    int rc = start_consistent(&o, marks ? kinds : NULL, 0);
    if (rc == KEEL_OK) keel_formulation_from(p, y, w->y);
    return rc;
}

static int start_original(start_point *w, const keel_mark *marks)
{
    size_t n = (size_t)w->p->original->n, own = (size_t)w->p->n;
    double *numbers = calloc(3 * n + 2 * own, sizeof *numbers);
    keel_mark *kinds = calloc(3 * n, sizeof *kinds);
    int rc = numbers && kinds ? from_original(w, marks, numbers, kinds) : start_no_memory(w);
    free(numbers);
    free(kinds);
    return rc;
}

/* ---- entries ------------------------------------------------------------------------------- */

static int make_consistent(start_point *w, const keel_mark *marks, int own)
{
    const keel_problem *p = w->p;
    const keel_start_spec *spec = w->spec;
    const keel_mark *yp_marks = w->yp_marks;
    int translates = p->original && !own, rc = translates ? start_original(w, marks) : KEEL_OK;
    if (rc) return rc;
    message remark;
    remark.text[0] = '\0';
    if (translates) {                            /* the original's equations hold */
        remark = *w->message;                    /* on rows that depend on others */
        w->spec = NULL;
        w->yp_marks = NULL;
        w->e->dependence = w->dependence && w->dependence->count > 0 ? w->dependence : NULL;
        w->dependence = NULL;
    }
    if (marks && !translates)
        memcpy(w->marks, marks, (size_t)p->n * sizeof *marks);
    else
        standard_marks(w);
    w->standard = !marks || translates;
    rc = settle_time_scale(w->e, w->t, w->y);
    evaluator_settle(w->e, 1);
    rc = rc ? start_fault(w, rc) : meet(w);
    evaluator_settle(w->e, 0);
    if (!rc && translates && w->e->dependence) *w->message = remark;
    w->spec = spec;
    w->yp_marks = yp_marks;
    return rc || (!p->original && p->attached.rows == 0) ? rc : begin_attached(w, w->e, w->y);
}

int start_consistent(start_point *w, const keel_mark *marks, int own)
{
    enum { FEW = 32 };
    size_t n = (size_t)w->p->n, bytes = n * sizeof(double);
    double few[2 * FEW], *kept = n <= FEW ? few : malloc(2 * bytes);
    if (start_lacks(w, !kept)) {
        if (kept != few) free(kept);
        return start_no_memory(w);
    }
    memcpy(kept, w->y, bytes);
    memcpy(kept + n, w->yp, bytes);
    w->given = kept;
    int rc = make_consistent(w, marks, own);
    if (rc) {
        memcpy(w->y, kept, bytes);
        memcpy(w->yp, kept + n, bytes);
    }
    if (kept != few) free(kept);
    return rc;
}

int start_given(start_point *w, int derivative_given)
{
    int rc = KEEL_OK, derivatives = has_derivatives(w->p);
    standard_marks(w);
    if (w->e->engine) return KEEL_OK;
    evaluator_settle(w->e, 1);
    if (derivatives && !derivative_given && !start_is_large(w))
        rc = start_equations(w, EQUATIONS_DERIVATIVE, 0);
    evaluator_settle(w->e, 0);
    if (!rc && derivatives) rc = start_remark(w);
    if (!rc) rc = start_dependence(w);
    return rc ? rc : begin_attached(w, w->e, w->y);
}
