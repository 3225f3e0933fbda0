/* test_reader_limits.c -- models that ask for too much are refused by name; no input is too deep or too long. */
#include "test/support/flat_text.h"

#include "model/read.h"

static void too_large(void **state)
{
    (void)state;
    flat_refuse("model M\n  Real huge[1000000, 1000000];\nend M;",
                "test.mo:2:8: error: `huge` has 1e+12 elements, more than the 1000000 that can be read\n");
    flat_refuse("model M parameter Integer n = 1000000000000; Real x[n]; end M;", "test.mo:1:51: error: `x` has 2.15e+09 elements");
    flat_refuse("model A Real x[5000]; end A; model B A a[50]; end B; model M B b[50]; end M;", "test.mo:1:14: error: with `b[5].a[1].x` the model has more than the 1000000 scalars");
    flat_refuse("model M Real x = sum(zeros(100000, 100000)); end M;", "test.mo:1:22: error: `zeros` has 1e+10 elements, more than can be read\n");
    flat_refuse("model M Real x = sum(i for i in 1:1000000000000); end M;", "test.mo:1:33: error: this range has 1e+12 elements\n");
    flat_refuse("model M Real x = sum(zeros(100000)*[1]); end M;", "test.mo:1:");
    flat_refuse("model M Real x[2000]; Real s; equation s = sum(outerProduct(ones(100000), ones(100000))); end M;",
                "test.mo:1:48: error: `outerProduct` has 1e+10 elements, more than can be read\n");
}

/* 10^5 of one character that opens something, or of one that goes on. */
static void repeat(const char *before, const char *what, const char *after, int count, int right)
{
    size_t length = strlen(what);
    char *text = malloc(strlen(before) + (size_t)count * length + strlen(after) + 1), *at = text;
    flat_text t;
    assert_non_null(text);
    at += sprintf(at, "%s", before);
    for (int i = 0; i < count; i++, at += length) memcpy(at, what, length);
    strcpy(at, after);
    flat_text_read(&t, text, NULL, NULL, 0);
    if ((t.status == 0) != right) fail_msg("%s%s%s...: %.300s", before, what, what, source_messages(t.s));
    flat_text_free(&t);
    free(text);
}

static void deep_and_long(void **state)
{
    (void)state;
    repeat("model M Real x = ", "(", "1", 100000, 0);
    repeat("model M Real x = ", "{", "1", 100000, 0);
    repeat("model M Real x = ", "[", "1", 100000, 0);
    repeat("model M Real x = ", "sin(", "1", 100000, 0);
    repeat("model M Real x = ", "if true then ", "1", 100000, 0);
    repeat("model M Real x; equation ", "if true then ", "x = 1;", 100000, 0);
    repeat("model M Real x", "(start", "", 100000, 0);
    repeat("", "model M ", "", 100000, 0);
    repeat("model M Real x(", "a.", "b = 1); end M;", 100000, 0);
    repeat("", ";", "", 100000, 0);
    repeat("model M Real x = 1", " + time", "; end M;", 100000, 1);
    repeat("model M Real x = 1", "*time", "; end M;", 100000, 1);
    repeat("model M Boolean x = true", " or time > 1", "; end M;", 100000, 1);
    repeat("model M Real x = time; equation ", "x = 1;", " end M;", 100000, 1);
    repeat("model M Real x = if time > 1 then 1", " elseif time > 2 then 3", " else 2; end M;", 2000, 1);
    repeat("model M ", "Real x;", " end M;", 3000, 0);
}

static void chains_of_classes(void **state)
{
    (void)state;
    char *text = malloc(200000), *at = text;
    flat_text t;
    assert_non_null(text);
    at += sprintf(at, "model A0 Real x = 1; end A0;");
    for (int i = 1; i < 3000; i++) at += sprintf(at, "model A%d extends A%d; end A%d;", i, i - 1, i);
    flat_text_read(&t, text, NULL, NULL, 0);
    assert_true(t.status && strstr(source_messages(t.s), "nested too deeply"));
    flat_text_free(&t);
    at = text + sprintf(text, "model A0 Real x = 1; end A0;");
    for (int i = 1; i < 50; i++) at += sprintf(at, "model A%d A%d a, b; end A%d;", i, i - 1, i);
    flat_text_read(&t, text, NULL, NULL, 0);                 /* 2^49 components */
    assert_true(t.status && strstr(source_messages(t.s), "error: "));
    flat_text_free(&t);
    free(text);
}

/* All bytes, and all pairs of bytes with a quote. */
static void bytes(void **state)
{
    (void)state;
    for (int a = 0; a < 256; a++) {
        char text[40] = "model M Real x = 1?2; end M;";
        text[18] = (char)a;
        source *s = source_create();
        flat_model *m;
        assert_int_equal(source_add(s, "bytes", text, 28), 0);
        flat_read(&m, s, 0, NULL, NULL, 0);
        for (const char *c = source_messages(s); *c; c++) assert_true((unsigned char)*c >= ' ' || *c == '\n');
        flat_free(m);
        source_free(s);
    }
}

static void own_limits(void **state)
{
    (void)state;
    static const limits little = {.scalars = 100, .work = 1000, .memory = (size_t)1 << 22};
    static const struct { const char *text, *said; } given[] = {
        {"model M Real x[101]; end M;", "`x` has 101 elements"},
        {"model M Real x[60], y[60]; end M;", "with `y` the model has more than the 100 scalars"},
        {"model M Real x; equation for i in 1:99, j in 1:99 loop x = i; end for; end M;", "more than"},
        {"function f input Integer n; output Integer y; algorithm y := n; while y > 0 loop y := y + 1; end while; end f;"
         "model M parameter Real p = f(1); end M;", "takes more than 1e+03 operations"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        source *s = source_create();
        flat_model *m;
        assert_int_equal(source_add(s, "t", given[i].text, strlen(given[i].text)), 0);
        assert_int_not_equal(flat_read_within(&m, s, 0, NULL, NULL, 0, &little), 0);
        if (!strstr(source_messages(s), given[i].said)) fail_msg("%s", source_messages(s));
        source_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_large), cmocka_unit_test(deep_and_long), cmocka_unit_test(chains_of_classes),
        cmocka_unit_test(bytes), cmocka_unit_test(own_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
