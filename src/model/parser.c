/* parser.c -- classes and declarations (specification, appendix A.2.2 to A.2.5). */
#include "model/parse.h"

#include <stdio.h>
#include <string.h>

static void parse_class(parser *p, ast_class *outer, const ast_prefix *prefix);

span span_here(const parser *p) { return (span){p->at->from, p->at->to, p->text}; }

span span_since(const parser *p, const token *first)
{
    uint32_t to = p->at > first ? p->at[-1].to : first->to;
    return (span){first->from, to, p->text};
}

static void missing_at(parser *p, const char *what, span where)
{
    char found[80];
    if (p->broken) return;
    p->broken = 1;
    size_t length = p->at->to - p->at->from;
    if (next(p) == TOKEN_END) snprintf(found, sizeof found, "the text ends here");
    else if (length < 40)
        snprintf(found, sizeof found, "found `%.*s`", (int)length, p->chars + p->at->from);
    else snprintf(found, sizeof found, "found %s", token_words(next(p)));
    source_say(p->s, SEVERITY_ERROR, where, "expected %s, but %s", what, found);
}

void missing(parser *p, const char *what) { missing_at(p, what, span_here(p)); }

/* What is missing at the end of a line is missing there, not where the next line goes on. */
static span end_of_line(const parser *p)
{
    if (p->at == p->first) return span_here(p);
    const uint32_t to = p->at[-1].to;
    const char *between = p->chars + to;
    return memchr(between, '\n', p->at->from - to) ? (span){to, to, p->text} : span_here(p);
}

int got(parser *p, token_kind kind)
{
    if (next(p) != kind) return 0;
    if (kind != TOKEN_END) p->at++;
    return 1;
}

int need(parser *p, token_kind kind, const char *after)
{
    char what[120];
    if (got(p, kind)) return 1;
    if (kind == TOKEN_NAME) snprintf(what, sizeof what, "a name %s", after);
    else snprintf(what, sizeof what, "`%s`%s%s", token_words(kind), *after ? " " : "", after);
    missing_at(p, what, kind == TOKEN_SEMICOLON ? end_of_line(p) : span_here(p));
    return 0;
}

int deeper(parser *p)
{
    if (p->depth < MOST_DEPTH) return p->depth++, 0;
    if (!p->broken)
        source_say(p->s, SEVERITY_ERROR, span_here(p),
                   "this is nested too deeply: more than %d levels", (int)MOST_DEPTH);
    p->broken = 1;
    return -1;
}

/* "a" + "b" annotation(...) */
const char *parse_comment(parser *p, ast_modification **annotation)
{
    const char *comment = "";
    if (next(p) == TOKEN_STRING) {
        comment = p->at++->text;
        while (next(p) == TOKEN_PLUS && p->at[1].kind == TOKEN_STRING) {
            size_t length = strlen(comment), more = strlen(p->at[1].text);
            char *both = region_take(p->r, length + more + 1, 1);
            memcpy(both, comment, length);
            memcpy(both + length, p->at[1].text, more + 1);
            comment = both;
            p->at += 2;
        }
    }
    if (got(p, TOKEN_ANNOTATION)) {
        p->annotation++;
        ast_modification *found = parse_modifiers(p);
        p->annotation--;
        if (annotation) *annotation = found;
    }
    return comment;
}

static void not_supported(parser *p, const char *what)
{
    if (!p->broken)
        source_say(p->s, SEVERITY_ERROR, span_here(p), "%s not supported yet", what);
    p->broken = 1;
}

/* redeclare ...: refused, but for annotations, which only graphical tools read. */
static void skip_redeclaration(parser *p)
{
    int open = 0;
    if (!p->annotation) not_supported(p, "`redeclare` is");
    for (; p->annotation && next(p) != TOKEN_END; p->at++) {
        token_kind k = next(p);
        if (!open && (k == TOKEN_COMMA || k == TOKEN_CLOSE)) return;
        open += k == TOKEN_OPEN || k == TOKEN_OPEN_CURLY || k == TOKEN_OPEN_SQUARE;
        open -= k == TOKEN_CLOSE || k == TOKEN_CLOSE_CURLY || k == TOKEN_CLOSE_SQUARE;
    }
}

