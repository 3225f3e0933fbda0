/* describe.c -- what is known of the structure of a model, for whoever asks. */
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "model/object.h"

static int ready(keel_model *m) { return m && keel_model_problem(m) != NULL; }

static void measure_blocks(const model_system *s, keel_model_structure *a)
{
    a->blocks = s->blocks;
    for (int b = 0; b < s->blocks; b++) {
        const int size = s->block[b + 1] - s->block[b];
        if (size > a->largest_block) a->largest_block = size;
        a->loops += size > 1;
    }
}

/* Edges remember conditions, but make no events of their own. */
static int sources(const discrete *d)
{
    int count = 0;
    for (int k = 0; k < d->signals; k++) count += d->signal[k].kind != SIGNAL_EDGE;
    return count;
}

int keel_model_structure_of_sized(keel_model *m, keel_model_structure *structure, size_t size)
{
    if (!structure || !ready(m)) return KEEL_BAD_ARGUMENT;
    const model_system *s = &m->system;
    keel_model_structure a = {
        .name = m->flat->name, .comment = m->flat->comment ? m->flat->comment : "",
        .equations = s->equations_before, .unknowns = s->unknowns_before, .aliases = s->aliases,
        .left = s->rows, .index = s->index, .freedom = s->freedom,
        .assignments = m->levels.assignments, .levels = m->levels.depth,
        .form = keel_form_name(keel_problem_form(m->problem)), .reason = m->reason,
        .remarks = buffer_text(&s->remarks), .definitions = s->definitions, .whens = m->flat->whens, .signals = sources(&m->discrete)};
    measure_blocks(s, &a);
    for (int i = 0; i < m->flat->equations; i++) a.discrete_equations += s->discrete_equation[i];
    sized_answer(structure, size, &a, sizeof a);
    return KEEL_OK;
}

int model_line(const keel_model *m, span where)
{
    int line = 0, column;
    if (where.text >= 0) source_place(m->source, where, &line, &column);
    return line;
}

/* Its place in the triangular form, and the block that this lies in. */
static int order_of(const model_system *s, int i)
{
    int k = 0;
    while (k < s->rows && s->block_row[k] != i) k++;
    return k;
}

static int block_at(const model_system *s, int at)
{
    int low = 0, high = s->blocks - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (s->block[middle] <= at) low = middle;
        else high = middle - 1;
    }
    return low;
}

int keel_model_row_in_order(keel_model *m, int i, keel_model_row *answer)
{
    if (!answer || !ready(m) || i < 0 || i >= m->system.rows) return -1;
    const int number = m->system.block_row[i];
    *answer = (keel_model_row){
        .text = "", .line = model_line(m, m->system.row[number].where), .offset = m->system.c[number],
        .block = block_at(&m->system, i), .column = m->system.match_row[number],
        .assignment = m->levels.by_assignment[number]};
    return number;
}

int keel_model_row_at(keel_model *m, int i, int times, keel_model_row *answer)
{
    if (!answer || !ready(m) || i < 0 || i >= m->system.rows || times < 0 || times > m->system.c[i])
        return KEEL_BAD_ARGUMENT;
    if (row_derive(&m->system, i, times)) return KEEL_NO_MEMORY;
    buffer_free(&m->shown);
    m->shown.most = 2000;
    row_print(&m->system, &m->shown, i, times, 0);
    *answer = (keel_model_row){
        .text = buffer_text(&m->shown), .line = model_line(m, m->system.row[i].where),
        .offset = m->system.c[i], .block = block_at(&m->system, order_of(&m->system, i)), .column = m->system.match_row[i],
        .assignment = m->levels.by_assignment[i]};
    return KEEL_OK;
}

int keel_model_row_columns(keel_model *m, int i, int *column, int room)
{
    if (!ready(m) || i < 0 || i >= m->system.rows) return 0;
    const int count = m->system.first[i + 1] - m->system.first[i];
    for (int k = 0; k < count && k < room; k++)
        column[k] = m->system.entry[m->system.first[i] + k].column;
    return count;
}

const char *keel_model_column_name(keel_model *m, int column, int *order)
{
    if (!ready(m) || column < 0 || column >= m->system.columns) return "";
    if (order) *order = m->system.d[column];
    return m->flat->variable[m->system.column_root[column]].name;
}

int keel_model_plan_at(keel_model *m, int i, keel_model_plan *answer)
{
    if (!answer || !ready(m) || i < 0 || i >= m->plan.entries) return KEEL_BAD_ARGUMENT;
    const plan_entry *e = &m->plan.entry[i];
    const printer how = system_printer(&m->system);
    buffer_free(&m->shown);
    m->shown.most = 400;
    if (e->variable >= 0) buffer_print(&m->shown, "%s = %.10g", m->flat->variable[e->variable].name, e->value);
    else if (e->initial >= 0)
        print_equation(&m->shown, &how, m->flat->initial[e->initial].left, m->flat->initial[e->initial].right);
    else buffer_add(&m->shown, m->names[e->unknown]);
    const span where = e->initial >= 0 ? m->flat->initial[e->initial].where
                     : e->variable >= 0 ? m->flat->variable[e->variable].where : (span){.text = -1};
    *answer = (keel_model_plan){e->given, buffer_text(&m->shown), e->value, model_line(m, where)};
    return KEEL_OK;
}

const char *keel_model_plan_remark(keel_model *m) { return ready(m) ? buffer_text(&m->plan.remark) : ""; }

const char *keel_model_event(keel_model *m, int i)
{
    if (!ready(m) || i < 0) return NULL;
    for (int k = 0; k < m->discrete.signals; k++) {
        const event_signal *s = &m->discrete.signal[k];
        if (s->kind == SIGNAL_EDGE || i-- > 0) continue;
        return (s->kind == SIGNAL_FLOOR ? m->value_names : m->mode_names)[s->slot];
    }
    return NULL;
}
