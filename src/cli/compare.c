/* compare.c -- keel compare TARGET: work and precision of several methods at several tolerances.
 *
 * Exit status: 0 if any run reached the end, 1 if none did, 2 wrong usage, 130 interrupted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/method_choice.h"
#include "cli/method_facts.h"
#include "cli/study.h"
#include "cli/verbs.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/table.h"

typedef struct compare_settings {
    target_settings target;
    method_choice method;
    const char *methods, *rtol, *plot;
    bool json, quiet;
} compare_settings;

#define FIELD(name) offsetof(compare_settings, name)

static const argument arguments[] = {
    {"methods", ARGUMENT_TEXT, FIELD(methods), 0, "A,B,...",
     "the methods, by name ('keel methods' lists them; default auto)"},
    {"rtol", ARGUMENT_TEXT, FIELD(rtol), 0, "R,R,...",
     "relative tolerances; 1e-4,...,1e-10 goes by decades (default 1e-3,...,1e-9)"},
    TARGET_ARGUMENTS(compare_settings, target),
    METHOD_ARGUMENTS(compare_settings, method),
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw work over correct digits to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
    {"quiet", ARGUMENT_FLAG, FIELD(quiet), 0, NULL, "show no progress"},
};

static const syntax compare_syntax = {
    .verb = "compare", .operand = "TARGET", .operand_required = true,
    .purpose = "Integrates TARGET by each method at each tolerance, and prints correct digits, the "
               "largest\nresidual of the position and velocity constraints (drift), and the work "
               "it took.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

typedef struct trial {
    double rtol;
    int status;
    char word[32], message[512];
    double scd, drift, cpu_seconds;     /* NAN: not known */
    keel_stats stats;
} trial;

enum { METHODS_MOST = 14, NAME_LENGTH = 64, REPETITIONS = 10 };
static const double patience = 0.05;             /* seconds for all repetitions */

typedef struct comparison {
    const target *target;
    double *reference;           /* at the end, where none is bundled                  */
    int methods, tolerances;
    char name[METHODS_MOST][NAME_LENGTH];
    keel_options options[METHODS_MOST];
    double *rtol;
    int done;                    /* trials made                                        */
    trial *trial;                /* by method, then tolerance                          */
    bool interrupted;
} comparison;

/* ---- what to compare ----------------------------------------------------------------------- */

static int too_many(void)
{
    return usage_error("compare", "--methods takes at most %d methods", METHODS_MOST);
}

static int add_methods(comparison *c, const char *list, const keel_options *options)
{
    while (list) {
        const char *comma = strchr(list, ',');
        const int length = comma ? (int)(comma - list) : (int)strlen(list);
        if (c->methods == METHODS_MOST) return too_many();
        char *name = c->name[c->methods];
        snprintf(name, NAME_LENGTH, "%.*s", length, list);
        const int code = check_method_name("compare", name);
        if (code != EXIT_DONE) return code;
        c->options[c->methods] = *options;
        c->options[c->methods].tableau = NULL;
        c->options[c->methods++].method = name;
        list = comma ? comma + 1 : NULL;
    }
    return EXIT_DONE;
}

/* --methods, and --method-file or --method as one more. */
static int list_methods(comparison *c, const compare_settings *set, const keel_options *options)
{
    int code = EXIT_DONE;
    if (set->methods) code = add_methods(c, set->methods, options);
    if (code != EXIT_DONE) return code;
    if (set->methods && !options->tableau && !options->method) return EXIT_DONE;
    if (c->methods == METHODS_MOST) return too_many();
    snprintf(c->name[c->methods], NAME_LENGTH, "%s", method_name(options));
    c->options[c->methods++] = *options;
    return EXIT_DONE;
}

static int list_tolerances(comparison *c, const compare_settings *set)
{
    char message[256] = "";
    const bool read = read_reals(set->rtol, &c->rtol, &c->tolerances);
    if (c->tolerances == REALS_NO_MEMORY)
        return refuse_status("compare", KEEL_NO_MEMORY, "no memory");
    if (!read)
        return usage_error("compare", "--rtol takes numbers with commas between, like "
                           "1e-4,1e-6 or 1e-4,...,1e-10, not '%s'", set->rtol);
    for (int i = 0; i < c->tolerances; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.17g", c->rtol[i]);
        if (keel_option_set(&(keel_options){0}, "rtol", text, message, sizeof message) != KEEL_OK)
            return usage_error("compare", "%s", message);
    }
    return EXIT_DONE;
}

