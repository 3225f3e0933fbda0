/* test_converge.c -- keel converge: observed orders, what failed, tables, JSON, pictures.
 *
 * Orders of Radau IIA: index 2, y and z by the recursion 2s-1 and s, z from the hidden constraint
 * 2s-1 [HW96 VII.4]; index 3 linear in lambda, projected 2s-1 in u, v and lambda from the hidden
 * constraint [Jay 1995]; not projected 2s-1, s, s-1 [HLR89].
 */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static const char *study(int i)
{
    const char *s = json_element(member("studies"), i);
    assert_non_null(s);
    return s;
}

static double list_number(const char *list, int i)
{
    const char *value = json_element(list, i);
    assert_non_null(value);
    return strncmp(value, "null", 4) == 0 ? NAN : strtod(value, NULL);
}

static const char *last_run(int i)
{
    const char *runs = json_member(study(i), "runs");
    return json_element(runs, json_count(runs) - 1);
}

/* The last observed orders of study i lie within 0.15 of theory, and the predicted ones are it. */
static void expect_orders(int i, const int *order, int count)
{
    const char *orders = json_member(last_run(i), "orders");
    assert_int_equal(json_count(orders), count);
    for (int k = 0; k < count; k++) {
        const double observed = list_number(orders, k);
        if (!(fabs(observed - order[k]) < 0.15))
            fail_msg("study %d, column %d: order %g, not %d", i, k, observed, order[k]);
        assert_true(list_number(json_member(study(i), "predicted"), k) == order[k]);
    }
}

static void orders_of_index_2(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-index2 --method radau-iia-2 --json"), 0);
    assert_true(json_valid(out));
    expect_member("method", "\"radau-iia-2\"");
    expect_member("reference", "\"exact\"");
    assert_true(number(NULL, "order") == 3 && number(NULL, "complex_systems") == 1);
    assert_true(fabs(number(NULL, "error_constant") - 1 / 72.0) < 1e-15);
    assert_int_equal(json_count(member("studies")), 3);
    assert_non_null(strstr(study(0), "\"projected\": false"));
    expect_orders(0, (const int[]){3, 2}, 2);
    expect_orders(1, (const int[]){3, 2}, 2);
    expect_orders(2, (const int[]){3, 3}, 2);
}

/* Likewise for methods that carry several values: z of the method, and from the constraint. */
static void orders_of_other_kinds(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-index2 --method bdf-2 --json"), 0);
    assert_true(number(NULL, "order") == 2 && number(NULL, "values") == 3);
    for (int i = 0; i < 3; i++) expect_orders(i, (const int[]){2, 2}, 2);
    assert_int_equal(run("converge order-index2 --method dimsim-2 --halvings 6"), 0);
    expect_contains(out, "order 2, error constant -0.0365; 3 right-hand sides an iteration, "
                         "1 real and 0 complex systems, 3 values carried");
}

/* The theory of the index that the stages see, on an index-4 problem. */
static void orders_of_a_levelled_problem(void **state)
{
    static const int y[] = {6, 6, 3};
    (void)state;
    for (int index = 1; index <= 3; index++) {
        char line[120];
        snprintf(line, sizeof line, "converge order-levelled --formulation index%d --method gauss-3 "
                 "--halvings %d --json", index, index == 3 ? 4 : 2);
        assert_int_equal(run(line), 0);
        assert_int_equal(json_count(member("studies")), 3);
        expect_orders(2, (const int[]){y[index - 1], y[index - 1]}, 2);
    }
    assert_int_equal(run("converge order-levelled --method radau-iia-2 --json"), 0);
    expect_orders(2, (const int[]){3, 3}, 2);
}

static void orders_of_a_mechanical_system(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-mechanical --method radau-iia-2 --halvings 6 --json"), 0);
    expect_orders(0, (const int[]){3, 2, 1}, 3);
    expect_orders(1, (const int[]){3, 3, 1}, 3);
    expect_orders(2, (const int[]){3, 3, 3}, 3);
}

/* Without an exact solution the reference is computed, and good enough to show order 5. */
static void orders_against_a_computed_reference(void **state)
{
    (void)state;
    assert_int_equal(run("converge pendulum --t-end 1 --method radau-iia-3 --step 0.2 --halvings 3 "
                         "--projection oblique --json"), 0);
    expect_member("reference", "\"computed\"");
    assert_int_equal(json_count(member("studies")), 1);
    expect_orders(0, (const int[]){5, 5, 5}, 3);
    assert_int_equal(run("converge pendulum --t-end -1 --method radau-iia-3 --step 0.2 --halvings 3 "
                         "--projection oblique --end --json"), 0);
    expect_orders(0, (const int[]){5, 5, 5}, 3);
}

