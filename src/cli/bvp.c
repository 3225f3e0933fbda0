/* bvp.c -- keel bvp TARGET: solve a boundary value problem and report what came out.
 *
 * Exit status: 0 solved, 1 not solved, 2 wrong usage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/boundary_guess.h"
#include "cli/boundary_outcome.h"
#include "cli/continuation.h"
#include "cli/files.h"
#include "cli/fitting.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/number.h"
#include "report/csv.h"
#include "report/plot.h"

enum { STAGES_MOST = 8, MESH_MOST = 10000000 };

typedef struct bvp_settings {
    target_settings target;
    double tol;
    long stages, mesh, uniform, most;
    const char *points, *index2;
    assignments easy;
    char easy_name[100];
    double nodes[STAGES_MOST];
    const char *output, *plot, *plot_conditioning, *guess, *save;
    double memory;
    bool no_project, unenriched, enriched, dense, right, unchecked, multipliers, json, quiet, progress;
    continuation branch;
    fitting fit;
} bvp_settings;

typedef struct bvp_progress {
    progress line;
    char parameter[40];          /* that is followed, or empty                 */
    int last;                    /* where it is among the unknown ones         */
} bvp_progress;

#define FIELD(name) offsetof(bvp_settings, name)

static const argument arguments[] = {
    {"tol", ARGUMENT_REAL, FIELD(tol), 0, "R",
     "error of every unknown, everywhere, relative to 1 + |value| (default: 1e-6)"},
    {"stages", ARGUMENT_COUNT, FIELD(stages), 0, "K",
     "collocation points of an interval, 1 to 8 (default: by the tolerance)"},
    {"points", ARGUMENT_TEXT, FIELD(points), 0, "gauss|radau-iia|C,C,...",
     "which points, or these, ascending in (0,1] (default: gauss)"},
    {"index2", ARGUMENT_TEXT, FIELD(index2), 0, "hidden|projected|plain",
     "of constraints collocate the last derivative or, index 2 only, themselves with "
     "mesh points projected or themselves alone (default: hidden)"},
    {"mesh", ARGUMENT_COUNT, FIELD(mesh), 0, "N", "intervals to begin with (default: 4)"},
    {"uniform", ARGUMENT_COUNT, FIELD(uniform), 0, "N",
     "N equal intervals and no error control; a solution that rounding errors spoil is reported, too, "
     "with its status"},
    {"most", ARGUMENT_COUNT, FIELD(most), 0, "N", "most intervals (default: 100000)"},
    {"no-project", ARGUMENT_FLAG, FIELD(no_project), 0, NULL,
     "do not project mesh values onto the constraints at the end"},
    {"unenriched", ARGUMENT_FLAG, FIELD(unenriched), 0, NULL,
     "the polynomial of the stages itself, of order k + 1 in x and k in y, and no better one; what "
     "--uniform with --index2 projected or plain does anyway, as Ascher & Petzold do"},
    {"enriched", ARGUMENT_FLAG, FIELD(enriched), 0, NULL,
     "with --uniform and --index2 projected or plain: y from the derivative of the constraint, of "
     "order 2k at mesh points"},
    {"right", ARGUMENT_FLAG, FIELD(right), 0, NULL,
     "impose constraints at the right end instead of the left"},
    {"unchecked", ARGUMENT_FLAG, FIELD(unchecked), 0, NULL,
     "do not compare given derivatives with differences first"},
    {"multipliers", ARGUMENT_FLAG, FIELD(multipliers), 0, NULL,
     "of a periodic solution, print the Floquet multipliers on the constraint manifold"},
    {"param", ARGUMENT_ASSIGNMENT, FIELD(target.parameters), 0, "NAME=VALUE",
     "change a parameter of the problem (repeatable)"},
    {"easy", ARGUMENT_ASSIGNMENT, FIELD(easy), 0, "NAME=VALUE",
     "if Newton's method fails, begin with this value of a parameter of the frame and follow the "
     "solution from there"},
    {"continue", ARGUMENT_TEXT, FIELD(branch.text), 0, "NAME=FROM:TO",
     "follow the solution as a parameter of the frame changes, and print the branch as a table"},
    {"arclength", ARGUMENT_FLAG, FIELD(branch.arclength), 0, NULL,
     "follow it through folds, where the parameter turns, and locate them"},
    {"checkpoint", ARGUMENT_TEXT, FIELD(branch.checkpoint), 0, "FILE",
     "with --continue: save the branch to FILE after every point"},
    {"resume", ARGUMENT_TEXT, FIELD(branch.resume), 0, "FILE",
     "with --continue: go on with the branch in FILE as if nothing had happened"},
    {"guess", ARGUMENT_TEXT, FIELD(guess), 0, "FILE",
     "begin with a solution that was saved, or with the points of an --output FILE.csv of this or "
     "of 'keel run'"},
    {"save", ARGUMENT_TEXT, FIELD(save), 0, "FILE", "save the solution, for --guess"},
    {"t-start", ARGUMENT_REAL, FIELD(target.t_start), -INFINITY, "T", "another left end"},
    {"t-end", ARGUMENT_REAL, FIELD(target.t_end), -INFINITY, "T",
     "another right end; a guess is stretched"},
    {"memory", ARGUMENT_REAL, FIELD(memory), 0, "BYTES",
     "of a mesh; matrices that do not fit are replaced by smaller ones, which converge more slowly, or "
     "computed anew whenever they are needed (default: 2.9e9)"},
    {"dense", ARGUMENT_FLAG, FIELD(dense), 0, NULL, "treat sparse Jacobians as dense ones"},
    {"fit", ARGUMENT_TEXT, FIELD(fit.file), 0, "FILE",
     "find parameters from measurements: FILE has a line of t and names of unknowns, then numbers, "
     "separated by commas"},
    {"vary", ARGUMENT_TEXT, FIELD(fit.vary), 0, "NAME,NAME",
     "parameters of the frame that --fit finds, beginning with their values"},
    {"output", ARGUMENT_TEXT, FIELD(output), 0, "FILE",
     "write the mesh points and nine points between each two, or the branch, to FILE.csv or "
     "FILE.json"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw the solution, mesh widths and, where they are known, errors, or the branch, to FILE.svg "
     "or FILE.png"},
    {"plot-conditioning", ARGUMENT_TEXT, FIELD(plot_conditioning), 0, "FILE",
     "draw rates of growth, responses and the projector along the solution to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL,
     "print the result as one JSON object; also when there is none"},
    {"quiet", ARGUMENT_FLAG, FIELD(quiet), 0, NULL, "print neither summary nor progress"},
    {"progress", ARGUMENT_FLAG, FIELD(progress), 0, NULL,
     "show progress from the beginning (default: after a second, on a terminal)"},
};

