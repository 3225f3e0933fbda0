/* event.h -- events of a run: looking at the switch functions, locating, acting, going on.
 *
 *   loop.c          one step, never past the next time event
 *   look.c          the switches along the step: which of them change sign, in which interval
 *   locate.c        where, to rounding
 *   approach.c      a step up to there, if dense output is not good enough
 *   act.c           actions, consistent points, further actions, until nothing changes
 *   side.c          on which side of 0 each switch is; when it is 0, by where it is going
 *   timing.c        time events
 *   structure.c     another problem goes on
 *   accumulate.c    infinitely many events in a finite time
 *
 * The side of each switch is a state of its own: it changes where the switch is beyond a band of
 * rounding errors about 0 on the other side.  One change is one crossing.
 */
#ifndef KEEL_EVENT_INTERNAL_H
#define KEEL_EVENT_INTERNAL_H

#include "event/switching.h"
#include "integrate/integrator.h"

/* Looks at the switches in one step, without its beginning; more with the spec's `look`. */
enum { LOOKS = 3 };

typedef struct event_state {
    const switching *how;        /* NULL: there is a frame, but no events                  */
    const keel_problem *view;    /* whose unknowns switches and actions see                */
    int *source;                 /* [n] of each unknown of s->problem its place there, or -1 */
    int same;                    /* they are the same                                      */
    void *context;               /* of its callbacks                                       */
    /* the frame: what callbacks get, and what it is made of */
    int framed;
    keel_frame frame;
    double *parameters, *pre_parameters, *values, *pre_values;
    int *modes, *pre_modes;
    double *first_parameters, *first_values;     /* where runs begin                       */
    int *first_modes;
    /* switches */
    int count;
    int *side;                   /* [count] 1, -1; 0: at 0, and not known where it goes    */
    double *now;                 /* [count] at the accepted point                          */
    double *band;                /* [count] what of a value may be rounding                */
    double *blur;                /* [count] what the tolerances leave open                 */
    double *limit;               /* [count] beyond which it is on the other side: the band, or */
                                 /* more for one that was 0, but for the tolerances, when  */
                                 /* another event happened                                 */
    double *peak;                /* [count] largest value since the run began anew         */
    double length;               /* of the interval that was looked at last; 0: none since the run began anew */
    int unresolved;              /* events in a row of switches that did not leave the blur */
    double *look[LOOKS + 1];     /* [count] each: at the beginning of an interval, ...     */
    double *low, *high, *trial;  /* [count] at the ends of a bracket, and in it            */
    double *first;               /* [count] where looks began, or a measurement             */
    int *entered;                /* [count] sides there; which take no part in a location  */
    int *crossed, *positive, *ticked;            /* for the action                         */
    int *fired;                  /* [count] in this event                                  */
    int *began;                  /* [count] sides at the beginning of the step             */
    int *history;                /* [iterations + 1][modes, sides, structure]              */
    /* time events */
    long *tick;                  /* [clocks] number of the next tick                       */
    double next;                 /* what next_time said                                    */
    double direction;            /* for which all this was found                           */
    int timed;
    /* points, in the order of the present structure */
    double *left;                /* [n] before the event                                   */
    double *state;               /* [n of the view] the accepted point, for the user       */
    double *y, *yp;              /* [n] of a look                                          */
    double *moved;               /* [n] by an impact; scratch                              */
    double *origin, *origin_yp;  /* [n] where the step began                               */
    double whole;                /* size of a step that was made again up to an event, or 0 */
    double *given_y, *given_yp;  /* [n] to a start                                         */
    keel_mark *given_marks, *given_yp_marks;
    keel_mark *marks;            /* [n]                                                    */
    /* the same in the order of the view */
    double *view_y, *view_yp, *view_left, *view_before;
    keel_mark *view_marks;
    double *kept_parameters, *kept_values;       /* the frame before the event             */
    int *kept_modes;
    /* the polynomial of a step that ended in an event */
    interpolant kept;
    double *kept_nodes, *kept_weights, *kept_points;
    int kept_structure, later;   /* in which it was made; and which follows, in a question */
    int at_event;                /* the last step ended in one, and the run began anew     */
    double h;                    /* of that step, before it was cut                        */
    /* impulses */
    double *impulse;             /* [rows]                                                 */
    int impulses;
    /* structures */
    int structure;
    struct keel_solver *shelf;   /* [structures] solvers of the others                     */
    int *shelved;                /* [structures]                                           */
    double *rtol, *atol;         /* [n of the view]                                        */
    /* accumulation */
    double recent[32];           /* times of the last restarts                             */
    long restarts;
    /* log */
    keel_event_record *log;
    long logged, room;
    long located;                /* evaluations in the last location                       */
    void *block;
    size_t bytes;
    size_t plain;                /* of them those without pointers, at the beginning       */
} event_state;

/* ---- of the solver ---------------------------------------------------------------------- */

/* Makes s->events if the problem has a frame or events, and sets s->problem to the structure that
 * begins.  A status. */
int event_create(keel_solver *s, const keel_problem *face);
void event_free(keel_solver *s);
/* Callbacks of this evaluator get the frame of s. */
void event_frame(const keel_solver *s, evaluator *e);
/* The frame as runs begin with it, no log. */
void event_reset(keel_solver *s);

/* Events of a run that is under way, set aside for a start that may fail. */
typedef struct event_aside {
    event_state state;
    void *block;
} event_aside;

/* Before a start: the first structure, the frame as runs begin with it, no log; and spec in the
 * order of that structure.  A status. */
