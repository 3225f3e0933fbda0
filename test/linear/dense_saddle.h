/* dense_saddle.h -- a dense saddle in a block of its own, which saddle_free frees. */
#ifndef KEEL_TEST_LINEAR_DENSE_SADDLE_H
#define KEEL_TEST_LINEAR_DENSE_SADDLE_H

#include "linear/linear.h"

static inline int saddle_create(saddle **out, int n, int m)
{
    arena measure = {0};
    (void)saddle_layout(&measure, n, m);
    arena block = {.base = arena_block(measure.used)};
    *out = block.base ? saddle_layout(&block, n, m) : NULL;
    return *out ? KEEL_OK : KEEL_NO_MEMORY;
}

#endif
