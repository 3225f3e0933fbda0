/* create.c -- keel_boundary: checks, memory, questions. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/diagnosis.h"
#include "boundary/ends.h"
#include "boundary/sparse.h"
#include "core/sized.h"

/* ---- what can be asked for ----------------------------------------------------------------- */

static int check_problem(keel_boundary *w)
{
    const keel_problem *p = w->spec.problem;
    if (!p || !p->names)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_create: no problem, or one that "
                    "was not created successfully");
    if (flow_hidden_rows(p) < 0)
        return fail(&w->message, KEEL_UNSUPPORTED, "boundary value problems of the form %s are not "
                    "solved: it does not say which unknowns are algebraic; write it as semi-explicit, "
                    "Hessenberg, mechanical or levelled", keel_form_name(p->form));
    if (w->options.index2 < KEEL_INDEX2_HIDDEN || w->options.index2 > KEEL_INDEX2_PLAIN)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "index2 = %d is out of range",
                    (int)w->options.index2);
    w->direct = w->options.index2 != KEEL_INDEX2_HIDDEN && flow_hidden_rows(p) > 0;
    w->pushed = w->direct && w->options.index2 == KEEL_INDEX2_PROJECTED;
    for (int row = 0; w->direct && row < p->constraints; row++)
        if (flow_rows_below(p, row) > 1)
            return fail(&w->message, KEEL_UNSUPPORTED, "index2: constraint [%d] has index %d, and those of "
                        "index 2 alone are collocated themselves: no change of the algebraic unknowns moves "
                        "x' in the directions of others; the default (hidden) differentiates each row as "
                        "often as it must and needs none", row, 1 + flow_rows_below(p, row));
    if (w->direct && w->options.right)
        return fail(&w->message, KEEL_UNSUPPORTED, "right: where constraints are collocated themselves "
                    "they are imposed at the left end");
    return KEEL_OK;
}

static int inside(const keel_boundary *w, double t)
{
    double part = (t - w->spec.from) / (w->spec.to - w->spec.from);
    return part > 0 && part < 1;
}

static int check_points(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    if (!isfinite(s->from) || !isfinite(s->to) || s->from == s->to)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "the interval from %.10g to %.10g is none",
                    s->from, s->to);
    if (s->inner < 0 || (s->inner && (!s->inner_at || !s->inner_condition)))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "%d inner conditions need inner_at and "
                    "inner_condition", s->inner);
    if (s->breaks < 0 || (s->breaks && !s->break_at))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "%d breaks need break_at", s->breaks);
    for (int i = 0; i < s->inner; i++)
        if (!inside(w, s->inner_at[i]) ||
            (i && (s->inner_at[i] - s->inner_at[i - 1]) * (s->to - s->from) < 0))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "inner_at[%d] = %.10g is not inside, or not "
                        "in order", i, s->inner_at[i]);
    for (int i = 0; i < s->breaks; i++)
        if (!inside(w, s->break_at[i]) || (s->break_parameter && i &&
            !((s->break_at[i] - s->break_at[i - 1]) * (s->to - s->from) > 0)))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "break_at[%d] = %.10g is not inside, or not "
                        "in order", i, s->break_at[i]);
    return KEEL_OK;
}

static int is_break_at(const keel_boundary_spec *s, double t)
{
    for (int i = 0; i < s->breaks; i++)
        if (s->break_at[i] == t) return 1;
    return 0;
}

/* Breaks at unknown times. */
static int check_breaks(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    if (!s->break_parameter) return KEEL_OK;
    for (int i = 0; i < s->breaks; i++)
        if (s->break_parameter[i] < -1 || s->break_parameter[i] >= s->parameters)
            return fail(&w->message, KEEL_BAD_ARGUMENT, "break_parameter[%d] = %d: %d parameters are "
                        "unknown", i, s->break_parameter[i], s->parameters);
    for (int i = 0; i < s->inner; i++)
        if (!is_break_at(s, s->inner_at[i]))
            return fail(&w->message, KEEL_UNSUPPORTED, "inner_at[%d] = %.10g: beside breaks at unknown "
                        "times inner conditions can be at breaks only; make it one, with "
                        "break_parameter = -1", i, s->inner_at[i]);
    if (w->spec.to < w->spec.from)
        return fail(&w->message, KEEL_UNSUPPORTED, "breaks at unknown times need from < to");
    return KEEL_OK;
}

