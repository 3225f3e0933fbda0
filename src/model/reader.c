/* reader.c -- bounds and small services for the files that read a model. */
#include "model/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"

/* Expressions in expressions, functions in functions, components in components: the stack of a
 * thread has 8 MB as a rule, one level takes less than 4 kB. */
enum { MOST_LEVELS = 1000 };

void reader_stop(reader *r, int why)
{
    r->why = why;
    longjmp(r->stop, why);
}

void reader_work(reader *r, long amount)
{
    r->work += amount;
    if (r->work > r->limits.work) reader_stop(r, STOP_WORK);
    if (pool_full(r->p)) reader_stop(r, STOP_POOL);
}

void reader_enter(reader *r)
{
    if (++r->depth > MOST_LEVELS) reader_stop(r, STOP_DEPTH);
}

void reader_leave(reader *r) { r->depth--; }

const char *reader_name(reader *r, const char *text)
{
    return name_intern(&r->keep, &r->names, text, strlen(text));
}

const char *reader_suggestion(reader *r, const char *name, const char *const *among, int count)
{
    const char *near = source_suggestion(name, among, count);
    return near ? region_print(&r->scratch, "; did you mean `%s`?", near) : "";
}

expr reader_text(reader *r, const char *text)
{
    const char *name = reader_name(r, text);
    int i = 0;
    while (i < r->texts && r->text[i] != name) i++;
    if (i == r->texts) {
        GROW(&r->keep, r->text, r->texts, r->text_room);
        r->text[r->texts++] = name;
    }
    return pool_constant(r->p, i);
}

const char *reader_text_of(reader *r, expr e)
{
    const expr_node *n = pool_at(r->p, e);
    if (n->op != EXPR_CONSTANT || !(n->value >= 0 && n->value < r->texts)) return "";
    return r->text[(int)n->value];
}

context context_of(reader *r, instance *self, const ast_class *lexical)
{
    return (context){.r = r, .self = self, .lexical = lexical, .end = -1};
}

value complain(const context *c, span where, const char *format, ...)
{
    char room[1500];
    va_list values;
    va_start(values, format);
    number_print_list(room, sizeof room, format, values);
    va_end(values);
    source_say(c->r->s, SEVERITY_ERROR, where, "%s", room);
    return value_error();
}
