/* evaluate.c -- every call of a user's function: counted, checked, and never trusted.
 *
 *   r(t,y,y') = f(t,y) - M(t,y) y'   or   -F(t,y,y')   or   (-A(t,x) u' - b(t,x), d(t,x) - u)
 */
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

#include "core/norm.h"
#include "core/number.h"
#include "linear/columns.h"
#include "linear/lanes.h"
#include "problem/dependence.h"
#include "problem/gauge.h"
#include "problem/derived.h"
#include "problem/formulation.h"
#include "problem/forms.h"
#include "problem/products.h"

/* The name of the callback becomes text, and what reads it a pointer to that. */
static void fault_tape(tape *t, void *at, size_t bytes)
{
    fault *f = at;
    const fault before = *f;
    (void)bytes;
    if (!t->loading && f->callback && f->callback != f->kept)
        strncpy(f->kept, f->callback, sizeof f->kept - 1);
    tape_pass(t, f, sizeof *f);
    f->callback = !t->loading ? before.callback : f->callback ? f->kept : NULL;
}

/* An M that varies and is not sparse anyway. */
static int mass_is_listed(const keel_problem *p)
{
    return p->ops == &quasilinear_form && !p->spec.quasilinear.constant_mass &&
           p->pattern.storage != KEEL_SPARSE;
}

void evaluator_layout(arena *a, evaluator *e, const keel_problem *p)
{
    int wide = p->n + p->constraints + p->attached.rows, states = p->group[0];
    int mechanical = p->ops == &mechanical_form, proper = p->ops == &proper_form;
    e->problem = p;
    e->context = p->context;
    for (int k = 0; k < 10; k++) e->work[k] = ARENA(a, double, wide);
    e->variable_index = ARENA(a, int, p->n);
    ARENA_LINKS(a, e, stats, reducer);
    if (e->engine) {
        if (a->base) eval_set_lag(e, 0);
        return;
    }
    int linked = p->levels > 1 && p->ops != &levelled_form && !problem_is_sparse(p);
    size_t rows = (size_t)(linked ? p->constraints : proper ? p->group[1] : 0);
    e->typical = ARENA(a, double, 2 * (size_t)p->n);
    e->settling = ARENA(a, double, 2 * (size_t)wide);
    e->constraint_jacobian = ARENA(a, double, mechanical ? (size_t)p->jacobian_entries
                                                         : rows * (size_t)states);
    e->square = ARENA(a, double, mechanical ? p->mass_entries : proper ? states * p->group[1] : 0);
    e->pivot = ARENA(a, int, mechanical && !mechanical_is_sparse(p) ? states : 0);
    const int *force = mechanical ? p->force_pattern.column_start : NULL;
    e->force_jacobian = ARENA(a, double, force ? 2 * (size_t)force[states] : 0);
    int scratch = p->ops == &levelled_form || (p->levels > 1 && problem_is_sparse(p));
    if (scratch || (p->ops->mass && !mechanical)) problem_matrix_layout(a, &e->mass, p);
    e->level_point = ARENA(a, double, p->ops == &hessenberg2_form && scratch ? states + 1 : 0);
    if (proper) e->mass.rows = e->mass.columns = states;
    int constant = p->ops == &quasilinear_form && p->spec.quasilinear.constant_mass;
    size_t entries = constant || mass_is_listed(p) ? matrix_storage(p->n, p->n, &p->pattern) : 0;
    e->mass_at = ARENA(a, int, constant ? 0 : entries);
    e->mass_row = ARENA(a, int, entries);
    e->mass_column = ARENA(a, int, entries);
    e->mass_value = ARENA(a, double, entries);
    e->mass_listed = ARENA(a, unsigned char, constant ? 0 : entries);
    int small = constant && p->n >= PRODUCT_LEAST && p->n <= PRODUCT_MOST;
    e->mass_columns = ARENA(a, double, small ? p->n * p->n : 0);
    e->attached_start = ARENA(a, double, p->attached.rows);
    e->deviation = ARENA(a, double, 3 * (size_t)p->attached.rows);
    ARENA_OWN(a, e, fault, fault_tape);
    ARENA_KEEP(a, e, time_scale, asked);
    ARENA_KEEP(a, e, mass_known, mass_count);
    ARENA_OWN(a, e, mass_solver, saddle_tape);
    ARENA_KEEP(a, e, forceless, forceless);
    ARENA_KEEP(a, e, lag, lag);
    ARENA_LINKS(a, e, dependence, gauge);
    if (mechanical && p->constraints > 0) derived_layout(a, e);
    if (p->original) formulation_layout(a, e);
    if (a->base) eval_set_lag(e, p->lag > 0 ? p->lag : 0);
}

