/* execute.h -- statements executed on expressions instead of numbers.
 *
 * A variable holds an expression; an if-statement with a condition that is known in the run only
 * executes both branches and joins what they assign.  Loops must end by themselves; where they do
 * not, EXECUTE_CALL says that the function has to be called in the run.
 */
#ifndef KEEL_MODEL_EXECUTE_H
#define KEEL_MODEL_EXECUTE_H

#include "model/when.h"

typedef enum executed { EXECUTE_ON, EXECUTE_BREAK, EXECUTE_RETURN, EXECUTE_FAILED, EXECUTE_CALL } executed;

/* Of a variable: by how many when-statements and other statements it is assigned. */
typedef struct assignments { unsigned short when, plain; unsigned char start; } assignments;

executed execute_all(const context *c, ast_equation *const *body, int count);
/* In an algorithm of a model: the values of its first execution are thrown away. */
void execute_set(reader *r, expr *at, expr e);
void execute_when(const context *c, const ast_equation *e);

/* function.c */
value function_apply(const context *c, span where, const ast_class *f, const value *arg, int args, int outputs);
int function_inputs(reader *r, const ast_class *f, const ast_component ***input);
/* Declares the variables of the function with its arguments; 0, or -1: said. */
int function_frame(const context *c, frame *f, const value *arg, span where);
/* Arguments with the defaults of those that are not given. */
int function_complete(const context *c, span where, const ast_class *f, const value *arg, int args, value *all);
const record *record_of_class(reader *r, const ast_class *c);
/* instance.c */
typedef struct component_type {          /* of a declaration, outside of any instance          */
    value_type type;                     /* kind 0: class_ says what it is                     */
    const ast_class *class_;
    const ast_expr **dimension;
    const ast_class **where;             /* the classes that the dimensions stand in           */
    int dimensions, unit;
} component_type;
const component_type *component_resolve(reader *r, const ast_component *k);   /* NULL: said */
instance *instance_ghost(reader *r, const ast_class *c);
/* compute.c */
value compute_call(const context *c, span where, const ast_class *f, const value *arg, int args, int outputs);
void compute_free(reader *r);

#endif
