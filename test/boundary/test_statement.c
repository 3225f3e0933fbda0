/* test_statement.c -- what a boundary value problem must say, and what is said where it does not fit:
 * conditions by name, unknowns that nothing determines, derivatives that are wrong. */
#include "test/boundary/refusal.h"

/* ---- conditions that do not fit -------------------------------------------------------------- */

static const char *const ends_names[] = {"u(0) = 0", "u(1) = 0", "v(0) = 0"};

static int three_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[0];
    b[2] = 3 * ya[0];
    return 0;
}

static void missing_and_redundant(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    (void)state;
    spec.condition_names = ends_names;
    spec.conditions = 1;                         /* u(0) = 0 alone: the slope there is free */
    refused(&spec, NULL, KEEL_BAD_ARGUMENT, "1 are missing: at the guess nothing determines");
    refused(&spec, NULL, KEEL_BAD_ARGUMENT, "y[1] at t = 0");
    spec.conditions = 3;                         /* the third says what the first one does */
    spec.condition = three_ends;
    refused(&spec, NULL, KEEL_BAD_ARGUMENT,
            "1 too many: at the guess condition [0] (u(0) = 0) and condition [2] (v(0) = 0) say the same");
    keel_problem_free(p);
}

static int twice_apart(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    b[1] = ya[0] - 2;
    return 0;
}

static void contradiction(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    (void)state;
    spec.condition = twice_apart;
    spec.condition_names = ends_names;
    refused(&spec, NULL, KEEL_SINGULAR, "condition [0] (u(0) = 0) and condition [1] (u(1) = 0) contradict "
            "each other");
    refused(&spec, NULL, KEEL_SINGULAR, "nothing determines y[1] at t = 0");
    keel_problem_free(p);
}

/* x2 + p1 = 0 is a constraint; a condition on x2(0) + p1(0) says it again, or contradicts it. */
static int like_the_constraint(const double *ya, const double *yb, const double *p, double *b,
                               void *context)
{
    (void)p;
    b[0] = yb[2];
    b[1] = ya[1] + ya[2] - *(const double *)context;
    return 0;
}

static void conditions_against_constraints(void **state)
{
    const bvp_case *c = &bvp_cases[CONTROL];
    double value = 0;
    keel_problem *p = case_problem(c);
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_boundary_spec spec = case_spec(c, p);
        keel_boundary_options right = {.right = 1};
        spec.condition = like_the_constraint;
        spec.context = &value;
        refused(&spec, NULL, KEEL_SINGULAR, "condition [1] and the constraint g[0]");
        refused(&spec, NULL, KEEL_SINGULAR, i ? "contradict each other" : "say the same");
        refused(&spec, &right, KEEL_SINGULAR, "condition [1] and the constraint g[0]");
        value = 1;
    }
    keel_problem_free(p);
}

/* The angle of a pendulum's position is fixed by y1 alone: y1 and y2 at the same end are too much. */
static int rod_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -1;
    return 0;
}
static int rod(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}
static int both_coordinates(const double *ya, const double *yb, const double *p, double *b,
                            void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 0.6;
    b[1] = ya[1] + 0.8;
    return 0;
}
static int hanging(double t, double *y, double *p, void *context)
{
    static const double at[] = {0.6, -0.8, 0, 0, 0.8};
    (void)t, (void)p, (void)context;
    memcpy(y, at, sizeof at);
    return 0;
}

static void positions_on_the_manifold(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = rod_force, .constraint = rod,
        .constraint_names = (const char *const[]){"rod"}}), KEEL_OK);
    refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2, .guess = hanging,
                                  .condition = both_coordinates}, NULL, KEEL_SINGULAR, "constraint rod");
    keel_problem_free(p);
}

/* ---- conditions on algebraic unknowns --------------------------------------------------------- */

/* y = e^u at the right end instead of u = 0: the same solution. */
static int on_algebraic(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[0];
    b[1] = yb[2] - 1;
    return 0;
}
/* u(0) of the control, cosh(1)/cosh(1), instead of x1(0): index 2. */
static int on_control(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    b[0] = ya[3] - 1;
    b[1] = yb[2];
    return 0;
}
/* y[0] of the pendulum's multiplier is a function of position and velocity, which are both given. */
static int on_multiplier(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 0.6;
    b[1] = ya[4] - 0.8 - 0.25 / 1;
    return 0;
}

