/* arena.h -- one block per object, laid out by a function that is run twice.
 *
 * Each part lists its buffers once, in xxx_layout(arena *, ...): with base NULL
 * the pass only measures, with a block it hands out slices, so size and
 * assignment cannot drift apart.
 */
#ifndef KEEL_CORE_ARENA_H
#define KEEL_CORE_ARENA_H

#include <stddef.h>

typedef struct arena { char *base; size_t used; } arena;

static inline void *arena_take(arena *a, size_t count, size_t size)
{
    size_t align = 32, at = (a->used + align - 1) / align * align;
    a->used = at + count * size;
    return a->base ? (void *)(a->base + at) : NULL;
}

#define ARENA(a, type, count) ((type *)arena_take((a), (size_t)(count), sizeof(type)))

/* Zeroed block of that many bytes, aligned for ARENA; NULL without memory. */
void *arena_block(size_t bytes);
void arena_block_free(void *block);

#endif