int evaluator_create(evaluator *e)
{
    return mechanical_is_sparse(e->problem) ? mechanical_saddle(&e->mass_solver, e->problem, 0)
                                            : KEEL_OK;
}

void evaluator_release(evaluator *e) { saddle_free(e->mass_solver); }

void evaluator_reset(evaluator *e)
{
    e->fault = (fault){0};
    e->mass_known = e->mass_zero = e->limited = e->backward = 0;
    if (e->derived) derived_forget(e);
    if (!e->original) return;
    evaluator_reset(e->original);
    formulation_forget(e);
}

void evaluator_settle(evaluator *e, int begin)
{
    e->settles = begin && e->typical ? SETTLE_ALWAYS : SETTLE_NEVER;
    if (e->settles) memset(e->typical, 0, 2 * (size_t)e->problem->n * sizeof *e->typical);
}

void evaluator_keep(evaluator *e)
{
    if (!e->original) return;
    memcpy(e->kept, e->found, (size_t)e->original->problem->constraints * sizeof *e->kept);
    evaluator_keep(e->original);
}

void evaluator_recall(evaluator *e)
{
    if (!e->original) return;
    memcpy(e->found, e->kept, (size_t)e->original->problem->constraints * sizeof *e->kept);
    evaluator_recall(e->original);
}

void evaluator_share(const evaluator *e, evaluator *other)
{
    other->stats = e->stats;
    other->time_scale = e->time_scale;
    other->limited = e->limited;
    other->t_limit = e->t_limit;
    other->limit_direction = e->limit_direction;
    other->accuracy = e->accuracy;
    other->differences = e->differences;
    other->counting = e->counting;
    other->dependence = e->dependence;
    other->asked = e->asked;
}

evaluator *eval_original(evaluator *e)
{
    evaluator_share(e, e->original);
    return e->original;
}

/* For all ranks, with the next message: until then no rank knows of it, this one neither. */
static int fail_here(evaluator *e, fault found, int size, double *x)
{
    rank_failure *f = &e->reducer->here;
    const fault before = e->fault;
    char text[REDUCE_TEXT - 40];
    int severity = found.code < 0 ? 2 : 1;
    for (int i = 0; i < size; i++) x[i] = NAN;
    if (severity <= f->severity) return 0;
    e->fault = found;
    fault_text(e, text, sizeof text);
    e->fault = before;
    *f = (rank_failure){.severity = severity, .code = found.code, .t = found.t};
    if (e->reducer->reduce) snprintf(f->text, sizeof f->text, "%s, on rank %d", text, e->reducer->rank);
    else snprintf(f->text, sizeof f->text, "%s", text);
    return 0;
}

int eval_inspect(evaluator *e, const char *callback, double t, int code, int size, double *x)
{
    int bad = code == 0 ? first_not_finite(size, x) : -1;
    if (code == 0 && bad < 0) return 0;
    if (code != 0 && e->original && e->original->fault.callback) {
        e->fault = e->original->fault;           /* the user's callback, not the formulation's */
        return code < 0 ? -1 : 1;
    }
    const fault found = {.callback = callback, .code = code, .component = bad, .t = t};
    if (e->reducer) return fail_here(e, found, size, x);
    e->fault = found;
    return code < 0 ? -1 : 1;
}

int fault_status(const evaluator *e)
{
    int code = e->fault.code;
    return code == FAULT_SINGULAR_MASS ? KEEL_SINGULAR : code ? KEEL_CALLBACK_FAILED : KEEL_NOT_FINITE;
}

/* What an entry of a vector belongs to: the rate of an unknown or a constraint; NULL: nothing with a name. */
static const char *entry_name(const keel_problem *p, const fault *f, const char **what)
{
    const int rate = strcmp(f->callback, "rhs") == 0 || strcmp(f->callback, "rate") == 0;
    const int row = strcmp(f->callback, "constraint") == 0 || strcmp(f->callback, "level") == 0;
    const int i = f->component;
    if (rate && i >= 0 && i < p->n) return *what = "the rate of ", p->names[i];
    return row && i >= 0 && i < p->constraints ? p->row_names[i] : NULL;
}

