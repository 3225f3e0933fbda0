/* making.h -- what the makers of methods share: copies in one block, checks of numbers. */
#ifndef KEEL_METHOD_MAKING_H
#define KEEL_METHOD_MAKING_H

#include "core/sized.h"
#include "method/method.h"

const char *copy_text(arena *a, const char *text);                          /* NULL: NULL  */
const double *copy_numbers(arena *a, const double *x, int count);           /* NULL: NULL  */

/* Copies a structure that was given (NULL: not) with its size.  If that is wrong, *method holds the
 * message. */
int method_given(keel_method **method, sized kind, void *to, const void *given, size_t size);
/* Copies `from` into *m with slices of the arena; called twice, see arena.h. */
typedef void method_layout(arena *a, keel_method *m, const void *from);
/* Gives *m its block.  0, or KEEL_NO_MEMORY with a message. */
int method_fill(keel_method *m, method_layout *layout, const void *from);
/* Leaves only the message. */
void method_discard(keel_method *m);

/* KEEL_BAD_ARGUMENT if a number is not finite; the message names its place. */
int check_matrix(message *m, const char *what, const double *A, int rows, int columns);
int check_vector(message *m, const char *what, const double *x, int count);

#endif
