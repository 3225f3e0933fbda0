/* number.c -- shortest decimal text of a double.
 *
 * 17 significant digits always identify a double, 15 always survive the way from
 * decimal to double and back; so the first of 15, 16, 17 that reads back exactly is
 * the one that prints 0.1 as 0.1.
 */
#include "report/number.h"

#include <stdio.h>
#include <stdlib.h>

const char *number_format(char text[NUMBER_LENGTH], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_LENGTH, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}
