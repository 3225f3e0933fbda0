/* solver.c -- the solver object: creation and questions, which leave a run as it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/options.h"
#include "event/event.h"
#include "integrate/integrator.h"
#include "integrate/iteration.h"

/* ---- creation ----------------------------------------------------------------------------- */

static int check_tolerances(keel_solver *s)
{
    const keel_options *o = &s->options;
    for (int i = 0; i < s->n; i++) {
        double rtol = o->rtol_each ? o->rtol_each[i] : o->rtol;
        double atol = o->atol_each ? o->atol_each[i] : o->atol;
        if (!(rtol >= 0) || !(atol >= 0) || !(rtol + atol > 0) || !isfinite(rtol + atol))
            return fail(&s->message, KEEL_BAD_ARGUMENT,
                        "tolerances of %s: rtol = %g and atol = %g must not be negative, nor both 0",
                        keel_variable_name(s->problem, i), rtol, atol);
    }
    return KEEL_OK;
}

/* Is it a multistep or general linear method, or several of them? */
static int carries_values(const keel_solver *s, const keel_method *method)
{
    return s->range >= METHOD_BDF || (method && kind_carries_values(method->kind));
}

/* Can z of index 1 be solved for after a step of any method? */
static int may_solve_algebraic(const keel_solver *s)
{
    return s->problem->levels != 1 || s->problem->constraints <= INDEX1_MOST;
}

/* The error of a variable step is known in y, and comes back in multipliers of the method divided by
 * its size.  Levelled problems give the equation for z whatever their stages solve. */
static void choose_multipliers(keel_solver *s)
{
    int index1 = s->problem->levels == 1;
    int solved_for = s->options.step == 0 || s->problem->ops == &levelled_form;
    int own = carries_values(s, s->mode[0].method) && !solved_for;
    own |= index1 && (s->options.projection == KEEL_PROJECT_NONE || !may_solve_algebraic(s) ||
                      s->options.engine);
    if (s->options.multipliers == KEEL_MULTIPLIERS_AUTO)
        s->options.multipliers = own ? KEEL_MULTIPLIERS_RECURSION : KEEL_MULTIPLIERS_HIDDEN;
}

/* General linear methods choose step size and order together, by biases of their own. */
static int check_safety(keel_solver *s)
{
    const keel_method *method = s->mode[0].method;
    int general = method ? method->kind == KEEL_METHOD_GENERAL_LINEAR : s->range == METHOD_DIMSIM;
    if (s->options.safety == 0 || s->options.step > 0 || !general) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED, "safety has no meaning for the general linear "
                "method %s: leave it, or use smaller tolerances",
                method ? method->tableau.name : "dimsim");
}

static int check_multipliers(keel_solver *s, keel_multipliers given)
{
    const keel_method *method = s->mode[0].method;
    int explicitly = s->modes == 1 && method && method->kind == KEEL_METHOD_EXPLICIT;
    if (given != KEEL_MULTIPLIERS_HIDDEN || explicitly || may_solve_algebraic(s)) return KEEL_OK;
    return fail(&s->message, KEEL_UNSUPPORTED, "multipliers = hidden: after a step of an implicit "
                "method at most %d algebraic unknowns of index 1 are solved for, not %d. Leave it "
                "at auto: the stages solve for them", INDEX1_MOST, s->problem->constraints);
}

static int choose_method(keel_solver *s)
{
    const char *suggestion = NULL;
    const keel_method *own = s->options.tableau;
    s->modes = 1;
    s->range = METHOD_ONE;
    if (own && !own->block)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "the method given as `tableau` was not created "
                    "successfully: see keel_method_message");
    int rc = own ? method_copy(&s->mode[0].method, own)
                 : method_choose(s->options.method, &s->range, &s->mode[0].method, &suggestion);
    s->options.tableau = NULL;                   /* copied, not kept */
    if (!rc && s->range == METHOD_AUTO) rc = automatic_choose(s);
    choose_multipliers(s);
    if (rc == KEEL_UNKNOWN_NAME)
        return fail(&s->message, rc, "there is no method %s; did you mean %s?", s->options.method,
                    suggestion ? suggestion : "radau-iia");
    if (rc == KEEL_NO_MEMORY) return fail(&s->message, rc, "no memory for the method");
    return rc ? fail(&s->message, rc, "%s", keel_method_message(s->mode[0].method)) : KEEL_OK;
}

