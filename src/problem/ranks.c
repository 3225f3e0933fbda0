/* ranks.c -- evaluations whose vectors are spread over ranks (keel/engine.h).
 *
 * A callback that fails on one rank leaves NaN, and its failure to the next message (core/norm.h): an
 * evaluation never costs one of its own.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "problem/problem.h"

/* Its text is the reducer's from now on. */
static int answer(evaluator *e, const rank_failure *f)
{
    memcpy(e->reducer->told, f->text, sizeof f->text);
    e->fault = (fault){.callback = "callback", .code = f->code, .t = f->t, .told = 1};
    return f->severity == 2 ? -1 : 1;
}

int eval_outcome(evaluator *e)
{
    if (!e->reducer || !e->reducer->met.severity) return 0;
    int rc = answer(e, &e->reducer->met);
    e->reducer->met.severity = 0;
    return rc;
}

int eval_engine(evaluator *e, const char *function, double t, int code)
{
    if (code == 0 || !e->engine) return code;
    ranks_reduce(e->reducer, 0, NULL, 0, NULL);        /* it may have met the NaN of a callback */
    int rc = eval_outcome(e);
    if (rc) return rc;
    rank_failure own = {.severity = code < 0 ? 2 : 1, .code = code, .t = t};
    number_print(own.text, sizeof own.text, "the engine's function `%s` returned %d at t = %.10g",
                 function, code, t);
    return answer(e, &own);
}

void eval_variable(const evaluator *e, int variable, char *text, int size)
{
    const keel_engine_spec *engine = e->engine ? &e->engine->spec : NULL;
    const char *name = keel_variable_name(e->problem, variable);
    if (!engine) snprintf(text, (size_t)size, "%s", name);
    else if (engine->name) engine->name(engine->context, variable, text, size);
    else snprintf(text, (size_t)size, "%s of rank %d", name, engine->rank);
}

void ranks_variable(evaluator *e, int variable, double share, char *text, int size)
{
    int known = variable >= 0 && variable < e->problem->n;
    double has = !known ? 0 : fabs(share) <= DBL_MAX ? DBL_MIN + fabs(share) : DBL_MAX / 2;
    text[0] = 0;
    if (known) eval_variable(e, variable, text, size);
    ranks_text(e->reducer, has, text, size);
    if (!text[0]) snprintf(text, (size_t)size, "an unknown");
}