/* ---- running ------------------------------------------------------------------------------- */

/* Digits against the computed reference, over the unknowns that count for the bundled ones. */
static double digits_computed(const comparison *c, const double *y)
{
    const target *t = c->target;
    const int size = keel_problem_size(t->original);
    double worst = 0, *given = malloc(((size_t)size + 1) * sizeof *given);
    if (!given) return NAN;
    target_to_original(t, y, given);
    for (int i = 0; i < size; i++) {
        if (!t->bundled->counts[i] || isnan(given[i])) continue;
        const double scale = fabs(c->reference[i]), error = fabs(given[i] - c->reference[i]);
        worst = fmax(worst, scale > 0 ? error / scale : error);
    }
    free(given);
    return worst > 0 ? -log10(worst) : NAN;
}

static double drift_of(const keel_stats *stats)
{
    const double drift = fmax(stats->residual[0], stats->residual[1]);
    return drift >= 0 ? drift : NAN;
}

static void show_progress(const comparison *c, const char *name, double rtol, bool quiet)
{
    if (quiet || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%3d %%   %-24s rtol %-10.2g", 100 * c->done / (c->methods * c->tolerances),
            name, rtol);
    if (c->done == c->methods * c->tolerances) fprintf(stderr, "\r%60s\r", "");
    fflush(stderr);
}

/* The least CPU time of a few runs: the first ones of a process are slow, short ones noisy. */
static double least_seconds(const comparison *c, const keel_options *options, double first)
{
    double least = first, spent = first;
    for (int k = 1; k < REPETITIONS && spent < patience; k++) {
        outcome o;
        integrate(&o, c->target, options, &(recording){0}, false, true);
        least = fmin(least, o.cpu_seconds);
        spent += o.cpu_seconds;
        outcome_free(&o);
    }
    return least;
}

static void try_one(comparison *c, int method, double rtol)
{
    keel_options options = c->options[method];
    trial *r = &c->trial[c->done++];
    outcome o;

    options.rtol = rtol;
    integrate(&o, c->target, &options, &(recording){0}, false, true);
    *r = (trial){.rtol = rtol, .status = outcome_ended(&o) ? KEEL_OK : o.status, .scd = NAN, .drift = NAN,
                 .cpu_seconds = o.cpu_seconds, .stats = o.stats};
    snprintf(r->word, sizeof r->word, "%s", outcome_word(&o, (char[32]){""}));
    snprintf(r->message, sizeof r->message, "%s", o.message);
    if (o.y && outcome_ended(&o) && !o.interrupted) {
        r->scd = c->reference ? digits_computed(c, o.y) : target_scd(c->target, o.t, o.y);
        r->drift = drift_of(&o.stats);
        r->cpu_seconds = least_seconds(c, &options, o.cpu_seconds);
    }
    c->interrupted = o.interrupted;
    outcome_free(&o);
}

static void try_all(comparison *c, bool quiet)
{
    for (int k = 0; k < c->methods && !c->interrupted; k++)
        for (int i = 0; i < c->tolerances && !c->interrupted; i++) {
            show_progress(c, c->name[k], c->rtol[i], quiet);
            try_one(c, k, c->rtol[i]);
        }
    show_progress(c, "", 0, quiet);
}

/* ---- for people ---------------------------------------------------------------------------- */

static void print_trial(table *list, const comparison *c, int i)
{
    const trial *r = &c->trial[i];
    const keel_stats *n = &r->stats;
    table_cell(list, "%s", i % c->tolerances ? "" : c->name[i / c->tolerances]);
    table_cell(list, "%.0e", r->rtol);
    table_cell(list, "%s", r->word);
    if (isnan(r->scd)) table_cell(list, "-");
    else table_cell(list, "%.2f", r->scd);
    if (isnan(r->drift)) table_cell(list, "-");
    else table_cell(list, "%.1e", r->drift);
    table_cell(list, "%ld", n->accepted);
    table_cell(list, "%ld", n->rejected_error + n->rejected_newton);
    table_cell(list, "%ld", n->rhs);
    table_cell(list, "%ld", n->factorizations);
    table_cell(list, "%.2e", r->cpu_seconds);
}

