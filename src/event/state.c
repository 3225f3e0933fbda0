/* state.c -- what events need to remember: frame, sides, points, log. */
#include "event/event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sized.h"

/* ---- the view ------------------------------------------------------------------------------ */

/* Numbers the unknowns and follows the numbers to the problem that has the events. */
void view_bind(keel_solver *s)
{
    event_state *v = s->events;
    const keel_problem *p = s->problem;
    if (!v->how) return;
    int several = v->how->structures > 1;
    double *number = v->given_y, *next = v->given_yp;         /* scratch */
    for (int i = 0; i < s->n; i++) number[i] = i;
    for (; p->original && !p->switching; p = p->original) {
        keel_formulation_to(p, number, next);
        double *swap = number;
        number = next;
        next = swap;
    }
    for (int i = 0; i < s->n; i++) v->source[i] = -1;
    for (int j = 0; j < p->n; j++)
        if (!isnan(number[j]))
            v->source[(int)number[j]] = several ? v->how->place[v->structure][j] : j;
    v->same = s->n == v->view->n;
    for (int i = 0; i < s->n && v->same; i++) v->same = v->source[i] == i;
}

void view_of(const event_state *v, int n, const double *y, double *view_y)
{
    if (v->same) {
        memcpy(view_y, y, (size_t)n * sizeof *y);
        return;
    }
    for (int j = 0; j < v->view->n; j++) view_y[j] = NAN;
    for (int i = 0; i < n; i++)
        if (v->source[i] >= 0) view_y[v->source[i]] = y[i];
}

void view_back(const event_state *v, int n, const double *view_y, double *y)
{
    for (int i = 0; i < n; i++) {
        double value = v->source[i] >= 0 ? view_y[v->source[i]] : NAN;
        if (!isnan(value)) y[i] = value;
    }
}

/* ---- creation ------------------------------------------------------------------------------ */

static void frame_layout(arena *a, event_state *v, const keel_frame *f)
{
    double **reals[] = {&v->parameters, &v->first_parameters, &v->kept_parameters,
                        &v->pre_parameters, &v->values, &v->first_values, &v->kept_values,
                        &v->pre_values};
    int **modes[] = {&v->modes, &v->pre_modes, &v->first_modes, &v->kept_modes};
    for (int k = 0; k < 8; k++)
        *reals[k] = ARENA(a, double, k < 4 ? f->parameter_count : f->value_count);
    for (int k = 0; k < 4; k++) *modes[k] = ARENA(a, int, f->mode_count);
}

static int most_unknowns(const keel_solver *s, const event_state *v)
{
    int most = s->given->n;
    for (int k = 0; v->how && k < v->how->structures; k++)
        if (v->how->structure[k]->n > most) most = v->how->structure[k]->n;
    for (const keel_problem *p = s->given; p; p = p->original)
        if (p->n > most) most = p->n;
    return 2 * most;                             /* formulations that a solver chooses have more */
}

static void switch_layout(arena *a, event_state *v, int modes)
{
    const keel_switching_spec *spec = &v->how->spec;
    double **values[] = {&v->now, &v->band, &v->blur, &v->limit, &v->peak, &v->low,
                         &v->high, &v->trial, &v->first};
    int **marks[] = {&v->side, &v->crossed, &v->positive, &v->fired, &v->began, &v->entered};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) *values[k] = ARENA(a, double, v->count);
    for (int k = 0; k <= LOOKS; k++) v->look[k] = ARENA(a, double, v->count);
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) *marks[k] = ARENA(a, int, v->count);
    size_t snapshot = (size_t)modes + (size_t)v->count + 1;
    v->history = ARENA(a, int, snapshot * ((size_t)spec->iterations + 1));
    v->ticked = ARENA(a, int, spec->clocks);
    v->tick = ARENA(a, long, spec->clocks);
}

static void layout(arena *a, keel_solver *s, event_state *v)
{
    const keel_frame *f = keel_problem_frame(s->given);
    if (f) frame_layout(a, v, f);
    v->plain = a->used;
    if (!v->how) return;
    int n = most_unknowns(s, v), rows = 0;
    switch_layout(a, v, f ? f->mode_count : 0);
    double **points[] = {&v->left, &v->y, &v->yp, &v->view_y, &v->view_yp, &v->view_left,
                         &v->view_before, &v->rtol, &v->atol, &v->state, &v->moved,
                         &v->given_y, &v->given_yp, &v->origin, &v->origin_yp};
    for (int k = 0; k < 15; k++) *points[k] = ARENA(a, double, n);
    v->source = ARENA(a, int, n);
    v->marks = ARENA(a, keel_mark, n);
    v->view_marks = ARENA(a, keel_mark, n);
    v->given_marks = ARENA(a, keel_mark, n);
    v->given_yp_marks = ARENA(a, keel_mark, n);
    v->kept_nodes = ARENA(a, double, POINTS_MOST);
    v->kept_weights = ARENA(a, double, POINTS_MOST);
    v->kept_points = ARENA(a, double, (size_t)POINTS_MOST * (size_t)n);
    for (int k = 0; k < v->how->structures; k++)
        if (v->how->structure[k]->constraints > rows) rows = v->how->structure[k]->constraints;
    v->impulse = ARENA(a, double, rows);
    v->plain = a->used;
    v->shelf = ARENA(a, keel_solver, v->how->structures > 1 ? v->how->structures : 0);
    v->shelved = ARENA(a, int, v->how->structures);
}

