/* region.h -- memory of the reader: taken piece by piece, given back all at once.
 *
 * A reader makes thousands of small objects that live as long as the model.  What it cannot have
 * ends the reading by a jump to `stop`, so that no caller has to look at NULL.  REGION_FULL: there
 * is no memory; REGION_MOST: more than `most` bytes were asked for.
 */
#ifndef KEEL_MODEL_REGION_H
#define KEEL_MODEL_REGION_H

#include <setjmp.h>
#include <stddef.h>

enum { REGION_FULL = 1, REGION_MOST = 2 };

typedef struct region_block region_block;

typedef struct region {
    region_block *last;
    size_t used;                         /* of the last block                                  */
    size_t total, most;                  /* bytes of all blocks                                */
    jmp_buf *stop;
} region;

typedef struct region_mark { region_block *block; size_t used; } region_mark;

void *region_take(region *r, size_t count, size_t size);             /* zeroed, never NULL     */
#define TAKE(r, type, count) ((type *)region_take((r), (size_t)(count), sizeof(type)))
char *region_text(region *r, const char *from, size_t length);
__attribute__((format(printf, 2, 3)))
const char *region_print(region *r, const char *format, ...);
/* Room for one more element: the array, or a copy of it with twice the room. */
void *region_grow(region *r, void *array, int count, int *room, size_t size);
#define GROW(r, array, count, room) \
    ((array) = region_grow((r), (array), (count), &(room), sizeof *(array)))

region_mark region_now(const region *r);
void region_back(region *r, region_mark mark);                       /* forgets what came after */
void region_free(region *r);

#endif
