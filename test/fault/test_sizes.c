/* test_sizes.c -- structures of programs that were compiled with other versions of the headers:
 * shorter ones are filled up with zeros, longer ones may hold nothing that the library does not
 * know, and others are refused by a sentence. */
#include "core/sized.h"
#include "keel/keel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* ---- the one function behind all of them ---------------------------------------------------- */

/* A structure in its first, second and third version. */
typedef struct first { int a; double b; } first;
typedef struct second { int a; double b, c; void *d; } second;
typedef struct third { int a; double b, c; void *d; long e, f; } third;

static sized as_of_second(void)
{
    return (sized){"second", sizeof(second), FIELD_END(second, d), FIELD_END(first, b)};
}

static void older_program(void **state)
{
    message m = {""};
    first given = {3, 0.5};
    second taken;
    (void)state;
    memset(&taken, 0xff, sizeof taken);
    assert_int_equal(sized_copy(&m, as_of_second(), &taken, &given, sizeof given), KEEL_OK);
    assert_int_equal(taken.a, 3);
    assert_true(taken.b == 0.5 && taken.c == 0);
    assert_null(taken.d);
}

static void newer_program(void **state)
{
    message m = {""};
    third given = {.a = 3, .c = 2};
    second taken;
    (void)state;
    assert_int_equal(sized_copy(&m, as_of_second(), &taken, &given, sizeof given), KEEL_OK);
    assert_true(taken.a == 3 && taken.c == 2);
    given.f = 1;
    assert_int_equal(sized_copy(&m, as_of_second(), &taken, &given, sizeof given),
                     KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "compiled for a newer keel"));
    assert_non_null(strstr(m.text, "second"));
}

static void no_program(void **state)
{
    static const size_t sizes[] = {0, 1, sizeof(first) - 1, 1000000, SIZE_MAX};
    second given = {0}, taken;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        message m = {""};
        assert_int_equal(sized_copy(&m, as_of_second(), &taken, &given, sizes[i]),
                         KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(m.text, "bytes are not the size of a second"));
    }
}

static void answers(void **state)
{
    second known = {1, 2, 3, &known};
    first old = {0, 0};
    third new = {.e = 7, .f = 8};
    (void)state;
    sized_answer(&old, sizeof old, &known, sizeof known);
    assert_true(old.a == 1 && old.b == 2);
    sized_answer(&new, sizeof new, &known, sizeof known);
    assert_true(new.a == 1 && new.c == 3 && new.d == &known && new.e == 0 && new.f == 0);
}

/* ---- what takes a structure ----------------------------------------------------------------- */

static int rhs(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    return 0;
}

typedef struct taker {
    const char *structure;
    size_t size;
    int (*call)(const void *structure, size_t size, char *text);
} taker;

/* Every problem and method that fails is freed, and has said why. */
static int problem_text(keel_problem *p, int rc, char *text)
{
    strcpy(text, keel_problem_message(p));
    keel_problem_free(p);
    return rc;
}

static int method_text(keel_method *m, int rc, char *text)
{
    strcpy(text, keel_method_message(m));
    keel_method_free(m);
    return rc;
}

#define PROBLEM(form) \
    static int form(const void *s, size_t size, char *text) \
    { \
        keel_problem *p = NULL; \
        int rc = keel_##form##_sized(&p, s, size); \
        return problem_text(p, rc, text); \
    }
#define METHOD(maker) \
    static int maker(const void *s, size_t size, char *text) \
    { \
        keel_method *m = NULL; \
        int rc = keel_##maker##_sized(&m, s, size); \
        return method_text(m, rc, text); \
    }
PROBLEM(ode)
PROBLEM(semi_explicit)
PROBLEM(hessenberg2)
PROBLEM(hessenberg3)
PROBLEM(mechanical)
PROBLEM(quasilinear)
PROBLEM(implicit)
PROBLEM(proper)
PROBLEM(levelled)
METHOD(method_create)
METHOD(multistep_create)
METHOD(general_linear_create)

static int formulate(const void *s, size_t size, char *text)
{
    keel_problem *p = NULL, *q = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = rhs}), KEEL_OK);
    int rc = keel_formulate_sized(&q, p, s, size);
    rc = problem_text(q, rc, text);
    keel_problem_free(p);
    return rc;
}

