/* petsc_channel.c -- an incompressible flow on PETSc's ranks, index 2, kept free of divergence to rounding.
 *
 *   mpirun -n 2 petsc_channel -side 16 -method radau-iia-3 -rtol 1e-5
 *   mpirun -n 2 petsc_channel -side 32 -method bdf -rtol 1e-6 -options_file examples/petsc_fieldsplit.opts
 *
 * The equations are in petsc_channel_grid.h.  This file is what PETSc adds to a program that uses Keel: a
 * matrix, an engine, and parts of vectors.  -output FILE writes "field i j value" to FILE.RANK.
 */
#include "petsc_channel_grid.h"

/* A matrix with every place that the Jacobian uses: evaluated once, at rest. */
static Mat new_pattern(grid *g)
{
    const PetscInt size = g->velocities + g->pressures;
    Mat J;
    Vec rest;
    MatCreateAIJ(g->comm, size, size, PETSC_DETERMINE, PETSC_DETERMINE, 16, NULL, 16, NULL, &J);
    MatCreateVecs(J, &rest, NULL);
    jacobian(0, rest, NULL, J, g);
    VecDestroy(&rest);
    return J;
}

int main(int argc, char **argv)
{
    PetscInt side = 16;
    PetscReal tolerance = 1e-5, t_end = 0.5;
    char method[40] = "bdf", output[PETSC_MAX_PATH_LEN] = "";
    keel_problem *problem = NULL;
    keel_engine *engine = NULL;
    keel_solver *solver = NULL;
    keel_petsc_counts counts = {0};
    grid g;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &side, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-rtol", &tolerance, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-t_end", &t_end, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-method", method, sizeof method, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-output", output, sizeof output, NULL));

    grid_open(&g, PETSC_COMM_WORLD, (int)side);
    Mat J = new_pattern(&g);
    int rc = keel_petsc_engine(&engine, &(keel_petsc_spec){
        .comm = g.comm, .differential = g.velocities, .algebraic = g.pressures, .pattern = J,
        .jacobian = jacobian, .linear_constraint = 1, .counts = &counts, .context = &g});
    if (rc == KEEL_OK)
        rc = keel_hessenberg2(&problem, &(keel_hessenberg2_spec){
            .differential = g.velocities, .multipliers = g.pressures, .rhs = rhs, .constraint = constraint,
            .constraint_time = constraint_time, .pattern = {.storage = KEEL_UNFORMED}, .context = &g});
    if (rc == KEEL_OK)
        rc = keel_solver_create(&solver, problem, &(keel_options){
            .method = method, .rtol = tolerance, .atol = tolerance, .engine = engine});

    double *start = calloc((size_t)(g.velocities + g.pressures), sizeof *start);
    for (int k = 0; k < g.pressures; k++) {
        const double y = (g.from + k / side + 0.5) * g.h;
        start[k] = 4 * y * (1 - y);                      /* u as at the inflow */
    }
    if (rc == KEEL_OK) rc = keel_start(solver, 0, start);
    const double began = MPI_Wtime();
    if (rc == KEEL_OK) rc = keel_set_stop_time(solver, t_end);
    if (rc == KEEL_OK) rc = keel_advance(solver, t_end);
    if (rc != KEEL_OK) PetscCall(PetscPrintf(g.comm, "%s: %s\n", keel_status_name(rc), solver ? keel_message(solver) : ""));
    if (rc == KEEL_OK) {
        const keel_stats *s = keel_solver_stats(solver);
        PetscCall(PetscPrintf(g.comm, "%s side %d ranks %d: steps %ld rejected %ld rhs %ld newton %ld jacobian %ld "
                              "factorizations %ld solves %ld\n", method, (int)side, g.ranks, s->accepted,
                              s->rejected_error + s->rejected_newton, s->rhs, s->newton, s->jacobian,
                              s->factorizations, s->solves));
        PetscCall(PetscPrintf(g.comm, "divergence %.1e, messages %ld, Krylov iterations %ld, pairs %ld, saddle %ld, "
                              "seconds %.3f\n", s->residual[0], keel_engine_messages(engine), counts.iterations,
                              counts.pair_iterations, counts.saddle_iterations, MPI_Wtime() - began));
        if (output[0]) write_fields(&g, keel_state(solver), output);
    }
    free(start);
    keel_solver_free(solver);
    keel_engine_free(engine);
    keel_problem_free(problem);
    PetscCall(MatDestroy(&J));
    grid_close(&g);
    PetscCall(PetscFinalize());
    return rc == KEEL_OK ? 0 : 1;
}
