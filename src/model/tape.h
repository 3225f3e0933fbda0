/* tape.h -- expressions as a list of instructions over an array of numbers.
 *
 * Registers: inputs, which the caller fills in before each run; constants, which tape_prepare fills in
 * once; outputs, where the results are afterwards; and what lies between.  A tape never changes:
 * everyone who runs it has registers of his own.
 */
#ifndef KEEL_MODEL_TAPE_H
#define KEEL_MODEL_TAPE_H

#include "model/calls.h"
#include "model/graph.h"

typedef struct eval_tape eval_tape;

enum { TAPE_CONSTANT = -1, TAPE_UNKNOWN = -2 };

/* What a leaf is: the number of an input, TAPE_CONSTANT with its value, or TAPE_UNKNOWN. */
typedef int tape_leaf(void *context, const expr_node *n, double *value);

typedef struct tape_spec {
    const pool *pool;
    const calls *calls;                  /* borrowed                                            */
    int inputs;
    tape_leaf *leaf;
    void *context;
    const expr *output;
    int outputs;
    walk *walk;                          /* borrowed, for many small tapes; NULL: one of its own  */
} tape_spec;

/* 0; -1 without memory; 1: a leaf is unknown. */
int tape_compile(eval_tape **tape, const tape_spec *spec);
void tape_free(eval_tape *tape);

int tape_registers(const eval_tape *tape);
int tape_outputs_at(const eval_tape *tape);              /* register of the first output */
long tape_instructions(const eval_tape *tape);
void tape_prepare(const eval_tape *tape, double *registers);
void tape_run(const eval_tape *tape, double *registers);

#endif
