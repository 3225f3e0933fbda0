/* test_registry.c -- methods by name, and what is suggested for names that do not exist. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "method/suggest.h"

static void listed_methods(void **state)
{
    (void)state;
    assert_int_equal(keel_method_count(), 8);
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info listed, found;
        char name[32];
        assert_int_equal(keel_method_at(i, &listed), KEEL_OK);
        snprintf(name, sizeof name, i ? "radau-iia-%d" : "radau-iia", i);
        assert_string_equal(listed.name, name);
        assert_int_equal(keel_method_find(name, &found), KEEL_OK);
        assert_ptr_equal(listed.name, found.name);
        assert_non_null(strstr(listed.citation, "Butcher 1964"));
        assert_true(strlen(listed.summary) > 10);
    }
}

/* What the registry claims is what the coefficients have. */
static void claims_fit_coefficients(void **state)
{
    (void)state;
    for (int s = 1; s <= STAGES_MAX; s++) {
        keel_method_info info;
        stage_method m;
        arena measure = {0};
        char name[32];
        snprintf(name, sizeof name, "radau-iia-%d", s);
        assert_int_equal(keel_method_find(name, &info), KEEL_OK);
        assert_int_equal(radau_iia(&measure, s, &m), 0);
        assert_string_equal(info.name, name);
        assert_string_equal(info.family, "Radau IIA");
        assert_int_equal(info.stages, m.s);
        assert_int_equal(info.order, m.order);
        assert_int_equal(info.stage_order, m.stage_order);
        assert_true(info.stiffly_accurate && info.r_infinity == m.r_infinity);
    }
}

static void parse(void **state)
{
    int stages = -1;
    const char *suggestion = "";
    (void)state;
    assert_int_equal(method_parse("radau-iia", &stages, &suggestion), 0);
    assert_int_equal(stages, 0);
    assert_null(suggestion);
    assert_int_equal(method_parse("radau-iia-3", &stages, &suggestion), 0);
    assert_int_equal(stages, 3);
    assert_int_equal(method_parse("radau-iia-20", &stages, &suggestion), 0);
    assert_int_equal(stages, 20);
}

static void bad_names(void **state)
{
    static const struct { const char *name, *suggestion; } bad[] = {
        {"radau", "radau-iia"},         {"Radau_IIA-5", "radau-iia-5"},
        {"radauiia-7", "radau-iia-7"},  {"radau-iia-03", "radau-iia-3"},
        {"radua-iia", "radau-iia"},     {"radau-iia-", "radau-iia-1"},
        {"", "radau-iia"},              {NULL, "radau-iia"},
        {"radau-iia-21", "radau-iia-1"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        int stages = -7;
        const char *suggestion = NULL;
        keel_method_info info;
        assert_int_equal(method_parse(bad[k].name, &stages, &suggestion), KEEL_UNKNOWN_NAME);
        assert_int_equal(stages, -7);
        assert_string_equal(suggestion, bad[k].suggestion);
        assert_int_equal(keel_method_find(bad[k].name, &info),
                         bad[k].name ? KEEL_UNKNOWN_NAME : KEEL_BAD_ARGUMENT);
    }
}

static void bad_arguments(void **state)
{
    keel_method_info info;
    (void)state;
    assert_int_equal(keel_method_at(-1, &info), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_at(keel_method_count(), &info), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_at(0, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_method_find("radau-iia", NULL), KEEL_BAD_ARGUMENT);
}

static void closest(void **state)
{
    static const char *const problems[] = {"andrews", "car-axis", "pendulum", "ring-modulator"};
    static const struct { const char *name, *closest; } pairs[] = {
        {"pednulum", "pendulum"}, {"pend", "pendulum"}, {"ring", "ring-modulator"},
        {"Car_Axis", "car-axis"}, {"andrew's", "andrews"}, {"pendulums", "pendulum"},
    };
    char long_name[300];
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        assert_string_equal(closest_name(pairs[k].name, problems, 4), pairs[k].closest);
    assert_null(closest_name("pendulum", problems, 0));
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_non_null(closest_name(long_name, problems, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_methods),  cmocka_unit_test(claims_fit_coefficients),
        cmocka_unit_test(parse),           cmocka_unit_test(bad_names),
        cmocka_unit_test(bad_arguments),   cmocka_unit_test(closest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
