/* progress.c -- a line on standard error that says how far a long run is. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience = 1.0, interval = 0.1;      /* seconds */

enum { LINE_WIDTH = 72 };

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(double t_start, double t_end, bool forced, bool quiet)
{
    const bool enabled = !quiet && (forced || isatty(STDERR_FILENO));
    return (progress){.t_start = t_start, .t_end = t_end, .enabled = enabled,
                      .next = wall_clock() + (forced ? 0 : patience)};
}

bool progress_is_due(progress *p) { return p->enabled && wall_clock() >= p->next; }

void progress_line(progress *p, const char *line)
{
    fprintf(stderr, "\r%-*.*s", LINE_WIDTH, LINE_WIDTH, line);
    fflush(stderr);
    p->shown = true;
    p->next = wall_clock() + interval;
}

void progress_update(progress *p, const keel_solver *solver)
{
    if (!progress_is_due(p)) return;
    const keel_stats *stats = keel_solver_stats(solver);
    const double t = keel_time(solver);
    char line[LINE_WIDTH + 1];
    snprintf(line, sizeof line, "%3.0f %%   t = %.6g   h = %.2e   %ld steps",
             100 * (t - p->t_start) / (p->t_end - p->t_start), t, stats->last_step,
             stats->accepted);
    progress_line(p, line);
}

void progress_end(progress *p)
{
    if (p->shown) fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
    p->shown = false;
}
