/* test_file.c -- methods from text files: what they may say, and what is said about wrong ones. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/expression.h"

static const char file[] = "test_file.method";

#include "test/method/files.h"

static void good_file(void **state)
{
    keel_method *m;
    (void)state;
    assert_int_equal(read_text(&m,
        "# Kutta's rule\r\n\r\n name : kutta-38   # comment\norder: 4\n"
        "citation: Kutta 1901: p. 435\n"
        "A:\n 0 0 0 0\n1/3,0,0,0\n-1/3 1 0 0 # row\n\n 1 -1 1 0\nb: 1/8 3/8\n   3/8 .125\n"
        "c: 0 1/3 2/3 1"), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(m);
    assert_string_equal(t->name, "kutta-38");
    assert_string_equal(t->citation, "Kutta 1901: p. 435");
    assert_int_equal(t->stages, 4);
    assert_int_equal(t->order, 4);
    assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_EXPLICIT);
    assert_true(t->A[4] == 1.0 / 3 && t->A[8] == -1.0 / 3 && t->A[13] == -1 && t->b[1] == 0.375);
    keel_method_free(m);
}

/* Every field that a table has can be written to a file and comes back the same. */
static void round_trip(void **state)
{
    const keel_tableau *t;
    (void)state;
    for (int k = 0; (t = method_table(k)); k++) {
        int s = t->stages, all = s + t->extra;
        FILE *f = fopen(file, "w");
        assert_non_null(f);
        fprintf(f, "name: %s\norder: %d\nhalf_explicit: %s\n", t->name, t->order,
                t->half_explicit ? "yes" : "no");
        if (t->dense) fprintf(f, "dense_order: %d\n", t->dense_order);
        put(f, "A", t->A, s, s);
        put(f, "b", t->b, 1, s);
        put(f, "c", t->c, s, 1);
        put(f, "b_hat", t->b_hat, 1, s);
        put(f, "b_second", t->b_second, 1, s);
        put(f, "A_extra", t->A_extra, t->extra, all);
        put(f, "c_extra", t->c_extra, 1, t->extra);
        put(f, "dense", t->dense, all, t->dense_degree);
        put(f, "dense_rest", t->dense_rest, all, t->dense_degree);
        put(f, "A_explicit", t->A_explicit, s, s);
        put(f, "corner", t->corner, 2, s);
        put(f, "A_constraint", t->A_constraint, s, s);
        put(f, "c_constraint", t->c_constraint, 1, s);
        fclose(f);
        keel_method *m;
        if (keel_method_read(&m, file)) fail_msg("%s", keel_method_message(m));
        const keel_tableau *u = keel_method_tableau(m);
        assert_string_equal(u->name, t->name);
        assert_int_equal(u->stages, s);
        assert_int_equal(u->extra, t->extra);
        same(u->A, t->A, s * s);
        same(u->b, t->b, s);
        if (t->c) same(u->c, t->c, s);
        same(u->b_hat, t->b_hat, s);
        same(u->b_second, t->b_second, s);
        same(u->A_extra, t->A_extra, t->extra * all);
        same(u->dense, t->dense, all * t->dense_degree);
        same(u->dense_rest, t->dense_rest, all * t->dense_degree);
        same(u->A_explicit, t->A_explicit, s * s);
        same(u->corner, t->corner, 2 * s);
        same(u->A_constraint, t->A_constraint, s * s);
        keel_method_free(m);
    }
    remove(file);
}

#define EULER "A: 0\nb: 1\n"

