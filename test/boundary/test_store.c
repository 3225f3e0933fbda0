/* test_store.c -- solutions and branches in files, solved again with other tolerances and intervals. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "test/boundary/cases.h"

static char path[] = "/tmp/keel-store-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Bratu's problem with lambda in the frame. */
static int frame_rhs(double t, const double *x, const double *y, double *f, void *context)
{
    const keel_frame *frame = context;
    (void)t;
    f[0] = x[1];
    f[1] = -frame->parameters[0] * y[0];
    return 0;
}
static keel_problem *bratu_framed(double lambda)
{
    keel_problem *p = NULL;
    assert_int_equal(keel_semi_explicit(&p, &(keel_semi_explicit_spec){
        .differential = 2, .algebraic = 1, .rhs = frame_rhs, .constraint = bratu_constraint,
        .names = (const char *const[]){"u", "v", "y"},
        .frame = {.parameters = 1, .parameter_start = &lambda}}), KEEL_OK);
    return p;
}

static keel_boundary *boundary_of(const keel_problem *p, double tol)
{
    keel_boundary *w = NULL;
    assert_int_equal(keel_boundary_create(&w, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = zero_ends},
        &(keel_boundary_options){.rtol = tol, .atol = tol}), KEEL_OK);
    return w;
}

static void expect(int rc, keel_boundary *w)
{
    if (rc) fail_msg("%s: %s", keel_status_name(rc), keel_boundary_message(w));
}

static void expect_same(keel_boundary *a, keel_boundary *b)
{
    keel_solution *one = keel_boundary_solution(a), *other = keel_boundary_solution(b);
    assert_int_equal(keel_solution_steps(one), keel_solution_steps(other));
    for (int i = 0; i <= 40; i++) {
        double y[3], z[3];
        assert_int_equal(keel_solution_at(one, i / 40.0, y), KEEL_OK);
        assert_int_equal(keel_solution_at(other, i / 40.0, z), KEEL_OK);
        assert_memory_equal(y, z, sizeof y);
    }
}

/* ---- solutions ------------------------------------------------------------------------------- */

static void saved_and_read(void **state)
{
    keel_problem *p = bratu_framed(3.5);
    keel_boundary *a = boundary_of(p, 1e-6), *b = boundary_of(p, 1e-10), *c = boundary_of(p, 1e-10);
    (void)state;
    assert_int_equal(keel_boundary_save(a, path), KEEL_BAD_ARGUMENT);    /* nothing yet */
    expect(keel_boundary_solve(a), a);
    expect(keel_boundary_save(a, path), a);
    expect(keel_boundary_load(b, path), b);
    expect_same(a, b);
    /* As a guess it saves work: no damping, no unresolved mesh. */
    expect(keel_boundary_solve(b), b);
    expect(keel_boundary_solve(c), c);
    assert_true(keel_boundary_statistics(b)->factorizations <
                keel_boundary_statistics(c)->factorizations);
    keel_boundary_free(a);
    keel_boundary_free(b);
    keel_boundary_free(c);
    keel_problem_free(p);
}

