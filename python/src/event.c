/* event.c -- events of a Python problem: keel_switching with one slot for each switch function, and
 * one Python function, `dispatch`, for whatever happens then.
 */
#include "solver.h"

#include <string.h>

/* ---- callbacks of keel_switching ----------------------------------------------------------- */

/* The context is that of the problem: a run, or a frame of it. */
static run *run_of(void *context)
{
    run *r = ((const keel_frame *)context)->context;
    r->frame = context;
    return r;
}

static events *events_of(const run *r);

/* Switch functions see the frame of the structure in force. */
static int value(double t, const double *y, const double *yp, double *s, void *context)
{
    events *e = events_of(run_of(context));
    int rc = 0;
    e->run->frame = context;
    for (int i = 0; i < e->count && !rc; i++)
        rc = py_call_switch(e->slot[i], t, y, yp, &s[i], context);
    return rc;
}

static PyObject *tuple_of(const int *values, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *number = PyLong_FromLong(values[i]);
        if (!number) return Py_DECREF(tuple), NULL;
        PyTuple_SET_ITEM(tuple, i, number);
    }
    return tuple;
}

/* A list of the modes, or an array of reals, that the action may change. */
static PyObject *modes_of(const run *r, const int *modes)
{
    const int count = r->problem->dim[D_MODES];
    PyObject *tuple = tuple_of(modes, count), *list = tuple ? PySequence_List(tuple) : NULL;
    Py_XDECREF(tuple);
    return list;
}

static int modes_back(const run *r, PyObject *list, int *modes)
{
    int count, *given = py_whole_numbers(list, &count, "modes");
    if (!given) return -1;
    const int right = count == r->problem->dim[D_MODES];
    if (right)
        memcpy(modes, given, (size_t)count * sizeof *modes);
    else
        PyErr_SetString(PyExc_ValueError, "an action changed the number of modes");
    PyMem_Free(given);
    return right ? 0 : -1;
}

/* What the dispatcher returned: (stop, smooth, text, fixed, structure). */
static int take_answer(keel_event *e, int size, PyObject *answer)
{
    const char *text;
    PyObject *fixed;
    if (!PyArg_ParseTuple(answer, "ppsOi", &e->stop, &e->smooth, &text, &fixed, &e->structure))
        return -1;
    PyOS_snprintf(e->text, sizeof e->text, "%.150s", text);
    int count, *index = py_whole_numbers(fixed, &count, "fixed");
    for (int i = 0; index && i < count; i++)
        if (index[i] >= 0 && index[i] < size) e->marks[index[i]] = KEEL_FIXED;
    PyMem_Free(index);
    return index ? 0 : -1;
}

static int dispatch(events *v, keel_event *e)
{
    const run *r = v->run;
    const int *dim = r->dim, size = dim[D_ALL];
    const double none = 0;
    PyObject *answer = NULL, *y = py_array_of(e->y, size, -1);
    PyObject *crossed = tuple_of(e->crossed, v->count), *ticked = tuple_of(e->ticked, v->clocks);
    PyObject *modes = modes_of(r, e->modes);
    PyObject *p = py_array_of(dim[D_PARAMETERS] ? e->parameters : &none, dim[D_PARAMETERS], -1);
    PyObject *w = py_array_of(dim[D_VALUES] ? e->values : &none, dim[D_VALUES], -1);
    if (y && crossed && ticked && modes && p && w)
        answer = PyObject_CallFunction(v->dispatch, "dOOOiiOOOi", e->t, y, crossed, ticked,
                                       e->initial, e->iteration, p, modes, w, e->structure);
    int rc = answer ? take_answer(e, size, answer) : -1;
    if (!rc) rc = py_copy_numbers(y, size, e->y, "state.y");
    if (!rc && dim[D_PARAMETERS])
        rc = py_copy_numbers(p, dim[D_PARAMETERS], e->parameters, "parameters");
    if (!rc && dim[D_VALUES]) rc = py_copy_numbers(w, dim[D_VALUES], e->values, "values");
    if (!rc && dim[D_MODES]) rc = modes_back(r, modes, e->modes);
    Py_XDECREF(answer);
    Py_XDECREF(y);
    Py_XDECREF(crossed);
    Py_XDECREF(ticked);
    Py_XDECREF(modes);
    Py_XDECREF(p);
    Py_XDECREF(w);
    return rc;
}

