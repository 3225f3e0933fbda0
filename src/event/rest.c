/* rest.c -- which values of several relations are consistent with each other?
 *
 * The action is told on which sides of 0 the switches are, and the equations it chooses decide on which sides
 * they are then: an event rests at sides s with s = S(s).  Going on from s to S(s) need not end where several
 * change together (ideal diodes that hand over a current; sign(v) of what comes to rest).  Then all sides of
 * the switches that keep flipping are tried, those first that differ least from where the iteration was, each
 * from the point and the frame before the event: a complementarity problem, solved by enumeration [Cottle,
 * Pang, Stone, The Linear Complementarity Problem, 1992, chapter 1], bounded by the number of its switches.
 *
 * First s = S(s) has to hold to rounding; if it holds nowhere, switches that the tolerances do not tell from
 * 0 count as on the side to which they go.
 */
#include "event/occasion.h"

#include <string.h>

enum { MOST = 8 };               /* switches of which all sides are tried */

/* Tries the sides in events->side: 1 the event rests there, 0 it does not, or a status < 0. */
static int rests(keel_solver *s, occasion *o, int loose)
{
    event_state *v = s->events;
    memcpy(v->entered, v->side, (size_t)v->count * sizeof *v->side);
    frame_recall(v);
    memcpy(s->y, v->left, (size_t)s->n * sizeof(double));
    for (int k = 0; k < v->how->spec.iterations; k++) {
        int changed, structure, moved = o->moved;
        int rc = occasion_action(s, o, s->y, &changed, &structure);
        if (rc) return rc;
        if (structure != v->structure || o->moved != moved) return 0;
        if (k > 0 && !changed) return 1;
        if (changed && occasion_settle(s, o, structure) < 0) {
            s->message.text[0] = 0;
            return 0;
        }
        rc = side_agrees(s, v->entered, loose);
        if (rc <= 0) return rc;
    }
    return 0;
}

/* Sides of the listed switches from the bits of `choice`: 1 is away from where they were. */
static void choose(event_state *v, int count, const int *which, const int *from, int choice)
{
    for (int k = 0; k < count; k++) v->side[which[k]] = choice >> k & 1 ? -from[k] : from[k];
}

static int bits(int choice)
{
    int count = 0;
    for (; choice; choice &= choice - 1) count++;
    return count;
}

int rest_search(keel_solver *s, occasion *o)
{
    event_state *v = s->events;
    int which[MOST], from[MOST], count = 0;
    const int iteration = o->iteration;
    for (int i = 0; i < v->count; i++) {
        if (!v->fired[i]) continue;
        if (count == MOST) return 0;
        which[count] = i;
        from[count++] = v->side[i];
    }
    if (v->structure != o->record.structure) return 0;
    memset(v->crossed, 0, (size_t)v->count * sizeof *v->crossed);
    for (int loose = 0; loose < 2; loose++)
        for (int changes = 0; changes <= count; changes++)
            for (int choice = 0; choice < 1 << count; choice++) {
                if (bits(choice) != changes) continue;
                choose(v, count, which, from, choice);
                o->iteration = iteration;
                int found = rests(s, o, loose);
                if (found) return found;
            }
    return 0;
}
