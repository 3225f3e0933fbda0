/* sketch.c -- a picture of things that move, as SVG: equal scales on both axes, no axes drawn. */
#include "report/sketch.h"

#include <math.h>
#include <stdbool.h>

enum { SIDE = 800, MARGIN = 40, TOP = 40 };      /* pixels: longer side, around, title */

typedef struct box {
    double left, right, low, high;
} box;

static bool is_drawable(const sketch_stroke *s)
{
    return isfinite(s->x1) && isfinite(s->y1) && isfinite(s->radius)
        && (s->radius > 0 || (isfinite(s->x2) && isfinite(s->y2)));
}

static void extend(box *b, double x, double y, double radius)
{
    b->left = fmin(b->left, x - radius), b->right = fmax(b->right, x + radius);
    b->low = fmin(b->low, y - radius), b->high = fmax(b->high, y + radius);
}

static box bounding_box(const sketch_stroke *strokes, long count)
{
    box b = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (long i = 0; i < count; i++) {
        const sketch_stroke *s = &strokes[i];
        if (!is_drawable(s)) continue;
        extend(&b, s->x1, s->y1, s->radius > 0 ? s->radius : 0);
        if (!(s->radius > 0)) extend(&b, s->x2, s->y2, 0);
    }
    if (b.left > b.right) b = (box){-1, 1, -1, 1};
    return b;
}

static void write_text(FILE *file, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        default: fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
        }
}

void sketch_write(FILE *file, const char *title, const sketch_stroke *strokes, long count)
{
    const box b = bounding_box(strokes, count);
    const double longer = fmax(fmax(b.right - b.left, b.high - b.low), 1e-300);
    const double scale = SIDE / longer, width = scale * (b.right - b.left) + 2 * MARGIN;
    const double height = scale * (b.high - b.low) + 2 * MARGIN + TOP;
    const int last = count > 0 ? strokes[count - 1].frame : 0;

    fprintf(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"%d\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"18\">",
            width, height, MARGIN, TOP);
    write_text(file, title);
    fputs("</text>\n<g fill=\"none\" stroke-width=\"3\" stroke-linecap=\"round\">\n", file);
    for (long i = 0; i < count; i++) {
        const sketch_stroke *s = &strokes[i];
        if (!is_drawable(s)) continue;
        const double x1 = MARGIN + scale * (s->x1 - b.left);
        const double y1 = MARGIN + TOP + scale * (b.high - s->y1);
        const double shade = last > 0 ? (double)s->frame / last : 1;
        if (s->radius > 0)
            fprintf(file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", x1, y1, scale * s->radius);
        else
            fprintf(file, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", x1, y1,
                    MARGIN + scale * (s->x2 - b.left), MARGIN + TOP + scale * (b.high - s->y2));
        fprintf(file, " stroke=\"#0072B2\" stroke-opacity=\"%.2f\"/>\n",
                0.12 + 0.88 * shade * shade);
    }
    fputs("</g>\n</svg>\n", file);
}
