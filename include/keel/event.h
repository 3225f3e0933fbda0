/* event.h -- switching systems: events, discrete state, equations that change.
 *
 *   switch functions   one vector callback s(t,y,y'); component i fires when its sign changes in
 *                      its direction.  The time is located to rounding on the dense output, on the
 *                      side where the sign has changed, and the point there is moved to the
 *                      constraints
 *   time events        times known in advance, clocks that tick, or a callback that says the next:
 *                      hit exactly
 *   action             what then happens: changes unknowns, modes, values, parameters, which
 *                      problem is solved, or ends the run.  A consistent point is found, switches
 *                      are looked at again, further actions follow until nothing changes, and the
 *                      method begins anew
 *
 * A problem with events is made of one without by keel_switching and is used like any other.
 * What detection guarantees, in which order things happen at one instant, and what counts as one
 * crossing: docs/events.md.
 *
 * Memory: an event may allocate (the log of events grows); steps between events do not.
 */
#ifndef KEEL_EVENT_H
#define KEEL_EVENT_H

#include "keel/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KEEL_FALLING = -1, KEEL_EITHER = 0, KEEL_RISING = 1 };

/* Ticks at start + k interval, k = 0, 1, ..., none of them before the run begins; interval 0: one
 * tick, at start. */
typedef struct keel_clock {
    double start, interval;
    int observes;                    /* nonzero: ticks most often change nothing that the equations */
                                     /* see.  Steps are not cut there: the action sees the dense    */
                                     /* output, and only if it changes something the step ends there */
} keel_clock;

/* What an action sees, and its answer.  Fields are added at the end only. */
typedef struct keel_event {
    double t;
    int initial;                     /* nonzero: the run begins here                      */
    int iteration;                   /* 0, 1, ... of this event                           */
    const int *crossed;              /* per switch: KEEL_RISING, KEEL_FALLING, or 0       */
    const int *positive;             /* per switch: 1 on its positive side, else 0        */
    const int *ticked;               /* per clock: 1 if it ticks now                      */
    int timed;                       /* 1: the time that next_time gave                   */
    const double *yp;                /* y', where `rates` asks for it, else NULL          */
    const keel_frame *frame;         /* of the solver, as in callbacks; NULL without one   */
    /* To be changed: */
    double *y;                       /* unknowns                                          */
    keel_mark *marks;                /* of them, all KEEL_GUESS or KEEL_FREE as at a start; */
                                     /* KEEL_FIXED: this value is to hold, others give way  */
    double *parameters;              /* of the frame                                      */
    int *modes;
    double *values;
    int structure;                   /* which problem goes on: 0 the first, 1, ... of `others` */
    int smooth;                      /* nonzero: no equation depends on what was changed: the run */
                                     /* goes on without beginning anew                    */
    int stop;                        /* nonzero: the run ends here, with KEEL_EVENT       */
    char text[160];                  /* why, for messages and the log; may stay empty     */
} keel_event;

/* Zero means none, or no. */
typedef struct keel_switching_spec {
    int switches;                    /* how many switch functions                         */
    int (*value)(double t, const double *y, const double *yp, double *s, void *context);
    const char *const *names;        /* one per switch, or NULL                           */
    const int *directions;           /* KEEL_RISING, ... per switch; NULL: either         */
    const int *terminal;             /* nonzero: its crossing ends the run, after the action; or NULL */
    int rates;                       /* nonzero: switches, watch and action need y'       */
    double look;                     /* longest time between two looks at the switches; 0: a third */
                                     /* of a step                                         */
    int clocks;
    const keel_clock *clock;         /* copied                                            */
    const char *const *clock_names;
    /* *next = the next time event after t (beyond it in the direction of the run), or INFINITY.
     * Asked at the start and after each event.  Optional. */
    int (*next_time)(double t, double *next, void *context);
    /* 0, or nonzero: the run fails here, with event->text.  `context` as in all callbacks of the
     * problem: the frame if there is one.  NULL: only terminal switches act. */
    int (*action)(keel_event *event, void *context);
    /* Looked at after every accepted step and event.  0; > 0: the run has come to its end
     * (KEEL_EVENT); < 0: what must hold does not (KEEL_ASSERTION).  `text` says which.  Optional. */
    int (*watch)(double t, const double *y, const double *yp, char *text, int size, void *context);
    int others;                      /* further problems that `structure` chooses: what is solved, */
    keel_problem *const *other;      /* with the same frame; unknowns go by their names    */
    int iterations;                  /* most actions at one instant; 0: 20                */
    int relations;                   /* nonzero: equations depend on `positive`, as on relations: a */
                                     /* switch that was 0 and leaves to the other side than said fires */
} keel_switching_spec;

/* A problem with events made of `problem`, and of `other` ones, which belong to it from then on,
 * also after a failure.  Its unknowns are those of `problem`, then those that only others have; of
 * unknowns that the present structure does not have the value is NAN. */
KEEL_API int keel_switching_sized(keel_problem **switching, keel_problem *problem,
                                  const keel_switching_spec *spec, size_t size);

static inline int keel_switching(keel_problem **switching, keel_problem *problem,
                                 const keel_switching_spec *spec)
{
    return keel_switching_sized(switching, problem, spec, sizeof *spec);
}

KEEL_API int keel_switch_count(const keel_problem *problem);
KEEL_API const char *keel_switch_name(const keel_problem *problem, int i);
KEEL_API int keel_clock_count(const keel_problem *problem);
KEEL_API const char *keel_clock_name(const keel_problem *problem, int i);
KEEL_API int keel_structure_count(const keel_problem *problem);        /* 1 without events */
KEEL_API const keel_problem *keel_structure(const keel_problem *problem, int i);

/* ---- of a run ------------------------------------------------------------------------------- */

/* One event, as the log has it.  Fields are added at the end only. */
typedef struct keel_event_record {
    double t;
    int iterations;                  /* actions                                           */
    int restarted;                   /* did the method begin anew?                        */
    int structure;                   /* from here on                                      */
    int variable;                    /* with the largest jump in units of its tolerance, or -1 */
    double from, to;                 /* of it                                             */
    double impulse;                  /* mechanical: the largest impulse of a constraint, its sign */
    int impulse_row;                 /* and its row, or -1                                */
    double switch_value;             /* of the switch that fired first, at t; NAN: none   */
    int located;                     /* evaluations of the switches to locate it          */
    char text[160];                  /* names of what fired, then what the action said     */
} keel_event_record;

KEEL_API long keel_event_count(const keel_solver *solver);
/* The i-th, from 0; KEEL_BAD_ARGUMENT beyond the last. */
KEEL_API int keel_event_at_sized(const keel_solver *solver, long i, keel_event_record *record,
                                 size_t size);

static inline int keel_event_at(const keel_solver *solver, long i, keel_event_record *record)
{
    return keel_event_at_sized(solver, i, record, sizeof *record);
}

/* Did the last step end in an event after which the method began anew?  Then the values just
 * before it (keel_state has those after it), else NULL. */
KEEL_API const double *keel_state_before(const keel_solver *solver);
/* Impulses of the constraints, one per row, at the last event of a mechanical problem; or NULL. */
KEEL_API const double *keel_impulses(const keel_solver *solver);
/* The frame that callbacks get, or NULL: the problem has none. */
KEEL_API const keel_frame *keel_solver_frame(const keel_solver *solver);
/* Sets what is not NULL: what the next keel_start begins with, and what a run under way goes on
 * with: call keel_restart_with then. */
KEEL_API int keel_set_frame(keel_solver *solver, const double *parameters, const int *modes,
                            const double *values);

#ifdef __cplusplus
}
#endif
#endif
