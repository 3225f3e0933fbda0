/* test_known.c -- tables of coefficients beside what is computed: nothing but the time to compute it
 * may be saved by them. */
#include "method/known.h"        /* before cmocka, whose fail() is a macro */
#include "method/families.h"
#include "method/multistep.h"
#include "method/multivalue.h"
#include "method/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 17 };

static arena room(void)
{
    arena a = {.base = arena_block(ROOM)};
    assert_non_null(a.base);
    return a;
}

/* The same bits, where computing has 113 of them. */
static void same(int count, const double *table, const double *computed)
{
#ifdef __SIZEOF_FLOAT128__
    const double units = 0;
#else
    const double units = 4 * DBL_EPSILON;
#endif
    for (int i = 0; i < count; i++)
        if (!(fabs(table[i] - computed[i]) <= units * fabs(computed[i])))
            fail_msg("number %d of %d is %.17g in the table and %.17g computed", i, count, table[i],
                     computed[i]);
}

static void radau_iia_is_as_computed(void **state)
{
    (void)state;
    for (int s = 1; s <= KNOWN_RADAU_MOST; s++) {
        arena a = room();
        stage_method t, m;
        assert_int_equal(radau_iia(&a, s, &t), 0);
        assert_int_equal(a.used, 0);             /* or else it was not the table */
        assert_int_equal(radau_iia_computed(&a, s, &m), 0);
        assert_true(t.s == m.s && t.order == m.order && t.stage_order == m.stage_order &&
                    t.stiffly_accurate == m.stiffly_accurate && t.reals == m.reals &&
                    t.pairs == m.pairs && t.estimate_order == m.estimate_order);
        same(1, &t.gamma, &m.gamma);
        same(1, t.real, m.real);
        same(s, t.c, m.c), same(s, t.b, m.b), same(s, t.b_A_inv, m.b_A_inv);
        same(s, t.at_one, m.at_one), same(s, t.at_zero, m.at_zero), same(s, t.error, m.error);
        same(s * s, t.A, m.A), same(s * s, t.A_inv, m.A_inv), same(s * s, t.A2, m.A2);
        same(s * s, t.A2_inv, m.A2_inv), same(s * s, t.T, m.T), same(s * s, t.T_inv, m.T_inv);
        same(s / 2, t.alpha, m.alpha), same(s / 2, t.beta, m.beta);
        arena_block_free(a.base);
    }
}

static void families_are_as_computed(void **state)
{
    (void)state;
    for (int family = FAMILY_GAUSS; family < FAMILY_COLLOCATION; family++)
        for (int s = 1; s <= KNOWN_RADAU_MOST; s++) {
            double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
            const double *known = known_family((family_kind)family, s);
            if (!known) continue;
            assert_int_equal(family_computed((family_kind)family, s, 0, A, b, c), KEEL_OK);
            same(s, known, c), same(s, known + s, b), same(s * s, known + 2 * s, A);
        }
}

/* T^-1 A^-1 T = L and T^-1 T = I; LAPACK's last bits may depend on its version. */
static void check_eigensystem(const stage_method *m)
{
    int s = m->s;
    double size = 0;
    for (int k = 0; k < s * s; k++) size = fmax(size, fabs(m->A_inv[k]));
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double L = 0, unit = 0, wanted = i == j && i < m->reals ? m->real[i] : 0;
            for (int k = 0; k < s; k++) {
                unit += m->T_inv[i * s + k] * m->T[k * s + j];
                for (int l = 0; l < s; l++)
                    L += m->T_inv[i * s + k] * m->A_inv[k * s + l] * m->T[l * s + j];
            }
            int p = (i - m->reals) / 2, q = (j - m->reals) / 2;
            if (i >= m->reals && j >= m->reals && p == q)
                wanted = i == j ? m->alpha[p] : i < j ? -m->beta[p] : m->beta[p];
            assert_true(fabs(unit - (i == j)) < 1e-13);
            assert_true(fabs(L - wanted) < 1e-12 * size);
        }
}

static void eigensystems_are_those_of_A(void **state)
{
    (void)state;
    int with_table = 0;
    for (int i = 0; family_listed(i); i++) {
        keel_method *method = NULL;
        stage_method m, own;
        arena a = room();
        assert_int_equal(family_make(&method, family_listed(i)), KEEL_OK);
        with_table += method->eigensystem != NULL;
        assert_int_equal(stage_method_of(&a, method, &m), KEEL_OK);
        if (!m.diagonal) check_eigensystem(&m);
        method->eigensystem = NULL;
        assert_int_equal(stage_method_of(&a, method, &own), KEEL_OK);
        assert_true(own.reals == m.reals && own.pairs == m.pairs);
        assert_true(fabs(own.gamma - m.gamma) < 1e-12 * fabs(own.gamma));
        keel_method_free(method);
        arena_block_free(a.base);
    }
    assert_int_equal(with_table, 5 + 5 + 4 + 4);
}

