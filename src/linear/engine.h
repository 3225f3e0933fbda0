/* engine.h -- the engine that a program gave, as the library holds it. */
#ifndef KEEL_LINEAR_ENGINE_H
#define KEEL_LINEAR_ENGINE_H

#include "core/message.h"
#include "core/norm.h"
#include "keel/krylov.h"

struct keel_engine {
    keel_engine_spec spec;
    reducer reducer;
    int ready;                   /* created without error                                  */
    int used;                    /* by a solver,                                           */
    struct keel_stats *stats;    /* which counts this,                                     */
    const double *rtol, *atol;   /* and whose tolerances these are, or NULL                */
    const keel_problem *served;  /* the only problem it is for, or NULL                    */
    keel_krylov_stats *krylov;   /* of problem/krylov.c                                    */
    message message;
};

#endif
