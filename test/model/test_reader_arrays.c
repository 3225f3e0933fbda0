/* test_reader_arrays.c -- arrays: shapes, subscripts, constructors, operators and functions. */
#include "test/support/flat_text.h"

static void subscripts(void **state)
{
    (void)state;
    flat_expect_model("Real x[3], A[2, 2];", "x[end] = 1; x[1:2] = {2, 3}; A[:, 1] = A[2, :]; A[end, end - 1] = 4;",
                      "x[3] = 1\nx[1] = 2\nx[2] = 3\nA[1,1] = A[2,1]\nA[2,1] = A[2,2]\nA[2,1] = 4\n");
    flat_expect_model("Real x[3];", "x[{3, 1}] = {5, 6}; x[2:-1:1] = {7, 8}; x[{1}] = {0};",
                      "x[3] = 5\nx[1] = 6\nx[2] = 7\nx[1] = 8\nx[1] = 0\n");
    flat_expect_model("type E = enumeration(a, b); Real x[E]; Real y[Boolean];",
                      "x[E.b] = 1; x[E.a] = 2; y[true] = 3; for e in E loop x[e] = Integer(e); end for;",
                      "x[E.b] = 1\nx[E.a] = 2\ny[true] = 3\nx[E.a] = 1\nx[E.b] = 2\n");
}

static void run_time_subscript(void **state)
{
    (void)state;
    flat_expect_model("Integer k = integer(time); Real x[3]; Real y;", "y = x[k];",
                      "k = floor(time)\ny = (if (k==1) then x[1] else (if (k==2) then x[2] else x[3]))\n");
    flat_expect_model("Integer k = integer(time); Real A[2, 2]; Real y[2];", "y = A[:, k];",
                      "k = floor(time)\ny[1] = (if (k==1) then A[1,1] else A[1,2])\n"
                      "y[2] = (if (k==1) then A[2,1] else A[2,2])\n");
}

static void constructors(void **state)
{
    (void)state;
    flat_expect_model("Real x[2, 3];", "x = {{1, 2, 3}, {4, 5, 6}}; x = [1, 2, 3; 4, 5, 6];",
                      "x[1,1] = 1\nx[1,2] = 2\nx[1,3] = 3\nx[2,1] = 4\nx[2,2] = 5\nx[2,3] = 6\n"
                      "x[1,1] = 1\nx[1,2] = 2\nx[1,3] = 3\nx[2,1] = 4\nx[2,2] = 5\nx[2,3] = 6\n");
    flat_expect_model("Real v[2]; Real A[2, 3];", "A = [v, fill(7, 2, 2)];",
                      "A[1,1] = v[1]\nA[1,2] = 7\nA[1,3] = 7\nA[2,1] = v[2]\nA[2,2] = 7\nA[2,3] = 7\n");
    flat_expect_model("Real x[2, 3];", "x = {10*i + j for j in 1:3, i in 1:2};",
                      "x[1,1] = 11\nx[1,2] = 12\nx[1,3] = 13\nx[2,1] = 21\nx[2,2] = 22\nx[2,3] = 23\n");
    flat_expect_model("Real x[3];", "x = 0:0.5:1; x = linspace(1, 2, 3);",
                      "x[1] = 0\nx[2] = 0.5\nx[3] = 1\nx[1] = 1\nx[2] = 1.5\nx[3] = 2\n");
    flat_expect_model("Real x[0], y[2, 0]; Real s;", "x = zeros(0); y = fill(1.0, 2, 0); s = sum(x) + product(x);",
                      "s = 1\n");
    flat_expect_model("parameter Real a[:] = {1, 2, 3}; Real x[size(a, 1)] = a;", "",
                      "x[1] = a[1]\nx[2] = a[2]\nx[3] = a[3]\n");
}

static void operators(void **state)
{
    (void)state;
    flat_expect_model("Real x[2], y[2], A[2, 2]; Real s;",
                      "x + y = 2*x - y/3; A*x = y; x*A = y; s = x*y; x .* y = x ./ y; x .^ 2 = y .+ 1; -x = y;",
                      "(x[1]+y[1]) = ((2*x[1])-(y[1]/3))\n(x[2]+y[2]) = ((2*x[2])-(y[2]/3))\n"
                      "((A[1,1]*x[1])+(A[1,2]*x[2])) = y[1]\n((A[2,1]*x[1])+(A[2,2]*x[2])) = y[2]\n"
                      "((x[1]*A[1,1])+(x[2]*A[2,1])) = y[1]\n((x[1]*A[1,2])+(x[2]*A[2,2])) = y[2]\n"
                      "s = ((x[1]*y[1])+(x[2]*y[2]))\n(x[1]*y[1]) = (x[1]/y[1])\n(x[2]*y[2]) = (x[2]/y[2])\n"
                      "(x[1]^2) = (y[1]+1)\n(x[2]^2) = (y[2]+1)\n-x[1] = y[1]\n-x[2] = y[2]\n");
    flat_expect_model("parameter Real A[2, 2] = [1, 2; 3, 4]; Real B[2, 2];", "B = [1, 2; 3, 4]^2; B = [1, 0; 0, 1]*[5, 6; 7, 8];",
                      "B[1,1] = 7\nB[1,2] = 10\nB[2,1] = 15\nB[2,2] = 22\nB[1,1] = 5\nB[1,2] = 6\nB[2,1] = 7\nB[2,2] = 8\n");
    flat_expect_model("Boolean a[2], b[2];", "a = not b; a = {true, false} and b;",
                      "a[1] = not b[1]\na[2] = not b[2]\na[1] = b[1]\na[2] = 0\n");
}

