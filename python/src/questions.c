/* questions.c -- what a solver is asked between two steps, and what its callbacks may ask. */
#include "solver.h"

/* What costs nothing may be asked from callbacks, but not while another thread runs freely. */
static int readable(const solver_object *s)
{
    if (s->solver && !s->session.saved) return 1;
    PyErr_SetString(PyExc_RuntimeError, "this solver is in use by another thread");
    return 0;
}

/* [(variable, from, to), ...] */
PyObject *py_solver_moved(PyObject *self, PyObject *unused)
{
    const keel_solver *s = ((solver_object *)self)->solver;
    PyObject *list = readable((solver_object *)self) ? PyList_New(0) : NULL;
    (void)unused;
    for (int i = 0; list && i < keel_moved_count(s); i++) {
        keel_move m;
        keel_moved(s, i, &m);
        PyObject *row = Py_BuildValue(
            "(sdd)", keel_variable_name(keel_solver_problem(s), m.variable), m.from, m.to);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *shown(const solver_object *s, const double *solved)
{
    if (!solved) Py_RETURN_NONE;
    PyObject *array = py_new_array(s->size, -1);
    double *data = array ? py_array_data(array) : NULL;
    if (data)
        py_solver_show(s, solved, data);
    else
        Py_CLEAR(array);
    return array;
}

PyObject *py_solver_interpolate(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    double t;
    int projected = 0;
    if (!PyArg_ParseTuple(args, "d|p", &t, &projected) || py_solver_enter(s)) return NULL;
    const int status = projected ? keel_interpolate_projected(s->solver, t, s->scratch)
                                 : keel_interpolate(s->solver, t, s->scratch);
    py_solver_leave(s);
    PyObject *answer = py_solver_answer(s, status);
    Py_XDECREF(answer);
    return answer ? shown(s, s->scratch) : NULL;
}

PyObject *py_solver_project(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    double t;
    PyObject *y;
    if (!PyArg_ParseTuple(args, "dO", &t, &y) || py_take_values(s, y, "y", s->scratch) ||
        py_solver_enter(s))
        return NULL;
    const int status = keel_project(s->solver, t, s->scratch);
    py_solver_leave(s);
    PyObject *answer = py_solver_answer(s, status);
    Py_XDECREF(answer);
    return answer ? shown(s, s->scratch) : NULL;
}

PyObject *py_solver_state(PyObject *self, PyObject *unused)
{
    solver_object *s = (solver_object *)self;
    (void)unused;
    if (!readable((solver_object *)self)) return NULL;
    return shown(s, keel_state(s->solver));
}

PyObject *py_solver_state_before(PyObject *self, PyObject *unused)
{
    solver_object *s = (solver_object *)self;
    (void)unused;
    if (!readable((solver_object *)self)) return NULL;
    return shown(s, keel_state_before(s->solver));
}

PyObject *py_solver_impulses(PyObject *self, PyObject *unused)
{
    solver_object *s = (solver_object *)self;
    const double *p = keel_impulses(s->solver);
    (void)unused;
    if (!readable((solver_object *)self)) return NULL;
    if (!p) Py_RETURN_NONE;
    return py_array_of(p, s->run->problem->dim[D_2], -1);
}

PyObject *py_solver_residuals(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    const keel_problem *p = keel_solver_problem(s->solver);
    double r[KEEL_LEVELS_MOST];
    const int levels = keel_problem_levels(p);
    (void)unused;
    if (!readable((solver_object *)self)) return NULL;
    for (int k = 0; k < levels; k++) r[k] = keel_level_residual(s->solver, k);
    return py_array_of(r, levels, -1);
}

PyObject *py_real_list(const double *values, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) PyList_SET_ITEM(list, i, PyFloat_FromDouble(values[i]));
    return list;
}

PyObject *py_solver_stats(PyObject *self, PyObject *unused)
{
    (void)unused;
    return readable((solver_object *)self) ? py_stats((solver_object *)self) : NULL;
}

/* What GMRES has done; None: it is not used. */
PyObject *py_solver_krylov(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    keel_krylov_stats x;
    (void)unused;
    if (!readable(s)) return NULL;
    if (!s->engine || keel_krylov_stats_of(s->engine, &x)) Py_RETURN_NONE;
    return Py_BuildValue("{sl sl sl sl}", "systems", x.systems, "iterations", x.iterations, "setups",
                         x.setups, "failures", x.failures);
}

/* How often each Python callback was called. */
PyObject *py_solver_calls(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    PyObject *dict = PyDict_New();
    (void)unused;
    for (int id = 0; dict && id < SLOTS; id++) {
        const slot *c = s->run->slot[id];
        if (!c || c->given->code || c->calls < 0) continue;
        PyObject *count = PyLong_FromLong(c->calls);
        if (!count || PyDict_SetItemString(dict, c->name, count)) Py_CLEAR(dict);
        Py_XDECREF(count);
    }
    return dict;
}

PyObject *py_solver_invariants(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    PyObject *list = readable((solver_object *)self) ? PyList_New(0) : NULL;
    keel_invariant h;
    (void)unused;
    for (int i = 0; list && !keel_invariant_at(s->solver, i, &h); i++) {
        PyObject *row = Py_BuildValue("{ss sd sd sd sd}", "name", h.name, "start", h.start, "now",
                                      h.now, "deviation", h.deviation, "largest", h.largest);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

PyObject *py_solver_event_log(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    PyObject *list = readable((solver_object *)self) ? PyList_New(0) : NULL;
    keel_event_record e;
    (void)unused;
    for (long i = 0; list && !keel_event_at(s->solver, i, &e); i++) {
        const char *variable = e.variable < 0 ? NULL : keel_variable_name(s->problem, e.variable);
        PyObject *row = Py_BuildValue("{sd ss si si sz sd sd sd si}", "t", e.t, "name", e.text,
                                      "iterations", e.iterations, "restarted", e.restarted,
                                      "variable", variable, "before", e.from, "after", e.to,
                                      "impulse", e.impulse, "impulse_row", e.impulse_row);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* What the run has met; only the last ones are kept. */
PyObject *py_solver_impasses(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    PyObject *list = readable(s) ? PyList_New(0) : NULL;
    keel_impasse x;
    (void)unused;
    for (int i = 0; list && i < keel_impasse_count(s->solver); i++) {
        if (keel_impasse_at(s->solver, i, &x)) continue;
        PyObject *row = py_impasse(&x, s->solved);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* What the library knows of the problem: names, groups, index, levels. */
PyObject *py_solver_info(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    (void)unused;
    if (!readable(s)) return NULL;
    const keel_problem *p = s->problem;
    const int levels = keel_problem_levels(p);
    PyObject *rows = PyTuple_New(levels);
    for (int k = 0; rows && k < levels; k++)
        PyTuple_SET_ITEM(rows, k, PyLong_FromLong(keel_level_rows(p, k)));
    return Py_BuildValue("{sN sN si si si sN ss}", "names", py_unknown_names(s), "groups",
                         py_unknown_groups(s), "index", keel_problem_index(p), "freedom",
                         keel_solver_freedom(s->solver), "constraints", keel_problem_constraints(p),
                         "levels", rows, "form", keel_form_name(keel_problem_form(p)));
}

/* ([index of each unknown], [[names of the rows of a level], ...]) */
PyObject *py_solver_details(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    const keel_problem *p = s->problem;
    (void)unused;
    if (!readable(s)) return NULL;
    PyObject *index = PyList_New(0), *levels = PyList_New(0);
    for (int i = 0; index && i < s->size; i++) {
        PyObject *number = PyLong_FromLong(keel_variable_index(p, i));
        if (!number || PyList_Append(index, number)) Py_CLEAR(index);
        Py_XDECREF(number);
    }
    for (int k = 0; levels && k < keel_problem_levels(p); k++) {
        PyObject *rows = PyList_New(0);
        for (int i = 0; rows && i < keel_level_rows(p, k); i++) {
            PyObject *name = PyUnicode_FromString(keel_row_name(p, k, i));
            if (!name || PyList_Append(rows, name)) Py_CLEAR(rows);
            Py_XDECREF(name);
        }
        if (!rows || PyList_Append(levels, rows)) Py_CLEAR(levels);
        Py_XDECREF(rows);
    }
    return Py_BuildValue("(NN)", index, levels);
}

/* The note of the checkpoint that was loaded, or None. */
PyObject *py_solver_note(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    size_t size = 0;
    (void)unused;
    if (!readable(s)) return NULL;
    const void *note = keel_solver_note(s->solver, &size);
    if (!note) Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(note, (Py_ssize_t)size);
}

/* Is f or k nonlinear in the multipliers near (t, y)?  Orders depend on it. */
PyObject *py_solver_nonlinear(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    double t;
    PyObject *y;
    if (!PyArg_ParseTuple(args, "dO", &t, &y) || py_copy_numbers(y, s->size, s->scratch, "y") ||
        py_solver_enter(s))
        return NULL;
    const int answer = keel_problem_nonlinear(s->problem, t, s->scratch);
    py_solver_leave(s);
    return py_solver_answer(s, answer);
}
