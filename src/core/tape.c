/* tape.c -- see tape.h. */
#include "core/tape.h"

#include <stdint.h>
#include <string.h>

#include "keel/status.h"

void tape_pass(tape *t, void *data, size_t bytes)
{
    if (t->status || bytes == 0) return;
    if (t->loading && bytes > t->size - t->at) {
        t->status = KEEL_BAD_ARGUMENT;           /* the tape ends too early */
        return;
    }
    if (t->loading) memcpy(data, t->bytes + t->at, bytes);
    else if (t->bytes) memcpy(t->bytes + t->at, data, bytes);
    t->at += bytes;
}

typedef struct link { int32_t region, known; uint64_t offset; } link;    /* region -1: NULL */

static link link_of(tape *t, const char *target)
{
    for (int k = 0; k < t->regions && target; k++) {
        const char *base = t->region[k].base;
        if (target >= base && target < base + t->region[k].bytes)
            return (link){.region = k, .known = 1, .offset = (uint64_t)(target - base)};
    }
    return (link){.region = -1, .known = !target};
}

static char *target_of(const tape *t, const link *l)
{
    if (l->region < 0 || l->region >= t->regions || l->offset >= t->region[l->region].bytes)
        return NULL;
    return (char *)t->region[l->region].base + l->offset;
}

void tape_links(tape *t, void *pointers, size_t bytes)
{
    char *at = pointers, *target;
    for (size_t done = 0; done < bytes && !t->status; done += sizeof target) {
        memcpy(&target, at + done, sizeof target);
        link l = link_of(t, target);
        if (!t->loading && !l.known) t->status = KEEL_UNSUPPORTED;
        TAPE(t, l);
        target = target_of(t, &l);
        if (t->loading && !t->status) memcpy(at + done, &target, sizeof target);
    }
}

unsigned long long checksum(unsigned long long hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t k = 0; k < bytes; k++) hash = (hash ^ at[k]) * 1099511628211ull;
    return hash;
}
