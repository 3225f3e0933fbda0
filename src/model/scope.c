/* scope.c -- which class a name means (specification, chapter 5): nested classes, inherited ones,
 * imports, the classes around, then what is built in. */
#include "model/reader.h"

#include <string.h>

#include "core/text.h"
#include "model/library.h"

static const ast_class *root_of(reader *r) { return r->root; }

static ast_class *own_class(const ast_class *c, const char *name)
{
    for (int i = 0; i < c->classes; i++)
        if (c->class_[i]->name == name) return c->class_[i];
    return NULL;
}

/* The built-in package Modelica is parsed when it is first asked for. */
static ast_class *top_class(reader *r, const char *name)
{
    ast_class *found = own_class(root_of(r), name);
    if (!found) found = own_class(r->builtin, name);
    if (!found && !strcmp(name, "Modelica")) {
        if (!r->library) r->library = library_read(r);
        found = own_class(r->library, name);
    }
    return found;
}

ast_class *scope_base(reader *r, const ast_class *c, int extends)
{
    ast_class *mutable_ = (ast_class *)(uintptr_t)c;
    mutable_->busy++;
    ast_class *base = c->is_short ? scope_class(r, c->outer ? c->outer : root_of(r), &c->base, c->base.parts)
                                  : scope_class(r, c, &c->extends[extends].base,
                                                c->extends[extends].base.parts);
    mutable_->busy--;
    return base == c ? NULL : base;
}

static int bases(const ast_class *c)
{
    return c->is_short ? !c->is_enumeration && c->base.parts > 0 : c->extend_count;
}

/* package Q extends P(k = 5): a function or model of P that is reached by way of Q sees the constants of Q.  So Q
 * gets one of its own, with the same text. */
static ast_class *inherited(reader *r, ast_class *into, const ast_modification *m, ast_class *found)
{
    const int acts = found->restriction == CLASS_FUNCTION || found->restriction == CLASS_MODEL ||
                     found->restriction == CLASS_BLOCK || found->restriction == CLASS_CLASS;
    if (into->restriction != CLASS_PACKAGE || !m || !m->arguments || !acts) return found;
    ast_class *own = TAKE(&r->keep, ast_class, 1);
    *own = *found;
    own->outer = into;
    own->instance = NULL;
    own->record = NULL;
    own->busy = 0;
    own->component = TAKE(&r->keep, ast_component, own->components);
    for (int i = 0; i < own->components; i++) {
        own->component[i] = found->component[i];
        own->component[i].within = own;
        own->component[i].resolved = NULL;
    }
    GROW(&r->keep, into->class_, into->classes, into->class_room);
    return into->class_[into->classes++] = own;
}

ast_class *scope_nested(reader *r, const ast_class *c, const char *name)
{
    ast_class *found = own_class(c, name);
    if (found || c->busy) return found;
    ast_class *mutable_ = (ast_class *)(uintptr_t)c;
    reader_enter(r);
    for (int i = 0; i < bases(c) && !found; i++) {
        ast_class *base = scope_base(r, c, i);
        mutable_->busy++;
        if (base) found = scope_nested(r, base, name);
        mutable_->busy--;
        if (found)
            found = inherited(r, mutable_,
                              c->is_short ? c->modification : c->extends[i].modification, found);
    }
    reader_leave(r);
    return found;
}

static ast_class *imported(reader *r, const ast_class *c, const char *name)
{
    for (int i = 0; i < c->imports; i++) {
        const ast_import *m = &c->import[i];
        if (m->kind == IMPORT_NAME && m->alias != name) continue;
        if (m->kind == IMPORT_NAME && m->name.parts == 1 && c->busy) continue;
        ast_class *from = scope_class(r, root_of(r), &m->name, m->name.parts);
        if (from && m->kind == IMPORT_ALL) from = scope_nested(r, from, name);
        if (from) return from;
    }
    return NULL;
}

static ast_class *first_class(reader *r, const ast_class *from, const char *name)
{
    for (const ast_class *c = from; c; c = c->outer) {
        ast_class *found = scope_nested(r, c, name);
        if (!found && c->imports) found = imported(r, c, name);
        if (found) return found;
        if (c->encapsulated) break;
    }
    return top_class(r, name);
}

ast_class *scope_class(reader *r, const ast_class *from, const ast_name *name, int parts)
{
    if (parts < 1) return NULL;
    reader_work(r, 1);
    reader_enter(r);
    ast_class *c = name->global ? top_class(r, name->part[0].name)
                                : first_class(r, from, name->part[0].name);
    for (int i = 1; i < parts && c; i++) c = scope_nested(r, c, name->part[i].name);
    reader_leave(r);
    return c;
}

/* ---- what can be seen, for suggestions ---- */
typedef struct seen { reader *r; const char **name; int count, room; } seen;

