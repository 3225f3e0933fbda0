/* new.c -- keel new FORM FILE.c: a commented problem of that form that runs as it is. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/templates.h"
#include "cli/verbs.h"

enum { FORMS_MOST = 20 };

static const syntax new_syntax = {
    .verb = "new", .operand = "FORM FILE.c", .operand_required = true,
    .purpose = "Writes FILE.c, a problem of your own to begin with: it compiles and runs as it is, "
               "by 'keel run\nFILE.c' and as a program by itself.  An existing file is never "
               "overwritten.\n\nFORM is ode, semi-explicit, hessenberg2, hessenberg3, mechanical, "
               "quasilinear, implicit,\nproper or levelled; "
               "docs/problems.md says which one to choose.",
};

static const file_template *find_template(const char *form)
{
    for (const file_template *t = file_templates; t->form; t++)
        if (strcmp(t->form, form) == 0) return t;
    return NULL;
}

static int unknown_form(const char *form)
{
    const char *known[FORMS_MOST];
    int count = 0;
    while (count < FORMS_MOST && file_templates[count].form) {
        known[count] = file_templates[count].form;
        count++;
    }
    return unknown_name("new", "form", form, known, count, "'keel new --help' lists the forms");
}

/* The line with its two placeholders filled in. */
static void write_line(FILE *file, const char *line, const char *name, int stem)
{
    for (const char *mark; (mark = strchr(line, '@')); line = mark + 6) {
        const bool whole = strncmp(mark, "@FILE@", 6) == 0;
        fprintf(file, "%.*s%.*s", (int)(mark - line), line, whole ? stem + 2 : stem, name);
    }
    fprintf(file, "%s\n", line);
}

/* Letters of a file name go into comments and a string: only harmless ones do. */
static bool is_plain(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+. ")]
        == '\0';
}

static int cannot_write(const char *path, int error)
{
    return refuse(EXIT_FAILED, "new", "cannot-write", error == EEXIST
                  ? "%s is there already, and is left as it is" : "cannot write %s: %s", path,
                  strerror(error));
}

static int write_template(const file_template *t, const char *path, const char *name)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) return cannot_write(path, errno);
    const int stem = (int)strlen(name) - 2;
    int error = 0;
    for (const char *const *line = t->lines; *line; line++)
        if (line[1] || **line) write_line(file, *line, name, stem);
    if (fflush(file) != 0 || ferror(file)) error = errno;
    if (fclose(file) != 0 && !error) error = errno;
    if (error) {
        remove(path);
        return cannot_write(path, error);
    }
    printf("%s is written; integrate it by: keel run %s\n", path, path);
    return EXIT_DONE;
}

int new_command(int argc, char **argv)
{
    const char *form = argc > 0 ? argv[0] : NULL, *operand = NULL;
    if (argc != 2 || form[0] == '-' || argv[1][0] == '-') {
        const parse_outcome parsed = parse_arguments(&new_syntax, argc, argv, NULL, NULL, &operand);
        if (parsed == PARSED) return usage_error("new", "FILE.c is missing");
        return parsed == PARSED_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    const char *path = argv[1], *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strlen(name);
    const file_template *t = find_template(form);
    if (!t) return unknown_form(form);
    if (length < 3 || strcmp(name + length - 2, ".c") != 0 || !is_plain(name))
        return usage_error("new", "the file is to be a plain name that ends in .c, not '%s'", path);
    return write_template(t, path, name);
}
