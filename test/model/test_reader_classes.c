/* test_reader_classes.c -- extends, modifications, components, packages, imports, records, connections. */
#include "test/support/flat_text.h"

static void extends_clauses(void **state)
{
    (void)state;
    flat_expect("partial model A parameter Real a = 1; Real x; equation der(x) = a; end A;\n"
                "model B extends A(a = 2); parameter Real b = a; end B;\n"
                "model C extends B(x(start = 5, fixed = true)); Real y = b; end C;",
                "y = b\nder(x) = a\n");
    flat_text t;
    flat_text_read(&t, "model A parameter Real a = 1; end A; model B extends A(a = 2); end B;\n"
                       "model C B b(a = 3); B c; A d; extends A(a = 4); end C;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_true(flat_parameter(t.m, "b.a") == 3 && flat_parameter(t.m, "c.a") == 2);
    assert_true(flat_parameter(t.m, "d.a") == 1 && flat_parameter(t.m, "a") == 4);
    flat_text_free(&t);
    /* two bases, one base twice over different ways */
    flat_expect("model A Real x = 1; end A; model B extends A; end B; model C extends A; end C; model D extends B; extends C; end D;",
                "x = 1\n");
}

static void modifications(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model R parameter Real p = 1; parameter Real q[2] = {1, 2}; Real x(start = p); end R;\n"
                       "model S R r[2](p = {10, 20}, each q = {3, 4}); end S;\n"
                       "model T parameter Real k = 7; S s(r(p = {k, 2*k})); R a[2, 2](p = [1, 2; 3, 4]); R b(x.start = 9);\n"
                       "R c[3](p = {i^2 for i in 1:3}); S u[2](r(each p = 5)); end T;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_true(flat_parameter(t.m, "s.r[2].p") == 14 && flat_parameter(t.m, "s.r[1].q[2]") == 4);
    assert_true(flat_parameter(t.m, "a[2,1].p") == 3 && flat_parameter(t.m, "c[3].p") == 9);
    assert_true(flat_parameter(t.m, "u[2].r[1].p") == 5);
    assert_true(flat_number(t.m, t.m->variable[flat_find(t.m, "b.x")].start, NULL) == 9);
    assert_true(flat_number(t.m, t.m->variable[flat_find(t.m, "s.r[2].x")].start, NULL) == 14);
    flat_text_free(&t);
}

static void packages(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t,
        "package P constant Real k = 2; constant Real v[2] = {k, 3}; type E = enumeration(a, b);\n"
        "  package Q constant Real c = k^2; model A parameter Real p = c + k; parameter E e = E.b; end A; end Q;\n"
        "  function f input Real x; output Real y; algorithm y := k*x; end f;\nend P;\n"
        "package R = P; package S extends P; constant Real own = 11; end S;\n"
        "model M import P.Q.A; import X = P.Q; import P.*; import P.{v, f}; import Modelica.Units.SI;\n"
        "  A a; X.A b(p = X.c); parameter Real d = R.k + S.k + S.own + v[2] + P.v[1]; parameter Real g = f(3);\n"
        "  parameter SI.Length l = Modelica.Constants.pi; parameter P.E e = P.E.a; end M;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_true(flat_parameter(t.m, "a.p") == 6 && flat_parameter(t.m, "b.p") == 4 && flat_parameter(t.m, "a.e") == 2);
    assert_true(flat_parameter(t.m, "d") == 20 && flat_parameter(t.m, "g") == 6 && flat_parameter(t.m, "e") == 1);
    assert_true(fabs(flat_parameter(t.m, "l") - 3.14159265358979) < 1e-13);
    assert_string_equal(t.m->variable[flat_find(t.m, "l")].unit, "m");
    flat_text_free(&t);
}

static void records(void **state)
{
    (void)state;
    flat_expect("record P Real x = 1; Real y[2]; end P; record L extends P; P q; end L;\n"
                "model M P a; L b; parameter P c = P(2, {3, 4}); equation a = P(y = {5, 6}); b.q = a; b.x = c.y[2]; end M;",
                "a.x = 1\nb.x = 1\nb.q.x = 1\na.x = 1\na.y[1] = 5\na.y[2] = 6\n"
                "b.q.x = a.x\nb.q.y[1] = a.y[1]\nb.q.y[2] = a.y[2]\nb.x = c.y[2]\n");
    flat_text t;
    flat_text_read(&t, "record C Real re; Real im; end C; model M C z[2]; Real s; parameter C p[2] = {C(1, 2), C(3, 4)};\n"
                       "equation z.re = {1, 2}; z[1].im = s; z[2] = p[2]; s = sum(z.im) + sum(p.re); end M;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_string_equal(flat_shown(&t), "z[1].re = 1\nz[2].re = 2\nz[1].im = s\nz[2].re = p[2].re\nz[2].im = p[2].im\n"
                                        "s = ((z[1].im+z[2].im)+(p[1].re+p[2].re))\n");
    assert_true(flat_parameter(t.m, "p[2].re") == 3 && flat_parameter(t.m, "p[1].im") == 2);
    flat_text_free(&t);
}

static const char pins[] =
    "connector Pin Real v; flow Real i; end Pin;\n"
    "partial model Two Pin p, n; Real v, i; equation v = p.v - n.v; i = p.i; 0 = p.i + n.i; end Two;\n"
    "model R extends Two; parameter Real R = 1; equation v = R*i; end R;\n"
    "model G Pin p; equation p.v = 0; end G;\n";

static void expect_with_pins(const char *model, const char *expected)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", pins, model);
    flat_expect(text, expected);
}