static const syntax bvp_syntax = {
    .verb = "bvp", .operand = "TARGET", .operand_required = true,
    .purpose = "Solves the boundary value problem TARGET by collocation on a mesh that follows the "
               "error, and prints\nvalues at both ends, unknown parameters, statistics, errors and "
               "conditioning.  TARGET is the name\nof a bundled problem ('keel problems' marks "
               "those with 'boundary') or a file of your own with\n'boundary' in its target.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* ---- settings ------------------------------------------------------------------------------ */

/* Position of the word of --name, *which unchanged without one. */
static int choose(const char *name, const char *word, const char *const *words, int count,
                  int *which)
{
    char all[100] = "";
    if (!word) return EXIT_DONE;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) return *which = i, EXIT_DONE;
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    return usage_error("bvp", "--%s takes one of %s, not '%s'", name, all, word);
}

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static int check_counts(const bvp_settings *set)
{
    const struct { const char *name; long value, most; } counts[] = {
        {"stages", set->stages, STAGES_MOST}, {"mesh", set->mesh, MESH_MOST},
        {"uniform", set->uniform, MESH_MOST}, {"most", set->most, MESH_MOST},
    };
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++)
        if (counts[i].value > counts[i].most)
            return usage_error("bvp", "--%s takes a number up to %ld, not %ld", counts[i].name,
                               counts[i].most, counts[i].value);
    if (set->mesh && set->uniform)
        return usage_error("bvp", "--mesh and --uniform exclude each other");
    return EXIT_DONE;
}

