#define _POSIX_C_SOURCE 200809L
#include "core/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The locale "C" is always there and takes no memory: C libraries have it as a constant. */
plain_numbers plain_numbers_begin(void)
{
    return (plain_numbers){uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0))};
}

void plain_numbers_end(plain_numbers now)
{
    locale_t plain = uselocale((locale_t)now.before);
    if (plain && plain != LC_GLOBAL_LOCALE && plain != (locale_t)now.before) freelocale(plain);
}

double number_read(const char *text, char **end)
{
    plain_numbers now = plain_numbers_begin();
    double value = strtod(text, end);
    plain_numbers_end(now);
    return value;
}

long double number_read_long(const char *text, char **end)
{
    plain_numbers now = plain_numbers_begin();
    long double value = strtold(text, end);
    plain_numbers_end(now);
    return value;
}

int number_print_list(char *text, size_t size, const char *format, va_list values)
{
    plain_numbers now = plain_numbers_begin();
    int length = vsnprintf(text, size, format, values);
    plain_numbers_end(now);
    return length;
}

int number_print(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = number_print_list(text, size, format, values);
    va_end(values);
    return length;
}