static void conditions_on_algebraic_unknowns(void **state)
{
    static const struct {
        int which;
        int (*condition)(const double *, const double *, const double *, double *, void *);
    } run[] = {{BRATU_1, on_algebraic}, {CONTROL, on_control}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        bvp_case c = bvp_cases[run[i].which];
        double x, z;
        c.condition = run[i].condition;
        keel_problem *p = case_problem(&c);
        keel_boundary *w = case_solve(&c, p, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
                                      KEEL_OK);
        case_error(&c, keel_boundary_solution(w), &x, &z);
        if (!(x < 1e-8 && z < 1e-8)) fail_msg("%s: errors %.2e, %.2e", c.name, x, z);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* lambda = y2-force + |v|^2 at the start: v follows up to its sign, and v = 0 is where it is singular. */
static void conditions_on_multipliers(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){
        .positions = 2, .constraints = 1, .force = rod_force, .constraint = rod,
        .constraint_names = (const char *const[]){"rod"}}), KEEL_OK);
    refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 2, .guess = hanging,
                                  .condition = on_multiplier}, NULL, KEEL_SINGULAR, "nothing determines");
    keel_problem_free(p);
}

/* ---- wrong derivatives ------------------------------------------------------------------------ */

static int wrong_jacobian(double t, const double *x, const double *y, keel_matrix *J, void *context)
{
    bratu_jacobian(t, x, y, J, context);
    keel_put(J, 2, 0, exp(x[0]));                /* the sign */
    return 0;
}
static int wrong_g_x(double t, const double *x, double *g_x, void *context)
{
    ap_constraint_jacobian(t, x, g_x, context);
    g_x[0] = t - 2;
    return 0;
}
static int wrong_g_t(double t, const double *x, double *g_t, void *context)
{
    ap_constraint_time(t, x, g_t, context);
    g_t[0] += x[0];
    return 0;
}
static int wrong_ends(const double *ya, const double *yb, const double *p, double *b_a, double *b_b,
                      double *b_p, void *context)
{
    (void)ya, (void)yb, (void)p, (void)b_p, (void)context;
    memset(b_a, 0, 6 * sizeof *b_a);
    memset(b_b, 0, 6 * sizeof *b_b);
    b_a[0] = 1;
    b_b[3] = -1;                                 /* of u at the right end: 1 */
    return 0;
}

static void wrong_derivatives(void **state)
{
    bvp_case c = bvp_cases[BRATU_1];
    (void)state;
    c.jacobian = wrong_jacobian;
    keel_problem *p = case_problem(&c);
    keel_boundary_spec spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_WRONG_DERIVATIVE, "jacobian: row 2");
    keel_problem_free(p);

    c = bvp_cases[AP_LEFT];
    c.constraint_jacobian = wrong_g_x;
    p = case_problem(&c);
    spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_WRONG_DERIVATIVE, "constraint_jacobian: row 0 (g[0]), column 0");
    keel_problem_free(p);

    c = bvp_cases[AP_LEFT];
    c.constraint_time = wrong_g_t;
    p = case_problem(&c);
    spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_WRONG_DERIVATIVE, "constraint_time");
    keel_problem_free(p);

    c = bvp_cases[BRATU_1];
    p = case_problem(&c);
    spec = case_spec(&c, p);
    spec.condition_jacobian = wrong_ends;
    spec.condition_names = ends_names;
    refused(&spec, NULL, KEEL_WRONG_DERIVATIVE,
            "condition [1] (u(1) = 0) by y[0] at the right end is -1, but differences of `condition` give 1");
    keel_problem_free(p);
}

