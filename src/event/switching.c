/* switching.c -- problems with events are made of those without.
 *
 * With one structure the new problem is the old one with events: all its parts are shared.  With
 * several its unknowns are those of all structures, by name, and solvers work on the structures.
 */
#include "event/switching.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"

const switching *switching_of(const keel_problem *p)
{
    while (p && !p->switching) p = p->original;
    return p ? p->switching : NULL;
}

/* ---- copies -------------------------------------------------------------------------------- */

static char **copy_names(int count, const char *const *given, const char *letter)
{
    char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && names; i++) {
        char standard[32];
        snprintf(standard, sizeof standard, "%s[%d]", letter, i);
        const char *name = given && given[i] ? given[i] : standard;
        names[i] = malloc(strlen(name) + 1);
        if (!names[i]) return names;             /* the gap is found by is_complete */
        strcpy(names[i], name);
    }
    return names;
}

static int is_complete(char **names, int count)
{
    for (int i = 0; i < count && names; i++)
        if (!names[i]) return 0;
    return names != NULL;
}

static int *copy_integers(int count, const int *given)
{
    int *copy = calloc((size_t)count + 1, sizeof *copy);
    if (copy && given) memcpy(copy, given, (size_t)count * sizeof *copy);
    return copy;
}

static int copy_spec(switching *w)
{
    keel_switching_spec *s = &w->spec;
    w->names = copy_names(s->switches, s->names, "switch");
    w->clock_names = copy_names(s->clocks, s->clock_names, "clock");
    w->direction = copy_integers(s->switches, s->directions);
    w->terminal = copy_integers(s->switches, s->terminal);
    w->clock = calloc((size_t)s->clocks + 1, sizeof *w->clock);
    if (!is_complete(w->names, s->switches) || !is_complete(w->clock_names, s->clocks) ||
        !w->direction || !w->terminal || !w->clock) return KEEL_NO_MEMORY;
    for (int i = 0; i < s->clocks; i++) w->clock[i] = s->clock[i];
    if (s->iterations == 0) s->iterations = 20;
    return KEEL_OK;
}

static void free_names(char **names, int count)
{
    for (int i = 0; i < count && names; i++) free(names[i]);
    free(names);
}

void switching_free(keel_problem *p)
{
    switching *w = p->switching;
    free_names(w->names, w->spec.switches);
    free_names(w->clock_names, w->spec.clocks);
    free(w->direction);
    free(w->terminal);
    free(w->clock);
    if (w->structures > 1) {
        free(p->names);                          /* texts are those of the structures */
        free(p->variable_index);
    }
    for (int k = 0; k < w->structures; k++) {
        keel_problem_free(w->structure[k]);
        if (w->place) free(w->place[k]);
    }
    free(w->place);
    free(w->structure);
    free(w);
}

/* ---- checks -------------------------------------------------------------------------------- */

static int check_spec(message *m, const keel_switching_spec *s)
{
    enum { MOST = 10000000 };
    const int counts[] = {s->switches, s->clocks, s->others, s->iterations};
    static const char *const names[] = {"switches", "clocks", "others", "iterations"};
    for (int k = 0; k < 4; k++)
        if (counts[k] < 0 || counts[k] > MOST)
            return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: %s = %d is out of range", names[k],
                        counts[k]);
    if (s->switches > 0 && !s->value)
        return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: the callback `value` of the switch "
                    "functions is missing");
    if ((s->clocks > 0 && !s->clock) || (s->others > 0 && !s->other))
        return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: %s is NULL",
                    s->clocks > 0 && !s->clock ? "clock" : "other");
    if (!(s->look >= 0) || !isfinite(s->look))
        return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: look = %g must not be negative", s->look);
    for (int i = 0; i < s->switches && s->directions; i++)
        if (s->directions[i] < -1 || s->directions[i] > 1)
            return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: directions[%d] = %d is not -1, 0 or 1",
                        i, s->directions[i]);
    for (int i = 0; i < s->clocks; i++)
        if (!isfinite(s->clock[i].start) || !(s->clock[i].interval >= 0) ||
            !isfinite(s->clock[i].interval))
            return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: clock[%d] starts at %g with interval "
                        "%g: both must be finite, the interval not negative", i, s->clock[i].start,
                        s->clock[i].interval);
    return KEEL_OK;
}

static int check_structure(message *m, const keel_problem *p, const keel_problem *first, int k)
{
    if (!p || !p->names)
        return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: problem %d is missing, or its creation "
                    "failed: %s", k, p ? p->message.text : "");
    if (switching_of(p))
        return fail(m, KEEL_UNSUPPORTED, "keel_switching: problem %d has events already", k);
    const keel_frame *a = keel_problem_frame(p), *b = keel_problem_frame(first);
    int same = !a == !b && (!a || (a->parameter_count == b->parameter_count &&
                                   a->mode_count == b->mode_count &&
                                   a->value_count == b->value_count));
    if (!same)
        return fail(m, KEEL_BAD_ARGUMENT, "keel_switching: the frame of problem %d has other sizes "
                    "than that of the first one", k);
    return KEEL_OK;
}

/* ---- several structures -------------------------------------------------------------------- */

