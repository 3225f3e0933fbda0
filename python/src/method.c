/* method.c -- keel._core.Method: a keel_method, and all that is known about it. */
#include "solver.h"

#include <math.h>
#include <string.h>

/* ---- arrays of a dict ---------------------------------------------------------------------- */

/* Arrays that descriptions point to, until the library has copied them. */
typedef struct arrays {
    PyObject *dict;
    double *block[16];
    int count, failed;
} arrays;

/* dict[name] as `size` numbers, or NULL: there is none. */
static const double *numbers(arrays *a, const char *name, Py_ssize_t size)
{
    PyObject *given = PyDict_GetItemString(a->dict, name);
    if (a->failed || !given || given == Py_None) return NULL;
    double *block = PyMem_Malloc(((size_t)size + 1) * sizeof *block);
    PyObject *flat = block ? PyObject_CallMethod(given, "reshape", "i", -1) : NULL;
    if (block)
        a->block[a->count++] = block;
    else
        PyErr_NoMemory();
    if (!flat || py_copy_numbers(flat, size, block, name)) a->failed = 1;
    Py_XDECREF(flat);
    return a->failed ? NULL : block;
}

static int whole(arrays *a, const char *name)
{
    PyObject *given = PyDict_GetItemString(a->dict, name);
    const long value = given && given != Py_None ? PyLong_AsLong(given) : 0;
    if (PyErr_Occurred()) a->failed = 1;
    return (int)value;
}

static const char *text(arrays *a, const char *name)
{
    PyObject *given = PyDict_GetItemString(a->dict, name);
    return given && PyUnicode_Check(given) ? PyUnicode_AsUTF8(given) : NULL;
}

static void release(arrays *a)
{
    while (a->count) PyMem_Free(a->block[--a->count]);
}

/* ---- creation ------------------------------------------------------------------------------ */

static int make_tableau(keel_method **made, arrays *a)
{
    const Py_ssize_t s = whole(a, "stages"), e = whole(a, "extra"), d = whole(a, "dense_degree");
    const keel_tableau t = {.name = text(a, "name"),
                            .family = text(a, "family"),
                            .summary = text(a, "summary"),
                            .citation = text(a, "citation"),
                            .stages = (int)s,
                            .order = whole(a, "order"),
                            .A = numbers(a, "A", s * s),
                            .b = numbers(a, "b", s),
                            .c = numbers(a, "c", s),
                            .b_hat = numbers(a, "b_hat", s),
                            .order_hat = whole(a, "order_hat"),
                            .b_second = numbers(a, "b_second", s),
                            .extra = (int)e,
                            .dense_degree = (int)d,
                            .dense_order = whole(a, "dense_order"),
                            .A_extra = numbers(a, "A_extra", e * (s + e)),
                            .c_extra = numbers(a, "c_extra", e),
                            .dense = numbers(a, "dense", (s + e) * d),
                            .half_explicit = whole(a, "half_explicit"),
                            .A_constraint = numbers(a, "A_constraint", s * s),
                            .c_constraint = numbers(a, "c_constraint", s),
                            .order_index2 = whole(a, "order_index2"),
                            .A_explicit = numbers(a, "A_explicit", s * s)};
    return a->failed ? KEEL_BAD_ARGUMENT : keel_method_create(made, &t);
}

static int make_multistep(keel_method **made, arrays *a)
{
    const Py_ssize_t k = whole(a, "steps") + 1;
    const keel_multistep m = {.name = text(a, "name"),
                              .family = text(a, "family"),
                              .summary = text(a, "summary"),
                              .citation = text(a, "citation"),
                              .steps = (int)k - 1,
                              .order = whole(a, "order"),
                              .alpha = numbers(a, "alpha", k),
                              .beta = numbers(a, "beta", k),
                              .gamma = numbers(a, "gamma", k),
                              .blocking = (keel_blocking)whole(a, "blocking")};
    return a->failed ? KEEL_BAD_ARGUMENT : keel_multistep_create(made, &m);
}

