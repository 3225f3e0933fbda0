/* ts.c -- PETSc's TS by Keel: -ts_type keel.
 *
 * A TS has F(t,u,u') = G(t,u), where F is u' unless it is given, and the Jacobian F_u + shift F_u' - G_u.  With F
 * linear in u' and F_u' = M constant that is M u' = f(t,u), f = G - F(t,u,0), and
 *
 *   J = f_u = -(Jacobian at shift 0),   M = (Jacobian at shift 1) - (Jacobian at shift 0).
 *
 * Rows that keel_petsc_set_constraints names are 0 = g(t,y) of a problem of index 2, y' = f(t,y,z), where the
 * unknowns of the same numbers are z; those rows of M must be zero and the others the identity.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <petsc/private/tsimpl.h>

#include <keel/petsc.h>

static const char constraint_key[] = "keel_constraints";

typedef struct ts_keel {
    char method[48];
    keel_problem *problem;
    keel_engine *engine;
    keel_solver *solver;         /* NULL: to be made                                     */
    PetscInt n, differential;    /* of this rank                                         */
    PetscInt *order;             /* [n] where the unknowns of Keel are in those of the TS */
    IS all;                      /* the same in global numbers; NULL: they are the same  */
    Vec u, zero, F;              /* of the TS                                            */
    Mat M, J;
    Mat part;                    /* the Jacobian of the TS in the order of Keel, where that is another */
    PetscObjectState state;      /* of the solution that was left                        */
    double *y;                   /* [n]                                                  */
    Vec before;                  /* the solution before the step                         */
} ts_keel;

/* ---- vectors of the TS and of Keel -------------------------------------------------------- */

static PetscErrorCode spread(const ts_keel *k, const double *y, const double *z, Vec u)
{
    PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(u, &values));
    for (PetscInt i = 0; i < k->n; i++) {
        const double x = i < k->differential ? y[i] : z ? z[i - k->differential] : 0;
        values[k->order[i]] = x;
    }
    PetscCall(VecRestoreArray(u, &values));
    PetscFunctionReturn(0);
}

static PetscErrorCode collect(const ts_keel *k, Vec u, PetscInt from, PetscInt to, double factor, double *y)
{
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(u, &values));
    for (PetscInt i = from; i < to; i++) y[i - from] = factor * values[k->order[i]];
    PetscCall(VecRestoreArrayRead(u, &values));
    PetscFunctionReturn(0);
}

/* ---- callbacks ---------------------------------------------------------------------------- */

/* -(F(t,u,0) - G(t,u)) */
static PetscErrorCode evaluate(TS ts, double t, const double *y, const double *z, PetscInt from, PetscInt to, double *f)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(spread(k, y, z, k->u));
    PetscCall(TSComputeIFunction(ts, t, k->u, k->zero, k->F, PETSC_FALSE));
    PetscCall(collect(k, k->F, from, to, -1, f));
    PetscFunctionReturn(0);
}

/* A point that the user's domain excludes asks for a smaller step. */
static int evaluated(TS ts, double t, PetscErrorCode error)
{
    const ts_keel *k = ts->data;
    PetscBool accepted = PETSC_TRUE;
    if (error || TSFunctionDomainError(ts, t, k->u, &accepted)) return -1;
    return accepted ? 0 : 1;
}

static int rhs_plain(double t, const double *y, double *f, void *context)
{
    const ts_keel *k = ((TS)context)->data;
    return evaluated(context, t, evaluate(context, t, y, NULL, 0, k->n, f));
}

static int rhs_parts(double t, const double *y, const double *z, double *f, void *context)
{
    const ts_keel *k = ((TS)context)->data;
    return evaluated(context, t, evaluate(context, t, y, z, 0, k->differential, f));
}

static int constraint(double t, const double *y, double *g, void *context)
{
    const ts_keel *k = ((TS)context)->data;
    return evaluated(context, t, evaluate(context, t, y, NULL, k->differential, k->n, g));
}

/* The engine has M; nobody asks the problem. */
static int mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)M, (void)context;
    return -1;
}

/* B := the Jacobian of the TS at that shift, in the order of Keel. */
static PetscErrorCode jacobian_at(TS ts, double t, Vec u, double shift, Mat *out)
{
    ts_keel *k = ts->data;
    Mat A, B;
    PetscFunctionBeginUser;
    PetscCall(TSGetIJacobian(ts, &A, &B, NULL, NULL));
    if (!B) PetscCall(TSGetRHSJacobian(ts, &A, &B, NULL, NULL));
    PetscCheck(B, PETSC_COMM_SELF, PETSC_ERR_USER, "-ts_type keel needs a Jacobian matrix: TSSetIJacobian");
    PetscCall(TSComputeIJacobian(ts, t, u, k->zero, shift, A, B, PETSC_FALSE));
    if (k->all) {
        PetscCall(MatCreateSubMatrix(B, k->all, k->all, k->part ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &k->part));
        B = k->part;
    }
    if (*out) PetscCall(MatCopy(B, *out, SAME_NONZERO_PATTERN));
    else PetscCall(MatDuplicate(B, MAT_COPY_VALUES, out));
    PetscFunctionReturn(0);
}

