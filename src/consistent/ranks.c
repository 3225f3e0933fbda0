/* ranks.c -- consistent values that are spread over ranks, by the systems of an engine.
 *
 *   Hessenberg 2    y := y + f_z mu from g = 0, then z from the hidden level, by [I -f_z; -g_y 0]
 *   index 1         z, and y' of M y' = f, by (sigma M - J) d = r, y where M acts held: an implicit
 *                   Euler step so short that y is off by rounding; should it not be short enough, a
 *                   shorter one
 */
#include "consistent/consistent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/norm.h"

static const double solve_to = 1e-8, shortest = 1e8, shorter = 1e4, met_to = 1e-6;
enum { TRIES = 3 };

typedef struct spread_start {
    int level;                   /* that is met; -1: all equations                         */
    int held;                    /* y where M acts stays                                   */
    double sigma;
    double *c, *d, *given;       /* [n] each                                               */
    unsigned char *acts;         /* [n] does M?                                            */
} spread_start;

static int level_residual(start_point *w, void *state, double *c)
{
    const spread_start *q = state;
    return q->level < 0 ? eval_residual(w->e, w->t, w->y, w->yp, c)
                        : eval_level(w->e, q->level, w->t, w->y, c);
}

static int level_factor(start_point *w, void *state)
{
    const keel_engine_spec *engine = &w->e->engine->spec;
    (void)state;
    int rc = eval_engine(w->e, "prepare_saddle", w->t,
                         engine->prepare_saddle(engine->context, w->t, w->y));
    return rc > 0 ? START_SINGULAR : rc;
}

static int level_solve(start_point *w, void *state, const double *c, double *step)
{
    const keel_engine_spec *engine = &w->e->engine->spec;
    spread_start *q = state;
    int n = w->p->n, m = w->p->constraints, N = n - m;
    memset(step, 0, 2 * (size_t)n * sizeof *step);
    memset(q->d, 0, (size_t)N * sizeof *q->d);
    memcpy(q->d + N, c, (size_t)m * sizeof *c);
    int rc = eval_engine(w->e, "solve_saddle", w->t,
                         engine->solve_saddle(engine->context, solve_to, q->d, q->d + N));
    if (q->level == 0) memcpy(step, q->d, (size_t)N * sizeof *step);
    else memcpy(step + N, q->d + N, (size_t)m * sizeof *step);
    return rc;
}

static int euler_factor(start_point *w, void *state)
{
    const keel_engine_spec *engine = &w->e->engine->spec;
    const spread_start *q = state;
    int rc = eval_engine(w->e, "linearize", w->t, engine->linearize(engine->context, w->t, w->y, w->yp));
    w->e->stats->jacobian++;
    if (rc) return rc;
    rc = eval_engine(w->e, "prepare", w->t, engine->prepare(engine->context, 0, q->sigma, 0));
    return rc > 0 ? START_SINGULAR : rc;
}

static int euler_solve(start_point *w, void *state, const double *c, double *step)
{
    const keel_engine_spec *engine = &w->e->engine->spec;
    spread_start *q = state;
    int n = w->p->n;
    memcpy(q->d, c, (size_t)n * sizeof *c);
    int rc = eval_engine(w->e, "solve", w->t, engine->solve(engine->context, 0, solve_to, q->d, NULL));
    for (int j = 0; j < n; j++) {
        step[j] = q->acts[j] && q->held ? 0 : q->d[j];
        step[n + j] = q->acts[j] ? q->sigma * q->d[j] : 0;
    }
    return rc;
}

/* Where M acts: by the form, or where M times a vector without zeros is none. */
static int find_acting(start_point *w, spread_start *q)
{
    const keel_engine_spec *engine = &w->e->engine->spec;
    int n = w->p->n, known = problem_mass_diagonal(w->p, q->d), rc = 0;
    if (!known) {
        memset(q->d, 0, (size_t)n * sizeof *q->d);
        for (int i = 0; i < n; i++) q->c[i] = 1 + 0.5 * sin(1.0 + i);
        rc = eval_engine(w->e, "multiply_mass", w->t, engine->multiply_mass(engine->context, 1, q->c, q->d));
    }
    for (int i = 0; i < n; i++) {
        q->acts[i] = q->d[i] != 0;
        if (!q->acts[i] && w->standard && w->marks[i] == KEEL_GUESS) w->marks[i] = KEEL_FREE;
    }
    return rc;
}

