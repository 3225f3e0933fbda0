/* method_choice.c -- the method of a run: one by name, or the user's own from a file. */
#include "cli/method_choice.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/verbs.h"

/* Of a method that exists, but is of no use: bdf-7, say. */
static int explain_name(const char *verb, const char *name)
{
    keel_method *m = NULL;
    keel_method_named(&m, name);
    const int code = usage_error(verb, "%s", keel_method_message(m));
    keel_method_free(m);
    return code;
}

int check_method_name(const char *verb, const char *name)
{
    keel_method_info info;
    const int status = keel_method_find(name, &info);
    if (status == KEEL_OK) return EXIT_DONE;
    if (status == KEEL_UNSUPPORTED) return explain_name(verb, name);
    if (status == KEEL_NO_MEMORY) return refuse_status(verb, status, "no memory");

    const int count = keel_method_count();
    const char **known = malloc((size_t)count * sizeof *known);
    int found = 0;
    for (int i = 0; known && i < count; i++)
        if (keel_method_at(i, &info) == KEEL_OK) known[found++] = info.name;
    const int code = unknown_name(verb, "method", name, known, found, "'keel methods' lists them");
    free(known);
    return code;
}

static int read_file(const char *verb, method_choice *choice)
{
    const int status = keel_method_read(&choice->own, choice->file);
    if (status == KEEL_OK) return EXIT_DONE;
    return refuse_status(verb, status, choice->own ? keel_method_message(choice->own)
                                                   : keel_status_text(status));
}

int method_choose_for(const char *verb, method_choice *choice, keel_options *options)
{
    if (choice->no_project) options->projection = KEEL_PROJECT_NONE;
    if (choice->file && options->method)
        return usage_error(verb, "--method and --method-file exclude each other");
    if (!choice->file) return options->method ? check_method_name(verb, options->method) : EXIT_DONE;
    const int code = read_file(verb, choice);
    if (code == EXIT_DONE) options->tableau = choice->own;
    return code;
}

void method_choice_free(method_choice *choice)
{
    keel_method_free(choice->own);
    choice->own = NULL;
}

const char *method_name(const keel_options *options)
{
    if (options->tableau) return keel_method_general_linear(options->tableau)->name;
    return options->method ? options->method : "auto";
}
