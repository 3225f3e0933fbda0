/* branch_step.c -- one solution further on a branch, and where that is.
 *
 * Newton's method begins at the last solution: its first correction is the step along the tangent.
 *
 *   normal = (q - q_before)/scale, of length 1, or the direction of l alone
 *   scale  = 1 + |q|, of l the range that is followed
 */
#include <math.h>
#include <string.h>

#include "boundary/branch.h"

int branch_solve(keel_branch *b)
{
    keel_boundary *w = b->boundary;
    int rc = keel_boundary_solve(w);
    if (rc) return rc;
    const mesh *s = w->mesh;
    size_t ends = (size_t)b->nx * sizeof *b->q;
    ptrdiff_t last = (ptrdiff_t)(s->N - 1) * s->table.nodes + s->table.rates - 1;
    memcpy(b->q, s->value, ends);
    memcpy(b->q + b->nx, s->value + last * b->n, ends);
    memcpy(b->q + 2 * b->nx, s->p, (size_t)(b->np + 1) * sizeof *b->q);
    return KEEL_OK;
}

double branch_distance(const keel_branch *b, const double *a, const double *c)
{
    double sum = 0;
    for (int i = 0; i < b->size; i++) {
        double d = (a[i] - c[i]) / b->scale[i];
        sum += d * d;
    }
    return sqrt(sum);
}

void branch_scale(keel_branch *b)
{
    for (int i = 0; i < b->size; i++) b->scale[i] = 1 + fabs(b->last[i]);
    if (b->range > 0) *branch_parameter(b, b->scale) = b->range;
}

static void parameter_alone(keel_branch *b, double direction)
{
    memset(b->normal, 0, (size_t)b->size * sizeof *b->normal);
    *branch_parameter(b, b->normal) = direction;
}

void branch_tangent(keel_branch *b)
{
    double length = branch_distance(b, b->last, b->before);
    if (!b->how.arclength || !(length > 0)) {
        parameter_alone(b, b->direction);
        return;
    }
    for (int i = 0; i < b->size; i++)
        b->normal[i] = (b->last[i] - b->before[i]) / b->scale[i] / length;
}

int branch_along(keel_branch *b, double length)
{
    branch_tangent(b);
    memcpy(b->base, b->last, (size_t)b->size * sizeof *b->base);
    b->length = length;
    return branch_solve(b);
}

int branch_natural(keel_branch *b, double change)
{
    parameter_alone(b, 1);
    memcpy(b->base, b->last, (size_t)b->size * sizeof *b->base);
    b->length = change / *branch_parameter(b, b->scale);
    return branch_solve(b);
}