/* The name of the easy parameter as a string of its own. */
static int check_easy(bvp_settings *set)
{
    if (!set->easy.count) return EXIT_DONE;
    const assignment *first = &set->easy.each[0];
    if (set->easy.count > 1 || first->name_length >= (int)sizeof set->easy_name)
        return usage_error("bvp", "--easy takes one parameter");
    memcpy(set->easy_name, first->name, (size_t)first->name_length);
    return EXIT_DONE;
}

/* A word, or numbers with commas between them. */
static int choose_points(bvp_settings *set, int *points)
{
    int count = 0;
    if (!set->points || !strchr("0123456789.", set->points[0]))
        return choose("points", set->points, points_words, 2, points);
    for (const char *at = set->points; count < STAGES_MOST; at++) {
        char *rest;
        set->nodes[count++] = number_read(at, &rest);
        if (rest == at || (*rest && *rest != ',')) break;
        at = rest;
        if (*rest) continue;
        if (set->stages && set->stages != count)
            return usage_error("bvp", "--stages %ld does not fit %d points", set->stages, count);
        set->stages = count;
        *points = KEEL_POINTS_GIVEN;
        return EXIT_DONE;
    }
    return usage_error("bvp", "--points takes gauss, radau-iia or up to %d numbers with commas, not "
                       "'%s'", STAGES_MOST, set->points);
}

/* What the table cannot say, and the options of the library. */
static int check_settings(bvp_settings *set, keel_boundary_options *options)
{
    int points = KEEL_POINTS_GAUSS, index2 = KEEL_INDEX2_HIDDEN;
    int code = check_counts(set);
    if (code == EXIT_DONE) code = check_easy(set);
    if (code == EXIT_DONE) code = choose_points(set, &points);
    if (code == EXIT_DONE) code = choose("index2", set->index2, index2_words, 3, &index2);
    if (code != EXIT_DONE) return code;
    if (set->output && !ends_in(set->output, ".csv") && !ends_in(set->output, ".json"))
        return usage_error("bvp", "--output takes a file name that ends in .csv or .json, not '%s'",
                           set->output);
    if (set->plot && !plot_format_known(set->plot))
        return usage_error("bvp", "--plot takes a file name that ends in .svg or .png, not '%s'",
                           set->plot);
    if (set->plot_conditioning && !plot_format_known(set->plot_conditioning))
        return usage_error("bvp", "--plot-conditioning takes a file name that ends in .svg or .png, "
                           "not '%s'", set->plot_conditioning);
    if (set->fit.file && (set->branch.text || set->output || set->plot || set->plot_conditioning
                          || set->multipliers))
        return usage_error("bvp", "--fit finds parameters, and has neither files nor pictures nor "
                           "branches: solve with what it finds");
    if (set->branch.text && (set->plot_conditioning || set->multipliers))
        return usage_error("bvp", "--%s is about one solution, --continue follows many",
                           set->multipliers ? "multipliers" : "plot-conditioning");
    const long mesh = set->uniform ? set->uniform : set->mesh;
    const bool bare = set->uniform && index2 != KEEL_INDEX2_HIDDEN && !set->enriched;
    if (set->enriched && set->unenriched)
        return usage_error("bvp", "--enriched and --unenriched exclude each other");
    *options = (keel_boundary_options){
        .rtol = set->tol, .atol = set->tol, .stages = (int)set->stages,
        .points = (keel_points)points, .mesh = (int)mesh, .uniform = (int)set->uniform,
        .most = (int)set->most, .index2 = (keel_index2)index2,
        .no_projection = set->no_project || (bare && index2 == KEEL_INDEX2_PLAIN),
        .nodes = points == KEEL_POINTS_GIVEN ? set->nodes : NULL,
        .right = set->right, .unenriched = set->unenriched || bare, .unchecked = set->unchecked,
        .easy_name = set->easy.count ? set->easy_name : NULL,
        .easy_value = set->easy.count ? set->easy.each[0].value : 0,
        .memory = set->memory, .dense = set->dense,
    };
    if (set->branch.text && (set->guess || set->save))
        return usage_error("bvp", "--guess and --save are about one solution; a branch has "
                           "--checkpoint and --resume");
    if (!set->branch.text && (set->branch.checkpoint || set->branch.resume))
        return usage_error("bvp", "--checkpoint and --resume go with --continue; one solution has "
                           "--save and --guess");
    return EXIT_DONE;
}