static int make_general(keel_method **made, arrays *a)
{
    const Py_ssize_t s = whole(a, "stages"), r = whole(a, "values"), p = whole(a, "order");
    const keel_general_linear g = {.name = text(a, "name"),
                                   .family = text(a, "family"),
                                   .summary = text(a, "summary"),
                                   .citation = text(a, "citation"),
                                   .stages = (int)s,
                                   .values = (int)r,
                                   .order = (int)p,
                                   .stage_order = whole(a, "stage_order"),
                                   .A = numbers(a, "A", s * s),
                                   .U = numbers(a, "U", s * r),
                                   .B = numbers(a, "B", r * s),
                                   .V = numbers(a, "V", r * r),
                                   .c = numbers(a, "c", s),
                                   .W = numbers(a, "W", r * (p + 1))};
    return a->failed ? KEEL_BAD_ARGUMENT : keel_general_linear_create(made, &g);
}

/* Method(what, given): "named" and a name, "file" and a path, or a kind and a dict. */
static PyObject *method_make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *what, *name;
    PyObject *given;
    arrays a = {0};
    int status = KEEL_BAD_ARGUMENT;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "sO", &what, &given)) return NULL;
    method_object *m = (method_object *)type->tp_alloc(type, 0);
    if (!m) return NULL;
    a.dict = given;
    if (PyUnicode_Check(given)) {
        name = PyUnicode_AsUTF8(given);
        status = !name                   ? KEEL_BAD_ARGUMENT
                 : !strcmp(what, "file") ? keel_method_read(&m->method, name)
                                         : keel_method_named(&m->method, name);
    } else if (PyDict_Check(given))
        status = !strcmp(what, "multistep") ? make_multistep(&m->method, &a)
                 : !strcmp(what, "general") ? make_general(&m->method, &a)
                                            : make_tableau(&m->method, &a);
    release(&a);
    if (!status) return (PyObject *)m;
    if (!PyErr_Occurred()) py_raise_status(status, keel_method_message(m->method), NAN);
    Py_DECREF(m);
    return NULL;
}

static void method_dealloc(PyObject *self)
{
    keel_method_free(((method_object *)self)->method);
    Py_TYPE(self)->tp_free(self);
}

/* ---- what is known ------------------------------------------------------------------------- */

static int put(PyObject *dict, const char *name, PyObject *value)
{
    const int rc = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return rc;
}

#define WHOLE(name)                put(d, #name, PyLong_FromLong(x.name))
#define TRUTH(name)                put(d, #name, PyBool_FromLong(x.name))
#define REAL(name)                 put(d, #name, PyFloat_FromDouble(x.name))
#define ARRAY(name, rows, columns) put(d, #name, py_array_of(x.name, rows, columns))
/* 1, 0, or -1: not decided. */
#define MAYBE(name)                                                                                \
    put(d, #name, x.name < 0 ? (Py_INCREF(Py_None), Py_None) : PyBool_FromLong(x.name))

static PyObject *eigenvalues(const double *re, const double *im, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++)
        PyList_SET_ITEM(list, i, PyComplex_FromDoubles(re[i], im[i]));
    return list;
}