void fault_text(const evaluator *e, char *text, int size)
{
    const fault *f = &e->fault;
    if (f->told) snprintf(text, (size_t)size, "%s", e->reducer->told);
    else if (!f->callback) number_print(text, (size_t)size, "no callback has failed");
    else if (f->code == FAULT_STRAY)
        number_print(text, (size_t)size, "the callback `%s` wrote entry (%d, %d) outside the declared "
                 "pattern", f->callback, f->component, f->column);
    else if (f->code == FAULT_SINGULAR_MASS)
        number_print(text, (size_t)size, "the mass matrix is singular at t = %.10g: only linear = "
                 "mechanical can do without its inverse", f->t);
    else if (f->code == FAULT_MULTIPLIERS)
        number_print(text, (size_t)size, "the multipliers cannot be eliminated at t = %.10g: the "
                 "constraints depend on each other there, or the values are too far off", f->t);
    else if (f->code)
        number_print(text, (size_t)size, "the callback `%s` returned %d at t = %.10g",
                 f->callback, f->code, f->t);
    else {
        const char *what = "", *name = entry_name(e->problem, f, &what);
        number_print(text, (size_t)size, "entry [%d] of what the callback `%s` gave at t = %.10g is not "
                 "finite%s%s%s", f->component, f->callback, f->t, name ? ": " : "", what, name ? name : "");
    }
}

static void count(evaluator *e)
{
    if (e->counting == COUNT_FOR_JACOBIAN) e->stats->rhs_for_jacobian++;
    else e->stats->rhs++;
}

/* r := f - y' for what `rhs` gave with that code; what is not finite stays so. */
static inline int subtract_rate(evaluator *e, double t, int code, int n, const double *yp, double *r)
{
    typedef double loose2 __attribute__((vector_size(16), may_alias, aligned(8)));
    sum2 sum = {0};                              /* too large: eval_inspect looks at each */
    int i = 0;
    for (; i + 1 < n; i += 2) {
        sum2 f = *(loose2 *)(void *)(r + i);
        sum += f;
        *(loose2 *)(void *)(r + i) = f - *(const loose2 *)(const void *)(yp + i);
    }
    if (i < n) {
        sum[0] += r[i];
        r[i] -= yp[i];
    }
    return code == 0 && sum_finite(sum) ? 0 : eval_inspect(e, "rhs", t, code, n, r);
}

int ode_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    const keel_ode_spec *s = &e->problem->spec.ode;
    return subtract_rate(e, t, s->rhs(t, y, r, e->context), s->size, yp, r);
}

/* y' = f(t,y,z), 0 = g(t,y,z); one look at all values, as long as they are finite. */
int semi_explicit_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    const keel_semi_explicit_spec *s = &e->problem->spec.semi_explicit;
    int n = e->problem->group[0], m = e->problem->group[1];
    double sum = 0;
    int code = s->rhs(t, y, y + n, r, e->context);
    if (code) return eval_inspect(e, "rhs", t, code, n, r);
    code = s->constraint(t, y, y + n, r + n, e->context);
    for (int k = 0; k < m; k++) sum += r[n + k];
    int rc = subtract_rate(e, t, 0, n, yp, r);
    if (rc || (code == 0 && fabs(sum) <= DBL_MAX)) return rc;
    return eval_inspect(e, "constraint", t, code, m, r + n);
}

/* y' = f(t,y,z), 0 = g(t,y) */
int hessenberg2_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    const keel_hessenberg2_spec *s = &e->problem->spec.hessenberg2;
    int n = e->problem->group[0], m = e->problem->group[1];
    int rc = subtract_rate(e, t, s->rhs(t, y, y + n, r, e->context), n, yp, r);
    if (rc) return rc;
    rc = eval_check(e, "constraint", t, s->constraint(t, y, r + n, e->context), m, r + n);
    for (int k = 0; e->dependence && k < m && !rc; k += e->dependence->m)    /* of ggl, G of g' */
        dependence_regularise(e->dependence, e->original->constraint_jacobian, y + n + k, r + n + k);
    return rc;                                   /* a hidden level sees to it */
}

