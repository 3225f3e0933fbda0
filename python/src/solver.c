/* solver.c -- keel._core.Solver: a keel_solver and the problem that it made for itself.
 *
 * One user at a time: a solver that is in use, by another thread or by the callback that it waits
 * for, refuses.  Where all callbacks are machine code the interpreter's lock is free during a run.
 */
#include "solver.h"

#include <math.h>
#include <string.h>

/* ---- in use -------------------------------------------------------------------------------- */

int py_solver_enter(solver_object *s)
{
    if (s->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this solver is in use: by another thread, or by the "
                                            "callback that asks; make a solver for each");
        return -1;
    }
    if (!s->solver) {
        PyErr_SetString(PyExc_RuntimeError, "this solver was not made");
        return -1;
    }
    s->busy = 1;
    py_session_clear(&s->session);
    if (s->session.free) s->session.saved = PyEval_SaveThread();
    return 0;
}

void py_solver_leave(solver_object *s)
{
    if (s->session.saved) PyEval_RestoreThread(s->session.saved);
    s->session.saved = NULL;
    s->busy = 0;
}

PyObject *py_solver_answer(solver_object *s, int status)
{
    const long steps = keel_solver_stats(s->solver)->accepted;
    if (s->session.failed) return py_session_raise(&s->session, steps);
    if (status < 0) return py_raise_status(status, keel_message(s->solver), keel_time(s->solver));
    return PyLong_FromLong(status);
}

void py_solver_show(const solver_object *s, const double *solved, double *shown)
{
    if (s->formulated)
        keel_formulation_to(s->formulated, solved, shown);
    else
        memcpy(shown, solved, (size_t)s->size * sizeof *shown);
}

/* ---- creation ------------------------------------------------------------------------------ */

static int set_formulation(keel_formulation *f, double **C, PyObject *given)
{
    PyObject *matrix;
    if (!PyArg_ParseTuple(given, "sddO", &f->name, &f->alpha, &f->beta, &matrix)) return -1;
    if (matrix == Py_None) return 0;
    Py_ssize_t count = PyObject_Length(matrix);
    *C = count < 0 ? NULL : PyMem_Malloc(((size_t)count + 1) * sizeof **C);
    f->C = *C;
    return *C ? py_copy_numbers(matrix, count, *C, "C of the formulation") : -1;
}

static int formulate(solver_object *s, PyObject *given)
{
    keel_formulation f = {0};
    double *C = NULL;
    int rc = set_formulation(&f, &C, given) ? -1 : 0;
    const int status = rc ? 0 : keel_formulate(&s->formulated, s->problem, &f);
    PyMem_Free(C);
    if (status) py_raise_status(status, keel_problem_message(s->formulated), NAN);
    return rc || status ? -1 : 0;
}

/* All callbacks are machine code, or constants? */
static int is_compiled(const solver_object *s)
{
    for (int id = 0; id < SLOTS; id++)
        if (s->run->slot[id] && !s->run->slot[id]->given->code) return 0;
    return !s->events && !s->model;
}

