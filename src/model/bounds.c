/* bounds.c -- min, max and nominal of variables, and what should hold but does not end a run. */
#include <math.h>
#include <stdlib.h>

#include "core/text.h"
#include "model/object.h"

model_bound bound_of(keel_model *m, int variable)
{
    const flat_variable *f = &m->flat->variable[variable];
    const double least = f->min ? parameter_value(&m->system, f->min) : NAN;
    const double most = f->max ? parameter_value(&m->system, f->max) : NAN;
    return (model_bound){variable, isnan(least) ? -INFINITY : least, isnan(most) ? INFINITY : most};
}

int bounds_compile(keel_model *m)
{
    const int n = m->system.variables;
    expr *e = malloc(((size_t)n + 1) * sizeof *e);
    m->bound = malloc(((size_t)n + 1) * sizeof *m->bound);
    if (!e || !m->bound) return free(e), KEEL_NO_MEMORY;
    for (int v = 0; v < n; v++) {
        const model_bound b = bound_of(m, v);
        if (m->flat->variable[v].variability <= FLAT_PARAMETER) continue;
        if (b.least == -INFINITY && b.most == INFINITY) continue;
        e[m->bounds] = levels_finish(&m->levels, &m->system, pool_variable(&m->flat->pool, (uint32_t)v, 0));
        m->bound[m->bounds++] = b;
    }
    int code = pool_full(&m->flat->pool) ? KEEL_NO_MEMORY : KEEL_OK;
    if (code == KEEL_OK && m->bounds) {
        m->programs.bounds = evaluation_add(&m->evaluation, e, m->bounds);
        if (m->programs.bounds < 0) code = KEEL_NO_MEMORY;
    }
    free(e);
    return code;
}

static double nominal_of(keel_model *m, int variable)
{
    const flat_variable *f = &m->flat->variable[variable];
    const double nominal = f->nominal ? fabs(parameter_value(&m->system, f->nominal)) : NAN;
    return nominal > 0 && isfinite(nominal) ? nominal : NAN;
}

int keel_model_nominal(keel_model *m, double *nominal)
{
    if (!m || !nominal || !keel_model_problem(m)) return 0;
    int given = 0;
    for (int u = 0; u < levels_unknowns(&m->levels); u++) nominal[u] = 1;
    for (int v = 0; v < m->system.variables; v++) {
        const int u = model_unknown(m, v);
        const double value = u >= 0 ? nominal_of(m, v) : NAN;
        if (isnan(value)) continue;
        nominal[u] = value;
        given++;
    }
    return given;
}

/* Beyond a bound by more than errors of a run: a level that rests at 0 is not below it. */
static int outside(keel_model *m, const model_bound *b, double t, double value, char *text, size_t size)
{
    static const double usual_tolerance = 1e-6;
    if (value >= b->least && value <= b->most) return 0;
    const double nominal = nominal_of(m, b->variable), scale = isnan(nominal) ? 1 : nominal;
    const double bound = value < b->least ? b->least : b->most;
    if (fabs(value - bound) <= usual_tolerance * (scale + fabs(bound))) return 0;
    text_append(text, size, "t = %.10g: %s = %.10g is %s = %g (line %d)", t,
                m->flat->variable[b->variable].name, value, value < b->least ? "less than its min" :
                "more than its max", bound, model_line(m, m->flat->variable[b->variable].where));
    return 1;
}

int keel_model_warning(keel_model *m, double t, const double *y, const keel_frame *frame, char *text,
                       size_t size)
{
    if (!m || !y || !text || size == 0 || !keel_model_problem(m)) return 0;
    text[0] = 0;
    if (!m->bounds && !m->flat->assertions) return 0;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return 0;
    const int *modes = frame && frame->modes ? frame->modes : m->mode_start;
    const double *reals = frame && frame->values ? frame->values : m->value_start;
    const model_point at = {t, y, y + m->levels.differential, modes, modes, reals, reals, 0};
    int found = 0;
    const double *x = m->bounds ? evaluation_run(&m->evaluation, w, m->programs.bounds, &at) : NULL;
    for (int k = 0; k < m->bounds && !found; k++) found = outside(m, &m->bound[k], t, x[k], text, size);
    if (!found && m->flat->assertions) x = evaluation_run(&m->evaluation, w, m->programs.watch, &at);
    for (int k = 0; k < m->flat->assertions && !found; k++) {
        const flat_assert *a = &m->flat->assertion[k];
        found = a->warning && x[k] == 0;
        if (found) text_append(text, size, "t = %.10g: %s (assert in line %d)", t, a->text,
                               model_line(m, a->where));
    }
    evaluation_give(&m->evaluation, w);
    return found;
}