static PetscErrorCode fill_jacobian(TS ts, double t, Vec y, Mat J)
{
    const ts_keel *k = ts->data;
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(y, &values));
    PetscCall(spread(k, values, values + k->differential, k->u));
    PetscCall(VecRestoreArrayRead(y, &values));
    PetscCall(jacobian_at(ts, t, k->u, 0, &J));
    PetscCall(MatScale(J, -1));
    PetscFunctionReturn(0);
}

static int jacobian(double t, Vec y, Vec yp, Mat J, void *context)
{
    (void)yp;
    return fill_jacobian(context, t, y, J) ? -1 : 0;
}

/* ---- making ------------------------------------------------------------------------------- */

/* Differential unknowns first, then the multipliers. */
static PetscErrorCode find_order(TS ts)
{
    ts_keel *k = ts->data;
    IS rows = NULL;
    PetscInt begin, end, count = 0, *global;
    const PetscInt *marked = NULL;
    PetscFunctionBeginUser;
    PetscCall(VecGetOwnershipRange(ts->vec_sol, &begin, &end));
    PetscCall(PetscObjectQuery((PetscObject)ts, constraint_key, (PetscObject *)&rows));
    if (rows) {
        PetscCall(ISGetLocalSize(rows, &count));
        PetscCall(ISGetIndices(rows, &marked));
    }
    k->n = end - begin;
    k->differential = k->n - count;
    PetscCall(PetscMalloc1(k->n, &k->order));
    PetscInt plain = 0, next = 0;
    for (PetscInt i = 0; i < k->n; i++) {
        const int is_constraint = next < count && marked[next] == begin + i;
        if (is_constraint) k->order[k->differential + next++] = i;
        else if (plain < k->differential) k->order[plain++] = i;
    }
    PetscCheck(next == count, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "constraint rows must be of this rank and ascend");
    if (!rows) PetscFunctionReturn(0);
    PetscCall(ISRestoreIndices(rows, &marked));
    PetscCall(PetscMalloc1(k->n, &global));
    for (PetscInt i = 0; i < k->n; i++) global[i] = begin + k->order[i];
    PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)ts), k->n, global, PETSC_OWN_POINTER, &k->all));
    PetscFunctionReturn(0);
}

/* M, and whether it is diag(1, 0) where constraints are named. */
static PetscErrorCode find_mass(TS ts)
{
    ts_keel *k = ts->data;
    Mat at_zero = NULL;
    PetscInt begin, count;
    const PetscInt *columns;
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(jacobian_at(ts, ts->ptime, ts->vec_sol, 1, &k->M));
    PetscCall(jacobian_at(ts, ts->ptime, ts->vec_sol, 0, &at_zero));
    PetscCall(MatAXPY(k->M, -1, at_zero, SAME_NONZERO_PATTERN));
    PetscCall(MatScale(at_zero, -1));
    k->J = at_zero;
    if (!k->all) PetscFunctionReturn(0);
    PetscCall(MatGetOwnershipRange(k->M, &begin, NULL));
    for (PetscInt i = 0; i < k->n; i++) {
        PetscCall(MatGetRow(k->M, begin + i, &count, &columns, &values));
        for (PetscInt j = 0; j < count; j++) {
            const double expected = columns[j] == begin + i && i < k->differential;
            PetscCheck(PetscAbsScalar(values[j] - expected) <= 1e-12, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                       "with constraints of index 2 the other rows of F must be u' - f, and row %" PetscInt_FMT " is not",
                       begin + k->order[i]);
        }
        PetscCall(MatRestoreRow(k->M, begin + i, &count, &columns, &values));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode check_keel(TS ts, int status, const char *message)
{
    PetscFunctionBeginUser;
    PetscCheck(status == KEEL_OK, PetscObjectComm((PetscObject)ts), PETSC_ERR_LIB, "%s: %s", keel_status_name(status),
               message ? message : "");
    PetscFunctionReturn(0);
}

static PetscErrorCode make_solver(TS ts)
{
    ts_keel *k = ts->data;
    int rc;
    PetscFunctionBeginUser;
    if (k->all)
        rc = keel_hessenberg2(&k->problem, &(keel_hessenberg2_spec){
            .differential = (int)k->differential, .multipliers = (int)(k->n - k->differential), .rhs = rhs_parts,
            .constraint = constraint, .pattern = {.storage = KEEL_UNFORMED}, .context = ts});
    else
        rc = keel_quasilinear(&k->problem, &(keel_quasilinear_spec){
            .size = (int)k->n, .mass = mass, .constant_mass = 1, .rhs = rhs_plain,
            .pattern = {.storage = KEEL_UNFORMED}, .context = ts});
    PetscCall(check_keel(ts, rc, k->problem ? keel_problem_message(k->problem) : NULL));
    const char *prefix = NULL;
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)ts, &prefix));
    rc = keel_petsc_engine(&k->engine, &(keel_petsc_spec){
        .comm = PetscObjectComm((PetscObject)ts), .differential = (int)k->differential,
        .algebraic = (int)(k->n - k->differential), .pattern = k->J, .jacobian = jacobian,
        .mass = k->all ? NULL : k->M, .prefix = prefix, .context = ts});
    PetscCall(check_keel(ts, rc, k->engine ? keel_engine_message(k->engine) : NULL));
    rc = keel_solver_create(&k->solver, k->problem, &(keel_options){
        .method = k->method, .rtol = ts->rtol, .atol = ts->atol, .engine = k->engine});
    PetscCall(check_keel(ts, rc, k->solver ? keel_message(k->solver) : NULL));
    PetscFunctionReturn(0);
}

