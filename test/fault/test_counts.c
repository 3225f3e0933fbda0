/* test_counts.c -- every size in every structure: 0, negative, huge, and products that overflow an
 * int are refused by name, and nothing is allocated or evaluated for them. */
#include "test/support/run.h"

#include <limits.h>

static int never(void)
{
    fail_msg("a callback was called while a problem was created");
    return -1;
}

static int field2(double t, const double *y, double *f, void *c)
{
    (void)t, (void)y, (void)f, (void)c;
    return never();
}

static int field3(double t, const double *y, const double *z, double *f, void *c)
{
    (void)t, (void)y, (void)z, (void)f, (void)c;
    return never();
}

static int field4(double t, const double *u, const double *v, const double *l, double *k, void *c)
{
    (void)t, (void)u, (void)v, (void)l, (void)k, (void)c;
    return never();
}

static int matrix2(double t, const double *y, keel_matrix *M, void *c)
{
    (void)t, (void)y, (void)M, (void)c;
    return never();
}

static int level(double t, const double *y, const double *z, int k, double *h, void *c)
{
    (void)t, (void)y, (void)z, (void)k, (void)h, (void)c;
    return never();
}

/* The problem with three sizes in the order of the structure, and `rows` attached ones. */
typedef int maker(keel_problem **p, const int *size, int rows, keel_pattern pattern);

static int ode(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_ode(p, &(keel_ode_spec){.size = n[0], .rhs = field2, .pattern = pattern,
        .invariants = rows, .invariant = field2});
}

static int semi_explicit(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_semi_explicit(p, &(keel_semi_explicit_spec){.differential = n[0],
        .algebraic = n[1], .rhs = field3, .constraint = field3, .pattern = pattern,
        .attached = {.rows = rows, .value = field2}});
}

static int hessenberg2(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_hessenberg2(p, &(keel_hessenberg2_spec){.differential = n[0],
        .multipliers = n[1], .rhs = field3, .constraint = field2, .pattern = pattern,
        .attached = {.rows = rows, .value = field2}});
}

static int hessenberg3(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_hessenberg3(p, &(keel_hessenberg3_spec){.positions = n[0], .velocities = n[1],
        .multipliers = n[2], .position_rate = field3, .velocity_rate = field4,
        .constraint = field2, .pattern = pattern, .attached = {.rows = rows, .value = field2}});
}

static int mechanical(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    (void)pattern;
    return keel_mechanical(p, &(keel_mechanical_spec){.positions = n[0], .constraints = n[1],
        .force = field3, .constraint = field2, .attached = {.rows = rows, .value = field2}});
}

static int quasilinear(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_quasilinear(p, &(keel_quasilinear_spec){.size = n[0], .mass = matrix2,
        .rhs = field2, .pattern = pattern, .attached = {.rows = rows, .value = field2}});
}

static int implicit(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_implicit(p, &(keel_implicit_spec){.size = n[0], .residual = field3,
        .pattern = pattern, .attached = {.rows = rows, .value = field2}});
}

static int proper(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    (void)pattern;
    return keel_proper(p, &(keel_proper_spec){.size = n[0], .leading = n[1],
        .leading_matrix = field2, .leading_term = field2, .rest = field2,
        .attached = {.rows = rows, .value = field2}});
}

static int levelled(keel_problem **p, const int *n, int rows, keel_pattern pattern)
{
    return keel_levelled(p, &(keel_levelled_spec){.differential = n[0], .algebraic = n[1],
        .rate = field3, .level = level, .pattern = pattern,
        .attached = {.rows = rows, .value = field2}});
}

static const struct {
    maker *make;
    int sizes;
    const char *name[3];
    int zero[3];                 /* may it be 0? */
    int banded;                  /* has it a pattern of all unknowns? */
} makers[] = {
    {ode, 1, {"size"}, {0}, 1},
    {semi_explicit, 2, {"differential", "algebraic"}, {0, 1}, 1},
    {hessenberg2, 2, {"differential", "multipliers"}, {0, 1}, 1},
    {hessenberg3, 3, {"positions", "velocities", "multipliers"}, {0}, 1},
    {mechanical, 2, {"positions", "constraints"}, {0, 1}, 0},
    {quasilinear, 1, {"size"}, {0}, 1},
    {implicit, 1, {"size"}, {0}, 1},
    {proper, 2, {"size", "leading"}, {0}, 0},
    {levelled, 2, {"differential", "algebraic"}, {0, 1}, 1}};
