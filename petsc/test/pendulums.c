/* pendulums.c -- Hessenberg index 3 over ranks: pendulums beside each other, joined by springs.
 *
 *   u' = v,   v' = (0, -9.81) + 5 (u_left - u) + 5 (u_right - u) - l u,   0 = (u^2 - 1 - sin(t)/10) / 2
 *
 * six of them, each with its velocities and its multiplier on one of 1, 2, 3 or 6 ranks.  Prints steps, Newton's
 * iterations, the largest residuals of g and g', and sums over all unknowns at the end, of which each has a weight
 * of its own.
 */
#include <keel/petsc.h>

enum { ALL = 6 };

typedef struct chain {
    int rank, ranks, k;          /* pendulums of this rank */
} chain;

/* Positions of the neighbours left and right; where there are none, the own ones of the last. */
static int exchange(const chain *c, const double *u, double *left, double *right)
{
    const double *last = u + 2 * (c->k - 1);
    int before = c->rank > 0 ? c->rank - 1 : MPI_PROC_NULL, after = c->rank + 1 < c->ranks ? c->rank + 1 : MPI_PROC_NULL;
    memcpy(left, u, 2 * sizeof *u);
    memcpy(right, last, 2 * sizeof *u);
    int rc = MPI_Sendrecv(last, 2, MPI_DOUBLE, after, 0, left, 2, MPI_DOUBLE, before, 0, PETSC_COMM_WORLD,
                          MPI_STATUS_IGNORE);
    if (!rc) rc = MPI_Sendrecv(u, 2, MPI_DOUBLE, before, 1, right, 2, MPI_DOUBLE, after, 1, PETSC_COMM_WORLD,
                               MPI_STATUS_IGNORE);
    return rc ? -1 : 0;
}

static int position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    const chain *c = context;
    (void)t, (void)u;
    memcpy(f, v, 2 * (size_t)c->k * sizeof *f);
    return 0;
}

static int velocity_rate(double t, const double *u, const double *v, const double *l, double *f, void *context)
{
    const chain *c = context;
    double left[2], right[2];
    (void)t, (void)v;
    int rc = exchange(c, u, left, right);
    for (int i = 0; i < 2 * c->k; i++) {
        double before = i < 2 ? left[i] : u[i - 2], after = i + 2 < 2 * c->k ? u[i + 2] : right[i % 2];
        f[i] = (i % 2 ? -9.81 : 0) + 5 * (before - u[i]) + 5 * (after - u[i]) - l[i / 2] * u[i];
    }
    return rc;
}

static int constraint(double t, const double *u, double *g, void *context)
{
    const chain *c = context;
    for (int i = 0; i < c->k; i++)
        g[i] = (u[2 * i] * u[2 * i] + u[2 * i + 1] * u[2 * i + 1] - 1 - 0.1 * sin(t)) / 2;
    return 0;
}

static int constraint_time(double t, const double *u, double *g_t, void *context)
{
    const chain *c = context;
    (void)u;
    for (int i = 0; i < c->k; i++) g_t[i] = -0.05 * cos(t);
    return 0;
}

/* Pendulum i of all, coordinate x: its position, velocity and multiplier in the vector of PETSc. */
static PetscInt place(const chain *c, int i, int group, int x)
{
    return (PetscInt)(i / c->k) * 5 * c->k + group * 2 * c->k + (group == 2 ? i % c->k : 2 * (i % c->k) + x);
}

