/* shapes.h -- expressions that are the same but for the inputs and constants they begin with.
 *
 * The program of an expression lists its nodes, operands first, by local numbers; an input that occurs
 * several times is listed once.  Two expressions have one shape if their programs are equal.
 */
#ifndef KEEL_MODEL_SHAPES_H
#define KEEL_MODEL_SHAPES_H

#include "model/tape.h"

enum { SHAPE_INPUT = EXPR_OPS, SHAPE_CONSTANT };

typedef struct shape_step {
    uint32_t op;                         /* expr_op, or one of the above: then a counts them    */
    uint32_t a, b, c;                    /* local numbers of operands; EXPR_IF: condition, then, else */
    int known;                           /* EXPR_POWER: the exponent is a constant, ...         */
    double exponent;                     /* ... this one, which belongs to the shape            */
} shape_step;

typedef struct shape_group {
    int first, count;                    /* members                                             */
    int step, length;                    /* the program                                         */
    int inputs, constants;               /* per member                                          */
} shape_group;

typedef struct shape_member {
    int output;
    int input, constant;                 /* places of its first ones                            */
} shape_member;

typedef struct shapes {
    shape_group *group;
    int groups;
    shape_member *member;
    shape_step *steps;
    int *input;
    double *constant;
} shapes;

/* Groups of at least `least` outputs.  0; -1 without memory. */
int shapes_find(shapes *s, const tape_spec *spec, int least);
void shapes_free(shapes *s);

static inline const shape_step *shape_steps(const shapes *s, const shape_group *g) { return s->steps + g->step; }
static inline int shape_output(const shapes *s, const shape_group *g, int k) { return s->member[g->first + k].output; }
static inline const int *shape_inputs(const shapes *s, const shape_group *g, int k)
{
    return s->input + s->member[g->first + k].input;
}
static inline const double *shape_constants(const shapes *s, const shape_group *g, int k)
{
    return s->constant + s->member[g->first + k].constant;
}

#endif
