#include "core/text.h"

#include <stdarg.h>
#include <string.h>

#include "core/number.h"

/* The escape of the character at `from`, which takes *bytes, or "": it is shown as it is. */
static const char *escape(const unsigned char *from, size_t *bytes, char room[5])
{
    static const char control[] = "\a\b\t\n\v\f\r", letter[] = "abtnvfr";
    static const char hex[] = "0123456789abcdef";
    int latin = from[0] == 0xc2 && from[1] >= 0x80 && from[1] <= 0x9f;
    unsigned char c = latin ? from[1] : from[0];
    *bytes = latin ? 2 : 1;
    if (!latin && c >= 0x20 && c != 0x7f) return "";
    const char *known = latin ? NULL : strchr(control, c);
    room[0] = '\\';
    room[1] = known ? letter[known - control] : 'x';
    room[2] = known ? '\0' : hex[c >> 4];
    room[3] = hex[c & 15];
    room[4] = '\0';
    return room;
}

/* How many of the first bytes are ASCII and shown as they are. */
static size_t plain_bytes(const char *from)
{
    size_t count = 0;
    while ((unsigned char)(from[count] - 0x20) < 0x7f - 0x20) count++;
    return count;
}

size_t text_show(char *to, size_t size, const char *from)
{
    size_t length = plain_bytes(from), bytes, used = length < size ? length : 0;
    int full = size == 0;
    if (used) memcpy(to, from, used);
    else length = 0;
    for (const char *at = from + used; *at; at += bytes) {
        char room[5];
        const char *shown = escape((const unsigned char *)at, &bytes, room);
        size_t count = *shown ? strlen(shown) : bytes;
        length += count;
        full |= used + count >= size;
        if (full) continue;
        memcpy(to + used, *shown ? shown : at, count);
        used += count;
    }
    if (size) to[used] = '\0';
    return length;
}

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list values;
    va_start(values, format);
    if (length + 1 < size) number_print_list(text + length, size - length, format, values);
    va_end(values);
}
