/* large_beside_ida.c -- large sparse problems: Keel, and IDA with KLU, in one run at equal error.
 *
 *   large_beside_ida [-m METHOD,...] [-r RTOL,...] [-n REPEATS] PROBLEM:SIDE ...
 *
 * Both integrate the same functions from the same consistent start with atol = rtol; IDA leaves algebraic
 * unknowns out of its error test, and its KLU orders as suits it best (COLAMD without blocks for the flow,
 * AMD for heat).  Every run is a process of its own, forked off this one: `cpu` is the least of its processor
 * times over REPEATS, creation and start included; `MB` is the most memory it held, less what a process holds that
 * only has the problem.  `error` is the root mean square over the differential unknowns at the end, `z` that
 * of the algebraic ones; heat is compared with its exact mode, the flow with esdirk-5 at 1e-6, which errs by less than 1e-8.
 *
 * The second table has the times at equal error, interpolated logarithmically between neighbouring
 * tolerances: those of IDA at the error of each run of Keel.
 */
#define _DEFAULT_SOURCE
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keel/keel.h"
#include "problems/channel.h"
#include "problems/heat.h"
#include "problems/list.h"

enum { METHODS_MOST = 12, TOLERANCES_MOST = 12 };

/* A problem as both codes see it. */
typedef struct large {
    const keel_target *target;
    double parameters[2];
    int size, differential;
    keel_hessenberg2_spec flow;
    keel_semi_explicit_spec heat;
    keel_pattern pattern;                   /* of the Jacobian                                */
    int *block;
    double *start, *rate, *reference;       /* consistent y, its y'; y at the end (shared)    */
} large;

typedef struct outcome {
    long status, steps, rhs, jacobians, factorizations, solves, iterations;
    double cpu, megabytes, error, error_z, residual;
} outcome;

/* ---- the equations ------------------------------------------------------------------------ */

static int evaluate(const large *p, double t, const double *y, double *f)
{
    const double *z = y + p->differential;
    double *g = f + p->differential;
    if (p->flow.rhs)
        return p->flow.rhs(t, y, z, f, p->flow.context)
               || p->flow.constraint(t, y, g, p->flow.context);
    return p->heat.rhs(t, y, z, f, p->heat.context)
           || p->heat.constraint(t, y, z, g, p->heat.context);
}

static int open_problem(large *p, const char *text)
{
    char name[32] = "";
    *p = (large){.parameters = {0, 0}};
    if (sscanf(text, "%31[^:]:%lf", name, &p->parameters[0]) != 2) return -1;
    const int flow = strcmp(name, "channel") == 0;
    p->target = bundled_problem_find(name);
    if (!p->target || (!flow && strncmp(name, "heat", 4) != 0)) return -1;
    p->parameters[1] = p->target->parameters[1].value;
    if (flow) {
        p->flow = channel_spec(p->parameters);
        p->differential = p->flow.differential;
        p->size = p->differential + p->flow.multipliers;
        p->block = channel_pattern(p->parameters, &p->pattern);
    } else {
        p->heat = heat_spec(p->parameters);
        p->differential = p->heat.differential;
        p->size = p->differential + p->heat.algebraic;
        p->block = heat_pattern(p->parameters, &p->pattern);
    }
    const size_t bytes = 3 * (size_t)p->size * sizeof(double);
    p->start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!p->block || p->start == MAP_FAILED) return -1;
    p->rate = p->start + p->size;
    p->reference = p->rate + p->size;
    return 0;
}

static void close_problem(large *p)
{
    munmap(p->start, 3 * (size_t)p->size * sizeof(double));
    free(p->block);
}

static double root_mean_square(const double *a, const double *b, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (to - from));
}

static void compare(const large *p, const double *y, outcome *o)
{
    o->error = root_mean_square(y, p->reference, 0, p->differential);
    o->error_z = root_mean_square(y, p->reference, p->differential, p->size);
}

/* ---- Keel ---------------------------------------------------------------------------------- */

/* With `steps` 0: the start only. */
static void run_keel(const large *p, const char *method, double rtol, int steps, double *end, outcome *o)
{
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    o->status = p->target->create(&problem, p->parameters);
    if (!o->status)
        o->status = keel_solver_create(&solver, problem, &(keel_options){.method = method, .rtol = rtol,
                                                                         .atol = rtol});
    if (!o->status) o->status = keel_start(solver, p->target->t_start, p->start);
    if (!o->status && steps) o->status = keel_advance_to(solver, p->target->t_end);
    if (o->status) {
        fprintf(stderr, "%s, %s: %s\n", p->target->name, method, keel_message(solver));
    } else {
        const keel_stats *s = keel_solver_stats(solver);
        o->steps = s->steps;
        o->rhs = s->rhs;
        o->jacobians = s->jacobian;
        o->factorizations = s->factorizations;
        o->solves = s->solves;
        o->iterations = s->newton;
        o->residual = s->residual[0];
        if (end) memcpy(end, keel_state(solver), (size_t)p->size * sizeof *end);
        else compare(p, keel_state(solver), o);
    }
    keel_solver_free(solver);
    keel_problem_free(problem);
}

