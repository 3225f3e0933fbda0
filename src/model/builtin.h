/* builtin.h -- functions and operators that the language has (specification, sections 3.7, 10.3). */
#ifndef KEEL_MODEL_BUILTIN_H
#define KEEL_MODEL_BUILTIN_H

#include "model/reader.h"

typedef struct builtin_call {
    const context *c;
    const ast_expr *e;
    const value *arg;
    int args;
    int extra;                           /* of the row in the table                            */
} builtin_call;

typedef struct builtin {
    const char *name;
    value (*act)(const builtin_call *b);
    int least, most;                     /* arguments; -1: any number; lazy: not evaluated     */
    int extra;
    const char *named;                   /* names of the arguments, separated by blanks        */
} builtin;

enum { LAZY = -2 };                      /* most: the function evaluates its arguments itself  */

const builtin *builtin_find(const char *name);
value builtin_evaluate(const context *c, const ast_expr *e, const builtin *b);
const char **builtin_names(reader *r, int *count);
extern const builtin builtin_arrays[];
extern const int builtin_array_count;
/* x[i, :] ... as a matrix of at least that rank: dimensions of size 1 are appended. */
value array_promoted(const context *c, const value *v, int rank);
value array_concatenated(const context *c, span where, int along, const value *v, int count);

#endif