static void malformed(void **state)
{
    static const struct { const char *text, *message; } bad[] = {
        {"", "'A:' is missing"},
        {"\n\n# nothing\n", "'A:' is missing"},
        {"A: 0\n", "'b:' is missing"},
        {"b: 1\n", "'A:' is missing"},
        {"A:\nb: 1\n", ":1: A has 0 rows"},
        {"0 1\n", ":1: '0' belongs to no key"},
        {"hello world\n", ":1: 'hello' belongs to no key"},
        {"name: x\n1 2\n", ":2: '1' belongs to no key"},
        {EULER "b_hatt: 1\n", ":3: there is no key 'b_hatt'; did you mean 'b_hat'?"},
        {"ordre: 3\n", ":1: there is no key 'ordre'; did you mean 'order'?"},
        {": 3\n", ":1: there is no key ''"},
        {EULER "A: 1\n", ":3: A was given before, in line 1"},
        {"A:\n 0 0\n 1\nb: 1 0\n", ":3: row 2 of A has 1 numbers, the first row 2"},
        {"A:\n 0 0\nb: 1 0\n", ":1: A has 1 rows of 2 numbers"},
        {"A:\n 0 0\n1 0\nb: 1\n", ":4: b has 1 numbers instead of 2"},
        {"A:\n 0 0\n1 0\nb: 1/2 1/2\nc: 0 1 2\n", ":5: c has 3 numbers instead of 2"},
        {"A: 0\nb: one\n", ":2: 'one' is not a number"},
        {"A: 0\nb: 1..2\n", ":2: '1..2' is not a number"},
        {"A: 0\nb: 1/\n", ":2: '1/' is not a number"},
        {"A: 0\nb: 0x1\n", ":2: '0x1' is not a number"},
        {"A: 0\nb: nan\n", ":2: 'nan' is not a number"},
        {"A: 0\nb: inf\n", ":2: 'inf' is not a number"},
        {"A: 0\nb: (1\n", ":2: '(1' is not a number"},
        {"A: 0\nb: sqrt\n", ":2: 'sqrt' is not a number"},
        {"A: 0\nb: 1/0\n", ":2: '1/0' is not finite"},
        {"A: 0\nb: 0/0\n", ":2: '0/0' is not finite"},
        {"A: 0\nb: sqrt(-1)\n", ":2: 'sqrt(-1)' is not finite"},
        {"A: 0\nb: 1e999\n", ":2: '1e999' is not finite"},
        {EULER "order: 0\n", ":3: order must be one whole number"},
        {EULER "order: 1.5\n", ":3: order must be one whole number"},
        {EULER "order: 1 2\n", ":3: order must be one whole number"},
        {EULER "order:\n", ":3: '' is not a number"},
        {EULER "name:\n", ":3: name has no value"},
        {EULER "half_explicit: perhaps\n", ":3: half_explicit is yes or no, not 'perhaps'"},
        {EULER "A_constraint: 1 2\n", ":3: A_constraint has 1 rows of 2 numbers instead of 1 of 1"},
        {EULER "A_extra: 1\n", ":3: A_extra has 1 rows of 1 numbers instead of 1 of 2"},
        {EULER "A_extra:\n", ":3: A_extra has 0 rows"},
        {EULER "A_extra: 0 1\n", "a_extra_1,2 is not 0: extra stages must be explicit"},
        {EULER "c_extra: 1\n", ":3: c_extra has 1 numbers instead of 0"},
        {EULER "dense: 1\n2\n", ":3: dense has 2 rows of 1 numbers instead of 1 of 1"},
        {EULER "b_hat: 2\n", "the weights b_hat sum to 2 instead of 1"},
        {"A: 0\nb: 0.9\n", "the weights b sum to 0.9 instead of 1"},
        {"A:\n0 0\n1/2 0\nb: 0 1\nc: 0 1\n", "c of row 2 is 1, but the row of A sums to 0.5"},
        {"A:\n1/2 0\n1 1/2\nA_explicit:\n0 0\n1 0\nb: 1/2 1/2\nc: 0 1/2\n",
         "the row of A_explicit sums to 1:"},
        {"A:\xff\xfe 1\n", ":1: '\?\?' is not a number"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        keel_method *m;
        assert_int_equal(read_text(&m, bad[k].text), KEEL_BAD_ARGUMENT);
        const char *said = keel_method_message(m);
        if (strncmp(said, file, strlen(file)) != 0 || !strstr(said, bad[k].message))
            fail_msg("'%s' gives '%s'", bad[k].text, said);
        keel_method_free(m);
    }
}

static void unreadable(void **state)
{
    keel_method *m;
    (void)state;
    assert_int_equal(keel_method_read(NULL, file), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_read(&m, NULL), KEEL_BAD_ARGUMENT);
    keel_method_free(m);
    assert_int_equal(keel_method_read(&m, "no/such/file"), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_method_message(m), "cannot open no/such/file"));
    keel_method_free(m);
    assert_int_equal(keel_method_read(&m, "."), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_method_message(m), "cannot"));
    keel_method_free(m);
    write_bytes("A: 0\0b: 1", 10);
    assert_int_equal(keel_method_read(&m, file), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_method_message(m), "not a text file"));
    keel_method_free(m);
    remove(file);
}

