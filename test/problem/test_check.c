/* test_check.c -- keel_check names what is wrong: callback, row, column and both values, for every
 * form; and says nothing where it cannot know. */
#include "test/support/forms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- what is expected ------------------------------------------------------------------------ */

typedef struct expectation {
    keel_finding_kind kind;
    const char *callback;
    int row, column;
    double given, expected;      /* NAN: any                                               */
} expectation;

static int agrees(double x, double y)
{
    return isnan(y) || x == y || fabs(x - y) <= 1e-5 * (1 + fabs(y));
}

/* The only finding, or the first of several. */
static void expect_finding(keel_problem *p, double t, const double *y, const double *yp, int alone,
                           expectation e)
{
    keel_check_report *r;
    int rc = keel_check(p, t, y, yp, &r);
    if (rc != KEEL_WRONG_DERIVATIVE) fail_msg("%s: %s", e.callback, keel_status_name(rc));
    const keel_finding *f = keel_check_finding(r, 0);
    if (f->kind != e.kind || strcmp(f->callback, e.callback) != 0 || f->row != e.row
        || f->column != e.column || !agrees(f->given, e.given) || !agrees(f->expected, e.expected))
        fail_msg("%s (%d, %d) %g %g: %d %s", e.callback, e.row, e.column, e.given, e.expected,
                 f->kind, f->text);
    if (alone && keel_check_finding_count(r) != 1)
        fail_msg("also: %s", keel_check_finding(r, 1)->text);
    assert_non_null(strstr(f->text, e.callback));
    int wrong = 0;
    for (int i = 0; i < keel_check_item_count(r); i++)
        wrong += keel_check_item_at(r, i)->outcome == KEEL_CHECK_WRONG;
    assert_true(wrong >= 1);
    keel_check_free(r);
    keel_problem_free(p);
}

static void expect_nothing(keel_problem *p, double t, const double *y, const double *yp)
{
    keel_check_report *r;
    int rc = keel_check(p, t, y, yp, &r);
    if (rc != KEEL_OK)
        fail_msg("%s: %s", keel_status_name(rc),
                 keel_check_finding_count(r) ? keel_check_finding(r, 0)->text : "");
    keel_check_free(r);
    keel_problem_free(p);
}

/* ---- the forms as they are ------------------------------------------------------------------- */

static void right_forms_fit(void **state)
{
    (void)state;
    for (int k = 0; k < FORMS; k++)
        for (int d = 0; d < 2; d++) {
            probe quiet = {0};
            keel_problem *p;
            double y[LARGEST_FORM];
            forms[k].exact(0.1, y);
            assert_int_equal(forms[k].make(&p, d ? GIVEN : BY_DIFFERENCES, &quiet), KEEL_OK);
            expect_nothing(p, 0.1, y, NULL);
        }
}

/* ---- ODE, patterns, values that are not finite ----------------------------------------------- */

/* y' = (y1 y2, y3^2, sin y1 + y2) */
static int rhs3(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * y[1];
    f[1] = y[2] * y[2];
    f[2] = sin(y[0]) + y[1];
    return 0;
}

typedef struct flaw { int row, column; double add; } flaw;

static int jacobian3(double t, const double *y, keel_matrix *J, void *context)
{
    const flaw *x = context;
    (void)t;
    keel_put(J, 0, 0, y[1]);
    keel_put(J, 0, 1, y[0]);
    keel_put(J, 1, 2, 2 * y[2]);
    if (!(x && x->row == 2 && x->column == 0 && isnan(x->add))) keel_put(J, 2, 0, cos(y[0]));
    keel_put(J, 2, 1, 1);
    if (x && !isnan(x->add)) keel_add(J, x->row, x->column, x->add);
    return 0;
}

static keel_problem *ode3(flaw *x, keel_pattern pattern, int given)
{
    keel_problem *p;
    static const char *const names[] = {"a", "b", "c"};
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 3, .rhs = rhs3, .pattern = pattern,
        .jacobian = given ? jacobian3 : NULL, .names = names, .context = x}), KEEL_OK);
    return p;
}

static const double y3[3] = {0.5, -0.25, 2};

static void ode_entries(void **state)
{
    (void)state;
    expect_nothing(ode3(NULL, (keel_pattern){0}, 1), 0, y3, NULL);
    expect_finding(ode3(&(flaw){1, 2, 0.5}, (keel_pattern){0}, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 1, 2, 4.5, 4});
    expect_finding(ode3(&(flaw){0, 2, 1e-3}, (keel_pattern){0}, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 0, 2, 1e-3, 0});
    expect_finding(ode3(&(flaw){2, 0, NAN}, (keel_pattern){0}, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 2, 0, 0, cos(0.5)});
    expect_finding(ode3(&(flaw){1, 2, INFINITY}, (keel_pattern){0}, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_NOT_FINITE, "jacobian", 1, 2, INFINITY, 4});
}

