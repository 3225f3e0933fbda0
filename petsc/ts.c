/* ts.c -- PETSc's TS by Keel: -ts_type keel.  What it solves is in ts_form.c. */
#include <stdio.h>

#include "ts.h"

static PetscErrorCode TSSetUp_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(ts->vec_sol, &k->u));
    PetscCall(VecDuplicate(ts->vec_sol, &k->zero));
    PetscCall(VecDuplicate(ts->vec_sol, &k->F));
    PetscCall(VecDuplicate(ts->vec_sol, &k->rate));
    PetscCall(VecDuplicate(ts->vec_sol, &k->product));
    PetscCall(VecDuplicate(ts->vec_sol, &k->trial));
    PetscCall(VecDuplicate(ts->vec_sol, &k->before));
    PetscCall(ts_find_order(ts));
    PetscCall(PetscMalloc1(k->n, &k->y));
    PetscFunctionReturn(0);
}

/* From the solution of the TS, with no past. */
static PetscErrorCode start(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(ts_collect(k, ts->vec_sol, 0, k->n, 1, k->y));
    PetscCall(ts_check(ts, keel_start(k->solver, ts->ptime, k->y), keel_message(k->solver)));
    k->newton = k->rejected = 0;
    PetscFunctionReturn(0);
}

/* Is the solution, on any rank, or the time not as it was left (events, TSSetSolution)? */
static PetscErrorCode is_changed(TS ts, PetscBool *changed)
{
    const ts_keel *k = ts->data;
    PetscObjectState now;
    PetscFunctionBeginUser;
    PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &now));
    const PetscBool here = now != k->state || ts->ptime != k->left || ts->steprestart;
    PetscCallMPI(MPI_Allreduce(&here, changed, 1, MPIU_BOOL, MPI_LOR, PetscObjectComm((PetscObject)ts)));
    PetscFunctionReturn(0);
}

/* Steps end at the next time that the TS must hit: of a time span, or its last one. */
static PetscErrorCode set_stop(TS ts)
{
    const ts_keel *k = ts->data;
    PetscReal stop = PETSC_MAX_REAL;
    PetscFunctionBeginUser;
    if (ts->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP) stop = ts->max_time;
    for (PetscInt i = 0; ts->tspan && i < ts->tspan->num_span_times; i++)
        if (ts->tspan->span_times[i] > ts->ptime) stop = PetscMin(stop, ts->tspan->span_times[i]);
    if (stop > ts->ptime && stop < PETSC_MAX_REAL)
        PetscCall(ts_check(ts, keel_set_stop_time(k->solver, stop), keel_message(k->solver)));
    else keel_clear_stop_time(k->solver);
    PetscFunctionReturn(0);
}

/* y at the new time, or NULL: no step is accepted. */
static PetscErrorCode step_ahead(TS ts, const double **y)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(set_stop(ts));
    const int rc = keel_step(k->solver);
    *y = rc == KEEL_OK ? keel_state(k->solver) : NULL;
    if (*y) {
        ts->time_step = keel_solver_stats(k->solver)->last_step;
        ts->ptime = keel_time(k->solver);
        PetscFunctionReturn(0);
    }
    PetscCall(PetscInfo(ts, "%s: %s\n", keel_status_name(rc), keel_message(k->solver)));
    ts->reason = TS_DIVERGED_STEP_REJECTED;
    PetscCheck(!ts->errorifstepfailed, PetscObjectComm((PetscObject)ts), PETSC_ERR_NOT_CONVERGED, "%s: %s",
               keel_status_name(rc), keel_message(k->solver));
    PetscFunctionReturn(0);
}

/* A TS that was rolled back, as events do to find where they happen, goes as far as it wants within the step that Keel
 * has made, by dense output on the constraints. */
static PetscErrorCode step_inside(TS ts, const double **y)
{
    ts_keel *k = ts->data;
    const PetscReal end = keel_time(k->solver), t = PetscMin(end, ts->ptime + ts->time_step);
    PetscFunctionBeginUser;
    *y = t == end ? keel_state(k->solver) : k->y;
    if (t != end)
        PetscCall(ts_check(ts, keel_interpolate_projected(k->solver, t, k->y), keel_message(k->solver)));
    ts->time_step = t - ts->ptime;
    ts->ptime = t;
    PetscFunctionReturn(0);
}

/* What the TS counts. */
static void count(TS ts)
{
    ts_keel *k = ts->data;
    const keel_stats *s = keel_solver_stats(k->solver);
    const long rejected = s->rejected_error + s->rejected_newton;
    const long iterations = k->counts.iterations + k->counts.pair_iterations + k->counts.saddle_iterations;
    ts->snes_its += (PetscInt)(s->newton - k->newton);
    ts->reject += (PetscInt)(rejected - k->rejected);
    ts->ksp_its += (PetscInt)(iterations - k->iterations);
    k->newton = s->newton, k->rejected = rejected, k->iterations = iterations;
}

