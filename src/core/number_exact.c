/* number_exact.c -- 17 significant digits of a double.
 *
 * x 10^p, p chosen so that it has 17 digits before its point, is the sum hi + lo of two doubles: exactly so
 * for p <= 22, where 10^p is a double itself [T. J. Dekker, Numer. Math. 18 (1971)].  Then hi is an integer and
 * lo decides the rounding.  Up to p = 36 the second of two products has an error of some 1e-15: where lo is not
 * clearly on one side, and for other sizes, the C library does it.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/number.h"

enum { DIGITS = 17, EXACT = 22 };

static const double ten[EXACT + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
                                      1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const double smallest = 1e-20, doubtful = 1e-9;
static const int64_t least = INT64_C(10000000000000000), beyond = INT64_C(100000000000000000);

/* a b = hi + lo. */
static void product(double a, double b, double *hi, double *lo)
{
    const double splitter = 134217729;           /* 2^27 + 1 */
    double x = splitter * a, y = splitter * b;
    double a1 = x - (x - a), a2 = a - a1, b1 = y - (y - b), b2 = b - b1;
    *hi = a * b;
    *lo = ((a1 * b1 - *hi) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* x 10^p rounded to an integer, to even where it is in the middle; -1: that is not certain. */
static int64_t scaled(double x, int p)
{
    double hi, lo, more;
    product(x, ten[p < EXACT ? p : EXACT], &hi, &lo);
    if (p > EXACT) {
        const double rest = lo * ten[p - EXACT];
        product(hi, ten[p - EXACT], &hi, &more);
        more += rest;
        const double sum = hi + more;
        lo = more - (sum - hi);
        hi = sum;
    }
    const int64_t below = (int64_t)lo - (lo < 0), n = (int64_t)hi + below;
    const double part = lo - (double)below;      /* from 0 to 1, both may be */
    if (p > EXACT && fabs(part - 0.5) < doubtful) return -1;
    return n + (part > 0.5 || (part == 0.5 && n % 2 != 0));
}

/* The digits of x as one number, and the power of ten of the first; 0: not by this way. */
static int64_t digits_of(double x, int *power)
{
    uint64_t bits;
    if (!(x >= smallest && x < 1e16)) return 0;
    memcpy(&bits, &x, sizeof bits);
    const int two = (int)(bits >> 52) - 1023, wide = two * 78913;       /* 2^18 lg 2 */
    int k = wide >= 0 ? wide >> 18 : -((-wide + 0x3ffff) >> 18);        /* or one more */
    int64_t n = scaled(x, DIGITS - 1 - k);
    if (n >= beyond) {
        k++;
        n = scaled(x, DIGITS - 1 - k);
    }
    *power = k;
    return n >= least && n < beyond ? n : 0;
}

static char *put_power(char *end, int power)
{
    const int size = power < 0 ? -power : power;
    *end++ = 'e';
    *end++ = power < 0 ? '-' : '+';
    *end++ = (char)('0' + size / 10);
    *end++ = (char)('0' + size % 10);
    return end;
}

/* Eight digits, two at a time. */
static void put_eight(char *to, uint32_t n)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    const uint32_t high = n / 10000, low = n % 10000;
    memcpy(to, pairs + 2 * (high / 100), 2);
    memcpy(to + 2, pairs + 2 * (high % 100), 2);
    memcpy(to + 4, pairs + 2 * (low / 100), 2);
    memcpy(to + 6, pairs + 2 * (low % 100), 2);
}

/* As %g: without zeros behind, from 1e-4 on without a power of ten.  All digits are copied at once, and what
 * is behind the last one that counts is written over. */
static char *put(char *end, int64_t n, int power)
{
    char digit[2 * DIGITS];
    const int64_t high = n / 100000000;
    int count = DIGITS;
    digit[0] = (char)('0' + high / 100000000);
    put_eight(digit + 1, (uint32_t)(high % 100000000));
    put_eight(digit + 9, (uint32_t)(n % 100000000));
    while (count > 1 && digit[count - 1] == '0') count--;
    memset(digit + DIGITS, '0', DIGITS);
    const int fixed = power >= -4, before = !fixed ? 1 : power >= 0 ? power + 1 : 0;
    if (before == 0) {
        memcpy(end, "0.000", 5);
        end += 1 - power;
    }
    memcpy(end, digit, DIGITS);
    if (before == 0 || count <= before) end += before == 0 ? count : before;
    else {
        memcpy(end + before + 1, digit + before, DIGITS);
        end[before] = '.';
        end += count + 1;
    }
    return fixed ? end : put_power(end, power);
}

size_t number_exact(char text[NUMBER_ROOM], double value)
{
    int power = 0;
    const int64_t n = digits_of(fabs(value), &power);
    char *end = text;
    if (n == 0 && value != 0) return (size_t)number_print(text, NUMBER_ROOM, "%.17g", value);
    if (signbit(value)) *end++ = '-';
    if (value == 0) *end++ = '0';
    else end = put(end, n, power);
    *end = '\0';
    return (size_t)(end - text);
}
