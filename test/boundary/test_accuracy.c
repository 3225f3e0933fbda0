/* test_accuracy.c -- true errors, in x and y, against what was asked for; orders; sizes of meshes. */
#include "test/boundary/cases.h"

static void solve_to(const bvp_case *c, double tol, double *x, double *z, int *mesh)
{
    keel_problem *p = case_problem(c);
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = tol, .atol = tol}, KEEL_OK);
    case_error(c, keel_boundary_solution(w), x, z);
    *mesh = keel_boundary_statistics(w)->mesh;
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* Every error, also that of y, and between mesh points, is below what was asked for.  Meshes are at most
 * 1.3 times those of a program of the same method that was written to find its constants. */
static void errors_are_as_asked(void **state)
{
    static const struct { int which; double tol; int mesh; } run[] = {
        {AP_LEFT, 1e-6, 6}, {AP_LEFT, 1e-8, 8}, {AP_LEFT, 1e-10, 10}, {AP_LEFT, 1e-12, 12},
        {AP_TWO_POINT, 1e-6, 6}, {AP_TWO_POINT, 1e-8, 8}, {AP_TWO_POINT, 1e-10, 10},
        {AP_TWO_POINT, 1e-12, 12}, {AP_NON_SEPARATED, 1e-6, 6}, {AP_NON_SEPARATED, 1e-8, 8},
        {AP_NON_SEPARATED, 1e-10, 10}, {AP_NON_SEPARATED, 1e-12, 12}, {BRATU_1, 1e-6, 6},
        {BRATU_1, 1e-8, 8}, {BRATU_1, 1e-10, 8}, {BRATU_1, 1e-12, 10}, {BRATU_35, 1e-6, 8},
        {BRATU_35, 1e-8, 10}, {BRATU_35, 1e-10, 12}, {BRATU_35, 1e-12, 20}, {CONTROL, 1e-6, 6},
        {CONTROL, 1e-8, 6}, {CONTROL, 1e-10, 8}, {CONTROL, 1e-12, 8}, {LAYERS_4, 1e-4, 1000},
        {LAYERS_4, 1e-6, 25}, {LAYERS_4, 1e-8, 40}, {LAYERS_4, 1e-10, 65}, {LAYERS_4, 1e-12, 110},
        {LAYERS_6, 1e-4, 1000}, {LAYERS_6, 1e-6, 45}, {LAYERS_6, 1e-8, 75}, {LAYERS_6, 1e-10, 130},
        {LAYERS_8, 1e-4, 1000}, {LAYERS_8, 1e-6, 140}, {LAYERS_8, 1e-8, 190},
        {LAYERS_8, 1e-10, 250}, {TURNING_3, 1e-6, 43}, {TURNING_3, 1e-8, 43},
        {TURNING_5, 1e-4, 1000}, {TURNING_5, 1e-6, 130}, {TURNING_5, 1e-8, 110},
        {TURNING_5, 1e-9, 1000}, {TURNING_5, 1e-10, 120}, {TURNING_7, 1e-6, 1000},
        {TURNING_7, 1e-8, 424}};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const bvp_case *c = &bvp_cases[run[i].which];
        double x, z;
        int mesh;
        solve_to(c, run[i].tol, &x, &z, &mesh);
        if (!(x <= run[i].tol) || !(z <= run[i].tol))
            fail_msg("%s to %.0e: errors %.2e in x, %.2e in y", c->name, run[i].tol, x, z);
        if (mesh > run[i].mesh)
            fail_msg("%s to %.0e: %d intervals instead of %d", c->name, run[i].tol, mesh, run[i].mesh);
    }
}

/* Tolerances of each unknown: y of layers, of size 100, to 1e-2 alone takes fewer intervals, and x1 has
 * still its 1e-10. */
