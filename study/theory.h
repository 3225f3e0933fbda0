/* theory.h -- orders of convergence that theory predicts at constant step size.
 *
 * p is the classical order, q the stage order; "recursion": multipliers of the new point by
 * R(inf) z_n + b^T A^-1 Z, "hidden": from the hidden constraint at the projected point.
 *
 *   index 1   y p; z p if stiffly accurate or solved from g, else min(p, q+1), and min(p-1, q) if
 *             R(inf) = 1                                              [HLR89 section 3; HW96 VI.1]
 *   index 2   Gauss y s+1 (odd s) or s (even), z s-1 or s-2; Radau IA s, s-1; Radau IIA 2s-1, s;
 *             Lobatto IIIA 2s-2, s-1 (odd) or s (even); Lobatto IIIC 2s-2, s-1   [HLR89 table 2.3;
 *             HW96 VII.4].  Projected: y is of the order p, less one for Radau IA with f nonlinear
 *             in z [Ascher & Petzold 1991, Lubich 1991]; hidden z is of the order of y
 *   index 3   Radau IIA u 2s-1 (k nonlinear in l: 2s-2), v s, l s-1; Lobatto IIIC 2s-2 (2s-4), s-1,
 *             s-2 [HLR89 section 6; Jay 1993; Schropp 2003].  Projected: v is of the order of u,
 *             and hidden l, too.  "Linear" means k = k_0(u,v) + k_1(u) l
 *   explicit methods on index 1 and on the accelerations of a mechanical system: p in all unknowns;
 *   half-explicit ones [HLR89; Brasey & Hairer 1993]: p in y or (u,v), and hidden multipliers.
 *   BDF formulas of k <= 6 steps: k in all unknowns for index 1, 2, 3 [Loetstedt & Petzold 1986;
 *             Brenan & Engquist 1988; BCP96 3.2; HW96 VII.3].  Projected, index 3: v moves by
 *             O(h^k), so that l of the formula itself is of order k-1
 *   blocked multistep formulas on index 2: y k+1, z k [Bendtsen & Thomsen 1999, theorem 5.1;
 *             Arevalo, Fuehrer & Soederlind 1996]; not blocked: none unless the roots of sigma lie
 *             in the unit disc.  Constraints last (5.11): f_z z is taken at the new point instead
 *             of all, which is of order k where sigma = sigma(1) zeta^k + O((zeta-1)^k); f must be
 *             linear in z
 *   DIMSIMs: p in y and z for index 1 and 2 [Weiss 2007, 3.2.3]; index 3: p, p, p-1
 *
 * Numbers that follow from no theorem (Lobatto IIIA, Gauss and diagonally implicit methods on index
 * 3; Gauss projected with recursion) are those of study/reference.c in 34 digits.  Some entries
 * stay open.  sdirk-4b projected, f linear in z: order 3 = 2 q + 1, but with so small a constant
 * that order 4 is seen down to errors of 1e-12, and 3 only from 8192 steps on.  esdirk-5 without
 * projection, k nonlinear in l: no order settles with up to 1024 steps.  dimsim-3 projected, k
 * nonlinear in l, and hidden z of dcbdf-6: orders 3 and 7 settle at rounding level.
 */
#ifndef KEEL_STUDY_THEORY_H
#define KEEL_STUDY_THEORY_H

#include "study/orders.h"

/* Order 0 is "does not converge". */
enum { OPEN = -1 };              /* not asserted: nothing is known                           */
/* Asserted in 34 digits only: in double precision the order shows below rounding or with more
 * steps, or Newton's method starts from multipliers that are far off and finds another root. */
enum { IN_QUAD = 100 };
#define Q(ORDER) (IN_QUAD + (ORDER))

typedef struct predicted_orders {
    const char *method;
    int at_least;                /* 1: the principal error was made small, so that the next term may
                                  * still dominate above rounding [HNW93 II.5]               */
    int ode;
    int index1[STUDY_ENDINGS][2];              /* (y, z); the first, unprojected, is the second */
    int index2[2][STUDY_ENDINGS][2];           /* f linear and nonlinear in z: (y, z)          */
    int index3[2][STUDY_ENDINGS][3];           /* k linear (mechanical, too) or not in l:  */
                                               /* (u, v, l)                                */
} predicted_orders;

