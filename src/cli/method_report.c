/* method_report.c -- a method and what is known about it, for people and for programs. */
#include "cli/method_report.h"

#include <math.h>
#include <string.h>

#include "report/number.h"
#include "report/table.h"

/* The cases of the table of predicted orders; index 1 knows no projection. */
typedef struct order_row {
    const char *title;
    bool nonlinear, projected, recursion;
} order_row;

static const order_row order_rows[] = {
    {"not projected, multipliers by recursion", false, false, true},
    {"projected, from the hidden constraint", false, true, false},
    {"projected, multipliers by recursion", false, true, true},
    {"nonlinear in the multipliers: not projected", true, false, true},
    {"nonlinear in the multipliers: projected", true, true, false},
};
enum { ORDER_ROWS = sizeof order_rows / sizeof *order_rows };

static const char *const group_name[4][3] = {{"y"}, {"y", "z"}, {"y", "z"}, {"u", "v", "lambda"}};

bool order_refuted(const method_report *r)
{
    return r->tableau->order > r->analysis.order && r->analysis.condition_tree[0];
}

const char *estimate_word(keel_estimate estimate)
{
    static const char *const word[] = {"embedded", "added", "doubling"};
    return word[estimate];
}

/* ---- for people ---------------------------------------------------------------------------- */

static void print_order(const keel_analysis *a, const method_report *r, FILE *file)
{
    fprintf(file, "  order             %d", a->order);
    if (order_refuted(r)) fprintf(file, ", not %d as claimed", r->tableau->order);
    if (a->condition_tree[0])
        fprintf(file, "; for order %d the condition of the tree %s is missed by %.3g", a->order + 1,
                a->condition_tree, a->condition_defect);
    else
        fprintf(file, " or more: all conditions up to this order hold");
    fprintf(file, "\n  stage order       %d, with B(%d), C(%d), D(%d)\n", a->stage_order, a->B,
            a->C, a->D);
    fprintf(file, "  error constant    %.10g, of z^%d in e^z - R(z)\n", a->error_constant,
            a->order + 1);
}

static void print_estimate(const method_report *r, FILE *file)
{
    const int hat = r->analysis.order_hat;
    fprintf(file, "  error estimate    ");
    switch (keel_method_estimate(r->method)) {
    case KEEL_ESTIMATE_EMBEDDED:
        fprintf(file, "from an embedded method of order %d%s\n", hat,
                r->tableau->b_second ? ", corrected by a second one" : "");
        break;
    case KEEL_ESTIMATE_ADDED:
        fprintf(file, "from the slope at the start against that of the stages, filtered\n");
        break;
    case KEEL_ESTIMATE_DOUBLING:
        fprintf(file, "by step doubling: one step against two of half the size\n");
        break;
    }
}

static void print_limit(FILE *file, const char *axis, double limit)
{
    if (isinf(limit)) fprintf(file, ", all of the %s axis", axis);
    else fprintf(file, ", %.6g on the %s axis", limit, axis);
}

static void print_stability(const keel_analysis *a, FILE *file)
{
    fprintf(file, "  stability         %s", a->l_stable ? "L-stable (A-stable and R(inf) = 0)"
                                          : a->a_stable ? "A-stable, not L-stable"
                                          : "not A-stable");
    if (!a->a_stable) {
        if (a->alpha > 0) fprintf(file, ", A(alpha) with alpha = %.2f degrees", a->alpha);
        print_limit(file, "negative real", a->real_limit);
        print_limit(file, "imaginary", a->imaginary_limit);
    }
    if (isnan(a->r_infinity)) fprintf(file, "\n  R(inf)            infinite\n");
    else fprintf(file, "\n  R(inf)            %.10g\n", a->r_infinity);
}

static const char *decided(int property)
{
    return property < 0 ? "undecided" : property ? "yes" : "no";
}

static void print_nonlinear(const keel_analysis *a, FILE *file)
{
    double least = a->algebraic[0];
    if (fabs(least) < 1e-15) least = 0;          /* rounding of the coefficients */
    fprintf(file, "  algebraic         %s; least eigenvalue of BA + A'B - bb' %.4g",
            a->algebraically_stable ? "stable" : "not stable", least);
    if (a->negative_weights)
        fprintf(file, ", %d weight%s negative", a->negative_weights,
                a->negative_weights == 1 ? "" : "s");
    fprintf(file, "\n  AN-, B-, BN-      %s, %s, %s\n", decided(a->an_stable),
            decided(a->b_stable), decided(a->bn_stable));
}

