/* consistent_large.c -- algebraic equations of large systems, by the system's own linear algebra.
 *
 *   0 = r(t, y, y'_0 + sigma (y - y_0)),   (sigma M - J) d = r,   y := y + d,   sigma large:
 *
 * an implicit Euler step of length 1/sigma, which meets the algebraic equations and moves differential
 * unknowns by O(1/sigma) only; where M is a 0/1 diagonal these are held fixed.  One sparse
 * factorization per iteration instead of the dense decompositions of consistent_implicit.c.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"
#include "integrate/consistent.h"
#include "linear/columns.h"

enum { ITERATIONS = 30 };

/* sigma such that sigma M outweighs J by 1/sqrt(eps) in every equation with y'. */
static double large_shift(const keel_solver *s, const consistent_work *w, const double *diagonal)
{
    double largest = 0, least = INFINITY;
    size_t entries = matrix_storage(s->n, s->n, &w->J.pattern);
    for (size_t k = 0; k < entries; k++) largest = fmax(largest, fabs(w->J.values[k]));
    for (size_t k = 0; !diagonal && k < entries; k++)
        if (w->M.values[k] != 0) least = fmin(least, fabs(w->M.values[k]));
    return (largest + 1) / sqrt(DBL_EPSILON) / (diagonal ? 1 : fmin(least, 1e300));
}

static int matrices(keel_solver *s, consistent_work *w, const double *rate, const double *diagonal)
{
    int rc = eval_jacobian(&s->eval, &w->colors, s->t, s->y, rate, &w->J);
    if (!rc && !diagonal) rc = eval_mass(&s->eval, &w->colors, s->t, s->y, rate, &w->M);
    return rc ? consistent_fault(s, rc) : KEEL_OK;
}

static int factor(keel_solver *s, consistent_work *w, linear_system *system, double sigma,
                  const double *diagonal)
{
    int rc = linear_factor(system, 0, sigma, (linear_mass){.diagonal = diagonal, .matrix = &w->M},
                           &w->J);
    if (rc == 0) return KEEL_OK;
    if (rc < 0) return fail(&s->message, rc, "no memory for the initial values");
    return fail(&s->message, KEEL_WRONG_INDEX,
                "t = %.10g: the algebraic equations do not determine the algebraic unknowns (near "
                "%s). The index is higher: set variable_index, or use a Hessenberg form", s->t,
                keel_variable_name(s->problem, rc - 1));
}

/* Fixed unknowns must not have moved by more than rounding and 1/sigma. */
static int check_fixed(keel_solver *s, const consistent_work *w)
{
    for (int i = 0; i < s->n; i++)
        if (s->marks[i] == KEEL_FIXED && fabs(s->y[i] - w->given[i]) > 1e-6 * (1 + fabs(s->y[i])))
            return fail(&s->message, KEEL_INCONSISTENT,
                        "t = %.10g: the initial value of %s is fixed at %.6g, but the algebraic "
                        "equations ask for %.6g", s->t, keel_variable_name(s->problem, i),
                        w->given[i], s->y[i]);
    return KEEL_OK;
}

/* Differential equations are met by y', which is free, not by y. */
static void hold(int n, const double *diagonal, double *d)
{
    for (int i = 0; i < n && diagonal; i++)
        if (diagonal[i] != 0) d[i] = 0;
}

/* y' of the unknowns that M acts on; that of the others is the correction over 1/sigma. */
static void keep_rates(keel_solver *s, consistent_work *w, const double *rate)
{
    for (int j = 0; j < s->n; j++) {
        column c = matrix_column(&w->M, j);
        int acts = 0;
        for (int k = 0; k < c.count; k++) acts |= c.values[k] != 0;
        if (acts) s->yp[j] = rate[j];
    }
}

static int iterate(keel_solver *s, consistent_work *w, linear_system *system,
                   const double *diagonal)
{
    int n = s->n;
    double last = INFINITY, sigma = 0, *d = w->step, *rate = w->value;
    for (int k = 0; k < ITERATIONS; k++) {
        for (int i = 0; i < n; i++) rate[i] = s->yp[i] + sigma * (s->y[i] - w->given[i]);
        int rc = matrices(s, w, rate, diagonal);
        if (rc) return rc;
        if (k == 0) sigma = large_shift(s, w, diagonal);
        rc = factor(s, w, system, sigma, diagonal);
        if (rc) return rc;
        rc = eval_residual(&s->eval, s->t, s->y, rate, d);
        if (rc) return consistent_fault(s, rc);
        hold(n, diagonal, d);
        linear_solve(system, 0, d);
        hold(n, diagonal, d);
        for (int i = 0; i < n; i++) s->y[i] += d[i];
        double size = norm_relative(n, d, s->y);
        if (size <= 4 * DBL_EPSILON || (size <= 1e-8 && size >= 0.5 * last)) {
            if (!diagonal) keep_rates(s, w, rate);
            return check_fixed(s, w);
        }
        if (!isfinite(size)) break;
        last = size;
    }
    return fail(&s->message, KEEL_INCONSISTENT,
                "t = %.10g: no consistent initial values were found: Newton's method on the "
                "algebraic equations does not converge. Start nearer to a solution", s->t);
}

int consistent_large(keel_solver *s, consistent_work *w)
{
    double *diagonal = problem_mass_diagonal(s->problem, w->trial) ? w->trial : NULL;
    linear_system *system = NULL;
    linear_spec spec = {.n = s->n, .pattern = s->problem->pattern,
                        .storage = choose_storage(s), .real_slots = 1, .diagonal = diagonal};
    memcpy(w->given, s->y, (size_t)s->n * sizeof *w->given);
    int rc = linear_create(&system, &spec);
    if (rc) return fail(&s->message, rc, "the linear algebra for the initial values failed: %s",
                        keel_status_text(rc));
    rc = iterate(s, w, system, diagonal);
    linear_free(system);
    return rc;
}
