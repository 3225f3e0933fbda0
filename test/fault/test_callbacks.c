/* test_callbacks.c -- every callback fails at every one of its calls.
 *
 * The k-th call of each callback of each form returns +1 or -1 or gives NaN or infinity, once or
 * from then on (each k to 25, then every 26th part further).
 */
#include "test/fault/faults.h"

#define FORM_TEST(name, which)                                                                   \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        all_callbacks(&forms[which], GIVEN, &loose, NULL);                                       \
        all_callbacks(&forms[which], BY_DIFFERENCES, &loose, NULL);                              \
    }

FORM_TEST(ode, FORM_ODE)
FORM_TEST(semi_explicit, FORM_SEMI)
FORM_TEST(hessenberg2, FORM_HESS2)
FORM_TEST(hessenberg3, FORM_HESS3)
FORM_TEST(mechanical_separate, FORM_SEPARATE)
FORM_TEST(mechanical_evaluate, FORM_EVALUATE)
FORM_TEST(quasilinear_constant, FORM_CONSTANT_MASS)
FORM_TEST(quasilinear_state, FORM_STATE_MASS)
FORM_TEST(implicit, FORM_IMPLICIT)
FORM_TEST(proper, FORM_PROPER)

/* The other ways through a mechanical problem: full matrices, and dense linear algebra. */
static void mechanical_variants(void **state)
{
    keel_options full = loose, dense = loose;
    (void)state;
    full.iteration = KEEL_ITERATION_FULL;
    dense.linear = KEEL_LINEAR_DENSE;
    all_callbacks(&forms[FORM_SEPARATE], GIVEN, &full, NULL);
    all_callbacks(&forms[FORM_SEPARATE], BY_DIFFERENCES, &full, NULL);
    all_callbacks(&forms[FORM_SEPARATE], GIVEN, &dense, NULL);
}

/* A constant step cannot shrink: the first fault ends the run, with a reason.  Without the check at
 * the start, which gets over faults of callbacks that the run does not need. */
static void constant_step(void **state)
{
    keel_options o = {.step = 0.1, .method = "radau-iia-2", .check = KEEL_CHECK_NONE};
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        probe clean = {0};
        setting x = {.form = &forms[k], .derivatives = GIVEN, .options = o};
        outcome r = run(&x, &clean);
        if (r.status) explain("fails without any fault", &x, &clean, &r);
        for (int c = 0; c < CALLBACKS; c++) {
            if (clean.calls[c] == 0) continue;
            for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
                probe p = {.armed = 1, .target = (callback)c, .kind = (spoiling)kind,
                           .at = (clean.calls[c] + 1) / 2, .persists = 1};
                r = run(&x, &p);
                if (r.status >= 0) explain("not a failure", &x, &p, &r);
                check_failure(&x, &p, &r);
            }
        }
    }
}

/* Faults while projecting a point on request leave the solver usable. */
static void project(void **state)
{
    (void)state;
    for (int k = FORM_HESS2; k <= FORM_EVALUATE; k++)
        for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
            probe p = {.kind = (spoiling)kind, .at = 1, .persists = 1,
                       .target = k == FORM_EVALUATE ? EVALUATE : CONSTRAINT};
            keel_problem *problem = new_problem(&forms[k], GIVEN, &p);
            keel_solver *s = started(problem, &forms[k], &loose, 0);
            double y[LARGEST_FORM], before[LARGEST_FORM];
            expect_ok(keel_step(s), s, forms[k].name);
            forms[k].exact(0.3, y);
            y[0] += 1e-3;
            memcpy(before, y, sizeof y);
            p.armed = 1;
            int rc = keel_project(s, 0.3, y);
            assert_true(rc < 0 && rc != KEEL_NOT_CONVERGED);
            expect_text(keel_message(s), callback_name(p.target));
            assert_memory_equal(y, before, (size_t)forms[k].size * sizeof *y);
            p.armed = 0;
            expect_ok(keel_project(s, 0.3, y), s, forms[k].name);
            expect_ok(keel_advance_to(s, t_end), s, forms[k].name);
            forms[k].exact(t_end, y);
            assert_true(distance(keel_state(s), y, 0, forms[k].size) <= error_allowed);
            keel_solver_free(s);
            keel_problem_free(problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ode), cmocka_unit_test(semi_explicit), cmocka_unit_test(hessenberg2),
        cmocka_unit_test(hessenberg3), cmocka_unit_test(mechanical_separate),
        cmocka_unit_test(mechanical_evaluate), cmocka_unit_test(quasilinear_constant),
        cmocka_unit_test(quasilinear_state), cmocka_unit_test(implicit),
        cmocka_unit_test(proper),
        cmocka_unit_test(mechanical_variants), cmocka_unit_test(constant_step),
        cmocka_unit_test(project),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
