/* summary.c -- the result of a run, for people and for programs. */
#include "cli/summary.h"

#include <math.h>

#include "cli/events.h"
#include "cli/following.h"
#include "cli/levels.h"
#include "cli/method_choice.h"
#include "report/json.h"
#include "report/table.h"

enum { VALUES_SHOWN = 16, MOVES_SHOWN = 10, IMPASSES_SHOWN = 10 };

const char *tolerance_text(const keel_options *options, char text[64])
{
    const double rtol = options->rtol == KEEL_ZERO ? 0
                      : options->rtol > 0 ? options->rtol : option_standard("rtol");
    const double atol = options->atol == KEEL_ZERO ? 0 : options->atol > 0 ? options->atol : rtol;
    if (options->step > 0) snprintf(text, 64, "constant step %g", options->step);
    else snprintf(text, 64, "rtol %g, atol %g%s", rtol, atol, options->atol_each ? " of nominal" : "");
    return text;
}

static bool is_projected(const target *t, const keel_options *options)
{
    return target_has_manifold(t) && options->projection != KEEL_PROJECT_NONE;
}

const char *projection_text(const target *t, const keel_options *options)
{
    if (!target_has_manifold(t)) return "";
    return is_projected(t, options) ? ", projected" : ", not projected";
}

/* A solution that is known is that of the first branch. */
static double correct_digits(const summary *s)
{
    if (s->outcome->followed) return NAN;
    return target_scd(s->target, s->outcome->t, s->outcome->y);
}

/* ---- for people ---------------------------------------------------------------------------- */

static void print_setting(const summary *s, FILE *file)
{
    const target *t = s->target;
    char tolerance[64];

    fprintf(file, "%s: %s\n\n", t->bundled->name, t->bundled->title);
    fprintf(file, "  form        %s, index %d, %d unknown%s\n",
            keel_form_name(keel_problem_form(t->problem)), keel_problem_index(t->problem),
            t->size, t->size == 1 ? "" : "s");
    if (t->problem != t->original) fprintf(file, "  formulation %s\n", t->formulation);
    fprintf(file, "  method      %s%s\n", method_name(s->options),
            projection_text(t, s->options));
    if (s->outcome->choice[0]) fprintf(file, "              %s\n", s->outcome->choice);
    fprintf(file, "  interval    %.10g to %.10g\n", t->t_start, t->t_end);
    fprintf(file, "  tolerance   %s\n", tolerance_text(s->options, tolerance));
}

void summary_moves(const summary *s, FILE *file)
{
    const outcome *o = s->outcome;
    if (o->remark[0]) fprintf(file, "start: %s\n", o->remark);
    for (int i = 0; i < o->moves && i < MOVES_SHOWN; i++)
        fprintf(file, "start: %s moved from %.10g to %.10g\n",
                s->target->names[o->moved[i].variable], o->moved[i].from, o->moved[i].to);
    if (o->moves > MOVES_SHOWN) fprintf(file, "start: and %d more\n", o->moves - MOVES_SHOWN);
}

/* Unknowns; of a model its variables, without parameters. */
static void print_values(const summary *s, FILE *file)
{
    const target *t = s->target;
    const double *value = s->outcome->shown ? s->outcome->shown : s->outcome->y;
    const char *const *name = s->outcome->shown ? t->shown : t->names;
    const int count = s->outcome->shown ? t->shown_count : t->size;
    int shown = 0, more = 0;
    table list = {.columns = 2, .align = "ll", .indent = "  "};

    fprintf(file, "\n%s at t = %.15g",
            s->outcome->t == s->target->t_end || s->outcome->status == KEEL_EVENT
            ? "final values" : "last values", s->outcome->t);
    if (s->outcome->followed) fprintf(file, ", after a length s = %.10g", s->outcome->length);
    fputc('\n', file);
    for (int i = 0; i < count; i++) {
        if (s->outcome->shown && !modelled_varies(&t->modelled, i)) continue;
        if (shown == VALUES_SHOWN) {
            more++;
            continue;
        }
        shown++;
        table_cell(&list, "%-10s", name[i]);
        table_cell(&list, "% .12g", value[i]);
    }
    table_print(&list, file);
    table_free(&list);
    if (more) fprintf(file, "  ...          %d more; --output writes all\n", more);
}

