/* run.c -- keel run TARGET: integrate a problem and report what came out.
 *
 * Exit status: 0 reached the end, 1 failed on the way (what was reached is still written),
 * 2 wrong usage, 130 interrupted (likewise written).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/method_choice.h"
#include "cli/picture.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "report/csv.h"
#include "report/plot.h"

typedef struct run_settings {
    target_settings target;
    method_choice method;
    long points;                 /* 0: not given             */
    double interval;             /* 0: not given             */
    const char *output, *plot;
    bool plot_unprojected;
    bool json, quiet, progress;
} run_settings;

#define FIELD(name) offsetof(run_settings, name)

static const argument arguments[] = {
    TARGET_ARGUMENTS(run_settings, target),
    METHOD_ARGUMENTS(run_settings, method),
    {"points", ARGUMENT_COUNT, FIELD(points), 1, "N",
     "N equidistant output points (default: the accepted steps)"},
    {"interval", ARGUMENT_REAL, FIELD(interval), 0, "DT", "an output point every DT"},
    {"output", ARGUMENT_TEXT, FIELD(output), 0, "FILE",
     "write the output points to FILE.csv or FILE.json"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw trajectories and constraint residuals to FILE.svg or FILE.png"},
    {"plot-unprojected", ARGUMENT_FLAG, FIELD(plot_unprojected), 0, NULL,
     "with --plot: also the residuals of a second run without projection"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
    {"quiet", ARGUMENT_FLAG, FIELD(quiet), 0, NULL,
     "print neither summary nor progress nor what the start moved"},
    {"progress", ARGUMENT_FLAG, FIELD(progress), 0, NULL, "show progress from the beginning"},
};

static const syntax run_syntax = {
    .verb = "run", .operand = "TARGET", .operand_required = true,
    .purpose = "Integrates TARGET, the name of a bundled problem ('keel problems' lists them), and "
               "prints\nfinal values, statistics and the residuals of all constraint levels.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* What the tables cannot say: names of methods and files, options that exclude each other. */
static int check_settings(run_settings *set, keel_options *options)
{
    if (set->points && set->interval > 0)
        return usage_error("run", "--points and --interval exclude each other");
    if (set->output && !ends_in(set->output, ".csv") && !ends_in(set->output, ".json"))
        return usage_error("run", "--output takes a file name that ends in .csv or .json, not '%s'",
                           set->output);
    if (set->plot && !plot_format_known(set->plot))
        return usage_error("run", "--plot takes a file name that ends in .svg or .png, not '%s'",
                           set->plot);
    if (set->plot_unprojected && !set->plot)
        return usage_error("run", "--plot-unprojected needs --plot FILE");
    return method_choose_for("run", &set->method, options);
}

static int check_interval(const run_settings *set, const target *t)
{
    static const double most_points = 1e9;
    if (set->interval > 0 && fabs(t->t_end - t->t_start) / set->interval > most_points)
        return usage_error("run", "--interval %g gives more than %g output points", set->interval,
                           most_points);
    return EXIT_DONE;
}

/* Returns 0, or -1 after saying why not. */
static int write_output(const summary *s, const char *name)
{
    FILE *file = fopen(name, "w");
    int status = file ? 0 : -1;

    if (file && ends_in(name, ".csv"))
        status = csv_write(file, &s->outcome->points, s->target->names);
    else if (file)
        summary_json(s, file, true);
    if (file && ferror(file)) status = -1;
    if (file && fclose(file) != 0) status = -1;
    if (status != 0) fprintf(stderr, "keel run: cannot write %s: %s\n", name, strerror(errno));
    return status;
}

/* Draws the picture, after a second run when its residuals are wanted too. */
static int draw_picture(const summary *s, const run_settings *set, const recording *keep)
{
    outcome unprojected = {0};
    if (set->plot_unprojected) {
        keel_options options = *s->options;
        options.projection = KEEL_PROJECT_NONE;
        integrate(&unprojected, s->target, &options, &(recording){.residuals = true},
                  set->progress, set->quiet);
        if (unprojected.status != KEEL_OK)
            fprintf(stderr, "keel run: without projection: %s: %s\n",
                    keel_status_name(unprojected.status), unprojected.message);
    }
    const int status = picture_draw(s, keep->curves, keep->curve_count,
                                    set->plot_unprojected ? &unprojected : NULL, set->plot);
    outcome_free(&unprojected);
    return status;
}

static int report(const summary *s, const run_settings *set, const recording *keep)
{
    const outcome *o = s->outcome;
    int written = 0;

    if (!set->quiet) summary_moves(s, stderr);
    if (set->json) summary_json(s, stdout, false);
    else if (!set->quiet) summary_print(s, stdout);
    fflush(stdout);              /* before words about it on standard error */
    if (o->interrupted) fprintf(stderr, "keel run: interrupted at t = %.6g\n", o->t);
    else if (o->status != KEEL_OK)
        fprintf(stderr, "keel run: %s: %s\n", keel_status_name(o->status), o->message);

    if (set->output && write_output(s, set->output) != 0) written = -1;
    if (set->plot && draw_picture(s, set, keep) != 0) written = -1;
    if (o->interrupted) return EXIT_INTERRUPTED;
    return o->status == KEEL_OK && written == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int run_target(const target *t, const run_settings *set, const keel_options *options)
{
    int curves[PICTURE_CURVES];
    const recording keep = {
        .points = set->output != NULL, .count = set->points, .spacing = set->interval,
        .curve_count = set->plot ? picture_curves(t, curves) : 0, .curves = curves,
        .residuals = set->plot != NULL,
    };
    outcome o;
    int code = EXIT_FAILED;

    integrate(&o, t, options, &keep, set->progress, set->quiet);
    if (o.y) code = report(&(summary){t, options, &o}, set, &keep);
    else fprintf(stderr, "keel run: %s\n", keel_status_text(o.status));
    outcome_free(&o);
    return code;
}

int run_command(int argc, char **argv)
{
    run_settings set = {.target = TARGET_STANDARD};
    keel_options options = {0};
    const char *name;
    int code;

    switch (parse_arguments(&run_syntax, argc, argv, &set, &options, &name)) {
    case PARSED: code = check_settings(&set, &options); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    if (code == EXIT_DONE && name) {
        target t;
        code = target_open(&t, "run", name, &set.target);
        if (code == EXIT_DONE) code = check_interval(&set, &t);
        if (code == EXIT_DONE) code = run_target(&t, &set, &options);
        target_free(&t);
    }
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
