/* fitting.h -- keel bvp --fit: parameters of a boundary value problem from a file of measurements. */
#ifndef KEEL_CLI_FITTING_H
#define KEEL_CLI_FITTING_H

#include "cli/progress.h"
#include "cli/target.h"

typedef struct fitting {
    const char *file;            /* of measurements, or NULL                   */
    const char *vary;            /* "NAME,NAME", the parameters looked for     */
    bool json, quiet;
} fitting;

/* Wrong usage: EXIT_USAGE after a complaint. */
int fitting_check(const fitting *f);
/* Fits, ends the line of progress and reports; returns the exit status. */
int fitting_run(const target *t, const keel_boundary_options *options, const fitting *f,
                progress *line);

#endif
