/* rays.h -- where a stability function leaves the unit disc, along rays from the origin. */
#ifndef KEEL_METHOD_RAYS_H
#define KEEL_METHOD_RAYS_H

/* |R(z)|, or the spectral radius of M(z); NAN or INFINITY at poles. */
typedef double stability_size(const void *of, long double re, long double im);

typedef struct ray {
    stability_size *size;
    const void *of;
    long double re, im;          /* direction, of length 1                                   */
} ray;

/* The first radius from which on |R| > 1; INFINITY: none. */
double first_excess(const ray *along);

/* Whether |R(iy)| > 1 for all small y > 0, from R(z) = sum r_k z^k, k = 0..terms, of that order. */
int leaves_at_once(const long double *r, int terms, int order);

#endif
