/* closed_box.c -- a flow without inlet or outlet: the pressure is known up to a constant, and every matrix has that
 * null space.
 *
 *   w' = nu Lap w - grad p + grad phi(t),   0 = div w,   on a torus of NX^2 staggered cells
 *
 * From w = (sin 2 pi x cos 2 pi y, -cos 2 pi x sin 2 pi y), sampled so that div w = 0 to rounding, the discrete
 * solution is exp(-nu lambda t) w with the eigenvalue lambda = 4 (1 - cos 2 pi h) / h^2 of the discrete Laplacian,
 * and p = phi less its mean.  Strips of rows on the ranks.  Prints both errors and the divergence.
 */
#include <keel/petsc.h>

enum { NX = 16, FIELDS = 3 };
static const double nu = 0.02, h = 1.0 / NX;

typedef struct box {
    int rank, ranks, from, rows;
    double *field[FIELDS];       /* rows from - 1 .. from + rows                                   */
} box;

static int first_row(const box *b, int rank) { return NX * rank / b->ranks; }
static int around(int i) { return (i + NX) % NX; }

static PetscInt column(const box *b, int k, int i, int j)
{
    int rank = 0;
    j = around(j), i = around(i);
    while (first_row(b, rank + 1) <= j) rank++;
    const int from = first_row(b, rank), rows = first_row(b, rank + 1) - from;
    return (PetscInt)FIELDS * NX * from + (PetscInt)k * NX * rows + (j - from) * NX + i;
}

static double at(const box *b, int k, int i, int j) { return b->field[k][(j - b->from + 1) * NX + around(i)]; }

