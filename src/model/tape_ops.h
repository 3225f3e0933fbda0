/* tape_ops.h -- instructions of a tape: X(name, what it does). R is the result, A, B, C operands. */
#ifndef KEEL_MODEL_TAPE_OPS_H
#define KEEL_MODEL_TAPE_OPS_H

#include "model/calls.h"

#define TAPE_OPS(X)                                                                                \
    X(COPY, R = A)                                                                                 \
    X(ADD, R = A + B) X(SUBTRACT, R = A - B) X(MULTIPLY, R = A * B) X(DIVIDE, R = A / B)           \
    X(NEGATE, R = -A) X(SQUARE, R = A * A) X(CUBE, R = A * A * A)                                  \
    X(MULTIPLY_ADD, R = A * B + C) X(MULTIPLY_SUBTRACT, R = A * B - C)                             \
    X(SUBTRACT_MULTIPLY, R = C - A * B)                                                            \
    X(NEGATE_MULTIPLY, R = -(A * B))                                                               \
    X(ADD_ADD, R = (A + B) + C) X(SUBTRACT_ADD, R = (A - B) + C)                                   \
    X(ADD_SUBTRACT, R = (A + B) - C) X(SUBTRACT_SUBTRACT, R = (A - B) - C)                         \
    X(SUM_TIMES, R = (A + B) * C) X(DIFFERENCE_TIMES, R = (A - B) * C)                             \
    X(MULTIPLY_MULTIPLY, R = (A * B) * C)                                                          \
    X(TWO_PRODUCTS, R = A * B + C * D) X(PRODUCT_DIFFERENCE, R = A * B - C * D)                    \
    X(THREE_TIMES_ADD, R = (A * B) * C + D) X(THREE_TIMES_SUBTRACT, R = (A * B) * C - D)           \
    X(SUBTRACT_THREE_TIMES, R = D - (A * B) * C) X(FOUR_TIMES, R = (A * B) * C * D)                \
    X(SUM_BY, R = (A + B) / C) X(DIFFERENCE_BY, R = (A - B) / C) X(PRODUCT_BY, R = (A * B) / C)      \
    X(MULTIPLY_ADD_BY, R = (A * B + C) / D) X(MULTIPLY_SUBTRACT_BY, R = (A * B - C) / D)           \
    X(SUBTRACT_MULTIPLY_BY, R = (C - A * B) / D)                                                   \
    X(POWER, R = pow(A, B))                                                                        \
    X(ABS, R = fabs(A)) X(SIGN, R = A > 0 ? 1 : A < 0 ? -1 : 0) X(SQRT, R = sqrt(A))               \
    X(EXP, R = exp(A)) X(LOG, R = log(A)) X(LOG10, R = log10(A))                                   \
    X(SIN, R = sin(A)) X(COS, R = cos(A)) X(TAN, R = tan(A))                                       \
    X(SIN_COS, { const double x_ = A; R = sin(x_); B = cos(x_); })                                 \
    X(ASIN, R = asin(A)) X(ACOS, R = acos(A)) X(ATAN, R = atan(A))                                 \
    X(SINH, R = sinh(A)) X(COSH, R = cosh(A)) X(TANH, R = tanh(A))                                 \
    X(FLOOR, R = floor(A)) X(CEIL, R = ceil(A))                                                    \
    X(ATAN2, R = atan2(A, B)) X(MIN, R = A < B ? A : B) X(MAX, R = A > B ? A : B)                  \
    X(QUOTIENT, R = trunc(A / B)) X(MOD, R = A - floor(A / B) * B)                                 \
    X(REM, R = A - trunc(A / B) * B)                                                               \
    X(LESS, R = A < B) X(LESS_EQUAL, R = A <= B) X(EQUAL, R = A == B) X(NOT_EQUAL, R = A != B)     \
    X(AND, R = A != 0 && B != 0) X(OR, R = A != 0 || B != 0) X(NOT, R = A == 0)                    \
    X(SELECT, R = C != 0 ? A : B)                                                                  \
    X(CALL, tape_call(t, i->a, r))

enum tape_op {
#define X(name, body) TAPE_##name,
    TAPE_OPS(X)
#undef X
    TAPE_END, TAPE_OP_COUNT
};

/* Registers by their bytes from the first one. */
typedef struct instruction {
    union { const void *code; uintptr_t op; } what;
    uint32_t to, a, b, c, d;
} instruction;

typedef struct tape_call_site {
    int function;
    expr arguments;
    uint32_t first_input, to;            /* places in `input`; the first register of results    */
} tape_call_site;

struct eval_tape {
    instruction *code;
    long count, room;
    int inputs, constants, registers, outputs_at, outputs;
    double *constant;                    /* registers inputs ... inputs + constants - 1         */
    const calls *calls;
    tape_call_site *site;
    int sites, site_room;
    uint32_t *input;                     /* registers of arguments, by number                   */
    int input_count, input_room;
    int call_at;                         /* registers for arguments and work of calls           */
};

void tape_call(const struct eval_tape *t, uint32_t site, char *registers);
/* Puts the addresses of the code into the instructions. */
void tape_thread(struct eval_tape *t);

#endif
