/* integration.h -- integrate a target from start to end and keep what is asked for. */
#ifndef KEEL_CLI_INTEGRATION_H
#define KEEL_CLI_INTEGRATION_H

#include <stdbool.h>

#include "cli/target.h"
#include "report/series.h"

/* What to keep besides the final point.  Output points are count > 0 equidistant ones, or every
 * spacing > 0, both by dense output and both with the two ends; or else the accepted steps. */
typedef struct recording {
    bool points;
    long count;
    double spacing;
    int curve_count;             /* unknowns to draw, sampled densely          */
    const int *curves;
    bool residuals;              /* at each accepted step                      */
} recording;

typedef struct outcome {
    int status;                  /* a keel_status                              */
    bool started;                /* from consistent values                     */
    bool interrupted;            /* by the user; status is then KEEL_OK        */
    char message[512];           /* why it failed, else the remark or choice   */
    char remark[512];            /* on the initial values, or empty            */
    char choice[512];            /* of the method `auto`; empty for others     */
    double t;
    double *y;                   /* one per unknown; NULL without memory       */
    keel_stats stats;
    double cpu_seconds;          /* of the integration, without reports        */
    series points;               /* t, y                                       */
    series curves;               /* t, the unknowns to draw                    */
    series residuals;            /* t, one column per constraint level         */
    keel_move *moved;            /* values that the start had to move          */
    int moves;
} outcome;

/* After a failure or an interruption the outcome holds what was reached. */
void integrate(outcome *o, const target *t, const keel_options *options, const recording *keep,
               bool show_progress, bool quiet);
void outcome_free(outcome *o);

/* "ok", "interrupted", or the status in words: "step-too-small". */
const char *outcome_word(const outcome *o, char text[32]);

#endif