/* What was compared. */
static void print_methods(const comparison *c)
{
    table list = {.columns = 1 + FACTS_COLUMNS, .align = "l" FACTS_ALIGN, .indent = "  "};
    table_cell(&list, "method");
    facts_headings(&list);
    for (int k = 0; k < c->methods; k++) {
        keel_general_analysis facts;
        table_cell(&list, "%s", c->name[k]);
        facts_cells(&list, method_facts_of(&c->options[k], &facts) ? &facts : NULL);
    }
    table_print(&list, stdout);
    table_free(&list);
    printf("\n");
}

static void print_comparison(const comparison *c)
{
    static const char *const heading[] = {"method", "rtol", "status", "scd", "drift", "accepted",
                                          "rejected", "rhs", "factorizations", "CPU s"};
    const target *t = c->target;
    table list = {.columns = 10, .align = "lrlrrrrrrr", .indent = "  "};

    printf("%s: %s\n\n", t->bundled->name, t->bundled->title);
    if (t->problem != t->original) printf("  formulation %s\n", t->formulation);
    printf("  interval    %.10g to %.10g\n", t->t_start, t->t_end);
    if (c->reference) printf("  scd         against a run at rtol 1e-13\n");
    printf("\n");
    print_methods(c);
    for (int i = 0; i < list.columns; i++) table_cell(&list, "%s", heading[i]);
    for (int i = 0; i < c->done; i++) print_trial(&list, c, i);
    table_print(&list, stdout);
    table_free(&list);
}

