/* formulation.c -- the list of formulations, and how a problem becomes another one. */
#include "problem/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"
#include "problem/invariant_field.h"

enum {
    ODE = 1 << KEEL_FORM_ODE, SEMI_EXPLICIT = 1 << KEEL_FORM_SEMI_EXPLICIT,
    HESSENBERG2 = 1 << KEEL_FORM_HESSENBERG2, HESSENBERG3 = 1 << KEEL_FORM_HESSENBERG3,
    MECHANICAL = 1 << KEEL_FORM_MECHANICAL, QUASILINEAR = 1 << KEEL_FORM_QUASILINEAR,
    IMPLICIT = 1 << KEEL_FORM_IMPLICIT, PROPER = 1 << KEEL_FORM_PROPER,
    LEVELLED = 1 << KEEL_FORM_LEVELLED,
    INDEX3 = HESSENBERG3 | MECHANICAL
};

static const formulation_kind kinds[] = {
    {{"index3", "the index-3 problem itself", "u' = f, v' = k(l), 0 = g",
      "position", "velocity and acceleration are as exact as the method",
      "Hairer & Wanner 1996, VII.1"},
     INDEX3 | LEVELLED, INDEX3 | LEVELLED, "y", 0, create_identity},
    {{"index2", "the velocity constraint instead of the position constraint",
      "u' = f, v' = k(l), 0 = g'", "velocity", "position, at most linearly in t",
      "Hairer & Wanner 1996, VII.2"},
     INDEX3 | HESSENBERG2 | LEVELLED, HESSENBERG2 | LEVELLED, "xl", 0, create_index2},
    {{"index2-augmented", "index 2 with the accelerations as unknowns",
      "q' = v, v' = w, 0 = M w - f + G^T l, 0 = g'", "velocity", "position, at most linearly in t",
      "Weiss, dissertation, Koeln 2007, example 3.28, (4.14)"},
     MECHANICAL, 0, "uvla", 0, create_index2_augmented},
    {{"ggl", "position and velocity constraints, with a second multiplier",
      "u' = f - D mu, v' = k(l), 0 = g, 0 = g'; D = M^-1 G^T (mechanical), g_u^T",
      "position and velocity", "none",
      "Gear, Gupta & Leimkuhler, J. Comput. Appl. Math. 12/13 (1985) 77"},
     INDEX3, 0, "xlm", 0, create_ggl},
    {{"index1", "the constraint differentiated until it determines the multipliers",
      "u' = f, v' = k(l), 0 = g'' (Hessenberg 2: y' = f(z), 0 = g')",
      "acceleration (Hessenberg 2: g')",
      "velocity at most linearly, position quadratically in t (Hessenberg 2: g linearly)",
      "Hairer & Wanner 1996, VII.2"},
     INDEX3 | HESSENBERG2 | SEMI_EXPLICIT | LEVELLED, SEMI_EXPLICIT | LEVELLED, "xl", 0,
     create_index1},
    {{"index0", "the underlying ODE, multipliers eliminated, constraints as its invariants",
      "x' = F(t, x, l(t,x)), invariants g, g'", "none but by projection",
      "velocity at most linearly, position quadratically in t (Hessenberg 2: g linearly)",
      "Hairer & Wanner 1996, VII.2"},
     INDEX3 | HESSENBERG2 | SEMI_EXPLICIT, 0, "x", 0, create_index0},
    {{"baumgarte", "index 1 with a damped constraint",
      "u' = f, v' = k(l), 0 = g'' + 2 alpha g' + beta^2 g (Hessenberg 2: g' + alpha g)",
      "none exactly", "none: deviations decay like exp(-alpha t) for beta = alpha",
      "Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1"},
     INDEX3 | HESSENBERG2, 0, "xl", 5, create_baumgarte},
    {{"embedded", "index 3 on an open state space that the manifold attracts",
      "u' = f, w' = -(C11 w + C12 z), v' = k(l), z' = -(C21 w + C22 z), 0 = g - w",
      "position, where w = 0", "none: (w,z) decay with the symmetric part of C",
      "Schropp, Konstanzer Schriften in Mathematik und Informatik 226 (2007), (3.1)-(3.8)"},
     INDEX3, 0, "uwvzl", 1, create_embedded},
    {{"augmented", "derivatives as unknowns of their own",
      "y' = w, 0 = F(t,y,w) (proper: u' = w, 0 = A w + b, 0 = u - d)",
      "the constraints in F", "hidden constraints are as exact as the method",
      "Weiss, dissertation, Koeln 2007, 3.1, example 3.32"},
     ODE | SEMI_EXPLICIT | HESSENBERG2 | INDEX3 | QUASILINEAR | IMPLICIT | PROPER, 0, "yd", 0,
     create_augmented},
    {{"naive", "a leading term that is not properly stated: its derivative written out",
      "A (d_x x' + d_t) + b = 0", "the constraints in b",
      "methods may diverge: derivatives as unknowns raise the index",
      "Gear & Petzold, SIAM J. Numer. Anal. 21 (1984) 716; Weiss, dissertation, Koeln 2007, "
      "example 3.1"},
     PROPER, 0, "x", 0, create_naive},
    {{"invariants", "attached rows as constraints of index 2",
      "0 = F(t, y, y' + D mu), 0 = phi; D = phi_y^T along the manifold of F; index 3: with ggl",
      "the invariants", "none",
      "Gear, SIAM J. Sci. Stat. Comput. 7 (1986) 734; Bendtsen & Thomsen, IMM-REP-1999-8, (8.4)"},
     ODE | SEMI_EXPLICIT | HESSENBERG2 | INDEX3 | QUASILINEAR | IMPLICIT | PROPER | LEVELLED, 0,
     "ygi", 0, create_invariants},
    {{"stabilised", "a field that attached rows attract",
      "0 = F(t, y, y' + alpha D (phi_y D)^-1 phi)", "none exactly",
      "none: deviations decay like exp(-alpha t)", "Bendtsen & Thomsen, IMM-REP-1999-8, (8.5)"},
     ODE | SEMI_EXPLICIT | HESSENBERG2 | INDEX3 | QUASILINEAR | IMPLICIT | PROPER | LEVELLED, 0,
     "y", 0, create_stabilised},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], DENSE_MOST = 8000, NAME_SIZE = 64 };