/* The band leaves out (2,0); so does the list. */
static void patterns(void **state)
{
    static const int start[] = {0, 1, 3, 4}, whole_start[] = {0, 2, 4, 5};
    static const int rows[] = {0, 0, 2, 1}, whole_rows[] = {0, 2, 0, 2, 1};
    const keel_pattern band = {.storage = KEEL_BAND, .lower = 1, .upper = 1};
    const keel_pattern list = {.storage = KEEL_SPARSE, .column_start = start, .row_index = rows};
    const keel_pattern whole = {.storage = KEEL_SPARSE, .column_start = whole_start,
                                .row_index = whole_rows};
    const expectation missing = {KEEL_FINDING_PATTERN, "pattern", 2, 0, 0, cos(0.5)};
    (void)state;
    expect_finding(ode3(NULL, band, 0), 0, y3, NULL, 1, missing);
    expect_finding(ode3(NULL, list, 0), 0, y3, NULL, 1, missing);
    expect_nothing(ode3(NULL, whole, 0), 0, y3, NULL);
    expect_nothing(ode3(NULL, whole, 1), 0, y3, NULL);
    expect_finding(ode3(&(flaw){1, 2, 0.5}, whole, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 1, 2, 4.5, 4});
    /* Written outside: said so, and that it matters. */
    expect_finding(ode3(NULL, band, 1), 0, y3, NULL, 1,
                   (expectation){KEEL_FINDING_PATTERN, "jacobian", 2, 0, NAN, NAN});
}

/* ---- corners and edges: not accused ---------------------------------------------------------- */

/* (|y1| + max(y2, 0), sqrt(y2), y1 |y1|) with one-sided derivatives; sqrt refuses y2 < 0. */
static int edges(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = fabs(y[0]) + fmax(y[1], 0);
    f[1] = y[1] < 0 ? 0 : sqrt(1e-6 + y[1]);
    return y[1] < 0;
}

static int edges_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    const int *wrong = context;
    (void)t;
    keel_put(J, 0, 0, y[0] >= 0 ? 1 : -1);
    keel_put(J, 0, 1, y[1] > 0 ? 1 : *wrong ? 3 : 1);
    keel_put(J, 1, 1, 0.5 / sqrt(1e-6 + y[1]));
    return 0;
}

static void corners_are_not_accused(void **state)
{
    int right = 0, wrong = 1;
    const double corner[2] = {0, 0}, near[2] = {1e-7, 1e-9};
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_problem *p;
        assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = edges,
            .jacobian = edges_jacobian, .context = &right}), KEEL_OK);
        expect_nothing(p, 0, k ? near : corner, NULL);
    }
    keel_problem *p;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = edges,
        .jacobian = edges_jacobian, .context = &wrong}), KEEL_OK);
    /* One side cannot be evaluated; the other tells. */
    expect_finding(p, 0, corner, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 0, 1, 3, 1});
}

static int refuses(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = 0;
    return 1;
}

static int stops(double t, const double *y, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = 0;
    return -1;
}

static int some_jacobian(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(J, 0, 0, 1);
    return 0;
}

static void what_cannot_be_evaluated_is_undecided(void **state)
{
    const double y[1] = {1};
    keel_problem *p;
    keel_check_report *r;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = refuses,
                                                   .jacobian = some_jacobian}), KEEL_OK);
    assert_int_equal(keel_check(p, 0, y, NULL, &r), KEEL_OK);
    assert_int_equal(keel_check_item_count(r), 1);
    assert_int_equal(keel_check_item_at(r, 0)->outcome, KEEL_CHECK_UNDECIDED);
    keel_check_free(r);
    keel_problem_free(p);
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = stops,
                                                   .jacobian = some_jacobian}), KEEL_OK);
    assert_int_equal(keel_check(p, 0, y, NULL, NULL), KEEL_CALLBACK_FAILED);
    assert_int_equal(keel_check(p, NAN, y, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_check(p, 0, NULL, NULL, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_check(NULL, 0, y, NULL, NULL), KEEL_BAD_ARGUMENT);
    keel_problem_free(p);
    /* A problem that is none. */
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1}), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_check(p, 0, y, NULL, &r), KEEL_BAD_ARGUMENT);
    assert_null(r);
    assert_int_equal(keel_problem_freedom(p), -1);
    keel_problem_free(p);
}

/* ---- the derivatives of the other forms ------------------------------------------------------ */

/* One callback of a form is wrong: entry (row, column) of what it fills in is off by 0.25. */
typedef struct spoilt {
    const char *name;
    int row, column;
    double by;
} spoilt;

static const double by = 0.25;

static int off(const void *context, const char *name)
{
    const spoilt *x = context;
    return x && strcmp(x->name, name) == 0;
}