#define NO2 {{OPEN, OPEN}, {OPEN, OPEN}, {OPEN, OPEN}}
#define NO3 {{OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}}
#define DIVERGES {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
#define EXPLICIT(NAME, P)                                                                        \
    {NAME, P >= 5, P, {{P, P}, {P, P}, {P, P}}, {NO2, NO2},                                      \
     {{{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}, NO3}}
#define HALF_EXPLICIT(NAME, P)                                                                   \
    {NAME, P >= 5, OPEN, NO2, {{{P, OPEN}, {P, OPEN}, {P, P}}, {{P, OPEN}, {P, OPEN}, {P, P}}},  \
     {{{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}, {{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}}}
#define ALL2(Y, Z) {{Y, Z}, {Y, Z}, {Y, Z}}
#define BDF(NAME, K)                                                                             \
    {NAME, 0, K, ALL2(K, K), {ALL2(K, K), ALL2(K, K)},                                           \
     {{{K, K, K}, {K, K, K - 1}, {K, K, K}}, {{K, K, K}, {K, K, K - 1}, {K, K, K}}}}
#define BLOCKED(NAME, K)                                                                         \
    {NAME, 0, K + 1, ALL2(K + 1, K + 1),                                                         \
     {{{K + 1, K}, {K + 1, K}, {K + 1, K + 1}}, {{K + 1, K}, {K + 1, K}, {K + 1, K + 1}}},       \
     {NO3, NO3}}
/* Multistep formulas of order P without blocking: Y, Z on index 2, f linear in z, and W if not. */
#define PLAIN(NAME, P, Y, Z, W) {NAME, 0, P, ALL2(P, P), {ALL2(Y, Z), ALL2(W, W)}, {NO3, NO3}}

static const predicted_orders predictions[] = {
    {"gauss-1", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 0}, {2, 1}, {2, 2}}, {{Q(2), 0}, {2, 1}, {2, 2}}},
     {{{Q(2), 0, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"gauss-2", 0, 4, {{4, 2}, {4, 2}, {4, 4}},
     {{{2, 0}, {4, 1}, {4, 4}}, {{Q(2), 0}, {Q(3), 1}, {4, 4}}},
     {{{Q(2), 0, 0}, {2, 2, 0}, {2, 2, 2}}, {{0, 0, 0}, {Q(1), Q(1), 0}, {2, 2, 2}}}},
    {"gauss-3", 0, 6, {{6, 4}, {6, 4}, {6, 6}},
     {{{4, 2}, {6, 3}, {6, 6}}, {{4, 2}, {6, 3}, {6, 6}}},
     {{{4, 2, 0}, {3, 3, 2}, {3, 3, 3}}, {{Q(2), Q(2), 0}, {3, 3, 2}, {3, 3, 3}}}},
    {"gauss-4", 0, 8, {{8, 4}, {8, 4}, {8, 8}},
     {{{4, 2}, {8, 3}, {8, 8}}, {{4, 2}, {Q(7), 3}, {8, 8}}},
     {{{4, 2, 0}, {4, 4, 2}, {4, 4, 4}}, {{Q(2), Q(2), 0}, {4, 4, 2}, {4, 4, 4}}}},
    {"radau-ia-1", 0, 1, {{1, 1}, {1, 1}, {1, 1}},
     {{{1, OPEN}, {1, OPEN}, {1, 1}}, {{1, OPEN}, {OPEN, OPEN}, {OPEN, OPEN}}}, {NO3, NO3}},
    {"radau-ia-2", 0, 3, {{3, 2}, {3, 2}, {3, 3}},
     {{{2, 1}, {3, 1}, {3, 3}}, {{2, 1}, {Q(2), 1}, {Q(2), Q(2)}}},
     {{{2, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"radau-ia-3", 0, 5, {{5, 3}, {5, 3}, {5, 5}},
     {{{3, 2}, {5, 2}, {5, 5}}, {{3, 2}, {4, 2}, {4, 4}}},
     {{{3, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"radau-ia-4", 0, 7, {{7, 4}, {7, 4}, {7, 7}},
     {{{4, 3}, {7, 3}, {7, 7}}, {{4, 3}, {6, 3}, {6, 6}}},
     {{{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}, {{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}}},
    {"radau-iia-1", 0, 1, {{1, 1}, {1, 1}, {1, 1}},
     {{{1, 1}, {1, 1}, {1, 1}}, {{1, 1}, {1, 1}, {1, 1}}},
     {{{1, 1, 1}, {1, 1, 0}, {1, 1, 1}}, {{1, 1, 1}, {0, 0, 0}, {0, 0, Q(0)}}}},
    {"radau-iia-2", 0, 3, {{3, 3}, {3, 3}, {3, 3}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{3, 2, 1}, {3, 3, 1}, {3, 3, 3}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"radau-iia-3", 0, 5, {{5, 5}, {5, 5}, {5, 5}},
     {{{5, 3}, {5, 3}, {5, 5}}, {{5, 3}, {5, 3}, {5, 5}}},
     {{{5, 3, 2}, {5, 5, 2}, {5, 5, 5}}, {{4, 3, 2}, {4, 4, 2}, {4, 4, 4}}}},
    {"radau-iia-4", 0, 7, {{7, 7}, {7, 7}, {7, 7}},
     {{{7, 4}, {7, 4}, {7, 7}}, {{7, 4}, {7, 4}, {7, 7}}},
     {{{7, 4, 3}, {7, 7, 3}, {7, 7, 7}}, {{6, 4, 3}, {6, 6, 3}, {6, 6, 6}}}},
    {"lobatto-iiia-2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 2}, {2, 2}, {2, 2}}, {{2, 2}, {2, 2}, {2, 2}}},
     {{{2, 2, 0}, {2, 2, 1}, {2, 2, 2}}, {{0, 0, 0}, {2, 2, 1}, {2, 2, 2}}}},
    {"lobatto-iiia-3", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{4, 2}, {4, 2}, {4, 4}}, {{4, 2}, {4, 2}, {4, 4}}},
     {{{2, 2, 0}, {3, 3, 1}, {4, 4, 4}}, {{0, 0, 0}, {2, 2, 1}, {4, 4, 4}}}},
    {"lobatto-iiia-4", 0, 6, {{6, 6}, {6, 6}, {6, 6}},
     {{{6, 4}, {6, 4}, {6, 6}}, {{6, 4}, {6, 4}, {6, 6}}},
     {{{6, 4, 2}, {6, 6, 3}, {6, 6, 6}}, {{4, 4, 2}, {Q(6), 6, 3}, {6, 6, 6}}}},
    {"lobatto-iiic-2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{2, 1, 0}, {2, 2, 0}, {2, 2, 2}}, DIVERGES}},
    {"lobatto-iiic-3", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{4, 2}, {4, 2}, {4, 4}}, {{4, 2}, {4, 2}, {4, 4}}},
     {{{4, 2, 1}, {4, 4, 1}, {4, 4, 4}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"lobatto-iiic-4", 0, 6, {{6, 6}, {6, 6}, {6, 6}},
     {{{6, 3}, {6, 3}, {6, 6}}, {{6, 3}, {6, 3}, {6, 6}}},
     {{{6, 3, 2}, {6, 6, 2}, {6, 6, 6}}, {{4, 3, 2}, {4, 4, 2}, {4, 4, 4}}}},
    {"collocation-2:0.5", 0, 3, {{3, 3}, {3, 3}, {3, 3}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{3, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {Q(2), Q(2), 2}}}},
    {"collocation-3:0.5", 0, 5, {{5, 4}, {5, 4}, {5, 5}},
     {{{4, 3}, {5, 3}, {5, 5}}, {{4, 3}, {5, 3}, {5, 5}}},
     {{{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}, {{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}}},
    {"sdirk-2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"sdirk-4", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"sdirk-4c", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"sdirk-4b", 0, 4, {{4, 2}, {4, 2}, {4, 4}},
     {{{2, 1}, {OPEN, 1}, {OPEN, OPEN}}, {{2, 1}, {Q(2), 1}, {2, 2}}},
     {{{2, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"tr-bdf2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 2}, {2, 2}, {2, 2}}, {{2, 2}, {2, 2}, {2, 2}}},
     {{{2, 2, 1}, {2, 2, 2}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 2}, {2, 2, 2}}}},
    {"esdirk-3", 0, 3, {{3, 3}, {3, 3}, {3, 3}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {Q(2), Q(2), 1}, {Q(2), Q(2), Q(2)}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"esdirk-4", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"esdirk-5", 0, 5, {{5, 5}, {5, 5}, {5, 5}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}},
      {{OPEN, OPEN, OPEN}, {Q(2), Q(2), Q(1)}, {2, 2, 2}}}},
    EXPLICIT("euler", 1),
    EXPLICIT("midpoint", 2),
    EXPLICIT("heun", 2),
    EXPLICIT("rk4", 4),
    EXPLICIT("dopri5", 5),
    EXPLICIT("dop853", 8),
    EXPLICIT("verner8", 8),
    HALF_EXPLICIT("hem-1", 1),
    HALF_EXPLICIT("hem-3", 3),
    HALF_EXPLICIT("hem-4", 4),
    HALF_EXPLICIT("hem-5", 5),
    HALF_EXPLICIT("phem56", 5),
    {"bdf-1", 0, 1, ALL2(1, 1), {ALL2(1, 1), ALL2(1, 1)},
     {{{1, 1, 1}, {1, 1, 0}, {1, 1, 1}}, {{1, 1, 1}, {0, 0, 0}, {0, 0, OPEN}}}},
    BDF("bdf-2", 2),
    BDF("bdf-3", 3),
    BDF("bdf-4", 4),
    BDF("bdf-5", 5),
    BDF("bdf-6", 6),
    BLOCKED("dcbdf-1", 1),
    BLOCKED("dcbdf-2", 2),
    BLOCKED("dcbdf-3", 3),
    BLOCKED("dcbdf-4", 4),
    BLOCKED("dcbdf-5", 5),
    {"dcbdf-6", 1, 7, ALL2(7, 7), {{{7, 6}, {7, 6}, {7, OPEN}}, {{7, 6}, {7, 6}, {7, OPEN}}},
     {NO3, NO3}},
    BLOCKED("beta-trapezoidal", 1),
    BLOCKED("beta-adams-1", 1),
    BLOCKED("beta-adams-2", 2),
    BLOCKED("beta-adams-3", 3),
    PLAIN("adams-1", 2, 2, 2, 2),
    PLAIN("adams-2", 3, 0, 0, 0),
    PLAIN("adams-3", 4, 0, 0, 0),
    PLAIN("dcbdf-2:constrain-first", 3, 0, 0, 0),
    PLAIN("dcbdf-3:constrain-first", 4, 0, 0, 0),
    PLAIN("dcbdf-2:constrain-last", 3, 2, 2, OPEN),
    PLAIN("dcbdf-3:constrain-last", 4, 3, 3, OPEN),
    PLAIN("beta-adams-3:constrain-last", 4, 1, 1, OPEN),
    {"dimsim-1", 0, 1, ALL2(1, 1), {ALL2(1, 1), ALL2(1, 1)},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"dimsim-2", 0, 2, ALL2(2, 2), {ALL2(2, 2), ALL2(2, 2)},
     {{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"dimsim-3", 0, 3, ALL2(3, 3), {ALL2(3, 3), ALL2(3, 3)},
     {{{3, 3, 2}, {3, 3, 2}, {3, 3, 3}},
      {{3, 3, 2}, {OPEN, OPEN, 2}, {OPEN, OPEN, OPEN}}}},
};
enum { PREDICTIONS = sizeof predictions / sizeof *predictions };

typedef enum study_problem {
    STUDY_ODE, STUDY_INDEX1, STUDY_INDEX2, STUDY_INDEX2_NONLINEAR, STUDY_INDEX3,
    STUDY_INDEX3_NONLINEAR, STUDY_MECHANICAL, STUDY_PROBLEMS
} study_problem;

static const char *const study_problems[STUDY_PROBLEMS] = {
    "order-ode", "order-index1", "order-index2", "order-index2-nonlinear", "order-index3",
    "order-index3-nonlinear", "order-mechanical"};

static const char *const study_endings[STUDY_ENDINGS] = {
    "unprojected", "projected, recursion", "projected, hidden"};

static inline int study_groups(study_problem problem)
{
    return problem == STUDY_ODE ? 1 : problem <= STUDY_INDEX2_NONLINEAR ? 2 : 3;
}

/* Nothing to project in an ODE; index 1: only where z comes from. */
static inline int study_differs(study_problem problem, study_ending ending)
{
    return !(problem == STUDY_ODE && ending != STUDY_HIDDEN) &&
           !(problem == STUDY_INDEX1 && ending == STUDY_UNPROJECTED);
}

/* The prediction for the groups of one problem; explicit methods do not take Hessenberg forms. */
static inline const int *predicted(const predicted_orders *p, study_problem problem,
                                   study_ending ending)
{
    switch (problem) {
    case STUDY_ODE: return &p->ode;
    case STUDY_INDEX1: return p->index1[ending];
    case STUDY_INDEX2: return p->index2[0][ending];
    case STUDY_INDEX2_NONLINEAR: return p->index2[1][ending];
    case STUDY_INDEX3_NONLINEAR: return p->index3[1][ending];
    default: return p->index3[0][ending];
    }
}

/* Other projections and multipliers.
 *   orthogonal   the error of a step lies along f_z or k_l; its component in the manifold stays and
 *                adds up: O(h^(q+1)) of y for index 2, not stiffly accurate, makes order q;
 *                O(h^q) of v for index 3 makes q - 1 in all unknowns
 *   velocity     index 2: y is not projected.  Index 3: as oblique for stiffly accurate methods;
 *                otherwise u keeps its unprojected order, min(p, q+1) for |R(inf)| < 1 or -1
 *   position     index 2: as oblique.  Index 3, stiffly accurate: v as without projection
 *   explicit     as oblique
 *   polynomial   z is of order q for index 2, and q - 1 for index 3; y of even Gauss methods
 *                does not suffer from z as by recursion [Ascher & Petzold 1991 theorem 4]   */
typedef struct predicted_variant {
    const char *method;
    study_ending ending;
    keel_projection projection;
    int index2[2][2], index3[2][3];
} predicted_variant;

#define HIDDEN(KIND) STUDY_HIDDEN, KEEL_PROJECT_##KIND
#define POLYNOMIAL STUDY_POLYNOMIAL, KEEL_PROJECT_OBLIQUE

static const predicted_variant variants[] = {
    {"radau-iia-3", HIDDEN(EXPLICIT), {{5, 5}, {5, 5}}, {{5, 5, 5}, {4, 4, 4}}},
    {"radau-iia-3", HIDDEN(ORTHOGONAL), {{5, 5}, {5, 5}}, {{2, 2, 2}, {2, 2, 2}}},
    {"radau-iia-3", HIDDEN(VELOCITY), {{5, 5}, {5, 5}}, {{5, 5, 5}, {4, 4, 4}}},
    {"radau-iia-3", HIDDEN(POSITION), {{5, 5}, {5, 5}}, {{5, 3, 3}, {4, 3, 3}}},
    {"gauss-3", HIDDEN(EXPLICIT), {{6, 6}, {6, 6}}, {{3, 3, 3}, {3, 3, 3}}},
    {"gauss-3", HIDDEN(ORTHOGONAL), {{3, 3}, {3, 3}}, {{2, 2, 2}, {2, 2, 2}}},
    {"gauss-3", HIDDEN(VELOCITY), {{4, 4}, {4, 4}}, {{4, 4, 4}, {4, 4, 4}}},
    {"gauss-3", HIDDEN(POSITION), {{6, 6}, {6, 6}}, {{OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}}},
    {"radau-ia-3", HIDDEN(EXPLICIT), {{5, 5}, {4, 4}}, {{2, 2, 2}, {2, 2, 2}}},
    {"radau-ia-3", HIDDEN(ORTHOGONAL), {{2, 2}, {2, 2}}, {{1, 1, 1}, {1, 1, 1}}},
    {"radau-ia-3", HIDDEN(VELOCITY), {{3, 3}, {3, 3}}, {{3, 3, 3}, {2, 2, 2}}},
    {"radau-ia-3", HIDDEN(POSITION), {{5, 5}, {4, 4}}, {{OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}}},
    {"collocation-3:0.5", HIDDEN(EXPLICIT), {{5, 5}, {5, 5}}, {{3, 3, 3}, {3, 3, 3}}},
    {"collocation-3:0.5", HIDDEN(ORTHOGONAL), {{3, 3}, {3, 3}}, {{2, 2, 2}, {2, 2, 2}}},
    {"collocation-3:0.5", HIDDEN(VELOCITY), {{4, 4}, {4, 4}}, {{4, 4, 4}, {4, 4, 4}}},
    {"collocation-3:0.5", HIDDEN(POSITION), {{5, 5}, {5, 5}},
     {{OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}}},
    {"gauss-1", POLYNOMIAL, {{2, 1}, {2, 1}}, {{1, 1, 0}, {OPEN, OPEN, 0}}},
    {"gauss-2", POLYNOMIAL, {{4, 2}, {4, 2}}, {{2, 2, 1}, {2, 2, 1}}},
    {"gauss-3", POLYNOMIAL, {{6, 3}, {6, 3}}, {{3, 3, 2}, {3, 3, 2}}},
    {"gauss-4", POLYNOMIAL, {{8, 4}, {8, 4}}, {{4, 4, 3}, {4, 4, 3}}},
    {"radau-ia-3", POLYNOMIAL, {{5, 2}, {4, 2}}, {{2, 2, 1}, {2, 2, 1}}},
    {"radau-iia-3", POLYNOMIAL, {{5, 3}, {5, 3}}, {{5, 5, 2}, {4, 4, 2}}},
    {"lobatto-iiic-3", POLYNOMIAL, {{4, 2}, {4, 2}}, {{4, 4, 1}, {2, 2, 1}}},
    {"collocation-3:0.5", POLYNOMIAL, {{5, 3}, {5, 3}}, {{3, 3, 2}, {3, 3, 2}}},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static inline const int *predicted_by(const predicted_variant *v, study_problem problem)
{
    switch (problem) {
    case STUDY_INDEX2: return v->index2[0];
    case STUDY_INDEX2_NONLINEAR: return v->index2[1];
    case STUDY_INDEX3_NONLINEAR: return v->index3[1];
    default: return v->index3[0];
    }
}

/* Where the multipliers come from differences, only errors of low order rise above their noise. */
static inline int study_visible(study_problem problem, study_ending ending, int group, int order)
{
    int hessenberg = problem == STUDY_INDEX3 || problem == STUDY_INDEX3_NONLINEAR;
    return order != OPEN && order < IN_QUAD &&
           !(hessenberg && ending == STUDY_HIDDEN && group == 2 && order > 6);
}

static const double study_tolerance = 0.15;

/* Does an observed order agree?  Without convergence, orders scatter about 0 or there is none. */
static inline int study_agrees(double observed, int order, double tolerance, int at_least)
{
    if (order == 0) return !(observed > 0.5);
    return observed >= order - tolerance && (at_least || observed <= order + tolerance);
}

/* In double precision hardly any step size is asymptotic and still above rounding beyond order 6;
 * study/reference.h has such orders in 34 digits. */
static inline int study_agrees_in_double(double observed, int order, int at_least)
{
    return study_agrees(observed, order, order > 6 ? 0.35 : study_tolerance, at_least);
}

/* Is the root of the equations that is meant beyond doubt?  Not if an error is as large as the
 * solution, or if Newton's method failed (NAN). */
static inline int study_settled(const double *error)
{
    for (int g = 0; g < STUDY_GROUPS; g++)
        if (!(error[g] < 0.3)) return 0;
    return 1;
}

/* Step counts in whose range the order shows: to 512 for low orders, to 128 for high ones. */
static inline order_study study_of(const char *method, int order, study_problem problem,
                                   study_ending ending)
{
    int last = order <= 4 ? 512 : order <= 6 ? 256 : 128;
    return (order_study){.problem = study_problems[problem], .method = method, .ending = ending,
                         .first = 4, .last = last};
}

/* Methods whose next term dominates for long. */
static const struct { const char *method; int first, last; } study_windows[] = {
    {"dimsim-2", 128, 4096}, {"dimsim-3", 512, 4096},
};

static inline order_study study_of_method(const predicted_orders *p, study_problem problem,
                                          study_ending ending)
{
    int order = p->ode > 0 ? p->ode : predicted(p, problem, STUDY_HIDDEN)[0];
    order_study study = study_of(p->method, order, problem, ending);
    for (size_t i = 0; i < sizeof study_windows / sizeof *study_windows; i++)
        if (strcmp(study_windows[i].method, p->method) == 0) {
            study.first = study_windows[i].first;
            study.last = study_windows[i].last;
        }
    return study;
}

static inline order_study study_of_variant(const predicted_variant *v, study_problem problem)
{
    order_study study = study_of(v->method, v->index2[0][0], problem, v->ending);
    study.projection = v->projection;
    return study;
}

#endif
