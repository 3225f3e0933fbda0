/* motion.h -- the states of a run, drawn as their problem says. */
#ifndef KEEL_CLI_MOTION_H
#define KEEL_CLI_MOTION_H

#include "cli/summary.h"
#include "report/output.h"

enum { FRAMES = 40 };

/* Completes the file.  Returns 0, or -1 after saying on standard error what went wrong. */
int draw_motion(const summary *s, output *file);

#endif
