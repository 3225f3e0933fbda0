/* probe.h -- a context that counts the calls of each callback and can spoil chosen ones. */
#ifndef KEEL_TEST_SUPPORT_PROBE_H
#define KEEL_TEST_SUPPORT_PROBE_H

#include <math.h>

#include "keel/keel.h"
#include "linear/linear.h"

typedef enum callback {
    RHS, CONSTRAINT, JACOBIAN, CONSTRAINT_JACOBIAN, CONSTRAINT_TIME, POSITION_RATE, VELOCITY_RATE,
    MASS, FORCE, CURVATURE, EVALUATE, FORCE_JACOBIAN, MASS_JACOBIAN, RESIDUAL,
    INVARIANT, INVARIANT_JACOBIAN, LEADING_MATRIX, LEADING_TERM, LEADING_TERM_JACOBIAN, REST,
    ATTACHED_VALUE, ATTACHED_JACOBIAN, RATE, LEVEL, CALLBACKS
} callback;

static inline const char *callback_name(callback c)
{
    static const char *const names[CALLBACKS] = {
        "rhs", "constraint", "jacobian", "constraint_jacobian", "constraint_time", "position_rate",
        "velocity_rate", "mass", "force", "curvature", "evaluate", "force_jacobian",
        "mass_jacobian", "residual", "invariant", "invariant_jacobian", "leading_matrix",
        "leading_term", "leading_term_jacobian", "rest", "attached.value", "attached.jacobian", "rate",
        "level"};
    return names[c];
}

typedef enum spoiling { RETURNS_POSITIVE, RETURNS_NEGATIVE, GIVES_NAN, GIVES_INFINITY } spoiling;

typedef struct probe {
    int armed;
    callback target;
    spoiling kind;
    long at;                     /* spoil this call of the target, counted from 1          */
    int persists;                /* and all later ones                                     */
    long calls[CALLBACKS], total;
    long spoiled;                /* how often                                              */
    double t_least, t_most;      /* times seen                                             */
    int nonlinear_multiplier;    /* Hessenberg 3 with k quadratic in l                     */
} probe;

/* Every callback ends with this: what it returns, after spoiling one of its `count` values. */
static inline int probed(probe *p, callback c, double t, double *values, int count)
{
    long call = ++p->calls[c];
    if (p->total++ == 0) p->t_least = p->t_most = t;
    p->t_least = fmin(p->t_least, t);
    p->t_most = fmax(p->t_most, t);
    if (!p->armed || c != p->target || !(call == p->at || (p->persists && call > p->at))) return 0;
    p->spoiled++;
    if (p->kind == RETURNS_POSITIVE) return 1;
    if (p->kind == RETURNS_NEGATIVE) return -1;
    values[call % count] = p->kind == GIVES_NAN ? NAN : INFINITY;
    return 0;
}

static inline int probed_matrix(probe *p, callback c, double t, keel_matrix *a)
{
    int count = (int)matrix_storage(a->rows, a->columns, &a->pattern);
    return probed(p, c, t, a->values, count);
}

#endif
