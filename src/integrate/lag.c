/* lag.c -- which derivative of their constraints the stages of a levelled problem see.
 *
 *   lag 0   g itself: the most exact where nothing is stiff, since projection repairs the drift
 *   lag 1   h_1: where the step is long against the forces, stages that see only g wander off the
 *           manifold, and Newton's method fails for steps that the error would allow
 *   lag 2   h_2: the same for diagonally implicit methods, whose single stages are of low order
 *
 * A formulation fixes it.  Otherwise a run begins with lag 0, and changes when Newton's method fails
 * although |h f_y| says that the problem is stiff.
 */
#include <math.h>
#include <string.h>

#include "integrate/integrator.h"
#include "linear/columns.h"

static const double stiff_from = 100;            /* h |f_y| beyond which no explicit method goes */

void lag_begin(keel_solver *s)
{
    const keel_problem *p = s->problem;
    int own = s->integrator->fixed_lag;
    if (s->lag_raised) return;                   /* a restart in the midst of a run */
    eval_set_lag(&s->eval, own >= 0 ? own : p->lag > 0 ? p->lag : 0);
}

static int may_change(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    return p->ops == &levelled_form && p->lag < 0 && p->levels > 1 && s->eval.lag == 0;
}

void lag_expect_stiff(keel_solver *s)
{
    if (!may_change(s)) return;
    s->lag_raised = 1;
    s->choice_length = 0;
    eval_set_lag(&s->eval, 1);
}

/* Largest row sum of f_y. */
static double size_of_rates(const keel_problem *p, const keel_matrix *J, double *sum)
{
    int n = p->group[0];
    for (int i = 0; i < n; i++) sum[i] = 0;
    for (int j = 0; j < n; j++) {
        column c = matrix_column(J, j);
        for (int k = 0; k < c.count; k++)
            if (column_row(&c, k) < n) sum[column_row(&c, k)] += fabs(c.values[k]);
    }
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, sum[i]);
    return largest;
}

void lag_suspect(keel_solver *s, const keel_matrix *J, double h, int diagonal)
{
    const keel_problem *p = s->problem;
    if (!may_change(s)) return;
    int stiff = fabs(h) * size_of_rates(p, J, s->eval.work[0]) > stiff_from;
    int stiffly_accurate = !s->method || s->method->stiffly_accurate;
    s->lag_wanted = !stiff ? 0 : diagonal && stiffly_accurate ? 2 : 1;
}

attempt_result lag_change(keel_solver *s)
{
    double h = s->h_next;
    int lag = s->lag_wanted;
    s->lag_wanted = 0;
    s->lag_raised = 1;
    eval_set_lag(&s->eval, lag);
    attempt_result result = solver_restart(s);
    s->h_next = h;
    message before = s->choice;
    s->choice_length = (int)strlen(before.text);
    fail(&s->choice, KEEL_OK, "%s%s%s: stages solve g (index 1) until t = %.6g, h_%d (index %d) from "
         "there on, because the forces turned out to be stiff (h = %.3g)", before.text,
         before.text[0] ? "; " : "", s->stats.method, s->t, s->eval.lag, s->eval.lag + 1, fabs(h));
    return result;
}
