/* shown.h -- a copy of a text with its control characters escaped (core/text.h). */
#ifndef KEEL_REPORT_SHOWN_H
#define KEEL_REPORT_SHOWN_H

#include <stdlib.h>

#include "core/text.h"

/* To be freed; NULL without memory. */
static inline char *shown_text(const char *text)
{
    const size_t size = text_show(NULL, 0, text) + 1;
    char *shown = malloc(size);
    if (shown) text_show(shown, size, text);
    return shown;
}

#endif
