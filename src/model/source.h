/* source.h -- texts of a model, places in them, and what is said about them.
 *
 *     pendulum.mo:7:12: error: `lenght` is not declared; did you mean `length`?
 *        7 |   x^2 + y^2 = lenght^2;
 *          |               ^~~~~~
 *
 * Messages are collected, not printed; errors do not stop the reader, so that one run tells about
 * several of them.  A line of a text is shown with its control characters escaped (core/text.h).
 */
#ifndef KEEL_MODEL_SOURCE_H
#define KEEL_MODEL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct source source;            /* texts and messages of one model */

typedef struct span {                    /* bytes [from, to) of text number `text` */
    uint32_t from, to;
    int text;                            /* -1: nowhere (built in, command line)   */
} span;

typedef enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR } severity;

source *source_create(void);             /* NULL without memory */
void source_free(source *s);
/* Copies the text; its number, or -1 without memory.  `name` is shown in messages. */
int source_add(source *s, const char *name, const char *text, size_t length);
const char *source_text(const source *s, int text, size_t *length);
/* Line and column from 1, columns in characters. */
void source_place(const source *s, span where, int *line, int *column);

/* Adds a message about a place.  A note belongs to the message before it.  After 50 errors further
 * ones are only counted. */
__attribute__((format(printf, 4, 5)))
void source_say(source *s, severity how, span where, const char *format, ...);
/* The same without the %-formatting of the first; for callers that have a text. */
int source_errors(const source *s);
int source_warnings(const source *s);
int source_no_memory(const source *s);   /* nonzero: something could not be stored */
void source_set_no_memory(source *s);
/* All messages as one text, in the order in which they came; owned by s, until the next is said. */
const char *source_messages(source *s);
/* The nearest of `count` names if it is near enough to have been meant, else NULL. */
const char *source_suggestion(const char *name, const char *const *names, int count);

#endif
