/* engine.c -- the linear algebra of an engine by PETSc.
 *
 * Real shifts: A = sigma M - J and one KSP each.  Complex shifts alpha + i beta, beta > 0: with A = alpha
 * M - J and B = beta M the system (A + i B)(u + i v) = c + i d is
 *
 *   [A -B; B A] (u, v) = (c, d),     preconditioned by     [A -B; B A + 2 B] (u, v) = (c, d):
 *   (A + B) w = c + d,   (A + B) u = c + B w,   v = w - u,
 *
 * two solves with the real matrix A + B; for symmetric A, B >= 0 the preconditioned eigenvalues lie in
 * [1/2, 1] [O. Axelsson, M. Neytcheva & B. Ahmad, Numer. Algor. 66 (2014) 811-841].
 *
 * The saddle matrix [I -f_z; -g_y 0], or [I -f_v 0; 0 I -k_l; -g_u 0 0], has the places of J and is read out
 * of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <keel/petsc.h>

enum { SLOTS = 16 };
/* Pairs whose inner solver is direct are solved to rounding, as far as few iterations take them. */
static const PetscReal direct_tolerance = 1e-13;
enum { DIRECT_MOST = 30, PAIR_MOST = 300 };

typedef struct real_system {
    Mat A;
    KSP ksp;                     /* NULL: not made yet                                   */
} real_system;

typedef struct pair_system {
    double beta;
    real_system inner;           /* (alpha + beta) M - J                                 */
    Mat A;                       /* shell of double size                                 */
    KSP ksp;
    int direct;
    Vec b, x;                    /* of double size                                       */
    Vec half[4];                 /* without arrays of their own                          */
    struct petsc_engine *engine;
} pair_system;

typedef struct petsc_engine {
    keel_petsc_spec spec;
    char prefix[64];
    PetscInt n, differential;    /* of this rank                                         */
    int ranks;
    PetscInt *first, *middle, *split;    /* [ranks + 1], [ranks] each: where the parts of ranks begin, their */
                                         /* velocities, which end with them where there are none, and their z */
    Mat J, K;                    /* the last one of linearize; that of the saddle        */
    Vec y, yp, b;                /* without arrays of their own                          */
    Vec diagonal;                /* of M where it is no matrix                           */
    Vec work[3];
    real_system real[SLOTS], saddle;
    pair_system pair[SLOTS];
    int exact;                   /* all systems are factored                             */
    keel_petsc_counts own, *counts;
    double *gathered;            /* [(ranks + 1) room] of reduce                         */
    int room;
} petsc_engine;

/* ---- vectors ------------------------------------------------------------------------------ */

/* y := y + alpha M x */
static PetscErrorCode mass_add(petsc_engine *e, double alpha, Vec x, Vec y)
{
    PetscFunctionBeginUser;
    if (e->spec.mass) PetscCall(MatMult(e->spec.mass, x, e->work[0]));
    else PetscCall(VecPointwiseMult(e->work[0], e->diagonal, x));
    PetscCall(VecAXPY(y, alpha, e->work[0]));
    PetscFunctionReturn(0);
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* A := sigma M - J, made when it is first asked for. */
static PetscErrorCode shift_matrix(petsc_engine *e, double sigma, Mat *A)
{
    PetscFunctionBeginUser;
    if (!*A) PetscCall(MatDuplicate(e->J, MAT_DO_NOT_COPY_VALUES, A));
    PetscCall(MatCopy(e->J, *A, SAME_NONZERO_PATTERN));
    PetscCall(MatScale(*A, -1));
    if (e->spec.mass) {
        PetscCall(MatAXPY(*A, sigma, e->spec.mass, SUBSET_NONZERO_PATTERN));
    } else {
        PetscCall(VecCopy(e->diagonal, e->work[0]));
        PetscCall(VecScale(e->work[0], sigma));
        PetscCall(MatDiagonalSet(*A, e->work[0], ADD_VALUES));
    }
    if (e->spec.null_space) PetscCall(MatSetNullSpace(*A, e->spec.null_space));
    PetscFunctionReturn(0);
}

/* Of an unknown: 0 for y or positions, 1 for velocities, 2 for z. */
static int group_of(const petsc_engine *e, PetscInt column)
{
    int low = 0, high = e->ranks;                /* first[low] <= column < first[high] */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (e->first[middle] <= column) low = middle;
        else high = middle;
    }
    return column >= e->split[low] ? 2 : column >= e->middle[low];
}

