/* lexer.c -- text to tokens: see lexer.h. */
#include "model/lexer.h"

#include <stdio.h>
#include <string.h>

static const char *const keyword[] = {
    "algorithm", "and", "annotation", "block", "break", "class", "connect", "connector", "constant",
    "constrainedby", "der", "discrete", "each", "else", "elseif", "elsewhen", "encapsulated", "end",
    "enumeration", "equation", "expandable", "extends", "external", "false", "final", "flow", "for",
    "function", "if", "import", "impure", "in", "initial", "inner", "input", "loop", "model", "not",
    "operator", "or", "outer", "output", "package", "parameter", "partial", "protected", "public",
    "pure", "record", "redeclare", "replaceable", "return", "stream", "then", "true", "type", "when",
    "while", "within"};
enum { KEYWORDS = sizeof keyword / sizeof *keyword };

/* Longest first where one begins another. */
static const struct { const char *text; token_kind kind; } symbol[] = {
    {".+", TOKEN_DOT_PLUS}, {".-", TOKEN_DOT_MINUS}, {".*", TOKEN_DOT_TIMES},
    {"./", TOKEN_DOT_DIVIDE}, {".^", TOKEN_DOT_POWER}, {"<=", TOKEN_LESS_EQUAL},
    {">=", TOKEN_GREATER_EQUAL}, {"==", TOKEN_EQUAL}, {"<>", TOKEN_NOT_EQUAL}, {":=", TOKEN_ASSIGN},
    {"+", TOKEN_PLUS}, {"-", TOKEN_MINUS}, {"*", TOKEN_TIMES}, {"/", TOKEN_DIVIDE},
    {"^", TOKEN_POWER}, {"<", TOKEN_LESS}, {">", TOKEN_GREATER}, {"=", TOKEN_IS},
    {",", TOKEN_COMMA}, {";", TOKEN_SEMICOLON}, {":", TOKEN_COLON}, {".", TOKEN_DOT},
    {"(", TOKEN_OPEN}, {")", TOKEN_CLOSE}, {"[", TOKEN_OPEN_SQUARE}, {"]", TOKEN_CLOSE_SQUARE},
    {"{", TOKEN_OPEN_CURLY}, {"}", TOKEN_CLOSE_CURLY}};
enum { SYMBOLS = sizeof symbol / sizeof *symbol };

const char *token_words(token_kind kind)
{
    switch (kind) {
    case TOKEN_END: return "the end of the text";
    case TOKEN_NAME: return "a name";
    case TOKEN_INTEGER: case TOKEN_REAL: return "a number";
    case TOKEN_STRING: return "a text in quotes";
    default: break;
    }
    if (kind >= TOKEN_ALGORITHM) return keyword[kind - TOKEN_ALGORITHM];
    for (int i = 0; i < SYMBOLS; i++)
        if (symbol[i].kind == kind) return symbol[i].text;
    return "?";
}

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

static void more_slots(region *r, names *n)
{
    names old = *n;
    n->slots = old.slots ? 2 * old.slots : 256;
    n->slot = TAKE(r, const char *, n->slots);
    for (int i = 0; i < old.slots; i++) {
        if (!old.slot[i]) continue;
        uint32_t at = hash(old.slot[i], strlen(old.slot[i])) & (uint32_t)(n->slots - 1);
        while (n->slot[at]) at = (at + 1) & (uint32_t)(n->slots - 1);
        n->slot[at] = old.slot[i];
    }
}

const char *name_intern(region *r, names *n, const char *text, size_t length)
{
    if (2 * n->count >= n->slots) more_slots(r, n);
    uint32_t at = hash(text, length) & (uint32_t)(n->slots - 1);
    for (; n->slot[at]; at = (at + 1) & (uint32_t)(n->slots - 1))
        if (!strncmp(n->slot[at], text, length) && !n->slot[at][length]) return n->slot[at];
    n->count++;
    return n->slot[at] = region_text(r, text, length);
}

typedef struct lexer {
    region *r;
    names *n;
    source *s;
    int text;
    const char *chars, *at, *end;
    token *token;
    int count, room;
} lexer;

