/* model.h -- models in Modelica: from a text with equations to a problem.
 *
 *     keel_model *model;
 *     keel_start_spec start;
 *     keel_model_read(&model, "pendulum.mo", NULL);
 *     keel_model_parameter(model, "L", 2);
 *     keel_problem *problem = keel_model_problem(model);      NULL: keel_model_message says why
 *     keel_model_start(model, &start);
 *     keel_solver_create(&solver, problem, NULL);
 *     keel_start_with(solver, &start);
 *     keel_advance_to(solver, 10);
 *     keel_model_name_value(model, solver, "x", &x);
 *
 * No state is selected and no equation replaced by its derivative: hidden constraints are found and
 * kept (docs/models.md).  A library that was built without models (KEEL_WITH_MODELS=OFF) does not have
 * these functions.
 */
#ifndef KEEL_MODEL_H
#define KEEL_MODEL_H

#include "keel/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_model keel_model;

/* Reads a file, or a text; `name` is that of the class, NULL: the last model that is not partial.
 * Nothing is analysed before it is needed.  On failure *model holds the message (free it); it is NULL
 * only without memory. */
KEEL_API int keel_model_read(keel_model **model, const char *path, const char *name);
KEEL_API int keel_model_read_text(keel_model **model, const char *title, const char *text, size_t length,
                                  const char *name);
KEEL_API void keel_model_free(keel_model *model);                  /* NULL is fine */

/* Changes a parameter, to be done before the problem is made: a number, or Modelica text. */
KEEL_API int keel_model_parameter(keel_model *model, const char *name, double value);
KEEL_API int keel_model_parameter_text(keel_model *model, const char *name, const char *value);
/* on: no special form is looked for (mechanical, semi-explicit); the levelled one gives the same solution. */
KEEL_API int keel_model_levelled(keel_model *model, int on);
/* Fixes the start value of a variable. */
KEEL_API int keel_model_start_value(keel_model *model, const char *name, double value);

/* The problem with its events, owned by the model; NULL: keel_model_message says why. */
KEEL_API const keel_problem *keel_model_problem(keel_model *model);
/* KEEL_OK, or why there is no problem. */
KEEL_API int keel_model_status(const keel_model *model);
/* Start values, marks and initial equations, owned by the model.  If the model has homotopy(actual,
 * simplified) and the start is not found with `actual`, start values are sought from `simplified` on; on
 * failure keel_model_message says how far that went. */
KEEL_API int keel_model_start(keel_model *model, keel_start_spec *spec);
/* Messages with places in the text: errors, warnings; "" if there are none. */
KEEL_API const char *keel_model_message(const keel_model *model);

/* ---- variables: all that the model declares, aliases and parameters with them ------------------- */

typedef enum keel_model_kind {
    KEEL_MODEL_CONSTANT, KEEL_MODEL_PARAMETER, KEEL_MODEL_DISCRETE, KEEL_MODEL_CONTINUOUS
} keel_model_kind;

/* Fields are added at the end only. */
typedef struct keel_model_variable {
    const char *name, *comment, *unit;
    keel_model_kind kind;
    int hidden;                      /* protected                                        */
    int unknown;                     /* of the problem, or -1                            */
    int alias;                       /* the variable that it is an alias of, or -1: none, ... */
    int sign, order;                 /* ... = sign * d^order/dt^order of that            */
} keel_model_variable;

KEEL_API int keel_model_variable_count(keel_model *model);
KEEL_API int keel_model_variable_at_sized(keel_model *model, int i, keel_model_variable *variable,
                                          size_t size);

static inline int keel_model_variable_at(keel_model *model, int i, keel_model_variable *variable)
{
    return keel_model_variable_at_sized(model, i, variable, sizeof *variable);
}

/* Values of all variables at (t, y), y unknowns of the problem, frame of the solver (NULL: as at the
 * start).  KEEL_NOT_FINITE: they are there, but one of them is infinite or not a number. */
KEEL_API int keel_model_values(keel_model *model, double t, const double *y, const keel_frame *frame,
                               double *values);
/* One of them, by its name, at the present point of a solver. */
KEEL_API int keel_model_name_value(keel_model *model, const keel_solver *solver, const char *name,
                                   double *value);

/* annotation(experiment(...)); NAN where it says nothing. */
/* |nominal| of each unknown of the problem, 1 where none is given; how many are.  With
 * options.atol_each[i] = atol*nominal[i] errors count relative to what is usual. */
