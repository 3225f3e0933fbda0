/* layer.c -- modifications as layers: what is written outside comes first in the list and wins. */
#include "model/layer.h"

#include <string.h>

layer *layer_add(reader *r, layer **end, layer l)
{
    layer *made = TAKE(&r->keep, layer, 1);
    *made = l;
    made->next = NULL;
    return *end = made;
}

layer *layers_for(reader *r, const layer *all, const char *name)
{
    layer *first = NULL, **end = &first;
    for (const layer *l = all; l; l = l->next) {
        const ast_modification *m = l->modification;
        for (int i = 0; i < m->arguments; i++) {
            const ast_argument *a = &m->argument[i];
            if (a->name != name || !a->modification) continue;
            layer one = *l;
            one.modification = a->modification;
            one.path = a->each ? l->path_before : l->path;
            one.final_ = a->final_ || l->final_;
            one.where = a->where;
            end = &layer_add(r, end, one)->next;
        }
        if (m->value) {                      /* a record: its field */
            ast_modification *part = TAKE(&r->keep, ast_modification, 1);
            step *s = TAKE(&r->keep, step, 1);
            part->value = m->value;
            *s = (step){l->path, name, -1};
            layer one = *l;
            one.modification = part;
            one.path = s;
            end = &layer_add(r, end, one)->next;
        }
    }
    return first;
}

layer *layers_copy(reader *r, const layer *from, layer ***end_of, layer **first)
{
    layer **end = *end_of;
    for (; from; from = from->next) end = &layer_add(r, end, *from)->next;
    *end_of = end;
    return *first;
}

/* The layers of an element of an array of components: their values are indexed. */
layer *layers_of_element(reader *r, const layer *from, const int *index, int rank)
{
    layer *first = NULL, **end = &first;
    for (; from; from = from->next) {
        layer one = *from;
        one.path_before = from->path;
        for (int k = 0; k < rank; k++) {
            step *s = TAKE(&r->keep, step, 1);
            *s = (step){one.path, NULL, index[k]};
            one.path = s;
        }
        end = &layer_add(r, end, one)->next;
    }
    return first;
}

/* ---- the value of a layer ---- */
struct cached { const ast_expr *expression; const instance *self; value value; };

static value keep_value(reader *r, value v)
{
    int *dim = TAKE(&r->keep, int, v.rank);
    for (int i = 0; i < v.rank; i++) dim[i] = v.dim[i];
    v.dim = dim;
    if (v.count > 1) {
        expr *e = TAKE(&r->keep, expr, v.count);
        memcpy(e, v.element, (size_t)v.count * sizeof *e);
        v.element = e;
    }
    return v;
}

static struct cached *cache_slot(reader *r, const ast_expr *e, const instance *self)
{
    if (2 * r->cached_count >= r->cached_slots) {
        struct cached *old = r->cached;
        int slots = r->cached_slots;
        r->cached_slots = slots ? 2 * slots : 64;
        r->cached = TAKE(&r->keep, struct cached, r->cached_slots);
        for (int i = 0; i < slots; i++)
            if (old[i].expression) *cache_slot(r, old[i].expression, old[i].self) = old[i];
    }
    uintptr_t h = ((uintptr_t)e >> 4) * 31 + ((uintptr_t)self >> 4);
    int at = (int)(h & (uintptr_t)(r->cached_slots - 1));
    while (r->cached[at].expression &&
           (r->cached[at].expression != e || r->cached[at].self != self))
        at = (at + 1) & (r->cached_slots - 1);
    return &r->cached[at];
}

static value shared_value(reader *r, const layer *l)
{
    const ast_expr *e = l->modification->value;
    struct cached *slot = cache_slot(r, e, l->self);
    if (slot->expression) return slot->value;
    context c = context_of(r, l->self, l->lexical);
    value v = keep_value(r, scalar_value(&c, e));
    slot = cache_slot(r, e, l->self);
    *slot = (struct cached){e, l->self, v};
    r->cached_count++;
    return v;
}

static value follow(reader *r, const layer *l, const step *s, value v)
{
    if (!s) return v;
    v = follow(r, l, s->before, v);
    if (value_failed(&v)) return v;
    context c = context_of(r, l->self, l->lexical);
    if (s->field) {
        const field *f = v.type.kind == VALUE_RECORD ? record_field(v.type.record, s->field) : NULL;
        if (f) return value_field(&r->scratch, &v, f);
        return complain(&c, l->modification->value->where, "this value has no field `%s`", s->field);
    }
    if (v.rank == 0) return v;               /* a scalar for all elements */
    if (s->index <= v.dim[0]) return value_index(&v, s->index - 1);
    return complain(&c, l->modification->value->where,
                    "this value has %d elements, the array it is given to has more", v.dim[0]);
}

value layer_value(reader *r, const layer *l)
{
    if (l->path) return follow(r, l, l->path, shared_value(r, l));
    context c = context_of(r, l->self, l->lexical);
    return scalar_value(&c, l->modification->value);
}
