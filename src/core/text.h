/* text.h -- text that others gave (names of unknowns, of rows, of methods), fit to be shown.
 *
 * Control characters would break lines, tables and terminals.  They are shown as in C: \n, \t,
 * \x1b; the ones of Latin-1, U+0080 to U+009F, as \x80 to \x9f.  All other bytes stay, UTF-8 with
 * them.
 */
#ifndef KEEL_CORE_TEXT_H
#define KEEL_CORE_TEXT_H

#include <stddef.h>

/* Writes at most size - 1 bytes and a 0, no half escapes; `to` may be NULL with size 0.  Returns
 * the length of the whole. */
size_t text_show(char *to, size_t size, const char *from);
/* Adds to a text in a buffer of that size, as far as there is room; numbers as in number.h. */
__attribute__((format(printf, 3, 4)))
void text_append(char *text, size_t size, const char *format, ...);

#endif
