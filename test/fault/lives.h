/* lives.h -- whole lives of problems, solvers and recordings in which memory runs out: whatever
 * call fails, the result is KEEL_NO_MEMORY or, bit for bit, that of a life with enough memory. */
#ifndef KEEL_TEST_FAULT_LIVES_H
#define KEEL_TEST_FAULT_LIVES_H

#include "test/support/run.h"

#include <unistd.h>

#include "problems/chain.h"
#include "problems/channel.h"
#include "problems/list.h"
#include "test/fault/memory.h"

typedef struct subject {
    const char *name;
    int (*make)(keel_problem **problem);
    void (*start)(double *y);
} subject;

/* ---- subjects: every form, every storage ----------------------------------------------------- */

#define OF_FORM(name, which) \
    static int create_##name(keel_problem **p) \
    { \
        static probe context; \
        return forms[which].make(p, BY_DIFFERENCES, &context); \
    } \
    static void start_##name(double *y) { forms[which].exact(0, y); }
OF_FORM(ode, FORM_ODE)
OF_FORM(semi_explicit, FORM_SEMI)
OF_FORM(hessenberg2, FORM_HESS2)
OF_FORM(hessenberg3, FORM_HESS3)
OF_FORM(mechanical, FORM_SEPARATE)
OF_FORM(quasilinear, FORM_STATE_MASS)
OF_FORM(implicit, FORM_IMPLICIT)
OF_FORM(proper, FORM_PROPER)

enum { PARAMETERS = 16 };

#define BUNDLED(name, problem) \
    static double parameters_##name[PARAMETERS]; \
    static int create_##name(keel_problem **p) \
    { \
        for (int i = 0; i < problem.parameter_count; i++) \
            parameters_##name[i] = problem.parameters[i].value; \
        return problem.create(p, parameters_##name); \
    } \
    static void start_##name(double *y) { problem.start(parameters_##name, y); }
BUNDLED(levelled, problem_pendulum_levelled)
BUNDLED(attached, problem_pendulum_energy)
BUNDLED(dependent, problem_bricard)
BUNDLED(circuit, problem_two_bit_adder)
BUNDLED(tubes, problem_water_tube)

enum { CELLS = 40, LINKS = 6, LARGEST_SUBJECT = 400 };

static int cells_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    for (int i = 0; i < CELLS; i++) {
        double left = i > 0 ? y[i - 1] : 1, right = i < CELLS - 1 ? y[i + 1] : 0;
        f[i] = 50 * (left - 2 * y[i] + right) - y[i] * y[i];
    }
    return 0;
}

static int create_cells(keel_problem **problem, keel_storage storage)
{
    int start[CELLS + 1], row[3 * CELLS], count = 0;
    for (int j = 0; j < CELLS; j++) {
        start[j] = count;
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CELLS; i++) row[count++] = i;
    }
    start[CELLS] = count;
    return keel_ode(problem, &(keel_ode_spec){.size = CELLS, .rhs = cells_rhs,
        .pattern = {.storage = storage, .lower = 1, .upper = 1, .column_start = start,
                    .row_index = row}});
}

static int create_dense(keel_problem **p) { return create_cells(p, KEEL_DENSE); }
static int create_band(keel_problem **p) { return create_cells(p, KEEL_BAND); }
static int create_sparse(keel_problem **p) { return create_cells(p, KEEL_SPARSE); }

static void start_cells(double *y)
{
    for (int i = 0; i < CELLS; i++) y[i] = exp(-i);
}

static const double hanging_parameters[] = {LINKS, 0.5};

static int create_hanging(keel_problem **p) { return chain_create_sparse(p, hanging_parameters); }
static void start_hanging(double *y) { problem_chain.start(hanging_parameters, y); }

static const double flow_parameters[] = {4, 0.01};

static int create_flow(keel_problem **p) { return problem_channel.create(p, flow_parameters); }
static void start_flow(double *y) { channel_start(flow_parameters, 1, y); }

#define ROW(name) {#name, create_##name, start_##name}
static const subject subjects[] = {
    ROW(ode), ROW(semi_explicit), ROW(hessenberg2), ROW(hessenberg3), ROW(mechanical),
    ROW(quasilinear), ROW(implicit), ROW(proper), ROW(levelled), ROW(attached), ROW(dependent),
    {"dense", create_dense, start_cells}, {"band", create_band, start_cells},
    {"sparse", create_sparse, start_cells}, ROW(hanging), ROW(circuit), ROW(tubes), ROW(flow)};
enum { ODE, SEMI, HESS2, HESS3, MECHANICAL, QUASILINEAR, IMPLICIT, PROPER, LEVELLED, ATTACHED,
       DEPENDENT, DENSE, BAND, SPARSE, HANGING, CIRCUIT, TUBES, FLOW, SUBJECTS };

