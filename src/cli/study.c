/* study.c -- runs of a target with constant steps, and their errors. */
#include "cli/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"

enum { FIRST_STEPS = 5, STEPS_MOST = 100000000 };

static const double reference_tolerance = 1e-13, trial_tolerance = 1e-3;

static int no_memory(const char *verb)
{
    return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
}

/* ---- reference ----------------------------------------------------------------------------- */

static bool exact_applies(const target *t)
{
    return t->bundled->exact && t->reference_applies;
}

/* Starts a problem of the chain, the first or the last, where the target starts. */
static int start_problem(keel_solver *solver, const target *t, const keel_problem *problem)
{
    if (problem == t->problem)
        return keel_start_marked(solver, t->t_start, t->y, NULL, t->marks);
    const int size = keel_problem_size(t->original);
    double *y = malloc(((size_t)size + 1) * sizeof *y);
    if (!y) return KEEL_NO_MEMORY;
    target_to_original(t, t->y, y);
    for (int i = 0; i < size; i++)
        if (isnan(y[i])) y[i] = 0;               /* multipliers, which the start finds */
    const int status = keel_start(solver, t->t_start, y);
    free(y);
    return status;
}

/* y [(steps + 1) size] at equidistant times, every one of which ends a step. */
static int reference_points(const target *t, const keel_problem *problem, keel_solver *solver,
                            long steps, double *y)
{
    const size_t size = (size_t)keel_problem_size(problem);
    int status = start_problem(solver, t, problem);
    if (status == KEEL_OK) memcpy(y, keel_state(solver), size * sizeof *y);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, t->t_end);
    for (long k = 1; k <= steps && status == KEEL_OK; k++) {
        const double time = k == steps ? t->t_end
            : t->t_start + (double)k * ((t->t_end - t->t_start) / (double)steps);
        status = keel_advance_to(solver, time);
        memcpy(y + (size_t)k * size, keel_state(solver), size * sizeof *y);
    }
    return status;
}

static double *reference_mesh(const char *verb, const target *t, const keel_problem *problem,
                              long steps)
{
    const keel_options options = {.method = "radau-iia", .rtol = reference_tolerance};
    const size_t size = (size_t)keel_problem_size(problem);
    keel_solver *solver = NULL;
    double *y = malloc((size_t)(steps + 1) * size * sizeof *y);
    if (!y) return no_memory(verb), NULL;

    int status = keel_solver_create(&solver, problem, &options);
    if (status == KEEL_OK) status = target_prepare(t, solver);
    if (status == KEEL_OK) status = reference_points(t, problem, solver, steps, y);
    if (status != KEEL_OK) {
        char word[32];
        refuse(EXIT_FAILED, verb, status_word(status, word), "no reference solution: %s: %s",
               keel_status_name(status), solver ? keel_message(solver) : keel_status_text(status));
        free(y);
        y = NULL;
    }
    keel_solver_free(solver);
    return y;
}

double *study_reference_end(const char *verb, const target *t)
{
    const size_t size = (size_t)keel_problem_size(t->original);
    double *y = reference_mesh(verb, t, t->original, 1);
    if (y) memmove(y, y + size, size * sizeof *y);
    return y;
}

/* ---- columns ------------------------------------------------------------------------------- */

static void name_columns(study *s, const keel_problem *problem, bool each)
{
    int group[3] = {0}, first = 0;
    const char *name[3];
    const int groups = keel_problem_groups(problem, group, name);

    s->columns = each || groups == 0 ? s->size : groups;
    for (int i = 0; i < s->size; i++) {
        s->names[i] = keel_variable_name(problem, i);
        s->column[i] = i;
    }
    for (int k = 0; k < groups && !each; k++) {
        s->names[k] = name[k];
        for (int i = 0; i < group[k]; i++) s->column[first + i] = k;
        first += group[k];
    }
}

int study_open(study *s, const char *verb, const target *t, long finest, study_view view)
{
    *s = (study){.target = t, .view = view, .mesh = view.end_only ? 1 : finest,
                 .measured = view.formulation ? t->problem : t->original};
    s->size = keel_problem_size(s->measured);
    const size_t size = (size_t)s->size + 1;
    s->names = malloc(size * sizeof *s->names);
    s->column = malloc(size * sizeof *s->column);
    s->work = malloc(3 * size * sizeof *s->work);
    if (!s->names || !s->column || !s->work) return no_memory(verb);
    name_columns(s, s->measured, view.each);
    if (exact_applies(t) && s->measured == t->original) return EXIT_DONE;
    s->reference = reference_mesh(verb, t, s->measured, s->mesh);
    return s->reference ? EXIT_DONE : EXIT_FAILED;
}