static void spoil_matrix(const void *context, const char *name, keel_matrix *J)
{
    const spoilt *x = context;
    if (off(context, name)) keel_add(J, x->row, x->column, x->by);
}

static void spoil_array(const void *context, const char *name, int columns, double *a)
{
    const spoilt *x = context;
    if (off(context, name)) a[x->row * columns + x->column] += x->by;
}

/* y' = z y, z^3 = y: index 1 */
static int semi_f(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * z[0];
    return 0;
}

static int semi_g(double t, const double *y, const double *z, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = z[0] * z[0] * z[0] - y[0];
    return 0;
}

static int semi_j(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    (void)t;
    keel_put(J, 0, 0, z[0]);
    keel_put(J, 0, 1, y[0]);
    keel_put(J, 1, 0, -1);
    keel_put(J, 1, 1, 3 * z[0] * z[0]);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static void semi_explicit(void **state)
{
    const double y[2] = {8, 2};
    keel_problem *p;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double right[4] = {2, 8, -1, 12};
        spoilt x = {"jacobian", i / 2, i % 2, by};
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
            .differential = 1, .algebraic = 1, .rhs = semi_f, .constraint = semi_g,
            .jacobian = semi_j, .context = &x}), KEEL_OK);
        expect_finding(p, 0, y, NULL, 1, (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", i / 2,
                                                       i % 2, right[i] + by, right[i]});
    }
}

/* y' = (z y2, z), 0 = y1 y2 - e^t: g_y = (y2, y1), g_t = -e^t */
static int hess2_f(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = z[0] * y[1];
    f[1] = z[0];
    return 0;
}

static int hess_g(double t, const double *y, double *g, void *context)
{
    (void)context;
    g[0] = y[0] * y[1] - exp(t);
    return 0;
}

static int hess_g_y(double t, const double *y, double *G, void *context)
{
    (void)t;
    G[0] = y[1];
    G[1] = y[0];
    spoil_array(context, "constraint_jacobian", 2, G);
    return 0;
}

static int hess_g_t(double t, const double *y, double *g_t, void *context)
{
    (void)y;
    g_t[0] = -exp(t);
    spoil_array(context, "constraint_time", 1, g_t);
    return 0;
}

static int hess2_j(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    (void)t;
    keel_put(J, 0, 1, z[0]);
    keel_put(J, 0, 2, y[1]);
    keel_put(J, 1, 2, 1);
    keel_put(J, 2, 0, y[1]);
    keel_put(J, 2, 1, y[0]);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static keel_problem *hess2(spoilt *x)
{
    keel_problem *p;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){
        .differential = 2, .multipliers = 1, .rhs = hess2_f, .constraint = hess_g,
        .constraint_jacobian = hess_g_y, .constraint_time = hess_g_t, .jacobian = hess2_j,
        .context = x}), KEEL_OK);
    return p;
}