/* Newton's method with a wrong sign need not fail: it is the user who is to know. */
static void unchecked_is_unchecked(void **state)
{
    bvp_case c = bvp_cases[BRATU_1];
    keel_boundary *w = NULL;
    double x, z;
    (void)state;
    c.jacobian = wrong_jacobian;
    keel_problem *p = case_problem(&c);
    keel_boundary_spec spec = case_spec(&c, p);
    assert_int_equal(keel_boundary_create(&w, &spec, &(keel_boundary_options){.unchecked = 1}), KEEL_OK);
    int rc = keel_boundary_solve(w);
    assert_int_not_equal(rc, KEEL_WRONG_DERIVATIVE);
    if (!rc) {
        case_error(&c, keel_boundary_solution(w), &x, &z);
        assert_true(x < 1e-6 && z < 1e-6);
    }
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- wrong index ------------------------------------------------------------------------------ */

/* z of index 3 declared as one of index 2: g_x f_z = 0. */
static int too_deep(double t, const double *x, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = x[0] - 1;
    return 0;
}
/* Index 1 for t < 1/2 only. */
static int for_a_while(double t, const double *x, const double *z, double *g, void *context)
{
    (void)context;
    g[0] = fmax(0, 0.5 - t) * z[0] - x[0];
    return 0;
}

static void wrong_indices(void **state)
{
    bvp_case c = bvp_cases[CONTROL];
    keel_problem *p = NULL;
    (void)state;
    c.constraint2 = too_deep;
    c.constraint_jacobian = NULL;
    c.jacobian = NULL;
    p = case_problem(&c);
    keel_boundary_spec spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_WRONG_INDEX, "index is not 2");
    keel_problem_free(p);
    c = bvp_cases[BRATU_1];
    c.constraint = for_a_while;
    c.jacobian = NULL;
    p = case_problem(&c);
    spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_WRONG_INDEX, "index is not 1");
    keel_problem_free(p);
}

/* The second level of the mixed-index problem without one of its terms: no derivative of the first. */
static int level_rate(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0];
    f[1] = x[0];
    return 0;
}
static int wrong_level(double t, const double *x, const double *y, int k, double *h, void *context)
{
    (void)context;
    if (k == 1) h[0] = x[0] + x[1] - t;
    else h[0] = y[0] + 2 * x[0] - 1;             /* y + x - 1 */
    return 0;
}
static int at_start(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    return 0;
}

static void wrong_links(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_levelled(&p, &(keel_levelled_spec){
        .differential = 2, .algebraic = 1, .chain = (int[]){1}, .rate = level_rate,
        .level = wrong_level}), KEEL_OK);
    refused(&(keel_boundary_spec){.problem = p, .to = 1, .conditions = 1, .condition = at_start}, NULL,
            KEEL_WRONG_DERIVATIVE, "level");
    keel_problem_free(p);
}

/* ---- dull cases -------------------------------------------------------------------------------- */

static void intervals(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    static const double end[][2] = {{0, 0}, {0, INFINITY}, {-INFINITY, 1}, {NAN, 1}, {0, NAN}};
    keel_problem *p = case_problem(c);
    (void)state;
    for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
        keel_boundary_spec spec = case_spec(c, p);
        spec.from = end[i][0];
        spec.to = end[i][1];
        refused(&spec, NULL, KEEL_BAD_ARGUMENT, "is none");
    }
    keel_problem_free(p);
}

/* `most` is kept by the first mesh, too. */
static void no_more_intervals_than_allowed(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    (void)state;
    for (int most = 1; most <= 3; most++) {
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = 1e-3, .most = most}, KEEL_OK);
        assert_true(keel_boundary_statistics(w)->mesh <= most);
        keel_boundary_free(w);
    }
    refused(&spec, &(keel_boundary_options){.mesh = 4, .most = 3}, KEEL_BAD_ARGUMENT,
            "mesh = 4 is more than most = 3");
    keel_problem_free(p);
}

static void the_same_call_twice(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_35];
    keel_problem *p = case_problem(c);
    double first[3], second[3];
    (void)state;
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8}, KEEL_OK);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.3, first), KEEL_OK);
    assert_int_equal(keel_boundary_solve(w), KEEL_OK);
    assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.3, second), KEEL_OK);
    for (int i = 0; i < 3; i++) assert_true(fabs(first[i] - second[i]) < 2e-8);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* "Cannot evaluate here" is no failure where Newton's method can do without; always is one. */
