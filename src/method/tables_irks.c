/* tables_irks.c -- diagonally implicit general linear methods with inherent Runge-Kutta stability
 * [Butcher & Wright 2003; Wright 2002], made for steps and orders that change.
 *
 * All carry y_k = h^k y^(k), k = 0..p, and have order and stage order p.  With K the shift to the right
 *   B A = K^T B,   B U = K^T V - V K^T   but for their first rows,
 * V strictly lower triangular but for its first row.  Since D(r) K^T = r K^T D(r), where D(r) =
 * diag(1, r, .., r^p) rescales y for the step r h, y' = f is solved with y_(n+1) = R(h_n f) y_n as
 * by a Runge-Kutta method, whatever the steps were, and M(inf) D(r) is strictly lower triangular, so
 * that errors of index-2 components die out within p + 1 steps.  Moreover
 *   y_k[n] = h^k y^(k) + O(h^(p+2)), k >= 1, in y' = f(y): nothing to correct when h changes;
 *   the last stage is the new point, the last slope is carried (rows 0, 1 of [B V]);
 *   the last column of U is zero (c_1 = p lambda): y_p is computed for the error estimate and for a
 *   step of order p + 1, which needs no more than y_0 .. y_p.
 * study/irks.c derives them; why these: docs/decisions/0014-general-linear-methods.md.
 */
#include "method/tables.h"

#define IRKS \
    .family = "IRKS", .citation = "Butcher & Wright, BIT 43 (2003) 695; derived in study/irks.c"

static const double irks_1_A[] = {
    3. / 10, 0,
    7. / 10, 3. / 10,
};
static const double irks_1_U[] = {
    1, 0,
    1, 0,
};
static const double irks_1_B[] = {
    7. / 10, 3. / 10,
    0, 1,
};
static const double irks_1_V[] = {
    1, 0,
    0, 0,
};
static const double irks_1_c[] = {3. / 10, 1};

