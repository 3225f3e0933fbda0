/* modelled.h -- a target that is a model in Modelica: its problem, its start, and the variables that
 * are shown of it, which are more than the unknowns.
 */
#ifndef KEEL_CLI_MODELLED_H
#define KEEL_CLI_MODELLED_H

#include <stdbool.h>

#include "cli/arguments.h"
#include "keel/keel.h"
#include "keel/model.h"
#include "report/mat.h"

typedef struct modelled {
    keel_model *model;           /* NULL: the target is something else         */
    const keel_problem *problem; /* belongs to it                              */
    keel_start_spec start;
    keel_model_experiment experiment;
    int *shown;                  /* variables of the model that are shown      */
    const char **names;          /* of them                                    */
    int count;
    double *values;              /* of all variables, for one point            */
    int *modes_before;           /* the discrete state during the last step    */
    double *values_before;
    keel_frame *before;          /* with these                                 */
} modelled;

/* Whether the name is that of a model: it ends in .mo. */
bool names_a_model(const char *name);

/* What to change before analysis. */
typedef struct modelled_settings {
    const assignments *parameters, *starts;
    const char *class_name;      /* NULL: the last model of the file           */
    const char *variables;       /* a regular expression, NULL: all            */
} modelled_settings;

/* Both return EXIT_DONE, or another exit status after saying what is wrong.  Free it in either case.
 * The second chooses what is shown. */
int modelled_open(modelled *m, const char *verb, const char *name, const modelled_settings *set);
int modelled_choose(modelled *m, const char *verb, const char *variables);
void modelled_free(modelled *m);

/* Comments, units and aliases of what is shown. */
void modelled_describe(const modelled *m, mat_variable *variable);

/* The shown values at (t, y) with that frame (NULL: as at the start) into `row`; a keel_status. */
int modelled_row(const modelled *m, double t, const double *y, const keel_frame *frame, double *row);
/* Remembers the discrete state of the solver as that of the step to come; whether it has changed since
 * then. */
void modelled_remember(const modelled *m, const keel_solver *solver);
/* Between two steps of a run that has taken so many seconds: has long runs compiled, and takes what has been
 * compiled.  *state is 0 at first. */
void modelled_hurry(const modelled *m, double seconds, int *state);
bool modelled_changed(const modelled *m, const keel_solver *solver);

#endif
