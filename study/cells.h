/* cells.h -- every cell: what is predicted, what is observed, and whether they agree. */
#ifndef KEEL_STUDY_CELLS_H
#define KEEL_STUDY_CELLS_H

#include "study/reference.h"

static inline const reference_case *reference_of(const char *method, study_problem problem,
                                                 study_ending ending)
{
    keel_method_info info;
    if (keel_method_find(method, &info)) return NULL;
    ending = study_same_ending(&info, problem, ending);
    for (int i = 0; i < REFERENCES; i++)
        if (strcmp(references[i].method, method) == 0 && references[i].problem == problem &&
            references[i].ending == ending) return &references[i];
    return NULL;
}

typedef struct study_cells {
    int status;                  /* of the library, if it was asked: unsupported, ...        */
    char message[256];
    int groups, exact;           /* 1: observed in 34 digits                                 */
    int predicted[STUDY_GROUPS];
    double observed[STUDY_GROUPS];
    int compared[STUDY_GROUPS], agrees[STUDY_GROUPS];
} study_cells;

/* All groups of one method, problem and ending; the library integrates where there is no
 * reference. */
static inline study_cells study_compare(const char *method, study_problem problem,
                                        study_ending ending)
{
    const reference_case *exact = reference_of(method, problem, ending);
    study_cells c = {.groups = study_groups(problem), .exact = exact != NULL};
    order_study study = study_of(method, problem, ending);
    observed_orders r = {0};
    if (!exact) {
        r = study_observe(&study);
        c.status = r.status;
        memcpy(c.message, r.message, sizeof c.message);
    }
    if (!predict(method, problem, ending, c.predicted)) c.status = KEEL_UNKNOWN_NAME;
    for (int g = 0; g < c.groups; g++) {
        int order = c.predicted[g], at_least = study_at_least(method, problem);
        c.observed[g] = exact ? exact->order[g] : r.order[g];
        c.compared[g] = order != OPEN && (exact || study_visible(problem, ending, g, order));
        c.agrees[g] = exact ? study_agrees(c.observed[g], order, study_tolerance, 0)
                            : study_agrees_in_double(c.observed[g], order, at_least);
    }
    return c;
}

/* Another projection, by the library. */
static inline study_cells study_compare_variant(const predicted_variant *v, study_problem problem)
{
    study_cells c = {.groups = study_groups(problem)};
    order_study study = study_of_variant(v, problem);
    observed_orders r = study_observe(&study);
    c.status = r.status;
    memcpy(c.message, r.message, sizeof c.message);
    for (int g = 0; g < c.groups; g++) {
        c.predicted[g] = predicted_by(v, problem)[g];
        c.observed[g] = r.order[g];
        c.compared[g] = study_visible(problem, STUDY_HIDDEN, g, c.predicted[g]);
        c.agrees[g] = study_agrees_in_double(c.observed[g], c.predicted[g], 0);
    }
    return c;
}

/* Is there such a step at all? */
static inline int study_supported(const study_cells *c)
{
    return c->status != KEEL_UNKNOWN_NAME && c->status != KEEL_UNSUPPORTED;
}

#endif
