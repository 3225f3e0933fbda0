/* orders.h -- observed orders of convergence at constant step size, through the public interface.
 *
 * A problem with known solution x is integrated with N, 2 N, 4 N, ... steps.  The error e(N) of a
 * group of unknowns is the maximum of |y_n - x(t_n)| over the second half of the interval -- not
 * its end alone, where an error may vanish by accident.  The observed order is log2 e(N) / e(2 N)
 * of the finest pair above rounding that agrees with the pair before: coarser ones are not
 * asymptotic yet, finer ones may feel rounding.
 */
#ifndef KEEL_STUDY_ORDERS_H
#define KEEL_STUDY_ORDERS_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/problems.h"

enum { STUDY_GROUPS = 3, STUDY_LEVELS = 12, STUDY_UNKNOWNS = 16 };

/* How a step ends. */
typedef enum study_ending {
    STUDY_UNPROJECTED,           /* no projection; multipliers by the R(inf) recursion      */
    STUDY_RECURSION,             /* projected; multipliers by the recursion                */
    STUDY_HIDDEN,                /* projected; multipliers from the hidden constraint, index 1: */
                                 /* z from g                                               */
    STUDY_POLYNOMIAL,            /* projected; from the polynomial of the stages            */
    STUDY_UNPROJECTED_HIDDEN,    /* not projected                                           */
    STUDY_UNPROJECTED_POLYNOMIAL,
    STUDY_ENDINGS
} study_ending;

static const char *const study_endings[STUDY_ENDINGS] = {
    "unprojected, recursion", "projected, recursion", "projected, hidden", "projected, polynomial",
    "unprojected, hidden", "unprojected, polynomial"};

static inline int study_projected(study_ending ending)
{
    return ending >= STUDY_RECURSION && ending <= STUDY_POLYNOMIAL;
}

static inline keel_multipliers study_multipliers(study_ending ending)
{
    static const keel_multipliers of[STUDY_ENDINGS] = {
        KEEL_MULTIPLIERS_RECURSION, KEEL_MULTIPLIERS_RECURSION, KEEL_MULTIPLIERS_HIDDEN,
        KEEL_MULTIPLIERS_POLYNOMIAL, KEEL_MULTIPLIERS_HIDDEN, KEEL_MULTIPLIERS_POLYNOMIAL};
    return of[ending];
}

static inline int study_hidden(study_ending ending)
{
    return study_multipliers(ending) == KEEL_MULTIPLIERS_HIDDEN;
}

typedef struct order_study {
    const char *problem, *method;
    study_ending ending;
    keel_projection projection;  /* of the projected endings; 0: oblique                    */
    int first, last;             /* numbers of steps N: first, 2 first, ... up to last      */
} order_study;

typedef struct observed_orders {
    int status;                  /* of the library: unknown method, unsupported, ...        */
    char message[256];
    int groups, levels;          /* groups of unknowns; step sizes that were finished       */
    int steps[STUDY_LEVELS];
    double error[STUDY_LEVELS][STUDY_GROUPS];
    double order[STUDY_GROUPS];  /* NAN without a pair of errors above rounding             */
    int pair[STUDY_GROUPS];      /* it comes from levels pair and pair + 1                  */
} observed_orders;

static inline keel_options study_options(const order_study *study, double step)
{
    keel_options o = {.method = study->method, .step = step, .rtol = 1e-10, .newton_limit = 100,
                      .projection = study->projection,
                      .multipliers = study_multipliers(study->ending)};
    if (!study_projected(study->ending)) o.projection = KEEL_PROJECT_NONE;
    return o;
}

/* Raises the error of each group to that at the current point. */
static inline void study_errors(const bundled_problem *b, const keel_solver *s, double *error)
{
    int size[3], groups = keel_problem_groups(keel_solver_problem(s), size, (const char *[3]){0});
    double x[STUDY_UNKNOWNS];
    const double *y = keel_state(s), *exact = x;
    b->exact(NULL, keel_time(s), x);
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < size[g]; i++, y++, exact++)
            if (!(fabs(*y - *exact) <= error[g])) error[g] = fabs(*y - *exact);
}

