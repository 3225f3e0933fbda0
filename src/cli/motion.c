/* motion.c -- the states of a run, drawn as their problem says. */
#include "cli/motion.h"

#include <stdlib.h>

#include "report/sketch.h"

enum { SHAPES_MOST = 20000 };    /* of a state */

/* The shapes of all frames, to be freed; NULL without memory. */
static sketch_stroke *collect(const target *t, const series *frames, long *count)
{
    keel_shape *shapes = malloc(SHAPES_MOST * sizeof *shapes);
    double *y = malloc(((size_t)keel_problem_size(t->original) + 1) * sizeof *y);
    sketch_stroke *strokes = malloc(sizeof *strokes);
    *count = 0;
    for (long k = 0; shapes && y && strokes && k < frames->rows; k++) {
        const double *row = series_row(frames, k);
        target_to_original(t, row + 1, y);
        int found = t->bundled->sketch(t->parameters, row[0], y, shapes, SHAPES_MOST);
        found = found < 0 ? 0 : found > SHAPES_MOST ? SHAPES_MOST : found;
        sketch_stroke *grown = realloc(strokes, (size_t)(*count + found + 1) * sizeof *grown);
        if (!grown) break;
        strokes = grown;
        for (int i = 0; i < found; i++)
            strokes[(*count)++] = (sketch_stroke){(int)k, shapes[i].x1, shapes[i].y1, shapes[i].x2,
                                                  shapes[i].y2, shapes[i].radius};
    }
    free(shapes);
    free(y);
    return strokes;
}

int draw_motion(const summary *s, output *file)
{
    char title[200], message[500] = "no memory";
    long count = 0;
    sketch_stroke *strokes = collect(s->target, &s->outcome->frames, &count);
    int status = -1;
    snprintf(title, sizeof title, "%s: %s", s->target->bundled->name, s->target->bundled->title);
    if (strokes) {
        sketch_write(file->file, title, strokes, count);
        status = output_finish(file, false, message, sizeof message);
    }
    free(strokes);
    if (status != 0) fprintf(stderr, "keel run: no picture: %s\n", message);
    return status;
}
