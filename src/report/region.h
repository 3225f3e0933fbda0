/* region.h -- a picture of a rational function R(z): where it is small, and its order star. */
#ifndef KEEL_REPORT_REGION_H
#define KEEL_REPORT_REGION_H

#include "report/gnuplot.h"

enum { REGION_COLUMNS = 401, REGION_ROWS = 401 };        /* of the grid, edges included       */

typedef struct region {
    const char *title, *subtitle;
    double x_low, x_high, y_high;        /* the window: y from -y_high to y_high              */
    const double *log_size;              /* log |R| on the grid, rows from below, row-major   */
    int poles;
    const double *pole_re, *pole_im;
} region;

/* Two panels: |R| <= 1 shaded, and |R| > |e^z|.  Returns 0, or -1 with a sentence in message. */
int region_write(const region *r, output *o, char *message, size_t size);

#endif
