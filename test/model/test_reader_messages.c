/* test_reader_messages.c -- what is said of wrong models: place, what is wrong, what was meant. */
#include "test/support/flat_text.h"

typedef struct wrong { const char *text, *said; } wrong;

static void refuse_all(const wrong *w, size_t count)
{
    for (size_t i = 0; i < count; i++) flat_refuse(w[i].text, w[i].said);
}
#define REFUSE(list) refuse_all(list, sizeof list / sizeof *list)

static void caret(void **state)
{
    (void)state;
    flat_refuse("model Pendulum\n  parameter Real length = 1;\n  Real x, y;\nequation\n  x^2 + y^2 = lenght^2;\nend Pendulum;\n",
                "test.mo:5:15: error: `lenght` is not declared; did you mean `length`?\n"
                "    5 |   x^2 + y^2 = lenght^2;\n"
                "      |               ^~~~~~\n");
    /* columns count characters, control characters are shown as escapes */
    flat_refuse("model M \"\xc3\xa9\"\n  Real \tx = /* \xc3\xa9\x01 */ y;\nend M;",
                "test.mo:2:22: error: `y` is not declared\n"
                "    2 |   Real  x = /* \xc3\xa9\\x01 */ y;\n      |                         ^\n");
}

static void syntax(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"", "test.mo:1:1: error: there is no model in this text\n"},
        {"hello", "test.mo:1:1: error: expected `model` or another class, but found `hello`\n"},
        {"model M\n  Real x\nequation\n  x = 1;\nend M;", "test.mo:2:9: error: expected `;` after the declaration, but found `equation`\n"},
        {"model M Real x; equation\n  x = 1 +;\nend M;", "test.mo:2:10: error: expected an expression, but found `;`\n"},
        {"model M Real x; equation\n  x := 1;\nend M;", "test.mo:2:5: error: expected `=`: in an equation section there are equations, but found `:=`\n"},
        {"model M Real x; algorithm\n  x = 1;\nend M;", "test.mo:2:5: error: expected `:=`: in an algorithm values are assigned, but found `=`\n"},
        {"model M Real x; equation\n  x;\nend M;", "test.mo:2:4: error: expected `=`, but found `;`\n"},
        {"model M\n  x = 1;\nend M;", "test.mo:2:5: error: expected a type and a name; equations stand after the word `equation`, but found `=`\n"},
        {"model M\nend N;", "test.mo:2:5: error: expected `end M`, but found `N`\n"},
        {"model M Real x;", "test.mo:1:16: error: expected `end M`, but the text ends here\n"},
        {"model M Real x; equation\n if x > 1 then x = 1; end for;\nend M;", "test.mo:2:23: error: expected `end if`, but found `end`\n"},
        {"model M Real x; equation x = (1 + 2; end M;", "test.mo:1:36: error: expected `)`, but found `;`\n"},
        {"model M Real x = sin(1, ); end M;", "test.mo:1:25: error: expected an argument after the comma, but found `)`\n"},
        {"model M Real x = 2^3^4; end M;", "test.mo:1:21: error: expected parentheses: `a^b^c` has no meaning, write `(a^b)^c` or `a^(b^c)`, but found `^`\n"},
        {"model M Boolean b = 1 < 2 < 3; end M;", "test.mo:1:27: error: expected `and`: relations are not chained, but found `<`\n"},
        {"model M Real x = 1 != 2; end M;", "test.mo:1:20: error: unequal is written `<>`\n"},
        {"model M Real x = 1 # 2; end M;", "test.mo:1:20: error: the character `#` has no meaning here\n"},
        {"model M /* Real x;", "test.mo:1:9: error: this comment has no end: `*/` is missing\n"},
        {"model M \"abc", "test.mo:1:9: error: the closing \" is missing\n"},
        {"model M Real 'x; end M;", "test.mo:1:14: error: the closing ' of this name is missing\n"},
        {"model M Real x = 1e999; end M;", "test.mo:1:18: error: this number is too large: the largest is 1.8e308\n"},
        {"model M Real x; equation for i 1:3 loop end for; end M;", "test.mo:1:32: error: expected `loop` after the range, but found `1`\n"},
        {"model M Real x = if true then 1; end M;", "test.mo:1:32: error: expected `else` of the if-expression, but found `;`\n"},
        {"model M Real x(start 1); end M;", "test.mo:1:22: error: expected `)` after the modifications, but found `1`\n"},
        {"model M redeclare Real x; end M;", "test.mo:1:9: error: `redeclare` is not supported yet\n"},
        {"model M partition \"p\"; end M;", "test.mo:1:9: error: `partition` is not supported yet\n"},
        {"model A end A; model M A a(redeclare Real x); end M;", "test.mo:1:28: error: `redeclare` is not supported yet\n"},
    };
    REFUSE(list);
}