static PyObject *analyse(PyObject *self, PyObject *unused)
{
    keel_analysis x;
    const int status = keel_method_analyse(((method_object *)self)->method, &x);
    (void)unused;
    if (status) return py_raise_status(status, NULL, NAN);
    PyObject *d = PyDict_New();
    if (!d) return NULL;
    int rc = WHOLE(stages) | WHOLE(order) | WHOLE(order_hat) | WHOLE(B) | WHOLE(C) | WHOLE(D) |
             WHOLE(stage_order) | REAL(condition_defect) | REAL(error_constant) | REAL(r_infinity) |
             TRUTH(explicit_first) | TRUTH(stiffly_accurate) | TRUTH(a_stable) | TRUTH(l_stable) |
             REAL(alpha) | REAL(imaginary_limit) | REAL(real_limit) | TRUTH(symmetric) |
             TRUTH(symplectic) | TRUTH(algebraically_stable) | MAYBE(an_stable) | MAYBE(b_stable) |
             MAYBE(bn_stable) | TRUTH(irreducible) | TRUTH(confluent) | WHOLE(negative_weights) |
             WHOLE(rhs_per_step) | WHOLE(real_systems) | WHOLE(complex_systems) |
             put(d, "condition_tree", PyUnicode_FromString(x.condition_tree)) |
             put(d, "algebraic", py_array_of(x.algebraic, x.stages, -1)) |
             put(d, "eigenvalues", eigenvalues(x.eigenvalue_re, x.eigenvalue_im, x.stages));
    if (rc) Py_CLEAR(d);
    return d;
}

static PyObject *analyse_general(PyObject *self, PyObject *unused)
{
    keel_general_analysis x;
    const int status = keel_method_analyse_general(((method_object *)self)->method, &x);
    (void)unused;
    if (status) return py_raise_status(status, NULL, NAN);
    PyObject *d = PyDict_New();
    if (!d) return NULL;
    int rc = WHOLE(stages) | WHOLE(values) | WHOLE(order) | WHOLE(stage_order) |
             REAL(error_constant) | TRUTH(zero_stable) | REAL(parasitic) | TRUTH(nordsieck) |
             TRUTH(singly) | TRUTH(diagonal) | TRUTH(stiffly_accurate) | REAL(rho_infinity) |
             WHOLE(nilpotent) | TRUTH(a_stable) | TRUTH(l_stable) | REAL(alpha) |
             REAL(imaginary_limit) | REAL(real_limit) | TRUTH(runge_kutta_stable) |
             REAL(blocked_root) | WHOLE(rhs_per_step) | WHOLE(real_systems) |
             WHOLE(complex_systems) | ARRAY(preconsistency, x.values, -1) |
             ARRAY(M_infinity, x.values, x.values) |
             put(d, "eigenvalues", eigenvalues(x.eigenvalue_re, x.eigenvalue_im, x.stages));
    if (rc) Py_CLEAR(d);
    return d;
}

static PyObject *coefficients(PyObject *self, PyObject *unused)
{
    const keel_method *m = ((method_object *)self)->method;
    const keel_tableau *t = keel_method_tableau(m);
    const keel_multistep *k = keel_method_multistep(m);
    const keel_general_linear *g = keel_method_general_linear(m);
    PyObject *d = PyDict_New();
    (void)unused;
    if (!d) return NULL;
    int rc = 0;
    if (t) {
        rc |= put(d, "A", py_array_of(t->A, t->stages, t->stages)) |
              put(d, "b", py_array_of(t->b, t->stages, -1)) |
              put(d, "c", py_array_of(t->c, t->stages, -1));
        if (t->b_hat) rc |= put(d, "b_hat", py_array_of(t->b_hat, t->stages, -1));
        if (t->A_explicit)
            rc |= put(d, "A_explicit", py_array_of(t->A_explicit, t->stages, t->stages));
        if (t->A_constraint)
            rc |= put(d, "A_constraint", py_array_of(t->A_constraint, t->stages, t->stages));
    } else if (k) {
        rc |= put(d, "alpha", py_array_of(k->alpha, k->steps + 1, -1)) |
              put(d, "beta", py_array_of(k->beta, k->steps + 1, -1));
        if (k->gamma) rc |= put(d, "gamma", py_array_of(k->gamma, k->steps + 1, -1));
    } else if (g)
        rc |= put(d, "A", py_array_of(g->A, g->stages, g->stages)) |
              put(d, "U", py_array_of(g->U, g->stages, g->values)) |
              put(d, "B", py_array_of(g->B, g->values, g->stages)) |
              put(d, "V", py_array_of(g->V, g->values, g->values)) |
              put(d, "c", py_array_of(g->c, g->stages, -1));
    if (rc) Py_CLEAR(d);
    return d;
}

