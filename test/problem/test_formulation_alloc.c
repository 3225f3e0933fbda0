/* test_formulation_alloc.c -- formulations allocate nothing while stepping, and survive every
 * allocation that fails when they are made. */
#include "test/support/run.h"

#include <errno.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

static int watching;
static long allocations, fail_at;        /* fail_at 0: none fails */

static int refused(void) { return watching && ++allocations == fail_at; }

void *__wrap_malloc(size_t size) { return refused() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *block, size_t size)
{
    return refused() ? NULL : __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return refused() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

static const char *const names[] = {"index3", "index2", "ggl", "index1", "index0", "baumgarte",
                                    "embedded"};
enum { NAMES = sizeof names / sizeof names[0] };

/* Those that apply to some forms only. */
static const struct { int form; const char *name; } special[] = {
    {FORM_SEPARATE, "index2-augmented"}, {FORM_PROPER, "augmented"}, {FORM_PROPER, "naive"}};
enum { SPECIAL = sizeof special / sizeof special[0] };

static void steps_quietly(const form *f, const char *name)
{
    probe context = {0};
    double exact[LARGEST_FORM], y[8];
    keel_problem *o = new_problem(f, GIVEN, &context), *p = NULL;
    keel_solver *s = NULL;
    assert_int_equal(keel_formulate(&p, o, &(keel_formulation){.name = name}), KEEL_OK);
    f->exact(0, exact);
    keel_formulation_from(p, exact, y);
    keel_options options = {.rtol = 1e-6, .projection = KEEL_PROJECT_NONE};
    expect_ok(keel_solver_create(&s, p, &options), s, name);
    expect_ok(keel_start(s, 0, y), s, name);
    allocations = 0;
    watching = 1;
    int rc = keel_advance_to(s, 0.5);
    watching = 0;
    expect_ok(rc, s, name);
    assert_int_equal(allocations, 0);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(o);
}

static void none_while_stepping(void **state)
{
    (void)state;
    for (int which = FORM_HESS3; which <= FORM_EVALUATE; which++)
        for (int k = 0; k < NAMES; k++) steps_quietly(&forms[which], names[k]);
    for (int k = 0; k < SPECIAL; k++) steps_quietly(&forms[special[k].form], special[k].name);
}

static void created_or_refused(const form *f, const char *name)
{
    probe context = {0};
    keel_problem *o = new_problem(f, GIVEN, &context), *p = NULL;
    int rc = KEEL_NO_MEMORY;
    for (fail_at = 1; rc != KEEL_OK && fail_at < 100; fail_at++) {
        allocations = 0;
        watching = 1;
        rc = keel_formulate(&p, o, &(keel_formulation){.name = name});
        watching = 0;
        if (rc) assert_int_equal(rc, KEEL_NO_MEMORY);
        keel_problem_free(p);
    }
    fail_at = 0;
    assert_int_equal(rc, KEEL_OK);
    keel_problem_free(o);
}

static void creation_without_memory(void **state)
{
    (void)state;
    for (int k = 0; k < NAMES; k++) created_or_refused(&forms[FORM_SEPARATE], names[k]);
    for (int k = 0; k < SPECIAL; k++) created_or_refused(&forms[special[k].form], special[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_while_stepping),
        cmocka_unit_test(creation_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
