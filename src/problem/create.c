/* create.c -- problems are made from a checked and copied spec, and answer questions. */
#include "problem/problem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "problem/formulation.h"
#include "problem/pattern.h"

static const form_ops *const forms[] = {
    &ode_form, &semi_explicit_form, &hessenberg2_form, &hessenberg3_form, &mechanical_form,
    &quasilinear_form, &implicit_form, &proper_form, &levelled_form};

/* Dense n x n matrices of several stages must be addressable by int. */
enum { DENSE_MOST = 8000 };

/* What the forms have in common, taken from their specs. */
typedef struct outline {
    keel_form form;
    int group[3], groups, constraints, levels;
    int crowded;                     /* there may be more constraints than unknowns */
    const int *variable_index;       /* of the first group, or NULL: group_index */
    int group_index[3];
    const keel_pattern *pattern;     /* or NULL: dense */
    const char *const *names;
    const char *const *constraint_names;
    const keel_attached *attached;   /* or NULL */
    int invariants;                  /* ... which are called phi, not h */
    int unnamed;                     /* last unknowns that always have standard names */
    void *context;                   /* the user's */
    const keel_frame_spec *frame;
    const char *missing;             /* a callback that is not there, or NULL */
} outline;

static char *copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* y[3], q[3], lambda[1], ...: the standard names of unknowns count as C does, in each group. */
static void standard_name(const keel_problem *p, int i, char *text, size_t size)
{
    int k = 0;
    while (i >= p->group[k]) i -= p->group[k++];
    snprintf(text, size, "%s[%d]", p->ops->letter[k], i);
}

static int copy_names(keel_problem *p, const outline *o)
{
    p->names = calloc((size_t)p->n, sizeof *p->names);
    if (!p->names) return KEEL_NO_MEMORY;
    for (int i = 0; i < p->n; i++) {
        char standard[32];
        const char *given = o->names && i < p->n - o->unnamed ? o->names[i] : NULL;
        standard_name(p, i, standard, sizeof standard);
        p->names[i] = copy_text(given ? given : standard);
        if (!p->names[i]) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

/* Of the constraints, then of the attached rows. */
static int copy_row_names(keel_problem *p, const outline *o)
{
    int m = p->constraints, rows = m + p->attached.rows;
    const char *const *attached = o->attached ? o->attached->names : NULL;
    p->row_names = calloc((size_t)rows + 1, sizeof *p->row_names);
    if (!p->row_names) return KEEL_NO_MEMORY;
    for (int i = 0; i < rows; i++) {
        char standard[32];
        const char *given = i < m ? (o->constraint_names ? o->constraint_names[i] : NULL)
                                  : attached ? attached[i - m] : NULL;
        snprintf(standard, sizeof standard, "%s[%d]", i < m ? "g" : o->invariants ? "phi" : "h",
                 i < m ? i : i - m);
        p->row_names[i] = copy_text(given ? given : standard);
        if (!p->row_names[i]) return KEEL_NO_MEMORY;
    }
    return KEEL_OK;
}

static int copy_attached(keel_problem *p, const keel_attached *given)
{
    if (!given || given->rows == 0) return KEEL_OK;
    if (given->rows < 0 || given->rows > 1000000)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: %s = %d is out of range", p->ops->name,
                    p->ops == &ode_form ? "invariants" : "attached.rows", given->rows);
    if (!given->value)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: the callback `%s` is missing",
                    p->ops->name, p->ops == &ode_form ? "invariant" : "attached.value");
    if ((double)given->rows * p->n > (double)DENSE_MOST * DENSE_MOST)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: %d %s of %d unknowns are too many for a "
                    "dense matrix", p->ops->name, given->rows,
                    p->ops == &ode_form ? "invariants" : "attached rows", p->n);
    p->attached = *given;
    p->attached.names = NULL;
    p->attached.kept = NULL;
    if (!given->kept) return KEEL_OK;
    size_t bytes = (size_t)given->rows * sizeof *p->kept;
    p->kept = malloc(bytes);
    if (!p->kept) return KEEL_NO_MEMORY;
    memcpy(p->kept, given->kept, bytes);
    return KEEL_OK;
}

