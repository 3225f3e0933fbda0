/* region.c -- stability region and order star side by side.
 *
 * Each row of the grid is filled from crossing to crossing, found by linear interpolation of
 * log |R|; gnuplot's contours of the same grid draw the edge.
 */
#include "report/region.h"

#include <math.h>

enum { WIDTH = 1200, HEIGHT = 680 };

/* What a panel shows: where log |R| - tilt Re z is negative, or positive. */
typedef struct view {
    const char *title;
    double tilt;
    double sign;
    int colour;
    const char *fill;
    double left;
} view;

static const view views[] = {
    {"stability region: |R(z)| ≤ 1 shaded", 0, -1, 0, "#cfe3f1", 0.06},
    {"order star: |R(z)| > |e^z| shaded", 1, 1, 1, "#f8dcc8", 0.56},
};
enum { VIEWS = sizeof views / sizeof views[0] };

static const double panel_width = 0.415, panel_low = 0.085, panel_top = 0.815;

static double column_x(const region *r, double column)
{
    return r->x_low + (r->x_high - r->x_low) * column / (REGION_COLUMNS - 1);
}

static double row_y(const region *r, double row)
{
    return r->y_high * (2 * row / (REGION_ROWS - 1) - 1);
}

static double value(const region *r, const view *v, int row, int column)
{
    return r->log_size[row * REGION_COLUMNS + column] - v->tilt * column_x(r, column);
}

/* ---- data ---------------------------------------------------------------------------------- */

/* x, y, x from, x to, y from, y to: a bar twice as high as a row, so that no seams are left. */
static void write_bar(FILE *script, const region *r, int row, double from, double to)
{
    const double low = fmax(row - 1.0, 0), high = fmin(row + 1.0, REGION_ROWS - 1);
    fprintf(script, "%.6g %.6g %.6g %.6g %.6g %.6g\n", column_x(r, from), row_y(r, row),
            column_x(r, from), column_x(r, to), row_y(r, low), row_y(r, high));
}

static void write_row(FILE *script, const region *r, const view *v, int row)
{
    double before = v->sign * value(r, v, row, 0), from = 0;
    for (int k = 1; k < REGION_COLUMNS; k++) {
        const double here = v->sign * value(r, v, row, k);
        if ((before > 0) != (here > 0)) {
            double part = before / (before - here);
            if (!(part >= 0 && part <= 1)) part = 0.5;   /* next to a pole */
            if (before > 0) write_bar(script, r, row, from, k - 1 + part);
            else from = k - 1 + part;
        }
        before = here;
    }
    if (before > 0) write_bar(script, r, row, from, REGION_COLUMNS - 1);
}

/* The shaded bars, and every other point of the grid for the edge. */
static void write_view_data(FILE *script, const region *r, const view *v, int panel)
{
    fprintf(script, "$bars_%d << EOD\n", panel);
    for (int row = 0; row < REGION_ROWS; row++) write_row(script, r, v, row);
    fprintf(script, "nan nan nan nan nan nan\nEOD\n$grid_%d << EOD\n", panel);
    for (int row = 0; row < REGION_ROWS; row += 2) {
        for (int k = 0; k < REGION_COLUMNS; k += 2)
            fprintf(script, "%.6g %.6g %.6g\n", column_x(r, k), row_y(r, row),
                    fmax(fmin(value(r, v, row, k), 50), -50));
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

/* Where there is no edge in the window, as for R = e^z, the table would be empty. */
static void write_edges(FILE *script, int panel)
{
    fprintf(script,
            "set contour base\nset cntrparam levels discrete 0\nunset surface\n"
            "set table $edge_%d\nsplot $grid_%d using 1:2:3 with lines notitle\n"
            "unset table\nunset contour\nset surface\n", panel, panel);
}

static void write_poles(FILE *script, const region *r)
{
    fputs("$poles << EOD\n", script);
    for (int i = 0; i < r->poles; i++)
        fprintf(script, "%.9g %.9g\n", r->pole_re[i], r->pole_im[i]);
    fputs("nan nan\nEOD\n", script);
}

/* ---- panels -------------------------------------------------------------------------------- */

static void write_panel(FILE *script, const region *r, int panel)
{
    const view *v = &views[panel];

    fprintf(script, "set lmargin at screen %g\nset rmargin at screen %g\n"
                    "set tmargin at screen %g\nset bmargin at screen %g\n"
                    "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n"
                    "set xlabel 'Re z'\nset ylabel 'Im z' offset 1.5\nset label 3 ",
            v->left, v->left + panel_width, panel_top, panel_low,
            r->x_low, r->x_high, -r->y_high, r->y_high);
    gnuplot_quoted(script, v->title);
    fprintf(script, " at screen %g,0.85 noenhanced\n"
                    "set arrow 1 from 0,graph 0 to 0,graph 1 nohead front lw 1 lc rgb '#888888'\n"
                    "set arrow 2 from graph 0,first 0 to graph 1,first 0 nohead front lw 1 "
                    "lc rgb '#888888'\n", v->left);
    fprintf(script, "plot $bars_%d using 1:2:3:4:5:6 with boxxyerror fs solid noborder "
                    "fc rgb '%s' notitle, \\\n"
                    "     $edge_%d using 1:2 with lines lw 1.6 lc rgb '%s' notitle, \\\n"
                    "     $poles using 1:2 with points pt 2 ps 1.3 lw 2 lc rgb '#222222' ",
            panel, v->fill, panel, gnuplot_colour(v->colour));
    fputs(panel == 0 && r->poles ? "title 'poles of R'\nunset label 3\n"
                                 : "notitle\nunset label 3\n", script);
}

static void write_script(FILE *script, bool svg, const void *picture)
{
    const region *r = picture;
    const gnuplot_page page = {r->title, r->subtitle, WIDTH, HEIGHT, views[0].left};

    for (int k = 0; k < VIEWS; k++) write_view_data(script, r, &views[k], k);
    write_poles(script, r);
    for (int k = 0; k < VIEWS; k++) write_edges(script, k);
    gnuplot_begin(script, &page, svg);
    fputs("unset grid\nset key at graph 0.99,0.99 right top opaque samplen 1\n", script);
    for (int k = 0; k < VIEWS; k++) {
        write_panel(script, r, k);
        fputs("unset label\n", script);
    }
    fputs("unset multiplot\n", script);
}

int region_write(const region *r, output *o, char *message, size_t size)
{
    return gnuplot_draw(write_script, r, o, message, size);
}
