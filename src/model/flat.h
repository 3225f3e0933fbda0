/* flat.h -- a model after reading: scalar variables, scalar equations, one pool of expressions.
 *
 * Components, arrays, for-equations, connections, if-equations, and conditions on parameters are gone.
 * An if-equation with a condition that changes at run time has become 0 = if c then l1 - r1 else
 * l2 - r2, row by row; an algorithm section has become equations for what it assigns; functions of
 * the user have been inserted where their loops end by themselves, others are calls.
 */
#ifndef KEEL_MODEL_FLAT_H
#define KEEL_MODEL_FLAT_H

#include "model/pool.h"
#include "model/source.h"

typedef enum flat_type { FLAT_REAL, FLAT_INTEGER, FLAT_BOOLEAN, FLAT_ENUMERATION } flat_type;

typedef enum flat_variability {
    FLAT_CONSTANT, FLAT_PARAMETER,
    FLAT_DISCRETE,                       /* changes at events: Integer, Boolean, enumeration,  */
                                         /* discrete Real, Real assigned in a when             */
    FLAT_CONTINUOUS
} flat_variability;

typedef enum flat_select { SELECT_NEVER, SELECT_AVOID, SELECT_DEFAULT, SELECT_PREFER, SELECT_ALWAYS }
    flat_select;

typedef struct flat_variable {
    const char *name;                    /* as the user writes it: arm.joint[2].phi            */
    const char *comment, *unit, *display_unit, *quantity;     /* "" if not given               */
    const char *const *literals;         /* FLAT_ENUMERATION: their names, from 1; else NULL   */
    int literal_count;
    span where;                          /* the name in its declaration                        */
    flat_type type;
    flat_variability variability;
    flat_select select;
    signed char fixed;                   /* 1, 0; -1: not given                                */
    unsigned char input, output;         /* of the model that is run                           */
    unsigned char hidden;                /* protected                                          */
    unsigned char structural;            /* parameter: sizes or conditions of reading depend on it */
    expr start, min, max, nominal;       /* 0: not given; they contain parameters only         */
    expr binding;                        /* constants, parameters: their value; 0: none.  Of    */
                                         /* others the declaration equation is in `equation`   */
} flat_variable;

typedef struct flat_equation {
    expr left, right;
    span where;
    const char *indices;                 /* "i = 3, j = 1" of the for-equations around; ""     */
    const char *from;                    /* the component that it stands in: "arm.joint[2]"; "" */
} flat_equation;

/* when c1 then ... elsewhen c2 then ... end when; of each chain the first branch that fires acts. */
typedef enum flat_action_kind { ACTION_ASSIGN, ACTION_REINIT, ACTION_ASSERT, ACTION_TERMINATE }
    flat_action_kind;

typedef struct flat_action {
    flat_action_kind kind;
    uint32_t variable;                   /* ASSIGN, REINIT                                     */
    expr value;                          /* the new value; ASSERT: the condition; TERMINATE:   */
                                         /* only if this holds, 0: always                      */
    int warning;                         /* ASSERT: only a warning                             */
    const char *text;                    /* ASSERT, TERMINATE: the message                     */
    span where;
} flat_action;

typedef struct flat_branch {
    expr fires;                          /* true at the instants at which it acts: EDGE(c),    */
                                         /* EDGE(c1) or EDGE(c2) for when {c1, c2}, SAMPLE, INITIAL */
    int action, actions;                 /* the first of them and how many                     */
    span where;
} flat_branch;

typedef struct flat_when { int branch, branches; } flat_when;

typedef struct flat_assert {             /* outside of when: holds at accepted points          */
    expr condition;
    int warning;
    const char *text;
    span where;
} flat_assert;

/* A function of the user that is called, not inserted.  0, or nonzero: cannot be evaluated there. */
typedef struct flat_function {
    const char *name;
    int inputs, outputs;                 /* scalars, arrays element by element                 */
    int (*evaluate)(const void *self, const double *in, double *out);
    const void *self;
    int derivative;                      /* function that the annotation names, or -1; its inputs */
                                         /* are the inputs, then their derivatives             */
} flat_function;

typedef struct flat_output { int function, output; } flat_output;     /* what b of EXPR_CALL counts */

typedef struct flat_experiment {         /* annotation(experiment(...)); NAN: not given        */
    double start, stop, interval, tolerance;
} flat_experiment;

typedef struct flat_model {
    const char *name, *comment;
    pool pool;
    flat_variable *variable;
    int variables;
    flat_equation *equation, *initial;   /* initial: initial equations and algorithms          */
    int equations, initials;
    flat_when *when;
    flat_branch *branch;
    flat_action *action;
    int whens, branches, actions;
    flat_assert *assertion;
    int assertions;
    flat_function *function;
    int functions;
    flat_output *called;
    int calls;
    flat_experiment experiment;
    void *own;                           /* texts and tables of the reader                     */
} flat_model;

typedef struct flat_override { const char *name, *value; } flat_override;  /* value as Modelica text */

/* Reads text number `text` of `s`, takes the class of that name (NULL: the last model that is not
 * partial) and makes it flat, with parameters and start values as overridden.  KEEL_OK,
 * KEEL_BAD_ARGUMENT (the messages of `s` say why) or KEEL_NO_MEMORY. */
int flat_read(flat_model **model, source *s, int text, const char *class_name,
              const flat_override *override, int overrides);
void flat_free(flat_model *model);

#endif
