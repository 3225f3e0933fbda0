/* making.c -- methods are copied into one block, and none of their numbers is infinite or NaN. */
#include "method/making.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *copy_text(arena *a, const char *text)
{
    if (!text) return NULL;
    size_t length = strlen(text) + 1;
    char *copy = ARENA(a, char, length);
    return copy ? memcpy(copy, text, length) : NULL;
}

const double *copy_numbers(arena *a, const double *x, int count)
{
    if (!x || count <= 0) return NULL;
    double *copy = ARENA(a, double, count);
    return copy ? memcpy(copy, x, (size_t)count * sizeof *copy) : NULL;
}

int method_given(keel_method **method, sized kind, void *to, const void *given, size_t size)
{
    message m;
    if (!method) return KEEL_BAD_ARGUMENT;
    *method = NULL;
    int rc = given ? sized_copy(&m, kind, to, given, size) : KEEL_OK;
    if (!rc) return KEEL_OK;
    *method = calloc(1, sizeof **method);
    if (*method) (*method)->message = m;
    return *method ? rc : KEEL_NO_MEMORY;
}

int method_fill(keel_method *m, method_layout *layout, const void *from)
{
    arena a = {0};
    layout(&a, m, from);
    m->block = arena_block(a.used);
    if (!m->block) {
        method_discard(m);
        return fail(&m->message, KEEL_NO_MEMORY, "no memory for the method");
    }
    a = (arena){.base = m->block};
    layout(&a, m, from);
    return KEEL_OK;
}

void method_discard(keel_method *m)
{
    arena_block_free(m->block);
    *m = (keel_method){.message = m->message};
}

/* 0, or the place of the first number that is not finite, from 1. */
static int not_finite(const double *x, int count)
{
    for (int i = 0; x && i < count; i++)
        if (!isfinite(x[i])) return i + 1;
    return 0;
}

int check_matrix(message *m, const char *what, const double *A, int rows, int columns)
{
    int bad = not_finite(A, rows * columns) - 1;
    if (bad < 0) return KEEL_OK;
    return fail(m, KEEL_BAD_ARGUMENT, "%s_%d,%d is not finite", what, bad / columns + 1,
                bad % columns + 1);
}

int check_vector(message *m, const char *what, const double *x, int count)
{
    int bad = not_finite(x, count);
    return bad ? fail(m, KEEL_BAD_ARGUMENT, "%s_%d is not finite", what, bad) : KEEL_OK;
}
