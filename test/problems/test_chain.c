/* test_chain.c -- the chain of point masses: nonzeros against the dense arrays, energy, sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "problems/chain.h"
#include "problems/list.h"
#include "test/support/differences.h"

enum { LINKS_MAX = 12, N_MAX = 2 * LINKS_MAX };

/* The nonzeros are the dense matrix, and nothing is outside the pattern. */
static void check_nonzeros(const double *dense, int rows, int columns, const int *column_start,
                           const int *row_index, const double *values)
{
    double a[N_MAX * N_MAX] = {0};
    for (int j = 0; j < columns; j++)
        for (int k = column_start[j]; k < column_start[j + 1]; k++) {
            assert_in_range(row_index[k], 0, rows - 1);
            if (k > column_start[j]) assert_true(row_index[k] > row_index[k - 1]);
            a[row_index[k] * columns + j] = values[k];
        }
    for (int i = 0; i < rows * columns; i++) assert_true(a[i] == dense[i]);
}

static void nonzeros_are_those_of_the_dense_arrays(void **state)
{
    (void)state;
    for (int n = 1; n <= LINKS_MAX; n++) {
        const double parameters[] = {n, 0.5};
        const keel_mechanical_spec spec = problem_chain_spec(parameters);
        int start[N_MAX + 1], row[2 * N_MAX];
        double q[N_MAX], dense[N_MAX * N_MAX], values[2 * N_MAX];
        for (int i = 0; i < 2 * n; i++) q[i] = scattered(i);

        assert_int_equal(chain_mass_pattern(parameters, start, NULL), 2 * n);
        assert_int_equal(chain_mass_pattern(parameters, start, row), start[2 * n]);
        assert_int_equal(spec.mass(0, q, dense, spec.context), 0);
        assert_int_equal(chain_mass_nonzeros(0, q, values, spec.context), 0);
        check_nonzeros(dense, 2 * n, 2 * n, start, row, values);

        assert_int_equal(chain_constraint_pattern(parameters, start, NULL), 4 * n - 2);
        assert_int_equal(chain_constraint_pattern(parameters, start, row), start[2 * n]);
        assert_int_equal(spec.constraint_jacobian(0, q, dense, spec.context), 0);
        assert_int_equal(chain_constraint_nonzeros(0, q, values, spec.context), 0);
        check_nonzeros(dense, n, 2 * n, start, row, values);
    }
}

/* From rest at every size: the energy of the start, with errors of the size of the tolerance. */
static void energy_is_conserved(void **state)
{
    static const double links[] = {1, 2, 5, LINKS_MAX};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double parameters[] = {links[k], 0.5};
        const int n = (int)links[k];
        double y[5 * LINKS_MAX];
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        problem_chain.start(parameters, y);
        assert_int_equal(problem_chain.create(&p, parameters), KEEL_OK);
        assert_int_equal(keel_problem_size(p), 5 * n);
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){.rtol = 1e-8}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, y), KEEL_OK);
        const double energy = chain_energy(parameters, y, y + 2 * n);
        assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
        const double *x = keel_state(s);
        assert_true(fabs(chain_energy(parameters, x, x + 2 * n) - energy) < 1e-6);
        assert_true(fabs(x[2 * n - 1] - y[2 * n - 1]) > 0.01);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

/* Two methods that have nothing in common against the reference in the angles of the rods. */
static void reference(void **state)
{
    static const char *const method[] = {"verner8", "radau-iia"};
    const double parameters[] = {10, 0.5};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double y[50];
        keel_problem *p = NULL;
        keel_solver *s = NULL;
        problem_chain.start(parameters, y);
        assert_int_equal(problem_chain.create(&p, parameters), KEEL_OK);
        assert_int_equal(keel_solver_create(&s, p, &(keel_options){
            .method = method[k], .rtol = 1e-10}), KEEL_OK);
        assert_int_equal(keel_start(s, 0, y), KEEL_OK);
        assert_int_equal(keel_advance_to(s, 2), KEEL_OK);
        assert_true(bundled_scd(&problem_chain, parameters, 2, keel_state(s), 1) > 8);
        keel_solver_free(s);
        keel_problem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonzeros_are_those_of_the_dense_arrays),
        cmocka_unit_test(energy_is_conserved),
        cmocka_unit_test(reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
