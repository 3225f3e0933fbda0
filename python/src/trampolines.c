/* trampolines.c -- the callbacks of all forms as the library calls them, and the specs of them.
 *
 * A trampoline finds its slot through the context.  Machine code is called as it is, with data of
 * its own or, in a problem with a frame, the frame; a Python object by `py_invoke`.
 */
#include "core.h"

#include <string.h>

/* ---- what the library calls ---------------------------------------------------------------- */

typedef int state1(double, const double *, double *, void *);
typedef int state2(double, const double *, const double *, double *, void *);
typedef int state3(double, const double *, const double *, const double *, double *, void *);
typedef int matrix1(double, const double *, keel_matrix *, void *);
typedef int matrix2(double, const double *, const double *, keel_matrix *, void *);
typedef int matrix3(double, const double *, const double *, const double *, keel_matrix *, void *);

static slot *slot_of(const void *context, slot_id id)
{
    const keel_frame *frame = context;
    run *r = frame->context;
    r->frame = frame;
    return r->slot[id];
}

/* The last argument of machine code: its own data or, in a problem with a frame, the frame. */
static void *data_of(const slot *s, void *context)
{
    return s->data || context == s->run ? s->data : context;
}

/* Before a call of machine code, now and then: is somebody waiting for us to stop? */
static int interrupted(run *r)
{
    return --r->calls < 0 && py_look(r);
}

#define COMPILED(type, ...)                                                                    \
    if (s->code)                                                                               \
        return interrupted(s->run) ? -1 : ((type *)s->code)(__VA_ARGS__, data_of(s, context))
/* Where machine code puts its result: wrapped functions know nothing of keel_matrix. */
#define AS_double(s, out) (out)
#define AS_keel_matrix(s, out) ((s)->given->raw ? (void *)(out)->values : (void *)(out))
#define IN(...) (const void *const[]){__VA_ARGS__}
#define OUT(...) (void *const[]){__VA_ARGS__}

/* Functions of the time, of up to three vectors and of nothing else are called most.  What needs room on
 * the stack, Python's arguments and a look at signals, is `name_apart`, so that `name` is four loads
 * and a jump to machine code. */