/* ---- IDA: 0 = (y' - f, -g) ------------------------------------------------------------------ */

static int residual(realtype t, N_Vector yv, N_Vector ypv, N_Vector rv, void *context)
{
    const large *p = context;
    const double *yp = N_VGetArrayPointer(ypv);
    double *r = N_VGetArrayPointer(rv);
    if (evaluate(p, t, N_VGetArrayPointer(yv), r)) return 1;
    for (int i = 0; i < p->size; i++) r[i] = (i < p->differential ? yp[i] : 0) - r[i];
    return 0;
}

/* cj M - J: the pattern of J, and the diagonal. */
static int ida_jacobian(realtype t, realtype cj, N_Vector yv, N_Vector ypv, N_Vector rv, SUNMatrix A,
                        void *context, N_Vector a, N_Vector b, N_Vector c)
{
    const large *p = context;
    sunindextype *start = SUNSparseMatrix_IndexPointers(A), *row = SUNSparseMatrix_IndexValues(A);
    double *value = SUNSparseMatrix_Data(A), *y = N_VGetArrayPointer(yv);
    const size_t entries = (size_t)p->pattern.column_start[p->size];
    double *values = calloc(entries, sizeof *values);
    keel_matrix J = {p->size, p->size, p->pattern, values, -1, -1};
    (void)ypv, (void)rv, (void)a, (void)b, (void)c;
    if (!values) return -1;
    if (p->flow.rhs) p->flow.jacobian(t, y, y + p->differential, &J, p->flow.context);
    else p->heat.jacobian(t, y, y + p->differential, &J, p->heat.context);
    int count = 0;
    for (int j = 0; j < p->size; j++) {
        int k = p->pattern.column_start[j], done = 0;
        const double mass = j < p->differential ? cj : 0;
        start[j] = count;
        for (; k < p->pattern.column_start[j + 1]; k++) {
            const int i = p->pattern.row_index[k];
            if (!done && i > j) row[count] = j, value[count++] = mass, done = 1;
            row[count] = i;
            value[count++] = (i == j ? mass : 0) - values[k];
            done |= i == j;
        }
        if (!done) row[count] = j, value[count++] = mass;
    }
    start[p->size] = count;
    free(values);
    return 0;
}

static void run_ida(const large *p, double rtol, outcome *o)
{
    SUNContext context = NULL;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(p->size, context), yp = N_VNew_Serial(p->size, context);
    N_Vector id = N_VNew_Serial(p->size, context);
    SUNMatrix A = SUNSparseMatrix(p->size, p->size, p->pattern.column_start[p->size] + p->size, CSC_MAT,
                                  context);
    SUNLinearSolver klu = SUNLinSol_KLU(y, A, context);
    void *ida = IDACreate(context);
    memcpy(N_VGetArrayPointer(y), p->start, (size_t)p->size * sizeof(double));
    memcpy(N_VGetArrayPointer(yp), p->rate, (size_t)p->size * sizeof(double));
    for (int i = 0; i < p->size; i++) N_VGetArrayPointer(id)[i] = i < p->differential;
    SUNLinSol_KLUSetOrdering(klu, p->flow.rhs ? 1 : 0);
    if (p->flow.rhs) SUNLinSol_KLUGetCommon(klu)->btf = 0;
    int bad = IDAInit(ida, residual, p->target->t_start, y, yp);
    bad |= IDASStolerances(ida, rtol, rtol) | IDASetUserData(ida, (void *)p) | IDASetId(ida, id);
    bad |= IDASetSuppressAlg(ida, 1) | IDASetLinearSolver(ida, klu, A) | IDASetJacFn(ida, ida_jacobian);
    bad |= IDASetStopTime(ida, p->target->t_end) | IDASetMaxNumSteps(ida, 1000000);
    double t = p->target->t_start;
    const int flag = bad ? -1 : IDASolve(ida, p->target->t_end, &t, y, yp, IDA_NORMAL);
    o->status = flag < 0 ? flag : 0;
    IDAGetNumSteps(ida, &o->steps);
    IDAGetNumResEvals(ida, &o->rhs);
    IDAGetNumJacEvals(ida, &o->jacobians);
    IDAGetNumLinSolvSetups(ida, &o->factorizations);
    IDAGetNumNonlinSolvIters(ida, &o->iterations);
    o->solves = o->iterations;
    compare(p, N_VGetArrayPointer(y), o);
    double *f = calloc((size_t)p->size, sizeof *f);
    if (f) evaluate(p, t, N_VGetArrayPointer(y), f);
    for (int i = p->differential; f && i < p->size; i++) o->residual = fmax(o->residual, fabs(f[i]));
    free(f);
    IDAFree(&ida);
    SUNLinSolFree(klu);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(id);
    SUNContext_Free(&context);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static double seconds(const struct rusage *u)
{
    return (double)u->ru_utime.tv_sec + (double)u->ru_stime.tv_sec
           + 1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* In a process of its own; method NULL: IDA, "": nothing. */
static outcome run(const large *p, const char *method, double rtol, int steps, double *end)
{
    outcome *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0), o;
    struct rusage used;
    int code = 0;
    *shared = (outcome){.status = -999};
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        o = (outcome){0};
        if (!method) run_ida(p, rtol, &o);
        else if (*method) run_keel(p, method, rtol, steps, end, &o);
        *shared = o;
        _exit(0);
    }
    wait4(child, &code, 0, &used);
    o = *shared;
    o.cpu = seconds(&used);
    o.megabytes = (double)used.ru_maxrss / 1024;
    munmap(shared, sizeof *shared);
    return o;
}