static void see(seen *s, const char *name)
{
    if (!name || s->count > 4000) return;
    GROW(&s->r->scratch, s->name, s->count, s->room);
    s->name[s->count++] = name;
}

static void see_class(seen *s, const ast_class *c, int components, int depth)
{
    for (int i = 0; i < c->classes; i++) see(s, c->class_[i]->name);
    for (int i = 0; components && i < c->components; i++) see(s, c->component[i].name);
    for (int i = 0; i < c->literals; i++) see(s, c->literal[i].name);
    for (int i = 0; depth < 20 && i < bases(c); i++) {
        const ast_class *base = c->busy ? NULL : scope_base(s->r, c, i);
        if (base) see_class(s, base, components, depth + 1);
    }
}

const char **scope_names(const context *c, int *count)
{
    seen s = {.r = c->r};
    for (const loop *l = c->loops; l; l = l->next) see(&s, l->name);
    for (int i = 0; c->frame && i < c->frame->locals; i++) see(&s, c->frame->local[i].component->name);
    for (int i = 0; c->self && i < c->self->members; i++) see(&s, c->self->member[i]->name);
    for (const ast_class *k = c->lexical; k; k = k->outer) {
        see_class(&s, k, k == c->lexical || scope_is_package(k), 0);
        for (int i = 0; i < k->imports; i++) see(&s, k->import[i].alias);
    }
    see_class(&s, c->r->builtin, 0, 0);
    see(&s, reader_name(c->r, "time"));
    *count = s.count;
    return s.name;
}

static const char *dotted(reader *r, const ast_name *name, int parts)
{
    char room[300] = "";
    for (int i = 0; i < parts; i++)
        text_append(room, sizeof room, i ? ".%s" : "%s", name->part[i].name);
    return region_text(&r->keep, room, strlen(room));
}

/* What is known of names that are not there. */
static const char *known_of(const ast_name *name, int known)
{
    if (known == 0 && strcmp(name->part[0].name, "ExternalObject") == 0)
        return ": external objects are not supported";
    if (known > 0 && strcmp(name->part[0].name, "Modelica") == 0)
        return ": of the Modelica standard library only constants, unit types, functions of Math and some "
               "interfaces are built in";
    return "";
}

ast_class *scope_class_or_say(reader *r, const ast_class *from, const ast_name *name)
{
    ast_class *c = scope_class(r, from, name, name->parts);
    if (c || name->parts < 1) return c;
    int known = name->parts - 1;
    while (known > 0 && !scope_class(r, from, name, known)) known--;
    seen s = {.r = r};
    region_mark mark = region_now(&r->scratch);
    const ast_class *at = known ? scope_class(r, from, name, known) : NULL;
    if (at) see_class(&s, at, 0, 0);
    else {
        for (const ast_class *k = from; k; k = k->outer) see_class(&s, k, 0, 0);
        see_class(&s, r->builtin, 0, 0);
    }
    const ast_part *missing = &name->part[known];
    const char *near = reader_suggestion(r, missing->name, s.name, s.count);
    const char *within = known ? dotted(r, name, known) : NULL;
    source_say(r->s, SEVERITY_ERROR, missing->where, "there is no class `%s`%s%s%s%s%s", missing->name,
               within ? " in `" : "", within ? within : "", within ? "`" : "", near,
               near[0] ? "" : known_of(name, known));
    region_back(&r->scratch, mark);
    return NULL;
}

const ast_component *scope_component(reader *r, const ast_class *c, const char *name)
{
    for (int i = 0; i < c->components; i++)
        if (c->component[i].name == name) return &c->component[i];
    if (c->busy) return NULL;
    const ast_component *found = NULL;
    ast_class *mutable_ = (ast_class *)(uintptr_t)c;
    reader_enter(r);
    for (int i = 0; i < bases(c) && !found; i++) {
        const ast_class *base = scope_base(r, c, i);
        mutable_->busy++;
        if (base) found = scope_component(r, base, name);
        mutable_->busy--;
    }
    reader_leave(r);
    return found;
}

int scope_is_package(const ast_class *c) { return c->restriction == CLASS_PACKAGE; }

const ast_class *scope_target(reader *r, const ast_class *c)
{
    for (int i = 0; c && c->is_short && !c->is_enumeration && !c->dimensions; i++) {
        if (i > 100) return NULL;
        const ast_class *base = scope_base(r, c, 0);
        if (!base) return c;
        c = base;
    }
    return c;
}

const char *scope_path(reader *r, const ast_class *c)
{
    char room[400] = "";
    const ast_class *chain[20];
    int n = 0;
    for (; c && c->name && n < 20; c = c->outer) chain[n++] = c;
    while (n-- > 0) text_append(room, sizeof room, "%s%s", chain[n]->name, n ? "." : "");
    return region_text(&r->keep, room, strlen(room));
}
