/* start_projected.c -- initial values of sparse mechanical problems, by the projection of a point.
 *
 * Unlike consistent_level.c it moves all positions, and by their inertia: values that are marked
 * fixed are not respected, but seen to.
 */
#include <math.h>
#include <string.h>

#include "integrate/integrator.h"
#include "problem/stencil.h"
#include "step/mechanical_point.h"

/* Moves s->y with a point of its own. */
static attempt_result meet(keel_solver *s)
{
    mechanical_point p = {0};
    arena a = {0};
    for (int pass = 0; pass < 2; pass++) {       /* measured, then assigned */
        point_layout(&a, &p, s->problem);
        p.y = ARENA(&a, double, s->n);
        if (pass == 0) a = (arena){.base = arena_block(a.used)};
    }
    int rc = a.base ? point_create(&p) : KEEL_NO_MEMORY;
    attempt_result result = factoring_result(s, rc);
    if (!rc) rc = settle_time_scale(&s->eval, s->t, s->y);
    if (rc && result == ATTEMPT_DONE) result = evaluation_result(s, rc);
    if (!rc) {
        memcpy(p.y, s->y, (size_t)s->n * sizeof *p.y);
        point_place(&p, s->t);
        result = point_attempt(s, &p, point_meet(&s->eval, &p));
        memcpy(s->y, p.y, (size_t)s->n * sizeof *p.y);
        s->stats.factorizations = s->stats.solves = 0;   /* those of iteration matrices alone */
    }
    point_release(&p);
    arena_block_free(a.base);
    return result;
}

int start_projected(keel_solver *s, const keel_mark *marks)
{
    attempt_result result = s->problem->constraints > 0 ? meet(s) : ATTEMPT_DONE;
    if (result == ATTEMPT_SINGULAR)
        return fail(&s->message, KEEL_REDUNDANT, "t = %.10g: the constraint of %s depends on the "
                    "others at the initial values, or M is singular. Remove redundant constraints",
                    s->t, keel_variable_name(s->problem, s->report.variable));
    if (result == ATTEMPT_NOT_CONVERGED)
        return fail(&s->message, KEEL_INCONSISTENT, "t = %.10g: no consistent point was found near "
                    "the initial values: start nearer to a solution, or check the constraint", s->t);
    if (result != ATTEMPT_DONE) return point_failure(s, result, "near the initial values");
    for (int i = 0; i < s->n && marks; i++)
        if (marks[i] == KEEL_FIXED && fabs(s->y[i] - s->moved[i].from) * s->weight[i] > 1)
            return fail(&s->message, KEEL_INCONSISTENT, "t = %.10g: the fixed value %.10g of %s is "
                        "not consistent (%.10g would be), and the start of a sparse mechanical "
                        "problem moves all positions: change it", s->t, s->moved[i].from,
                        keel_variable_name(s->problem, i), s->y[i]);
    return KEEL_OK;
}
