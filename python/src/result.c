/* result.c -- what a callback returned, as numbers of the solver.
 *
 * Read directly: arrays of float64 of the right shape, by the buffer protocol or, where NumPy's arrays
 * are seen to be laid out as all versions so far have them, by their fields; lists and tuples of
 * numbers; one number where one is expected.  All else goes through py_helper.coerce, which makes
 * an array of it or says what is wrong.  Sparse matrices are compared with the pattern of the
 * problem by py_helper.sparse.
 */
#include "core.h"

#include <string.h>

/* ---- arrays -------------------------------------------------------------------------------- */

PyObject *py_new_array(Py_ssize_t rows, Py_ssize_t columns)
{
    PyObject *shape = columns < 0 ? PyLong_FromSsize_t(rows) : Py_BuildValue("(nn)", rows, columns);
    if (!shape) return NULL;
    PyObject *array = PyObject_Vectorcall(py_helper.empty, &shape, 1, NULL);
    Py_DECREF(shape);
    return array;
}

/* The first fields of an ndarray, which are part of NumPy's binary interface: a buffer of a new array
 * costs an allocation, and a text that says what it holds more than all the rest of a call. */
typedef struct array_fields {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *shape, *strides;
    PyObject *base, *descr;
} array_fields;

/* An ndarray of native float64 as a buffer that need not be released; 0: it is none. */
static int plain_view(PyObject *array, Py_buffer *view)
{
    if (!py_helper.layout || !Py_IS_TYPE(array, (PyTypeObject *)py_helper.ndarray)) return 0;
    const array_fields *a = (const array_fields *)array;
    if (a->descr != py_helper.float64) return 0;
    view->buf = a->data;
    view->ndim = a->nd;
    view->shape = a->shape;
    view->strides = a->strides;
    return 1;
}

/* The address of an array's numbers stays valid as long as the array. */
double *py_array_data(PyObject *array)
{
    Py_buffer view;
    if (plain_view(array, &view)) return view.buf;
    if (PyObject_GetBuffer(array, &view, PyBUF_CONTIG)) return NULL;
    double *data = view.buf;
    PyBuffer_Release(&view);
    return data;
}

PyObject *py_array_of(const double *values, Py_ssize_t rows, Py_ssize_t columns)
{
    PyObject *array = py_new_array(rows, columns);
    double *data = array ? py_array_data(array) : NULL;
    const size_t count = (size_t)rows * (columns < 0 ? 1 : (size_t)columns);
    if (!data) return Py_XDECREF(array), NULL;
    if (count) memcpy(data, values, count * sizeof *data);
    return array;
}

static int is_double(const Py_buffer *view)
{
    return view->format && !strcmp(view->format, "d");
}

static int copy_buffer(PyObject *object, Py_ssize_t count, double *values)
{
    Py_buffer view;
    if (plain_view(object, &view) && view.ndim == 1 && view.shape[0] == count &&
        view.strides[0] == (Py_ssize_t)sizeof *values) {
        if (count) memcpy(values, view.buf, (size_t)count * sizeof *values);
        return 1;
    }
    if (!PyObject_CheckBuffer(object)) return 0;
    if (PyObject_GetBuffer(object, &view, PyBUF_CONTIG_RO | PyBUF_FORMAT)) return PyErr_Clear(), 0;
    const int good = is_double(&view) && view.ndim == 1 && view.shape[0] == count;
    if (good && count) memcpy(values, view.buf, (size_t)count * sizeof *values);
    PyBuffer_Release(&view);
    return good;
}

/* A one-dimensional array of that many float64, or what becomes one. */
int py_copy_numbers(PyObject *object, Py_ssize_t count, double *values, const char *what)
{
    if (copy_buffer(object, count, values)) return 0;
    PyObject *array =
        PyObject_CallFunction(py_helper.coerce, "Os(n)OO", object, what, count, Py_None, Py_True);
    if (!array) return -1;
    const int good = copy_buffer(array, count, values);
    Py_DECREF(array);
    if (!good) PyErr_Format(PyExc_SystemError, "`%s` was not understood", what);
    return good ? 0 : -1;
}

/* ---- where the numbers go ------------------------------------------------------------------ */

/* Rows x columns numbers, reached by steps in bytes. */
typedef struct numbers {
    const char *at;
    Py_ssize_t rows, columns, row_step, column_step;
} numbers;

static double number_at(const numbers *a, Py_ssize_t i, Py_ssize_t j)
{
    double value;
    memcpy(&value, a->at + i * a->row_step + j * a->column_step, sizeof value);
    return value;
}

static void to_rows(const numbers *a, double *out)
{
    const Py_ssize_t word = sizeof(double);
    if (a->column_step == word && a->row_step == word * a->columns) {
        memcpy(out, a->at, (size_t)(a->rows * a->columns) * sizeof *out);
        return;
    }
    for (Py_ssize_t i = 0; i < a->rows; i++)
        for (Py_ssize_t j = 0; j < a->columns; j++) *out++ = number_at(a, i, j);
}

