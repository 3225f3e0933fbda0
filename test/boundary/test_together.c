/* test_together.c -- what is asked of a solution, whatever way it was found or stored: sparse or dense,
 * matrices kept or made anew, from a file, with breaks at unknown times, on a branch with a branch point. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "test/boundary/refusal.h"
#include "test/boundary/ladder.h"

#include "problems/boundary.h"

static char path[] = "/tmp/keel-together-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void expect_near(const char *what, double value, double exact, double error)
{
    if (!(fabs(value - exact) <= error)) fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

static void expect(int rc, keel_boundary *w)
{
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
}

static keel_boundary *solved(const keel_boundary_spec *spec, const keel_boundary_options *o)
{
    keel_boundary *w = NULL;
    int rc = keel_boundary_create(&w, spec, o);
    expect(rc ? rc : keel_boundary_solve(w), w);
    return w;
}

/* ---- diagnoses ------------------------------------------------------------------------------- */

static void expect_same_diagnosis(keel_boundary *a, keel_boundary *b)
{
    const keel_boundary_diagnosis *one = keel_boundary_diagnose(a), *other = keel_boundary_diagnose(b);
    if (!one || !other) fail_msg("%s%s", keel_boundary_message(a), keel_boundary_message(b));
    assert_int_equal(one->intervals, other->intervals);
    assert_int_equal(one->modes, other->modes);
    assert_int_equal(one->growing, other->growing);
    assert_int_equal(one->decaying, other->decaying);
    for (int i = 0; i < one->modes; i++)
        expect_near("rate", one->rate[i], other->rate[i], 1e-6 * (1 + fabs(other->rate[i])));
    for (int i = 0; i <= one->intervals; i++) {
        expect_near("boundary", one->boundary[i], other->boundary[i], 1e-6 * other->boundary[i]);
        expect_near("green", one->green[i], other->green[i], 1e-6 * other->green[i]);
    }
}

/* All ways to the same solution; rates of the ladder are -(1 + i/pairs), 1 + i/pairs and couplings. */
static void one_diagnosis(void **state)
{
    ladder d = {.pairs = 30, .to = 4};
    keel_problem *p = NULL;
    keel_boundary_options o = {.rtol = 1e-8, .atol = 1e-8};
    (void)state;
    assert_int_equal(ladder_problem(&p, &d, 1, 1), KEEL_OK);
    keel_boundary_spec spec = ladder_boundary(p, &d);
    keel_boundary *sparse = solved(&spec, &o), *anew, *dense, *loaded = NULL;
    o.dense = 1;
    dense = solved(&spec, &o);
    o.memory = 1;
    anew = solved(&spec, &o);
    expect(keel_boundary_save(dense, path), dense);
    assert_int_equal(keel_boundary_create(&loaded, &spec, &o), KEEL_OK);
    expect(keel_boundary_load(loaded, path), loaded);
    expect_same_diagnosis(sparse, dense);
    expect_same_diagnosis(anew, dense);
    expect_same_diagnosis(loaded, dense);
    assert_true(keel_boundary_statistics(sparse)->growing > 5);
    keel_boundary_free(sparse);
    keel_boundary_free(dense);
    keel_boundary_free(anew);
    keel_boundary_free(loaded);
    keel_problem_free(p);
    ladder_free(&d);
}

/* Conditions that are missing are counted, and what they leave open is named, by sparse factors. */
static void sparse_refusal(void **state)
{
    ladder d = {.pairs = 30, .to = 1};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(ladder_problem(&p, &d, 1, 1), KEEL_OK);
    for (int dense = 0; dense < 2; dense++) {
        keel_boundary_spec spec = ladder_boundary(p, &d);
        spec.conditions--;
        refused(&spec, &(keel_boundary_options){.dense = dense}, KEEL_BAD_ARGUMENT,
                "1 are missing: at the guess nothing determines");
    }
    keel_problem_free(p);
    ladder_free(&d);
}

/* ---- stiff and sparse: copies of a turning point --------------------------------------------- */

enum { COPIES = 20 };
static bvp_case turning;

