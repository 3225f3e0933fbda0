/* keel.h -- differential-algebraic equations without drift.
 *
 *   keel_mechanical(&p, &spec)  ->  keel_solver_create(&s, p, &options)
 *     ->  keel_start(s, t0, y0)  ->  keel_step(s) / keel_advance(s, t)  ->  free both
 *
 * status.h   what calls return          problem.h  the forms of problems
 * matrix.h   what Jacobians fill in     solver.h   options, solver, statistics, recording
 * method.h   what is known about methods  check.h   are given derivatives right?
 * target.h   a problem as the keel command takes it
 * frame.h    parameters and discrete state  event.h  events: switches, clocks, actions
 * curve.h    impasse points, and solutions as curves beyond them
 * boundary.h boundary value problems   branch.h   their solutions as a parameter changes
 * fit.h      their parameters from measurements   sweep.h    many runs with other parameters
 * engine.h   vectors spread over ranks, and linear algebra of the user's own   krylov.h   by iteration
 */
#ifndef KEEL_H
#define KEEL_H

#include "keel/status.h"
#include "keel/matrix.h"
#include "keel/problem.h"
#include "keel/method.h"
#include "keel/solver.h"
#include "keel/krylov.h"
#include "keel/event.h"
#include "keel/boundary.h"
#include "keel/branch.h"
#include "keel/fit.h"
#include "keel/sweep.h"
#include "keel/target.h"
#include "keel/check.h"
#include "keel/curve.h"

#endif
