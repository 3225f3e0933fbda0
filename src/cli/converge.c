/* converge.c -- keel converge TARGET: orders of convergence at constant steps H, H/R, H/R^2, ...
 *
 * Exit status: 0 if any run reached the end, 1 if none did, 2 wrong usage, 130 interrupted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convergence.h"
#include "cli/events.h"
#include "cli/files.h"
#include "cli/method_choice.h"
#include "cli/prediction.h"
#include "cli/verbs.h"
#include "report/chart.h"

typedef struct converge_settings {
    target_settings target;
    method_choice method;
    long halvings, ratio;
    bool each, end, scaled, json;
    const char *norm, *unknowns;
    const char *plot;
    bool both;                   /* not projected and projected                        */
    bool multipliers_given;
} converge_settings;

#define FIELD(name) offsetof(converge_settings, name)

static const argument arguments[] = {
    TARGET_ARGUMENTS(converge_settings, target),
    METHOD_ARGUMENTS(converge_settings, method),
    {"halvings", ARGUMENT_COUNT, FIELD(halvings), 0, "K",
     "runs with steps H, H/R, ..., H/R^K (default 5); --step is H"},
    {"ratio", ARGUMENT_COUNT, FIELD(ratio), 1, "R", "of one step size to the next (default 2)"},
    {"each", ARGUMENT_FLAG, FIELD(each), 0, NULL,
     "errors of each unknown instead of each group of unknowns"},
    {"end", ARGUMENT_FLAG, FIELD(end), 0, NULL,
     "errors at the end, not the largest of all mesh points"},
    {"norm", ARGUMENT_TEXT, FIELD(norm), 0, "NAME",
     "of a group of unknowns: max (default) or euclidean"},
    {"unknowns", ARGUMENT_TEXT, FIELD(unknowns), 0, "NAME",
     "whose errors: of the original (default) or of the formulation, against a run of it"},
    {"scaled", ARGUMENT_FLAG, FIELD(scaled), 0, NULL,
     "print error / h^p, p the predicted order, or that of the method if none is"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw errors over step sizes to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
};

static const syntax converge_syntax = {
    .verb = "converge", .operand = "TARGET", .operand_required = true,
    .purpose = "Integrates TARGET with constant steps that are halved from run to run, and prints "
               "errors,\nobserved orders log2(e(h) / e(h/2)) and the orders that theory predicts.  "
               "Without --projection\nand --multipliers problems of index 2 and higher are "
               "integrated three times: not projected and\nprojected with the multipliers of the method "
               "(Runge-Kutta on index 2: the stage polynomial,\nelse the recursion), and projected "
               "with multipliers from the hidden constraint.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

/* Few unknowns are shown each by itself. */
enum { EACH_UNKNOWN = 3 };

enum { RATIO_MOST = 1000 };

/* ---- running ------------------------------------------------------------------------------- */

/* Variable order counts as implicit. */
static keel_method_kind kind_of(const keel_options *options)
{
    keel_method_info info;
    if (options->tableau) return keel_method_kind_of(options->tableau);
    const bool known = keel_method_find(method_name(options), &info) == KEEL_OK;
    return known ? info.kind : KEEL_METHOD_IMPLICIT;
}

/* Of the method itself: explicit methods have none, others the polynomial of their stages on index
 * 2, or what they carry. */
static keel_multipliers own_multipliers(const target *t, const keel_options *options)
{
    const keel_method_kind kind = kind_of(options);
    const bool stages = kind == KEEL_METHOD_DIAGONAL || kind == KEEL_METHOD_IMPLICIT;
    if (kind < KEEL_METHOD_DIAGONAL) return options->multipliers;
    return stages && target_stage_index(t) == 2 ? KEEL_MULTIPLIERS_POLYNOMIAL
                                                         : KEEL_MULTIPLIERS_RECURSION;
}

static void add_experiment(convergence *c, const keel_options *options)
{
    static const char *const source[] = {"as the method has them", "from the hidden constraint",
                                         "by the recursion", "by the stage polynomial"};
    const target *t = c->study.target;
    experiment *e = &c->experiment[c->experiments++];
    *e = (experiment){.options = *options};
    if (target_has_hidden_levels(t))
        snprintf(e->title, sizeof e->title, "%s, multipliers %s",
                 is_projected(options) ? "projected" : "not projected",
                 source[options->multipliers]);
    if (target_has_hidden_levels(t))
        snprintf(e->label, sizeof e->label, "%s, %s",
                 is_projected(options) ? "projected" : "not projected",
                 multipliers_word(options));
    predict_orders(t, c->study.measured, options, e->predicted);
}

/* Unless the user wants just one: without projection, and with it; multipliers of the method itself
 * and from the hidden constraint. */
static void plan(convergence *c, const converge_settings *set, const keel_options *options)
{
    const target *t = c->study.target;
    const bool three = !set->multipliers_given && kind_of(options) >= KEEL_METHOD_DIAGONAL;
    keel_options own = *options, bare;
    if (!set->both || !target_has_hidden_levels(t)) {
        add_experiment(c, options);
        return;
    }
    if (three) own.multipliers = own_multipliers(t, options);
    keel_options hidden = *options;
    hidden.multipliers = KEEL_MULTIPLIERS_HIDDEN;
    bare = own;
    bare.projection = KEEL_PROJECT_NONE;
    add_experiment(c, &bare);
    add_experiment(c, &own);
    if (three) add_experiment(c, &hidden);
}

static bool run_all(convergence *c, long first, int count)
{
    for (int k = 0; k < c->experiments; k++) {
        experiment *e = &c->experiment[k];
        e->run = calloc((size_t)count, sizeof *e->run);
        if (!e->run) return false;
        long steps = first;
        for (int i = 0; i < count && !c->interrupted; i++, steps *= c->ratio) {
            if (!study_constant(&e->run[i], &c->study, &e->options, steps)) return false;
            e->count = i + 1;
            c->interrupted = e->run[i].interrupted;
        }
    }
    return true;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int report(const convergence *c, const converge_settings *set, output *picture)
{
    int reached = 0, drawn = 0;
    if (set->json) convergence_json(c);
    else convergence_print(c);
    fflush(stdout);
    convergence_failures(c);
    if (set->plot && !c->interrupted) drawn = convergence_draw(c, picture);
    for (int k = 0; k < c->experiments; k++)
        for (int i = 0; i < c->experiment[k].count; i++)
            reached += c->experiment[k].run[i].status == KEEL_OK;
    return c->interrupted ? EXIT_INTERRUPTED : reached && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

static void convergence_free(convergence *c)
{
    for (int k = 0; k < c->experiments; k++) {
        for (int i = 0; i < c->experiment[k].count; i++) study_run_free(&c->experiment[k].run[i]);
        free(c->experiment[k].run);
    }
    study_free(&c->study);
}

/* Steps of the finest run, or 0: too many. */
static long finest_steps(const target *t, const converge_settings *set, long first)
{
    const double steps = (double)first * pow((double)set->ratio, (double)set->halvings);
    return first ? study_steps(t, fabs(t->t_end - t->t_start) / steps) : 0;
}

static int converge_target(const target *t, const converge_settings *set,
                           const keel_options *options)
{
    convergence c = {.method = method_name(options), .ratio = (int)set->ratio,
                     .scaled = set->scaled};
    c.known = method_facts_of(options, &c.facts);
    const study_view view = {.each = set->each || t->size <= EACH_UNKNOWN,
                             .end_only = set->end || target_has_events(t),
                             .euclidean = set->norm && strcmp(set->norm, "euclidean") == 0,
                             .formulation = set->unknowns
                                            && strcmp(set->unknowns, "formulation") == 0};
    if (t->t_end == t->t_start)
        return usage_error("converge", "the interval from %g to %g has no steps", t->t_start,
                           t->t_end);
    const long first = options->step > 0 ? study_steps(t, options->step) : study_first_steps(t);
    const long finest = finest_steps(t, set, first);
    if (finest == 0)
        return usage_error("converge", "too many steps; take a larger --step or fewer --halvings");
    output picture;
    int code = open_output(&picture, "converge", set->plot, 0);
    if (code == EXIT_DONE) code = study_open(&c.study, "converge", t, finest, view);
    if (code == EXIT_DONE) {
        plan(&c, set, options);
        code = run_all(&c, first, (int)set->halvings + 1)
             ? report(&c, set, &picture) : refuse_status("converge", KEEL_NO_MEMORY, "no memory");
    }
    output_abandon(&picture);
    convergence_free(&c);
    return code;
}

static int check_word(const char *name, const char *given, const char *one, const char *other)
{
    if (!given || strcmp(given, one) == 0 || strcmp(given, other) == 0) return EXIT_DONE;
    return usage_error("converge", "--%s takes '%s' or '%s', not '%s'", name, one, other, given);
}

static int check_settings(converge_settings *set, keel_options *options, int argc, char **argv)
{
    set->both = !argument_given(argc, argv, "projection") && !set->method.no_project;
    set->multipliers_given = argument_given(argc, argv, "multipliers");
    if (set->plot && !plot_format_known(set->plot))
        return usage_error("converge", "--plot takes a file name that ends in .svg or .png, not "
                           "'%s'", set->plot);
    if (set->halvings > HALVINGS_MOST)
        return usage_error("converge", "--halvings takes at most %d", HALVINGS_MOST);
    if (set->ratio > RATIO_MOST)
        return usage_error("converge", "--ratio takes at most %d", RATIO_MOST);
    if (check_word("norm", set->norm, "max", "euclidean")
        || check_word("unknowns", set->unknowns, "original", "formulation")) return EXIT_USAGE;
    if (!options->method && !set->method.file) options->method = "radau-iia-3";
    return method_choose_for("converge", &set->method, options);
}

int converge_command(int argc, char **argv)
{
    converge_settings set = {.target = TARGET_STANDARD, .halvings = 5, .ratio = 2};
    keel_options options = {0};
    const char *name;
    int code;

    switch (parse_arguments(&converge_syntax, argc, argv, &set, &options, &name)) {
    case PARSED: code = check_settings(&set, &options, argc, argv); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    if (code == EXIT_DONE && name) {
        target t;
        code = target_open(&t, "converge", name, &set.target);
        if (code == EXIT_DONE) code = converge_target(&t, &set, &options);
        target_free(&t);
    }
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
