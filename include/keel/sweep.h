/* sweep.h -- many runs that differ in some numbers, several of them at the same time.
 *
 *     static int open(keel_sweep_case *c, const double *p, char *why, size_t room, void *context)
 *     {
 *         ... c->problem = a problem for p[0], p[1]; c->start.y = its initial values; c->t_end = 1;
 *         return KEEL_OK;
 *     }
 *     keel_sweep(&(keel_sweep_spec){.parameters = 2, .rows = 100, .values = values, .jobs = 4,
 *                                   .open = open, .close = close, .row = print}, NULL, NULL, 0);
 *
 * Each run has a row of numbers, its parameters, and leaves a row of results.  `row` gets them in the
 * order of the rows, whatever the order in which the runs end, and the same doubles for every number
 * of jobs.  A run that fails is a row with its status and message, and the others go on.
 *
 * Runs are made by workers, one thread each.  A worker opens a case, makes a solver for it and keeps
 * both for its next row where `change` can give the case other parameters; then a row costs
 * keel_start and keel_advance.  See docs/sweeps.md.
 */
#ifndef KEEL_SWEEP_H
#define KEEL_SWEEP_H

#include <stddef.h>

#include "keel/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a run begins with and where it ends. */
typedef struct keel_sweep_case {
    const keel_problem *problem;
    keel_start_spec start;           /* as keel_start_with takes it                          */
    double t_end;
    void *own;                       /* of whoever opened it                                 */
} keel_sweep_case;

/* Valid while it is handed out. */
typedef struct keel_sweep_row {
    long row;                        /* 0, 1, ...                                            */
    const double *parameters;        /* [parameters]                                         */
    int status;                      /* of this run: KEEL_OK, KEEL_EVENT (an event ended it), or why it */
                                     /* has not come to its end                              */
    const char *message;             /* about it; "" where there is nothing to say           */
    double t;                        /* where it ended                                       */
    int count;
    const double *values;            /* [count] y there, or what `output` says; NULL: it has not begun */
    const keel_stats *stats;
} keel_sweep_row;

/* All but `row` are called by the threads of workers, each for a case of its own; `message` has room
 * for `room` characters that say why a case cannot be had. */
typedef struct keel_sweep_spec {
    int parameters;
    long rows;
    const double *values;            /* [rows][parameters]                                   */
    long first, stride;              /* only rows first, first + stride, ...; stride 0: all  */
    int jobs;                        /* workers; 0: 1, in the calling thread                 */
    /* A case for these parameters; a keel_status.  It is closed whether or not that succeeds. */
    int (*open)(keel_sweep_case *c, const double *parameters, char *message, size_t room,
                void *context);
    void (*close)(keel_sweep_case *c, void *context);                    /* or NULL          */
    /* Other parameters for an open case, whose problem stays: KEEL_OK; a positive code: it must be
     * opened anew; or a keel_status, as of open.  NULL: each row is opened anew. */
    int (*change)(keel_sweep_case *c, const double *parameters, char *message, size_t room,
                  void *context);
    /* Before each start, for frames; a keel_status.  Or NULL. */
    int (*prepare)(keel_solver *solver, const keel_sweep_case *c, void *context);
    /* What is kept of a run that has ended, [outputs]; a keel_status.  NULL: y. */
    int (*output)(keel_solver *solver, const keel_sweep_case *c, double *values, void *context);
    int outputs;
    /* Takes the results of one run, in the thread that called keel_sweep; not 0: no further ones. */
    int (*row)(const keel_sweep_row *row, void *context);
    void *context;
} keel_sweep_spec;

/* Makes all runs with these options (NULL: the defaults).  KEEL_OK: `row` has had every row;
 * KEEL_EVENT: `row` wanted no more; KEEL_BAD_ARGUMENT or KEEL_NO_MEMORY with a sentence in text,
 * which may be NULL.  A worker whose thread cannot be made is done without, as long as there is one. */
KEEL_API int keel_sweep_sized(const keel_sweep_spec *spec, size_t spec_size, const keel_options *options,
                              size_t options_size, char *text, size_t room);

static inline int keel_sweep(const keel_sweep_spec *spec, const keel_options *options, char *text,
                             size_t room)
{
    return keel_sweep_sized(spec, sizeof *spec, options, sizeof *options, text, room);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* One parameter of a sweep: `count` values evenly from `from` to `to`, or those listed. */
typedef struct keel_sweep_axis {
    double from, to;
    long count;                      /* 1: `from` alone                                      */
    const double *values;            /* [count], or NULL                                     */
} keel_sweep_axis;

/* Rows of the grid of all axes; -1: too many for a long, or an axis without values. */
KEEL_API long keel_sweep_grid_rows(const keel_sweep_axis *axes, int count);
/* Writes them, [rows][count]; the last axis varies fastest. */
KEEL_API void keel_sweep_grid(const keel_sweep_axis *axes, int count, double *values);
/* `rows` draws, uniform between from and to of each axis (of those listed: one of them).  Row k is the
 * same for every number of rows: it depends on the seed and k only. */
KEEL_API void keel_sweep_samples(const keel_sweep_axis *axes, int count, long rows, unsigned long seed,
                                 double *values);

#ifdef __cplusplus
}
#endif
#endif