static void load(box *b, const double *y, const double *z)
{
    const int above = (b->rank + 1) % b->ranks, below = (b->rank + b->ranks - 1) % b->ranks, n = NX * b->rows;
    memcpy(b->field[0] + NX, y, (size_t)n * sizeof *y);
    memcpy(b->field[1] + NX, y + n, (size_t)n * sizeof *y);
    if (z) memcpy(b->field[2] + NX, z, (size_t)n * sizeof *z);
    for (int k = 0; k < FIELDS; k++) {
        double *f = b->field[k];
        MPI_Sendrecv(f + n, NX, MPI_DOUBLE, above, k, f, NX, MPI_DOUBLE, below, k, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(f + NX, NX, MPI_DOUBLE, below, FIELDS + k, f + NX + n, NX, MPI_DOUBLE, above, FIELDS + k,
                     PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static double phi(double t, int i, int j)
{
    return cos(3 * t) * sin(2 * PETSC_PI * (i + 0.5) * h) + sin(t) * cos(4 * PETSC_PI * (j + 0.5) * h);
}

static int rhs(double t, const double *y, const double *z, double *f, void *context)
{
    box *b = context;
    load(b, y, z);
    for (int k = 0; k < 2; k++)
        for (int j = b->from; j < b->from + b->rows; j++)
            for (int i = 0; i < NX; i++) {
                const int i1 = k == 0 ? i + 1 : i, j1 = k == 1 ? j + 1 : j;
                *f++ = nu * (at(b, k, i + 1, j) + at(b, k, i - 1, j) + at(b, k, i, j + 1) + at(b, k, i, j - 1)
                             - 4 * at(b, k, i, j)) / (h * h)
                     - (at(b, 2, i1, j1) - at(b, 2, i, j)) / h + (phi(t, i1, j1) - phi(t, i, j)) / h;
            }
    return 0;
}

static int divergence(double t, const double *y, double *g, void *context)
{
    box *b = context;
    (void)t;
    load(b, y, NULL);
    for (int j = b->from; j < b->from + b->rows; j++)
        for (int i = 0; i < NX; i++)
            *g++ = (at(b, 0, i, j) - at(b, 0, i - 1, j) + at(b, 1, i, j) - at(b, 1, i, j - 1)) / h;
    return 0;
}

static int no_rate(double t, const double *y, double *g_t, void *context)
{
    const box *b = context;
    (void)t, (void)y;
    memset(g_t, 0, (size_t)(NX * b->rows) * sizeof *g_t);
    return 0;
}

static int jacobian(double t, Vec y, Vec yp, Mat J, void *context)
{
    const box *b = context;
    const double d = nu / (h * h);
    (void)t, (void)y, (void)yp;
    MatZeroEntries(J);
    for (int j = b->from; j < b->from + b->rows; j++)
        for (int i = 0; i < NX; i++) {
            const PetscInt p = column(b, 2, i, j);
            for (int k = 0; k < 2; k++) {
                const PetscInt row = column(b, k, i, j);
                const PetscInt columns[7] = {row, column(b, k, i + 1, j), column(b, k, i - 1, j), column(b, k, i, j + 1),
                                             column(b, k, i, j - 1), p,
                                             k == 0 ? column(b, 2, i + 1, j) : column(b, 2, i, j + 1)};
                const double values[7] = {-4 * d, d, d, d, d, 1 / h, -1 / h};
                MatSetValues(J, 1, &row, 7, columns, values, ADD_VALUES);
            }
            const PetscInt columns[5] = {column(b, 0, i, j), column(b, 0, i - 1, j), column(b, 1, i, j),
                                         column(b, 1, i, j - 1), p};
            const double values[5] = {1 / h, -1 / h, 1 / h, -1 / h, 0};
            MatSetValues(J, 1, &p, 5, columns, values, ADD_VALUES);
        }
    return MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY) ? -1 : 0;
}

/* (0, 1), of length 1 */
static MatNullSpace constant_pressure(const box *b, Mat J)
{
    MatNullSpace space;
    Vec ones;
    PetscScalar *x;
    MatCreateVecs(J, &ones, NULL);
    VecGetArray(ones, &x);
    for (int i = 0; i < NX * b->rows; i++) x[2 * NX * b->rows + i] = 1.0 / NX;
    VecRestoreArray(ones, &x);
    MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &ones, &space);
    VecDestroy(&ones);
    return space;
}

int main(int argc, char **argv)
{
    char method[40] = "radau-iia-3";
    keel_problem *problem = NULL;
    keel_engine *engine = NULL;
    keel_solver *solver = NULL;
    box b = {0};
    Mat J;
    Vec rest;
    const double t_end = 1;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-method", method, sizeof method, NULL));
    MPI_Comm_rank(PETSC_COMM_WORLD, &b.rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &b.ranks);
    b.from = first_row(&b, b.rank);
    b.rows = first_row(&b, b.rank + 1) - b.from;
    for (int k = 0; k < FIELDS; k++) b.field[k] = calloc((size_t)(NX * (b.rows + 2)), sizeof(double));
    const int n = NX * b.rows;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, FIELDS * n, FIELDS * n, PETSC_DETERMINE, PETSC_DETERMINE, 8, NULL, 8, NULL, &J));
    PetscCall(MatCreateVecs(J, &rest, NULL));
    jacobian(0, rest, NULL, J, &b);
    PetscCall(VecDestroy(&rest));
    MatNullSpace space = constant_pressure(&b, J);

    int rc = keel_hessenberg2(&problem, &(keel_hessenberg2_spec){
        .differential = 2 * n, .multipliers = n, .rhs = rhs, .constraint = divergence, .constraint_time = no_rate,
        .pattern = {.storage = KEEL_UNFORMED}, .context = &b});
    if (rc == KEEL_OK)
        rc = keel_petsc_engine(&engine, &(keel_petsc_spec){
            .comm = PETSC_COMM_WORLD, .differential = 2 * n, .algebraic = n, .pattern = J, .jacobian = jacobian,
            .linear_constraint = 1, .null_space = space, .context = &b});
    if (rc == KEEL_OK)
        rc = keel_solver_create(&solver, problem, &(keel_options){
            .method = method, .rtol = 1e-8, .atol = 1e-8, .engine = engine});
    double *y = calloc((size_t)(FIELDS * n), sizeof *y), *u = y, *v = y + n;
    for (int j = b.from; j < b.from + b.rows; j++)
        for (int i = 0; i < NX; i++) {
            *u++ = sin(2 * PETSC_PI * (i + 1) * h) * cos(2 * PETSC_PI * (j + 0.5) * h);
            *v++ = -cos(2 * PETSC_PI * (i + 0.5) * h) * sin(2 * PETSC_PI * (j + 1) * h);
        }
    if (rc == KEEL_OK) rc = keel_start(solver, 0, y);
    if (rc == KEEL_OK) rc = keel_set_stop_time(solver, t_end);
    if (rc == KEEL_OK) rc = keel_advance(solver, t_end);
    if (rc != KEEL_OK)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", keel_status_name(rc), solver ? keel_message(solver) : ""));
    else {
        const double decay = exp(-nu * 4 * (1 - cos(2 * PETSC_PI * h)) / (h * h) * t_end), *end = keel_state(solver);
        double off[2] = {0, 0}, most[2];
        for (int i = 0; i < 2 * n; i++) off[0] = fmax(off[0], fabs(end[i] - decay * y[i]));
        for (int i = 0; i < n; i++)              /* phi has mean 0 on the grid */
            off[1] = fmax(off[1], fabs(end[2 * n + i] - phi(t_end, i % NX, b.from + i / NX)));
        MPI_Allreduce(off, most, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s ranks %d: steps %ld velocities %.1e pressures %.1e divergence %.1e\n",
                              method, b.ranks, keel_solver_stats(solver)->accepted, most[0], most[1],
                              keel_solver_stats(solver)->residual[0]));
    }
    free(y);
    for (int k = 0; k < FIELDS; k++) free(b.field[k]);
    keel_solver_free(solver);
    keel_engine_free(engine);
    keel_problem_free(problem);
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(MatDestroy(&J));
    PetscCall(PetscFinalize());
    return rc == KEEL_OK ? 0 : 1;
}
