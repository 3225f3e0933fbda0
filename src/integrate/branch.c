#include "integrate/branch.h"

#include <math.h>
#include <string.h>

#include "core/norm.h"

static const double
    moved_least = 1e-3,          /* d in units of the tolerances below which z has not moved, */
                                 /* and the least distance over which g is differenced     */
    part = 1e-4;                 /* of d, over which that is done otherwise                */

void branch_layout(arena *a, branch *b, const keel_problem *p)
{
    size_t m = (size_t)p->constraints;
    b->watched = p->ops == &semi_explicit_form && p->levels == 1 && !p->original &&
                 p->attached.rows == 0 && m > 0 && m <= INDEX1_MOST;
    if (!b->watched) return;
    b->A = ARENA(a, double, m * m);
    b->pivot = ARENA(a, int, m);
    double **vectors[] = {&b->d, &b->change, &b->back};
    for (int k = 0; k < 3; k++) *vectors[k] = ARENA(a, double, m);
}

/* b->d, and its size in units of the tolerances. */
static double find_move(const keel_solver *s, branch *b, const double *z, const double *z_before)
{
    int m = s->problem->constraints;
    double sum = 0;
    for (int k = 0; k < m; k++) {
        double size = s->atol[s->n - m + k] + s->rtol[s->n - m + k] * fabs(z_before[k]);
        b->d[k] = z[k] - z_before[k];
        sum += b->d[k] * b->d[k] / (size * size);
    }
    return sqrt(sum / m);
}

/* b->change := g_z d */
static int find_change(keel_solver *s, branch *b, projection *p, double share, double t, double *y)
{
    int m = s->problem->constraints;
    double *z = y + s->n - m;
    for (int k = 0; k < m; k++) b->back[k] = z[k];
    for (int k = 0; k < m; k++) z[k] += share * b->d[k];
    int rc = eval_level(&s->eval, 0, t, y, b->change);
    for (int k = 0; k < m; k++) z[k] = b->back[k];
    for (int k = 0; k < m && !rc; k++) b->change[k] = (b->change[k] - p->value[k]) / share;
    return rc;
}

/* A := what p->directions has */
static void take(branch *b, const directions *g_z, int m)
{
    memcpy(b->A, g_z->S, (size_t)m * (size_t)m * sizeof *b->A);
    memcpy(b->pivot, g_z->pivot, (size_t)m * sizeof *b->pivot);
    b->sign = dense_sign(m, b->A, b->pivot);
    b->known = 1;
}

/* d^T W S^-1 g_z d > 0? */
static int points_on(const keel_solver *s, branch *b, const double *S, const int *pivot)
{
    int m = s->problem->constraints, first = s->n - m;
    double sum = 0;
    memcpy(b->back, b->change, (size_t)m * sizeof *b->back);
    dense_solve(m, S, pivot, b->back);
    for (int k = 0; k < m; k++) {
        double size = s->atol[first + k] + s->rtol[first + k] * fabs(s->y[first + k]);
        sum += b->back[k] * b->d[k] / (size * size);
    }
    return sum > 0;
}

/* A at the accepted point. */
static int renew(keel_solver *s, branch *b, projection *p)
{
    int row, rc = directions_prepare(&p->directions, &s->eval, NULL, s->t, s->y, &row);
    if (rc == 0) take(b, &p->directions, s->problem->constraints);
    return rc;
}

static attempt_result leave(keel_solver *s)
{
    s->report.variable = -1;
    s->report.factor = 0.5;
    return ATTEMPT_BRANCH;
}

attempt_result branch_check(keel_solver *s, branch *b, projection *p, int prepared, double t,
                            double *y)
{
    int m = s->problem->constraints, fresh = 0, row;
    directions *g_z = &p->directions;
    if (!b->watched) return ATTEMPT_DONE;
    if (b->t != s->t) b->known = 0;              /* of another run, or a step that failed later */
    double moved = find_move(s, b, y + s->n - m, s->y + s->n - m);
    if (moved < moved_least) {
        b->t = t;
        return ATTEMPT_DONE;
    }
    int rc = find_change(s, b, p, fmax(part, moved_least / moved), t, y);
    int sign = prepared ? dense_sign(m, g_z->S, g_z->pivot) : 0;
    if (!rc && !b->known) fresh = 1, prepared = 0, rc = renew(s, b, p);
    int stays = rc == 0 && points_on(s, b, b->A, b->pivot);
    if (!rc && !stays && !fresh) prepared = 0, rc = renew(s, b, p), stays = points_on(s, b, b->A, b->pivot);
    if (rc) return projection_attempt(s, projection_code(rc), 0);
    if (!stays && (m == 1 || s->options.step == 0)) return leave(s);
    if (prepared && sign == b->sign && points_on(s, b, g_z->S, g_z->pivot)) take(b, g_z, m);
    else if (sign && sign != b->sign && m > 1) {         /* that of J, or of the new point? */
        rc = directions_prepare(g_z, &s->eval, NULL, t, y, &row);
        if (rc) return projection_attempt(s, projection_code(rc), row);
        if (dense_sign(m, g_z->S, g_z->pivot) != b->sign) return leave(s);
    }
    b->t = t;
    return ATTEMPT_DONE;
}
