/* test_reader_units.c -- units of sums, relations, equations: warnings where they differ, and only there. */
#include "test/support/flat_text.h"

static int warnings(const char *equations, const char *said)
{
    char text[2000];
    flat_text t;
    snprintf(text, sizeof text,
             "model M Real l(unit = \"m\"), t(unit = \"s\"), v(unit = \"m/s\"), m(unit = \"kg\"), F(unit = \"N\"), E(unit = \"J\"),\n"
             "km(unit = \"km\"), a(unit = \"rad\"), w(unit = \"rad/s\"), none, one(unit = \"1\"), T(unit = \"degC\"), x[2](each unit = \"m\");\n"
             "Boolean b; constant Real g(unit = \"m/s2\") = 9.81;\nequation\n%s\nend M;", equations);
    flat_text_read(&t, text, NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    int count = source_warnings(t.s);
    if (said && !strstr(source_messages(t.s), said)) fail_msg("%s\nnot: %s", source_messages(t.s), said);
    flat_text_free(&t);
    return count;
}

static void differ(void **state)
{
    (void)state;
    assert_int_equal(warnings("none = l + t;", "test.mo:5:8: warning: the units in this sum differ: m and s\n"), 1);
    assert_int_equal(warnings("l = v;", "test.mo:5:1: warning: the units in this equation differ: m and m/s\n"), 1);
    assert_int_equal(warnings("b = l > t;", "relation differ: m and s"), 1);
    assert_int_equal(warnings("F = m*v;", "equation differ: N and m.kg.s-1"), 1);
    assert_int_equal(warnings("der(l) = l;", "equation differ: m/s and m"), 1);
    assert_int_equal(warnings("l = km;", "equation differ: m and km"), 1);
    assert_int_equal(warnings("none = if b then l else t;", "if-expression differ"), 1);
    assert_int_equal(warnings("x = {l, l} + x*t;", "sum differ"), 1);
    assert_int_equal(warnings("for i in 1:2 loop x[i] = t; end for;", "equation differ"), 1);
    assert_int_equal(warnings("none = min(l, t); v = sqrt(2*g*t);", NULL), 2);
}

static void agree(void **state)
{
    (void)state;
    assert_int_equal(warnings("F = m*g + m*der(v) - E/l; v = der(l); E = m*v^2/2 + m*g*l + F*l; l = v*t + 0.5*g*t^2;"
                              "v = sqrt(2*g*l); l = km/0.001; l = 1000*km; w = der(a); a = w*time; v = w*l; none = l; none = t + none;"
                              "one = sin(a) + 1; T = T + 1; l = if b then 0 else 2*l; b = time > 1; l = x*x/l; x = 2*x + zeros(2);"
                              "l = max(l, 0) + abs(l); t = time; v = l/t + noEvent(v); l = none*t;", NULL), 0);
    assert_int_equal(warnings("F = m*Modelica.Constants.g_n; l = 2*Modelica.Constants.pi*l;", NULL), 0);
}

static void unknown_units(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model M Real x(unit = \"furlong\"), y(unit = \"m\"); equation x = y; y = 1; end M;", NULL, NULL, 0);
    assert_int_equal(t.status, 0);
    assert_int_equal(source_warnings(t.s), 1);
    assert_non_null(strstr(source_messages(t.s), "test.mo:1:23: warning: the unit `furlong` is not known: it is not checked\n"));
    assert_string_equal(t.m->variable[0].unit, "furlong");
    flat_text_free(&t);
    static const char *const good[] = {"kg.m2/s2", "J/(kg.K)", "1/s", "s-1", "m3/(kg.s2)", "Ohm.m", "mV", "kW.h", "W/(m2.K4)", "%", "MPa", "1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[200];
        snprintf(text, sizeof text, "model M Real x(unit = \"%s\") = 1; end M;", good[i]);
        flat_text_read(&t, text, NULL, NULL, 0);
        if (t.status || source_warnings(t.s)) fail_msg("%s", source_messages(t.s));
        flat_text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differ), cmocka_unit_test(agree), cmocka_unit_test(unknown_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
