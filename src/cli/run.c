/* run.c -- keel run TARGET: integrate a problem and report what came out.
 *
 * Exit status: 0 reached the end, or one that an event made, 1 failed on the way (what was reached is still written),
 * 2 wrong usage, 130 interrupted (likewise written).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/method_choice.h"
#include "cli/motion.h"
#include "cli/page.h"
#include "cli/picture.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "report/csv.h"
#include "report/mat.h"
#include "report/page.h"
#include "report/plot.h"

typedef struct run_settings {
    target_settings target;
    method_choice method;
    long points;                 /* 0: not given             */
    double interval;             /* 0: not given             */
    double curve_length;
    const char *output, *plot, *plot_variables, *sketch;
    bool plot_unprojected, log_time;
    bool json, quiet, progress, no_compile;
    const char *checkpoint, *resume;
    double every;                /* < 0: not given           */
} run_settings;

static const double standard_length = 100;

#define FIELD(name) offsetof(run_settings, name)

static const argument arguments[] = {
    TARGET_ARGUMENTS(run_settings, target),
    METHOD_ARGUMENTS(run_settings, method),
    {"points", ARGUMENT_COUNT, FIELD(points), 1, "N",
     "N equidistant output points, projected as steps are (default: the accepted steps)"},
    {"interval", ARGUMENT_REAL, FIELD(interval), 0, "DT",
     "an output point every DT, projected as steps are"},
    {"curve-length", ARGUMENT_REAL, FIELD(curve_length), 0, "S",
     "with --impasse follow: the most of the curve, which also ends at both ends of the interval "
     "(default: 100)"},
    {"output", ARGUMENT_TEXT, FIELD(output), 0, "FILE",
     "write the output points to FILE.csv (as they come, to FILE.csv.part), FILE.mat or FILE.json"},
    {"variables", ARGUMENT_TEXT, FIELD(target.variables), 0, "REGEX",
     "of a model FILE.mo: the variables to write (default: all that are not protected)"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw trajectories and constraint residuals to FILE.svg or FILE.png; FILE.html: a page to explore them"},
    {"plot-unprojected", ARGUMENT_FLAG, FIELD(plot_unprojected), 0, NULL,
     "with --plot: also the residuals of a second run without projection"},
    {"plot-variables", ARGUMENT_TEXT, FIELD(plot_variables), 0, "A,B,...",
     "with --plot: the variables to draw"},
    {"log-time", ARGUMENT_FLAG, FIELD(log_time), 0, NULL,
     "with --plot: a logarithmic axis of the time since the start"},
    {"sketch", ARGUMENT_TEXT, FIELD(sketch), 0, "FILE",
     "draw the motion to FILE.svg, for problems that say how ('sketch' of their target)"},
    {"checkpoint", ARGUMENT_TEXT, FIELD(checkpoint), 0, "FILE",
     "write what is needed to go on after a crash to FILE, now and then"},
    {"every", ARGUMENT_REAL, FIELD(every), -1, "SECONDS",
     "with --checkpoint: how often (default: 60; 0: after every step)"},
    {"resume", ARGUMENT_TEXT, FIELD(resume), 0, "FILE",
     "go on from a checkpoint of the same run: all results are as if it had not been killed"},
    {"no-compile", ARGUMENT_FLAG, FIELD(no_compile), 0, NULL,
     "of a model: do not compile its equations in the background of a long run (the same to rounding, "
     "for results that do not depend on when that is done)"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL,
     "print the result as one JSON object; also when there is none"},
    {"quiet", ARGUMENT_FLAG, FIELD(quiet), 0, NULL,
     "print neither summary nor progress nor what the start moved"},
    {"progress", ARGUMENT_FLAG, FIELD(progress), 0, NULL, "show progress from the beginning"},
};

static const syntax run_syntax = {
    .verb = "run", .operand = "TARGET", .operand_required = true,
    .purpose = "Integrates TARGET and prints events, final values, statistics and the residuals "
               "of all constraint levels.\nTARGET is the name of a bundled problem ('keel problems' lists "
               "them) or a file of your own:\nFILE.mo, a model in Modelica; FILE.c, compiled first, or "
               "FILE.so ('keel new' writes one to begin with).",
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
    if (set->output && !ends_in(set->output, ".csv") && !ends_in(set->output, ".mat") &&
        !ends_in(set->output, ".json"))
        return usage_error("run", "--output takes a file name that ends in .csv, .mat or .json, not '%s'",
                           set->output);
    const bool wants_page = set->plot && ends_in(set->plot, ".html");
    if (set->plot && !plot_format_known(set->plot) && !wants_page)
        return usage_error("run", "--plot takes a file name that ends in .svg, .png or .html, not '%s'",
                           set->plot);
    if (wants_page && !page_available())
        return usage_error("run", "this keel was built without pages, for which the build needs npm: let "
                           "--plot end in .svg or .png");
    if (wants_page && (set->plot_unprojected || set->log_time))
        return usage_error("run", "--plot-unprojected and --log-time go with pictures, not with a page");
    if (set->sketch && !ends_in(set->sketch, ".svg"))
        return usage_error("run", "--sketch takes a file name that ends in .svg, not '%s'",
                           set->sketch);
    const char *orphan = set->plot_unprojected ? "plot-unprojected" : set->plot_variables
                       ? "plot-variables" : set->log_time ? "log-time" : NULL;
    if (orphan && !set->plot) return usage_error("run", "--%s needs --plot FILE", orphan);
    if (set->every > -1 && !set->checkpoint)
        return usage_error("run", "--every needs --checkpoint FILE");
    if (set->every > -1 && set->every < 0)
        return usage_error("run", "--every takes a number of seconds, not %g", set->every);
    if (set->curve_length > 0 && options->impasse != KEEL_IMPASSE_FOLLOW)
        return usage_error("run", "--curve-length needs --impasse follow");
    if (options->impasse == KEEL_IMPASSE_FOLLOW && set->curve_length == 0)
        set->curve_length = standard_length;
    return method_choose_for("run", &set->method, options);
}

static int check_interval(const run_settings *set, const target *t)
{
    static const double most_points = 1e9;
    if (set->interval > 0 && fabs(t->t_end - t->t_start) / set->interval > most_points)
        return usage_error("run", "--interval %g gives more than %g output points", set->interval,
                           most_points);
    if (set->log_time && t->t_end == t->t_start)
        return usage_error("run", "--log-time needs an interval, and from %g to %g there is none",
                           t->t_start, t->t_end);
    if (set->sketch && !t->bundled->sketch)
        return usage_error("run", "%s does not say how to draw it: --sketch needs 'sketch' of its "
                           "target", t->bundled->name);
    return EXIT_DONE;
}

/* ---- files --------------------------------------------------------------------------------- */

/* What a run writes; all are opened before it. */
typedef struct run_files {
    output points, plot, sketch;
    bool csv, mat;
    int size;                    /* unknowns in a line                         */
    char message[500];           /* why the points could not be written        */
} run_files;

static bool write_row(void *context, double t, const double *y)
{
    run_files *files = context;
    output *o = &files->points;
    return output_line(o, csv_row(o->file, t, y, files->size)) == 0;
}

/* t and the names; with_length: the length of the curve as "s". */
static int write_header(run_files *files, const target *t, bool with_length)
{
    const char **names = malloc(((size_t)t->shown_count + 1) * sizeof *names);
    if (!names) return refuse_status("run", KEEL_NO_MEMORY, keel_status_text(KEEL_NO_MEMORY));
    for (int i = 0; i < t->shown_count; i++) names[i] = t->shown[i];
    names[t->shown_count] = "s";
    csv_header(files->points.file, names, t->shown_count + with_length);
    free(names);
    return EXIT_DONE;
}

static int open_files(run_files *files, const run_settings *set, const target *t)
{
    const bool with_length = set->curve_length > 0;
    const int size = t->shown_count + with_length;
    const size_t line = csv_longest(size);
    *files = (run_files){.csv = set->output && ends_in(set->output, ".csv"),
                         .mat = set->output && ends_in(set->output, ".mat"), .size = size};
    int code = open_output(&files->points, "run", set->output, line);
    if (code == EXIT_DONE) code = open_output(&files->plot, "run", set->plot, 0);
    if (code == EXIT_DONE) code = open_output(&files->sketch, "run", set->sketch, 0);
    if (code == EXIT_DONE && files->csv) code = write_header(files, t, with_length);
    return code;
}

/* What is shown of a model has comments, units and aliases; of others: names. */
static int write_mat(const run_files *files, const summary *s)
{
    const target *t = s->target;
    mat_variable *variable = calloc((size_t)files->size + 1, sizeof *variable);
    if (!variable) return -1;
    for (int k = 0; k < t->shown_count; k++)
        variable[k] = (mat_variable){.name = t->shown[k], .same_as = -1, .sign = 1};
    if (t->modelled.model) modelled_describe(&t->modelled, variable);
    if (files->size > t->shown_count)
        variable[t->shown_count] = (mat_variable){.name = "s", .same_as = -1, .sign = 1,
                                                  .comment = "length of the curve"};
    const int rc = mat_write(files->points.file, variable, files->size, &s->outcome->points);
    free(variable);
    return rc;
}

/* Completes the points.  A run that never started leaves what was there before. */
static void finish_points(run_files *files, const summary *s, outcome *o)
{
    if (!files->points.file || ((files->csv || files->mat) && !o->started)) return;
    if (files->mat) write_mat(files, s);         /* a failure shows when it is completed */
    else if (!files->csv) summary_json(s, files->points.file, true);
    o->unwritten = output_finish(&files->points, files->csv, files->message,
                                 sizeof files->message) != 0;
    if (!o->unwritten) return;
    if (outcome_ended(o)) snprintf(o->message, sizeof o->message, "%s", files->message);
}

/* Draws the picture, after a second run when its residuals are wanted too. */
static int draw_picture(const summary *s, const run_settings *set, const picture *shown,
                        output *file)
{
    outcome unprojected = {0};
    if (set->plot_unprojected) {
        keel_options options = *s->options;
        options.projection = KEEL_PROJECT_NONE;
        integrate(&unprojected, s->target, &options, &(recording){.residuals = true},
                  set->progress, set->quiet);
        if (!outcome_ended(&unprojected))
            fprintf(stderr, "keel run: without projection: %s: %s\n",
                    keel_status_name(unprojected.status), unprojected.message);
    }
    const int status = picture_draw(s, shown, set->plot_unprojected ? &unprojected : NULL, file);
    outcome_free(&unprojected);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static void complain(const outcome *o, const run_files *files)
{
    if (o->unprojected > 0)
        fprintf(stderr, "keel run: %ld output point%s could not be projected and may be off the "
                "constraints by the tolerance, the first at t = %.6g\n", o->unprojected,
                o->unprojected == 1 ? "" : "s", o->unprojected_time);
    if (o->interrupted) fprintf(stderr, "keel run: interrupted at t = %.6g\n", o->t);
    else if (!outcome_ended(o))
        fprintf(stderr, "keel run: %s: %s\n", keel_status_name(o->status), o->message);
    if (o->unwritten) fprintf(stderr, "keel run: %s\n", files->message);
}

static int report(const summary *s, outcome *o, const run_settings *set, const picture *shown,
                  const page *whole, run_files *files)
{
    int drawn = 0;
    finish_points(files, s, o);
    if (!set->quiet) summary_moves(s, stderr);
    if (set->json) summary_json(s, stdout, false);
    else if (!set->quiet) summary_print(s, stdout);
    fflush(stdout);              /* before words about it on standard error */
    complain(o, files);
    if (whole->curves) drawn = page_draw(s, whole, shown, &files->plot);
    else if (set->plot) drawn = draw_picture(s, set, shown, &files->plot);
    if (set->sketch && draw_motion(s, &files->sketch) != 0) drawn = -1;
    if (o->interrupted) return EXIT_INTERRUPTED;
    return outcome_ended(o) && !o->unwritten && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int integrate_target(const target *t, const run_settings *set, const keel_options *options,
                            const picture *shown, const page *whole, run_files *files)
{
    const recording keep = {
        .points = set->output != NULL, .count = set->points, .spacing = set->interval,
        .sink = files->csv ? write_row : NULL, .sink_context = files,
        .curve_count = whole->curves ? whole->count : shown->count,
        .curves = whole->curves ? whole->curves : shown->curves,
        .curves_projected = shown->chosen || whole->curves,
        .log_time = shown->log_time, .residuals = set->plot != NULL,
        .frames = set->sketch ? FRAMES : 0, .checkpoint = set->checkpoint,
        .every = set->every >= 0 ? set->every : 60, .resume = set->resume,
        .curve_length = set->curve_length, .compile = !set->no_compile,
    };
    outcome o;
    integrate(&o, t, options, &keep, set->progress, set->quiet);
    const int code = o.y ? report(&(summary){t, options, &o}, &o, set, shown, whole, files)
                         : refuse_status("run", o.status, keel_status_text(o.status));
    outcome_free(&o);
    return code;
}

static int run_target(const target *t, const run_settings *set, const keel_options *options)
{
    picture shown = {.log_time = set->log_time};
    page whole = {0};
    run_files files = {.size = 0};
    int code = check_interval(set, t);
    if (code == EXIT_DONE && set->plot) code = picture_choose(&shown, t, set->plot_variables);
    if (code == EXIT_DONE && set->plot && ends_in(set->plot, ".html")) code = page_choose(&whole, t);
    if (code == EXIT_DONE) code = open_files(&files, set, t);
    if (code == EXIT_DONE) code = integrate_target(t, set, options, &shown, &whole, &files);
    page_free(&whole);
    output_abandon(&files.points);
    output_abandon(&files.plot);
    output_abandon(&files.sketch);
    return code;
}

int run_command(int argc, char **argv)
{
    run_settings set = {.target = TARGET_STANDARD, .every = -1};
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
        if (code == EXIT_DONE) {
            const double interval = t.modelled.experiment.interval;
            target_tolerances(&t, &options);
            if (interval > 0 && set.points == 0 && set.interval == 0) set.interval = interval;
        }
        if (code == EXIT_DONE) code = run_target(&t, &set, &options);
        target_free(&t);
    }
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
