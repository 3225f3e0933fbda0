/* number_exact.c -- 17 significant digits of a double, and those of integers.
 *
 * x = m 2^-s times 10^p, p chosen so that it has 17 digits before its point, is m 10^p in integers of up to
 * 180 bits, cut off behind s bits, which decide the rounding: exactly, to even in the middle.  From 1e-20 to 2^53;
 * what is smaller or larger, and all where compilers have no integers of 128 bits, the C library does.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/number.h"

enum { DIGITS = 17, TENS = 20 };

static const uint64_t ten[TENS] = {
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
    UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000),
    UINT64_C(100000000000000), UINT64_C(1000000000000000), UINT64_C(10000000000000000),
    UINT64_C(100000000000000000), UINT64_C(1000000000000000000), UINT64_C(10000000000000000000)};

static const double smallest = 1e-20, largest = 0x1p53;

/* m 2^-s 10^p rounded to an integer below 2^60; 0 where it cannot be had.  There is a bit to cut off, and from
 * p = 20 on, where x < 2^-9, more than 64 of them. */
static uint64_t scaled(uint64_t m, int s, int p)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide all = (wide)(m << 3) * ten[p < TENS ? p : TENS - 1];
    int more = 0;
    s += 3;
    if (p >= TENS) {
        const uint64_t factor = ten[p - (TENS - 1)];
        const wide low = (wide)(uint64_t)all * factor;
        all = (all >> 64) * factor + (low >> 64);
        more = (uint64_t)low != 0;
        s -= 64;
    }
    const uint64_t halves = (uint64_t)(all >> (s - 1)), n = halves / 2;
    more |= (wide)halves << (s - 1) != all;
    return n + (halves & ((uint64_t)more | n) & 1);
#else
    (void)m, (void)s, (void)p;
    return 0;
#endif
}

/* The digits of x as one number, and the power of ten of the first; 0: not by this way. */
static uint64_t digits_of(double x, int *power)
{
    enum { ABOVE = 1024 };                       /* so that nothing is negative */
    uint64_t bits;
    if (!(x >= smallest && x < largest)) return 0;
    memcpy(&bits, &x, sizeof bits);
    const int two = (int)(bits >> 52) - 1023;
    const uint64_t m = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    int k = ((two * 78913 + (ABOVE << 18)) >> 18) - ABOVE;              /* 2^18 lg 2; or one more */
    uint64_t n = scaled(m, 52 - two, DIGITS - 1 - k);
    if (n >= ten[DIGITS]) {
        k++;
        n = scaled(m, 52 - two, DIGITS - 1 - k);
    }
    *power = k;
    return n >= ten[DIGITS - 1] && n < ten[DIGITS] ? n : 0;
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

/* The word whose lowest byte becomes the first in memory. */
static inline uint64_t from_first(uint64_t x)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = (x & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (x >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    x = (x & UINT64_C(0x0000ffff0000ffff)) << 16 | (x >> 16 & UINT64_C(0x0000ffff0000ffff));
    x = x << 32 | x >> 32;
#endif
    return x;
}

/* Eight digits, halved three times, the halves side by side in one word: two numbers below 10^4, four below 100,
 * eight below 10, the first in the lowest bits.  10486 / 2^20 and 103 / 2^10 are 1/100 and 1/10 for numbers as small. */
static inline void put_eight(char *to, uint32_t n)
{
    uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32;
    const uint64_t hundreds = x * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    x = hundreds | (x - 100 * hundreds) << 16;
    const uint64_t tens = x * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    x = (tens | (x - 10 * tens) << 8) + UINT64_C(0x3030303030303030);
    x = from_first(x);
    memcpy(to, &x, sizeof x);
}

/* As %g: without zeros behind, from 1e-4 on without a power of ten.  All digits are copied at once, and what
 * is behind the last one that counts is written over. */
static char *put(char *end, uint64_t n, int power)
{
    char digit[2 * DIGITS];
    const uint64_t high = n / 100000000;
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

size_t number_whole(char *text, unsigned long value)
{
    char digit[3 * sizeof value];
    size_t count = 0, length = 0;
    if (value < 10) {                            /* as most counts are */
        *text = (char)('0' + value);
        return 1;
    }
    do digit[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count > 0) text[length++] = digit[--count];
    return length;
}

size_t number_exact(char text[NUMBER_ROOM], double value)
{
    const double size = fabs(value);
    const int whole = size < 1e9 && size == (double)(int32_t)size;
    int power = 0;
    const uint64_t n = whole ? 0 : digits_of(size, &power);
    char *end = text;
    if (n == 0 && !whole) return (size_t)number_print(text, NUMBER_ROOM, "%.17g", value);
    if (signbit(value)) *end++ = '-';
    if (whole) end += number_whole(end, (unsigned long)size);
    else end = put(end, n, power);
    *end = '\0';
    return (size_t)(end - text);
}
