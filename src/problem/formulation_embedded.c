/* formulation_embedded.c -- Schropp's embedding of an index-3 problem into one whose state space is
 * open, with the constraint manifold for an attractor.
 *
 *   u' = f(t,u,v),      w' = -(C11 w + C12 z),
 *   v' = k(t,u,v,l),    z' = -(C21 w + C22 z),     0 = g(t,u) - w
 *
 * is of Hessenberg form 3 in (u,w), (v,z), l and holds the original where w = z = 0.  If the
 * symmetric part of C is positive definite, at least eta, then |(w,z)| <= |(w,z)(0)| e^(-eta t).
 * [Schropp, Konstanzer Schriften 226 (2007), (3.1)-(3.4)]
 */
#include "problem/formulation.h"

#include <string.h>

/* out = -(row block of C) (w, z) */
static void damp(const formulation_state *s, int block, const double *w, const double *z,
                 double *out)
{
    int m = s->m;
    for (int i = 0; i < m; i++) {
        const double *row = s->how->C + (block * m + i) * 2 * m;
        out[i] = 0;
        for (int j = 0; j < m; j++) out[i] -= row[j] * w[j] + row[m + j] * z[j];
    }
}

/* s->along = (f, k) at (u, v, l), given in the groups of the embedding. */
static int original_rate(formulation_state *s, double t, const double *uw, const double *vz,
                         const double *l)
{
    int N = s->inner->problem->group[0], M = s->inner->problem->group[1];
    memcpy(s->moved, uw, (size_t)N * sizeof *s->moved);
    memcpy(s->moved + N, vz, (size_t)M * sizeof *s->moved);
    return s->reduction->rate(s, t, s->moved, l, s->along);
}

static int position_rate(double t, const double *uw, const double *vz, double *f, void *context)
{
    formulation_state *s = formulation_enter(context);
    const keel_problem *original = s->inner->problem;
    int N = original->group[0], M = original->group[1], rc = 0;
    if (original->form == KEEL_FORM_MECHANICAL) memcpy(f, vz, (size_t)N * sizeof *f);
    else {
        memcpy(s->y, uw, (size_t)N * sizeof *s->y);
        memcpy(s->y + N, vz, (size_t)M * sizeof *s->y);
        rc = eval_position_rate(s->inner, t, s->y, f);
    }
    damp(s, 0, uw + N, vz + M, f + N);
    return formulation_leave(s, rc);
}

static int velocity_rate(double t, const double *uw, const double *vz, const double *l, double *k,
                         void *context)
{
    formulation_state *s = formulation_enter(context);
    int N = s->inner->problem->group[0], M = s->inner->problem->group[1];
    int rc = original_rate(s, t, uw, vz, l);
    if (!rc) memcpy(k, s->along + N, (size_t)M * sizeof *k);
    damp(s, 1, uw + N, vz + M, k + M);
    return formulation_leave(s, rc);
}

static int constraint(double t, const double *uw, double *g, void *context)
{
    formulation_state *s = formulation_enter(context);
    int N = s->inner->problem->group[0];
    memcpy(s->y, uw, (size_t)N * sizeof *s->y);
    int rc = eval_level(s->inner, 0, t, s->y, g);
    for (int k = 0; k < s->m && !rc; k++) g[k] -= uw[N + k];
    return formulation_leave(s, rc);
}

/* [G -I] */
static int constraint_jacobian(double t, const double *uw, double *J, void *context)
{
    formulation_state *s = formulation_enter(context);
    int N = s->inner->problem->group[0], m = s->m;
    int rc = eval_constraint_jacobian(s->inner, t, uw, s->G);
    memset(J, 0, (size_t)(m * (N + m)) * sizeof *J);
    for (int k = 0; k < m && !rc; k++) {
        memcpy(J + k * (N + m), s->G + k * N, (size_t)N * sizeof *J);
        J[k * (N + m) + N + k] = -1;
    }
    return formulation_leave(s, rc);
}

static int constraint_time(double t, const double *uw, double *g_t, void *context)
{
    formulation_state *s = formulation_enter(context);
    return formulation_leave(s, eval_constraint_time(s->inner, t, uw, g_t));
}

int create_embedded(keel_problem **problem, const keel_problem *original, const formulation *how,
                    const char *const *names)
{
    int m = original->constraints;
    (void)how;
    return keel_hessenberg3(problem, &(keel_hessenberg3_spec){
        .positions = original->group[0] + m, .velocities = original->group[1] + m,
        .multipliers = m, .position_rate = position_rate, .velocity_rate = velocity_rate,
        .constraint = constraint, .constraint_jacobian = constraint_jacobian,
        .constraint_time = constraint_time, .names = names});
}