static int band_width(const keel_matrix *m)
{
    return m->pattern.lower + m->pattern.upper + 1;
}

/* Entries outside a pattern may be zero. */
static void put_entry(keel_matrix *m, const output_info *info, int below, int i, int j,
                      double value)
{
    if (value == 0) return;
    if (info->kind == OUT_SUBTRACTED)
        keel_add(m, i, j, -value);
    else
        keel_add(m, below + i, j, value);
}

static void to_matrix(const numbers *a, const output_info *info, int below, keel_matrix *m)
{
    if (m->pattern.storage == KEEL_BAND && a->rows == band_width(m) && a->rows != m->rows) {
        for (Py_ssize_t j = 0; j < a->columns; j++) /* by diagonals, as LAPACK has them */
            for (Py_ssize_t i = 0; i < a->rows; i++)
                m->values[j * a->rows + i] = number_at(a, i, j);
    } else if (info->kind == OUT_MATRIX && m->pattern.storage == KEEL_DENSE) {
        for (Py_ssize_t j = 0; j < a->columns; j++)
            for (Py_ssize_t i = 0; i < a->rows; i++)
                m->values[j * a->rows + i] = number_at(a, i, j);
    } else {
        for (Py_ssize_t i = 0; i < a->rows; i++)
            for (Py_ssize_t j = 0; j < a->columns; j++)
                put_entry(m, info, below, (int)i, (int)j, number_at(a, i, j));
    }
}

static void put(const slot *s, const numbers *a, const output_info *info, void *out)
{
    if (info->kind == OUT_VECTOR || info->kind == OUT_ROWS)
        to_rows(a, out);
    else
        to_matrix(a, info, info->kind == OUT_BELOW ? s->run->dim[D_1] : 0, out);
}

/* ---- shapes -------------------------------------------------------------------------------- */

typedef struct expected {
    Py_ssize_t rows, columns, band;
} expected; /* columns < 0: a vector */

static expected expect(const slot *s, const output_info *info, const void *out)
{
    const int *dim = s->run->dim;
    expected e = {.rows = dim[info->rows], .columns = -1, .band = -1};
    if (info->kind != OUT_VECTOR) e.columns = dim[info->columns];
    if (info->kind == OUT_MATRIX) {
        const keel_matrix *m = out;
        if (m->pattern.storage == KEEL_BAND) e.band = band_width(m);
    }
    return e;
}

/* A row is a matrix of one row; diagonals are accepted where the pattern is a band. */
static int fits(const expected *e, const Py_buffer *view, numbers *a)
{
    *a = (numbers){.at = view->buf, .rows = e->rows, .columns = e->columns < 0 ? 1 : e->columns};
    if (view->ndim == 1) {
        const int row = e->columns >= 0;
        if (row && e->rows != 1) return 0;
        a->row_step = a->column_step = view->strides[0];
        return view->shape[0] == (row ? e->columns : e->rows);
    }
    if (view->ndim != 2 || e->columns < 0) return 0;
    a->row_step = view->strides[0];
    a->column_step = view->strides[1];
    a->rows = view->shape[0];
    return view->shape[1] == e->columns && (a->rows == e->rows || a->rows == e->band);
}

/* Compares them with the buffer of a sample. */
int py_check_layout(void)
{
    PyObject *sample = py_new_array(2, 3);
    Py_buffer view;
    if (!sample) return -1;
    if (PyObject_GetBuffer(sample, &view, PyBUF_STRIDED_RO)) return Py_DECREF(sample), -1;
    const array_fields *a = (const array_fields *)sample;
    py_helper.layout = Py_IS_TYPE(sample, (PyTypeObject *)py_helper.ndarray) &&
                       Py_TYPE(sample)->tp_basicsize >= (Py_ssize_t)sizeof *a && a->data == view.buf &&
                       a->nd == 2 && a->descr == py_helper.float64 && a->shape[0] == 2 &&
                       a->shape[1] == 3 && a->strides[0] == 3 * (Py_ssize_t)sizeof(double) &&
                       a->strides[1] == (Py_ssize_t)sizeof(double);
    PyBuffer_Release(&view);
    Py_DECREF(sample);
    return 0;
}

static int store_array(const slot *s, PyObject *array, const expected *e, const output_info *info,
                       void *out)
{
    Py_buffer view;
    numbers a;
    if (plain_view(array, &view)) {
        if (!fits(e, &view, &a)) return 0;
        put(s, &a, info, out);
        return 1;
    }
    if (!PyObject_CheckBuffer(array)) return 0;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT)) return PyErr_Clear(), 0;
    const int good = is_double(&view) && fits(e, &view, &a);
    if (good) put(s, &a, info, out);
    PyBuffer_Release(&view);
    return good;
}