/* Unknowns of a pencil that is decomposed in each evaluation. */
enum { PENCIL_MOST = 400 };

int keel_formulation_count(void) { return KINDS; }

int keel_formulation_at_sized(int i, keel_formulation_info *info, size_t size)
{
    if (i < 0 || i >= KINDS || !info) return KEEL_BAD_ARGUMENT;
    sized_answer(info, size, &kinds[i].info, sizeof kinds[i].info);
    return KEEL_OK;
}

/* ---- does it apply? ------------------------------------------------------------------------ */

static int concerns_invariants(const formulation_kind *kind)
{
    return kind->create == create_invariants || kind->create == create_stabilised;
}

static int applies(const formulation_kind *kind, const keel_problem *original)
{
    int constrained = keel_problem_constraints(original) > 0;
    if (!(kind->forms >> original->form & 1u)) return 0;
    if (concerns_invariants(kind)) return field_rows(original) > 0;
    if (original->form == KEEL_FORM_PROPER) return 1;
    if (kind->create == create_augmented) return original->index < 3;      /* at most 3 after it */
    if (kind->identity >> original->form & 1u) return original->formulation == NULL;
    return constrained || kind->create == create_index0;
}

/* The names of all formulations, or of those that apply to a problem. */
static void list_names(const keel_problem *original, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < KINDS && used < size; i++)
        if (!original || applies(&kinds[i], original))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     kinds[i].info.name);
    if (!used) snprintf(text, size, "none");
}

static const formulation_kind *find_kind(const char *name)
{
    for (int i = 0; name && i < KINDS; i++)
        if (strcmp(name, kinds[i].info.name) == 0) return &kinds[i];
    return NULL;
}

/* What the problem has not, for a message. */
static const char *without(const formulation_kind *kind, const keel_problem *original)
{
    if (original->form == KEEL_FORM_ODE)
        return original->attached.rows ? " with invariants" : " without invariants";
    return concerns_invariants(kind) ? " without attached rows" : "";
}