#define TRAMPOLINE(name, id, type, result, parameters, ...)                                    \
    __attribute__((noinline)) static int name##_apart parameters                               \
    {                                                                                          \
        slot *s = slot_of(context, id);                                                        \
        COMPILED(type, __VA_ARGS__, AS_##result(s, out));                                      \
        return py_invoke(s, IN(&__VA_ARGS__), OUT(out));                                       \
    }                                                                                          \
    static int name parameters                                                                 \
    {                                                                                          \
        run *r = ((const keel_frame *)context)->context;                                       \
        const slot *s = r->slot[id];                                                           \
        if (!s->direct || --r->calls < 0) return name##_apart(__VA_ARGS__, out, context);      \
        return ((type *)s->direct)(__VA_ARGS__, AS_##result(s, out), s->data);                 \
    }
#define TRAMPOLINE_1(name, id, type, result)                                                   \
    TRAMPOLINE(name, id, type, result, (double t, const double *a, result *out, void *context), t, a)
#define TRAMPOLINE_2(name, id, type, result)                                                   \
    TRAMPOLINE(name, id, type, result,                                                         \
               (double t, const double *a, const double *b, result *out, void *context), t, a, b)
#define TRAMPOLINE_3(name, id, type, result)                                                   \
    TRAMPOLINE(name, id, type, result,                                                         \
               (double t, const double *a, const double *b, const double *c, result *out,      \
                void *context), t, a, b, c)

TRAMPOLINE_1(ode_rhs, ODE_RHS, state1, double)
TRAMPOLINE_1(ode_jacobian, ODE_JACOBIAN, matrix1, keel_matrix)
TRAMPOLINE_2(semi_rhs, SEMI_RHS, state2, double)
TRAMPOLINE_2(semi_constraint, SEMI_CONSTRAINT, state2, double)
TRAMPOLINE_2(semi_jacobian, SEMI_JACOBIAN, matrix2, keel_matrix)
TRAMPOLINE_2(h2_rhs, H2_RHS, state2, double)
TRAMPOLINE_1(h2_constraint, H2_CONSTRAINT, state1, double)
TRAMPOLINE_1(h2_constraint_jacobian, H2_CONSTRAINT_JACOBIAN, state1, double)
TRAMPOLINE_1(h2_constraint_time, H2_CONSTRAINT_TIME, state1, double)
TRAMPOLINE_2(h2_jacobian, H2_JACOBIAN, matrix2, keel_matrix)
TRAMPOLINE_2(h3_position_rate, H3_POSITION_RATE, state2, double)
TRAMPOLINE_3(h3_velocity_rate, H3_VELOCITY_RATE, state3, double)
TRAMPOLINE_1(h3_constraint, H3_CONSTRAINT, state1, double)
TRAMPOLINE_1(h3_constraint_jacobian, H3_CONSTRAINT_JACOBIAN, state1, double)
TRAMPOLINE_1(h3_constraint_time, H3_CONSTRAINT_TIME, state1, double)
TRAMPOLINE_3(h3_jacobian, H3_JACOBIAN, matrix3, keel_matrix)
TRAMPOLINE_1(m_mass, M_MASS, state1, double)
TRAMPOLINE_2(m_force, M_FORCE, state2, double)
TRAMPOLINE_1(m_constraint, M_CONSTRAINT, state1, double)
TRAMPOLINE_1(m_constraint_jacobian, M_CONSTRAINT_JACOBIAN, state1, double)
TRAMPOLINE_1(m_constraint_time, M_CONSTRAINT_TIME, state1, double)
TRAMPOLINE_2(m_curvature, M_CURVATURE, state2, double)
TRAMPOLINE_1(q_mass, Q_MASS, matrix1, keel_matrix)
TRAMPOLINE_1(q_rhs, Q_RHS, state1, double)
TRAMPOLINE_1(q_jacobian, Q_JACOBIAN, matrix1, keel_matrix)
TRAMPOLINE_2(q_mass_jacobian, Q_MASS_JACOBIAN, matrix2, keel_matrix)
TRAMPOLINE_2(i_residual, I_RESIDUAL, state2, double)
TRAMPOLINE_1(p_leading_matrix, P_LEADING_MATRIX, state1, double)
TRAMPOLINE_1(p_leading_term, P_LEADING_TERM, state1, double)
TRAMPOLINE_1(p_rest, P_REST, state1, double)
TRAMPOLINE_1(p_leading_term_jacobian, P_LEADING_TERM_JACOBIAN, state1, double)
TRAMPOLINE_2(p_jacobian, P_JACOBIAN, matrix2, keel_matrix)
TRAMPOLINE_2(l_rate, L_RATE, state2, double)
TRAMPOLINE_2(l_jacobian, L_JACOBIAN, matrix2, keel_matrix)
TRAMPOLINE_1(attached, ATTACHED, state1, double)
TRAMPOLINE_1(attached_jacobian, ATTACHED_JACOBIAN, state1, double)

static int m_force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                            void *context)
{
    typedef int code(double, const double *, const double *, double *, double *, void *);
    slot *s = slot_of(context, M_FORCE_JACOBIAN);
    COMPILED(code, t, q, v, f_q, f_v);
    return py_invoke(s, IN(&t, q, v), OUT(f_q, f_v));
}

static int i_jacobian(double t, const double *y, const double *yp, double shift, keel_matrix *J,
                      void *context)
{
    typedef int code(double, const double *, const double *, double, keel_matrix *, void *);
    slot *s = slot_of(context, I_JACOBIAN);
    COMPILED(code, t, y, yp, shift, AS_keel_matrix(s, J));
    return py_invoke(s, IN(&t, y, yp, &shift), OUT(J));
}

static int l_level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    typedef int code(double, const double *, const double *, int, double *, void *);
    slot *s = slot_of(context, L_LEVEL);
    COMPILED(code, t, y, z, k, h);
    return py_invoke(s, IN(&t, y, z, &k), OUT(h));
}

