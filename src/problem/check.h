/* check.h -- claims against differences.
 *
 * Along a direction w with a component for every column, a claim says that
 *
 *   A w = d/de value(x + e w)        along a path, of the second derivative: gamma = d2/de2 value
 *
 * One such line shows whether anything is wrong in a matrix (check_lines.c); halving the set of
 * columns that move finds which of them (check.c); and a ladder of steps from 1e-3 to 1e-11 decides
 * whether it is the matrix that is wrong and not the difference (check_ladder.c).
 */
#ifndef KEEL_PROBLEM_CHECK_H
#define KEEL_PROBLEM_CHECK_H

#include <math.h>

#include "keel/check.h"
#include "problem/claims.h"

enum { LADDER_STEPS = 6, CHECK_SALTS = 3 };

/* Values of a function on both sides of a place along a line; NAN where it cannot be evaluated. */
typedef struct ladder {
    double step[LADDER_STEPS];
    double *base, *plus[LADDER_STEPS], *minus[LADDER_STEPS];      /* [rows] */
} ladder;

/* What the differences say about one number. */
typedef struct verdict {
    int wrong;
    double expected;
} verdict;

typedef struct check {
    const keel_problem *problem; /* no formulation                                         */
    evaluator bare, *e;          /* for callbacks, without scratch; links have another     */
    keel_stats ignored;          /* nothing here enters the statistics of a run            */
    claim claims[CLAIMS_MOST];
    int count;
    double t_given;              /* the point asked about                                  */
    double *y_given, *yp_given;  /* [n]                                                    */
    int displaced;               /* is the place another one?  1 + `nearer`                */
    double t, *y, *yp;           /* [n] the place where claims are compared                */
    double *moved;               /* [n] y or y' on a line through it                       */
    claim_point at;              /* the place, or where on a line, for callbacks           */
    double *spread[CHECK_SALTS]; /* [columns + 1] check_spread of directions, y and y'     */
    double *direction;           /* [columns + 1] of the whole line, last: time            */
    double *w;                   /* [columns + 1] of the columns that move, else 0         */
    double path_unit;            /* e of a path that changes the place by its own size     */
    keel_matrix A, other;
    double *rate;                /* [rows] the column of time                              */
    double *scratch;
    double *product;             /* [rows] A w                                             */
    double *size;                /* [rows] sum_j |a_ij w_j| of the whole direction         */
    double *plus, *minus, *base; /* [rows]                                                 */
    ladder ladder;
    coloring colors;
    int *set;                    /* [columns + 1] all columns, those of a group side by side */
    long lines;                  /* that may still be looked at                            */
    double deviation;            /* largest of the claim at hand                           */
    keel_finding *findings;      /* owned                                                  */
    int found, room;
    int no_memory;               /* for them: what else could return < 0                   */
    keel_matrix mass[2];         /* M here and beside, where there is something to compare */
    void *block;
} check;

/* Components of directions and displacements: between 1/2 and 1 in size, of either sign, by the
 * multiples of the golden ratio. */
static inline double check_spread(int j, unsigned salt)
{
    unsigned bits = ((unsigned)j + 1 + 7919 * salt) * 2654435769u;
    double size = 0.5 + 0x1p-33 * bits;
    return (bits * 2246822507u) >> 31 ? -size : size;
}

static inline double check_time_unit(double t) { return 1 + 1e-3 * fabs(t); }

/* 0 or KEEL_NO_MEMORY; release it in either case.  y and yp (or NULL) belong to `problem`, even
 * where that is a formulation. */
int check_create(check *k, const keel_problem *problem, double t, const double *y,
                 const double *yp);
void check_release(check *k);
/* The same in two parts, for one problem at many points: memory, KEEL_UNSUPPORTED if it is more than `most`
 * bytes; and the point.  check_clear forgets what was found. */
int check_make(check *k, const keel_problem *problem, size_t most);
int check_begin(check *k, const keel_problem *problem, double t, const double *y, const double *yp);
void check_clear(check *k);
/* The place: the point as given, or one beside it, if need be a `nearer` (1) one. */
enum { CHECK_PLACES = 2 };
void check_at_given(check *k);
void check_displace(check *k, int nearer, int in_time);

/* Below, < 0 says that a callback wants to stop, or that memory failed. */

/* Fills in A, rate, direction, product and size, along a path A and path_unit.  1: cannot be evaluated here;
 * 2: but for entries that are not finite, or outside the pattern. */
int check_fill(check *k, const claim *c);
/* Along the whole direction that check_fill has left.  1: something does not fit, or cannot be evaluated. */
int check_whole_line(check *k, const claim *c);
/* Along the columns set[0..count).  1: something does not fit, or cannot be evaluated. */
int check_line(check *k, const claim *c, const int *set, int count);
/* The function at e on the line w; 1: cannot be evaluated. */
int check_value(check *k, const claim *c, double e, double *value);
/* Along w; 1: cannot be evaluated. */
int check_ladder(check *k, const claim *c);
/* Is `given` wrong in this row of the ladder? */
verdict check_verdict(const check *k, const claim *c, int row, double given);

/* Every entry of a claim, at the point and beside it, with findings.  1: could not be evaluated, or
 * not all of it. */
int check_claim(check *k, const claim *c);
/* One line beside the point.  1: suspicious. */
int check_direction(check *k, const claim *c);
void check_mass_layout(arena *a, check *k);
/* Symmetry and constancy of the mass matrix, with findings; adds up to two items. */
int check_mass(check *k, keel_check_item *items, int *count);
/* The same for links between levels and for attached rows: as many items as there are levels, and
 * two more. */
int check_links(check *k, keel_check_item *items, int *count);

/* Adds a finding unless it is there, with its sentence, for which c says what the rows are.  0, or
 * -1 without memory. */
int check_add(check *k, const claim *c, keel_finding finding);
/* Has this callback as many as are listed? */
int check_is_full(const check *k, const char *callback);

#endif
