/* derivative.h -- derivatives of expressions: by time, and by all unknowns at once. */
#ifndef KEEL_MODEL_DERIVATIVE_H
#define KEEL_MODEL_DERIVATIVE_H

#include "model/calls.h"
#include "model/graph.h"

/* Which variables have derivatives: one byte per variable, those beyond `variables` have none. */
typedef struct derivation {
    pool *pool;
    calls *calls;
    const unsigned char *varies;
    uint32_t variables;
    walk walk;
    expr *rate;                          /* memo of derivatives by time */
    uint32_t rates;
    struct gradient *kept;               /* memo of gradients of branches */
    int keep_count, keep_room;
} derivation;

void derivation_open(derivation *d, pool *p, calls *c, const unsigned char *varies,
                     uint32_t variables);
void derivation_free(derivation *d);

/* d/dt e; 0 without memory. */
expr derivative_by_time(derivation *d, expr e);

/* de / dx for all leaves x of e that `varies` names, each (variable, derivative) once. */
typedef struct gradient {
    expr of;
    expr *leaf, *value;
    int count, room;
} gradient;

/* 0, or -1 without memory.  Entries that vanish identically are left out. */
int derivative_gradient(derivation *d, expr e, gradient *g);
void gradient_free(gradient *g);

#endif
