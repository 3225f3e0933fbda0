#include "model/equations.h"
void connect_translate(const context *c, const ast_equation *e) { complain(c, e->where, "not supported yet"); }
void connect_finish(reader *r) { (void)r; }
void algorithm_translate(const context *c, const ast_section *s) { (void)s; complain(c, c->lexical->where, "not supported yet"); }
value function_call(const context *c, const ast_expr *e, const ast_class *function, int outputs) { (void)function; (void)outputs; return complain(c, e->where, "not supported yet"); }
