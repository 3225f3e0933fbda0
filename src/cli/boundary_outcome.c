/* boundary_outcome.c -- the solution of a boundary value problem, as points and as a picture.
 *
 * Errors are max |y - exact|/(1 + |exact|) over eleven points of each interval, for differential
 * (x) and algebraic (y) unknowns, and so are the estimates: what both tolerances, if equal, bound.
 * Those at mesh points are |y - exact| of each unknown.
 */
#include "cli/boundary_outcome.h"

#include <math.h>
#include <stdlib.h>

#include "report/plot.h"

enum { PICTURE_CURVES = 10 };

const char *const index2_words[3] = {"hidden", "projected", "plain"};
const char *const points_words[3] = {"gauss", "radau-iia", "given"};

int boundary_differential(const boundary_outcome *o)
{
    return o->target->size - keel_problem_constraints(o->target->problem);
}

const char *boundary_points(const boundary_outcome *o)
{
    static const char *const title[] = {"Gauss", "Radau IIA", "given"};
    return title[o->options->points];
}

/* The exact solution is that of the interval of the problem. */
static bool has_exact(const target *t)
{
    return t->bundled->exact && t->t_start == t->bundled->t_start && t->t_end == t->bundled->t_end;
}

/* ---- sampling ------------------------------------------------------------------------------ */

/* NAN stays: an error that is not known is not small. */
static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

/* Of the last point, if that is a mesh point. */
static void at_mesh_point(boundary_outcome *o, const double *y, const double *exact)
{
    if ((o->points.rows - 1) % (BOUNDARY_SAMPLES - 1)) return;
    for (int i = 0; i < o->target->size; i++)
        o->mesh_error[i] = larger(o->mesh_error[i], fabs(y[i] - exact[i]));
}

/* Appends the errors of the last point, in an interval of width h; exact: scratch. */
static int append_errors(boundary_outcome *o, double h, double *exact)
{
    const target *t = o->target;
    const double *point = series_row(&o->points, o->points.rows - 1);
    double *row = series_append(&o->errors), error[2] = {NAN, NAN};
    const int group[3] = {0, boundary_differential(o), t->size};
    if (!row) return KEEL_NO_MEMORY;
    const bool known = has_exact(t);
    if (known) {
        t->bundled->exact(t->parameters, point[0], exact);
        at_mesh_point(o, point + 1, exact);
    }
    for (int k = 0; k < 2 && known; k++) {
        if (group[k] < group[k + 1]) error[k] = 0;
        for (int i = group[k]; i < group[k + 1]; i++)
            error[k] = larger(error[k], fabs(point[i + 1] - exact[i]) / (1 + fabs(exact[i])));
    }
    row[0] = point[0];
    row[1] = error[0];
    row[2] = error[1];
    row[3] = fabs(h);
    o->error_x = larger(o->error_x, error[0]);
    o->error_y = larger(o->error_y, error[1]);
    return KEEL_OK;
}

/* All points of an interval, or all but its last, which the next one has as well. */
static int sample_interval(boundary_outcome *o, int interval, bool last, double *exact)
{
    const double from = keel_solution_time(o->solution, interval);
    const double to = keel_solution_time(o->solution, interval + 1);
    for (int k = 0; k < BOUNDARY_SAMPLES - !last; k++) {
        double *row = series_append(&o->points);
        if (!row) return KEEL_NO_MEMORY;
        row[0] = k == BOUNDARY_SAMPLES - 1 ? to : from + (to - from) * k / (BOUNDARY_SAMPLES - 1);
        int status = keel_solution_at(o->solution, row[0], row + 1);
        if (status == KEEL_OK) status = append_errors(o, to - from, exact);
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

/* Of conditions at the ends. */
static int measure_conditions(boundary_outcome *o)
{
    const keel_boundary_spec *spec = o->spec;
    const double *from = series_row(&o->points, 0) + 1;
    const double *to = series_row(&o->points, o->points.rows - 1) + 1;
    double *b = calloc((size_t)spec->conditions + 1, sizeof *b);
    if (!b) return KEEL_NO_MEMORY;
    const int code = spec->condition(from, to, o->p, b, spec->context);
    o->condition = code == 0 ? 0 : NAN;
    for (int i = 0; i < spec->conditions; i++) o->condition = larger(o->condition, fabs(b[i]));
    free(b);
    return KEEL_OK;
}

int boundary_sample(boundary_outcome *o)
{
    const int intervals = keel_solution_steps(o->solution);
    double *exact = malloc(((size_t)o->target->size + 1) * sizeof *exact);
    if (o->target->bundled->exact)
        o->mesh_error = calloc((size_t)o->target->size + 1, sizeof *o->mesh_error);
    int status = exact && (o->mesh_error || !o->target->bundled->exact) ? KEEL_OK : KEEL_NO_MEMORY;
    o->points.columns = o->target->size + 1;
    o->errors.columns = 4;
    for (int n = 0; n < intervals && status == KEEL_OK; n++)
        status = sample_interval(o, n, n == intervals - 1, exact);
    free(exact);
    return status == KEEL_OK ? measure_conditions(o) : status;
}

void boundary_outcome_free(boundary_outcome *o)
{
    series_free(&o->points);
    series_free(&o->errors);
    free(o->mesh_error);
    free(o->re);
}

/* ---- as a picture -------------------------------------------------------------------------- */

/* t and the first unknowns, differential ones, of all points: algebraic ones may be derivatives,
 * too large beside them. */
static int select_curves(const boundary_outcome *o, series *curves, int count)
{
    curves->columns = count + 1;
    for (long n = 0; n < o->points.rows; n++) {
        const double *point = series_row(&o->points, n);
        double *row = series_append(curves);
        if (!row) return KEEL_NO_MEMORY;
        for (int i = 0; i <= count; i++) row[i] = point[i];
    }
    return KEEL_OK;
}

int boundary_draw(const boundary_outcome *o, output *file)
{
    static const char *const lower[] = {"error of x", "error of y", "mesh width"};
    const target *t = o->target;
    const int all = boundary_differential(o);
    const int count = all < PICTURE_CURVES ? all : PICTURE_CURVES;
    const bool exact = has_exact(t);
    char title[200], subtitle[100], message[500] = "no memory";
    series curves = {0};
    int status = select_curves(o, &curves, count) == KEEL_OK ? 0 : -1;

    snprintf(title, sizeof title, "%s: %s", t->bundled->name, t->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%d intervals, %d %s points", o->stats->mesh,
             o->stats->stages, boundary_points(o));
    const plot p = {
        .title = title, .subtitle = subtitle, .names = t->names,
        .ordinate = all < t->size ? "differential unknowns" : "unknowns",
        .trajectories = &curves, .residuals = &o->errors, .level_names = lower,
        .residual = exact ? "errors, mesh width" : "mesh width", .t_start = t->t_start,
    };
    if (status == 0) status = plot_write(&p, file, message, sizeof message);
    series_free(&curves);
    if (status != 0) fprintf(stderr, "keel bvp: no picture: %s\n", message);
    return status;
}
