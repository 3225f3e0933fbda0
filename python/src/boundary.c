/* boundary.c -- keel._core.Boundary: a boundary value problem, a branch of its solutions, or a fit.
 *
 *   Boundary(problem, from, to, options, unknown, inner, breaks, condition_names, branch, fit)
 *
 * The conditions and the guess are callbacks of the problem object.  `branch` says how a parameter
 * is followed: (parameter, arclength, step, step_least, step_most, most); `fit` which are looked for in
 * which measurements: (parameters, t, unknowns, values, weights, confidence, most).
 */
#include "solver.h"

#include <math.h>
#include <string.h>

typedef struct boundary_object {
    PyObject_HEAD session session;
    run *run;
    keel_problem *problem;
    keel_boundary *boundary;
    keel_branch *branch; /* or NULL; then the boundary value problem belongs to it   */
    keel_fit *fit;       /* or NULL; the same                                        */
    int busy;
} boundary_object;

/* ---- creation ------------------------------------------------------------------------------ */

typedef struct lists {
    int inner, breaks, unknown;
    double *inner_at, *break_at, *rtol, *atol, *nodes;
    int *parameter, *break_parameter;
} lists;

static int take_reals(PyObject *given, double **list, int *count, const char *what)
{
    if (!given || given == Py_None) return 0;
    const Py_ssize_t n = PyObject_Length(given);
    if (n < 0) return -1;
    *list = PyMem_Malloc(((size_t)n + 1) * sizeof **list);
    if (!*list) return PyErr_NoMemory(), -1;
    if (count) *count = (int)n;
    return py_copy_numbers(given, n, *list, what);
}

static void free_lists(lists *x)
{
    PyMem_Free(x->inner_at);
    PyMem_Free(x->break_at);
    PyMem_Free(x->rtol);
    PyMem_Free(x->atol);
    PyMem_Free(x->parameter);
    PyMem_Free(x->nodes);
    PyMem_Free(x->break_parameter);
}

static int number(PyObject *dict, const char *name, double *value)
{
    PyObject *given = PyDict_GetItemString(dict, name);
    if (!given || given == Py_None) return 0;
    *value = PyFloat_AsDouble(given);
    return PyErr_Occurred() ? -1 : 0;
}

static int whole(PyObject *dict, const char *name, int *value)
{
    double given = *value;
    if (number(dict, name, &given)) return -1;
    *value = (int)given;
    return 0;
}

static int take_options(PyObject *dict, keel_boundary_options *o, lists *x)
{
    int points = 0, index2 = 0;
    if (number(dict, "rtol", &o->rtol) || number(dict, "atol", &o->atol) ||
        whole(dict, "stages", &o->stages) || whole(dict, "points", &points) ||
        whole(dict, "mesh", &o->mesh) || whole(dict, "uniform", &o->uniform) ||
        whole(dict, "most", &o->most) || whole(dict, "index2", &index2) ||
        whole(dict, "no_projection", &o->no_projection) || whole(dict, "right", &o->right) ||
        whole(dict, "unenriched", &o->unenriched) || whole(dict, "dense", &o->dense) ||
        whole(dict, "unchecked", &o->unchecked) || number(dict, "memory", &o->memory) ||
        number(dict, "easy_value", &o->easy_value) ||
        take_reals(PyDict_GetItemString(dict, "nodes"), &x->nodes, NULL, "nodes") ||
        take_reals(PyDict_GetItemString(dict, "rtol_each"), &x->rtol, NULL, "rtol") ||
        take_reals(PyDict_GetItemString(dict, "atol_each"), &x->atol, NULL, "atol"))
        return -1;
    PyObject *easy = PyDict_GetItemString(dict, "easy_name"),
             *moving = PyDict_GetItemString(dict, "break_parameter");
    if (easy && !(o->easy_name = PyUnicode_AsUTF8(easy))) return -1;
    if (moving && !(x->break_parameter = py_whole_numbers(moving, NULL, "break_unknown"))) return -1;
    o->nodes = x->nodes;
    o->points = (keel_points)points;
    o->index2 = (keel_index2)index2;
    o->rtol_each = x->rtol;
    o->atol_each = x->atol;
    return 0;
}

