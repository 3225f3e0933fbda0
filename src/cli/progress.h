/* progress.h -- a line on standard error that says how far a long run is. */
#ifndef KEEL_CLI_PROGRESS_H
#define KEEL_CLI_PROGRESS_H

#include <stdbool.h>

#include "keel/solver.h"

typedef struct progress {
    double t_start, t_end;
    bool enabled;
    bool shown;
    double next;                 /* wall-clock second of the next update */
} progress;

/* Shown after a second when standard error is a terminal; at once when forced. */
progress progress_begin(double t_start, double t_end, bool forced, bool quiet);
void progress_update(progress *p, const keel_solver *solver);
/* The same for work of another kind: any line, if it is time for one. */
bool progress_is_due(progress *p);
void progress_line(progress *p, const char *line);
void progress_end(progress *p);

#endif
