/* core.h -- the extension keel._core: problems whose callbacks are Python objects.
 *
 * problem_object   what a user gave: functions, sizes, names.  It never changes and may serve many
 *                  solvers, in many threads.
 * run              what one solver has of it: for every callback a slot with private arrays.  It is
 *                  the context of the keel_problem that the solver makes for itself.
 * session          what all runs of one solver share: the exception that ended it, the lock.
 *
 * Arrays of callbacks are private copies, not views of solver memory: whoever keeps one, or a slice
 * of it, keeps its values, because an array that somebody else still refers to is replaced before
 * the next call.  Only the buffer protocol is used, so that one binary serves NumPy 1 and 2.
 */
#ifndef KEEL_PYTHON_CORE_H
#define KEEL_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <keel/keel.h>

/* What sizes an argument or a result. */
typedef enum dimension {
    D_END, D_REAL, D_WHOLE,      /* the end of a list; a number; a whole number             */
    D_1, D_2, D_3, D_ALL,        /* groups of unknowns as the form has them; all of them    */
    D_ROWS,                      /* attached rows                                           */
    D_PARAMETERS, D_MODES, D_VALUES,             /* of the frame                             */
    D_ONE, D_EQUATIONS,          /* 1; initial conditions                                   */
    D_CONDITIONS, D_FREE,        /* boundary conditions, unknown parameters                 */
    DIMENSIONS
} dimension;

typedef enum output_kind {
    OUT_NONE, OUT_VECTOR,
    OUT_ROWS,                    /* row-major, or nonzeros of a pattern                     */
    OUT_MATRIX,                  /* a keel_matrix                                           */
    OUT_SUBTRACTED,              /* from a keel_matrix                                      */
    OUT_BELOW                    /* into the rows of a keel_matrix behind those of D_1      */
} output_kind;

typedef struct output_info { output_kind kind; dimension rows, columns; } output_info;

enum { INPUTS_MOST = 8, OUTPUTS_MOST = 3 };

typedef struct slot_info {
    int form;                    /* a keel_form, or ANY_FORM                                */
    const char *name;            /* the field of the spec                                   */
    const char *signature;       /* of a compiled one, const left out                       */
    dimension in[INPUTS_MOST];
    output_info out[OUTPUTS_MOST];
} slot_info;

enum { ANY_FORM = -1 };

/* Every callback of every form. */
typedef enum slot_id {
    ODE_RHS, ODE_JACOBIAN,
    SEMI_RHS, SEMI_CONSTRAINT, SEMI_JACOBIAN,
    H2_RHS, H2_CONSTRAINT, H2_CONSTRAINT_JACOBIAN, H2_CONSTRAINT_TIME, H2_JACOBIAN,
    H3_POSITION_RATE, H3_VELOCITY_RATE, H3_CONSTRAINT, H3_CONSTRAINT_JACOBIAN, H3_CONSTRAINT_TIME,
    H3_JACOBIAN,
    M_MASS, M_FORCE, M_CONSTRAINT, M_CONSTRAINT_JACOBIAN, M_CONSTRAINT_TIME, M_CURVATURE,
    M_EVALUATE, M_FORCE_JACOBIAN,
    Q_MASS, Q_RHS, Q_JACOBIAN, Q_MASS_JACOBIAN,
    I_RESIDUAL, I_JACOBIAN,
    P_LEADING_MATRIX, P_LEADING_TERM, P_REST, P_LEADING_TERM_JACOBIAN, P_JACOBIAN,
    L_RATE, L_LEVEL, L_JACOBIAN, L_LEVEL_JACOBIAN,
    ATTACHED, ATTACHED_JACOBIAN, EQUATION,
    CONDITION, CONDITION_JACOBIAN, INNER_CONDITION, GUESS,
    TIMES, PRECONDITION_SETUP, PRECONDITION,     /* of GMRES                              */
    SLOTS,
    SWITCH = SLOTS               /* of events: any number of them, see event.c              */
} slot_id;

extern const slot_info py_slot_table[SLOTS + 1];

typedef void (*address)(void);

/* A callback as it was given: a Python object, or machine code with data of its own. */
typedef struct callback {
    PyObject *object;            /* the function, a constant, or whoever owns the code; or NULL */
    address code;                /* NULL: a Python function or a constant                   */
    void *data;                  /* of the code                                             */
    PyObject *pattern;           /* of a sparse result, or NULL                             */
    int constant, out;           /* a matrix, not a function; takes `out`                   */
    int raw;                     /* the code fills in numbers column by column, no keel_matrix */
} callback;

typedef struct problem_object {
    PyObject_HEAD
    keel_form form;
    int dim[DIMENSIONS];
    callback callback[SLOTS];
    PyObject *args;              /* tuple, appended to the arguments                        */
    PyObject *names, *constraint_names, *attached_names;       /* tuples of str, or NULL    */
    PyObject *parameter_names, *mode_names, *value_names;
    PyObject *unknown_names, *unknown_groups;    /* as the library has them; NULL: not asked yet */
    int *variable_index, *next, *chain, *kept;   /* or NULL                                 */
    double *parameter_start, *value_start;
    int *mode_start;
    keel_pattern pattern[4];     /* of the Jacobian, M, G, the forces; arrays belong to it  */
    int constant_mass;
    unsigned provides;
} problem_object;

enum { PATTERN_MAIN, PATTERN_MASS, PATTERN_CONSTRAINT, PATTERN_FORCE };

struct run;