/* Measurements, and the parameters that they tell. */
static int take_fit(PyObject *given, keel_fit_options *how)
{
    PyObject *parameters, *t, *unknowns, *values, *weights;
    int *unknown = NULL, count = 0, rc = -1;
    if (!PyArg_ParseTuple(given, "OOOOOdi", &parameters, &t, &unknowns, &values, &weights,
                          &how->confidence, &how->most))
        return -1;
    double *at[3] = {NULL, NULL, NULL};
    PyObject *const each[3] = {t, values, weights};
    how->parameter = py_whole_numbers(parameters, &how->parameters, "parameters");
    unknown = py_whole_numbers(unknowns, &count, "unknowns");
    for (int k = 0; k < 3 && !PyErr_Occurred(); k++) take_reals(each[k], &at[k], NULL, "measurements");
    keel_measurement *rows = PyMem_Calloc((size_t)count + 1, sizeof *rows);
    if (!rows) PyErr_NoMemory();
    if (!PyErr_Occurred()) {
        for (int i = 0; i < count; i++)
            rows[i] = (keel_measurement){
                .t = at[0][i], .unknown = unknown[i], .value = at[1][i], .weight = at[2][i]};
        how->measurements = count;
        how->measurement = rows;
        rows = NULL;
        rc = 0;
    }
    PyMem_Free(rows);
    PyMem_Free(unknown);
    for (int k = 0; k < 3; k++) PyMem_Free(at[k]);
    return rc;
}

/* Between two factorisations: has somebody pressed Ctrl-C? */
static int watch(const keel_boundary *boundary, void *context)
{
    (void)boundary;
    return py_pulse(context);
}

static const char *message_of(const boundary_object *b)
{
    return b->fit ? keel_fit_message(b->fit) : b->branch ? keel_branch_message(b->branch)
                                                         : keel_boundary_message(b->boundary);
}

static int create(boundary_object *b, double from, double to, const lists *x, PyObject *names,
                  const keel_boundary_options *o, const keel_branch_options *how,
                  const keel_fit_options *fit)
{
    const run *r = b->run;
    const char **texts = py_text_list(names);
    const keel_boundary_spec spec = {
        .problem = b->problem,
        .from = from,
        .to = to,
        .conditions = r->problem->dim[D_CONDITIONS],
        .condition = r->slot[CONDITION] ? py_slot_condition : NULL,
        .condition_jacobian = r->slot[CONDITION_JACOBIAN] ? py_slot_condition_jacobian : NULL,
        .inner = x->inner,
        .inner_at = x->inner_at,
        .inner_condition = r->slot[INNER_CONDITION] ? py_slot_inner_condition : NULL,
        .parameters = x->unknown,
        .parameter = x->parameter,
        .breaks = x->breaks,
        .break_at = x->break_at,
        .break_parameter = x->break_parameter,
        .guess = r->slot[GUESS] ? py_slot_guess : NULL,
        .condition_names = texts,
        .context = b->run};
    const int status = fit   ? keel_fit_create(&b->fit, &spec, o, fit)
                       : how ? keel_branch_create(&b->branch, &spec, o, how)
                             : keel_boundary_create(&b->boundary, &spec, o);
    PyMem_Free(texts);
    if (how && !status) b->boundary = keel_branch_boundary(b->branch);
    if (fit && !status) b->boundary = keel_fit_boundary(b->fit);
    if (status && b->session.failed)
        py_session_raise(&b->session, 0);
    else if (status)
        py_raise_status(status, message_of(b), NAN);
    return status ? -1 : 0;
}

