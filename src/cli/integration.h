/* integration.h -- integrate a target from start to end and keep what is asked for. */
#ifndef KEEL_CLI_INTEGRATION_H
#define KEEL_CLI_INTEGRATION_H

#include <stdbool.h>

#include "cli/target.h"
#include "report/series.h"

/* Takes an output point; false: it could not be written, which ends the run. */
typedef bool point_sink(void *context, double t, const double *y);

/* What to keep besides the final point.  Output points are count > 0 equidistant ones, or every
 * spacing > 0, both by dense output, projected unless steps are not, and both with the two ends; or
 * else the accepted steps.  Where an event begins the run anew there are two points, before and after
 * it, in each case. */
typedef struct recording {
    bool points;
    long count;
    double spacing;
    point_sink *sink;            /* NULL: points are kept in the outcome       */
    void *sink_context;
    int curve_count;             /* unknowns to draw, sampled densely          */
    const int *curves;
    bool curves_projected;       /* as output points are                       */
    bool log_time;               /* curves are sampled evenly in log time      */
    bool residuals;              /* at each accepted step                      */
    long frames;                 /* states to sketch, equidistant in time      */
    const char *checkpoint;      /* a file to go on from after a crash, or NULL */
    double every;                /* written as often, in seconds               */
    const char *resume;          /* a file to go on from instead of the start, or NULL */
    bool compile;                /* callbacks of a model, if the run takes long  */
    double curve_length;         /* > 0: the most that is followed beyond an impasse point; output */
                                 /* points have the length of the curve as their last unknown      */
} recording;

typedef struct outcome {
    int status;                  /* a keel_status; KEEL_EVENT: ended by one    */
    bool started;                /* from consistent values                     */
    bool interrupted;            /* by the user; status is then KEEL_OK        */
    bool unwritten;              /* an output point; status is then KEEL_OK    */
    long unprojected;            /* output points that could not be projected  */
    double unprojected_time;     /* the first of them                          */
    char message[512];           /* why it failed, else the remark or choice   */
    char remark[512];            /* on the initial values, or empty            */
    char warning[256];           /* of a model: the first bound or assertion that did not hold, or empty */
    char choice[512];            /* of the method `auto`; empty for others     */
    double t;
    double *y;                   /* one per unknown; NULL without memory       */
    double *shown;               /* of a model: the variables that are shown; else NULL */
    keel_stats stats;
    double factor_bytes;         /* of keel_factor_bytes */
    double cpu_seconds;          /* of the integration, without reports        */
    series points;               /* t, y                                       */
    series curves;               /* t, the unknowns to draw                    */
    series residuals;            /* t, one column per curve (levels.h)         */
    int steps_of_row;            /* that a row of it stands for                */
    series frames;               /* t, y                                       */
    keel_move *moved;            /* values that the start had to move          */
    int moves;
    keel_event_record *events;   /* all that happened                          */
    long event_count;
    keel_impasse *impasses;      /* met, without their y                       */
    int impasse_count, followed_count;           /* the latter on a curve      */
    bool followed;               /* it ended on the curve beyond one, ...      */
    double length;               /* ... of this length                         */
    keel_invariant *invariants;  /* attached rows, whose names are the problem's */
    int invariant_count;
} outcome;

/* Has the run come to its end, that of the interval or one that an event made? */
static inline bool outcome_ended(const outcome *o)
{
    return o->status == KEEL_OK || o->status == KEEL_EVENT;
}

/* After a failure or an interruption the outcome holds what was reached. */
void integrate(outcome *o, const target *t, const keel_options *options, const recording *keep,
               bool show_progress, bool quiet);
void outcome_free(outcome *o);

/* "ok", "event", "interrupted", "cannot-write", or the status in words: "step-too-small". */
const char *outcome_word(const outcome *o, char text[32]);

#endif
