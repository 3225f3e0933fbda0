/* test_reader_scalars.c -- declarations, equations and expressions of scalars, as a flat model. */
#include "test/support/flat_text.h"

static void equations(void **state)
{
    (void)state;
    flat_expect_model("Real x, v; parameter Real k = 2;", "der(x) = v; der(v) = -k*x - 0.5*v;",
                      "der(x) = v\nder(v) = (-(k*x)-(0.5*v))\n");
    flat_expect_model("Real x;", "der(der(x)) = -x; x + 0*time = 1*x - 0;",
                      "der(der(x)) = -x\nx = x\n");
    flat_expect_model("Real x, y;", "der(x*y) = x^2/y; x - y - 1 = x/y/2*3;",
                      "der((x*y)) = ((x^2)/y)\n((x-y)-1) = (((x/y)/2)*3)\n");
    flat_expect_model("Real x = time; Real y = -(-x);", "", "x = time\ny = x\n");
    flat_expect_model("Real x;", "-x^2 = (-x)^2; 2^(-1) = x;", "-(x^2) = (-x^2)\n0.5 = x\n");
}

/* A text that is no parameter, but has a value, cannot change: it is taken for one. */
static void texts(void **state)
{
    (void)state;
    flat_expect_model("String label = \"a\"; Real x = time;", "assert(x < 1, label + \"b\");",
                      "x = time\nassert (x<1) \"ab\"\n");
}

static void functions(void **state)
{
    (void)state;
    flat_expect_model("Real x;",
                      "sin(x) = cos(x); tan(x) = asin(x); acos(x) = atan(x); atan2(x, 2) = sinh(x);"
                      "cosh(x) = tanh(x); exp(x) = log(x); log10(x) = sqrt(x); abs(x) = sign(x);"
                      "floor(x) = ceil(x); integer(x) = div(x, 2); mod(x, 3) = rem(x, 4); min(x, 1) = max(2, x);",
                      "sin(x) = cos(x)\ntan(x) = asin(x)\nacos(x) = atan(x)\natan2(x, 2) = sinh(x)\n"
                      "cosh(x) = tanh(x)\nexp(x) = log(x)\nlog10(x) = sqrt(x)\nabs(x) = sign(x)\n"
                      "floor(x) = ceil(x)\nfloor(x) = div(x, 2)\nmod(x, 3) = rem(x, 4)\nmin(x, 1) = max(2, x)\n");
    flat_expect_model("Real x;", "noEvent(x) = smooth(1, x); homotopy(x, 2) = homotopy(simplified = 1, actual = x);"
                      "semiLinear(x, 2, 3) = Modelica.Math.sin(x);",
                      "noEvent(x) = smooth(1, x)\nhomotopy(x, 2) = homotopy(x, 1)\n"
                      "(if (0<=x) then (2*x) else (3*x)) = sin(x)\n");
}

static void logic(void **state)
{
    (void)state;
    flat_expect_model("Real x; Boolean a, b, c;",
                      "a = x < 1 and not x >= 2 or b; b = x == 1; c = if a then x > 1 elseif b then true else false;",
                      "a = (((x<1) and not (2<=x)) or b)\nb = (x==1)\n"
                      "c = (if a then (1<x) else (if b then 1 else 0))\n");
    /* Integers and Booleans decide while reading, numbers in the run */
    flat_expect_model("Real x; parameter Boolean p = true;", "x = if p then 1 else 2;", "x = 1\n");
    flat_expect_model("Real x; parameter Real p = 1;", "x = if p > 0 then 1 else 2;",
                      "x = (if (0<p) then 1 else 2)\n");
}

