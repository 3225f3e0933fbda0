/* when.h -- what when-equations and when-statements share. */
#ifndef KEEL_MODEL_WHEN_H
#define KEEL_MODEL_WHEN_H

#include "model/equations.h"

typedef struct actions { flat_action *item; int count, room; } actions;

expr when_condition(const context *c, const ast_expr *e);       /* when it fires; 0: said */
/* left = right as actions. */
void when_assign(const context *c, span where, const value *left, const value *right, actions *to);
/* reinit, terminate, assert; 0: it is none of them. */
int when_call(const context *c, const ast_expr *e, actions *to);
void action_put(reader *r, actions *to, flat_action a);
/* Those from `from` on happen only if the condition holds; 0: always. */
void actions_guard(reader *r, actions *a, int from, expr condition);
/* A new when of the model, and its branches one after the other. */
void when_open(reader *r);
void when_branch(reader *r, expr fires, span where, const actions *a);

#endif
