/* chart.c -- charts of a study: panels side by side, of lines with markers on logarithmic axes. */
#include "report/chart.h"

#include <math.h>

enum { WIDTH = 1200, HEIGHT = 620, DECADES_LABELLED = 8, ABSCISSAE_LABELLED = 6 };

static const double left_margin = 0.07, right_margin = 0.835, gap = 0.07;
static const double slope_shift = 0.4;           /* of a slope below its line                  */

/* ---- what can be drawn --------------------------------------------------------------------- */

static bool drawable(const chart_panel *p, const chart_line *line, int i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]) && line->y[i] > 0
        && (!p->log_x || line->x[i] > 0);
}

typedef struct range {
    double low, high;
} range;

static void extend(range *r, double x)
{
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

/* All points of a panel; low > high without any. */
static void panel_ranges(const chart_panel *p, range *x, range *y)
{
    *x = *y = (range){INFINITY, -INFINITY};
    for (int k = 0; k < p->lines; k++)
        for (int i = 0; i < p->line[k].count; i++) {
            if (!drawable(p, &p->line[k], i)) continue;
            extend(x, p->line[k].x[i]);
            extend(y, p->line[k].y[i]);
        }
}

static bool any_point(const chart_panel *p, const chart_line *line)
{
    for (int i = 0; i < line->count; i++)
        if (drawable(p, line, i)) return true;
    return false;
}

/* The first and the last point of a line; false if they are not two. */
static bool line_ends(const chart_panel *p, const chart_line *line, int *first, int *last)
{
    *first = *last = -1;
    for (int i = 0; i < line->count; i++) {
        if (!drawable(p, line, i)) continue;
        if (*first < 0) *first = i;
        *last = i;
    }
    return *first >= 0 && line->x[*first] != line->x[*last];
}

static bool slope_exists(const chart_panel *p, int k)
{
    int first, last;
    return line_ends(p, &p->line[p->slope[k].line], &first, &last);
}

/* ---- script -------------------------------------------------------------------------------- */

static void write_line(FILE *script, const chart_panel *p, int panel, int k)
{
    const chart_line *line = &p->line[k];
    fprintf(script, "$line_%d_%d << EOD\n", panel, k);
    for (int i = 0; i < line->count; i++) {
        if (drawable(p, line, i)) fprintf(script, "%.9g %.9g\n", line->x[i], line->y[i]);
        else fputs("\n", script);
    }
    fputs("EOD\n", script);
}

/* Two points, with the power in words beside the lower one. */
static void write_slope(FILE *script, const chart_panel *p, int panel, int k)
{
    const chart_slope *slope = &p->slope[k];
    const chart_line *line = &p->line[slope->line];
    int first, last;

    if (!line_ends(p, line, &first, &last)) return;
    const double x0 = line->x[first], x1 = line->x[last];
    const double y1 = slope_shift * line->y[last], y0 = y1 * pow(x0 / x1, slope->power);
    fprintf(script, "$slope_%d_%d << EOD\n%.9g %.9g\n%.9g %.9g\nEOD\n", panel, k, x0, y0, x1, y1);
    fprintf(script, "set label %d 'h^{%d}' at first %.9g,%.9g left offset 0.6,-0.5 "
                    "textcolor rgb '#888888'\n", 100 + k, slope->power, x1, y1);
}

/* Whole decades, at least one, and labels at as many as there is room for. */
static void write_ordinate(FILE *script, const chart_panel *p, range y)
{
    const double low = floor(log10(y.low) - (p->slopes ? 0.75 : 0)), high = ceil(log10(y.high));
    const double top = high > low ? high : low + 1;
    fprintf(script, "set logscale y\nset yrange [1e%g:1e%g]\nset format y '10^{%%T}'\n"
                    "set ytics 1e%g\nset mytics 1\nset ylabel ",
            low, top, ceil((top - low) / DECADES_LABELLED));
    gnuplot_quoted(script, p->ordinate);
    fputs(" offset 1\n", script);
}

/* Abscissae of logarithmic axes are step sizes: they themselves are the labels. */
static void write_abscissa(FILE *script, const chart_panel *p, range x, int panels)
{
    fputs("set xlabel ", script);
    gnuplot_quoted(script, p->abscissa);
    if (!p->log_x) {
        const double pad = fmax(0.04 * (x.high - x.low), 0.1);
        fprintf(script, "\nunset logscale x\nset xrange [%.9g:%.9g]\nset xtics autofreq\n",
                x.low - pad, x.high + pad);
        return;
    }
    const double pad = fmax(1.1, pow(x.high / x.low, 0.06));
    const chart_line *line = &p->line[0];
    const int room = 2 * ABSCISSAE_LABELLED / (panels > 2 ? panels : 2);
    const int stride = (line->count + room - 1) / room;
    fprintf(script, "\nset logscale x\nset xrange [%.9g:%.9g]\nset xtics (", x.low / pad,
            x.high * pad);
    for (int i = 0; i < line->count; i += stride)
        fprintf(script, "%s'%.3g' %.9g", i ? ", " : "", line->x[i], line->x[i]);
    fputs(")\n", script);
}

static void write_curves(FILE *script, const chart_panel *p, int panel, bool explain)
{
    fputs("plot ", script);
    for (int k = 0; k < p->slopes; k++)
        if (slope_exists(p, k))
            fprintf(script, "$slope_%d_%d with lines lw 1.2 dt '-' lc rgb '#aaaaaa' notitle, "
                    "\\\n     ", panel, k);
    for (int k = 0; k < p->lines; k++) {
        if (k) fputs(", \\\n     ", script);
        if (any_point(p, &p->line[k])) fprintf(script, "$line_%d_%d", panel, k);
        else fputs("NaN", script);               /* only for its entry in the legend */
        fprintf(script, " with linespoints lw 2 pt %d ps 0.9 lc rgb '%s' ",
                k < GNUPLOT_COLOURS ? 7 : 5, gnuplot_colour(k));
        if (!explain) fputs("notitle", script);
        else {
            fputs("title ", script);
            gnuplot_quoted(script, p->line[k].title);
        }
    }
    fputc('\n', script);
}

static void write_panel(FILE *script, const chart *c, int panel)
{
    const chart_panel *p = &c->panel[panel];
    const double width = (right_margin - left_margin - gap * (c->panels - 1)) / c->panels;
    const double left = left_margin + panel * (width + gap);
    range x, y;

    panel_ranges(p, &x, &y);
    for (int k = 0; c->same_ordinate && k < c->panels; k++) {
        range others, values;
        panel_ranges(&c->panel[k], &others, &values);
        y = (range){fmin(y.low, values.low), fmax(y.high, values.high)};
    }
    if (x.low > x.high) x = y = (range){1, 10};  /* nothing to see, and it says so */
    for (int k = 0; k < p->lines; k++) write_line(script, p, panel, k);
    for (int k = 0; k < p->slopes; k++) write_slope(script, p, panel, k);
    fprintf(script, "set lmargin at screen %g\nset rmargin at screen %g\n"
                    "set tmargin at screen 0.81\nset bmargin at screen 0.115\n"
                    "set label 3 ", left, left + width);
    gnuplot_quoted(script, p->title);
    fprintf(script, " at screen %g,0.845 noenhanced\n", left);
    write_abscissa(script, p, x, c->panels);
    write_ordinate(script, p, y);
    write_curves(script, p, panel, panel == c->panels - 1);
    fputs("unset label\n", script);
}

static void write_script(FILE *script, bool svg, const void *picture)
{
    const chart *c = picture;
    const gnuplot_page page = {c->title, c->subtitle, WIDTH, HEIGHT, left_margin};

    gnuplot_begin(script, &page, svg);
    fputs("set key at screen 0.85,0.82 left top Left reverse samplen 2 spacing 1.25 noenhanced\n",
          script);
    for (int panel = 0; panel < c->panels; panel++) write_panel(script, c, panel);
    fputs("unset multiplot\n", script);
}

int chart_write(const chart *c, output *o, char *message, size_t size)
{
    return gnuplot_draw(write_script, c, o, message, size);
}
