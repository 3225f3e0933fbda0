/* output.h -- a file that takes its place when it is complete.
 *
 * It is written to NAME.part beside it and renamed at the end, so that NAME is never half a result
 * and what was there before stays until then.  A process that is killed leaves NAME.part, the
 * lines up to its last flush; a kill within that may cut the last one.  Devices and pipes are written
 * directly, and so is a file in a folder where none can be made.
 */
#ifndef KEEL_REPORT_OUTPUT_H
#define KEEL_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct output {
    FILE *file;                  /* to write to; NULL: not open                */
    const char *name;            /* as given, for messages                     */
    char *place;                 /* what it is to become, links followed       */
    char *part;                  /* NULL: written directly                     */
    char *buffer;
    size_t room, held;           /* bytes of the buffer; of whole lines in it  */
    double flushed;              /* when, in seconds of a clock                */
    int error;                   /* errno of the first failure                 */
} output;

/* `line` is the length of the longest line that will be written, 0 if that does not matter.
 * Returns 0, or -1 with a sentence in message. */
int output_open(output *o, const char *name, size_t line, char *message, size_t size);
/* To be called after each whole line of `length` bytes: flushes once a second, or when there is
 * much to write.  Returns 0, or -1 when writing failed, which output_finish will explain. */
int output_line(output *o, size_t length);
/* Completes the file.  Returns 0, or -1 with a sentence in message; what could be written then
 * stays in NAME.part if it is worth keeping. */
int output_finish(output *o, bool keep, char *message, size_t size);
/* Leaves everything as it was; may follow output_finish. */
void output_abandon(output *o);

#endif
