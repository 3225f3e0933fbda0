/* slots.c -- the callbacks of all forms: what each takes and gives. */
#include "core.h"

#include <string.h>

#define VECTOR(rows) {{OUT_VECTOR, rows, D_END}}
#define ROWS(rows, columns) {{OUT_ROWS, rows, columns}}
#define MATRIX(rows, columns) {{OUT_MATRIX, rows, columns}}

#define STATE_1 "int (double, double *, double *, void *)"
#define STATE_2 "int (double, double *, double *, double *, void *)"
#define STATE_3 "int (double, double *, double *, double *, double *, void *)"
#define MATRIX_1 "int (double, double *, keel_matrix *, void *)"
#define MATRIX_2 "int (double, double *, double *, keel_matrix *, void *)"
#define MATRIX_3 "int (double, double *, double *, double *, keel_matrix *, void *)"

const slot_info py_slot_table[SLOTS + 1] = {
    [ODE_RHS] = {KEEL_FORM_ODE, "rhs", STATE_1, {D_REAL, D_1}, VECTOR(D_1)},
    [ODE_JACOBIAN] = {KEEL_FORM_ODE, "jacobian", MATRIX_1, {D_REAL, D_1}, MATRIX(D_1, D_1)},
    [SEMI_RHS] = {KEEL_FORM_SEMI_EXPLICIT, "rhs", STATE_2, {D_REAL, D_1, D_2}, VECTOR(D_1)},
    [SEMI_CONSTRAINT] =
        {KEEL_FORM_SEMI_EXPLICIT, "constraint", STATE_2, {D_REAL, D_1, D_2}, VECTOR(D_2)},
    [SEMI_JACOBIAN] =
        {KEEL_FORM_SEMI_EXPLICIT, "jacobian", MATRIX_2, {D_REAL, D_1, D_2}, MATRIX(D_ALL, D_ALL)},
    [H2_RHS] = {KEEL_FORM_HESSENBERG2, "rhs", STATE_2, {D_REAL, D_1, D_2}, VECTOR(D_1)},
    [H2_CONSTRAINT] = {KEEL_FORM_HESSENBERG2, "constraint", STATE_1, {D_REAL, D_1}, VECTOR(D_2)},
    [H2_CONSTRAINT_JACOBIAN] =
        {KEEL_FORM_HESSENBERG2, "constraint_jacobian", STATE_1, {D_REAL, D_1}, ROWS(D_2, D_1)},
    [H2_CONSTRAINT_TIME] =
        {KEEL_FORM_HESSENBERG2, "constraint_time", STATE_1, {D_REAL, D_1}, VECTOR(D_2)},
    [H2_JACOBIAN] =
        {KEEL_FORM_HESSENBERG2, "jacobian", MATRIX_2, {D_REAL, D_1, D_2}, MATRIX(D_ALL, D_ALL)},
    [H3_POSITION_RATE] =
        {KEEL_FORM_HESSENBERG3, "position_rate", STATE_2, {D_REAL, D_1, D_2}, VECTOR(D_1)},
    [H3_VELOCITY_RATE] =
        {KEEL_FORM_HESSENBERG3, "velocity_rate", STATE_3, {D_REAL, D_1, D_2, D_3}, VECTOR(D_2)},
    [H3_CONSTRAINT] = {KEEL_FORM_HESSENBERG3, "constraint", STATE_1, {D_REAL, D_1}, VECTOR(D_3)},
    [H3_CONSTRAINT_JACOBIAN] =
        {KEEL_FORM_HESSENBERG3, "constraint_jacobian", STATE_1, {D_REAL, D_1}, ROWS(D_3, D_1)},
    [H3_CONSTRAINT_TIME] =
        {KEEL_FORM_HESSENBERG3, "constraint_time", STATE_1, {D_REAL, D_1}, VECTOR(D_3)},
    [H3_JACOBIAN] = {KEEL_FORM_HESSENBERG3, "jacobian", MATRIX_3, {D_REAL, D_1, D_2, D_3},
                     MATRIX(D_ALL, D_ALL)},
    [M_MASS] = {KEEL_FORM_MECHANICAL, "mass", STATE_1, {D_REAL, D_1}, ROWS(D_1, D_1)},
    [M_FORCE] = {KEEL_FORM_MECHANICAL, "force", STATE_2, {D_REAL, D_1, D_1}, VECTOR(D_1)},
    [M_CONSTRAINT] = {KEEL_FORM_MECHANICAL, "constraint", STATE_1, {D_REAL, D_1}, VECTOR(D_2)},
    [M_CONSTRAINT_JACOBIAN] =
        {KEEL_FORM_MECHANICAL, "constraint_jacobian", STATE_1, {D_REAL, D_1}, ROWS(D_2, D_1)},
    [M_CONSTRAINT_TIME] =
        {KEEL_FORM_MECHANICAL, "constraint_time", STATE_1, {D_REAL, D_1}, VECTOR(D_2)},
    [M_CURVATURE] = {KEEL_FORM_MECHANICAL, "curvature", STATE_2, {D_REAL, D_1, D_1}, VECTOR(D_2)},
    [M_EVALUATE] =
        {KEEL_FORM_MECHANICAL, "evaluate",
         "int (double, double *, double *, unsigned int, keel_mechanical_parts *, void *)",
         {D_REAL, D_1, D_1, D_WHOLE}, {{OUT_NONE, D_END, D_END}}},
    [M_FORCE_JACOBIAN] = {KEEL_FORM_MECHANICAL, "force_jacobian", STATE_3, {D_REAL, D_1, D_1},
                          {{OUT_ROWS, D_1, D_1}, {OUT_ROWS, D_1, D_1}}},
    [Q_MASS] = {KEEL_FORM_QUASILINEAR, "mass", MATRIX_1, {D_REAL, D_1}, MATRIX(D_1, D_1)},
    [Q_RHS] = {KEEL_FORM_QUASILINEAR, "rhs", STATE_1, {D_REAL, D_1}, VECTOR(D_1)},
    [Q_JACOBIAN] = {KEEL_FORM_QUASILINEAR, "jacobian", MATRIX_1, {D_REAL, D_1}, MATRIX(D_1, D_1)},
    [Q_MASS_JACOBIAN] = {KEEL_FORM_QUASILINEAR, "mass_jacobian", MATRIX_2, {D_REAL, D_1, D_1},
                         {{OUT_SUBTRACTED, D_1, D_1}}},
    [I_RESIDUAL] = {KEEL_FORM_IMPLICIT, "residual", STATE_2, {D_REAL, D_1, D_1}, VECTOR(D_1)},
    [I_JACOBIAN] = {KEEL_FORM_IMPLICIT, "jacobian",
                    "int (double, double *, double *, double, keel_matrix *, void *)",
                    {D_REAL, D_1, D_1, D_REAL}, MATRIX(D_1, D_1)},
    [P_LEADING_MATRIX] =
        {KEEL_FORM_PROPER, "leading_matrix", STATE_1, {D_REAL, D_1}, ROWS(D_1, D_2)},
    [P_LEADING_TERM] = {KEEL_FORM_PROPER, "leading_term", STATE_1, {D_REAL, D_1}, VECTOR(D_2)},
    [P_REST] = {KEEL_FORM_PROPER, "rest", STATE_1, {D_REAL, D_1}, VECTOR(D_1)},
    [P_LEADING_TERM_JACOBIAN] =
        {KEEL_FORM_PROPER, "leading_term_jacobian", STATE_1, {D_REAL, D_1}, ROWS(D_2, D_1)},
    [P_JACOBIAN] = {KEEL_FORM_PROPER, "jacobian", MATRIX_2, {D_REAL, D_1, D_2}, MATRIX(D_1, D_1)},
    [L_RATE] = {KEEL_FORM_LEVELLED, "rate", STATE_2, {D_REAL, D_1, D_2}, VECTOR(D_1)},
    [L_LEVEL] = {KEEL_FORM_LEVELLED, "level",
                 "int (double, double *, double *, int, double *, void *)",
                 {D_REAL, D_1, D_2, D_WHOLE}, VECTOR(D_2)},
    [L_JACOBIAN] =
        {KEEL_FORM_LEVELLED, "jacobian", MATRIX_2, {D_REAL, D_1, D_2}, MATRIX(D_ALL, D_ALL)},
    [L_LEVEL_JACOBIAN] = {KEEL_FORM_LEVELLED, "level_jacobian",
                          "int (double, double *, int, keel_matrix *, void *)",
                          {D_REAL, D_1, D_WHOLE}, {{OUT_BELOW, D_2, D_1}}},
    [ATTACHED] = {ANY_FORM, "attached", STATE_1, {D_REAL, D_ALL}, VECTOR(D_ROWS)},
    [ATTACHED_JACOBIAN] =
        {ANY_FORM, "attached_jacobian", STATE_1, {D_REAL, D_ALL}, ROWS(D_ROWS, D_ALL)},
    [EQUATION] = {ANY_FORM, "equation", STATE_2, {D_REAL, D_ALL, D_ALL}, VECTOR(D_EQUATIONS)},
    [CONDITION] = {ANY_FORM, "condition", "int (double *, double *, double *, double *, void *)",
                   {D_ALL, D_ALL, D_FREE}, VECTOR(D_CONDITIONS)},
    [CONDITION_JACOBIAN] =
        {ANY_FORM, "condition_jacobian",
         "int (double *, double *, double *, double *, double *, double *, void *)",
         {D_ALL, D_ALL, D_FREE},
         {{OUT_ROWS, D_CONDITIONS, D_ALL}, {OUT_ROWS, D_CONDITIONS, D_ALL},
          {OUT_ROWS, D_CONDITIONS, D_FREE}}},
    [INNER_CONDITION] =
        {ANY_FORM, "inner_condition", "int (int, double, double *, double *, double *, void *)",
         {D_WHOLE, D_REAL, D_ALL, D_FREE}, VECTOR(D_ONE)},
    [GUESS] = {ANY_FORM, "guess", "int (double, double *, double *, void *)", {D_REAL},
               {{OUT_VECTOR, D_ALL, D_END}, {OUT_VECTOR, D_FREE, D_END}}},
    [TIMES] = {ANY_FORM, "times",
               "int (double, double *, double *, double *, double *, double, void *)",
               {D_REAL, D_ALL, D_ALL, D_ALL, D_REAL}, VECTOR(D_ALL)},
    [PRECONDITION_SETUP] = {ANY_FORM, "precondition_setup",
                            "int (double, double *, double *, double, void *)",
                            {D_REAL, D_ALL, D_ALL, D_REAL}, {{OUT_NONE, D_END, D_END}}},
    [PRECONDITION] = {ANY_FORM, "precondition",
                      "int (double, double *, double *, double *, double *, double, double, void *)",
                      {D_REAL, D_ALL, D_ALL, D_ALL, D_REAL, D_REAL}, VECTOR(D_ALL)},
    [SWITCH] = {ANY_FORM, "event", STATE_2, {D_REAL, D_ALL}, VECTOR(D_ONE)},
};

