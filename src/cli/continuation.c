/* continuation.c -- keel bvp --continue NAME=FROM:TO: follows solutions as a parameter changes. */
#include "cli/continuation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/frame_conditions.h"
#include "cli/verbs.h"
#include "core/number.h"

/* ---- what is asked for --------------------------------------------------------------------- */

/* A finite number up to the character `end`; *text then points behind it. */
static bool read_up_to(const char **text, char end, double *value)
{
    char *rest;
    *value = number_read(*text, &rest);
    if (rest == *text || *rest != end || !isfinite(*value)) return false;
    *text = rest + (end != 0);
    return true;
}

int continuation_read(continuation *c, target_settings *settings)
{
    assignments *list = &settings->parameters;
    const char *equals = c->text ? strchr(c->text, '=') : NULL, *rest = equals ? equals + 1 : NULL;
    if (!c->text)
        return c->arclength ? usage_error("bvp", "--arclength goes with --continue NAME=FROM:TO")
                            : EXIT_DONE;
    if (!equals || equals == c->text || !read_up_to(&rest, ':', &c->start.value)
        || !read_up_to(&rest, 0, &c->to) || c->to == c->start.value)
        return usage_error("bvp", "--continue takes NAME=FROM:TO with two different numbers, not "
                           "'%s'", c->text);
    c->start.name = c->text;
    c->start.name_length = (int)(equals - c->text);
    assignment *grown = realloc(list->each, (size_t)(list->count + 1) * sizeof *grown);
    if (!grown) return usage_error("bvp", "no memory for --continue");
    list->each = grown;
    list->each[list->count++] = c->start;
    return EXIT_DONE;
}

/* ---- following ----------------------------------------------------------------------------- */

static int check_parameter(const target *t, const continuation *c, int which, int own)
{
    const double (*bounds)[2] = t->bundled->bounds;
    if (which < 0)
        return usage_error("bvp", "--continue: %.*s is no parameter of the frame of the problem; "
                           "only those can change without making another problem "
                           "(docs/boundary-branches.md)", c->start.name_length, c->start.name);
    if (own >= 0 && bounds && !(c->to >= bounds[own][0] && c->to <= bounds[own][1]))
        return usage_error("bvp", "--continue %.*s takes numbers from %g to %g, not %g",
                           c->start.name_length, c->start.name, bounds[own][0], bounds[own][1],
                           c->to);
    return EXIT_DONE;
}

/* Without a point only JSON, which says so, is written. */
static void write_points(branch_outcome *o, output *file)
{
    char message[500];
    const size_t length = file->name ? strlen(file->name) : 0;
    const bool csv = length > 4 && strcmp(file->name + length - 4, ".csv") == 0;
    if (!file->file || (csv && o->points.rows == 0)) return;
    if (csv) branch_csv(o, file->file);
    else branch_json(o, file->file);
    o->unwritten = output_finish(file, false, message, sizeof message) != 0;
    if (o->unwritten) fprintf(stderr, "keel bvp: %s\n", message);
}

static int report(branch_outcome *o, output *points, output *plot)
{
    int drawn = 0;
    write_points(o, points);
    if (o->asked->json) branch_json(o, stdout);
    else if (!o->asked->quiet) branch_print(o, stdout);
    if (o->status != KEEL_OK)
        fprintf(stderr, "keel bvp: %s: %s\n", keel_status_name(o->status), o->message);
    if (plot->name && o->points.rows > 0) drawn = branch_draw(o, plot);
    return o->status == KEEL_OK && !o->unwritten && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

/* Point by point where each is saved, but for the last; what cannot be saved ends it. */
static int follow_to_end(keel_branch *branch, const continuation *c)
{
    enum { POINTS_MOST = 1000 };
    int status = KEEL_STEP_LIMIT;
    for (int i = 0; i < (c->checkpoint ? POINTS_MOST : 1) && status == KEEL_STEP_LIMIT; i++) {
        status = keel_branch_follow(branch, c->to);
        if (!c->checkpoint || status != KEEL_STEP_LIMIT) break;
        const int saved = keel_branch_save(branch, c->checkpoint);
        if (saved != KEEL_OK) return saved;
    }
    return status;
}

static int follow(keel_branch *branch, branch_outcome *o, const keel_boundary_spec *spec,
                  output *points, output *plot)
{
    const double *frame = o->target->frame.parameters;
    const clock_t begin = clock();
    o->status = frame ? keel_boundary_set_frame(keel_branch_boundary(branch), frame) : KEEL_OK;
    if (o->status == KEEL_OK)
        o->status = o->asked->resume ? keel_branch_load(branch, o->asked->resume)
                                     : keel_branch_start(branch, o->asked->start.value);
    if (o->status == KEEL_OK) o->status = follow_to_end(branch, o->asked);
    o->cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    progress_end(o->line);
    o->message = keel_branch_message(branch);
    const int status = branch_collect(o, branch, spec);
    if (status != KEEL_OK) return refuse_status("bvp", status, keel_status_text(status));
    return report(o, points, plot);
}

int continuation_run(const target *t, const keel_boundary_options *options, const continuation *c,
                     progress *line, output *points, output *plot)
{
    frame_conditions f = {.spec = t->bundled->boundary->spec, .parameters = t->parameters, .count = 1};
    const int which = frame_parameter(t, c->start.name, (size_t)c->start.name_length, &f.which[0]);
    int code = check_parameter(t, c, which, f.which[0]);
    if (code != EXIT_DONE) return code;
    const keel_boundary_spec spec = frame_conditions_spec(t, &f);
    branch_outcome o = {.target = t, .options = options, .asked = c, .line = line,
                        .parameter = keel_parameter_name(t->problem, which)};
    keel_branch *branch = NULL;
    const int status = keel_branch_create(&branch, &spec, options, &(keel_branch_options){
        .parameter = which, .arclength = c->arclength, .most = c->checkpoint ? 1 : 0});
    const char *said = keel_branch_message(branch);
    code = status == KEEL_OK
        ? follow(branch, &o, &spec, points, plot)
        : refuse_status("bvp", status, *said ? said : keel_status_text(status));
    branch_outcome_free(&o);
    keel_branch_free(branch);
    return code;
}