static PetscErrorCode TSStep_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscBool changed = PETSC_TRUE;
    const double *y = NULL;
    PetscFunctionBeginUser;
    if (!k->solver) PetscCall(ts_make_solver(ts));
    else PetscCall(is_changed(ts, &changed));
    if (changed) PetscCall(start(ts));
    PetscCall(VecCopy(ts->vec_sol, k->before));
    if (ts->ptime < keel_time(k->solver)) PetscCall(step_inside(ts, &y));
    else PetscCall(step_ahead(ts, &y));
    count(ts);
    if (!y) PetscFunctionReturn(0);
    PetscCall(ts_spread(k, y, y + k->differential, ts->vec_sol));
    PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &k->state));
    k->left = ts->ptime;
    PetscFunctionReturn(0);
}

static PetscErrorCode TSInterpolate_Keel(TS ts, PetscReal t, Vec out)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(ts_check(ts, keel_interpolate(k->solver, t, k->y), keel_message(k->solver)));
    PetscCall(ts_spread(k, k->y, k->y + k->differential, out));
    PetscFunctionReturn(0);
}

static PetscErrorCode TSRollBack_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(VecCopy(k->before, ts->vec_sol));
    PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &k->state));
    k->left = ts->ptime_prev;
    PetscFunctionReturn(0);
}

static PetscErrorCode TSReset_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    keel_solver_free(k->solver);
    keel_engine_free(k->engine);
    keel_problem_free(k->problem);
    k->solver = NULL, k->engine = NULL, k->problem = NULL;
    PetscCall(VecDestroy(&k->u));
    PetscCall(VecDestroy(&k->zero));
    PetscCall(VecDestroy(&k->F));
    PetscCall(VecDestroy(&k->rate));
    PetscCall(VecDestroy(&k->product));
    PetscCall(VecDestroy(&k->trial));
    PetscCall(VecDestroy(&k->before));
    PetscCall(MatDestroy(&k->M));
    PetscCall(MatDestroy(&k->J));
    PetscCall(MatDestroy(&k->part));
    PetscCall(ISDestroy(&k->all));
    PetscCall(PetscFree(k->order));
    PetscCall(PetscFree(k->y));
    PetscFunctionReturn(0);
}

static PetscErrorCode TSDestroy_Keel(TS ts)
{
    PetscFunctionBeginUser;
    PetscCall(TSReset_Keel(ts));
    PetscCall(PetscFree(ts->data));
    PetscFunctionReturn(0);
}

static PetscErrorCode TSSetFromOptions_Keel(TS ts, PetscOptionItems *PetscOptionsObject)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscOptionsHeadBegin(PetscOptionsObject, "Keel");
    PetscCall(PetscOptionsString("-ts_keel_method", "a method that 'keel methods' lists", "keel_options", k->method,
                                 k->method, sizeof k->method, NULL));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

static PetscErrorCode TSView_Keel(TS ts, PetscViewer viewer)
{
    const ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Keel %s, method %s\n", keel_version(), k->method));
    if (!k->solver) PetscFunctionReturn(0);
    const keel_stats *s = keel_solver_stats(k->solver);
    PetscCall(PetscViewerASCIIPrintf(viewer, "  steps %ld, rejected %ld, evaluations %ld, Jacobians %ld, factorizations %ld\n",
                                     s->accepted, s->rejected_error + s->rejected_newton, s->rhs, s->jacobian,
                                     s->factorizations));
    if (k->all) PetscCall(PetscViewerASCIIPrintf(viewer, "  constraints at most %.1e off\n", s->residual[0]));
    PetscFunctionReturn(0);
}

static PetscErrorCode TSCreate_Keel(TS ts)
{
    ts_keel *k;
    PetscFunctionBeginUser;
    PetscCall(PetscNew(&k));
    snprintf(k->method, sizeof k->method, "bdf");
    ts->data = k;
    ts->ops->setup = TSSetUp_Keel;
    ts->ops->step = TSStep_Keel;
    ts->ops->interpolate = TSInterpolate_Keel;
    ts->ops->rollback = TSRollBack_Keel;
    ts->ops->reset = TSReset_Keel;
    ts->ops->destroy = TSDestroy_Keel;
    ts->ops->setfromoptions = TSSetFromOptions_Keel;
    ts->ops->view = TSView_Keel;
    ts->default_adapt_type = TSADAPTNONE;
    PetscFunctionReturn(0);
}

PetscErrorCode keel_petsc_register(void)
{
    return TSRegister("keel", TSCreate_Keel);
}

PetscErrorCode keel_petsc_set_constraints(TS ts, IS rows)
{
    return PetscObjectCompose((PetscObject)ts, CONSTRAINT_KEY, (PetscObject)rows);
}
