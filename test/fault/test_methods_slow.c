/* test_methods_slow.c -- the sweep of test_methods.c over more calls. */
#define THOROUGH 1
#define SPARSE_FROM 4
#define PERSISTING_FROM 2
#include "test/fault/test_methods.c"
