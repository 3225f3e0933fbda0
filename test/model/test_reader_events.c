/* test_reader_events.c -- when, pre, sample, reinit, in equations and in algorithms. */
#include "test/support/flat_text.h"

static void when_equations(void **state)
{
    (void)state;
    flat_expect_model("Real x, v; Integer n; discrete Real t0;",
                      "der(x) = v; der(v) = -1;\n"
                      "when x < 0 then reinit(v, -0.8*pre(v)); n = pre(n) + 1; t0 = time;\n"
                      "elsewhen sample(0, 0.5) then n = 0; end when;",
                      "der(x) = v\nder(v) = -1\n"
                      "when edge((x<0)): reinit v := -(0.8*pre(v)); n := (pre(n)+1); t0 := time;\n"
                      "elsewhen sample(0, 0.5): n := 0;\n");
    flat_expect_model("Boolean b; Real x;",
                      "b = edge(x > 1) or change(b) or initial() or terminal(); x = 1;\n"
                      "when {initial(), x > 2, edge(b)} then assert(x < 9, \"high\"); terminate(\"end\"); end when;",
                      "b = (((edge((1<x)) or (b<>pre(b))) or initial()) or terminal())\nx = 1\n"
                      "when ((initial() or edge((2<x))) or edge(b)): assert (x<9) \"high\"; terminate  \"end\";\n");
}

static void branches_in_when(void **state)
{
    (void)state;
    flat_expect_model("Real x = time; Integer n, m; Real v;",
                      "when x > 1 then if x > 2 then n = 1; reinit(v, 2); else n = 2; m = 3; end if;\n"
                      "for i in 1:2 loop if i == 2 then reinit(v, i); end if; end for; end when; der(v) = 1;",
                      "x = time\nder(v) = 1\nwhen edge((1<x)): n := (if (2<x) then 1 else 2); "
                      "reinit v := (if (2<x) then 2 else v); m := (if not (2<x) then 3 else pre(m)); reinit v := 2;\n");
    flat_expect_model("Real x = time;", "when x > 1 then if x > 2 then terminate(\"t\"); end if; end when;",
                      "x = time\nwhen edge((1<x)): terminate (2<x) \"t\";\n");
    flat_expect_model("Real x = time; Real a[2];", "when x > 1 then a = {x, 2}; end when;",
                      "x = time\nwhen edge((1<x)): a[1] := x; a[2] := 2;\n");
}

static void discrete_by_when(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model M Real a, b; equation when time > 1 then a = 2; end when; b = a; end M;", NULL, NULL, 0);
    assert_int_equal(t.status, 0);
    assert_int_equal(t.m->variable[flat_find(t.m, "a")].variability, FLAT_DISCRETE);
    assert_int_equal(t.m->variable[flat_find(t.m, "b")].variability, FLAT_CONTINUOUS);
    flat_text_free(&t);
}

static void when_statements(void **state)
{
    (void)state;
    /* one when alone assigns: an action, in which the old value is the one before the event */
    flat_expect("model M Integer n(start = 0); Boolean on; Real y; algorithm\n"
                "when sample(0, 1) then n := n + 1; on := not on; elsewhen time > 5 then n := 0; end when;\n"
                "y := n; end M;",
                "y = n\nwhen sample(0, 1): n := (pre(n)+1); on := not pre(on);\nelsewhen edge((5<time)): n := 0;\n");
    /* two assign the same variable: the later one wins */
    flat_expect("model M Integer n; algorithm when time > 1 then n := 1; end when; when time > 2 then n := 2; end when; end M;",
                "n = (if edge((2<time)) then 2 else (if edge((1<time)) then 1 else pre(n)))\n"
                "when edge((1<time)):\nwhen edge((2<time)):\n");
    flat_expect("model M Real x(start = 1); algorithm when x < 0 then reinit(x, 1); if time > 3 then terminate(\"t\"); "
                "end if; end when; equation der(x) = -1; end M;",
                "der(x) = -1\nwhen edge((x<0)): reinit x := 1; terminate (3<time) \"t\";\n");
}

static void algorithms(void **state)
{
    (void)state;
    flat_expect("model M Real x = time, y, z; algorithm y := x; y := y^2 + 1; if x > 1 then z := y; y := 0; else z := -y; "
                "end if; end M;",
                "x = time\ny = (if (1<x) then 0 else ((x^2)+1))\nz = (if (1<x) then ((x^2)+1) else -((x^2)+1))\n");
    /* what is read before it is assigned: the start value, or the value before the event */
    flat_expect("model M Real s(start = 3); Integer n; algorithm s := s + 1; n := n + 1; end M;",
                "s = 4\nn = (pre(n)+1)\n");
    flat_expect("model M Real a[3]; algorithm a[2] := time; for i in {1, 3} loop a[i] := i; end for; end M;",
                "a[1] = 1\na[2] = time\na[3] = 3\n");
    flat_expect("model M Real a[2]; algorithm a[1] := 1; end M;", "a[1] = 1\na[2] = 0\n");
    flat_expect("model M Real s; algorithm s := 0; for i in 1:10 loop if i > 3 then break; end if; s := s + i; end for; "
                "while s > 1 loop s := s - 4; end while; s := s*time; end M;", "s = (-2*time)\n");
    flat_expect("model M parameter Real p(fixed = false); Real x; initial algorithm p := 2; x := p + 1; equation der(x) = p; end M;",
                "der(x) = p\ninitial p = 2\ninitial x = 3\n");
}

static void initial_sections(void **state)
{
    (void)state;
    flat_expect("model M Real x, y; initial equation x = 1; for i in 1:2 loop der(y) = i; end for; "
                "equation der(x) = y; der(y) = -x; end M;",
                "der(x) = y\nder(y) = -x\ninitial x = 1\ninitial der(y) = 1\ninitial der(y) = 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_equations), cmocka_unit_test(branches_in_when), cmocka_unit_test(discrete_by_when),
        cmocka_unit_test(when_statements), cmocka_unit_test(algorithms), cmocka_unit_test(initial_sections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