/* Is such an entry of J one of the saddle matrix? */
static int has_block(const petsc_engine *e, int row, int column)
{
    if (e->spec.velocities > 0) return row == 2 ? column == 0 : column == row + 1;
    return (row == 2) != (column == 2);
}

/* [I -f_z; -g_y 0] out of K = [f_y f_z; g_y 0], or that of index 3. */
static PetscErrorCode saddle_matrix(petsc_engine *e, Mat *A)
{
    PetscInt begin, end, count;
    const PetscInt *columns;
    const PetscScalar *values;
    PetscFunctionBeginUser;
    if (!*A) PetscCall(MatDuplicate(e->K, MAT_DO_NOT_COPY_VALUES, A));
    PetscCall(MatZeroEntries(*A));
    PetscCall(MatGetOwnershipRange(e->K, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        const int group = group_of(e, row);
        PetscCall(MatGetRow(e->K, row, &count, &columns, &values));
        for (PetscInt k = 0; k < count; k++)
            if (has_block(e, group, group_of(e, columns[k])))
                PetscCall(MatSetValue(*A, row, columns[k], -values[k], INSERT_VALUES));
        PetscCall(MatRestoreRow(e->K, row, &count, &columns, &values));
        PetscCall(MatSetValue(*A, row, row, group == 2 ? 0 : 1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    if (e->spec.null_space) PetscCall(MatSetNullSpace(*A, e->spec.null_space));
    PetscFunctionReturn(0);
}

/* Do options leave systems of that kind to a factorisation? */
static PetscErrorCode find_direct(const petsc_engine *e, const char *kind, int *direct)
{
    char prefix[96], ksp[32] = KSPPREONLY, pc[32] = PCLU;
    PetscFunctionBeginUser;
    snprintf(prefix, sizeof prefix, "%skeel_%s", e->prefix, kind);
    PetscCall(PetscOptionsGetString(NULL, prefix, "-ksp_type", ksp, sizeof ksp, NULL));
    PetscCall(PetscOptionsGetString(NULL, prefix, "-pc_type", pc, sizeof pc, NULL));
    *direct &= strcmp(ksp, KSPPREONLY) == 0 && (strcmp(pc, PCLU) == 0 || strcmp(pc, PCCHOLESKY) == 0);
    PetscFunctionReturn(0);
}

/* Direct by MUMPS unless options say otherwise, with room for the fill of saddles and, where there is a
 * null space, with pivots that vanish. */
static PetscErrorCode direct_by_default(petsc_engine *e, KSP ksp)
{
    PC pc;
    Mat factors;
    PetscFunctionBeginUser;
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCLU));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(KSPSetFromOptions(ksp));
    PetscBool lu, mumps = PETSC_FALSE;
    MatSolverType type = NULL;
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &lu));
    if (lu) PetscCall(PCFactorGetMatSolverType(pc, &type));
    if (type) PetscCall(PetscStrcmp(type, MATSOLVERMUMPS, &mumps));
    if (!mumps) PetscFunctionReturn(0);
    PetscCall(PCFactorSetUpMatSolverType(pc));
    PetscCall(PCFactorGetMatrix(pc, &factors));
    PetscCall(MatMumpsSetIcntl(factors, 14, 200));
    if (e->spec.null_space) PetscCall(MatMumpsSetIcntl(factors, 24, 1));
    PetscFunctionReturn(0);
}

/* A code of one rank for all. */
static int agree(const petsc_engine *e, int code)
{
    int ends[2] = {code, -code}, all[2] = {0, 0};
    MPI_Allreduce(ends, all, 2, MPI_INT, MPI_MAX, e->spec.comm);
    return all[1] > 0 ? -all[1] : all[0];
}

