/* test_start_check.c -- wrong derivatives are named when a run starts.
 *
 * Each derivative of four problems is made wrong in every way that people do: sign, transpose, 0,
 * factors 2 and 1.01, each entry in turn wrong or missing.  (That the right ones pass:
 * test_check_bundled.c.)
 */
#include "problem/problem.h"

#undef fail
#include "test/support/run.h"

#include <math.h>
#include <stdlib.h>

#include "problems/problems.h"

typedef enum mistake { NONE, SIGN, TRANSPOSE, ZERO, TWICE, PERCENT, WRONG, MISSING } mistake;

static const char *const mistake_names[] = {"none", "sign", "transpose", "zero", "twice", "percent",
                                            "wrong", "missing"};

/* What a problem's callbacks become: those of `spec`, with one mistake in one array. */
typedef struct flawed {
    form_spec spec;
    void *context;
    unsigned part;               /* mechanical; 0: force_jacobian, or the jacobian         */
    mistake mistake;
    int entry;                   /* of WRONG and MISSING                                   */
    int changed;                 /* did the mistake ever change a value?                   */
} flawed;

static void set(flawed *x, double *a, double value)
{
    x->changed |= *a != value;
    *a = value;
}

/* Row-major, rows x columns. */
static void spoil(flawed *x, int rows, int columns, double *a)
{
    int count = rows * columns;
    double copy[4096], most = 0;
    assert_true(count <= 4096);
    memcpy(copy, a, (size_t)count * sizeof *a);
    for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k]));
    for (int k = 0; k < count; k++) {
        if (x->mistake == SIGN) set(x, a + k, -copy[k]);
        if (x->mistake == TRANSPOSE) set(x, a + k, copy[k % columns * rows + k / columns]);
        if (x->mistake == ZERO) set(x, a + k, 0);
        if (x->mistake == TWICE) set(x, a + k, 2 * copy[k]);
        if (x->mistake == PERCENT) set(x, a + k, 1.01 * copy[k]);
        if (x->mistake == WRONG && k == x->entry) set(x, a + k, copy[k] + 0.1 * (most + 1e-3));
        if (x->mistake == MISSING && k == x->entry) set(x, a + k, 0);
    }
}

/* ---- mechanical ---------------------------------------------------------------------------- */

static int flawed_evaluate(double t, const double *q, const double *v, unsigned wanted,
                           const keel_mechanical_parts *parts, void *context)
{
    flawed *x = context;
    const keel_mechanical_spec *s = &x->spec.mechanical;
    int n = s->positions, m = s->constraints;
    int rc = s->evaluate(t, q, v, wanted, parts, x->context);
    if (!(wanted & x->part)) return rc;
    if (x->part == KEEL_CONSTRAINT_JACOBIAN) spoil(x, m, n, parts->constraint_jacobian);
    if (x->part == KEEL_CONSTRAINT_TIME) spoil(x, m, 1, parts->constraint_time);
    if (x->part == KEEL_CURVATURE) spoil(x, m, 1, parts->curvature);
    return rc;
}

static int flawed_gradient(double t, const double *q, double *G, void *context)
{
    flawed *x = context;
    const keel_mechanical_spec *s = &x->spec.mechanical;
    int rc = s->constraint_jacobian(t, q, G, x->context);
    if (x->part == KEEL_CONSTRAINT_JACOBIAN) spoil(x, s->constraints, s->positions, G);
    return rc;
}

static int flawed_time(double t, const double *q, double *g_t, void *context)
{
    flawed *x = context;
    const keel_mechanical_spec *s = &x->spec.mechanical;
    int rc = s->constraint_time(t, q, g_t, x->context);
    if (x->part == KEEL_CONSTRAINT_TIME) spoil(x, s->constraints, 1, g_t);
    return rc;
}

