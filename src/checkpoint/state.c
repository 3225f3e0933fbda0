/* state.c -- all that a run remembers: the parts of the solver's block, and what is beside it.
 *
 * A pointer is saved as the place that it leads to: in the block, in the solver, or in a table of
 * dense output.  What belongs to the active mode follows from its number.
 */
#include "checkpoint/checkpoint.h"

#include "event/event.h"

/* Fields of keel_solver itself, or of structures in it that have no layout function. */
static void pass_fields(keel_solver *s, tape *t)
{
    headway *way = &s->headway;
    TAPE(t, s->stats);
    TAPE(t, s->choice);
    TAPE(t, s->active);
    TAPE(t, s->started);
    TAPE(t, s->fresh);
    TAPE(t, s->moves);
    TAPE(t, s->t);
    TAPE(t, s->t_previous);
    TAPE(t, s->direction);
    TAPE(t, s->h_next);
    TAPE(t, s->blind);
    TAPE(t, s->t_begin);
    TAPE(t, s->t_origin);
    TAPE(t, s->count);
    TAPE(t, s->has_stop);
    TAPE(t, s->t_stop);
    TAPE(t, s->dense_due);
    TAPE(t, s->report);
    TAPE(t, s->control);
    TAPE(t, s->lag_wanted);
    TAPE(t, s->lag_raised);
    TAPE(t, s->choice_length);
    TAPE(t, s->residual);
    TAPE(t, s->left);
    TAPE(t, s->passage.count);
    TAPE(t, way->t);
    TAPE(t, way->first);
    tape_links(t, way->y, sizeof way->y);
    tape_links(t, &way->start, sizeof way->start);
    TAPE(t, way->attempts);
    TAPE(t, way->by_error);
    TAPE(t, way->by_newton);
    TAPE(t, way->by_evaluation);
    TAPE(t, way->far);
    TAPE(t, s->dense.t0);
    TAPE(t, s->dense.h);
    TAPE(t, s->dense.points);
    tape_links(t, &s->dense.nodes, sizeof s->dense.nodes);
    tape_links(t, &s->dense.barycentric, sizeof s->dense.barycentric);
}

void state_pass(keel_solver *s, tape *t)
{
    event_pass(s, t);                            /* first: it chooses the structure */
    const tape_region regions[] = {
        {s->block, s->block_bytes}, {s, sizeof *s}, {hermite_nodes, sizeof hermite_nodes},
        {hermite_barycentric, sizeof hermite_barycentric}
    };
    t->region = regions;
    t->regions = sizeof regions / sizeof *regions;
    pass_fields(s, t);
    for (int k = 0; k < s->part_count; k++)
        s->parts[k].way(t, s->parts[k].at, s->parts[k].bytes);
    t->region = NULL;
    t->regions = 0;
    if (!t->loading) return;
    const keel_stats stats = s->stats;
    mode_enter(s, s->active);
    s->stats = stats;
}