/* name.name [modification]: the part after the point modifies the part before it. */
static void parse_argument(parser *p, ast_argument *argument)
{
    for (;; p->at++) {
        if (next(p) == TOKEN_EACH) argument->each = 1;
        else if (next(p) == TOKEN_FINAL) argument->final_ = 1;
        else break;
    }
    if (next(p) == TOKEN_REDECLARE || next(p) == TOKEN_REPLACEABLE) {
        skip_redeclaration(p);
        return;
    }
    if (next(p) != TOKEN_NAME) {
        missing(p, "the name of what is modified");
        return;
    }
    argument->name = p->at->text;
    argument->where = span_here(p);
    p->at++;
    if (next(p) == TOKEN_DOT) {
        ast_modification *inside = TAKE(p->r, ast_modification, 1);
        p->at++;
        if (deeper(p)) return;
        inside->argument = TAKE(p->r, ast_argument, 1);
        inside->arguments = 1;
        parse_argument(p, inside->argument);
        p->depth--;
        argument->modification = inside;
        return;
    }
    argument->modification = parse_modification(p);
    parse_comment(p, NULL);
}

/* a(x = 1, x = 2): which one? */
static void check_twice(parser *p, const ast_modification *m, const ast_argument *a)
{
    if (p->annotation || !a->modification || !a->modification->value) return;
    for (int i = 0; i < m->arguments; i++) {
        const ast_argument *b = &m->argument[i];
        if (b->name != a->name || !b->modification || !b->modification->value) continue;
        source_say(p->s, SEVERITY_ERROR, a->where, "`%s` is given two values here", a->name);
        return;
    }
}

ast_modification *parse_modifiers(parser *p)
{
    ast_modification *m = TAKE(p->r, ast_modification, 1);
    int room = 0;
    if (!need(p, TOKEN_OPEN, "")) return m;
    if (deeper(p)) return m;
    while (next(p) != TOKEN_CLOSE && !p->broken) {
        ast_argument argument = {0};
        parse_argument(p, &argument);
        if (argument.name) {
            check_twice(p, m, &argument);
            GROW(p->r, m->argument, m->arguments, room);
            m->argument[m->arguments++] = argument;
        }
        if (!got(p, TOKEN_COMMA)) break;
        if (next(p) == TOKEN_CLOSE) missing(p, "a modification after the comma");
    }
    p->depth--;
    need(p, TOKEN_CLOSE, "after the modifications");
    return m;
}

ast_modification *parse_modification(parser *p)
{
    ast_modification *m = NULL;
    if (next(p) == TOKEN_OPEN) m = parse_modifiers(p);
    if (!p->broken && (got(p, TOKEN_IS) || got(p, TOKEN_ASSIGN))) {
        if (!m) m = TAKE(p->r, ast_modification, 1);
        m->value = parse_expr(p);
    }
    return m;
}

/* Behind the next semicolon, or before a word that begins another part of the class. */
static void recover(parser *p)
{
    while (next(p) != TOKEN_SEMICOLON && !section_ends(p)) p->at++;
    got(p, TOKEN_SEMICOLON);
    p->broken = 0;
}

static void parse_type_prefix(parser *p, ast_prefix *prefix)
{
    for (;; p->at++) {
        switch (next(p)) {
        case TOKEN_FLOW: prefix->flow = 1; break;
        case TOKEN_STREAM: prefix->stream = 1; break;
        case TOKEN_DISCRETE: prefix->variability = AST_DISCRETE; break;
        case TOKEN_PARAMETER: prefix->variability = AST_PARAMETER; break;
        case TOKEN_CONSTANT: prefix->variability = AST_CONSTANT; break;
        case TOKEN_INPUT: prefix->input = 1; break;
        case TOKEN_OUTPUT: prefix->output = 1; break;
        default: return;
        }
    }
}

