/* ends.h -- all equations of a mesh in terms of both ends, and what can be read from them.
 *
 *   D v_N + C v_0 + B p = 0,    b_N v_N + b_0 v_0 + b_p p = 0
 *
 * The first rows are what is left of the intervals and of the conditions inside, the others those of
 * the conditions at the ends and of the constraints there.  Unlike the rows of blocks.c there may be
 * more or fewer of them than unknowns: it is here that too many, too few and dependent ones are told.
 */
#ifndef KEEL_BOUNDARY_ENDS_H
#define KEEL_BOUNDARY_ENDS_H

#include "boundary/boundary.h"

typedef struct ends {
    int rows, columns;           /* nx + inner + conditions + hidden; 2 nx + np             */
    int carried;                 /* the first ones, of intervals and inner conditions       */
    double *a;                   /* [rows columns] v_N, v_0, p                              */
    /* The determinant of the conditions as functions of v_0 and p, where there are as many. */
    int sign;                    /* 0: it vanishes, or there are not as many                */
    double logarithm;            /* of its absolute value                                   */
    void *block;
} ends;

/* From F, P and the derivatives of the conditions, which are those of the last factorisation.  A
 * status; ends_free in any case. */
int ends_make(keel_boundary *w, const mesh *s, ends *e);
void ends_free(ends *e);

/* Names of the conditions that depend on each other, and of what nothing determines: how many rows
 * are dependent (0: none, text is empty), < 0 without memory. */
int ends_verdict(keel_boundary *w, const mesh *s, message *text);
/* The same at the guess, for a problem that cannot be solved because its conditions do not fit. */
void ends_count_verdict(keel_boundary *w, message *text);
/* Do conditions depend on each other only because solutions grow so much up to the right end that nothing of
 * what is there can be seen at the left one? */
int ends_grow(keel_boundary *w, const mesh *s);

#endif
