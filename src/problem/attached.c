/* attached.c -- constraints that the user knows beside the equations: h(t,y) = 0, or = h(t0,y0). */
#include "problem/forms.h"

#include <math.h>
#include <string.h>

#include "problem/difference.h"

/* An ODE may have them under another name. */
static const char *name_of(const keel_problem *p, const char *invariant, const char *attached)
{
    return p->ops == &ode_form && p->spec.ode.invariants > 0 ? invariant : attached;
}

static int value(evaluator *e, double t, const double *y, double *h)
{
    const keel_problem *p = e->problem;
    e->stats->constraint++;
    int code = p->attached.value(t, y, h, e->context);
    return eval_check(e, name_of(p, "invariant", "attached.value"), t, code, p->attached.rows, h);
}

int attached_level(evaluator *e, double t, const double *y, double *h)
{
    int rc = value(e, t, y, h);
    for (int k = 0; k < e->problem->attached.rows && !rc; k++) h[k] -= e->attached_start[k];
    return rc;
}

int eval_attached_begin(evaluator *e, double t, const double *y)
{
    const keel_problem *p = e->problem;
    int rc = p->kept ? value(e, t, y, e->attached_start) : 0;
    for (int k = 0; k < p->attached.rows; k++) e->deviation[p->attached.rows + k] = -1;
    for (int k = 0; k < p->attached.rows; k++)
        if (rc || !p->kept || !p->kept[k]) e->attached_start[k] = 0;
    return rc;
}

/* ---- deviations ---------------------------------------------------------------------------- */

void eval_deviation_keep(evaluator *e)
{
    while (e->original) e = e->original;
    int rows = e->problem->attached.rows;
    for (int k = 0; k < rows; k++) {
        double now = e->deviation[k], *largest = &e->deviation[rows + k];
        if (*largest < 0) e->deviation[2 * rows + k] = now;
        if (!(fabs(now) <= *largest)) *largest = fabs(now);
    }
}

int eval_deviation(const evaluator *e, int row, keel_invariant *found)
{
    while (e->original) e = e->original;
    const keel_problem *p = e->problem;
    int rows = p->attached.rows;
    if (row < 0 || row >= rows || e->deviation[rows + row] < 0) return KEEL_BAD_ARGUMENT;
    *found = (keel_invariant){
        .name = keel_row_name(p, p->levels, row), .deviation = fabs(e->deviation[row]),
        .start = e->attached_start[row] + e->deviation[2 * rows + row],
        .now = e->attached_start[row] + e->deviation[row], .largest = e->deviation[rows + row]};
    return KEEL_OK;
}

/* ---- derivatives --------------------------------------------------------------------------- */

static int moved_value(void *context, double t, const double *y, double *h)
{
    return value(context, t, y, h);
}

int eval_attached_jacobian(evaluator *e, double t, const double *y, double *H)
{
    const keel_problem *p = e->problem;
    int n = p->n, rows = p->attached.rows;
    if (p->attached.jacobian && !e->differences)
        return eval_check(e, name_of(p, "invariant_jacobian", "attached.jacobian"), t,
                          p->attached.jacobian(t, y, H, e->context), rows * n, H);
    difference d = {.value = moved_value, .context = e, .rows = rows, .size = n, .t = t, .x = y,
                    .moved = e->work[0], .one = e->work[1]};
    memset(H, 0, (size_t)rows * (size_t)n * sizeof *H);
    return difference_matrix(&d, &(difference_columns){
        .order = 2, .sum = e->work[2], .delta = e->work[3], .dense = H});
}