static PetscErrorCode start(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(collect(k, ts->vec_sol, 0, k->n, 1, k->y));
    PetscCall(check_keel(ts, keel_start(k->solver, ts->ptime, k->y), keel_message(k->solver)));
    if (ts->exact_final_time == TS_EXACTFINALTIME_MATCHSTEP && ts->max_time < PETSC_MAX_REAL)
        PetscCall(check_keel(ts, keel_set_stop_time(k->solver, ts->max_time), keel_message(k->solver)));
    PetscFunctionReturn(0);
}

/* ---- what a TS asks for ------------------------------------------------------------------- */

static PetscErrorCode TSSetUp_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(VecDuplicate(ts->vec_sol, &k->u));
    PetscCall(VecDuplicate(ts->vec_sol, &k->zero));
    PetscCall(VecDuplicate(ts->vec_sol, &k->F));
    PetscCall(VecDuplicate(ts->vec_sol, &k->before));
    PetscCall(find_order(ts));
    PetscCall(PetscMalloc1(k->n, &k->y));
    PetscFunctionReturn(0);
}

/* One accepted step.  A solution or time that is not as it was left (events, TSSetSolution) begins anew. */
static PetscErrorCode TSStep_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscObjectState now;
    PetscFunctionBeginUser;
    if (!k->solver) {
        PetscCall(find_mass(ts));
        PetscCall(make_solver(ts));
        PetscCall(start(ts));
    } else {
        PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &now));
        if (now != k->state || ts->ptime != keel_time(k->solver) || ts->steprestart) PetscCall(start(ts));
    }
    PetscCall(VecCopy(ts->vec_sol, k->before));
    const int rc = keel_step(k->solver);
    if (rc != KEEL_OK && rc != KEEL_STOP_REACHED) {
        PetscCall(PetscInfo(ts, "%s: %s\n", keel_status_name(rc), keel_message(k->solver)));
        ts->reason = TS_DIVERGED_STEP_REJECTED;
        PetscCheck(!ts->errorifstepfailed, PetscObjectComm((PetscObject)ts), PETSC_ERR_NOT_CONVERGED, "%s: %s",
                   keel_status_name(rc), keel_message(k->solver));
        PetscFunctionReturn(0);
    }
    const double *y = keel_state(k->solver);
    PetscCall(spread(k, y, y + k->differential, ts->vec_sol));
    PetscCall(PetscObjectStateGet((PetscObject)ts->vec_sol, &k->state));
    ts->time_step = keel_solver_stats(k->solver)->last_step;
    ts->ptime = keel_time(k->solver);
    ts->snes_its = (PetscInt)keel_solver_stats(k->solver)->newton;
    PetscFunctionReturn(0);
}

static PetscErrorCode TSInterpolate_Keel(TS ts, PetscReal t, Vec out)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(check_keel(ts, keel_interpolate(k->solver, t, k->y), keel_message(k->solver)));
    PetscCall(spread(k, k->y, k->y + k->differential, out));
    PetscFunctionReturn(0);
}

static PetscErrorCode TSRollBack_Keel(TS ts)
{
    ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(VecCopy(k->before, ts->vec_sol));
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
    return PetscObjectCompose((PetscObject)ts, constraint_key, (PetscObject)rows);
}
