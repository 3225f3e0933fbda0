/* curve.c -- keel._core.Curve: the solution as a curve (y, t), through impasse points. */
#include "solver.h"

#include <math.h>

typedef struct curve_object {
    PyObject_HEAD session session;
    run *run;
    keel_problem *problem;
    keel_curve *curve;
    int busy;
} curve_object;

/* Curve(problem, options) */
static int curve_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    curve_object *c = (curve_object *)self;
    PyObject *problem, *dict;
    keel_options o = {0};
    (void)keywords;
    if (c->run) return PyErr_SetString(PyExc_TypeError, "a Curve is made once"), -1;
    if (!PyArg_ParseTuple(args, "O!O!", &py_problem_type, &problem, &PyDict_Type, &dict)) return -1;
    c->run = py_run_new((problem_object *)problem, &c->session);
    if (!c->run || py_options_set(&o, dict)) return -1;
    int status = py_run_build(c->run, &c->problem);
    if (PyErr_Occurred()) return -1;
    if (status) return py_raise_status(status, keel_problem_message(c->problem), NAN), -1;
    status = keel_curve_create(&c->curve, c->problem, &o);
    if (status) py_raise_status(status, keel_curve_message(c->curve), NAN);
    return status ? -1 : 0;
}

static int curve_traverse(PyObject *self, visitproc visit, void *arg)
{
    curve_object *c = (curve_object *)self;
    Py_VISIT(c->session.value);
    return c->run ? py_run_traverse(c->run, visit, arg) : 0;
}

static int curve_clear(PyObject *self)
{
    curve_object *c = (curve_object *)self;
    run *r = c->run;
    keel_curve_free(c->curve);
    keel_problem_free(c->problem);
    c->curve = NULL;
    c->problem = NULL;
    c->run = NULL;
    py_run_free(r);
    py_session_clear(&c->session);
    return 0;
}

static void curve_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    curve_clear(self);
    Py_TYPE(self)->tp_free(self);
}

static int enter(curve_object *c)
{
    if (c->busy || !c->curve)
        return PyErr_SetString(PyExc_RuntimeError, "this curve is in use"), -1;
    c->busy = 1;
    py_session_clear(&c->session);
    return 0;
}

static PyObject *answer(curve_object *c, int status)
{
    c->busy = 0;
    if (c->session.failed) return py_session_raise(&c->session, 0);
    if (status < 0)
        return py_raise_status(status, keel_curve_message(c->curve), keel_curve_time(c->curve));
    return PyLong_FromLong(status);
}

/* start(t, y, direction) */
static PyObject *start(PyObject *self, PyObject *args)
{
    curve_object *c = (curve_object *)self;
    const int n = keel_problem_size(c->problem);
    double t, direction;
    PyObject *given;
    if (!PyArg_ParseTuple(args, "dOd", &t, &given, &direction)) return NULL;
    double *y = PyMem_Malloc(((size_t)n + 1) * sizeof *y);
    if (!y) return PyErr_NoMemory();
    PyObject *done = NULL;
    if (!py_copy_numbers(given, n, y, "y0") && !enter(c))
        done = answer(c, keel_curve_start(c->curve, t, y, direction));
    PyMem_Free(y);
    return done;
}

static PyObject *bounds(PyObject *self, PyObject *args)
{
    curve_object *c = (curve_object *)self;
    double low, high, length;
    if (!PyArg_ParseTuple(args, "ddd", &low, &high, &length) || enter(c)) return NULL;
    return answer(c, keel_curve_bounds(c->curve, low, high, length));
}

static PyObject *step(PyObject *self, PyObject *unused)
{
    curve_object *c = (curve_object *)self;
    (void)unused;
    return enter(c) ? NULL : answer(c, keel_curve_step(c->curve));
}

/* (s, t, dt/ds, y) */
static PyObject *point(PyObject *self, PyObject *unused)
{
    const curve_object *c = (curve_object *)self;
    (void)unused;
    return Py_BuildValue(
        "(dddN)", keel_curve_length(c->curve), keel_curve_time(c->curve), keel_curve_rate(c->curve),
        py_array_of(keel_curve_state(c->curve), keel_problem_size(c->problem), -1));
}

PyObject *py_impasse(const keel_impasse *x, int n)
{
    static const char *const actions[] = {"ended", "followed", "jumped", "passed"};
    PyObject *after = x->after ? py_array_of(x->after, n, -1) : (Py_INCREF(Py_None), Py_None);
    return Py_BuildValue("{sd sd sd ss ss sN sN}", "t", x->t, "alpha", x->alpha, "length",
                         x->length, "kind", keel_impasse_kind_name((int)x->kind), "action",
                         actions[x->action], "y", py_array_of(x->y, n, -1), "after", after);
}

static PyObject *impasses(PyObject *self, PyObject *unused)
{
    const curve_object *c = (curve_object *)self;
    PyObject *list = PyList_New(0);
    keel_impasse x;
    (void)unused;
    for (int i = 0; list && i < keel_curve_impasse_count(c->curve); i++) {
        if (keel_curve_impasse_at(c->curve, i, &x)) continue;
        PyObject *row = py_impasse(&x, keel_problem_size(c->problem));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS, NULL},      {"bounds", bounds, METH_VARARGS, NULL},
    {"step", step, METH_NOARGS, NULL},         {"point", point, METH_NOARGS, NULL},
    {"impasses", impasses, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

PyTypeObject py_curve_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Curve",
    .tp_basicsize = sizeof(curve_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_doc = "The solution as a curve.",
    .tp_init = curve_init,
    .tp_traverse = curve_traverse,
    .tp_clear = curve_clear,
    .tp_dealloc = curve_dealloc,
    .tp_methods = methods,
};
