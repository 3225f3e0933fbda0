/* test_reader_functions.c -- functions of the user: inserted, or called in the run. */
#include "test/support/flat_text.h"

static void inserted(void **state)
{
    (void)state;
    flat_expect("function f input Real x; input Real k = 2; output Real y; protected Real t; algorithm t := x*k; y := t + 1; end f;\n"
                "model M Real x, a, b, c; equation a = f(x); b = f(x, 3); c = f(k = x, x = 4); end M;",
                "a = ((x*2)+1)\nb = ((x*3)+1)\nc = ((4*x)+1)\n");
    flat_expect("function f input Real v[:]; output Real s = 0; output Real w[size(v, 1)]; algorithm for i in 1:size(v, 1) loop "
                "s := s + v[i]; w[i] := 2*v[end + 1 - i]; end for; end f;\n"
                "model M Real x[2], s, w[2]; equation (s, w) = f(x); (, w) = f({s, 1}); end M;",
                "s = (x[1]+x[2])\nw[1] = (2*x[2])\nw[2] = (2*x[1])\nw[1] = 2\nw[2] = (2*s)\n");
    /* relations in functions make no events */
    flat_expect("function f input Real x; output Real y; algorithm if x > 0 then y := sqrt(x); else y := 0; end if; end f;\n"
                "model M Real x = time, y; equation y = f(x); end M;",
                "x = time\ny = (if noEvent((0<x)) then sqrt(x) else 0)\n");
    flat_expect("record P Real a; Real b; end P; function f input P p; output P q; algorithm q := p; q.a := p.b; end f;\n"
                "model M P p, q; equation q = f(p); end M;", "q.a = p.b\nq.b = p.b\n");
    /* of scalars, called with arrays: of every element */
    flat_expect("function f input Real x; input Real k; output Real y; algorithm y := k*x; end f;\n"
                "model M Real x[2], y[2]; equation y = f(x, 3); end M;", "y[1] = (3*x[1])\ny[2] = (3*x[2])\n");
    flat_expect("function f input Real x; output Real y; algorithm for i in 1:3 loop y := i; if i == 2 then return; end if; end for; end f;\n"
                "model M Real y; equation y = f(1); end M;", "y = 2\n");
    flat_expect("partial function base input Real x; output Real y; end base; function f extends base; algorithm y := x; end f;\n"
                "function g = f; model M Real y; equation y = g(time); end M;", "y = time\n");
}

static void evaluated_before_the_run(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "function fact input Integer n; output Integer y; algorithm y := if n <= 1 then 1 else n*fact(n - 1); end fact;\n"
                       "function root input Real a; output Real x; algorithm x := a; while abs(x*x - a) > 1e-12 loop x := (x + a/x)/2; end while; end root;\n"
                       "model M parameter Integer n = fact(3); Real x[n]; parameter Real r = root(2); equation x = zeros(n); end M;",
                   NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_int_equal(t.m->equations, 6);
    assert_true(fabs(flat_parameter(t.m, "r") - sqrt(2.0)) < 1e-12);
    flat_text_free(&t);
}

static const char called_text[] =
    "function root input Real a; input Integer n = 2; output Real x; output Real steps = 0;\n"
    "algorithm x := 1 + a; while abs(x^n - a) > 1e-13*(1 + a) loop x := x - (x^n - a)/(n*x^(n - 1)); steps := steps + 1;\n"
    "  assert(steps < 100, \"no root\"); end while; annotation(derivative(noDerivative = n) = root_der); end root;\n"
    "function root_der input Real a; input Integer n; input Real da; output Real dx; algorithm dx := da/(n*root(a, n)^(n - 1)); end root_der;\n"
    "function fib input Integer n; output Integer y; algorithm if n < 2 then y := n; else y := fib(n - 1) + fib(n - 2); end if; end fib;\n"
    "model M Real a = time, x, y, k; Integer i = integer(time); equation x = root(a); (y, k) = root(a, 3); der(k) = fib(i); end M;";

/* A loop that only numbers end: the function is called; its annotation names the derivative. */
static void called(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, called_text, NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_string_equal(flat_shown(&t), "a = time\ni = floor(time)\nx = root.1(a, 2)\ny = root.1(a, 3)\nk = root.2(a, 3)\n"
                        "der(k) = (if noEvent((i<2)) then i else (fib.1((i-1))+fib.1((i-2))))\n");
    const flat_model *m = t.m;
    double in[4] = {2, 3, 0.5, 0}, out[2];
    for (int f = 0; f < m->functions; f++) {
        if (!strcmp(m->function[f].name, "fib")) {
            in[0] = 20;
            assert_int_equal(m->function[f].evaluate(m->function[f].self, in, out), 0);
            assert_true(out[0] == 6765);
            continue;
        }
        if (strcmp(m->function[f].name, "root")) continue;
        in[0] = 2;
        assert_int_equal(m->function[f].inputs, 2);
        assert_int_equal(m->function[f].outputs, 2);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(m->function[f].evaluate(m->function[f].self, in, out), 0);
            assert_true(fabs(out[0] - cbrt(2.0)) < 1e-12 && out[1] > 2 && out[1] < 20);
        }
        in[0] = -1;                          /* the assertion fails */
        in[1] = 2;
        assert_int_not_equal(m->function[f].evaluate(m->function[f].self, in, out), 0);
        in[0] = 2;
        in[1] = 3;
        const flat_function *d = &m->function[m->function[f].derivative];
        assert_int_equal(d->inputs, 4);
        assert_int_equal(d->evaluate(d->self, in, out), 0);
        assert_true(fabs(out[0] - 0.5/(3*cbrt(4.0))) < 1e-12);
    }
    assert_int_equal(m->functions, 3);
    flat_text_free(&t);
}

/* The text of the model may be gone when a function is called. */
static void called_without_text(void **state)
{
    (void)state;
    flat_text t;
    double in[2] = {4, 2}, out[2];
    flat_text_read(&t, called_text, NULL, NULL, 0);
    assert_int_equal(t.status, 0);
    source_free(t.s);
    t.s = NULL;
    assert_int_equal(t.m->function[0].evaluate(t.m->function[0].self, in, out), 0);
    assert_true(fabs(out[0] - 2) < 1e-12);
    flat_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inserted), cmocka_unit_test(evaluated_before_the_run), cmocka_unit_test(called),
        cmocka_unit_test(called_without_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
