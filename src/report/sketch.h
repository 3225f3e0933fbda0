/* sketch.h -- a picture of things that move: their lines and circles at several times, one over the
 * other, the later the darker. */
#ifndef KEEL_REPORT_SKETCH_H
#define KEEL_REPORT_SKETCH_H

#include <stdio.h>

/* The line from (x1,y1) to (x2,y2), or with a radius > 0 the circle about (x1,y1). */
typedef struct sketch_stroke {
    int frame;                   /* 0, 1, ... in the order of time             */
    double x1, y1, x2, y2, radius;
} sketch_stroke;

/* An SVG document; strokes that are not finite are left out. */
void sketch_write(FILE *file, const char *title, const sketch_stroke *strokes, long count);

#endif
