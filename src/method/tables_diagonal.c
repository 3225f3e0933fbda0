/* tables_diagonal.c -- diagonally implicit methods: SDIRK, and ESDIRK with an explicit first stage.
 *
 * SDIRK methods have stage order 1, ESDIRK methods stage order 2 since c_2 = 2 gamma [Kennedy &
 * Carpenter 2016].  All but sdirk-4b are L-stable and stiffly accurate.
 */
#include "method/tables.h"

#define SDIRK .family = "SDIRK"
#define ESDIRK .family = "ESDIRK"

/* ---- SDIRK --------------------------------------------------------------------------------- */

#define GAMMA 0.29289321881345247560             /* 1 - 1/sqrt(2) */

static const double sdirk_2_A[] = {
    GAMMA, 0,
    1 - GAMMA, GAMMA,
};
static const double sdirk_2_b[] = {1 - GAMMA, GAMMA};
#undef GAMMA

static const keel_tableau sdirk_2 = {
    .name = "sdirk-2", SDIRK, .summary = "2 stages, order 2, L-stable",
    .citation = "Alexander, SIAM J. Numer. Anal. 14 (1977) 1006; Hairer & Wanner 1996, IV.6",
    .stages = 2, .order = 2, .A = sdirk_2_A, .b = sdirk_2_b,
};

static const double sdirk_4_A[] = {
    1.0 / 4, 0, 0, 0, 0,
    1.0 / 2, 1.0 / 4, 0, 0, 0,
    17.0 / 50, -1.0 / 25, 1.0 / 4, 0, 0,
    371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4, 0,
    25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4,
};
static const double sdirk_4_c[] = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1};
static const double sdirk_4_b[] = {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4};
static const double sdirk_4_b_hat[] = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0};

static const keel_tableau sdirk_4 = {
    .name = "sdirk-4", SDIRK, .summary = "5 stages, order 4(3), L-stable, gamma = 1/4",
    .citation = "Hairer & Wanner 1996, IV.6 (6.16)",
    .stages = 5, .order = 4, .A = sdirk_4_A, .b = sdirk_4_b, .c = sdirk_4_c,
    .b_hat = sdirk_4_b_hat, .order_hat = 3,
};

/* gamma = 1/2 + cos(pi/18) / sqrt(3), delta = 1 / (6 (2 gamma - 1)^2) */
#define GAMMA 1.06857902130162880642
#define DELTA 0.12888640051572042236

static const double sdirk_4b_A[] = {
    GAMMA, 0, 0,
    0.5 - GAMMA, GAMMA, 0,
    2 * GAMMA, 1 - 4 * GAMMA, GAMMA,
};
static const double sdirk_4b_c[] = {GAMMA, 0.5, 1 - GAMMA};
static const double sdirk_4b_b[] = {DELTA, 1 - 2 * DELTA, DELTA};
#undef GAMMA
#undef DELTA

static const keel_tableau sdirk_4b = {
    .name = "sdirk-4b", SDIRK,
    .summary = "3 stages, order 4, A-stable, not stiffly accurate",
    .citation = "Norsett 1974; Crouzeix 1975; Hairer & Wanner 1996, IV.6",
    .stages = 3, .order = 4, .A = sdirk_4b_A, .b = sdirk_4b_b, .c = sdirk_4b_c,
};

#define GAMMA (4.0 / 15)

static const double sdirk_4c_A[] = {
    GAMMA, 0, 0, 0, 0,
    1.0 / 2, GAMMA, 0, 0, 0,
    51069.0 / 144200, -7809.0 / 144200, GAMMA, 0, 0,
    12047244770625658.0 / 141474406359725325.0, -3057890203562191.0 / 47158135453241775.0,
    2239631894905804.0 / 28294881271945065.0, GAMMA, 0,
    181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851,
    -69863904375173.0 / 23297141763930.0, GAMMA,
};
static const double sdirk_4c_c[] = {GAMMA, 23.0 / 30, 17.0 / 30, 707.0 / 1931, 1};
static const double sdirk_4c_b[] = {181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851,
                                    -69863904375173.0 / 23297141763930.0, GAMMA};
static const double sdirk_4c_b_hat[] = {33665407.0 / 11668050, -2284766.0 / 15662025,
                                        11244716.0 / 4704885,
                                        -96203066666797.0 / 23297141763930.0, 0};
#undef GAMMA

static const keel_tableau sdirk_4c = {
    .name = "sdirk-4c", SDIRK, .summary = "5 stages, order 4(3), L-stable, gamma = 4/15",
    .citation = "Hairer & Wanner 1996, IV.6, and their code SDIRK4",
    .stages = 5, .order = 4, .A = sdirk_4c_A, .b = sdirk_4c_b, .c = sdirk_4c_c,
    .b_hat = sdirk_4c_b_hat, .order_hat = 3,
};

/* ---- ESDIRK -------------------------------------------------------------------------------- */

#define GAMMA 0.29289321881345247560             /* 1 - 1/sqrt(2) */
#define W     0.35355339059327376220             /* sqrt(2)/4     */

static const double tr_bdf2_A[] = {
    0, 0, 0,
    GAMMA, GAMMA, 0,
    W, W, GAMMA,
};
static const double tr_bdf2_c[] = {0, 2 * GAMMA, 1};
static const double tr_bdf2_b[] = {W, W, GAMMA};
static const double tr_bdf2_b_hat[] = {(1 - W) / 3, (3 * W + 1) / 3, GAMMA / 3};
#undef GAMMA
#undef W

