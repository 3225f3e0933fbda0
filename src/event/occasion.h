/* occasion.h -- an event as it is handled: between act.c and rest.c. */
#ifndef KEEL_EVENT_OCCASION_H
#define KEEL_EVENT_OCCASION_H

#include "event/event.h"

typedef struct occasion {
    double t;
    int initial, iteration, cut;
    int moved;                   /* unknowns, by an action                                 */
    int stop;                    /* the run is to end here                                 */
    keel_event_record record;
    char names[160], said[160];
} occasion;

/* One action on the point y; *changed and *structure: what it did.  A status. */
int occasion_action(keel_solver *s, occasion *o, const double *y, int *changed, int *structure);
/* A consistent point with the new frame.  A status. */
int occasion_settle(keel_solver *s, occasion *o, int structure);
/* The frame as it was before the event. */
void frame_recall(event_state *v);

/* Switches in events->fired keep flipping: looks for sides of them with which the event rests.  1: the point,
 * the frame and the sides are there; 0: none was found; or a status < 0. */
int rest_search(keel_solver *s, occasion *o);

#endif