int hessenberg3_residual(evaluator *e, double t, const double *y, const double *yp,
                                double *r)
{
    const keel_hessenberg3_spec *s = &e->problem->spec.hessenberg3;
    int N = s->positions, M = s->velocities, m = s->multipliers;
    const double *u = y, *v = y + N, *l = y + N + M;
    int rc = eval_check(e, "position_rate", t, s->position_rate(t, u, v, r, e->context), N, r);
    if (!rc)
        rc = eval_check(e, "velocity_rate", t, s->velocity_rate(t, u, v, l, r + N, e->context),
                        M, r + N);
    if (!rc)
        rc = eval_check(e, "constraint", t, s->constraint(t, u, r + N + M, e->context),
                        m, r + N + M);
    for (int i = 0; i < N + M && !rc; i++) r[i] -= yp[i];
    return rc;
}

/* (v - q', f - G^T l - M v', g); dependent rows: g - N N^T l */
int mechanical_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    const keel_problem *p = e->problem;
    int n = p->group[0];
    const double *q = y, *v = y + n, *l = y + 2 * n;
    keel_mechanical_parts parts = {.mass = e->square, .force = r + n, .constraint = r + 2 * n,
                                   .constraint_jacobian = e->constraint_jacobian};
    unsigned wanted = KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT | KEEL_CONSTRAINT_JACOBIAN;
    if (e->forceless) {
        wanted = KEEL_CONSTRAINT_JACOBIAN | (problem_mass_constant(p) ? 0u : KEEL_MASS);
        memset(r + n, 0, (size_t)(p->n - n) * sizeof *r);
    }
    int rc = eval_mechanical(e, t, q, v, wanted, &parts);
    if (rc) return rc;
    for (int i = 0; i < n; i++) r[i] = v[i] - yp[i];
    if (wanted & KEEL_MASS) subtract_inertia(p, e->square, yp + n, r + n);
    subtract_constraint_force(p, e->constraint_jacobian, l, r + n);
    if (e->dependence)
        dependence_regularise(e->dependence, e->constraint_jacobian, l, r + 2 * n);
    return 0;
}

/* The nonzeros of M, of which there are often few, and what was listed before; their order does not
 * depend on when they were seen, so that neither do roundings. */
static void list_mass(evaluator *e, int constant)
{
    e->mass_count = 0;
    for (int j = 0; j < e->mass.columns; j++) {
        column c = matrix_column(&e->mass, j);
        for (int k = 0; k < c.count; k++) {
            int at = (int)(c.values + k - e->mass.values), count = e->mass_count;
            if (c.values[k] == 0 && (constant || !e->mass_listed[at])) continue;
            e->mass_row[count] = column_row(&c, k);
            e->mass_column[count] = j;
            if (constant) e->mass_value[count] = c.values[k];
            else e->mass_at[count] = at, e->mass_listed[at] = 1;
            e->mass_count++;
        }
    }
}

/* A small M as a whole where that takes fewer instructions, 5 a column and 25, than 11 a nonzero. */
static void keep_columns(evaluator *e)
{
    int n = e->problem->n, small = n >= PRODUCT_LEAST && n <= PRODUCT_MOST;
    e->mass_whole = small && 11 * e->mass_count > 5 * n + 25;
    for (int k = 0; k < n * n && e->mass_whole; k++) e->mass_columns[k] = 0;
    for (int k = 0; k < e->mass_count && e->mass_whole; k++)
        e->mass_columns[e->mass_column[k] * n + e->mass_row[k]] = e->mass_value[k];
}

void eval_mass_add(const evaluator *e, double alpha, const double *x, double *y)
{
    if (e->mass_whole) {
        vectors_product(e->problem->n, alpha, e->mass_columns, x, y);
        return;
    }
    const int *row = e->mass_row, *from = e->mass_column, count = e->mass_count;
    for (int k = 0; k < count; k++) y[row[k]] += alpha * (e->mass_value[k] * x[from[k]]);
}

/* All entries are zero before the callback writes. */
static void clear_mass(evaluator *e)
{
    double *values = e->mass.values;
    for (int k = 0; e->mass_zero == MASS_SHOWN && k < e->mass_count; k++) values[e->mass_at[k]] = 0;
    e->mass.stray_row = e->mass.stray_column = -1;
    if (e->mass_zero) return;
    matrix_zero(&e->mass);
    memset(e->mass_listed, 0, matrix_storage(e->mass.rows, e->mass.columns, &e->mass.pattern));
    e->mass_count = 0;
}

/* mass_value := the listed entries, which become zero; the sum is 0 where they are finite. */
static double take_listed(evaluator *e)
{
    double *values = e->mass.values, poison = 0;
    for (int k = 0; k < e->mass_count; k++) {
        double *entry = values + e->mass_at[k];
        e->mass_value[k] = *entry;
        poison += 0 * *entry;
        *entry = 0;
    }
    return poison;
}