static void tolerances_of_each_unknown(void **state)
{
    const bvp_case *c = &bvp_cases[LAYERS_4];
    keel_problem *p = case_problem(c);
    double y[3], exact[3], worst = 0;
    (void)state;
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
        .rtol_each = (double[]){1e-10, 1e-10, 1e-2},
        .atol_each = (double[]){1e-10, 1e-10, 1e-2}}, KEEL_OK);
    keel_boundary *all = case_solve(c, p, &(keel_boundary_options){.rtol = 1e-10, .atol = 1e-10}, KEEL_OK);
    for (int i = 0; i <= 1000; i++) {
        assert_int_equal(keel_solution_at(keel_boundary_solution(w), i / 1000.0, y), KEEL_OK);
        c->exact(i / 1000.0, c, exact);
        worst = fmax(worst, fabs(y[0] - exact[0]));
    }
    if (!(worst < 2e-10)) fail_msg("error of x1 %.2e", worst);
    if (!(5 * keel_boundary_statistics(w)->mesh < 4 * keel_boundary_statistics(all)->mesh))
        fail_msg("%d intervals beside %d", keel_boundary_statistics(w)->mesh,
                 keel_boundary_statistics(all)->mesh);
    assert_true(keel_boundary_statistics(w)->error_x <= 1 && keel_boundary_statistics(w)->error_y <= 1);
    keel_boundary_free(w);
    keel_boundary_free(all);
    keel_problem_free(p);
}

/* Nobody can be accurate to 1e-8 of 0, which u is at both ends: without atol it is rtol. */
static void relative_tolerance_alone(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    double x, z;
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = tolerance}, KEEL_OK);
        case_error(c, keel_boundary_solution(w), &x, &z);
        assert_true(x <= tolerance && z <= tolerance);
        keel_boundary_free(w);
    }
    keel_problem_free(p);
}

static double uniform_error(const bvp_case *c, int N, int k, double *between)
{
    keel_problem *p = case_problem(c);
    double z;
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
        .rtol = 1e-13, .atol = 1e-13, .mesh = N, .uniform = 1, .stages = k}, KEEL_OK);
    double e = case_mesh_error(c, keel_boundary_solution(w));
    assert_int_equal(keel_boundary_statistics(w)->mesh, N);
    assert_true(keel_boundary_statistics(w)->residual < 1e-12);
    case_error(c, keel_boundary_solution(w), between, &z);
    keel_boundary_free(w);
    keel_problem_free(p);
    return e;
}

/* Mesh values are of order 2k; the tolerance is half an order, since meshes are coarse. */
static void mesh_values_have_order_2k(void **state)
{
    static const struct { int which, k, N; } run[] = {
        {BRATU_35, 2, 20}, {BRATU_35, 3, 10}, {BRATU_1, 2, 10}, {AP_LEFT, 2, 80}, {AP_LEFT, 3, 20},
        {CONTROL, 2, 10}, {CONTROL, 1, 20}};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const bvp_case *c = &bvp_cases[run[i].which];
        double between, coarse = uniform_error(c, run[i].N, run[i].k, &between);
        double fine = uniform_error(c, 2 * run[i].N, run[i].k, &between);
        double order = log2(coarse / fine);
        if (!(fabs(order - 2 * run[i].k) < 0.5))
            fail_msg("%s, k = %d: order %.2f (%.2e, %.2e)", c->name, run[i].k, order, coarse, fine);
    }
}

/* Between mesh points the order is min(2k, k + 3), where collocation itself has k + 1. */
static void solution_between_has_order_k_plus_3(void **state)
{
    double coarse, fine;
    (void)state;
    uniform_error(&bvp_cases[BRATU_35], 10, 4, &coarse);
    uniform_error(&bvp_cases[BRATU_35], 20, 4, &fine);
    if (!(log2(coarse / fine) > 6.5)) fail_msg("order %.2f", log2(coarse / fine));
}

/* The estimate of mesh values, measured where it is all there is: true errors are at most twice as
 * large, and where they are the largest of all it is not three times larger. */
static void mesh_errors_are_estimated(void **state)
{
    static const struct { int which, N; double most; } run[] = {
        {AP_LEFT, 6, 3}, {AP_TWO_POINT, 6, 3}, {AP_NON_SEPARATED, 6, 3}, {AP_LEFT, 12, 1e9},
        {BRATU_35, 6, 1e9}};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const bvp_case *c = &bvp_cases[run[i].which];
        keel_problem *p = case_problem(c);
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
            .rtol = 1e-13, .atol = 1e-13, .mesh = run[i].N, .uniform = 1, .stages = 4}, KEEL_OK);
        double ratio = 1e-13 * keel_boundary_statistics(w)->error_global /
                       case_mesh_error(c, keel_boundary_solution(w));
        if (!(ratio > 0.5 && ratio < run[i].most)) fail_msg("%s: %.2f", c->name, ratio);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* The constraint is not collocated, its derivative is: errors do not see the projector, of norm 150.
 * Those of projected collocation are larger: see projectors_in_the_projected_form. */
