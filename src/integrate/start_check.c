/* start_check.c -- a wrong derivative is named before it spoils a run.
 *
 * Each derivative is compared with differences along one direction (problem/check.h), beside the
 * values given: at these, velocities may be 0, and with them all that a wrong curvature does.  Only
 * what looks wrong is compared entry by entry, and only what that confirms is a failure.  It comes
 * before the search for consistent values, which a wrong constraint Jacobian would lead astray.  The
 * links between levels, and attached rows, can be judged at consistent values only.
 */
#include <stdlib.h>

#include "integrate/integrator.h"
#include "problem/check.h"

static int no_memory(keel_solver *s, int rc)
{
    return fail(&s->message, rc, "no memory to check the derivatives");
}

static int stopped(keel_solver *s, const check *k)
{
    char reason[256];
    if (k->no_memory) return no_memory(s, KEEL_NO_MEMORY);
    s->eval.fault = k->e->fault;
    fault_text(&s->eval, reason, sizeof reason);
    return fail(&s->message, KEEL_CALLBACK_FAILED, "t = %.10g: %s, where derivatives are compared "
                "with differences at the start", s->eval.fault.t, reason);
}

/* < 0: stopped. */
static int compare(keel_solver *s, check *k)
{
    keel_check_item items[2];
    int rc = 0, count = 0;
    for (int i = 0; i < k->count && rc >= 0 && k->found == 0; i++) {
        const claim *c = &k->claims[i];
        int used = c->given && !(c->replaceable && s->options.jacobian_differences);
        rc = used ? check_direction(k, c) : 0;
        if (rc > 0) rc = check_claim(k, c);
    }
    return rc >= 0 && k->found == 0 ? check_mass(k, items, &count) : rc;
}

/* What the comparison found, as a status with a message. */
static int conclude(keel_solver *s, const check *k, int rc)
{
    if (rc < 0) return stopped(s, k);
    if (k->found == 0) return KEEL_OK;
    return fail(&s->message, KEEL_WRONG_DERIVATIVE, "t = %.10g: %s%s.  keel_check lists all that does not fit"
                "; option check = none starts all the same", k->t_given, k->findings[0].text,
                k->found > 1 ? " (and more)" : "");
}

int start_check_prepare(keel_solver *s)
{
    enum { BYTES_MOST = 1 << 15 };               /* what is more is not kept between starts */
    if (s->options.check == KEEL_CHECK_NONE || s->eval.engine) return KEEL_OK;
    s->checker = malloc(sizeof *s->checker);
    if (!s->checker) return KEEL_NO_MEMORY;
    const int rc = check_make(s->checker, s->problem, BYTES_MOST);
    if (rc != KEEL_OK) start_check_release(s);
    return rc == KEEL_UNSUPPORTED ? KEEL_OK : rc;
}

void start_check_release(keel_solver *s)
{
    if (s->checker) check_release(s->checker);
    free(s->checker);
    s->checker = NULL;
}

int start_check(keel_solver *s, const keel_start_spec *spec)
{
    check own, *k = s->checker ? s->checker : &own;
    if (s->options.check == KEEL_CHECK_NONE) return KEEL_OK;
    int rc = (s->checker ? check_begin : check_create)(k, s->problem, spec->t, spec->y, spec->yp);
    rc = rc ? no_memory(s, rc) : conclude(s, k, compare(s, k));
    if (s->checker) check_clear(k);
    else check_release(k);
    return rc;
}

int start_check_links(keel_solver *s)
{
    const keel_problem *p = s->problem;
    check k;
    keel_check_item items[KEEL_LEVELS_MOST + 2];
    int count = 0, linked = (p->ops == &levelled_form && p->levels > 1) || p->attached.rows > 0;
    if (!linked || s->options.check == KEEL_CHECK_NONE ||
        s->options.initial != KEEL_INITIAL_CONSISTENT) return KEEL_OK;
    int rc = check_create(&k, p, s->t, s->y, s->yp);
    rc = rc ? no_memory(s, rc) : conclude(s, &k, check_links(&k, items, &count));
    check_release(&k);
    return rc;
}
