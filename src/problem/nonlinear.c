/* nonlinear.c -- do the multipliers enter linearly?
 *
 * f(l + d) - 2 f(l) + f(l - d) against f(l + d) - f(l - d), for f of Hessenberg 2 and levelled
 * problems and k of Hessenberg 3; in mechanical problems they always do.
 */
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

static const double nonlinear_from = 1e-7;       /* second differences over first ones */

/* The rows of the right-hand side in which the multipliers `l` stand; returns their callback's. */
static int rate(const keel_problem *p, double t, const double *y, const double *l, double *value)
{
    const keel_hessenberg2_spec *second = &p->spec.hessenberg2;
    const keel_hessenberg3_spec *third = &p->spec.hessenberg3;
    const keel_levelled_spec *levelled = &p->spec.levelled;
    if (p->form == KEEL_FORM_LEVELLED) return levelled->rate(t, y, l, value, levelled->context);
    if (p->form == KEEL_FORM_HESSENBERG2) return second->rhs(t, y, l, value, second->context);
    return third->velocity_rate(t, y, y + p->group[0], l, value, third->context);
}

static int is_nonlinear(const keel_problem *p, double t, const double *y, double *room)
{
    int m = p->constraints, rows = p->form == KEEL_FORM_HESSENBERG3 ? p->group[1] : p->group[0];
    const double *l = y + p->n - m;
    double *moved = room, *up = room + p->n, *down = up + p->n, *middle = down + p->n;
    double first = 0, second = 0;
    for (int i = 0; i < m; i++) moved[i] = l[i] + 0.1 * (1 + fabs(l[i]));
    if (rate(p, t, y, moved, up) || rate(p, t, y, l, middle)) return 0;
    for (int i = 0; i < m; i++) moved[i] = l[i] - 0.1 * (1 + fabs(l[i]));
    if (rate(p, t, y, moved, down)) return 0;
    for (int i = 0; i < rows; i++) {
        first = fmax(first, fabs(up[i] - down[i]));
        second = fmax(second, fabs(up[i] - 2 * middle[i] + down[i]));
    }
    return second > nonlinear_from * first;
}

int keel_problem_nonlinear(const keel_problem *p, double t, const double *y)
{
    if (!p || !p->names || !y || p->original) return 0;
    if (p->form != KEEL_FORM_HESSENBERG2 && p->form != KEEL_FORM_HESSENBERG3
        && p->form != KEEL_FORM_LEVELLED) return 0;
    double *room = calloc(4 * (size_t)p->n, sizeof *room);
    if (!room) return KEEL_NO_MEMORY;
    int nonlinear = is_nonlinear(p, t, y, room);
    free(room);
    return nonlinear;
}