static int with_solver(const keel_options *o, size_t o_size, const keel_start_spec *spec,
                       size_t size, char *text)
{
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = rhs}), KEEL_OK);
    int rc = keel_solver_create_sized(&s, p, o, o_size);
    if (!rc && spec) rc = keel_start_with_sized(s, spec, size);
    strcpy(text, keel_message(s));
    keel_solver_free(s);
    keel_problem_free(p);
    return rc;
}

static int solver_create(const void *s, size_t size, char *text)
{
    return with_solver(s, size, NULL, 0, text);
}

static int start_with(const void *s, size_t size, char *text)
{
    return with_solver(NULL, 0, s, size, text);
}

static int switching(const void *s, size_t size, char *text)
{
    keel_problem *p = NULL, *q = NULL;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = rhs}), KEEL_OK);
    int rc = keel_switching_sized(&q, p, s, size);
    return problem_text(q, rc, text);
}

/* Of the run that begins anew. */
static int restart_with(const void *s, size_t size, char *text)
{
    keel_problem *p = NULL;
    keel_solver *solver = NULL;
    const double y = 1;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = rhs}), KEEL_OK);
    assert_int_equal(keel_solver_create(&solver, p, NULL), KEEL_OK);
    assert_int_equal(keel_start(solver, 0, &y), KEEL_OK);
    int rc = keel_restart_with_sized(solver, s, size);
    strcpy(text, keel_message(solver));
    keel_solver_free(solver);
    keel_problem_free(p);
    return rc;
}

#define ROW(type, call) {#type, sizeof(type), call}
static const taker takers[] = {
    ROW(keel_ode_spec, ode), ROW(keel_semi_explicit_spec, semi_explicit),
    ROW(keel_hessenberg2_spec, hessenberg2), ROW(keel_hessenberg3_spec, hessenberg3),
    ROW(keel_mechanical_spec, mechanical), ROW(keel_quasilinear_spec, quasilinear),
    ROW(keel_implicit_spec, implicit), ROW(keel_proper_spec, proper),
    ROW(keel_levelled_spec, levelled), ROW(keel_formulation, formulate),
    ROW(keel_switching_spec, switching), ROW(keel_start_spec, restart_with),
    ROW(keel_options, solver_create), ROW(keel_start_spec, start_with),
    ROW(keel_tableau, method_create), ROW(keel_multistep, multistep_create),
    ROW(keel_general_linear, general_linear_create)};
enum { TAKERS = sizeof takers / sizeof *takers };

/* Refused sizes, also with a NULL handle; a longer structure is refused for its size only if there
 * is something in it: all zero it fails for another reason, or not at all. */
static void all_takers(void **state)
{
    (void)state;
    for (int i = 0; i < TAKERS; i++) {
        const taker *t = &takers[i];
        char *bytes = calloc(1, t->size + 16), text[1000];
        assert_non_null(bytes);
        assert_int_equal(t->call(bytes, 0, text), KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(text, t->structure));
        assert_int_equal(t->call(bytes, t->size / 2, text), KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(text, "bytes are not the size"));
        assert_int_equal(t->call(bytes, SIZE_MAX, text), KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(text, t->structure));
        t->call(bytes, t->size + 16, text);
        assert_null(strstr(text, "newer"));
        bytes[t->size + 15] = 1;
        assert_int_equal(t->call(bytes, t->size + 16, text), KEEL_BAD_ARGUMENT);
        assert_non_null(strstr(text, "compiled for a newer keel"));
        free(bytes);
    }
}

/* What fills the structures up to a multiple of their alignment is a field, which has to be 0: else
 * a later one in its place would be read from what the compiler left there. */
