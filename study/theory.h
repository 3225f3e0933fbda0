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
 *
 * Numbers that follow from no theorem (Lobatto IIIA, Gauss and diagonally implicit methods on index
 * 3; Gauss projected with recursion) come from an independent program in 34-digit arithmetic.  Not
 * so for index 3 with hidden multipliers of gauss-1, radau-ia-2, SDIRK and ESDIRK, where only the
 * rule is used that l is of the order of u and v, nor for sdirk-4b projected, where q / q / q-1 of
 * collocation methods with 0 < |R(inf)| < 1 is taken over.
 */
#ifndef KEEL_STUDY_THEORY_H
#define KEEL_STUDY_THEORY_H

#include "study/orders.h"

/* Order 0 is "does not converge". */
enum { OPEN = -1 };              /* not asserted: unknown, or not seen in double precision   */

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
#define DIVERGES {{OPEN, OPEN, 0}, {OPEN, OPEN, 0}, {OPEN, OPEN, OPEN}}
#define EXPLICIT(NAME, P)                                                                        \
    {NAME, P >= 5, P, {{P, P}, {P, P}, {P, P}}, {NO2, NO2},                                      \
     {{{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}, NO3}}
#define HALF_EXPLICIT(NAME, P)                                                                   \
    {NAME, P >= 5, OPEN, NO2, {{{P, OPEN}, {P, OPEN}, {P, P}}, {{P, OPEN}, {P, OPEN}, {P, P}}},  \
     {{{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}, {{P, P, OPEN}, {P, P, OPEN}, {P, P, P}}}}

static const predicted_orders predictions[] = {
    {"gauss-1", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 0}, {2, 1}, {2, 2}}, {{OPEN, 0}, {2, 1}, {2, 2}}},
     {{{OPEN, 0, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"gauss-2", 0, 4, {{4, 2}, {4, 2}, {4, 4}},
     {{{2, 0}, {4, 1}, {4, 4}}, {{OPEN, 0}, {OPEN, 1}, {4, 4}}},
     {{{OPEN, 0, 0}, {2, 2, 0}, {2, 2, 2}}, {{OPEN, OPEN, 0}, {OPEN, OPEN, 0}, {2, 2, 2}}}},
    {"gauss-3", 0, 6, {{6, 4}, {6, 4}, {6, 6}},
     {{{4, 2}, {6, 3}, {6, 6}}, {{4, 2}, {6, 3}, {6, 6}}},
     {{{4, 2, 0}, {3, 3, 2}, {3, 3, 3}}, {{OPEN, OPEN, 0}, {3, 3, 2}, {3, 3, 3}}}},
    {"gauss-4", 0, 8, {{8, 4}, {8, 4}, {8, 8}},
     {{{4, 2}, {8, 3}, {8, 8}}, {{4, 2}, {OPEN, 3}, {8, 8}}},
     {{{4, 2, 0}, {4, 4, 2}, {4, 4, 4}}, {{OPEN, OPEN, 0}, {4, 4, 2}, {4, 4, 4}}}},
    {"radau-ia-2", 0, 3, {{3, 2}, {3, 2}, {3, 3}},
     {{{2, 1}, {3, 1}, {3, 3}}, {{2, 1}, {OPEN, 1}, {OPEN, OPEN}}},
     {{{2, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"radau-ia-3", 0, 5, {{5, 3}, {5, 3}, {5, 5}},
     {{{3, 2}, {5, 2}, {5, 5}}, {{3, 2}, {4, 2}, {4, 4}}},
     {{{3, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"radau-ia-4", 0, 7, {{7, 4}, {7, 4}, {7, 7}},
     {{{4, 3}, {7, 3}, {7, 7}}, {{4, 3}, {6, 3}, {6, 6}}},
     {{{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}, {{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}}},
    {"radau-iia-1", 0, 1, {{1, 1}, {1, 1}, {1, 1}},
     {{{1, 1}, {1, 1}, {1, 1}}, {{1, 1}, {1, 1}, {1, 1}}},
     {{{1, 1, 1}, {1, 1, 0}, {1, 1, 1}}, {{1, 1, 1}, {0, 0, 0}, {0, 0, OPEN}}}},
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
     {{{6, 4, 2}, {6, 6, 3}, {6, 6, 6}}, {{4, 4, 2}, {OPEN, 6, 3}, {6, 6, 6}}}},
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
     {{{3, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"collocation-3:0.5", 0, 5, {{5, 4}, {5, 4}, {5, 5}},
     {{{4, 3}, {5, 3}, {5, 5}}, {{4, 3}, {5, 3}, {5, 5}}},
     {{{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}, {{4, 3, 2}, {3, 3, 2}, {3, 3, 3}}}},
    {"sdirk-2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"sdirk-4", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{2, 1}, {2, 1}, {2, 2}}, {{2, 1}, {2, 1}, {2, 2}}},
     {{{1, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"sdirk-4b", 0, 4, {{4, 2}, {4, 2}, {4, 4}},
     {{{2, 1}, {4, 1}, {4, 4}}, {{2, 1}, {OPEN, 1}, {2, 2}}},
     {{{2, 1, 0}, {1, 1, 0}, {1, 1, 1}}, DIVERGES}},
    {"tr-bdf2", 0, 2, {{2, 2}, {2, 2}, {2, 2}},
     {{{2, 2}, {2, 2}, {2, 2}}, {{2, 2}, {2, 2}, {2, 2}}},
     {{{2, 2, 1}, {2, 2, 2}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 2}, {2, 2, 2}}}},
    {"esdirk-3", 0, 3, {{3, 3}, {3, 3}, {3, 3}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}}, {{2, 2, 1}, {2, 2, OPEN}, {2, 2, 2}}}},
    {"esdirk-4", 0, 4, {{4, 4}, {4, 4}, {4, 4}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}, {{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}}},
    {"esdirk-5", 0, 5, {{5, 5}, {5, 5}, {5, 5}},
     {{{3, 2}, {3, 2}, {3, 3}}, {{3, 2}, {3, 2}, {3, 3}}},
     {{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}},
      {{OPEN, OPEN, OPEN}, {OPEN, OPEN, OPEN}, {2, 2, 2}}}},
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
};
enum { PREDICTIONS = sizeof predictions / sizeof *predictions };

typedef enum study_problem {
    STUDY_ODE, STUDY_INDEX1, STUDY_INDEX2, STUDY_INDEX2_NONLINEAR, STUDY_INDEX3,
    STUDY_INDEX3_NONLINEAR, STUDY_MECHANICAL, STUDY_PROBLEMS
} study_problem;

static const char *const study_problems[STUDY_PROBLEMS] = {
    "order-ode", "order-index1", "order-index2", "order-index2-nonlinear", "order-index3",
    "order-index3-nonlinear", "order-mechanical"};

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

/* Where the multipliers come from differences, only errors of low order rise above their noise. */
static inline int study_visible(study_problem problem, study_ending ending, int group, int order)
{
    int hessenberg = problem == STUDY_INDEX3 || problem == STUDY_INDEX3_NONLINEAR;
    return order != OPEN && !(hessenberg && ending == STUDY_HIDDEN && group == 2 && order > 3);
}

/* Does an observed order agree?  Beyond order 6 hardly any step size is asymptotic and still above
 * rounding; without convergence, orders scatter about 0 or there is none. */
static inline int study_agrees(const predicted_orders *p, double observed, int order)
{
    double tolerance = order > 6 ? 0.35 : 0.15;
    if (order == 0) return !(observed > 0.5);
    return observed >= order - tolerance && (p->at_least || observed <= order + tolerance);
}

/* Step counts in whose range the order shows: to 512 for low orders, to 128 for high ones. */
static inline order_study study_of(const char *method, int order, study_problem problem,
                                   study_ending ending)
{
    int last = order <= 4 ? 512 : order <= 6 ? 256 : 128;
    return (order_study){.problem = study_problems[problem], .method = method, .ending = ending,
                         .first = 4, .last = last};
}

#endif
