/* rows.c -- the parameters of all runs: grids and samples. */
#include <limits.h>
#include <stdint.h>

#include "keel/sweep.h"

static double axis_value(const keel_sweep_axis *a, long k)
{
    if (a->values) return a->values[k];
    if (k == 0) return a->from;
    return k == a->count - 1 ? a->to : a->from + (a->to - a->from) * ((double)k / (double)(a->count - 1));
}

long keel_sweep_grid_rows(const keel_sweep_axis *axes, int count)
{
    long rows = 1;
    for (int i = 0; i < count; i++) {
        if (axes[i].count < 1 || rows > LONG_MAX / axes[i].count) return -1;
        rows *= axes[i].count;
    }
    return rows;
}

void keel_sweep_grid(const keel_sweep_axis *axes, int count, double *values)
{
    const long rows = keel_sweep_grid_rows(axes, count);
    for (long row = 0; row < rows; row++) {
        long rest = row;
        for (int i = count - 1; i >= 0; i--) {
            values[(size_t)row * (size_t)count + (size_t)i] = axis_value(&axes[i], rest % axes[i].count);
            rest /= axes[i].count;
        }
    }
}

/* A counter through the mixing function of SplitMix64 [G. Steele, D. Lea, C. Flood, OOPSLA 2014]:
 * uniform in [0,1), with 53 bits. */
static double uniform(uint64_t seed, uint64_t place)
{
    uint64_t x = seed * UINT64_C(0xd1342543de82ef95) + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

void keel_sweep_samples(const keel_sweep_axis *axes, int count, long rows, unsigned long seed,
                        double *values)
{
    for (long row = 0; row < rows; row++)
        for (int i = 0; i < count; i++) {
            const keel_sweep_axis *a = &axes[i];
            const uint64_t place = (uint64_t)row * (uint64_t)count + (uint64_t)i;
            const double u = uniform(seed, place);
            values[place] = a->values ? a->values[(long)(u * (double)a->count)]
                                      : a->from + (a->to - a->from) * u;
        }
}