static int flawed_curvature(double t, const double *q, const double *v, double *gamma,
                            void *context)
{
    flawed *x = context;
    const keel_mechanical_spec *s = &x->spec.mechanical;
    int rc = s->curvature(t, q, v, gamma, x->context);
    if (x->part == KEEL_CURVATURE) spoil(x, s->constraints, 1, gamma);
    return rc;
}

static int same_force(double t, const double *q, const double *v, double *f, void *context)
{
    flawed *x = context;
    return x->spec.mechanical.force(t, q, v, f, x->context);
}

static int same_constraint(double t, const double *q, double *g, void *context)
{
    flawed *x = context;
    return x->spec.mechanical.constraint(t, q, g, x->context);
}

/* Both halves, one below the other. */
static int flawed_force_jacobian(double t, const double *q, const double *v, double *f_q,
                                 double *f_v, void *context)
{
    flawed *x = context;
    const keel_mechanical_spec *s = &x->spec.mechanical;
    int n = s->positions, half = n * n, entry = x->entry;
    int rc = s->force_jacobian(t, q, v, f_q, f_v, x->context);
    if (x->part != 0) return rc;
    spoil(x, n, n, f_q);
    x->entry -= half;
    spoil(x, n, n, f_v);
    x->entry = entry;
    return rc;
}

static void spoil_mechanical(keel_problem *p, flawed *x)
{
    keel_mechanical_spec *s = &p->spec.mechanical;
    if (s->evaluate) s->evaluate = flawed_evaluate;
    if (s->force) s->force = same_force;
    if (s->constraint) s->constraint = same_constraint;
    if (s->constraint_jacobian) s->constraint_jacobian = flawed_gradient;
    if (s->constraint_time) s->constraint_time = flawed_time;
    if (s->curvature) s->curvature = flawed_curvature;
    if (s->force_jacobian) s->force_jacobian = flawed_force_jacobian;
    assert_null(s->mass);
    p->context = x;
}

/* ---- quasilinear --------------------------------------------------------------------------- */

static int same_mass(double t, const double *y, keel_matrix *M, void *context)
{
    flawed *x = context;
    return x->spec.quasilinear.mass(t, y, M, x->context);
}

static int same_rhs(double t, const double *y, double *f, void *context)
{
    flawed *x = context;
    return x->spec.quasilinear.rhs(t, y, f, x->context);
}

static int in_band(const keel_matrix *J, int i)
{
    int below = i / J->columns - i % J->columns;
    return below <= J->pattern.lower && -below <= J->pattern.upper;
}

static int flawed_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    flawed *x = context;
    int n = J->rows, rc = x->spec.quasilinear.jacobian(t, y, J, x->context);
    double a[64];
    assert_int_equal(n, 8);
    assert_int_equal(J->pattern.storage, KEEL_BAND);
    for (int i = 0; i < n * n; i++) a[i] = matrix_get(J, i / n, i % n);
    if (in_band(J, x->entry)) spoil(x, n, n, a);
    for (int i = 0; i < n * n; i++)
        if (in_band(J, i)) keel_put(J, i / n, i % n, a[i]);
    return rc;
}

static void spoil_quasilinear(keel_problem *p, flawed *x)
{
    p->spec.quasilinear.mass = same_mass;
    p->spec.quasilinear.rhs = same_rhs;
    p->spec.quasilinear.jacobian = flawed_jacobian;
    p->context = x;
}

/* ---- the four problems --------------------------------------------------------------------- */

static int start_of(const keel_problem *p, const bundled_problem *b, const double *parameters,
                    const keel_options *options, char *said, size_t size)
{
    keel_solver *s;
    double y[128];
    b->start(parameters, y);
    expect_ok(keel_solver_create(&s, p, options), s, b->name);
    int rc = keel_start(s, b->t_start, y);
    snprintf(said, size, "%s", keel_message(s));
    keel_solver_free(s);
    return rc;
}

