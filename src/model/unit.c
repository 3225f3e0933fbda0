/* unit.c -- see unit.h; the syntax of units is that of the specification, chapter 19, the values are
 * those of the SI brochure (BIPM, 9th edition). */
#include "model/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { BASES = 7 };                      /* m kg s A K mol cd */

struct unit {
    double exponent[BASES];
    double factor;                       /* NAN: a number in the product hides it              */
    const char *text;
};

static const struct { const char *name; signed char exponent[BASES]; double factor; int prefix; } symbol[] = {
    {"m", {1}, 1, 1}, {"g", {0, 1}, 1e-3, 1}, {"s", {0, 0, 1}, 1, 1}, {"A", {0, 0, 0, 1}, 1, 1},
    {"K", {0, 0, 0, 0, 1}, 1, 1}, {"mol", {0, 0, 0, 0, 0, 1}, 1, 1}, {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, 1},
    {"rad", {0}, 1, 1}, {"sr", {0}, 1, 1}, {"deg", {0}, 0.017453292519943295, 0},
    {"Hz", {0, 0, -1}, 1, 1}, {"N", {1, 1, -2}, 1, 1}, {"Pa", {-1, 1, -2}, 1, 1}, {"J", {2, 1, -2}, 1, 1},
    {"W", {2, 1, -3}, 1, 1}, {"C", {0, 0, 1, 1}, 1, 1}, {"V", {2, 1, -3, -1}, 1, 1},
    {"F", {-2, -1, 4, 2}, 1, 1}, {"Ohm", {2, 1, -3, -2}, 1, 1}, {"S", {-2, -1, 3, 2}, 1, 1},
    {"Wb", {2, 1, -2, -1}, 1, 1}, {"T", {0, 1, -2, -1}, 1, 1}, {"H", {2, 1, -2, -2}, 1, 1},
    {"lm", {0, 0, 0, 0, 0, 0, 1}, 1, 1}, {"lx", {-2, 0, 0, 0, 0, 0, 1}, 1, 1}, {"Bq", {0, 0, -1}, 1, 1},
    {"Gy", {2, 0, -2}, 1, 1}, {"Sv", {2, 0, -2}, 1, 1}, {"kat", {0, 0, -1, 0, 0, 1}, 1, 1},
    {"min", {0, 0, 1}, 60, 0}, {"h", {0, 0, 1}, 3600, 0}, {"d", {0, 0, 1}, 86400, 0},
    {"l", {3}, 1e-3, 1}, {"L", {3}, 1e-3, 1}, {"t", {0, 1}, 1000, 1}, {"bar", {-1, 1, -2}, 1e5, 1},
    {"eV", {2, 1, -2}, 1.602176634e-19, 1}, {"VA", {2, 1, -3}, 1, 1}, {"var", {2, 1, -3}, 1, 1},
    {"rev", {0}, 6.283185307179586, 0}, {"%", {0}, 0.01, 0}};
enum { SYMBOLS = sizeof symbol / sizeof *symbol };