static void hessenberg2(void **state)
{
    const double y[3] = {2, 0.5, 3};
    (void)state;
    expect_nothing(hess2(NULL), 0, y, NULL);
    expect_finding(hess2(&(spoilt){"constraint_jacobian", 0, 1, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "constraint_jacobian", 0, 1, 2.25, 2});
    expect_finding(hess2(&(spoilt){"constraint_time", 0, 0, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "constraint_time", 0, -1, -0.75, -1});
    expect_finding(hess2(&(spoilt){"jacobian", 2, 2, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 2, 2, by, 0});
}

/* u' = v, v' = (l u2, l u1), the same constraint */
static int hess3_f(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int hess3_k(double t, const double *u, const double *v, const double *l, double *k,
                   void *context)
{
    (void)t, (void)v, (void)context;
    k[0] = l[0] * u[1];
    k[1] = l[0] * u[0];
    return 0;
}

static int hess3_j(double t, const double *u, const double *v, const double *l, keel_matrix *J,
                   void *context)
{
    (void)t, (void)v;
    keel_put(J, 0, 2, 1);
    keel_put(J, 1, 3, 1);
    keel_put(J, 2, 1, l[0]);
    keel_put(J, 2, 4, u[1]);
    keel_put(J, 3, 0, l[0]);
    keel_put(J, 3, 4, u[0]);
    keel_put(J, 4, 0, u[1]);
    keel_put(J, 4, 1, u[0]);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static keel_problem *hess3(spoilt *x)
{
    keel_problem *p;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){
        .positions = 2, .velocities = 2, .multipliers = 1, .position_rate = hess3_f,
        .velocity_rate = hess3_k, .constraint = hess_g, .constraint_jacobian = hess_g_y,
        .constraint_time = hess_g_t, .jacobian = hess3_j, .context = x}), KEEL_OK);
    return p;
}

static void hessenberg3(void **state)
{
    const double y[5] = {2, 0.5, 1, 1, 3};
    (void)state;
    expect_nothing(hess3(NULL), 0, y, NULL);
    expect_finding(hess3(&(spoilt){"constraint_jacobian", 0, 0, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "constraint_jacobian", 0, 0, 0.75, 0.5});
    expect_finding(hess3(&(spoilt){"constraint_time", 0, 0, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "constraint_time", 0, -1, -0.75, -1});
    expect_finding(hess3(&(spoilt){"jacobian", 3, 4, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 3, 4, 2.25, 2});
}

/* ---- mechanical ------------------------------------------------------------------------------ */

/* M = (2 + q1^2 [constant: 2], q2; q2, 3), f = (q1 v2, -q2), g = q1^2 + q2 sin t - 1 */
typedef struct body { spoilt flaw; int constant; } body;

static int body_evaluate(double t, const double *q, const double *v, unsigned wanted,
                         const keel_mechanical_parts *x, void *context)
{
    const body *b = context;
    const void *wrong = &b->flaw;
    if (wanted & KEEL_MASS) {
        double depends = b->constant ? 0 : 1;
        x->mass[0] = 2 + depends * q[0] * q[0];
        x->mass[1] = x->mass[2] = depends * q[1];
        x->mass[3] = 3 + (off(wrong, "constant_mass") ? q[0] : 0);
        spoil_array(wrong, "mass", 2, x->mass);
    }
    if (wanted & KEEL_FORCE) x->force[0] = q[0] * v[1], x->force[1] = -q[1];
    if (wanted & KEEL_CONSTRAINT) x->constraint[0] = q[0] * q[0] + q[1] * sin(t) - 1;
    if (wanted & KEEL_CONSTRAINT_JACOBIAN) {
        x->constraint_jacobian[0] = 2 * q[0];
        x->constraint_jacobian[1] = sin(t);
        spoil_array(wrong, "constraint_jacobian", 2, x->constraint_jacobian);
    }
    if (wanted & KEEL_CONSTRAINT_TIME) {
        x->constraint_time[0] = q[1] * cos(t);
        spoil_array(wrong, "constraint_time", 1, x->constraint_time);
    }
    if (wanted & KEEL_CURVATURE) {
        x->curvature[0] = 2 * v[0] * v[0] + 2 * v[1] * cos(t) - q[1] * sin(t);
        if (off(wrong, "g_tt")) x->curvature[0] += q[1] * sin(t);
        if (off(wrong, "g_qt")) x->curvature[0] -= v[1] * cos(t);
        if (off(wrong, "g_qq")) x->curvature[0] -= v[0] * v[0];
    }
    return 0;
}

static int body_force_jacobian(double t, const double *q, const double *v, double *f_q, double *f_v,
                               void *context)
{
    const body *b = context;
    (void)t;
    memcpy(f_q, (double[4]){v[1], 0, 0, -1}, 4 * sizeof *f_q);
    memcpy(f_v, (double[4]){0, q[0], 0, 0}, 4 * sizeof *f_v);
    spoil_array(&b->flaw, "f_q", 2, f_q);
    spoil_array(&b->flaw, "f_v", 2, f_v);
    return 0;
}

static keel_problem *body_problem(body *b)
{
    keel_problem *p;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .evaluate = body_evaluate,
        .force_jacobian = body_force_jacobian, .constant_mass = b->constant, .context = b}),
        KEEL_OK);
    return p;
}

static void mechanical_parts(void **state)
{
    const double y[5] = {0.5, 0.25, 2, -1, 0};
    const double t = 1, gamma = 8 - 2 * cos(1.0) - 0.25 * sin(1.0);
    (void)state;
    expect_nothing(body_problem(&(body){.flaw.name = ""}), t, y, NULL);
    expect_finding(body_problem(&(body){{"constraint_jacobian", 0, 0, by}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: constraint_jacobian", 0, 0,
                                 1 + by, 1});
    expect_finding(body_problem(&(body){{"constraint_time", 0, 0, by}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: constraint_time", 0, -1,
                                 0.25 * cos(1.0) + by, 0.25 * cos(1.0)});
    expect_finding(body_problem(&(body){{"g_tt", 0, 0, 0}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: curvature", 0, -1,
                                 gamma + 0.25 * sin(1.0), gamma});
    expect_finding(body_problem(&(body){{"g_qt", 0, 0, 0}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: curvature", 0, -1,
                                 gamma + cos(1.0), gamma});
    expect_finding(body_problem(&(body){{"g_qq", 0, 0, 0}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: curvature", 0, -1, gamma - 4,
                                 gamma});
    expect_finding(body_problem(&(body){{"f_q", 0, 0, by}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "force_jacobian", 0, 0, by - 1, -1});
    expect_finding(body_problem(&(body){{"f_v", 0, 1, by}, 0}), t, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "force_jacobian", 0, 3, 0.5 + by, 0.5});
}

static void mass_matrices(void **state)
{
    const double y[5] = {0.5, 0.25, 2, -1, 0};
    (void)state;
    expect_nothing(body_problem(&(body){.flaw.name = "", .constant = 1}), 1, y, NULL);
    expect_finding(body_problem(&(body){{"mass", 1, 0, by}, 1}), 1, y, NULL, 1,
                   (expectation){KEEL_FINDING_SYMMETRY, "evaluate: mass", 0, 3, 0, by});
    expect_finding(body_problem(&(body){{"constant_mass", 0, 0, 0}, 1}), 1, y, NULL, 1,
                   (expectation){KEEL_FINDING_CONSTANCY, "evaluate: mass", 1, 3, 3.5, NAN});
    /* At rest the first shows nothing of a wrong g_qq; beside the point it does. */
    expect_finding(body_problem(&(body){{"g_qq", 0, 0, 0}, 0}), 1, (double[5]){0.5, 0.25}, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: curvature", 0, -1, NAN, NAN});
}

/* Sparse: n masses on a line, springs between neighbours, q_(i+1) - q_i + sin(q_0) / 4 = 1 without
 * or with the column 0 in the pattern of G. */
enum { BEADS = 6 };

typedef struct beads { spoilt flaw; int everywhere; } beads;

static int beads_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)v, (void)context;
    for (int i = 0; i < BEADS; i++) {
        f[i] = -q[i] * q[i];
        if (i > 0) f[i] += q[i - 1];
    }
    return 0;
}

static int beads_constraint(double t, const double *q, double *g, void *context)
{
    const beads *b = context;
    (void)t;
    for (int k = 0; k < 2; k++)
        g[k] = q[2 * k + 3] * q[2 * k + 2] - 1 + (b->everywhere && k == 1 ? sin(q[0]) / 4 : 0);
    return 0;
}

/* Columns 2, 3 have row 0 and columns 4, 5 row 1. */
static int beads_gradient(double t, const double *q, double *G, void *context)
{
    const beads *b = context;
    (void)t;
    memcpy(G, (double[4]){q[3], q[2], q[5], q[4]}, 4 * sizeof *G);
    if (off(&b->flaw, "constraint_jacobian")) G[b->flaw.row] += b->flaw.by;
    return 0;
}

/* Diagonal and subdiagonal. */
static int beads_force_jacobian(double t, const double *q, const double *v, double *f_q,
                                double *f_v, void *context)
{
    const beads *b = context;
    (void)t, (void)v;
    for (int k = 0; k < 2 * BEADS - 1; k++) {
        f_q[k] = k % 2 ? 1 : -2 * q[k / 2];
        f_v[k] = 0;
    }
    if (off(&b->flaw, "f_q")) f_q[b->flaw.row] += b->flaw.by;
    if (off(&b->flaw, "f_v")) f_v[b->flaw.row] += b->flaw.by;
    return 0;
}

/* Which derivatives are given: 0 none, 1 all. */
static keel_problem *bead_problem(beads *b, int given, int narrow)
{
    static const int g_start[] = {0, 0, 0, 1, 2, 3, 4}, g_rows[] = {0, 0, 1, 1};
    static const int f_start[] = {0, 2, 4, 6, 8, 10, 11};
    static const int f_rows[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
    static const int d_start[] = {0, 1, 2, 3, 4, 5, 6}, d_rows[] = {0, 1, 2, 3, 4, 5};
    keel_problem *p;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = BEADS, .constraints = 2, .force = beads_force, .constraint = beads_constraint,
        .constraint_jacobian = given ? beads_gradient : NULL,
        .force_jacobian = given ? beads_force_jacobian : NULL,
        .constraint_pattern = {.storage = KEEL_SPARSE, .column_start = g_start,
                               .row_index = g_rows},
        .force_pattern = {.storage = KEEL_SPARSE, .column_start = narrow ? d_start : f_start,
                          .row_index = narrow ? d_rows : f_rows},
        .context = b}), KEEL_OK);
    return p;
}

static void sparse_mechanical(void **state)
{
    const double y[2 * BEADS + 2] = {0.1, 0.2, 0.5, 2, 4, 0.25};
    (void)state;
    expect_nothing(bead_problem(&(beads){{"", 0, 0, 0}, 0}, 1, 0), 0, y, NULL);
    expect_nothing(bead_problem(&(beads){{"", 0, 0, 0}, 0}, 0, 0), 0, y, NULL);
    expect_finding(bead_problem(&(beads){{"constraint_jacobian", 2, 0, by}, 0}, 1, 0), 0, y, NULL,
                   1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "constraint_jacobian", 1, 4, 0.5, 0.25});
    expect_finding(bead_problem(&(beads){{"f_q", 3, 0, by}, 0}, 1, 0), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "force_jacobian", 2, 1, 1.25, 1});
    expect_finding(bead_problem(&(beads){{"f_v", 4, 0, by}, 0}, 1, 0), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "force_jacobian", 2, BEADS + 2, by, 0});
    expect_finding(bead_problem(&(beads){{"", 0, 0, 0}, 1}, 1, 0), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_PATTERN, "constraint_jacobian", 1, 0, 0,
                                 cos(0.1) / 4});
    expect_finding(bead_problem(&(beads){{"", 0, 0, 0}, 1}, 0, 0), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_PATTERN, "constraint_pattern", 1, 0, 0,
                                 cos(0.1) / 4});
    expect_finding(bead_problem(&(beads){{"", 0, 0, 0}, 0}, 0, 1), 0, y, NULL, 0,
                   (expectation){KEEL_FINDING_PATTERN, "force_pattern", 1, 0, 0, 1});
}