/* Long lines, deep parentheses, too many numbers, too large a file: a message, nothing worse. */
static void enormous(void **state)
{
    static const struct { const char *start, *piece, *message; size_t count; } huge[] = {
        {"A: 0\nb: ", "(", "is not a number", 100000},
        {"A: 0\nb: ", "-", "is not a number", 100000},
        {"A: 0\nb: ", "1", "is not finite", 100000},
        {"A: ", "0 ", "more than", 100000},
        {"A:\n", "0\n", "more than", 100000},
        {"", "x", "belongs to no key", 100000},
        {"", "x:", "there is no key", 100000},
        {"# ", "comment ", "too large", 300000},
        {"A:\n", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
         "'b:' is missing", 33},
    };
    (void)state;
    for (size_t k = 0; k < sizeof huge / sizeof huge[0]; k++) {
        size_t piece = strlen(huge[k].piece), at = strlen(huge[k].start);
        char *text = malloc(at + piece * huge[k].count + 1);
        assert_non_null(text);
        memcpy(text, huge[k].start, at);
        for (size_t i = 0; i < huge[k].count; i++, at += piece)
            memcpy(text + at, huge[k].piece, piece);
        text[at] = '\0';
        keel_method *m;
        assert_int_equal(read_text(&m, text), KEEL_BAD_ARGUMENT);
        if (!strstr(keel_method_message(m), huge[k].message))
            fail_msg("%zu: %s", k, keel_method_message(m));
        keel_method_free(m);
        free(text);
    }
}

/* Whatever bytes a file has, reading it ends in a method or a message. */
static void noise(void **state)
{
    static const char letters[] = "Ab_c:hat0123./*-+() \n\tsqrt#,order\x01\xc3";
    unsigned seed = 2463534242u;
    (void)state;
    for (int k = 0; k < 3000; k++) {
        char text[200];
        size_t length = 0;
        memcpy(text, EULER, sizeof EULER);
        length = k % 2 ? strlen(EULER) : 0;
        for (; length < 40 + (size_t)(k % 150); length++) {
            seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
            text[length] = letters[seed % (sizeof letters - 1)];
        }
        write_bytes(text, length);
        keel_method *m;
        int rc = keel_method_read(&m, file);
        assert_non_null(m);
        assert_true(rc == KEEL_OK || strlen(keel_method_message(m)) > 10);
        keel_method_free(m);
    }
    remove(file);
}

static void expressions(void **state)
{
    static const struct { const char *text; double value; int left; } known[] = {
        {"1/3", 1.0 / 3, 0}, {"-1/3", -1.0 / 3, 0}, {"2*3-4/2", 4, 0}, {"1-2-3", -4, 0},
        {"12/2/3", 2, 0}, {"sqrt(2)", 1.4142135623730951, 0}, {"(16-sqrt(6))/36", NAN, 0},
        {"( 1 + 2 ) * 3", 3, 4}, {"--1", 1, 0}, {"1e-3", 1e-3, 0}, {".5", 0.5, 0}, {"5.", 5, 0},
        {"1 2", 1, 2}, {"1,2", 1, 2}, {"2*-3", -6, 0}, {"+4", 4, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const char *at = known[k].text;
        double value = 0, expected = isnan(known[k].value) ? 0.37640306270046725 : known[k].value;
        assert_true(parse_expression(&at, &value));
        assert_true(value == expected);
        assert_int_equal(strlen(at), known[k].left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_file),  cmocka_unit_test(round_trip), cmocka_unit_test(malformed),
        cmocka_unit_test(unreadable), cmocka_unit_test(enormous),   cmocka_unit_test(noise),
        cmocka_unit_test(expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