static const struct { const char *name; double factor; } prefix[] = {
    {"da", 1e1}, {"Y", 1e24}, {"Z", 1e21}, {"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6},
    {"k", 1e3}, {"h", 1e2}, {"d", 1e-1}, {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12},
    {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}};
enum { PREFIXES = sizeof prefix / sizeof *prefix };

/* ---- the table: equal units have equal numbers ---- */
static int same_dimensions(const struct unit *a, const struct unit *b)
{
    for (int i = 0; i < BASES; i++)
        if (fabs(a->exponent[i] - b->exponent[i]) > 1e-9) return 0;
    return 1;
}

static int same_factor(const struct unit *a, const struct unit *b)
{
    return isnan(a->factor) || isnan(b->factor) || fabs(a->factor - b->factor) <= 1e-9 * fabs(a->factor);
}

static int intern(reader *r, struct unit u)
{
    for (int i = 0; i < r->units; i++)
        if (same_dimensions(&r->unit[i], &u) && isnan(r->unit[i].factor) == isnan(u.factor) &&
            same_factor(&r->unit[i], &u)) return i + UNIT_FIRST;
    if (r->units > 5000) return UNIT_UNKNOWN;
    GROW(&r->keep, r->unit, r->units, r->unit_room);
    r->unit[r->units++] = u;
    return r->units - 1 + UNIT_FIRST;
}

/* ---- reading: kg.m2/(s2.A) ---- */
static int find_symbol(const char *name, size_t length, struct unit *u, double factor, int prefixed)
{
    for (int i = 0; i < SYMBOLS; i++) {
        if (strlen(symbol[i].name) != length || strncmp(symbol[i].name, name, length)) continue;
        if (prefixed && !symbol[i].prefix) continue;
        for (int k = 0; k < BASES; k++) u->exponent[k] = symbol[i].exponent[k];
        u->factor = factor * symbol[i].factor;
        return 0;
    }
    return -1;
}

static int read_symbol(const char *name, size_t length, struct unit *u)
{
    if (!find_symbol(name, length, u, 1, 0)) return 0;
    for (int i = 0; i < PREFIXES; i++) {
        size_t p = strlen(prefix[i].name);
        if (p < length && !strncmp(prefix[i].name, name, p) &&
            !find_symbol(name + p, length - p, u, prefix[i].factor, 1)) return 0;
    }
    return -1;
}

static void multiply(struct unit *to, const struct unit *by, double exponent)
{
    for (int i = 0; i < BASES; i++) to->exponent[i] += exponent * by->exponent[i];
    to->factor *= pow(by->factor, exponent);
}

static int read_factor(const char **at, struct unit *u, double sign)
{
    struct unit one = {.factor = 1};
    const char *from = *at;
    if (**at == '1' && (at[0][1] == '/' || at[0][1] == '\0' || at[0][1] == ')')) return ++*at, 0;
    while ((**at >= 'a' && **at <= 'z') || (**at >= 'A' && **at <= 'Z') || **at == '%') ++*at;
    if (*at == from || read_symbol(from, (size_t)(*at - from), &one)) return -1;
    double exponent = 1;
    if ((**at >= '0' && **at <= '9') || ((**at == '-' || **at == '+') && at[0][1] >= '0' && at[0][1] <= '9')) {
        char *end;
        exponent = (double)strtol(*at, &end, 10);
        *at = end;
        if (fabs(exponent) > 20) return -1;
    }
    multiply(u, &one, sign * exponent);
    return 0;
}

static int read_product(const char **at, struct unit *u, double sign)
{
    int open = **at == '(';
    *at += open;
    do if (read_factor(at, u, sign)) return -1;
    while (**at == '.' && ++*at);
    if (!open) return 0;
    return *(*at)++ == ')' ? 0 : -1;
}

int unit_read(reader *r, const char *text, span where)
{
    struct unit u = {.factor = 1, .text = text};
    const char *at = text;
    if (!*text || !strcmp(text, "degC") || !strcmp(text, "degF")) return UNIT_UNKNOWN;
    int bad = read_product(&at, &u, 1);
    while (!bad && *at == '/') at++, bad = read_product(&at, &u, -1);
    if (!bad && !*at) return intern(r, u);
    source_say(r->s, SEVERITY_WARNING, where, "the unit `%s` is not known: it is not checked", text);
    return UNIT_UNKNOWN;
}

/* ---- arithmetic ---- */
static const struct unit *unit_of(const reader *r, int number)
{
    return number >= UNIT_FIRST ? &r->unit[number - UNIT_FIRST] : NULL;
}

int unit_product(reader *r, int a, int b, int sign)
{
    if (a == UNIT_UNKNOWN || b == UNIT_UNKNOWN) return UNIT_UNKNOWN;
    if (a == UNIT_NUMBER && b == UNIT_NUMBER) return UNIT_NUMBER;
    struct unit u = {.factor = 1};
    if (a >= UNIT_FIRST) multiply(&u, unit_of(r, a), 1);
    if (b >= UNIT_FIRST) multiply(&u, unit_of(r, b), sign);
    if (a == UNIT_NUMBER || b == UNIT_NUMBER) u.factor = NAN;
    return intern(r, u);
}

int unit_power(reader *r, int a, double exponent)
{
    if (a < UNIT_FIRST || fabs(exponent) > 20) return a == UNIT_NUMBER ? a : UNIT_UNKNOWN;
    struct unit u = {.factor = 1};
    multiply(&u, unit_of(r, a), exponent);
    return intern(r, u);
}

/* As it was declared, or from the base units. */
static const char *words(reader *r, const struct unit *u)
{
    static const char *const base[BASES] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    char room[120] = "";
    if (u->text) return u->text;
    for (int i = 0; i < BASES; i++)
        if (fabs(u->exponent[i]) > 1e-9) {
            text_append(room, sizeof room, "%s%s", *room ? "." : "", base[i]);
            if (fabs(u->exponent[i] - 1) > 1e-9) text_append(room, sizeof room, "%g", u->exponent[i]);
        }
    return *room ? region_text(&r->scratch, room, strlen(room)) : "1";
}

int unit_sum(reader *r, span where, int a, int b, const char *what)
{
    if (a == UNIT_NUMBER) return b;
    if (b == UNIT_NUMBER || a == b) return a;
    const struct unit *x = unit_of(r, a), *y = unit_of(r, b);
    if (!x || !y) return UNIT_UNKNOWN;
    if (!same_dimensions(x, y) || !same_factor(x, y))
        source_say(r->s, SEVERITY_WARNING, where, "the units in this %s differ: %s and %s", what, words(r, x),
                   words(r, y));
    return isnan(x->factor) ? b : a;
}

void unit_check(reader *r, span where, const char *what, int wanted, int found)
{
    const struct unit *x = unit_of(r, wanted), *y = unit_of(r, found);
    if (x && y && (!same_dimensions(x, y) || !same_factor(x, y)))
        source_say(r->s, SEVERITY_WARNING, where, "the unit of %s is %s, this is in %s", what, words(r, x),
                   words(r, y));
}
