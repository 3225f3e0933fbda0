/* formulation_state.c -- the scratch of a formulation's callbacks, and levels of the original.
 *
 * Where a lower level has to be differentiated, five-point differences lose least: their steps are
 * long, and the level may itself come from differences.
 */
#include "problem/formulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "problem/difference.h"
#include "problem/invariant_field.h"

int differential_unknowns(const keel_problem *p)
{
    switch (p->form) {
    case KEEL_FORM_MECHANICAL:
    case KEEL_FORM_HESSENBERG3: return p->group[0] + p->group[1];
    case KEEL_FORM_HESSENBERG2:
    case KEEL_FORM_PROPER:
    case KEEL_FORM_LEVELLED:
    case KEEL_FORM_SEMI_EXPLICIT: return p->group[0];
    default: return p->n;
    }
}

static const reduction *reduction_of(const keel_problem *p)
{
    switch (p->form) {
    case KEEL_FORM_MECHANICAL: return &mechanical_reduction;
    case KEEL_FORM_HESSENBERG3: return &hessenberg3_reduction;
    case KEEL_FORM_HESSENBERG2: return &hessenberg2_reduction;
    case KEEL_FORM_SEMI_EXPLICIT: return &semi_explicit_reduction;
    default: return NULL;
    }
}

static void state_layout(arena *a, formulation_state *s, const keel_problem *original)
{
    int mechanical = original->form == KEEL_FORM_MECHANICAL;
    size_t n = (size_t)original->n, m = (size_t)keel_problem_constraints(original);
    size_t N = (size_t)original->group[0];
    s->n = original->n;
    s->nx = differential_unknowns(original);
    s->m = keel_problem_constraints(original);
    s->lower = original->levels > 0 ? original->levels - 1 : 0;
    s->reduction = reduction_of(original);
    s->y = ARENA(a, double, n);
    s->moved = ARENA(a, double, n);
    s->rate = ARENA(a, double, n);
    s->along = ARENA(a, double, n);
    s->base = ARENA(a, double, m);
    s->value = ARENA(a, double, m);
    s->known = ARENA(a, double, m);
    s->trial = ARENA(a, double, m);
    s->increment = ARENA(a, double, m);
    s->G = ARENA(a, double, m * N);
    s->S = ARENA(a, double, m * m);
    s->pivot = ARENA(a, int, m > N ? m : N);
    s->mass = ARENA(a, double, mechanical ? N * N : 0);
    s->saddle = mechanical ? saddle_layout(a, (int)N, (int)m) : NULL;
    s->multiplier_pivot = ARENA(a, int, mechanical ? m : 0);
    s->x = ARENA(a, double, mechanical ? s->nx : 0);
    ARENA_KEEP(a, s, uncounted, uncounted);
    ARENA_KEEP(a, s, t, t);
    ARENA_KEEP(a, s, parts, parts);
}

/* Callbacks of the user, with the user's context. */
static int is_identity(const keel_problem *p)
{
    return p->formulation->kind->identity >> p->original->form & 1u;
}

void formulation_layout(arena *a, evaluator *e)
{
    const keel_problem *p = e->problem;
    evaluator *inner = ARENA_OBJECT(a, evaluator, 1), measured_inner = {0};
    formulation_state *s = ARENA_OBJECT(a, formulation_state, 1), measured = {0};
    e->original = inner;
    if (inner) inner->stats = e->stats;
    evaluator_layout(a, inner ? inner : &measured_inner, p->original);
    e->original_y = ARENA(a, double, p->original->n);
    e->found = ARENA(a, double, p->original->constraints);
    e->kept = ARENA(a, double, p->original->constraints);
    state_layout(a, s ? s : &measured, p->original);
    formulation_create *kind = p->formulation->kind->create;
    if (kind == create_stabilised || kind == create_invariants)
        field_layout(a, s ? s : &measured, p->original,
                     kind == create_stabilised || p->ops != &hessenberg2_form);
    if (!s) return;
    s->how = p->formulation;
    s->outer = e;
    s->l = e->found;
    s->inner = inner;
    if (!is_identity(p)) e->context = s;
}

void formulation_forget(evaluator *e)
{
    size_t bytes = (size_t)e->problem->original->constraints * sizeof *e->kept;
    memset(e->found, 0, bytes);
    memset(e->kept, 0, bytes);
    if (is_identity(e->problem)) return;
    formulation_state *s = e->context;
    s->parts = 0;
    if (s->field) s->field->begun = s->field->count = 0;
}

formulation_state *formulation_enter(void *context)
{
    formulation_state *s = context;
    eval_original(s->outer);
    s->inner->stats = &s->uncounted;
    s->inner->fault = (fault){0};
    return s;
}

