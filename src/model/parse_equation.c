/* parse_equation.c -- equations, statements and their sections (specification, appendix A.2.6). */
#include "model/parse.h"

typedef struct bodies { ast_equation **item; int count, room; } bodies;

static ast_equation *parse_one(parser *p, int algorithm);

static ast_equation *make(parser *p, ast_equation_kind kind, const token *first)
{
    ast_equation *e = TAKE(p->r, ast_equation, 1);
    e->kind = kind;
    e->where = span_since(p, first);
    return e;
}

int section_ends(const parser *p)
{
    switch (next(p)) {
    case TOKEN_END: case TOKEN_END_WORD: case TOKEN_EQUATION: case TOKEN_ALGORITHM:
    case TOKEN_PUBLIC: case TOKEN_PROTECTED: case TOKEN_ANNOTATION: case TOKEN_EXTERNAL:
    case TOKEN_ELSE: case TOKEN_ELSEIF: case TOKEN_ELSEWHEN: return 1;
    case TOKEN_INITIAL:
        return p->at[1].kind == TOKEN_EQUATION || p->at[1].kind == TOKEN_ALGORITHM;
    default: return 0;
    }
}

/* To the next statement: behind the next semicolon, or before a word that ends the section. */
static void recover(parser *p)
{
    while (next(p) != TOKEN_SEMICOLON && !section_ends(p)) p->at++;
    got(p, TOKEN_SEMICOLON);
    p->broken = 0;
}

static void parse_body(parser *p, int algorithm, ast_branch *branch)
{
    bodies b = {0};
    while (!section_ends(p)) {
        ast_equation *e = parse_one(p, algorithm);
        if (!e) continue;
        GROW(p->r, b.item, b.count, b.room);
        b.item[b.count++] = e;
    }
    branch->body = b.item;
    branch->count = b.count;
}

/* end if, end for, ... */
static void parse_end(parser *p, token_kind word)
{
    if (!need(p, TOKEN_END_WORD, word == TOKEN_IF ? "of the `if`" : word == TOKEN_FOR ?
                "of the `for`" : word == TOKEN_WHEN ? "of the `when`" : "of the `while`")) return;
    if (!got(p, word)) {
        char what[40] = "`end ";
        const char *name = token_words(word);
        int i = 5;
        while (*name) what[i++] = *name++;
        what[i] = '`';
        p->at--;
        missing(p, what);
    }
}

/* if c then ... {elseif c then ...} [else ...] end if, and the same with when. */
static ast_equation *parse_branches(parser *p, int algorithm)
{
    const token *first = p->at;
    token_kind word = next(p), again = word == TOKEN_IF ? TOKEN_ELSEIF : TOKEN_ELSEWHEN;
    ast_equation *e = make(p, word == TOKEN_IF ? AST_IF_BRANCHES : AST_WHEN, first);
    int room = 0;
    do {
        p->at++;
        ast_branch branch = {.condition = parse_expr(p)};
        e->where = span_since(p, first);
        if (!need(p, TOKEN_THEN, "after the condition") && !p->broken) return NULL;
        if (p->broken) recover(p);
        parse_body(p, algorithm, &branch);
        GROW(p->r, e->branch, e->branches, room);
        e->branch[e->branches++] = branch;
    } while (next(p) == again);
    if (word == TOKEN_IF && got(p, TOKEN_ELSE)) {
        ast_branch branch = {.condition = NULL};
        parse_body(p, algorithm, &branch);
        GROW(p->r, e->branch, e->branches, room);
        e->branch[e->branches++] = branch;
    }
    parse_end(p, word);
    return e;
}

static ast_equation *parse_loop(parser *p, int algorithm)
{
    const token *first = p->at;
    token_kind word = next(p);
    p->at++;
    ast_equation *e = make(p, word == TOKEN_FOR ? AST_FOR : AST_WHILE, first);
    e->branch = TAKE(p->r, ast_branch, 1);
    e->branches = 1;
    if (word == TOKEN_FOR) e->iterators = parse_iterators(p, &e->iterator);
    else e->branch[0].condition = parse_expr(p);
    e->where = span_since(p, first);
    need(p, TOKEN_LOOP, word == TOKEN_FOR ? "after the range" : "after the condition");
    if (p->broken) recover(p);
    parse_body(p, algorithm, &e->branch[0]);
    parse_end(p, word);
    return e;
}

