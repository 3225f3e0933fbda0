/* tables_irks.c -- diagonally implicit general linear methods with inherent Runge-Kutta stability
 * [Butcher & Wright 2003; Wright 2002], made for steps and orders that change.
 *
 * All carry y_k = h^k y^(k), k = 0..p, and have order and stage order p.  K being the shift to the
 * right, but for their first rows
 *   B A = K^T B,   B U = K^T V - V K^T,   V strictly lower triangular.
 * D(r) = diag(1, r, .., r^p) rescales y for the step r h, and D(r) K^T = r K^T D(r).  Therefore
 * y' = mu y is solved by y_(n+1) = R(h_n mu) y_n from the (p+1)-st step on, whatever start and
 * steps were, and M(inf) D(r) is strictly lower triangular: what index-2 components carry is
 * forgotten after p + 1 steps.  Moreover
 *   y_k[n] = h^k y^(k) + O(h^(p+2)), k >= 1, if y' = f(y): nothing to correct when h changes;
 *   the last stage is the new point, the last slope is carried (rows 0 and 1 of [B V]);
 *   the last column of U is zero for p > 1: a step of order p needs y_0 .. y_(p-1) only,
 *   which a step of order p - 1 leaves;
 *   another stage j has the node 1 (p > 1), and y(t_n+1) - y_n+1 = kappa (Y_s - Y_j) + O(h^(p+2)):
 *
 *   p            1       2        3         4          5
 *   lambda       3/10    1/4      1/4       1/4        1/5
 *   C            -1/100  -7/192   1/256     13/15360   -301/2250000
 *   kappa, j             -7/3, 2  -3/11, 2  -13/45, 1  301/324, 1
 *
 * The error is C h^(p+1) y^(p+1) + ..; for p = 1 it is -1/21 of Y_2 - y_n - 7/4 (Y_1 - y_n), which
 * on index 2 must be projected to the constraint, as the others need not be.
 * study/irks.c derives them; why these: docs/decisions/0014-general-linear-methods.md.
 */
#include "method/tables.h"

#define IRKS_CITATION "after Butcher & Wright, BIT 43 (2003) 695; study/irks.c"
#define IRKS .family = "IRKS", .citation = IRKS_CITATION

static const double irks_1_A[] = {
    3. / 10, 0,
    147. / 400, 3. / 10,
};
static const double irks_1_U[] = {
    1, 19. / 70,
    1, 133. / 400,
};
static const double irks_1_B[] = {
    147. / 400, 3. / 10,
    0, 1,
};
static const double irks_1_V[] = {
    1, 133. / 400,
    0, 0,
};
static const double irks_1_c[] = {4. / 7, 1};

const keel_general_linear irks_1 = {
    .name = "irks-1", IRKS, .summary = "2 stages, order 1, L-stable for any sequence of steps",
    .stages = 2, .values = 2, .order = 1, .stage_order = 1,
    .A = irks_1_A, .U = irks_1_U, .B = irks_1_B, .V = irks_1_V, .c = irks_1_c,
};

static const double irks_2_A[] = {
    1. / 4, 0, 0,
    1. / 2, 1. / 4, 0,
    3. / 8, 1. / 16, 1. / 4,
};
static const double irks_2_U[] = {
    1, 1. / 4, 0,
    1, 1. / 4, 0,
    1, 5. / 16, 0,
};
static const double irks_2_B[] = {
    3. / 8, 1. / 16, 1. / 4,
    0, 0, 1,
    -4, -1, 4,
};
static const double irks_2_V[] = {
    1, 5. / 16, 0,
    0, 0, 0,
    0, 1, 0,
};
static const double irks_2_c[] = {1. / 2, 1, 1};

const keel_general_linear irks_2 = {
    .name = "irks-2", IRKS, .summary = "3 stages, order 2, L-stable for any sequence of steps",
    .stages = 3, .values = 3, .order = 2, .stage_order = 2,
    .A = irks_2_A, .U = irks_2_U, .B = irks_2_B, .V = irks_2_V, .c = irks_2_c,
};

static const double irks_3_A[] = {
    1. / 4, 0, 0, 0,
    4. / 27, 1. / 4, 0, 0,
    -65. / 108, 21. / 64, 1. / 4, 0,
    22. / 27, -35. / 96, -1. / 6, 1. / 4,
};
static const double irks_3_U[] = {
    1, 1. / 2, 3. / 32, 0,
    1, 65. / 108, 5. / 36, 0,
    1, 473. / 1728, 53. / 576, 0,
    1, 403. / 864, 13. / 288, 0,
};
static const double irks_3_B[] = {
    22. / 27, -35. / 96, -1. / 6, 1. / 4,
    0, 0, 0, 1,
    -8, 7. / 3, 8. / 3, 4,
    -320. / 9, 14. / 3, 64. / 3, 16,
};
static const double irks_3_V[] = {
    1, 403. / 864, 13. / 288, 0,
    0, 0, 0, 0,
    0, -1, 0, 0,
    0, -58. / 9, 2. / 3, 0,
};
static const double irks_3_c[] = {3. / 4, 1, 1. / 4, 1};

const keel_general_linear irks_3 = {
    .name = "irks-3", IRKS, .summary = "4 stages, order 3, L-stable for any sequence of steps",
    .stages = 4, .values = 4, .order = 3, .stage_order = 3,
    .A = irks_3_A, .U = irks_3_U, .B = irks_3_B, .V = irks_3_V, .c = irks_3_c,
};