/* The entries of a complex matrix are counted in `int`: 2 n^2 <= INT_MAX. */
enum { DENSE_MOST = 32767 };

static int check_linear(keel_solver *s)
{
    keel_linear linear = s->options.linear;
    if (linear == KEEL_LINEAR_MECHANICAL && !form_has(s->problem, FORM_ACCELERATIONS))
        return fail(&s->message, KEEL_UNSUPPORTED,
                    "linear = mechanical needs a mechanical problem; this one is %s",
                    s->problem->ops->name);
    const keel_method *method = s->mode[0].method;
    if (linear == KEEL_LINEAR_MECHANICAL &&
        (method ? !method->radau_iia : carries_values(s, method)))
        return fail(&s->message, KEEL_UNSUPPORTED,
                    "linear = mechanical goes with Radau IIA alone, not with %s: try dense",
                    method ? method->tableau.name : s->options.method);
    int sparse = mechanical_is_sparse(s->problem);
    if (linear == KEEL_LINEAR_MECHANICAL && sparse)
        return fail(&s->message, KEEL_UNSUPPORTED, "linear = mechanical needs dense matrices, but "
                    "the patterns of this problem are sparse: leave it at auto");
    if (linear == KEEL_LINEAR_BAND && s->problem->pattern.storage != KEEL_BAND)
        return fail(&s->message, KEEL_UNSUPPORTED,
                    "linear = band needs a problem with a band pattern");
    if (s->n > DENSE_MOST && !s->problem->unformed && choose_storage(s) == KEEL_DENSE)
        return fail(&s->message, KEEL_UNSUPPORTED, "%d unknowns are too many for dense matrices (at most %d): leave "
                    "linear at auto", s->n, DENSE_MOST);
    return KEEL_OK;
}

/* By the kind of the method; for Radau IIA dense mechanical problems have an integrator of their own
 * unless another linear algebra is asked for. */
static const integrator *integrator_for(const keel_solver *s, const keel_method *method)
{
    if (method && method->kind == KEEL_METHOD_EXPLICIT) return &explicit_integrator;
    if (method && method->kind == KEEL_METHOD_ROSENBROCK) return &rosenbrock_integrator;
    int hidden = s->problem->levels > 1 || !form_has(s->problem, FORM_STATE_SPACE);
    if (method && method->kind == KEEL_METHOD_HALF_EXPLICIT)     /* explicit, but for constraints */
        return hidden ? &half_explicit_integrator : &explicit_integrator;
    if (carries_values(s, method)) return &multivalue_integrator;
    int own = s->options.linear == KEEL_LINEAR_AUTO || s->options.linear == KEEL_LINEAR_MECHANICAL;
    int radau = !method || method->radau_iia;
    int dense = form_has(s->problem, FORM_ACCELERATIONS) && !mechanical_is_sparse(s->problem);
    return dense && own && radau ? &mechanical_integrator : &implicit_integrator;
}

/* `measured`: zeros, in place of the states while there is no block. */
static void mode_layout(arena *a, keel_solver *s, int k, void *measured)
{
    solver_mode *mode = &s->mode[k];
    mode_enter(s, k);
    mode->state = arena_object(a, 1, s->integrator->state_size);
    s->state = mode->state ? mode->state : memset(measured, 0, s->integrator->state_size);
    s->integrator->layout(a, s);
    projection unset = {0};
    mode->projection = ARENA_OBJECT(a, projection, 1);
    projection_layout(a, mode->projection ? mode->projection : &unset, s->problem,
                      s->options.projection == KEEL_PROJECT_ORTHOGONAL, s->eval.engine);
    mode->values = s->dense.values;
    mode->end = a->used;
}