static int boundary_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    boundary_object *b = (boundary_object *)self;
    static char *names[] = {"problem", "start",           "end",    "options", "unknown", "inner",
                            "breaks",  "condition_names", "branch", "fit",     NULL};
    PyObject *problem, *options, *unknown = Py_None, *inner = Py_None, *breaks = Py_None;
    PyObject *texts = Py_None, *branch = Py_None, *fit = Py_None;
    keel_branch_options how = {0};
    keel_fit_options fitted = {0};
    double from, to;
    lists x = {0};
    keel_boundary_options o = {0};
    if (b->run) return PyErr_SetString(PyExc_TypeError, "a Boundary is made once"), -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!ddO!|OOOOOO", names, &py_problem_type,
                                     &problem, &from, &to, &PyDict_Type, &options, &unknown, &inner,
                                     &breaks, &texts, &branch, &fit))
        return -1;
    if (branch != Py_None &&
        !PyArg_ParseTuple(branch, "ipdddi", &how.parameter, &how.arclength, &how.step,
                          &how.step_least, &how.step_most, &how.most))
        return -1;
    b->run = py_run_new((problem_object *)problem, &b->session);
    if (!b->run) return -1;
    int rc = py_run_build(b->run, &b->problem);
    if (rc && !PyErr_Occurred()) py_raise_status(rc, keel_problem_message(b->problem), NAN);
    if (!rc) rc = take_options(options, &o, &x);
    if (!rc) rc = take_reals(inner, &x.inner_at, &x.inner, "inner points");
    if (!rc) rc = take_reals(breaks, &x.break_at, &x.breaks, "breaks");
    if (!rc && unknown != Py_None)
        rc = !(x.parameter = py_whole_numbers(unknown, &x.unknown, "unknown"));
    if (!rc && fit != Py_None) rc = take_fit(fit, &fitted);
    o.watch = watch;
    o.watch_context = &b->session;
    if (!rc)
        rc = create(b, from, to, &x, texts, &o, branch == Py_None ? NULL : &how,
                    fit == Py_None ? NULL : &fitted);
    PyMem_Free((void *)fitted.parameter);
    PyMem_Free((void *)fitted.measurement);
    free_lists(&x);
    return rc ? -1 : 0;
}

static int boundary_traverse(PyObject *self, visitproc visit, void *arg)
{
    boundary_object *b = (boundary_object *)self;
    Py_VISIT(b->session.value);
    return b->run ? py_run_traverse(b->run, visit, arg) : 0;
}

static int boundary_clear(PyObject *self)
{
    boundary_object *b = (boundary_object *)self;
    run *r = b->run;
    if (b->fit)
        keel_fit_free(b->fit);
    else if (b->branch)
        keel_branch_free(b->branch);
    else
        keel_boundary_free(b->boundary);
    keel_problem_free(b->problem);
    b->fit = NULL;
    b->branch = NULL;
    b->boundary = NULL;
    b->problem = NULL;
    b->run = NULL;
    py_run_free(r);
    py_session_clear(&b->session);
    return 0;
}

static void boundary_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    boundary_clear(self);
    Py_TYPE(self)->tp_free(self);
}

/* ---- solving ------------------------------------------------------------------------------- */

static PyObject *answer(boundary_object *b, int status)
{
    if (b->session.failed) return py_session_raise(&b->session, 0);
    if (status < 0) return py_raise_status(status, keel_boundary_message(b->boundary), NAN);
    return PyLong_FromLong(status);
}

static int in_use(const boundary_object *b)
{
    if (!b->busy && b->boundary) return 0;
    PyErr_SetString(PyExc_RuntimeError, "this boundary value problem is in use");
    return 1;
}