static void show_listed(evaluator *e)
{
    for (int k = 0; k < e->mass_count; k++) e->mass.values[e->mass_at[k]] = e->mass_value[k];
}

/* An M that varies: the list grows by what is left when the listed entries are taken out, so that nothing
 * can be missing from it. */
static int eval_listed_mass(evaluator *e, double t, const double *y)
{
    int entries = (int)matrix_storage(e->mass.rows, e->mass.columns, &e->mass.pattern);
    clear_mass(e);
    e->mass_zero = 0;
    int code = e->problem->spec.quasilinear.mass(t, y, &e->mass, e->context);
    double poison = code ? 0 : take_listed(e);
    if (code == 0 && any_bits(entries, e->mass.values)) {
        show_listed(e);
        list_mass(e, 0);
        poison = take_listed(e);
    }
    if (code == 0 && poison == 0 && e->mass.stray_row < 0) e->mass_zero = MASS_TAKEN;
    else if (code == 0) show_listed(e);
    return e->mass_zero ? 0 : eval_check_matrix(e, "mass", t, code, &e->mass);
}

int eval_quasilinear_mass(evaluator *e, double t, const double *y)
{
    const keel_quasilinear_spec *s = &e->problem->spec.quasilinear;
    if (e->mass_known) return 0;
    if (mass_is_listed(e->problem)) {
        int code = eval_listed_mass(e, t, y);
        if (code) return code;
        show_listed(e);
        e->mass_zero = MASS_SHOWN;
        return 0;
    }
    matrix_zero(&e->mass);
    int rc = eval_check_matrix(e, "mass", t, s->mass(t, y, &e->mass, e->context), &e->mass);
    e->mass_known = !rc && s->constant_mass;
    if (e->mass_known) list_mass(e, 1), keep_columns(e);
    return rc;
}

int quasilinear_residual(evaluator *e, double t, const double *y, const double *yp,
                                double *r)
{
    const keel_quasilinear_spec *s = &e->problem->spec.quasilinear;
    int listed = mass_is_listed(e->problem);
    int rc = e->engine ? 0 : listed ? eval_listed_mass(e, t, y) : eval_quasilinear_mass(e, t, y);
    if (!rc) rc = eval_check(e, "rhs", t, s->rhs(t, y, r, e->context), s->size, r);
    if (!rc && e->engine)
        return eval_engine(e, "multiply_mass", t, e->engine->spec.multiply_mass(e->engine->spec.context, -1, yp, r));
    if (rc) return rc;
    if (e->mass_known || listed) eval_mass_add(e, -1, yp, r);
    else matrix_multiply_add(&e->mass, -1, yp, r);
    return 0;
}

int implicit_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    const keel_implicit_spec *s = &e->problem->spec.implicit;
    int rc = eval_check(e, "residual", t, s->residual(t, y, yp, r, e->context), s->size, r);
    for (int i = 0; i < s->size; i++) r[i] = -r[i];
    return rc;
}

int eval_residual(evaluator *e, double t, const double *y, const double *yp, double *r)
{
    if (!form_has(e->problem, FORM_ACCELERATIONS)) count(e);     /* else counted by its parts */
    if (e->gauge) return gauge_residual(e, t, y, yp, r);
    return e->problem->ops->residual(e, t, y, yp, r);
}

int problem_mass_diagonal(const keel_problem *p, double *diagonal)
{
    if (p->ops->mass) return 0;
    for (int i = 0; i < p->n; i++) diagonal[i] = i < p->n - p->constraints;
    return 1;
}

int problem_mass_constant(const keel_problem *p)
{
    if (form_has(p, FORM_ACCELERATIONS))
        return p->spec.mechanical.constant_mass ||
               (!p->spec.mechanical.mass && !p->spec.mechanical.evaluate);
    return !p->ops->mass || (p->ops == &quasilinear_form && p->spec.quasilinear.constant_mass);
}

int problem_gives_jacobian(const keel_problem *p)
{
    return p->ops == &ode_form ? p->spec.ode.jacobian != NULL
         : p->ops == &semi_explicit_form ? p->spec.semi_explicit.jacobian != NULL
         : p->ops == &quasilinear_form && p->spec.quasilinear.jacobian != NULL;
}
