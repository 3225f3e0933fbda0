/* failure.c -- what is said when there is no solution. */
#include <math.h>

#include "boundary/ends.h"
#include "core/text.h"

static const char *unknown_name(const keel_boundary *w, int i)
{
    const keel_problem *p = w->spec.problem;
    return i < w->flow.n ? keel_variable_name(p, i)
                         : keel_parameter_name(p, w->flow.which[i - w->flow.n]);
}

/* " NAME", or nothing. */
typedef struct name_part { const char *blank, *name; } name_part;
static name_part condition_name(const keel_boundary *w, int i)
{
    return w->names && w->names[i] ? (name_part){" ", w->names[i]} : (name_part){"", ""};
}

/* The condition that is violated most, or -1. */
static int worst_condition(const keel_boundary *w, const mesh *s)
{
    int worst = -1;
    double largest = w->tolerance;               /* less is not worth mentioning */
    for (int i = 0; i < w->spec.conditions; i++)
        if (fabs(s->residual.condition[i]) > largest) {
            largest = fabs(s->residual.condition[i]);
            worst = i;
        }
    return worst;
}

/* How far other ways led, as the end of a sentence. */
static void tell_progress(const keel_boundary *w, char *room, size_t size)
{
    const progress *p = &w->progress;
    if (p->interval >= 0)
        text_append(room, size, ". From the left end, growing, the interval was solved up to t = "
                    "%.6g", w->spec.from + p->interval * (w->spec.to - w->spec.from));
    if (w->easy >= 0 && isnan(p->parameter))
        text_append(room, size, "; nor is there a solution for %s = %.6g, which was said to be "
                    "easy", keel_parameter_name(w->spec.problem, w->easy), w->options.easy_value);
    else if (w->easy >= 0)
        text_append(room, size, "; from %s = %.6g it was followed to %.6g",
                    keel_parameter_name(w->spec.problem, w->easy), w->options.easy_value,
                    p->parameter);
    text_append(room, size, ". A better guess may help%s",
                w->easy >= 0 ? "" : ", or a parameter that makes it easy (easy_name)");
}

/* The linear equations of Newton's method are singular: by which conditions, and in what? */
static int undetermined(keel_boundary *w, const mesh *s)
{
    message verdict;
    int found = ends_verdict(w, s, &verdict);
    if (found > 0 && ends_grow(w, s))
        return fail(&w->message, KEEL_ILL_CONDITIONED, "from t = %.6g to %.6g solutions of the linear "
                    "equations grow so much that rounding errors are all there is to see of conditions "
                    "at the other end: %s. Impose conditions where the solution depends on them less",
                    w->spec.from, w->spec.to, verdict.text);
    if (found > 0 && *verdict.text)
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
    char room[600] = "";
    int condition = worst_condition(w, s);
    text_append(room, sizeof room, "Newton's method does not converge: the largest correction is "
                "that of %s at t = %.10g", unknown_name(w, w->worst),
                flow_time(&w->flow, w->worst_t, NULL));
    if (condition >= 0)
        text_append(room, sizeof room, ", and condition [%d]%s%s is off by %.3g", condition,
                    condition_name(w, condition).blank, condition_name(w, condition).name,
                    s->residual.condition[condition]);
    tell_progress(w, room, sizeof room);
    return fail(&w->message, KEEL_NOT_CONVERGED, "%s", room);
}

/* Newton's method came to rest where an equation does not hold. */
static int unsolved(keel_boundary *w, const mesh *s)
{
    const equation *e = &w->unsolved;
    char what[160] = "", parameters[160] = "";
    int condition = e->kind == EQUATION_CONDITION, own = w->spec.conditions;
    if (!condition)
        text_append(what, sizeof what, "the equation of %s at t = %.10g",
                    unknown_name(w, e->which + (e->kind == EQUATION_ALGEBRAIC ? w->flow.nx : 0)),
                    flow_time(&w->flow, e->t, NULL));
    else if (e->which >= own && e->which < w->rows)
        text_append(what, sizeof what, "constraint %d at t = %.10g", e->which - own,
                    w->options.right ? w->to : w->from);
    else {
        int i = e->which < own ? e->which : e->which - w->rows + own;
        text_append(what, sizeof what, "condition [%d]%s%s", i, condition_name(w, i).blank,
                    condition_name(w, i).name);
    }
    for (int j = 0; j < w->flow.np; j++)
        text_append(parameters, sizeof parameters, "%s%s = %.3g", j ? ", " : " Parameters there: ",
                    unknown_name(w, w->flow.n + j), s->u.p[j]);
    return fail(&w->message, KEEL_NOT_CONVERGED, "Newton's method comes to rest where %s does not "
                "hold%s%.3g%s: there is no solution near, or the equations are singular there.%s",
                what, condition ? ", but is off by " : ": its residual is ",
                condition ? s->residual.condition[e->which] : e->size,
                condition ? "" : " times what is allowed", parameters);
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
    if (rc == BOUNDARY_NO_ALGEBRAIC)
        return fail(&w->message, KEEL_NOT_CONVERGED, "t = %.10g: for the differential unknowns on "
                    "this mesh, %d intervals, the algebraic equations have no solution near that of "
                    "the stages: more intervals or another guess may help", e->fault.t, s->N);
    if (rc == BOUNDARY_SINGULAR_STAGES)
        return fail(&w->message, KEEL_SINGULAR, "t = %.10g: the equations of the stages are "
                    "singular, on other meshes as well: try an even number of stages", e->fault.t);
    if (rc == BOUNDARY_SINGULAR_ENDS) return undetermined(w, s);
    if (rc == BOUNDARY_DIVERGES) return diverged(w, s);
    if (rc == BOUNDARY_UNSOLVED) return unsolved(w, s);
    if (rc == BOUNDARY_NO_MEMORY)
        return fail(&w->message, KEEL_NO_MEMORY, "no memory for the matrices of %d "
                    "intervals", s->N);
    fault_text(e, reason, (int)sizeof reason);
    return fail(&w->message, fault_status(e), "t = %.10g: %s", e->fault.t, reason);
}