/* The structures that events may choose; all are freed with the problem that takes them. */
static int build_others(solver_object *s, PyObject *others, keel_problem **problem)
{
    int status = KEEL_OK;
    for (int i = 0; i < s->others && !status && !PyErr_Occurred(); i++) {
        PyObject *given = PyTuple_GET_ITEM(others, i);
        if (!Py_IS_TYPE(given, &py_problem_type))
            return PyErr_SetString(PyExc_TypeError, "structures are problems"), -1;
        s->other[i] = py_run_new((problem_object *)given, &s->session);
        if (s->other[i]) status = py_run_build(s->other[i], &problem[i]);
        if (status) py_raise_status(status, keel_problem_message(problem[i]), NAN);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int build_events(solver_object *s, PyObject *given, PyObject *others)
{
    s->others = others ? (int)PyTuple_GET_SIZE(others) : 0;
    s->other = PyMem_Calloc((size_t)s->others + 1, sizeof *s->other);
    keel_problem **problem = PyMem_Calloc((size_t)s->others + 1, sizeof *problem);
    int rc = s->other && problem ? build_others(s, others, problem) : (PyErr_NoMemory(), -1);
    if (!rc) s->events = py_events_new(s->run->problem, &s->session, given);
    if (!rc && s->events) {
        const int status = py_events_build(s->events, &s->problem, problem, s->others);
        if (status) py_raise_status(status, keel_problem_message(s->problem), NAN);
    } else
        for (int i = 0; problem && i < s->others; i++) keel_problem_free(problem[i]);
    PyMem_Free(problem);
    return PyErr_Occurred() ? -1 : 0;
}

static int build_problem(solver_object *s, PyObject *formulation, PyObject *given, PyObject *others)
{
    int status = KEEL_OK;
    if (s->model)
        s->problem = (keel_problem *)py_model_problem(s->model);
    else
        status = py_run_build(s->run, &s->problem);
    if (PyErr_Occurred()) return -1;
    if (status) return py_raise_status(status, keel_problem_message(s->problem), NAN), -1;
    if (given != Py_None && build_events(s, given, others)) return -1;
    s->size = s->solved = keel_problem_size(s->problem);
    if (formulation == Py_None) return 0;
    if (formulate(s, formulation)) return -1;
    s->solved = keel_problem_size(s->formulated);
    return 0;
}

/* Tolerances per unknown, for what is solved. */
static double *tolerances(const solver_object *s, PyObject *given, const char *what)
{
    double *each = PyMem_Malloc((size_t)(s->size + s->solved + 1) * sizeof *each);
    if (!each) return (double *)PyErr_NoMemory();
    if (py_copy_numbers(given, s->size, each, what)) return PyMem_Free(each), NULL;
    if (!s->formulated) return each;
    double most = 0, *mapped = each + s->size;
    for (int i = 0; i < s->size; i++) most = fmax(most, each[i]);
    keel_formulation_from(s->formulated, each, mapped);
    for (int i = 0; i < s->solved; i++) each[i] = mapped[i] > 0 ? mapped[i] : most;
    return each;
}

/* krylov: (restart, limit) */
static int make_engine(solver_object *s, PyObject *krylov)
{
    int restart, limit;
    if (!PyArg_ParseTuple(krylov, "ii", &restart, &limit)) return -1;
    const int status = py_run_engine(s->run, &s->engine, s->problem, restart, limit);
    if (status) py_raise_status(status, keel_engine_message(s->engine), NAN);
    return status ? -1 : 0;
}

static int create(solver_object *s, PyObject *dict, PyObject *rtol, PyObject *atol)
{
    keel_options o = {.engine = s->engine};
    double *rtol_each = NULL, *atol_each = NULL;
    if (py_options_set(&o, dict)) return -1;
    if (rtol != Py_None && !(rtol_each = tolerances(s, rtol, "rtol"))) return -1;
    if (atol != Py_None && !(atol_each = tolerances(s, atol, "atol")))
        return PyMem_Free(rtol_each), -1;
    o.rtol_each = rtol_each;
    o.atol_each = atol_each;
    if (s->method) {
        o.tableau = ((method_object *)s->method)->method;
        o.method = NULL;
    }
    const int status =
        keel_solver_create(&s->solver, s->formulated ? s->formulated : s->problem, &o);
    PyMem_Free(rtol_each);
    PyMem_Free(atol_each);
    if (status && !s->session.failed)
        py_raise_status(status, keel_reason(status, NULL, s->solver), NAN);
    else if (status)
        py_session_raise(&s->session, 0);
    return status ? -1 : 0;
}

/* An argument that may be None, in which case it is NULL. */
static int optional(PyObject **given, PyTypeObject *type)
{
    if (*given == Py_None) *given = NULL;
    if (!*given || PyObject_TypeCheck(*given, type)) return 0;
    PyErr_Format(PyExc_TypeError, "expected %s, not %.80s", type->tp_name, Py_TYPE(*given)->tp_name);
    return -1;
}

/* Solver(problem, options, rtol, atol, formulation, method, events, others, model, krylov) */
static int solver_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    solver_object *s = (solver_object *)self;
    PyObject *problem, *options, *rtol = Py_None, *atol = Py_None, *method = NULL;
    PyObject *formulation = Py_None, *given = Py_None, *others = NULL, *model = NULL;
    PyObject *krylov = NULL;
    (void)keywords;
    if (s->run) return PyErr_SetString(PyExc_TypeError, "a Solver is made once"), -1;
    if (!PyArg_ParseTuple(args, "O!O!|OOOOOOOO", &py_problem_type, &problem, &PyDict_Type, &options,
                          &rtol, &atol, &formulation, &method, &given, &others, &model, &krylov) ||
        optional(&method, &py_method_type) || optional(&others, &PyTuple_Type) ||
        optional(&model, &py_model_type) || optional(&krylov, &PyTuple_Type))
        return -1;
    s->run = py_run_new((problem_object *)problem, &s->session);
    if (!s->run) return -1;
    s->run->unformed = krylov != NULL;
    Py_XINCREF(method);
    s->method = method;
    Py_XINCREF(model);
    s->model = model;
    if (build_problem(s, formulation, given, others) || (krylov && make_engine(s, krylov))) return -1;
    s->scratch = PyMem_Calloc((size_t)(2 * s->solved + 2 * s->size + 1), sizeof *s->scratch);
    if (!s->scratch) return PyErr_NoMemory(), -1;
    if (create(s, options, rtol, atol)) return -1;
    s->session.free = is_compiled(s);
    return 0;
}

static int solver_traverse(PyObject *self, visitproc visit, void *arg)
{
    solver_object *s = (solver_object *)self;
    int rc = s->run ? py_run_traverse(s->run, visit, arg) : 0;
    for (int i = 0; s->other && i < s->others && !rc; i++)
        if (s->other[i]) rc = py_run_traverse(s->other[i], visit, arg);
    if (!rc && s->events) rc = py_events_traverse(s->events, visit, arg);
    if (rc) return rc;
    Py_VISIT(s->method);
    Py_VISIT(s->session.value);
    Py_VISIT(s->session.traceback);
    return 0;
}

/* Nobody can reach the solver any more: it goes, with all that its callbacks knew. */
static int solver_clear(PyObject *self)
{
    solver_object *s = (solver_object *)self;
    if (s->busy) return 0;
    keel_solver_free(s->solver);
    keel_engine_free(s->engine);
    s->engine = NULL;
    keel_problem_free(s->formulated);
    if (!s->model) keel_problem_free(s->problem);
    s->solver = NULL;
    s->formulated = s->problem = NULL;
    events *e = s->events;
    run *r = s->run, **other = s->other;
    s->events = NULL;
    s->run = NULL;
    s->other = NULL;
    py_events_free(e);
    py_run_free(r);
    for (int i = 0; other && i < s->others; i++) py_run_free(other[i]);
    PyMem_Free(other);
    py_session_clear(&s->session);
    Py_CLEAR(s->method);
    Py_CLEAR(s->model);
    return 0;
}

static void solver_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    solver_clear(self);
    PyMem_Free(((solver_object *)self)->scratch);
    Py_TYPE(self)->tp_free(self);
}

