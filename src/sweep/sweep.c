/* sweep.c -- rows to workers, and their results in order to the caller.
 *
 * Workers take the next row that nobody has taken and leave its results in a window of places that
 * begins at the next row to be handed out; where the window is full they wait, so that memory does
 * not grow with the number of rows.  The calling thread hands results out in order, and makes the
 * runs itself where there is one job.
 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sized.h"
#include "sweep/worker.h"

enum { PLACES_PER_WORKER = 16, MOST_JOBS = 1024 };

typedef struct place {
    sweep_result result;
    int ready;
} place;

typedef struct sweep {
    keel_sweep_spec spec;
    const keel_options *options;
    size_t options_size;
    message message;
    long runs;                   /* of this sweep: rows first + k stride, k < runs         */
    place *places;
    long window;                 /* places                                                 */
    pthread_mutex_t lock;
    pthread_cond_t changed;      /* a result is ready, a place is free, or all shall stop  */
    long taken, handed;          /* runs; under the lock                                   */
    int stop;
} sweep;

static const double *parameters_of(const sweep *s, long run)
{
    const long row = s->spec.first + run * s->spec.stride;
    return s->spec.values ? s->spec.values + (size_t)row * (size_t)s->spec.parameters : NULL;
}

/* Gives the results of a run to the caller; whether there shall be more. */
static int hand_out(const sweep *s, long run, const sweep_result *r)
{
    const keel_sweep_row row = {
        .row = s->spec.first + run * s->spec.stride, .parameters = parameters_of(s, run),
        .status = r->status, .message = r->why.text, .t = r->t, .count = r->count,
        .values = r->begun ? r->values : NULL, .stats = &r->stats};
    return s->spec.row(&row, s->spec.context) == 0;
}

/* ---- several workers ----------------------------------------------------------------------- */

/* The next run, once there is a place for its results; -1: none is left. */
static long take_run(sweep *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->stop && s->taken < s->runs && s->taken - s->handed >= s->window)
        pthread_cond_wait(&s->changed, &s->lock);
    const long run = s->stop || s->taken >= s->runs ? -1 : s->taken++;
    pthread_mutex_unlock(&s->lock);
    return run;
}

static void *work(void *context)
{
    sweep *s = context;
    sweep_worker w = {.spec = &s->spec, .options = s->options, .options_size = s->options_size};
    for (long run; (run = take_run(s)) >= 0;) {
        place *p = &s->places[run % s->window];
        worker_run(&w, parameters_of(s, run), &p->result);
        pthread_mutex_lock(&s->lock);
        p->ready = 1;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    worker_end(&w);
    return NULL;
}

static int collect(sweep *s)
{
    int going = 1;
    for (long run = 0; run < s->runs && going; run++) {
        place *p = &s->places[run % s->window];
        pthread_mutex_lock(&s->lock);
        while (!p->ready) pthread_cond_wait(&s->changed, &s->lock);
        pthread_mutex_unlock(&s->lock);
        going = hand_out(s, run, &p->result);
        pthread_mutex_lock(&s->lock);
        p->ready = 0;
        s->handed = run + 1;
        s->stop = !going;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    return going ? KEEL_OK : KEEL_EVENT;
}

/* With as many threads as can be had; none at all is a failure. */
static int run_threads(sweep *s, int jobs)
{
    pthread_t *threads = malloc((size_t)jobs * sizeof *threads);
    int made = 0, status;
    if (!threads) return fail(&s->message, KEEL_NO_MEMORY, "no memory for %d workers", jobs);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    while (made < jobs && pthread_create(&threads[made], NULL, work, s) == 0) made++;
    status = made > 0 ? collect(s) : fail(&s->message, KEEL_NO_MEMORY, "no thread can be made");
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(threads);
    return status;
}

/* ---- one worker ---------------------------------------------------------------------------- */

static int run_here(sweep *s)
{
    sweep_worker w = {.spec = &s->spec, .options = s->options, .options_size = s->options_size};
    int going = 1;
    for (long run = 0; run < s->runs && going; run++) {
        worker_run(&w, parameters_of(s, run), &s->places[0].result);
        going = hand_out(s, run, &s->places[0].result);
    }
    worker_end(&w);
    return going ? KEEL_OK : KEEL_EVENT;
}

/* ---- the sweep ----------------------------------------------------------------------------- */

static int check(sweep *s, const keel_sweep_spec *given, size_t spec_size)
{
    keel_sweep_spec *spec = &s->spec;
    message *m = &s->message;
    if (!given) return fail(m, KEEL_BAD_ARGUMENT, "the spec is NULL");
    const int rc = sized_copy(m, SIZED(keel_sweep_spec, context, context), spec, given, spec_size);
    if (rc != KEEL_OK) return rc;
    if (!spec->open || !spec->row) return fail(m, KEEL_BAD_ARGUMENT, "open and row are needed");
    if (spec->rows < 0 || spec->parameters < 0 || spec->first < 0 || spec->stride < 0)
        return fail(m, KEEL_BAD_ARGUMENT, "rows, parameters, first and stride cannot be negative");
    if (spec->parameters > 0 && spec->rows > 0 && !spec->values)
        return fail(m, KEEL_BAD_ARGUMENT, "%d parameters, but values is NULL", spec->parameters);
    if (spec->output && spec->outputs < 0) return fail(m, KEEL_BAD_ARGUMENT, "outputs cannot be negative");
    if (spec->jobs < 0 || spec->jobs > MOST_JOBS)
        return fail(m, KEEL_BAD_ARGUMENT, "jobs is %d, not from 0 to %d", spec->jobs, MOST_JOBS);
    if (spec->stride == 0) spec->stride = 1;
    return KEEL_OK;
}

static int run(sweep *s)
{
    const keel_sweep_spec *spec = &s->spec;
    s->runs = spec->first < spec->rows ? (spec->rows - spec->first - 1) / spec->stride + 1 : 0;
    const int jobs = spec->jobs < s->runs ? spec->jobs : (int)s->runs;
    s->window = jobs > 1 ? (long)jobs * PLACES_PER_WORKER : 1;
    s->places = calloc((size_t)s->window, sizeof *s->places);
    if (!s->places) return fail(&s->message, KEEL_NO_MEMORY, "no memory for %ld results", s->window);
    const int status = jobs > 1 ? run_threads(s, jobs) : run_here(s);
    for (long k = 0; k < s->window; k++) free(s->places[k].result.values);
    free(s->places);
    return status;
}

int keel_sweep_sized(const keel_sweep_spec *given, size_t spec_size, const keel_options *options,
                     size_t options_size, char *text, size_t room)
{
    sweep *s = calloc(1, sizeof *s);
    if (!s) return KEEL_NO_MEMORY;
    s->options = options;
    s->options_size = options_size;
    int status = check(s, given, spec_size);
    if (status == KEEL_OK) status = run(s);
    if (text && room > 0) snprintf(text, room, "%s", s->message.text);
    free(s);
    return status;
}
