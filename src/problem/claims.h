/* claims.h -- what a user claims to be derivatives: one entry per callback and function.
 *
 *   a claim:  value(t,y,y') in R^rows has the matrix `given`, rows x columns, as its derivative
 *             along some unknowns, their derivatives, or a path; and `rate` as that along t.
 *
 * Each form lists its claims (form_ops.claims); check.h compares them with differences.  Nothing
 * here needs the scratch of an evaluator: the callbacks are called as they are.
 */
#ifndef KEEL_PROBLEM_CLAIMS_H
#define KEEL_PROBLEM_CLAIMS_H

#include "problem/problem.h"

typedef enum claim_argument {
    ALONG_UNKNOWNS,              /* columns: y_first, y_(first+1), ...                      */
    ALONG_DERIVATIVES,           /* the same of y'                                         */
    ALONG_PATH                   /* one: second derivative along (t + e, q + e v), v = y'   */
} claim_argument;

typedef enum claim_rows {
    ROWS_EQUATIONS,              /* without names                                          */
    ROWS_RATES,                  /* y', then the constraints                               */
    ROWS_CONSTRAINTS, ROWS_FORCES, ROWS_ATTACHED
} claim_rows;

typedef struct claim claim;

/* A place, and scratch for row-major arrays and for a second matrix. */
typedef struct claim_point {
    evaluator *e;
    const claim *claim;
    double t;
    const double *y, *yp;
    double *scratch;             /* [claim->scratch]                                       */
    keel_matrix *other;          /* of the problem's pattern                               */
} claim_point;

struct claim {
    const char *callback;        /* of the matrix; without `given`: of the pattern         */
    const char *rate_callback;   /* of the last column, the derivative along t; or NULL    */
    const char *function;        /* what is differentiated, in words                       */
    claim_argument argument;
    claim_rows row_names;
    int rows, first, columns;
    int level;                   /* h_k of a levelled problem                              */
    int replaceable;             /* options.jacobian_differences ignores it                */
    int scratch;
    int whole;                   /* `given` writes every entry                             */
    keel_pattern pattern;
    int (*value)(const claim_point *x, double *value);
    /* A is zeroed unless `whole`; rate [rows] is NULL without rate_callback.  NULL: only a pattern is claimed. */
    int (*given)(const claim_point *x, keel_matrix *A, double *rate);
};

/* Jacobians of h_1, h_2, ... and a handful more. */
enum { CLAIMS_MOST = KEEL_LEVELS_MOST + 8 };

/* All claims of a problem that is no formulation of another; returns how many. */
int problem_claims(const keel_problem *p, claim list[CLAIMS_MOST]);

/* A := row-major array. */
void claim_take_rows(const claim *c, const double *array, keel_matrix *A);

#endif
