/* start_check.c -- a wrong derivative is named before it spoils a run.
 *
 * Each derivative is compared with differences along one direction (problem/check.h), beside the
 * values given: at these, velocities may be 0, and with them all that a wrong curvature does.  Only
 * what looks wrong is compared entry by entry, and only what that confirms is a failure.  It comes
 * before the search for consistent values, which a wrong constraint Jacobian would lead astray.
 */
#include "integrate/integrator.h"
#include "problem/check.h"

static int accuse(keel_solver *s, const check *k)
{
    const char *more = k->found > 1 ? " (and more)" : "";
    return fail(&s->message, KEEL_WRONG_DERIVATIVE, "t = %.10g: %s%s.  keel_check lists all that "
                "does not fit; option check = none starts all the same", k->t_given,
                k->findings[0].text, more);
}

static int stopped(keel_solver *s, const check *k)
{
    char reason[256];
    if (k->no_memory)
        return fail(&s->message, KEEL_NO_MEMORY, "no memory to check the derivatives");
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

int start_check(keel_solver *s, const keel_start_spec *spec)
{
    check k;
    if (s->options.check == KEEL_CHECK_NONE) return KEEL_OK;
    int rc = check_create(&k, s->problem, spec->t, spec->y, spec->yp);
    if (rc) rc = fail(&s->message, rc, "no memory to check the derivatives");
    else if (compare(s, &k) < 0) rc = stopped(s, &k);
    else if (k.found > 0) rc = accuse(s, &k);
    check_release(&k);
    return rc;
}