static void print_structure(const keel_analysis *a, FILE *file)
{
    const bool implicit = a->real_systems || a->complex_systems;
    fprintf(file, "  structure         %sstiffly accurate, %ssymmetric, %ssymplectic, %s%s%s\n",
            a->stiffly_accurate ? "" : "not ", a->symmetric ? "" : "not ",
            a->symplectic ? "" : "not ", a->irreducible ? "irreducible" : "reducible",
            a->explicit_first && implicit ? ", first stage explicit" : "",
            a->confluent ? ", some nodes equal" : "");
    fprintf(file, "  effort            %d right-hand side%s", a->rhs_per_step,
            a->rhs_per_step == 1 ? "" : "s");
    if (implicit)
        fprintf(file, " an iteration; linear systems: %d real, %d complex", a->real_systems,
                a->complex_systems);
    else fprintf(file, " a step, no linear systems of the stages");
    fprintf(file, "\n");
}

static void print_eigenvalues(const keel_analysis *a, FILE *file)
{
    const char *separator = "";
    bool any = false;
    for (int i = 0; i < a->stages; i++) any |= a->eigenvalue_re[i] != 0 || a->eigenvalue_im[i] != 0;
    if (!any) return;
    fprintf(file, "  eigenvalues of A  ");
    for (int i = 0; i < a->stages; i++) {
        if (a->eigenvalue_im[i] < 0) continue;
        fprintf(file, "%s%.6g", separator, a->eigenvalue_re[i]);
        if (a->eigenvalue_im[i] > 0) fprintf(file, " ± %.6gi", a->eigenvalue_im[i]);
        separator = ", ";
    }
    fprintf(file, "\n");
}

static void weight_row(table *list, const char *name, const double *weights, int s)
{
    table_cell(list, "%s", name);
    for (int j = 0; j < s; j++) table_cell(list, "%.10g", weights[j]);
}

/* c | A over b; for many stages too wide for people, who then have --json. */
static void print_tableau(const keel_tableau *t, FILE *file)
{
    enum { WIDEST = 8 };
    char align[WIDEST + 2];
    int s = t->stages;
    if (s > WIDEST) {
        fprintf(file, "\nThe tableau has %d stages; --json shows it.\n", s);
        return;
    }
    memset(align, 'r', sizeof align);
    table list = {.columns = s + 1, .align = align, .indent = "  "};
    fprintf(file, "\ntableau: c, A, b%s\n", t->b_hat ? ", embedded b" : "");
    for (int i = 0; i < s; i++) {
        char node[NUMBER_LENGTH];
        snprintf(node, sizeof node, "%.10g", t->c[i]);
        weight_row(&list, node, t->A + i * s, s);
    }
    weight_row(&list, "b", t->b, s);
    if (t->b_hat) weight_row(&list, "b^", t->b_hat, s);
    table_print(&list, file);
    table_free(&list);
}

static void order_cell(table *list, int order)
{
    if (order == KEEL_ORDER_UNKNOWN) table_cell(list, "?");
    else if (order == KEEL_ORDER_NONE) table_cell(list, "none");
    else table_cell(list, "%d", order);
}

static void print_orders(const method_report *r, FILE *file)
{
    table list = {.columns = 8, .align = "lrrrrrrr", .indent = "  "};
    fprintf(file, "\npredicted orders at constant step size (? not known)\n");
    table_cell(&list, " ");
    for (int index = 1; index <= 3; index++)
        for (int k = 0; k < 3 && group_name[index][k]; k++)
            if (k) table_cell(&list, "%s", group_name[index][k]);
            else table_cell(&list, "index %d: %s", index, group_name[index][k]);
    for (int row = 0; row < ORDER_ROWS; row++) {
        const order_row *o = &order_rows[row];
        table_cell(&list, "%s", o->title);
        for (int index = 1; index <= 3; index++) {
            int order[3];
            const int groups = keel_method_orders(r->method, &(keel_order_case){index,
                o->nonlinear, o->projected, o->recursion}, order);
            for (int k = 0; k < groups; k++) order_cell(&list, order[k]);
        }
    }
    table_print(&list, file);
    table_free(&list);
}

