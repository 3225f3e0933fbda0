/* sweep_ranks.h -- a sweep that mpirun started: row k belongs to rank k mod size, and rank 0 writes.
 *
 * Without MPI in the build there is one rank.
 */
#ifndef KEEL_CLI_SWEEP_RANKS_H
#define KEEL_CLI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/sweep_table.h"

typedef struct ranks { int rank, size; } ranks;

/* Joins the others where mpirun started the process.  EXIT_DONE, or another exit status after saying
 * what is wrong. */
int sweep_ranks_begin(ranks *r);
/* What rank 0 says: how many rows there are already, or -1: it cannot work. */
long sweep_ranks_agree(const ranks *r, long rows);
/* A row to rank 0, and from another rank there; `failed` says whether its run did. */
void sweep_ranks_send(const ranks *r, const line *l, bool failed);
bool sweep_ranks_receive(const ranks *r, long row, line *l, bool *failed);       /* false: no memory */
/* Ends all of them, because rank 0 cannot go on. */
void sweep_ranks_stop(const ranks *r, int code);
void sweep_ranks_end(const ranks *r);

#endif
