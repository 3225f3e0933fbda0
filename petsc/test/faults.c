/* faults.c -- callbacks that fail on one rank, by a NaN, a code > 0 or a code < 0, at every -stride'th call: all ranks
 * return the same status and the same message, and what ends well is right.  Prints how many runs were made, and
 * "wrong N".  The flow of examples/petsc_channel.c, side 4.
 */
#include "../../examples/petsc_channel_grid.h"

typedef struct sabotage {
    grid g;
    long calls, at;              /* the call that fails, from 1                          */
    int rank, code;              /* 0: NaN                                               */
} sabotage;

static int spoil(sabotage *s, double *f)
{
    if (++s->calls != s->at || s->g.rank != s->rank) return 0;
    if (s->code == 0) f[0] = NAN;
    return s->code;
}
static int spoiled_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    sabotage *s = context;
    rhs(t, y, z, f, &s->g);
    return spoil(s, f);
}
static int spoiled_constraint(double t, const double *y, double *c, void *context)
{
    sabotage *s = context;
    constraint(t, y, c, &s->g);
    return spoil(s, c);
}
static int spoiled_time(double t, const double *y, double *c, void *context)
{
    return constraint_time(t, y, c, &((sabotage *)context)->g);
}
static int spoiled_jacobian(double t, Vec y, Vec yp, Mat J, void *context)
{
    sabotage *s = context;
    double none = 0;
    const int code = jacobian(t, y, yp, J, &s->g), wanted = spoil(s, &none);
    return code ? code : none != none ? 1 : wanted;      /* a J that is not finite is the caller's to report */
}

/* The status; its message, which ends with the velocity in the first cell where all is well. */
static int run(sabotage *s, Mat J, const char *method, char *message, int size, double *u)
{
    keel_problem *problem = NULL;
    keel_engine *engine = NULL;
    keel_solver *solver = NULL;
    const int n = s->g.velocities + s->g.pressures;
    double *start = calloc((size_t)n, sizeof *start);
    s->calls = 0;
    for (int k = 0; k < s->g.pressures; k++) {
        const double y = (s->g.from + k / s->g.nx + 0.5) * s->g.h;
        start[k] = 4 * y * (1 - y);
    }
    int rc = keel_petsc_engine(&engine, &(keel_petsc_spec){
        .comm = s->g.comm, .differential = s->g.velocities, .algebraic = s->g.pressures, .pattern = J,
        .jacobian = spoiled_jacobian, .linear_constraint = 1, .context = s});
    if (rc == KEEL_OK)
        rc = keel_hessenberg2(&problem, &(keel_hessenberg2_spec){
            .differential = s->g.velocities, .multipliers = s->g.pressures, .rhs = spoiled_rhs,
            .constraint = spoiled_constraint, .constraint_time = spoiled_time, .pattern = {.storage = KEEL_UNFORMED},
            .context = s});
    if (rc == KEEL_OK)
        rc = keel_solver_create(&solver, problem, &(keel_options){.method = method, .rtol = 1e-3, .engine = engine});
    if (rc == KEEL_OK) rc = keel_start(solver, 0, start);
    if (rc == KEEL_OK) rc = keel_advance_to(solver, 0.02);
    snprintf(message, (size_t)size, "%s", solver ? keel_message(solver) : "");
    *u = rc == KEEL_OK ? keel_state(solver)[0] : 0;
    keel_solver_free(solver);
    keel_engine_free(engine);
    keel_problem_free(problem);
    free(start);
    return rc;
}

/* Is the outcome the same on all ranks, and what was asked for? */
static int is_wrong(const sabotage *s, int rc, const char *message, int size, double off)
{
    char first[512] = "";
    int status = rc, wrong, any;
    snprintf(first, sizeof first, "%s", message);
    MPI_Bcast(&status, 1, MPI_INT, 0, s->g.comm);
    MPI_Bcast(first, size, MPI_CHAR, 0, s->g.comm);
    wrong = status != rc || strcmp(first, message) != 0 || (s->code < 0 && rc != KEEL_CALLBACK_FAILED) ||
            (rc == KEEL_OK && !(off <= 1e-2));
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, s->g.comm);
    if (any) printf("rank %d, call %ld of rank %d, code %d: %s: %s\n", s->g.rank, s->at, s->rank, s->code,
                    keel_status_name(rc), message);
    return any;
}

int main(int argc, char **argv)
{
    PetscInt stride = 1;
    char method[40] = "bdf", message[512];
    sabotage s = {.at = 0};
    Vec rest;
    Mat J;
    double good, u;
    int runs = 0, wrong = 0;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-stride", &stride, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-method", method, sizeof method, NULL));
    grid_open(&s.g, PETSC_COMM_WORLD, 4);
    const PetscInt size = s.g.velocities + s.g.pressures;
    PetscCall(MatCreateAIJ(s.g.comm, size, size, PETSC_DETERMINE, PETSC_DETERMINE, 16, NULL, 16, NULL, &J));
    PetscCall(MatCreateVecs(J, &rest, NULL));
    jacobian(0, rest, NULL, J, &s.g);
    wrong += run(&s, J, method, message, sizeof message, &good) != KEEL_OK;
    const long calls = s.calls;
    for (s.at = 1; s.at <= calls; s.at += stride)
        for (s.code = -1; s.code <= 1; s.code++, runs++) {
            s.rank = (int)(s.at / stride) % s.g.ranks;
            const int rc = run(&s, J, method, message, sizeof message, &u);
            wrong += is_wrong(&s, rc, message, sizeof message, fabs(u - good));
        }
    PetscCall(PetscPrintf(s.g.comm, "%s, calls %ld: runs %d wrong %d\n", method, calls, runs, wrong));
    PetscCall(VecDestroy(&rest));
    PetscCall(MatDestroy(&J));
    grid_close(&s.g);
    PetscCall(PetscFinalize());
    return wrong > 0;
}
