/* main.c -- the keel command: finds the verb and lets it work. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "core/number.h"
#include "keel/keel.h"

typedef struct verb {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
    {"run", "integrate a problem and report values, statistics and residuals", run_command},
    {"sweep", "integrate a problem with many parameters, several at the same time", sweep_command},
    {"bvp", "solve a boundary value problem by collocation", bvp_command},
    {"converge", "measure orders of convergence at constant step sizes", converge_command},
    {"compare", "compare methods: digits and work at several tolerances", compare_command},
    {"manifold", "measure the discrete manifold of the multipliers: attraction, distance",
     manifold_command},
    {"check", "compare the derivatives of a problem with differences", check_command},
    {"new", "write a problem of your own to begin with", new_command},
    {"problems", "list the bundled problems, or describe one", problems_command},
    {"methods", "list the integration methods", methods_command},
    {"method", "describe a method: order, stability, coefficients, predicted orders",
     method_command},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static int print_overview(void)
{
    printf("keel %s -- differential-algebraic equations without drift\n\n"
           "usage: keel VERB [arguments]\n\n", keel_version());
    for (int i = 0; i < VERBS; i++) printf("  %-10s %s\n", verbs[i].name, verbs[i].summary);
    printf("  %-10s %s\n\n"
           "'keel VERB --help' lists the arguments of a verb, 'keel --version' the version.\n",
           "help", "explain a verb");
    return EXIT_DONE;
}

static const verb *find_verb(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}

static int unknown_verb(const char *name)
{
    const char *known[VERBS + 1] = {"help"};
    for (int i = 0; i < VERBS; i++) known[i + 1] = verbs[i].name;
    return unknown_name(NULL, "verb", name, known, VERBS + 1, "'keel --help' lists the verbs");
}

static int help_command(int argc, char **argv)
{
    if (argc == 0 || argv[0][0] == '-') return print_overview();
    const verb *v = find_verb(argv[0]);
    if (!v) return unknown_verb(argv[0]);
    return v->run(1, (char *[]){"--help", NULL});
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) return usage_error(NULL, "a verb is missing; 'keel --help' lists the verbs");
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("keel %s\n", keel_version());
        return EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return print_overview();
    if (strcmp(name, "help") == 0) return help_command(argc - 2, argv + 2);
    const verb *v = find_verb(name);
    return v ? v->run(argc - 2, argv + 2) : unknown_verb(name);
}

/* Numbers are read and printed with a decimal point in every locale.  A result that could not be
 * printed (a full disk) is a failure like any other. */
int main(int argc, char **argv)
{
    terminal_begin();
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--json") == 0) refuse_as_json(true);
    const plain_numbers now = plain_numbers_begin();
    const int code = dispatch(argc, argv);
    plain_numbers_end(now);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "keel: cannot write to standard output: %s\n", strerror(errno));
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
