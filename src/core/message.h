/* message.h -- the sentence a handle keeps about its last failure. */
#ifndef KEEL_CORE_MESSAGE_H
#define KEEL_CORE_MESSAGE_H

#include "core/strict.h"

typedef struct message { char text[640]; } message;

/* Formats into the message and returns `status`, so that `return fail(&m, KEEL_X, ...)` reads well. */
__attribute__((format(printf, 3, 4)))
int fail(message *m, int status, const char *format, ...);

#endif
