/* equations.h -- sections of a class to rows of the flat model. */
#ifndef KEEL_MODEL_EQUATIONS_H
#define KEEL_MODEL_EQUATIONS_H

#include "model/reader.h"

/* Where equations are put: the model, or a branch of an if-equation. */
typedef struct rows {
    flat_equation *row;
    int count, room;
    int initial;                         /* of an initial section                              */
    expr guard;                          /* a branch: assertions hold only if this is true; 0  */
    int branch;                          /* a branch of an if-equation that is decided in the run */
} rows;

void equations_of(reader *r, instance *i);                /* of an instance and all its members */
void equation_translate(const context *c, const ast_equation *e, rows *to);
void equations_body(const context *c, ast_equation *const *body, int count, rows *to);
/* left = right, element by element. */
void equation_add(const context *c, span where, const value *left, const value *right, rows *to);
/* Which branches matter: conditions before the run decide.  Those left over, from first on; -1: none
 * holds.  *decided: the first of them is the one that counts. */
int branches_decide(const context *c, const ast_equation *e, int from, int *decided);
/* assert(condition, text, level) */
int assertion_read(const context *c, const ast_expr *e, flat_assert *a);
void assertion_add(const context *c, const ast_expr *e, expr guard);
const char *indices_words(reader *r, const loop *loops);

/* when.c */
void when_translate(const context *c, const ast_equation *e);
/* connect.c */
void connect_translate(const context *c, const ast_equation *e);
void connect_finish(reader *r);
/* algorithm.c */
void algorithm_translate(const context *c, const ast_section *s);
/* function.c: (a, b) = f(x) */
value function_call(const context *c, const ast_expr *e, const ast_class *function, int outputs);

#endif
