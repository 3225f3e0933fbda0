/* consistent_original.c -- a formulation begins where its original would.
 *
 * The hidden levels of the original are invariants of most of its formulations, which could not find
 * them again: so the original is started, on all its levels, and its values are taken over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/consistent.h"

/* Marks travel as numbers on the way of the values. */
static void map_marks(const keel_solver *s, const keel_mark *marks, double *from, double *to,
                      keel_mark *mapped)
{
    int n = s->problem->original->n;
    for (int i = 0; i < s->n; i++) from[i] = marks[i];
    keel_formulation_to(s->problem, from, to);
    for (int i = 0; i < n; i++) mapped[i] = isnan(to[i]) ? KEEL_FREE : (keel_mark)(int)to[i];
}

static int start_original(keel_solver *s, keel_solver *other, const keel_mark *marks, double *from,
                          double *to, keel_mark *mapped)
{
    int n = s->problem->original->n;
    if (marks) map_marks(s, marks, from, to, mapped);
    keel_formulation_to(s->problem, s->y, to);
    for (int i = 0; i < n; i++) to[i] = isnan(to[i]) ? 0 : to[i];
    int rc = keel_start_marked(other, s->t, to, NULL, marks ? mapped : NULL);
    if (rc) return fail(&s->message, rc, "%s", keel_message(other));
    keel_formulation_from(s->problem, keel_state(other), s->y);
    return KEEL_OK;
}

int consistent_original(keel_solver *s, const keel_mark *marks)
{
    const keel_problem *original = s->problem->original;
    keel_options options = {.method = "radau-iia", .rtol = s->options.rtol, .atol = s->options.atol,
                            .jacobian_differences = s->options.jacobian_differences};
    size_t n = (size_t)original->n;
    double *numbers = malloc((n + (size_t)s->n) * sizeof *numbers);
    keel_mark *mapped = malloc(n * sizeof *mapped);
    keel_solver *other = NULL;
    int rc = numbers && mapped ? keel_solver_create(&other, original, &options) : KEEL_NO_MEMORY;
    if (rc == KEEL_OK) rc = start_original(s, other, marks, numbers + n, numbers, mapped);
    else fail(&s->message, rc, "%s", other ? keel_message(other) : keel_status_text(rc));
    keel_solver_free(other);
    free(numbers);
    free(mapped);
    return rc;
}
