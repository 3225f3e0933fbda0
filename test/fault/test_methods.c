/* test_methods.c -- failing callbacks under every integrator, formulation and kind of output.
 *
 * As test_callbacks.c, for methods of all kinds on all the forms that they can advance, for
 * formulations, whose faults are those of the original's callbacks, and for invariants; calls are
 * thinned out.
 */
#ifndef THOROUGH
#define THOROUGH 0
#define SPARSE_FROM 1
#define PERSISTING_FROM 1
#endif
#include "test/fault/faults.h"

enum {
    EXPLICIT_FORMS = 1 << FORM_ODE | 1 << FORM_SEMI | 1 << FORM_SEPARATE | 1 << FORM_EVALUATE,
    HALF_EXPLICIT_FORMS = EXPLICIT_FORMS | 1 << FORM_HESS2 | 1 << FORM_HESS3,
    ALL_FORMS = (1 << FORMS) - 1,
    INDEX3 = 1 << FORM_HESS3 | 1 << FORM_SEPARATE | 1 << FORM_EVALUATE,
    WITHOUT_PROJECTION = 1 << FORM_CONSTANT_MASS | 1 << FORM_STATE_MASS | 1 << FORM_IMPLICIT |
                         1 << FORM_PROPER
};

typedef struct method_case {
    const char *name;
    unsigned forms;              /* that it can advance                                    */
    unsigned avoided;            /* those of them that it is no good for                   */
} method_case;

/* SDIRK methods, of stage order 1, do not converge in the multipliers of index 3 [HLR89].  Gauss
 * methods keep errors of algebraic unknowns, |R(inf)| = 1, where no projection removes them; f(y_n)
 * in their error estimate then does not get smaller with the step [HW96 VI.1]. */
static const method_case methods[] = {
    {"auto", ALL_FORMS, 0}, {"radau-iia", ALL_FORMS, 0}, {"verner8", EXPLICIT_FORMS, 0},
    {"dopri5", EXPLICIT_FORMS, 0}, {"rk4", EXPLICIT_FORMS, 0}, {"sdirk-4", ALL_FORMS, INDEX3},
    {"esdirk-4", ALL_FORMS, 0}, {"gauss-2", ALL_FORMS, WITHOUT_PROJECTION},
    {"lobatto-iiia-3", ALL_FORMS, 0}, {"hem-4", HALF_EXPLICIT_FORMS, 0},
    {"phem56", HALF_EXPLICIT_FORMS, 0}, {"dimsim", ALL_FORMS, 0},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int usable(const method_case *m, int k)
{
    return (m->forms & ~m->avoided) >> k & 1u;
}

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
        if (!usable(m, k)) continue;
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
        if (!usable(&methods[m], FORM_ODE)) continue;
        all_callbacks(&circle, GIVEN, &o, NULL);
        all_callbacks(&circle, BY_DIFFERENCES, &o, NULL);
    }
}

/* ---- formulations ---------------------------------------------------------------------------- */

/* Left out.  Without the multiplier as an unknown nothing says which of the two roots of the hidden
 * constraint of our Hessenberg 2 problem, quadratic in z, is meant.  With the derivatives as
 * unknowns, quasilinear and implicit problems have index 2 and nothing to project to: what Newton's
 * method leaves in y_n stays in f(y_n) of the error estimate, however small the step. */
static int left_out(const form *f, const char *formulation)
{
    return (f == &forms[FORM_HESS2] && strcmp(formulation, "index0") == 0) ||
           (f >= &forms[FORM_CONSTANT_MASS] && f <= &forms[FORM_IMPLICIT] &&
            strcmp(formulation, "augmented") == 0);
}

/* The methods to try it with: none if it does not apply. */
static int methods_for(const form *f, const char *formulation)
{
    probe context = {0};
    keel_problem *original = new_problem(f, GIVEN, &context), *p = NULL;
    int rc = keel_formulate(&p, original, &(keel_formulation){.name = formulation});
    int direct = !rc && keel_problem_form(p) <= KEEL_FORM_SEMI_EXPLICIT;
    if (rc) assert_int_equal(rc, KEEL_UNSUPPORTED);
    keel_problem_free(p);
    keel_problem_free(original);
    return rc || left_out(f, formulation) ? 0 : direct ? 2 : 1;
}

static void formulated(const form *f, int *count)
{
    static const char *const used[] = {"radau-iia-3", "dopri5"};
    for (int i = 0; i < keel_formulation_count(); i++) {
        keel_formulation_info info;
        assert_int_equal(keel_formulation_at(i, &info), KEEL_OK);
        for (int m = methods_for(f, info.name) - 1; m >= 0; m--) {
            keel_options o = loose;
            o.method = used[m];
            ++*count;
            if (m == 0 || THOROUGH) all_callbacks(f, GIVEN, &o, info.name);
            if (m == 1 || THOROUGH) all_callbacks(f, BY_DIFFERENCES, &o, info.name);
        }
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

static void interpolations(const setting *x, int *faults)
{
    probe clean = {0};
    run(x, &clean);
    for (int c = 0; c < CALLBACKS; c++)
        for (int kind = RETURNS_POSITIVE; clean.calls[c] && kind <= GIVES_INFINITY; kind++)
            interpolation_of(x, (callback)c, (spoiling)kind, faults);
}

static void interpolation(void **state)
{
    int faults = 0;
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < FORMS; k++) {
            setting x = {.form = &forms[k], .options = options_of(&methods[m])};
            if (!usable(&methods[m], k)) continue;
            x.options.max_step = 0.05;
            interpolations(&x, &faults);
            x.derivatives = GIVEN;
            interpolations(&x, &faults);
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