static int check(message *m, const keel_problem *original, const keel_formulation *wanted)
{
    char names[160];
    if (!original || !original->names || !wanted)
        return fail(m, KEEL_BAD_ARGUMENT, "there is no problem to formulate, or its creation "
                    "failed, or no formulation is given");
    const formulation_kind *kind = find_kind(wanted->name);
    list_names(kind ? original : NULL, names, sizeof names);
    if (!kind)
        return fail(m, KEEL_UNKNOWN_NAME, "there is no formulation %s; there are %s",
                    wanted->name ? wanted->name : "without a name", names);
    if (!applies(kind, original))
        return fail(m, KEEL_UNSUPPORTED, "the formulation %s does not apply to this %s problem of "
                    "index %d%s; those that do: %s", wanted->name, keel_form_name(original->form),
                    original->index, without(kind, original), names);
    if (mechanical_is_sparse(original))
        return fail(m, KEEL_UNSUPPORTED, "the formulation %s works with dense matrices, but the "
                    "patterns of this mechanical problem are sparse: solve it as it is, with auto, "
                    "radau-iia, an explicit or a half-explicit method", wanted->name);
    if (original->n > DENSE_MOST)
        return fail(m, KEEL_UNSUPPORTED, "formulations work with dense matrices: %d unknowns are "
                    "too many (at most %d)", original->n, DENSE_MOST);
    if (concerns_invariants(kind) && field_is_pencil(original) && original->n > PENCIL_MOST)
        return fail(m, KEEL_UNSUPPORTED, "the formulation %s decomposes the matrices of this %s "
                    "problem in every evaluation: %d unknowns are too many (at most %d); projection "
                    "keeps its rows", wanted->name, keel_form_name(original->form), original->n,
                    PENCIL_MOST);
    if (!(wanted->alpha >= 0) || !(wanted->beta >= 0) || !isfinite(wanted->alpha + wanted->beta))
        return fail(m, KEEL_BAD_ARGUMENT, "the formulation %s: alpha = %g and beta = %g must not "
                    "be negative", wanted->name, wanted->alpha, wanted->beta);
    return KEEL_OK;
}

/* ---- unknowns ------------------------------------------------------------------------------ */

/* A run of unknowns: from `first` of the original on, or new ones (first < 0). */
typedef struct run { int first, count; } run;

static run run_of(char letter, const keel_problem *p)
{
    int x = differential_unknowns(p);
    switch (letter) {
    case 'u': return (run){0, p->group[0]};
    case 'v': return (run){p->group[0], p->group[1]};
    case 'x': return (run){0, x};
    case 'l': return (run){x, p->n - x};
    case 'y': return (run){0, p->n};
    case 'a': return (run){-1, p->group[0]};
    case 'i': return (run){-1, field_rows(p)};
    case 'g': return (run){-1, p->levels == 3 && p->form != KEEL_FORM_LEVELLED ? p->constraints : 0};
    case 'd': return (run){-1, p->form == KEEL_FORM_PROPER ? p->group[1] : p->n};
    default: return (run){-1, keel_problem_constraints(p)};
    }
}

static int count_unknowns(const char *letters, const keel_problem *original)
{
    int count = 0;
    for (; *letters; letters++) count += run_of(*letters, original).count;
    return count;
}

static void new_name(char letter, int i, const keel_problem *original, char *text)
{
    int second = letter == 'a' || original->form == KEEL_FORM_PROPER;    /* group differentiated */
    int first = second ? original->group[0] : 0;
    if (letter == 'd' || letter == 'a')
        snprintf(text, NAME_SIZE, "%.*s'", NAME_SIZE - 2, original->names[first + i]);
    else snprintf(text, NAME_SIZE, "%s[%d]", letter == 'g' ? "nu" : letter == 'm' || letter == 'i' ? "mu" : letter == 'w' ? "w" : "z", i);
}

static void list_unknowns(const char *letters, const keel_problem *original, int *source,
                          char (*texts)[NAME_SIZE], const char **names)
{
    int at = 0;
    for (; *letters; letters++) {
        run r = run_of(*letters, original);
        for (int i = 0; i < r.count; i++, at++) {
            source[at] = r.first < 0 ? -1 : r.first + i;
            names[at] = r.first < 0 ? texts[at] : original->names[r.first + i];
            if (r.first < 0) new_name(*letters, i, original, texts[at]);
        }
    }
}

