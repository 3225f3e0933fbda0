/* boundary_diagnosis.c -- how a boundary value problem is conditioned, along its solution: modes,
 * responses, projector; and Floquet multipliers of periodic solutions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/boundary_outcome.h"
#include "report/plot.h"

/* ---- questions ------------------------------------------------------------------------------ */

/* A question that has no answer leaves the status alone: the solution is one. */
int boundary_ask(boundary_outcome *o, keel_boundary *boundary, bool multipliers)
{
    o->diagnosis = keel_boundary_diagnose(boundary);
    if (!multipliers) return KEEL_OK;
    const size_t size = (size_t)o->target->size + 1;
    o->re = calloc(2 * size, sizeof *o->re);
    if (!o->re) return KEEL_NO_MEMORY;
    o->im = o->re + size;
    return keel_boundary_multipliers(boundary, &o->multipliers, o->re, o->im);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_modes(const keel_boundary_diagnosis *d, FILE *file)
{
    if (d->modes == 0) return;
    fprintf(file, "  %-18s  %d growing, %d decaying, %d neither\n", "modes", d->growing, d->decaying,
            d->modes - d->growing - d->decaying);
    fprintf(file, "  %-18s  %.3g", "rates of growth", d->rate[0]);
    if (d->modes > 1) fprintf(file, " to %.3g", d->rate[d->modes - 1]);
    fputc('\n', file);
}

void boundary_print_modes(const boundary_outcome *o, FILE *file)
{
    if (o->diagnosis) print_modes(o->diagnosis, file);
    if (o->multipliers) fprintf(file, "\nFloquet multipliers\n");
    for (int i = 0; i < o->multipliers; i++) {
        fprintf(file, "  % .10g", o->re[i]);
        if (o->im[i] != 0) fprintf(file, " %c %.10g i", o->im[i] < 0 ? '-' : '+', fabs(o->im[i]));
        fputc('\n', file);
    }
}

/* ---- for programs ---------------------------------------------------------------------------- */

void boundary_json_modes(json_writer *w, const boundary_outcome *o)
{
    const keel_boundary_diagnosis *d = o->diagnosis;
    json_integer(w, "growing", d ? d->growing : -1);
    json_integer(w, "decaying", d ? d->decaying : -1);
    json_numbers(w, "rates", d ? d->rate : NULL, d ? d->modes : 0);
}

void boundary_json_profiles(json_writer *w, const boundary_outcome *o)
{
    const keel_boundary_diagnosis *d = o->diagnosis;
    const int intervals = d ? d->intervals : 0, points = d ? intervals + 1 : 0;
    json_begin_object(w, "profile");
    json_numbers(w, "t", d ? d->t : NULL, points);
    json_numbers(w, "boundary", d ? d->boundary : NULL, points);
    json_numbers(w, "green", d ? d->green : NULL, points);
    json_numbers(w, "projector", d ? d->projector : NULL, d && d->projector ? intervals : 0);
    json_numbers(w, "fastest", d ? d->fastest : NULL, intervals);
    json_numbers(w, "slowest", d ? d->slowest : NULL, intervals);
    json_end_object(w);
}

void boundary_json_multipliers(json_writer *w, const boundary_outcome *o)
{
    json_begin_array(w, "multipliers");
    for (int i = 0; i < o->multipliers; i++)
        json_numbers(w, NULL, (const double[]){o->re[i], o->im[i]}, 2);
    json_end_array(w);
}

/* ---- as a picture ---------------------------------------------------------------------------- */

/* Rates of interval i at both of its ends; responses and projector. */
static int fill_series(const keel_boundary_diagnosis *d, series *rates, series *sizes)
{
    rates->columns = d->modes > 1 ? 3 : 2;
    sizes->columns = 4;
    for (int i = 0; i < 2 * d->intervals; i++) {
        const int interval = i / 2, point = interval + i % 2;
        double *rate = series_append(rates), *size = rate ? series_append(sizes) : NULL;
        if (!size) return -1;
        rate[0] = size[0] = d->t[point];
        rate[1] = d->fastest[interval];
        if (d->modes > 1) rate[2] = d->slowest[interval];
        size[1] = d->boundary[point];
        size[2] = d->green[point];
        size[3] = d->projector ? d->projector[interval] : -1;
    }
    return 0;
}

int boundary_draw_conditioning(const boundary_outcome *o, output *file)
{
    static const char *const upper[] = {"largest", "smallest"};
    static const char *const lower[] = {"conditions", "equations", "projector"};
    const target *t = o->target;
    const keel_boundary_diagnosis *d = o->diagnosis;
    char title[200], subtitle[100], message[500] = "no memory, or no diagnosis";
    series rates = {0}, sizes = {0};
    int status = d ? fill_series(d, &rates, &sizes) : -1;
    snprintf(title, sizeof title, "%s: conditioning", t->bundled->name);
    if (d)
        snprintf(subtitle, sizeof subtitle, "%d mode%s: %d growing, %d decaying", d->modes,
                 d->modes == 1 ? "" : "s", d->growing, d->decaying);
    const plot p = {
        .title = title, .subtitle = subtitle, .names = upper, .ordinate = "rates of growth",
        .trajectories = &rates, .residuals = &sizes, .level_names = lower,
        .residual = "responses, projector", .t_start = t->t_start,
    };
    if (status == 0) status = plot_write(&p, file, message, sizeof message);
    series_free(&rates);
    series_free(&sizes);
    if (status != 0) fprintf(stderr, "keel bvp: no picture: %s\n", message);
    return status;
}
