/* method.c -- keel method: describe an integration method, by name or from a file. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/method_choice.h"
#include "cli/method_report.h"
#include "cli/verbs.h"
#include "keel/keel.h"
#include "report/region.h"

typedef struct method_settings {
    const char *file, *plot;
    bool json;
} method_settings;

#define FIELD(name) offsetof(method_settings, name)

static const argument arguments[] = {
    {"method-file", ARGUMENT_TEXT, FIELD(file), 0, "FILE",
     "a method of your own instead of a named one; docs/methods.md shows the format"},
    {"plot", ARGUMENT_TEXT, FIELD(plot), 0, "FILE",
     "draw stability region and order star into FILE (.svg or .png)"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL, "print JSON"},
};

static const syntax method_syntax = {
    .verb = "method", .operand = "NAME",
    .purpose = "Describes the method called NAME: tableau, order, stability, effort, and the orders"
               " that\ntheory predicts for index 1 to 3; all computed from its coefficients.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* ---- picture ------------------------------------------------------------------------------- */

/* Around the poles, or around the stability region where there are none. */
static void choose_window(region *r, const keel_analysis *a, const double *re, const double *im)
{
    double reach = 0;
    for (int i = 0; i < r->poles; i++) reach = fmax(reach, hypot(re[i], im[i]));
    if (r->poles) {
        reach = fmax(3, 1.5 * reach);
        r->x_low = -reach;
    } else {
        reach = 1.05 * fmax(2, fmax(isfinite(a->real_limit) ? a->real_limit : 0,
                                    isfinite(a->imaginary_limit) ? a->imaginary_limit : 0));
        r->x_low = -1.3 * reach;
    }
    r->x_high = r->x_low + 2 * reach;
    r->y_high = reach;
}

static int find_poles(const keel_analysis *a, double *re, double *im)
{
    int count = 0;
    for (int i = 0; i < a->stages; i++) {
        const double x = a->eigenvalue_re[i], y = a->eigenvalue_im[i], size = x * x + y * y;
        if (size <= 1e-20) continue;
        re[count] = x / size;
        im[count++] = -y / size;
    }
    return count;
}

/* log |R| for Im z >= 0, and below it the same again. */
static void sample(const keel_method *m, const region *r, double *log_size)
{
    for (int row = REGION_ROWS / 2; row < REGION_ROWS; row++)
        for (int k = 0; k < REGION_COLUMNS; k++) {
            const double x = r->x_low + (r->x_high - r->x_low) * k / (REGION_COLUMNS - 1);
            const double y = r->y_high * (2.0 * row / (REGION_ROWS - 1) - 1);
            double re, im;
            keel_method_stability(m, x, y, &re, &im);
            const double size = hypot(re, im), value = isnan(size) ? 700 : log(size);
            log_size[row * REGION_COLUMNS + k] = fmax(fmin(value, 700), -700);
            log_size[(REGION_ROWS - 1 - row) * REGION_COLUMNS + k] =
                log_size[row * REGION_COLUMNS + k];
        }
}

static int draw(const method_report *report, const char *file)
{
    const keel_analysis *a = &report->analysis;
    double re[KEEL_STAGES_MOST], im[KEEL_STAGES_MOST];
    char subtitle[160], message[200] = "no memory for a picture";
    double *log_size = malloc(sizeof *log_size * REGION_COLUMNS * REGION_ROWS);
    int status = -1;

    snprintf(subtitle, sizeof subtitle, "%d stage%s, order %d, %s", a->stages,
             a->stages == 1 ? "" : "s", a->order,
             a->l_stable ? "L-stable" : a->a_stable ? "A-stable" : "not A-stable");
    if (log_size) {
        region r = {.title = report->tableau->name, .subtitle = subtitle, .log_size = log_size,
                    .poles = find_poles(a, re, im), .pole_re = re, .pole_im = im};
        choose_window(&r, a, re, im);
        sample(report->method, &r, log_size);
        status = region_write(&r, file, message, sizeof message);
    }
    free(log_size);
    if (status != 0) fprintf(stderr, "keel method: %s\n", message);
    return status;
}

/* ---- methods that are more than a tableau --------------------------------------------------- */

static const char
    automatic_text[] =
    "  begins with       verner8 for ODEs, for semi-explicit problems (state-space form) and for\n"
    "                    mechanical ones (index-1 form, projected); radau-iia for all other forms,\n"
    "                    with constant steps, band or sparse matrices and options of implicit stages\n"
    "  changes           to radau-iia, once, where stability limits the step or no step succeeds\n"
    "  says              what it did and why in `message`, and in the statistics\n"
    "  parts             'keel method verner8' and 'keel method radau-iia' describe them\n",
    variable_text[] =
    "  mechanical        3 to 7 stages, by the tolerance\n"
    "  other forms       3, 5 or 7 stages: more where Newton's method converges fast, fewer where it\n"
    "                    does not and at corners of the solution\n"
    "  parts             'keel method radau-iia-3', say, describes one of the methods it uses\n";

