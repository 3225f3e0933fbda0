/* worker.h -- one row after the other, with a case and a solver that are kept where they can be. */
#ifndef KEEL_SWEEP_WORKER_H
#define KEEL_SWEEP_WORKER_H

#include "core/message.h"
#include "keel/sweep.h"

/* The results of one run; the same memory serves many. */
typedef struct sweep_result {
    int status;
    message why;
    double t;
    int count, room;
    double *values;              /* [room], owned                                          */
    int begun;                   /* whether there are values                               */
    keel_stats stats;
} sweep_result;

typedef struct sweep_worker {
    const keel_sweep_spec *spec;
    const keel_options *options; /* of that many bytes                                     */
    size_t options_size;
    keel_sweep_case open;
    int is_open;
    keel_solver *solver;         /* of open.problem, or NULL                               */
} sweep_worker;

/* Makes the run with these parameters.  What happens to it is its result: nothing is returned. */
void worker_run(sweep_worker *w, const double *parameters, sweep_result *r);
void worker_end(sweep_worker *w);

#endif