void study_free(study *s)
{
    free(s->names);
    free(s->column);
    free(s->reference);
    free(s->work);
}

/* ---- errors -------------------------------------------------------------------------------- */

/* The unknowns measured, of a point of the target. */
static void measured_values(const study *s, const double *y, double *values)
{
    if (s->measured == s->target->problem) memcpy(values, y, (size_t)s->size * sizeof *values);
    else target_to_original(s->target, y, values);
}

/* Raises the errors to those of y at time t, which is point k of n. */
static void add_errors(const study *s, long k, long n, double t, const double *y, double *error)
{
    double *given = s->work, *truth = given + s->size, *here = truth + s->size;
    const double *reference = truth;

    measured_values(s, y, given);
    if (s->reference) reference = s->reference + k * s->mesh / n * s->size;
    else s->target->bundled->exact(s->target->parameters, t, truth);
    for (int j = 0; j < s->columns; j++) here[j] = 0;
    for (int i = 0; i < s->size; i++) {
        double *size = &here[s->column[i]];
        const double e = fabs(given[i] - reference[i]);
        if (isnan(e) || isnan(*size)) *size = NAN;
        else *size = s->view.euclidean ? hypot(*size, e) : fmax(*size, e);
    }
    for (int j = 0; j < s->columns; j++)         /* a NaN stays */
        if (!isnan(error[j]) && !(here[j] <= error[j])) error[j] = here[j];
}

/* Unknowns that a formulation has not are NAN from the start; those that became so blew up. */
static void mark_blown_up(const study *s, double *error)
{
    double *start = s->work;
    measured_values(s, s->target->y, start);
    for (int i = 0; i < s->size; i++)
        if (!isnan(start[i]) && isnan(error[s->column[i]])) error[s->column[i]] = INFINITY;
}

static void measure(study_run *run, const study *s, const outcome *o)
{
    for (int k = 0; k < s->columns; k++) run->error[k] = 0;
    if (s->view.end_only) add_errors(s, run->steps, run->steps, o->t, o->y, run->error);
    for (long k = 0; !s->view.end_only && k < o->points.rows && k <= run->steps; k++) {
        const double *row = series_row(&o->points, k);
        add_errors(s, k, run->steps, row[0], row + 1, run->error);
    }
    mark_blown_up(s, run->error);
}

bool study_constant(study_run *run, const study *s, const keel_options *options, long steps)
{
    const target *t = s->target;
    keel_options constant = *options;
    outcome o;

    *run = (study_run){.steps = steps, .h = fabs(t->t_end - t->t_start) / (double)steps,
                       .error = malloc((size_t)s->columns * sizeof *run->error)};
    if (!run->error) return false;
    constant.step = run->h;
    integrate(&o, t, &constant, &(recording){.points = !s->view.end_only}, false, false);
    run->status = o.status;
    run->interrupted = o.interrupted;
    snprintf(run->word, sizeof run->word, "%s", outcome_word(&o, (char[32]){""}));
    snprintf(run->message, sizeof run->message, "%s", o.message);
    if (o.status == KEEL_OK && !o.interrupted) measure(run, s, &o);
    else for (int k = 0; k < s->columns; k++) run->error[k] = NAN;
    outcome_free(&o);
    return true;
}

void study_run_free(study_run *run)
{
    free(run->error);
    run->error = NULL;
}

/* ---- step sizes ---------------------------------------------------------------------------- */

long study_first_steps(const target *t)
{
    long steps = FIRST_STEPS;
    outcome o = {0};
    if (exact_applies(t)) return steps;
    integrate(&o, t, &(keel_options){.method = "radau-iia", .rtol = trial_tolerance},
              &(recording){0}, false, true);
    while (o.status == KEEL_OK && steps < o.stats.accepted) steps *= 2;
    outcome_free(&o);
    return steps;
}

long study_steps(const target *t, double h)
{
    const double steps = round(fabs(t->t_end - t->t_start) / h);
    return steps > STEPS_MOST ? 0 : steps < 1 ? 1 : (long)steps;
}

double observed_order(double before, double now, double ratio)
{
    const bool both = isfinite(before) && isfinite(now) && before > 0 && now > 0;
    return both ? log(before / now) / log(ratio) : NAN;
}