/* Fixed values that had to move, on any rank; the others are moved back to the last bit. */
static int check_fixed(start_point *w, spread_start *q)
{
    char name[80];
    double most = 0;
    int variable = -1;
    for (int i = 0; i < w->p->n; i++) {
        if (w->marks[i] != KEEL_FIXED) continue;
        double change = fabs(w->y[i] - q->given[i]) / (1 + fabs(w->y[i]));
        if (change > most) most = change, variable = i;
    }
    double all = norm_most(w->e->reducer, most);
    if (!(all > met_to)) {
        for (int i = 0; i < w->p->n; i++)
            if (w->marks[i] == KEEL_FIXED) w->y[i] = q->given[i];
        return KEEL_OK;
    }
    ranks_variable(w->e, variable, most, name, sizeof name);
    return fail(w->message, KEEL_INCONSISTENT, "t = %.10g: the initial value of %s is fixed, but the "
                "equations ask for another one. Free it, or mark it as a guess", w->t, name);
}

/* A status with a message. */
static int verdict(start_point *w, int rc, const char *what)
{
    if (rc == START_SINGULAR)
        return fail(w->message, KEEL_WRONG_INDEX, "t = %.10g: the problem is declared %s (index %d), but "
                    "%s is singular at the initial values", w->t, w->p->ops->name, w->p->index, what);
    if (rc == START_NOT_CONVERGED)
        return fail(w->message, KEEL_INCONSISTENT, "t = %.10g: Newton's method does not converge to "
                    "consistent initial values. Start nearer to a solution, or check the equations", w->t);
    return rc ? start_fault(w, rc) : KEEL_OK;
}

static int meet_levels(start_point *w, spread_start *q)
{
    start_system system = {.state = q, .rows = w->p->constraints, .residual = level_residual,
                           .factor = level_factor, .solve = level_solve, .enough = 1e-9};
    int rc = 0;
    for (q->level = 0; q->level < 2 && !rc; q->level++) {
        if (q->level == 1) system.enough = 1e-6;
        rc = start_newton(w, &system, q->c);
    }
    return verdict(w, rc, "g_y f_z");
}

static int meet_equations(start_point *w, spread_start *q)
{
    int n = w->p->n;
    start_system system = {.state = q, .rows = n, .residual = level_residual, .factor = euler_factor,
                           .solve = euler_solve, .enough = 1e-8};
    int rc = find_acting(w, q);
    if (rc) return start_fault(w, rc);
    q->level = -1;
    q->sigma = shortest / fmax(1, fabs(w->t));
    for (int k = 0; k < TRIES; k++, q->sigma *= shorter) {
        q->held = k + 1 < TRIES || !w->p->ops->mass;
        if (k == TRIES - 1) system.enough = 1e-6;
        memcpy(w->y, q->given, (size_t)n * sizeof *w->y);
        rc = start_newton(w, &system, q->c);
        if (rc != START_NOT_CONVERGED) break;
    }
    return verdict(w, rc, "its matrix");
}

int start_ranks(start_point *w)
{
    const keel_problem *p = w->p;
    size_t n = (size_t)p->n;
    if (p->levels == 0 && !p->ops->mass) return KEEL_OK;
    double *block = malloc(3 * n * sizeof *block);
    unsigned char *acts = malloc(n);
    spread_start q = {.c = block, .d = block ? block + n : NULL, .given = block ? block + 2 * n : NULL,
                      .acts = acts};
    int rc = KEEL_OK;
    if (start_lacks(w, !block || !acts)) rc = start_no_memory(w);
    if (!rc) {
        memcpy(q.given, w->y, n * sizeof *w->y);
        rc = p->levels > 1 ? meet_levels(w, &q) : meet_equations(w, &q);
        if (!rc) rc = check_fixed(w, &q);
    }
    free(block);
    free(acts);
    return rc;
}
