/* call.c -- the one caller of all callbacks.
 *
 * A slot keeps its argument vector between calls.  Before a call the solver's numbers are copied
 * into private arrays; an array that somebody kept, which its reference count tells, is replaced by
 * a new one first.  After the call the arrays are compared with what was given: changing an input
 * does no harm, but it is not what the user believes it is, so a warning says so.
 */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Longer inputs are looked at after the first calls only. */
enum { COMPARED_ALWAYS = 8192, COMPARED_CALLS = 8 };

static size_t dimension_bytes(dimension d, int n)
{
    return (d == D_MODES ? sizeof(int) : sizeof(double)) * (size_t)n;
}

static int is_number(dimension d)
{
    return d == D_REAL || d == D_WHOLE;
}

/* ---- exceptions ---------------------------------------------------------------------------- */

void py_session_fail(session *s, const char *culprit, double t)
{
    if (s->failed) {
        PyErr_Clear();
        return;
    }
    PyErr_Fetch(&s->type, &s->value, &s->traceback);
    s->failed = 1;
    s->culprit = culprit;
    s->t = t;
}

void py_session_clear(session *s)
{
    Py_CLEAR(s->type);
    Py_CLEAR(s->value);
    Py_CLEAR(s->traceback);
    s->failed = 0;
}

/* "in callback `force` at t = 1.23, after 45 steps", where exceptions take notes (3.11).  Ctrl-C may
 * be seen where no callback runs (py_pulse). */
static void add_note(PyObject *exception, const session *s, long steps)
{
    char text[200];
    if (!s->culprit)
        PyOS_snprintf(text, sizeof text, "between callbacks, after %ld steps", steps);
    else if (isnan(s->t))
        PyOS_snprintf(text, sizeof text, "in callback `%s`", s->culprit);
    else
        PyOS_snprintf(text, sizeof text, "in callback `%s` at t = %.10g, after %ld steps",
                      s->culprit, s->t, steps);
    PyObject *done = PyObject_CallMethod(exception, "add_note", "s", text);
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
}

PyObject *py_session_raise(session *s, long steps)
{
    PyErr_NormalizeException(&s->type, &s->value, &s->traceback);
    if (s->traceback) PyException_SetTraceback(s->value, s->traceback);
    add_note(s->value, s, steps);
    PyErr_Restore(s->type, s->value, s->traceback);
    s->type = s->value = s->traceback = NULL;
    s->failed = 0;
    return NULL;
}

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Ctrl-C while only machine code runs: 20 looks a second, each of which needs the lock.  Whoever holds
 * it all the time (models, boundary value problems) lets other threads have it for a moment. */
int py_pulse(session *s)
{
    static const double interval = 0.05;
    if (s->failed) return -1;
    const double now = seconds();
    if (now >= s->looked && now - s->looked < interval) return 0;
    s->looked = now;
    PyEval_RestoreThread(s->saved ? s->saved : PyEval_SaveThread());
    const int interrupted = PyErr_CheckSignals();
    if (interrupted) py_session_fail(s, NULL, NAN);
    if (s->saved) s->saved = PyEval_SaveThread();
    return interrupted ? -1 : 0;
}

/* A look before a call of machine code, and how many calls come before the next one: few if they are slow,
 * so that Ctrl-C is heard soon, else so many that the clock costs nothing. */
