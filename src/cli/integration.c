/* integration.c -- integrate a target from start to end and keep what is asked for.
 *
 * The loop steps until the end is hit exactly, in either direction of time; equidistant points
 * inside a step come from dense output, moved to the constraints like the steps themselves.  At an
 * event the values before and after it are two points.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/integration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/checkpoint.h"
#include "cli/following.h"
#include "cli/interrupt.h"
#include "cli/levels.h"
#include "cli/progress.h"

enum { CURVE_POINTS = 1500 };    /* samples of a curve: more than its picture has pixels */
enum { RESIDUAL_ROWS = 4000 };   /* of a long run; each stands for as many steps as it takes */

/* Times t_start + k spacing, k = 0 ... last, the last one t_end; or evenly in log |t - t_start|,
 * from within the first step on. */
typedef struct sampler {
    double t_start, t_end, spacing;
    long next, last;
    bool logarithmic;
    double first;                /* |t - t_start| of the first one, 0: not known yet   */
} sampler;

static sampler sample_count(const target *t, long count)
{
    const double length = t->t_end - t->t_start;
    if (length == 0) count = 1;
    return (sampler){.t_start = t->t_start, .t_end = t->t_end, .last = count - 1,
                     .spacing = count > 1 ? length / (double)(count - 1) : 0};
}

/* The remainder before t_end counts as a full interval unless it is mere rounding. */
static sampler sample_spacing(const target *t, double spacing)
{
    const double length = t->t_end - t->t_start;
    return (sampler){.t_start = t->t_start, .t_end = t->t_end,
                     .spacing = copysign(spacing, length),
                     .last = (long)ceil(fabs(length) / spacing * (1 - 1e-12))};
}

static double sample_time(const sampler *s)
{
    if (s->next == s->last) return s->t_end;
    if (!s->logarithmic) return s->t_start + (double)s->next * s->spacing;
    const double length = fabs(s->t_end - s->t_start), share = (double)s->next / (double)s->last;
    return s->t_start + copysign(s->first * pow(length / s->first, share), s->spacing);
}

/* Appends t and the chosen unknowns (which NULL: all) of y. */
static int append_point(series *s, double t, const double *y, const int *which)
{
    double *row = series_append(s);
    if (!row) return KEEL_NO_MEMORY;
    row[0] = t;
    for (int i = 0; i < s->columns - 1; i++) row[i + 1] = y[which ? which[i] : i];
    return KEEL_OK;
}

/* What is kept of the run so far, besides the final point. */
typedef struct recorder {
    const recording *keep;
    outcome *o;
    bool sampled, projected;
    double t;                    /* of the last step that was recorded                 */
    sampler point_times, curve_times, frame_times;
    int stride, merged;          /* steps to a row of residuals, and in the last one   */
    checkpoints checkpoints;
    char *lines;                 /* what a checkpoint is of, owned                     */
    double *row;                 /* what is shown, and the length of the curve; NULL: y itself */
    int size;                    /* values that are shown                              */
    const modelled *model;       /* NULL: unknowns are shown                           */
    const keel_frame *frame;     /* in force at the point that is kept                 */
    int compiling;               /* how far that is (modelled.h)                       */
    clock_t begin;
} recorder;

typedef int keep_point(recorder *r, double t, const double *y);

/* What is shown of a point: y, variables of a model, and the length of the curve. */
static int show(recorder *r, double t, const double *y, const double **row)
{
    *row = r->row ? r->row : y;
    if (!r->row) return KEEL_OK;
    r->row[r->size] = r->o->length;
    if (r->model) return modelled_row(r->model, t, y, r->frame, r->row, r->o->message, sizeof r->o->message);
    memcpy(r->row, y, (size_t)r->size * sizeof *y);
    return KEEL_OK;
}

/* Variables of a model that are only shown are looked at where the run begins and ends, too. */
static int look(recorder *r, const keel_solver *solver)
{
    const double *row;
    r->frame = keel_solver_frame(solver);
    return r->model ? show(r, keel_time(solver), keel_state(solver), &row) : KEEL_OK;
}

static int keep_output(recorder *r, double t, const double *y)
{
    const int status = show(r, t, y, &y);
    if (status != KEEL_OK) return status;
    if (r->keep->sink) r->o->unwritten = !r->keep->sink(r->keep->sink_context, t, y);
    if (r->keep->sink && !r->checkpoints.path) return KEEL_OK;
    return append_point(&r->o->points, t, y, NULL);
}

