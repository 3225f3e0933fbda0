/* check.h -- are the derivatives right that a problem was given?
 *
 *   keel_check(problem, t, y, NULL, &report)  ->  keel_check_finding(report, i)
 *     ->  keel_check_free(report)
 *
 * Every supplied derivative is compared with differences of its function; M with its transpose and,
 * where it is declared constant, with itself elsewhere; patterns with what functions depend on; and
 * constraint levels with the derivative of the level below along the solution.  keel_start compares
 * derivatives, too, along one direction (option `check`).
 */
#ifndef KEEL_CHECK_H
#define KEEL_CHECK_H

#include "keel/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum keel_finding_kind {
    KEEL_FINDING_DERIVATIVE,     /* differs from the differences of its function            */
    KEEL_FINDING_PATTERN,        /* a function depends on what the pattern leaves out, or an */
                                 /* entry was written there (given: NAN)                    */
    KEEL_FINDING_NOT_FINITE,     /* where the function has a derivative                     */
    KEEL_FINDING_SYMMETRY,       /* M(i,j) given, M(j,i) expected                           */
    KEEL_FINDING_CONSTANCY,      /* constant_mass, but M(i,j) is given here, expected nearby */
    KEEL_FINDING_LINK            /* the equations do not keep a level, attached row or `next` */
} keel_finding_kind;

typedef struct keel_finding {
    keel_finding_kind kind;
    const char *callback;        /* the field of the spec: "constraint_jacobian"; combined: */
                                 /* "evaluate: constraint_jacobian"                         */
    int row;                     /* of what the callback fills in                           */
    int column;                  /* the unknown differentiated for; -1: time, or there is none */
    double given, expected;
    char text[384];              /* all of it in a sentence, with names                     */
} keel_finding;

typedef enum keel_check_outcome {
    KEEL_CHECK_FITS, KEEL_CHECK_WRONG,
    KEEL_CHECK_UNDECIDED         /* its function could not be evaluated near (t,y), or the  */
                                 /* point is not consistent enough to tell                  */
} keel_check_outcome;

/* What was compared. */
typedef struct keel_check_item {
    const char *callback;
    const char *with;            /* "differences of constraint", "its transpose"            */
    long entries;
    double deviation;            /* largest, relative to the row                            */
    keel_check_outcome outcome;
} keel_check_item;

typedef struct keel_check_report keel_check_report;

/* At (t,y) and near it, where less vanishes.  yp may be NULL: not known; callbacks of quasilinear,
 * implicit and proper problems then see small derivatives.  A formulation: of its original, without
 * yp.  Links between levels are judged only at consistent y (as keel_start finds them).
 * KEEL_OK: all fits.  KEEL_WRONG_DERIVATIVE: there are findings.  KEEL_CALLBACK_FAILED: a callback
 * returned < 0.  The report (may be NULL) is to be freed unless memory failed. */
KEEL_API int keel_check(const keel_problem *problem, double t, const double *y, const double *yp,
                        keel_check_report **report);
KEEL_API void keel_check_free(keel_check_report *report);        /* NULL is fine */
/* At most KEEL_CHECK_FINDINGS_MOST for each callback. */
enum { KEEL_CHECK_FINDINGS_MOST = 16 };
KEEL_API int keel_check_finding_count(const keel_check_report *report);
KEEL_API const keel_finding *keel_check_finding(const keel_check_report *report, int i);
KEEL_API int keel_check_item_count(const keel_check_report *report);
KEEL_API const keel_check_item *keel_check_item_at(const keel_check_report *report, int i);

#ifdef __cplusplus
}
#endif
#endif