static int copy_indices(keel_problem *p, const outline *o)
{
    p->variable_index = malloc((size_t)p->n * sizeof *p->variable_index);
    if (!p->variable_index) return KEEL_NO_MEMORY;
    for (int i = 0, k = 0, end = p->group[0]; i < p->n; i++) {
        while (i >= end) end += p->group[++k];
        int index = o->variable_index && k == 0 ? o->variable_index[i] : o->group_index[k];
        if (p->ops == &proper_form && k == 1)
            index = p->index > 2 ? p->index - 1 : 1;    /* u = d(t,x) [Maerz 2002] */
        if (index < 1 || (index > 3 && o->variable_index))
            return fail(&p->message, KEEL_BAD_ARGUMENT,
                        "variable_index[%d] = %d: the index of an unknown is 1, 2 or 3", i, index);
        p->variable_index[i] = index;
        if (index > p->index) p->index = index;
    }
    int free = p->ops == &mechanical_form && p->group[2] == 0;
    if (p->ops == &ode_form || free) p->index = 0;
    return KEEL_OK;
}

static int copy_pattern(keel_problem *p, const keel_pattern *given)
{
    if (!given || given->storage == KEEL_DENSE) return KEEL_OK;
    p->unformed = given->storage == KEEL_UNFORMED && p->ops != &mechanical_form;
    if (p->unformed) return KEEL_OK;
    p->pattern.storage = given->storage;
    if (given->storage == KEEL_BAND) {
        if (given->lower < 0 || given->upper < 0 || given->lower >= p->n || given->upper >= p->n)
            return fail(&p->message, KEEL_BAD_ARGUMENT,
                        "band pattern: lower = %d and upper = %d must lie between 0 and %d",
                        given->lower, given->upper, p->n - 1);
        if ((2.0 * given->lower + given->upper + 1) * p->n > INT_MAX)     /* with room for fill-in */
            return fail(&p->message, KEEL_BAD_ARGUMENT, "band pattern: lower = %d and upper = %d "
                        "are too many diagonals for %d unknowns: give a sparse pattern",
                        given->lower, given->upper, p->n);
        p->pattern.lower = given->lower;
        p->pattern.upper = given->upper;
        return KEEL_OK;
    }
    if (given->storage != KEEL_SPARSE)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "pattern.storage = %d is not a keel_storage",
                    (int)given->storage);
    int rc = pattern_check(&p->message, "pattern", given, p->n, p->n);
    return rc ? rc : pattern_copy(&p->pattern, given, p->n);
}

/* ---- levels -------------------------------------------------------------------------------- */

/* Which unknowns g and its derivatives move: the first group, the second, and the last one, z. */
static void plain_levels(keel_problem *p)
{
    for (int k = 0, first = 0; k + 1 < p->levels; first += p->group[k++])
        p->level[k] = (constraint_level){.first = first, .count = p->group[k]};
    if (p->levels > 0)
        p->level[p->levels - 1] = (constraint_level){.first = p->n - p->constraints,
                                                     .count = p->constraints};
}

/* The depth of component i, or 0: `next` goes round in circles. */
static int depth_of(const int *next, int n, int i)
{
    int depth = 1;
    for (; next[i] >= 0; i = next[i])
        if (++depth > n) return 0;
    return depth;
}

static int copy_links(keel_problem *p, const keel_levelled_spec *s)
{
    int n = s->differential, m = s->algebraic;
    p->links = malloc(((size_t)m + 3 * (size_t)n + 1) * sizeof *p->links);
    if (!p->links) return KEEL_NO_MEMORY;
    int *chain = p->links, *next = chain + m;
    for (int i = 0; i < m; i++) {
        chain[i] = s->chain ? s->chain[i] : 0;
        if (chain[i] < 0 || chain[i] > KEEL_LEVELS_MOST - 2)
            return fail(&p->message, KEEL_BAD_ARGUMENT, "levelled: chain[%d] = %d must lie between "
                        "0 and %d", i, chain[i], KEEL_LEVELS_MOST - 2);
        if (chain[i] + 1 > p->levels) p->levels = chain[i] + 1;
    }
    for (int i = 0; i < n; i++) {
        next[i] = s->next ? s->next[i] : -1;
        if (next[i] < -1 || next[i] >= n || next[i] == i)
            return fail(&p->message, KEEL_BAD_ARGUMENT, "levelled: next[%d] = %d is not another "
                        "component of y, nor -1", i, next[i]);
    }
    for (int i = 0; i < n; i++)
        if (depth_of(next, n, i) == 0)
            return fail(&p->message, KEEL_BAD_ARGUMENT, "levelled: next[%d] leads back to where it "
                        "came from: one of the components must be given by f", i);
    return KEEL_OK;
}