static void reserved(void **state)
{
    (void)state;
    keel_method *m = NULL;
    assert_int_equal(keel_multistep_create(&m, &(keel_multistep){.reserved = 1}), KEEL_BAD_ARGUMENT);
    assert_non_null(strstr(keel_method_message(m), "newer"));
    keel_method_free(m);
    assert_int_equal(sizeof(keel_options), FIELD_END(keel_options, engine));
    assert_int_equal(sizeof(keel_engine_spec), FIELD_END(keel_engine_spec, reserved));
    assert_int_equal(sizeof(keel_krylov_spec), FIELD_END(keel_krylov_spec, limit));
    assert_int_equal(sizeof(keel_tableau), FIELD_END(keel_tableau, corner));
    assert_int_equal(sizeof(keel_multistep), FIELD_END(keel_multistep, reserved));
    assert_int_equal(sizeof(keel_general_linear), FIELD_END(keel_general_linear, W));
    assert_int_equal(sizeof(keel_switching_spec), FIELD_END(keel_switching_spec, relations));
    assert_int_equal(sizeof(keel_formulation), FIELD_END(keel_formulation, C));
    assert_int_equal(sizeof(keel_start_spec), FIELD_END(keel_start_spec, context));
    assert_int_equal(sizeof(keel_piece), FIELD_END(keel_piece, event));
    assert_int_equal(sizeof(keel_boundary_options), FIELD_END(keel_boundary_options, reserved));
    assert_int_equal(sizeof(keel_boundary_spec), FIELD_END(keel_boundary_spec, break_parameter));
    assert_int_equal(sizeof(keel_ode_spec), FIELD_END(keel_ode_spec, frame));
    assert_int_equal(sizeof(keel_mechanical_spec), FIELD_END(keel_mechanical_spec, frame));
}

/* A longer spec whose end is zero works as ever. */
static void newer_program_runs(void **state)
{
    struct { keel_ode_spec spec; void *more[4]; } new = {.spec = {.size = 1, .rhs = rhs}};
    struct { keel_options options; double more[2]; } options = {.options = {.rtol = 1e-8}};
    keel_problem *p = NULL;
    keel_solver *s = NULL;
    double y = 1;
    (void)state;
    assert_int_equal(keel_ode_sized(&p, &new.spec, sizeof new), KEEL_OK);
    assert_int_equal(keel_solver_create_sized(&s, p, &options.options, sizeof options), KEEL_OK);
    assert_int_equal(keel_start(s, 0, &y), KEEL_OK);
    assert_int_equal(keel_advance_to(s, 1), KEEL_OK);
    assert_true(keel_state(s)[0] > 0.367879 && keel_state(s)[0] < 0.367880);
    keel_solver_free(s);
    keel_problem_free(p);
}

/* An option that the structure of an older program has no place for is unknown to it. */
static void option_without_a_place(void **state)
{
    keel_options o = {0};
    char text[200] = "";
    (void)state;
    size_t before = offsetof(keel_options, safety);
    assert_int_equal(keel_option_set_sized(&o, before, "safety", "0.5", text, sizeof text),
                     KEEL_UNKNOWN_NAME);
    assert_true(o.safety == 0);
    assert_int_equal(keel_option_set_sized(&o, before, "rtol", "0.01", text, sizeof text), KEEL_OK);
    assert_true(o.rtol == 0.01);
}

/* Shorter answers are filled in as far as they go. */
static void short_answers(void **state)
{
    keel_method_info info;
    keel_formulation_info formulation;
    (void)state;
    memset(&info, 0x55, sizeof info);
    int untouched = info.values;
    assert_int_equal(keel_method_find_sized("dopri5", &info, offsetof(keel_method_info, values)),
                     KEEL_OK);
    assert_string_equal(info.name, "dopri5");
    assert_int_equal(info.order, 5);
    assert_int_equal(info.values, untouched);
    formulation.citation = "untouched";
    assert_int_equal(keel_formulation_at_sized(0, &formulation,
                                               offsetof(keel_formulation_info, citation)), KEEL_OK);
    assert_string_equal(formulation.citation, "untouched");
    assert_string_equal(formulation.name, "index3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_program), cmocka_unit_test(newer_program),
        cmocka_unit_test(no_program), cmocka_unit_test(answers), cmocka_unit_test(all_takers),
        cmocka_unit_test(reserved), cmocka_unit_test(newer_program_runs),
        cmocka_unit_test(option_without_a_place), cmocka_unit_test(short_answers)};
    return cmocka_run_group_tests_name("structures of other versions", tests, NULL, NULL);
}
