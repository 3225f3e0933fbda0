/* plot.c -- a picture of a run: trajectories above, constraint residuals below. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>

#include "report/gnuplot.h"

static const double residual_floor = 1e-17;      /* what zero is drawn as */
enum { RESIDUAL_POINTS = 500 };                  /* per line; more are merged to their maximum */

/* ---- script -------------------------------------------------------------------------------- */

static double abscissa(const plot *p, double t)
{
    return p->log_time ? fabs(t - p->t_start) : t;
}

static bool can_be_drawn(const plot *p, double t)
{
    return !p->log_time || t != p->t_start;
}

/* An empty line ends a line of the picture: nothing connects both sides of a jump. */
static void write_trajectories(FILE *script, const plot *p)
{
    const series *s = p->trajectories;
    fputs("$trajectories << EOD\n", script);
    for (long i = 0; i < s->rows; i++) {
        const double *row = series_row(s, i);
        if (i > 0 && row[0] == series_row(s, i - 1)[0]) fputc('\n', script);
        fprintf(script, "%.9g ", abscissa(p, row[0]));
        for (int k = 1; k < s->columns; k++) fprintf(script, "%.9g ", row[k]);
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

/* Long runs are thinned: each point is the maximum over as many steps as it takes.  What was not
 * measured, or does not exist for a time, is a gap. */
static void write_residuals(FILE *script, const plot *p, const char *name, const series *s)
{
    const long stride = (s->rows + RESIDUAL_POINTS - 1) / RESIDUAL_POINTS;

    fprintf(script, "$%s << EOD\n", name);
    for (long first = 0; first < s->rows; first += stride) {
        if (!can_be_drawn(p, series_row(s, first)[0])) continue;
        fprintf(script, "%.9g", abscissa(p, series_row(s, first)[0]));
        for (int k = 1; k < s->columns; k++) {
            double largest = -1;
            for (long i = first; i < first + stride && i < s->rows; i++)
                if (series_row(s, i)[k] > largest) largest = series_row(s, i)[k];
            fprintf(script, " %.3e", largest < 0 ? NAN : fmax(largest, residual_floor));
        }
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

/* A level that is measured here and there only, as negative values say, is no curve; one that
 * exists for a part of the time is. */
static bool level_exists(const series *s, int level)
{
    long measured = 0;
    for (long i = 0; s && i < s->rows; i++)
        measured += series_row(s, i)[level + 1] >= 0
                 && (i == 0 || series_row(s, i - 1)[level + 1] >= 0);
    return s && 8 * measured > s->rows;
}

static bool any_level(const series *s)
{
    for (int k = 0; s && k < s->columns - 1; k++)
        if (level_exists(s, k)) return true;
    return false;
}

static void extend_decades(const series *s, double *low, double *high)
{
    for (int k = 0; s && k < s->columns - 1; k++) {
        const long rows = level_exists(s, k) ? s->rows : 0;
        for (long i = 0; i < rows; i++) {
            const double value = series_row(s, i)[k + 1];
            if (value < 0 || !isfinite(value)) continue;
            const double decade = log10(fmax(value, residual_floor));
            *low = fmin(*low, floor(decade));
            *high = fmax(*high, ceil(decade));
        }
    }
}

/* From where to where, without a turn the first and the last. */
static void find_range(const plot *p, double *low, double *high)
{
    const series *s = p->trajectories;
    const double first = abscissa(p, series_row(s, 0)[0]);
    const double last = abscissa(p, series_row(s, s->rows - 1)[0]);
    *low = fmin(first, last);
    *high = fmax(first, last);
    for (long i = 0; p->abscissa && i < s->rows; i++) {
        *low = fmin(*low, series_row(s, i)[0]);
        *high = fmax(*high, series_row(s, i)[0]);
    }
    const double pad = *low == *high ? fmax(fabs(*low), 1) * 1e-3
                     : p->abscissa ? 0.02 * (*high - *low) : 0;
    *low -= pad;
    *high += pad;
}

static void write_page(FILE *script, const plot *p, bool svg)
{
    const gnuplot_page page = {p->title, p->subtitle, 1200, 900, 0.095};
    gnuplot_begin(script, &page, svg);
    fputs("set lmargin at screen 0.095\nset rmargin at screen 0.845\n", script);

    double low, high;
    find_range(p, &low, &high);
    fprintf(script, "set xrange [%.17g:%.17g]\n", low, high);
    if (p->log_time) fprintf(script, "set logscale x\n");
    const time_axis axis = {low, high, p->t_start, p->log_time};
    marks_write(script, &p->events, &axis);
}

/* Logarithmic axes show time since the start, which is t itself where that is 0. */
static void write_abscissa(FILE *script, const plot *p)
{
    const series *s = p->trajectories;
    const bool forward = series_row(s, s->rows - 1)[0] >= p->t_start;
    if (!p->log_time) {
        fputs("set xlabel ", script);
        gnuplot_quoted(script, p->abscissa ? p->abscissa : "t");
        fputs(" noenhanced\nset format x '%g'\n", script);
    }
    else if (p->t_start == 0) fprintf(script, "set xlabel '%s'\n", forward ? "t" : "-t");
    else fprintf(script, forward ? "set xlabel 't - %g'\n" : "set xlabel '%g - t'\n", p->t_start);
    if (p->log_time) fputs("set format x '10^{%T}'\n", script);
}

/* gnuplot draws no file without a number, but has an entry in the legend for NaN. */
static bool any_value(const series *s, int column)
{
    for (long i = 0; i < s->rows; i++)
        if (isfinite(series_row(s, i)[column])) return true;
    return false;
}

static void write_upper_panel(FILE *script, const plot *p, bool alone)
{
    fprintf(script,
            "set tmargin at screen 0.895\nset bmargin at screen %g\n"
            "set key at screen 0.86,0.9 left top Left reverse samplen 2 spacing 1.25 noenhanced\n"
            "set autoscale yfix\nset offsets 0, 0, graph 0.05, graph 0.05\n", alone ? 0.085 : 0.43);
    if (alone) write_abscissa(script, p);
    else fputs("set format x ''\n", script);
    fputs("set ylabel ", script);
    gnuplot_quoted(script, p->ordinate);
    fputs(" noenhanced offset 0\nplot ", script);
    for (int k = 0; k < p->trajectories->columns - 1; k++) {
        fputs(k ? ", \\\n     " : "", script);
        if (any_value(p->trajectories, k + 1)) fprintf(script, "$trajectories using 1:%d", k + 2);
        else fputs("NaN", script);
        fprintf(script, " with lines lw 2 dt %s lc rgb '%s' title ",
                k < GNUPLOT_COLOURS ? "1" : "'-'", gnuplot_colour(k));
        gnuplot_quoted(script, p->names[k]);
    }
    fputc('\n', script);
}

/* The lines of one run; those to compare with have no titles, are thin and share one entry of the
 * legend. */
static void write_levels(FILE *script, const char *name, const series *s,
                         const char *const *titles)
{
    const char *separator = "";
    for (int k = 0; s && k < s->columns - 1; k++) {
        if (!level_exists(s, k)) continue;
        fprintf(script, "%s$%s using 1:%d with lines lw %s lc rgb '%s' ", separator, name, k + 2,
                titles ? "2" : "1", gnuplot_colour(k));
        fputs(titles ? "title " : "notitle", script);
        if (titles) gnuplot_quoted(script, titles[k]);
        separator = ", \\\n     ";
    }
}

static void write_lower_panel(FILE *script, const plot *p)
{
    double low = 0, high = -17;
    extend_decades(p->residuals, &low, &high);
    extend_decades(p->unprojected, &low, &high);
    high = fmax(high, -8);                       /* so that rounding errors look like it */

    write_abscissa(script, p);
    marks_unname(script, &p->events);
    fprintf(script,
            "unset label 1\nunset label 2\nset offsets\n"
            "set tmargin at screen 0.39\nset bmargin at screen 0.085\n"
            "set key at screen 0.86,0.395 left top\n"
            "set logscale y\nset yrange [%g:%g]\nset format y '10^{%%T}'\n"
            "set ytics 1e%g\nset mytics 1\n"
            "set ylabel '%s' offset -1\nplot ",
            pow(10, low - 0.3), pow(10, high), ceil((high - low) / 7),
            p->residual ? p->residual : "constraint residual");
    write_levels(script, "residuals", p->residuals, p->level_names);
    if (any_level(p->residuals) && any_level(p->unprojected)) fputs(", \\\n     ", script);
    write_levels(script, "unprojected", p->unprojected, NULL);
    if (any_level(p->unprojected))
        fputs(", \\\n     NaN with lines lw 1 lc rgb '#777777' title 'not projected'", script);
    fputc('\n', script);
}

static void write_script(FILE *script, bool svg, const void *picture)
{
    const plot *p = picture;
    const bool residuals = any_level(p->residuals) || any_level(p->unprojected);

    write_trajectories(script, p);
    if (p->residuals) write_residuals(script, p, "residuals", p->residuals);
    if (p->unprojected) write_residuals(script, p, "unprojected", p->unprojected);
    write_page(script, p, svg);
    write_upper_panel(script, p, !residuals);
    if (residuals) write_lower_panel(script, p);
    fputs("unset multiplot\n", script);
}

int plot_write(const plot *p, output *o, char *message, size_t size)
{
    if (p->trajectories->rows > 0) return gnuplot_draw(write_script, p, o, message, size);
    output_abandon(o);
    snprintf(message, size, "there is nothing to draw");
    return -1;
}