static ast_expr **join(parser *p, ast_expr **a, int m, ast_expr **b, int n)
{
    ast_expr **both = TAKE(p->r, ast_expr *, m + n);
    for (int i = 0; i < m; i++) both[i] = a[i];
    for (int i = 0; i < n; i++) both[m + i] = b[i];
    return both;
}

/* One name of a component clause: x[2](start = 1) = 3 if c "comment" */
static void parse_declaration(parser *p, ast_class *c, const ast_component *clause)
{
    ast_component one = *clause;
    ast_expr **own = NULL;
    int dimensions = 0;
    if (next(p) != TOKEN_NAME) {
        missing(p, "the name of a component");
        return;
    }
    one.name = p->at->text;
    one.where = span_here(p);
    p->at++;
    if (got(p, TOKEN_OPEN_SQUARE)) own = parse_subscripts(p, &dimensions);
    one.dimension = join(p, own, dimensions, clause->dimension, clause->dimensions);
    one.dimensions = dimensions + clause->dimensions;
    one.modification = parse_modification(p);
    if (got(p, TOKEN_IF)) one.condition = parse_expr(p);
    one.comment = parse_comment(p, NULL);
    one.within = c;
    GROW(p->r, c->component, c->components, c->component_room);
    c->component[c->components++] = one;
}

/* Words of Base Modelica (MCP-0031) that have no meaning here yet. */
static int base_word(const parser *p)
{
    return next(p) == TOKEN_NAME && p->at[1].kind != TOKEN_DOT &&
           (!strcmp(p->at->text, "partition") || !strcmp(p->at->text, "guess") ||
            !strcmp(p->at->text, "prioritize"));
}

static void parse_components(parser *p, ast_class *c, ast_prefix prefix)
{
    ast_component clause = {.prefix = prefix};
    if (base_word(p)) {
        char what[40];
        snprintf(what, sizeof what, "`%s` is", p->at->text);
        not_supported(p, what);
        return;
    }
    parse_type_prefix(p, &clause.prefix);
    if (next(p) != TOKEN_NAME && next(p) != TOKEN_DOT) {
        missing(p, "a declaration, `equation`, `algorithm` or `end`");
        return;
    }
    if (next(p) == TOKEN_NAME && p->at[1].kind != TOKEN_NAME &&
        (p->at[1].kind == TOKEN_IS || p->at[1].kind == TOKEN_OPEN || p->at[1].kind == TOKEN_PLUS)) {
        p->at++;
        missing(p, "a type and a name; equations stand after the word `equation`");
        return;
    }
    if (parse_name(p, &clause.type, 0)) return;
    if (got(p, TOKEN_OPEN_SQUARE)) clause.dimension = parse_subscripts(p, &clause.dimensions);
    do parse_declaration(p, c, &clause);
    while (!p->broken && got(p, TOKEN_COMMA));
    if (!p->broken && prefix.replaceable && got(p, TOKEN_CONSTRAINEDBY)) {
        ast_name bound;
        if (!parse_name(p, &bound, 0)) parse_modification(p);
        parse_comment(p, NULL);
    }
}