/* solve(guess or None, p or None) */
static PyObject *solve(PyObject *self, PyObject *args)
{
    boundary_object *b = (boundary_object *)self;
    PyObject *guess = Py_None, *given = Py_None;
    double *p = NULL;
    int status = KEEL_OK;
    if (!PyArg_ParseTuple(args, "|OO", &guess, &given)) return NULL;
    if (in_use(b)) return NULL;
    if (guess != Py_None && Py_TYPE(guess) != &py_recording_type)
        return PyErr_SetString(PyExc_TypeError, "the guess is a recording"), NULL;
    if (given != Py_None && take_reals(given, &p, NULL, "p")) return PyMem_Free(p), NULL;
    b->busy = 1;
    py_session_clear(&b->session);
    if (guess != Py_None)
        status = keel_boundary_guess(b->boundary, ((recording_object *)guess)->solution, p);
    if (!status) status = keel_boundary_solve(b->boundary);
    b->busy = 0;
    PyMem_Free(p);
    return answer(b, status);
}

/* follow(value, first): the first point of the branch, or on to that value; a remark. */
static PyObject *follow(PyObject *self, PyObject *args)
{
    boundary_object *b = (boundary_object *)self;
    double value;
    int first;
    if (!PyArg_ParseTuple(args, "dp", &value, &first)) return NULL;
    if (in_use(b)) return NULL;
    b->busy = 1;
    py_session_clear(&b->session);
    const int status =
        first ? keel_branch_start(b->branch, value) : keel_branch_follow(b->branch, value);
    b->busy = 0;
    if (b->session.failed) return py_session_raise(&b->session, 0);
    if (status < 0) return py_raise_status(status, keel_branch_message(b->branch), NAN);
    return PyUnicode_FromString(keel_branch_message(b->branch));
}