static PyObject *about(PyObject *self, PyObject *unused)
{
    static const char *const estimates[] = {"embedded", "added", "doubling", "carried", "none"};
    const keel_method *m = ((method_object *)self)->method;
    const keel_tableau *t = keel_method_tableau(m);
    const keel_multistep *k = keel_method_multistep(m);
    const keel_general_linear *g = keel_method_general_linear(m);
    (void)unused;
    const char *name = t ? t->name : k ? k->name : g ? g->name : "";
    const char *family = t ? t->family : k ? k->family : g ? g->family : "";
    const char *summary = t ? t->summary : k ? k->summary : g ? g->summary : "";
    const char *citation = t ? t->citation : k ? k->citation : g ? g->citation : "";
    return Py_BuildValue("{sz sz sz sz ss ss si}", "name", name, "family", family, "summary",
                         summary, "citation", citation, "kind",
                         keel_method_kind_name(keel_method_kind_of(m)), "estimate",
                         estimates[keel_method_estimate(m)], "steps", k ? k->steps : 0);
}

/* stability(re, im) -> (re, im), arrays */
static PyObject *stability(PyObject *self, PyObject *args)
{
    const keel_method *m = ((method_object *)self)->method;
    PyObject *re, *im;
    if (!PyArg_ParseTuple(args, "OO", &re, &im)) return NULL;
    const Py_ssize_t count = PyObject_Length(re);
    if (count < 0) return NULL;
    PyObject *to_re = py_new_array(count, -1), *to_im = py_new_array(count, -1);
    double *x = to_re ? py_array_data(to_re) : NULL, *y = to_im ? py_array_data(to_im) : NULL;
    if (!x || !y || py_copy_numbers(re, count, x, "z") || py_copy_numbers(im, count, y, "z")) {
        Py_XDECREF(to_re);
        Py_XDECREF(to_im);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) keel_method_stability(m, x[i], y[i], &x[i], &y[i]);
    return Py_BuildValue("(NN)", to_re, to_im);
}

/* orders(index, nonlinear, projected, multipliers) -> tuple */
static PyObject *orders(PyObject *self, PyObject *args)
{
    keel_order_case which;
    int order[3] = {0};
    if (!PyArg_ParseTuple(args, "ippi", &which.index, &which.nonlinear, &which.projected,
                          &which.multipliers))
        return NULL;
    const int groups = keel_method_orders(((method_object *)self)->method, &which, order);
    PyObject *tuple = PyTuple_New(groups < 0 ? 0 : groups);
    for (int k = 0; tuple && k < groups; k++) PyTuple_SET_ITEM(tuple, k, PyLong_FromLong(order[k]));
    return tuple;
}

static PyMethodDef methods[] = {{"analyse", analyse, METH_NOARGS, NULL},
                                {"analyse_general", analyse_general, METH_NOARGS, NULL},
                                {"coefficients", coefficients, METH_NOARGS, NULL},
                                {"about", about, METH_NOARGS, NULL},
                                {"stability", stability, METH_VARARGS, NULL},
                                {"orders", orders, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};

PyTypeObject py_method_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Method",
    .tp_basicsize = sizeof(method_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = method_make,
    .tp_doc = "A method as data.",
    .tp_dealloc = method_dealloc,
    .tp_methods = methods,
};

PyObject *py_method_names(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    keel_method_info i;
    (void)module, (void)unused;
    for (int k = 0; list && k < keel_method_count() && !keel_method_at(k, &i); k++) {
        PyObject *row = Py_BuildValue(
            "{ss ss ss ss si si si sO sd ss}", "name", i.name, "family", i.family, "summary",
            i.summary, "citation", i.citation, "stages", i.stages, "order", i.order, "stage_order",
            i.stage_order, "stiffly_accurate", i.stiffly_accurate ? Py_True : Py_False,
            "r_infinity", i.r_infinity, "kind", keel_method_kind_name(i.kind));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}
