/* fold.c -- where the parameter turns.
 *
 *   s_i = T.(q_i - q_last)/scale,   T = (q - q_before)/scale, of length 1
 *
 * l is a smooth function of s that has its extremum among three points: the vertex of the parabola
 * through them is the next point, and takes the place of one of them.  An error d in s is one of
 * order d^2 in l, so that a few such points are enough.
 */
#include <math.h>
#include <string.h>

#include "boundary/branch.h"

/* Three points in order of s, of which the one in the middle has the extreme l. */
typedef struct bracket { double s[3], l[3]; } bracket;

static void vertex(const bracket *k, double *s, double *l)
{
    double left = k->s[0] - k->s[1], right = k->s[2] - k->s[1];
    double rise_left = (k->l[0] - k->l[1]) / left, rise_right = (k->l[2] - k->l[1]) / right;
    double curvature = (rise_right - rise_left) / (right - left);
    double slope = rise_left - curvature * left, at = -slope / (2 * curvature);
    *s = k->s[1] + at;
    *l = k->l[1] + at * (slope + curvature * at);
}

/* The new point becomes the middle if it is more extreme, or an end. */
static void narrow(bracket *k, double s, double l)
{
    double sign = k->l[1] > k->l[0] ? 1 : -1;
    int right = s > k->s[1], middle = (l - k->l[1]) * sign > 0;
    int lost = middle == right ? 0 : 2;          /* the end that is given up */
    int at = middle ? 1 : right ? 2 : 0;
    if (middle) {
        k->s[lost] = k->s[1];
        k->l[lost] = k->l[1];
    }
    k->s[at] = s;
    k->l[at] = l;
}

static double along(const keel_branch *b, const double *q)
{
    double sum = 0;
    for (int i = 0; i < b->size; i++)
        sum += b->tangent[i] * (q[i] - b->base[i]) / b->scale[i];
    return sum;
}

static int solve_at(keel_branch *b, double s)
{
    memcpy(b->normal, b->tangent, (size_t)b->size * sizeof *b->normal);
    b->length = s;
    return branch_solve(b);
}

/* q becomes the fold, *at its s. */
static int locate(keel_branch *b, bracket *k, double *at)
{
    enum { MOST = 12 };
    int rc = KEEL_OK;
    for (int i = 0; i < MOST && !rc; i++) {
        double expected;
        vertex(k, at, &expected);
        if (!(*at > k->s[0] && *at < k->s[2])) *at = k->s[1];
        rc = solve_at(b, *at);
        double l = *branch_parameter(b, b->q);
        if (*at == k->s[1] || fabs(l - expected) <= 0.02 * b->boundary->tolerance * (1 + fabs(l)))
            break;
        narrow(k, *at, l);
    }
    return rc;
}

int branch_fold(keel_branch *b, double arc)
{
    double at = 0, length = branch_distance(b, b->q, b->before);
    const keel_branch_point *last = b->point[b->points - 1];
    memcpy(b->there, b->q, (size_t)b->size * sizeof *b->q);
    memcpy(b->base, b->last, (size_t)b->size * sizeof *b->q);
    for (int i = 0; i < b->size; i++)
        b->tangent[i] = (b->q[i] - b->before[i]) / b->scale[i] / length;
    bracket k = {{along(b, b->before), 0, along(b, b->there)},
                 {*branch_parameter(b, b->before), *branch_parameter(b, b->last),
                  *branch_parameter(b, b->there)}};
    double first = k.s[0], end = k.s[2];
    int rc = locate(b, &k, &at);
    if (rc) return rc;
    const keel_branch_point *before = b->point[b->points - 2];
    double where = at < 0 ? last->arc + at / first * (before->arc - last->arc)
                          : last->arc + at / end * (arc - last->arc);
    rc = branch_add(b, b->points - (at < 0), where, BRANCH_FOLD);
    return rc ? rc : solve_at(b, end);
}
