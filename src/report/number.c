/* number.c -- shortest decimal text of a double, and fractions.
 *
 * 17 significant digits always identify a double, 15 always survive the way from
 * decimal to double and back; so the first of 15, 16, 17 that reads back exactly is
 * the one that prints 0.1 as 0.1.
 */
#include "report/number.h"

#include <math.h>
#include <stdio.h>

#include "core/number.h"

const char *number_format(char text[NUMBER_LENGTH], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        number_print(text, NUMBER_LENGTH, "%.*g", digits, value);
        if (number_read(text, NULL) == value) break;
    }
    return text;
}

/* Denominators of published coefficients are products of small primes; few others are. */
static int has_small_factors(long q)
{
    for (long d = 2; d < 200; d++)
        while (q % d == 0) q /= d;
    return q == 1;
}

/* By its continued fraction: the first convergent that is the double, if there is one. */
const char *number_fraction(char text[NUMBER_LENGTH], double value)
{
    const double largest = 2e7;
    double rest = fabs(value), p = 1, q = 0, p_before = 0, q_before = 1;
    while (rest < largest) {
        const double whole = floor(rest), p_next = whole * p + p_before,
                     q_next = whole * q + q_before;
        if (q_next > largest || p_next > 1e15) break;
        p_before = p, q_before = q, p = p_next, q = q_next;
        if (p / q == fabs(value)) {
            const char *sign = value < 0 ? "-" : "";
            if (q == 1) snprintf(text, NUMBER_LENGTH, "%s%.0f", sign, p);
            else if (!has_small_factors((long)q)) break;
            else snprintf(text, NUMBER_LENGTH, "%s%.0f/%.0f", sign, p, q);
            return text;
        }
        rest = 1 / (rest - whole);
    }
    number_print(text, NUMBER_LENGTH, "%.10g", value);
    return text;
}
