/* theory.h -- what the library predicts, cell by cell, and how to observe it.
 *
 * A cell is a method, a problem, an ending of the step and a group of unknowns.  Predicted orders
 * are those of keel_method_orders, which has the sources; an observed order is that in 34 digits
 * where study/reference.h has it, else that in double precision.
 */
#ifndef KEEL_STUDY_THEORY_H
#define KEEL_STUDY_THEORY_H

#include "study/orders.h"

/* Order 0 is "does not converge". */
enum { OPEN = KEEL_ORDER_UNKNOWN };

static const char *const study_methods[] = {
    "gauss-1", "gauss-2", "gauss-3", "gauss-4", "gauss-5",
    "radau-ia-1", "radau-ia-2", "radau-ia-3", "radau-ia-4", "radau-ia-5",
    "radau-iia-1", "radau-iia-2", "radau-iia-3", "radau-iia-4", "radau-iia-5",
    "lobatto-iiia-2", "lobatto-iiia-3", "lobatto-iiia-4", "lobatto-iiia-5",
    "lobatto-iiic-2", "lobatto-iiic-3", "lobatto-iiic-4", "lobatto-iiic-5",
    "collocation-2:0.5", "collocation-3:0.5",
    "sdirk-2", "sdirk-4", "sdirk-4c", "sdirk-4b", "tr-bdf2", "esdirk-3", "esdirk-4", "esdirk-5",
    "rodas-4", "rodas-5p",
    "euler", "midpoint", "heun", "rk4", "dopri5", "dop853", "verner8",
    "hem-1", "hem-3", "hem-4", "hem-5", "phem56",
    "bdf-1", "bdf-2", "bdf-3", "bdf-4", "bdf-5", "bdf-6",
    "dcbdf-1", "dcbdf-2", "dcbdf-3", "dcbdf-4", "dcbdf-5", "dcbdf-6",
    "beta-trapezoidal", "beta-adams-1", "beta-adams-2", "beta-adams-3",
    "adams-1", "adams-2", "adams-3", "adams-4", "adams-5", "adams-6",
    "dcbdf-2:constrain-first", "dcbdf-3:constrain-first",
    "dcbdf-2:constrain-last", "dcbdf-3:constrain-last", "beta-adams-3:constrain-last",
    "dimsim-1", "dimsim-2", "dimsim-3", "irks-1", "irks-2", "irks-3", "irks-4", "irks-5",
};
enum { STUDY_METHODS = sizeof study_methods / sizeof *study_methods };

/* Methods whose next term dominates for long: the numbers of steps, or, `at_least`, all the way
 * down to rounding, because the principal error was made small [HNW93 II.5]. */
typedef struct study_exception {
    const char *method;
    int at_least, first, last;
    const char *problem;         /* NULL: all                                                */
} study_exception;

static const study_exception study_exceptions[] = {
    {"sdirk-4b", 0, 4, 16384, "order-index2"}, {"esdirk-5", 0, 4, 4096, "order-index3-nonlinear"},
    {"dopri5", 1, 4, 256, NULL}, {"dop853", 1, 4, 128, NULL}, {"verner8", 1, 4, 128, NULL},
    {"hem-5", 1, 4, 256, NULL}, {"phem56", 1, 16, 256, NULL},
    {"bdf-1", 0, 128, 1024, NULL}, {"dcbdf-6", 1, 4, 128, NULL},
    {"dimsim-2", 0, 128, 4096, NULL}, {"dimsim-3", 0, 512, 4096, NULL},
    {"irks-1", 0, 128, 1024, NULL}, {"irks-2", 0, 128, 4096, NULL}, {"irks-3", 0, 64, 2048, NULL},
    {"irks-4", 0, 16, 256, NULL}, {"irks-5", 1, 16, 128, NULL},
};

typedef enum study_problem {
    STUDY_ODE, STUDY_INDEX1, STUDY_INDEX2, STUDY_INDEX2_NONLINEAR, STUDY_INDEX3,
    STUDY_INDEX3_NONLINEAR, STUDY_MECHANICAL, STUDY_PROBLEMS
} study_problem;