static void badly_conditioned_projectors_do_no_harm(void **state)
{
    static const struct { int N; double most; } run[] = {{5, 1.3e-6}, {10, 3.6e-8}, {20, 7.5e-10}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double between, e = uniform_error(&bvp_cases[AP_LEFT], run[i].N, 3, &between);
        if (!(e < run[i].most)) fail_msg("N = %d: %.2e", run[i].N, e);
    }
}

/* The library imposes the constraint at either end, with the same result. */
static void constraint_at_the_right_end(void **state)
{
    const bvp_case *c = &bvp_cases[AP_LEFT];
    keel_problem *p = case_problem(c);
    double x, z;
    (void)state;
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8,
                                                                 .right = 1}, KEEL_OK);
    case_error(c, keel_boundary_solution(w), &x, &z);
    assert_true(x < 1e-8 && z < 1e-8);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* Radau IIA: order 2k - 1 at mesh points. */
static void radau_points(void **state)
{
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    double e[2], x, z;
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
            .rtol = 1e-13, .atol = 1e-13, .mesh = 10 << i, .uniform = 1, .stages = 2,
            .points = KEEL_POINTS_RADAU_IIA}, KEEL_OK);
        e[i] = case_mesh_error(c, keel_boundary_solution(w));
        keel_boundary_free(w);
    }
    assert_true(fabs(log2(e[0] / e[1]) - 3) < 0.5);
    keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
        .rtol = 1e-6, .atol = 1e-6, .points = KEEL_POINTS_RADAU_IIA}, KEEL_OK);
    case_error(c, keel_boundary_solution(w), &x, &z);
    assert_true(x < 1e-6 && z < 1e-6);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* Points of one's own: Gauss's are Gauss's, and others, of order k only, keep the tolerance. */
static void given_points(void **state)
{
    static const double gauss[] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double other[] = {0.2, 0.5, 0.9}, wrong[] = {0.5, 0.2, 0.9};
    const bvp_case *c = &bvp_cases[BRATU_1];
    keel_problem *p = case_problem(c);
    double x, z, e[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
            .rtol = 1e-10, .uniform = 1, .mesh = 10, .stages = 3,
            .points = i ? KEEL_POINTS_GIVEN : KEEL_POINTS_GAUSS, .nodes = gauss}, KEEL_OK);
        e[i] = case_mesh_error(c, keel_boundary_solution(w));
        keel_boundary_free(w);
    }
    if (!(fabs(e[1] / e[0] - 1) < 1e-3)) fail_msg("mesh error %.4e beside %.4e", e[1], e[0]);
    keel_boundary_options o = {.stages = 3, .points = KEEL_POINTS_GIVEN, .nodes = other};
    keel_boundary *w = case_solve(c, p, &o, KEEL_OK);
    case_error(c, keel_boundary_solution(w), &x, &z);
    if (!(x < 1e-6 && z < 1e-6)) fail_msg("errors %.2e, %.2e", x, z);
    keel_boundary_free(w);
    o.nodes = wrong;
    w = case_solve(c, p, &o, KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_boundary_message(w), "nodes[1]"));
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* The forms of index 2 for comparison: with projected mesh points x is of order 2k; without, Gauss
 * points have the order k + 1 if k is odd, and k if it is even [HW96 VII.4, table 4.1].  L = 2: meshes
 * need not resolve the projector. */