static int refuses(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t;
    if (x[0] > number_of(context)) return 1;
    f[0] = x[1];
    f[1] = -y[0];
    return 0;
}
static int condition_refuses(const double *ya, const double *yb, const double *p, double *b,
                             void *context)
{
    (void)ya, (void)yb, (void)p, (void)b, (void)context;
    return -3;
}

static void callbacks_that_refuse(void **state)
{
    bvp_case c = bvp_cases[BRATU_1];
    (void)state;
    c.rhs = refuses;
    c.jacobian = NULL;
    c.number = 0.2;                              /* the solution has u <= 0.1406 */
    keel_problem *p = case_problem(&c);
    keel_boundary *w = case_solve(&c, p, NULL, KEEL_OK);
    keel_boundary_free(w);
    c.number = 0.1;
    keel_boundary_spec spec = case_spec(&c, p);
    refused(&spec, NULL, KEEL_CALLBACK_FAILED, "rhs");
    spec.condition = condition_refuses;
    refused(&spec, NULL, KEEL_CALLBACK_FAILED, "`condition` returned -3");
    keel_problem_free(p);
}

/* u = size sin(pi t), where the two solutions have largest values of 0.14 and 4.09. */
static int far_guess(double t, double *y, double *p, void *context)
{
    double size = number_of(context);
    (void)p;
    y[0] = size * sin(PI * t);
    y[1] = size * PI * cos(PI * t);
    y[2] = exp(y[0]);
    return 0;
}

static int bratu_of_1(double t, const double *x, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = x[1];
    f[1] = -y[0];
    return 0;
}

/* Of u = -2 ln(cosh((t - 1/2) th/2)/cosh(th/4)), th = sqrt(2) cosh(th/4): both roots. */
static double bratu_middle(double th)
{
    for (int i = 0; i < 50; i++)
        th -= (th - sqrt(2) * cosh(th / 4)) / (1 - sqrt(2) / 4 * sinh(th / 4));
    return 2 * log(cosh(th / 4));
}

/* A solution, either of the two, or a status and a sentence. */
static void guesses_far_off(void **state)
{
    static const double size[] = {-1000, -30, 1, 8, 30, 100, 300};
    bvp_case c = bvp_cases[BRATU_1];
    double lower = bratu_middle(1.5), upper = bratu_middle(11), y[3];
    int solved = 0, count = (int)(sizeof size / sizeof *size);
    (void)state;
    c.rhs = bratu_of_1;
    c.jacobian = NULL;
    for (int i = 0; i < count; i++) {
        keel_boundary *w = NULL;
        c.number = size[i];
        keel_problem *p = case_problem(&c);
        keel_boundary_spec spec = case_spec(&c, p);
        spec.guess = far_guess;
        assert_int_equal(keel_boundary_create(&w, &spec, NULL), KEEL_OK);
        int rc = keel_boundary_solve(w);
        if (rc == KEEL_OK) {
            assert_int_equal(keel_solution_at(keel_boundary_solution(w), 0.5, y), KEEL_OK);
            assert_true(fabs(y[0] - lower) < 1e-6 || fabs(y[0] - upper) < 5e-6);
            solved++;
        } else {
            assert_null(keel_boundary_solution(w));
            assert_true(strlen(keel_boundary_message(w)) > 30);
        }
        keel_boundary_free(w);
        keel_problem_free(p);
    }
    assert_true(solved > 0 && solved < count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_and_redundant),
        cmocka_unit_test(contradiction),
        cmocka_unit_test(conditions_against_constraints),
        cmocka_unit_test(positions_on_the_manifold),
        cmocka_unit_test(conditions_on_algebraic_unknowns),
        cmocka_unit_test(conditions_on_multipliers),
        cmocka_unit_test(wrong_derivatives),
        cmocka_unit_test(unchecked_is_unchecked),
        cmocka_unit_test(wrong_indices),
        cmocka_unit_test(wrong_links),
        cmocka_unit_test(intervals),
        cmocka_unit_test(no_more_intervals_than_allowed),
        cmocka_unit_test(the_same_call_twice),
        cmocka_unit_test(callbacks_that_refuse),
        cmocka_unit_test(guesses_far_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
