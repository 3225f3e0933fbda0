/* own.h -- a user's own problem: a shared object that exports keel_target_main, or its source.
 *
 * Only the file that the user names is compiled or loaded: nothing is searched for.
 */
#ifndef KEEL_CLI_OWN_H
#define KEEL_CLI_OWN_H

#include <stdbool.h>

#include "keel/target.h"

typedef struct own_target {
    void *library;               /* NULL: none is loaded                       */
    keel_target target;          /* a copy, to be completed                    */
    unsigned char *counts;
} own_target;

/* Has the name a path or a suffix, which no bundled problem has? */
bool names_a_file(const char *name);

/* All return EXIT_DONE, or EXIT_FAILED after saying what is wrong.  Close it in either case, after
 * the problem was freed. */
int own_open(own_target *own, const char *verb, const char *name);
/* Once the problem is there: what the file need not say. */
int own_complete(own_target *own, const char *verb, const keel_problem *problem);
void own_close(own_target *own);

#endif
