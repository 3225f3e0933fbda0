/* module.c -- keel._core: types, tables and what the Python part of the package registers. */
#include "solver.h"

helpers py_helper;

PyObject *py_raise_status(int status, const char *message, double t)
{
    const char *text = message && message[0] ? message : keel_status_text(status);
    PyObject *error = PyObject_CallFunction(py_helper.error, "isd", status, text, t);
    if (!error) return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return NULL;
}

/* register(empty, intc, ndarray, float64, coerce, sparse, triplets, error, retry, warning) */
static PyObject *register_helpers(PyObject *module, PyObject *args)
{
    helpers *h = &py_helper;
    PyObject **field[] = {&h->empty,  &h->intc,     &h->ndarray, &h->float64, &h->coerce,
                          &h->sparse, &h->triplets, &h->error,   &h->retry,   &h->warning};
    (void)module;
    if (PyTuple_GET_SIZE(args) != 10)
        return PyErr_SetString(PyExc_TypeError, "register takes 10 arguments"), NULL;
    for (int k = 0; k < 10; k++) {
        PyObject *given = PyTuple_GET_ITEM(args, k);
        Py_INCREF(given);
        Py_XSETREF(*field[k], given);
    }
    if (py_check_layout()) return NULL;
    Py_RETURN_NONE;
}

static PyObject *status_name(PyObject *module, PyObject *status)
{
    const long number = PyLong_AsLong(status);
    (void)module;
    if (number == -1 && PyErr_Occurred()) return NULL;
    return PyUnicode_FromString(keel_status_name((int)number));
}

static PyObject *status_text(PyObject *module, PyObject *status)
{
    const long number = PyLong_AsLong(status);
    (void)module;
    if (number == -1 && PyErr_Occurred()) return NULL;
    return PyUnicode_FromString(keel_status_text((int)number));
}

