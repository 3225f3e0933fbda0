/* branch.h -- solutions of a boundary value problem as one of its parameters changes.
 *
 *   x' = f(t,x,y,p,l),  0 = g(t,x,y,p,l),   0 = b(x(from), x(to), p, l)
 *
 * A branch is followed from one value of l, a parameter of the frame, to another.  Natural
 * continuation changes l step by step; by arclength l is one more unknown, so that folds, where l
 * turns, are passed, and located.  Branch points, where another branch crosses, are located as well.
 *
 * The parameter followed comes last in p, behind those that are unknown anyway: conditions that
 * depend on it find it there.
 *
 * Life cycle:  keel_branch_create -> keel_branch_start -> keel_branch_follow, again and again ->
 *              keel_branch_at, ... -> keel_branch_free.
 * Ownership:   specs and options are copied; the problem is borrowed and must outlive it.
 */
#ifndef KEEL_BRANCH_H
#define KEEL_BRANCH_H

#include "keel/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_branch keel_branch;

/* Zero means the default.  Lengths are those of (x(from), x(to), p, l), relative to 1 + |value|,
 * and of l to the range that is followed. */
typedef struct keel_branch_options {
    int parameter;                   /* of the frame: the one that is followed               */
    int arclength;                   /* nonzero: through folds                               */
    double step, step_least, step_most;          /* lengths; 0.05, 1e-6, 0.1                 */
    int most;                        /* points of one keel_branch_follow; 1000               */
} keel_branch_options;

typedef struct keel_branch_point {
    double parameter;
    double arc;                      /* length of the branch up to here                      */
    int fold;                        /* nonzero: the parameter turns here                    */
    int mesh;                        /* intervals                                            */
    const double *p;                 /* unknown parameters                                   */
    const double *from, *to;         /* all unknowns at both ends                            */
    const double *largest;           /* largest absolute value of each, everywhere           */
    int branch_point;                /* nonzero: another branch crosses here; values but for */
                                     /* the parameter are those of a point next to it        */
} keel_branch_point;

KEEL_API int keel_branch_create_sized(keel_branch **b, const keel_boundary_spec *spec,
                                      size_t spec_size, const keel_boundary_options *options,
                                      size_t options_size, const keel_branch_options *how,
                                      size_t how_size);

static inline int keel_branch_create(keel_branch **b, const keel_boundary_spec *spec,
                                     const keel_boundary_options *options,
                                     const keel_branch_options *how)
{
    return keel_branch_create_sized(b, spec, sizeof *spec, options, sizeof *options, how,
                                    sizeof *how);
}

/* The problem with the parameter as its last unknown one, for keel_boundary_set_frame and _guess
 * before the start, for keel_boundary_solution and _statistics of the last point. */
KEEL_API keel_boundary *keel_branch_boundary(keel_branch *b);
/* The first point: the parameter has this value. */
KEEL_API int keel_branch_start(keel_branch *b, double value);
/* Until the parameter is `to`, exactly.  By arclength the branch may turn, and come back to where
 * it was started: it ends there as well, and keel_branch_message says so.  Another call goes on, by
 * arclength in the direction of the last one.  What was reached before a failure stays. */
KEEL_API int keel_branch_follow(keel_branch *b, double to);
/* All of it into a file, which is replaced as a whole; and back into a branch of the same problem that
 * has no start yet: keel_branch_follow goes on as if nothing had happened. */
KEEL_API int keel_branch_save(keel_branch *b, const char *path);
KEEL_API int keel_branch_load(keel_branch *b, const char *path);
KEEL_API int keel_branch_count(const keel_branch *b);
/* In the order of the branch; NULL: no such point.  Valid as long as the branch. */
KEEL_API const keel_branch_point *keel_branch_at(const keel_branch *b, int i);
KEEL_API const char *keel_branch_message(const keel_branch *b);
KEEL_API void keel_branch_free(keel_branch *b);

#ifdef __cplusplus
}
#endif
#endif