static int check_parameters(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    const keel_frame *f = keel_problem_frame(s->problem);
    int count = f ? f->parameter_count : 0;
    if (s->parameters < 0 || s->parameters > count)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "%d parameters are unknown, but the frame of the "
                    "problem has %d", s->parameters, count);
    for (int i = 0; s->parameter && i < s->parameters; i++) {
        if (s->parameter[i] < 0 || s->parameter[i] >= count)
            return fail(&w->message, KEEL_BAD_ARGUMENT, "parameter[%d] = %d: the frame has %d", i,
                        s->parameter[i], count);
        for (int j = 0; j < i; j++)
            if (s->parameter[j] == s->parameter[i])
                return fail(&w->message, KEEL_BAD_ARGUMENT, "parameter %d is named twice",
                            s->parameter[i]);
    }
    return KEEL_OK;
}

static int check_easy(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    const keel_frame *f = keel_problem_frame(s->problem);
    const char *name = w->options.easy_name;
    int count = f ? f->parameter_count : 0;
    w->easy = -1;
    for (int i = 0; i < count && name; i++)
        if (strcmp(keel_parameter_name(s->problem, i), name) == 0) w->easy = i;
    if (!name) return KEEL_OK;
    if (w->easy < 0)
        return fail(&w->message, KEEL_UNKNOWN_NAME, "easy_name: the frame of the problem has no "
                    "parameter %s", name);
    if (!isfinite(w->options.easy_value))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "easy_value of %s is not finite", name);
    for (int i = 0; i < s->parameters; i++)
        if ((s->parameter ? s->parameter[i] : i) == w->easy)
            return fail(&w->message, KEEL_BAD_ARGUMENT, "easy_name: the parameter %s is unknown and "
                        "cannot be given a value", name);
    return KEEL_OK;
}

static int check_conditions(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    const keel_problem *p = s->problem;
    int nx = p->n - p->constraints, hidden = flow_hidden_rows(p);
    if (s->conditions < 0 || (s->conditions && !s->condition))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "%d conditions need the callback `condition`",
                    s->conditions);
    if (nx - hidden + s->parameters < 0)
        return fail(&w->message, KEEL_REDUNDANT, "%d rows of constraints and their derivatives bind "
                    "only %d differential unknowns", hidden, nx);
    return KEEL_OK;
}

/* As many conditions as there is freedom?  If not, which are too many, or what is not determined. */
static int check_count(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    int nx = w->flow.nx, hidden = w->flow.hidden;
    int needed = nx - hidden + s->parameters, given = s->conditions + s->inner;
    message verdict;
    if (given == needed) return KEEL_OK;
    ends_count_verdict(w, &verdict);
    return fail(&w->message, KEEL_BAD_ARGUMENT, "%d conditions are given, and %d are needed: %d "
                "differential unknowns, less %d rows of constraints and their derivatives (which are "
                "imposed by themselves), and %d parameters; %d %s%s%s", given, needed, nx, hidden,
                s->parameters, abs(given - needed), given < needed ? "are missing" : "too many",
                *verdict.text ? ": at the guess " : "", verdict.text);
}

static int check_nodes(keel_boundary *w)
{
    const keel_boundary_options *o = &w->options;
    if (!o->nodes || !o->stages)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "given points need `nodes` and their number, "
                    "`stages`");
    for (int i = 0; i < o->stages; i++) {
        w->nodes[i] = o->nodes[i];
        if (!(o->nodes[i] > (i ? o->nodes[i - 1] : 0)) || !(o->nodes[i] <= 1))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "nodes[%d] = %.10g: points are ascending, "
                        "above 0 and at most 1", i, o->nodes[i]);
    }
    return KEEL_OK;
}

