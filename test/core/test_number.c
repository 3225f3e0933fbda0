/* test_number.c -- numbers as text: number_exact is "%.17g", character for character. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/number.h"

static void same(double value)
{
    char text[NUMBER_ROOM], expected[NUMBER_ROOM];
    const int length = snprintf(expected, sizeof expected, "%.17g", value);
    assert_int_equal(number_exact(text, value), length);
    assert_string_equal(text, expected);
}

static void both(double value)
{
    same(value);
    same(-value);
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 11;
}

/* All sizes, and those between 1e-22 and 1e18 more often. */
static void any_number(void **unused)
{
    uint64_t state = 1;
    (void)unused;
    for (int i = 0; i < 400000; i++) {
        const double x = ldexp(1 + (double)next(&state) * 0x1p-53, (int)(next(&state) % 134) - 73);
        both(i % 10 == 0 ? ldexp(x, (int)(next(&state) % 1900) - 950) : x);
    }
}

/* m / 2^k 10^p lies in the middle between two integers: to even, as the C library does. */
static void in_the_middle(void **unused)
{
    uint64_t state = 2;
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        both(1e15 + (double)(next(&state) % 4000000000u) + 0.25);
        both(1e15 + (double)(next(&state) % 4000000000u) + 0.75);
        both(1e14 + (double)(next(&state) % 4000000000u) + 0.125);
        both(ldexp((double)(next(&state) | 1), -(int)(next(&state) % 30)));
    }
}

static void whole_numbers(void **unused)
{
    uint64_t state = 3;
    char text[NUMBER_ROOM], expected[NUMBER_ROOM];
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        const unsigned long n = (unsigned long)(next(&state) >> next(&state) % 53);
        const int length = snprintf(expected, sizeof expected, "%lu", n);
        assert_int_equal(number_whole(text, n), length);
        assert_memory_equal(text, expected, (size_t)length);
        both((double)n);
        both(i);
    }
}

static void special_numbers(void **unused)
{
    const double some[] = {0, 1, 0.1, 0.3, 1e-4, 9.9999999999999995e-5, 1e-5, 123456, 1e15, 1e16, 1e17, 1e22, 1e23,
                           9007199254740992, 0.99999999999999989, 9.9999999999999982, 5e-324, DBL_MIN, DBL_MAX,
                           DBL_EPSILON, 1e-20, 9.9999999999999995e-21, 1e300, 2.2250738585072011e-308};
    (void)unused;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) both(some[i]);
    for (int k = -330; k < 310; k++) {
        const double x = strtod((char[]){'1', 'e', k < 0 ? '-' : '+', (char)('0' + abs(k) / 100),
                                         (char)('0' + abs(k) / 10 % 10), (char)('0' + abs(k) % 10), 0}, NULL);
        both(x), both(nextafter(x, 0)), both(nextafter(x, INFINITY));
    }
    both(INFINITY);
    same(NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number),
        cmocka_unit_test(in_the_middle),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(special_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