/* import A.B; import C = A.B; import A.*; import A.{B, C} */
static void parse_import(parser *p, ast_class *c)
{
    ast_import import = {.where = span_here(p)};
    int room = 0;
    p->at++;
    if (next(p) == TOKEN_NAME && p->at[1].kind == TOKEN_IS) {
        import.alias = p->at->text;
        p->at += 2;
    }
    import.name.global = got(p, TOKEN_DOT);
    for (;;) {
        if (next(p) != TOKEN_NAME) {
            missing(p, "the name of a class");
            return;
        }
        GROW(p->r, import.name.part, import.name.parts, room);
        import.name.part[import.name.parts++] =
            (ast_part){.name = p->at->text, .where = span_here(p)};
        p->at++;
        if (got(p, TOKEN_DOT_TIMES)) import.kind = IMPORT_ALL;
        if (import.kind == IMPORT_ALL || !got(p, TOKEN_DOT)) break;
        if (got(p, TOKEN_TIMES)) {
            import.kind = IMPORT_ALL;
            break;
        }
        if (next(p) == TOKEN_OPEN_CURLY) break;
    }
    if (got(p, TOKEN_OPEN_CURLY)) {
        do {
            ast_import one = import;
            if (next(p) != TOKEN_NAME) {
                missing(p, "the name of a class");
                return;
            }
            one.name.part = TAKE(p->r, ast_part, import.name.parts + 1);
            memcpy(one.name.part, import.name.part, (size_t)import.name.parts * sizeof(ast_part));
            one.name.part[one.name.parts++] = (ast_part){.name = p->at->text, .where = span_here(p)};
            one.alias = p->at++->text;
            GROW(p->r, c->import, c->imports, c->import_room);
            c->import[c->imports++] = one;
        } while (got(p, TOKEN_COMMA));
        need(p, TOKEN_CLOSE_CURLY, "after the names");
    } else {
        if (!import.alias) import.alias = import.name.part[import.name.parts - 1].name;
        GROW(p->r, c->import, c->imports, c->import_room);
        c->import[c->imports++] = import;
    }
    parse_comment(p, NULL);
}

static void parse_extends(parser *p, ast_class *c)
{
    ast_extends extends = {.where = span_here(p)};
    p->at++;
    if (parse_name(p, &extends.base, 0)) return;
    extends.where = extends.base.part[extends.base.parts - 1].where;
    extends.where.from = extends.base.part[0].where.from;
    if (next(p) == TOKEN_OPEN) extends.modification = parse_modifiers(p);
    parse_comment(p, NULL);
    GROW(p->r, c->extends, c->extend_count, c->extend_room);
    c->extends[c->extend_count++] = extends;
}

static int begins_class(const parser *p)
{
    switch (next(p)) {
    case TOKEN_PARTIAL: case TOKEN_ENCAPSULATED: case TOKEN_EXPANDABLE: case TOKEN_CLASS:
    case TOKEN_MODEL: case TOKEN_BLOCK: case TOKEN_RECORD: case TOKEN_TYPE: case TOKEN_CONNECTOR:
    case TOKEN_PACKAGE: case TOKEN_FUNCTION: case TOKEN_PURE: case TOKEN_IMPURE:
    case TOKEN_OPERATOR: return 1;
    default: return 0;
    }
}

static void parse_element(parser *p, ast_class *c, int hidden)
{
    ast_prefix prefix = {.hidden = (unsigned char)hidden};
    if (next(p) == TOKEN_IMPORT) parse_import(p, c);
    else if (next(p) == TOKEN_EXTENDS) parse_extends(p, c);
    else {
        if (next(p) == TOKEN_REDECLARE) not_supported(p, "`redeclare` is");
        for (;; p->at++) {
            if (next(p) == TOKEN_FINAL) prefix.final_ = 1;
            else if (next(p) == TOKEN_INNER) prefix.inner = 1;
            else if (next(p) == TOKEN_OUTER) prefix.outer = 1;
            else if (next(p) == TOKEN_REPLACEABLE) prefix.replaceable = 1;
            else break;
        }
        if (!p->broken && begins_class(p)) parse_class(p, c, &prefix);
        else if (!p->broken) parse_components(p, c, prefix);
    }
    if (!p->broken) need(p, TOKEN_SEMICOLON, "after the declaration");
    if (p->broken) recover(p);
}

static void parse_annotation(parser *p, ast_class *c)
{
    p->at++;
    p->annotation++;
    ast_modification *m = parse_modifiers(p);
    p->annotation--;
    if (!c->annotation || m->arguments > c->annotation->arguments) c->annotation = m;
    need(p, TOKEN_SEMICOLON, "after the annotation");
    if (p->broken) recover(p);
}

