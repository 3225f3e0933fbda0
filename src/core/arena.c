/* arena.c -- the block behind an arena, and the list of its parts. */
#include "core/arena.h"

#include <stdlib.h>
#include <string.h>

static size_t rounded(size_t bytes) { return (bytes + 63) / 32 * 32; }

void *arena_block_unset(size_t bytes) { return aligned_alloc(32, rounded(bytes)); }

void *arena_block(size_t bytes)
{
    void *block = arena_block_unset(bytes);
    return block ? memset(block, 0, rounded(bytes)) : NULL;
}

void arena_block_free(void *block)
{
    free(block);
}

void arena_list(arena *a, void *at, size_t bytes, tape_way *way)
{
    if (a->part) a->part[a->parts] = (tape_part){at, bytes, way};
    a->parts++;
}

void arena_list_buffers(arena *a)
{
    if (a->used > a->listed)
        arena_list(a, a->base ? a->base + a->listed : NULL, a->used - a->listed, tape_pass);
    a->listed = a->used;
}

void *arena_object(arena *a, size_t count, size_t size)
{
    arena_list_buffers(a);
    void *object = arena_take(a, count, size);
    a->listed = a->used;
    return object;
}