static void steps_and_columns(void **state)
{
    (void)state;
    assert_int_equal(run("converge ascher-petzold --each --halvings 2 --step 0.0125 --json"), 0);
    assert_int_equal(json_count(member("columns")), 3);
    const char *runs = json_member(study(1), "runs");
    assert_int_equal(json_count(runs), 3);
    for (int i = 0; i < 3; i++) {
        assert_true(strtod(json_member(json_element(runs, i), "steps"), NULL) == 80 << i);
        assert_true(list_number(json_member(json_element(runs, i), "errors"), 0) < 1e-8);
    }
}

/* The experiment of Ascher & Petzold, SIAM J. Numer. Anal. 28 (1991), section 4, with lambda = 50:
 * largest errors at mesh points of Gauss 3, computed independently in 34 digits, N = 5, 10, ..., 80. */
static void ascher_petzold_table(void **state)
{
    static const double table[2][5][3] = {
        {{4.06e1, 3.93e1, 7.9}, {1.86e8, 1.81e8, 1.2e8}, {6.07e9, 5.94e9, 1.6e10},
         {1.84e7, 1.80e7, 1.3e8}, {7.95e5, 7.79e5, 1.3e7}},
        {{1.18e-2, 1.18e-2, 6.24e-3}, {2.58e-4, 1.84e-4, 7.52e-4}, {7.09e-8, 5.89e-8, 4.43e-5},
         {7.18e-10, 4.43e-10, 5.48e-6}, {9.56e-12, 5.57e-12, 6.96e-7}}};
    (void)state;
    assert_int_equal(run("converge ascher-petzold --method gauss-3 --json"), 0);
    for (int i = 0; i < 2; i++)
        for (int N = 0; N < 5; N++) {
            const char *row = json_element(json_member(study(i), "runs"), N);
            for (int k = 0; k < 3; k++) {
                const double error = list_number(json_member(row, "errors"), k);
                const double digits = i == 0 && k == 2 ? 0.04 : 0.01;     /* as printed above */
                if (!(fabs(error / table[i][N][k] - 1) < digits))
                    fail_msg("study %d, N = %d, column %d: %g, not %g", i, 5 << N, k, error,
                             table[i][N][k]);
            }
        }
}

/* Row k of the first study: its errors divided by powers of h. */
static double scaled(int k, int column)
{
    const char *row = json_element(json_member(study(0), "runs"), k);
    return list_number(json_member(row, "scaled"), column);
}

static void expect_scaled(int k, int column, double value, double relative)
{
    const double found = scaled(k, column);
    if (!(fabs(found / value - 1) < relative))
        fail_msg("h number %d, column %d: %g, not %g", k, column, found, value);
}

/* Methods 1 and 2 of Weiss 2007, 4.3.1: errors at t = 1 in the Euclidean norm over (x1, x2, y1, y2)
 * and (lambda, mu), divided by h^p, for h = 1e-2, 1e-3, 1e-4; computed independently, since the
 * tables 4.4 and 4.5 have twice the multipliers and the tolerance of a Newton method. */
static void thesis_pendulum(void **state)
{
    static const char command[] = "converge pendulum --formulation ggl --unknowns formulation "
        "--t-end 1 --step 1e-2 --ratio 10 --halvings 2 --end --norm euclidean --scaled "
        "--no-project --multipliers recursion --json --method dimsim-";
    static const double value[2][3][2] = {
        {{0.0130, 0.0790}, {0.01314, 0.08087}, {0.01316, 0.08106}},
        {{0.09607, 2.468}, {0.09553, 2.434}}};
    char line[400];
    (void)state;
    for (int p = 1; p <= 2; p++) {
        snprintf(line, sizeof line, "%s%d", command, p);
        assert_int_equal(run(line), 0);
        expect_member("norm", "\"euclidean\"");
        expect_member("unknowns", "\"formulation\"");
        assert_int_equal(json_count(member("columns")), 2);
        for (int k = 0; k < 4 - p; k++)
            for (int j = 0; j < 2; j++)
                expect_scaled(k, j, value[p - 1][k][j], p == 1 && k == 0 ? 5e-3 : 1e-3);
    }
}

/* The tables 4.6 to 4.8 of Weiss 2007 on (4.13), eta = -0.75, as far as the printed numbers are not
 * rounding errors; z of table 4.8 is z2 alone. */
static void thesis_linear(void **state)
{
    static const double z2[] = {0.00934908291, 0.00933646624};
    static const double z3[] = {0.00415514796, 0.00414954045};
    (void)state;
    assert_int_equal(run("converge weiss-linear --method dimsim-1 --step 1e-3 --ratio 10 "
                         "--halvings 1 --end --each --scaled --json"), 0);
    for (int k = 0; k < 2; k++) {
        expect_scaled(k, 2, z2[k], 1e-5);
        expect_scaled(k, 3, z3[k], 1e-5);
    }
    assert_int_equal(run("converge weiss-linear --method dimsim-2 --step 1e-3 --halvings 1 --end "
                         "--each --scaled --json"), 0);
    expect_scaled(0, 0, 1.24497912e-5, 2e-3);
    const double z = hypot(hypot(scaled(0, 1), scaled(0, 2)), scaled(0, 3));
    assert_true(fabs(z / 0.23742606 - 1) < 1e-3);
    assert_int_equal(run("converge weiss-linear --method dimsim-3 --step 1e-2 --halvings 1 --end "
                         "--each --scaled --json"), 0);
    expect_scaled(0, 2, 0.000667539357, 1e-3);
}