static void print_failures(const comparison *c)
{
    for (int i = 0; i < c->done; i++) {
        const trial *r = &c->trial[i];
        const char *method = c->name[i / c->tolerances];
        if (r->status == KEEL_UNSUPPORTED && i % c->tolerances == 0)   /* at any tolerance */
            fprintf(stderr, "keel compare: KEEL_UNSUPPORTED: %s\n", r->message);
        else if (r->status != KEEL_OK && r->status != KEEL_UNSUPPORTED)
            fprintf(stderr, "keel compare: %s, rtol %.0e: %s: %s\n", method, r->rtol,
                    keel_status_name(r->status), r->message);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_trial(json_writer *w, const comparison *c, int i)
{
    const trial *r = &c->trial[i];
    json_begin_object(w, NULL);
    json_string(w, "method", c->name[i / c->tolerances]);
    json_number(w, "rtol", r->rtol);
    json_string(w, "status", r->word);
    json_string(w, "message", r->message);
    json_number(w, "scd", r->scd);
    json_number(w, "drift", r->drift);
    json_integer(w, "accepted", r->stats.accepted);
    json_integer(w, "rejected", r->stats.rejected_error + r->stats.rejected_newton);
    json_integer(w, "rhs", r->stats.rhs);
    json_integer(w, "factorizations", r->stats.factorizations);
    json_number(w, "cpu_seconds", r->cpu_seconds);
    json_end_object(w);
}

static void json_methods(json_writer *w, const comparison *c)
{
    json_begin_array(w, "methods");
    for (int k = 0; k < c->methods; k++) {
        keel_general_analysis facts;
        json_begin_object(w, NULL);
        json_string(w, "name", c->name[k]);
        if (method_facts_of(&c->options[k], &facts)) facts_json(w, &facts);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_json(const comparison *c)
{
    json_writer w = {.file = stdout};
    json_begin_object(&w, NULL);
    json_string(&w, "target", c->target->bundled->name);
    json_string(&w, "formulation", c->target->formulation);
    json_number(&w, "t_start", c->target->t_start);
    json_number(&w, "t_end", c->target->t_end);
    json_string(&w, "reference", c->reference ? "computed" : "bundled");
    json_methods(&w, c);
    json_begin_array(&w, "runs");
    for (int i = 0; i < c->done; i++) json_trial(&w, c, i);
    json_end_array(&w);
    json_end_object(&w);
}

/* ---- picture ------------------------------------------------------------------------------- */

enum { PANELS = 3 };

static double work(const trial *r, int panel)
{
    return panel == 0 ? (double)r->stats.rhs : panel == 1 ? (double)r->stats.factorizations
         : r->cpu_seconds;
}

/* x and y of all panels: scd, then the three kinds of work, for each trial in order. */
static void fill_panels(const comparison *c, double *room, chart_panel panel[PANELS],
                        chart_line line[PANELS][METHODS_MOST])
{
    static const char *const title[PANELS] = {"right-hand sides", "factorizations", "CPU seconds"};
    for (int i = 0; i < c->done; i++) {
        room[i] = c->trial[i].scd;
        for (int p = 0; p < PANELS; p++) room[(p + 1) * c->done + i] = work(&c->trial[i], p);
    }
    for (int p = 0; p < PANELS; p++) {
        panel[p] = (chart_panel){.title = title[p], .abscissa = "correct digits", .ordinate = "",
                                 .line = line[p]};
        for (int first = 0; first < c->done; first += c->tolerances) {
            const int left = c->done - first, count = left < c->tolerances ? left : c->tolerances;
            line[p][panel[p].lines++] = (chart_line){c->name[first / c->tolerances], count,
                                                     room + first, room + (p + 1) * c->done + first};
        }
    }
}

static int draw(const comparison *c, output *file)
{
    chart_panel panel[PANELS];
    chart_line line[PANELS][METHODS_MOST];
    char title[200], subtitle[200], message[300] = "no memory";
    double *room = malloc((size_t)(c->done * (PANELS + 1) + 1) * sizeof *room);
    int status = -1;

    snprintf(title, sizeof title, "%s: %s", c->target->bundled->name, c->target->bundled->title);
    snprintf(subtitle, sizeof subtitle, "work and precision, rtol %.0e to %.0e", c->rtol[0],
             c->rtol[c->tolerances - 1]);
    if (room) {
        fill_panels(c, room, panel, line);
        status = chart_write(&(chart){title, subtitle, false, PANELS, panel}, file, message,
                             sizeof message);
    }
    if (status != 0) fprintf(stderr, "keel compare: no picture: %s\n", message);
    free(room);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int report(const comparison *c, const compare_settings *set, output *picture)
{
    int reached = 0, drawn = 0;
    if (set->json) print_json(c);
    else print_comparison(c);
    fflush(stdout);
    print_failures(c);
    if (set->plot) drawn = draw(c, picture);
    for (int i = 0; i < c->done; i++) reached += c->trial[i].status == KEEL_OK;
    return c->interrupted ? EXIT_INTERRUPTED : reached && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* A reference is computed where the target has none at its end. */
static int find_reference(comparison *c)
{
    const target *t = c->target;
    double *y = calloc((size_t)t->size + 1, sizeof *y);
    if (!y) return refuse_status("compare", KEEL_NO_MEMORY, "no memory");
    for (int i = 0; i < t->size; i++) y[i] = t->y[i] + 1;       /* any y but the solution will do */
    const bool known = !isnan(target_scd(t, t->t_end, y));
    free(y);
    if (known) return EXIT_DONE;
    c->reference = study_reference_end("compare", t);
    return c->reference ? EXIT_DONE : EXIT_FAILED;
}

static int compare_target(comparison *c, const target *t, const compare_settings *set)
{
    c->target = t;
    if (t->t_end == t->t_start)
        return usage_error("compare", "the interval from %g to %g is empty", t->t_start, t->t_end);
    c->trial = calloc((size_t)c->methods * (size_t)c->tolerances, sizeof *c->trial);
    if (!c->trial) return refuse_status("compare", KEEL_NO_MEMORY, "no memory");
    output picture;
    int code = open_output(&picture, "compare", set->plot, 0);
    if (code == EXIT_DONE) code = find_reference(c);
    if (code == EXIT_DONE) {
        try_all(c, set->quiet);
        code = report(c, set, &picture);
    }
    output_abandon(&picture);
    return code;
}

static int check_settings(compare_settings *set, keel_options *options, comparison *c)
{
    if (set->plot && !plot_format_known(set->plot))
        return usage_error("compare", "--plot takes a file name that ends in .svg or .png, not "
                           "'%s'", set->plot);
    if (options->step > 0)
        return usage_error("compare", "--step and tolerances exclude each other; 'keel converge' "
                           "takes constant steps");
    int code = method_choose_for("compare", &set->method, options);
    if (code == EXIT_DONE) code = list_methods(c, set, options);
    if (code == EXIT_DONE) code = list_tolerances(c, set);
    return code;
}

int compare_command(int argc, char **argv)
{
    compare_settings set = {.target = TARGET_STANDARD, .rtol = "1e-3,...,1e-9"};
    keel_options options = {0};
    comparison c = {0};
    const char *name;
    int code;

    switch (parse_arguments(&compare_syntax, argc, argv, &set, &options, &name)) {
    case PARSED: code = check_settings(&set, &options, &c); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    if (code == EXIT_DONE && name) {
        target t;
        code = target_open(&t, "compare", name, &set.target);
        if (code == EXIT_DONE) code = compare_target(&c, &t, &set);
        target_free(&t);
    }
    free(c.rtol);
    free(c.reference);
    free(c.trial);
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
