/* test_checkpoint.c -- a run that is saved, and goes on in another solver, is the run that never was,
 * bit for bit; and the other solver remembers all that the first one did. */
#include <stdlib.h>

#include "problems/chain.h"
#include "problems/channel.h"
#include "problems/list.h"
#include "test/support/checkpoint.h"        /* before cmocka, which has another `fail` */

#include "test/support/run.h"

enum { STEPS = 30, LARGEST = 1000 };

static const char *const methods[] = {"dopri5", "verner8", "hem-5", "radau-iia", "gauss-3",
                                      "esdirk-4", "rodas-5p", "bdf", "dimsim", "auto"};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct trace {
    int status, steps;
    double t[STEPS + 1], y[STEPS + 1][LARGEST], inside[STEPS + 1][LARGEST];
    keel_stats stats;
    char message[600], choice[600];
} trace;

typedef struct setup {
    const keel_problem *problem;
    keel_options options;
    double t;
    const double *y;
    const char *name;
} setup;

typedef struct tally { int runs, saves, different; } tally;

static keel_solver *solver_of(const setup *u)
{
    keel_solver *s = NULL;
    return keel_solver_create(&s, u->problem, &u->options) ? (keel_solver_free(s), NULL) : s;
}

/* Into a new solver, which goes on; NULL: it cannot, or does not remember the same. */
static keel_solver *moved(const setup *u, keel_solver *s, int used, tally *count)
{
    const char *path = checkpoint_path();
    keel_solver *other = solver_of(u);
    if (used) keel_start(other, u->t, u->y);     /* what it did before must not count */
    int rc = keel_solver_save(s, path);
    if (rc) fprintf(stderr, "%s: %s\n", u->name, keel_message(s));
    if (!rc) rc = keel_solver_load(other, path);
    if (rc) fprintf(stderr, "%s: %s\n", u->name, keel_message(other));
    long at = rc ? 0 : solvers_differ(s, other);
    if (!rc && at != -1)
        fprintf(stderr, "%s at t = %g: memory differs at byte %ld of the block, where the state "
                "begins at %ld\n", u->name, keel_time(s), at,
                (long)((char *)s->state - (char *)s->block));
    count->saves++;
    keel_solver_free(s);
    if (rc || at != -1) return keel_solver_free(other), NULL;
    return other;
}

static int is_save(int step) { return step == 0 || step == 1 || step == 6 || step == 19; }

/* Steps, with a value inside each of them; NULL if a move failed. */
static keel_solver *run(trace *r, const setup *u, keel_solver *s, int moving, tally *count)
{
    int n = keel_problem_size(u->problem);
    memset(r, 0, sizeof *r);
    r->status = keel_start(s, u->t, u->y);
    while (!r->status && r->steps < STEPS) {
        if (moving && is_save(r->steps)) s = moved(u, s, r->steps == 6, count);
        if (!s) return NULL;
        r->status = keel_step(s);
        if (r->status) break;
        int k = r->steps++;
        r->t[k] = keel_time(s);
        memcpy(r->y[k], keel_state(s), (size_t)n * sizeof(double));
        if (k % 3 == 0)
            keel_interpolate(s, 0.3 * keel_previous_time(s) + 0.7 * keel_time(s), r->inside[k]);
    }
    r->stats = *keel_solver_stats(s);
    snprintf(r->choice, sizeof r->choice, "%s", keel_choice(s));
    if (r->status) snprintf(r->message, sizeof r->message, "%s", keel_message(s));
    return s;
}

static const char *difference(const trace *a, const trace *b)
{
    if (a->status != b->status || a->steps != b->steps) return "status";
    if (memcmp(a->t, b->t, sizeof a->t)) return "times";
    if (memcmp(a->y, b->y, sizeof a->y)) return "values";
    if (memcmp(a->inside, b->inside, sizeof a->inside)) return "values inside";
    if (strcmp(a->message, b->message)) return "message";
    if (strcmp(a->choice, b->choice)) return "choice";
    return memcmp(&a->stats, &b->stats, sizeof a->stats) ? "statistics" : NULL;
}

