/* test_checkpoint_files.c -- checkpoints that are damaged, of another run or of another machine are
 * refused by name and leave the solver as it was; what cannot be written keeps the old file. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "problems/problems.h"
#include "test/support/checkpoint.h"        /* before cmocka, which has another `fail` */
#include "test/support/run.h"

#include <stdlib.h>

typedef struct content { char *data; size_t size; } content;

static content slurp(const char *path)
{
    content c = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    c.size = fread(c.data, 1, 1 << 20, file);
    fclose(file);
    return c;
}

static void spill(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static keel_problem *bundled(const char *name, double *y)
{
    const bundled_problem *b = bundled_problem_find(name);
    static double parameters[32];
    keel_problem *p = NULL;
    for (int k = 0; k < b->parameter_count; k++) parameters[k] = b->parameters[k].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    return p;
}

/* The pendulum after a few steps. */
static keel_solver *under_way(const keel_problem *p, const keel_options *o, const double *y,
                              int steps)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, "create");
    expect_ok(keel_start(s, 0, y), s, "start");
    for (int k = 0; k < steps; k++) expect_ok(keel_step(s), s, "step");
    return s;
}

/* Every byte changed, one after the other; and every length. */
static void damaged(void **state)
{
    double y[200];
    const keel_options o = {.method = "dopri5"};
    keel_problem *p = bundled("pendulum", y);
    keel_solver *s = under_way(p, &o, y, 7), *other = under_way(p, &o, y, 3);
    const char *path = checkpoint_path();
    (void)state;
    expect_ok(keel_solver_save_noted(s, path, "a note", 7), s, "save");
    const double t = keel_time(other);
    content c = slurp(path);
    for (size_t k = 0; k < c.size; k++) {
        c.data[k] = (char)(c.data[k] ^ (1 << k % 8));
        spill(path, c.data, c.size);
        if (keel_solver_load(other, path) != KEEL_BAD_FILE) fail_msg("byte %zu was not missed", k);
        c.data[k] = (char)(c.data[k] ^ (1 << k % 8));
        assert_true(keel_message(other)[0] && keel_time(other) == t);
    }
    for (size_t size = 0; size < c.size; size += size < 200 ? 1 : 97) {
        spill(path, c.data, size);
        expect_status(keel_solver_load(other, path), KEEL_BAD_FILE, other, "shorter");
    }
    expect_ok(keel_step(other), other, "a run goes on after refusals");
    spill(path, c.data, c.size);
    expect_ok(keel_solver_load(other, path), other, "undamaged");
    size_t size;
    assert_string_equal(keel_solver_note(other, &size), "a note");
    assert_int_equal(size, 7);
    assert_true(keel_time(other) == keel_time(s));
    remove(path);
    free(c.data);
    keel_solver_free(s);
    keel_solver_free(other);
    keel_problem_free(p);
}

static void expect_refused(const keel_problem *p, const keel_options *o, const char *part)
{
    keel_solver *s = NULL;
    expect_ok(keel_solver_create(&s, p, o), s, part);
    expect_status(keel_solver_load(s, checkpoint_path()), KEEL_BAD_FILE, s, part);
    expect_text(keel_message(s), part);
    assert_int_equal(keel_step(s), KEEL_BAD_ARGUMENT);           /* not started */
    keel_solver_free(s);
}

static void of_another_run(void **state)
{
    double y[200], each[5] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-5};
    const keel_options o = {.method = "radau-iia"};
    keel_problem *p = bundled("pendulum", y), *ggl = NULL, *andrews = bundled("andrews", y + 50);
    keel_solver *s = under_way(p, &o, y, 5);
    (void)state;
    expect_ok(keel_solver_save(s, checkpoint_path()), s, "save");
    assert_int_equal(keel_formulate(&ggl, p, &(keel_formulation){.name = "ggl"}), KEEL_OK);
    expect_refused(andrews, &o, "form mechanical of 20 unknowns");
    expect_refused(ggl, &o, "form Hessenberg 2");
    expect_refused(p, &(keel_options){.method = "bdf"}, "`method bdf`");
    expect_refused(p, &(keel_options){.method = "radau-iia-3"}, "`method radau-iia-3");
    expect_refused(p, &(keel_options){.method = "radau-iia", .rtol = 1e-7}, "rtol = 1e-06");
    expect_refused(p, &(keel_options){.method = "radau-iia", .atol_each = each}, "tolerances");
    expect_refused(p, &(keel_options){.method = "radau-iia", .step = 0.1}, "`step = 0.1`");
    expect_refused(p, &(keel_options){.method = "radau-iia", .check = KEEL_CHECK_NONE},
                   "`check = 1`");
    keel_solver_free(s);
    keel_problem_free(ggl);
    keel_problem_free(andrews);
    keel_problem_free(p);
}