static void types(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t,
        "type E = enumeration(low, high \"comment\");\n"
        "type Angle = Real(unit = \"rad\", displayUnit = \"deg\", min = -4);\n"
        "model M \"says what\"\n"
        "  constant Real c = 2*3; parameter Integer n = 2 + 1; parameter Boolean b = not false;\n"
        "  parameter E e = E.high; parameter String s = \"a\" + \"b\"; final parameter Real f(fixed = true) = n/2;\n"
        "  Angle phi(start = c + n, fixed = true, max = 4, nominal = 0.1, stateSelect = StateSelect.prefer) \"angle\";\n"
        "  discrete Real d(start = 1); Integer i; Boolean on; E mode; input Real u; output Real y;\n"
        "  protected Real hidden;\n"
        "  annotation(experiment(StartTime = 1, StopTime = 2*5, Interval = 0.5, Tolerance = 1e-4));\n"
        "end M;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    const flat_model *m = t.m;
    assert_string_equal(m->name, "M");
    assert_string_equal(m->comment, "says what");
    assert_true(flat_parameter(m, "c") == 6 && flat_parameter(m, "n") == 3 && flat_parameter(m, "b") == 1);
    assert_true(flat_parameter(m, "e") == 2 && flat_parameter(m, "f") == 1.5);
    assert_int_equal(flat_find(m, "s"), -1);
    const flat_variable *v = &m->variable[flat_find(m, "phi")];
    assert_string_equal(v->unit, "rad");
    assert_string_equal(v->display_unit, "deg");
    assert_string_equal(v->comment, "angle");
    assert_true(v->fixed == 1 && v->select == SELECT_PREFER && v->variability == FLAT_CONTINUOUS);
    assert_true(flat_number(m, v->start, NULL) == 9 && flat_number(m, v->min, NULL) == -4);
    assert_true(flat_number(m, v->max, NULL) == 4 && flat_number(m, v->nominal, NULL) == 0.1);
    v = &m->variable[flat_find(m, "e")];
    assert_true(v->type == FLAT_ENUMERATION && v->literal_count == 2);
    assert_string_equal(v->literals[1], "high");
    assert_int_equal(m->variable[flat_find(m, "d")].variability, FLAT_DISCRETE);
    assert_int_equal(m->variable[flat_find(m, "i")].type, FLAT_INTEGER);
    assert_int_equal(m->variable[flat_find(m, "on")].variability, FLAT_DISCRETE);
    assert_int_equal(m->variable[flat_find(m, "mode")].type, FLAT_ENUMERATION);
    assert_true(m->variable[flat_find(m, "u")].input && m->variable[flat_find(m, "y")].output);
    assert_true(m->variable[flat_find(m, "hidden")].hidden && !v->hidden && v->fixed == -1);
    assert_true(m->experiment.start == 1 && m->experiment.stop == 10 && m->experiment.interval == 0.5);
    assert_true(m->experiment.tolerance == 1e-4);
    flat_text_free(&t);
}

static void if_equations(void **state)
{
    (void)state;
    const char *text = "if p > 1 then x = 1; elseif p > 0 then x = 2; else x = 3; end if;";
    flat_expect_model("parameter Real p = 2; Real x;", text, "x = 1\n");
    flat_expect_model("parameter Real p = 0.5; Real x;", text, "x = 2\n");
    flat_expect_model("parameter Real p = 0; Real x;", text, "x = 3\n");
    flat_expect_model("Real p = time; Real x;", text,
                      "p = time\nx = (if (1<p) then 1 else (if (0<p) then 2 else 3))\n");
    flat_expect_model("Real x, y; Boolean b = time > 1;",
                      "if b then x = 1; y + x = 2; else y - 1 = 3; x = 4; end if;",
                      "b = (1<time)\n(if b then x else (y-1)) = (if b then 1 else 3)\n"
                      "(if b then (y+x) else x) = (if b then 2 else 4)\n");
    flat_expect_model("Real x, y;", "if time > 1 then x = 1; y = 2; else y = 3; x = 4; end if;",
                      "x = (if (1<time) then 1 else 4)\ny = (if (1<time) then 2 else 3)\n");
    flat_expect_model("Real x = 1;", "if x > 2 then assert(x < 3, \"m\"); end if;"
                      "assert(x > 0, \"w\", AssertionLevel.warning);",
                      "x = 1\nassert (not (2<x) or (x<3)) \"m\"\nassert (0<x) \"w\" warning\n");
    flat_expect_model("parameter Integer n = 0; Real x;", "if n == 0 then x = 1; else x = 1/n; y = 2; end if;",
                      "x = 1\n");
}