static int copies_rhs(double t, const double *x, const double *z, double *f, void *context)
{
    for (int i = 0; i < COPIES; i++) turning_rhs(t, x + 2 * i, z + i, f + 2 * i, context);
    return 0;
}
static int copies_constraint(double t, const double *x, const double *z, double *g, void *context)
{
    for (int i = 0; i < COPIES; i++) layers_constraint(t, x + 2 * i, z + i, g + i, context);
    return 0;
}
static int copies_ends(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    for (int i = 0; i < COPIES; i++) turning_ends(ya + 2 * i, yb + 2 * i, p, b + 2 * i, context);
    return 0;
}

/* Rows of x and z in each column: x1 nothing, x2 of h, z of all three. */
static void copies_pattern(int *start, int *row)
{
    int at = 0;
    for (int j = 0; j < 3 * COPIES; j++) {
        int i = j < 2 * COPIES ? j / 2 : j - 2 * COPIES;
        start[j] = at;
        if (j >= 2 * COPIES) row[at++] = 2 * i, row[at++] = 2 * i + 1;
        if (j >= 2 * COPIES || j % 2) row[at++] = 2 * COPIES + i;
    }
    start[3 * COPIES] = at;
}

/* Which intervals are stiff decides on estimates and meshes: the same ones. */
static void stiff_and_sparse(void **state)
{
    int start[3 * COPIES + 1], row[5 * COPIES], mesh[2];
    double y[3 * COPIES], exact[3];
    (void)state;
    turning = bvp_cases[TURNING_5];
    copies_pattern(start, row);
    for (int dense = 0; dense < 2; dense++) {
        keel_problem *p = NULL;
        assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
            .differential = 2 * COPIES, .algebraic = COPIES, .rhs = copies_rhs,
            .constraint = copies_constraint, .context = &turning,
            .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row}}), KEEL_OK);
        keel_boundary *w = solved(&(keel_boundary_spec){
            .problem = p, .from = -1, .to = 1, .conditions = 2 * COPIES, .condition = copies_ends,
            .context = &turning}, &(keel_boundary_options){.rtol = 1e-6, .atol = 1e-6, .dense = dense});
        for (int i = 0; i <= 200; i++) {
            double t = -1 + i / 100.0;
            assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
            turning_exact(t, &turning, exact);
            expect_near("x", y[2 * COPIES - 2], exact[0], 1e-6 * (1 + fabs(exact[0])));
        }
        const keel_boundary_stats *s = keel_boundary_statistics(w);
        assert_true(s->equations <= 1);
        mesh[dense] = s->mesh;
        keel_boundary_free(w);
        keel_problem_free(p);
    }
    if (abs(mesh[0] - mesh[1]) > mesh[1] / 10) fail_msg("%d and %d intervals", mesh[0], mesh[1]);
}

/* ---- breaks at unknown times ------------------------------------------------------------------ */

enum { CARTS = 25 };

/* From rest to rest in least time, times over T; the i-th cart is i + 1 times as far away and as fast. */
static int bang(double t, const double *y, double *f, void *context)
{
    const double *p = ((const keel_frame *)context)->parameters;
    for (int i = 0; i < CARTS; i++) {
        f[2 * i] = p[1] * y[2 * i + 1];
        f[2 * i + 1] = p[1] * (i + 1) * (t < p[0] ? 1 : -1);
    }
    return 0;
}
static int rests(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)p, (void)context;
    for (int i = 0; i < 2 * CARTS; i++) b[i] = ya[i];
    b[2 * CARTS] = yb[0] - 1;
    b[2 * CARTS + 1] = yb[1];
    return 0;
}
static int lean(double t, double *y, double *p, void *context)
{
    (void)context;
    for (int i = 0; i < CARTS; i++) {
        y[2 * i] = (i + 1) * t;
        y[2 * i + 1] = 0.5 * (i + 1);
    }
    p[0] = 0.3;
    p[1] = 1;
    return 0;
}

