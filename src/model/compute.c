/* compute.c -- functions that are called in the run: those with loops that only numbers can end.
 *
 * They are executed by the same code that inserts the others, on expressions that are numbers: a
 * second reader with a pool of its own, made when the first is called and made anew when its pool has
 * grown.  A lock admits one call at a time.
 */
#include "model/execute.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/library.h"
#include "model/read.h"

enum { MOST_NODES = 2000000 };

typedef struct shape { value_type type; int rank; int *dim, count; } shape;

struct computer {
    atomic_flag busy;
    reader *r;                           /* NULL: not made yet                                 */
    source *s;
    const char *chars;
    size_t length;
    limits limits;
};

typedef struct made_function {
    struct computer *computer;
    const char **path;                   /* names of the classes around, then its own          */
    int parts;
    shape *input, *output;
    int inputs, outputs;
    int is_derivative;                   /* inputs, then derivatives, of which some are left out */
    const unsigned char *passed;         /* per scalar of the derivatives                      */
    int number;                          /* in the model                                       */
    const ast_class *class_;
} made_function;

/* ---- the second reader ---- */
static void forget(struct computer *k)
{
    if (k->r) flat_free(k->r->m);
    source_free(k->s);
    k->r = NULL;
    k->s = NULL;
}

static int begin(struct computer *k)
{
    k->s = source_create();
    k->r = k->s ? reader_create(k->s, &k->limits) : NULL;
    if (!k->r || source_add(k->s, "", k->chars, k->length) < 0) return -1;
    reader *r = k->r;
    r->numeric = 1;
    if (setjmp(r->stop)) return -1;
    r->root = TAKE(&r->keep, ast_class, 1);
    r->builtin = library_basic(r);
    parse_text(&r->keep, &r->names, r->s, 0, k->chars, k->length, r->root);
    return 0;
}

static const ast_class *find(reader *r, const made_function *f)
{
    ast_part *part = TAKE(&r->scratch, ast_part, f->parts);
    ast_name name = {.part = part, .parts = f->parts};
    for (int i = 0; i < f->parts; i++) part[i] = (ast_part){.name = reader_name(r, f->path[i])};
    return scope_class(r, r->root, &name, f->parts);
}

static value constants(reader *r, const shape *s, const double *in)
{
    expr *e = TAKE(&r->scratch, expr, s->count);
    for (int i = 0; i < s->count; i++) e[i] = pool_constant(r->p, in[i]);
    return value_array(s->type, s->rank, s->dim, e, s->count);
}

/* The types of the first reader, enumerations and records, found again in the second. */
static int translate_type(reader *r, const context *c, const ast_component *k, value *v)
{
    const component_type *t = component_resolve(r, k);
    if (!t) return -1;
    (void)c;
    if (v->type.kind == VALUE_ENUMERATION) v->type.enumeration = t->type.enumeration;
    if (v->type.kind == VALUE_RECORD && t->class_) {
        v->type.record = record_of_class(r, t->class_);
    }
    return 0;
}

static int compute(reader *r, const made_function *f, const double *in, double *out)
{
    context c = context_of(r, NULL, r->root);
    const ast_class *class_ = find(r, f);
    const ast_component **input;
    span nowhere = {0, 0, -1};
    if (!class_) return 1;
    int inputs = function_inputs(r, class_, &input), from = 0;
    if (inputs != f->inputs) return 1;
    value *arg = TAKE(&r->scratch, value, inputs);
    for (int i = 0; i < inputs; i++) {
        arg[i] = constants(r, &f->input[i], in + from);
        from += f->input[i].count;
        if (translate_type(r, &c, input[i], &arg[i])) return 1;
    }
    value v = function_apply(&c, nowhere, class_, arg, inputs, f->outputs);
    if (value_failed(&v)) return 1;
    for (int i = 0; i < f->outputs; i++) {
        const value *one = v.type.kind == VALUE_TUPLE ? &v.part[i] : &v;
        for (int k = 0; k < one->count; k++) {
            double x;
            if (!known_value(r, value_at(one, k), &x)) return 1;
            *out++ = x;
        }
    }
    return 0;
}

static int evaluate(const void *self, const double *in, double *out)
{
    const made_function *f = self;
    struct computer *k = f->computer;
    while (atomic_flag_test_and_set(&k->busy)) continue;
    if (k->r && k->r->p->count > MOST_NODES) forget(k);
    int rc = !k->r && begin(k);
    if (rc) forget(k);
    else {
        reader *r = k->r;
        r->work = 0;
        r->depth = r->undecided = 0;
        r->trails = 0;
        region_mark mark = {NULL, 0};
        if (setjmp(r->stop)) {
            forget(k);
            rc = 1;
        } else {
            rc = compute(r, f, in, out);
            region_back(&r->scratch, mark);
        }
    }
    atomic_flag_clear(&k->busy);
    return rc != 0;
}