void keel_formulation_from(const keel_problem *p, const double *original_y, double *y)
{
    if (!p || !original_y || !y) return;
    for (int i = 0; i < p->n; i++) {
        int source = p->formulation ? p->formulation->source[i] : i;
        y[i] = source < 0 ? 0 : original_y[source];
    }
}

void keel_formulation_to(const keel_problem *p, const double *y, double *original_y)
{
    if (!p || !y || !original_y) return;
    int n = p->original ? p->original->n : p->n;
    for (int i = 0; i < n; i++) original_y[i] = NAN;
    for (int i = 0; i < p->n; i++) {
        int source = p->formulation ? p->formulation->source[i] : i;
        if (source >= 0) original_y[source] = y[i];
    }
}

/* ---- creation ------------------------------------------------------------------------------ */

/* Which h_k the stages of a levelled problem solve. */
static int lag_of(const formulation_kind *kind)
{
    return kind->create == create_index1 ? 0 : kind->create == create_index2 ? 1 : 2;
}

int create_identity(keel_problem **problem, const keel_problem *original, const formulation *how,
                    const char *const *names)
{
    form_spec spec = original->spec;
    const keel_attached none = {0};              /* they are the original's, ... */
    const keel_frame_spec unframed = {0};        /* ... and so is the frame that callbacks get */
    switch (original->form) {
    case KEEL_FORM_SEMI_EXPLICIT:
        spec.semi_explicit.pattern = original->pattern;
        spec.semi_explicit.names = names;
        spec.semi_explicit.constraint_names = NULL;
        spec.semi_explicit.attached = none;
        spec.semi_explicit.frame = unframed;
        spec.semi_explicit.context = original->context;
        return keel_semi_explicit(problem, &spec.semi_explicit);
    case KEEL_FORM_HESSENBERG2:
        spec.hessenberg2.pattern = original->pattern;
        spec.hessenberg2.names = names;
        spec.hessenberg2.constraint_names = NULL;
        spec.hessenberg2.attached = none;
        spec.hessenberg2.frame = unframed;
        spec.hessenberg2.context = original->context;
        return keel_hessenberg2(problem, &spec.hessenberg2);
    case KEEL_FORM_HESSENBERG3:
        spec.hessenberg3.pattern = original->pattern;
        spec.hessenberg3.names = names;
        spec.hessenberg3.constraint_names = NULL;
        spec.hessenberg3.attached = none;
        spec.hessenberg3.frame = unframed;
        spec.hessenberg3.context = original->context;
        return keel_hessenberg3(problem, &spec.hessenberg3);
    case KEEL_FORM_LEVELLED:
        spec.levelled.chain = original->links;
        spec.levelled.next = original->links + original->constraints;
        spec.levelled.pattern = original->pattern;
        spec.levelled.names = names;
        spec.levelled.constraint_names = NULL;
        spec.levelled.attached = none;
        spec.levelled.frame = unframed;
        spec.levelled.context = original->context;
        int rc = keel_levelled(problem, &spec.levelled);
        if (rc == KEEL_OK) (*problem)->lag = lag_of(how->kind);
        return rc;
    default:
        spec.mechanical.names = names;
        spec.mechanical.constraint_names = NULL;
        spec.mechanical.attached = none;
        spec.mechanical.frame = unframed;
        spec.mechanical.context = original->context;
        return keel_mechanical(problem, &spec.mechanical);
    }
}

int formulation_attaches(const keel_problem *p)
{
    return p->formulation && p->formulation->kind->create == create_invariants;
}

void formulation_free(formulation *how)
{
    if (!how) return;
    free(how->C);
    free(how->source);
    free(how);
}

