/* recording.c -- keel._core.Recording: a keel_solution, evaluated anywhere later. */
#include "solver.h"

#include <string.h>

PyObject *py_recording_new(keel_solution *solution, PyObject *owner, int size)
{
    recording_object *r = PyObject_GC_New(recording_object, &py_recording_type);
    if (!r) {
        keel_solution_free(solution);
        return NULL;
    }
    r->solution = solution;
    Py_XINCREF(owner);
    r->owner = owner;
    r->size = size;
    PyObject_GC_Track(r);
    return (PyObject *)r;
}

static int recording_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((recording_object *)self)->owner);
    return 0;
}

static int recording_clear(PyObject *self)
{
    recording_object *r = (recording_object *)self;
    Py_CLEAR(r->owner);
    return 0;
}

static void recording_dealloc(PyObject *self)
{
    recording_object *r = (recording_object *)self;
    PyObject_GC_UnTrack(self);
    keel_solution_free(r->solution);
    Py_CLEAR(r->owner);
    PyObject_GC_Del(self);
}

static solver_object *solver_of(const recording_object *r)
{
    return (solver_object *)r->owner;
}

static int evaluate(recording_object *r, double t, int how, double *y)
{
    solver_object *s = solver_of(r);
    if (how == 1) return keel_solution_after(r->solution, t, y);
    if (how == 2) return keel_solution_at_projected(r->solution, s->solver, t, y);
    return keel_solution_beyond(r->solution, t, y);
}

/* at(times, how) -> [points, n]; how: 0 before events, 1 after them, 2 on the constraints. */
static PyObject *at(PyObject *self, PyObject *args)
{
    recording_object *r = (recording_object *)self;
    solver_object *s = solver_of(r);
    PyObject *given;
    int how = 0, rc = 0;
    if (!PyArg_ParseTuple(args, "O|i", &given, &how)) return NULL;
    if (how == 2 && !s)
        return PyErr_SetString(PyExc_ValueError,
                               "this recording has no solver, which knows the "
                               "constraints: it was pickled, or is of a boundary value problem"),
               NULL;
    const Py_ssize_t count = PyObject_Length(given);
    if (count < 0 || !r->solution) return NULL;
    const int wide = keel_solution_unknowns(r->solution);
    PyObject *rows = py_new_array(count, r->size);
    double *data = rows ? py_array_data(rows) : NULL;
    double *times = PyMem_Malloc(((size_t)count + (size_t)wide + 1) * sizeof *times);
    double *y = times ? times + count : NULL;
    if (!times) PyErr_NoMemory();
    if (!data || !times || py_copy_numbers(given, count, times, "t") ||
        (how == 2 && py_solver_enter(s)))
        goto failed;
    for (Py_ssize_t i = 0; i < count && !rc; i++) {
        rc = evaluate(r, times[i], how, y);
        if (!rc && s)
            py_solver_show(s, y, data + i * r->size);
        else if (!rc)
            memcpy(data + i * r->size, y, (size_t)r->size * sizeof *y);
    }
    if (how == 2) py_solver_leave(s);
    if (how == 2 && s->session.failed)
        py_session_raise(&s->session, 0);
    else if (rc)
        py_raise_status(rc, keel_solution_message(r->solution), Py_NAN);
    if (rc || PyErr_Occurred()) goto failed;
    PyMem_Free(times);
    return rows;
failed:
    PyMem_Free(times);
    Py_XDECREF(rows);
    return NULL;
}

static PyObject *times(PyObject *self, PyObject *unused)
{
    recording_object *r = (recording_object *)self;
    const int steps = keel_solution_steps(r->solution);
    PyObject *array = py_new_array(steps + 1, -1);
    double *data = array ? py_array_data(array) : NULL;
    (void)unused;
    for (int i = 0; data && i <= steps; i++) data[i] = keel_solution_time(r->solution, i);
    return array;
}

/* ---- in and out of other memory ------------------------------------------------------------ */

/* values at nodes, as they are shown. */
static PyObject *shown_values(const recording_object *r, const double *values, int points)
{
    const solver_object *s = solver_of(r);
    const int wide = keel_solution_unknowns(r->solution);
    PyObject *array = py_new_array(points, r->size);
    double *data = array ? py_array_data(array) : NULL;
    for (int k = 0; data && k < points; k++) {
        if (s)
            py_solver_show(s, values + (size_t)k * (size_t)wide,
                           data + (size_t)k * (size_t)r->size);
        else
            memcpy(data + (size_t)k * (size_t)r->size, values + (size_t)k * (size_t)wide,
                   (size_t)r->size * sizeof *data);
    }
    return array;
}