static inline int is_sparse(int k) { return k >= SPARSE; }

/* ---- lives ---------------------------------------------------------------------------------- */

/* What a life leaves behind. */
typedef struct legacy {
    double t, y[LARGEST_SUBJECT], between[LARGEST_SUBJECT], recorded[LARGEST_SUBJECT];
    double projected[LARGEST_SUBJECT];
    keel_stats stats;
} legacy;

static int steps_of(keel_solver *s, keel_solution *r, int steps)
{
    int rc = KEEL_OK;
    for (int k = 0; k < steps && !rc; k++) {
        rc = keel_step(s);
        if (rc) assert_true(keel_message(s)[0] != 0);
        if (!rc) rc = keel_solution_append(r, s);
        if (rc == KEEL_NO_MEMORY) assert_true(keel_solution_message(r)[0] || keel_message(s)[0]);
    }
    return rc;
}

static int run_of(keel_solver *s, keel_solution *r, int steps, legacy *l)
{
    int rc = steps_of(s, r, steps);
    if (rc) return rc;
    size_t bytes = (size_t)keel_problem_size(keel_solver_problem(s)) * sizeof(double);
    double middle = 0.5 * (keel_previous_time(s) + keel_time(s));
    rc = keel_interpolate(s, middle, l->between);
    memcpy(l->projected, l->between, bytes);
    if (!rc) rc = keel_project(s, middle, l->projected);
    if (!rc) rc = keel_restart(s);
    if (!rc) rc = keel_step(s);
    if (!rc) rc = keel_solution_at(r, 0.5 * keel_solution_time(r, 1), l->recorded);
    if (rc) return rc;
    l->t = keel_time(s);
    memcpy(l->y, keel_state(s), bytes);
    l->stats = *keel_solver_stats(s);
    return KEEL_OK;
}

/* The first status that is not KEEL_OK. */
static int life(const subject *who, const keel_options *o, int steps, legacy *l)
{
    double y[LARGEST_SUBJECT];
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    keel_solution *r = NULL;
    memset(l, 0, sizeof *l);
    int rc = who->make(&p);
    if (rc && p) assert_true(keel_problem_message(p)[0] != 0);
    who->start(y);
    if (!rc) rc = keel_solver_create(&s, p, o);
    if (!rc) rc = keel_start(s, 0, y);
    if (rc && s) assert_true(keel_message(s)[0] != 0);
    if (!rc) rc = keel_solution_create(&r, s);
    if (!rc) rc = run_of(s, r, steps, l);
    keel_solution_free(r);
    keel_solver_free(s);
    keel_problem_free(p);
    return rc;
}

/* Every call fails once, and every call is the first of all that fail; of very many calls some. */
enum { CALLS_MOST = 300 };

static void every_life(const subject *who, const keel_options *o, int steps)
{
    legacy whole, l;
    int expected = life(who, o, steps, &whole);
    if (expected == KEEL_UNSUPPORTED) return;    /* not this method for this form */
    if (expected) fail_msg("%s %s: %s", who->name, o->method, keel_status_name(expected));
    memory_watch(0, 0);
    life(who, o, steps, &l);
    long calls = memory_leave();
    assert_true(calls > 5);
    for (long k = 1; k <= calls; k += 1 + calls / CALLS_MOST)
        for (int on = 0; on < 2; on++) {
            memory_watch(k, on);
            int rc = life(who, o, steps, &l);
            memory_leave();
            if (rc == KEEL_NO_MEMORY || (rc == KEEL_OK && !memcmp(&l, &whole, sizeof l))) continue;
            fail_msg("%s with %s: %s when call %ld of %ld fails%s", who->name, o->method,
                     rc ? keel_status_name(rc) : "another result", k, calls,
                     on ? " and all after it" : "");
        }
}

/* OpenBLAS ends the process when it has no memory for the work of its threads; with one thread it
 * asks for none.  It reads the environment before main. */
static inline void with_one_thread(char **arguments)
{
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    if (threads && strcmp(threads, "1") == 0) return;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv(arguments[0], arguments);
}

/* What the libraries allocate once and for all they have got before memory runs out. */
static inline int enough_at_first(void **state)
{
    legacy l;
    (void)state;
    for (int k = 0; k < SUBJECTS; k++)
        if (!is_sparse(k) || has_sparse()) life(&subjects[k], &(keel_options){0}, 2, &l);
    return 0;
}

static const struct { const char *name; double step; } kinds[] = {
    {"auto", 0}, {"radau-iia", 0}, {"gauss-3", 0}, {"esdirk-4", 0}, {"rodas-5p", 0}, {"dopri5", 0}, {"hem-4", 0},
    {"bdf", 0}, {"dimsim", 0}, {"dcbdf-3", 0.001}};
enum { KINDS = sizeof kinds / sizeof *kinds };

#endif
