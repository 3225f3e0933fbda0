/* test_callbacks_slow.c -- the sweep of test_callbacks.c over every single call. */
#define SPARSE_FROM 1000000000
#include "test/fault/test_callbacks.c"