static PetscErrorCode fill(const chain *c, const PetscScalar *y, Mat J)
{
    PetscFunctionBeginUser;
    PetscCall(MatZeroEntries(J));
    for (int i = c->rank * c->k; i < (c->rank + 1) * c->k; i++)
        for (int x = 0; x < 2; x++) {
            const int own = i % c->k;
            const PetscInt u = place(c, i, 0, x), v = place(c, i, 1, x), l = place(c, i, 2, 0);
            const double q = y ? y[2 * own + x] : 1, force = y ? y[4 * c->k + own] : 1;
            int neighbours = 0;
            for (int j = i - 1; j <= i + 1; j += 2) {
                if (j < 0 || j >= ALL) continue;
                neighbours++;
                PetscCall(MatSetValue(J, v, place(c, j, 0, x), 5, INSERT_VALUES));
            }
            PetscCall(MatSetValue(J, u, u, 0, INSERT_VALUES));
            PetscCall(MatSetValue(J, v, v, 0, INSERT_VALUES));
            PetscCall(MatSetValue(J, l, l, 0, INSERT_VALUES));
            PetscCall(MatSetValue(J, u, v, 1, INSERT_VALUES));
            PetscCall(MatSetValue(J, v, u, -5 * neighbours - force, INSERT_VALUES));
            PetscCall(MatSetValue(J, v, l, -q, INSERT_VALUES));
            PetscCall(MatSetValue(J, l, u, q, INSERT_VALUES));
        }
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static int jacobian(double t, Vec y, Vec yp, Mat J, void *context)
{
    const PetscScalar *values;
    (void)t, (void)yp;
    if (VecGetArrayRead(y, &values)) return -1;
    PetscErrorCode error = fill(context, values, J);
    if (VecRestoreArrayRead(y, &values)) return -1;
    return error ? -1 : 0;
}

static void report(const chain *c, keel_solver *s, int rc)
{
    const double *y = keel_state(s);
    double sum[2] = {0, 0}, all[2];
    for (int i = 0; i < c->k; i++) {
        const int number = c->rank * c->k + i;
        for (int x = 0; x < 2; x++)
            sum[0] += sin(1 + 2 * number + x) * y[2 * i + x] + cos(3 + 2 * number + x) * y[2 * c->k + 2 * i + x];
        sum[1] += sin(2 + number) * y[4 * c->k + i];
    }
    MPI_Reduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
    const keel_stats *n = keel_solver_stats(s);
    if (c->rank == 0)
        printf("status %d steps %ld newton %ld position %.3g velocity %.3g sum %.15g forces %.15g %s\n", rc,
               n->accepted, n->newton, n->residual[0], n->residual[1], all[0], all[1], keel_message(s));
}

int main(int argc, char **argv)
{
    char method[40] = "radau-iia-3";
    chain c;
    Mat J;
    keel_engine *engine = NULL;
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-method", method, sizeof method, NULL));
    MPI_Comm_rank(PETSC_COMM_WORLD, &c.rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &c.ranks);
    c.k = ALL / c.ranks;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 5 * c.k, 5 * c.k, PETSC_DETERMINE, PETSC_DETERMINE, 8, NULL, 8, NULL, &J));
    PetscCall(fill(&c, NULL, J));
    int rc = keel_petsc_engine(&engine, &(keel_petsc_spec){
        .comm = PETSC_COMM_WORLD, .differential = 4 * c.k, .velocities = 2 * c.k, .algebraic = c.k, .pattern = J,
        .jacobian = jacobian, .context = &c});
    if (!rc) rc = keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2 * c.k, .velocities = 2 * c.k, .multipliers = c.k, .position_rate = position_rate,
        .velocity_rate = velocity_rate, .constraint = constraint, .constraint_time = constraint_time,
        .pattern = {.storage = KEEL_UNFORMED}, .context = &c});
    if (!rc) rc = keel_solver_create(&s, p, &(keel_options){.method = method, .rtol = 1e-6, .engine = engine});
    double y[5 * ALL] = {0};
    for (int i = 0; i < c.k; i++) {
        const double angle = 0.4 + 0.3 * (c.rank * c.k + i);
        y[2 * i] = sin(angle), y[2 * i + 1] = -cos(angle);
    }
    if (!rc) rc = keel_start(s, 0, y);
    if (!rc) rc = keel_advance_to(s, 0.5);
    if (s) report(&c, s, rc);
    keel_solver_free(s);
    keel_engine_free(engine);
    keel_problem_free(p);
    PetscCall(MatDestroy(&J));
    PetscCall(PetscFinalize());
    return rc != KEEL_OK;
}
