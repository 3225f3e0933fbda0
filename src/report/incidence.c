/* incidence.c -- a picture of a square matrix: see incidence.h. */
#include "report/incidence.h"

#include <stdlib.h>

static int push(int **list, int *count, int *room, int value)
{
    if (*count == *room) {
        const int more = *room ? 2 * *room : 256;
        int *moved = realloc(*list, (size_t)more * sizeof *moved);
        if (!moved) return -1;
        *list = moved;
        *room = more;
    }
    (*list)[(*count)++] = value;
    return 0;
}

int incidence_entry(incidence *p, int row, int column)
{
    int columns = p->entries, room = p->entry_room;
    if (push(&p->row, &p->entries, &p->entry_room, row)) return -1;
    return push(&p->column, &columns, &room, column);
}

int incidence_block(incidence *p, int first) { return push(&p->block, &p->blocks, &p->block_room, first); }

void incidence_free(incidence *p)
{
    free(p->row);
    free(p->column);
    free(p->block);
}

/* Blocks of one row are not outlined: they are points on the diagonal. */
static void write_blocks(FILE *script, const incidence *p)
{
    for (int b = 0, object = 1; b < p->blocks && object < 2000; b++) {
        const int from = p->block[b], to = b + 1 < p->blocks ? p->block[b + 1] : p->size;
        if (to - from < 2) continue;
        fprintf(script, "set object %d rectangle from %g,%g to %g,%g fillcolor rgb '%s' fillstyle transparent "
                "solid 0.15 border rgb '%s'\n", object++, from + 0.5, from + 0.5, to + 0.5, to + 0.5,
                gnuplot_colour(1), gnuplot_colour(1));
    }
}

/* Names of columns as far as they can be read. */
static void write_names(FILE *script, const incidence *p)
{
    enum { MOST = 30 };
    if (!p->names || p->size > MOST) return;
    fprintf(script, "set xtics rotate by 45 right (");
    for (int k = 0; k < p->size; k++) {
        if (k) fprintf(script, ", ");
        gnuplot_quoted(script, p->names[k] ? p->names[k] : "");
        fprintf(script, " %d", k + 1);
    }
    fprintf(script, ")\n");
}

static void write_script(FILE *script, bool svg, const void *picture)
{
    const incidence *p = picture;
    char subtitle[120];
    snprintf(subtitle, sizeof subtitle, "%d equations and unknowns, %d entries, %d block%s", p->size,
             p->entries, p->blocks, p->blocks == 1 ? "" : "s");
    gnuplot_begin(script, &(gnuplot_page){p->title, subtitle, 720, 760, 0.09}, svg);
    fprintf(script, "set size ratio -1\nset xrange [0.5:%g]\nset yrange [%g:0.5]\nset xlabel 'unknown'\n"
            "set ylabel 'equation'\nunset key\nunset grid\nset tmargin at screen 0.88\nset xtics %d\nset ytics %d\n",
            p->size + 0.5, p->size + 0.5, p->size / 12 + 1, p->size / 12 + 1);
    write_names(script, p);
    write_blocks(script, p);
    fprintf(script, "$entries << EOD\n");
    for (int k = 0; k < p->entries; k++) fprintf(script, "%d %d\n", p->column[k] + 1, p->row[k] + 1);
    fprintf(script, "EOD\nplot $entries using 1:2 with points pointtype 5 pointsize %g linecolor rgb '%s'\n",
            p->size > 200 ? 0.15 : p->size > 40 ? 0.5 : 1.2, gnuplot_colour(0));
}

int incidence_write(const incidence *p, output *o, char *message, size_t size)
{
    return gnuplot_draw(write_script, p, o, message, size);
}
