/* marks.h -- where something happens during a run: vertical marks in its pictures. */
#ifndef KEEL_REPORT_MARKS_H
#define KEEL_REPORT_MARKS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plot_marks {
    long count;                  /* 0: none                                            */
    const double *t;             /* in the order of the run                            */
    const char *const *names;    /* what happens, one each                             */
} plot_marks;

/* The abscissa of a time: of logarithmic axes |t - origin|. */
typedef struct time_axis {
    double low, high, origin;    /* low < high: what is shown                          */
    bool logarithmic;
} time_axis;

/* Sets the marks of the panels that follow: few are lines with names, more are lines, many are
 * ticks at the lower border, of which one is drawn where several would cover each other. */
void marks_write(FILE *script, const plot_marks *m, const time_axis *axis);
/* The panels that follow have no names. */
void marks_unname(FILE *script, const plot_marks *m);

#endif
