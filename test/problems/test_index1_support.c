/* test_index1_support.c -- the systems of index 1 that other tests use: Jacobians, consistent
 * values, and that the three forms have the same solution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "test/support/differences.h"
#include "test/support/index1.h"

static const index1_system *const systems[] = {&index1_diode, &index1_cubic};

typedef struct place { const index1_system *system; double x[INDEX1_SIZE]; int moved; } place;

static void rates_along(double s, double *f, const void *context)
{
    place at = *(const place *)context;
    at.x[at.moved] += s;
    at.system->rate(at.x, f);
}

/* exp(d/V_T) changes within V_T: steps of V_T/100 leave a relative error of 1e-9. */
static void jacobians(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        place at = {.system = systems[k]};
        memcpy(at.x, systems[k]->start, sizeof at.x);
        systems[k]->consistent(at.x);
        double f_x[INDEX1_SIZE][INDEX1_SIZE] = {{0}}, d[INDEX1_SIZE];
        systems[k]->jacobian(at.x, f_x);
        for (at.moved = 0; at.moved < INDEX1_SIZE; at.moved++) {
            curve_first(rates_along, &at, diode_thermal / 100, INDEX1_SIZE, d);
            for (int i = 0; i < INDEX1_SIZE; i++) {
                const double exact = f_x[i][at.moved];
                assert_true(fabs(d[i] - exact) < 1e-8 * (1 + fabs(exact)));
            }
        }
    }
}

/* The algebraic equations hold; the diode takes about 0.7 V; z is the root of z^3 + z = 1/2. */
static void consistent_values(void **state)
{
    double x[INDEX1_SIZE] = {0}, f[INDEX1_SIZE];
    (void)state;
    diode_consistent(x);
    diode_rate(x, f);
    assert_true(fabs(f[1]) < 1e-14 && fabs(f[2]) < 1e-15);
    assert_true(x[1] > 0.7 && x[1] < 0.75);

    memcpy(x, index1_cubic.start, sizeof x);
    cubic_consistent(x);
    cubic_rate(x, f);
    assert_true(fabs(f[2]) < 1e-15);
    assert_true(fabs(x[2] - 0.4238537990697833) < 1e-15);
}

/* From consistent values to t_end in every form, and consistent there. */
static void forms_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double end[INDEX1_FORMS][INDEX1_SIZE];
        for (int form = 0; form < INDEX1_FORMS; form++) {
            double x[INDEX1_SIZE], f[INDEX1_SIZE];
            keel_problem *p = NULL;
            keel_solver *s = NULL;
            memcpy(x, systems[k]->start, sizeof x);
            systems[k]->consistent(x);
            systems[k]->rate(x, f);
            for (int i = systems[k]->differential; i < INDEX1_SIZE; i++) f[i] = 0;
            assert_int_equal(index1_make(&p, systems[k], (index1_form)form), KEEL_OK);
            assert_int_equal(keel_solver_create(&s, p, &(keel_options){
                .method = "radau-iia", .rtol = 1e-10, .atol = 1e-12}), KEEL_OK);
            int rc = keel_start_marked(s, 0, x, form == INDEX1_IMPLICIT ? f : NULL, NULL);
            if (!rc) rc = keel_advance_to(s, systems[k]->t_end);
            if (rc) fail_msg("%s, form %d: %s", systems[k]->name, form, keel_message(s));
            memcpy(end[form], keel_state(s), sizeof x);
            memcpy(x, end[form], sizeof x);
            systems[k]->consistent(x);
            for (int i = 0; i < INDEX1_SIZE; i++) {
                assert_true(fabs(x[i] - end[form][i]) < 1e-8);
                assert_true(fabs(end[form][i] - end[0][i]) < 1e-8);
            }
            keel_solver_free(s);
            keel_problem_free(p);
        }
        assert_true(fabs(end[0][0] - systems[k]->start[0])
                    + fabs(end[0][1] - systems[k]->start[1]) > 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians),
        cmocka_unit_test(consistent_values),
        cmocka_unit_test(forms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
