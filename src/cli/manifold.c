/* manifold.c -- keel manifold TARGET: how the discrete manifold of the multipliers attracts, and how
 * far it is from the hidden constraint (attraction.h).
 *
 * Exit status: 0 if any run reached the end, 1 if none did, 2 wrong usage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attraction.h"
#include "cli/files.h"
#include "cli/levels.h"
#include "cli/method_choice.h"
#include "cli/prediction.h"
#include "cli/study.h"
#include "cli/verbs.h"
#include "report/chart.h"
#include "report/json.h"
#include "report/table.h"

typedef struct manifold_settings {
    target_settings target;
    method_choice method;
    long halvings;
    bool json;
    const char *plot;
} manifold_settings;

#define FIELD(name) offsetof(manifold_settings, name)

static const argument arguments[] = {
    TARGET_ARGUMENTS(manifold_settings, target),
    METHOD_ARGUMENTS(manifold_settings, method),
    {"halvings", ARGUMENT_COUNT, FIELD(halvings), 0, "K",
     "runs with steps H, H/2, ..., H/2^K (default 5); --step is H"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw both over step sizes to FILE.svg or FILE.png"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print the result as one JSON object"},
};

static const syntax manifold_syntax = {
    .verb = "manifold", .operand = "TARGET", .operand_required = true,
    .purpose = "Measures, for multipliers by the recursion of the method at constant steps, by which "
               "factor chi\na step contracts their perturbations, |R(inf)| + O(h^q) in theory, and "
               "how far the manifold\nthat attracts them lies from the hidden constraint: O(h^(q-1)) "
               "for index 3, q the stage order.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

enum { HALVINGS_MOST = 20 };

/* Smaller differences of chi are rounding: no order can be seen in them. */
static const double rounding = 1e-9;

typedef struct experiment {
    const target *target;
    const char *method;
    double r_infinity;
    int stage_order;
    bool nonlinear;              /* in the multipliers                                 */
    int count;
    attraction run[HALVINGS_MOST + 1];
} experiment;

/* ---- theory and observation ---------------------------------------------------------------- */

/* Where R(inf) = 0, and where k is linear in l as in mechanical systems, chi is |R(inf)| exactly. */
static bool excess_vanishes(const experiment *e)
{
    return fabs(e->r_infinity) < rounding || !e->nonlinear;
}

/* q for the excess of chi and q - 1 for the distance at index 3; index 2: q for the distance, the
 * order of the multipliers themselves. */
static int excess_theory(const experiment *e)
{
    const bool third = keel_problem_index(e->target->problem) == 3;
    return third && !excess_vanishes(e) ? e->stage_order : KEEL_ORDER_UNKNOWN;
}

static int distance_theory(const experiment *e)
{
    return keel_problem_index(e->target->problem) == 3 ? e->stage_order - 1 : e->stage_order;
}

static double excess_order(const experiment *e, int i)
{
    if (i == 0 || !(e->run[i].excess > rounding) || !(e->run[i - 1].excess > rounding)) return NAN;
    return observed_order(e->run[i - 1].excess, e->run[i].excess, 2);
}

static double distance_order(const experiment *e, int i)
{
    return i == 0 ? NAN : observed_order(e->run[i - 1].distance, e->run[i].distance, 2);
}

/* ---- for people ---------------------------------------------------------------------------- */

static void value_cell(table *list, double value)
{
    if (isnan(value)) table_cell(list, "-");
    else table_cell(list, "%.2e", value);
}

static void order_cell(table *list, double order)
{
    if (isnan(order)) table_cell(list, "%s", "");
    else table_cell(list, "%.2f", order);
}

static void theory_cell(table *list, int order)
{
    table_cell(list, "%s", "");
    if (order == KEEL_ORDER_UNKNOWN) table_cell(list, "?");
    else table_cell(list, "%d", order);
}

static void print_table(const experiment *e)
{
    static const char *const heading[] = {"N", "h", "chi", "|chi - |R||", "order", "distance",
                                          "order"};
    table list = {.columns = 7, .align = "rrrrrrr", .indent = "  "};
    for (int k = 0; k < list.columns; k++) table_cell(&list, "%s", heading[k]);
    for (int i = 0; i < e->count; i++) {
        const attraction *a = &e->run[i];
        table_cell(&list, "%ld", a->steps);
        table_cell(&list, "%.4g", a->h);
        if (isnan(a->chi)) table_cell(&list, "-");
        else table_cell(&list, "%.6f", a->chi);
        value_cell(&list, a->excess);
        order_cell(&list, excess_order(e, i));
        value_cell(&list, a->distance);
        order_cell(&list, distance_order(e, i));
    }
    table_cell(&list, "%s", "");
    table_cell(&list, "theory");
    table_cell(&list, "%.6f", fabs(e->r_infinity));
    if (excess_vanishes(e)) {
        table_cell(&list, "0");
        table_cell(&list, "%s", "");
    } else theory_cell(&list, excess_theory(e));
    theory_cell(&list, distance_theory(e));
    table_print(&list, stdout);
    table_free(&list);
}

