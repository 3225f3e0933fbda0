/* test_wrong.c -- wrong arguments of the verbs about methods: the right exit status, one sentence. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

static const char *const verbs[] = {"run", "converge", "compare", "manifold"};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* Status 1 and one line that contains `part`. */
static void expect_failure(const char *arguments, const char *part)
{
    if (run(arguments) != 1) fail_msg("keel %s: %s", arguments, err);
    expect_contains(err, part);
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

/* Usage errors that all verbs with a problem and a method share. */
static void shared(void **state)
{
    static const char *const cases[][2] = {
        {"", "TARGET is missing"}, {"pendulun", "did you mean 'pendulum'?"},
        {"pendulum --method", "--method needs a value"},
        {"pendulum --method radauiia-3", "did you mean 'radau-iia-3'?"},
        {"pendulum --method bdf-7", "not zero-stable"},
        {"pendulum --method beta-adams-4", "a double root at -1"},
        {"pendulum --method-file", "--method-file needs a value"},
        {"pendulum --method rk4 --method-file own.txt", "exclude each other"},
        {"pendulum --formulation", "--formulation needs a value"},
        {"pendulum --formulation gll", "did you mean 'ggl'?"},
        {"pendulum --alpha 2", "--formulation"}, {"pendulum --wrong", "unknown option '--wrong'"},
        {"pendulum --formulation baumgarte --alpha -1", "--alpha"},
        {"pendulum --projection sideways", "projection"},
    };
    (void)state;
    for (int v = 0; v < VERBS; v++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char line[200];
            snprintf(line, sizeof line, "%s %s", verbs[v], cases[k][0]);
            expect_usage(line, cases[k][1]);
        }
}

static void method_files(void **state)
{
    (void)state;
    write_file("wrong.txt", "order: 5\nA:\n 0 0\n 1 0\nb: 1/2 1/2\n");
    for (int v = 0; v < VERBS; v++) {
        char line[200];
        snprintf(line, sizeof line, "%s pendulum --method-file nowhere.txt", verbs[v]);
        expect_failure(line, "cannot open nowhere.txt");
        snprintf(line, sizeof line, "%s pendulum --method-file .", verbs[v]);
        expect_failure(line, "cannot read .");
        snprintf(line, sizeof line, "%s pendulum --method-file wrong.txt", verbs[v]);
        expect_failure(line, "wrong.txt: the method claims order 5, but has order 2");
    }
    expect_failure("method --method-file wrong.txt", "claims order 5");
    free(take("wrong.txt", NULL));
}

/* Methods that cannot advance the problem: said once, not for every step size or tolerance. */
static void unsupported(void **state)
{
    static const char *const arguments = "transistor-amplifier --t-end 0.1 --method hem-4";
    char line[200];
    (void)state;
    for (int v = 0; v < 3; v++) {
        snprintf(line, sizeof line, "%s %s", verbs[v], arguments);
        expect_failure(line, "hem-4 is half-explicit");
    }
    expect_failure("run pendulum --formulation ggl --method dopri5", "cannot advance");
}

static void pictures(void **state)
{
    (void)state;
    expect_failure("method rk4 --plot no/such/place.svg", "no/such/place.svg");
    expect_failure("converge order-ode --method rk4 --halvings 2 --plot no/such/place.svg",
                   "no/such/place.svg");
    expect_failure("compare order-ode --method rk4 --rtol 1e-3,1e-4 --plot no/such/place.png",
                   "no/such/place.png");
    expect_usage("converge order-ode --plot a.txt", ".svg or .png");
    expect_usage("compare order-ode --plot a.txt", ".svg or .png");
}

static void lists(void **state)
{
    (void)state;
    expect_usage("methods extra", "unexpected argument 'extra'");
    expect_usage("methods --wrong", "unknown option '--wrong'");
    expect_usage("method rk4 extra", "unexpected argument 'extra'");
    expect_usage("method rk4 --plot", "--plot needs a value");
    expect_usage("compare pendulum --methods rk4,", "unknown method ''");
    expect_usage("compare pendulum --methods", "--methods needs a value");
    expect_usage("converge pendulum --halvings -3", "--halvings");
    expect_usage("manifold pendulum --method dopri5", "dopri5");
    expect_usage("manifold pendulum --step 0", "step");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared), cmocka_unit_test(method_files), cmocka_unit_test(unsupported),
        cmocka_unit_test(pictures), cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
