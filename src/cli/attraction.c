/* attraction.c -- the discrete manifold of the multipliers, measured.
 *
 * chi: from a point of the solution with its multipliers moved by +d and -d, one step gives
 * e = l - psi_0(u,v) at the new point, and chi is the norm of the matrix (e_+ - e_-) / 2d.  Here
 * psi_0 stands for psi_h, which is not known; as their difference is smooth and O(h^(q-1)), and as
 * (u,v) depends on l_n by O(h^q) only, that changes chi by O(h^(2q-1)).
 * Distance: |l - psi_0(u,v)| along a run from l = psi_0 at its start.  After n steps it is that of
 * psi_h up to chi^n; the first half of the run is left out.
 */
#include "cli/attraction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double points_tolerance = 1e-12, perturbation = 0.05;

/* What one measurement works with. */
typedef struct laboratory {
    const target *target;
    keel_solver *solver;
    int size, m;                 /* unknowns, multipliers, which are the last          */
    double *y, *e_up, *e_down, *columns;         /* [size], [m], [m], [m m]            */
} laboratory;

static void *take(size_t count, size_t width) { return calloc(count + 1, width); }

static int laboratory_open(laboratory *w, const target *t, const keel_options *options, double h)
{
    keel_options constant = *options;
    const size_t size = (size_t)t->size, m = (size_t)keel_problem_constraints(t->problem);
    *w = (laboratory){.target = t, .size = t->size, .m = (int)m,
                      .y = take(size, sizeof(double)), .e_up = take(m, sizeof(double)),
                      .e_down = take(m, sizeof(double)), .columns = take(m * m, sizeof(double))};
    if (!w->y || !w->e_up || !w->e_down || !w->columns) return KEEL_NO_MEMORY;
    constant.step = h;
    constant.multipliers = KEEL_MULTIPLIERS_RECURSION;
    constant.initial = KEEL_INITIAL_GIVEN;       /* multipliers off the hidden constraint, too */
    const int status = keel_solver_create(&w->solver, t->problem, &constant);
    return status == KEEL_OK ? target_prepare(t, w->solver) : status;
}

static void laboratory_close(laboratory *w)
{
    keel_solver_free(w->solver);
    free(w->y);
    free(w->e_up);
    free(w->e_down);
    free(w->columns);
}

/* ---- points of the solution ---------------------------------------------------------------- */

static int advance_through(attraction_points *p, const target *t, keel_solver *solver)
{
    const size_t size = (size_t)t->size;
    int status = target_prepare(t, solver);
    if (status == KEEL_OK)
        status = keel_start_marked(solver, t->t_start, t->y, NULL, t->marks);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, t->t_end);
    for (int k = 0; k < ATTRACTION_POINTS && status == KEEL_OK; k++) {
        p->t[k] = t->t_start + k * (t->t_end - t->t_start) / ATTRACTION_POINTS;
        if (k > 0) status = keel_advance_to(solver, p->t[k]);
        memcpy(p->y + (size_t)k * size, keel_state(solver), size * sizeof *p->y);
    }
    return status;
}

int attraction_find_points(attraction_points *p, const target *t, char *message, size_t size)
{
    keel_solver *solver = NULL;
    *p = (attraction_points){.y = take((size_t)ATTRACTION_POINTS * (size_t)t->size, sizeof *p->y)};
    int status = p->y ? keel_solver_create(&solver, t->problem,
                                           &(keel_options){.method = "radau-iia",
                                                           .rtol = points_tolerance})
                      : KEEL_NO_MEMORY;
    if (status == KEEL_OK) status = advance_through(p, t, solver);
    if (status != KEEL_OK)
        snprintf(message, size, "%s", solver ? keel_message(solver) : keel_status_text(status));
    keel_solver_free(solver);
    return status;
}

/* ---- off the manifold ---------------------------------------------------------------------- */