static int keep_curves(recorder *r, double t, const double *y)
{
    const int status = show(r, t, y, &y);
    return status == KEEL_OK ? append_point(&r->o->curves, t, y, r->keep->curves) : status;
}

static int keep_frame(recorder *r, double t, const double *y)
{
    return append_point(&r->o->frames, t, y, NULL);
}

/* A point that cannot be projected is kept as the polynomial has it, and counted. */
static int interpolate(recorder *r, keel_solver *solver, double t, bool projected)
{
    outcome *o = r->o;
    if (!projected) return keel_interpolate(solver, t, o->y);
    const int status = keel_interpolate_projected(solver, t, o->y);
    if (status == KEEL_OK || keel_interpolate(solver, t, o->y) != KEEL_OK) return status;
    if (o->unprojected++ == 0) o->unprojected_time = t;
    return KEEL_OK;
}

/* Keeps the current point, and before it that before an event. */
static int keep_current(recorder *r, const keel_solver *solver, keep_point *keep)
{
    const double *before = keel_state_before(solver);
    r->frame = r->model ? r->model->before : NULL;
    int status = before ? keep(r, keel_time(solver), before) : KEEL_OK;
    r->frame = keel_solver_frame(solver);
    if (status == KEEL_OK && !r->o->unwritten)
        status = keep(r, keel_time(solver), keel_state(solver));
    return status;
}

/* Keeps the samples up to the current time, and both sides of an event there. */
static int take_samples(recorder *r, sampler *times, keel_solver *solver, keep_point *keep,
                        bool projected)
{
    const double now = keel_time(solver);
    bool due = keep != keep_frame && keel_state_before(solver);
    r->frame = r->model ? r->model->before : NULL;
    if (times->logarithmic && times->first == 0) {
        if (now == times->t_start) return KEEL_OK;
        times->first = fmin(fabs(now - times->t_start), fabs(times->t_end - times->t_start) / 1000);
    }
    for (; times->next <= times->last && !r->o->unwritten; times->next++) {
        const double t = sample_time(times);
        if ((t - now) * times->spacing > 0) break;
        if (t == now) {
            due = true;
            continue;
        }
        int status = interpolate(r, solver, t, projected);
        if (status == KEEL_SINGULAR && keep != keep_output) continue;      /* not in a picture */
        if (status == KEEL_OK) status = keep(r, t, r->o->y);
        if (status != KEEL_OK) return status;
    }
    return due && !r->o->unwritten ? keep_current(r, solver, keep) : KEEL_OK;
}

static recorder recorder_begin(const target *t, const recording *keep, const keel_options *options,
                               outcome *o)
{
    recorder r = {.keep = keep, .o = o, .sampled = keep->count > 0 || keep->spacing > 0,
                  .projected = options->projection != KEEL_PROJECT_NONE, .stride = 1,
                  .checkpoints = checkpoints_begin(keep->checkpoint, keep->every)};
    if (keep->count > 0) r.point_times = sample_count(t, keep->count);
    else if (keep->spacing > 0) r.point_times = sample_spacing(t, keep->spacing);
    r.curve_times = sample_count(t, CURVE_POINTS);
    r.curve_times.logarithmic = keep->log_time;
    r.frame_times = sample_count(t, keep->frames);
    r.size = t->shown_count;
    r.model = t->modelled.model ? &t->modelled : NULL;
    o->frames.columns = 1 + t->size;
    o->points.columns = 1 + t->shown_count + (keep->curve_length > 0);
    o->curves.columns = 1 + keep->curve_count;
    o->residuals.columns = 1 + residual_curves(t->problem);
    return r;
}

/* The larger of both; what was not measured once counts as not measured. */
static void merge(double *into, const double *from, int columns)
{
    for (int k = 1; k < columns; k++) {
        const bool both = into[k] >= 0 && from[k] >= 0;
        into[k] = both ? fmax(into[k], from[k]) : fmin(into[k], from[k]);
    }
}