static const double irks_4_A[] = {
    1. / 4, 0, 0, 0, 0,
    -125. / 5184, 1. / 4, 0, 0, 0,
    7. / 128, -243. / 2000, 1. / 4, 0, 0,
    61. / 324, -54. / 125, 4. / 9, 1. / 4, 0,
    -25. / 64, 657. / 1000, 0, 9. / 32, 1. / 4,
};
static const double irks_4_U[] = {
    1, 3. / 4, 1. / 4, 1. / 24, 0,
    1, 3149. / 5184, 845. / 5184, 25. / 1152, 0,
    1, 5069. / 16000, 149. / 3200, 17. / 3840, 0,
    1, -2377. / 20250, -317. / 4050, -1. / 135, 0,
    1, 1619. / 8000, -1. / 1600, -13. / 1920, 0,
};
static const double irks_4_B[] = {
    -25. / 64, 657. / 1000, 0, 9. / 32, 1. / 4,
    0, 0, 0, 0, 1,
    13. / 2, -72. / 5, 8, -9. / 2, 4,
    46, -576. / 5, 96, -36, 16,
    218, -78624. / 125, 768, -216, 64,
};
static const double irks_4_V[] = {
    1, 1619. / 8000, -1. / 1600, -13. / 1920, 0,
    0, 0, 0, 0, 0,
    0, 2. / 5, 0, 0, 0,
    0, -34. / 5, -2, 0, 0,
    0, -25626. / 125, -1746. / 25, -33. / 5, 0,
};
static const double irks_4_c[] = {1, 5. / 6, 1. / 2, 1. / 3, 1};

const keel_general_linear irks_4 = {
    .name = "irks-4", IRKS, .summary = "5 stages, order 4, L-stable for any sequence of steps",
    .stages = 5, .values = 5, .order = 4, .stage_order = 4,
    .A = irks_4_A, .U = irks_4_U, .B = irks_4_B, .V = irks_4_V, .c = irks_4_c,
};

static const double irks_5_A[] = {
    1. / 5, 0, 0, 0, 0, 0,
    -6561. / 500000, 1. / 5, 0, 0, 0, 0,
    18688. / 1828125, -155648. / 3838185, 1. / 5, 0, 0, 0,
    -4361. / 6240, 498275. / 255879, -2925. / 2048, 1. / 5, 0, 0,
    617347. / 609375, -18324016. / 6396975, 6777. / 3200, -576. / 3125, 1. / 5, 0,
    51. / 50, -22088. / 6561, 551. / 192, -136. / 375, 5. / 18, 1. / 5,
};
static const double irks_5_U[] = {
    1, 4. / 5, 3. / 10, 1. / 15, 1. / 120, 0,
    1, 356561. / 500000, 119061. / 500000, 47061. / 1000000, 10449. / 2000000, 0,
    1, 7560384907. / 11994328125, 248248948. / 1332703125, 4834136. / 148078125,
        159104. / 49359375, 0,
    1, 1257156007. / 2620200960, 8288563. / 72783360, 55171. / 4043520, 131. / 673920, 0,
    1, 162691275809. / 511758000000, 324980789. / 14215500000, -857791. / 789750000,
        66793. / 131625000, 0,
    1, 18982663. / 52488000, 41899. / 1458000, -233. / 81000, 1. / 27000, 0,
};
static const double irks_5_B[] = {
    51. / 50, -22088. / 6561, 551. / 192, -136. / 375, 5. / 18, 1. / 5,
    0, 0, 0, 0, 0, 1,
    31. / 2, -1000. / 27, 125. / 6, 8. / 3, -125. / 18, 5,
    220, -50000. / 81, 10625. / 24, -16. / 3, -625. / 9, 25,
    3197. / 2, -1195000. / 243, 251875. / 64, -280, -3125. / 6, 125,
    7449, -166900000. / 6561, 1090625. / 48, -10400. / 3, -31250. / 9, 625,
};
static const double irks_5_V[] = {
    1, 18982663. / 52488000, 41899. / 1458000, -233. / 81000, 1. / 27000, 0,
    0, 0, 0, 0, 0, 0,
    0, -1. / 54, 0, 0, 0, 0,
    0, 2821. / 648, 13. / 18, 0, 0, 0,
    0, 925063. / 15552, 2803. / 432, -17. / 24, 0, 0,
    0, 166043701. / 104976, 1341241. / 2916, 8581. / 162, 92. / 27, 0,
};
static const double irks_5_c[] = {1, 9. / 10, 4. / 5, 1. / 2, 3. / 5, 1};

const keel_general_linear irks_5 = {
    .name = "irks-5", IRKS, .summary = "6 stages, order 5, L-stable for any sequence of steps",
    .stages = 6, .values = 6, .order = 5, .stage_order = 5,
    .A = irks_5_A, .U = irks_5_U, .B = irks_5_B, .V = irks_5_V, .c = irks_5_c,
};

/* Continues dimsim-1 .. dimsim-3. */
const keel_general_linear dimsim_4 = {
    .name = "dimsim-4", .family = "DIMSIM", .citation = IRKS_CITATION,
    .summary = "irks-4 by another name",
    .stages = 5, .values = 5, .order = 4, .stage_order = 4,
    .A = irks_4_A, .U = irks_4_U, .B = irks_4_B, .V = irks_4_V, .c = irks_4_c,
};
