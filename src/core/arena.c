/* arena.c -- the block behind an arena. */
#include "core/arena.h"

#include <stdlib.h>
#include <string.h>

void *arena_block(size_t bytes)
{
    size_t rounded = (bytes + 63) / 32 * 32;
    void *block = aligned_alloc(32, rounded);
    return block ? memset(block, 0, rounded) : NULL;
}

void arena_block_free(void *block)
{
    free(block);
}