/* The residuals of a step; a long run keeps maxima over 2, 4, ... steps. */
static int record_residuals(recorder *r, const keel_solver *solver)
{
    series *s = &r->o->residuals;
    double now[1 + RESIDUAL_CURVES] = {keel_time(solver)};
    for (int k = 0; k < s->columns - 1; k++) {
        keel_invariant h = {.deviation = -1};
        const int row = residual_curve_row(keel_solver_problem(solver), k);
        if (row >= 0) keel_invariant_at(solver, row, &h);
        now[k + 1] = row >= 0 ? h.deviation : keel_level_residual(solver, k);
    }
    if (r->merged > 0 && r->merged < r->stride) {
        merge(s->values + (size_t)(s->rows - 1) * (size_t)s->columns, now, s->columns);
        r->merged++;
        return KEEL_OK;
    }
    if (s->rows == RESIDUAL_ROWS) {
        for (long i = 0; i < RESIDUAL_ROWS / 2; i++) {
            double *row = s->values + (size_t)i * (size_t)s->columns;
            const double *pair = series_row(s, 2 * i);
            memmove(row, pair, (size_t)s->columns * sizeof *row);
            merge(row, pair + s->columns, s->columns);
        }
        s->rows = RESIDUAL_ROWS / 2;
        r->stride *= 2;
    }
    r->merged = 1;
    return append_point(s, now[0], now + 1, NULL);
}

