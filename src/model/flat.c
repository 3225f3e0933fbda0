/* flat.c -- flat_read: from a text to a flat model, in the order that reader.h tells. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keel/status.h"
#include "model/builtin.h"
#include "model/execute.h"
#include "model/library.h"
#include "model/read.h"

const limits limits_usual = {.scalars = 1000000, .work = 300000000L, .memory = (size_t)1 << 30};

/* ---- which class ---- */
static int can_run(const ast_class *c)
{
    return (c->restriction == CLASS_MODEL || c->restriction == CLASS_BLOCK || c->restriction == CLASS_CLASS) &&
           !c->partial;
}

/* The last model that can run, in the order of the text; inside of packages, too. */
static ast_class *last_model(const ast_class *c, int depth)
{
    for (int i = c->classes - 1; i >= 0; i--) {
        ast_class *k = c->class_[i];
        if (can_run(k)) return k;
        ast_class *inside = scope_is_package(k) && depth < 100 ? last_model(k, depth + 1) : NULL;
        if (inside) return inside;
    }
    return NULL;
}

static ast_class *named_model(reader *r, const char *name)
{
    ast_name path = {0};
    int room = 0;
    span nowhere = {0, 0, -1};
    while (*name) {
        const int quoted = *name == '\'';            /* 'a.b'.c: quotes are no part of a name */
        name += quoted;
        size_t length = strcspn(name, quoted ? "'" : ".");
        GROW(&r->keep, path.part, path.parts, room);
        path.part[path.parts++] =
            (ast_part){.name = name_intern(&r->keep, &r->names, name, length), .where = nowhere};
        name += length;
        name += quoted && *name == '\'';
        name += *name == '.';
    }
    return scope_class_or_say(r, r->root, &path);
}

static const ast_class *chosen(reader *r, int text, const char *class_name)
{
    span start = {0, 0, text};
    const ast_class *c = class_name ? named_model(r, class_name) : last_model(r->root, 0);
    if (c && can_run(c)) return c;
    if (source_errors(r->s)) return NULL;
    if (c && c->partial) source_say(r->s, SEVERITY_ERROR, c->where, "`%s` is partial: it cannot be run", c->name);
    else if (c) source_say(r->s, SEVERITY_ERROR, c->where, "`%s` is no model: it cannot be run", c->name);
    else source_say(r->s, SEVERITY_ERROR, start, "there is no model in this text");
    return NULL;
}

static void twice(reader *r, const ast_class *c, int depth)
{
    for (int i = 0; i < c->classes && depth < 250; i++) {
        for (int k = 0; k < i; k++)
            if (c->class_[k]->name == c->class_[i]->name) {
                source_say(r->s, SEVERITY_ERROR, c->class_[i]->where, "the class `%s` is defined twice",
                           c->class_[i]->name);
                source_say(r->s, SEVERITY_NOTE, c->class_[k]->where, "first here");
                break;
            }
        twice(r, c->class_[i], depth + 1);
    }
}

/* ---- variables ---- */
static void walk(reader *r, instance *i, void (*act)(reader *r, instance *leaf))
{
    reader_enter(r);
    instance_expand(r, i);
    for (int k = 0; k < i->members; k++) {
        instance *m = i->member[k];
        if (m->absent || !m->type.kind || instance_shape(r, m)) continue;
        region_mark mark = region_now(&r->scratch);
        if (instance_is_leaf(m)) act(r, m);
        else if (!m->rank) walk(r, m, act);
        else for (int e = 0; e < instance_elements(m); e++) walk(r, m->element[e], act);
        region_back(&r->scratch, mark);
    }
    reader_leave(r);
}

static void check_overrides(reader *r)
{
    span nowhere = {0, 0, -1};
    for (int i = 0; i < r->overrides; i++) {
        if (r->override_used[i]) continue;
        const char **name = TAKE(&r->scratch, const char *, r->m->variables);
        for (int k = 0; k < r->m->variables; k++) name[k] = r->m->variable[k].name;
        const char *near = reader_suggestion(r, r->override[i].name, name, r->m->variables);
        source_say(r->s, SEVERITY_ERROR, nowhere, "the model has no parameter or variable `%s`%s",
                   r->override[i].name, near);
    }
}

/* Where the value of a leaf is written: in a modification, or at its declaration. */
static span given_at(const instance *leaf, span declared)
{
    for (const layer *l = leaf->layer; l; l = l->next)
        if (l->modification && l->modification->value) return l->where.text >= 0 ? l->where : declared;
    return declared;
}

