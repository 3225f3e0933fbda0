/* convergence.c -- the report of keel converge: tables, JSON, pictures. */
#include "cli/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/json.h"
#include "report/table.h"

const char *multipliers_word(const keel_options *options)
{
    static const char *const word[] = {"auto", "hidden", "recursion", "polynomial"};
    return word[options->multipliers];
}

static double order_at(const convergence *c, const experiment *e, int i, int column)
{
    if (i == 0) return NAN;
    return observed_order(e->run[i - 1].error[column], e->run[i].error[column], c->ratio);
}

/* The predicted order of a column, through its first unknown. */
static int predicted_order(const study *s, const experiment *e, int column)
{
    int group[3] = {0}, first = 0, unknown = 0;
    const char *name[3];
    const int groups = keel_problem_groups(s->measured, group, name);
    while (s->column[unknown] != column) unknown++;
    for (int k = 0; k < groups; k++) {
        first += group[k];
        if (unknown < first) return e->predicted[k];
    }
    return KEEL_ORDER_UNKNOWN;
}

/* The power of h that the error of a column is divided by; 0: none. */
static int scale_of(const convergence *c, const experiment *e, int column)
{
    const int order = predicted_order(&c->study, e, column);
    if (!c->scaled || order == KEEL_ORDER_NONE) return 0;
    return order == KEEL_ORDER_UNKNOWN ? (c->known ? c->facts.order : 0) : order;
}

static double shown_error(const convergence *c, const experiment *e, int i, int column)
{
    return e->run[i].error[column] / pow(e->run[i].h, scale_of(c, e, column));
}

static bool any_prediction(const experiment *e)
{
    for (int g = 0; g < 3; g++)
        if (e->predicted[g] != KEEL_ORDER_UNKNOWN) return true;
    return false;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void error_cell(table *list, double error, bool scaled)
{
    if (isnan(error)) table_cell(list, "-");
    else if (isinf(error)) table_cell(list, "inf");
    else table_cell(list, scaled ? "%.5g" : "%.2e", error);
}

static void error_heading(table *list, const convergence *c, const experiment *e, int column)
{
    const int power = scale_of(c, e, column);
    const char *name = c->study.names[column];
    if (power == 0) table_cell(list, "%s", name);
    else if (power == 1) table_cell(list, "%s/h", name);
    else table_cell(list, "%s/h^%d", name, power);
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

static void print_table(const convergence *c, const experiment *e)
{
    const study *s = &c->study;
    const int columns = 2 + 2 * s->columns;
    char *align = malloc((size_t)columns + 1);
    table list = {.columns = columns, .align = align, .indent = "  "};
    if (!align) return;
    memset(align, 'r', (size_t)columns);
    table_cell(&list, "N");
    table_cell(&list, "h");
    for (int j = 0; j < s->columns; j++) {
        error_heading(&list, c, e, j);
        table_cell(&list, "order");
    }
    for (int i = 0; i < e->count; i++) {
        table_cell(&list, "%ld", e->run[i].steps);
        table_cell(&list, "%.4g", e->run[i].h);
        for (int j = 0; j < s->columns; j++) {
            error_cell(&list, shown_error(c, e, i, j), c->scaled);
            order_cell(&list, order_at(c, e, i, j));
        }
    }
    if (any_prediction(e)) prediction_row(&list, s, e);
    table_print(&list, stdout);
    table_free(&list);
    free(align);
}

void convergence_failures(const convergence *c)
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

void convergence_print(const convergence *c)
{
    const target *t = c->study.target;
    printf("%s: %s\n\n", t->bundled->name, t->bundled->title);
    if (t->problem != t->original) printf("  formulation %s\n", t->formulation);
    printf("  method      %s\n", c->method);
    if (c->known) printf("              %s\n", facts_text((char[FACTS_LENGTH]){""}, &c->facts));
    printf("  interval    %.10g to %.10g\n", t->t_start, t->t_end);
    printf("  errors      %s%s, against %s\n\n",
           c->study.view.end_only ? "at the end" : "largest of all mesh points",
           c->study.view.euclidean ? ", Euclidean norm" : "",
           c->study.reference ? "a run at rtol 1e-13" : "the exact solution");
    for (int k = 0; k < c->experiments; k++) {
        const experiment *e = &c->experiment[k];
        if (e->title[0]) printf("%s%s\n", k ? "\n" : "", e->title);
        print_table(c, e);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_scaled(json_writer *w, const convergence *c, const experiment *e, int i)
{
    if (!c->scaled) return;
    json_begin_array(w, "scaled");
    for (int j = 0; j < c->study.columns; j++) json_number(w, NULL, shown_error(c, e, i, j));
    json_end_array(w);
}

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
        for (int j = 0; j < c->study.columns; j++) json_number(w, NULL, order_at(c, e, i, j));
        json_end_array(w);
        json_scaled(w, c, e, i);
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_experiment(json_writer *w, const convergence *c, const experiment *e)
{
    json_begin_object(w, NULL);
    json_bool(w, "projected", target_has_hidden_levels(c->study.target)
              && is_projected(&e->options));
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

void convergence_json(const convergence *c)
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
    json_string(&w, "errors_at", c->study.view.end_only ? "end" : "mesh");
    json_string(&w, "norm", c->study.view.euclidean ? "euclidean" : "max");
    json_string(&w, "unknowns", c->study.view.formulation ? "formulation" : "original");
    json_integer(&w, "ratio", c->ratio);
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

int convergence_draw(const convergence *c, output *file)
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
             c->study.view.end_only ? "at the end" : "at all mesh points");
    const chart picture = {title, subtitle, true, c->experiments, panel};
    if (chart_write(&picture, file, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel converge: no picture: %s\n", message);
    return -1;
}