typedef struct input {
    PyObject *array;
    char *data;
    const void *given;           /* the solver's values during a call                       */
    size_t bytes;
} input;

/* One callback of one solver. */
typedef struct slot {
    address direct;              /* `code` whose last argument is `data`, not a frame; or NULL */
    void *data;                  /* as in `given`, and so is the code                       */
    address code;
    struct run *run;
    const slot_info *info;
    const callback *given;
    const char *name;
    PyObject **vector;           /* arguments, behind one place of the interpreter's; NULL: */
                                 /* it has not been called yet                              */
    PyObject *keywords;          /* ("out",) or NULL                                        */
    dimension in[INPUTS_MOST + 3];               /* with those of the frame                 */
    input input[INPUTS_MOST + 3];
    int inputs, arguments, outputs;
    long calls;
} slot;

typedef struct session {
    PyObject *type, *value, *traceback;          /* the exception that ended it, or NULL    */
    const char *culprit;         /* callback that raised it                                 */
    double t;
    int failed;
    int free;                    /* all callbacks are compiled: the lock is free in runs    */
    PyThreadState *saved;        /* while it is                                             */
    double looked;               /* seconds, of the last look at signals                    */
} session;

typedef struct run {
    keel_frame self;             /* the context where there is no frame; context: this run  */
    const keel_frame *frame;     /* in force in the present call                            */
    problem_object *problem;
    int dim[DIMENSIONS];         /* of the problem; of events D_ALL is that of all structures */
    session *session;
    int calls, interval;         /* of machine code, until the next look at signals; at the last one */
    double looked;               /* seconds, of that                                        */
    slot *slot[SLOTS];
    int unformed;                /* no matrices where no pattern was given                  */
} run;

/* What the Python part of the package gave to this one. */
typedef struct helpers {
    PyObject *empty;             /* numpy.empty                                             */
    PyObject *coerce;            /* (result, name, shape) -> float64 array, C-contiguous    */
    PyObject *sparse;            /* (result, pattern, name) -> its nonzeros in that order   */
    PyObject *triplets;          /* (result, name, shape) -> rows, columns, values          */
    PyObject *error;             /* (status, message, t) -> exception                       */
    PyObject *retry, *warning;   /* classes                                                 */
    PyObject *intc;              /* numpy.intc                                              */
    PyObject *ndarray, *float64; /* class, and the one dtype of native float64              */
    int layout;                  /* nonzero: fields of arrays are where they were expected  */
} helpers;

extern helpers py_helper;
extern PyTypeObject py_problem_type, py_solver_type, py_recording_type, py_method_type,
    py_boundary_type, py_curve_type, py_model_type;

/* call.c */
slot *py_slot_new(run *r, const slot_info *info, const callback *given, const char *name);
void py_slot_free(slot *s);
int py_slot_traverse(const slot *s, visitproc visit, void *arg);
int py_invoke(slot *s, const void *const in[], void *const out[]);
void py_session_fail(session *s, const char *culprit, double t);
PyObject *py_session_raise(session *s, long steps);             /* NULL, with the exception set */
void py_session_clear(session *s);
int py_pulse(session *s);                                       /* signals; nonzero: stop      */
int py_look(run *r);                                            /* the same, between calls     */

/* result.c */
int py_check_layout(void);                                      /* 0, or -1 with an exception  */
int py_store_result(slot *s, PyObject *result, const output_info *info, void *out);
PyObject *py_new_array(Py_ssize_t rows, Py_ssize_t columns);    /* columns < 0: one-dimensional */
PyObject *py_array_of(const double *values, Py_ssize_t rows, Py_ssize_t columns);
double *py_array_data(PyObject *array);
int py_copy_numbers(PyObject *object, Py_ssize_t count, double *values, const char *what);

/* trampolines.c and forms.c */
run *py_run_new(problem_object *p, session *s);
run *py_run_bare(problem_object *p, session *s);             /* without slots               */
void py_run_free(run *r);
int py_run_traverse(const run *r, visitproc visit, void *arg);
int py_run_build(run *r, keel_problem **problem);               /* a status                    */
int py_call_switch(slot *s, double t, const double *y, const double *yp, double *value,
                   void *context);
int py_slot_equation(double t, const double *y, const double *yp, double *value, void *context);
int py_slot_condition(const double *ya, const double *yb, const double *p, double *b,
                      void *context);
int py_slot_condition_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                            double *b_b, double *b_p, void *context);
int py_slot_inner_condition(int i, double t, const double *y, const double *p, double *b,
                         void *context);
int py_slot_guess(double t, double *y, double *p, void *context);
/* The engine of GMRES with the functions of this run; a status. */
int py_run_engine(run *r, keel_engine **engine, const keel_problem *problem, int restart, int limit);

PyObject *py_repeat(PyObject *module, PyObject *args);

/* problem.c */
int py_callback_set(callback *c, PyObject *given);
void py_callback_clear(callback *c);
int *py_whole_numbers(PyObject *object, int *count, const char *what);
const char **py_text_list(PyObject *tuple);                  /* to be freed; or NULL        */

/* options.c */
int py_options_set(keel_options *o, PyObject *dict);            /* 0, or -1 with an exception  */
PyObject *py_option_rows(PyObject *module, PyObject *unused);

/* slots.c */
PyObject *py_layout(PyObject *module, PyObject *args);

/* Raises the exception of a status, which is negative; returns NULL. */
PyObject *py_raise_status(int status, const char *message, double t);

#endif
