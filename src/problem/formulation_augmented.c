/* formulation_augmented.c -- derivatives as unknowns of their own, of every form (proper:
 * formulation_proper.c).
 *
 *   y' = w,  0 = r(t,y,w)                                               [Weiss 2007, 3.1]
 */
#include "problem/formulation.h"

#include <string.h>

static int unit_rows(double t, const double *y, keel_matrix *M, void *context)
{
    formulation_state *s = formulation_enter(context);
    (void)t, (void)y;
    s->inner->mass_known = 0;                    /* a new start */
    for (int i = 0; i < s->n; i++) keel_put(M, i, i, 1);
    return formulation_leave(s, 0);
}

static int augmented_rate(double t, const double *y, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    const double *w = y + s->n;
    memcpy(f, w, (size_t)s->n * sizeof *f);
    return formulation_leave(s, eval_residual(s->inner, t, y, w, f + s->n));
}

/* w_i = y_i' has an index higher by one than y_i, but 1 where y_i is the solution of an ODE that
 * index-1 unknowns complete. */
static void augmented_indices(const keel_problem *original, int *index)
{
    int n = original->n, differential = differential_unknowns(original);
    int smooth = original->form == KEEL_FORM_ODE || original->form == KEEL_FORM_SEMI_EXPLICIT ||
                 original->index == 0 ? differential : 0;
    for (int i = 0; i < n; i++) {
        index[i] = original->variable_index[i];
        index[n + i] = i < smooth ? 1 : original->variable_index[i] + 1;
    }
}

int create_augmented(keel_problem **problem, const keel_problem *original, const formulation *how,
                     const char *const *names)
{
    if (original->form == KEEL_FORM_PROPER)
        return create_augmented_proper(problem, original, how, names);
    augmented_indices(original, how->source + 2 * original->n);
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = 2 * original->n, .mass = unit_rows, .constant_mass = 1, .rhs = augmented_rate,
        .variable_index = how->source + 2 * original->n, .names = names});
}
