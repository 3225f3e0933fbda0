/* page_parts.h -- what the pages are made of, as bytes: see cmake/page.cmake. */
#ifndef KEEL_REPORT_PAGE_PARTS_H
#define KEEL_REPORT_PAGE_PARTS_H

extern const unsigned char chart_style[], chart_script[], page_style[], page_body[], page_script[];
extern const unsigned long chart_style_size, chart_script_size, page_style_size, page_body_size,
                           page_script_size;

#endif