/* Returns the status; x->changed says whether anything was wrong. */
static int start_flawed(const char *name, unsigned part, mistake m, int entry,
                        const keel_options *options, flawed *x, char *said, size_t size)
{
    const bundled_problem *b = bundled_problem_find(name);
    double parameters[16];
    keel_problem *p;
    for (int i = 0; i < b->parameter_count; i++) parameters[i] = b->parameters[i].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    *x = (flawed){.spec = p->spec, .context = p->context, .part = part, .mistake = m,
                  .entry = entry};
    if (p->form == KEEL_FORM_MECHANICAL) spoil_mechanical(p, x);
    else spoil_quasilinear(p, x);
    int rc = start_of(p, b, parameters, options, said, size);
    keel_problem_free(p);
    return rc;
}

typedef struct target {
    const char *problem;
    unsigned part;
    const char *callback;
    int rows, columns;           /* force_jacobian: of f_q, then those of f_v              */
} target;

static const target targets[] = {
    {"pendulum", KEEL_CONSTRAINT_JACOBIAN, "constraint_jacobian", 1, 2},
    {"pendulum", KEEL_CONSTRAINT_TIME, "constraint_time", 1, 1},
    {"pendulum", KEEL_CURVATURE, "curvature", 1, 1},
    {"pendulum", 0, "force_jacobian", 4, 2},
    {"andrews", KEEL_CONSTRAINT_JACOBIAN, "evaluate: constraint_jacobian", 6, 7},
    {"andrews", KEEL_CONSTRAINT_TIME, "evaluate: constraint_time", 6, 1},
    {"andrews", KEEL_CURVATURE, "evaluate: curvature", 6, 1},
    {"andrews", 0, "force_jacobian", 14, 7},
    {"car-axis", KEEL_CONSTRAINT_JACOBIAN, "evaluate: constraint_jacobian", 2, 4},
    {"car-axis", KEEL_CONSTRAINT_TIME, "evaluate: constraint_time", 2, 1},
    {"car-axis", KEEL_CURVATURE, "evaluate: curvature", 2, 1},
    {"car-axis", 0, "force_jacobian", 8, 4},
    {"transistor-amplifier", 0, "jacobian", 8, 8},
};

enum { TARGETS = sizeof targets / sizeof *targets };

static void expect_named(const target *x, mistake m, int entry, int rc, const char *said)
{
    char part[80];
    if (rc != KEEL_WRONG_DERIVATIVE)
        fail_msg("%s, %s, %s %d: %s %s", x->problem, x->callback, mistake_names[m], entry,
                 keel_status_name(rc), said);
    snprintf(part, sizeof part, " %s: row ", x->callback);
    expect_text(said, part);
    expect_text(said, "check = none");
    if (m != WRONG && m != MISSING) return;
    int row = entry / x->columns, column = entry % x->columns, n = x->columns;
    int halves = strcmp(x->callback, "force_jacobian") == 0;     /* f_v below f_q */
    if (halves && row >= n) row -= n, column += n;
    snprintf(part, sizeof part, ": row %d", row);
    expect_text(said, part);
    if (x->columns == 1) return;
    snprintf(part, sizeof part, ", column %d (", column);
    expect_text(said, part);
}

/* A mistake that changes no value, as 0 twice, is none. */
static void every_mistake_is_named(void **state)
{
    char said[700];
    flawed x;
    int named = 0;
    (void)state;
    for (int k = 0; k < TARGETS; k++) {
        const target *g = &targets[k];
        for (mistake m = NONE; m <= MISSING; m++) {
            int entries = m == WRONG || m == MISSING ? g->rows * g->columns : 1;
            for (int e = 0; e < entries; e++) {
                int rc = start_flawed(g->problem, g->part, m, e, NULL, &x, said, sizeof said);
                if (x.changed) expect_named(g, m, e, rc, said);
                else expect_ok(rc, NULL, said);
                named += x.changed;
            }
        }
    }
    assert_true(named > 300);
}

