/* target.h -- what a run integrates: a bundled problem or one of a file, with the values the user
 * changed, possibly in another formulation.
 *
 * References, exact solutions and scd belong to the problem as bundled (the original); start
 * values, names and results to what is integrated.
 */
#ifndef KEEL_CLI_TARGET_H
#define KEEL_CLI_TARGET_H

#include <stdbool.h>

#include "cli/arguments.h"
#include "cli/framed.h"
#include "cli/modelled.h"
#include "cli/own.h"
#include "problems/problems.h"

typedef struct target_settings {
    double t_start, t_end;       /* NAN: the problem's own                     */
    assignments parameters, starts, modes, values;
    const char *formulation;     /* NULL: as bundled                           */
    double alpha, beta;          /* 0: default                                 */
    const char *embedding;       /* "c11,c12,...", NULL: default               */
    bool without_start;          /* a boundary value problem without initial values will do */
    const char *class_name;      /* of a model, NULL: the last of the file      */
    bool levelled;               /* of a model: no special form                 */
    const char *variables;       /* of a model to show, a regular expression; NULL: all */
} target_settings;

#define TARGET_STANDARD {.t_start = NAN, .t_end = NAN}

/* Rows of a verb's arguments, for settings of this type with a target_settings `member`. */
#define TARGET_ARGUMENTS(type, member) \
    {"t-start", ARGUMENT_REAL, offsetof(type, member.t_start), -INFINITY, "T", "initial time"}, \
    {"t-end", ARGUMENT_REAL, offsetof(type, member.t_end), -INFINITY, "T", \
     "final time, before or after t-start"}, \
    {"param", ARGUMENT_ASSIGNMENT, offsetof(type, member.parameters), 0, "NAME=VALUE", \
     "change a parameter of the problem (repeatable)"}, \
    {"start", ARGUMENT_ASSIGNMENT, offsetof(type, member.starts), 0, "NAME=VALUE", \
     "fix the initial value of a variable (repeatable)"}, \
    {"mode", ARGUMENT_ASSIGNMENT, offsetof(type, member.modes), 0, "NAME=VALUE", \
     "begin with another discrete mode (repeatable)"}, \
    {"value", ARGUMENT_ASSIGNMENT, offsetof(type, member.values), 0, "NAME=VALUE", \
     "begin with another discrete value (repeatable)"}, \
    {"formulation", ARGUMENT_TEXT, offsetof(type, member.formulation), 0, "NAME", \
     "integrate another formulation: index2, ggl, index1, index0, baumgarte, ...; " \
     "A,B is B of A"}, \
    {"alpha", ARGUMENT_REAL, offsetof(type, member.alpha), 0, "A", \
     "damping of the formulation (baumgarte, stabilised)"}, \
    {"beta", ARGUMENT_REAL, offsetof(type, member.beta), 0, "B", \
     "damping of the formulation (baumgarte, stabilised)"}, \
    {"embedding", ARGUMENT_TEXT, offsetof(type, member.embedding), 0, "C11,C12,...", \
     "matrix of the formulation embedded, row by row"}, \
    {"class", ARGUMENT_TEXT, offsetof(type, member.class_name), 0, "NAME", \
     "of a model FILE.mo: the class to take (default: the last model)"}, \
    {"levelled", ARGUMENT_FLAG, offsetof(type, member.levelled), 0, NULL, \
     "of a model FILE.mo: do not look for a special form, which is for speed only"}

enum { FORMULATIONS_MOST = 4 };   /* one of another of another ...           */

typedef struct target {
    const bundled_problem *bundled;  /* or the user's own                      */
    own_target own;
    modelled modelled;           /* its file ends in .mo                        */
    keel_problem *problem;       /* to be integrated: the last of the chain    */
    keel_problem *original;      /* as bundled: the first of the chain         */
    keel_problem *chain[FORMULATIONS_MOST + 1];  /* each a formulation of the one before */
    int links;
    const char *formulation;     /* "index3", "ggl", "index0,invariants", ...  */
    char standard_name[16];
    double *C;                   /* of the embedding                           */
    int size;
    double t_start, t_end;
    double *parameters;
    double *y;                   /* initial values, to be made consistent      */
    keel_mark *marks;            /* KEEL_FIXED where the user gave a value     */
    const char **names;          /* of the unknowns                            */
    const char *const *shown;    /* names of what output shows: the unknowns, or variables of a model */
    int shown_count;
    bool reference_applies;      /* the start is that of the references        */
    framed frame;                /* where the discrete state begins            */
} target;

/* Returns EXIT_DONE, or another exit status after saying on standard error what is wrong.  Free it
 * in either case. */
int target_open(target *t, const char *verb, const char *name, const target_settings *settings);
/* The same with other settings, of the file that `first` has opened and goes on holding. */
int target_open_again(target *t, const char *verb, const char *name, const target_settings *settings,
                      const target *first);
/* Other parameters and starts for an open target, whose problem stays; which that can be,
 * target_can_change tells. */
int target_change(target *t, const char *verb, const target_settings *settings);
bool target_can_change(const target *t, const assignment *parameter);
void target_free(target *t);
void target_settings_free(target_settings *settings);

/* The tolerances of a model, annotation(experiment(...)) and `nominal`, hold where the command line says
 * nothing.  Options then point into the target. */
void target_tolerances(const target *t, keel_options *options);

/* What a solver of the problem needs before its start; a keel_status. */
static inline int target_prepare(const target *t, keel_solver *solver)
{
    return framed_apply(&t->frame, solver);
}

/* The start at consistent values; a keel_status. */
int target_start(const target *t, keel_solver *solver);

/* y of the original, y_original [its size]; NAN where the formulation has no such unknown. */
void target_to_original(const target *t, const double *y, double *y_original);
/* Significant correct digits of y at time t; NAN without a reference. */
double target_scd(const target *target, double t, const double *y);

/* Reports an unknown problem with a suggestion; returns EXIT_USAGE. */
int unknown_problem(const char *verb, const char *name);

#endif