static void count(table *list, const char *what, long number)
{
    table_cell(list, "%s", what);
    table_cell(list, "%ld", number);
}

static void range(table *list, const char *what, int low, int high)
{
    table_cell(list, "%s", what);
    if (low == high) table_cell(list, "%d", low);
    else table_cell(list, "%d..%d", low, high);
}

static void print_statistics(const summary *s, FILE *file)
{
    const keel_stats *n = &s->outcome->stats;
    table list = {.columns = 4, .align = "lrlr", .indent = "  "};

    fprintf(file, "\nstatistics\n");
    count(&list, "accepted steps", n->accepted);
    count(&list, "   right-hand sides", n->rhs);
    count(&list, "rejected by error", n->rejected_error);
    count(&list, "   for differences", n->rhs_for_jacobian);
    count(&list, "rejected by Newton", n->rejected_newton);
    count(&list, "   Jacobians", n->jacobian);
    count(&list, "Newton iterations", n->newton);
    count(&list, "   factorizations", n->factorizations);
    count(&list, "projections", n->projections);
    count(&list, "   solves", n->solves);
    if (n->orders_high > 0) range(&list, "orders", n->orders_low, n->orders_high);
    else range(&list, "stages", n->stages_low, n->stages_high);
    count(&list, "   constraints alone", n->constraint);
    if (n->events > 0 || n->switches > 0) {
        count(&list, "events", n->events);
        count(&list, "   restarts", n->restarts);
        count(&list, "event iterations", n->event_iterations);
        count(&list, "   switch functions", n->switches);
    }
    table_print(&list, file);
    table_free(&list);
}

/* Is it the level with the multipliers, which was not measured after every step? */
static bool is_partial(const summary *s, int level)
{
    return s->outcome->stats.unmeasured > 0 && level_has_multipliers(s->target->problem, level);
}

static void print_residuals(const summary *s, FILE *file)
{
    const double *residual = s->outcome->stats.residual;
    const keel_problem *problem = s->target->problem;
    const int levels = keel_problem_levels(problem);
    bool any = false;

    for (int k = 0; k < levels; k++) {
        char text[LEVEL_NAME], label[80];
        const char *row = level_row(problem, k), *name = level_name(problem, k, text);
        if (!(residual[k] >= 0)) continue;
        if (!any) fprintf(file, "\nconstraint residuals, largest of all accepted steps\n");
        any = true;
        if (row) snprintf(label, sizeof label, "%-12s %s", name, row);
        else snprintf(label, sizeof label, "%s", name);
        fprintf(file, "  %-18s  %.1e%s\n", label, residual[k],
                is_partial(s, k) ? "  at stop times only" : "");
    }
}

static void print_impasses(const summary *s, FILE *file)
{
    const outcome *o = s->outcome;
    if (o->impasse_count > 0) fprintf(file, "\npoints where algebraic equations lose rank\n");
    for (int i = 0; i < o->impasse_count && i < IMPASSES_SHOWN; i++) {
        const keel_impasse *p = &o->impasses[i];
        const bool is_impasse = p->kind != KEEL_IMPASSE_NONE;
        fprintf(file, "  t = %-18.12g  %s%s, %s\n", p->t,
                is_impasse ? keel_impasse_kind_name((int)p->kind) : "no",
                is_impasse ? "" : " impasse point", impasse_action_word((int)p->action));
    }
    if (o->impasse_count > IMPASSES_SHOWN)
        fprintf(file, "  and %d more\n", o->impasse_count - IMPASSES_SHOWN);
}