/* Other tolerances begin where the last ones ended. */
static void refined(void **state)
{
    keel_problem *p = bratu_framed(3.5);
    keel_boundary *w = boundary_of(p, 1e-4), *fresh = boundary_of(p, 1e-10);
    double y[3], z[3];
    (void)state;
    expect(keel_boundary_solve(w), w);
    int coarse = keel_boundary_statistics(w)->mesh;
    expect(keel_boundary_set_tolerances(w, 1e-10, 1e-10), w);
    expect(keel_boundary_solve(w), w);
    expect(keel_boundary_solve(fresh), fresh);
    assert_true(keel_boundary_statistics(w)->mesh > coarse);
    assert_true(keel_boundary_statistics(w)->error_x <= 1 && keel_boundary_statistics(w)->error_y <= 1);
    assert_true(keel_boundary_statistics(w)->factorizations <
                keel_boundary_statistics(fresh)->factorizations);
    keel_solution_at(keel_boundary_solution(w), 0.4, y);
    keel_solution_at(keel_boundary_solution(fresh), 0.4, z);
    for (int i = 0; i < 3; i++) assert_true(fabs(y[i] - z[i]) < 2e-10 * (1 + fabs(z[i])));
    assert_int_equal(keel_boundary_set_tolerances(w, -1, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_tolerances(w, 0, 0), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_tolerances(w, NAN, 1e-6), KEEL_BAD_ARGUMENT);
    keel_boundary_free(w);
    keel_boundary_free(fresh);
    keel_problem_free(p);
}

/* A longer interval: u'' + lambda e^u = 0 on [0,L] is that of lambda L^2 on [0,1]. */
static void extended(void **state)
{
    keel_problem *p = bratu_framed(1), *q = bratu_framed(1.44);
    keel_boundary *w = boundary_of(p, 1e-9), *scaled = boundary_of(q, 1e-9);
    double y[3], z[3];
    (void)state;
    expect(keel_boundary_solve(w), w);
    expect(keel_boundary_set_interval(w, 0, 1.2), w);
    expect(keel_boundary_solve(w), w);
    expect(keel_boundary_solve(scaled), scaled);
    assert_true(keel_solution_time(keel_boundary_solution(w),
                                   keel_solution_steps(keel_boundary_solution(w))) == 1.2);
    keel_solution_at(keel_boundary_solution(w), 0.6, y);
    keel_solution_at(keel_boundary_solution(scaled), 0.5, z);
    assert_true(fabs(y[0] - z[0]) < 2e-9 * (1 + fabs(z[0])));
    assert_int_equal(keel_boundary_set_interval(w, 1, 1), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_set_interval(w, 0, NAN), KEEL_BAD_ARGUMENT);
    keel_boundary_free(w);
    keel_boundary_free(scaled);
    keel_problem_free(p);
    keel_problem_free(q);
}

/* A table as a guess, of another length: it is stretched. */
static void from_table(void **state)
{
    const double t[4] = {0, 1, 2, 3}, y[12] = {0, 4, 1, 1, 1, 3, 1, -1, 3, 0, -4, 1};
    keel_problem *p = bratu_framed(3.5);
    keel_boundary *w = boundary_of(p, 1e-6);
    keel_solution *table = NULL;
    double at[3];
    (void)state;
    assert_int_equal(keel_solution_from_table(&table, 3, 4, t, y), KEEL_OK);
    assert_int_equal(keel_solution_at(table, 0.5, at), KEEL_OK);
    assert_true(fabs(at[0] - 0.5) < 1e-15 && fabs(at[1] - 2.5) < 1e-15 && fabs(at[2] - 2) < 1e-15);
    expect(keel_boundary_guess(w, table, NULL), w);
    expect(keel_boundary_solve(w), w);
    keel_solution_free(table);
    assert_int_equal(keel_solution_from_table(&table, 3, 1, t, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_from_table(&table, 3, 2, (double[]){1, 1}, y), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_solution_from_table(&table, 3, 2, (double[]){1, NAN}, y), KEEL_BAD_ARGUMENT);
    assert_null(table);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* A solution as the guess of its own problem: it is that of the next one, and no solution any more. */
static void from_itself(void **state)
{
    keel_problem *p = bratu_framed(3.5);
    keel_boundary *w = boundary_of(p, 1e-6);
    (void)state;
    expect(keel_boundary_solve(w), w);
    long first = keel_boundary_statistics(w)->rhs;
    expect(keel_boundary_guess(w, keel_boundary_solution(w), NULL), w);
    assert_null(keel_boundary_solution(w));
    assert_null(keel_boundary_diagnose(w));
    assert_int_equal(keel_boundary_save(w, "none.sol"), KEEL_BAD_ARGUMENT);
    expect(keel_boundary_solve(w), w);
    assert_non_null(keel_boundary_solution(w));
    assert_true(keel_boundary_statistics(w)->rhs < first);
    keel_boundary_free(w);
    keel_problem_free(p);
}

/* ---- files that are wrong -------------------------------------------------------------------- */

/* Any byte that is changed is noticed, and the solution that is there stays. */
static void damaged(void **state)
{
    static char content[200000];
    keel_problem *p = bratu_framed(1);
    keel_boundary *w = boundary_of(p, 1e-6), *copy = boundary_of(p, 1e-6);
    (void)state;
    expect(keel_boundary_solve(w), w);
    expect(keel_boundary_solve(copy), copy);
    expect(keel_boundary_save(w, path), w);
    FILE *file = fopen(path, "rb");
    size_t size = fread(content, 1, sizeof content, file);
    fclose(file);
    assert_true(size > 100 && size < sizeof content);
    for (size_t i = 0; i <= size; i += i < 64 || i + 7 > size ? 1 : 7) {
        size_t length = i < size ? size : size - 1;      /* at last one that ends too early */
        if (i < size) content[i] ^= 4;
        file = fopen(path, "wb");
        fwrite(content, 1, length, file);
        fclose(file);
        if (i < size) content[i] ^= 4;
        assert_int_equal(keel_boundary_load(w, path), KEEL_BAD_FILE);
        assert_non_null(strstr(keel_boundary_message(w), path));
    }
    expect_same(w, copy);
    assert_int_equal(keel_boundary_load(w, "/nowhere/at/all"), KEEL_BAD_FILE);
    assert_int_equal(keel_boundary_save(w, "/nowhere/at/all"), KEEL_BAD_FILE);
    assert_int_equal(keel_boundary_load(w, NULL), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_boundary_save(w, NULL), KEEL_BAD_ARGUMENT);
    keel_boundary_free(w);
    keel_boundary_free(copy);
    keel_problem_free(p);
}

/* ---- branches -------------------------------------------------------------------------------- */

static keel_branch *branch_of(const keel_problem *p, int most)
{
    keel_branch *b = NULL;
    assert_int_equal(keel_branch_create(&b, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = zero_ends},
        &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8},
        &(keel_branch_options){.arclength = 1, .most = most}), KEEL_OK);
    return b;
}

/* Given up and taken up again after every few points, over the fold: the same to the last bit. */
static void resumed_branch(void **state)
{
    keel_problem *p = bratu_framed(0.5);
    keel_branch *whole = branch_of(p, 0), *b = branch_of(p, 7);
    (void)state;
    assert_int_equal(keel_branch_start(whole, 0.5), KEEL_OK);
    assert_int_equal(keel_branch_follow(whole, 4), KEEL_OK);
    assert_int_equal(keel_branch_start(b, 0.5), KEEL_OK);
    int rc = keel_branch_follow(b, 4), parts = 1;
    for (; rc == KEEL_STEP_LIMIT; parts++) {
        assert_int_equal(keel_branch_save(b, path), KEEL_OK);
        keel_branch_free(b);
        b = branch_of(p, 7);
        assert_int_equal(keel_branch_load(b, path), KEEL_OK);
        rc = keel_branch_follow(b, 4);
    }
    assert_int_equal(rc, KEEL_OK);
    assert_true(parts > 3);
    assert_int_equal(keel_branch_count(b), keel_branch_count(whole));
    for (int i = 0; i < keel_branch_count(b); i++) {
        const keel_branch_point *x = keel_branch_at(b, i), *y = keel_branch_at(whole, i);
        assert_true(x->parameter == y->parameter && x->arc == y->arc && x->fold == y->fold);
        assert_memory_equal(x->largest, y->largest, 3 * sizeof(double));
        assert_memory_equal(x->from, y->from, 3 * sizeof(double));
    }
    keel_branch_free(b);
    keel_branch_free(whole);
    keel_problem_free(p);
}

static void wrong_branch_files(void **state)
{
    keel_problem *p = bratu_framed(0.5);
    keel_branch *b = branch_of(p, 3), *natural = NULL;
    keel_boundary *w = boundary_of(p, 1e-6);
    (void)state;
    assert_int_equal(keel_branch_save(b, path), KEEL_BAD_ARGUMENT);      /* no start */
    assert_int_equal(keel_branch_start(b, 0.5), KEEL_OK);
    assert_int_equal(keel_branch_save(b, path), KEEL_OK);
    assert_int_equal(keel_branch_load(b, path), KEEL_BAD_ARGUMENT);      /* a start already */
    assert_int_equal(keel_boundary_load(w, path), KEEL_BAD_FILE);
    assert_int_equal(keel_branch_create(&natural, &(keel_boundary_spec){
        .problem = p, .to = 1, .conditions = 2, .condition = zero_ends},
        &(keel_boundary_options){.rtol = 1e-8, .atol = 1e-8}, NULL), KEEL_OK);
    assert_int_equal(keel_branch_load(natural, path), KEEL_BAD_FILE);
    assert_non_null(strstr(keel_branch_message(natural), "arclength"));
    assert_int_equal(keel_branch_count(natural), 0);
    assert_int_equal(keel_branch_start(natural, 0.5), KEEL_OK);          /* it can still begin */
    assert_int_equal(keel_branch_save(NULL, path), KEEL_BAD_ARGUMENT);
    assert_int_equal(keel_branch_load(natural, NULL), KEEL_BAD_ARGUMENT);
    keel_branch_free(b);
    keel_branch_free(natural);
    keel_boundary_free(w);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_and_read), cmocka_unit_test(refined),
        cmocka_unit_test(extended),       cmocka_unit_test(from_table),
        cmocka_unit_test(from_itself),
        cmocka_unit_test(damaged),        cmocka_unit_test(resumed_branch),
        cmocka_unit_test(wrong_branch_files),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
