/* method_choice.h -- the method of a run: one by name, or the user's own from a file. */
#ifndef KEEL_CLI_METHOD_CHOICE_H
#define KEEL_CLI_METHOD_CHOICE_H

#include "cli/arguments.h"

typedef struct method_choice {
    const char *file;            /* --method-file, or NULL                     */
    bool no_project;
    keel_method *own;            /* read from it                               */
} method_choice;

/* Rows of a verb's arguments, for settings of this type with a method_choice `member`. */
#define METHOD_ARGUMENTS(type, member) \
    {"method-file", ARGUMENT_TEXT, offsetof(type, member.file), 0, "FILE", \
     "a method of your own instead of a named one; docs/methods.md shows the format"}, \
    {"no-project", ARGUMENT_FLAG, offsetof(type, member.no_project), 0, NULL, \
     "the same as --projection none"}

/* Checks the name or reads the file, and completes the options, which borrow from the choice.
 * Returns EXIT_DONE, or another exit status after saying what is wrong.  Free it in either case. */
int method_choose_for(const char *verb, method_choice *choice, keel_options *options);
void method_choice_free(method_choice *choice);

/* EXIT_DONE if there is a method of that name; else EXIT_USAGE after a suggestion. */
int check_method_name(const char *verb, const char *name);
/* The name of the method that the options ask for. */
const char *method_name(const keel_options *options);

#endif
