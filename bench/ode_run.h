/* ode_run.h -- a bundled problem as an ODE, made ready for CVODE or ARKODE.
 *
 * Adams' methods iterate by fixed points, BDF by Newton's method with dense difference quotients.  CVODE
 * can project with BDF only.
 */
#ifndef KEEL_BENCH_ODE_RUN_H
#define KEEL_BENCH_ODE_RUN_H

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode_proj.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench/ida_run.h"
#include "bench/ode_forms.h"

/* Codes under the names of peers.csv. */
typedef struct ode_code {
    const char *name;
    int multistep;                           /* of CVODE; 0: ARKODE with the table */
    ARKODE_ERKTableID table;
} ode_code;

static const ode_code ode_codes[] = {
    {"CVODE-Adams", CV_ADAMS, ARKODE_ERK_NONE},
    {"CVODE-BDF",   CV_BDF,   ARKODE_ERK_NONE},
    {"ARKODE-DP5",  0,        ARKODE_DORMAND_PRINCE_7_4_5},
    {"ARKODE-ERK8", 0,        ARKODE_FEHLBERG_13_7_8},
};

typedef struct ode_run {
    const ode_code *code;
    SUNContext context;
    N_Vector y, atol;
    SUNMatrix J;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    void *memory;
} ode_run;

static void ode_run_free(ode_run *r)
{
    if (r->code->multistep) CVodeFree(&r->memory);
    else ERKStepFree(&r->memory);
    if (r->fixed_point) SUNNonlinSolFree(r->fixed_point);
    if (r->linear) SUNLinSolFree(r->linear);
    if (r->J) SUNMatDestroy(r->J);
    N_VDestroy(r->y);
    N_VDestroy(r->atol);
    SUNContext_Free(&r->context);
}

static int create_cvode(ode_run *r, const setting *s, ode_form *form)
{
    r->memory = CVodeCreate(r->code->multistep, r->context);
    int bad = CVodeInit(r->memory, form->rhs, s->problem->t_start, r->y);
    bad |= CVodeSVtolerances(r->memory, s->rtol, r->atol);
    bad |= CVodeSetUserData(r->memory, form);
    bad |= CVodeSetStopTime(r->memory, s->t_end);
    bad |= CVodeSetMaxNumSteps(r->memory, MOST_STEPS);
    bad |= CVodeSetErrFile(r->memory, NULL);
    if (form->projected) bad |= CVodeSetProjFn(r->memory, project_correction);
    if (r->code->multistep == CV_ADAMS) {
        r->fixed_point = SUNNonlinSol_FixedPoint(r->y, 0, r->context);
        return bad | CVodeSetNonlinearSolver(r->memory, r->fixed_point);
    }
    r->J = SUNDenseMatrix(form->size, form->size, r->context);
    r->linear = SUNLinSol_Dense(r->y, r->J, r->context);
    return bad | CVodeSetLinearSolver(r->memory, r->linear, r->J);
}

static int create_erk(ode_run *r, const setting *s, ode_form *form)
{
    r->memory = ERKStepCreate(form->rhs, s->problem->t_start, r->y, r->context);
    int bad = ERKStepSetTableNum(r->memory, r->code->table);
    bad |= ERKStepSVtolerances(r->memory, s->rtol, r->atol);
    bad |= ERKStepSetUserData(r->memory, form);
    bad |= ERKStepSetStopTime(r->memory, s->t_end);
    bad |= ERKStepSetMaxNumSteps(r->memory, MOST_STEPS);
    bad |= ERKStepSetErrFile(r->memory, NULL);
    if (form->projected) bad |= ERKStepSetPostprocessStepFn(r->memory, project_step);
    return bad;
}

static int ode_run_create(ode_run *r, const setting *s, ode_form *form, const ode_code *code)
{
    *r = (ode_run){.code = code};
    if (SUNContext_Create(NULL, &r->context)) return -1;
    r->y = N_VNew_Serial(form->size, r->context);
    r->atol = N_VNew_Serial(form->size, r->context);
    memcpy(N_VGetArrayPointer(r->y), s->y0, (size_t)form->size * sizeof *s->y0);
    memcpy(N_VGetArrayPointer(r->atol), s->atol, (size_t)form->size * sizeof *s->atol);
    return code->multistep ? create_cvode(r, s, form) : create_erk(r, s, form);
}

static int ode_run_integrate(ode_run *r, double t_end)
{
    double t;
    return r->code->multistep ? CVode(r->memory, t_end, r->y, &t, CV_NORMAL)
                              : ERKStepEvolve(r->memory, t_end, r->y, &t, ARK_NORMAL);
}

/* Steps, right-hand sides without those of difference quotients, Jacobians, factorizations. */
static void ode_run_counts(const ode_run *r, long counts[4])
{
    if (r->code->multistep) {
        CVodeGetNumSteps(r->memory, &counts[0]);
        CVodeGetNumRhsEvals(r->memory, &counts[1]);
        if (r->linear) CVodeGetNumJacEvals(r->memory, &counts[2]);
        if (r->linear) CVodeGetNumLinSolvSetups(r->memory, &counts[3]);
    } else {
        ERKStepGetNumSteps(r->memory, &counts[0]);
        ERKStepGetNumRhsEvals(r->memory, &counts[1]);
    }
}

/* Multipliers stay those of the start: they do not count. */
static double ode_scd(const ode_run *r, const setting *s, const ode_form *form)
{
    double y[MAX_SIZE];
    memcpy(y, s->y0, sizeof y);
    memcpy(y, N_VGetArrayPointer(r->y), (size_t)form->size * sizeof *y);
    if (form->semi_explicit && algebraic(form, s->t_end, y, y + form->size)) return NAN;
    return bundled_scd(s->problem, s->parameters, s->t_end, y, 0);
}

#endif