/* ---- files --------------------------------------------------------------------------------- */

typedef struct bvp_files {
    output points, plot, conditioning;
} bvp_files;

static void write_csv(const boundary_outcome *o, FILE *file)
{
    csv_header(file, o->target->names, o->target->size);
    for (long row = 0; row < o->points.rows; row++) {
        const double *point = series_row(&o->points, row);
        csv_row(file, point[0], point + 1, o->target->size);
    }
}

/* Without a solution only JSON, which says so, is written. */
static int write_points(const boundary_outcome *o, output *file)
{
    char message[500];
    const bool csv = file->name && ends_in(file->name, ".csv");
    if (!file->file || (csv && !o->solution)) return 0;
    if (csv) write_csv(o, file->file);
    else boundary_json(o, file->file, true);
    if (output_finish(file, false, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel bvp: %s\n", message);
    return -1;
}

/* ---- progress ------------------------------------------------------------------------------- */

/* The parameter that is followed, if one is, comes last. */
static int watch(const keel_boundary *boundary, void *context)
{
    bvp_progress *p = context;
    const keel_boundary_stats *n = keel_boundary_statistics(boundary);
    char line[100], where[60] = "";
    if (!progress_is_due(&p->line)) return 0;
    if (*p->parameter)
        snprintf(where, sizeof where, "%s = %.6g   ", p->parameter,
                 keel_boundary_parameters(boundary)[p->last]);
    snprintf(line, sizeof line, "%smesh %d: %d intervals   %ld factorizations", where,
             n->meshes_tried + 1, n->mesh, n->factorizations);
    progress_line(&p->line, line);
    return 0;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int report(boundary_outcome *o, const bvp_settings *set, bvp_files *files)
{
    int drawn = 0;
    o->unwritten = write_points(o, &files->points) != 0;
    if (set->json) boundary_json(o, stdout, false);
    else if (!set->quiet) boundary_print(o, stdout);
    if (o->status != KEEL_OK)
        fprintf(stderr, "keel bvp: %s: %s\n", keel_status_name(o->status), o->message);
    if (set->plot && o->solution && boundary_draw(o, &files->plot) != 0) drawn = -1;
    if (set->plot_conditioning && o->solution
        && boundary_draw_conditioning(o, &files->conditioning) != 0) drawn = -1;
    return o->status == KEEL_OK && !o->unwritten && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int solve(keel_boundary *boundary, boundary_outcome *o, const bvp_settings *set,
                 bvp_files *files)
{
    const double *frame = o->target->frame.parameters;
    const clock_t begin = clock();
    o->status = frame ? keel_boundary_set_frame(boundary, frame) : KEEL_OK;
    if (o->status == KEEL_OK && set->guess) {
        const int code = boundary_guess(o->target, boundary, set->guess);
        if (code != EXIT_DONE) return code;
    }
    if (o->status == KEEL_OK) o->status = keel_boundary_solve(boundary);
    const int saved = o->status == KEEL_OK && set->save ? keel_boundary_save(boundary, set->save)
                                                        : KEEL_OK;
    if (saved != KEEL_OK) return refuse_status("bvp", saved, keel_boundary_message(boundary));
    o->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    progress_end(&((bvp_progress *)o->options->watch_context)->line);
    o->message = keel_boundary_message(boundary);
    o->stats = keel_boundary_statistics(boundary);
    o->p = keel_boundary_parameters(boundary);
    o->solution = keel_boundary_solution(boundary);      /* with --uniform a doubtful one, too */
    if (o->solution) {
        const int sampled = boundary_sample(o);
        if (sampled != KEEL_OK)
            return refuse_status("bvp", sampled, sampled == KEEL_NO_MEMORY
                                 ? keel_status_text(sampled) : keel_solution_message(o->solution));
    }
    if (o->status == KEEL_OK) {
        o->status = boundary_ask(o, boundary, set->multipliers);
        o->message = keel_boundary_message(boundary);
    }
    return report(o, set, files);
}

static int solve_target(const target *t, const bvp_settings *set,
                        const keel_boundary_options *options, bvp_files *files)
{
    keel_boundary_spec spec = *t->bundled->boundary->spec;
    keel_boundary *boundary = NULL;
    spec.problem = t->problem;
    spec.from = t->t_start;
    spec.to = t->t_end;
    spec.context = t->parameters;
    boundary_outcome o = {.target = t, .spec = &spec, .options = options};
    const int status = keel_boundary_create(&boundary, &spec, options);
    const char *said = boundary ? keel_boundary_message(boundary) : "";
    const int code = status == KEEL_OK
        ? solve(boundary, &o, set, files)
        : refuse_status("bvp", status, said && *said ? said : keel_status_text(status));
    boundary_outcome_free(&o);
    keel_boundary_free(boundary);
    return code;
}

static int run_target(const target *t, const bvp_settings *set, keel_boundary_options *options)
{
    bvp_progress shown = {.line = progress_begin(0, 1, set->progress, set->quiet)};
    bvp_files files = {.points = {.name = NULL}};
    if (!t->bundled->boundary)
        return usage_error("bvp", "%s has no boundary conditions; 'keel problems' marks those that "
                           "have, and 'keel run' integrates from initial values", t->bundled->name);
    int code = open_output(&files.points, "bvp", set->output, 0);
    if (code == EXIT_DONE) code = open_output(&files.plot, "bvp", set->plot, 0);
    if (code == EXIT_DONE) code = open_output(&files.conditioning, "bvp", set->plot_conditioning, 0);
    if (set->branch.text) {
        snprintf(shown.parameter, sizeof shown.parameter, "%.*s", set->branch.start.name_length,
                 set->branch.start.name);
        shown.last = t->bundled->boundary->spec->parameters;
    }
    options->watch = watch;
    options->watch_context = &shown;
    if (code == EXIT_DONE)
        code = set->branch.text
            ? continuation_run(t, options, &set->branch, &shown.line, &files.points, &files.plot)
            : set->fit.file ? fitting_run(t, options, &set->fit, &shown.line)
                            : solve_target(t, set, options, &files);
    progress_end(&shown.line);
    output_abandon(&files.points);
    output_abandon(&files.plot);
    output_abandon(&files.conditioning);
    return code;
}

int bvp_command(int argc, char **argv)
{
    bvp_settings set = {.target = TARGET_STANDARD, .tol = 1e-6};
    keel_boundary_options options;
    const char *name = NULL;
    int code;

    set.target.without_start = true;
    switch (parse_arguments(&bvp_syntax, argc, argv, &set, NULL, &name)) {
    case PARSED: code = check_settings(&set, &options); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    set.branch.json = set.json;
    set.branch.quiet = set.quiet;
    set.fit.json = set.json;
    set.fit.quiet = set.quiet;
    if (code == EXIT_DONE && name) code = continuation_read(&set.branch, &set.target);
    if (code == EXIT_DONE && name) code = fitting_check(&set.fit);
    if (code == EXIT_DONE && name) {
        target t;
        code = target_open(&t, "bvp", name, &set.target);
        if (code == EXIT_DONE) code = run_target(&t, &set, &options);
        target_free(&t);
    }
    target_settings_free(&set.target);
    free(set.easy.each);
    return code;
}
