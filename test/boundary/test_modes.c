/* test_modes.c -- Floquet multipliers on the constraint manifold, and what a diagnosis says.
 *
 * Liouville's formula gives the product of the multipliers: exp of the integral of the divergence over
 * one period, in coordinates of the manifold.
 */
#include "test/boundary/refusal.h"

enum { UNKNOWNS_MOST = 8 };

typedef struct multipliers {
    int count;
    double re[UNKNOWNS_MOST], im[UNKNOWNS_MOST];
} multipliers;

static void expect_near(const char *what, double value, double exact, double error)
{
    if (!(fabs(value - exact) <= error)) fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

static keel_boundary *solved(const keel_boundary_spec *spec, double tol)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, spec, &(keel_boundary_options){.rtol = tol, .atol = tol});
    if (!rc) rc = keel_boundary_solve(w);
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
    return w;
}

static multipliers of(keel_boundary *w)
{
    multipliers m = {0};
    int rc = keel_boundary_multipliers(w, &m.count, m.re, m.im);
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
    return m;
}

/* ---- a pendulum, as a mechanical problem: times t/T ------------------------------------------- */

enum { PERIOD, DAMPING, DRIVE, PARAMETERS };

static int force(double t, const double *q, const double *v, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters, T = p[PERIOD];
    (void)q;
    f[0] = -p[DAMPING] * T * v[0] + p[DRIVE] * T * T * cos(T * t);
    f[1] = -p[DAMPING] * T * v[1] - 9.81 * T * T;
    return 0;
}
static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}
static int swing(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0] - sin(1);
    b[1] = ya[2];
    b[2] = yb[2];
    return 0;
}
static int swinging(double t, double *y, double *p, void *context)
{
    double a = cos(2 * PI * t), a1 = -2 * PI * sin(2 * PI * t);
    (void)context;
    y[0] = sin(a);
    y[1] = -cos(a);
    y[2] = a1 * cos(a);
    y[3] = a1 * sin(a);
    y[4] = 9.81 * 4;
    p[0] = 2;
    return 0;
}
static int returning(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = yb[0] - ya[0];
    b[1] = yb[2] - ya[2];
    return 0;
}
static int hanging(double t, double *y, double *p, void *context)
{
    (void)t, (void)p, (void)context;
    memset(y, 0, 5 * sizeof *y);
    y[1] = -1;
    y[4] = 9.81 * 4 * PI * PI;
    return 0;
}

static keel_problem *pendulum(double T, double damping, double drive)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = force, .constraint = rod,
        .frame = {.parameters = PARAMETERS,
                  .parameter_start = (double[]){T, damping, drive}}}), KEEL_OK);
    return p;
}

/* A family of orbits: both are 1, in a Jordan block, of which trace and determinant are well
 * conditioned. */
static void conservative_pendulum(void **state)
{
    keel_problem *p = pendulum(2, 0, 0);
    (void)state;
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 3, .condition = swing, .parameters = 1,
        .guess = swinging}, 1e-9);
    multipliers m = of(w);
    assert_int_equal(m.count, 2);                /* not 4, nor 5 */
    expect_near("trace", m.re[0] + m.re[1], 2, 1e-6);
    expect_near("product", m.re[0] * m.re[1] - m.im[0] * m.im[1], 1, 1e-6);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* Driven with period 2 pi, damped: the divergence in angle and angular velocity is -damping. */