enum { MAKERS = sizeof makers / sizeof *makers };

static void expect_refusal(int k, const int *size, int rows, keel_pattern pattern,
                           const char *part)
{
    keel_problem *p = NULL;
    int rc = makers[k].make(&p, size, rows, pattern);
    if (rc != KEEL_BAD_ARGUMENT)
        fail_msg("problem %d, %d %d %d: %s instead of %s", k, size[0], size[1], size[2],
                 keel_status_name(rc), part);
    expect_text(keel_problem_message(p), part);
    keel_problem_free(p);
}

static void every_size(void **state)
{
    static const int wrong[] = {0, -1, INT_MIN, INT_MAX, INT_MAX / 2, 1000001, 46341, 65536};
    (void)state;
    for (int k = 0; k < MAKERS; k++)
        for (int i = 0; i < makers[k].sizes; i++)
            for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
                int size[3] = {2, 2, 2}, many = wrong[w] > 8000 && wrong[w] <= 1000000;
                char part[60];
                size[i] = wrong[w];
                if (wrong[w] == 0 && makers[k].zero[i]) continue;
                snprintf(part, sizeof part, "%s = %d", makers[k].name[i], wrong[w]);
                expect_refusal(k, size, 0, (keel_pattern){0},
                               many ? "too many for dense matrices" : part);
            }
}

static void all_huge(void **state)
{
    const int size[3] = {INT_MAX, INT_MAX, INT_MAX};
    (void)state;
    for (int k = 0; k < MAKERS; k++)
        expect_refusal(k, size, INT_MAX, (keel_pattern){0}, makers[k].name[0]);
}

static void attached_rows(void **state)
{
    static const int wrong[] = {-1, INT_MIN, INT_MAX, 1000001};
    const int size[3] = {2, 1, 1}, wide[3] = {3000, 1, 1};
    (void)state;
    for (int k = 0; k < MAKERS; k++) {
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
            expect_refusal(k, size, wrong[w], (keel_pattern){0},
                           makers[k].make == ode ? "invariants = " : "attached.rows = ");
        if (makers[k].make != hessenberg3)       /* there f and k would be short of rows */
            expect_refusal(k, wide, 999999, (keel_pattern){0}, "too many for a dense matrix");
    }
}

/* (2 lower + upper + 1) n beyond an int: LAPACK could not address it. */
static void wide_bands(void **state)
{
    static const struct { int lower, upper; const char *part; } wrong[] = {
        {-1, 0, "lower = -1"}, {0, INT_MIN, "upper = "}, {INT_MAX, INT_MAX, "lower = "},
        {499999, 499999, "too many diagonals"}, {999, 999, "too many diagonals"}};
    const int size[3] = {1000000, 1000000, 1000000};
    (void)state;
    for (int k = 0; k < MAKERS; k++)
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong && makers[k].banded; w++)
            expect_refusal(k, size, 0, (keel_pattern){.storage = KEEL_BAND,
                .lower = wrong[w].lower, .upper = wrong[w].upper}, wrong[w].part);
}

static void patterns(void **state)
{
    static const int decreasing[] = {0, INT_MAX, 1}, negative[] = {0, -1, 2}, rows[] = {0, 1};
    const int size[3] = {2, 0, 0};
    const keel_pattern wrong[] = {{.storage = KEEL_SPARSE, .column_start = decreasing},
                                  {.storage = KEEL_SPARSE, .column_start = negative},
                                  {.storage = (keel_storage)77}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        keel_pattern pattern = wrong[k];
        pattern.row_index = rows;
        expect_refusal(0, size, 0, pattern, k < 2 ? "column_start" : "storage = 77");
    }
}

/* ---- the start, options and methods ---------------------------------------------------------- */

static int equation(double t, const double *y, const double *yp, double *value, void *c)
{
    (void)t, (void)y, (void)yp, (void)value, (void)c;
    return never();
}