/* f_der(inputs, derivatives of some of them): the others are not handed over. */
static int evaluate_derivative(const void *self, const double *in, double *out)
{
    const made_function *f = self;
    int count = 0, scalars = 0;
    for (int i = 0; i < f->inputs; i++) scalars += f->input[i].count;
    double *given = malloc(((size_t)scalars + 1) * sizeof *given);
    if (!given) return 1;
    for (int i = 0; count < scalars; i++)
        if (f->passed[i]) given[count++] = in[i];
    int rc = evaluate(f, given, out);
    free(given);
    return rc;
}

void compute_free(reader *r)
{
    if (r->computer) forget(r->computer);
}

/* ---- calls ---- */
static shape shape_of(reader *r, const value *v)
{
    shape s = {v->type, v->rank, TAKE(&r->keep, int, v->rank), v->count};
    for (int d = 0; d < v->rank; d++) s.dim[d] = v->dim[d];
    return s;
}

static int same_shapes(const made_function *f, const value *arg, int args, int outputs)
{
    if (f->is_derivative || f->inputs != args || f->outputs < outputs) return 0;
    for (int i = 0; i < args; i++) {
        const shape *s = &f->input[i];
        if (s->rank != arg[i].rank || s->count != arg[i].count) return 0;
        for (int d = 0; d < s->rank; d++)
            if (s->dim[d] != arg[i].dim[d]) return 0;
    }
    return 1;
}

static void set_path(reader *r, made_function *f, const ast_class *class_)
{
    for (const ast_class *c = class_; c && c->name; c = c->outer) f->parts++;
    f->path = TAKE(&r->keep, const char *, f->parts);
    int i = f->parts;
    for (const ast_class *c = class_; c && c->name; c = c->outer) f->path[--i] = c->name;
}

static struct computer *computer_of(reader *r)
{
    if (r->computer) return r->computer;
    struct computer *k = TAKE(&r->keep, struct computer, 1);
    atomic_flag_clear(&k->busy);
    k->chars = region_text(&r->keep, r->chars, r->length);
    k->length = r->length;
    k->limits = r->limits;
    return r->computer = k;
}

static made_function *add_function(reader *r, const ast_class *class_)
{
    made_function *f = TAKE(&r->keep, made_function, 1);
    f->computer = computer_of(r);
    f->class_ = class_;
    set_path(r, f, class_);
    GROW(&r->keep, r->made, r->made_count, r->made_room);
    r->made[r->made_count++] = f;
    f->number = r->m->functions;
    GROW(&r->keep, r->m->function, r->m->functions, r->function_room);
    r->m->function[r->m->functions++] = (flat_function){.name = class_->name, .evaluate = evaluate, .self = f,
                                                        .derivative = -1};
    return f;
}

/* Sizes of the results: the declarations are looked at with the arguments, nothing is executed. */
static int output_shapes(const context *c, span where, made_function *f, const value *arg)
{
    reader *r = c->r;
    frame inside = {.function = f->class_, .caller = c->frame, .depth = c->frame ? c->frame->depth + 1 : 0};
    context at = {.r = r, .lexical = f->class_, .frame = &inside, .end = -1};
    if (function_frame(&at, &inside, arg, where)) return -1;
    f->output = TAKE(&r->keep, shape, inside.locals);
    for (int i = 0; i < inside.locals; i++) {
        const local *l = &inside.local[i];
        if (!l->component->prefix.output) continue;
        value v = {.type = l->type, .rank = l->rank, .dim = l->dim, .count = l->count};
        if (l->flexible) {
            complain(c, where, "the size of the result `%s` of `%s` is not known before the run", l->component->name,
                     f->class_->name);
            return -1;
        }
        f->output[f->outputs++] = shape_of(r, &v);
    }
    return 0;
}

static int scalars(const shape *s, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) sum += s[i].count;
    return sum;
}

/* annotation(derivative(noDerivative = a) = f_der): f_der has the inputs of f, then the derivatives
 * of its Real inputs but for those named. */
static const ast_argument *derivative_of(const ast_class *f)
{
    for (int i = 0; f->annotation && i < f->annotation->arguments; i++) {
        const ast_argument *a = &f->annotation->argument[i];
        if (!strcmp(a->name, "derivative") && a->modification && a->modification->value &&
            a->modification->value->kind == AST_NAME) return a;
    }
    return NULL;
}

