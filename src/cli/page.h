/* page.h -- a run as one HTML file: trajectories, residuals, steps, statistics, structure, text. */
#ifndef KEEL_CLI_PAGE_H
#define KEEL_CLI_PAGE_H

#include "cli/picture.h"

/* Most curves of a page: their samples are some megabytes. */
enum { PAGE_CURVES = 200 };

/* What a page has curves of: all that is shown and changes, as far as there is room. */
typedef struct page {
    int *curves;                 /* owned                                      */
    int count, left_out;
} page;

/* Returns EXIT_DONE, or another exit status after saying what is wrong. */
int page_choose(page *p, const target *t);
void page_free(page *p);
/* `first`: what is drawn when it is opened.  0, or -1 after saying on standard error what went wrong. */
int page_draw(const summary *s, const page *p, const picture *first, output *file);

#endif