/* s = 1/2, T = 2, x = 2 t^2 before: of sparse Jacobians, and of a file. */
static void sparse_breaks_in_files(void **state)
{
    int start[2 * CARTS + 1], row[CARTS];
    double y[2 * CARTS], z[2 * CARTS];
    keel_problem *p = NULL;
    (void)state;
    for (int j = 0; j <= 2 * CARTS; j++) start[j] = j / 2;
    for (int i = 0; i < CARTS; i++) row[i] = 2 * i;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 2 * CARTS, .rhs = bang,
        .pattern = {.storage = KEEL_SPARSE, .column_start = start, .row_index = row},
        .frame = {.parameters = 2, .parameter_start = (double[]){0.3, 1}}}), KEEL_OK);
    keel_boundary_spec spec = {
        .problem = p, .to = 1, .conditions = 2 * CARTS + 2, .condition = rests, .parameters = 2,
        .guess = lean, .breaks = 1, .break_at = (double[]){0.3}, .break_parameter = (int[]){0}};
    keel_boundary_options o = {.rtol = 1e-9, .atol = 1e-9};
    keel_boundary *w = solved(&spec, &o), *loaded = NULL;
    o.dense = 1;
    keel_boundary *dense = solved(&spec, &o);
    expect_same_diagnosis(w, dense);             /* where dt/ds is 0.5/0.3 and 0.5/0.7 */
    keel_boundary_free(dense);
    expect(keel_boundary_save(w, path), w);
    assert_int_equal(keel_boundary_create(&loaded, &spec, &o), KEEL_OK);
    expect(keel_boundary_load(loaded, path), loaded);
    expect_near("switch", keel_boundary_parameters(w)[0], 0.5, 1e-9);
    expect_near("T", keel_boundary_parameters(w)[1], 2, 1e-9);
    for (int i = 0; i <= 20; i++) {
        double t = i / 20.0, exact = t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), t, y), KEEL_OK);
        assert_int_equal(keel_solution_at(keel_boundary_solution(loaded), t, z), KEEL_OK);
        expect_near("x", y[0], exact, 1e-8);
        expect_near("the last x", y[2 * CARTS - 2], CARTS * exact, 1e-7);
        assert_memory_equal(y, z, sizeof y);
    }
    /* On an interval twice as long the switch is at twice the time, and T half. */
    expect(keel_boundary_set_interval(w, 0, 2), w);
    expect(keel_boundary_solve(w), w);
    expect_near("later", keel_boundary_parameters(w)[0], 1, 1e-8);
    expect_near("slower", keel_boundary_parameters(w)[1], 1, 1e-8);
    assert_int_equal(keel_boundary_set_interval(w, 2, 0), KEEL_UNSUPPORTED);
    keel_boundary_free(w);
    keel_boundary_free(loaded);
    keel_problem_free(p);
}

/* ---- points of one's own, in files ------------------------------------------------------------- */

static void given_points_in_files(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    keel_boundary_spec spec = case_spec(c, p);
    keel_boundary_options o = {.stages = 3, .points = KEEL_POINTS_GIVEN,
                               .nodes = (double[]){0.15, 0.5, 0.8}};
    double y[3], z[3];
    (void)state;
    keel_boundary *w = solved(&spec, &o), *loaded = NULL;
    expect(keel_boundary_save(w, path), w);
    assert_int_equal(keel_boundary_create(&loaded, &spec, &o), KEEL_OK);
    expect(keel_boundary_load(loaded, path), loaded);
    for (int i = 0; i <= 50; i++) {
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), i / 50.0, y), KEEL_OK);
        assert_int_equal(keel_solution_at(keel_boundary_solution(loaded), i / 50.0, z), KEEL_OK);
        assert_memory_equal(y, z, sizeof y);
    }
    expect(keel_boundary_solve(loaded), loaded);
    keel_boundary_free(w);
    keel_boundary_free(loaded);
    keel_problem_free(p);
}

/* ---- fits without room for matrices ------------------------------------------------------------ */

static int decay(double t, const double *y, double *f, void *context)
{
    (void)t;
    f[0] = -((const keel_frame *)context)->parameters[0] * y[0];
    return 0;
}
static int one(const double *ya, const double *yb, const double *p, double *b, void *context)
{
    (void)yb, (void)p, (void)context;
    b[0] = ya[0] - 1;
    return 0;
}