static int l_level_jacobian(double t, const double *y, int k, keel_matrix *h_y, void *context)
{
    typedef int code(double, const double *, int, keel_matrix *, void *);
    slot *s = slot_of(context, L_LEVEL_JACOBIAN);
    COMPILED(code, t, y, k, h_y);
    return py_invoke(s, IN(&t, y, &k), OUT(h_y));
}

/* One callback for several parts: machine code only; from Python the parts are separate. */
static int m_evaluate(double t, const double *q, const double *v, unsigned wanted,
                      const keel_mechanical_parts *parts, void *context)
{
    typedef int code(double, const double *, const double *, unsigned,
                     const keel_mechanical_parts *, void *);
    slot *s = slot_of(context, M_EVALUATE);
    COMPILED(code, t, q, v, wanted, parts);
    return -1;
}

int py_slot_equation(double t, const double *y, const double *yp, double *value, void *context)
{
    slot *s = slot_of(context, EQUATION);
    COMPILED(state2, t, y, yp, value);
    return py_invoke(s, IN(&t, y, yp), OUT(value));
}

int py_slot_condition(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    typedef int code(const double *, const double *, const double *, double *, void *);
    slot *s = slot_of(context, CONDITION);
    COMPILED(code, ya, yb, p, b);
    return py_invoke(s, IN(ya, yb, p), OUT(b));
}

int py_slot_condition_jacobian(const double *ya, const double *yb, const double *p, double *b_a,
                            double *b_b, double *b_p, void *context)
{
    typedef int code(const double *, const double *, const double *, double *, double *, double *,
                     void *);
    slot *s = slot_of(context, CONDITION_JACOBIAN);
    COMPILED(code, ya, yb, p, b_a, b_b, b_p);
    return py_invoke(s, IN(ya, yb, p), OUT(b_a, b_b, b_p));
}

int py_slot_inner_condition(int i, double t, const double *y, const double *p, double *b,
                            void *context)
{
    typedef int code(int, double, const double *, const double *, double *, void *);
    slot *s = slot_of(context, INNER_CONDITION);
    COMPILED(code, i, t, y, p, b);
    return py_invoke(s, IN(&i, &t, y, p), OUT(b));
}

int py_slot_guess(double t, double *y, double *p, void *context)
{
    typedef int code(double, double *, double *, void *);
    slot *s = slot_of(context, GUESS);
    COMPILED(code, t, y, p);
    return py_invoke(s, IN(&t), OUT(y, p));
}

/* Functions of GMRES.  Those that numba compiled have their results behind all arguments. */
static int times(double t, const double *y, const double *yp, const double *v, double *Av, double shift,
                 void *context)
{
    typedef int code(double, const double *, const double *, const double *, double *, double, void *);
    typedef int wrapped(double, const double *, const double *, const double *, double, double *, void *);
    slot *s = slot_of(context, TIMES);
    if (s->given->raw) COMPILED(wrapped, t, y, yp, v, shift, Av);
    COMPILED(code, t, y, yp, v, Av, shift);
    return py_invoke(s, IN(&t, y, yp, v, &shift), OUT(Av));
}

static int precondition_setup(double t, const double *y, const double *yp, double shift, void *context)
{
    typedef int code(double, const double *, const double *, double, void *);
    slot *s = slot_of(context, PRECONDITION_SETUP);
    COMPILED(code, t, y, yp, shift);
    return py_invoke(s, IN(&t, y, yp, &shift), NULL);
}

static int precondition(double t, const double *y, const double *yp, const double *r, double *z,
                        double shift, double tolerance, void *context)
{
    typedef int code(double, const double *, const double *, const double *, double *, double, double,
                     void *);
    typedef int wrapped(double, const double *, const double *, const double *, double, double, double *,
                        void *);
    slot *s = slot_of(context, PRECONDITION);
    if (s->given->raw) COMPILED(wrapped, t, y, yp, r, shift, tolerance, z);
    COMPILED(code, t, y, yp, r, z, shift, tolerance);
    return py_invoke(s, IN(&t, y, yp, r, &shift, &tolerance), OUT(z));
}