/* Names are a part of the problem. */
static int decay(double t, const double *y, double *f, void *context)
{
    (void)t, (void)context;
    f[0] = -y[0];
    return 0;
}

static void other_names_and_machines(void **state)
{
    const char *const names[] = {"mass"}, *const others[] = {"volume"};
    const double y[] = {1};
    keel_problem *p = NULL, *q = NULL;
    (void)state;
    keel_ode_spec spec = {.size = 1, .rhs = decay, .names = names};
    assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
    spec.names = others;
    assert_int_equal(keel_ode(&q, &spec), KEEL_OK);
    keel_solver *s = under_way(p, NULL, y, 2);
    expect_ok(keel_solver_save(s, checkpoint_path()), s, "save");
    expect_refused(q, NULL, "`names");
    content c = slurp(checkpoint_path());
    static const struct { size_t at; const char *part; } fields[] = {
        {0, "is none"}, {16, "has version"}, {20, "another architecture"},
        {26, "another architecture"}, {32, "length"}, {40, "checksum"}};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        c.data[fields[k].at]++;
        spill(checkpoint_path(), c.data, c.size);
        expect_refused(p, NULL, fields[k].part);
        c.data[fields[k].at]--;
    }
    remove(checkpoint_path());
    expect_refused(p, NULL, "No such file");
    free(c.data);
    keel_solver_free(s);
    keel_problem_free(p);
    keel_problem_free(q);
}

/* A disk without room keeps the old file; so does a folder that cannot be written to. */
static void not_written(void **state)
{
    const double y[] = {1};
    keel_problem *p = NULL;
    (void)state;
    assert_int_equal(keel_ode(&p, &(keel_ode_spec){.size = 1, .rhs = decay}), KEEL_OK);
    keel_solver *s = under_way(p, NULL, y, 2), *early = NULL;
    expect_status(keel_solver_save(s, "/dev/full"), KEEL_BAD_FILE, s, "full");
    expect_text(keel_message(s), "/dev/full cannot be written: No space left on device");
    expect_status(keel_solver_save(s, "/nowhere/c"), KEEL_BAD_FILE, s, "nowhere");
    expect_status(keel_solver_save(s, NULL), KEEL_BAD_ARGUMENT, s, "no path");
    expect_status(keel_solver_save_noted(s, "c", NULL, 5), KEEL_BAD_ARGUMENT, s, "no note");
    expect_status(keel_solver_load(s, NULL), KEEL_BAD_ARGUMENT, s, "no path");
    expect_ok(keel_step(s), s, "the run goes on");
    expect_ok(keel_solver_create(&early, p, NULL), early, "create");
    expect_status(keel_solver_save(early, "c"), KEEL_BAD_ARGUMENT, early, "not started");
    size_t size = 7;
    assert_null(keel_solver_note(early, &size));
    assert_int_equal(size, 0);
    keel_solver_free(early);

    char part[200];
    snprintf(part, sizeof part, "%s.part", checkpoint_path());
    expect_ok(keel_solver_save(s, checkpoint_path()), s, "save");
    content old = slurp(checkpoint_path());
    expect_ok(keel_step(s), s, "step");
    assert_int_equal(symlink("/dev/full", part), 0);             /* the disk is full from here on */
    expect_status(keel_solver_save(s, checkpoint_path()), KEEL_BAD_FILE, s, "full");
    content kept = slurp(checkpoint_path());
    assert_int_equal(kept.size, old.size);
    assert_memory_equal(kept.data, old.data, old.size);
    remove(part);
    remove(checkpoint_path());
    free(old.data);
    free(kept.data);
    keel_solver_free(s);
    keel_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged),
        cmocka_unit_test(of_another_run),
        cmocka_unit_test(other_names_and_machines),
        cmocka_unit_test(not_written),
    };
    return cmocka_run_group_tests_name("checkpoint files", tests, NULL, NULL);
}