/* x = e^-kt: dx/dk = -t e^-kt, by matrices that are made anew. */
static void fit_anew(void **state)
{
    keel_problem *p = NULL;
    keel_measurement m[4];
    (void)state;
    for (int i = 0; i < 4; i++) m[i] = (keel_measurement){.t = 0.25 * (i + 1), .value = exp(-0.5 * (i + 1))};
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = decay,
        .frame = {.parameters = 1, .parameter_start = (double[]){1}}}), KEEL_OK);
    for (int memory = 0; memory < 2; memory++) {
        keel_fit *f = NULL;
        int rc = keel_fit_create(&f, &(keel_boundary_spec){.problem = p, .to = 1, .conditions = 1,
            .condition = one}, &(keel_boundary_options){.rtol = 1e-9, .atol = 1e-9, .memory = memory},
            &(keel_fit_options){.parameters = 1, .measurements = 4, .measurement = m});
        if (!rc) rc = keel_fit_run(f, NULL);
        if (rc) fail_msg("%s", keel_fit_message(f));
        const keel_fit_result *r = keel_fit_result_of(f);
        expect_near("k", r->value[0], 2, 1e-8);
        for (int i = 0; i < 4; i++)
            expect_near("dx/dk", r->sensitivity[i], -m[i].t * exp(-2 * m[i].t), 1e-7);
        keel_fit_free(f);
    }
    keel_problem_free(p);
}

/* ---- a branch with branch points, given up and taken up again ----------------------------------- */

static keel_branch *elastica(const keel_problem *p, double *load, int most)
{
    keel_branch *b = NULL;
    keel_boundary_spec spec = *problem_elastica.boundary->spec;
    spec.problem = p;
    spec.from = problem_elastica.t_start;
    spec.to = problem_elastica.t_end;
    spec.context = load;
    assert_int_equal(keel_branch_create(&b, &spec, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
        &(keel_branch_options){.arclength = 1, .most = most}), KEEL_OK);
    return b;
}

/* Over the pitchfork at pi^2, where the load turns: the same to the last bit. */
static void resumed_over_a_branch_point(void **state)
{
    double load = 30;
    int found = 0;
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(problem_elastica.create(&p, &load), KEEL_OK);
    keel_branch *whole = elastica(p, &load, 0), *b = elastica(p, &load, 1);
    assert_int_equal(keel_branch_start(whole, load), KEEL_OK);
    assert_int_equal(keel_branch_follow(whole, 5), KEEL_OK);
    assert_int_equal(keel_branch_start(b, load), KEEL_OK);
    int rc = keel_branch_follow(b, 5);
    for (int parts = 0; rc == KEEL_STEP_LIMIT && parts < 500; parts++) {
        assert_int_equal(keel_branch_save(b, path), KEEL_OK);
        keel_branch_free(b);
        b = elastica(p, &load, 1);
        assert_int_equal(keel_branch_load(b, path), KEEL_OK);
        rc = keel_branch_follow(b, 5);
    }
    if (rc) fail_msg("%s", keel_branch_message(b));
    assert_int_equal(keel_branch_count(b), keel_branch_count(whole));
    for (int i = 0; i < keel_branch_count(b); i++) {
        const keel_branch_point *x = keel_branch_at(b, i), *y = keel_branch_at(whole, i);
        assert_true(x->parameter == y->parameter && x->arc == y->arc);
        assert_int_equal(x->branch_point, y->branch_point);
        assert_int_equal(x->fold, 0);
        found += x->branch_point;
    }
    assert_int_equal(found, 1);
    keel_branch_free(b);
    keel_branch_free(whole);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_diagnosis), cmocka_unit_test(sparse_refusal),
        cmocka_unit_test(stiff_and_sparse), cmocka_unit_test(sparse_breaks_in_files),
        cmocka_unit_test(given_points_in_files), cmocka_unit_test(fit_anew),
        cmocka_unit_test(resumed_over_a_branch_point),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