/* ---- starting ------------------------------------------------------------------------------ */

/* Values of the problem's unknowns, for what is solved. */
int py_take_values(const solver_object *s, PyObject *given, const char *what, double *solved)
{
    double *shown = s->scratch + s->solved;
    if (!s->formulated) return py_copy_numbers(given, s->size, solved, what);
    if (py_copy_numbers(given, s->size, shown, what)) return -1;
    keel_formulation_from(s->formulated, shown, solved);
    return 0;
}

/* Marks go along as values do; unknowns that only the formulation has are free. */
static keel_mark *take_marks(const solver_object *s, PyObject *given)
{
    int count, *marks = py_whole_numbers(given, &count, "marks");
    if (!marks) return NULL;
    if (count != s->size) {
        PyMem_Free(marks);
        return (keel_mark *)PyErr_Format(PyExc_ValueError, "%d marks for %d unknowns", count,
                                         s->size);
    }
    double *shown = s->scratch + s->solved, *solved = shown + s->size;
    keel_mark *mark = PyMem_Malloc(((size_t)s->solved + 1) * sizeof *mark);
    for (int i = 0; i < s->size; i++) shown[i] = marks[i] + 1;
    PyMem_Free(marks);
    if (!mark) return (keel_mark *)PyErr_NoMemory();
    if (s->formulated)
        keel_formulation_from(s->formulated, shown, solved);
    else
        memcpy(solved, shown, (size_t)s->size * sizeof *solved);
    for (int i = 0; i < s->solved; i++)
        mark[i] = solved[i] >= 1 && solved[i] <= 3 ? (keel_mark)((int)solved[i] - 1) : KEEL_FREE;
    return mark;
}

