#include "problem/stencil.h"

static const stencil central = {4, {-2, -1, 1, 2}, {1, -8, 8, -1}};
static const stencil backward = {5, {0, -1, -2, -3, -4}, {25, -48, 36, -16, 3}};

stencil time_stencil(const evaluator *e, double t, double delta)
{
    double along = e->limited && (e->t_limit - t) < 0 ? -delta : delta;
    int near = e->limited && (e->t_limit - t) / along < 2;
    if (e->limited && e->t_limit == t) along = e->limit_direction * delta;
    stencil s = near ? backward : central;
    for (int k = 0; k < s.points; k++) {
        s.shift[k] *= along;
        s.weight[k] /= 12 * along;
    }
    return s;
}