static void several(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model M\n  Real x = ;\n  Real y;\nequation\n  y = 1 +;\n  x = (2;\n  y = 3;\nend M;", NULL, NULL, 0);
    const char *said = source_messages(t.s);
    assert_int_equal(source_errors(t.s), 3);
    assert_true(strstr(said, "test.mo:2:12:") && strstr(said, "test.mo:5:10:") && strstr(said, "test.mo:6:9:"));
    flat_text_free(&t);
    flat_text_read(&t, "model M\n  Real x = a;\n  Reel y;\nequation\n  b = 1;\n  sqr(x) = 2;\nend M;", NULL, NULL, 0);
    said = source_messages(t.s);
    assert_int_equal(source_errors(t.s), 4);
    assert_non_null(strstr(said, "test.mo:3:3: error: there is no class `Reel`; did you mean `Real`?"));
    assert_non_null(strstr(said, "test.mo:6:3: error: there is no function `sqr`; did you mean `sqrt`?"));
    flat_text_free(&t);
}

static void names_(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"model R parameter Real R = 1; end R; model M R r(r = 2); end M;", "test.mo:1:50: error: `R` has no component `r`"},
        {"model M Real x(strat = 1); end M;", "test.mo:1:16: error: Real has no attribute `strat`; did you mean `start`?\n"},
        {"record P Real phi; end P; model M P p; Real x = p.phii; end M;", "test.mo:1:51: error: `p` has no component `phii`; did you mean `phi`?\n"},
        {"model M Real x; Real y = x.z; end M;", "test.mo:1:28: error: `x` is Real and has no component `z`\n"},
        {"model M Real x; Integer x; end M;", "test.mo:1:25: error: `x` is declared twice\n"},
        {"model M end M; model M end M;", "test.mo:1:22: error: the class `M` is defined twice\n"},
        {"type E = enumeration(low, high); model M parameter E e = E.hihg; end M;", "test.mo:1:60: error: `E` has no literal `hihg`; did you mean `high`?\n"},
        {"package P end P; model M Real x = P.k; end M;", "test.mo:1:37: error: `P` has no constant `k`\n"},
        {"model M Real x = Modelica.Math.sine(1); end M;", "test.mo:1:32: error: there is no class `sine` in `Modelica.Math`; did you mean `sin`?\n"},
        {"model M P p; end M;", "test.mo:1:9: error: there is no class `P`"},
        {"package P end P; model M P p; end M;", "test.mo:1:28: error: `P` is a package, not a type of components\n"},
        {"partial model A end A; model M A a; end M;", "test.mo:1:34: error: `A` is partial: it cannot be the type of `a`\n"},
        {"model A end A; model M A a = 1; end M;", "test.mo:1:30: error: `a` is a model: it has components, not a value\n"},
        {"model A final parameter Real p = 1; end A; model M A a(p = 2); end M;", "test.mo:1:56: error: `p` is final and cannot be modified\n"},
        {"model A parameter Real p = 1; end A; model B extends A(final p = 2); end B; model M B b(p = 3); end M;",
         "test.mo:1:89: error: `p` was given a final value and cannot be modified\n"},
        {"model M outer Real x; end M;", "test.mo:1:20: error: there is no `inner` component `x` around this `outer` one\n"},
        {"model A Real y = 1; end A; model M A a if false; Real x = a.y; end M;", "test.mo:1:59: error: `a` is not there: its condition is false\n"},
    };
    REFUSE(list);
}