static void layout(arena *a, keel_solver *s, void *measured)
{
    ARENA_VECTORS(a, s->n, &s->rtol, &s->atol, &s->weight, &s->y, &s->yp);
    s->marks = ARENA(a, keel_mark, s->n);
    s->moved = ARENA(a, keel_move, s->n);
    ARENA_VECTORS(a, s->n, &s->unprojected, &s->interpolated, &s->headway.y[0], &s->headway.y[1],
                  &s->headway.start);
    s->violation = ARENA(a, double, s->problem->constraints + s->problem->attached.rows);
    evaluator_layout(a, &s->eval, s->problem);
    if (a->base) event_frame(s, &s->eval);
    if (!s->eval.engine) {
        dependence_layout(a, &s->dependence, s->given);
        gauge_layout(a, &s->gauge, s->problem);
    }
    for (int k = 0; k < s->modes; k++) mode_layout(a, s, k, measured);
    if (!s->eval.engine) {
        impasse_layout(a, &s->impasse, s->problem);
        passage_layout(a, &s->passage, s);
    }
    arena_list_buffers(a);
}

static int allocate(keel_solver *s)
{
    arena a = {0};
    size_t largest = 0;
    for (int k = 0; k < s->modes; k++)
        if (s->mode[k].integrator->state_size > largest) largest = s->mode[k].integrator->state_size;
    void *measured = malloc(largest);
    if (!measured) return KEEL_NO_MEMORY;
    layout(&a, s, measured);
    free(measured);
    s->parts = ARENA(&a, tape_part, a.parts);    /* measured */
    s->block = arena_block(s->block_bytes = a.used);
    if (!s->block) return KEEL_NO_MEMORY;
    s->parts = (tape_part *)((char *)s->block + a.used) - a.parts;
    a = (arena){.base = s->block, .part = s->parts};
    layout(&a, s, NULL);
    s->part_count = a.parts;
    impasse_create(&s->impasse, s->problem);
    passage_create(&s->passage, s);
    int rc = evaluator_create(&s->eval);
    if (!rc) rc = start_check_prepare(s);
    if (!rc && !s->eval.engine) rc = dependence_create(&s->dependence);
    if (!rc && !s->eval.engine) rc = gauge_create(&s->gauge);
    for (int k = 0; k < s->modes && !rc; k++) {
        mode_enter(s, k);
        rc = projection_create(projection_of(s));
        if (!rc) rc = s->integrator->create(s);
    }
    s->least_tolerance = INFINITY;
    for (int i = 0; i < s->n && !rc; i++) {
        s->rtol[i] = s->options.rtol_each ? s->options.rtol_each[i] : s->options.rtol;
        s->atol[i] = s->options.atol_each ? s->options.atol_each[i] : s->options.atol;
        double accuracy = s->options.step > 0 ? 0 : s->rtol[i] + s->atol[i];
        s->eval.accuracy = i == 0 ? accuracy : fmin(s->eval.accuracy, accuracy);
        s->least_tolerance = fmin(s->least_tolerance, relative_tolerance(s, i));
    }
    if (s->eval.engine) s->eval.engine->rtol = s->rtol, s->eval.engine->atol = s->atol;
    s->unknowns = s->n;
    return rc;
}

