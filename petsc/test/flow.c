/* flow.c -- the flow of examples/petsc_channel.c as a program for PETSc's TS: F(t,u,u') = 0 with its Jacobian, and
 * the rows of the divergence in an index set.  What a user of PETSc has; -ts_type keel is all that changes.
 *
 *   mpirun -n 2 petsc_flow -side 16 -ts_type keel -ts_keel_method radau-iia-3 -ts_rtol 1e-5 [-output FILE]
 */
#include "../../examples/petsc_channel_grid.h"

static long functions, derivatives;     /* calls */

static PetscErrorCode function(TS ts, PetscReal t, Vec u, Vec up, Vec F, void *context)
{
    grid *g = context;
    const PetscScalar *x, *xp;
    PetscScalar *f;
    PetscFunctionBeginUser;
    (void)ts;
    functions++;
    PetscCall(VecGetArrayRead(u, &x));
    PetscCall(VecGetArrayRead(up, &xp));
    PetscCall(VecGetArray(F, &f));
    rhs(t, x, x + g->velocities, f, g);
    constraint(t, x, f + g->velocities, g);
    for (int i = 0; i < g->velocities; i++) f[i] = xp[i] - f[i];
    for (int i = 0; i < g->pressures; i++) f[g->velocities + i] *= -1;
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscCall(VecRestoreArrayRead(up, &xp));
    PetscCall(VecRestoreArray(F, &f));
    PetscFunctionReturn(0);
}

static PetscErrorCode derivative(TS ts, PetscReal t, Vec u, Vec up, PetscReal shift, Mat A, Mat B, void *context)
{
    const grid *g = context;
    PetscInt begin;
    PetscFunctionBeginUser;
    (void)ts, (void)A;
    derivatives++;
    jacobian(t, u, up, B, context);
    PetscCall(MatScale(B, -1));
    PetscCall(MatGetOwnershipRange(B, &begin, NULL));
    for (int i = 0; i < g->velocities; i++) PetscCall(MatSetValue(B, begin + i, begin + i, shift, ADD_VALUES));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* The largest divergence after any step. */
static PetscErrorCode watch(TS ts, PetscInt step, PetscReal t, Vec u, void *context)
{
    grid *g;
    double *most = context;
    const PetscScalar *x;
    PetscFunctionBeginUser;
    PetscCall(TSGetApplicationContext(ts, &g));
    PetscCall(VecGetArrayRead(u, &x));
    double *c = malloc((size_t)g->pressures * sizeof *c);
    constraint(t, x, c, g);
    for (int i = 0; i < g->pressures && step > 0; i++) *most = fmax(*most, fabs(c[i]));
    free(c);
    PetscCall(VecRestoreArrayRead(u, &x));
    PetscFunctionReturn(0);
}

/* TS tests all unknowns; the pressures of index 2 are no part of a fair test, so they get a tolerance they meet. */
static PetscErrorCode leave_pressures_out(TS ts, Vec u, const grid *g)
{
    PetscReal atol, rtol;
    Vec each, relative;
    PetscScalar *x, *r;
    PetscFunctionBeginUser;
    PetscCall(TSGetTolerances(ts, &atol, NULL, &rtol, NULL));
    PetscCall(VecDuplicate(u, &each));
    PetscCall(VecDuplicate(u, &relative));
    PetscCall(VecGetArray(each, &x));
    PetscCall(VecGetArray(relative, &r));
    for (int i = 0; i < g->velocities + g->pressures; i++) {
        x[i] = i < g->velocities ? atol : 1e6;
        r[i] = rtol;
    }
    PetscCall(VecRestoreArray(each, &x));
    PetscCall(VecRestoreArray(relative, &r));
    PetscCall(TSSetTolerances(ts, PETSC_DECIDE, each, PETSC_DECIDE, relative));
    PetscCall(VecDestroy(&each));
    PetscCall(VecDestroy(&relative));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt side = 16, steps, iterations;
    PetscBool named = PETSC_TRUE;
    char output[PETSC_MAX_PATH_LEN] = "";
    double most = 0, all = 0;
    grid g;
    TS ts;
    Vec u;
    Mat J;
    IS rows;
    TSType type;
    PetscInt begin;
    PetscScalar *x;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(keel_petsc_register());
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-constraints", &named, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-output", output, sizeof output, NULL));
    grid_open(&g, PETSC_COMM_WORLD, (int)side);
    const PetscInt size = g.velocities + g.pressures;
    PetscCall(MatCreateAIJ(g.comm, size, size, PETSC_DETERMINE, PETSC_DETERMINE, 16, NULL, 16, NULL, &J));
    PetscCall(MatCreateVecs(J, &u, NULL));
    jacobian(0, u, NULL, J, &g);
    PetscCall(VecGetArray(u, &x));
    for (int k = 0; k < g.pressures; k++) {
        const double y = (g.from + k / side + 0.5) * g.h;
        x[k] = 4 * y * (1 - y);
    }
    PetscCall(VecRestoreArray(u, &x));
    PetscCall(VecGetOwnershipRange(u, &begin, NULL));
    PetscCall(ISCreateStride(g.comm, g.pressures, begin + g.velocities, 1, &rows));
    PetscCall(TSCreate(g.comm, &ts));
    PetscCall(TSSetApplicationContext(ts, &g));
    PetscCall(TSSetIFunction(ts, NULL, function, &g));
    PetscCall(TSSetIJacobian(ts, J, J, derivative, &g));
    PetscCall(TSSetMaxTime(ts, 0.5));
    PetscCall(TSSetTimeStep(ts, 1e-4));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSMonitorSet(ts, watch, &most, NULL));
    if (named) PetscCall(keel_petsc_set_constraints(ts, rows));
    PetscCall(TSSetFromOptions(ts));
    PetscBool keel;
    PetscCall(PetscObjectTypeCompare((PetscObject)ts, "keel", &keel));
    if (!keel) PetscCall(leave_pressures_out(ts, u, &g));
    const double start = MPI_Wtime();
    PetscCall(TSSolve(ts, u));
    const double seconds = MPI_Wtime() - start;
    PetscCall(TSGetType(ts, &type));
    PetscCall(TSGetStepNumber(ts, &steps));
    PetscCall(TSGetSNESIterations(ts, &iterations));
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, g.comm);
    PetscCall(PetscPrintf(g.comm, "%s side %d ranks %d: steps %d newton %d rhs %ld factorizations %ld divergence %.1e seconds %.3f\n",
                          type, (int)side, g.ranks, (int)steps, (int)iterations, functions, derivatives, all, seconds));
    PetscCall(VecGetArray(u, &x));
    if (output[0]) write_fields(&g, x, output);
    PetscCall(VecRestoreArray(u, &x));
    PetscCall(TSDestroy(&ts));
    PetscCall(ISDestroy(&rows));
    PetscCall(VecDestroy(&u));
    PetscCall(MatDestroy(&J));
    grid_close(&g);
    PetscCall(PetscFinalize());
    return 0;
}
