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
    double *atol_each;           /* as nominal values scale it: first these; NULL: none is given */
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
    bool levelled;               /* no special form                            */
    const char *variables;       /* a regular expression, NULL: all            */
} modelled_settings;

/* Both return EXIT_DONE, or another exit status after saying what is wrong.  Free it in either case.
 * The second chooses what is shown. */
int modelled_open(modelled *m, const char *verb, const char *name, const modelled_settings *set);
int modelled_choose(modelled *m, const char *verb, const char *variables);
void modelled_free(modelled *m);
/* What there is to say of a model that can be run, on standard error, unless refusals go into a text. */
void modelled_remark(const modelled *m);

/* Its comment, or its name. */
const char *modelled_title(const modelled *m);
/* Comments, units and aliases of what is shown. */
void modelled_describe(const modelled *m, mat_variable *variable);

/* Whether the k-th of what is shown is a variable, not a parameter. */
bool modelled_varies(const modelled *m, int k);
/* Its unit, or "". */
const char *modelled_unit(const modelled *m, int k);
/* The shown values at (t, y) with that frame (NULL: as at the start) into `row`; a keel_status.
 * KEEL_NOT_FINITE: `message` names the variable that has no finite value. */
int modelled_row(const modelled *m, double t, const double *y, const keel_frame *frame, double *row,
                 char *message, size_t size);
/* Remembers the discrete state of the solver as that of the step to come. */
void modelled_remember(const modelled *m, const keel_solver *solver);
/* What should hold at the point of the solver and does not, into `text`, which stays empty if all does. */
void modelled_warn(const modelled *m, const keel_solver *solver, char *text, size_t size);
/* Between two steps of a run that has taken so many seconds: has long runs compiled, and takes what has been
 * compiled.  *state is 0 at first. */
void modelled_hurry(const modelled *m, double seconds, int *state);

#endif