static void types_and_dimensions(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"model M Real x[2]; Real y; equation\n y = x;\nend M;", "test.mo:2:2: error: the left side is a scalar, the right side [2]\n"},
        {"model M Real x[2], y[3]; equation x + y = x; end M;", "test.mo:1:35: error: `+` of [2] and [3]\n"},
        {"model M Real A[2, 3], y[2]; equation A*y = y; end M;", "test.mo:1:38: error: `*` of [2, 3] and [2]\n"},
        {"model M Real x[2]; equation x[3] = 1; end M;", "test.mo:1:31: error: subscript 3 is outside of 1 to 2\n"},
        {"model M Real x[2]; equation x[0] = 1; end M;", "test.mo:1:31: error: subscript 0 is outside of 1 to 2\n"},
        {"model M Real x[2]; equation x[1, 2] = 1; end M;", "test.mo:1:29: error: `x` has 1 dimension, but 2 subscripts\n"},
        {"model M Real x; equation x[1] = 1; end M;", "test.mo:1:26: error: `x` is no array\n"},
        {"model M Real x[2]; equation x[1.5] = 1; end M;", "test.mo:1:31: error: a subscript must be an Integer, not Real\n"},
        {"model M Real x[2.5]; end M;", "test.mo:1:16: error: this must be a single Integer, not Real\n"},
        {"model M Real x[-1]; end M;", "test.mo:1:16: error: the size of `x` is -1\n"},
        {"model M Real y = 1; Integer n = 2; Real x[n]; end M;", "test.mo:1:43: error: this must be known before the run: an Integer of parameters and constants\n"},
        {"model M parameter Integer n; Real x[n]; end M;", "test.mo:1:37: error: the parameter `n` has no value, but reading depends on it\n"},
        {"model M Real x = true; end M;", "test.mo:1:18: error: the value of `x` is Real, but this value is Boolean\n"},
        {"model M parameter Integer n = 1.5; end M;", "test.mo:1:31: error: the value of `n` is Integer, but this value is Real\n"},
        {"model M Real x[2] = {1, 2, 3}; end M;", "test.mo:1:21: error: the value of `x` is Real[2], but this value is [3]\n"},
        {"model M Boolean b; equation b = 1; end M;", "test.mo:1:29: error: the left side is Boolean, the right side Integer\n"},
        {"model M Integer n; equation n = 2.5*time; end M;", "test.mo:1:29: error: the left side is an Integer variable, the right side a Real; use `integer(...)`\n"},
        {"model M Real x = 1 + true; end M;", "test.mo:1:18: error: `+` needs numbers, not Boolean\n"},
        {"model M Real x = if 1 then 2 else 3; end M;", "test.mo:1:21: error: a condition must be a Boolean, not Integer\n"},
        {"model M Real x = if time > 1 then {1, 2} else {1}; end M;", "test.mo:1:18: error: the branches have dimensions [2] and [1]\n"},
        {"model M Boolean b = 1 and true; end M;", "test.mo:1:21: error: `and` needs Booleans, not Integer\n"},
        {"model M Boolean b = {1} < {2}; end M;", "test.mo:1:21: error: `<` compares scalars, not arrays\n"},
        {"model M Boolean b = true < 1; end M;", "test.mo:1:21: error: `<` of Boolean and Integer\n"},
        {"model M Real x = sin(true); end M;", "test.mo:1:18: error: argument 1 of `sin` must be a number, not Boolean\n"},
        {"model M Real x = sin(1, 2); end M;", "test.mo:1:18: error: `sin` has 1 argument, not 2\n"},
        {"model M Real x[2] = {1, {2}}; end M;", "test.mo:1:21: error: the elements have dimensions a scalar and [1]\n"},
        {"model M Real x[2] = {1, true}; end M;", "test.mo:1:21: error: the elements are Integer and Boolean\n"},
        {"model M Real x = end; end M;", "test.mo:1:18: error: `end` has a meaning in subscripts only\n"},
        {"model M Real x[2](start = {1, 2, 3}); end M;", "test.mo:1:27: error: `start` of `x` has dimensions [3], not those of its declaration, [2]\n"},
        {"model M Real x(start = \"a\"); end M;", "test.mo:1:24: error: `start` of `x` must be Real, not String\n"},
        {"model M Real y = 1; Real x(start = y); end M;", "test.mo:1:36: error: `start` of `x` may contain parameters and constants only\n"},
        {"model M Real y = 1; parameter Real p = y; end M;", "test.mo:1:36: error: the parameter `p` depends on a variable, which has no value before the run\n"},
        {"model M parameter Real p; end M;", "test.mo:1:24: error: the parameter `p` has no value\n"},
        {"model M Integer n; Real x = der(n); end M;", "test.mo:1:29: error: `n` is discrete: it has no derivative\n"},
    };
    REFUSE(list);
}

