/* expression.c -- recursive descent over
 *
 *   sum     = product { (+|-) product }
 *   product = factor { (*|/) factor }
 *   factor  = (+|-) factor | number | "sqrt" "(" sum ")" | "(" sum ")"
 */
#include "method/expression.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/number.h"

enum { DEPTH_MOST = 50 };

typedef struct parser { const char *at; int depth; } parser;

static int sum(parser *p, long double *value);

static void skip_blanks(parser *p)
{
    while (p->depth > 0 && isspace((unsigned char)*p->at)) p->at++;
}

/* Decimal digits, point, exponent; no hexadecimal numbers, infinities or NANs. */
static int number(parser *p, long double *value)
{
    const char *digit = p->at + (*p->at == '.');
    char *end;
    if (!isdigit((unsigned char)*digit)) return 0;
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X')) return 0;
    *value = number_read_long(p->at, &end);
    p->at = end;
    return 1;
}

static int parenthesis(parser *p, long double *value)
{
    if (*p->at != '(' || p->depth == DEPTH_MOST) return 0;
    p->at++;
    p->depth++;
    int done = sum(p, value);
    skip_blanks(p);
    if (!done || *p->at != ')') return 0;
    p->at++;
    p->depth--;
    return 1;
}

static int factor(parser *p, long double *value)
{
    int negative = 0;
    skip_blanks(p);
    for (; *p->at == '+' || *p->at == '-'; p->at++) negative ^= *p->at == '-';
    skip_blanks(p);
    if (strncmp(p->at, "sqrt", 4) == 0) {
        p->at += 4;
        if (!parenthesis(p, value)) return 0;
        *value = sqrtl(*value);
    } else if (!number(p, value) && !parenthesis(p, value)) {
        return 0;
    }
    if (negative) *value = -*value;
    skip_blanks(p);
    return 1;
}

static int product(parser *p, long double *value)
{
    if (!factor(p, value)) return 0;
    while (*p->at == '*' || *p->at == '/') {
        int divide = *p->at++ == '/';
        long double next;
        if (!factor(p, &next)) return 0;
        *value = divide ? *value / next : *value * next;
    }
    return 1;
}

static int sum(parser *p, long double *value)
{
    if (!product(p, value)) return 0;
    while (*p->at == '+' || *p->at == '-') {
        int minus = *p->at++ == '-';
        long double next;
        if (!product(p, &next)) return 0;
        *value += minus ? -next : next;
    }
    return 1;
}

int parse_expression(const char **text, double *value)
{
    parser p = {.at = *text};
    long double result;
    int done = sum(&p, &result);
    *text = p.at;
    if (done) *value = (double)result;
    return done;
}