/* The errors of all groups with N steps; a keel status. */
static inline int study_run(const order_study *study, const bundled_problem *b,
                            const keel_problem *p, int N, double *error, char message[256])
{
    double y[STUDY_UNKNOWNS], length = b->t_end - b->t_start;
    keel_options o = study_options(study, length / N);
    keel_solver *s = NULL;
    memset(error, 0, STUDY_GROUPS * sizeof *error);
    b->start(NULL, y);
    int rc = keel_solver_create(&s, p, &o);
    if (!rc) rc = keel_start(s, b->t_start, y);
    for (int n = 1; n <= N && !rc; n++) {
        rc = n < N ? keel_step(s) : keel_advance_to(s, b->t_end);
        if (!rc && 2 * n >= N) study_errors(b, s, error);
    }
    if (rc && s) snprintf(message, 256, "%s", keel_message(s));
    keel_solver_free(s);
    return rc;
}

/* Errors below are rounding, which is amplified by 1/h for each derivative of the constraint: not
 * in y of index 2, once in z and in u, v of index 3, twice in its multipliers.  Those of
 * Hessenberg problems of index 3 come from differences of the velocity level if hidden. */
static inline double study_floor(const keel_problem *p, study_ending ending, int group, double h)
{
    if (keel_problem_form(p) == KEEL_FORM_HESSENBERG3 && group == 2 &&
        study_hidden(ending))
        return 3e-10;
    static const int derivatives[4][STUDY_GROUPS] = {{0}, {0, 0}, {0, 1}, {1, 1, 2}};
    return fmax(1e-12, 30 * DBL_EPSILON / pow(h, derivatives[keel_problem_index(p)][group]));
}

static inline void study_order(observed_orders *r, const double *least, int g)
{
    static const double agreement = 0.1;
    double before = NAN, change = INFINITY;
    r->order[g] = NAN;
    for (int k = 0; k + 1 < r->levels; k++) {
        double coarse = r->error[k][g], fine = r->error[k + 1][g];
        if (!(fine > least[k + 1]) || !isfinite(coarse)) break;
        double order = log2(coarse / fine), changed = fabs(order - before);
        if (isnan(r->order[g]) || changed <= fmax(change, agreement)) {
            r->order[g] = order;
            r->pair[g] = k;
            if (k > 0) change = fmin(change, changed);
        }
        before = order;
    }
}

/* Is there more to learn from smaller steps? */
static inline int study_goes_on(const observed_orders *r)
{
    return r->status == KEEL_OK || r->status == KEEL_NOT_CONVERGED;
}

static inline observed_orders study_observe(const order_study *study)
{
    observed_orders r = {.status = KEEL_OK};
    const bundled_problem *b = bundled_problem_find(study->problem);
    keel_problem *p = NULL;
    int size[3];
    r.status = b && b->exact ? b->create(&p, NULL) : KEEL_UNKNOWN_NAME;
    if (p) r.groups = keel_problem_groups(p, size, (const char *[3]){0});
    for (int N = study->first; study_goes_on(&r) && N <= study->last && r.levels < STUDY_LEVELS;
         N *= 2) {
        r.status = study_run(study, b, p, N, r.error[r.levels], r.message);
        if (!r.status) r.steps[r.levels++] = N;
        else r.levels = 0;                       /* larger steps that went well say nothing */
    }
    for (int g = 0; g < r.groups; g++) {
        double least[STUDY_LEVELS];
        for (int k = 0; k < r.levels; k++)
            least[k] = study_floor(p, study->ending, g, (b->t_end - b->t_start) / r.steps[k]);
        study_order(&r, least, g);
    }
    keel_problem_free(p);
    return r;
}

#endif
