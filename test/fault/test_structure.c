/* test_structure.c -- problems that are not what they are declared to be.
 *
 * Redundant or contradicting constraints, fixed values that cannot be met, a wrong index, singular
 * matrices: each must be refused at the start (or where it happens) with a name in the message.
 */
#include "test/support/run.h"

/* Start at y; expects the status and all parts in the message. */
static void start_fails(keel_problem *p, const keel_options *o, const double *y,
                        const keel_mark *marks, int expected, const char *const parts[])
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, "create");
    expect_status(keel_start_marked(s, 0, y, NULL, marks), expected, s, parts[0]);
    for (int k = 0; parts[k]; k++) expect_text(keel_message(s), parts[k]);
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);
    keel_solver_free(s);
    keel_problem_free(p);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- mechanical: two links, with constraints that can be made dependent ---------------------- */

typedef struct linkage { int redundant, singular_mass, massless_direction; } linkage;

static int linkage_mass(double t, const double *q, double *M, void *context)
{
    const linkage *k = context;
    (void)t, (void)q;
    for (int i = 0; i < 9; i++) M[i] = i % 4 == 0;
    if (k->singular_mass) M[0] = 0;               /* the constraint acts on q1: regular on ker G */
    if (k->massless_direction) M[8] = 0;          /* q3 is not constrained: singular on ker G */
    return 0;
}

static int linkage_force(double t, const double *q, const double *v, double *f, void *context)
{
    (void)t, (void)q, (void)v, (void)context;
    f[0] = 0;
    f[1] = -9.81;
    f[2] = 1;
    return 0;
}

/* g1 = q1 - q2, and g2 = 2 (q1 - q2) or q1 + q2 - 2 */
static int linkage_constraint(double t, const double *q, double *g, void *context)
{
    const linkage *k = context;
    (void)t;
    g[0] = q[0] - q[1];
    g[1] = k->redundant ? 2 * g[0] : q[0] + q[1] - 2;
    return 0;
}

static keel_problem *make_linkage(linkage *k, int constraints)
{
    static const char *const names[] = {"left", "right", "third", "v left", "v right", "v third",
                                        "first force", "second force"};
    keel_problem *p = NULL;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 3,
        .constraints = constraints, .mass = linkage_mass, .force = linkage_force,
        .constraint = linkage_constraint, .names = names, .context = k}), KEEL_OK);
    return p;
}

/* Along the gradients of the two rows below: what acts is determined. */
static int pushed(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = f[1] = z[0] + 2 * z[1];
    return 0;
}

static int twice(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = y[0] + y[1] - 2;
    g[1] = 2 * g[0];
    return 0;
}

/* Mechanical problems, also in most formulations, go on with them (test_dependent); of other forms they
 * are named, and in formulations that eliminate multipliers refused. */
static void redundant_constraints(void **state)
{
    static const char *const names[] = {"left", "right"};
    double y[8] = {1, 1};
    keel_problem *p = NULL, *formulated = NULL, *original = make_linkage(&(linkage){.redundant = 1}, 2);
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 2, .multipliers = 2,
        .rhs = pushed, .constraint = twice, .constraint_names = names}), KEEL_OK);
    keel_solver *s = NULL;                       /* they do not contradict: a remark */
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_text(keel_message(s), "left, right depend on each other");
    expect_text(keel_message(s), "rank 1, not 2");
    keel_solver_free(s);
    keel_problem_free(p);
    assert_int_equal(keel_formulate(&formulated, original, &(keel_formulation){.name = "index1"}),
                     KEEL_OK);
    expect_ok(keel_solver_create(&s, formulated, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_text(keel_message(s), "g[0], g[1] depend on each other");
    keel_solver_free(s);
    keel_problem_free(formulated);
    assert_int_equal(keel_formulate(&formulated, original, &(keel_formulation){.name = "index0"}),
                     KEEL_OK);
    start_fails(formulated, NULL, y, NULL, KEEL_REDUNDANT, PARTS("position g[0]", "rank 1"));
    keel_problem_free(original);
}

static void fixed_values(void **state)
{
    double y[8] = {1, 2};
    keel_mark marks[8] = {KEEL_FIXED, KEEL_FIXED};
    (void)state;
    start_fails(make_linkage(&(linkage){0}, 1), NULL, y, marks, KEEL_INCONSISTENT,
                PARTS("position g[0]", "left", "right", "-1"));
    y[1] = 1;
    y[3] = 1;
    marks[3] = marks[4] = KEEL_FIXED;
    start_fails(make_linkage(&(linkage){0}, 1), NULL, y, marks, KEEL_INCONSISTENT,
                PARTS("velocity g[0]", "v left", "v right"));
}

/* A massless coordinate is fine where the constraints determine it, and only there. */
static void singular_mass(void **state)
{
    double y[8] = {1, 1};
    linkage regular = {.singular_mass = 1}, hopeless = {.massless_direction = 1};
    keel_problem *p = make_linkage(&regular, 1);
    keel_solver *s = NULL;
    (void)state;
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "regular on ker G");
    expect_ok(keel_advance_to(s, 1), s, "regular on ker G");
    assert_true(fabs(keel_state(s)[0] - (1 - 0.5 * 9.81)) < 1e-9);
    assert_true(fabs(keel_state(s)[6] - 0) < 1e-9);          /* no mass, no force on q1 */
    keel_solver_free(s);
    keel_problem_free(p);
    start_fails(make_linkage(&hopeless, 1), NULL, y, NULL, KEEL_SINGULAR, PARTS("singular"));
}

