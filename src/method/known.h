/* known.h -- numbers of the listed families and starting procedures, so that making one costs nothing,
 * and how far listed methods are stable, which takes thousands of eigenvalue problems to find.
 *
 * They are what family_computed, radau_iia_computed, stage_method_of, starting_computed, find_stability
 * and find_general_stability give; study/known.c prints tables_families.c, tables_starting.c and
 * tables_stability.c from these, and test/method/known compares.  Methods with more stages, and those
 * of users, are computed when they are asked for.
 */
#ifndef KEEL_METHOD_KNOWN_H
#define KEEL_METHOD_KNOWN_H

#include "method/method.h"
#include "method/starting.h"

enum { KNOWN_RADAU_MOST = 7, KNOWN_FAMILY_MOST = 5 };

/* By stages s: c, b [s], A [s s]; then of Radau IIA A^-1, A^2, A^-2, T, T^-1 [s s], at_zero, error [s],
 * gamma, and alpha, beta [s/2] (stage_method); of the others, unless they are diagonally implicit,
 * T, T^-1 [n n] and re, im [n] of the eigenvalues of A^-1 in the order of T's columns, n being
 * the number of implicit stages.  NULL where s is not listed. */
extern const double *const known_radau_iia[KNOWN_RADAU_MOST + 1];
extern const double *const known_gauss[KNOWN_FAMILY_MOST + 1];
extern const double *const known_radau_ia[KNOWN_FAMILY_MOST + 1];
extern const double *const known_lobatto_iiia[KNOWN_FAMILY_MOST + 1];
extern const double *const known_lobatto_iiic[KNOWN_FAMILY_MOST + 1];
/* By order p, s = p + 1: c, at_start [s], lower [s - 1], A, A^-1, B, B A^-1, T, T^-1 [s s]. */
extern const double *const known_starting[STARTING_ORDER_MOST + 1];

/* Of keel_analysis and keel_general_analysis; A-stable: alpha = 90. */
struct known_stability {
    const char *name;
    double alpha, real_limit, imaginary_limit;
};
extern const known_stability known_stabilities[];        /* name NULL ends it */

/* Of a member of a family; NULL: not listed. */
const double *known_family(family_kind family, int s);

/* What the tables were printed from. */
int family_computed(family_kind family, int s, double weight, double *A, double *b, double *c);
int radau_iia_computed(arena *a, int s, stage_method *method);
int starting_computed(arena *a, int order, starting_data *out);

#endif
