/* refusal.h -- the sentence of a command that does no work: for people, and with --json for
 * programs.
 *
 * {"verb": "run", "status": "usage", "message": "..."}; the status is "usage", "cannot-write",
 * "cannot-load" or that of the library in words.
 */
#ifndef KEEL_CLI_REFUSAL_H
#define KEEL_CLI_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether refusals are printed as an object, too; said once, before any verb works. */
void refuse_as_json(bool yes);

/* Refusals of this thread go into text, of `room` bytes, instead of being said, until text is NULL: a
 * row of a sweep that cannot be run is a row of its table. */
void refuse_into(char *text, size_t room);
bool refused_into_text(void);    /* is that so? */

/* All say one sentence on standard error, after "keel VERB: ", and return the exit status: the one
 * given, EXIT_USAGE, EXIT_FAILED.  verb NULL: no verb was found. */
__attribute__((format(printf, 4, 5))) int refuse(int code, const char *verb, const char *status,
                                                 const char *format, ...);
__attribute__((format(printf, 2, 3))) int usage_error(const char *verb, const char *format, ...);
/* Of the library: "KEEL_SINGULAR: message". */
int refuse_status(const char *verb, int status, const char *message);

/* A status of the library in words: "step-too-small". */
const char *status_word(int status, char text[32]);

#endif
