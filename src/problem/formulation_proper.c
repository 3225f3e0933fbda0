/* formulation_proper.c -- formulations of A(t,x) d(t,x)' + b(t,x) = 0.
 *
 *   augmented   u' = w,  0 = A(t,x) w + b(t,x),  0 = u - d(t,x)       the index stays
 *   naive       A d_x x' = -A d_t - b                                 augmentation raises the index
 *
 * [Weiss 2007, examples 3.32 and 3.1]
 */
#include "problem/formulation.h"

#include <string.h>

/* ---- augmented ----------------------------------------------------------------------------- */

/* Unknowns (x,u,w). */
static int derivative_rows(double t, const double *y, keel_matrix *M, void *context)
{
    const formulation_state *s = context;
    int size = s->inner->problem->group[0], leading = s->inner->problem->group[1];
    (void)t, (void)y;
    for (int k = 0; k < leading; k++) keel_put(M, k, size + k, 1);
    return 0;
}

static int augmented_rate(double t, const double *y, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int size = s->inner->problem->group[0], leading = s->inner->problem->group[1];
    const double *w = y + s->n;
    memset(s->rate, 0, (size_t)size * sizeof *s->rate);
    memcpy(s->rate + size, w, (size_t)leading * sizeof *s->rate);
    memcpy(f, w, (size_t)leading * sizeof *f);
    return formulation_leave(s, eval_residual(s->inner, t, y, s->rate, f + leading));
}

int create_augmented_proper(keel_problem **problem, const keel_problem *original,
                            const formulation *how, const char *const *names)
{
    int n = original->n, leading = original->group[1], *index = how->source + n + leading;
    for (int i = 0; i < n + leading; i++)
        index[i] = i < n ? original->variable_index[i] : original->index > 2 ? 3 : 2;
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = n + leading, .mass = derivative_rows, .constant_mass = 1, .rhs = augmented_rate,
        .variable_index = index, .names = names});
}

/* ---- naive --------------------------------------------------------------------------------- */

static int naive_mass(double t, const double *x, keel_matrix *M, void *context)
{
    formulation_state *s = formulation_enter(context);
    int size = s->inner->problem->group[0], leading = s->inner->problem->group[1];
    double *A = s->inner->square, *D = s->inner->constraint_jacobian;
    int rc = eval_leading_matrix(s->inner, t, x, A);
    if (!rc) rc = eval_leading_jacobian(s->inner, t, x, D);
    for (int i = 0; i < size && !rc; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0;
            for (int k = 0; k < leading; k++) sum += A[i * leading + k] * D[k * size + j];
            keel_put(M, i, j, sum);
        }
    return formulation_leave(s, rc);
}

static int naive_rate(double t, const double *x, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int size = s->inner->problem->group[0], leading = s->inner->problem->group[1];
    double *A = s->inner->square, *d_t = s->rate;
    int rc = eval_leading_matrix(s->inner, t, x, A);
    if (!rc) rc = eval_leading_time(s->inner, t, x, d_t);
    if (!rc) rc = eval_rest(s->inner, t, x, f);
    for (int i = 0; i < size && !rc; i++) {
        f[i] = -f[i];
        for (int k = 0; k < leading; k++) f[i] -= A[i * leading + k] * d_t[k];
    }
    return formulation_leave(s, rc);
}

int create_naive(keel_problem **problem, const keel_problem *original, const formulation *how,
                 const char *const *names)
{
    (void)how;
    return keel_quasilinear(problem, &(keel_quasilinear_spec){
        .size = original->group[0], .mass = naive_mass, .rhs = naive_rate,
        .variable_index = original->variable_index, .names = names});
}