/* A parameter that depends on a variable, or that has no value. */
static void check_parameters(reader *r)
{
    for (int i = 0; i < r->m->variables; i++) {
        const flat_variable *v = &r->m->variable[i];
        if (v->variability > FLAT_PARAMETER) continue;
        if (v->binding && !known_is_parameter(r, v->binding))
            source_say(r->s, SEVERITY_ERROR, given_at(r->leaf[i], v->where),
                       "the %s `%s` depends on a variable, which has no value before the run",
                       v->variability == FLAT_CONSTANT ? "constant" : "parameter", v->name);
        else if (!v->binding && v->fixed != 0 && v->start && v->variability == FLAT_PARAMETER)
            source_say(r->s, SEVERITY_WARNING, v->where, "the parameter `%s` has no value: its start value is taken",
                       v->name);
        else if (!v->binding && v->fixed != 0)
            source_say(r->s, SEVERITY_ERROR, v->where, "the %s `%s` has no value",
                       v->variability == FLAT_CONSTANT ? "constant" : "parameter", v->name);
        else {
            double x;
            int errors = source_errors(r->s);
            if (v->binding && !known_value(r, v->binding, &x) && source_errors(r->s) == errors &&
                v->variability == FLAT_CONSTANT)
                source_say(r->s, SEVERITY_ERROR, v->where, "the value of the constant `%s` is no number", v->name);
        }
    }
}

/* ---- annotation(experiment(StopTime = 10)) ---- */
static void read_experiment(reader *r, const ast_class *c)
{
    flat_experiment *x = &r->m->experiment;
    *x = (flat_experiment){NAN, NAN, NAN, NAN};
    context at = context_of(r, NULL, c);
    for (int i = 0; c->annotation && i < c->annotation->arguments; i++) {
        const ast_argument *a = &c->annotation->argument[i];
        if (strcmp(a->name, "experiment") || !a->modification) continue;
        for (int k = 0; k < a->modification->arguments; k++) {
            const ast_argument *b = &a->modification->argument[k];
            double *to = !strcmp(b->name, "StartTime") ? &x->start : !strcmp(b->name, "StopTime") ? &x->stop
                       : !strcmp(b->name, "Interval") ? &x->interval
                       : !strcmp(b->name, "Tolerance") ? &x->tolerance : NULL;
            if (!to || !b->modification || !b->modification->value) continue;
            value v = scalar_value(&at, b->modification->value);
            if (!value_failed(&v) && !v.rank && v.type.kind <= VALUE_INTEGER) known_value(r, v.one, to);
        }
    }
}

/* What a class of its kind cannot have. */
static void check_contents(reader *r, const ast_class *c, int depth)
{
    static const char *const kind[] = {[CLASS_RECORD] = "record",
                                       [CLASS_TYPE] = "type",
                                       [CLASS_CONNECTOR] = "connector",
                                       [CLASS_PACKAGE] = "package",
                                       [CLASS_FUNCTION] = "function"};
    const char *word = c->restriction <= CLASS_FUNCTION ? kind[c->restriction] : NULL;
    for (int i = 0; word && i < c->sections; i++) {
        const ast_section *s = &c->section[i];
        if (s->count == 0 || (c->restriction == CLASS_FUNCTION && s->algorithm)) continue;
        source_say(r->s, SEVERITY_ERROR, s->equation[0]->where, "the %s `%s` cannot have %s", word,
                   c->name,
                   c->restriction == CLASS_FUNCTION ? "equations, only an algorithm"
                                                    : "equations or an algorithm");
    }
    for (int i = 0; c->restriction == CLASS_PACKAGE && i < c->components; i++)
        if (c->component[i].prefix.variability != AST_CONSTANT)
            source_say(r->s, SEVERITY_ERROR, c->component[i].where,
                       "`%s` is no constant: a package has nothing else", c->component[i].name);
    for (int i = 0; i < c->classes && depth < 100; i++) check_contents(r, c->class_[i], depth + 1);
}

/* Names that are imported exist: classes, or constants of packages. */
static void check_imports(reader *r, const ast_class *c, int depth)
{
    for (int i = 0; i < c->imports; i++) {
        const ast_name *name = &c->import[i].name;
        if (name->parts < 1 || scope_class(r, r->root, name, name->parts)) continue;
        const ast_class *within = name->parts > 1 ? scope_class(r, r->root, name, name->parts - 1) : NULL;
        if (!within || !scope_component(r, within, name->part[name->parts - 1].name))
            scope_class_or_say(r, r->root, name);
    }
    for (int i = 0; i < c->classes && depth < 100; i++) check_imports(r, c->class_[i], depth + 1);
}

/* What a when-clause gives values to is discrete: nothing else may need its derivative. */
static void check_whens(reader *r)
{
    for (int i = 0; i < r->m->actions; i++) {
        const flat_action *a = &r->m->action[i];
        if (a->kind == ACTION_ASSIGN && pool_seek(r->p, EXPR_VARIABLE, a->variable, 1))
            source_say(
                r->s, SEVERITY_ERROR, a->where,
                "`%s` is given values by this `when`, so that it changes at "
                "events only and has no derivative; `reinit(%s, ...)` sets a continuous variable",
                r->m->variable[a->variable].name, r->m->variable[a->variable].name);
    }
}

