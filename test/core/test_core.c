/* test_core.c -- statuses, options, messages, norms, the arena. */
#include "core/arena.h"
#include "core/message.h"
#include "core/norm.h"
#include "core/options.h"

/* cmocka's macro fail() hides the function of that name. */
static int complain(message *m, int status, const char *text)
{
    return fail(m, status, "%s", text);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void statuses(void **state)
{
    (void)state;
    for (int status = KEEL_ILL_CONDITIONED; status <= KEEL_EVENT; status++) {
        if (status == KEEL_ASSERTION + 1) continue;          /* not taken */
        assert_memory_equal(keel_status_name(status), "KEEL_", 5);
        assert_true(strlen(keel_status_text(status)) >= 4);
        for (int other = KEEL_ILL_CONDITIONED; other < status; other++)
            assert_string_not_equal(keel_status_name(status), keel_status_name(other));
    }
    assert_string_equal(keel_status_name(KEEL_OK), "KEEL_OK");
    assert_string_equal(keel_status_name(KEEL_WRONG_INDEX), "KEEL_WRONG_INDEX");
    assert_string_equal(keel_status_name(99), "unknown status");
    assert_string_equal(keel_status_text(-99), "unknown status");
    int part[3];
    assert_int_equal(sscanf(keel_version(), "%d.%d.%d", &part[0], &part[1], &part[2]), 3);
}

/* ---- options --------------------------------------------------------------------------------- */

static void set(keel_options *o, const char *name, const char *value, int expected)
{
    char text[200] = "";
    int rc = keel_option_set(o, name, value, text, sizeof text);
    if (rc != expected) fail_msg("%s = %s: %s %s", name, value, keel_status_name(rc), text);
    if (rc) assert_non_null(strstr(text, name));
}

/* Every row has help, a consistent default, and parses what it prints. */
static void table(void **state)
{
    int count = 0;
    const keel_option *row = keel_option_table(&count);
    (void)state;
    assert_true(count >= 15);
    assert_ptr_equal(keel_option_table(NULL), row);
    for (int i = 0; i < count; i++) {
        keel_options o = {0};
        char value[64];
        assert_true(strlen(row[i].help) > 5);
        assert_true(row[i].offset < sizeof(keel_options));
        for (int k = 0; k < i; k++) assert_string_not_equal(row[i].name, row[k].name);
        switch (row[i].kind) {
        case KEEL_OPTION_TEXT: snprintf(value, sizeof value, "radau-iia"); break;
        case KEEL_OPTION_CHOICE:
            snprintf(value, sizeof value, "%.*s", (int)strcspn(row[i].choices, "|"),
                     row[i].choices);
            break;
        default:
            snprintf(value, sizeof value, "%.17g",
                     row[i].standard != 0 ? row[i].standard : fmax(row[i].least, 0));
        }
        set(&o, row[i].name, value, KEEL_OK);
    }
}

static void defaults(void **state)
{
    keel_options o;
    message m = {""};
    (void)state;
    assert_int_equal(options_resolve(&o, NULL, 0, &m), KEEL_OK);
    assert_string_equal(o.method, "auto");
    assert_true(o.rtol == 1e-6 && o.atol == 1e-6);
    assert_true(o.step == 0 && o.first_step == 0 && o.max_step == 0);
    assert_int_equal(o.max_steps, 10000000);
    assert_int_equal(o.projection, KEEL_PROJECT_OBLIQUE);
    assert_int_equal(o.linear, KEEL_LINEAR_AUTO);
    assert_int_equal(options_resolve(&o, &(keel_options){.rtol = 1e-3}, sizeof o, &m), KEEL_OK);
    assert_true(o.rtol == 1e-3 && o.atol == 1e-3);
    assert_int_equal(options_resolve(&o, &(keel_options){.rtol = 1e-3, .atol = 1e-9}, sizeof o, &m),
                     KEEL_OK);
    assert_true(o.atol == 1e-9);
}

static void parsing(void **state)
{
    keel_options o = {0};
    (void)state;
    set(&o, "rtol", "1e-9", KEEL_OK);
    set(&o, "max-steps", "12", KEEL_OK);
    set(&o, "method", "radau-iia-4", KEEL_OK);
    set(&o, "projection", "none", KEEL_OK);
    set(&o, "multipliers", "recursion", KEEL_OK);
    set(&o, "linear", "mechanical", KEEL_OK);
    set(&o, "iteration", "full", KEEL_OK);
    set(&o, "sweeps", "-1", KEEL_OK);
    set(&o, "jacobian-differences", "1", KEEL_OK);
    assert_true(o.rtol == 1e-9 && o.max_steps == 12 && o.sweeps == -1);
    assert_string_equal(o.method, "radau-iia-4");
    assert_int_equal(o.projection, KEEL_PROJECT_NONE);
    assert_int_equal(o.multipliers, KEEL_MULTIPLIERS_RECURSION);
    assert_int_equal(o.linear, KEEL_LINEAR_MECHANICAL);
    assert_int_equal(o.iteration, KEEL_ITERATION_FULL);
    assert_int_equal(o.jacobian_differences, 1);
}

static void refusals(void **state)
{
    static const struct { const char *name, *value; } bad[] = {
        {"rtol", ""}, {"rtol", "abc"}, {"rtol", "1e-6x"}, {"rtol", "nan"}, {"rtol", "-1e-6"},
        {"rtol", "0.5"}, {"atol", "inf"}, {"max-steps", "1.5"}, {"max-steps", "0"},
        {"max-steps", "1e300"}, {"projection", "obliqu"}, {"projection", ""},
        {"linear", "auto|dense"},
        {"iteration", "2"}, {"sweeps", "9"}, {"safety", "1"}, {"jacobian-differences", "yes"},
        {"jacobian-differences", "1e54"},
        {"newton-limit", "101"}};
    keel_options o = {0}, before = {0};
    char text[8];
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        set(&o, bad[k].name, bad[k].value, KEEL_BAD_ARGUMENT);
    assert_memory_equal(&o, &before, sizeof o);
    set(&o, "tolerance", "1", KEEL_UNKNOWN_NAME);
    assert_int_equal(keel_option_set(NULL, "rtol", "1", text, 8), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_option_set(&o, NULL, "1", text, 8), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_option_set(&o, "rtol", NULL, text, 8), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_option_set(&o, "rtol", "x", text, 0), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_option_set(&o, "rtol", "x", text, sizeof text), KEEL_BAD_ARGUMENT);
    assert_true(strlen(text) == sizeof text - 1);              /* cut, and terminated */
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void long_messages(void **state)
{
    message m;
    char text[2000];
    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_int_equal(complain(&m, KEEL_SINGULAR, text), KEEL_SINGULAR);
    assert_int_equal(strlen(m.text), sizeof m.text - 1);
    assert_int_equal(complain(&m, KEEL_OK, ""), KEEL_OK);
    assert_string_equal(m.text, "");
}

static void norms(void **state)
{
    double x[3] = {3, -4, 0.5}, w[3] = {1, 0.5, 2}, bad[3] = {1, NAN, 2}, huge[2] = {1, INFINITY};
    (void)state;
    assert_true(norm_sum(3, x, w) == 9 + 4 + 1);
    assert_true(norm_max(3, x) == 4);
    assert_true(norm_max(0, x) == 0);
    assert_true(isnan(norm_max(2, bad)));
    assert_true(isnan(norm_max(3, bad)));                      /* also when a number follows */
    assert_int_equal(first_not_finite(3, x), -1);
    assert_int_equal(first_not_finite(3, bad), 1);
    assert_int_equal(first_not_finite(2, huge), 1);
    assert_int_equal(first_not_finite(2, (double[]){DBL_MAX, -DBL_MAX}), -1);
    assert_int_equal(first_not_finite(0, NULL), -1);
}

static void arenas(void **state)
{
    arena measure = {0};
    (void)state;
    assert_null(ARENA(&measure, char, 3));
    assert_null(ARENA(&measure, double, 5));
    assert_true(measure.used >= 32 + 5 * sizeof(double));
    void *block = arena_block(measure.used);
    assert_non_null(block);
    arena a = {.base = block};
    char *first = ARENA(&a, char, 3);
    double *second = ARENA(&a, double, 5);
    assert_true((uintptr_t)second % 32 == 0 && (char *)second >= first + 3);
    assert_int_equal(a.used, measure.used);
    for (int i = 0; i < 5; i++) assert_true(second[i] == 0);
    arena_block_free(block);
    void *empty = arena_block(0);
    assert_non_null(empty);
    arena_block_free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses), cmocka_unit_test(table), cmocka_unit_test(defaults),
        cmocka_unit_test(parsing), cmocka_unit_test(refusals), cmocka_unit_test(long_messages),
        cmocka_unit_test(norms), cmocka_unit_test(arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
