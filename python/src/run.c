/* run.c -- a whole run: steps to the end, with what is kept of them.
 *
 *   run(t_end, t_eval, dense, max_steps, max_seconds, callback) -> entries of a keel.Solution, a dict
 *   no_run(exception) -> the same, without points, where an exception came before the first of them
 *
 * t [points] and y [n, points], after each step or at the times of t_eval (on the constraints);
 * where the run begins anew at an event there are two points, before and after it.  code < 0: it
 * failed, and the points are what was reached.  `error` is the exception of a callback, or None.
 * t_steps [steps] and residuals [levels, steps]: times of all steps, residuals of the constraint levels.
 *
 * Of a model y are all its variables, and residuals have its discrete state below, modes and values, as
 * it is from each step on.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct table {
    double *data;
    size_t rows, room, width;
} table;

typedef struct plan {
    double t_end;
    double *t_eval; /* [evaluations], in the direction of the run; NULL: all steps */
    Py_ssize_t evaluations, next;
    long max_steps;          /* 0: no limit                                             */
    double max_seconds;      /* 0: no limit                                             */
    PyObject *callback;      /* or None                                                 */
    keel_solution *solution; /* or NULL                                                 */
    table table, steps;      /* t and y; t and residuals                                */
    int levels;              /* of constraints                                          */
    keel_frame before;       /* of a model: the discrete state during the last step     */
    int *modes, compiling;
    double *values;
    const char *why; /* it was stopped                                          */
    char warning[300]; /* of a model, the first                                  */
} plan;

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* A new row that begins with t, or NULL. */
static double *new_row(table *x, double t)
{
    if (x->rows == x->room) {
        const size_t room = x->room ? 2 * x->room : 64;
        double *data = realloc(x->data, room * x->width * sizeof *data);
        if (!data) return NULL;
        x->data = data;
        x->room = room;
    }
    double *row = x->data + x->width * x->rows++;
    row[0] = t;
    return row;
}

/* The frame that is in force during the last step (`before`), or from its end on. */
static int add_row(const solver_object *s, plan *p, double t, const double *solved, int before)
{
    double *row = new_row(&p->table, t);
    if (!row) return KEEL_NO_MEMORY;
    if (s->model)
        return py_model_values(s->model, t, solved, before ? &p->before : keel_solver_frame(s->solver),
                               row + 1);
    py_solver_show(s, solved, row + 1);
    return KEEL_OK;
}

static int prepare_model(const solver_object *s, plan *p)
{
    const keel_frame *now = s->model ? keel_solver_frame(s->solver) : NULL;
    if (s->model) p->table.width = 1 + (size_t)py_model_variables(s->model);
    if (!now) return 0;
    p->modes = PyMem_Calloc((size_t)now->mode_count + 1, sizeof *p->modes);
    p->values = PyMem_Calloc((size_t)now->value_count + 1, sizeof *p->values);
    p->steps.width += (size_t)(now->mode_count + now->value_count);
    return p->modes && p->values ? 0 : (PyErr_NoMemory(), -1);
}

/* The discrete state from here on: into the last row of steps, and for the next step. */
static void remember(const solver_object *s, plan *p)
{
    const keel_frame *now = s->model ? keel_solver_frame(s->solver) : NULL;
    if (!now) return;
    double *row = p->steps.data + p->steps.width * p->steps.rows - now->mode_count - now->value_count;
    for (int i = 0; i < now->mode_count; i++) *row++ = p->modes[i] = now->modes[i];
    for (int i = 0; i < now->value_count; i++) *row++ = p->values[i] = now->values[i];
    p->before = *now;
    p->before.modes = p->before.pre_modes = p->modes;
    p->before.values = p->before.pre_values = p->values;
}

/* Residuals of the constraint levels, which the solver knows of every step. */
static int add_residuals(const solver_object *s, plan *p)
{
    double *row = new_row(&p->steps, keel_time(s->solver));
    if (!row) return KEEL_NO_MEMORY;
    for (int k = 0; k < p->levels; k++) row[1 + k] = keel_level_residual(s->solver, k);
    remember(s, p);
    return KEEL_OK;
}