typedef struct start_values {
    double *y, *yp;
    keel_mark *marks, *yp_marks;
} start_values;

static int take_start(const solver_object *s, start_values *v, PyObject *y, PyObject *yp,
                      PyObject *marks, PyObject *yp_marks)
{
    const size_t bytes = ((size_t)s->solved + 1) * sizeof(double);
    if (y != Py_None) {
        v->y = PyMem_Malloc(bytes);
        if (!v->y) return PyErr_NoMemory(), -1;
        if (py_take_values(s, y, "y0", v->y)) return -1;
    }
    if (yp != Py_None) {
        v->yp = PyMem_Malloc(bytes);
        if (!v->yp) return PyErr_NoMemory(), -1;
        if (py_take_values(s, yp, "yp0", v->yp)) return -1;
    }
    if (marks != Py_None && !(v->marks = take_marks(s, marks))) return -1;
    if (yp_marks != Py_None && !(v->yp_marks = take_marks(s, yp_marks))) return -1;
    return 0;
}

static PyObject *begin(PyObject *self, PyObject *args, PyObject *keywords, int again)
{
    static char *names[] = {"t", "y", "yp", "marks", "yp_marks", NULL};
    solver_object *s = (solver_object *)self;
    PyObject *y = Py_None, *yp = Py_None, *marks = Py_None, *yp_marks = Py_None, *answer = NULL;
    start_values v = {0};
    keel_start_spec spec = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "dO|OOO", names, &spec.t, &y, &yp, &marks,
                                     &yp_marks))
        return NULL;
    s->entered = 0;
    if (!take_start(s, &v, y, yp, marks, yp_marks) && !py_solver_enter(s)) {
        s->entered = 1;
        spec = (keel_start_spec){
            .t = spec.t, .y = v.y, .yp = v.yp, .marks = v.marks, .yp_marks = v.yp_marks};
        const run *r = s->run;
        if (s->model && !spec.y && !again) {             /* as the model says, from t on */
            const double t = spec.t;
            py_model_start(s->model, &spec);
            spec.t = t;
        }
        if (r->slot[EQUATION] && !s->formulated) {
            spec.equations = r->problem->dim[D_EQUATIONS];
            spec.equation = py_slot_equation;
            spec.context = s->run;
        }
        const int status =
            again ? keel_restart_with(s->solver, &spec) : keel_start_with(s->solver, &spec);
        py_solver_leave(s);
        answer = py_solver_answer(s, status);
    }
    PyMem_Free(v.y);
    PyMem_Free(v.yp);
    PyMem_Free(v.marks);
    PyMem_Free(v.yp_marks);
    return answer;
}

static PyObject *start(PyObject *self, PyObject *args, PyObject *keywords)
{
    return begin(self, args, keywords, 0);
}

static PyObject *restart(PyObject *self, PyObject *args, PyObject *keywords)
{
    return begin(self, args, keywords, 1);
}

/* ---- steps --------------------------------------------------------------------------------- */