static int check_options(keel_boundary *w)
{
    keel_boundary_options *o = &w->options;
    if (o->stages < 0 || o->stages > STAGES_MOST)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "stages = %d is out of 1..%d", o->stages,
                    STAGES_MOST);
    if (!(o->rtol >= 0) || !(o->atol >= 0) || !(o->rtol < 1) || !isfinite(o->atol))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "rtol = %.3g and atol = %.3g are out of range",
                    o->rtol, o->atol);
    if (o->points < KEEL_POINTS_GAUSS || o->points > KEEL_POINTS_GIVEN)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "points = %d is out of range", (int)o->points);
    if (o->points == KEEL_POINTS_GIVEN && check_nodes(w)) return KEEL_BAD_ARGUMENT;
    if (o->mesh < 0 || o->most < 0)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "mesh = %d, most = %d: not negative", o->mesh,
                    o->most);
    if (!(o->memory >= 0))
        return fail(&w->message, KEEL_BAD_ARGUMENT, "memory = %.3g is not a number of bytes",
                    o->memory);
    if (!o->most) o->most = o->mesh > 100000 ? o->mesh : 100000;
    if (o->mesh > o->most)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "mesh = %d is more than most = %d", o->mesh, o->most);
    return KEEL_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static void interval_layout(arena *a, keel_boundary *w)
{
    interval *v = &w->interval;
    size_t nx = (size_t)w->flow.nx, places = PLACES_MOST;
    double **at_places[] = {&v->plain, &v->full, &v->rate, &v->plain_rate, &v->before};
    double **square[] = {&v->square, &v->near, &v->far};
    for (int i = 0; i < 5; i++) *at_places[i] = ARENA(a, double, places * nx);
    v->z = ARENA(a, double, places * (size_t)w->flow.m);
    for (int i = 0; i < 3; i++) *square[i] = ARENA(a, double, w->sparse ? 0 : nx * nx);
    v->error = ARENA(a, double, w->flow.n);
    v->near_pivot = ARENA(a, int, nx);
    v->far_pivot = ARENA(a, int, nx);
}

static void layout(arena *a, keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    flow_layout(a, &w->flow, s->problem, s->parameters);
    size_t n = (size_t)w->flow.n, np = (size_t)w->flow.np, hidden = (size_t)w->flow.hidden;
    size_t rows = (size_t)s->conditions + hidden + (size_t)s->inner, nx = (size_t)w->flow.nx;
    w->rtol = ARENA(a, double, n);
    w->atol = ARENA(a, double, n);
    w->inner_at = ARENA(a, double, s->inner);
    w->break_at = ARENA(a, double, s->breaks);
    stretch *r = &w->flow.stretch;
    r->pieces = s->break_parameter ? s->breaks + 1 : 0;
    r->s = ARENA(a, double, r->pieces ? r->pieces + 1 : 0);
    r->which = ARENA(a, int, r->pieces ? r->pieces + 1 : 0);
    w->p = ARENA(a, double, np);
    w->p_guess = ARENA(a, double, np);
    w->p_before = ARENA(a, double, np);
    w->y = ARENA(a, double, n);
    w->y2 = ARENA(a, double, n);
    w->fh = ARENA(a, double, n);
    w->J = ARENA(a, double, w->sparse ? 0 : n * n);
    w->J_p = ARENA(a, double, n * np);
    size_t work = STAGES_MOST * n + 2 * (rows + 1) + 2 * nx + np + rows * (2 * n + np);
    w->work = ARENA(a, double, work);
    w->stages = ARENA(a, double, STAGES_MOST * nx);
    w->project = ARENA(a, double, hidden * (1 + nx + np + hidden));
    w->project_pivot = ARENA(a, int, hidden);
    local_layout(a, w, &w->local);
    interval_layout(a, w);
}

static int copy_names(keel_boundary *w, const char *const *given)
{
    int count = w->spec.conditions + w->spec.inner;
    if (!given) return KEEL_OK;
    w->names = calloc((size_t)count + 1, sizeof *w->names);
    if (!w->names) return KEEL_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!given[i]) continue;
        w->names[i] = malloc(strlen(given[i]) + 1);
        if (!w->names[i]) return KEEL_NO_MEMORY;
        strcpy(w->names[i], given[i]);
    }
    return KEEL_OK;
}