static void overrides(void **state)
{
    (void)state;
    const char *text = "model M parameter Real a = 1, b = 2*a; parameter Integer n = 2; Real x[n](each start = 0);\n"
                       "parameter Real p[2] = {1, 2}; final parameter Real f = 3;\n"
                       "equation for i in 1:n loop der(x[i]) = i*b; end for; end M;";
    flat_override o[] = {{"a", "5/2"}, {"n", "3"}, {"x[2]", "7"}, {"p", "{3, 4}"}, {"p[2]", "9"}};
    flat_text t;
    flat_text_read(&t, text, NULL, o, 5);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_true(flat_parameter(t.m, "a") == 2.5 && flat_parameter(t.m, "b") == 5);
    assert_int_equal(t.m->equations, 3);
    assert_true(flat_number(t.m, t.m->variable[flat_find(t.m, "x[2]")].start, NULL) == 7);
    assert_true(flat_number(t.m, t.m->variable[flat_find(t.m, "x[3]")].start, NULL) == 0);
    assert_true(flat_parameter(t.m, "p[1]") == 3 && flat_parameter(t.m, "p[2]") == 9);
    assert_true(t.m->variable[flat_find(t.m, "n")].structural);
    assert_false(t.m->variable[flat_find(t.m, "a")].structural);
    flat_text_free(&t);
    static const flat_override wrong[][1] = {{{"c", "1"}}, {{"a", "1 +"}}, {{"a", "true"}}, {{"f", "2"}}, {{"n", "x"}}};
    static const char *const said[] = {
        "error: the model has no parameter or variable `c`\n",
        "a:1:4: error: expected an expression, but the text ends here\n",
        "a:1:1: error: the parameter `a` is Real, but this value is Boolean\n",
        "f:1:1: error: `f` is final and cannot be changed\n", "n:1:1: error: `x` is not declared\n"};
    for (int i = 0; i < 5; i++) {
        flat_text_read(&t, text, NULL, wrong[i], 1);
        assert_int_not_equal(t.status, 0);
        const char *all = source_messages(t.s);
        if (strncmp(all, said[i], strlen(said[i]))) fail_msg("%s instead of %s", all, said[i]);
        flat_text_free(&t);
    }
}

static void which_class(void **state)
{
    (void)state;
    const char *text = "within P; model A Real x = 1; end A; package Q model B Real y = 2; end B; end Q;\n"
                       "partial model C Real z = 3; end C;";
    flat_text t;
    flat_text_read(&t, text, NULL, NULL, 0);
    assert_int_equal(t.status, 0);
    assert_string_equal(t.m->name, "B");
    flat_text_free(&t);
    flat_text_read(&t, text, "A", NULL, 0);
    assert_string_equal(flat_shown(&t), "x = 1\n");
    flat_text_free(&t);
    flat_text_read(&t, text, "Q.B", NULL, 0);
    assert_string_equal(flat_shown(&t), "y = 2\n");
    flat_text_free(&t);
    flat_text_read(&t, text, "C", NULL, 0);
    assert_non_null(strstr(source_messages(t.s), "test.mo:2:15: error: `C` is partial: it cannot be run"));
    flat_text_free(&t);
    flat_text_read(&t, text, "Q.D", NULL, 0);
    assert_string_equal(source_messages(t.s), "error: there is no class `D` in `Q`\n");
    flat_text_free(&t);
}

/* Base Modelica: a package around one model, quoted names. */
static void base_modelica(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "//! base 0.1.0\npackage 'Pendulum'\n  model 'Pendulum' \"c\"\n"
                       "    parameter Real 'arm.L' = 1; Real 'arm.joint[2].phi'(start = 0.1);\n"
                       "  equation\n    der('arm.joint[2].phi') = -'arm.L';\n  end 'Pendulum';\nend 'Pendulum';\n",
                   NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_string_equal(flat_shown(&t), "der(arm.joint[2].phi) = -arm.L\n");
    flat_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations), cmocka_unit_test(texts), cmocka_unit_test(functions), cmocka_unit_test(logic),
        cmocka_unit_test(types), cmocka_unit_test(if_equations), cmocka_unit_test(overrides),
        cmocka_unit_test(which_class), cmocka_unit_test(base_modelica)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
