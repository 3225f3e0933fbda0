/* options.c -- keel_options from a dict: the rows of keel_option_table, underscores for dashes. */
#include "core.h"

#include <string.h>

/* The row of that name; underscores and dashes are the same. */
static const keel_option *find_row(const char *name)
{
    int count;
    const keel_option *rows = keel_option_table(&count);
    for (int i = 0; i < count; i++) {
        const char *a = rows[i].name, *b = name;
        while (*a && (*a == *b || (*a == '-' && *b == '_'))) a++, b++;
        if (!*a && !*b) return &rows[i];
    }
    return NULL;
}

/* By the parser of the library, which checks ranges and choices. */
static int set_text(keel_options *o, const keel_option *row, PyObject *value)
{
    char why[300];
    PyObject *text = PyBool_Check(value)      ? PyUnicode_FromString(value == Py_True ? "1" : "0")
                     : PyUnicode_Check(value) ? (Py_INCREF(value), value)
                     : PyFloat_Check(value)   ? PyObject_Repr(value)
                                              : PyObject_Str(value);
    const char *bytes = text ? PyUnicode_AsUTF8(text) : NULL;
    if (!bytes) return Py_XDECREF(text), -1;
    const int rc = keel_option_set(o, row->name, bytes, why, sizeof why);
    Py_DECREF(text);
    if (rc) py_raise_status(rc, why, Py_NAN);
    return rc ? -1 : 0;
}

static int set_value(keel_options *o, const keel_option *row, PyObject *value)
{
    char *field = (char *)o + row->offset;
    if (value == Py_None) return 0;
    if (row->kind == KEEL_OPTION_REAL) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) return -1;
        memcpy(field, &number, sizeof number); /* the solver checks the range */
        return 0;
    }
    if (row->kind == KEEL_OPTION_TEXT) {
        const char *text = PyUnicode_AsUTF8(value); /* which lives as long as the dict */
        memcpy(field, &text, sizeof text);
        return text ? 0 : -1;
    }
    if (row->kind == KEEL_OPTION_FLAG) {
        const int flag = PyObject_IsTrue(value);
        memcpy(field, &flag, sizeof flag);
        return flag < 0 ? -1 : 0;
    }
    return set_text(o, row, value);
}

int py_options_set(keel_options *o, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (dict && PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        if (!name) return -1;
        const keel_option *row = find_row(name);
        if (!row) {
            PyErr_Format(PyExc_TypeError, "there is no option '%s'", name);
            return -1;
        }
        if (set_value(o, row, value)) return -1;
    }
    return 0;
}

/* [(name, kind, default, least, most, choices, help), ...] */
PyObject *py_option_rows(PyObject *module, PyObject *unused)
{
    int count;
    const keel_option *rows = keel_option_table(&count);
    PyObject *list = PyList_New(count);
    (void)module, (void)unused;
    for (int i = 0; list && i < count; i++) {
        PyObject *row =
            Py_BuildValue("(sidddzs)", rows[i].name, (int)rows[i].kind, rows[i].standard,
                          rows[i].least, rows[i].most, rows[i].choices, rows[i].help);
        if (!row) return Py_DECREF(list), NULL;
        PyList_SET_ITEM(list, i, row);
    }
    return list;
}
