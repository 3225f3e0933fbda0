/* test_levelled_orders.c -- orders of convergence on levelled problems of index 2, 3 and 4 with
 * constant steps, and of attached rows; theory: docs/orders.md for the Hessenberg forms of the same
 * index, models with f nonlinear in z and a direction that is not along the gradient. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "test/support/levelled.h"

/* The support problem hands over the rows of a level without gaps; the form wants them in place. */
static int level_in_place(double t, const double *y, const double *z, int k, double *h, void *context)
{
    const levelled *p = context;
    double rows[LEVELLED_MAX];
    int rc = p->level(t, y, z, k, rows, p->context);
    for (int i = 0, at = 0; i < p->algebraic; i++)
        if (p->chain[i] >= k) h[i] = rows[at++];
    return rc;
}

static int rate(double t, const double *y, const double *z, double *f, void *context)
{
    const levelled *p = context;
    return p->rate(t, y, z, f, p->context);
}

static int jacobian(double t, const double *y, const double *z, keel_matrix *J, void *context)
{
    const levelled *p = context;
    return p->jacobian(t, y, z, J, p->context);
}

static keel_problem *problem_of(levelled *p, int given)
{
    keel_problem *problem = NULL;
    assert_int_equal(keel_levelled(&problem, &(keel_levelled_spec){
        .differential = p->differential, .algebraic = p->algebraic, .next = p->next,
        .chain = p->chain, .rate = rate, .level = level_in_place,
        .jacobian = given ? jacobian : NULL, .context = p}), KEEL_OK);
    return problem;
}

/* Largest errors of y and z at t = 1 after `steps` steps. */
static void errors(const keel_problem *problem, const levelled *p, const char *method,
                   keel_projection projection, int steps, double error[2])
{
    keel_solver *s = NULL;
    double start[LEVELLED_MAX], end[LEVELLED_MAX];
    p->exact(0, start, p->context);
    p->exact(1, end, p->context);
    assert_int_equal(keel_solver_create(&s, problem, &(keel_options){
        .method = method, .step = 1.0 / steps, .projection = projection}), KEEL_OK);
    if (keel_start(s, 0, start) || keel_advance_to(s, 1)) fail_msg("%s: %s", method, keel_message(s));
    error[0] = error[1] = 0;
    for (int i = 0; i < p->differential + p->algebraic; i++) {
        double *largest = &error[i >= p->differential];
        *largest = fmax(*largest, fabs(keel_state(s)[i] - end[i]));
    }
    for (int k = 0; k + 1 < keel_problem_levels(problem); k++)
        if (projection == KEEL_PROJECT_OBLIQUE)
            assert_true(keel_solver_stats(s)->residual[k] <= 1e-14);
    keel_solver_free(s);
}

typedef struct expectation {
    const char *formulation, *method;
    int steps;                   /* and twice as many                                      */
    double y, z;                 /* orders                                                 */
} expectation;

static void check(levelled p, keel_projection projection, const expectation *e)
{
    double coarse[2], fine[2];
    keel_problem *original = problem_of(&p, e->steps % 2 == 0), *problem = NULL;
    assert_int_equal(keel_formulate(&problem, original,
                                    &(keel_formulation){.name = e->formulation}), KEEL_OK);
    errors(problem, &p, e->method, projection, e->steps, coarse);
    errors(problem, &p, e->method, projection, 2 * e->steps, fine);
    double y = log2(coarse[0] / fine[0]), z = log2(coarse[1] / fine[1]);
    int rounding = fine[0] < 1e-12;              /* ends what could still be told apart */
    if (!(y >= e->y - 0.3) || (y > e->y + 0.3 && !rounding) || !(z >= e->z - 0.3))
        fail_msg("%s %s %s: orders %.2f and %.2f, not %g and %g (errors %.1e %.1e, %.1e %.1e)", p.name,
                 e->formulation, e->method, y, z, e->y, e->z, coarse[0], coarse[1], fine[0], fine[1]);
    keel_problem_free(problem);
    keel_problem_free(original);
}

/* Radau IIA on index 3 has order 2s - 1 where f is linear in z, and 2s - 2 where it is not, as in
 * Hessenberg form. */
static const expectation
    common[] = {
        {"index1", "gauss-2", 40, 4, 4}, {"index2", "gauss-2", 40, 4, 4},
        {"index1", "gauss-3", 10, 6, 6}, {"index2", "gauss-3", 10, 6, 6},
        {"index1", "radau-iia-2", 40, 3, 3}, {"index2", "radau-iia-2", 41, 3, 3},
        {"index1", "radau-iia-3", 20, 5, 5}, {"index2", "radau-iia-3", 21, 5, 5},
        {"index1", "dopri5", 20, 5, 5}, {"index1", "dop853", 4, 8, 7},
        {"index1", "hem-4", 40, 4, 4}, {"index1", "hem-5", 20, 5, 5},
        {"index1", "bdf-2", 160, 2, 2}, {"index1", "bdf-3", 160, 3, 3}, {"index2", "bdf-3", 160, 3, 3},
        {"index1", "bdf-4", 80, 4, 4}, {"index1", "dimsim-2", 80, 2, 2}},
    third[] = {{"index3", "radau-iia-2", 640, 2, 2}, {"index3", "radau-iia-3", 40, 4, 4},
               {"index3", "bdf-3", 160, 3, 3}, {"index3", "gauss-2", 80, 2, 2},
               {"index3", "gauss-3", 40, 3, 3}},
    third_linear[] = {{"index3", "radau-iia-2", 40, 3, 3}, {"index3", "radau-iia-3", 20, 5, 5}};

static void orders(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof common / sizeof *common; k++) {
        check(levelled_index2(), KEEL_PROJECT_OBLIQUE, &common[k]);
        check(levelled_index3(), KEEL_PROJECT_OBLIQUE, &common[k]);
        check(levelled_index4(), KEEL_PROJECT_OBLIQUE, &common[k]);
        check(levelled_mixed(), KEEL_PROJECT_OBLIQUE, &common[k]);
    }
    for (size_t k = 0; k < sizeof third / sizeof *third; k++) {
        check(levelled_index3(), KEEL_PROJECT_OBLIQUE, &third[k]);
        check(levelled_index4(), KEEL_PROJECT_OBLIQUE, &third[k]);
    }
    for (size_t k = 0; k < sizeof third_linear / sizeof *third_linear; k++) {
        check(levelled_tower(2, 1), KEEL_PROJECT_OBLIQUE, &third_linear[k]);
        check(levelled_tower(3, 1), KEEL_PROJECT_OBLIQUE, &third_linear[k]);
    }
}

/* At lag 1 methods that are not stiffly accurate keep their order along f_z g_z^-1 only. */
static void minimum_norm_loses_orders(void **state)
{
    (void)state;
    check(levelled_index2(), KEEL_PROJECT_OBLIQUE, &(expectation){"index2", "gauss-2", 40, 4, 4});
    check(levelled_index2(), KEEL_PROJECT_ORTHOGONAL, &(expectation){"index2", "gauss-2", 40, 2, 2});
    check(levelled_index2(), KEEL_PROJECT_ORTHOGONAL,
          &(expectation){"index2", "gauss-3", 40, 3, 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                       cmocka_unit_test(minimum_norm_loses_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
