/* test_manifold.c -- keel manifold: the theorem of Schropp, Konstanzer Schriften 226, theorem 2.1.
 *
 * The discrete manifold of the multipliers lies O(h^(q-1)) from the hidden constraint, and Radau IIA
 * (q = s, R(inf) = 0) reaches it in one step.
 */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static double of_run(int i, const char *key)
{
    const char *text = json_member(json_element(member("runs"), i), key);
    assert_non_null(text);
    return strncmp(text, "null", 4) == 0 ? NAN : strtod(text, NULL);
}

static void distance_has_order_q_less_1(void **state)
{
    (void)state;
    for (int s = 2; s <= 4; s++) {
        char line[100];
        snprintf(line, sizeof line, "manifold order-index3-nonlinear --method radau-iia-%d --json", s);
        assert_int_equal(run(line), 0);
        assert_true(json_valid(out));
        assert_true(number(NULL, "stage_order") == s);
        assert_true(number(NULL, "predicted_distance_order") == s - 1);
        const int last = json_count(member("runs")) - 1;
        assert_true(fabs(of_run(last, "distance_order") - (s - 1)) < 0.1);
    }
}

static void radau_forgets_perturbations_at_once(void **state)
{
    (void)state;
    static const char *const targets[] = {"order-index3-nonlinear", "order-index3", "pendulum"};
    for (int k = 0; k < 3; k++) {
        char line[100];
        snprintf(line, sizeof line, "manifold %s --t-end 1 --halvings 2 --json", targets[k]);
        assert_int_equal(run(line), 0);
        for (int i = 0; i < 3; i++) assert_true(of_run(i, "chi") < 1e-8);    /* rounding / d */
    }
}

/* Collocation at the zeros of P_s - c P_(s-1) has R(inf) = +-(1 - c) / (1 + c) and q = s; chi exceeds
 * it by O(h^q) where k is nonlinear in lambda, and not at all where it is linear. */
static void attraction_is_that_of_r_infinity(void **state)
{
    (void)state;
    for (int s = 2; s <= 3; s++) {
        char line[100];
        snprintf(line, sizeof line, "manifold order-index3-nonlinear --method collocation-%d:0.5 "
                 "--step 0.2 --halvings 3 --json", s);
        assert_int_equal(run(line), 0);
        assert_true(fabs(fabs(number(NULL, "r_infinity")) - 1.0 / 3) < 1e-12);
        assert_true(fabs(of_run(3, "chi") - 1.0 / 3) < 1e-4);
        assert_true(fabs(of_run(3, "excess_order") - s) < 0.15);
        assert_true(fabs(of_run(3, "distance_order") - (s - 1)) < 0.15);
    }
    assert_int_equal(run("manifold order-index3 --method collocation-3:0.5 --halvings 2 --json"), 0);
    for (int i = 0; i < 3; i++) assert_true(of_run(i, "excess") < 1e-8);
}

static void table_and_picture(void **state)
{
    (void)state;
    assert_int_equal(run("manifold pendulum --t-end 2 --halvings 2"), 0);
    static const char *const parts[] = {"R(inf)", "stage order 3", "chi", "distance", "theory"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect_contains(out, parts[i]);
    if (system("gnuplot --version >/dev/null 2>&1") != 0) skip();
    size_t length = 0;
    assert_int_equal(run("manifold pendulum --t-end 2 --halvings 2 --plot a.svg"), 0);
    assert_string_equal(err, "");
    char *picture = take("a.svg", &length);
    expect_contains(picture, "hidden constraint");
    assert_null(strstr(picture, "attraction:"));         /* which is 0 here */
    free(picture);
    assert_int_equal(run("manifold order-index3-nonlinear --method collocation-2:0.5 --step 0.2 "
                         "--halvings 1 --plot a.svg"), 0);
    picture = take("a.svg", &length);
    expect_contains(picture, "attraction:");
    free(picture);
}

static void wrong_usage(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"manifold", "TARGET is missing"},
        {"manifold van-der-pol", "index 2 or 3"},
        {"manifold pendulum --method radau-iia", "radau-iia-3"},
        {"manifold pendulum --t-end 0", "no steps"},
        {"manifold pendulum --plot a", ".svg or .png"},
        {"manifold pendulum --halvings 50", "at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_usage(cases[i][0], cases[i][1]);
}

/* Neither by its name nor from a file. */
static void explicit_methods_have_no_recursion(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/explicit.txt", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("A: 0\nb: 1\n", file);
    assert_int_equal(fclose(file), 0);
    expect_usage("manifold order-index3 --method dopri5", "no recursion");
    expect_usage("manifold order-index3 --method-file explicit.txt", "no recursion");
    free(take("explicit.txt", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_has_order_q_less_1),
        cmocka_unit_test(radau_forgets_perturbations_at_once),
        cmocka_unit_test(attraction_is_that_of_r_infinity), cmocka_unit_test(table_and_picture),
        cmocka_unit_test(wrong_usage),
        cmocka_unit_test(explicit_methods_have_no_recursion),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