/* Tolerances per unknown, and the smallest of all. */
static int copy_tolerances(keel_boundary *w)
{
    keel_boundary_options *o = &w->options;
    int given = o->rtol > 0 || o->atol > 0;
    w->tolerance = 1;
    for (int i = 0; i < w->flow.n; i++) {
        w->rtol[i] = o->rtol_each ? o->rtol_each[i] : given ? o->rtol : 1e-6;
        w->atol[i] = o->atol_each ? o->atol_each[i] : !given ? 1e-6 : o->atol > 0 ? o->atol : o->rtol;
        double least = fmin(w->rtol[i] > 0 ? w->rtol[i] : 1, w->atol[i] > 0 ? w->atol[i] : 1);
        if (!(w->rtol[i] >= 0) || !(w->atol[i] >= 0) || !(w->rtol[i] + w->atol[i] > 0))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "tolerances of %s: rtol = %.3g, atol = %.3g",
                        keel_variable_name(w->spec.problem, i), w->rtol[i], w->atol[i]);
        w->tolerance = fmin(w->tolerance, least);
        w->loosest = fmax(w->loosest, fmax(w->rtol[i], w->atol[i]));
    }
    return KEEL_OK;
}

/* Pieces from break to break; after flow_create, which knows the parameters. */
static void take_breaks(keel_boundary *w)
{
    const keel_boundary_spec *s = &w->spec;
    stretch *r = &w->flow.stretch;
    for (int i = 0; r->pieces && i <= r->pieces; i++) {
        int unknown = i && i < r->pieces ? s->break_parameter[i - 1] : -1;
        r->s[i] = i == 0 ? s->from : i == r->pieces ? s->to : w->break_at[i - 1];
        r->which[i] = unknown < 0 ? -1 : w->flow.which[unknown];
    }
}

static int take(keel_boundary *w)
{
    keel_boundary_spec *s = &w->spec;
    arena measure = {0};
    int sparse = sparse_flow_create(w);
    layout(&measure, w);
    w->block = sparse ? NULL : arena_block(measure.used);
    if (!w->block) return fail(&w->message, KEEL_NO_MEMORY, "no memory for the boundary value problem");
    layout(&(arena){.base = w->block}, w);
    w->rows = s->conditions + w->flow.hidden;
    memcpy(w->inner_at, s->inner_at ? s->inner_at : w->y, (size_t)s->inner * sizeof *w->y);
    memcpy(w->break_at, s->break_at ? s->break_at : w->y, (size_t)s->breaks * sizeof *w->y);
    int rc = flow_create(&w->flow, s->parameter);
    if (!rc) rc = copy_names(w, s->condition_names);
    if (rc) return fail(&w->message, rc, "no memory for the boundary value problem");
    take_breaks(w);
    s->break_parameter = NULL;
    s->inner_at = w->inner_at;
    s->break_at = w->break_at;
    s->parameter = w->flow.which;
    s->condition_names = NULL;
    flow_parameters(&w->flow, w->p);
    return copy_tolerances(w);
}

/* ---- life ---------------------------------------------------------------------------------- */

static int create(keel_boundary *w)
{
    int (*const check[])(keel_boundary *) = {check_problem, check_points, check_parameters, check_easy,
                                             check_breaks, check_conditions, check_options, take,
                                             check_count};
    for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
        int rc = check[i](w);
        if (rc) return rc;
    }
    w->options.rtol_each = w->options.atol_each = NULL;
    w->options.easy_name = NULL;                 /* w->easy */
    w->options.nodes = NULL;                     /* w->nodes */
    w->created = 1;
    return KEEL_OK;
}

int keel_boundary_create_sized(keel_boundary **boundary, const keel_boundary_spec *spec,
                               size_t spec_size, const keel_boundary_options *options,
                               size_t options_size)
{
    if (!boundary) return KEEL_BAD_ARGUMENT;
    keel_boundary *w = *boundary = calloc(1, sizeof *w);
    if (!w) return KEEL_NO_MEMORY;
    if (!spec) return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_create: spec is NULL");
    int rc = sized_copy(&w->message, SIZED(keel_boundary_spec, context, break_parameter), &w->spec,
                        spec, spec_size);
    if (!rc && options)
        rc = sized_copy(&w->message, SIZED(keel_boundary_options, right, unchecked), &w->options, options,
                        options_size);
    return rc ? rc : create(w);
}

void keel_boundary_free(keel_boundary *w)
{
    if (!w) return;
    for (int i = 0; w->names && i < w->spec.conditions + w->spec.inner; i++) free(w->names[i]);
    free(w->names);
    mesh_free(w->mesh);
    diagnosis_free(w);
    keel_solution_free(w->solution);
    sparse_flow_free(w->sparse);
    if (w->block) flow_release(&w->flow);
    arena_block_free(w->block);
    free(w);
}