static int record(recorder *r, keel_solver *solver)
{
    const recording *keep = r->keep;
    int status = KEEL_OK;
    r->t = keel_time(solver);
    if (keep->points && r->sampled)
        status = take_samples(r, &r->point_times, solver, keep_output, r->projected);
    else if (keep->points)
        status = keep_current(r, solver, keep_output);
    if (status == KEEL_OK && keep->curve_count > 0)
        status = take_samples(r, &r->curve_times, solver, keep_curves,
                              r->projected && keep->curves_projected);
    if (status == KEEL_OK && keep->frames > 0)
        status = take_samples(r, &r->frame_times, solver, keep_frame, r->projected);
    if (status == KEEL_OK && keep->residuals) status = record_residuals(r, solver);
    if (r->model) modelled_remember(r->model, solver);
    if (r->model && !r->o->warning[0]) modelled_warn(r->model, solver, r->o->warning, sizeof r->o->warning);
    r->o->steps_of_row = r->stride;
    return status;
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static void pass_recorder(tape *t, void *kept)
{
    recorder *r = kept;
    outcome *o = r->o;
    TAPE(t, r->t);
    TAPE(t, r->point_times);
    TAPE(t, r->curve_times);
    TAPE(t, r->frame_times);
    TAPE(t, r->stride);
    TAPE(t, r->merged);
    TAPE(t, o->unprojected);
    TAPE(t, o->unprojected_time);
    TAPE(t, o->remark);
    TAPE(t, o->warning);
    series *tables[] = {&o->points, &o->curves, &o->residuals, &o->frames};
    for (int k = 0; k < 4; k++) series_tape(t, tables[k]);
}

/* Goes on where the file ends, and writes the output points that the other run had written. */
static int resume(recorder *r, keel_solver *solver)
{
    outcome *o = r->o;
    const run_note note = {r->lines, pass_recorder, r};
    const int status = checkpoint_load(r->keep->resume, solver, &note, o->message,
                                       sizeof o->message);
    r->t = keel_time(solver);
    for (long k = 0; k < o->points.rows && !status && r->keep->sink && !o->unwritten; k++) {
        const double *row = series_row(&o->points, k);
        o->unwritten = !r->keep->sink(r->keep->sink_context, row[0], row + 1);
    }
    return status;
}

/* The first one must succeed; later the run is worth more than they are. */
static int save(recorder *r, keel_solver *solver, bool first)
{
    char message[sizeof r->o->message];
    const run_note note = {r->lines, pass_recorder, r};
    const int status = checkpoint_save(&r->checkpoints, solver, &note, message, sizeof message);
    if (first && status) memcpy(r->o->message, message, sizeof message);
    if (first) return status;
    if (status && !r->checkpoints.failed)
        fprintf(stderr, "keel run: %s; the run goes on\n", message);
    r->checkpoints.failed = status != KEEL_OK;
    return KEEL_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

static int start(outcome *o, keel_solver *solver, const target *t)
{
    int status = target_prepare(t, solver);
    if (status == KEEL_OK) status = target_start(t, solver);
    if (status == KEEL_OK && t->modelled.model) modelled_remember(&t->modelled, solver);
    if (status == KEEL_OK) snprintf(o->remark, sizeof o->remark, "%s", keel_message(solver));
    if (status != KEEL_OK || t->t_end == t->t_start) return status;
    return keel_set_stop_time(solver, t->t_end);
}

static int step_limit(outcome *o, const keel_solver *solver, long limit)
{
    snprintf(o->message, sizeof o->message,
             "t = %.6g after %ld attempted steps; raise --max-steps to go on",
             keel_time(solver), limit);
    return KEEL_STEP_LIMIT;
}

/* Where the run has jumped, the point before is an output point, too. */
static int record_jumps(recorder *r, const keel_solver *solver)
{
    keel_impasse point;
    const int before = r->o->impasse_count, status = keep_impasses(r->o, solver);
    if (status != KEEL_OK || before == r->o->impasse_count) return status;
    const int last = keel_impasse_at(solver, r->o->impasse_count - 1, &point);
    if (last != KEEL_OK || point.action != KEEL_IMPASSE_JUMPED) return last;
    return r->keep->points && !r->sampled ? keep_output(r, keel_time(solver), point.y) : KEEL_OK;
}

static int record_curve(void *context, double s, double t, const double *y)
{
    recorder *r = context;
    int status = KEEL_OK;
    (void)s;
    if (r->keep->points) status = keep_output(r, t, y);
    if (status == KEEL_OK && r->keep->curve_count > 0) status = keep_curves(r, t, y);
    return status;
}

/* One step; a failure or an end at an event may leave a new point, too, which is not lost. */
static int step(keel_solver *solver, recorder *r)
{
    int status = keel_step(solver);
    if (status != KEEL_OK)       /* questions about the point clear the message */
        snprintf(r->o->message, sizeof r->o->message, "%s", keel_message(solver));
    if (status != KEEL_OK && keel_time(solver) == r->t) return status;
    if (status == KEEL_OK) status = record_jumps(r, solver);
    const int recorded = record(r, solver);
    return status != KEEL_OK ? status : recorded;
}

static int advance(keel_solver *solver, const target *t, long limit, recorder *r, progress *p)
{
    int status = look(r, solver);
    if (status == KEEL_OK && !r->keep->resume) status = record(r, solver);
    if (status == KEEL_OK && r->checkpoints.path && !r->keep->resume)
        status = save(r, solver, true);
    while (status == KEEL_OK && !r->o->unwritten && keel_time(solver) != t->t_end) {
        if (interrupt_requested()) {
            r->o->interrupted = true;
            if (r->checkpoints.path) save(r, solver, false);
            break;
        }
        if (keel_solver_stats(solver)->steps >= limit)
            return step_limit(r->o, solver, limit);
        status = step(solver, r);
        if (r->model && r->keep->compile)
            modelled_hurry(r->model, (double)(clock() - r->begin) / CLOCKS_PER_SEC, &r->compiling);
        if (status == KEEL_OK && checkpoints_due(&r->checkpoints)) save(r, solver, false);
        progress_update(p, solver);
    }
    return status == KEEL_OK ? look(r, solver) : status;
}

static int keep_moves(outcome *o, const keel_solver *solver)
{
    const int count = keel_moved_count(solver);
    o->moved = malloc(((size_t)count + 1) * sizeof *o->moved);
    if (!o->moved) return KEEL_NO_MEMORY;
    while (o->moves < count) {
        keel_moved(solver, o->moves, &o->moved[o->moves]);
        o->moves++;
    }
    return KEEL_OK;
}

static int keep_events(outcome *o, const keel_solver *solver)
{
    const long count = keel_event_count(solver);
    if (count == 0) return KEEL_OK;
    o->events = malloc((size_t)count * sizeof *o->events);
    if (!o->events) return KEEL_NO_MEMORY;
    while (o->event_count < count) {
        keel_event_at(solver, o->event_count, &o->events[o->event_count]);
        o->event_count++;
    }
    return KEEL_OK;
}

/* What became of each attached row. */
static int keep_invariants(outcome *o, const keel_solver *solver)
{
    const int rows = attached_rows(keel_solver_problem(solver));
    o->invariants = malloc(((size_t)rows + 1) * sizeof *o->invariants);
    if (!o->invariants) return KEEL_NO_MEMORY;
    while (o->invariant_count < rows &&
           keel_invariant_at(solver, o->invariant_count, &o->invariants[o->invariant_count]) == KEEL_OK)
        o->invariant_count++;
    return KEEL_OK;
}

/* Where the run ended and why; the given values if it never started. */
static void conclude(outcome *o, const target *t, const keel_solver *solver)
{
    if (!o->followed) {
        o->t = o->started ? keel_time(solver) : t->t_start;
        memcpy(o->y, o->started ? keel_state(solver) : t->y, (size_t)t->size * sizeof *o->y);
    }
    if (o->started && t->modelled.model &&
        (o->shown = malloc(((size_t)t->shown_count + 1) * sizeof *o->shown))) {
        char ignored[8];
        modelled_row(&t->modelled, o->t, o->y, keel_solver_frame(solver), o->shown, ignored, sizeof ignored);
    }
    if (o->started) o->stats = *keel_solver_stats(solver);
    else for (int i = 0; i < KEEL_LEVELS_MOST; i++) o->stats.residual[i] = -1;
    snprintf(o->choice, sizeof o->choice, "%s", keel_choice(solver));
    if (o->message[0]) return;
    const char *message = solver ? keel_message(solver) : NULL;
    snprintf(o->message, sizeof o->message, "%s",
             o->status == KEEL_OK ? o->remark[0] ? o->remark : o->choice
             : message && *message ? message : keel_status_text(o->status));
}

void integrate(outcome *o, const target *t, const keel_options *options, const recording *keep,
               bool show_progress, bool quiet)
{
    const long limit = options->max_steps > 0 ? options->max_steps
                                              : (long)option_standard("max-steps");
    keel_solver *solver = NULL;

    *o = (outcome){.y = malloc(((size_t)t->size + 1) * sizeof *o->y)};
    if (!o->y) {
        o->status = KEEL_NO_MEMORY;
        return;
    }
    recorder r = recorder_begin(t, keep, options, o);
    const bool rows = keep->curve_length > 0 || r.model;
    r.row = rows ? malloc(((size_t)t->shown_count + 1) * sizeof *r.row) : NULL;
    if (rows && !r.row) {
        o->status = KEEL_NO_MEMORY;
        return;
    }
    progress p = progress_begin(t->t_start, t->t_end, show_progress, quiet);
    interrupt_watch();

    const clock_t begin = r.begin = clock();
    o->status = keel_solver_create(&solver, t->problem, options);
    if (o->status == KEEL_OK && (keep->checkpoint || keep->resume)) {
        r.lines = checkpoint_lines(t, keep);
        o->status = r.lines ? KEEL_OK : KEEL_NO_MEMORY;
    }
    if (o->status == KEEL_OK) {
        o->status = keep->resume ? resume(&r, solver) : start(o, solver, t);
        o->started = outcome_ended(o);
    }
    const int moves = o->started ? keep_moves(o, solver) : KEEL_OK;
    if (moves != KEEL_OK) o->status = moves;
    if (o->started && !o->status) o->status = advance(solver, t, limit, &r, &p);
    else if (o->status == KEEL_EVENT) record(&r, solver);
    if (o->started && keep_events(o, solver) != KEEL_OK) o->status = KEEL_NO_MEMORY;
    if (o->started && keep_invariants(o, solver)) o->status = KEEL_NO_MEMORY;
    if (o->started && keep_impasses(o, solver)) o->status = KEEL_NO_MEMORY;
    if (o->status == KEEL_SINGULAR && keep->curve_length > 0 && o->impasse_count > 0)
        o->status = follow_curve(o, t, options, solver, keep->curve_length, record_curve, &r);
    o->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;

    progress_end(&p);
    conclude(o, t, solver);
    keel_solver_free(solver);
    free(r.lines);
    free(r.row);
}

void outcome_free(outcome *o)
{
    free(o->y);
    free(o->shown);
    free(o->moved);
    free(o->events);
    free(o->impasses);
    free(o->invariants);
    series_free(&o->points);
    series_free(&o->curves);
    series_free(&o->residuals);
    series_free(&o->frames);
}

const char *outcome_word(const outcome *o, char text[32])
{
    if (o->interrupted) return "interrupted";
    return o->unwritten ? "cannot-write" : status_word(o->status, text);
}
