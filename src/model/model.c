/* model.c -- keel_model: a text, and all that is made of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/sized.h"
#include "model/object.h"
#include "model/regular.h"

/* ---- life ------------------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    char *made = text ? malloc(strlen(text) + 1) : NULL;
    if (made) strcpy(made, text);
    return made;
}

const char *model_keep(keel_model *m, const char *text)
{
    char **more = realloc(m->made, ((size_t)m->made_count + 1) * sizeof *more);
    if (!more) return NULL;
    m->made = more;
    return m->made[m->made_count] = copy(text), m->made[m->made_count] ? m->made[m->made_count++] : NULL;
}

static void free_plan(plan *p)
{
    free(p->y);
    free(p->marks);
    free(p->entry);
    free(p->equation);
    for (int k = 0; k < p->equations; k++) free(p->name[k]);
    free(p->name);
    buffer_free(&p->remark);
    *p = (plan){0};
}

/* All that analysis made; the text, parameters and start values stay. */
static void forget(keel_model *m)
{
    keel_problem_free(m->problem);
    m->problem = NULL;
    evaluation_free(&m->evaluation);
    native_free(m);
    free(m->programs.item);
    free(m->programs.fires);
    free(m->programs.action);
    m->programs = (programs){0};
    nonzeros_free(&m->jacobian);
    for (int k = 0; k < KEEL_LEVELS_MOST; k++) nonzeros_free(&m->level_jacobian[k]);
    free_plan(&m->plan);
    levels_free(&m->levels);
    mechanical_free(&m->mechanical);
    discrete_free(&m->discrete);
    if (m->flat) system_free(&m->system);
    if (m->flat) flat_free(m->flat);
    m->flat = NULL;
    for (int k = 0; k < m->made_count; k++) free(m->made[k]);
    free(m->made);
    m->made = NULL;
    m->made_count = 0;
    void *lists[] = {m->names, m->row_names, m->column_start, m->row_index, m->mode_start, m->value_start,
                     m->mode_names, m->value_names, m->switch_names, m->clock_names, m->clock, m->bound};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
    m->names = m->row_names = m->mode_names = m->value_names = m->switch_names = m->clock_names = NULL;
    m->column_start = m->row_index = m->mode_start = NULL;
    m->value_start = NULL;
    m->clock = NULL;
    m->bound = NULL;
    m->bounds = 0;
    m->built = m->clock_only = m->start_sought = 0;
}

void keel_model_free(keel_model *m)
{
    if (!m) return;
    forget(m);
    source_free(m->source);
    for (int k = 0; k < m->parameters; k++) {
        free(m->parameter[k].name);
        free(m->parameter[k].value);
    }
    for (int k = 0; k < m->starts; k++) free(m->start[k].name);
    free(m->parameter);
    free(m->start);
    free(m->path);
    free(m->class_name);
    buffer_free(&m->all_messages);
    buffer_free(&m->shown);
    free(m);
}

