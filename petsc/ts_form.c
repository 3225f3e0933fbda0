/* ts_form.c -- what a TS of type keel solves.
 *
 * A TS has F(t,u,u') = G(t,u), where F is u' unless it is given, and the Jacobian F_u + shift F_u' - G_u.  With F
 * linear in u' and F_u' = M constant that is M u' = f(t,u), f = G - F(t,u,0), and
 *
 *   J = f_u = -(Jacobian at shift 0),   M = (Jacobian at shift 1) - (Jacobian at shift 0).
 *
 * Rows that keel_petsc_set_constraints names are 0 = g(t,y) of a problem of index 2, y' = f(t,y,z), where the
 * unknowns of the same numbers are z; those rows of M must be zero and the others the identity.
 */
#include "ts.h"

/* ---- vectors of the TS and of Keel -------------------------------------------------------- */

PetscErrorCode ts_spread(const ts_keel *k, const double *y, const double *z, Vec u)
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

PetscErrorCode ts_collect(const ts_keel *k, Vec u, PetscInt from, PetscInt to, double factor, double *y)
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
    PetscCall(ts_spread(k, y, z, k->u));
    PetscCall(TSComputeIFunction(ts, t, k->u, k->zero, k->F, PETSC_FALSE));
    PetscCall(ts_collect(k, k->F, from, to, -1, f));
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

static PetscErrorCode spread_vector(const ts_keel *k, Vec y, Vec u)
{
    const PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(y, &values));
    PetscCall(ts_spread(k, values, values + k->differential, u));
    PetscCall(VecRestoreArrayRead(y, &values));
    PetscFunctionReturn(0);
}

/* At k->u: is F(t,u,u') = F(t,u,0) + M u' with the M of the start, for the u' of find_mass?  Two evaluations for each
 * Jacobian. */
static PetscErrorCode check_linear(TS ts, double t)
{
    const ts_keel *k = ts->data;
    PetscReal at_rest, moving, off;
    PetscFunctionBeginUser;
    PetscCall(TSComputeIFunction(ts, t, k->u, k->zero, k->trial, PETSC_FALSE));
    PetscCall(VecNorm(k->trial, NORM_INFINITY, &at_rest));
    PetscCall(VecAXPY(k->trial, 1, k->product));
    PetscCall(TSComputeIFunction(ts, t, k->u, k->rate, k->F, PETSC_FALSE));
    PetscCall(VecNorm(k->F, NORM_INFINITY, &moving));
    PetscCall(VecAXPY(k->trial, -1, k->F));
    PetscCall(VecNorm(k->trial, NORM_INFINITY, &off));
    PetscCheck(!(off > 1e-8 * (1 + at_rest + moving)), PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_WRONG,
               "-ts_type keel needs F(t,u,u') linear in u' with a constant F_u': at t = %g it is off by %g", t,
               (double)off);
    PetscFunctionReturn(0);
}

