/* solution.c -- the entries of a keel.Solution that a solver knows after a run.
 *
 * They are made here, in one go and by keys that are made once: a few dozen questions from Python would take
 * a tenth of the time of a small solve.
 */
#include "solver.h"

#include <stddef.h>

/* Puts a value, which may be NULL, into a dict and gives up the reference; 0, or -1. */
static int put(PyObject *dict, PyObject **key, const char *name, PyObject *value)
{
    if (!*key) *key = PyUnicode_InternFromString(name);
    const int rc = *key && value ? PyDict_SetItem(dict, *key, value) : -1;
    Py_XDECREF(value);
    return rc;
}

static PyObject *none(void)
{
    Py_RETURN_NONE;
}

/* ---- counters ------------------------------------------------------------------------------ */

/* Of keel_stats, by name. */
#define LONG(name) {#name, 'l', offsetof(keel_stats, name), NULL}
#define INT(name) {#name, 'i', offsetof(keel_stats, name), NULL}
#define REAL(name) {#name, 'd', offsetof(keel_stats, name), NULL}
static struct { const char *name; char kind; size_t offset; PyObject *key; } counters[] = {
    LONG(steps), LONG(accepted), LONG(rejected_error), LONG(rejected_newton), LONG(rhs),
    LONG(rhs_for_jacobian), LONG(jacobian), LONG(factorizations), LONG(solves), LONG(newton),
    LONG(projections), LONG(constraint), LONG(events), INT(stages_low), INT(stages_high),
    INT(orders_low), INT(orders_high), INT(iteration_switches), REAL(last_step),
    INT(method_switches), REAL(switch_time), LONG(unmeasured), LONG(event_iterations),
    LONG(restarts), LONG(switches)};

static int put_counters(PyObject *dict, const keel_stats *x)
{
    int rc = 0;
    for (size_t i = 0; i < sizeof counters / sizeof *counters && !rc; i++) {
        const char *field = (const char *)x + counters[i].offset;
        rc = put(dict, &counters[i].key, counters[i].name,
                 counters[i].kind == 'l'   ? PyLong_FromLong(*(const long *)(const void *)field)
                 : counters[i].kind == 'i' ? PyLong_FromLong(*(const int *)(const void *)field)
                                           : PyFloat_FromDouble(*(const double *)(const void *)field));
    }
    return rc;
}

static int levels_of(const solver_object *s)
{
    return keel_problem_levels(keel_solver_problem(s->solver));
}

PyObject *py_stats(const solver_object *s)
{
    static PyObject *residual, *method;
    const keel_stats *x = keel_solver_stats(s->solver);
    PyObject *dict = PyDict_New();
    if (dict && (put(dict, &residual, "residual", py_real_list(x->residual, levels_of(s))) ||
                 put(dict, &method, "method", PyUnicode_FromString(x->method)) || put_counters(dict, x)))
        Py_CLEAR(dict);
    return dict;
}

/* ---- names --------------------------------------------------------------------------------- */

static PyObject *make_names(const solver_object *s)
{
    PyObject *names = PyTuple_New(s->size);
    for (int i = 0; names && i < s->size; i++) {
        PyObject *name = PyUnicode_FromString(keel_variable_name(s->problem, i));
        if (!name) return Py_DECREF(names), NULL;
        PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

static PyObject *make_groups(const solver_object *s)
{
    const char *name[3];
    int size[3];
    const int count = keel_problem_groups(s->problem, size, name);
    PyObject *groups = PyTuple_New(count);
    for (int k = 0; groups && k < count; k++) {
        PyObject *group = Py_BuildValue("(si)", name[k], size[k]);
        if (!group) return Py_DECREF(groups), NULL;
        PyTuple_SET_ITEM(groups, k, group);
    }
    return groups;
}

/* What `make` makes, kept with the problem that all solvers of it share; structures that events choose
 * and models are known to the solver only. */
static PyObject *kept(const solver_object *s, PyObject **place, PyObject *(*make)(const solver_object *))
{
    if (s->others || s->model) return make(s);
    if (!*place) *place = make(s);
    Py_XINCREF(*place);
    return *place;
}

PyObject *py_unknown_names(const solver_object *s)
{
    return kept(s, &s->run->problem->unknown_names, make_names);
}

PyObject *py_unknown_groups(const solver_object *s)
{
    return kept(s, &s->run->problem->unknown_groups, make_groups);
}

/* ---- all of it ----------------------------------------------------------------------------- */

PyObject *py_solution_entries(solver_object *s, run_parts *x)
{
    const keel_stats *n = keel_solver_stats(s->solver);
    PyObject *self = (PyObject *)s;
    /* In the order in which a Solution shows them; Python sets those that are None. */
    const struct { const char *name; PyObject *value; } entries[] = {
        {"t", x->t}, {"y", x->y}, {"sol", x->recording}, {"t_events", none()}, {"y_events", none()},
        {"nfev", PyLong_FromLong(n->rhs)}, {"njev", PyLong_FromLong(n->jacobian)},
        {"nlu", PyLong_FromLong(n->factorizations)}, {"status", none()},
        {"message", PyUnicode_FromString(x->message)}, {"success", none()},
        {"residual", py_array_of(n->residual, levels_of(s), -1)}, {"t_steps", x->t_steps},
        {"residuals", x->residuals}, {"stats", py_stats(s)},
        {"choice", PyUnicode_FromString(keel_choice(s->solver))}, {"problem", none()},
        {"error", x->failure}, {"t_end", PyFloat_FromDouble(keel_time(s->solver))},
        {"y_end", py_solver_state(self, NULL)}, {"events", py_solver_event_log(self, NULL)},
        {"names", py_unknown_names(s)}, {"groups", py_unknown_groups(s)},
        {"code", PyLong_FromLong(x->status)}, {"moved", py_solver_moved(self, NULL)},
        {"calls", py_solver_calls(self, NULL)}};
    enum { ENTRIES = sizeof entries / sizeof *entries };
    static PyObject *keys[ENTRIES];
    PyObject *dict = PyDict_New();
    int rc = dict ? 0 : -1;
    for (int i = 0; i < ENTRIES; i++)
        if (rc)
            Py_XDECREF(entries[i].value);
        else
            rc = put(dict, &keys[i], entries[i].name, entries[i].value);
    if (rc) Py_CLEAR(dict);
    return dict || PyErr_Occurred() ? dict : PyErr_NoMemory();
}
