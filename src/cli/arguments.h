/* arguments.h -- command lines, parsed and explained from tables.
 *
 * A verb lists its own arguments in rows; the solver's options come from keel_option_table, so a
 * row added there is a flag here, with its check and its help.
 */
#ifndef KEEL_CLI_ARGUMENTS_H
#define KEEL_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/refusal.h"
#include "keel/solver.h"

typedef enum argument_kind {
    ARGUMENT_FLAG,               /* bool, no value                           */
    ARGUMENT_REAL,               /* double, finite and > above               */
    ARGUMENT_COUNT,              /* long, > above                            */
    ARGUMENT_TEXT,               /* const char *                             */
    ARGUMENT_ASSIGNMENT          /* assignments: NAME=VALUE, repeatable      */
} argument_kind;

typedef struct argument {
    const char *name;            /* "t-end"                                  */
    argument_kind kind;
    size_t offset;               /* of the field in the verb's settings      */
    double above;
    const char *value_name;      /* in the help: "T"                         */
    const char *help;
} argument;

/* NAME=VALUE, in the order given. */
typedef struct assignment {
    const char *name;            /* not terminated: name_length characters   */
    int name_length;
    double value;                /* NAN: the text is no number               */
    const char *text;            /* of the value                             */
} assignment;

typedef struct assignments {
    int count;
    assignment *each;            /* owned */
} assignments;

typedef struct syntax {
    const char *verb;            /* "run"                                    */
    const char *operand;         /* "TARGET", NULL: none                     */
    bool operand_required;
    const char *purpose;         /* a sentence or two, for the help          */
    const argument *arguments;
    int argument_count;
    bool solver_options;         /* takes those of keel_option_table, too    */
    bool ranges;                 /* NAME=VALUE may have more than a number: the verb reads it */
} syntax;

typedef enum parse_outcome { PARSED, PARSED_HELP, PARSED_WRONG } parse_outcome;

/* Fills in settings, solver (when solver_options) and *operand (NULL if absent).  PARSED_HELP: the
 * help has been printed; PARSED_WRONG: what is wrong has been said on standard error. */
parse_outcome parse_arguments(const syntax *s, int argc, char **argv, void *settings,
                              keel_options *solver, const char **operand);

/* Whether `--name` is among the words. */
bool argument_given(int argc, char **argv, const char *name);

/* Numbers with commas between into an array to be freed: "1,2.5,4".  After two numbers "..." goes on
 * with their ratio up to the number that follows, after one by decades: "1e-4,...,1e-10".  After
 * false, the count is REALS_NO_MEMORY if there was none. */
enum { REALS_NO_MEMORY = -1 };
bool read_reals(const char *text, double **values, int *count);

/* The default of a solver option, from keel_option_table. */
double option_standard(const char *name);

/* A usage error that suggests the closest known name, or else says `otherwise`. */
int unknown_name(const char *verb, const char *what, const char *name,
                 const char *const *known, int count, const char *otherwise);

#endif
