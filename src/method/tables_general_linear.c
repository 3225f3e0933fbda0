/* tables_general_linear.c -- diagonally implicit multistage integration methods of type 2 [Butcher
 * 1993], each with its paper; all carry the Nordsieck vector.
 *
 * A is lower triangular with one eigenvalue, V is power bounded, and M(inf) = V - B A^-1 U is
 * nilpotent, so that order p is reached in y and z on index 2 [Weiss 2007, theorems 3.25, 3.27].
 * The first three are methods 1 to 3 of Weiss 2007, section 4.3.
 */
#include "method/tables.h"

#include <math.h>

#define DIMSIM .family = "DIMSIM"

static const double dimsim_1_A[] = {
    3. / 10, 0,
    21. / 50, 3. / 10,
};
static const double dimsim_1_U[] = {
    1, 1. / 5,
    1, 7. / 25,
};
static const double dimsim_1_B[] = {
    21. / 50, 3. / 10,
    0, 1,
};
static const double dimsim_1_V[] = {
    1, 7. / 25,
    0, 0,
};
static const double dimsim_1_c[] = {1. / 2, 1};

static const keel_general_linear dimsim_1 = {
    .name = "dimsim-1", DIMSIM, .summary = "2 stages, 2 values, order 1, M(inf)^2 = 0",
    .citation = "Huang, thesis, Auckland 2005; Weiss 2007, 4.3",
    .stages = 2, .values = 2, .order = 1, .stage_order = 1,
    .A = dimsim_1_A, .U = dimsim_1_U, .B = dimsim_1_B, .V = dimsim_1_V, .c = dimsim_1_c,
};

static const double dimsim_2_A[] = {
    1. / 4, 0, 0,
    1. / 4, 1. / 4, 0,
    1. / 2, 1. / 4, 1. / 4,
};
static const double dimsim_2_U[] = {
    1, -1. / 4, 0,
    1, 0, 0,
    1, 0, 1. / 8,
};
static const double dimsim_2_B[] = {
    1. / 2, -1. / 8, 1. / 2,
    1. / 2, -1. / 2, 1,
    0, -2, 2,
};
static const double dimsim_2_V[] = {
    1, 1. / 8, 1. / 16,
    0, 0, 1. / 4,
    0, 0, 0,
};
static const double dimsim_2_c[] = {0, 1. / 2, 1};

static const keel_general_linear dimsim_2 = {
    .name = "dimsim-2", DIMSIM, .summary = "3 stages, 3 values, order 2, M(inf)^3 = 0",
    .citation = "Wright, thesis, Auckland 2002; Weiss 2007, 4.3",
    .stages = 3, .values = 3, .order = 2, .stage_order = 2,
    .A = dimsim_2_A, .U = dimsim_2_U, .B = dimsim_2_B, .V = dimsim_2_V, .c = dimsim_2_c,
};

static const double dimsim_3_A[] = {
    9. / 40, 0, 0, 0,
    52443. / 17200, 9. / 40, 0, 0,
    -1996641. / 1350200, -387. / 1570, 9. / 40, 0,
    -59481. / 40000, -189. / 800, 1413. / 8000, 9. / 40,
};
static const double dimsim_3_U[] = {
    1, 1. / 40, -1. / 40, -17. / 3840,
    1, -47713. / 17200, -51583. / 68800, -169369. / 1651200,
    1, 759579. / 337550, 3269871. / 5400800, 907929. / 10801600,
    1, 46433. / 20000, 50593. / 80000, 9659. / 120000,
};
static const double dimsim_3_B[] = {
    -59481. / 40000, -189. / 800, 1413. / 8000, 9. / 40,
    0, 0, 0, 1,
    -5, 38. / 45, -157. / 45, 40. / 9,
    2672. / 81, -256. / 27, -2512. / 81, 1600. / 81,
};
static const double dimsim_3_V[] = {
    1, 46433. / 20000, 50593. / 80000, 9659. / 120000,
    0, 0, 0, 0,
    0, 16. / 5, 0, -137. / 720,
    0, -992. / 81, 0, 0,
};
static const double dimsim_3_c[] = {1. / 4, 1. / 2, 3. / 4, 1};

static const keel_general_linear dimsim_3 = {
    .name = "dimsim-3", DIMSIM,
    .summary = "4 stages, 4 values, order 3, stiffly accurate, M(inf)^4 = 0",
    .citation = "Butcher & Podhaisky, Appl. Numer. Math. 56 (2006) 345; Weiss 2007, 4.3",
    .stages = 4, .values = 4, .order = 3, .stage_order = 3,
    .A = dimsim_3_A, .U = dimsim_3_U, .B = dimsim_3_B, .V = dimsim_3_V, .c = dimsim_3_c,
};

const keel_general_linear *const tables_general_linear[] = {
    &dimsim_1, &dimsim_2, &dimsim_3, &dimsim_4, &irks_1, &irks_2, &irks_3, &irks_4, &irks_5, NULL,
};

/* M(inf) is nilpotent: its spectral radius is 0. */
const general_linear_facts facts_general_linear[] = {
    {&dimsim_1, 0, -0.0099999999999999811, INFINITY},
    {&dimsim_2, 0, -0.036458333333333336, 1.4641000000000006},
    {&dimsim_3, 0, 0.00054205729166641756, 4.1772481694156562},
    {&dimsim_4, 0, 0.00084635416666666193, INFINITY},
    {&irks_1, 0, -0.0099999999999999742, INFINITY},
    {&irks_2, 0, -0.036458333333333336, INFINITY},
    {&irks_3, 0, 0.0039062500000000009, INFINITY},
    {&irks_4, 0, 0.00084635416666666193, INFINITY},
    {&irks_5, 0, -0.00013377777777775208, INFINITY},
    {NULL, 0, 0, 0},
};