int event_open(keel_solver *s, event_aside *before, keel_start_spec *spec);
/* After it: if it failed all is as before, but for what the solver itself has to restore. */
void event_conclude(keel_solver *s, event_aside *before, int rc);
/* The spec in the order of the present structure. */
void structure_spec(keel_solver *s, keel_start_spec *spec);
/* After a start: where the switches are, time events, and the event at the start. */
int event_begin(keel_solver *s);
/* After a restart of the user's. */
int event_resume(keel_solver *s);
/* Where the last step ended in an event: frame and structure as they were in that step, for a
 * question about it, and back.  Nothing is built for it. */
void event_rewind(keel_solver *s);
void event_forward(keel_solver *s);
/* All of it that a checkpoint saves, out or in; coming in, the structure takes its place first. */
void event_pass(keel_solver *s, tape *t);
/* One step, and the events in it. */
int event_step(keel_solver *s, long *limit);

/* ---- its parts --------------------------------------------------------------------------- */

/* Where in the step, of length s->dense.h. */
typedef struct bracket { double low, high; } bracket;

/* The switches at t, y, y' into value; a status. */
int switch_values(keel_solver *s, double t, const double *y, const double *yp, double *value);
/* The same at theta of the last step, on the polynomial, or moved to the constraints; the point is
 * in events->y. */
int switch_at(keel_solver *s, double theta, int projected, double *value);
/* y at theta into events->y, y' into events->yp where it is asked for. */
int event_point(keel_solver *s, double theta, int projected);
/* y' at the accepted point into yp, where it is known. */
int event_rates(keel_solver *s, double *yp);

/* The first interval in which a switch changes its side in its direction, from theta on; 1, 0, or a
 * status < 0.  events->look[0]: values at theta; events->now: at the end, after the last call. */
int look_for_crossing(keel_solver *s, double theta, bracket *found);
/* Is the change to this value a crossing of switch i? */
static inline int side_of(double value, double band)
{
    return value > band ? 1 : value < -band ? -1 : 0;
}
/* Locates the first crossing in the bracket: *theta on its far side; events->crossed. */
int locate(keel_solver *s, bracket b, double *theta);

/* A step begins. */
void approach_begin(keel_solver *s);
/* A crossing at theta of the last step: makes the step anew, up to there, where that is more accurate.
 * 1: it did; *from, in units of the new step, and events->look[0] are again where the switches are to
 * be looked at from.  0, or a status < 0. */
int approach(keel_solver *s, double theta, double *from, long *limit);

/* The same for a switch that crosses back at once after the event in which it fired: what begins there may be
 * much faster than the step, and its polynomial wrong.  1: a shorter step has been made. */
int retreat(keel_solver *s, double theta, double *from, long *limit);

/* At the start: sides from values and rates.  A status. */
int side_start(keel_solver *s);
/* Raises the bands to what they are in a bracket, where events->low is at its near end:
 * unknowns may have grown.  A status. */
int side_measure(keel_solver *s, bracket b);
/* After an action at the accepted point: which switches have changed sides; in events->crossed.
 * Returns how many, or a status < 0. */
int side_renew(keel_solver *s);
/* Are the switches at the accepted point on these sides, or, where they are 0, on the way there?  loose: as
 * far as the tolerances tell.  1, 0, or a status < 0. */
int side_agrees(keel_solver *s, const int *wanted, int loose);

/* Where no step leads on: switches that are about to cross, in events->crossed.  Returns how many, or
 * a status < 0. */
int side_ahead(keel_solver *s);

void timing_begin(keel_solver *s);
/* Asks for the next time event after t.  A status. */
int timing_ask(keel_solver *s, double t);
/* The next time at which a step must end, or INFINITY; and that of a clock that observes. */
double timing_next(const keel_solver *s);
double timing_observed(const keel_solver *s);
/* Which time events are due at t: events->ticked and timed; they are not due any more.  Returns how
 * many there were. */
int timing_take(keel_solver *s, double t);

/* The event at t with the point in events->left and events->crossed, ...: actions
 * until nothing changes.  *cut: the run begins anew there.  A status. */
int act(keel_solver *s, double t, int initial, int *cut);
/* The step ends at t, with events->left; its polynomial is kept for questions. */
void cut_step(keel_solver *s, double t);

/* Structure k takes the place of the present one, with its own past.  A status. */
int structure_swap(keel_solver *s, int k);
/* Structure k takes over at the accepted point, with values by name.  A status. */
int structure_enter(keel_solver *s, int k);
/* The solvers of the others. */
void structure_free(keel_solver *s);
static inline int has_structures(const keel_solver *s)
{
    return s->events && s->events->how && s->events->how->structures > 1;
}
/* The accepted point in the order of the face. */
const double *structure_state(const keel_solver *s);
/* Tolerances of the unknowns of structure k as options, until the solver is built. */
void structure_tolerances(keel_solver *s, int k);
/* Which unknown of the view each unknown is, for the present s->problem. */
void view_bind(keel_solver *s);
/* y in the order of the view, NAN where there is none; and back, others as they are. */
void view_of(const event_state *v, int n, const double *y, double *view_y);
void view_back(const event_state *v, int n, const double *view_y, double *y);

/* The run began anew at t: do such events accumulate?  KEEL_OK, KEEL_CHATTERING or KEEL_EVENT. */
int accumulate(keel_solver *s, double t);

/* The consistent point nearest to y; of mechanical problems the impulses that lead there.  A
 * status. */
int impact_settle(keel_solver *s, const double *y, const keel_mark *marks);

#endif
