/* solver.h -- a solver of its own problem, with events. */
#ifndef KEEL_PYTHON_SOLVER_H
#define KEEL_PYTHON_SOLVER_H

#include "core.h"

/* Switch functions and clocks of one solver. */
typedef struct events {
    int count, clocks;
    callback *given;             /* [count]                                                 */
    slot **slot;                 /* [count]                                                 */
    const char **names, **clock_names;
    int *directions;
    keel_clock *clock;
    PyObject *keep;              /* what the names belong to                                */
    PyObject *dispatch;          /* (t, y, crossed, ticked, initial, iteration, frame...)   */
    run *run;                    /* of the switch functions                                 */
} events;

typedef struct solver_object {
    PyObject_HEAD
    session session;
    run *run;
    run **other;                 /* [others] of the structures that events may choose       */
    int others;
    events *events;              /* or NULL                                                 */
    keel_problem *problem;       /* with its events                                         */
    keel_problem *formulated;    /* or NULL: as it is                                       */
    keel_engine *engine;         /* of GMRES with the user's functions, or NULL             */
    keel_solver *solver;
    PyObject *method;            /* an own one, or NULL                                     */
    PyObject *model;             /* or NULL; it owns the problem                            */
    int size, solved;            /* unknowns of the problem, of what is solved              */
    double *scratch;             /* [solved + size]                                         */
    int busy;                    /* in use, by a thread or from its own callbacks           */
    int entered;                 /* the last start came as far as the library               */
} solver_object;

typedef struct recording_object {
    PyObject_HEAD
    keel_solution *solution;
    PyObject *owner;             /* the solver, which knows the constraints, or NULL        */
    int size;                    /* unknowns that are shown                                 */
} recording_object;

/* Before and after a call that may evaluate: the solver is in use, the lock free if it can be. */
int py_solver_enter(solver_object *s);
void py_solver_leave(solver_object *s);
/* NULL with an exception for a status < 0; else a status. */
PyObject *py_solver_answer(solver_object *s, int status);
/* The unknowns of the problem from those that are solved for; both may be the same. */
void py_solver_show(const solver_object *s, const double *solved, double *shown);

/* Values of the problem's unknowns, for what is solved. */
int py_take_values(const solver_object *s, PyObject *given, const char *what, double *solved);
PyObject *py_real_list(const double *values, int count);

/* questions.c */
PyObject *py_solver_impasses(PyObject *self, PyObject *unused);
PyObject *py_solver_moved(PyObject *self, PyObject *unused);
PyObject *py_solver_interpolate(PyObject *self, PyObject *args);
PyObject *py_solver_project(PyObject *self, PyObject *args);
PyObject *py_solver_state(PyObject *self, PyObject *unused);
PyObject *py_solver_state_before(PyObject *self, PyObject *unused);
PyObject *py_solver_impulses(PyObject *self, PyObject *unused);
PyObject *py_solver_residuals(PyObject *self, PyObject *unused);
PyObject *py_solver_stats(PyObject *self, PyObject *unused);
PyObject *py_solver_krylov(PyObject *self, PyObject *unused);
PyObject *py_solver_calls(PyObject *self, PyObject *unused);
PyObject *py_solver_invariants(PyObject *self, PyObject *unused);
PyObject *py_solver_event_log(PyObject *self, PyObject *unused);
PyObject *py_solver_details(PyObject *self, PyObject *unused);
PyObject *py_solver_info(PyObject *self, PyObject *unused);
PyObject *py_solver_note(PyObject *self, PyObject *unused);
PyObject *py_solver_nonlinear(PyObject *self, PyObject *args);

PyObject *py_solver_run(PyObject *self, PyObject *args);
PyObject *py_solver_no_run(PyObject *self, PyObject *exception);

/* solution.c: what a run leaves, all of it NULL where it could not be made; references are given up. */
typedef struct run_parts {
    PyObject *t, *y, *recording, *failure, *t_steps, *residuals;
    const char *message;
    int status;
} run_parts;
PyObject *py_solution_entries(solver_object *s, run_parts *x);  /* a dict                      */
PyObject *py_stats(const solver_object *s);                     /* a dict                      */
PyObject *py_unknown_names(const solver_object *s);             /* a tuple                     */
PyObject *py_unknown_groups(const solver_object *s);            /* a tuple of (name, size)     */

events *py_events_new(problem_object *p, session *s, PyObject *given);
void py_events_free(events *e);
int py_events_traverse(const events *e, visitproc visit, void *arg);
/* *problem with its events, and other structures; a status. */
int py_events_build(events *e, keel_problem **problem, keel_problem *const *other, int others);

/* model.c: the problem of a model (NULL with an exception), how many variables it has, where it begins,
 * values of all of them at a point; and compiling, between two steps. */
const keel_problem *py_model_problem(PyObject *model);
int py_model_variables(PyObject *model);
int py_model_start(PyObject *model, keel_start_spec *spec);
int py_model_values(PyObject *model, double t, const double *y, const keel_frame *frame, double *values);
/* 1: a variable is outside of its min or max, or an assertion warns; which is in `text`. */
int py_model_warning(PyObject *model, const keel_solver *solver, char *text, int size);
void py_model_hurry(PyObject *model, double seconds, int *state);

PyObject *py_recording_new(keel_solution *solution, PyObject *owner, int size);

PyObject *py_impasse(const keel_impasse *x, int n);             /* as a dict                   */
PyObject *py_method_names(PyObject *module, PyObject *unused);

typedef struct method_object {
    PyObject_HEAD
    keel_method *method;
} method_object;

#endif
