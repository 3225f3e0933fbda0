/* call.c -- what a call means: a function of the language, of the user, a record. */
#include "model/builtin.h"
#include "model/equations.h"

value scalar_call(const context *c, const ast_expr *e)
{
    const ast_name *name = &e->name;
    const builtin *b = name->parts == 1 ? builtin_find(name->part[0].name) : NULL;
    if (b) return builtin_evaluate(c, e, b);
    const ast_class *f = scope_class_or_say(c->r, c->lexical, name);
    return f ? function_call(c, e, f, 1) : value_error();
}
