/* arena.c -- the block behind an arena, and the list of its parts. */
#include "core/arena.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

enum { ALIGNMENT = 32 };

/* The first aligned address with room before it, where the one that was given is kept. */
static void *aligned(char *given)
{
    if (!given) return NULL;
    size_t room = sizeof(void *) + ALIGNMENT - 1;
    char *block = given + room - (uintptr_t)(given + room) % ALIGNMENT;
    memcpy(block - sizeof given, &given, sizeof given);
    return block;
}

void *arena_block_unset(size_t bytes)
{
    return aligned(malloc(bytes + 2 * ALIGNMENT));
}

/* By calloc: of a large block, pages that are never used take no memory. */
void *arena_block(size_t bytes)
{
    return aligned(calloc(1, bytes + 2 * ALIGNMENT));
}

void arena_block_free(void *block)
{
    char *given;
    if (!block) return;
    memcpy(&given, (char *)block - sizeof given, sizeof given);
    free(given);
}

void arena_vectors(arena *a, size_t count, size_t buffers, double ***buffer)
{
    for (size_t k = 0; k < buffers; k++) *buffer[k] = ARENA(a, double, count);
}

void arena_integers(arena *a, size_t count, size_t buffers, int ***buffer)
{
    for (size_t k = 0; k < buffers; k++) *buffer[k] = ARENA(a, int, count);
}

void *arena_made(void *object, size_t bytes, void (*layout)(arena *a, void *object))
{
    arena measure = {.used = bytes};
    layout(&measure, object);
    arena block = {.base = arena_block(measure.used), .used = bytes};
    if (!block.base) return NULL;
    layout(&block, object);
    return memcpy(block.base, object, bytes);
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

void arena_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