static void equations_and_events(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"model M Real x, y; equation if time > 1 then x = 1; else x = 2; y = 3; end if; end M;",
         "test.mo:1:29: error: the branches of this if-equation have 1 and 2 equations; they need the same number"},
        {"model M Real x; equation reinit(x, 1); end M;", "test.mo:1:26: error: `reinit` can only stand in a `when`\n"},
        {"model M Real x; equation when x > 1 then 2*x = 1; end when; end M;", "test.mo:1:42: error: in a `when` the left side of an equation must be a variable\n"},
        {"model M Real x; equation when x > 1 then when x > 2 then x = 1; end when; end when; end M;",
         "test.mo:1:42: error: a `when` cannot stand in another `when`\n"},
        {"model M Real x; equation when x then x = 1; end when; end M;", "test.mo:1:31: error: the condition of a `when` must be a Boolean or a vector of Booleans, not Real\n"},
        {"model M Real x; equation when sample(0, -1) then x = 1; end when; end M;", "test.mo:1:31: error: the interval of `sample` is -1: it must be positive\n"},
        {"model M Real x; equation when time > 1 then reinit(2, 1); end when; end M;", "test.mo:1:52: error: `reinit` needs a continuous variable\n"},
        {"model M Boolean b = pre(1 + time) > 2; end M;", "test.mo:1:21: error: `pre` needs a variable\n"},
        {"model M Real x; equation assert(x > 1); end M;", "test.mo:1:26: error: `assert` has a condition, a message and possibly a level\n"},
        {"model M Real x = delay(time, 1); end M;", "test.mo:1:18: error: `delay` is not supported yet\n"},
        {"model M Real x = assert(true, \"\"); end M;", "test.mo:1:18: error: `assert` has no value: it stands alone, as an equation or statement\n"},
        {"model M Real x[3]; equation for i loop x[i] = 1; end for; end M;", "test.mo:1:33: error: say over which range `i` runs: `for i in 1:n`\n"},
        {"model M Real x; equation for i in 1:time loop x = 1; end for; end M;", "test.mo:1:37: error: a range must be known before the run"},
        {"model M Real x = time; algorithm while x > 1 loop x := 1; end while; end M;",
         "test.mo:1:34: error: a loop or a subscript in this algorithm depends on what is only known in the run"},
        {"model M Real x; algorithm return; end M;", "test.mo:1:27: error: `return` can only stand in a function\n"},
        {"model M parameter Real p = 1; algorithm p := 2; end M;", "test.mo:1:41: error: only variables can be assigned\n"},
        {"connector C Real v; end C; model M C a; Real x; equation connect(a, x); end M;", "test.mo:1:69: error: `x` is not a connector\n"},
        {"connector C Real v; end C; connector D Real w; end D; model M C a; D b; equation connect(a, b); end M;",
         "test.mo:1:82: error: the connectors are of different kinds: C and D\n"},
        {"connector C Real v; end C; model M C a[2], b[3]; equation connect(a, b); end M;", "test.mo:1:59: error: the connectors have dimensions [2] and [3]\n"},
        {"connector C Real v; stream Real h; end C; model M C a; end M;", "test.mo:1:33: error: stream connectors are not supported yet\n"},
        {"expandable connector C Real v; end C; model M C a, b; equation connect(a, b); end M;", "test.mo:1:49: error: expandable connectors are not supported yet\n"},
    };
    REFUSE(list);
}