static void connections(void **state)
{
    (void)state;
    expect_with_pins("model M G a, b, c; equation connect(a.p, b.p); connect(b.p, c.p); end M;",
                     "a.p.v = 0\nb.p.v = 0\nc.p.v = 0\na.p.v = b.p.v\na.p.v = c.p.v\n((a.p.i+b.p.i)+c.p.i) = 0\n");
    /* what is not connected has no flow */
    expect_with_pins("model M G a; end M;", "a.p.v = 0\na.p.i = 0\n");
    /* an outside connector counts negative within, positive without */
    expect_with_pins("model Box Pin q; G g; equation connect(q, g.p); end Box; model M Box b; G g; equation connect(b.q, g.p); end M;",
                     "b.g.p.v = 0\ng.p.v = 0\nb.q.v = g.p.v\nb.q.v = b.g.p.v\n(b.q.i+g.p.i) = 0\n(-b.q.i+b.g.p.i) = 0\n");
    /* arrays of connectors and of components, in loops */
    expect_with_pins("model M Pin c[2]; G g[2]; equation for k in 1:2 loop connect(c[k], g[k].p); end for; end M;",
                     "g[1].p.v = 0\ng[2].p.v = 0\nc[1].v = g[1].p.v\nc[1].i = 0\n(-c[1].i+g[1].p.i) = 0\n"
                     "c[2].v = g[2].p.v\nc[2].i = 0\n(-c[2].i+g[2].p.i) = 0\n");
    flat_expect("connector In = input Real; connector Out = output Real;\n"
                "block Gain In u; Out y; parameter Real k = 1; equation y = k*u; end Gain;\n"
                "model M Gain a(k = 2), b; In u; Out y; equation connect(u, a.u); connect(a.y, b.u); connect(b.y, y); end M;",
                "a.y = (a.k*a.u)\nb.y = (b.k*b.u)\na.u = u\na.y = b.u\nb.y = y\n");
}

static void conditional_components(void **state)
{
    (void)state;
    expect_with_pins("model M parameter Boolean heat = false; G a if heat; G b if not heat; equation connect(a.p, b.p); end M;",
                     "b.p.v = 0\nb.p.i = 0\n");
    expect_with_pins("model M parameter Integer n = 0; G a[n]; G b; equation for i in 1:n loop connect(a[i].p, b.p); end for; "
                     "if n == 0 then assert(true, \"\"); end if; end M;",
                     "b.p.v = 0\nb.p.i = 0\nassert 1 \"\"\n");
}

static void annotations(void **state)
{
    (void)state;
    flat_expect("model M \"m\" replaceable Real x = 1 \"c\" + \"d\" annotation(Dialog(group = \"g\"), choices(choice(redeclare Real x \"a\"), choice = 2));\n"
                "equation assert(x > 0, \"m\") annotation(Line(points = {{-1, 2}, {3, 4}}, color = {0, 0, 255}));\n"
                "annotation(Icon(graphics = {Text(extent = {{-1, 1}, {2, 3}}, textString = \"%name\")}), experiment(StopTime = 1));\nend M;",
                "x = 1\nassert (0<x) \"m\"\n");
    flat_text t;
    flat_text_read(&t, "model M import Modelica.Units.Conversions.*; parameter Real a = from_degC(20), b = to_degC(300), "
                       "c = Modelica.SIunits.Conversions.from_deg(180); Modelica.SIunits.Mass m; parameter Integer n(start = 2); Real x[n]; end M;",
                   NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_true(fabs(flat_parameter(t.m, "a") - 293.15) < 1e-12 && fabs(flat_parameter(t.m, "b") - 26.85) < 1e-12);
    assert_true(fabs(flat_parameter(t.m, "c") - acos(-1.0)) < 1e-14 && flat_find(t.m, "x[2]") > 0);
    assert_non_null(strstr(source_messages(t.s), "warning: the parameter `n` has no value: its start value is taken"));
    flat_text_free(&t);
}

static void inner_outer(void **state)
{
    (void)state;
    flat_expect("model World parameter Real g = 9.81; end World; model Body outer World world; Real v; equation der(v) = -world.g; end Body;\n"
                "model M inner World world(g = 1.6); Body b; end M;", "der(b.v) = -world.g\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extends_clauses), cmocka_unit_test(modifications), cmocka_unit_test(packages),
        cmocka_unit_test(records), cmocka_unit_test(connections), cmocka_unit_test(conditional_components),
        cmocka_unit_test(annotations), cmocka_unit_test(inner_outer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
