/* print.h -- expressions as the user would write them. */
#ifndef KEEL_MODEL_PRINT_H
#define KEEL_MODEL_PRINT_H

#include "model/flat.h"

/* A text that grows; text is NULL before anything was added, and after a lack of memory. */
typedef struct buffer {
    char *text;
    size_t length, room, most;           /* most > 0: what comes after that many bytes is "..." */
    int no_memory;
} buffer;

void buffer_free(buffer *b);
void buffer_add(buffer *b, const char *text);
__attribute__((format(printf, 2, 3)))
void buffer_print(buffer *b, const char *format, ...);
const char *buffer_text(const buffer *b);                  /* "" if there is none */

/* Variables beyond those of the model stand for expressions, which `shown` gives; it may be NULL. */
typedef struct printer {
    const flat_model *model;
    expr (*shown)(void *context, uint32_t variable);
    void *context;
} printer;

void print_expr(buffer *b, const printer *how, expr e);
/* left = right; an equation 0 = left - right as left = right. */
void print_equation(buffer *b, const printer *how, expr left, expr right);

#endif
