/* Compiled callbacks compute what the tape computes: loops for what repeats, straight code for the rest.
 * What is compiled is private, found again, and never needed. */
#define _POSIX_C_SOURCE 200809L
#include "model/object.h"

#include "test/model/model.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char cache[] = "/tmp/keel_test_cacheXXXXXX";

static int make_cache(void **state)
{
    (void)state;
    return mkdtemp(cache) && setenv("XDG_CACHE_HOME", cache, 1) == 0 ? 0 : -1;
}

static int remove_cache(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

static const char *const models[] = {
    /* many of one shape, with other constants in each, and some of others */
    "model A parameter Integer n = 40; Real x[n](each start = 1), s; equation\n"
    "for i in 2:n-1 loop der(x[i]) = i*(x[i-1] - 2*x[i] + x[i+1]) + sin(x[i])^2/(1 + x[i]^3); end for;\n"
    "der(x[1]) = -x[1] + max(s, 0.1); der(x[n]) = if x[n] > 0.5 then -x[n] else sqrt(abs(x[1]));\n"
    "s = sum(x)/n + exp(-x[3]) + atan2(x[1], x[2]) + mod(7.5, 2)*tanh(time); end A;",
    "model B Real x(start = 1, fixed = true), y, l; equation der(der(x)) = -l*x; der(der(y)) = -l*y - 9.81;\n"
    "x^2 + y^2 = 1; end B;",
    /* sines and cosines of sums: addition theorems where those of the terms are there, calls otherwise */
    "model C Real a(start = 0.5), b(start = 1.1), c(start = 2); equation der(a) = sin(a + b) + cos(a)*sin(b);\n"
    "der(b) = cos(a - b) - sin(a)*cos(b) + sin(b - a); der(c) = cos(a + b) + sin(a + c) - cos(c); end C;",
};

/* Waits for the compiler; -1: there is none. */
static int wait_compiled(keel_model *m)
{
    int done;
    while ((done = keel_model_compiled(m)) == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return done;
}

static void check_agreement(keel_model *m)
{
    evaluation *e = &m->evaluation;
    const int size = levels_unknowns(&m->levels), last = m->programs.callbacks - 1;
    double *y = malloc(((size_t)size + 1) * sizeof *y);
    assert_non_null(y);
    for (int i = 0; i < size; i++) y[i] = m->plan.y[i] + 0.3 * sin(i + 1.0);
    const model_point at = {0.7, y, y + e->differential, m->mode_start, m->mode_start, m->value_start,
                      m->value_start, 0};
    workspace *w = evaluation_take(e);
    for (int k = 0; k <= last; k++) {
        const size_t n = (size_t)e->outputs[k];
        double *wanted = malloc((n + 1) * sizeof *wanted), *r = w->registers[k];
        assert_non_null(wanted);
        evaluation_run(e, w, k, &at);
        tape_run(e->tape[k], r);
        memcpy(wanted, r + tape_outputs_at(e->tape[k]), n * sizeof *wanted);
        const double *compiled = evaluation_run(e, w, k, &at);
        assert_non_null(e->native[k]);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(compiled[i] - wanted[i]) <= 1e-13 * (1 + fabs(wanted[i])));
        free(wanted);
    }
    evaluation_give(e, w);
    free(y);
}

static void compiled_and_tape_agree(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (int again = 0; again < 2; again++) {        /* the second time it is found */
            model_run r = open_model(models[k]);
            if (!keel_model_problem(r.model)) fail_msg("%s", keel_model_message(r.model));
            assert_int_equal(keel_model_compile(r.model), KEEL_OK);
            if (again) assert_int_equal(keel_model_compiled(r.model), 1);
            assert_int_equal(wait_compiled(r.model), 1);
            check_agreement(r.model);
            close_run(&r);
        }
}

static void cache_is_private(void **state)
{
    (void)state;
    char path[200];
    struct stat found;
    snprintf(path, sizeof path, "%s/keel", cache);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 077, 0);
    assert_int_equal(chmod(path, 0777), 0);              /* others could put something there: not used */
    model_run r = open_model(models[1]);
    assert_non_null(keel_model_problem(r.model));
    assert_int_equal(keel_model_compile(r.model), KEEL_UNSUPPORTED);
    assert_int_equal(keel_model_compiled(r.model), -1);
    close_run(&r);
    assert_int_equal(chmod(path, 0700), 0);
}

static void nothing_is_needed(void **state)
{
    (void)state;
    char before[4000];
    snprintf(before, sizeof before, "%s", getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    model_run r = open_model("model C Real x(start = 3, fixed = true); equation der(x) = -x*17; end C;");
    assert_non_null(keel_model_problem(r.model));
    keel_model_compile(r.model);
    assert_int_equal(wait_compiled(r.model), -1);
    close_run(&r);
    setenv("PATH", before, 1);
}

/* A model that goes away while its compiler works takes it along. */
static void compiler_is_ended(void **state)
{
    (void)state;
    model_run r = open_model("model C Real x(start = 3, fixed = true); equation der(x) = -x*18; end C;");
    assert_non_null(keel_model_problem(r.model));
    assert_int_equal(keel_model_compile(r.model), KEEL_OK);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_and_tape_agree), cmocka_unit_test(cache_is_private),
        cmocka_unit_test(nothing_is_needed), cmocka_unit_test(compiler_is_ended),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