static ast_equation *parse_connect(parser *p)
{
    const token *first = p->at++;
    ast_equation *e = make(p, AST_CONNECT, first);
    need(p, TOKEN_OPEN, "after `connect`");
    if (!p->broken) e->left = parse_expr(p);
    need(p, TOKEN_COMMA, "between the connectors");
    if (!p->broken) e->right = parse_expr(p);
    need(p, TOKEN_CLOSE, "after the connectors");
    e->where = span_since(p, first);
    return e;
}

static ast_equation *parse_simple_equation(parser *p, int algorithm)
{
    const token *first = p->at;
    ast_expr *left = parse_expr(p);
    token_kind sign = algorithm ? TOKEN_ASSIGN : TOKEN_IS;
    ast_equation *e = make(p, AST_DO, first);
    e->left = left;
    if (p->broken) return e;
    if (next(p) == TOKEN_ASSIGN || next(p) == TOKEN_IS || next(p) == TOKEN_EQUAL) {
        if (next(p) != sign)
            missing(p, algorithm ? "`:=`: in an algorithm values are assigned"
                                  : "`=`: in an equation section there are equations");
        else p->at++;
        e->kind = algorithm ? AST_ASSIGN : AST_EQUAL;
        if (!p->broken) e->right = parse_expr(p);
    } else if (left->kind != AST_CALL) {
        missing(p, algorithm ? "`:=`" : "`=`");
    }
    e->where = span_since(p, first);
    return e;
}

static ast_equation *parse_one(parser *p, int algorithm)
{
    const token *first = p->at;
    ast_equation *e;
    if (deeper(p)) {
        recover(p);
        return NULL;
    }
    if (next(p) == TOKEN_IF || next(p) == TOKEN_WHEN) e = parse_branches(p, algorithm);
    else if (next(p) == TOKEN_FOR || (algorithm && next(p) == TOKEN_WHILE))
        e = parse_loop(p, algorithm);
    else if (next(p) == TOKEN_CONNECT && !algorithm) e = parse_connect(p);
    else if (algorithm && (next(p) == TOKEN_BREAK || next(p) == TOKEN_RETURN)) {
        p->at++;
        e = make(p, first->kind == TOKEN_BREAK ? AST_BREAK : AST_RETURN, first);
    } else e = parse_simple_equation(p, algorithm);
    p->depth--;
    if (!p->broken) {
        ast_modification *annotation = NULL;
        parse_comment(p, &annotation);
        need(p, TOKEN_SEMICOLON, algorithm ? "after the statement" : "after the equation");
    }
    if (!p->broken) return e;
    recover(p);
    return NULL;
}

void parse_section(parser *p, ast_section *section)
{
    ast_branch all = {0};
    section->initial = got(p, TOKEN_INITIAL);
    section->algorithm = next(p) == TOKEN_ALGORITHM;
    p->at++;
    do {
        ast_branch part = {0};
        parse_body(p, section->algorithm, &part);
        if (part.count) {
            ast_equation **both = TAKE(p->r, ast_equation *, all.count + part.count);
            for (int i = 0; i < all.count; i++) both[i] = all.body[i];
            for (int i = 0; i < part.count; i++) both[all.count + i] = part.body[i];
            all = (ast_branch){.body = both, .count = all.count + part.count};
        }
        /* what ends a branch but not a section: no `if` is open here */
        if (next(p) != TOKEN_ELSE && next(p) != TOKEN_ELSEIF && next(p) != TOKEN_ELSEWHEN) break;
        missing(p, section->algorithm ? "a statement" : "an equation");
        p->at++;
        recover(p);
    } while (1);
    section->equation = all.body;
    section->count = all.count;
}