static PyObject *step(PyObject *self, PyObject *unused)
{
    solver_object *s = (solver_object *)self;
    (void)unused;
    if (py_solver_enter(s)) return NULL;
    const int status = keel_step(s->solver);
    py_solver_leave(s);
    return py_solver_answer(s, status);
}

static PyObject *to_time(PyObject *self, PyObject *time, int (*call)(keel_solver *, double))
{
    solver_object *s = (solver_object *)self;
    const double t = PyFloat_AsDouble(time);
    if ((t == -1 && PyErr_Occurred()) || py_solver_enter(s)) return NULL;
    const int status = call(s->solver, t);
    py_solver_leave(s);
    return py_solver_answer(s, status);
}

static PyObject *advance(PyObject *self, PyObject *t)
{
    return to_time(self, t, keel_advance);
}
static PyObject *advance_to(PyObject *self, PyObject *t)
{
    return to_time(self, t, keel_advance_to);
}
static PyObject *set_stop_time(PyObject *self, PyObject *t)
{
    return to_time(self, t, keel_set_stop_time);
}

static PyObject *clear_stop_time(PyObject *self, PyObject *unused)
{
    (void)unused;
    keel_clear_stop_time(((solver_object *)self)->solver);
    Py_RETURN_NONE;
}

/* ---- frame, checkpoints -------------------------------------------------------------------- */

static PyObject *frame(PyObject *self, PyObject *unused)
{
    const solver_object *s = (solver_object *)self;
    const keel_frame *f = keel_solver_frame(s->solver);
    (void)unused;
    if (!f || s->session.saved) Py_RETURN_NONE;
    PyObject *modes = PyList_New(f->mode_count);
    for (int i = 0; modes && i < f->mode_count; i++)
        PyList_SET_ITEM(modes, i, PyLong_FromLong(f->modes[i]));
    return Py_BuildValue("(NNN)", py_real_list(f->parameters, f->parameter_count), modes,
                         py_real_list(f->values, f->value_count));
}

static PyObject *set_frame(PyObject *self, PyObject *args)
{
    solver_object *s = (solver_object *)self;
    const int *dim = s->run->problem->dim;
    PyObject *parameters, *modes, *values, *answer = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &parameters, &modes, &values)) return NULL;
    double *p = PyMem_Calloc((size_t)(dim[D_PARAMETERS] + dim[D_VALUES] + 1), sizeof *p);
    double *w = p ? p + dim[D_PARAMETERS] : NULL;
    int count = dim[D_MODES],
        *m = modes == Py_None ? NULL : py_whole_numbers(modes, &count, "modes");
    if (!p)
        PyErr_NoMemory();
    else if (count != dim[D_MODES])
        PyErr_SetString(PyExc_ValueError, "wrong number of modes");
    else if (!PyErr_Occurred() &&
             !(parameters != Py_None &&
               py_copy_numbers(parameters, dim[D_PARAMETERS], p, "parameters")) &&
             !(values != Py_None && py_copy_numbers(values, dim[D_VALUES], w, "values")) &&
             !py_solver_enter(s)) {
        const int status = keel_set_frame(s->solver, parameters == Py_None ? NULL : p, m,
                                          values == Py_None ? NULL : w);
        py_solver_leave(s);
        answer = py_solver_answer(s, status);
    }
    PyMem_Free(p);
    PyMem_Free(m);
    return answer;
}

/* (path, note): saves; (path): loads. */
static PyObject *with_file(PyObject *self, PyObject *args, int saves)
{
    solver_object *s = (solver_object *)self;
    PyObject *path, *answer = NULL;
    const char *note = NULL;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(args, saves ? "O&z#" : "O&", PyUnicode_FSConverter, &path, &note, &size))
        return NULL;
    if (!py_solver_enter(s)) {
        const char *text = PyBytes_AS_STRING(path);
        const int status = !saves ? keel_solver_load(s->solver, text)
                           : note ? keel_solver_save_noted(s->solver, text, note, (size_t)size)
                                  : keel_solver_save(s->solver, text);
        py_solver_leave(s);
        answer = py_solver_answer(s, status);
    }
    Py_DECREF(path);
    return answer;
}

