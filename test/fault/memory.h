/* memory.h -- malloc and its relatives, of the whole process: of the C library, LAPACKE, KLU and the
 * others as of keel.  The k-th call inside a region fails, alone or with all that follow.
 *
 * glibc lets a program define them and has its own under other names; elsewhere, and under
 * sanitizers, which have theirs, nothing fails and tests are skipped.
 */
#ifndef KEEL_TEST_FAULT_MEMORY_H
#define KEEL_TEST_FAULT_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static volatile int memory_watched;
static volatile long memory_calls, memory_fails_at;      /* 0: none fails */
static volatile int memory_fails_on;     /* all later ones fail, too */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { MEMORY_CAN_FAIL = 1 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static inline int memory_refused(void)
{
    if (!memory_watched) return 0;
    long call = ++memory_calls;
    int refused = memory_fails_at && (call == memory_fails_at ||
                                      (memory_fails_on && call > memory_fails_at));
    if (refused) errno = ENOMEM;
    return refused;
}

void *malloc(size_t size) { return memory_refused() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size)
{
    return memory_refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return memory_refused() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memory_refused() ? NULL : __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = aligned_alloc(alignment, size);
    return *block ? 0 : ENOMEM;
}
#else
enum { MEMORY_CAN_FAIL = 0 };
#endif

/* Regions begin with memory_watch(k, on) and end with memory_leave(), which returns the calls. */
static inline void memory_watch(long fails_at, int fails_on)
{
    memory_calls = 0;
    memory_fails_at = fails_at;
    memory_fails_on = fails_on;
    memory_watched = 1;
}

static inline long memory_leave(void)
{
    memory_watched = 0;
    return memory_calls;
}

#endif