/* *code > 0 where the matrix cannot be factored. */
static PetscErrorCode prepare_ksp(petsc_engine *e, real_system *s, const char *kind, int *code)
{
    char prefix[96];
    PC pc;
    PCFailedReason reason;
    PetscFunctionBeginUser;
    const int fresh = !s->ksp;
    if (fresh) {
        snprintf(prefix, sizeof prefix, "%skeel_%s", e->prefix, kind);
        PetscCall(KSPCreate(e->spec.comm, &s->ksp));
        PetscCall(KSPSetOptionsPrefix(s->ksp, prefix));
    }
    PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
    if (fresh) PetscCall(direct_by_default(e, s->ksp));
    PetscCall(KSPSetUp(s->ksp));
    PetscCall(KSPGetPC(s->ksp, &pc));
    PetscCall(PCGetFailedReason(pc, &reason));
    *code = agree(e, reason != PC_NOERROR);
    if (*code) PetscCall(KSPDestroy(&s->ksp));           /* MUMPS does not recover from a matrix with NaN */
    e->counts->preparations++;
    PetscFunctionReturn(0);
}

/* x := A^-1 b; *code > 0 where that has not come off.  tolerance 0: that of the options. */
static PetscErrorCode solve_ksp(petsc_engine *e, KSP ksp, PetscReal tolerance, Vec b, Vec x, long *iterations,
                                int *code)
{
    KSPConvergedReason reason;
    PetscInt count;
    PetscFunctionBeginUser;
    if (tolerance > 0)
        PetscCall(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    if (e->spec.null_space) PetscCall(MatNullSpaceRemove(e->spec.null_space, b));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &count));
    if (e->spec.null_space) PetscCall(MatNullSpaceRemove(e->spec.null_space, x));
    *iterations += count;
    e->counts->solves++;
    if (reason < 0) *code = 1;
    PetscFunctionReturn(0);
}

/* ---- complex pairs ------------------------------------------------------------------------ */

/* A vector of this engine, whose values will lie elsewhere. */
static PetscErrorCode half_vector(petsc_engine *e, Vec *v)
{
    return VecCreateMPIWithArray(e->spec.comm, 1, e->n, PETSC_DECIDE, NULL, v);
}

/* The halves of two vectors of double size as half[0..1] and half[2..3]. */
static PetscErrorCode place_halves(pair_system *p, const PetscScalar *in, const PetscScalar *out)
{
    const PetscInt n = p->engine->n;
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(p->half[0], in));
    PetscCall(VecPlaceArray(p->half[1], in + n));
    PetscCall(VecPlaceArray(p->half[2], out));
    PetscCall(VecPlaceArray(p->half[3], out + n));
    PetscFunctionReturn(0);
}

static PetscErrorCode release_halves(pair_system *p)
{
    PetscFunctionBeginUser;
    for (int k = 0; k < 4; k++) PetscCall(VecResetArray(p->half[k]));
    PetscFunctionReturn(0);
}

/* (c, d) := [A -B; B A] (u, v) with A = (A + B) - B. */
static PetscErrorCode pair_multiply(Mat shell, Vec in, Vec out)
{
    pair_system *p;
    const PetscScalar *from;
    PetscScalar *to;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(shell, &p));
    const Vec u = p->half[0], v = p->half[1], c = p->half[2], d = p->half[3];
    PetscCall(VecGetArrayRead(in, &from));
    PetscCall(VecGetArray(out, &to));
    PetscCall(place_halves(p, from, to));
    PetscCall(MatMult(p->inner.A, u, c));
    PetscCall(MatMult(p->inner.A, v, d));
    PetscCall(VecWAXPY(p->engine->work[1], 1, u, v));
    PetscCall(mass_add(p->engine, -p->beta, p->engine->work[1], c));
    PetscCall(VecWAXPY(p->engine->work[1], -1, v, u));
    PetscCall(mass_add(p->engine, p->beta, p->engine->work[1], d));
    PetscCall(release_halves(p));
    PetscCall(VecRestoreArrayRead(in, &from));
    PetscCall(VecRestoreArray(out, &to));
    PetscFunctionReturn(0);
}

