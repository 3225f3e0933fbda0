/* file.h -- a method file that has been read: the keys and what was given for them. */
#ifndef KEEL_METHOD_FILE_H
#define KEEL_METHOD_FILE_H

#include "method/method.h"

enum { FILE_VALUES_MOST = 4 * KEEL_STAGES_MOST * KEEL_STAGES_MOST };

typedef enum key {
    NAME, FAMILY, SUMMARY, CITATION,
    ORDER, STAGE_ORDER, ORDER_HAT, ORDER_INDEX2, DENSE_ORDER, HALF_EXPLICIT, BLOCKING,
    MATRIX_A, A_EXPLICIT, A_EXTRA, A_CONSTRAINT, DENSE, DENSE_REST, CORNER,
    MATRIX_U, MATRIX_B, MATRIX_V, MATRIX_W,
    WEIGHTS, NODES, B_HAT, B_SECOND, C_EXTRA, C_CONSTRAINT, ALPHA, BETA, GAMMA, KEYS
} key;

extern const char *const key_names[KEYS];

typedef struct entry {
    int line;                        /* 0: not given                        */
    const char *text;
    int number;
    int rows, columns, count;        /* of a vector: one column             */
    double values[FILE_VALUES_MOST];
} entry;

typedef struct reader {
    message *message;
    const char *file;
    char *text;                      /* the whole file, cut into lines      */
    char *shown[CITATION + 1];       /* texts, their control characters escaped */
    int line;
    key open;                        /* whose numbers go on, or KEYS        */
    entry entries[KEYS];
} reader;

static inline int is_matrix(key k) { return k >= MATRIX_A && k <= MATRIX_W; }

/* "FILE:LINE: ..." */
#define COMPLAIN(r, at, format, ...)                                                          \
    fail((r)->message, KEEL_BAD_ARGUMENT, "%s:%d: " format, (r)->file, (at), __VA_ARGS__)

/* file_methods.c: replaces *method, which holds only a message, by the method of the file. */
int file_make(const reader *r, keel_method **method);

#endif