static void examine(tally *count, const setup *u)
{
    static trace straight, other;
    keel_solver *s = solver_of(u);
    if (!s) return;                              /* the method does not serve this problem */
    run(&straight, u, s, 0, count);
    keel_solver_free(s);
    s = run(&other, u, solver_of(u), 1, count);
    const char *what = s ? difference(&straight, &other) : "memory";
    keel_solver_free(s);
    count->runs++;
    if (!what) return;
    count->different++;
    fprintf(stderr, "%s with %s: %s (%s)\n", u->name, u->options.method, what, other.message);
}

static void conclude(const tally *count, int least)
{
    remove(checkpoint_path());
    assert_true(count->runs >= least && count->saves >= 2 * least);
    if (count->different) fail_msg("%d of %d runs differ", count->different, count->runs);
}

static keel_problem *bundled(const bundled_problem *b, double parameters[32], double *y)
{
    keel_problem *p = NULL;
    for (int k = 0; k < b->parameter_count; k++) parameters[k] = b->parameters[k].value;
    assert_int_equal(b->create(&p, parameters), KEEL_OK);
    b->start(parameters, y);
    return p;
}

static void all_methods(tally *count, setup u)
{
    for (int m = 0; m < METHODS; m++) {
        u.options.method = methods[m];
        examine(count, &u);
    }
}

static const keel_options usual = {.rtol = 1e-5, .atol = 1e-5, .max_steps = 300};

/* Dense, index 0 to 4, levelled with a lag, dependent rows (bricard), attached rows. */
static void problems_by_all_methods(void **state)
{
    int problems;
    const bundled_problem *const *list = bundled_problems(&problems);
    tally count = {0};
    (void)state;
    for (int k = 0; k < problems; k++) {
        double parameters[32], y[LARGEST];
        keel_problem *p = bundled(list[k], parameters, y);
        all_methods(&count, (setup){p, usual, list[k]->t_start, y, list[k]->name});
        keel_problem_free(p);
    }
    conclude(&count, 150);
}

static void formulations(void **state)
{
    static const char *const names[] = {"pendulum", "car-axis", "ascher-petzold", "order-index1",
                                        "order-index2", "order-index3", "order-mechanical"};
    static const char *const kinds[] = {"index0", "index1", "index2", "ggl", "baumgarte"};
    tally count = {0};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        double parameters[32], y[LARGEST], mapped[LARGEST];
        const bundled_problem *b = bundled_problem_find(names[k]);
        keel_problem *original = bundled(b, parameters, y);
        for (size_t f = 0; f < sizeof kinds / sizeof *kinds; f++) {
            keel_problem *p = NULL;
            if (!keel_formulate(&p, original, &(keel_formulation){.name = kinds[f]})) {
                keel_formulation_from(p, y, mapped);
                all_methods(&count, (setup){p, usual, b->t_start, mapped, names[k]});
            }
            keel_problem_free(p);
        }
        keel_problem_free(original);
    }
    conclude(&count, 100);
}

