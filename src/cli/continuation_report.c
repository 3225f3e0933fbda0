/* continuation_report.c -- a branch of solutions: for people, for programs, and as a picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/continuation.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/plot.h"
#include "report/table.h"

enum { NAME_LENGTH = 80, VALUES_SHOWN = 3, CURVES = 10 };

/* ---- the table ----------------------------------------------------------------------------- */

static char *name_at(const branch_outcome *o, int column)
{
    return o->letters + (size_t)column * NAME_LENGTH;
}

static int name_columns(branch_outcome *o, const keel_boundary_spec *spec)
{
    const target *t = o->target;
    const int n = t->size, np = o->unknown_parameters, columns = o->points.columns;
    static const char *const first[] = {NULL, "arc", "fold", "branch point", "intervals"};
    o->names = calloc((size_t)columns, sizeof *o->names);
    o->letters = calloc((size_t)columns, NAME_LENGTH);
    if (!o->names || !o->letters) return KEEL_NO_MEMORY;
    for (int i = 0; i < columns; i++) o->names[i] = name_at(o, i);
    for (int i = 0; i < BRANCH_OTHERS; i++)
        snprintf(name_at(o, i), NAME_LENGTH, "%s", first[i] ? first[i] : o->parameter);
    for (int i = 0; i < np; i++)
        snprintf(name_at(o, BRANCH_OTHERS + i), NAME_LENGTH, "%s",
                 keel_parameter_name(t->problem, spec->parameter ? spec->parameter[i] : i));
    for (int i = 0; i < n; i++) {
        char *largest = name_at(o, BRANCH_OTHERS + np + i);
        snprintf(largest, NAME_LENGTH, "max |%s|", t->names[i]);
        snprintf(largest + (size_t)n * NAME_LENGTH, NAME_LENGTH, "%s(%g)", t->names[i], t->t_start);
        snprintf(largest + (size_t)2 * (size_t)n * NAME_LENGTH, NAME_LENGTH, "%s(%g)", t->names[i],
                 t->t_end);
    }
    return KEEL_OK;
}

int branch_collect(branch_outcome *o, const keel_branch *branch, const keel_boundary_spec *spec)
{
    const size_t n = (size_t)o->target->size, np = (size_t)spec->parameters;
    o->unknown_parameters = spec->parameters;
    o->points.columns = BRANCH_OTHERS + (int)(np + 3 * n);
    for (int i = 0; i < keel_branch_count(branch); i++) {
        const keel_branch_point *q = keel_branch_at(branch, i);
        double *row = series_append(&o->points);
        if (!row) return KEEL_NO_MEMORY;
        row[BRANCH_PARAMETER] = q->parameter;
        row[BRANCH_ARC] = q->arc;
        row[BRANCH_FOLD] = q->fold;
        row[BRANCH_CROSSING] = q->branch_point;
        o->crossings += q->branch_point != 0;
        row[BRANCH_INTERVALS] = q->mesh;
        row += BRANCH_OTHERS;
        memcpy(row, q->p, np * sizeof *row);
        memcpy(row + np, q->largest, n * sizeof *row);
        memcpy(row + np + n, q->from, n * sizeof *row);
        memcpy(row + np + 2 * n, q->to, n * sizeof *row);
        o->folds += q->fold != 0;
    }
    return name_columns(o, spec);
}

void branch_outcome_free(branch_outcome *o)
{
    series_free(&o->points);
    free(o->names);
    free(o->letters);
}

/* ---- for people ---------------------------------------------------------------------------- */

static const char *special(const double *row)
{
    return row[BRANCH_FOLD] > 0 ? "fold" : row[BRANCH_CROSSING] > 0 ? "branch point" : "";
}

/* The parameter, what is special, intervals, unknown parameters, largest values of the first unknowns. */
static void print_points(const branch_outcome *o, FILE *file)
{
    const int shown = o->target->size < VALUES_SHOWN ? o->target->size : VALUES_SHOWN;
    const int last = BRANCH_OTHERS + o->unknown_parameters + shown;
    char align[64];
    table list = {.columns = last - BRANCH_OTHERS + 3, .align = align, .indent = "  "};
    if (list.columns > (int)sizeof align) list.columns = (int)sizeof align;
    memset(align, 'l', sizeof align);
    table_cell(&list, "%s", o->parameter);
    table_cell(&list, "%s", "");
    for (int i = BRANCH_INTERVALS; i < last && i - BRANCH_INTERVALS + 2 < list.columns; i++)
        table_cell(&list, "%s", o->names[i]);
    for (long k = 0; k < o->points.rows; k++) {
        const double *row = series_row(&o->points, k);
        table_cell(&list, "%.10g", row[BRANCH_PARAMETER]);
        table_cell(&list, "%s", special(row));
        for (int i = BRANCH_INTERVALS; i < last && i - BRANCH_INTERVALS + 2 < list.columns; i++)
            table_cell(&list, "%.8g", row[i]);
    }
    table_print(&list, file);
    table_free(&list);
}