/* What the factors would have taken, and how to do with less. */
static void say_memory(keel_solver *s)
{
    double n = s->n, entries = n * n;
    const keel_pattern *p = &s->problem->pattern;
    int sparse = choose_storage(s) == KEEL_SPARSE, band = choose_storage(s) == KEEL_BAND;
    if (band) entries = n * (2.0 * p->lower + p->upper + 1);
    if (sparse && s->factor_bytes > 0)
        fail(&s->message, KEEL_NO_MEMORY, "no memory for a solver of %d unknowns by %s, whose sparse factors may "
             "take %.4g MB: try bdf, which factors one real matrix, or linear = krylov", s->n, s->stats.method,
             1e-6 * s->factor_bytes);
    else if (sparse)
        fail(&s->message, KEEL_NO_MEMORY, "no memory for a solver of %d unknowns by %s with %d entries of "
             "its sparse matrix: try bdf, which factors one real matrix", s->n, s->stats.method,
             p->storage == KEEL_SPARSE ? p->column_start[s->n] : 0);
    else
        fail(&s->message, KEEL_NO_MEMORY, "no memory for a solver of %d unknowns by %s: a %s factorization "
             "takes %.4g MB, twice as much for a complex one. Try %s", s->n, s->stats.method,
             band ? "band" : "dense", 8e-6 * entries,
             p->storage == KEEL_SPARSE ? "linear = sparse" : "a sparse or band pattern, or bdf");
}

int solver_build(keel_solver *s, const keel_problem *problem)
{
    s->problem = s->given = problem;
    s->n = problem->n;
    s->levels = keel_problem_levels(problem);
    s->attached = problem_root(problem)->attached.rows > 0;
    int rc = check_tolerances(s);
    keel_multipliers multipliers = s->options.multipliers;
    if (!rc) rc = engine_make(s);
    if (!rc) rc = engine_check(s);
    if (!rc) rc = choose_method(s);
    for (int k = 0; k < s->modes && !rc; k++) rc = engine_check_method(s, s->mode[k].method);
    if (!rc) rc = check_multipliers(s, multipliers);
    if (!rc) rc = check_safety(s);
    if (!rc) rc = converging_form(s);
    if (!rc) rc = check_linear(s);
    if (rc) return rc;
    for (int k = 0; k < s->modes && !rc; k++) {
        s->mode[k].integrator = integrator_for(s, s->mode[k].method);
        mode_enter(s, k);
        if (s->integrator->check) rc = s->integrator->check(s);
    }
    if (!rc) rc = engine_check_formulation(s);
    if (rc) return rc;
    s->eval.engine = s->options.engine;
    s->eval.reducer = s->eval.engine ? &s->eval.engine->reducer : NULL;
    if (s->eval.engine) s->eval.engine->used = 1, s->eval.engine->stats = &s->stats;
    rc = allocate(s);
    s->options.rtol_each = s->options.atol_each = NULL;            /* copied, not kept */
    if (rc == KEEL_NO_MEMORY)
        say_memory(s);
    else if (rc && !s->message.text[0])
        fail(&s->message, rc, "%s", s->options.linear == KEEL_LINEAR_UMFPACK
             ? "this build has no UMFPACK: try linear = auto"
             : "this build cannot factor sparse matrices: configure it with KLU");
    return rc;
}

int keel_solver_create_sized(keel_solver **solver, const keel_problem *problem,
                             const keel_options *options, size_t size)
{
    if (!solver) return KEEL_BAD_ARGUMENT;
    keel_solver *s = *solver = calloc(1, sizeof *s);
    if (!s) return KEEL_NO_MEMORY;
    if (!problem || !problem->names)
        return fail(&s->message, KEEL_BAD_ARGUMENT,
                    "there is no problem, or its creation failed: see keel_problem_message");
    s->eval.stats = &s->stats;
    int rc = options_resolve(&s->options, options, size, &s->message);
    s->eval.differences = s->options.jacobian_differences;
    s->eval.package = s->options.linear == KEEL_LINEAR_UMFPACK ? LINEAR_UMFPACK
                      : s->options.linear == KEEL_LINEAR_SPARSE ? LINEAR_KLU : LINEAR_BY_SIZE;
    if (!rc) rc = event_create(s, problem);
    if (rc == KEEL_NO_MEMORY) fail(&s->message, rc, "no memory for the events of a solver");
    if (!rc) rc = solver_build(s, s->problem);
    if (!rc && s->events) view_bind(s);
    rc = engine_agree(s, rc);
    s->ready = rc == KEEL_OK;
    return rc;
}

