/* rays.c -- where a stability function leaves the unit disc, along rays from the origin.
 *
 * |R| - 1 is taken on a grid of constant ratio, with its maxima refined.  Near the origin of the
 * imaginary axis that is below any tolerance: there the Taylor coefficients of |R(iy)|^2 decide.
 */
#include "method/rays.h"

#include <math.h>

#include "method/conditions.h"

static const double excess_tolerance = 1e-10;    /* of |R| over 1                            */
static const double ray_begin = 1e-3, ray_end = 1e7, ray_ratio = 1.02;

static double excess(const ray *along, double radius)
{
    double size = along->size(along->of, radius * along->re, radius * along->im);
    return isnan(size) ? INFINITY : size - 1;
}

/* The largest excess between a and c, where it has a maximum, by golden section. */
static double refined_maximum(const ray *along, double a, double c, double *at)
{
    const double golden = 0.6180339887498949;
    double x = c - golden * (c - a), y = a + golden * (c - a);
    double at_x = excess(along, x), at_y = excess(along, y);
    for (int k = 0; k < 40; k++) {
        if (at_x > at_y) {
            c = y; y = x; at_y = at_x;
            at_x = excess(along, x = c - golden * (c - a));
        } else {
            a = x; x = y; at_x = at_y;
            at_y = excess(along, y = a + golden * (c - a));
        }
    }
    *at = x;
    return at_x;
}

/* Where |R| passes 1 before a radius outside; on the way back from one next to it, as far as
 * rounding lets it be seen. */
static double crossing(const ray *along, double inside, double outside)
{
    const double noise = 1e-13;
    while (inside > ray_begin && excess(along, inside) > noise) {
        outside = inside;
        inside /= ray_ratio;
    }
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (inside + outside);
        if (excess(along, middle) > noise) outside = middle;
        else inside = middle;
    }
    return inside;
}

double first_excess(const ray *along)
{
    double r[3] = {0}, value[3] = {0};
    for (double radius = ray_begin; radius < ray_end; radius *= ray_ratio) {
        for (int k = 0; k < 2; k++) {
            r[k] = r[k + 1];
            value[k] = value[k + 1];
        }
        r[2] = radius;
        value[2] = excess(along, radius);
        if (value[2] > excess_tolerance) return crossing(along, r[1], radius);
        double rise = value[1] - fmin(value[0], value[2]);
        int peak = value[1] >= value[0] && value[1] >= value[2]
                   && value[1] + 2 * rise > excess_tolerance;
        double at;
        if (peak && r[0] > 0 && refined_maximum(along, r[0], r[2], &at) > excess_tolerance)
            return crossing(along, r[0], at);
    }
    return INFINITY;
}

/* The sign of the first coefficient of
 * |R(iy)|^2 - 1 = sum_m y^(2m) sum_(j+k=2m) (-1)^(j-m) r_j r_k that is not zero; those with
 * 2m <= order are. */
int leaves_at_once(const long double *r, int terms, int order)
{
    for (int m = order / 2 + 1; 2 * m <= terms; m++) {
        long double sum = 0, size = 0;
        for (int j = 0; j <= 2 * m; j++) {
            long double term = r[j] * r[2 * m - j];
            sum += (j - m) % 2 ? -term : term;
            size += fabsl(term);
        }
        if (fabsl(sum) > 2 * m * CONDITION_TOLERANCE * size) return sum > 0;
    }
    return 0;
}