int keel_model_read_text(keel_model **model, const char *title, const char *text, size_t length,
                         const char *name)
{
    if (!model || !text) return KEEL_BAD_ARGUMENT;
    keel_model *m = *model = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    m->source = source_create();
    m->path = copy(title ? title : "model");
    m->class_name = copy(name);
    m->text = m->source && m->path ? source_add(m->source, m->path, text, length) : -1;
    if (m->text < 0 || (name && !m->class_name)) {
        keel_model_free(m);
        *model = NULL;
        return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

enum { LONGEST = 1 << 30 };              /* bytes of a text: places in it are 32 bits wide */

static char *read_whole(FILE *file, size_t *length)
{
    size_t room = 65536, used = 0, got;
    char *text = malloc(room);
    while (text && (got = fread(text + used, 1, room - used, file)) > 0) {
        used += got;
        if (used < room) continue;
        char *more = room < LONGEST ? realloc(text, 2 * room) : NULL;
        if (!more) free(text);
        text = more;
        room *= 2;
    }
    *length = used;
    return text;
}

static int unreadable(keel_model **model, const char *path)
{
    const int reason = errno;
    keel_model *m = *model = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    m->status = KEEL_BAD_FILE;
    return fail(&m->message, KEEL_BAD_FILE, "cannot read %s: %s", path, strerror(reason));
}

int keel_model_read(keel_model **model, const char *path, const char *name)
{
    if (!model || !path) return KEEL_BAD_ARGUMENT;
    size_t length = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return unreadable(model, path);
    char *text = read_whole(file, &length);
    const int failed = ferror(file), reason = errno;         /* a folder, for instance */
    fclose(file);
    if (text && failed) {
        free(text);
        errno = reason;
        return unreadable(model, path);
    }
    *model = NULL;
    const int code = text ? keel_model_read_text(model, path, text, length, name) : KEEL_NO_MEMORY;
    free(text);
    return code;
}

/* ---- what is changed ---------------------------------------------------------------------------------- */

int keel_model_parameter_text(keel_model *m, const char *name, const char *value)
{
    if (!m || !name || !value) return KEEL_BAD_ARGUMENT;
    override *more = realloc(m->parameter, ((size_t)m->parameters + 1) * sizeof *more);
    if (!more) return KEEL_NO_MEMORY;
    m->parameter = more;
    more[m->parameters] = (override){copy(name), copy(value)};
    if (!more[m->parameters].name || !more[m->parameters].value) {
        free(more[m->parameters].name);
        free(more[m->parameters].value);
        return KEEL_NO_MEMORY;
    }
    m->parameters++;
    forget(m);
    return KEEL_OK;
}

int keel_model_parameter(keel_model *m, const char *name, double value)
{
    char text[40];
    number_print(text, sizeof text, "%.17g", value);
    return keel_model_parameter_text(m, name, text);
}

int keel_model_start_value(keel_model *m, const char *name, double value)
{
    if (!m || !name) return KEEL_BAD_ARGUMENT;
    start_override *more = realloc(m->start, ((size_t)m->starts + 1) * sizeof *more);
    if (!more) return KEEL_NO_MEMORY;
    m->start = more;
    more[m->starts] = (start_override){copy(name), value};
    if (!more[m->starts].name) return KEEL_NO_MEMORY;
    m->starts++;
    forget(m);
    return KEEL_OK;
}

int keel_model_levelled(keel_model *m, int on)
{
    if (!m) return KEEL_BAD_ARGUMENT;
    m->levelled = on != 0;
    forget(m);
    return KEEL_OK;
}

keel_model *model_at(const keel_model *m, double lambda)
{
    size_t length;
    const char *text = source_text(m->source, m->text, &length);
    keel_model *made = NULL;
    int code = keel_model_read_text(&made, m->path, text, length, m->class_name);
    for (int k = 0; k < m->parameters && code == KEEL_OK; k++)
        code = keel_model_parameter_text(made, m->parameter[k].name, m->parameter[k].value);
    for (int k = 0; k < m->starts && code == KEEL_OK; k++)
        code = keel_model_start_value(made, m->start[k].name, m->start[k].value);
    if (code != KEEL_OK) return keel_model_free(made), NULL;
    made->levelled = m->levelled;
    made->lambda_set = 1;
    made->lambda = lambda;
    return made;
}

static int check_starts(keel_model *m)
{
    int code = KEEL_OK;
    for (int k = 0; k < m->starts; k++) {
        int found = 0;
        for (int v = 0; v < m->flat->variables && !found; v++)
            found = strcmp(m->flat->variable[v].name, m->start[k].name) == 0
                && m->flat->variable[v].variability > FLAT_PARAMETER;
        if (found) continue;
        const char **names = malloc(((size_t)m->flat->variables + 1) * sizeof *names);
        for (int v = 0; names && v < m->flat->variables; v++) names[v] = m->flat->variable[v].name;
        const char *near = names ? source_suggestion(m->start[k].name, names, m->flat->variables) : NULL;
        source_say(m->source, SEVERITY_ERROR, (span){.text = -1}, "there is no variable %s to start from"
                   "%s%s%s", m->start[k].name, near ? "; did you mean " : "", near ? near : "",
                   near ? "?" : "");
        free(names);
        code = KEEL_BAD_ARGUMENT;
    }
    return code;
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* A variable that is exactly this derivative; else der(x). */
static const char *unknown_name(keel_model *m, int column, int order, const int *member)
{
    if (member[0] >= 0) return m->flat->variable[member[0]].name;
    buffer b = {0};
    column_print(&m->system, &b, column, order);
    const char *name = model_keep(m, buffer_text(&b));
    buffer_free(&b);
    return name;
}

static int name_unknowns(keel_model *m)
{
    const levels *l = &m->levels;
    const int size = levels_unknowns(l), rows = l->algebraic - l->solved;
    m->names = calloc((size_t)size + 1, sizeof *m->names);
    m->row_names = calloc((size_t)rows + 1, sizeof *m->row_names);
    int *member = malloc(((size_t)size + 1) * sizeof *member);
    if (!m->names || !m->row_names || !member) return free(member), KEEL_NO_MEMORY;
    for (int u = 0; u < size; u++) member[u] = -1;
    for (int v = 0; v < m->system.variables; v++) {
        const int u = model_unknown(m, v);
        if (u < 0 || m->system.place[v].sign < 0) continue;
        if (member[u] < 0 || m->system.place[v].root == (uint32_t)v) member[u] = v;
    }
    for (int u = 0; u < size; u++) {
        const int y = u < l->differential;
        const int column = y ? l->y_column[u] : l->z_column[u - l->differential];
        m->names[u] = column < 0 ? "time"
                    : unknown_name(m, column, y ? l->y_order[u] : m->system.d[column], &member[u]);
        if (!m->names[u]) return free(member), KEEL_NO_MEMORY;
    }
    free(member);
    for (int r = 0; r < rows; r++) {
        buffer b = {.most = 120};
        row_print(&m->system, &b, m->mechanical.positions ? m->mechanical.row[r] : l->g_row[r], 0, 0);
        m->row_names[r] = model_keep(m, buffer_text(&b));
        buffer_free(&b);
        if (!m->row_names[r]) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

static const char *signal_name(keel_model *m, const event_signal *s)
{
    const printer how = system_printer(&m->system);
    buffer b = {.most = 120};
    print_expr(&b, &how, s->shown);
    const char *name = model_keep(m, buffer_text(&b));
    buffer_free(&b);
    return name;
}

static int name_signals(keel_model *m)
{
    const discrete *d = &m->discrete;
    m->mode_names = calloc((size_t)d->modes + 1, sizeof *m->mode_names);
    m->value_names = calloc((size_t)d->values + 1, sizeof *m->value_names);
    m->switch_names = calloc((size_t)d->switches + 1, sizeof *m->switch_names);
    m->clock_names = calloc((size_t)d->clocks + 1, sizeof *m->clock_names);
    m->clock = calloc((size_t)d->clocks + 1, sizeof *m->clock);
    if (!m->mode_names || !m->value_names || !m->switch_names || !m->clock_names || !m->clock)
        return KEEL_NO_MEMORY;
    for (int v = 0; v < m->system.variables; v++) {
        int real;
        const int slot = discrete_slot(d, (uint32_t)v, &real);
        if (slot >= 0) (real ? m->value_names : m->mode_names)[slot] = m->flat->variable[v].name;
    }
    int code = KEEL_OK;
    for (int k = 0; k < d->signals; k++) {
        const event_signal *s = &d->signal[k];
        const char *name = signal_name(m, s);
        if (!name) return KEEL_NO_MEMORY;
        (s->kind == SIGNAL_FLOOR ? m->value_names : m->mode_names)[s->slot] = name;
        if (s->first_switch >= 0) m->switch_names[s->first_switch] = name;
        if (s->kind == SIGNAL_FLOOR) m->switch_names[s->first_switch + 1] = name;
        if (s->kind != SIGNAL_SAMPLE) continue;
        m->clock_names[s->clock] = name;
        m->clock[s->clock] = (keel_clock){.start = parameter_value(&m->system, s->a),
                                          .interval = parameter_value(&m->system, s->b)};
        if (isfinite(m->clock[s->clock].start) && m->clock[s->clock].interval > 0) continue;
        source_say(m->source, SEVERITY_ERROR, (span){.text = -1},
                   "%s: start and interval have to be numbers, the interval positive", name);
        code = KEEL_BAD_ARGUMENT;
    }
    return code;
}

/* ---- analysis ------------------------------------------------------------------------------------------- */

/* Integrators need something to integrate: the time. */
static int add_clock(levels *l)
{
    if (l->differential > 0) return KEEL_OK;
    l->differential = 1;
    l->y_column[0] = l->next[0] = -1;
    l->y_order[0] = 0;
    return KEEL_OK;
}

static int analyse(keel_model *m)
{
    model_system *s = &m->system;
    int code = system_open(s, m->flat, m->source);
    if (code == KEEL_OK) code = check_starts(m);
    if (code == KEEL_OK) code = parameters_evaluate(s);
    if (code == KEEL_OK) code = equations_sort(s);
    if (code == KEEL_OK) code = discrete_collect(&m->discrete, s);
    if (code == KEEL_OK) code = aliases_eliminate(s);
    if (code == KEEL_OK) code = structure_analyse(s);
    if (code == KEEL_OK) code = definitions_eliminate(s);
    if (code == KEEL_OK && s->definitions) code = structure_analyse(s);
    if (code == KEEL_OK) code = regular_ensure(s);
    if (code == KEEL_OK && !m->levelled) code = mechanical_recognise(&m->mechanical, s);
    if (code == KEEL_OK) code = levels_build(&m->levels, s, &m->mechanical);
    if (code == KEEL_OK && m->levels.depth >= KEEL_LEVELS_MOST) {
        source_say(m->source, SEVERITY_ERROR, (span){.text = -1}, "the index is %d, and %d is the highest "
                   "that can be solved", s->index, KEEL_LEVELS_MOST - 1);
        code = KEEL_UNSUPPORTED;
    }
    if (code == KEEL_OK && m->levels.differential == 0) {
        m->clock_only = 1;
        code = add_clock(&m->levels);
        m->levels.f[0] = pool_constant(&m->flat->pool, 1);
    }
    if (code == KEEL_OK) code = name_unknowns(m);
    if (code == KEEL_OK) code = discrete_complete(&m->discrete, s, &m->levels);
    if (code == KEEL_OK) code = name_signals(m);
    if (code == KEEL_OK) code = programs_compile(m);
    if (code == KEEL_OK) code = discrete_begin(m);
    return code;
}

static int build(keel_model *m)
{
    if (m->built || !m->source) return m->status;
    source *fresh = source_create();             /* messages are those of this analysis */
    size_t length;
    const char *text = source_text(m->source, m->text, &length);
    const int number = fresh ? source_add(fresh, m->path, text, length) : -1;
    if (number < 0) return source_free(fresh), m->status = KEEL_NO_MEMORY;
    source_free(m->source);
    m->source = fresh;
    m->text = number;
    flat_override *list = malloc(((size_t)m->parameters + 1) * sizeof *list);
    if (!list) return m->status = KEEL_NO_MEMORY;
    for (int k = 0; k < m->parameters; k++)
        list[k] = (flat_override){m->parameter[k].name, m->parameter[k].value};
    m->built = 1;
    m->message.text[0] = 0;
    m->status = flat_read(&m->flat, m->source, m->text, m->class_name, list, m->parameters);
    free(list);
    if (m->status == KEEL_OK && m->lambda_set) homotopy_mix(&m->flat->pool, m->lambda);
    if (m->status == KEEL_OK) m->status = analyse(m);
    if (m->status == KEEL_OK) m->status = problem_make(m);
    return m->status;
}

/* ---- answers --------------------------------------------------------------------------------------------- */

const keel_problem *keel_model_problem(keel_model *m)
{
    return m && build(m) == KEEL_OK ? m->problem : NULL;
}

int keel_model_status(const keel_model *m) { return m ? m->status : KEEL_BAD_ARGUMENT; }

const char *keel_model_message(const keel_model *model)
{
    keel_model *m = (keel_model *)(uintptr_t)model;
    if (!m) return "";
    buffer_free(&m->all_messages);
    if (m->source) buffer_add(&m->all_messages, source_messages(m->source));
    if (m->message.text[0]) buffer_print(&m->all_messages, "%s\n", m->message.text);
    if (m->all_messages.length == 0 && m->status != KEEL_OK)
        buffer_print(&m->all_messages, "%s\n", keel_status_text(m->status));
    return buffer_text(&m->all_messages);
}

int model_start_spec(keel_model *m, keel_start_spec *spec)
{
    const double start = m->flat->experiment.start;
    *spec = (keel_start_spec){.t = isfinite(start) ? start : 0, .y = m->plan.y, .marks = m->plan.marks,
                              .equations = m->plan.equations,
                              .equation = m->plan.equations ? plan_equations : NULL,
                              .equation_names = (const char *const *)m->plan.name, .context = m};
    if (m->system.late_start) spec->t += 1e-7 * (1 + fabs(spec->t));
    if (m->clock_only) m->plan.y[0] = spec->t;
    return KEEL_OK;
}

int keel_model_start(keel_model *m, keel_start_spec *spec)
{
    if (!m || !spec) return KEEL_BAD_ARGUMENT;
    if (build(m) != KEEL_OK) return m->status;
    const int code = homotopy_start(m);
    model_start_spec(m, spec);
    return code;
}

int keel_model_variable_count(keel_model *m)
{
    return m && build(m) == KEEL_OK ? m->system.variables : 0;
}

int keel_model_variable_at_sized(keel_model *m, int i, keel_model_variable *variable, size_t size)
{
    if (!m || !variable || build(m) != KEEL_OK || i < 0 || i >= m->system.variables)
        return KEEL_BAD_ARGUMENT;
    const flat_variable *f = &m->flat->variable[i];
    const place at = m->system.place[i];
    const int alias = m->system.varies[i] && at.root != (uint32_t)i;
    const keel_model_variable answer = {
        .name = f->name, .comment = f->comment, .unit = f->unit, .hidden = f->hidden,
        .kind = (keel_model_kind)f->variability, .unknown = model_unknown(m, i),
        .alias = alias ? (int)at.root : -1, .sign = at.sign, .order = (int)at.order};
    sized_answer(variable, size, &answer, sizeof answer);
    return KEEL_OK;
}

int keel_model_values(keel_model *m, double t, const double *y, const keel_frame *frame, double *values)
{
    if (!m || !y || !values || build(m) != KEEL_OK) return KEEL_BAD_ARGUMENT;
    workspace *w = evaluation_take(&m->evaluation);
    if (!w) return KEEL_NO_MEMORY;
    const int *modes = frame && frame->modes ? frame->modes : m->mode_start;
    const double *reals = frame && frame->values ? frame->values : m->value_start;
    const model_point at = {t, y, y + m->levels.differential, modes, modes, reals, reals, 0};
    memcpy(values, evaluation_run(&m->evaluation, w, m->programs.output, &at),
           (size_t)m->system.variables * sizeof *values);
    evaluation_give(&m->evaluation, w);
    for (int v = 0; v < m->system.variables; v++)
        if (!isfinite(values[v])) return KEEL_NOT_FINITE;
    return KEEL_OK;
}

int keel_model_name_value(keel_model *m, const keel_solver *solver, const char *name, double *value)
{
    if (!m || !solver || !name || !value || build(m) != KEEL_OK) return KEEL_BAD_ARGUMENT;
    int found = -1;
    for (int v = 0; v < m->system.variables && found < 0; v++)
        if (strcmp(m->flat->variable[v].name, name) == 0) found = v;
    if (found < 0) return KEEL_UNKNOWN_NAME;
    double *all = malloc(((size_t)m->system.variables + 1) * sizeof *all);
    if (!all) return KEEL_NO_MEMORY;
    const double *y = keel_state(solver);
    int code = y ? keel_model_values(m, keel_time(solver), y, keel_solver_frame(solver), all) : KEEL_BAD_ARGUMENT;
    if (code == KEEL_OK || code == KEEL_NOT_FINITE) {
        *value = all[found];
        code = isfinite(*value) ? KEEL_OK : KEEL_NOT_FINITE;
    }
    free(all);
    return code;
}

int keel_model_experiment_of(keel_model *m, keel_model_experiment *e)
{
    if (!m || !e || build(m) != KEEL_OK) return KEEL_BAD_ARGUMENT;
    const flat_experiment *f = &m->flat->experiment;
    *e = (keel_model_experiment){f->start, f->stop, f->interval, f->tolerance};
    return KEEL_OK;
}