/* What h_k has to be kept by: as many components of that depth as there are rows. */
static int check_depth(keel_problem *p, int k, int components)
{
    int rows = 0;
    for (int i = 0; i < p->constraints; i++) rows += p->links[i] >= k;
    if (components >= rows) return KEEL_OK;
    return fail(&p->message, KEEL_BAD_ARGUMENT, "levelled: chain gives %d row%s a constraint h_%d, but "
                "only %d component%s of y %s of depth %d, that is has its derivative number %d as "
                "the first that `rate` gives: say by `next` which unknowns are derivatives of others",
                rows, rows == 1 ? "" : "s", k, components, components == 1 ? "" : "s",
                components == 1 ? "is" : "are", k, k);
}

/* Levels of the levelled form, deepest first. */
static int link_levels(keel_problem *p, const keel_levelled_spec *s)
{
    int n = s->differential, m = s->algebraic, rc = copy_links(p, s);
    if (rc) return rc;
    int *next = p->links + m, *moves = next + n, *lead = moves + n;
    for (int k = 0; k + 1 < p->levels; k++) {
        constraint_level *l = &p->level[k];
        *l = (constraint_level){.moves = moves, .lead = lead};
        for (int i = 0; i < n; i++) {
            if (depth_of(next, n, i) != p->levels - 1 - k) continue;
            int last = i;
            while (next[last] >= 0) last = next[last];
            moves[l->count] = i;
            lead[l->count++] = last;
        }
        moves += l->count;
        lead += l->count;
        rc = check_depth(p, p->levels - 1 - k, l->count);
        if (rc) return rc;
    }
    if (m > 0) p->level[p->levels - 1] = (constraint_level){.first = n, .count = m};
    p->index = m > 0 ? p->levels : 0;
    return KEEL_OK;
}

/* ---- creation ------------------------------------------------------------------------------ */

static int check_sizes(keel_problem *p, const outline *o)
{
    for (int k = 0; k < o->groups; k++) {
        int full = p->ops == &hessenberg3_form || p->ops == &proper_form;
        int least = k > 0 && !full ? 0 : 1;
        if (o->group[k] < least || o->group[k] > 1000000)
            return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: %s = %d is out of range",
                        p->ops->name, p->ops->size_name[k], o->group[k]);
        p->group[k] = o->group[k];
        p->n += o->group[k];
    }
    if (o->missing)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: the callback `%s` is missing",
                    p->ops->name, o->missing);
    int dense = !o->pattern || o->pattern->storage == KEEL_DENSE;
    if (dense && p->n > DENSE_MOST)
        return fail(&p->message, KEEL_BAD_ARGUMENT, "%s: %d unknowns are too many for dense "
                    "matrices (at most %d)%s", p->ops->name, p->n, DENSE_MOST,
                    p->ops == &mechanical_form ? ": give sparse patterns of M and G"
                    : o->pattern ? ": give a band or sparse pattern" : "");
    if (o->levels > 1 && o->constraints > o->group[0] && !o->crowded)
        return fail(&p->message, KEEL_BAD_ARGUMENT,
                    "%s: %d constraints on %d unknowns: there can be at most as many constraints",
                    p->ops->name, o->constraints, o->group[0]);
    return KEEL_OK;
}

