/* own.c -- a user's own problem, loaded into the process.
 *
 * The command exports the functions of the library it contains (CMakeLists.txt), and symbols of the
 * executable go before those of anything loaded later: whether the object was linked with libkeel
 * or not, there is one library in the process, and problems of the object are problems of the
 * command.
 */
#define _XOPEN_SOURCE 700                        /* realpath */
#include "cli/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compile.h"
#include "cli/refusal.h"
#include "cli/verbs.h"

static const char symbol[] = "keel_target_main";

bool names_a_file(const char *name)
{
    return strpbrk(name, "/.") != NULL;
}

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* What dlopen says begins with the path, which has been said. */
static int cannot_load(const char *verb, const char *name, const char *path)
{
    const char *reason = dlerror();
    const size_t length = strlen(path);
    if (!reason) reason = "unknown reason";
    if (strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
        reason += length + 2;
    return refuse(EXIT_FAILED, verb, "cannot-load", "cannot load %s: %s", name, reason);
}

static int wrong(const char *verb, const char *name, const char *reason)
{
    return refuse(EXIT_FAILED, verb, "cannot-load", "cannot use %s: %s", name, reason);
}

static int check(const keel_target *target, const char *verb, const char *name)
{
    if (target->abi != KEEL_TARGET_ABI)
        return wrong(verb, name, target->abi == 0
                     ? "its keel_target_main does not begin with .abi = KEEL_TARGET_ABI"
                     : "it was compiled with the headers of another version; compile it again");
    if (!target->name || !*target->name || !target->create
        || (!target->start && !target->boundary))
        return wrong(verb, name, "its keel_target_main lacks a name, create or start");
    if (target->boundary && (!target->boundary->spec || !target->boundary->spec->condition))
        return wrong(verb, name, "its boundary lacks a spec or its condition");
    if (!isfinite(target->t_start) || !isfinite(target->t_end)
        || target->t_start == target->t_end)
        return wrong(verb, name, "its interval from t_start to t_end is empty or not finite");
    if (target->parameter_count < 0 || (target->parameter_count > 0 && !target->parameters)
        || target->reference_count < 0 || (target->reference_count > 0 && !target->references))
        return wrong(verb, name, "parameter_count or reference_count does not fit its table");
    for (int i = 0; i < target->parameter_count; i++)
        if (!target->parameters[i].name || !target->parameters[i].meaning)
            return wrong(verb, name, "a parameter lacks its name or its meaning");
    for (int i = 0; i < target->reference_count; i++)
        if (!target->references[i].y || !target->references[i].source)
            return wrong(verb, name, "a reference lacks its values or its source");
    return EXIT_DONE;
}

/* With a path, so that the system looks nowhere else. */
static int load(own_target *own, const char *verb, const char *name, const char *file)
{
    char *path = realpath(file, NULL);
    if (!path)
        return refuse(EXIT_FAILED, verb, "cannot-load", "cannot load %s: %s", name,
                      strerror(errno));
    own->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const int code = own->library ? EXIT_DONE : cannot_load(verb, name, path);
    free(path);
    if (code != EXIT_DONE) return code;
    const keel_target *target = dlsym(own->library, symbol);
    if (!target)
        return wrong(verb, name,
                     "it exports no keel_target_main; 'keel new' writes a file that does");
    const int checked = check(target, verb, name);
    if (checked == EXIT_DONE) own->target = *target;
    return checked;
}

int own_open(own_target *own, const char *verb, const char *name)
{
    *own = (own_target){.library = NULL};
    if (ends_in(name, ".c")) {
        char *object = NULL;
        int code = compile_target(verb, name, &object);
        if (code == EXIT_DONE) code = load(own, verb, name, object);
        free(object);
        return code;
    }
    if (ends_in(name, ".so")) return load(own, verb, name, name);
    return usage_error(verb, "'%s' is no problem: files end in .c (C source, compiled first), .so (a "
                       "shared object) or .mo (a model), and bundled problems have neither path nor "
                       "suffix", name);
}

int own_complete(own_target *own, const char *verb, const keel_problem *problem)
{
    keel_target *target = &own->target;
    const int size = keel_problem_size(problem);
    if (target->size != 0 && target->size != size)
        return refuse(EXIT_FAILED, verb, "cannot-load", "cannot use %s: it says size = %d, but its "
                      "problem has %d unknowns", target->name, target->size, size);
    target->size = size;
    target->index = keel_problem_index(problem);
    if (!target->title) target->title = "";
    if (target->counts) return EXIT_DONE;
    own->counts = malloc((size_t)size + 1);
    if (!own->counts) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    memset(own->counts, 1, (size_t)size);
    target->counts = own->counts;
    return EXIT_DONE;
}

void own_close(own_target *own)
{
    free(own->counts);
    if (own->library) dlclose(own->library);
    *own = (own_target){.library = NULL};
}