static span from_to(const lexer *l, const char *from, const char *to)
{
    return (span){(uint32_t)(from - l->chars), (uint32_t)(to - l->chars), l->text};
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static char peek(const lexer *l, int ahead) { return l->end - l->at > ahead ? l->at[ahead] : '\0'; }

static void add(lexer *l, token_kind kind, const char *from, const char *text)
{
    GROW(l->r, l->token, l->count, l->room);
    span where = from_to(l, from, l->at);
    l->token[l->count++] = (token){kind, where.from, where.to, text};
}

/* Blanks and comments; nonzero: a comment has no end. */
static void skip(lexer *l)
{
    for (;;) {
        char c = peek(l, 0);
        if (l->at == l->end) return;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') l->at++;
        else if (c == '/' && peek(l, 1) == '/') {
            while (l->at < l->end && *l->at != '\n') l->at++;
        } else if (c == '/' && peek(l, 1) == '*') {
            const char *from = l->at;
            l->at += 2;
            while (l->at < l->end && !(*l->at == '*' && peek(l, 1) == '/')) l->at++;
            if (l->at < l->end) l->at += 2;
            else source_say(l->s, SEVERITY_ERROR, from_to(l, from, from + 2),
                            "this comment has no end: `*/` is missing");
        } else return;
    }
}

static void read_word(lexer *l)
{
    const char *from = l->at;
    while (l->at < l->end && (is_letter(*l->at) || is_digit(*l->at))) l->at++;
    size_t length = (size_t)(l->at - from);
    int low = 0, high = KEYWORDS;
    while (low < high) {
        int middle = (low + high) / 2, order = strncmp(keyword[middle], from, length);
        if (order == 0 && keyword[middle][length]) order = 1;
        if (order == 0) {
            add(l, (token_kind)(TOKEN_ALGORITHM + middle), from, keyword[middle]);
            return;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    add(l, TOKEN_NAME, from, name_intern(l->r, l->n, from, length));
}

static void read_number(lexer *l)
{
    const char *from = l->at;
    token_kind kind = TOKEN_INTEGER;
    while (is_digit(peek(l, 0))) l->at++;
    /* a.*b and 2.*b are element-wise products, not numbers that end in a point */
    if (peek(l, 0) == '.' && !strchr("+-*/^", peek(l, 1) ? peek(l, 1) : ' ')) {
        kind = TOKEN_REAL;
        l->at++;
        while (is_digit(peek(l, 0))) l->at++;
    }
    if (peek(l, 0) == 'e' || peek(l, 0) == 'E') {
        int sign = peek(l, 1) == '+' || peek(l, 1) == '-';
        if (is_digit(peek(l, 1 + sign))) {
            kind = TOKEN_REAL;
            l->at += 1 + sign;
            while (is_digit(peek(l, 0))) l->at++;
        }
    }
    add(l, kind, from, NULL);
}

static char escaped(char c)
{
    static const char letter[] = "abfnrtv", control[] = "\a\b\f\n\r\t\v";
    const char *at = c ? strchr(letter, c) : NULL;
    return at ? control[at - letter] : c;
}

/* "..." or '...': escapes replaced, quotes left out. */
static void read_quoted(lexer *l, char quote)
{
    const char *from = l->at++;
    const char *stop = l->at;
    while (stop < l->end && *stop != quote && (quote == '"' || *stop != '\n'))
        stop += *stop == '\\' && l->end - stop > 1 ? 2 : 1;
    if (stop >= l->end || *stop != quote) {
        l->at = stop < l->end ? stop : l->end;
        source_say(l->s, SEVERITY_ERROR, from_to(l, from, from + 1), "the closing %s is missing",
                   quote == '"' ? "\"" : "' of this name");
        if (quote == '\'') return;
    }
    char *room = region_take(l->r, (size_t)(stop - from) + 1, 1);
    size_t length = 0;
    const char *last = stop < l->end ? stop : l->end;
    for (const char *c = from + 1; c < last; c++) {
        char one = *c;
        if (one == '\\' && c + 1 < last) one = escaped(*++c);
        if (one) room[length++] = one;
    }
    l->at = stop < l->end ? stop + 1 : l->end;
    const char *name = name_intern(l->r, l->n, room, length);
    add(l, quote == '"' ? TOKEN_STRING : TOKEN_NAME, from, name);
}

static void read_symbol(lexer *l)
{
    for (int i = 0; i < SYMBOLS; i++) {
        size_t length = strlen(symbol[i].text);
        if ((size_t)(l->end - l->at) < length || memcmp(l->at, symbol[i].text, length)) continue;
        const char *from = l->at;
        l->at += length;
        add(l, symbol[i].kind, from, NULL);
        return;
    }
    const char *from = l->at++;
    while (l->at < l->end && ((unsigned char)*l->at & 0xc0) == 0x80) l->at++;
    char shown[8] = "";
    memcpy(shown, from, (size_t)(l->at - from) < 5 ? (size_t)(l->at - from) : 4);
    if (shown[0] == '!' && peek(l, 0) == '=')
        source_say(l->s, SEVERITY_ERROR, from_to(l, from, l->at), "unequal is written `<>`");
    else if (*from)
        source_say(l->s, SEVERITY_ERROR, from_to(l, from, l->at),
                   "the character `%s` has no meaning here", shown);
    else source_say(l->s, SEVERITY_ERROR, from_to(l, from, l->at), "the text contains a byte 0");
}

token *lexer_read(region *r, names *n, source *s, int text, const char *chars, size_t length,
                  int *count)
{
    lexer l = {.r = r, .n = n, .s = s, .text = text, .chars = chars, .at = chars,
               .end = chars + length};
    if (length >= 3 && !memcmp(chars, "\xef\xbb\xbf", 3)) l.at += 3;    /* byte order mark */
    for (skip(&l); l.at < l.end; skip(&l)) {
        char c = *l.at;
        if (is_letter(c)) read_word(&l);
        else if (is_digit(c) || (c == '.' && is_digit(peek(&l, 1)))) read_number(&l);
        else if (c == '"' || c == '\'') read_quoted(&l, c);
        else read_symbol(&l);
    }
    add(&l, TOKEN_END, l.end, NULL);
    *count = l.count;
    return l.token;
}