static int check_and_copy(keel_problem *p, const outline *o)
{
    p->form = o->form;
    p->ops = forms[o->form];
    p->lag = -1;
    p->context = o->context;
    int rc = check_sizes(p, o);
    if (rc) return rc;
    p->groups = o->groups;
    p->constraints = o->constraints;
    p->levels = o->constraints > 0 ? o->levels : 0;
    p->free = p->ops == &proper_form ? o->group[1] : o->constraints;
    plain_levels(p);
    rc = copy_indices(p, o);
    if (!rc && p->ops == &levelled_form) rc = link_levels(p, &p->spec.levelled);
    if (!rc) rc = copy_attached(p, o->attached);
    if (!rc)
        rc = p->ops == &mechanical_form ? mechanical_patterns(p) : copy_pattern(p, o->pattern);
    if (!rc) rc = frame_create(p, o->frame);
    if (!rc) rc = copy_row_names(p, o);
    if (!rc) rc = copy_names(p, o);              /* last: they say that all went well */
    if (rc == KEEL_NO_MEMORY) fail(&p->message, rc, "no memory for a problem of %d unknowns", p->n);
    return rc;
}

static void free_texts(char **texts, int count)
{
    for (int i = 0; i < count && texts; i++) free(texts[i]);
    free(texts);
}

static void free_parts(keel_problem *p)
{
    free_texts(p->names, p->n);
    free_texts(p->row_names, p->constraints + p->attached.rows);
    free(p->links);
    free(p->kept);
    free(p->variable_index);
    pattern_free(&p->pattern);
    pattern_free(&p->mass_pattern);
    pattern_free(&p->jacobian_pattern);
    pattern_free(&p->force_pattern);
    formulation_free(p->formulation);
    frame_free(p);
}

/* After a failure nothing but the message is left. */
static int fill(keel_problem *p, const outline *o)
{
    int rc = check_and_copy(p, o);
    if (!rc) return KEEL_OK;
    free_parts(p);
    *p = (keel_problem){.message = p->message};
    return rc;
}

/* A problem with its copy of the spec, handed out even after a failure, to hold the message. */
static int begin(keel_problem **problem, sized kind, const void *given, size_t size)
{
    if (!problem) return KEEL_BAD_ARGUMENT;
    keel_problem *p = *problem = calloc(1, sizeof *p);
    if (!p) return KEEL_NO_MEMORY;
    if (!given) return fail(&p->message, KEEL_BAD_ARGUMENT, "the spec is NULL");
    return sized_copy(&p->message, kind, &p->spec, given, size);
}

int keel_ode_sized(keel_problem **problem, const keel_ode_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_ode_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_ode_spec *spec = &(*problem)->spec.ode;
    keel_attached invariants = {.rows = spec->invariants, .value = spec->invariant,
                                .jacobian = spec->invariant_jacobian};
    outline o = {.form = KEEL_FORM_ODE, .group = {spec->size}, .groups = 1, .group_index = {1},
                 .attached = spec->attached.rows ? &spec->attached : &invariants,
                 .invariants = spec->attached.rows == 0,
                 .pattern = &spec->pattern, .names = spec->names, .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->rhs ? "rhs" : NULL};
    if (spec->invariants && spec->attached.rows)
        o.missing = "invariant, or attached.value without the other,";
    return fill(*problem, &o);
}

