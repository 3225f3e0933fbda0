/* plot.h -- a picture of a run: trajectories above, constraint residuals below. */
#ifndef KEEL_REPORT_PLOT_H
#define KEEL_REPORT_PLOT_H

#include "report/gnuplot.h"
#include "report/marks.h"
#include "report/series.h"

typedef struct plot {
    const char *title, *subtitle;
    const char *ordinate;              /* what the trajectories are                     */
    const char *const *names;          /* one per curve                                 */
    const series *trajectories;        /* t and one column per curve; where two rows have the */
                                       /* same t, curves jump; NAN: a gap               */
    const series *residuals;           /* t and one column per level or row; one that   */
                                       /* is negative is not measured                   */
    const char *const *level_names;    /* one per column                                */
    const series *unprojected;         /* the same without projection, or NULL          */
    bool log_time;                     /* the axis is log |t - t_start|                 */
    double t_start;
    plot_marks events;
    const char *residual;              /* what residuals are; NULL: of constraints      */
    const char *abscissa;              /* what t is, which may then turn; NULL: time    */
} plot;

/* Returns 0, or -1 with a sentence in message; a failed picture is not left behind. */
int plot_write(const plot *p, output *o, char *message, size_t size);

#endif
