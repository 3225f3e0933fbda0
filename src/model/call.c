/* call.c -- what a call means: a function of the language, of the user, a record. */
#include "model/builtin.h"
#include "model/equations.h"

/* Classes of the text whose name is that of a function of the language hide it. */
static int hidden(const context *c, const char *name)
{
    for (const ast_class *k = c->lexical; k; k = k->outer)
        for (int i = 0; i < k->classes; i++)
            if (k->class_[i]->name == name) return 1;
    return 0;
}

static value unknown(const context *c, const ast_name *name)
{
    int count, mine;
    reader *r = c->r;
    const char **all = scope_names(c, &mine), **language = builtin_names(r, &count);
    const char **among = TAKE(&r->scratch, const char *, mine + count);
    for (int i = 0; i < mine; i++) among[i] = all[i];
    for (int i = 0; i < count; i++) among[mine + i] = language[i];
    const char *near = reader_suggestion(c->r, name->part[0].name, among, mine + count);
    return complain(c, name->part[0].where, "there is no function `%s`%s", name->part[0].name,
                    near);
}

value scalar_call(const context *c, const ast_expr *e)
{
    const ast_name *name = &e->name;
    const builtin *b = name->parts == 1 ? builtin_find(name->part[0].name) : NULL;
    if (b && !hidden(c, name->part[0].name)) return builtin_evaluate(c, e, b);
    if (name->parts == 1 && !scope_class(c->r, c->lexical, name, 1)) return unknown(c, name);
    const ast_class *f = scope_class_or_say(c->r, c->lexical, name);
    return f ? function_call(c, e, f, 1) : value_error();
}