int keel_semi_explicit_sized(keel_problem **problem, const keel_semi_explicit_spec *given,
                             size_t size)
{
    int rc = begin(problem, SIZED(keel_semi_explicit_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_semi_explicit_spec *spec = &(*problem)->spec.semi_explicit;
    outline o = {.form = KEEL_FORM_SEMI_EXPLICIT,
                 .group = {spec->differential, spec->algebraic}, .groups = 2,
                 .constraints = spec->algebraic, .levels = 1, .group_index = {1, 1},
                 .pattern = &spec->pattern, .names = spec->names,
                 .constraint_names = spec->constraint_names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->rhs ? "rhs" : !spec->constraint ? "constraint" : NULL};
    return fill(*problem, &o);
}

int create_hessenberg2(keel_problem **problem, const keel_hessenberg2_spec *given, size_t size,
                       int crowded)
{
    int rc = begin(problem, SIZED(keel_hessenberg2_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_hessenberg2_spec *spec = &(*problem)->spec.hessenberg2;
    outline o = {.form = KEEL_FORM_HESSENBERG2, .crowded = crowded,
                 .group = {spec->differential, spec->multipliers}, .groups = 2,
                 .constraints = spec->multipliers, .levels = 2, .group_index = {1, 2},
                 .pattern = &spec->pattern, .names = spec->names,
                 .constraint_names = spec->constraint_names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->rhs ? "rhs" : !spec->constraint ? "constraint" : NULL};
    return fill(*problem, &o);
}

int keel_hessenberg2_sized(keel_problem **problem, const keel_hessenberg2_spec *given, size_t size)
{
    return create_hessenberg2(problem, given, size, 0);
}

int keel_hessenberg3_sized(keel_problem **problem, const keel_hessenberg3_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_hessenberg3_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_hessenberg3_spec *spec = &(*problem)->spec.hessenberg3;
    outline o = {.form = KEEL_FORM_HESSENBERG3,
                 .group = {spec->positions, spec->velocities, spec->multipliers}, .groups = 3,
                 .constraints = spec->multipliers, .levels = 3, .group_index = {1, 2, 3},
                 .pattern = &spec->pattern, .names = spec->names,
                 .constraint_names = spec->constraint_names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->position_rate ? "position_rate"
                          : !spec->velocity_rate ? "velocity_rate"
                          : !spec->constraint ? "constraint" : NULL};
    return fill(*problem, &o);
}

/* The force and the constraint, if any: by callbacks of their own, or by the combined one. */
static const char *missing_part(const keel_mechanical_spec *spec)
{
    unsigned known = spec->provides ? spec->provides : ~0u;
    int force = spec->evaluate ? (known & KEEL_FORCE) != 0 : spec->force != NULL;
    int constraint = spec->evaluate ? (known & KEEL_CONSTRAINT) != 0 : spec->constraint != NULL;
    return !force ? "force" : spec->constraints > 0 && !constraint ? "constraint" : NULL;
}

int keel_mechanical_sized(keel_problem **problem, const keel_mechanical_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_mechanical_spec, context, frame), given, size);
    if (rc) return rc;
    keel_mechanical_spec *spec = &(*problem)->spec.mechanical;
    int n = spec->positions, m = spec->constraints;
    outline o = {.form = KEEL_FORM_MECHANICAL, .crowded = 1, .group = {n, n, m}, .groups = 3,
                 .constraints = m, .levels = 3,
                 .group_index = {1, m > 0 ? 2 : 1, 3}, .names = spec->names,
                 .pattern = spec->constraint_pattern.storage ? &spec->constraint_pattern
                          : spec->mass_pattern.storage ? &spec->mass_pattern
                                                       : &spec->force_pattern,
                 .constraint_names = spec->constraint_names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame, .missing = missing_part(spec)};
    if (spec->evaluate && spec->provides == 0) spec->provides = ~0u;
    rc = fill(*problem, &o);
    if (!rc) mechanical_count(*problem);
    return rc;
}

int keel_quasilinear_sized(keel_problem **problem, const keel_quasilinear_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_quasilinear_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_quasilinear_spec *spec = &(*problem)->spec.quasilinear;
    outline o = {.form = KEEL_FORM_QUASILINEAR, .group = {spec->size}, .groups = 1,
                 .variable_index = spec->variable_index, .group_index = {1},
                 .pattern = &spec->pattern, .names = spec->names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->mass ? "mass" : !spec->rhs ? "rhs" : NULL};
    return fill(*problem, &o);
}

int keel_implicit_sized(keel_problem **problem, const keel_implicit_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_implicit_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_implicit_spec *spec = &(*problem)->spec.implicit;
    outline o = {.form = KEEL_FORM_IMPLICIT, .group = {spec->size}, .groups = 1,
                 .variable_index = spec->variable_index, .group_index = {1},
                 .pattern = &spec->pattern, .names = spec->names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame, .missing = spec->residual ? NULL : "residual"};
    return fill(*problem, &o);
}

int keel_proper_sized(keel_problem **problem, const keel_proper_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_proper_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_proper_spec *spec = &(*problem)->spec.proper;
    outline o = {.form = KEEL_FORM_PROPER, .group = {spec->size, spec->leading}, .groups = 2,
                 .variable_index = spec->variable_index, .group_index = {1, 1},
                 .names = spec->names, .unnamed = spec->leading, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->leading_matrix ? "leading_matrix"
                          : !spec->leading_term ? "leading_term"
                          : !spec->rest ? "rest" : NULL};
    return fill(*problem, &o);
}

int keel_levelled_sized(keel_problem **problem, const keel_levelled_spec *given, size_t size)
{
    int rc = begin(problem, SIZED(keel_levelled_spec, context, frame), given, size);
    if (rc) return rc;
    const keel_levelled_spec *spec = &(*problem)->spec.levelled;
    outline o = {.form = KEEL_FORM_LEVELLED,
                 .group = {spec->differential, spec->algebraic}, .groups = 2,
                 .constraints = spec->algebraic, .levels = 1, .group_index = {1, 1},
                 .pattern = &spec->pattern, .names = spec->names,
                 .constraint_names = spec->constraint_names, .attached = &spec->attached,
                 .context = spec->context, .frame = &spec->frame,
                 .missing = !spec->rate ? "rate" : !spec->level ? "level" : NULL};
    return fill(*problem, &o);
}

void keel_problem_free(keel_problem *p)
{
    if (!p) return;
    if (p->switching) switching_free(p);         /* the rest belongs to what it was made of */
    else free_parts(p);
    free(p);
}

const char *keel_problem_message(const keel_problem *p) { return p ? p->message.text : ""; }
keel_form keel_problem_form(const keel_problem *p) { return p ? p->form : KEEL_FORM_ODE; }
int keel_problem_size(const keel_problem *p) { return p ? p->n : 0; }
int keel_problem_index(const keel_problem *p) { return p ? p->index : 0; }

int keel_problem_constraints(const keel_problem *p)
{
    return !p ? 0 : p->ops == &ode_form ? p->attached.rows : p->constraints;
}

const keel_problem *keel_problem_original(const keel_problem *p) { return p ? p->original : NULL; }

int keel_problem_freedom(const keel_problem *p)
{
    if (!p || !p->names || !form_has(p, FORM_ALGEBRAIC_KNOWN)) return -1;
    int bound = 0, levelled = p->ops == &levelled_form;
    for (int i = 0; i < p->constraints; i++) bound += levelled ? p->links[i] : p->levels - 1;
    return p->n - p->constraints - bound;
}

/* Of the original, so that all its levels can be watched whatever the formulation solves. */
int keel_problem_levels(const keel_problem *p)
{
    while (p && p->original) p = p->original;
    return p ? p->levels + (p->attached.rows > 0) : 0;
}

int keel_level_rows(const keel_problem *p, int k)
{
    while (p && p->original) p = p->original;
    return p && k >= 0 && k < keel_problem_levels(p) ? level_rows(p, k) : 0;
}

const char *keel_row_name(const keel_problem *p, int k, int row)
{
    while (p && p->original) p = p->original;
    if (row < 0 || row >= keel_level_rows(p, k)) return "";
    return p->row_names[k < p->levels ? row : p->constraints + row];
}

int problem_is_sparse(const keel_problem *p)
{
    enum { LARGE = 30 };
    return problem_storage(p) != KEEL_DENSE && p->n >= LARGE && p->levels > 1 &&
           p->ops != &mechanical_form;
}

keel_storage problem_storage(const keel_problem *p)
{
#ifdef KEEL_WITH_SPARSE
    return p->pattern.storage;
#else
    return p->pattern.storage == KEEL_SPARSE ? KEEL_DENSE : p->pattern.storage;
#endif
}

const char *keel_form_name(keel_form form)
{
    int known = form >= KEEL_FORM_ODE && form <= KEEL_FORM_LEVELLED;
    return known ? forms[form]->name : "unknown form";
}

const char *keel_variable_name(const keel_problem *p, int variable)
{
    int known = p && p->names && variable >= 0 && variable < p->n;
    return known ? p->names[variable] : "";
}

int keel_variable_index(const keel_problem *p, int variable)
{
    int known = p && p->variable_index && variable >= 0 && variable < p->n;
    return known ? p->variable_index[variable] : 0;
}

int keel_problem_groups(const keel_problem *p, int size[3], const char *name[3])
{
    int count = 0;
    for (int k = 0; p && size && name && k < p->groups; k++) {
        if (p->group[k] == 0) continue;
        size[count] = p->group[k];
        name[count++] = p->ops->letter[k];
    }
    return count;
}
