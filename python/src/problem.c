/* problem.c -- keel._core.Problem: a form, its sizes and its callbacks, checked by the library when
 * a solver is made of it.
 *
 *   Problem(form, sizes, callbacks, **rest)
 *
 * callbacks: name -> function, matrix (an array: a constant) or (address, data, owner, raw) of
 * machine code.  The Python part of the package has checked types and prepared the rest.
 */
#include "core.h"

#include <limits.h>
#include <string.h>

/* ---- pieces -------------------------------------------------------------------------------- */

int *py_whole_numbers(PyObject *object, int *count, const char *what)
{
    PyObject *list = PySequence_Fast(object, what);
    if (!list) return NULL;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    int *values = PyMem_Malloc(((size_t)n + 1) * sizeof *values);
    for (Py_ssize_t i = 0; values && i < n; i++) {
        const long value = PyLong_AsLong(PySequence_Fast_GET_ITEM(list, i));
        if (value == -1 && PyErr_Occurred()) break;
        values[i] = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
    }
    if (!values) PyErr_NoMemory();
    Py_DECREF(list);
    if (PyErr_Occurred()) return PyMem_Free(values), NULL;
    if (count) *count = (int)n;
    return values;
}

static double *real_numbers(PyObject *object, int *count, const char *what)
{
    const Py_ssize_t n = PyObject_Length(object);
    if (n < 0) return NULL;
    double *values = PyMem_Malloc(((size_t)n + 1) * sizeof *values);
    if (!values) return (double *)PyErr_NoMemory();
    if (py_copy_numbers(object, n, values, what)) return PyMem_Free(values), NULL;
    *count = (int)n;
    return values;
}

const char **py_text_list(PyObject *tuple)
{
    if (!tuple || tuple == Py_None) return NULL;
    const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    const char **list = PyMem_Malloc(((size_t)n + 1) * sizeof *list);
    if (!list) return (const char **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++) list[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i));
    return list;
}

/* A function, a constant array, or (address, data, owner, raw). */
int py_callback_set(callback *c, PyObject *given)
{
    if (PyTuple_Check(given)) {
        if (PyTuple_GET_SIZE(given) != 4) {
            PyErr_SetString(PyExc_TypeError, "machine code is (address, data, owner, raw)");
            return -1;
        }
        c->raw = PyObject_IsTrue(PyTuple_GET_ITEM(given, 3)) == 1;
        void *code = PyLong_AsVoidPtr(PyTuple_GET_ITEM(given, 0));
        c->data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(given, 1));
        if (PyErr_Occurred()) return -1;
        c->code = (address)(uintptr_t)code;
    } else
        c->constant = !PyCallable_Check(given);
    Py_INCREF(given);
    c->object = given;
    return 0;
}

void py_callback_clear(callback *c)
{
    Py_CLEAR(c->object);
    Py_CLEAR(c->pattern);
}

