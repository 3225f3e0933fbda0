/* branch.c -- does a step of an index-1 problem stay on its branch of 0 = g(t,y,z)?
 *
 * With d the way of z since a step was last looked at (not every one moves z) and A = g_z there, or
 * near it,
 *
 *   d^T W A^-1 g_z(t_(n+1), y_(n+1)) d > 0,   and det g_z keeps its sign:
 *
 * otherwise the way from one g_z to the other leads past a singular matrix, where the solution ends
 * or branches meet, or is longer than a step should be.  g_z d is a difference of g.
 */
#include "integrate/settle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/norm.h"

static const double
    moved_least = 1e-3,          /* d in units of the tolerances below which z has not moved, */
                                 /* and the least distance over which g is differenced     */
    part = 1e-4,                 /* of d, over which that is done otherwise                */
    rounded = 100 * DBL_EPSILON, /* of the largest unknown: over less g may show rounding alone */
    changed = 0.5;               /* g_z d over A d, or its inverse, that asks for another A */

void branch_layout(arena *a, branch *b, const keel_problem *p)
{
    size_t m = (size_t)p->constraints;
    b->watched = p->ops == &semi_explicit_form && p->levels == 1 && !p->original &&
                 p->attached.rows == 0 && m > 0 && m <= INDEX1_MOST;
    if (!b->watched) return;
    ARENA_KEEP(a, b, known, t);
    b->A = ARENA(a, double, m * m);
    b->pivot = ARENA(a, int, m);
    ARENA_VECTORS(a, m, &b->d, &b->weighted, &b->change, &b->back, &b->z);
}

/* b->d, b->weighted and d^T W d, in units of the tolerances. */
static double find_move(const keel_solver *s, branch *b, const double *z, const double *z_before)
{
    int m = s->problem->constraints;
    double sum = 0;
    for (int k = 0; k < m; k++) {
        int i = s->n - m + k;
        double weight = norm_weight(s->atol[i] + s->rtol[i] * fmax(fabs(z_before[k]), fabs(z[k])));
        b->d[k] = z[k] - z_before[k];
        b->weighted[k] = b->d[k] * weight * weight;
        sum += b->d[k] * b->weighted[k];
    }
    return sum;
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

/* d^T W S^-1 g_z d */
static double product(branch *b, int m, const double *S, const int *pivot)
{
    double sum = 0;
    for (int k = 0; k < m; k++) b->back[k] = b->change[k];
    dense_solve(m, S, pivot, b->back);
    for (int k = 0; k < m; k++) sum += b->back[k] * b->weighted[k];
    return sum;
}

/* A at the accepted point; *left: its determinant has another sign than it had before. */
static int renew(keel_solver *s, branch *b, projection *p, int *left)
{
    int row, sign = b->sign;
    int rc = directions_prepare(&p->directions, &s->eval, NULL, s->t, s->y, &row);
    if (rc == 0) take(b, &p->directions, s->problem->constraints);
    *left = rc == 0 && sign * b->sign < 0;
    if (*left) b->sign = sign;                   /* it stays wrong to go on from there */
    return rc;
}

/* z of the last point that was looked at, on the way to s->t. */
static void follow_run(keel_solver *s, branch *b)
{
    int m = s->problem->constraints, again = s->t == b->from && b->from != b->t;
    if (s->fresh || (s->t != b->t && !again)) b->known = b->sign = 0;        /* another run */
    if ((s->t == b->t && b->looked) || !b->sign)
        memcpy(b->z, s->y + s->n - m, (size_t)m * sizeof *b->z);
    b->from = s->t;
    b->looked = 0;
}

static attempt_result leave(keel_solver *s)
{
    s->report.variable = -1;
    s->report.factor = 0.5;
    return ATTEMPT_BRANCH;
}

/* A is far from g_z at the new point: is the matrix of p->directions on this branch, and nearer? */
static attempt_result follow(keel_solver *s, branch *b, projection *p, int prepared, double t,
                             const double *y)
{
    directions *g_z = &p->directions;
    int m = s->problem->constraints, row = 0, rc = 0;
    if (!prepared || dense_sign(m, g_z->S, g_z->pivot) != b->sign)
        rc = directions_prepare(g_z, &s->eval, NULL, t, y, &row);
    if (rc) return projection_attempt(s, projection_code(rc), row);
    if (dense_sign(m, g_z->S, g_z->pivot) != b->sign) return leave(s);
    if (product(b, m, g_z->S, g_z->pivot) > 0) take(b, g_z, m);
    return ATTEMPT_DONE;
}

static int is_near(double ahead, double square)
{
    return ahead > changed * square && ahead < square / changed;
}

attempt_result branch_check(keel_solver *s, branch *b, int prepared, double t, double *y)
{
    projection *p = projection_of(s);
    int m = s->problem->constraints, fresh = 0, left = 0;
    if (!b->watched) return ATTEMPT_DONE;
    follow_run(s, b);
    double square = find_move(s, b, y + s->n - m, b->z);
    b->t = t;
    if (square < moved_least * moved_least * m) return ATTEMPT_DONE;
    double share = fmax(part, moved_least * sqrt(m / square));
    int rc = find_change(s, b, p, share, t, y);
    if (!rc && !b->known) fresh = 1, prepared = 0, rc = renew(s, b, p, &left);
    double ahead = rc ? 0 : product(b, m, b->A, b->pivot);
    if (!rc && !is_near(ahead, square)) {        /* was it rounding? */
        double least = rounded * norm_max(s->n, y) / norm_max(m, b->d);
        if (least > share) rc = find_change(s, b, p, least, t, y);
        if (least > share && !rc) ahead = product(b, m, b->A, b->pivot);
    }
    b->looked = 1;
    if (!rc && ahead <= 0 && !fresh) {
        prepared = 0;
        rc = renew(s, b, p, &left);
        ahead = rc ? 0 : product(b, m, b->A, b->pivot);
    }
    if (rc) return projection_attempt(s, projection_code(rc), 0);
    if (left || (ahead <= 0 && (m == 1 || s->options.step == 0))) return leave(s);
    return is_near(ahead, square) ? ATTEMPT_DONE : follow(s, b, p, prepared, t, y);
}