/* The frame that runs begin with is at first that of the problem. */
static void fill_frame(event_state *v, const keel_frame *f)
{
    v->framed = 1;
    v->frame = *f;
    v->frame.parameters = v->parameters;
    v->frame.modes = v->modes;
    v->frame.values = v->values;
    v->frame.pre_modes = v->pre_modes;
    v->frame.pre_values = v->pre_values;
    memcpy(v->first_parameters, f->parameters, (size_t)f->parameter_count * sizeof(double));
    memcpy(v->first_values, f->values, (size_t)f->value_count * sizeof(double));
    memcpy(v->first_modes, f->modes, (size_t)f->mode_count * sizeof(int));
}

int event_create(keel_solver *s, const keel_problem *face)
{
    const switching *how = switching_of(face);
    const keel_frame *f = keel_problem_frame(face);
    s->face = s->given = s->problem = face;
    if (!how && !f) return KEEL_OK;
    event_state *v = s->events = calloc(1, sizeof *v);
    if (!v) return KEEL_NO_MEMORY;
    v->how = how;
    v->count = how ? how->spec.switches : 0;
    v->view = face;
    while (how && !v->view->switching) v->view = v->view->original;
    if (how && how->structures > 1 && face != v->view)
        return fail(&s->message, KEEL_UNSUPPORTED, "a problem with several structures cannot be "
                    "formulated otherwise: formulate its structures, then make them switch");
    arena a = {0};
    layout(&a, s, v);
    v->block = arena_block(a.used);
    if (!v->block) return KEEL_NO_MEMORY;
    v->bytes = a.used;
    a = (arena){.base = v->block};
    layout(&a, s, v);
    if (f) fill_frame(v, f);
    v->context = f ? (void *)&v->frame : v->view->context;
    for (int i = 0; how && i < face->n; i++) {
        v->rtol[i] = s->options.rtol_each ? s->options.rtol_each[i] : s->options.rtol;
        v->atol[i] = s->options.atol_each ? s->options.atol_each[i] : s->options.atol;
    }
    if (how && how->structures > 1) {
        s->given = s->problem = how->structure[0];
        structure_tolerances(s, 0);
    }
    event_reset(s);
    return KEEL_OK;
}

void event_free(keel_solver *s)
{
    event_state *v = s->events;
    if (!v) return;
    free(v->log);
    arena_block_free(v->block);
    free(v);
    s->events = NULL;
}

void event_frame(const keel_solver *s, evaluator *e)
{
    const void *standard = frame_context(s->problem);
    for (; e && s->events && standard; e = e->original)
        if (e->context == standard) e->context = &s->events->frame;
}

void event_reset(keel_solver *s)
{
    event_state *v = s->events;
    if (!v) return;
    if (v->framed) {
        const keel_frame *f = &v->frame;
        memcpy(v->parameters, v->first_parameters, (size_t)f->parameter_count * sizeof(double));
        memcpy(v->pre_parameters, v->first_parameters,
               (size_t)f->parameter_count * sizeof(double));
        memcpy(v->values, v->first_values, (size_t)f->value_count * sizeof(double));
        memcpy(v->pre_values, v->first_values, (size_t)f->value_count * sizeof(double));
        memcpy(v->modes, v->first_modes, (size_t)f->mode_count * sizeof(int));
        memcpy(v->pre_modes, v->first_modes, (size_t)f->mode_count * sizeof(int));
    }
    v->at_event = 0;
    v->kept.points = 0;
    v->logged = v->restarts = 0;
    v->unresolved = 0;
    v->length = 0;
    v->impulses = 0;
}

int event_open(keel_solver *s, event_aside *before, keel_start_spec *spec)
{
    event_state *v = s->events;
    before->block = NULL;
    if (!v) return KEEL_OK;
    before->block = malloc(v->bytes + 1);
    if (!before->block)
        return fail(&s->message, KEEL_NO_MEMORY, "no memory to keep the events of a run");
    before->state = *v;
    memcpy(before->block, v->block, v->bytes);
    v->log = NULL;
    v->room = 0;
    int rc = has_structures(s) && v->structure != 0 ? structure_enter(s, 0) : KEEL_OK;
    event_reset(s);
    if (has_structures(s)) structure_spec(s, spec);
    return rc;
}

void event_conclude(keel_solver *s, event_aside *before, int rc)
{
    event_state *v = s->events;
    if (!before->block) return;
    free(rc ? v->log : before->state.log);
    if (rc) {
        *v = before->state;
        memcpy(v->block, before->block, v->bytes);
    }
    free(before->block);
}

