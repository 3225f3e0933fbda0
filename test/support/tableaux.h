/* tableaux.h -- methods of known properties, entered by their published coefficients. */
#ifndef KEEL_TEST_TABLEAUX_H
#define KEEL_TEST_TABLEAUX_H

#include "keel/method.h"

#include <math.h>
#include <string.h>

typedef struct sample {
    const char *name;
    int s;
    double A[49], b[7], b_hat[7];        /* b_hat zero: none */
} sample;

#define ROOT2 1.4142135623730951
#define ROOT3 1.7320508075688772
#define ROOT5 2.2360679774997897
#define ROOT6 2.4494897427831781
#define ROOT15 3.8729833462074170
#define GAMMA2 (1 - ROOT2 / 2)           /* of SDIRK 2 and TR-BDF2 */
#define GAMMA3 ((3 + ROOT3) / 6)         /* of Noersett's SDIRK of order 3 */
#define SIXTH (1 / 6.0)

/* [HW96 IV.5 tables 5.1-5.13, IV.6 (6.16)], [HNW93 II tables 1.2, 5.2], Bank et al. 1985,
 * Crouzeix 1975. */
static const sample samples[] = {
    {"gauss-1", 1, {0.5}, {1}, {0}},
    {"gauss-2", 2, {0.25, 0.25 - ROOT3 / 6, 0.25 + ROOT3 / 6, 0.25}, {0.5, 0.5}, {0}},
    {"gauss-3", 3,
     {5 / 36.0, 2 / 9.0 - ROOT15 / 15, 5 / 36.0 - ROOT15 / 30,
      5 / 36.0 + ROOT15 / 24, 2 / 9.0, 5 / 36.0 - ROOT15 / 24,
      5 / 36.0 + ROOT15 / 30, 2 / 9.0 + ROOT15 / 15, 5 / 36.0},
     {5 / 18.0, 4 / 9.0, 5 / 18.0}, {0}},
    {"radau-ia-2", 2, {0.25, -0.25, 0.25, 5 / 12.0}, {0.25, 0.75}, {0}},
    {"radau-ia-3", 3,
     {1 / 9.0, (-1 - ROOT6) / 18, (-1 + ROOT6) / 18,
      1 / 9.0, (88 + 7 * ROOT6) / 360, (88 - 43 * ROOT6) / 360,
      1 / 9.0, (88 + 43 * ROOT6) / 360, (88 - 7 * ROOT6) / 360},
     {1 / 9.0, (16 + ROOT6) / 36, (16 - ROOT6) / 36}, {0}},
    {"radau-iia-1", 1, {1}, {1}, {0}},
    {"radau-iia-2", 2, {5 / 12.0, -1 / 12.0, 0.75, 0.25}, {0.75, 0.25}, {0}},
    {"radau-iia-3", 3,
     {(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225,
      (296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225,
      (16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9.0},
     {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9.0}, {0}},
    {"lobatto-iiia-2", 2, {0, 0, 0.5, 0.5}, {0.5, 0.5}, {0}},
    {"lobatto-iiia-3", 3, {0, 0, 0, 5 / 24.0, 1 / 3.0, -1 / 24.0, SIXTH, 2 / 3.0, SIXTH},
     {SIXTH, 2 / 3.0, SIXTH}, {0}},
    {"lobatto-iiia-4", 4,
     {0, 0, 0, 0,
      (11 + ROOT5) / 120, (25 - ROOT5) / 120, (25 - 13 * ROOT5) / 120, (-1 + ROOT5) / 120,
      (11 - ROOT5) / 120, (25 + 13 * ROOT5) / 120, (25 + ROOT5) / 120, (-1 - ROOT5) / 120,
      1 / 12.0, 5 / 12.0, 5 / 12.0, 1 / 12.0},
     {1 / 12.0, 5 / 12.0, 5 / 12.0, 1 / 12.0}, {0}},
    {"lobatto-iiib-3", 3, {SIXTH, -SIXTH, 0, SIXTH, 1 / 3.0, 0, SIXTH, 5 / 6.0, 0},
     {SIXTH, 2 / 3.0, SIXTH}, {0}},
    {"lobatto-iiic-2", 2, {0.5, -0.5, 0.5, 0.5}, {0.5, 0.5}, {0}},
    {"lobatto-iiic-3", 3, {SIXTH, -1 / 3.0, SIXTH, SIXTH, 5 / 12.0, -1 / 12.0,
                           SIXTH, 2 / 3.0, SIXTH},
     {SIXTH, 2 / 3.0, SIXTH}, {0}},
    {"sdirk-2", 2, {GAMMA2, 0, 1 - GAMMA2, GAMMA2}, {1 - GAMMA2, GAMMA2}, {0}},
    {"sdirk-3", 2, {GAMMA3, 0, 1 - 2 * GAMMA3, GAMMA3}, {0.5, 0.5}, {0}},
    {"sdirk-4", 5,
     {0.25, 0, 0, 0, 0,
      0.5, 0.25, 0, 0, 0,
      17 / 50.0, -1 / 25.0, 0.25, 0, 0,
      371 / 1360.0, -137 / 2720.0, 15 / 544.0, 0.25, 0,
      25 / 24.0, -49 / 48.0, 125 / 16.0, -85 / 12.0, 0.25},
     {25 / 24.0, -49 / 48.0, 125 / 16.0, -85 / 12.0, 0.25},
     {59 / 48.0, -17 / 96.0, 225 / 32.0, -85 / 12.0, 0}},
    {"tr-bdf2", 3, {0, 0, 0, GAMMA2, GAMMA2, 0, ROOT2 / 4, ROOT2 / 4, GAMMA2},
     {ROOT2 / 4, ROOT2 / 4, GAMMA2},
     {(1 - ROOT2 / 4) / 3, (3 * ROOT2 / 4 + 1) / 3, GAMMA2 / 3}},
    {"euler", 1, {0}, {1}, {0}},
    {"rk4", 4, {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
     {SIXTH, 1 / 3.0, 1 / 3.0, SIXTH}, {0}},
    {"dopri5", 7,
     {0, 0, 0, 0, 0, 0, 0,
      1 / 5.0, 0, 0, 0, 0, 0, 0,
      3 / 40.0, 9 / 40.0, 0, 0, 0, 0, 0,
      44 / 45.0, -56 / 15.0, 32 / 9.0, 0, 0, 0, 0,
      19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0, 0, 0, 0,
      9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0, 0, 0,
      35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0, 0},
     {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0, 0},
     {5179 / 57600.0, 0, 7571 / 16695.0, 393 / 640.0, -92097 / 339200.0, 187 / 2100.0,
      1 / 40.0}},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static const sample *sample_named(const char *name)
{
    for (int k = 0; k < SAMPLES; k++)
        if (strcmp(samples[k].name, name) == 0) return &samples[k];
    return NULL;
}

/* The method of a sample, or NULL. */
static keel_method *sample_method(const char *name)
{
    const sample *found = sample_named(name);
    keel_method *method = NULL;
    if (!found) return NULL;
    keel_tableau t = {.name = found->name, .stages = found->s, .A = found->A, .b = found->b};
    for (int i = 0; i < found->s; i++)
        if (found->b_hat[i] != 0) t.b_hat = found->b_hat;
    if (keel_method_create(&method, &t) == KEEL_OK) return method;
    keel_method_free(method);
    return NULL;
}

#endif
