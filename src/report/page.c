/* page.c -- one HTML file that shows a run: see page.h. */
#include "report/page.h"

#ifdef KEEL_WITH_PAGES

#include "report/page_parts.h"

bool page_available(void) { return true; }

static void put(FILE *file, const unsigned char *bytes, unsigned long size)
{
    fwrite(bytes, 1, size, file);
}

static void put_text(FILE *file, const char *text)
{
    for (; *text; text++)
        if (*text == '<') fputs("&lt;", file);
        else if (*text == '&') fputs("&amp;", file);
        else fputc(*text, file);
}

void page_begin(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>", file);
    put_text(file, title);
    fputs("</title>\n<style>", file);
    put(file, chart_style, chart_style_size);
    put(file, page_style, page_style_size);
    fputs("</style></head>\n", file);
    put(file, page_body, page_body_size);
    fputs("<script>", file);
    put(file, chart_script, chart_script_size);
    fputs("</script>\n<script>const run = ", file);
}

void page_end(FILE *file)
{
    fputs(";</script>\n<script>", file);
    put(file, page_script, page_script_size);
    fputs("</script>\n</body></html>\n", file);
}

#else

bool page_available(void) { return false; }

void page_begin(FILE *file, const char *title) { (void)file, (void)title; }

void page_end(FILE *file) { (void)file; }

#endif