static const keel_general_linear irks_1 = {
    .name = "irks-1", IRKS, .summary = "2 stages, order 1, L-stable, one-step, lambda = 3/10",
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

static const keel_general_linear irks_2 = {
    .name = "irks-2", IRKS, .summary = "3 stages, order 2, L-stable for any sequence of steps, lambda = 1/4",
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

static const keel_general_linear irks_3 = {
    .name = "irks-3", IRKS, .summary = "4 stages, order 3, L-stable for any sequence of steps, lambda = 1/4",
    .stages = 4, .values = 4, .order = 3, .stage_order = 3,
    .A = irks_3_A, .U = irks_3_U, .B = irks_3_B, .V = irks_3_V, .c = irks_3_c,
};

static const double irks_4_A[] = {
    1. / 4, 0, 0, 0, 0,
    -125. / 5184, 1. / 4, 0, 0, 0,
    7. / 128, -243. / 2000, 1. / 4, 0, 0,
    635. / 2592, -117. / 200, 20. / 27, 1. / 4, 0,
    -119. / 320, 2403. / 4000, 3. / 16, 27. / 160, 1. / 4,
};
static const double irks_4_U[] = {
    1, 3. / 4, 1. / 4, 1. / 24, 0,
    1, 3149. / 5184, 845. / 5184, 25. / 1152, 0,
    1, 5069. / 16000, 149. / 3200, 17. / 3840, 0,
    1, -31367. / 64800, -2017. / 12960, -19. / 1296, 0,
    1, 1319. / 8000, -1. / 1600, -13. / 1920, 0,
};
static const double irks_4_B[] = {
    -119. / 320, 2403. / 4000, 3. / 16, 27. / 160, 1. / 4,
    0, 0, 0, 0, 1,
    31. / 5, -27. / 2, 5, -27. / 10, 4,
    218. / 5, -108, 72, -108. / 5, 16,
    1018. / 5, -73224. / 125, 624, -648. / 5, 64,
};
static const double irks_4_V[] = {
    1, 1319. / 8000, -1. / 1600, -13. / 1920, 0,
    0, 0, 0, 0, 0,
    0, 1, 0, 0, 0,
    0, -2, -2, 0, 0,
    0, -22026. / 125, -1746. / 25, -33. / 5, 0,
};
static const double irks_4_c[] = {1, 5. / 6, 1. / 2, 1. / 6, 1};

static const keel_general_linear irks_4 = {
    .name = "irks-4", IRKS, .summary = "5 stages, order 4, L-stable for any sequence of steps, lambda = 1/4",
    .stages = 5, .values = 5, .order = 4, .stage_order = 4,
    .A = irks_4_A, .U = irks_4_U, .B = irks_4_B, .V = irks_4_V, .c = irks_4_c,
};

static const double irks_5_A[] = {
    1. / 5, 0, 0, 0, 0, 0,
    -6561. / 500000, 1. / 5, 0, 0, 0, 0,
    761803. / 19500000, -104272. / 1279395, 1. / 5, 0, 0, 0,
    -75090981. / 201500000, 3389764. / 4406805, -4212. / 7595, 1. / 5, 0, 0,
    677319407. / 925640625, -84917936. / 55525743, 11996. / 10633, -124. / 441, 1. / 5, 0,
    1303. / 2625, -41482. / 32805, 473. / 343, -89. / 189, 7. / 30, 1. / 5,
};
static const double irks_5_U[] = {
    1, 4. / 5, 3. / 10, 1. / 15, 1. / 120, 0,
    1, 356561. / 500000, 119061. / 500000, 47061. / 1000000, 10449. / 2000000, 0,
    1, 69398760517. / 127939500000, 1979993113. / 14215500000, 68364457. / 3159000000,
         4132121. / 2106000000, 0,
    1, 0.2580240799151331096486698, 18362086181. / 342751500000, 67139987. / 10881000000,
         -1512089. / 7254000000, 0,
    1, 0.1506064112815108009946864, -40958247703. / 674792015625, -333473281. / 21421968750,
         -3112009. / 7140656250, 0,
    1, 240051947. / 562605750, 217019. / 8930250, -671. / 141750, 1. / 27000, 0,
};
static const double irks_5_B[] = {
    1303. / 2625, -41482. / 32805, 473. / 343, -89. / 189, 7. / 30, 1. / 5,
    0, 0, 0, 0, 0, 1,
    87. / 7, -70. / 3, 25. / 3, 25. / 7, -35. / 6, 5,
    3097. / 21, -75200. / 243, 9000. / 49, -1000. / 189, -175. / 3, 25,
    936, -517750. / 243, 535625. / 343, -3125. / 9, -875. / 2, 125,
    24793. / 7, -59170000. / 6561, 8075000. / 1029, -275000. / 63, -8750. / 3, 625,
};
static const double irks_5_V[] = {
    1, 240051947. / 562605750, 217019. / 8930250, -671. / 141750, 1. / 27000, 0,
    0, 0, 0, 0, 0, 0,
    0, -1. / 6, 0, 0, 0, 0,
    0, 201701. / 11907, 452. / 189, 0, 0, 0,
    0, 48807797. / 166698, 56422. / 1323, 19. / 42, 0, 0,
    0, 9645102598. / 2250423, 33318196. / 35721, 43196. / 567, 92. / 27, 0,
};
static const double irks_5_c[] = {1, 9. / 10, 7. / 10, 3. / 10, 2. / 5, 1};

static const keel_general_linear irks_5 = {
    .name = "irks-5", IRKS, .summary = "6 stages, order 5, L-stable for any sequence of steps, lambda = 1/5",
    .stages = 6, .values = 6, .order = 5, .stage_order = 5,
    .A = irks_5_A, .U = irks_5_U, .B = irks_5_B, .V = irks_5_V, .c = irks_5_c,
};

/* Continues dimsim-1 .. dimsim-3. */
static const keel_general_linear dimsim_4 = {
    .name = "dimsim-4", IRKS, .summary = "the same as irks-4",
    .stages = 5, .values = 5, .order = 4, .stage_order = 4,
    .A = irks_4_A, .U = irks_4_U, .B = irks_4_B, .V = irks_4_V, .c = irks_4_c,
};

const keel_general_linear *const tables_irks[] = {
    &irks_1, &irks_2, &irks_3, &irks_4, &irks_5, &dimsim_4, NULL,
};