/* pre(x) of something continuous has a meaning in a when-clause only. */
static void check_pre(reader *r)
{
    int any = 0;
    unsigned char *has = TAKE(&r->scratch, unsigned char, r->p->count);
    for (expr e = 1; e < r->p->count; e++) {
        const expr_node *n = pool_at(r->p, e);
        if (n->op == EXPR_PRE) has[e] = r->m->variable[n->a].variability == FLAT_CONTINUOUS;
        else if (n->op == EXPR_IF || n->op == EXPR_BRANCHES || n->op == EXPR_ARGUMENT)
            has[e] = has[n->a] | has[n->b];
        else if (n->op == EXPR_CALL) has[e] = has[n->a];
        else {
            const int count = expr_operands((expr_op)n->op);
            if (count > 0) has[e] = has[n->a];
            if (count > 1) has[e] |= has[n->b];
        }
        any |= has[e];
    }
    for (int i = 0; any && i < r->m->equations; i++) {
        const flat_equation *q = &r->m->equation[i];
        if (has[q->left] || has[q->right])
            source_say(r->s, SEVERITY_ERROR, q->where,
                       "`pre` of a continuous variable has a meaning in a `when` only");
    }
}

/* ---- reading ---- */
static void read_all(reader *r, int text, const char *class_name)
{
    size_t length;
    const char *chars = source_text(r->s, text, &length);
    r->chars = chars;
    r->length = length;
    r->root = TAKE(&r->keep, ast_class, 1);
    r->builtin = library_basic(r);
    parse_text(&r->keep, &r->names, r->s, text, chars, length, r->root);
    if (source_errors(r->s)) return;
    twice(r, r->root, 0);
    check_contents(r, r->root, 0);
    check_imports(r, r->root, 0);
    const ast_class *c = chosen(r, text, class_name);
    if (!c) return;
    r->m->name = c->name;
    r->m->comment = c->comment;
    r->top = instance_root(r, c);
    walk(r, r->top, leaf_number);
    walk(r, r->top, leaf_bind);
    walk(r, r->top, leaf_describe);
    check_overrides(r);
    if (!source_errors(r->s)) check_parameters(r);
    equations_of(r, r->top);
    connect_finish(r);
    check_whens(r);
    if (!source_errors(r->s)) check_pre(r);
    read_experiment(r, c);
}

static void say_why(reader *r, int why, int text)
{
    span start = {0, 0, text};
    switch (why) {
    case REGION_FULL: case STOP_POOL: source_set_no_memory(r->s); break;
    case REGION_MOST:
        source_say(r->s, SEVERITY_ERROR, start, "reading this model takes more than %.0f MB of memory",
                   (double)r->limits.memory / 1048576);
        break;
    case STOP_WORK:
        source_say(r->s, SEVERITY_ERROR, start, "reading this model takes more than %.1g operations: is there a "
                   "loop or a recursion without end?", (double)r->limits.work);
        break;
    case STOP_DEPTH:
        source_say(r->s, SEVERITY_ERROR, start, "functions, components or expressions are nested too deeply: is "
                   "there a recursion without end?");
        break;
    default: break;
    }
}

reader *reader_create(source *s, const limits *l)
{
    reader *r = calloc(1, sizeof *r);
    flat_model *m = calloc(1, sizeof *m);
    if (r && m && !pool_open(&m->pool)) {
        r->s = s;
        r->m = m;
        r->p = &m->pool;
        r->limits = *l;
        r->keep = (region){.most = l->memory, .stop = &r->stop};
        r->scratch = (region){.most = l->memory, .stop = &r->stop};
        r->indices = r->from = "";
        m->own = r;
        return r;
    }
    free(r);
    free(m);
    return NULL;
}

int flat_read_within(flat_model **model, source *s, int text, const char *class_name,
                     const flat_override *override, int overrides, const limits *within)
{
    *model = NULL;
    if (!source_text(s, text, NULL)) return KEEL_BAD_ARGUMENT;
    reader *r = reader_create(s, within);
    if (!r) return source_set_no_memory(s), KEEL_NO_MEMORY;
    r->override = override;
    r->overrides = overrides;
    r->why = 0;
    switch (setjmp(r->stop)) {               /* where region_take and others jump when they must stop */
    case 0:
        r->override_used = TAKE(&r->keep, char, overrides);
        read_all(r, text, class_name);
        if (pool_full(r->p)) r->why = STOP_POOL;
        region_free(&r->scratch);
        break;
    case REGION_FULL: r->why = REGION_FULL; break;
    case REGION_MOST: r->why = REGION_MOST; break;
    default: break;                          /* reader_stop has said why */
    }
    if (r->why) say_why(r, r->why, text);
    if (!r->why && !source_errors(s) && !source_no_memory(s)) return *model = r->m, KEEL_OK;
    flat_free(r->m);
    return source_no_memory(s) ? KEEL_NO_MEMORY : KEEL_BAD_ARGUMENT;
}

int flat_read(flat_model **model, source *s, int text, const char *class_name,
              const flat_override *override, int overrides)
{
    return flat_read_within(model, s, text, class_name, override, overrides, &limits_usual);
}

void flat_free(flat_model *model)
{
    if (!model) return;
    reader *r = model->own;
    pool_close(&model->pool);
    if (r) {
        compute_free(r);
        region_free(&r->scratch);
        region_free(&r->keep);
    }
    free(r);
    free(model);
}
