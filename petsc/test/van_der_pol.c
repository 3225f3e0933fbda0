/* van_der_pol.c -- van der Pol's equation in the limit, as a DAE of index 1 for PETSc's TS, in the form of its
 * tutorials: F(t,u,u') = 0 with its Jacobian.
 *
 *   y' = -z,   0 = y - (z^3/3 - z),   z(0) = 2
 *
 * so that (z^2 - 1) z' = -z, and z^2/2 - ln z + t is constant.  Prints how much it is not at t = 0.5, and the
 * residual of the constraint.  With two or more ranks every rank has an equation of its own.
 */
#include <keel/petsc.h>

static PetscErrorCode function(TS ts, PetscReal t, Vec u, Vec up, Vec F, void *context)
{
    const PetscScalar *x, *xp;
    PetscScalar *f;
    PetscFunctionBeginUser;
    (void)ts, (void)t, (void)context;
    PetscCall(VecGetArrayRead(u, &x));
    PetscCall(VecGetArrayRead(up, &xp));
    PetscCall(VecGetArray(F, &f));
    f[0] = xp[0] + x[1];
    f[1] = x[0] - (x[1] * x[1] * x[1] / 3 - x[1]);
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscCall(VecRestoreArrayRead(up, &xp));
    PetscCall(VecRestoreArray(F, &f));
    PetscFunctionReturn(0);
}

static PetscErrorCode derivative(TS ts, PetscReal t, Vec u, Vec up, PetscReal shift, Mat A, Mat B, void *context)
{
    const PetscScalar *x;
    PetscInt begin;
    PetscFunctionBeginUser;
    (void)ts, (void)t, (void)up, (void)A, (void)context;
    PetscCall(VecGetArrayRead(u, &x));
    PetscCall(VecGetOwnershipRange(u, &begin, NULL));
    const PetscInt at[2] = {begin, begin + 1};
    const PetscScalar values[4] = {shift, 1, 1, 1 - x[1] * x[1]};
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscCall(MatSetValues(B, 2, at, 2, at, values, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* -each TOLERANCE: relative and absolute, by vectors. */
static PetscErrorCode set_each(TS ts, Vec u)
{
    PetscReal each = 0;
    Vec tolerance;
    PetscFunctionBeginUser;
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-each", &each, NULL));
    if (each == 0) PetscFunctionReturn(0);
    PetscCall(VecDuplicate(u, &tolerance));
    PetscCall(VecSet(tolerance, each));
    PetscCall(TSSetTolerances(ts, PETSC_DECIDE, tolerance, PETSC_DECIDE, tolerance));
    PetscCall(VecDestroy(&tolerance));
    PetscFunctionReturn(0);
}

static double constant(double t, double z) { return z * z / 2 - log(z) + t; }

int main(int argc, char **argv)
{
    TS ts;
    Vec u;
    Mat J;
    PetscScalar *x;
    TSType type;
    PetscReal t;
    PetscInt steps;
    double start = 2, off[2], most[2];

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(keel_petsc_register());
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 2, 2, PETSC_DETERMINE, PETSC_DETERMINE, 2, NULL, 0, NULL, &J));
    PetscCall(MatCreateVecs(J, &u, NULL));
    PetscCall(VecGetArray(u, &x));
    x[0] = start * start * start / 3 - start;
    x[1] = start;
    PetscCall(VecRestoreArray(u, &x));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetIFunction(ts, NULL, function, NULL));
    PetscCall(TSSetIJacobian(ts, J, J, derivative, NULL));
    PetscCall(TSSetMaxTime(ts, 0.5));
    PetscCall(TSSetTimeStep(ts, 0.01));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSSetFromOptions(ts));
    PetscCall(set_each(ts, u));
    PetscCall(TSSolve(ts, u));
    PetscCall(TSGetSolveTime(ts, &t));
    PetscCall(TSGetType(ts, &type));
    PetscCall(TSGetStepNumber(ts, &steps));
    PetscCall(VecGetArray(u, &x));
    off[0] = fabs(constant(t, x[1]) - constant(0, start));
    off[1] = fabs(x[0] - (x[1] * x[1] * x[1] / 3 - x[1]));
    PetscCall(VecRestoreArray(u, &x));
    MPI_Allreduce(off, most, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: t %g steps %d error %.1e constraint %.1e\n", type, (double)t, (int)steps,
                          most[0], most[1]));
    PetscCall(TSDestroy(&ts));
    PetscCall(VecDestroy(&u));
    PetscCall(MatDestroy(&J));
    PetscCall(PetscFinalize());
    return 0;
}
