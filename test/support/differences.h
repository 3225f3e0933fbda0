/* differences.h -- derivatives of arrays along a curve, by differences of order four.
 *
 *   x'(0)  ~ (8 (x_1 - x_-1) - (x_2 - x_-2)) / (12 h),             x_k = x(k h)
 *   x''(0) ~ (16 (x_1 + x_-1) - (x_2 + x_-2) - 30 x_0) / (12 h^2)
 */
#ifndef KEEL_TEST_SUPPORT_DIFFERENCES_H
#define KEEL_TEST_SUPPORT_DIFFERENCES_H

#include <math.h>

enum { CURVE_MAX = 1600 };

/* Fills in the `count` values at s. */
typedef void (*curve)(double s, double *value, const void *context);

static inline void curve_first(curve x, const void *context, double h, int count, double *d)
{
    double low[2][CURVE_MAX], high[2][CURVE_MAX];
    for (int k = 0; k < 2; k++) {
        x(-(k + 1) * h, low[k], context);
        x((k + 1) * h, high[k], context);
    }
    for (int i = 0; i < count; i++)
        d[i] = (8 * (high[0][i] - low[0][i]) - (high[1][i] - low[1][i])) / (12 * h);
}

static inline void curve_second(curve x, const void *context, double h, int count, double *d)
{
    double value[5][CURVE_MAX];
    for (int k = 0; k < 5; k++) x((k - 2) * h, value[k], context);
    for (int i = 0; i < count; i++)
        d[i] = (16 * (value[3][i] + value[1][i]) - (value[4][i] + value[0][i])
                - 30 * value[2][i]) / (12 * h * h);
}

/* Number `k` of a fixed sequence that looks random in (-1, 1). */
static inline double scattered(int k)
{
    return 2 * fmod(0.5 + 0.6180339887498949 * (k + 1), 1) - 1;
}

#endif