static void parse_composition(parser *p, ast_class *c)
{
    int hidden = 0;
    for (;;) {
        if (next(p) == TOKEN_END || next(p) == TOKEN_END_WORD) return;
        if (got(p, TOKEN_PUBLIC)) hidden = 0;
        else if (got(p, TOKEN_PROTECTED)) hidden = 1;
        else if (next(p) == TOKEN_EQUATION || next(p) == TOKEN_ALGORITHM ||
                 (next(p) == TOKEN_INITIAL && section_ends(p))) {
            ast_section section = {0};
            parse_section(p, &section);
            GROW(p->r, c->section, c->sections, c->section_room);
            c->section[c->sections++] = section;
        } else if (next(p) == TOKEN_ANNOTATION) parse_annotation(p, c);
        else if (next(p) == TOKEN_EXTERNAL) {
            c->external = 1;
            while (next(p) != TOKEN_SEMICOLON && next(p) != TOKEN_END) p->at++;
            got(p, TOKEN_SEMICOLON);
        } else if (next(p) == TOKEN_ELSE || next(p) == TOKEN_ELSEIF || next(p) == TOKEN_ELSEWHEN) {
            missing(p, "a declaration");
            p->at++;
            recover(p);
        } else parse_element(p, c, hidden);
    }
}

static void parse_literals(parser *p, ast_class *c)
{
    int room = 0;
    c->is_enumeration = 1;
    if (!need(p, TOKEN_OPEN, "after `enumeration`")) return;
    if (got(p, TOKEN_COLON)) {
        need(p, TOKEN_CLOSE, "");
        return;
    }
    do {
        ast_literal literal = {.name = p->at->text, .where = span_here(p)};
        if (!need(p, TOKEN_NAME, "for a literal")) return;
        literal.comment = parse_comment(p, NULL);
        GROW(p->r, c->literal, c->literals, room);
        c->literal[c->literals++] = literal;
    } while (got(p, TOKEN_COMMA));
    need(p, TOKEN_CLOSE, "after the literals");
}

/* class X = base[3](a = 1) */
static void parse_short(parser *p, ast_class *c)
{
    c->is_short = 1;
    if (got(p, TOKEN_ENUMERATION)) parse_literals(p, c);
    else if (next(p) == TOKEN_DER) not_supported(p, "a class of partial derivatives is");
    else {
        parse_type_prefix(p, &c->base_prefix);
        if (parse_name(p, &c->base, 0)) return;
        if (got(p, TOKEN_OPEN_SQUARE)) c->dimension = parse_subscripts(p, &c->dimensions);
        if (next(p) == TOKEN_OPEN) c->modification = parse_modifiers(p);
    }
    c->comment = parse_comment(p, &c->annotation);
    if (got(p, TOKEN_CONSTRAINEDBY)) {
        ast_name bound;
        if (!parse_name(p, &bound, 0)) parse_modification(p);
        parse_comment(p, NULL);
    }
}

static void parse_class_prefix(parser *p, ast_class *c)
{
    static const struct { token_kind word; ast_restriction restriction; } kind[] = {
        {TOKEN_CLASS, CLASS_CLASS}, {TOKEN_MODEL, CLASS_MODEL}, {TOKEN_BLOCK, CLASS_BLOCK},
        {TOKEN_RECORD, CLASS_RECORD}, {TOKEN_TYPE, CLASS_TYPE}, {TOKEN_CONNECTOR, CLASS_CONNECTOR},
        {TOKEN_PACKAGE, CLASS_PACKAGE}, {TOKEN_FUNCTION, CLASS_FUNCTION}};
    int operator_ = 0;
    for (;; p->at++) {
        if (next(p) == TOKEN_PARTIAL) c->partial = 1;
        else if (next(p) == TOKEN_ENCAPSULATED) c->encapsulated = 1;
        else if (next(p) == TOKEN_EXPANDABLE) c->expandable = 1;
        else if (next(p) == TOKEN_OPERATOR) operator_ = 1;
        else if (next(p) != TOKEN_PURE && next(p) != TOKEN_IMPURE && next(p) != TOKEN_FINAL) break;
    }
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        if (!got(p, kind[i].word)) continue;
        if (operator_ && kind[i].restriction == CLASS_RECORD) not_supported(p, "operators of records are");
        c->restriction = kind[i].restriction;
        return;
    }
    if (operator_) c->restriction = CLASS_OPERATOR;
    else missing(p, "`model`, `block`, `class`, `package`, `function`, `record`, `connector` or `type`");
}

