/* number.h -- doubles as text that reads back as the same double. */
#ifndef KEEL_REPORT_NUMBER_H
#define KEEL_REPORT_NUMBER_H

enum { NUMBER_LENGTH = 32 };

/* The fewest significant digits from 15 to 17 that give `value` back; returns `text`. */
const char *number_format(char text[NUMBER_LENGTH], double value);

/* The fraction p/q that `value` is nearest to in double precision, where q < 2e7 has small factors
 * only; else ten digits. */
const char *number_fraction(char text[NUMBER_LENGTH], double value);

#endif
