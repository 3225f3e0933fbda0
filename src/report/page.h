/* page.h -- one HTML file that shows a run and needs nothing else, no network either.
 *
 * Its data are one JSON object, `run`, which is written between page_begin and page_end with a
 * json_writer whose `in_page` is set; src/report/page/page.js says what it reads of it.
 */
#ifndef KEEL_REPORT_PAGE_H
#define KEEL_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Was the command built with the chart library? */
bool page_available(void);
void page_begin(FILE *file, const char *title);
void page_end(FILE *file);

#endif