int py_call_switch(slot *s, double t, const double *y, const double *yp, double *value,
                   void *context)
{
    COMPILED(state2, t, y, yp, value);
    return py_invoke(s, IN(&t, y, yp), OUT(value));
}

/* ---- the specs of all forms ---------------------------------------------------------------- */

/* Names as the library takes them; freed after the problem is made. */
typedef struct texts {
    const char **names, **constraints, **attached, **parameters, **modes, **values;
} texts;

#define GIVEN(id, trampoline) (r->slot[id] ? trampoline : NULL)
#define COMMON                                                                                 \
    .names = x->names, .attached = attached_rows(r, x), .context = r, .frame = frame_of(r, x)

static keel_attached attached_rows(run *r, const texts *x)
{
    const problem_object *p = r->problem;
    return (keel_attached){.rows = p->dim[D_ROWS], .value = GIVEN(ATTACHED, attached),
                           .jacobian = GIVEN(ATTACHED_JACOBIAN, attached_jacobian), .kept = p->kept,
                           .names = x->attached};
}

static keel_frame_spec frame_of(const run *r, const texts *x)
{
    const problem_object *p = r->problem;
    return (keel_frame_spec){.parameters = p->dim[D_PARAMETERS], .modes = p->dim[D_MODES],
                             .values = p->dim[D_VALUES], .parameter_start = p->parameter_start,
                             .mode_start = p->mode_start, .value_start = p->value_start,
                             .parameter_names = x->parameters, .mode_names = x->modes,
                             .value_names = x->values};
}

/* GMRES needs no matrix: where no pattern was given none is formed. */
static keel_pattern main_pattern(const run *r)
{
    const keel_pattern *p = &r->problem->pattern[PATTERN_MAIN];
    return r->unformed && p->storage == KEEL_DENSE ? (keel_pattern){.storage = KEEL_UNFORMED} : *p;
}

static int build_ode(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_ode(made, &(keel_ode_spec){
        .size = p->dim[D_1], .rhs = GIVEN(ODE_RHS, ode_rhs),
        .jacobian = GIVEN(ODE_JACOBIAN, ode_jacobian), .pattern = main_pattern(r),
        COMMON});
}

static int build_semi_explicit(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_semi_explicit(made, &(keel_semi_explicit_spec){
        .differential = p->dim[D_1], .algebraic = p->dim[D_2], .rhs = GIVEN(SEMI_RHS, semi_rhs),
        .constraint = GIVEN(SEMI_CONSTRAINT, semi_constraint),
        .jacobian = GIVEN(SEMI_JACOBIAN, semi_jacobian), .pattern = main_pattern(r),
        .constraint_names = x->constraints, COMMON});
}

static int build_hessenberg2(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_hessenberg2(made, &(keel_hessenberg2_spec){
        .differential = p->dim[D_1], .multipliers = p->dim[D_2], .rhs = GIVEN(H2_RHS, h2_rhs),
        .constraint = GIVEN(H2_CONSTRAINT, h2_constraint),
        .constraint_jacobian = GIVEN(H2_CONSTRAINT_JACOBIAN, h2_constraint_jacobian),
        .constraint_time = GIVEN(H2_CONSTRAINT_TIME, h2_constraint_time),
        .jacobian = GIVEN(H2_JACOBIAN, h2_jacobian), .pattern = main_pattern(r),
        .constraint_names = x->constraints, COMMON});
}

