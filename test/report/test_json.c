/* test_json.c -- what the JSON writer writes, character by character. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/json.h"
#include "report/number.h"

static char *text;
static size_t length;

static json_writer open_writer(void)
{
    return (json_writer){.file = open_memstream(&text, &length)};
}

static void expect(json_writer *w, const char *expected)
{
    fclose(w->file);
    assert_string_equal(text, expected);
    free(text);
    text = NULL;
}

static void objects_nest(void **state)
{
    (void)state;
    json_writer w = open_writer();
    json_begin_object(&w, NULL);
    json_string(&w, "name", "keel");
    json_begin_object(&w, "stats");
    json_integer(&w, "steps", 7);
    json_bool(&w, "done", true);
    json_end_object(&w);
    json_numbers(&w, "y", (const double[]){1, -0.5}, 2);
    json_end_object(&w);
    expect(&w, "{\n  \"name\": \"keel\",\n  \"stats\": {\"steps\": 7, \"done\": true},\n"
               "  \"y\": [1, -0.5]\n}\n");
}

static void empty_ones_are_valid(void **state)
{
    (void)state;
    json_writer w = open_writer();
    json_begin_object(&w, NULL);
    json_end_object(&w);
    expect(&w, "{}\n");

    w = open_writer();
    json_begin_array(&w, NULL);
    json_strings(&w, NULL, NULL, 0);
    json_begin_object(&w, NULL);
    json_end_object(&w);
    json_end_array(&w);
    expect(&w, "[\n  [],\n  {}\n]\n");
}

static void strings_are_escaped(void **state)
{
    (void)state;
    json_writer w = open_writer();
    json_string(&w, NULL, "a\"b\\c\n\t\r\b\f\x01 \xc3\xa9\xe2\x89\xa4\xf0\x9f\x9a\xa2");
    expect(&w, "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001 \\u00e9\\u2264\\ud83d\\udea2\"");
}

static void broken_utf8_is_replaced(void **state)
{
    (void)state;
    /* a lone continuation, an overlong '/', a surrogate, a truncated sequence */
    static const struct { const char *given, *expected; } cases[] = {
        {"\x80", "\"\\ufffd\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"x\xe2\x82", "\"x\\ufffd\\ufffd\""},
        {"\xe2\x82\xac", "\"\\u20ac\""},
        {"\xf0\x9f\x9a\xa2", "\"\\ud83d\\udea2\""},
        /* the first and the last sequences of each length, and those beside them */
        {"\xdf\xbf", "\"\\u07ff\""},
        {"\xe0\xa0\x80", "\"\\u0800\""},
        {"\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\x9f\xbf", "\"\\ud7ff\""},
        {"\xef\xbf\xbf", "\"\\uffff\""},
        {"\xf0\x90\x80\x80", "\"\\ud800\\udc00\""},
        {"\xf0\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x8f\xbf\xbf", "\"\\udbff\\udfff\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_writer w = open_writer();
        json_string(&w, NULL, cases[i].given);
        expect(&w, cases[i].expected);
    }
}

static void what_json_lacks_is_null(void **state)
{
    (void)state;
    json_writer w = open_writer();
    json_begin_object(&w, NULL);
    json_begin_array(&w, "x");
    json_number(&w, NULL, NAN);
    json_number(&w, NULL, -INFINITY);
    json_string(&w, NULL, NULL);
    json_end_array(&w);
    json_end_object(&w);
    expect(&w, "{\n  \"x\": [null, null, null]\n}\n");
}

/* Every double reads back as itself; those with a short decimal form print it. */
static void numbers_survive(void **state)
{
    (void)state;
    static const double values[] = {0.1, 1.0 / 3, 2.0 / 3, 1e22, 5e-324, 1.7976931348623157e308,
                                    -0.0, 123456789.123456789, 9007199254740993.0, 6.02214076e23};
    char number[NUMBER_LENGTH];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(strtod(number_format(number, values[i]), NULL) == values[i]);
    uint64_t random = 88172645463325252u;                  /* xorshift64 */
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const double value = ldexp((double)random, (int)(random % 1200) - 660);
        assert_true(strtod(number_format(number, value), NULL) == value);
    }
    assert_string_equal(number_format(number, 0.1), "0.1");
    assert_string_equal(number_format(number, 20), "20");
    assert_string_equal(number_format(number, 1e-6), "1e-06");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_nest), cmocka_unit_test(empty_ones_are_valid),
        cmocka_unit_test(strings_are_escaped), cmocka_unit_test(broken_utf8_is_replaced),
        cmocka_unit_test(what_json_lacks_is_null), cmocka_unit_test(numbers_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
