/* balls.c -- events of PETSc's TS: a ball on each rank, which bounces; w is algebraic.
 *
 *   y' = v,   v' = -1,   0 = w - y - v^2/2,   y(0) = 1 + rank/2,  v(0) = 0;   where y falls through 0: v := -v/2
 *
 * With -curved C the second equation is v' + C v'^2 = -1, which is no form for -ts_type keel.
 * Between bounces everything is a polynomial, so that errors are those of where events are found.  Prints the largest
 * error at the end, and how often balls bounced.
 */
#include <keel/petsc.h>

static PetscErrorCode function(TS ts, PetscReal t, Vec u, Vec up, Vec F, void *context)
{
    const PetscScalar *x, *xp;
    PetscScalar *f;
    PetscFunctionBeginUser;
    const double *curved = context;
    (void)ts, (void)t;
    PetscCall(VecGetArrayRead(u, &x));
    PetscCall(VecGetArrayRead(up, &xp));
    PetscCall(VecGetArray(F, &f));
    f[0] = xp[0] - x[1];
    f[1] = xp[1] + *curved * xp[1] * xp[1] + 1;
    f[2] = x[2] - x[0] - x[1] * x[1] / 2;
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscCall(VecRestoreArrayRead(up, &xp));
    PetscCall(VecRestoreArray(F, &f));
    PetscFunctionReturn(0);
}

static PetscErrorCode derivative(TS ts, PetscReal t, Vec u, Vec up, PetscReal shift, Mat A, Mat B, void *context)
{
    const PetscScalar *x;
    PetscInt i;
    PetscFunctionBeginUser;
    (void)ts, (void)t, (void)up, (void)A, (void)context;
    PetscCall(VecGetArrayRead(u, &x));
    PetscCall(MatGetOwnershipRange(B, &i, NULL));
    const PetscScalar rows[9] = {shift, -1, 0, 0, shift, 0, -1, -x[1], 1};
    const PetscInt at[3] = {i, i + 1, i + 2};
    PetscCall(MatSetValues(B, 3, at, 3, at, rows, INSERT_VALUES));
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode height(TS ts, PetscReal t, Vec u, PetscScalar value[], void *context)
{
    const PetscScalar *x;
    PetscFunctionBeginUser;
    (void)ts, (void)t, (void)context;
    PetscCall(VecGetArrayRead(u, &x));
    value[0] = x[0];
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscFunctionReturn(0);
}

static PetscErrorCode bounce(TS ts, PetscInt count, PetscInt which[], PetscReal t, Vec u, PetscBool forward, void *context)
{
    PetscScalar *x;
    PetscFunctionBeginUser;
    (void)ts, (void)which, (void)t, (void)forward;
    PetscCall(VecGetArray(u, &x));
    if (count > 0) {
        x[0] = 0;
        x[1] *= -0.5;
        x[2] = x[1] * x[1] / 2;
        ++*(int *)context;
    }
    PetscCall(VecRestoreArray(u, &x));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    TS ts;
    Vec u;
    Mat J;
    PetscReal curved = 0;
    int rank, bounces = 0, all = 0;
    PetscScalar *x;
    PetscReal t;
    PetscInt direction = -1, steps;
    PetscBool terminate = PETSC_FALSE;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(keel_petsc_register());
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-curved", &curved, NULL));
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 0, NULL, &J));
    PetscCall(MatCreateVecs(J, &u, NULL));
    const double high = 1 + 0.5 * rank;
    PetscCall(VecGetArray(u, &x));
    x[0] = x[2] = high;
    PetscCall(VecRestoreArray(u, &x));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetIFunction(ts, NULL, function, &curved));
    PetscCall(TSSetIJacobian(ts, J, J, derivative, NULL));
    PetscCall(TSSetMaxTime(ts, 3));
    PetscCall(TSSetTimeStep(ts, 0.05));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSSetEventHandler(ts, 1, &direction, &terminate, height, bounce, &bounces));
    PetscCall(TSSetEventTolerances(ts, 1e-10, NULL));
    PetscCall(TSSetFromOptions(ts));
    PetscCall(TSSolve(ts, u));
    PetscCall(TSGetSolveTime(ts, &t));
    PetscCall(TSGetStepNumber(ts, &steps));

    double at = 0, y = high, v = 0, fall = sqrt(2 * high), off = 0, most;     /* fall: until it is at 0 again */
    int expected = 0;
    while (at + fall <= t) {
        at += fall;
        v = 0.5 * (fall - v);                    /* it falls with v - fall */
        y = 0, fall = 2 * v, expected++;
    }
    y += (t - at) * (v - (t - at) / 2);
    v -= t - at;
    PetscCall(VecGetArray(u, &x));
    off = PetscMax(fabs(x[0] - y), PetscMax(fabs(x[1] - v), fabs(x[2] - y - v * v / 2)));
    PetscCall(VecRestoreArray(u, &x));
    if (bounces != expected) off = 1;
    MPI_Allreduce(&off, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    MPI_Allreduce(&bounces, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "t %g steps %d bounces %d error %.1e\n", (double)t, (int)steps, all, most));
    PetscCall(TSDestroy(&ts));
    PetscCall(VecDestroy(&u));
    PetscCall(MatDestroy(&J));
    PetscCall(PetscFinalize());
    return 0;
}
