/* region.c -- see region.h. */
#include "model/region.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { BLOCK = 1 << 16, ALIGN = 16 };

struct region_block { region_block *before; size_t size; };

static char *start(region_block *b)
{
    return (char *)b + (sizeof *b + ALIGN - 1) / ALIGN * ALIGN;
}

static void add_block(region *r, size_t bytes)
{
    size_t size = bytes > BLOCK ? bytes : BLOCK;
    if (size > r->most - (r->total < r->most ? r->total : r->most)) longjmp(*r->stop, REGION_MOST);
    region_block *b = malloc(size + sizeof *b + ALIGN);
    if (!b) longjmp(*r->stop, REGION_FULL);
    *b = (region_block){r->last, size};
    r->last = b;
    r->used = 0;
    r->total += size;
}

void *region_take(region *r, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size) longjmp(*r->stop, REGION_MOST);
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!r->last || r->last->size - r->used < bytes) add_block(r, bytes);
    char *at = start(r->last) + r->used;
    r->used += bytes;
    memset(at, 0, bytes);
    return at;
}

char *region_text(region *r, const char *from, size_t length)
{
    char *to = region_take(r, length + 1, 1);
    if (length) memcpy(to, from, length);
    return to;
}

const char *region_print(region *r, const char *format, ...)
{
    char room[1200];
    va_list values;
    va_start(values, format);
    number_print_list(room, sizeof room, format, values);
    va_end(values);
    return region_text(r, room, strlen(room));
}

void *region_grow(region *r, void *array, int count, int *room, size_t size)
{
    if (count < *room) return array;
    int more = *room ? *room < INT32_MAX / 2 ? 2 * *room : INT32_MAX : 8;
    if (more <= count) longjmp(*r->stop, REGION_MOST);
    void *to = region_take(r, (size_t)more, size);
    if (count) memcpy(to, array, (size_t)count * size);
    *room = more;
    return to;
}

region_mark region_now(const region *r) { return (region_mark){r->last, r->used}; }

void region_back(region *r, region_mark mark)
{
    while (r->last != mark.block) {
        region_block *gone = r->last;
        r->last = gone->before;
        r->total -= gone->size;
        free(gone);
    }
    r->used = mark.used;
}

void region_free(region *r) { region_back(r, (region_mark){NULL, 0}); }
