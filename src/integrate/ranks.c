/* ranks.c -- solvers whose vectors are spread over ranks: what goes, and what all ranks must agree on. */
#include "integrate/integrator.h"

static const char *form_obstacle(const keel_solver *s)
{
    const keel_problem *p = s->problem;
    const keel_engine_spec *e = &s->options.engine->spec;
    if (p->original) return "formulations of other problems are not solved: give the equations as they are";
    if (p->attached.rows > 0) return "attached rows are not kept: they need dense matrices";
    if (p->ops == &quasilinear_form)
        return !p->spec.quasilinear.constant_mass ? "M y' = f needs a constant M: set constant_mass"
             : !e->multiply_mass ? "M y' = f needs its function `multiply_mass`"
             : p->index > 1 ? "M y' = f is solved with index 1 alone: use the Hessenberg form" : NULL;
    if (p->ops == &hessenberg3_form && e->saddle_index < 3)
        return "Hessenberg index 3 needs a saddle matrix of that form: saddle_index = 3";
    if (p->ops == &hessenberg2_form || p->ops == &hessenberg3_form)
        return e->prepare_saddle ? NULL : "Hessenberg problems need its functions `prepare_saddle` and "
                                          "`solve_saddle`";
    if (p->ops != &ode_form && p->ops != &semi_explicit_form)
        return "problems are ODEs, semi-explicit, Hessenberg index 2 or 3, or M y' = f with a constant M: "
               "mechanical and levelled forms hand over matrices of whole rows";
    return NULL;
}

static const char *option_obstacle(const keel_solver *s)
{
    const keel_options *o = &s->options;
    if (s->events) return "neither events nor frames are followed";
    if (o->linear != KEEL_LINEAR_AUTO) return "`linear` has no meaning: the engine's systems are used";
    if (o->projection == KEEL_PROJECT_ORTHOGONAL) return "projection is oblique: an orthogonal one needs "
                                                         "dense matrices";
    if (o->multipliers == KEEL_MULTIPLIERS_HIDDEN && s->problem->levels == 1)
        return "algebraic unknowns are those of the stages: leave multipliers at auto";
    if (o->initial == KEEL_INITIAL_GIVEN && s->problem->ops->mass)
        return "initial values of M y' = f are made consistent: `initial` = given needs dense matrices";
    return NULL;
}

int engine_make(keel_solver *s)
{
    if (s->options.linear != KEEL_LINEAR_KRYLOV || s->options.engine) return KEEL_OK;
    int rc = keel_krylov_engine(&s->own_engine, &(keel_krylov_spec){.problem = s->problem});
    if (rc) return fail(&s->message, rc, "linear = krylov: %s", keel_engine_message(s->own_engine));
    s->options.engine = s->own_engine;
    s->options.linear = KEEL_LINEAR_AUTO;
    return KEEL_OK;
}

int engine_check(keel_solver *s)
{
    keel_engine *e = s->options.engine;
    if (!e && s->problem->unformed)
        return fail(&s->message, KEEL_UNSUPPORTED, "the problem declares that no matrices are formed "
                    "(KEEL_UNFORMED): its solver needs an engine, such as linear = krylov");
    if (!e) return KEEL_OK;
    if (!e->ready)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "the engine was not created successfully: see "
                    "keel_engine_message");
    if (e->used) return fail(&s->message, KEEL_BAD_ARGUMENT, "the engine serves another solver already");
    if (e->served && e->served != s->problem)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "the engine was made for another problem");
    const char *obstacle = form_obstacle(s);
    if (!obstacle) obstacle = option_obstacle(s);
    return obstacle ? fail(&s->message, KEEL_UNSUPPORTED, "with an engine %s", obstacle) : KEEL_OK;
}

int engine_check_method(keel_solver *s, const keel_method *method)
{
    const char *name = method ? method->tableau.name : s->options.method;
    int bdf = s->range == METHOD_BDF;
    int stages = method ? kind_is_implicit(method->kind) || method->kind == KEEL_METHOD_ROSENBROCK
                        : s->range != METHOD_DIMSIM;
    int half = method && method->kind == KEEL_METHOD_HALF_EXPLICIT;
    int slopes = half || (method && method->kind == KEEL_METHOD_EXPLICIT);
    if (!s->options.engine || bdf || stages || (slopes && s->problem->ops == &ode_form) ||
        (half && has_manifold(s->problem)))
        return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED, "with an engine methods are bdf, Rosenbrock, implicit "
                "Runge-Kutta (radau-iia, gauss, sdirk, esdirk, ...), half-explicit ones for Hessenberg "
                "forms and ODEs, and for ODEs explicit ones, not %s", name);
}

int engine_check_formulation(keel_solver *s)
{
    const keel_method *method = s->mode[0].method;
    if (!s->options.engine || !s->formulated) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED, "with an engine formulations of other problems are not "
                "solved, as %s would need one here: take a method whose stages are of higher order, like "
                "radau-iia, or a half-explicit one", method ? method->tableau.name : "bdf");
}

int engine_share(keel_solver *s, int rc)
{
    return ranks_status(s->eval.reducer, rc, s->message.text, sizeof s->message.text);
}

int engine_agree(keel_solver *s, int rc)
{
    keel_engine *e = s->options.engine;
    if (!e || !e->ready || (e->used && s->eval.engine != e)) return rc;
    rc = ranks_status(&e->reducer, rc, s->message.text, sizeof s->message.text);
    double most[2] = {-s->least_tolerance, -s->eval.accuracy}, sum = s->n;
    if (!rc) ranks_reduce(&e->reducer, 1, &sum, 2, most);
    if (rc) return rc;
    if (e->reducer.met.severity) return fail(&s->message, KEEL_CALLBACK_FAILED, "%s", e->reducer.met.text);
    s->least_tolerance = -most[0];
    s->eval.accuracy = -most[1];
    s->unknowns = sum;
    return KEEL_OK;
}
