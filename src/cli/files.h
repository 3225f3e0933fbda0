/* files.h -- the files that a verb writes, opened before it works. */
#ifndef KEEL_CLI_FILES_H
#define KEEL_CLI_FILES_H

#include "report/output.h"

/* name NULL: nothing to open.  Returns EXIT_DONE, or EXIT_FAILED after saying why not. */
int open_output(output *o, const char *verb, const char *name, size_t line);

#endif
