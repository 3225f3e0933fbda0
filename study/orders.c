/* orders.c -- measures orders of convergence and prints them next to theory, as docs/orders.md.
 *
 * Rows are methods, columns groups of unknowns for each way a step may end.  "4.00 (4)": observed
 * and predicted; bold where they disagree; "-" where no two errors lie above rounding.  Methods
 * that do not take a form of problem are left out.
 */
#include "study/theory.h"

static const char *const endings[] = {"unprojected", "projected, recursion", "projected, hidden"};

static int group_count(study_problem problem)
{
    static const int groups[STUDY_PROBLEMS] = {1, 2, 2, 2, 3, 3, 3};
    return groups[problem];
}

/* One cell; returns 1 if observation and theory disagree. */
static int print_cell(const predicted_orders *p, const observed_orders *r, int g,
                      study_problem problem, study_ending ending)
{
    int order = predicted(p, problem, ending)[g];
    int visible = study_visible(problem, ending, g, order), seen = !isnan(r->order[g]);
    int agrees = !visible || study_agrees(p, r->order[g], order);
    const char *bold = agrees ? "" : "**";
    if (!seen && order == 0 && r->status == KEEL_NOT_CONVERGED) printf(" diverges (none) |");
    else if (!seen) printf(" -%s |", agrees ? "" : " **(not seen)**");
    else if (order == OPEN) printf(" %.2f |", r->order[g]);
    else if (order == 0) printf(" %s%.2f (none)%s |", bold, r->order[g], bold);
    else if (!visible) printf(" %.2f (%d, noise) |", r->order[g], order);
    else
        printf(" %s%.2f (%s%d)%s |", bold, r->order[g], p->at_least ? ">= " : "", order, bold);
    return !agrees;
}

/* All endings of one method on one problem; returns the number of disagreements, or -1 when the
 * method cannot be used. */
static int print_method(const predicted_orders *p, study_problem problem)
{
    int deviations = 0, groups = group_count(problem), first = problem == STUDY_INDEX1 ? 1 : 0;
    if (problem == STUDY_ODE) first = STUDY_HIDDEN;
    for (study_ending ending = (study_ending)first; ending < STUDY_ENDINGS; ending++) {
        int order = p->ode > 0 ? p->ode : predicted(p, problem, STUDY_HIDDEN)[0];
        order_study study = study_of(p->method, order, problem, ending);
        observed_orders r = study_observe(&study);
        if (r.status == KEEL_UNKNOWN_NAME || r.status == KEEL_UNSUPPORTED) return -1;
        if ((int)ending == first) printf("| %s |", p->method);
        for (int g = 0; g < groups; g++)
            deviations += print_cell(p, &r, g, problem, ending);
    }
    printf("\n");
    return deviations;
}

static void print_heading(study_problem problem)
{
    static const char *const names[STUDY_PROBLEMS][3] = {
        {"y"}, {"y", "z"}, {"y", "z"}, {"y", "z"}, {"u", "v", "l"}, {"u", "v", "l"},
        {"q", "v", "l"}};
    int first = problem == STUDY_ODE ? STUDY_HIDDEN : problem == STUDY_INDEX1 ? 1 : 0;
    int groups = group_count(problem);
    printf("\n## %s\n\n| method |", study_problems[problem]);
    for (int ending = first; ending < STUDY_ENDINGS; ending++)
        for (int g = 0; g < groups; g++)
            printf(problem == STUDY_ODE ? " %s |" : " %s, %s |", names[problem][g],
                   problem == STUDY_INDEX1 && ending == STUDY_RECURSION ? "recursion"
                   : problem == STUDY_INDEX1 ? "z from g" : endings[ending]);
    printf("\n|---|");
    for (int i = 0; i < groups * (STUDY_ENDINGS - first); i++) printf("---|");
    printf("\n");
}

/* Other projections, multipliers from the hidden constraint: observed only. */
static void print_projections(void)
{
    static const struct { keel_projection kind; const char *name; } kinds[] = {
        {KEEL_PROJECT_OBLIQUE, "oblique"}, {KEEL_PROJECT_EXPLICIT, "explicit"},
        {KEEL_PROJECT_ORTHOGONAL, "orthogonal"}, {KEEL_PROJECT_VELOCITY, "velocity"},
        {KEEL_PROJECT_POSITION, "position"}};
    static const char *const methods[] = {"radau-iia-2", "radau-iia-3", "gauss-2", "gauss-3",
                                          "radau-ia-3", "lobatto-iiia-3", "lobatto-iiic-3"};
    printf("\n## Other projections\n\nMultipliers from the hidden constraint.\n\n"
           "| method | problem | oblique | explicit | orthogonal | velocity | position |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++) {
            order_study study = study_of(methods[m], 4, problem, STUDY_HIDDEN);
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                study.projection = kinds[k].kind;
                observed_orders r = study_observe(&study);
                if (r.status == KEEL_UNKNOWN_NAME || r.status == KEEL_UNSUPPORTED) break;
                if (k == 0) printf("| %s | %s |", methods[m], study.problem);
                for (int g = 0; g < r.groups; g++)
                    printf(isnan(r.order[g]) ? "%s-" : "%s%.2f", g ? ", " : " ", r.order[g]);
                printf(k + 1 < sizeof kinds / sizeof *kinds ? " |" : " |\n");
            }
        }
}

int main(void)
{
    int deviations = 0;
    printf("# Orders of convergence\n\n"
           "Written by `make study`: observed orders at constant step size, and in brackets those\n"
           "of theory ([study/theory.h](../study/theory.h) has the sources). The problems have\n"
           "chosen solutions; [study/orders.h](../study/orders.h) says how an order is observed.\n"
           "Disagreements of more than 0.15 (0.35 beyond order 6) are **bold**; a number without\n"
           "brackets has no prediction; \"noise\": the multiplier comes from differences, whose\n"
           "noise hides high orders; \"-\": no two errors above rounding, or Newton's method\n"
           "fails.\n");
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++) {
        print_heading(problem);
        for (int i = 0; i < PREDICTIONS; i++) {
            int found = print_method(&predictions[i], problem);
            if (found > 0) deviations += found;
        }
    }
    print_projections();
    fprintf(stderr, "%d orders differ from theory\n", deviations);
    return 0;
}
