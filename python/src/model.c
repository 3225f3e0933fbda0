/* model.c -- keel._core.Model: a model in Modelica, read and analysed when it is asked for.
 *
 *   Model(path or None, text or None, title, class or None)
 *
 * Its problem belongs to the library's model, which solvers keep alive.  Values of all variables need the
 * discrete state of a point, (modes, values), beside its unknowns.
 */
#include "solver.h"

#include <string.h>

#ifdef KEEL_WITH_MODELS
#include <keel/model.h>

typedef struct model_object {
    PyObject_HEAD
    keel_model *model;
    int variables;
} model_object;

static PyObject *refuse(const model_object *m, int status)
{
    const char *said = keel_model_message(m->model);
    return py_raise_status(status ? status : KEEL_BAD_ARGUMENT, *said ? said : NULL, Py_NAN);
}

static int model_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    model_object *m = (model_object *)self;
    PyObject *path;
    const char *text, *title, *name;
    Py_ssize_t length;
    (void)keywords;
    if (m->model) return PyErr_SetString(PyExc_TypeError, "a Model is read once"), -1;
    if (!PyArg_ParseTuple(args, "Oz#sz", &path, &text, &length, &title, &name)) return -1;
    int status;
    if (text)
        status = keel_model_read_text(&m->model, title, text, (size_t)length, name);
    else {
        PyObject *bytes;
        if (!PyUnicode_FSConverter(path, &bytes)) return -1;
        status = keel_model_read(&m->model, PyBytes_AS_STRING(bytes), name);
        Py_DECREF(bytes);
    }
    if (status) return refuse(m, status), -1;
    return 0;
}

static void model_dealloc(PyObject *self)
{
    keel_model_free(((model_object *)self)->model);
    Py_TYPE(self)->tp_free(self);
}

const keel_problem *py_model_problem(PyObject *model)
{
    model_object *m = (model_object *)model;
    const keel_problem *p = keel_model_problem(m->model);
    if (!p) return (const keel_problem *)refuse(m, keel_model_status(m->model));
    m->variables = keel_model_variable_count(m->model);
    return p;
}

int py_model_variables(PyObject *model)
{
    return ((model_object *)model)->variables;
}

int py_model_start(PyObject *model, keel_start_spec *spec)
{
    return keel_model_start(((model_object *)model)->model, spec);
}

int py_model_values(PyObject *model, double t, const double *y, const keel_frame *frame, double *values)
{
    return keel_model_values(((model_object *)model)->model, t, y, frame, values);
}

/* A run that takes long has its callbacks compiled, in the background. */
void py_model_hurry(PyObject *model, double seconds, int *state)
{
    enum { WAITING, COMPILING, SETTLED };
    static const double worth_it = 0.5;
    keel_model *m = ((model_object *)model)->model;
    if (*state == WAITING && seconds > worth_it)
        *state = keel_model_compile(m) == KEEL_OK ? COMPILING : SETTLED;
    if (*state == COMPILING && keel_model_compiled(m) != 0) *state = SETTLED;
}

/* ---- changes ------------------------------------------------------------------------------- */

/* set(name, number or text): a parameter */
static PyObject *set(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "sO", &name, &value)) return NULL;
    int status;
    if (PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8(value);
        if (!text) return NULL;
        status = keel_model_parameter_text(m->model, name, text);
    } else {
        const double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) return NULL;
        status = keel_model_parameter(m->model, name, number);
    }
    if (status) return refuse(m, status);
    Py_RETURN_NONE;
}

/* levelled(): no special form is looked for */
static PyObject *levelled(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    (void)unused;
    const int status = keel_model_levelled(m->model, 1);
    if (status) return refuse(m, status);
    Py_RETURN_NONE;
}

static PyObject *set_start(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    const char *name;
    double value;
    if (!PyArg_ParseTuple(args, "sd", &name, &value)) return NULL;
    const int status = keel_model_start_value(m->model, name, value);
    if (status) return refuse(m, status);
    Py_RETURN_NONE;
}

