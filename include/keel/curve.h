/* curve.h -- impasse points, and solutions beyond them: the solution as a curve.
 *
 * Where the algebraic equations of A(t,x) x' = f(t,x), or of y' = f, 0 = g, lose rank in the
 * algebraic unknowns, x' is infinite and the solution may end: an impasse point.  At a simple one
 * the curve (x(s), t(s)) goes on smoothly and time turns round.  What a run does there is the
 * option `impasse` of keel_options; keel_impasse_at tells what it met, and keel_curve follows the
 * curve in its length s.
 *
 * Life cycle:  keel_curve_create -> keel_curve_start or keel_curve_from -> keel_curve_step* ->
 *              keel_curve_free
 * Problems:    quasilinear and semi-explicit ones of index 1, at most 100 unknowns, no attached
 * rows. Ownership, callbacks, NULL and memory are as in solver.h.
 */
#ifndef KEEL_CURVE_H
#define KEEL_CURVE_H

#include "keel/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum keel_impasse_kind {
    KEEL_IMPASSE_NOT_SIMPLE = 0,     /* alpha = 0, or no such point near: an unknown grows beyond */
                                     /* all bounds, or the rank is lost in several directions     */
    KEEL_IMPASSE_ACCESSIBLE = 1,     /* alpha < 0: solutions run into it, from both sides         */
    KEEL_IMPASSE_INACCESSIBLE = 2,   /* alpha > 0: solutions leave it, to both sides              */
    KEEL_IMPASSE_NONE = 3            /* the rank is lost, but the solution goes on                */
} keel_impasse_kind;

typedef enum keel_impasse_action {
    KEEL_IMPASSE_ENDED = 0,          /* the run                                                   */
    KEEL_IMPASSE_FOLLOWED = 1,       /* a curve, through the point                                */
    KEEL_IMPASSE_JUMPED = 2,         /* to the next stable branch                                 */
    KEEL_IMPASSE_PASSED = 3          /* the solution goes on                                      */
} keel_impasse_action;

typedef struct keel_impasse {
    double t;
    double alpha;                    /* (7.2), in units of X, for equations of length 1           */
    double length;                   /* s of a curve; 0 for a run                                 */
    const double *y;                 /* there, on the branch that led to it                       */
    const double *after;             /* where the run went on; NULL: it did not                   */
    keel_impasse_kind kind;
    keel_impasse_action action;
} keel_impasse;

/* Those that a run has met since keel_start, and the i-th of them, i = 0, 1, ...; only the last
 * KEEL_IMPASSES_KEPT are kept: KEEL_BAD_ARGUMENT for others.  y is valid until the next call. */
enum { KEEL_IMPASSES_KEPT = 64 };
KEEL_API int keel_impasse_count(const keel_solver *solver);
KEEL_API int keel_impasse_at_sized(const keel_solver *solver, int i, keel_impasse *point,
                                   size_t size);

static inline int keel_impasse_at(const keel_solver *solver, int i, keel_impasse *point)
{
    return keel_impasse_at_sized(solver, i, point, sizeof *point);
}

/* "accessible", "inaccessible", "not simple", "none"; "unknown kind" for other numbers. */
KEEL_API const char *keel_impasse_kind_name(int kind);

typedef struct keel_curve keel_curve;

/* Of the options rtol and atol count, and max_step: the longest step in s. */
KEEL_API int keel_curve_create_sized(keel_curve **made, const keel_problem *problem,
                                     const keel_options *options, size_t size);

static inline int keel_curve_create(keel_curve **made, const keel_problem *problem,
                                    const keel_options *options)
{
    return keel_curve_create_sized(made, problem, options, sizeof *options);
}

KEEL_API void keel_curve_free(keel_curve *c);                 /* NULL is fine */
/* At y, moved to the nearest point of the algebraic equations, with time forwards (direction > 0)
 * or backwards at first.  s is the length of (y, t) in units near 1 + |y| and of the time in which
 * y changes by as much. */
KEEL_API int keel_curve_start(keel_curve *c, double t, const double *y, double direction);
/* Where a run is, in its direction. */
KEEL_API int keel_curve_from(keel_curve *c, const keel_solver *solver);
/* Steps end at t = low and high, or when s is that long: KEEL_STOP_REACHED beyond. */
KEEL_API int keel_curve_bounds(keel_curve *c, double low, double high, double length);
/* One step, on the algebraic equations to rounding; it ends at an impasse point if it meets one. */
KEEL_API int keel_curve_step(keel_curve *c);

KEEL_API double keel_curve_length(const keel_curve *c);       /* s */
KEEL_API double keel_curve_time(const keel_curve *c);
KEEL_API const double *keel_curve_state(const keel_curve *c);
/* dt/ds: negative where time runs backwards. */
KEEL_API double keel_curve_rate(const keel_curve *c);
KEEL_API int keel_curve_impasse_count(const keel_curve *c);
KEEL_API int keel_curve_impasse_at_sized(const keel_curve *c, int i, keel_impasse *point,
                                         size_t size);

static inline int keel_curve_impasse_at(const keel_curve *c, int i, keel_impasse *point)
{
    return keel_curve_impasse_at_sized(c, i, point, sizeof *point);
}

KEEL_API const char *keel_curve_message(const keel_curve *c);

#ifdef __cplusplus
}
#endif
#endif