/* The default is C = alpha I + [0 -I; I 0], whose symmetric part is alpha I. */
static int embedding_matrix(message *text, formulation *how, int m, const double *given)
{
    size_t size = 2 * (size_t)m;
    double *block = malloc((size_t)m * (size_t)m * sizeof *block);
    int *pivot = malloc((size_t)m * sizeof *pivot), rc = KEEL_OK;
    how->C = calloc(size * size, sizeof *how->C);
    if (!how->C || !block || !pivot) rc = KEEL_NO_MEMORY;
    for (size_t i = 0; i < size && !rc; i++) {
        how->C[i * size + i] = how->alpha;
        how->C[i * size + (i + (size_t)m) % size] = i < (size_t)m ? -1 : 1;
    }
    if (!rc && given) {
        memcpy(how->C, given, size * size * sizeof *how->C);
        for (size_t i = 0; i < (size_t)m; i++)
            memcpy(block + i * (size_t)m, given + i * size + m, (size_t)m * sizeof *block);
        for (size_t i = 0; i < size * size; i++)
            if (!isfinite(given[i]))
                rc = fail(text, KEEL_BAD_ARGUMENT, "the formulation embedded: entry (%zu, %zu) of "
                          "the damping matrix C is not finite", i / size, i % size);
        if (!rc && dense_factor(m, block, pivot))
            rc = fail(text, KEEL_BAD_ARGUMENT, "the formulation embedded: the block C12 of the "
                      "damping matrix C is singular");
    }
    free(block);
    free(pivot);
    return rc;
}

static int build(keel_problem **problem, const keel_problem *original, formulation *how, message *m)
{
    const formulation_kind *kind = how->kind;
    int same = kind->identity >> original->form & 1u;
    const char *letters = same ? "y" : kind->unknowns;
    size_t n = (size_t)count_unknowns(letters, original);
    const char **names = malloc(n * sizeof *names);
    char (*texts)[NAME_SIZE] = malloc(n * sizeof *texts);
    how->source = malloc(2 * n * sizeof *how->source);             /* second half: indices */
    int rc = names && texts && how->source ? KEEL_OK : KEEL_NO_MEMORY;
    if (!rc) {
        list_unknowns(letters, original, how->source, texts, names);
        rc = (same ? create_identity : kind->create)(problem, original, how, names);
        if (rc && *problem) *m = (*problem)->message;
    }
    free(names);
    free(texts);
    return rc;
}

/* Instead of a problem: one that holds only the message. */
static int refuse(keel_problem **problem, message *m, int rc)
{
    keel_problem_free(*problem);
    *problem = calloc(1, sizeof **problem);
    if (!m->text[0]) fail(m, rc, "no memory for a formulation");
    if (*problem) (*problem)->message = *m;
    return rc;
}

static int formulate(keel_problem **problem, const keel_problem *original,
                     const keel_formulation *wanted)
{
    message m = {{0}};
    int rc = check(&m, original, wanted);
    formulation *how = rc ? NULL : calloc(1, sizeof *how);
    if (!rc && !how) rc = KEEL_NO_MEMORY;
    if (!rc) {
        how->kind = find_kind(wanted->name);
        how->alpha = wanted->alpha > 0 ? wanted->alpha : how->kind->alpha;
        how->beta = wanted->beta > 0 ? wanted->beta : how->alpha;
        if (how->kind->create == create_embedded)
            rc = embedding_matrix(&m, how, original->constraints, wanted->C);
    }
    if (!rc) rc = build(problem, original, how, &m);
    if (!rc) {
        (*problem)->original = original;
        (*problem)->formulation = how;
        int accelerated = how->kind->create == create_index2_augmented;
        if (how->kind->create == create_augmented || accelerated) {
            int semi_explicit = original->form == KEEL_FORM_SEMI_EXPLICIT;
            (*problem)->held = semi_explicit ? original->group[0] : original->n;
            (*problem)->free = (*problem)->n - (*problem)->held;
        }
        return KEEL_OK;
    }
    formulation_free(how);
    return refuse(problem, &m, rc);
}

int keel_formulate_sized(keel_problem **problem, const keel_problem *original,
                         const keel_formulation *given, size_t size)
{
    keel_formulation wanted = {0};
    message m = {{0}};
    if (!problem) return KEEL_BAD_ARGUMENT;
    *problem = NULL;
    int rc = given ? sized_copy(&m, SIZED(keel_formulation, C, C), &wanted, given, size) : KEEL_OK;
    return rc ? refuse(problem, &m, rc) : formulate(problem, original, given ? &wanted : NULL);
}