static int add_step(const solver_object *s, plan *p)
{
    const double *before = keel_state_before(s->solver);
    int rc = before ? add_row(s, p, keel_time(s->solver), before, 1) : KEEL_OK;
    return rc ? rc : add_row(s, p, keel_time(s->solver), keel_state(s->solver), 0);
}

/* Those of the asked times that the last step has passed. */
static int add_asked(solver_object *s, plan *p)
{
    const double t = keel_time(s->solver), sign = p->t_end < keel_previous_time(s->solver) ? -1 : 1;
    int rc = KEEL_OK;
    for (; p->next < p->evaluations && !rc; p->next++) {
        const double at = p->t_eval[p->next];
        if ((at - t) * sign > 0) break;
        rc = keel_interpolate_projected(s->solver, at, s->scratch);
        if (!rc) rc = add_row(s, p, at, s->scratch, at != t);
    }
    return rc;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Python's turn after a step: nonzero, stop. */
static int ask(solver_object *s, plan *p)
{
    if (p->callback == Py_None) return 0;
    PyObject *y = py_new_array(s->size, -1), *answer = NULL;
    double *data = y ? py_array_data(y) : NULL;
    if (data) {
        py_solver_show(s, keel_state(s->solver), data);
        answer = PyObject_CallFunction(p->callback, "dO", keel_time(s->solver), y);
    }
    Py_XDECREF(y);
    const int stop = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (stop < 0) py_session_fail(&s->session, "callback", keel_time(s->solver));
    if (stop > 0) p->why = "`callback` ended the run";
    return stop;
}

/* One step and what is kept of it. */
static int take_step(solver_object *s, plan *p)
{
    int rc = keel_step(s->solver);
    if (rc < 0 || rc == KEEL_STOP_REACHED) return rc;
    int kept = p->t_eval ? add_asked(s, p) : add_step(s, p);
    if (!kept) kept = add_residuals(s, p);
    if (s->model && !p->warning[0])
        py_model_warning(s->model, s->solver, p->warning, (int)sizeof p->warning);
    if (!kept && p->solution) kept = keel_solution_append(p->solution, s->solver);
    return kept ? kept : rc;
}

static int steps(solver_object *s, plan *p)
{
    enum { STEPS_BETWEEN_LOOKS = 16 };
    const double begin = seconds();
    const keel_stats *stats = keel_solver_stats(s->solver);
    int rc = KEEL_OK;
    for (long k = 1; keel_time(s->solver) != p->t_end; k++) {
        rc = take_step(s, p);
        if (rc || s->session.failed || ask(s, p)) break;
        if (k % STEPS_BETWEEN_LOOKS == 0 && py_pulse(&s->session)) break;
        if (s->model && k % STEPS_BETWEEN_LOOKS == 0)
            py_model_hurry(s->model, seconds() - begin, &p->compiling);
        if (p->max_steps > 0 && stats->steps >= p->max_steps && keel_time(s->solver) != p->t_end) {
            p->why = "max_steps steps were made";
            return KEEL_STEP_LIMIT;
        }
        if (p->max_seconds > 0 && seconds() - begin > p->max_seconds) {
            p->why = "max_seconds seconds have passed";
            return KEEL_STEP_LIMIT;
        }
    }
    return rc;
}

/* ---- the call ------------------------------------------------------------------------------ */

static int take_times(plan *p, PyObject *t_eval)
{
    if (t_eval == Py_None) return 0;
    p->evaluations = PyObject_Length(t_eval);
    if (p->evaluations < 0) return -1;
    p->t_eval = PyMem_Malloc(((size_t)p->evaluations + 1) * sizeof *p->t_eval);
    if (!p->t_eval) return PyErr_NoMemory(), -1;
    return py_copy_numbers(t_eval, p->evaluations, p->t_eval, "t_eval");
}

static int first_row(solver_object *s, plan *p)
{
    const double t = keel_time(s->solver);
    if (!p->t_eval) return add_row(s, p, t, keel_state(s->solver), 0);
    int rc = KEEL_OK;
    while (!rc && p->next < p->evaluations && p->t_eval[p->next] == t) {
        rc = add_row(s, p, t, keel_state(s->solver), 0);
        p->next++;
    }
    return rc;
}

static int execute(solver_object *s, plan *p, int dense)
{
    int rc = first_row(s, p);
    if (!rc) rc = add_residuals(s, p);
    if (!rc && dense) rc = keel_solution_create(&p->solution, s->solver);
    if (rc || keel_time(s->solver) == p->t_end) return rc;
    rc = keel_set_stop_time(s->solver, p->t_end);
    return rc ? rc : steps(s, p);
}

/* Columns [first, first + count) of the table as rows of an array; count < 0: one, as a vector. */
static PyObject *columns(const table *x, size_t first, Py_ssize_t count)
{
    const Py_ssize_t points = (Py_ssize_t)x->rows;
    PyObject *array = count < 0 ? py_new_array(points, -1) : py_new_array(count, points);
    double *data = array ? py_array_data(array) : NULL;
    for (size_t i = 0; data && i < (count < 0 ? 1 : (size_t)count); i++)
        for (size_t k = 0; k < x->rows; k++) *data++ = x->data[k * x->width + first + i];
    return array;
}

/* The exception that ended the run, or None. */
static PyObject *failure(solver_object *s)
{
    PyObject *type, *value, *traceback;
    if (!s->session.failed) Py_RETURN_NONE;
    py_session_raise(&s->session, keel_solver_stats(s->solver)->accepted);
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

static PyObject *recording(solver_object *s, plan *p)
{
    keel_solution *solution = p->solution;
    if (!solution) Py_RETURN_NONE;
    p->solution = NULL;
    return py_recording_new(solution, (PyObject *)s, s->size);
}

static PyObject *result(solver_object *s, plan *p, int status)
{
    const char *said = keel_message(s->solver);
    return py_solution_entries(s, &(run_parts){
        .t = columns(&p->table, 0, -1), .y = columns(&p->table, 1, (Py_ssize_t)p->table.width - 1),
        .t_steps = columns(&p->steps, 0, -1),
        .residuals = columns(&p->steps, 1, (Py_ssize_t)p->steps.width - 1),
        .recording = recording(s, p), .failure = failure(s), .status = status,
        .message = p->why ? p->why : *said ? said : p->warning});
}

static plan no_plan(const solver_object *s)
{
    const int levels = keel_problem_levels(keel_solver_problem(s->solver));
    return (plan){.callback = Py_None, .table = {.width = 1 + (size_t)s->size}, .levels = levels,
                  .steps = {.width = 1 + (size_t)levels}};
}

PyObject *py_solver_no_run(PyObject *self, PyObject *exception)
{
    solver_object *s = (solver_object *)self;
    plan p = no_plan(s);
    if (s->model) p.table.width = 1 + (size_t)py_model_variables(s->model);
    PyObject *entries = result(s, &p, KEEL_CALLBACK_FAILED);
    if (entries && PyDict_SetItemString(entries, "error", exception)) Py_CLEAR(entries);
    return entries;
}

PyObject *py_solver_run(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    plan p = no_plan(s);
    PyObject *t_eval = Py_None, *answer = NULL;
    int dense = 0;
    if (!PyArg_ParseTuple(args, "d|OpldO", &p.t_end, &t_eval, &dense, &p.max_steps, &p.max_seconds,
                          &p.callback))
        return NULL;
    const int locked = p.callback != Py_None, was_free = s->session.free;
    if (!take_times(&p, t_eval) && !prepare_model(s, &p)) {
        if (locked) s->session.free = 0;
        if (!py_solver_enter(s)) {
            const int status = execute(s, &p, dense);
            py_solver_leave(s);
            answer = result(s, &p, status);
        }
        s->session.free = was_free;
    }
    keel_solution_free(p.solution);
    free(p.table.data);
    free(p.steps.data);
    PyMem_Free(p.modes);
    PyMem_Free(p.values);
    PyMem_Free(p.t_eval);
    return answer;
}