static const struct { const char *name; int index, nonlinear; } study_problems[STUDY_PROBLEMS] = {
    {"order-ode", 0, 0}, {"order-index1", 1, 0}, {"order-index2", 2, 0},
    {"order-index2-nonlinear", 2, 1}, {"order-index3", 3, 0}, {"order-index3-nonlinear", 3, 1},
    {"order-mechanical", 3, 0}};

static inline const study_exception *study_exception_of(const char *method, const char *problem)
{
    for (size_t i = 0; i < sizeof study_exceptions / sizeof *study_exceptions; i++) {
        const study_exception *e = &study_exceptions[i];
        if (strcmp(e->method, method) == 0 && (!e->problem || strcmp(e->problem, problem) == 0))
            return e;
    }
    return NULL;
}

static inline int study_at_least(const char *method, study_problem problem)
{
    const study_exception *e = study_exception_of(method, study_problems[problem].name);
    return e && e->at_least;
}

static inline int study_groups(study_problem problem)
{
    return problem == STUDY_ODE ? 1 : problem <= STUDY_INDEX2_NONLINEAR ? 2 : 3;
}

/* Runge-Kutta methods that solve for their stages. */
static inline int study_implicit(keel_method_kind kind)
{
    return kind == KEEL_METHOD_DIAGONAL || kind == KEEL_METHOD_IMPLICIT;
}

/* Nothing to project in an ODE, and no multipliers. */
static inline int study_differs(study_problem problem, study_ending ending)
{
    return problem != STUDY_ODE || ending == STUDY_HIDDEN;
}

/* The ending that does the same: the polynomial through the stages of stiffly accurate methods
 * ends in the last one, and other kinds of methods have none; index 1 knows no projection but z
 * from g. */
static inline study_ending study_same_ending(const keel_method_info *method, study_problem problem,
                                             study_ending ending)
{
    int own = study_implicit(method->kind) && !method->stiffly_accurate;
    if (!own && study_multipliers(ending) == KEEL_MULTIPLIERS_POLYNOMIAL)
        ending = study_projected(ending) ? STUDY_RECURSION : STUDY_UNPROJECTED;
    if (problem != STUDY_INDEX1 || study_projected(ending)) return ending;
    return ending == STUDY_UNPROJECTED_POLYNOMIAL ? STUDY_POLYNOMIAL : STUDY_RECURSION;
}

/* What the library predicts for the groups of one problem; 0: no such method. */
static inline int predict(const char *method, study_problem problem, study_ending ending,
                          int order[STUDY_GROUPS])
{
    const keel_order_case which = {
        .index = study_problems[problem].index, .nonlinear = study_problems[problem].nonlinear,
        .projected = study_projected(ending), .multipliers = study_multipliers(ending)};
    keel_method *m = NULL;
    int found = keel_method_named(&m, method) == KEEL_OK && keel_method_orders(m, &which, order);
    keel_method_free(m);
    return found;
}

/* Other projections, with multipliers from the hidden constraint.
 *   orthogonal   the error of a step lies along f_z or k_l; its component in the manifold stays and
 *                adds up: O(h^(q+1)) of y for index 2, not stiffly accurate, makes order q;
 *                O(h^q) of v for index 3 makes q - 1 in all unknowns
 *   velocity     index 2: y is not projected.  Index 3: as oblique for stiffly accurate methods;
 *                otherwise u keeps its unprojected order, min(p, q+1) for |R(inf)| < 1 or -1
 *   position     index 2: as oblique.  Index 3, stiffly accurate: v as without projection, order q;
 *                otherwise u is as by the oblique projection, and v is no worse
 *   explicit     as oblique                                                                 */
typedef struct predicted_variant {
    const char *method;
    keel_projection projection;
    int index2[2][2], index3[2][3];
} predicted_variant;


