/* discrete.h -- what changes at events: relations, whole numbers, clocks, whens, discrete variables.
 *
 * A relation in an equation keeps its value during a step and changes at an event, where its two sides
 * meet.  So each becomes a *signal*: a variable beyond those of the model (number variables + k), which
 * callbacks read from the frame.  Signals, besides relations: floor of something continuous; a tick of
 * sample(start, interval); and the condition of an edge, which remembers its last value.
 *
 * Modes of the frame are relations, conditions, Booleans, Integers and enumerations; values are discrete
 * Reals and floors.
 */
#ifndef KEEL_MODEL_DISCRETE_H
#define KEEL_MODEL_DISCRETE_H

#include "model/levels.h"
#include "model/system.h"

typedef enum signal_kind { SIGNAL_RELATION, SIGNAL_FLOOR, SIGNAL_SAMPLE, SIGNAL_EDGE } signal_kind;

/* How a relation learns its value. */
typedef enum signal_way {
    WAY_SWITCH,                          /* a switch function: b - a                            */
    WAY_TIME,                            /* it changes at a time known beforehand               */
    WAY_DIRECT                           /* it compares what changes at events only             */
} signal_way;

typedef struct event_signal {
    signal_kind kind;
    signal_way way;
    expr shown;                          /* as written                                          */
    expr a, b;                           /* relation: a < b, or <=; others: a; sample: start, interval */
    expr time;                           /* WAY_TIME: when it changes                           */
    int rises;                           /* WAY_TIME: it becomes true then                      */
    int first_switch, clock;             /* or -1                                               */
    int slot;                            /* mode or value                                       */
} event_signal;

typedef enum item_kind {
    ITEM_SIGNAL, ITEM_EQUATION, ITEM_WHEN,
    ITEM_INITIAL                         /* initial equation of a discrete variable: at the start only */
} item_kind;

typedef struct item {
    item_kind kind;
    int number;                          /* of the signal, flat equation, when, initial equation */
    uint32_t variable;                   /* ITEM_EQUATION, ITEM_INITIAL: what it assigns        */
    int negated;                         /* not variable = ...                                  */
    expr value;
} item;

typedef struct discrete {
    event_signal *signal;
    int signals, signal_room;            /* room: a power of 2                                  */
    int *signal_at;                      /* [2 room] numbers + 1, hashed by kind and `shown`    */
    int modes, values;
    int *slot;                           /* per variable: mode, or value, as `real` says; -1    */
    unsigned char *real;                 /* per variable and signal: 1, it is a value           */
    int switches, clocks, timed;
    item *item;                          /* in the order of evaluation                          */
    int items;
    expr *fires, *action;                /* per branch, per action: with signals put in         */
    unsigned char *determined;           /* per variable: 1, something assigns it               */
    rewrite rewrite, strict;             /* signals put in; strict: also inside of noEvent      */
    rewrite quiet;                       /* signals of time alone put in: inside of noEvent     */
    rewrite at_zero;                     /* time = 0 put in                                     */
    walk walk;
    model_system *system;
} discrete;

/* signals.c: e with signals put in; `all`: also inside of noEvent, for values of discrete variables, which
 * cannot change but at events.  0 without memory. */
expr signals_put(discrete *d, expr e);
expr signals_put_all(discrete *d, expr e);

/* Between sort and alias: replaces what makes events in the rows. */
int discrete_collect(discrete *d, model_system *s);
/* After the levels: everything in terms of unknowns; the order of evaluation. */
int discrete_complete(discrete *d, model_system *s, levels *l);
void discrete_free(discrete *d);
/* Slot of a variable or signal; *real: it is a value, not a mode.  -1: none. */
int discrete_slot(const discrete *d, uint32_t variable, int *real);
/* The expression that a signal stands for. */
expr discrete_shown(const discrete *d, uint32_t variable);

#endif