static int build_hessenberg3(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_hessenberg3(made, &(keel_hessenberg3_spec){
        .positions = p->dim[D_1], .velocities = p->dim[D_2], .multipliers = p->dim[D_3],
        .position_rate = GIVEN(H3_POSITION_RATE, h3_position_rate),
        .velocity_rate = GIVEN(H3_VELOCITY_RATE, h3_velocity_rate),
        .constraint = GIVEN(H3_CONSTRAINT, h3_constraint),
        .constraint_jacobian = GIVEN(H3_CONSTRAINT_JACOBIAN, h3_constraint_jacobian),
        .constraint_time = GIVEN(H3_CONSTRAINT_TIME, h3_constraint_time),
        .jacobian = GIVEN(H3_JACOBIAN, h3_jacobian), .pattern = main_pattern(r),
        .constraint_names = x->constraints, COMMON});
}

static int build_mechanical(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_mechanical(made, &(keel_mechanical_spec){
        .positions = p->dim[D_1], .constraints = p->dim[D_2], .mass = GIVEN(M_MASS, m_mass),
        .force = GIVEN(M_FORCE, m_force), .constraint = GIVEN(M_CONSTRAINT, m_constraint),
        .constraint_jacobian = GIVEN(M_CONSTRAINT_JACOBIAN, m_constraint_jacobian),
        .constraint_time = GIVEN(M_CONSTRAINT_TIME, m_constraint_time),
        .curvature = GIVEN(M_CURVATURE, m_curvature), .evaluate = GIVEN(M_EVALUATE, m_evaluate),
        .provides = p->provides, .force_jacobian = GIVEN(M_FORCE_JACOBIAN, m_force_jacobian),
        .mass_pattern = p->pattern[PATTERN_MASS],
        .constraint_pattern = p->pattern[PATTERN_CONSTRAINT],
        .force_pattern = p->pattern[PATTERN_FORCE], .constant_mass = p->constant_mass,
        .constraint_names = x->constraints, COMMON});
}

static int build_quasilinear(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_quasilinear(made, &(keel_quasilinear_spec){
        .size = p->dim[D_1], .mass = GIVEN(Q_MASS, q_mass), .constant_mass = p->constant_mass,
        .rhs = GIVEN(Q_RHS, q_rhs), .jacobian = GIVEN(Q_JACOBIAN, q_jacobian),
        .mass_jacobian = GIVEN(Q_MASS_JACOBIAN, q_mass_jacobian),
        .variable_index = p->variable_index, .pattern = main_pattern(r), COMMON});
}

static int build_implicit(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_implicit(made, &(keel_implicit_spec){
        .size = p->dim[D_1], .residual = GIVEN(I_RESIDUAL, i_residual),
        .jacobian = GIVEN(I_JACOBIAN, i_jacobian), .variable_index = p->variable_index,
        .pattern = main_pattern(r), COMMON});
}

static int build_proper(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_proper(made, &(keel_proper_spec){
        .size = p->dim[D_1], .leading = p->dim[D_2],
        .leading_matrix = GIVEN(P_LEADING_MATRIX, p_leading_matrix),
        .leading_term = GIVEN(P_LEADING_TERM, p_leading_term), .rest = GIVEN(P_REST, p_rest),
        .leading_term_jacobian = GIVEN(P_LEADING_TERM_JACOBIAN, p_leading_term_jacobian),
        .jacobian = GIVEN(P_JACOBIAN, p_jacobian), .variable_index = p->variable_index, COMMON});
}

static int build_levelled(run *r, keel_problem **made, const texts *x)
{
    const problem_object *p = r->problem;
    return keel_levelled(made, &(keel_levelled_spec){
        .differential = p->dim[D_1], .algebraic = p->dim[D_2], .next = p->next, .chain = p->chain,
        .rate = GIVEN(L_RATE, l_rate), .level = GIVEN(L_LEVEL, l_level),
        .jacobian = GIVEN(L_JACOBIAN, l_jacobian),
        .level_jacobian = GIVEN(L_LEVEL_JACOBIAN, l_level_jacobian),
        .pattern = main_pattern(r), .constraint_names = x->constraints, COMMON});
}

