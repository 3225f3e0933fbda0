/* system.h -- a flat model on its way to a problem: what is known of it, step by step.
 *
 *   parameters     values of constants and parameters                        parameter.c
 *   continuous     which equations and variables are solved in continuous time   sort.c
 *   aliases        variable = sign * d^order/dt^order root                    alias.c
 *   definitions    variables that are names of expressions                   define.c
 *   structure      matching, offsets c and d, blocks                          structure.c
 *   regular        is the leading matrix regular; combinations of equations   regular.c
 *   levels         y, z, assignments, f, g, h_k                               levels.c
 */
#ifndef KEEL_MODEL_SYSTEM_H
#define KEEL_MODEL_SYSTEM_H

#include "model/calls.h"
#include "model/derivative.h"
#include "model/flat.h"
#include "model/print.h"

/* What a variable of the flat model is here. */
typedef enum variable_kind {
    KIND_KNOWN,                          /* constant, parameter, input without a value          */
    KIND_UNKNOWN,                        /* continuous                                          */
    KIND_CONSTANT,                       /* unknown, but constant in time: fixed = false        */
    KIND_DISCRETE
} variable_kind;

/* variable = sign * d^order/dt^order root */
typedef struct place {
    uint32_t root, order;
    int sign;
} place;

typedef enum row_kind {
    ROW_EQUATION,                        /* of the model                                        */
    ROW_CONSTANT,                        /* der(p) = 0 of a parameter that the start determines */
    ROW_COMBINED,                        /* a combination that replaces an equation             */
    ROW_SHARED                           /* multipliers of constraints that depend on each other */
} row_kind;

/* An equation of continuous time; derivative[k] is d^k/dt^k of both sides. */
typedef struct row {
    row_kind kind;
    int equation;                        /* of the flat model, -1: none                         */
    expr *left, *right;                  /* derivatives 0 .. known - 1                          */
    int known;
    span where;
} row;

/* An entry of the signature matrix: the highest derivative of a column in a row. */
typedef struct entry { int column, order; } entry;

typedef struct system {
    flat_model *flat;
    source *source;
    calls calls;
    int variables;                       /* of the flat model                                   */
    unsigned char *kind;                 /* variable_kind                                       */
    unsigned char *varies;               /* 1: has a derivative                                 */
    double *value;                       /* KIND_KNOWN: its value                               */
    int *assigned;                       /* KIND_DISCRETE: whens that assign it                 */
    unsigned char *discrete_equation;    /* per flat equation: 1, it belongs to discrete.c      */

    place *place;                        /* per variable                                        */
    int aliases;                         /* equations that said so                              */
    expr *definition;                    /* per variable: what it is a name of, or 0            */
    int definitions;
    rewrite define;
    int equations_before, unknowns_before;

    row *row;
    int rows, row_room;
    int columns;                         /* unknowns that are left: roots                       */
    uint32_t *column_root;
    int *root_column;                    /* per variable: its column, -1: none                  */
    int *wanted;                         /* per column: a derivative that something asks for    */

    int *first;                          /* rows + 1: signature, entries of row i               */
    entry *entry;
    int *match_row, *match_column;       /* column of a row, row of a column; -1                */
    int *c, *d;                          /* offsets                                             */
    int *block;                          /* rows + 1 places in block_row: blocks of the         */
    int *block_row;                      /* triangular form, first ones first                   */
    int blocks;
    int index, freedom;
    int late_start;                      /* singular at the first instant, not after it         */

    expr *extra;                         /* further expressions that must be known: of signals  */
    int extras;
    const struct discrete *discrete;     /* for the names of signals                            */
    derivation derivation;
    rewrite resolve;                     /* aliases */
    walk value_walk, near_walk;          /* scratch */
    buffer remarks;                      /* what was done that the user should know, lines      */
    int no_memory;
} model_system;

/* All return KEEL_OK, KEEL_BAD_ARGUMENT after messages to the source, or KEEL_NO_MEMORY. */
int system_open(model_system *s, flat_model *flat, source *src);
void system_free(model_system *s);

int parameters_evaluate(model_system *s);
/* The value of an expression of constants and parameters; NAN if it has none. */
double parameter_value(model_system *s, expr e);
int equations_sort(model_system *s);          /* kinds, discrete equations, der() of expressions     */
int aliases_eliminate(model_system *s);
int structure_analyse(model_system *s);
int definitions_eliminate(model_system *s);
/* Puts in what variables are names of; after aliases were resolved. */
expr system_define(model_system *s, expr e);

/* Left and right side of row i, differentiated k times; residual: left - right.  0: no memory. */
int row_derive(model_system *s, int i, int k);
expr row_residual(model_system *s, int i, int k);
int row_add(model_system *s, row r);
/* "der(x) = v (line 7)" */
void row_print(const model_system *s, buffer *b, int i, int k, int with_line);
printer system_printer(const model_system *s);
/* The name of column j's derivative k: der(x). */
void column_print(const model_system *s, buffer *b, int j, int k);
/* Replaces variables by what they are aliases of. */
expr system_resolve(model_system *s, expr e);

#endif
