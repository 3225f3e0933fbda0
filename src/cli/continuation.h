/* continuation.h -- keel bvp --continue: solutions as a parameter changes, as table and picture. */
#ifndef KEEL_CLI_CONTINUATION_H
#define KEEL_CLI_CONTINUATION_H

#include "cli/progress.h"
#include "cli/target.h"
#include "report/output.h"
#include "report/series.h"

/* What the user asked for. */
typedef struct continuation {
    const char *text;            /* "NAME=FROM:TO", or NULL                    */
    bool arclength;
    const char *checkpoint, *resume;             /* files, or NULL              */
    assignment start;            /* NAME=FROM                                  */
    double to;
    bool json, quiet;
} continuation;

/* A branch that was followed. */
typedef struct branch_outcome {
    const target *target;
    const keel_boundary_options *options;
    const continuation *asked;
    const char *parameter;
    int status;
    const char *message;
    series points;               /* parameter, arc, fold, branch point, intervals, unknown      */
                                 /* parameters, largest values, values at both ends */
    int unknown_parameters;
    const char **names;          /* of the columns                             */
    char *letters;               /* that names point to                        */
    int folds, crossings;        /* branch points are crossings                */
    double cpu_seconds;
    bool unwritten;
    progress *line;
} branch_outcome;

/* Columns of points. */
enum { BRANCH_PARAMETER, BRANCH_ARC, BRANCH_FOLD, BRANCH_CROSSING, BRANCH_INTERVALS, BRANCH_OTHERS };

/* Reads c->text, and adds NAME=FROM to the parameters of the target; EXIT_DONE, or EXIT_USAGE after
 * a complaint. */
int continuation_read(continuation *c, target_settings *settings);
/* Follows, ends the line of progress and reports; returns the exit status. */
int continuation_run(const target *t, const keel_boundary_options *options, const continuation *c,
                     progress *line, output *points, output *plot);

/* continuation_report.c */
int branch_collect(branch_outcome *o, const keel_branch *branch, const keel_boundary_spec *spec);
void branch_outcome_free(branch_outcome *o);
void branch_print(const branch_outcome *o, FILE *file);
void branch_csv(const branch_outcome *o, FILE *file);
void branch_json(const branch_outcome *o, FILE *file);
/* 0, or -1 after saying on standard error what went wrong. */
int branch_draw(const branch_outcome *o, output *file);

#endif
