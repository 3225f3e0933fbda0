/* orders.c -- measures orders of convergence and prints them next to theory, as docs/orders.md.
 *
 * Rows are methods, columns groups of unknowns for each way a step may end.  "4.00 / 4.00 (4)":
 * observed with the library, in 34 digits (study/reference.h) and predicted; bold where they
 * disagree; "-" where no two errors lie above rounding.  Methods that do not take a form of problem
 * are left out.
 */
#include "study/reference.h"

static const char *const names[STUDY_PROBLEMS][3] = {
    {"y"}, {"y", "z"}, {"y", "z"}, {"y", "z"}, {"u", "v", "l"}, {"u", "v", "l"}, {"q", "v", "l"}};

static const reference_case *reference_of(const char *method, study_problem problem,
                                          study_ending ending)
{
    for (int i = 0; i < REFERENCES; i++)
        if (strcmp(references[i].method, method) == 0 && references[i].problem == problem &&
            references[i].ending == ending) return &references[i];
    return NULL;
}

/* What the brackets say. */
static void print_theory(int order, int at_least)
{
    if (order == OPEN) return;
    if (order == 0) printf(" (none)");
    else printf(" (%s%d)", at_least ? ">= " : "", order);
}

/* One cell; returns the number of disagreements of observation and theory. */
static int print_cell(const observed_orders *r, const reference_case *exact, int g, int order,
                      int at_least, int visible)
{
    int plain = order >= IN_QUAD ? order - IN_QUAD : order;
    int agrees = !visible || study_agrees_in_double(r->order[g], order, at_least);
    int proved = !exact || order == OPEN ||
                 study_agrees(exact->order[g], plain, study_tolerance, 0);
    const char *bold = agrees && proved ? "" : "**";
    printf(" %s", bold);
    if (!isnan(r->order[g])) printf("%.2f", r->order[g]);
    else printf(r->status == KEEL_NOT_CONVERGED ? "diverges" : "-");
    if (!isnan(r->order[g]) && plain > 0 && !visible) printf(" (noise)");
    if (exact && isnan(exact->order[g])) printf(" / diverges");
    else if (exact) printf(" / %.2f", exact->order[g]);
    print_theory(plain, at_least);
    printf("%s |", bold);
    return !agrees + !proved;
}

/* All endings of one method on one problem; returns the number of disagreements, or -1 when the
 * method cannot be used. */
static int print_method(const predicted_orders *p, study_problem problem)
{
    int deviations = 0, begun = 0;
    for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++) {
        if (!study_differs(problem, ending)) continue;
        order_study study = study_of_method(p, problem, ending);
        observed_orders r = study_observe(&study);
        if (r.status == KEEL_UNKNOWN_NAME || r.status == KEEL_UNSUPPORTED) return -1;
        if (!begun++) printf("| %s |", p->method);
        for (int g = 0; g < study_groups(problem); g++) {
            int expected = predicted(p, problem, ending)[g];
            deviations += print_cell(&r, reference_of(p->method, problem, ending), g, expected,
                                     p->at_least, study_visible(problem, ending, g, expected));
        }
    }
    printf("\n");
    return deviations;
}

static const char *ending_name(study_problem problem, study_ending ending)
{
    if (problem != STUDY_INDEX1) return study_endings[ending];
    return ending == STUDY_RECURSION ? "recursion" : "z from g";
}

static void print_heading(study_problem problem)
{
    int columns = 0, groups = study_groups(problem);
    printf("\n## %s\n\n| method |", study_problems[problem]);
    for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++)
        for (int g = 0; g < groups && study_differs(problem, ending); g++, columns++)
            printf(problem == STUDY_ODE ? " %s |" : " %s, %s |", names[problem][g],
                   ending_name(problem, ending));
    printf("\n|---|");
    for (int i = 0; i < columns; i++) printf("---|");
    printf("\n");
}

/* Other projections with multipliers from the hidden constraint; other multipliers. */
static int print_variants(void)
{
    static const char *const kinds[] = {"oblique", "none", "explicit", "orthogonal", "velocity",
                                        "position"};
    int deviations = 0;
    printf("\n## Other projections and multipliers\n\n| method | projection | multipliers |");
    for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++)
        for (int g = 0; g < study_groups(problem); g++)
            printf(" %s, %s |", names[problem][g], study_problems[problem] + strlen("order-"));
    printf("\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < VARIANTS; i++) {
        const predicted_variant *v = &variants[i];
        printf("| %s | %s | %s |", v->method, kinds[v->projection],
               v->ending == STUDY_POLYNOMIAL ? "polynomial" : "hidden");
        for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++) {
            order_study study = study_of_variant(v, problem);
            observed_orders r = study_observe(&study);
            for (int g = 0; g < study_groups(problem); g++) {
                int order = predicted_by(v, problem)[g];
                deviations += print_cell(&r, NULL, g, order, 0,
                                         study_visible(problem, v->ending, g, order));
            }
        }
        printf("\n");
    }
    return deviations;
}

int main(void)
{
    int deviations = 0;
    printf("# Orders of convergence\n\n"
           "Written by `make study`: orders observed at constant step size with the library /\n"
           "with an independent program in 34 digits, and in brackets those of theory\n"
           "([study/theory.h](../study/theory.h) has the sources). The problems have chosen\n"
           "solutions; [study/orders.h](../study/orders.h) says how an order is observed.\n"
           "Disagreements of more than 0.15 (in double precision, 0.35 beyond order 6) are\n"
           "**bold**; a cell without brackets has no prediction; \"noise\": not expected to\n"
           "show in double precision -- the multiplier comes from differences, the order\n"
           "shows below rounding or with more steps, or multipliers that are far off lead\n"
           "Newton's method to another root;\n"
           "\"-\": no two errors above rounding; \"diverges\": Newton's method fails at all step\n"
           "sizes.\n\n"
           "At 16 and 32 steps the errors of the library equal those of\n"
           "[study/reference.h](../study/reference.h), in 34 digits, to five digits or rounding;\n"
           "[test/order](../test/order) asserts this and the orders.\n");
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++) {
        print_heading(problem);
        for (int i = 0; i < PREDICTIONS; i++) {
            int found = print_method(&predictions[i], problem);
            if (found > 0) deviations += found;
        }
    }
    deviations += print_variants();
    fprintf(stderr, "%d orders differ from theory\n", deviations);
    return deviations > 0;
}
