/* calls.h -- functions that expressions call: those of the model, and derivatives of these.
 *
 * The derivative of a call is a call of the derivative: f'(x, dx), with as many inputs again.  The
 * model may name it (annotation derivative); else it is formed by differences along dx, of the fourth
 * order, with a step that balances truncation and rounding errors.
 */
#ifndef KEEL_MODEL_CALLS_H
#define KEEL_MODEL_CALLS_H

#include "model/flat.h"

typedef struct call_function {
    const char *name;
    int inputs, outputs;
    int (*evaluate)(const void *self, const double *in, double *out);   /* NULL: differences */
    const void *self;
    int derivative;                      /* -1: not made yet                                    */
    int of;                              /* differences: the function that they are of, else -1 */
} call_function;

typedef struct calls {
    call_function *function;
    int functions, function_room;
    flat_output *called;                 /* what b of EXPR_CALL counts                          */
    int outputs, output_room;
    char **name;                         /* those made here                                     */
    int names;
} calls;

int calls_open(calls *c, const flat_model *model);       /* 0, or -1 without memory */
void calls_free(calls *c);
/* The output of the derivative that belongs to output number `called`; -1 without memory. */
int calls_derivative(calls *c, int called);
/* Inputs and outputs of the largest function. */
void calls_largest(const calls *c, int *inputs, int *outputs);
/* 0, or nonzero: cannot be evaluated.  work: 2 inputs + 4 outputs of the largest. */
int calls_evaluate(const calls *c, int function, const double *in, double *out, double *work);

#endif