static outcome best_run(const large *p, const char *method, double rtol, int repeats, double baseline)
{
    outcome best = run(p, method, rtol, 1, NULL);
    for (int k = 1; k < repeats && !best.status; k++) best.cpu = fmin(best.cpu, run(p, method, rtol, 1, NULL).cpu);
    best.megabytes -= baseline;
    printf("%-8s %7d %-12s %7.1g  %8.2e %8.2e %8.1e %6ld %6ld %5ld %6ld %6ld %8.2f %7.1f%s\n", p->target->name,
           p->size, method ? method : "IDA", rtol, best.error, best.error_z, best.residual, best.steps, best.rhs,
           best.jacobians, best.factorizations, best.solves, best.cpu, best.megabytes, best.status ? " FAILED" : "");
    return best;
}

/* cpu of the runs at that error, between the neighbours; NAN outside by more than half a digit. */
static double time_at(const outcome *o, int count, double error)
{
    int at = -1;
    for (int k = 0; k + 1 < count; k++)
        if (!o[k].status && !o[k + 1].status && o[k].error > o[k + 1].error
            && (at < 0 || o[k].error >= error)) at = k;
    if (at < 0 || error > 3.2 * o[at].error || error < o[at + 1].error / 3.2) return NAN;
    const double part = log(error / o[at].error) / log(o[at + 1].error / o[at].error);
    return o[at].cpu * pow(o[at + 1].cpu / o[at].cpu, part);
}

static int split(char *text, char **part, int most)
{
    int count = 0;
    for (char *word = strtok(text, ","); word && count < most; word = strtok(NULL, ",")) part[count++] = word;
    return count;
}

/* The start that both take, and what the end is compared with. */
static int prepare(large *p)
{
    p->target->start(p->parameters, p->start);
    double *end = p->reference;
    if (run(p, "radau-iia", 1e-9, 0, end).status) return -1;
    memcpy(p->start, end, (size_t)p->size * sizeof *end);
    if (evaluate(p, p->target->t_start, p->start, p->rate)) return -1;
    if (p->target->exact) p->target->exact(p->parameters, p->target->t_end, p->reference);
    else if (run(p, "esdirk-5", 1e-6, 1, end).status) return -1;
    return 0;
}

static int study(const char *name, char **method, int methods, char **tolerance, int tolerances, int repeats)
{
    large p;
    outcome o[METHODS_MOST + 1][TOLERANCES_MOST];
    if (open_problem(&p, name) || prepare(&p)) {
        fprintf(stderr, "%s: no such problem, or it cannot be started\n", name);
        return 1;
    }
    const double baseline = run(&p, "", 1, 0, NULL).megabytes;
    for (int m = 0; m <= methods; m++)
        for (int k = 0; k < tolerances; k++)
            o[m][k] = best_run(&p, m ? method[m - 1] : NULL, strtod(tolerance[k], NULL), repeats, baseline);
    for (int m = 1; m <= methods; m++)
        for (int k = 0; k < tolerances; k++) {
            const double other = time_at(o[0], tolerances, o[m][k].error);
            printf("= %-8s %7d %-12s %7s  error %8.2e  cpu/IDA %5.2f  MB/IDA %5.2f\n", p.target->name, p.size,
                   method[m - 1], tolerance[k], o[m][k].error, o[m][k].cpu / other,
                   o[m][k].megabytes / o[0][k].megabytes);
        }
    close_problem(&p);
    return 0;
}

int main(int count, char **argument)
{
    char methods_text[200] = "auto,bdf,radau-iia", tolerances_text[200] = "1e-3,1e-4,1e-5,1e-6", *method[METHODS_MOST];
    char *tolerance[TOLERANCES_MOST];
    int option, repeats = 1, failed = 0;
    while ((option = getopt(count, argument, "m:r:n:")) != -1) {
        if (option == 'm') snprintf(methods_text, sizeof methods_text, "%s", optarg);
        else if (option == 'r') snprintf(tolerances_text, sizeof tolerances_text, "%s", optarg);
        else if (option == 'n') repeats = atoi(optarg);
        else return 2;
    }
    const int methods = split(methods_text, method, METHODS_MOST);
    const int tolerances = split(tolerances_text, tolerance, TOLERANCES_MOST);
    printf("%-8s %7s %-12s %7s  %8s %8s %8s %6s %6s %5s %6s %6s %8s %7s\n", "problem", "n", "method", "rtol", "error",
           "z", "residual", "steps", "rhs", "jac", "factor", "solves", "cpu", "MB");
    for (int k = optind; k < count; k++) failed |= study(argument[k], method, methods, tolerance, tolerances, repeats);
    return failed;
}
