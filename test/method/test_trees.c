/* test_trees.c -- rooted trees: their number, density, notation, and the order they give. */
#include "method/conditions.h"
#include "method/trees.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* [HNW93 II.2 table 2.1] */
static void numbers_of_trees(void **state)
{
    static const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
    static rooted_trees trees;
    (void)state;
    rooted_trees_list(&trees);
    for (int n = 1; n <= TREE_ORDER_MAX; n++)
        assert_int_equal(trees.first[n + 1] - trees.first[n], known[n - 1]);
}

/* All trees up to order 4 with their densities [HNW93 II.2 table 2.1]. */
static void densities(void **state)
{
    static const struct { const char *text; long gamma; } known[] = {
        {"t", 1}, {"[t]", 2}, {"[t,t]", 3}, {"[[t]]", 6}, {"[t,t,t]", 4}, {"[[t],t]", 8},
        {"[[t,t]]", 12}, {"[[[t]]]", 24},
    };
    static rooted_trees trees;
    (void)state;
    rooted_trees_list(&trees);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int found = 0;
        for (int i = 0; i < trees.first[5]; i++) {
            char text[TREE_TEXT];
            rooted_tree_text(&trees, i, text);
            if (strcmp(text, known[k].text) == 0) found += trees.each[i].gamma == known[k].gamma;
        }
        assert_int_equal(found, 1);
    }
}

/* Every tree has a text of its own, short enough, and the tall tree has density n!. */
static void texts(void **state)
{
    static rooted_trees trees;
    static char text[TREE_COUNT][TREE_TEXT];
    (void)state;
    rooted_trees_list(&trees);
    for (int i = 0; i < TREE_COUNT; i++) {
        rooted_tree_text(&trees, i, text[i]);
        assert_true(strlen(text[i]) < TREE_TEXT);
        for (int k = trees.first[trees.each[i].order]; k < i; k++)
            assert_string_not_equal(text[i], text[k]);
        if (strcmp(text[i], "[[[[[[[[[t]]]]]]]]]") == 0)
            assert_int_equal(trees.each[i].gamma, 3628800);
    }
}

/* The classical method has order 4; of order 5 the bushy tree fails first, by
 * 0 + 4/6 (1/2)^4 + 1/6 - 1/5 = 1/120. */
static void classical_method(void **state)
{
    static const double A[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
    static const double b[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    order_defect failed;
    (void)state;
    assert_int_equal(order_by_trees(&(keel_tableau){.stages = 4, .A = A}, b, 0, CONDITION_TOLERANCE, &failed), 4);
    assert_string_equal(failed.tree, "[t,t,t,t]");
    assert_true(fabs(failed.defect - 1 / 120.0) < 1e-15);
}

/* Heun's method of order 3 with b_2 and b_3 exchanged is still consistent only. */
static void exchanged_weights(void **state)
{
    static const double A[9] = {0, 0, 0, 1 / 3.0, 0, 0, 0, 2 / 3.0, 0};
    static const double right[3] = {0.25, 0, 0.75}, wrong[3] = {0.25, 0.75, 0};
    order_defect failed;
    (void)state;
    assert_int_equal(order_by_trees(&(keel_tableau){.stages = 3, .A = A}, right, 0, CONDITION_TOLERANCE, &failed), 3);
    assert_int_equal(order_by_trees(&(keel_tableau){.stages = 3, .A = A}, wrong, 0, CONDITION_TOLERANCE, &failed), 1);
    assert_string_equal(failed.tree, "[t]");
    assert_true(fabs(failed.defect + 0.25) < 1e-15);
}

/* Trees and simplifying assumptions agree: Gauss with 3 stages has order 6 by both. */
static void gauss_by_trees(void **state)
{
    const double w = sqrt(15);
    const double A[9] = {5 / 36.0,          2 / 9.0 - w / 15, 5 / 36.0 - w / 30,
                         5 / 36.0 + w / 24, 2 / 9.0,          5 / 36.0 - w / 24,
                         5 / 36.0 + w / 30, 2 / 9.0 + w / 15, 5 / 36.0};
    const double b[3] = {5 / 18.0, 4 / 9.0, 5 / 18.0}, c[3] = {0.5 - w / 10, 0.5, 0.5 + w / 10};
    keel_tableau t = {.stages = 3, .A = A, .b = b, .c = c};
    order_conditions o = find_order(&t, b);
    order_defect failed;
    (void)state;
    assert_int_equal(order_by_trees(&(keel_tableau){.stages = 3, .A = A}, b, 0, CONDITION_TOLERANCE, &failed), 6);
    assert_int_equal(o.order, 6);
    assert_true(o.B == 6 && o.C == 3 && o.D == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_trees), cmocka_unit_test(densities), cmocka_unit_test(texts),
        cmocka_unit_test(classical_method), cmocka_unit_test(exchanged_weights),
        cmocka_unit_test(gauss_by_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
