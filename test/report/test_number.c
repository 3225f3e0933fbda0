/* test_number.c -- doubles as text: digits that read back, and fractions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "report/number.h"

static void fractions(void **state)
{
    static const struct { double value; const char *text; } known[] = {
        {0, "0"}, {-0.0, "0"}, {1, "1"}, {-5, "-5"}, {0.5, "1/2"}, {1 / 3.0, "1/3"},
        {-18 / 11.0, "-18/11"}, {907929. / 10801600, "907929/10801600"}, {1e8, "100000000"},
        {0.1127016653792583, "0.1127016654"},    /* (5 - sqrt 15) / 10 */
        {1.4142135623730951, "1.414213562"}, {3.141592653589793, "3.141592654"},
        {1 / 211.0, "0.004739336493"},           /* 211 is a large prime */
        {1e-300, "1e-300"}, {INFINITY, "inf"},
    };
    char text[NUMBER_LENGTH];
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_string_equal(number_fraction(text, known[k].value), known[k].text);
}

static void decimals(void **state)
{
    static const double values[] = {0.1, 1 / 3.0, 1e22, 5e-324, -2.5};
    char text[NUMBER_LENGTH];
    (void)state;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        assert_true(strtod(number_format(text, values[k]), NULL) == values[k]);
    assert_string_equal(number_format(text, 0.1), "0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fractions), cmocka_unit_test(decimals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