/* ---- M(t,y) y' = f, F(t,y,y') = 0, A d' + b = 0 ---------------------------------------------- */

/* M = (1 + y1 y2, 0; y1, 0), f = (y2, y1 y1 - 1) */
static int quasi_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t;
    keel_put(M, 0, 0, off(context, "constant") ? 1 : 1 + y[0] * y[1]);
    keel_put(M, 1, 0, off(context, "constant") ? sin(t) : y[0]);
    return 0;
}

static int quasi_rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[1];
    f[1] = y[0] * y[0] - 1;
    return 0;
}

static int quasi_j(double t, const double *y, keel_matrix *J, void *context)
{
    (void)t;
    keel_put(J, 0, 1, 1);
    keel_put(J, 1, 0, 2 * y[0]);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static int quasi_mass_j(double t, const double *y, const double *w, keel_matrix *J, void *context)
{
    double sign = off(context, "mass_jacobian sign") ? 1 : -1;
    (void)t;
    keel_add(J, 0, 0, sign * y[1] * w[0]);
    keel_add(J, 0, 1, sign * y[0] * w[0]);
    keel_add(J, 1, 0, sign * w[0]);
    return 0;
}

static keel_problem *quasi(spoilt *x, int constant)
{
    keel_problem *p;
    assert_int_equal(keel_quasilinear(&p, &(keel_quasilinear_spec){
        .size = 2, .mass = quasi_mass, .rhs = quasi_rhs, .jacobian = quasi_j,
        .mass_jacobian = constant ? NULL : quasi_mass_j, .constant_mass = constant,
        .context = x}), KEEL_OK);
    return p;
}

static void quasilinear(void **state)
{
    const double y[2] = {0.5, 2}, yp[2] = {3, 0};
    (void)state;
    expect_nothing(quasi(NULL, 0), 0, y, yp);
    expect_finding(quasi(&(spoilt){"jacobian", 1, 0, by}, 0), 0, y, yp, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 1, 0, 1 + by, 1});
    expect_finding(quasi(&(spoilt){"mass_jacobian sign", 0, 0, 0}, 0), 0, y, yp, 0,
                   (expectation){KEEL_FINDING_DERIVATIVE, "mass_jacobian", 0, 0, 6, -6});
    /* Without y' it shows beside the point. */
    expect_finding(quasi(&(spoilt){"mass_jacobian sign", 0, 0, 0}, 0), 0, y, NULL, 0,
                   (expectation){KEEL_FINDING_DERIVATIVE, "mass_jacobian", 0, 0, NAN, NAN});
    expect_finding(quasi(&(spoilt){"constant", 0, 0, 0}, 1), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_CONSTANCY, "mass", 1, 0, 0, NAN});
}

