/* numbers.h -- reproducible numbers for the tests of src/linear. */
#ifndef KEEL_TEST_LINEAR_NUMBERS_H
#define KEEL_TEST_LINEAR_NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Uniform in (-1, 1). */
static inline double number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static inline void numbers(uint64_t *state, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] = number(state);
}

static inline double *vector(size_t count)
{
    double *x = calloc(count ? count : 1, sizeof *x);
    if (!x) abort();
    return x;
}

static inline double largest_entry(const double *x, size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) <= size)) size = fabs(x[i]);
    return size;
}

#endif
