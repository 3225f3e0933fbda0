/* integration.c -- integrate a target from start to end and keep what is asked for.
 *
 * The loop steps until the end is hit exactly, in either direction of time; equidistant points
 * inside a step come from dense output.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/integration.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/progress.h"

enum { CURVE_POINTS = 1500 };    /* samples of a curve: more than its picture has pixels */

/* Equidistant times t_start + k spacing, k = 0 ... last; the last one is t_end. */
typedef struct sampler {
    double t_start, t_end, spacing;
    long next, last;
} sampler;

static volatile sig_atomic_t stop_requested;    /* a signal handler can reach nothing else */

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

/* The first interrupt ends the run at the next step, a second one the process. */
static void watch_interrupts(void)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

static sampler sample_count(const target *t, long count)
{
    const double length = t->t_end - t->t_start;
    if (length == 0) count = 1;
    return (sampler){t->t_start, t->t_end, count > 1 ? length / (double)(count - 1) : 0, 0,
                     count - 1};
}

/* The remainder before t_end counts as a full interval unless it is mere rounding. */
static sampler sample_spacing(const target *t, double spacing)
{
    const double length = t->t_end - t->t_start;
    return (sampler){t->t_start, t->t_end, copysign(spacing, length), 0,
                     (long)ceil(fabs(length) / spacing * (1 - 1e-12))};
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

/* Appends the samples up to the current time; `y` is room for one point. */
static int append_samples(sampler *times, series *s, keel_solver *solver, const int *which,
                          double *y)
{
    const double now = keel_time(solver);
    for (; times->next <= times->last; times->next++) {
        const double t = times->next == times->last ? times->t_end
                       : times->t_start + (double)times->next * times->spacing;
        if ((t - now) * times->spacing > 0) break;
        int status = KEEL_OK;
        if (t != now) status = keel_interpolate(solver, t, y);
        if (status == KEEL_OK)
            status = append_point(s, t, t == now ? keel_state(solver) : y, which);
        if (status != KEEL_OK) return status;
    }
    return KEEL_OK;
}

/* What is kept of the run so far, besides the final point. */
typedef struct recorder {
    const recording *keep;
    outcome *o;
    bool sampled;
    sampler point_times, curve_times;
} recorder;

static recorder recorder_begin(const target *t, const recording *keep, outcome *o)
{
    recorder r = {.keep = keep, .o = o, .sampled = keep->count > 0 || keep->spacing > 0};
    if (keep->count > 0) r.point_times = sample_count(t, keep->count);
    else if (keep->spacing > 0) r.point_times = sample_spacing(t, keep->spacing);
    r.curve_times = sample_count(t, CURVE_POINTS);
    o->points.columns = 1 + t->size;
    o->curves.columns = 1 + keep->curve_count;
    o->residuals.columns = 1 + keel_problem_levels(t->problem);
    return r;
}

static int record(recorder *r, keel_solver *solver)
{
    outcome *o = r->o;
    int status = KEEL_OK;
    if (r->keep->points && r->sampled)
        status = append_samples(&r->point_times, &o->points, solver, NULL, o->y);
    else if (r->keep->points)
        status = append_point(&o->points, keel_time(solver), keel_state(solver), NULL);
    if (status == KEEL_OK && r->keep->curve_count > 0)
        status = append_samples(&r->curve_times, &o->curves, solver, r->keep->curves, o->y);
    if (status == KEEL_OK && r->keep->residuals) {
        double residual[KEEL_LEVELS_MOST];
        for (int k = 0; k < o->residuals.columns - 1; k++)
            residual[k] = keel_level_residual(solver, k);
        status = append_point(&o->residuals, keel_time(solver), residual, NULL);
    }
    return status;
}

static int start(outcome *o, keel_solver *solver, const target *t)
{
    const int status = keel_start_marked(solver, t->t_start, t->y, NULL, t->marks);
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

static int advance(keel_solver *solver, const target *t, long limit, recorder *r, progress *p)
{
    int status = record(r, solver);
    while (status == KEEL_OK && keel_time(solver) != t->t_end) {
        if (stop_requested) {
            r->o->interrupted = true;
            break;
        }
        if (keel_solver_stats(solver)->steps >= limit)
            return step_limit(r->o, solver, limit);
        status = keel_step(solver);
        if (status == KEEL_OK) status = record(r, solver);
        progress_update(p, solver);
    }
    return status;
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

/* Where the run ended and why; the given values if it never started. */
static void conclude(outcome *o, const target *t, const keel_solver *solver)
{
    o->t = o->started ? keel_time(solver) : t->t_start;
    memcpy(o->y, o->started ? keel_state(solver) : t->y, (size_t)t->size * sizeof *o->y);
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
    recorder r = recorder_begin(t, keep, o);
    progress p = progress_begin(t->t_start, t->t_end, show_progress, quiet);
    watch_interrupts();

    const clock_t begin = clock();
    o->status = keel_solver_create(&solver, t->problem, options);
    if (o->status == KEEL_OK) {
        o->status = start(o, solver, t);
        o->started = o->status == KEEL_OK;
    }
    if (o->started) o->status = keep_moves(o, solver);
    if (o->started && !o->status) o->status = advance(solver, t, limit, &r, &p);
    o->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;

    progress_end(&p);
    conclude(o, t, solver);
    keel_solver_free(solver);
}

void outcome_free(outcome *o)
{
    free(o->y);
    free(o->moved);
    series_free(&o->points);
    series_free(&o->curves);
    series_free(&o->residuals);
}

const char *outcome_word(const outcome *o, char text[32])
{
    if (o->interrupted) return "interrupted";
    if (o->status == KEEL_OK) return "ok";
    const char *name = keel_status_name(o->status);
    if (strncmp(name, "KEEL_", 5) == 0) name += 5;
    snprintf(text, 32, "%s", name);
    for (char *c = text; *c; c++)
        *c = *c == '_' || *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    return text;
}
