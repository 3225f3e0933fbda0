/* boundary_guess.h -- keel bvp --guess FILE. */
#ifndef KEEL_CLI_BOUNDARY_GUESS_H
#define KEEL_CLI_BOUNDARY_GUESS_H

#include "cli/target.h"

/* What is in the file, a solution of --save or points of --output, becomes the guess.  Returns EXIT_DONE,
 * or another exit status after saying on standard error what is wrong. */
int boundary_guess(const target *t, keel_boundary *boundary, const char *file);

#endif
