/* gnuplot.h -- what all pictures share: colours, quoting, and the program that draws them. */
#ifndef KEEL_REPORT_GNUPLOT_H
#define KEEL_REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/output.h"

enum { GNUPLOT_COLOURS = 7 };

/* The k-th colour, "#0072B2", again from the first after the last. */
const char *gnuplot_colour(int k);

/* 'text' for gnuplot: within single quotes only the quote itself is special. */
void gnuplot_quoted(FILE *script, const char *text);

/* Terminal, borders, grid, and title over subtitle in the left upper corner, of a page of
 * width x height pixels. */
typedef struct gnuplot_page {
    const char *title, *subtitle;
    int width, height;
    double left;                 /* of title and subtitle, as a fraction of the width */
} gnuplot_page;
void gnuplot_begin(FILE *script, const gnuplot_page *page, bool svg);

/* Whether the name ends in .svg or .png. */
bool plot_format_known(const char *file);

/* Writes a script that draws `picture`, for the one terminal or the other. */
typedef void gnuplot_script(FILE *script, bool svg, const void *picture);
/* Completes the output.  Returns 0, or -1 with a sentence in message; a picture that failed is not
 * left behind. */
int gnuplot_draw(gnuplot_script *write, const void *picture, output *o, char *message, size_t size);

#endif