/* ---- wrong index ----------------------------------------------------------------------------- */

static int index2_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)y, (void)context;
    f[0] = z[0];
    return 0;
}

static int index2_constraint(double t, const double *y, const double *z, double *g, void *context)
{
    (void)z, (void)context;
    g[0] = y[0] - t;
    return 0;
}

static void semi_explicit_of_index2(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){.differential = 1,
        .algebraic = 1, .rhs = index2_rhs, .constraint = index2_constraint}), KEEL_OK);
    start_fails(p, NULL, (double[]){0, 1}, NULL, KEEL_WRONG_INDEX, PARTS("g_z", "semi-explicit"));
}

/* The pendulum (x, y, u, v; l) as if it were of index 2: g depends on positions only. */
static int pendulum_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] * z[0];
    f[3] = -y[1] * z[0] - 1;
    return 0;
}

static int pendulum_length(double t, const double *y, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1);
    return 0;
}

static void hessenberg2_of_index3(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg2(&p, &(keel_hessenberg2_spec){.differential = 4,
        .multipliers = 1, .rhs = pendulum_rhs, .constraint = pendulum_length}), KEEL_OK);
    start_fails(p, NULL, (double[]){1, 0, 0, 0, 0}, NULL, KEEL_WRONG_INDEX,
                PARTS("g_y f_z", "Hessenberg 2"));
}

/* u' = v, v' = k with a multiplier that acts on the wrong unknown. */
static int wrong_rate(double t, const double *u, const double *v, double *f, void *context)
{
    (void)t, (void)u, (void)context;
    f[0] = v[0];
    f[1] = v[1];
    return 0;
}

static int wrong_push(double t, const double *u, const double *v, const double *l, double *k,
                      void *context)
{
    (void)t, (void)u, (void)v, (void)context;
    k[0] = 1;
    k[1] = -l[0];
    return 0;
}

static int first_position(double t, const double *u, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = u[0];
    return 0;
}

static void hessenberg3_of_higher_index(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_hessenberg3(&p, &(keel_hessenberg3_spec){.positions = 2, .velocities = 2,
        .multipliers = 1, .position_rate = wrong_rate, .velocity_rate = wrong_push,
        .constraint = first_position}), KEEL_OK);
    start_fails(p, NULL, (double[]){0, 0, 0, 0, 0}, NULL, KEEL_WRONG_INDEX,
                PARTS("g_u f_v k_l", "Hessenberg 3"));
}

static int first_row_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    return 0;
}

static int index2_f(double t, const double *y, double *f, void *context)
{
    (void)context;
    f[0] = y[1];
    f[1] = y[0] - sin(t);
    return 0;
}

/* Both rows say what y[1] + y[2] is: the same, which leaves each of them open, or not. */
static int same_sum_f(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = -y[0];
    f[1] = y[1] + y[2] - y[0];
    f[2] = f[1] - *(const double *)context;
    return 0;
}