void solver_dismantle(keel_solver *s)
{
    for (int k = 0; k < s->modes; k++) {
        if (!s->mode[k].state) continue;         /* creation failed before that */
        mode_enter(s, k);
        if (s->integrator->release) s->integrator->release(s);
        if (s->mode[k].iteration) local_engine_release(&s->mode[k].iteration->local);
        projection_release(projection_of(s));
    }
    evaluator_release(&s->eval);
    start_check_release(s);
    dependence_release(&s->dependence);
    gauge_release(&s->gauge);
    if (s->eval.engine) s->eval.engine->used = 0, s->eval.engine->stats = NULL, s->eval.engine->rtol = NULL;
    keel_engine_free(s->own_engine);
    arena_block_free(s->block);
    for (int k = 0; k < s->modes; k++) keel_method_free(s->mode[k].method);
    keel_problem_free(s->formulated);
}

void keel_solver_free(keel_solver *s)
{
    if (!s || s->busy) return;                   /* busy: a callback frees who calls it */
    solver_dismantle(s);
    void *note = s->note;
    structure_free(s);
    event_free(s);
    free(note);
    free(s);
}

/* ---- questions ---------------------------------------------------------------------------- */

double keel_time(const keel_solver *s) { return s ? s->t : NAN; }
double keel_previous_time(const keel_solver *s) { return s ? s->t_previous : NAN; }

const double *keel_state(const keel_solver *s)
{
    return !s ? NULL : has_structures(s) ? structure_state(s) : s->y;
}

double keel_factor_bytes(const keel_solver *s)
{
    return s ? s->factor_bytes : 0;
}

const keel_stats *keel_solver_stats(const keel_solver *s)
{
    static const keel_stats none = {0};
    return s ? &s->stats : &none;
}

const char *keel_choice(const keel_solver *s) { return s ? s->choice.text : ""; }
const char *keel_message(const keel_solver *s) { return s ? s->message.text : ""; }
const keel_problem *keel_solver_problem(const keel_solver *s) { return s ? s->face : NULL; }

const char *keel_reason(int status, const keel_problem *p, const keel_solver *s)
{
    const char *said = keel_message(s);
    if (!said[0]) said = keel_problem_message(p);
    return said[0] ? said : keel_status_text(status);
}

void keel_residuals(const keel_solver *s, double residual[3])
{
    for (int k = 0; residual && k < 3; k++) residual[k] = keel_level_residual(s, k);
}

double keel_level_residual(const keel_solver *s, int level)
{
    return s && level >= 0 && level < KEEL_LEVELS_MOST ? s->residual[level] : -1;
}

int keel_invariant_at(const keel_solver *s, int row, keel_invariant *found)
{
    return s && s->started && found ? eval_deviation(&s->eval, row, found) : KEEL_BAD_ARGUMENT;
}

/* A row that depends on others binds nothing at any of its levels. */
int keel_solver_freedom(const keel_solver *s)
{
    if (!s || !s->given) return -1;
    int freedom = keel_problem_freedom(s->given), dependent = s->dependence.count;
    if (dependent) dependent *= s->given->constraints / s->dependence.m;     /* ggl has them twice */
    if (s->eval.gauge) dependent += s->eval.gauge->count;
    return freedom < 0 ? freedom : freedom + dependent * (s->given->levels - 1);
}

int keel_moved_count(const keel_solver *s) { return s ? s->moves : 0; }

int keel_moved(const keel_solver *s, int i, keel_move *move)
{
    if (!s || !move || i < 0 || i >= s->moves) return KEEL_BAD_ARGUMENT;
    *move = s->moved[i];
    if (has_structures(s)) move->variable = s->events->source[move->variable];
    return KEEL_OK;
}

/* What the run reports and counts, which is not to be of a question. */
typedef struct run_record {
    keel_stats stats;
    attempt_report report;
    fault fault;
} run_record;