/* ---- questions ----------------------------------------------------------------------------- */

/* size of the problem; the model is analysed */
static PyObject *prepare(PyObject *self, PyObject *unused)
{
    const keel_problem *p = py_model_problem(self);
    (void)unused;
    return p ? PyLong_FromLong(keel_problem_size(p)) : NULL;
}

static PyObject *variables(PyObject *self, PyObject *unused)
{
    static const char *const kinds[] = {"constant", "parameter", "discrete", "continuous"};
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (int i = 0; list && i < m->variables; i++) {
        keel_model_variable v;
        keel_model_variable_at(m->model, i, &v);
        PyObject *row = Py_BuildValue("{ss ss ss ss sO}", "name", v.name, "comment",
                                      v.comment ? v.comment : "", "unit", v.unit ? v.unit : "", "kind",
                                      kinds[v.kind], "protected", v.hidden ? Py_True : Py_False);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* values(t, y, modes or None, values or None): of all variables */
static PyObject *values(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    PyObject *given_y, *given_modes, *given_values, *array = NULL;
    const keel_problem *p = keel_model_problem(m->model);
    double t;
    if (!p) return refuse(m, keel_model_status(m->model));
    if (!PyArg_ParseTuple(args, "dOOO", &t, &given_y, &given_modes, &given_values)) return NULL;
    const keel_frame *start = keel_problem_frame(p);
    keel_frame frame = start ? *start : (keel_frame){0};
    const int n = keel_problem_size(p);
    double *y = PyMem_Malloc(sizeof *y * (size_t)(n + frame.value_count + 1)), *real = y ? y + n : NULL;
    int count = frame.mode_count, *whole = NULL;
    if (!y) return PyErr_NoMemory();
    int rc = py_copy_numbers(given_y, n, y, "y");
    if (!rc && given_modes != Py_None) {
        whole = py_whole_numbers(given_modes, &count, "modes");
        if (whole && count != frame.mode_count) PyErr_SetString(PyExc_ValueError, "wrong number of modes");
        rc = PyErr_Occurred() || py_copy_numbers(given_values, frame.value_count, real, "values");
        frame.modes = frame.pre_modes = whole;
        frame.values = frame.pre_values = real;
    }
    if (!rc) array = py_new_array(m->variables, -1);
    const int status =
        array ? keel_model_values(m->model, t, y, start ? &frame : NULL, py_array_data(array)) : 0;
    PyMem_Free(y);
    PyMem_Free(whole);
    if (!status) return array;
    Py_XDECREF(array);
    return refuse(m, status);
}

/* |nominal| of each unknown, or None: none is given */
static PyObject *nominal(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    const keel_problem *p = py_model_problem(self);
    PyObject *array = p ? py_new_array(keel_problem_size(p), -1) : NULL;
    (void)unused;
    if (!array || keel_model_nominal(m->model, py_array_data(array)) > 0) return array;
    Py_DECREF(array);
    Py_RETURN_NONE;
}

int py_model_warning(PyObject *model, const keel_solver *solver, char *text, int size)
{
    return keel_model_warning(((model_object *)model)->model, keel_time(solver), keel_state(solver),
                              keel_solver_frame(solver), text, (size_t)size);
}

/* (t, y) where runs begin */
static PyObject *start(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    keel_start_spec spec = {0};
    (void)unused;
    const int status = keel_model_start(m->model, &spec);
    if (status) return refuse(m, status);
    const int n = keel_problem_size(keel_model_problem(m->model));
    return Py_BuildValue("(dN)", spec.t, py_array_of(spec.y, n, -1));
}

static PyObject *experiment(PyObject *self, PyObject *unused)
{
    keel_model_experiment e;
    (void)unused;
    keel_model_experiment_of(((model_object *)self)->model, &e);
    return Py_BuildValue("(dddd)", e.start, e.stop, e.interval, e.tolerance);
}

static PyObject *structure(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    keel_model_structure x;
    (void)unused;
    const int status = keel_model_structure_of(m->model, &x);
    if (status) return refuse(m, status);
    return Py_BuildValue("{ss ss si si si si si si si si si si si ss ss ss}", "name", x.name, "comment",
                         x.comment ? x.comment : "", "equations", x.equations, "unknowns", x.unknowns,
                         "aliases", x.aliases, "definitions", x.definitions, "left", x.left, "index",
                         x.index, "freedom", x.freedom, "assignments", x.assignments, "levels", x.levels,
                         "blocks", x.blocks, "loops", x.loops, "form", x.form, "reason", x.reason,
                         "remarks", x.remarks ? x.remarks : "");
}

/* Texts that a function has one after the other. */
static PyObject *event_texts(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    const char *text;
    (void)unused;
    for (int i = 0; list && (text = keel_model_event(m->model, i)); i++) {
        PyObject *row = PyUnicode_FromString(text);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *start_plan(PyObject *self, PyObject *unused)
{
    static const char *const given[] = {"fixed", "equation", "guess", "free"};
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    keel_model_plan x;
    (void)unused;
    for (int i = 0; list && !keel_model_plan_at(m->model, i, &x); i++) {
        PyObject *row = Py_BuildValue("(ssi)", given[x.given], x.text, x.line);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *get_message(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(keel_model_message(((model_object *)self)->model));
}

static PyObject *get_modes(PyObject *self, void *unused)
{
    const keel_frame *frame = keel_problem_frame(keel_model_problem(((model_object *)self)->model));
    (void)unused;
    return PyLong_FromLong(frame ? frame->mode_count : 0);
}

static PyGetSetDef fields[] = {{"message", get_message, NULL, "errors and warnings", NULL},
                               {"modes", get_modes, NULL, "of its discrete state", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {{"set", set, METH_VARARGS, NULL},
                                {"set_start", set_start, METH_VARARGS, NULL},
                                {"levelled", levelled, METH_NOARGS, NULL},
                                {"nominal", nominal, METH_NOARGS, NULL},
                                {"prepare", prepare, METH_NOARGS, NULL},
                                {"variables", variables, METH_NOARGS, NULL},
                                {"values", values, METH_VARARGS, NULL},
                                {"start", start, METH_NOARGS, NULL},
                                {"experiment", experiment, METH_NOARGS, NULL},
                                {"structure", structure, METH_NOARGS, NULL},
                                {"events", event_texts, METH_NOARGS, NULL},
                                {"plan", start_plan, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

PyTypeObject py_model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Model",
    .tp_basicsize = sizeof(model_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_doc = "A model in Modelica.",
    .tp_init = model_init,
    .tp_dealloc = model_dealloc,
    .tp_getset = fields,
    .tp_methods = methods,
};

#else

/* A library without models: nobody can make one. */
PyTypeObject py_model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Model",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Not in this build (KEEL_WITH_MODELS).",
};

const keel_problem *py_model_problem(PyObject *model) { return (void)model, NULL; }
int py_model_variables(PyObject *model) { return (void)model, 0; }

int py_model_start(PyObject *model, keel_start_spec *spec)
{
    return (void)model, (void)spec, KEEL_UNSUPPORTED;
}

int py_model_warning(PyObject *model, const keel_solver *solver, char *text, int size)
{
    return (void)model, (void)solver, (void)text, (void)size, 0;
}

void py_model_hurry(PyObject *model, double seconds, int *state) { (void)model, (void)seconds, (void)state; }

int py_model_values(PyObject *model, double t, const double *y, const keel_frame *frame, double *values)
{
    (void)model, (void)t, (void)y, (void)frame, (void)values;
    return KEEL_UNSUPPORTED;
}

#endif