/* `auto` before, at and after its change; band and sparse factors; each projection. */
static void options(void **state)
{
    static const struct { const char *name; keel_options options; } runs[] = {
        {"van-der-pol", {.method = "auto", .rtol = 1e-6}},
        {"andrews-stiff", {.method = "auto", .rtol = 1e-4}},
        {"andrews-stiff", {.method = "radau-iia", .rtol = 1e-4, .iteration = KEEL_ITERATION_FULL}},
        {"pendulum", {.method = "radau-iia", .projection = KEEL_PROJECT_ORTHOGONAL}},
        {"pendulum", {.method = "radau-iia", .projection = KEEL_PROJECT_EXPLICIT}},
        {"pendulum", {.method = "radau-iia", .projection = KEEL_PROJECT_NONE}},
        {"pendulum", {.method = "radau-iia", .linear = KEEL_LINEAR_DENSE}},
        {"pendulum", {.method = "radau-iia", .step = 0.01}},
        {"pendulum", {.method = "bdf", .projection = KEEL_PROJECT_NONE}},
        {"pendulum", {.method = "dopri5", .projection = KEEL_PROJECT_ORTHOGONAL}},
        {"order-index2", {.method = "bdf-3", .step = 0.01}},
        {"order-index2", {.method = "gauss-3", .step = 0.01}},
        {"ascher-petzold", {.method = "hem-5", .jacobian_differences = 1}},
        {"robertson", {.method = "auto", .rtol = 1e-7, .atol = 1e-12}},
        {"two-bit-adder", {.method = "radau-iia", .linear = KEEL_LINEAR_DENSE}},
    };
    tally count = {0};
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        double parameters[32], y[LARGEST];
        const bundled_problem *b = bundled_problem_find(runs[k].name);
        keel_problem *p = bundled(b, parameters, y);
        examine(&count, &(setup){p, runs[k].options, b->t_start, y, runs[k].name});
        keel_problem_free(p);
    }
    conclude(&count, sizeof runs / sizeof *runs - 1);
}

/* y_i' = n^2 (y_(i-1) - 2 y_i + y_(i+1)) + sin y_i: a band. */
enum { LINE = 60 };
static int diffusion(double t, const double *y, double *f, void *context)
{
    (void)context;
    for (int i = 0; i < LINE; i++) {
        double left = i ? y[i - 1] : 1, right = i + 1 < LINE ? y[i + 1] : t;
        f[i] = LINE * LINE * (left - 2 * y[i] + right) + 10 * y[i] * y[i];
    }
    return 0;
}

static void bands_and_sparse_patterns(void **state)
{
    double y[LARGEST] = {0};
    int start[LINE + 1], row[3 * LINE], entries = 0;
    tally count = {0};
    (void)state;
    for (int j = 0; j < LINE; j++) {
        start[j] = entries;
        for (int i = j ? j - 1 : 0; i <= j + 1 && i < LINE; i++) row[entries++] = i;
    }
    start[LINE] = entries;
    const keel_pattern patterns[] = {{.storage = KEEL_BAND, .lower = 1, .upper = 1},
                                     {.storage = KEEL_SPARSE, .column_start = start,
                                      .row_index = row}};
    for (int k = 0; k < 2; k++) {
        keel_problem *p = NULL;
        const keel_ode_spec spec = {.size = LINE, .rhs = diffusion, .pattern = patterns[k]};
        assert_int_equal(keel_ode(&p, &spec), KEEL_OK);
        all_methods(&count, (setup){p, usual, 0, y, k ? "sparse line" : "band line"});
        keel_problem_free(p);
    }
    conclude(&count, 10);
}

/* Saddle matrices of chains and flows: by KLU, inside and outside of an iteration. */
static void sparse_constraints(void **state)
{
    double y[LARGEST] = {0};
    const bundled_problem *b = bundled_problem_find("chain");
    double parameters[32];
    keel_problem *p = bundled(b, parameters, y), *sparse = NULL;
    tally count = {0};
    (void)state;
    assert_int_equal(chain_create_sparse(&sparse, parameters), KEEL_OK);
    all_methods(&count, (setup){sparse, usual, 0, y, "sparse chain"});
    setup orthogonal = {sparse, usual, 0, y, "sparse chain, orthogonal"};
    orthogonal.options.projection = KEEL_PROJECT_ORTHOGONAL;
    all_methods(&count, orthogonal);
    keel_problem_free(sparse);
    keel_problem_free(p);
    const double flow[] = {12, 0.01};
    assert_int_equal(problem_channel.create(&p, flow), KEEL_OK);
    channel_start(flow, 1, y);
    all_methods(&count, (setup){p, usual, 0, y, "channel"});
    keel_problem_free(p);
    conclude(&count, has_sparse() ? 10 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_by_all_methods),
        cmocka_unit_test(formulations),
        cmocka_unit_test(options),
        cmocka_unit_test(bands_and_sparse_patterns),
        cmocka_unit_test(sparse_constraints),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
