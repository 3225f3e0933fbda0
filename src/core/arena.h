/* arena.h -- one block per object, laid out by a function that is run twice.
 *
 * Each part lists its buffers once, in xxx_layout(arena *, ...): with base NULL
 * the pass only measures, with a block it hands out slices, so size and
 * assignment cannot drift apart.
 *
 * The same pass lists what a checkpoint saves (tape.h): all buffers by themselves; of structures
 * with pointers, which ARENA_OBJECT takes, the fields that ARENA_KEEP and its like name.
 * docs/adding.md says how a new part is saved.
 */
#ifndef KEEL_CORE_ARENA_H
#define KEEL_CORE_ARENA_H

#include <stddef.h>

#include "core/tape.h"

typedef struct arena {
    char *base;
    size_t used;
    size_t listed;               /* up to here the list knows the block                    */
    tape_part *part;             /* the list; NULL: parts are only counted                 */
    int parts;
} arena;

static inline void *arena_take(arena *a, size_t count, size_t size)
{
    size_t align = 32, at = (a->used + align - 1) / align * align;
    a->used = at + count * size;
    return a->base ? (void *)(a->base + at) : NULL;
}

#define ARENA(a, type, count) ((type *)arena_take((a), (size_t)(count), sizeof(type)))

/* Several buffers of `count` entries each: ARENA_VECTORS(a, n, &x, &y). */
void arena_vectors(arena *a, size_t count, size_t buffers, double ***buffer);
void arena_integers(arena *a, size_t count, size_t buffers, int ***buffer);
#define ARENA_VECTORS(a, count, ...) \
    arena_vectors((a), (size_t)(count), sizeof(double **[]){__VA_ARGS__} / sizeof(double **), \
                  (double **[]){__VA_ARGS__})
#define ARENA_INTEGERS(a, count, ...) \
    arena_integers((a), (size_t)(count), sizeof(int **[]){__VA_ARGS__} / sizeof(int **), \
                   (int **[]){__VA_ARGS__})

/* The same for structures with pointers. */
void *arena_object(arena *a, size_t count, size_t size);
#define ARENA_OBJECT(a, type, count) ((type *)arena_object((a), (size_t)(count), sizeof(type)))

/* Lists a part outside the buffers of the block. */
void arena_list(arena *a, void *at, size_t bytes, tape_way *way);
/* Lists the buffers since the last object: at the end of the layout. */
void arena_list_buffers(arena *a);

/* Of a structure, the fields from `first` to `last`: numbers alone; ... */
#define ARENA_KEEP(a, object, first, last) ARENA_FIELDS(a, object, first, last, tape_pass)
/* ... pointers alone, to something inside the object, or NULL; ... */
#define ARENA_LINKS(a, object, first, last) ARENA_FIELDS(a, object, first, last, tape_links)
/* ... a field with a way of its own. */
#define ARENA_OWN(a, object, field, way) ARENA_FIELDS(a, object, field, field, way)
#define ARENA_FIELDS(a, object, first, last, way) \
    arena_list((a), &(object)->first, \
               (size_t)((char *)(&(object)->last + 1) - (char *)&(object)->first), way)

/* Zeroed block of that many bytes, aligned for ARENA; NULL without memory. */
void *arena_block(size_t bytes);
/* A block that begins with a copy of `object` and goes on with the buffers that its layout, which is run on
 * `object`, asks for; NULL without memory. */
void *arena_made(void *object, size_t bytes, void (*layout)(arena *a, void *object));
/* The same, but not zero. */
void *arena_block_unset(size_t bytes);
void arena_block_free(void *block);
/* Gives pages that were freed back to the system, where the C library can. */
void arena_trim(void);

#endif
