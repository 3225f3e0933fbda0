/* study.h -- runs of a target with constant steps, and their errors.
 *
 * Errors are absolute, in the maximum norm, over each group of unknowns of the original problem or
 * each unknown by itself, against the exact solution where it is known.  Otherwise against a run
 * of the variable-order method at a tight tolerance that hits every point of the finest mesh.
 */
#ifndef KEEL_CLI_STUDY_H
#define KEEL_CLI_STUDY_H

#include "cli/integration.h"

typedef struct study {
    const target *target;
    bool end_only;               /* errors at the end, not the largest of all points   */
    int columns;                 /* groups, or unknowns                                */
    int size;                    /* unknowns of the original                           */
    const char **names;          /* [columns]                                          */
    int *column;                 /* [size] to which an unknown belongs                 */
    long mesh;                   /* steps of the finest run                            */
    double *reference;           /* [(mesh + 1) size]; NULL: the exact solution        */
    double *work;                /* [2 size]                                           */
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
int study_open(study *s, const char *verb, const target *t, long finest, bool each, bool end_only);
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

/* log2(before / now); NAN unless both are finite and positive. */
double observed_order(double before, double now);

#endif