static PetscErrorCode fill_jacobian(TS ts, double t, Vec y, Mat J)
{
    const ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    PetscCall(spread_vector(k, y, k->u));
    PetscCall(check_linear(ts, t));
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
PetscErrorCode ts_find_order(TS ts)
{
    ts_keel *k = ts->data;
    IS rows = NULL;
    PetscInt begin, end, count = 0, *global;
    const PetscInt *marked = NULL;
    PetscFunctionBeginUser;
    PetscCall(VecGetOwnershipRange(ts->vec_sol, &begin, &end));
    PetscCall(PetscObjectQuery((PetscObject)ts, CONSTRAINT_KEY, (PetscObject *)&rows));
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

/* Some u', different in all rows, and M u'. */
static PetscErrorCode find_rate(ts_keel *k)
{
    Vec rate, product;
    PetscScalar *values;
    PetscInt begin;
    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(k->M, &rate, &product));
    PetscCall(VecGetOwnershipRange(rate, &begin, NULL));
    PetscCall(VecGetArray(rate, &values));
    for (PetscInt i = 0; i < k->n; i++) values[i] = 1 + 0.1 * (double)((begin + i) % 7);
    PetscCall(VecRestoreArray(rate, &values));
    PetscCall(MatMult(k->M, rate, product));
    PetscCall(spread_vector(k, rate, k->rate));
    PetscCall(spread_vector(k, product, k->product));
    PetscCall(VecDestroy(&rate));
    PetscCall(VecDestroy(&product));
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
    PetscCall(find_rate(k));
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

PetscErrorCode ts_check(TS ts, int status, const char *message)
{
    PetscFunctionBeginUser;
    PetscCheck(status == KEEL_OK, PetscObjectComm((PetscObject)ts), PETSC_ERR_LIB, "%s: %s", keel_status_name(status),
               message ? message : "");
    PetscFunctionReturn(0);
}

/* Tolerances of each unknown, where the TS has them; to be freed. */
static PetscErrorCode tolerances_of(TS ts, Vec given, double **each)
{
    const ts_keel *k = ts->data;
    PetscFunctionBeginUser;
    *each = NULL;
    if (!given) PetscFunctionReturn(0);
    PetscCall(PetscMalloc1(k->n, each));
    PetscCall(ts_collect(k, given, 0, k->n, 1, *each));
    PetscFunctionReturn(0);
}

/* Step sizes are Keel's: of a TSAdapt the largest step is taken over; types whose steps would be others are refused. */
static PetscErrorCode longest_step(TS ts, double *most)
{
    TSAdapt adapt;
    TSAdaptType type;
    PetscReal low, high;
    PetscBool none, basic;
    PetscFunctionBeginUser;
    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptGetType(adapt, &type));
    PetscCall(PetscStrcmp(type, TSADAPTNONE, &none));
    PetscCall(PetscStrcmp(type, TSADAPTBASIC, &basic));
    PetscCheck(!type || none || basic, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
               "-ts_type keel chooses its steps itself: -ts_adapt_type %s has no meaning", type);
    PetscCall(TSAdaptGetStepLimits(adapt, &low, &high));
    *most = high < 1e19 ? high : 0;                      /* PETSc's own limit is 1e20 */
    PetscFunctionReturn(0);
}

static PetscErrorCode make_solver(TS ts)
{
    ts_keel *k = ts->data;
    keel_options options = {.method = k->method, .rtol = ts->rtol, .atol = ts->atol, .engine = k->engine};
    double *rtol, *atol;
    PetscFunctionBeginUser;
    PetscCall(longest_step(ts, &options.max_step));
    PetscCall(tolerances_of(ts, ts->vrtol, &rtol));
    PetscCall(tolerances_of(ts, ts->vatol, &atol));
    options.rtol_each = rtol;
    options.atol_each = atol;
    const int rc = keel_solver_create(&k->solver, k->problem, &options);
    PetscCall(PetscFree(rtol));
    PetscCall(PetscFree(atol));
    PetscCall(ts_check(ts, rc, k->solver ? keel_message(k->solver) : NULL));
    PetscFunctionReturn(0);
}

PetscErrorCode ts_make_solver(TS ts)
{
    ts_keel *k = ts->data;
    int rc;
    PetscFunctionBeginUser;
    PetscCall(find_mass(ts));
    if (k->all)
        rc = keel_hessenberg2(&k->problem, &(keel_hessenberg2_spec){
            .differential = (int)k->differential, .multipliers = (int)(k->n - k->differential), .rhs = rhs_parts,
            .constraint = constraint, .pattern = {.storage = KEEL_UNFORMED}, .context = ts});
    else
        rc = keel_quasilinear(&k->problem, &(keel_quasilinear_spec){
            .size = (int)k->n, .mass = mass, .constant_mass = 1, .rhs = rhs_plain,
            .pattern = {.storage = KEEL_UNFORMED}, .context = ts});
    PetscCall(ts_check(ts, rc, k->problem ? keel_problem_message(k->problem) : NULL));
    const char *prefix = NULL;
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)ts, &prefix));
    rc = keel_petsc_engine(&k->engine, &(keel_petsc_spec){
        .comm = PetscObjectComm((PetscObject)ts), .differential = (int)k->differential,
        .algebraic = (int)(k->n - k->differential), .pattern = k->J, .jacobian = jacobian,
        .mass = k->all ? NULL : k->M, .prefix = prefix,
        .counts = &k->counts, .context = ts});
    PetscCall(ts_check(ts, rc, k->engine ? keel_engine_message(k->engine) : NULL));
    PetscCall(make_solver(ts));
    PetscFunctionReturn(0);
}