int py_look(run *r)
{
    enum { CALLS_BETWEEN_LOOKS = 256 };
    static const double soon = 0.02;
    const double now = seconds();
    const int fast = now >= r->looked && now - r->looked < soon;
    const int wanted = fast ? 4 * r->interval + 1 : r->interval / 4;
    r->interval = wanted < CALLS_BETWEEN_LOOKS ? wanted : CALLS_BETWEEN_LOOKS;
    r->calls = r->interval;
    r->looked = now;
    return py_pulse(r->session);
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* A new private array for input k. */
static int renew(slot *s, int k)
{
    input *in = &s->input[k];
    const dimension d = s->in[k];
    const int n = s->run->dim[d];
    PyObject *array = d == D_MODES ? PyObject_CallFunction(py_helper.empty, "iO", n, py_helper.intc)
                                   : py_new_array(n, -1);
    if (!array) return -1;
    Py_XSETREF(s->vector[1 + k], array);
    in->array = array;
    in->data = (char *)py_array_data(array);
    in->bytes = dimension_bytes(d, n);
    return in->data ? 0 : -1;
}

/* The arrays that a callback with `out` fills in. */
static int make_outputs(slot *s, int first)
{
    const int *dim = s->run->dim;
    PyObject *out = NULL;
    for (int k = 0; k < s->outputs; k++) {
        const output_info *o = &s->info->out[k];
        PyObject *array = py_new_array(dim[o->rows], o->kind == OUT_VECTOR ? -1 : dim[o->columns]);
        if (!array) return -1;
        if (s->outputs == 1) {
            s->vector[first] = array;
            return 0;
        }
        if (!out) out = s->vector[first] = PyTuple_New(s->outputs);
        if (!out) return Py_DECREF(array), -1;
        PyTuple_SET_ITEM(out, k, array);
    }
    return 0;
}

static void release(slot *s)
{
    const int last = s->arguments > s->inputs ? s->arguments : s->inputs;
    for (int i = 1; s->vector && i <= last + (s->keywords != NULL); i++) Py_CLEAR(s->vector[i]);
    PyMem_Free(s->vector);
    s->vector = NULL;
    s->arguments = 0;
    Py_CLEAR(s->keywords);
}

static int prepare(slot *s)
{
    PyObject *args = s->run->problem->args;
    const Py_ssize_t more = args ? PyTuple_GET_SIZE(args) : 0;
    int at = 1 + s->inputs;
    s->vector = PyMem_Calloc((size_t)(s->inputs + more + 3), sizeof *s->vector);
    if (!s->vector) return PyErr_NoMemory(), -1;
    for (int k = 0; k < s->inputs; k++)
        if (!is_number(s->in[k]) && renew(s, k)) return -1;
    for (Py_ssize_t i = 0; i < more; i++) {
        s->vector[at] = PyTuple_GET_ITEM(args, i);
        Py_INCREF(s->vector[at++]);
    }
    s->arguments = at - 1;
    if (!s->given->out) return 0;
    s->keywords = Py_BuildValue("(s)", "out");
    return s->keywords ? make_outputs(s, at) : -1;
}

static const void *frame_data(const run *r, dimension d)
{
    const keel_frame *f = r->frame;
    return d == D_PARAMETERS ? (const void *)f->parameters
           : d == D_MODES    ? (const void *)f->modes
                             : (const void *)f->values;
}

static int fill(slot *s, const void *const in[])
{
    int own = 0;
    while (s->info->in[own] != D_END) own++;
    for (int k = 0; k < s->inputs; k++) {
        const void *given = k < own ? in[k] : frame_data(s->run, s->in[k]);
        PyObject **place = &s->vector[1 + k];
        if (is_number(s->in[k])) {
            PyObject *number = s->in[k] == D_REAL ? PyFloat_FromDouble(*(const double *)given)
                                                  : PyLong_FromLong(*(const int *)given);
            if (!number) return -1;
            Py_XSETREF(*place, number);
            continue;
        }
        if (Py_REFCNT(*place) > 1 && renew(s, k)) return -1;
        s->input[k].given = given;
        memcpy(s->input[k].data, given, s->input[k].bytes);
    }
    return 0;
}

/* Did the callback change an input?  It did no harm, but it is a mistake: said once. */
static int compare(slot *s)
{
    for (int k = 0; k < s->inputs; k++) {
        const input *in = &s->input[k];
        if (is_number(s->in[k]) || !in->data) continue;
        if (in->bytes > COMPARED_ALWAYS && s->calls > COMPARED_CALLS) continue;
        if (!memcmp(in->data, in->given, in->bytes)) continue;
        s->calls = -1;
        return PyErr_WarnFormat(
            py_helper.warning, 1,
            "the callback `%s` changes its argument %d in "
            "place; this has no effect: return the result, or copy the argument "
            "first",
            s->name, k + 1);
    }
    return 0;
}

/* ---- the call ------------------------------------------------------------------------------ */

/* Numbers that a callback with `out` did not write are seen as such: NaN, or 0 in matrices. */
static void blank(const slot *s, PyObject *array, const output_info *o)
{
    const int *dim = s->run->dim;
    const size_t count =
        (size_t)dim[o->rows] * (o->kind == OUT_VECTOR ? 1 : (size_t)dim[o->columns]);
    double *data = py_array_data(array);
    for (size_t i = 0; data && i < count; i++) data[i] = o->kind == OUT_VECTOR ? NAN : 0;
}

static PyObject *out_array(const slot *s, int k)
{
    PyObject *out = s->vector[1 + s->arguments];
    return s->outputs == 1 ? out : PyTuple_GET_ITEM(out, k);
}

static int store_all(slot *s, PyObject *result, void *const out[])
{
    int rc = 0;
    if (s->outputs == 0) return 0;
    if (s->given->out)
        for (int k = 0; k < s->outputs && !rc; k++)
            rc = py_store_result(s, out_array(s, k), &s->info->out[k], out[k]);
    else if (s->outputs == 1)
        rc = py_store_result(s, result, &s->info->out[0], out[0]);
    else if (!PyTuple_Check(result) && !PyList_Check(result)) {
        PyErr_Format(PyExc_TypeError,
                     "the callback `%s` returned %.80s; expected a tuple of %d "
                     "results",
                     s->name, Py_TYPE(result)->tp_name, s->outputs);
        rc = -1;
    } else if (PySequence_Fast_GET_SIZE(result) != s->outputs) {
        PyErr_Format(PyExc_ValueError, "the callback `%s` returned %zd results; expected %d",
                     s->name, PySequence_Fast_GET_SIZE(result), s->outputs);
        rc = -1;
    } else
        for (int k = 0; k < s->outputs && !rc; k++)
            rc = py_store_result(s, PySequence_Fast_GET_ITEM(result, k), &s->info->out[k], out[k]);
    return rc;
}

static int call(slot *s, const void *const in[], void *const out[])
{
    if (s->given->constant) return store_all(s, s->given->object, out);
    if (!s->vector && prepare(s)) return release(s), -1;
    if (fill(s, in)) return -1;
    for (int k = 0; s->given->out && k < s->outputs; k++)
        blank(s, out_array(s, k), &s->info->out[k]);
    PyObject *result =
        PyObject_Vectorcall(s->given->object, s->vector + 1,
                            (size_t)s->arguments | PY_VECTORCALL_ARGUMENTS_OFFSET, s->keywords);
    if (!result) return -1;
    int rc = store_all(s, result, out);
    Py_DECREF(result);
    if (!rc && s->calls >= 0) {
        s->calls++;
        rc = compare(s);
    }
    return rc;
}

int py_invoke(slot *s, const void *const in[], void *const out[])
{
    session *all = s->run->session;
    if (all->failed) return -1;
    if (!call(s, in, out)) return 0;
    if (PyErr_ExceptionMatches(py_helper.retry)) {
        PyErr_Clear();
        return 1;
    }
    py_session_fail(all, s->name, s->info->in[0] == D_REAL ? *(const double *)in[0] : NAN);
    return -1;
}

/* ---- slots --------------------------------------------------------------------------------- */

slot *py_slot_new(run *r, const slot_info *info, const callback *given, const char *name)
{
    static const dimension of_frame[] = {D_PARAMETERS, D_MODES, D_VALUES};
    slot *s = PyMem_Calloc(1, sizeof *s);
    if (!s) return (slot *)PyErr_NoMemory();
    const int framed = r->dim[D_PARAMETERS] + r->dim[D_MODES] + r->dim[D_VALUES] > 0;
    *s = (slot){.direct = given->data || !framed ? given->code : NULL, .data = given->data,
                .code = given->code, .run = r, .info = info, .given = given, .name = name};
    for (; info->in[s->inputs] != D_END; s->inputs++) s->in[s->inputs] = info->in[s->inputs];
    const int conditions = info >= &py_slot_table[EQUATION] && info <= &py_slot_table[PRECONDITION];
    for (int k = 0; k < 3 && !conditions; k++)
        if (r->dim[of_frame[k]] > 0) s->in[s->inputs++] = of_frame[k];
    while (s->outputs < OUTPUTS_MOST && info->out[s->outputs].kind != OUT_NONE) s->outputs++;
    return s;
}

void py_slot_free(slot *s)
{
    if (!s) return;
    release(s);
    PyMem_Free(s);
}

int py_slot_traverse(const slot *s, visitproc visit, void *arg)
{
    const int last = s->vector ? s->arguments + (s->keywords != NULL) : 0;
    for (int i = 1; i <= last; i++) Py_VISIT(s->vector[i]);
    return 0;
}
