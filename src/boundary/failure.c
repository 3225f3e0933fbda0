/* failure.c -- what is said when there is no solution. */
#include <math.h>

#include "boundary/ends.h"

static const char *unknown_name(const keel_boundary *w, int i)
{
    const keel_problem *p = w->spec.problem;
    return i < w->flow.n ? keel_variable_name(p, i)
                         : keel_parameter_name(p, w->flow.which[i - w->flow.n]);
}

/* The condition that is violated most. */
static int worst_condition(const keel_boundary *w, const mesh *s)
{
    int worst = -1;
    double largest = 0;
    for (int i = 0; i < w->spec.conditions; i++)
        if (fabs(s->residual.condition[i]) > largest) {
            largest = fabs(s->residual.condition[i]);
            worst = i;
        }
    return worst;
}

/* The linear equations of Newton's method are singular: by which conditions, and in what? */
static int undetermined(keel_boundary *w, const mesh *s)
{
    message verdict;
    if (ends_verdict(w, s, &verdict) > 0 && *verdict.text)
        return fail(&w->message, KEEL_SINGULAR, "the conditions do not determine a solution: %s, where "
                    "Newton's method is now; another guess may be needed where conditions are not "
                    "linear", verdict.text);
    return fail(&w->message, KEEL_SINGULAR, "the conditions do not determine a solution: with "
                "those given the linear equations of Newton's method are singular; either two "
                "conditions say the same, or the problem has many solutions, or a guess other "
                "than this is needed");
}

static int diverged(keel_boundary *w, mesh *s)
{
    message verdict, said;
    int found = ends_verdict(w, s, &verdict), ill_posed = conditioning_hopeless(w, s);
    if (ill_posed && found > 0 && *verdict.text) {
        said = w->message;
        return fail(&w->message, ill_posed, "%s. Up to 1e-8 %s", said.text, verdict.text);
    }
    if (ill_posed) return ill_posed;
    int condition = worst_condition(w, s);
    const char *name = condition >= 0 && w->names && w->names[condition] ? w->names[condition] : "";
    if (condition < 0)
        return fail(&w->message, KEEL_NOT_CONVERGED, "Newton's method does not converge: the largest "
                    "correction is that of %s at t = %.10g; a better guess may help",
                    unknown_name(w, w->worst), w->worst_t);
    return fail(&w->message, KEEL_NOT_CONVERGED, "Newton's method does not converge: the largest "
                "correction is that of %s at t = %.10g, and condition [%d]%s%s is off by %.3g; a "
                "better guess may help", unknown_name(w, w->worst), w->worst_t, condition,
                *name ? " " : "", name, s->residual.condition[condition]);
}

int boundary_failure(keel_boundary *w, mesh *s, int rc)
{
    char reason[256];
    const evaluator *e = &w->flow.e;
    if (rc == BOUNDARY_SINGULAR_FIELD)
        return fail(&w->message, KEEL_WRONG_INDEX, "t = %.10g: the algebraic equations do not "
                    "determine the algebraic unknowns (no pivot for %s): the index is not %d there, "
                    "or constraints depend on each other", e->fault.t,
                    keel_variable_name(w->spec.problem, w->flow.nx + w->flow.dependent - 1),
                    keel_problem_index(w->spec.problem));
    if (rc == BOUNDARY_SINGULAR_STAGES)
        return fail(&w->message, KEEL_SINGULAR, "t = %.10g: the equations of the stages are "
                    "singular: try an even number of stages, or another mesh", e->fault.t);
    if (rc == BOUNDARY_SINGULAR_ENDS) return undetermined(w, s);
    if (rc == BOUNDARY_DIVERGES) return diverged(w, s);
    fault_text(e, reason, (int)sizeof reason);
    return fail(&w->message, fault_status(e), "t = %.10g: %s", e->fault.t, reason);
}