static const slot_info *find(int form, const char *name)
{
    for (int id = 0; id <= SLOTS; id++) {
        const slot_info *s = &py_slot_table[id];
        if (!strcmp(s->name, name) && (s->form == form || s->form == ANY_FORM)) return s;
    }
    return NULL;
}

/* layout(form, name) -> (signature, inputs, outputs) in words, or None: no such callback.  An input
 * is the name of its size; an output (kind, rows, columns). */
PyObject *py_layout(PyObject *module, PyObject *args)
{
    static const char *const words[DIMENSIONS] = {"", "real", "whole", "1", "2", "3", "all", "rows",
        "parameters", "modes", "values", "one", "equations", "conditions", "free"};
    static const char *const kinds[] = {"", "vector", "rows", "matrix", "subtracted", "below"};
    int form;
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "is", &form, &name)) return NULL;
    const slot_info *s = find(form, name);
    if (!s) Py_RETURN_NONE;
    PyObject *in = PyList_New(0), *out = PyList_New(0);
    for (int k = 0; in && k < INPUTS_MOST && s->in[k] != D_END; k++) {
        PyObject *word = PyUnicode_FromString(words[s->in[k]]);
        if (!word || PyList_Append(in, word)) Py_CLEAR(in);
        Py_XDECREF(word);
    }
    for (int k = 0; out && k < OUTPUTS_MOST && s->out[k].kind != OUT_NONE; k++) {
        const output_info *o = &s->out[k];
        PyObject *row = Py_BuildValue("(sss)", kinds[o->kind], words[o->rows], words[o->columns]);
        if (!row || PyList_Append(out, row)) Py_CLEAR(out);
        Py_XDECREF(row);
    }
    return Py_BuildValue("(sNN)", s->signature, in, out);
}
