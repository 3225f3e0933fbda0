/* tableau.c -- methods are made from a checked and copied tableau. */
#include "method/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"explicit", "half-explicit", "diagonally implicit",
                                         "fully implicit"};

const char *keel_method_kind_name(keel_method_kind kind)
{
    int known = kind >= KEEL_METHOD_EXPLICIT && kind <= KEEL_METHOD_IMPLICIT;
    return known ? kind_names[kind] : "unknown kind";
}

/* ---- copying ------------------------------------------------------------------------------- */

static const char *copy_text(arena *a, const char *text)
{
    if (!text) return NULL;
    size_t length = strlen(text) + 1;
    char *copy = ARENA(a, char, length);
    return copy ? memcpy(copy, text, length) : NULL;
}

static const double *copy_numbers(arena *a, const double *x, int count)
{
    if (!x || count <= 0) return NULL;
    double *copy = ARENA(a, double, count);
    return copy ? memcpy(copy, x, (size_t)count * sizeof *copy) : NULL;
}

/* The sums of the rows where the nodes are not given. */
static const double *copy_nodes(arena *a, const double *given, const double *A, int s)
{
    if (given || !A) return copy_numbers(a, given, s);
    double *c = ARENA(a, double, s);
    for (int i = 0; c && i < s; i++) {
        c[i] = 0;
        for (int j = 0; j < s; j++) c[i] += A[i * s + j];
    }
    return c;
}

static void copy_tableau(arena *a, keel_tableau *to, const keel_tableau *from)
{
    int s = from->stages, all = s + from->extra;
    *to = *from;
    to->name = copy_text(a, from->name ? from->name : "unnamed");
    to->family = copy_text(a, from->family);
    to->summary = copy_text(a, from->summary);
    to->citation = copy_text(a, from->citation);
    to->A = copy_numbers(a, from->A, s * s);
    to->b = copy_numbers(a, from->b, s);
    to->c = copy_nodes(a, from->c, from->A, s);
    to->b_hat = copy_numbers(a, from->b_hat, s);
    to->b_second = copy_numbers(a, from->b_second, s);
    to->A_extra = copy_numbers(a, from->A_extra, from->extra * all);
    to->c_extra = copy_numbers(a, from->c_extra, from->extra);
    to->dense = copy_numbers(a, from->dense, all * from->dense_degree);
    to->A_constraint = copy_numbers(a, from->A_constraint, s * s);
    to->c_constraint = copy_nodes(a, from->c_constraint, from->A_constraint, s);
}

/* ---- checks -------------------------------------------------------------------------------- */

static int check(keel_method *m, const keel_tableau *t)
{
    if (!t) return fail(&m->message, KEEL_BAD_ARGUMENT, "the tableau is NULL");
    if (t->stages < 1 || t->stages > KEEL_STAGES_MOST)
        return fail(&m->message, KEEL_BAD_ARGUMENT, "stages = %d must lie between 1 and %d",
                    t->stages, KEEL_STAGES_MOST);
    if (!t->A || !t->b) return fail(&m->message, KEEL_BAD_ARGUMENT, "A or b is missing");
    for (int i = 0; i < t->stages * t->stages; i++)
        if (!isfinite(t->A[i]))
            return fail(&m->message, KEEL_BAD_ARGUMENT, "a_%d,%d is not finite",
                        i / t->stages + 1, i % t->stages + 1);
    for (int i = 0; i < t->stages; i++)
        if (!isfinite(t->b[i]) || (t->b_hat && !isfinite(t->b_hat[i])))
            return fail(&m->message, KEEL_BAD_ARGUMENT, "b_%d is not finite", i + 1);
    return KEEL_OK;
}

/* ---- properties ---------------------------------------------------------------------------- */

static keel_method_kind kind_of(const keel_tableau *t)
{
    int s = t->stages, above = 0, diagonal = 0;
    for (int i = 0; i < s; i++)
        for (int j = i; j < s; j++) {
            int nonzero = t->A[i * s + j] != 0;
            if (j > i) above |= nonzero;
            else diagonal |= nonzero;
        }
    if (above) return KEEL_METHOD_IMPLICIT;
    if (diagonal) return KEEL_METHOD_DIAGONAL;
    return t->half_explicit ? KEEL_METHOD_HALF_EXPLICIT : KEEL_METHOD_EXPLICIT;
}

static int distinct_nodes(const keel_tableau *t, int from)
{
    for (int i = from; i < t->stages; i++)
        for (int j = from; j < i; j++)
            if (fabs(t->c[i] - t->c[j]) < 1e-10) return 0;
    return 1;
}

static void find_properties(keel_method *m)
{
    const keel_tableau *t = &m->tableau;
    int s = t->stages;
    m->kind = kind_of(t);
    m->explicit_first = m->stiffly_accurate = 1;
    for (int j = 0; j < s; j++) {
        m->explicit_first &= t->A[j] == 0;
        m->stiffly_accurate &= fabs(t->A[(s - 1) * s + j] - t->b[j]) <= 1e-15;
    }
    int implicit = m->kind >= KEEL_METHOD_DIAGONAL;
    m->stiffly_accurate &= implicit;
    m->estimate = t->b_hat ? KEEL_ESTIMATE_EMBEDDED
                : implicit && distinct_nodes(t, m->explicit_first) ? KEEL_ESTIMATE_ADDED
                : KEEL_ESTIMATE_DOUBLING;
}

int keel_method_create(keel_method **method, const keel_tableau *tableau)
{
    if (!method) return KEEL_BAD_ARGUMENT;
    keel_method *m = *method = calloc(1, sizeof *m);
    if (!m) return KEEL_NO_MEMORY;
    int rc = check(m, tableau);
    if (rc) return rc;
    arena a = {0};
    copy_tableau(&a, &m->tableau, tableau);
    m->block = arena_block(a.used);
    if (!m->block) return fail(&m->message, KEEL_NO_MEMORY, "no memory for a tableau");
    a = (arena){.base = m->block};
    copy_tableau(&a, &m->tableau, tableau);
    find_properties(m);
    return KEEL_OK;
}

void keel_method_free(keel_method *m)
{
    if (!m) return;
    arena_block_free(m->block);
    free(m);
}

const char *keel_method_message(const keel_method *m) { return m ? m->message.text : ""; }
const keel_tableau *keel_method_tableau(const keel_method *m) { return &m->tableau; }
keel_method_kind keel_method_kind_of(const keel_method *m) { return m->kind; }
keel_estimate keel_method_estimate(const keel_method *m) { return m->estimate; }