static const predicted_variant variants[] = {
    {"radau-iia-3", KEEL_PROJECT_EXPLICIT, {{5, 5}, {5, 5}}, {{5, 5, 5}, {4, 4, 4}}},
    {"radau-iia-3", KEEL_PROJECT_ORTHOGONAL, {{5, 5}, {5, 5}}, {{2, 2, 2}, {2, 2, 2}}},
    {"radau-iia-3", KEEL_PROJECT_VELOCITY, {{5, 5}, {5, 5}}, {{5, 5, 5}, {4, 4, 4}}},
    {"radau-iia-3", KEEL_PROJECT_POSITION, {{5, 5}, {5, 5}}, {{5, 3, 3}, {4, 3, 3}}},
    {"gauss-3", KEEL_PROJECT_EXPLICIT, {{6, 6}, {6, 6}}, {{3, 3, 3}, {3, 3, 3}}},
    {"gauss-3", KEEL_PROJECT_ORTHOGONAL, {{3, 3}, {3, 3}}, {{2, 2, 2}, {2, 2, 2}}},
    {"gauss-3", KEEL_PROJECT_VELOCITY, {{4, 4}, {4, 4}}, {{4, 4, 4}, {4, 4, 4}}},
    {"gauss-3", KEEL_PROJECT_POSITION, {{6, 6}, {6, 6}}, {{3, 3, 3}, {3, 3, 3}}},
    {"radau-ia-3", KEEL_PROJECT_EXPLICIT, {{5, 5}, {4, 4}}, {{2, 2, 2}, {2, 2, 2}}},
    {"radau-ia-3", KEEL_PROJECT_ORTHOGONAL, {{2, 2}, {2, 2}}, {{1, 1, 1}, {1, 1, 1}}},
    {"radau-ia-3", KEEL_PROJECT_VELOCITY, {{3, 3}, {3, 3}}, {{3, 3, 3}, {2, 2, 2}}},
    {"radau-ia-3", KEEL_PROJECT_POSITION, {{5, 5}, {4, 4}}, {{2, 2, 2}, {2, 2, 2}}},
    {"collocation-3:0.5", KEEL_PROJECT_EXPLICIT, {{5, 5}, {5, 5}}, {{3, 3, 3}, {3, 3, 3}}},
    {"collocation-3:0.5", KEEL_PROJECT_ORTHOGONAL, {{3, 3}, {3, 3}}, {{2, 2, 2}, {2, 2, 2}}},
    {"collocation-3:0.5", KEEL_PROJECT_VELOCITY, {{4, 4}, {4, 4}}, {{4, 4, 4}, {4, 4, 4}}},
    {"collocation-3:0.5", KEEL_PROJECT_POSITION, {{5, 5}, {5, 5}}, {{3, 3, 3}, {3, 3, 3}}},
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

/* In double precision hidden multipliers of high order lie below rounding, and those of Hessenberg
 * problems of index 3 below the noise of differences. */
static inline int study_visible(study_problem problem, study_ending ending, int group, int order)
{
    int hessenberg = problem == STUDY_INDEX3 || problem == STUDY_INDEX3_NONLINEAR;
    return !study_hidden(ending) || problem < STUDY_INDEX2 ||
           group < study_groups(problem) - 1 || order <= (hessenberg ? 4 : 6);
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
static inline order_study study_of(const char *method, study_problem problem, study_ending ending)
{
    const study_exception *e = study_exception_of(method, study_problems[problem].name);
    keel_method_info info = {0};
    keel_method_find(method, &info);
    int last = info.order <= 4 ? 512 : info.order <= 6 ? 256 : 128;
    return (order_study){.problem = study_problems[problem].name, .method = method,
                         .ending = ending, .first = e ? e->first : 4, .last = e ? e->last : last};
}

static inline order_study study_of_variant(const predicted_variant *v, study_problem problem)
{
    order_study study = study_of(v->method, problem, STUDY_HIDDEN);
    study.projection = v->projection;
    return study;
}

#endif