/* [(t0, t1, h, event, nodes, weights, values, after or None), ...] */
static PyObject *pieces(PyObject *self, PyObject *unused)
{
    recording_object *r = (recording_object *)self;
    PyObject *list = PyList_New(0);
    keel_piece p;
    (void)unused;
    for (int i = 0; list && !keel_solution_piece(r->solution, i, &p); i++) {
        PyObject *after = p.after ? shown_values(r, p.after, 1) : (Py_INCREF(Py_None), Py_None);
        PyObject *row = Py_BuildValue(
            "(dddiNNNN)", p.t0, p.t1, p.h, p.event, py_array_of(p.nodes, p.points, -1),
            py_array_of(p.weights, p.points, -1), shown_values(r, p.values, p.points), after);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static int join(keel_solution *s, int n, PyObject *row)
{
    keel_piece p = {0};
    PyObject *nodes, *weights, *values, *after;
    int rc = -1;
    if (!PyArg_ParseTuple(row, "dddiOOOO", &p.t0, &p.t1, &p.h, &p.event, &nodes, &weights, &values,
                          &after))
        return -1;
    Py_ssize_t points = PyObject_Length(nodes);
    if (points < 0) return -1;
    double *data = PyMem_Malloc((size_t)((points + 1) * (n + 2)) * sizeof *data), *y = data;
    if (!data) return PyErr_NoMemory(), -1;
    PyObject *flat = PyObject_CallMethod(values, "reshape", "i", -1), *end = NULL;
    if (after != Py_None) end = PyObject_CallMethod(after, "reshape", "i", -1);
    p.points = (int)points;
    p.nodes = y;
    p.weights = y + points;
    p.values = y + 2 * points;
    if (flat && !py_copy_numbers(nodes, points, y, "nodes") &&
        !py_copy_numbers(weights, points, y + points, "weights") &&
        !py_copy_numbers(flat, points * n, y + 2 * points, "values") &&
        (!end || !py_copy_numbers(end, n, y + (2 + n) * points, "after"))) {
        if (end) p.after = y + (2 + n) * points;
        const int status = keel_solution_join(s, &p);
        if (status) py_raise_status(status, keel_solution_message(s), Py_NAN);
        rc = status ? -1 : 0;
    }
    Py_XDECREF(flat);
    Py_XDECREF(end);
    PyMem_Free(data);
    return rc;
}

/* Recording(t, y, pieces) */
static PyObject *recording_make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    double t;
    PyObject *given, *list;
    keel_solution *solution = NULL;
    (void)type, (void)keywords;
    if (!PyArg_ParseTuple(args, "dOO!", &t, &given, &PyList_Type, &list)) return NULL;
    const Py_ssize_t n = PyObject_Length(given);
    double *y = n < 0 ? NULL : PyMem_Malloc(((size_t)n + 1) * sizeof *y);
    int rc = !y || py_copy_numbers(given, n, y, "y");
    if (!rc && keel_solution_begin(&solution, (int)n, t, y)) {
        py_raise_status(KEEL_BAD_ARGUMENT,
                        "a recording begins with finite t and at least one unknown", Py_NAN);
        rc = -1;
    }
    PyMem_Free(y);
    for (Py_ssize_t i = 0; !rc && i < PyList_GET_SIZE(list); i++)
        rc = join(solution, (int)n, PyList_GET_ITEM(list, i));
    if (!rc) return py_recording_new(solution, NULL, (int)n);
    keel_solution_free(solution);
    return NULL;
}

static PyMethodDef methods[] = {{"at", at, METH_VARARGS, NULL},
                                {"times", times, METH_NOARGS, NULL},
                                {"pieces", pieces, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

PyTypeObject py_recording_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Recording",
    .tp_basicsize = sizeof(recording_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = recording_make,
    .tp_doc = "Accepted steps, evaluated anywhere.",
    .tp_traverse = recording_traverse,
    .tp_clear = recording_clear,
    .tp_dealloc = recording_dealloc,
    .tp_methods = methods,
};