static void initial_equations(void **state)
{
    static const int wrong[] = {-1, INT_MIN, INT_MAX, 100000};
    probe context = {0};
    const double y[2] = {1, 1};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    keel_solver *s = NULL;
    (void)state;
    expect_ok(keel_solver_create(&s, p, NULL), s, "create");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(keel_start_with(s, &(keel_start_spec){.y = y, .equations = wrong[i],
                                         .equation = equation}), KEEL_BAD_ARGUMENT);
        expect_text(keel_message(s), "equations = ");
    }
    keel_solver_free(s);
    keel_problem_free(p);
}

static void options_out_of_range(void **state)
{
    static const keel_options wrong[] = {{.max_steps = -1}, {.max_steps = LONG_MIN},
        {.max_steps = LONG_MAX}, {.sweeps = INT_MAX}, {.sweeps = INT_MIN}, {.newton_limit = -1},
        {.newton_limit = INT_MAX}, {.projection = (keel_projection)-1},
        {.projection = (keel_projection)INT_MAX}};
    static const char *const names[] = {"max-steps", "max-steps", "max-steps", "sweeps", "sweeps",
                                        "newton-limit", "newton-limit", "projection", "projection"};
    probe context = {0};
    keel_problem *p = new_problem(&forms[FORM_ODE], GIVEN, &context);
    (void)state;
    for (int i = 0; i < 9; i++) {
        keel_solver *s = NULL;
        assert_int_equal(keel_solver_create(&s, p, &wrong[i]), KEEL_BAD_ARGUMENT);
        expect_text(keel_message(s), names[i]);
        keel_solver_free(s);
    }
    keel_problem_free(p);
}

static void refused_method(int rc, keel_method **m, const char *part)
{
    assert_int_equal(rc, KEEL_BAD_ARGUMENT);
    expect_text(keel_method_message(*m), part);
    keel_method_free(*m);
}

static void coefficients(void **state)
{
    static const int wrong[] = {-1, INT_MIN, INT_MAX, 65536};
    static const double one[] = {1, 1, 1, 1}, half[] = {0.5};
    keel_method *m = NULL;
    (void)state;
    for (int i = 0; i < 4; i++) {
        int n = wrong[i];
        keel_tableau t = {.stages = 1, .A = half, .b = one};
        keel_multistep f = {.steps = 1, .alpha = one, .beta = one};
        keel_general_linear g = {.stages = 1, .values = 1, .A = one, .U = one, .B = one,
                                 .V = one, .c = one};
        t.stages = n;
        refused_method(keel_method_create(&m, &t), &m, "stages = ");
        t.stages = 1;
        t.extra = n;
        t.A_extra = one;
        refused_method(keel_method_create(&m, &t), &m, "extra stages");
        t.extra = 0;
        t.dense = one;
        t.dense_degree = n;
        refused_method(keel_method_create(&m, &t), &m, "dense_degree = ");
        t.dense = NULL;
        t.order = n;
        refused_method(keel_method_create(&m, &t), &m, "order");
        f.steps = n;
        refused_method(keel_multistep_create(&m, &f), &m, "steps = ");
        f.steps = 1;
        f.order = n;
        refused_method(keel_multistep_create(&m, &f), &m, n < 0 ? "order" : "");
        g.stages = n;
        refused_method(keel_general_linear_create(&m, &g), &m, "stages = ");
        g.stages = 1;
        g.values = n;
        refused_method(keel_general_linear_create(&m, &g), &m, "values = ");
        g.values = 1;
        g.order = n;
        refused_method(keel_general_linear_create(&m, &g), &m, "order");
        assert_int_equal(keel_starting_procedure(n, one, 1, (double[4]){0}, (double[4]){0}),
                         KEEL_BAD_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size), cmocka_unit_test(all_huge), cmocka_unit_test(attached_rows),
        cmocka_unit_test(wide_bands), cmocka_unit_test(patterns),
        cmocka_unit_test(initial_equations), cmocka_unit_test(options_out_of_range),
        cmocka_unit_test(coefficients)};
    return cmocka_run_group_tests_name("sizes out of range", tests, NULL, NULL);
}