static void starting_procedures_are_as_computed(void **state)
{
    (void)state;
    for (int order = 1; order <= STARTING_ORDER_MOST; order++) {
        arena a = room();
        starting_data t, m;
        assert_int_equal(starting_method(&a, order, &t), KEEL_OK);
        assert_int_equal(starting_computed(&a, order, &m), KEEL_OK);
        int s = m.s;
        assert_true(t.s == s && t.order == m.order && t.mu == m.mu);
        same(s, t.c, m.c), same(s, t.at_start, m.at_start), same(s - 1, t.lower, m.lower);
        same(s * s, t.A, m.A), same(s * s, t.A_inv, m.A_inv), same(s * s, t.B, m.B);
        same(s * s, t.B_A_inv, m.B_A_inv), same(s * s, t.T, m.T), same(s * s, t.T_inv, m.T_inv);
        arena_block_free(a.base);
    }
}

/* keel_general_linear_create checks all that general_linear_named takes for granted. */
static void general_linear_facts_are_as_computed(void **state)
{
    (void)state;
    int count = 0;
    for (; facts_general_linear[count].of; count++) {
        const general_linear_facts *facts = &facts_general_linear[count];
        keel_method *m = NULL, *named = NULL;
        multivalue_method v = {0};
        arena a = room();
        assert_ptr_equal(facts->of, tables_general_linear[count]);
        assert_int_equal(keel_general_linear_create(&m, facts->of), KEEL_OK);
        assert_int_equal(keel_method_named(&named, facts->of->name), KEEL_OK);
        assert_true(named->facts == facts && named->stage_order == m->stage_order &&
                    named->general.order == m->general.order && named->r_infinity == m->r_infinity);
        multivalue_layout(&a, &v, m->general.stages, m->general.values, m->general.order);
        assert_int_equal(multivalue_of(m, &v), KEEL_OK);
        assert_true(fabs(v.error_constant - facts->error_constant) < 1e-15);
        assert_true(v.ratio_most == facts->ratio_most ||
                    fabs(v.ratio_most - facts->ratio_most) < 1e-12);
        keel_method_free(m);
        keel_method_free(named);
        arena_block_free(a.base);
    }
    assert_null(tables_general_linear[count]);
}

/* Given as they are to keel_multistep_create, which checks order and roots. */
static void multistep_formulas_are_as_checked(void **state)
{
    (void)state;
    for (int i = 0; multistep_table(i, 0); i++)
        for (int variant = 0; variant < MULTISTEP_VARIANTS; variant++) {
            const keel_multistep *entry = multistep_table(i, variant);
            keel_method *named = NULL, *checked = NULL;
            if (!entry) continue;
            assert_int_equal(multistep_table_make(&named, entry), KEEL_OK);
            keel_multistep unclaimed = named->multistep;
            unclaimed.order = 0;
            assert_int_equal(keel_multistep_create(&checked, &unclaimed), KEEL_OK);
            assert_int_equal(checked->multistep.order, named->multistep.order);
            assert_true(fabs(checked->r_infinity - named->r_infinity) < 1e-12);
            same(named->multistep.steps + 1, named->multistep.alpha, checked->multistep.alpha);
            same(named->multistep.steps + 1, named->multistep.beta, checked->multistep.beta);
            keel_method_free(named);
            keel_method_free(checked);
        }
}

/* Limits are crossings of |M| = 1 that bisection takes to |M| - 1 = 1e-13, alpha is a minimum: both are
 * found to much more than the 1e-9 that leave room for the last bits of LAPACK. */
static void close_to(const char *name, double table, double found)
{
    if (!(table == found || fabs(table - found) <= 1e-9 * fabs(found)))
        fail_msg("%s: %.17g in the table and %.17g found", name, table, found);
}

static void stability_is_as_found(void **state)
{
    (void)state;
    int listed = 0, rows = 0;
    for (; known_stabilities[rows].name; rows++) {}
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method *m = NULL;
        keel_method_info info;
        keel_general_analysis table, found;
        assert_int_equal(keel_method_at(i, &info), KEEL_OK);
        if (info.stages == 0) continue;          /* stands for several */
        listed++;
        assert_int_equal(keel_method_named(&m, info.name), KEEL_OK);
        assert_non_null(m->stability);
        assert_int_equal(keel_method_analyse_general(m, &table), KEEL_OK);
        m->stability = NULL;
        assert_int_equal(keel_method_analyse_general(m, &found), KEEL_OK);
        assert_true(table.a_stable == found.a_stable && table.l_stable == found.l_stable);
        close_to(info.name, table.alpha, found.alpha);
        close_to(info.name, table.real_limit, found.real_limit);
        close_to(info.name, table.imaginary_limit, found.imaginary_limit);
        keel_method_free(m);
    }
    assert_int_equal(rows, listed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau_iia_is_as_computed),
        cmocka_unit_test(families_are_as_computed),
        cmocka_unit_test(eigensystems_are_those_of_A),
        cmocka_unit_test(starting_procedures_are_as_computed),
        cmocka_unit_test(general_linear_facts_are_as_computed),
        cmocka_unit_test(multistep_formulas_are_as_checked),
        cmocka_unit_test(stability_is_as_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