static void constraints_collocated_themselves(void **state)
{
    static const struct { keel_index2 form; int k, N; double order; } run[] = {
        {KEEL_INDEX2_PROJECTED, 2, 10, 4}, {KEEL_INDEX2_PROJECTED, 3, 5, 6},
        {KEEL_INDEX2_PLAIN, 2, 20, 2}, {KEEL_INDEX2_PLAIN, 3, 20, 4}};
    bvp_case c = bvp_cases[AP_LEFT];
    (void)state;
    c.number = 2;
    keel_problem *p = case_problem(&c);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        double e[2];
        for (int j = 0; j < 2; j++) {
            keel_boundary *w = case_solve(&c, p, &(keel_boundary_options){
                .rtol = 1e-12, .atol = 1e-12, .mesh = run[i].N << j, .uniform = 1,
                .stages = run[i].k, .index2 = run[i].form, .no_projection = 1}, KEEL_OK);
            e[j] = case_mesh_error(&c, keel_boundary_solution(w));
            if (run[i].form == KEEL_INDEX2_PROJECTED)
                assert_true(keel_boundary_statistics(w)->residual < 1e-12);
            keel_boundary_free(w);
        }
        double order = log2(e[0] / e[1]);
        if (!(fabs(order - run[i].order) < 0.5))
            fail_msg("form %d, k = %d: order %.2f (%.2e, %.2e)", (int)run[i].form, run[i].k, order,
                     e[0], e[1]);
    }
    keel_problem_free(p);
}

/* What projection costs where the projector is large: errors of another program for Ascher & Petzold's
 * form, written independently. */
static void projectors_in_the_projected_form(void **state)
{
    static const double elsewhere[] = {2.9e-3, 9.1e-5, 2.9e-8};
    const bvp_case *c = &bvp_cases[AP_LEFT];
    keel_problem *p = case_problem(c);
    (void)state;
    for (int i = 0; i < 3; i++) {
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){
            .rtol = 1e-12, .atol = 1e-12, .mesh = 5 << i, .uniform = 1, .stages = 3,
            .index2 = KEEL_INDEX2_PROJECTED}, KEEL_OK);
        double e = case_mesh_error(c, keel_boundary_solution(w));
        if (!(fabs(e / elsewhere[i] - 1) < 0.1)) fail_msg("N = %d: %.2e", 5 << i, e);
        keel_boundary_free(w);
    }
    keel_problem_free(p);
}

/* Points at which right-hand sides are evaluated: a tenth of those that solve_bvp of SciPy 1.10 takes for the
 * same error of the same ordinary differential equations (bench/boundary_beside_scipy.py). */
static void few_right_hand_sides(void **state)
{
    static const struct { int which; double tol, error; long most; } run[] = {
        {BRATU_1, 1e-8, 3e-11, 155}, {BRATU_35, 1e-9, 1e-10, 769}, {CONTROL, 1e-8, 4e-11, 172},
        {LAYERS_4, 1e-8, 1e-9, 1684}, {LAYERS_6, 2e-7, 2e-9, 4373}};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        const bvp_case *c = &bvp_cases[run[i].which];
        keel_problem *p = case_problem(c);
        double x, z;
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = run[i].tol}, KEEL_OK);
        const keel_boundary_stats *s = keel_boundary_statistics(w);
        case_error(c, keel_boundary_solution(w), &x, &z);
        if (!(x <= run[i].error)) fail_msg("%s: error %.1e", c->name, x);
        if (s->rhs + s->rhs_for_jacobian > run[i].most)
            fail_msg("%s: %ld points", c->name, s->rhs + s->rhs_for_jacobian);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

/* Two digits of thin layers: estimates need not decrease before they are seen. */
static void little_accuracy(void **state)
{
    static const int which[] = {LAYERS_4, LAYERS_6};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const bvp_case *c = &bvp_cases[which[i]];
        keel_problem *p = case_problem(c);
        double x, z;
        keel_boundary *w = case_solve(c, p, &(keel_boundary_options){.rtol = 1e-2}, KEEL_OK);
        case_error(c, keel_boundary_solution(w), &x, &z);
        assert_true(x <= 1e-2 && z <= 1e-2);
        keel_boundary_free(w);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_as_asked), cmocka_unit_test(tolerances_of_each_unknown),
        cmocka_unit_test(relative_tolerance_alone),
        cmocka_unit_test(mesh_values_have_order_2k),
        cmocka_unit_test(solution_between_has_order_k_plus_3),
        cmocka_unit_test(mesh_errors_are_estimated),
        cmocka_unit_test(badly_conditioned_projectors_do_no_harm),
        cmocka_unit_test(constraint_at_the_right_end), cmocka_unit_test(radau_points),
        cmocka_unit_test(given_points), cmocka_unit_test(few_right_hand_sides),
        cmocka_unit_test(little_accuracy),
        cmocka_unit_test(constraints_collocated_themselves),
        cmocka_unit_test(projectors_in_the_projected_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