/* (u, v) := [A -B; B A + 2B]^-1 (c, d) */
static PetscErrorCode pair_precondition(PC pc, Vec in, Vec out)
{
    pair_system *p;
    const PetscScalar *from;
    PetscScalar *to;
    int code = 0;                                /* an inner solve that is worse shows in the outer one */
    PetscFunctionBeginUser;
    PetscCall(PCShellGetContext(pc, &p));
    petsc_engine *e = p->engine;
    const Vec c = p->half[0], d = p->half[1], u = p->half[2], v = p->half[3];
    PetscCall(VecGetArrayRead(in, &from));
    PetscCall(VecGetArray(out, &to));
    PetscCall(place_halves(p, from, to));
    PetscCall(VecWAXPY(e->work[1], 1, c, d));
    PetscCall(solve_ksp(e, p->inner.ksp, 0, e->work[1], v, &e->counts->iterations, &code));         /* w */
    PetscCall(VecCopy(c, e->work[1]));
    PetscCall(mass_add(e, p->beta, v, e->work[1]));
    PetscCall(solve_ksp(e, p->inner.ksp, 0, e->work[1], u, &e->counts->iterations, &code));
    PetscCall(VecAXPY(v, -1, u));
    PetscCall(release_halves(p));
    PetscCall(VecRestoreArrayRead(in, &from));
    PetscCall(VecRestoreArray(out, &to));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_pair(petsc_engine *e, pair_system *p)
{
    PC pc;
    PetscFunctionBeginUser;
    p->engine = e;
    for (int k = 0; k < 4; k++) PetscCall(half_vector(e, &p->half[k]));
    PetscCall(MatCreateShell(e->spec.comm, 2 * e->n, 2 * e->n, PETSC_DETERMINE, PETSC_DETERMINE, p, &p->A));
    PetscCall(MatShellSetOperation(p->A, MATOP_MULT, (void (*)(void))pair_multiply));
    PetscCall(MatCreateVecs(p->A, &p->x, &p->b));
    PetscCall(KSPCreate(e->spec.comm, &p->ksp));
    PetscCall(KSPSetType(p->ksp, KSPFGMRES));
    PetscCall(KSPGMRESSetRestart(p->ksp, 60));
    PetscCall(KSPSetOperators(p->ksp, p->A, p->A));
    PetscCall(KSPGetPC(p->ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, p));
    PetscCall(PCShellSetApply(pc, pair_precondition));
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare_pair(petsc_engine *e, pair_system *p, double alpha, double beta, int *code)
{
    PetscBool direct;
    PetscFunctionBeginUser;
    p->beta = beta;
    PetscCall(shift_matrix(e, alpha + beta, &p->inner.A));
    PetscCall(prepare_ksp(e, &p->inner, "pair_", code));
    if (*code) PetscFunctionReturn(0);
    PetscCall(PetscObjectTypeCompare((PetscObject)p->inner.ksp, KSPPREONLY, &direct));
    p->direct = direct;
    if (!p->ksp) PetscCall(make_pair(e, p));
    PetscFunctionReturn(0);
}

static PetscErrorCode remove_constants(pair_system *p, const PetscScalar *both)
{
    const MatNullSpace space = p->engine->spec.null_space;
    PetscFunctionBeginUser;
    if (!space) PetscFunctionReturn(0);
    PetscCall(place_halves(p, both, both));
    PetscCall(MatNullSpaceRemove(space, p->half[0]));
    PetscCall(MatNullSpaceRemove(space, p->half[1]));
    PetscCall(release_halves(p));
    PetscFunctionReturn(0);
}

/* (re, im) := (A + i B)^-1 (re, im).  Where iterations end before rounding, the tolerance decides. */
static PetscErrorCode solve_pair(petsc_engine *e, pair_system *p, double tolerance, double *re, double *im,
                                 int *code)
{
    PetscScalar *both;
    PetscReal size, rest;
    KSPConvergedReason reason;
    PetscInt count;
    const size_t bytes = (size_t)e->n * sizeof *both;
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(p->b, &both));
    memcpy(both, re, bytes);
    memcpy(both + e->n, im, bytes);
    PetscCall(remove_constants(p, both));
    PetscCall(VecRestoreArray(p->b, &both));
    PetscCall(VecNorm(p->b, NORM_2, &size));
    PetscCall(KSPSetTolerances(p->ksp, p->direct ? direct_tolerance : tolerance, PETSC_DEFAULT, PETSC_DEFAULT,
                               p->direct ? DIRECT_MOST : PAIR_MOST));
    PetscCall(KSPSolve(p->ksp, p->b, p->x));
    PetscCall(KSPGetConvergedReason(p->ksp, &reason));
    PetscCall(KSPGetIterationNumber(p->ksp, &count));
    PetscCall(KSPGetResidualNorm(p->ksp, &rest));
    e->counts->pair_iterations += count;
    e->counts->solves++;
    if (reason < 0 && !(rest <= tolerance * size)) *code = 1;
    PetscCall(VecGetArray(p->x, &both));
    PetscCall(remove_constants(p, both));
    memcpy(re, both, bytes);
    memcpy(im, both + e->n, bytes);
    PetscCall(VecRestoreArray(p->x, &both));
    PetscFunctionReturn(0);
}

/* ---- the functions of the engine ---------------------------------------------------------- */

/* PETSc has said what went wrong: the run ends. */
static int code_of(PetscErrorCode error, int code)
{
    return error ? -1 : code;
}

/* Sums and maxima in one message: both are found from the parts of all ranks, in their order, so that
 * they are the same to the last bit everywhere. */
static int reduce(void *context, int sums, double *sum, int maxima, double *most)
{
    petsc_engine *e = context;
    const int count = sums + maxima;
    if (count > e->room) {                       /* the text of a failure: more than steps ever send */
        double *more = realloc(e->gathered, (size_t)count * (size_t)(e->ranks + 1) * sizeof *more);
        if (!more) MPI_Abort(e->spec.comm, 1);   /* the others wait for this rank */
        e->gathered = more;
        e->room = count;
    }
    double *own = e->gathered, *all = own + count;
    memcpy(own, sum, (size_t)sums * sizeof *own);
    memcpy(own + sums, most, (size_t)maxima * sizeof *own);
    const int failed = MPI_Allgather(own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, e->spec.comm);
    for (int k = 0; k < count && !failed; k++) {
        double value = all[k];
        for (int r = 1; r < e->ranks; r++) {
            const double x = all[r * count + k];
            if (k < sums) value += x;
            else if (!(x <= value)) value = x;   /* NaN is the largest */
            else if (value != value) break;
        }
        if (k < sums) sum[k] = value;
        else most[k - sums] = value;
    }
    return failed ? -1 : 0;
}

static PetscErrorCode linearize_at(petsc_engine *e, double t, const double *y, const double *yp, Mat J,
                                   int *code)
{
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(e->y, y));
    if (yp) PetscCall(VecPlaceArray(e->yp, yp));
    *code = e->spec.jacobian(t, e->y, yp ? e->yp : NULL, J, e->spec.context);
    PetscCall(VecResetArray(e->y));
    if (yp) PetscCall(VecResetArray(e->yp));
    e->counts->linearizations++;
    PetscFunctionReturn(0);
}

