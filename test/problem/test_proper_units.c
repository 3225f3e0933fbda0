/* test_proper_units.c -- properly stated leading terms in units of their own, and their derivatives
 * by differences.
 */
#include "integrate/integrator.h"
#include "consistent/consistent.h"
#include "test/problem/evaluators.h"

/* ---- units ----------------------------------------------------------------------------------- */

/* E D^-1 (D x)' + E x = 0, i.e. x' = -x: units of x and of d in D, of the equations in E. */
typedef struct units { double D[4], E[2]; } units;

static int leading_matrix(double t, const double *x, double *A, void *context)
{
    const units *u = context;
    const double *D = u->D, det = D[0] * D[3] - D[1] * D[2];
    (void)t, (void)x;
    A[0] = u->E[0] * D[3] / det, A[1] = -u->E[0] * D[1] / det;
    A[2] = -u->E[1] * D[2] / det, A[3] = u->E[1] * D[0] / det;
    return 0;
}

static int leading_term(double t, const double *x, double *d, void *context)
{
    const units *u = context;
    (void)t;
    for (int k = 0; k < 2; k++) d[k] = u->D[2 * k] * x[0] + u->D[2 * k + 1] * x[1];
    return 0;
}

static int leading_term_jacobian(double t, const double *x, double *d_x, void *context)
{
    const units *u = context;
    (void)t, (void)x;
    memcpy(d_x, u->D, sizeof u->D);
    return 0;
}

static int rest(double t, const double *x, double *b, void *context)
{
    const units *u = context;
    (void)t;
    for (int i = 0; i < 2; i++) b[i] = u->E[i] * x[i];
    return 0;
}

/* They decide on no rank. */
static void units_do_not_matter(void **state)
{
    static units cases[] = {
        {.D = {1, 1e-12, 1, -1e-12}, .E = {1, 1}},          /* of an unknown       */
        {.D = {1, 1, 1e-12, -1e-12}, .E = {1, 1}},          /* of a component of d */
        {.D = {1, 1, 1, -1}, .E = {1, 1e-12}},              /* of an equation      */
    };
    const double x[4] = {1, 1, 0, 0};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        assert_int_equal(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 2,
            .leading_matrix = leading_matrix, .leading_term = leading_term, .rest = rest,
            .leading_term_jacobian = leading_term_jacobian, .context = &cases[k]}), KEEL_OK);
        expect_ok(keel_solver_create(&s, p, &(keel_options){.method = "bdf"}), s, "create");
        memcpy(s->y, x, sizeof x);
        start_point w = {.e = &s->eval, .p = p, .y = s->y, .message = &s->message};
        expect_ok(start_proper(&w, KEEL_OK), s, "ranks");
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

static int product(double t, const double *x, double *d, void *context)
{
    (void)context;
    d[0] = x[0] * x[1] * x[1] + exp(t), d[1] = sin(x[0]) * x[1];
    return 0;
}

/* Central differences: errors of eps^(2/3) times second and third derivatives. */
static void derivatives_by_differences(void **state)
{
    units u = {.D = {1, 0, 0, 1}, .E = {1, 1}};
    const double x[2] = {1.5, -0.7}, t = 0.3;
    const double exact[4] = {x[1] * x[1], 2 * x[0] * x[1], cos(x[0]) * x[1], sin(x[0])};
    double D[4], d_t[2];
    keel_problem *p = NULL;
    bench b;
    (void)state;
    assert_int_equal(keel_proper(&p, &(keel_proper_spec){.size = 2, .leading = 2,
        .leading_matrix = leading_matrix, .leading_term = product, .rest = rest, .context = &u}),
        KEEL_OK);
    bench_open(&b, p);
    assert_int_equal(eval_leading_jacobian(&b.eval, t, x, D), 0);
    assert_true(distance(D, exact, 0, 4) < 1e-9);
    assert_int_equal(eval_leading_time(&b.eval, t, x, d_t), 0);
    assert_true(fabs(d_t[0] - exp(t)) < 1e-9 && fabs(d_t[1]) < 1e-9);
    bench_free(&b);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(derivatives_by_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
