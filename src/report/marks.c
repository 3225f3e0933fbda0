/* marks.c -- where something happens during a run: vertical marks in its pictures. */
#include "report/marks.h"

#include <math.h>

#include "report/gnuplot.h"

enum { NAMED_MOST = 12, LINES_MOST = 60, FIRST_LABEL = 1000 };

/* Shares of the width: names closer than a line of text, and ticks closer than a pixel, would cover
 * each other. */
static const double name_width = 0.018, tick_width = 0.001;

/* From 0 at the left border to 1 at the right one; NAN beside them. */
static double place(const time_axis *a, double t)
{
    const double x = a->logarithmic ? fabs(t - a->origin) : t;
    const double share = a->logarithmic ? log(x / a->low) / log(a->high / a->low)
                                        : (x - a->low) / (a->high - a->low);
    return share >= 0 && share <= 1 ? share : NAN;
}

static void write_name(FILE *script, const plot_marks *m, long i, double x)
{
    fprintf(script, "set label %ld ", FIRST_LABEL + i);
    gnuplot_quoted(script, m->names[i]);
    fprintf(script, " at first %.17g, graph 0.985 right rotate by 90 offset -0.55,0 noenhanced "
                    "font ',9' textcolor rgb '#777777' front\n", x);
}

void marks_write(FILE *script, const plot_marks *m, const time_axis *axis)
{
    const double top = m->count <= LINES_MOST ? 1 : 0.025;
    double named = -INFINITY, drawn = -INFINITY;

    for (long i = 0; i < m->count; i++) {
        const double at = place(axis, m->t[i]);
        const double x = axis->logarithmic ? fabs(m->t[i] - axis->origin) : m->t[i];
        if (!(fabs(at - drawn) >= tick_width)) continue;
        drawn = at;
        fprintf(script, "set arrow from first %.17g, graph 0 to first %.17g, graph %g nohead back "
                        "lw 1 lc rgb '#888888'%s\n", x, x, top, top < 1 ? "" : " dt '.'");
        if (m->count > NAMED_MOST || !(fabs(at - named) >= name_width)) continue;
        named = at;
        write_name(script, m, i, x);
    }
}

void marks_unname(FILE *script, const plot_marks *m)
{
    for (long i = 0; i < m->count && m->count <= NAMED_MOST; i++)
        fprintf(script, "unset label %ld\n", FIRST_LABEL + i);
}
