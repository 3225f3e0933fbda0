/* switching.h -- a problem with events: what keel_switching made of one without. */
#ifndef KEEL_EVENT_SWITCHING_H
#define KEEL_EVENT_SWITCHING_H

#include "problem/problem.h"

typedef struct switching {
    keel_switching_spec spec;    /* copied, without what is below                          */
    char **names, **clock_names; /* [switches], [clocks]                                   */
    int *direction, *terminal;   /* [switches]                                             */
    keel_clock *clock;           /* [clocks]                                               */
    int structures;
    keel_problem **structure;    /* [structures] owned                                     */
    int **place;                 /* [structures][n of it]: unknowns in the whole problem   */
} switching;

/* Of a problem or of what it is a formulation of; or NULL. */
const switching *switching_of(const keel_problem *p);

#endif
