/* impact.c -- the point from which a run goes on after an event.
 *
 * Of mechanical problems positions are kept, and velocities move by an impulsive reaction,
 *
 *   M (v+ - v-) = -G^T L,   G v+ + g_t = 0,
 *
 * where components that the action fixed are held: the others take their share,
 *
 *   [M_ff G_f^T; G_f 0] (dv_f, L) = (0, -(G v + g_t)),
 *
 * and L is what each constraint has contributed.
 */
#include "event/event.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>


/* Larger problems move by projection, and their impulses are not computed. */
enum { IMPACT_MOST = 400 };

typedef struct collision {
    int n, m, moving;            /* positions, constraints, velocities that may move       */
    int *which;                  /* [n] those                                              */
    double *M, *G, *g_t, *gap;   /* by rows; G v + g_t                                     */
    double *K, *b;               /* the saddle matrix, symmetric, and its right-hand side  */
    lapack_int *order;
} collision;

static void layout(arena *a, collision *c)
{
    size_t n = (size_t)c->n, m = (size_t)c->m;
    c->which = ARENA(a, int, n);
    c->M = ARENA(a, double, n * n);
    c->G = ARENA(a, double, m * n);
    c->g_t = ARENA(a, double, m);
    c->gap = ARENA(a, double, m);
    c->K = ARENA(a, double, (n + m) * (n + m));
    c->b = ARENA(a, double, n + m);
    c->order = ARENA(a, lapack_int, n + m);
}

/* M, G and how fast the constraints would be left. */
static int evaluate(keel_solver *s, collision *c, const double *y)
{
    const double *q = y, *v = y + c->n;
    keel_mechanical_parts parts = {.mass = c->M, .constraint_jacobian = c->G,
                                   .constraint_time = c->g_t};
    int rc = eval_mechanical(&s->eval, s->t, q, v, KEEL_MASS | KEEL_CONSTRAINT_JACOBIAN |
                             KEEL_CONSTRAINT_TIME, &parts);
    for (int k = 0; k < c->m && !rc; k++) {
        c->gap[k] = c->g_t[k];
        for (int j = 0; j < c->n; j++) c->gap[k] += c->G[k * c->n + j] * v[j];
    }
    return rc;
}

/* Least squares, so that constraints that depend on each other share the impulse. */
static int solve(collision *c)
{
    int size = c->moving + c->m;
    lapack_int rank;
    memset(c->K, 0, (size_t)size * (size_t)size * sizeof *c->K);
    for (int i = 0; i < c->moving; i++) {
        for (int j = 0; j < c->moving; j++)
            c->K[i * size + j] = c->M[c->which[i] * c->n + c->which[j]];
        for (int k = 0; k < c->m; k++)
            c->K[i * size + c->moving + k] = c->K[(c->moving + k) * size + i] =
                c->G[k * c->n + c->which[i]];
        c->b[i] = 0;
    }
    for (int k = 0; k < c->m; k++) c->b[c->moving + k] = -c->gap[k];
    memset(c->order, 0, (size_t)size * sizeof *c->order);
    return LAPACKE_dgelsy(LAPACK_COL_MAJOR, size, size, 1, c->K, size, c->b, size, c->order, 1e-12,
                          &rank);
}

/* y := the point with the velocities after the impact; adds up the impulses of the event. */
static int collide(keel_solver *s, collision *c, const keel_mark *marks, double *y)
{
    event_state *v = s->events;
    double most = 0;
    for (int i = 0; i < c->n; i++)
        if (marks[c->n + i] != KEEL_FIXED) c->which[c->moving++] = i;
    int rc = evaluate(s, c, y);
    if (rc) return rc;
    for (int k = 0; k < c->m; k++) most = fmax(most, fabs(c->gap[k]));
    if (most == 0 || c->moving == 0) return 0;
    if (solve(c)) return 0;                      /* the consistent point will have a name for it */
    for (int i = 0; i < c->moving; i++) y[c->n + c->which[i]] += c->b[i];
    for (int k = 0; k < c->m; k++)
        v->impulse[k] = (k < v->impulses ? v->impulse[k] : 0) + c->b[c->moving + k];
    v->impulses = c->m;
    return 0;
}

static int has_impacts(const keel_problem *p)
{
    return p->ops == &mechanical_form && p->constraints > 0 && !mechanical_is_sparse(p) &&
           p->group[0] <= IMPACT_MOST;
}

int impact_settle(keel_solver *s, const double *y, const keel_mark *marks)
{
    event_state *v = s->events;
    double *moved = v->moved;
    collision c = {.n = s->problem->group[0], .m = s->problem->constraints};
    arena a = {0};
    int rc = 0, limited = s->eval.limited;
    memcpy(moved, y, (size_t)s->n * sizeof *y);
    if (has_impacts(s->problem)) {
        layout(&a, &c);
        void *block = arena_block(a.used);
        if (!block) return fail(&s->message, KEEL_NO_MEMORY, "t = %.10g: no memory for an impact",
                                s->t);
        a = (arena){.base = block};
        layout(&a, &c);
        evaluator_reset(&s->eval);
        s->eval.limited = limited;
        rc = collide(s, &c, marks, moved);
        arena_block_free(block);
        if (rc) return point_failure(s, evaluation_result(s, rc), "at an event");
    }
    return solver_consistent(s, &(keel_start_spec){.t = s->t, .y = moved, .marks = marks});
}