static void print_invariants(const summary *s, FILE *file)
{
    const outcome *o = s->outcome;
    table list = {.columns = 4, .align = "lrrr", .indent = "  "};
    if (o->invariant_count == 0) return;
    fprintf(file, "\nattached rows, and their largest deviation of all accepted steps\n");
    for (int i = 0; i < o->invariant_count && i < VALUES_SHOWN; i++) {
        const keel_invariant *h = &o->invariants[i];
        table_cell(&list, "%s", h->name);
        table_cell(&list, "start % .10g", h->start);
        table_cell(&list, "end % .10g", h->now);
        table_cell(&list, "deviation %.1e", h->largest);
    }
    table_print(&list, file);
    table_free(&list);
    if (o->invariant_count > VALUES_SHOWN)
        fprintf(file, "  ...          %d more; --json prints all\n",
                o->invariant_count - VALUES_SHOWN);
}

void summary_print(const summary *s, FILE *file)
{
    const double scd = correct_digits(s);

    print_setting(s, file);
    if (!s->outcome->started) return;            /* the message on standard error says it all */
    events_print(s->target, s->outcome, file);
    if (s->outcome->status == KEEL_EVENT) fprintf(file, "\n%s\n", s->outcome->message);
    if (s->outcome->warning[0]) fprintf(file, "\nwarning: %s\n", s->outcome->warning);
    print_values(s, file);
    print_statistics(s, file);
    print_residuals(s, file);
    print_impasses(s, file);
    print_invariants(s, file);
    fputc('\n', file);
    if (!isnan(scd)) fprintf(file, "  %-18s  %.2f\n", "correct digits", scd);
    fprintf(file, "  %-18s  %.3g\n", "CPU seconds", s->outcome->cpu_seconds);
    if (s->target->bundled->remark) fprintf(file, "\nto compare\n%s", s->target->bundled->remark);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_stats(json_writer *w, const keel_stats *n)
{
    json_begin_object(w, "stats");
    json_integer(w, "steps", n->steps);
    json_integer(w, "accepted", n->accepted);
    json_integer(w, "rejected_error", n->rejected_error);
    json_integer(w, "rejected_newton", n->rejected_newton);
    json_integer(w, "rhs", n->rhs);
    json_integer(w, "rhs_for_jacobian", n->rhs_for_jacobian);
    json_integer(w, "jacobian", n->jacobian);
    json_integer(w, "factorizations", n->factorizations);
    json_integer(w, "solves", n->solves);
    json_integer(w, "newton", n->newton);
    json_integer(w, "projections", n->projections);
    json_integer(w, "constraint", n->constraint);
    json_integer(w, "events", n->events);
    json_integer(w, "event_iterations", n->event_iterations);
    json_integer(w, "restarts", n->restarts);
    json_integer(w, "switches", n->switches);
    json_integer(w, "stages_low", n->stages_low);
    json_integer(w, "stages_high", n->stages_high);
    json_integer(w, "orders_low", n->orders_low);
    json_integer(w, "orders_high", n->orders_high);
    json_integer(w, "iteration_switches", n->iteration_switches);
    json_string(w, "method", n->method);
    json_integer(w, "method_switches", n->method_switches);
    json_number(w, "switch_time", n->method_switches ? n->switch_time : NAN);
    json_end_object(w);
}

/* With the length of the curve in the last column, or not. */
static void json_points(json_writer *w, const series *points, bool with_length)
{
    const int size = points->columns - 1 - with_length;
    json_begin_object(w, "points");
    json_begin_array(w, "t");
    for (long row = 0; row < points->rows; row++) json_number(w, NULL, series_row(points, row)[0]);
    json_end_array(w);
    json_begin_array(w, "y");
    for (long row = 0; row < points->rows; row++)
        json_numbers(w, NULL, series_row(points, row) + 1, size);
    json_end_array(w);
    if (with_length) json_begin_array(w, "s");
    for (long row = 0; row < points->rows && with_length; row++)
        json_number(w, NULL, series_row(points, row)[1 + size]);
    if (with_length) json_end_array(w);
    json_end_object(w);
}

static void json_impasses(json_writer *w, const outcome *o)
{
    json_begin_array(w, "impasses");
    for (int i = 0; i < o->impasse_count; i++) {
        const keel_impasse *p = &o->impasses[i];
        json_begin_object(w, NULL);
        json_number(w, "t", p->t);
        json_string(w, "kind", keel_impasse_kind_name((int)p->kind));
        json_number(w, "alpha", p->alpha);
        json_number(w, "s", p->length);
        json_string(w, "action", impasse_action_word((int)p->action));
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_moves(json_writer *w, const summary *s)
{
    json_begin_array(w, "moved");
    for (int i = 0; i < s->outcome->moves; i++) {
        const keel_move *move = &s->outcome->moved[i];
        json_begin_object(w, NULL);
        json_string(w, "variable", s->target->names[move->variable]);
        json_number(w, "from", move->from);
        json_number(w, "to", move->to);
        json_end_object(w);
    }
    json_end_array(w);
}

/* The first three under the names that they have in most forms, and all of them. */
static void json_residuals(json_writer *w, const summary *s)
{
    static const char *const member[3] = {"position", "velocity", "acceleration"};
    const double *residual = s->outcome->stats.residual;
    const keel_problem *problem = s->target->problem;

    json_begin_object(w, "residual");
    for (int k = 0; k < 3; k++) json_number(w, member[k], residual[k] >= 0 ? residual[k] : NAN);
    json_end_object(w);
    json_begin_array(w, "levels");
    for (int k = 0; k < keel_problem_levels(problem); k++) {
        char text[LEVEL_NAME];
        json_begin_object(w, NULL);
        json_string(w, "name", level_name(problem, k, text));
        if (level_row(problem, k)) json_string(w, "row", level_row(problem, k));
        json_number(w, "residual", residual[k] >= 0 ? residual[k] : NAN);
        if (is_partial(s, k)) json_string(w, "measured", "stop times");
        json_end_object(w);
    }
    json_end_array(w);
}

static void json_invariants(json_writer *w, const outcome *o)
{
    json_begin_array(w, "invariants");
    for (int i = 0; i < o->invariant_count; i++) {
        const keel_invariant *h = &o->invariants[i];
        json_begin_object(w, NULL);
        json_string(w, "name", h->name);
        json_number(w, "start", h->start);
        json_number(w, "end", h->now);
        json_number(w, "deviation", h->largest);
        json_end_object(w);
    }
    json_end_array(w);
}

void summary_json(const summary *s, FILE *file, bool with_points)
{
    const target *t = s->target;
    const outcome *o = s->outcome;
    json_writer w = {.file = file};
    char word[32];

    json_begin_object(&w, NULL);
    json_string(&w, "target", t->bundled->name);
    json_string(&w, "method", method_name(s->options));
    json_string(&w, "choice", o->choice);
    json_string(&w, "formulation", t->formulation);
    json_bool(&w, "projected", is_projected(t, s->options));
    json_string(&w, "status", outcome_word(o, word));
    json_string(&w, "message", o->message);
    json_string(&w, "warning", o->warning[0] ? o->warning : NULL);
    json_moves(&w, s);
    events_json(t, o, &w);
    json_number(&w, "t", o->t);
    json_strings(&w, "variables", t->names, t->size);
    json_numbers(&w, "y", o->y, t->size);
    if (o->shown) {
        json_begin_object(&w, "values");
        for (int i = 0; i < t->shown_count; i++) json_number(&w, t->shown[i], o->shown[i]);
        json_end_object(&w);
    }
    json_stats(&w, &o->stats);
    json_number(&w, "factor_bytes", o->factor_bytes);
    json_residuals(&w, s);
    json_impasses(&w, o);
    json_invariants(&w, o);
    json_number(&w, "scd", correct_digits(s));
    json_number(&w, "cpu_seconds", o->cpu_seconds);
    if (with_points) {
        if (t->modelled.model) json_strings(&w, "columns", t->shown, t->shown_count);
        json_points(&w, &o->points, o->points.columns > t->shown_count + 1);
    }
    json_end_object(&w);
}