/* ---- calls --------------------------------------------------------------------------------- */

int boundary_entered(keel_boundary *w, const char *call)
{
    if (!w) return KEEL_BAD_ARGUMENT;
    w->message.text[0] = 0;
    if (w->created) return KEEL_OK;
    return fail(&w->message, KEEL_BAD_ARGUMENT, "%s: the boundary value problem was not created "
                "successfully", call);
}

int boundary_watch(keel_boundary *w, const mesh *s)
{
    if (!w->options.watch) return 0;
    w->stats.mesh = s->N;
    w->stats.stages = s->table.k;
    memcpy(w->p, s->u.p, (size_t)w->flow.np * sizeof *w->p);
    int code = w->options.watch(w, w->options.watch_context);
    return eval_check(&w->flow.e, "watch", s->t[0], code < 0 ? code : 0, 0, NULL);
}

/* Equal intervals are asked for to see what a mesh does, and be it to fail. */
static int is_doubtful(const keel_boundary *w, int status)
{
    return status == KEEL_ILL_CONDITIONED && w->options.uniform;
}

static int finish(keel_boundary *w)
{
    int status = conditioning_check(w, w->mesh), rc = KEEL_OK;
    if (!status || is_doubtful(w, status)) rc = result_make(w, w->mesh);
    if (!status && !rc) rc = derivatives_check_links(w, w->mesh);
    return rc ? rc : status;
}

int keel_boundary_solve(keel_boundary *w)
{
    int rc = boundary_entered(w, "keel_boundary_solve");
    if (rc) return rc;
    w->stats = (keel_boundary_stats){.kappa_boundary = -1, .kappa_green = -1, .projector = -1,
                                     .growing = -1, .decaying = -1};
    w->flow.stats = (keel_stats){0};
    evaluator_reset(&w->flow.e);
    keel_solution_free(w->solution);
    w->solution = NULL;
    diagnosis_free(w);
    rc = boundary_solve(w);
    if (!rc) rc = finish(w);
    if (rc && !is_doubtful(w, rc)) {             /* what is not right is not shown */
        keel_solution_free(w->solution);
        w->solution = NULL;
    }
    w->stats.rhs = w->flow.stats.rhs;
    w->stats.rhs_for_jacobian = w->flow.stats.rhs_for_jacobian;
    w->stats.jacobian = w->flow.stats.jacobian;
    return rc;
}

int keel_boundary_guess(keel_boundary *w, keel_solution *guess, const double *p)
{
    int rc = boundary_entered(w, "keel_boundary_guess");
    if (rc) return rc;
    if (!guess) return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_guess: guess is NULL");
    rc = guess_recording(w, guess, p);
    if (rc) return rc;
    keel_solution_free(w->solution);             /* which may have been the guess */
    w->solution = NULL;
    diagnosis_free(w);
    return KEEL_OK;
}

int keel_boundary_set_frame(keel_boundary *w, const double *parameters)
{
    int rc = boundary_entered(w, "keel_boundary_set_frame");
    if (rc) return rc;
    if (!w->flow.framed || !parameters)
        return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_set_frame: %s",
                    parameters ? "the problem declares no frame" : "parameters is NULL");
    for (int i = 0; i < w->flow.frame.parameter_count; i++)
        if (!isfinite(parameters[i]))
            return fail(&w->message, KEEL_BAD_ARGUMENT, "keel_boundary_set_frame: the parameter %s is "
                        "not finite", keel_parameter_name(w->spec.problem, i));
    memcpy(w->flow.parameters, parameters,
           (size_t)w->flow.frame.parameter_count * sizeof *parameters);
    return KEEL_OK;
}

keel_solution *keel_boundary_solution(keel_boundary *w) { return w ? w->solution : NULL; }

const double *keel_boundary_parameters(const keel_boundary *w)
{
    return w && w->created ? w->p : NULL;
}

const keel_boundary_stats *keel_boundary_statistics(const keel_boundary *w)
{
    return w ? &w->stats : NULL;
}

const char *keel_boundary_message(const keel_boundary *w) { return w ? w->message.text : ""; }
