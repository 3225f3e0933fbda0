/* tape.h -- an object's memory on its way out or in: one list of parts serves both.
 *
 * A way passes one part: tape_pass its bytes, tape_links pointers into the object itself, which
 * become offsets; parts that own something else have ways of their own.  The tape measures, writes
 * or reads, so that what is written and what is read cannot drift apart.
 */
#ifndef KEEL_CORE_TAPE_H
#define KEEL_CORE_TAPE_H

#include <stddef.h>

/* Memory that links may lead to. */
typedef struct tape_region { const void *base; size_t bytes; } tape_region;

typedef struct tape {
    char *bytes;                 /* NULL: only measured                                    */
    size_t at, size;             /* size: of what is read                                  */
    int loading;
    int status;                  /* KEEL_OK, or why no part after the present one is passed */
    const tape_region *region;
    int regions;
} tape;

typedef void tape_way(tape *t, void *at, size_t bytes);

/* One part of an object. */
typedef struct tape_part {
    void *at;
    size_t bytes;
    tape_way *way;
} tape_part;

tape_way tape_pass, tape_links;

#define TAPE(t, lvalue) tape_pass((t), &(lvalue), sizeof(lvalue))

/* FNV-1a [Fowler, Noll & Vo], from the hash of what came before, first CHECKSUM_BEGIN: every step
 * is a bijection, so that no change of a single byte goes unnoticed. */
#define CHECKSUM_BEGIN 14695981039346656037ull
unsigned long long checksum(unsigned long long before, const void *data, size_t bytes);

#endif