static int set_callbacks(problem_object *p, PyObject *dict, PyObject *out, PyObject *patterns)
{
    for (int id = 0; id < SLOTS; id++) {
        const slot_info *info = &py_slot_table[id];
        if (info->form != (int)p->form && info->form != ANY_FORM) continue;
        PyObject *given = PyDict_GetItemString(dict, info->name);
        if (!given || given == Py_None) continue;
        callback *c = &p->callback[id];
        if (py_callback_set(c, given)) return -1;
        PyObject *name = PyUnicode_FromString(info->name);
        if (!name) return -1;
        c->out = out && PySequence_Contains(out, name) == 1;
        Py_DECREF(name);
        PyObject *pattern = patterns ? PyDict_GetItemString(patterns, info->name) : NULL;
        Py_XINCREF(pattern);
        c->pattern = pattern;
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- patterns ------------------------------------------------------------------------------ */

static int set_pattern(keel_pattern *p, PyObject *given)
{
    int lower, upper, count;
    PyObject *start, *rows;
    if (!given) return 0;
    if (PyArg_ParseTuple(given, "ii", &lower, &upper)) {
        *p = (keel_pattern){.storage = KEEL_BAND, .lower = lower, .upper = upper};
        return 0;
    }
    PyErr_Clear();
    if (!PyArg_ParseTuple(given, "OO", &start, &rows)) return -1;
    p->storage = KEEL_SPARSE;
    p->column_start = py_whole_numbers(start, &count, "column starts");
    p->row_index = p->column_start ? py_whole_numbers(rows, &count, "row indices") : NULL;
    return p->row_index ? 0 : -1;
}

static int set_patterns(problem_object *p, PyObject *dict)
{
    static const char *const names[] = {"jacobian", "mass", "constraint", "force"};
    for (int k = 0; dict && k < 4; k++)
        if (set_pattern(&p->pattern[k], PyDict_GetItemString(dict, names[k]))) return -1;
    return 0;
}

/* ---- sizes --------------------------------------------------------------------------------- */

static int set_sizes(problem_object *p, PyObject *sizes)
{
    int count, *size = py_whole_numbers(sizes, &count, "sizes");
    if (!size) return -1;
    for (int k = 0; k < 3; k++) p->dim[D_1 + k] = k < count ? size[k] : 0;
    PyMem_Free(size);
    int *d = p->dim;
    d[D_ALL] = d[D_1] + d[D_2] + d[D_3] + (p->form == KEEL_FORM_MECHANICAL ? d[D_1] : 0);
    d[D_ONE] = 1;
    for (int k = 0; k < 3; k++)
        if (d[D_1 + k] >= 0)
            continue;
        else
            return PyErr_SetString(PyExc_ValueError, "sizes are not negative"), -1;
    return 0;
}

static int optional_ints(int **field, PyObject *given, const char *what)
{
    if (!given || given == Py_None) return 0;
    *field = py_whole_numbers(given, NULL, what);
    return *field ? 0 : -1;
}

static int set_frame(problem_object *p, PyObject *parameters, PyObject *modes, PyObject *values)
{
    int *d = p->dim;
    if (parameters &&
        !(p->parameter_start = real_numbers(parameters, &d[D_PARAMETERS], "parameters")))
        return -1;
    if (modes && !(p->mode_start = py_whole_numbers(modes, &d[D_MODES], "modes"))) return -1;
    if (values && !(p->value_start = real_numbers(values, &d[D_VALUES], "values"))) return -1;
    return 0;
}

static void keep(PyObject **field, PyObject *given)
{
    if (!given || given == Py_None) return;
    Py_INCREF(given);
    *field = given;
}

/* ---- the type ------------------------------------------------------------------------------ */

static int problem_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"form",           "sizes",       "callbacks",
                            "args",           "out",         "patterns",
                            "results",        "names",       "constraint_names",
                            "attached_names", "rows",        "kept",
                            "variable_index", "next",        "chain",
                            "constant_mass",  "provides",    "parameters",
                            "modes",          "values",      "parameter_names",
                            "mode_names",     "value_names", "equations",
                            "conditions",     "free",        NULL};
    problem_object *p = (problem_object *)self;
    PyObject *sizes, *callbacks, *extra = NULL, *out = NULL, *patterns = NULL, *results = NULL;
    PyObject *text[6] = {NULL}, *kept = NULL, *index = NULL, *next = NULL, *chain = NULL;
    PyObject *parameters = NULL, *modes = NULL, *values = NULL;
    int form, *d = p->dim;
    if (p->callback[0].object || p->args)
        return PyErr_SetString(PyExc_TypeError, "a Problem never changes"), -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "iOO!|$O!OOOOOOiOOOOiIOOOOOOiii", names, &form,
                                     &sizes, &PyDict_Type, &callbacks, &PyTuple_Type, &extra, &out,
                                     &patterns, &results, &text[0], &text[1], &text[2], &d[D_ROWS],
                                     &kept, &index, &next, &chain, &p->constant_mass, &p->provides,
                                     &parameters, &modes, &values, &text[3], &text[4], &text[5],
                                     &d[D_EQUATIONS], &d[D_CONDITIONS], &d[D_FREE]))
        return -1;
    if (form < KEEL_FORM_ODE || form > KEEL_FORM_LEVELLED)
        return PyErr_SetString(PyExc_ValueError, "no such form"), -1;
    p->form = (keel_form)form;
    keep(&p->args, extra);
    PyObject **field[] = {&p->names,           &p->constraint_names, &p->attached_names,
                          &p->parameter_names, &p->mode_names,       &p->value_names};
    for (int k = 0; k < 6; k++) keep(field[k], text[k]);
    return set_sizes(p, sizes) || optional_ints(&p->kept, kept, "kept") ||
                   optional_ints(&p->variable_index, index, "variable_index") ||
                   optional_ints(&p->next, next, "next") ||
                   optional_ints(&p->chain, chain, "chain") ||
                   set_frame(p, parameters, modes, values) || set_patterns(p, patterns) ||
                   set_callbacks(p, callbacks, out, results)
               ? -1
               : 0;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg)
{
    problem_object *p = (problem_object *)self;
    for (int id = 0; id < SLOTS; id++) {
        Py_VISIT(p->callback[id].object);
        Py_VISIT(p->callback[id].pattern);
    }
    Py_VISIT(p->args);
    return 0;
}

static int problem_clear(PyObject *self)
{
    problem_object *p = (problem_object *)self;
    for (int id = 0; id < SLOTS; id++) py_callback_clear(&p->callback[id]);
    Py_CLEAR(p->args);
    return 0;
}

static void problem_dealloc(PyObject *self)
{
    problem_object *p = (problem_object *)self;
    PyObject_GC_UnTrack(self);
    problem_clear(self);
    PyObject **text[] = {&p->names,      &p->constraint_names, &p->attached_names, &p->parameter_names,
                         &p->mode_names, &p->value_names,      &p->unknown_names,  &p->unknown_groups};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) Py_CLEAR(*text[k]);
    void *owned[] = {p->variable_index,  p->next,        p->chain,     p->kept,
                     p->parameter_start, p->value_start, p->mode_start};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) PyMem_Free(owned[k]);
    for (int k = 0; k < 4; k++) {
        PyMem_Free((void *)(uintptr_t)p->pattern[k].column_start);
        PyMem_Free((void *)(uintptr_t)p->pattern[k].row_index);
    }
    Py_TYPE(self)->tp_free(self);
}

static PyObject *problem_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(((problem_object *)self)->dim[D_ALL]);
}

static PyGetSetDef problem_fields[] = {{"size", problem_size, NULL, "number of unknowns", NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject py_problem_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Problem",
    .tp_basicsize = sizeof(problem_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_doc = "A form, its sizes and its callbacks.",
    .tp_init = problem_init,
    .tp_traverse = problem_traverse,
    .tp_clear = problem_clear,
    .tp_dealloc = problem_dealloc,
    .tp_getset = problem_fields,
};