static void driven_pendulum(void **state)
{
    static const double damping[] = {0.1, 0.5, 4};
    (void)state;
    for (int i = 0; i < 3; i++) {
        keel_problem *p = pendulum(2 * PI, damping[i], 1);
        keel_boundary *w = solved(&(keel_boundary_spec){
            .problem = p, .to = 1, .conditions = 2, .condition = returning, .guess = hanging}, 1e-9);
        multipliers m = of(w);
        double product = m.re[0] * m.re[1] + (m.im[0] != 0 ? m.im[0] * m.im[0] : 0);
        assert_int_equal(m.count, 2);
        expect_near("product over Liouville", product / exp(-2 * PI * damping[i]), 1, 1e-6);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* ---- van der Pol -------------------------------------------------------------------------------- */

static int cycle(double t, const double *y, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    (void)t;
    f[0] = p[0] * y[1];
    f[1] = p[0] * (p[1] * (1 - y[0] * y[0]) * y[1] - y[0]);
    return 0;
}
static int phase(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = yb[0] - ya[0];
    b[1] = yb[1] - ya[1];
    b[2] = ya[1];
    return 0;
}
static int circle(double t, double *y, double *p, void *context)
{
    (void)context;
    y[0] = 2 * cos(2 * PI * t);
    y[1] = -2 * sin(2 * PI * t);
    p[0] = 6.6;
    return 0;
}

static void van_der_pol(void **state)
{
    enum { POINTS = 4000 };
    keel_problem *p = NULL;
    double sum = 0, y[2];
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){
        .size = 2, .rhs = cycle, .frame = {.parameters = 2, .parameter_start = (double[]){6.6, 1}}}),
        KEEL_OK);
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 3, .condition = phase, .parameters = 1, .guess = circle},
        1e-9);
    double T = keel_boundary_parameters(w)[0];
    expect_near("period", T, 6.6632868593231, 1e-8);     /* [Urabe, IRE Trans. Circuit Theory 7, 1960] */
    for (int i = 0; i < POINTS; i++) {           /* periodic: the rule of rectangles is exact */
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), i / (double)POINTS, y), KEEL_OK);
        sum += T * (1 - y[0] * y[0]) / POINTS;
    }
    multipliers m = of(w);
    expect_near("phase", m.re[0], 1, 1e-7);
    expect_near("the other over Liouville", m.re[1] / exp(sum), 1, 1e-6);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- small ones ---------------------------------------------------------------------------------- */

static int decay(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = -2 * (y[0] - sin(2 * PI * t)) + y[1];
    f[1] = -30 * (y[1] - cos(2 * PI * t));
    return 0;
}
static int closed(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = yb[0] - ya[0];
    b[1] = yb[1] - ya[1];
    return 0;
}
static int open_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = yb[0] - ya[0];
    b[1] = ya[1] - 3;
    return 0;
}

/* e^-2 and e^-30 = 9e-14, of a matrix of size 0.1: the second to its own size. */
static void small_multipliers(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2, .rhs = decay}), KEEL_OK);
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = closed}, 1e-10);
    multipliers m = of(w);
    expect_near("first", m.re[0] / exp(-2), 1, 1e-7);
    expect_near("second", m.re[1] / exp(-30), 1, 1e-4);
    keel_boundary_free(w);

    w = solved(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2, .condition = open_ends},
               1e-8);
    assert_int_equal(keel_boundary_multipliers(w, &m.count, m.re, m.im), KEEL_BAD_ARGUMENT);
    expect_text(keel_boundary_message(w), "not periodic, y[1] is 3 at t = 0");
    assert_int_equal(keel_boundary_multipliers(w, NULL, m.re, m.im), KEEL_BAD_ARGUMENT);
    keel_boundary_free(w);
    assert_int_equal(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = closed}, NULL), KEEL_OK);
    assert_int_equal(keel_boundary_multipliers(w, &m.count, m.re, m.im), KEEL_BAD_ARGUMENT);
    expect_text(keel_boundary_message(w), "no solution");
    assert_null(keel_boundary_diagnose(w));
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- diagnosis ----------------------------------------------------------------------------------- */

/* Rates by analysis: -L on the manifold [Ascher & Petzold, section 4]; +-1/sqrt(eps) for layers,
 * where units of x1 and x2 add up to log(1/sqrt(eps)); none for Bratu's with lambda = 1; +-1 for the
 * control, x1'' = x1. */