static void pass_log(event_state *v, tape *t)
{
    long count = v->logged;
    TAPE(t, count);
    if (t->loading && t->status == KEEL_OK) {
        keel_event_record *log = malloc(((size_t)count + 1) * sizeof *log);
        if (!log) t->status = KEEL_NO_MEMORY;
        if (!log) return;
        free(v->log);
        v->log = log;
        v->logged = count;
        v->room = count + 1;
    }
    if (t->status == KEEL_OK) tape_pass(t, v->log, (size_t)v->logged * sizeof *v->log);
}

void event_pass(keel_solver *s, tape *t)
{
    event_state *v = s->events;
    if (!v) return;
    int structure = v->structure;
    TAPE(t, structure);
    if (t->loading && t->status == KEEL_OK && v->how) {
        int known = structure >= 0 && structure < v->how->structures;
        t->status = known ? structure_swap(s, structure) : KEEL_BAD_FILE;
    }
    TAPE(t, v->unresolved);
    TAPE(t, v->length);
    TAPE(t, v->next);
    TAPE(t, v->direction);
    TAPE(t, v->timed);
    TAPE(t, v->kept.t0);
    TAPE(t, v->kept.h);
    TAPE(t, v->kept.points);
    TAPE(t, v->kept_structure);
    TAPE(t, v->at_event);
    TAPE(t, v->h);
    TAPE(t, v->impulses);
    TAPE(t, v->recent);
    TAPE(t, v->restarts);
    TAPE(t, v->located);
    tape_pass(t, v->block, v->plain);
    if (v->how) pass_log(v, t);
    v->kept.nodes = v->kept_nodes;
    v->kept.barycentric = v->kept_weights;
    v->kept.values = v->kept_points;
}

static void exchange(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        double other = a[i];
        a[i] = b[i];
        b[i] = other;
    }
}

/* The frame and the one before the event change places. */
static void exchange_frame(event_state *v)
{
    exchange(v->parameters, v->kept_parameters, v->frame.parameter_count);
    exchange(v->values, v->kept_values, v->frame.value_count);
    for (int i = 0; i < v->frame.mode_count; i++) {
        int other = v->modes[i];
        v->modes[i] = v->kept_modes[i];
        v->kept_modes[i] = other;
    }
}

void event_rewind(keel_solver *s)
{
    event_state *v = s->events;
    if (!v || !v->at_event) return;
    exchange_frame(v);
    v->later = v->structure;
    (void)structure_swap(s, v->kept_structure);  /* it is on the shelf */
}

void event_forward(keel_solver *s)
{
    event_state *v = s->events;
    if (!v || !v->at_event) return;
    exchange_frame(v);
    (void)structure_swap(s, v->later);
}

/* ---- questions ----------------------------------------------------------------------------- */

long keel_event_count(const keel_solver *s) { return s && s->events ? s->events->logged : 0; }

int keel_event_at_sized(const keel_solver *s, long i, keel_event_record *record, size_t size)
{
    if (!record || i < 0 || i >= keel_event_count(s)) return KEEL_BAD_ARGUMENT;
    sized_answer(record, size, &s->events->log[i], sizeof *record);
    return KEEL_OK;
}

const double *keel_state_before(const keel_solver *s)
{
    const event_state *v = s ? s->events : NULL;
    if (!v || !v->at_event) return NULL;
    return v->how->structures > 1 ? v->view_left : v->left;
}

const double *keel_impulses(const keel_solver *s)
{
    return s && s->events && s->events->impulses ? s->events->impulse : NULL;
}

const keel_frame *keel_solver_frame(const keel_solver *s)
{
    return s && s->events && s->events->framed ? &s->events->frame : NULL;
}

static int set_frame(keel_solver *s, const double *parameters, const int *modes,
                     const double *values)
{
    event_state *v = s->events;
    if (!v || !v->framed)
        return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_set_frame: the problem declares no frame");
    for (int i = 0; parameters && i < v->frame.parameter_count; i++)
        if (!isfinite(parameters[i]))
            return fail(&s->message, KEEL_BAD_ARGUMENT, "keel_set_frame: the parameter %s is not "
                        "finite", keel_parameter_name(s->face, i));
    for (int i = 0; parameters && i < v->frame.parameter_count; i++)
        v->first_parameters[i] = v->parameters[i] = v->pre_parameters[i] = parameters[i];
    for (int i = 0; modes && i < v->frame.mode_count; i++)
        v->first_modes[i] = v->modes[i] = v->pre_modes[i] = modes[i];
    for (int i = 0; values && i < v->frame.value_count; i++)
        v->first_values[i] = v->values[i] = v->pre_values[i] = values[i];
    return KEEL_OK;
}

int keel_set_frame(keel_solver *s, const double *parameters, const int *modes, const double *values)
{
    int rc = solver_open(s);
    return rc ? rc : solver_leave(s, set_frame(s, parameters, modes, values));
}