void method_print(const method_report *r, FILE *file)
{
    const keel_analysis *a = &r->analysis;
    fprintf(file, "%s: %s%s%d stage%s\n", r->tableau->name, r->family ? r->family : "",
            r->family ? ", " : "", a->stages, a->stages == 1 ? "" : "s");
    if (r->summary) fprintf(file, "%s\n", r->summary);
    fprintf(file, "\n  kind              %s\n",
            keel_method_kind_name(keel_method_kind_of(r->method)));
    print_order(a, r, file);
    print_estimate(r, file);
    print_stability(a, file);
    print_nonlinear(a, file);
    print_structure(a, file);
    print_eigenvalues(a, file);
    if (r->citation) fprintf(file, "  source            %s\n", r->citation);
    print_tableau(r->tableau, file);
    print_orders(r, file);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_analysis(json_writer *w, const keel_analysis *a)
{
    json_integer(w, "stages", a->stages);
    json_integer(w, "order", a->order);
    json_integer(w, "order_embedded", a->order_hat);
    json_integer(w, "stage_order", a->stage_order);
    json_integer(w, "B", a->B);
    json_integer(w, "C", a->C);
    json_integer(w, "D", a->D);
    json_string(w, "failing_tree", a->condition_tree[0] ? a->condition_tree : NULL);
    json_number(w, "failing_defect", a->condition_defect);
    json_number(w, "error_constant", a->error_constant);
    json_number(w, "r_infinity", a->r_infinity);
    json_bool(w, "explicit_first_stage", a->explicit_first);
    json_bool(w, "stiffly_accurate", a->stiffly_accurate);
    json_bool(w, "a_stable", a->a_stable);
    json_bool(w, "l_stable", a->l_stable);
    json_number(w, "alpha", a->alpha);
    json_number(w, "real_limit", a->real_limit);
    json_number(w, "imaginary_limit", a->imaginary_limit);
    json_bool(w, "symmetric", a->symmetric);
    json_bool(w, "symplectic", a->symplectic);
    json_bool(w, "algebraically_stable", a->algebraically_stable);
    json_string(w, "an_stable", decided(a->an_stable));
    json_string(w, "b_stable", decided(a->b_stable));
    json_string(w, "bn_stable", decided(a->bn_stable));
    json_bool(w, "irreducible", a->irreducible);
    json_bool(w, "confluent", a->confluent);
    json_integer(w, "negative_weights", a->negative_weights);
    json_numbers(w, "algebraic_eigenvalues", a->algebraic, a->stages);
    json_numbers(w, "eigenvalues_re", a->eigenvalue_re, a->stages);
    json_numbers(w, "eigenvalues_im", a->eigenvalue_im, a->stages);
    json_integer(w, "rhs_per_step", a->rhs_per_step);
    json_integer(w, "real_systems", a->real_systems);
    json_integer(w, "complex_systems", a->complex_systems);
}

static void json_tableau(json_writer *w, const keel_tableau *t)
{
    json_begin_object(w, "tableau");
    json_begin_array(w, "A");
    for (int i = 0; i < t->stages; i++) json_numbers(w, NULL, t->A + i * t->stages, t->stages);
    json_end_array(w);
    json_numbers(w, "b", t->b, t->stages);
    json_numbers(w, "c", t->c, t->stages);
    if (t->b_hat) json_numbers(w, "b_embedded", t->b_hat, t->stages);
    json_end_object(w);
}

/* Orders as numbers; none is 0, unknown is null. */
static void json_orders(json_writer *w, const method_report *r)
{
    json_begin_array(w, "predicted_orders");
    for (int index = 0; index <= 3; index++)
        for (int row = 0; row < (index == 0 ? 1 : ORDER_ROWS); row++) {
            const order_row *o = &order_rows[row];
            int order[3];
            const int groups = keel_method_orders(r->method, &(keel_order_case){index,
                o->nonlinear, o->projected, o->recursion}, order);
            json_begin_object(w, NULL);
            json_integer(w, "index", index);
            json_bool(w, "nonlinear", o->nonlinear);
            json_bool(w, "projected", o->projected);
            json_bool(w, "recursion", o->recursion);
            for (int k = 0; k < groups; k++)
                json_number(w, group_name[index][k],
                            order[k] == KEEL_ORDER_UNKNOWN ? (double)NAN : (double)order[k]);
            json_end_object(w);
        }
    json_end_array(w);
}

void method_json(json_writer *w, const method_report *r, bool brief)
{
    json_begin_object(w, NULL);
    json_string(w, "name", r->tableau->name);
    json_string(w, "family", r->family);
    json_string(w, "summary", r->summary);
    json_string(w, "citation", r->citation);
    json_string(w, "kind", keel_method_kind_name(keel_method_kind_of(r->method)));
    json_string(w, "estimate", estimate_word(keel_method_estimate(r->method)));
    json_integer(w, "claimed_order", r->tableau->order);
    json_analysis(w, &r->analysis);
    if (!brief) {
        json_tableau(w, r->tableau);
        json_orders(w, r);
    }
    json_end_object(w);
}