static void dichotomy(void **state)
{
    static const struct { int which, growing, decaying; double first, last, error; } run[] = {
        {AP_LEFT, 0, 1, -50, -50, 1}, {AP_TWO_POINT, 1, 0, 50, 50, 1}, {BRATU_1, 0, 0, 0, 0, 1},
        {LAYERS_4, 1, 1, 100, -100, 5}, {LAYERS_6, 1, 1, 1000, -1000, 10}, {CONTROL, 1, 1, 1, -1, 0.3}};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const bvp_case *c = &bvp_cases[run[i].which];
        keel_problem *p = case_problem(c);
        keel_boundary *w = case_solve(c, p, NULL, KEEL_OK);
        assert_int_equal(keel_boundary_statistics(w)->growing, -1);
        long rhs = keel_boundary_statistics(w)->rhs;
        const keel_boundary_diagnosis *d = keel_boundary_diagnose(w);
        if (!d) fail_msg("%s: %s", c->name, keel_boundary_message(w));
        if (d->growing != run[i].growing || d->decaying != run[i].decaying)
            fail_msg("%s: %d growing, %d decaying", c->name, d->growing, d->decaying);
        assert_int_equal(keel_boundary_statistics(w)->decaying, run[i].decaying);
        assert_true(keel_boundary_statistics(w)->rhs == rhs);
        expect_near(c->name, d->rate[0], run[i].first, run[i].error);
        expect_near(c->name, d->rate[d->modes - 1], run[i].last, run[i].error);
        assert_int_equal(d->intervals, keel_boundary_statistics(w)->mesh);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* The projector of the first problem has the norm L (3 - t); responses have kappa as their largest. */
static void profiles(void **state)
{
    const bvp_case *c = &bvp_cases[AP_LEFT];
    keel_problem *p = case_problem(c);
    double boundary = 0, green = 0;
    (void)state;
    keel_boundary *w = case_solve(c, p, NULL, KEEL_OK);
    const keel_boundary_diagnosis *d = keel_boundary_diagnose(w);
    const keel_boundary_stats *s = keel_boundary_statistics(w);
    assert_non_null(d);
    for (int i = 0; i <= d->intervals; i++) {
        boundary = fmax(boundary, d->boundary[i]);
        green = fmax(green, d->green[i]);
        if (i == d->intervals) break;
        assert_true(d->projector[i] <= 50 * (3 - d->t[i]) * 1.001);
        assert_true(d->projector[i] >= 50 * (3 - d->t[i + 1]) * 0.999);
        assert_true(d->fastest[i] >= d->slowest[i]);
    }
    expect_near("boundary", boundary, s->kappa_boundary, 1e-6 * boundary);
    expect_near("green", green, s->kappa_green, 1e-6 * green);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* On the manifold of a mechanism: 2 modes of 4 unknowns, and a projector, of index 3. */
static void a_mechanism(void **state)
{
    keel_problem *p = pendulum(2 * PI, 0.5, 1);
    (void)state;
    keel_boundary *w = solved(&(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = returning, .guess = hanging}, 1e-6);
    assert_true(keel_boundary_statistics(w)->projector < 0);
    const keel_boundary_diagnosis *d = keel_boundary_diagnose(w);
    assert_non_null(d);
    assert_int_equal(d->modes, 2);
    assert_non_null(d->projector);
    for (int i = 0; i < d->intervals; i++) assert_true(d->projector[i] >= 1);    /* a projector */
    assert_true(keel_boundary_statistics(w)->projector >= 1);
    keel_boundary_free(w);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservative_pendulum), cmocka_unit_test(driven_pendulum),
        cmocka_unit_test(van_der_pol), cmocka_unit_test(small_multipliers),
        cmocka_unit_test(dichotomy), cmocka_unit_test(profiles), cmocka_unit_test(a_mechanism)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
