/* ida_run.h -- a bundled problem made ready for Keel and for IDA: start, tolerances, solver.
 *
 * Both start from the same consistent values, found by Keel.  y' of the other codes' forms follows
 * from the equations: M v' = f - G^T l, C x' = f, y' = f.
 */
#ifndef KEEL_BENCH_IDA_RUN_H
#define KEEL_BENCH_IDA_RUN_H

#include <sunlinsol/sunlinsol_dense.h>

#include "bench/ida_forms.h"

enum { MOST_STEPS = 200000 };

/* A bundled problem with its parameters, consistent start, end and tolerances. */
typedef struct setting {
    const bundled_problem *problem;
    const char *name, *form;                 /* of this choice; the only form to run, or NULL */
    double parameters[4], y0[MAX_SIZE], t_end;
    double rtol, atol[MAX_SIZE];
} setting;

/* Consistent initial values by Keel, from which both start. */
static int find_start(setting *s, keel_problem *problem)
{
    keel_solver *solver;
    s->problem->start(s->parameters, s->y0);
    const keel_options options = {.rtol = 1e-10, .atol = 1e-10};
    int status = keel_solver_create(&solver, problem, &options);
    if (status == KEEL_OK) status = keel_start(solver, s->problem->t_start, s->y0);
    if (status == KEEL_OK)
        memcpy(s->y0, keel_state(solver), (size_t)s->problem->size * sizeof *s->y0);
    keel_solver_free(solver);
    return status;
}

/* v' from M v' = f - G^T l by Gaussian elimination. */
static int start_mechanical(const keel_mechanical_spec *spec, double t, const double *y, double *yp)
{
    const int n = spec->positions, m = spec->constraints;
    mechanical_values at;
    sunindextype pivots[MAX_N];
    double A[MAX_N * MAX_N], *columns[MAX_N];
    if (mechanical_evaluate(spec, t, y, y + n, KEEL_MASS | KEEL_FORCE | KEEL_CONSTRAINT_JACOBIAN,
                            &at)) return -1;
    for (int i = 0; i < n; i++) {
        columns[i] = A + i * n;
        for (int j = 0; j < n; j++) A[j * n + i] = at.M[i * n + j];
        yp[i] = y[n + i];
        yp[n + i] = at.f[i];
        for (int k = 0; k < m; k++) yp[n + i] -= at.G[k * n + i] * y[2 * n + k];
    }
    if (SUNDlsMat_denseGETRF(columns, n, n, pivots)) return -1;
    SUNDlsMat_denseGETRS(columns, n, pivots, yp + n);
    return 0;
}

static int start_coupled(const ida_form *form, double t, double *y, double *yp)
{
    const keel_quasilinear_spec *spec = form->quasilinear;
    double f[MAX_SIZE];
    if (spec->rhs(t, y, f, spec->context)) return -1;
    for (int i = 0; i < form->size; i++)
        if (form->capacitance[i] > 0) yp[i] = f[i] / form->capacitance[i];
    for (int k = 0; k < COUPLED_PAIRS; k++) y[coupled_nodes[k]] -= y[coupled_nodes[k] + 1];
    return 0;
}

/* y, y' and which unknowns are differential, at the start of `form`. */
static int ida_start(const setting *s, const ida_form *form, double *y, double *yp, double *id)
{
    const double t = s->problem->t_start;
    for (int i = 0; i < form->size; i++) {
        y[i] = i < s->problem->size ? s->y0[i] : 0;
        yp[i] = 0;
        if (form->mechanical) id[i] = i < 2 * form->mechanical->positions;
        else if (form->semi_explicit) id[i] = i < form->semi_explicit->differential;
        else id[i] = form->capacitance[i] > 0;
    }
    if (form->mechanical) {
        const int n = form->mechanical->positions;
        if (start_mechanical(form->mechanical, t, y, yp)) return -1;
        if (form->residual == residual_index1w)
            memcpy(y + s->problem->size, yp + n, (size_t)n * sizeof *y);
        return 0;
    }
    if (form->quasilinear) return start_coupled(form, t, y, yp);
    const keel_semi_explicit_spec *spec = form->semi_explicit;
    return spec->rhs(t, y, y + spec->differential, yp, spec->context);
}

typedef struct ida_run {
    SUNContext context;
    N_Vector y, yp, id, atol;
    SUNMatrix J;
    SUNLinearSolver linear;
    void *ida;
} ida_run;

static void ida_run_free(ida_run *r)
{
    IDAFree(&r->ida);
    SUNLinSolFree(r->linear);
    SUNMatDestroy(r->J);
    N_VDestroy(r->y);
    N_VDestroy(r->yp);
    N_VDestroy(r->id);
    N_VDestroy(r->atol);
    SUNContext_Free(&r->context);
}

static int ida_run_create(ida_run *r, const setting *s, ida_form *form)
{
    *r = (ida_run){0};
    if (SUNContext_Create(NULL, &r->context)) return -1;
    r->y = N_VNew_Serial(form->size, r->context);
    r->yp = N_VNew_Serial(form->size, r->context);
    r->id = N_VNew_Serial(form->size, r->context);
    r->atol = N_VNew_Serial(form->size, r->context);
    r->J = SUNDenseMatrix(form->size, form->size, r->context);
    r->linear = SUNLinSol_Dense(r->y, r->J, r->context);
    r->ida = IDACreate(r->context);
    if (ida_start(s, form, N_VGetArrayPointer(r->y), N_VGetArrayPointer(r->yp),
                  N_VGetArrayPointer(r->id))) return -1;
    for (int i = 0; i < form->size; i++)     /* those of GGL or w come on top */
        N_VGetArrayPointer(r->atol)[i] = s->atol[i < s->problem->size ? i : 0];
    int bad = IDAInit(r->ida, form->residual, s->problem->t_start, r->y, r->yp);
    bad |= IDASVtolerances(r->ida, s->rtol, r->atol);
    bad |= IDASetUserData(r->ida, form);
    bad |= IDASetId(r->ida, r->id);
    bad |= IDASetSuppressAlg(r->ida, !form->test_all);
    bad |= IDASetLinearSolver(r->ida, r->linear, r->J);
    bad |= IDASetStopTime(r->ida, s->t_end);
    bad |= IDASetMaxNumSteps(r->ida, MOST_STEPS);
    bad |= IDASetErrFile(r->ida, NULL);
    if (form->initial_step > 0) bad |= IDASetInitStep(r->ida, form->initial_step);
    if (form->jacobian) bad |= IDASetJacFn(r->ida, form->jacobian);
    return bad;
}

/* Steps, residuals without those of difference quotients, Jacobians, factorizations. */
static void ida_run_counts(const ida_run *r, long counts[4])
{
    IDAGetNumSteps(r->ida, &counts[0]);
    IDAGetNumResEvals(r->ida, &counts[1]);
    IDAGetNumJacEvals(r->ida, &counts[2]);
    IDAGetNumLinSolvSetups(r->ida, &counts[3]);
}

static double ida_scd(const ida_run *r, const setting *s, const ida_form *form)
{
    double y[MAX_SIZE];
    memcpy(y, N_VGetArrayPointer(r->y), (size_t)form->size * sizeof *y);
    if (form->quasilinear) coupled_to_nodes(form->size, N_VGetArrayPointer(r->y), y);
    return bundled_scd(s->problem, s->parameters, s->t_end, y, 0);
}

#endif
