/* checkpoint.h -- checkpoints of `keel run`: the solver's, and a note of what the command keeps. */
#ifndef KEEL_CLI_CHECKPOINT_H
#define KEEL_CLI_CHECKPOINT_H

#include "cli/integration.h"
#include "core/tape.h"

/* When the next one is due. */
typedef struct checkpoints {
    const char *path;            /* NULL: none are written                                 */
    double every;                /* seconds, 0: after every step                           */
    double next;                 /* by the clock                                           */
    bool failed;                 /* the last one could not be written, which was said      */
} checkpoints;

checkpoints checkpoints_begin(const char *path, double every);
bool checkpoints_due(const checkpoints *c);

/* What the command keeps, out or in, after the lines that say of what it is. */
typedef void note_pass(tape *t, void *kept);
typedef struct run_note {
    const char *lines;           /* what a run must agree in with the file to go on        */
    note_pass *pass;
    void *kept;
} run_note;

/* A status, with a message. */
int checkpoint_save(checkpoints *c, keel_solver *solver, const run_note *note, char *message,
                    size_t size);
int checkpoint_load(const char *path, keel_solver *solver, const run_note *note, char *message,
                    size_t size);

/* The lines of a run, to be freed; NULL without memory. */
char *checkpoint_lines(const target *t, const recording *keep);

/* A table whose columns are known; reading takes memory: KEEL_NO_MEMORY in t->status. */
void series_tape(tape *t, series *s);

#endif
