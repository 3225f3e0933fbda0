/* evaluation.h -- the tapes of a model and the registers that they run on.
 *
 * All tapes have the same inputs: t, y, z, modes and values of the frame, the same before the event
 * that is handled, and whether it is the initial one.  A problem serves many solvers in any threads: a
 * workspace is taken for one evaluation and given back.
 */
#ifndef KEEL_MODEL_EVALUATION_H
#define KEEL_MODEL_EVALUATION_H

#include <stdatomic.h>

#include "model/discrete.h"
#include "model/levels.h"
#include "model/tape.h"

enum { WORKSPACES = 16 };

typedef struct workspace {
    atomic_flag busy;
    atomic_int made;
    double **registers;                  /* per tape                                            */
    double *block;
    double *square;                      /* solved x solved, and solved: for what is solved     */
    int *pivot;
} workspace;

typedef struct model_point model_point;

typedef struct evaluation {
    int differential, algebraic, modes, values, inputs;
    int y_at, z_at, mode_at, value_at, pre_mode_at, pre_value_at, initial_at;
    const model_system *system;
    const levels *levels;
    const discrete *discrete;
    const pool *pool;
    eval_tape **tape;
    expr **output;                       /* per tape: what it computes                          */
    int *outputs;
    void (**native)(const double *x, double *r); /* per tape: the same compiled, or NULL          */
    int tapes, room;
    unsigned char *needs;                /* per tape: 1, it contains what is solved [levels.h]  */
    int **gather;                        /* per tape: its inputs, of all there are, ended by -1;  */
                                         /* NULL: all of them                                   */
    int touched;
    walk walk;
    void (*solve)(void *owner, workspace *w, const model_point *p, double *solved);
    void *owner;
    workspace space[WORKSPACES];
} evaluation;

/* What an evaluation sees. */
struct model_point {
    double t;
    const double *y, *z;
    const int *modes, *pre_modes;
    const double *values, *pre_values;
    int initial;
};

void evaluation_open(evaluation *e, const model_system *s, const levels *l, const discrete *d);
void evaluation_free(evaluation *e);
/* Adds a tape; its number, or -1 without memory, -2: something in it is not known. */
int evaluation_add(evaluation *e, const expr *output, int outputs);
/* The same for one result, with registers only for the inputs that it needs: there may be many such. */
int evaluation_add_one(evaluation *e, expr output);
/* Runs one of these on an array of all inputs. */
double evaluation_run_one(const evaluation *e, workspace *w, int tape, const double *inputs);
/* Registers for all tapes: after the last was added.  0, or -1 without memory. */
int evaluation_complete(evaluation *e);

/* NULL without memory. */
workspace *evaluation_take(evaluation *e);
void evaluation_give(evaluation *e, workspace *w);
/* Runs a tape; its results, valid until the workspace is given back or the tape runs again. */
double *evaluation_run(evaluation *e, workspace *w, int tape, const model_point *p);
/* The same in two parts: time and discrete state are filled in, unknowns are left to the caller. */
double *evaluation_frame(const evaluation *e, workspace *w, int tape, const model_point *p);
double *evaluation_execute(const evaluation *e, int tape, double *registers);
/* Unknowns of the point into the registers; with what is solved, if wanted. */
void evaluation_unknowns(const evaluation *e, workspace *w, const model_point *p, int with_solved,
                         double *registers);

/* Input register of a leaf, as tape_leaf. */
int evaluation_leaf(void *context, const expr_node *n, double *value);

#endif