static int find_name(const keel_problem *p, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(p->names[i], name) == 0) return i;
    return -1;
}

/* Adds the unknowns of structure k that no earlier one has; w->place[k]. */
static int place_unknowns(keel_problem *p, switching *w, int k)
{
    const keel_problem *from = w->structure[k];
    int *place = w->place[k] = malloc((size_t)from->n * sizeof *place);
    if (!place) return KEEL_NO_MEMORY;
    int before = p->n;
    for (int i = 0; i < from->n; i++) {
        /* Structures mostly begin alike: the same place is tried first. */
        int at = i < before && strcmp(p->names[i], from->names[i]) == 0
                     ? i : find_name(p, before, from->names[i]);
        if (at < 0) {
            at = p->n++;
            p->names[at] = from->names[i];
            p->variable_index[at] = from->variable_index[i];
        }
        place[i] = at;
    }
    return KEEL_OK;
}

static int unite(keel_problem *p, switching *w)
{
    size_t most = 0;
    for (int k = 0; k < w->structures; k++) most += (size_t)w->structure[k]->n;
    w->place = calloc((size_t)w->structures, sizeof *w->place);
    if (!w->place) return KEEL_NO_MEMORY;
    p->names = calloc(most, sizeof *p->names);
    p->variable_index = calloc(most, sizeof *p->variable_index);
    int rc = p->names && p->variable_index ? KEEL_OK : KEEL_NO_MEMORY;
    p->n = 0;
    for (int k = 0; k < w->structures && !rc; k++) rc = place_unknowns(p, w, k);
    return rc;
}

/* ---- creation ------------------------------------------------------------------------------ */

/* Takes over the problems first: they belong to *switching whatever happens. */
static int own(keel_problem *p, switching *w, keel_problem *problem)
{
    int others = w->spec.others > 0 && w->spec.other ? w->spec.others : 0;
    w->structure = calloc((size_t)others + 1, sizeof *w->structure);
    if (!w->structure) {
        keel_problem_free(problem);
        for (int k = 0; k < others; k++) keel_problem_free(w->spec.other[k]);
        return fail(&p->message, KEEL_NO_MEMORY, "no memory for a problem with events");
    }
    w->structure[w->structures++] = problem;
    for (int k = 0; k < others; k++) w->structure[w->structures++] = w->spec.other[k];
    return KEEL_OK;
}

static int make(keel_problem *p, switching *w)
{
    message m = {{0}};
    int rc = check_spec(&p->message, &w->spec);
    for (int k = 0; k < w->structures && !rc; k++)
        rc = check_structure(&p->message, w->structure[k], w->structure[0], k);
    if (rc) return rc;
    *p = *w->structure[0];
    p->switching = w;
    p->message = m;
    rc = copy_spec(w);
    if (!rc && w->structures > 1) rc = unite(p, w);
    return rc == KEEL_NO_MEMORY ? fail(&p->message, rc, "no memory for a problem with events") : rc;
}

int keel_switching_sized(keel_problem **problem, keel_problem *from, const keel_switching_spec *spec,
                         size_t size)
{
    if (!problem) return KEEL_BAD_ARGUMENT;
    keel_problem *p = *problem = calloc(1, sizeof *p);
    switching *w = calloc(1, sizeof *w);
    if (!p || !w) {
        free(w);
        keel_problem_free(from);
        return KEEL_NO_MEMORY;
    }
    sized kind = SIZED(keel_switching_spec, iterations, relations);
    int rc = spec ? sized_copy(&p->message, kind, &w->spec, spec, size)
                  : fail(&p->message, KEEL_BAD_ARGUMENT, "keel_switching: the spec is NULL");
    message m = p->message;
    if (rc) w->spec = (keel_switching_spec){0};
    p->switching = w;
    if (own(p, w, from)) return KEEL_NO_MEMORY;
    if (!rc) rc = make(p, w);
    else p->message = m;
    if (!rc) return KEEL_OK;
    m = p->message;
    if (!w->place) p->names = NULL, p->variable_index = NULL;      /* they are still another's */
    switching_free(p);
    *p = (keel_problem){.message = m};
    return rc;
}

/* ---- questions ----------------------------------------------------------------------------- */

int keel_switch_count(const keel_problem *p)
{
    const switching *w = switching_of(p);
    return w ? w->spec.switches : 0;
}

const char *keel_switch_name(const keel_problem *p, int i)
{
    return i >= 0 && i < keel_switch_count(p) ? switching_of(p)->names[i] : "";
}

int keel_clock_count(const keel_problem *p)
{
    const switching *w = switching_of(p);
    return w ? w->spec.clocks : 0;
}

const char *keel_clock_name(const keel_problem *p, int i)
{
    return i >= 0 && i < keel_clock_count(p) ? switching_of(p)->clock_names[i] : "";
}

int keel_structure_count(const keel_problem *p)
{
    const switching *w = switching_of(p);
    return w ? w->structures : 1;
}

const keel_problem *keel_structure(const keel_problem *p, int i)
{
    const switching *w = switching_of(p);
    if (!w) return i == 0 ? p : NULL;
    return i >= 0 && i < w->structures ? w->structure[i] : NULL;
}
