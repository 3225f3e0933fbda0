/* json_reader.h -- just enough JSON [RFC 8259] to check what the command prints. */
#ifndef KEEL_TEST_JSON_READER_H
#define KEEL_TEST_JSON_READER_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *json_space(const char *s)
{
    while (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r') s++;
    return s;
}

static const char *json_text(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s != '\\') continue;
        s++;
        if (!*s || !strchr("\"\\/bfnrtu", *s)) return NULL;
        for (int i = 0; *s == 'u' && i < 4; i++)
            if (!isxdigit((unsigned char)s[i + 1])) return NULL;
    }
    return s + 1;
}

static const char *json_digits(const char *s)
{
    if (!isdigit((unsigned char)*s)) return NULL;
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

static const char *json_decimal(const char *s)
{
    s += *s == '-';
    if (*s == '0' && isdigit((unsigned char)s[1])) return NULL;
    if (!(s = json_digits(s))) return NULL;
    if (*s == '.' && !(s = json_digits(s + 1))) return NULL;
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        s = json_digits(s);
    }
    return s;
}

/* The end of the value at s, or NULL if it is not well formed. */
static const char *json_value(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};
    s = json_space(s);
    if (*s == '"') return json_text(s);
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
    if (*s != '{' && *s != '[') return json_decimal(s);

    const char open = *s, close = open == '{' ? '}' : ']';
    s = json_space(s + 1);
    if (*s == close) return s + 1;
    for (;;) {
        if (open == '{') {
            if (!(s = json_text(json_space(s)))) return NULL;
            s = json_space(s);
            if (*s++ != ':') return NULL;
        }
        if (!(s = json_value(s))) return NULL;
        s = json_space(s);
        if (*s == close) return s + 1;
        if (*s++ != ',') return NULL;
    }
}

/* Exactly one value and nothing else. */
static int json_valid(const char *s)
{
    const char *end = json_value(s);
    return end && *json_space(end) == '\0';
}

/* The value of "key" in the object at s, or NULL. */
static const char *json_member(const char *s, const char *key)
{
    s = json_space(s);
    if (*s++ != '{') return NULL;
    for (;;) {
        s = json_space(s);
        const char *end = json_text(s);
        if (!end) return NULL;
        const int found = (size_t)(end - s) == strlen(key) + 2
                       && strncmp(s + 1, key, strlen(key)) == 0;
        s = json_space(json_space(end) + 1);
        if (found) return s;
        s = json_space(json_value(s));
        if (*s++ != ',') return NULL;
    }
}

/* Element i of the array at s, or NULL. */
static const char *json_element(const char *s, int i)
{
    if (!s || *s != '[') return NULL;
    for (s = json_space(s + 1); *s != ']'; s = json_space(s + (*s == ','))) {
        if (i-- == 0) return s;
        s = json_space(json_value(s));
    }
    return NULL;
}

static int json_count(const char *s)
{
    int n = 0;
    while (json_element(s, n)) n++;
    return n;
}

#endif