static void print_experiment(const experiment *e)
{
    const target *t = e->target;
    printf("%s: %s\n\n", t->bundled->name, t->bundled->title);
    if (t->problem != t->original) printf("  formulation %s\n", t->formulation);
    printf("  method      %s, R(inf) = %g, stage order %d\n", e->method, e->r_infinity,
           e->stage_order);
    printf("  interval    %.10g to %.10g\n\n", t->t_start, t->t_end);
    print_table(e);
}

static void print_failures(const experiment *e)
{
    for (int i = 0; i < e->count; i++)
        if (e->run[i].status != KEEL_OK)
            fprintf(stderr, "keel manifold: N = %ld: %s: %s\n", e->run[i].steps,
                    keel_status_name(e->run[i].status), e->run[i].message);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_order(json_writer *w, const char *key, int order)
{
    json_number(w, key, order == KEEL_ORDER_UNKNOWN ? (double)NAN : order);
}

static void json_run(json_writer *w, const experiment *e, int i)
{
    const attraction *a = &e->run[i];
    json_begin_object(w, NULL);
    json_integer(w, "steps", a->steps);
    json_number(w, "h", a->h);
    json_string(w, "status", a->status == KEEL_OK ? "ok" : keel_status_name(a->status));
    json_string(w, "message", a->message);
    json_number(w, "chi", a->chi);
    json_number(w, "excess", a->excess);
    json_number(w, "excess_order", excess_order(e, i));
    json_number(w, "distance", a->distance);
    json_number(w, "distance_order", distance_order(e, i));
    json_end_object(w);
}

static void print_json(const experiment *e)
{
    json_writer w = {.file = stdout};
    json_begin_object(&w, NULL);
    json_string(&w, "target", e->target->bundled->name);
    json_string(&w, "method", e->method);
    json_string(&w, "formulation", e->target->formulation);
    json_number(&w, "r_infinity", e->r_infinity);
    json_integer(&w, "stage_order", e->stage_order);
    json_order(&w, "predicted_excess_order", excess_theory(e));
    json_order(&w, "predicted_distance_order", distance_theory(e));
    json_begin_array(&w, "runs");
    for (int i = 0; i < e->count; i++) json_run(&w, e, i);
    json_end_array(&w);
    json_end_object(&w);
}

/* ---- picture ------------------------------------------------------------------------------- */

/* The distance, and the excess of chi where there is any. */
static int draw(const experiment *e, output *file)
{
    double h[HALVINGS_MOST + 1], excess[HALVINGS_MOST + 1], distance[HALVINGS_MOST + 1];
    char title[200], subtitle[200], message[300];
    bool visible = false;
    for (int i = 0; i < e->count; i++) {
        h[i] = e->run[i].h;
        distance[i] = e->run[i].distance;
        excess[i] = e->run[i].excess > rounding ? e->run[i].excess : NAN;
        visible |= !isnan(excess[i]) && !excess_vanishes(e);
    }
    const chart_line line[2] = {{"measured", e->count, h, excess},
                                {"measured", e->count, h, distance}};
    const chart_slope slope[2] = {{0, excess_theory(e)}, {0, distance_theory(e)}};
    const chart_panel panel[2] = {
        {"attraction: |chi - |R(inf)||", "h", "", true, 1, slope[0].power > 0, &line[0], &slope[0]},
        {"distance from the hidden constraint", "h", "", true, 1, slope[1].power > 0, &line[1],
         &slope[1]}};
    const chart picture = {title, subtitle, false, visible ? 2 : 1, visible ? panel : panel + 1};
    snprintf(title, sizeof title, "%s: %s", e->target->bundled->name, e->target->bundled->title);
    snprintf(subtitle, sizeof subtitle, "%s, R(inf) = %g, stage order %d: discrete manifold of the "
             "multipliers", e->method, e->r_infinity, e->stage_order);
    if (chart_write(&picture, file, message, sizeof message) == 0) return 0;
    fprintf(stderr, "keel manifold: no picture: %s\n", message);
    return -1;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int report(const experiment *e, const manifold_settings *set, output *picture)
{
    int reached = 0, drawn = 0;
    if (set->json) print_json(e);
    else print_experiment(e);
    fflush(stdout);
    print_failures(e);
    if (set->plot) drawn = draw(e, picture);
    for (int i = 0; i < e->count; i++) reached += e->run[i].status == KEEL_OK;
    return reached && drawn == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int no_recursion(const experiment *e)
{
    return usage_error("manifold", "%s has no recursion for multipliers with constant "
                       "coefficients; take an implicit method such as radau-iia-3", e->method);
}

/* R(inf) and stage order of the method, which must have a fixed tableau. */
static int know_method(experiment *e, const keel_options *options)
{
    keel_analysis known;
    keel_method_info info;
    e->method = method_name(options);
    if (options->tableau) {
        if (keel_method_kind_of(options->tableau) < KEEL_METHOD_DIAGONAL) return no_recursion(e);
        const int status = keel_method_analyse(options->tableau, &known);
        if (status != KEEL_OK)
            return refuse_status("manifold", status, keel_status_text(status));
        e->r_infinity = known.r_infinity;
        e->stage_order = known.stage_order;
        return EXIT_DONE;
    }
    if (keel_method_find(e->method, &info) != KEEL_OK) return EXIT_FAILED;
    if (info.stages == 0 || info.kind < KEEL_METHOD_DIAGONAL) return no_recursion(e);
    e->r_infinity = info.r_infinity;
    e->stage_order = info.stage_order;
    return EXIT_DONE;
}

static int check_target(const target *t)
{
    if (t->t_end == t->t_start)
        return usage_error("manifold", "the interval from %g to %g has no steps", t->t_start,
                           t->t_end);
    if (target_has_hidden_levels(t)) return EXIT_DONE;
    return usage_error("manifold", "%s has no multipliers that hidden constraints determine: take a "
                       "problem of index 2 or 3", t->bundled->name);
}

static int manifold_target(const target *t, const manifold_settings *set,
                           const keel_options *options)
{
    attraction_points points = {.y = NULL};
    char message[512] = "";
    experiment e = {.target = t, .nonlinear = nonlinear_in_multipliers(t),
                    .count = (int)set->halvings + 1};
    int code = check_target(t);
    if (code == EXIT_DONE) code = know_method(&e, options);
    if (code != EXIT_DONE) return code;
    const long first = options->step > 0 ? study_steps(t, options->step) : study_first_steps(t);
    const double finest = fabs(t->t_end - t->t_start) / ((double)first * pow(2, e.count));
    if (first == 0 || study_steps(t, finest) == 0)
        return usage_error("manifold", "too many steps; take a larger --step or fewer --halvings");

    output picture;
    code = open_output(&picture, "manifold", set->plot, 0);
    if (code != EXIT_DONE) return code;
    const int status = attraction_find_points(&points, t, message, sizeof message);
    if (status == KEEL_OK) {
        for (int i = 0; i < e.count; i++)
            attraction_measure(&e.run[i], t, options, &points, e.r_infinity, first << i);
        code = report(&e, set, &picture);
    } else {
        code = refuse_status("manifold", status, message);
    }
    output_abandon(&picture);
    free(points.y);
    return code;
}

static int check_settings(manifold_settings *set, keel_options *options)
{
    if (set->plot && !plot_format_known(set->plot))
        return usage_error("manifold", "--plot takes a file name that ends in .svg or .png, not "
                           "'%s'", set->plot);
    if (set->halvings > HALVINGS_MOST)
        return usage_error("manifold", "--halvings takes at most %d", HALVINGS_MOST);
    if (!options->method && !set->method.file) options->method = "radau-iia-3";
    return method_choose_for("manifold", &set->method, options);
}

int manifold_command(int argc, char **argv)
{
    manifold_settings set = {.target = TARGET_STANDARD, .halvings = 5};
    keel_options options = {0};
    const char *name;
    int code;

    switch (parse_arguments(&manifold_syntax, argc, argv, &set, &options, &name)) {
    case PARSED: code = check_settings(&set, &options); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    if (code == EXIT_DONE && name) {
        target t;
        code = target_open(&t, "manifold", name, &set.target);
        if (code == EXIT_DONE) code = manifold_target(&t, &set, &options);
        target_free(&t);
    }
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
