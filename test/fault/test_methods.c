/* test_methods.c -- failing callbacks under every integrator, formulation and kind of output.
 *
 * As test_callbacks.c, for methods of all kinds on all the forms that they can advance, for
 * formulations, whose faults are those of the original's callbacks, and for invariants; calls are
 * thinned out.
 */
#ifndef SPARSE_FROM
#define SPARSE_FROM 2
#define PERSISTING_FROM 1
#endif
#include "test/fault/faults.h"

enum {
    EXPLICIT_FORMS = 1 << FORM_ODE | 1 << FORM_SEMI | 1 << FORM_SEPARATE | 1 << FORM_EVALUATE,
    HALF_EXPLICIT_FORMS = 1 << FORM_HESS2 | 1 << FORM_HESS3 | 1 << FORM_SEPARATE | 1 << FORM_EVALUATE,
    ALL_FORMS = (1 << FORMS) - 1
};

typedef struct method_case {
    const char *name;
    unsigned forms;
} method_case;

static const method_case methods[] = {
    {"auto", ALL_FORMS}, {"radau-iia", ALL_FORMS}, {"verner8", EXPLICIT_FORMS},
    {"dopri5", EXPLICIT_FORMS}, {"rk4", EXPLICIT_FORMS}, {"sdirk-4", ALL_FORMS},
    {"esdirk-4", ALL_FORMS}, {"gauss-2", ALL_FORMS}, {"lobatto-iiia-3", ALL_FORMS},
    {"hem-4", HALF_EXPLICIT_FORMS}, {"phem56", HALF_EXPLICIT_FORMS},
};
enum { METHODS = sizeof methods / sizeof *methods };

static keel_options options_of(const method_case *m)
{
    keel_options o = loose;
    o.method = m->name;
    return o;
}

/* ---- stepping -------------------------------------------------------------------------------- */

/* A form that the method cannot advance is refused, with a sentence that names both. */
static void refused(const method_case *m, const form *f)
{
    probe context = {0};
    keel_options o = options_of(m);
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = NULL;
    expect_status(keel_solver_create(&s, p, &o), KEEL_UNSUPPORTED, s, m->name);
    expect_text(keel_message(s), m->name);
    expect_text(keel_message(s), keel_form_name(keel_problem_form(p)));
    keel_solver_free(s);
    keel_problem_free(p);
}

static void stepping_with(const method_case *m)
{
    keel_options o = options_of(m);
    for (int k = 0; k < FORMS; k++) {
        if (!(m->forms >> k & 1u)) {
            refused(m, &forms[k]);
            continue;
        }
        all_callbacks(&forms[k], GIVEN, &o, NULL);
        all_callbacks(&forms[k], BY_DIFFERENCES, &o, NULL);
    }
}

#define METHOD_TEST(name, k)                                                                     \
    static void name(void **state)                                                               \
    {                                                                                            \
        (void)state;                                                                             \
        stepping_with(&methods[k]);                                                              \
    }

METHOD_TEST(automatic, 0)
METHOD_TEST(radau, 1)
METHOD_TEST(verner8, 2)
METHOD_TEST(dopri5, 3)
METHOD_TEST(rk4, 4)
METHOD_TEST(sdirk, 5)
METHOD_TEST(esdirk, 6)
METHOD_TEST(gauss, 7)
METHOD_TEST(lobatto, 8)
METHOD_TEST(hem, 9)
METHOD_TEST(phem, 10)

static void invariants(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        keel_options o = options_of(&methods[m]);
        if (!(methods[m].forms >> FORM_ODE & 1u)) continue;
        all_callbacks(&circle, GIVEN, &o, NULL);
        all_callbacks(&circle, BY_DIFFERENCES, &o, NULL);
    }
}

/* ---- formulations ---------------------------------------------------------------------------- */

/* Does it apply, with something to change? */
static int applies(const form *f, const char *name)
{
    probe context = {0};
    keel_problem *original = new_problem(f, GIVEN, &context), *p = NULL;
    int rc = keel_formulate(&p, original, &(keel_formulation){.name = name});
    if (rc) assert_int_equal(rc, KEEL_UNSUPPORTED);
    keel_problem_free(p);
    keel_problem_free(original);
    return rc == KEEL_OK;
}

static void formulated(const form *f, int *count)
{
    for (int i = 0; i < keel_formulation_count(); i++) {
        keel_formulation_info info;
        assert_int_equal(keel_formulation_at(i, &info), KEEL_OK);
        if (!applies(f, info.name)) continue;
        ++*count;
        all_callbacks(f, GIVEN, &loose, info.name);
        all_callbacks(f, BY_DIFFERENCES, &loose, info.name);
    }
}

static void formulations(void **state)
{
    int count = 0;
    (void)state;
    for (int k = 0; k < FORMS; k++) formulated(&forms[k], &count);
    formulated(&circle, &count);
    assert_true(count >= 30);
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* A fault while interpolating is reported, and the solver goes on as if nothing had been asked. */
static void interpolation_of(const setting *x, callback target, spoiling kind, int *faults)
{
    double y[LARGEST_PROBLEM];
    probe p = {.target = target, .kind = kind, .at = 1, .persists = 1};
    keel_problem *original, *problem = problem_of(x, &p, &original);
    keel_solver *s = solver_of(x, problem, y);
    expect_ok(keel_start(s, 0, y), s, x->form->name);
    for (int k = 0; k < 3; k++) expect_ok(keel_step(s), s, x->form->name);
    double middle = 0.5 * (keel_previous_time(s) + keel_time(s));
    p.armed = 1;
    outcome r = {.status = keel_interpolate(s, middle, y)};
    snprintf(r.message, sizeof r.message, "%s", keel_message(s));
    if (p.spoiled && r.status == KEEL_OK) explain("a fault was ignored", x, &p, &r);
    if (r.status) check_failure(x, &p, &r), ++*faults;
    p.armed = 0;
    expect_ok(keel_interpolate(s, middle, y), s, x->form->name);
    r.error = error_at(x, problem, middle, y);
    if (!(r.error <= error_allowed)) explain("wrong value", x, &p, &r);
    expect_ok(keel_advance_to(s, t_end), s, x->form->name);
    r.error = error_at(x, problem, t_end, keel_state(s));
    if (!(r.error <= error_allowed)) explain("wrong result", x, &p, &r);
    keel_solver_free(s);
    if (problem != original) keel_problem_free(problem);
    keel_problem_free(original);
}

static void interpolation(void **state)
{
    int faults = 0;
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < FORMS; k++) {
            setting x = {.form = &forms[k], .options = options_of(&methods[m])};
            if (!(methods[m].forms >> k & 1u)) continue;
            x.options.max_step = 0.05;
            for (int d = BY_DIFFERENCES; d <= GIVEN; d++)
                for (int c = 0; c < CALLBACKS; c++)
                    for (int kind = RETURNS_POSITIVE; kind <= GIVES_INFINITY; kind++) {
                        x.derivatives = (derivatives)d;
                        interpolation_of(&x, (callback)c, (spoiling)kind, &faults);
                    }
        }
    assert_true(faults >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automatic), cmocka_unit_test(radau), cmocka_unit_test(verner8),
        cmocka_unit_test(dopri5), cmocka_unit_test(rk4), cmocka_unit_test(sdirk),
        cmocka_unit_test(esdirk), cmocka_unit_test(gauss), cmocka_unit_test(lobatto),
        cmocka_unit_test(hem), cmocka_unit_test(phem), cmocka_unit_test(invariants),
        cmocka_unit_test(formulations), cmocka_unit_test(interpolation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