static const keel_tableau tr_bdf2 = {
    .name = "tr-bdf2", ESDIRK,
    .summary = "trapezoidal rule and BDF2 in one step: 3 stages, order 2(3), L-stable",
    .citation = "Bank et al., IEEE Trans. CAD 4 (1985) 436; "
                "Hosea & Shampine, Appl. Numer. Math. 20 (1996) 21",
    .stages = 3, .order = 2, .A = tr_bdf2_A, .b = tr_bdf2_b, .c = tr_bdf2_c,
    .b_hat = tr_bdf2_b_hat, .order_hat = 3,
};

static const double esdirk_3_A[] = {
    0, 0, 0, 0,
    0.435866521508459, 0.435866521508459, 0, 0,
    0.2576482460664272, -0.09351476757488625, 0.435866521508459, 0,
    0.1876410243467238, -0.5952974735769548, 0.9717899277217722, 0.435866521508459,
};
static const double esdirk_3_c[] = {
    0, 0.871733043016918, 0.6, 1.0,
};
static const double esdirk_3_b_hat[] = {
    0.10889661761586122, -0.9153258118707118, 1.2712735973021543, 0.5351555969526962,
};
static const double esdirk_3_b[] = {
    0.1876410243467238, -0.5952974735769548, 0.9717899277217722, 0.435866521508459,
};

static const keel_tableau esdirk_3 = {
    .name = "esdirk-3", ESDIRK, .summary = "ESDIRK3(2)4L[2]SA: 4 stages, order 3(2), L-stable",
    .citation = "Kennedy & Carpenter, NASA/TM-2016-219173 (2016)",
    .stages = 4, .order = 3, .A = esdirk_3_A, .b = esdirk_3_b, .c = esdirk_3_c,
    .b_hat = esdirk_3_b_hat, .order_hat = 2,
};

static const double esdirk_4_A[] = {
    0, 0, 0, 0, 0, 0,
    0.25, 0.25, 0, 0, 0, 0,
    -0.05177669529663689, -0.05177669529663689, 0.25, 0, 0, 0,
    -0.07655460838455719, -0.07655460838455727, 0.5281092167691145, 0.25, 0, 0,
    -0.72740634782613, -0.7274063478261299, 1.5849950617406794, 0.6598176339115805, 0.25, 0,
    -0.01558763503571651, -0.01558763503571651, 0.3876576709132033, 0.5017726195721631,
    -0.10825502041393352, 0.25,
};
static const double esdirk_4_c[] = {
    0, 0.5, 0.1464466094067262, 0.625, 1.04, 1.0,
};
static const double esdirk_4_b_hat[] = {
    -0.09651334216818033, -0.09651334216818033, 0.5228199509962342, 0.5205678646221885,
    -0.08255805440762122, 0.23219692312555915,
};
static const double esdirk_4_b[] = {
    -0.01558763503571651, -0.01558763503571651, 0.3876576709132033, 0.5017726195721631,
    -0.10825502041393352, 0.25,
};

static const keel_tableau esdirk_4 = {
    .name = "esdirk-4", ESDIRK, .summary = "ESDIRK4(3)6L[2]SA: 6 stages, order 4(3), L-stable",
    .citation = "Kennedy & Carpenter, NASA/TM-2016-219173 (2016)",
    .stages = 6, .order = 4, .A = esdirk_4_A, .b = esdirk_4_b, .c = esdirk_4_c,
    .b_hat = esdirk_4_b_hat, .order_hat = 3,
};

static const double esdirk_5_A[] = {
    0, 0, 0, 0, 0, 0, 0,
    0.184, 0.184, 0, 0, 0, 0, 0,
    0.2221076477383247, 0.22210764773832475, 0.184, 0, 0, 0, 0,
    -0.014049475381926274, -0.014049475381926283, -0.01709085093586415, 0.184, 0, 0, 0,
    -0.40838859254931487, -0.40838859254931464, 0.16646399821362964, 1.1662718062895745, 0.184, 0,
    0,
    -0.5392907235588111, -0.5392907235588114, -0.242234428845425, 1.4888806111225146,
    0.5563122281913184, 0.184, 0,
    -0.03946606910974035, -0.03946606910974026, 0.27263649025024267, 0.4321651725202882,
    0.3524160862328891, -0.16228561078393952, 0.184,
};
static const double esdirk_5_c[] = {
    0, 0.368, 0.6282152954766494, 0.1388101983002833, 0.6999586194045747, 0.9083769633507853, 1.0,
};
static const double esdirk_5_b_hat[] = {
    -0.08068946656664727, -0.08068946656664744, 0.18289968461343553, 0.517013873766231,
    0.4265997313024543, -0.10432685796713498, 0.13919250141830897,
};
static const double esdirk_5_b[] = {
    -0.03946606910974035, -0.03946606910974026, 0.27263649025024267, 0.4321651725202882,
    0.3524160862328891, -0.16228561078393952, 0.184,
};

static const keel_tableau esdirk_5 = {
    .name = "esdirk-5", ESDIRK, .summary = "ESDIRK5(4)7L[2]SA2: 7 stages, order 5(4), L-stable",
    .citation = "Kennedy & Carpenter, NASA/TM-2016-219173 (2016)",
    .stages = 7, .order = 5, .A = esdirk_5_A, .b = esdirk_5_b, .c = esdirk_5_c,
    .b_hat = esdirk_5_b_hat, .order_hat = 4,
};

const keel_tableau *const tables_diagonal[] = {
    &sdirk_2, &sdirk_4, &sdirk_4b, &sdirk_4c, &tr_bdf2, &esdirk_3, &esdirk_4, &esdirk_5, NULL,
};
