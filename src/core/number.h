/* number.h -- numbers as text, whatever the locale of the program: with a decimal point.
 *
 * strtod and printf follow the locale, in which 1.5 may be "1,5".  Here they work in the locale
 * "C", of their thread alone and only as long as they work; that of the process is not touched.
 */
#ifndef KEEL_CORE_NUMBER_H
#define KEEL_CORE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* The thread writes and reads numbers with a point until plain_numbers_end. */
typedef struct plain_numbers { void *before; } plain_numbers;
plain_numbers plain_numbers_begin(void);
void plain_numbers_end(plain_numbers now);

/* strtod, strtold */
double number_read(const char *text, char **end);
long double number_read_long(const char *text, char **end);
/* snprintf, vsnprintf */
__attribute__((format(printf, 3, 4)))
int number_print(char *text, size_t size, const char *format, ...);
__attribute__((format(printf, 3, 0)))
int number_print_list(char *text, size_t size, const char *format, va_list values);

/* "%.17g", which says which double it is, character for character, but quickly; the length. */
enum { NUMBER_ROOM = 40 };               /* more than the text: digits are copied in blocks */
size_t number_exact(char text[NUMBER_ROOM], double value);
/* "%lu" without its end, in at most NUMBER_ROOM characters. */
size_t number_whole(char *text, unsigned long value);

#endif
