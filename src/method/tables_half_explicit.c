/* tables_half_explicit.c -- half-explicit Runge-Kutta methods for index 2.
 *
 *   Y_1 = y_n,   Y_i = y_n + h sum_(j<i) a_ij f(Y_j, Z_j),   0 = g(Y_i)    for Z_(i-1), i = 2..s,
 *   y_(n+1) = y_n + h sum_j b_j f(Y_j, Z_j),                 0 = g(y_(n+1))  for Z_s
 * [HLR89; Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993) 538].  The partitioned method phem56
 * [Murua 1997] keeps Z_1 = z_n and imposes the constraint on points of its own,
 *   0 = g(y_n + h sum_(j<=i) abar_ij f(Y_j, Z_j))            for Z_i, i = 2..s,
 * with abar the rows of A_constraint (the first is zero).  Row 6 of abar is b: the constraint holds
 * at the new point; stage 7 is the first one of the next step and gives z_(n+1).
 */
#include "method/tables.h"

#define HALF_EXPLICIT .family = "half-explicit Runge-Kutta", .half_explicit = 1

static const double hem_1_A[] = {0}, hem_1_b[] = {1};

static const keel_tableau hem_1 = {
    .name = "hem-1", HALF_EXPLICIT, .summary = "half-explicit Euler: 1 stage, order 1",
    .citation = "Hairer, Lubich & Roche 1989",
    .stages = 1, .order = 1, .A = hem_1_A, .b = hem_1_b, .order_index2 = 1,
};

/* ---- Brasey & Hairer ------------------------------------------------------------------------ */

static const double hem_3_A[] = {
    0, 0, 0,
    1.0 / 3, 0, 0,
    -1, 2, 0,
};
static const double hem_3_b[] = {0, 3.0 / 4, 1.0 / 4};

static const keel_tableau hem_3 = {
    .name = "hem-3", HALF_EXPLICIT, .summary = "3 stages, order 3 on index 2",
    .citation = "Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993) 538",
    .stages = 3, .order = 3, .A = hem_3_A, .b = hem_3_b, .order_index2 = 3,
};

#define Q 2.44948974278317809820                 /* sqrt(6) */

static const double hem_4_A[] = {
    0, 0, 0, 0, 0,
    3.0 / 10, 0, 0, 0, 0,
    (1 + Q) / 30, (11 - 4 * Q) / 30, 0, 0, 0,
    (-79 - 31 * Q) / 150, (-1 - 4 * Q) / 30, (24 + 11 * Q) / 25, 0, 0,
    (14 + 5 * Q) / 6, (-8 + 7 * Q) / 6, (-9 - 7 * Q) / 4, (9 - Q) / 4, 0,
};
static const double hem_4_c[] = {0, 3.0 / 10, (4 - Q) / 10, (4 + Q) / 10, 1};
static const double hem_4_b[] = {0, 0, (16 - Q) / 36, (16 + Q) / 36, 1.0 / 9};
#undef Q

static const keel_tableau hem_4 = {
    .name = "hem-4", HALF_EXPLICIT, .summary = "5 stages, order 4 on index 2",
    .citation = "Brasey & Hairer, SIAM J. Numer. Anal. 30 (1993) 538",
    .stages = 5, .order = 4, .A = hem_4_A, .b = hem_4_b, .c = hem_4_c, .order_index2 = 4,
};

/* The estimate compares with the last stage, as the code HEM5 does. */
static const double hem_5_A[] = {
    0, 0, 0, 0, 0, 0, 0, 0,
    0.1, 0, 0, 0, 0, 0, 0, 0,
    0.0375, 0.1125, 0, 0, 0, 0, 0, 0,
    0.3222169236216038, -1.188883322987607, 1.228145134023366, 0, 0, 0, 0, 0,
    -0.03501123898129943, 0.3725420601086163, -0.2721053535582034, 0.01993037578575077, 0, 0, 0, 0,
    -0.5576547055042005, 1.367307289645883, -1.732236360460725, 0.4587772007467548,
    0.9638065755722880, 0, 0, 0,
    0.08654517193566155, -0.08810082847945416, 0.1981275547329404, -0.4645422679331083,
    0.1615170091109488, 0.9064533606330119, 0, 0,
    0, 0, 0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.035319798328740, 0,
};
static const double hem_5_c[] = {
    0, 0.1, 0.15, 0.3614787346573635, 0.08535584335486351, 0.5, 0.8, 1,
};
static const double hem_5_b[] = {
    0, 0, 0, 0.2467760667636791, 0.2106594087489728, 0.1769218149125021, 0.3064446444147922,
    0.05919806516005373,
};
static const double hem_5_b_hat[] = {
    0, 0, 0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.035319798328740, 0,
};

static const keel_tableau hem_5 = {
    .name = "hem-5", HALF_EXPLICIT, .summary = "8 stages, order 5 on index 2",
    .citation = "Brasey, A half-explicit Runge-Kutta method of order 5 for solving constrained "
                "mechanical systems, Computing 48 (1992) 191",
    .stages = 8, .order = 5, .A = hem_5_A, .b = hem_5_b, .c = hem_5_c,
    .b_hat = hem_5_b_hat, .order_hat = 3, .order_index2 = 5,
};

/* ---- Murua ---------------------------------------------------------------------------------- */

static const double phem56_A[] = {
    0, 0, 0, 0, 0, 0, 0,
    1.0 / 5, 0, 0, 0, 0, 0, 0,
    3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,
    44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0,
    9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0,
    35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
};
static const double phem56_c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double phem56_b[] = {
    35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
};
static const double phem56_b_hat[] = {
    5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40,
};
static const double phem56_A_constraint[] = {
    0, 0, 0, 0, 0, 0, 0,
    3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,
    21.0 / 256, 45.0 / 256, 15.0 / 128, 0, 0, 0, 0,
    19235.0 / 98784, -225.0 / 392, 6235.0 / 6174, 2755.0 / 32928, 0, 0, 0,
    -293.0 / 1152, 85.0 / 48, -2275.0 / 1908, 35.0 / 32, -2835.0 / 6784, 0, 0,
    35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0,
    10752038939.0 / 66307507200.0, -19259.0 / 50160, 19581770468.0 / 24023520675.0,
    9941999.0 / 650073600, 180060831.0 / 4820710400.0, -11331659.0 / 439538400, 1.0 / 76,
};
static const double phem56_c_constraint[] = {0, 3.0 / 10, 3.0 / 8, 5.0 / 7, 1, 1, 19.0 / 30};

static const keel_tableau phem56 = {
    .name = "phem56", HALF_EXPLICIT,
    .summary = "partitioned, on Dormand & Prince 5(4): 7 stages, order 5 on index 2",
    .citation = "Murua, Computing 59 (1997) 43; Dormand & Prince 1980",
    .stages = 7, .order = 5, .A = phem56_A, .b = phem56_b, .c = phem56_c,
    .b_hat = phem56_b_hat, .order_hat = 4,
    .A_constraint = phem56_A_constraint, .c_constraint = phem56_c_constraint, .order_index2 = 5,
};

const keel_tableau *const tables_half_explicit[] = {&hem_1, &hem_3, &hem_4, &hem_5, &phem56, NULL};
