/* heat_ida.c -- reaction and diffusion in a square by SUNDIALS IDA with sparse Jacobian (KLU).
 *
 *   heat_ida N RTOL REPEATS
 *
 *   u' = Laplace(u) - u^3 on the unit square, u = 0 at its boundary, u(0) = 16 x (1 - x) y (1 - y),
 *   N x N points inside, until t = 0.1
 *
 * Prints steps, residuals, Jacobians and the least processor time of so many runs in seconds, then u at
 * the end, a line for each point.  bench/python_beside_scipy.py reads it.
 */
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

typedef struct square { int n; double scale; } square;       /* points in a row; 1 / h^2 */

static double rate(const square *s, const double *u, int i, int j)
{
    const int n = s->n, k = i * n + j;
    const double around = (i > 0 ? u[k - n] : 0) + (i < n - 1 ? u[k + n] : 0) + (j > 0 ? u[k - 1] : 0) +
                          (j < n - 1 ? u[k + 1] : 0);
    return s->scale * (around - 4 * u[k]) - u[k] * u[k] * u[k];
}

static int residual(double t, N_Vector u_, N_Vector up_, N_Vector F_, void *square_)
{
    const square *s = square_;
    const double *u = N_VGetArrayPointer(u_), *up = N_VGetArrayPointer(up_);
    double *F = N_VGetArrayPointer(F_);
    (void)t;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) F[i * s->n + j] = up[i * s->n + j] - rate(s, u, i, j);
    return 0;
}

static int jacobian(double t, double shift, N_Vector u_, N_Vector up, N_Vector F, SUNMatrix J, void *square_,
                    N_Vector a, N_Vector b, N_Vector c)
{
    const square *s = square_;
    const int n = s->n;
    const double *u = N_VGetArrayPointer(u_);
    sunindextype *start = SM_INDEXPTRS_S(J), *row = SM_INDEXVALS_S(J), count = 0;
    double *value = SM_DATA_S(J);
    (void)t, (void)up, (void)F, (void)a, (void)b, (void)c;
    for (int k = 0; k < n * n; k++) {                        /* columns; the matrix is symmetric */
        const int i = k / n, j = k % n;
        start[k] = count;
        if (i > 0) row[count] = k - n, value[count++] = -s->scale;
        if (j > 0) row[count] = k - 1, value[count++] = -s->scale;
        row[count] = k, value[count++] = shift + 4 * s->scale + 3 * u[k] * u[k];
        if (j < n - 1) row[count] = k + 1, value[count++] = -s->scale;
        if (i < n - 1) row[count] = k + n, value[count++] = -s->scale;
    }
    start[n * n] = count;
    return 0;
}

static void begin(const square *s, double *u, double *up)
{
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            const double x = (i + 1.0) / (s->n + 1), y = (j + 1.0) / (s->n + 1);
            u[i * s->n + j] = 16 * x * (1 - x) * y * (1 - y);
        }
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) up[i * s->n + j] = rate(s, u, i, j);
}

static double run(square *s, double rtol, N_Vector u, N_Vector up, long counts[3], SUNContext context)
{
    const int size = s->n * s->n;
    double t;
    begin(s, N_VGetArrayPointer(u), N_VGetArrayPointer(up));
    const clock_t clock_begin = clock();
    void *ida = IDACreate(context);
    SUNMatrix J = SUNSparseMatrix(size, size, 5 * (sunindextype)size, CSC_MAT, context);
    SUNLinearSolver solver = SUNLinSol_KLU(u, J, context);
    int flag = IDAInit(ida, residual, 0, u, up);
    if (!flag) flag = IDASStolerances(ida, rtol, rtol);
    if (!flag) flag = IDASetUserData(ida, s);
    if (!flag) flag = IDASetLinearSolver(ida, solver, J);
    if (!flag) flag = IDASetJacFn(ida, jacobian);
    if (!flag) flag = IDASetMaxNumSteps(ida, 100000);
    if (!flag) flag = IDASetStopTime(ida, 0.1);
    if (!flag) flag = IDASolve(ida, 0.1, &t, u, up, IDA_NORMAL);
    IDAGetNumSteps(ida, &counts[0]);
    IDAGetNumResEvals(ida, &counts[1]);
    IDAGetNumJacEvals(ida, &counts[2]);
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    return flag < 0 ? -1 : (double)(clock() - clock_begin) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s N RTOL REPEATS\n", argv[0]);
        return 2;
    }
    square s = {.n = atoi(argv[1])};
    s.scale = (s.n + 1.0) * (s.n + 1.0);
    SUNContext context;
    if (s.n < 1 || SUNContext_Create(NULL, &context)) return 1;
    N_Vector u = N_VNew_Serial(s.n * s.n, context), up = N_VClone(u);
    long counts[3] = {0};
    double least = 1e300;
    for (int k = 0; k < atoi(argv[3]) && least >= 0; k++) {
        const double seconds = run(&s, atof(argv[2]), u, up, counts, context);
        if (seconds < least) least = seconds;
    }
    printf("%ld %ld %ld %.6f\n", counts[0], counts[1], counts[2], least);
    for (int k = 0; k < s.n * s.n; k++) printf("%.16g\n", N_VGetArrayPointer(u)[k]);
    N_VDestroy(u);
    N_VDestroy(up);
    SUNContext_Free(&context);
    return least < 0;
}
