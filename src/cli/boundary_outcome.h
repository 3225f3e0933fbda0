/* boundary_outcome.h -- the solution of a boundary value problem: its errors, for people and for
 * programs, as points and as a picture. */
#ifndef KEEL_CLI_BOUNDARY_OUTCOME_H
#define KEEL_CLI_BOUNDARY_OUTCOME_H

#include <stdio.h>

#include "cli/target.h"
#include "report/json.h"
#include "report/output.h"
#include "report/series.h"

enum { BOUNDARY_SAMPLES = 11 };  /* points of an interval, with both ends */

typedef struct boundary_outcome {
    const target *target;
    const keel_boundary_spec *spec;
    const keel_boundary_options *options;
    const keel_boundary_stats *stats;
    keel_solution *solution;     /* NULL: there is none                        */
    const double *p;             /* unknown parameters                         */
    const char *message;
    int status;
    bool unwritten;              /* the points could not be written            */
    series points;               /* t and y: those of all intervals            */
    series errors;               /* t, error of x and of y, width of the mesh  */
    double error_x, error_y;     /* largest |error|/(1 + |exact|); NAN: unknown */
    double *mesh_error;          /* [size] largest |error| at mesh points; NULL: unknown */
    double condition;            /* largest residual of the conditions         */
    double cpu_seconds;
    const keel_boundary_diagnosis *diagnosis;    /* NULL: there is none        */
    int multipliers;             /* 0: none were asked for                     */
    double *re, *im;             /* of them; re is owned                       */
} boundary_outcome;

/* How many unknowns, the first, are differential (x). */
int boundary_differential(const boundary_outcome *o);
/* "Gauss", "Radau IIA", "given". */
const char *boundary_points(const boundary_outcome *o);
/* Evaluates the solution; KEEL_OK, or what went wrong. */
int boundary_sample(boundary_outcome *o);
void boundary_outcome_free(boundary_outcome *o);

void boundary_print(const boundary_outcome *o, FILE *file);
/* One JSON object; with_points adds "points": {"t": [...], "y": [[...], ...]}. */
void boundary_json(const boundary_outcome *o, FILE *file, bool with_points);
/* 0, or -1 after saying on standard error what went wrong. */
int boundary_draw(const boundary_outcome *o, output *file);

/* boundary_diagnosis.c: asks for the diagnosis and, if wanted, multipliers; their status. */
int boundary_ask(boundary_outcome *o, keel_boundary *boundary, bool multipliers);
void boundary_print_modes(const boundary_outcome *o, FILE *file);
/* Members of an object: of "conditioning", "profile": {...}, "multipliers": [[re, im], ...]. */
void boundary_json_modes(json_writer *w, const boundary_outcome *o);
void boundary_json_profiles(json_writer *w, const boundary_outcome *o);
void boundary_json_multipliers(json_writer *w, const boundary_outcome *o);
int boundary_draw_conditioning(const boundary_outcome *o, output *file);

/* "hidden", "projected", "plain"; "gauss", "radau-iia", "given". */
extern const char *const index2_words[3], *const points_words[3];

#endif