static int linearize(void *context, double t, const double *y, const double *yp)
{
    petsc_engine *e = context;
    int code = 0;
    const PetscErrorCode error = linearize_at(e, t, y, yp, e->J, &code);
    return agree(e, code_of(error, code));
}

static PetscErrorCode multiply(petsc_engine *e, double alpha, const double *x, double *y)
{
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(e->y, x));
    PetscCall(VecPlaceArray(e->b, y));
    PetscCall(mass_add(e, alpha, e->y, e->b));
    PetscCall(VecResetArray(e->y));
    PetscCall(VecResetArray(e->b));
    PetscFunctionReturn(0);
}

static int multiply_mass(void *context, double alpha, const double *x, double *y)
{
    return code_of(multiply(context, alpha, x, y), 0);
}

static PetscErrorCode prepare_real(petsc_engine *e, int slot, double shift, int *code)
{
    PetscFunctionBeginUser;
    PetscCall(shift_matrix(e, shift, &e->real[slot].A));
    PetscCall(prepare_ksp(e, &e->real[slot], "", code));
    PetscFunctionReturn(0);
}

static int prepare(void *context, int slot, double re, double im)
{
    petsc_engine *e = context;
    int code = 0;
    if (slot >= SLOTS) return -1;
    const PetscErrorCode error = im > 0 ? prepare_pair(e, &e->pair[slot], re, im, &code)
                                        : prepare_real(e, slot, re, &code);
    return code_of(error, code);
}