/* The message ends "... give VALUE.  ..." */
static void expect_difference(const keel_solver *s, double value)
{
    const char *number = strstr(keel_message(s), " give ");
    assert_non_null(number);
    assert_true(fabs(strtod(number + 6, NULL) - value) < 1e-6);
}

/* ---- turned off, not used, in the middle of a run -------------------------------------------- */

static void what_is_turned_off_or_not_used_is_not_checked(void **state)
{
    char said[700];
    flawed x;
    keel_options off = {.check = KEEL_CHECK_NONE}, differences = {.jacobian_differences = 1};
    (void)state;
    expect_ok(start_flawed("pendulum", 0, SIGN, 0, &off, &x, said, sizeof said), NULL, said);
    expect_ok(start_flawed("transistor-amplifier", 0, TWICE, 0, &off, &x, said, sizeof said), NULL,
              said);
    expect_ok(start_flawed("pendulum", 0, SIGN, 0, &differences, &x, said, sizeof said), NULL,
              said);
    expect_ok(start_flawed("transistor-amplifier", 0, TWICE, 0, &differences, &x, said,
                           sizeof said), NULL, said);
    /* Used all the same: */
    assert_int_equal(start_flawed("pendulum", KEEL_CURVATURE, SIGN, 0, &differences, &x, said,
                                  sizeof said), KEEL_WRONG_DERIVATIVE);
}

typedef struct switched { int wrong, calls, jacobians; } switched;

static int decay(double t, const double *y, double *f, void *context)
{
    switched *x = context;
    (void)t;
    x->calls++;
    f[0] = -y[0] * y[0];
    f[1] = y[0] - y[1];
    return 0;
}

static int decay_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    switched *x = context;
    (void)t;
    x->jacobians++;
    keel_put(J, 0, 0, x->wrong ? 2 * y[0] : -2 * y[0]);
    keel_put(J, 1, 0, 1);
    keel_put(J, 1, 1, -1);
    return 0;
}

/* A start that fails leaves the run as it was: it ends as one that was not asked. */
static void a_run_under_way_goes_on(void **state)
{
    switched x = {0};
    const double y0[2] = {1, 2};
    keel_problem *p;
    keel_solver *s[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = decay,
        .jacobian = decay_jacobian, .context = &x}), KEEL_OK);
    for (int k = 0; k < 2; k++) {
        expect_ok(keel_solver_create(&s[k], p, &(keel_options){.method = "radau-iia"}), s[k],
                  "ODE");
        expect_ok(keel_start(s[k], 0, y0), s[k], "start");
        for (int i = 0; i < 3; i++) expect_ok(keel_step(s[k]), s[k], "step");
    }
    x.wrong = 1;
    assert_int_equal(keel_start(s[1], 0, y0), KEEL_WRONG_DERIVATIVE);
    expect_text(keel_message(s[1]), "jacobian: row 0");
    expect_text(keel_message(s[1]), "is 2, but differences of rhs give ");
    expect_difference(s[1], -2);
    x.wrong = 0;
    for (int k = 0; k < 2; k++) expect_ok(keel_advance_to(s[k], 5), s[k], "rest");
    assert_memory_equal(keel_state(s[0]), keel_state(s[1]), sizeof y0);
    assert_memory_equal(keel_solver_stats(s[0]), keel_solver_stats(s[1]), sizeof(keel_stats));
    for (int k = 0; k < 2; k++) keel_solver_free(s[k]);
    keel_problem_free(p);
}

