/* study.h -- runs of a target with constant steps, and their errors.
 *
 * Errors are absolute, in the maximum or Euclidean norm over each group of unknowns or each unknown
 * by itself.  The unknowns are those of the original problem, and the truth is the exact solution
 * where it is known; or they are those of the formulation.  Without an exact solution the truth is
 * a run of the variable-order method at a tight tolerance that hits every point of the finest mesh.
 */
#ifndef KEEL_CLI_STUDY_H
#define KEEL_CLI_STUDY_H

#include "cli/integration.h"

/* What is measured. */
typedef struct study_view {
    bool each;                   /* unknown by itself, not each group                  */
    bool end_only;               /* errors at the end, not the largest of all points   */
    bool euclidean;              /* norm of a group, not the maximum                   */
    bool formulation;            /* its unknowns, not those of the original            */
} study_view;

typedef struct study {
    const target *target;
    study_view view;
    const keel_problem *measured;    /* whose unknowns they are                        */
    int columns;                 /* groups, or unknowns                                */
    int size;                    /* unknowns                                           */
    const char **names;          /* [columns]                                          */
    int *column;                 /* [size] to which an unknown belongs                 */
    long mesh;                   /* steps of the finest run; 1 at the end alone        */
    double *reference;           /* [(mesh + 1) size]; NULL: the exact solution        */
    double *work;                /* [3 size]                                           */
} study;

typedef struct study_run {
    long steps;
    double h;
    int status;
    bool interrupted;
    char word[32];               /* the status: "ok", "not-converged", ...             */
    char message[512];
    double *error;               /* [columns]; NAN where it failed or there is no such */
                                 /* unknown, INFINITY where it blew up                 */
} study_run;

/* `finest` is a multiple of the steps of all runs to come.  Returns EXIT_DONE, or another exit
 * status after saying what is wrong.  Free it in either case. */
int study_open(study *s, const char *verb, const target *t, long finest, study_view view);
void study_free(study *s);

/* From start to end in that many steps of equal size; false without memory. */
bool study_constant(study_run *run, const study *s, const keel_options *options, long steps);
void study_run_free(study_run *run);

/* Where a study begins: 5 steps for problems with an exact solution; for others at least as many as
 * the variable-order method takes at rtol 1e-3, as 5 times a power of 2. */
long study_first_steps(const target *t);
/* Steps of size h from start to end, at least 1; 0 if there are too many. */
long study_steps(const target *t, double h);

/* The original's solution at its end [size] to 12 digits or so, or NULL after a complaint. */
double *study_reference_end(const char *verb, const target *t);

/* log(before / now) / log(ratio), ratio that of the step sizes; NAN unless both are finite and
 * positive. */
double observed_order(double before, double now, double ratio);

#endif
