/* ida_flow.c -- the flow of examples/petsc_channel.c by SUNDIALS IDA with SPGMR, preconditioned by PETSc as Keel is:
 * the same f, J and options behind -keel_.
 *
 *   mpirun -n 2 petsc_ida_flow -side 32 -rtol 1e-5 -options_file examples/petsc_fieldsplit.opts [-output FILE]
 */
#include <ida/ida.h>
#include <nvector/nvector_parallel.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include "../../examples/petsc_channel_grid.h"

typedef struct peer {
    grid g;
    Mat J, A;
    KSP ksp;
    Vec y, b, x;
    long evaluations;
} peer;

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector F, void *context)
{
    peer *p = context;
    const double *u = N_VGetArrayPointer(y), *up = N_VGetArrayPointer(yp);
    double *f = N_VGetArrayPointer(F);
    rhs(t, u, u + p->g.velocities, f, &p->g);
    constraint(t, u, f + p->g.velocities, &p->g);
    for (int i = 0; i < p->g.velocities; i++) f[i] = up[i] - f[i];
    for (int i = 0; i < p->g.pressures; i++) f[p->g.velocities + i] *= -1;
    p->evaluations++;
    return 0;
}

/* A = cj M - J, as Keel's sigma M - J. */
static int setup(realtype t, N_Vector y, N_Vector yp, N_Vector F, realtype cj, void *context)
{
    peer *p = context;
    PetscInt begin;
    (void)yp, (void)F;
    VecPlaceArray(p->y, N_VGetArrayPointer(y));
    jacobian(t, p->y, NULL, p->J, &p->g);
    VecResetArray(p->y);
    MatCopy(p->J, p->A, SAME_NONZERO_PATTERN);
    MatScale(p->A, -1);
    MatGetOwnershipRange(p->A, &begin, NULL);
    for (int i = 0; i < p->g.velocities; i++) MatSetValue(p->A, begin + i, begin + i, cj, ADD_VALUES);
    MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY);
    KSPSetOperators(p->ksp, p->A, p->A);
    return KSPSetUp(p->ksp) ? -1 : 0;
}

/* One application of the preconditioner alone: the iterations are IDA's. */
static int precondition(realtype t, N_Vector y, N_Vector yp, N_Vector F, N_Vector r, N_Vector z, realtype cj, realtype delta,
                        void *context)
{
    peer *p = context;
    PC pc;
    (void)t, (void)y, (void)yp, (void)F, (void)cj, (void)delta;
    VecPlaceArray(p->b, N_VGetArrayPointer(r));
    VecPlaceArray(p->x, N_VGetArrayPointer(z));
    KSPGetPC(p->ksp, &pc);
    const PetscErrorCode failed = PCApply(pc, p->b, p->x);
    VecResetArray(p->b);
    VecResetArray(p->x);
    return failed ? -1 : 0;
}

/* Velocities as at the inflow and the pressures that belong to them, found by Keel. */
static int consistent_start(peer *p, double *y, double *yp)
{
    grid *g = &p->g;
    keel_problem *problem = NULL;
    keel_engine *engine = NULL;
    keel_solver *solver = NULL;
    for (int k = 0; k < g->pressures; k++) {
        const double at = (g->from + k / g->nx + 0.5) * g->h;
        y[k] = 4 * at * (1 - at);
    }
    int rc = keel_hessenberg2(&problem, &(keel_hessenberg2_spec){
        .differential = g->velocities, .multipliers = g->pressures, .rhs = rhs, .constraint = constraint,
        .constraint_time = constraint_time, .pattern = {.storage = KEEL_UNFORMED}, .context = g});
    if (rc == KEEL_OK)
        rc = keel_petsc_engine(&engine, &(keel_petsc_spec){
            .comm = g->comm, .differential = g->velocities, .algebraic = g->pressures, .pattern = p->J,
            .jacobian = jacobian, .linear_constraint = 1, .context = g});
    if (rc == KEEL_OK)
        rc = keel_solver_create(&solver, problem, &(keel_options){.method = "bdf", .engine = engine});
    if (rc == KEEL_OK) rc = keel_start(solver, 0, y);
    if (rc == KEEL_OK) memcpy(y, keel_state(solver), (size_t)(g->velocities + g->pressures) * sizeof *y);
    keel_solver_free(solver);
    keel_engine_free(engine);
    keel_problem_free(problem);
    memset(yp, 0, (size_t)(g->velocities + g->pressures) * sizeof *yp);
    rhs(0, y, y + g->velocities, yp, g);
    return rc;
}

