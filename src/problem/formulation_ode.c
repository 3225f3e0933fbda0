/* formulation_ode.c -- formulations of ODEs with invariants, and one for every form (proper:
 * formulation_proper.c).
 *
 *   invariants   y' = f(t,y) - phi_y^T mu,  0 = phi(t,y)            index 2, mu = 0
 *   stabilised   y' = f(t,y) - alpha F phi,  F = phi_y^T (phi_y phi_y^T)^-1
 *   augmented    y' = w,  0 = r(t,y,w)
 *
 * [Gear, SIAM J. Sci. Stat. Comput. 7 (1986) 734; Weiss 2007, 1.2; Bendtsen & Thomsen 1999, (8.4)
 * and (8.5); augmentation: Weiss 2007, 3.1]
 */
#include "problem/formulation.h"

#include <string.h>

/* ---- invariants ---------------------------------------------------------------------------- */

/* f -= phi_y^T mu with phi_y in s->G */
static void subtract_normal(const formulation_state *s, const double *mu, double *f)
{
    for (int k = 0; k < s->m; k++)
        for (int j = 0; j < s->n; j++) f[j] -= s->G[k * s->n + j] * mu[k];
}

static int normal_rate(double t, const double *y, const double *mu, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = eval_rate(s->inner, t, y, f);
    if (!rc) rc = eval_attached_jacobian(s->inner, t, y, s->G);
    if (!rc) subtract_normal(s, mu, f);
    return formulation_leave(s, rc);
}

static int invariant(double t, const double *y, double *phi, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_level(s->inner, 0, t, y, phi));
}

static int invariant_jacobian(double t, const double *y, double *phi_y, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_attached_jacobian(s->inner, t, y, phi_y));
}

int create_invariants(keel_problem **problem, const keel_problem *original, const formulation *how,
                      const char *const *names)
{
    (void)how;
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = original->n, .multipliers = original->attached.rows, .rhs = normal_rate,
        .constraint = invariant, .constraint_jacobian = invariant_jacobian, .names = names});
}

/* ---- stabilised ODE ------------------------------------------------------------------------ */

/* s->value := (phi_y phi_y^T)^-1 s->value */
static int normal_equations(formulation_state *s, double t)
{
    int n = s->n, m = s->m;
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += s->G[i * n + j] * s->G[k * n + j];
            s->S[i * m + k] = s->S[k * m + i] = sum;
        }
    if (dense_factor(m, s->S, s->pivot))
        return formulation_fault(s, t, FAULT_MULTIPLIERS, "invariant");
    dense_solve(m, s->S, s->pivot, s->value);
    return 0;
}

static int attracted_rate(double t, const double *y, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = eval_rate(s->inner, t, y, f);
    if (!rc) rc = eval_attached_jacobian(s->inner, t, y, s->G);
    if (!rc) rc = eval_level(s->inner, 0, t, y, s->value);
    if (!rc) rc = normal_equations(s, t);
    for (int k = 0; k < s->m; k++) s->value[k] *= s->how->alpha;
    if (!rc) subtract_normal(s, s->value, f);
    return formulation_leave(s, rc);
}

int create_stabilised(keel_problem **problem, const keel_problem *original, const formulation *how,
                      const char *const *names)
{
    (void)how;
    return keel_ode(problem, &(keel_ode_spec){
        .size = original->n, .rhs = attracted_rate, .invariants = original->attached.rows,
        .invariant = invariant, .invariant_jacobian = invariant_jacobian, .names = names});
}

/* ---- augmentation -------------------------------------------------------------------------- */

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