static int action(keel_event *e, void *context)
{
    run *r = run_of(context);
    if (r->session->failed) return -1;
    if (!dispatch(events_of(r), e)) return 0;
    py_session_fail(r->session, "action", e->t);
    return -1;
}

/* ---- life ---------------------------------------------------------------------------------- */

static events *events_of(const run *r)
{
    return ((const solver_object *)((const char *)r->session - offsetof(solver_object, session)))
        ->events;
}

static int set_functions(events *e, PyObject *functions, PyObject *names)
{
    e->count = (int)PyTuple_GET_SIZE(functions);
    e->given = PyMem_Calloc((size_t)e->count + 1, sizeof *e->given);
    e->slot = PyMem_Calloc((size_t)e->count + 1, sizeof *e->slot);
    e->names = py_text_list(names);
    if (!e->given || !e->slot || !e->names) return PyErr_NoMemory(), -1;
    for (int i = 0; i < e->count; i++) {
        if (py_callback_set(&e->given[i], PyTuple_GET_ITEM(functions, i))) return -1;
        e->slot[i] = py_slot_new(e->run, &py_slot_table[SWITCH], &e->given[i], e->names[i]);
        if (!e->slot[i]) return -1;
    }
    return 0;
}

static int set_clocks(events *e, PyObject *clocks, PyObject *names)
{
    e->clocks = (int)PyTuple_GET_SIZE(clocks);
    e->clock = PyMem_Calloc((size_t)e->clocks + 1, sizeof *e->clock);
    e->clock_names = py_text_list(names);
    if (!e->clock || !e->clock_names) return PyErr_NoMemory(), -1;
    for (int i = 0; i < e->clocks; i++) {
        keel_clock *c = &e->clock[i];
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(clocks, i), "ddp", &c->start, &c->interval,
                              &c->observes))
            return -1;
    }
    return 0;
}

/* (functions, names, directions, clocks, clock_names, dispatch) */
events *py_events_new(problem_object *p, session *s, PyObject *given)
{
    PyObject *functions, *names, *directions, *clocks, *clock_names, *what;
    if (!PyArg_ParseTuple(given, "O!O!O!O!O!O", &PyTuple_Type, &functions, &PyTuple_Type, &names,
                          &PyTuple_Type, &directions, &PyTuple_Type, &clocks, &PyTuple_Type,
                          &clock_names, &what))
        return NULL;
    events *e = PyMem_Calloc(1, sizeof *e);
    if (!e) return (events *)PyErr_NoMemory();
    Py_INCREF(given);
    e->keep = given;
    Py_INCREF(what);
    e->dispatch = what;
    e->run = py_run_bare(p, s);
    e->directions = py_whole_numbers(directions, NULL, "directions");
    if (e->run && e->directions && !set_functions(e, functions, names) &&
        !set_clocks(e, clocks, clock_names))
        return e;
    py_events_free(e);
    return NULL;
}

void py_events_free(events *e)
{
    if (!e) return;
    for (int i = 0; e->slot && i < e->count; i++) py_slot_free(e->slot[i]);
    for (int i = 0; e->given && i < e->count; i++) py_callback_clear(&e->given[i]);
    py_run_free(e->run);
    PyMem_Free(e->given);
    PyMem_Free(e->slot);
    PyMem_Free(e->names);
    PyMem_Free(e->clock_names);
    PyMem_Free(e->directions);
    PyMem_Free(e->clock);
    Py_XDECREF(e->keep);
    Py_XDECREF(e->dispatch);
    PyMem_Free(e);
}

int py_events_traverse(const events *e, visitproc visit, void *arg)
{
    Py_VISIT(e->keep);
    Py_VISIT(e->dispatch);
    Py_VISIT(e->run->problem);
    for (int i = 0; i < e->count; i++) {
        Py_VISIT(e->given[i].object);
        const int rc = py_slot_traverse(e->slot[i], visit, arg);
        if (rc) return rc;
    }
    return 0;
}

int py_events_build(events *e, keel_problem **problem, keel_problem *const *other, int others)
{
    const int rc = keel_switching(problem, *problem,
                                  &(keel_switching_spec){.switches = e->count,
                                                         .value = e->count ? value : NULL,
                                                         .names = e->names,
                                                         .directions = e->directions,
                                                         .clocks = e->clocks,
                                                         .clock = e->clock,
                                                         .clock_names = e->clock_names,
                                                         .action = action,
                                                         .others = others,
                                                         .other = other});
    if (!rc) e->run->dim[D_ALL] = keel_problem_size(*problem);
    return rc;
}