void branch_print(const branch_outcome *o, FILE *file)
{
    const target *t = o->target;
    fprintf(file, "%s: %s\n\n", t->bundled->name, t->bundled->title);
    fprintf(file, "  %-10s  %.10g to %.10g, %s\n", o->parameter, o->asked->start.value,
            o->asked->to, o->asked->arclength ? "by arclength" : "natural continuation");
    fprintf(file, "  tolerance   %g\n\n", o->options->rtol);
    if (o->points.rows == 0) return;             /* the message on standard error says it all */
    print_points(o, file);
    fprintf(file, "\n  %ld points, %d fold%s, %d branch point%s, %.3g CPU seconds\n", o->points.rows,
            o->folds, o->folds == 1 ? "" : "s", o->crossings, o->crossings == 1 ? "" : "s",
            o->cpu_seconds);
    if (o->status == KEEL_OK && *o->message) fprintf(file, "  %s\n", o->message);
}

/* ---- for programs -------------------------------------------------------------------------- */

void branch_csv(const branch_outcome *o, FILE *file)
{
    csv_names(file, o->names, o->points.columns);
    for (long k = 0; k < o->points.rows; k++) {
        const double *row = series_row(&o->points, k);
        csv_row(file, row[0], row + 1, o->points.columns - 1);
    }
}

/* The parameter at points of one kind. */
static void json_special(json_writer *w, const branch_outcome *o, const char *key, int column)
{
    json_begin_array(w, key);
    for (long k = 0; k < o->points.rows; k++) {
        const double *row = series_row(&o->points, k);
        if (row[column] > 0) json_number(w, NULL, row[BRANCH_PARAMETER]);
    }
    json_end_array(w);
}

void branch_json(const branch_outcome *o, FILE *file)
{
    json_writer w = {.file = file};
    char word[32];
    json_begin_object(&w, NULL);
    json_string(&w, "target", o->target->bundled->name);
    json_string(&w, "parameter", o->parameter);
    json_number(&w, "from", o->asked->start.value);
    json_number(&w, "to", o->asked->to);
    json_bool(&w, "arclength", o->asked->arclength);
    json_number(&w, "tol", o->options->rtol);
    json_string(&w, "status", o->unwritten ? "cannot-write" : status_word(o->status, word));
    json_string(&w, "message", o->message);
    json_special(&w, o, "folds", BRANCH_FOLD);
    json_special(&w, o, "branch_points", BRANCH_CROSSING);
    json_strings(&w, "columns", o->names, o->points.columns);
    json_begin_array(&w, "points");
    for (long k = 0; k < o->points.rows; k++)
        json_numbers(&w, NULL, series_row(&o->points, k), o->points.columns);
    json_end_array(&w);
    json_number(&w, "cpu_seconds", o->cpu_seconds);
    json_end_object(&w);
}

/* ---- as a picture -------------------------------------------------------------------------- */

/* The parameter, unknown ones, and the largest values of the first unknowns, differential ones. */
static int select_curves(const branch_outcome *o, series *curves, int count)
{
    const int first = BRANCH_OTHERS;
    curves->columns = count + 1;
    for (long k = 0; k < o->points.rows; k++) {
        const double *from = series_row(&o->points, k);
        double *row = series_append(curves);
        if (!row) return KEEL_NO_MEMORY;
        row[0] = from[BRANCH_PARAMETER];
        for (int i = 0; i < count; i++) row[i + 1] = from[first + i];
    }
    return KEEL_OK;
}

/* Where the parameter turns, or another branch crosses; arrays to be freed. */
static plot_marks special_marks(const branch_outcome *o)
{
    const size_t most = (size_t)(o->folds + o->crossings) + 1;
    double *at = calloc(most, sizeof *at);
    const char **names = calloc(most, sizeof *names);
    long count = 0;
    for (long k = 0; at && names && k < o->points.rows; k++) {
        const double *row = series_row(&o->points, k);
        if (!*special(row)) continue;
        at[count] = row[BRANCH_PARAMETER];
        names[count++] = special(row);
    }
    return (plot_marks){count, at, names};
}

int branch_draw(const branch_outcome *o, output *file)
{
    const target *t = o->target;
    const int all = o->unknown_parameters + t->size - keel_problem_constraints(t->problem);
    const int count = all < CURVES ? all : CURVES;
    char title[200], subtitle[100], message[500] = "no memory";
    series curves = {0};
    int status = select_curves(o, &curves, count) == KEEL_OK ? 0 : -1;
    plot_marks marks = special_marks(o);
    snprintf(title, sizeof title, "%s: %s", t->bundled->name, t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%ld points, %s", o->points.rows,
             o->asked->arclength ? "by arclength" : "natural continuation");
    const plot p = {
        .title = title, .subtitle = subtitle,
        .ordinate = o->unknown_parameters ? "unknown parameters, largest absolute values"
                                          : "largest absolute values",
        .names = o->names + BRANCH_OTHERS, .trajectories = &curves,
        .events = marks, .abscissa = o->parameter,
    };
    if (status == 0) status = plot_write(&p, file, message, sizeof message);
    series_free(&curves);
    free((void *)marks.t);
    free((void *)marks.names);
    if (status != 0) fprintf(stderr, "keel bvp: no picture: %s\n", message);
    return status;
}