/* F = (y1'^3 + y1 y2, y2 - y1 y1') */
static int full_f(double t, const double *y, const double *yp, double *F, void *context)
{
    (void)t, (void)context;
    F[0] = yp[0] * yp[0] * yp[0] + y[0] * y[1];
    F[1] = y[1] - y[0] * yp[0];
    return 0;
}

static int full_j(double t, const double *y, const double *yp, double shift, keel_matrix *J,
                  void *context)
{
    double power = off(context, "shift") ? shift * shift : shift;
    (void)t;
    keel_put(J, 0, 0, y[1] + shift * 3 * yp[0] * yp[0]);
    keel_put(J, 0, 1, y[0]);
    keel_put(J, 1, 0, -yp[0] - power * y[0]);
    keel_put(J, 1, 1, 1);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static keel_problem *full(spoilt *x)
{
    keel_problem *p;
    assert_int_equal(keel_implicit(&p, &(keel_implicit_spec){
        .size = 2, .residual = full_f, .jacobian = full_j, .context = x}), KEEL_OK);
    return p;
}

static void implicit(void **state)
{
    const double y[2] = {0.5, 2}, yp[2] = {3, 0};
    (void)state;
    expect_nothing(full(NULL), 0, y, yp);
    expect_nothing(full(NULL), 0, y, NULL);
    expect_finding(full(&(spoilt){"jacobian", 0, 1, by}), 0, y, yp, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 0, 1, 0.75, 0.5});
    expect_finding(full(&(spoilt){"shift", 0, 0, 0}), 0, y, yp, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 1, 0, -1, -0.5});
}