/* b := A^-1 b */
static PetscErrorCode solve_in_place(petsc_engine *e, KSP ksp, double tolerance, double *b, long *iterations,
                                     int *code)
{
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(e->b, b));
    PetscCall(VecCopy(e->b, e->work[2]));
    const PetscErrorCode error = solve_ksp(e, ksp, tolerance, e->work[2], e->b, iterations, code);
    PetscCall(VecResetArray(e->b));
    PetscFunctionReturn(error);
}

static PetscErrorCode remove_null_space(petsc_engine *e, double *x)
{
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(e->b, x));
    PetscCall(MatNullSpaceRemove(e->spec.null_space, e->b));
    PetscCall(VecResetArray(e->b));
    PetscFunctionReturn(0);
}

static int determine(void *context, double *x) { return code_of(remove_null_space(context, x), 0); }

static int solve(void *context, int slot, double tolerance, double *b_re, double *b_im)
{
    petsc_engine *e = context;
    int code = 0;
    const PetscErrorCode error =
        b_im ? solve_pair(e, &e->pair[slot], tolerance, b_re, b_im, &code)
             : solve_in_place(e, e->real[slot].ksp, tolerance, b_re, &e->counts->iterations, &code);
    return code_of(error, code);
}

/* K := J at (t,y), beside the J that the stages use. */
static PetscErrorCode evaluate_constraint(petsc_engine *e, double t, const double *y, int *code)
{
    PetscFunctionBeginUser;
    if (!e->K) PetscCall(MatDuplicate(e->J, MAT_DO_NOT_COPY_VALUES, &e->K));
    PetscCall(linearize_at(e, t, y, NULL, e->K, code));
    *code = agree(e, *code);
    PetscFunctionReturn(0);
}

static PetscErrorCode make_saddle(petsc_engine *e, double t, const double *y, int *code)
{
    PetscFunctionBeginUser;
    PetscCall(evaluate_constraint(e, t, y, code));
    if (*code == 0) PetscCall(saddle_matrix(e, &e->saddle.A));
    if (*code == 0) PetscCall(prepare_ksp(e, &e->saddle, "saddle_", code));
    PetscFunctionReturn(0);
}

static int prepare_saddle(void *context, double t, const double *y)
{
    int code = 0;
    const PetscErrorCode error = make_saddle(context, t, y, &code);
    return code_of(error, code);
}

static PetscErrorCode solve_parts(petsc_engine *e, double tolerance, double *y, double *z, int *code)
{
    PetscScalar *both;
    const size_t head = (size_t)e->differential, tail = (size_t)(e->n - e->differential);
    PetscFunctionBeginUser;
    PetscCall(VecGetArray(e->work[2], &both));
    memcpy(both, y, head * sizeof *both);
    memcpy(both + head, z, tail * sizeof *both);
    PetscCall(VecRestoreArray(e->work[2], &both));
    PetscCall(solve_ksp(e, e->saddle.ksp, tolerance, e->work[2], e->work[1], &e->counts->saddle_iterations, code));
    PetscCall(VecGetArray(e->work[1], &both));
    memcpy(y, both, head * sizeof *both);
    memcpy(z, both + head, tail * sizeof *both);
    PetscCall(VecRestoreArray(e->work[1], &both));
    PetscFunctionReturn(0);
}

static int solve_saddle(void *context, double tolerance, double *y, double *z)
{
    int code = 0;
    const PetscErrorCode error = solve_parts(context, tolerance, y, z, &code);
    return code_of(error, code);
}

