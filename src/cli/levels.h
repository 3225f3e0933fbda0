/* levels.h -- constraint levels of a target: their names, and whether steps leave them. */
#ifndef KEEL_CLI_LEVELS_H
#define KEEL_CLI_LEVELS_H

#include "cli/target.h"

enum { LEVEL_NAME = 16 };

/* "position", "velocity", "acceleration"; of a levelled problem "h_3", "h_2", "h_1", "g"; "attached". */
const char *level_name(const keel_problem *problem, int level, char text[LEVEL_NAME]);
/* Is it the last level of g, which contains the multipliers? */
bool level_has_multipliers(const keel_problem *problem, int level);
/* The name of the only row of a level; NULL if it has several, or the problem gives it none. */
const char *level_row(const keel_problem *problem, int level);

/* Is the index 2 or higher, so that there are levels that steps leave and multipliers to choose? */
bool target_has_hidden_levels(const target *t);
/* What a picture of residuals has curves of: the levels, but of attached rows, unless they are many,
 * each by itself.  At most RESIDUAL_CURVES. */
enum { RESIDUAL_CURVES = KEEL_LEVELS_MOST + 8 };
int residual_curves(const keel_problem *problem);
/* Of a curve: its name, and the attached row that it is, or -1: it is a level. */
const char *residual_curve_name(const keel_problem *problem, int curve, char text[LEVEL_NAME]);
int residual_curve_row(const keel_problem *problem, int curve);
/* Attached rows of the problem or its original. */
int attached_rows(const keel_problem *problem);

/* Is there anything to project: hidden levels, or attached rows? */
bool target_has_manifold(const target *t);
/* The index of what stages solve: of a levelled problem, as its formulation says; 1 without one. */
int target_stage_index(const target *t);

#endif