int main(int argc, char **argv)
{
    PetscInt side = 32;
    PetscReal tolerance = 1e-5;
    char output[PETSC_MAX_PATH_LEN] = "";
    peer p = {0};
    SUNContext sun;
    double t = 0, most[2] = {0, 0};
    long steps, setups, iterations;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-rtol", &tolerance, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-output", output, sizeof output, NULL));
    MPI_Comm comm = PETSC_COMM_WORLD;
    grid *g = &p.g;
    grid_open(g, comm, (int)side);
    const PetscInt size = g->velocities + g->pressures;
    PetscCall(MatCreateAIJ(comm, size, size, PETSC_DETERMINE, PETSC_DETERMINE, 16, NULL, 16, NULL, &p.J));
    PetscCall(MatCreateVecs(p.J, &p.x, NULL));
    jacobian(0, p.x, NULL, p.J, g);
    PetscCall(VecDestroy(&p.x));
    PetscCall(MatDuplicate(p.J, MAT_COPY_VALUES, &p.A));
    for (Vec **v = (Vec *[]){&p.y, &p.b, &p.x, NULL}; *v; v++)
        PetscCall(VecCreateMPIWithArray(comm, 1, size, PETSC_DECIDE, NULL, *v));
    PetscCall(KSPCreate(comm, &p.ksp));
    PetscCall(KSPSetOptionsPrefix(p.ksp, "keel_"));
    PetscCall(KSPSetFromOptions(p.ksp));

    SUNContext_Create(&comm, &sun);
    const long whole = 3L * side * side - side;
    N_Vector y = N_VNew_Parallel(comm, size, whole, sun), yp = N_VClone(y), id = N_VClone(y);
    N_VConst(0, y);                              /* which memory is not by itself */
    if (consistent_start(&p, N_VGetArrayPointer(y), N_VGetArrayPointer(yp)) != KEEL_OK) return 1;
    for (PetscInt i = 0; i < size; i++) N_VGetArrayPointer(id)[i] = i < g->velocities;
    void *ida = IDACreate(sun);
    SUNLinearSolver krylov = SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 30, sun);
    int rc = IDAInit(ida, residual, 0, y, yp);
    if (!rc) rc = IDASStolerances(ida, tolerance, tolerance);
    if (!rc) rc = IDASetUserData(ida, &p);
    if (!rc) rc = IDASetId(ida, id);
    if (!rc) rc = IDASetSuppressAlg(ida, 1);
    if (!rc) rc = IDASetLinearSolver(ida, krylov, NULL);
    if (!rc) rc = IDASetPreconditioner(ida, setup, precondition);
    if (!rc) rc = IDASetMaxNumSteps(ida, 100000);
    if (!rc) rc = IDASetStopTime(ida, 0.5);
    const double start = MPI_Wtime();
    double *c = malloc((size_t)g->pressures * sizeof *c);
    while (rc >= 0 && t < 0.5) {
        rc = IDASolve(ida, 0.5, &t, y, yp, IDA_ONE_STEP);
        constraint(t, N_VGetArrayPointer(y), c, g);
        for (int i = 0; i < g->pressures; i++) most[0] = fmax(most[0], fabs(c[i]));
    }
    const double seconds = MPI_Wtime() - start;
    IDAGetNumSteps(ida, &steps);
    IDAGetNumPrecEvals(ida, &setups);
    IDAGetNumLinIters(ida, &iterations);
    MPI_Allreduce(most, most + 1, 1, MPI_DOUBLE, MPI_MAX, comm);
    PetscCall(PetscPrintf(comm, "ida side %d ranks %d: code %d steps %ld rhs %ld factorizations %ld krylov %ld divergence %.1e "
                          "seconds %.3f\n", (int)side, g->ranks, rc, steps, p.evaluations, setups, iterations, most[1], seconds));
    if (output[0]) write_fields(g, N_VGetArrayPointer(y), output);
    free(c);
    IDAFree(&ida);
    SUNLinSolFree(krylov);
    N_VDestroy(y), N_VDestroy(yp), N_VDestroy(id);
    SUNContext_Free(&sun);
    PetscCall(KSPDestroy(&p.ksp));
    PetscCall(MatDestroy(&p.J));
    PetscCall(MatDestroy(&p.A));
    PetscCall(VecDestroy(&p.y));
    PetscCall(VecDestroy(&p.b));
    PetscCall(VecDestroy(&p.x));
    grid_close(g);
    PetscCall(PetscFinalize());
    return rc >= 0 ? 0 : 1;
}
