/* test_registry.c -- methods by name, and what is suggested for names that do not exist. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/suggest.h"

static void listed_methods(void **state)
{
    static const char *const expected[] = {"radau-iia", "auto", "radau-iia-1", "radau-iia-7",
        "gauss-1", "gauss-5", "radau-ia-2", "lobatto-iiia-2", "lobatto-iiic-5", "sdirk-2",
        "sdirk-4", "sdirk-4b", "tr-bdf2", "esdirk-3", "esdirk-4", "esdirk-5", "euler", "rk4",
        "dopri5", "dop853", "verner8", "hem-3", "hem-4", "hem-5", "phem56", "bdf", "dimsim",
        "bdf-1", "bdf-6", "dcbdf-6", "beta-adams-3", "beta-trapezoidal", "adams-6", "dimsim-3"};
    size_t seen = 0;
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info listed, found;
        assert_int_equal(keel_method_at(i, &listed), KEEL_OK);
        assert_int_equal(keel_method_find(listed.name, &found), KEEL_OK);
        assert_ptr_equal(listed.name, found.name);
        assert_int_equal(listed.order, found.order);
        assert_true(strlen(listed.summary) > 10 && strlen(listed.citation) > 5);
        for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++)
            seen += strcmp(expected[k], listed.name) == 0;
    }
    assert_int_equal(seen, sizeof expected / sizeof expected[0]);
}

/* A family is listed as a whole: none comes back after another one. */
static void listed_by_families(void **state)
{
    (void)state;
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info before, same, other;
        keel_method_at(i, &same);
        for (int j = 0; j + 1 < i; j++) {
            keel_method_at(j, &before);
            keel_method_at(i - 1, &other);
            if (strcmp(before.family, same.family) == 0)
                assert_string_equal(other.family, same.family);
        }
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

/* What lists say agrees with the method that the name makes. */
static void infos_fit_methods(void **state)
{
    static const char *const more[] = {"gauss-20", "lobatto-iiic-13", "collocation-3:0.5",
                                       "collocation-4:2", "collocation:0,1/2,1", "radau-ia-20",
                                       "dcbdf-4:constrain-last", "beta-adams-3:constrain-first"};
    int listed = keel_method_count(), count = listed + (int)(sizeof more / sizeof more[0]);
    (void)state;
    for (int i = 0; i < count; i++) {
        keel_method_info info;
        keel_method *m;
        if (i < listed) assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        else assert_int_equal(keel_method_find(more[i - listed], &info), KEEL_OK);
        const char *name = i < listed ? info.name : more[i - listed];
        if (info.stages == 0) continue;
        assert_int_equal(keel_method_named(&m, name), KEEL_OK);
        const keel_tableau *t = &m->tableau;
        assert_string_equal(t->name, name);
        assert_int_equal(info.stages, t->stages);
        assert_int_equal(info.order, t->order);
        assert_int_equal(info.stage_order, m->stage_order);
        assert_int_equal(info.stiffly_accurate, m->stiffly_accurate);
        assert_int_equal(info.kind, keel_method_kind_of(m));
        assert_int_equal(info.values, m->general.values);
        assert_int_equal(info.steps, m->multistep.steps);
        assert_true(isnan(info.r_infinity) ? isnan(m->r_infinity)
                                           : info.r_infinity == m->r_infinity);
        assert_int_equal(m->radau_iia, strncmp(name, "radau-iia-", 10) == 0);
        keel_method_free(m);
    }
}

/* Nothing about families is taken from their names alone: what the coefficients say agrees. */
static void families_keep_their_promises(void **state)
{
    static const char *const names[] = {"radau-iia", "gauss", "radau-ia", "lobatto-iiia",
                                        "lobatto-iiic"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        for (int s = 2; s <= 8; s++) {
            keel_method *named, *same;
            char name[32];
            snprintf(name, sizeof name, "%s-%d", names[k], s);
            assert_int_equal(keel_method_named(&named, name), KEEL_OK);
            assert_int_equal(keel_method_create(&same, keel_method_tableau(named)), KEEL_OK);
            assert_int_equal(same->stage_order, named->stage_order);
            if (!(fabs(same->r_infinity - named->r_infinity) <= 1e-11))
                fail_msg("R(inf) of %s is %.17g", name, same->r_infinity);
            keel_method_free(named);
            keel_method_free(same);
        }
}

static void collocation_by_name(void **state)
{
    static const struct { const char *name; int stages, order; double r_infinity; } known[] = {
        {"collocation-2:0.5", 2, 3, 1.0 / 3},  {"collocation-3:0.5", 3, 5, -1.0 / 3},
        {"collocation-3:1", 3, 5, 0},          {"collocation-2:0", 2, 4, 1},
        {"collocation-2:-1/2", 2, 3, 3},       {"collocation-3:2", 3, 5, 1.0 / 3},
        {"collocation:1", 1, 1, 0},            {"collocation:1/2", 1, 2, -1},
        {"collocation:0,1/2,1", 3, 4, 1},      {"collocation:1/3,1", 2, 3, 0},
        {"collocation:(4-sqrt(6))/10,(4+sqrt(6))/10,1", 3, 5, 0},
        {"collocation:0.25,0.5", 2, 2, 3},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        keel_method *m;
        assert_int_equal(keel_method_named(&m, known[k].name), KEEL_OK);
        assert_int_equal(m->tableau.stages, known[k].stages);
        assert_int_equal(m->tableau.order, known[k].order);
        assert_true(fabs(m->r_infinity - known[k].r_infinity) < 1e-13);
        assert_int_equal(m->stage_order, known[k].stages);
        keel_method *again;                          /* R(inf) from the coefficients alone */
        assert_int_equal(keel_method_create(&again, keel_method_tableau(m)), KEEL_OK);
        assert_true(fabs(again->r_infinity - known[k].r_infinity) < 1e-13);
        keel_method_free(again);
        keel_method_free(m);
    }
}

static void choose(void **state)
{
    static const struct { const char *name; method_range range; int stages; } chosen[] = {
        {"auto", METHOD_AUTO, 0}, {"radau-iia", METHOD_RADAU_IIA, 0},
        {"radau-iia-3", METHOD_ONE, 3},
        {"radau-iia-20", METHOD_ONE, 20}, {"verner8", METHOD_ONE, 13},
        {"collocation-2:1/2", METHOD_ONE, 2}, {"bdf", METHOD_BDF, 0}, {"dimsim", METHOD_DIMSIM, 0},
        {"bdf-3", METHOD_ONE, 1}, {"dimsim-3", METHOD_ONE, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof chosen / sizeof chosen[0]; k++) {
        const char *suggestion = "";
        method_range range;
        keel_method *m;
        assert_int_equal(method_choose(chosen[k].name, &range, &m, &suggestion), 0);
        assert_int_equal(range, chosen[k].range);
        assert_int_equal(m ? m->tableau.stages : 0, chosen[k].stages);
        assert_null(suggestion);
        keel_method_free(m);
    }
}

static void bad_names(void **state)
{
    static const struct { const char *name, *suggestion; } bad[] = {
        {"radau", "radau-iia"},         {"Radau_IIA-5", "radau-iia-5"},
        {"radauiia-7", "radau-iia-7"},  {"radau-iia-03", "radau-iia-3"},
        {"radua-iia", "radau-iia"},     {"radau-iia-", "radau-iia-1"},
        {"radau-iia-21", "radau-iia-1"}, {"dopri", "dopri5"},
        {"verner", "verner8"},          {"gaus-3", "gauss-3"},
        {"lobatto-iiia-1", "lobatto-iiia-10"}, {"trbdf2", "tr-bdf2"},
        {"BDF_3", "bdf-3"}, {"dimsin-3", "dimsim-3"}, {"adams", "adams-1"},
        {"dcbdf-2:last", "dcbdf-2"}, {"dcbdf-2:constrain-lst", "dcbdf-2:constrain-last"},
        {"collocation-0:1", NULL}, {"collocation-21:1", NULL}, {"collocation-3", NULL},
        {"collocation-3:", NULL}, {"collocation-3:-1", NULL}, {"collocation-3:1x", NULL},
        {"collocation-2.5:1", NULL}, {"collocation-3:1/0", NULL}, {"collocation:", NULL},
        {"collocation:0,0", NULL}, {"collocation:0,", NULL}, {"collocation:a", NULL},
        {"collocation", NULL}, {"collocation:0x1", NULL}, {"collocation:nan", NULL},
        {"collocation:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20", NULL},
        {"", NULL}, {NULL, NULL},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        method_range range;
        const char *suggestion = NULL;
        keel_method_info info;
        keel_method *m;
        assert_int_equal(method_choose(bad[k].name, &range, &m, &suggestion), KEEL_UNKNOWN_NAME);
        assert_null(m);
        assert_non_null(suggestion);
        if (bad[k].suggestion) assert_string_equal(suggestion, bad[k].suggestion);
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
        cmocka_unit_test(listed_methods),      cmocka_unit_test(claims_fit_coefficients),
        cmocka_unit_test(infos_fit_methods),   cmocka_unit_test(families_keep_their_promises),
        cmocka_unit_test(collocation_by_name), cmocka_unit_test(choose),
        cmocka_unit_test(bad_names),           cmocka_unit_test(bad_arguments),
        cmocka_unit_test(closest),             cmocka_unit_test(listed_by_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