int formulation_leave(formulation_state *s, int rc)
{
    s->inner->stats = s->outer->stats;
    return rc;
}

int formulation_fault(formulation_state *s, double t, int code, const char *what)
{
    s->inner->fault = (fault){.callback = what, .code = code, .t = t};
    return 1;
}

/* ---- lower levels ------------------------------------------------------------------------ */

int lower_level(formulation_state *s, int level, double t, const double *x, double *value)
{
    memcpy(s->y, x, (size_t)s->nx * sizeof *s->y);
    return eval_level(s->inner, level, t, s->y, value);
}

typedef struct moving_level {
    formulation_state *s;
    int level;
} moving_level;

static int moved_level(void *context, double t, const double *x, double *value)
{
    const moving_level *moving = context;
    return lower_level(moving->s, moving->level, t, x, value);
}

int level_derivative(formulation_state *s, int level, double t, const double *x, const stencil *d,
                     double in_time, const double *direction, double *value)
{
    moving_level moving = {s, level};
    difference line = {.value = moved_level, .context = &moving, .rows = s->m, .size = s->nx,
                       .t = t, .x = x, .moved = s->moved, .one = s->value};
    return difference_along(&line, d, in_time, direction, value);
}

int difference_level_jacobian(formulation_state *s, int level, double t, const double *x, double *J)
{
    moving_level moving = {s, level};
    difference d = {.value = moved_level, .context = &moving, .rows = s->m, .size = s->nx, .t = t,
                    .x = x, .moved = s->moved, .one = s->value};
    memset(J, 0, (size_t)s->m * (size_t)s->nx * sizeof *J);
    return difference_matrix(&d, &(difference_columns){
        .order = 4, .sum = s->known, .delta = s->along, .dense = J});
}

int difference_level_time(formulation_state *s, int level, double t, const double *x, double *value)
{
    stencil d = time_stencil(s->inner, t, 1, 4, 0.01 * s->inner->time_scale);
    return level_derivative(s, level, t, x, &d, 1, NULL, value);
}

/* ---- multipliers ------------------------------------------------------------------------- */

typedef struct hidden_point {
    formulation_state *s;
    const double *x;
} hidden_point;

static int hidden_level(void *context, double t, const double *l, double *value)
{
    const hidden_point *p = context;
    return p->s->reduction->hidden(p->s, t, p->x, l, value);
}

/* S = d hidden / d l at s->l, where its value is s->base. */
static int multiplier_matrix(formulation_state *s, double t, const double *x)
{
    int m = s->m;
    hidden_point point = {s, x};
    difference d = {.value = hidden_level, .context = &point, .rows = m, .size = m, .t = t,
                    .x = s->l, .moved = s->trial};
    memset(s->S, 0, (size_t)m * (size_t)m * sizeof *s->S);
    int rc = difference_matrix(&d, &(difference_columns){
        .order = 1, .unit = 1, .base = s->base, .sum = s->value, .delta = s->increment,
        .dense = s->S});
    if (!rc && dense_factor(m, s->S, s->pivot))
        rc = formulation_fault(s, t, FAULT_MULTIPLIERS, "constraint");
    return rc;
}

/* 0, or what evaluation returned, or 2: no convergence. */
static int newton(formulation_state *s, double t, const double *x)
{
    enum { PASSES = 25 };
    const double enough = 1e-9;                  /* where rounding ends the descent */
    double last = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        int rc = s->reduction->hidden(s, t, x, s->l, s->base);
        if (!rc) rc = multiplier_matrix(s, t, x);
        if (rc) return rc;
        dense_solve(s->m, s->S, s->pivot, s->base);
        double size = norm_relative(s->m, s->base, s->l);
        if (!(size < last) && last <= enough) return 0;
        for (int k = 0; k < s->m; k++) s->l[k] -= s->base[k];
        if (size <= 4 * DBL_EPSILON) return 0;
        last = size;
    }
    return 2;
}

int solve_multipliers(formulation_state *s, double t, const double *x)
{
    size_t bytes = (size_t)s->m * sizeof *s->l;
    if (s->m == 0) return 0;
    int warm = norm_max(s->m, s->l) > 0, rc = s->reduction->prepare(s, t, x);
    if (!rc) rc = newton(s, t, x);
    if (rc > 0 && warm) {                        /* once more, from nowhere */
        s->inner->fault = (fault){0};
        memset(s->l, 0, bytes);
        rc = s->reduction->prepare(s, t, x);
        if (!rc) rc = newton(s, t, x);
    }
    if (rc > 0) memset(s->l, 0, bytes);
    return rc == 2 ? formulation_fault(s, t, FAULT_MULTIPLIERS, "constraint") : rc;
}