static run_record set_aside(keel_solver *s)
{
    evaluator_recall(&s->eval);
    s->eval.asked = 1;
    return (run_record){s->stats, s->report, s->eval.fault};
}

static void put_back(keel_solver *s, const run_record *r)
{
    s->eval.asked = 0;
    s->stats = r->stats;
    s->report = r->report;
    s->eval.fault = r->fault;
}

int solver_dense(keel_solver *s)
{
    if (!s->dense_due || !s->integrator->dense) return KEEL_OK;
    const run_record run = set_aside(s);
    attempt_result result = s->integrator->dense(s);
    int rc = result == ATTEMPT_DONE ? KEEL_OK : point_failure(s, result, "inside the last step");
    put_back(s, &run);
    return rc;
}

/* Is t in the last step?  Its polynomial then, or NULL with a message. */
static const interpolant *polynomial_at(keel_solver *s, double t)
{
    const interpolant *p = solver_polynomial(s);
    double theta = p ? (t - p->t0) / p->h : 0, end = p ? (s->t - p->t0) / p->h : 0;
    if (!p)
        fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g cannot be interpolated: there is no step yet, "
             "and the run is at t = %.10g", t, s->t);
    else if (!(theta >= -1e-12 && theta <= end + 1e-12))
        fail(&s->message, KEEL_BAD_ARGUMENT, "t = %.10g lies outside the last step, from %.10g to "
             "%.10g: keel_advance first, or record steps by keel_solution_append", t, p->t0, s->t);
    else return p;
    return NULL;
}

/* y in the order of the face; `projected`: moved to the constraints, or the polynomial's value where
 * that cannot be done. */
int solver_interpolate(keel_solver *s, double t, int projected, double *y)
{
    if (!y) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_interpolate: y is NULL");
    if (t == s->t) {
        solver_face(s, s->y, y);
        return KEEL_OK;
    }
    const interpolant *p = polynomial_at(s, t);
    if (!p) return KEEL_BAD_ARGUMENT;
    int rc = solver_dense(s);
    if (rc) return rc;
    event_rewind(s);
    double *inner = s->interpolated;
    interpolant_at(p, s->n, (t - p->t0) / p->h, inner);
    solver_face(s, inner, y);
    if (projected && t != s->t_previous) {
        rc = solver_project(s, t, inner);
        if (!rc) solver_face(s, inner, y);
    }
    event_forward(s);
    return rc;
}

int keel_interpolate(keel_solver *s, double t, double *y)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, solver_interpolate(s, t, 0, y));
}

int solver_project(keel_solver *s, double t, double *y)
{
    int rc = KEEL_OK;
    if (s->levels == 0) return rc;
    const run_record run = set_aside(s);
    attempt_result result = project_on_request(s, t, y);
    if (result == ATTEMPT_CANNOT_EVALUATE || result == ATTEMPT_STOP)
        rc = point_failure(s, result, "at the point to be projected");
    else if (result != ATTEMPT_DONE)
        rc = fail(&s->message, KEEL_NOT_CONVERGED,
                  "t = %.10g: the point given is too far from the constraint manifold to project", t);
    put_back(s, &run);
    return rc;
}

static int project_asked(keel_solver *s, double t, double *y)
{
    if (!y) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_project: y is NULL");
    if (!isfinite(t)) return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_project: t = %g", t);
    if (!has_manifold(s->problem)) return KEEL_OK;
    if (!has_structures(s)) return solver_project(s, t, y);
    view_back(s->events, s->n, y, s->interpolated);
    int rc = solver_project(s, t, s->interpolated);
    if (!rc) view_of(s->events, s->n, s->interpolated, y);
    return rc;
}

int keel_project(keel_solver *s, double t, double *y)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, project_asked(s, t, y));
}

int keel_interpolate_projected(keel_solver *s, double t, double *y)
{
    int rc = solver_enter(s);
    return rc ? rc : solver_leave(s, solver_interpolate(s, t, 1, y));
}