/* w := g_y v, the rows of z in J (v, 0).  Where g_y is constant any K will do. */
static PetscErrorCode multiply_constraint(petsc_engine *e, double t, const double *y, const double *v, double *w,
                                          int *code)
{
    PetscScalar *values;
    const size_t head = (size_t)e->differential, tail = (size_t)(e->n - e->differential);
    PetscFunctionBeginUser;
    if (!e->K || !e->spec.linear_constraint) PetscCall(evaluate_constraint(e, t, y, code));
    if (*code) PetscFunctionReturn(0);
    PetscCall(VecGetArray(e->work[1], &values));
    memcpy(values, v, head * sizeof *values);
    memset(values + head, 0, tail * sizeof *values);
    PetscCall(VecRestoreArray(e->work[1], &values));
    PetscCall(MatMult(e->K, e->work[1], e->work[2]));
    PetscCall(VecGetArray(e->work[2], &values));
    memcpy(w, values + head, tail * sizeof *values);
    PetscCall(VecRestoreArray(e->work[2], &values));
    PetscFunctionReturn(0);
}

static int constraint_times(void *context, double t, const double *y, const double *v, double *w)
{
    int code = 0;
    const PetscErrorCode error = multiply_constraint(context, t, y, v, w, &code);
    return code_of(error, code);
}

/* ---- making and freeing ------------------------------------------------------------------- */

static void free_system(real_system *s)
{
    MatDestroy(&s->A);
    KSPDestroy(&s->ksp);
}

static void release(void *context)
{
    petsc_engine *e = context;
    for (int k = 0; k < SLOTS; k++) {
        pair_system *p = &e->pair[k];
        free_system(&e->real[k]);
        free_system(&p->inner);
        KSPDestroy(&p->ksp);
        MatDestroy(&p->A);
        VecDestroy(&p->b);
        VecDestroy(&p->x);
        for (int i = 0; i < 4; i++) VecDestroy(&p->half[i]);
    }
    free_system(&e->saddle);
    MatDestroy(&e->J);
    MatDestroy(&e->K);
    MatDestroy(&e->spec.mass);
    MatNullSpaceDestroy(&e->spec.null_space);
    VecDestroy(&e->y);
    VecDestroy(&e->yp);
    VecDestroy(&e->b);
    VecDestroy(&e->diagonal);
    for (int k = 0; k < 3; k++) VecDestroy(&e->work[k]);
    free(e->first);
    free(e->middle);
    free(e->split);
    free(e->gathered);
    free(e);
}

/* What is wrong on one rank is refused on all, before any of them waits for it. */
static PetscErrorCode check_sizes(const petsc_engine *e)
{
    PetscInt begin, end;
    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRange(e->J, &begin, &end));
    const int v = e->spec.velocities;
    const int own[7] = {e->spec.differential, e->spec.algebraic, -e->spec.algebraic, end - begin == e->n,
                        v, -v, e->spec.differential - v};
    int least[7];
    PetscCallMPI(MPI_Allreduce(own, least, 7, MPI_INT, MPI_MIN, e->spec.comm));
    PetscCheck(least[3], e->spec.comm, PETSC_ERR_ARG_SIZ,
               "the rows of the pattern are not the unknowns of the ranks: %" PetscInt_FMT " and %" PetscInt_FMT
               " on the first one", end - begin, e->n);
    PetscCheck(least[0] > 0 && least[1] >= 0 && (least[1] > 0 || least[2] == 0), e->spec.comm, PETSC_ERR_ARG_SIZ,
               "every rank needs at least one unknown of each group; the fewest of a rank are %d and %d: use fewer ranks",
               least[0], least[1]);
    PetscCheck((least[4] == 0 && least[5] == 0) || (least[4] > 0 && least[6] > 0), e->spec.comm, PETSC_ERR_ARG_SIZ,
               "velocities are a part of the differential unknowns, beside positions, on every rank or on none");
    PetscFunctionReturn(0);
}