int py_run_build(run *r, keel_problem **made)
{
    static int (*const build[])(run *, keel_problem **, const texts *) = {
        [KEEL_FORM_ODE] = build_ode, [KEEL_FORM_SEMI_EXPLICIT] = build_semi_explicit,
        [KEEL_FORM_HESSENBERG2] = build_hessenberg2, [KEEL_FORM_HESSENBERG3] = build_hessenberg3,
        [KEEL_FORM_MECHANICAL] = build_mechanical, [KEEL_FORM_QUASILINEAR] = build_quasilinear,
        [KEEL_FORM_IMPLICIT] = build_implicit, [KEEL_FORM_PROPER] = build_proper,
        [KEEL_FORM_LEVELLED] = build_levelled};
    const problem_object *p = r->problem;
    texts x = {py_text_list(p->names), py_text_list(p->constraint_names),
               py_text_list(p->attached_names), py_text_list(p->parameter_names),
               py_text_list(p->mode_names), py_text_list(p->value_names)};
    const int rc = PyErr_Occurred() ? KEEL_NO_MEMORY : build[p->form](r, made, &x);
    PyMem_Free(x.names);
    PyMem_Free(x.constraints);
    PyMem_Free(x.attached);
    PyMem_Free(x.parameters);
    PyMem_Free(x.modes);
    PyMem_Free(x.values);
    return rc;
}

int py_run_engine(run *r, keel_engine **engine, const keel_problem *problem, int restart, int limit)
{
    return keel_krylov_engine(engine, &(keel_krylov_spec){
        .problem = problem, .times = GIVEN(TIMES, times),
        .precondition_setup = GIVEN(PRECONDITION_SETUP, precondition_setup),
        .precondition = GIVEN(PRECONDITION, precondition), .context = r, .restart = restart,
        .limit = limit});
}

/* ---- runs ---------------------------------------------------------------------------------- */

run *py_run_bare(problem_object *p, session *s)
{
    run *r = PyMem_Calloc(1, sizeof *r);
    if (!r) return (run *)PyErr_NoMemory();
    r->self.context = r;
    r->frame = &r->self;
    Py_INCREF(p);
    r->problem = p;
    memcpy(r->dim, p->dim, sizeof r->dim);
    r->session = s;
    return r;
}

run *py_run_new(problem_object *p, session *s)
{
    run *r = py_run_bare(p, s);
    if (!r) return NULL;
    for (int id = 0; id < SLOTS; id++) {
        const slot_info *info = &py_slot_table[id];
        if (!p->callback[id].object && !p->callback[id].code) continue;
        r->slot[id] = py_slot_new(r, info, &p->callback[id], info->name);
        if (!r->slot[id]) return py_run_free(r), NULL;
    }
    return r;
}

void py_run_free(run *r)
{
    if (!r) return;
    for (int id = 0; id < SLOTS; id++) py_slot_free(r->slot[id]);
    Py_XDECREF(r->problem);
    PyMem_Free(r);
}

int py_run_traverse(const run *r, visitproc visit, void *arg)
{
    Py_VISIT(r->problem);
    for (int id = 0; id < SLOTS; id++) {
        const int rc = r->slot[id] ? py_slot_traverse(r->slot[id], visit, arg) : 0;
        if (rc) return rc;
    }
    return 0;
}

/* repeat(problem, count): calls `force` of a mechanical problem that often, as a solver does, and
 * nothing else.  For bench/python_overhead.py. */
PyObject *py_repeat(PyObject *module, PyObject *args)
{
    PyObject *object;
    long count;
    session s = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!l", &py_problem_type, &object, &count)) return NULL;
    run *r = py_run_new((problem_object *)object, &s);
    if (!r) return NULL;
    const size_t n = (size_t)r->problem->dim[D_1];
    double *x = PyMem_Calloc(3 * n + 1, sizeof *x);
    int rc = x && r->slot[M_FORCE] ? 0 : -1;
    for (long i = 0; i < count && !rc; i++) rc = m_force((double)i, x, x + n, x + 2 * n, r);
    PyMem_Free(x);
    py_run_free(r);
    if (s.failed) return py_session_raise(&s, 0);
    return PyLong_FromLong(rc);
}