static void quasilinear_rows_that_contradict(void **state)
{
    double apart[] = {0, 1}, y[3] = {1, 0.3, 0.3};
    (void)state;
    for (int k = 0; k < 2; k++) {
        keel_problem *p = NULL;
        const keel_quasilinear_spec spec = {.size = 3, .mass = first_row_mass, .constant_mass = 1,
                                            .rhs = same_sum_f, .context = &apart[k]};
        assert_int_equal(keel_quasilinear(&p, &spec), KEEL_OK);
        if (k == 0) start_fails(p, NULL, y, NULL, KEEL_WRONG_INDEX, PARTS("y[2]", "repeat each other"));
        else
            start_fails(p, NULL, y, NULL, KEEL_INCONSISTENT,
                        PARTS("equation[1], equation[2] contradict each other"));
    }
}

static void quasilinear_of_index2(void **state)
{
    keel_quasilinear_spec spec = {.size = 2, .mass = first_row_mass, .constant_mass = 1,
                                  .rhs = index2_f, .names = (const char *[]){"sine", "cosine"}};
    double y[2] = {0, 1};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_quasilinear(&p, &spec), KEEL_OK);
    start_fails(p, NULL, y, NULL, KEEL_WRONG_INDEX, PARTS("cosine", "index 1", "variable_index"));
    spec.variable_index = (int[]){1, 2};
    assert_int_equal(keel_quasilinear(&p, &spec), KEEL_OK);
    assert_int_equal(keel_problem_index(p), 2);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    expect_ok(keel_advance_to(s, 1), s, "advance");
    assert_true(fabs(keel_state(s)[0] - sin(1.0)) < 1e-5);
    assert_true(fabs(keel_state(s)[1] - cos(1.0)) < 1e-3);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* ---- singular iteration matrix, and points that do not exist --------------------------------- */

/* M y' = f with the same equation twice: regular for no y'. */
static int same_row_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)context;
    keel_put(M, 0, 0, 1);
    keel_put(M, 1, 0, 1);
    return 0;
}

static int same_row_f(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = f[1] = -y[0];
    return 0;
}

static void singular_iteration_matrix(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y[2] = {1, 1};
    (void)state;
    assert_int_equal(keel_quasilinear(&p, &(keel_quasilinear_spec){.size = 2,
        .mass = same_row_mass, .constant_mass = 1, .rhs = same_row_f,
        .variable_index = (int[]){1, 2}}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    int rc = keel_start(s, 0, y);
    if (!rc) rc = keel_step(s);
    if (rc != KEEL_SINGULAR && rc != KEEL_WRONG_INDEX)
        fail_msg("%s: %s", keel_status_name(rc), keel_message(s));
    expect_text(keel_message(s), "y[1]");
    keel_solver_free(s);
    keel_problem_free(p);
}

static int no_root(double t, const double *q, double *g, void *context)
{
    (void)t, (void)context;
    g[0] = q[0] * q[0] + q[1] * q[1] + 1;
    return 0;
}

static void no_consistent_point(void **state)
{
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_mechanical(&p, &(keel_mechanical_spec){.positions = 2, .constraints = 1,
        .force = mechanism_force, .constraint = no_root, .context = &(probe){0}}), KEEL_OK);
    start_fails(p, NULL, (double[]){1, 1, 0, 0, 0}, NULL, KEEL_INCONSISTENT,
                PARTS("position g[0]", "q[0]", "t = 0"));
}

static int blow_up(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = y[0] * y[0];
    return 0;
}

/* y' = y^2 ends at t = 1: the step size falls to rounding there, not before. */
static void singular_solution(void **state)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = blow_up}), KEEL_OK);
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    expect_ok(keel_start(s, 0, (double[]){1}), s, "start");
    int rc = keel_advance_to(s, 2);
    assert_true(rc == KEEL_STEP_TOO_SMALL || rc == KEEL_NOT_FINITE);
    assert_true(fabs(keel_time(s) - 1) < 1e-3);
    expect_text(keel_message(s), "t = ");
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_constraints), cmocka_unit_test(fixed_values),
        cmocka_unit_test(singular_mass), cmocka_unit_test(semi_explicit_of_index2),
        cmocka_unit_test(hessenberg2_of_index3), cmocka_unit_test(hessenberg3_of_higher_index),
        cmocka_unit_test(quasilinear_of_index2), cmocka_unit_test(quasilinear_rows_that_contradict),
        cmocka_unit_test(singular_iteration_matrix),
        cmocka_unit_test(no_consistent_point), cmocka_unit_test(singular_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
