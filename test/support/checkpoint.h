/* checkpoint.h -- where tests put their checkpoints, and whether two solvers remember the same. */
#ifndef KEEL_TEST_SUPPORT_CHECKPOINT_H
#define KEEL_TEST_SUPPORT_CHECKPOINT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "integrate/integrator.h"

/* In memory where there is such a directory: tests write thousands of files. */
static inline const char *checkpoint_path(void)
{
    static char path[100];
    const char *directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, sizeof path, "%s/keel_test_%ld.checkpoint", directory, (long)getpid());
    return path;
}

/* Does the word look like an address?  Then it is counted from the memory that it leads to. */
static inline int read_address(const keel_solver *s, uint64_t word, uint64_t *offset)
{
    uint64_t block = (uint64_t)(uintptr_t)s->block, self = (uint64_t)(uintptr_t)s;
    if (word < 1u << 16 || word >> 47) return 0;
    *offset = 0;
    if (word >= block && word <= block + s->block_bytes) *offset = 1 + word - block;
    else if (word >= self && word < self + sizeof *s) *offset = 1 + word - self;
    return 1;
}

/* The first place, in bytes, where the memory of two solvers differs in something else than where it
 * lies; -1: nowhere. */
static inline long memory_differs(const keel_solver *a, const void *memory_a, const keel_solver *b,
                                  const void *memory_b, size_t bytes)
{
    for (size_t k = 0; k + sizeof(uint64_t) <= bytes; k += sizeof(uint64_t)) {
        uint64_t x, y, from_a, from_b;
        memcpy(&x, (const char *)memory_a + k, sizeof x);
        memcpy(&y, (const char *)memory_b + k, sizeof y);
        if (x == y) continue;
        if (!read_address(a, x, &from_a) || !read_address(b, y, &from_b)) return (long)k;
        int outside = !from_a || !from_b;        /* shared with others, or text of a fault */
        if (from_a != from_b && !outside) return (long)k;
    }
    return -1;
}

/* Of the blocks but for the list at their end, and of the solvers but for message and note. */
static inline long solvers_differ(const keel_solver *a, keel_solver *b)
{
    if (a->block_bytes != b->block_bytes || a->part_count != b->part_count) return 0;
    b->message = a->message;
    b->note = a->note;
    b->note_size = a->note_size;
    size_t bytes = (size_t)((const char *)a->parts - (const char *)a->block);
    long at = memory_differs(a, a->block, b, b->block, bytes);
    long own = memory_differs(a, a, b, b, sizeof *a);
    b->note = NULL;
    b->note_size = 0;
    return at >= 0 ? at : own >= 0 ? -1000000 - own : -1;
}

#endif