/* A = (1; x1), d = x1 x2, b = (x1^2, x2) */
static int lead_a(double t, const double *x, double *A, void *context)
{
    (void)t, (void)context;
    A[0] = 1;
    A[1] = x[0];
    return 0;
}

static int lead_d(double t, const double *x, double *d, void *context)
{
    (void)t, (void)context;
    d[0] = x[0] * x[1];
    return 0;
}

static int lead_b(double t, const double *x, double *b, void *context)
{
    (void)t, (void)context;
    b[0] = x[0] * x[0];
    b[1] = x[1];
    return 0;
}

static int lead_d_x(double t, const double *x, double *D, void *context)
{
    (void)t;
    D[0] = x[1];
    D[1] = x[0];
    spoil_array(context, "leading_term_jacobian", 2, D);
    return 0;
}

static int lead_j(double t, const double *x, const double *w, keel_matrix *J, void *context)
{
    (void)t;
    keel_put(J, 0, 0, 2 * x[0]);
    keel_put(J, 1, 0, w[0]);
    keel_put(J, 1, 1, 1);
    spoil_matrix(context, "jacobian", J);
    return 0;
}

static keel_problem *lead(spoilt *x)
{
    keel_problem *p;
    assert_int_equal(keel_proper(&p, &(keel_proper_spec){
        .size = 2, .leading = 1, .leading_matrix = lead_a, .leading_term = lead_d, .rest = lead_b,
        .leading_term_jacobian = lead_d_x, .jacobian = lead_j, .context = x}), KEEL_OK);
    return p;
}

static void proper(void **state)
{
    const double y[3] = {0.5, 2, 1}, yp[3] = {0, 0, 3};
    (void)state;
    expect_nothing(lead(NULL), 0, y, yp);
    expect_finding(lead(&(spoilt){"leading_term_jacobian", 0, 1, by}), 0, y, yp, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "leading_term_jacobian", 0, 1, 0.75,
                                 0.5});
    expect_finding(lead(&(spoilt){"jacobian", 1, 0, by}), 0, y, yp, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "jacobian", 1, 0, 3.25, 3});
}

/* ---- levels and attached rows ---------------------------------------------------------------- */

/* The pendulum: q' = v, v' = -z q - e_2, h_2 = (q q - 1) / 2, h_1 = q v, g = v v - z q q - q_2; or
 * with q q = 1 put into g, which then follows from h_1 on h_2 = 0 only. */
static int swing_rate(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t;
    f[2] = -z[0] * y[0];
    f[3] = -z[0] * y[1] - 1;
    if (off(context, "rate")) f[1] = 2 * y[3] + 1;
    return 0;
}

static int swing_level(double t, const double *y, const double *z, int k, double *h, void *context)
{
    double square = y[0] * y[0] + y[1] * y[1];
    (void)t;
    if (k == 2) h[0] = (square - 1) / 2;
    if (k == 1) h[0] = (off(context, "half") ? 0.5 : 1) * (y[0] * y[2] + y[1] * y[3]);
    if (k == 0)
        h[0] = y[2] * y[2] + y[3] * y[3] - y[1] - z[0] * (off(context, "simplified") ? 1 : square)
             + (off(context, "gravity") ? 2 * y[1] : 0);
    return 0;
}

static int swing_level_j(double t, const double *y, int k, keel_matrix *J, void *context)
{
    double part = off(context, "half") ? 0.5 : 1;
    (void)t;
    for (int i = 0; i < 2; i++) {
        keel_put(J, 4, i, k == 2 ? y[i] : part * y[2 + i]);
        if (k == 1) keel_put(J, 4, 2 + i, part * y[i]);
    }
    const spoilt *x = context;
    if (off(context, "level_jacobian") && k == x->row) keel_add(J, 4, x->column, x->by);
    return 0;
}

static keel_problem *swing(spoilt *x)
{
    static const int next[] = {2, 3, -1, -1}, chain[] = {2};
    static const char *const names[] = {"rod"};
    keel_problem *p;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
        .differential = 4, .algebraic = 1, .next = next, .chain = chain, .rate = swing_rate,
        .level = swing_level, .level_jacobian = swing_level_j, .constraint_names = names,
        .context = x}), KEEL_OK);
    return p;
}