/* [{parameter, arc, fold, mesh, p, start, end, largest}, ...] from number `first` on */
static PyObject *points(PyObject *self, PyObject *args)
{
    const boundary_object *b = (boundary_object *)self;
    const int n = keel_problem_size(b->problem), free = b->run->problem->dim[D_FREE] - 1;
    int i;
    if (!PyArg_ParseTuple(args, "i", &i)) return NULL;
    PyObject *list = PyList_New(0);
    for (const keel_branch_point *x; list && (x = keel_branch_at(b->branch, i)); i++) {
        PyObject *row =
            Py_BuildValue("{sd sd sO sO si sN sN sN sN}", "parameter", x->parameter, "arc", x->arc,
                          "fold", x->fold ? Py_True : Py_False, "branch_point",
                          x->branch_point ? Py_True : Py_False, "mesh", x->mesh, "p",
                          py_array_of(x->p, free, -1), "start", py_array_of(x->from, n, -1), "end",
                          py_array_of(x->to, n, -1), "largest", py_array_of(x->largest, n, -1));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* run_fit(start or None) -> what was found, a dict */
static PyObject *run_fit(PyObject *self, PyObject *given)
{
    boundary_object *b = (boundary_object *)self;
    double *start = NULL;
    if (in_use(b)) return NULL;
    if (given != Py_None && take_reals(given, &start, NULL, "start")) return PyMem_Free(start), NULL;
    b->busy = 1;
    py_session_clear(&b->session);
    const int status = keel_fit_run(b->fit, start);
    b->busy = 0;
    PyMem_Free(start);
    if (b->session.failed) return py_session_raise(&b->session, 0);
    if (status < 0) return py_raise_status(status, message_of(b), NAN);
    const keel_fit_result *x = keel_fit_result_of(b->fit);
    const int n = x->parameters, m = x->measurements;
    return Py_BuildValue("{sN sN sN sN sN sN sd si si}", "value", py_array_of(x->value, n, -1),
                         "deviation", py_array_of(x->deviation, n, -1), "half_width",
                         py_array_of(x->half_width, n, -1), "covariance",
                         py_array_of(x->covariance, n, n), "predicted",
                         py_array_of(x->predicted, m, -1), "sensitivity",
                         py_array_of(x->sensitivity, m, n), "noise", x->noise, "freedom", x->freedom,
                         "steps", x->steps);
}

/* Calls what a branch or a boundary value problem has for a file; failures are raised. */
static void with_file(boundary_object *b, PyObject *args, int (*branch)(keel_branch *, const char *),
                     int (*boundary)(keel_boundary *, const char *))
{
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return;
    const char *name = PyBytes_AS_STRING(path);
    const int status = in_use(b) ? 0 : b->branch ? branch(b->branch, name) : boundary(b->boundary, name);
    if (status) py_raise_status(status, message_of(b), NAN);
    Py_DECREF(path);
}

static PyObject *save(PyObject *self, PyObject *args)
{
    with_file((boundary_object *)self, args, keel_branch_save, keel_boundary_save);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* load(path): the number of points of a branch that are known, or 0 */
static PyObject *load(PyObject *self, PyObject *args)
{
    boundary_object *b = (boundary_object *)self;
    with_file(b, args, keel_branch_load, keel_boundary_load);
    if (PyErr_Occurred()) return NULL;
    return PyLong_FromLong(b->branch ? keel_branch_count(b->branch) : 0);
}

/* change(from, to, rtol, atol): before it is solved again; NAN: as it is */
static PyObject *change(PyObject *self, PyObject *args)
{
    boundary_object *b = (boundary_object *)self;
    double from, to, rtol, atol;
    int status = KEEL_OK;
    if (!PyArg_ParseTuple(args, "dddd", &from, &to, &rtol, &atol) || in_use(b)) return NULL;
    if (!isnan(from)) status = keel_boundary_set_interval(b->boundary, from, to);
    if (!status && !isnan(rtol)) status = keel_boundary_set_tolerances(b->boundary, rtol, atol);
    return answer(b, status);
}

static PyObject *diagnose(PyObject *self, PyObject *unused)
{
    boundary_object *b = (boundary_object *)self;
    (void)unused;
    if (in_use(b)) return NULL;
    const keel_boundary_diagnosis *x = keel_boundary_diagnose(b->boundary);
    if (!x) return answer(b, KEEL_BAD_ARGUMENT);
    const int n = x->intervals;
    PyObject *projector = x->projector ? py_array_of(x->projector, n, -1) : py_array_of(x->t, 0, -1);
    return Py_BuildValue("{sN sN sN sN si si sN sN sN}", "t", py_array_of(x->t, n + 1, -1), "boundary",
                         py_array_of(x->boundary, n + 1, -1), "green", py_array_of(x->green, n + 1, -1),
                         "projector", projector, "growing", x->growing, "decaying", x->decaying, "rate",
                         py_array_of(x->rate, x->modes, -1), "fastest", py_array_of(x->fastest, n, -1),
                         "slowest", py_array_of(x->slowest, n, -1));
}

/* Floquet multipliers: (re, im) */
static PyObject *multipliers(PyObject *self, PyObject *unused)
{
    boundary_object *b = (boundary_object *)self;
    const size_t n = (size_t)keel_problem_size(b->problem) + 1;
    int count = 0;
    (void)unused;
    if (in_use(b)) return NULL;
    double *re = PyMem_Malloc(2 * n * sizeof *re);
    if (!re) return PyErr_NoMemory();
    const int status = keel_boundary_multipliers(b->boundary, &count, re, re + n);
    PyObject *found = status ? answer(b, status)
                             : Py_BuildValue("(NN)", py_array_of(re, count, -1),
                                             py_array_of(re + n, count, -1));
    PyMem_Free(re);
    return found;
}

static PyObject *set_frame(PyObject *self, PyObject *given)
{
    boundary_object *b = (boundary_object *)self;
    double *p = NULL;
    if (take_reals(given, &p, NULL, "parameters")) return PyMem_Free(p), NULL;
    const int status = keel_boundary_set_frame(b->boundary, p);
    PyMem_Free(p);
    return answer(b, status);
}

/* A copy: the library's own changes with the next solve. */
static keel_solution *copy_of(keel_solution *s)
{
    const int n = keel_solution_unknowns(s);
    keel_solution *copy = NULL;
    keel_piece p;
    double *y = PyMem_Malloc(((size_t)n + 1) * sizeof *y);
    int rc = y ? keel_solution_at(s, keel_solution_time(s, 0), y) : KEEL_NO_MEMORY;
    if (!rc) rc = keel_solution_begin(&copy, n, keel_solution_time(s, 0), y);
    for (int i = 0; !rc && !keel_solution_piece(s, i, &p); i++) rc = keel_solution_join(copy, &p);
    PyMem_Free(y);
    if (!rc) return copy;
    py_raise_status(rc, keel_solution_message(copy), NAN);
    keel_solution_free(copy);
    return NULL;
}

static PyObject *solution(PyObject *self, PyObject *unused)
{
    boundary_object *b = (boundary_object *)self;
    keel_solution *s = keel_boundary_solution(b->boundary);
    (void)unused;
    if (!s) Py_RETURN_NONE;
    keel_solution *copy = copy_of(s);
    return copy ? py_recording_new(copy, NULL, keel_solution_unknowns(copy)) : NULL;
}

static PyObject *parameters(PyObject *self, PyObject *unused)
{
    boundary_object *b = (boundary_object *)self;
    const double *p = keel_boundary_parameters(b->boundary);
    (void)unused;
    if (!p) Py_RETURN_NONE;
    return py_array_of(p, b->run->problem->dim[D_FREE], -1);
}

static PyObject *stats(PyObject *self, PyObject *unused)
{
    const keel_boundary_stats *x = keel_boundary_statistics(((boundary_object *)self)->boundary);
    (void)unused;
    return Py_BuildValue("{sl sl sl sl sl sl si si si sd sd sd sd sd sd sd sd}", "newton",
                         x->newton, "factorizations", x->factorizations, "solves", x->solves, "rhs",
                         x->rhs, "rhs_for_jacobian", x->rhs_for_jacobian, "jacobian", x->jacobian,
                         "mesh", x->mesh, "meshes_tried", x->meshes_tried, "stages", x->stages,
                         "error_x", x->error_x, "error_y", x->error_y, "error_global",
                         x->error_global, "kappa_boundary", x->kappa_boundary, "kappa_green",
                         x->kappa_green, "projector", x->projector, "rounding", x->rounding,
                         "residual", x->residual);
}

static PyObject *names(PyObject *self, PyObject *unused)
{
    const keel_problem *p = ((boundary_object *)self)->problem;
    const int n = keel_problem_size(p);
    PyObject *tuple = PyTuple_New(n);
    (void)unused;
    for (int i = 0; tuple && i < n; i++)
        PyTuple_SET_ITEM(tuple, i, PyUnicode_FromString(keel_variable_name(p, i)));
    return tuple;
}

static PyObject *get_message(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(keel_boundary_message(((boundary_object *)self)->boundary));
}

static PyGetSetDef fields[] = {{"message", get_message, NULL, "of the last call", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {{"solve", solve, METH_VARARGS, NULL},
                                {"set_frame", set_frame, METH_O, NULL},
                                {"solution", solution, METH_NOARGS, NULL},
                                {"parameters", parameters, METH_NOARGS, NULL},
                                {"stats", stats, METH_NOARGS, NULL},
                                {"names", names, METH_NOARGS, NULL},
                                {"follow", follow, METH_VARARGS, NULL},
                                {"points", points, METH_VARARGS, NULL},
                                {"run_fit", run_fit, METH_O, NULL},
                                {"save", save, METH_VARARGS, NULL},
                                {"load", load, METH_VARARGS, NULL},
                                {"change", change, METH_VARARGS, NULL},
                                {"diagnose", diagnose, METH_NOARGS, NULL},
                                {"multipliers", multipliers, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

PyTypeObject py_boundary_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Boundary",
    .tp_basicsize = sizeof(boundary_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_doc = "A boundary value problem.",
    .tp_init = boundary_init,
    .tp_traverse = boundary_traverse,
    .tp_clear = boundary_clear,
    .tp_dealloc = boundary_dealloc,
    .tp_getset = fields,
    .tp_methods = methods,
};
