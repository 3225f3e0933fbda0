/* chart.h -- charts of a study: panels side by side, of lines with markers on logarithmic axes. */
#ifndef KEEL_REPORT_CHART_H
#define KEEL_REPORT_CHART_H

#include "report/gnuplot.h"

/* Points that are not finite, or not positive on a logarithmic axis, leave gaps. */
typedef struct chart_line {
    const char *title;
    int count;
    const double *x, *y;
} chart_line;

/* y = C x^power from the first to the last point of `line`, a little below it. */
typedef struct chart_slope {
    int line;
    int power;
} chart_slope;

typedef struct chart_panel {
    const char *title, *abscissa, *ordinate;
    bool log_x;                  /* the y axis always is                                 */
    int lines, slopes;
    const chart_line *line;
    const chart_slope *slope;
} chart_panel;

/* Lines of the same place in each panel have the same colour; the last panel explains them. */
typedef struct chart {
    const char *title, *subtitle;
    bool same_ordinate;          /* all panels show the same range of y                  */
    int panels;
    const chart_panel *panel;
} chart;

/* Returns 0, or -1 with a sentence in message; a failed picture is not left behind. */
int chart_write(const chart *c, output *o, char *message, size_t size);

#endif