static void levels(void **state)
{
    const double y[5] = {0.6, 0.8, 0.8, -0.6, 0.2}, off_it[5] = {1, 0.8, 0.8, -0.6, 0.2};
    (void)state;
    expect_nothing(swing(NULL), 0, y, NULL);
    expect_nothing(swing(NULL), 0, off_it, NULL);
    expect_nothing(swing(&(spoilt){"simplified", 0, 0, 0}), 0, y, NULL);
    expect_nothing(swing(&(spoilt){"simplified", 0, 0, 0}), 0, off_it, NULL);
    expect_finding(swing(&(spoilt){"level_jacobian", 1, 2, by}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "level_jacobian", 4, 2, 0.85, 0.6});
    expect_finding(swing(&(spoilt){"half", 0, 0, 0}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_LINK, "level", 0, -1, NAN, NAN});
    expect_finding(swing(&(spoilt){"gravity", 0, 0, 0}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_LINK, "level", 0, -1, NAN, NAN});
    expect_finding(swing(&(spoilt){"rate", 0, 0, 0}), 0, y, NULL, 1,
                   (expectation){KEEL_FINDING_LINK, "rate", 1, 3, NAN, NAN});
}

/* A rotation keeps y y - 1; without the name of `damped` it does. */
static int turn(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = y[1] - (off(context, "damped") ? 0.1 * y[0] : 0);
    f[1] = -y[0];
    return 0;
}

static int radius(double t, const double *y, double *h, void *context)
{
    (void)t, (void)context;
    h[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static int radius_j(double t, const double *y, double *H, void *context)
{
    (void)t;
    H[0] = 2 * y[0];
    H[1] = 2 * y[1];
    spoil_array(context, "attached", 2, H);
    return 0;
}

static keel_problem *turning(spoilt *x, int as_invariant)
{
    static const char *const names[] = {"radius"};
    const keel_attached attached = {.rows = 1, .value = radius, .jacobian = radius_j,
                                    .names = names};
    keel_ode_spec spec = {.size = 2, .rhs = turn, .context = x};
    keel_problem *p;
    if (as_invariant) {
        spec.invariants = 1;
        spec.invariant = radius;
        spec.invariant_jacobian = radius_j;
    } else spec.attached = attached;
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    return p;
}

static void attached_rows(void **state)
{
    const double y[2] = {0.6, 0.8}, off_it[2] = {1, 1};
    (void)state;
    for (int k = 0; k < 2; k++) {
        expect_nothing(turning(NULL, k), 0, y, NULL);
        expect_finding(turning(&(spoilt){"attached", 0, 1, by}, k), 0, y, NULL, 1,
                       (expectation){KEEL_FINDING_DERIVATIVE,
                                     k ? "invariant_jacobian" : "attached.jacobian", 0, 1,
                                     1.6 + by, 1.6});
        expect_finding(turning(&(spoilt){"damped", 0, 0, 0}, k), 0, y, NULL, 1,
                       (expectation){KEEL_FINDING_LINK, k ? "invariant" : "attached.value", 0, -1,
                                     0, -2 * 0.1 * 0.36});
        expect_nothing(turning(&(spoilt){"damped", 0, 0, 0}, k), 0, off_it, NULL);
    }
}

/* Findings of a callback are listed up to a limit; a formulation is checked as its original. */
static void limits_and_formulations(void **state)
{
    const double y[5] = {0.5, 0.25, 2, -1, 0};
    body wrong = {{"constraint_jacobian", 0, 0, by}, 0};
    keel_problem *p = body_problem(&wrong), *q;
    double z[16];
    (void)state;
    assert_int_equal(keel_formulate(&q, p, &(keel_formulation){.name = "ggl"}), KEEL_OK);
    keel_formulation_from(q, y, z);
    expect_finding(q, 1, z, NULL, 1,
                   (expectation){KEEL_FINDING_DERIVATIVE, "evaluate: constraint_jacobian", 0, 0,
                                 1 + by, 1});
    keel_problem_free(p);
    assert_null(keel_check_finding(NULL, 0));
    assert_int_equal(keel_check_finding_count(NULL), 0);
    assert_null(keel_check_item_at(NULL, 0));
    keel_check_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_forms_fit), cmocka_unit_test(ode_entries),
        cmocka_unit_test(patterns), cmocka_unit_test(corners_are_not_accused),
        cmocka_unit_test(what_cannot_be_evaluated_is_undecided),
        cmocka_unit_test(semi_explicit), cmocka_unit_test(hessenberg2),
        cmocka_unit_test(hessenberg3), cmocka_unit_test(mechanical_parts),
        cmocka_unit_test(mass_matrices), cmocka_unit_test(sparse_mechanical),
        cmocka_unit_test(quasilinear), cmocka_unit_test(implicit), cmocka_unit_test(proper),
        cmocka_unit_test(levels), cmocka_unit_test(attached_rows),
        cmocka_unit_test(limits_and_formulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
