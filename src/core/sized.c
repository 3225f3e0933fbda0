#include "core/sized.h"

#include <string.h>

#include "keel/status.h"

/* Larger than any structure will ever become. */
enum { SIZE_MOST = 65536 };

int sized_check(message *m, sized what, size_t size)
{
    if (size >= what.least && size <= SIZE_MOST) return KEEL_OK;
    return fail(m, KEEL_BAD_ARGUMENT, "%zu bytes are not the size of a %s in any version of keel "
                "(at least %zu): give sizeof(%s)", size, what.name, what.least, what.name);
}

int sized_copy(message *m, sized what, void *to, const void *given, size_t size)
{
    if (size < what.least || size > SIZE_MOST) return sized_check(m, what, size);
    const char *bytes = given;
    for (size_t i = what.known; i < size; i++)
        if (bytes[i])
            return fail(m, KEEL_BAD_ARGUMENT, "this program was compiled for a newer keel than %s: "
                        "it sets fields of %s that this one does not know", keel_version(),
                        what.name);
    size_t known = size < what.known ? size : what.known;
    memcpy(to, given, known);
    if (known < what.whole) memset((char *)to + known, 0, what.whole - known);
    return KEEL_OK;
}

void sized_answer(void *to, size_t size, const void *answer, size_t whole)
{
    size_t known = size < whole ? size : whole;
    memcpy(to, answer, known);
    memset((char *)to + known, 0, size - known);
}