/* Where the parts of all ranks begin, and the algebraic unknowns in them. */
static PetscErrorCode find_parts(petsc_engine *e)
{
    PetscInt begin;
    const PetscInt *ranges;
    PetscFunctionBeginUser;
    e->first = malloc(((size_t)e->ranks + 1) * sizeof *e->first);
    e->split = malloc((size_t)e->ranks * sizeof *e->split);
    e->middle = malloc((size_t)e->ranks * sizeof *e->middle);
    PetscCheck(e->first && e->middle && e->split, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory");
    PetscCall(MatGetOwnershipRange(e->J, &begin, NULL));
    PetscCall(MatGetOwnershipRanges(e->J, &ranges));
    memcpy(e->first, ranges, ((size_t)e->ranks + 1) * sizeof *e->first);
    const PetscInt own = begin + e->differential;
    const PetscInt velocities = own - e->spec.velocities;
    PetscCallMPI(MPI_Allgather(&own, 1, MPIU_INT, e->split, 1, MPIU_INT, e->spec.comm));
    PetscCallMPI(MPI_Allgather(&velocities, 1, MPIU_INT, e->middle, 1, MPIU_INT, e->spec.comm));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_vectors(petsc_engine *e)
{
    PetscScalar *values;
    PetscFunctionBeginUser;
    PetscCall(half_vector(e, &e->y));
    PetscCall(half_vector(e, &e->yp));
    PetscCall(half_vector(e, &e->b));
    for (int k = 0; k < 3; k++) PetscCall(MatCreateVecs(e->J, &e->work[k], NULL));
    if (e->spec.mass) PetscFunctionReturn(0);
    PetscCall(MatCreateVecs(e->J, &e->diagonal, NULL));
    PetscCall(VecGetArray(e->diagonal, &values));
    for (PetscInt i = 0; i < e->n; i++) values[i] = i < e->differential;
    PetscCall(VecRestoreArray(e->diagonal, &values));
    PetscFunctionReturn(0);
}

/* Places that J does not have are an error of PETSc's, which names them. */
static PetscErrorCode make(petsc_engine *e)
{
    const keel_petsc_spec *spec = &e->spec;
    PetscFunctionBeginUser;
    e->counts = spec->counts ? spec->counts : &e->own;
    e->n = spec->differential + spec->algebraic;
    e->differential = spec->differential;
    PetscCallMPI(MPI_Comm_size(spec->comm, &e->ranks));
    snprintf(e->prefix, sizeof e->prefix, "%s", spec->prefix ? spec->prefix : "");
    PetscCall(PetscObjectReference((PetscObject)spec->pattern));
    e->J = spec->pattern;
    if (spec->mass) PetscCall(PetscObjectReference((PetscObject)spec->mass));
    if (spec->null_space) PetscCall(PetscObjectReference((PetscObject)spec->null_space));
    PetscCall(check_sizes(e));
    PetscCall(find_parts(e));
    PetscCall(make_vectors(e));
    e->exact = 1;
    for (const char *const *kind = (const char *const[]){"", "pair_", "saddle_", NULL}; *kind; kind++)
        PetscCall(find_direct(e, *kind, &e->exact));
    PetscFunctionReturn(0);
}

int keel_petsc_engine(keel_engine **engine, const keel_petsc_spec *spec)
{
    petsc_engine *e = calloc(1, sizeof *e);
    int rank = 0;
    *engine = NULL;
    if (!e) return KEEL_NO_MEMORY;
    if (!spec || !spec->pattern || !spec->jacobian) {
        free(e);
        return KEEL_BAD_ARGUMENT;
    }
    e->spec = *spec;
    if (make(e)) {
        release(e);
        return KEEL_BAD_ARGUMENT;
    }
    MPI_Comm_rank(spec->comm, &rank);
    return keel_engine_create(engine, &(keel_engine_spec){
        .context = e, .rank = rank, .exact = e->exact, .reduce = reduce, .linearize = linearize,
        .multiply_mass = multiply_mass,
        .prepare = prepare, .solve = solve, .prepare_saddle = prepare_saddle, .solve_saddle = solve_saddle,
        .constraint_times = constraint_times, .determine = spec->null_space ? determine : NULL,
        .release = release, .saddle_index = spec->velocities > 0 ? 3 : 2});
}