/* NumPy's float64 is a float. */
static int number_of(PyObject *item, double *value)
{
    if (PyFloat_Check(item))
        *value = PyFloat_AS_DOUBLE(item);
    else if (PyLong_CheckExact(item)) {
        *value = PyLong_AsDouble(item);
        if (*value == -1 && PyErr_Occurred()) return PyErr_Clear(), 0;
    } else
        return 0;
    return 1;
}

static int store_list(PyObject *list, Py_ssize_t rows, double *out)
{
    if (PySequence_Fast_GET_SIZE(list) != rows) return 0;
    PyObject **item = PySequence_Fast_ITEMS(list);
    for (Py_ssize_t i = 0; i < rows; i++)
        if (!number_of(item[i], &out[i])) return 0;
    return 1;
}

/* ---- sparse -------------------------------------------------------------------------------- */

static int store_nonzeros(slot *s, PyObject *result, const output_info *info, void *out)
{
    PyObject *pattern = s->given->pattern;
    PyObject *data = PyObject_CallFunction(py_helper.sparse, "OOs", result, pattern, s->name);
    Py_buffer view;
    if (!data) return -1;
    int rc = PyObject_GetBuffer(data, &view, PyBUF_CONTIG_RO);
    if (!rc) {
        double *values = info->kind == OUT_ROWS ? out : ((keel_matrix *)out)->values;
        if (view.len) memcpy(values, view.buf, (size_t)view.len);
        PyBuffer_Release(&view);
    }
    Py_DECREF(data);
    return rc;
}

static int store_triplets(slot *s, PyObject *result, const output_info *info, const expected *e,
                          keel_matrix *m)
{
    Py_buffer row = {0}, column, value;
    const int below = info->kind == OUT_BELOW ? s->run->dim[D_1] : 0;
    PyObject *t =
        PyObject_CallFunction(py_helper.triplets, "Os(nn)", result, s->name, e->rows, e->columns);
    if (!t) return -1;
    int rc = PyObject_GetBuffer(PyTuple_GET_ITEM(t, 0), &row, PyBUF_CONTIG_RO);
    if (!rc && !(rc = PyObject_GetBuffer(PyTuple_GET_ITEM(t, 1), &column, PyBUF_CONTIG_RO))) {
        rc = PyObject_GetBuffer(PyTuple_GET_ITEM(t, 2), &value, PyBUF_CONTIG_RO);
        for (Py_ssize_t k = 0; !rc && k < value.len / (Py_ssize_t)sizeof(double); k++)
            put_entry(m, info, below, ((const int *)row.buf)[k], ((const int *)column.buf)[k],
                      ((const double *)value.buf)[k]);
        if (!rc) PyBuffer_Release(&value);
        PyBuffer_Release(&column);
    }
    if (row.obj) PyBuffer_Release(&row);
    Py_DECREF(t);
    return rc;
}

/* ---- the one way in ------------------------------------------------------------------------ */

static int store_other(slot *s, PyObject *result, const expected *e, const output_info *info,
                       void *out)
{
    PyObject *array =
        e->columns < 0 ? PyObject_CallFunction(py_helper.coerce, "Os(n)", result, s->name, e->rows)
        : e->band >= 0 ? PyObject_CallFunction(py_helper.coerce, "Os(nn)n", result, s->name,
                                               e->rows, e->columns, e->band)
                       : PyObject_CallFunction(py_helper.coerce, "Os(nn)", result, s->name, e->rows,
                                               e->columns);
    if (!array) return -1;
    const int stored = store_array(s, array, e, info, out);
    Py_DECREF(array);
    if (stored) return 0;
    PyErr_Format(PyExc_SystemError, "the result of the callback `%s` was not understood", s->name);
    return -1;
}

/* scipy.sparse matrices and arrays have no buffer but a method tocsc. */
static int is_sparse(PyObject *result)
{
    return !PyObject_CheckBuffer(result) && !PyList_Check(result) && !PyTuple_Check(result) &&
           PyObject_HasAttrString(result, "tocsc");
}

int py_store_result(slot *s, PyObject *result, const output_info *info, void *out)
{
    const expected e = expect(s, info, out);
    if (e.columns < 0) {
        if ((PyList_Check(result) || PyTuple_Check(result)) && store_list(result, e.rows, out))
            return 0;
        if (e.rows == 1 && number_of(result, out)) return 0;
    }
    if (s->given->pattern && info->kind <= OUT_MATRIX) return store_nonzeros(s, result, info, out);
    if (store_array(s, result, &e, info, out)) return 0;
    if (info->kind >= OUT_MATRIX && is_sparse(result))
        return store_triplets(s, result, info, &e, out);
    return store_other(s, result, &e, info, out);
}
