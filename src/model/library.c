/* library.c -- see library.h. */
#include "model/library.h"

#include <string.h>

static const char basic_text[] =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n";

ast_class *library_basic(reader *r)
{
    static const struct { const char *name; value_kind kind; } basic[] = {
        {"Real", VALUE_REAL}, {"Integer", VALUE_INTEGER}, {"Boolean", VALUE_BOOLEAN},
        {"String", VALUE_STRING}};
    ast_class *root = TAKE(&r->keep, ast_class, 1);
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
        ast_class *c = TAKE(&r->keep, ast_class, 1);
        c->name = reader_name(r, basic[i].name);
        c->comment = "";
        c->basic = (int)basic[i].kind;
        c->restriction = CLASS_TYPE;
        c->where.text = -1;
        GROW(&r->keep, root->class_, root->classes, root->class_room);
        root->class_[root->classes++] = c;
    }
    parse_text(&r->keep, &r->names, r->s, -1, basic_text, strlen(basic_text), root);
    return root;
}

ast_class *library_read(reader *r)
{
    return TAKE(&r->keep, ast_class, 1);
}