KEEL_API int keel_model_nominal(keel_model *model, double *nominal);
/* 1: at this point a variable is outside of its min or max, or an assertion of level warning does not hold:
 * the first of them is in `text`.  frame NULL: as at the start. */
KEEL_API int keel_model_warning(keel_model *model, double t, const double *y, const keel_frame *frame,
                                char *text, size_t size);

typedef struct keel_model_experiment { double start, stop, interval, tolerance; } keel_model_experiment;
KEEL_API int keel_model_experiment_of(keel_model *model, keel_model_experiment *experiment);

/* ---- compiled callbacks: faster, the same to rounding --------------------------------------------- */

/* Has the callbacks compiled, by `cc` in the background; found ones of before (in the user's cache directory)
 * are taken.  KEEL_OK, or KEEL_UNSUPPORTED: no compiler, no cache directory, or functions that are called;
 * then everything goes on without. */
KEEL_API int keel_model_compile(keel_model *model);
/* Between two steps: 1: compiled callbacks are in use (from now on, perhaps), 0: not yet, -1: never. */
KEEL_API int keel_model_compiled(keel_model *model);

/* ---- structure, for `keel check` ------------------------------------------------------------------ */

/* Fields are added at the end only. */
typedef struct keel_model_structure {
    const char *name, *comment;
    int equations, unknowns;         /* of continuous time, as declared                  */
    int aliases;                     /* equations that make one unknown an alias of another */
    int left;                        /* equations and unknowns after that                */
    int index, freedom;
    int assignments;                 /* equations solved for one unknown each            */
    int levels;                      /* the longest chain of hidden constraints          */
    int blocks, largest_block, loops;/* of the triangular form; those larger than 1      */
    const char *form, *reason;       /* of the problem, and why that one                 */
    const char *remarks;             /* lines: what was combined, dropped, shared        */
    int discrete_equations, whens, signals;
    int definitions;                 /* equations that only name an expression           */
} keel_model_structure;

KEEL_API int keel_model_structure_of_sized(keel_model *model, keel_model_structure *structure,
                                           size_t size);

static inline int keel_model_structure_of(keel_model *model, keel_model_structure *structure)
{
    return keel_model_structure_of_sized(model, structure, sizeof *structure);
}

/* A row of the structure: an equation that is left, as the user would write it. */
typedef struct keel_model_row {
    const char *text;                /* valid until the next call                        */
    int line;                        /* of the text, 0: none                             */
    int offset;                      /* how often it is differentiated                   */
    int block;                       /* of the triangular form                           */
    int column;                      /* the unknown that it is matched to                */
    int assignment;                  /* nonzero: it is solved for it                     */
} keel_model_row;

/* Row i, differentiated `times` times (at most its offset). */
KEEL_API int keel_model_row_at(keel_model *model, int i, int times, keel_model_row *row);
/* Row number i in the order of the triangular form, not differentiated; returns its number, or -1. */
KEEL_API int keel_model_row_in_order(keel_model *model, int i, keel_model_row *row);
/* Unknowns of row i: columns of the incidence; returns how many there are. */
KEEL_API int keel_model_row_columns(keel_model *model, int i, int *column, int room);
KEEL_API const char *keel_model_column_name(keel_model *model, int column, int *order);

/* What the start takes as given. */
typedef enum keel_model_given {
    KEEL_MODEL_FIXED,                /* fixed = true, or --start                         */
    KEEL_MODEL_EQUATION,             /* an initial equation                              */
    KEEL_MODEL_GUESS,                /* start value, kept as far as the equations allow  */
    KEEL_MODEL_FREE                  /* no start value                                   */
} keel_model_given;

typedef struct keel_model_plan {
    keel_model_given given;
    const char *text;                /* "x = 1", valid until the next call               */
    double value;
    int line;
} keel_model_plan;

/* The i-th of the conditions, then of the values that are not fixed; KEEL_BAD_ARGUMENT beyond. */
KEEL_API int keel_model_plan_at(keel_model *model, int i, keel_model_plan *plan);
/* What is missing or too much, in a sentence; "" if the plan fits. */
KEEL_API const char *keel_model_plan_remark(keel_model *model);
/* The i-th source of events: "h < 0", "sample(0, 0.1)"; NULL beyond the last. */
KEEL_API const char *keel_model_event(keel_model *model, int i);

#ifdef __cplusplus
}
#endif
#endif