/* One number each; reference values by hand. */
static void functions_of_arrays(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } given[] = {
        {"size([1, 2, 3; 4, 5, 6], 2)", 3}, {"sum(size([1, 2, 3; 4, 5, 6]))", 5}, {"ndims(zeros(2, 3, 4))", 3},
        {"sum({1, 2, 3})", 6}, {"product({2, 3, 4})", 24}, {"min({3, 1, 2})", 1}, {"max([3, 1; 2, 7])", 7},
        {"sum(i^2 for i in 1:4)", 30}, {"product(i for i in {2, 5})", 10}, {"max(i*j for i in 1:2, j in 1:3)", 6},
        {"min(4, -2)", -2}, {"sum(ones(2, 3))", 6}, {"sum(identity(3))", 3}, {"identity(2)*{3, 4}*{1, 10}", 43},
        {"{1, 1}*diagonal({2, 3})*{1, 1}", 5}, {"{1, 0}*transpose([1, 2; 3, 4])*{0, 1}", 3},
        {"{1, 0, 0}*cross({1, 2, 3}, {4, 5, 6})", -3}, {"{0, 1, 0}*(skew({1, 2, 3})*{4, 5, 6})", 6},
        {"{1, 2}*outerProduct({1, 2}, {3, 4})*{1, 0}", 15}, {"sum(cat(1, {1, 2}, {3}))", 6},
        {"size(cat(2, [1; 2], [3, 4; 5, 6]), 2)", 3}, {"scalar({{7}})", 7}, {"sum(vector([1; 2]))", 3},
        {"size(matrix({1, 2, 3}), 1)", 3}, {"{0, 1}*symmetric([1, 2; 3, 4])*{1, 0}", 2}, {"sum(fill(2, 3, 2))", 12},
        {"array(1, 2, 3)*{1, 1, 1}", 6}, {"sum(abs({-1, 2}))", 3}, {"Modelica.Math.Vectors.norm({3, 4})", 5},
        {"min(zeros(0)) - Modelica.Constants.inf", 0}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char text[400];
        flat_text t;
        snprintf(text, sizeof text, "model M parameter Real p = %s; end M;", given[i].text);
        flat_text_read(&t, text, NULL, NULL, 0);
        if (t.status) fail_msg("%s\n%s", text, source_messages(t.s));
        double value = flat_parameter(t.m, "p");
        if (!(fabs(value - given[i].value) < 1e-12)) fail_msg("%s is %g", given[i].text, value);
        flat_text_free(&t);
    }
}

static void loops(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model M parameter Integer n = 3; Real x[n, 2]; equation\n"
                       "for i in 1:n, j in 1:2 loop\n if i == j then x[i, j] = 1; else x[i, j] = i*j; end if;\nend for;\n"
                       "for k in {} loop x[1, 1] = 0; end for;\nend M;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    assert_string_equal(flat_shown(&t), "x[1,1] = 1\nx[1,2] = 2\nx[2,1] = 2\nx[2,2] = 1\nx[3,1] = 3\nx[3,2] = 6\n");
    assert_string_equal(t.m->equation[4].indices, "i = 3, j = 1");
    int line, column;
    source_place(t.s, t.m->equation[4].where, &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 35);
    flat_text_free(&t);
}

static void attributes(void **state)
{
    (void)state;
    flat_text t;
    flat_text_read(&t, "model M Real x[2, 2](start = [1, 2; 3, 4], each fixed = true), y[2](start = 5);\n"
                       "type V = Real[3](each unit = \"m\"); V v[2];\nend M;", NULL, NULL, 0);
    if (t.status) fail_msg("%s", source_messages(t.s));
    const flat_variable *x = &t.m->variable[flat_find(t.m, "x[2,1]")];
    assert_true(flat_number(t.m, x->start, NULL) == 3 && x->fixed == 1);
    assert_true(flat_number(t.m, t.m->variable[flat_find(t.m, "y[2]")].start, NULL) == 5);
    assert_string_equal(t.m->variable[flat_find(t.m, "v[2,3]")].unit, "m");
    flat_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subscripts), cmocka_unit_test(run_time_subscript), cmocka_unit_test(constructors),
        cmocka_unit_test(operators), cmocka_unit_test(functions_of_arrays), cmocka_unit_test(loops),
        cmocka_unit_test(attributes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