/* e = l - psi_0(u,v) at the solver's point. */
static int off_hidden(laboratory *w, double *e)
{
    const int first = w->size - w->m;
    const double *now = keel_state(w->solver);
    memcpy(w->y, now, (size_t)w->size * sizeof *w->y);
    const int status = keel_project(w->solver, keel_time(w->solver), w->y);
    for (int i = 0; i < w->m; i++) e[i] = now[first + i] - w->y[first + i];
    return status;
}

/* e after one step from (t,y) with multiplier j moved by d. */
static int step_from(laboratory *w, double t, const double *y, int j, double d, double *e)
{
    memcpy(w->y, y, (size_t)w->size * sizeof *w->y);
    w->y[w->size - w->m + j] += d;
    int status = keel_start(w->solver, t, w->y);
    if (status == KEEL_OK) status = keel_set_stop_time(w->solver, w->target->t_end);
    if (status == KEEL_OK) status = keel_step(w->solver);
    return status == KEEL_OK ? off_hidden(w, e) : status;
}

/* The largest sum of absolute values in a row. */
static double row_norm(int m, const double *a)
{
    double norm = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++) sum += fabs(a[i * m + j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static int contraction(laboratory *w, double t, const double *y, double *chi)
{
    for (int j = 0; j < w->m; j++) {
        const double d = perturbation * (1 + fabs(y[w->size - w->m + j]));
        int status = step_from(w, t, y, j, d, w->e_up);
        if (status == KEEL_OK) status = step_from(w, t, y, j, -d, w->e_down);
        if (status != KEEL_OK) return status;
        for (int i = 0; i < w->m; i++)
            w->columns[i * w->m + j] = (w->e_up[i] - w->e_down[i]) / (2 * d);
    }
    *chi = row_norm(w->m, w->columns);
    return KEEL_OK;
}

static int measure_contraction(laboratory *w, attraction *a, const attraction_points *p,
                               double r_infinity)
{
    double chi = 0, excess = 0;
    for (int k = 0; k < ATTRACTION_POINTS; k++) {
        double here = NAN;
        const int status = contraction(w, p->t[k], p->y + k * w->size, &here);
        if (status != KEEL_OK) return status;
        chi = fmax(chi, here);
        excess = fmax(excess, fabs(here - fabs(r_infinity)));
    }
    a->chi = chi;
    a->excess = excess;
    return KEEL_OK;
}

static int measure_distance(laboratory *w, attraction *a, const double *start)
{
    const target *t = w->target;
    double distance = 0;
    int status = keel_start(w->solver, t->t_start, start);
    if (status == KEEL_OK) status = keel_set_stop_time(w->solver, t->t_end);
    for (long n = 1; status == KEEL_OK && keel_time(w->solver) != t->t_end; n++) {
        status = keel_step(w->solver);
        if (status != KEEL_OK || 2 * n < a->steps) continue;
        status = off_hidden(w, w->e_up);
        for (int i = 0; i < w->m; i++) distance = fmax(distance, fabs(w->e_up[i]));
    }
    if (status == KEEL_OK) a->distance = distance;
    return status;
}

void attraction_measure(attraction *a, const target *t, const keel_options *options,
                        const attraction_points *points, double r_infinity, long steps)
{
    laboratory w;
    *a = (attraction){.steps = steps, .h = fabs(t->t_end - t->t_start) / (double)steps,
                      .chi = NAN, .excess = NAN, .distance = NAN};
    a->status = laboratory_open(&w, t, options, a->h);
    if (a->status == KEEL_OK) a->status = measure_contraction(&w, a, points, r_infinity);
    if (a->status == KEEL_OK) a->status = measure_distance(&w, a, points->y);
    if (a->status != KEEL_OK)
        snprintf(a->message, sizeof a->message, "%s",
                 w.solver ? keel_message(w.solver) : keel_status_text(a->status));
    laboratory_close(&w);
}