static void parse_long(parser *p, ast_class *c)
{
    c->comment = parse_comment(p, NULL);
    parse_composition(p, c);
    if (next(p) == TOKEN_END) {
        source_say(p->s, SEVERITY_ERROR, span_here(p), "expected `end %s`, but the text ends here",
                   c->name);
        source_say(p->s, SEVERITY_NOTE, c->where, "`%s` begins here", c->name);
        p->broken = 1;
        return;
    }
    p->at++;
    if (next(p) == TOKEN_NAME && p->at->text == c->name) {
        p->at++;
        return;
    }
    if (!p->broken) {
        char what[200];
        snprintf(what, sizeof what, "`end %.100s`", c->name);
        missing(p, what);
        source_say(p->s, SEVERITY_NOTE, c->where, "`%s` begins here", c->name);
        /* go on as if it were right: more will be found this way */
        if (next(p) == TOKEN_NAME) p->at++;
        p->broken = 0;
    }
}

static void parse_class(parser *p, ast_class *outer, const ast_prefix *prefix)
{
    ast_class *c = TAKE(p->r, ast_class, 1);
    c->outer = outer;
    c->comment = "";
    c->hidden = prefix->hidden;
    c->replaceable = prefix->replaceable;
    if (deeper(p)) return;
    parse_class_prefix(p, c);
    if (next(p) == TOKEN_EXTENDS) not_supported(p, "`class extends` is");
    if (!p->broken && next(p) != TOKEN_NAME) missing(p, "the name of the class");
    if (!p->broken) {
        c->name = p->at->text;
        c->where = span_here(p);
        p->at++;
        GROW(p->r, outer->class_, outer->classes, outer->class_room);
        outer->class_[outer->classes++] = c;
        if (got(p, TOKEN_IS)) parse_short(p, c);
        else parse_long(p, c);
    }
    p->depth--;
}

void parse_text(region *r, names *n, source *s, int text, const char *chars, size_t length,
                ast_class *root)
{
    int count;
    parser p = {.r = r, .n = n, .s = s, .text = text, .chars = chars};
    p.at = p.first = lexer_read(r, n, s, text, chars, length, &count);
    if (got(&p, TOKEN_WITHIN)) {
        ast_name name;
        if (next(&p) != TOKEN_SEMICOLON) parse_name(&p, &name, 0);
        need(&p, TOKEN_SEMICOLON, "after `within`");
        if (p.broken) recover(&p);
    }
    while (next(&p) != TOKEN_END) {
        got(&p, TOKEN_FINAL);
        if (begins_class(&p)) parse_class(&p, root, &(ast_prefix){0});
        else missing(&p, "`model` or another class");
        if (!p.broken) need(&p, TOKEN_SEMICOLON, "after the end of the class");
        if (!p.broken) continue;
        p.broken = 0;
        while (next(&p) != TOKEN_END && !begins_class(&p)) p.at++;
    }
}

ast_expr *parse_value(region *r, names *n, source *s, int text, const char *chars, size_t length)
{
    int count, errors = source_errors(s);
    parser p = {.r = r, .n = n, .s = s, .text = text, .chars = chars};
    p.at = p.first = lexer_read(r, n, s, text, chars, length, &count);
    ast_expr *e = parse_expr(&p);
    if (!p.broken && next(&p) != TOKEN_END) missing(&p, "the end of the value");
    return source_errors(s) == errors ? e : NULL;
}
