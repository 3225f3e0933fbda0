/* families.c -- Runge-Kutta families generated to any number of stages. */
#include "method/method.h"

#include <stdlib.h>
#include <string.h>

int family_coefficients(family_kind family, int s, double weight, double *A, double *b, double *c)
{
    (void)weight;
    if (family != FAMILY_RADAU_IIA || s < 1 || s > STAGES_MAX) return KEEL_UNSUPPORTED;
    arena a = {0};
    stage_method m;
    radau_iia(&a, s, &m);
    void *block = arena_block(a.used);
    if (!block) return KEEL_NO_MEMORY;
    a = (arena){.base = block};
    radau_iia(&a, s, &m);
    memcpy(A, m.A, (size_t)(s * s) * sizeof *A);
    memcpy(b, m.b, (size_t)s * sizeof *b);
    memcpy(c, m.c, (size_t)s * sizeof *c);
    arena_block_free(block);
    return KEEL_OK;
}
