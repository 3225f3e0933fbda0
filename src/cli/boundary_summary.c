/* boundary_summary.c -- the solution of a boundary value problem, for people and for programs. */
#include <math.h>
#include <stdlib.h>

#include "cli/boundary_outcome.h"
#include "report/json.h"
#include "report/table.h"

enum { VALUES_SHOWN = 12 };

static double asked(const boundary_outcome *o) { return o->options->rtol; }

/* NAN: there are no algebraic unknowns. */
static double estimate_y(const boundary_outcome *o)
{
    return boundary_differential(o) < o->target->size ? o->stats->error_y * asked(o) : NAN;
}

/* Which of the frame's is the unknown parameter i. */
static int unknown(const boundary_outcome *o, int i)
{
    return o->spec->parameter ? o->spec->parameter[i] : i;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void print_setting(const boundary_outcome *o, FILE *file)
{
    const target *t = o->target;
    const keel_boundary_options *options = o->options;
    fprintf(file, "%s: %s\n\n", t->bundled->name, t->bundled->title);
    fprintf(file, "  form        %s, index %d, %d unknown%s\n",
            keel_form_name(keel_problem_form(t->problem)), keel_problem_index(t->problem),
            t->size, t->size == 1 ? "" : "s");
    fprintf(file, "  method      collocation at ");
    if (o->stats->stages > 0) fprintf(file, "%d ", o->stats->stages);
    fprintf(file, "%s points", boundary_points(o));
    if (keel_problem_index(t->problem) > 1)
        fprintf(file, ", %s form%s", index2_words[options->index2],
                options->no_projection ? ", not projected" : "");
    fprintf(file, "\n  interval    %.10g to %.10g\n", t->t_start, t->t_end);
    if (options->uniform) fprintf(file, "  mesh        %d equal intervals\n", options->uniform);
    else fprintf(file, "  tolerance   %g\n", asked(o));
}

static void print_ends(const boundary_outcome *o, FILE *file)
{
    const target *t = o->target;
    const int shown = t->size > VALUES_SHOWN ? VALUES_SHOWN : t->size;
    const double *from = series_row(&o->points, 0);
    const double *to = series_row(&o->points, o->points.rows - 1);
    table list = {.columns = 3, .align = "lll", .indent = "  "};

    fprintf(file, "\nvalues at t = %.10g and %.10g\n", from[0], to[0]);
    for (int i = 0; i < shown; i++) {
        table_cell(&list, "%-10s", t->names[i]);
        table_cell(&list, "% .12g", from[i + 1]);
        table_cell(&list, "% .12g", to[i + 1]);
    }
    table_print(&list, file);
    table_free(&list);
    if (shown < t->size)
        fprintf(file, "  ...          %d more; --output writes all\n", t->size - shown);
    if (o->spec->parameters > 0) fprintf(file, "\nunknown parameters\n");
    for (int i = 0; i < o->spec->parameters; i++)
        fprintf(file, "  %-10s  % .15g\n", keel_parameter_name(t->original, unknown(o, i)),
                o->p[i]);
}

static void count(table *list, const char *what, long number)
{
    table_cell(list, "%s", what);
    table_cell(list, "%ld", number);
}

static void print_statistics(const boundary_outcome *o, FILE *file)
{
    const keel_boundary_stats *n = o->stats;
    table list = {.columns = 4, .align = "lrlr", .indent = "  "};
    fprintf(file, "\nstatistics\n");
    count(&list, "intervals", n->mesh);
    count(&list, "   right-hand sides", n->rhs);
    count(&list, "meshes", n->meshes_tried);
    count(&list, "   for differences", n->rhs_for_jacobian);
    count(&list, "Newton iterations", n->newton);
    count(&list, "   Jacobians", n->jacobian);
    count(&list, "factorizations", n->factorizations);
    count(&list, "   solves", n->solves);
    table_print(&list, file);
    table_free(&list);
}

/* A line "label  x  y" of numbers that are known: neither negative nor NAN. */
static void print_pair(FILE *file, const char *label, double x, double y)
{
    if (!(x >= 0) && !(y >= 0)) return;
    fprintf(file, "  %-18s", label);
    if (x >= 0) fprintf(file, "  x %.1e", x);
    if (y >= 0) fprintf(file, "  y %.1e", y);
    fputc('\n', file);
}

static void print_one(FILE *file, const char *label, double value)
{
    if (value >= 0) fprintf(file, "  %-18s  %.2g\n", label, value);
}

/* Of each unknown, and not relative: what tables of orders have. */
static void print_mesh_errors(const boundary_outcome *o, FILE *file)
{
    const int shown = o->target->size > VALUES_SHOWN ? VALUES_SHOWN : o->target->size;
    if (!o->mesh_error) return;
    fprintf(file, "  %-18s", "|.| at mesh points");
    for (int i = 0; i < shown; i++) fprintf(file, "  %s %.2e", o->target->names[i], o->mesh_error[i]);
    fputc('\n', file);
}

static void print_errors(const boundary_outcome *o, FILE *file)
{
    const keel_boundary_stats *n = o->stats;
    fprintf(file, "\nerrors, relative to 1 + |value|\n");
    print_pair(file, "estimated", n->error_x * asked(o), estimate_y(o));
    print_pair(file, "true", o->error_x, o->error_y);
    print_mesh_errors(o, file);
    print_one(file, "conditions", o->condition);
    if (keel_problem_levels(o->target->problem) > 0)
        print_one(file, "constraints", n->residual);
    if (!(fmax(n->kappa_boundary, n->projector) >= 0)) return;
    fprintf(file, "\nconditioning\n");
    print_one(file, "boundary data", n->kappa_boundary);
    print_one(file, "right-hand side", n->kappa_green);
    print_one(file, "projector", n->projector);
    print_one(file, "rounding allows", n->rounding);
    boundary_print_modes(o, file);
}

void boundary_print(const boundary_outcome *o, FILE *file)
{
    print_setting(o, file);
    if (!o->solution) return;                    /* the message on standard error says it all */
    print_ends(o, file);
    print_statistics(o, file);
    print_errors(o, file);
    fprintf(file, "\n  %-18s  %.3g\n", "CPU seconds", o->cpu_seconds);
    if (o->target->bundled->remark) fprintf(file, "\nto compare\n%s", o->target->bundled->remark);
}

/* ---- for programs -------------------------------------------------------------------------- */

/* Negative: not computed. */
static void json_known(json_writer *w, const char *key, double value)
{
    json_number(w, key, value >= 0 ? value : NAN);
}

static void json_stats(json_writer *w, const keel_boundary_stats *n)
{
    json_begin_object(w, "stats");
    json_integer(w, "newton", n->newton);
    json_integer(w, "factorizations", n->factorizations);
    json_integer(w, "solves", n->solves);
    json_integer(w, "rhs", n->rhs);
    json_integer(w, "rhs_for_jacobian", n->rhs_for_jacobian);
    json_integer(w, "jacobian", n->jacobian);
    json_integer(w, "mesh", n->mesh);
    json_integer(w, "meshes_tried", n->meshes_tried);
    json_integer(w, "stages", n->stages);
    json_end_object(w);
}

static void json_pair(json_writer *w, const char *key, double x, double y)
{
    json_begin_object(w, key);
    json_known(w, "x", x);
    json_known(w, "y", y);
    json_end_object(w);
}

static void json_parameters(json_writer *w, const boundary_outcome *o)
{
    const keel_boundary_target *boundary = o->target->bundled->boundary;
    const int count = o->spec->parameters;
    double *exact = boundary->exact ? malloc(((size_t)count + 1) * sizeof *exact) : NULL;
    if (exact) boundary->exact(o->target->parameters, exact);
    json_begin_array(w, "parameters");
    for (int i = 0; i < count && o->solution; i++) {
        json_begin_object(w, NULL);
        json_string(w, "name", keel_parameter_name(o->target->original, unknown(o, i)));
        json_number(w, "value", o->p[i]);
        json_number(w, "error", exact ? fabs(o->p[i] - exact[i]) : NAN);
        json_end_object(w);
    }
    json_end_array(w);
    free(exact);
}

static void json_conditioning(json_writer *w, const boundary_outcome *o, bool with_profiles)
{
    const keel_boundary_stats *n = o->stats;
    const bool solved = o->solution != NULL;
    json_begin_object(w, "conditioning");
    json_known(w, "boundary", solved ? n->kappa_boundary : NAN);
    json_known(w, "green", solved ? n->kappa_green : NAN);
    json_known(w, "projector", solved ? n->projector : NAN);
    json_known(w, "rounding", solved ? n->rounding : NAN);
    boundary_json_modes(w, o);
    if (with_profiles) boundary_json_profiles(w, o);
    json_end_object(w);
}

static void json_points(json_writer *w, const series *points)
{
    json_begin_object(w, "points");
    json_begin_array(w, "t");
    for (long row = 0; row < points->rows; row++) json_number(w, NULL, series_row(points, row)[0]);
    json_end_array(w);
    json_begin_array(w, "y");
    for (long row = 0; row < points->rows; row++)
        json_numbers(w, NULL, series_row(points, row) + 1, points->columns - 1);
    json_end_array(w);
    json_end_object(w);
}

static void json_mesh(json_writer *w, const boundary_outcome *o)
{
    const int intervals = o->solution ? keel_solution_steps(o->solution) : -1;
    json_begin_array(w, "mesh");
    for (int n = 0; n <= intervals; n++)
        json_number(w, NULL, keel_solution_time(o->solution, n));
    json_end_array(w);
}

static void json_ends(json_writer *w, const boundary_outcome *o)
{
    const int size = o->solution ? o->target->size : 0;
    const double *from = size ? series_row(&o->points, 0) + 1 : NULL;
    const double *to = size ? series_row(&o->points, o->points.rows - 1) + 1 : NULL;
    json_strings(w, "variables", o->target->names, o->target->size);
    json_numbers(w, "y_start", from, size);
    json_numbers(w, "y_end", to, size);
}

void boundary_json(const boundary_outcome *o, FILE *file, bool with_points)
{
    const target *t = o->target;
    const keel_boundary_stats *n = o->stats;
    const bool solved = o->solution != NULL;
    json_writer w = {.file = file};
    char word[32];

    json_begin_object(&w, NULL);
    json_string(&w, "target", t->bundled->name);
    json_string(&w, "collocation", points_words[o->options->points]);
    json_string(&w, "index2", index2_words[o->options->index2]);
    json_bool(&w, "projected", !o->options->no_projection);
    json_number(&w, "tol", asked(o));
    json_string(&w, "status", o->unwritten ? "cannot-write" : status_word(o->status, word));
    json_string(&w, "message", o->message);
    json_number(&w, "t_start", t->t_start);
    json_number(&w, "t_end", t->t_end);
    json_ends(&w, o);
    json_parameters(&w, o);
    json_stats(&w, n);
    json_pair(&w, "error_estimate", solved ? n->error_x * asked(o) : NAN,
              solved ? estimate_y(o) : NAN);
    json_pair(&w, "error", solved ? o->error_x : NAN, solved ? o->error_y : NAN);
    json_numbers(&w, "mesh_error", o->mesh_error, o->mesh_error ? t->size : 0);
    json_begin_object(&w, "residual");
    json_known(&w, "conditions", solved ? o->condition : NAN);
    json_known(&w, "constraints", solved ? n->residual : NAN);
    json_known(&w, "equations", solved ? n->equations * asked(o) : NAN);
    json_end_object(&w);
    json_conditioning(&w, o, with_points);
    boundary_json_multipliers(&w, o);
    json_mesh(&w, o);
    json_number(&w, "cpu_seconds", o->cpu_seconds);
    if (with_points) json_points(&w, &o->points);
    json_end_object(&w);
}
