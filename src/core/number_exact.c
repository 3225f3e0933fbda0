/* number_exact.c -- 17 significant digits of a double, and those of integers.
 *
 * x = m 2^-s times 10^p, p chosen so that it has 17 digits before its point, is m 10^p in integers of up
 * to 192 bits, cut off behind s bits, which decide the rounding: exactly, to even in the middle.  From
 * 1e-20 to 2^53; what is smaller or larger, and all where compilers have no integers of 128 bits, the C
 * library does.
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

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

/* 10^p, moved up until its first bit is 1, and by how much. */
static inline uint64_t power_of_ten(int p, int *up)
{
    *up = __builtin_clzll(ten[p]);
    return ten[p] << *up;
}

/* m 2^-s 10^p rounded to an integer of 54 to 60 bits, m of 53.  Factors have 64 bits: their product has 126
 * at least, and what is cut off 66, whose lower 64 need no shifting. */
static inline uint64_t scaled(uint64_t m, int s, int p)
{
    int up, further;
    const uint64_t first = power_of_ten(p < TENS ? p : TENS - 1, &up);
    const wide all = (wide)(m << 11) * first;
    uint64_t high = (uint64_t)(all >> 64), cut = (uint64_t)all;
    s += up + 11 - 64;
    if (p >= TENS) {
        const uint64_t second = power_of_ten(p - (TENS - 1), &further);
        const wide low = (wide)cut * second, more = (wide)high * second + (low >> 64);
        high = (uint64_t)(more >> 64);
        cut = (uint64_t)more | (uint64_t)low;
        s += further - 64;
    }
    const uint64_t halves = high >> (s - 1), n = halves / 2;
    cut |= high << (65 - s);
    return n + (halves & (n | (cut != 0)) & 1);
}

#else

static inline uint64_t scaled(uint64_t m, int s, int p) { return (void)m, (void)s, (void)p, 0; }

#endif

/* The digits of x as one number, and the power of ten of the first; 0: not by this way. */
static inline uint64_t digits_of(double x, int *power)
{
    enum { ABOVE = 1024 };                       /* so that nothing is negative */
    uint64_t bits, n;
    if (!(x >= smallest && x < largest)) return 0;
    memcpy(&bits, &x, sizeof bits);
    const int two = (int)(bits >> 52) - 1023;
    const uint64_t m = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    int k = ((two * 78913 + (ABOVE << 18)) >> 18) - ABOVE;      /* 2^18 lg 2: of 2^two; of x, one more */
    while ((n = scaled(m, 52 - two, DIGITS - 1 - k)) >= ten[DIGITS]) k++;
    *power = k;
    return n;
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

/* "000", "001", ..., "999", four characters each. */
#define TEN(p) p "0\0" p "1\0" p "2\0" p "3\0" p "4\0" p "5\0" p "6\0" p "7\0" p "8\0" p "9\0"
#define HUNDRED(p) TEN(p "0") TEN(p "1") TEN(p "2") TEN(p "3") TEN(p "4") \
                   TEN(p "5") TEN(p "6") TEN(p "7") TEN(p "8") TEN(p "9")
static const char three[] = HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4")
                            HUNDRED("5") HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");

static inline void put_three(char *to, size_t n) { memcpy(to, three + 4 * n, 4); }

/* All digits of n, two and then always three at a time, each group over the end of the one before it; what is
 * behind the last one counts for nothing. */
static inline void put_digits(char *to, uint64_t n)
{
    const uint32_t high = (uint32_t)(n / 1000000000), low = (uint32_t)(n % 1000000000);
    const uint32_t above = high / 1000, below = low / 1000;
    memcpy(to, three + 4 * (size_t)(above / 1000) + 1, 4);
    put_three(to + 2, above % 1000);
    put_three(to + 5, high % 1000);
    put_three(to + 8, below / 1000);
    put_three(to + 11, below % 1000);
    put_three(to + 14, low % 1000);
}

/* As %g: without zeros behind, from 1e-4 on without a power of ten.  All digits behind a point make room for
 * it at once. */
static inline char *put(char *end, uint64_t n, int power)
{
    const int fixed = power >= -4, before = !fixed ? 1 : power >= 0 ? power + 1 : 0;
    char *first = before > 0 ? end : end + 1 - power;
    int count = DIGITS;
    if (before == 0) memcpy(end, "0.000", 5);
    put_digits(first, n);
    while (count > 1 && first[count - 1] == '0') count--;
    if (before == 0) return first + count;
    memmove(end + before + 1, end + before, DIGITS - 1);
    if (count > before) end[before] = '.';
    end += count > before ? count + 1 : before;
    return fixed ? end : put_power(end, power);
}

size_t number_whole(char *text, unsigned long value)
{
    size_t length = 1;
    while (length < TENS && value >= ten[length]) length++;
    for (size_t at = length; --at > 0; value /= 10) text[at] = (char)('0' + value % 10);
    *text = (char)('0' + value);
    return length;
}

static size_t by_library(char *text, double value)
{
    return (size_t)number_print(text, NUMBER_ROOM, "%.17g", value);
}

size_t number_exact(char text[NUMBER_ROOM], double value)
{
    const double size = fabs(value);
    const int whole = size < 1e9 && size == (double)(int32_t)size;
    int power = 0;
    const uint64_t n = whole ? 0 : digits_of(size, &power);
    char *end = text;
    if (n == 0 && !whole) return by_library(text, value);
    if (signbit(value)) *end++ = '-';
    if (whole) end += number_whole(end, (unsigned long)size);
    else end = put(end, n, power);
    *end = '\0';
    return (size_t)(end - text);
}