static PyObject *formulations(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    keel_formulation_info f;
    (void)module, (void)unused;
    for (int i = 0; list && i < keel_formulation_count() && !keel_formulation_at(i, &f); i++) {
        PyObject *row = Py_BuildValue("{ss ss ss ss ss ss}", "name", f.name, "summary", f.summary,
                                      "equations", f.equations, "keeps", f.keeps, "drifts",
                                      f.drifts, "citation", f.citation);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- are derivatives right? ---------------------------------------------------------------- */

static PyObject *report_rows(const keel_check_report *report)
{
    static const char *const kinds[] = {"derivative", "pattern",   "not finite",
                                        "symmetry",   "constancy", "link"};
    static const char *const outcomes[] = {"fits", "wrong", "undecided"};
    PyObject *findings = PyList_New(0), *items = PyList_New(0);
    for (int i = 0; findings && i < keel_check_finding_count(report); i++) {
        const keel_finding *f = keel_check_finding(report, i);
        PyObject *row = Py_BuildValue("{ss ss si si sd sd ss}", "kind", kinds[f->kind], "callback",
                                      f->callback, "row", f->row, "column", f->column, "given",
                                      f->given, "expected", f->expected, "text", f->text);
        if (!row || PyList_Append(findings, row)) Py_CLEAR(findings);
        Py_XDECREF(row);
    }
    for (int i = 0; items && i < keel_check_item_count(report); i++) {
        const keel_check_item *x = keel_check_item_at(report, i);
        PyObject *row =
            Py_BuildValue("{ss ss sl sd ss}", "callback", x->callback, "with", x->with, "entries",
                          x->entries, "deviation", x->deviation, "outcome", outcomes[x->outcome]);
        if (!row || PyList_Append(items, row)) Py_CLEAR(items);
        Py_XDECREF(row);
    }
    return Py_BuildValue("(NN)", findings, items);
}

/* check(problem, t, y, yp or None) -> (findings, items) */
static PyObject *check(PyObject *module, PyObject *args)
{
    PyObject *object, *given, *given_yp, *answer = NULL;
    double t, *y = NULL;
    keel_problem *problem = NULL;
    keel_check_report *report = NULL;
    session s = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!dOO", &py_problem_type, &object, &t, &given, &given_yp))
        return NULL;
    run *r = py_run_new((problem_object *)object, &s);
    if (!r) return NULL;
    int status = py_run_build(r, &problem);
    const int n = status ? 0 : keel_problem_size(problem);
    y = PyMem_Malloc((2 * (size_t)n + 1) * sizeof *y);
    if (status)
        py_raise_status(status, keel_problem_message(problem), Py_NAN);
    else if (!y)
        PyErr_NoMemory();
    else if (!py_copy_numbers(given, n, y, "y") &&
             (given_yp == Py_None || !py_copy_numbers(given_yp, n, y + n, "yp"))) {
        status = keel_check(problem, t, y, given_yp == Py_None ? NULL : y + n, &report);
        if (s.failed)
            py_session_raise(&s, 0);
        else if (status && status != KEEL_WRONG_DERIVATIVE)
            py_raise_status(status, NULL, t);
        else
            answer = report_rows(report);
    }
    keel_check_free(report);
    keel_problem_free(problem);
    PyMem_Free(y);
    py_run_free(r);
    return answer;
}

/* ---- rows of sweeps ------------------------------------------------------------------------ */

static PyObject *draw_rows(const keel_sweep_axis *axes, int count, long samples, unsigned long seed)
{
    const long rows = samples < 0 ? keel_sweep_grid_rows(axes, count) : samples;
    if (rows < 0) return PyErr_SetString(PyExc_ValueError, "a sweep has too many rows"), NULL;
    PyObject *array = py_new_array(rows, count);
    double *data = array ? py_array_data(array) : NULL;
    if (data && samples < 0) keel_sweep_grid(axes, count, data);
    if (data && samples >= 0) keel_sweep_samples(axes, count, rows, seed, data);
    return array;
}

/* sweep_rows([values, ...], samples, seed) -> [rows, axes]: the grid of all of them or, if samples >= 0,
 * that many draws between the two values of each. */
static PyObject *sweep_rows(PyObject *module, PyObject *args)
{
    PyObject *given, *answer = NULL;
    long samples;
    unsigned long seed;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!lk", &PyList_Type, &given, &samples, &seed)) return NULL;
    const Py_ssize_t count = PyList_GET_SIZE(given);
    keel_sweep_axis *axes = PyMem_Calloc((size_t)count + 1, sizeof *axes);
    double **values = PyMem_Calloc((size_t)count + 1, sizeof *values);
    Py_ssize_t i = 0;
    for (; axes && values && i < count; i++) {
        PyObject *list = PyList_GET_ITEM(given, i);
        const Py_ssize_t n = PyObject_Length(list);
        values[i] = n < 0 ? NULL : PyMem_Malloc(((size_t)n + 2) * sizeof **values);
        if (!values[i] || py_copy_numbers(list, n, values[i], "values of a sweep")) break;
        axes[i] = samples < 0 ? (keel_sweep_axis){.count = (long)n, .values = values[i]}
                              : (keel_sweep_axis){.from = values[i][0], .to = values[i][1]};
    }
    if (axes && values && i == count)
        answer = draw_rows(axes, (int)count, samples, seed);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    for (i = 0; values && i < count; i++) PyMem_Free(values[i]);
    PyMem_Free(values);
    PyMem_Free(axes);
    return answer;
}

static PyMethodDef functions[] = {{"register", register_helpers, METH_VARARGS, NULL},
                                  {"status_name", status_name, METH_O, NULL},
                                  {"status_text", status_text, METH_O, NULL},
                                  {"layout", py_layout, METH_VARARGS, NULL},
                                  {"options", py_option_rows, METH_NOARGS, NULL},
                                  {"formulations", formulations, METH_NOARGS, NULL},
                                  {"methods", py_method_names, METH_NOARGS, NULL},
                                  {"check", check, METH_VARARGS, NULL},
                                  {"sweep_rows", sweep_rows, METH_VARARGS, NULL},
                                  {"repeat", py_repeat, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "keel._core",
                                        .m_doc =
                                            "The C library; the package keel is its interface.",
                                        .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    static PyTypeObject *const types[] = {&py_problem_type, &py_solver_type,   &py_recording_type,
                                          &py_method_type,  &py_boundary_type, &py_curve_type,
                                          &py_model_type};
    PyObject *module = PyModule_Create(&definition);
    for (size_t k = 0; module && k < sizeof types / sizeof *types; k++)
        if (PyModule_AddType(module, types[k])) Py_CLEAR(module);
    if (module && PyModule_AddStringConstant(module, "version", keel_version())) Py_CLEAR(module);
    return module;
}
