/* converge.c -- keel converge TARGET: orders of convergence at constant step sizes h, h/2, h/4, ...
 *
 * Exit status: 0 if any run reached the end, 1 if none did, 2 wrong usage, 130 interrupted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/method_choice.h"
#include "cli/method_facts.h"
#include "cli/prediction.h"
#include "cli/study.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/table.h"

typedef struct converge_settings {
    target_settings target;
    method_choice method;
    long halvings;
    bool each, end, json;
    const char *plot;
    bool both;                   /* not projected and projected                        */
    bool multipliers_given;
} converge_settings;

#define FIELD(name) offsetof(converge_settings, name)

static const argument arguments[] = {
    TARGET_ARGUMENTS(converge_settings, target),
    METHOD_ARGUMENTS(converge_settings, method),
    {"halvings", ARGUMENT_COUNT, FIELD(halvings), 0, "K",
     "runs with steps H, H/2, ..., H/2^K (default 5); --step is H"},
    {"each", ARGUMENT_FLAG, FIELD(each), 0, NULL,
     "errors of each unknown instead of each group of unknowns"},
    {"end", ARGUMENT_FLAG, FIELD(end), 0, NULL,
     "errors at the end, not the largest of all mesh points"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw errors over step sizes to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
};

static const syntax converge_syntax = {
    .verb = "converge", .operand = "TARGET", .operand_required = true,
    .purpose = "Integrates TARGET with constant steps that are halved from run to run, and prints "
               "errors,\nobserved orders log2(e(h) / e(h/2)) and the orders that theory predicts.  "
               "Without --projection\nand --multipliers problems of index 2 and 3 are integrated three "
               "times: not projected and\nprojected with the multipliers of the method (index 2: the "
               "stage polynomial, index 3: the\nrecursion), and projected with multipliers from the "
               "hidden constraint.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

/* One way of integrating, at all step sizes. */
typedef struct experiment {
    char title[80], label[40];   /* for tables, for pictures                           */
    keel_options options;
    int predicted[3];            /* by group                                           */
    int count;
    study_run *run;
} experiment;

/* Few unknowns are shown each by itself. */
enum { EACH_UNKNOWN = 3 };

enum { EXPERIMENTS_MOST = 3, HALVINGS_MOST = 24 };

typedef struct convergence {
    study study;
    const char *method;
    bool known;                  /* the method is one, with these facts                */
    keel_general_analysis facts;
    int experiments;
    experiment experiment[EXPERIMENTS_MOST];
    bool interrupted;
} convergence;

/* ---- running ------------------------------------------------------------------------------- */

static bool has_manifold(const target *t)
{
    return keel_problem_levels(t->problem) > 0 && keel_problem_index(t->problem) >= 2;
}

/* Explicit methods have no recursion for multipliers. */
static bool has_recursion(const keel_options *options)
{
    keel_method_info info;
    if (options->tableau) return keel_method_kind_of(options->tableau) >= KEEL_METHOD_DIAGONAL;
    return keel_method_find(method_name(options), &info) != KEEL_OK
        || info.kind >= KEEL_METHOD_DIAGONAL;
}

static const char *multipliers_word(const keel_options *options)
{
    static const char *const word[] = {"auto", "hidden", "recursion", "polynomial"};
    return word[options->multipliers];
}

static void add_experiment(convergence *c, const keel_options *options)
{
    static const char *const source[] = {"as the method has them", "from the hidden constraint",
                                         "by the recursion", "by the stage polynomial"};
    const target *t = c->study.target;
    experiment *e = &c->experiment[c->experiments++];
    *e = (experiment){.options = *options};
    if (has_manifold(t))
        snprintf(e->title, sizeof e->title, "%s, multipliers %s",
                 options->projection != KEEL_PROJECT_NONE ? "projected" : "not projected",
                 source[options->multipliers]);
    if (has_manifold(t))
        snprintf(e->label, sizeof e->label, "%s, %s",
                 options->projection != KEEL_PROJECT_NONE ? "projected" : "not projected",
                 multipliers_word(options));
    predict_orders(t, options, e->predicted);
}

/* Unless the user wants just one: without projection, and with it; multipliers of the method itself
 * and from the hidden constraint. */
static void plan(convergence *c, const converge_settings *set, const keel_options *options)
{
    const target *t = c->study.target;
    const bool three = !set->multipliers_given && has_recursion(options);
    keel_options own = *options, bare;
    if (!set->both || !has_manifold(t)) {
        add_experiment(c, options);
        return;
    }
    if (three) own.multipliers = keel_problem_index(t->problem) == 2 ? KEEL_MULTIPLIERS_POLYNOMIAL
                                                                     : KEEL_MULTIPLIERS_RECURSION;
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
        for (int i = 0; i < count && !c->interrupted; i++) {
            if (!study_constant(&e->run[i], &c->study, &e->options, first << i)) return false;
            e->count = i + 1;
            c->interrupted = e->run[i].interrupted;
        }
    }
    return true;
}

static double order_at(const experiment *e, int i, int column)
{
    return i == 0 ? NAN : observed_order(e->run[i - 1].error[column], e->run[i].error[column]);
}

/* The predicted order of a column, through its first unknown. */
static int predicted_order(const study *s, const experiment *e, int column)
{
    int group[3] = {0}, first = 0, unknown = 0;
    const char *name[3];
    const int groups = keel_problem_groups(s->target->original, group, name);
    while (s->column[unknown] != column) unknown++;
    for (int k = 0; k < groups; k++) {
        first += group[k];
        if (unknown < first) return e->predicted[k];
    }
    return KEEL_ORDER_UNKNOWN;
}

static bool any_prediction(const experiment *e)
{
    for (int g = 0; g < 3; g++)
        if (e->predicted[g] != KEEL_ORDER_UNKNOWN) return true;
    return false;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void error_cell(table *list, double error)
{
    if (isnan(error)) table_cell(list, "-");
    else if (isinf(error)) table_cell(list, "inf");
    else table_cell(list, "%.2e", error);
}

static void order_cell(table *list, double order)
{
    if (isnan(order)) table_cell(list, "%s", "");
    else table_cell(list, "%.2f", order);
}

static void prediction_row(table *list, const study *s, const experiment *e)
{
    table_cell(list, "%s", "");
    table_cell(list, "theory");
    for (int j = 0; j < s->columns; j++) {
        const int order = predicted_order(s, e, j);
        table_cell(list, "%s", "");
        if (order == KEEL_ORDER_UNKNOWN) table_cell(list, "?");
        else if (order == KEEL_ORDER_NONE) table_cell(list, "none");
        else table_cell(list, "%d", order);
    }
}

static void print_table(const study *s, const experiment *e)
{
    const int columns = 2 + 2 * s->columns;
    char *align = malloc((size_t)columns + 1);
    table list = {.columns = columns, .align = align, .indent = "  "};
    if (!align) return;
    memset(align, 'r', (size_t)columns);
    table_cell(&list, "N");
    table_cell(&list, "h");
    for (int j = 0; j < s->columns; j++) {
        table_cell(&list, "%s", s->names[j]);
        table_cell(&list, "order");
    }
    for (int i = 0; i < e->count; i++) {
        table_cell(&list, "%ld", e->run[i].steps);
        table_cell(&list, "%.4g", e->run[i].h);
        for (int j = 0; j < s->columns; j++) {
            error_cell(&list, e->run[i].error[j]);
            order_cell(&list, order_at(e, i, j));
        }
    }
    if (any_prediction(e)) prediction_row(&list, s, e);
    table_print(&list, stdout);
    table_free(&list);
    free(align);
}

static void print_failures(const convergence *c)
{
    const study_run *first = c->experiment[0].run;
    if (c->experiment[0].count > 0 && first->status == KEEL_UNSUPPORTED) {   /* as are all */
        fprintf(stderr, "keel converge: KEEL_UNSUPPORTED: %s\n", first->message);
        return;
    }
    for (int k = 0; k < c->experiments; k++) {
        const experiment *e = &c->experiment[k];
        for (int i = 0; i < e->count; i++)
            if (e->run[i].status != KEEL_OK)
                fprintf(stderr, "keel converge: N = %ld%s%s: %s: %s\n", e->run[i].steps,
                        e->title[0] ? ", " : "", e->title, keel_status_name(e->run[i].status),
                        e->run[i].message);
    }
}

static void print_study(const convergence *c)
{
    const target *t = c->study.target;
    printf("%s: %s\n\n", t->bundled->name, t->bundled->title);
    if (t->problem != t->original) printf("  formulation %s\n", t->formulation);
    printf("  method      %s\n", c->method);
    if (c->known) printf("              %s\n", facts_text((char[FACTS_LENGTH]){""}, &c->facts));
    printf("  interval    %.10g to %.10g\n", t->t_start, t->t_end);
    printf("  errors      %s, against %s\n\n",
           c->study.end_only ? "at the end" : "largest of all mesh points",
           c->study.reference ? "a run at rtol 1e-13" : "the exact solution");
    for (int k = 0; k < c->experiments; k++) {
        const experiment *e = &c->experiment[k];
        if (e->title[0]) printf("%s%s\n", k ? "\n" : "", e->title);
        print_table(&c->study, e);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_runs(json_writer *w, const convergence *c, const experiment *e)
{
    json_begin_array(w, "runs");
    for (int i = 0; i < e->count; i++) {
        const study_run *run = &e->run[i];
        json_begin_object(w, NULL);
        json_integer(w, "steps", run->steps);
        json_number(w, "h", run->h);
        json_string(w, "status", run->word);
        json_string(w, "message", run->message);
        json_numbers(w, "errors", run->error, c->study.columns);
        json_begin_array(w, "orders");
        for (int j = 0; j < c->study.columns; j++) json_number(w, NULL, order_at(e, i, j));
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_experiment(json_writer *w, const convergence *c, const experiment *e)
{
    json_begin_object(w, NULL);
    json_bool(w, "projected", has_manifold(c->study.target)
              && e->options.projection != KEEL_PROJECT_NONE);
    json_string(w, "multipliers", multipliers_word(&e->options));
    json_begin_array(w, "predicted");
    for (int j = 0; j < c->study.columns; j++) {
        const int order = predicted_order(&c->study, e, j);
        json_number(w, NULL, order == KEEL_ORDER_UNKNOWN ? (double)NAN : order);
    }
    json_end_array(w);
    json_runs(w, c, e);
    json_end_object(w);
}

static void print_json(const convergence *c)
{
    const target *t = c->study.target;
    json_writer w = {.file = stdout};
    json_begin_object(&w, NULL);
    json_string(&w, "target", t->bundled->name);
    json_string(&w, "method", c->method);
    if (c->known) facts_json(&w, &c->facts);
    json_string(&w, "formulation", t->formulation);
    json_number(&w, "t_start", t->t_start);
    json_number(&w, "t_end", t->t_end);
    json_string(&w, "errors_at", c->study.end_only ? "end" : "mesh");
    json_string(&w, "reference", c->study.reference ? "computed" : "exact");
    json_strings(&w, "columns", c->study.names, c->study.columns);
    json_begin_array(&w, "studies");
    for (int k = 0; k < c->experiments; k++) json_experiment(&w, c, &c->experiment[k]);
    json_end_array(&w);
    json_end_object(&w);
}

/* ---- picture ------------------------------------------------------------------------------- */

enum { LINES_MOST = 10 };

/* One slope for each order, under the lowest of its lines. */
static int add_slope(chart_slope *slope, int slopes, const chart_line *line, int j, int order)
{
    const int last = line[j].count - 1;
    for (int k = 0; k < slopes; k++) {
        if (slope[k].power != order) continue;
        if (line[j].y[last] < line[slope[k].line].y[last]) slope[k].line = j;
        return slopes;
    }
    slope[slopes] = (chart_slope){j, order};
    return slopes + 1;
}

/* One panel; `room` holds the coordinates of its points. */
static chart_panel panel_of(const convergence *c, const experiment *e, chart_line *line,
                            chart_slope *slope, double *room)
{
    const int lines = c->study.columns < LINES_MOST ? c->study.columns : LINES_MOST;
    int slopes = 0;
    for (int i = 0; i < e->count; i++) room[i] = e->run[i].h;
    for (int j = 0; j < lines; j++) {
        double *y = room + (j + 1) * e->count;
        const int order = predicted_order(&c->study, e, j);
        for (int i = 0; i < e->count; i++) y[i] = e->run[i].error[j];
        line[j] = (chart_line){c->study.names[j], e->count, room, y};
        if (order > 0) slopes = add_slope(slope, slopes, line, j, order);
    }
    return (chart_panel){.title = e->label, .abscissa = "h", .ordinate = "error", .log_x = true,
                         .lines = lines, .line = line, .slopes = slopes, .slope = slope};
}

static int draw(const convergence *c, const char *file)
{
    const target *t = c->study.target;
    chart_panel panel[EXPERIMENTS_MOST];
    chart_line line[EXPERIMENTS_MOST][LINES_MOST];
    chart_slope slope[EXPERIMENTS_MOST][LINES_MOST];
    double room[EXPERIMENTS_MOST][(LINES_MOST + 1) * (HALVINGS_MOST + 1)];
    char title[200], subtitle[200], message[300];

    for (int k = 0; k < c->experiments; k++)
        panel[k] = panel_of(c, &c->experiment[k], line[k], slope[k], room[k]);
    snprintf(title, sizeof title, "%s: %s", t->bundled->name, t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%s, constant steps, errors %s", c->method,
             c->study.end_only ? "at the end" : "at all mesh points");
    const chart picture = {title, subtitle, true, c->experiments, panel};
    if (chart_write(&picture, file, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel converge: no picture: %s\n", message);
    return -1;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int report(const convergence *c, const converge_settings *set)
{
    int reached = 0, drawn = 0;
    if (set->json) print_json(c);
    else print_study(c);
    fflush(stdout);
    print_failures(c);
    if (set->plot && !c->interrupted) drawn = draw(c, set->plot);
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

static int converge_target(const target *t, const converge_settings *set,
                           const keel_options *options)
{
    const int count = (int)set->halvings + 1;
    convergence c = {.method = method_name(options)};
    c.known = method_facts_of(options, &c.facts);
    if (t->t_end == t->t_start)
        return usage_error("converge", "the interval from %g to %g has no steps", t->t_start,
                           t->t_end);
    const long first = options->step > 0 ? study_steps(t, options->step) : study_first_steps(t);
    if (first == 0 || study_steps(t, fabs(t->t_end - t->t_start) / ((double)first * pow(2, count)))
                      == 0)
        return usage_error("converge", "too many steps; take a larger --step or fewer --halvings");
    int code = study_open(&c.study, "converge", t, first << (count - 1),
                          set->each || t->size <= EACH_UNKNOWN, set->end);
    if (code == EXIT_DONE) {
        plan(&c, set, options);
        code = EXIT_FAILED;
        if (run_all(&c, first, count)) code = report(&c, set);
        else fprintf(stderr, "keel converge: %s\n", keel_status_text(KEEL_NO_MEMORY));
    }
    convergence_free(&c);
    return code;
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
    if (!options->method && !set->method.file) options->method = "radau-iia-3";
    return method_choose_for("converge", &set->method, options);
}

int converge_command(int argc, char **argv)
{
    converge_settings set = {.target = TARGET_STANDARD, .halvings = 5};
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
