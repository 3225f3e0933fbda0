/* files.c -- the files that a verb writes, opened before it works. */
#include "cli/files.h"

#include "cli/refusal.h"
#include "cli/verbs.h"

int open_output(output *o, const char *verb, const char *name, size_t line)
{
    char message[500];
    *o = (output){.name = name};
    if (!name || output_open(o, name, line, message, sizeof message) == 0) return EXIT_DONE;
    return refuse(EXIT_FAILED, verb, "cannot-write", "%s", message);
}
