/* formulation_reduction.c -- index reduction, with and without stabilisation.
 *
 *   index2      x' = F(t,x,l),           0 = g'(t,x)
 *   ggl         x' = F(t,x,l) - (D,0) mu, 0 = g(t,x), 0 = g'(t,x)
 *   index1      x' = F(t,x,l),           0 = g''(t,x,l)      (g' for Hessenberg 2)
 *   index0      x' = F(t,x,l(t,x)),      invariants 0 = g(t,x), 0 = g'(t,x)
 *   baumgarte   x' = F(t,x,l),           0 = g'' + 2 alpha g' + beta^2 g   (g' + alpha g)
 *
 * [HW96 VII.2; Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12/13 (1985) 77; Baumgarte, Comput.
 * Methods Appl. Mech. Engrg. 1 (1972) 1]
 */
#include "problem/formulation.h"

#include <string.h>

/* ---- callbacks ---------------------------------------------------------------------------- */

static int rate(double t, const double *x, const double *l, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, s->reduction->rate(s, t, x, l, f));
}

static int velocity(double t, const double *x, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, lower_level(s, 1, t, x, g));
}

static int velocity_jacobian(double t, const double *x, double *J, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, s->reduction->level_jacobian(s, 1, t, x, J));
}

static int velocity_time(double t, const double *x, double *value, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, s->reduction->level_time(s, 1, t, x, value));
}

/* All lower levels, one after the other. */
static int lower_levels(double t, const double *x, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = 0;
    for (int level = 0; level < s->lower && !rc; level++)
        rc = lower_level(s, level, t, x, g + level * s->m);
    return formulation_leave(s, rc);
}

static int lower_jacobian(double t, const double *x, double *J, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = 0;
    for (int level = 0; level < s->lower && !rc; level++)
        rc = s->reduction->level_jacobian(s, level, t, x, J + level * s->m * s->nx);
    return formulation_leave(s, rc);
}

static int lower_time(double t, const double *x, double *value, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = 0;
    for (int level = 0; level < s->lower && !rc; level++)
        rc = s->reduction->level_time(s, level, t, x, value + level * s->m);
    return formulation_leave(s, rc);
}

/* z = (l, mu) */
static int stabilised_rate(double t, const double *x, const double *z, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = s->reduction->rate(s, t, x, z, f);
    if (!rc) rc = s->reduction->stabilise(s, t, x, z + s->m, f);
    return formulation_leave(s, rc);
}

static int hidden(double t, const double *x, const double *l, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    int rc = s->reduction->prepare(s, t, x);
    if (!rc) rc = s->reduction->hidden(s, t, x, l, g);
    return formulation_leave(s, rc);
}

static int damped(double t, const double *x, const double *l, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    double alpha = s->how->alpha, beta = s->how->beta;
    double factor[2] = {s->lower == 2 ? beta * beta : alpha, 2 * alpha};
    int rc = s->reduction->prepare(s, t, x);
    if (!rc) rc = s->reduction->hidden(s, t, x, l, g);
    for (int level = 0; level < s->lower && !rc; level++) {
        rc = lower_level(s, level, t, x, s->value);
        for (int k = 0; k < s->m && !rc; k++) g[k] += factor[level] * s->value[k];
    }
    return formulation_leave(s, rc);
}

static int underlying(double t, const double *x, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, s->reduction->eliminate(s, t, x, f));
}

/* ---- problems ----------------------------------------------------------------------------- */

int create_index2(keel_problem **problem, const keel_problem *original, const formulation *how,
                  const char *const *names)
{
    (void)how;
    return keel_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = differential_unknowns(original), .multipliers = original->constraints,
        .rhs = rate, .constraint = velocity, .constraint_jacobian = velocity_jacobian,
        .constraint_time = velocity_time, .names = names});
}

int create_ggl(keel_problem **problem, const keel_problem *original, const formulation *how,
               const char *const *names)
{
    (void)how;
    return create_hessenberg2(problem, &(keel_hessenberg2_spec){
        .differential = differential_unknowns(original), .multipliers = 2 * original->constraints,
        .rhs = stabilised_rate, .constraint = lower_levels, .constraint_jacobian = lower_jacobian,
        .constraint_time = lower_time, .names = names}, sizeof(keel_hessenberg2_spec), 1);
}

int create_index1(keel_problem **problem, const keel_problem *original, const formulation *how,
                  const char *const *names)
{
    (void)how;
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = differential_unknowns(original), .algebraic = original->constraints,
        .rhs = rate, .constraint = hidden, .names = names});
}

int create_baumgarte(keel_problem **problem, const keel_problem *original, const formulation *how,
                     const char *const *names)
{
    (void)how;
    return keel_semi_explicit(problem, &(keel_semi_explicit_spec){
        .differential = differential_unknowns(original), .algebraic = original->constraints,
        .rhs = rate, .constraint = damped, .names = names});
}

int create_index0(keel_problem **problem, const keel_problem *original, const formulation *how,
                  const char *const *names)
{
    int lower = original->levels > 0 ? original->levels - 1 : 0;
    (void)how;
    return keel_ode(problem, &(keel_ode_spec){
        .size = differential_unknowns(original), .rhs = underlying,
        .invariants = lower * original->constraints, .invariant = lower_levels,
        .invariant_jacobian = lower_jacobian, .names = names});
}