static PyObject *save(PyObject *self, PyObject *args)
{
    return with_file(self, args, 1);
}
static PyObject *load(PyObject *self, PyObject *args)
{
    return with_file(self, args, 0);
}

/* ---- the type ------------------------------------------------------------------------------ */

static PyObject *get_t(PyObject *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(keel_time(((solver_object *)self)->solver));
}

static PyObject *get_t_previous(PyObject *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(keel_previous_time(((solver_object *)self)->solver));
}

static PyObject *get_factor_bytes(PyObject *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(keel_factor_bytes(((solver_object *)self)->solver));
}

static PyObject *get_message(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(keel_message(((solver_object *)self)->solver));
}

static PyObject *get_choice(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(keel_choice(((solver_object *)self)->solver));
}

static PyObject *get_free(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((solver_object *)self)->session.free);
}

static PyObject *get_entered(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((solver_object *)self)->entered);
}

static PyGetSetDef fields[] = {
    {"t", get_t, NULL, "time", NULL},
    {"t_previous", get_t_previous, NULL, "where the last step began", NULL},
    {"factor_bytes", get_factor_bytes, NULL, "that sparse factors may take", NULL},
    {"message", get_message, NULL, "of the last call", NULL},
    {"choice", get_choice, NULL, "what `auto` chose, and why", NULL},
    {"lock_free", get_free, NULL, "all callbacks are machine code", NULL},
    {"entered", get_entered, NULL, "the arguments of the last start were good", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

#define QUESTION(name, flags)                                                                      \
    {                                                                                              \
#name, py_solver_##name, flags, NULL                                                       \
    }
#define KEYWORDS(f) (PyCFunction)(void (*)(void)) f, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {{"start", KEYWORDS(start), NULL},
                                {"restart", KEYWORDS(restart), NULL},
                                QUESTION(moved, METH_NOARGS),
                                {"step", step, METH_NOARGS, NULL},
                                {"advance", advance, METH_O, NULL},
                                {"advance_to", advance_to, METH_O, NULL},
                                {"set_stop_time", set_stop_time, METH_O, NULL},
                                {"clear_stop_time", clear_stop_time, METH_NOARGS, NULL},
                                QUESTION(interpolate, METH_VARARGS),
                                QUESTION(project, METH_VARARGS),
                                QUESTION(state, METH_NOARGS),
                                QUESTION(state_before, METH_NOARGS),
                                QUESTION(impulses, METH_NOARGS),
                                QUESTION(residuals, METH_NOARGS),
                                QUESTION(stats, METH_NOARGS),
                                QUESTION(calls, METH_NOARGS),
                                QUESTION(krylov, METH_NOARGS),
                                QUESTION(invariants, METH_NOARGS),
                                QUESTION(event_log, METH_NOARGS),
                                QUESTION(info, METH_NOARGS),
                                QUESTION(details, METH_NOARGS),
                                QUESTION(note, METH_NOARGS),
                                QUESTION(impasses, METH_NOARGS),
                                QUESTION(nonlinear, METH_VARARGS),
                                {"frame", frame, METH_NOARGS, NULL},
                                {"set_frame", set_frame, METH_VARARGS, NULL},
                                {"save", save, METH_VARARGS, NULL},
                                {"load", load, METH_VARARGS, NULL},
                                {"run", py_solver_run, METH_VARARGS, NULL},
                                {"no_run", py_solver_no_run, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};

PyTypeObject py_solver_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "keel._core.Solver",
    .tp_basicsize = sizeof(solver_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_doc = "A solver of its own problem.",
    .tp_init = solver_init,
    .tp_traverse = solver_traverse,
    .tp_clear = solver_clear,
    .tp_dealloc = solver_dealloc,
    .tp_getset = fields,
    .tp_methods = methods,
};