static void functions(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"function f input Real x; output Real y; algorithm y := z; end f; model M Real x = f(1); end M;", "test.mo:1:56: error: `z` is not declared"},
        {"function f input Real x; output Real y; algorithm y := x; end f; model M Real x = f(1, 2); end M;", "test.mo:1:83: error: `f` has 1 argument, not 2\n"},
        {"function f input Real x; output Real y; algorithm y := x; end f; model M Real x = f(); end M;", "test.mo:1:83: error: the argument `x` of `f` is missing\n"},
        {"function f input Real gain; output Real y; algorithm y := gain; end f; model M Real x = f(gian = 1); end M;", "test.mo:1:91: error: `f` has no argument `gian`; did you mean `gain`?\n"},
        {"function f input Real x; output Real y; algorithm y := x; end f; model M Real x = f(true); end M;", "test.mo:1:83: error: `x` of this function is Real, not Boolean\n"},
        {"function f input Real x; output Real y; algorithm x := 1; end f; model M Real x = f(1); end M;", "test.mo:1:51: error: `x` is an input: it cannot be assigned\n"},
        {"function f input Real x; output Real y; end f; model M Real x = f(1); end M;", "test.mo:1:65: error: the function `f` has no algorithm\n"},
        {"function f input Real x; output Real y; algorithm if x > 9 then y := 1; end if; end f; model M Real x = f(1); end M;", "test.mo:1:105: error: `f` does not assign its result `y`\n"},
        {"function f input Real x; output Real y; external \"C\"; end f; model M Real x = f(1); end M;", "test.mo:1:79: error: external functions are not supported: `f`\n"},
        {"function f input Real x; output Real y; algorithm y := f(x); end f; model M Real x = f(1); end M;", "test.mo:1:56: error: functions call each other more than 100 times here: does the recursion of `f` end?\n"},
    };
    REFUSE(list);
}

static void recursion(void **state)
{
    (void)state;
    static const wrong list[] = {
        {"model A extends A; end A;", "test.mo:1:17: error: `A` extends itself\n"},
        {"model A extends B; end A; model B extends A; end B;", "test.mo:1:"},
        {"model M M m; end M;", "test.mo:1:11: error: `M` contains a component of its own class `m`\n"},
        {"model A B b; end A; model B A a; end B; model M A a; end M;", "test.mo:1:31: error: `A` contains a component of its own class `a`\n"},
        {"type T = T; model M T x; end M;", "test.mo:1:"},
        {"type T = S; type S = T; model M T x; end M;", "test.mo:1:"},
        {"model M constant Real a = b; constant Real b = a; end M;", "test.mo:1:"},
        {"model M parameter Integer n = m, m = n; Real x[n]; end M;", "test.mo:1:"},
        {"model M Real x[size(x, 1)]; end M;", "test.mo:1:14: error: the size of `x` depends on itself\n"},
        {"model M parameter Real p = p + 1; end M;", "test.mo:1:24: error: the value of `p` depends on itself\n"},
    };
    REFUSE(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caret), cmocka_unit_test(syntax), cmocka_unit_test(several), cmocka_unit_test(names_),
        cmocka_unit_test(types_and_dimensions), cmocka_unit_test(equations_and_events), cmocka_unit_test(functions),
        cmocka_unit_test(recursion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