static int left_out(const ast_argument *a, const char *input)
{
    for (int i = 0; i < a->modification->arguments; i++) {
        const ast_argument *b = &a->modification->argument[i];
        const ast_expr *v = b->modification ? b->modification->value : NULL;
        if ((!strcmp(b->name, "noDerivative") || !strcmp(b->name, "zeroDerivative")) && v &&
            v->kind == AST_NAME && v->name.part[0].name == input) return 1;
    }
    return 0;
}

static void add_derivative(const context *c, span where, made_function *f, const value *arg, int args)
{
    reader *r = c->r;
    const ast_argument *a = derivative_of(f->class_);
    const ast_class *g = a ? scope_class_or_say(r, f->class_, &a->modification->value->name) : NULL;
    const ast_component **input, **given;
    if (!g) return;
    int count = function_inputs(r, f->class_, &input), wanted = function_inputs(r, g, &given), n = 0, at = 0;
    int all = scalars(f->input, args);
    unsigned char *passed = TAKE(&r->keep, unsigned char, 2 * all + 1);
    value *both = TAKE(&r->scratch, value, 2 * args);
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < count; i++) {
            int skip = half && (arg[i].type.kind != VALUE_REAL || left_out(a, input[i]->name));
            for (int k = 0; k < arg[i].count; k++) passed[at++] = !skip;
            if (!skip) both[n++] = arg[i];
        }
    if (n != wanted) {
        complain(c, a->where, "the derivative `%s` has %d inputs, not the %d that it needs", g->name, wanted, n);
        return;
    }
    made_function *d = add_function(r, g);
    d->is_derivative = 1;
    d->passed = passed;
    d->inputs = n;
    d->input = TAKE(&r->keep, shape, n);
    for (int i = 0; i < n; i++) d->input[i] = shape_of(r, &both[i]);
    if (output_shapes(c, where, d, both)) return;
    flat_function *made = &r->m->function[d->number];
    made->evaluate = evaluate_derivative;
    made->inputs = 2 * all;
    made->outputs = scalars(d->output, d->outputs);
    r->m->function[f->number].derivative = d->number;
}

static made_function *made_for(const context *c, span where, const ast_class *class_, const value *arg, int args,
                               int outputs)
{
    reader *r = c->r;
    for (int i = 0; i < r->made_count; i++)
        if (r->made[i]->class_ == class_ && same_shapes(r->made[i], arg, args, outputs)) return r->made[i];
    made_function *f = add_function(r, class_);
    f->inputs = args;
    f->input = TAKE(&r->keep, shape, args);
    for (int i = 0; i < args; i++) f->input[i] = shape_of(r, &arg[i]);
    if (output_shapes(c, where, f, arg)) return NULL;
    r->m->function[f->number].inputs = scalars(f->input, f->inputs);
    r->m->function[f->number].outputs = scalars(f->output, f->outputs);
    add_derivative(c, where, f, arg, args);
    return f;
}

static expr call_node(reader *r, const made_function *f, int output, expr arguments)
{
    flat_model *m = r->m;
    int at = 0;
    while (at < m->calls && (m->called[at].function != f->number || m->called[at].output != output)) at++;
    if (at == m->calls) {
        GROW(&r->keep, m->called, m->calls, r->call_room);
        m->called[m->calls++] = (flat_output){f->number, output};
    }
    return pool_node(r->p, EXPR_CALL, arguments, (uint32_t)at);
}

static value result(reader *r, const made_function *f, int which, expr arguments)
{
    int first = scalars(f->output, which);
    const shape *s = &f->output[which];
    expr *e = TAKE(&r->scratch, expr, s->count);
    for (int i = 0; i < s->count; i++) e[i] = call_node(r, f, first + i, arguments);
    return value_array(s->type, s->rank, s->dim, e, s->count);
}

value compute_call(const context *c, span where, const ast_class *class_, const value *arg, int args, int outputs)
{
    reader *r = c->r;
    value *all = TAKE(&r->scratch, value, args);
    if (function_complete(c, where, class_, arg, args, all)) return value_error();
    made_function *f = made_for(c, where, class_, all, args, outputs);
    if (!f) return value_error();
    if (f->outputs < outputs || !f->outputs)
        return complain(c, where, "`%s` has %d results, not %d", class_->name, f->outputs, outputs);
    expr list = 0;
    for (int i = args - 1; i >= 0; i--)
        for (int k = all[i].count - 1; k >= 0; k--)
            list = pool_node(r->p, EXPR_ARGUMENT, value_at(&all[i], k), list);
    if (outputs <= 1) return result(r, f, 0, list);
    value *part = TAKE(&r->scratch, value, outputs);
    for (int i = 0; i < outputs; i++) part[i] = result(r, f, i, list);
    return (value){.type = {.kind = VALUE_TUPLE}, .count = outputs, .part = part};
}
