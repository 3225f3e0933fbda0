/* orders.c -- compares every predicted order with the observed one and prints both, as
 * docs/orders.md.
 *
 * Rows are methods, columns ways a step may end; "4.00 2.00 (4 2)": observed and predicted for the
 * groups of unknowns; bold where they disagree.  Methods that do not take a form of problem are
 * left out.  The exit code is 0 if no cell disagrees.
 */
#include "study/cells.h"

static const char *const names[STUDY_PROBLEMS] = {"y", "y z", "y z", "y z", "u v l", "u v l",
                                                  "q v l"};

typedef struct tally { int compared, exact, differ, not_predicted, not_visible; } tally;

static void count(tally *t, const study_cells *c)
{
    for (int g = 0; g < c->groups; g++) {
        t->compared += c->compared[g];
        t->exact += c->compared[g] && c->exact;
        t->differ += c->compared[g] && !c->agrees[g];
        t->not_predicted += c->predicted[g] == OPEN;
        t->not_visible += c->predicted[g] != OPEN && !c->compared[g];
    }
}

/* Names the cells that disagree to whoever runs the study. */
static void name_differences(const char *method, study_problem problem, study_ending ending,
                             const study_cells *c)
{
    for (int g = 0; g < c->groups; g++)
        if (c->compared[g] && !c->agrees[g])
            fprintf(stderr, "%s on %s (%s), group %d: observed %.2f, predicted %d\n", method,
                    study_problems[problem].name, study_endings[ending], g, c->observed[g],
                    c->predicted[g]);
}

static void print_cell(const study_cells *c, int at_least)
{
    int differ = 0;
    for (int g = 0; g < c->groups; g++) differ |= c->compared[g] && !c->agrees[g];
    printf(" %s", differ ? "**" : "");
    for (int g = 0; g < c->groups; g++) {
        int visible = c->compared[g] || c->predicted[g] == OPEN;
        if (!visible) printf("- ");
        else if (isnan(c->observed[g])) printf("diverges ");
        else printf("%.2f ", c->observed[g]);
    }
    for (int g = 0; g < c->groups; g++) {
        printf(g == 0 ? "(" : " ");
        if (c->predicted[g] == OPEN) printf("?");
        else if (c->predicted[g] == 0) printf("none");
        else printf("%s%d", at_least ? ">=" : "", c->predicted[g]);
    }
    printf(")%s |", differ ? "**" : "");
}

/* All endings of one method on one problem. */
static void print_method(const char *method, study_problem problem, tally *t)
{
    int begun = 0;
    for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++) {
        if (!study_differs(problem, ending)) continue;
        study_cells c = study_compare(method, problem, ending);
        if (!study_supported(&c) && !begun) return;
        if (!begun++) printf("| %s |", method);
        if (!study_supported(&c)) {
            printf(" |");
            continue;
        }
        print_cell(&c, study_at_least(method, problem));
        name_differences(method, problem, ending, &c);
        count(t, &c);
    }
    printf("\n");
}

static void print_heading(study_problem problem)
{
    int columns = 0;
    printf("\n## %s: %s\n\n| method |", study_problems[problem].name, names[problem]);
    for (study_ending ending = 0; ending < STUDY_ENDINGS; ending++)
        if (study_differs(problem, ending)) {
            printf(" %s |", problem == STUDY_ODE ? "y" : study_endings[ending]);
            columns++;
        }
    printf("\n|---|");
    for (int i = 0; i < columns; i++) printf("---|");
    printf("\n");
}

/* Other projections with multipliers from the hidden constraint, as study/theory.h expects them. */
static void print_variants(tally *t)
{
    static const char *const kinds[] = {"oblique", "none", "explicit", "orthogonal", "velocity",
                                        "position"};
    printf("\n## Other projections, hidden multipliers\n\n| method | projection |");
    for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++)
        printf(" %s: %s |", study_problems[problem].name + strlen("order-"), names[problem]);
    printf("\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < VARIANTS; i++) {
        printf("| %s | %s |", variants[i].method, kinds[variants[i].projection]);
        for (study_problem problem = STUDY_INDEX2; problem < STUDY_PROBLEMS; problem++) {
            study_cells c = study_compare_variant(&variants[i], problem);
            print_cell(&c, 0);
            name_differences(variants[i].method, problem, STUDY_HIDDEN, &c);
            count(t, &c);
        }
        printf("\n");
    }
}

static void print_head(void)
{
    printf("# Orders of convergence\n\n"
           "Written by `make study`: orders observed at constant step size, and in brackets those\n"
           "that `keel method` and `keel converge` predict\n"
           "([orders.c](../src/method/orders.c) has the sources). Observed is, for implicit\n"
           "Runge-Kutta methods, what an independent program finds in 34 digits\n"
           "([study/reference.c](../study/reference.c)): at 16 and 32 steps the errors of the\n"
           "library equal its errors to five digits (five stages: three) or rounding. For other\n"
           "methods it is what the library finds in double precision;\n"
           "[study/orders.h](../study/orders.h) says how. The problems have chosen solutions.\n"
           "Disagreements of more than 0.15 (in double precision, 0.35 beyond order 6) would be\n"
           "**bold**; [test/order](../test/order) asserts that there are none.\n\n"
           "\"none\" and \"diverges\": no convergence; \"?\": not predicted; \"-\": of an order\n"
           "that rounding hides in double precision; \">=\": the principal error was made so\n"
           "small that the next term dominates down to rounding.\n");
}

int main(void)
{
    tally t = {0};
    print_head();
    for (study_problem problem = 0; problem < STUDY_PROBLEMS; problem++) {
        print_heading(problem);
        for (int i = 0; i < STUDY_METHODS; i++) print_method(study_methods[i], problem, &t);
    }
    print_variants(&t);
    printf("\n## Cells\n\n%d predicted orders were compared with observed ones, %d of them in 34"
           " digits: %d differ.\n%d more are hidden by rounding, and %d are not predicted.\n",
           t.compared, t.exact, t.differ, t.not_visible, t.not_predicted);
    fprintf(stderr, "%d cells compared, %d differ, %d hidden by rounding, %d not predicted\n",
            t.compared, t.differ, t.not_visible, t.not_predicted);
    return t.differ > 0;
}