static int describe_variable(const keel_method_info *info, const method_settings *set)
{
    if (set->plot)
        return usage_error("method", "'%s' chooses among methods; draw one of them, for instance "
                           "radau-iia-3", info->name);
    if (set->json) {
        json_writer w = {.file = stdout};
        json_begin_object(&w, NULL);
        json_string(&w, "name", info->name);
        json_string(&w, "family", info->family);
        json_string(&w, "summary", info->summary);
        json_string(&w, "citation", info->citation);
        json_bool(&w, "variable", true);
        json_end_object(&w);
        return EXIT_DONE;
    }
    printf("%s: %s\n%s\n\n%s\n  source            %s\n", info->name, info->family, info->summary,
           strcmp(info->name, "auto") == 0 ? automatic_text : variable_text, info->citation);
    return EXIT_DONE;
}

/* ---- one tableau --------------------------------------------------------------------------- */

static int describe(method_report *report, const method_settings *set)
{
    const int status = keel_method_analyse(report->method, &report->analysis);
    if (status != KEEL_OK) {
        fprintf(stderr, "keel method: %s\n", keel_status_text(status));
        return EXIT_FAILED;
    }
    if (set->json) {
        json_writer w = {.file = stdout};
        method_json(&w, report, false);
    } else {
        method_print(report, stdout);
    }
    if (order_refuted(report))
        fprintf(stderr, "keel method: %s claims order %d, but the condition of the tree %s fails "
                "by %.3g: check its coefficients\n", report->tableau->name, report->tableau->order,
                report->analysis.condition_tree, report->analysis.condition_defect);
    if (set->plot && draw(report, set->plot) != 0) return EXIT_FAILED;
    return order_refuted(report) ? EXIT_FAILED : EXIT_DONE;
}

/* A text of the registry wins over none in the tableau. */
static const char *either(const char *first, const char *second)
{
    return first ? first : second;
}

static int describe_method(const keel_method *m, const keel_method_info *info,
                           const method_settings *set)
{
    const keel_tableau *t = keel_method_tableau(m);
    if (!t) {
        const keel_general_linear *g = keel_method_general_linear(m);
        printf("%s: %s, %d values, order %d, stage order %d\n", g->name,
               keel_method_kind_name(keel_method_kind_of(m)), g->values, g->order, g->stage_order);
        return EXIT_DONE;
    }
    method_report report = {.method = m, .tableau = t,
                            .family = either(t->family, info ? info->family : NULL),
                            .summary = either(t->summary, info ? info->summary : NULL),
                            .citation = either(t->citation, info ? info->citation : NULL)};
    return describe(&report, set);
}

static void complain(const keel_method *m, int status)
{
    fprintf(stderr, "keel method: %s\n", m ? keel_method_message(m) : keel_status_text(status));
}

static int describe_file(const method_settings *set)
{
    keel_method *m = NULL;
    const int status = keel_method_read(&m, set->file);
    int code = EXIT_FAILED;
    if (status == KEEL_OK) code = describe_method(m, NULL, set);
    else complain(m, status);
    keel_method_free(m);
    return code;
}

static int describe_named(const char *name, const method_settings *set)
{
    keel_method_info info;
    if (keel_method_find(name, &info) != KEEL_OK) return check_method_name("method", name);
    if (info.stages <= 0) return describe_variable(&info, set);
    keel_method *m = NULL;
    const int status = keel_method_named(&m, name);
    int code = EXIT_FAILED;
    if (status == KEEL_OK) code = describe_method(m, &info, set);
    else complain(m, status);
    keel_method_free(m);
    return code;
}

int method_command(int argc, char **argv)
{
    method_settings set = {0};
    const char *name = NULL;

    switch (parse_arguments(&method_syntax, argc, argv, &set, NULL, &name)) {
    case PARSED: break;
    case PARSED_HELP: return EXIT_DONE;
    default: return EXIT_USAGE;
    }
    if (set.plot && !plot_format_known(set.plot))
        return usage_error("method", "--plot takes a file name that ends in .svg or .png, not '%s'",
                           set.plot);
    if (!name == !set.file)
        return usage_error("method", name ? "NAME and --method-file exclude each other"
                                          : "NAME or --method-file FILE is missing; 'keel methods' "
                                            "lists the names");
    return set.file ? describe_file(&set) : describe_named(name, &set);
}