/* The statistics of a run do not show the check: they are those of a run without it. */
static void statistics_do_not_count_it(void **state)
{
    switched x = {0};
    const double y0[2] = {1, 2};
    keel_problem *p;
    keel_stats stats[2];
    int calls[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = decay,
        .jacobian = decay_jacobian, .context = &x}), KEEL_OK);
    for (int k = 0; k < 2; k++) {
        keel_solver *s;
        expect_ok(keel_solver_create(&s, p, &(keel_options){
            .method = "radau-iia", .check = k ? KEEL_CHECK_NONE : KEEL_CHECK_AUTO}), s, "ODE");
        x.calls = 0;
        expect_ok(keel_start(s, 0, y0), s, "start");
        expect_ok(keel_advance_to(s, 1), s, "run");
        stats[k] = *keel_solver_stats(s);
        calls[k] = x.calls;
        keel_solver_free(s);
    }
    assert_memory_equal(&stats[0], &stats[1], sizeof *stats);
    assert_int_equal(calls[0] - calls[1], 2);            /* one line, two points */
    keel_problem_free(p);
}

/* ---- many unknowns: as many evaluations as of few -------------------------------------------- */

typedef struct diffusion { int size, calls, wrong_row; } diffusion;

static int diffuse(double t, const double *y, double *f, void *context)
{
    diffusion *x = context;
    (void)t;
    x->calls++;
    for (int i = 0; i < x->size; i++)
        f[i] = -y[i] * y[i] + (i ? y[i - 1] : 0) + (i + 1 < x->size ? sin(y[i + 1]) : 0);
    return 0;
}

static int diffuse_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    diffusion *x = context;
    (void)t;
    for (int i = 0; i < x->size; i++) {
        keel_put(J, i, i, -2 * y[i]);
        if (i) keel_put(J, i, i - 1, i == x->wrong_row ? 1.5 : 1);
        if (i + 1 < x->size) keel_put(J, i, i + 1, cos(y[i + 1]));
    }
    return 0;
}

/* A row of the tridiagonal matrix is wrong, or none (-1). */
static int diffusion_calls(int size, int wrong_row, keel_storage storage)
{
    diffusion x = {.size = size, .wrong_row = wrong_row};
    int *start = malloc(((size_t)size + 1) * sizeof *start);
    int *rows = malloc(3 * (size_t)size * sizeof *rows);
    double *y = calloc((size_t)size, sizeof *y);
    int count = 0;
    keel_problem *p;
    keel_solver *s;
    for (int j = 0; j < size; j++) {
        start[j] = count;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < size) rows[count++] = i;
        y[j] = 0.5;
    }
    start[size] = count;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = size, .rhs = diffuse, .jacobian = diffuse_jacobian, .context = &x,
        .pattern = {.storage = storage, .lower = 1, .upper = 1, .column_start = start,
                    .row_index = rows}}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "dopri5"}), s, "diffusion");
    int rc = keel_start(s, 0, y);
    if (wrong_row < 0) expect_ok(rc, s, "diffusion");
    else {
        char part[80];
        expect_status(rc, KEEL_WRONG_DERIVATIVE, s, "diffusion");
        snprintf(part, sizeof part, "jacobian: row %d (", wrong_row);
        expect_text(keel_message(s), part);
        snprintf(part, sizeof part, ", column %d (", wrong_row - 1);
        expect_text(keel_message(s), part);
        expect_text(keel_message(s), "is 1.5, but differences of rhs give ");
        expect_difference(s, 1);
    }
    keel_solver_free(s);
    keel_problem_free(p);
    free(start);
    free(rows);
    free(y);
    return x.calls;
}

static void effort_does_not_grow(void **state)
{
    static const keel_storage storage[] = {KEEL_BAND, KEEL_SPARSE};
    (void)state;
    for (int k = 0; k < 1 + has_sparse(); k++) {
        int few = diffusion_calls(100, -1, storage[k]);
        int many = diffusion_calls(100000, -1, storage[k]);
        assert_int_equal(few, many);
        assert_true(many < 12);
        few = diffusion_calls(100, 61, storage[k]);
        many = diffusion_calls(100000, 61234, storage[k]);
        assert_true(many <= few + 100);                  /* a logarithm more */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(what_is_turned_off_or_not_used_is_not_checked),
        cmocka_unit_test(a_run_under_way_goes_on), cmocka_unit_test(statistics_do_not_count_it),
        cmocka_unit_test(effort_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