/* Ratio, norm and scale are about the same errors. */
static void other_views(void **state)
{
    static const char *const norms[] = {"max", "euclidean"};
    double error[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char line[200];
        snprintf(line, sizeof line, "converge order-index2 --method radau-iia-2 --step 0.1 "
                 "--ratio 3 --halvings 2 --end --scaled --json --projection oblique --norm %s",
                 norms[i]);
        assert_int_equal(run(line), 0);
        const char *row = json_element(json_member(study(0), "runs"), 0);
        error[i] = list_number(json_member(row, "errors"), 0);
        assert_true(fabs(scaled(0, 0) * 1e-3 / error[i] - 1) < 1e-12);
        assert_true(strtod(json_member(last_run(0), "steps"), NULL) == 180);
        assert_true(fabs(list_number(json_member(last_run(0), "orders"), 0) - 3) < 0.15);
    }
    assert_true(error[1] > error[0] && error[1] < sqrt(3) * error[0]);
    assert_int_equal(run("converge order-index2 --method radau-iia-2 --halvings 1 --scaled"), 0);
    expect_contains(out, "y/h^3");
    assert_int_equal(run("converge order-index2 --method bdf-1 --halvings 1 --scaled"), 0);
    expect_contains(out, "y/h ");
}

/* A step too long for Newton's method is a gap in the table, not the end of the study. */
static void failures_do_not_end_the_study(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-index3-nonlinear --method esdirk-3 --step 2 --json"), 0);
    const char *runs = json_member(study(0), "runs");
    assert_int_equal(json_count(runs), 6);
    assert_int_not_equal(strncmp(json_member(json_element(runs, 0), "status"), "\"ok\"", 4), 0);
    expect_contains(err, "keel converge: N = 1, not projected, multipliers by the recursion: KEEL_");
    assert_int_equal(strncmp(json_member(last_run(1), "status"), "\"ok\"", 4), 0);
    assert_int_equal(run("converge order-index3-nonlinear --method esdirk-3 --step 2"), 0);
    expect_contains(out, "-");
    assert_int_equal(run("converge robertson --method radau-iia-3 --step 1e9 --halvings 1 "
                         "--newton-limit 1"), 1);
}

static void table_for_people(void **state)
{
    (void)state;
    assert_int_equal(run("converge order-index2 --halvings 2"), 0);
    static const char *const parts[] = {"radau-iia-3", "not projected", "exact solution", "theory",
                                        "order"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_contains(out, parts[i]);
    assert_int_equal(run("converge order-ode --halvings 2 --end"), 0);
    assert_null(strstr(out, "projected"));
    expect_contains(out, "at the end");
}

static void pictures(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    size_t length = 0;
    assert_int_equal(run("converge order-index2 --halvings 3 --plot a.svg"), 0);
    assert_string_equal(err, "");
    char *picture = take("a.svg", &length);
    expect_contains(picture, "order-index2");
    expect_contains(picture + length - 20, "</svg>");
    free(picture);
}

static void wrong_usage(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"converge", "TARGET is missing"},
        {"converge pendulm", "did you mean 'pendulum'?"},
        {"converge pendulum --halving 2", "did you mean '--halvings'?"},
        {"converge pendulum --halvings 99", "at most"},
        {"converge pendulum --halvings 0", "above 0"},
        {"converge pendulum --ratio 1", "above 1"},
        {"converge pendulum --ratio 5000", "at most"},
        {"converge pendulum --norm l2", "'max' or 'euclidean', not 'l2'"},
        {"converge pendulum --unknowns all", "'original' or 'formulation', not 'all'"},
        {"converge pendulum --plot a.gif", ".svg or .png"},
        {"converge pendulum --t-end 0", "no steps"},
        {"converge pendulum --step 1e-200", "too many steps"},
        {"converge pendulum --method radau-iia-z", "unknown method"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_usage(cases[i][0], cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_index_2), cmocka_unit_test(orders_of_other_kinds),
        cmocka_unit_test(orders_of_a_levelled_problem),
        cmocka_unit_test(orders_of_a_mechanical_system),
        cmocka_unit_test(orders_against_a_computed_reference), cmocka_unit_test(steps_and_columns),
        cmocka_unit_test(ascher_petzold_table), cmocka_unit_test(thesis_pendulum),
        cmocka_unit_test(thesis_linear), cmocka_unit_test(other_views),
        cmocka_unit_test(failures_do_not_end_the_study), cmocka_unit_test(table_for_people),
        cmocka_unit_test(pictures), cmocka_unit_test(wrong_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
