/* method.c -- keel method: describe an integration method, by name or from a file. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "cli/arguments.h"
#include "cli/files.h"
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
    .purpose = "Describes the method called NAME: coefficients, order, stability, effort, and the "
               "orders that\ntheory predicts for index 1 to 3; all computed from its "
               "coefficients.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
};

/* ---- picture ------------------------------------------------------------------------------- */

/* 1/mu, mu the eigenvalues of A. */
static int find_poles(const keel_general_analysis *a, double *re, double *im)
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

/* How far to the right the method is unstable, as BDF is near the origin; 0: to infinity. */
static double unstable_reach(const keel_method *m)
{
    double reach = 0, x = 1;
    for (; x < 1e3; x *= 1.1) {
        double re, im;
        keel_method_stability(m, x, 0, &re, &im);
        if (!(hypot(re, im) <= 1)) reach = x;
    }
    return reach * 1.1 < x ? reach : 0;
}

/* Around the poles and, where a method is not A-stable, what is unstable near them; without poles
 * around the stability region. */
static void choose_window(region *r, const method_report *report, const double *re,
                          const double *im)
{
    const keel_general_analysis *a = &report->general;
    double reach = 0;
    for (int i = 0; i < r->poles; i++) reach = fmax(reach, hypot(re[i], im[i]));
    if (r->poles) {
        reach = fmax(3, 1.5 * reach);
        if (!a->a_stable) reach = fmax(reach, 1.1 * unstable_reach(report->method));
        r->x_low = -reach;
    } else {
        reach = 1.05 * fmax(2, fmax(isfinite(a->real_limit) ? a->real_limit : 0,
                                    isfinite(a->imaginary_limit) ? a->imaginary_limit : 0));
        r->x_low = -1.3 * reach;
    }
    r->x_high = r->x_low + 2 * reach;
    r->y_high = reach;
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

static int draw(const method_report *report, output *file)
{
    const keel_general_analysis *a = &report->general;
    double re[KEEL_STAGES_MOST], im[KEEL_STAGES_MOST];
    char subtitle[160], message[200] = "no memory for a picture";
    double *log_size = malloc(sizeof *log_size * REGION_COLUMNS * REGION_ROWS);
    int status = -1;

    const int count = report->formula ? report->formula->steps : a->stages;
    snprintf(subtitle, sizeof subtitle, "%d %s%s, order %d, %s", count,
             report->formula ? "step" : "stage", count == 1 ? "" : "s", a->order,
             a->l_stable ? "L-stable" : a->a_stable ? "A-stable" : "not A-stable");
    if (log_size) {
        region r = {.title = report->matrices->name, .subtitle = subtitle, .log_size = log_size,
                    .poles = find_poles(a, re, im), .pole_re = re, .pole_im = im};
        choose_window(&r, report, re, im);
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
    "                    mechanical ones (index-1 form, projected); radau-iia for other forms,\n"
    "                    constant steps, band or sparse matrices, options of implicit stages\n"
    "  changes           to radau-iia, once, where stability limits the step or no step succeeds\n"
    "  says              what it did and why in `message`, and in the statistics\n"
    "  parts             'keel method verner8' and 'keel method radau-iia' describe them\n",
    radau_text[] =
    "  mechanical        3 to 7 stages, by the tolerance\n"
    "  other forms       3, 5 or 7 stages: more where Newton's method converges fast, fewer where\n"
    "                    it does not and at corners of the solution\n"
    "  parts             'keel method radau-iia-3', say, describes one of the methods it uses\n",
    bdf_text[] =
    "  order             1 to 5, the one that allows the longest step\n"
    "  parts             'keel method bdf-3', say, describes one of the formulas it uses\n",
    dimsim_text[] =
    "  order             varying, the one with the least work per time\n"
    "  parts             'keel method irks-3', say, describes one of the methods it uses\n";

/* What there is to say about each, and one of its methods. */
static const struct variable {
    const char *name, *text, *example;
} variables[] = {
    {"auto", automatic_text, "radau-iia-3"}, {"radau-iia", radau_text, "radau-iia-3"},
    {"bdf", bdf_text, "bdf-3"}, {"dimsim", dimsim_text, "irks-3"},
};

static const struct variable *find_variable(const char *name)
{
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        if (strcmp(variables[k].name, name) == 0) return &variables[k];
    return &variables[0];
}

static int describe_variable(const keel_method_info *info, const method_settings *set)
{
    const struct variable *v = find_variable(info->name);
    if (set->plot)
        return usage_error("method", "'%s' chooses among methods; draw one of them, for instance "
                           "%s", info->name, v->example);
    if (set->json) {
        json_writer w = {.file = stdout};
        variable_json(&w, info);
        return EXIT_DONE;
    }
    printf("%s: %s\n%s\n\n%s\n  source            %s\n", info->name, info->family, info->summary,
           v->text, info->citation);
    return EXIT_DONE;
}

/* ---- one method ---------------------------------------------------------------------------- */

static int describe(const keel_method *m, const keel_method_info *info, const method_settings *set)
{
    method_report report;
    output picture;
    const int status = method_report_of(&report, m, info);
    if (status != KEEL_OK) return refuse_status("method", status, keel_status_text(status));
    if (open_output(&picture, "method", set->plot, 0) != EXIT_DONE) return EXIT_FAILED;
    if (set->json) {
        json_writer w = {.file = stdout};
        method_json(&w, &report, false);
    } else {
        method_print(&report, stdout);
    }
    if (order_refuted(&report))
        fprintf(stderr, "keel method: %s claims order %d, but the condition of the tree %s fails "
                "by %.3g: check its coefficients\n", report.matrices->name, report.tableau->order,
                report.analysis.condition_tree, report.analysis.condition_defect);
    if (set->plot && draw(&report, &picture) != 0) return EXIT_FAILED;
    return order_refuted(&report) ? EXIT_FAILED : EXIT_DONE;
}

static int cannot_describe(const keel_method *m, int status)
{
    char word[32];
    return refuse(EXIT_FAILED, "method", status_word(status, word), "%s",
                  m ? keel_method_message(m) : keel_status_text(status));
}

static int describe_file(const method_settings *set)
{
    keel_method *m = NULL;
    const int status = keel_method_read(&m, set->file);
    const int code = status == KEEL_OK ? describe(m, NULL, set) : cannot_describe(m, status);
    keel_method_free(m);
    return code;
}

/* A formula that exists but is of no use is described by the reason. */
static int describe_named(const char *name, const method_settings *set)
{
    keel_method_info info;
    keel_method *m = NULL;
    const int found = keel_method_find(name, &info);
    if (found == KEEL_UNKNOWN_NAME) return check_method_name("method", name);
    if (found == KEEL_OK && info.stages <= 0) return describe_variable(&info, set);
    const int status = keel_method_named(&m, name);
    int code = EXIT_FAILED;
    if (status == KEEL_OK) code = describe(m, &info, set);
    else if (status == KEEL_UNSUPPORTED && !set->json) printf("%s\n", keel_method_message(m));
    else code = cannot_describe(m, status);
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
