/* test_multivalue.c -- failing callbacks under multistep and general linear methods.
 *
 * As test_methods.c, with variable and with constant steps.  Where the formulation ggl is solved
 * instead of index 3, faults are still those of the user's callbacks.
 */
#ifndef SPARSE_FROM
#define SPARSE_FROM 2
#define PERSISTING_FROM 1
#endif
#include "test/fault/faults.h"

static void variable_steps(const char *method, unsigned avoided)
{
    keel_options o = loose;
    o.method = method;
    for (int k = 0; k < FORMS; k++) {
        if (avoided >> k & 1u) continue;
        all_callbacks(&forms[k], GIVEN, &o, NULL);
        all_callbacks(&forms[k], BY_DIFFERENCES, &o, NULL);
    }
    all_callbacks(&circle, GIVEN, &o, NULL);
}

static void bdf(void **state)
{
    (void)state;
    variable_steps("bdf", 0);
}

static void bdf_of_one_order(void **state)
{
    (void)state;
    variable_steps("bdf-2", 0);
}

static void dimsim(void **state)
{
    (void)state;
    variable_steps("dimsim", 1 << FORM_HESS2 | 1 << FORM_HESS3);
}

static void dimsim_of_one_order(void **state)
{
    (void)state;
    variable_steps("dimsim-2", 1 << FORM_HESS2 | 1 << FORM_HESS3);
}

/* ---- constant steps -------------------------------------------------------------------------- */

static keel_options constant(const char *method)
{
    return (keel_options){.method = method, .step = 0.02, .rtol = 1e-4, .atol = 1e-4};
}

/* A constant step cannot shrink: a lasting fault ends the run with a reason wherever it begins. */
static void lasting_faults(const setting *x, const probe *clean)
{
    outcome r;
    for (int c = 0; c < CALLBACKS; c++)
        for (int part = 1; clean->calls[c] && part <= 3; part++)
            for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
                probe p = {.armed = 1, .target = (callback)c, .kind = (spoiling)kind,
                           .at = 1 + (clean->calls[c] - 1) * part / 4, .persists = 1};
                r = run(x, &p);
                if (r.status >= 0) explain("not a failure", x, &p, &r);
                check_failure(x, &p, &r);
            }
}

/* Blocked methods need to see the multipliers, of index 2 at the most. */
static int usable(const char *method, int k)
{
    int formula = strncmp(method, "dcbdf", 5) == 0 || strncmp(method, "beta", 4) == 0;
    return !formula || k < FORM_HESS3;
}

static void constant_steps(void **state)
{
    static const char *const methods[] = {"bdf-3", "dimsim-2", "dimsim-3", "dcbdf-3",
                                          "beta-adams-3"};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int k = 0; k < FORMS; k++)
            for (int d = 0; d < 2; d++) {
                probe clean = {0};
                setting x = {.form = &forms[k], .derivatives = d ? GIVEN : BY_DIFFERENCES,
                             .options = constant(methods[m])};
                if (!usable(methods[m], k)) continue;
                outcome r = run(&x, &clean);
                if (r.status || !(r.error <= error_allowed))
                    explain("fails without any fault", &x, &clean, &r);
                lasting_faults(&x, &clean);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf), cmocka_unit_test(bdf_of_one_order), cmocka_unit_test(dimsim),
        cmocka_unit_test(dimsim_of_one_order), cmocka_unit_test(constant_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
