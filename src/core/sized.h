/* sized.h -- structures of programs that were compiled with the headers of another version.
 *
 * A structure of `size` bytes is taken for one of today's, of `whole` bytes:
 *
 *   size < whole   from an older program: what is missing is zero, which means "as before"
 *   size > whole   from a newer program: accepted if what this library does not know is zero
 *   size < least   of no version: the first one had that many
 */
#ifndef KEEL_CORE_SIZED_H
#define KEEL_CORE_SIZED_H

#include <stddef.h>

#include "core/message.h"

typedef struct sized {
    const char *name;
    size_t whole, known, least;  /* with what is reserved; the fields; those of the first version */
} sized;

/* The last field that keel 0.1.0 had, and the last one there is now. */
#define SIZED(type, first, last) \
    ((sized){#type, sizeof(type), FIELD_END(type, last), FIELD_END(type, first)})
#define FIELD_END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* 0, or KEEL_BAD_ARGUMENT with a message: is the size one that a version can have had? */
int sized_check(message *m, sized what, size_t size);
/* Copies what was given into *to, of what.whole bytes; also checks the size. */
int sized_copy(message *m, sized what, void *to, const void *given, size_t size);
/* Copies an answer of `whole` bytes into one of `size`, as far as it goes; what is beyond is 0. */
void sized_answer(void *to, size_t size, const void *answer, size_t whole);

#endif
